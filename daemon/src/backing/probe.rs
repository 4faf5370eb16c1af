//! Probes of backings before a shard opens them: whether they exist, are readable, and raw.
//!
//! Runs on a thread that may block, because a file on a dead server blocks every access. Image formats are
//! checked only for disks that are being added: the guest of a raw disk may write any bytes to its start, and
//! must not be able to keep its own disk from being served again.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use base::descriptors::advice_or;
use base::error::{Error, Result};
use block::file;
use block::nbd::{Address, Target};
use cache::format::superblock;
use nix::sys::statfs::{FsType, TMPFS_MAGIC, statfs};

use super::identity::Identity;
use super::let_in;
use super::stack::KernelFolders;

/// A file system in memory without a limit (`linux/magic.h`).
const RAMFS_MAGIC: i64 = 0x8584_58f6;

/// Treatment of content that looks like an image format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Images {
    /// Refused, with advice how to serve it.
    Refused,
    /// Served as raw bytes.
    ServedAsRaw,
}

/// Returns the identity of the storage at `path`.
///
/// # Errors
/// If it is missing, unreadable, not a file or block device, or an image format that is refused.
pub(crate) fn probe(path: &Path, images: Images) -> Result<Identity> {
    let refuse = |what: String| Error::invalid(format!("Cannot use backing {}: {what}", path.display()));
    let kind = fs::metadata(path).map_err(|error| refuse(advise(path, &error)))?.file_type();
    if kind.is_dir() {
        return Err(refuse("it is a folder; name a file or block device in it".to_owned()));
    }
    // Neither is opened, because opening has effects: a pipe would block, a tape would move.
    if !kind.is_file() && !kind.is_block_device() {
        return Err(refuse("it is neither a file nor a block device; name one of these".to_owned()));
    }
    let mut file = File::open(path).map_err(|error| refuse(advise(path, &error)))?;
    if images == Images::Refused {
        let (start, end) = ends(&mut file).map_err(|error| refuse(advise(path, &error)))?;
        if let Some(format) = image_format(&start, &end) {
            return Err(refuse(serve_instead(path, &format)));
        }
        if is_pool(&mut file).map_err(|error| refuse(advise(path, &error)))? {
            return Err(refuse(format!(
                "it is the pool of a Forebay, which may have the only copy of what guests wrote; `forebay check {}` shows what is \
                 in it; --force-raw serves its bytes as a disk",
                path.display()
            )));
        }
        let is_ring = redo::is_ring(|at| read_up_to(&mut file, SeekFrom::Start(at)));
        if is_ring.map_err(|error| refuse(advise(path, &error)))? {
            return Err(refuse(
                "it is the redo ring of a disk in consistent write-back, which may have the only copy of what guests wrote; \
                 `forebay disk recover` applies it to the backing of that disk; --force-raw serves its bytes as a disk"
                    .to_owned(),
            ));
        }
    }
    file::Identity::of(path).map(Identity::Local).map_err(|error| refuse(error.to_string()))
}

/// Returns the reason for which content is lost when the host goes off, if the file or device is in memory.
pub(super) fn volatility(path: &Path, identity: file::Identity) -> Option<String> {
    if identity.rdev != 0 {
        return KernelFolders::default().memory_device(identity);
    }
    let file_system = statfs(path).ok()?.filesystem_type();
    let in_memory = [(TMPFS_MAGIC, "tmpfs"), (FsType(RAMFS_MAGIC), "ramfs")];
    let (_, name) = in_memory.into_iter().find(|(magic, _)| *magic == file_system)?;
    Some(format!("its file system, {name}, is memory of this host"))
}

fn advise(path: &Path, error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "check the path, or make the file first".to_owned(),
        io::ErrorKind::PermissionDenied => let_in(path),
        _ => advice_or(error, "check it with other tools"),
    };
    format!("{error}; {advice}")
}

/// An image format, by its common name and by QEMU's.
struct Format {
    name: &'static str,
    tool_name: &'static str,
}

