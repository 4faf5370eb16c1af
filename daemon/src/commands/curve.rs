//! `forebay curve`: hit ratios of a disk at other cache sizes, as the daemon predicts them from samples.
//!
//! Lines fit 80 columns.

use std::fmt::Write;

use base::error::Result;
use base::names;
use serde_json::Value;

use super::bar::Ink;
use super::client;
use crate::cli::CurveOptions;
use crate::output::{self, list, percent, size};

/// Characters of the longest bar.
const BAR_WIDTH: u64 = 40;
/// Points of the document for each doubling from the present size, and doublings that are shown each way.
const STEP: usize = 4;
const DOUBLINGS: usize = 5;

/// Reads below which a prediction is unreliable: with as many, its random error is a few hundredths.
const READS_FEW: u64 = 10_000;

pub(super) fn run(options: &CurveOptions) -> Result<()> {
    names::check(&options.name)?;
    let document = client(&options.reading.daemon)?.get(&format!("/v1/disks/{}/curve", options.name))?;
    if options.reading.json {
        return output::print(&format!("{document}\n"));
    }
    output::print(&text(&document["curve"], Ink::of_process()))
}

fn text(curve: &Value, ink: Ink) -> String {
    let (name, since) = (output::text(&curve["name"]), output::text(&curve["since"]));
    let (reads, written) = (count(&curve["reads"]), count(&curve["written_pages"]));
    if reads == 0 && written == 0 {
        return format!("Disk '{name}' was not used lately (since {since}): nothing is known of it\n");
    }
    let mut text = format!("Disk '{name}', as used since {since}; what is long past counts for less\n");
    if reads > 0 {
        text.push_str(&of_reads(curve, reads, ink));
    } else {
        text.push_str("\nIt was not read lately: no hit ratio is known\n");
    }
    if written > 0 {
        text.push_str(&of_writes(list(&curve["write_back"])));
    }
    let share = curve["sampled_share"].as_f64().unwrap_or(0.0);
    let of = if share < 1.0 {
        format!("sampled pages, one of {:.0} in use", share.recip())
    } else {
        "pages, all in use".to_owned()
    };
    writeln!(text, "\nEstimated from {} {of}", output::number(&curve["samples"])).expect("a text takes all");
    text
}

fn of_reads(curve: &Value, reads: u64, ink: Ink) -> String {
    let mut text = String::from("\n    CACHE  HIT RATIO\n");
    let points = list(&curve["points"]);
    let present = count(&curve["present"]["cache_bytes"]);
    let at = points.iter().position(|point| count(&point["cache_bytes"]) == present).unwrap_or(0);
    for (index, point) in points.iter().enumerate() {
        if index.abs_diff(at) % STEP != 0 || index.abs_diff(at) / STEP > DOUBLINGS {
            continue;
        }
        let mark = if index == at { "  <- present size" } else { "" };
        let share = point["hit_ratio"].as_f64().unwrap_or(0.0);
        let bar = ink.bar(permyriad(share), 10_000, BAR_WIDTH);
        let line =
            format!("{:>9}  {:>9} {bar}{mark}", size(&point["cache_bytes"]), percent(&point["hit_ratio"]));
        writeln!(text, "{}", line.trim_end()).expect("a text takes all");
    }
    text.push('\n');
    text.push_str(&output::pairs(&marks(curve)));
    text.push_str(&of_blocks(list(&curve["blocks"])));
    if reads < READS_FEW {
        writeln!(text, "\nFew reads to go by ({reads}): this may be chance").expect("a text takes all");
    }
    text
}

#[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
fn permyriad(share: f64) -> u64 {
    (share.max(0.0) * 10_000.0) as u64
}

/// Returns the points of the curve that are marked.
fn marks(curve: &Value) -> Vec<(&'static str, String)> {
    let at = |point: &Value| format!("{}, {}", size(&point["cache_bytes"]), percent(&point["hit_ratio"]));
    let mut pairs = vec![
        ("present size (limit and RAM)", at(&curve["present"])),
        ("of it held now", at(&curve["held"])),
        (
            "more gains less above",
            if curve["knee"].is_null() { output::NOTHING.to_owned() } else { at(&curve["knee"]) },
        ),
        ("more gains nothing above", at(&curve["largest"])),
        ("used in the last 48 active hours", size(&curve["working_set_bytes"])),
    ];
    for (name, wanted) in WANTED_NAMES.into_iter().zip(list(&curve["wanted"])) {
        let bytes = &wanted["cache_bytes"];
        pairs.push((name, if bytes.is_null() { "no size has it".to_owned() } else { size(bytes) }));
    }
    pairs
}

