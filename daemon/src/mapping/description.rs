//! Descriptions of devices for udev, which gives them their names by the rule of the package (`packaging/60-forebay.rules`).
//!
//! ```text
//!   map:    description ──> device ──event──> udev reads the description ──> /dev/forebay/NAME, /dev/disk/by-id, a unit of systemd
//!   unmap:  device goes ──event──> udev removes the names;  description goes
//! ```
//! The kernel does not know names of disks, and sends events as soon as a device starts: so the description
//! is written first. If udev does not run, or lacks the rule, the caller makes the link to the device itself.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{DiskPlace, DriverKind, FOLDER};

/// Suffix of the names of descriptions.
const SUFFIX: &str = ".udev";
/// The rule, as packages install it.
const RULE: &str = "60-forebay.rules";
/// Folders of udev's rules (udev(7)).
const RULE_FOLDERS: [&str; 4] =
    ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"];
/// The socket of udev while it runs.
const UDEV: &str = "/run/udev/control";
/// Time that udev may take for a name. It takes longer only if it is stopped or very busy.
const NAME_TIME_MAX: Duration = Duration::from_secs(10);
/// Time that the creation of a device may take.
const MAKING_TIME_MAX: Duration = Duration::from_mins(1);
const NAME_INTERVAL: Duration = Duration::from_millis(20);
/// The folder of devices, in which udev makes links.
const DEVICES: &str = "/dev";

/// Access of udev, and of programs that it starts (LVM, md, bcache), to the content of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ContentScan {
    /// They ignore it: a guest's disk is the guest's.
    #[default]
    Off,
    /// They scan it for file systems and volumes, as other disks of the host.
    On,
}

/// Description of a device that is to be made.
pub(super) struct DeviceDescription {
    text: String,
}

/// A disk with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DescribedDisk {
    pub(super) name: String,
    /// Hash of the daemon's path, as in the mark of a device.
    pub(super) place: u32,
}

impl DeviceDescription {
    /// Returns the description of a device of a disk whose link is to be at a path.
    pub(super) fn new(disk: &DiskPlace, link: &Path, scan: ContentScan) -> Self {
        let name = &disk.name;
        let mut lines =
            vec![format!("FOREBAY_DISK={name}"), format!("FOREBAY_PLACE={:08x}", disk.mark().place)];
        lines.extend(name_of(link).map(|link| format!("FOREBAY_LINK={link}")));
        // Of two daemons with disks of one name only one has the default link, and so the name among all
        // disks.
        if link == disk.links().default_path() {
            lines.push(format!("FOREBAY_ID=forebay-{name}"));
        }
        lines.extend([
            "ID_MODEL=Forebay".to_owned(),
            format!("ID_SERIAL_SHORT={}", doors::serial_number(name)),
        ]);
        if let Some(identity) = disk.identity {
            lines.push(format!("ID_SERIAL=Forebay_{name}_{identity:016x}"));
            lines.extend(["ID_WWN", "ID_WWN_WITH_EXTENSION"].map(|key| format!("{key}={}", wwn(identity))));
        }
        let scan = match scan {
            ContentScan::Off => "off",
            ContentScan::On => "on",
        };
        lines.push(format!("FOREBAY_SCAN={scan}\n"));
        let text = lines.join("\n");
        Self { text }
    }

    /// Writes the description of a device for udev. The key is that of [`key_of`].
    ///
    /// # Errors
    /// Errors of the file system.
    pub(super) fn write(&self, key: &str) -> io::Result<()> {
        self.write_in(Path::new(FOLDER), key)
    }

    fn write_in(&self, folder: &Path, key: &str) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let new = folder.join(format!("{key}.new-{}", std::process::id()));
        fs::File::create(&new)?.write_all(self.text.as_bytes())?;
        fs::rename(&new, folder.join(format!("{key}{SUFFIX}")))
    }
}

/// Returns the key of a device's description: for ublk the kernel's name, which is known before the device
/// starts; for NBD the identifier that the kernel keeps with it. None if the device does not exist.
pub(super) fn key_of(kind: DriverKind, number: u32) -> Option<String> {
    let device = kind.device(number);
    let name = device.file_name()?.to_str()?;
    match kind {
        DriverKind::Ublk => Some(name.to_owned()),
        DriverKind::KernelNbd => {
            let word = fs::read_to_string(format!("/sys/block/{name}/backend")).ok()?;
            Some(word.trim_end().to_owned()).filter(|word| !word.is_empty() && !word.contains('/'))
        }
    }
}

