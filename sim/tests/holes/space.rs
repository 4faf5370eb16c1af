//! Flash whose storage has no room for a while: a full file system, a thin volume, a quota. It fails nothing and loses nothing; each of its
//! writes leaves some of its sectors, and the process may end at any moment, during and after.

use std::cell::Cell;
use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Host, PAGE};
use cache::Mode;

use crate::rig::{End, Life, P, Rig, TORN, story};

/// Longer than guests wait for room, in nanoseconds.
const TOO_LONG: u64 = 25_000_000_000;
/// Longer than the interval at which a write is repeated, in nanoseconds.
const REPEATED: u64 = 600_000_000;

type Ended = Rc<Cell<Option<Result<(), BlockError>>>>;

/// Writes 1 to page 3, flushed and not destaged, and makes flash full.
async fn fill_up_with_something_dirty(life: &Life<'_>) {
    life.write_back(24).await;
    life.write(3, 1).await;
    life.disk.flush().await.unwrap();
    life.rig.flash.fill_up();
}

/// Starts a write of a page, whose end is not awaited.
fn start_writing(life: &Life<'_>, page: u64, byte: u8) -> Ended {
    let (disk, ended) = (Rc::clone(&life.disk), Ended::default());
    let outcome = Rc::clone(&ended);
    life.host.spawn(async move {
        let content = Buffer::copy_of(&[byte; PAGE as usize]);
        outcome.set(Some(disk.write(page * PAGE, content).await.1));
    });
    ended
}

fn kind_of(ended: Option<Result<(), BlockError>>) -> Option<ErrorKind> {
    ended.and_then(Result::err).map(|error| error.kind)
}

#[test]
fn a_write_that_finds_no_room_waits_and_is_kept_once_there_is() {
    for end in [End::Stop, End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                fill_up_with_something_dirty(life).await;
                let written = start_writing(life, 4, 2);
                life.host.sleep(REPEATED * 5).await;
                assert_eq!(written.take(), None, "it waits, seed {}", rig.seed);
                assert!(life.cache.pool_statistics().lacks_space);
                assert_eq!(life.see(3).await, 1, "what is on flash is read");
                rig.flash.make_room();
                life.host.sleep(REPEATED).await;
                assert_eq!(written.take(), Some(Ok(())), "seed {}", rig.seed);
                assert!(!life.cache.pool_statistics().lacks_space);
                life.write(5, 3).await;
                life.disk.flush().await.unwrap();
            });
            rig.live(End::Stop, async |life| assert_eq!(life.settled_home(&[3, 4, 5]).await, [1, 2, 3]));
        });
    }
}

#[test]
fn a_guest_waits_for_room_for_a_limited_time_and_its_disk_goes_on_once_there_is() {
    for end in [End::Stop, End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                fill_up_with_something_dirty(life).await;
                let written = start_writing(life, 4, 2);
                life.host.sleep(TOO_LONG).await;
                assert_eq!(kind_of(written.take()), Some(ErrorKind::NoSpace), "seed {}", rig.seed);
                // Later ones fail at once, also of the same page.
                for page in [4, 5] {
                    let refused = start_writing(life, page, 7);
                    life.host.sleep(1_000).await;
                    assert_eq!(kind_of(refused.take()), Some(ErrorKind::NoSpace), "seed {}", rig.seed);
                }
                assert_eq!(life.disk.statistics().stopped, None);
                assert_eq!(life.see(3).await, 1);
                rig.flash.make_room();
                life.host.sleep(REPEATED).await;
                life.write(4, 3).await;
                life.disk.flush().await.unwrap();
            });
            // A write that failed for a guest never overwrites its later ones.
            rig.live(End::Stop, async |life| assert_eq!(life.settled_home(&[3, 4, 5]).await, [1, 3, 0]));
        });
    }
}

