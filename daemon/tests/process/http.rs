//! HTTP over TCP for browsers, scripts and attackers, byte for byte.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::browser::{Answered, Browser, exchange, serve};
use crate::host::{Host, forebay};

const MIB: u64 = 1 << 20;

fn disk(name: &str, image: &str) -> String {
    json!({ "name": name, "backing": image }).to_string()
}

#[test]
fn reading_is_open_on_this_host_and_every_change_needs_the_token() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = serve(&host);
    assert!(daemon.announcement.contains(&format!("http://{}/", daemon.http())), "{}", daemon.announcement);
    let (stranger, owner) = (Browser::of(&daemon), Browser::with_token(&host, &daemon));

    let problem = stranger.send("POST", "/v1/disks", &disk("a", &image));
    assert!(problem.head.contains("www-authenticate: bearer"), "{problem:?}");
    let detail = problem.problem(401);
    assert!(detail.contains("without the token") && detail.contains(&host.text("d/token")), "{detail}");
    let wrong = Browser { token: Some("0".repeat(64)), ..Browser::of(&daemon) };
    assert!(wrong.send("POST", "/v1/disks", &disk("a", &image)).problem(401).contains("not the right one"));
    assert_eq!(stranger.get("/v1/disks").json(), json!({ "schema": 1, "disks": [] }));

    let added = owner.send("POST", "/v1/disks", &disk("a", &image));
    assert_eq!((added.status, &added.json()["disk"]["name"]), (200, &"a".into()), "{added:?}");
    let set = json!({ "settings": { "mode": "write-around" } }).to_string();
    assert_eq!(owner.send("PATCH", "/v1/disks/a", &set).status, 200);
    for (method, path) in [("PATCH", "/v1/disks/a"), ("DELETE", "/v1/disks/a"), ("POST", "/v1/disks/a/evict")]
    {
        stranger.send(method, path, &set).problem(401);
    }
    // A change over one listener is visible over the other.
    let shown = stranger.get("/v1/disks/a").json();
    assert_eq!(shown["disk"]["mode"], "write-around");
    assert_eq!(shown["disk"]["settings"], daemon.json(&["disk", "show", "a"])["disk"]["settings"]);
    assert_eq!(owner.ask("DELETE", "/v1/disks/a", "").status, 200);
    assert_eq!(daemon.json(&["disk", "list"])["disks"], json!([]));
}

#[test]
fn whether_a_token_is_the_right_one_can_be_asked_without_a_change() {
    let host = Host::new();
    let daemon = serve(&host);
    let with = |token: Option<String>| Browser { token, ..Browser::of(&daemon) };
    let may_change = |browser: &Browser| browser.get("/v1/host").json()["host"]["may_change"].clone();
    assert_eq!(may_change(&with(None)), false);
    for wrong in ["anything", "", &"0".repeat(64)] {
        assert_eq!(may_change(&with(Some(wrong.to_owned()))), false, "{wrong}");
    }
    let owner = Browser::with_token(&host, &daemon);
    assert_eq!(may_change(&owner), true);
    let told = owner.get("/v1/host").json();
    assert_eq!(
        told["host"]["token_path"],
        host.text("d/token"),
        "a page can name the file that is really asked for"
    );
    assert_eq!(told["host"]["version"], env!("CARGO_PKG_VERSION"));
    let name = fs::read_to_string("/proc/sys/kernel/hostname").expect("Linux tells");
    assert_eq!(told["host"]["name"], name.trim());
}

