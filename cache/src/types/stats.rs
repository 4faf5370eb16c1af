//! Counters of a disk and of the pool: plain cells that operations add to, and the snapshots that readers get.
//!
//! Reading them takes constant time in the size of the cache and waits for nothing.

use std::cell::Cell;

use block::ErrorKind;

use super::histograms::{Histograms, Requests};
use super::latency::{Latencies, LatencyCounts};

macro_rules! counters {
    ($(#[$outer:meta])* $cells:ident => $values:ident { $($(#[doc = $doc:literal])+ $name:ident,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Default)]
        pub struct $cells { $($(#[doc = $doc])+ pub $name: Cell<u64>,)* }

        /// A snapshot of the counters of the same name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $values { $($(#[doc = $doc])+ pub $name: u64,)* }

        impl $cells {
            /// Returns all counters as they stand.
            pub fn snapshot(&self) -> $values {
                $values { $($name: self.$name.get(),)* }
            }

            /// Adds earlier counts.
            pub fn add(&self, earlier: &$values) {
                $(count(&self.$name, earlier.$name);)*
            }
        }

        impl $values {
            /// Returns every counter with its name, in the order of the documentation.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }

            /// Returns every counter's name with its description: a sentence.
            pub fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
                [$((stringify!($name), concat!($($doc),+).trim_ascii()),)*].into_iter()
            }

            /// Returns the counters whose names `count` knows.
            pub fn from_names(count: impl Fn(&str) -> u64) -> Self {
                Self { $($name: count(stringify!($name)),)* }
            }

            /// Adds other counts.
            pub fn add(&mut self, more: &Self) {
                $(self.$name += more.$name;)*
            }

            /// Returns the difference to `earlier`, which is an earlier snapshot of the same.
            #[must_use]
            pub fn since(&self, earlier: &Self) -> Self {
                Self { $($name: self.$name.saturating_sub(earlier.$name),)* }
            }
        }
    };
}

counters! {
    /// Counters of one disk since it was attached, from shard to shard. `reads` is the sum of the five ways in which a read can end.
    DiskCounters => DiskCounts {
        /// Read requests answered.
        reads,
        /// Write requests, write-zeroes included.
        writes,
        /// Flushes.
        flushes,
        /// Discards.
        discards,
        /// Bytes that reads asked for.
        read_bytes,
        /// Bytes that writes brought.
        write_bytes,
        /// Seconds in which a read or a write was answered.
        active_seconds,
        /// Reads answered from RAM alone.
        read_hits_ram,
        /// Reads answered from flash, or from flash and RAM, and those of `reads_balanced`.
        read_hits_flash,
        /// Of these, reads of clean blocks on flash that the backing answered because it was faster.
        reads_balanced,
        /// Reads of which a part was cached; they count as misses.
        read_partial_hits,
        /// Reads of which nothing was cached.
        read_misses,
        /// Reads that went past the cache: pass-through, sequential runs, ranges that must not be cached.
        reads_bypassed,
        /// Writes whose pages were all cached before.
        write_hits,
        /// Writes whose pages were not all cached before.
        write_misses,
        /// Writes that did not enter the cache.
        writes_bypassed,
        /// Writes that were acknowledged when flash had them; they count as hits or misses too.
        writes_back,
        /// Bytes of pages that guests had flash acknowledge.
        write_back_bytes,
        /// Pages that destage wrote to the backing.
        destages,
        /// Pages that were written to the backing for nothing, because a guest replaced them meanwhile.
        destages_superseded,
        /// Bytes that destage wrote to the backing.
        destage_bytes,
        /// Nanoseconds that writers were held back, because much was dirty.
        throttled_ns,
        /// Pages written to flash because they earned it.
        promotions,
        /// Pages that RAM does not pass on to flash: they had not earned it, or the write budget held them back.
        rejections,
        /// Of these, pages that had earned flash and were held back by the write budget.
        promotions_held_back,
        /// Pages that left RAM before it was decided whether flash takes them: they came faster than it writes.
        fills_dropped,
        /// Blocks' pages dropped from flash to make room.
        evictions,
        /// Pages appended again when their segment was reclaimed, or was about to be.
        reappends,
        /// Of these, pages appended again before the turn of their segment, with what survived of another one.
        reappends_ahead,
        /// Segments reclaimed before older ones of their disk, because that was cheaper.
        reclaims_out_of_order,
        /// Cold pages appended again, because an older version in the log could come back without them.
        shadowed_reappends,
        /// Versions of pages that went with their segment, while the newer one that a guest wrote is not on the backing.
        superseded_reclaimed,
        /// Ranges of zeroes that went with their segment, because the backing has them, or something newer.
        zeroes_reclaimed,
        /// Segments reclaimed.
        reclaims,
        /// Fills thrown away because a write to their range came in between.
        fills_discarded,
        /// Writes that waited for an overlapping request.
        overlaps_serialised,
        /// Regions that an intent was written for before they were changed.
        regions_opened,
        /// Regions that came to rest: a power cut costs nothing of them.
        regions_closed,
        /// Bytes read from flash.
        flash_read_bytes,
        /// Bytes written to flash, headers, summaries and second copies included.
        flash_write_bytes,
        /// Requests sent to the backing to read.
        backing_reads,
        /// Requests sent to the backing to write.
        backing_writes,
        /// Bytes read from the backing.
        backing_read_bytes,
        /// Bytes written to the backing.
        backing_write_bytes,
        /// Pages whose content failed its checksum; they were read from the backing instead.
        checksum_errors,
        /// Reads and writes that flash failed.
        flash_errors,
        /// Requests that the backing failed.
        backing_errors,
    }
}

/// Progress of loading previously cached content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LoadProgress {
    /// It is being loaded; reads are answered from the backing meanwhile.
    #[default]
    Running,
    /// It is loaded, or there was none.
    Done,
    /// None of it is trusted, and why.
    Cold(String),
}

/// Outcome for content that was cached before the disk was attached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadStatistics {
    /// Progress.
    pub state: LoadProgress,
    /// Pages that are cached again.
    pub pages_kept: u64,
    /// Pages that were cached and may have changed since: written when the process was killed, or in regions that were
    /// open when the power went.
    pub pages_dropped: u64,
    /// Pages that were compared with the backing.
    pub pages_compared: u64,
    /// Duration in microseconds.
    pub took_us: u64,
}

/// Returns `part` of `whole`; none if there is no whole.
#[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts stay far below 2^52")]
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Adds to a counter.
pub fn count(cell: &Cell<u64>, amount: u64) {
    cell.set(cell.get() + amount);
}

/// Class of requests that a latency belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// A read answered from RAM.
    ReadHitRam,
    /// A read answered from flash.
    ReadHitFlash,
    /// Any other read.
    ReadMiss,
    /// A write.
    Write,
    /// A flush.
    Flush,
    /// A request to the backing by destage.
    Destage,
}

