//! Coverage of simulation: a test checks that no count is zero, so that a case which no seed reaches is noticed.

macro_rules! coverage {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts of events in a world, added up over worlds to check that every case occurred.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Coverage { $($(#[$doc])* pub $name: u64,)* }

        impl Coverage {
            /// Returns every count with its name.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }

            /// Adds another world's counts.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

coverage! {
    /// Operations that clients finished.
    operations,
    /// Full hits.
    hits,
    /// Reads that RAM answered without waiting.
    reads_at_hand,
    /// Pairs of reads that RAM answered together.
    reads_at_hand_together,
    /// Partial hits.
    partial_hits,
    /// Reads of clean blocks on flash that the backing answered.
    reads_balanced,
    /// Pages written to flash.
    promotions,
    /// Pages that the write budget kept from flash.
    promotions_held_back,
    /// Changes of the flash that disks are to have.
    targets_changed,
    /// Pages dropped from flash to make room.
    evictions,
    /// Segments reclaimed: the log wrapped.
    log_wraps,
    /// Pages appended again.
    reappends,
    /// Pages appended again before their segment was reclaimed.
    reappends_ahead,
    /// Segments reclaimed before older ones of their disk.
    reclaims_out_of_order,
    /// Cold pages appended again, because an older version would be found without them.
    shadowed_reappends,
    /// Fills discarded because a write intervened.
    fills_discarded,
    /// Mutations that waited for an overlapping one.
    overlaps_serialised,
    /// Backing reads that failed while a fill depended on them.
    faults_during_fill,
    /// Writes that failed.
    writes_failed,
    /// Pages whose checksum failed.
    checksum_errors,
    /// Worlds whose flash failed.
    flash_failures,
    /// Processes killed.
    kills,
    /// Power cuts.
    power_cuts,
    /// Power cuts right after flash had rotted, with idle logs.
    power_cuts_with_rot,
    /// Power cuts after changes that completed while a flush was in flight.
    power_cuts_after_overlaps,
    /// Power cuts after some idle minutes.
    power_cuts_after_idling,
    /// Discards of many small ranges at once.
    trims,
    /// Disks that grew.
    growths,
    /// Devices of the pool that became larger.
    devices_grown,
    /// Devices of the pool that became smaller.
    devices_shrunk,
    /// Processes that ended while a device was being made smaller.
    shrinks_interrupted,
    /// Growths of disks that were prepared and cancelled.
    growths_given_up,
    /// Changes of settings.
    reconfigurations,
    /// Disks whose content was loaded.
    loads,
    /// Pages that were cached again after a restart.
    pages_kept,
    /// Pages that were dropped, because they may have changed.
    pages_dropped,
    /// Disks whose cached content was not trusted.
    colds,
    /// Pools whose content was not trusted.
    pools_dropped,
    /// Regions that were closed.
    regions_closed,
    /// Flash content that was recorded as invalid, because flash failed.
    voids,
    /// Processes that ended during loading.
    ends_while_loading,
    /// Processes that ended at some moment of their start.
    sudden_ends,
    /// Processes whose disks were on two shards.
    lives_on_two_shards,
    /// Flash devices that were added to a pool in use.
    devices_added,
    /// Flash devices that were removed from one.
    devices_taken_out,
    /// Starts without one of the flash devices.
    starts_without_a_device,
    /// Writes that were acknowledged from flash.
    writes_back,
    /// Pages that were destaged.
    destages,
    /// Pages that a guest replaced during their destage.
    destages_superseded,
    /// Disks with destage requests in flight when their process was killed or the power failed.
    destages_interrupted,
    /// Older versions that were reclaimed while the newer one was dirty.
    superseded_reclaimed,
    /// Range tombstones of zeroes that were reclaimed, because no older version is left below them.
    zeroes_reclaimed,
    /// Disks whose writers were throttled.
    throttled,
    /// Disks that were quiesced for a while.
    quiesces,
    /// Evictions that failed, because dirty data could not be destaged.
    evictions_failed,
    /// Disks that stopped, because flash lost dirty data.
    disks_stopped,
    /// Pools that were not opened because they may have dirty data.
    dirty_pools_refused,
    /// Starts that found dirty data.
    dirty_starts,
    /// Discards of free segments on flash.
    discards,
    /// Discards of these in flight when their process ended.
    discards_cut,
    /// Discards of these that the device refused.
    discards_failed,
    /// Mirrored pools of which a device failed or was missing.
    mirrors_degraded,
    /// Mirrored pools of which a device rotted.
    mirrors_rotten,
    /// Mirrored pools that got two copies of everything.
    mirrors_whole,
    /// Backings that lost their connection and their unflushed data.
    reconnects,
}
