//! Two copies as one scenario, cut at every single write, flush and discard of flash and backing, one after the other: guests write back to
//! two devices, the log wraps, data is destaged, one device fails, another one replaces it and gets its copies. After each cut the pool is
//! started on both devices, on one of them, and on devices of an earlier state:
//!
//! ```text
//!   cut ── start on some devices: refused, or all is there ── some more is written ── end ── start on others ── ...
//! ```
//! With any set of devices, a guest sees only legal data; and a start is not refused if the promise covers the set. The single devices that
//! are enough are known at each moment: both, the one that did not fail, and again both once all copies are made.

use std::cell::Cell;

use block::faulty::SurvivingWrites;
use block::{Host, Operation, PAGE};
use cache::{DeviceState, DiskSettings, Mode};
use futures_util::future::join_all;

use crate::guest::{Guest, USED_PAGES, sectors};
use crate::rig::{End, HELD, Life, Rig, SEGMENT, settings};

/// Devices of the scenario: the first two are the pool, the third replaces one of them.
const THIRD: usize = 2;
/// Longer than second copies take, in nanoseconds.
pub(crate) const COPIED_NS: u64 = 1_000_000_000;

/// Some of the devices, by place.
type Devices = [bool; 3];

/// End of a process, and the remains of each device after a power cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    end: End,
    kept: [SurvivingWrites; 3],
}

impl Cut {
    const fn power(kept: [SurvivingWrites; 3]) -> Self {
        Self { end: End::PowerCut, kept }
    }
}

const CUTS: [Cut; 6] = [
    Cut { end: End::Kill, kept: [SurvivingWrites::ByChance; 3] },
    Cut::power([SurvivingWrites::ByChance; 3]),
    Cut::power([SurvivingWrites::Everything; 3]),
    Cut::power([SurvivingWrites::Nothing; 3]),
    Cut::power([SurvivingWrites::Everything, SurvivingWrites::Nothing, SurvivingWrites::Everything]),
    Cut::power([SurvivingWrites::Nothing, SurvivingWrites::Everything, SurvivingWrites::Nothing]),
];

/// Devices that are named at one start after the other, by their roles.
type Plan = &'static [Named];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// All that ever belonged to the pool.
    All,
    /// The one that fails in the scenario.
    Failing,
    /// The other one.
    Staying,
    /// Both of the first two.
    Both,
    /// The one that is added later.
    New,
    /// The one that stays and the new one.
    Pair,
}

/// Progress of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Whole,
    /// One of the devices failed.
    Torn,
    /// Another one replaces it.
    Replaced,
    /// It has everything.
    Copied,
}

impl Stage {
    const fn plans(self) -> &'static [Plan] {
        use Named::{All, Both, Failing, New, Pair, Staying};
        match self {
            Self::Whole => &[
                &[Both, Staying],
                &[Both, Failing, Both],
                &[Staying, Both],
                &[Failing, Both, Staying],
                &[Both, Both],
            ],
            Self::Torn => &[
                &[Failing, Both, Staying],
                &[Failing, Staying, Both],
                &[Both, Failing, Staying],
                &[Staying, Both],
            ],
            Self::Replaced => &[
                &[All, Staying],
                &[All, Failing, New, All],
                &[New, Failing, Staying, All],
                &[Pair, New, All],
                &[Both, New, Failing, Pair],
                &[Staying, All],
                &[Failing, Pair, Staying],
            ],
            Self::Copied => &[
                &[New, Failing, Staying, All],
                &[New, Pair],
                &[Pair, New, All],
                &[Staying, All],
                &[All, Staying],
                &[Failing, New, Both],
            ],
        }
    }
}

/// State of the scenario, beside the devices.
struct Story {
    rig: Rig,
    guest: Guest,
    failing: usize,
    stage: Cell<Stage>,
    /// Devices of which each alone is enough to start.
    enough: Cell<Devices>,
    /// Devices that no start names any more: they were not in the pool at the last one.
    forgotten: Cell<Devices>,
    context: String,
}

impl Story {
    fn new(seed: u64, context: String) -> Self {
        let (rig, guest) = (Rig::mirrored(seed), Guest::new());
        let none = Cell::new([false; 3]);
        let (failing, stage) = ((seed % 2) as usize, Cell::new(Stage::Whole));
        Self { rig, guest, failing, stage, enough: none.clone(), forgotten: none, context }
    }