#[test]
fn a_crash_while_flash_has_no_room_keeps_what_was_flushed() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                fill_up_with_something_dirty(life).await;
                drop(start_writing(life, 3, 2));
                drop(start_writing(life, 4, 2));
                life.host.sleep(REPEATED * 3).await;
            });
            rig.flash.make_room();
            rig.live(End::Stop, async |life| {
                let seen = life.settled_home(&[3, 4]).await;
                assert!(
                    [1, 2].contains(&seen[0]) && [0, 2].contains(&seen[1]),
                    "{seen:?}, seed {}",
                    rig.seed
                );
            });
        });
    }
}

#[test]
fn a_crash_at_each_write_after_flash_had_no_room_keeps_what_was_acknowledged() {
    for end in [End::Kill, End::PowerCut] {
        for fuse in 1..24 {
            let rig = Rig::new(fuse);
            let flushed = Cell::new(0);
            rig.live_until(end, None, async |life| {
                fill_up_with_something_dirty(life).await;
                let written = start_writing(life, 4, 2);
                life.host.sleep(REPEATED * 3).await;
                rig.flash.make_room();
                life.host.sleep(REPEATED).await;
                assert_eq!(written.take(), Some(Ok(())));
                life.disk.flush().await.unwrap();
                rig.light_fuse(fuse);
                for page in 10..20 {
                    life.write(page, 5).await;
                    life.disk.flush().await.unwrap();
                    flushed.set(page);
                }
            });
            rig.live(End::Stop, async |life| {
                assert_eq!(life.settled_home(&[3, 4]).await, [1, 2], "fuse {fuse}");
                for page in 10..=flushed.get() {
                    assert_eq!(life.see(page).await, 5, "page {page}, fuse {fuse}");
                }
            });
        }
    }
}

#[test]
fn a_disk_in_write_through_goes_on_without_flash_that_has_no_room() {
    for end in [End::Stop, End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(if end == End::Stop { End::Kill } else { end }, async |life| {
                life.cache_pages(0..8, 1).await;
                rig.flash.fill_up();
                let written = start_writing(life, P, 2);
                life.host.sleep(TOO_LONG).await;
                assert_eq!(written.take(), Some(Ok(())), "seed {}", rig.seed);
                assert!(rig.void.get(), "what flash holds of the page is old");
                assert_eq!(life.see(P).await, 2);
                // The next one does not wait any more.
                let written = start_writing(life, P + 1, 3);
                life.host.sleep(1_000).await;
                assert_eq!(written.take(), Some(Ok(())));
                life.disk.flush().await.unwrap();
            });
            rig.flash.make_room();
            assert_eq!(rig.settles(&[P, P + 1]), [2, 3]);
        });
    }
}

#[test]
fn a_mirrored_pool_goes_on_without_a_device_that_has_no_room() {
    for seed in 0..8 {
        let rig = Rig::mirrored(seed);
        rig.live(End::Kill, async |life| {
            let number = life.cache.add_device(rig.second.handle(life.host.clone())).await.unwrap();
            life.cache.use_device(number).unwrap();
            life.set_mode(Mode::WriteThrough);
            life.write_back(24).await;
            life.write(3, 1).await;
            life.disk.flush().await.unwrap();
            rig.second.fill_up();
            let written = start_writing(life, 4, 2);
            life.host.sleep(TOO_LONG).await;
            assert_eq!(written.take(), Some(Ok(())), "the other device has it, seed {seed}");
            life.disk.flush().await.unwrap();
            assert_eq!((life.see(3).await, life.see(4).await), (1, 2));
        });
        rig.second.make_room();
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            assert_eq!((life.see(3).await, life.see(4).await), (1, 2), "seed {seed}");
        });
    }
}

impl Life<'_> {
    /// Returns the content of these pages once everything is destaged, as [`Life::settled`] does.
    async fn settled_home(&self, pages: &[u64]) -> Vec<u8> {
        self.loaded().await;
        let before: Vec<u8> = {
            let mut seen = Vec::new();
            for page in pages {
                seen.push(self.see(*page).await);
            }
            seen
        };
        self.disk.start_destage();
        self.until_clean().await;
        let after = self.settled(pages).await;
        assert!(before == after && !after.contains(&TORN), "seed {}", self.rig.seed);
        after
    }
}
