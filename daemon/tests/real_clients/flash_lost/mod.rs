//! A host loses all flash while a guest writes: what the guest has on the backing and its redo ring is its disk as of one moment ago.
//!
//! ```text
//!   test ── "wal 17" ──> ttyS3 ┐ writers.sh: SQLite with a write-ahead log and with a rollback journal, files that are fsynced and renamed
//!   test <─ "wal 17" ─── ttyS1 ┘        │ ext4
//!                                       └──> forebay, destage-order=consistent ──> backing, ring; pool, which is lost
//!   a stopped daemon: copies of backing and ring ┐
//!   a killed one: backing and ring themselves    ┴──> forebay disk recover ──> check.sh in another guest ──> verdict.rs
//! ```
//! The flash is lost at random moments: in the middle of the writers' work, in a burst that is larger than the ring, and while everything is
//! destaged. While a daemon is stopped, its backing and its ring are as a kill would leave them; so one boot has several moments. The last one
//! is a kill, and the pool is removed.
//!
//! `forebay disk recover` names the time T. The file system must need no repair, and both databases and the files must be as of one instant of
//! that second: with everything that was reported before it, nothing that was asked for later, and no gap.
//!
//! In long forms a server of PostgreSQL with checksums is a writer too, which `amcheck` and `pg_checksums` judge, if the host has it.
//!
//! A copy of the backing of a quiesced disk, whose guest goes on, is judged as well, without a recovery and as of the time that the quiesce names.
//!
//! The same check must find damage in a disk of which every other page is of an earlier moment. It also sees each backing as it was without
//! its ring, as destage by address would have left it: in long forms some of these must be damaged.
//!
//! The guests are emulated: they show correctness, and no times.

mod postgres;
mod verdict;
mod writers;

use std::fs;
use std::time::Duration;

use base::moment::Moment;
use guest::{Guest, Kit};
use nix::sys::signal::Signal;
use postgres::Postgres;
use serde_json::Value;
use verdict::{Fault, Findings, SECOND_NS, Times};
use writers::{Writers, now_ns};

use crate::crash_rounds::{number_from, seed};
use crate::guest_disks::Door;
use crate::host::{Daemon, Host, forebay};
use crate::patience::until;
use crate::stamps::Chance;
use crate::tools::run;

const MIB: u64 = 1 << 20;
const PAGE: usize = 4096;
const DISK_BYTES: u64 = 128 * MIB;
const IMAGE: &str = "a.img";
const RING: &str = ".a.img.forebay-ring";
/// The ring takes as much as may be dirty twice: a burst of the guest is larger.
const RING_SIZE: &str = "ring-size=16MiB";
/// Settings of destage: at the first moment much is dirty whatever the speed of the machine; later, at any moment, some of it is on the backing.
const SLOWEST_DESTAGE: &str = "destage-rate-max=64KiB";
const SLOW_DESTAGE: &str = "destage-rate-max=1MiB";
const FAST_DESTAGE: &str = "destage-rate-max=0";
/// Kills of an ordinary run, of all tests that kill, and of one round here.
const KILLS_DEFAULT: u64 = 20;
const KILLS_OF_ROUND: u64 = 20;
/// Reports between two moments, and within one.
const REPORTS: std::ops::Range<u64> = 30..150;
const REPORTS_WITHIN: std::ops::Range<u64> = 1..25;
/// Most microseconds between a report and the moment at which the daemon is stopped or killed.
const MICROSECONDS_MAX: u64 = 30_000;
/// Time between two polls of a daemon.
const POLL: Duration = Duration::from_millis(20);
/// Seconds within which a time is looked for: a day.
const DAY_SECONDS: u64 = 86_400;
const CHECK: &str = include_str!("check.sh");
const COMMON: &str = include_str!("common.sh");
/// Far longer than a busy machine takes for a check.
const CHECK_SECONDS_MAX: u32 = 600;
/// Disk of the check that is a mix by construction.
const MIXED: &str = "mixed";
/// Disk of the check that is a copy of a quiesced one.
const QUIESCED: &str = "quiesced";

/// A host, as it differs between tests.
struct Variant {
    door: Door,
    devices: &'static [&'static str],
    reserve: &'static str,
    /// Arguments of mke2fs. By default it gives small disks small blocks, which share pages.
    blocks: &'static [&'static str],
    mount: &'static str,
}

/// Work that is done when the flash is lost.
#[derive(Clone, Copy, Debug)]
enum Scene {
    AtWork,
    InBurst,
    InDestage,
}

/// Backing and ring of a moment, in a folder of their own.
struct Left {
    name: String,
    image: String,
    /// The promise that `disk list` showed just before.
    shown: String,
    lost_at_ns: u64,
}

