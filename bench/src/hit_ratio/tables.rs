//! Markdown tables of gaps closed, flash writes, single points and costs.

use std::fmt;
use std::hint::black_box;

use hitsim::policies::{Reference, next_uses};
use hitsim::served::Writes;
use hitsim::{Conditions, Counted, Outcome, Policy, Row, Workload};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::large_blocks::AtRandom;
use super::short::Figures;
use super::{BLOCK_BYTES, Judged, Overwritten, SIZES, served};

/// Gap between LRU and Belady below which points are left out, because they are not significant.
pub(super) const GAP_MIN: f64 = 0.002;

/// Sizes at which flash writes are judged: 10 and 20 %.
const WRITES_AT: [usize; 2] = [3, 4];

/// Policy to compare.
#[derive(Clone, Copy)]
struct Contender {
    policy: Policy,
    /// True if long sequential runs bypass it, which is not the default.
    cut: bool,
}

impl Contender {
    const fn plain(policy: Policy) -> Self {
        Self { policy, cut: false }
    }

    fn served() -> impl Iterator<Item = Self> {
        let cut = served().next().map(|policy| Self { policy, cut: true });
        served().map(Self::plain).chain(cut)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.policy, if self.cut { ", cutoff 4 MiB" } else { "" })
    }
}

/// Size of a trace at which everything can be compared.
struct ComparedSize<'a> {
    judged: &'a Judged,
    size: usize,
    size_bytes: u64,
}

impl ComparedSize<'_> {
    fn row(&self, Contender { policy, cut }: Contender) -> Option<&Row> {
        let outcome = if cut { &self.judged.cut } else { &self.judged.plain };
        find(outcome, policy, self.size_bytes)
    }

    /// Returns the misses; a policy without a row here does not occur.
    fn misses(&self, who: Contender) -> f64 {
        self.row(who).map_or(f64::NAN, Row::miss_ratio)
    }

    fn gap(&self) -> f64 {
        self.misses(LRU) - self.misses(BELADY)
    }

    fn closed(&self, who: Contender) -> f64 {
        (self.misses(LRU) - self.misses(who)) / self.gap()
    }

    /// Returns the flash writes relative to an LRU that admits everything.
    fn writes(&self, who: Contender) -> f64 {
        self.row(who).map_or(f64::NAN, Row::flash_writes_per_access) / self.misses(LRU)
    }

    /// Returns the bytes written to flash for each byte of data among them.
    fn log(&self, who: Contender) -> f64 {
        let row = self.row(who);
        let bytes = row.and_then(|row| Some((row.served?.flash_bytes, row.flash_data_bytes)));
        bytes.map_or(f64::NAN, |(all, data)| ratio(all, data))
    }

    fn name(&self) -> String {
        format!("{} {}", self.judged.name, SIZES[self.size])
    }
}

const LRU: Contender = Contender::plain(Policy::Reference(Reference::Lru));
const BELADY: Contender = Contender::plain(Policy::Reference(Reference::Belady));

pub(super) fn find(outcome: &Outcome, policy: Policy, size_bytes: u64) -> Option<&Row> {
    outcome.rows.iter().find(|row| row.point.policy == policy && row.point.size_bytes == size_bytes)
}

/// Returns the policies that the gap of the default policy needs.
pub(super) fn of_gap() -> Vec<Policy> {
    served().take(1).chain([LRU.policy, BELADY.policy]).collect()
}

/// Returns the policies for which the cost of overwriting is shown. Each point is expensive, and a third admission would show little more.
pub(super) fn of_overwrites() -> Vec<Policy> {
    served().take(2).collect()
}

/// Prints the gap of the default policy, and its flash writes, with every single point.
pub(super) fn print_gap(all: &[Judged]) {
    let alone: Vec<Contender> = Contender::served().take(1).collect();
    let places = places(all, &alone);
    print_closed(&places, &alone);
    print_places(&places, &alone);
}

/// Prints the results of all traces.
pub(super) fn print(all: &[Judged]) {
    let served: Vec<Contender> = Contender::served().collect();
    let places = places(all, &served);
    let references = Reference::ALL.into_iter().map(|known| Contender::plain(Policy::Reference(known)));
    let references = references.filter(|who| places.iter().any(|place| place.row(*who).is_some()));
    print_closed(&places, &served.iter().copied().chain(references).collect::<Vec<_>>());
    print_places(&places, &served);
    print_cutoff(all);
    super::large_blocks::print(all.iter().map(|judged| (judged.name, judged.large_blocks.as_slice())));
    print_overwritten(all);
    super::scan::print(all.iter().map(|judged| (judged.name, judged.scanned.as_slice())));
    print_left_out(all);
}

