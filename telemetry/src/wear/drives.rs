//! Physical drives below a device of the pool: the file system of a file, partitions, loop devices, device-mapper and md are followed down
//! in sysfs.
//!
//! ```text
//!   file ──> device of its file system ──> disk of the partition ──> slaves of dm and md, file of a loop device ──> drives
//! ```
//! May find several (a mirror, a stripe), or none, and then returns the reason. Reads names only: no drive is opened or queried.

mod mounts;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use base::sysfs::{self, LAYERS_MAX, LowerLayer, lower_layers};
use block::SECTOR;
use nix::sys::stat::{major, minor};

/// Folder in which the kernel lists devices and those below them.
const SYSFS: &str = "/sys";
/// Name for the storage of a file system in memory.
const MEMORY: &str = "the memory of this host";

/// Physical drive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drive {
    /// The kernel's name: `nvme0n1`.
    pub name: String,
    /// Size in bytes; none if the kernel does not have it.
    pub size_bytes: Option<u64>,
}

/// Returns the drives below a file or block device. Waits for its file system.
///
/// # Errors
/// Reason why none is known, for people.
pub fn below(path: &Path) -> Result<Vec<Drive>, String> {
    drives_of(leaves_of(Path::new(SYSFS), path, 0)?)
}

/// Returns the names of everything that a file or block device depends on: drives, and other storage, as the memory of the host or a
/// server. Two devices without a common name fail independently. Waits for its file system.
///
/// # Errors
/// Reason why that is not known, for people.
pub fn parts_below(path: &Path) -> Result<BTreeSet<String>, String> {
    let leaves = leaves_of(Path::new(SYSFS), path, 0)?;
    Ok(leaves
        .into_iter()
        .map(|leaf| match leaf {
            Leaf::Drive(drive) => unit_of(&drive.name).to_owned(),
            Leaf::Other(name) => name,
        })
        .collect())
}

/// Returns the name of the drive without that of an `NVMe` namespace: all namespaces of `nvme0` fail with it.
fn unit_of(drive: &str) -> &str {
    let namespace = drive.rsplit_once('n').filter(|_| drive.starts_with("nvme"));
    namespace.map_or(drive, |(unit, _)| unit)
}

/// Lowest layer below a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leaf {
    Drive(Drive),
    /// Other storage, by name.
    Other(String),
}

fn drives_of(leaves: BTreeSet<Leaf>) -> Result<Vec<Drive>, String> {
    leaves
        .into_iter()
        .map(|leaf| match leaf {
            Leaf::Drive(drive) => Ok(drive),
            Leaf::Other(name) => Err(format!("it is on {name}, below which the kernel names no drive")),
        })
        .collect()
}

/// Returns the drives below a device number.
#[cfg(test)]
fn below_number(sysfs: &Path, major: u32, minor: u32) -> Result<Vec<Drive>, String> {
    let mut leaves = BTreeSet::new();
    descend(
        sysfs,
        &folder_of(sysfs, nix::sys::stat::makedev(u64::from(major), u64::from(minor)))?,
        0,
        &mut leaves,
    )?;
    drives_of(leaves)
}

fn leaves_of(sysfs: &Path, path: &Path, layer: usize) -> Result<BTreeSet<Leaf>, String> {
    let metadata = fs::metadata(path).map_err(|error| format!("it cannot be checked: {error}"))?;
    let device = if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    if major(device) == 0 {
        return mounts::leaves(sysfs, path, layer);
    }
    let mut leaves = BTreeSet::new();
    descend(sysfs, &folder_of(sysfs, device)?, layer, &mut leaves)?;
    Ok(leaves)
}

/// Returns the folder of a device in sysfs.
fn folder_of(sysfs: &Path, rdev: u64) -> Result<PathBuf, String> {
    let link = sysfs::folder_of(sysfs, rdev);
    link.canonicalize().map_err(|error| {
        let (major, minor) = (major(rdev), minor(rdev));
        format!("the kernel does not say what device {major}:{minor} is ({}: {error})", link.display())
    })
}

/// Collects the lowest layers below a device's folder in sysfs.
fn descend(sysfs: &Path, device: &Path, layer: usize, leaves: &mut BTreeSet<Leaf>) -> Result<(), String> {
    let name = device.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if layer > LAYERS_MAX {
        return Err(format!("there are more than {LAYERS_MAX} layers below it"));
    }
    let lower = lower_layers(device);
    for lower in &lower {
        match lower {
            LowerLayer::Disk { folder, .. } | LowerLayer::Member { folder } => {
                descend(sysfs, folder, layer + 1, leaves)?;
            }
            LowerLayer::File { path, .. } => leaves.extend(leaves_of(sysfs, path, layer + 1)?),
        }
    }
    if !lower.is_empty() {
        return Ok(());
    }
    // A device made of software has no link to hardware.
    if device.join("device").exists() {
        leaves.insert(Leaf::Drive(Drive { size_bytes: size_of(device), name }));
    } else if name.starts_with("zram") || name.starts_with("ram") {
        leaves.insert(Leaf::Other(MEMORY.to_owned()));
    } else {
        leaves.insert(Leaf::Other(name));
    }
    Ok(())
}

