//! The vhost-user door beside others, with a front end without a guest; hits over NBD with a lean client; instructions of a hit.
//!
//! The same binary of the front end drives all of them: 4 KiB at random places, one queue, event indices, indirect descriptors. It sleeps
//! until it is interrupted, and so do the servers: Forebay has `poll-max = "off"`, and qemu-storage-daemon an iothread with
//! `poll-max-ns=0`. Hits in RAM are also measured with both polling for 50 us, which is Forebay's default. Before reads are measured, the
//! whole disk is compared with the file; for misses it is compared afterwards, because that would warm the cache. Written data is not read
//! back.

mod client;
mod race;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(super) use self::client::nbd_load;
use self::client::{Load, check, check_nbd, guest, nbd, sockets};
use self::race::{Claim, VhostContender, VhostMetric, race};
use super::alone::{NO_STRING_INSTRUCTIONS, parse, parse_collected};
use super::fio::{self, Target};
use super::forebay::{Forebay, Reads, Tier};
use super::peers::Peer;
use super::scratch::Scratch;
use super::{Effort, Programs, report};
use crate::run::{bounded, is_in_path, output};

const RAM_DISK: &str = "ram-disk.img";
const RAM_DISK_BYTES: u64 = 64 << 20;
/// Size of a disk that fits the processor's caches.
const NEAR_DISK_BYTES: u64 = 1 << 20;
const FLASH_DISK_BYTES: u64 = 256 << 20;
const DISKS: u64 = 16;
const WRITE_DISK_BYTES: u64 = 256 << 20;
const WRITE_POOL_BYTES: u64 = 4 << 30;
const WRITE_DIRTY_MIB: u64 = 544;
/// Size of a disk that is much larger than the pool in front of it, so that reads seldom hit.
const MISS_DISK_BYTES: u64 = 1 << 30;
const MISS_POOL: &str = "128MiB";
/// Forebay's default time of polling, in microseconds.
const POLL_US: u32 = 50;

/// Target for equal speed, with a tolerance for differences between runs.
const AS_FAST: f64 = 0.95;
const NOT_BEHIND: f64 = 1.0;
const HALF: f64 = 2.0;
/// Targets of misses: p50 at most 1.1 times that of the backing, and at depth 1 at most 5 us more.
const MISS: f64 = 1.0 / 1.1;
const MISS_MORE_US: f64 = 5.0;
const WRITES: f64 = 0.85;

/// Requests of the shorter of two runs under callgrind, and its time limit for the start.
const COUNTED_REQUESTS: u64 = 10_000;
const START_TIME_MAX: Duration = Duration::from_mins(2);
const START_LOOK: Duration = Duration::from_millis(50);

/// Measures and prints.
pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let forebay = Forebay::start(scratch, &programs.forebay)?;
    ram_hits(programs, &forebay, scratch, effort)?;
    near_hits(programs, &forebay, scratch, effort)?;
    adaptive_polling(programs, scratch, effort)?;
    over_nbd(programs, &forebay, scratch, effort)?;
    flash_hits(programs, &forebay, scratch, effort)?;
    sixteen(programs, scratch, effort)?;
    misses(programs, effort)?;
    writes(programs, scratch, effort)?;
    instructions(programs, scratch)
}

/// Returns the claim that the contender `ours` is at least as good as `theirs` times `goal`.
fn claim(ours: usize, theirs: usize, figure: VhostMetric, goal: Option<f64>) -> Claim {
    Claim { ours, theirs, figure, goal }
}

fn ram_hits(programs: &Programs, forebay: &Forebay, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let peer = Peer::vhost(scratch, "qemu-storage-daemon null-co", &null_device());
    let backing = scratch.filled_file(RAM_DISK, RAM_DISK_BYTES)?;
    let pair = Pair { forebay, disk: "ram", peer, backing: &backing };
    pair.race(programs, scratch, effort, "Hits in RAM over vhost-user, 4 KiB", &[1, 32, 256])
}

/// Measures the same on a disk that fits the processor's caches: the server beside it does not fetch data from memory either.
fn near_hits(
    programs: &Programs,
    forebay: &Forebay,
    scratch: &Scratch,
    effort: Effort,
) -> Result<(), String> {
    let peer = Peer::vhost(scratch, "qemu-storage-daemon null-co beside a small disk", &null_device());
    let backing = scratch.filled_file("near-disk.img", NEAR_DISK_BYTES)?;
    let pair = Pair { forebay, disk: "near", peer, backing: &backing };
    let title = "Hits in RAM of a disk of 1 MiB over vhost-user, 4 KiB";
    pair.race(programs, scratch, effort, title, &[32])
}

