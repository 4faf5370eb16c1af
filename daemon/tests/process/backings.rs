//! Storage that cannot keep the promises of a disk, or that is in use already: it is refused, or served with
//! limitations.

use std::fs;
use std::process::Command;

use crate::host::{Daemon, Host, Loop};

const MIB: u64 = 1 << 20;

fn refused(daemon: &Daemon, backing: &str, reason: &str) {
    for mode in ["write-through", "write-back"] {
        let words = ["disk", "add", "x", "--backing", backing, "--mode", mode, "--allow-unmarked"];
        let message = daemon.run(&words).failed();
        assert!(message.contains(reason), "{backing}: {message}");
    }
    assert_eq!(daemon.json(&["disk", "list"])["disks"], serde_json::json!([]), "nothing is left of it");
}

fn run(tool: &str, arguments: &[&str]) -> bool {
    Command::new(tool).args(arguments).status().is_ok_and(|status| status.success())
}

#[test]
fn the_pool_of_another_forebay_is_refused_as_a_backing_and_stays_as_it_is() {
    let host = Host::new();
    let other = host.text("other.img");
    Daemon::start(&host.path("o"), &["--pool", &other, "--pool-size", "64MiB"]).stop();
    let before = fs::read(&other).expect("it was made");
    let daemon = host.serve();
    refused(&daemon, &other, "pool of a Forebay");
    assert!(fs::read(&other).expect("it is there") == before);
    let raw = daemon.run(&["disk", "add", "x", "--backing", &other, "--read-only", "--force-raw"]);
    raw.succeeded();
}

#[test]
fn files_of_the_daemon_are_refused_as_backings() {
    let host = Host::new();
    let daemon = host.serve();
    let odd = host.path("d/wear.json");
    fs::write(&odd, [b' '; 4096]).expect("the folder is ours");
    refused(&daemon, odd.to_str().expect("plain names"), "keeps for itself");
    refused(&daemon, &host.text("pool.img"), "pool");
}

#[test]
fn one_file_is_one_backing_by_whatever_name_or_device_it_is_reached() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    fs::hard_link(&image, host.path("hard.img")).expect("the folder is ours");
    std::os::unix::fs::symlink(&image, host.path("soft.img")).expect("the folder is ours");
    let fails = |backing: &str| {
        let message = daemon.run(&["disk", "add", "x", "--backing", backing]).failed();
        assert!(message.contains("disk 'a' is on it already"), "{backing}: {message}");
    };
    fails(&host.text("hard.img"));
    fails(&host.text("soft.img"));
    if let Some(device) = Loop::over(&image) {
        fails(&device.0);
    }
}

#[test]
fn a_loop_device_over_the_pool_or_below_a_mount_is_in_use() {
    let host = Host::new();
    let daemon = host.serve();
    if let Some(device) = Loop::over(&host.text("pool.img")) {
        let message = daemon.run(&["disk", "add", "x", "--backing", &device.0]).failed();
        assert!(message.contains("pool"), "{message}");
    }
    let image = host.image("m.img", 64 * MIB);
    let Some(device) = Loop::over(&image) else { return };
    refused(&daemon, &image, &format!("losetup -d {}", device.0));
    let place = host.text("mnt");
    fs::create_dir(&place).expect("the folder is ours");
    if !run("mkfs.ext4", &["-q", &device.0]) || !run("mount", &[&device.0, &place]) {
        println!("NOT TESTED: nothing can be mounted here");
        return;
    }
    refused(&daemon, &image, &format!("mounted at {place}"));
    refused(&daemon, &device.0, "mounted at");
    assert!(run("umount", &[&place]));
    daemon.run(&["disk", "add", "x", "--backing", &device.0]).succeeded();
}

#[test]
fn a_device_that_is_read_only_is_served_read_only_or_not_at_all_and_one_that_turns_so_is_said() {
    let host = Host::new();
    let image = host.image("r.img", 64 * MIB);
    let daemon = host.serve();
    let Some(device) = Loop::over(&image) else { return };
    if !run("blockdev", &["--setro", &device.0]) {
        println!("NOT TESTED: blockdev is not there");
        return;
    }
    refused(&daemon, &device.0, "the device is read-only");
    daemon.run(&["disk", "add", "x", "--backing", &device.0, "--read-only"]).succeeded();
    assert!(daemon.guest("x").write(0, &[1; 512]).is_err());
    daemon.run(&["disk", "remove", "x"]).succeeded();
    assert!(run("blockdev", &["--setrw", &device.0]));
    daemon.run(&["disk", "add", "x", "--backing", &device.0]).succeeded();
    daemon.guest("x").write(0, &[1; 512]).expect("it is writable");
    assert!(run("blockdev", &["--setro", &device.0]));
    daemon.wait_for_log("Disk 'x' failed: its backing is read-only now");
    assert_eq!(daemon.disk("x")["state"], "failed");
    assert!(run("blockdev", &["--setrw", &device.0]));
    daemon.wait_for_log("Disk 'x' is served as before");
    assert_eq!(daemon.disk("x")["state"], "serving");
}

