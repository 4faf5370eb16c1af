//! The served policy beside those of papers, on real traces: the share of the gap between LRU and the optimum that each closes, and its
//! flash writes.
//!
//! Known miss ratios of the traces are in `baseline.csv` beside them. `--part all` compares the references with them first, and reports
//! nothing if one differs; the other parts do not read them.

mod disks;
mod known;
mod large_blocks;
mod made_up;
mod pool;
mod scan;
mod short;
mod tables;
mod trade;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use cache::SequentialCutoff;
use hitsim::policies::Reference;
use hitsim::served::Writes;
use hitsim::{Conditions, Counted, Outcome, Point, Policy, Share, Workload};
use large_blocks::LargeBlocks;
pub(crate) use short::report as report_short;
use trace::{Options, Request, Trace};

const BLOCK_BYTES: u32 = 4096;

/// Sizes of caches, as shares of the footprint of a trace.
const SIZES: [&str; 6] = ["0.1%", "1%", "5%", "10%", "20%", "40%"];

/// Trace, and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    file: &'static str,
    /// Name in `baseline.csv`.
    known_as: &'static str,
    unit_bytes: Option<u32>,
    part: Part,
}

/// Use of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Judged, and expensive.
    Large,
    /// Judged.
    Small,
    /// Only compared with the references: too small for segments.
    Check,
}

const fn source(file: &'static str, known_as: &'static str, part: Part) -> Source {
    Source { file, known_as, unit_bytes: None, part }
}

const SOURCES: [Source; 12] = [
    source("cp_w92.vscsi.zst", "cp_w92sample", Part::Large),
    Source { unit_bytes: Some(4096), ..source("arc_OLTP.lis.zst", "arc_OLTP", Part::Large) },
    source("arc_P3.lis.zst", "arc_P3_4k", Part::Large),
    source("arc_P12.lis.zst", "arc_P12_4k", Part::Large),
    source("tencent_537.trace.zst", "tencent_537", Part::Small),
    source("tencent_211.trace.zst", "tencent_211", Part::Small),
    source("tencent_379.trace.zst", "tencent_379", Part::Small),
    source("ssdsim_example.ascii.zst", "ssdsim_example", Part::Check),
    source("lirs_2_pools.trace.gz", "lirs_2_pools", Part::Check),
    source("lirs_cpp.trace.gz", "lirs_cpp", Part::Check),
    source("lirs_gli.trace.gz", "lirs_gli", Part::Check),
    source("lirs_sprite.trace.gz", "lirs_sprite", Part::Check),
];

/// Recordings of real disks, with writes. They are not in `baseline.csv`.
const FIELD: [Source; 3] = [
    source("field/blkreplay_mysql.ascii.zst", "mysql", Part::Large),
    source("field/blkreplay_web2.ascii.zst", "web2", Part::Large),
    source("field/hplajw_root.csv.zst", "hplajw", Part::Small),
];

/// Served policies to compare: the default first, then with everything admitted.
const SERVED: [&str; 4] = ["served", "served:always", "served:adaptive:hits", "served:repeated:2"];

/// Results of one trace.
struct Judged {
    name: &'static str,
    footprint_pages: u64,
    /// All policies, with writes counted as reads.
    plain: Outcome,
    /// The same of the default policy, with a cutoff of sequential runs.
    cut: Outcome,
    /// The same two with whole requests as accesses: without and with the cutoff.
    whole: [Outcome; 2],
    /// Served policies with writes; none if the trace has no writes, or no directions.
    overwritten: Option<Overwritten>,
    /// The default policy, with its block size.
    large_blocks: Vec<LargeBlocks>,
    /// Cost of a scan in the middle.
    scanned: Vec<scan::Scanned>,
}

/// Served policies with a trace's writes.
struct Overwritten {
    /// Writes of whole pages: the cost of overwriting.
    whole_pages: Outcome,
    /// Exact writes: parts of pages that are not cached leave nothing to read.
    exact: Outcome,
}

impl Overwritten {
    fn simulate(workload: &Workload) -> Option<Self> {
        let policies = tables::of_overwrites();
        let of = |writes| simulate(workload, &policies, &Conditions { writes, ..Conditions::default() });
        let writes = workload.writes().filter(|writes| *writes > 0);
        writes.map(|_| Self { whole_pages: of(Writes::OfWholePages), exact: of(Writes::AsTheyAre) })
    }
}

