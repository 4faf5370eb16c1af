//! `forebay simulate`: from a trace to rows, and only a sentence where there are none.

use std::fmt::Write;

use serde_json::Value;

use crate::host::{Host, forebay};

/// Returns a trace of blocks: 400 in a loop, five times.
fn loop_of_blocks(host: &Host) -> String {
    let mut ids = String::new();
    for block in (0..400).cycle().take(2000) {
        writeln!(ids, "{block}").expect("strings take everything");
    }
    std::fs::write(host.path("loop.ids"), ids).expect("the folder is ours");
    host.text("loop.ids")
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&forebay(words).succeeded()).expect("--json prints one document")
}

#[test]
fn every_policy_has_a_row_for_each_size_and_what_is_too_small_is_left_out() {
    let host = Host::new();
    let trace = loop_of_blocks(&host);
    let document = json(&[
        "simulate",
        &trace,
        "--size",
        "1MiB,100%,1%",
        "--policy",
        "served:always,lru,belady",
        "--json",
    ]);
    assert_eq!(document["schema"], 1);
    assert_eq!(
        (&document["trace"]["requests"], &document["trace"]["footprint_bytes"]),
        (&2000.into(), &(400 * 4096).into())
    );
    assert!(document["trace"]["writes"].is_null(), "this format does not say: {document}");
    let rows = document["rows"].as_array().expect("rows");
    let found: Vec<(&str, u64, f64)> = rows
        .iter()
        .map(|row| {
            for key in ["block_bytes", "flash_writes_per_access"] {
                assert!(row[key].is_number(), "{key}: {row}");
            }
            (
                row["policy"].as_str().unwrap(),
                row["size_bytes"].as_u64().unwrap(),
                row["miss_ratio"].as_f64().unwrap(),
            )
        })
        .collect();
    // Smallest first: 4 pages, 256, all 400. A loop that does not fit has no hit in LRU.
    let lru: Vec<&(&str, u64, f64)> = found.iter().filter(|row| row.0 == "lru").collect();
    assert_eq!(lru, [&("lru", 4 * 4096, 1.0), &("lru", 1 << 20, 1.0), &("lru", 400 * 4096, 0.2)]);
    assert_eq!(found.iter().filter(|row| row.0 == "served:always").count(), 2);
    let left_out = &document["left_out"];
    assert_eq!(left_out.as_array().map(Vec::len), Some(1), "{left_out}");
    assert_eq!(
        (&left_out[0]["policy"], &left_out[0]["size_bytes"]),
        (&"served:always".into(), &(4 * 4096).into())
    );
}

/// Returns a trace of a guest that writes each page in part, in whole, and reads it, repeatedly, and of
/// another that only reads.
fn guest_that_writes(host: &Host) -> String {
    let mut lines = String::from("sector,sectors,op\n");
    for page in (0..600_u64).cycle().take(3000) {
        let (first, kind) = (page * 8, ["1,W", "8,W", "8,R"][(page % 3) as usize]);
        writeln!(lines, "{first},{kind}").expect("strings take everything");
    }
    std::fs::write(host.path("guest.txt"), lines).expect("the folder is ours");
    host.text("guest.txt")
}

