//! Logs for people, on standard error.

use std::io::{self, IsTerminal};
use std::str::FromStr;

use tracing::level_filters::LevelFilter;

use crate::problem::{Answer, Problem, hint};

const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Starts logging at `level`.
///
/// # Errors
/// If there is no such level.
pub(super) fn start(level: &str) -> Answer<()> {
    if !LEVELS.contains(&level) {
        return Err(Problem::invalid(format!("Unknown log level '{level}': {}", hint(level, &LEVELS))));
    }
    let filter = LevelFilter::from_str(level).expect("the table holds the names of levels");
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(filter)
        .with_target(false)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .finish();
    // Only a second call could fail, and there is none.
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|error| Problem::failed(format!("Cannot start logging: {error}")))
}