impl Latency {
    /// All of them with the names that users see.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::ReadHitRam, "read_hit_ram"),
        (Self::ReadHitFlash, "read_hit_flash"),
        (Self::ReadMiss, "read_miss"),
        (Self::Write, "write"),
        (Self::Flush, "flush"),
        (Self::Destage, "destage"),
    ];
}

/// Counters and latencies of a disk, on its way to another shard.
#[derive(Clone, Debug)]
pub struct Tally {
    counts: DiskCounts,
    latencies: [LatencyCounts; Latency::ALL.len()],
    histograms: Histograms,
}

impl Tally {
    pub(crate) fn of(counters: &DiskCounters, latencies: &Latencies, requests: &Requests) -> Self {
        Self {
            counts: counters.snapshot(),
            latencies: latencies.snapshot(),
            histograms: requests.snapshot(latencies),
        }
    }

    pub(crate) fn add_to(&self, counters: &DiskCounters, latencies: &Latencies, requests: &Requests) {
        counters.add(&self.counts);
        latencies.add(&self.latencies, &self.histograms.latencies);
        requests.add(&self.histograms);
    }
}

/// The dirty limit of a disk, in effect and as it is wanted, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtyRoom {
    /// The most that may be dirty.
    pub limit_bytes: u64,
    /// The limit that was set, or that follows from the pool.
    pub wanted_bytes: u64,
    /// Reason why the first is less than the second.
    pub bound: DirtyBound,
    /// Flash that the disk gets regardless of other disks, with the segments for the limit in effect.
    pub reserve_bytes: u64,
    /// The reservation that the wanted limit takes.
    pub reserve_bytes_wanted: u64,
}

