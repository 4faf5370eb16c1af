//! Stacks of a simulated host: folders in the kernel's layout.

use std::os::unix::fs::symlink;

use base::testing::TempDir;
use block::SECTOR;
use block::file::{Cache, Handle, Lock, OpenOptions};

use super::*;

/// A host with these devices: `sda` (8:0) with partitions 1 and 2, `loop0` (7:0) over a file with partition 1 (259:0), `loop1` (7:1)
/// over the second MiB of the same file, volumes `dm-0` and `dm-1` on `sda2`.
struct PretendedHost {
    dir: TempDir,
    folders: KernelFolders,
}

const MIB: u64 = 1 << 20;

impl PretendedHost {
    fn new() -> Self {
        let dir = TempDir::new();
        let folder = |name: &str| dir.path().join(name);
        let folders = KernelFolders { sys: folder("sys"), proc: folder("proc"), dev: folder("dev") };
        let host = Self { dir, folders };
        for name in ["sys/block", "sys/dev/block", "proc/self", "dev"] {
            fs::create_dir_all(host.path(name)).expect("the folder is ours");
        }
        fs::write(host.path("file.img"), [0; 16]).expect("the folder is ours");
        fs::write(host.path("other.img"), [0; 16]).expect("the folder is ours");
        host.swaps("");
        host.mounts("");
        host.device("sda", "8:0", 100 * MIB);
        host.partition("sda", "sda1", "8:1", MIB, 9 * MIB);
        host.partition("sda", "sda2", "8:2", 10 * MIB, 90 * MIB);
        host.loop_device("loop0", "7:0", 0);
        host.partition("loop0", "loop0p1", "259:0", MIB, MIB);
        host.loop_device("loop1", "7:1", MIB);
        host.volume("dm-0", "253:0", "sda2");
        host.volume("dm-1", "253:1", "sda2");
        host
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("the folder is ours");
        fs::write(path, format!("{text}\n")).expect("the folder is ours");
    }

    fn device(&self, name: &str, number: &str, bytes: u64) {
        let real = format!("sys/devices/{name}");
        self.write(&format!("{real}/dev"), number);
        self.write(&format!("{real}/size"), &(bytes / SECTOR).to_string());
        self.write(&format!("{real}/ro"), "0");
        symlink(self.path(&real), self.path(&format!("sys/block/{name}"))).expect("the folder is ours");
        symlink(self.path(&real), self.path(&format!("sys/dev/block/{number}"))).expect("the folder is ours");
    }

    fn partition(&self, whole: &str, name: &str, number: &str, start: u64, bytes: u64) {
        let real = format!("sys/devices/{whole}/{name}");
        self.write(&format!("{real}/dev"), number);
        self.write(&format!("{real}/partition"), "1");
        self.write(&format!("{real}/start"), &(start / SECTOR).to_string());
        self.write(&format!("{real}/size"), &(bytes / SECTOR).to_string());
        symlink(self.path(&real), self.path(&format!("sys/dev/block/{number}"))).expect("the folder is ours");
    }

    fn loop_device(&self, name: &str, number: &str, offset: u64) {
        self.device(name, number, MIB);
        let about = format!("sys/devices/{name}/loop");
        self.write(&format!("{about}/backing_file"), &self.path("file.img").display().to_string());
        self.write(&format!("{about}/offset"), &offset.to_string());
        self.write(&format!("{about}/sizelimit"), &MIB.to_string());
    }

    fn volume(&self, name: &str, number: &str, below: &str) {
        self.device(name, number, 10 * MIB);
        self.write(&format!("sys/devices/{name}/dm/name"), "group-volume");
        fs::create_dir(self.path(&format!("sys/devices/{name}/slaves"))).expect("the folder is ours");
        let (below, link) =
            (self.path(&format!("sys/devices/sda/{below}")), format!("sys/devices/{name}/slaves/x"));
        symlink(below, self.path(&link)).expect("the folder is ours");
    }

    fn swaps(&self, lines: &str) {
        self.write("proc/swaps", &format!("Filename Type Size Used Priority\n{lines}"));
    }

    fn mounts(&self, lines: &str) {
        self.write("proc/self/mountinfo", lines);
    }

    fn file(&self, name: &str) -> Identity {
        Identity::of(&self.path(name)).expect("it is there")
    }

    fn overlap(&self, one: Identity, two: Identity) -> bool {
        let (one, two) = (self.folders.stack_of(one), self.folders.stack_of(two));
        assert_eq!(one.overlaps(&two), two.overlaps(&one), "{one:?} {two:?}");
        one.overlaps(&two)
    }

    fn user(&self, of: Identity) -> Option<String> {
        self.folders.user_of(of, Access::ReadWrite, Images::Refused)
    }
}

fn numbered(text: &str) -> Identity {
    device(parse_rdev(text).expect("it is one"))
}

#[test]
fn a_loop_device_and_the_file_below_it_are_one_storage() {
    let host = PretendedHost::new();
    let (file, [first, second, part]) = (host.file("file.img"), ["7:0", "7:1", "259:0"].map(numbered));
    assert!(host.overlap(file, first) && host.overlap(file, second) && host.overlap(file, part));
    assert!(!host.overlap(host.file("other.img"), first));
    assert!(!host.overlap(first, second), "they show different parts of the file");
    host.write("sys/devices/loop1/loop/offset", &(MIB / 2).to_string());
    assert!(host.overlap(first, second), "the parts overlap");
}

#[test]
fn a_partition_and_its_whole_disk_are_one_storage_and_two_partitions_are_not() {
    let host = PretendedHost::new();
    let [whole, first, second] = ["8:0", "8:1", "8:2"].map(numbered);
    assert!(host.overlap(whole, first) && host.overlap(whole, second) && host.overlap(first, first));
    assert!(!host.overlap(first, second));
}

