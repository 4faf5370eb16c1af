//! `forebay simulate`: hit ratios of a trace for many sizes, blocks and policies, without I/O. The simulation
//! is in the crate `hitsim`; this is its user interface.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use api::document;
use base::error::{Error, Result};
use base::units::Size;
use cache::SequentialCutoff;
use hitsim::Writes;
use hitsim::served::RamShare;
use hitsim::{Conditions, Counted, LeftOut, Outcome, Point, Row, Tally, Workload};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use trace::Trace;

use crate::cli::Simulate;
use crate::keys::Values;
use crate::output;

/// Requests between two updates of a progress bar.
const REPORT_EVERY: u64 = 1 << 16;

pub(super) fn run(options: &Simulate) -> Result<()> {
    check(options)?;
    let workload = read(options)?;
    let points = points(options, &workload);
    let conditions = conditions(options);
    // An impossible picture is reported before a long simulation.
    let picture = options.svg.as_deref().map(Picture::open).transpose()?;
    // If a trace writes, results with writes as reads are shown as well.
    let overwrites =
        conditions.writes != Writes::AsReads && workload.writes().is_some_and(|writes| writes > 0);
    let runs = 1 + u64::from(overwrites);
    let work = runs * hitsim::work(&workload, &conditions, &points);
    let bar = progress(work, "  {bar:20} {percent}%  {eta} left");
    let run = |conditions| hitsim::run(&workload, &conditions, &points, &|done| bar.inc(done));
    let outcome = run(conditions);
    let as_reads = overwrites.then(|| run(Conditions { writes: Writes::AsReads, ..conditions }));
    bar.finish_and_clear();
    let as_reads = as_reads.as_ref().map(|outcome| outcome.rows.as_slice());
    let Outcome { rows, left_out } = &outcome;
    if let ([], [LeftOut { point, reason }, ..]) = (rows.as_slice(), left_out.as_slice()) {
        return Err(problem(
            options,
            &format!("{} of {} cannot be: {reason}", point.policy, Size(point.size_bytes)),
        ));
    }
    let text = if options.json {
        format!("{}\n", as_json(options, &workload, &outcome, as_reads))
    } else if options.csv {
        as_csv(rows, as_reads)
    } else {
        Tables { options, workload: &workload, conditions: &conditions }.text(&outcome, as_reads)
    };
    if options.csv {
        // CSV has no place for anything but rows.
        for left in left_out {
            eprintln!("Left out: {}", reason(left));
        }
    }
    // The long computation first, so that a full disk does not lose it.
    output::print(&text)?;
    picture.map_or(Ok(()), |picture| picture.draw(options, rows))
}

fn problem(options: &Simulate, reason: &str) -> Error {
    Error::invalid(format!("Cannot simulate {}: {reason}", options.trace.display()))
}

/// Reports impossible options before a long trace is read.
fn check(options: &Simulate) -> Result<()> {
    for block in &options.blocks {
        if !block.0.is_power_of_two() || !(4096..=1 << 20).contains(&block.0) {
            return Err(problem(
                options,
                &format!("blocks of {block} cannot be; use powers of two from 4KiB to 1MiB"),
            ));
        }
    }
    let is_nothing = |size| matches!(size, &crate::cli::SizeOf::Bytes(Size(0)));
    if options.sizes.iter().any(is_nothing) {
        return Err(problem(options, "a cache of 0 bytes keeps nothing; use a size such as 10GiB or 10%"));
    }
    Ok(())
}

fn read(options: &Simulate) -> Result<Workload> {
    let trace = Trace::open(&options.trace, &options.options.into())
        .map_err(|error| Error::invalid(error.to_string()))?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("  {spinner} {human_pos} requests read");
    let bar = bar.with_style(style.expect("the template is a constant that follows its rules"));
    let mut count = 0_u64;
    let counted = trace.inspect(|_| {
        count += 1;
        if count.is_multiple_of(REPORT_EVERY) {
            bar.set_position(count);
        }
    });
    let workload = Workload::collect(counted);
    bar.finish_and_clear();
    workload.map_err(|error| match error {
        hitsim::Error::Trace(error) => Error::invalid(error.to_string()),
        hitsim::Error::Unfit(unfit) => problem(options, &unfit.to_string()),
    })
}

