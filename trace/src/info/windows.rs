//! Windows of equal width over a trace, which double when the trace is longer.

use crate::request::{Kind, Request};

/// Maximum number of windows.
pub(super) const WINDOWS_MAX: usize = 32;
/// Initial width: a 64th of a second, so that doubling results in whole seconds; or so many requests.
const WIDTH_US: u64 = 1_000_000 / 64;
const WIDTH_REQUESTS: u64 = 1024;

/// Figures of one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Requests in it.
    pub requests: u64,
    /// Reads among them.
    pub reads: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Blocks that are touched in it: its working set.
    pub blocks: u64,
    /// Those among them that no earlier window touches.
    pub blocks_new: u64,
}

/// Windows up to now.
pub(super) struct Windows {
    all: [Window; WINDOWS_MAX],
    used: usize,
    width: u64,
    /// Time of the first request, if the trace has times.
    first_us: Option<u64>,
    last: u64,
    requests: u64,
}

impl Windows {
    pub(super) fn new() -> Self {
        let all = [Window::default(); WINDOWS_MAX];
        Self { all, used: 0, width: 0, first_us: None, last: 0, requests: 0 }
    }

    /// Counts a request; returns its window, and how often pairs of windows were joined before.
    pub(super) fn place(&mut self, request: &Request) -> (usize, u32) {
        if self.requests == 0 {
            self.first_us = request.at_us;
            self.width = if self.first_us.is_some() { WIDTH_US } else { WIDTH_REQUESTS };
        }
        let position = match (self.first_us, request.at_us) {
            // An earlier time than the first one belongs to the first window.
            (Some(first), Some(at)) => at.saturating_sub(first),
            (Some(_), None) => self.last,
            (None, _) => self.requests,
        };
        (self.last, self.requests) = (position, self.requests + 1);
        let mut merged = 0;
        while position / self.width >= WINDOWS_MAX as u64 {
            self.merge();
            merged += 1;
        }
        let at = (position / self.width) as usize;
        self.used = self.used.max(at + 1);
        let window = &mut self.all[at];
        window.requests += 1;
        window.reads += u64::from(request.kind == Kind::Read);
        window.bytes += u64::from(request.length);
        (at, merged)
    }

    fn merge(&mut self) {
        for at in 0..WINDOWS_MAX / 2 {
            let (one, other) = (self.all[2 * at], self.all[2 * at + 1]);
            self.all[at] = Window {
                requests: one.requests + other.requests,
                reads: one.reads + other.reads,
                bytes: one.bytes + other.bytes,
                ..Window::default()
            };
        }
        self.all[WINDOWS_MAX / 2..].fill(Window::default());
        self.used = self.used.div_ceil(2);
        self.width *= 2;
    }

    /// Returns the width of each, in microseconds or requests; 0 if there was none.
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    /// Returns all windows up to the last that is not empty, with the blocks touched in each, and touched there first.
    pub(super) fn describe(self, blocks: &[(u64, u64); WINDOWS_MAX]) -> Vec<Window> {
        let windows = self.all[..self.used].iter().zip(blocks);
        windows
            .map(|(window, (blocks, new))| Window { blocks: *blocks, blocks_new: *new, ..*window })
            .collect()
    }
}
