//! `cargo xtask deb`: a Debian package of the daemon, and the proof of its life cycle under systemd.
//!
//! ```text
//!   packaging/, docs/ ──┐
//!   forebay generate ───┼─> tree of files ── control ── dpkg-deb ──> target/debian/forebay_VERSION_ARCH.deb
//!   the binary ─────────┘
//! ```
//! Made with dpkg's own tools alone: a build helper would only replace four short scripts in `packaging/debian`. The same tree gives the
//! same package, byte for byte: times are those of the last commit.

mod control;
pub(crate) mod datastores;
pub(crate) mod image;
pub(crate) mod proof;
pub(crate) mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients;
use crate::dist::{self, commit_time};
use crate::run::{output, run};

pub(crate) use proof::prove;

/// Input of a package of any format.
pub(crate) struct Package<'a> {
    pub(crate) root: &'a Path,
    /// Path of the built `forebay`; it also writes its manual pages and completions.
    pub(crate) binary: PathBuf,
    pub(crate) version: &'a str,
}

impl Package<'_> {
    /// Returns the path of the built helper for Ceph RBD.
    pub(crate) fn rbd_helper(&self) -> PathBuf {
        self.binary.with_file_name(tree::RBD_HELPER)
    }

    /// Returns the first part of the names of files that are for no distribution in particular.
    pub(crate) fn name(&self) -> String {
        format!("forebay-{}-{}", self.version, std::env::consts::ARCH)
    }
}

/// Builds the release binary of the daemon and packages it.
///
/// # Errors
/// If a tool is missing, or one of them fails.
pub(crate) fn deb(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    let commit = dist::commit(root).unwrap_or_else(|| "unknown commit".to_owned());
    let package = Package { root, binary: dist::build(root, &commit)?, version: dist::VERSION };
    let folder = root.join("target/debian");
    let file = make(&package, &folder)?;
    let rbd = make_rbd(&package, &folder)?;
    let shown = |file: &Path| file.strip_prefix(root).unwrap_or(file).display().to_string();
    let (shown, rbd) = (shown(&file), shown(&rbd));
    println!("The package is {shown}. Install it with: apt install ./{shown}");
    println!("For disks on Ceph RBD install {rbd} as well.");
    Ok(())
}

/// Makes the Debian package in `folder` and returns its path.
///
/// # Errors
/// If a tool is missing, or one of them fails.
pub(crate) fn make(package: &Package<'_>, folder: &Path) -> Result<PathBuf, String> {
    pack(package, folder, "forebay", |stage, architecture| {
        tree::fill(stage, package.root, &package.binary)?;
        tree::add_changelog(stage, "forebay", package.version, &date(package)?)?;
        let depends = control::depends(folder, &stage.join(tree::BINARY))?;
        control::write_all(stage, package, architecture, &depends)
    })
}

/// Makes the package of the helper for Ceph RBD in `folder` and returns its path. It is one of its own, for hosts without Ceph need no
/// librbd.
///
/// # Errors
/// If a tool is missing, or one of them fails.
pub(crate) fn make_rbd(package: &Package<'_>, folder: &Path) -> Result<PathBuf, String> {
    pack(package, folder, tree::RBD_HELPER, |stage, architecture| {
        tree::fill_rbd(stage, package.root, &package.rbd_helper())?;
        tree::add_changelog(stage, tree::RBD_HELPER, package.version, &date(package)?)?;
        let libraries = control::libraries(folder, &stage.join("usr/bin").join(tree::RBD_HELPER))?;
        control::write_rbd(stage, package.version, architecture, &libraries)
    })
}

/// Returns the time of the last commit in the form of RFC 5322.
fn date(package: &Package<'_>) -> Result<String, String> {
    let time = commit_time(package.root)?;
    let date = output(Command::new("date").args(["--utc", "-R", "-d"]).arg(format!("@{time}")))?;
    Ok(date.trim().to_owned())
}

/// Packs what `fill` puts into a folder, for the architecture that it gets.
fn pack(
    package: &Package<'_>,
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&Path, &str) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let stage = folder.join("stage");
    let problem =
        |error: std::io::Error| format!("Could not make a package in {}: {error}.", folder.display());
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(problem)?;
    }
    fs::create_dir_all(&stage).map_err(problem)?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    fill(&stage, &architecture)?;
    let file = folder.join(format!("{name}_{}_{architecture}.deb", package.version));
    let mut dpkg_deb = Command::new("dpkg-deb");
    dpkg_deb.args(["--root-owner-group", "-Zxz", "--build"]).arg(&stage).arg(&file);
    run(dpkg_deb.env("SOURCE_DATE_EPOCH", commit_time(package.root)?))?;
    fs::remove_dir_all(&stage).map_err(problem)?;
    Ok(file)
}
