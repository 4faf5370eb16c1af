//! Walks of volumes: hosts that write, flush, sleep, die and take over from each other, on a store with faults.
//!
//! Promise: a host that opens the volume finds it as it was after one of the changes of the host before, all changes before that one
//! included and none after, and not before the last flush that was confirmed. A host that was overtaken confirms nothing from then on.
//!
//! `FOREBAY_SEED=N` walks one seed; `FOREBAY_SEED_RANGE=A..B` those; `FOREBAY_SEEDS=N` the first N, of which no other one is
//! begun after a third of `FOREBAY_SEEDS_SECONDS` once 400 were walked.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod abandoned;
mod duplicates;
mod family;
mod garbage;
mod read_ahead;
mod scrubs;
mod snapshots;
mod store;
mod stories;

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, ByteRange, Host, PAGE, Unmap};
use family::{Family, Stage, read_beside};
use read_ahead::read_in_sequence;
use store::{Health, HostStore, MILLISECOND, Objects};
use volume::{Bug, StoreErrorKind, Volume, VolumeOptions, VolumeSettings, VolumeStatistics};

/// Pages of the disk that guests use; they lie in different regions of the map.
const PAGES: usize = 24;
const BYTES: u64 = 64 << 20;
/// Size of a disk without the last third of the pages.
const FEW_BYTES: u64 = 30 << 20;
const SEEDS: u64 = 400;

/// More than the values of one volume.
const CLONE_VALUES: u64 = 1_000_000;

/// Content of each page, and the size of the disk.
type Content = [u64; PAGES + 1];
/// Groups, checkpoints, pages copied, objects deleted and pages that became references; snapshots confirmed, deleted, kept for their clones and
/// read; clones created; objects that were garbage at the end; reads in sequence beside changes.
type Coverage = [Cell<u64>; 12];
type Disk = Volume<HostStore, LocalHost>;

pub(crate) fn page_at(page: usize) -> u64 {
    // Three stretches of eight neighbours, in three regions.
    (page as u64 / 8) * 5_000 + page as u64 % 8
}

pub(crate) fn settings(seed: u64) -> VolumeSettings {
    VolumeSettings {
        object_bytes: [2, 5, 40][(seed % 3) as usize] * PAGE,
        puts_at_once: 1 + (seed / 3 % 4) as usize,
        look_ns: 2_000 * MILLISECOND,
        checkpoint_bytes: [300, 2_000, 100_000][(seed / 12 % 3) as usize],
        clean_below: [75, 95][(seed / 36 % 2) as usize],
        objects_min: [2, 64][(seed / 72 % 2) as usize],
        index_bytes: [300, 2_000, 1 << 20][(seed / 144 % 3) as usize],
        read_ahead_bytes: [0, 4 * PAGE, 8 << 20, 8 << 20][(seed / 7 % 4) as usize],
        wall_time: || 1,
    }
}

/// Returns true if the volume of this seed deduplicates: half of them do, whatever their settings are.
fn deduplicates(seed: u64) -> bool {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
}

/// Changes of guests, and content that was found.
struct History {
    /// Content after each change.
    states: RefCell<Vec<Content>>,
    /// The last of these that a flush confirmed.
    confirmed: Cell<usize>,
    value: Cell<u64>,
    /// Reads in sequence beside changes.
    reads: Cell<u64>,
    /// Guests write the same content again and again.
    repeats: bool,
    violation: RefCell<Option<String>>,
}

impl History {
    /// Creates the history of a volume with this content, whose guests write the same content again and again or do not.
    fn new(first: Content, repeats: bool) -> Rc<Self> {
        // Values of a clone are not those of its parent.
        let largest = first[..PAGES].iter().max().expect("it has pages");
        let value = if *largest == 0 { 20 } else { (largest / CLONE_VALUES + 1) * CLONE_VALUES };
        Rc::new(Self {
            states: RefCell::new(vec![first]),
            confirmed: Cell::new(0),
            value: Cell::new(value),
            reads: Cell::new(0),
            repeats,
            violation: RefCell::new(None),
        })
    }

    /// Returns the first of the values that a guest writes to pages. Those of few that are written again and again are all below 30.
    fn next_value(&self, host: &LocalHost) -> u64 {
        self.value.set(self.value.get() + 10);
        if self.repeats && !host.random().is_multiple_of(4) {
            1 + host.random() % 16
        } else {
            self.value.get()
        }
    }

