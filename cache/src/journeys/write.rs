//! Write: to the backing first; acknowledged when the backing has it; into RAM behind that.

use std::rc::Rc;

use block::{BlockDevice, Buffer, ByteRange, Host, Outcome, PAGE, RangeLock};

use super::disk_cache::DiskCache;
use super::mutation::{Mutation, Turn};
use super::reconnect::is_same;
use crate::knowledge::ram::Standing;
use crate::words::stats::count;
use crate::words::units::{PageNumber, Sequence};

/// Writes `buffer` to `range`, which the caller has checked.
pub(crate) async fn write<B: BlockDevice, F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    backing: &B,
    locks: &RangeLock,
    range: ByteRange,
    buffer: Buffer,
) -> Outcome {
    let turn = Turn::wait(cache, locks, backing.geometry().physical_block, range).await;
    let edges = Edges::take(cache, &range);
    let mutation = match Mutation::begin(cache, turn).await {
        Ok(mutation) => mutation,
        Err(error) => return (buffer, Err(error)),
    };
    let enters = enters(cache, &range, mutation.was_cached);
    let epoch = cache.backing_epoch.get();
    count_write(cache, &range, enters, mutation.was_cached);
    let (buffer, result) = backing.write(range.start, buffer).await;
    match &result {
        Ok(()) => {
            let kept = is_same(cache, backing, epoch);
            if enters && kept && !cache.fills.borrow().distrusts(&range) {
                enter(cache, &range, &buffer, &edges, mutation.sequence);
            }
            // Acknowledged from here on: the backing has it, and no cached page says otherwise.
            mutation.succeed();
        }
        Err(_) => count(&cache.counters.backing_errors, 1),
    }
    (buffer, result)
}

/// Whether what is written enters the cache: the mode says so, and it is not part of a long sequential run of misses.
fn enters<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, range: &ByteRange, was_cached: bool) -> bool {
    let settings = cache.settings.borrow();
    let cutoff = settings.sequential_cutoff_bytes;
    let run = if was_cached { 0 } else { cache.missed_writes.borrow_mut().run_length(range) };
    settings.mode.row().writes_enter && (cutoff == 0 || run <= cutoff)
}

fn count_write<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    range: &ByteRange,
    enters: bool,
    was_cached: bool,
) {
    count(&cache.counters.backing_writes, 1);
    count(&cache.counters.backing_write_bytes, range.len());
    let counter = match (enters, was_cached) {
        (false, _) => &cache.counters.writes_bypassed,
        (true, true) => &cache.counters.write_hits,
        (true, false) => &cache.counters.write_misses,
    };
    count(counter, 1);
}

/// Copies of the pages that the write covers only in part, if RAM had them: the rest of such a page stays as it was,
/// so it can stay cached.
struct Edges {
    pages: Vec<(PageNumber, Box<[u8]>)>,
}

impl Edges {
    fn take<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, range: &ByteRange) -> Self {
        let whole = range.narrowed(PAGE);
        let first = PageNumber(range.start / PAGE);
        let last = PageNumber((range.end - 1) / PAGE);
        let ram = cache.ram.borrow();
        let partial = |page: &PageNumber| whole.intersection(&page.range()).is_empty();
        let mut pages = Vec::new();
        for page in [first, last].iter().take(if first == last { 1 } else { 2 }).filter(|page| partial(page))
        {
            pages.extend(ram.peek(*page).map(|bytes| (*page, bytes.into())));
        }
        Self { pages }
    }
}

fn enter<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    range: &ByteRange,
    bytes: &[u8],
    edges: &Edges,
    sequence: Sequence,
) {
    let whole = range.narrowed(PAGE);
    for page in (whole.start / PAGE..whole.end / PAGE).map(PageNumber) {
        let at = (page.offset() - range.start) as usize;
        cache.enter(page, &bytes[at..at + PAGE as usize], sequence, Standing::New);
    }
    for (page, before) in &edges.pages {
        let mut content = before.clone();
        let part = page.range().intersection(range);
        let (to, from) = ((part.start - page.offset()) as usize, (part.start - range.start) as usize);
        let len = part.len() as usize;
        content[to..to + len].copy_from_slice(&bytes[from..from + len]);
        cache.enter(*page, &content, sequence, Standing::New);
    }
}
