//! A vhost-user client whose disk moves to another shard, and whose daemon is stopped and started again: it
//! continues with its requests, and with a warm cache. It is no guest: it drives its queues as a guest does,
//! and reconnects as QEMU does.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::driver::{Data, Driver, FLUSH, IN, OUT};
use crate::host::{Daemon, Host};
use crate::moving::{
    BUSY, CHECKED, Done, REQUEST, bytes, check_content, keep_busy, serve, shard_of, wait_for,
};
use crate::patience;
use crate::warm::{IMAGE_BYTES, add, bytes_of, image, loaded};

const SECTOR: u64 = 512;
/// Requests that are in a queue at once; each has 64 KiB for its data.
const DEPTH: u16 = 32;
/// Bytes that must be answered by the warm cache in all.
const KEPT: u64 = 1 << 20;

/// Sends as many requests as fit at once, to successive places. Passes on the slot and the place of each.
fn at_places(
    driver: &mut Driver,
    end: u64,
    kind: u32,
    mut data: impl FnMut(u64) -> Data,
    mut done: impl FnMut(&Driver, u16, u64),
) {
    let places: Vec<u64> = (0..end).step_by(REQUEST as usize).collect();
    for places in places.chunks(DEPTH.into()) {
        for (slot, at) in (0..).zip(places) {
            driver.submit(0, slot, kind, at / SECTOR, &data(*at));
        }
        driver.kick(0);
        let answers = driver.answers(0, places.len());
        for (slot, at) in (0..).zip(places) {
            assert_eq!(answers.get(&slot), Some(&0), "the request at {at}");
            done(driver, slot, *at);
        }
    }
}

fn write_all(driver: &mut Driver, end: u64, bytes: impl Fn(u64) -> Vec<u8>) {
    at_places(driver, end, OUT, |at| Data::Out(bytes(at)), |_, _, _| ());
}

fn check_all(driver: &mut Driver, end: u64, bytes: impl Fn(u64) -> Vec<u8>) {
    let check = |driver: &Driver, slot, at| {
        assert!(driver.data(0, slot, REQUEST as usize) == bytes(at), "what is at {at} is something else");
    };
    at_places(driver, end, IN, |_| Data::In(REQUEST as usize), check);
}

/// Writes and checks every place repeatedly, until it is stopped. Returns the last round.
fn load(mut driver: Driver, done: &AtomicBool) -> u8 {
    let mut round = 0u8;
    loop {
        round = round.wrapping_add(1);
        write_all(&mut driver, CHECKED, |at| bytes(at, round));
        for _ in 0..3 {
            check_all(&mut driver, CHECKED, |at| bytes(at, round));
        }
        if done.load(Ordering::Relaxed) {
            return round;
        }
    }
}

fn counted(daemon: &Daemon, name: &str, key: &str) -> u64 {
    daemon.json(&["stats", name])["disks"][0][key].as_u64().expect("it is a number")
}

#[test]
fn a_front_end_over_vhost_user_goes_on_when_its_disk_moves_to_another_shard() {
    let host = Host::in_ram();
    let daemon = serve(&host);
    let done = AtomicBool::new(false);
    let (moved, rounds) = std::thread::scope(|scope| {
        let end = Done(&done);
        let loads = BUSY.map(|name| {
            let driver = Driver::start(&daemon.vhost_socket(name));
            let socket = UnixStream::connect(daemon.nbd_socket(name)).expect("the disk is served");
            let done = &done;
            scope.spawn(move || keep_busy(socket, done));
            scope.spawn(move || load(driver, done))
        });
        let moved = wait_for(&daemon, "is on shard 1 after");
        let (writes, hits) = (counted(&daemon, moved, "writes"), counted(&daemon, moved, "read_hits_flash"));
        // Two rounds that begin on the new shard.
        let more = 3 * CHECKED / REQUEST;
        patience::until(|| counted(&daemon, moved, "writes") >= writes + more);
        patience::until(|| counted(&daemon, moved, "read_hits_flash") > hits);
        drop(end);
        (moved, loads.map(|load| load.join().expect("it read what it wrote, and every request succeeded")))
    });
    assert_eq!(shard_of(&daemon, moved), 1);
    for (name, round) in BUSY.iter().zip(rounds) {
        check_content(&daemon, name, round);
    }
    assert_eq!(counted(&daemon, moved, "checksum_errors"), 0);
    assert!(daemon.stop().success());
}

#[test]
fn a_front_end_over_vhost_user_goes_on_after_a_clean_stop_with_hits_from_the_warm_cache() {
    let host = Host::new();
    let image = image(&host, "a.img", 1);
    let daemon = host.serve();
    add(&daemon, &image);
    let socket = daemon.vhost_socket("a");
    let mut driver = Driver::start(&socket);
    let before = bytes_of(1, IMAGE_BYTES);
    // The old content, and on every other place that of the client's writes.
    let expected = |at: u64| {
        let range = at as usize..(at + REQUEST) as usize;
        if (at / REQUEST).is_multiple_of(2) { before[range].to_vec() } else { bytes(at, 1) }
    };
    write_all(&mut driver, KEPT, expected);
    assert_eq!(driver.request(0, FLUSH, 0, &Data::None), 0);
    let hits = |daemon: &Daemon| counted(daemon, "a", "read_hits_flash");
    // Until all of it is on flash: read between data that displaces it from RAM.
    patience::until(|| {
        check_all(&mut driver, IMAGE_BYTES, |at| {
            let range = at as usize..(at + REQUEST) as usize;
            if at < KEPT { expected(at) } else { before[range].to_vec() }
        });
        let before = hits(&daemon);
        check_all(&mut driver, KEPT, expected);
        hits(&daemon) == before + KEPT / REQUEST
    });
    assert!(daemon.stop().success());

    // It is submitted while no daemon runs, and then served.
    driver.submit(0, 40, IN, 0, &Data::In(REQUEST as usize));
    let daemon = host.serve_with(&[]);
    assert_eq!(loaded(&daemon)["state"], "done");
    driver.reconnect(&socket);
    assert_eq!(driver.answers(0, 1).get(&40), Some(&0));
    assert!(driver.data(0, 40, REQUEST as usize) == expected(0));
    check_all(&mut driver, KEPT, expected);
    let counted = ["reads", "read_hits_flash", "read_misses", "read_partial_hits", "reads_bypassed"]
        .map(|key| counted(&daemon, "a", key));
    let all = KEPT / REQUEST + 1;
    assert_eq!((counted[0], counted[2..].iter().sum::<u64>()), (all, 0), "all of it was kept: {counted:?}");
    assert!(counted[1] > 0, "from flash first, later from RAM: {counted:?}");
    assert!(daemon.stop().success());
}
