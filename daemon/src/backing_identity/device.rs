//! The identity of a block device: everything that the system knows of it, independent of the name of its
//! node.
//!
//! ```text
//!   names       serial number, WWN, uuid of dm or md, image of rbd, zvol, file of a loop   a common one proves the same device
//!   placement   number and start of a partition, its uuid in the partition table           a different one proves another
//!   instance    the boot of the host, and the number of the device in it                   the same proves the same, within a boot
//! ```
//! Read from sysfs and from udev's database, without I/O to the device. A clone copies the content of a
//! device (file systems, partition tables), so no content proves anything, and a guest may change it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::sys::stat::{major, minor};
use serde::{Deserialize, Serialize};

/// Paths below a disk's folder of sysfs with permanent names of the disk, and titles of these names.
const NAMES: [(&str, &str); 8] = [
    ("wwid", "WWN"),
    ("device/wwid", "WWN"),
    ("serial", "serial number"),
    ("device/serial", "serial number"),
    ("nguid", "NGUID"),
    ("dm/uuid", "dm uuid"),
    ("md/uuid", "md uuid"),
    ("loop/backing_file", "loop file"),
];
/// The same for properties that udev stores of a disk.
const UDEV_NAMES: [(&str, &str); 3] =
    [("ID_WWN_WITH_EXTENSION", "udev WWN"), ("ID_SERIAL", "udev serial number"), ("MD_UUID", "md uuid")];
/// Files of the kernel's rbd that together name its image.
const RBD: [&str; 4] = ["cluster_fsid", "pool_id", "image_id", "current_snap"];

/// Properties that distinguish a block device from others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeviceIdentity {
    names: BTreeMap<String, String>,
    placement: BTreeMap<String, String>,
    instance: Option<DeviceInstance>,
}

/// A device within one boot of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceInstance {
    boot: String,
    /// The kernel's sequence number of the disk, unique within a boot.
    sequence: String,
    node: (u64, u64),
    /// The connection of a device whose next connection has the same number.
    connection: Option<String>,
}

/// Result of a comparison of two identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SameDevice {
    Yes,
    /// They are different devices, with the reason.
    No(String),
    /// No property decides.
    Unknown,
}

/// Folders of the system.
struct SystemDirs<'a> {
    sys: &'a Path,
    udev: &'a Path,
    boot: Option<String>,
}

impl DeviceIdentity {
    /// Returns the identity of the device with this number; that of a loop device includes more if it is open
    /// as `file`.
    pub(super) fn from_device(rdev: u64, file: Option<&File>) -> Self {
        let mut identity = SystemDirs::here().identity(rdev);
        if let Some(status) = file.and_then(loop_status).filter(|_| identity.names.contains_key("loop file"))
        {
            let LoopStatus { inode, offset, size_limit, .. } = status;
            identity.names.insert("loop inode".to_owned(), format!("{inode} {offset} {size_limit}"));
        }
        identity
    }

    /// Returns the identity that earlier versions recorded as one name, which may be that of a disk or a
    /// partition.
    pub(super) fn from_earlier(name: &str) -> Self {
        let names = BTreeMap::from([(EARLIER.to_owned(), name.to_owned())]);
        Self { names, ..Self::default() }
    }

    /// Compares this identity with the present one.
    pub(super) fn compare(&self, now: &Self) -> SameDevice {
        let differs = |(kind, before, now): (&String, &String, &String)| {
            (before != now).then(|| {
                SameDevice::No(format!(
                    "Its backing was another device: its {kind} was {before}, and is {now}"
                ))
            })
        };
        let other =
            shared(&self.names, &now.names).chain(shared(&self.placement, &now.placement)).find_map(differs);
        let earlier = self.names.get(EARLIER).map(|name| now.had_earlier(name));
        match (other, earlier) {
            (Some(other), _) => other,
            (None, Some(true)) => SameDevice::Yes,
            _ if shared(&self.names, &now.names).next().is_some() => SameDevice::Yes,
            _ if self.is_same_instance(now) => SameDevice::Yes,
            _ => SameDevice::Unknown,
        }
    }

    /// Returns true if both are one device of one boot.
    pub(super) fn is_same_instance(&self, other: &Self) -> bool {
        self.instance.is_some() && self.instance == other.instance
    }

    /// Returns the node of the device that has this identity now, if it is there.
    pub(super) fn find(&self) -> Option<PathBuf> {
        SystemDirs::here().find(self)
    }

    fn had_earlier(&self, name: &str) -> bool {
        let partition = self.placement.get(PARTITION);
        self.names.values().any(|value| match partition {
            Some(number) => name == format!("{value} {number}"),
            None => name == value,
        })
    }
}

