//! Writing segments with two copies, and replacing a second copy that was lost (rule I13).
//!
//! ```text
//!   write, flush:  both devices at once ── one failed? ── the others no longer list it, epoch + 1 ── witness ── acknowledged
//!   repair:        read the first copy ── write another ── flush ── table: it is the second one
//! ```
//! Nothing that only one device has is acknowledged before it is durable, on that device and with the witness, that the
//! other one is out: it may return alone, and then nothing on it would show that it is incomplete.
//!
//! The bytes of both copies are the same, except that clean pages are written to the first one only: their content is on the backing. A
//! second copy of those is never read without its checksum failing.

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Host, Operation};
use futures_util::future::join;

use super::pool::{Pool, Witness};
use super::reading::SegmentGeneration;
use crate::format::batch::EntryKind;
use crate::format::checksum::page_checksum;
use crate::format::members::{Member, Members};
use crate::format::summary::Content;
use crate::format::superblock::Superblock;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{MEMBERS_MAX, PAGE_BYTES};
use crate::types::units::{FlashPage, SegmentNumber, SegmentOwner};

/// Expected content of a place.
#[derive(Clone, Copy)]
enum ExpectedPage {
    Header,
    Data(u32),
    /// Clean content, which has one copy.
    Anything,
}

/// Handling of pages that cannot be read when a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// There is no copy until they can be read.
    AreAwaited,
    /// They are zeroes in the copy, which their checksums show to be invalid.
    AreLeft,
}

/// A copy that was made.
pub(crate) struct CopyResult {
    pub(crate) bytes: u64,
    pub(crate) pages_left_out: u32,
}

/// Pages that are copied at once.
const COPIED_AT_ONCE: u32 = 256;

impl<E: Env> Pool<E> {
    /// Writes to flash, within one segment, to both copies if it has two. Any failure is the end of the device. Returns how many bytes
    /// devices took.
    pub(crate) async fn write(&self, first: FlashPage, buffer: Buffer) -> Result<u64, BlockError> {
        let all = buffer.len();
        self.write_most(first, buffer, all).await
    }

    /// As [`Self::write`]; the second copy gets only a number of bytes from the start on.
    pub(crate) async fn write_most(
        &self,
        first: FlashPage,
        buffer: Buffer,
        second_bytes: usize,
    ) -> Result<u64, BlockError> {
        let first_bytes = buffer.len();
        let Some(second) = self.second_copy(first) else {
            return self.write_copy(first, buffer).await.map(|()| first_bytes as u64);
        };
        let copy = Buffer::copy_of(&buffer[..second_bytes]);
        if canary::has(Bug::AckOneCopy) {
            let place = self.place(second)?;
            self.host.spawn(async move { drop(place.device.write(place.offset, copy).await) });
            return self.write_copy(first, buffer).await.map(|()| first_bytes as u64);
        }
        let (a, b) = join(self.write_copy(first, buffer), self.write_copy(second, copy)).await;
        let taken: usize = [(&a, first_bytes), (&b, second_bytes)]
            .into_iter()
            .filter_map(|(outcome, bytes)| outcome.is_ok().then_some(bytes))
            .sum();
        self.one_is_enough(a, b).await?;
        Ok(taken as u64)
    }

    /// Makes everything durable that was written to a segment before, in both copies. Any failure is the end of the device
    /// (rule I5).
    pub(crate) async fn flush_segment(&self, segment: SegmentNumber) -> Result<(), BlockError> {
        let second = self.segments().second(segment);
        let Some(second) = second else { return self.flush_copy(segment).await };
        let (a, b) = join(self.flush_copy(segment), self.flush_copy(second)).await;
        self.one_is_enough(a, b).await
    }

    /// Returns the place of the second copy of a page.
    pub(crate) fn second_copy(&self, page: FlashPage) -> Option<FlashPage> {
        let layout = self.layout();
        let segment = layout.segment_of(page);
        let second = self.segments().second(segment)?;
        Some(layout.segment_start(second).plus(page.0 - layout.segment_start(segment).0))
    }

    /// Reads a page from its second copy; none if there is none.
    pub(crate) async fn read_second(&self, first: FlashPage) -> Option<Result<Buffer, BlockError>> {
        let second = self.second_copy(first)?;
        let _pin = self.pin(second);
        let (buffer, result) = self.read_copy(second, Buffer::zeroed(PAGE_BYTES)).await;
        Some(result.map(|()| buffer))
    }

