//! A guest that migrates from one QEMU to another while its fio writes and verifies, over vhost-user, both of
//! them at the same daemon.
//!
//! ```text
//!   QEMU, source ──── memory, page by page ────> QEMU, destination
//!        └── door, which notes in the log ──┐             │
//!            the pages that it writes       └─ the same disks of one daemon
//! ```
//! QEMU does not see the writes of answers to the guest's memory: it copies such a page again only because
//! the door reports it. So a program in the guest reads a disk, after all memory was copied once, into a
//! buffer that it had before and does not write to itself; at the destination that must have the data. The
//! guest is emulated: it shows correctness, and no times.

use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use guest::{Guest, Kit, Running};
use serde_json::{Value, json};

use crate::fio::Job;
use crate::guest_disks::{
    Door, connect, counted, wait_for, wait_for_writes_to, words_of_disks, words_to_copy,
};
use crate::host::{Daemon, Host};
use crate::patience::until;
use crate::qemu::Monitor;
use crate::tools::checksum;

const MIB: u64 = 1 << 20;
const MEMORY_MIB: u32 = 1024;
/// Far longer than a busy machine takes; QEMU is ended then.
const SECONDS_MAX: u32 = 600;
/// `vda`, which fio writes to, and `vdb`, whose content the guest holds in memory.
const DISKS: [&str; 2] = ["worked", "known"];
const DISK_BYTES: u64 = 16 * MIB;
const JOB: Job = Job { seed: 0, depth: 32, offset_mib: 2, length_mib: 8 };
/// Bytes a second: all memory is copied within seconds, and later changes not within minutes.
const FAST: u64 = 128 * MIB;
const SLOW: u64 = 64 << 10;
const SCRIPT: &str = include_str!("migration.sh");

/// One of the two QEMUs.
struct Side {
    running: Running,
    words: UnixStream,
    monitor: PathBuf,
}

impl Side {
    fn start(host: &Host, daemon: &Daemon, name: &str, more: &[&str]) -> Self {
        let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
        let (words, monitor) =
            (host.path(&format!("{name}-words.sock")), host.path(&format!("{name}-qmp.sock")));
        let listen = |path: &PathBuf| format!("unix:{},server=on,wait=off", path.display());
        let mut arguments = words_of_disks(DISKS.map(|disk| words_to_copy(daemon, Door::VhostUser, disk)));
        arguments
            .extend(["-smp", "2", "-serial", &listen(&words), "-qmp", &listen(&monitor)].map(str::to_owned));
        arguments.extend(more.iter().map(|&word| word.to_owned()));
        let guest = Guest::new(&kit).program("fio").memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
        let guest = arguments.into_iter().fold(guest, Guest::argument);
        let line = format!("write_vda() {{ {} --randseed=$1; }}", JOB.write_line("/dev/vda"));
        let running = guest.start(&format!("{line}\n{SCRIPT}")).expect("QEMU is installed");
        // It creates the monitor first.
        let mut listens = None;
        until(|| {
            listens = UnixStream::connect(&words).ok();
            listens.is_some()
        });
        Self { running, words: listens.expect("waited for"), monitor }
    }

    fn say(&mut self, word: &str) {
        writeln!(self.words, "{word}").expect("QEMU listens");
    }

    /// Returns the rest of the next line with this beginning.
    fn told(&mut self, beginning: &str) -> String {
        let line = wait_for(&mut self.running, beginning);
        line.strip_prefix(beginning).expect("nothing stands before it").trim().to_owned()
    }
}

/// A migration of the source, controlled through its monitor.
struct Migration {
    monitor: Monitor,
}

impl Migration {
    /// Begins to copy memory to the listener at `socket`, with this many bytes a second. It ends by itself
    /// only if the later changes would take a millisecond.
    fn begin(source: &Side, socket: &str, bandwidth: u64) -> Self {
        let mut migration = Self { monitor: connect(&source.monitor) };
        migration.set(&json!({ "max-bandwidth": bandwidth, "downtime-limit": 1 }));
        migration.monitor.execute("migrate", &json!({ "uri": format!("unix:{socket}") }));
        migration
    }

    fn set(&mut self, parameters: &Value) {
        self.monitor.execute("migrate-set-parameters", parameters);
    }

    fn now(&mut self) -> Value {
        let now = self.monitor.execute("query-migrate", &json!({}));
        assert_ne!(now["status"], "failed", "{now}");
        now
    }

    fn until_status(&mut self, status: &str) {
        until(|| self.now()["status"] == status);
    }

