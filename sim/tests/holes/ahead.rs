//! Survivors of the next segments are copied along with those of a victim: nothing else may be written to their places before they are
//! appended.
//!
//! ```text
//!   reclaim            pages of the next segments are read, and one of these reads takes long
//!   the disk is evicted, and a guest rewrites all its pages: the same pages get the same places
//!   the read ends      its pages are appended again
//! ```
//! Place and checksum decide whether a page is still current. Both versions have the same checksum here, so only the hold on the segments
//! keeps the old one from being appended behind the new one, in the index and at the next start.

use std::cell::Cell;
use std::rc::Rc;

use block::faulty::Faults;
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::format::checksum::page_checksum;
use cache::{Admission, DiskId, DiskSettings, RecoveryContext};

use crate::rig::{End, HELD, Life, PAGES, Rig, SEGMENT, see, settings};

/// Number of cached pages. Each third is used again, so that some of each segment survives.
const CACHED: u64 = 150;
/// Times of a request to flash, and of the one that is held, in nanoseconds.
const SHORT: u64 = 1000;
const LONG: u64 = 100_000_000;
/// Number of the read of reclaim that is held, and number of other pages written to flash before the rewritten ones: some of these counts
/// put one of the pages back into exactly its old place.
const HELD_READS: std::ops::Range<u64> = 31..38;
const OTHERS: std::ops::Range<u64> = 4..17;

/// Action while a read is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    Nothing,
    /// The disk is evicted, so many other pages are cached, and all its pages are rewritten.
    WrittenAnew(u64),
}

/// Result of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    /// Pages that were copied ahead before the read was held, and later.
    before: u64,
    after: u64,
    /// The disk was not evicted before the read had ended: its segments were held.
    waited: bool,
}

fn first() -> Vec<u8> {
    vec![1; PAGE as usize]
}

/// Returns another content with the same checksum: a multiple of the polynomial of CRC-32C is added.
fn second() -> Vec<u8> {
    const POLYNOMIAL: u64 = 1 | 0x82f6_3b78 << 1;
    let mut bytes = first();
    bytes.iter_mut().zip(POLYNOMIAL.to_le_bytes()).for_each(|(byte, other)| *byte ^= other);
    bytes
}

async fn write(life: &Life<'_>, page: u64, bytes: &[u8]) {
    life.disk.write(page * PAGE, Buffer::copy_of(bytes)).await.1.unwrap();
}

/// Writes the first version of all pages to flash, with some warm ones, and makes another disk need room.
async fn make_room(life: &Life<'_>, is_over: &Rc<Cell<bool>>) {
    for page in 0..CACHED {
        write(life, page, &first()).await;
    }
    // Nothing is promoted before its backing was flushed.
    life.rest().await;
    for page in 0..CACHED {
        life.see(page).await;
        life.host.sleep(HELD / 10).await;
    }
    life.push_out().await;
    for page in (0..CACHED).step_by(3).chain((0..CACHED).step_by(3)) {
        life.see(page).await;
    }
    let other = Faults::new(Memory::new(PAGES * PAGE), 1);
    let settings = DiskSettings { id: DiskId(2), limit_bytes: 20 * SEGMENT, ..settings() };
    let backing = other.reopen(life.host.clone());
    let neighbour = life.cache.attach(settings, backing, RecoveryContext::none(PAGES * PAGE)).await.unwrap();
    life.rest().await;
    life.rig.flash.delay(SHORT, SHORT);
    let (is_over, host) = (Rc::clone(is_over), life.host.clone());
    life.host.spawn(async move {
        for page in 0..160 {
            if is_over.get() {
                break;
            }
            see(&neighbour, page).await;
            host.sleep(20 * SHORT).await;
        }
        is_over.set(true);
    });
}

/// Delays the flash read that follows so many others. Returns false if none follows at once.
async fn hold_read(life: &Life<'_>, reads: u64, is_over: &Cell<bool>) -> bool {
    let flash = &life.rig.flash;
    let until = flash.counts().reads + reads;
    while flash.counts().reads < until && !is_over.get() {
        life.host.sleep(SHORT / 10).await;
    }
    flash.delay(LONG, LONG);
    for _ in 0..20 {
        if flash.counts().reads <= until {
            life.host.sleep(SHORT / 10).await;
        }
    }
    flash.delay(SHORT, SHORT);
    is_over.set(true);
    flash.counts().reads == until + 1
}