impl Judged {
    /// Returns the results that the gap needs.
    fn by_gap(name: &'static str, workload: &Workload, plain: Outcome) -> Self {
        Self {
            name,
            footprint_pages: workload.footprint_pages(),
            plain,
            cut: Outcome::default(),
            whole: [Outcome::default(), Outcome::default()],
            overwritten: None,
            large_blocks: Vec::new(),
            scanned: Vec::new(),
        }
    }
}

/// Extent of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// Everything.
    All,
    /// The judged figures: without whole requests.
    Judged,
}

/// Part of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Reported {
    /// The traces as disks have them: with their writes beside writes as reads, 23 sizes, the first turnovers, flash writes by cause.
    #[default]
    Disks,
    /// All parts but that: writes as reads, at six sizes, beside known results of the traces.
    All,
    /// Gap closed and flash writes of the default policy.
    Gap,
    /// Results with the default block size of a disk.
    LargeBlocks,
    /// Cost of guests' overwriting of cached data.
    Overwrites,
    /// Cost of a scan in the middle.
    Scan,
    /// Several traces at once on one pool, divided among them in several ways.
    Pool,
    /// Hit ratios by write budgets.
    TradeOff,
}

/// Simulates, and prints Markdown: one part, or all but the first, which compares references with known results. Files, if given, get the
/// chart of the trade-off, or all points of the first part.
///
/// # Errors
/// If a trace is absent or damaged, a file is of another part or cannot be written, or with all parts a reference policy differs from its
/// known results: a sentence.
pub(crate) fn report(folder: &Path, quick: bool, part: Reported, files: Files<'_>) -> Result<(), String> {
    files.check(part)?;
    match part {
        Reported::Disks => disks::report(folder, quick, files.csv),
        Reported::All => report_all(folder, quick),
        Reported::Gap => {
            let mut judged = Vec::new();
            for_each(folder, quick, |name, _, workload| {
                let plain = simulate(workload, &tables::of_gap(), &as_reads());
                judged.push(Judged::by_gap(name, workload, plain));
                Ok(())
            })?;
            tables::print_gap(&judged);
            Ok(())
        }
        Reported::LargeBlocks => {
            let mut all = Vec::new();
            for_each(folder, quick, |name, _, workload| {
                all.push((name, large_blocks::simulate(workload)));
                Ok(())
            })?;
            large_blocks::print(all.iter().map(|(name, blocks)| (*name, blocks.as_slice())));
            large_blocks::print_at_random(&large_blocks::at_random()?);
            Ok(())
        }
        Reported::Overwrites => {
            let mut judged = Vec::new();
            for_each(folder, quick, |name, _, workload| {
                let Some(overwritten) = Overwritten::simulate(workload) else { return Ok(()) };
                let plain = simulate(workload, &tables::of_overwrites(), &as_reads());
                judged
                    .push(Judged { overwritten: Some(overwritten), ..Judged::by_gap(name, workload, plain) });
                Ok(())
            })?;
            tables::print_overwritten(&judged);
            Ok(())
        }
        Reported::Scan => {
            let mut all = Vec::new();
            for_each(folder, quick, |name, requests, workload| {
                all.push((name, scan::simulate(requests, workload)?));
                Ok(())
            })?;
            scan::print(all.iter().map(|(name, scanned)| (*name, scanned.as_slice())));
            Ok(())
        }
        Reported::Pool => pool::report(folder, quick),
        Reported::TradeOff => {
            let picture = files.svg.map(Output::open).transpose()?;
            let mut trades = Vec::new();
            for_each(folder, quick, |name, _, workload| {
                trades.push(trade::simulate(name, workload)?);
                Ok(())
            })?;
            trade::print(&trades);
            picture.map_or(Ok(()), |picture| picture.write(&trade::svg(&trades)))
        }
    }
}

/// Files of results.
#[derive(Clone, Copy)]
pub(crate) struct Files<'a> {
    /// Chart of the trade-off.
    pub(crate) svg: Option<&'a Path>,
    /// All points of the traces as disks have them.
    pub(crate) csv: Option<&'a Path>,
}

