//! Arenas in large pages, which a thread of the kernel's finds room for and makes zero.

use io_uring::opcode;

use super::{IfDropped, Keep, Ring};
use crate::Arena;
use crate::arena::LargePages;

impl Keep for Arena {
    const IF_DROPPED: IfDropped = IfDropped::Finish;
}

/// An arena that is in memory. It is a large page if there is one, and if administrators let programs ask for them.
pub(super) async fn in_a_large_page(ring: Ring) -> Arena {
    if !ring.is_recent() {
        return Arena::zeroed();
    }
    let mut arena = Arena::zeroed();
    arena.advise(LargePages::Wanted);
    let (start, length) = (arena.as_mut_ptr(), Arena::BYTES.cast_signed() as i64);
    let entry = opcode::Madvise::new(start.cast(), length, libc::MADV_POPULATE_WRITE).build();
    // SAFETY: `arena` owns all of it, and what it holds stays as it is.
    let (arena, result) = unsafe { ring.run(entry, arena) }.await;
    if result < 0 {
        // Whoever touched this one might have to wait for a large page.
        return Arena::zeroed();
    }
    arena.advise(LargePages::AsTheyAre);
    arena
}
