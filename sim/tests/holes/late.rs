//! Destage write that the backing does not answer, and that lands late: newer writes wait for it, and not longer.

use block::{BlockDevice, Host, Operation};

use crate::guest::{Guest, judge, sectors};
use crate::rig::{End, Life, Rig};

const SECOND: u64 = 1_000_000_000;

/// Returns true if the older write landed late: the backing answers most writes that fail.
async fn destage_something_newer(life: &Life<'_>, guest: &Guest) -> bool {
    let backing = &life.rig.backing;
    life.write_back(24).await;
    guest.write(&life.disk, sectors(24..32)).await;
    backing.fail_after(Operation::Write, 0);
    life.disk.start_destage();
    life.host.sleep(SECOND / 2).await;
    let may_land = backing.handle(life.host.clone()).has_unanswered();
    guest.write(&life.disk, sectors(24..32)).await;
    // Writes elsewhere do not wait.
    guest.write(&life.disk, sectors(64..72)).await;
    life.host.sleep(5 * SECOND).await;
    if may_land {
        let statistics = life.disk.statistics();
        if life.is_dirty() {
            assert_eq!(statistics.dirty_bytes, 4096, "the rest went home");
            assert!(statistics.destage_failure.is_some(), "and it is said why this did not");
        }
        backing.land_late();
    }
    life.host.sleep(5 * SECOND).await;
    assert!(!life.is_dirty(), "nothing is in the way any more, and nobody wakes destage");
    assert!(life.disk.statistics().destage_failure.is_none());
    may_land
}

pub(crate) fn a_write_of_destage_lands_after_something_newer_was_written() {
    let mut late = 0;
    for seed in 0..24 {
        let (rig, guest) = (Rig::new(seed), Guest::new());
        rig.live(End::Stop, async |life| {
            late += u32::from(destage_something_newer(life, &guest).await);
        });
        guest.end(End::Stop);
        judge(&rig, &guest, &format!("seed {seed}"));
    }
    assert!(late > 0, "it never came to that");
}

#[test]
fn destage_waits_for_a_write_that_may_land_late_says_so_and_goes_on_by_itself() {
    a_write_of_destage_lands_after_something_newer_was_written();
}
