//! A guest whose disks are served over vhost-user, and another one over NBD: its drivers, its fio, its file systems and its
//! kernel's log judge.
//!
//! It is started with the very lines that `disk show --connect` prints, and has one disk in write-through and one in
//! write-back; a third one is plugged in and out. The guest is stopped and goes on, and the daemon is killed or stopped
//! while fio writes, with requests in flight that end out of order, and started again: the guest goes on, without an error. At
//! last the disks grow under it, and a mounted file system with one of them.
//! It is emulated: what it shows is that nothing is wrong, never how long anything takes. One boot has all of it, because a
//! boot is what costs.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use guest::{Guest, Kit, Running};
use serde_json::{Map, Value, json};

use crate::fio::Job;
use crate::host::{Daemon, Host};
use crate::qemu::Monitor;
use crate::tools::run;

const MIB: u64 = 1 << 20;
const DISK_BYTES: u64 = 64 * MIB;
/// What they grow to.
const GROWN_BYTES: u64 = 96 * MIB;
/// The memory of the guest in the lines that are printed.
const MEMORY_MIB: u32 = 1024;
/// Far beyond what a busy machine takes; QEMU is ended then.
const SECONDS_MAX: u32 = 900;
/// The disks, in the order in which the guest sees them: `vda` in write-through, `vdb` in write-back.
const DISKS: [&str; 2] = ["through", "back"];
/// Rounds of fio. In the first one the guest is stopped for a while, in the last one the daemon is stopped as a service
/// manager does it, in those between it is killed.
const ROUNDS: u32 = 7;
const JOB: Job = Job { seed: 0, depth: 32, offset_mib: 32, length_mib: 12 };
const SCRIPT: &str = include_str!("guest_disks.sh");

/// How the guest reaches its disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    VhostUser,
    Nbd,
}

/// What is printed for a client.
fn lines_to_copy(daemon: &Daemon, door: Door, disk: &str, client: &str) -> String {
    let document = daemon.json(&["disk", "show", disk, "--connect"]);
    let forms = document["connect"]["forms"].as_array().expect("a list");
    let name = match door {
        Door::VhostUser => "vhost-user",
        Door::Nbd => "nbd",
    };
    let ours = |form: &&Value| form["client"] == client && form["door"] == name;
    forms.iter().find(ours).expect("the client is known")["lines"].as_str().expect("it is text").to_owned()
}

