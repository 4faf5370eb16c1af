//! Forebay: a flash cache for the disks of virtual machines.
//!
//! The binary parses the command line and calls [`commands`]. Exit status: 0 done; 1 failed, with one line on
//! standard error that names the operation and a remedy; 2 wrong usage.
//!
//! ```text
//!   command line ──> client ══ control socket ══> control ──> registry ──> shard ──> cache, doors
//!                                                               `──> state (durable)
//! ```

mod backing;
mod backing_identity;
mod balance;
mod cli;
mod client;
mod commands;
mod config;
mod connect;
mod control;
mod demo;
mod documents;
mod door;
mod holds;
mod host_record;
mod keys;
mod locked_memory;
mod mapping;
mod metrics;
mod nbd_listener;
mod output;
mod page;
mod places;
mod pool;
mod recording;
mod registry;
mod remarks;
mod renamed;
mod replay;
mod served_snapshots;
mod service;
mod shard;
mod state;
mod stores;
mod supervisor;

use std::io::{self, Write};
use std::process::ExitCode;

use base::{plain, signals};
use clap::Parser;

fn main() -> ExitCode {
    commands::complete_if_asked();
    signals::hold_file_size_limit();
    let cli = cli::Cli::try_parse().unwrap_or_else(|error| {
        let words: Vec<String> =
            std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        cli::suggest(error, &words).exit()
    });
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            let priority = output::journal_priority(&io::stderr(), tracing::Level::ERROR);
            // Not `eprintln!`, which panics if that cannot be written, as on a full disk: the exit status
            // still shows the failure.
            writeln!(io::stderr(), "{priority}error: {}", plain::line(&problem.message)).unwrap_or(());
            ExitCode::FAILURE
        }
    }
}
