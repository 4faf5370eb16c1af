//! Real files through the ring, each test also with the synchronous device where the two must agree.

use std::fs;
use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use super::*;
use crate::SyncFile;
use crate::executor::{Executor, Order};

const MIB: u64 = 1 << 20;

/// Tests that lock files and tests that start programs go one after the other: a child shares every description that
/// is open where it is born, locks included, until it runs its own program.
pub(super) fn turn() -> Turn {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) type Turn = MutexGuard<'static, ()>;

/// A folder that is gone at the end of a test.
pub(super) struct Folder(pub(super) PathBuf, #[expect(dead_code, reason = "held until the test ends")] Turn);

impl Folder {
    pub(super) fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("forebay-file-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder is ours");
        Self(path, turn())
    }

    /// Returns a file of `size` bytes without content.
    fn file(&self, size: u64) -> PathBuf {
        let path = self.0.join("image");
        File::create(&path).and_then(|file| file.set_len(size)).expect("there is room for a sparse file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the temporary folder is ours");
    }
}

fn options(cache: Cache, lock: Lock) -> OpenOptions {
    OpenOptions { access: Access::ReadWrite, cache, lock, create: None }
}

fn run<F: Future>(test: impl FnOnce(Ring) -> F) -> F::Output {
    let ring = Ring::new(4).expect("io_uring works here");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    executor.run(test(ring)).expect("a ring never stalls")
}

fn pattern(len: u64, seed: u8) -> Buffer {
    let mut buffer = Buffer::zeroed(len as usize);
    buffer.iter_mut().zip(0u32..).for_each(|(byte, at)| *byte = (at % 253) as u8 ^ seed | 1);
    buffer
}

/// Exercises behaviour that every device on a file must have; `cut` shortens the file.
async fn exercise(device: impl BlockDevice, path: &Path) {
    let unit = device.geometry().alignment;
    for (offset, len, seed) in [(0, unit, 1), (unit, 3 * unit, 2), (MIB - 4 * unit, 4 * unit, 3)] {
        let (_, written) = device.write(offset, pattern(len, seed)).await;
        written.expect("the file system has room");
        let (buffer, read) = device.read(offset, Buffer::zeroed(len as usize)).await;
        read.expect("it was written just now");
        assert!(buffer[..] == pattern(len, seed)[..]);
    }
    device.flush().await.expect("the file system can sync");

    let refused = device.write(MIB, pattern(unit, 4)).await.1.expect_err("past the end");
    assert_eq!(refused.kind, ErrorKind::InvalidRequest);
    assert_eq!(fs::metadata(path).expect("it exists").len(), MIB);

    for unmap in [Unmap::Allowed, Unmap::Forbidden] {
        let range = ByteRange::at(0, 2 * unit);
        device.write(0, pattern(4 * unit, 5)).await.1.expect("the file system has room");
        device.write_zeroes(range, unmap).await.expect("zeroes can be made");
        let (buffer, read) = device.read(0, Buffer::zeroed(4 * unit as usize)).await;
        read.expect("it was written just now");
        assert!(buffer[..2 * unit as usize].iter().all(|&byte| byte == 0));
        assert!(buffer[2 * unit as usize..] == pattern(4 * unit, 5)[2 * unit as usize..]);
    }
    device.write_zeroes(ByteRange::at(0, 0), Unmap::Allowed).await.expect("nothing is easy to zero");
    device.discard(ByteRange::at(MIB - 4 * unit, unit)).await.expect("a hint never fails here");

    let shortened = fs::OpenOptions::new().write(true).open(path).expect("no lock binds plain programs");
    shortened.set_len(MIB / 2 + 100).expect("a file can be cut short");
    let gone = device.read(MIB / 2, Buffer::zeroed(8192)).await.1.expect_err("the bytes are gone");
    assert_eq!(gone.kind, ErrorKind::Gone);
    let latched = device.write(0, pattern(unit, 6)).await.1.expect_err("nothing goes on after that");
    assert_eq!(latched.kind, ErrorKind::Gone);
    assert_eq!(fs::metadata(path).expect("it exists").len(), MIB / 2 + 100);
}

