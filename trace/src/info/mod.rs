//! Statistics of a trace: requests, sizes, footprint and reuse, in one pass and bounded memory.
//!
//! ```text
//!   Request ──> counts, lengths, sequences           (this file)
//!           ──> blocks ──> footprint, reuse, times    (footprint.rs; exact up to a bound, then by a sample)
//!           ──> windows of time or of requests        (windows.rs)
//! ```

mod footprint;
mod windows;

use footprint::Footprint;
pub use footprint::{FOOTPRINT_BLOCKS_MAX, Touched};
pub use windows::Window;
use windows::Windows;

use crate::request::{Kind, LENGTH_MAX, Request, SECTOR, blocks};
use crate::{Survey, Trace};

/// Unit of a footprint in bytes: the unit of validity of the cache.
pub const BLOCK_BYTES: u64 = 4096;
/// Number of earlier requests at whose ends a sequential request may begin: as many concurrent streams are detected.
pub const STREAMS: usize = 32;
/// Number of classes of length: 512 bytes, 1 KiB, and so on to the longest.
const CLASSES: usize = (LENGTH_MAX as u64 / SECTOR).ilog2() as usize + 1;
/// Maximum number of devices that are counted apart.
const DEVICES_MAX: usize = 64;

/// Statistics of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Number and extent of the requests.
    pub survey: Survey,
    /// Requests that are missing according to the recorder.
    pub dropped: u64,
    /// Bytes read, written, and of requests without a direction.
    pub bytes: Directions,
    /// Classes of length, the shortest first, without empty ones at either end.
    pub lengths: Vec<LengthClass>,
    /// Requests that begin where one of the [`STREAMS`] before them ended.
    pub sequential: u64,
    /// Devices and their requests, in the order of their first requests; at most 64.
    pub devices: Vec<(u32, u64)>,
    /// True if there are more devices than those.
    pub has_more_devices: bool,
    /// Footprint and reuse.
    pub touched: Touched,
    /// Windows over time: at most 32 of equal width, the first one first.
    pub windows: Vec<Window>,
    /// Width of a window: microseconds if the trace has times, otherwise requests.
    pub window_width: u64,
}

/// Count by direction of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directions {
    /// Reads.
    pub read: u64,
    /// Writes.
    pub write: u64,
    /// Requests without a direction.
    pub unknown: u64,
}

/// Class of length, with its requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LengthClass {
    /// Longest length of the class, in bytes; that of the class before it is half of it.
    pub up_to_bytes: u64,
    /// Number of requests.
    pub requests: Directions,
}

impl Directions {
    fn add(&mut self, kind: Kind, count: u64) {
        match kind {
            Kind::Read => self.read += count,
            Kind::Write => self.write += count,
            Kind::Unknown => self.unknown += count,
        }
    }

    /// Returns the sum of all three.
    pub fn total(&self) -> u64 {
        self.read + self.write + self.unknown
    }
}

/// Collector of statistics, fed with requests one by one.
pub struct Gauge {
    survey: Survey,
    previous: Option<Request>,
    bytes: Directions,
    lengths: [Directions; CLASSES],
    sequential: u64,
    /// Ends of the last requests; the oldest is replaced next.
    ends: [Option<(u32, u64)>; STREAMS],
    devices: Vec<(u32, u64)>,
    has_more_devices: bool,
    footprint: Footprint,
    windows: Windows,
}

impl Gauge {
    /// Creates an empty collector. Its memory is bounded: 20 MiB.
    #[expect(clippy::new_without_default, reason = "what is measured begins with a call that says so")]
    pub fn new() -> Self {
        Self::with_bound(FOOTPRINT_BLOCKS_MAX)
    }

    /// Creates one with another bound for tracked blocks.
    fn with_bound(blocks_max: usize) -> Self {
        Self {
            survey: Survey::default(),
            previous: None,
            bytes: Directions::default(),
            lengths: [Directions::default(); CLASSES],
            sequential: 0,
            ends: [None; STREAMS],
            devices: Vec::new(),
            has_more_devices: false,
            footprint: Footprint::new(blocks_max),
            windows: Windows::new(),
        }
    }

    /// Takes a request.
    pub fn add(&mut self, request: &Request) {
        let number = self.survey.requests;
        self.survey.add(request, self.previous.as_ref());
        self.previous = Some(*request);
        self.bytes.add(request.kind, u64::from(request.length));
        let class = u64::from(request.length).div_ceil(SECTOR).next_power_of_two().ilog2() as usize;
        self.lengths[class.min(CLASSES - 1)].add(request.kind, 1);
        self.sequential += u64::from(self.ends.contains(&Some((request.device, request.offset))));
        self.ends[number as usize % STREAMS] = Some((request.device, request.end()));
        self.count_device(request.device);
        let (window, merged) = self.windows.place(request);
        if merged > 0 {
            self.footprint.merge_windows(merged);
        }
        for block in blocks(request, BLOCK_BYTES) {
            self.footprint.touch(block, request.kind, window);
        }
    }

    fn count_device(&mut self, device: u32) {
        if let Some((_, count)) = self.devices.iter_mut().find(|(known, _)| *known == device) {
            *count += 1;
        } else if self.devices.len() < DEVICES_MAX {
            self.devices.push((device, 1));
        } else {
            self.has_more_devices = true;
        }
    }

    /// Returns the statistics. `trace` is the source of the requests.
    pub fn finish(mut self, trace: &Trace) -> Info {
        self.survey.count_rest(trace);
        self.describe(trace.dropped())
    }

    fn describe(self, dropped: u64) -> Info {
        let classes = self.lengths.iter().enumerate();
        let classes: Vec<LengthClass> = classes
            .map(|(at, requests)| LengthClass { up_to_bytes: SECTOR << at, requests: *requests })
            .collect();
        let is_used = |class: &LengthClass| class.requests.total() > 0;
        let first = classes.iter().position(is_used).unwrap_or(0);
        let end = classes.iter().rposition(is_used).map_or(0, |last| last + 1);
        let (touched, by_window) = self.footprint.describe();
        Info {
            survey: self.survey,
            dropped,
            bytes: self.bytes,
            lengths: classes[first..end].to_vec(),
            sequential: self.sequential,
            devices: self.devices,
            has_more_devices: self.has_more_devices,
            touched,
            window_width: self.windows.width(),
            windows: self.windows.describe(&by_window),
        }
    }
}

#[cfg(test)]
mod tests;
