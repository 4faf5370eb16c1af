//! Traces of disks: recorded requests, read as a stream.
//!
//! ```text
//!   file ── .gz .xz .zst unpacked ── records of its format ──> Request, Request, ...
//! ```
//! A reader holds one record at a time, whatever the length of the trace. It never guesses: an impossible record is an error with its
//! place, and a record that is neither read nor write is counted and left out. Nothing here knows a disk or a cache.

mod binary;
mod error;
mod format;
pub mod info;
mod input;
mod pack;
mod request;
mod survey;
mod text;
mod trace;
mod unpack;
mod writer;

pub use error::Error;
pub use format::Format;
pub use info::{Gauge, Info};
pub use pack::{Packer, Packing};
pub use request::{Kind, LENGTH_MAX, Request, SECTOR, blocks};
pub use survey::Survey;
pub use text::columns::Columns;
pub use trace::{Options, Trace};
pub use writer::Writer;
