//! A running QEMU's disk moves behind Forebay and back while it is written to, and nothing is lost.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use doors::nbd::Client;

use crate::host::{Daemon, Host, content};
use crate::qemu::{Qemu, Shape, stand_between};
use crate::tools::{run, run_fails};

const MIB: u64 = 1 << 20;
const SIZE: u64 = 8 * MIB;
const SECTOR: u64 = 512;

/// Expected content of the disk: for each sector the byte that fills it, and whether zeroes are right as
/// well.
struct Model(Vec<(u8, bool)>);

impl Model {
    fn new() -> Self {
        Self(vec![(0, true); (SIZE / SECTOR) as usize])
    }

    /// Sends request number `number` of a guest and records its effect: overlapping writes of all sizes,
    /// zeroes and discards between them.
    fn request(&mut self, qemu: &mut Qemu, number: u64) {
        let sectors = 1 + number * 7 % 150;
        let first = number * 7919 % (SIZE / SECTOR - sectors);
        let (offset, length) = (first * SECTOR, sectors * SECTOR);
        let pattern = (number % 255 + 1) as u8;
        let touched = &mut self.0[first as usize..(first + sectors) as usize];
        match number % 16 {
            5 => {
                qemu.io(&format!("write -z -u {offset} {length}"));
                touched.fill((0, true));
            }
            11 => {
                qemu.io(&format!("discard {offset} {length}"));
                // Both are right: QEMU does not pass discards on while it changes over.
                for (_, or_zero) in touched {
                    *or_zero = true;
                }
            }
            _ => {
                qemu.io(&format!("write -P {pattern} {offset} {length}"));
                touched.fill((pattern, false));
            }
        }
    }

    /// Checks that the file has the expected content, whichever process has it open. Returns that content.
    fn assert_in(&self, image: &str, what: &str) -> Vec<u8> {
        let found = content(image, 0, SIZE as usize);
        for (sector, (bytes, (wanted, or_zero))) in found.chunks(SECTOR as usize).zip(&self.0).enumerate() {
            let right =
                bytes.iter().all(|byte| byte == wanted) || *or_zero && bytes.iter().all(|byte| *byte == 0);
            assert!(right, "{what}: sector {sector} has {} and was written {wanted}", bytes[0]);
        }
        found
    }

    /// Checks that Forebay returns the content of the file, from the backing first and then from its cache.
    fn assert_served(&self, image: &str, guest: &mut Client, what: &str) {
        let found = self.assert_in(image, what);
        for _ in 0..2 {
            let served = guest.read(0, SIZE as u32).expect("the disk is served");
            assert!(served == found, "{what}: what is served is not what is in the file");
        }
    }
}

fn attach(daemon: &Daemon, qemu: &Qemu) -> String {
    vm(daemon, "attach", qemu).succeeded()
}

fn detach(daemon: &Daemon, qemu: &Qemu) -> String {
    vm(daemon, "detach", qemu).succeeded()
}

fn vm(daemon: &Daemon, what: &str, qemu: &Qemu) -> crate::host::Ran {
    let socket = qemu.socket.to_str().expect("temporary folders have plain names");
    daemon.run(&["vm", what, "--qmp", socket, "--device", "vd0"])
}

/// Checks that only the process with the image open may write to it.
fn assert_locked(image: &str) {
    let text = run_fails("qemu-io", &["-f", "raw", "-c", "write -P 1 0 512", image]);
    assert!(text.contains("lock"), "{text}");
}

#[test]
fn a_disk_moves_to_and_fro_under_a_guest_that_writes_all_the_time() {
    for shape in [Shape::Drive, Shape::Blockdev] {
        let host = Host::new();
        let image = host.image("disk.img", SIZE);
        let daemon = host.serve();
        let mut qemu = Qemu::start(&host, &image, shape);
        let socket = qemu.socket.to_str().expect("temporary folders have plain names").to_owned();
        let mut model = Model::new();
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let writing = scope.spawn(|| {
                let mut number = 0;
                while !ended.load(Ordering::Relaxed) || number < 500 {
                    model.request(&mut qemu, number);
                    number += 1;
                }
            });
            for _ in 0..4 {
                for what in ["attach", "detach"] {
                    daemon.run(&["vm", what, "--qmp", &socket, "--device", "vd0"]).succeeded();
                }
            }
            ended.store(true, Ordering::Relaxed);
            writing.join().expect("every request succeeds");
        });
        let what = format!("{shape:?}");
        model.assert_in(&image, &what);
        assert_locked(&image);
        let name = if matches!(shape, Shape::Drive) { "forebay-1-file" } else { "format" };
        assert_eq!(qemu.nodes(), [("file".to_owned(), name.to_owned())], "{what}");
        assert_eq!(daemon.json(&["disk", "list"])["disks"].as_array().map(Vec::len), Some(0));

        attach(&daemon, &qemu);
        for number in 1000..1100 {
            model.request(&mut qemu, number);
        }
        model.assert_served(&image, &mut daemon.guest("web-vd0"), &what);
        assert_locked(&image);
        let disk = daemon.disk("web-vd0");
        assert_eq!((&disk["state"], &disk["mode"]), (&"serving".into(), &"write-through".into()));
        qemu.quit();
        wait_until_released(&daemon);
        model.assert_in(&image, &what);
        run("qemu-io", &["-f", "raw", "-c", "write -P 1 0 512", &image]);
    }
}

