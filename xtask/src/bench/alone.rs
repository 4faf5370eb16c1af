//! The cache without a door: its interface on a real file beside fio on that file, disks spread over shards, the cost of its own code on
//! devices in memory, and its RAM for each block on flash. The program `bench` does the work.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::contest::{Better, median, ratio, take_turns};
use super::fio::{self, Target};
use super::scratch::Scratch;
use super::{Effort, Programs, report};
use crate::run::{is_in_path, output};

/// Paths of a request: names in the interface of `bench`, and in tables.
const JOURNEYS: [(&str, &str); 10] = [
    ("ram-hit", "read 4 KiB, hit in RAM"),
    ("at-hand", "the same as the vhost-user door asks for it"),
    ("flash-hit", "read 4 KiB, hit on flash"),
    ("miss-with-fill", "read 4 KiB, miss, enters the cache, another page goes to flash"),
    ("write", "write 4 KiB through, enters the cache"),
    ("write-back", "write 4 KiB in write-back, alone in its batch"),
    ("curve", "of a read: the curve of a disk of which 16 GiB are in use"),
    ("curve-of-all", "of a read: the curve if 4 MiB are in use, and all of it is followed"),
    ("statistics", "no request: telling all that was counted of a disk"),
    (NOTHING, "nothing: what measuring costs"),
];
const NOTHING: &str = "nothing";
/// Bytes of the cached area of `bench face`: the part of its file that fio reads too, because the rest was never written, and file systems
/// answer reads of it without the disk.
const FACE_BYTES: u64 = 384 << 20;
const FACE_GOAL: f64 = 0.90;
const DEPTH: u32 = 32;
/// Bytes of a block, GiB of flash and admission of each measured index. The learned state of a small disk is as large as that of a large
/// one.
const INDEXES: [(&str, u64, &str); 8] = [
    ("4096", 1, "always"),
    ("4096", 1, "adaptive"),
    ("4096", 1, "adaptive:hits"),
    ("4096", 4, "adaptive"),
    ("65536", 2, "always"),
    ("65536", 2, "adaptive"),
    ("65536", 4, "adaptive"),
    ("65536", 8, "adaptive"),
];
/// Requests of the shorter of two runs under callgrind, which is fifty times slower than native.
const COUNTED_REQUESTS: u64 = 5_000;
/// Environment that keeps libc from copying with string instructions, of which callgrind counts each byte as one.
pub(super) const NO_STRING_INSTRUCTIONS: &str =
    "glibc.cpu.x86_rep_movsb_threshold=4294967295:glibc.cpu.x86_rep_stosb_threshold=4294967295";

pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    face(programs, scratch, effort)?;
    shards(programs, scratch, effort)?;
    requests(programs, effort)?;
    memory(programs)
}

enum Reader {
    Face,
    Fio,
}

/// Measures hits on flash at the interface of the cache, and fio on the same file.
fn face(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let pool = scratch.path("face.img");
    let turns = take_turns(effort.rounds, &[Reader::Face, Reader::Fio], |reader| match reader {
        Reader::Face => {
            let mut bench = Command::new(&programs.bench);
            bench.arg("face").arg("--file").arg(&pool);
            bench.args(["--depth", &DEPTH.to_string(), "--seconds", &effort.seconds.to_string()]);
            let answer = parse(&output(&mut bench)?)?;
            if answer["direct"] == false {
                println!(
                    "Beware: the pool's file is in the page cache here. Set TMPDIR to a folder on a disk."
                );
            }
            number(&answer, "iops")
        }
        Reader::Fio => {
            let target = Target::File { path: &pool, bytes: FACE_BYTES };
            Ok(fio::random(scratch, target, fio::Access::Read, DEPTH, effort.seconds)?.iops)
        }
    })?;
    let row = |name: &str, iops: &[f64], judged: [String; 3]| {
        [vec![name.to_owned(), format!("{:.0}", median(iops))], judged.to_vec()].concat()
    };
    let rows = [
        row("face of the cache", &turns[0], [const { String::new() }; 3]),
        row(
            "fio io_uring O_DIRECT",
            &turns[1],
            report::judged(ratio(&turns[0], &turns[1], Better::Higher), Some(FACE_GOAL)),
        ),
    ];
    let columns = ["reader", "IOPS", "ratio of IOPS (range)", "goal", "verdict"];
    report::print("Hits on flash at the face of the cache, 4 KiB, depth 32", &columns, &rows);
    Ok(())
}

/// Shards and disks of each contender, and its name in tables.
const SPREADS: [([&str; 2], &str); 5] = [
    (["1", "2"], "2 disks on 1 shard"),
    (["2", "2"], "2 disks on 2 shards"),
    (["1", "1"], "1 disk on 1 shard"),
    (["1", "16"], "16 disks on 1 shard"),
    (["2", "16"], "16 disks on 2 shards"),
];
/// Contender with which each one is compared, and the target of the ratio.
const HELD_AGAINST: [Option<(usize, f64)>; 5] = [None, Some((0, 1.0)), None, Some((2, 0.91)), Some((2, 1.0))];