#[test]
fn files_are_served_direct_and_buffered_by_ring_and_by_plain_calls() {
    for cache in [Cache::Direct, Cache::Buffered] {
        let folder = Folder::new();
        let path = folder.file(MIB);
        run(|ring| {
            let device =
                FileDevice::open(&ring, &path, options(cache, Lock::Image)).expect("the file is free");
            assert_eq!(device.is_direct(), cache == Cache::Direct && device.fallback_reason().is_none());
            exercise(device, &path)
        });
        let path = folder.file(MIB);
        let device = SyncFile::open(&path, options(cache, Lock::Image)).expect("the file is free");
        run(|_| exercise(device, &path));
    }
}

#[test]
fn many_more_requests_than_the_ring_is_deep_all_arrive() {
    let folder = Folder::new();
    let path = folder.file(4 * MIB);
    run(|ring| async move {
        let device = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
        let mut writes: Vec<_> =
            (0..256u64).map(|page| Box::pin(device.write(page * 4096, pattern(4096, page as u8)))).collect();
        // All are in flight before the first is awaited.
        let mut context = Context::from_waker(Waker::noop());
        for write in &mut writes {
            assert!(write.as_mut().poll(&mut context).is_pending());
        }
        for write in writes {
            write.await.1.expect("there is room");
        }
        for page in 0..256u64 {
            let (buffer, read) = device.read(page * 4096, Buffer::zeroed(4096)).await;
            read.expect("it was written just now");
            assert!(buffer[..] == pattern(4096, page as u8)[..]);
        }
    });
}

#[test]
fn a_write_whose_future_is_dropped_is_still_done() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    run(|ring| {
        let path = path.clone();
        async move {
            let device =
                FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
            {
                let mut write = std::pin::pin!(device.write(0, pattern(MIB, 9)));
                assert!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
            drop(device);
            ring.drain();
        }
    });
    assert!(fs::read(&path).expect("it exists")[..] == pattern(MIB, 9)[..]);
}

#[test]
fn holes_are_reported_without_gaps_and_bounded_in_number() {
    let folder = Folder::new();
    let size = 16 * MIB;
    let path = folder.file(size);
    let file = fs::OpenOptions::new().write(true).open(&path).expect("it exists");
    for page in (1..3000).step_by(2) {
        file.write_all_at(&[1; 4096], page * 4096).expect("there is room");
    }
    run(|ring| async move {
        let device = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
        let whole = ByteRange::at(0, size);
        let extents = device.extents(whole).await.expect("the file system knows");
        assert!(extents.len() <= EXTENTS_MAX);
        assert_eq!(extents[0].range.start, 0);
        assert_eq!(extents.last().map(|extent| extent.range.end), Some(size));
        assert!(extents.windows(2).all(|pair| pair[0].range.end == pair[1].range.start));
        let unit = device.geometry().alignment;
        let part = device.extents(ByteRange::at(4096 + unit, 4096)).await.expect("the file system knows");
        assert_eq!(part[0].range.start, 4096 + unit);
        assert!(part[0].allocated, "page 1 holds data");
        let sync = SyncFile::open(&path, options(Cache::Direct, Lock::None)).expect("it is free");
        assert_eq!(sync.extents(whole).await.expect("the file system knows"), extents);
    });
}

#[test]
fn a_file_that_shrinks_is_noticed_by_its_size_and_never_read_as_holes() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    run(|ring| async move {
        let device = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
        let other = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
        assert_eq!(device.current_size().await, Ok(MIB));
        File::options().write(true).open(&path).and_then(|file| file.set_len(4096)).expect("it can be cut");
        let gone = other.extents(ByteRange::at(0, MIB)).await.expect_err("it is shorter");
        assert_eq!(gone.kind, ErrorKind::Gone);
        assert_eq!(device.current_size().await, Ok(4096));
        let gone = device.read(0, Buffer::zeroed(4096)).await.1.expect_err("latched");
        assert_eq!(gone.kind, ErrorKind::Gone);
    });
}

#[test]
fn a_file_that_grew_is_used_as_far_as_it_is_said_to_go() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    run(|ring| async move {
        let device = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
        let grown = File::options().write(true).open(&path).and_then(|file| file.set_len(2 * MIB));
        grown.expect("the folder is ours");
        assert_eq!(device.current_size().await, Ok(2 * MIB));
        let write = async || device.write(MIB, Buffer::copy_of(&[7; 4096])).await.1;
        let refused = write().await.expect_err("nobody said that it may go so far");
        assert_eq!(refused.kind, ErrorKind::InvalidRequest);
        device.set_size(2 * MIB);
        write().await.expect("it is larger");
        assert_eq!(device.read(MIB, Buffer::zeroed(4096)).await.0[..], [7; 4096]);
        // Less than there is: the rest may grow and shrink.
        device.set_size(MIB);
        write().await.expect_err("it is to end before");
        let cut = File::options().write(true).open(&path).and_then(|file| file.set_len(MIB));
        cut.expect("the folder is ours");
        assert_eq!(device.current_size().await, Ok(MIB));
        device.read(0, Buffer::zeroed(4096)).await.1.expect("nothing of it is gone");
    });
}