/// Waits until the disk of an ended QEMU is removed.
fn wait_until_released(daemon: &Daemon) {
    daemon.wait_for_log("disk-released");
    assert_eq!(daemon.disk("web-vd0"), serde_json::Value::Null);
}

#[test]
fn a_guest_starts_again_on_its_file_and_everything_dirty_is_there() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let mut qemu = Qemu::start(&host, &image, Shape::Blockdev);
    attach(&daemon, &qemu);
    let listed = daemon.json(&["vm", "list"])["vms"][0].clone();
    assert_eq!((&listed["name"], &listed["device"]), (&"web-vd0".into(), &"vd0".into()));
    daemon.run(&["disk", "set", "web-vd0", "mode=write-back"]).succeeded();
    let mut model = Model::new();
    for number in 0..50 {
        model.request(&mut qemu, number);
    }
    qemu.quit();
    wait_until_released(&daemon);
    model.assert_in(&image, "released");
    let qemu = Qemu::start(&host, &image, Shape::Blockdev);
    // The guest's only disk, and the only one that was taken.
    let socket = qemu.socket.to_str().expect("temporary folders have plain names");
    daemon.run(&["vm", "attach", "--qmp", socket]).succeeded();
    daemon.run(&["vm", "detach", "web-vd0"]).succeeded();
    assert_locked(&image);
    qemu.quit();
}

#[test]
fn a_disk_whose_qemu_ended_while_the_daemon_was_away_is_not_taken_up() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let qemu = Qemu::start(&host, &image, Shape::Blockdev);
    attach(&daemon, &qemu);
    daemon.kill();
    // Killed: asked to quit, it would wait for its disk.
    drop(qemu);
    let daemon = host.serve_with(&[]);
    wait_until_released(&daemon);
    run("qemu-io", &["-f", "raw", "-c", "write -P 1 0 512", &image]);
}

#[test]
fn a_throttle_stays_on_a_disk_that_moves() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let mut qemu = Qemu::start(&host, &image, Shape::Throttled);
    let mut model = Model::new();
    for round in 0..3 {
        for (what, driver) in [("attach", "nbd"), ("detach", "file")] {
            vm(&daemon, what, &qemu).succeeded();
            let drivers: Vec<String> = qemu.nodes().into_iter().map(|(driver, _)| driver).collect();
            assert_eq!(drivers, [driver, "throttle"], "round {round}");
            for number in round * 100..round * 100 + 30 {
                model.request(&mut qemu, number);
            }
            model.assert_in(&image, what);
        }
    }
}

#[test]
fn what_a_guest_changes_after_it_has_its_disk_back_is_not_hidden_by_what_was_cached() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let mut qemu = Qemu::start(&host, &image, Shape::Blockdev);
    let mut model = Model::new();
    for round in 0..3 {
        attach(&daemon, &qemu);
        model.assert_served(&image, &mut daemon.guest("web-vd0"), "attached");
        detach(&daemon, &qemu);
        for number in round * 100..round * 100 + 50 {
            model.request(&mut qemu, number);
        }
    }
    attach(&daemon, &qemu);
    model.assert_served(&image, &mut daemon.guest("web-vd0"), "attached again");
}

#[test]
fn a_guest_gets_its_disk_back_with_all_that_was_written_back() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let mut qemu = Qemu::start(&host, &image, Shape::Blockdev);
    let mut model = Model::new();
    for round in 0..3 {
        attach(&daemon, &qemu);
        daemon.run(&["disk", "set", "web-vd0", "mode=write-back"]).succeeded();
        (round * 100..round * 100 + 50).for_each(|number| model.request(&mut qemu, number));
        detach(&daemon, &qemu);
        model.assert_in(&image, "given back");
    }
    assert_locked(&image);
}

