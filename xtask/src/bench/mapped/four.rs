//! The comparison on four traces, for the page of published documents: hits by window, work of array and SSD, and the state after a reset.
//!
//! One request at a time and no delay of the backing: requests that overlap would leave open which of two writes is the last, and times do not
//! count here anyway.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use guest::Guest;
use serde_json::{Value, json};

use super::trace::{self, Request};
use super::{KIB_OF_PAGE, MEMORY_MIB, SCRIPT, guest_with_programs};
use crate::bench::hit_ratio::traces_folder;
use crate::bench::scratch::Scratch;
use crate::run::output;
use crate::{built, clients};

/// Windows of a trace, in which hits are counted.
const WINDOWS: usize = 4;
/// Requests of a trace; those of a quick run.
const REQUESTS: [u32; 2] = [6_000, 1_000];
/// Part of the backing that SSD and RAM are together, and the least, in KiB: fewer segments are no pool.
const CACHE_DIVISOR: u64 = 8;
const CACHE_KIB_MIN: u64 = 12 << 10;
/// Time limit of the guest in seconds, far above the duration on a busy machine.
const SECONDS_MAX: u32 = 7200;
/// Part of the hit ratio of the last quarter at which a cache is warm.
const WARM: f64 = 0.9;
/// Arguments of the script by line. RAM is a quarter of what a cache gets.
const CONTENDERS: &str = "\
bcache writethrough
bcache writeback
dm_cache writethrough
dm_writecache
forebay_mapped 'Forebay write-through' write-through $((CACHE_KIB / 4))
forebay_mapped 'Forebay write-back' write-back $((CACHE_KIB / 4))
";

/// Trace that is played, and its sizes.
struct Played {
    name: String,
    requests: Vec<Request>,
    backing_kib: u64,
    cache_kib: u64,
}

impl Played {
    fn new(name: &str, requests: Vec<Request>) -> Self {
        let pages = requests.iter().map(|request| request.page + 1).max().unwrap_or(0);
        // A MiB more than the pages: bcache's superblock is in front of them.
        let backing_kib = ((pages * KIB_OF_PAGE).div_ceil(1024) + 1) * 1024;
        let cache_kib = (backing_kib / CACHE_DIVISOR).next_multiple_of(1024).max(CACHE_KIB_MIN);
        Self { name: name.to_owned(), requests, backing_kib, cache_kib }
    }

    fn windows(&self) -> impl Iterator<Item = &[Request]> {
        self.requests.chunks(self.requests.len().div_ceil(WINDOWS).max(1))
    }

    fn reads_of_windows(&self) -> Vec<u64> {
        let reads = |window: &[Request]| window.iter().filter(|request| !request.is_write).count() as u64;
        self.windows().map(reads).collect()
    }
}

/// Measures, and returns the lines for the page.
///
/// # Errors
/// If the guest cannot be made, a contender does not complete a trace, or recordings are damaged.
pub(crate) fn measure(root: &Path, is_quick: bool) -> Result<Vec<Value>, String> {
    let began = Instant::now();
    let scratch = Scratch::new()?;
    clients::install_missing()?;
    clients::prepare_guests()?;
    let programs = built::for_use(root, &["daemon", "bench"])?;
    let requests = REQUESTS[usize::from(is_quick)];
    let mut cuts = std::process::Command::new(programs.join("bench"));
    cuts.args(["cuts", "--requests", &requests.to_string()]);
    let source = match traces_folder(root) {
        Ok(folder) => {
            cuts.arg("--traces").arg(folder);
            "recordings"
        }
        Err(absent) => {
            println!("{absent} Generated ones take their place.");
            "generated workloads"
        }
    };
    let all: Vec<Played> = parse(&output(&mut cuts)?)?
        .into_iter()
        .map(|(name, requests)| Played::new(&name, requests))
        .collect();
    let guest = guest_with_programs(&programs, &scratch)?.memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
    let guest = all.iter().fold(guest, with_files);
    let mut running = guest.start(&script(&all))?;
    while let Some(line) = running.line()? {
        println!("{line}");
    }
    let ended = running.wait()?;
    if ended.status != 0 {
        return Err(format!("{}\nThe guest ended with status {}.", ended.output, ended.status));
    }
    let mut lines = lines(&ended.output, &all)?;
    let kernel = ended.output.lines().find_map(|line| line.strip_prefix("kernel|")).unwrap_or("unknown");
    lines.push(json!({
        "experiment": "peers",
        "case": "run",
        "full": !is_quick,
        "seconds": began.elapsed().as_secs(),
        "date": output(std::process::Command::new("date").args(["-u", "+%F"]))?.trim(),
        "kernel": kernel,
        "source": source,
    }));
    Ok(lines)
}

