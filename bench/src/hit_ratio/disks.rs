//! The traces as disks have them: with writes beside writes as reads, 23 sizes, the first two turnovers after the fill counted apart, a
//! second pass over learned state, and the pages written to flash by cause.
//!
//! References follow the rule of served disks (`hitsim/src/rule.rs`), so that a write costs all alike.

use std::path::Path;
use std::time::Instant;

use cache::Admission;
use hitsim::policies::Reference;
use hitsim::served::{Division, RamShare, Writes};
use hitsim::{Conditions, Outcome, Policy, Row, Share, Tally, Workload};

use super::tables::{GAP_MIN, find};
use super::{FIELD, Output, Part, SOURCES, collect, open_all, read, simulate_at};

mod figures;

use figures::{Figure, Loss};

/// Sizes of caches, in hundredths of the footprint of a trace.
const SIZES: [u32; 23] =
    [1, 2, 3, 4, 5, 7, 10, 13, 17, 20, 24, 27, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80];
/// Sizes at which flash writes are judged.
const WRITES_AT: [u32; 2] = [10, 20];
/// Sizes at which a trace is played a second time.
const AGAIN_AT: [u32; 4] = [10, 20, 40, 60];

/// Served policies that are judged.
const SERVED: [Policy; 2] = [Policy::Served(Admission::Adaptive), Policy::Served(Admission::AdaptiveHits)];
const ALWAYS: Policy = Policy::Served(Admission::Always);
const LRU: Policy = Policy::Reference(Reference::Lru);
const BELADY: Policy = Policy::Reference(Reference::Belady);
const REFERENCES: [Policy; 8] = [
    LRU,
    Policy::Reference(Reference::Arc),
    Policy::Reference(Reference::S3Fifo),
    Policy::Reference(Reference::ClockTwoQPlus),
    Policy::Reference(Reference::Sieve),
    Policy::Reference(Reference::WTinyLfu(20)),
    Policy::Reference(Reference::GlCache),
    BELADY,
];

/// All simulations of a trace.
struct Disk {
    name: &'static str,
    /// Each of [`SIZES`] in bytes.
    sizes: Vec<(u32, u64)>,
    /// Writes as reads.
    reads: Outcome,
    /// Real writes, with `always` at [`WRITES_AT`]; none if the trace has no writes, or no directions.
    real: Option<Outcome>,
    /// Two passes: with real writes, if there are any.
    again: Outcome,
    /// Caches of the RAM of a served disk alone, at [`WRITES_AT`]: the policy, the size in bytes of the whole, and the pass.
    ram_alone: Vec<(Policy, u64, Tally)>,
}

/// Selects one of the outcomes of a [`Disk`].
#[derive(Clone, Copy)]
enum Taken {
    AsReads,
    AsTheyAre,
    Twice,
}

/// Simulates all traces, prints Markdown, and writes all points to a file.
///
/// # Errors
/// If a trace is absent or damaged, or the file cannot be written: a sentence.
pub(super) fn report(folder: &Path, quick: bool, csv: Option<&Path>) -> Result<(), String> {
    let started = Instant::now();
    let is_taken = |part| part != Part::Check && (part == Part::Small || !quick);
    let sources = SOURCES.iter().chain(&FIELD).filter(|source| is_taken(source.part));
    let traces = open_all(folder, sources)?;
    let csv = csv.map(Output::open).transpose()?;
    let mut disks = Vec::new();
    for (source, trace) in traces {
        let workload = collect(&read(trace)?)?;
        disks.push(Disk::simulate(source.known_as, &workload));
        eprintln!(
            "{}: {} accesses, {} s",
            source.known_as,
            workload.page_accesses(),
            started.elapsed().as_secs()
        );
    }
    print_summary(&disks);
    print_references(&disks);
    print_flash(&disks);
    print_points(&disks);
    println!("\nAll of it took {} s.", started.elapsed().as_secs());
    csv.map_or(Ok(()), |file| file.write(&values(&disks)))
}

fn sizes_of(workload: &Workload, shares: &[u32]) -> Vec<(u32, u64)> {
    let of = |share: &u32| format!("{share}%").parse::<Share>().expect("a share of the table").of(workload);
    shares.iter().map(|share| (*share, of(share))).collect()
}

fn bytes(sizes: &[(u32, u64)]) -> Vec<u64> {
    sizes.iter().map(|(_, bytes)| *bytes).collect()
}