    fn staying(&self) -> usize {
        1 - self.failing
    }

    /// Sets the devices that are enough from now on, each alone.
    fn are_enough(&self, devices: &[usize]) {
        self.enough.set([0, 1, THIRD].map(|device| devices.contains(&device)));
    }

    /// Runs the scenario until it is cut. Returns true if it completed before.
    fn tell(&self, cut: Cut, operations: u64) -> bool {
        self.rig.kept.set(cut.kept);
        let told = self.rig.live_until(cut.end, None, async |life| {
            add(life, 1).await;
            life.change(roomy());
            self.rig.mode.set(Mode::WriteBack);
            self.rig.settings.set(roomy());
            // The log is about to wrap.
            life.read_others(120).await;
            self.guest.write(&life.disk, sectors(0..8)).await;
            wait_until_copied(life).await;
            self.are_enough(&[0, 1]);
            self.rig.light_fuse(operations);
            let telling = Telling { life, story: self };
            telling.write().await;
            telling.go_round().await;
            telling.destage().await;
            telling.fail().await;
            telling.replace().await;
            telling.write().await;
            telling.go_round().await;
        });
        self.guest.end(cut.end);
        told
    }

    /// Runs a start on all devices that is cut in turn, with its destage. Returns true if it completed before.
    fn cut_start(&self, cut: Cut, operations: u64) -> bool {
        self.rig.kept.set(cut.kept);
        self.rig.named.set([true; 3]);
        let told = self.rig.live_until(cut.end, Some(operations), async |life| {
            life.loaded().await;
            life.disk.start_destage();
            life.host.sleep(50_000).await;
        });
        self.guest.end(cut.end);
        told
    }

    /// Starts on the devices of each part of a plan, of the parts that fit the end.
    fn judge(&self, plan: u64, cut: Cut) {
        let plans = self.stage.get().plans();
        let plan = plans[plan as usize % plans.len()];
        self.rig.kept.set([SurvivingWrites::ByChance; 3]);
        for (step, named) in plan.iter().enumerate() {
            let devices = self.devices(*named);
            let context = format!("{}, {named:?} of {plan:?}", self.context);
            self.rig.named.set(devices);
            let promised = devices.iter().zip(self.enough.get()).any(|(named, enough)| *named && enough);
            let told = self.rig.try_live(cut.end, None, async |life| match life {
                Ok(life) => self.step(&life, promised, step, &context).await,
                Err(error) => assert!(!promised, "{context}: refused: {error}"),
            });
            assert!(told);
            self.guest.end(cut.end);
        }
        self.come_home();
    }

    /// Returns the devices of a role, without those that a start does not name any more.
    fn devices(&self, named: Named) -> Devices {
        let only = |devices: &[usize]| [0, 1, THIRD].map(|device| devices.contains(&device));
        let devices = match named {
            Named::All => [true; 3],
            Named::Both => [true, true, false],
            Named::Failing => only(&[self.failing]),
            Named::Staying => only(&[self.staying()]),
            Named::New => only(&[THIRD]),
            Named::Pair => only(&[self.staying(), THIRD]),
        };
        let forgotten = self.forgotten.get();
        let left = [0, 1, THIRD].map(|device| devices[device] && !forgotten[device]);
        // A user who names only a forgotten one confirms that explicitly.
        if left.contains(&true) { left } else { devices }
    }

    /// Runs a process that found the pool: a guest sees legal data, or none.
    async fn step(&self, life: &Life<'_>, promised: bool, step: usize, context: &str) {
        let Story { guest, rig, .. } = self;
        life.loaded().await;
        if life.disk.statistics().stopped.is_some() {
            assert!(!promised, "{context}: {:?}", life.disk.statistics().stopped);
            return;
        }
        see_all(life, guest, context).await;
        let listed = listed(life);
        self.forgotten.set([0, 1, THIRD].map(|device| !listed[device]));
        // Acknowledged by these only.
        self.enough.set(listed);
        let start = (step as u64 * 40 + rig.seed * 8) % (USED_PAGES * 8 - 16);
        assert!(guest.write(&life.disk, sectors(start..start + 12)).await, "{context}");
        guest.flush(&life.disk).await;
        if listed.iter().filter(|listed| **listed).count() > 1 {
            wait_until_copied(life).await;
        }
        // Unflushed data may be lost.
        assert!(guest.write(&life.disk, sectors(start + 4..start + 8)).await, "{context}");
        see_all(life, guest, context).await;
    }

