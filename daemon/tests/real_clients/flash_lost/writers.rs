//! The guest whose writers are on the disk, and the times of what they were asked for and reported.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use guest::{Guest, Kit, PowerSwitch};

use super::Variant;
use super::postgres::Postgres;
use super::verdict::{Times, WRITERS};
use crate::guest_disks::words_to_copy;
use crate::host::{Daemon, Host};
use crate::patience::PATIENCE;

/// The memory of the guest in the lines that are printed.
const MEMORY_MIB: u32 = 1024;
/// Far longer than a busy machine takes; QEMU is ended then.
const SECONDS_MAX: u32 = 600;
/// Numbers of a writer that were asked for and not reported yet: it always has something to do.
const IN_FLIGHT: usize = 3;
const COMMON: &str = include_str!("common.sh");
const SCRIPT: &str = include_str!("writers.sh");

/// A guest that writes. Switched off when dropped.
pub(super) struct Writers {
    lines: Receiver<(String, u64)>,
    words: UnixStream,
    switch: PowerSwitch,
    times: Vec<Times>,
    bursts_ended: u64,
}

impl Writers {
    /// Boots the guest with disk `a` of the daemon and has it write, PostgreSQL as well if it is given.
    pub(super) fn boot(host: &Host, daemon: &Daemon, variant: &Variant, postgres: Option<&Postgres>) -> Self {
        let words = host.path("words.sock");
        let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
        let guest = Guest::new(&kit).program("sqlite3").memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
        let guest = postgres.into_iter().fold(guest, |guest, postgres| postgres.add_to(guest));
        let serial = ["-serial".to_owned(), format!("unix:{},server=on,wait=off", words.display())];
        let arguments = words_to_copy(daemon, variant.door, "a").into_iter().chain(serial);
        let guest = arguments.fold(guest, Guest::argument);
        let script = format!("OPTIONS='{}'\n{COMMON}{SCRIPT}", variant.mount);
        let mut running = guest.start(&script).expect("QEMU is installed");
        running.wait_for("ready").unwrap_or_else(|why| panic!("{why}"));
        let switch = running.power_switch();
        let (send, lines) = channel();
        // On a thread of its own, so that the time of a line is not that at which the test comes to it.
        thread::spawn(move || {
            while let Ok(Some(line)) = running.line() {
                if send.send((line, now_ns())).is_err() {
                    break;
                }
            }
        });
        let words = UnixStream::connect(words).expect("a QEMU whose guest runs listens");
        let many = WRITERS.len() - usize::from(postgres.is_none());
        let mut writers = Self { lines, words, switch, times: vec![Times::default(); many], bursts_ended: 0 };
        for _ in 0..IN_FLIGHT {
            (0..many).for_each(|writer| writers.ask(writer));
        }
        writers
    }

    fn ask(&mut self, writer: usize) {
        let asked = &mut self.times[writer].asked;
        asked.push(now_ns());
        writeln!(self.words, "{} {}", WRITERS[writer], asked.len()).expect("QEMU listens");
    }

    /// Has the guest write more than the ring takes, beside its writers.
    pub(super) fn begin_burst(&mut self) {
        writeln!(self.words, "burst").expect("QEMU listens");
    }

    /// Returns how many bursts have ended since the boot.
    pub(super) fn bursts_ended(&self) -> u64 {
        self.bursts_ended
    }

    /// Goes on for this many reports.
    pub(super) fn go_on(&mut self, reports: u64) {
        for _ in 0..reports {
            assert!(self.hear(PATIENCE), "a guest that writes reports");
        }
    }

    /// Goes on for this time.
    pub(super) fn go_on_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.hear(end.saturating_duration_since(Instant::now()));
        }
    }

    /// Takes the next line of the guest, and asks for the next number. Returns false if there was none for this time.
    fn hear(&mut self, wait: Duration) -> bool {
        let (line, time) = match self.lines.recv_timeout(wait) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => panic!("the guest ended"),
        };
        assert!(!is_failure(&line), "{}", self.rest(line));
        if line == "burst ended" {
            self.bursts_ended += 1;
        } else if let Some(writer) = self.record(&line, time) {
            self.ask(writer);
        }
        true
    }

    /// Records a report, and returns its writer; none if the line is none.
    fn record(&mut self, line: &str, time: u64) -> Option<usize> {
        let (what, number) = line.split_once(' ')?;
        let writer = WRITERS.iter().position(|writer| *writer == what)?;
        let reported = &mut self.times[writer].reported;
        reported.push(time);
        assert_eq!(number, reported.len().to_string(), "{what} reports one after the other");
        Some(writer)
    }

    /// Returns the lines from `line` on.
    fn rest(&self, line: String) -> String {
        let more = std::iter::from_fn(|| self.lines.recv_timeout(Duration::from_secs(1)).ok());
        [line].into_iter().chain(more.map(|(line, _)| line)).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn times(&self) -> &[Times] {
        &self.times
    }

    /// Cuts the power of the guest, whose disk is gone. Returns the times of all reports until then.
    pub(super) fn cut_power(mut self) -> Vec<Times> {
        self.switch.cut().expect("QEMU is our child");
        let rest: Vec<_> = self.lines.iter().take_while(|(line, _)| !is_failure(line)).collect();
        for (line, time) in rest {
            self.record(&line, time);
        }
        std::mem::take(&mut self.times)
    }
}

fn is_failure(line: &str) -> bool {
    line.starts_with("wrong:") || line.contains("rror")
}

impl Drop for Writers {
    fn drop(&mut self) {
        // Fails only if it has ended, which is intended.
        self.switch.cut().unwrap_or(());
    }
}

pub(super) fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970").as_nanos() as u64
}
