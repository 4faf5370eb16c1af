//! Wear of the flash: counters continue across restarts, ratings are stored, drives are queried without
//! delaying anything else.

use std::fs;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::host::{Daemon, Host, edited};

const MIB: u64 = 1 << 20;
/// Far longer than anything here takes.
const DEADLINE: Duration = Duration::from_mins(1);

fn devices(daemon: &Daemon) -> Vec<Value> {
    daemon.json(&["pool", "show"])["pool"]["devices"].as_array().expect("a list").clone()
}

/// Returns the wear of the first device.
fn wear(daemon: &Daemon) -> Value {
    devices(daemon)[0]["wear"].clone()
}

fn written(daemon: &Daemon) -> u64 {
    wear(daemon)["written_bytes"].as_u64().expect("a number")
}

/// Bytes that [`write`] writes.
const WRITTEN: u64 = MIB;

/// Makes a guest write scattered pages, in write-back, so that all of them are written to flash.
fn write(daemon: &Daemon) {
    let mut guest = daemon.guest("a");
    for number in 0..WRITTEN / 4096 {
        let page = number * 1031 % 4096;
        guest.write(page * 4096, &[7; 4096]).expect("the disk is served");
    }
}

fn serve_with_a(host: &Host, options: &[&str]) -> Daemon {
    let pool = host.text("pool.img");
    let daemon = host.serve_with(&[&["--pool", &pool, "--pool-size", "64MiB"], options].concat());
    let image = host.image("a.img", 16 * MIB);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    daemon
}

/// Makes a fake smartctl, by another process: a file that this one has open cannot be run.
fn smartctl(host: &Host, text: &str) -> String {
    let path = host.text("smartctl");
    let made = Command::new("sh")
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"", &path, text])
        .status();
    assert!(made.expect("there is a shell").success());
    path
}

/// Polls for a value that does not exist yet.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "there is still no {what}");
    }
}

/// Returns the report of the first device's drive, once it was queried; none if there is no drive below the
/// folder of tests.
fn drive(daemon: &Daemon) -> Option<Value> {
    wait_for("answer of the drive", || {
        let wear = wear(daemon);
        match wear["drives_reason"].as_str() {
            None => Some(Some(wear["drives"][0].clone())),
            Some(reason) if reason.contains("was not asked yet") => None,
            Some(reason) => {
                // Bypasses the harness, which hides the output of tests that pass.
                let said = writeln!(
                    std::io::stderr(),
                    "NOT TESTED: what drives say of themselves; the folder of tests is on none, because {reason}"
                );
                said.expect("there is an output");
                Some(None)
            }
        }
    })
}

fn told(daemon: &Daemon) -> Vec<Value> {
    let events = daemon.json(&["events"])["events"].as_array().expect("a list").clone();
    events.into_iter().filter(|event| event["kind"] == "flash-wearing").collect()
}

#[test]
fn what_was_written_to_flash_goes_on_across_restarts() {
    let host = Host::new();
    let daemon = serve_with_a(&host, &[]);
    let before = written(&daemon);
    assert!(before > 0, "a start writes");
    write(&daemon);
    let (after, first) = (written(&daemon), wear(&daemon));
    assert!(after >= before + WRITTEN, "{before} and {WRITTEN} are more than {after}");
    let since_start = devices(&daemon)[0]["written_bytes_since_start"].as_u64().expect("a number");
    assert!(since_start >= after, "the same in the first run");
    assert_eq!((&first["written_bytes_per_day"], &first["days_left"]), (&Value::Null, &Value::Null));
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    let (again, since_start) = (wear(&daemon), devices(&daemon)[0]["written_bytes_since_start"].clone());
    assert!(again["written_bytes"].as_u64() > Some(after), "a stop and a start write, too");
    assert_eq!(again["counted_since"], first["counted_since"]);
    assert!(since_start.as_u64() < Some(WRITTEN), "{since_start}");
    assert!(daemon.stop().success());

    fs::write(host.path("d/wear.json"), "{\"schema\":1,").expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("written to the flash restarts from zero");
    assert!(written(&daemon) < WRITTEN);
    assert!(daemon.stop().success());
    // Nor does a place where it cannot be written prevent a start.
    fs::create_dir(host.path("d/wear.json.new")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("wear-unsaved");
    assert!(daemon.stop().success());
}

#[test]
fn what_drives_are_rated_for_is_remembered_for_each_device() {
    let host = Host::new();
    let daemon = serve_with_a(&host, &["--smartctl", "off"]);
    let second = host.text("second.img");
    daemon.run(&["pool", "add", &second, "--size", "64MiB", "--same-drive"]).succeeded();
    let said = daemon.run(&["pool", "set", "rated-tbw=600TB"]).succeeded();
    assert_eq!(said.matches("is rated for 600TB").count(), 2, "{said}");
    let said = daemon.run(&["pool", "set", "rated-tbw=1.2PB", "--device", &second]).succeeded();
    assert_eq!(said, format!("{second} is rated for 1.2PB\n"));
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    let rated = |daemon: &Daemon| -> Vec<Value> {
        devices(daemon).iter().map(|device| device["wear"]["rated_bytes"].clone()).collect()
    };
    assert_eq!(rated(&daemon), [600_000_000_000_000_u64, 1_200_000_000_000_000]);
    assert_eq!(wear(&daemon)["used_percent_by"], "rating");
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("DAYS LEFT") && shown.contains("600TB") && shown.contains("1.2PB"), "{shown}");
    daemon.run(&["pool", "set", "rated-tbw=unknown", "--device", &second]).succeeded();
    assert_eq!(rated(&daemon), [Value::from(600_000_000_000_000_u64), Value::Null]);
}

