//! `forebay simulate`: hit ratios of a trace for many sizes, blocks and policies, without I/O. What is simulated, and how, is in
//! the crate `hitsim`; here is what a user says and sees.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use api::document;
use base::problem::{Answer, Problem};
use base::units::Size;
use cache::SequentialCutoff;
use hitsim::served::{RamShare, Writes};
use hitsim::{Conditions, Counted, LeftOut, Outcome, Point, Row, Workload};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use trace::Trace;

use crate::cli::Simulate;
use crate::keys::Values;
use crate::output;

/// Requests between two looks of a progress bar.
const REPORT_EVERY: u64 = 1 << 16;

pub(super) fn run(options: &Simulate) -> Answer<()> {
    check(options)?;
    let workload = read(options)?;
    let points = points(options, &workload);
    let conditions = conditions(options);
    // A picture that cannot be is said before a long simulation.
    let picture = options.svg.as_deref().map(Picture::open).transpose()?;
    let bar = progress(hitsim::work(&workload, &conditions, &points), "  {bar:20} {percent}%  {eta} left");
    let outcome = hitsim::run(&workload, &conditions, &points, &|done| bar.inc(done));
    bar.finish_and_clear();
    let Outcome { rows, left_out } = &outcome;
    if let ([], [LeftOut { point, reason }, ..]) = (rows.as_slice(), left_out.as_slice()) {
        return Err(problem(
            options,
            &format!("{} of {} cannot be: {reason}", point.policy, Size(point.size_bytes)),
        ));
    }
    let text = if options.json {
        format!("{}\n", as_json(options, &workload, &outcome))
    } else if options.csv {
        hitsim::csv(rows)
    } else {
        tables(options, &workload, &conditions, &outcome)
    };
    if options.csv {
        // It has no place for what is not a row.
        for left in left_out {
            eprintln!("Left out: {}", reason(left));
        }
    }
    // First what took long, so that a full disk does not lose it.
    output::print(&text)?;
    picture.map_or(Ok(()), |picture| picture.draw(options, rows))
}

fn problem(options: &Simulate, reason: &str) -> Problem {
    Problem::invalid(format!("Cannot simulate {}: {reason}", options.trace.display()))
}

/// What cannot be is said before a long trace is read.
fn check(options: &Simulate) -> Answer<()> {
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

fn read(options: &Simulate) -> Answer<Workload> {
    let trace = Trace::open(&options.trace, &options.options.into())
        .map_err(|error| Problem::invalid(error.to_string()))?;
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
        hitsim::Error::Trace(error) => Problem::invalid(error.to_string()),
        hitsim::Error::Unfit(unfit) => problem(options, &unfit.to_string()),
    })
}

/// Every policy at every size, smallest first, for each block.
fn points(options: &Simulate, workload: &Workload) -> Vec<Point> {
    let mut sizes: Vec<u64> = options.sizes.iter().map(|size| size.of(workload)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut points = Vec::new();
    for block in &options.blocks {
        for size_bytes in &sizes {
            for policy in &options.policies {
                let point = Point { policy: *policy, size_bytes: *size_bytes, block_bytes: block.0 as u32 };
                // Said twice is simulated once.
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
    }
}

/// Shown on a terminal only.
fn progress(work: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(work), ProgressDrawTarget::stderr());
    bar.with_style(
        ProgressStyle::with_template(template).expect("the template is a constant that follows its rules"),
    )
}

/// The file of a picture, open but as it was.
struct Picture<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Picture<'a> {
    fn open(path: &'a Path) -> Answer<Self> {
        // What is there stays until there is something to put in its place.
        let opened = File::options().write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path, file })
    }

    fn draw(mut self, options: &Simulate, rows: &[Row]) -> Answer<()> {
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

fn cannot_write(path: &Path, error: &io::Error) -> Problem {
    Problem::invalid(format!(
        "Cannot write the picture {}: {error}; check path and permissions",
        path.display()
    ))
}

fn as_json(options: &Simulate, workload: &Workload, outcome: &Outcome) -> Value {
    let mut document = document("rows", outcome.rows.iter().map(row_as_json).collect::<Vec<_>>());
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

fn row_as_json(row: &Row) -> Value {
    let point = &row.point;
    let mut fields = json!({
        "policy": point.policy.to_string(),
        "size_bytes": point.size_bytes,
        "block_bytes": point.block_bytes,
        "miss_ratio": row.miss_ratio(),
        "flash_writes_per_access": row.flash_writes_per_access(),
        "accesses": row.accesses,
        "misses": row.misses,
    });
    if let Some(layout) = &row.served {
        fields["ram_bytes"] = layout.division.ram_bytes.into();
        fields["segment_bytes"] = layout.division.segment_bytes.into();
        fields["segments"] = layout.division.segments.into();
        fields["reappended_pages"] = layout.reappended_pages.into();
        fields["flash_write_bytes"] = layout.flash_bytes.into();
    }
    fields
}

/// For each block a table of miss ratios and one of flash writes: a line for each size, a column for each policy.
fn tables(options: &Simulate, workload: &Workload, conditions: &Conditions, outcome: &Outcome) -> String {
    let mut parts = vec![output::pairs(&[
        ("trace", options.trace.display().to_string()),
        ("requests", workload.requests().to_string()),
        ("writes", workload.writes().map_or_else(|| output::NOTHING.to_owned(), |writes| writes.to_string())),
        ("footprint", Size(workload.footprint_pages() * block::PAGE).to_string()),
    ])];
    let mut blocks: Vec<u32> = outcome.rows.iter().map(|row| row.point.block_bytes).collect();
    blocks.dedup();
    for block in blocks {
        let accesses = workload.count(conditions.counted, block);
        let what = if options.whole_requests { "requests" } else { "accesses" };
        let of_block = format!("of {accesses} {what}, blocks of {}", Size(block.into()));
        let table = |value| table(options, workload, &outcome.rows, block, value);
        parts.push(format!("\nMisses {of_block}\n{}", table(Row::miss_ratio)));
        parts.push(format!("\nBlocks written to flash per access\n{}", table(Row::flash_writes_per_access)));
        if u64::from(block) > block::PAGE && has_both(&outcome.rows) {
            parts.push(UNLIKE.to_owned());
        }
    }
    if !outcome.left_out.is_empty() {
        parts.push("\nLeft out\n".to_owned());
    }
    parts.extend(outcome.left_out.iter().map(|left| reason(left) + "\n"));
    parts.concat()
}

/// Of blocks above a page.
const UNLIKE: &str = "Not alike: a served disk fetches and keeps the pages of a block that are asked for, the other policies all of it\n";

/// Whether served disks and other policies stand side by side.
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
            row.map_or_else(|| output::NOTHING.to_owned(), |row| format!("{:.4}", value(row)))
        };
        let cells = policies.iter().map(cell);
        [Size(*size_bytes).to_string(), of_all].into_iter().chain(cells).collect()
    };
    output::table(&headings, &sizes.iter().map(line).collect::<Vec<_>>())
}

/// A part of something in hundredths, with one digit behind the point.
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
        // What differs, and what a size corresponds to, is in the help.
        assert_eq!(options.blocks, [Size(4096)]);
        let help = Cli::try_parse_from(["forebay", "simulate", "--help"]).unwrap_err().to_string();
        let (block, ram) = (key("block-size").unwrap(), key("ram").unwrap());
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