/// Returns every policy at every size, smallest first, for each block.
fn points(options: &Simulate, workload: &Workload) -> Vec<Point> {
    let mut sizes: Vec<u64> = options.sizes.iter().map(|size| size.of(workload)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut points = Vec::new();
    for block in &options.blocks {
        for size_bytes in &sizes {
            for policy in &options.policies {
                let point = Point { policy: *policy, size_bytes: *size_bytes, block_bytes: block.0 as u32 };
                // A repeated option is simulated once.
                if !points.contains(&point) {
                    points.push(point);
                }
            }
        }
    }
    points
}

fn conditions(options: &Simulate) -> Conditions {
    let disk = Values::default();
    Conditions {
        counted: if options.whole_requests { Counted::Requests } else { Counted::Blocks },
        ram: match options.ram {
            Some(size) => RamShare::Bytes(size.0),
            None => RamShare::Usual { bytes_max: disk.ram().0 },
        },
        sequential_cutoff: options
            .sequential_cutoff
            .map_or(disk.sequential_cutoff(), |size| SequentialCutoff::Bytes(size.0)),
        writes: if options.writes_as_reads { Writes::AsReads } else { Writes::AsTheyAre },
        passes: 1,
    }
}

/// Returns a progress bar, which is drawn on a terminal only.
fn progress(work: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(work), ProgressDrawTarget::stderr());
    bar.with_style(
        ProgressStyle::with_template(template).expect("the template is a constant that follows its rules"),
    )
}

/// The file of a picture, open and unchanged yet.
struct Picture<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Picture<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        // The old content stays until there is new content to replace it.
        let opened = File::options().write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path, file })
    }

    fn draw(mut self, options: &Simulate, rows: &[Row]) -> Result<()> {
        let name = options.trace.file_name().unwrap_or(options.trace.as_os_str());
        let picture = hitsim::svg(&name.to_string_lossy(), rows);
        self.write(picture.as_bytes()).map_err(|error| cannot_write(self.path, &error))
    }

    fn write(&mut self, picture: &[u8]) -> io::Result<()> {
        // Pipes have no length.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(picture)
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::invalid(format!(
        "Cannot write the picture {}: {error}; check path and permissions",
        path.display()
    ))
}

/// Returns rows as CSV, each followed by the same with writes as reads, if there is any.
fn as_csv(rows: &[Row], as_reads: Option<&[Row]>) -> String {
    let values = hitsim::csv(rows);
    let Some(as_reads) = as_reads else { return values };
    let mut text = String::new();
    for (at, line) in values.lines().enumerate() {
        let more = match at.checked_sub(1).and_then(|at| as_reads.get(at)) {
            None => "as_reads_misses,as_reads_miss_ratio,as_reads_flash_writes_per_access".to_owned(),
            Some(row) => {
                format!("{},{:.6},{:.6}", row.tally.misses, row.miss_ratio(), row.flash_writes_per_access())
            }
        };
        text.extend([line, ",", &more, "\n"]);
    }
    text
}

fn as_json(options: &Simulate, workload: &Workload, outcome: &Outcome, as_reads: Option<&[Row]>) -> Value {
    let row = |(at, row): (usize, &Row)| row_as_json(row, as_reads.and_then(|rows| rows.get(at)));
    let mut document = document("rows", outcome.rows.iter().enumerate().map(row).collect::<Vec<_>>());
    document["left_out"] = outcome
        .left_out
        .iter()
        .map(|LeftOut { point, reason }| {
            json!({
                "policy": point.policy.to_string(),
                "size_bytes": point.size_bytes,
                "block_bytes": point.block_bytes,
                "reason": reason,
            })
        })
        .collect();
    document["trace"] = json!({
        "name": options.trace.display().to_string(),
        "requests": workload.requests(),
        "writes": workload.writes(),
        "footprint_bytes": workload.footprint_pages() * block::PAGE,
    });
    document
}

fn row_as_json(row: &Row, as_reads: Option<&Row>) -> Value {
    let point = &row.point;
    let mut fields = json!({
        "policy": point.policy.to_string(),
        "size_bytes": point.size_bytes,
        "block_bytes": point.block_bytes,
        "miss_ratio": row.miss_ratio(),
        "flash_writes_per_access": row.flash_writes_per_access(),
        "accesses": row.tally.accesses,
        "misses": row.tally.misses,
        "reads": row.tally.reads,
        "read_misses": row.tally.read_misses,
    });
    if let Some(row) = as_reads {
        fields["as_reads"] = json!({
            "miss_ratio": row.miss_ratio(),
            "misses": row.tally.misses,
            "flash_writes_per_access": row.flash_writes_per_access(),
        });
    }
    if let Some(turnovers) = &row.turnovers {
        let turnover = |turn: &Tally| json!({ "accesses": turn.accesses, "misses": turn.misses });
        fields["turnovers"] = turnovers.iter().map(turnover).collect();
    }
    if let Some(layout) = &row.served {
        fields["ram_bytes"] = layout.division.ram_bytes.into();
        fields["segment_bytes"] = layout.division.segment_bytes.into();
        fields["segments"] = layout.division.segments.into();
        fields["admitted_pages"] = layout.admitted_pages.into();
        fields["first_fill_pages"] = layout.first_fill_pages.into();
        fields["reappended_pages"] = layout.reappended_pages.into();
        fields["overwritten_unread_pages"] = layout.overwritten_unread_pages.into();
        fields["flash_write_bytes"] = layout.flash_bytes.into();
    }
    fields
}

