//! Effects of a guest's discards, zeroes and writes on the storage of the backing: the table of
//! docs/backings.md, cell by cell.

use std::fs;
use std::os::unix::fs::MetadataExt;

use doors::nbd::Client;
use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, command_flags};

use crate::host::{Daemon, Host, Loop, content};
use crate::statistics::get;
use crate::warm::bytes_of;

const MIB: u64 = 1 << 20;
const IMAGE: u64 = 16 * MIB;
/// Tolerance: the allocation of a file differs by a few blocks of its file system.
const SLACK: u64 = 128 << 10;
/// Settings with enough flash for all dirty data of the tests, which stays dirty until it is destaged on
/// request.
const ROOM: [&str; 6] = ["--reserve", "32MiB", "--dirty-limit", "7MiB", "--destage-rate-max", "4KiB"];

/// Storage below a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Device,
    Server,
}

/// A disk of 16 MiB, every byte of which is allocated.
struct Rig {
    daemon: Daemon,
    host: Host,
    image: String,
    mode: &'static str,
    _beneath: Option<(Daemon, Host)>,
    _device: Option<Loop>,
}

impl Rig {
    /// Returns none if this host has no loop devices.
    fn new(kind: Kind, mode: &'static str) -> Option<Self> {
        let host = Host::new();
        let image = host.text("image.raw");
        fs::write(&image, bytes_of(1, IMAGE)).expect("the folder is ours");
        let (mut device, mut beneath) = (None, None);
        let backing = match kind {
            Kind::File => image.clone(),
            Kind::Device => device.insert(Loop::over(&image)?).0.clone(),
            Kind::Server => {
                let server = Host::new();
                let daemon = server.serve();
                daemon.run(&["disk", "add", "base", "--backing", &image]).succeeded();
                let socket = daemon.nbd_socket("base");
                beneath = Some((daemon, server));
                format!("nbd+unix:///base?socket={}", socket.display())
            }
        };
        let daemon = host.serve();
        let mut add = vec!["disk", "add", "a", "--backing", &backing, "--mode", mode];
        if mode == "write-back" {
            add.extend(ROOM);
            if kind != Kind::File {
                add.push("--allow-unmarked");
            }
        }
        daemon.run(&add).succeeded();
        Some(Self { daemon, host, image, mode, _beneath: beneath, _device: device })
    }

    fn guest(&self) -> Client {
        self.daemon.guest("a")
    }

    /// Returns the allocated bytes of the image once the backing is complete.
    fn allocated(&self) -> u64 {
        self.come_home();
        fs::File::open(&self.image).and_then(|file| file.sync_all()).expect("it is there");
        fs::metadata(&self.image).expect("it is there").blocks() * 512
    }

    fn come_home(&self) {
        self.guest().flush().expect("the disk is served");
        if self.mode == "write-back" {
            self.daemon.run(&["disk", "set", "a", "destage-rate-max=0"]).succeeded();
            self.daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
        }
    }
}

/// Writes zeroes that must keep their storage.
fn zeroes_kept(guest: &mut Client, offset: u64, length: u64) {
    let length = u32::try_from(length).expect("it is short");
    guest.send(Command::WriteZeroes, command_flags::NO_HOLE, offset, length, &[]).expect("it is served");
    let answer = guest.receive().expect("it is served");
    assert_eq!(answer.error, None);
}

/// Runs a test for every kind of backing in every mode that writes.
fn each(test: impl Fn(Kind, &Rig)) {
    for kind in [Kind::File, Kind::Device, Kind::Server] {
        for mode in ["write-through", "write-back", "write-around", "pass-through"] {
            let Some(rig) = Rig::new(kind, mode) else { continue };
            println!("{kind:?} in {mode}");
            test(kind, &rig);
        }
    }
}

fn is_zero(guest: &mut Client, offset: u64, length: u64) -> bool {
    let bytes = guest.read(offset, u32::try_from(length).expect("it is short")).expect("it is served");
    bytes.iter().all(|byte| *byte == 0)
}

#[test]
fn a_discard_gives_storage_of_every_backing_back_in_every_mode() {
    each(|_, rig| {
        let before = rig.allocated();
        let mut guest = rig.guest();
        // Over data that was just written, and is dirty in write-back.
        guest.write(2 * MIB, &bytes_of(2, MIB)).expect("it is served");
        guest.trim(MIB, 4 << 20).expect("it is served");
        assert!(is_zero(&mut guest, MIB, 4 * MIB));
        let after = rig.allocated();
        assert!(after <= before - 4 * MIB + SLACK, "{before} bytes before, {after} after");
        assert!(is_zero(&mut guest, MIB, 4 * MIB));
        // The rest is unchanged, to the byte.
        assert!(guest.read(0, 1 << 20).expect("it is served") == content(&rig.image, 0, MIB as usize));
        assert!(guest.read(5 * MIB, 512).expect("it is served") == bytes_of(1, IMAGE)[5 << 20..][..512]);
    });
}