#[test]
fn a_volume_is_on_the_devices_below_it_and_not_on_its_neighbours() {
    let host = PretendedHost::new();
    let [volume, neighbour, below, whole, other] = ["253:0", "253:1", "8:2", "8:0", "8:1"].map(numbered);
    assert!(host.overlap(volume, below) && host.overlap(volume, whole));
    assert!(!host.overlap(volume, neighbour) && !host.overlap(volume, other));
    let user = host.user(below).expect("it is in use");
    assert!(user.contains("a part of /dev/dm-") && user.contains("group-volume"), "{user}");
    assert!(host.user(whole).is_some());
    assert_eq!(host.user(volume), None);
    assert_eq!(host.user(other), None);
}

#[test]
fn swap_space_is_in_use_whatever_it_is_named_by() {
    let host = PretendedHost::new();
    let file = host.path("other.img");
    assert_eq!(host.user(host.file("other.img")), None);
    host.swaps(&format!("{} file 16 0 -2\n", file.display()));
    fs::hard_link(&file, host.path("second name")).expect("the folder is ours");
    for name in ["other.img", "second name"] {
        let user = host.user(host.file(name)).expect("it is in use");
        assert!(user.contains("swap"), "{user}");
    }
    host.swaps(&format!("{} file 16 0 -2\n", host.path("second\\040name").display()));
    assert!(host.user(host.file("other.img")).is_some(), "the kernel writes blanks in digits");
}

#[test]
fn swap_space_needs_a_device_as_a_part_a_volume_or_a_file_of_it() {
    let host = PretendedHost::new();
    let needing = |rdev| host.folders.swap_needing(rdev);
    let file = host.path("other.img");
    let below = host.file("other.img").device;
    assert_eq!(needing(below), None);
    host.swaps(&format!("{} file 16 0 -2\n", file.display()));
    assert_eq!(needing(below), Some(file));
    assert_eq!(needing(numbered("8:1").rdev), None);
}

#[test]
fn what_is_mounted_is_in_use_down_to_the_file_below_it() {
    let host = PretendedHost::new();
    host.write("sys/devices/loop0/ro", "1");
    host.write("sys/devices/loop1/ro", "1");
    let file = host.file("file.img");
    assert_eq!(host.user(file), None, "loop devices that cannot be written change nothing");
    let mount = |number: &str, options: &str| {
        host.mounts(&format!("36 35 {number} / /mnt/a\\040b rw,relatime - ext4 /dev/x {options}"));
    };
    mount("7:0", "rw");
    let user = host.user(file).expect("it is in use");
    assert!(user.contains("mounted at /mnt/a b"), "{user}");
    assert!(host.user(numbered("7:0")).is_some() && host.user(numbered("259:0")).is_some());
    assert_eq!(host.user(host.file("other.img")), None);
    mount("8:1", "rw");
    assert!(host.user(numbered("8:0")).is_some_and(|user| user.contains("mounted")));
    let read = |access| host.folders.user_of(numbered("8:1"), access, Images::Refused);
    mount("8:1", "ro,errors=remount-ro");
    assert_eq!(read(Access::ReadOnly), None, "nobody changes it");
    assert!(read(Access::ReadWrite).is_some());
}

#[test]
fn a_file_with_a_writable_loop_device_over_it_is_not_added_and_the_loop_device_is() {
    let host = PretendedHost::new();
    host.write("sys/devices/loop1/ro", "1");
    let file = host.file("file.img");
    let user = host.user(file).expect("it can be changed");
    assert!(user.contains("losetup -d /dev/loop0"), "{user}");
    assert_eq!(host.user(numbered("7:0")), None);
    assert_eq!(host.user(numbered("259:0")), None, "a partition of it");
    let once_more = host.folders.user_of(file, Access::ReadWrite, Images::ServedAsRaw);
    assert_eq!(once_more, None, "a disk that was added before is served");
}

#[test]
fn a_lock_of_the_file_below_a_loop_device_is_a_use_of_the_device() {
    let host = PretendedHost::new();
    let user = |of: &str| host.user(numbered(of));
    assert_eq!((user("7:0"), user("259:0")), (None, None));
    let options = OpenOptions {
        access: Access::ReadWrite,
        cache: Cache::Buffered,
        lock: Lock::Exclusive,
        create: None,
    };
    fs::write(host.path("file.img"), [0; 512]).expect("the folder is ours");
    let holder = Handle::open(&host.path("file.img"), options).expect("nobody has it");
    for name in ["7:0", "7:1", "259:0"] {
        let user = user(name).expect("it is in use");
        assert!(user.contains("file.img") && user.contains("another process"), "{user}");
    }
    let held = |of: Identity| host.folders.holder_of(of, Access::ReadWrite);
    assert_eq!(held(host.file("file.img")), None, "opening it tells");
    assert_eq!(held(host.file("other.img")), None);
    drop(holder);
    assert_eq!(user("7:0"), None);
}

#[test]
fn what_the_kernel_does_not_describe_is_the_storage_that_it_is() {
    let host = PretendedHost::new();
    let unknown = numbered("99:7");
    assert!(host.overlap(unknown, unknown) && !host.overlap(unknown, numbered("99:8")));
    host.mounts("garbage\n1 2 3\n- - -");
    host.swaps("\n\\\n\\9\n");
    assert_eq!(host.user(unknown), None);
    assert_eq!(host.folders.memory_device(unknown), None);
    host.device("zram0", "251:0", MIB);
    assert!(host.folders.memory_device(numbered("251:0")).is_some_and(|reason| reason.contains("zram0")));
    assert_eq!(host.folders.memory_device(numbered("8:0")), None);
}