#[test]
fn a_page_of_another_origin_can_neither_read_nor_change_anything_also_by_dns_rebinding() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = serve(&host);
    let owner = Browser::with_token(&host, &daemon);
    let port = daemon.http().port();
    for foreign in [
        Browser { host: format!("evil.example:{port}"), ..Browser::with_token(&host, &daemon) },
        Browser { host: "127.0.0.1:1".to_owned(), ..Browser::with_token(&host, &daemon) },
        owner.saying("Origin: http://evil.example"),
        owner.saying("Origin: null"),
        owner.saying(&format!("Origin: http://localhost:{port}")),
        owner.saying("Sec-Fetch-Site: cross-site"),
        owner.saying("Sec-Fetch-Site: same-site"),
    ] {
        for answer in [
            foreign.get("/v1/disks"),
            foreign.get("/healthz"),
            foreign.send("POST", "/v1/disks", &disk("a", &image)),
            foreign.saying(&format!("{}Access-Control-Request-Method: POST", foreign.more)).ask(
                "OPTIONS",
                "/v1/disks",
                "",
            ),
        ] {
            answer.problem(403);
            assert!(!answer.head.contains("access-control"), "{answer:?}");
        }
    }
    assert_eq!(daemon.json(&["disk", "list"])["disks"], json!([]));
    let own = owner.saying(&format!("Origin: http://{}\r\nSec-Fetch-Site: same-origin", daemon.http()));
    assert_eq!(own.send("POST", "/v1/disks", &disk("a", &image)).status, 200);
    let preflight = own.ask("OPTIONS", "/v1/disks", "");
    assert!(preflight.status == 405 && !preflight.head.contains("access-control"), "{preflight:?}");
}

#[test]
fn names_of_the_configuration_are_answered_to() {
    let host = Host::new();
    let config =
        "[http]\nlisten = \"127.0.0.1:0\"\nnames = [\"Storage.example\"]\n[pool]\nsize = \"64MiB\"\n";
    fs::write(host.path("f.toml"), config).expect("the folder is ours");
    // The command line takes precedence over the file, and sets nothing else here.
    let daemon = host.serve_with(&["--config", &host.text("f.toml"), "--listen-http", "127.0.0.1:0"]);
    for (name, status) in [("storage.example", 200), ("other.example", 403), ("localhost", 403)] {
        let browser = Browser { host: name.to_owned(), ..Browser::with_token(&host, &daemon) };
        assert_eq!(browser.get("/v1/disks").status, status, "{name}");
    }
    // A proxy in front of the daemon uses a name, and connects for any client.
    let browser = Browser { host: "storage.example".to_owned(), ..Browser::of(&daemon) };
    assert_eq!(browser.get("/v1/disks").status, 401);
    let browser = Browser { host: format!("localhost:{}", daemon.http().port()), ..Browser::of(&daemon) };
    assert_eq!(browser.get("/v1/disks").status, 200);
}

#[test]
fn what_cannot_be_is_a_problem_document_and_changes_nothing() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = serve(&host);
    let owner = Browser::with_token(&host, &daemon);
    let long = format!("{{\"name\":\"{}\"}}", "x".repeat(64 << 10));
    for (answer, status, part) in [
        (owner.send("POST", "/v1/disks", &long), 413, "65536 bytes"),
        (owner.send("POST", "/v1/disks", "{\"name\":"), 400, "documented JSON"),
        (owner.send("POST", "/v1/disks", "[1,2]"), 400, "documented JSON"),
        (owner.send("POST", "/v1/disks", ""), 400, "documented JSON"),
        (owner.send("POST", "/v1/disks", "{\"name\":\"a\",\"backing\":3}"), 400, "backing"),
        (owner.send("POST", "/v1/disks", "{\"name\":\"a\",\"backing\":\"/x\",\"more\":1}"), 400, "more"),
        (owner.ask("POST", "/v1/disks", &disk("a", &image)), 415, "application/json"),
        (owner.saying("Content-Type: text/plain").ask("POST", "/v1/disks", &disk("a", &image)), 415, "json"),
        (owner.get("/v1/disks/none"), 404, "no disk 'none'"),
        (owner.send("PATCH", "/v1/disks/none", "{\"settings\":{}}"), 404, "no disk 'none'"),
        (owner.get("/v1/disks/%ff"), 400, "name of a disk"),
        (owner.get("/v2"), 404, "/v2"),
        (owner.ask("DELETE", "/v1/pool/devices/x", ""), 400, "number"),
        (owner.send("PUT", "/v1/disks", "{}"), 405, "PUT"),
        (owner.saying("Host: evil.example").get("/v1/disks"), 400, "host"),
    ] {
        let detail = answer.problem(status);
        assert!(detail.contains(part), "{part}: {detail}");
    }
    let answer = owner.ask("POST", "/v1/stats", "");
    assert!(answer.status == 405 && answer.head.contains("allow: get,head"), "{answer:?}");
    assert_eq!(daemon.json(&["disk", "list"])["disks"], json!([]));
}

