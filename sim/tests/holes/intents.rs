//! Intents: the backing is changed behind the content of the log, by every path, and the process ends.

use std::rc::Rc;

use block::{BlockDevice, Buffer, Host, Operation, PAGE, Unmap};
use cache::format::note::Intent;
use cache::{DiskSettings, Mode, SequentialCutoff};

use crate::rig::{ENDS, End, HELD, Life, P, REGION_PAGES, Rig, TORN, bytes_of, settings, story};

#[test]
fn a18_closing_an_intent_does_not_bring_back_what_the_index_had_dropped() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.write_around_what_is_cached().await;
                assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
                life.rest().await;
                assert!(rig.open_intents().is_empty(), "closed, and page 3 is only on the backing");
                assert!(rig.versions(P).iter().any(|version| version.byte == 1), "the log still has it");
                assert_eq!(rig.newest(P), None, "but says `forget`");
            });
            assert_eq!(rig.settles(&[P, P + 1]), [2, 1], "after {end:?}");
        });
    }
}

#[test]
fn a18_a_forget_outlives_the_segment_of_what_it_voids_and_no_longer_than_that_matters() {
    // The log wraps more than once, with the neighbours of the old version hot, and the end comes at any moment.
    for others in (0..200).step_by(17) {
        for end in ENDS {
            let rig = Rig::new(others);
            rig.live(end, async |life| {
                life.shorten_log();
                life.write_around_what_is_cached().await;
                life.rest().await;
                for _ in 0..others {
                    life.read_others(1).await;
                    life.see(P + 1).await;
                }
            });
            assert_eq!(rig.settles(&[P, P + 1]), [2, 1], "after {others} others and {end:?}");
        }
    }
}

#[test]
fn a19_what_a_backing_only_acknowledged_is_not_believed_from_flash_after_a_power_cut() {
    story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
            assert_eq!(rig.newest(P).unwrap().byte, 2, "flash has it, and the backing may lose it");
            assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
        });
        rig.settles_old_new_or_torn();
    });
}

#[test]
fn a19_a_region_is_closed_only_after_the_backing_was_flushed() {
    a_region_comes_to_rest_before_the_power_goes();
}

/// After a power cut, a write on flash that the backing only acknowledged is trusted if its region was closed.
pub(crate) fn a_region_comes_to_rest_before_the_power_goes() {
    story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
            life.rest().await;
            assert!(rig.open_intents().is_empty());
        });
        assert_eq!(rig.settles(&[P]), [2]);
    });
}

#[test]
fn a19_a_region_stays_open_when_the_backing_fails_the_flush() {
    story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
            rig.backing.fail_after(Operation::Flush, 0);
            life.rest().await;
            life.rest().await;
            assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
        });
        rig.settles_old_new_or_torn();
    });
}

#[test]
fn a19_what_an_earlier_process_wrote_without_intents_may_go_with_the_connection_until_it_is_flushed() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            // Without flash there are no intents.
            life.cache.give_up_flash();
            life.write(P, 2).await;
            assert!(rig.void.get() && rig.open_intents().is_empty());
        });
        rig.live(End::Stop, async |life| {
            rig.backing.fail_after(Operation::Flush, 0);
            assert_eq!(life.see(P).await, 2);
            rig.backing.lose_volatile();
            let seen = life.content(P).await;
            let mut home = vec![0; PAGE as usize];
            rig.backing.peek(P * PAGE, &mut home);
            assert!(seen == home, "what the backing lost is not shown from RAM, seed {}", rig.seed);
        });
    });
}

#[test]
fn a19_a_write_of_parts_of_pages_does_not_bring_back_what_the_backing_lost_meanwhile() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            let last = REGION_PAGES - 1;
            // The first flush of a process is over.
            life.loaded().await;
            life.host.sleep(HELD).await;
            life.write(last, 2).await;
            // RAM has the other half of the last page of an open region; the next region waits for its intent.
            let half = PAGE / 2;
            let disk = Rc::clone(&life.disk);
            let written = life.hold(&rig.flash, async move {
                let bytes = Buffer::copy_of(&vec![3; (half + PAGE) as usize]);
                disk.write(last * PAGE + half, bytes).await.1.unwrap();
            });
            let written = written.await;
            rig.backing.lose_volatile();
            life.see(P).await;
            life.host.sleep(10 * HELD).await;
            assert!(written.get());
            let seen = life.content(last).await;
            let mut home = vec![0; PAGE as usize];
            rig.backing.peek(last * PAGE, &mut home);
            assert!(seen == home, "RAM shows what the backing lost, seed {}", rig.seed);
        });
    });
}