/// Copy of the backing while the disk was quiesced.
struct Quiesced {
    image: String,
    as_of: String,
}

/// Result of a recovery.
struct Recovered {
    as_of: String,
    /// The same, in seconds since 1970.
    second: u64,
    content_bytes: u64,
}

#[test]
fn a_guest_whose_flash_is_lost_has_its_files_and_databases_as_of_one_moment() {
    let variant =
        Variant { door: Door::Nbd, devices: &["pool.img"], reserve: "32MiB", blocks: &[], mount: "" };
    prove(&variant);
}

#[test]
fn a_guest_with_two_flash_devices_that_are_lost_together_has_its_files_and_databases_as_of_one_moment() {
    let variant = Variant {
        door: Door::VhostUser,
        devices: &["one.img", "two.img"],
        reserve: "64MiB",
        blocks: &["-b", "4096"],
        mount: "-o discard",
    };
    prove(&variant);
}

fn prove(variant: &Variant) {
    let mut chance = Chance::new(seed());
    let rounds = number_from("FOREBAY_KILLS").unwrap_or(KILLS_DEFAULT).div_ceil(KILLS_OF_ROUND);
    let postgres = if rounds > 1 { Postgres::installed() } else { None };
    let damaged: usize =
        (0..rounds).map(|round| lose_flash(variant, round, postgres.as_ref(), &mut chance)).sum();
    println!("{damaged} of {} backings without their ring were damaged", rounds * 4);
    assert!(damaged > 0 || rounds < 3, "a check that finds nothing in any backing without its ring");
}

/// Runs a guest until its flash is lost for good, and judges everything that was left. Returns how many backings were damaged without their
/// ring.
fn lose_flash(variant: &Variant, round: u64, postgres: Option<&Postgres>, chance: &mut Chance) -> usize {
    let host = Host::new();
    let daemon = serve(&host, variant, postgres);
    let mut writers = Writers::boot(&host, &daemon, variant, postgres);
    wait_for_promise(&daemon, &mut writers, variant.devices.len());
    let mut all = Vec::new();
    for scene in [Scene::AtWork, Scene::InBurst, Scene::InDestage] {
        writers.go_on(chance.within(REPORTS));
        reach(scene, &daemon, &mut writers, chance);
        all.push(stop_and_copy(&host, &daemon, all.len() + 1));
        after(scene, &daemon, &mut writers);
    }
    let quiesced = copy_quiesced(&host, &daemon, &mut writers, chance);
    writers.go_on(chance.within(REPORTS));
    let last = [Scene::AtWork, Scene::InBurst, Scene::InDestage][chance.below(3) as usize];
    reach(last, &daemon, &mut writers, chance);
    println!("round {round}, a kill {last:?}: {}", state(&daemon));
    let left =
        Left { name: "4".to_owned(), image: host.text(IMAGE), shown: shown(&daemon), lost_at_ns: now_ns() };
    daemon.kill();
    let times = writers.cut_power();
    for device in variant.devices {
        fs::remove_file(host.path(device)).expect("the folder is ours");
    }
    all.push(left);
    judge(&host, &all, &quiesced, &times, postgres)
}

/// Starts a daemon with a file system as disk `a`, which has nothing but the database of PostgreSQL, if that is given.
fn serve(host: &Host, variant: &Variant, postgres: Option<&Postgres>) -> Daemon {
    let image = host.image(IMAGE, DISK_BYTES);
    let tree = postgres.map(|postgres| postgres.make_database(host));
    let tree: Vec<&str> = tree.iter().flat_map(|tree| ["-d", tree]).collect();
    run("mke2fs", &[&["-q", "-F", "-t", "ext4"], variant.blocks, &tree, &[&image]].concat());
    let size = ["--size", "96MiB"];
    let daemon = host.serve_with(&["--pool", &host.text(variant.devices[0]), "--pool-size", size[1]]);
    for device in &variant.devices[1..] {
        let add = ["pool", "add", &host.text(device), "--same-drive"];
        daemon.run(&[&add[..], &size].concat()).succeeded();
    }
    let add = ["disk", "add", "a", "--backing", &image, "--mode", "write-back", "--reserve", variant.reserve];
    daemon
        .run(&[&add[..], &["--destage-order", "consistent", RING_SIZE, SLOWEST_DESTAGE]].concat())
        .succeeded();
    daemon
}

fn shown(daemon: &Daemon) -> String {
    daemon.disk("a")["consistent_as_of"].as_str().expect("it promises something").to_owned()
}

