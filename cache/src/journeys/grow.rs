//! Grow: a disk takes the size that its backing was given, while guests go on.
//!
//! The rule: **a disk ends where its cache says, however far its backing goes.** Nothing behind that end is read, written or
//! cached, so there is nothing to be taken back when it moves. Save for one page: if the end cuts it, what is cached of it has
//! zeroes behind the end, which nobody wrote. Once guests see that far, they must find what the backing has there.
//!
//! ```text
//! 1. whoever writes to that page waits; what is dirty of it comes home, as far as the disk goes now (rule I12)
//! 2. it is hidden, marked as touched, and its region has a durable intent: no start believes what flash has of it (rule I11);
//!    fills under way do not enter (rule I3)
//! 3. the new size is remembered, durably                                   <- whoever calls, and not on flash
//! 4. in one step: bits, regions and end of the disk; then writers of the page go on
//! ```
//! | a crash | finds | of the page that the end cuts |
//! |---|---|---|
//! | before 1 | the old size | what flash has is cached, or dirty |
//! | between 1 and 3 | the old size | nothing is cached, and the backing has it |
//! | after 3 | the new size | nothing is cached, and the backing has it |
//!
//! If nobody knows after 3 which size a start will find, none of that may change as long as the disk has the old one: see
//! [`Growing::distrust`].
//!
//! So it never matters how much larger the backing has become meanwhile, nor when. A disk whose last page is whole needs 3 and 4
//! only: flash has nothing of the pages behind it. The page stays a touched one until its region comes to rest, as after any
//! write (`quiet.rs`). Sends nothing to the backing but what was dirty, and never makes a disk smaller.

use std::rc::Rc;

use block::{BlockError, ByteRange, Host, Operation, PAGE};

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::mutation::Mutation;
use super::write::{Way, Wish, decide};
use crate::knowledge::touched::SharedBits;
use crate::words::canary::{self, Bug};
use crate::words::env::Env;

/// A disk that is about to grow: nobody writes to the page that its end cuts, and nothing of that is cached, as long as this lives.
pub struct Growing<E: Env> {
    cut_page: Option<Mutation<E>>,
}

impl<E: Env> Growing<E> {
    /// The disk does not grow, and a start may take it for larger all the same, because nobody knows which size is remembered.
    /// Guests go on; nothing is cached of the page that the end cuts as long as the disk is attached, as of what a failed write
    /// leaves, and no start believes what flash has of it.
    pub fn distrust(mut self) {
        // One that is dropped without having succeeded has failed.
        drop(self.cut_page.take());
    }
}

impl<E: Env> Drop for Growing<E> {
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
/// If what is dirty does not come home, or flash lost it; if the disk stopped; if the flash failed and nobody remembers that.
pub(crate) async fn prepare<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>) -> Result<Growing<E>, BlockError> {
    let size = cache.size();
    let cut = ByteRange::new(size / PAGE * PAGE, size);
    if cut.is_empty() || canary::has(Bug::ZeroesBehindEnd) {
        cache.check_alive(Operation::Write)?;
        return Ok(Growing { cut_page: None });
    }
    match decide(ctx, cut, 0, Wish::NotBack).await? {
        Way::Through(turn) => {
            let ours = Rc::clone(cache);
            let begun = async move {
                Mutation::begin(&ours, turn).await.map(|mutation| Growing { cut_page: Some(mutation) })
            };
            // Whoever waits may give up. A mutation that is dropped halfway counts as one that failed, and its page would not be
            // cached any more; what nobody waits for any more is dropped as a whole, and succeeds.
            cache.pool.host.to_its_end(begun).await
        }
        Way::Back(_) => unreachable!("what is not to go to the log does not"),
    }
}

/// Step 4.
pub(crate) fn grow<E: Env>(
    cache: &DiskCache<E>,
    growing: Growing<E>,
    disk_bytes: u64,
    touched: Rc<dyn SharedBits>,
) {
    cache.coherence.grow(touched, disk_bytes);
    cache.size.set(disk_bytes);
    drop(growing);
}