#[test]
fn a_trace_that_writes_is_shown_with_writes_as_they_are_and_as_reads_for_all_policies_alike() {
    let host = Host::new();
    let trace = guest_that_writes(&host);
    let words = ["simulate", &trace, "--format", "csv:offset512,length512,op", "--size", "100%,50%"];
    let table = forebay(&words).succeeded();
    for wanted in [
        "writes     2000\n",
        "Misses of 3000 accesses, blocks of 4KiB, writes as they are\n",
        "Misses of the 1000 of them that read\n",
        "Misses if all of them read\n",
        "Misses of the first turnover",
        "Pages written to flash per access, by cause\n",
        "OVERWRITTEN UNREAD",
    ] {
        assert!(table.contains(wanted), "{wanted}: {table}");
    }
    // The last column is Belady's, which bounds misses of reads alone.
    let belady = |title: &str| {
        let rest = &table[table.find(title).expect(title)..];
        rest.lines().nth(2).and_then(|line| line.split_whitespace().last()).expect("a line of a size")
    };
    assert_eq!([" as they are\n", "first turnover"].map(belady), ["-", "-"], "{table}");
    assert!([" that read\n", "all of them read\n"].map(belady).iter().all(|cell| *cell != "-"), "{table}");
    let document = json(&[&words[..], &["--policy", "served:always,lru,clock2q+", "--json"]].concat());
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    for row in rows.iter().filter(|row| row["size_bytes"] == 600 * 4096) {
        // A third is written in part and never cached before, which costs LRU as much as a served disk.
        let is_served = row["policy"] == "served:always";
        assert_eq!(row["reads"], 1000, "{row}");
        if !is_served {
            assert_eq!((&row["as_reads"]["misses"], &row["misses"]), (&600.into(), &1400.into()), "{row}");
        }
        assert!(row["misses"].as_u64() >= Some(400 + 1000), "{row}");
        assert_eq!(row["overwritten_unread_pages"].is_number(), is_served, "{row}");
    }
    let values = forebay(&[&words[..], &["--policy", "lru,served", "--csv"]].concat()).succeeded();
    let fields = |line: &str| line.matches(',').count();
    let headings = values.lines().next().expect("headings");
    assert!(
        headings.ends_with(",as_reads_misses,as_reads_miss_ratio,as_reads_flash_writes_per_access"),
        "{values}"
    );
    assert!(
        values.lines().all(|line| fields(line) == fields(headings)) && values.lines().count() == 5,
        "{values}"
    );
    let plain = forebay(&[&words[..], &["--policy", "lru", "--writes-as-reads"]].concat()).succeeded();
    assert!(
        plain.contains("Misses of 3000 accesses, blocks of 4KiB\n") && !plain.contains("if all of them read")
    );
}

#[test]
fn values_say_beside_them_what_is_left_out() {
    let host = Host::new();
    let trace = loop_of_blocks(&host);
    let ran =
        forebay(&["simulate", &trace, "--size", "16KiB", "--policy", "served,lru,served:always", "--csv"]);
    assert_eq!((ran.status, ran.stdout.lines().count()), (0, 2), "{ran:?}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    for (line, policy) in lines.iter().zip(["served", "served:always"]) {
        let wanted = format!("Left out: {policy} of 16KiB with blocks of 4KiB: ");
        assert!(line.starts_with(&wanted) && line.contains("segments"), "{line}");
    }
}

#[test]
fn tables_values_and_a_picture_say_the_same() {
    let host = Host::new();
    let trace = loop_of_blocks(&host);
    let words =
        ["simulate", &trace, "--size", "100%", "--policy", "lru,belady,lru", "--block-size", "4KiB,64KiB"];
    let table = forebay(&words).succeeded();
    for wanted in [
        "requests   2000\n",
        "writes     -\n",
        "Misses of 2000 accesses, blocks of 4KiB",
        "blocks of 64KiB",
        "0.2000",
        "100.0%",
    ] {
        assert!(table.contains(wanted), "{wanted}: {table}");
    }
    assert!(!table.contains("Not alike"), "no served disk is compared: {table}");
    let both = forebay(&[
        "simulate",
        &trace,
        "--size",
        "100%",
        "--policy",
        "lru,served",
        "--block-size",
        "4KiB,64KiB",
    ]);
    assert_eq!(both.succeeded().matches("Not alike").count(), 1, "under the table of 64 KiB only");
    let picture = host.text("curves.svg");
    let values = forebay(&[&words[..], &["--csv", "--svg", &picture]].concat()).succeeded();
    let lines: Vec<&str> = values.lines().collect();
    let headings =
        "policy,size_bytes,block_bytes,accesses,misses,miss_ratio,flash_writes_per_access,reads,read_misses,";
    assert!(lines[0].starts_with(headings), "{values}");
    assert!(lines[1].starts_with("lru,1638400,4096,2000,400,0.200000,0.200000,2000,400,,,,,"), "{values}");
    assert!(lines.iter().all(|line| line.matches(',').count() == lines[0].matches(',').count()), "{values}");
    assert_eq!(lines.len(), 1 + 4, "what is said twice is simulated once: {values}");
    let drawn = std::fs::read_to_string(&picture).expect("it was drawn");
    assert!(drawn.starts_with("<svg") && drawn.contains("belady 64KiB"), "{drawn}");
    let missing = host.text("no/such/folder.svg");
    let message = forebay(&[&words[..], &["--svg", &missing]].concat()).failed();
    assert!(message.contains(&missing), "{message}");
}

