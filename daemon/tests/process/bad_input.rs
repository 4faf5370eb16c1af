//! Impossible requests are refused with a clear message, and change nothing.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use crate::host::{Daemon, Host, forebay};

const MIB: u64 = 1 << 20;

/// Tries to add a disk, and checks that the attempt left nothing behind.
fn add_fails(daemon: &Daemon, words: &[&str]) -> String {
    let before = daemon.json(&["disk", "list"]);
    let mut all = vec!["disk", "add"];
    all.extend(words);
    let message = daemon.run(&all).failed();
    assert_eq!(daemon.json(&["disk", "list"]), before, "after: {message}");
    message
}

#[test]
fn backings_that_cannot_be_are_refused() {
    let host = Host::new();
    let daemon = host.serve();
    let odd = host.image("odd.img", 1000);
    let empty = host.image("empty.img", 0);
    fs::write(host.path("x.qcow2"), b"QFI\xfb".repeat(1024)).expect("the folder is ours");
    fs::copy(host.path("pool.img"), host.path("copy.img")).expect("the folder is ours");
    std::os::unix::fs::symlink(host.path("pool.img"), host.path("link.img")).expect("the folder is ours");
    for (backing, reason) in [
        (host.text("missing.img"), "check the path"),
        (host.text(""), "it is a folder"),
        (odd, "not a multiple of 512"),
        (empty, "0 bytes"),
        (host.text("x.qcow2"), "qemu-nbd --persistent --shared=0 --format=qcow2"),
        (host.text("pool.img"), "it is the pool already"),
        (host.text("link.img"), "it is the pool of a Forebay, which may have the only copy"),
        (host.text("copy.img"), "it is the pool of a Forebay, which may have the only copy"),
        ("/dev/null".to_owned(), "neither a file nor a block device"),
        ("rbd:pool".to_owned(), "names no image"),
        ("nbds://host/disk".to_owned(), "not available yet"),
        ("nbd://host:x/disk".to_owned(), "no port"),
        ("nbd+unix:///disk".to_owned(), "names no socket"),
        (format!("nbd+unix:///?socket={}", host.text("none.sock")), "start the server"),
        ("model:tape:/x".to_owned(), "hdd-15k"),
    ] {
        let message = add_fails(&daemon, &["a", "--backing", &backing]);
        assert!(message.contains(reason), "{backing}: {message}");
    }
    daemon.run(&["disk", "add", "a", "--backing", &host.text("x.qcow2"), "--force-raw"]).succeeded();
    let message = add_fails(&daemon, &["b", "--backing", &host.text("link.img"), "--force-raw"]);
    assert!(message.contains("it is the pool already"), "by whatever name: {message}");
}

/// Makes a file of 10 GiB without storage, which must never be read into memory.
fn enormous(host: &Host, name: &str) {
    let made = fs::File::create(host.path(name)).and_then(|file| file.set_len(10 << 30));
    made.expect("it is sparse");
}

