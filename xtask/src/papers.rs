//! `cargo xtask papers`: the experiments of published documents, and the page with what they gave.

use std::path::Path;
use std::process::Command;

use crate::built;
use crate::run::run;

/// Builds and runs them. The page of a quick run is not that of the documentation: it goes to target/papers.
///
/// # Errors
/// If the program cannot be built, there is no such experiment, or a file cannot be written.
pub(crate) fn run_experiments(root: &Path, only: Option<&str>, is_quick: bool) -> Result<(), String> {
    let mut bench = Command::new(built::for_use(root, &["bench"])?.join("bench"));
    let docs = if is_quick { built::target_folder(root)?.join("papers") } else { root.join("docs") };
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
