//! A page of docs/, whose blocks of commands are run one after another, as its reader does.

use std::path::{Path, PathBuf};

use crate::host::Daemon;
use crate::tools::Background;

/// A page, and what was run of it.
pub(crate) struct Page {
    text: &'static str,
    /// Folder in which commands run.
    folder: PathBuf,
    /// Commands before each block: variables, and functions in the place of programs that need an installation.
    pub(crate) prelude: String,
    /// Text of the page, and what stands for it here.
    pub(crate) replaced: Vec<(&'static str, String)>,
    /// Numbers of the blocks that were run.
    run: Vec<usize>,
}

impl Page {
    pub(crate) fn new(text: &'static str, folder: PathBuf) -> Self {
        Self { text, folder, prelude: String::new(), replaced: Vec::new(), run: Vec::new() }
    }

    /// Returns the blocks of a language with their headings, in order.
    fn blocks(&self, language: &str) -> Vec<(&'static str, &'static str)> {
        let start = format!("```{language}\n");
        let sections = self.text.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
        let of_section = |(heading, text): (&'static str, &'static str)| {
            let blocks: Vec<_> =
                text.split(&start).skip(1).filter_map(|block| block.split("```").next()).collect();
            blocks.into_iter().map(move |commands| (heading, commands))
        };
        sections.flat_map(of_section).collect()
    }

    fn replace(&self, text: &str) -> String {
        self.replaced.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// Returns the configuration that a section has.
    pub(crate) fn configuration(&self, heading: &str) -> String {
        let all = self.blocks("toml");
        let (_, text) = all.iter().find(|block| block.0 == heading).expect("the page has it");
        self.replace(text)
    }

    /// Runs block `number` of a section against a host, and returns its output.
    pub(crate) fn run(&mut self, heading: &str, number: usize, host: &Daemon) -> String {
        let (succeeded, text) = self.try_run(heading, number, host);
        assert!(succeeded, "{heading} {number}:\n{text}");
        text
    }

    /// Runs a block. Returns whether it succeeded, and its output.
    pub(crate) fn try_run(&mut self, heading: &str, number: usize, host: &Daemon) -> (bool, String) {
        let all = self.blocks("sh");
        let mut of_heading = all.iter().enumerate().filter(|(_, block)| block.0 == heading);
        let (index, (_, commands)) = of_heading.nth(number).expect("the page has it");
        self.run.push(index);
        let programs = Path::new(env!("CARGO_BIN_EXE_forebay")).parent().expect("it lies in a folder");
        let script = format!(
            "set -eu\nPATH={}:$PATH\nexport FOREBAY_SOCKET={}\n{}\n{}",
            programs.display(),
            host.control_socket().display(),
            self.prelude,
            self.replace(commands)
        );
        Background::start("sh", &["-c", &script], &self.folder).wait()
    }

    /// Fails unless all blocks were run.
    pub(crate) fn assert_all_were_run(&mut self) {
        self.run.sort_unstable();
        self.run.dedup();
        let all = self.blocks("sh").len();
        assert!(self.run.iter().copied().eq(0..all), "not all of {all} blocks of the page: {:?}", self.run);
    }
}
