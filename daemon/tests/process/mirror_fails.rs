//! Mirrored dirty data, and one of the two devices fails while guests write: no guest notices, the operator
//! is notified, and after a replacement the other one may fail as well.
//!
//! Devices fail without special rights: a file in memory that is sealed against writes refuses all of them
//! from then on and still reads; reads of a truncated file fail.

use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicU64, Ordering};

use doors::nbd::Client;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

use crate::host::{Daemon, Host, content};
use crate::mirror::{paths, pool, wait_for_copies};
use crate::warm::{bytes_of, image};

const PAGE: u64 = 4096;
const MIB: u64 = 1 << 20;
/// More than RAM is allowed to hold, fewer than may be dirty.
const PAGES: u64 = 400;
const DEVICES: [&str; 2] = ["one.img", "two.img"];
const DEVICE_BYTES: u64 = 64 * MIB;
const NEW: &str = "three.img";
/// Rounds of the guest before the device fails, and after it has left.
const ROUNDS: u64 = 2;

/// A device of the pool that can be made to fail.
enum Failing {
    /// Refuses every write from then on.
    Sealed(File),
    /// Is too short for every read.
    CutOff(File),
}

#[derive(Clone, Copy, Debug)]
enum How {
    Sealed,
    CutOff,
}

impl Failing {
    /// Returns an empty device at a path of the host.
    fn at(host: &Host, name: &str, how: How) -> Self {
        match how {
            How::Sealed => {
                let file = memfd_create(c"device", MFdFlags::MFD_ALLOW_SEALING).expect("there is memory");
                let file = File::from(file);
                file.set_len(DEVICE_BYTES).expect("there is memory");
                let target = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
                symlink(target, host.path(name)).expect("the folder is ours");
                Self::Sealed(file)
            }
            How::CutOff => {
                let path = host.image(name, DEVICE_BYTES);
                Self::CutOff(OpenOptions::new().write(true).open(path).expect("it was made just now"))
            }
        }
    }

    /// Makes it fail. Must be repeated until the failure is noticed: a write makes a file longer again.
    fn fail(&self) {
        match self {
            Self::Sealed(file) => match fcntl(file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_WRITE)) {
                // In use by the kernel at this moment.
                Ok(_) | Err(Errno::EBUSY) => {}
                Err(error) => panic!("cannot seal: {error}"),
            },
            Self::CutOff(file) => file.set_len(4 * MIB).expect("the folder is ours"),
        }
    }
}

fn place(number: u64) -> u64 {
    number * 7 % PAGES * 3 * PAGE
}

fn page(number: u64, version: u64) -> Vec<u8> {
    bytes_of(1000 * version + number + 7, PAGE)
}

/// Writes all pages; in between reads some that were written before, of this version or of the one before.
fn write(guest: &mut Client, version: u64) {
    for number in 0..PAGES {
        guest.write(place(number), &page(number, version)).expect("no guest sees an error");
        let other = (number * 13 + 5) % PAGES;
        let expected = page(other, if other <= number { version } else { version - 1 });
        let found = guest.read(place(other), PAGE as u32).expect("no guest sees an error");
        assert!(found == expected, "page {other} while page {number} of version {version} is written");
        if number % 16 == 0 {
            guest.flush().expect("no guest sees an error");
        }
    }
}

fn assert_served(daemon: &Daemon, version: u64) {
    let mut guest = daemon.guest("a");
    for number in 0..PAGES {
        let found = guest.read(place(number), PAGE as u32).expect("no guest sees an error");
        assert!(found == page(number, version), "page {number} is not version {version}");
    }
}

/// Makes a guest write version after version, from the next one on, while `change` runs, and some more
/// afterwards. Returns the last one.
fn under_load(daemon: &Daemon, version: u64, change: impl FnOnce(&dyn Fn() -> u64)) -> u64 {
    let (rounds, last) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let mut guest = daemon.guest("a");
    std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            for version in version + 1.. {
                write(&mut guest, version);
                if rounds.fetch_add(1, Ordering::SeqCst) + 1 >= last.load(Ordering::SeqCst) {
                    return version;
                }
            }
            unreachable!("it is told when to end");
        });
        change(&|| {
            assert!(!load.is_finished(), "the guest saw an error");
            rounds.load(Ordering::SeqCst)
        });
        last.store(rounds.load(Ordering::SeqCst) + ROUNDS, Ordering::SeqCst);
        load.join().expect("no guest sees an error")
    })
}

