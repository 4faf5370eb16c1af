//! Streams of reads that follow each other, and the pages to read ahead of each. Pure.
//!
//! ```text
//! a read that follows none     remembered; costs nothing
//! the read behind it           the first window, which begins with that read: four times its length, 64 KiB to 1 MiB
//! a read in the last window    the next window, twice as long, up to 1 MiB
//! a read that finds its bytes  one window more ahead from then on, up to 4: the reader is faster than one window for each request
//!   still on their way
//! ```
//! Several streams share the bytes that may be read ahead. A read of what was asked for continues a stream though it leaves something out: a
//! cache above leaves out what it has, and requests of one reader overtake each other.
//!
//! Source: the readahead of the Linux kernel (`mm/readahead.c`; Wu and others, "On the design of a new Linux readahead framework", ACM
//! Operating Systems Review, 2008), for windows that double, and for the next one being due on entry to the last. It has one window ahead; more
//! of them are ours, for requests that take far longer than their bytes.

use std::collections::VecDeque;
use std::ops::Range;

use block::PAGE;

/// Pages of the shortest first window: chunks are of 8 pages, and one that is read in part costs as much.
const WINDOW_PAGES_MIN: u64 = 16;
/// Pages of a window, unless a read is longer.
const WINDOW_PAGES_MAX: u64 = 256;
/// Windows ahead of a reader.
const WINDOWS_AHEAD_MAX: u64 = 4;
/// Reads that are remembered because one may follow.
const FIRSTS_MAX: usize = 16;
const STREAMS_MAX: usize = 8;
/// Reads of the disk after which a stream without one has ended.
const IDLE_READS_MAX: u64 = 1024;

/// Pages to read ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    pub(crate) pages: Range<u64>,
    /// Pages of a request at most.
    pub(crate) window: u64,
}

/// Reads that follow each other.
#[derive(Debug)]
struct Stream {
    /// Page behind the last read.
    next: u64,
    /// Page behind what was asked for.
    asked: u64,
    /// Pages of the last window.
    window: u64,
    /// Windows that are to be ahead.
    windows: u64,
    /// Number of its last read among those of the disk.
    read_at: u64,
}

/// The streams of a disk.
#[derive(Debug)]
pub(crate) struct ReadStreams {
    /// Pages behind reads that followed none, the last one at the end.
    firsts: VecDeque<u64>,
    streams: Vec<Stream>,
    reads: u64,
    /// Pages that may be ahead of all readers together.
    limit_pages: u64,
}

impl Stream {
    fn has(&self, pages: &Range<u64>) -> bool {
        pages.start == self.next || (self.next..self.asked).contains(&pages.start)
    }

    /// Continues with a read. Returns what to ask for, if `share` pages may be ahead.
    fn advance(&mut self, pages: &Range<u64>, is_late: bool, share: u64) -> Option<Ahead> {
        self.next = self.next.max(pages.end);
        let len = pages.end - pages.start;
        let most = WINDOW_PAGES_MAX.max(len).min(share / 2);
        if len > most {
            self.asked = self.asked.max(self.next);
            return None;
        }
        if is_late && self.window >= most {
            self.windows = (self.windows + 1).min(WINDOWS_AHEAD_MAX);
        }
        let start = self.asked.max(pages.start);
        let mut end = start;
        if self.window == 0 {
            self.window = (4 * len.next_power_of_two()).max(WINDOW_PAGES_MIN).min(most);
            end += self.window;
        }
        // A first window that has more than the read is enough: its reader may not come back.
        let is_first = start == pages.start && end > self.next;
        let windows = self.windows.min(share / most - 1);
        while !is_first && end < self.next + self.window.min(most) * windows {
            self.window = (2 * self.window).min(most);
            end += self.window;
        }
        self.asked = end;
        (start < end).then_some(Ahead { pages: start..end, window: self.window })
    }
}

impl ReadStreams {
    /// Creates those of a disk, of which so many bytes may be read ahead; with 0 none are.
    pub(crate) fn new(limit_bytes: u64) -> Self {
        let limit_pages = limit_bytes / PAGE;
        Self { firsts: VecDeque::new(), streams: Vec::new(), reads: 0, limit_pages }
    }