const fn format(name: &'static str, tool_name: &'static str) -> Format {
    Format { name, tool_name }
}

/// Offsets of the superblocks of a pool in bytes: either may be damaged.
const POOL_STARTS: [u64; 2] = superblock::SLOTS;

/// Returns true if the file starts as a pool of Forebay does.
fn is_pool(file: &mut File) -> io::Result<bool> {
    for start in POOL_STARTS {
        if read_up_to(file, SeekFrom::Start(start))?.starts_with(&superblock::MAGIC) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the first and the last sector of a file, as far as it has them.
fn ends(file: &mut File) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let size = file.seek(SeekFrom::End(0))?;
    let start = read_up_to(file, SeekFrom::Start(0))?;
    let end = if size < 512 { Vec::new() } else { read_up_to(file, SeekFrom::Start(size - 512))? };
    Ok((start, end))
}

fn read_up_to(file: &mut File, from: SeekFrom) -> io::Result<Vec<u8>> {
    file.seek(from)?;
    let mut bytes = Vec::new();
    file.take(512).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the image format of content with this first and this last sector.
fn image_format(start: &[u8], end: &[u8]) -> Option<Format> {
    let has = |at: usize, magic: &[u8]| start.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if has(0, b"QFI\xfb") {
        Some(format("qcow2", "qcow2"))
    } else if has(0, b"QED\0") {
        Some(format("qed", "qed"))
    } else if has(0, b"KDMV") || has(0, b"COWD") || has(0, b"# Disk DescriptorFile") {
        Some(format("vmdk", "vmdk"))
    } else if has(64, &0xbeda_107f_u32.to_le_bytes()) {
        Some(format("vdi", "vdi"))
    } else if has(0, b"vhdxfile") {
        Some(format("vhdx", "vhdx"))
    } else if has(0, b"conectix") || end.starts_with(b"conectix") {
        // A VHD of fixed size is raw data with a footer.
        Some(format("vhd", "vpc"))
    } else {
        None
    }
}

fn serve_instead(path: &Path, Format { name, tool_name }: &Format) -> String {
    let socket = format!("{}.sock", path.display());
    let target = Target { address: Address::Unix(PathBuf::from(&socket)), export: String::new() };
    let path = path.display();
    format!(
        "it is an image in the format {name}, not the raw content of a disk. Serve its content with `qemu-nbd --persistent \
         --shared=0 --format={tool_name} --socket={socket} {path}` and name that as the backing: `forebay disk add NAME \
         --backing '{target}'`; `qemu-img convert -O raw {path} {path}.raw` makes it raw; --force-raw serves the bytes of \
         the image file themselves"
    )
}

/// Returns the reason for which the content of an export with this first and this last sector is not a raw
/// disk.
pub(super) fn image_in_export(start: &[u8], end: &[u8]) -> Option<String> {
    if start.starts_with(&superblock::MAGIC) {
        return Some(
            "it is the pool of a Forebay, which may have the only copy of what guests wrote; --force-raw serves its bytes as a disk"
                .to_owned(),
        );
    }
    let Format { name, tool_name } = image_format(start, end)?;
    Some(format!(
        "its server serves the bytes of an image in the format {name}, not the content of the disk; start it with that \
         format (qemu-nbd --format={tool_name}), or add the disk with --force-raw"
    ))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn probed(content: &[u8]) -> Result<Identity> {
        let dir = TempDir::new();
        let path = dir.path().join("x.img");
        fs::write(&path, content).expect("the folder is ours");
        let with_word = probe(&path, Images::ServedAsRaw);
        assert!(with_word.is_ok(), "an explicit word overrides: {with_word:?}");
        probe(&path, Images::Refused)
    }

    fn sector(at: usize, magic: &[u8]) -> Vec<u8> {
        let mut content = vec![0; 4096];
        content[at..at + magic.len()].copy_from_slice(magic);
        content
    }

    #[test]
    fn image_formats_are_recognised_and_refused_with_the_line_that_serves_them() {
        for (content, tool_name) in [
            (sector(0, b"QFI\xfb\0\0\0\x03"), "qcow2"),
            (sector(0, b"QED\0"), "qed"),
            (sector(0, b"KDMV"), "vmdk"),
            (sector(0, b"COWD"), "vmdk"),
            (b"# Disk DescriptorFile\nversion=1\n".to_vec(), "vmdk"),
            (sector(64, &[0x7f, 0x10, 0xda, 0xbe]), "vdi"),
            (sector(0, b"vhdxfile"), "vhdx"),
            (sector(0, b"conectix"), "vpc"),
            (sector(4096 - 512, b"conectix"), "vpc"),
        ] {
            let problem = probed(&content).unwrap_err();
            let line = format!("qemu-nbd --persistent --shared=0 --format={tool_name} ");
            assert!(problem.message.contains(&line), "{problem}");
            assert!(problem.message.contains("--backing 'nbd+unix:///?socket=/"), "{problem}");
            assert!(problem.message.contains("--force-raw"), "{problem}");
        }
    }

    #[test]
    fn the_pool_of_a_forebay_is_no_backing_whichever_of_its_superblocks_is_whole() {
        for content in [sector(0, b"FOREBAY1"), [vec![0; 4096], sector(0, b"FOREBAY1")].concat()] {
            let problem = probed(&content).unwrap_err();
            assert!(problem.message.contains("pool of a Forebay"), "{problem}");
            assert!(problem.message.contains("--force-raw"), "{problem}");
        }
        let message = image_in_export(b"FOREBAY1", &[0; 512]).expect("it is one");
        assert!(message.contains("pool of a Forebay"), "{message}");
    }

    #[test]
    fn a_redo_ring_is_no_backing_whichever_copy_of_its_directory_is_whole() {
        for content in [sector(0, b"FBREDO-D"), [vec![0; 16 << 10], sector(0, b"FBREDO-D")].concat()] {
            let problem = probed(&content).unwrap_err();
            assert!(
                problem.message.contains("disk recover") && problem.message.contains("--force-raw"),
                "{problem}"
            );
        }
    }

    #[test]
    fn an_export_of_an_image_file_is_told_from_a_disk() {
        let qcow2 = sector(0, b"QFI\xfb");
        let message = image_in_export(&qcow2[..512], &qcow2[3584..]).expect("it is an image");
        assert!(message.contains("--format=qcow2"), "{message}");
        assert_eq!(image_in_export(&[0; 512], &[0; 512]), None);
    }

    #[test]
    fn a_file_in_memory_is_said_to_be_volatile_and_one_elsewhere_is_not() {
        let identity = |path: &Path| file::Identity::of(path).expect("it is there");
        let shared_memory = Path::new("/dev/shm");
        if statfs(shared_memory).is_ok_and(|about| about.filesystem_type() == TMPFS_MAGIC) {
            let reason = volatility(shared_memory, identity(shared_memory)).expect("it is in memory");
            assert!(reason.contains("tmpfs"), "{reason}");
        }
        let proc = Path::new("/proc/self");
        assert_eq!(volatility(proc, identity(proc)), None);
    }

    #[test]
    fn raw_content_passes_whatever_it_is() {
        for content in
            [vec![0; 4096], sector(510, &[0x55, 0xaa]), sector(1, b"QFI\xfb"), vec![7; 100], vec![]]
        {
            assert!(probed(&content).is_ok());
        }
    }

    #[test]
    fn what_is_no_disk_is_refused_before_it_is_opened() {
        let dir = TempDir::new();
        let pipe = dir.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("the folder is ours");
        let missing = dir.path().join("missing");
        let socket = dir.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).expect("the folder is ours");
        for (path, reason) in [
            (dir.path(), "folder"),
            (&pipe, "neither"),
            (&socket, "neither"),
            (Path::new("/dev/zero"), "neither"),
            (Path::new("/dev/null"), "neither"),
            (&missing, "check the path"),
        ] {
            let problem = probe(path, Images::Refused).unwrap_err();
            assert!(problem.message.contains(reason), "{problem}");
        }
    }
}
