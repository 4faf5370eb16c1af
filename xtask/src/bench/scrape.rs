//! Cost of monitoring for guests: p99 of their requests under full load, with a query of all statistics every 100 ms and without.
//!
//! One disk has all the load, hits in RAM, which leave the least time for anything else; the others only appear in statistics. Turns go one
//! after another, with, without, with, without, each pair gives one ratio. One kind of turn queries all statistics as JSON, one the metrics
//! in the form of Prometheus, and one the health of the daemon, which costs little more than the query itself: its loss is not caused by
//! statistics.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::contest::{Better, median, ratio, take_turns};
use super::fio::{self, Sample, Target};
use super::forebay::{Forebay, Tier};
use super::scratch::Scratch;
use super::{Effort, Programs, report};

const DISK_BYTES: u64 = 64 << 20;
/// Number of idle disks, like most of a host at any moment.
const IDLE_DISKS: usize = 15;
const IDLE_BYTES: u64 = 1 << 20;
const DEPTH: u32 = 32;
const INTERVAL: Duration = Duration::from_millis(100);
/// Pairs of turns in a full measurement.
const PAIRS: u32 = 10;
/// Target: a p99 with scrapes of at most 1.05 times that without.
const GOAL: f64 = 1.0 / 1.05;

/// Query during a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    Statistics,
    Metrics,
    Health,
    Nothing,
}

impl Asking {
    const ALL: [Self; 4] = [Self::Statistics, Self::Metrics, Self::Health, Self::Nothing];

    fn path(self) -> Option<&'static str> {
        match self {
            Self::Statistics => Some("/v1/stats"),
            Self::Metrics => Some("/metrics"),
            Self::Health => Some("/healthz"),
            Self::Nothing => None,
        }
    }
}

/// Results of one turn.
struct ScrapeRun {
    fio: Sample,
    scrapes: Vec<Duration>,
}

/// Measures and prints.
pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let forebay = Forebay::start(scratch, &programs.forebay)?;
    let backing = scratch.filled_file("disk.img", DISK_BYTES)?;
    let uri = forebay.add_warm_disk(scratch, "loaded", &backing, Tier::Ram)?;
    for number in 0..IDLE_DISKS {
        let name = format!("idle{number}");
        forebay.add_disk(&name, &scratch.filled_file(&format!("{name}.img"), IDLE_BYTES)?)?;
    }
    let pairs = if effort == Effort::FULL { PAIRS } else { effort.rounds };
    let turns = take_turns(pairs, &Asking::ALL, |asking| {
        let scraper = asking.path().map(|path| Scraper::start(&forebay.control_socket(), path));
        let fio = fio::random(scratch, Target::Nbd { uri: &uri }, fio::Access::Read, DEPTH, effort.seconds);
        let scrapes = scraper.map_or(Ok(Vec::new()), Scraper::stop)?;
        Ok(ScrapeRun { fio: fio?, scrapes })
    })?;
    let p99 = |turns: &[ScrapeRun]| turns.iter().map(|turn| turn.fio.p99_us).collect::<Vec<f64>>();
    let row = |name: &str, turns: &[ScrapeRun], judged: [String; 3]| {
        let iops: Vec<f64> = turns.iter().map(|turn| turn.fio.iops).collect();
        let figures = [format!("{:.1}", median(&p99(turns))), format!("{:.0}", median(&iops))];
        [vec![name.to_owned()], figures.to_vec(), judged.to_vec()].concat()
    };
    let against_nothing = |asked: usize| ratio(&p99(&turns[asked]), &p99(&turns[3]), Better::Lower);
    let [of_statistics, of_metrics, of_asking] = [0, 1, 2].map(against_nothing);
    let rows = [
        row("all statistics", &turns[0], report::judged(of_statistics, Some(GOAL))),
        row("metrics", &turns[1], report::judged(of_metrics, Some(GOAL))),
        row("whether it is well", &turns[2], report::judged(of_asking, None)),
        row("nothing", &turns[3], [const { String::new() }; 3]),
    ];
    let columns = ["asked for every 100 ms", "p99 us", "IOPS", "ratio of p99 (range)", "goal", "verdict"];
    report::print(
        "Hits in RAM over NBD while all statistics are asked for, 4 KiB, depth 32",
        &columns,
        &rows,
    );
    for (asked, what, ratio) in [
        (0, "all statistics", of_statistics),
        (1, "metrics", of_metrics),
        (2, "whether it is well", of_asking),
    ] {
        let scrapes = turns[asked].iter().flat_map(|turn| turn.scrapes.iter());
        let millis: Vec<f64> = scrapes.map(|took| took.as_secs_f64() * 1e3).collect();
        println!(
            "Asked for {what}, median p99 is {:.3} times that without. {} answers of {} disks: median {:.2} ms, longest {:.2} ms.",
            1.0 / ratio.median,
            millis.len(),
            IDLE_DISKS + 1,
            median(&millis),
            millis.iter().copied().fold(0.0, f64::max)
        );
    }
    Ok(())
}

/// Client that repeats a query, like a monitoring system.
struct Scraper {
    stop: Sender<()>,
    thread: JoinHandle<Result<Vec<Duration>, String>>,
}

impl Scraper {
    fn start(socket: &Path, path: &'static str) -> Self {
        let (stop, stopped) = channel();
        let socket = socket.to_owned();
        let thread = thread::spawn(move || {
            // A monitoring system is on another host: its processing of an answer must not take CPU time from guests here.
            rustix::process::nice(19).map_err(|error| format!("Could not let others go first: {error}."))?;
            let mut scrapes = Vec::new();
            loop {
                let started = Instant::now();
                scrape(&socket, path)?;
                scrapes.push(started.elapsed());
                match stopped.recv_timeout(INTERVAL.saturating_sub(started.elapsed())) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(scrapes),
                }
            }
        });
        Self { stop, thread }
    }

    /// Returns the duration of each query.
    fn stop(self) -> Result<Vec<Duration>, String> {
        drop(self.stop);
        self.thread.join().map_err(|_| "The thread that asks for statistics broke off.".to_owned())?
    }
}

fn scrape(socket: &Path, path: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("Could not ask {} for {path}: {error}.", socket.display());
    let mut stream = UnixStream::connect(socket).map_err(failed)?;
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: forebay\r\nConnection: close\r\n\r\n").as_bytes())
        .map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    if answer.starts_with("HTTP/1.1 200 ") {
        return Ok(());
    }
    Err(format!("Asked for {path}, {} answered: {answer}", socket.display()))
}