#[test]
fn ratings_that_make_no_sense_are_refused_and_change_nothing() {
    let host = Host::new();
    let daemon = host.serve();
    for (words, reason) in [
        (&["rated-tbw=many"][..], "600TB"),
        (&["rated-tbw=600TiB"], "1,000,000,000,000"),
        (&["rated-tpw=600TB"], "did you mean 'rated-tbw'?"),
        (&["ram=much"], "auto or off"),
        (&["rated-tbw=1TB", "--device", "/nowhere"], "none of its devices"),
    ] {
        let message = daemon.run(&[&["pool", "set"], words].concat()).failed();
        assert!(message.starts_with(char::is_uppercase) && message.contains(reason), "{words:?}: {message}");
    }
    assert_eq!(daemon.run(&["pool", "set"]).status, 2);
    assert_eq!(wear(&daemon)["rated_bytes"], Value::Null);
}

#[test]
fn a_drive_that_wears_out_is_told_of_once_and_shown_as_long_as_it_does() {
    let host = Host::new();
    let worn = r#"echo '{"model_name":"Example","nvme_smart_health_information_log":{"percentage_used":91,
        "data_units_written":2000000,"available_spare":50,"available_spare_threshold":10,"critical_warning":0}}'"#;
    let tool = smartctl(&host, worn);
    let daemon = serve_with_a(&host, &["--smartctl", &tool]);
    let Some(said) = drive(&daemon) else { return };
    assert_eq!((&said["model"], &said["percentage_used"]), (&"Example".into(), &91.into()));
    assert_eq!(wear(&daemon)["drive_written_bytes"], 1_024_000_000_000_u64);
    assert_eq!(
        (&wear(&daemon)["used_percent"], &wear(&daemon)["used_percent_by"]),
        (&91.0.into(), &"drive".into())
    );
    let line = daemon.wait_for_log("flash-wearing");
    assert!(
        line.contains("reports that 91 % of its life")
            && line.contains("is used")
            && line.contains("forebay pool replace"),
        "{line}"
    );
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("wears out") && shown.contains("(Example): 91% of its life used"), "{shown}");
    let warnings = daemon.json(&["pool", "show"])["pool"]["warnings"].clone();
    assert!(warnings[0].as_str().is_some_and(|said| said.contains("wears out")), "{warnings}");
    assert!(daemon.stop().success());

    // The record of an answer is removed, to see when the second run has stored its own, with any new
    // warnings.
    let (kept, answered) = (host.path("d/wear.json"), "\"has_answered\": true");
    let text = fs::read_to_string(&kept).expect("it was saved");
    assert!(text.contains(answered) && text.contains(" life\""), "{text}");
    fs::write(&kept, edited(&text.replace(answered, "\"has_answered\": false"))).expect("the folder is ours");
    let daemon = host.serve_with(&["--smartctl", &tool]);
    let taken = || fs::read_to_string(&kept).ok().filter(|text| text.contains(answered));
    wait_for("answer that was taken", taken);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&["--smartctl", "off"]);
    assert_eq!(told(&daemon).len(), 1, "{:?}", told(&daemon));
    let reason = drive(&daemon).expect("it was there before")["reason"].clone();
    assert!(reason.as_str().is_some_and(|reason| reason.contains("smartctl is off")), "{reason}");
    assert!(daemon.run(&["pool", "show"]).succeeded().contains("no SMART figures"), "and pool show says why");
}

#[test]
fn a_smartctl_that_hangs_fails_or_talks_nonsense_is_in_nobodys_way() {
    let host = Host::new();
    let daemon = serve_with_a(&host, &["--smartctl", &smartctl(&host, "exec sleep 30")]);
    write(&daemon);
    assert!(daemon.stop().success());
    for (text, reason) in [("echo hello", "no JSON"), ("exit 127", "no JSON")] {
        let daemon = host.serve_with(&["--smartctl", &smartctl(&host, text)]);
        let Some(drive) = drive(&daemon) else { return };
        assert!(drive["reason"].as_str().is_some_and(|said| said.contains(reason)), "{text}: {drive}");
    }
    let daemon = host.serve_with(&["--smartctl", &host.text("nothing")]);
    let reason = drive(&daemon).expect("it was there before")["reason"].clone();
    assert!(reason.as_str().is_some_and(|said| said.contains("cannot be run")), "{reason}");
    let words = ["serve", "--smartctl", "smartctl"];
    let refused = crate::host::forebay(&words);
    assert!(refused.status == 2 && refused.stderr.contains("/usr/sbin/smartctl"), "{}", refused.stderr);
}
