//! Cost of a recording for guests: `forebay trace record` on a disk under full load, and without.
//!
//! Hits over NBD at depth 32, where a request costs least and its record is most noticeable. Turns go one after another, recorded, not
//! recorded, not recorded once more: the ratio of the last two is the noise of the machine. The recorder runs as for users, beside client
//! and server, and its own CPU time is printed: on a machine whose CPUs are all busy, it is taken from the guests as well.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::contest::{Better, Ratio, median, ratio, take_turns};
use super::fio::{self, Sample, Target};
use super::forebay::{Forebay, Tier};
use super::scratch::Scratch;
use super::server::cpu_us_of;
use super::{Effort, Programs, report};

const DEPTH: u32 = 32;
const RAM_DISK_BYTES: u64 = 64 << 20;
const FLASH_DISK_BYTES: u64 = 256 << 20;
/// Rounds of a full measurement: single ones differ by more than the effect to measure.
const ROUNDS: u32 = 25;
/// Target: a cost of less than 2 %.
const GOAL: f64 = 0.98;
/// Time limit of a recording's begin, and interval of checks for it.
const BEGIN_TIME_MAX: Duration = Duration::from_secs(20);
const BEGIN_LOOK: Duration = Duration::from_millis(10);

/// Kind of a turn: recorded or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turns {
    Recorded,
    Plain,
    PlainAgain,
}

impl Turns {
    const ALL: [(Self, &str); 3] = [
        (Self::Recorded, "recorded"),
        (Self::Plain, "not recorded"),
        (Self::PlainAgain, "not recorded, once more: noise"),
    ];
}

/// Results of one turn.
struct RecordRun {
    fio: Sample,
    cpu_us_per_request: f64,
    /// Figures of the recording; zero without one.
    taken: Taken,
}

/// Figures of a recording in a turn.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    requests: f64,
    dropped: f64,
    /// CPU time of the recorder in microseconds.
    cpu_us: f64,
    /// Length of the trace in bytes.
    bytes: f64,
}

/// Measures and prints.
pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let forebay = Forebay::start(scratch, &programs.forebay)?;
    let rounds = if effort == Effort::FULL { ROUNDS } else { effort.rounds };
    let effort = Effort { rounds, ..effort };
    for (heading, name, bytes, tier) in [
        ("Hits in RAM", "ram", RAM_DISK_BYTES, Tier::Ram),
        ("Hits on flash", "flash", FLASH_DISK_BYTES, Tier::Flash),
    ] {
        let backing = scratch.filled_file(&format!("{name}.img"), bytes)?;
        let uri = forebay.add_warm_disk(scratch, name, &backing, tier)?;
        let turns = take_turns(effort.rounds, &Turns::ALL, |(turn, _)| {
            let recorder =
                if *turn == Turns::Recorded { Some(Recorder::start(&forebay, scratch, name)?) } else { None };
            let before = forebay.server.cpu_us()?;
            let fio =
                fio::random(scratch, Target::Nbd { uri: &uri }, fio::Access::Read, DEPTH, effort.seconds)?;
            let cpu_us = forebay.server.cpu_us()? - before;
            let taken = recorder.map_or(Ok(Taken::default()), Recorder::stop)?;
            if *turn == Turns::Recorded && taken.requests + taken.dropped < fio.requests {
                return Err(format!(
                    "Of {} requests only these were noted or counted: {taken:?}.",
                    fio.requests
                ));
            }
            Ok(RecordRun { fio, cpu_us_per_request: cpu_us / fio.requests.max(1.0), taken })
        })?;
        print_results(heading, &turns);
    }
    Ok(())
}

fn print_results(heading: &str, turns: &[Vec<RecordRun>]) {
    let plain = &turns[Turns::Plain as usize];
    let mut rows = Vec::new();
    for ((turn, name), turns) in Turns::ALL.iter().zip(turns) {
        let middle = |get: fn(&RecordRun) -> f64| median(&figures(turns, get));
        let mut row = vec![
            (*name).to_owned(),
            format!("{:.0}", middle(|turn| turn.fio.iops)),
            format!("{:.1}", middle(|turn| turn.fio.p50_us)),
            format!("{:.1}", middle(|turn| turn.fio.p99_us)),
            format!("{:.2}", middle(|turn| turn.cpu_us_per_request)),
        ];
        row.extend(if *turn == Turns::Plain {
            [const { String::new() }; 6]
        } else {
            let goal = (*turn == Turns::Recorded).then_some(GOAL);
            let [p50, p99, cpu] = [
                beside(turns, plain, |turn| turn.fio.p50_us, Better::Lower),
                beside(turns, plain, |turn| turn.fio.p99_us, Better::Lower),
                beside(turns, plain, |turn| turn.cpu_us_per_request, Better::Lower),
            ];
            let [iops, goal, verdict] =
                report::judged(beside(turns, plain, |turn| turn.fio.iops, Better::Higher), goal);
            let shown = |ratio: Ratio| format!("{:.3}", ratio.median);
            [iops, goal, verdict, shown(p50), shown(p99), shown(cpu)]
        });
        rows.push(row);
    }
    let columns = [
        "turns",
        "IOPS",
        "p50 us",
        "p99 us",
        "server CPU us/request",
        "ratio of IOPS (range)",
        "goal",
        "verdict",
        "of p50",
        "of p99",
        "of server CPU",
    ];
    report::print(
        &format!("{heading} over NBD while they are recorded, 4 KiB, depth {DEPTH}"),
        &columns,
        &rows,
    );
    println!("{}", summary(&turns[Turns::Recorded as usize], plain));
}

