//! Storage below a file system without a device number of its own: one in memory, btrfs, an overlay, ZFS, or a server's.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use base::mounts::{Mount, unescaped};

use super::{Leaf, MEMORY, descend, leaves_of};

/// File of the kernel that lists mounts.
const MOUNTS: &str = "/proc/self/mountinfo";

/// Returns the lowest layers below the file system of a path.
///
/// # Errors
/// Reason why they are not known.
pub(super) fn leaves(sysfs: &Path, path: &Path, layer: usize) -> Result<BTreeSet<Leaf>, String> {
    let unknown = || "its file system is on no device of its own, or does not say on which".to_owned();
    let real = path.canonicalize().map_err(|error| format!("it cannot be checked: {error}"))?;
    let text = fs::read_to_string(MOUNTS).map_err(|error| format!("{MOUNTS} cannot be read: {error}"))?;
    let Mount { kind, source, options, .. } = mount_of(&text, &real).ok_or_else(unknown)?;
    let name = source.to_string_lossy();
    let one = |name: String| Ok(BTreeSet::from([Leaf::Other(name)]));
    match kind.as_str() {
        "tmpfs" | "ramfs" | "devtmpfs" => one(MEMORY.to_owned()),
        "btrfs" => btrfs(sysfs, &source, layer),
        "overlay" => {
            let upper = options.split(',').find_map(|option| option.strip_prefix("upperdir="));
            leaves_of(sysfs, &unescaped(upper.ok_or_else(unknown)?), layer + 1)
        }
        "zfs" => one(format!("ZFS pool {}", name.split('/').next().unwrap_or_default())),
        _ if name.contains(':') || name.starts_with("//") => one(format!("server {name}")),
        _ => Err(unknown()),
    }
}

/// Returns all devices of a btrfs; a mount names only one.
fn btrfs(sysfs: &Path, source: &Path, layer: usize) -> Result<BTreeSet<Leaf>, String> {
    let real = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let name = real.file_name().unwrap_or_default();
    let file_systems = fs::read_dir(sysfs.join("fs/btrfs")).into_iter().flatten().flatten();
    let devices = file_systems.map(|entry| entry.path().join("devices")).find(|all| all.join(name).exists());
    let Some(devices) = devices else { return leaves_of(sysfs, source, layer + 1) };
    let mut leaves = BTreeSet::new();
    for device in fs::read_dir(devices).into_iter().flatten().flatten() {
        let folder =
            device.path().canonicalize().map_err(|error| format!("its devices are not known: {error}"))?;
        descend(sysfs, &folder, layer + 1, &mut leaves)?;
    }
    Ok(leaves)
}

/// Returns the file system of a path without links: the mount with the longest path, and the last one of several.
fn mount_of(text: &str, path: &Path) -> Option<Mount> {
    let mounts = text.lines().filter_map(Mount::parse).filter(|mount| path.starts_with(&mount.place));
    mounts.max_by_key(|mount| mount.place.components().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
        30 22 0:40 /vol /srv/my\\040flash rw,relatime shared:1 - btrfs /dev/sdb rw,subvol=/vol\n\
        31 22 0:41 / /dev/shm rw - tmpfs tmpfs rw\n\
        32 31 0:42 / /dev/shm/x rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w\n";

    #[test]
    fn the_mount_that_is_furthest_down_is_the_one() {
        let kind = |path: &str| mount_of(TEXT, Path::new(path)).map(|mount| mount.kind);
        assert_eq!(kind("/srv/pool.img").as_deref(), Some("ext4"));
        assert_eq!(kind("/srv/my flash/pool.img").as_deref(), Some("btrfs"));
        assert_eq!(kind("/dev/shmem/p").as_deref(), Some("ext4"));
        assert_eq!(kind("/dev/shm/x/p").as_deref(), Some("overlay"));
        let overlay = mount_of(TEXT, Path::new("/dev/shm/x/p")).expect("it is there");
        assert!(overlay.options.contains("upperdir=/u"), "{overlay:?}");
    }

    #[test]
    fn two_files_in_memory_are_on_one_memory() {
        let part = |name: &str| {
            let path = Path::new("/dev/shm").join(format!("forebay-{name}-{}", std::process::id()));
            fs::write(&path, "x").expect("it is for everybody");
            let parts = super::super::parts_below(&path);
            fs::remove_file(&path).expect("it is ours");
            parts
        };
        let parts = part("a");
        if parts.as_ref().is_ok_and(|parts| parts.contains(MEMORY)) {
            assert_eq!(parts, part("b"));
        }
    }
}
