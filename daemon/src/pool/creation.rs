//! New files of the pool: where they may be, their size, and free space that must be left.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use base::error::{Error, Result};
use base::units::Size;
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::statvfs::statvfs;

/// Hundredths of a file system that stay free.
const FREE_PERCENT: u64 = 5;
/// The most bytes of a file system that stay free: 5 % of a large one is more than other programs need.
const FREE_BYTES_MAX: u64 = 1 << 30;
/// Folder of names of devices.
const DEVICES: &str = "/dev";

/// Refuses to make a file in the place of a device's name: a missing device must not be replaced by a file of
/// its name.
///
/// # Errors
/// `Unavailable` for a name of a device, `Invalid` for a dangling link.
pub(crate) fn check_place(path: &Path) -> Result<()> {
    let shown = path.display();
    if is_among_devices(path) {
        return Err(Error::unavailable(format!(
            "Cannot use {shown} as the pool: there is no such device now, and no file is made where devices have their names; \
             attach the device, or give another path"
        )));
    }
    if path.is_symlink() {
        return Err(Error::invalid(format!(
            "Cannot use {shown} as the pool: it is a link to something that does not exist; attach that, or give another path"
        )));
    }
    Ok(())
}

/// Returns true if a path that does not exist, or the target of its link, is in a folder of devices.
fn is_among_devices(path: &Path) -> bool {
    let target = fs::read_link(path).ok().map(|target| folder(path).join(target));
    [Some(path.to_owned()), target].into_iter().flatten().any(|path| {
        let below = std::path::absolute(&path).unwrap_or(path);
        let mut folder = folder(&below);
        // For `/dev/mapper/x` the last existing folder decides.
        while !folder.exists() && folder.pop() {}
        is_device_folder(&folder) || folder.metadata().is_ok_and(|about| !about.is_dir())
    })
}

/// Returns true for `/dev` and folders below it, except for other file systems that are mounted there, as
/// `/dev/shm` is.
fn is_device_folder(folder: &Path) -> bool {
    let Ok(real) = folder.canonicalize() else { return false };
    let number = |path: &Path| fs::metadata(path).ok().map(|about| about.dev());
    real.starts_with(DEVICES) && number(&real) == number(Path::new(DEVICES))
}

fn folder(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

/// Refuses a size that no file of a pool can have. `option` is the option that set it.
///
/// # Errors
/// `Invalid`, with the smallest size and the form of sizes.
pub(crate) fn check_file_size(path: &Path, bytes: u64, option: &str) -> Result<()> {
    cache::check_size(bytes).map_err(|error| {
        Error::invalid(format!(
            "Cannot make the pool {} of {}: {error}. A size is in bytes unless it has a unit: {option} 10GiB",
            path.display(),
            Size(bytes)
        ))
    })
}

/// Space of a file system.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSystemSpace {
    size_bytes: u64,
    /// Free for this process.
    pub(super) free_bytes: u64,
}

/// Refuses a new file that would leave too little free. `option` is the option that set its size.
///
/// # Errors
/// With the free space, the part of it that has to stay free, and the largest size that fits.
pub(crate) fn check_room(path: &Path, bytes: u64, option: &str) -> Result<()> {
    let doing = || format!("make the pool {} of {}", path.display(), Size(bytes));
    check_growth(path, 0, bytes, doing, option)
}

/// Refuses to extend a file from `before` to `bytes` if that would leave too little free.
///
/// # Errors
/// As [`check_room`].
pub(crate) fn check_room_to_grow(path: &Path, before: u64, bytes: u64) -> Result<()> {
    let doing = || format!("make {} larger, from {} to {}", path.display(), Size(before), Size(bytes));
    check_growth(path, before, bytes, doing, "size")
}

fn check_growth(
    path: &Path,
    before: u64,
    bytes: u64,
    doing: impl Fn() -> String,
    option: &str,
) -> Result<()> {
    let FileSystemSpace { size_bytes, free_bytes } = free_space(&folder(path))?;
    let kept_bytes = kept_free(size_bytes);
    let most_bytes = before + free_bytes.saturating_sub(kept_bytes);
    if bytes <= most_bytes {
        return Ok(());
    }
    Err(Error::failed(format!(
        "Cannot {}: its file system has {} free, of which {} stay free for others; make room, or give a smaller {option}, at most {}",
        doing(),
        Size(free_bytes),
        Size(kept_bytes),
        Size(most_bytes)
    )))
}

/// Returns the bytes of a file system of this size that stay free: 5 %, or 1 GiB if that is less.
fn kept_free(size_bytes: u64) -> u64 {
    (size_bytes / 100 * FREE_PERCENT).min(FREE_BYTES_MAX)
}