fn with_files(guest: Guest, played: &Played) -> Guest {
    let name = &played.name;
    let reads: Vec<String> = played.reads_of_windows().iter().map(u64::to_string).collect();
    let guest = guest.file(format!("/root/{name}.reads"), reads.join("\n") + "\n");
    played.windows().zip(1..).fold(guest, |guest, (window, number)| {
        guest.file(format!("/root/{name}.{number}.iolog"), trace::as_iolog(window))
    })
}

fn script(all: &[Played]) -> String {
    let largest = all.iter().map(|played| played.backing_kib.max(played.cache_kib)).max().unwrap_or(0);
    let sizes = format!("RESETS=yes DEPTH=1 DELAY_MS=0 LARGEST_KIB={largest}\n");
    let parts = all.iter().map(|Played { name, backing_kib, cache_kib, .. }| {
        format!(
            "TRACE={name} BACKING_KIB={backing_kib} CACHE_KIB={cache_kib} WINDOWS={WINDOWS}\n{CONTENDERS}"
        )
    });
    let parts: String = parts.collect();
    format!("{sizes}{SCRIPT}{parts}exit 0\n")
}

/// Reads the traces that `bench cuts` prints.
fn parse(text: &str) -> Result<Vec<(String, Vec<Request>)>, String> {
    let mut all: Vec<(String, Vec<Request>)> = Vec::new();
    for line in text.lines() {
        let wrong = || format!("`{line}` is no line of a trace.");
        let (word, rest) = line.split_once(' ').ok_or_else(wrong)?;
        if word == "trace" {
            all.push((rest.to_owned(), Vec::new()));
            continue;
        }
        let is_write = match word {
            "w" => true,
            "r" => false,
            _ => return Err(wrong()),
        };
        let page = rest.parse().map_err(|_| wrong())?;
        all.last_mut().ok_or_else(wrong)?.1.push(Request { page, is_write });
    }
    Ok(all)
}

/// Returns the line of each contender on each trace.
fn lines(output: &str, all: &[Played]) -> Result<Vec<Value>, String> {
    let reset = |line: &str| {
        let words: Vec<&str> = line.strip_prefix("reset|")?.split('|').collect();
        let [trace, name, hits, content] = words[..] else { return None };
        Some(((trace.to_owned(), name.to_owned()), (hits.parse::<u64>().ok()?, content == "intact")))
    };
    let resets: BTreeMap<_, _> = output.lines().filter_map(reset).collect();
    let mut lines = Vec::new();
    for line in output.lines().filter(|line| line.starts_with("figures|")) {
        let wrong = || format!("`{line}` is no line of figures.");
        let words: Vec<&str> = line.split('|').collect();
        let [_, trace, name, ram, hits, backing_reads, backing_writes, ssd, dirty, memory] = words[..] else {
            return Err(wrong());
        };
        let number = |word: &str| word.parse::<u64>().map_err(|_| wrong());
        let hits: Vec<u64> = hits.split_whitespace().map(number).collect::<Result<_, _>>()?;
        let played = all.iter().find(|played| played.name == trace).ok_or_else(wrong)?;
        let reads = played.reads_of_windows();
        if hits.len() != reads.len() {
            return Err(wrong());
        }
        let (hits_after, is_intact) = *resets.get(&(trace.to_owned(), name.to_owned())).ok_or_else(wrong)?;
        let cache_pages = usize::try_from(played.cache_kib / KIB_OF_PAGE).expect("a guest's RAM");
        let (all_reads, most) = trace::most_hits(&played.requests);
        let (_, lru) = trace::lru(&played.requests, cache_pages);
        let last = reads.len() - 1;
        let warm_after = windows_until_warm(&hits, &reads)
            .map(|windows| played.windows().take(windows).map(<[Request]>::len).sum::<usize>());
        lines.push(json!({
            "experiment": "peers",
            "case": trace,
            "contender": name,
            "backing_kib": played.backing_kib,
            "cache_kib": played.cache_kib,
            "ram_kib": number(ram)?,
            "requests": played.requests.len(),
            "reads": all_reads,
            "hit_percent": percent(hits.iter().sum(), all_reads),
            "lru_hit_percent": percent(lru, all_reads),
            "most_hit_percent": percent(most, all_reads),
            "hit_percent_of_windows": hits.iter().zip(&reads).map(|(hits, reads)| percent(*hits, *reads)).collect::<Vec<_>>(),
            "warm_after_requests": warm_after,
            "backing_reads": number(backing_reads)?,
            "backing_writes": number(backing_writes)?,
            "ssd_kib": number(ssd)?,
            "dirty_kib": number(dirty)?,
            "memory_kib": memory.parse::<u64>().ok(),
            "last_window_hit_percent": percent(hits[last], reads[last]),
            "after_reset_hit_percent": percent(hits_after, reads[last]),
            "is_intact": is_intact,
        }));
    }
    Ok(lines)
}

