//! Layers of block devices, as the kernel describes them in sysfs.
//!
//! ```text
//!   partition ──> its disk       loop device ──> its file       device-mapper, md ──> the devices that they are made of
//! ```
//! Reads names and numbers only: no device is opened. A part that cannot be read is left out.

use std::fs;
use std::path::{Path, PathBuf};

/// Unit of lengths in sysfs, in bytes, whatever the sector of a device.
const SECTOR: u64 = 512;
/// Maximum number of layers that a walk follows down; a device that names itself as its own part ends there.
pub const LAYERS_MAX: usize = 16;

/// Layer directly below a block device. Lengths are `u64::MAX` where the kernel names none.
#[derive(Debug, PartialEq, Eq)]
pub enum LowerLayer {
    /// Disk of a partition, by its folder, and the bytes of the disk that the partition has.
    Disk {
        /// Folder of the disk in sysfs.
        folder: PathBuf,
        /// Offset of the partition on the disk, in bytes.
        start: u64,
        /// Length of the partition, in bytes.
        length: u64,
    },
    /// File of a loop device, by the path that the kernel remembers, and the bytes of the file that the device shows.
    File {
        /// Path of the file, as the kernel remembers it.
        path: PathBuf,
        /// Offset of the device in the file, in bytes.
        start: u64,
        /// Length of the device, in bytes.
        length: u64,
    },
    /// Device that a volume or an array is made of, by its folder.
    Member {
        /// Folder of the device in sysfs.
        folder: PathBuf,
    },
}

/// Returns the folder of a device, a symbolic link, below the root of sysfs.
pub fn folder_of(sysfs: &Path, rdev: u64) -> PathBuf {
    sysfs.join(format!("dev/block/{}:{}", libc::major(rdev), libc::minor(rdev)))
}

/// Returns the layers directly below the device of a folder in sysfs; none for a drive.
pub fn lower_layers(folder: &Path) -> Vec<LowerLayer> {
    let number = |name: &str| read(&folder.join(name)).and_then(|text| text.parse::<u64>().ok());
    if folder.join("partition").exists() {
        let disk = folder.canonicalize().ok().and_then(|real| Some(real.parent()?.to_owned()));
        let bytes = |sectors: u64| sectors.saturating_mul(SECTOR);
        let (start, length) = (number("start").map_or(0, bytes), number("size").map_or(u64::MAX, bytes));
        return disk.map(|folder| LowerLayer::Disk { folder, start, length }).into_iter().collect();
    }
    let file = read(&folder.join("loop/backing_file")).map(|path| LowerLayer::File {
        path: path.into(),
        start: number("loop/offset").unwrap_or(0),
        length: number("loop/sizelimit").filter(|limit| *limit > 0).unwrap_or(u64::MAX),
    });
    let members = entries(&folder.join("slaves")).into_iter();
    let members = members.filter_map(|entry| Some(LowerLayer::Member { folder: entry.canonicalize().ok()? }));
    file.into_iter().chain(members).collect()
}

/// Returns the content of a file of one line.
pub fn read(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim_end_matches('\n').to_owned())
}

/// Returns the paths in a folder; none if it cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map(|found| found.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn each_kind_of_device_names_what_is_directly_below_it_and_a_drive_names_nothing() {
        let dir = TempDir::new();
        let path = |name: &str| dir.path().canonicalize().expect("the folder is ours").join(name);
        let write = |name: &str, text: &str| {
            fs::create_dir_all(path(name).parent().expect("it has one")).expect("the folder is ours");
            fs::write(path(name), text).expect("the folder is ours");
        };
        write("sda/size", "100\n");
        write("sda/sda1/partition", "1\n");
        write("sda/sda1/start", "8\n");
        write("sda/sda1/size", "nonsense\n");
        write("loop0/loop/backing_file", "/srv/a b.img\n");
        write("loop0/loop/offset", "4096\n");
        write("loop0/loop/sizelimit", "0\n");
        fs::create_dir_all(path("dm-0/slaves")).expect("the folder is ours");
        symlink(path("sda/sda1"), path("dm-0/slaves/sda1")).expect("the folder is ours");
        assert_eq!(lower_layers(&path("sda")), []);
        assert_eq!(
            lower_layers(&path("sda/sda1")),
            [LowerLayer::Disk { folder: path("sda"), start: 8 * SECTOR, length: u64::MAX }]
        );
        let file = LowerLayer::File { path: "/srv/a b.img".into(), start: 4096, length: u64::MAX };
        assert_eq!(lower_layers(&path("loop0")), [file]);
        assert_eq!(lower_layers(&path("dm-0")), [LowerLayer::Member { folder: path("sda/sda1") }]);
    }
}
