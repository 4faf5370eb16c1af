//! Disks are added, changed, removed, and survive restarts, while guests use them.

use std::fs::{self, OpenOptions};

use crate::host::{Host, content, edited};
use crate::patience;

const MIB: u64 = 1 << 20;

#[test]
fn what_a_guest_writes_is_in_the_file_and_comes_back() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    let said = daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert!(said.contains("16MiB") && said.contains("nbd/a.sock"), "{said}");
    let mut guest = daemon.guest("a");
    guest.write(4096, &[7; 8192]).expect("the disk is served");
    guest.write(512, &[9; 512]).expect("sectors are served whatever the device takes");
    assert_eq!(guest.read(4096, 8192).expect("the disk is served"), [7; 8192]);
    guest.flush().expect("the disk is served");
    assert_eq!(content(&image, 4096, 8192), [7; 8192]);
    assert_eq!(content(&image, 512, 512), [9; 512]);
    let statistics = &daemon.json(&["stats", "a"])["disks"][0];
    assert_eq!((&statistics["writes"], &statistics["reads"]), (&2.into(), &1.into()));
    assert_eq!(statistics["read_hits_ram"], 1, "what was written is answered from RAM");
}

#[test]
fn attaching_and_detaching_leave_the_content_as_it_was() {
    let host = Host::new();
    let content: Vec<u8> = (0..MIB).map(|at| (at * 7 % 251) as u8).collect();
    fs::write(host.path("a.img"), &content).expect("the folder is ours");
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &host.text("a.img")]).succeeded();
    assert_eq!(daemon.guest("a").read(0, MIB as u32).expect("the disk is served"), content);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(fs::read(host.path("a.img")).expect("it is there"), content);
    assert!(!daemon.nbd_socket("a").exists() && !daemon.vhost_socket("a").exists());
    assert_eq!(daemon.json(&["disk", "list"])["disks"], serde_json::json!([]));
}

#[test]
fn another_block_size_drops_what_is_cached_by_word_only() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "set", "a", "block-size=4KiB"]).succeeded();
    daemon.run(&["disk", "set", "a", "admission=always", "ram=1MiB"]).succeeded();
    let mut guest = daemon.guest("a");
    guest.write(0, &vec![1; 4 * MIB as usize]).expect("the disk is served");
    let cached = || daemon.json(&["stats", "a"])["disks"][0]["cached_bytes"].as_u64().expect("it is served");
    patience::until(|| cached() > 0);
    let problem = daemon.run(&["disk", "set", "a", "block-size=64KiB"]).failed();
    assert!(problem.contains("would be dropped") && problem.contains("--yes"), "{problem}");
    assert_eq!(daemon.json(&["disk", "show", "a"])["disk"]["settings"]["block-size"], "4KiB");
    assert!(cached() > 0, "nothing was dropped");
    // The same size drops nothing.
    daemon.run(&["disk", "set", "a", "block-size=4KiB"]).succeeded();
    daemon.run(&["disk", "set", "a", "block-size=64KiB", "--yes"]).succeeded();
    assert_eq!(daemon.json(&["disk", "show", "a"])["disk"]["settings"]["block-size"], "64KiB");
}

#[test]
fn disks_and_their_settings_are_remembered_across_a_restart() {
    let host = Host::new();
    let (image, other) = (host.image("a.img", 16 * MIB), host.image("b.img", 16 * MIB));
    let daemon = host.serve();
    let words = ["disk", "add", "a", "--backing", &image, "--mode", "write-around", "--limit", "50%"];
    daemon.run(&words).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &other, "--read-only"]).succeeded();
    daemon.run(&["disk", "set", "b", "block-size=4KiB", "admission=always"]).succeeded();
    daemon.guest("a").write(0, &[5; 4096]).expect("the disk is served");
    let before = daemon.json(&["disk", "show", "b"])["disk"]["settings"].clone();
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    assert!(daemon.announcement.contains("2 disks served"), "{}", daemon.announcement);
    assert_eq!(daemon.json(&["disk", "show", "b"])["disk"]["settings"], before);
    let a = daemon.disk("a");
    assert_eq!((&a["mode"], &a["limit_bytes"]), (&"write-around".into(), &(8 * MIB).into()));
    assert_eq!(daemon.guest("a").read(0, 4096).expect("the disk is served"), [5; 4096]);
    assert!(daemon.guest("b").write(0, &[1; 512]).is_err(), "read-only is remembered");
}