/// The reason for which less may be dirty than is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DirtyBound {
    /// There is none.
    #[default]
    Nothing,
    /// The reservation, which is fixed.
    Reserve,
    /// The most flash that the disk may have.
    Limit,
    /// The flash of the pool that is not reserved.
    Pool,
    /// The redo ring, of which half is to take everything that is dirty.
    Ring,
}

/// State of a disk: its counters and its content. Sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskStatistics {
    /// The counters.
    pub counts: DiskCounts,
    /// Full hits of all reads; none without reads.
    pub hit_ratio: Option<f64>,
    /// Content on flash.
    pub cached_bytes: u64,
    /// Flash that the disk's segments take, headers, holes and summaries included.
    pub flash_bytes: u64,
    /// Content in RAM.
    pub ram_bytes: u64,
    /// The most that the disk may have cached: flash up to its limit, and its RAM.
    pub cache_bytes_max: u64,
    /// The hit ratio that half of that would have, as lately used; none without reads.
    pub hit_ratio_at_half: Option<f64>,
    /// The same of twice as much.
    pub hit_ratio_at_double: Option<f64>,
    /// Content on flash that the backing does not have.
    pub dirty_bytes: u64,
    /// Zeroes that the backing does not have.
    pub dirty_zeroes_bytes: u64,
    /// The most that may be dirty.
    pub dirty_limit_bytes: u64,
    /// The dirty limit in effect, the wanted one, and what bounds it.
    pub dirty_room: DirtyRoom,
    /// Lost pages, damaged while they were dirty.
    pub lost_bytes: u64,
    /// True if dirty data is on two devices, or is to be.
    pub mirrored: bool,
    /// Segments of a mirrored disk that lack a second copy: writes of guests there do not survive the loss of a device.
    pub segments_uncopied: u64,
    /// Recent rate of destage while it was at work, in bytes a second; 0 if nothing is dirty.
    pub destage_bytes_per_second: u64,
    /// Time for which something has been dirty without a break, in seconds.
    pub dirty_for_seconds: u64,
    /// Reason why destage fails, if it does.
    pub destage_failure: Option<DestageFailure>,
    /// Reason why the disk stopped, if it did: it answers nothing but errors.
    pub stopped: Option<String>,
    /// Blocks that fit into the disk's limit.
    pub blocks_max: u64,
    /// Blocks of which at least one page is on flash.
    pub blocks_cached: u64,
    /// RAM that the index takes, checksums included.
    pub index_bytes: u64,
    /// Outcome for content that was cached before the disk was attached.
    pub load: LoadStatistics,
    /// Latencies, in the order of [`Latency::ALL`].
    pub latencies: [LatencyCounts; Latency::ALL.len()],
    /// Histograms of requests.
    pub histograms: Box<Histograms>,
}

/// Reason why destage writes less than it should, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestageFailure {
    /// Duration of the failure, in seconds.
    pub for_seconds: u64,
    /// Kind of the last error.
    pub kind: ErrorKind,
    /// The last error, in words.
    pub reason: String,
}

/// State of the pool. Sizes in bytes.
#[allow(clippy::struct_excessive_bools, reason = "each says something of its own")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolStatistics {
    /// Identity of the pool, 32 hexadecimal digits.
    pub id: String,
    /// Size that it uses of its devices together.
    pub size_bytes: u64,
    /// Size of a segment.
    pub segment_bytes: u64,
    /// Segments in all.
    pub segments: u64,
    /// Segments that belong to no disk.
    pub segments_free: u64,
    /// Size that disks can use together.
    pub usable_bytes: u64,
    /// Size that is promised to disks.
    pub reserved_bytes: u64,
    /// Size of that which is promised to disks that are not attached.
    pub absent_reserved_bytes: u64,
    /// Disks attached.
    pub disks: u64,
    /// True once all of the flash failed; disks go on without it.
    pub failed: bool,
    /// True while its storage has no room for a write, which waits.
    pub lacks_space: bool,
    /// True if two of its devices are large enough for two copies of things.
    pub can_mirror: bool,
    /// True if notes about regions stand on two devices.
    pub notes_mirrored: bool,
    /// Segments of mirrored disks that lack a second copy.
    pub segments_uncopied: u64,
    /// The devices that belong to the pool, and those that failed and still had something of a disk.
    pub devices: Vec<DeviceStatistics>,
}