/// Returns a few sentences on cost and content of the recording.
fn summary(recorded: &[RecordRun], plain: &[RecordRun]) -> String {
    let iops = beside(recorded, plain, |turn| turn.fio.iops, Better::Higher).median;
    // Within each round: rounds differ by more than the effect to measure.
    let more =
        recorded.iter().zip(plain).map(|(ours, theirs)| ours.cpu_us_per_request - theirs.cpu_us_per_request);
    let more_us = median(&more.collect::<Vec<f64>>());
    let sum = |get: fn(&Taken) -> f64| recorded.iter().map(|turn| get(&turn.taken)).sum::<f64>();
    let noted = sum(|taken| taken.requests).max(1.0);
    format!(
        "Recorded, IOPS change by {:+.1} %, and a request costs the server {more_us:.3} us more of CPU. {noted:.0} requests were noted, \
         {:.0} dropped; each took {:.3} us of CPU of the recorder and {:.1} bytes.",
        (iops - 1.0) * 100.0,
        sum(|taken| taken.dropped),
        sum(|taken| taken.cpu_us) / noted,
        sum(|taken| taken.bytes) / noted,
    )
}

fn figures(turns: &[RecordRun], get: fn(&RecordRun) -> f64) -> Vec<f64> {
    turns.iter().map(get).collect()
}

fn beside(turns: &[RecordRun], plain: &[RecordRun], get: fn(&RecordRun) -> f64, better: Better) -> Ratio {
    ratio(&figures(turns, get), &figures(plain, get), better)
}

/// Running `forebay trace record`.
struct Recorder {
    child: Child,
    trace: PathBuf,
}

impl Recorder {
    /// Starts it and waits until it records.
    fn start(forebay: &Forebay, scratch: &Scratch, disk: &str) -> Result<Self, String> {
        let trace = scratch.path("recorded.fbtrace");
        let unfinished = scratch.path("recorded.fbtrace.new");
        let mut command = forebay.command(&["trace", "record", disk, "--json", "-o"]);
        let child =
            command.arg(&trace).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.map_err(|error| format!("Could not start the recorder: {error}."))?;
        let mut recorder = Self { child, trace };
        let started = Instant::now();
        // It creates the file when the daemon has begun to record.
        while !unfinished.exists() {
            if recorder.child.try_wait().is_ok_and(|ended| ended.is_some())
                || started.elapsed() > BEGIN_TIME_MAX
            {
                return recorder.stop().and(Err("The recording did not begin.".to_owned()));
            }
            sleep(BEGIN_LOOK);
        }
        Ok(recorder)
    }

    /// Ends it, like Ctrl-C, and removes the trace.
    fn stop(self) -> Result<Taken, String> {
        let Self { child, trace } = self;
        let cpu_us = cpu_us_of(child.id());
        // Fails only if it has ended already, and then its output has the reason.
        kill_process(Pid::from_child(&child), Signal::INT).unwrap_or(());
        let ended =
            child.wait_with_output().map_err(|error| format!("Could not end the recorder: {error}."))?;
        if !ended.status.success() {
            let said = String::from_utf8_lossy(&ended.stderr);
            return Err(format!("The recorder failed ({}): {}", ended.status, said.trim()));
        }
        let bytes = fs::metadata(&trace).map(|found| found.len());
        let bytes = bytes.and_then(|bytes| fs::remove_file(&trace).map(|()| bytes));
        let bytes = bytes.map_err(|error| format!("Could not look at {}: {error}.", trace.display()))?;
        #[expect(clippy::cast_precision_loss, reason = "lengths stay far below 2^52")]
        parse(&String::from_utf8_lossy(&ended.stdout), cpu_us?, bytes as f64)
    }
}

fn parse(text: &str, cpu_us: f64, bytes: f64) -> Result<Taken, String> {
    let answer: Value = serde_json::from_str(text)
        .map_err(|error| format!("Could not read what the recorder printed: {error}: {text}"))?;
    let number = |key: &str| {
        answer["recorded"][key].as_f64().ok_or_else(|| format!("The recorder printed no `{key}`: {text}"))
    };
    Ok(Taken { requests: number("requests")?, dropped: number("dropped")?, cpu_us, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_recorder_prints_is_read_and_what_it_lacks_is_an_error() {
        let taken =
            parse(r#"{"schema":1,"recorded":{"requests":7,"dropped":2}}"#, 5.0, 30.0).expect("it is whole");
        assert_eq!(format!("{taken:?}"), "Taken { requests: 7.0, dropped: 2.0, cpu_us: 5.0, bytes: 30.0 }");
        let error = parse(r#"{"recorded":{"requests":7}}"#, 0.0, 0.0).expect_err("it is not");
        assert!(error.contains("no `dropped`"), "{error}");
        assert!(parse("", 0.0, 0.0).is_err());
    }

    #[test]
    fn the_cost_is_told_with_what_it_bought() {
        let turn = |iops, cpu_us_per_request, taken| {
            let fio = Sample { iops, p50_us: 1.0, p99_us: 1.0, requests: 100.0, flushes: 0.0 };
            RecordRun { fio, cpu_us_per_request, taken }
        };
        let taken = Taken { requests: 100.0, dropped: 3.0, cpu_us: 25.0, bytes: 700.0 };
        let said = summary(&[turn(75.0, 4.25, taken)], &[turn(100.0, 4.0, Taken::default())]);
        for part in
            ["by -25.0 %", "0.250 us more", "100 requests", "3 dropped", "0.250 us of CPU", "7.0 bytes"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