#[test]
fn a19_nothing_goes_to_flash_before_the_backing_was_flushed() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(End::Kill, async |life| {
                life.cache_pages(0..8, 1).await;
                life.cache.give_up_flash();
                life.write(P, 2).await;
            });
            rig.live(end, async |life| {
                // Its first flush fails, and so does every later one.
                rig.backing.fail_after(Operation::Flush, 0);
                assert_eq!(life.see(P).await, 2);
                life.push_out().await;
                assert_eq!(life.counts().promotions, 0);
            });
            rig.live(End::Stop, async |life| {
                let seen = life.settled(&[P]).await;
                assert!([1, 2, TORN].contains(&seen[0]));
                life.push_out().await;
                assert!(life.counts().promotions > 0, "this one was flushed");
            });
        });
    }
}

#[test]
fn a20_what_a_start_did_not_believe_does_not_come_back_when_its_region_is_closed() {
    for ends in ENDS {
        story(|rig| {
            rig.live(End::PowerCut, async |life| {
                life.cache_pages(0..8, 1).await;
                life.write(P, 2).await;
                life.disk.flush().await.unwrap();
            });
            rig.live(ends, async |life| {
                life.loaded().await;
                assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
                life.rest().await;
                assert!(rig.open_intents().is_empty());
            });
            assert_eq!(rig.settles(&[P, P + 1]), [2, 1]);
        });
    }
}

#[test]
fn a20_what_was_filled_while_the_intent_was_open_goes_with_it() {
    story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
            // Another region is closed, so that the log is flushed while this one is busy.
            life.write(200, 9).await;
            for _ in 0..12 {
                life.host.sleep(6_000_000_000).await;
                life.write(P + 1, 1).await;
            }
            assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
            rig.backing.lose_volatile();
        });
        let kept = std::cell::Cell::new(0);
        rig.live(End::Kill, async |life| {
            life.loaded().await;
            kept.set(life.see(P).await);
            assert_eq!(kept.get(), rig.home(P));
            life.rest().await;
        });
        assert_eq!(rig.settles(&[P]), [kept.get()]);
    });
}

/// Paths on which a guest or an operator changes the backing, other than write-through.
#[derive(Clone, Copy, Debug)]
enum Road {
    Around,
    PassThrough,
    Sequential,
    Discard,
    Zeroes,
    PartOfAPage,
}

const ROADS: [Road; 6] =
    [Road::Around, Road::PassThrough, Road::Sequential, Road::Discard, Road::Zeroes, Road::PartOfAPage];

impl Road {
    /// Changes page 3.
    async fn take(self, life: &Life<'_>) {
        match self {
            Self::Around => {
                life.set_mode(Mode::WriteAround);
                life.write(P, 2).await;
            }
            Self::PassThrough => {
                life.set_mode(Mode::PassThrough);
                life.write(P, 2).await;
            }
            Self::Sequential => {
                life.change(DiskSettings { sequential_cutoff: SequentialCutoff::Bytes(4096), ..settings() });
                for pages in [200, 0] {
                    life.write_pages(pages..pages + 8, 2).await;
                }
            }
            Self::Discard => life.disk.discard(bytes_of(P..P + 1)).await.unwrap(),
            Self::Zeroes => life.disk.write_zeroes(bytes_of(P..P + 1), Unmap::Forbidden).await.unwrap(),
            Self::PartOfAPage => {
                for sector in 0..8 {
                    life.disk.write(P * PAGE + sector * 512, Buffer::copy_of(&[2; 512])).await.1.unwrap();
                }
            }
        }
    }

    fn leaves(self) -> u8 {
        if matches!(self, Self::Discard | Self::Zeroes) { 0 } else { 2 }
    }
}

