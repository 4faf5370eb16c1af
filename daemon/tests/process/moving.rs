//! Disks that move between shards because the load is uneven, under guests that check their reads.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

use doors::nbd::Client;
use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, Request};
use nix::sys::signal::Signal;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
const DISK: u64 = 7 * MIB;
/// Bytes that are written and checked. Data behind them only keeps the shard busy.
pub(crate) const CHECKED: u64 = 6 * MIB;
pub(crate) const REQUEST: u64 = 64 << 10;
const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// The disks with all the load; both are on the first of two shards.
pub(crate) const BUSY: [&str; 2] = ["a", "c"];
/// Requests that are sent at once to keep the shard busy.
const BURST: usize = 64;
/// The bytes of one such request.
const SECTOR: usize = 512;
/// The unit in which interrupted writes may be there or not.
const PAGE: usize = 4096;

/// Serves four disks on two shards whose load is compared every second.
pub(crate) fn serve(host: &Host) -> Daemon {
    serve_on(host, |name| host.image(&format!("{name}.img"), DISK))
}

/// Serves the same with their data elsewhere: `backing_of` returns the location of a disk's data.
fn serve_on(host: &Host, backing_of: impl Fn(&str) -> String) -> Daemon {
    fs::write(host.path("forebay.toml"), "balance-interval = \"1s\"\n").expect("the folder is ours");
    let pool = host.text("pool.img");
    let daemon = restart(host, &["--pool", &pool, "--pool-size", "96MiB"]);
    for name in NAMES {
        daemon.run(&["disk", "add", name, "--backing", &backing_of(name)]).succeeded();
        daemon.run(&["disk", "set", name, "admission=always", "sequential-cutoff=0", "ram=1MiB"]).succeeded();
    }
    assert_eq!(NAMES.map(|name| shard_of(&daemon, name)), [0, 1, 0, 1]);
    daemon
}

fn restart(host: &Host, options: &[&str]) -> Daemon {
    let config = host.text("forebay.toml");
    host.serve_with(&[&["--config", &config, "--shards", "2"], options].concat())
}

pub(crate) fn shard_of(daemon: &Daemon, name: &str) -> u64 {
    daemon.disk(name)["shard"].as_u64().expect("a number")
}

/// Returns the content of a disk at a place after this many rounds of writing.
pub(crate) fn bytes(at: u64, round: u8) -> Vec<u8> {
    vec![((at / REQUEST * 31) as u8).wrapping_add(round.wrapping_mul(7)); REQUEST as usize]
}

/// Writes and checks every place of a disk repeatedly, until it is stopped or disconnected. Returns the last
/// round that was acknowledged completely.
fn load(mut guest: Client, done: &AtomicBool) -> u8 {
    let mut round = 0u8;
    loop {
        let next = round.wrapping_add(1);
        if write_round(&mut guest, next).is_err() {
            return round;
        }
        round = next;
        for _ in 0..3 {
            let Ok(read) = read_round(&mut guest) else { return round };
            assert!(read.iter().all(|(at, read)| *read == bytes(*at, round)), "round {round}");
            if done.load(Ordering::Relaxed) {
                return round;
            }
        }
    }
}

fn write_round(guest: &mut Client, round: u8) -> io::Result<()> {
    (0..CHECKED).step_by(REQUEST as usize).try_for_each(|at| guest.write(at, &bytes(at, round)))
}

fn read_round(guest: &mut Client) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let places = (0..CHECKED).step_by(REQUEST as usize);
    places.map(|at| Ok((at, guest.read(at, REQUEST as u32)?))).collect()
}

/// Keeps a shard busy with hardly any work in this process: small reads, many at a time, of data in RAM.
pub(crate) fn keep_busy(socket: UnixStream, done: &AtomicBool) {
    let ours = socket.try_clone().expect("there are files left");
    let _guest = Client::over(ours, "", Replies::Simple).expect("the disk is served");
    let request = |number| Request {
        flags: 0,
        command: Command::Read,
        cookie: number,
        offset: CHECKED + number * SECTOR as u64,
        length: SECTOR as u32,
    };
    let burst: Vec<u8> = (0..BURST as u64).flat_map(|number| request(number).encode()).collect();
    let mut sending = socket.try_clone().expect("there are files left");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Ends with the connection, at the latest.
            while !done.load(Ordering::Relaxed) && sending.write_all(&burst).is_ok() {}
            sending.shutdown(std::net::Shutdown::Write).unwrap_or(());
        });
        let mut socket = io::BufReader::with_capacity(256 << 10, socket);
        let mut reply = [0; 16 + SECTOR];
        while socket.read_exact(&mut reply).is_ok() {
            assert_eq!(reply[4..8], [0; 4], "no request fails while the disk is served");
        }
    });
}

