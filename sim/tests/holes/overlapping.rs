//! Requests that overlap: a change completes while a flush is in flight, and changes of the same pages run at once.

use std::cell::Cell;
use std::rc::Rc;

use block::faulty::SurvivingWrites;
use block::{ByteRange, Host};
use cache::Mode;
use futures_util::future::join;

use crate::guest::{Guest, judge, sectors};
use crate::rig::{End, HELD, Life, Rig};

/// Change that completes while a flush is in flight.
#[derive(Clone, Copy, Debug)]
enum Change {
    Write,
    PartOfAPage,
    Zeroes,
    Discard,
}

impl Change {
    const ALL: [Self; 4] = [Self::Write, Self::PartOfAPage, Self::Zeroes, Self::Discard];

    async fn make(self, guest: &Guest, life: &Life<'_>) {
        let done = match self {
            Self::Write => guest.write(&life.disk, sectors(24..32)).await,
            Self::PartOfAPage => guest.write(&life.disk, sectors(27..29)).await,
            Self::Zeroes => guest.zero(&life.disk, sectors(24..32)).await,
            Self::Discard => guest.discard(&life.disk, sectors(24..32)).await,
        };
        assert!(done);
    }
}

/// Time at which the second flush arrives.
#[derive(Clone, Copy, Debug)]
enum Second {
    WhileTheFirstRuns,
    AfterIt,
}

/// Starts a guest's flush that flash holds.
async fn hold_flush(life: &Life<'_>, guest: &Rc<Guest>) -> Rc<Cell<bool>> {
    let (guest, disk) = (Rc::clone(guest), Rc::clone(&life.disk));
    life.hold(&life.rig.flash, async move { guest.flush(&disk).await }).await
}

async fn overlap(life: &Life<'_>, guest: &Rc<Guest>, change: Change, second: Second) {
    life.write_back(24).await;
    // Too little for destage to begin by itself.
    guest.write(&life.disk, sectors(24..32)).await;
    let first = hold_flush(life, guest).await;
    change.make(guest, life).await;
    assert!(!first.get(), "the change completes while the flush runs");
    if matches!(second, Second::AfterIt) {
        life.host.sleep(2 * HELD).await;
        assert!(first.get());
    }
    guest.flush(&life.disk).await;
    assert!(!life.disk.is_destaging() && life.is_dirty(), "nothing but the flush makes the log durable");
}

pub(crate) fn a_change_completes_while_a_flush_is_in_flight() {
    for change in Change::ALL {
        for second in [Second::WhileTheFirstRuns, Second::AfterIt] {
            for (seed, kept) in (0..12).zip(
                [SurvivingWrites::Nothing, SurvivingWrites::ByChance, SurvivingWrites::Everything]
                    .iter()
                    .cycle(),
            ) {
                let (rig, guest) = (Rig::new(seed), Rc::new(Guest::new()));
                rig.kept.set([*kept; 3]);
                rig.live(End::PowerCut, async |life| overlap(life, &guest, change, second).await);
                guest.end(End::PowerCut);
                judge(&rig, &guest, &format!("{change:?} and a flush {second:?}, {kept:?} kept"));
            }
        }
    }
}

#[test]
fn a_flush_covers_what_completed_while_an_earlier_one_was_in_flight_and_the_earlier_one_does_not() {
    a_change_completes_while_a_flush_is_in_flight();
}

/// Returns pairs of changes that share a page, and the first of which takes longer.
fn pairs() -> [[ByteRange; 2]; 4] {
    [
        [sectors(24..26), sectors(28..30)],
        [sectors(24..32), sectors(24..32)],
        [sectors(20..28), sectors(26..42)],
        [sectors(8..64), sectors(31..33)],
    ]
}

pub(crate) fn changes_of_one_page_overlap() {
    for mode in [Mode::WriteBack, Mode::WriteThrough, Mode::WriteAround] {
        for [first, second] in pairs() {
            for end in [End::Stop, End::Kill] {
                for seed in 0..4 {
                    let (rig, guest) = (Rig::new(seed), Guest::new());
                    guest.find(&rig, sectors(0..64));
                    rig.live(end, async |life| {
                        life.write_back(24).await;
                        life.set_mode(mode);
                        rig.mode.set(mode);
                        rig.backing.delay(HELD, HELD);
                        let slow = guest.write(&life.disk, first);
                        let fast = async {
                            life.host.sleep(HELD / 10).await;
                            rig.backing.delay(0, 0);
                            guest.write(&life.disk, second).await
                        };
                        assert_eq!(join(slow, fast).await, (true, true));
                        drop(guest.read(&life.disk).await.unwrap_or_else(|what| panic!("{mode:?}: {what}")));
                    });
                    guest.end(end);
                    judge(&rig, &guest, &format!("{mode:?}, {first:?} and {second:?}, {end:?}"));
                }
            }
        }
    }
}

#[test]
fn b24_changes_that_share_a_page_take_effect_one_after_another_in_every_mode() {
    changes_of_one_page_overlap();
}