impl Disk {
    fn simulate(name: &'static str, workload: &Workload) -> Self {
        let has_writes = workload.writes().is_some_and(|writes| writes > 0);
        let conditions = |writes| Conditions { writes, ..Conditions::default() };
        let sizes = sizes_of(workload, &SIZES);
        let dense: Vec<Policy> = SERVED.into_iter().chain(REFERENCES).collect();
        let run = |writes| simulate_at(workload, &dense, &conditions(writes), &bytes(&sizes));
        let reads = run(Writes::AsReads);
        let judged = bytes(&sizes_of(workload, &WRITES_AT));
        let real = has_writes.then(|| {
            let mut real = run(Writes::AsTheyAre);
            real.rows.extend(simulate_at(workload, &[ALWAYS], &conditions(Writes::AsTheyAre), &judged).rows);
            real
        });
        let natural = if has_writes { Writes::AsTheyAre } else { Writes::AsReads };
        let twice = Conditions { passes: 2, ..conditions(natural) };
        let played_twice: Vec<Policy> = SERVED.into_iter().chain([LRU]).collect();
        let again = simulate_at(workload, &played_twice, &twice, &bytes(&sizes_of(workload, &AGAIN_AT)));
        let ram_alone = ram_alone(workload, &conditions(natural), &judged);
        Self { name, sizes, reads, real, again, ram_alone }
    }

    /// Returns the selected outcome; none if the trace has no writes, or no directions.
    fn taken(&self, taken: Taken) -> Option<&Outcome> {
        match taken {
            Taken::AsReads => Some(&self.reads),
            Taken::AsTheyAre => self.real.as_ref(),
            Taken::Twice => Some(&self.again),
        }
    }

    /// Returns the outcome with real writes, or as reads if there are none.
    fn natural(&self) -> &Outcome {
        self.real.as_ref().unwrap_or(&self.reads)
    }

    /// Returns each size at which the served policies could be simulated.
    fn simulated(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let sizes = self.sizes.iter().copied();
        sizes.filter(|(_, bytes)| SERVED.iter().all(|policy| find(&self.reads, *policy, *bytes).is_some()))
    }

    /// Returns the gap between LRU and Belady as reads.
    fn gap(&self, bytes: u64) -> f64 {
        let misses = |policy| find(&self.reads, policy, bytes).map_or(f64::NAN, Row::miss_ratio);
        misses(LRU) - misses(BELADY)
    }

    /// Returns the sizes that count.
    fn judged(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.simulated().filter(|(_, bytes)| self.gap(*bytes) >= GAP_MIN)
    }
}

/// Returns the tallies of an LRU of the RAM of a served disk, for each size of the whole.
fn ram_alone(workload: &Workload, conditions: &Conditions, sizes: &[u64]) -> Vec<(Policy, u64, Tally)> {
    let all_in_ram = Conditions { ram: RamShare::Bytes(u64::MAX), ..*conditions };
    let mut tallies = Vec::new();
    for (policy, size_bytes) in
        SERVED.iter().flat_map(|policy| sizes.iter().map(move |size| (*policy, *size)))
    {
        let Policy::Served(admission) = policy else { continue };
        let Ok(division) = Division::of(size_bytes, conditions.ram, admission) else { continue };
        let Outcome { rows, .. } = simulate_at(workload, &[LRU], &all_in_ram, &[division.ram_bytes]);
        tallies.extend(rows.iter().map(|row| (policy, size_bytes, row.tally)));
    }
    tallies
}

fn name_of(policy: Policy) -> &'static str {
    match policy {
        Policy::Served(Admission::AdaptiveHits) => "hits first",
        _ => "out of the box",
    }
}

/// Returns true for Belady: with real writes its misses of all accesses are not comparable, as it keeps no block for a write.
fn is_bound_of_reads(policy: Policy) -> bool {
    policy == BELADY
}

/// Returns the points of hit ratio that a policy loses to LRU, by a ratio of misses.
fn lost(disks: &[Disk], policy: Policy, taken: Taken, ratio: fn(&Row) -> Option<f64>) -> Loss {
    let mut loss = Loss::default();
    for disk in disks {
        let Some(outcome) = disk.taken(taken) else { continue };
        for (share, size) in disk.judged() {
            let misses = |policy| find(outcome, policy, size).and_then(ratio);
            if let (Some(own), Some(lru)) = (misses(policy), misses(LRU)) {
                loss.add(disk.name, share, 100.0 * (own - lru));
            }
        }
    }
    loss
}

#[expect(clippy::unnecessary_wraps, reason = "a ratio as lost() takes it")]
fn misses(row: &Row) -> Option<f64> {
    Some(row.miss_ratio())
}

/// Returns the misses of a turnover that is at least half complete.
fn turnover(row: &Row, number: usize) -> Option<f64> {
    let turn = row.turnovers?[number];
    let blocks = row.point.size_bytes / u64::from(row.point.block_bytes);
    (2 * turn.accesses >= blocks).then(|| turn.miss_ratio())
}

