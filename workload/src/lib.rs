//! Workloads by name, each with the properties that a document publishes of it: share of reads, sizes, working set, skew and bursts.
//!
//! ```text
//!   Workload (a table of properties) ── requests(data, seed) ──> Requests: arrival, offset, length, direction, without an end
//! ```
//! The same data and seed give the same requests. The tests measure the properties of what is generated, and compare them with the table.
//! Properties that no document publishes are choices of this crate; the descriptions in [`ALL`] name them. Nothing here does I/O.

mod named;
mod ranks;
mod requests;

pub use named::{
    ALL, CALIBRATION, DECISION_SUPPORT, MONITORING, NFS_GUEST, ONLINE_STORE, PROXY, SCAN, SKEWED, TILE,
    UNIFORM, WRITER,
};
pub use ranks::Ranks;
pub use requests::Requests;

/// Unit that is hot or cold as a whole, like clusters of a file system, in bytes. Data has a multiple of it.
pub const EXTENT: u64 = 64 << 10;

/// Properties of the requests of one guest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Name, unique among [`ALL`].
    pub name: &'static str,
    /// One sentence: its origin, and properties that are choices.
    pub description: &'static str,
    /// Requests that read, in hundredths.
    pub read_percent: u32,
    /// Lengths in bytes, each with its weight; multiples of 4 KiB, at most an extent.
    pub lengths: &'static [(u32, u32)],
    /// Part of the data that is ever accessed, in hundredths.
    pub working_set_percent: u32,
    /// Exponent by which the probability of an extent falls with its rank; 0 if all are accessed alike.
    pub skew: f64,
    /// Mean number of requests in a row that each begin where the one before ended; 1 for none. A run has one direction.
    pub run: u32,
    /// Mean rate while nothing else limits the guest, in thousandths of a request a second.
    pub per_second_thousandths: u64,
    /// Part of the time in which the guest sends requests at all, in hundredths.
    pub active_percent: u32,
    /// Mean length of a time of activity in milliseconds.
    pub burst_ms: u64,
}

impl Workload {
    /// Returns the workload of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|workload| workload.name == name)
    }

    /// Returns the same at so many hundredths of its rate.
    #[must_use]
    pub const fn at_rate_percent(self, percent: u64) -> Self {
        Self { per_second_thousandths: self.per_second_thousandths * percent / 100, ..self }
    }

    /// Returns the requests of one guest to `data_bytes`, from time zero on and without an end.
    ///
    /// # Panics
    /// If the data has not one extent.
    pub fn requests(&self, data_bytes: u64, seed: u64) -> Requests {
        Requests::new(*self, data_bytes, seed)
    }
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Time of its arrival, in nanoseconds.
    pub at_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: u32,
    /// Direction.
    pub is_write: bool,
}
