//! Disks from volumes, and docs/volumes.md: each of its commands on two hosts with a store in a folder, and what it promises after the loss of a
//! host.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use doors::nbd;
use objects::{Client, StoreOptions};

use crate::consistent::{PAGES, state_after, write};
use crate::host::{Daemon, Host, Ran, forebay};
use crate::numbered::{Numbered, PAGE, number_of};
use crate::patience;
use crate::stopped_host::{Activity, Scene};

const DOCUMENT: &str = include_str!("../../../docs/volumes.md");
/// Sources of the messages in the page.
const SOURCES: [&str; 8] = [
    include_str!("../../src/commands/volume/access.rs"),
    include_str!("../../src/backing/kinds/volume.rs"),
    include_str!("../../src/stores.rs"),
    include_str!("../../../objects/src/probe.rs"),
    include_str!("../../../block/src/error.rs"),
    include_str!("../../../volume/src/epoch.rs"),
    include_str!("../../../volume/src/error.rs"),
    include_str!("../../../volume/src/volume.rs"),
];

/// Time between two looks of a host that is at rest for another one, and more.
const LOOK_TIME: Duration = Duration::from_secs(6);
/// Time after which a request to a store has failed, and more.
const REQUEST_TIME: Duration = Duration::from_secs(31);

/// Returns the shell blocks of a section of the page.
fn blocks(heading: &str) -> Vec<&'static str> {
    let section =
        DOCUMENT.split("\n## ").skip(1).find(|section| section.starts_with(&format!("{heading}\n")));
    let section = section.expect("the page has it");
    section.split("```sh\n").skip(1).filter_map(|block| block.split("```").next()).collect()
}

/// A store in a folder, and the configuration that names it.
struct Store {
    config: String,
    /// Folder in which commands run.
    folder: PathBuf,
}

impl Store {
    fn new(host: &Host) -> Self {
        let config = host.path("forebay.toml");
        let folder = host.path("store");
        fs::write(&config, format!("[store.cold]\nurl = \"file://{}\"\n", folder.display()))
            .expect("the folder is ours");
        Self { config: config.to_str().expect("a plain path").to_owned(), folder: host.path("") }
    }

    fn serve(&self, host: &Host) -> Daemon {
        host.serve_with(&["--config", &self.config])
    }