    /// Waits until all memory was copied once. From then on it makes no progress, so that it lasts until it
    /// is to end.
    fn linger_after_first_copy(&mut self) {
        until(|| self.now()["ram"]["dirty-sync-count"].as_u64() >= Some(2));
        self.set(&json!({ "max-bandwidth": SLOW }));
    }

    /// Pauses the guest here and resumes it there, however much is left to copy.
    fn end(mut self) {
        assert_eq!(self.now()["status"], "active", "it has not ended before");
        self.set(&json!({ "max-bandwidth": 0, "downtime-limit": 600_000 }));
        self.until_status("completed");
    }
}

/// Starts a migration without a destination, and cancels it: the guest stays at the source.
fn call_one_off(host: &Host, daemon: &Daemon, source: &Side) {
    let socket = host.path("sink.sock");
    let listener = UnixListener::bind(&socket).expect("the folder is ours");
    let sink = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("QEMU connects");
        // With or without an error.
        drop(std::io::copy(&mut stream, &mut std::io::sink()));
    });
    let socket = socket.to_str().expect("temporary folders have plain names");
    let mut migration = Migration::begin(source, socket, SLOW);
    migration.until_status("active");
    wait_for_writes_to(daemon, &[DISKS[0]]);
    migration.monitor.execute("migrate_cancel", &json!({}));
    migration.until_status("cancelled");
    sink.join().expect("it ends with the connection");
    wait_for_writes_to(daemon, &[DISKS[0]]);
}

/// Returns bytes whose pages all differ, from each other and from the initial content.
fn known_bytes() -> Vec<u8> {
    let words = (1..=DISK_BYTES / 8).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    words.flat_map(u64::to_le_bytes).collect()
}

#[test]
fn a_guest_that_moves_to_another_qemu_under_load_finds_its_memory_and_its_disks_as_they_were() {
    let host = Host::new();
    let images = DISKS.map(|disk| host.image(&format!("{disk}.img"), DISK_BYTES));
    std::fs::write(&images[1], known_bytes()).expect("the folder is ours");
    let second_half = host.text("half");
    std::fs::write(&second_half, &known_bytes()[DISK_BYTES as usize / 2..]).expect("the folder is ours");
    let second_half = checksum(&second_half);
    let mut daemon = host.serve();
    for (disk, mode) in DISKS.iter().zip(["write-back", "write-through"]) {
        let image = host.text(&format!("{disk}.img"));
        daemon.run(&["disk", "add", disk, "--backing", &image, "--mode", mode]).succeeded();
    }
    let mut source = Side::start(&host, &daemon, "source", &[]);
    source.told("booted");
    wait_for_writes_to(&daemon, &[DISKS[0]]);
    call_one_off(&host, &daemon, &source);

    let socket = host.text("migration.sock");
    let mut destination = Side::start(&host, &daemon, "destination", &["-incoming", "defer"]);
    connect(&destination.monitor).execute("migrate-incoming", &json!({ "uri": format!("unix:{socket}") }));
    until(|| DISKS.iter().all(|disk| daemon.disk(disk)["connections"] == 2));
    let mut migration = Migration::begin(&source, &socket, FAST);
    migration.linger_after_first_copy();
    let read_bytes = || counted(&daemon, DISKS[1], "read_bytes");
    let before = read_bytes();
    source.say("read");
    source.told("took the first half");
    until(|| read_bytes() >= before + DISK_BYTES / 2);
    wait_for_writes_to(&daemon, &[DISKS[0]]);
    migration.end();
    source.running.cut_power().expect("it is ours");

    let before = read_bytes();
    destination.say("remember");
    assert_eq!(destination.told("remembers"), second_half, "its memory is what it was");
    assert_eq!(read_bytes(), before, "that was remembered, and not read again");
    wait_for_writes_to(&daemon, &[DISKS[0]]);
    until(|| DISKS.iter().all(|disk| daemon.disk(disk)["connections"] == 1));
    // Requests in flight are recorded for the new QEMU as they were for the old one.
    daemon.kill();
    daemon = host.serve();
    wait_for_writes_to(&daemon, &[DISKS[0]]);
    destination.say("end");
    let ended = destination.running.wait().expect("it comes to its end");
    assert_eq!(ended.status, 0, "{}", ended.output);
    daemon.run(&["disk", "destage", DISKS[0], "--wait"]).succeeded();
    assert!(daemon.stop().success());
    for (disk, image) in DISKS.iter().zip(&images) {
        let holds = ended.output.lines().find_map(|line| line.strip_prefix(&format!("{disk} holds ")));
        assert_eq!(holds, Some(&*checksum(image)), "what the guest read last of {disk}");
    }
}
