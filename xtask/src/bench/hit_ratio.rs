//! Hit ratios and flash writes on real traces, as Markdown: simulated by the same code as `forebay simulate`.
//!
//! The traces are no part of this repository: `FOREBAY_TRACES` names their folder, with `../shared/traces` beside this tree as the default.
//! Only the program `bench` is built, so that a change of policy can be judged soon.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Effort;
use crate::built;
use crate::run::run;

/// Runs the short form, on a trace that the program makes: for every change, so built as the tests are.
///
/// # Errors
/// If the served policy became worse than its bounds say.
pub(super) fn report_short(root: &Path) -> Result<(), String> {
    // Not the release build: others need this one too, and the output is the same.
    let mut bench = Command::new(built::for_tests(root)?.join("bench"));
    run(bench.args(["hit-ratio", "--short"]))
}

/// Builds, simulates and prints. The quick form leaves out the large traces.
///
/// # Errors
/// If there are no traces, or one of them is absent or damaged.
pub(super) fn report(root: &Path, effort: Effort) -> Result<(), String> {
    let folder = traces_folder(root)?;
    let mut bench = Command::new(built::for_use(root, &["bench"])?.join("bench"));
    bench.arg("hit-ratio").arg("--traces").arg(&folder);
    if effort == Effort::QUICK {
        bench.arg("--quick");
    }
    run(&mut bench)
}

/// Returns the folder of the traces.
///
/// # Errors
/// If there are none: a sentence.
pub(super) fn traces_folder(root: &Path) -> Result<PathBuf, String> {
    let beside = root.join("../shared/traces");
    let folder = std::env::var_os("FOREBAY_TRACES").map_or(beside, PathBuf::from);
    if !folder.join("baseline.csv").is_file() {
        return Err(format!(
            "There are no traces at {}: FOREBAY_TRACES names another folder.",
            folder.display()
        ));
    }
    Ok(folder)
}