fn size_of(device: &Path) -> Option<u64> {
    let text = fs::read_to_string(device.join("size")).ok()?;
    text.trim().parse::<u64>().ok()?.checked_mul(SECTOR).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use base::testing::TempDir;

    use super::*;

    /// Fake sysfs.
    struct Sysfs(TempDir);

    impl Sysfs {
        fn new() -> Self {
            let dir = TempDir::new();
            fs::create_dir_all(dir.path().join("dev/block")).expect("the folder is ours");
            Self(dir)
        }

        /// Adds a block device with a number, in the folder `at` of all devices.
        fn device(&self, at: &str, number: &str) -> PathBuf {
            let folder = self.0.path().join("devices").join(at);
            fs::create_dir_all(folder.join("slaves")).expect("the folder is ours");
            symlink(&folder, self.0.path().join("dev/block").join(number)).expect("the folder is ours");
            folder
        }

        fn drive(&self, at: &str, number: &str, sectors: &str) -> PathBuf {
            let folder = self.device(at, number);
            fs::create_dir(folder.join("device")).expect("the folder is ours");
            fs::write(folder.join("size"), sectors).expect("the folder is ours");
            folder
        }

        fn partition(&self, at: &str, number: &str) -> PathBuf {
            let folder = self.device(at, number);
            fs::write(folder.join("partition"), "1\n").expect("the folder is ours");
            folder
        }

        fn names(&self, major: u32, minor: u32) -> Result<Vec<String>, String> {
            let drives = below_number(self.0.path(), major, minor)?;
            Ok(drives.into_iter().map(|drive| drive.name).collect())
        }
    }

    fn put_below(upper: &Path, lower: &Path) {
        let name = lower.file_name().expect("a device has a name");
        symlink(lower, upper.join("slaves").join(name)).expect("the folder is ours");
    }

    #[test]
    fn a_drive_and_its_partition_are_the_drive() {
        let sysfs = Sysfs::new();
        sysfs.drive("pci/nvme0n1", "259:0", "2000\n");
        sysfs.partition("pci/nvme0n1/nvme0n1p1", "259:1");
        for minor in [0, 1] {
            let drive = Drive { name: "nvme0n1".to_owned(), size_bytes: Some(1_024_000) };
            assert_eq!(below_number(sysfs.0.path(), 259, minor), Ok(vec![drive]));
        }
    }

    #[test]
    fn what_is_made_of_partitions_of_drives_is_on_all_of_them_each_named_once() {
        let sysfs = Sysfs::new();
        sysfs.drive("pci/sda", "8:0", "nonsense");
        sysfs.drive("pci/sdb", "8:16", "0");
        let parts = ["sda/sda1", "sda/sda2", "sdb/sdb1"];
        let parts = parts.map(|at| sysfs.partition(&format!("pci/{at}"), &at.replace('/', "-")));
        let mirror = sysfs.device("virtual/md0", "9:0");
        let volume = sysfs.device("virtual/dm-3", "254:3");
        for part in &parts {
            put_below(&mirror, part);
        }
        put_below(&volume, &mirror);
        assert_eq!(sysfs.names(254, 3), Ok(vec!["sda".to_owned(), "sdb".to_owned()]));
        let sizes = below_number(sysfs.0.path(), 254, 3).expect("they are there");
        assert!(sizes.iter().all(|drive| drive.size_bytes.is_none()), "{sizes:?}");
    }

    #[test]
    fn namespaces_of_one_nvme_drive_are_one_drive_to_fail() {
        assert_eq!(
            (unit_of("nvme0n1"), unit_of("nvme0n2"), unit_of("nvme10n1")),
            ("nvme0", "nvme0", "nvme10")
        );
        assert_eq!((unit_of("sda"), unit_of("vdan")), ("sda", "vdan"));
    }

    #[test]
    fn what_has_no_drive_below_it_says_why() {
        let sysfs = Sysfs::new();
        let looped = sysfs.device("virtual/loop0", "7:0");
        assert!(sysfs.names(7, 0).unwrap_err().contains("loop0"));
        assert!(sysfs.names(1, 2).unwrap_err().contains("1:2"));
        let ring = sysfs.device("virtual/dm-0", "254:0");
        put_below(&ring, &ring);
        assert!(sysfs.names(254, 0).unwrap_err().contains("layers"));
        let mixed = sysfs.device("virtual/dm-1", "254:1");
        put_below(&mixed, &sysfs.drive("pci/sda", "8:0", "9"));
        put_below(&mixed, &looped);
        assert!(sysfs.names(254, 1).unwrap_err().contains("loop0"), "half an answer is none");
        assert!(below(Path::new("/nowhere/pool.img")).unwrap_err().contains("cannot be checked"));
        assert!(below(Path::new("/proc/version")).unwrap_err().contains("file system"));
    }
}
