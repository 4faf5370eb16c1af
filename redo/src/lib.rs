//! The redo ring of consistent write-back: groups of changes on the storage of a backing, ahead of destage.
//!
//! Destage by address leaves a backing that loses its cache a mix of old and new. With a ring, everything that became dirty up to an instant T
//! is written to the ring as one group, before destage brings any of it to the backing. If the flash of the host is lost, the groups of the
//! ring are applied to the backing in order, and it holds the disk as of the T of the last one, as after a power cut at that moment.
//!
//! ```text
//! ring:   | directory | directory, again | group | group | group | (free) |
//!         `-------- 16 KiB each --------'`---- in order, circular ----'
//! group:  | table | pages | table, again |        table: what changed, and a checksum of each page
//! ```
//! **A group counts once both copies of the directory name it**, durably: its pages and tables are flushed before the first copy is written,
//! and the first copy before the second. So a power cut damages one copy of the directory at most, and a group that counts was whole: what is
//! unreadable of it later is damage, not an end. The caller destages nothing of a group before it counts, and uses the room of a group
//! only once both copies of the directory no longer name it.
//!
//! **Rings of one consistency set** hold their disks as of one instant: a group counts only if all of them have theirs (`set.rs`).
//!
//! The crate makes no system call, and reads no clock. Sizes are bytes unless they are named pages, of 4096 bytes.
//!
//! Source of the write-ahead rule: Gray and Reuter, "Transaction Processing: Concepts and Techniques", 1993. A cache that writes back
//! groups as of one instant to a remote disk: LSVD (Hajkazemi and others, 2022), though without a ring.

mod canary;
mod directory;
mod recover;
mod recover_set;
mod replay;
mod ring;
mod set;
mod table;

pub use canary::Bug;
#[cfg(debug_assertions)]
pub use canary::plant;
pub use directory::{CutSummary, RingId, RingOwner, SetId, is_ring};
pub use recover::{Recovery, recover, verify};
pub use recover_set::{MemberRecovery, SetCompleteness, SetError, SetRecovery, recover_set, verify_set};
pub use replay::{Replay, replay};
pub use ring::{GroupContent, GroupSummary, RedoRing, RingError, content_pages_of, smallest_bytes};
pub use set::resolve_pending;
pub use table::Change;