/// Tables for people.
struct Tables<'a> {
    options: &'a Simulate,
    workload: &'a Workload,
    conditions: &'a Conditions,
}

impl Tables<'_> {
    fn text(&self, outcome: &Outcome, as_reads: Option<&[Row]>) -> String {
        let Self { options, workload, .. } = self;
        let writes =
            workload.writes().map_or_else(|| output::NOTHING.to_owned(), |writes| writes.to_string());
        let mut parts = vec![output::pairs(&[
            ("trace", options.trace.display().to_string()),
            ("requests", workload.requests().to_string()),
            ("writes", writes),
            ("footprint", Size(workload.footprint_pages() * block::PAGE).to_string()),
        ])];
        let mut blocks: Vec<u32> = outcome.rows.iter().map(|row| row.point.block_bytes).collect();
        blocks.dedup();
        for block in blocks {
            parts.push(self.of_block(block, &outcome.rows, as_reads));
        }
        if !outcome.left_out.is_empty() {
            parts.push("\nLeft out\n".to_owned());
        }
        parts.extend(outcome.left_out.iter().map(|left| reason(left) + "\n"));
        parts.concat()
    }

    /// Returns the tables of one size of blocks: a line for each size of the cache, a column for each policy.
    fn of_block(&self, block: u32, rows: &[Row], as_reads: Option<&[Row]>) -> String {
        let Self { options, workload, conditions } = self;
        let accesses = workload.count(conditions.counted, block);
        let what = if options.whole_requests { "requests" } else { "accesses" };
        let of_block = format!("of {accesses} {what}, blocks of {}", Size(block.into()));
        let table = |rows, value| table(options, workload, rows, block, value);
        let mut text = String::new();
        let mut add = |title: &str, table: String| text.extend(["\n", title, "\n", &table]);
        if let Some(as_reads) = as_reads {
            let reads =
                rows.iter().find(|row| row.point.block_bytes == block).map_or(0, |row| row.tally.reads);
            add(&format!("Misses {of_block}, writes as they are"), table(rows, misses_beside_writes));
            add(&format!("Misses of the {reads} of them that read"), table(rows, Row::read_miss_ratio));
            add("Misses if all of them read", table(as_reads, Row::miss_ratio));
        } else {
            add(&format!("Misses {of_block}"), table(rows, Row::miss_ratio));
        }
        let has_turnovers = |row: &Row| row.turnovers.is_some_and(|[first, _]| first.accesses > 0);
        if rows.iter().any(|row| row.point.block_bytes == block && has_turnovers(row)) {
            let title = "Misses of the first turnover: as many accesses as the cache holds blocks, after it has filled";
            let value = if as_reads.is_some() { first_turnover_beside_writes } else { first_turnover };
            add(title, table(rows, value));
        }
        add("Blocks written to flash per access", table(rows, Row::flash_writes_per_access));
        if u64::from(block) > block::PAGE && has_both(rows) {
            text.push_str(UNLIKE);
        }
        let causes: Vec<Vec<String>> =
            rows.iter().filter(|row| row.point.block_bytes == block).filter_map(causes).collect();
        if !causes.is_empty() {
            text.push_str("\nPages written to flash per access, by cause\n");
            text.push_str(&output::table(&CAUSES, &causes));
        }
        text
    }
}

/// Returns misses of all accesses of a trace with writes; NaN for Belady, which keeps no block for a write,
/// so that its misses are no bound.
fn misses_beside_writes(row: &Row) -> f64 {
    if is_belady(row) { f64::NAN } else { row.miss_ratio() }
}

fn first_turnover(row: &Row) -> f64 {
    row.turnovers.map_or(f64::NAN, |[first, _]| first.miss_ratio())
}

fn first_turnover_beside_writes(row: &Row) -> f64 {
    if is_belady(row) { f64::NAN } else { first_turnover(row) }
}

fn is_belady(row: &Row) -> bool {
    row.point.policy == hitsim::Policy::Reference(hitsim::policies::Reference::Belady)
}

const CAUSES: [&str; 6] =
    ["SIZE", "POLICY", "FIRST FILL", "ADMITTED LATER", "APPENDED AGAIN", "OVERWRITTEN UNREAD"];

