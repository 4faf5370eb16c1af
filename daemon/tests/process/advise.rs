//! `forebay advise`: recommendations for disks that are served and for traces; and none without data.

use std::fmt::Write;

use serde_json::Value;

use crate::host::{Daemon, Host, forebay};

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4 << 10;
/// Pages that are read repeatedly, in order.
const PAGES: u64 = 2_000;
/// Just as many rounds as make enough reads.
const ROUNDS: u64 = 6;

/// Returns the only advice of a document.
fn only(document: &Value) -> &Value {
    assert_eq!(document["schema"], 1);
    let all = document["advice"].as_array().expect("a list");
    assert_eq!(all.len(), 1, "{document}");
    &all[0]
}

fn text(advice: &Value, about: &str) -> String {
    let all = advice["sentences"].as_array().expect("a list").iter();
    let of = all.filter(|sentence| sentence["about"] == about);
    of.map(|sentence| sentence["text"].as_str().expect("a text")).collect()
}

fn load(daemon: &Daemon, name: &str) {
    let mut guest = daemon.guest(name);
    for page in (0..ROUNDS).flat_map(|_| 0..PAGES) {
        guest.read(page * PAGE, PAGE as u32).expect("the disk is served");
    }
}

/// Returns a trace of blocks: so many in a loop, so many in all.
fn loop_of_blocks(host: &Host, blocks: u64, reads: usize) -> String {
    let mut ids = String::new();
    for block in (0..blocks).cycle().take(reads) {
        writeln!(ids, "{block}").expect("strings take everything");
    }
    std::fs::write(host.path("loop.ids"), ids).expect("the folder is ours");
    host.text("loop.ids")
}