#[test]
fn a_daemon_that_was_killed_starts_again_with_everything_acknowledged() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    for block in 0..64 {
        guest.write(block * 4096, &[block as u8 + 1; 4096]).expect("the disk is served");
    }
    daemon.kill();

    let daemon = host.serve_with(&[]);
    let mut guest = daemon.guest("a");
    for block in 0..64 {
        let bytes = guest.read(block * 4096, 4096).expect("the disk is served");
        assert_eq!(bytes, [block as u8 + 1; 4096], "block {block}");
    }
    assert!(daemon.stop().success());
}

#[test]
fn settings_change_while_a_guest_goes_on() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    guest.write(0, &vec![1; 65536]).expect("the disk is served");
    for setting in [
        "mode=pass-through",
        "mode=write-through",
        "block-size=1MiB",
        "block-size=4KiB",
        "ram=2MiB",
        "limit=auto",
        "sequential-cutoff=0",
    ] {
        let said = daemon.run(&["disk", "set", "a", setting, "--yes"]).succeeded();
        assert!(said.contains(setting), "{said}");
        assert_eq!(guest.read(0, 65536).expect("the disk is served"), vec![1; 65536], "after {setting}");
    }
    let disk = &daemon.json(&["disk", "show", "a"])["disk"];
    assert_eq!(disk["block_bytes"], 4096);
    assert_eq!(disk["settings"]["ram"], "2MiB");
    assert_eq!(disk["connections"], 1);
}

#[test]
fn a_disk_is_taken_from_its_guests_by_force_only_and_from_no_others() {
    let host = Host::new();
    let (image, other) = (host.image("a.img", MIB), host.image("b.img", MIB));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &other]).succeeded();
    let (mut leaving, mut staying) = (daemon.guest("a"), daemon.guest("b"));
    leaving.write(0, &[3; 512]).expect("the disk is served");
    for words in [&["disk", "remove", "a"][..], &["disk", "remove", "a", "--discard-dirty"]] {
        let refused = daemon.run(words).failed();
        let us = format!("(process {}) over NBD", std::process::id());
        assert!(refused.contains(&us) && refused.contains("--force"), "{refused}");
    }
    leaving.write(0, &[3; 512]).expect("it is served as before");
    daemon.run(&["disk", "remove", "a", "--force"]).succeeded();
    let line = daemon.wait_for_log("disk-removed");
    assert!(line.contains("taken from guests that used it") && line.contains("over NBD"), "{line}");
    assert!(leaving.read(0, 512).is_err(), "its connection is closed");
    assert_eq!(content(&image, 0, 512), [3; 512]);
    staying.write(0, &[4; 512]).expect("the other disk is served");
    // Its name and its backing are free again.
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert_eq!(daemon.guest("a").read(0, 512).expect("the disk is served"), [3; 512]);
}

#[test]
fn a_disk_whose_backing_is_missing_at_start_waits_and_holds_up_nobody() {
    let host = Host::new();
    let (image, other) = (host.image("a.img", MIB), host.image("b.img", MIB));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &other]).succeeded();
    assert!(daemon.stop().success());
    fs::rename(&image, host.path("away.img")).expect("the folder is ours");

    let daemon = host.serve_with(&[]);
    assert!(daemon.announcement.contains("1 disks served, 1 waiting"), "{}", daemon.announcement);
    let waiting = daemon.disk("a");
    assert_eq!(waiting["state"], "waiting");
    assert!(waiting["reason"].as_str().is_some_and(|reason| reason.contains("check the path")), "{waiting}");
    assert_eq!(waiting["size_bytes"], serde_json::Value::Null);
    assert!(daemon.run(&["disk", "list"]).succeeded().contains("waiting: Cannot use backing"));
    assert!(daemon.run(&["disk", "show", "a"]).succeeded().contains("waiting: "));
    daemon.guest("b").write(0, &[1; 512]).expect("the other disk is served");
    // It can be changed while it waits, and is served as soon as its backing exists.
    daemon.run(&["disk", "set", "a", "mode=write-around"]).succeeded();
    fs::rename(host.path("away.img"), &image).expect("the folder is ours");
    daemon.wait_for_log("Serving disk 'a'");
    assert_eq!(daemon.disk("a")["state"], "serving");
    assert_eq!(daemon.disk("a")["mode"], "write-around");
}

