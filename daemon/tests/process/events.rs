//! Events that an operator must know: logged, listed, followed, kept across restarts, and never an obstacle
//! to a start.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::driver::Driver;
use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;

fn events(daemon: &Daemon) -> Vec<Value> {
    daemon.json(&["events"])["events"].as_array().expect("a list").clone()
}

fn kinds(daemon: &Daemon) -> Vec<String> {
    events(daemon).iter().map(|event| event["kind"].as_str().expect("a name").to_owned()).collect()
}

/// Returns all listed events, once one of this kind is among them. The list is written by another thread, so
/// it lags behind.
fn until(daemon: &Daemon, kind: &str) -> Vec<Value> {
    let mut follower = Follower::of(daemon, &[]);
    let mut all = Vec::new();
    while all.iter().all(|event: &Value| event["kind"] != kind) {
        all.extend(follower.next());
    }
    all
}

/// Returns the last event of this kind.
fn last<'a>(all: &'a [Value], kind: &str) -> &'a Value {
    all.iter().rfind(|event| event["kind"] == kind).expect("there is one")
}

/// `forebay events --follow --json`, killed when dropped.
struct Follower {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Follower {
    fn of(daemon: &Daemon, options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
            .args(["events", "--follow", "--json"])
            .args(options)
            .env("FOREBAY_SOCKET", daemon.control_socket())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary was built for this test");
        let lines = BufReader::new(child.stdout.take().expect("it was piped"));
        Self { child, lines }
    }

    /// Returns the events of the next document.
    fn next(&mut self) -> Vec<Value> {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("output is text");
        let document: Value = serde_json::from_str(&line).expect("one document a line");
        assert_eq!(document["schema"], 1);
        document["events"].as_array().expect("a list").clone()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.child.kill().expect("it is our child and was not waited for");
        self.child.wait().expect("it is our child");
    }
}

#[test]
fn what_happens_is_logged_and_listed_with_what_to_do() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let line = daemon.wait_for_log("disk-added");
    assert!(line.contains("Disk 'a' was added") && line.contains("disk=\"a\""), "{line}");
    let all = until(&daemon, "disk-added");
    assert_eq!(
        (&all[0]["kind"], &all[0]["id"], &all[0]["level"]),
        (&"daemon-started".into(), &1.into(), &"info".into())
    );
    assert!(all.iter().any(|event| event["kind"] == "pool-opened"));
    assert!(all.iter().any(|event| event["disk"] == "a"));
    assert!(daemon.run(&["events"]).succeeded().contains("Disk 'a' was added"));

    assert!(daemon.stop().success());
    fs::rename(host.path("a.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let all = until(&daemon, "disk-waiting");
    let waiting = last(&all, "disk-waiting");
    assert_eq!((&waiting["level"], &waiting["disk"]), (&"error".into(), &"a".into()));
    assert!(waiting["advice"].as_str().is_some_and(|advice| advice.contains("forebay disk show a")));
    let shown = daemon.run(&["events", "--level", "error"]).succeeded();
    assert!(shown.contains("Disk 'a' waits") && shown.contains("What to do: "), "{shown}");
    assert!(!shown.contains("was added"), "{shown}");
}

#[test]
fn the_list_says_how_the_last_run_ended_and_its_ids_rise() {
    let host = Host::new();
    let daemon = host.serve();
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    until(&daemon, "pool-opened");
    let all = kinds(&daemon);
    assert!(all.iter().any(|kind| kind == "daemon-stopped"), "{all:?}");
    assert!(!all.iter().any(|kind| kind == "daemon-died"), "{all:?}");
    daemon.kill();
    let daemon = host.serve_with(&[]);
    let all = until(&daemon, "daemon-died");
    let died = last(&all, "daemon-died");
    assert!(died["message"].as_str().is_some_and(|said| said.contains("killed")), "{died}");
    let ids: Vec<u64> = events(&daemon).iter().filter_map(|event| event["id"].as_u64()).collect();
    assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
}

#[test]
fn a_follower_sees_what_comes_and_does_not_hold_up_a_stop() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    until(&daemon, "pool-opened");
    let mut follower = Follower::of(&daemon, &[]);
    assert!(follower.next().len() >= 2);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut seen = Vec::new();
    while seen.iter().all(|event: &Value| event["kind"] != "disk-added") {
        seen.extend(follower.next());
    }
    let socket = daemon.control_socket().to_owned();
    assert!(daemon.stop().success());
    // The next daemon is found automatically, and lists events that the last one could not report.
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.control_socket(), socket);
    let mut rest = Vec::new();
    while rest.iter().all(|event: &Value| event["kind"] != "daemon-started") {
        rest.extend(follower.next());
    }
    assert!(rest.iter().any(|event| event["kind"] == "daemon-stopping"), "{rest:?}");
    let ids: Vec<u64> = seen.iter().chain(&rest).filter_map(|event| event["id"].as_u64()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] + 1 == pair[1]), "nothing is missing, nothing twice: {ids:?}");
}

#[test]
fn a_list_that_is_damaged_keeps_nobody_from_starting() {
    let host = Host::new();
    assert!(host.serve().stop().success());
    let path = host.path("d/events.jsonl");
    let mut text = fs::read_to_string(&path).expect("the daemon wrote it");
    let lines = text.lines().count() as u64;
    text.push_str("nonsense\n");
    fs::write(&path, &text).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let all = until(&daemon, "events-set-aside");
    assert_eq!(all[0]["id"], 1, "what could be read is there");
    assert_eq!(last(&all, "events-set-aside")["id"], lines, "the header is no event");
    assert!(daemon.stop().success());
    // Nor is a file that cannot be read: a folder is renamed as well.
    fs::remove_file(&path).expect("the folder is ours");
    fs::create_dir(&path).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    until(&daemon, "events-set-aside");
    assert!(daemon.stop().success());
}

#[test]
fn requests_that_make_no_sense_are_refused_with_an_example() {
    let host = Host::new();
    let daemon = host.serve();
    for query in ["after=x", "after=-1", "since=7", "wait=soon"] {
        let mut stream = UnixStream::connect(daemon.control_socket()).expect("the daemon listens");
        let request =
            format!("GET /v1/events?{query} HTTP/1.1\r\nHost: forebay\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("the daemon reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the answer is text");
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("after=7"), "{query}: {answer}");
    }
    let refused = daemon.run(&["events", "--level", "loud"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("info, warning, error"), "{}", refused.stderr);
}

#[test]
fn a_queue_of_a_guest_that_is_given_up_is_told_and_counted() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut driver = Driver::start(&daemon.vhost_socket("a"));
    // More than the queue has entries.
    driver.claim(0, 300);
    driver.kick(0);
    let all = until(&daemon, "queue-broken");
    let event = last(&all, "queue-broken");
    assert_eq!(event["disk"], "a");
    let message = event["message"].as_str().expect("it is text");
    assert!(message.contains("1 of its queues"), "{message}");
    assert_eq!(daemon.json(&["stats", "a"])["disks"][0]["broken_queues"], 1);
    assert!(daemon.stop().success());
}
