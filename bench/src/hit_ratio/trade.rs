//! Hit ratio against flash writes for different write budgets: the loss of a disk that may write less.
//!
//! A budget is set as a part of the flash writes of an LRU that admits everything, at a tenth of the footprint. The clock of simulation
//! advances by the same time with each access, so a day is a number of accesses. Everything counts against it, headers too.

use std::fmt::Write;
use std::panic::resume_unwind;
use std::thread;

use cache::{Admission, DriveWrites};
use hitsim::policies::Reference;
use hitsim::served::{self, Division, Served, Serving};
use hitsim::{Counted, Course, Policy, Workload};

use super::{BLOCK_BYTES, as_reads, simulate_at, sizes};

/// Index of a tenth.
const AT: usize = 3;
const DAY_NS: f64 = 86_400e9;

/// Points to compare: an admission, and a budget in hundredths of LRU's flash writes.
const POINTS: [(Admission, Option<u32>); 8] = [
    (Admission::Adaptive, Some(5)),
    (Admission::Adaptive, Some(10)),
    (Admission::Adaptive, Some(25)),
    (Admission::Adaptive, Some(50)),
    (Admission::Adaptive, Some(100)),
    (Admission::Adaptive, None),
    (Admission::AdaptiveHits, None),
    (Admission::Always, None),
];

/// Results of a trace.
pub(super) struct Trade {
    name: &'static str,
    lru_hits: f64,
    /// Hit ratio, and flash writes relative to LRU, for each of [`POINTS`].
    points: Vec<(f64, f64)>,
}

