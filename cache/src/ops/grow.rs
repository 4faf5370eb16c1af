//! Grow: a disk takes the size that its backing was given, while guests go on.
//!
//! The rule: **a disk ends where its cache says, however large its backing is.** Nothing behind that end is read, written or cached, so
//! nothing has to be revoked when it moves. The exception is one page: if the end cuts it, its cached content has zeroes behind the end,
//! which no guest wrote. Once guests can read that far, they must get the content of the backing there.
//!
//! ```text
//! 1. writers of that page wait; its dirty data is destaged, up to the present end of the disk (rule I12)
//! 2. it is hidden, marked as touched, and its region has a durable intent: no start trusts its content on flash (rule I11);
//!    fills under way do not enter (rule I3)
//! 3. the new size is remembered, durably                                   <- by the caller, and not on flash
//! 4. in one step: bits, regions and end of the disk; then writers of the page go on
//! ```
//! | a crash | finds | of the page that the end cuts |
//! |---|---|---|
//! | before 1 | the old size | what flash has is cached, or dirty |
//! | between 1 and 3 | the old size | nothing is cached, and the backing has it |
//! | after 3 | the new size | nothing is cached, and the backing has it |
//!
//! The recorded size may be unknown after 3. Then none of that may change as long as the disk has the old one: see [`DiskGrowth::distrust`].
//!
//! By how much the backing has grown, and when, never matters. A disk whose last page is whole needs 3 and 4 only: flash has nothing of the
//! pages behind it. The page stays a touched one until its region is closed, as after any write (`close_intents.rs`). Growing sends
//! nothing to the backing but dirty data, and never makes a disk smaller.

use std::rc::Rc;

use block::{BlockError, ByteRange, Host, Operation, PAGE};

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::mutation::Mutation;
use super::write::{RoutePreference, WriteRoute, decide};
use crate::state::write_intent_bitmap::SharedBits;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;

/// A disk that is about to grow. As long as this lives, the page that its end cuts is neither written nor cached.
pub struct DiskGrowth<E: Env> {
    cut_page: Option<Mutation<E>>,
}

impl<E: Env> DiskGrowth<E> {
    /// Leaves the disk at its old size, although a later start may take it for larger, because the recorded size is unknown. Guests go on.
    /// The page that the end cuts is not cached as long as the disk is attached, as after a failed write, and no start trusts its content
    /// on flash.
    pub fn distrust(mut self) {
        // One that is dropped without having succeeded has failed.
        drop(self.cut_page.take());
    }
}

impl<E: Env> Drop for DiskGrowth<E> {
    fn drop(&mut self) {
        // The backing was not sent anything whose outcome could be unknown.
        if let Some(mutation) = self.cut_page.take() {
            mutation.succeed();
        }
    }
}

/// Steps 1 and 2.
///
/// # Errors
/// If dirty data cannot be destaged, or flash lost it; if the disk stopped; if the flash failed and that could not be recorded elsewhere.
pub(crate) async fn prepare<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>) -> Result<DiskGrowth<E>, BlockError> {
    let size = cache.size();
    let cut = ByteRange::new(size / PAGE * PAGE, size);
    if cut.is_empty() || canary::has(Bug::ZeroesBehindEnd) {
        cache.check_alive(Operation::Write)?;
        return Ok(DiskGrowth { cut_page: None });
    }
    match decide(ctx, cut, 0, RoutePreference::NotBack).await? {
        WriteRoute::Through(turn) => {
            let ours = Rc::clone(cache);
            let begun = async move {
                Mutation::begin(&ours, turn).await.map(|mutation| DiskGrowth { cut_page: Some(mutation) })
            };
            // The caller may drop this wait. A mutation that is dropped halfway counts as failed, and its page would not be cached any
            // more. Run to its end, it is dropped as a whole, and succeeds.
            cache.pool.host.to_its_end(begun).await
        }
        WriteRoute::Back(_) => unreachable!("what is not to go to the log does not"),
    }
}

/// Performs step 4.
pub(crate) fn grow<E: Env>(
    cache: &DiskCache<E>,
    growing: DiskGrowth<E>,
    disk_bytes: u64,
    touched: Rc<dyn SharedBits>,
) {
    cache.coherence.grow(touched, disk_bytes);
    cache.size.set(disk_bytes);
    drop(growing);
}
