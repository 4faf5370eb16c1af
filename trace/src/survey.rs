//! Summary of a whole trace's requests.

use std::path::Path;

use crate::{Error, Kind, Options, Request, Trace};

/// Summary of a whole trace's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Reads, writes, and requests without a direction.
    pub requests: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Records that are neither read nor write, or have no bytes.
    pub left_out: u64,
    /// Requests of other devices than the selected one.
    pub on_other_devices: u64,
    /// Highest end of a request, in bytes.
    pub end: u64,
    /// Length of the longest request, in bytes.
    pub length_max: u32,
    /// Requests without a time. All or none, except in a trace that was joined from several.
    pub without_time: u64,
    /// Requests with an earlier time than the one before them.
    pub backwards: u64,
    /// Time of the first request that has one, in microseconds.
    pub first_us: Option<u64>,
    /// Latest time, in microseconds.
    pub latest_us: Option<u64>,
    /// True if there are requests of several devices.
    pub has_several_devices: bool,
}

impl Survey {
    /// Returns microseconds from the first request to the latest; `None` without times.
    pub fn span_us(&self) -> Option<u64> {
        Some(self.latest_us?.saturating_sub(self.first_us?))
    }

    /// Returns the number of requests without a direction.
    pub fn unknown(&self) -> u64 {
        self.requests - self.reads - self.writes
    }

    /// Takes the counts of a trace that was read to its end.
    pub(crate) fn count_rest(&mut self, trace: &Trace) {
        (self.left_out, self.on_other_devices) = (trace.left_out(), trace.on_other_devices());
    }

    /// Adds a request; `previous` is the one before it.
    pub(crate) fn add(&mut self, request: &Request, previous: Option<&Request>) {
        self.requests += 1;
        self.reads += u64::from(request.kind == Kind::Read);
        self.writes += u64::from(request.kind == Kind::Write);
        self.end = self.end.max(request.end());
        self.length_max = self.length_max.max(request.length);
        self.without_time += u64::from(request.at_us.is_none());
        self.first_us = self.first_us.or(request.at_us);
        self.latest_us = self.latest_us.max(request.at_us);
        self.has_several_devices |= previous.is_some_and(|previous| previous.device != request.device);
        self.backwards += u64::from(request.at_us < previous.and_then(|previous| previous.at_us));
    }
}

impl Trace {
    /// Reads a whole trace to check every record and to summarise its requests. Reports progress at each request: the bytes of the file
    /// that were read.
    ///
    /// # Errors
    /// As [`Trace::open`], or if a record is damaged.
    pub fn survey(path: &Path, options: &Options, mut tell: impl FnMut(u64)) -> Result<Survey, Error> {
        let mut trace = Self::open(path, options)?;
        let (mut survey, mut previous) = (Survey::default(), None);
        while let Some(request) = trace.next() {
            let request = request?;
            tell(trace.progress());
            survey.add(&request, previous.as_ref());
            previous = Some(request);
        }
        survey.count_rest(&trace);
        Ok(survey)
    }
}
