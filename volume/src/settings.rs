//! Settings of an open volume.

/// Settings of an open volume.
#[derive(Clone, Copy, Debug)]
pub struct VolumeSettings {
    /// Bytes of changes that become one object, about.
    pub object_bytes: u64,
    /// Objects on their way to the store at once.
    pub puts_at_once: usize,
    /// Time between looks for another host at rest, in nanoseconds.
    pub look_ns: u64,
    /// Bytes of headers behind the newest checkpoint after which one is made, at least; more for a large map.
    pub checkpoint_bytes: u64,
    /// Part of the pages in the store that is live below which cleaning moves what is live, in hundredths.
    pub clean_below: u64,
    /// Objects above which small ones are joined, and above which more for each that would be full.
    pub objects_min: u64,
    /// Bytes of RAM for the index of a volume that deduplicates; none: it does not while it is open.
    pub index_bytes: u64,
    /// Bytes of RAM for what is read ahead of reads that follow each other, at most; with 0 nothing is.
    pub read_ahead_bytes: u64,
    /// Returns the time in nanoseconds since 1970.
    pub wall_time: fn() -> u64,
}

impl Default for VolumeSettings {
    fn default() -> Self {
        Self {
            object_bytes: 8 << 20,
            puts_at_once: 4,
            look_ns: 5_000_000_000,
            checkpoint_bytes: 4 << 20,
            clean_below: 75,
            objects_min: 64,
            index_bytes: 64 << 20,
            read_ahead_bytes: 8 << 20,
            wall_time: || 0,
        }
    }
}
