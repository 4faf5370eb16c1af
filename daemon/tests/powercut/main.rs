//! Power failures while Forebay works: a machine in QEMU whose disks lose everything that was not flushed.
//!
//! ```text
//!   this process                      QEMU, ended by SIGKILL
//!   disks with volatile caches <─NBD── /dev/disk/{state,pool,backing} <── forebay <─NBD── agent
//!   promises of the agent      <──────────────── serial line ───────────────────────────────┘
//! ```
//! Boot after boot on the same disks: the agent compares everything that Forebay serves with the backing,
//! then writes, and reports each flush. At a random write or flush, in some boots already while Forebay
//! starts, the power of disks and machine fails at once. Then every write below a completed flush must be on
//! the backing, in whole sectors; writes of write-back must be there once a later boot has destaged them.
//!
//! This is one program for both sides, without a test harness: in the guest it is the agent.

mod agent;
#[path = "../real_clients/busy.rs"]
#[allow(dead_code, reason = "shared with the real clients, which use more of it")]
mod busy;
mod disks;
mod mapped;
#[path = "../real_clients/stamps.rs"]
#[allow(dead_code, reason = "its own tests run there, under a harness")]
mod stamps;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

use disks::{Disks, Plan};
use guest::{Guest, Kit, Running};
use stamps::{Chance, Load, Model, Windows};

const MIB: u64 = 1 << 20;
const STATE_MIB: u64 = 16;
const POOL_MIB: u64 = 64;
/// One window in each region of the disk: intents are kept for regions of 64 MiB.
const WINDOWS: Windows = Windows { count: 3, bytes: 8 * MIB, stride: 64 * MIB };
/// The mode of each boot is drawn from these.
const MODES: &[&str] = &["write-through", "write-back", "write-back", "write-around", "pass-through"];
/// A name, and a function that runs with a seed.
type Test = (&'static str, fn(u64));
/// The tests of this program.
const TESTS: &[Test] = &[
    ("nothing_flushed_is_lost_and_nothing_stale_is_served_after_power_cuts", power_cuts),
    ("what_a_mapped_file_system_synced_is_there_after_power_cuts", mapped::power_cuts),
    ("disks_that_lie_about_flushes_are_found_out", lying_disks),
];
/// Boots of an ordinary run: as many as CI has time for.
const BOOTS_DEFAULT: u64 = 6;
/// Messages of Forebay on the recovery of the pool.
const CAME_BACK: &str = "of its cache back";
const STARTS_COLD: &str = "starts with an empty cache";
const NOTHING_CAME_BACK: &str = "has 0 of its cache back";
/// Writes and flushes of all disks until the power fails, while Forebay starts and while guests write.
const OPERATIONS_WHILE_STARTING: Range<u64> = 1..60;
const OPERATIONS_WHILE_WRITING: Range<u64> = 1..3000;
/// Enough for several flushes.
const OPERATIONS_MANY: Range<u64> = 1000..3000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("agent", words)) = words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return match agent::run(words) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                println!("wrong: {why}");
                ExitCode::FAILURE
            }
        };
    }
    // As in the usual harness: words choose tests by a part of their name, and `--list` shows them.
    let mut filters = words.iter().filter(|word| !word.starts_with('-'));
    let filter = filters.next().map_or("", String::as_str);
    let chosen = TESTS.iter().filter(|(name, _)| name.contains(filter));
    if words.iter().any(|word| word == "--list") {
        chosen.for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later than 1970");
    let seed = number_from("FOREBAY_SEED").unwrap_or(u64::from(now.subsec_nanos()));
    println!("\nFOREBAY_SEED={seed} chooses the same cuts again");
    let mut passed = 0;
    // A failing test panics, which ends the program.
    for (name, test) in chosen {
        test(seed);
        println!("test {name} ... ok");
        passed += 1;
    }
    println!("\ntest result: ok. {passed} passed; 0 failed; 0 ignored\n");
    ExitCode::SUCCESS
}

/// Returns true if `line` reports the recovery of the pool.
fn says_what_came_back(line: &str) -> bool {
    line.contains(CAME_BACK) || line.contains(STARTS_COLD)
}

