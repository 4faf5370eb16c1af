//! The daemon is killed while guests write, and started again.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use doors::nbd::Client;

use crate::fio::{Job, Target};
use crate::host::Host;
use crate::tools::{assert_same_content, uri};

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4096;
/// First page of the part that the counting guest has for itself.
const FIRST_PAGE: u64 = 96 * MIB / PAGE;
const PAGES: u64 = 32 * MIB / PAGE;
/// Writes after which the daemon is killed.
const ENOUGH: u64 = 3000;

/// Returns the page of the guest's write number `write`: all over its part, and each place more than once.
fn page_of(write: u64) -> u64 {
    FIRST_PAGE + write * 1021 % (PAGES / 16)
}

fn bytes_of(write: u64) -> Vec<u8> {
    write.to_le_bytes().repeat(PAGE as usize / 8)
}

/// Writes until the daemon is gone, and sends a signal when it has written enough. Returns the number of
/// acknowledged writes; the next one was in flight. fio does not report that: it counts failed writes as
/// written, and may wait for a dead connection for ever.
fn write_until_killed(mut guest: Client, enough: &Sender<()>) -> u64 {
    for write in 0.. {
        if guest.write(page_of(write) * PAGE, &bytes_of(write)).is_err() {
            return write;
        }
        if write == ENOUGH {
            enough.send(()).expect("the test waits for it");
        }
    }
    unreachable!("the daemon is killed")
}

/// Checks each page for the newest acknowledged write, or the next one.
fn assert_acknowledged(guest: &mut Client, acknowledged: u64) {
    let mut newest = std::collections::BTreeMap::new();
    for write in 0..acknowledged {
        newest.insert(page_of(write), write);
    }
    for (page, write) in newest {
        let found = guest.read(page * PAGE, PAGE as u32).expect("the disk is served");
        let under_way = page == page_of(acknowledged) && found == bytes_of(acknowledged);
        assert!(found == bytes_of(write) || under_way, "page {page} lost write {write} of {acknowledged}");
    }
}

#[test]
fn acknowledged_writes_survive_a_kill_in_the_middle_of_more() {
    let host = Host::new();
    let image = host.image("disk.img", 128 * MIB);
    let daemon = host.serve();
    let add = ["disk", "add", "disk", "--backing", &image, "--limit", "12MiB", "--block-size", "4KiB"];
    daemon.run(&add).succeeded();
    daemon.run(&["disk", "set", "disk", "ram=1MiB"]).succeeded();
    let address = uri(&daemon, "disk");
    let complete = Job { seed: 3, depth: 32, offset_mib: 0, length_mib: 32 };
    complete.write_and_verify(&address);

    let load = Job { seed: 5, depth: 32, offset_mib: 32, length_mib: 64 };
    let load = load.start_endless(&address, &host.path(""));
    let (enough, written_enough) = channel();
    let guest = daemon.guest("disk");
    let guest = thread::spawn(move || write_until_killed(guest, &enough));
    written_enough.recv().expect("the guest goes on until the daemon is killed");
    daemon.kill();
    let acknowledged = guest.join().expect("the guest only counts");
    drop(load);

    let daemon = host.serve();
    let disk = daemon.disk("disk");
    assert_eq!(disk["state"], "serving", "{disk}");
    // First from the backing, then from the cache.
    for _ in 0..2 {
        assert_acknowledged(&mut daemon.guest("disk"), acknowledged);
        complete.verify(&Target::Served(&address));
    }
    assert_same_content(&image, &address);
    let again = Job { seed: 4, ..complete };
    again.write_and_verify(&address);
    assert!(daemon.stop().success());
    again.verify(&Target::File(&image));
}