#[test]
fn enormous_files_of_dir_are_set_aside_or_refused_with_limit_and_size() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    let bystanders =
        ["totals.json", "series/disk-1.series", "wear.json", "holds.json", "shares.json", "events.jsonl"];
    for name in bystanders {
        enormous(&host, &format!("d/{name}"));
    }
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["state"], "serving");
    daemon.guest("a").read(0, 4096).expect("the disk is served");
    let log = daemon.wait_for_log("at most 256MiB (268435456 bytes) are read");
    assert!(log.contains("10GiB (10737418240 bytes)"), "{log}");
    assert!(daemon.stop().success());
    for name in bystanders {
        assert!(fs::metadata(host.path("d").join(name)).map_or(0, |file| file.len()) < MIB, "{name}");
    }

    fs::rename(host.path("d/state.json"), host.path("state.json")).expect("the folder is ours");
    for name in ["d/state.json", "d/state.copy.json"] {
        enormous(&host, name);
    }
    let message = host.serve_fails(&[]);
    assert!(message.contains("10GiB") && message.contains("256MiB"), "{message}");
    fs::rename(host.path("state.json"), host.path("d/state.json")).expect("the folder is ours");
    enormous(&host, "d/token");
    fs::set_permissions(host.path("d/token"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    let daemon = host.serve_with(&["--listen-http", "127.0.0.1:0"]);
    let log = daemon.wait_for_log("Disks are served without HTTP");
    assert!(log.contains("at most 4KiB (4096 bytes)"), "{log}");
    assert_eq!(daemon.disk("a")["state"], "serving");
}

#[test]
fn an_enormous_configuration_is_refused_with_limit_and_size() {
    let host = Host::new();
    enormous(&host, "forebay.toml");
    for config in [host.text("forebay.toml"), "/dev/zero".to_owned()] {
        let message = forebay(&["serve", "--config", &config]).failed();
        assert!(message.contains(&config) && message.contains("at most 1MiB (1048576 bytes)"), "{message}");
    }
}

#[test]
fn one_storage_is_served_once_however_it_is_named() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    std::os::unix::fs::symlink(&image, host.path("soft.img")).expect("the folder is ours");
    fs::hard_link(&image, host.path("hard.img")).expect("the folder is ours");
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    for name in ["a.img", "soft.img", "hard.img", "d/../a.img"] {
        let message = add_fails(&daemon, &["b", "--backing", &host.text(name)]);
        assert!(message.contains("disk 'a' is on it already"), "{name}: {message}");
    }
}

#[test]
fn a_backing_that_another_forebay_serves_is_refused() {
    let (host, other) = (Host::new(), Host::new());
    let image = host.image("a.img", MIB);
    let (daemon, second) = (host.serve(), other.serve());
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let message = add_fails(&second, &["a", "--backing", &image]);
    assert!(message.contains("another process (QEMU or Forebay)"), "{message}");
    daemon.run(&["disk", "remove", "a"]).succeeded();
    second.run(&["disk", "add", "a", "--backing", &image]).succeeded();
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    for (option, value, reason) in [
        ("--block-size", "3000", "power of two"),
        ("--block-size", "2KiB", "power of two"),
        ("--block-size", "2MiB", "power of two"),
        ("--block-size", "big", "Cannot read 'big' as a size"),
        ("--mode", "write-forth", "write-back"),
        ("--mode", "fast", "write-through"),
        ("--reserve", "1TiB", "lower"),
        ("--reserve", "4KiB", "too small"),
        ("--limit", "4KiB", "below the reservation"),
        ("--limit", "101%", "1% to 100%"),
    ] {
        let message = add_fails(&daemon, &["a", "--backing", &image, option, value]);
        assert!(message.contains(reason), "{option} {value}: {message}");
    }
    let message = add_fails(&daemon, &["a", "--backing", &image, "--reserve", "8M", "--limit", "6M"]);
    assert!(message.contains("above the limit"), "{message}");
}

#[test]
fn names_that_cannot_be_are_refused() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    for name in ["A", "a b", "../x", ".hidden", &"x".repeat(64)] {
        let message = add_fails(&daemon, &[name, "--backing", &image]);
        assert!(message.contains("as the name of a disk"), "{name}: {message}");
    }
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let second = host.image("b.img", MIB);
    let message = add_fails(&daemon, &["a", "--backing", &second]);
    assert!(message.contains("there is one of this name"), "{message}");
}

#[test]
fn a_socket_path_that_is_too_long_is_refused_with_that_reason() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    // Short enough for the control socket, too long for a disk with the longest name.
    let run_dir = host.text(&"r".repeat(20));
    let pool = host.text("pool.img");
    let daemon = host.serve_with(&["--run-dir", &run_dir, "--pool", &pool, "--pool-size", "64MiB"]);
    let name = "x".repeat(63);
    let message = add_fails(&daemon, &[&name, "--backing", &image]);
    assert!(message.contains("107"), "{message}");
    let far = host.text(&"y".repeat(100));
    let message = forebay(&["serve", "--listen-http", "off", "--dir", &far]).failed();
    assert!(message.contains("107") && !fs::exists(&far).expect("it can be asked"), "{message}");
}

