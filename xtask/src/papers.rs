//! `cargo xtask papers`: the experiments of published documents, and the page with what they gave.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use crate::run::{output, run};
use crate::{bench, built};

/// The experiments in guests, which `bench` cannot run, and the word for no experiment at all.
const PEERS: &str = "peers";
const POSTGRES: &str = "postgres";
const PAGE: &str = "page";
/// Experiments that run at once: each takes a core.
const WORKERS: usize = 2;

/// Choice of experiments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The only one; all without it.
    only: Option<String>,
    is_quick: bool,
    /// True if the figures are kept beside those of the run before, to show how far they differ.
    is_again: bool,
}

/// Builds and runs them, two at once, and writes the page. That of a quick run is not the documentation's: it goes to target/papers. With
/// `page` as the only one, the page is written from the lines that are there.
///
/// # Errors
/// If a program cannot be built, there is no such experiment, or a file cannot be written. If an experiment fails, the page has the others.
pub(crate) fn run_experiments(root: &Path, choice: &Choice) -> Result<(), String> {
    let target = built::target_folder(root)?;
    let docs = if choice.is_quick { target.join("papers") } else { root.join("docs") };
    if choice.only.as_deref() == Some(PAGE) {
        // Nothing is measured, so that the build of the tests is enough.
        return write_page(root, &built::for_tests(root)?.join("bench"), &docs, &[]);
    }
    let bench = built::for_use(root, &["daemon", "bench"])?.join("bench");
    let names = output(Command::new(&bench).args(["papers", "--names"]))?;
    // Those that take longest come first.
    let all: Vec<&str> = [PEERS, POSTGRES].into_iter().chain(names.lines()).collect();
    let is_chosen = |name: &str| choice.only.as_deref().is_none_or(|only| only == name);
    let chosen: VecDeque<String> =
        all.iter().filter(|name| is_chosen(name)).map(|name| (*name).to_owned()).collect();
    if chosen.is_empty() {
        return Err(format!("There is no such experiment. Name one of {}, {PAGE}.", all.join(", ")));
    }
    let measure = |name: &str| match name {
        PEERS => bench::measure_four(root, choice.is_quick),
        POSTGRES => bench::measure_postgres(root, choice.is_quick),
        modelled => measure_modelled(&bench, modelled, choice.is_quick),
    };
    let (mut lines, failures) = run_all(chosen, measure);
    if choice.is_again {
        for line in &mut lines {
            line["again"] = true.into();
        }
    }
    write_page(root, &bench, &docs, &lines)?;
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Runs experiments, two at once, and returns the lines of those that succeeded and the errors of the others.
fn run_all(
    names: VecDeque<String>,
    measure: impl Fn(&str) -> Result<Vec<Value>, String> + Sync,
) -> (Vec<Value>, Vec<String>) {
    let (queue, done) = (Mutex::new(names), Mutex::new((Vec::new(), Vec::new())));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || {
        while let Some(name) = next() {
            let found = measure(&name);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            match found {
                Ok(lines) => done.0.extend(lines),
                Err(error) => done.1.push(format!("{name}: {error}")),
            }
        }
    };
    thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Has `bench` run an experiment on a modelled array, and returns its lines.
fn measure_modelled(bench: &Path, name: &str, is_quick: bool) -> Result<Vec<Value>, String> {
    let mut command = Command::new(bench);
    command.args(["papers", "--only", name]);
    if is_quick {
        command.arg("--quick");
    }
    let parse = |line: &str| serde_json::from_str(line).map_err(|error| format!("`{line}`: {error}."));
    output(&mut command)?.lines().map(parse).collect()
}

/// Writes the page with new lines of some experiments.
fn write_page(root: &Path, bench: &Path, docs: &Path, lines: &[Value]) -> Result<(), String> {
    let file = built::target_folder(root)?.join("papers-lines.jsonl");
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    fs::write(&file, text).map_err(|error| format!("Could not write {}: {error}.", file.display()))?;
    run(Command::new(bench).arg("papers").arg("--docs").arg(docs).arg("--merge").arg(&file))?;
    println!("The page is {}.", docs.join("papers.md").display());
    Ok(())
}

/// Reads the options.
pub(crate) fn parse(options: &[&str]) -> Result<Choice, String> {
    let mut choice = Choice::default();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match *word {
            "--quick" => choice.is_quick = true,
            "--again" => choice.is_again = true,
            "--only" => choice.only = Some((*words.next().ok_or("`--only` needs a name.")?).to_owned()),
            other => return Err(format!("`papers` does not know `{other}`.")),
        }
    }
    Ok(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_the_lines_of_the_others() {
        let names = ["one", "bad", "two"].map(str::to_owned).into();
        let measure = |name: &str| match name {
            "bad" => Err("no disk".to_owned()),
            name => Ok(vec![Value::from(name)]),
        };
        let (mut lines, failures) = run_all(names, measure);
        lines.sort_by_key(Value::to_string);
        assert_eq!(lines, ["one", "two"].map(Value::from));
        assert_eq!(failures, ["bad: no disk"]);
    }

    #[test]
    fn options_come_in_any_order() {
        let choice = |only: Option<&str>, is_quick, is_again| {
            Ok(Choice { only: only.map(str::to_owned), is_quick, is_again })
        };
        assert_eq!(parse(&[]), choice(None, false, false));
        assert_eq!(parse(&["--quick", "--only", "tiles"]), choice(Some("tiles"), true, false));
        assert_eq!(parse(&["--only", "peers", "--again"]), choice(Some("peers"), false, true));
        assert!(parse(&["tiles"]).is_err() && parse(&["--only"]).is_err());
    }
}
