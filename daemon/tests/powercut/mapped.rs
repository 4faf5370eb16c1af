//! Power failures while a file system on a mapped disk in write-back is written.
//!
//! ```text
//!   files of the guest ──> ext4 ──> ublk ──> forebay ──> /dev/disk/{pool,backing}, which lose what was not flushed
//! ```
//! Boot after boot on the same disks: the guest maps the disk again, compares every file that was synced before, and writes more.

use std::ops::Range;
use std::path::Path;

use guest::{Guest, Kernel, Kit, Running};

use crate::disks::{Disks, Plan};
use crate::stamps::Chance;
use crate::{Folder, MIB, POOL_MIB, STATE_MIB, file_system, number_from};

const BACKING_MIB: u64 = 64;
/// Cuts of an ordinary run, and the share of this test in those of a long run.
const CUTS_DEFAULT: u64 = 2;
const CUTS_PART: u64 = 5;
/// Writes and flushes of all disks from the first write of the guest to the power failure.
const OPERATIONS: Range<u64> = 100..1500;
const COMMON: &str = include_str!("../real_clients/mapped/common.sh");
const SCRIPT: &str = include_str!("mapped.sh");

pub(crate) fn power_cuts(seed: u64) {
    let cuts = number_from("FOREBAY_POWER_CUTS").map_or(CUTS_DEFAULT, |cuts| cuts / CUTS_PART);
    let folder = Folder::new();
    let disks = disks(seed, &folder.path);
    let mut chance = Chance::new(seed);
    let mut synced = 0;
    for number in 0..=cuts {
        let mut machine = start(&disks, number, synced);
        let (mut seen, mut is_same) = (String::new(), false);
        while let Some(line) = machine.line().expect("the output is a pipe") {
            match line.split_once(' ').unwrap_or((&line, "")) {
                // The last boot only compares.
                ("same", _) => {
                    is_same = true;
                    let operations = if number == cuts { 1 } else { chance.within(OPERATIONS) };
                    disks.cut_after(operations, machine.power_switch());
                }
                // A line that is printed after the power failure belongs to a flush before it.
                ("synced", files) => synced = files.parse().unwrap_or(synced),
                _ => {}
            }
            seen.push_str(&line);
            seen.push('\n');
        }
        // Once the power of the disks is cut, all requests of running programs fail.
        assert!(is_same && disks.were_cut(), "boot {number}, with {synced} files synced:\n{seen}");
        println!("boot {number}: {synced} files synced");
    }
    assert!(synced > 0, "no file was synced before the power went");
}

fn disks(seed: u64, folder: &Path) -> Disks {
    let plans = [("state", STATE_MIB), ("pool", POOL_MIB), ("backing", BACKING_MIB)];
    let plans = plans.map(|(name, mib)| Plan { name, bytes: mib * MIB });
    let disks = Disks::new(plans.into(), seed, folder);
    disks.fill("state", file_system(folder, STATE_MIB));
    disks
}

fn start(disks: &Disks, boot: u64, synced: u64) -> Running {
    let kit = Kit::with_kernel(Kernel::WithUblk).expect("`cargo xtask test` installs what a guest needs");
    let guest =
        Guest::new(&kit).program(env!("CARGO_BIN_EXE_forebay")).program("mkfs.ext4").program("e2fsck");
    let served = disks.power_on(boot as u32).into_iter();
    let guest = served.fold(guest, |guest, (name, address)| guest.served_disk(name, address));
    guest.start(&format!("boot={boot}\nsynced={synced}\n{COMMON}{SCRIPT}")).expect("QEMU is installed")
}