    /// Destages everything in the end, from all devices, and checks that the backing has it.
    fn come_home(&self) {
        let Self { rig, guest, context, .. } = self;
        rig.named.set(self.devices(Named::All));
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            let before = see_all(life, guest, context).await;
            life.change(DiskSettings { destage_rate_max: 0, ..roomy() });
            life.disk.evict().await.unwrap_or_else(|error| panic!("{context}: does not come home: {error}"));
            let mut home = vec![0; before.len()];
            rig.backing.peek(0, &mut home);
            assert!(home == before, "{context}: the backing holds something else");
        });
    }
}

/// Returns settings under which almost all that the guest uses stays dirty: destaged data would hide losses.
pub(crate) fn roomy() -> DiskSettings {
    let room = 40 * SEGMENT;
    DiskSettings {
        mode: Mode::WriteBack,
        reserve_bytes: room,
        limit_bytes: room,
        dirty_limit_bytes: Some(2 * USED_PAGES * PAGE),
        destage_rate_max: PAGE,
        ..settings()
    }
}

/// Adds a device to the pool.
pub(crate) async fn add(life: &Life<'_>, device: usize) {
    let handle = life.rig.devices()[device].handle(life.host.clone());
    let number = life.cache.add_device(handle).await.unwrap();
    life.cache.use_device(number).unwrap();
}

/// Returns the devices that the pool lists and uses, by place.
fn listed(life: &Life<'_>) -> Devices {
    let devices = life.cache.pool_statistics().devices;
    [0u32, 1, 2].map(|number| {
        devices.iter().any(|device| device.number == number && device.state == DeviceState::Used)
    })
}

pub(crate) fn is_copied(life: &Life<'_>) -> bool {
    let disk = life.disk.statistics();
    disk.mirrored && disk.segments_uncopied == 0 && life.cache.pool_statistics().notes_mirrored
}

/// Waits until everything has two copies.
pub(crate) async fn wait_until_copied(life: &Life<'_>) {
    let deadline = life.host.now() + COPIED_NS;
    while !is_copied(life) {
        assert!(life.host.now() < deadline, "no second copies: {:?}", life.cache.pool_statistics());
        // Shorter than any request takes.
        life.host.sleep(200).await;
    }
}

/// Reads everything that the guest uses, twice the same.
pub(crate) async fn see_all(life: &Life<'_>, guest: &Guest, context: &str) -> Vec<u8> {
    let [first, second] = [guest.read(&life.disk).await, guest.read(&life.disk).await];
    let first = first.unwrap_or_else(|what| panic!("{context}: {what}"));
    assert_eq!(Ok(&first), second.as_ref(), "{context}");
    first
}

/// State that each part of the scenario leaves to the next one.
struct Telling<'a> {
    life: &'a Life<'a>,
    story: &'a Story,
}

