//! Links to mapped disks, which stay the same whatever number the kernel gives the device.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use base::error::{Error, Result};
use clap::ValueEnum;

use super::{DiskPlace, DriverKind, FOLDER, description};

/// The folder of links to mapped disks.
const LINKS: &str = "/dev/forebay";
/// The kernel's folder of block devices by their names.
const DEVICES: &str = "/sys/block";

/// The links of one disk. Several daemons may have disks of one name.
pub(super) struct DiskLinks {
    name: String,
    /// Path of the record of a link elsewhere: a symbolic link to it.
    record: PathBuf,
}

impl DiskLinks {
    /// Returns the links of a disk.
    pub(super) fn new(disk: &DiskPlace) -> Self {
        Self { name: disk.name.clone(), record: Path::new(FOLDER).join(disk.record_name()) }
    }

    /// Returns the path of the link unless another one was requested.
    pub(super) fn default_path(&self) -> PathBuf {
        Path::new(LINKS).join(&self.name)
    }

    /// Returns the path of the link.
    pub(super) fn path(&self) -> PathBuf {
        self.elsewhere().unwrap_or_else(|| self.default_path())
    }

    /// Returns the path of the link if another one than the default was requested.
    pub(super) fn elsewhere(&self) -> Option<PathBuf> {
        fs::read_link(&self.record).ok()
    }

