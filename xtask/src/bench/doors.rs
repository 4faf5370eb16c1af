//! Requests over NBD on a Unix socket, 4 KiB, driven by fio: hits in RAM and hits on flash, beside other servers.
//!
//! All servers of a contest run all the time and idle outside their turns. CPU time is that of the server's process, including the kernel
//! on its behalf, divided by the requests of the turn; the client's is not included.

use super::contest::{Better, median, ratio, take_turns};
use super::fio::{self, Sample, Target};
use super::forebay::{Forebay, Tier};
use super::peers::Peer;
use super::scratch::Scratch;
use super::server::Server;
use super::{Effort, Programs, report};

const RAM_DISK_BYTES: u64 = 64 << 20;
const FLASH_DISK_BYTES: u64 = 256 << 20;

/// Ratio that counts as equal: within 1.1x.
const NOT_BEHIND: f64 = 1.0 / 1.1;
const AHEAD: f64 = 1.0;

/// Server that is measured. The first of several is ours.
struct NbdContender<'a> {
    name: &'static str,
    server: &'a Server,
    uri: &'a str,
    goal: Option<f64>,
}

/// Results of one turn.
struct NbdRun {
    fio: Sample,
    cpu_us_per_request: f64,
}

/// Figure by which contenders are compared.
#[derive(Clone, Copy)]
enum NbdMetric {
    P50,
    Iops,
}

/// Measures and prints both kinds of hits.
pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let forebay = Forebay::start(scratch, &programs.forebay)?;
    ram_hits(&forebay, scratch, effort)?;
    flash_hits(&forebay, scratch, effort)
}

fn ram_hits(forebay: &Forebay, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let backing = scratch.filled_file("ram-disk.img", RAM_DISK_BYTES)?;
    let uri = forebay.add_warm_disk(scratch, "ram", &backing, Tier::Ram)?;
    let peers = vec![
        Peer::nbdkit_memory(scratch, &backing, RAM_DISK_BYTES).goal(NOT_BEHIND),
        Peer::null(scratch, "qemu-storage-daemon null-co", RAM_DISK_BYTES),
    ];
    let peers = start(scratch, peers)?;
    let contenders = contenders(forebay, &uri, &peers);
    let before = forebay.reads("ram")?;
    compete("Hits in RAM over NBD, 4 KiB, depth 1", scratch, &contenders, (1, NbdMetric::P50), effort)?;
    compete("Hits in RAM over NBD, 4 KiB, depth 32", scratch, &contenders, (32, NbdMetric::Iops), effort)?;
    let share = forebay.reads("ram")?.since(before).share(Tier::Ram);
    println!("Of Forebay's reads, {:.2} % were hits in RAM.", share * 100.0);
    Ok(())
}

fn flash_hits(forebay: &Forebay, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let backing = scratch.filled_file("flash-disk.img", FLASH_DISK_BYTES)?;
    let uri = forebay.add_warm_disk(scratch, "flash", &backing, Tier::Flash)?;
    // A copy for the peers: a file that Forebay serves is locked.
    let raw = scratch.filled_file("raw.img", FLASH_DISK_BYTES)?;
    let file = raw.to_string_lossy();
    let peers = vec![
        // This one answers from the page cache, which is RAM; the others, and Forebay, from the disk.
        Peer::nbdkit(scratch, "nbdkit file, page cache", &["file", &file]).goal(AHEAD),
        Peer::qemu_nbd(scratch, "qemu-nbd cache=none aio=native", &raw, "native").goal(AHEAD),
        Peer::qemu_nbd(scratch, "qemu-nbd cache=none aio=io_uring", &raw, "io_uring").goal(AHEAD),
    ];
    let peers = start(scratch, peers)?;
    let contenders = contenders(forebay, &uri, &peers);
    let before = forebay.reads("flash")?;
    compete("Hits on flash over NBD, 4 KiB, depth 32", scratch, &contenders, (32, NbdMetric::Iops), effort)?;
    let share = forebay.reads("flash")?.since(before).share(Tier::Flash);
    println!("Of Forebay's reads, {:.2} % were hits on flash, the others in RAM.", share * 100.0);
    Ok(())
}

fn start(scratch: &Scratch, peers: Vec<Peer>) -> Result<Vec<(Peer, Server)>, String> {
    let mut running = Vec::new();
    for mut peer in peers {
        if let Some(server) = peer.start(scratch)? {
            running.push((peer, server));
        }
    }
    Ok(running)
}

fn contenders<'a>(forebay: &'a Forebay, uri: &'a str, peers: &'a [(Peer, Server)]) -> Vec<NbdContender<'a>> {
    let ours = NbdContender { name: "forebay", server: &forebay.server, uri, goal: None };
    let theirs = peers.iter().map(|(peer, server)| NbdContender {
        name: peer.name,
        server,
        uri: &peer.uri,
        goal: peer.goal,
    });
    [ours].into_iter().chain(theirs).collect()
}

/// Lets all contenders take turns at one depth and prints the results.
fn compete(
    heading: &str,
    scratch: &Scratch,
    contenders: &[NbdContender],
    (depth, figure): (u32, NbdMetric),
    effort: Effort,
) -> Result<(), String> {
    let turns = take_turns(effort.rounds, contenders, |contender| {
        let before = contender.server.cpu_us()?;
        let target = Target::Nbd { uri: contender.uri };
        let fio = fio::random(scratch, target, fio::Access::Read, depth, effort.seconds)?;
        let cpu_us = contender.server.cpu_us()? - before;
        Ok(NbdRun { fio, cpu_us_per_request: cpu_us / fio.requests.max(1.0) })
    })?;
    let ours = figures(&turns[0], figure);
    let mut rows = Vec::new();
    for (contender, turns) in contenders.iter().zip(&turns) {
        let each = |get: fn(&NbdRun) -> f64| median(&turns.iter().map(get).collect::<Vec<_>>());
        let mut row = vec![
            contender.name.to_owned(),
            format!("{:.0}", each(|turn| turn.fio.iops)),
            format!("{:.1}", each(|turn| turn.fio.p50_us)),
            format!("{:.1}", each(|turn| turn.cpu_us_per_request)),
        ];
        row.extend(if rows.is_empty() {
            [const { String::new() }; 3]
        } else {
            report::judged(ratio(&ours, &figures(turns, figure), figure.better()), contender.goal)
        });
        rows.push(row);
    }
    let columns =
        ["server", "IOPS", "p50 us", "server CPU us/request", figure.ratio_heading(), "goal", "verdict"];
    report::print(heading, &columns, &rows);
    Ok(())
}

fn figures(turns: &[NbdRun], figure: NbdMetric) -> Vec<f64> {
    let one = |turn: &NbdRun| match figure {
        NbdMetric::P50 => turn.fio.p50_us,
        NbdMetric::Iops => turn.fio.iops,
    };
    turns.iter().map(one).collect()
}

impl NbdMetric {
    fn better(self) -> Better {
        match self {
            Self::P50 => Better::Lower,
            Self::Iops => Better::Higher,
        }
    }

    fn ratio_heading(self) -> &'static str {
        match self {
            Self::P50 => "ratio of p50 (range)",
            Self::Iops => "ratio of IOPS (range)",
        }
    }
}
