//! Hit ratios of a disk with a cache of another size: learned in pass-through too, and known after a restart.

use serde_json::Value;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4 << 10;
/// Pages that are read repeatedly, in order: a cache needs space for all of them.
const PAGES: u64 = 4 * MIB / PAGE;
const ROUNDS: u64 = 5;
/// Share of all rounds but the first.
const BEST: f64 = 0.8;

fn curve(daemon: &Daemon, name: &str) -> Value {
    daemon.json(&["curve", name])["curve"].clone()
}

/// Returns the hit ratio of the first point of the curve with at least this many bytes.
fn at(curve: &Value, bytes: u64) -> f64 {
    let points = curve["points"].as_array().expect("a list");
    let point = points.iter().find(|point| point["cache_bytes"].as_u64().is_some_and(|size| size >= bytes));
    point.and_then(|point| point["hit_ratio"].as_f64()).unwrap_or_else(|| panic!("{bytes}: {curve}"))
}

#[test]
fn a_disk_in_pass_through_learns_which_size_its_loop_needs_and_knows_it_after_a_restart() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "pass-through"]).succeeded();
    let unused = curve(&daemon, "a");
    assert_eq!((&unused["reads"], &unused["present"]["hit_ratio"]), (&0.into(), &Value::Null));
    assert!(daemon.run(&["curve", "a"]).succeeded().contains("nothing is known of it"));

    let mut guest = daemon.guest("a");
    for page in (0..ROUNDS).flat_map(|_| 0..PAGES) {
        guest.read(page * PAGE, PAGE as u32).expect("the disk is served");
    }
    for page in (0..4).flat_map(|_| 0..100) {
        guest.write(page * PAGE, &[1; PAGE as usize]).expect("the disk is served");
    }
    let learned = curve(&daemon, "a");
    assert_eq!((&learned["reads"], &learned["written_pages"]), (&(ROUNDS * PAGES).into(), &400.into()));
    // Every page is sampled, so all is exact but for the width of classes.
    assert_eq!(learned["working_set_bytes"], 4 * MIB);
    assert!(at(&learned, 3 * MIB) < 0.01 && (at(&learned, 5 * MIB) - BEST).abs() < 0.01, "{learned}");
    let sized = |key: &str| learned[key]["cache_bytes"].as_u64().expect("a size");
    assert!(
        sized("knee").abs_diff(4 * MIB) < MIB / 4 && sized("largest").abs_diff(4 * MIB) < MIB / 4,
        "{learned}"
    );
    assert_eq!(learned["wanted"][2]["cache_bytes"], Value::Null, "no size has 90 %: {learned}");
    let dirty = learned["write_back"].as_array().expect("a list").iter();
    let most: Vec<_> =
        dirty.filter(|step| step["dirty_bytes"].as_u64().is_some_and(|bytes| bytes > MIB)).collect();
    assert!(!most.is_empty() && most.iter().all(|step| step["coalesced"] == 0.75), "{learned}");
    let statistics = daemon.json(&["stats", "a"])["disks"][0].clone();
    assert_eq!(statistics["cache_bytes_max"], learned["present"]["cache_bytes"]);
    let double = statistics["hit_ratio_at_double"].as_f64().expect("it was read");
    assert!((double - at(&learned, 2 * sized("present"))).abs() < 0.01, "{double}");
    let shown = daemon.run(&["curve", "a"]).succeeded();
    assert!(shown.contains("<- present size") && shown.contains("WRITTEN AGAIN WHILE DIRTY"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let missing = daemon.run(&["curve", "b"]).failed();
    assert!(missing.contains("'b'"), "{missing}");

    drop(guest);
    assert!(daemon.stop().success());
    let daemon = host.serve();
    let after = curve(&daemon, "a");
    assert_eq!((&after["reads"], &after["points"]), (&learned["reads"], &learned["points"]));
}
