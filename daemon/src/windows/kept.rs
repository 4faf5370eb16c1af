//! Windows of all disks on disk, so that a restart does not begin them anew: `DIR/windows.bin`.
//!
//! ```text
//!   magic 8, version 4, seconds since 1970 at which it was written 8
//!   names of counters, names of latencies      so that versions which count more or less read each other's
//!   for each disk: number, since, total, three windows of: last, before, open step, steps
//!   checksum 4
//! ```
//! Numbers of fixed size are little-endian, all others of seven bits a byte; the checksum is CRC-32C of all before it. Times are
//! milliseconds before the file was written. Written behind the totals of the same moment, every few minutes and at the end: what
//! totals have more was counted after it, and is in the step that was open. A window that is over by now begins anew.
//!
//! Figures for people, nothing that the product relies on: what cannot be read is set aside, and windows begin anew.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use cache::{DiskCounts, Latency};

use super::{BEFORE_START, Edge, Ring, SHAPES, Step, Windows, pack, pull, push, unpack_named};
use crate::bounded;
use crate::counted::Counted;
use crate::durable;
use crate::moment::Moment;
use crate::problem::{Answer, Problem};

const FILE_NAME: &str = "windows.bin";
const MAGIC: [u8; 8] = *b"FOREBAYW";
/// Version of the file.
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 20;
const CHECKSUM_BYTES: usize = 4;

/// What is to be written.
#[derive(Debug)]
pub(crate) struct Keeping {
    bytes: Vec<u8>,
    now: Duration,
}

impl Keeping {
    /// Begins with so many disks. `now` is the time since the start of the process, `moment` the same by the calendar.
    pub(crate) fn new(now: Duration, moment: Moment, disks: usize) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(moment.0.to_le_bytes());
        let counts: Vec<&str> = DiskCounts::default().named().map(|(name, _)| name).collect();
        for names in [counts, Latency::ALL.map(|(_, name)| name).to_vec()] {
            push(&mut bytes, names.len() as u64);
            for name in names {
                push_bytes(&mut bytes, name.as_bytes());
            }
        }
        push(&mut bytes, disks as u64);
        Self { bytes, now: now + BEFORE_START }
    }

    /// Adds a disk that counted so much in all since then.
    pub(crate) fn add(&mut self, id: u32, since: Moment, total: &Counted, windows: &Windows) {
        let Self { bytes, now } = self;
        let ago = |at: Duration| now.saturating_sub(at).as_millis() as u64;
        push(bytes, u64::from(id));
        push(bytes, since.0);
        push_bytes(bytes, &pack(total));
        for Ring { before, last, steps, .. } in &windows.rings {
            push(bytes, ago(last.at));
            push(bytes, ago(before.at));
            push_bytes(bytes, &pack(&total.since(&last.total)));
            push(bytes, steps.len() as u64);
            for Step { ends, packed } in steps {
                push(bytes, ago(*ends));
                push_bytes(bytes, packed);
            }
        }
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.extend(crc32c::crc32c(&self.bytes).to_le_bytes());
        self.bytes
    }
}

/// Makes it what is kept in `dir`, durably.
///
/// # Errors
/// What the system said; then what was kept before may be what is kept.
pub(crate) fn save(dir: &Path, keeping: Keeping) -> Answer<()> {
    durable::replace(dir, FILE_NAME, &keeping.end()).map_err(|not| {
        Problem::failed(format!(
            "Cannot save {}: {}; make room or repair its file system, or a restart forgets what disks counted lately",
            dir.join(FILE_NAME).display(),
            not.error
        ))
    })
}

/// What was kept of all disks.
#[derive(Debug, Default)]
pub(crate) struct KeptWindows {
    /// How long ago that was.
    ago: Duration,
    disks: BTreeMap<u32, KeptDisk>,
}

#[derive(Debug)]
struct KeptDisk {
    since: Moment,
    total: Counted,
    rings: [KeptRing; SHAPES.len()],
}

/// A window, with milliseconds before it was written.
#[derive(Debug)]
struct KeptRing {
    last: u64,
    before: u64,
    open: Counted,
    steps: Vec<(u64, Counted)>,
}

impl KeptWindows {
    /// The windows of a disk go on, at the start of the process; none if nothing is kept that fits what it counted in all by now
    /// since then.
    pub(crate) fn resume(&self, id: u32, since: Moment, total: &Counted) -> Option<Windows> {
        let kept = self.disks.get(&id).filter(|kept| kept.since == since)?;
        let pairs = || total.counts.named().zip(kept.total.counts.named());
        // Totals that are older than windows would have these go below zero.
        if pairs().any(|((_, now), (_, then))| now < then) {
            return None;
        }
        let ring = |at: usize| {
            let (span, _) = SHAPES[at];
            if self.ago >= span {
                return Ring::new(SHAPES[at], BEFORE_START, total);
            }
            kept.ring(at, BEFORE_START.saturating_sub(self.ago))
        };
        Some(Windows { rings: std::array::from_fn(ring) })
    }
}