impl Files<'_> {
    /// Refuses a file that the part does not write.
    fn check(self, part: Reported) -> Result<(), String> {
        let misplaced = match part {
            Reported::Disks => self.svg.map(|_| ("--svg", "--part trade-off")),
            Reported::TradeOff => self.csv.map(|_| ("--csv", "--part disks")),
            _ if self.svg.is_some() => Some(("--svg", "--part trade-off")),
            _ => self.csv.map(|_| ("--csv", "--part disks")),
        };
        misplaced.map_or(Ok(()), |(file, wanted)| {
            Err(format!("Cannot write a file with this part: {file} belongs to {wanted}"))
        })
    }
}

/// File of results. It is opened before the work begins, and keeps its content until there are results.
struct Output<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Output<'a> {
    fn open(path: &'a Path) -> Result<Self, String> {
        let opened = File::options().write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path, file })
    }

    fn write(mut self, text: &str) -> Result<(), String> {
        self.replace(text.as_bytes()).map_err(|error| cannot_write(self.path, &error))
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Pipes have no length.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(bytes)
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("Cannot write {}: {error}; check path and permissions", path.display())
}

/// Calls a function for each judged trace.
fn for_each(
    folder: &Path,
    quick: bool,
    mut with: impl FnMut(&'static str, &[Request], &Workload) -> Result<(), String>,
) -> Result<(), String> {
    let left_out = |source: &&Source| source.part == Part::Check || quick && source.part == Part::Large;
    for (source, trace) in open_all(folder, SOURCES.iter().filter(|source| !left_out(source)))? {
        let requests = read(trace)?;
        let workload = collect(&requests)?;
        eprintln!("{}: {} accesses", source.known_as, workload.page_accesses());
        with(source.known_as, &requests, &workload)?;
    }
    Ok(())
}

fn report_all(folder: &Path, quick: bool) -> Result<(), String> {
    let known = known::read(folder)?;
    let started = Instant::now();
    let (mut judged, mut trades, mut checked) = (Vec::new(), Vec::new(), known::Checked::default());
    for (source, trace) in
        open_all(folder, SOURCES.iter().filter(|source| !quick || source.part != Part::Large))?
    {
        let requests = read(trace)?;
        let workload = collect(&requests)?;
        eprintln!("{}: {} accesses", source.known_as, workload.page_accesses());
        let mut policies: Vec<Policy> = Reference::ALL.into_iter().map(Policy::Reference).collect();
        if source.part != Part::Check {
            policies.extend(served());
        }
        let plain = simulate(&workload, &policies, &as_reads());
        checked.compare(source.known_as, &known, &plain.rows)?;
        if source.part != Part::Check {
            trades.push(trade::simulate(source.known_as, &workload)?);
            judged.push(judge(source.known_as, &requests, &workload, plain, Depth::All)?);
        }
    }
    println!("{}", checked.sentence()?);
    tables::print(&judged);
    large_blocks::print_at_random(&large_blocks::at_random()?);
    trade::print(&trades);
    let cost_of = SOURCES.iter().rfind(|source| source.part == if quick { Part::Small } else { Part::Large });
    if let Some(source) = cost_of {
        tables::print_costs(source.known_as, &collect(&read(open(folder, source)?)?)?);
    }
    println!("\nAll of it took {} s.", started.elapsed().as_secs());
    Ok(())
}

/// Computes all results of a trace beside `plain`, which is known already.
fn judge(
    name: &'static str,
    requests: &[Request],
    workload: &Workload,
    plain: Outcome,
    depth: Depth,
) -> Result<Judged, String> {
    let as_reads = as_reads();
    let out_of_the_box: Vec<Policy> = served().take(1).collect();
    let overwritten = Overwritten::simulate(workload);
    let whole = [as_reads, with_cutoff()].map(|conditions| {
        let conditions = Conditions { counted: Counted::Requests, ..conditions };
        if depth == Depth::All {
            simulate(workload, &out_of_the_box, &conditions)
        } else {
            Outcome::default()
        }
    });
    let cut = simulate(workload, &out_of_the_box, &with_cutoff());
    let scanned = scan::simulate(requests, workload)?;
    let large_blocks = large_blocks::simulate(workload);
    let footprint_pages = workload.footprint_pages();
    Ok(Judged { name, footprint_pages, plain, cut, whole, overwritten, large_blocks, scanned })
}

/// Returns the defaults, with writes as reads.
fn as_reads() -> Conditions {
    Conditions { writes: Writes::AsReads, ..Conditions::default() }
}

/// Returns the same with the cutoff of disks whose admission is not adaptive.
fn with_cutoff() -> Conditions {
    Conditions { sequential_cutoff: SequentialCutoff::Bytes(SequentialCutoff::AUTO_BYTES), ..as_reads() }
}

/// Opens traces, all of them before work begins with the first.
fn open_all<'a>(
    folder: &Path,
    sources: impl Iterator<Item = &'a Source>,
) -> Result<Vec<(&'a Source, Trace)>, String> {
    sources.map(|source| Ok((source, open(folder, source)?))).collect()
}

