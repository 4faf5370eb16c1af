//! A guest whose disks are served over vhost-user, and another one over NBD, verified by their drivers, their
//! fio, their file systems and the log of their kernel.
//!
//! It is started with the lines that `disk show --connect` prints, and has one disk in write-through and one
//! in write-back; a third one is plugged in and out. The guest is paused and resumed, and the daemon is
//! killed or stopped while fio writes, and started again: the guest continues, without an error. In the end
//! the disks grow under it, with a mounted file system on one of them.
//!
//! The backing of the disk in write-through is a foreign NBD server, which is stopped before each kill: so
//! writes are certainly in flight then, and over vhost-user later reads, through each queue, have been
//! answered by the cache. Records of a queue after other orders are tested in `doors/tests/vhost/restart.rs`,
//! where the test ends each request.
//!
//! It is emulated: it shows correctness, and no times. One boot has all of it, because boots are expensive.

use std::fs::File;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use guest::{Guest, Kit, Running};
use nix::sys::signal::Signal;
use serde_json::{Map, Value, json};

use crate::fio::Job;
use crate::host::{Daemon, Host, forebay};
use crate::nbd_backing::Server;
use crate::patience::until;
use crate::qemu::{self, Monitor};
use crate::tools::checksum;

const MIB: u64 = 1 << 20;
const DISK_BYTES: u64 = 64 * MIB;
/// Size to which they grow.
const GROWN_BYTES: u64 = 96 * MIB;
/// The memory of the guest in the lines that are printed.
const MEMORY_MIB: u32 = 1024;
/// Far longer than a busy machine takes; QEMU is ended then.
const SECONDS_MAX: u32 = 900;
/// The disks, in the order in which the guest sees them: `vda` in write-through, `vdb` in write-back.
const DISKS: [&str; 2] = ["through", "back"];
/// Number of kills of the daemon while fio writes.
const KILLS: usize = 5;
/// Least writes in flight when a backing is stopped. Some of them may have ended there and wait for flash.
const HELD_MIN: u64 = 8;
/// The most polls for writes in flight while a backing is stopped. If fio waits for a flush then, there will
/// be none.
const LOOKS: u32 = 20;
/// Polls in a row without an ended write after which those in flight are waiting.
const LOOKS_ALIKE: u32 = 3;
const JOB: Job = Job { seed: 0, depth: 32, offset_mib: 32, length_mib: 12 };
/// The socket for words to the guest.
const WORDS: &str = "words.sock";
const SCRIPT: &str = include_str!("guest_disks.sh");

/// Protocol by which the guest uses its disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    VhostUser,
    Nbd,
}

/// Returns the lines for a client, and with an older QEMU the replacement in the note next to them.
fn lines_to_copy(daemon: &Daemon, door: Door, disk: &str, client: &str) -> String {
    let document = daemon.json(&["disk", "show", disk, "--connect"]);
    let forms = document["connect"]["forms"].as_array().expect("a list");
    let name = match door {
        Door::VhostUser => "vhost-user",
        Door::Nbd => "nbd",
    };
    let ours = |form: &&Value| form["client"] == client && form["door"] == name;
    let lines = forms.iter().find(ours).expect("the client is known")["lines"].as_str().expect("it is text");
    if qemu::version() < (9, 2) { lines.replace("reconnect-ms=100", "reconnect=1") } else { lines.to_owned() }
}

