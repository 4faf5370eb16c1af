//! Storage below a file or a block device, and its other users on this host.
//!
//! ```text
//!   /dev/loop0p1 ──partition──> /dev/loop0 ──loop──> a.img       /dev/dm-3 ──a part of──> /dev/sda2 ──partition──> /dev/sda
//! ```
//! Two names can mean the same bytes: a loop device and the file below it, a partition and its whole disk, a
//! volume and the device that it is cut from. Locks do not see that, because the kernel keeps one set of
//! locks for each file or node. The kernel describes the stacks below `/sys` and `/proc`; a part that cannot
//! be read is left out. Nothing is changed. A stat of a file below a loop device, or of a swap file, may
//! block on its file system: call this on a thread that may block.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use base::mounts::{Mount, parse_rdev, unescaped};
use base::sysfs::{self, LAYERS_MAX, LowerLayer, entries, lower_layers, read};
use block::file::{Access, Identity, is_locked, loop_file};

use super::probe::Images;

/// Folders in which the kernel describes devices and their uses.
#[derive(Clone, Debug)]
pub(crate) struct KernelFolders {
    pub(crate) sys: PathBuf,
    pub(crate) proc: PathBuf,
    pub(crate) dev: PathBuf,
}

impl Default for KernelFolders {
    fn default() -> Self {
        Self { sys: "/sys".into(), proc: "/proc".into(), dev: "/dev".into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    File { device: u64, inode: u64 },
    Device(u64),
}

/// A device or file of a stack, and the bytes of it that the stack uses.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layer {
    node: Node,
    /// None if it uses an unknown part of them.
    bytes: Option<Range<u64>>,
    /// A path that should lead to it; none for the top of a stack, and if the kernel reports none.
    path: Option<PathBuf>,
}

/// A file or block device with all known layers below it, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StorageStack(Vec<Layer>);

impl StorageStack {
    /// Returns true if a change of one can change the other. Two volumes of one group, or two partitions of
    /// one disk, do not overlap.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meet = |(at, one): (usize, &Layer), (other_at, other): (usize, &Layer)| {
            one.node == other.node
                && match (&one.bytes, &other.bytes) {
                    (Some(one), Some(other)) => one.start < other.end && other.start < one.end,
                    // The stack that has it on top uses all of it.
                    (Some(_), None) => at == 0,
                    (None, Some(_)) => other_at == 0,
                    (None, None) => false,
                }
        };
        self.0.iter().enumerate().any(|one| other.0.iter().enumerate().any(|other| meet(one, other)))
    }

    fn has(&self, node: Node) -> bool {
        self.0.iter().any(|layer| layer.node == node)
    }
}

impl KernelFolders {
    /// Returns the stack of a file or block device.
    pub(crate) fn stack_of(&self, identity: Identity) -> StorageStack {
        let mut layers = Vec::new();
        self.descend(&mut layers, (Node::from_identity(identity), None), Some(&(0..u64::MAX)), 0);
        StorageStack(layers)
    }

    /// Returns another user of the storage of a backing, in words that follow "it ", or none. `access` is the
    /// access that is wanted: a file system that is mounted read-only does not change the storage below it.
    pub(crate) fn user_of(&self, identity: Identity, access: Access, images: Images) -> Option<String> {
        let wanted = self.stack_of(identity);
        self.swap_on(&wanted)
            .or_else(|| self.mount_on(&wanted, access))
            .or_else(|| self.volume_on(&wanted))
            .or_else(|| self.holder_on(&wanted, access))
            .or_else(|| if images == Images::Refused { self.loop_device_on(&wanted) } else { None })
    }

    /// Returns the holder of a lock on the storage under another name, in words that follow "it ", or none:
    /// the kernel keeps one set of locks for each file or node, so the lock on this one does not cover the
    /// others. If two lock first and ask then, at least one finds the other.
    pub(crate) fn holder_of(&self, identity: Identity, access: Access) -> Option<String> {
        self.holder_on(&self.stack_of(identity), access)
    }

    /// Returns the reason for which the content of a device is lost with the host, if it is in memory.
    pub(crate) fn memory_device(&self, identity: Identity) -> Option<String> {
        let name = self.name_of(identity.rdev).filter(|_| identity.rdev != 0)?;
        ["ram", "zram"]
            .iter()
            .any(|kind| name.strip_prefix(kind).is_some_and(|rest| rest.parse::<u32>().is_ok()))
            .then(|| format!("/dev/{name} is memory of this host"))
    }