/// Measures the same with servers that poll for requests before they sleep.
fn adaptive_polling(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let forebay = Forebay::start_polling(scratch, &programs.forebay, POLL_US)?;
    let name = "qemu-storage-daemon null-co that looks";
    let peer = Peer::vhost_polling(scratch, name, &null_device(), 1_000 * POLL_US);
    // Each daemon locks the file that it serves.
    let backing = scratch.filled_file("looking.img", RAM_DISK_BYTES)?;
    let title = format!("Hits in RAM over vhost-user, 4 KiB, both look for {POLL_US} us");
    let pair = Pair { forebay: &forebay, disk: "ram", peer, backing: &backing };
    pair.race(programs, scratch, effort, &title, &[1, 32])
}

fn null_device() -> String {
    format!("null-co,size={RAM_DISK_BYTES},read-zeroes=on")
}

/// Forebay with a file that will be in RAM, and a server without data.
struct Pair<'a> {
    forebay: &'a Forebay,
    disk: &'a str,
    peer: Peer,
    backing: &'a Path,
}

impl Pair<'_> {
    /// Runs a race at these depths; greater depths than 32 must not be slower than 32.
    fn race(
        mut self,
        programs: &Programs,
        scratch: &Scratch,
        effort: Effort,
        title: &str,
        depths: &[u32],
    ) -> Result<(), String> {
        let Self { forebay, disk, .. } = self;
        forebay.add_warm_disk(scratch, disk, self.backing, Tier::Ram)?;
        check(programs, &forebay.vhost_socket(disk), self.backing)?;
        let server = self.peer.start(scratch)?;
        let peer = &self.peer;
        if server.is_some() {
            check(programs, &peer.socket, Path::new("/dev/zero"))?;
        }
        let (mut contenders, mut claims) = (Vec::new(), Vec::new());
        let mut at_32 = None;
        for depth in depths.iter().copied() {
            let ours = contenders.len();
            let name = |who: &str| format!("{who}, depth {depth}");
            let load = Load::reads(depth);
            contenders.push(guest(
                programs,
                name("forebay"),
                &forebay.server,
                sockets(forebay, &[disk]),
                load,
            ));
            if let Some(server) = &server {
                contenders.push(guest(programs, name(peer.name), server, vec![peer.socket.clone()], load));
                let goal = |goal: f64| (depth == 32).then_some(goal);
                claims.push(claim(ours, ours + 1, VhostMetric::Iops, goal(AS_FAST)));
                claims.push(claim(ours, ours + 1, VhostMetric::ServerCpu, goal(NOT_BEHIND)));
            }
            match at_32 {
                Some(at_32) => claims.push(claim(ours, at_32, VhostMetric::Iops, Some(NOT_BEHIND))),
                None => at_32 = (depth == 32).then_some(ours),
            }
        }
        let before = forebay.reads(disk)?;
        race(title, &contenders, &claims, effort)?;
        say_share(forebay.reads(disk)?.since(before), Tier::Ram);
        Ok(())
    }
}

/// Prints the share of hits in these reads.
fn say_share(reads: Reads, tier: Tier) {
    let place = if tier == Tier::Ram { "in RAM" } else { "on flash" };
    println!("Of Forebay's reads, {:.2} % were hits {place}.", reads.share(tier) * 100.0);
}

/// Measures the disk that [`ram_hits`] has warmed up, with a client that takes less CPU time than fio.
fn over_nbd(programs: &Programs, forebay: &Forebay, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let content = scratch.path(RAM_DISK);
    let mut peers = [
        Peer::nbdkit_memory(scratch, &content, RAM_DISK_BYTES),
        Peer::qemu_nbd_null(scratch, "qemu-nbd null-co", RAM_DISK_BYTES),
        Peer::null(scratch, "qemu-storage-daemon null-co over NBD", RAM_DISK_BYTES),
    ];
    let servers = peers.iter_mut().map(|peer| peer.start(scratch)).collect::<Result<Vec<_>, _>>()?;
    let socket = forebay.nbd_socket("ram");
    // By runs of their own, which are not in the figures.
    check_nbd(programs, (&socket, "ram"), RAM_DISK_BYTES, &content)?;
    let mut contenders =
        vec![nbd(programs, "forebay".to_owned(), &forebay.server, (&socket, "ram"), (RAM_DISK_BYTES, 32))];
    let mut claims = Vec::new();
    for (peer, server) in peers.iter().zip(&servers) {
        let Some(server) = server else { continue };
        claims.push(claim(0, contenders.len(), VhostMetric::Iops, Some(NOT_BEHIND)));
        claims.push(claim(0, contenders.len(), VhostMetric::ServerCpu, Some(HALF)));
        let export = (peer.socket.as_path(), peer.export);
        let holds = peer.content().unwrap_or(Path::new("/dev/zero"));
        check_nbd(programs, export, RAM_DISK_BYTES, holds)?;
        contenders.push(nbd(programs, peer.name.to_owned(), server, export, (RAM_DISK_BYTES, 32)));
    }
    let before = forebay.reads("ram")?;
    race("Hits in RAM over NBD, 4 KiB, depth 32, a lean client", &contenders, &claims, effort)?;
    say_share(forebay.reads("ram")?.since(before), Tier::Ram);
    Ok(())
}