#[test]
fn a_size_that_direct_access_cannot_reach_falls_back_with_a_reason() {
    let folder = Folder::new();
    let path = folder.file(MIB + 512);
    run(|ring| async move {
        let device = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::None)).expect("it is free");
        // Where the file system takes 512-byte units there is no need to.
        assert!(device.is_direct() != device.fallback_reason().is_some());
        assert_eq!(device.geometry().alignment, 512);
        device.write(MIB, pattern(512, 3)).await.1.expect("the last sector can be written");
        let (buffer, read) = device.read(MIB, Buffer::zeroed(512)).await;
        read.expect("it was written just now");
        assert!(buffer[..] == pattern(512, 3)[..]);
    });
}

#[test]
fn writes_to_a_read_only_device_are_refused() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    run(|ring| async move {
        let read_only = OpenOptions { access: Access::ReadOnly, ..options(Cache::Direct, Lock::Image) };
        let device = FileDevice::open(&ring, &path, read_only).expect("it is free");
        let refused = device.write(0, pattern(4096, 1)).await.1.expect_err("it is read-only");
        assert_eq!(refused.kind, ErrorKind::ReadOnly);
        let refused = device.discard(ByteRange::at(0, 4096)).await.expect_err("it is read-only");
        assert_eq!(refused.kind, ErrorKind::ReadOnly);
        FileDevice::open(&ring, &path, read_only).expect("readers share");
        let held = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::Image)).err();
        assert!(matches!(held, Some(OpenError::Held { .. })));
    });
}

#[test]
fn what_cannot_be_a_disk_is_refused_with_advice() {
    let folder = Folder::new();
    let ring = Ring::new(4).expect("io_uring works here");
    let refusal = |path: &Path| {
        let error = FileDevice::open(&ring, path, options(Cache::Direct, Lock::Image)).err();
        error.expect("it must be refused").to_string()
    };
    assert!(refusal(&folder.0).contains("not a regular file or block device"));
    assert!(refusal(Path::new("/dev/null")).contains("not a regular file or block device"));
    assert!(refusal(&folder.0.join("nowhere")).contains("check the path"));
    let path = folder.file(1000);
    assert!(refusal(&path).contains("truncate -s 1024"));
    let path = folder.file(0);
    assert!(refusal(&path).contains("size is 0 bytes"));
}

#[test]
fn a_new_file_is_made_once_and_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.0.join("pool");
    let make = |size| OpenOptions { create: Some(size), ..options(Cache::Direct, Lock::Exclusive) };
    SyncFile::open(&path, make(100)).err().expect("100 bytes are no disk");
    assert!(!path.exists());
    let device = SyncFile::open(&path, make(MIB)).expect("the name is free");
    assert_eq!(device.geometry().size, MIB);
    assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
    let taken = SyncFile::open(&path, make(MIB)).err().expect("the name is taken");
    assert!(taken.to_string().contains("choose another name"));
    assert!(path.exists(), "a file that was there is never removed");
}

#[test]
fn one_storage_is_recognised_through_links() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let (hard, soft, copy) = (folder.0.join("hard"), folder.0.join("soft"), folder.0.join("copy"));
    fs::hard_link(&path, &hard).expect("one file system");
    symlink(&path, &soft).expect("links are to be had");
    fs::copy(&path, &copy).expect("there is room");
    let identity = |path: &Path| Identity::of(path).expect("it exists");
    assert!(identity(&path).same_storage(&identity(&hard)));
    assert!(identity(&path).same_storage(&identity(&soft)));
    assert!(!identity(&path).same_storage(&identity(&copy)));
    let nodes =
        [(1, 5, 77), (2, 9, 77), (1, 5, 0)].map(|(device, inode, rdev)| Identity { device, inode, rdev });
    assert!(nodes[0].same_storage(&nodes[1]), "two nodes of one device");
    assert!(!nodes[0].same_storage(&nodes[2]));
}

