//! Holes of a first design, each as a scenario that shows it (a "story" in the code). Every scenario builds one exact schedule, ends a
//! process at its worst moment, and checks the reads of a guest afterwards: twice, and once more when nothing is cached.
//!
//! Names begin with the number of the damage in docs/dev/durability.md. Cases elsewhere or missing:
//!
//! | hole | |
//! |---|---|
//! | A2 fill outranks an acknowledged dirty write | among the races, and in random walks: the planted bug "stale fill" |
//! | A11 one number for all destaged data | ranges in the log; each destage of `dirty` |
//! | A14 destaged before the backing's flush | in random walks: the planted bug "home before flush" |
//! | A6 hole before a flushed batch | batches of a segment are written one after another |
//! | B17 re-append races with a write | among the races: `a_page_written_while_it_is_appended_again_keeps_the_write` |
//! | B24 overlapping guest writes | among the races |
//! | B27, B29 flush shares and failures | among the races |
//! | B28 flush over mixed roads | `back`, which changes modes between writes and flushes; random walks |
//! | A32, A34, B35, B36 mirrors | `two_copies`, and random walks of mirrored worlds (`sim/src/mirror.rs`); A32 on the real process: `daemon/tests/process/mirror_fails.rs` |
//! | C39 raw backings | in the daemon, which has the locks and dirty marks |
//! | C42 a write of a part of an absent page | none: it is an error while the backing is away, as docs/dev/durability.md states |
//! | destage-order | missing |
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod ahead;
mod apart;
mod back;
mod damage;
mod devices;
mod dirty;
mod discards;
mod growing;
mod guest;
mod intents;
mod late;
mod log;
mod on_flash;
mod operations;
mod out_of_order;
mod overlapping;
mod planted;
mod promises;
mod ranges;
mod recovery;
mod resizing;
mod rig;
mod rot;
mod space;
mod two_copies;
mod undurable;
mod unreadable;
