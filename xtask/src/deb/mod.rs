//! `cargo xtask deb`: a Debian package of the daemon, and the proof of its life under systemd.
//!
//! ```text
//!   packaging/, docs/ ──┐
//!   forebay generate ───┼─> tree of files ── control ── dpkg-deb ──> target/debian/forebay_VERSION_ARCH.deb
//!   the binary ─────────┘
//! ```
//! Made with dpkg's own tools alone: what would call for a build helper is four short scripts in `packaging/debian`.
//! The same tree gives the same package, byte for byte: times are those of the last commit.

mod control;
mod proof;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::built;
use crate::clients;
use crate::run::{output, run, works};

pub(crate) use proof::prove;

/// What a package is made of.
struct Package<'a> {
    root: &'a Path,
    /// The built `forebay`; it also writes its manual pages and completions.
    binary: PathBuf,
    version: &'a str,
}

/// Builds the daemon for use and packages it.
///
/// # Errors
/// If a tool is missing, or one of them fails.
pub(crate) fn deb(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    let binary = built::for_use(root, &["daemon"])?.join("forebay");
    let package = Package { root, binary, version: env!("CARGO_PKG_VERSION") };
    let file = package.make()?;
    let shown = file.strip_prefix(root).unwrap_or(&file).display();
    println!("The package is {shown}. Install it with: apt install ./{shown}");
    Ok(())
}

impl Package<'_> {
    /// Makes the package in `target/debian` and returns its path.
    fn make(&self) -> Result<PathBuf, String> {
        let folder = self.root.join("target/debian");
        let stage = folder.join("stage");
        let problem =
            |error: std::io::Error| format!("Could not make a package in {}: {error}.", folder.display());
        if stage.exists() {
            fs::remove_dir_all(&stage).map_err(problem)?;
        }
        fs::create_dir_all(&stage).map_err(problem)?;
        tree::fill(&stage, self.root, &self.binary)?;
        let time = commit_time(self.root)?;
        let date = output(Command::new("date").args(["--utc", "-R", "-d"]).arg(format!("@{time}")))?;
        tree::add_changelog(&stage, self.version, date.trim())?;
        let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
        let depends = control::depends(&folder, &stage.join(tree::BINARY))?;
        control::write_all(&stage, self, &architecture, &depends)?;
        let file = folder.join(format!("forebay_{}_{architecture}.deb", self.version));
        let mut dpkg_deb = Command::new("dpkg-deb");
        dpkg_deb.args(["--root-owner-group", "-Zxz", "--build"]).arg(&stage).arg(&file);
        run(dpkg_deb.env("SOURCE_DATE_EPOCH", time))?;
        Ok(file)
    }
}

/// When the last commit was made, in seconds since 1970; outside of a repository, 1970 itself.
fn commit_time(root: &Path) -> Result<String, String> {
    let git = || {
        let mut command = Command::new("git");
        command.current_dir(root);
        command
    };
    if !works(git().args(["rev-parse", "HEAD"])) {
        return Ok("0".to_owned());
    }
    output(git().args(["log", "-1", "--format=%ct"])).map(|text| text.trim().to_owned())
}