fn flash_hits(
    programs: &Programs,
    forebay: &Forebay,
    scratch: &Scratch,
    effort: Effort,
) -> Result<(), String> {
    let backing = scratch.filled_file("flash-disk.img", FLASH_DISK_BYTES)?;
    forebay.add_warm_disk(scratch, "flash", &backing, Tier::Flash)?;
    check(programs, &forebay.vhost_socket("flash"), &backing)?;
    // A copy: the rest of the pool's file was never written, and file systems answer reads of it without the disk.
    let raw = scratch.filled_file("raw.img", FLASH_DISK_BYTES)?;
    let ours = |depth| {
        let name = format!("forebay, depth {depth}");
        guest(programs, name, &forebay.server, sockets(forebay, &["flash"]), Load::reads(depth))
    };
    // The same path to a guest without a cache: the best result of this disk for a front end that sleeps.
    let device = format!("file,filename={},locking=off,cache.direct=on,aio=io_uring", raw.display());
    let mut peer = Peer::vhost(scratch, "the raw file by qemu-storage-daemon", &device);
    let server = peer.start(scratch)?;
    let (mut contenders, mut claims) = (Vec::new(), Vec::new());
    for depth in [32, 256] {
        let first = contenders.len();
        contenders.extend([ours(depth), file(scratch, &raw, fio::Access::Read, depth)]);
        claims.push(claim(first, first + 1, VhostMetric::Iops, (depth == 32).then_some(AS_FAST)));
        let Some(server) = &server else { continue };
        let name = format!("{}, depth {depth}", peer.name);
        contenders.push(guest(programs, name, server, vec![peer.socket.clone()], Load::reads(depth)));
        claims.push(claim(first, first + 2, VhostMetric::Iops, None));
        claims.push(claim(first, first + 2, VhostMetric::ServerCpu, None));
    }
    claims.push(claim(contenders.len() / 2, 0, VhostMetric::Iops, Some(NOT_BEHIND)));
    let before = forebay.reads("flash")?;
    race("Hits on flash over vhost-user, 4 KiB", &contenders, &claims, effort)?;
    say_share(forebay.reads("flash")?.since(before), Tier::Flash);
    Ok(())
}

/// Returns fio on a file, bypassing the page cache, without a server.
fn file<'a>(scratch: &'a Scratch, path: &'a Path, access: fio::Access, depth: u32) -> VhostContender<'a> {
    let turn = move |seconds| {
        let bytes =
            path.metadata().map_err(|error| format!("Could not look at {}: {error}.", path.display()))?.len();
        fio::random(scratch, Target::File { path, bytes }, access, depth, seconds)
    };
    VhostContender { name: format!("fio on the raw file, depth {depth}"), server: None, turn: Box::new(turn) }
}

/// Measures sixteen disks with all requests of one, and with as many each.
fn sixteen(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let forebay = Forebay::start_sized(scratch, &programs.forebay, "sixteen", "2GiB")?;
    let (mut disks, mut names) = (Vec::new(), vec!["whole".to_owned()]);
    for number in 0..DISKS {
        let name = format!("part{number}");
        let backing = scratch.filled_file(&format!("{name}.img"), RAM_DISK_BYTES / DISKS)?;
        forebay.add_warm_disk(scratch, &name, &backing, Tier::Ram)?;
        check(programs, &forebay.vhost_socket(&name), &backing)?;
        disks.push(forebay.vhost_socket(&name));
        names.push(name);
    }
    let backing = scratch.filled_file("whole.img", RAM_DISK_BYTES)?;
    forebay.add_warm_disk(scratch, "whole", &backing, Tier::Ram)?;
    check(programs, &forebay.vhost_socket("whole"), &backing)?;
    let ours = |name: &str, disks: &[PathBuf], depth| {
        guest(programs, name.to_owned(), &forebay.server, disks.to_vec(), Load::reads(depth))
    };
    let contenders = [
        ours("one disk, depth 32", &[forebay.vhost_socket("whole")], 32),
        ours("16 disks, depth 2 each", &disks, 2),
        ours("16 disks, depth 32 each", &disks, 32),
    ];
    let claims =
        [claim(1, 0, VhostMetric::Iops, Some(NOT_BEHIND)), claim(2, 0, VhostMetric::Iops, Some(NOT_BEHIND))];
    let reads = || names.iter().map(|name| forebay.reads(name)).sum::<Result<Reads, String>>();
    let before = reads()?;
    race("Hits in RAM of sixteen disks together, vhost-user, 4 KiB", &contenders, &claims, effort)?;
    say_share(reads()?.since(before), Tier::Ram);
    Ok(())
}