    /// Records a read, which found its bytes on their way if it `is_late`. Returns the pages to ask for now: they begin with those of the
    /// read that nobody asked for yet, and may lie behind the end of the disk.
    pub(crate) fn observe(&mut self, pages: &Range<u64>, is_late: bool) -> Option<Ahead> {
        if self.limit_pages == 0 || pages.is_empty() {
            return None;
        }
        self.reads += 1;
        let reads = self.reads;
        self.streams.retain(|stream| reads - stream.read_at <= IDLE_READS_MAX);
        let at = match self.streams.iter().position(|stream| stream.has(pages)) {
            Some(at) => at,
            None => self.begin(pages)?,
        };
        let share = self.limit_pages / self.streams.len() as u64;
        let stream = &mut self.streams[at];
        stream.read_at = reads;
        stream.advance(pages, is_late, share)
    }

    /// Begins a stream if a read follows another one. Returns its place. Streams do not end for reads that follow none.
    fn begin(&mut self, pages: &Range<u64>) -> Option<usize> {
        let Some(at) = self.firsts.iter().position(|next| *next == pages.start) else {
            if self.firsts.len() == FIRSTS_MAX {
                self.firsts.pop_front();
            }
            self.firsts.push_back(pages.end);
            return None;
        };
        self.firsts.remove(at);
        if self.streams.len() == STREAMS_MAX {
            let oldest = (0..STREAMS_MAX).min_by_key(|at| self.streams[*at].read_at);
            self.streams.swap_remove(oldest.expect("there are some"));
        }
        self.streams.push(Stream {
            next: pages.start,
            asked: pages.start,
            window: 0,
            windows: 1,
            read_at: self.reads,
        });
        Some(self.streams.len() - 1)
    }

