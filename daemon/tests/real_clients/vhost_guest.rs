//! A guest whose disk is served over vhost-user: its drivers, its fio, its file system and its kernel's log judge.
//!
//! The daemon is killed or stopped while fio writes, with requests in flight that end out of order, and started again: the
//! guest goes on, without an error. It is emulated: what it shows is that nothing is wrong, never how long anything takes.

use std::path::Path;

use guest::{Guest, Kit, Running};

use crate::fio::Job;
use crate::host::{Daemon, Host};
use crate::tools::run;

const MIB: u64 = 1 << 20;
const DISK_BYTES: u64 = 64 * MIB;
const MEMORY_MIB: u32 = 768;
/// Far beyond what a busy machine takes; QEMU is ended then.
const SECONDS_MAX: u32 = 600;
/// Rounds of fio. In the last one the daemon is stopped as a service manager does it, in the others it is killed.
const ROUNDS: u32 = 6;
const JOB: Job = Job { seed: 0, depth: 32, offset_mib: 32, length_mib: 16 };
const SCRIPT: &str = include_str!("vhost_guest.sh");

/// A guest with the disk behind `socket`, that it sees as `/dev/vda`, with two processors and a queue for each.
fn boot(socket: &Path) -> Running {
    let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
    let programs = ["fio", "mkfs.ext4", "e2fsck", "blkdiscard"];
    let guest = Guest::new(&kit).memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
    let guest = programs.into_iter().fold(guest, Guest::program);
    let memory = format!("memory-backend-memfd,id=memory,size={MEMORY_MIB}M,share=on");
    let arguments = [
        "-smp",
        "2",
        "-object",
        &memory,
        "-machine",
        "memory-backend=memory",
        "-chardev",
        &format!("socket,id=door,path={},reconnect=1", socket.display()),
        "-device",
        "vhost-user-blk-pci,chardev=door,num-queues=2",
    ];
    let guest = arguments.into_iter().fold(guest, Guest::argument);
    // Of two seeds the last one counts.
    let functions = format!("write_and_verify() {{ {} --randseed=$1; }}\n", JOB.write_line("/dev/vda"));
    guest.start(&format!("{functions}ROUNDS={ROUNDS}\n{SCRIPT}")).expect("QEMU is installed")
}

fn wait_for(running: &mut Running, text: &str) -> String {
    running.wait_for(text).unwrap_or_else(|why| panic!("{why}"))
}

fn writes(daemon: &Daemon) -> u64 {
    let document = daemon.json(&["stats", "disk"]);
    document["disks"][0]["writes"].as_u64().expect("it is a number")
}

#[test]
fn a_guest_over_vhost_user_sees_a_disk_and_goes_on_however_often_the_daemon_is_killed() {
    let host = Host::new();
    let image = host.image("disk.img", DISK_BYTES);
    let mut daemon = host.serve();
    daemon.run(&["disk", "add", "disk", "--backing", &image]).succeeded();
    let mut running = boot(&daemon.vhost_socket("disk"));
    let seen = wait_for(&mut running, "sees");
    // Of 64 MiB, with the name as its serial number, and with flushes.
    assert_eq!(seen, "sees disk, 131072 sectors, 2 queues, write back, ro 0");
    assert_eq!(daemon.disk("disk")["connections"], 1);

    for round in 1..=ROUNDS {
        wait_for(&mut running, &format!("begins {round}."));
        let before = writes(&daemon);
        while writes(&daemon) < before + 50 {
            std::thread::yield_now();
        }
        if round < ROUNDS {
            daemon.kill();
        } else {
            assert!(daemon.stop().success());
        }
        daemon = host.serve();
        wait_for(&mut running, &format!("ended {round}."));
    }
    let ended = running.wait().expect("it comes to its end");
    assert_eq!(ended.status, 0, "{}", ended.output);
    let holds = ended.output.lines().find_map(|line| line.strip_prefix("holds "));
    assert!(daemon.stop().success());
    assert_eq!(holds, run("sha256sum", &[&image]).split_whitespace().next(), "what the guest read last");
}