#[test]
fn a_discard_of_a_part_of_a_page_leaves_the_page_as_it_was() {
    each(|_, rig| {
        let mut guest = rig.guest();
        let before = guest.read(4096, 4096).expect("it is served");
        guest.trim(4096 + 512, 1024).expect("it is served");
        assert!(guest.read(4096, 4096).expect("it is served") == before);
    });
}

#[test]
fn zeroes_that_must_keep_their_storage_keep_it_on_every_backing_in_every_mode() {
    each(|_, rig| {
        let before = rig.allocated();
        let mut guest = rig.guest();
        guest.write(2 * MIB, &bytes_of(2, MIB)).expect("it is served");
        zeroes_kept(&mut guest, MIB, 4 * MIB);
        assert!(is_zero(&mut guest, MIB, 4 * MIB));
        let after = rig.allocated();
        assert!(after + SLACK >= before, "{before} bytes before, {after} after");
        assert!(is_zero(&mut guest, MIB, 4 * MIB));
        assert!(content(&rig.image, MIB, 4 << 20).iter().all(|byte| *byte == 0), "also beneath");
    });
}

#[test]
fn zeroes_that_may_give_their_storage_up_do_so_on_every_backing_in_every_mode() {
    each(|_, rig| {
        let before = rig.allocated();
        let mut guest = rig.guest();
        guest.write_zeroes(MIB, 4 << 20).expect("it is served");
        assert!(is_zero(&mut guest, MIB, 4 * MIB));
        let after = rig.allocated();
        assert!(after <= before - 4 * MIB + SLACK, "{before} bytes before, {after} after");
        assert!(is_zero(&mut guest, MIB, 4 * MIB));
    });
}

#[test]
fn a_write_with_fua_and_what_a_flush_covers_is_on_the_backing_unless_flash_has_it() {
    each(|_, rig| {
        let mut guest = rig.guest();
        guest.write_durably(MIB, &bytes_of(3, 4096)).expect("it is served");
        guest.write(2 * MIB, &bytes_of(4, 4096)).expect("it is served");
        guest.flush().expect("it is served");
        if rig.mode == "write-back" {
            rig.come_home();
        }
        assert!(content(&rig.image, MIB, 4096) == bytes_of(3, 4096));
        assert!(content(&rig.image, 2 * MIB, 4096) == bytes_of(4, 4096));
    });
}

#[test]
fn extents_show_the_holes_that_discards_made_where_the_backing_knows_them() {
    const HOLE_AND_ZERO: u32 = 3;
    each(|kind, rig| {
        rig.guest().trim(4 * MIB, 4 << 20).expect("it is served");
        rig.come_home();
        let expected = if kind == Kind::Device { 0 } else { HOLE_AND_ZERO };
        let socket = rig.daemon.nbd_socket("a");
        let mut guest = Client::connect(&socket, "a", Replies::Structured).expect("it is served");
        let hole = guest.block_status(4 * MIB, 4 << 20).expect("it is served");
        assert_eq!(hole, [(4 << 20, expected)]);
        let data = guest.block_status(0, 1 << 20).expect("it is served");
        assert_eq!(data, [(1 << 20, 0)]);
    });
}

#[test]
fn zeroes_that_must_keep_their_storage_are_still_known_as_such_after_a_kill() {
    let rig = Rig::new(Kind::File, "write-back").expect("files are to be had");
    let before = rig.allocated();
    rig.daemon.run(&["disk", "set", "a", "destage-rate-max=4KiB"]).succeeded();
    let mut guest = rig.guest();
    // With dirty data the zeroes are written to the log.
    guest.write(MIB, &bytes_of(2, 4096)).expect("it is served");
    zeroes_kept(&mut guest, MIB, 4 * MIB);
    guest.write(8 * MIB, &bytes_of(2, 4096)).expect("it is served");
    guest.trim(8 * MIB, 2 << 20).expect("it is served");
    guest.flush().expect("it is served");
    drop(guest);
    let Rig { daemon, host, image, mode, .. } = rig;
    daemon.kill();
    let rig = Rig { daemon: host.serve(), host, image, mode, _beneath: None, _device: None };
    let after = rig.allocated();
    assert!(after <= before - 2 * MIB + SLACK, "what may go has gone: {before} bytes before, {after} after");
    assert!(after + SLACK >= before - 2 * MIB, "and nothing else: {before} bytes before, {after} after");
    assert!(is_zero(&mut rig.guest(), MIB, 4 * MIB) && is_zero(&mut rig.guest(), 8 * MIB, 2 * MIB));
    drop(rig.host);
}