fn power_cuts(seed: u64) {
    let boots = number_from("FOREBAY_POWER_CUTS").unwrap_or(BOOTS_DEFAULT);
    let mut rig = Rig::new(seed);
    let mut something_came_back = false;
    let mut number = 0;
    // The last boot in write-back is always verified.
    while number < boots || rig.not_home.is_some() {
        let (boot, lost) = rig.boot_and_check(number, OPERATIONS_WHILE_WRITING);
        assert_eq!(lost, Ok(()), "boot {number}: {} writes were flushed", boot.flushed);
        let hits =
            boot.flash_hits.map_or("cut while starting".to_owned(), |hits| format!("{hits} flash hits"));
        let found = boot.came_back.unwrap_or_default();
        println!(
            "boot {number}: {} writes to {:?} flushed in {}, {hits}",
            boot.flushed, boot.written, boot.mode
        );
        println!("  {found}");
        something_came_back |= found.contains(CAME_BACK) && !found.contains(NOTHING_CAME_BACK);
        number += 1;
    }
    // Otherwise nothing stale could have been served, and the test would prove nothing.
    assert!(something_came_back, "no boot found anything of what was cached before");
    let discards = rig.disks.discards("pool");
    println!("{discards} discards of the pool");
    assert!(discards > 0, "what is free in the pool is discarded at each start");
}