fn read_misses(row: &Row) -> Option<f64> {
    (row.tally.reads > 0).then(|| row.read_miss_ratio())
}

/// Returns the pages written to flash beside `always` in the same log, with real writes.
fn beside_always(disks: &[Disk], policy: Policy) -> Figure {
    let mut figure = Figure::default();
    for disk in disks {
        let Some(real) = &disk.real else { continue };
        for (share, size) in disk.simulated().filter(|(share, _)| WRITES_AT.contains(share)) {
            if let (Some(own), Some(always)) = (find(real, policy, size), find(real, ALWAYS, size)) {
                figure.add(
                    disk.name,
                    share,
                    own.flash_writes_per_access() / always.flash_writes_per_access(),
                );
            }
        }
    }
    figure
}

/// Line of the summary.
type Line = (&'static str, fn(&[Disk], Policy) -> String);

const SUMMARY: [Line; 11] = [
    ("gap closed as reads: mean; worst", |disks, policy| closed(disks, policy).least()),
    ("points below LRU at worst, as reads", |disks, policy| {
        lost(disks, policy, Taken::AsReads, misses).to_string()
    }),
    ("the same, writes as they are", |disks, policy| {
        lost(disks, policy, Taken::AsTheyAre, misses).to_string()
    }),
    ("the same, reads alone of these, points of reads", |disks, policy| {
        lost(disks, policy, Taken::AsTheyAre, read_misses).to_string()
    }),
    ("first turnover after the fill, as reads", |disks, policy| {
        lost(disks, policy, Taken::AsReads, |row| turnover(row, 0)).to_string()
    }),
    ("first turnover, writes as they are", |disks, policy| {
        lost(disks, policy, Taken::AsTheyAre, |row| turnover(row, 0)).to_string()
    }),
    ("second turnover, as reads", |disks, policy| {
        lost(disks, policy, Taken::AsReads, |row| turnover(row, 1)).to_string()
    }),
    ("second turnover, writes as they are", |disks, policy| {
        lost(disks, policy, Taken::AsTheyAre, |row| turnover(row, 1)).to_string()
    }),
    ("played again with learned state, as it is, at 10, 20, 40 and 60 %", |disks, policy| {
        lost(disks, policy, Taken::Twice, |row| Some(row.again?.miss_ratio())).to_string()
    }),
    ("flash pages x `always`, writes as they are, 10 and 20 %: mean; worst", |disks, policy| {
        beside_always(disks, policy).most()
    }),
    ("flash pages for each read hit gained over RAM alone: mean; worst", |disks, policy| {
        let mut figure = Figure::default();
        for disk in disks {
            for (share, pages) in pages_per_hit(disk, policy) {
                figure.add(disk.name, share, pages);
            }
        }
        figure.most()
    }),
];

fn print_summary(disks: &[Disk]) {
    let (points, all) = (disks.iter().map(|disk| disk.judged().count()).sum::<usize>(), disks.len());
    println!(
        "\n### As disks have it: {points} points of {all} traces\n\nPositive points are lost to LRU; in brackets, where.\n\n| | {} |\n|---|{}",
        SERVED.map(name_of).join(" | "),
        "---|".repeat(SERVED.len())
    );
    for (what, of) in SUMMARY {
        println!("| {what} | {} |", SERVED.map(|policy| of(disks, policy)).join(" | "));
    }
}

/// Returns the gap closed, with writes as reads.
fn closed(disks: &[Disk], policy: Policy) -> Figure {
    let mut figure = Figure::default();
    for disk in disks {
        for (share, size) in disk.judged() {
            let misses = |policy| find(&disk.reads, policy, size).map_or(f64::NAN, Row::miss_ratio);
            figure.add(disk.name, share, (misses(LRU) - misses(policy)) / disk.gap(size));
        }
    }
    figure
}

/// Returns the pages written to flash for each read hit that a cache of its RAM alone does not have, at sizes in hundredths; infinite if it
/// has as many.
fn pages_per_hit(disk: &Disk, policy: Policy) -> Vec<(u32, f64)> {
    let of = |(share, size): (u32, u64)| {
        let row = find(disk.natural(), policy, size)?;
        let (.., alone) =
            disk.ram_alone.iter().find(|(known, bytes, _)| *known == policy && *bytes == size)?;
        Some((share, pages_written(row) / gained(alone.read_misses, row.tally.read_misses)))
    };
    disk.simulated().filter(|(share, _)| WRITES_AT.contains(share)).filter_map(of).collect()
}

/// Returns the hits gained; zero if there are none, which a division shows as infinite.
#[expect(clippy::cast_precision_loss, reason = "counts of accesses are 32 bits")]
fn gained(before: u64, now: u64) -> f64 {
    before.saturating_sub(now) as f64
}

#[expect(clippy::cast_precision_loss, reason = "pages stay far below 2^52")]
fn pages_written(row: &Row) -> f64 {
    row.flash_data_bytes as f64 / f64::from(row.point.block_bytes)
}

fn print_references(disks: &[Disk]) {
    println!(
        "\n### Beside policies from papers, under the same rule for writes\n\nIn all rows with writes as they are, policies from papers have the RAM of `served`, a quarter of the cache up to 32 MiB; \
         `served:adaptive:hits` has a twentieth.\n\n| policy | gap closed as reads, mean; worst | points below LRU \
         at worst, as reads | writes as they are | reads alone of these |\n|---|---|---|---|---|"
    );
    for policy in SERVED.into_iter().chain(REFERENCES) {
        let lost = |taken, ratio| lost(disks, policy, taken, ratio).to_string();
        let all = if is_bound_of_reads(policy) { "-".to_owned() } else { lost(Taken::AsTheyAre, misses) };
        println!(
            "| {policy} | {} | {} | {all} | {} |",
            closed(disks, policy).least(),
            lost(Taken::AsReads, misses),
            lost(Taken::AsTheyAre, read_misses)
        );
    }
}

/// Prints the pages written to flash by cause, per access.
fn print_flash(disks: &[Disk]) {
    println!(
        "\n### Flash pages written for each access, writes as they are where the trace says what writes\n\n| trace | of footprint | policy | \
         first fill | admitted later | appended again | all | x `always` | overwritten unread | for each read hit gained over RAM alone |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    );
    for disk in disks {
        for (share, size) in disk.simulated().filter(|(share, _)| WRITES_AT.contains(share)) {
            for policy in SERVED.into_iter().chain([ALWAYS]) {
                print_causes(disk, (share, size), policy);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages stay far below 2^52")]
fn print_causes(disk: &Disk, (share, size): (u32, u64), policy: Policy) {
    let Some(row) = find(disk.natural(), policy, size) else { return };
    let Some(layout) = row.served else { return };
    let an_access = |pages: u64| format!("{:.3}", pages as f64 / row.tally.accesses as f64);
    let always = find(disk.natural(), ALWAYS, size)
        .map_or_else(String::new, |always| format!("{:.2}", pages_written(row) / pages_written(always)));
    let per_hit = pages_per_hit(disk, policy).iter().find(|(at, _)| *at == share).map(|(_, pages)| *pages);
    println!(
        "| {} | {share}% | {policy} | {} | {} | {} | {:.3} | {always} | {} | {} |",
        disk.name,
        an_access(layout.first_fill_pages),
        an_access(layout.admitted_pages.saturating_sub(layout.first_fill_pages)),
        an_access(layout.reappended_pages),
        row.flash_writes_per_access(),
        an_access(layout.overwritten_unread_pages),
        per_hit.map_or_else(String::new, |pages| format!("{pages:.2}"))
    );
}

/// Prints the misses of all points that count, with writes as reads and as they are.
fn print_points(disks: &[Disk]) {
    println!(
        "\n### Misses as reads; as they are (of reads alone)\n\n| trace | of footprint | LRU | Belady | out of the box | hits first |\n\
         |---|---|---|---|---|---|"
    );
    for disk in disks {
        for (share, size) in disk.simulated() {
            let cell = |policy| {
                let as_reads = find(&disk.reads, policy, size).map_or(f64::NAN, Row::miss_ratio);
                let real = disk.real.as_ref().and_then(|real| find(real, policy, size));
                let real = real.map_or_else(String::new, |row| {
                    let all = if is_bound_of_reads(policy) {
                        "-".to_owned()
                    } else {
                        format!("{:.4}", row.miss_ratio())
                    };
                    format!("; {all} ({:.4})", row.read_miss_ratio())
                });
                format!("{as_reads:.4}{real}")
            };
            let cells = [LRU, BELADY].into_iter().chain(SERVED).map(cell).collect::<Vec<_>>();
            println!("| {} | {share}% | {} |", disk.name, cells.join(" | "));
        }
    }
}

/// Returns all points as comma-separated values.
fn values(disks: &[Disk]) -> String {
    let mut text = String::new();
    for disk in disks {
        let outcomes =
            [("as-reads", Taken::AsReads), ("as-they-are", Taken::AsTheyAre), ("twice", Taken::Twice)];
        for (writes, taken) in outcomes {
            let Some(outcome) = disk.taken(taken) else { continue };
            let rows = hitsim::csv(&outcome.rows);
            let mut lines = rows.lines();
            let headings = lines.next().unwrap_or_default();
            if text.is_empty() {
                text = format!("trace,writes,{headings}\n");
            }
            text.extend(lines.map(|line| format!("{},{writes},{line}\n", disk.name)));
        }
    }
    text
}
