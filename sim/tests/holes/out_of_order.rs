//! Segments that are reclaimed before older ones of their disk: no older version may thereby become current.
//!
//! ```text
//!   A  page 3 holds 1          its neighbours are hot
//!   B  page 3 holds 2          nothing else of B is indexed any more, so B is the cheapest
//! ```
//! The region was closed with no `forget` for the page, because the log has the backing's content. If B is reclaimed, and A stays, the next
//! start trusts 1.

use block::faulty::Faults;
use block::{ByteRange, Host, Memory, PAGE};
use cache::format::batch::EntryKind;
use cache::{Admission, DiskId, DiskSettings, RecoveryContext};

use crate::rig::{End, HELD, Life, P, PAGES, Rig, SEGMENT, see, settings};

/// Fate of the copy in B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Newer {
    /// It is not used any more.
    IsCold,
    /// It rots, and a guest's read detects that.
    IsDamaged,
}

/// Numbers of runs with the expected outcome.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    out_of_order: u64,
    shadowed: u64,
}

/// Two versions of a page are in the log, and another disk needs room, whose first segments make only the content of the table durable.
async fn go_round(life: &Life<'_>, newer: Newer, operations: u64) -> Met {
    let rig = life.rig;
    life.cache_pages(0..8, 1).await;
    life.write(P, 2).await;
    life.push_out().await;
    life.rest().await;
    let b = rig.newest(P).filter(|version| version.byte == 2).unwrap();
    for (_, _, entries) in rig.batches((b.segment, b.generation)) {
        for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Fill && entry.page.0 != P) {
            life.write(entry.page.0, 3).await;
        }
    }
    life.read_others(130).await;
    life.rest().await;
    // Most of the rest is warm.
    let others = (PAGES / 2..PAGES / 2 + 180).filter(|page| page % 3 > 0);
    let warm: Vec<u64> = (0..P).chain(P + 1..8).chain(others).collect();
    for page in warm.iter().chain(&warm) {
        life.see(*page).await;
    }
    if newer == Newer::IsDamaged {
        rig.flash.rot(&ByteRange::at(b.data_at, PAGE), 1);
        assert_eq!(life.see(P).await, 2);
    }
    let other = Faults::new(Memory::new(PAGES * PAGE), 1);
    let settings = DiskSettings { id: DiskId(2), limit_bytes: 20 * SEGMENT, ..settings() };
    let backing = other.reopen(life.host.clone());
    let second = life.cache.attach(settings, backing, RecoveryContext::none(PAGES * PAGE)).await.unwrap();
    // Nothing is promoted before its backing was flushed.
    life.rest().await;
    rig.light_fuse(operations);
    let before = life.counts();
    for page in 0..160 {
        see(&second, page).await;
        life.host.sleep(20_000).await;
    }
    life.host.sleep(HELD).await;
    let after = life.counts();
    Met {
        out_of_order: after.reclaims_out_of_order - before.reclaims_out_of_order,
        shadowed: after.shadowed_reappends - before.shadowed_reappends,
    }
}

/// Ends the scenario at one operation after the other. A guest then reads its last write of the page.
fn cut_everywhere(newer: Newer, end: End) -> Met {
    let mut met = Met::default();
    for operations in 1..1500 {
        let rig = Rig::new(operations);
        rig.settings.set(DiskSettings { admission: Admission::Adaptive, block_bytes: 4096, ..settings() });
        let told = rig.live_until(end, None, async |life| {
            let now = go_round(life, newer, operations).await;
            met.out_of_order += now.out_of_order;
            met.shadowed += now.shadowed;
        });
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            for page in [P, P + 1] {
                let (seen, legal) = (life.see(page).await, rig.home(page));
                assert!(
                    seen == legal,
                    "{newer:?}, {end:?} at operation {operations}: page {page} holds {seen}, legal are [{legal}]"
                );
            }
        });
        if told {
            return met;
        }
    }
    panic!("the story never comes to its end");
}

/// A cold page whose older version is in the log is appended again, durably, before its segment goes.
pub(crate) fn a_cold_page_with_a_shadow() {
    for end in [End::Kill, End::PowerCut] {
        let met = cut_everywhere(Newer::IsCold, end);
        assert!(met.out_of_order > 0 && met.shadowed > 0, "{end:?}: {met:?}");
    }
}

/// A damaged copy keeps its segment where it is, as long as there is an older version.
pub(crate) fn a_damaged_page_with_a_shadow() {
    for end in [End::Kill, End::PowerCut] {
        cut_everywhere(Newer::IsDamaged, end);
    }
}

#[test]
fn a1_a_cold_page_does_not_go_out_of_order_before_an_older_version_of_it() {
    a_cold_page_with_a_shadow();
}

#[test]
fn a1_what_turned_out_damaged_does_not_go_out_of_order_before_an_older_version_of_it() {
    a_damaged_page_with_a_shadow();
}