#[test]
fn every_answer_tells_browsers_to_keep_and_embed_nothing() {
    let host = Host::new();
    let daemon = serve(&host);
    let browser = Browser::of(&daemon);
    for answer in [browser.get("/v1/disks"), browser.get("/nothing"), browser.send("POST", "/v1/disks", "{}")]
    {
        for header in [
            "content-security-policy: default-src 'self'; frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(answer.head.contains(header), "{header}: {answer:?}");
        }
    }
}

#[test]
fn the_token_is_for_its_owner_only_and_stays_the_same() {
    let host = Host::new();
    let path = host.path("d/token");
    let daemon = serve(&host);
    let token = fs::read_to_string(&path).expect("it was made");
    assert_eq!(fs::metadata(&path).expect("it was made").permissions().mode() & 0o7777, 0o600);
    assert!(daemon.stop().success());
    assert!(!host.path("d/http").exists(), "nobody answers there any more");

    let daemon = serve(&host);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), token);
    assert!(daemon.stop().success());
    fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("it is ours");
    let daemon = serve(&host);
    let line = daemon.wait_for_log("Disks are served without HTTP");
    assert!(line.contains("mode 0644") && line.contains("Delete it and restart"), "{line}");
    assert!(!daemon.announcement.contains("http://") && !host.path("d/http").exists());
    assert_eq!(daemon.json(&["disk", "list"])["disks"], json!([]));
}

#[test]
fn a_port_in_use_is_said_and_disks_are_served_all_the_same() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let taken = TcpListener::bind("127.0.0.1:0").expect("there are ports");
    let address = taken.local_addr().expect("it is bound").to_string();
    let daemon =
        host.serve_with(&["--pool", &host.text("p.img"), "--pool-size", "64MiB", "--listen-http", &address]);
    let line = daemon.wait_for_log("Disks are served without HTTP");
    assert!(line.contains(&address) && line.contains("--listen-http"), "{line}");
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.guest("a").write(0, &[1; 512]).expect("the disk is served");
}

#[test]
fn without_http_nobody_listens_and_there_is_no_token() {
    let host = Host::new();
    let daemon = host.serve();
    assert!(!daemon.announcement.contains("http://"), "{}", daemon.announcement);
    assert!(!host.path("d/token").exists() && !host.path("d/http").exists());
    let wrong = forebay(&["serve", "--listen-http", "localhost:1"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("127.0.0.1:7070"), "{wrong:?}");
}

#[test]
fn clients_that_never_finish_what_they_send_hold_up_nobody() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = serve(&host);
    let address = daemon.http();
    // More than the limit, each in the middle of a head or of a body.
    let begun = |number: usize| {
        let mut stream = TcpStream::connect(address).expect("somebody listens");
        let text = format!("GET /v1/disks HTTP/1.1\r\nHost: {address}\r\n");
        let body = if number.is_multiple_of(2) { "Content-Length: 9\r\n\r\n{" } else { "X-A: " };
        stream.write_all(format!("{text}{body}").as_bytes()).expect("it is taken or waits");
        stream
    };
    let stuck: Vec<TcpStream> = (0..100).map(begun).collect();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.guest("a").write(0, &[1; 512]).expect("the disk is served");
    drop(stuck);
    assert_eq!(Browser::of(&daemon).get("/v1/disks/a").json()["disk"]["state"], "serving");
}

#[test]
fn what_is_no_http_disturbs_nobody() {
    let host = Host::new();
    let daemon = serve(&host);
    let head = format!("GET /v1/disks HTTP/1.1\r\nHost: {}\r\n", daemon.http());
    let many = "X: y\r\n".repeat(1000);
    for (bytes, status) in [
        (b"\xa5".repeat(4096), 400),
        (b"GET /v1/disks\r\n\r\n".to_vec(), 400),
        (format!("{head}X: {}\r\n\r\n", "y".repeat(100_000)).into_bytes(), 431),
        (format!("{head}{many}\r\n").into_bytes(), 431),
        (format!("{head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello").into_bytes(), 400),
    ] {
        assert_eq!(exchange(daemon.http(), &bytes).status, status, "{:?}", bytes.get(..60));
    }
    assert_eq!(Browser::of(&daemon).get("/v1/disks").status, 200);
}

