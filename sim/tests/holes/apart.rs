//! The log of a disk is on one device and the notes of the pool are on another one: in a power cut they lose data independently.

use block::Host;
use block::faulty::SurvivingWrites;
use cache::types::units::{DiskId, SegmentOwner};
use cache::{DiskSettings, LoadProgress, Redundancy};

use crate::guest::{Guest, judge, sectors};
use crate::rig::{End, HELD, Life, Rig};

/// Sectors that the guest writes.
const WRITTEN: std::ops::Range<u64> = 0..8;
/// Time in nanoseconds after which a log is idle.
const RESTED: u64 = 300_000_000;

/// Returns the number of segments of the first device.
fn first_segments(life: &Life<'_>) -> u64 {
    life.cache.pool_statistics().devices[0].segments
}

/// Returns true if the log of the disk continues on the second device.
fn is_on_second(life: &Life<'_>) -> bool {
    let last = life.rig.segments_of(DiskId(1)).pop();
    last.is_some_and(|(segment, _)| u64::from(segment.0) >= first_segments(life))
}

async fn destage_all(life: &Life<'_>) {
    life.disk.start_destage();
    life.until_clean().await;
}

/// Adds the second device, and lets the guest write until the log there records the destage of its last write.
async fn destage_with_log_on_second(life: &Life<'_>, guest: &Guest) {
    let rig = life.rig;
    life.write_back(24).await;
    life.change(DiskSettings { redundancy: Redundancy::None, ..life.disk.settings() });
    let number = life.cache.add_device(rig.second.handle(life.host.clone())).await.unwrap();
    life.cache.use_device(number).unwrap();
    for page in 100..400 {
        life.write(page, 1).await;
        if is_on_second(life) {
            // The commit must have nothing to make durable afterwards.
            destage_all(life).await;
            life.host.sleep(RESTED).await;
            guest.write(&life.disk, sectors(WRITTEN)).await;
            destage_all(life).await;
            if is_on_second(life) {
                return;
            }
        }
    }
    panic!("never on the second device, seed {}", rig.seed);
}

/// Everything is destaged, a minute passes, and flash marks the disk as clean. The log entries of its pages are on the second device, which
/// loses unflushed data. A guest writes while the disk is loaded.
pub(crate) fn a_disk_is_noted_clean_before_the_power_goes() {
    for (seed, kept) in (0..16).zip([SurvivingWrites::Nothing, SurvivingWrites::ByChance].iter().cycle()) {
        let (rig, guest) = (Rig::apart(seed), Guest::new());
        rig.kept.set([SurvivingWrites::Everything, *kept, SurvivingWrites::Nothing]);
        rig.live(End::PowerCut, async |life| {
            destage_with_log_on_second(life, &guest).await;
            let notes = rig.segments_of(SegmentOwner::Notes);
            let on_first = notes.iter().all(|(segment, _)| u64::from(segment.0) < first_segments(life));
            assert!(on_first && !rig.open_intents().is_empty(), "something is noted as dirty: {notes:?}");
            life.rest().await;
            assert!(rig.open_intents().is_empty(), "nothing is dirty any more");
        });
        guest.end(End::PowerCut);
        rig.live(End::Kill, async |life| {
            rig.second.delay(10 * HELD, 10 * HELD);
            guest.write(&life.disk, sectors(WRITTEN)).await;
            assert_eq!(
                life.disk.statistics().load.state,
                LoadProgress::Running,
                "written while it is loaded"
            );
            rig.second.delay(0, 0);
            life.loaded().await;
            let seen = guest.read(&life.disk).await;
            seen.unwrap_or_else(|what| panic!("{kept:?} kept, seed {seed}: {what}"));
        });
        guest.end(End::Kill);
        judge(&rig, &guest, &format!("{kept:?} kept"));
    }
}

#[test]
fn a_disk_is_noted_clean_only_when_the_log_durably_says_what_was_destaged() {
    a_disk_is_noted_clean_before_the_power_goes();
}
