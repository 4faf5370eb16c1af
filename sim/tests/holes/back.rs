//! Write-back as one scenario, cut at every single write, flush and discard of flash and backing, one after the other, until it completes;
//! and the start after it, cut in turn.

use block::Host;
use cache::{DiskSettings, Mode};
use futures_util::future::join_all;

use crate::guest::{Guest, judge, sectors};
use crate::rig::{End, Life, Rig, SEGMENT, settings};

/// State that each part of the scenario leaves to the next one.
struct Telling<'a> {
    life: &'a Life<'a>,
    guest: &'a Guest,
}

/// Returns settings with a low dirty limit, with which the log wraps soon.
fn small(mode: Mode) -> DiskSettings {
    DiskSettings { mode, limit_bytes: 16 * SEGMENT, dirty_limit_bytes: Some(16 * 4096), ..settings() }
}

impl Telling<'_> {
    /// Writes whole pages, several at once, and parts of pages, each over something else.
    async fn write_and_overwrite(&self) {
        let Self { life, guest } = self;
        guest.write(&life.disk, sectors(0..48)).await;
        guest.write(&life.disk, sectors(9..11)).await;
        guest.flush(&life.disk).await;
        // They arrive together, and share a batch.
        let writes = [16..32, 30..34, 64..72].map(|range| guest.write(&life.disk, sectors(range)));
        assert_eq!(join_all(writes).await, [true; 3]);
    }

    /// Zeroes and discards dirty data, missing data, and parts of pages.
    async fn zero_and_discard(&self) {
        let Self { life, guest } = self;
        guest.zero(&life.disk, sectors(4..20)).await;
        guest.discard(&life.disk, sectors(40..48)).await;
        guest.zero(&life.disk, sectors(160..240)).await;
        guest.flush(&life.disk).await;
        guest.write(&life.disk, sectors(176..184)).await;
    }

    /// Wraps the log: dirty pages are appended again, and superseded ones are dropped.
    async fn go_round(&self) {
        let before = self.life.counts();
        while self.life.counts().reclaims < before.reclaims + 4 {
            self.life.read_others(7).await;
        }
        self.guest.flush(&self.life.disk).await;
    }

    /// Destages, with concurrent writes.
    async fn destage(&self) {
        let Self { life, guest } = self;
        guest.write(&life.disk, sectors(0..8)).await;
        life.disk.start_destage();
        life.host.sleep(1500).await;
        guest.write(&life.disk, sectors(2..6)).await;
        guest.discard(&life.disk, sectors(16..24)).await;
        life.until_clean().await;
        guest.flush(&life.disk).await;
    }

    /// Changes from write-back to write-through and back: dirty pages are overwritten meanwhile.
    async fn change_modes(&self) {
        let Self { life, guest } = self;
        guest.write(&life.disk, sectors(0..24)).await;
        life.change(small(Mode::WriteThrough));
        guest.write(&life.disk, sectors(4..12)).await;
        guest.zero(&life.disk, sectors(80..96)).await;
        guest.flush(&life.disk).await;
        life.until_clean().await;
        life.change(small(Mode::WriteBack));
        guest.write(&life.disk, sectors(8..16)).await;
        guest.flush(&life.disk).await;
    }
}

/// Runs the scenario and ends it at the given operation. Returns true if it completed before.
fn tell(rig: &Rig, guest: &Guest, end: End, operations: u64) -> bool {
    let told = rig.live_until(end, None, async |life| {
        life.change(small(Mode::WriteBack));
        rig.mode.set(Mode::WriteBack);
        // The log is about to wrap, and holds a page that the scenario writes.
        life.read_others(80).await;
        rig.light_fuse(operations);
        let telling = Telling { life, guest };
        telling.write_and_overwrite().await;
        telling.zero_and_discard().await;
        telling.go_round().await;
        telling.destage().await;
        telling.change_modes().await;
        life.disk.evict().await.unwrap();
    });
    guest.end(end);
    told
}

#[test]
fn write_back_is_killed_at_every_operation_and_keeps_what_it_promised() {
    end_at_every_operation(End::Kill);
}

#[test]
fn write_back_loses_power_at_every_operation_and_keeps_what_it_promised() {
    a_power_cut_at_every_operation();
}

pub(crate) fn a_power_cut_at_every_operation() {
    end_at_every_operation(End::PowerCut);
}

fn end_at_every_operation(end: End) {
    let told = (1..1000).find(|operations| {
        let (rig, guest) = (Rig::new(*operations), Guest::new());
        let told = tell(&rig, &guest, end, *operations);
        judge(&rig, &guest, &format!("{end:?} at operation {operations}"));
        told
    });
    assert!(told.is_some_and(|operations| operations > 100), "the story is longer, and ends: {told:?}");
}

#[test]
fn the_start_after_it_is_cut_at_every_operation_too_and_finds_the_same() {
    use End::{Kill, PowerCut};
    for (at, ends) in (1..).zip([[Kill, Kill], [Kill, PowerCut], [PowerCut, Kill], [PowerCut, PowerCut]]) {
        let mut starts = 0;
        // Not every end of the scenario for every cut of a start: they take turns.
        for operations in (at..).step_by(9) {
            let mut told = false;
            for cut in 1.. {
                let (rig, guest) = (Rig::new(operations), Guest::new());
                told = tell(&rig, &guest, ends[0], operations);
                let started = cut_start(&rig, &guest, ends[1], cut);
                judge(&rig, &guest, &format!("{ends:?} at {operations} and {cut}"));
                starts += 1;
                if started {
                    break;
                }
            }
            if told {
                break;
            }
        }
        println!("{ends:?}: {starts} starts");
        assert!(starts > 200, "a start writes superblock, notes, summary and table: {starts}");
    }
}

/// Runs a start and the destage after it, and ends them at the given operation. Returns true if they completed before.
fn cut_start(rig: &Rig, guest: &Guest, end: End, operations: u64) -> bool {
    let started = rig.live_until(end, Some(operations), async |life| {
        life.loaded().await;
        life.disk.start_destage();
        life.host.sleep(50_000).await;
    });
    guest.end(end);
    started
}
