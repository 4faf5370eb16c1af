//! fio as a guest that verifies its writes: each block has its own checksum, offset and seed.

use std::path::Path;

use crate::tools::{Background, run};

/// Mixed sizes of requests, in multiples of a sector, most of them not of a page.
const SIZES: &str = "--bssplit=512/10:1536/10:4k/25:5k/5:16k/20:64k/15:100k/5:256k/10";

/// Target of fio: a URI of a served disk, a raw file, or a guest's own disk, with direct I/O.
pub(crate) enum Target<'a> {
    Served(&'a str),
    File(&'a str),
    Device(&'a str),
}

/// Random writes over a part of a disk, each place once, in an order that `seed` gives.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) seed: u32,
    pub(crate) depth: u32,
    /// The part of the disk, in MiB.
    pub(crate) offset_mib: u64,
    pub(crate) length_mib: u64,
}

impl Job {
    /// Writes everything, reads it back while writing continues, and fails if anything differs.
    pub(crate) fn write_and_verify(&self, uri: &str) {
        fio(&self.write_arguments(&Target::Served(uri)));
    }

    /// Does the same in parallel to the test, in `folder`, where fio leaves its files if it fails.
    pub(crate) fn start(&self, uri: &str, folder: &Path) -> Background {
        start(&self.write_arguments(&Target::Served(uri)), folder)
    }

    /// Does the same repeatedly, until it is dropped.
    pub(crate) fn start_endless(&self, uri: &str, folder: &Path) -> Background {
        let mut arguments = self.write_arguments(&Target::Served(uri));
        arguments.push("--loops=1000000".to_owned());
        start(&arguments, folder)
    }

    /// Reads back the writes of [`Self::write_and_verify`], and fails if anything differs.
    pub(crate) fn verify(&self, target: &Target) {
        let mut arguments = self.arguments(target);
        arguments.push("--verify_only".to_owned());
        fio(&arguments);
    }

    /// Does the same in parallel to the test, in `folder`.
    pub(crate) fn start_verify(&self, uri: &str, folder: &Path) -> Background {
        let mut arguments = self.arguments(&Target::Served(uri));
        arguments.push("--verify_only".to_owned());
        start(&arguments, folder)
    }

    /// Returns [`Self::write_and_verify`] as a line for a guest's shell, on its disk `device`.
    pub(crate) fn write_line(&self, device: &str) -> String {
        format!("fio {}", self.write_arguments(&Target::Device(device)).join(" "))
    }

    /// Returns [`Self::verify`] as a line for a guest's shell, on its disk `device`.
    pub(crate) fn verify_line(&self, device: &str) -> String {
        format!("fio {} --verify_only", self.arguments(&Target::Device(device)).join(" "))
    }

    fn write_arguments(&self, target: &Target) -> Vec<String> {
        let mut arguments = self.arguments(target);
        arguments.extend(["--verify_backlog=128", "--fsync=200"].map(str::to_owned));
        arguments
    }

    fn arguments(&self, target: &Target) -> Vec<String> {
        let mut arguments: Vec<String> = [
            "--name=guest",
            "--thread",
            "--rw=randwrite",
            SIZES,
            "--blockalign=512",
            "--verify=crc32c",
            "--verify_fatal=1",
            "--verify_state_save=0",
        ]
        .map(str::to_owned)
        .into();
        match target {
            Target::Served(uri) => arguments.extend(["--ioengine=nbd".to_owned(), format!("--uri={uri}")]),
            Target::File(path) => {
                arguments.extend(["--ioengine=psync".to_owned(), format!("--filename={path}")]);
            }
            Target::Device(path) => {
                let engine = ["--ioengine=libaio", "--direct=1"].map(str::to_owned);
                arguments.extend(engine);
                arguments.push(format!("--filename={path}"));
            }
        }
        arguments.extend([
            format!("--randseed={}", self.seed),
            format!("--iodepth={}", self.depth),
            format!("--offset={}M", self.offset_mib),
            format!("--size={}M", self.length_mib),
        ]);
        arguments
    }
}

fn fio(arguments: &[String]) {
    let text = run("fio", &words(arguments));
    assert!(text.contains("err= 0"), "{text}");
}

fn start(arguments: &[String], folder: &Path) -> Background {
    Background::start("fio", &words(arguments), folder)
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}
