//! Devices of the pool that grow or shrink while flash has dirty data, cut at every write, flush and discard of every device: the pool has
//! its old size or its new one, no guest data is lost, and nothing valid is beyond the end of the smaller one.

use std::cell::Cell;
use std::rc::Rc;

use block::{BlockDevice, Host, Operation};
use cache::{CacheError, DeviceState, DiskId, DiskSettings, Identified, MemberNumber, Mode, PoolContent};

use crate::guest::{Guest, judge, sectors};
use crate::rig::{End, FLASH_BYTES, HELD, Life, PAGES, Rig, SEGMENT, SEGMENTS, see, settings};

const ENDS: [End; 2] = [End::Kill, End::PowerCut];
const FIRST: MemberNumber = MemberNumber(0);
const SECOND: MemberNumber = MemberNumber(1);
const DISKS_OF_SEVERAL: u32 = 8;
/// Number of segments with which all disks have the minimum reservation, and some segments are shared.
const SEGMENTS_OF_SEVERAL: u64 = 200;
const SEGMENTS_THAT_GO: u64 = 40;
const SEEDS_OF_SEVERAL: u64 = 8;
/// Number of segments of the small device.
const FEW: u64 = 30;
const SMALL_BYTES: u64 = FLASH_BYTES - (SEGMENTS - FEW) * SEGMENT;

/// Fills the pool: the guest's dirty data is spread over the device, and so is the clean data.
async fn fill(life: &Life<'_>, guest: &Guest) {
    life.write_back(24).await;
    guest.write(&life.disk, sectors(0..64)).await;
    guest.flush(&life.disk).await;
    // The log wraps.
    life.read_others(150).await;
    guest.write(&life.disk, sectors(8..40)).await;
    guest.zero(&life.disk, sectors(40..48)).await;
    guest.flush(&life.disk).await;
    life.read_others(20).await;
    guest.write(&life.disk, sectors(4..12)).await;
}

async fn grow(life: &Life<'_>, number: MemberNumber, bytes: u64) {
    life.cache.grow_device(number, bytes).await.unwrap();
    life.cache.know_sizes();
    life.cache.use_grown(number).unwrap();
}

async fn shrink(life: &Life<'_>, number: MemberNumber, bytes: u64) {
    life.cache.shrink_device(number, bytes).await.unwrap();
    life.cache.know_sizes();
}

/// Returns size and segments of each device.
fn sizes(life: &Life<'_>) -> Vec<(u64, u64)> {
    let devices = life.cache.pool_statistics().devices;
    devices.iter().map(|device| (device.size_bytes, device.segments)).collect()
}

/// Returns the size of a device that the pool uses, according to its superblock.
fn size_on_flash(rig: &Rig, place: usize) -> u64 {
    let size = Cell::new(0);
    rig.between(async |host| match cache::identify(&rig.devices()[place].reopen(host)).await.unwrap() {
        Identified::Pool { size_bytes, .. } => size.set(size_bytes),
        other => panic!("{other:?}"),
    });
    size.get()
}

/// Overwrites the end of a device after it was cut, as its next user would.
fn spoil(rig: &Rig, place: usize) {
    rig.between(async |host| {
        let device = rig.devices()[place].reopen(host);
        let bytes = vec![0xee; (FLASH_BYTES - SMALL_BYTES) as usize];
        device.write(SMALL_BYTES, block::Buffer::copy_of(&bytes)).await.1.unwrap();
        device.flush().await.unwrap();
    });
}

/// Resize of the device at a place, cut everywhere.
struct ResizeStory<P, O> {
    new: fn(u64) -> Rig,
    place: usize,
    prepare: P,
    operation: O,
}

impl<P: AsyncFn(&Life<'_>, &Guest), O: AsyncFn(&Life<'_>, &Guest)> ResizeStory<P, O> {
    /// Runs all cuts, and returns how often each of the two sizes was found. `name` returns the devices of the starts afterwards.
    fn cut(&self, end: End, sizes: [u64; 2], name: impl Fn(u64) -> [bool; 3]) -> [u64; 2] {
        let mut met = [0; 2];
        for operations in 1..2000 {
            let (rig, guest) = ((self.new)(operations), Guest::new());
            let told = rig.live_until(end, None, async |life| {
                (self.prepare)(life, &guest).await;
                rig.light_fuse(operations);
                (self.operation)(life, &guest).await;
            });
            guest.end(end);
            let size = size_on_flash(&rig, self.place);
            let at = sizes.iter().position(|known| *known == size);
            let at = at.unwrap_or_else(|| panic!("{end:?} at operation {operations}: {size} bytes"));
            assert!(!told || at == 1, "{end:?} at operation {operations}: it was said to have another size");
            met[at] += 1;
            if size == SMALL_BYTES {
                spoil(&rig, self.place);
            }
            rig.named.set(name(operations));
            judge(&rig, &guest, &format!("Cut {{ end: {end:?} }} at operation {operations}"));
            if told {
                return met;
            }
        }
        panic!("the story never comes to its end");
    }
}

