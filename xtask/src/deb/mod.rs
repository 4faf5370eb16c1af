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
    let file = make(&package, &root.join("target/debian"))?;
    let shown = file.strip_prefix(root).unwrap_or(&file).display();
    println!("The package is {shown}. Install it with: apt install ./{shown}");
    Ok(())
}

/// Makes the Debian package in `folder` and returns its path.
///
/// # Errors
/// If a tool is missing, or one of them fails.
pub(crate) fn make(package: &Package<'_>, folder: &Path) -> Result<PathBuf, String> {
    let stage = folder.join("stage");
    let problem =
        |error: std::io::Error| format!("Could not make a package in {}: {error}.", folder.display());
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(problem)?;
    }
    fs::create_dir_all(&stage).map_err(problem)?;
    tree::fill(&stage, package.root, &package.binary)?;
    let time = commit_time(package.root)?;
    let date = output(Command::new("date").args(["--utc", "-R", "-d"]).arg(format!("@{time}")))?;
    tree::add_changelog(&stage, package.version, date.trim())?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    let depends = control::depends(folder, &stage.join(tree::BINARY))?;
    control::write_all(&stage, package, &architecture, &depends)?;
    let file = folder.join(format!("forebay_{}_{architecture}.deb", package.version));
    let mut dpkg_deb = Command::new("dpkg-deb");
    dpkg_deb.args(["--root-owner-group", "-Zxz", "--build"]).arg(&stage).arg(&file);
    run(dpkg_deb.env("SOURCE_DATE_EPOCH", time))?;
    fs::remove_dir_all(&stage).map_err(problem)?;
    Ok(file)
}
