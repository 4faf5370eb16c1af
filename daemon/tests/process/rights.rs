//! Rights of clients of a disk: set when it is added, changed while guests use it, kept across restarts.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use nix::unistd::{getegid, geteuid};

use crate::host::Host;

const MIB: u64 = 1 << 20;

/// Returns owner, group and mode.
fn rights_of(socket: &Path) -> (u32, u32, u32) {
    let found = fs::metadata(socket).expect("the disk is served");
    (found.uid(), found.gid(), found.mode() & 0o7777)
}

/// Returns an owner and a group that this test may set: foreign ones as root, else its own.
fn givable() -> (u32, u32) {
    if geteuid().is_root() { (12_345, 54_321) } else { (geteuid().as_raw(), getegid().as_raw()) }
}

#[test]
fn rights_are_set_changed_under_a_guest_shown_and_kept() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    let (owner, group) = givable();
    let group_text = group.to_string();
    let words = ["disk", "add", "a", "--backing", &image, "--socket-mode", "0600"];
    daemon.run(&[&words[..], &["--socket-group", &group_text]].concat()).succeeded();
    let socket = daemon.nbd_socket("a");
    let other = daemon.vhost_socket("a");
    for socket in [&socket, &other] {
        assert_eq!(rights_of(socket), (geteuid().as_raw(), group, 0o600));
    }

    let mut guest = daemon.guest("a");
    let owner_key = format!("socket-owner={owner}");
    let said = daemon.run(&["disk", "set", "a", &owner_key, "socket-mode=0660"]).succeeded();
    assert!(said.contains(&owner_key) && said.contains("socket-mode=0660"), "{said}");
    for socket in [&socket, &other] {
        assert_eq!(rights_of(socket), (owner, group, 0o660));
    }
    guest.write(0, &[3; 4096]).expect("a guest that is connected stays");
    let settings = daemon.json(&["disk", "show", "a"])["disk"]["settings"].clone();
    assert_eq!(settings["socket-owner"], owner.to_string());
    let shown = daemon.run(&["disk", "show", "a"]).succeeded();
    let has_mode = |line: &str| line.split_whitespace().eq(["socket-mode", "0660"]);
    assert!(shown.lines().any(has_mode), "{shown}");

    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    for socket in [&socket, &other] {
        assert_eq!(rights_of(socket), (owner, group, 0o660));
    }
    daemon.run(&["disk", "set", "a", "socket-owner=auto", "socket-group=auto"]).succeeded();
    assert_eq!(rights_of(&socket).0, geteuid().as_raw());
}

#[test]
fn an_unknown_account_is_named_before_anything_changes() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    let words = ["disk", "add", "a", "--backing", &image];
    let message = daemon.run(&[&words[..], &["--socket-owner", "no-such-user"]].concat()).failed();
    assert!(message.contains("socket-owner=no-such-user") && message.contains("getent passwd"), "{message}");
    assert!(!daemon.nbd_socket("a").exists());
    daemon.run(&words).succeeded();
    let before = rights_of(&daemon.nbd_socket("a"));
    let message =
        daemon.run(&["disk", "set", "a", "mode=pass-through", "socket-group=no-such-group"]).failed();
    assert!(message.contains("no-such-group"), "{message}");
    assert_eq!(daemon.disk("a")["mode"], "write-through");
    assert_eq!(rights_of(&daemon.nbd_socket("a")), before);
    let message = daemon.run(&["disk", "set", "a", "socket-mode=0600", "reserve=1TiB"]).failed();
    assert!(message.contains("does not fit"), "{message}");
    assert_eq!(rights_of(&daemon.nbd_socket("a")), before, "what the cache refuses changes no rights");
}

#[test]
fn a_daemon_that_is_not_root_says_what_it_may_not_give_away() {
    let host = Host::new();
    let daemon = host.serve_as_ordinary_user();
    let image = host.image("a.img", 16 * MIB);
    std::os::unix::fs::chown(&image, Some(daemon.owner()), None).expect("root may, and others own it");
    let words = ["disk", "add", "a", "--backing", &image];
    let message = daemon.run(&[&words[..], &["--socket-owner", "root"]].concat()).failed();
    assert!(message.contains("only root may"), "{message}");
    assert!(!daemon.nbd_socket("a").exists(), "nothing is left of it");

    daemon.run(&words).succeeded();
    let before = rights_of(&daemon.nbd_socket("a"));
    let message = daemon.run(&["disk", "set", "a", "mode=pass-through", "socket-group=root"]).failed();
    assert!(message.contains("usermod -aG"), "{message}");
    assert_eq!(daemon.disk("a")["mode"], "write-through", "no key of a refused change takes effect");
    assert_eq!(rights_of(&daemon.nbd_socket("a")), before);
}

#[test]
fn a_backing_that_the_daemon_may_not_open_is_refused_with_what_lets_it_in() {
    let host = Host::new();
    let daemon = host.serve_as_ordinary_user();
    let image = host.image("a.img", 16 * MIB);
    for mode in [0o000, 0o444] {
        fs::set_permissions(&image, Permissions::from_mode(mode)).expect("it is ours");
        let message = daemon.run(&["disk", "add", "a", "--backing", &image]).failed();
        let advice = format!("setfacl -m u:{}:rw {image}", daemon.owner());
        assert!(message.contains(&advice) || !geteuid().is_root(), "{message}");
        assert!(message.contains("Permission denied"), "{message}");
    }
}