    /// Records that of what a read was to ask for only the pages before `end` were asked for.
    pub(crate) fn cut(&mut self, ahead: &Ahead, end: u64) {
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.asked == ahead.pages.end) {
            stream.asked = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MIB: u64 = 1 << 20;

    /// Returns the windows of a reader with reads of `len` pages, each with the page at which the read that asked for it began.
    fn windows(streams: &mut ReadStreams, first: u64, len: u64, reads: u64) -> Vec<(u64, Range<u64>)> {
        let read = |at| {
            let start = first + at * len;
            let ahead = streams.observe(&(start..start + len), false)?;
            Some((start - first, ahead.pages.start - first..ahead.pages.end - first))
        };
        (0..reads).filter_map(read).collect()
    }

    #[test]
    fn windows_double_and_the_next_one_is_due_on_entry_to_the_last() {
        let mut streams = ReadStreams::new(8 * MIB);
        let expected =
            [(1, 1..17), (2, 17..49), (17, 49..113), (49, 113..241), (113, 241..497), (241, 497..753)];
        assert_eq!(windows(&mut streams, 1_000, 1, 300), expected);
        let expected = [(32, 32..160), (64, 160..416), (160, 416..672), (416, 672..928)];
        assert_eq!(windows(&mut streams, 50_000, 32, 20), expected);
    }

    #[test]
    fn reads_as_long_as_a_window_have_one_ahead() {
        let mut streams = ReadStreams::new(8 * MIB);
        let expected = [(256, 256..768), (512, 768..1024), (768, 1024..1280)];
        assert_eq!(windows(&mut streams, 0, 256, 4), expected);
        let mut streams = ReadStreams::new(8 * MIB);
        assert_eq!(windows(&mut streams, 0, 1024, 3), [(1024, 1024..3072), (2048, 3072..4096)]);
        let mut streams = ReadStreams::new(8 * MIB);
        assert_eq!(windows(&mut streams, 0, 2048, 5), [], "too long to be held");
    }

    #[test]
    fn a_read_that_follows_none_asks_for_nothing_and_ends_no_stream() {
        let mut streams = ReadStreams::new(8 * MIB);
        assert_eq!(windows(&mut streams, 0, 8, 40).len(), 5);
        for at in 1..IDLE_READS_MAX {
            assert_eq!(streams.observe(&(at * 1_000_000..at * 1_000_000 + 1), false), None);
        }
        let asked = streams.streams[0].asked;
        let ahead = streams.observe(&(320..328), false);
        assert_eq!((asked, ahead), (744, None));
        let ahead = streams.observe(&(asked - 200..asked), false).expect("it enters the last window");
        assert_eq!(ahead.pages.start, asked);
    }

    #[test]
    fn a_stream_ends_once_others_read_for_long() {
        let mut streams = ReadStreams::new(8 * MIB);
        assert_eq!(windows(&mut streams, 0, 8, 2).len(), 1);
        for at in 1..=IDLE_READS_MAX + 1 {
            assert_eq!(streams.observe(&(at * 1_000_000..at * 1_000_000 + 1), false), None);
        }
        assert_eq!(streams.observe(&(16..24), false), None);
        assert_eq!(streams.streams.len(), 0);
    }

    #[test]
    fn reads_that_overtake_each_other_or_leave_something_out_belong_to_the_stream() {
        let mut streams = ReadStreams::new(8 * MIB);
        let asked =
            |streams: &mut ReadStreams, pages| streams.observe(&pages, false).map(|ahead| ahead.pages);
        let reads = [0..8, 8..16, 24..32, 16..24, 48..56, 40..48, 60..64];
        let asked: Vec<_> = reads.into_iter().filter_map(|pages| asked(&mut streams, pages)).collect();
        assert_eq!(asked, [8..40, 40..104, 104..232]);
        assert_eq!(streams.streams.len(), 1);
    }

    #[test]
    fn what_was_read_already_is_read_ahead_again() {
        for (first, len) in [(100, 40), (70, 30)] {
            let mut streams = ReadStreams::new(8 * MIB);
            let once = windows(&mut streams, 100, 1, 60);
            let again = windows(&mut streams, first, 1, len);
            assert_eq!(again, once[..again.len()]);
            assert!(again.len() >= 3, "{again:?}");
        }
    }

    #[test]
    fn a_reader_that_waits_for_a_full_window_gets_more_of_them_ahead() {
        let mut streams = ReadStreams::new(8 * MIB);
        let mut ahead = 0;
        for page in 0..4_000 {
            streams.observe(&(page..page + 1), page.is_multiple_of(50));
            ahead = streams.streams.first().map_or(0, |stream| stream.asked - stream.next);
        }
        assert!((1024..1024 + 256).contains(&ahead), "{ahead}");
        assert_eq!(windows(&mut streams, 1_000_000, 8, 3).len(), 2);
        for page in 4_000..4_400 {
            streams.observe(&(page..page + 1), true);
        }
        // Two streams share: 4 MiB each.
        let stream = &streams.streams[0];
        assert!(stream.asked - stream.next <= 1024, "{stream:?}");
    }

    #[test]
    fn what_was_not_asked_for_is_asked_for_by_the_next_read() {
        let mut streams = ReadStreams::new(8 * MIB);
        assert_eq!(streams.observe(&(0..8), false), None);
        let ahead = streams.observe(&(8..16), false).expect("it follows");
        streams.cut(&ahead, 20);
        let next = streams.observe(&(16..24), false).expect("it has too little ahead");
        assert_eq!(next.pages.start, 20);
        streams.cut(&next, 20);
        assert_eq!(streams.observe(&(24..32), false).expect("it has nothing ahead").pages.start, 24);
    }

    #[test]
    fn without_bytes_nothing_is_read_ahead() {
        for limit in [0, PAGE, 2 * PAGE - 1] {
            assert_eq!(windows(&mut ReadStreams::new(limit), 0, 1, 100), [], "{limit}");
        }
    }

    proptest! {
        #[test]
        fn no_page_is_asked_for_twice_and_no_more_than_the_limit_is_ahead(
            limit in 0..600_u64,
            reads in proptest::collection::vec((0..STREAMS_MAX, 1..40_u64, any::<bool>()), 0..300),
        ) {
            let mut streams = ReadStreams::new(limit * PAGE);
            let mut at = [0; STREAMS_MAX];
            let mut asked = [0; STREAMS_MAX];
            for (reader, len, is_late) in reads {
                let start = reader as u64 * 1_000_000 + at[reader];
                at[reader] += len;
                if let Some(Ahead { pages, window }) = streams.observe(&(start..start + len), is_late) {
                    prop_assert!(pages.start >= asked[reader] && !pages.is_empty() && window > 0);
                    asked[reader] = pages.end;
                    prop_assert!(pages.end - (start + len) <= limit);
                    prop_assert!(pages.start >= start);
                }
                prop_assert!(streams.streams.len() <= STREAMS_MAX && streams.firsts.len() <= FIRSTS_MAX);
            }
        }
    }
}