/// State of one device of the pool. Sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceStatistics {
    /// Its number in the pool; never used again.
    pub number: u32,
    /// Size that the pool uses of it.
    pub size_bytes: u64,
    /// Segments in all.
    pub segments: u64,
    /// Segments that belong to no disk.
    pub segments_free: u64,
    /// False once it is known that it does not discard, or it refused a discard.
    pub discards: bool,
    /// Everything that was written to it since the pool was opened, or the device added: batches, summaries, second copies,
    /// notes, tables and superblocks. Discards write nothing.
    pub written_bytes: u64,
    /// State of its write budget, if there is one.
    pub budget: Option<BudgetStatistics>,
    /// Progress of becoming smaller, if it is being made so.
    pub shrinking: Option<ShrinkStatistics>,
    /// State of use.
    pub state: DeviceState,
}

/// Progress of a device that becomes smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShrinkStatistics {
    /// Size that the pool is to use of it, in bytes.
    pub size_bytes: u64,
    /// Segments that it is to have.
    pub segments: u64,
    /// Segments behind its new end that are still in use.
    pub segments_left: u64,
}

/// Bounds for the size of a device, in the present state of the pool. Sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeBounds {
    /// The least that the pool can do with.
    pub least_bytes: u64,
    /// The most that the pool can use.
    pub most_bytes: u64,
}

/// State of the write budget of a device at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetStatistics {
    /// Budget in bytes a day.
    pub bytes_a_day: u64,
    /// Degree to which spending is ahead of the budget: 0 not at all, 1 by all that may be spent ahead.
    pub pressure: f32,
    /// The share of promotions that is let in, from 0 to 1.
    pub share: f32,
}

/// State of use of a device of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// It is.
    Used,
    /// It failed, and leaves the pool.
    Failed,
    /// It is being taken out.
    Leaving,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_the_names_of_their_fields() {
        let counters = DiskCounters::default();
        count(&counters.read_hits_ram, 3);
        let snapshot = counters.snapshot();
        assert!(snapshot.named().any(|entry| entry == ("read_hits_ram", 3)));
        assert!(DiskCounts::described().any(|entry| entry == ("flushes", "Flushes.")));
    }

    #[test]
    fn counters_are_added_and_subtracted_one_by_one() {
        let early = DiskCounts { reads: 3, writes: 5, ..DiskCounts::default() };
        let mut all = early;
        all.add(&DiskCounts { reads: 4, flushes: 1, ..DiskCounts::default() });
        assert_eq!(all, DiskCounts { reads: 7, writes: 5, flushes: 1, ..DiskCounts::default() });
        assert_eq!(all.since(&early), DiskCounts { reads: 4, flushes: 1, ..DiskCounts::default() });
        let names: Vec<(&str, u64)> = all.named().collect();
        let count =
            |wanted: &str| names.iter().find(|(name, _)| *name == wanted).map_or(0, |(_, count)| *count);
        assert_eq!(DiskCounts::from_names(count), all);
    }

    #[test]
    fn a_tally_is_added_to_what_was_counted_meanwhile() {
        let (before, after) = (DiskCounters::default(), DiskCounters::default());
        let (slow, fast) = (Latencies::default(), Latencies::default());
        let (requests, more) = (Requests::default(), Requests::default());
        count(&before.reads, 3);
        count(&after.reads, 4);
        slow.record(Latency::Write, 9_000_000);
        fast.record(Latency::Write, 1_000);
        requests.reads.succeed(512);
        Tally::of(&before, &slow, &requests).add_to(&after, &fast, &more);
        assert_eq!(after.snapshot(), DiskCounts { reads: 7, ..DiskCounts::default() });
        let summary = fast.snapshot()[Latency::Write as usize].summary();
        assert!(summary.count == 2 && summary.max > 8_000.0, "{summary:?}");
        let histograms = more.snapshot(&fast);
        assert_eq!(histograms.reads.size.count(), 1);
        assert_eq!(histograms.latencies[Latency::Write as usize].count(), 2);
    }
}