/// Labels of wanted hit ratios, in the order of documents.
const WANTED_NAMES: [&str; 5] =
    ["for 50 % hits", "for 75 % hits", "for 90 % hits", "for 95 % hits", "for 99 % hits"];

fn of_blocks(blocks: &[Value]) -> String {
    let row = |block: &Value| {
        let ratios =
            ["hit_ratio_at_half", "hit_ratio", "hit_ratio_at_double"].map(|key| percent(&block[key]));
        [vec![size(&block["block_bytes"])], ratios.into()].concat()
    };
    let rows: Vec<Vec<String>> = blocks.iter().map(row).collect();
    let table = output::table(&["IF IT FETCHED", "HALF THE SIZE", "PRESENT SIZE", "TWICE THE SIZE"], &rows);
    format!("\n{table}Forebay fetches what is asked for, whatever `block-size` is\n")
}

fn of_writes(steps: &[Value]) -> String {
    let mark = |step: &Value| if step["is_present"] == true { "<- present limit" } else { "" }.to_owned();
    let rows: Vec<Vec<String>> = steps
        .iter()
        .map(|step| vec![size(&step["dirty_bytes"]), percent(&step["coalesced"]), mark(step)])
        .collect();
    format!("\n{}", output::table(&["MAY BE DIRTY", "WRITTEN AGAIN WHILE DIRTY", ""], &rows))
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(reads: u64, written: u64) -> Value {
        let point = |bytes: u64, ratio: f64| json!({ "cache_bytes": bytes, "hit_ratio": ratio });
        let points: Vec<Value> = (0..=80_u32)
            .map(|step| point((1 << 18 << (step / 4)) * u64::from(4 + step % 4), f64::from(step) / 100.0))
            .collect();
        let dirty = |bytes: u64, is_present| json!({ "dirty_bytes": bytes, "is_present": is_present, "coalesced": 0.25 });
        json!({
            "name": "a", "since": "2026-01-01T00:00:00Z", "reads": reads, "written_pages": written,
            "working_set_bytes": 3_u64 << 30, "present": point(1 << 30, 0.4), "held": point(1 << 29, 0.36),
            "largest": point(1 << 40, 0.8), "knee": null, "points": points,
            "wanted": [{ "hit_ratio": 0.5, "cache_bytes": 5_u64 << 30 }, { "hit_ratio": 0.75, "cache_bytes": null }],
            "write_back": [dirty(1 << 20, false), dirty(1 << 21, true)],
            "blocks": [{ "block_bytes": 4096, "hit_ratio_at_half": 0.1, "hit_ratio": 0.2, "hit_ratio_at_double": 0.3 }],
            "samples": 8000, "sampled_share": 0.0123, "ram_bytes": 500_000,
        })
    }

    #[test]
    fn doublings_around_the_present_size_are_shown_and_fit_80_columns() {
        let shown = text(&document(1_000_000, 5), Ink::Unicode);
        assert!(shown.contains("\n     1GiB      40.0% ████████████████  <- present size\n"), "{shown}");
        assert!(
            shown.contains("\n   512MiB      36.0% ") && shown.contains("\n    32GiB      60.0% "),
            "{shown}"
        );
        assert!(!shown.contains("\n    16MiB") && !shown.contains("\n    64GiB"), "{shown}");
        assert!(shown.contains("for 75 % hits                     no size has it\n"), "{shown}");
        assert!(shown.contains("2MiB          25.0%                      <- present limit\n"), "{shown}");
        assert!(shown.contains("\nEstimated from 8000 sampled pages, one of 81 in use\n"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert!(!shown.contains("chance"), "{shown}");
    }

    #[test]
    fn what_is_not_known_is_not_shown_as_nothing() {
        let unused = text(&document(0, 0), Ink::Ascii);
        assert_eq!(
            unused,
            "Disk 'a' was not used lately (since 2026-01-01T00:00:00Z): nothing is known of it\n"
        );
        let written = text(&document(0, 5), Ink::Ascii);
        assert!(written.contains("no hit ratio is known") && !written.contains("CACHE"), "{written}");
        let read = text(&document(7, 0), Ink::Ascii);
        assert!(read.contains("go by (7)") && !read.contains("DIRTY"), "{read}");
    }
}
