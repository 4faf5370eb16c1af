//! Links to mapped disks that stay the same whatever number the kernel gives the device.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use base::problem::{Answer, Problem};
use clap::ValueEnum;

use super::DriverKind;

/// The folder of links to mapped disks.
const LINKS: &str = "/dev/forebay";
/// The folder that remembers links elsewhere: one symbolic link for each disk of each daemon, which leads to the path of its link.
const OTHER_LINKS: &str = "/run/forebay-map";
/// Where the kernel lists block devices by their names.
const DEVICES: &str = "/sys/block";

/// The links of one disk. Several daemons may have disks of one name.
pub(super) struct DiskLinks {
    name: String,
    /// Where the path of a link elsewhere is remembered.
    record: PathBuf,
}

impl DiskLinks {
    /// Returns the links of a disk whose devices carry this mark.
    pub(super) fn new(name: &str, mark: u64) -> Self {
        Self { name: name.to_owned(), record: Path::new(OTHER_LINKS).join(format!("{name}@{mark:016x}")) }
    }

    /// Returns where the link is unless it was asked for elsewhere.
    pub(super) fn default_path(&self) -> PathBuf {
        Path::new(LINKS).join(&self.name)
    }

    /// Returns where the link is.
    pub(super) fn path(&self) -> PathBuf {
        self.elsewhere().unwrap_or_else(|| self.default_path())
    }

    /// Returns where the link is if it was asked for elsewhere.
    pub(super) fn elsewhere(&self) -> Option<PathBuf> {
        fs::read_link(&self.record).ok()
    }

    /// Refuses a link in the place of something else, such as the link of another daemon's disk.
    ///
    /// # Errors
    /// A conflict, with what to do; an invalid request for a path that does not begin with /.
    pub(super) fn check(&self, link: &Path) -> Answer<()> {
        let name = &self.name;
        if !link.is_absolute() {
            return Err(Problem::invalid(format!(
                "Cannot map disk '{name}' as {}: give a path that begins with /",
                link.display()
            )));
        }
        let is_free = match fs::symlink_metadata(link) {
            Err(error) => error.kind() == io::ErrorKind::NotFound,
            Ok(_) => is_left_over(link),
        };
        if is_free {
            return Ok(());
        }
        Err(Problem::conflict(format!(
            "Cannot map disk '{name}' as {}: something else is there; choose another path with --as",
            link.display()
        )))
    }

    /// Makes the link to a device, and remembers it if it is elsewhere.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn set(&self, link: &Path, device: &Path) -> io::Result<()> {
        if link != self.default_path() {
            fs::create_dir_all(OTHER_LINKS)?;
            replace_link(&self.record, link)?;
        }
        if let Some(folder) = link.parent() {
            fs::create_dir_all(folder)?;
        }
        replace_link(link, device)
    }

    /// Removes the link to a device that is gone, and leaves what leads elsewhere.
    pub(super) fn remove(&self, device: &Path) {
        let links = [Some(self.default_path()), self.elsewhere()];
        let leads_there = |link: &PathBuf| fs::read_link(link).is_ok_and(|target| target == device);
        for link in links.into_iter().flatten().filter(leads_there) {
            if let Err(error) = fs::remove_file(&link) {
                tracing::warn!("Cannot remove the link {}: {error}", link.display());
            }
        }
        // Missing for most.
        fs::remove_file(&self.record).unwrap_or(());
    }
}

/// Returns true for a link to a device of a driver that is not there any more. Devices of NBD stay, and have a file `pid` in use.
fn is_left_over(link: &Path) -> bool {
    let Ok(target) = fs::read_link(link) else { return false };
    let Some(device) = target.strip_prefix("/dev").ok().and_then(Path::to_str) else { return false };
    let folder = Path::new(DEVICES).join(device);
    let is_gone = |kind: &DriverKind| match kind {
        DriverKind::Ublk => !folder.exists(),
        DriverKind::KernelNbd => !folder.join("pid").exists(),
    };
    let leads_to =
        |kind: &&DriverKind| target.to_str().is_some_and(|target| target.starts_with(kind.prefix()));
    DriverKind::value_variants().iter().find(leads_to).is_some_and(is_gone)
}

fn replace_link(link: &Path, target: &Path) -> io::Result<()> {
    match fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    symlink(target, link)
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_link_takes_the_place_of_nothing_and_of_an_older_link_only() {
        let folder = TempDir::new();
        let at = |name: &str| folder.path().join(name);
        let web = DiskLinks::new("web", 1);
        fs::write(at("precious"), "precious").expect("the folder is ours");
        symlink("/dev/ublkb987654", at("older")).expect("the folder is ours");
        symlink("/dev/nbd987654", at("older over NBD")).expect("the folder is ours");
        symlink("/dev/sda", at("other")).expect("the folder is ours");
        for free in ["nothing", "older", "older over NBD"] {
            web.check(&at(free)).expect("it is free");
        }
        for taken in ["precious", "other"] {
            let problem = web.check(&at(taken)).expect_err("something is there");
            assert!(problem.message.contains("--as"), "{problem}");
        }
        assert!(web.check(Path::new("web")).expect_err("no place").message.contains("begins with /"));
    }
}
