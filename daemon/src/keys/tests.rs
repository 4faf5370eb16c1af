//! Keys: what they print, read back and refuse.

use super::*;

const POOL: PoolBounds = PoolBounds { reserve_bytes_min: 4 << 20, usable_bytes: 1 << 30 };

fn with(key: &str, text: &str) -> Result<Values> {
    Values::default().with([(key, text)])
}

#[test]
fn the_table_names_every_key_with_its_default() {
    let named = Values::default().named();
    for (key, (name, text)) in KEYS.iter().zip(named) {
        assert_eq!((key.name, key.default), (name, text.as_str()));
    }
}

#[test]
fn every_word_that_shells_complete_is_a_value() {
    for Key { name, words, .. } in &KEYS {
        for word in *words {
            let values = with(name, word).unwrap_or_else(|problem| panic!("{name}={word}: {problem}"));
            let printed = values.named().into_iter().find(|(key, _)| key == name).expect("it is a key").1;
            let again = with(name, &printed).expect("it printed that itself");
            assert_eq!(again, values, "{name}={word}");
        }
    }
}

#[test]
fn values_read_back_what_they_print() {
    let values = Values::default()
        .with([
            ("mode", "write-around"),
            ("block-size", "4096"),
            ("reserve", "10%"),
            ("limit", "1.5GiB"),
            ("ram", "1M"),
            ("ram-min", "2M"),
            ("ram-max", "1G"),
            ("admission", "repeated:3"),
            ("sequential-cutoff", "0"),
            ("read-balance", "off"),
            ("dirty-limit", "64MiB"),
            ("destage-rate-min", "1MiB"),
            ("destage-rate-max", "100MiB"),
            ("destage-order", "consistent"),
            ("ring", "/srv/web.ring"),
            ("ring-size", "64MiB"),
            ("consistent-age-max", "5s"),
            ("consistency-set", "db1"),
            ("allow-unmarked", "yes"),
            ("retry-time", "wait"),
            ("iops-max", "500"),
            ("bandwidth-max", "1.5GiB"),
            ("burst-time", "1500ms"),
            ("sector-size", "4KiB"),
            ("map", "scan"),
            ("socket-owner", "libvirt-qemu"),
            ("socket-group", "64055"),
            ("socket-mode", "600"),
        ])
        .expect("all are good");
    let texts = BTreeMap::from(values.clone());
    assert_eq!(texts["limit"], "1536MiB");
    assert_eq!(Values::try_from(texts), Ok(values));
}

#[test]
fn an_unknown_key_is_answered_with_the_nearest_right_one() {
    let problem = with("blocksize", "4K").unwrap_err();
    assert_eq!(problem.message, "Unknown key 'blocksize': did you mean 'block-size'?");
}

#[test]
fn a_key_by_its_former_name_is_refused_with_the_present_one_and_read_from_records() {
    let problem = with("unmarked", "yes").unwrap_err();
    assert!(problem.message.contains("write allow-unmarked=yes"), "{problem}");
    let record = BTreeMap::from([("unmarked".to_owned(), "yes".to_owned())]);
    assert_eq!(Values::try_from(record).map(|values| values.unmarked()), Ok(Unmarked::Allowed));
}

#[test]
fn a_redo_ring_is_as_large_as_was_set_or_twice_the_disk_within_bounds() {
    let usual = with("destage-order", "consistent").expect("it is good");
    assert!(usual.is_consistent() && usual.ring().is_none());
    assert!(!usual.without_flash().is_consistent());
    for (disk, ring) in [(4096, 1 << 20), (100 << 20, 200 << 20), (1 << 40, 1 << 30)] {
        assert_eq!(usual.ring_bytes(disk), ring);
    }
    let set = usual.with([("ring-size", "8MiB"), ("ring", "file:/srv/a.ring")]).expect("both are good");
    assert_eq!((set.ring_bytes(1 << 40), set.ring()), (8 << 20, Some("/srv/a.ring")));
    for (given, expected) in [("rbd:vms/a?id=b", Some("rbd:vms/a?id=b")), ("auto", None)] {
        assert_eq!(usual.with([("ring", given)]).expect("it is good").ring(), expected);
    }
    let later = with("destage-order", "arrival").unwrap_err();
    assert!(later.message.contains("not available yet"), "{later}");
}