/// What QEMU is to be started with for a disk: words, of which a shell would take the quotes away.
fn words_to_copy(daemon: &Daemon, door: Door, disk: &str) -> Vec<String> {
    let lines = lines_to_copy(daemon, door, disk, "QEMU");
    let words = lines.split_whitespace().filter(|word| *word != "\\");
    words.map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// A guest with four processors and the disks of the daemon, and where its monitor is.
fn boot(host: &Host, daemon: &Daemon, door: Door) -> (Running, PathBuf) {
    let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
    let programs = ["fio", "mkfs.ext4", "e2fsck", "resize2fs", "mkfs.xfs", "xfs_repair", "blkdiscard"];
    let guest = Guest::new(&kit).memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
    let guest = programs.into_iter().fold(guest, Guest::program);
    let [mut arguments, more] = DISKS.map(|disk| words_to_copy(daemon, door, disk));
    // Memory is made and shared once for all disks.
    let is_own = |word: &String| word == "-chardev" || word == "-blockdev";
    let own = more.iter().position(is_own).expect("each disk has one");
    arguments.extend_from_slice(&more[own..]);
    let monitor = host.path("monitor.sock");
    let listen = format!("unix:{},server=on,wait=off", monitor.display());
    arguments.extend(["-smp", "4", "-device", "pcie-root-port,id=port1", "-qmp", &listen].map(str::to_owned));
    let guest = arguments.into_iter().fold(guest, Guest::argument);
    // Of two seeds the last one counts.
    let line = |device| format!("{} --randseed=$1", JOB.write_line(device));
    let functions =
        format!("write_vda() {{ {}; }}\nwrite_vdb() {{ {}; }}\n", line("/dev/vda"), line("/dev/vdb"));
    let running = guest.start(&format!("{functions}ROUNDS={ROUNDS}\n{SCRIPT}")).expect("QEMU is installed");
    (running, monitor)
}

fn wait_for(running: &mut Running, text: &str) -> String {
    running.wait_for(text).unwrap_or_else(|why| panic!("{why}"))
}

/// What a disk counted since it was attached.
fn counted(daemon: &Daemon, disk: &str, key: &str) -> u64 {
    let document = daemon.json(&["stats", disk]);
    document["disks"][0][key].as_u64().expect("it is a number")
}

/// Waits until the guest has written more to both disks.
fn wait_for_writes(daemon: &Daemon) {
    for disk in DISKS {
        let before = counted(daemon, disk, "writes");
        while counted(daemon, disk, "writes") < before + 50 {
            std::thread::yield_now();
        }
    }
}

fn connect(monitor: &Path) -> Monitor {
    Monitor::new(UnixStream::connect(monitor).expect("a QEMU that runs listens"))
}

/// The monitor for people, which says what it does not do.
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

/// A further disk, which is read-only, is plugged into the guest, looked at by it, and taken out.
fn plug_and_unplug(daemon: &Daemon, door: Door, running: &mut Running, monitor: &Path) {
    let mut monitor = connect(monitor);
    plug(daemon, door, &mut monitor);
    let seen = wait_for(running, "sees");
    assert_eq!(seen, "sees fixed, 131072 sectors, 4 queues, write back, ro 1");
    wait_for(running, "may not write to fixed");
    assert_eq!(daemon.disk("fixed")["connections"], 1);
    say(&mut monitor, "device_del fixed").expect("it is there");
    wait_for(running, "fixed is gone");
    // The guest lets go first, and QEMU takes the device apart after that.
    let mut remove = || match door {
        Door::VhostUser => say(&mut monitor, "chardev-remove fixed"),
        Door::Nbd => monitor.try_execute("blockdev-del", &json!({ "node-name": "fixed" })).map(drop),
    };
    while let Err(said) = remove() {
        assert!(said.contains("is busy") || said.contains("is in use"), "{said}");
    }
    while daemon.disk("fixed")["connections"] != 0 {
        std::thread::yield_now();
    }
}

/// The guest is stopped under load and goes on: nothing of it reaches a disk in between.
fn stop_and_go_on(daemon: &Daemon, monitor: &Path, image: &str) {
    let mut monitor = connect(monitor);
    monitor.execute("stop", &json!({}));
    assert_eq!(monitor.execute("query-status", &json!({}))["status"], "paused");
    let now = || (DISKS.map(|disk| counted(daemon, disk, "writes")), run("sha256sum", &[image]));
    let stopped = now();
    assert_eq!(now(), stopped, "it writes though it is stopped");
    monitor.execute("cont", &json!({}));
    wait_for_writes(daemon);
}

/// Over NBD a size is told to whoever connects, and QEMU tells its guest when somebody says so.
fn connect_anew(daemon: Daemon, host: &Host, monitor: &Path) -> Daemon {
    daemon.kill();
    let daemon = host.serve();
    let mut monitor = connect(monitor);
    for disk in DISKS {
        let size = json!({ "node-name": disk, "size": GROWN_BYTES });
        while let Err(said) = monitor.try_execute("block_resize", &size) {
            assert!(said.contains("Cannot grow"), "{said}");
            // It connects when there is something to ask for.
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
    let images = DISKS.map(|disk| host.image(&format!("{disk}.img"), DISK_BYTES));
    let mut daemon = host.serve();
    for (disk, image) in DISKS.iter().zip(&images) {
        let mode = if *disk == "back" { "write-back" } else { "write-through" };
        daemon.run(&["disk", "add", disk, "--backing", image, "--mode", mode]).succeeded();
    }
    let fixed = host.image("fixed.img", DISK_BYTES);
    daemon.run(&["disk", "add", "fixed", "--backing", &fixed, "--read-only"]).succeeded();
    let (mut running, monitor) = boot(&host, &daemon, door);
    // Of 64 MiB, with the name as its serial number, and with flushes.
    for disk in DISKS {
        let seen = wait_for(&mut running, "sees");
        assert_eq!(seen, format!("sees {disk}, 131072 sectors, 4 queues, write back, ro 0"));
        assert_eq!(daemon.disk(disk)["connections"], 1);
    }
    wait_for(&mut running, "file systems are whole");
    for disk in DISKS {
        for key in ["flushes", "discards"] {
            assert!(counted(&daemon, disk, key) > 0, "{key} of the guest do not reach disk {disk}");
        }
    }
    plug_and_unplug(&daemon, door, &mut running, &monitor);

    let mut was_dirty = false;
    for round in 1..=ROUNDS {
        wait_for(&mut running, &format!("begins {round}."));
        wait_for_writes(&daemon);
        was_dirty |= daemon.disk("back")["dirty_bytes"] != 0;
        match round {
            1 => stop_and_go_on(&daemon, &monitor, &images[0]),
            ROUNDS => {
                assert!(daemon.stop().success());
                daemon = host.serve();
            }
            _ => {
                daemon.kill();
                daemon = host.serve();
            }
        }
        wait_for(&mut running, &format!("ended {round}."));
    }
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
    assert!(was_dirty, "the daemon was never killed with dirty data");
    daemon.run(&["disk", "destage", "back", "--wait"]).succeeded();
    assert!(daemon.stop().success());
    for (disk, image) in DISKS.iter().zip(&images) {
        let holds = ended.output.lines().find_map(|line| line.strip_prefix(&format!("{disk} holds ")));
        let sum = run("sha256sum", &[image]);
        assert_eq!(holds, sum.split_whitespace().next(), "what the guest read last of {disk}");
    }
}