/// Returns the reasons for which a served disk wrote pages to flash, and how many of them a guest overwrote
/// before they were read.
#[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts of pages stay far below 2^52")]
fn causes(row: &Row) -> Option<Vec<String>> {
    let layout = row.served?;
    let later = layout.admitted_pages.saturating_sub(layout.first_fill_pages);
    let pages = [layout.first_fill_pages, later, layout.reappended_pages, layout.overwritten_unread_pages];
    let an_access = pages.map(|pages| format!("{:.4}", pages as f64 / row.tally.accesses as f64));
    let size = Size(row.point.size_bytes).to_string();
    Some([size, row.point.policy.to_string()].into_iter().chain(an_access).collect())
}

/// Remark on blocks above a page.
const UNLIKE: &str = "Not alike: a served disk fetches and keeps the pages of a block that are asked for, the other policies all of it\n";

/// Returns true if served disks and other policies are both shown.
fn has_both(rows: &[Row]) -> bool {
    let is_served = |row: &Row| matches!(row.point.policy, hitsim::Policy::Served(_));
    rows.iter().any(is_served) && !rows.iter().all(is_served)
}

fn reason(LeftOut { point, reason }: &LeftOut) -> String {
    let (size, block) = (Size(point.size_bytes), Size(point.block_bytes.into()));
    format!("{} of {size} with blocks of {block}: {reason}", point.policy)
}

fn table(
    options: &Simulate,
    workload: &Workload,
    rows: &[Row],
    block_bytes: u32,
    value: fn(&Row) -> f64,
) -> String {
    let mut policies: Vec<&hitsim::Policy> = Vec::new();
    for policy in &options.policies {
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    let names: Vec<String> = policies.iter().map(ToString::to_string).collect();
    let headings: Vec<&str> =
        ["SIZE", "OF ALL"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let rows: Vec<&Row> = rows.iter().filter(|row| row.point.block_bytes == block_bytes).collect();
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.point.size_bytes).collect();
    sizes.dedup();
    let line = |size_bytes: &u64| -> Vec<String> {
        let of_all = hundredths(*size_bytes, workload.footprint_pages() * block::PAGE);
        let cell = |policy: &&hitsim::Policy| {
            let row =
                rows.iter().find(|row| row.point.policy == **policy && row.point.size_bytes == *size_bytes);
            let value = row.map(|row| value(row)).filter(|value| !value.is_nan());
            value.map_or_else(|| output::NOTHING.to_owned(), |value| format!("{value:.4}"))
        };
        let cells = policies.iter().map(cell);
        [Size(*size_bytes).to_string(), of_all].into_iter().chain(cells).collect()
    };
    output::table(&headings, &sizes.iter().map(line).collect::<Vec<_>>())
}

/// Returns a part of a whole in percent, with one digit behind the point.
fn hundredths(part: u64, whole: u64) -> String {
    if part > whole {
        return ">100%".to_owned();
    }
    let thousandths = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole.max(1));
    format!("{}.{}%", thousandths / 10, thousandths % 10)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn ram_cutoff_and_admission_are_those_of_a_disk_with_default_keys_and_blocks_and_help_say_otherwise() {
        let Command::Simulate(options) = Cli::parse_from(["forebay", "simulate", "t.lis"]).command else {
            panic!("another command")
        };
        assert_eq!(conditions(&options), Conditions::default());
        let keys = Values::default().named();
        let key =
            |wanted: &str| keys.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.clone());
        let admission = key("admission").unwrap().parse().unwrap();
        assert_eq!(options.policies[0], hitsim::Policy::Served(admission));
        // Differences, and meanings of sizes, are in the help.
        assert_eq!(options.blocks, [Size(4096)]);
        let help = Cli::try_parse_from(["forebay", "simulate", "--help"]).unwrap_err().to_string();
        let (block, ram) = (key("block-size").unwrap(), Values::default().ram());
        for wanted in
            [format!("a disk has {block} unless"), format!("ram={ram} "), "--size 10272MiB".to_owned()]
        {
            assert!(help.contains(&wanted), "{wanted}: {help}");
        }
        let named = "10272MiB".parse::<Size>().unwrap().0;
        let division = hitsim::served::Division::of(named, Conditions::default().ram, admission).unwrap();
        assert_eq!(named - division.ram_bytes, 10 << 30, "it is flash of 10GiB");
    }

    #[test]
    fn parts_are_said_in_hundredths() {
        assert_eq!(
            [hundredths(1, 3), hundredths(2, 3), hundredths(7, 7), hundredths(8, 7), hundredths(0, 0)],
            ["33.3%", "66.7%", "100.0%", ">100%", "0.0%"]
        );
    }
}