#[test]
fn holes_are_read_again_and_again_and_take_no_flash() {
    let host = Host::new();
    let image = host.image("holes.raw", 64 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "set", "a", "admission=always", "ram=1MiB", "sequential-cutoff=0"]).succeeded();
    let mut guest = daemon.guest("a");
    for _ in 0..3 {
        for at in (0..64 * MIB).step_by(MIB as usize) {
            assert!(is_zero(&mut guest, at, MIB));
        }
    }
    let statistics = daemon.json(&["stats", "a"])["disks"][0].clone();
    assert_eq!(statistics["cached_bytes"], 0, "{statistics}");
    assert_eq!(statistics["total"]["backing_read_bytes"], 64 * MIB, "each was asked for once: {statistics}");
    assert_eq!(statistics["total"]["read_hits_ram"], 128, "{statistics}");
    // New writes there are read back, and so are new zeroes.
    guest.write(3 * MIB, &bytes_of(5, 4096)).expect("it is served");
    assert!(guest.read(3 * MIB, 4096).expect("it is served") == bytes_of(5, 4096));
    assert!(is_zero(&mut guest, 3 * MIB + 4096, 4096));
    guest.write_zeroes(3 * MIB, 4096).expect("it is served");
    assert!(is_zero(&mut guest, 3 * MIB, MIB));
}

#[test]
fn guests_are_shown_the_sectors_of_the_backing_a_key_says_otherwise_and_what_they_were_shown_stays() {
    let host = Host::new();
    let image = host.image("a.raw", 16 * MIB);
    let sectors = |daemon: &Daemon| daemon.guest("a").facts().block_min;
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert_eq!(sectors(&daemon), 512, "a file");
    let mut earlier = daemon.guest("a");
    daemon.run(&["disk", "set", "a", "sector-size=4096"]).succeeded();
    assert_eq!(sectors(&daemon), 4096);
    let words = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(words.contains("4096 bytes, as guests see them"), "{words}");
    let qemu_over_nbd = |daemon: &Daemon| {
        daemon.run(&["disk", "show", "a", "--connect", "qemu", "--door", "nbd"]).succeeded()
    };
    let (_, of_page) = get(&daemon, "/v1/disks/a/connect");
    for lines in [qemu_over_nbd(&daemon), of_page.to_string()] {
        assert!(lines.contains(",logical_block_size=4096,physical_block_size=4096"), "{lines}");
    }
    earlier.write(512, &[1; 512]).expect("whoever was told 512 goes on with that");
    let refused = daemon.guest("a").write(512, &[2; 512]).expect_err("it is not a whole sector");
    assert!(refused.to_string().contains("Invalid"), "{refused}");
    drop(earlier);
    daemon.run(&["disk", "set", "a", "sector-size=auto"]).succeeded();
    assert!(daemon.stop().success());
    let daemon = host.serve();
    assert_eq!(sectors(&daemon), 4096, "a partition table that was made meanwhile is found");
    assert!(daemon.stop().success());
    fs::rename(host.path("a.raw"), host.path("away.raw")).expect("the folder is ours");
    let daemon = host.serve();
    assert_eq!(daemon.disk("a")["state"], "waiting");
    let lines = qemu_over_nbd(&daemon);
    assert!(lines.contains("logical_block_size=4096"), "it is shown so once it is served: {lines}");
    assert!(daemon.stop().success());
    fs::rename(host.path("away.raw"), host.path("a.raw")).expect("the folder is ours");
    let daemon = host.serve();
    let refused = daemon.run(&["disk", "set", "a", "sector-size=1000"]).failed();
    assert!(refused.contains("write auto, 512 or 4096"), "{refused}");
}

#[test]
fn a_block_device_with_sectors_of_4096_bytes_is_shown_as_such() {
    let host = Host::new();
    let image = host.image("a.raw", 16 * MIB);
    let Some(device) = Loop::with_sectors(&image, 4096) else { return };
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &device.0]).succeeded();
    let facts = daemon.guest("a").facts();
    assert_eq!((facts.block_min, facts.block_preferred), (4096, 4096));
    assert_eq!(daemon.json(&["disk", "show", "a"])["disk"]["sector_bytes"], 4096);
}