    /// Runs a block of the page against a host. Returns whether it succeeded, and what it printed.
    fn try_run(&self, heading: &str, number: usize, host: &Daemon) -> (bool, String) {
        let commands = blocks(heading)[number].replace("20GiB", "64MiB").replace("40GiB", "128MiB");
        let programs = Path::new(env!("CARGO_BIN_EXE_forebay")).parent().expect("it lies in a folder");
        let ran = Command::new("sh")
            .args(["-euc", &format!("PATH={}:$PATH\n{commands}", programs.display())])
            .env("FOREBAY_SOCKET", host.control_socket())
            .env("FOREBAY_CONFIG", &self.config)
            .current_dir(&self.folder)
            .output()
            .expect("there is a shell");
        let text = [ran.stdout, ran.stderr].concat();
        (ran.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    fn run(&self, heading: &str, number: usize, host: &Daemon) -> String {
        let (succeeded, text) = self.try_run(heading, number, host);
        assert!(succeeded, "{heading} {number}:\n{text}");
        text
    }
}

/// Starts a daemon with a volume, and a disk that serves it.
fn host_with_disk() -> (Host, Store, Daemon) {
    let one = Host::new();
    let store = Store::new(&one);
    let host = store.serve(&one);
    store.run("Volume", 0, &host);
    store.run("Disk", 0, &host);
    (one, store, host)
}

fn numbers(host: &Daemon) -> Vec<u64> {
    numbers_of(host, "web1")
}

fn numbers_of(host: &Daemon, disk: &str) -> Vec<u64> {
    let mut guest = host.guest(disk);
    // One request for each page, as hits are counted.
    let page = |at| guest.read(at * PAGE, PAGE as u32).expect("it is served");
    (0..PAGES).map(page).map(|page| number_of(&page).expect("a page has one number")).collect()
}

/// Writes numbers, and waits until the store has them all.
fn write_all(host: &Daemon, numbers: std::ops::RangeInclusive<u64>) {
    let mut guest = host.guest("web1");
    write_some(&mut guest, numbers);
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0);
}

fn write_some(guest: &mut nbd::Client, numbers: std::ops::RangeInclusive<u64>) {
    numbers.for_each(|k| write(guest, k));
}

#[test]
fn a_disk_in_a_volume_survives_its_host_as_the_page_says() {
    let (one, two) = (Host::new(), Host::new());
    let store = Store::new(&one);
    let (host1, host2) = (store.serve(&one), store.serve(&two));
    assert!(store.run("Volume", 0, &host1).contains("free"));
    assert!(store.run("Disk", 0, &host1).contains("write-back"));
    assert!(store.run("Guest", 0, &host1).contains("vhost-user-blk"));
    write_all(&host1, 1..=300);
    let as_of = host1.disk("web1")["consistent_as_of"].as_str().map(str::to_owned);
    assert!(as_of.is_some(), "{}", host1.disk("web1"));
    // Some of these are in a group, and some are not.
    write_some(&mut host1.guest("web1"), 301..=340);
    host1.kill();
    assert!(store.run("A host dies", 0, &host2).contains("open on"));
    let refused = host2.run(&["disk", "add", "web1", "--backing", "volume:cold/web1"]).failed();
    assert!(
        refused.contains("has it open") && refused.contains("forebay volume fence cold/web1"),
        "{refused}"
    );
    store.run("A host dies", 1, &host2);
    let found = numbers(&host2);
    let last = *found.iter().max().expect("there are pages");
    assert!((300..=340).contains(&last), "{last}: nothing that a group had is lost");
    assert_eq!(found, state_after(last), "the disk is as of one instant");
    write_all(&host2, last + 1..=last + 50);

    // The first host comes back, with its flash and newer data of the disk. It must not write any of it.
    let host1 = store.serve(&one);
    let disk = host1.run(&["disk", "show", "web1"]).succeeded();
    assert!(disk.contains("has it open"), "{disk}");
    store.run("A host dies", 2, &host1);
    assert_eq!(numbers(&host2), state_after(last + 50));
    assert!(store.run("Check", 0, &host2).contains("nothing"));
    let (deleted, text) = store.try_run("Delete", 0, &host2);
    assert!(!deleted && text.contains("has it open"), "{text}");
    host2.run(&["disk", "remove", "web1"]).succeeded();
    store.run("Delete", 0, &host2);
    assert!(!lists(&store, &host2).contains("web1"));
}

/// Plays a scene of two hosts with a store in a folder.
fn stop_host(activity: Activity, stop_time: Duration) {
    let host = Host::new();
    let store = Store::new(&host);
    let folder = host.path("store");
    let client =
        Client::open(&StoreOptions::new(format!("file://{}", folder.display()))).expect("the folder is ours");
    // The folder of files that are not complete.
    let is_putting = || {
        let is_any = fs::read_dir(folder.join(".new")).expect("the store made it").next().is_some();
        is_any || activity != Activity::InGroup
    };
    let scene =
        Scene { config: &store.config, client: &client, activity, stop_time, is_putting: &is_putting };
    scene.play();
}

#[test]
fn an_idle_host_that_stops_for_longer_than_it_takes_to_look_changes_nothing_of_a_volume_that_it_lost() {
    stop_host(Activity::Idle, LOOK_TIME);
}

#[test]
fn a_host_that_stops_with_dirty_data_changes_nothing_of_a_volume_that_it_lost() {
    stop_host(Activity::Dirty, LOOK_TIME);
}

#[test]
fn a_host_that_stops_in_a_group_for_longer_than_a_request_may_take_changes_nothing_of_a_volume_that_it_lost()
{
    stop_host(Activity::InGroup, REQUEST_TIME);
}

/// Returns files of the store in a folder of the volume.
fn files(host: &Host, folder: &str) -> Vec<PathBuf> {
    let mut volumes = fs::read_dir(host.path("store/volumes")).expect("the store has a volume");
    let volume = volumes.next().expect("the store has a volume").expect("it can be read").path();
    let Ok(files) = fs::read_dir(volume.join(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    files.sort();
    files
}

#[test]
fn a_volume_is_scrubbed_by_the_daemon_that_has_it_or_alone_and_garbage_goes() {
    let (one, store, host) = host_with_disk();
    write_all(&host, 1..=100);
    host.kill();
    let host = store.serve(&one);
    patience::until(|| host.disk("web1")["state"] == "serving");
    write_all(&host, 101..=200);
    // As of a put that landed after its host died.
    let late = files(&one, "data")[0].with_file_name("00000001.000000900000");
    fs::write(&late, "late").expect("the folder is ours");
    assert_eq!(files(&one, "start").len(), 2);
    let scrubbed = store.run("Scrub", 0, &host);
    assert!(scrubbed.contains("nothing") && scrubbed.contains("deleted"), "{scrubbed}");
    assert!(!late.exists());
    assert_eq!(files(&one, "start").len(), 1);
    let shown = host.json(&["disk", "show", "web1"]);
    let scrub = &shown["disk"]["scrub"];
    assert_eq!((&scrub["state"], &scrub["report"]["damaged"]), (&"done".into(), &serde_json::json!([])));
    let shown = host.run(&["disk", "show", "web1"]).succeeded();
    let services = ["services", "checksums, compression (lz4)", "saves", "zeroes since start"];
    for part in ["content", "stored", "compression", "RAM of the map", "epoch"].into_iter().chain(services) {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    host.run(&["volume", "scrub", "cold/web1", "--stop"]).succeeded();

    // Nobody has it open: the scrub opens it, and leaves it as it was.
    host.run(&["disk", "remove", "web1"]).succeeded();
    let scrubbed = store.run("Scrub", 0, &host);
    assert!(scrubbed.contains("nothing"), "{scrubbed}");
    assert!(lists(&store, &host).contains("free"));
    let stop = host.run(&["volume", "scrub", "cold/web1", "--stop", "--config", &store.config]).failed();
    assert!(stop.contains("no daemon"), "{stop}");

    // Damage has the same words and exit status in either way, and a check finds the same.
    let object =
        files(&one, "data").into_iter().max_by_key(|file| fs::metadata(file).map_or(0, |file| file.len()));
    let object = object.expect("there are objects");
    let mut bytes = fs::read(&object).expect("it is there");
    *bytes.last_mut().expect("it has bytes") ^= 1;
    fs::write(&object, bytes).expect("it is ours");
    let (succeeded, alone) = store.try_run("Scrub", 0, &host);
    assert!(!succeeded && alone.contains("is damaged") && alone.contains("at bytes"), "{alone}");
    host.run(&["disk", "add", "web1", "--backing", "volume:cold/web1"]).succeeded();
    let (succeeded, served) = store.try_run("Scrub", 0, &host);
    assert!(!succeeded && served.contains("is damaged") && served.contains("at bytes"), "{served}");
    let (succeeded, checked) = store.try_run("Check", 0, &host);
    assert!(!succeeded && checked.contains("at bytes"), "{checked}");
    let events = host.run(&["events"]).succeeded();
    assert!(events.contains("backing-damaged") || events.contains("are damaged"), "{events}");

    // Its host is gone, and perhaps not dead.
    host.kill();
    let two = Host::new();
    let gone = store.try_run("Scrub", 0, &store.serve(&two));
    assert!(!gone.0 && gone.1.contains("has it open"), "{}", gone.1);
}

#[test]
fn what_the_store_lost_is_repaired_from_the_cache_and_whole_after_the_flash_is_lost_too() {
    let (one, store, host) = host_with_disk();
    write_all(&host, 1..=300);
    let objects = || [files(&one, "data"), files(&one, "copies")].concat();
    for (number, object) in objects().into_iter().enumerate() {
        if number.is_multiple_of(3) {
            fs::remove_file(&object).expect("it is there");
        } else {
            let mut bytes = fs::read(&object).expect("it is there");
            *bytes.last_mut().expect("it has bytes") ^= 1;
            fs::write(&object, bytes).expect("it is ours");
        }
    }
    let scrubbed = store.run("Scrub", 0, &host);
    assert!(scrubbed.contains("from the cache of the host"), "{scrubbed}");
    let events = host.run(&["events"]).succeeded();
    assert!(events.contains("which its cache had"), "{events}");
    assert!(store.run("Check", 0, &host).contains("nothing"));
    let scrubbed = store.run("Scrub", 0, &host);
    assert!(!scrubbed.contains("from the cache of the host"), "{scrubbed}");
    host.kill();
    let two = Host::new();
    let host2 = store.serve(&two);
    store.run("A host dies", 1, &host2);
    assert_eq!(numbers(&host2), state_after(300));
}

#[test]
fn a_volume_is_scrubbed_by_a_timer_and_restarts_keep_the_time() {
    let one = Host::new();
    let store = Store::new(&one);
    let interval = |interval: &str| {
        let url = format!("[store.cold]\nurl = \"file://{}\"\n", one.path("store").display());
        fs::write(&store.config, format!("{url}scrub-interval = \"{interval}\"\n")).expect("it is ours");
    };
    interval("1s");
    let host = store.serve(&one);
    store.run("Volume", 0, &host);
    store.run("Disk", 0, &host);
    write_all(&host, 1..=50);
    let scrub = |host: &Daemon| host.json(&["disk", "show", "web1"])["disk"]["scrub"].clone();
    let last = |host: &Daemon| scrub(host)["last"]["ended_at"].as_str().map(str::to_owned);
    patience::until(|| last(&host).is_some());
    let first = last(&host);
    patience::until(|| last(&host) != first);
    // What it finds is an event, though nobody asked for it.
    for object in files(&one, "data") {
        match fs::remove_file(&object) {
            // A scrub deletes what nothing needs.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed.expect("it is ours"),
        }
    }
    patience::until(|| host.run(&["events"]).succeeded().contains("which its cache had"));
    let shown = host.run(&["disk", "show", "web1"]).succeeded();
    assert!(shown.contains("nothing damaged; next 20"), "{shown}");
    // The scrub that found it may have read some of them before.
    patience::until(|| store.try_run("Check", 0, &host).0);
    host.kill();
    interval("off");
    let host = store.serve(&one);
    patience::until(|| last(&host).is_some());
    assert!(scrub(&host)["next_at"].is_null());
    interval("soon");
    host.kill();
    let refused = one.serve_fails(&["--config", &store.config]);
    assert!(refused.contains("7d or 12h"), "{refused}");
}

#[test]
fn a_store_that_refuses_is_shown_with_the_next_step_until_it_does_not() {
    let (one, _store, host) = host_with_disk();
    // Where the objects of groups would be is a file.
    let volume = files(&one, ".")[0].parent().expect("it has a folder").to_owned();
    let data = volume.join("data");
    fs::write(&data, "in the way").expect("the folder is ours");
    write_some(&mut host.guest("web1"), 1..=20);
    patience::until(|| {
        host.run(&["disk", "show", "web1"]).succeeded().contains("The store refuses what guests wrote")
    });
    patience::until(|| {
        let fault = &host.disk("web1")["fault"];
        fault.as_str().is_some_and(|fault| {
            fault.contains("The store refuses") && fault.contains("forebay volume check")
        })
    });
    patience::until(|| host.run(&["events"]).succeeded().contains("store-refuses"));
    fs::remove_file(&data).expect("it is ours");
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0);
    patience::until(|| !host.run(&["disk", "show", "web1"]).succeeded().contains("needs attention"));
}

fn lists(store: &Store, host: &Daemon) -> String {
    store.run("A host dies", 0, host)
}

#[test]
fn a_host_that_is_killed_goes_on_with_all_that_its_flash_has() {
    let one = Host::new();
    let store = Store::new(&one);
    let mut host = store.serve(&one);
    store.run("Volume", 0, &host);
    store.run("Disk", 0, &host);
    for round in 0..5 {
        let (first, last) = (round * 100 + 1, round * 100 + 100);
        write_some(&mut host.guest("web1"), first..=last);
        host.kill();
        host = store.serve(&one);
        patience::until(|| host.disk("web1")["state"] == "serving");
        assert_eq!(numbers(&host), state_after(last), "round {round}");
    }
    host.run(&["disk", "remove", "web1"]).succeeded();
    assert!(store.run("Check", 0, &host).contains("nothing"));
    let listed = lists(&store, &host);
    assert!(listed.contains("free"), "{listed}");
}

#[test]
fn a_living_host_that_is_fenced_confirms_nothing_more() {
    let (one, two) = (Host::new(), Host::new());
    let store = Store::new(&one);
    let (host1, host2) = (store.serve(&one), store.serve(&two));
    store.run("Volume", 0, &host1);
    store.run("Disk", 0, &host1);
    write_all(&host1, 1..=20);
    store.run("A host dies", 1, &host2);
    let found = numbers(&host2);
    assert_eq!(found, state_after(20));
    // It looks every few seconds, and before it confirms a group.
    let mut guest = host1.guest("web1");
    patience::until(|| guest.write(0, &[7; PAGE as usize]).is_err());
    drop(guest);
    let shown = host1.run(&["disk", "show", "web1"]).succeeded();
    assert!(shown.contains("another host opened the volume"), "{shown}");
    host1.run(&["disk", "remove", "web1", "--discard-dirty"]).succeeded();
    assert_eq!(numbers(&host2), found);
}

#[test]
fn what_cannot_be_served_from_a_volume_is_refused_with_what_to_do() {
    let one = Host::new();
    let store = Store::new(&one);
    let host = store.serve(&one);
    store.run("Volume", 0, &host);
    let refused =
        |words: &[&str]| host.run(&[&["disk", "add", "web1", "--backing"], words].concat()).failed();
    for (words, part) in [
        (&["volume:warm/web1"][..], "Cannot find store 'warm': use one of cold"),
        (&["volume:cold"], "STORE/NAME"),
        (&["volume:cold/web2"], "There is no volume 'web2'"),
        (&["volume:cold/web1", "mode=write-through"], "mode=write-back"),
        (&["volume:cold/web1", "destage-order=address"], "consistent order"),
    ] {
        let text = refused(words);
        assert!(text.contains(part), "{text}");
    }
    // What fails after the volume was opened leaves it to others.
    let text = refused(&["volume:cold/web1", "reserve=100TiB"]);
    assert!(!text.contains("has it open"), "{text}");
    patience::until(|| lists(&store, &host).contains("free"));
    host.run(&["disk", "add", "web1", "--backing", "volume:cold/web1"]).succeeded();
    let set = host.run(&["disk", "set", "web1", "mode=write-through"]).failed();
    assert!(set.contains("mode=write-back"), "{set}");
    let again = host.run(&["disk", "add", "web2", "--backing", "volume:cold/web1"]).failed();
    assert!(again.contains("web1"), "{again}");
}

#[test]
fn a_quiesced_volume_is_the_disk_as_of_one_instant_and_stays_so() {
    let (one, store, host) = host_with_disk();
    let mut guest = host.guest("web1");
    write_some(&mut guest, 1..=100);
    host.run(&["disk", "quiesce", "web1", "--seconds", "60"]).succeeded();
    write_some(&mut guest, 101..=150);
    let image = one.path("copy.img");
    let image = image.to_str().expect("a plain path");
    host.run(&["volume", "export", "cold/web1", image, "--config", &store.config]).succeeded();
    assert_eq!(numbers_in(Path::new(image)), state_after(100));
    host.run(&["disk", "resume", "web1"]).succeeded();
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0);
}

/// Returns the numbers in a raw copy of a disk.
fn numbers_in(image: &Path) -> Vec<u64> {
    Numbered { pages: PAGES }.in_copy(&fs::read(image).expect("it was made"))
}

/// Runs `forebay volume` with the stores of the host.
fn volume(store: &Store, host: &Daemon, words: &[&str]) -> Ran {
    host.run(&[&["volume"], words, &["--config", &store.config]].concat())
}

#[test]
fn snapshots_and_clones_are_as_the_page_says_while_the_guest_goes_on() {
    const PAGE_PART: &str = "Snapshots and clones";
    let (one, store, host) = host_with_disk();
    let mut guest = host.guest("web1");
    write_some(&mut guest, 1..=100);
    let made = store.run(PAGE_PART, 0, &host);
    assert!(made.contains("cold/web1@before-upgrade") && made.contains("as of 20"), "{made}");
    write_some(&mut guest, 101..=200);
    let listed = store.run(PAGE_PART, 1, &host);
    assert!(listed.contains("cold/web1@before-upgrade"), "{listed}");
    assert_eq!(
        numbers_of(&host, "web2"),
        state_after(100),
        "it has all that was written before, and no more"
    );
    let mut of_clone = host.guest("web2");
    write_some(&mut of_clone, 101..=130);
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0 && host.disk("web2")["dirty_bytes"] == 0);
    let checked = store.run(PAGE_PART, 2, &host);
    assert!(checked.contains("nothing"), "{checked}");
    assert_eq!(numbers_of(&host, "before"), state_after(100));
    assert_eq!(numbers_in(&one.path("before-upgrade.img")), state_after(100));
    assert!(host.guest("before").write(0, &[1; PAGE as usize]).is_err());

    let refused = volume(&store, &host, &["delete", "cold/web1@before-upgrade"]).failed();
    assert!(refused.contains("disk 'before' serves it"), "{refused}");
    let refused = volume(&store, &host, &["snapshot", "cold/web1", "before-upgrade"]).failed();
    assert!(refused.contains("has a snapshot 'before-upgrade' already"), "{refused}");

    // All of it is there after a start.
    drop((guest, of_clone));
    host.kill();
    let host = store.serve(&one);
    patience::until(|| ["web1", "web2", "before"].iter().all(|name| host.disk(name)["state"] == "serving"));
    for (disk, last) in [("web1", 200), ("web2", 130), ("before", 100)] {
        assert_eq!(numbers_of(&host, disk), state_after(last), "{disk}");
    }
    store.run(PAGE_PART, 3, &host);
    assert_eq!(numbers(&host), state_after(200));
    let none = volume(&store, &host, &["snapshots", "cold/web1"]).succeeded();
    assert!(none.contains("has no snapshots"), "{none}");
}

#[test]
fn clones_share_what_the_disk_of_their_snapshot_has_cached_and_go_on_without_it() {
    let (_one, store, daemon) = host_with_disk();
    write_all(&daemon, 1..=200);
    store.run("Golden images", 0, &daemon);
    volume(&store, &daemon, &["clone", "cold/web1@golden", "cold/web4"]).succeeded();
    daemon.run(&["disk", "add", "web4", "--backing", "volume:cold/web4"]).succeeded();

    for clone in ["web3", "web4"] {
        assert_eq!(numbers_of(&daemon, clone), state_after(200));
        assert_eq!(kept_bytes(&daemon, clone), 0, "{clone} keeps no copy of what golden has");
    }
    let hits = counted(&daemon, "golden", "read_hits_ram") + counted(&daemon, "golden", "read_hits_flash");
    assert!(hits >= PAGES, "{hits} hits");
    // A clone has its own content where its guest wrote, and the other one does not see that.
    write_some(&mut daemon.guest("web3"), 201..=230);
    assert_eq!(numbers_of(&daemon, "web3"), state_after(230));
    assert_eq!(numbers_of(&daemon, "web4"), state_after(200));

    daemon.run(&["disk", "remove", "golden"]).succeeded();
    let refused = volume(&store, &daemon, &["delete", "cold/web1@golden"]).failed();
    assert!(refused.contains("has clones, which need it: web3, web4"), "{refused}");
    assert_eq!(numbers_of(&daemon, "web4"), state_after(200));
    assert!(kept_bytes(&daemon, "web4") > 0, "nothing else keeps it now");
    assert_eq!(numbers_of(&daemon, "web3"), state_after(230));
}

/// Returns the bytes that a disk has cached.
fn kept_bytes(daemon: &Daemon, disk: &str) -> u64 {
    counted(daemon, disk, "cached_bytes") + counted(daemon, disk, "ram_bytes")
}

fn counted(daemon: &Daemon, disk: &str, key: &str) -> u64 {
    let shown = daemon.json(&["stats", disk]);
    shown["disks"][0][key].as_u64().unwrap_or_else(|| panic!("{key} of {shown}"))
}

#[test]
fn a_snapshot_among_writes_is_the_disk_as_of_one_instant() {
    let (one, store, host) = host_with_disk();
    let (acknowledged, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let bounds = std::thread::scope(|scope| {
        let mut guest = host.guest("web1");
        let (acknowledged, is_over) = (&acknowledged, &is_over);
        scope.spawn(move || {
            for k in 1.. {
                write(&mut guest, k);
                acknowledged.store(k, Ordering::SeqCst);
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
            }
        });
        let bounds: Vec<_> = (1..=4)
            .map(|number| {
                let target = 100 * number;
                patience::until(|| acknowledged.load(Ordering::SeqCst) >= target);
                let least = acknowledged.load(Ordering::SeqCst);
                volume(&store, &host, &["snapshot", "cold/web1", &format!("s{number}")]).succeeded();
                // One more may be on its way.
                (number, least, acknowledged.load(Ordering::SeqCst) + 1)
            })
            .collect();
        is_over.store(true, Ordering::SeqCst);
        bounds
    });
    for (number, least, most) in bounds {
        let image = one.path(&format!("s{number}.img"));
        let path = image.to_str().expect("a plain path");
        volume(&store, &host, &["export", &format!("cold/web1@s{number}"), path]).succeeded();
        let found = numbers_in(&image);
        let last = *found.iter().max().expect("there are pages");
        assert!((least..=most).contains(&last), "s{number}: {last} of {least} to {most}");
        assert_eq!(found, state_after(last), "s{number}");
    }
}

#[test]
fn a_volume_that_nobody_has_open_is_changed_without_a_daemon_and_known_again() {
    let (one, store, host) = host_with_disk();
    write_all(&host, 1..=50);
    assert!(host.stop().success());
    let alone = |words: &[&str]| forebay(&[&["volume"], words, &["--config", &store.config]].concat());
    alone(&["snapshot", "cold/web1", "s1"]).succeeded();
    alone(&["clone", "cold/web1@s1", "cold/web2"]).succeeded();
    alone(&["resize", "cold/web1", "128MiB"]).succeeded();
    let refused = alone(&["delete", "cold/web1@s1"]).failed();
    assert!(refused.contains("has clones"), "{refused}");
    let refused = alone(&["resize", "cold/web1", "64MiB"]).failed();
    assert!(refused.contains("smaller"), "{refused}");
    alone(&["delete", "cold/web2"]).succeeded();
    alone(&["delete", "cold/web1@s1"]).succeeded();
    let host = store.serve(&one);
    patience::until(|| host.disk("web1")["state"] == "serving");
    patience::until(|| host.disk("web1")["size_bytes"] == 128 << 20);
    assert_eq!(numbers(&host), state_after(50));
    let load = host.disk("web1")["load"].clone();
    assert_ne!(load["state"], "cold", "what is cached is still that of the volume: {load}");

    // Its daemon died: nobody is to take the volume from it, for its flash has newer data.
    host.kill();
    for words in [&["snapshot", "cold/web1", "s2"][..], &["scrub", "cold/web1"]] {
        let refused = alone(words).failed();
        assert!(refused.contains("this host has it open") && !refused.contains("fence"), "{refused}");
    }
}

#[test]
fn a_volume_grows_under_its_guest_as_the_page_says() {
    let (one, store, host) = host_with_disk();
    let mut guest = host.guest("web1");
    write_some(&mut guest, 1..=50);
    let end = 64 << 20;
    assert!(guest.write(end, &[7; PAGE as usize]).is_err(), "it ends there");
    let grown = store.run("Growth", 0, &host);
    assert!(grown.contains("128MiB now and had 64MiB"), "{grown}");
    assert_eq!(host.disk("web1")["size_bytes"], 128 << 20);
    write_some(&mut guest, 51..=100);
    let mut again = host.guest("web1");
    again.write(end, &[7; PAGE as usize]).expect("it has room there");
    for size in ["64MiB", "100TiB", "128.5MiB"] {
        volume(&store, &host, &["resize", "cold/web1", size]).failed();
    }
    assert_eq!(host.disk("web1")["size_bytes"], 128 << 20);
    drop((guest, again));
    host.kill();
    let host = store.serve(&one);
    patience::until(|| host.disk("web1")["state"] == "serving");
    assert_eq!(numbers(&host), state_after(100));
    let read = host.guest("web1").read(end, PAGE as u32).expect("it is served");
    assert_eq!(read, [7; PAGE as usize]);
}

#[test]
fn a_growth_that_the_store_does_not_answer_is_refused_and_done_later_or_never_without_harm() {
    let (one, store, host) = host_with_disk();
    write_all(&host, 1..=20);
    // For the daemon no request has an answer meanwhile. The command finds the store.
    let (there, away) = (one.path("store"), one.path("away"));
    fs::rename(&there, &away).expect("the folder is ours");
    let config = one.text("away.toml");
    fs::write(&config, format!("[store.cold]\nurl = \"file://{}\"\n", away.display()))
        .expect("the folder is ours");
    let refused = host.run(&["volume", "resize", "cold/web1", "128MiB", "--config", &config]).failed();
    assert!(refused.contains("took longer") && refused.contains("try again"), "{refused}");
    let mut guest = host.guest("web1");
    write_some(&mut guest, 21..=60);
    assert!(guest.write(64 << 20, &[7; PAGE as usize]).is_err(), "it has the size that it had");
    fs::rename(&away, &there).expect("the folder is ours");
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0);
    assert_eq!(host.disk("web1")["size_bytes"], 64 << 20);
    host.kill();
    let host = store.serve(&one);
    patience::until(|| host.disk("web1")["state"] == "serving");
    assert_eq!(numbers(&host), state_after(60));
    volume(&store, &host, &["resize", "cold/web1", "192MiB"]).succeeded();
    assert_eq!(host.disk("web1")["size_bytes"], 192 << 20);
    assert_eq!(numbers(&host), state_after(60));
    host.guest("web1").write(128 << 20, &[7; PAGE as usize]).expect("it has room there");
}

#[test]
fn what_cannot_be_a_snapshot_or_a_clone_is_refused_with_what_to_do() {
    let (one, two) = (Host::new(), Host::new());
    let store = Store::new(&one);
    let (host, other) = (store.serve(&one), store.serve(&two));
    store.run("Volume", 0, &host);
    store.run("Disk", 0, &host);
    volume(&store, &host, &["snapshot", "cold/web1", "s1"]).succeeded();
    for (words, part) in [
        (&["snapshot", "cold/web1", "s1"][..], "has a snapshot 's1' already"),
        (&["snapshot", "cold/web3", "s1"], "There is no volume 'web3'"),
        (&["clone", "cold/web1", "cold/web2"], "forebay volume snapshot cold/web1 NAME"),
        (&["clone", "cold/web1@s2", "cold/web2"], "has no snapshot 's2'"),
        (&["clone", "cold/web1@s1", "warm/web2"], "forebay volume export cold/web1@s1"),
        (&["clone", "cold/web1@s1", "cold/web1"], "There is a volume 'web1'"),
        (&["delete", "cold/web1@s2"], "has no snapshot 's2'"),
        (&["check", "cold/web1@s2"], "has no snapshot 's2'"),
        (&["delete", "cold/web1"], "has it open"),
    ] {
        let text = volume(&store, &host, words).failed();
        assert!(text.contains(part), "{words:?}: {text}");
    }
    // A name that cannot be is wrong usage.
    for words in [
        &["snapshot", "cold/web1", "a/b"][..],
        &["snapshot", "cold/web1", ""],
        &["snapshot", "cold/web1@s1", "s2"],
        &["clone", "cold/web1@a/b", "cold/web2"],
        &["delete", "cold/web1@"],
    ] {
        let ran = volume(&store, &host, words);
        assert_eq!(ran.status, 2, "{words:?}: {ran:?}");
    }
    // The daemon of another host does not have it.
    for words in [
        &["snapshot", "cold/web1", "s2"][..],
        &["delete", "cold/web1@s1"],
        &["resize", "cold/web1", "128MiB"],
    ] {
        let text = volume(&store, &other, words).failed();
        assert!(text.contains("has it open, and") && text.contains("--socket"), "{text}");
    }
    let add = |words: &[&str]| host.run(&[&["disk", "add", "s1", "--backing"], words].concat()).failed();
    let text = add(&["volume:cold/web1@s1"]);
    assert!(text.contains("--read-only") && text.contains("forebay volume clone cold/web1@s1"), "{text}");
    assert!(add(&["volume:cold/web1@s2", "--read-only"]).contains("has no snapshot 's2'"));
    host.run(&["disk", "add", "s1", "--backing", "volume:cold/web1@s1", "--read-only"]).succeeded();
    let text = volume(&store, &host, &["delete", "cold/web1@s1"]).failed();
    assert!(text.contains("disk 's1' serves it"), "{text}");
    host.run(&["disk", "remove", "s1"]).succeeded();
    host.run(&["disk", "remove", "web1"]).succeeded();
    patience::until(|| lists(&store, &host).contains("free"));
    let text = volume(&store, &host, &["delete", "cold/web1"]).failed();
    assert!(text.contains("snapshots: delete them first"), "{text}");
}

#[test]
fn messages_of_the_page_are_those_of_the_code() {
    let table = DOCUMENT.split("## Troubleshooting").nth(1).expect("the page has it");
    let messages = table.lines().filter(|line| line.starts_with("| `")).flat_map(|line| {
        let cell = line.split('|').nth(1).expect("a table");
        cell.split('`').skip(1).step_by(2).collect::<Vec<_>>()
    });
    for message in messages {
        assert!(SOURCES.iter().any(|source| source.contains(message)), "{message}");
    }
}
