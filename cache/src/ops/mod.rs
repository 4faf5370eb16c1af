//! Operations: one file for each path of data.
//!
//! | operation | from | to |
//! |---|---|---|
//! | `read` | RAM, flash, backing | guest; a miss enters RAM before the read returns |
//! | `cached_reads` | RAM | guest, without waiting, several reads together |
//! | `cached_copy` | RAM, flash | a backing that lost a page |
//! | `write` | guest | backing, then RAM, then it is acknowledged |
//! | `mutation` | any change of the backing but destage | the frame around it: hidden pages, durable intents |
//! | `zeroes` | guest (write-zeroes, discard) | backing, or the log |
//! | `write_back` | guest | the log, by way of `commit`, slowed down by `throttle` |
//! | `back` | dirty data | notes and superblock, before it is; holders that keep the disk clean |
//! | `destage` | the log | backing, at the pace that `pace` sets |
//! | `consistent`, `backing_group` | the log | the redo ring, or the backing, in groups |
//! | `destage_wait` | nothing | waits for destage, with a deadline |
//! | `extents` | backing, and dirty set | guest that copies only data |
//! | `flush` | guest | the log and the backing |
//! | `grow` | the page that the end of the disk cuts | backing; nothing of it stays cached |
//! | `promote` | RAM | flash |
//! | `load` | flash | index: what was cached before the process began |
//! | `learned_state` | what was learned of a disk | bytes, and back once it is attached again |
//! | `lost` | flash that gives back no dirty page | the log, which says so |
//! | `close_intents` | regions that nothing changes any more | notes on flash |
//! | `reclaim`, `out_of_order`, `ahead`, `survivors`, `range_tombstones` | flash | flash again, or nowhere |
//! | `leave` | a device that failed or is taken out | nowhere, or the copy on another device |
//! | `second_copies` | flash that has lost its second copy | another device |
//! | `settle_log` | the end of a log whose device failed | the others, without that device, if nothing dirty is missed |
//! | `reconnect` | backing | content that may be newer than the backing is dropped |
//! | `invalidate` | flash | nowhere, durably |
//!
//! All share one [`disk_cache::DiskCache`], the cached data of one disk, and can be [forgotten](mod@forget). They meet only there. Those
//! that need its backing as well take a [`ctx::Ctx`].

mod ahead;
pub(crate) mod back;
mod backing_group;
pub(crate) mod cached_copy;
pub(crate) mod cached_reads;
pub(crate) mod close_intents;
pub(crate) mod commit;
mod commit_queue;
pub(crate) mod consistency_set;
pub(crate) mod consistent;
pub(crate) mod consistent_state;
mod covering;
pub(crate) mod ctx;
mod destage;
mod destage_state;
mod destage_wait;
pub(crate) mod disk_cache;
pub(crate) mod disks;
pub(crate) mod extents;
mod flash_run;
pub(crate) mod flush;
pub(crate) mod flush_gate;
mod forget;
mod group_content;
pub(crate) mod grow;
pub(crate) mod invalidate;
mod kept_versions;
pub(crate) mod learned_state;
pub(crate) mod leave;
pub(crate) mod load;
mod lost;
pub(crate) mod mutation;
mod out_of_order;
pub(crate) mod pace;
pub(crate) mod pause;
mod pause_state;
pub(crate) mod promote;
mod range_tombstones;
pub(crate) mod read;
pub(crate) mod reclaim;
pub(crate) mod reconnect;
mod ring_promise;
mod ring_replay;
pub(crate) mod second_copies;
pub(crate) mod set_link;
mod settle_log;
mod survivors;
#[cfg(test)]
mod testing;
mod throttle;
pub(crate) mod vacate;
mod versions;
pub(crate) mod write;
mod write_back;
mod write_back_state;
pub(crate) mod zeroes;