const BOTH: [bool; 3] = [true, true, false];

fn cut_shrink(end: End) -> [u64; 2] {
    let operation = async |life: &Life<'_>, guest: &Guest| {
        let (cache, done) = (Rc::clone(&life.cache), Rc::new(Cell::new(false)));
        let over = Rc::clone(&done);
        life.host.spawn(async move {
            cache.shrink_device(FIRST, SMALL_BYTES).await.unwrap();
            over.set(true);
        });
        // Guests continue meanwhile.
        guest.write(&life.disk, sectors(20..30)).await;
        guest.flush(&life.disk).await;
        while !done.get() {
            life.host.sleep(HELD / 100).await;
        }
    };
    let story = ResizeStory { new: Rig::new, place: 0, prepare: fill, operation };
    story.cut(end, [FLASH_BYTES, SMALL_BYTES], |_| BOTH)
}

pub(crate) fn a_device_becomes_smaller_before_the_power_goes() {
    for end in ENDS {
        let met = cut_shrink(end);
        assert!(met[0] > 20 && met[1] > 1, "segments, tables and superblocks: {met:?}");
    }
}

#[test]
fn making_a_device_smaller_is_cut_everywhere_and_nothing_counts_behind_its_end() {
    a_device_becomes_smaller_before_the_power_goes();
}

#[test]
fn making_a_device_larger_is_cut_everywhere() {
    for end in ENDS {
        let prepare = async |life: &Life<'_>, guest: &Guest| {
            shrink(life, FIRST, SMALL_BYTES).await;
            fill(life, guest).await;
        };
        let operation = async |life: &Life<'_>, guest: &Guest| {
            grow(life, FIRST, FLASH_BYTES).await;
            assert_eq!(sizes(life), [(FLASH_BYTES, SEGMENTS)]);
            guest.write(&life.disk, sectors(0..64)).await;
            guest.flush(&life.disk).await;
        };
        let story = ResizeStory { new: Rig::new, place: 0, prepare, operation };
        let met = story.cut(end, [SMALL_BYTES, FLASH_BYTES], |_| BOTH);
        // The very first operation is the first slot of the superblock, which remains written after a kill.
        assert!((end == End::Kill || met[0] > 0) && met[1] > 4, "{end:?}: {met:?}");
    }
}

#[test]
fn a_device_grows_past_the_numbers_of_the_next_one_and_is_cut_everywhere() {
    for end in ENDS {
        let prepare = async |life: &Life<'_>, guest: &Guest| {
            shrink(life, FIRST, SMALL_BYTES).await;
            let second = life.rig.second.handle(life.host.clone());
            assert_eq!(life.cache.add_device(second).await.unwrap(), SECOND);
            life.cache.use_device(SECOND).unwrap();
            fill(life, guest).await;
        };
        let operation = async |life: &Life<'_>, guest: &Guest| {
            grow(life, FIRST, FLASH_BYTES).await;
            assert_eq!(sizes(life)[0], (FLASH_BYTES, SEGMENTS));
            life.read_others(60).await;
            guest.write(&life.disk, sectors(0..64)).await;
            guest.flush(&life.disk).await;
        };
        let story = ResizeStory { new: Rig::new, place: 0, prepare, operation };
        let met = story.cut(end, [SMALL_BYTES, FLASH_BYTES], |_| BOTH);
        assert!(met[0] > 0 && met[1] > 4, "{met:?}");
    }
}

/// Creates a pool of two devices whose disk has two copies of all that its guest wrote.
async fn fill_mirrored(life: &Life<'_>, guest: &Guest) {
    life.loaded().await;
    let second = life.rig.second.handle(life.host.clone());
    assert_eq!(life.cache.add_device(second).await.unwrap(), SECOND);
    life.cache.use_device(SECOND).unwrap();
    life.rig.mode.set(Mode::WriteBack);
    life.change(DiskSettings { mode: Mode::WriteBack, limit_bytes: 50 * SEGMENT, ..settings() });
    guest.write(&life.disk, sectors(0..64)).await;
    life.read_others(150).await;
    guest.write(&life.disk, sectors(8..40)).await;
    guest.flush(&life.disk).await;
    life.read_others(20).await;
    life.host.sleep(crate::two_copies::COPIED_NS).await;
    assert_eq!(life.cache.pool_statistics().segments_uncopied, 0);
}