/// Measures misses on a backing that answers at once, a file in memory, beside a server of that file without a cache.
fn misses(programs: &Programs, effort: Effort) -> Result<(), String> {
    let Some(memory) = Scratch::in_memory()? else {
        println!("Misses are left out, for there is no folder /dev/shm: the backing has to be in memory.");
        return Ok(());
    };
    let forebay = Forebay::start_sized(&memory, &programs.forebay, "miss", MISS_POOL)?;
    let mut peer_and_server = None;
    for (disk, settings) in [("cached", &["ram=1MiB"][..]), ("passed", &["ram=1MiB", "mode=pass-through"])] {
        let backing = memory.filled_file(&format!("{disk}.img"), MISS_DISK_BYTES)?;
        forebay.add_disk(disk, &backing)?;
        forebay.set(disk, settings)?;
        if disk == "passed" {
            let device = format!(
                "file,filename={},locking=off,read-only=on,cache.direct=on,aio=io_uring",
                backing.display()
            );
            let mut peer = Peer::vhost(&memory, "the backing by qemu-storage-daemon", &device);
            peer_and_server = peer.start(&memory)?.map(|server| (peer, server));
        }
    }
    let (mut contenders, mut claims) = (Vec::new(), Vec::new());
    for depth in [1, 32] {
        let first = contenders.len();
        for (disk, name) in [("cached", "forebay, misses"), ("passed", "forebay, pass-through")] {
            let name = format!("{name}, depth {depth}");
            contenders.push(guest(
                programs,
                name,
                &forebay.server,
                sockets(&forebay, &[disk]),
                Load::reads(depth),
            ));
        }
        claims.push(claim(first, first + 1, VhostMetric::P50, None));
        let Some((peer, server)) = &peer_and_server else { continue };
        let name = format!("{}, depth {depth}", peer.name);
        contenders.push(guest(programs, name, server, vec![peer.socket.clone()], Load::reads(depth)));
        for ours in [first, first + 1] {
            claims.push(claim(ours, first + 2, VhostMetric::P50, Some(MISS)));
            if depth == 1 {
                claims.push(claim(ours, first + 2, VhostMetric::P50More, Some(MISS_MORE_US)));
            }
        }
    }
    let before = forebay.reads("cached")?;
    race("Misses on a backing in memory, vhost-user, 4 KiB", &contenders, &claims, effort)?;
    let reads = forebay.reads("cached")?.since(before);
    let hits = reads.share(Tier::Ram) + reads.share(Tier::Flash);
    println!("Of what is called misses, {:.1} % were hits.", hits * 100.0);
    for disk in ["cached", "passed"] {
        check(programs, &forebay.vhost_socket(disk), &memory.path(&format!("{disk}.img")))?;
    }
    match &peer_and_server {
        Some((peer, _)) => check(programs, &peer.socket, &memory.path("passed.img")),
        None => Ok(()),
    }
}

