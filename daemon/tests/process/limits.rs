//! Limits of guests' requests to a disk: they hold through every door, change at once, and delay nothing but
//! its guests.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use doors::nbd::Client;
use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, Request};
use serde_json::Value;
use vhost::VhostBackend;

use crate::driver::{Data, Driver, IN};
use crate::host::{Daemon, Host};
use crate::patience;

const MIB: u64 = 1 << 20;
const SECTOR: usize = 512;
/// Requests that are sent at once: more than a limit of one a second lets pass while a test waits.
const MANY: u64 = 100;
/// Far longer than anything takes without a limit, and far shorter than [`MANY`] seconds.
const SOON: Duration = Duration::from_secs(50);

/// Serves disk `a` of 1 MiB, with these keys.
fn serve(host: &Host, keys: &[&str]) -> Daemon {
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&[&["disk", "add", "a", "--backing", &image], keys].concat()).succeeded();
    daemon
}

/// A client that has sent reads and waits for their answers.
struct Pipelined(UnixStream, #[expect(dead_code, reason = "it is connected as long as this lives")] Client);

impl Pipelined {
    fn send(daemon: &Daemon, requests: u64) -> Self {
        let mut stream = UnixStream::connect(daemon.nbd_socket("a")).expect("the disk is served");
        let ours = stream.try_clone().expect("there are files left");
        let client = Client::over(ours, "a", Replies::Simple).expect("the disk is served");
        let request = |cookie| {
            Request { flags: 0, command: Command::Read, cookie, offset: 0, length: SECTOR as u32 }.encode()
        };
        let all: Vec<u8> = (0..requests).flat_map(request).collect();
        stream.write_all(&all).expect("the disk is served");
        Self(stream, client)
    }

    /// Receives this many answers, in the order of the requests.
    fn receive(&mut self, answers: std::ops::Range<u64>) {
        self.0.set_read_timeout(Some(patience::PATIENCE)).expect("it is not zero");
        for cookie in answers {
            let mut reply = [0; 16 + SECTOR];
            self.0.read_exact(&mut reply).expect("it is answered");
            assert_eq!(reply[4..8], [0; 4], "no request fails");
            assert_eq!(reply[8..16], cookie.to_be_bytes());
        }
    }
}

fn iops_max(daemon: &Daemon) -> Value {
    daemon.json(&["disk", "show", "a"])["disk"]["settings"]["iops-max"].clone()
}

fn delayed(daemon: &Daemon) -> u64 {
    daemon.json(&["stats", "a"])["disks"][0]["requests_delayed"].as_u64().expect("a number")
}

#[test]
fn a_guest_gets_no_more_than_the_limits_through_any_door_and_sees_it_counted() {
    let host = Host::new();
    let daemon = serve(&host, &["iops-max=200", "burst-time=10ms"]);
    let (mut guest, mut driver) = (daemon.guest("a"), Driver::start(&daemon.vhost_socket("a")));
    // Two requests are saved up. Hits and misses, reads and changes.
    let began = Instant::now();
    for round in 0..10 {
        guest.read(0, 4096).expect("the disk is served");
        guest.write(round * 4096, &[1; 4096]).expect("the disk is served");
        guest.write_zeroes(512 << 10, 4096).expect("the disk is served");
        guest.trim(0, 4096).expect("the disk is served");
        driver.read(0, 8, SECTOR);
        driver.read(0, 8, SECTOR);
    }
    assert!(began.elapsed() >= Duration::from_millis((60 - 3) * 5), "{:?}", began.elapsed());
    for _ in 0..50 {
        guest.flush().expect("the disk is served");
    }
    let counted = delayed(&daemon);
    assert!((1..=60).contains(&counted), "{counted}");
    let shown = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(
        shown.lines().any(|line| line.starts_with("delayed by limits") && line.contains(" requests, ")),
        "{shown}"
    );
    let shown = daemon.run(&["stats", "a"]).succeeded();
    assert!(shown.contains("delayed by limits"), "{shown}");

    // Bytes, with a request that is larger than the savings, and pays afterwards.
    daemon.run(&["disk", "set", "a", "iops-max=off", "bandwidth-max=2MiB"]).succeeded();
    let began = Instant::now();
    for _ in 0..3 {
        guest.read(0, 512 << 10).expect("the disk is served");
    }
    driver.read(0, 8, SECTOR);
    assert!(began.elapsed() >= Duration::from_millis(730), "{:?}", began.elapsed());
    assert!(delayed(&daemon) > counted);
}

#[test]
fn limits_outlive_the_daemon_and_a_change_holds_for_requests_that_wait() {
    let host = Host::new();
    let daemon = serve(&host, &["iops-max=1"]);
    assert!(daemon.stop().success());
    let daemon = host.serve();
    assert_eq!(iops_max(&daemon), "1");
    let began = Instant::now();
    let mut pipelined = Pipelined::send(&daemon, MANY);
    pipelined.receive(0..2);
    assert!(began.elapsed() >= Duration::from_millis(900), "{:?}", began.elapsed());
    // Another disk does not wait, nor do commands.
    let other = host.image("b.img", MIB);
    daemon.run(&["disk", "add", "b", "--backing", &other]).succeeded();
    daemon.guest("b").write(0, &[1; 4096]).expect("the disk is served");
    daemon.run(&["disk", "quiesce", "a"]).succeeded();
    daemon.run(&["disk", "resume", "a"]).succeeded();
    daemon.run(&["disk", "set", "a", "mode=write-around"]).succeeded();
    assert!(
        delayed(&daemon) < MANY - 2 && began.elapsed() < SOON,
        "it is still waited for: {:?}",
        began.elapsed()
    );
    daemon.run(&["disk", "set", "a", "iops-max=off"]).succeeded();
    pipelined.receive(2..MANY);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert_eq!(delayed(&daemon), MANY - 1);
    assert_eq!(iops_max(&daemon), "off");
    assert!(daemon.run(&["disk", "show", "a"]).succeeded().contains("delayed by limits"));
    assert!(!daemon.run(&["disk", "show", "b"]).succeeded().contains("delayed by limits"));
}

#[test]
fn a_removal_and_a_stop_let_requests_pass_that_wait_for_a_limit() {
    for words in [Some(["disk", "remove", "a", "--force"]), None] {
        let host = Host::new();
        let daemon = serve(&host, &["iops-max=1"]);
        let began = Instant::now();
        let mut pipelined = Pipelined::send(&daemon, MANY);
        pipelined.receive(0..1);
        patience::until(|| daemon.json(&["disk", "show", "a"])["disk"]["connections"] == 1);
        let reading = thread::spawn(move || {
            // All accepted requests are answered; which those are is up to the door.
            let mut answers = Vec::new();
            drop(pipelined.0.read_to_end(&mut answers));
            answers.len()
        });
        match words {
            Some(words) => drop(daemon.run(&words).succeeded()),
            None => assert!(daemon.stop().success()),
        }
        assert!(began.elapsed() < SOON, "{words:?} took {:?}", began.elapsed());
        let bytes = reading.join().expect("it reads to the end");
        assert_eq!(bytes % (16 + SECTOR), 0, "no answer is cut");
    }
}

#[test]
fn a_queue_that_is_stopped_and_a_client_that_leaves_do_not_wait_for_a_limit() {
    let host = Host::new();
    let daemon = serve(&host, &["iops-max=1"]);
    let began = Instant::now();
    let mut driver = Driver::start(&daemon.vhost_socket("a"));
    for slot in 0..40 {
        driver.submit(0, slot, IN, 8, &Data::In(SECTOR));
    }
    driver.kick(0);
    driver.answer(0);
    driver.frontend.get_vring_base(0).expect("it is at work");
    assert!(began.elapsed() < Duration::from_secs(30), "40 requests took {:?}", began.elapsed());
    let counted = delayed(&daemon);
    assert!(counted > 0);

    // Its debt delays the next client; a client that disconnects, while it waits too, is removed at once.
    let pipelined = Pipelined::send(&daemon, 20);
    patience::until(|| daemon.disk("a")["connections"] == 2);
    drop(pipelined);
    patience::until(|| daemon.disk("a")["connections"] == 1);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn limits_that_cannot_be_are_refused_with_the_form_that_can() {
    let host = Host::new();
    let daemon = serve(&host, &[]);
    for (setting, says) in [
        ("iops-max=0", "from 1 to 4294967295, such as 500, or off"),
        ("iops-max=-1", "such as 500, or off"),
        ("iops-max=many", "such as 500, or off"),
        ("bandwidth-max=1KiB", "at least 1MiB, or off"),
        ("bandwidth-max=fast", "write it as 4096, 64K"),
        ("burst-time=1ms", "from 10ms to 1h"),
    ] {
        let message = daemon.run(&["disk", "set", "a", setting]).failed();
        assert!(message.contains(setting) && message.contains(says), "{message}");
    }
    assert_eq!(iops_max(&daemon), "off");
}