    /// Returns true if there is one copy of an owner's segment that can be written, and there are to be two.
    pub(crate) fn lacks_copy(&self, owner: impl Into<SegmentOwner>, segment: SegmentNumber) -> bool {
        let (second, is_mirrored) = {
            let segments = self.segments();
            (segments.second(segment), segments.is_mirrored(owner))
        };
        let has_failed = |segment| self.place(self.layout().segment_start(segment)).is_err();
        match second {
            None => is_mirrored,
            Some(second) => has_failed(segment) || has_failed(second),
        }
    }

    /// Returns true if a copy of a segment is on a device that has not failed.
    pub(crate) fn has_copy(&self, segment: SegmentNumber) -> bool {
        let second = self.segments().second(segment);
        let lives = |segment| self.place(self.layout().segment_start(segment)).is_ok();
        lives(segment) || second.is_some_and(lives)
    }

    async fn write_copy(&self, first: FlashPage, buffer: Buffer) -> Result<(), BlockError> {
        let segment = self.layout().segment_of(first);
        debug_assert!(!self.segments().may_be_named(segment), "the table names what was in {segment:?}");
        let place = self.place(first)?;
        let written = self.write_with_patience(place.member, &*place.device, place.offset, buffer).await;
        self.judge(place.member, written.1)
    }

    async fn flush_copy(&self, segment: SegmentNumber) -> Result<(), BlockError> {
        let place = self.place(self.layout().segment_start(segment))?;
        let result = place.device.flush().await;
        self.judge(place.member, result)
    }