/// Ends all load, also if the test fails.
pub(crate) struct Done<'a>(pub(crate) &'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Puts load on the busy disks; the threads return the round that each of them has in the end.
fn loads<'scope>(
    scope: &'scope Scope<'scope, '_>,
    daemon: &Daemon,
    done: &'scope AtomicBool,
) -> [ScopedJoinHandle<'scope, u8>; 2] {
    BUSY.map(|name| {
        let mut guest = daemon.guest(name);
        write_round(&mut guest, 0).expect("the disk is served");
        let socket = UnixStream::connect(daemon.nbd_socket(name)).expect("the disk is served");
        scope.spawn(move || keep_busy(socket, done));
        scope.spawn(move || load(guest, done))
    })
}

/// Returns the disk of the next line with this text. A move may have been cancelled before, on a slow
/// machine.
pub(crate) fn wait_for(daemon: &Daemon, text: &str) -> &'static str {
    let line = daemon.wait_for_log(text);
    BUSY.into_iter().find(|name| line.contains(&format!("'{name}'"))).expect("the others do nothing")
}

/// Checks that each page has the content of `round`, or of the round after it, which was interrupted.
pub(crate) fn check_content(daemon: &Daemon, name: &str, round: u8) {
    check_read(name, round, &read_round(&mut daemon.guest(name)).expect("the disk is served"));
}

fn check_read(name: &str, round: u8, read: &[(u64, Vec<u8>)]) {
    for (at, read) in read {
        let (old, new) = (bytes(*at, round), bytes(*at, round.wrapping_add(1)));
        // A write that was interrupted and not acknowledged may be there in part.
        for (number, page) in read.chunks(PAGE).enumerate() {
            assert!(
                *page == old[..PAGE] || *page == new[..PAGE],
                "{name}, page {number} at {at} after round {round}: {}",
                page[0]
            );
        }
    }
}

/// Writes and checks a disk as [`load`] does, and connects again whenever it is disconnected. Ends after one
/// more round that begins after the stop.
fn load_with_reconnect(socket: &Path, name: &str, mut round: u8, done: &AtomicBool) -> u8 {
    loop {
        let Ok(mut guest) = Client::connect(socket, name, Replies::Simple) else { continue };
        let Ok(read) = read_round(&mut guest) else { continue };
        check_read(name, round, &read);
        loop {
            let is_last = done.load(Ordering::Relaxed);
            if write_round(&mut guest, round.wrapping_add(1)).is_err() {
                break;
            }
            round = round.wrapping_add(1);
            let Ok(read) = read_round(&mut guest) else { break };
            assert!(read.iter().all(|(at, read)| *read == bytes(*at, round)), "{name} in round {round}");
            if is_last {
                return round;
            }
        }
    }
}

#[test]
fn of_two_disks_that_keep_a_shard_busy_one_moves_with_its_guests_and_its_flash_content() {
    let host = Host::in_ram();
    let daemon = serve(&host);
    one_of_two_moves(&daemon);
    assert!(daemon.stop().success());
}

/// Serves the four disks from exports of an NBD server, which is the other daemon.
fn serve_exports(store: &Host, host: &Host) -> (Daemon, Daemon) {
    let storing = store.serve();
    let daemon = serve_on(host, |name| {
        storing
            .run(&["disk", "add", name, "--backing", &store.image(&format!("{name}.img"), DISK)])
            .succeeded();
        format!("nbd+unix:///{name}?socket={}", storing.nbd_socket(name).display())
    });
    (storing, daemon)
}