impl KeptDisk {
    /// A window as it stood at `saved`.
    fn ring(&self, at: usize, saved: Duration) -> Ring {
        let ((span, step), kept) = (SHAPES[at], &self.rings[at]);
        let moment = |ago: u64| saved.saturating_sub(Duration::from_millis(ago));
        let last = Edge { at: moment(kept.last), total: self.total.since(&kept.open) };
        let mut in_steps = Counted::default();
        kept.steps.iter().for_each(|(_, counted)| in_steps.add(counted));
        let before = Edge { at: moment(kept.before), total: last.total.since(&in_steps) };
        let again = |(ends, counted): &(u64, Counted)| Step { ends: moment(*ends), packed: pack(counted) };
        Ring { span, step, before, last, steps: kept.steps.iter().map(again).collect() }
    }
}

/// Reads what is kept in `dir`, and why it could not be read, if so: then there is nothing, and what is there is set aside.
pub(crate) fn load(dir: &Path, now: Moment) -> (KeptWindows, Option<String>) {
    let path = dir.join(FILE_NAME);
    let read = match bounded::read(&path, bounded::DIR_FILE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (KeptWindows::default(), None),
        Err(error) => Err(error.to_string()),
        Ok(bytes) => parse(&bytes, now),
    };
    match read {
        Ok(kept) => (kept, None),
        Err(reason) => {
            let kept = durable::set_aside(&path, now);
            (KeptWindows::default(), Some(format!("Cannot read {}: {reason}. {kept}", path.display())))
        }
    }
}

/// # Errors
/// Why it cannot be believed.
fn parse(bytes: &[u8], now: Moment) -> Result<KeptWindows, String> {
    let too_short = || "it is too short".to_owned();
    let (head, _) = bytes.split_at_checked(HEAD_BYTES).ok_or_else(too_short)?;
    if head[..8] != MAGIC {
        return Err("it is no file of this kind".to_owned());
    }
    let version = u32::from_le_bytes(*head[8..].first_chunk().expect("a head is longer than that"));
    // A later version may have its checksum elsewhere.
    if version != VERSION {
        return Err(format!("it has version {version}, and this Forebay knows {VERSION}"));
    }
    let (checked, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or_else(too_short)?;
    if crc32c::crc32c(checked).to_le_bytes() != *checksum {
        return Err("its checksum is wrong".to_owned());
    }
    let saved = u64::from_le_bytes(*head[12..].first_chunk().expect("a head is longer than that"));
    let body = checked.get(HEAD_BYTES..).ok_or_else(too_short)?;
    let disks = disks(body).ok_or("what it has is not what its names say")?;
    // A clock that was set back says nothing of how long it was.
    Ok(KeptWindows { ago: Duration::from_secs(now.0.saturating_sub(saved)), disks })
}

fn disks(mut bytes: &[u8]) -> Option<BTreeMap<u32, KeptDisk>> {
    let (counts, latencies) = (names(&mut bytes)?, names(&mut bytes)?);
    let counted = |bytes: &mut &[u8]| unpack_named(pull_bytes(bytes)?, &counts, &latencies);
    let mut disks = BTreeMap::new();
    for _ in 0..pull(&mut bytes)? {
        let (id, since) = (u32::try_from(pull(&mut bytes)?).ok()?, Moment(pull(&mut bytes)?));
        let total = counted(&mut bytes)?;
        let mut ring = || {
            let (last, before) = (pull(&mut bytes)?, pull(&mut bytes)?);
            let open = counted(&mut bytes)?;
            let mut steps = Vec::new();
            for _ in 0..pull(&mut bytes)? {
                steps.push((pull(&mut bytes)?, counted(&mut bytes)?));
            }
            Some(KeptRing { last, before, open, steps })
        };
        let rings = [ring()?, ring()?, ring()?];
        disks.insert(id, KeptDisk { since, total, rings });
    }
    bytes.is_empty().then_some(disks)
}

fn names<'a>(bytes: &mut &'a [u8]) -> Option<Vec<&'a str>> {
    (0..pull(bytes)?).map(|_| str::from_utf8(pull_bytes(bytes)?).ok()).collect()
}

fn push_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    push(bytes, more.len() as u64);
    bytes.extend(more);
}

fn pull_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(pull(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
#[path = "kept_tests.rs"]
mod tests;
