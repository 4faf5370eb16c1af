//! `forebay generate FOLDER`, for packagers: manual pages and completions, from the one definition of the
//! command line, the OpenAPI document of the HTTP interface, and the documentation page on metrics.
//!
//! It is a command of the product, not a separate tool, so that packaged pages always match the packaged
//! binary. Hidden, because administrators find both installed.

use std::fs;
use std::io;
use std::path::Path;

use base::error::{Error, Result};
use clap::CommandFactory;

use super::completion::{SHELLS, script};
use super::manual;
use crate::cli::{Cli, Generate};
use crate::control;
use crate::metrics;
use crate::output;

pub(super) fn run(options: &Generate) -> Result<()> {
    write_pages(&options.folder).map_err(|error| {
        Error::failed(format!(
            "Cannot write into {}: {error}; name a folder that can be written",
            options.folder.display()
        ))
    })?;
    output::print(&format!(
        "Manual pages are in {0}/man, completions in {0}/completions, the interface is in \
         {0}/openapi.json, metrics in {0}/metrics.md\n",
        options.folder.display()
    ))
}

/// Writes `man/forebay.1` and one page for every command, that of the daemon as `man/forebay-serve.8`, `completions/` with a file for every shell,
/// `openapi.json`.
fn write_pages(folder: &Path) -> io::Result<()> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    fs::write(folder.join("metrics.md"), metrics::page())?;
    let mut definition = Cli::command();
    definition.build();
    fs::write(folder.join("openapi.json"), format!("{}\n", control::openapi_text()))?;
    manual::write(&definition, &man)?;
    for (shell, file) in SHELLS {
        fs::write(completions.join(file), script(shell)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;
    use clap::Command;

    use super::*;

    /// Returns every command that is not hidden, as its words.
    fn commands(command: &Command, words: &[&str]) -> Vec<Vec<String>> {
        let mut all = vec![words.iter().map(|word| (*word).to_owned()).collect()];
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            all.extend(commands(inner, &[words, &[inner.get_name()]].concat()));
        }
        all
    }

    fn written() -> (TempDir, impl Fn(&str) -> String) {
        let folder = TempDir::new();
        write_pages(folder.path()).expect("the folder is ours");
        let path = folder.path().to_owned();
        (folder, move |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default())
    }

    #[test]
    fn every_command_and_every_option_has_its_manual_page() {
        let (_folder, text) = written();
        for words in commands(&Cli::command(), &["forebay"]) {
            let page = text(&format!("man/{}", manual::page_name(&words.join("-"))));
            assert!(page.starts_with(".ie") && page.contains(".SH NAME"), "no page for {words:?}: {page}");
            let mut command = Cli::command();
            for word in &words[1..] {
                command = command.find_subcommand(word).expect("it was found before").clone();
            }
            for option in command.get_arguments().filter(|option| !option.is_hide_set()) {
                // Hyphens are escaped in a page.
                let Some(long) = option.get_long().map(|long| long.replace('-', "\\-")) else { continue };
                assert!(page.contains(&format!("\\-\\-{long}")), "--{long} is missing for {words:?}");
            }
        }
    }

    #[test]
    fn the_page_about_metrics_is_there() {
        let (_folder, text) = written();
        assert!(text("metrics.md").contains("| `reads` | `forebay_reads_total` | Read requests answered. |"));
    }

    #[test]
    fn tables_and_files_keep_their_lines() {
        let (_folder, text) = written();
        let page = text("man/forebay-serve.8");
        assert!(page.contains("\nrun\\-dir = \"/run/forebay\"\n"), "{page}");
    }

    #[test]
    fn every_shell_gets_a_script_that_asks_the_installed_binary() {
        let (_folder, text) = written();
        for name in ["forebay.bash", "_forebay", "forebay.fish"] {
            let script = text(&format!("completions/{name}"));
            assert!(script.contains("_FOREBAY_COMPLETE=") && !script.contains("target/"), "{name}: {script}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_with_its_path() {
        let folder = TempDir::new();
        fs::write(folder.path().join("f"), "").expect("the folder is ours");
        let problem = run(&Generate { folder: folder.path().join("f") }).unwrap_err();
        assert!(problem.message.contains("Cannot write into"), "{problem}");
    }
}
