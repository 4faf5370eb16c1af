//! The write budget: promotions wait for it and guests do not; it is reported, changed in use and stored.

use serde_json::Value;

use crate::host::{Daemon, Host};
use crate::warm::{IMAGE_BYTES, bytes_of, image};

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4096;
const REQUEST: u64 = 64 << 10;
const POOL_BYTES: u64 = 64 * MIB;
/// Capacity of the bucket of so small a pool in bytes.
const BUCKET_BYTES: u64 = MIB;
/// Pages that a guest writes in write-back: more than the bucket holds.
const WRITTEN_PAGES: u64 = 384;

fn pool(daemon: &Daemon) -> Value {
    daemon.json(&["pool", "show"])["pool"].clone()
}

fn set(daemon: &Daemon, budget: &str) -> String {
    daemon.run(&["pool", "set", &format!("write-budget={budget}")]).succeeded()
}

fn statistics(daemon: &Daemon, name: &str) -> Value {
    daemon.json(&["stats", name])["disks"][0].clone()
}

fn number(document: &Value, key: &str) -> u64 {
    document[key].as_u64().unwrap_or_else(|| panic!("{key} is no number: {document}"))
}

/// Reads all of the disk repeatedly until a counter reaches a value; the data must be that of the image.
fn read_until(daemon: &Daemon, counter: &str, wanted: u64) -> Value {
    let (mut guest, content) = (daemon.guest("a"), bytes_of(1, IMAGE_BYTES));
    for _ in 0..100 {
        for offset in (0..IMAGE_BYTES).step_by(REQUEST as usize) {
            let found = guest.read(offset, REQUEST as u32).expect("the disk is served");
            let expected = &content[offset as usize..(offset + REQUEST) as usize];
            assert!(found == expected, "what is read at {offset} is not what is there");
        }
        let now = statistics(daemon, "a");
        if number(&now, counter) >= wanted {
            return now;
        }
    }
    panic!("{counter} stays below {wanted}: {}", statistics(daemon, "a"));
}

/// Serves a disk that is read and one that is written, in write-back.
fn serve_with_disks(host: &Host) -> Daemon {
    let daemon = host.serve();
    let read = image(host, "a.img", 1);
    daemon.run(&["disk", "add", "a", "--backing", &read, "--block-size", "4KiB"]).succeeded();
    daemon.run(&["disk", "set", "a", "admission=always", "ram=1MiB", "sequential-cutoff=0"]).succeeded();
    let written = host.image("b.img", IMAGE_BYTES);
    let add = ["disk", "add", "b", "--backing", &written, "--mode", "write-back", "--reserve", "32MiB"];
    daemon.run(&add).succeeded();
    daemon
}

#[test]
fn promotions_wait_for_the_budget_and_what_guests_write_never_does() {
    let host = Host::new();
    let daemon = serve_with_disks(&host);
    assert_eq!(
        (&pool(&daemon)["write_budget"], &pool(&daemon)["devices"][0]["budget"]),
        (&Value::Null, &Value::Null)
    );
    assert!(!daemon.run(&["pool", "show"]).succeeded().contains("BUDGET OF"));

    assert_eq!(set(&daemon, "0.001"), "Write budget: 0.001 drive writes a day of each device\n");
    let held = read_until(&daemon, "promotions_held_back", 500);
    assert!(number(&held, "promotions") * PAGE <= BUCKET_BYTES, "the bucket holds no more: {held}");
    assert!(number(&held, "rejections") >= number(&held, "promotions_held_back"), "{held}");
    assert_eq!((number(&held, "flash_errors"), number(&held, "backing_errors")), (0, 0));

    let mut guest = daemon.guest("b");
    for page in 0..WRITTEN_PAGES {
        guest.write(page * PAGE, &bytes_of(page, PAGE)).expect("guests are never held back");
    }
    guest.flush().expect("nor are their flushes");
    for page in 0..WRITTEN_PAGES {
        let found = guest.read(page * PAGE, PAGE as u32).expect("the disk is served");
        assert!(found == bytes_of(page, PAGE), "page {page}");
    }
    let written = statistics(&daemon, "b");
    assert_eq!(number(&written, "writes_back"), WRITTEN_PAGES, "all of them are on flash: {written}");
    assert_eq!(number(&written, "promotions_held_back"), 0);

    // On credit: no promotion is admitted any more, and that is reported.
    let shown = pool(&daemon);
    let budget = &shown["devices"][0]["budget"];
    assert_eq!(
        (shown["write_budget"].as_f64(), number(budget, "bytes_per_day")),
        (Some(0.001), POOL_BYTES / 1000)
    );
    assert_eq!(
        (budget["pressure"].as_f64(), budget["promoted_batches_ratio"].as_f64()),
        (Some(1.0), Some(0.0))
    );
    assert!(number(budget, "written_bytes") >= WRITTEN_PAGES * PAGE, "{budget}");
    assert!(budget["used_ratio"].as_f64() > Some(1.0), "{budget}");
    let before = statistics(&daemon, "a");
    let after = read_until(&daemon, "promotions_held_back", number(&before, "promotions_held_back") + 500);
    assert_eq!(after["promotions"], before["promotions"]);
    let text = daemon.run(&["pool", "show"]).succeeded();
    assert!(text.contains("0.001 drive writes a day") && text.contains("BUDGET OF"), "{text}");
    assert!(daemon.run(&["stats", "a"]).succeeded().contains("flash_write_bytes_per_hit"));

    assert_eq!(set(&daemon, "none"), "Write budget: none\n");
    let held_back = after["promotions_held_back"].clone();
    let free = read_until(&daemon, "promotions", 4 * BUCKET_BYTES / PAGE);
    assert_eq!(free["promotions_held_back"], held_back, "without a budget nothing waits");
}

