//! Sockets whose files are deleted while the daemon runs are created again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

fn with_disk(host: &Host) -> Daemon {
    let image = host.image("a.img", MIB);
    let daemon = host.serve_with(&[
        "--pool",
        &host.text("pool.img"),
        "--pool-size",
        "64MiB",
        "--run-dir",
        &host.text("run"),
    ]);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--socket-mode", "0606"]).succeeded();
    daemon
}

#[test]
fn deleted_sockets_of_a_disk_are_made_again_with_their_rights_while_guests_go_on() {
    let host = Host::new();
    let daemon = with_disk(&host);
    let mut staying = daemon.guest("a");
    fs::remove_file(daemon.nbd_socket("a")).expect("the folder is ours");
    fs::remove_file(daemon.vhost_socket("a")).expect("the folder is ours");
    for _ in 0..2 {
        let line = daemon.wait_for_log("socket-renewed");
        assert!(line.contains("a.sock") && line.contains("disk=\"a\""), "{line}");
    }
    assert_eq!((mode_of(&daemon.nbd_socket("a")), mode_of(&daemon.vhost_socket("a"))), (0o606, 0o606));
    staying.write(0, &[3; 512]).expect("its connection needs no file");
    assert_eq!(daemon.guest("a").read(0, 512).expect("new guests get in"), [3; 512]);
    // The disk is removed as usual, with its new sockets.
    drop(staying);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert!(!daemon.nbd_socket("a").exists() && !daemon.vhost_socket("a").exists());
    assert!(daemon.stop().success());
}

#[test]
fn rights_are_changed_at_once_though_the_socket_is_deleted() {
    let host = Host::new();
    let daemon = with_disk(&host);
    fs::remove_file(daemon.nbd_socket("a")).expect("the folder is ours");
    daemon.run(&["disk", "set", "a", "socket-mode=0666"]).succeeded();
    assert_eq!((mode_of(&daemon.nbd_socket("a")), mode_of(&daemon.vhost_socket("a"))), (0o666, 0o666));
    daemon.guest("a").write(0, &[1; 512]).expect("the disk is served");
}

#[test]
fn the_control_socket_and_a_folder_deleted_whole_are_made_again() {
    let host = Host::new();
    let daemon = with_disk(&host);
    fs::remove_file(daemon.control_socket()).expect("the folder is ours");
    daemon.wait_for_log("socket-renewed");
    assert_eq!(daemon.disk("a")["state"], "serving");

    fs::remove_dir_all(host.path("run")).expect("the folder is ours");
    for _ in 0..3 {
        daemon.wait_for_log("socket-renewed");
    }
    assert_eq!(daemon.disk("a")["state"], "serving");
    assert_eq!(mode_of(&daemon.nbd_socket("a")), 0o606);
    daemon.guest("a").write(0, &[1; 512]).expect("the disk is served");
    assert!(daemon.stop().success());
}

#[test]
fn what_stands_in_the_place_of_a_socket_is_left_alone_and_reported() {
    let host = Host::new();
    let daemon = with_disk(&host);
    fs::remove_file(daemon.nbd_socket("a")).expect("the folder is ours");
    fs::write(daemon.nbd_socket("a"), "precious").expect("the folder is ours");
    let line = daemon.wait_for_log("socket-lost");
    assert!(line.contains("no socket"), "{line}");
    assert_eq!(fs::read(daemon.nbd_socket("a")).expect("it is left"), b"precious");
    fs::remove_file(daemon.nbd_socket("a")).expect("the folder is ours");
    daemon.wait_for_log("socket-renewed");
    daemon.guest("a").write(0, &[1; 512]).expect("the disk is served");
}