#[test]
fn a_daemon_that_is_killed_and_started_again_serves_the_running_guest_and_gives_the_disk_back() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let mut qemu = Qemu::start(&host, &image, Shape::Blockdev);
    let mut model = Model::new();
    attach(&daemon, &qemu);
    for number in 0..50 {
        model.request(&mut qemu, number);
    }
    daemon.kill();
    // The guest waits for no notification; its requests wait.
    let daemon = thread::scope(|scope| {
        let writing = scope.spawn(|| (50..100).for_each(|number| model.request(&mut qemu, number)));
        let daemon = host.serve_with(&[]);
        writing.join().expect("every request succeeds");
        daemon
    });
    model.assert_served(&image, &mut daemon.guest("web-vd0"), "after a kill");
    assert!(detach(&daemon, &qemu).contains("web-vd0"));
    assert_eq!(qemu.nodes(), [("file".to_owned(), "format".to_owned())]);
    model.request(&mut qemu, 100);
    model.assert_in(&image, "given back");
}

#[test]
fn a_daemon_that_is_killed_at_any_step_of_attaching_and_started_again_goes_on() {
    for command in ["blockdev-add", "blockdev-mirror", "job-complete", "blockdev-del"] {
        let host = Host::new();
        let image = host.image("disk.img", SIZE);
        let daemon = host.serve();
        let mut qemu = Qemu::start(&host, &image, Shape::Blockdev);
        let mut model = Model::new();
        for number in 0..20 {
            model.request(&mut qemu, number);
        }
        // The daemon takes the proxy for the QEMU, so it must have the file open as well.
        let open = File::open(&image).expect("it was made");
        let socket = daemon.control_socket().to_owned();
        let (killed, restarted) = std::sync::mpsc::channel();
        let folder = host.path("d");
        let between = stand_between(&host, &qemu.socket, command, move || {
            daemon.kill();
            let again = Daemon::start(&folder, &[]);
            let state = again.disk("web-vd0");
            killed.send((again, state)).expect("the test waits for it");
        });
        let between = between.to_str().expect("temporary folders have plain names");
        let words = ["vm", "attach", "--qmp", between, "--device", "vd0", "--socket"];
        let words = [&words[..], &[socket.to_str().expect("temporary folders have plain names")]].concat();
        crate::host::forebay(&words).succeeded();
        let (daemon, state) = restarted.recv().expect("it was killed");
        assert_eq!(
            (&state["state"], &state["mode"]),
            (&"attaching".into(), &"pass-through".into()),
            "{command}"
        );
        drop(open);

        assert_eq!(daemon.disk("web-vd0")["state"], "serving", "{command}");
        for number in 20..40 {
            model.request(&mut qemu, number);
        }
        model.assert_served(&image, &mut daemon.guest("web-vd0"), command);
        assert_locked(&image);
    }
}

#[test]
fn a_qemu_of_another_user_is_let_in_to_its_disk_while_it_runs() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    fs::set_permissions(&image, Permissions::from_mode(0o666)).expect("it is ours");
    let mut qemu = Qemu::start_as_ordinary_user(&host, &image, Shape::Blockdev);
    let (run_dir, pool) = (host.text("run"), host.text("pool.img"));
    let daemon = host.serve_with(&["--run-dir", &run_dir, "--pool", &pool, "--pool-size", "64MiB"]);
    let mut model = Model::new();
    attach(&daemon, &qemu);
    (0..50).for_each(|number| model.request(&mut qemu, number));
    model.assert_served(&image, &mut daemon.guest("web-vd0"), "attached");
    // Other users may not connect.
    let mode = fs::metadata(daemon.nbd_socket("web-vd0")).expect("it is served").mode();
    assert_eq!(mode & 0o777, 0o660);
    detach(&daemon, &qemu);
    model.request(&mut qemu, 50);
    model.assert_in(&image, "given back");
}

#[test]
fn what_cannot_be_moved_is_refused_and_stays_as_it_was() {
    let host = Host::new();
    let image = host.image("disk.img", SIZE);
    let daemon = host.serve();
    let qemu = Qemu::start(&host, &image, Shape::Drive);
    let not_attached = vm(&daemon, "detach", &qemu).failed();
    assert!(
        not_attached.contains("not behind this Forebay") && not_attached.contains(&image),
        "{not_attached}"
    );
    attach(&daemon, &qemu);
    let twice = vm(&daemon, "attach", &qemu).failed();
    assert!(twice.contains("NBD server already"), "{twice}");
    // A second Forebay on the same host has no record of it and does not touch it.
    let other = Host::new();
    let second = other.serve();
    let foreign = vm(&second, "detach", &qemu).failed();
    assert!(foreign.contains("not behind this Forebay"), "{foreign}");
    assert_eq!(daemon.disk("web-vd0")["state"], "serving");
    detach(&daemon, &qemu);

    let nobody = daemon.run(&["vm", "attach", "--qmp", &host.text("disk.img"), "--device", "vd0"]).failed();
    assert!(nobody.contains("Cannot talk to QEMU"), "{nobody}");
    let missing = daemon.run(&["vm", "attach", "--qmp", &host.text("missing"), "--device", "vd0"]).failed();
    assert!(missing.contains("Cannot find QEMU's socket"), "{missing}");
}
