//! `cargo xtask dist`: all files of a release, in `target/dist`, from one binary.
//!
//! ```text
//!   commit ── binary ──┬── tarball    forebay-VERSION-ARCH.tar.gz
//!                      ├── deb        forebay_VERSION_ARCH.deb, forebay-rbd_VERSION_ARCH.deb
//!                      ├── rpm        forebay-VERSION-1.ARCH.rpm, forebay-rbd-VERSION-1.ARCH.rpm
//!                      ├── debug      forebay-VERSION-ARCH-debug.tar.gz
//!                      └── container  Containerfile, which takes the tarball
//!   all of them ────────── sums       SHA256SUMS
//! ```
//! The same binary and commit give the same files, byte for byte: times are those of the commit, and nothing depends on the machine. Each
//! package is made of the tree of `deb::tree`, so that none of them lacks a file.

mod binary;
mod notices;
mod page;
mod proof;
mod rpm;
mod tarball;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::clients;
use crate::deb::{self, Package};
use crate::run::{output, run, works};

pub(crate) use binary::{build, target};
pub(crate) use notices::notices;
pub(crate) use proof::prove;
use rpm::rpm;
use tarball::tarball;

/// Version of everything: that of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Recipe of a container, beside the tarball.
const CONTAINERFILE: &str = "packaging/container/Containerfile";
const SUMS: &str = "SHA256SUMS";
/// Option for the length of a commit's name, as in `daemon/build.rs`.
const COMMIT_LETTERS: &str = "--short=12";
/// Variable with the commit of sources without a repository, here as in `daemon/build.rs`.
const COMMIT_VARIABLE: &str = "FOREBAY_COMMIT";

/// Handling of uncommitted changes in the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Refuse to make a release.
    Refused,
    /// Make files whose version has `+dirty`.
    Allowed,
}

/// Makes all files of a release.
///
/// # Errors
/// If the work tree has changes that are not allowed, a tool fails, or a file breaks a promise of docs/install.md.
pub(crate) fn dist(root: &Path, changes: Changes) -> Result<(), String> {
    let commit = commit(root).ok_or_else(|| {
        format!("A release is made from a commit, and this is no repository of git: {COMMIT_VARIABLE} can name it.")
    })?;
    let is_dirty = is_repository(root) && !output(git(root).args(["status", "--porcelain"]))?.is_empty();
    if is_dirty && changes == Changes::Refused {
        return Err(
            "The work tree has changes that no commit has. Commit them, or add --allow-dirty.".to_owned()
        );
    }
    let mark = if is_dirty { "+dirty" } else { "" };
    let (version, commit) = (format!("{VERSION}{mark}"), commit + mark);
    clients::install_missing()?;
    let package = Package { root, binary: build(root, &commit)?, version: &version };
    let folder = root.join("target/dist");
    let problem = |error: std::io::Error| format!("Could not make {}: {error}.", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(problem)?;
    }
    fs::create_dir_all(&folder).map_err(problem)?;
    let mut files = vec![tarball(&package, &folder, binary::check)?];
    files.push(tarball::debug(&package, &folder)?);
    files.push(deb::make(&package, &folder)?);
    files.push(deb::make_rbd(&package, &folder)?);
    for file in rpm(&package, &folder)? {
        rpm::lint(root, &file)?;
        files.push(file);
    }
    let containerfile = folder.join("Containerfile");
    fs::copy(root.join(CONTAINERFILE), &containerfile).map_err(problem)?;
    files.push(containerfile);
    let mut names: Vec<_> = files.iter().filter_map(|path| path.file_name()).collect();
    names.sort();
    let sums = output(Command::new("sha256sum").args(names).current_dir(&folder))?;
    fs::write(folder.join(SUMS), &sums).map_err(problem)?;
    println!("{sums}Forebay {version} ({commit}) is in target/dist.");
    Ok(())
}

/// Returns the time of the last commit, in seconds since 1970; outside of a repository, 1970 itself.
pub(crate) fn commit_time(root: &Path) -> Result<String, String> {
    if !is_repository(root) {
        return Ok("0".to_owned());
    }
    output(git(root).args(["log", "-1", "--format=%ct"])).map(|text| text.trim().to_owned())
}

/// Returns the commit of a package: the one in `FOREBAY_COMMIT`, otherwise that of the repository, `None` outside of one.
pub(crate) fn commit(root: &Path) -> Option<String> {
    if let Ok(named) = std::env::var(COMMIT_VARIABLE) {
        return Some(named);
    }
    if !is_repository(root) {
        return None;
    }
    output(git(root).args(["rev-parse", COMMIT_LETTERS, "HEAD"])).ok().map(|text| text.trim().to_owned())
}

/// Returns true if `root` is that of a repository with a commit: a source archive may be inside of another repository.
fn is_repository(root: &Path) -> bool {
    works(git(root).args(["rev-parse", "HEAD"]))
        && output(git(root).args(["rev-parse", "--show-prefix"])).is_ok_and(|prefix| prefix.trim().is_empty())
}

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(root);
    command
}

/// Runs a program that packs files, with the time of the commit as that of the package.
fn pack(root: &Path, command: &mut Command) -> Result<(), String> {
    run(command.env("SOURCE_DATE_EPOCH", commit_time(root)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_archive_in_the_repository_of_another_project_has_no_commit_of_it() {
        let root = crate::root();
        assert!(!is_repository(&root.join("xtask")), "a folder of a repository is not its root");
        assert!(!is_repository(Path::new("/proc")), "nothing there is a repository");
    }
}
