//! A whole guest system whose disks move behind Forebay and back, while it writes to them and verifies them
//! all the time.
//!
//! [`crate::running_vm`] tests this with requests of QEMU itself; here a guest's drivers, its fio and its
//! kernel's log verify it. Nothing may be lost or stale, and no request may fail, whatever happens to the
//! daemon and to the commands.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde_json::Value;

use crate::host::{Daemon, Host, Ran, forebay};
use crate::machine::{DEVICES, DISK_BYTES, Machine, cancel_jobs};
use crate::qemu::stand_between;
use crate::tools::checksum;

/// Content of the disks when the guest boots, none of which may be lost.
const BEFORE: &[u8] = b"as it was";

/// A host with a guest that runs.
struct Scene {
    host: Host,
    images: [String; 2],
    machine: Machine,
}

impl Scene {
    fn new() -> Self {
        let host = Host::new();
        let images = DEVICES.map(|device| host.image(&format!("{device}.img"), DISK_BYTES));
        for image in &images {
            let file = File::options().write(true).open(image).expect("it was made");
            file.write_all_at(BEFORE, 0).expect("the folder is ours");
        }
        let machine = Machine::boot(&host, &images);
        Self { host, images, machine }
    }

    /// Runs `forebay vm WHAT` for a device, through the monitor for other programs.
    fn vm(&self, what: &str, device: &str) -> Ran {
        self.vm_through(&self.machine.socket, what, device)
    }

    fn vm_through(&self, monitor: &Path, what: &str, device: &str) -> Ran {
        let monitor = monitor.to_str().expect("temporary folders have plain names");
        let (name, socket) = (format!("disk-{device}"), self.host.text("d/control.sock"));
        let mut words = vec!["vm", what, "--qmp", monitor, "--device", device, "--socket", &socket];
        if what == "attach" {
            words.extend(["--name", &name]);
        }
        forebay(&words)
    }

    /// Does something that must fail, with `why` in its message. The nodes below the guest's disks must be
    /// the same afterwards.
    fn fails(&self, act: impl FnOnce() -> Ran, why: &str) {
        let before = self.machine.nodes();
        let said = act().failed();
        assert!(said.contains(why), "{said}");
        assert_eq!(self.machine.nodes(), before, "{said}");
    }

    /// Returns the drivers of the nodes below the guest's disks.
    fn drivers(&self) -> Vec<String> {
        self.machine.nodes().into_iter().map(|(driver, _)| driver).collect()
    }

    /// Runs a round of the guest, all of whose requests must have been served by the daemon, and reads by the
    /// cache.
    fn assert_served(&mut self, daemon: &Daemon) {
        let before = counters(daemon);
        self.machine.write_and_verify();
        for (before, after) in before.iter().zip(counters(daemon)) {
            assert!(before.iter().zip(after).all(|(before, after)| *before < after), "{before:?} {after:?}");
        }
    }
}

/// Checks that the guest's checksums of its disks are those on the host.
fn assert_sums(images: &[String; 2], sums: &[String; 2], what: &str) {
    for (image, sum) in images.iter().zip(sums) {
        assert_eq!(&checksum(image), sum, "{what}: {image} is not what the guest read");
        let mut start = [0; BEFORE.len()];
        let file = File::open(image).expect("it was made");
        file.read_exact_at(&mut start, 0).expect("it is larger");
        assert_eq!(start, BEFORE, "{what}");
    }
}

/// Returns writes, reads, and reads answered by the cache, of each disk.
fn counters(daemon: &Daemon) -> [[u64; 3]; 2] {
    let document = daemon.json(&["stats"]);
    let disks = document["disks"].as_array().expect("a list");
    let disk = |device: &str| disks.iter().find(|disk| disk["name"] == format!("disk-{device}"));
    let number = |value: &Value| value.as_u64().expect("it is a number");
    DEVICES.map(|device| {
        let disk = disk(device).expect("it is served");
        let hits = number(&disk["read_hits_ram"]) + number(&disk["read_hits_flash"]);
        [number(&disk["writes"]), number(&disk["reads"]), hits]
    })
}

#[test]
fn a_guest_under_fio_notices_nothing_while_its_disks_move_behind_forebay_and_back() {
    let mut scene = Scene::new();
    scene.machine.write_and_verify();
    scene.fails(|| scene.vm("attach", "blk"), "Cannot reach the daemon");
    let daemon = scene.host.serve();
    attempts_that_fail_change_nothing(&mut scene);

    for device in DEVICES {
        scene.vm("attach", device).succeeded();
    }
    assert_eq!(scene.drivers(), ["nbd", "nbd"]);
    for device in DEVICES {
        let disk = daemon.disk(&format!("disk-{device}"));
        assert_eq!((&disk["state"], &disk["mode"]), (&"serving".into(), &"write-through".into()));
    }
    scene.assert_served(&daemon);
    scene.fails(|| scene.vm("attach", "scsi"), "NBD server already");

    let daemon = the_daemon_ends_and_starts_again(&mut scene, daemon);
    let sums = scene.machine.sums();
    assert_sums(&scene.images, &sums, "attached");

    for device in DEVICES {
        scene.vm("detach", device).succeeded();
        scene.machine.write_and_verify();
    }
    assert_eq!(scene.drivers(), ["file", "file"]);
    scene.fails(|| scene.vm("detach", "blk"), "not behind this Forebay");
    assert_eq!(daemon.json(&["disk", "list"])["disks"].as_array().map(Vec::len), Some(0));
    let Scene { host: _host, images, machine } = scene;
    assert_sums(&images, &machine.shut_down(), "shut down");
}

/// Tries wrong names, and cancels a job of QEMU in the middle: the guest keeps its disks and continues.
fn attempts_that_fail_change_nothing(scene: &mut Scene) {
    scene.fails(|| scene.vm("attach", "sdb"), "There is no disk 'sdb'");
    // The daemon takes the proxy for the QEMU, so it must have the file open as well.
    let open = File::open(&scene.images[0]).expect("it was made");
    let own = scene.machine.own_socket.clone();
    let between =
        stand_between(&scene.host, &scene.machine.socket, "job-complete", move || cancel_jobs(&own));
    scene.fails(|| scene.vm_through(&between, "attach", "blk"), "The guest's disk is unchanged");
    drop(open);
    scene.machine.write_and_verify();
}

/// Ends the daemon once as a service manager does and once by a kill. Meanwhile the guest waits, and its disk
/// cannot be taken back.
fn the_daemon_ends_and_starts_again(scene: &mut Scene, daemon: Daemon) -> Daemon {
    assert!(daemon.stop().success());
    let daemon = scene.host.serve_with(&[]);
    scene.assert_served(&daemon);
    daemon.kill();
    scene.fails(|| scene.vm("detach", "blk"), "Cannot reach the daemon");
    let daemon = scene.host.serve_with(&[]);
    scene.assert_served(&daemon);
    daemon
}