/// Checks that some acknowledged writes are on flash only.
fn assert_dirty(image: &str, version: u64) {
    let is_home = |number| content(image, place(number), PAGE as usize) == page(number, version);
    assert!(!(0..PAGES).all(is_home), "nothing is dirty");
}

fn serve(host: &Host) -> Daemon {
    host.serve_with(&["--pool", &host.text(DEVICES[0])])
}

/// Returns a pool of two devices, one of which can be made to fail, and a mirrored disk that has version 1 of
/// all pages.
fn mirrored(host: &Host, failing: usize, how: How) -> (Daemon, Failing, String) {
    let image = image(host, "a.img", 1);
    let device = Failing::at(host, DEVICES[failing], how);
    host.image(DEVICES[1 - failing], DEVICE_BYTES);
    let daemon = serve(host);
    daemon.run(&["pool", "add", &host.text(DEVICES[1]), "--same-drive"]).succeeded();
    let add = ["disk", "add", "a", "--backing", &image, "--mode", "write-back", "--reserve", "32MiB"];
    daemon.run(&add).succeeded();
    // So slow that something is dirty all the time, however long this machine takes for the rest.
    daemon.run(&["disk", "set", "a", "ram=1MiB", "destage-rate-max=4KiB"]).succeeded();
    let mut guest = daemon.guest("a");
    for number in 0..PAGES {
        guest.write(place(number), &page(number, 1)).expect("no guest sees an error");
    }
    wait_for_copies(&daemon);
    (daemon, device, image)
}

#[test]
fn a_device_that_refuses_writes_under_load_is_replaced_and_then_the_other_one_goes_too() {
    fail_replace_and_lose_the_other_one(How::Sealed);
}

#[test]
fn a_device_that_is_gone_under_load_is_replaced_and_then_the_other_one_goes_too() {
    fail_replace_and_lose_the_other_one(How::CutOff);
}

#[test]
fn a_device_that_failed_is_replaced_though_something_is_still_there_under_its_name() {
    let host = Host::new();
    let (daemon, device, _image) = mirrored(&host, 1, How::Sealed);
    let (failed, new) = (host.text(DEVICES[1]), host.text(NEW));
    let version = under_load(&daemon, 1, |rounds| {
        fail(&daemon, &device, rounds);
        daemon
            .run(&["pool", "replace", &failed, &new, "--size", "64MiB", "--same-drive", "--wait"])
            .succeeded();
    });
    assert_served(&daemon, version);
    assert_eq!(paths(&daemon), [host.text(DEVICES[0]), new.clone()]);
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("Another one is in its place"), "{shown}");
    // A second replacement is refused.
    let again = daemon.run(&["pool", "replace", &failed, &host.text("four.img"), "--size", "64MiB"]).failed();
    assert!(again.contains("none of its devices"), "{again}");
}

