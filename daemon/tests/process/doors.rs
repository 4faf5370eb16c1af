//! The doors of a disk, as documents and commands list them.

use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use doors::nbd::Client;
use doors::nbd::option::Replies;
use serde_json::{Value, json};

use crate::driver::Driver;
use crate::host::{Daemon, Host};
use crate::patience;

const MIB: u64 = 1 << 20;

/// Returns one key of every door of disk `a`.
fn of_doors(daemon: &Daemon, key: &str) -> Vec<Value> {
    let disk = daemon.disk("a");
    disk["doors"].as_array().expect("it is a list").iter().map(|door| door[key].clone()).collect()
}

fn over_tcp(daemon: &Daemon) -> Client {
    let uri = daemon.disk("a")["nbd_uri"].as_str().expect("it is served over TCP").to_owned();
    let address = uri.trim_start_matches("nbd://").trim_end_matches("/a");
    let stream = OwnedFd::from(TcpStream::connect(address).expect("the daemon listens"));
    Client::over(UnixStream::from(stream), "a", Replies::Simple).expect("the disk is listed")
}

#[test]
fn each_door_of_a_disk_is_listed_with_its_address_and_with_how_many_came_through_it() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve_with(&["--listen-nbd", "127.0.0.1:0"]);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert_eq!(of_doors(&daemon, "kind"), ["nbd", "nbd-tcp", "vhost-user"]);
    let (nbd, vhost) = (daemon.nbd_socket("a"), daemon.vhost_socket("a"));
    let disk = daemon.disk("a");
    assert_eq!(
        of_doors(&daemon, "address"),
        [json!(nbd.to_string_lossy()), disk["nbd_uri"].clone(), json!(vhost.to_string_lossy())]
    );
    assert_eq!(of_doors(&daemon, "connections"), [0, 0, 0]);

    let guests = (daemon.guest("a"), over_tcp(&daemon), over_tcp(&daemon), Driver::start(&vhost));
    patience::until(|| of_doors(&daemon, "connections") == [1, 2, 1]);
    assert_eq!(daemon.disk("a")["connections"], 4);
    assert_eq!(of_doors(&daemon, "broken_queues"), [0, 0, 0]);
    let shown = daemon.run(&["disk", "show", "a"]).succeeded();
    for line in ["4: 1 over NBD, 2 over NBD over TCP, 1 over vhost-user", "NBD over TCP", "vhost-user socket"]
    {
        assert!(shown.contains(line), "{shown}");
    }
    // A package checks this before it is removed: disks with guests, not doors.
    let listed = daemon.run(&["disk", "list", "--json"]).succeeded();
    assert_eq!(listed.matches("\"connections\":4,\"doors\"").count(), 1, "{listed}");
    drop(guests);
    patience::until(|| of_doors(&daemon, "connections") == [0, 0, 0]);

    // A disk that waits has its future addresses.
    daemon.run(&["disk", "set", "a", "mode=pass-through"]).succeeded();
    assert!(daemon.stop().success());
    std::fs::rename(&image, format!("{image}.away")).expect("the folder is ours");
    let daemon = host.serve();
    assert_eq!(daemon.disk("a")["state"], "waiting");
    assert_eq!(of_doors(&daemon, "kind"), ["nbd", "vhost-user"]);
    assert_eq!(of_doors(&daemon, "connections"), [Value::Null, Value::Null]);
    assert_eq!(of_doors(&daemon, "address")[0], json!(nbd.to_string_lossy()));
    assert!(daemon.stop().success());
}