/// A description that was removed before its device.
pub(super) struct TakenDescription {
    path: PathBuf,
    text: String,
}

impl TakenDescription {
    /// Writes it again: its device stays.
    pub(super) fn put_back(&self) {
        if let Err(error) = fs::write(&self.path, &self.text) {
            tracing::warn!(
                "Cannot write {} again: {error}; udev does not know its device any more",
                self.path.display()
            );
        }
    }
}

/// Removes the description of a device that is to be removed. Returns none if there was none.
pub(super) fn take(key: &str) -> Option<TakenDescription> {
    let path = Path::new(FOLDER).join(format!("{key}{SUFFIX}"));
    let text = fs::read_to_string(&path).ok()?;
    fs::remove_file(&path).ok()?;
    Some(TakenDescription { path, text })
}

/// Removes descriptions of devices that were removed by other programs: ublk may give their number to another
/// program's device.
pub(super) fn remove_left_over() {
    let words = (fs::read_dir("/sys/block").into_iter().flatten().flatten())
        .filter_map(|entry| fs::read_to_string(entry.path().join("backend")).ok());
    let words: Vec<String> = words.map(|word| word.trim_end().to_owned()).collect();
    remove_left_over_in(Path::new(FOLDER), Path::new("/sys/class/ublk-char"), &words);
}

fn remove_left_over_in(folder: &Path, ublk_devices: &Path, nbd_words: &[String]) {
    for path in descriptions_in(folder) {
        let Some(key) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let is_left_over = match key.strip_prefix("ublkb") {
            Some(number) => !ublk_devices.join(format!("ublkc{number}")).exists(),
            // The description of a device that is being made exists before the device.
            None => !nbd_words.iter().any(|word| word == key) && is_old(&path),
        };
        if is_left_over {
            fs::remove_file(path).unwrap_or(());
        }
    }
}

fn is_old(path: &Path) -> bool {
    let written = fs::metadata(path).and_then(|found| found.modified());
    written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age > MAKING_TIME_MAX))
}

/// Returns the disks with descriptions, also while no daemon runs.
pub(super) fn described() -> Vec<DescribedDisk> {
    described_in(Path::new(FOLDER))
}

fn described_in(folder: &Path) -> Vec<DescribedDisk> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(path).ok()?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        let place = u32::from_str_radix(value("FOREBAY_PLACE")?, 16).ok()?;
        Some(DescribedDisk { name: value("FOREBAY_DISK")?.to_owned(), place })
    };
    let mut disks: Vec<DescribedDisk> = descriptions_in(folder).filter_map(read).collect();
    disks.sort_by(|one, other| one.name.cmp(&other.name));
    disks
}

fn descriptions_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_str().is_some_and(|path| path.ends_with(SUFFIX)))
}

/// Waits until udev has given a device this name. Returns false if udev does not do that here: the caller
/// then makes the link.
pub(super) fn is_named_by_udev(link: &Path, is_there: impl Fn() -> bool) -> bool {
    name_of(link).is_some() && names_devices() && wait_until(is_there)
}

/// Waits until udev has removed a name, if it makes names.
pub(super) fn wait_until_unnamed(link: &Path, is_there: impl Fn() -> bool) {
    if name_of(link).is_some() && names_devices() && !wait_until(|| !is_there()) {
        tracing::warn!("udev has not removed {}", link.display());
    }
}

/// Makes the kernel announce a device to udev again: devices of NBD exist before and after they belong to a
/// disk.
pub(super) fn announce(kind: DriverKind, number: u32) {
    let device = kind.device(number);
    let Some(name) = device.file_name().and_then(|name| name.to_str()) else { return };
    if let Err(error) = fs::write(format!("/sys/block/{name}/uevent"), "change") {
        tracing::debug!(%error, "udev is not notified of {name}");
    }
}

fn wait_until(is_done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + NAME_TIME_MAX;
    while !is_done() {
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(NAME_INTERVAL);
    }
    true
}

/// Returns true if udev runs here, and has the rule that names mapped disks.
fn names_devices() -> bool {
    Path::new(UDEV).exists() && RULE_FOLDERS.iter().any(|folder| Path::new(folder).join(RULE).exists())
}

/// Returns a path as a name that udev can give: one below /dev, of characters that udev does not replace.
fn name_of(link: &Path) -> Option<&str> {
    let name = link.strip_prefix(DEVICES).ok()?.to_str()?;
    let is_plain = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "#+-.:=@_".contains(c);
        !part.is_empty() && part != "." && part != ".." && part.chars().all(allowed)
    };
    name.split('/').all(is_plain).then_some(name)
}

