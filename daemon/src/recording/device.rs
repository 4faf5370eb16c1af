//! A disk in front of which requests are noted: the same face as the disk.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use block::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Unmap};
use trace::{Kind, LENGTH_MAX, Request, SECTOR};

use super::Recorder;

/// A disk whose requests are noted when somebody records it.
pub(crate) struct Recorded<D> {
    disk: Rc<D>,
    recorder: Arc<Recorder>,
}

impl<D> Recorded<D> {
    pub(crate) fn new(disk: Rc<D>, recorder: Arc<Recorder>) -> Self {
        Self { disk, recorder }
    }

    /// When a request came, if it is to be noted.
    fn arrive(&self) -> Option<Instant> {
        self.recorder.is_on().then(Instant::now)
    }

    /// Notes a request that has ended. One that failed has no latency.
    fn depart(&self, came: Option<Instant>, kind: Kind, range: ByteRange, is_ok: bool) {
        if let Some(came) = came {
            let latency_us = is_ok.then(|| came.elapsed().as_micros() as u64);
            self.recorder.note(came, pieces(kind, range, latency_us));
        }
    }
}

/// A request as a trace can have it: whole sectors, and none too long. In several pieces, the first one has the latency: it is
/// that of all of them, once.
fn pieces(kind: Kind, range: ByteRange, latency_us: Option<u64>) -> impl Iterator<Item = Request> {
    let (start, end) = (range.start / SECTOR * SECTOR, (range.start + range.len()).next_multiple_of(SECTOR));
    (start..end).step_by(LENGTH_MAX as usize).map(move |offset| {
        let length = (end - offset).min(u64::from(LENGTH_MAX)) as u32;
        let latency_us = latency_us.filter(|_| offset == start);
        Request { latency_us, kind, offset, length, ..Request::default() }
    })
}

impl<D: BlockDevice> BlockDevice for Recorded<D> {
    fn geometry(&self) -> Geometry {
        self.disk.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let (came, range) = (self.arrive(), ByteRange::at(offset, buffer.len() as u64));
        let outcome = self.disk.read(offset, buffer).await;
        self.depart(came, Kind::Read, range, outcome.1.is_ok());
        outcome
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let (came, range) = (self.arrive(), ByteRange::at(offset, buffer.len() as u64));
        let outcome = self.disk.write(offset, buffer).await;
        self.depart(came, Kind::Write, range, outcome.1.is_ok());
        outcome
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.disk.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let came = self.arrive();
        let result = self.disk.write_zeroes(range, unmap).await;
        self.depart(came, Kind::Write, range, result.is_ok());
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
