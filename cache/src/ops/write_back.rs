//! Write in write-back: acknowledged when the log has it, as whole pages. The backing is not asked, save for the rest of a
//! page of which only a part is written and nothing is cached.
//!
//! ```text
//! 1. wait while too much is dirty, and then for overlapping mutations (rule I2)        <- write.rs
//! 2. the dirty mark of the disk is durable on flash
//! 3. pages that are written in part are completed
//! 4. fills under way are poisoned (rule I3)
//! 5. into the queue; acknowledged when the log has all of it        <- commit.rs
//! ```
//! Cached content of the pages stays readable until 5, and stays if 5 fails.

use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;

use block::{BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, Outcome, PAGE, RangeGuard, Unmap};
use futures_util::future::{Either, select};
use tokio::sync::oneshot;

use super::back::{Writer, mark_dirty};
use super::commit::{Poison, WriteGuards};
use super::commit_queue::{LogContent, QueuedWrite};
use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::read;
use super::reconnect::is_same;
use crate::state::learned::{ArrivalClass, By};
use crate::storage::full_storage::out_of_space;
use crate::types::env::Env;
use crate::types::limits::{PAGE_BYTES, SPACE_WAIT_NS};
use crate::types::stats::count;
use crate::types::units::pages_cut;

/// A write that was decided to go to the log.
pub(super) struct WriteBackPermit<E: Env> {
    /// Nothing overlaps it.
    pub(super) guard: RangeGuard,
    /// Counted from the decision on.
    pub(super) writer: Writer<E>,
}

/// Writes `buffer` to `range`.
pub(super) async fn write_back<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    decided: WriteBackPermit<E>,
    range: ByteRange,
    buffer: Buffer,
) -> Outcome {
    let pages = range.start / PAGE..range.end.div_ceil(PAGE);
    if let Err(error) = mark_dirty(cache).await {
        return (buffer, Err(error));
    }
    if !range.is_aligned(PAGE) {
        // Seldom, and large: not a part of each write's future.
        let completed = Box::pin(complete(ctx, &range, &buffer)).await;
        let result = match completed {
            Ok(content) => submit(cache, decided, pages, LogContent::Content(content)).await.1,
            Err(error) => Err(error),
        };
        return (buffer, result);
    }
    match submit(cache, decided, pages, LogContent::Content(buffer)).await {
        (LogContent::Content(buffer), result) => (buffer, result),
        // The queue is gone, and the buffer with it.
        (LogContent::Zeroes(_), result) => (Buffer::zeroed(range.len() as usize), result),
    }
}

/// Makes `range` read as zeroes: its whole pages by one entry of the log, and the rest as a write does.
pub(super) async fn zeroes_back<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    decided: WriteBackPermit<E>,
    range: ByteRange,
    unmap: Unmap,
) -> Result<(), BlockError> {
    let whole = range.narrowed(PAGE);
    mark_dirty(cache).await?;
    let WriteBackPermit { guard, writer } = decided;
    let guard = Rc::new(guard);
    for page in pages_cut(&range) {
        let part = page.range().intersection(&range);
        let content = complete(ctx, &part, &Buffer::zeroed(part.len() as usize)).await?;
        let change = LogContent::Content(content);
        // The pages that it makes dirty are counted with the whole.
        let writer = Writer::enter(cache, 0);
        submit_kept(cache, writer, Rc::clone(&guard), page.0..page.0 + 1, change).await.1?;
    }
    if whole.is_empty() {
        return Ok(());
    }
    let pages = whole.start / PAGE..whole.end / PAGE;
    submit_kept(cache, writer, guard, pages, LogContent::Zeroes(unmap)).await.1
}

async fn submit<E: Env>(
    cache: &Rc<DiskCache<E>>,
    decided: WriteBackPermit<E>,
    pages: Range<u64>,
    change: LogContent,
) -> (LogContent, Result<(), BlockError>) {
    submit_kept(cache, decided.writer, decided.guard, pages, change).await
}

/// Puts a change into the queue and waits until the log has it.
async fn submit_kept<E: Env, G: 'static>(
    cache: &Rc<DiskCache<E>>,
    writer: Writer<E>,
    guard: G,
    pages: Range<u64>,
    change: LogContent,
) -> (LogContent, Result<(), BlockError>) {
    let range = ByteRange::new(pages.start * PAGE, pages.end * PAGE);
    if let Err(error) = cache.check_alive(Operation::Write) {
        return (change, Err(error));
    }
    let number = cache.coherence.begin_mutation(&range);
    let poison = Poison { cache: Rc::clone(cache), number };
    count(&cache.counters.writes_back, 1);
    if let LogContent::Content(content) = &change {
        count(&cache.counters.write_back_bytes, content.len() as u64);
    }
    let (acknowledge, acknowledged) = oneshot::channel();
    let pending = QueuedWrite {
        pages,
        change,
        sequence: cache.pool.draw_sequence(),
        done: 0,
        acknowledge,
        _kept: Box::new(WriteGuards { _writer: writer, _poison: poison, _guard: guard }),
    };
    cache.back.commits.push(pending);
    let mut acknowledged = pin!(acknowledged);
    loop {
        match select(acknowledged.as_mut(), pin!(cache.pool.host.sleep(SPACE_WAIT_NS))).await {
            Either::Left((outcome, _)) => {
                return outcome.unwrap_or_else(|_| {
                    let error = BlockError::new(ErrorKind::Gone, Operation::Write, range);
                    (LogContent::Zeroes(Unmap::Forbidden), Err(error.because("the disk was detached")))
                });
            }
            // It stays in the queue, in its turn, and is written once there is room.
            Either::Right(_) if cache.pool.shared.lacks_space() => {
                return (LogContent::Zeroes(Unmap::Forbidden), Err(out_of_space(SPACE_WAIT_NS)));
            }
            Either::Right(_) => {}
        }
    }
}

/// Returns the whole pages of a write that covers only a part of them: the rest is unchanged. To be submitted at once: from then on no read
/// overtakes it.
///
/// Reads the rest once more if the backing may have lost writes meanwhile: data that another read returned since must not change again.
async fn complete<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: &ByteRange,
    bytes: &[u8],
) -> Result<Buffer, BlockError> {
    loop {
        let epoch = cache.coherence.epoch();
        let content = complete_once(ctx, range, bytes).await?;
        if is_same(ctx, epoch) {
            return Ok(content);
        }
    }
}

async fn complete_once<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: &ByteRange,
    bytes: &[u8],
) -> Result<Buffer, BlockError> {
    let whole = range.widened(PAGE);
    let size = cache.size();
    let mut content = Buffer::zeroed(whole.len() as usize);
    for page in pages_cut(range) {
        // The last page of a disk may be cut short by the disk's end, and written as a whole.
        let own = ByteRange::new(page.offset(), page.range().end.min(size));
        if range.contains(&own) {
            continue;
        }
        let before = Buffer::zeroed(own.len() as usize);
        let arrival = ArrivalClass::with(By::Read, &own);
        let ((before, result), _) = read::read(ctx, own, arrival, before).await;
        result?;
        let at = (page.offset() - whole.start) as usize;
        content[at..at + before.len()].copy_from_slice(&before);
    }
    let at = (range.start - whole.start) as usize;
    content[at..at + bytes.len()].copy_from_slice(bytes);
    debug_assert_eq!(content.len() % PAGE_BYTES, 0);
    Ok(content)
}