    fn descend(
        &self,
        layers: &mut Vec<Layer>,
        (node, path): (Node, Option<PathBuf>),
        bytes: Option<&Range<u64>>,
        depth: usize,
    ) {
        layers.push(Layer { node, bytes: bytes.cloned(), path });
        let Node::Device(rdev) = node else { return };
        if depth == LAYERS_MAX {
            return;
        }
        let folder = self.folder_of(rdev);
        for lower in lower_layers(&folder) {
            let (below, part) = match lower {
                LowerLayer::Disk { folder, start, length } => {
                    (self.node_at(&folder), shifted(bytes, start, length))
                }
                LowerLayer::File { path, start, length } => {
                    (self.file_below(&folder, path), shifted(bytes, start, length))
                }
                LowerLayer::Member { folder } => (self.node_at(&folder), None),
            };
            if let Some(below) = below {
                self.descend(layers, below, part.as_ref(), depth + 1);
            }
        }
    }

    /// Returns the device of a folder in sysfs.
    fn node_at(&self, folder: &Path) -> Option<(Node, Option<PathBuf>)> {
        Some(self.named(parse_rdev(&read(&folder.join("dev"))?)?))
    }

    /// Returns the file below the loop device of a folder. The path is from the kernel, and may lead to
    /// another file here.
    fn file_below(&self, folder: &Path, path: PathBuf) -> Option<(Node, Option<PathBuf>)> {
        let name = folder.canonicalize().ok()?.file_name()?.to_owned();
        // The loop device identifies its file whatever the path means here. Without permission to open the
        // device, only the path is left.
        let file = loop_file(&self.dev.join(name)).or_else(|| Identity::of(&path).ok())?;
        Some((Node::from_identity(file), Some(path)))
    }

    fn named(&self, rdev: u64) -> (Node, Option<PathBuf>) {
        (Node::Device(rdev), self.name_of(rdev).map(|name| self.dev.join(name.replace('!', "/"))))
    }

    fn swap_on(&self, wanted: &StorageStack) -> Option<String> {
        let used = |path: &PathBuf| {
            Identity::of(path).is_ok_and(|identity| self.stack_of(identity).overlaps(wanted))
        };
        let path = self.swap_spaces().into_iter().find(used)?;
        Some(format!("is in use as swap space ({}): swapoff it first", path.display()))
    }

    /// Returns the path of swap space on a block device, on a part or a volume of it, or in a file of a file
    /// system there.
    pub(crate) fn swap_needing(&self, rdev: u64) -> Option<PathBuf> {
        let wanted = self.stack_of(device(rdev));
        let needs = |path: &PathBuf| {
            Identity::of(path).is_ok_and(|identity| {
                let below = if identity.rdev == 0 { device(identity.device) } else { identity };
                self.stack_of(below).overlaps(&wanted)
            })
        };
        self.swap_spaces().into_iter().find(needs)
    }

    fn swap_spaces(&self) -> Vec<PathBuf> {
        let swaps = fs::read_to_string(self.proc.join("swaps")).unwrap_or_default();
        swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(unescaped).collect()
    }

    /// Returns mount points of file systems on a device, the last mount first: the order in which they can be
    /// unmounted.
    pub(crate) fn mount_points_on(&self, identity: Identity) -> Vec<PathBuf> {
        let wanted = self.stack_of(identity);
        let mut mounts = self.mounts_on(&wanted);
        mounts.reverse();
        mounts.into_iter().map(|mount| mount.place).collect()
    }

    fn mounts_on(&self, wanted: &StorageStack) -> Vec<Mount> {
        let mounts = fs::read_to_string(self.proc.join("self/mountinfo")).unwrap_or_default();
        let is_on_it = |mount: &Mount| {
            let mut devices = [mount.device, source_device(mount)].into_iter().flatten();
            devices.any(|rdev| self.folder_of(rdev).exists() && self.stack_of(device(rdev)).overlaps(wanted))
        };
        mounts.lines().filter_map(Mount::parse).filter(is_on_it).collect()
    }

    fn mount_on(&self, wanted: &StorageStack, access: Access) -> Option<String> {
        let mut mounts = self.mounts_on(wanted).into_iter();
        let mount = mounts.find(|mount| access != Access::ReadOnly || !mount.has_option("ro"))?;
        let (source, place) = (mount.source.display(), mount.place.display());
        Some(format!("is mounted at {place} ({source}): unmount it first"))
    }