#[test]
fn locks_exclude_a_second_user_until_the_first_is_gone_and_kinds_do_not_collide() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let ring = Ring::new(4).expect("io_uring works here");
    let open = |lock| FileDevice::open(&ring, &path, options(Cache::Direct, lock));
    for lock in [Lock::Image, Lock::Exclusive] {
        let first = open(lock).expect("it is free");
        let held = open(lock).err().expect("it is held").to_string();
        assert!(held.contains("image") && held.contains("QEMU or Forebay"), "{held}");
        drop(first);
    }
    let _image = open(Lock::Image).expect("the first one is gone");
    let _exclusive = open(Lock::Exclusive).expect("other bytes");
    let _none = open(Lock::None).expect("asks nobody");
}

/// `qemu-io` on the image, or a word about its absence.
fn qemu_io(path: &Path) -> Option<Command> {
    if Command::new("qemu-io").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("NOT TESTED: qemu-io is absent; install qemu-utils");
        return None;
    }
    let mut command = Command::new("qemu-io");
    command.args(["-f", "raw"]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

#[test]
fn qemu_refuses_an_image_that_we_serve() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let Some(mut qemu_io) = qemu_io(&path) else { return };
    let device = SyncFile::open(&path, options(Cache::Direct, Lock::Image)).expect("it is free");
    let output = qemu_io.args(["-c", "write 0 512"]).output().expect("it is installed");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("Failed to get"), "{said}");
    assert!(fs::read(&path).expect("it exists").iter().all(|&byte| byte == 0));
    drop(device);
    let output = qemu_io.output().expect("it is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn we_refuse_an_image_that_qemu_has_open() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let Some(mut qemu_io) = qemu_io(&path) else { return };
    let mut qemu_io = qemu_io.spawn().expect("it is installed");
    let mut commands = qemu_io.stdin.take().expect("piped");
    commands.write_all(b"write 0 512\n").expect("it reads commands");
    let said = BufReader::new(qemu_io.stdout.take().expect("piped"));
    // Its output shows that the image is open.
    let answer = said.lines().map_while(Result::ok).find(|line| line.contains("wrote 512/512"));
    assert!(answer.is_some(), "qemu-io did not write");
    let open = || SyncFile::open(&path, options(Cache::Direct, Lock::Image));
    assert!(matches!(open().err(), Some(OpenError::Held { .. })));
    drop(commands);
    qemu_io.wait().expect("it ends with its input");
    open().expect("nobody has it now");
}

/// A block device over a file, until the end of a test.
struct Loop(PathBuf);

impl Loop {
    fn over(path: &Path) -> Option<Self> {
        let output = Command::new("losetup").args(["-f", "--show"]).arg(path).output().ok();
        let Some(output) = output.filter(|output| output.status.success()) else {
            eprintln!("NOT TESTED: no loop device to be had; run as root where the kernel has some");
            return None;
        };
        Some(Self(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let status = Command::new("losetup").arg("-d").arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()), "{} is left", self.0.display());
    }
}

#[test]
fn a_write_behind_the_end_of_a_device_that_became_smaller_finds_it_gone_and_not_full() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let Some(node) = Loop::over(&path) else { return };
    run(async |ring| {
        let device = FileDevice::open(&ring, &node.0, options(Cache::Direct, Lock::Image));
        let device = device.expect("the loop device is ours");
        // A drive that is pulled has no size any more; a loop device keeps a part of it.
        File::options().write(true).open(&path).and_then(|file| file.set_len(MIB / 2)).expect("it is ours");
        let status = Command::new("losetup").arg("--set-capacity").arg(&node.0).status();
        assert!(status.is_ok_and(|status| status.success()));
        let (_, result) = device.write(MIB / 2, pattern(4096, 1)).await;
        assert_eq!(result.map_err(|error| error.kind), Err(ErrorKind::Gone));
    });
}