fn print_closed(places: &[ComparedSize<'_>], shown: &[Contender]) {
    let judged: Vec<&ComparedSize<'_>> = places.iter().filter(|place| place.gap() >= GAP_MIN).collect();
    println!(
        "\n### Gap closed: (LRU - X) / (LRU - Belady), {} points\n\n\
         | policy | mean | worst | at | hit ratio below LRU at worst, points | flash writes x LRU at 10 and 20 % |\n\
         |---|---|---|---|---|---|",
        judged.len()
    );
    for who in shown.iter().copied() {
        let closed = |place: &&ComparedSize<'_>| place.closed(who);
        let Some(worst) = judged.iter().min_by(|a, b| closed(a).total_cmp(&closed(b))) else { continue };
        let lost = judged.iter().map(|place| 100.0 * (place.misses(who) - place.misses(LRU)));
        let writes = writes(places, who);
        println!(
            "| {who} | {:.3} | {:.3} | {} | {:.2} | {:.2} |",
            mean(judged.iter().map(closed)),
            closed(worst),
            worst.name(),
            lost.fold(0.0, f64::max),
            writes
        );
    }
}

/// Returns a policy's flash writes relative to LRU, mean of the judged sizes.
fn writes(places: &[ComparedSize<'_>], who: Contender) -> f64 {
    mean(places.iter().filter(|place| WRITES_AT.contains(&place.size)).map(|place| place.writes(who)))
}

/// Returns the figures of the default policy for the bounds; not a number if nothing was simulated.
pub(super) fn figures(all: &[Judged], at_random: &AtRandom) -> Figures {
    let places = places(all, &Contender::served().collect::<Vec<_>>());
    let who = Contender::served().next().expect("the table has one");
    let closed = || places.iter().filter(|place| place.gap() >= GAP_MIN).map(|place| place.closed(who));
    let overwritten = all.iter().flat_map(|judged| {
        let outcomes =
            judged.overwritten.iter().flat_map(|Overwritten { whole_pages, exact }| [whole_pages, exact]);
        let rows = outcomes.flat_map(|outcome| &outcome.rows);
        lost_to(rows.filter(|row| row.point.policy == who.policy), &judged.plain)
    });
    let large_blocks = all.iter().flat_map(|judged| &judged.large_blocks).map(|blocks| blocks.written);
    // Served policy, with and without a cutoff.
    let scanned = all.iter().flat_map(|judged| &judged.scanned);
    let scanned =
        scanned.flat_map(|scanned| scanned.lost[..2].iter().copied().map(|lost| lost.unwrap_or(f64::NAN)));
    Figures {
        gap_mean: mean(closed()),
        gap_worst: worst(closed(), f64::min),
        flash_writes: writes(&places, who),
        written_of_large_blocks: mean(large_blocks),
        written_at_random: at_random.written,
        overwritten_worst: worst(overwritten, f64::max),
        scanned_worst: worst(scanned, f64::max),
    }
}

/// Returns the worst of all; not a number if one of them is none, or there are none.
fn worst(values: impl Iterator<Item = f64>, of: fn(f64, f64) -> f64) -> f64 {
    let worse = |one: f64, other: f64| if one.is_nan() || other.is_nan() { f64::NAN } else { of(one, other) };
    values.reduce(worse).unwrap_or(f64::NAN)
}

/// Returns the points of hit ratio that each row loses relative to that of `plain`.
fn lost_to<'a>(rows: impl Iterator<Item = &'a Row>, plain: &'a Outcome) -> impl Iterator<Item = f64> {
    rows.filter_map(|row| {
        let before = find(plain, row.point.policy, row.point.size_bytes)?;
        Some(100.0 * (row.miss_ratio() - before.miss_ratio()))
    })
}

/// Returns the sizes at which all of these could be simulated.
fn places<'a>(all: &'a [Judged], shown: &[Contender]) -> Vec<ComparedSize<'a>> {
    let mut places = Vec::new();
    for judged in all {
        let mut sizes: Vec<u64> = judged.plain.rows.iter().map(|row| row.point.size_bytes).collect();
        sizes.dedup();
        for (size, size_bytes) in sizes.into_iter().enumerate() {
            let place = ComparedSize { judged, size, size_bytes };
            if shown.iter().all(|who| place.row(*who).is_some()) {
                places.push(place);
            }
        }
    }
    places
}

