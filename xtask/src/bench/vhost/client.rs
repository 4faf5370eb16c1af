//! Our clients as programs: the front end without a guest, the lean NBD client, and both as contenders.

use std::path::Path;

use super::race::VhostContender;
use crate::bench::alone::{number, parse};
use crate::bench::fio::Sample;
use crate::bench::server::Server;
use crate::bench::{Programs, forebay::Forebay};
use crate::run::{bounded, output};

/// Load of a front end on each of some disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) depth: u32,
    pub(super) more: &'static [&'static str],
}

impl Load {
    pub(super) fn reads(depth: u32) -> Self {
        Self { depth, more: &[] }
    }

    /// Returns writes with a flush after every 32, like fio's in the other benches.
    pub(super) fn writes(depth: u32) -> Self {
        Self { depth, more: &["--write", "--flush-every", "32"] }
    }
}

/// Returns a contender of a server behind vhost-user sockets.
pub(super) fn guest<'a>(
    programs: &'a Programs,
    name: String,
    server: &'a Server,
    sockets: Vec<std::path::PathBuf>,
    load: Load,
) -> VhostContender<'a> {
    let turn = move |seconds| {
        let mut bench = bounded(&programs.bench, seconds);
        bench
            .args(["vhost", "--depth", &load.depth.to_string(), "--seconds", &seconds.to_string()])
            .args(load.more);
        for socket in &sockets {
            bench.arg("--socket").arg(socket);
        }
        sample(&output(&mut bench)?)
    };
    VhostContender { name, server: Some(server), turn: Box::new(turn) }
}

/// Returns a contender of a server behind an NBD socket.
pub(super) fn nbd<'a>(
    programs: &'a Programs,
    name: String,
    server: &'a Server,
    (socket, export): (&'a Path, &'a str),
    (bytes, depth): (u64, u32),
) -> VhostContender<'a> {
    let turn = move |seconds: u32| nbd_load(programs, (socket, export), (bytes, depth), seconds);
    VhostContender { name, server: Some(server), turn: Box::new(turn) }
}

/// Reads 4 KiB at random places of the first `bytes` of an export, over NBD with the lean client, at this depth.
pub(in super::super) fn nbd_load(
    programs: &Programs,
    (socket, export): (&Path, &str),
    (bytes, depth): (u64, u32),
    seconds: u32,
) -> Result<Sample, String> {
    let mut bench = bounded(&programs.bench, seconds);
    bench.args(["nbd", "--export", export, "--bytes", &bytes.to_string(), "--socket"]).arg(socket);
    bench.args(["--depth", &depth.to_string(), "--seconds", &seconds.to_string()]);
    sample(&output(&mut bench)?)
}

/// Reads a disk from end to end through the front end and compares it with a file.
pub(super) fn check(programs: &Programs, socket: &Path, expect: &Path) -> Result<(), String> {
    let mut bench = bounded(&programs.bench, 0);
    output(bench.arg("vhost-check").arg("--socket").arg(socket).arg("--expect").arg(expect)).map(drop)
}

/// Does the same over NBD, for so many bytes.
pub(super) fn check_nbd(
    programs: &Programs,
    (socket, export): (&Path, &str),
    bytes: u64,
    expect: &Path,
) -> Result<(), String> {
    let mut bench = bounded(&programs.bench, 0);
    bench.args(["nbd", "--export", export, "--bytes", &bytes.to_string(), "--seconds", "0"]);
    output(bench.arg("--socket").arg(socket).arg("--expect").arg(expect)).map(drop)
}

/// Returns the vhost-user sockets of a daemon's disks.
pub(super) fn sockets(forebay: &Forebay, disks: &[&str]) -> Vec<std::path::PathBuf> {
    disks.iter().map(|disk| forebay.vhost_socket(disk)).collect()
}

fn sample(text: &str) -> Result<Sample, String> {
    let answer = parse(text)?;
    let [iops, p50_us, p99_us, requests, flushes] =
        ["iops", "p50_us", "p99_us", "requests", "flushes"].map(|key| number(&answer, key));
    Ok(Sample { iops: iops?, p50_us: p50_us?, p99_us: p99_us?, requests: requests?, flushes: flushes? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_prints_is_read_and_what_it_lacks_is_an_error() {
        let text = r#"{"measurement":"vhost","iops":2.5,"p50_us":1.0,"p99_us":2.0,"requests":5,"flushes":1}"#;
        let read = Sample { iops: 2.5, p50_us: 1.0, p99_us: 2.0, requests: 5.0, flushes: 1.0 };
        assert_eq!(sample(text), Ok(read));
        assert!(sample(r#"{"iops":2.5}"#).is_err_and(|error| error.contains("p50_us")));
        assert!(sample("").is_err());
    }
}
