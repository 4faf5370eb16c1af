//! Links to mapped disks that stay the same whatever number the kernel gives the device.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use base::problem::{Answer, Problem};

/// The folder of links to mapped disks.
const LINKS: &str = "/dev/forebay";
/// The folder that remembers links elsewhere: one symbolic link for each disk, which leads to the path of its link.
const OTHER_LINKS: &str = "/run/forebay-map";

/// Returns where the link of a disk is unless it was asked for elsewhere.
pub(super) fn default_path(name: &str) -> PathBuf {
    Path::new(LINKS).join(name)
}

/// Returns where the link of a disk is.
pub(super) fn path_of(name: &str) -> PathBuf {
    elsewhere(name).unwrap_or_else(|| default_path(name))
}

/// Returns where the link of a disk is that has it elsewhere.
pub(super) fn elsewhere(name: &str) -> Option<PathBuf> {
    fs::read_link(Path::new(OTHER_LINKS).join(name)).ok()
}

/// Refuses a link in the place of something that this program has not made.
///
/// # Errors
/// A conflict, with what to do; an invalid request for a path that does not begin with /.
pub(super) fn check(name: &str, link: &Path) -> Answer<()> {
    if !link.is_absolute() {
        return Err(Problem::invalid(format!(
            "Cannot map disk '{name}' as {}: give a path that begins with /",
            link.display()
        )));
    }
    let is_free = match fs::symlink_metadata(link) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(_) => is_ours(link),
    };
    if is_free {
        return Ok(());
    }
    Err(Problem::conflict(format!(
        "Cannot map disk '{name}' as {}: something else is there; choose another path with --as",
        link.display()
    )))
}

/// Returns true for a link to a device of ublk.
fn is_ours(link: &Path) -> bool {
    let target = fs::read_link(link).ok();
    target.and_then(|target| Some(target.to_str()?.starts_with("/dev/ublkb"))).unwrap_or(false)
}

/// Makes the link of a disk to a device, and remembers it if it is elsewhere.
///
/// # Errors
/// Those of the file system.
pub(super) fn set(name: &str, link: &Path, id: u32) -> io::Result<()> {
    if link != default_path(name) {
        fs::create_dir_all(OTHER_LINKS)?;
        replace_link(&Path::new(OTHER_LINKS).join(name), link)?;
    }
    if let Some(folder) = link.parent() {
        fs::create_dir_all(folder)?;
    }
    replace_link(link, Path::new(&format!("/dev/ublkb{id}")))
}

fn replace_link(link: &Path, target: &Path) -> io::Result<()> {
    match fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    symlink(target, link)
}

/// Removes the links of a disk.
pub(super) fn remove(name: &str) {
    let links = [Some(default_path(name)), elsewhere(name)];
    for link in links.into_iter().flatten().filter(|link| is_ours(link)) {
        if let Err(error) = fs::remove_file(&link) {
            tracing::warn!("Cannot remove the link {}: {error}", link.display());
        }
    }
    // Missing for most.
    fs::remove_file(Path::new(OTHER_LINKS).join(name)).unwrap_or(());
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_link_takes_the_place_of_nothing_and_of_an_older_link_only() {
        let folder = TempDir::new();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), "precious").expect("the folder is ours");
        symlink("/dev/ublkb3", at("older")).expect("the folder is ours");
        symlink("/dev/sda", at("other")).expect("the folder is ours");
        for free in ["nothing", "older"] {
            check("web", &at(free)).expect("it is free");
        }
        for taken in ["precious", "other"] {
            let problem = check("web", &at(taken)).expect_err("something is there");
            assert!(problem.message.contains("--as"), "{problem}");
        }
        assert!(check("web", Path::new("web")).expect_err("no place").message.contains("begins with /"));
    }
}
