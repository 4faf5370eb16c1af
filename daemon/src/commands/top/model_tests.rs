//! Lines that are computed from two documents.

use serde_json::json;

use super::*;

fn sample(seconds: u64, counters: &Value) -> Sample {
    let disk = json!({
        "name": "a", "state": "serving", "mode": "write-back", "reason": null,
        "dirty_bytes": 512, "dirty_limit_bytes": 1024, "backing_state": { "state": "good", "reason": null },
    });
    let recent = json!({ "name": "a", "latency_us": {
        "read_miss": { "count": 5, "p99": 900.0 }, "write": { "count": 0, "p99": 0.0 },
    }});
    Sample {
        at: Duration::from_secs(seconds),
        disks: json!({ "disks": [disk] }),
        counters: json!({ "disks": [counters] }),
        recent: json!({ "disks": [recent] }),
        pool: json!({ "pool": {
            "state": "serving", "segments": 10, "segments_free": 4, "segment_bytes": 100, "devices": [1, 2],
        }}),
    }
}

fn counted(reads: u64, hits: u64) -> Value {
    json!({
        "name": "a", "reads": reads, "read_hits_ram": hits, "read_hits_flash": hits, "writes": 7,
        "read_bytes": reads * 4096, "write_bytes": 0, "cached_bytes": 99, "ram_bytes": 30, "index_bytes": 3,
    })
}

#[test]
fn rates_are_those_between_two_looks() {
    let (before, now) = (sample(10, &counted(100, 50)), sample(12, &counted(120, 54)));
    let [row] = &rows(Some(&before), &now)[..] else { panic!("there is one disk") };
    assert_eq!((row.reads, row.writes), (Some(10.0), Some(0.0)));
    assert_eq!(row.read_bytes, Some(40_960.0));
    assert_eq!(row.hit_ratio, Some(0.4), "of these reads, not of all");
    assert_eq!((row.miss_p99_us, row.write_p99_us), (Some(900.0), None));
    assert_eq!((row.dirty_bytes, row.dirty_share), (Some(512), Some(0.5)));
    assert_eq!((row.cached_bytes, row.ram_bytes, row.backing_reads), (Some(99), Some(30), None));
}

#[test]
fn what_cannot_be_known_is_none() {
    let now = sample(12, &counted(120, 54));
    let cases = [
        ("a first look", rows(None, &now)),
        ("counters that began anew", rows(Some(&sample(10, &counted(200, 60))), &now)),
        ("a disk that was not there", rows(Some(&Sample::default()), &now)),
        ("no time between", rows(Some(&sample(12, &counted(100, 50))), &now)),
    ];
    for (what, rows) in cases {
        assert_eq!(rows[0].reads, None, "{what}");
        assert_eq!(rows[0].cached_bytes, Some(99), "{what}");
    }
    let idle = rows(Some(&sample(10, &counted(120, 54))), &now);
    assert_eq!((idle[0].reads, idle[0].hit_ratio), (Some(0.0), None), "no reads, no ratio");
}

#[test]
fn disks_that_are_not_well_say_so() {
    let mut now = sample(0, &Value::Null);
    now.disks["disks"][0]["backing_state"] = json!({ "state": "failing", "reason": "it does not answer" });
    let failing = rows(None, &now);
    assert_eq!(
        (failing[0].state.as_str(), failing[0].reason.as_deref()),
        ("failing", Some("it does not answer"))
    );
    now.disks["disks"][0]["state"] = "waiting".into();
    now.disks["disks"][0]["reason"] = "it is away".into();
    let waiting = rows(None, &now);
    assert_eq!((waiting[0].state.as_str(), waiting[0].reason.as_deref()), ("waiting", Some("it is away")));
    assert_eq!(host(&now, &waiting).unwell, 1);
}

#[test]
fn the_host_is_the_sum_of_its_disks_and_its_pool() {
    let now = sample(0, &counted(1, 1));
    let host = host(&now, &rows(None, &now));
    let expected = HostSummary {
        pool_state: "serving".to_owned(),
        pool_used_bytes: 600,
        pool_bytes: 1000,
        devices: 2,
        ram_bytes: 33,
        disks: 1,
        unwell: 0,
    };
    assert_eq!(host, expected);
    assert_eq!(super::host(&Sample::default(), &[]).pool_bytes, 0, "an empty document is no panic");
}

#[test]
fn lines_are_in_order_of_any_column() {
    let row = |name: &str, reads, state: &str| DiskRow {
        name: name.to_owned(),
        reads,
        state: state.to_owned(),
        ..DiskRow::default()
    };
    let mut all = [row("b", Some(5.0), "serving"), row("c", None, "waiting"), row("a", Some(9.0), "serving")];
    let mut sorted = |column, is_reversed| {
        sort(&mut all, column, is_reversed);
        all.iter().map(|row| row.name.clone()).collect::<String>()
    };
    assert_eq!(sorted(SortColumn::Name, false), "abc");
    assert_eq!(sorted(SortColumn::Name, true), "cba");
    assert_eq!(sorted(SortColumn::Reads, false), "abc", "what is not known comes last");
    assert_eq!(sorted(SortColumn::State, false), "cab", "what needs a look comes first");
    assert_eq!(sorted(SortColumn::Dirty, false), "abc", "equal ones by name");
}

#[test]
fn columns_have_neighbours_and_keys_of_their_own() {
    for (at, (column, key, _)) in SortColumn::ALL.into_iter().enumerate() {
        assert_eq!(column.neighbour(1).neighbour(-1), column);
        assert_eq!(SortColumn::of_key(key), Some(column));
        assert!(SortColumn::ALL[..at].iter().all(|(_, other, _)| *other != key), "{key} is there twice");
    }
    assert_eq!(SortColumn::Name.neighbour(-1), SortColumn::Dirty);
    assert_eq!(SortColumn::of_key('q'), None, "q is for quitting");
}

#[test]
fn the_past_is_bounded_and_forgets_disks_that_are_gone() {
    let mut past = RateHistory::default();
    let row =
        DiskRow { name: "a".to_owned(), reads: Some(3.9), hit_ratio: Some(0.255), ..DiskRow::default() };
    for _ in 0..POINTS_MAX + 5 {
        past.take(std::slice::from_ref(&row));
    }
    assert_eq!(past.last("a", usize::MAX).len(), POINTS_MAX);
    assert_eq!(past.last("a", 2)[0], Point { hit_percent: Some(26), reads: 3, ..Point::default() });
    past.take(&[]);
    assert_eq!(past.last("a", 2), []);
}