#[test]
fn a_waiting_disk_can_be_removed() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    fs::remove_file(&image).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(daemon.json(&["disk", "list"])["disks"], serde_json::json!([]));
}

#[test]
fn a_backing_that_shrank_while_nobody_looked_waits_until_it_is_whole() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let resize = |bytes| {
        let file = OpenOptions::new().write(true).open(host.path("a.img")).expect("it is there");
        file.set_len(bytes).expect("the folder is ours");
    };
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    resize(2 * MIB);
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["size_bytes"], 2 * MIB, "one that grew is taken at a start by itself");
    assert!(daemon.stop().success());

    resize(MIB);
    let daemon = host.serve_with(&[]);
    let waiting = daemon.disk("a");
    assert_eq!(waiting["state"], "waiting");
    let reason = waiting["reason"].as_str().expect("it says why");
    assert!(reason.contains("1048576 bytes and had 2097152"), "{reason}");
    resize(2 * MIB);
    daemon.wait_for_log("Serving disk 'a'");
}

#[test]
fn a_disk_whose_group_is_gone_waits_and_is_served_once_it_has_another() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    let state = host.path("d/state.json");
    let text = fs::read_to_string(&state).expect("it was saved");
    let gone = text.replace("\"socket-group\": \"auto\"", "\"socket-group\": \"gone-group\"");
    assert_ne!(text, gone);
    fs::write(&state, edited(&gone)).expect("the folder is ours");

    let daemon = host.serve_with(&[]);
    let reason = daemon.disk("a")["reason"].clone();
    assert!(reason.as_str().is_some_and(|reason| reason.contains("getent group gone-group")), "{reason}");
    let message = daemon.run(&["disk", "set", "a", "socket-group=gone-too"]).failed();
    assert!(message.contains("gone-too"), "{message}");
    daemon.run(&["disk", "set", "a", "socket-group=auto"]).succeeded();
    daemon.wait_for_log("Serving disk 'a'");
}

#[test]
fn a_backing_that_shrinks_while_it_is_served_is_noticed_and_never_written_again() {
    let host = Host::new();
    let image = host.image("a.img", 2 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    let file = OpenOptions::new().write(true).open(&image).expect("the folder is ours");
    file.set_len(MIB).expect("the folder is ours");
    daemon.wait_for_log("Disk 'a' failed: the backing shrank from 2097152 to 1048576 bytes");
    let disk = daemon.disk("a");
    assert_eq!(disk["state"], "failed");
    assert!(disk["reason"].as_str().is_some_and(|reason| reason.contains("shrank")), "{disk}");
    assert!(guest.write(0, &[1; 512]).is_err());
    assert_eq!(fs::metadata(&image).expect("it is there").len(), MIB, "no write makes it longer again");
    daemon.run(&["disk", "remove", "a", "--force"]).failed();
    assert_eq!(daemon.disk("a"), serde_json::Value::Null, "it is gone, and the failed flush was told");
}

#[test]
fn a_raw_disk_whose_guest_wrote_an_image_header_is_served_again_after_a_restart() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut sector = [0; 512];
    sector[..4].copy_from_slice(b"QFI\xfb");
    daemon.guest("a").write(0, &sector).expect("the disk is served");
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.guest("a").read(0, 512).expect("the disk is served"), sector);
}

#[test]
fn a_model_of_a_slow_array_is_a_backing_too() {
    let host = Host::new();
    let backing = format!("model:hdd-15k-raid5x5:{}", host.image("a.img", MIB));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &backing]).succeeded();
    assert_eq!(daemon.disk("a")["backing"], backing);
    let mut guest = daemon.guest("a");
    guest.write(0, &[6; 4096]).expect("the disk is served");
    assert_eq!(guest.read(0, 4096).expect("the disk is served"), [6; 4096]);
}

#[test]
fn sixty_four_disks_work_on_a_pool_of_one_gibibyte() {
    let host = Host::new();
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "1GiB"]);
    for number in 0..64 {
        let (name, image) = (format!("vm-{number}"), host.image(&format!("{number}.img"), MIB));
        daemon.run(&["disk", "add", &name, "--backing", &image]).succeeded();
        let mut guest = daemon.guest(&name);
        guest.write(0, &[number; 4096]).expect("the disk is served");
        assert_eq!(guest.read(0, 4096).expect("the disk is served"), [number; 4096]);
    }
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["disks"], 64);
    assert!(daemon.stop().success());
}