#[test]
fn a_block_device_is_measured_claimed_and_zeroed() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let Some(node) = Loop::over(&path) else { return };
    let soft = folder.0.join("soft");
    symlink(&node.0, &soft).expect("links are to be had");
    run(|ring| {
        let (path, soft) = (node.0.clone(), soft.clone());
        async move {
            let open = |path: &Path| FileDevice::open(&ring, path, options(Cache::Direct, Lock::Image));
            let device = open(&path).expect("the loop device is ours");
            let geometry = device.geometry();
            assert_eq!((geometry.size, geometry.unmaps, geometry.discards), (MIB, true, true));
            assert!(device.is_direct(), "{:?}", device.fallback_reason());
            assert_eq!(device.current_size().await, Ok(MIB));
            assert!(matches!(open(&soft).err(), Some(OpenError::Held { .. })));
            let through_link = Identity::of(&soft).expect("it exists");
            assert!(device.identity().same_storage(&through_link));

            device.write(0, pattern(MIB, 1)).await.1.expect("there is room");
            let zeroed = ByteRange::at(4096, MIB - 8192);
            device.write_zeroes(zeroed, Unmap::Allowed).await.expect("zeroes can be written");
            device.discard(ByteRange::at(0, 4096)).await.expect("loop devices discard");
            device.flush().await.expect("the device can flush");
            let (buffer, read) = device.read(0, Buffer::zeroed(MIB as usize)).await;
            read.expect("it was written just now");
            assert!(buffer[..MIB as usize - 4096].iter().all(|&byte| byte == 0));
            assert!(buffer[MIB as usize - 4096..] == pattern(MIB, 1)[MIB as usize - 4096..]);
            let whole = ByteRange::at(0, MIB);
            let extents = device.extents(whole).await.expect("nothing is asked");
            assert_eq!(extents, [Extent { range: whole, allocated: true }]);
        }
    });
}

#[test]
fn a_device_goes_to_another_ring_with_its_lock_which_is_held_until_the_last_one_is_gone() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let image = || FileDevice::open(&ring(), &path, options(Cache::Buffered, Lock::Image));
    let first = image().expect("nobody has it");
    let handle = first.handle();
    assert!(matches!(image(), Err(OpenError::Held { .. })));
    let there = std::thread::scope(|scope| {
        let there = scope.spawn(|| {
            run(|ring| async move {
                let device = FileDevice::from_handle(&ring, handle);
                device.write(4096, pattern(4096, 3)).await.1.expect("the file system has room");
                device.handle()
            })
        });
        there.join().expect("it does not panic")
    });
    assert_eq!(fs::read(&path).expect("it is there")[4096..8192], pattern(4096, 3)[..]);
    drop(first);
    assert!(matches!(image(), Err(OpenError::Held { .. })));
    drop(there);
    image().expect("nobody has it any more");
}

#[test]
fn a_device_beside_qemu_takes_the_image_when_qemu_has_gone_and_gives_it_back() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let image = || FileDevice::open(&ring(), &path, options(Cache::Direct, Lock::Image));
    let qemu = image().expect("nobody has it");
    let ours = FileDevice::open(&ring(), &path, options(Cache::Direct, Lock::Beside));
    let ours = ours.expect("QEMU does not look at that lock");
    assert!(matches!(ours.take_image_lock(&path), Err(OpenError::Held { .. })));
    assert_eq!(ours.lock(), Lock::Beside);
    drop(qemu);
    ours.take_image_lock(&path).expect("nobody else has it any more");
    assert!(matches!(image(), Err(OpenError::Held { .. })));
    ours.give_up_image_lock(&path).expect("it is held");
    image().expect("QEMU may have it again");
}

fn ring() -> Ring {
    Ring::new(4).expect("io_uring works here")
}

#[test]
fn a_discard_frees_the_storage_of_a_block_device_and_of_nothing_else() {
    let folder = Folder::new();
    let path = folder.file(8 * MIB);
    let Some(device) = Loop::over(&path) else { return };
    let allocated = || fs::metadata(&path).expect("it is there").blocks() * 512;
    run(async |ring| {
        let opened = FileDevice::open(&ring, &device.0, options(Cache::Direct, Lock::Exclusive));
        let opened = opened.expect("it is ours");
        assert!(opened.is_block_device());
        opened.write(0, pattern(8 * MIB, 1)).await.1.expect("there is room");
        opened.flush().await.expect("it is there");
        assert_eq!(allocated(), 8 * MIB);
        let handle = opened.handle();
        handle.discard(ByteRange::new(MIB, 5 * MIB)).expect("loop devices discard");
        handle.discard(ByteRange::new(MIB, MIB)).expect("nothing is nothing");
        assert_eq!(allocated(), 4 * MIB);
        for (at, kept) in [(0, true), (MIB, false), (5 * MIB - 4096, false), (5 * MIB, true)] {
            let (bytes, result) = opened.read(at, Buffer::zeroed(4096)).await;
            result.expect("it can be read");
            assert_eq!(bytes.iter().all(|&byte| byte == 0), !kept, "at {at}");
        }
        let refused = handle.discard(ByteRange::new(7 * MIB, 9 * MIB)).expect_err("it ends before");
        assert_eq!(refused.kind, ErrorKind::InvalidRequest);
    });
}