#[test]
fn of_two_disks_of_an_nbd_server_one_moves_as_well_and_the_server_loses_no_connection() {
    let (store, host) = (Host::in_ram(), Host::in_ram());
    let (storing, daemon) = serve_exports(&store, &host);
    let connections = || BUSY.map(|name| storing.disk(name)["connections"].as_u64());
    while connections() != [Some(4); 2] {}
    one_of_two_moves(&daemon);
    assert_eq!(connections(), [Some(4); 2]);
    for name in BUSY {
        daemon.guest(name).flush().expect("no connection was lost");
    }
    assert!(daemon.stop().success());
}

/// Lets the balance move one of the busy disks, and checks everything of both.
fn one_of_two_moves(daemon: &Daemon) {
    let done = AtomicBool::new(false);
    let (moved, writes) = std::thread::scope(|scope| {
        let end = Done(&done);
        let loads = loads(scope, daemon, &done);
        let moved = wait_for(daemon, "is on shard 1 after");
        let load = || daemon.json(&["disk", "show", moved])["disk"]["load"].clone();
        while load()["state"] == "loading" {}
        assert!(load()["kept_bytes"].as_u64() > Some(0), "{}", load());
        let hits = |name| daemon.json(&["stats", name])["disks"][0]["read_hits_flash"].as_u64();
        let before = hits(moved);
        // The load continues on the new shard, and finds its earlier data on flash.
        while hits(moved) <= before {}
        drop(end);
        let mut writes = 0;
        for (name, load) in BUSY.iter().zip(loads) {
            let round = load.join().expect("it read what it wrote, and nobody cut it off");
            check_content(daemon, name, round);
            if *name == moved {
                writes = (u64::from(round) + 1) * CHECKED / REQUEST;
            }
        }
        (moved, writes)
    });
    let stayed = BUSY.into_iter().find(|name| *name != moved).expect("there are two");
    assert_eq!((shard_of(daemon, moved), shard_of(daemon, stayed)), (1, 0));
    let statistics = &daemon.json(&["stats", moved])["disks"][0];
    assert_eq!(statistics["checksum_errors"], 0, "{statistics}");
    assert_eq!(statistics["writes"], writes, "they are counted on: {statistics}");
    let document = daemon.json(&["pool", "show"]);
    let shards = document["pool"]["shards"].as_array().expect("a list");
    assert_eq!(shards.iter().map(|shard| shard["disks"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(3)]);
    assert!(shards.iter().all(|shard| shard["busy_ns"].as_u64() < shard["age_ns"].as_u64()), "{document}");
    assert!(daemon.run(&["pool", "show"]).succeeded().contains("1: 3 disks, busy"));
}

#[test]
fn a_disk_that_is_removed_while_it_moves_is_removed() {
    let host = Host::in_ram();
    let daemon = serve(&host);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let end = Done(&done);
        let loads = loads(scope, &daemon, &done);
        let moved = wait_for(&daemon, "Moving disk");
        daemon.run(&["disk", "remove", moved, "--force"]).succeeded();
        drop(end);
        for (name, load) in BUSY.iter().zip(loads) {
            let round = load.join().expect("it read what it wrote until it was cut off");
            if *name != moved {
                check_content(&daemon, name, round);
            }
        }
        assert!(daemon.disk(moved).is_null());
        // Its backing is free for another disk.
        let image = host.text(&format!("{moved}.img"));
        daemon.run(&["disk", "add", "next", "--backing", &image]).succeeded();
    });
    assert!(daemon.stop().success());
}

#[test]
fn a_daemon_that_is_stopped_or_killed_while_a_disk_moves_comes_back_with_what_was_acknowledged() {
    for end in ["stopped", "killed"] {
        let host = Host::in_ram();
        let daemon = serve(&host);
        let done = AtomicBool::new(false);
        let rounds = std::thread::scope(|scope| {
            let _until_cut_off = Done(&done);
            let loads = loads(scope, &daemon, &done);
            wait_for(&daemon, "Moving disk");
            if end == "stopped" {
                assert!(daemon.stop().success());
            } else {
                daemon.kill();
            }
            loads.map(|load| load.join().expect("it read what it wrote until it was cut off"))
        });
        let daemon = restart(&host, &[]);
        for (name, round) in BUSY.iter().zip(rounds) {
            assert_eq!(daemon.disk(name)["state"], "serving", "{end}");
            check_content(&daemon, name, round);
        }
        assert!(daemon.stop().success());
    }
}

