//! A limit of open files that guests reach: the daemon keeps enough for files of its own.

use std::os::unix::net::UnixStream;

use crate::host::Host;

const MIB: u64 = 1 << 20;
/// Limit of descriptors of the daemon.
const LIMIT: usize = 160;

#[test]
fn guests_that_take_all_descriptors_leave_enough_to_change_and_add_disks_and_to_stop() {
    let host = Host::new();
    let daemon = host.serve_by("prlimit", &[&format!("--nofile={LIMIT}")]);
    daemon.run(&["disk", "add", "a", "--backing", &host.image("a.img", 16 * MIB)]).succeeded();
    let mut first = daemon.guest("a");
    first.write(0, &[1; 4096]).expect("the disk is served");
    let connect = |_| UnixStream::connect(daemon.nbd_socket("a")).expect("whoever comes waits in a queue");
    let guests: Vec<UnixStream> = (0..LIMIT).map(connect).collect();
    let line = daemon.wait_for_log("cannot accept an NBD connection");
    assert!(line.contains(&format!("may have {LIMIT}")) && line.contains("LimitNOFILE="), "{line}");
    // Files that are opened for a moment: the state of the host, the image, sockets, bits in memory.
    daemon.run(&["disk", "set", "a", "mode=write-back", "ram=2MiB"]).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &host.image("b.img", 16 * MIB)]).succeeded();
    daemon.run(&["disk", "remove", "b"]).succeeded();
    first.write(4096, &[2; 4096]).expect("the disk is served");
    drop(guests);
    // The next client is accepted once a descriptor is free again.
    assert_eq!(daemon.guest("a").read(4096, 4096).expect("the disk is served"), [2; 4096]);
    let open = std::fs::read_dir(format!("/proc/{}/fd", daemon.id())).expect("it runs").count();
    assert!(open < LIMIT / 2, "{open} descriptors are open with two guests");
    assert!(daemon.stop().success());
}