/// Simulates all points of a trace.
///
/// # Errors
/// If such a cache is impossible: a sentence.
pub(super) fn simulate(name: &'static str, workload: &Workload) -> Result<Trade, String> {
    let size_bytes = sizes(workload).nth(AT).unwrap_or_default();
    let lru = simulate_at(workload, &[Policy::Reference(Reference::Lru)], &as_reads(), &[size_bytes]);
    let lru = lru.rows.first().ok_or_else(|| format!("{name} has no cache of a tenth"))?.miss_ratio();
    let of = |(admission, hundredths): (Admission, Option<u32>)| {
        let budget = hundredths.map(|part| lru * f64::from(part) / 100.0 * f64::from(BLOCK_BYTES));
        serve(workload, admission, size_bytes, budget)
    };
    let results: Vec<Result<Served, String>> = thread::scope(|scope| {
        let threads = POINTS.map(|point| scope.spawn(move || of(point)));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let accesses = workload.count(Counted::Blocks, BLOCK_BYTES);
    let point = |served: Served| {
        let writes = ratio(served.flash_pages_written(), accesses) / lru;
        (ratio(served.hits(), accesses), writes)
    };
    let points = results.into_iter().map(|result| result.map(point)).collect::<Result<_, _>>()?;
    Ok(Trade { name, lru_hits: 1.0 - lru, points })
}

fn serve(
    workload: &Workload,
    admission: Admission,
    size_bytes: u64,
    bytes_an_access: Option<f64>,
) -> Result<Served, String> {
    let conditions = as_reads();
    let serving = Serving {
        admission,
        ram: conditions.ram,
        sequential_cutoff: conditions.sequential_cutoff,
        writes: conditions.writes,
    };
    let device_bytes = Division::of(size_bytes, conditions.ram, admission)?.device_bytes;
    let budget = bytes_an_access.and_then(|bytes| budget(bytes, device_bytes));
    let course = Course { write_budget: budget, ..Course::default() };
    served::serve_along(workload, &serving, Counted::Blocks, size_bytes, BLOCK_BYTES, &course, &|_| {})
}

/// Returns drive writes a day of a device that gets so many bytes per access.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "thousandths of drive writes, at least one"
)]
fn budget(bytes_an_access: f64, device_bytes: u64) -> Option<DriveWrites> {
    let bytes_a_day = bytes_an_access * DAY_NS / served::ACCESS_NS as f64;
    DriveWrites::from_thousandths((bytes_a_day * 1000.0 / device_bytes as f64).round().max(1.0) as u32)
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts of accesses are 32 bits")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

fn label((admission, hundredths): (Admission, Option<u32>)) -> String {
    match (admission, hundredths) {
        (_, Some(part)) => format!("budget {:.2}", f64::from(part) / 100.0),
        (Admission::Adaptive, None) => "no budget".to_owned(),
        (other, None) => other.to_string(),
    }
}

/// Prints the curve of each trace.
pub(super) fn print(all: &[Trade]) {
    let labels = POINTS.map(label);
    println!(
        "\n### Hit ratio (flash writes x LRU) at 10 %, as the write budget moves; budgets x what LRU writes\n\n| trace | lru | {} |\n\
         |---|---|{}",
        labels.join(" | "),
        "---|".repeat(labels.len())
    );
    for Trade { name, lru_hits, points } in all {
        let cells: Vec<String> =
            points.iter().map(|(hits, writes)| format!("{hits:.4} ({writes:.2})")).collect();
        println!("| {name} | {lru_hits:.4} (1.00) | {} |", cells.join(" | "));
    }
}

/// Draws the same as a chart: a line for each trace, from the lowest budget to none, flash writes to the right and hit ratio relative to
/// LRU upwards, in points.
pub(super) fn svg(all: &[Trade]) -> String {
    const COLOURS: [&str; 7] = ["#1b6ca8", "#d1495b", "#3c9d4e", "#8e5ea2", "#c98b0b", "#4d4d4d", "#00a6a6"];
    let (left, right, top, bottom) = (60.0, 620.0, 30.0, 330.0);
    let shown = |trade: &Trade| -> Vec<(f64, f64)> {
        let budgets = trade.points.iter().zip(POINTS).filter(|(_, point)| point.0 == Admission::Adaptive);
        budgets.map(|((hits, writes), _)| (*writes, 100.0 * (hits - trade.lru_hits))).collect()
    };
    let every: Vec<(f64, f64)> = all.iter().flat_map(shown).collect();
    let most = every.iter().map(|point| point.0).fold(1.0, f64::max);
    let (low, high) =
        every.iter().fold((0.0_f64, 1.0_f64), |(low, high), point| (low.min(point.1), high.max(point.1)));
    let x = |writes: f64| left + (right - left) * writes / most;
    let y = |points: f64| bottom - (bottom - top) * (points - low) / (high - low);
    let mut text = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 380\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"800\" height=\"380\" fill=\"white\"/>\n",
    );
    let mut line = |more: std::fmt::Arguments<'_>| {
        writeln!(text, "{more}").expect("strings take everything");
    };
    line(format_args!(
        "<text x=\"{left}\" y=\"18\" font-weight=\"bold\">Points of hit ratio above LRU, by flash writes as the budget moves</text>"
    ));
    for mark in [low, 0.0, high] {
        line(format_args!(
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{0:.1}\" y2=\"{0:.1}\" stroke=\"#dddddd\"/>",
            y(mark)
        ));
        line(format_args!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{mark:.1}</text>",
            left - 6.0,
            y(mark) + 4.0
        ));
    }
    for tenth in (0_u32..).step_by(5).map(|tenth| f64::from(tenth) / 10.0).take_while(|mark| *mark <= most) {
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{tenth:.1}x</text>",
            x(tenth),
            bottom + 18.0
        ));
    }
    line(format_args!(
        "<text x=\"{left}\" y=\"{}\">Flash writes, an LRU that admits everything being 1; the last point of each line has no budget</text>",
        bottom + 38.0
    ));
    for ((trade, colour), at) in all.iter().zip(COLOURS.iter().cycle()).zip(0_u32..) {
        let points: Vec<String> =
            shown(trade).iter().map(|(writes, hits)| format!("{:.1},{:.1}", x(*writes), y(*hits))).collect();
        line(format_args!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" points=\"{}\"/>",
            points.join(" ")
        ));
        line(format_args!("<text x=\"640\" y=\"{}\" fill=\"{colour}\">{}</text>", 40 + 18 * at, trade.name));
    }
    text.push_str("</svg>\n");
    text
}
