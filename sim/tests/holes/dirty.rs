//! Dirty data: a newer version that a power cut may remove, zeroes that replace older content, destage with concurrent changes.

use std::cell::Cell;

use block::faulty::Faults;
use block::{Host, Memory, PAGE};
use cache::{DiskId, DiskSettings, Mode, RecoveryContext};
use futures_util::future::join;

use crate::guest::{Guest, judge, sectors};
use crate::rig::{End, HELD, Life, PAGES, Rig, see, settings};

/// Sectors of page 3.
pub(crate) const P: std::ops::Range<u64> = 24..32;

/// Runs a scenario that ends at one operation after the other, until it completes. Returns their number. The effects of a crash differ with
/// `round`.
pub(crate) fn cut_everywhere(end: End, round: u64, story: &impl AsyncFn(&Life<'_>, &Guest, Fuse)) -> u64 {
    for operations in 1..600 {
        let (rig, guest) = (Rig::new(operations + 1000 * round), Guest::new());
        let told = rig.live_until(end, None, async |life| story(life, &guest, Fuse(operations)).await);
        guest.end(end);
        judge(&rig, &guest, &format!("{end:?} at operation {operations}"));
        if told {
            return operations;
        }
    }
    panic!("the story never comes to its end");
}

/// End of a scenario, counted from the point that the scenario chooses.
#[derive(Clone, Copy)]
pub(crate) struct Fuse(u64);

impl Fuse {
    pub(crate) fn light(self, rig: &Rig) {
        rig.light_fuse(self.0);
    }
}

/// A page was flushed long ago, and its newer version was not. The segment of the older one is reclaimed, because the disk gets a lower
/// limit, and is free once the table is written: for another disk, whose first segment closes none before that would be flushed. Returns
/// the number of operations of each round.
pub(crate) fn a_superseded_version_is_reclaimed() -> Vec<u64> {
    let tell = |round| {
        let other = Faults::new(Memory::new(PAGES * PAGE), 1);
        cut_everywhere(End::PowerCut, round, &async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
            life.write_back(24).await;
            guest.write(&life.disk, sectors(P)).await;
            guest.flush(&life.disk).await;
            life.read_others(110).await;
            let settings = DiskSettings { id: DiskId(2), ..settings() };
            let backing = other.reopen(life.host.clone());
            let second =
                life.cache.attach(settings, backing, RecoveryContext::none(PAGES * PAGE)).await.unwrap();
            guest.write(&life.disk, sectors(P)).await;
            let before = life.counts().reclaims;
            fuse.light(life.rig);
            life.write_back(16).await;
            life.host.sleep(HELD).await;
            assert!(life.counts().reclaims > before, "the oldest segments went");
            for page in 0..24 {
                see(&second, page).await;
            }
            life.host.sleep(HELD).await;
        })
    };
    (0..32).map(tell).collect()
}

#[test]
fn a3_an_old_version_is_not_reclaimed_before_the_newer_one_is_durable() {
    let operations = a_superseded_version_is_reclaimed();
    let expected = "the log is flushed, a table written and flushed, and a batch written";
    assert!(operations.iter().all(|count| *count == 5), "{expected}: {operations:?}");
}

/// A page was flushed and then zeroed, and the segments of both are reclaimed.
fn a_tombstone_goes_round(end: End, is_home: bool) {
    let operations = cut_everywhere(end, 0, &async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
        life.write_back(16).await;
        guest.write(&life.disk, sectors(P)).await;
        guest.flush(&life.disk).await;
        life.read_others(40).await;
        guest.zero(&life.disk, sectors(P)).await;
        guest.flush(&life.disk).await;
        if is_home {
            life.disk.start_destage();
            life.until_clean().await;
        }
        // Until the older one's segment is the next to be reclaimed.
        life.read_others(45).await;
        fuse.light(life.rig);
        let before = life.counts().reclaims;
        while life.counts().reclaims < before + 12 {
            life.read_others(6).await;
        }
    });
    assert!(operations > 40, "twelve segments were taken and freed: {operations}");
}

