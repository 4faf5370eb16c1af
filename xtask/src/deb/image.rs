//! Root file systems of Debian for guests, and empty disks beside them.
//!
//! mmdebstrap makes a root file system once, which is kept in `target/NAME`. Each run has a copy, since guests change it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use super::tree::entries;
use crate::run::{output, run};

/// Files in which a Debian machine lists its package sources, newer form first.
const SOURCES: &[&str] = &["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
/// Folder of disks that are no root file systems, below `target`.
const BLANKS: &str = "systemd";

/// Recipe of a root file system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    /// Folder below `target` that keeps it. Another recipe of this name replaces it.
    pub(crate) name: &'a str,
    /// Packages in it besides Debian's essential ones, separated by commas.
    pub(crate) packages: &'a str,
    /// Size in the form of `truncate --size`.
    pub(crate) size: &'a str,
}

/// Disk of one run, removed at its end.
pub(crate) struct Image {
    pub(crate) path: PathBuf,
}

impl Image {
    /// Returns a copy of the kept root file system, which is made first if it is missing.
    ///
    /// # Errors
    /// If mmdebstrap fails, or a file cannot be written.
    pub(crate) fn fresh(root: &Path, recipe: &Recipe<'_>) -> Result<Self, String> {
        let folder = root.join("target").join(recipe.name);
        let problem =
            |error: std::io::Error| format!("Could not make an image in {}: {error}.", folder.display());
        fs::create_dir_all(&folder).map_err(problem)?;
        let suite = suite()?;
        let mut hasher = DefaultHasher::new();
        (recipe.packages, SOURCES, recipe.size, &suite).hash(&mut hasher);
        let kept = folder.join(format!("root-{:016x}.ext3", hasher.finish()));
        if !kept.exists() {
            // Remains of other recipes, and of an interrupted run.
            let is_image =
                |path: &PathBuf| path.extension().is_some_and(|ending| ending == "ext2" || ending == "ext3");
            for old in entries(&folder)?.iter().filter(|path| is_image(path)) {
                fs::remove_file(old).map_err(problem)?;
            }
            make(&folder.join("making.ext2"), recipe, &suite)?;
            fs::rename(folder.join("making.ext2"), &kept).map_err(problem)?;
        }
        let path = run_path(&folder, "run");
        // Keeps the holes, which are the largest part.
        run(Command::new("cp").arg("--sparse=always").arg(&kept).arg(&path))?;
        Ok(Self { path })
    }

    /// Creates an empty disk of this name and size.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(crate) fn blank(root: &Path, name: &str, bytes: u64) -> Result<Self, String> {
        let folder = root.join("target").join(BLANKS);
        let path = run_path(&folder, name);
        let made = fs::create_dir_all(&folder)
            .and_then(|()| fs::File::create(&path))
            .and_then(|file| file.set_len(bytes));
        made.map_err(|error| format!("Could not make {}: {error}.", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            eprintln!("Could not remove {}: {error}. Remove it by hand.", self.path.display());
        }
    }
}

/// Returns a path that no other disk of any run has.
fn run_path(folder: &Path, name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{name}-{}-{number}.img", std::process::id()))
}

fn make(path: &Path, recipe: &Recipe<'_>, suite: &str) -> Result<(), String> {
    let mut mmdebstrap = Command::new("mmdebstrap");
    mmdebstrap.args(["--quiet", "--variant=minbase", "--format=ext2"]);
    mmdebstrap
        .args(["--dpkgopt=path-exclude=/usr/share/locale/*", "--dpkgopt=path-exclude=/usr/share/doc/*"]);
    mmdebstrap.arg("--dpkgopt=path-include=/usr/share/doc/forebay/*");
    mmdebstrap.arg(format!("--include={}", recipe.packages)).arg(suite).arg(path);
    // The package sources of this machine: another mirror may not be reachable.
    mmdebstrap.args(SOURCES.iter().find(|file| Path::new(file).exists()));
    run(&mut mmdebstrap)?;
    run(Command::new("truncate").args(["--size", recipe.size]).arg(path))?;
    run(Command::new("/usr/sbin/resize2fs").arg(path))?;
    // A journal, so that it is consistent after a power cut too.
    run(Command::new("/usr/sbin/tune2fs").args(["-j", "-c0", "-i0"]).arg(path))
}

/// Returns the release of Debian on this machine: a package fits the libraries with which it was built.
fn suite() -> Result<String, String> {
    let text = output(Command::new("sh").args(["-c", ". /etc/os-release && echo \"$VERSION_CODENAME\""]))?;
    match text.trim() {
        "" => Err("This machine does not say in /etc/os-release which release of Debian it is.".to_owned()),
        suite => Ok(suite.to_owned()),
    }
}
