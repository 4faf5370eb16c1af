//! `cargo xtask papers`: the experiments of published documents, and the page with what they gave.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::run;
use crate::{bench, built};

/// The experiment in a guest, which `bench` cannot run, and the word for no experiment at all.
const PEERS: &str = "peers";
const PAGE: &str = "page";

/// Builds and runs them. The page of a quick run is not that of the documentation: it goes to target/papers. The comparison with caches of the
/// kernel runs only if it is named; the page alone is written with `page`.
///
/// # Errors
/// If the program cannot be built, there is no such experiment, or a file cannot be written.
pub(crate) fn run_experiments(root: &Path, only: Option<&str>, is_quick: bool) -> Result<(), String> {
    let target = built::target_folder(root)?;
    let docs = if is_quick { target.join("papers") } else { root.join("docs") };
    match only {
        Some(PEERS) => return write_page(root, &docs, &bench::measure_four(root, is_quick)?),
        Some(PAGE) => return write_page(root, &docs, &[]),
        _ => {}
    }
    let mut bench = Command::new(built::for_use(root, &["bench"])?.join("bench"));
    bench.arg("papers").arg("--docs").arg(&docs);
    if is_quick {
        bench.arg("--quick");
    }
    if let Some(name) = only {
        bench.args(["--only", name]);
    }
    run(&mut bench)?;
    println!("The page is {}.", docs.join("papers.md").display());
    Ok(())
}

/// Writes the page with new lines of one experiment. The build of the tests is enough: nothing is measured.
fn write_page(root: &Path, docs: &Path, lines: &[Value]) -> Result<(), String> {
    let file = built::target_folder(root)?.join("papers-lines.jsonl");
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let text = lines.join("\n") + "\n";
    fs::write(&file, text).map_err(|error| format!("Could not write {}: {error}.", file.display()))?;
    let bench = built::for_tests(root)?.join("bench");
    run(Command::new(bench).arg("papers").arg("--docs").arg(docs).arg("--merge").arg(&file))?;
    println!("The page is {}.", docs.join("papers.md").display());
    Ok(())
}

/// Reads the options: the name of an experiment, and whether the run is quick.
pub(crate) fn parse(options: &[&str]) -> Result<(Option<String>, bool), String> {
    match options {
        [] => Ok((None, false)),
        ["--quick"] => Ok((None, true)),
        ["--only", name] => Ok((Some((*name).to_owned()), false)),
        ["--only", name, "--quick"] | ["--quick", "--only", name] => Ok((Some((*name).to_owned()), true)),
        other => Err(format!("`papers` does not know `{}`.", other.join(" "))),
    }
}