    async fn one_is_enough(
        &self,
        a: Result<(), BlockError>,
        b: Result<(), BlockError>,
    ) -> Result<(), BlockError> {
        match (a, b) {
            (Ok(()), Ok(())) => Ok(()),
            (Ok(()), Err(_)) | (Err(_), Ok(())) if canary::has(Bug::OutUnrecorded) => Ok(()),
            (Ok(()), Err(_)) | (Err(_), Ok(())) => self.record_out().await,
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Makes durable which devices failed and are not of the pool any more.
    ///
    /// # Errors
    /// If that could not be remembered: then nothing may be acknowledged that relies on it.
    pub(crate) async fn record_out(&self) -> Result<(), BlockError> {
        if self.shared.to_strike_off().is_nothing() {
            return Ok(());
        }
        let _membership = self.shared.membership.lock().await;
        for _ in 0..=MEMBERS_MAX {
            let to_do = self.shared.to_strike_off();
            if to_do.is_nothing() {
                return Ok(());
            }
            if !to_do.failed.is_empty() {
                // Segments that reclaim freed there still have an owner in the table: a start would mistake them for lost.
                self.persist_table().await?;
                let before = self.shared.superblock();
                let without = |members: Members, failed: &Member| members.without(failed.number);
                let members = to_do.failed.iter().fold(before.members, without);
                let (turn, epoch) = (before.turn + 1, before.epoch + 1);
                self.shared.strike_off(&to_do.failed, epoch);
                self.write_superblock(&Superblock { turn, epoch, members, ..before }).await?;
            }
            if let Some(epoch) = self.shared.to_strike_off().to_witness {
                if !self.tell_witness(epoch).await? {
                    // There is no witness yet: it is informed when it is set, before anything else needs that.
                    return Ok(());
                }
                self.shared.note_witnessed(epoch);
            }
            // Another one may have failed at it.
        }
        Err(Self::gone())
    }

    /// Returns false if there is no witness.
    async fn tell_witness(&self, epoch: u32) -> Result<bool, BlockError> {
        let witness: Option<Witness> = self.witness.borrow().clone();
        let Some(witness) = witness else { return Ok(false) };
        witness(epoch).await.map(|()| true).map_err(|reason| {
            tracing::error!(pool = %self.id(), reason, "Cannot remember that a device of the pool is out");
            BlockError::anywhere(ErrorKind::Io, Operation::Write).because(reason)
        })
    }

    /// Makes both copies of the end of a log equal: power may have gone while they differed. Where one of them is not as expected, writes
    /// the other one there; nothing that is valid is overwritten. A device that fails to be written is still read: content that only it has
    /// goes to the other one.
    pub(crate) async fn make_equal(
        &self,
        wanted: SegmentGeneration,
        content: &Content,
    ) -> Result<(), BlockError> {
        let Some(second) = wanted.second else { return Ok(()) };
        let mut expected = vec![ExpectedPage::Header; content.end as usize];
        for line in content.lines().filter(|line| line.kind.has_data()) {
            let expect = if line.kind == EntryKind::Fill {
                ExpectedPage::Anything
            } else {
                ExpectedPage::Data(line.checksum)
            };
            expected[line.place as usize] = expect;
        }
        let reader = self.reader();
        let is_valid = |page: &[u8], place: u32| match expected[place as usize] {
            ExpectedPage::Anything => true,
            ExpectedPage::Data(checksum) => page_checksum(page) == checksum,
            ExpectedPage::Header => reader.is_header(wanted, page, place),
        };
        let starts = [wanted.segment, second].map(|segment| self.layout().segment_start(segment));
        let mut written = Ok(());
        let mut at = 0;
        while at < content.end {
            let count = COPIED_AT_ONCE.min(content.end - at);
            let [first, other] = starts.map(|start| reader.read(start.plus(at), count));
            let (a, b) = join(first, other).await;
            // An unreadable page is not valid, nor are zeroes.
            let [a, b] =
                [a, b].map(|read| read.unwrap_or_else(|_| Buffer::zeroed(count as usize * PAGE_BYTES)));
            for (place, (a, b)) in (at..).zip(a.chunks_exact(PAGE_BYTES).zip(b.chunks_exact(PAGE_BYTES))) {
                let to = match (is_valid(a, place), is_valid(b, place)) {
                    (true, false) => self.write_copy(starts[1].plus(place), Buffer::copy_of(a)).await,
                    (false, true) => self.write_copy(starts[0].plus(place), Buffer::copy_of(b)).await,
                    _ => Ok(()),
                };
                written = written.and(to);
            }
            at += count;
        }
        if written.is_err() { self.record_out().await } else { Ok(()) }
    }

    /// Makes another copy of all that a closed segment holds, durably. The caller holds the segment with a pin.
    ///
    /// The table first records that the segments to be overwritten have no owner: reclaim frees segments before the table records that, and
    /// a start after a crash would mistake such a place for a segment whose summary is damaged.
    ///
    /// # Errors
    /// If a device is gone, does not take the copy, or does not return the pages to be copied, unless gaps are left.
    pub(crate) async fn copy_segment(
        &self,
        from: SegmentNumber,
        to: SegmentNumber,
        gaps: Gaps,
    ) -> Result<CopyResult, BlockError> {
        if self.segments().may_be_named(to) && !canary::has(Bug::CopyOverNamed) {
            self.persist_table().await?;
        }
        let layout = self.layout();
        let pages = (layout.segment_bytes() / PAGE_BYTES as u64) as u32;
        let mut copied = CopyResult { bytes: layout.segment_bytes(), pages_left_out: 0 };
        let mut at = 0;
        while at < pages {
            let count = COPIED_AT_ONCE.min(pages - at);
            let start = layout.segment_start(from).plus(at);
            let buffer = Buffer::zeroed(count as usize * PAGE_BYTES);
            let buffer = match (self.read_copy(start, buffer).await, gaps) {
                ((buffer, Ok(())), _) => buffer,
                ((_, Err(error)), Gaps::AreAwaited) => return Err(error),
                ((buffer, Err(_)), Gaps::AreLeft) => {
                    self.read_page_by_page(start, buffer, &mut copied).await?
                }
            };
            self.write_copy(layout.segment_start(to).plus(at), buffer).await?;
            at += count;
        }
        self.flush_copy(to).await?;
        Ok(copied)
    }

    /// Reads those pages of a copy that can be read.
    async fn read_page_by_page(
        &self,
        start: FlashPage,
        mut buffer: Buffer,
        copied: &mut CopyResult,
    ) -> Result<Buffer, BlockError> {
        for (page, bytes) in buffer.chunks_exact_mut(PAGE_BYTES).enumerate() {
            let place = start.plus(page as u32);
            match self.read_copy(place, Buffer::zeroed(PAGE_BYTES)).await {
                (read, Ok(())) => bytes.copy_from_slice(&read),
                // Of a device that is gone, nothing is known.
                (_, Err(error)) if self.place(place).is_err() => return Err(error),
                (_, Err(_)) => {
                    bytes.fill(0);
                    copied.pages_left_out += 1;
                }
            }
        }
        Ok(buffer)
    }
}