#[test]
fn a21_every_road_to_the_backing_opens_an_intent_first() {
    for road in ROADS {
        for end in ENDS {
            story(|rig| {
                rig.live(end, async |life| {
                    life.cache_pages(0..8, 1).await;
                    road.take(life).await;
                    assert!(rig.open_intents().contains(&Intent::Region(0)), "{road:?}");
                    // So that a power cut leaves it.
                    life.disk.flush().await.unwrap();
                });
                assert_eq!(rig.settles(&[P]), [road.leaves()], "{road:?}, {end:?}");
            });
        }
    }
}

#[test]
fn a21_every_road_ends_halfway_and_what_was_read_once_stays() {
    for road in ROADS {
        for end in [End::Kill, End::PowerCut] {
            for wait in [0, HELD / 2, HELD, 3 * HELD / 2, 2 * HELD] {
                let rig = Rig::new(wait);
                rig.live(end, async |life| {
                    life.cache_pages(0..8, 1).await;
                    rig.backing.delay(HELD, HELD);
                    rig.flash.delay(HELD / 3, HELD / 2);
                    let taking = std::pin::pin!(road.take(life));
                    let waiting = std::pin::pin!(life.host.sleep(wait));
                    futures_util::future::select(taking, waiting).await;
                });
                rig.live(End::Stop, async |life| {
                    let seen = life.settled(&[P]).await;
                    assert!([1, road.leaves(), TORN].contains(&seen[0]), "{road:?}, {end:?} after {wait} ns");
                });
            }
        }
    }
}

#[test]
fn b22_a_second_writer_waits_for_the_intent_of_the_first() {
    story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            let before = rig.backing.counts().writes;
            let first = life.hold_write(&rig.flash, P, 2).await;
            let disk = Rc::clone(&life.disk);
            life.host.spawn(async move {
                drop(disk.write((P + 1) * PAGE, Buffer::copy_of(&[2; PAGE as usize])).await);
            });
            life.host.sleep(HELD / 10).await;
            assert_eq!(rig.backing.counts().writes, before, "nobody asked the backing yet");
            assert!(!first.get());
        });
        assert_eq!(rig.settles(&[P, P + 1]), [1, 1], "nothing was changed");
    });
}

#[test]
fn b22_a_write_that_comes_while_a_region_is_being_closed_opens_it_again() {
    for end in [End::Kill, End::PowerCut] {
        for moment in 0..16 {
            let rig = Rig::new(moment);
            rig.live(end, async |life| {
                life.write_around_what_is_cached().await;
                // Checks are five seconds apart; the second one closes the region, with both devices slow.
                for _ in 0..2000 {
                    if rig.open_intents().is_empty() {
                        break;
                    }
                    rig.flash.delay(HELD, HELD);
                    rig.backing.delay(HELD, HELD);
                    life.host.sleep(5_000_000).await;
                    if life.counts().regions_closed > 1 {
                        break;
                    }
                }
                life.host.sleep(moment * HELD / 4).await;
                life.write(P + 1, 3).await;
                assert_eq!(life.see(P + 1).await, 3);
                life.disk.flush().await.unwrap();
            });
            assert_eq!(rig.settles(&[P, P + 1]), [2, 3], "{end:?}, moment {moment}");
        }
    }
}

#[test]
fn b23_after_an_error_of_a_write_nothing_is_cached_whatever_lands_later() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.cache_pages(0..8, 1).await;
                life.fail_to_write().await;
                let bytes = life.content(P).await;
                assert!(bytes.iter().all(|byte| [1, 2].contains(byte)));
                life.push_out().await;
                life.rest().await;
                life.rest().await;
                assert_eq!(rig.open_intents(), [Intent::Region(0)].into(), "its outcome is never known");
                rig.backing.land_late();
            });
            rig.settles_old_new_or_torn();
        });
    }
}

#[test]
fn b23_a_write_that_hangs_past_the_end_of_its_process_lands_before_the_next_one() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            life.hold_write(&rig.backing, P, 2).await;
        });
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            let before = life.counts().read_hits_flash;
            let bytes = life.content(P).await;
            assert!(bytes.iter().all(|byte| [1, 2].contains(byte)), "old, new or torn");
            assert_eq!(life.counts().read_hits_flash, before, "never from flash");
            assert_eq!(life.see(P + 1).await, 1);
            assert_eq!(life.counts().read_hits_flash, before + 1, "its neighbour is");
        });
    });
}