    fn violate(&self, what: impl Into<String>) {
        self.violation.borrow_mut().get_or_insert(what.into());
    }

    /// Continues from what was found.
    fn found(&self, content: Content) {
        let at = self.states.borrow().iter().rposition(|state| *state == content);
        match at {
            Some(at) if at >= self.confirmed.get() => self.states.borrow_mut().truncate(at + 1),
            Some(at) => {
                self.violate(format!("state {at} is back, and {} was confirmed", self.confirmed.get()));
            }
            None => self.violate(format!("a mix: {content:?}, after {:?}", self.states.borrow().last())),
        }
    }
}

async fn read_all(disk: &Disk) -> Option<Content> {
    let mut content = [0; PAGES + 1];
    content[PAGES] = disk.geometry().size;
    let last = if content[PAGES] == BYTES { PAGES } else { PAGES * 2 / 3 };
    for (page, value) in content[..last].iter_mut().enumerate() {
        let mut tries = 0;
        let bytes = loop {
            let (bytes, read) = disk.read(page_at(page) * PAGE, Buffer::zeroed(PAGE as usize)).await;
            match read {
                Ok(()) => break bytes,
                Err(_) if tries < 20 => tries += 1,
                Err(_) => return None,
            }
        };
        *value = value_of(&bytes);
    }
    Some(content)
}

/// Returns the value that fills a page.
pub(crate) fn value_of(page: &[u8]) -> u64 {
    let words = page.as_chunks::<8>().0;
    let value = u64::from_le_bytes(words[0]);
    if words.iter().all(|word| u64::from_le_bytes(*word) == value) { value } else { u64::MAX }
}

/// A host with a volume that it opened.
struct Writer {
    name: String,
    disk: Rc<Disk>,
    health: Rc<Cell<Health>>,
    sleeps_at: Rc<RefCell<Option<String>>>,
    /// Place of the state from which it went on, and what it changed since, if another took over.
    is_current: Rc<Cell<bool>>,
}

pub(crate) fn owner() -> volume::Owner {
    volume::Owner { id: "a".to_owned(), host: "host".to_owned(), after: None }
}