/// Returns the sectors written to a device, or discarded, since it was created; none if the system does not
/// count them.
pub(super) fn sectors_written(rdev: u64) -> Option<u64> {
    let text = fs::read_to_string(SystemDirs::here().folder(rdev).join("stat")).ok()?;
    let fields: Vec<u64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
    Some(fields.get(6)? + fields.get(13).unwrap_or(&0))
}

/// The kind of the one name in records of earlier versions.
const EARLIER: &str = "name";
const PARTITION: &str = "partition";

fn shared<'a>(
    before: &'a BTreeMap<String, String>,
    now: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = (&'a String, &'a String, &'a String)> {
    before.iter().filter_map(|(kind, before)| Some((kind, before, now.get(kind)?)))
}

impl SystemDirs<'static> {
    fn here() -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        let boot = boot.map(|boot| boot.trim().to_owned());
        Self { sys: Path::new("/sys"), udev: Path::new("/run/udev/data"), boot }
    }
}

impl SystemDirs<'_> {
    fn folder(&self, rdev: u64) -> PathBuf {
        self.sys.join("dev/block").join(format!("{}:{}", major(rdev), minor(rdev)))
    }

    fn identity(&self, rdev: u64) -> DeviceIdentity {
        let folder = self.folder(rdev);
        let partition = text(&folder.join("partition"));
        // The folder of a partition is in that of its disk, which the link leads to.
        let disk = match &partition {
            Some(_) => fs::canonicalize(&folder).ok().and_then(|folder| folder.parent().map(Path::to_owned)),
            None => Some(folder.clone()),
        };
        let disk = disk.unwrap_or_else(|| folder.clone());
        let of_disk = self.udev_of(&disk);
        let known = NAMES.iter().filter_map(|(place, kind)| Some((kind, text(&disk.join(place))?)));
        let mut names = unique(known);
        if names.is_empty() {
            // Only then: udev may format serial numbers differently after an upgrade.
            names =
                unique(UDEV_NAMES.iter().filter_map(|(key, kind)| Some((kind, of_disk.get(*key)?.clone()))));
        }
        names.extend(self.rbd(&disk).map(|image| ("rbd image".to_owned(), image)));
        names.extend(of_disk.get(ZVOL).map(|name| ("zvol".to_owned(), name.clone())));
        let uuid = || self.udev_of(&folder).get("ID_PART_ENTRY_UUID").cloned();
        let placement = partition.map(|number| {
            let start = text(&folder.join("start")).map(|start| ("start".to_owned(), start));
            let uuid = uuid().map(|uuid| ("partition uuid".to_owned(), uuid));
            [(PARTITION.to_owned(), number)].into_iter().chain(start).chain(uuid).collect()
        });
        let instance =
            self.boot.clone().zip(text(&disk.join("diskseq"))).map(|(boot, sequence)| DeviceInstance {
                boot,
                sequence,
                node: (major(rdev), minor(rdev)),
                connection: text(&disk.join("pid")),
            });
        DeviceIdentity { names, placement: placement.unwrap_or_default(), instance }
    }

    /// Returns udev's data on the device of a folder: properties, and the name of a zvol.
    fn udev_of(&self, folder: &Path) -> BTreeMap<String, String> {
        let Some(number) = text(&folder.join("dev")) else { return BTreeMap::new() };
        let kept = fs::read_to_string(self.udev.join(format!("b{number}"))).unwrap_or_default();
        let property = |line: &str| {
            if let Some(zvol) = line.strip_prefix("S:zvol/") {
                return Some((ZVOL.to_owned(), zvol.to_owned()));
            }
            let (key, value) = line.strip_prefix("E:")?.split_once('=')?;
            Some((key.to_owned(), value.trim().to_owned()))
        };
        kept.lines().filter_map(property).collect()
    }

    /// Returns the image of a device of rbd, as a unique text.
    fn rbd(&self, disk: &Path) -> Option<String> {
        let disk = fs::canonicalize(disk).ok()?;
        let number = disk.file_name()?.to_str()?.strip_prefix("rbd")?.to_owned();
        let folder = self.sys.join("bus/rbd/devices").join(number);
        let words: Option<Vec<String>> = RBD.iter().map(|name| text(&folder.join(name))).collect();
        Some(words?.join(" "))
    }

    fn find(&self, wanted: &DeviceIdentity) -> Option<PathBuf> {
        let devices = fs::read_dir(self.sys.join("class/block")).ok()?;
        devices.flatten().find_map(|device| {
            let number = text(&device.path().join("dev"))?;
            let (major, minor) = number.split_once(':')?;
            let rdev = nix::sys::stat::makedev(major.parse().ok()?, minor.parse().ok()?);
            let found = self.identity(rdev);
            let is_named = shared(&wanted.names, &found.names).next().is_some();
            let is_it = is_named && wanted.compare(&found) == SameDevice::Yes;
            is_it.then(|| Path::new("/dev").join(device.file_name()))
        })
    }
}