#[test]
fn a_disk_is_advised_on_once_it_was_read_enough_and_not_before() {
    let host = Host::new();
    let daemon = host.serve();
    assert!(daemon.run(&["advise"]).succeeded().contains("No disks are served"));
    for name in ["a", "b"] {
        // An array, which a cache makes faster; holes in a file are as fast as a cache.
        let backing = format!("model:hdd-15k:{}", host.image(&format!("{name}.img"), 16 * MIB));
        daemon.run(&["disk", "add", name, "--backing", &backing, "--mode", "pass-through"]).succeeded();
    }
    let new = daemon.json(&["advise", "a"]);
    let new = only(&new);
    assert_eq!((&new["name"], &new["verdict"]), (&"a".into(), &"too-little-seen".into()));
    for key in ["size", "blocks", "mode", "latency", "wear", "command"] {
        assert!(
            new.as_object().is_some_and(|keys| keys.contains_key(key)) && new[key].is_null(),
            "{key}: {new}"
        );
    }
    assert!(text(new, "verdict").contains("0 reads, and 10000 are needed"), "{new}");

    load(&daemon, "a");
    let never = daemon.run(&["advise", "a", "--hit-ratio", "0.99"]);
    assert!(never.status == 1 && never.stdout.starts_with("Disk a: 99.0% cannot be reached"), "{never:?}");
    let never = daemon.run(&["advise", "a", "--hit-ratio", "0.99", "--json"]);
    assert!(never.status == 1 && never.stderr.contains("99.0%"), "{never:?}");
    let document: Value = serde_json::from_str(&never.stdout).expect("--json prints one document");
    daemon.run(&["advise", "a", "--hit-ratio", "0.5"]).succeeded();
    let advice = only(&document);
    assert_eq!(advice["verdict"], "can-help", "{advice}");
    let size = &advice["size"];
    let knee = size["knee"]["cache_bytes"].as_u64().expect("a loop has a knee");
    assert!(knee.abs_diff(PAGES * PAGE) < MIB, "{size}");
    assert!(
        size["wanted_bytes"].is_null()
            && text(advice, "wanted").contains("cannot be reached: the most is 83.3%"),
        "{advice}"
    );
    let hits = size["advised"]["hit_ratio"].as_f64().expect("a ratio");
    assert!((hits - 5.0 / 6.0).abs() < 0.01, "{size}");
    // In pass-through misses are measured, and hits cannot be.
    let latency = &advice["latency"];
    assert_eq!(
        (&latency["miss"]["basis"], &latency["flash"]["basis"]),
        (&"measured".into(), &"assumed".into())
    );
    assert!(
        advice["wear"].is_null() && text(advice, "wear").contains("nothing is cached in pass-through"),
        "{advice}"
    );
    assert!(text(advice, "size").contains("as it has no limit"), "{advice}");

    let words: Vec<&str> = advice["command"].as_str().expect("it is to be cached").split(' ').collect();
    assert_eq!(&words[..4], ["forebay", "disk", "set", "a"]);
    daemon.run(&words[1..]).succeeded();
    assert_eq!(daemon.disk("a")["mode"], "write-through");
    daemon.run(&["disk", "set", "a", "mode=pass-through", "limit=auto"]).succeeded();

    // The same by --apply: not unasked, and taken back by the command that it prints.
    let before = daemon.disk("a")["settings"].clone();
    let unasked = daemon.run(&["advise", "--apply"]);
    assert!(unasked.status == 1 && unasked.stderr.contains("no terminal to ask at"), "{unasked:?}");
    assert_eq!(daemon.disk("a")["settings"], before);
    let applied = daemon.run(&["advise", "--apply", "--yes"]).succeeded();
    assert!(applied.contains("  a: mode pass-through -> write-through\n"), "{applied}");
    assert_eq!(daemon.disk("a")["mode"], "write-through");
    let undo = applied.lines().last().expect("it is the command").trim();
    let words: Vec<&str> = undo.split(' ').collect();
    daemon.run(&words[1..]).succeeded();
    assert_eq!(daemon.disk("a")["settings"], before, "{undo}");
    let document = daemon.json(&["advise", "a", "--apply", "--yes"]);
    assert_eq!(document["undo"], undo);
    assert_eq!(document["applied"][0]["before"]["mode"], "pass-through", "{document}");
    assert_eq!(daemon.disk("a")["mode"], "write-through");
    let document = daemon.json(&["advise", "a"]);
    let after = only(&document);
    assert!(after["keys"].as_object().is_some_and(|keys| !keys.contains_key("mode")), "{after}");

    let shown = daemon.run(&["advise"]).succeeded();
    assert!(
        shown.starts_with("Disk a: A cache helps: ") && shown.contains("\nDisk b: Too little was observed"),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let all = daemon.json(&["advise"]);
    assert_eq!(all["advice"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        all["advice"][0].as_object().map(serde_json::Map::len),
        advice.as_object().map(serde_json::Map::len)
    );
}

#[test]
fn a_disk_that_is_not_there_is_an_error_that_names_those_that_are() {
    let host = Host::new();
    let daemon = host.serve();
    // A folder without a file called `web`.
    let advise = |words: &[&str]| daemon.run_in(&host.path("d"), &[&["advise"], words].concat());
    let none = advise(&["web"]).failed();
    assert!(none.contains("neither a disk nor a file 'web': none is served here"), "{none}");
    for name in ["web1", "web2"] {
        let image = host.image(&format!("{name}.img"), 16 * MIB);
        daemon.run(&["disk", "add", name, "--backing", &image]).succeeded();
    }
    let missing = advise(&["web"]).failed();
    assert!(missing.contains("the disks here are web1, web2"), "{missing}");
    let neither = advise(&["no/such.trace"]).failed();
    assert!(neither.contains("'no/such.trace': there is no such file"), "{neither}");
    let option = advise(&["web1", "--miss-us", "5"]).failed();
    assert!(option.contains("--miss-us, which is for traces"), "{option}");
    let ratio = advise(&["web1", "--hit-ratio", "2"]);
    assert!(ratio.status == 2 && ratio.stderr.contains("such as 0.9 or 90%"), "{ratio:?}");
}

#[test]
fn a_trace_is_advised_on_without_a_daemon() {
    let host = Host::new();
    // 80 MiB: more than the RAM that a disk has.
    let trace = loop_of_blocks(&host, 20_480, 20_480 * 3);
    let document: Value = serde_json::from_str(&forebay(&["advise", &trace, "--json"]).succeeded())
        .expect("--json prints one document");
    let advice = only(&document);
    assert_eq!((&advice["source"], &advice["verdict"]), (&"trace".into(), &"can-help".into()));
    let knee = advice["size"]["knee"]["cache_bytes"].as_u64().expect("a loop has a knee");
    assert!(knee.abs_diff(80 * MIB) < 4 * MIB, "{knee}");
    assert_eq!(advice["blocks"]["basis"], "simulation", "{advice}");
    assert_eq!(advice["latency"]["miss"]["basis"], "assumed");
    assert!(advice["wear"].is_null() && text(advice, "wear").contains("the trace has no times"), "{advice}");
    assert!(
        advice["mode"]["advised"].is_null()
            && text(advice, "mode").contains("does not say which requests write")
    );
    let said: Value = serde_json::from_str(
        &forebay(&[
            "advise",
            &trace,
            "--json",
            "--miss-us",
            "5000",
            "--flash-us",
            "100",
            "--hit-ratio",
            "50%",
        ])
        .succeeded(),
    )
    .expect("--json prints one document");
    let latency = &only(&said)["latency"];
    assert_eq!((&latency["miss"]["basis"], &latency["miss"]["us"]), (&"said".into(), &5000.0.into()));
    assert!(only(&said)["size"]["wanted_bytes"].as_u64().is_some_and(|bytes| bytes <= 84 * MIB), "{said}");

    // A disk accepts the command.
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "256MiB"]);
    let image = host.image("a.img", 256 * MIB);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let command = advice["command"].as_str().expect("a limit at least").replace("NAME", "a");
    daemon.run(&command.split(' ').skip(1).collect::<Vec<_>>()).succeeded();

    let shown = forebay(&["advise", &trace]).succeeded();
    assert!(shown.contains("A cache helps: ") && shown.starts_with("Trace "), "{shown}");
    assert!(
        shown.contains("assumed, not measured") && shown.contains("\n  forebay disk set NAME "),
        "{shown}"
    );
}