/// Returns the world-wide name of a disk: one that is assigned locally (NAA 3), so unique on this host.
fn wwn(identity: u64) -> String {
    const LOCALLY_ASSIGNED: u64 = 3 << 60;
    format!("0x{:016x}", LOCALLY_ASSIGNED | identity >> 4)
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn text(disk: &DiskPlace, link: &str, scan: ContentScan) -> String {
        DeviceDescription::new(disk, Path::new(link), scan).text
    }

    #[test]
    fn a_disk_has_the_same_serial_number_and_wwn_for_good_and_no_other_disk_has_them() {
        let disk = |number, backing| {
            let identity = Some(DiskPlace::identity_of(number, backing));
            DiskPlace::new("web", Path::new("/run/forebay"), identity, 0)
        };
        let described = text(&disk(1, "/srv/a"), "/dev/forebay/web", ContentScan::Off);
        for line in [
            "FOREBAY_DISK=web",
            "FOREBAY_LINK=forebay/web",
            "FOREBAY_ID=forebay-web",
            "FOREBAY_SCAN=off",
            "ID_SERIAL_SHORT=web",
            "ID_SERIAL=Forebay_web_9cb58c4896757bf6",
            "ID_WWN=0x39cb58c4896757bf",
        ] {
            assert!(described.lines().any(|other| other == line), "{line} is missing:\n{described}");
        }
        let wwn = |text: &str| text.lines().find(|line| line.starts_with("ID_WWN=")).map(str::to_owned);
        for other in [disk(2, "/srv/a"), disk(1, "/srv/b")] {
            assert_ne!(wwn(&text(&other, "/dev/forebay/web", ContentScan::Off)), wwn(&described));
        }
    }

    #[test]
    fn only_the_default_link_brings_the_name_among_all_disks_and_udev_gets_plain_names_only() {
        let disk = DiskPlace::new("web", Path::new("/run/forebay"), Some(7), 0);
        let elsewhere = text(&disk, "/dev/second", ContentScan::On);
        assert!(elsewhere.contains("FOREBAY_LINK=second\n") && elsewhere.contains("FOREBAY_SCAN=on\n"));
        assert!(!elsewhere.contains("FOREBAY_ID="), "{elsewhere}");
        for link in ["/srv/web", "/dev/a b", "/dev/../etc/web", "/dev/", "/dev/$web"] {
            assert_eq!(name_of(Path::new(link)), None, "{link}");
            assert!(!text(&disk, link, ContentScan::On).contains("FOREBAY_LINK"), "{link}");
        }
    }

    #[test]
    fn a_description_is_found_again_until_its_device_is_gone() {
        let folder = TempDir::new();
        let (run, devices) = (folder.path().join("run"), folder.path().join("devices"));
        fs::create_dir_all(devices.join("ublkc3")).expect("the folder is ours");
        let disk = |name: &str| DiskPlace::new(name, Path::new("/run/forebay"), Some(7), 0);
        let write = |name: &str, key: &str| {
            let description =
                DeviceDescription::new(&disk(name), Path::new("/dev/forebay/x"), ContentScan::Off);
            description.write_in(&run, key).expect("the folder is ours");
        };
        write("web", "ublkb3");
        write("gone", "ublkb4");
        write("over-nbd", "forebay-000000ff-00000001");
        write("gone", "forebay-000000ff-00000002");
        write("in the making", "forebay-000000ff-00000003");
        for (number, age) in [(1, 3600), (2, 3600), (3, 5)] {
            let file = fs::File::options()
                .write(true)
                .open(run.join(format!("forebay-000000ff-0000000{number}.udev")));
            let written = std::time::SystemTime::now() - Duration::from_secs(age);
            file.expect("it was written").set_modified(written).expect("the file is ours");
        }
        fs::write(run.join("web@000000ff.lock"), "").expect("the folder is ours");
        fs::write(run.join("odd.udev"), "FOREBAY_DISK=odd\n").expect("the folder is ours");
        remove_left_over_in(&run, &devices, &["forebay-000000ff-00000001".to_owned()]);
        let names: Vec<String> = described_in(&run).into_iter().map(|disk| disk.name).collect();
        assert_eq!(names, ["in the making", "over-nbd", "web"]);
        assert!(described_in(&run).iter().all(|found| found.place == disk(&found.name).mark().place));
    }
}
