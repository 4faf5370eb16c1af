//! Latency of a disk at depth 1 while another disk of its shard has a deep queue all the time.
//!
//! Turns go one after another: alone, beside the same load on another daemon, beside it on the same shard. The second one shows what the
//! load costs this machine, where clients and servers share processors; only what the third has beyond it is a matter of the shard.

use std::path::PathBuf;
use std::thread;

use super::contest::{Better, median, ratio, take_turns};
use super::fio::Sample;
use super::forebay::{Forebay, Tier};
use super::scratch::Scratch;
use super::vhost::nbd_load;
use super::{Effort, Programs, report};

const DISK_BYTES: u64 = 64 << 20;
const DEPTH: u32 = 256;
/// Target: at most twice the latency of the disk alone.
const GOAL: f64 = 0.5;

/// Measures and prints hits of both tiers.
pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let [shard, elsewhere] =
        ["forebay", "elsewhere"].map(|name| Forebay::start_on_one_shard(scratch, &programs.forebay, name));
    let (shard, elsewhere) = (shard?, elsewhere?);
    for (tier, heading) in [(Tier::Ram, "Hits in RAM"), (Tier::Flash, "Hits on flash")] {
        let disk = |forebay: &Forebay, name: &str| {
            let backing = scratch.filled_file(&format!("{name}-{tier:?}.img"), DISK_BYTES)?;
            let name = format!("{name}-{tier:?}").to_lowercase();
            forebay.add_warm_disk(scratch, &name, &backing, tier)?;
            Ok::<_, String>((forebay.nbd_socket(&name), name))
        };
        let measured = disk(&shard, "measured")?;
        let contenders = [
            ("alone", None),
            ("load elsewhere", Some(disk(&elsewhere, "far")?)),
            ("load beside", Some(disk(&shard, "near")?)),
        ];
        race(heading, programs, &measured, &contenders, effort)?;
    }
    Ok(())
}

/// Socket and name of an export.
type Target = (PathBuf, String);

fn race(
    heading: &str,
    programs: &Programs,
    measured: &Target,
    contenders: &[(&str, Option<Target>)],
    effort: Effort,
) -> Result<(), String> {
    let load = |(socket, export): &Target, depth, seconds| {
        nbd_load(programs, (socket, export), (DISK_BYTES, depth), seconds)
    };
    let turns = take_turns(effort.rounds, contenders, |(_, neighbour)| {
        thread::scope(|scope| {
            // It begins before and ends after the measurement, but for the start of a process.
            let neighbour =
                neighbour.as_ref().map(|target| scope.spawn(|| load(target, DEPTH, effort.seconds + 1)));
            let sample = load(measured, 1, effort.seconds)?;
            let neighbour = neighbour.map(|running| running.join().expect("a load does not panic"));
            Ok((sample, neighbour.transpose()?))
        })
    })?;
    let p50 = |turns: &[(Sample, Option<Sample>)]| turns.iter().map(|turn| turn.0.p50_us).collect::<Vec<_>>();
    let alone = p50(&turns[0]);
    let mut rows = Vec::new();
    for ((name, _), turns) in contenders.iter().zip(&turns) {
        let p99: Vec<f64> = turns.iter().map(|turn| turn.0.p99_us).collect();
        let loads: Vec<f64> = turns.iter().filter_map(|turn| Some(turn.1.as_ref()?.iops)).collect();
        let load = if loads.is_empty() { String::new() } else { format!("{:.0}", median(&loads)) };
        let mut row = vec![
            (*name).to_owned(),
            format!("{:.1}", median(&p50(turns))),
            format!("{:.1}", median(&p99)),
            load,
        ];
        row.extend(if rows.is_empty() {
            [const { String::new() }; 3]
        } else {
            report::judged(ratio(&p50(turns), &alone, Better::Lower), Some(GOAL))
        });
        rows.push(row);
    }
    let columns =
        ["neighbour", "p50 us", "p99 us", "IOPS of the neighbour", "ratio of p50 (range)", "goal", "verdict"];
    report::print(&format!("{heading} over NBD, 4 KiB, depth 1, beside depth {DEPTH}"), &columns, &rows);
    Ok(())
}