    /// Refuses a link in the place of something else, such as the link of another daemon's disk.
    ///
    /// # Errors
    /// A conflict, with a remedy; an invalid request for a path that does not begin with /.
    pub(super) fn check(&self, link: &Path) -> Result<()> {
        let name = &self.name;
        if !link.is_absolute() {
            return Err(Error::invalid(format!(
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
        Err(Error::conflict(format!(
            "Cannot map disk '{name}' as {}: something else is there; choose another path with --as",
            link.display()
        )))
    }

    /// Makes the link to a device that just started, if udev does not, and records it if it is elsewhere.
    /// Replaces nothing but a symbolic link.
    ///
    /// # Errors
    /// Errors of the file system.
    pub(super) fn set(&self, link: &Path, device: &Path) -> io::Result<()> {
        let is_default = link == self.default_path();
        for folder in [self.record.parent().filter(|_| !is_default), link.parent()].into_iter().flatten() {
            fs::create_dir_all(folder)?;
        }
        if !is_default {
            put_link(&self.record, link)?;
        }
        let leads_there = || target_of(link).as_deref() == Some(device);
        if !description::is_named_by_udev(link, leads_there) {
            put_link(link, device)?;
        }
        if is_default {
            self.forget();
        }
        Ok(())
    }

    /// Makes the link to a device again at its path. Does nothing if it exists.
    ///
    /// # Errors
    /// A conflict if something else is in its place; those of the file system.
    pub(super) fn set_again(&self, device: &Path) -> Result<()> {
        let link = self.path();
        if target_of(&link).as_deref() == Some(device) {
            return Ok(());
        }
        let failed = |reason: String| {
            Error::failed(format!(
                "Cannot make the link of disk '{}' again: {reason}; {} is served",
                self.name,
                device.display()
            ))
        };
        self.check(&link).map_err(|problem| failed(problem.message))?;
        let folder = link.parent().map_or(Ok(()), fs::create_dir_all);
        folder.and_then(|()| put_link(&link, device)).map_err(|error| failed(error.to_string()))
    }

    /// Removes the link to a device that is to be removed, unless it leads elsewhere.
    pub(super) fn remove(&self, device: &Path) {
        for link in self.all().filter(|link| target_of(link).as_deref() == Some(device)) {
            if let Err(error) = fs::remove_file(&link) {
                tracing::warn!("Cannot remove the link {}: {error}", link.display());
            }
        }
    }

    /// Waits until udev has removed its link to a device, so that it obstructs no later one.
    pub(super) fn wait_until_removed(&self, device: &Path) {
        for link in self.all() {
            description::wait_until_unnamed(&link, || target_of(&link).as_deref() == Some(device));
        }
    }

    fn all(&self) -> impl Iterator<Item = PathBuf> {
        [Some(self.default_path()), self.elsewhere()].into_iter().flatten()
    }

    /// Removes the record of a link elsewhere.
    pub(super) fn forget(&self) {
        // Most disks have none.
        fs::remove_file(&self.record).unwrap_or(());
    }
}

/// Returns true for a link to a removed device of a driver. Devices of NBD always exist, and have a file
/// `pid` while they are in use.
fn is_left_over(link: &Path) -> bool {
    let Some(target) = target_of(link) else { return false };
    let Some(target) = target.to_str() else { return false };
    DriverKind::value_variants().iter().any(|kind| {
        let number = target.strip_prefix(kind.prefix()).and_then(|number| number.parse::<u32>().ok());
        // Not those in another spelling, which the kernel does not use.
        let Some(device) = number.map(|number| kind.device(number)).filter(|path| path == Path::new(target))
        else {
            return false;
        };
        let folder = Path::new(DEVICES).join(device.file_name().unwrap_or_default());
        match kind {
            DriverKind::Ublk => !folder.exists(),
            DriverKind::KernelNbd => !folder.join("pid").exists(),
        }
    })
}

/// Returns the target of a symbolic link: udev writes it relative to its folder.
pub(super) fn target_of(link: &Path) -> Option<PathBuf> {
    let mut path = link.parent()?.to_owned();
    for part in fs::read_link(link).ok()?.components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            // If the path begins with /, the root replaces everything.
            part => path.push(part),
        }
    }
    Some(path)
}

/// Makes a symbolic link where nothing is, or replaces another symbolic link atomically.
fn put_link(link: &Path, target: &Path) -> io::Result<()> {
    let made = symlink(target, link);
    let is_taken = made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
    if !is_taken || !fs::symlink_metadata(link)?.is_symlink() {
        return made;
    }
    let mut new = link.as_os_str().to_owned();
    new.push(format!(".forebay-{}", std::process::id()));
    // Left by an interrupted process with the same number.
    fs::remove_file(&new).unwrap_or(());
    symlink(target, &new)?;
    fs::rename(&new, link).inspect_err(|_| fs::remove_file(&new).unwrap_or(()))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn links(folder: &Path) -> DiskLinks {
        DiskLinks { name: "web".to_owned(), record: folder.join("records/web@1") }
    }

    #[test]
    fn a_link_is_replaced_at_once_and_nothing_else_is() {
        let folder = TempDir::new();
        let at = |name: &str| folder.path().join(name);
        let web = links(folder.path());
        for device in ["/dev/ublkb1", "/dev/ublkb2"] {
            web.set(&at("link"), Path::new(device)).expect("it is free");
            assert_eq!(fs::read_link(at("link")).expect("a link"), Path::new(device));
            assert_eq!(web.elsewhere(), Some(at("link")));
        }
        fs::write(at("precious"), "precious").expect("the folder is ours");
        let error = web.set(&at("precious"), Path::new("/dev/ublkb1")).expect_err("a file is there");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(at("precious")).expect("it is there"), b"precious");
        assert_eq!(fs::read_dir(folder.path()).expect("ours").count(), 3, "link, precious, records");
    }

    #[test]
    fn a_link_that_is_made_again_takes_the_place_of_nobody() {
        let folder = TempDir::new();
        let at = |name: &str| folder.path().join(name);
        let web = links(folder.path());
        web.set(&at("link"), Path::new("/dev/ublkb987654")).expect("it is free");
        web.set_again(Path::new("/dev/ublkb987655")).expect("the older one is left over");
        assert_eq!(fs::read_link(at("link")).expect("a link"), Path::new("/dev/ublkb987655"));
        fs::remove_file(at("link")).expect("it is ours");
        symlink("/dev/sda", at("link")).expect("the folder is ours");
        let problem = web.set_again(Path::new("/dev/ublkb987655")).expect_err("something is there");
        assert!(problem.message.contains("is served"), "{problem}");
        assert_eq!(fs::read_link(at("link")).expect("a link"), Path::new("/dev/sda"));
    }

    #[test]
    fn links_of_udev_lead_to_the_same_devices() {
        let folder = TempDir::new();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("forebay")).expect("the folder is ours");
        for (target, found) in [
            ("../ublkb1", at("ublkb1")),
            ("/dev/ublkb1", PathBuf::from("/dev/ublkb1")),
            ("./web", at("forebay/web")),
        ] {
            fs::remove_file(at("forebay/link")).unwrap_or(());
            symlink(target, at("forebay/link")).expect("the folder is ours");
            assert_eq!(target_of(&at("forebay/link")), Some(found), "{target}");
        }
        assert_eq!(target_of(&at("forebay")), None);
    }

    #[test]
    fn a_link_takes_the_place_of_nothing_and_of_an_older_link_only() {
        let folder = TempDir::new();
        let at = |name: &str| folder.path().join(name);
        let web = links(folder.path());
        fs::write(at("precious"), "precious").expect("the folder is ours");
        symlink("/dev/ublkb987654", at("older")).expect("the folder is ours");
        symlink("/dev/nbd987654", at("older over NBD")).expect("the folder is ours");
        symlink("/dev/sda", at("other")).expect("the folder is ours");
        symlink("/dev/nbd987654p1", at("part")).expect("the folder is ours");
        symlink("/dev/ublkb+987654", at("odd")).expect("the folder is ours");
        for free in ["nothing", "older", "older over NBD"] {
            web.check(&at(free)).expect("it is free");
        }
        for taken in ["precious", "other", "part", "odd"] {
            let problem = web.check(&at(taken)).expect_err("something is there");
            assert!(problem.message.contains("--as"), "{problem}");
        }
        assert!(web.check(Path::new("web")).expect_err("no place").message.contains("begins with /"));
    }
}