/// Measures write-back, with a flush after every 32 writes.
fn writes(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let pool = scratch.zeroed_file("vhost-pool.img", WRITE_POOL_BYTES)?;
    let forebay = Forebay::start_on(scratch, &programs.forebay, "writes", &pool)?;
    let backing = scratch.filled_file("vhost-backing.img", WRITE_DISK_BYTES)?;
    forebay.add_write_back_disk("writes", &backing, WRITE_DIRTY_MIB)?;
    let [raw, served] =
        ["vhost-raw.img", "vhost-served.img"].map(|name| scratch.filled_file(name, WRITE_DISK_BYTES));
    let (raw, served) = (raw?, served?);
    let device = format!("file,filename={},cache.direct=on,aio=io_uring", served.display());
    let mut peer = Peer::vhost(scratch, "the raw file by qemu-storage-daemon", &device);
    let server = peer.start(scratch)?;
    let (mut contenders, mut claims) = (Vec::new(), Vec::new());
    for depth in [1, 32] {
        let (ours, load) = (contenders.len(), Load::writes(depth));
        let name = format!("forebay, depth {depth}");
        contenders.push(guest(programs, name, &forebay.server, sockets(&forebay, &["writes"]), load));
        contenders.push(file(scratch, &raw, fio::Access::WriteData, depth));
        claims.push(claim(ours, ours + 1, VhostMetric::Iops, Some(WRITES)));
        if let Some(server) = &server {
            let name = format!("{}, depth {depth}", peer.name);
            contenders.push(guest(programs, name, server, vec![peer.socket.clone()], load));
            claims.push(claim(ours, ours + 2, VhostMetric::Iops, None));
        }
    }
    race("Random 4 KiB writes in write-back over vhost-user, a flush every 32", &contenders, &claims, effort)
}

/// Measures the instructions of a hit in RAM, door and cache together, without the kernel: the difference of twice as many requests.
fn instructions(programs: &Programs, scratch: &Scratch) -> Result<(), String> {
    if !is_in_path("valgrind") {
        println!("Instructions are left out, for valgrind is not here (Debian package valgrind).");
        return Ok(());
    }
    let mut rows = Vec::new();
    for depth in [1, 32] {
        let single = collected(programs, scratch, depth, COUNTED_REQUESTS)?;
        let double = collected(programs, scratch, depth, 2 * COUNTED_REQUESTS)?;
        let each = double.saturating_sub(single) / COUNTED_REQUESTS;
        rows.push(vec![depth.to_string(), each.to_string()]);
    }
    report::print(
        "A hit in RAM through the vhost-user door, 4 KiB",
        &["depth", "instructions/request"],
        &rows,
    );
    Ok(())
}

fn collected(programs: &Programs, scratch: &Scratch, depth: u32, count: u64) -> Result<u64, String> {
    let socket = scratch.path("counted.sock");
    let mut valgrind = bounded(Path::new("valgrind"), START_TIME_MAX.as_secs() as u32);
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&programs.bench);
    valgrind.args(["vhost-door", "--socket"]).arg(&socket).env("GLIBC_TUNABLES", NO_STRING_INSTRUCTIONS);
    valgrind.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = valgrind.spawn().map_err(|error| format!("Could not start valgrind: {error}."))?;
    let started = Instant::now();
    while !socket.exists()
        && started.elapsed() < START_TIME_MAX
        && server.try_wait().is_ok_and(|ended| ended.is_none())
    {
        sleep(START_LOOK);
    }
    let mut bench = bounded(&programs.bench, START_TIME_MAX.as_secs() as u32);
    bench
        .args(["vhost", "--depth", &depth.to_string(), "--requests", &count.to_string(), "--socket"])
        .arg(&socket);
    let ran = output(&mut bench);
    // It ends when its front end has disconnected, or by its time limit.
    let ended =
        server.wait_with_output().map_err(|error| format!("Could not wait for valgrind: {error}."))?;
    let said = String::from_utf8_lossy(&ended.stderr);
    ran.map_err(|error| format!("{error} callgrind said: {said}"))?;
    all_from_ram(&String::from_utf8_lossy(&ended.stdout), count)?;
    parse_collected(&said)
        .ok_or_else(|| format!("callgrind counted nothing at depth {depth}. It said: {said}"))
}

/// Checks by the server's output that all counted requests were hits in RAM.
fn all_from_ram(printed: &str, count: u64) -> Result<(), String> {
    let answer = parse(printed)?;
    if answer["reads"] == count && answer["not_from_ram"] == 0 {
        return Ok(());
    }
    Err(format!(
        "The instructions of {count} hits in RAM are not what was counted, as the server says: {printed}. Look for what keeps pages \
         out of RAM."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_count_only_if_all_reads_were_hits_in_ram() {
        let printed = |reads: u32, others: u32| {
            format!("{{\"measurement\":\"vhost-door\",\"reads\":{reads},\"not_from_ram\":{others}}}\n")
        };
        assert_eq!(all_from_ram(&printed(500, 0), 500), Ok(()));
        for (reads, others) in [(500, 1), (499, 0)] {
            assert!(
                all_from_ram(&printed(reads, others), 500).is_err_and(|error| error.contains("500 hits"))
            );
        }
        assert!(all_from_ram("{}", 500).is_err());
        assert!(all_from_ram("", 500).is_err(), "it printed nothing");
    }
}
