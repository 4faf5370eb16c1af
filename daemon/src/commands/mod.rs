//! The commands, by name.

mod accept;
mod advise;
mod bar;
mod check;
mod completion;
mod curve;
mod destage;
mod disk;
mod ending;
mod events;
mod generate;
mod histogram;
mod history;
mod logging;
mod manual;
mod map;
mod pool;
mod rates;
mod recover;
mod replay;
mod report;
mod serve;
mod simulate;
mod stats;
mod status;
mod top;
mod traces;
mod vm;
mod volume;

use std::path::{Path, PathBuf};

use base::error::Result;
use serde_json::Value;

use crate::cli::{Cli, Command, DaemonOptions, Reading};
use crate::client::Client;
use crate::demo;
use crate::output;
use crate::places::Environment;
use logging::Log;

pub(crate) use completion::complete_if_asked;

/// Runs a command.
pub(crate) fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Demo(options) => {
            let _logging = logging::start(&Log { level: "error", ..Log::default() })?;
            demo::run(&options)
        }
        Command::Serve(options) => serve::run(&options),
        Command::Disk(command) => disk::run(command),
        Command::Vm(command) => vm::run(&command),
        Command::Volume(command) => volume::run(&command),
        Command::Map(options) => map::map(&options),
        Command::Unmap(options) => map::unmap(&options),
        Command::Pool(command) => pool::run(command),
        Command::Stats(options) => stats::run(&options),
        Command::Histogram(options) => histogram::run(&options),
        Command::Curve(options) => curve::run(&options),
        Command::Advise(options) => advise::run(&options),
        Command::History(options) => history::run(&options),
        Command::Events(options) => events::run(&options),
        Command::Top(options) => top::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Simulate(options) => simulate::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Trace(command) => traces::run(&command),
        Command::Check(options) => check::run(&options),
        Command::Status(reading) => status::run(&reading),
    }
}

/// Returns a client of the daemon: of `--socket` or `FOREBAY_SOCKET`, else of the default socket.
fn client(daemon: &DaemonOptions) -> Result<Client> {
    client_of(daemon.socket.clone())
}

/// Returns a client of the daemon with this socket, else of the default socket.
fn client_of(socket: Option<PathBuf>) -> Result<Client> {
    Client::new(socket.unwrap_or_else(|| Environment::of_process().control_socket(Path::exists)))
}

/// Prints the answer to a change: the document with `--json`, else `text`.
fn print_change(reading: &Reading, document: &Value, text: &str) -> Result<()> {
    if reading.json { output::print(&format!("{document}\n")) } else { output::print(text) }
}

/// Prints the document at `path`: as it is with `--json`, else in the form of `show`.
fn read_and_print(reading: &Reading, path: &str, show: impl FnOnce(&Value) -> String) -> Result<()> {
    let document = client(&reading.daemon)?.get(path)?;
    let text = if reading.json { format!("{document}\n") } else { show(&document) };
    output::print(&text)
}