/// Returns the number of windows until the hit ratio of one is nearly that of the last quarter; none if nothing hits.
fn windows_until_warm(hits: &[u64], reads: &[u64]) -> Option<usize> {
    let quarter = reads.len() - reads.len() / 4;
    let last = ratio(hits[quarter..].iter().sum(), reads[quarter..].iter().sum());
    let is_warm = |(hits, reads): (&u64, &u64)| *reads > 0 && ratio(*hits, *reads) >= WARM * last;
    (last > 0.0).then(|| hits.iter().zip(reads).position(is_warm)).flatten().map(|window| window + 1)
}

fn percent(part: u64, whole: u64) -> f64 {
    (1000.0 * ratio(part, whole)).round() / 10.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of a short trace")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played() -> Played {
        let requests = (0..16).map(|at| Request { page: at % 4, is_write: at % 8 == 7 }).collect();
        Played::new("one", requests)
    }

    #[test]
    fn traces_are_read_by_name() {
        let all = parse("trace one\nr 3\nw 4\ntrace two\nr 0\n").expect("it is well formed");
        let request = |page, is_write| Request { page, is_write };
        assert_eq!(all[0], ("one".to_owned(), vec![request(3, false), request(4, true)]));
        assert_eq!(all[1], ("two".to_owned(), vec![request(0, false)]));
        assert!(parse("r 3\n").is_err() && parse("trace one\nx 3\n").is_err());
    }

    #[test]
    fn backing_and_cache_follow_from_the_footprint() {
        let small = played();
        assert_eq!((small.backing_kib, small.cache_kib), (2048, CACHE_KIB_MIN));
        let large = Played::new("large", vec![Request { page: 65_535, is_write: false }]);
        assert_eq!((large.backing_kib, large.cache_kib), (257 << 10, 33 << 10));
    }

    #[test]
    fn figures_and_resets_become_lines() {
        let output =
            "figures|one|bcache writeback|0| 0 3 4 3|4|2|60|12|-\nreset|one|bcache writeback|3|intact\n";
        let lines = lines(output, &[played()]).expect("they are complete");
        assert_eq!(lines.len(), 1);
        let line = &lines[0];
        assert_eq!((&line["case"], &line["hit_percent"]), (&json!("one"), &json!(71.4)));
        assert_eq!((&line["warm_after_requests"], &line["is_intact"]), (&json!(8), &json!(true)));
        assert_eq!((&line["after_reset_hit_percent"], &line["memory_kib"]), (&json!(100.0), &json!(null)));
    }

    #[test]
    fn a_contender_without_its_reset_is_an_error() {
        let output = "figures|one|bcache writeback|0| 0 3 4 3|4|2|60|12|-\n";
        assert!(lines(output, &[played()]).is_err());
        assert!(
            lines("figures|one|bcache|0|1 2|4|2|60|12|-\nreset|one|bcache|1|lost\n", &[played()]).is_err()
        );
    }

    #[test]
    fn a_cache_is_warm_with_the_first_window_near_the_last_quarter() {
        let reads = [10; 8];
        assert_eq!(windows_until_warm(&[0, 2, 5, 8, 9, 7, 8, 8], &reads), Some(4));
        assert_eq!(windows_until_warm(&[0; 8], &reads), None);
    }

    #[test]
    fn every_contender_is_a_function_of_the_script() {
        for line in CONTENDERS.lines() {
            let function = line.split(' ').next().expect("a line has a word");
            assert!(SCRIPT.contains(&format!("\n{function}() {{")), "{function}");
        }
    }
}