#[test]
fn health_is_ok_until_a_disk_is_not() {
    let host = Host::new();
    let image = host.image("a.img", 2 * MIB);
    let daemon = serve(&host);
    let browser = Browser::of(&daemon);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let answer = browser.get("/healthz");
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"), "{answer:?}");
    let backing_is = |state: &str| while daemon.disk("a")["backing_state"]["state"] != state {};
    fs::rename(&image, host.path("away.img")).expect("the folder is ours");
    backing_is("missing");
    let detail = browser.get("/healthz").problem(503);
    assert!(detail.contains("disk 'a' is missing"), "{detail}");
    let status = daemon.run(&["status"]);
    assert!(status.status == 1 && status.stdout.contains("disk a is missing"), "{status:?}");
    fs::rename(host.path("away.img"), &image).expect("the folder is ours");
    backing_is("good");
    assert_eq!(browser.get("/healthz").status, 200);
    let file = OpenOptions::new().write(true).open(&image).expect("the folder is ours");
    file.set_len(MIB).expect("the folder is ours");
    daemon.wait_for_log("Disk 'a' failed");
    let detail = browser.get("/healthz").problem(503);
    assert!(detail.contains("disk 'a' failed") && detail.contains("shrank"), "{detail}");
}

#[test]
fn changes_that_contradict_each_other_at_the_same_time_end_with_one_of_them() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = serve(&host);
    let owner = Browser::with_token(&host, &daemon);
    let at_once = |change: &(dyn Fn(usize) -> Answered + Sync)| {
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|number| scope.spawn(move || change(number))).collect();
            all.into_iter().map(|one| one.join().expect("it ends").status).collect::<Vec<u16>>()
        })
    };
    let added = at_once(&|_| owner.send("POST", "/v1/disks", &disk("a", &image)));
    let succeeded = added.iter().filter(|status| **status == 200).count();
    assert_eq!(succeeded, 1, "{added:?}");
    assert!(added.iter().all(|status| [200, 409].contains(status)), "{added:?}");

    let modes = ["write-through", "write-around", "pass-through"];
    let set = |number: usize| {
        let mode = modes[number % modes.len()];
        owner.send("PATCH", "/v1/disks/a", &json!({ "settings": { "mode": mode } }).to_string())
    };
    let changed = at_once(&set);
    assert!(changed.iter().all(|status| *status == 200), "{changed:?}");
    let shown = owner.get("/v1/disks/a").json();
    assert!(modes.contains(&shown["disk"]["mode"].as_str().expect("it has one")), "{shown}");
    assert_eq!(shown["disk"]["mode"], shown["disk"]["settings"]["mode"]);
    let removed = at_once(&|_| owner.ask("DELETE", "/v1/disks/a", ""));
    assert_eq!(removed.iter().filter(|status| **status == 200).count(), 1, "{removed:?}");
    assert_eq!(daemon.json(&["disk", "list"])["disks"], json!([]));
}

#[test]
fn a_quiesce_is_ended_by_its_number_only_while_it_is_the_one_that_counts() {
    let host = Host::new();
    let daemon = serve(&host);
    daemon.run(&["disk", "add", "a", "--backing", &host.image("a.img", 1 << 20)]).succeeded();
    let owner = Browser::with_token(&host, &daemon);
    let quiet = |path: &str, body: Value| {
        owner.send("POST", path, &body.to_string()).json()["disk"]["quiesce"].clone()
    };
    let quiesce = || quiet("/v1/disks/a/quiesce", json!({ "seconds": 600 }))["number"].clone();
    let resume = |number| quiet("/v1/disks/a/resume", json!({ "number": number }))["state"].clone();
    let (first, second) = (quiesce(), quiesce());
    assert_ne!(first, second);
    assert_ne!(resume(&first), "none", "somebody else asked for the same since");
    assert_eq!(resume(&second), "none");
    quiesce();
    assert_eq!(quiet("/v1/disks/a/resume", Value::Null)["state"], "none", "whoever asked for it");
}