/// Returns QEMU's words for a disk, without the quotes that a shell would remove.
pub(crate) fn words_to_copy(daemon: &Daemon, door: Door, disk: &str) -> Vec<String> {
    let lines = lines_to_copy(daemon, door, disk, "QEMU");
    let words = lines.split_whitespace().filter(|word| *word != "\\");
    words.map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// Returns the words for two disks of one QEMU: memory is created and shared once for all disks.
pub(crate) fn words_of_disks([mut words, more]: [Vec<String>; 2]) -> Vec<String> {
    let is_own = |word: &String| word == "-chardev" || word == "-blockdev";
    let own = more.iter().position(is_own).expect("each disk has one");
    words.extend_from_slice(&more[own..]);
    words
}

/// Boots a guest with four processors and the disks of the daemon. Returns it with the path of its monitor.
fn boot(host: &Host, daemon: &Daemon, door: Door) -> (Running, PathBuf) {
    let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
    let programs = ["fio", "mkfs.ext4", "e2fsck", "resize2fs", "mkfs.xfs", "xfs_repair", "blkdiscard"];
    let guest = Guest::new(&kit).memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
    let guest = programs.into_iter().fold(guest, Guest::program);
    let mut arguments = words_of_disks(DISKS.map(|disk| words_to_copy(daemon, door, disk)));
    let monitor = host.path("monitor.sock");
    let listen = |path: &Path| format!("unix:{},server=on,wait=off", path.display());
    let (words, monitors) = (listen(&host.path(WORDS)), listen(&monitor));
    arguments.extend(["-smp", "4", "-device", "pcie-root-port,id=port1"].map(str::to_owned));
    arguments.extend(["-serial", &words, "-qmp", &monitors].map(str::to_owned));
    let guest = arguments.into_iter().fold(guest, Guest::argument);
    // Of two seeds the last one counts.
    let line = |device| format!("{} --randseed=$1", JOB.write_line(device));
    let functions =
        format!("write_vda() {{ {}; }}\nwrite_vdb() {{ {}; }}\n", line("/dev/vda"), line("/dev/vdb"));
    let running = guest.start(&format!("{functions}{SCRIPT}")).expect("QEMU is installed");
    (running, monitor)
}

pub(crate) fn wait_for(running: &mut Running, text: &str) -> String {
    running.wait_for(text).unwrap_or_else(|why| panic!("{why}"))
}

/// Returns a counter of a disk since it was attached.
pub(crate) fn counted(daemon: &Daemon, disk: &str, key: &str) -> u64 {
    let document = daemon.json(&["stats", disk]);
    document["disks"][0][key].as_u64().expect("it is a number")
}

/// Waits until the guest has written more to these disks.
pub(crate) fn wait_for_writes_to(daemon: &Daemon, disks: &[&str]) {
    for disk in disks {
        let before = counted(daemon, disk, "writes");
        until(|| counted(daemon, disk, "writes") >= before + 50);
    }
}

fn wait_for_writes(daemon: &Daemon) {
    wait_for_writes_to(daemon, &DISKS);
}

pub(crate) fn connect(monitor: &Path) -> Monitor {
    Monitor::new(UnixStream::connect(monitor).expect("a QEMU that runs listens"))
}

/// Runs a command of the human monitor, which answers with errors only.
fn say(monitor: &mut Monitor, line: &str) -> Result<(), String> {
    let said = monitor.execute("human-monitor-command", &json!({ "command-line": line }));
    match said.as_str().expect("it is text") {
        "" => Ok(()),
        said => Err(said.to_owned()),
    }
}

/// Plugs the disk into the guest's free port.
fn plug(daemon: &Daemon, door: Door, monitor: &mut Monitor) {
    match door {
        Door::VhostUser => {
            let lines = lines_to_copy(daemon, door, "fixed", "QEMU, hot-plug");
            let (chardev, device) = lines.split_once('\n').expect("one line for each command");
            say(monitor, chardev).expect("it is a new one");
            say(monitor, &format!("{device},bus=port1")).expect("the port is free");
        }
        Door::Nbd => {
            let words = words_to_copy(daemon, door, "fixed");
            let [_, node, _, device] = &words[..] else { panic!("{words:?}") };
            monitor.execute("blockdev-add", &serde_json::from_str(node).expect("it is JSON"));
            let (driver, more) = device.split_once(',').expect("it names its disk");
            let more = more.split(',').map(|pair| pair.split_once('=').expect("it is a pair"));
            let mut arguments: Map<String, Value> =
                more.map(|(key, value)| (key.to_owned(), value.into())).collect();
            for (key, value) in [("driver", driver), ("id", "fixed"), ("bus", "port1")] {
                arguments.insert(key.to_owned(), value.into());
            }
            monitor.execute("device_add", &Value::Object(arguments));
        }
    }
}

/// Plugs a further disk, which is read-only, into the guest, lets it read that, and unplugs it.
fn plug_and_unplug(daemon: &Daemon, door: Door, running: &mut Running, monitor: &Path) {
    let mut monitor = connect(monitor);
    plug(daemon, door, &mut monitor);
    let seen = wait_for(running, "sees");
    assert_eq!(seen, "sees fixed, 131072 sectors, 4 queues, write back, ro 1");
    wait_for(running, "may not write to fixed");
    assert_eq!(daemon.disk("fixed")["connections"], 1);
    say(&mut monitor, "device_del fixed").expect("it is there");
    wait_for(running, "fixed is gone");
    // The guest releases it first, and QEMU removes the device after that.
    let mut remove = || match door {
        Door::VhostUser => say(&mut monitor, "chardev-remove fixed"),
        Door::Nbd => monitor.try_execute("blockdev-del", &json!({ "node-name": "fixed" })).map(drop),
    };
    while let Err(said) = remove() {
        assert!(said.contains("is busy") || said.contains("is in use"), "{said}");
    }
    until(|| daemon.disk("fixed")["connections"] == 0);
}

/// Starts the server of the backing of the disk in write-through.
fn serve_backing(host: &Host) -> Server {
    Server::nbdkit(host, &["file", &host.text(&image_of(DISKS[0]))])
}

fn image_of(disk: &str) -> String {
    format!("{disk}.img")
}

/// Returns the requests of a disk that were counted since it was attached.
fn requests(daemon: &Daemon, disk: &str) -> [u64; 4] {
    let document = daemon.json(&["stats", disk]);
    ["reads", "writes", "flushes", "discards"].map(|key| {
        document["disks"][0][key].as_u64().unwrap_or_else(|| panic!("there is no {key} in {document}"))
    })
}

/// Returns the writes of a disk: those in flight, and those that have ended, at one moment.
fn writes(daemon: &Daemon, disk: &str) -> (u64, u64) {
    let histograms = daemon.json(&["histogram", disk])["histograms"].take();
    let [came, ended] = ["outstanding", "size"].map(|what| {
        let classes = histograms[what]["write"].as_array().expect("it is a list");
        classes.iter().map(|class| class["count"].as_u64().expect("a number")).sum::<u64>()
    });
    (came - ended, ended)
}

fn writes_in_flight(daemon: &Daemon, disk: &str) -> u64 {
    writes(daemon, disk).0
}

/// Pauses the guest under load and resumes it: nothing of it reaches a disk in between.
fn stop_and_go_on(daemon: &Daemon, monitor: &Path, images: &[String]) {
    wait_for_writes(daemon);
    let mut monitor = connect(monitor);
    monitor.execute("stop", &json!({}));
    assert_eq!(monitor.execute("query-status", &json!({}))["status"], "paused");
    // Dirty data would be destaged in the background.
    daemon.run(&["disk", "destage", DISKS[1], "--wait"]).succeeded();
    let requests = || DISKS.map(|disk| requests(daemon, disk));
    let sums = || images.iter().map(|image| checksum(image)).collect::<Vec<_>>();
    assert_eq!(DISKS.map(|disk| writes_in_flight(daemon, disk)), [0, 0], "all that was taken has ended");
    let stopped = (requests(), sums());
    // Between the two readings of each is the time that it takes to read all images.
    assert_eq!((requests(), sums()), stopped, "it writes though it is stopped");
    monitor.execute("cont", &json!({}));
    wait_for_writes(daemon);
}

/// Stops the backing of the disk in write-through with writes in flight to it.
fn hold_writes(daemon: &Daemon, backing: &mut Server) {
    until(|| {
        backing.signal(Signal::SIGSTOP);
        // Answers that the server had sent by then are still processed: only writes count that remain when
        // none ends any more.
        let (mut ended_before, mut looks_alike) = (None, 0);
        let held = (0..LOOKS).any(|_| {
            let (in_flight, ended) = writes(daemon, DISKS[0]);
            looks_alike = if ended_before == Some(ended) { looks_alike + 1 } else { 0 };
            ended_before = Some(ended);
            in_flight >= HELD_MIN && looks_alike >= LOOKS_ALIKE
        });
        if !held {
            backing.signal(Signal::SIGCONT);
        }
        held
    });
}

/// Returns the dirty pages of a disk whose daemon was killed.
fn dirty_pages_on_flash(host: &Host, disk: &str) -> u64 {
    let mut said = String::new();
    // The kernel closes files in the ring of a killed process a little later than that process ends.
    until(|| {
        let ran = forebay(&["check", &host.text("pool.img"), "--dir", &host.text("d"), "--json"]);
        said.clone_from(&ran.stdout);
        ran.status == 0 || !said.contains("in-use")
    });
    let checked: Value = serde_json::from_str(&said).expect("it is JSON");
    let disks = checked["pools"][0]["disks"].as_array().unwrap_or_else(|| panic!("{said}"));
    let disk = disks.iter().find(|checked| checked["name"] == disk);
    disk.and_then(|disk| disk["pages_dirty"].as_u64()).expect("flash has something of it")
}

/// Kills the daemon with writes in flight, which over vhost-user are older than the last answer, and usually
/// with dirty data; starts it again. Returns the number of dirty pages on flash.
fn kill_in_the_middle(
    host: &Host,
    door: Door,
    (daemon, mut backing): (Daemon, Server),
    (running, words): (&mut Running, &mut UnixStream),
) -> (Daemon, Server, u64) {
    wait_for_writes(&daemon);
    let mut look = || {
        writeln!(words, "look").expect("QEMU listens");
        wait_for(running, "looked");
    };
    // Now it is in the cache.
    look();
    hold_writes(&daemon, &mut backing);
    // Over NBD QEMU has at most sixteen requests in flight, and as many may be waiting.
    if door == Door::VhostUser {
        let hits = || ["read_hits_ram", "read_hits_flash"].map(|key| counted(&daemon, DISKS[0], key));
        let before: u64 = hits().iter().sum();
        look();
        assert!(hits().iter().sum::<u64>() >= before + 4, "one through each queue");
    }
    until(|| daemon.disk(DISKS[1])["dirty_bytes"] != 0);
    let (in_flight, ended) = writes(&daemon, DISKS[0]);
    assert!(in_flight >= 2, "they wait for the backing: {in_flight}, {ended} have ended");
    daemon.kill();
    // Nor does the server execute later what it had not executed by then.
    drop(backing);
    let dirty_pages = dirty_pages_on_flash(host, DISKS[1]);
    let backing = serve_backing(host);
    let daemon = host.serve();
    wait_for_writes(&daemon);
    (daemon, backing, dirty_pages)
}

/// Restarts the daemon: over NBD clients get a size when they connect, and QEMU passes it to its guest on a
/// command.
fn connect_anew(daemon: Daemon, host: &Host, monitor: &Path) -> Daemon {
    daemon.kill();
    let daemon = host.serve();
    let mut monitor = connect(monitor);
    for disk in DISKS {
        let size = json!({ "node-name": disk, "size": GROWN_BYTES });
        while let Err(said) = monitor.try_execute("block_resize", &size) {
            assert!(said.contains("Cannot grow"), "{said}");
            // It connects with the next request.
            say(&mut monitor, &format!("qemu-io {disk} \"read 0 512\"")).expect("it waits for the daemon");
        }
    }
    daemon
}

#[test]
fn a_guest_over_vhost_user_sees_disks_and_goes_on_however_often_the_daemon_is_killed() {
    guest_sees_disks_and_goes_on(Door::VhostUser);
}

#[test]
fn a_guest_over_nbd_sees_disks_and_goes_on_however_often_the_daemon_is_killed() {
    guest_sees_disks_and_goes_on(Door::Nbd);
}

fn guest_sees_disks_and_goes_on(door: Door) {
    let host = Host::new();
    let images = DISKS.map(|disk| host.image(&image_of(disk), DISK_BYTES));
    let mut backing = serve_backing(&host);
    let mut daemon = host.serve();
    let disks = [(DISKS[0], &backing.uri, "write-through"), (DISKS[1], &images[1], "write-back")];
    for (disk, place, mode) in disks {
        daemon.run(&["disk", "add", disk, "--backing", place, "--mode", mode]).succeeded();
    }
    // However long its backing is stopped.
    daemon.run(&["disk", "set", DISKS[0], "retry-time=wait"]).succeeded();
    let fixed = host.image("fixed.img", DISK_BYTES);
    daemon.run(&["disk", "add", "fixed", "--backing", &fixed, "--read-only"]).succeeded();
    let (mut running, monitor) = boot(&host, &daemon, door);
    sees_disks(&daemon, door, &mut running, &monitor);

    let mut words = UnixStream::connect(host.path(WORDS)).expect("a QEMU whose guest runs listens");
    wait_for(&mut running, "begins to write");
    stop_and_go_on(&daemon, &monitor, &[&images[..], &[fixed]].concat());
    let mut dirty_pages = [0; KILLS];
    for dirty_pages in &mut dirty_pages {
        (daemon, backing, *dirty_pages) =
            kill_in_the_middle(&host, door, (daemon, backing), (&mut running, &mut words));
    }
    // Dirty data of some kills may have been destaged just before.
    assert!(dirty_pages.iter().any(|&pages| pages > 0), "it was never killed with dirty data");
    assert!(daemon.stop().success());
    daemon = host.serve();
    wait_for_writes(&daemon);
    // From now on fio ends when all its writes are verified.
    writeln!(words, "enough").expect("QEMU listens");
    wait_for(&mut running, "has verified");

    wait_for(&mut running, "may grow");
    for (disk, image) in DISKS.iter().zip(&images) {
        let grown = File::options().write(true).open(image).and_then(|file| file.set_len(GROWN_BYTES));
        grown.expect("the folder is ours");
        daemon.run(&["disk", "resize", disk]).succeeded();
    }
    if door == Door::Nbd {
        daemon = connect_anew(daemon, &host, &monitor);
    }
    let ended = running.wait().expect("it comes to its end");
    assert_eq!(ended.status, 0, "{}", ended.output);
    daemon.run(&["disk", "destage", DISKS[1], "--wait"]).succeeded();
    assert!(daemon.stop().success());
    drop(backing);
    for (disk, image) in DISKS.iter().zip(&images) {
        let holds = ended.output.lines().find_map(|line| line.strip_prefix(&format!("{disk} holds ")));
        assert_eq!(holds, Some(&*checksum(image)), "what the guest read last of {disk}");
    }
}

/// Checks, until the guest begins to write: properties of its disks, file systems on them, and a disk that is
/// plugged in and out.
fn sees_disks(daemon: &Daemon, door: Door, running: &mut Running, monitor: &Path) {
    // Of 64 MiB, with the name as its serial number, and with flushes.
    for disk in DISKS {
        let seen = wait_for(running, "sees");
        assert_eq!(seen, format!("sees {disk}, 131072 sectors, 4 queues, write back, ro 0"));
        assert_eq!(daemon.disk(disk)["connections"], 1);
    }
    wait_for(running, "file systems are whole");
    for disk in DISKS {
        for key in ["flushes", "discards"] {
            assert!(counted(daemon, disk, key) > 0, "{key} of the guest do not reach disk {disk}");
        }
    }
    plug_and_unplug(daemon, door, running, monitor);
}