/// In the second before the record of a failed device is removed, a kill leaves a state.json with it for the
/// next start. Its own list, and its mark, show it as part of the pool: only the least epoch in state.json
/// excludes it.
#[test]
fn a_device_that_failed_under_load_and_comes_back_alone_is_stale_and_its_disk_waits() {
    for (failing, stays) in [(0, 1), (1, 0)] {
        let host = Host::new();
        let (daemon, device, _image) = mirrored(&host, failing, How::Sealed);
        let state = fs::read(host.path("d/state.json")).expect("it is there");
        let version = under_load(&daemon, 1, |rounds| fail(&daemon, &device, rounds));
        daemon.kill();
        let document =
            |text: &[u8]| -> serde_json::Value { serde_json::from_slice(text).expect("it is JSON") };
        let (mut before, now) =
            (document(&state), document(&fs::read(host.path("d/state.json")).expect("it is there")));
        before["least_epochs"] = now["least_epochs"].clone();
        before["backings"] = now["backings"].clone();
        before["checksum"] = "edited".into();
        fs::write(host.path("d/state.json"), before.to_string()).expect("the folder is ours");
        fs::rename(host.path(DEVICES[stays]), host.path("away.img")).expect("it is there");
        let daemon = serve(&host);
        assert_eq!(daemon.disk("a")["state"], "waiting", "{}", daemon.disk("a"));
        let reason = pool(&daemon)["reason"].to_string();
        assert!(reason.contains("continued without the devices that are here"), "{reason}");
        assert_eq!(daemon.stop().code(), Some(0));

        fs::rename(host.path("away.img"), host.path(DEVICES[stays])).expect("it was there");
        let daemon = serve(&host);
        assert_eq!(paths(&daemon), [host.text(DEVICES[stays])]);
        assert_served(&daemon, version);
    }
}

/// Makes the device fail, and waits until the pool has removed it.
fn fail(daemon: &Daemon, device: &Failing, rounds: &dyn Fn() -> u64) {
    while paths(daemon).len() > 1 {
        device.fail();
        rounds();
    }
}

fn fail_replace_and_lose_the_other_one(how: How) {
    for (failing, stays) in [(0, 1), (1, 0)] {
        let host = Host::new();
        let (daemon, device, image) = mirrored(&host, failing, how);
        let failed = host.text(DEVICES[failing]);

        // It fails while a guest writes.
        let version = under_load(&daemon, 1, |rounds| {
            while rounds() < ROUNDS {}
            fail(&daemon, &device, rounds);
        });
        assert_dirty(&image, version);
        assert_served(&daemon, version);
        assert_eq!(paths(&daemon), [host.text(DEVICES[stays])], "{how:?}");
        assert_told(&daemon, &failed);
        let status = daemon.run(&["status"]);
        assert!(
            status.status == 1 && status.stdout.contains("pool is degraded: the pool lost"),
            "{status:?}"
        );

        // After its removal and a kill, all data is there.
        daemon.kill();
        fs::rename(host.path(DEVICES[failing]), host.path("away.img")).expect("it is there");
        let daemon = serve(&host);
        assert_served(&daemon, version);

        // It is replaced while a guest writes.
        let new = host.text(NEW);
        let version = under_load(&daemon, version, |_| {
            let replace = ["pool", "replace", &failed, &new, "--size", "64MiB", "--same-drive", "--wait"];
            daemon.run(&replace).succeeded();
        });
        wait_for_copies(&daemon);
        assert!(daemon.run(&["status"]).succeeded().contains("all is well"));
        assert_dirty(&image, version);

        // The other one is lost as well, and the one that failed returns, with older data.
        daemon.kill();
        fs::remove_file(host.path(DEVICES[stays])).expect("it is there");
        fs::rename(host.path("away.img"), host.path(DEVICES[failing])).expect("it is there");
        let daemon = serve(&host);
        assert_served(&daemon, version);
        assert_eq!(paths(&daemon), [new], "{how:?}");
        daemon.run(&["disk", "set", "a", "destage-rate-max=0"]).succeeded();
        daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
        for number in 0..PAGES {
            let at_home = content(&image, place(number), PAGE as usize);
            assert!(at_home == page(number, version), "page {number} came home");
        }
    }
}

/// Checks that log, pool and disk report a failed device: its path, and the remedy.
fn assert_told(daemon: &Daemon, failed: &str) {
    let replace = format!("forebay pool replace {failed}");
    let line = daemon.wait_for_log(&format!("{failed} failed and leaves the pool"));
    assert!(line.contains(&replace), "{line}");
    let shown = daemon.run(&["pool", "show"]).succeeded();
    let warning = shown.lines().find(|line| line.contains(&format!("{failed} failed at 20")));
    assert!(warning.is_some_and(|line| line.contains(&replace)), "{shown}");
    let disk = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(disk.contains("NOT mirrored"), "{disk}");
}