fn print_places(places: &[ComparedSize<'_>], shown: &[Contender]) {
    let shown = || shown.iter().copied();
    let names: Vec<String> = shown().map(|who| format!("{who} (writes x, log x)")).collect();
    println!(
        "\n### Misses; flash writes x LRU; bytes of the log, headers and summaries included, x data in it\n\n| trace | of footprint | pages | segments of pages | LRU | Belady | {} |\n|---|---|---|---|---|---|{}",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for place in places {
        let cells = shown()
            .map(|who| format!("{:.4} ({:.2}, {:.2})", place.misses(who), place.writes(who), place.log(who)));
        let division = shown().find_map(|who| place.row(who)?.served).map(|layout| layout.division);
        let segments = division.map_or_else(String::new, |division| {
            format!("{} of {}", division.segments, division.segment_bytes / u64::from(BLOCK_BYTES))
        });
        println!(
            "| {} | {} | {} | {segments} | {:.4} | {:.4} | {} |",
            place.judged.name,
            SIZES[place.size],
            place.size_bytes / u64::from(BLOCK_BYTES),
            place.misses(LRU),
            place.misses(BELADY),
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
}

/// Prints the cost of a sequential cutoff, which depends on accesses: requests that are cut into blocks, and whole ones as on a disk.
fn print_cutoff(all: &[Judged]) {
    // The short form has no whole requests.
    if all.iter().all(|judged| judged.whole[1].rows.is_empty()) {
        return;
    }
    println!(
        "\n### A sequential cutoff of 4 MiB, against none: points of hit ratio lost by what is served out of the box\n\n| trace | an access \
         | mean | worst |\n|---|---|---|---|"
    );
    for judged in all {
        let [uncut, cut] = &judged.whole;
        for (access, cut, uncut) in [("a block", &judged.cut, &judged.plain), ("a request", cut, uncut)] {
            let pairs = uncut
                .rows
                .iter()
                .filter_map(|row| Some((find(cut, row.point.policy, row.point.size_bytes)?, row)));
            let lost: Vec<f64> =
                pairs.map(|(cut, uncut)| 100.0 * (cut.miss_ratio() - uncut.miss_ratio())).collect();
            println!(
                "| {} | {access} | {:.2} | {:.2} |",
                judged.name,
                mean(lost.iter().copied()),
                lost.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            );
        }
    }
}

/// Prints the cost of overwriting cached data.
pub(super) fn print_overwritten(all: &[Judged]) {
    println!(
        "\n### Guests' writes, against the same as reads: points of hit ratio lost\n\n| trace | written | policy | mean | worst \
         | flash writes, mean x |\n|---|---|---|---|---|---|"
    );
    for judged in all {
        let Some(Overwritten { whole_pages, exact }) = &judged.overwritten else { continue };
        for (outcome, written) in [(whole_pages, "whole pages"), (exact, "to the sector")] {
            for policy in of_overwrites() {
                print_lost(judged, outcome, written, policy);
            }
        }
    }
}

fn print_lost(judged: &Judged, overwritten: &Outcome, written: &str, policy: Policy) {
    let rows = || overwritten.rows.iter().filter(|row| row.point.policy == policy);
    let lost = || lost_to(rows(), &judged.plain);
    let writes = rows().filter_map(|row| {
        let before = find(&judged.plain, policy, row.point.size_bytes)?;
        Some(row.flash_writes_per_access() / before.flash_writes_per_access())
    });
    println!(
        "| {} | {written} | {policy} | {:.2} | {:.2} | {:.2} |",
        judged.name,
        mean(lost()),
        lost().fold(f64::NEG_INFINITY, f64::max),
        mean(writes)
    );
}

fn print_left_out(all: &[Judged]) {
    println!("\nLeft out, as the cache would have fewer than 16 segments:");
    for judged in all {
        let mut pages: Vec<u64> =
            judged.plain.left_out.iter().map(|left| left.point.size_bytes / u64::from(BLOCK_BYTES)).collect();
        pages.dedup();
        for pages in pages {
            println!("- {} with {pages} pages of {}", judged.name, judged.footprint_pages);
        }
    }
}

/// Prints the cost of an access at a tenth of the footprint, one policy at a time on one core, and its memory.
pub(super) fn print_costs(name: &str, workload: &Workload) {
    println!(
        "\n### Time of an access on {name}, a cache of 10 %, one core\n\n| policy | ns | index and policy, bytes per cached page |\n|---|---|---|"
    );
    let accesses = workload.accesses(BLOCK_BYTES);
    let next = next_uses(&accesses.blocks, &[], accesses.distinct, 1);
    let size_bytes = super::sizes(workload).nth(WRITES_AT[0]).unwrap_or_default();
    for policy in served().chain(Reference::ALL.into_iter().map(Policy::Reference)) {
        let started = user_time();
        let index = match policy {
            Policy::Served(admission) => {
                let Conditions { ram, sequential_cutoff, .. } = Conditions::default();
                let serving =
                    hitsim::served::Serving { admission, ram, sequential_cutoff, writes: Writes::AsReads };
                let served = hitsim::served::serve(
                    workload,
                    &serving,
                    Counted::Blocks,
                    size_bytes,
                    BLOCK_BYTES,
                    &|_| {},
                );
                served.map_or_else(
                    |error| error,
                    |served| format!("{:.1}", ratio(served.index_bytes, served.pages)),
                )
            }
            Policy::Reference(reference) => {
                let capacity = (size_bytes / u64::from(BLOCK_BYTES)) as usize;
                let mut policy = reference.make(capacity, accesses.distinct, &next);
                for block in &accesses.blocks {
                    black_box(policy.access(*block));
                }
                String::new()
            }
        };
        let spent = (user_time() - started).cast_unsigned();
        let nanos = spent * 1000 / (accesses.blocks.len() as u64).max(1);
        println!("| {policy} | {nanos} | {index} |");
    }
}

/// Returns the CPU time of this process so far, in microseconds: others on the machine do not count.
fn user_time() -> i64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.user_time().num_microseconds())
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts stay far below 2^52")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