    fn volume_on(&self, wanted: &StorageStack) -> Option<String> {
        self.whole_devices().into_iter().find_map(|(rdev, folder)| {
            let is_volume = !entries(&folder.join("slaves")).is_empty();
            if !is_volume || wanted.has(Node::Device(rdev)) || !self.stack_of(device(rdev)).overlaps(wanted) {
                return None;
            }
            let name = self.name_of(rdev)?;
            let called = read(&folder.join("dm/name")).map_or(String::new(), |called| format!(" ({called})"));
            Some(format!("is a part of /dev/{name}{called}: name that device, or take it apart first"))
        })
    }

    fn loop_device_on(&self, wanted: &StorageStack) -> Option<String> {
        self.whole_devices().into_iter().find_map(|(rdev, folder)| {
            let may_write =
                folder.join("loop/backing_file").exists() && read(&folder.join("ro")).as_deref() != Some("1");
            if !may_write || wanted.has(Node::Device(rdev)) || !self.stack_of(device(rdev)).overlaps(wanted) {
                return None;
            }
            let name = self.name_of(rdev)?;
            Some(format!(
                "is below /dev/{name}, through which it can be changed: losetup -d /dev/{name} first"
            ))
        })
    }

    fn holder_on(&self, wanted: &StorageStack, access: Access) -> Option<String> {
        let below = wanted.0.iter().skip(1).map(|layer| (layer.node, layer.path.clone()));
        let mut above = self
            .block_devices()
            .into_iter()
            .filter(|rdev| !wanted.has(Node::Device(*rdev)) && self.stack_of(device(*rdev)).overlaps(wanted));
        let is_held = |(node, path): (Node, Option<PathBuf>)| {
            path.filter(|path| is_locked(path, node.identity(), access))
        };
        let held = below.into_iter().find_map(is_held);
        let held = held.or_else(|| above.find_map(|rdev| is_held(self.named(rdev))))?;
        Some(format!(
            "is on the storage of {}, which another process (QEMU or Forebay) has in use: stop that one first",
            held.display()
        ))
    }

    fn folder_of(&self, rdev: u64) -> PathBuf {
        sysfs::folder_of(&self.sys, rdev)
    }

    fn name_of(&self, rdev: u64) -> Option<String> {
        let real = self.folder_of(rdev).canonicalize().ok()?;
        Some(real.file_name()?.to_str()?.to_owned())
    }

    fn whole_devices(&self) -> Vec<(u64, PathBuf)> {
        let with_number = |folder: PathBuf| Some((parse_rdev(&read(&folder.join("dev"))?)?, folder));
        entries(&self.sys.join("block")).into_iter().filter_map(with_number).collect()
    }

    /// Returns the device numbers of all block devices, partitions included.
    fn block_devices(&self) -> Vec<u64> {
        let number = |entry: PathBuf| entry.file_name().and_then(|name| name.to_str()).and_then(parse_rdev);
        entries(&self.sys.join("dev/block")).into_iter().filter_map(number).collect()
    }
}

impl Node {
    fn from_identity(identity: Identity) -> Self {
        match identity.rdev {
            0 => Self::File { device: identity.device, inode: identity.inode },
            rdev => Self::Device(rdev),
        }
    }

    fn identity(self) -> Identity {
        match self {
            Self::File { device, inode } => Identity { device, inode, rdev: 0 },
            Self::Device(rdev) => device(rdev),
        }
    }
}

fn device(rdev: u64) -> Identity {
    Identity { device: 0, inode: 0, rdev }
}

/// Returns bytes of a device as bytes of the device below it, where it begins at `start` and has `length`.
fn shifted(bytes: Option<&Range<u64>>, start: u64, length: u64) -> Option<Range<u64>> {
    let bytes = bytes?;
    let end = start.saturating_add(bytes.end.min(length));
    Some(start.saturating_add(bytes.start)..end)
}

/// Returns the device that a mount names as its source: file systems such as btrfs have a device number
/// without a device.
fn source_device(mount: &Mount) -> Option<u64> {
    let identity = mount.source.is_absolute().then(|| Identity::of(&mount.source).ok()).flatten()?;
    (identity.rdev != 0).then_some(identity.rdev)
}

#[cfg(test)]
#[path = "stack_tests.rs"]
mod tests;
