//! Disks from volumes, and docs/volumes.md: each of its commands on two hosts with a store in a folder, and what it promises after the loss of a
//! host.

use std::fs;
use std::path::Path;
use std::process::Command;

use doors::nbd::Client;

use crate::consistent::{PAGE, PAGES, number_of, state_after, write};
use crate::host::{Daemon, Host};
use crate::patience;

const DOCUMENT: &str = include_str!("../../../docs/volumes.md");
/// Sources of the messages in the page.
const SOURCES: [&str; 6] = [
    include_str!("../../src/backing/kinds/volume.rs"),
    include_str!("../../src/stores.rs"),
    include_str!("../../../objects/src/probe.rs"),
    include_str!("../../../block/src/error.rs"),
    include_str!("../../../volume/src/error.rs"),
    include_str!("../../../volume/src/volume.rs"),
];

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
}

impl Store {
    fn new(host: &Host) -> Self {
        let config = host.path("forebay.toml");
        let folder = host.path("store");
        fs::write(&config, format!("[store.cold]\nurl = \"file://{}\"\n", folder.display()))
            .expect("the folder is ours");
        Self { config: config.to_str().expect("a plain path").to_owned() }
    }

    fn serve(&self, host: &Host) -> Daemon {
        host.serve_with(&["--config", &self.config])
    }

    /// Runs a block of the page against a host. Returns whether it succeeded, and what it printed.
    fn try_run(&self, heading: &str, number: usize, host: &Daemon) -> (bool, String) {
        let commands = blocks(heading)[number].replace("20GiB", "64MiB");
        let programs = Path::new(env!("CARGO_BIN_EXE_forebay")).parent().expect("it lies in a folder");
        let ran = Command::new("sh")
            .args(["-euc", &format!("PATH={}:$PATH\n{commands}", programs.display())])
            .env("FOREBAY_SOCKET", host.control_socket())
            .env("FOREBAY_CONFIG", &self.config)
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

fn numbers(host: &Daemon) -> Vec<u64> {
    let mut guest = host.guest("web1");
    let page = |at| guest.read(at * PAGE, PAGE as u32).expect("it is served");
    (0..PAGES).map(page).map(|page| number_of(&page).expect("a page has one number")).collect()
}

/// Writes numbers, and waits until the store has them all.
fn write_all(host: &Daemon, numbers: std::ops::RangeInclusive<u64>) {
    let mut guest = host.guest("web1");
    write_some(&mut guest, numbers);
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0);
}

fn write_some(guest: &mut Client, numbers: std::ops::RangeInclusive<u64>) {
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
    let one = Host::new();
    let store = Store::new(&one);
    let host = store.serve(&one);
    store.run("Volume", 0, &host);
    store.run("Disk", 0, &host);
    let mut guest = host.guest("web1");
    write_some(&mut guest, 1..=100);
    host.run(&["disk", "quiesce", "web1", "--seconds", "60"]).succeeded();
    write_some(&mut guest, 101..=150);
    let image = one.path("copy.img");
    let image = image.to_str().expect("a plain path");
    host.run(&["volume", "export", "cold/web1", image, "--config", &store.config]).succeeded();
    let bytes = fs::read(image).expect("it was made");
    let pages = bytes.chunks(PAGE as usize).take(PAGES as usize);
    let found: Vec<_> = pages.map(|page| number_of(page).expect("a page has one number")).collect();
    assert_eq!(found, state_after(100));
    host.run(&["disk", "resume", "web1"]).succeeded();
    patience::until(|| host.disk("web1")["dirty_bytes"] == 0);
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