#[test]
fn changes_that_cannot_be_change_nothing() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let before = daemon.json(&["disk", "show", "a"])["disk"]["settings"].clone();
    for (settings, reason) in [
        (&["blocksize=4K"][..], "did you mean 'block-size'?"),
        (&["mode=write-around", "ram=1"], "at least 1MiB"),
        (&["mode=write-around", "reserve=1T"], "does not fit"),
        (&["destage-order=arrival"], "not available yet"),
        (&["admission=repeated:99"], "1 to 15"),
    ] {
        let mut words = vec!["disk", "set", "a"];
        words.extend(settings);
        let message = daemon.run(&words).failed();
        assert!(message.contains(reason), "{settings:?}: {message}");
        assert_eq!(daemon.json(&["disk", "show", "a"])["disk"]["settings"], before, "after {settings:?}");
    }
}

#[test]
fn disks_that_are_not_there_are_named_with_the_nearest_that_is() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "web-root", "--backing", &image]).succeeded();
    for words in [
        &["disk", "show", "webroot"][..],
        &["disk", "set", "webroot", "mode=write-around"],
        &["disk", "remove", "webroot"],
        &["stats", "webroot"],
    ] {
        let message = daemon.run(words).failed();
        assert!(message.contains("no disk 'webroot'") && message.contains("'web-root'"), "{message}");
    }
}

#[test]
fn a_second_daemon_on_the_same_folder_is_refused_and_the_first_goes_on() {
    let host = Host::new();
    let daemon = host.serve();
    let message = host.serve_fails(&[]);
    assert!(message.contains("another Forebay does so already"), "{message}");
    // With a folder of its own it still cannot use the sockets.
    let (dir, run) = (host.text("other"), host.text("d"));
    let words = [
        "serve",
        "--listen-http",
        "off",
        "--dir",
        &dir,
        "--run-dir",
        &run,
        "--pool",
        &host.text("p2.img"),
        "--pool-size",
        "64M",
    ];
    let message = forebay(&words).failed();
    assert!(message.contains("another process does so already"), "{message}");
    assert_eq!(daemon.json(&["disk", "list"])["disks"], json!([]));
}

#[test]
fn a_damaged_or_newer_state_is_refused_and_left_as_it_is() {
    let host = Host::new();
    assert!(host.serve().stop().success());
    let both = ["d/state.json", "d/state.copy.json"];
    for (text, reason) in [("{", "damaged"), ("{\"schema\": 9}", "a newer Forebay wrote it")] {
        for name in both {
            fs::write(host.path(name), text).expect("the folder is ours");
        }
        let message = host.serve_fails(&[]);
        assert!(message.contains(reason), "{message}");
        for name in both {
            assert_eq!(fs::read_to_string(host.path(name)).expect("it is there"), text);
        }
    }
}

#[test]
fn a_configuration_with_an_unknown_key_is_refused_with_its_line() {
    let host = Host::new();
    fs::write(host.path("f.toml"), "# mine\n[pool]\nsise = \"1GiB\"\n").expect("the folder is ours");
    let message = host.serve_fails(&["--config", &host.text("f.toml")]);
    assert!(message.contains("line 3") && message.contains("did you mean 'pool.size'?"), "{message}");
    assert!(!host.path("d").exists(), "nothing was made");
}

