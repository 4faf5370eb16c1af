//! Parts of an arena in large pages, which threads of the kernel's find room for and make zero.
//!
//! Advice changes the description of a mapping, for which it waits for other threads' requests for memory, and they may take long: so a
//! shard itself gives none.

use io_uring::opcode;

use super::{IfDropped, Keep, Ring};
use crate::Arena;
use crate::arena::Part;

impl Keep for Part {
    const IF_DROPPED: IfDropped = IfDropped::Finish;
}

/// As [`crate::Host::populate`]. Kernels before Linux 6.1 are not asked.
pub(super) async fn populate(ring: Ring, mut part: Part) {
    if !ring.is_recent() {
        return;
    }
    // Of no other kind than the rest of the mapping afterwards, so that it stays one.
    let kinds = [libc::MADV_HUGEPAGE, libc::MADV_POPULATE_WRITE, libc::MADV_NOHUGEPAGE];
    for advice in kinds {
        let start = part.start().as_ptr().cast_const().cast();
        let entry = opcode::Madvise::new(start, Arena::PART_BYTES.cast_signed() as i64, advice).build();
        // SAFETY: `part` keeps the memory mapped, and none of the three changes its content.
        let (kept, _result) = unsafe { ring.run(entry, part) }.await;
        // If one fails there is no large page, or no memory: who touches it finds out.
        part = kept;
    }
}
