//! A run of fio: 4 KiB random reads or writes for a while, or one pass over a whole disk to warm it up.
//!
//! fio prints a line of its own before its JSON, so the JSON goes to a file.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::scratch::Scratch;

/// Time beyond its load after which a run is ended, in seconds: a server that hangs must not hang the bench.
const GRACE_SECONDS: u32 = 60;

/// Target of fio's requests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// NBD export.
    Nbd { uri: &'a str },
    /// First `bytes` of a file, bypassing the page cache.
    File { path: &'a Path, bytes: u64 },
}

/// Results of fio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) iops: f64,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) requests: f64,
    pub(super) flushes: f64,
}

/// Writes after which fio sends a flush. With many in flight it sends more, until the first one has ended.
const WRITES_PER_FLUSH: u32 = 32;

/// Does random 4 KiB reads, or writes with flushes among them, `depth` of them in flight, for `seconds`.
pub(super) fn random(
    scratch: &Scratch,
    target: Target,
    access: Access,
    depth: u32,
    seconds: u32,
) -> Result<Sample, String> {
    let mut load = ["--bs=4k", "--norandommap", "--randrepeat=0", "--time_based"].map(str::to_owned).to_vec();
    load.extend([format!("--iodepth={depth}"), format!("--runtime={seconds}")]);
    load.extend(match access {
        Access::Read => vec!["--rw=randread".to_owned()],
        Access::Write => vec!["--rw=randwrite".to_owned(), format!("--fsync={WRITES_PER_FLUSH}")],
        Access::WriteData => vec!["--rw=randwrite".to_owned(), format!("--fdatasync={WRITES_PER_FLUSH}")],
    });
    load.extend(engine(target, access));
    run(scratch, &load, seconds + GRACE_SECONDS)
}

/// Reads everything once in order.
pub(super) fn read_all(scratch: &Scratch, target: Target) -> Result<(), String> {
    let mut load = ["--rw=read", "--bs=64k", "--iodepth=1"].map(str::to_owned).to_vec();
    load.extend(engine(target, Access::Read));
    run(scratch, &load, GRACE_SECONDS).map(drop)
}

/// Requests of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// With a flush of data alone, not of a file's times, like a server's for a guest's flush.
    WriteData,
}

fn engine(target: Target, access: Access) -> Vec<String> {
    let mut engine = match target {
        Target::Nbd { uri } => vec!["--ioengine=nbd".to_owned(), format!("--uri={uri}")],
        Target::File { path, bytes } => vec![
            "--ioengine=io_uring".to_owned(),
            "--direct=1".to_owned(),
            format!("--filename={}", path.display()),
            format!("--size={bytes}"),
        ],
    };
    if access == Access::Read {
        engine.push("--readonly".to_owned());
    }
    engine
}

fn run(scratch: &Scratch, load: &[String], seconds_max: u32) -> Result<Sample, String> {
    let answer = scratch.path("fio.json");
    let mut fio = Command::new("timeout");
    fio.args(["--foreground", "--kill-after=5", &seconds_max.to_string(), "fio", "--name=bench"]);
    fio.args(["--output-format=json", &format!("--output={}", answer.display())]).args(load);
    let ran = fio.stdout(Stdio::null()).output().map_err(|error| format!("Could not start fio: {error}."))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        return Err(format!("`fio {}` failed ({}): {}", load.join(" "), ran.status, said.trim()));
    }
    let text = std::fs::read_to_string(&answer)
        .map_err(|error| format!("Could not read fio's answer in {}: {error}.", answer.display()))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Sample, String> {
    let answer: Value =
        serde_json::from_str(text).map_err(|error| format!("Could not read fio's answer: {error}."))?;
    let job = &answer["jobs"][0];
    if job["error"] != 0 {
        return Err(format!("fio's requests failed with errno {}.", job["error"]));
    }
    // The output has both directions, also that without requests.
    let wrote = job["write"]["total_ios"].as_f64().is_some_and(|count| count > 0.0);
    let done = if wrote { &job["write"] } else { &job["read"] };
    let number = |value: &Value, name: &str| value.as_f64().ok_or(format!("fio's answer has no {name}."));
    Ok(Sample {
        iops: number(&done["iops"], "iops")?,
        p50_us: number(&done["clat_ns"]["percentile"]["50.000000"], "median latency")? / 1000.0,
        p99_us: number(&done["clat_ns"]["percentile"]["99.000000"], "99th percentile of latency")? / 1000.0,
        requests: number(&done["total_ios"], "count of requests")?,
        flushes: job["sync"]["total_ios"].as_f64().unwrap_or(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let text = r#"{"jobs":[{"error":0,"read":{"iops":1500.5,"total_ios":3001,
            "clat_ns":{"percentile":{"50.000000":12032,"99.000000":50000}}}}]}"#;
        let read = Sample { iops: 1500.5, p50_us: 12.032, p99_us: 50.0, requests: 3001.0, flushes: 0.0 };
        assert_eq!(parse(text), Ok(read));
        let text = r#"{"jobs":[{"error":0,"read":{"iops":0,"total_ios":0},"sync":{"total_ios":94},
            "write":{"iops":1500.5,"total_ios":3001,"clat_ns":{"percentile":{"50.000000":12032,"99.000000":50000}}}}]}"#;
        assert_eq!(parse(text), Ok(Sample { flushes: 94.0, ..read }));
    }

    #[test]
    fn failed_requests_and_missing_figures_are_errors() {
        let error = parse(r#"{"jobs":[{"error":5,"read":{}}]}"#).expect_err("requests failed");
        assert!(error.contains("errno 5"), "{error}");
        let error = parse(r#"{"jobs":[{"error":0,"read":{}}]}"#).expect_err("nothing is there");
        assert!(error.contains("no iops"), "{error}");
        assert!(parse("fio: one line too many").is_err());
    }
}