/// The key of the name of a zvol, which is from its link and not a property of udev.
const ZVOL: &str = " zvol";

fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the first unique name of each kind.
fn unique<'a>(found: impl Iterator<Item = (&'a &'static str, String)>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (kind, name) in found.filter(|(_, name)| is_unique(name)) {
        names.entry((*kind).to_owned()).or_insert(name);
    }
    names
}

/// Returns false for names that many devices have: zeroes, and those that QEMU numbers its disks with.
fn is_unique(name: &str) -> bool {
    let last = name.rsplit([' ', '_', '.']).next().unwrap_or(name);
    let counted = last.strip_prefix("QM0").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let digits = name.trim_start_matches("eui.").trim_start_matches("0x");
    !counted && digits.bytes().any(|byte| byte.is_ascii_alphanumeric() && byte != b'0')
}

/// The kernel's `loop_info64`.
#[repr(C)]
struct LoopStatus {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    numbers: [u32; 4],
    names: [u8; 64 + 64 + 32],
    init: [u64; 2],
}

nix::ioctl_read_bad!(loop_get_status, 0x4C05, LoopStatus);

/// Returns the status of a loop device; none for other devices.
fn loop_status(file: &File) -> Option<LoopStatus> {
    // SAFETY: plain numbers, for which zero is a value.
    let mut status: LoopStatus = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel stores one such structure in `status`; other devices do not know the request.
    unsafe { loop_get_status(file.as_raw_fd(), &raw mut status) }.ok()?;
    Some(status)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use base::testing::TempDir;

    use super::*;

    /// A simulated system, as files.
    struct FakeSystem(TempDir);

    impl FakeSystem {
        fn new() -> Self {
            let fake = Self(TempDir::new());
            for folder in ["sys/dev/block", "sys/class/block", "udev", "sys/bus/rbd/devices"] {
                fs::create_dir_all(fake.path(folder)).expect("the folder is ours");
            }
            fake
        }

        fn path(&self, place: &str) -> PathBuf {
            self.0.path().join(place)
        }

        fn write(&self, place: &str, text: &str) {
            let path = self.path(place);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the folder is ours");
            fs::write(path, format!("{text}\n")).expect("the folder is ours");
        }

        /// Adds a disk or, as `vda/vda1`, a partition.
        fn device(&self, place: &str, number: (u64, u64), files: &[(&str, &str)]) -> u64 {
            let dev = format!("{}:{}", number.0, number.1);
            let folder = format!("sys/devices/{place}");
            self.write(&format!("{folder}/dev"), &dev);
            for (name, text) in files {
                self.write(&format!("{folder}/{name}"), text);
            }
            let name = place.rsplit('/').next().expect("there is one");
            let link = |at: String| {
                drop(fs::remove_file(self.path(&at)));
                symlink(self.path(&folder), self.path(&at)).expect("the folder is ours");
            };
            link(format!("sys/dev/block/{dev}"));
            link(format!("sys/class/block/{name}"));
            nix::sys::stat::makedev(number.0, number.1)
        }

        fn with_system<T>(&self, boot: &str, look: impl FnOnce(SystemDirs<'_>) -> T) -> T {
            let (sys, udev) = (self.path("sys"), self.path("udev"));
            look(SystemDirs { sys: &sys, udev: &udev, boot: Some(boot.to_owned()) })
        }

        fn identity(&self, boot: &str, rdev: u64) -> DeviceIdentity {
            self.with_system(boot, |system| system.identity(rdev))
        }
    }

    fn is_other(same: &SameDevice, reason: &str) -> bool {
        matches!(same, SameDevice::No(why) if why.contains(reason))
    }

    #[test]
    fn two_disks_that_change_names_over_a_reboot_are_told_by_their_serial_numbers() {
        let host = FakeSystem::new();
        let b = host.device("vdb", (253, 16), &[("serial", "A"), ("diskseq", "3")]);
        let before = host.identity("one", b);
        host.device("vdb", (253, 16), &[("serial", "C"), ("diskseq", "3")]);
        host.device("vdc", (253, 32), &[("serial", "A"), ("diskseq", "4")]);
        let same = before.compare(&host.identity("two", b));
        assert!(is_other(&same, "serial number was A, and is C"), "{same:?}");
        assert_eq!(host.with_system("two", |system| system.find(&before)), Some("/dev/vdc".into()));
    }

    #[test]
    fn a_disk_without_a_name_is_the_same_only_within_a_boot_and_until_it_is_attached_again() {
        let host = FakeSystem::new();
        let files = |sequence| [("diskseq", sequence), ("serial", "")];
        let b = host.device("vdb", (253, 16), &files("3"));
        let before = host.identity("one", b);
        assert_eq!(before.compare(&host.identity("one", b)), SameDevice::Yes);
        assert_eq!(before.compare(&host.identity("two", b)), SameDevice::Unknown, "after a reboot");
        host.device("vdb", (253, 16), &files("4"));
        assert_eq!(before.compare(&host.identity("one", b)), SameDevice::Unknown, "it was unplugged");
        assert_eq!(host.with_system("one", |system| system.find(&before)), None);
        let nothing = DeviceIdentity::default();
        assert_eq!(nothing.compare(&nothing), SameDevice::Unknown, "an old kernel, or no sysfs");
    }

    #[test]
    fn a_network_device_that_is_connected_to_another_server_is_not_the_same() {
        let host = FakeSystem::new();
        let nbd = host.device("nbd0", (43, 0), &[("diskseq", "9"), ("pid", "100")]);
        let before = host.identity("one", nbd);
        host.device("nbd0", (43, 0), &[("pid", "200")]);
        assert_eq!(before.compare(&host.identity("one", nbd)), SameDevice::Unknown);
    }

    #[test]
    fn a_partition_is_that_of_its_disk_where_it_begins() {
        let host = FakeSystem::new();
        let disk = |serial| host.device("sda", (8, 0), &[("device/serial", serial), ("diskseq", "1")]);
        disk("S1");
        let part = |start| host.device("sda/sda2", (8, 2), &[("partition", "2"), ("start", start)]);
        let rdev = part("2048");
        host.write("udev/b8:2", "E:ID_PART_ENTRY_UUID=1111");
        let before = host.identity("one", rdev);
        assert_eq!(before.compare(&host.identity("two", rdev)), SameDevice::Yes);
        part("4096");
        assert!(is_other(&before.compare(&host.identity("one", rdev)), "start was 2048"));
        part("2048");
        host.write("udev/b8:2", "E:ID_PART_ENTRY_UUID=2222");
        assert!(is_other(&before.compare(&host.identity("one", rdev)), "partition uuid"));
        disk("S2");
        assert!(is_other(&before.compare(&host.identity("one", rdev)), "serial number"));
    }

    #[test]
    fn what_udev_rbd_dm_and_md_know_of_a_device_is_its_identity() {
        let host = FakeSystem::new();
        let md = host.device("md0", (9, 0), &[]);
        host.write("udev/b9:0", "S:md/x\nE:MD_UUID=aa:bb\nE:ID_FS_UUID=changes");
        let zd = host.device("zd0", (230, 0), &[]);
        host.write("udev/b230:0", "S:zvol/tank/vm1\nE:DEVNAME=/dev/zd0");
        let rbd = host.device("rbd3", (252, 48), &[]);
        for (name, text) in
            [("cluster_fsid", "f"), ("pool_id", "2"), ("image_id", "9a"), ("current_snap", "-")]
        {
            host.write(&format!("sys/bus/rbd/devices/3/{name}"), text);
        }
        let dm = host.device("dm-0", (254, 0), &[("dm/uuid", "LVM-xyz")]);
        for (rdev, kind, name) in [
            (md, "md uuid", "aa:bb"),
            (zd, "zvol", "tank/vm1"),
            (rbd, "rbd image", "f 2 9a -"),
            (dm, "dm uuid", "LVM-xyz"),
        ] {
            let identity = host.identity("one", rdev);
            assert_eq!(identity.names, BTreeMap::from([(kind.to_owned(), name.to_owned())]));
            assert_eq!(identity.compare(&host.identity("two", rdev)), SameDevice::Yes);
        }
    }

    #[test]
    fn a_name_that_many_devices_have_proves_nothing() {
        for name in ["0", "00000000-0000", "QM00001", "QEMU_HARDDISK_QM00003", "eui.0000000000000000", "-"] {
            assert!(!is_unique(name), "{name}");
        }
        for name in ["A", "QM-lab-7", "naa.5000c500a1b2c3d4", "QEMU_HARDDISK_root", "3"] {
            assert!(is_unique(name), "{name}");
        }
    }

    #[test]
    fn the_name_that_an_earlier_version_remembered_counts_as_before() {
        let host = FakeSystem::new();
        let rdev = host.device("sda", (8, 0), &[("wwid", "naa.5"), ("diskseq", "1")]);
        host.device("sda/sda2", (8, 2), &[("partition", "2")]);
        let (disk, part) = (host.identity("one", rdev), host.identity("one", nix::sys::stat::makedev(8, 2)));
        assert_eq!(DeviceIdentity::from_earlier("naa.5").compare(&disk), SameDevice::Yes);
        assert_eq!(DeviceIdentity::from_earlier("naa.5 2").compare(&part), SameDevice::Yes);
        for (name, now) in [("naa.6", &disk), ("naa.5 2", &disk), ("naa.5", &part)] {
            assert_eq!(DeviceIdentity::from_earlier(name).compare(now), SameDevice::Unknown, "{name}");
        }
    }
}
