//! Texts of reports, from documents.

use serde_json::json;

use super::*;

fn latency(mean: f64, classes: [u64; 3]) -> Value {
    let [fast, middle, slow] = classes;
    json!({ "count": fast + middle + slow, "mean": mean, "p50": mean, "p95": mean, "p99": mean, "classes": [
        { "upto": 10, "count": 0 }, { "upto": 100, "count": fast }, { "upto": 1_000, "count": middle },
        { "upto": 15_000, "count": slow }, { "upto": null, "count": 0 },
    ]})
}

fn document() -> Value {
    let step = |from: u64, to: u64, reads: u64, ram: u64| json!({ "from_seconds": from, "to_seconds": to, "reads": reads, "read_hits_ram": ram, "read_hits_flash": 0 });
    json!({
        "name": "a", "since": "2026-11-21T17:15:09Z", "compared_since": "2026-11-21T17:15:09Z", "reads": 4_000,
        "requests_min": 1_000,
        "without": {
            "reads_are": "measured", "writes_are": "measured", "seconds": 7_200, "reads": 2_000, "writes": 1_500,
            "iops": 200.0, "iops_busiest_minute": 250.4, "latency_us": {
                "read": latency(5_000.0, [0, 0, 2_000]), "write": latency(2_000.0, [0, 0, 1_500]),
            },
            "backing_reads": 2_000, "backing_read_bytes": 8_192_000, "backing_writes": 10, "backing_write_bytes": 40_960,
        },
        "with": {
            "reads_are": "measured", "writes_are": "measured", "seconds": 90, "reads": 2_000, "writes": 10,
            "iops": 1_000.0, "iops_busiest_minute": null, "read_hits_ram": 1_400, "read_hits_flash": 400, "latency_us": {
                "read": latency(527.0, [1_800, 0, 200]), "write": latency(2_000.0, [0, 0, 10]),
            },
            "backing_reads": 240, "backing_read_bytes": 983_040, "backing_writes": 10, "backing_write_bytes": 40_960,
        },
        "times_faster": 9.487, "writes_times_faster": 1.0, "measured_backing_reads": 2_000,
        "flash_write_bytes": 8_192, "dirty_bytes": 4_096,
        "hit_ratio_over_time": [step(0, 33, 100, 0), step(33, 310, 900, 450), step(310, 400, 1_000, 950)],
        "warm_up": { "state": "warm", "seconds": 300, "hit_ratio": 0.95, "variation_max": 0.03, "reads_min": 1_000 },
    })
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn before_and_after_stand_side_by_side() {
    let text = text(&document(), Ink::Ascii);
    let lines = lines_of(&text);
    for line in [
        "Disk 'a', 4000 reads since 2026-11-21T17:15:09Z",
        "With the cache: 2000 reads and 10 writes in 90 s",
        "In pass-through: 2000 reads and 1500 writes in 2 h",
        "Reads \"without\": measured in pass-through",
        "Writes \"without\": measured in pass-through",
        "read latency, mean 5.0 ms 527 us -89.5 %",
        "write latency, 99 % 2.0 ms 2.0 ms 0.0 %",
        "requests a second, mean 200 1000 +400.0 %",
        "in the busiest minute 250 -",
        "reads from the backing 2000 240 -88.0 %",
        "reads answered by the cache - 90.0 %",
        "from flash - 20.0 %",
        "The mean read is 9.5 times faster with the cache; \"without\" is what 2000 reads",
        "4KiB are still to be written to the backing.",
        "100 us 0.0 % 90.0 % ##################",
        "15 ms 100.0 % #################### 10.0 % ##",
        "5 min 1000 45.0 % ##################",
        "now 1000 95.0 % ######################################",
        "Warm after 5 min: the next three steps hit 95.0 %, less than 3 points apart.",
    ] {
        assert!(lines.iter().any(|shown| shown == line), "'{line}' is missing in:\n{text}");
    }
    assert!(!text.contains("mean write is"), "it is not faster:\n{text}");
    assert!(!text.contains("10 us"), "nothing is there:\n{text}");
    assert!(!text.contains("Compared is"), "all of it is:\n{text}");
    assert!(!text.contains("To measure"), "both are measured:\n{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_is_concluded_and_what_is_not_known_is_said() {
    let mut concluded = document();
    concluded["compared_since"] = json!("2026-11-22T00:00:00Z");
    concluded["without"]["reads_are"] = json!("concluded");
    concluded["without"]["writes_are"] = json!("unknown");
    concluded["without"]["iops"] = Value::Null;
    concluded["without"]["latency_us"]["write"] = Value::Null;
    concluded["without"]["iops_busiest_minute"] = Value::Null;
    concluded["warm_up"] = json!({ "state": "warming", "variation": 0.125, "variation_max": 0.03 });
    let text = text(&concluded, Ink::Unicode);
    let lines = lines_of(&text);
    for line in [
        "Compared is what was counted since 2026-11-22T00:00:00Z",
        "Reads \"without\": concluded from the 2000 that went to the backing",
        "Writes \"without\": not known",
        "To measure it, 1000 of a kind: forebay disk set a mode=pass-through",
        "requests a second, mean - 1000",
        "write latency, mean - 2.0 ms",
        "Not warm yet: the last three steps are 12.5 points apart, and 3 are too many.",
    ] {
        assert!(lines.iter().any(|shown| shown == line), "'{line}' is missing in:\n{text}");
    }
    assert!(!text.contains("in the busiest minute"), "neither is known: {text}");
    assert!(text.contains("took that went to the backing"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("█"), "{text}");
}

#[test]
fn nothing_is_claimed_that_was_not_measured() {
    let mut all_hits = document();
    all_hits["times_faster"] = Value::Null;
    assert!(text(&all_hits, Ink::Ascii).contains("No read went to the backing yet"));
    all_hits["with"]["reads"] = json!(0);
    assert!(text(&all_hits, Ink::Ascii).contains("Nothing was read with the cache yet"));
    let mut slow_hits = document();
    slow_hits["times_faster"] = json!(0.6);
    assert!(text(&slow_hits, Ink::Ascii).contains("gains nothing for reads so far"));
    let mut unread = document();
    (unread["reads"], unread["without"]["writes"], unread["with"]["writes"]) = (json!(0), json!(0), json!(0));
    assert!(text(&unread, Ink::Ascii).contains("was not read since 2026-11-21T17:15:09Z, nor written"));
    let nothing = text(&json!({ "reads": 1 }), Ink::Ascii);
    assert!(nothing.contains("Reads \"without\":  not known"), "a daemon of another version: {nothing}");
}

#[test]
fn a_disk_that_is_not_warm_says_why() {
    let said = |state: &str, variation: f64| {
        warm_up(
            &json!({ "state": state, "variation": variation, "variation_max": 0.03, "reads_min": 1_000 }),
            None,
        )
    };
    let warm = json!({ "state": "warm", "seconds": 60, "hit_ratio": 0.5, "variation_max": 0.03 });
    let later = warm_up(&warm, Some("2026-11-22T00:00:00Z"));
    assert!(later.contains("Warm after 1 min from 2026-11-22T00:00:00Z on: the next"), "{later}");
    assert_eq!(said("warming", 0.0), "\nNot warm yet: next to nothing hits.\n");
    assert!(said("warming", 0.03).contains("3.0 points apart"));
    assert!(said("too-few-reads", 0.0).contains("three steps with 1000 reads each"));
}

#[test]
fn times_and_changes_are_short() {
    assert_eq!(
        [0, 59, 60, 119, 3_599, 3_600, 7_199, 86_399, 86_400, 172_800].map(span).join(" "),
        "0 s 59 s 1 min 119 s 59 min 1 h 119 min 23 h 1 d 2 d"
    );
    assert_eq!(change(Some(0.0), Some(5.0)), "", "nothing to compare with");
    assert_eq!(change(None, Some(5.0)), "");
    assert_eq!(
        [(2.0, 1.0), (1.0, 2.0), (1.0, 1.0)].map(|(a, b)| change(Some(a), Some(b))).join(" "),
        "-50.0 % +100.0 % 0.0 %"
    );
    assert_eq!([rate(0.25), rate(1_234.5)].join(" "), "0.2 1234");
}
