//! What simulation met: counts that a test holds against zero, so that a case that no seed reaches is noticed.

macro_rules! coverage {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What happened in a world, summed over worlds to see that every case was met.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Coverage { $($(#[$doc])* pub $name: u64,)* }

        impl Coverage {
            /// Every count with its name.
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
    /// Reads that RAM answered without anybody waiting.
    reads_at_hand,
    /// Pairs of reads that RAM answered together.
    reads_at_hand_together,
    /// Partial hits.
    partial_hits,
    /// Pages written to flash.
    promotions,
    /// Pages that the write budget kept from flash.
    promotions_held_back,
    /// Pages dropped from flash to make room.
    evictions,
    /// Segments reclaimed: the log came round.
    log_wraps,
    /// Pages appended again.
    reappends,
    /// Pages appended again before the turn of their segment.
    reappends_ahead,
    /// Segments reclaimed before older ones of their disk.
    reclaims_out_of_order,
    /// Cold pages appended again, because an older version could come back without them.
    shadowed_reappends,
    /// Fills thrown away because a write came in between.
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
    /// Power cuts just before which flash had rotted, with logs at rest.
    power_cuts_with_rot,
    /// Power cuts after changes that completed while a flush was in flight.
    power_cuts_after_overlaps,
    /// Power cuts after some idle minutes.
    power_cuts_after_idling,
    /// Many small ranges that were given up at once.
    trims,
    /// Disks that grew.
    growths,
    /// Devices of the pool that became larger.
    devices_grown,
    /// Devices of the pool that became smaller.
    devices_shrunk,
    /// Processes that ended while a device was being made smaller.
    shrinks_interrupted,
    /// Disks that were about to, and did not.
    growths_given_up,
    /// Changes of settings.
    reconfigurations,
    /// Disks whose content was loaded.
    loads,
    /// Pages that were cached again after a restart.
    pages_kept,
    /// Pages that were not, because they may have changed.
    pages_dropped,
    /// Disks of whose content nothing was believed.
    colds,
    /// Pools of whose content nothing was believed.
    pools_dropped,
    /// Regions that came to rest.
    regions_closed,
    /// Flash that was remembered as void, because it failed.
    voids,
    /// Processes that ended while content was being loaded.
    ends_while_loading,
    /// Processes that ended at any moment of their start.
    sudden_ends,
    /// Processes whose disks were on two shards.
    lives_on_two_shards,
    /// Flash devices that were added to a pool in use.
    devices_added,
    /// Flash devices that were taken out of one.
    devices_taken_out,
    /// Starts without one of the flash devices.
    starts_without_a_device,
    /// Writes that were acknowledged when flash had them.
    writes_back,
    /// Pages that destage brought home.
    destages,
    /// Pages that a guest replaced while destage had them.
    destages_superseded,
    /// Disks whose destage had requests under way when their process was killed or the power went.
    destages_interrupted,
    /// Older versions that were reclaimed while the newer one was dirty.
    superseded_reclaimed,
    /// Ranges of zeroes that were reclaimed, because nothing older is left that they stand for.
    zeroes_reclaimed,
    /// Disks whose writers were held back because much was dirty.
    throttled,
    /// Disks that were held without anything dirty for a while.
    quiesces,
    /// Evictions that failed, because something dirty did not come home.
    evictions_failed,
    /// Disks that stopped, because flash lost what their backing did not have.
    disks_stopped,
    /// Pools that were not opened because they may hold what no backing has.
    dirty_pools_refused,
    /// Starts that found something dirty.
    dirty_starts,
    /// Discards of free segments on flash.
    discards,
    /// Of these, in flight when their process ended.
    discards_cut,
    /// Of these, refused by the device.
    discards_failed,
    /// Mirrored pools of which a device failed or was away.
    mirrors_degraded,
    /// Mirrored pools of which a device rotted.
    mirrors_rotten,
    /// Mirrored pools that came to have two copies of everything.
    mirrors_whole,
    /// Backings that lost their connection and what no flush had covered.
    reconnects,
}