#[test]
fn flash_written_for_a_hit_and_for_what_was_wanted_there_is_said() {
    let host = Host::new();
    let daemon = serve_with_disks(&host);
    let unread = statistics(&daemon, "a");
    assert_eq!(
        (&unread["flash_write_bytes_per_hit"], &unread["flash_write_amplification"]),
        (&Value::Null, &Value::Null)
    );
    let read = read_until(&daemon, "read_hits_flash", 20);
    let figure = |key: &str| read[key].as_f64().unwrap_or_else(|| panic!("{key} is no number: {read}"));
    // The last digit of a number that was printed and parsed may differ.
    let is_ratio = |key: &str, part: f64, whole: f64| {
        assert!((figure(key) * whole / part - 1.0).abs() < 1e-9, "{key} is not {part} / {whole}: {read}");
    };
    let bytes = figure("flash_write_bytes");
    is_ratio("flash_write_bytes_per_hit", bytes, figure("read_hits_ram") + figure("read_hits_flash"));
    is_ratio("flash_write_amplification", bytes, figure("promotions") * 4096.0 + figure("write_back_bytes"));
    assert!(read["flash_write_amplification"].as_f64() > Some(1.0), "headers are written, too: {read}");
}

#[test]
fn the_budget_is_remembered_of_the_pool_whatever_device_it_is_on() {
    let host = Host::new();
    let daemon = host.serve();
    set(&daemon, "0.5");
    // Together with ratings of drives, and with one more device.
    daemon.run(&["pool", "set", "rated-tbw=600TB", "write-budget=2.25"]).succeeded();
    let second = host.text("second.img");
    daemon.run(&["pool", "add", &second, "--size", "128MiB"]).succeeded();
    let budgets = |daemon: &Daemon| -> Vec<u64> {
        let pool = pool(daemon);
        let devices = pool["devices"].as_array().expect("a list");
        devices.iter().map(|device| number(&device["budget"], "bytes_per_day")).collect()
    };
    assert_eq!(budgets(&daemon), [POOL_BYTES / 4 * 9, POOL_BYTES / 2 * 9]);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!(
        (budgets(&daemon), pool(&daemon)["write_budget"].as_f64()),
        (vec![POOL_BYTES / 4 * 9, POOL_BYTES / 2 * 9], Some(2.25))
    );
    // Half full: a restart loses little budget, and does not keep the cache from warming up.
    let pressure = pool(&daemon)["devices"][0]["budget"]["pressure"].as_f64().expect("a number");
    assert!(pressure > 0.3 && pressure < 0.6, "{pressure}");
    assert!(daemon.stop().success());

    // It can be set for a pool that is missing, and a new pool has it as well.
    for device in ["pool.img", "second.img"] {
        std::fs::rename(host.path(device), host.path(&format!("away-{device}"))).expect("the folder is ours");
    }
    let daemon = host.serve_with(&[]);
    assert_eq!(pool(&daemon)["state"], "missing");
    set(&daemon, "1");
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&["--pool", &host.text("third.img"), "--pool-size", "64MiB"]);
    assert_eq!((budgets(&daemon), pool(&daemon)["write_budget"].as_f64()), (vec![POOL_BYTES], Some(1.0)));
    set(&daemon, "0");
    assert_eq!(pool(&daemon)["write_budget"], Value::Null);
}

#[test]
fn budgets_that_make_no_sense_are_refused_and_change_nothing() {
    let host = Host::new();
    let daemon = host.serve();
    let first = host.text("pool.img");
    set(&daemon, "3");
    for (words, reason) in [
        (&["write-budget=many"][..], "0.5"),
        (&["write-budget="], "0.5"),
        (&["write-budget=-1"], "none"),
        (&["write-budget=0.0001"], "three decimal places"),
        (&["write-budget=99999999999999999999"], "at most 1000"),
        (&["write-budgte=1"], "did you mean 'write-budget'?"),
        (&["write-budget=1", "--device", &first], "leave the device out"),
        (&["rated-tbw=many", "write-budget=1"], "600TB"),
        (&["rated-tbw=1TB", "write-budget=many"], "0.5"),
    ] {
        let message = daemon.run(&[&["pool", "set"], words].concat()).failed();
        assert!(message.starts_with(char::is_uppercase) && message.contains(reason), "{words:?}: {message}");
        assert_eq!(pool(&daemon)["write_budget"].as_f64(), Some(3.0), "{words:?}");
        assert_eq!(pool(&daemon)["devices"][0]["wear"]["rated_bytes"], Value::Null, "{words:?}");
    }
}

#[test]
fn a_budget_that_cannot_be_remembered_is_not_taken() {
    let host = Host::new();
    let daemon = host.serve();
    set(&daemon, "3");
    // The file that is to replace the state cannot be written.
    let in_the_way = host.path("d/state.json.new");
    std::fs::create_dir(&in_the_way).expect("the folder is ours");
    let message = daemon.run(&["pool", "set", "write-budget=1"]).failed();
    assert!(message.contains("Cannot save"), "{message}");
    let budget = |daemon: &Daemon| {
        let pool = pool(daemon);
        (pool["write_budget"].as_f64(), number(&pool["devices"][0]["budget"], "bytes_per_day"))
    };
    assert_eq!(budget(&daemon), (Some(3.0), 3 * POOL_BYTES), "neither remembered nor kept to");
    std::fs::remove_dir(&in_the_way).expect("the folder is ours");
    set(&daemon, "1");
    assert_eq!(budget(&daemon), (Some(1.0), POOL_BYTES));
}