/// Waits until the ring has something of each writer, and what is dirty is on so many devices.
fn wait_for_promise(daemon: &Daemon, writers: &mut Writers, devices: usize) {
    until(|| {
        writers.go_on(5);
        let disk = daemon.disk("a");
        let Some(as_of) = disk["consistent_as_of"].as_str().map(second_of) else { return false };
        let is_mirrored = disk["mirrored"] == true && disk["segments_uncopied"] == 0;
        (is_mirrored || devices == 1) && writers.times().iter().all(|times| times.reported_before(as_of) > 0)
    });
}

/// Begins what goes on, and goes on to a random moment of it.
fn reach(scene: Scene, daemon: &Daemon, writers: &mut Writers, chance: &mut Chance) {
    match scene {
        Scene::AtWork => {}
        Scene::InBurst => {
            let percent = chance.within(10..90);
            let bursts = writers.bursts_ended();
            writers.begin_burst();
            until(|| {
                writers.go_on_for(POLL);
                let disk = daemon.disk("a");
                let [dirty, limit] =
                    ["dirty_bytes", "dirty_limit_bytes"].map(|key| disk[key].as_u64().expect("a number"));
                dirty * 100 >= limit * percent || writers.bursts_ended() > bursts
            });
        }
        Scene::InDestage => {
            daemon.run(&["disk", "destage", "a"]).succeeded();
        }
    }
    writers.go_on(chance.within(REPORTS_WITHIN));
    writers.go_on_for(Duration::from_micros(chance.below(MICROSECONDS_MAX)));
}

/// Ends it.
fn after(scene: Scene, daemon: &Daemon, writers: &mut Writers) {
    let set = |setting| daemon.run(&["disk", "set", "a", setting]).succeeded();
    match scene {
        Scene::AtWork => {}
        Scene::InBurst => {
            set(FAST_DESTAGE);
            until(|| {
                writers.go_on_for(POLL);
                writers.bursts_ended() > 0
            });
        }
        Scene::InDestage => {
            daemon.run(&["disk", "destage", "a", "--stop"]).succeeded();
        }
    }
    set(SLOW_DESTAGE);
}

/// Stops the daemon for as long as it takes to copy what the loss of its flash would leave now.
fn stop_and_copy(host: &Host, daemon: &Daemon, number: usize) -> Left {
    println!("moment {number}: {}", state(daemon));
    let shown = shown(daemon);
    let name = number.to_string();
    fs::create_dir(host.path(&name)).expect("the folder is ours");
    let image = host.text(&format!("{name}/{IMAGE}"));
    daemon.pause();
    let lost_at_ns = now_ns();
    copy(&host.text(IMAGE), &image);
    copy(&host.text(RING), &host.text(&format!("{name}/{RING}")));
    daemon.signal(Signal::SIGCONT);
    Left { name, image, shown, lost_at_ns }
}

/// Copies the backing while it is kept as of one time and the guest goes on.
fn copy_quiesced(host: &Host, daemon: &Daemon, writers: &mut Writers, chance: &mut Chance) -> Quiesced {
    daemon.run(&["disk", "set", "a", FAST_DESTAGE]).succeeded();
    let mut quiesce = daemon.spawn(&["disk", "quiesce", "a", "--seconds", "600"]);
    let mut status = None;
    until(|| {
        writers.go_on_for(POLL);
        status = quiesce.try_wait().expect("it is our child");
        status.is_some()
    });
    assert!(status.is_some_and(|status| status.success()), "{}", daemon.disk("a"));
    writers.go_on(chance.within(REPORTS_WITHIN));
    let as_of = daemon.disk("a")["quiesce"]["backing_as_of"].as_str().expect("it is quiesced").to_owned();
    let image = host.text(QUIESCED);
    copy(&host.text(IMAGE), &image);
    // It fails if that had ended before.
    daemon.run(&["disk", "resume", "a"]).succeeded();
    daemon.run(&["disk", "set", "a", SLOW_DESTAGE]).succeeded();
    Quiesced { image, as_of }
}

/// Copies a file with its holes and its attributes, among them the mark of a backing.
fn copy(from: &str, to: &str) {
    run("cp", &["--preserve=xattr", "--sparse=always", from, to]);
}

/// Returns what `disk list` shows, for people.
fn state(daemon: &Daemon) -> String {
    let disk = daemon.disk("a");
    let keys = ["dirty_bytes", "dirty_limit_bytes", "ring_used_bytes", "ring_bytes", "consistent_as_of"];
    keys.map(|key| format!("{key} {}", disk[key])).join(", ")
}

