//! CPU time and wake-ups of a daemon whose guests do nothing, with 1, 50, 250 and 500 disks.
//!
//! A host has many idle disks, and pays for their cost per second all day. Daemons run side by side and are counted over the same seconds.
//! `FOREBAY_BESIDE` names the program of another version, which is then measured beside this one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use super::forebay::Forebay;
use super::scratch::Scratch;
use super::{Effort, Programs, report};

const DISKS: [usize; 4] = [1, 50, 250, 500];
const DISK_BYTES: u64 = 1 << 20;
const POOL_BYTES: u64 = 1 << 30;
/// Number of disks for a device of this size with the default reservations.
const DISKS_PER_DEVICE: usize = 250;
/// Time after which the work of adding a disk is over: a region is closed after at most a minute.
const SETTLE: Duration = Duration::from_secs(75);
/// Variable that names the program to measure beside ours.
const BESIDE: &str = "FOREBAY_BESIDE";

/// Counts of one process since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Usage {
    /// CPU time in nanoseconds.
    cpu_ns: u64,
    /// Number of times that a waiting thread was woken.
    wakeups: u64,
}

/// Measures and prints.
///
/// # Errors
/// If a daemon does not start, accepts no disks or ends.
pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let beside = std::env::var_os(BESIDE).map(PathBuf::from);
    let named = [("now", Some(programs.forebay.clone())), ("beside", beside)];
    let named: Vec<(&str, PathBuf)> =
        named.into_iter().filter_map(|(name, program)| Some((name, program?))).collect();
    let mut daemons = Vec::new();
    for disks in DISKS {
        for (name, program) in &named {
            daemons.push((disks, *name, start(scratch, program, name, disks)?));
        }
    }
    let seconds = Duration::from_secs(u64::from(effort.rounds) * 10);
    sleep(SETTLE);
    let usage = |(_, _, daemon): &(usize, &str, Forebay)| threads(daemon.server.process());
    let before = daemons.iter().map(usage).collect::<Result<Vec<_>, _>>()?;
    sleep(seconds);
    let after = daemons.iter().map(usage).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<Vec<String>> = (daemons.iter().zip(before.iter().zip(&after)))
        .map(|((disks, name, _), (before, after))| row(*disks, name, since(before, after), seconds))
        .collect();
    let columns = ["disks", "program", "CPU, ms/s", "wake-ups/s"];
    report::print("A daemon whose guests do nothing", &columns, &rows);
    Ok(())
}

fn start(scratch: &Scratch, program: &Path, name: &str, disks: usize) -> Result<Forebay, String> {
    let pool_size = format!("{}MiB", POOL_BYTES >> 20);
    let forebay = Forebay::start_sized(scratch, program, &format!("{name}{disks}"), &pool_size)?;
    for number in 1..disks.div_ceil(DISKS_PER_DEVICE) {
        let device = scratch.sparse_file(&format!("{name}{disks}-pool{number}.img"), POOL_BYTES)?;
        forebay.add_flash(&device)?;
    }
    for number in 0..disks {
        let disk = format!("disk{number}");
        let backing = scratch.filled_file(&format!("{name}{disks}-{disk}.img"), DISK_BYTES)?;
        forebay.add_disk(&disk, &backing)?;
        forebay.set(&disk, &["ram=1MiB"])?;
    }
    Ok(forebay)
}

#[expect(clippy::cast_precision_loss, reason = "counts of some seconds stay far below 2^52")]
fn row(disks: usize, name: &str, usage: Usage, time: Duration) -> Vec<String> {
    let per_second = |count: u64| count as f64 / time.as_secs_f64();
    vec![
        disks.to_string(),
        name.to_owned(),
        format!("{:.2}", per_second(usage.cpu_ns) / 1e6),
        format!("{:.1}", per_second(usage.wakeups)),
    ]
}

/// Returns the sum of each thread's use since `before`. A thread that ended meanwhile is missing.
fn since(before: &BTreeMap<u64, Usage>, after: &BTreeMap<u64, Usage>) -> Usage {
    after.iter().fold(Usage::default(), |sum, (thread, now)| {
        let then = before.get(thread).copied().unwrap_or_default();
        Usage {
            cpu_ns: sum.cpu_ns + now.cpu_ns.saturating_sub(then.cpu_ns),
            wakeups: sum.wakeups + now.wakeups.saturating_sub(then.wakeups),
        }
    })
}

/// Reads the counts of each thread of a process, by its number.
fn threads(process: u32) -> Result<BTreeMap<u64, Usage>, String> {
    let folder = format!("/proc/{process}/task");
    let failed = |error: std::io::Error| format!("Could not read {folder}: {error}. Has the process ended?");
    let mut threads = BTreeMap::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let number = entry.file_name().to_string_lossy().parse();
        let number: u64 = number.map_err(|_| format!("{folder} has an entry that is no thread."))?;
        // A thread may end between the list and this.
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        if let Some(usage) = parse(&read("schedstat"), &read("status")) {
            threads.insert(number, usage);
        }
    }
    if threads.is_empty() {
        return Err(format!("{folder} counts nothing: this kernel keeps no statistics of its scheduler."));
    }
    Ok(threads)
}

/// Returns the counts of a thread from its `schedstat` and `status`.
fn parse(schedstat: &str, status: &str) -> Option<Usage> {
    let cpu_ns = schedstat.split_whitespace().next()?.parse().ok()?;
    let wakeups = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    Some(Usage { cpu_ns, wakeups: wakeups.trim().parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_thread_are_found_in_the_text_of_the_kernel() {
        let status = "Name:\tshard\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(parse("4500 77 12\n", status), Some(Usage { cpu_ns: 4500, wakeups: 12 }));
        assert_eq!(parse("", status), None);
        assert_eq!(parse("4500 77 12\n", "Name:\tshard\n"), None);
    }

    #[test]
    fn threads_that_came_meanwhile_count_and_those_that_ended_do_not() {
        let of = |pairs: &[(u64, u64)]| {
            pairs
                .iter()
                .map(|&(thread, count)| (thread, Usage { cpu_ns: count * 10, wakeups: count }))
                .collect()
        };
        let used = since(&of(&[(1, 5), (2, 100)]), &of(&[(1, 8), (3, 4)]));
        assert_eq!(used, Usage { cpu_ns: 70, wakeups: 7 });
    }
}