fn open(folder: &Path, source: &Source) -> Result<Trace, String> {
    let options = Options { unit_bytes: source.unit_bytes, ..Options::default() };
    Trace::open(&folder.join(source.file), &options).map_err(|error| error.to_string())
}

/// Reads all requests: they are needed again, with a scan among them.
fn read(trace: Trace) -> Result<Vec<Request>, String> {
    trace.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

fn collect(requests: &[Request]) -> Result<Workload, String> {
    Workload::collect(requests.iter().copied().map(Ok)).map_err(|error| error.to_string())
}

fn served() -> impl Iterator<Item = Policy> {
    SERVED.iter().map(|name| name.parse().expect("a name of the table"))
}

fn sizes(workload: &Workload) -> impl Iterator<Item = u64> + '_ {
    SIZES.iter().map(|size| size.parse::<Share>().expect("a share of the table").of(workload))
}

fn simulate(workload: &Workload, policies: &[Policy], conditions: &Conditions) -> Outcome {
    simulate_at(workload, policies, conditions, &sizes(workload).collect::<Vec<_>>())
}

fn simulate_at(workload: &Workload, policies: &[Policy], conditions: &Conditions, sizes: &[u64]) -> Outcome {
    simulate_blocks(workload, policies, conditions, sizes, BLOCK_BYTES)
}

fn simulate_blocks(
    workload: &Workload,
    policies: &[Policy],
    conditions: &Conditions,
    sizes: &[u64],
    block_bytes: u32,
) -> Outcome {
    let of = |size_bytes: &u64| {
        let size_bytes = *size_bytes;
        policies.iter().map(move |policy| Point { policy: *policy, size_bytes, block_bytes })
    };
    let points: Vec<Point> = sizes.iter().flat_map(of).collect();
    hitsim::run(workload, conditions, &points, &|_| {})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_refused_beside_parts_that_do_not_write_them() {
        let path = Some(Path::new("file"));
        let check = |svg, csv, part| Files { svg, csv }.check(part).map_err(|error| error.contains("--part"));
        assert_eq!(check(None, path, Reported::Disks), Ok(()));
        assert_eq!(check(path, None, Reported::TradeOff), Ok(()));
        assert_eq!(check(None, None, Reported::All), Ok(()));
        for part in [Reported::All, Reported::Gap, Reported::Scan, Reported::TradeOff] {
            assert_eq!(check(None, path, part), Err(true), "{part:?}");
        }
        for part in [Reported::All, Reported::Gap, Reported::Scan, Reported::Disks] {
            assert_eq!(check(path, None, part), Err(true), "{part:?}");
        }
    }

    #[test]
    fn a_trace_that_is_absent_is_an_error_before_any_work() {
        let folder = std::env::temp_dir().join(format!("hit-ratio-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("the name is ours");
        std::fs::write(folder.join("here.ids"), "7\n8\n").expect("the folder is ours");
        let sources = [source("here.ids", "here", Part::Small), source("absent.ids", "absent", Part::Small)];
        let opened = open_all(&folder, sources.iter()).map(|traces| traces.len());
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert!(opened.expect_err("one is absent").contains("absent.ids"));
    }
}