/// Evicts the disk and rewrites all cached pages, in their order on flash. The result is set once the disk is evicted.
async fn write_anew(life: &Life<'_>, others: u64) -> Rc<Cell<bool>> {
    let place = |page: &u64| life.rig.newest(*page).map(|version| version.data_at);
    let mut pages: Vec<u64> = (0..CACHED).filter(|page| place(page).is_some()).collect();
    pages.sort_by_key(place);
    let (disk, evicted) = (Rc::clone(&life.disk), Rc::new(Cell::new(false)));
    let done = Rc::clone(&evicted);
    life.host.spawn(async move {
        disk.evict().await.unwrap();
        done.set(true);
    });
    // Segments that the read does not use are evicted and discarded.
    life.host.sleep(200 * SHORT).await;
    for page in PAGES / 2..PAGES / 2 + others {
        life.see(page).await;
        life.host.sleep(20 * SHORT).await;
    }
    for page in pages {
        write(life, page, &second()).await;
        life.host.sleep(20 * SHORT).await;
    }
    evicted
}

/// Checks that a guest reads its last write of each page.
async fn judge(life: &Life<'_>, what: &str) {
    for page in 0..CACHED {
        let mut legal = vec![0; PAGE as usize];
        life.rig.backing.peek(page * PAGE, &mut legal);
        let seen = life.content(page).await;
        let (start, legal_start) = (&seen[..5], &legal[..5]);
        assert!(seen == legal, "{what}: page {page} holds {start:?}.., legal are [{legal_start:?}..]");
    }
}

/// Runs the scenario once; returns none if no read was held.
fn tell(read: u64, meanwhile: Meanwhile) -> Option<Met> {
    let rig = Rig::new(1);
    rig.settings.set(DiskSettings { admission: Admission::Adaptive, block_bytes: 4096, ..settings() });
    let what = format!("read {read} held, {meanwhile:?}");
    let mut met = None;
    rig.live(End::Kill, async |life| {
        let is_over = Rc::default();
        make_room(life, &is_over).await;
        if !hold_read(life, read, &is_over).await {
            return;
        }
        let (held_at, before) = (life.host.now(), life.counts().reappends_ahead);
        let evicted = match meanwhile {
            Meanwhile::Nothing => Rc::new(Cell::new(true)),
            Meanwhile::WrittenAnew(others) => write_anew(life, others).await,
        };
        assert!(life.host.now() - held_at < LONG, "the read is still held");
        let waited = !evicted.get();
        life.host.sleep(2 * LONG).await;
        assert!(evicted.get(), "{what}: what was held is let go");
        met = Some(Met { before, after: life.counts().reappends_ahead, waited });
        // Pages in RAM would hide those on flash.
        life.push_out().await;
        judge(life, &what).await;
    });
    rig.live(End::Stop, async |life| {
        life.loaded().await;
        judge(life, &format!("{what}, after a restart")).await;
    });
    met
}

/// All pages are rewritten while others are being copied from the next segments.
pub(crate) fn all_is_written_anew_while_pages_go_ahead() {
    assert_eq!(page_checksum(&second()), page_checksum(&first()));
    let (mut ahead, mut waited) = (0, 0);
    for read in HELD_READS {
        // Undisturbed, they are appended.
        let alone = tell(read, Meanwhile::Nothing);
        ahead += u32::from(alone.is_some_and(|met| met.after > met.before));
        for others in OTHERS {
            let met = tell(read, Meanwhile::WrittenAnew(others));
            waited += u32::from(met.is_some_and(|met| met.waited && met.after == met.before));
        }
    }
    assert!(ahead > 0, "no page went ahead");
    assert!(waited > 0, "nothing was held");
}

#[test]
fn what_goes_ahead_is_not_an_older_version_of_what_came_to_its_place() {
    all_is_written_anew_while_pages_go_ahead();
}