impl Telling<'_> {
    async fn put(&self, range: std::ops::Range<u64>) {
        assert!(self.story.guest.write(&self.life.disk, sectors(range)).await, "no guest sees an error");
    }

    /// Writes whole pages, several at once, a part of a page, and zeroes; some of it flushed.
    async fn write(&self) {
        let (guest, disk) = (&self.story.guest, &self.life.disk);
        self.put(0..24).await;
        join_all([16..32, 30..34, 64..72].map(|range| self.put(range))).await;
        guest.flush(disk).await;
        assert!(guest.zero(disk, sectors(4..20)).await);
        self.put(9..11).await;
        guest.flush(disk).await;
        self.put(100..108).await;
    }

    /// Wraps the log: dirty pages are appended again, and superseded ones are dropped.
    async fn go_round(&self) {
        let before = self.life.counts();
        while self.life.counts().reclaims < before.reclaims + 2 {
            self.life.read_others(7).await;
        }
        self.story.guest.flush(&self.life.disk).await;
    }

    /// Destages, with a concurrent write.
    async fn destage(&self) {
        self.life.change(DiskSettings { destage_rate_max: 0, ..roomy() });
        self.life.disk.start_destage();
        self.life.host.sleep(1500).await;
        self.put(2..6).await;
        // Not until all is destaged: with some seeds destage pauses meanwhile, for longer than a fuse burns.
        self.life.host.sleep(20_000).await;
        self.life.change(roomy());
        self.put(16..48).await;
        self.story.guest.flush(&self.life.disk).await;
    }

    /// Makes one of the devices fail: writes to it do not count from now on.
    async fn fail(&self) {
        let Self { life, story } = self;
        let device = story.rig.devices()[story.failing];
        // Until no write to flash is in flight: the first failing write must be a guest's.
        life.host.sleep(HELD).await;
        story.stage.set(Stage::Torn);
        story.are_enough(&[story.staying()]);
        // Every other time it still accepts writes, and does not keep them.
        if story.rig.seed % 4 < 2 {
            device.fail_often(Operation::Write, 1000);
        }
        device.fail_often(Operation::Flush, 1000);
        self.put(20..28).await;
        story.guest.flush(&life.disk).await;
        self.put(50..60).await;
        story.guest.flush(&life.disk).await;
        let [first, second, _] = listed(life);
        assert!(first != second, "one of them is out");
        self.put(24..40).await;
    }

    /// Replaces it while the guest writes.
    async fn replace(&self) {
        let Self { life, story } = self;
        story.stage.set(Stage::Replaced);
        add(life, THIRD).await;
        self.put(70..80).await;
        story.guest.flush(&life.disk).await;
        self.put(76..90).await;
        wait_until_copied(life).await;
        story.stage.set(Stage::Copied);
        story.are_enough(&[story.staying(), THIRD]);
        self.put(0..8).await;
        story.guest.flush(&life.disk).await;
    }
}

/// Number of rounds by default.
const ROUNDS: u64 = 1;
/// Number of rounds to find a planted bug: the plan that shows it must meet exactly the operation at which it does harm, which depends on
/// the number of operations before.
const ROUNDS_TO_FIND: u64 = 2;

/// Runs the scenario for each of these cuts at every operation, and checks each with the plan whose turn it is. The number of rounds is
/// `FOREBAY_STORIES` or `rounds`, each with other plans and other seeds.
fn cut_everywhere(cuts: &[Cut], rounds: u64) {
    let rounds = std::env::var("FOREBAY_STORIES").map_or(rounds, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let told = (1..2000).find(|operations| {
            let told = cuts.iter().enumerate().map(|(at, cut)| {
                let seed = operations + 10_000 * round;
                let story = Story::new(seed, format!("seed {seed}, {cut:?} at operation {operations}"));
                let told = story.tell(*cut, *operations);
                story.judge(operations + at as u64 + round, *cut);
                told
            });
            told.fold(false, |any, told| any | told)
        });
        println!("round {round}: {told:?} operations");
        assert!(told.is_some_and(|operations| operations > 400), "the story is longer, and ends: {told:?}");
    }
}

#[test]
fn the_start_after_it_is_cut_at_every_operation_too_and_either_device_has_everything() {
    let mut starts = 0;
    for operations in (7..458).step_by(83) {
        for cut in 1.. {
            let seed = operations + cut * 1000;
            let story = Story::new(seed, format!("seed {seed}, cut at {operations}, and its start at {cut}"));
            let cuts = [operations, cut].map(|at| CUTS[at as usize % CUTS.len()]);
            story.tell(cuts[0], operations);
            let told = story.cut_start(cuts[1], cut);
            story.judge(seed, cuts[1]);
            starts += 1;
            if told {
                break;
            }
        }
    }
    println!("{starts} starts");
    assert!(starts > 100, "a start writes superblock, notes, summary and table, each twice: {starts}");
}

/// For planted bugs.
#[cfg_attr(not(debug_assertions), allow(dead_code, reason = "nothing is planted"))]
pub(crate) fn every_cut_at_every_operation() {
    cut_everywhere(&CUTS, ROUNDS_TO_FIND);
}

#[test]
fn two_copies_are_killed_at_every_operation_and_keep_what_they_promised() {
    cut_everywhere(&CUTS[..1], ROUNDS);
}

#[test]
fn two_copies_lose_power_at_every_operation_and_keep_what_they_promised() {
    cut_everywhere(&CUTS[1..], ROUNDS);
}
