//! One owner (rule I15): no other program opens for writing what Forebay serves, and the other way round.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::host::{Daemon, Host};
use crate::tools::{qemu_io, run, run_fails, uri};

const MIB: u64 = 1 << 20;

/// A `qemu-nbd` that serves an image. Ended when dropped.
struct QemuNbd {
    pid: Pid,
}

impl QemuNbd {
    /// Starts one, and returns once it holds the image.
    fn start(host: &Host, image: &str) -> Self {
        let (socket, pid_file) = (host.text("qemu.sock"), host.text("qemu.pid"));
        run("qemu-nbd", &["--fork", "--pid-file", &pid_file, "-f", "raw", "-k", &socket, image]);
        let pid = fs::read_to_string(pid_file).expect("it is written before the fork is answered");
        Self { pid: Pid::from_raw(pid.trim().parse().expect("a number")) }
    }
}

impl Drop for QemuNbd {
    fn drop(&mut self) {
        kill(self.pid, Signal::SIGTERM).expect("it runs until it is told to end");
    }
}

fn serve_one(host: &Host, image: &str) -> Daemon {
    let daemon = host.serve();
    daemon.run(&["disk", "add", "disk", "--backing", image]).succeeded();
    daemon
}

#[test]
fn qemu_is_refused_a_file_that_is_served_and_gets_it_back_afterwards() {
    let host = Host::new();
    let image = host.image("disk.img", 8 * MIB);
    let daemon = serve_one(&host, &image);
    qemu_io(&uri(&daemon, "disk"), &["write -P 7 0 4k"]);
    for refused in ["write -P 1 0 512", "read 0 512"] {
        let text = run_fails("qemu-io", &["-f", "raw", "-c", refused, &image]);
        assert!(text.contains("lock"), "{text}");
    }
    // Reading without a lock is an explicit option, and harmless.
    run("qemu-io", &["-U", "-r", "-f", "raw", "-c", "read -P 7 0 4k", &image]);
    daemon.run(&["disk", "remove", "disk"]).succeeded();
    qemu_io(&image, &["read -P 7 0 4k", "write -P 1 0 512"]);
}

#[test]
fn a_second_forebay_is_refused_a_file_that_is_served() {
    let host = Host::new();
    let image = host.image("disk.img", 8 * MIB);
    let first = serve_one(&host, &image);
    let other = Host::new();
    let second = other.serve();
    let message = second.run(&["disk", "add", "mine", "--backing", &image]).failed();
    assert!(message.contains(&image), "{message}");
    assert!(message.contains("in use") || message.contains("lock"), "{message}");
    assert_eq!(second.json(&["disk", "list"])["disks"].as_array().map(Vec::len), Some(0));
    qemu_io(&uri(&first, "disk"), &["write -P 7 0 4k", "read -P 7 0 4k"]);
    assert!(first.stop().success());
    second.run(&["disk", "add", "mine", "--backing", &image]).succeeded();
    qemu_io(&uri(&second, "mine"), &["read -P 7 0 4k"]);
}

#[test]
fn forebay_is_refused_a_file_that_qemu_has_open() {
    let host = Host::new();
    let image = host.image("disk.img", 8 * MIB);
    let daemon = host.serve();
    let _qemu = QemuNbd::start(&host, &image);
    let message = daemon.run(&["disk", "add", "disk", "--backing", &image]).failed();
    assert!(message.contains(&image), "{message}");
    assert!(message.contains("in use") || message.contains("lock"), "{message}");
}