#[test]
fn what_is_no_trace_or_too_short_gets_no_advice() {
    let host = Host::new();
    std::fs::write(host.path("garbage.bin"), [0xa5_u8; 4096]).expect("the folder is ours");
    let garbage = forebay(&["advise", &host.text("garbage.bin")]).failed();
    assert!(
        garbage.contains("garbage.bin") && garbage.contains("vscsi1"),
        "the known formats are listed: {garbage}"
    );
    std::fs::write(host.path("empty.ids"), "").expect("the folder is ours");
    let empty = forebay(&["advise", &host.text("empty.ids")]);
    assert!(empty.stdout.contains("0 reads, and 10000 are needed") || empty.status == 1, "{empty:?}");
    let short = loop_of_blocks(&host, 100, 9_000);
    let shown = forebay(&["advise", &short]).succeeded();
    assert!(
        shown.contains("9000 reads, and 10000 are needed") && shown.contains("Take a longer trace"),
        "{shown}"
    );
    let folder = forebay(&["advise", &host.text(".")]).failed();
    assert!(folder.contains("Cannot"), "{folder}");
}

#[test]
fn a_file_or_folder_of_its_name_does_not_hide_a_disk() {
    let host = Host::new();
    let daemon = host.serve();
    for name in ["web1", "web2"] {
        let image = host.image(&format!("{name}.img"), 16 * MIB);
        daemon.run(&["disk", "add", name, "--backing", &image]).succeeded();
    }
    let trace = loop_of_blocks(&host, 100, 9_000);
    std::fs::create_dir(host.path("web1")).expect("the folder is ours");
    for file in ["web2", "web3"] {
        std::fs::copy(&trace, host.path(file)).expect("the folder is ours");
    }
    let advise = |target: &str| daemon.run_in(&host.path("."), &["advise", target, "--format", "ids"]);
    let advise_as_said = |target: &str| daemon.run_in(&host.path("."), &["advise", target]).succeeded();
    for (target, what) in [("web1", "Disk web1: "), ("web2", "Disk web2: ")] {
        assert!(advise_as_said(target).starts_with(what), "{target}");
    }
    // The file has other names, or is meant if a format is given.
    assert!(advise("./web2").succeeded().starts_with("Trace ./web2: "));
    assert!(advise("web2").succeeded().starts_with("Trace web2: "));
    assert!(advise("web3").succeeded().starts_with("Trace web3: "));
}