#[test]
fn a10_zeroes_outlive_what_they_stand_for_whatever_is_reclaimed() {
    for end in [End::Kill, End::PowerCut] {
        a_tombstone_goes_round(end, false);
        a_tombstone_goes_round(end, true);
    }
}

/// Change during the destage of a page.
#[derive(Clone, Copy, Debug)]
enum Between {
    Write,
    PartOfAPage,
    Discard,
    Bypass,
}

impl Between {
    const ALL: [Self; 4] = [Self::Write, Self::PartOfAPage, Self::Discard, Self::Bypass];

    async fn come(self, life: &Life<'_>, guest: &Guest) {
        match self {
            Self::Write => drop(guest.write(&life.disk, sectors(P)).await),
            Self::PartOfAPage => drop(guest.write(&life.disk, sectors(P.start + 3..P.start + 5)).await),
            Self::Discard => drop(guest.discard(&life.disk, sectors(P)).await),
            Self::Bypass => {
                life.set_mode(Mode::PassThrough);
                guest.write(&life.disk, sectors(P)).await;
            }
        }
    }
}

/// Destages a page, which is read from flash, and zeroes behind it, with a change after so many requests to devices. Returns true if
/// destage completed before.
async fn destage_with(life: &Life<'_>, guest: &Guest, between: Between, requests: u64, fuse: Fuse) -> bool {
    life.write_back(24).await;
    // Too little for destage to begin by itself.
    guest.write(&life.disk, sectors(P)).await;
    guest.zero(&life.disk, sectors(P.end..P.end + 16)).await;
    guest.flush(&life.disk).await;
    life.push_out().await;
    fuse.light(life.rig);
    life.disk.start_destage();
    let come = async {
        let before = life.rig.requests();
        while life.rig.requests() < before + requests && life.is_dirty() {
            life.host.sleep(500).await;
        }
        let is_over = !life.is_dirty();
        between.come(life, guest).await;
        // A change after the last check of destage would be left for long.
        life.disk.start_destage();
        is_over
    };
    let ((), is_over) = join(life.until_clean(), come).await;
    guest.flush(&life.disk).await;
    life.disk.start_destage();
    life.until_clean().await;
    is_over
}

/// Holds destage at each of its requests: read, write, flush of the backing, note appended, note flushed.
fn destage_is_held_everywhere(end: End, between: Between) -> u64 {
    let mut superseded = 0;
    for requests in 0..40 {
        let is_over = Cell::new(false);
        let operations =
            cut_everywhere(end, requests, &async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
                is_over.set(destage_with(life, guest, between, requests, fuse).await);
            });
        assert!(operations > 4, "destage writes, flushes and notes: {operations}");
        superseded += count_superseded(between, requests);
        if is_over.get() {
            assert!(requests > 3, "destage was held nowhere");
            return superseded;
        }
    }
    panic!("destage is never over");
}

/// Returns the number of pages that were replaced during their destage, in a run without an end.
fn count_superseded(between: Between, requests: u64) -> u64 {
    let (rig, guest, superseded) = (Rig::new(requests), Guest::new(), Cell::new(0));
    rig.live(End::Stop, async |life| {
        destage_with(life, &guest, between, requests, Fuse(u64::MAX / 2)).await;
        superseded.set(life.counts().destages_superseded);
    });
    judge(&rig, &guest, &format!("{between:?} after {requests} requests"));
    superseded.get()
}

#[test]
fn a12_a13_a15_whatever_comes_while_destage_is_at_work_is_neither_lost_nor_overwritten() {
    for between in Between::ALL {
        for end in [End::Kill, End::PowerCut] {
            let superseded = destage_is_held_everywhere(end, between);
            // A write that bypasses the cache waits until the destage of its page is over; others do not.
            assert_eq!(superseded == 0, matches!(between, Between::Bypass), "{between:?}: {superseded}");
        }
    }
}