#[test]
fn garbage_on_the_sockets_disturbs_nobody() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    for socket in [daemon.nbd_socket("a"), daemon.control_socket().to_owned()] {
        let mut stream = UnixStream::connect(socket).expect("somebody listens");
        stream.write_all(&[0xa5; 4096]).expect("it is taken or refused later");
        let mut answer = Vec::new();
        // Closed with or without an answer; a reset is acceptable.
        stream.read_to_end(&mut answer).unwrap_or(0);
    }
    guest.write(0, &[1; 512]).expect("the guest goes on");
    assert!(guest.read(MIB, 512).is_err(), "past the end");
    assert!(guest.write(MIB - 512, &[1; 1024]).is_err(), "past the end");
    assert_eq!(guest.read(0, 512).expect("the guest goes on"), [1; 512]);
    assert_eq!(daemon.disk("a")["state"], "serving");
}

#[test]
fn numbers_beyond_all_bounds_are_refused_or_cut_and_the_daemon_goes_on() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let most = u64::MAX;
    let device = json!({ "path": host.text("more.img"), "size_bytes": most }).to_string();
    let quiesce = json!({ "seconds": most }).to_string();
    let keys = |key: &str, value: &str| json!({ "settings": { key: value } }).to_string();
    for (method, path, body, refused) in [
        ("GET", format!("/v1/stats?window={most}s"), String::new(), true),
        ("GET", format!("/v1/history/a?span={most}"), String::new(), true),
        ("GET", "/v1/advice?hit_ratio=1e308".to_owned(), String::new(), true),
        // There are events: the request does not wait.
        ("GET", format!("/v1/events?after=0&wait={most}"), String::new(), false),
        ("GET", format!("/v1/events?after={most}"), String::new(), false),
        ("POST", "/v1/disks/a/quiesce".to_owned(), quiesce, true),
        ("POST", "/v1/disks/a/resize".to_owned(), json!({ "size_bytes": most }).to_string(), true),
        // A file has no snapshots, and another size only by its own tools.
        ("POST", "/v1/disks/a/resize".to_owned(), json!({ "size_bytes": 2 * MIB }).to_string(), true),
        ("POST", "/v1/disks/a/snapshots".to_owned(), json!({ "name": "s1" }).to_string(), true),
        ("DELETE", "/v1/disks/a/snapshots/s1".to_owned(), String::new(), true),
        ("POST", "/v1/pool/devices".to_owned(), device, true),
        ("PATCH", "/v1/disks/a".to_owned(), keys("retry-time", &format!("{most}s")), true),
        ("PATCH", "/v1/disks/a".to_owned(), keys("ram", &most.to_string()), true),
        ("PATCH", "/v1/disks/a".to_owned(), keys("reserve", &most.to_string()), true),
        ("PATCH", "/v1/disks/a".to_owned(), keys("block-size", &most.to_string()), true),
        ("DELETE", format!("/v1/pool/devices/{most}"), String::new(), true),
    ] {
        let mut stream = UnixStream::connect(daemon.control_socket()).expect("it listens");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers with text");
        let status = answer.split(' ').nth(1).expect("there is a status");
        assert_eq!(status != "200", refused, "{method} {path} {body}: {answer}");
    }
    assert!(!host.path("more.img").exists());
    daemon.guest("a").read(0, 4096).expect("the disk is served");
}

#[test]
fn requests_that_the_interface_does_not_know_are_answered_as_problem_documents() {
    let host = Host::new();
    let daemon = host.serve();
    for (request, status) in [
        ("GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404),
        ("GET /v1/disks/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404),
        (
            "POST /v1/disks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: 9\r\n\r\n{\"name\":1",
            400,
        ),
        (
            "POST /v1/disks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: 39\r\n\r\n{\"name\":\"a\",\"backing\":\"/x\",\"colour\":\"r\"}",
            400,
        ),
    ] {
        let mut stream = UnixStream::connect(daemon.control_socket()).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers with text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        assert!(head.to_lowercase().contains("application/problem+json"), "{head}");
        let problem: Value = serde_json::from_str(body).expect("a document");
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].is_string(), "{problem}");
    }
}