/// Measures hits on flash with disks spread over shards, at the same total depth.
fn shards(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let pool = scratch.path("shards.img");
    let turns = take_turns(effort.rounds, &SPREADS, |([shards, disks], _)| {
        let mut bench = Command::new(&programs.bench);
        bench.arg("shards").arg("--file").arg(&pool).args(["--shards", shards, "--disks", disks]);
        bench.args(["--depth", &DEPTH.to_string(), "--seconds", &effort.seconds.to_string()]);
        number(&parse(&output(&mut bench)?)?, "iops")
    })?;
    let mut rows = Vec::new();
    for (at, (_, meaning)) in SPREADS.iter().enumerate() {
        let judged = HELD_AGAINST[at].map(|(other, goal)| {
            report::judged(ratio(&turns[at], &turns[other], Better::Higher), Some(goal)).to_vec()
        });
        let mut row = vec![(*meaning).to_owned(), format!("{:.0}", median(&turns[at]))];
        row.extend(judged.unwrap_or_else(|| vec![String::new(); 3]));
        rows.push(row);
    }
    let columns = ["disks and shards", "IOPS", "ratio of IOPS (range)", "goal", "verdict"];
    report::print("Hits on flash with disks spread over shards, 4 KiB, depth 32 in all", &columns, &rows);
    Ok(())
}

/// Measures nanoseconds and instructions of the cache's own code.
fn requests(programs: &Programs, effort: Effort) -> Result<(), String> {
    let nanos = take_turns(effort.rounds, &JOURNEYS, |(journey, _)| {
        let mut bench = Command::new(&programs.bench);
        let answer = parse(&output(bench.args(["requests", "--journey", journey]))?)?;
        number(&answer, "nanos")
    })?;
    let counts = is_in_path("valgrind");
    if !counts {
        println!("Instructions are left out, for valgrind is not here (Debian package valgrind).");
    }
    let mut rows = Vec::new();
    for ((journey, meaning), nanos) in JOURNEYS.iter().zip(&nanos) {
        let nanos = median(nanos);
        let mut row = vec![(*meaning).to_owned(), format!("{nanos:.0}"), String::new(), String::new()];
        if *journey != NOTHING {
            row[2] = format!("{:.0}", 1e9 / nanos);
            if counts {
                row[3] = instructions(programs, journey)?.to_string();
            }
        }
        rows.push(row);
    }
    let columns = ["request", "ns/request", "requests/s of a core", "instructions/request"];
    report::print("The cache alone, on devices in memory, one request after another", &columns, &rows);
    Ok(())
}

/// Returns the instructions of one request: the difference between a run and one with twice as many requests, so that start and warm-up do
/// not count.
fn instructions(programs: &Programs, journey: &str) -> Result<u64, String> {
    let single = collected(programs, journey, COUNTED_REQUESTS)?;
    let double = collected(programs, journey, 2 * COUNTED_REQUESTS)?;
    Ok(double.saturating_sub(single) / COUNTED_REQUESTS)
}

fn collected(programs: &Programs, journey: &str, count: u64) -> Result<u64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&programs.bench);
    valgrind.args(["requests", "--journey", journey, "--count", &count.to_string()]);
    valgrind.env("GLIBC_TUNABLES", NO_STRING_INSTRUCTIONS);
    let ran = valgrind
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("Could not start valgrind: {error}."))?;
    let said = String::from_utf8_lossy(&ran.stderr);
    parse_collected(&said).ok_or_else(|| format!("callgrind counted nothing for {journey}. It said: {said}"))
}

/// Returns the number in callgrind's last message: `==PID== Collected : 123`.
pub(super) fn parse_collected(said: &str) -> Option<u64> {
    let (_, rest) = said.rsplit_once("Collected : ")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Measures the RAM of the index, with checksums and state of the policy.
fn memory(programs: &Programs) -> Result<(), String> {
    let mut rows = Vec::new();
    for (block_bytes, gib, admission) in INDEXES {
        let mut bench = Command::new(&programs.bench);
        let flash_bytes = (gib << 30).to_string();
        bench.args(["index", "--block-bytes", block_bytes, "--flash-bytes", &flash_bytes]);
        let text = output(bench.args(["--admission", admission]))?;
        for line in text.lines() {
            let answer = parse(line)?;
            let [blocks, cached, index] =
                ["blocks", "cached_bytes", "index_bytes"].map(|key| number(&answer, key));
            let (blocks, cached, index) = (blocks?, cached?, index?);
            rows.push(vec![
                block_bytes.to_owned(),
                format!("{gib} GiB"),
                admission.to_owned(),
                answer["when"].as_str().unwrap_or_default().to_owned(),
                format!("{blocks:.0}"),
                format!("{:.1}", index / blocks),
                format!("{:.3} %", index / cached * 100.0),
                format!("{:.3} %", index / number(&answer, "flash_bytes")? * 100.0),
            ]);
        }
    }
    let columns = [
        "block bytes",
        "flash",
        "admission",
        "when",
        "blocks",
        "RAM bytes/block",
        "of what is cached",
        "of the flash",
    ];
    report::print("RAM of the index, checksums and policy included", &columns, &rows);
    Ok(())
}

pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("Could not read what `bench` printed: {error}: {text}"))
}

pub(super) fn number(answer: &Value, key: &str) -> Result<f64, String> {
    answer[key].as_f64().ok_or_else(|| format!("`bench` printed no `{key}`: {answer}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_what_callgrind_says() {
        let said =
            "==7== Events    : Ir\n==7== Collected : 1234567\n==7== \n==7== I   refs:      1,234,567\n";
        assert_eq!(parse_collected(said), Some(1_234_567));
        assert_eq!(parse_collected("valgrind: not found"), None);
    }

    #[test]
    fn a_figure_that_is_missing_is_an_error() {
        let answer = parse("{\"iops\":12}").expect("it is JSON");
        assert_eq!(number(&answer, "iops"), Ok(12.0));
        assert!(number(&answer, "nanos").is_err());
        assert!(parse("panicked").is_err());
    }
}