async fn open(objects: &Rc<Objects>, host: &LocalHost, name: &str, seed: u64) -> Result<Writer, String> {
    let store = HostStore::new(objects, host);
    let (health, sleeps_at) = (Rc::clone(&store.health), Rc::clone(&store.sleeps_at));
    for _ in 0..30 {
        match Volume::open(store.clone(), host.clone(), name, &owner(), settings(seed)).await {
            Ok(disk) => {
                let (disk, is_current) = (Rc::new(disk), Rc::new(Cell::new(true)));
                return Ok(Writer { name: name.to_owned(), disk, health, sleeps_at, is_current });
            }
            Err(volume::VolumeError::Store(_) | volume::VolumeError::Fenced { .. }) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("the volume cannot be opened".to_owned())
}

/// Opens the volume and reads all of it: again, if another host took it meanwhile.
async fn open_and_read(
    objects: &Rc<Objects>,
    host: &LocalHost,
    name: &str,
    seed: u64,
) -> Result<(Writer, Content), String> {
    for _ in 0..20 {
        let writer = open(objects, host, name, seed).await?;
        match read_all(&writer.disk).await {
            Some(found) => return Ok((writer, found)),
            None if writer.disk.fenced().is_some() => {}
            None => return Err("the volume cannot be read".to_owned()),
        }
    }
    Err("others take the volume again and again".to_owned())
}

/// Deletes garbage, after a scrub or without one.
async fn tidy(disk: Rc<Disk>, history: Rc<History>, is_scrub: bool) {
    if !is_scrub {
        drop(disk.collect().await);
        return;
    }
    if let Ok(report) = disk.scrub(&mut |_, _| {}, async |_| {}, None).await
        && !report.found.damaged.is_empty()
    {
        history.violate(format!("a scrub found {:?}", report.found.damaged));
    }
}

/// Does some requests of a guest.
async fn work(writer: &Writer, history: &Rc<History>, family: &Family, host: &LocalHost, requests: u64) {
    let below = |end: u64| host.random() % end;
    if below(2) == 0 {
        read_in_sequence(writer, history, host);
    }
    for _ in 0..requests {
        if !writer.is_current.get() {
            return;
        }
        match below(if family.is_active { 25 } else { 22 }) {
            21 => {
                let tidying = tidy(Rc::clone(&writer.disk), Rc::clone(history), below(2) == 0);
                if below(2) == 0 { host.spawn(tidying) } else { tidying.await }
            }
            22 | 23 => {
                let (content, reached) = {
                    let states = history.states.borrow();
                    (*states.last().unwrap(), states.len() - 1)
                };
                if family.take(writer, content).await {
                    if !writer.is_current.get() && history.states.borrow().len() <= reached {
                        history.violate("an overtaken host confirmed a snapshot that the other one has not");
                    }
                    history.confirmed.set(history.confirmed.get().max(reached));
                }
            }
            24 => family.drop_one(writer).await,
            20 => {
                let mut state = *history.states.borrow().last().unwrap();
                state[PAGES] = if state[PAGES] == BYTES { FEW_BYTES } else { BYTES };
                if state[PAGES] == FEW_BYTES {
                    state[PAGES * 2 / 3..PAGES].fill(0);
                }
                // It is changed at once, and durable with a flush.
                history.states.borrow_mut().push(state);
                let reached = history.states.borrow().len() - 1;
                if writer.disk.resize(state[PAGES]).await.is_ok() && writer.is_current.get() {
                    history.confirmed.set(history.confirmed.get().max(reached));
                }
            }
            0..12 => {
                let first = below(PAGES as u64) as usize;
                let last = (first + 1 + below(4) as usize).min((first / 8 + 1) * 8);
                let is_zero = below(8) == 0;
                let value = history.next_value(host);
                let mut state = *history.states.borrow().last().unwrap();
                for (page, value) in state[first..last].iter_mut().zip(value..) {
                    *page = if is_zero { 0 } else { value };
                }
                let page = |value: &u64| value.to_le_bytes().repeat(PAGE as usize / 8);
                let bytes: Vec<u8> = state[first..last].iter().flat_map(page).collect();
                let at = page_at(first) * PAGE;
                let done = if is_zero {
                    let range = ByteRange::at(at, bytes.len() as u64);
                    writer.disk.write_zeroes(range, Unmap::Allowed).await
                } else {
                    writer.disk.write(at, Buffer::copy_of(&bytes)).await.1
                };
                if !writer.is_current.get() {
                    return;
                }
                if done.is_ok() {
                    history.states.borrow_mut().push(state);
                }
            }
            12 | 13 => {
                let found = read_all(&writer.disk).await;
                if writer.is_current.get()
                    && let Some(found) = found
                    && Some(&found) != history.states.borrow().last()
                {
                    history
                        .violate(format!("read {found:?} instead of {:?}", history.states.borrow().last()));
                }
            }
            _ => {
                let reached = history.states.borrow().len() - 1;
                let (disk, history) = (Rc::clone(&writer.disk), Rc::clone(history));
                let is_current = Rc::clone(&writer.is_current);
                let states = history.states.borrow().len();
                let flush = async move {
                    if disk.flush().await.is_ok() {
                        // The one that took over must have found it.
                        if !is_current.get() && history.states.borrow().len() < states {
                            history.violate("an overtaken host confirmed what the other one has not");
                        }
                        history.confirmed.set(history.confirmed.get().max(reached));
                    }
                };
                if below(3) == 0 { host.spawn(flush) } else { flush.await }
            }
        }
        host.sleep(below(400 * MILLISECOND)).await;
    }
}

/// Wakes a host that sleeps now and then, for a while.
fn wake(health: &Rc<Cell<Health>>, host: &LocalHost) {
    let (health, host) = (Rc::clone(health), host.clone());
    host.clone().spawn(async move {
        for _ in 0..40 {
            host.sleep(host.random() % (20_000 * MILLISECOND)).await;
            if health.get() == Health::Asleep {
                health.set(Health::Awake);
            }
        }
    });
}

/// Opens the volume by a host that sleeps or dies meanwhile, and changes nothing.
fn open_asleep(
    objects: &Rc<Objects>,
    host: &LocalHost,
    history: &Rc<History>,
    seed: u64,
) -> Rc<Cell<Health>> {
    let store = HostStore::new(objects, host);
    let health = Rc::clone(&store.health);
    let part = ["/epoch/", "/start/", "/map/", "/data/", "/copies/"][(host.random() % 5) as usize];
    *store.sleeps_at.borrow_mut() = Some(part.to_owned());
    if !host.random().is_multiple_of(3) {
        wake(&health, host);
    }
    let (history, host) = (Rc::clone(history), host.clone());
    host.clone().spawn(async move {
        host.sleep(host.random() % (5_000 * MILLISECOND)).await;
        match Volume::open(store, host.clone(), "disk", &owner(), settings(seed)).await {
            Ok(disk) => {
                host.sleep(host.random() % (5_000 * MILLISECOND)).await;
                drop(disk);
            }
            Err(volume::VolumeError::Store(error)) if error.kind != StoreErrorKind::NotFound => {}
            Err(volume::VolumeError::Fenced { .. }) => {}
            Err(error) => history.violate(format!("one that opens and sleeps: {error}")),
        }
    });
    health
}

/// Checks and lists the volume while others write it.
fn check_beside(store: &HostStore, host: &LocalHost, history: &Rc<History>) {
    let (store, history, host) = (store.clone(), Rc::clone(history), host.clone());
    host.clone().spawn(async move {
        host.sleep(host.random() % (20_000 * MILLISECOND)).await;
        match volume::check(&store, &host, "disk", &mut |_, _| {}).await {
            Ok(report) if report.damaged.is_empty() => {}
            Err(volume::VolumeError::Store(error)) if error.kind != StoreErrorKind::NotFound => {}
            other => history.violate(format!("a check beside a writer: {other:?}")),
        }
        if let Ok(listed) = volume::list(&store, &host).await {
            let is_good = |(name, summary): &(String, Result<_, volume::VolumeError>)| {
                // A clone may be on its way.
                matches!(summary, Ok(_) | Err(volume::VolumeError::Store(_))) || name != "disk"
            };
            if !listed.iter().all(is_good) {
                history.violate(format!("a list beside a writer: {listed:?}"));
            }
        }
    });
}

fn count(disk: &Disk, coverage: &Coverage) {
    let VolumeStatistics { checkpoints, copied_bytes, deduplicated_bytes, deleted, groups, .. } =
        disk.statistics();
    let counted = [groups, checkpoints, copied_bytes / PAGE, deleted, deduplicated_bytes / PAGE];
    for (sum, more) in coverage.iter().zip(counted) {
        sum.set(sum.get() + more);
    }
}

/// Lets a host end its turn: it closes the volume, dies, sleeps, or goes on while another takes over.
async fn leave(writer: Writer, history: &Rc<History>, host: &LocalHost, sleepers: &mut Vec<Writer>) {
    let below = |end: u64| host.random() % end;
    if below(4) == 0 {
        // It deletes while it is overtaken, sleeps or dies.
        host.spawn(tidy(Rc::clone(&writer.disk), Rc::clone(history), below(2) == 0));
    }
    match below(5) {
        4 => {
            // It dies while it is closed.
            let disk = Rc::clone(&writer.disk);
            host.spawn(async move {
                drop(disk.close().await);
            });
            host.sleep(below(1_000 * MILLISECOND)).await;
            writer.is_current.set(false);
            writer.health.set(Health::Dead);
        }
        0 => {
            // It is closed by its host.
            let flushed = writer.disk.flush().await.is_ok();
            if flushed {
                history.confirmed.set(history.states.borrow().len() - 1);
            }
            drop(writer.disk.close().await);
            writer.is_current.set(false);
        }
        1 => {
            writer.is_current.set(false);
            writer.health.set(Health::Dead);
        }
        2 => {
            // It sleeps with requests on their way, and wakes while the next one works.
            writer.health.set(Health::Asleep);
            let (disk, is_current) = (Rc::clone(&writer.disk), Rc::clone(&writer.is_current));
            let (history, states) = (Rc::clone(history), history.states.borrow().len());
            host.spawn(async move {
                if disk.flush().await.is_ok() {
                    if !is_current.get() && history.states.borrow().len() < states {
                        history.violate("an overtaken host confirmed what the other one has not");
                    }
                    history.confirmed.set(history.confirmed.get().max(states - 1));
                }
            });
            host.sleep(below(200 * MILLISECOND)).await;
            let (health, nap) = (Rc::clone(&writer.health), host.sleep(below(20_000 * MILLISECOND)));
            host.spawn(async move {
                nap.await;
                health.set(Health::Awake);
            });
            writer.is_current.set(false);
            sleepers.push(writer);
        }
        _ => {
            // Another one takes over while it goes on.
            writer.is_current.set(false);
            sleepers.push(writer);
        }
    }
}

/// Opens the volume without faults, works, closes and checks it.
async fn finish(
    objects: &Rc<Objects>,
    maker: &HostStore,
    history: &Rc<History>,
    family: &Rc<Family>,
    coverage: &Coverage,
) -> Result<(), String> {
    let (host, seed) = (&maker.host, family.seed);
    let last = open(objects, host, "disk", seed).await?;
    history.found(read_all(&last.disk).await.ok_or("the volume cannot be read at the end")?);
    if let Some(violation) = history.violation.take() {
        return Err(violation);
    }
    work(&last, history, family, host, 30).await;
    if family.is_active {
        last.disk.collect().await.map_err(|error| error.to_string())?;
        family.finish(&last.disk, async |name| open(objects, host, name, seed).await).await?;
        for (sum, more) in coverage[5..].iter().zip(&family.counts) {
            sum.set(sum.get() + more.get());
        }
    }
    last.disk.flush().await.map_err(|error| error.to_string())?;
    let content = *history.states.borrow().last().unwrap();
    count(&last.disk, coverage);
    let collected = last.disk.collect().await.map_err(|error| error.to_string())?;
    coverage[10].set(coverage[10].get() + collected.objects);
    coverage[11].set(coverage[11].get() + history.reads.get());
    last.disk.close().await.map_err(|error| error.to_string())?;
    host.sleep(60_000 * MILLISECOND).await;
    let report =
        volume::check(maker, host, "disk", &mut |_, _| {}).await.map_err(|error| error.to_string())?;
    if !report.damaged.is_empty() {
        return Err(format!("damaged: {:?}", report.damaged));
    }
    let reader = Volume::open_read_only(maker.clone(), host.clone(), "disk", settings(seed)).await;
    let reader = reader.map_err(|error| error.to_string())?;
    if read_all(&reader).await != Some(content) {
        return Err("what was flushed at the end is not there".to_owned());
    }
    Ok(())
}

/// Walks one seed. Returns what went wrong.
fn walk(seed: u64, coverage: &Coverage) -> Option<String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    let ran = executor.run(async {
        let objects = Rc::new(Objects::default());
        let maker = HostStore::new(&objects, &host);
        let options = VolumeOptions { deduplicate: deduplicates(seed), ..VolumeOptions::default() };
        volume::create(&maker, &host, "disk", BYTES, options).await.map_err(|error| error.to_string())?;
        let mut first = [0; PAGES + 1];
        first[PAGES] = BYTES;
        let history = History::new(first, deduplicates(seed));
        let family = Family::new(&objects, &host, seed, host.random().is_multiple_of(2));
        let below = |end: u64| host.random() % end;
        objects.faults.set([0, 30, 150][below(3) as usize]);
        let mut sleepers: Vec<Writer> = Vec::new();
        let mut openers: Vec<Rc<Cell<Health>>> = Vec::new();
        for _ in 0..2 + below(6) {
            if below(4) == 0 {
                openers.push(open_asleep(&objects, &host, &history, seed));
            }
            if below(3) == 0 {
                check_beside(&maker, &host, &history);
            }
            if family.is_active {
                if below(2) == 0 {
                    family.create_clone().await;
                }
                if below(3) == 0 {
                    read_beside(&family, &maker);
                }
                if below(4) == 0
                    && let Some(clone) = family.any_clone()
                {
                    family.delete_clone(&clone).await;
                }
            }
            let clone = if family.is_active && below(2) == 0 { family.any_clone() } else { None };
            let name = clone.as_ref().map_or("disk", |clone| &clone.name);
            let history = clone.as_ref().map_or(&history, |clone| &clone.history);
            let is_there = clone.as_ref().is_none_or(|clone| clone.stage.get() == Stage::There);
            let (writer, found) = match open_and_read(&objects, &host, name, seed).await {
                Ok(opened) => opened,
                // It was never completed, perhaps.
                Err(_) if !is_there => continue,
                Err(error) => return Err(format!("{name}: {error}")),
            };
            if let Some(clone) = &clone
                && clone.stage.get() == Stage::Perhaps
            {
                clone.stage.set(Stage::There);
            }
            history.found(found);
            if let Some(violation) = history.violation.take() {
                return Err(format!("{name}: {violation}"));
            }
            if below(6) == 0 {
                objects.is_full.set(true);
            }
            if below(4) == 0 {
                // It sleeps in the middle of upkeep, perhaps.
                let part = ["/map/", "/copies/", "/epoch/", "/data/"][below(4) as usize];
                *writer.sleeps_at.borrow_mut() = Some(part.to_owned());
                wake(&writer.health, &host);
            }
            {
                let mut working = std::pin::pin!(work(&writer, history, &family, &host, 5 + below(60)));
                let mut limit = std::pin::pin!(host.sleep((1 + below(60)) * 1_000 * MILLISECOND));
                futures_util::future::select(working.as_mut(), limit.as_mut()).await;
            }
            objects.is_full.set(false);
            count(&writer.disk, coverage);
            leave(writer, history, &host, &mut sleepers).await;
            if let Some(violation) = history.violation.take().or(family.violation.take()) {
                return Err(violation);
            }
        }
        objects.faults.set(0);
        if !openers.is_empty() || family.is_active {
            // Requests of those that open would overtake the last one.
            for health in &openers {
                health.set(Health::Dead);
            }
            host.sleep(60_000 * MILLISECOND).await;
        }
        finish(&objects, &maker, &history, &family, coverage).await?;
        drop(sleepers);
        history.violation.take().map_or(Ok(()), Err)
    });
    match ran {
        Some(Ok(())) => None,
        Some(Err(violation)) => Some(violation),
        None => Some("everything waits for something that never happens".to_owned()),
    }
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    let number = |text: &str| text.parse().expect("a seed");
    if let Ok(seed) = std::env::var("FOREBAY_SEED") {
        return number(&seed)..number(&seed) + 1;
    }
    match std::env::var("FOREBAY_SEED_RANGE").ok().as_deref().and_then(|range| range.split_once("..")) {
        Some((start, end)) => number(start)..number(end),
        None => 0..std::env::var("FOREBAY_SEEDS").map_or(count, |text| number(&text)),
    }
}

#[test]
fn whoever_opens_a_volume_finds_the_last_confirmed_group_or_a_later_one_and_never_a_mix() {
    let coverage = Coverage::default();
    let seconds = std::env::var("FOREBAY_SEEDS_SECONDS").ok().and_then(|text| text.parse::<u64>().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds / 3));
    let mut walked = 0;
    for seed in seeds(SEEDS) {
        if walked >= SEEDS && until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        walked += 1;
        if let Some(violation) = walk(seed, &coverage) {
            panic!("seed {seed}: {violation}");
        }
    }
    // Not by the macro, whose output is shown of tests that fail only.
    let coverage = coverage.map(Cell::into_inner);
    let counted = format!(
        "{walked} seeds walked; groups, checkpoints, pages copied, objects deleted, pages that refer; snapshots confirmed, deleted, kept for clones, \
             read; clones created; garbage; reads in sequence: {coverage:?}"
    );
    writeln!(std::io::stdout(), "{counted}").unwrap();
}

/// Walks with a planted bug, by which an assertion may fail.
#[cfg(debug_assertions)]
fn caught(seed: u64) -> Option<String> {
    let walked = std::panic::catch_unwind(|| walk(seed, &Coverage::default()));
    walked.unwrap_or_else(|_| Some("an assertion failed".to_owned()))
}

#[cfg(debug_assertions)]
#[test]
fn walks_find_each_bug_that_is_planted() {
    let mut missed = Vec::new();
    for bug in Bug::ALL {
        volume::plant(Some(bug));
        let found = (0..5 * SEEDS).find_map(|seed| Some((seed, caught(seed)?)));
        volume::plant(None);
        match found {
            Some((seed, violation)) => println!("{bug:?}: seed {seed}: {violation}"),
            None => missed.push(bug),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
