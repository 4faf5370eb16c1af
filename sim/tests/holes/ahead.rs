//! What survives of segments that go next is copied along with what survives of a victim: nothing else may come to its places before
//! it is appended.
//!
//! ```text
//!   a segment goes     pages of others that go next are read, and one of these reads takes long
//!   the disk is evicted, and a guest writes all its pages anew: the same pages come to the same places
//!   the read ends      what was read is appended again
//! ```
//! Whether a page is still current is asked by its place and its checksum. Both versions have the same one here, so only
//! that the segments are held keeps the old one from being appended behind the new one, in the index as at the next start.

use std::cell::Cell;
use std::rc::Rc;

use block::faulty::Faults;
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::bytes::checksum::page_checksum;
use cache::{Admission, DiskId, DiskSettings, Past};

use crate::rig::{End, HELD, Life, PAGES, Rig, SEGMENT, see, settings};

/// Pages that are cached. Each third is used again, so that some of each segment survives.
const CACHED: u64 = 150;
/// What each request to flash takes, and what the one takes that is held: nanoseconds.
const SHORT: u64 = 1000;
const LONG: u64 = 100_000_000;
/// Which of the reads of reclaim is held, and how many other pages come to flash before those that are written anew: among these are
/// some with which one of the pages that were read comes to just the place where it was.
const HELD_READS: std::ops::Range<u64> = 31..38;
const OTHERS: std::ops::Range<u64> = 4..17;

/// What is done while a read is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    Nothing,
    /// The disk is evicted, so many other pages are cached, and all its pages are written anew.
    WrittenAnew(u64),
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    /// Pages that were copied ahead of their turn before the read was held, and later.
    before: u64,
    after: u64,
    /// The disk was not evicted before the read had ended: something was held.
    waited: bool,
}

fn first() -> Vec<u8> {
    vec![1; PAGE as usize]
}

/// Another content with the same checksum: a multiple of the polynomial of CRC-32C is added.
fn second() -> Vec<u8> {
    const POLYNOMIAL: u64 = 1 | 0x82f6_3b78 << 1;
    let mut bytes = first();
    bytes.iter_mut().zip(POLYNOMIAL.to_le_bytes()).for_each(|(byte, other)| *byte ^= other);
    bytes
}

async fn write(life: &Life<'_>, page: u64, bytes: &[u8]) {
    life.disk.write(page * PAGE, Buffer::copy_of(bytes)).await.1.unwrap();
}

/// The first version of all pages is on flash, some are warm, and another disk needs room.
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
    let neighbour = life.cache.attach(settings, backing, Past::none(PAGES * PAGE)).await.unwrap();
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

/// Has the read of flash behind so many take long. False if none follows at once.
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

/// Evicts the disk and writes all that is cached anew, in the order in which it is on flash. Says, later, whether the disk is evicted.
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
    // What need not wait for the read is evicted, and its segments are discarded.
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

/// What a guest reads of each page is what it wrote last.
async fn judge(life: &Life<'_>, what: &str) {
    for page in 0..CACHED {
        let mut legal = vec![0; PAGE as usize];
        life.rig.backing.peek(page * PAGE, &mut legal);
        let seen = life.content(page).await;
        let (start, legal_start) = (&seen[..5], &legal[..5]);
        assert!(seen == legal, "{what}: page {page} holds {start:?}.., legal are [{legal_start:?}..]");
    }
}

/// One telling; none if no read was held.
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
        // What RAM has would hide what flash has.
        life.push_out().await;
        judge(life, &what).await;
    });
    rig.live(End::Stop, async |life| {
        life.loaded().await;
        judge(life, &format!("{what}, after a restart")).await;
    });
    met
}

/// All is written anew while pages are on their way from segments that go next.
pub(crate) fn all_is_written_anew_while_pages_go_ahead() {
    assert_eq!(page_checksum(&second()), page_checksum(&first()));
    let (mut ahead, mut waited) = (0, 0);
    for read in HELD_READS {
        // Left alone, they arrive.
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
