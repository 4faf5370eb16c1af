//! Ability of a file or block device to deallocate storage, according to the kernel.
//!
//! Nothing is tried out: on many file systems that counts as a modification, and the file may belong to another program.

use std::fs;
use std::path::{Path, PathBuf};

/// Folder in which the kernel describes block devices by their numbers.
const BLOCK_DEVICES: &str = "/sys/dev/block";
/// Limit of levels: the queues of volumes lie on those of other devices, but hardly ever as deep.
const LEVELS_MAX: u32 = 16;
/// Modes in which the kernel zeroes a SCSI disk by writing, also where it may unmap (linux/drivers/scsi/sd.c, `zeroing_mode`).
const WRITING_MODES: [&str; 2] = ["write", "writesame"];

/// Ability of storage to be given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reclaiming {
    /// Storage that is given back reads as zeroes.
    pub(super) unmaps: bool,
    /// Storage is given back.
    pub(super) discards: bool,
}

impl Reclaiming {
    pub(super) const NONE: Self = Self { unmaps: false, discards: false };

    /// Of a file, until it turns out that it cannot.
    pub(super) const FILE: Self = Self { unmaps: true, discards: true };

    /// Returns that of the block device with these numbers.
    pub(super) fn of_device(rdev: u64) -> Self {
        let numbers = format!("{}:{}", libc::major(rdev), libc::minor(rdev));
        Self::described_in(&Path::new(BLOCK_DEVICES).join(numbers))
    }

    /// Returns that of the block device which this folder of sysfs describes. A device that makes zeroes and discards nothing would write
    /// them, for as long as that takes: it gives nothing back. One that discards, and makes zeroes by writing them, takes storage for
    /// them: zeroes give nothing back there.
    fn described_in(folder: &Path) -> Self {
        let Some(disk) = disk_of(folder) else { return Self::NONE };
        let limit = |name: &str| -> u64 {
            let text = fs::read_to_string(disk.join("queue").join(name)).ok();
            text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
        };
        let discards = limit("discard_max_bytes") > 0;
        let unmaps = discards && limit("write_zeroes_max_bytes") > 0 && !zeroes_by_writing(&disk, LEVELS_MAX);
        Self { unmaps, discards }
    }
}

/// Returns the folder of the disk that a device or partition belongs to: only disks have queues.
fn disk_of(folder: &Path) -> Option<PathBuf> {
    [folder.to_owned(), folder.join("..")].into_iter().find(|disk| disk.join("queue").is_dir())
}

/// Returns true if zeroes are written on this disk, or on one that it lies on.
fn zeroes_by_writing(disk: &Path, levels: u32) -> bool {
    let entries =
        |name: &str| fs::read_dir(disk.join(name)).into_iter().flatten().flatten().map(|entry| entry.path());
    let writes = entries("device/scsi_disk").any(|about| {
        fs::read_to_string(about.join("zeroing_mode")).is_ok_and(|mode| WRITING_MODES.contains(&mode.trim()))
    });
    let is_below = |below: PathBuf| {
        levels > 0 && disk_of(&below).is_some_and(|disk| zeroes_by_writing(&disk, levels - 1))
    };
    writes || entries("slaves").any(is_below)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::file::tests::Folder;

    fn describe(disk: &Path, discard: &str, zeroes: &str) {
        fs::create_dir_all(disk.join("queue")).expect("a new folder");
        fs::write(disk.join("queue/discard_max_bytes"), discard).expect("a new file");
        fs::write(disk.join("queue/write_zeroes_max_bytes"), zeroes).expect("a new file");
    }

    #[test]
    fn a_device_gives_back_what_its_queue_says() {
        let folder = Folder::new();
        let of = |name: &str, discard, zeroes| {
            let disk = folder.0.join(name);
            describe(&disk, discard, zeroes);
            fs::create_dir(disk.join("part")).expect("a new folder");
            assert_eq!(
                Reclaiming::described_in(&disk.join("part")),
                Reclaiming::described_in(&disk),
                "{name}"
            );
            Reclaiming::described_in(&disk)
        };
        assert_eq!(of("ssd", "4096\n", "4096\n"), Reclaiming { unmaps: true, discards: true });
        assert_eq!(of("no_zeroes", "4096\n", "0\n"), Reclaiming { unmaps: false, discards: true });
        assert_eq!(of("hard_disk", "0\n", "4096\n"), Reclaiming::NONE);
        assert_eq!(Reclaiming::described_in(&folder.0.join("none")), Reclaiming::NONE);
    }

    #[test]
    fn zeroes_that_the_kernel_writes_to_a_scsi_disk_give_nothing_back_on_a_volume_of_it_either() {
        let folder = Folder::new();
        let (disk, volume) = (folder.0.join("sda"), folder.0.join("dm-0"));
        describe(&disk, "4096\n", "4096\n");
        describe(&volume, "4096\n", "4096\n");
        let about = disk.join("device/scsi_disk/0:0:0:0");
        fs::create_dir_all(&about).expect("a new folder");
        fs::create_dir_all(disk.join("sda1")).expect("a new folder");
        fs::create_dir_all(volume.join("slaves")).expect("a new folder");
        symlink(disk.join("sda1"), volume.join("slaves/sda1")).expect("a new link");
        for (mode, unmaps) in [
            ("writesame", false),
            ("write", false),
            ("writesame_16_unmap", true),
            ("writesame_10_unmap", true),
        ] {
            fs::write(about.join("zeroing_mode"), format!("{mode}\n")).expect("a new file");
            for device in [&disk, &volume] {
                let found = Reclaiming::described_in(device);
                assert_eq!(found, Reclaiming { unmaps, discards: true }, "{mode} on {}", device.display());
            }
        }
    }
}