#[test]
fn a_file_that_nobody_may_write_is_refused_with_the_attribute_that_keeps_it() {
    let host = Host::new();
    let image = host.image("i.img", 16 * MIB);
    let daemon = host.serve();
    for (attribute, what) in [("i", "immutable"), ("a", "append-only")] {
        if !run("chattr", &[&format!("+{attribute}"), &image]) {
            println!("NOT TESTED: this file system has no attributes");
            return;
        }
        let message = daemon.run(&["disk", "add", "x", "--backing", &image]).failed();
        assert!(run("chattr", &[&format!("-{attribute}"), &image]));
        assert!(message.contains(what) && message.contains("chattr -"), "{message}");
    }
}

#[test]
fn a_file_in_memory_is_served_and_said_to_be_volatile() {
    let host = Host::in_ram();
    let image = host.image("v.img", 16 * MIB);
    let daemon = host.serve();
    let said = daemon.run(&["disk", "add", "x", "--backing", &image]).succeeded();
    if host.path("").starts_with("/dev/shm") {
        assert!(said.contains("gone once the host stops"), "{said}");
        assert!(daemon.run(&["disk", "show", "x"]).succeeded().contains("tmpfs"));
        assert!(daemon.json(&["events"]).to_string().contains("backing-limited"));
    }
}

#[test]
fn what_a_backing_cannot_do_is_said_with_the_reason_where_its_disk_is_shown_and_where_that_is_refused() {
    let (store, host) = (Host::new(), Host::new());
    let server = store.serve();
    server.run(&["disk", "add", "x", "--backing", &store.image("x.img", 16 * MIB)]).succeeded();
    let daemon = host.serve();
    let export = format!("nbd+unix:///x?socket={}", server.nbd_socket("x").display());
    for (name, backing) in [("file", host.image("a.img", 16 * MIB)), ("export", export)] {
        daemon.run(&["disk", "add", name, "--backing", &backing]).succeeded();
    }
    let unable = |name: &str| -> Vec<(String, String)> {
        let disk = daemon.json(&["disk", "show", name])["disk"].clone();
        let all = disk["backing_capabilities"].as_array().expect("a list").clone();
        let unable = all.iter().filter(|capability| capability["able"] == false);
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        unable.map(|capability| (text(&capability["name"]), text(&capability["reason"]))).collect()
    };
    let names = |name: &str| -> Vec<String> { unable(name).into_iter().map(|(name, _)| name).collect() };
    for able in ["fence", "dirty-marker", "flush", "guest-move", "shard-move", "resize"] {
        assert!(!names("file").contains(&able.to_owned()), "{:?}", unable("file"));
    }
    for cannot in ["fence", "dirty-marker", "guest-move"] {
        assert!(names("export").contains(&cannot.to_owned()), "{:?}", unable("export"));
    }
    let shown = daemon.run(&["disk", "show", "export"]).succeeded();
    assert!(
        shown.contains("fencing") && shown.contains("NBD does not prevent other clients from writing"),
        "{shown}"
    );
    let refused = daemon.run(&["disk", "set", "export", "mode=write-back"]).failed();
    let reason = "NBD has no place for a mark on an export";
    for text in [&shown, &refused] {
        assert!(text.contains(reason), "{text}");
    }
    let Some(device) = Loop::over(&host.image("device.img", 16 * MIB)) else { return };
    daemon.run(&["disk", "add", "device", "--backing", &device.0]).succeeded();
    assert!(names("device").contains(&"dirty-marker".to_owned()), "{:?}", unable("device"));
    let refused = daemon.run(&["disk", "set", "device", "mode=write-back"]).failed();
    assert!(refused.contains("a block device has no extended attributes"), "{refused}");
    daemon.run(&["disk", "set", "device", "mode=write-back", "allow-unmarked=yes"]).succeeded();
    assert!(daemon.stop().success());
}