#[test]
fn a_device_that_promises_no_zeroes_is_told_of_discards_and_written_zeroes() {
    let folder = Folder::new();
    let path = folder.file(8 * MIB);
    let Some(device) = Loop::over(&path) else { return };
    let allocated = || fs::metadata(&path).expect("it is there").blocks() * 512;
    run(async |ring| {
        let opened = FileDevice::open(&ring, &device.0, options(Cache::Direct, Lock::Exclusive));
        let opened = opened.expect("it is ours");
        let geometry = opened.geometry();
        opened.geometry.set(Geometry { unmaps: false, ..geometry });
        opened.write(0, pattern(8 * MIB, 1)).await.1.expect("there is room");
        opened.write_zeroes(ByteRange::at(0, MIB), Unmap::Allowed).await.expect("they are written");
        opened.flush().await.expect("it is there");
        assert_eq!(allocated(), 8 * MIB);
        opened.discard(ByteRange::at(MIB, 2 * MIB)).await.expect("loop devices discard");
        assert_eq!(allocated(), 6 * MIB);
        let (bytes, result) = opened.read(0, Buffer::zeroed(4 * MIB as usize)).await;
        result.expect("it can be read");
        assert!(bytes[..3 * MIB as usize].iter().all(|&byte| byte == 0));
        assert!(bytes[3 * MIB as usize..] == pattern(8 * MIB, 1)[3 * MIB as usize..4 * MIB as usize]);
        opened.geometry.set(Geometry { unmaps: false, discards: false, ..geometry });
        opened.discard(ByteRange::at(4 * MIB, MIB)).await.expect("it is ignored");
        assert_eq!(allocated(), 6 * MIB);
    });
}

#[test]
fn a_file_that_cannot_punch_keeps_its_storage_and_makes_zeroes_all_the_same() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let allocated = || fs::metadata(&path).expect("it is there").blocks() * 512;
    run(async |ring| {
        let opened = FileDevice::open(&ring, &path, options(Cache::Direct, Lock::Image));
        let opened = opened.expect("it is ours");
        opened.geometry.set(Geometry { unmaps: false, discards: false, ..opened.geometry() });
        opened.write(0, pattern(MIB, 1)).await.1.expect("there is room");
        opened.discard(ByteRange::at(0, MIB / 2)).await.expect("it is ignored");
        let (bytes, _) = opened.read(0, Buffer::zeroed(MIB as usize)).await;
        assert!(*bytes == *pattern(MIB, 1));
        opened.write_zeroes(ByteRange::at(0, MIB / 2), Unmap::Allowed).await.expect("they are written");
        opened.flush().await.expect("it is there");
        let (bytes, _) = opened.read(0, Buffer::zeroed(MIB as usize / 2)).await;
        assert!(bytes.iter().all(|&byte| byte == 0));
        assert_eq!(allocated(), MIB);
    });
}

#[test]
fn a_file_keeps_its_storage_and_says_that_it_does_not_discard() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    fs::write(&path, vec![1; MIB as usize]).expect("there is room");
    let handle = Handle::open(&path, options(Cache::Direct, Lock::Exclusive)).expect("it is ours");
    let refused = handle.discard(ByteRange::new(0, MIB)).expect_err("a file does not");
    assert_eq!((refused.kind, refused.operation), (ErrorKind::Unsupported, Operation::Discard));
    assert_eq!(fs::read(&path).expect("it is there"), vec![1; MIB as usize]);
}

#[test]
fn opening_a_file_changes_neither_its_content_nor_its_times() {
    let folder = Folder::new();
    let path = folder.file(MIB);
    let about = || {
        let about = fs::metadata(&path).expect("it is there");
        let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
        (about.len(), about.blocks(), times)
    };
    let before = about();
    run(|ring| {
        let path = path.clone();
        async move {
            let wanted = options(Cache::Direct, Lock::Image);
            drop(FileDevice::open(&ring, &path, wanted).expect("it is ours"));
            drop(SyncFile::open(&path, wanted).expect("it is ours"));
        }
    });
    assert_eq!(about(), before, "it may be another program's, or its mark is to be read first");
}