#[test]
fn making_a_mirrored_device_smaller_is_cut_everywhere_and_either_device_alone_has_all() {
    for end in ENDS {
        for (number, place) in [(FIRST, 0), (SECOND, 1)] {
            let operation = async |life: &Life<'_>, guest: &Guest| {
                let uncopied = || life.cache.pool_statistics().segments_uncopied;
                shrink(life, number, SMALL_BYTES).await;
                assert_eq!((uncopied(), sizes(life)[place]), (0, (SMALL_BYTES, FEW)));
                guest.write(&life.disk, sectors(4..12)).await;
                guest.flush(&life.disk).await;
            };
            let story = ResizeStory { new: Rig::mirrored, place, prepare: fill_mirrored, operation };
            let alone =
                |operations| [BOTH, [true, false, false], [false, true, false]][operations as usize % 3];
            let met = story.cut(end, [FLASH_BYTES, SMALL_BYTES], alone);
            assert!(met[0] > 20 && met[1] > 1, "{met:?}");
        }
    }
}

fn refusal<T>(outcome: Result<T, CacheError>) -> String {
    outcome.err().expect("it is refused").to_string()
}

#[test]
fn what_cannot_be_is_refused_with_the_least_that_can_and_changes_nothing() {
    let rig = Rig::new(1);
    rig.live(End::Stop, async |life| {
        let cache = &life.cache;
        assert!(refusal(cache.shrink_device(SECOND, SMALL_BYTES).await).contains("no device 1"));
        assert!(refusal(cache.grow_device(SECOND, FLASH_BYTES).await).contains("no device 1"));
        let least = cache.size_bounds(FIRST).unwrap().least_bytes;
        assert_eq!(least, FLASH_BYTES - (SEGMENTS - 21) * SEGMENT, "a reservation, reclaim and notes");
        let said = refusal(cache.shrink_device(FIRST, least - 1).await);
        assert!(said.contains(&format!("{least} bytes of device 0 at least")), "{said}");
        life.change(DiskSettings { reserve_bytes: 20 * SEGMENT, ..settings() });
        assert_eq!(cache.size_bounds(FIRST).unwrap().least_bytes, least + 4 * SEGMENT);
        assert!(refusal(cache.shrink_device(FIRST, least).await).contains("reserved"));
        life.change(settings());
        let most = cache.size_bounds(FIRST).unwrap().most_bytes;
        assert!(refusal(cache.grow_device(FIRST, most + 1).await).contains("segment table"));
        assert_eq!(sizes(life), [(FLASH_BYTES, SEGMENTS)]);
        shrink(life, FIRST, least).await;
        assert_eq!(sizes(life), [(least, 21)]);
    });
    rig.live(End::Stop, async |life| {
        assert!(matches!(life.content, PoolContent::Kept { .. }));
        assert_eq!(sizes(life)[0].1, 21);
    });
}

#[test]
fn a_shrink_that_is_cancelled_or_dropped_leaves_the_device_as_it_was_and_there_is_one_at_a_time() {
    let rig = Rig::new(1);
    let guest = Guest::new();
    rig.live(End::Stop, async |life| {
        fill(life, &guest).await;
        // Moves take time.
        rig.flash.delay(HELD, HELD);
        for is_cancelled in [true, false] {
            {
                let mut shrinking = std::pin::pin!(life.cache.shrink_device(FIRST, SMALL_BYTES));
                let pause = life.host.sleep(HELD / 2);
                assert!(matches!(
                    futures_util::future::select(shrinking.as_mut(), std::pin::pin!(pause)).await,
                    futures_util::future::Either::Right(_)
                ));
                let device = life.cache.pool_statistics().devices[0].clone();
                let goes = device.shrinking.expect("it is being made smaller");
                assert_eq!(
                    (goes.size_bytes, goes.segments, device.state),
                    (SMALL_BYTES, FEW, DeviceState::Used)
                );
                assert!(goes.segments_left > 0);
                assert!(
                    refusal(life.cache.shrink_device(FIRST, SMALL_BYTES).await)
                        .contains("being made smaller")
                );
                assert!(
                    refusal(life.cache.grow_device(FIRST, FLASH_BYTES).await).contains("being made smaller")
                );
                if is_cancelled {
                    assert!(life.cache.cancel_shrink(FIRST));
                    assert!(refusal(shrinking.await).contains("cancelled"));
                }
            }
            assert!(!life.cache.cancel_shrink(FIRST));
            let device = life.cache.pool_statistics().devices[0].clone();
            assert_eq!((device.shrinking, device.size_bytes, device.segments), (None, FLASH_BYTES, SEGMENTS));
            life.read_others(10).await;
        }
        rig.flash.delay(0, 0);
        shrink(life, FIRST, SMALL_BYTES).await;
    });
    guest.end(End::Stop);
    spoil(&rig, 0);
    judge(&rig, &guest, "after all");
}