#[test]
fn a_daemon_that_is_killed_in_one_move_after_another_loses_nothing_acknowledged_of_an_nbd_server() {
    let (store, host) = (Host::in_ram(), Host::in_ram());
    let (storing, mut daemon) = serve_exports(&store, &host);
    let mut rounds = [0; NAMES.len()];
    for name in NAMES {
        daemon.run(&["disk", "set", name, "mode=write-back", "allow-unmarked=yes"]).succeeded();
        write_round(&mut daemon.guest(name), 0).expect("the disk is served");
    }
    // Answers of the control plane after the start of the move. Some moves have ended by then.
    for answers_until_killed in [0, 1, 2, 4, 8, 16] {
        let of_first_shard = |name: &usize| shard_of(&daemon, NAMES[*name]) == 0;
        let busy: Vec<usize> = (0..NAMES.len()).filter(of_first_shard).collect();
        assert_eq!(busy.len(), 2, "a start spreads disks over shards");
        let (killed, done) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let _ends = (Done(&killed), Done(&done));
            let guests = busy.clone().into_iter().map(|disk| {
                let (socket, done, round) = (daemon.nbd_socket(NAMES[disk]), &done, rounds[disk]);
                scope.spawn(move || (disk, load_with_reconnect(&socket, NAMES[disk], round, done)))
            });
            let guests: Vec<_> = guests.collect();
            for disk in &busy {
                let socket =
                    UnixStream::connect(daemon.nbd_socket(NAMES[*disk])).expect("the disk is served");
                let killed = &killed;
                scope.spawn(move || keep_busy(socket, killed));
            }
            daemon.wait_for_log("Moving disk");
            for _ in 0..answers_until_killed {
                shard_of(&daemon, NAMES[busy[0]]);
            }
            daemon.signal(Signal::SIGKILL);
            killed.store(true, Ordering::Relaxed);
            daemon = restart(&host, &[]);
            done.store(true, Ordering::Relaxed);
            for guest in guests {
                let (disk, round) = guest.join().expect("it finds what was acknowledged");
                rounds[disk] = round;
            }
        });
        for (name, round) in NAMES.iter().zip(rounds) {
            check_content(&daemon, name, round);
        }
    }
    assert!(daemon.stop().success());
    drop(storing);
}

#[test]
fn while_one_backing_hangs_and_a_change_waits_for_it_other_disks_move_within_a_second() {
    let (far, host) = (Host::in_ram(), Host::in_ram());
    let server = far.serve();
    server.run(&["disk", "add", "x", "--backing", &far.image("x.img", DISK)]).succeeded();
    let daemon = serve(&host);
    let export = format!("nbd+unix:///x?socket={}", server.nbd_socket("x").display());
    let far_disk = ["disk", "add", "far", "--backing", &export, "--mode", "write-back", "--allow-unmarked"];
    daemon.run(&far_disk).succeeded();
    daemon.run(&["disk", "set", "far", "retry-time=300s"]).succeeded();
    assert_eq!(shard_of(&daemon, "far"), 0);
    server.signal(Signal::SIGSTOP);
    daemon.guest("far").write(0, &[7; 4096]).expect("flash takes it");
    let mut evicting = daemon.spawn(&["disk", "evict", "far"]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let end = Done(&done);
        let loads = loads(scope, &daemon, &done);
        let line = daemon.wait_for_log("is on shard 1 after");
        let (_, millis) = line.split_once("is on shard 1 after ").expect("it was looked for");
        let millis: u64 = millis.split(' ').next().and_then(|text| text.parse().ok()).expect("a number");
        assert!(millis < 1000, "{line}");
        assert!(evicting.try_wait().expect("it is our child").is_none(), "it has to destage first");
        drop(end);
        for (name, load) in BUSY.iter().zip(loads) {
            check_content(&daemon, name, load.join().expect("it read what it wrote, and nobody cut it off"));
        }
    });
    server.signal(Signal::SIGCONT);
    assert!(evicting.wait().expect("it is our child").success());
    assert!(daemon.stop().success());
}
