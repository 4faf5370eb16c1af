//! Hit ratios of traces without I/O: the served policy, and those of papers for comparison.
//!
//! ```text
//!   trace ──> Workload ──┬──> served: the crate `cache` itself, on devices without data ───────┐
//!                        └──> policies: FIFO, LRU, ARC, ... on numbers of blocks alone ───────┴──> rows
//! ```
//! A trace is read once; sizes, blocks and policies are simulated from memory, on all cores. The crate opens no file and prints
//! nothing, and nothing that serves disks depends on it.

mod csv;
mod plot;
pub mod policies;
mod rule;
mod run;
pub mod served;
mod size;
mod tally;
mod workload;

pub use csv::csv;
pub use plot::{Axis, Series, chart, svg};
pub use rule::{Effect, Writes};
pub use run::{Conditions, Layout, LeftOut, Outcome, Point, Policy, Row, run, work};
pub use size::Share;
pub use tally::{Course, Tally, Turnovers};
pub use workload::{ACCESSES_MAX, Accesses, Counted, Error, Unfit, Workload};
