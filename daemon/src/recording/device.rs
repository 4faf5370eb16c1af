//! A block device that notes the requests to a disk. It reads no clock, but uses the disk's measurements: two
//! readings would cost a hit in RAM more than the rest of the note.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use block::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Unmap, WantedRange};
use cache::{CachedDisk, RequestTimes};
use trace::{Kind, LENGTH_MAX, Request, SECTOR};

use super::Recorder;

/// A disk that measures its requests.
pub(crate) trait Measures {
    /// Returns the measurement of the request that ended last. Valid until the next `.await`.
    fn measured(&self) -> RequestTimes;
}

impl<E: cache::Env> Measures for CachedDisk<E> {
    fn measured(&self) -> RequestTimes {
        CachedDisk::measured(self)
    }
}

/// A disk whose requests are noted during a recording.
pub(crate) struct RecordedDisk<D> {
    disk: Rc<D>,
    recorder: Arc<Recorder>,
    /// Start of the clock of the disk's shard, once a request was noted.
    clock_began: Cell<Option<Instant>>,
}

impl<D: Measures> RecordedDisk<D> {
    pub(crate) fn new(disk: Rc<D>, recorder: Arc<Recorder>) -> Self {
        Self { disk, recorder, clock_began: Cell::default() }
    }

    /// Notes a request that has just ended, if there is a recording. A failed one has no latency.
    fn record(&self, kind: Kind, range: ByteRange, is_ok: bool) {
        // Without a recording the disk's measurement is not read.
        if self.recorder.is_on() && !range.is_empty() {
            let RequestTimes { came, ended } = self.disk.measured();
            let clock_began =
                self.clock_began.get().or_else(|| Instant::now().checked_sub(Duration::from_nanos(ended)));
            self.clock_began.set(clock_began);
            // A clock of this process that began before the host started is invalid.
            let came_at = clock_began.and_then(|began| began.checked_add(Duration::from_nanos(came)));
            let latency_us = is_ok.then(|| (ended - came) / 1000);
            if let Some(came_at) = came_at {
                self.recorder.record(came_at, pieces(kind, range, latency_us));
            }
        }
    }
}

/// Returns a request in a trace's form: whole sectors, of limited length. If it is split, the first part has
/// the latency, which is that of the whole request.
fn pieces(kind: Kind, range: ByteRange, latency_us: Option<u64>) -> impl Iterator<Item = Request> {
    let (start, end) = (range.start / SECTOR * SECTOR, (range.start + range.len()).next_multiple_of(SECTOR));
    (start..end).step_by(LENGTH_MAX as usize).map(move |offset| {
        let length = (end - offset).min(u64::from(LENGTH_MAX)) as u32;
        let latency_us = latency_us.filter(|_| offset == start);
        Request { latency_us, kind, offset, length, ..Request::default() }
    })
}

impl<D: BlockDevice + Measures> BlockDevice for RecordedDisk<D> {
    fn geometry(&self) -> Geometry {
        self.disk.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = ByteRange::at(offset, buffer.len() as u64);
        let outcome = self.disk.read(offset, buffer).await;
        self.record(Kind::Read, range, outcome.1.is_ok());
        outcome
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        self.disk.try_read_cached(wanted, take);
        for read in wanted.iter().filter(|read| read.given) {
            self.record(Kind::Read, read.range, true);
        }
    }

    fn prefetch(&self, range: ByteRange) {
        self.disk.prefetch(range);
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = ByteRange::at(offset, buffer.len() as u64);
        let outcome = self.disk.write(offset, buffer).await;
        self.record(Kind::Write, range, outcome.1.is_ok());
        outcome
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.disk.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let result = self.disk.write_zeroes(range, unmap).await;
        self.record(Kind::Write, range, result.is_ok());
        result
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.disk.discard(range).await
    }

    fn wants_discards(&self) -> bool {
        self.disk.wants_discards()
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.disk.extents(range).await
    }

    fn epoch(&self) -> u64 {
        self.disk.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.disk.has_unanswered()
    }

    fn abandon_group(&self) {
        self.disk.abandon_group();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with a fixed measurement.
    struct Fixed(Cell<RequestTimes>);

    impl Measures for Fixed {
        fn measured(&self) -> RequestTimes {
            self.0.get()
        }
    }

    #[test]
    fn times_are_those_that_the_disk_measured() {
        let recorder = Arc::new(Recorder::default());
        let number = recorder.start("a", 7).expect("nobody records it");
        let disk = Rc::new(Fixed(Cell::default()));
        let recorded = RecordedDisk::new(Rc::clone(&disk), Arc::clone(&recorder));
        let second = 1_000_000_000;
        for (came, took_ms, is_ok) in
            [(second, 0, true), (second + 1_000_000, 7, true), (second + 4_000_000, 2, false)]
        {
            disk.0.set(RequestTimes { came, ended: came + took_ms * 1_000_000 });
            recorded.record(Kind::Write, ByteRange::at(0, 512), is_ok);
        }
        let bytes = recorder.end("a", 7, number).expect("it is recorded");
        let trace = trace::Trace::from_bytes("t", std::io::Cursor::new(bytes), &trace::Options::default());
        let noted: Vec<Request> =
            trace.expect("it is one").map(|request| request.expect("it is sound")).collect();
        let came: Vec<u64> = noted.iter().filter_map(|request| request.at_us).collect();
        assert_eq!([came[1] - came[0], came[2] - came[1]], [1000, 3000]);
        let latencies: Vec<_> = noted.iter().map(|request| request.latency_us).collect();
        assert_eq!(latencies, [Some(0), Some(7000), None]);
    }

    #[test]
    fn what_a_trace_cannot_hold_is_noted_in_pieces_of_whole_sectors() {
        let noted = |start, length| {
            let pieces = pieces(Kind::Write, ByteRange::at(start, length), Some(7));
            pieces.map(|piece| (piece.offset, piece.length)).collect::<Vec<_>>()
        };
        assert_eq!(noted(512, 4096), [(512, 4096)]);
        assert_eq!(noted(700, 100), [(512, 512)]);
        assert_eq!(noted(1000, 100), [(512, 1024)]);
        assert_eq!(noted(0, 0), []);
        let mib32 = u64::from(LENGTH_MAX);
        assert_eq!(noted(0, 4 << 30).len(), 128);
        let latencies = pieces(Kind::Write, ByteRange::at(512, 4 << 30), Some(7));
        assert_eq!(latencies.filter_map(|piece| piece.latency_us).collect::<Vec<_>>(), [7], "one request");
        assert_eq!(noted(512, mib32 + 512), [(512, LENGTH_MAX), (mib32 + 512, 512)]);
    }
}
