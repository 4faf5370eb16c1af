//! The HTTP interface, with all requests that its own description allows, and many that it forbids.
//!
//! Schemathesis makes the requests from `/openapi.json`: values at every limit, wrong types, bodies that are
//! not JSON, unknown methods, no token or a wrong one. It checks that every answer is described, and none has
//! status 500.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;

use crate::host::Host;
use crate::tools::Background;

const MIB: u64 = 1 << 20;

#[test]
fn whatever_the_description_allows_or_forbids_is_answered_as_described() {
    let host = Host::new();
    // Requests may name any path on this machine as a backing or as flash, so the daemon runs as a user who
    // may write nowhere.
    let daemon = host.serve_as_ordinary_user_with(&["--listen-http", "127.0.0.1:0"]);
    let image = host.image("a.img", 16 * MIB);
    chown(&image, Some(daemon.owner()), None).expect("root may, and others own it");
    // The description has this name as its example, so that requests are about a disk that exists.
    daemon.run(&["disk", "add", "vm-1", "--backing", &image]).succeeded();

    let token = fs::read_to_string(host.path("d/token")).expect("it was made");
    let schema = format!("http://{}/openapi.json", daemon.http());
    let authorization = format!("Authorization: Bearer {}", token.trim());
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/schemathesis/bin/schemathesis");
    let program = program.to_str().expect("it was built in a folder with a plain name");
    let ask = |which: &str| {
        let arguments = [
            // A proxy for packages does not reach this host.
            "no_proxy=127.0.0.1",
            "NO_PROXY=127.0.0.1",
            program,
            "run",
            &schema,
            "--header",
            &authorization,
            "--checks=all",
            // A schema cannot express whether a path can be a backing, or a key has such a value.
            "--exclude-checks=positive_data_acceptance",
            // Waits for events for up to half a minute if requested; its answers are checked elsewhere.
            "--exclude-path=/v1/events",
            which,
            "--phases=examples,coverage,fuzzing",
            "--max-examples=20",
            "--seed=5",
            "--request-timeout=20",
        ];
        let (succeeded, text) = Background::start("env", &arguments, &host.path("")).wait();
        assert!(succeeded, "{text}");
    };
    // The disk is removed last.
    ask("--exclude-method=DELETE");
    assert_eq!(daemon.disk("vm-1")["state"], "serving", "whatever was asked of it");
    ask("--include-method=DELETE");
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
    let listed = &daemon.json(&["disk", "list"])["disks"];
    let is_there = |name: &str| listed.as_array().expect("a list").iter().any(|disk| disk["name"] == name);
    assert!(!is_there("vm-1"), "it was asked to go: {listed}");
}
