//! The log: to a file, as JSON, and in the format of the journal.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use nix::sys::stat::fstat;
use serde_json::Value;

use crate::host::Host;

#[test]
fn a_log_file_is_appended_to_and_holds_everything_after_a_stop() {
    let host = Host::new();
    let log = host.text("forebay.log");
    fs::write(&log, "what was there\n").expect("the folder is ours");
    let daemon = host.serve_with(&[
        "--pool",
        &host.text("pool.img"),
        "--pool-size",
        "64MiB",
        "--log-file",
        &log,
        "--log-format",
        "json",
    ]);
    assert!(daemon.stop().success());
    let text = fs::read_to_string(&log).expect("it is text");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("what was there"));
    let lines: Vec<Value> =
        lines.map(|line| serde_json::from_str(line).expect("one object a line")).collect();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["kind"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"daemon-started"), Some(&"daemon-stopped")));
    assert!(lines.iter().all(|line| line["level"].is_string() && line["timestamp"].is_string()), "{text}");
}

#[test]
fn what_goes_to_the_journal_has_priorities() {
    let host = Host::new();
    let (mut log, stderr) = std::io::pipe().expect("there are pipes");
    let about = fstat(&stderr).expect("it is open");
    let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(["serve", "--dir", &host.text("d"), "--pool", &host.text("missing/pool.img")])
        .env("JOURNAL_STREAM", format!("{}:{}", about.st_dev, about.st_ino))
        .stdin(Stdio::null())
        .stderr(stderr)
        .spawn()
        .expect("the binary was built for this test");
    assert!(!child.wait().expect("it is our child").success(), "there is no such folder");
    let mut text = String::new();
    log.read_to_string(&mut text).expect("it is text");
    assert!(text.starts_with("<6> INFO Forebay") && text.contains("kind=\"daemon-started\""), "{text}");
    // `journalctl -p warning` shows the reason of a failed start.
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("<3>")).collect();
    let [logged, last] = errors[..] else { panic!("not two lines at this priority: {text}") };
    assert!(
        logged.contains("ERROR Forebay did not start: ") && logged.contains("daemon-start-failed"),
        "{text}"
    );
    assert!(last.starts_with("<3>error: ") && last.contains("missing/pool.img"), "{text}");
}

#[test]
fn logs_that_cannot_be_are_refused() {
    let host = Host::new();
    let missing = host.text("missing/forebay.log");
    for (options, part) in [
        (["--log-format", "xml"], "text, json"),
        (["--log", "warning"], "did you mean 'warn'?"),
        (["--log-file", &missing], "missing/forebay.log"),
    ] {
        let message = host.serve_fails(&options);
        assert!(message.contains(part), "{message}");
    }
}
