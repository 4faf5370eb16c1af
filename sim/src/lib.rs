//! Simulation: the real cache on simulated devices, under one seed, in virtual time.
//!
//! ```text
//!   clients ──random operations──> CachedDisk ──> backing (Faulty: slow, failing, losing)
//!      │                               └────────> flash   (Faulty: slow, failing, rotting)
//!      └──every start and end──> Model: legal values of each sector
//! ```
//! A seed is a schedule: the same seed gives the same operations, delays, faults and order of tasks. A failing seed is printed and can be
//! replayed exactly.

pub mod atomic;
mod budget;
mod clients;
pub mod coverage;
mod devices;
mod disturb;
mod growth;
mod last_minute;
mod mirror;
pub mod model;
mod process;
mod resizing;
pub mod rng;
mod rot;
mod settings;
mod targets;
mod trims;
pub mod world;

pub use coverage::Coverage;
pub use model::Model;
pub use rng::Rng;
pub use world::{Report, World, run_seed};