#[test]
fn a_device_that_fails_while_one_becomes_smaller_stops_that_and_the_other_one_has_all() {
    for (failing, seed) in [0, 1].into_iter().flat_map(|place| (1..6).map(move |seed| (place, seed))) {
        let (rig, guest) = (Rig::mirrored(seed), Guest::new());
        rig.live(End::Kill, async |life| {
            fill_mirrored(life, &guest).await;
            let device = rig.devices()[failing];
            // Moves take time.
            rig.devices().iter().for_each(|device| device.delay(HELD / 10, HELD / 10));
            let shrinking = life.cache.shrink_device(FIRST, SMALL_BYTES);
            let fails = async {
                life.host.sleep(HELD / 2).await;
                device.fail_often(Operation::Flush, 1000);
                guest.write(&life.disk, sectors(4..12)).await;
                guest.flush(&life.disk).await;
            };
            let (outcome, ()) = futures_util::future::join(shrinking, fails).await;
            let said = refusal(outcome);
            assert!(said.contains("keeps its size: a device of the pool failed"), "{said}");
            let devices = life.cache.pool_statistics().devices;
            assert!(devices.iter().all(|device| device.shrinking.is_none()));
            let used: Vec<u64> = devices
                .iter()
                .filter(|device| device.state == DeviceState::Used)
                .map(|device| device.size_bytes)
                .collect();
            assert_eq!(used, [FLASH_BYTES], "the one that stays has its size");
            device.fail_no_more();
            rig.devices().iter().for_each(|device| device.delay(0, 0));
        });
        guest.end(End::Kill);
        rig.named.set([[false, true, false], [true, false, false]][failing]);
        judge(&rig, &guest, &format!("device {failing} failed, seed {seed}"));
    }
}

#[test]
fn what_a_disk_left_that_is_not_attached_moves_as_well() {
    let rig = Rig::new(1);
    let guest = Guest::new();
    rig.live(End::Kill, async |life| {
        fill(life, &guest).await;
        assert!(life.is_dirty());
        life.cache.detach(&life.disk).await;
        let held = || SEGMENTS - life.cache.pool_statistics().devices[0].segments_free;
        assert!(held() > 4);
        shrink(life, FIRST, SMALL_BYTES).await;
        assert_eq!(sizes(life), [(SMALL_BYTES, FEW)]);
    });
    guest.end(End::Stop);
    spoil(&rig, 0);
    judge(&rig, &guest, "attached again");
}

/// Several disks move their data at once, into a pool where reclaim has just freed segments that the table names.
pub(crate) fn several_disks_move_into_what_reclaim_just_freed() {
    for seed in 0..SEEDS_OF_SEVERAL {
        let rig = Rig::large(seed, SEGMENTS_OF_SEVERAL);
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            let few = |number: u32| DiskSettings { ..DiskSettings { id: DiskId(number), ..settings() } };
            let mut disks = Vec::new();
            for number in 2..2 + DISKS_OF_SEVERAL {
                let backing = rig.backing.handle(life.host.clone());
                let disk = life.cache.attach(few(number), backing, rig.past()).await.unwrap();
                disk.loaded().await;
                disks.push(disk);
            }
            for turn in 0..400 {
                for (disk, number) in disks.iter().zip(0..) {
                    see(disk, (number * 61 + turn) % PAGES).await;
                    life.host.sleep(1000).await;
                }
            }
            life.host.sleep(HELD).await;
            // Copies take time: all disks work on them at once.
            rig.flash.delay(HELD / 10, HELD / 10);
            let bytes = FLASH_BYTES + (SEGMENTS_OF_SEVERAL - SEGMENTS_THAT_GO - SEGMENTS) * SEGMENT;
            shrink(life, FIRST, bytes).await;
            rig.flash.delay(0, 0);
            for disk in disks {
                life.cache.detach(&disk).await;
            }
        });
    }
}

#[test]
fn nothing_is_moved_over_what_the_table_names() {
    several_disks_move_into_what_reclaim_just_freed();
}