/// Proves that the rig detects faults: the same, with a backing that ignores flushes.
fn lying_disks(seed: u64) {
    let mut rig = Rig::new(seed);
    rig.disks.lie_about_flushes("backing");
    let (boot, lost) = rig.boot_and_check(0, OPERATIONS_MANY);
    assert!(boot.flushed > 0 && lost.is_err(), "nothing lost of {} writes", boot.flushed);
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A machine that is switched on and loses its power repeatedly.
struct Rig {
    kit: Kit,
    chance: Chance,
    disks: Disks,
    /// Set if the disk was added to Forebay in an earlier boot.
    has_disk: bool,
    /// The mode in which it was written last.
    last_mode: &'static str,
    /// Possible content of the backing once everything on flash is destaged.
    not_home: Option<Model>,
    _folder: Folder,
}

/// Result of one boot.
#[derive(Default)]
struct Boot {
    /// All writes below it were flushed.
    flushed: u64,
    /// Reads of the first comparison that flash answered, from the recovered cache. `None` if the power
    /// failed before.
    flash_hits: Option<u64>,
    /// Forebay's message on the recovered cache.
    came_back: Option<String>,
    mode: &'static str,
    /// Content of the backing when guests began to write, with everything destaged; `None` if the power
    /// failed before.
    before: Option<Vec<u8>>,
    /// Windows that were written.
    written: Range<u64>,
}

impl Rig {
    fn new(seed: u64) -> Self {
        let folder = Folder::new();
        let plans = [("state", STATE_MIB * MIB), ("pool", POOL_MIB * MIB), ("backing", WINDOWS.disk_bytes())];
        let plans = plans.map(|(name, bytes)| Plan { name, bytes });
        let disks = Disks::new(plans.into(), seed, &folder.path);
        disks.fill("state", file_system(&folder.path, STATE_MIB));
        let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
        Self {
            kit,
            chance: Chance::new(seed),
            disks,
            has_disk: false,
            last_mode: MODES[0],
            not_home: None,
            _folder: folder,
        }
    }

    /// Boots until the power fails, after this many `operations` of guests that write, if it gets that far.
    /// Returns whether everything that was flushed is there.
    fn boot_and_check(&mut self, number: u64, operations: Range<u64>) -> (Boot, Result<(), String>) {
        // The last window is only read: its cache must survive every cut. The others are written in turn, or
        // both; a region stays open for longer than a boot takes, so its cached data must not be trusted.
        let last = WINDOWS.count - 1;
        let first = number % last;
        let end = last.min(first + 1 + number % 3);
        let load = Load::new(self.chance.below(u64::MAX), WINDOWS, first..end);
        let mut boot = self.boot(number, &load, operations);
        let Some(before) = boot.before.take() else { return (boot, Ok(())) };
        if let Some(Err(lost)) = self.not_home.take().map(|model| model.check(0, &before)) {
            return (boot, Err(format!("what was written back did not come home: {lost}")));
        }
        let mut model = Model::new(load, before);
        (0..boot.flushed).for_each(|write| model.promise(write));
        self.last_mode = boot.mode;
        if boot.mode == "write-back" {
            self.not_home = Some(model);
            return (boot, Ok(()));
        }
        let lost = model.check(0, &self.backing());
        (boot, lost)
    }

    fn backing(&self) -> Vec<u8> {
        self.disks.content("backing", WINDOWS.ranges().collect())
    }

    /// Switches the machine on, and returns its output up to the power failure.
    fn boot(&mut self, number: u64, load: &Load, operations: Range<u64>) -> Boot {
        let drawn = MODES[self.chance.below(MODES.len() as u64) as usize];
        // The first boot fills the cache, and one writes back, whatever the seed.
        let mode = MODES.get(number as usize).copied().filter(|_| number < 2).unwrap_or(drawn);
        let mut machine = self.start(number, load, mode);
        let early = number % 4 == 3;
        if early {
            let operations = self.chance.within(OPERATIONS_WHILE_STARTING);
            self.disks.cut_after(operations, machine.power_switch());
        }
        let mut boot = Boot { mode, written: load.written(), ..Boot::default() };
        let mut seen = String::new();
        while let Some(line) = machine.line().expect("the output is a pipe") {
            seen.push_str(&line);
            seen.push('\n');
            if says_what_came_back(&line) {
                boot.came_back = line.find("Disk ").map(|start| line[start..].to_owned());
            }
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("added", _) => self.has_disk = true,
                ("flash-hits", hits) => boot.flash_hits = hits.parse().ok(),
                // A line that is printed after the power failure belongs to a flush before it.
                ("flushed", writes) => boot.flushed = writes.parse().unwrap_or(boot.flushed),
                ("same", _) => {
                    boot.before = Some(self.backing());
                    let operations = self.chance.within(operations.clone());
                    self.disks.cut_after(operations, machine.power_switch());
                }
                // Once the power of the disks is cut, all requests of running programs fail.
                ("wrong:", _) if !self.disks.were_cut() => panic!("boot {number}:\n{seen}"),
                _ => {}
            }
        }
        assert!(self.disks.were_cut(), "boot {number} ended by itself:\n{seen}");
        boot
    }

    fn start(&mut self, number: u64, load: &Load, mode: &str) -> Running {
        let agent = std::env::current_exe().expect("this program is a file");
        let name = agent.file_name().expect("it has a name").to_string_lossy().into_owned();
        let mut guest =
            Guest::new(&self.kit).program(agent.to_string_lossy()).program(env!("CARGO_BIN_EXE_forebay"));
        for (name, address) in self.disks.power_on(number as u32) {
            guest = guest.served_disk(name, address);
        }
        let disk = if self.has_disk { "known" } else { "new" };
        let begin = if number.is_multiple_of(2) { "at-once" } else { "loaded" };
        let script = format!(
            "mkdir -p /var/lib/forebay\n\
             mount -t ext4 /dev/disk/state /var/lib/forebay || exit 1\n\
             exec {name} agent {seed} {first} {end} {disk} {last_mode} {mode} {begin}\n",
            seed = load.seed(),
            first = load.written().start,
            end = load.written().end,
            last_mode = self.last_mode,
        );
        guest.start(&script).expect("QEMU is installed")
    }
}

/// Returns an empty file system of `mib` MiB.
fn file_system(folder: &Path, mib: u64) -> Vec<u8> {
    let image = folder.join("state.img");
    fs::write(&image, vec![0; (mib * MIB) as usize]).expect("the folder is ours");
    // Its superblock is two sectors, which these disks may tear; without checksums that is harmless.
    let options = ["-q", "-F", "-t", "ext4", "-O", "^metadata_csum"];
    let made = Command::new("mke2fs").args(options).arg(&image).status();
    assert!(made.expect("`cargo xtask test` installs mke2fs").success());
    fs::read(&image).expect("the folder is ours")
}

/// A folder of this test, removed at its end.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("forebay-powercut-{}", std::process::id()));
        fs::create_dir(&path).expect("temporary folders can be made");
        Self { path }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.path).expect("the folder is ours");
    }
}
