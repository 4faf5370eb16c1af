//! Write-back: random 4 KiB writes beside the raw file and beside others that acknowledge before the disk has the data, and their cost in
//! flash. Cost of destage for a spinning array and its guests. Time until a start knows a dirty set.
//!
//! All files are written from end to end first, those of the others too: the first write into a reserved place costs a file system
//! additional work. While others are compared, destage is limited to 1 MiB/s, so that the writes are measured. An array is a model in
//! virtual time, so that the load of this machine has no effect.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::alone::{number, parse};
use super::contest::{Better, median, ratio, take_turns};
use super::fio::{self, Sample, Target};
use super::forebay::Forebay;
use super::peers::Peer;
use super::scratch::Scratch;
use super::server::Server;
use super::{Effort, Programs, report};
use crate::run::output;

/// Size of the area of random writes.
const AREA_BYTES: u64 = 256 << 20;
/// Dirty limit: twice as much and a little, so that no writer is throttled.
const DIRTY_MIB: u64 = 544;
/// Size of the pool for that dirty limit, with room for the writes of one turn beyond it.
const POOL_BYTES: u64 = 4 << 30;
const DEPTHS: [u32; 2] = [1, 32];
/// Name in a table, depths, and arguments of `bench writes`. First those with targets.
const FACES: &[(&str, &[u32], &[&str])] = &[
    ("written before, segments of 32 MiB", &[1, 8, 32], &[]),
    ("written before, segments of 1 MiB", &[1, 32], &["--segment-bytes", "1048576"]),
    ("only reserved, segments of 32 MiB", &[1, 32], &["--storage", "reserved"]),
];
/// Name of the disk.
const DISK: &str = "writes";
/// Target: part of the raw file's speed.
const RAW_GOAL: f64 = 0.85;
const AHEAD: f64 = 1.0;
const PROFILES: [&str; 2] = ["hdd-15k-raid5x5", "hdd-10k-raid0x11"];
/// Target: seek time as writes arrive, divided by that of destage.
const SEEKS_GOAL: f64 = 4.0;
/// The same in consistent order, for each profile; seeks of the ring count.
const CONSISTENT_SEEKS_GOALS: [f64; 2] = [2.5, 4.0];
/// Target: the age of the promise, in seconds.
const AGE_GOAL: f64 = 5.0;
/// Target: the p99 of guests beside destage, divided by that without.
const P99_GOAL: f64 = 2.0;
const CONSISTENT_P99_GOAL: f64 = 2.2;
/// Target: destage beside guests, divided by the array's best rate in address order.
const DESTAGE_GOAL: f64 = 0.30;
/// Number of writes of a burst of 256 MiB.
const BURST_WRITES: u64 = (256 << 20) / 4096;
/// Maximum number of rounds: each fills a pool, which takes longer than the measured part.
const RECOVERIES_MAX: u32 = 3;

pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    over_nbd(programs, scratch, effort)?;
    at_the_face(programs, scratch, effort)?;
    bursts(programs)?;
    beside_guests(programs, effort)?;
    ages(programs)?;
    recovery(programs, scratch, effort)
}