#[test]
fn values_that_cannot_be_are_refused_and_named() {
    for (key, text) in [
        ("mode", "writethrough"),
        ("block-size", "3000"),
        ("block-size", "2KiB"),
        ("block-size", "2MiB"),
        ("block-size", "12KiB"),
        ("ram", "1000"),
        ("ram", "off"),
        ("ram-min", "off"),
        ("ram-min", "1023KiB"),
        ("ram-max", "auto"),
        ("ram-max", "1"),
        ("admission", "repeated:0"),
        ("read-balance", "on"),
        ("limit", "120%"),
        ("reserve", "much"),
        ("dirty-limit", "120%"),
        ("destage-rate-max", "fast"),
        ("destage-order", "flush"),
        ("ring", "web.ring"),
        ("ring", "rbd:vms"),
        ("ring", "rbd:vms/a?conf=ceph.conf"),
        ("ring-size", "512KiB"),
        ("ring-size", "much"),
        ("consistent-age-max", "1s"),
        ("consistent-age-max", "2h"),
        ("consistent-age-max", "auto"),
        ("consistency-set", "Data base"),
        ("consistency-set", ""),
        ("allow-unmarked", "perhaps"),
        ("retry-time", "0s"),
        ("retry-time", "25"),
        ("iops-max", "0"),
        ("iops-max", "-5"),
        ("iops-max", "+5"),
        ("iops-max", "many"),
        ("iops-max", "4294967296"),
        ("bandwidth-max", "0"),
        ("bandwidth-max", "-1MiB"),
        ("bandwidth-max", "1023KiB"),
        ("bandwidth-max", "fast"),
        ("burst-time", "0s"),
        ("burst-time", "1d"),
        ("burst-time", "2"),
        ("sector-size", "1024"),
        ("sector-size", "520"),
        ("map", "yes"),
        ("socket-owner", "two words"),
        ("socket-mode", "rw"),
    ] {
        let problem = with(key, text).unwrap_err();
        assert!(problem.message.starts_with(&format!("Cannot set {key}={text}: ")), "{problem}");
    }
}

#[test]
fn limits_of_guests_are_off_until_they_are_set() {
    let RateLimits { requests, bytes, burst_ns } = Values::default().rate_limits();
    assert_eq!((requests, bytes, burst_ns), (None, None, 1_000_000_000));
    let set = [("iops-max", "500"), ("bandwidth-max", "10M"), ("burst-time", "100ms")];
    let RateLimits { requests, bytes, burst_ns } =
        Values::default().with(set).expect("all are good").rate_limits();
    assert_eq!(
        (requests.map(u64::from), bytes.map(u64::from), burst_ns),
        (Some(500), Some(10 << 20), 100_000_000)
    );
    let message = with("bandwidth-max", "1KiB").unwrap_err().message;
    assert!(message.contains("32MiB in one request") && message.contains("at least 1MiB"), "{message}");
    let message = with("iops-max", "0").unwrap_err().message;
    assert!(message.contains("such as 500, or off"), "{message}");
}

#[test]
fn a_disk_takes_part_where_the_pool_divides_ram_unless_its_own_was_set() {
    let usual = Values::default();
    assert_eq!(
        (usual.fixed_ram(), usual.ram(), usual.ram_bounds()),
        (None, Size(32 << 20), (1 << 20, u64::MAX))
    );
    let set = usual.with([("ram", "4MiB"), ("ram-min", "2MiB"), ("ram-max", "8MiB")]).expect("all are good");
    assert_eq!((set.fixed_ram(), set.ram_bounds()), (Some(Size(4 << 20)), (2 << 20, 8 << 20)));
    assert_eq!(set.with([("ram", "auto"), ("ram-max", "off")]).map(|values| values.fixed_ram()), Ok(None));
    let problem = set.with([("ram-min", "9MiB")]).unwrap_err();
    assert!(problem.message.contains("9MiB of RAM at least and 8MiB at most"), "{problem}");
}

#[test]
fn the_default_ram_in_a_record_of_an_earlier_version_was_not_set() {
    let record = |texts: &[(&str, &str)]| {
        let texts = texts.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
        let texts: BTreeMap<String, String> = texts.collect();
        Values::try_from(texts).expect("it was recorded").fixed_ram()
    };
    assert_eq!(record(&[("ram", "32MiB")]), None);
    assert_eq!(record(&[("ram", "64MiB")]), Some(Size(64 << 20)));
    assert_eq!(record(&[("ram", "32MiB"), ("ram-min", "1MiB")]), Some(Size(32 << 20)));
}

#[test]
fn a_reservation_above_the_limit_is_refused() {
    let values = Values::default().with([("reserve", "2G"), ("limit", "1G")]).expect("each is good");
    let problem = values.settings(DiskId(1), 10 << 30, POOL).unwrap_err();
    assert!(problem.message.contains("above the limit"), "{problem}");
}

#[test]
fn a_least_rate_above_the_greatest_is_refused_and_none_is_no_limit() {
    let values = with("destage-rate-min", "2M").expect("it is good");
    let settings = values.settings(DiskId(1), 10 << 30, POOL).expect("there is no greatest one");
    assert_eq!((settings.destage_rate_min, settings.destage_rate_max), (2 << 20, 0));
    let values = values.with([("destage-rate-max", "1M")]).expect("each is good");
    let problem = values.settings(DiskId(1), 10 << 30, POOL).unwrap_err();
    assert!(problem.message.contains("destage-rate-min"), "{problem}");
}

#[test]
fn shares_that_are_left_to_us_follow_the_pool() {
    let settings = Values::default().settings(DiskId(1), 10 << 30, POOL).expect("nothing is wrong");
    assert_eq!((settings.reserve_bytes, settings.limit_bytes), (4 << 20, 1 << 30));
    let fifth = with("limit", "20%").expect("it is good");
    let settings = fifth.settings(DiskId(1), 10 << 30, POOL).expect("nothing is wrong");
    assert_eq!(settings.limit_bytes, 2 << 30);
}