/// Recovers all that was left and checks it in a guest. Returns how many backings were damaged without their ring.
fn judge(
    host: &Host,
    all: &[Left],
    quiesced: &Quiesced,
    times: &[Times],
    postgres: Option<&Postgres>,
) -> usize {
    let mut disks = Vec::new();
    let mut recovered = Vec::new();
    for left in all {
        let without_ring = host.text(&format!("without-{}", left.name));
        copy(&left.image, &without_ring);
        recovered.push(recover(left));
        disks.push((format!("at-{}", left.name), left.image.clone()));
        disks.push((format!("without-{}", left.name), without_ring));
    }
    disks.push((QUIESCED.to_owned(), quiesced.image.clone()));
    // There destage is slowest.
    assert!(recovered[0].content_bytes > 0, "the ring had nothing that the backing had not");
    let mixed = host.text(MIXED);
    mix([&all[0].image, &all[all.len() - 1].image], &mixed);
    disks.push((MIXED.to_owned(), mixed));

    let output = check(&disks, postgres);
    let faults = |disk: &str, second| Findings::parse(&output, disk).judge(times, second);
    let mut damaged = 0;
    for (left, Recovered { as_of, second, content_bytes }) in all.iter().zip(&recovered) {
        let without = faults(&format!("without-{}", left.name), *second);
        damaged += usize::from(is_damage(&without));
        let reported = times.iter().map(|times| times.reported_before(*second)).collect::<Vec<_>>();
        let at = format!("at-{}", left.name);
        let last = Findings::parse(&output, &at).last_of(times.len());
        println!(
            "{at}: lost at {}, as of {as_of}, {content_bytes} bytes applied, {reported:?} were reported before, {last:?} are there; \
             without its ring: {without:?}",
            Moment(left.lost_at_ns / SECOND_NS)
        );
        let found = faults(&at, *second);
        assert!(found.is_empty(), "{found:#?}\n{output}");
        assert!(*as_of >= left.shown, "as of {as_of}, where {} was promised", left.shown);
    }
    let found = faults(QUIESCED, second_of(&quiesced.as_of));
    let last = Findings::parse(&output, QUIESCED).last_of(times.len());
    println!("{QUIESCED}: as of {}, {last:?} are there", quiesced.as_of);
    assert!(found.is_empty(), "{found:#?}\n{output}");
    let found = faults(MIXED, recovered[0].second);
    println!("{MIXED}: {found:?}");
    assert!(is_damage(&found), "a mix passes: {found:?}\n{output}");
    damaged
}

fn is_damage(faults: &[Fault]) -> bool {
    faults.iter().any(|fault| matches!(fault, Fault::Damaged(_)))
}

/// Returns the second since 1970 of a time of the last day, as programs show it.
fn second_of(text: &str) -> u64 {
    let now = now_ns() / SECOND_NS;
    (now - DAY_SECONDS..=now)
        .rev()
        .find(|second| Moment(*second).to_string() == text)
        .expect("it is a time of this day")
}

/// Recovers what was left by the command.
fn recover(left: &Left) -> Recovered {
    let mut ran = None;
    // The kernel closes files of a killed process a little later than that process ends.
    until(|| {
        let now = forebay(&["disk", "recover", "--backing", &left.image, "--json"]);
        let is_in_use = now.status != 0 && now.stderr.contains(" use");
        ran = Some(now);
        !is_in_use
    });
    let text = ran.expect("it ran").succeeded();
    let done = serde_json::from_str::<Value>(&text).expect("it is JSON")["recovery"].take();
    assert_eq!((&done["lost_bytes"], &done["done_before"]), (&0.into(), &false.into()), "{text}");
    let as_of = done["as_of"].as_str().expect("there is a time").to_owned();
    Recovered {
        second: second_of(&as_of),
        as_of,
        content_bytes: done["content_bytes"].as_u64().expect("it is a number"),
    }
}

/// Makes an image of the even pages of one and the odd pages of the other, as a destage that was cut in the middle.
fn mix(images: [&str; 2], to: &str) {
    let [mut mixed, odd] = images.map(|image| fs::read(image).expect("it is ours"));
    let pages = mixed.chunks_mut(PAGE).zip(odd.chunks(PAGE));
    pages.skip(1).step_by(2).for_each(|(page, other)| page.copy_from_slice(other));
    fs::write(to, mixed).expect("the folder is ours");
}

/// Boots a guest with these disks and returns what it finds on them.
fn check(disks: &[(String, String)], postgres: Option<&Postgres>) -> String {
    let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
    let guest = Guest::new(&kit).program("sqlite3").program("e2fsck").seconds_max(CHECK_SECONDS_MAX);
    let guest = postgres.into_iter().fold(guest, |guest, postgres| postgres.add_to(guest));
    let guest = disks.iter().fold(guest, |guest, (name, image)| guest.disk(name, image));
    let names: Vec<&str> = disks.iter().map(|(name, _)| &**name).collect();
    let ended = guest.run(&format!("DISKS='{}'\n{COMMON}{CHECK}", names.join(" ")));
    ended.unwrap_or_else(|why| panic!("{why}")).output
}