/// Returns the space of the file system of a folder.
///
/// # Errors
/// If the system does not report it.
pub(super) fn free_space(folder: &Path) -> Result<FileSystemSpace> {
    let about = statvfs(folder).map_err(|error| {
        Error::failed(format!(
            "Cannot read the free space of {}: {}; check the path",
            folder.display(),
            std::io::Error::from(error)
        ))
    })?;
    let bytes = |blocks: u64| blocks.saturating_mul(about.fragment_size());
    Ok(FileSystemSpace { size_bytes: bytes(about.blocks()), free_bytes: bytes(about.blocks_available()) })
}

/// Allocates the storage of a new file now, so that the pool cannot fail later because other programs have
/// filled the file system.
///
/// # Errors
/// If there is not enough; `option` sets a smaller size. The file is left as it is.
pub(crate) fn reserve_storage(path: &Path, bytes: u64, option: &str) -> Result<()> {
    let failed = |error: String| {
        Error::failed(format!(
            "Cannot reserve {} for the pool {}: {error}; make room, or give a smaller {option}",
            Size(bytes),
            path.display()
        ))
    };
    let file = fs::File::options().write(true).open(path).map_err(|error| failed(error.to_string()))?;
    let length = i64::try_from(bytes).map_err(|error| failed(error.to_string()))?;
    warn_of_copies(&file, path);
    match fallocate(&file, FallocateFlags::empty(), 0, length) {
        Ok(()) => Ok(()),
        // The file system does not support it; the pool works as long as there is free space.
        Err(Errno::EOPNOTSUPP) => {
            tracing::warn!("The file system of {} cannot reserve storage; keep enough free", path.display());
            Ok(())
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Logs a warning for a file system that may need free space for overwriting existing data.
fn warn_of_copies(file: &fs::File, path: &Path) {
    let Ok(about) = nix::sys::statfs::fstatfs(file) else { return };
    let name = match about.filesystem_type().0 {
        0x9123_683e => "btrfs",
        0x2fc1_2fc1 => "ZFS",
        0xca45_1a4e => "bcachefs",
        _ => return,
    };
    tracing::warn!(
        "The pool {} is on a copy-on-write file system ({name}): overwriting may need room, always or after a snapshot. Keep \
         enough free, and keep it out of snapshots",
        path.display()
    );
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use base::testing::TempDir;

    use super::*;

    #[test]
    fn no_file_is_made_where_devices_have_their_names() {
        let dir = TempDir::new();
        let link = dir.path().join("flash");
        symlink("/dev/disk/by-id/nvme-away", &link).expect("the folder is ours");
        for path in
            ["/dev/sdx", "/dev/disk/by-id/nvme-away", "/dev/mapper/a/b", "/dev/../dev/sdx", "/dev/null/x"]
        {
            let problem = check_place(Path::new(path)).expect_err(path);
            assert!(problem.message.contains("no such device"), "{problem}");
        }
        assert!(check_place(&link).unwrap_err().message.contains("no such device"));
        fs::remove_file(&link).expect("the folder is ours");
        symlink(dir.path().join("nothing"), &link).expect("the folder is ours");
        assert!(check_place(&link).unwrap_err().message.contains("link"));
        assert_eq!(check_place(&dir.path().join("pool.img")), Ok(()));
    }

    #[test]
    fn a_file_that_would_leave_too_little_free_is_refused_with_the_most_that_fits() {
        let dir = TempDir::new();
        let path = dir.path().join("pool.img");
        let FileSystemSpace { size_bytes, free_bytes } = free_space(dir.path()).expect("it is there");
        assert_eq!(check_room(&path, 1 << 20, "--size"), Ok(()));
        let most = free_bytes.saturating_sub(kept_free(size_bytes));
        let problem = check_room(&path, most + (1 << 30), "--size").unwrap_err();
        assert!(problem.message.contains("stay free") && problem.message.contains("--size"), "{problem}");
    }

    #[test]
    fn a_large_file_system_keeps_no_more_free_than_others_need() {
        assert_eq!(kept_free(10 << 30) / (10 << 20), 51, "5 % of 10 GiB, rounded down");
        assert_eq!(kept_free(1 << 40), 1 << 30);
    }

    #[test]
    fn a_size_that_lacks_its_unit_is_refused_with_the_form_of_sizes() {
        for bytes in [0, 2, 4096] {
            let problem = check_file_size(Path::new("/p"), bytes, "--pool-size").unwrap_err();
            let message = &problem.message;
            assert!(message.contains("needs at least") && message.contains("--pool-size 10GiB"), "{problem}");
        }
        assert_eq!(check_file_size(Path::new("/p"), 64 << 20, "--size"), Ok(()));
    }
}