/// Contender over NBD.
enum WriteTarget<'a> {
    Raw(&'a Path),
    Nbd(&'a str),
}

fn over_nbd(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let raw = scratch.filled_file("writes-raw.img", AREA_BYTES)?;
    let start = |name| {
        let backing = scratch.filled_file(&format!("{name}-backing.img"), AREA_BYTES)?;
        let pool = scratch.zeroed_file(&format!("{name}-pool.img"), POOL_BYTES)?;
        Ok::<_, String>((Forebay::start_on(scratch, &programs.forebay, name, &pool)?, backing))
    };
    let (forebay, backing) = start("one")?;
    let uri = forebay.add_write_back_disk(DISK, &backing, DIRTY_MIB)?;
    let (mirrored, backing) = start("two")?;
    mirrored.add_device(&scratch.zeroed_file("two-more-pool.img", POOL_BYTES)?)?;
    let mirrored_uri = mirrored.add_write_back_disk(DISK, &backing, DIRTY_MIB)?;
    let mut others = peers(scratch)?;
    let mut servers: Vec<(&str, String, Option<f64>, Server)> = Vec::new();
    for peer in &mut others {
        if let Some(server) = peer.start(scratch)? {
            servers.push((peer.name, peer.uri.clone(), peer.goal, server));
        }
    }
    let mut contenders = vec![("forebay", WriteTarget::Nbd(&uri), None)];
    contenders.push(("fio on the raw file, O_DIRECT, no server", WriteTarget::Raw(&raw), Some(RAW_GOAL)));
    contenders.extend(servers.iter().map(|(name, uri, goal, _)| (*name, WriteTarget::Nbd(uri), *goal)));
    contenders.push(("forebay, two copies on files of this disk", WriteTarget::Nbd(&mirrored_uri), None));
    for depth in DEPTHS {
        let before = [forebay.written(DISK)?, mirrored.written(DISK)?];
        let turns = take_turns(effort.rounds, &contenders, |(_, contender, _)| {
            let target = match contender {
                WriteTarget::Raw(path) => Target::File { path, bytes: AREA_BYTES },
                WriteTarget::Nbd(uri) => Target::Nbd { uri },
            };
            fio::random(scratch, target, fio::Access::Write, depth, effort.seconds)
        })?;
        let after = [forebay.written(DISK)?, mirrored.written(DISK)?];
        let names: Vec<_> = contenders.iter().map(|(name, _, goal)| (*name, *goal)).collect();
        report_contest(
            &format!("Random 4 KiB writes over NBD, depth {depth}, a flush every 32"),
            &names,
            &turns,
        );
        let [one, two] = [0, 1].map(|which| {
            let ((guest, flash), (guest_then, flash_then)) = (after[which], before[which]);
            (flash - flash_then) / (guest - guest_then)
        });
        println!(
            "Forebay wrote {one:.2} bytes to flash for each byte of its guest, {two:.2} with two copies."
        );
    }
    Ok(())
}

/// Returns others that serve over NBD: two that acknowledge from memory, then the cost of a door by itself.
fn peers(scratch: &Scratch) -> Result<[Peer; 4], String> {
    let file = |name: &str| scratch.filled_file(&format!("writes-{name}.img"), AREA_BYTES);
    Ok([
        Peer::nbdkit_cache(scratch, "nbdkit cache filter, writeback", &file("nbdkit")?).goal(AHEAD),
        Peer::qemu_nbd_writeback(scratch, "qemu-nbd cache=writeback", &file("qemu")?).goal(AHEAD),
        Peer::qemu_nbd_direct(scratch, "qemu-nbd cache=none on the raw file", &file("direct")?),
        Peer::null(scratch, "qemu-storage-daemon without any data", AREA_BYTES),
    ])
}

fn report_contest(heading: &str, contenders: &[(&str, Option<f64>)], turns: &[Vec<Sample>]) {
    let each = |turns: &[Sample], get: fn(&Sample) -> f64| turns.iter().map(get).collect::<Vec<_>>();
    let ours = each(&turns[0], |sample| sample.iops);
    let mut rows = Vec::new();
    for ((name, goal), turns) in contenders.iter().zip(turns) {
        let iops = each(turns, |sample| sample.iops);
        let mut row = vec![
            (*name).to_owned(),
            format!("{:.0}", median(&iops)),
            format!("{:.1}", median(&each(turns, |sample| sample.p50_us))),
            format!("{:.1}", median(&each(turns, |sample| sample.requests / sample.flushes.max(1.0)))),
        ];
        row.extend(if rows.is_empty() {
            [const { String::new() }; 3]
        } else {
            report::judged(ratio(&ours, &iops, Better::Higher), *goal)
        });
        rows.push(row);
    }
    let columns = ["who", "IOPS", "p50 us", "writes per flush", "ratio of IOPS (range)", "goal", "verdict"];
    report::print(heading, &columns, &rows);
}

/// Measures the cache without a door and without a separate client, beside the same loop on the file itself.
fn at_the_face(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let file = scratch.path("writes-face.img");
    let write = |writer: &str, depth: u32, more: &[&str]| {
        let mut bench = Command::new(&programs.bench);
        bench.args(["writes", "--writer", writer, "--depth", &depth.to_string(), "--file"]).arg(&file);
        bench.args(more);
        parse(&output(&mut bench)?)
    };
    let seconds = effort.seconds.to_string();
    let mut rows = Vec::new();
    for (name, depths, more) in FACES {
        for depth in *depths {
            let turns = take_turns(effort.rounds, &["cache", "file"], |writer| {
                write(writer, *depth, &[&["--seconds", &seconds], *more].concat())
            })?;
            let [cache, raw] = [&turns[0], &turns[1]].map(|turns| column(turns, "iops"));
            let (cache, raw) = (cache?, raw?);
            let flash = median(&column(&turns[0], "flash_bytes")?) / median(&column(&turns[0], "bytes")?);
            let goal = (more.is_empty() && DEPTHS.contains(depth)).then_some(RAW_GOAL);
            let mut row = vec![(*name).to_owned(), depth.to_string()];
            row.extend([&cache, &raw].map(|iops| format!("{:.0}", median(iops))));
            row.extend(report::judged(ratio(&cache, &raw, Better::Higher), goal));
            row.push(format!("{flash:.2}"));
            rows.push(row);
        }
    }
    let columns = [
        "file",
        "depth",
        "cache, IOPS",
        "raw file, IOPS",
        "ratio (range)",
        "goal",
        "verdict",
        "flash bytes per byte",
    ];
    report::print("Random 4 KiB writes at the face of the cache, a flush every 32", &columns, &rows);
    let burst = take_turns(effort.rounds, &["cache", "file"], |writer| {
        write(writer, 32, &["--area", &(512u64 << 20).to_string(), "--count", &BURST_WRITES.to_string()])
    })?;
    let seconds = |turns: &[Value]| Ok::<_, String>(median(&column(turns, "nanos")?) / 1e9);
    println!(
        "A burst of 256 MiB in 512 MiB, depth 32: taken in {:.2} s, by the raw file in {:.2} s.",
        seconds(&burst[0])?,
        seconds(&burst[1])?
    );
    Ok(())
}

fn column(answers: &[Value], key: &str) -> Result<Vec<f64>, String> {
    answers.iter().map(|answer| number(answer, key)).collect()
}

/// Measures a burst of random writes on modelled arrays: as it arrives, and destaged.
fn bursts(programs: &Programs) -> Result<(), String> {
    let mut rows = Vec::new();
    for (profile, consistent_goal) in PROFILES.into_iter().zip(CONSISTENT_SEEKS_GOALS) {
        let mut bench = Command::new(&programs.bench);
        let text = output(bench.args(["burst", "--profile", profile]))?;
        let ways = text.lines().map(parse).collect::<Result<Vec<_>, _>>()?;
        let [arrival, destage, consistent] = &ways[..] else {
            return Err(format!("`bench burst` printed {text}"));
        };
        let seeks = |way: &Value| Ok::<_, String>(number(way, "seek_nanos")? / 1e9);
        let arrival_seeks = seeks(arrival)?;
        for (order, way, goal) in
            [("address", destage, SEEKS_GOAL), ("consistent", consistent, consistent_goal)]
        {
            let times = arrival_seeks / seeks(way)?;
            rows.push(vec![
                profile.to_owned(),
                order.to_owned(),
                format!("{arrival_seeks:.1}"),
                format!("{:.1}", seeks(way)?),
                format!("{times:.1}"),
                format!("{goal:.1}"),
                at_least(times, goal),
                format!("{:.0}", number(arrival, "nanos")? / 1e9),
                format!("{:.0}", number(way, "nanos")? / 1e9),
            ]);
        }
    }
    let columns = [
        "array",
        "order",
        "seek s, as it arrives",
        "seek s, destaged",
        "times fewer",
        "goal",
        "verdict",
        "s in all, as it arrives",
        "s in all, destaged",
    ];
    report::print("256 MiB of random 4 KiB writes in 512 MiB, modelled arrays", &columns, &rows);
    Ok(())
}

/// Measures guests' reads on modelled arrays, with and without destage beside them. In virtual time, but the rotation of a spindle is drawn
/// for each run, and destage adapts to request times: so runs differ.
fn beside_guests(programs: &Programs, effort: Effort) -> Result<(), String> {
    let mut rows = Vec::new();
    let orders = [("address", None, P99_GOAL), ("consistent", Some("--consistent"), CONSISTENT_P99_GOAL)];
    for (profile, (order, option, goal)) in
        PROFILES.iter().flat_map(|profile| orders.map(|order| (profile, order)))
    {
        let mut answers = Vec::new();
        for _ in 0..effort.rounds {
            let mut bench = Command::new(&programs.bench);
            bench.args(["beside", "--profile", profile]).args(option);
            answers.push(parse(&output(&mut bench)?)?);
        }
        let get = |key| column(&answers, key).map(|values| median(&values));
        let slower = get("busy_p99")? / get("idle_p99")?;
        let [destage, sorted] =
            ["destage_bytes_per_second", "sorted_bytes_per_second"].map(|key| column(&answers, key));
        let shares: Vec<f64> =
            destage?.iter().zip(sorted?).map(|(destage, sorted)| destage / sorted).collect();
        let (least, most) = shares
            .iter()
            .fold((f64::MAX, 0.0), |(least, most): (f64, f64), share| (least.min(*share), most.max(*share)));
        let share = median(&shares);
        rows.push(vec![
            (*profile).to_owned(),
            order.to_owned(),
            format!("{:.0}", get("guest_reads_per_second")?),
            format!("{:.1}", get("idle_p99")? / 1e6),
            format!("{:.1}", get("busy_p99")? / 1e6),
            format!("{slower:.2}"),
            format!("{goal:.1}"),
            at_most(slower, goal),
            format!("{:.2}", get("sorted_bytes_per_second")? / 1e6),
            format!("{:.2}", get("destage_bytes_per_second")? / 1e6),
            format!("{:.0} % ({:.0} to {:.0})", share * 100.0, least * 100.0, most * 100.0),
            at_least(share, DESTAGE_GOAL),
        ]);
    }
    let columns = [
        "array",
        "order",
        "guest reads/s",
        "p99 idle, ms",
        "p99 beside destage, ms",
        "times",
        "goal",
        "verdict",
        "sorted writes at best, MB/s",
        "destage, MB/s",
        "share (range)",
        "goal 30 %",
    ];
    report::print(
        "Guests at half the array's read rate, 80 % hits, beside destage, modelled arrays",
        &columns,
        &rows,
    );
    Ok(())
}

/// Measures the age of the promise of a redo ring on modelled arrays.
fn ages(programs: &Programs) -> Result<(), String> {
    let mut rows = Vec::new();
    for profile in PROFILES {
        for rate in ["10", "50", "90"] {
            for limit in [None, Some("5")] {
                let mut bench = Command::new(&programs.bench);
                bench.args(["age", "--profile", profile, "--rate-percent", rate]);
                if let Some(seconds) = limit {
                    bench.args(["--age-max", seconds]);
                }
                let answer = parse(&output(&mut bench)?)?;
                let get = |key| number(&answer, key);
                let most = get("age_max")?.max(get("burst_age_max")?) / 1e9;
                rows.push(vec![
                    profile.to_owned(),
                    format!("{rate} %"),
                    limit.map_or("off".to_owned(), |seconds| format!("{seconds} s")),
                    format!("{:.0}", get("wanted_bytes_per_second")? / 1e6),
                    format!("{:.0}", get("written_bytes_per_second")? / 1e6),
                    format!("{:.2}", get("age_p50")? / 1e9),
                    format!("{:.2}", get("age_max")? / 1e9),
                    format!("{:.2}", get("burst_age_max")? / 1e9),
                    at_most(most, AGE_GOAL),
                ]);
            }
        }
    }
    let columns = [
        "array",
        "of its sequential rate",
        "consistent-age-max",
        "wanted, MB/s",
        "written, MB/s",
        "age p50, s",
        "age at most, s",
        "after a burst of 256 MiB, s",
        "goal 5 s",
    ];
    report::print("Age of consistent write-back, its ring on the same modelled array", &columns, &rows);
    Ok(())
}

/// Measures the time until a start knows a dirty set after a kill.
fn recovery(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let file = scratch.path("writes-recovery.img");
    let mut rows = Vec::new();
    for (place, path) in [("memory", None), ("file", Some(&file))] {
        let (mut pages, mut seconds) = (0.0, Vec::new());
        for _ in 0..effort.rounds.min(RECOVERIES_MAX) {
            let mut bench = Command::new(&programs.bench);
            bench.arg("dirty-recovery");
            if let Some(path) = path {
                bench.arg("--file").arg(path);
            }
            let answer = parse(&output(&mut bench)?)?;
            pages = number(&answer, "pages")?;
            seconds.push(number(&answer, "nanos")? / 1e9);
        }
        rows.push(vec![
            place.to_owned(),
            format!("{pages:.0}"),
            format!("{:.0}", median(&seconds) * 1e3),
            format!("{:.2}", median(&seconds) * 1e6 / pages),
        ]);
    }
    let columns = ["flash", "dirty pages", "ms until guests are served", "s per million pages"];
    report::print("From a kill with a dirty set to the first request", &columns, &rows);
    Ok(())
}

fn at_least(value: f64, goal: f64) -> String {
    if value >= goal {
        "reached".to_owned()
    } else {
        format!("missed by {:.0} %", (1.0 - value / goal) * 100.0)
    }
}

fn at_most(value: f64, goal: f64) -> String {
    if value <= goal {
        "reached".to_owned()
    } else {
        format!("missed by {:.0} %", (value / goal - 1.0) * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_bounds_from_below_or_from_above() {
        assert_eq!([at_least(4.0, 4.0), at_least(3.0, 4.0)], ["reached", "missed by 25 %"]);
        assert_eq!([at_most(2.0, 2.0), at_most(3.0, 2.0)], ["reached", "missed by 50 %"]);
    }

    #[test]
    fn a_figure_that_an_answer_lacks_is_an_error() {
        let answers = [serde_json::json!({ "iops": 1.0 }), serde_json::json!({})];
        assert_eq!(column(&answers[..1], "iops"), Ok(vec![1.0]));
        assert!(column(&answers, "iops").is_err());
    }
}