#[test]
fn a_picture_that_cannot_be_written_in_the_end_does_not_lose_the_result() {
    let host = Host::new();
    let trace = loop_of_blocks(&host);
    let words = ["simulate", &trace, "--size", "100%", "--policy", "lru", "--csv"];
    let values = forebay(&words).succeeded();
    let ran = forebay(&[&words[..], &["--svg", "/dev/full"]].concat());
    assert_eq!((ran.status, &ran.stdout), (1, &values), "{ran:?}");
    assert!(ran.stderr.contains("Cannot write the picture /dev/full"), "{ran:?}");

    // A longer old picture is replaced completely, and kept if there is nothing to draw.
    let old = "old ".repeat(100_000);
    let picture = host.text("old.svg");
    std::fs::write(&picture, &old).expect("the folder is ours");
    forebay(&["simulate", &trace, "--size", "4KiB", "--policy", "served", "--svg", &picture]).failed();
    assert!(std::fs::read_to_string(&picture).expect("it is there") == old);
    forebay(&[&words[..], &["--svg", &picture]].concat()).succeeded();
    let drawn = std::fs::read_to_string(&picture).expect("it was drawn");
    assert!(drawn.ends_with("</svg>\n") && !drawn.contains("old old"));
}

#[test]
fn what_cannot_be_simulated_is_told_in_one_line() {
    let host = Host::new();
    let trace = loop_of_blocks(&host);
    let write = |name: &str, content: &[u8]| {
        std::fs::write(host.path(name), content).expect("the folder is ours");
        host.text(name)
    };
    let empty = write("empty.ids", b"");
    let garbage = write("garbage", &[0xa5; 5000]);
    let torn = write("torn.vscsi", &[1; 40]);
    for (words, wanted) in [
        (&["simulate", "/no/such.ids"][..], "/no/such.ids"),
        (&["simulate", &empty], "no request"),
        (&["simulate", &garbage], "garbage"),
        (&["simulate", &torn], "torn.vscsi"),
        (&["simulate", &trace, "--size", "0"], "0 bytes"),
        (&["simulate", &trace, "--block-size", "5KiB"], "powers of two"),
        (&["simulate", &trace, "--block-size", "2MiB"], "powers of two"),
        (&["simulate", &trace, "--size", "4KiB", "--policy", "served"], "segments"),
        (&["simulate", &trace, "--policy", "served", "--ram", "4KiB"], "64 KiB"),
    ] {
        let message = forebay(words).failed();
        assert!(message.contains(wanted) && message.lines().count() == 1, "{words:?}: {message}");
    }
    for wrong in [
        &["--size", "many"][..],
        &["--size", "0%"],
        &["--size", "101%"],
        &["--policy", "best"],
        &["--policy", "served:repeated:0"],
        &["--format", "paper"],
        &["--unit", "100"],
        &["--json", "--csv"],
    ] {
        let ran = forebay(&[&["simulate", &trace][..], wrong].concat());
        assert_eq!(ran.status, 2, "{wrong:?}: {ran:?}");
    }
}
