//! The demonstration for new users and for scripts: it succeeds, prints its result, and leaves nothing
//! behind. Its figures are measured, not tested: they depend on the machine.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::{Command, Output};

use serde_json::Value;

fn demo(arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_forebay")).arg("demo").args(arguments).output();
    command.expect("the binary that was built runs")
}

#[test]
fn the_document_tells_both_halves_and_nothing_else_is_printed() {
    let output = demo(&["--seconds", "4", "--json"]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["schema"], 1);
    assert!(document["speedup"].as_f64().unwrap() > 0.0);
    assert!(document["without"]["hit_ratio"].is_null(), "nothing can hit without a cache");
    for half in ["without", "with"] {
        let half = &document[half];
        assert!(half["iops"].as_f64().unwrap() > 0.0);
        assert!(half["backing_reads"].as_u64().unwrap() > 0);
        for key in ["mean", "p50", "p99", "p999"] {
            assert!(half["latency_us"][key].as_f64().unwrap() > 0.0, "{key}");
        }
    }
    let with = &document["with"];
    assert!(with["hit_ratio"].as_f64().unwrap() > 0.0, "a skewed workload hits within a second");
}

#[test]
fn a_folder_that_is_in_use_is_left_alone() {
    let folder = std::env::temp_dir().join(format!("forebay-demo-test-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("mine"), "mine").unwrap();
    let output = demo(&["--seconds", "4", "--dir", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: The folder"), "{output:?}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}
