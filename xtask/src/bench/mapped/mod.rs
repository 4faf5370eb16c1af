//! Forebay mapped through ublk beside the block caches of the kernel, in one guest, on one trace, with as much SSD and RAM together.
//!
//! ```text
//!   fio ──> bcache | dm-cache | dm-writecache | /dev/forebay/disk ──> backing: RAM behind a delay, full of random bytes
//!                └── SSD: RAM of the guest, whose writes are counted
//! ```
//! The guest is emulated: hits, requests and bytes count, and times do not. It takes about a quarter of an hour.
//! `four` compares some of them on four traces, with a reset at the end.

mod four;
mod trace;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use guest::{Guest, Kernel, Kit};

use super::report;
use super::scratch::Scratch;
use crate::run::run;
use crate::{built, clients};
pub(crate) use four::measure as measure_four;
use trace::Law;

const SCRIPT: &str = include_str!("contenders.sh");
/// Trace of the documented figures.
const LAW: Law = Law { requests: 20_000, pages: 192 << 8, exponent: 0.8, writes: 0.3, seed: 1 };
const BACKING_KIB: u64 = 256 << 10;
/// Size of the SSD in KiB, including the RAM of a cache that has some.
const CACHE_KIB: u64 = 32 << 10;
const KIB_OF_PAGE: u64 = 4;
/// Memory of the guest in MiB, which holds its disks: the backing, and two devices of as much room that are hardly used.
const MEMORY_MIB: u32 = 2048;
/// Time limit in seconds, far above the duration on a busy machine.
const SECONDS_MAX: u32 = 5400;
/// Arguments of the script by line: name, mode, KiB of RAM, other keys.
const CONTENDERS: &str = "\
bcache writethrough
bcache writeback
dm_cache writethrough
dm_cache writeback
dm_writecache
forebay_mapped 'Forebay write-through' write-through 1024
forebay_mapped 'Forebay write-through' write-through 24576
forebay_mapped 'Forebay write-through, admission=repeated:2' write-through 12288 admission=repeated:2
forebay_mapped 'Forebay write-through, block-size=4KiB admission=repeated:2' write-through 24576 block-size=4KiB admission=repeated:2
forebay_mapped 'Forebay write-back' write-back 1024
forebay_mapped 'Forebay write-back, block-size=4KiB admission=repeated:2' write-back 24576 block-size=4KiB admission=repeated:2
exit 0
";

/// Measures and prints.
///
/// # Errors
/// If the guest cannot be made, or a contender does not complete the trace.
pub(super) fn measure(root: &Path, scratch: &Scratch) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    // Not the release build: it takes minutes, and times do not count here.
    let programs = built::for_tests(root)?;
    let trace = trace::draw(LAW);
    let (reads, most) = trace::most_hits(&trace);
    let guest = guest_with_programs(&programs, scratch)?
        .memory_mib(MEMORY_MIB)
        .seconds_max(SECONDS_MAX)
        .file("/root/trace.1.iolog", trace::as_iolog(&trace))
        .file("/root/trace.reads", format!("{reads}\n"));
    let sizes = format!(
        "TRACE=trace WINDOWS=1 RESETS=no DEPTH=8 DELAY_MS=2\nLARGEST_KIB={BACKING_KIB} BACKING_KIB={BACKING_KIB} CACHE_KIB={CACHE_KIB}\n"
    );
    let ended = guest.run(&format!("{sizes}{SCRIPT}{CONTENDERS}"))?;
    if ended.status != 0 {
        return Err(format!("{}\nThe guest ended with status {}.", ended.output, ended.status));
    }
    let kernel =
        ended.output.lines().find_map(|line| line.strip_prefix("kernel|")).unwrap_or("of unknown release");
    let rows: Vec<Vec<String>> = ended.output.lines().filter_map(|line| row(line, reads)).collect();
    let columns = [
        "cache",
        "RAM, KiB",
        "hits",
        "backing reads",
        "backing writes",
        "SSD written, KiB",
        "dirty, KiB",
        "memory, KiB",
    ];
    let heading = format!("{} KiB of SSD and RAM on a trace of seed {}, Linux {kernel}", CACHE_KIB, LAW.seed);
    report::print(&heading, &columns, &rows);
    let (_, lru) = trace::lru(&trace, usize::try_from(CACHE_KIB / KIB_OF_PAGE).expect("a guest's RAM"));
    println!(
        "\n{reads} reads, {} writes. At most {} can be hits, as the others are the first of their page; LRU of {CACHE_KIB} KiB has {}.",
        trace.len() as u64 - reads,
        ratio(most, reads),
        ratio(lru, reads)
    );
    Ok(())
}

/// Returns a guest with the programs that the script runs.
fn guest_with_programs(programs: &Path, scratch: &Scratch) -> Result<Guest, String> {
    let guest = Guest::new(&Kit::with_kernel(Kernel::WithUblk)?)
        .program(programs.join("forebay").to_string_lossy())
        .program(make_bcache(scratch)?.to_string_lossy());
    Ok(["fio", "dmsetup", "jq"].into_iter().fold(guest, Guest::program))
}

/// Returns Debian's program that makes a bcache, taken out of its package: an installation would change the detection of disks on this
/// host.
fn make_bcache(scratch: &Scratch) -> Result<PathBuf, String> {
    let folder = scratch.folder("bcache-tools")?;
    run(Command::new("apt-get").args(["download", "--quiet", "bcache-tools"]).current_dir(&folder))?;
    let problem = |error: std::io::Error| format!("Could not look into {}: {error}.", folder.display());
    let mut files = fs::read_dir(&folder).map_err(problem)?;
    let package = files.next().ok_or("apt-get left no bcache-tools.")?.map_err(problem)?.path();
    run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(folder.join("unpacked")))?;
    let folders = ["usr/sbin", "sbin"].map(|sbin| folder.join("unpacked").join(sbin).join("make-bcache"));
    folders
        .into_iter()
        .find(|file| file.is_file())
        .ok_or_else(|| "bcache-tools has no make-bcache.".to_owned())
}

/// Returns a row of the table for a line of the script, of a trace with so many reads; none if the line has no figures.
fn row(line: &str, reads: u64) -> Option<Vec<String>> {
    let words: Vec<&str> = line.strip_prefix("figures|trace|")?.split('|').collect();
    let [name, ram, hits, backing_reads, backing_writes, ssd, dirty, memory] = words[..] else {
        return None;
    };
    let hits = ratio(hits.trim().parse().ok()?, reads);
    Some([name, ram, &hits, backing_reads, backing_writes, ssd, dirty, memory].map(str::to_owned).to_vec())
}

#[expect(clippy::cast_precision_loss, reason = "counts of a short trace")]
fn ratio(part: u64, whole: u64) -> String {
    format!("{:.4}", part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_script_become_a_row() {
        let line = "figures|trace|bcache writeback|0| 87|113|60|780|12|-";
        let expected = ["bcache writeback", "0", "0.4350", "113", "60", "780", "12", "-"].map(str::to_owned);
        assert_eq!(row(line, 200), Some(expected.to_vec()));
        assert_eq!(row("kernel|6.12.1", 200), None);
        assert_eq!(row("figures|trace|bcache|0|200", 200), None);
    }

    #[test]
    fn every_contender_is_a_function_of_the_script() {
        for line in CONTENDERS.lines().filter(|line| !line.starts_with("exit")) {
            let function = line.split(' ').next().expect("a line has a word");
            assert!(SCRIPT.contains(&format!("\n{function}() {{")), "{function}");
        }
    }
}
