//! `forebay check`: verifies pools that are not in use, and shows what a start would find.
//!
//! Devices of the same pool are verified together, as a start would use them.
//!
//! Works without a daemon, on files that are opened for reading only. Names of disks, and how far their
//! content is trusted, come from the folder of the daemon that the pool belongs to, if that can be read.

mod show;

use std::fmt;
use std::path::{Path, PathBuf};

use base::error::{Error, Result};
use base::patience::while_held;
use block::FileDevice;
use block::Ring;
use block::executor::{Executor, Order};
use block::file::{Access, Cache as PageCache, Lock, OpenError, OpenOptions};
use cache::{
    CheckedPool, DiskExpectation, DiskId, Identified, Knowledge, Progress, RecoveryTrust, SessionIds,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::backing::Location;
use crate::backing_identity;
use crate::cli::Check;
use crate::host_record::HostRecord;
use crate::output;
use crate::places::{Environment, Places};
use crate::state::DiskRecord;
use show::{json, text};

/// Entries of the ring: a check has few reads in flight.
const RING_DEPTH: u32 = 64;

/// Result for the devices of one pool, or for one device that belongs to none.
struct Verdict {
    /// Devices in the order of the command line.
    paths: Vec<PathBuf>,
    outcome: CheckOutcome,
}

enum CheckOutcome {
    Checked(CheckedPool, Names),
    /// It holds no pool that can be verified, or cannot be read: a code for programs, and the reason.
    Refused(&'static str, String),
}

/// Names of disks, by number; empty if they are unknown.
type Names = Vec<(u32, String)>;

/// State of the daemon that a pool belongs to.
struct RecordedState {
    places: Places,
    host: HostRecord,
}

pub(super) fn run(options: &Check) -> Result<()> {
    let remembered = remembered(options)?;
    let failed = |error: std::io::Error| Error::failed(format!("Cannot start: {error}; free some memory"));
    let ring = Ring::new(RING_DEPTH).map_err(failed)?;
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let checked = executor.run(check_all(&ring, &options.devices, remembered.as_ref()));
    let verdicts = checked.expect("a ring always waits, so a check cannot run out of things that may happen");
    if options.json {
        let pools: Vec<_> = verdicts.iter().map(json).collect();
        output::print(&format!("{}\n", api::document("pools", pools)))?;
    } else {
        let texts: Vec<_> = verdicts.iter().filter_map(text).collect();
        output::print(&texts.join("\n"))?;
    }
    judge(&verdicts)
}

/// Reads the state in DIR; none if there is none, which is an error only if DIR was given as an option.
fn remembered(options: &Check) -> Result<Option<RecordedState>> {
    let surroundings = Environment::of_process();
    match Places::resolve(options.dir.clone(), options.run_dir.clone(), &surroundings) {
        Ok(places) => match HostRecord::load(&places.dir) {
            Ok(loaded) => Ok(Some(RecordedState { places, host: loaded.record })),
            Err(problem) if options.dir.is_some() => Err(problem),
            Err(_) => Ok(None),
        },
        Err(problem) if options.dir.is_some() || options.run_dir.is_some() => Err(problem),
        Err(_) => Ok(None),
    }
}

/// Verifies devices pool by pool.
async fn check_all(ring: &Ring, paths: &[PathBuf], remembered: Option<&RecordedState>) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut pools: Vec<PoolDevices> = Vec::new();
    for path in paths {
        match identify(ring, path).await {
            Ok((id, device)) => match pools.iter_mut().find(|pool| pool.id == id) {
                Some(pool) => {
                    pool.paths.push(path.clone());
                    pool.devices.push(device);
                }
                None => pools.push(PoolDevices { id, paths: vec![path.clone()], devices: vec![device] }),
            },
            Err(outcome) => verdicts.push(Verdict { paths: vec![path.clone()], outcome }),
        }
    }
    for pool in pools {
        let paths = pool.paths.clone();
        verdicts.push(Verdict { paths, outcome: check(pool, remembered).await });
    }
    // In the order of the command line.
    verdicts.sort_by_key(|verdict| paths.iter().position(|path| *path == verdict.paths[0]));
    verdicts
}

/// The devices that hold one pool.
struct PoolDevices {
    id: String,
    paths: Vec<PathBuf>,
    devices: Vec<FileDevice>,
}

/// Returns the pool that a device holds, or the reason for which it cannot be verified.
async fn identify(ring: &Ring, device: &Path) -> Result<(String, FileDevice), CheckOutcome> {
    let options = OpenOptions {
        access: Access::ReadOnly,
        cache: PageCache::Direct,
        lock: Lock::Exclusive,
        create: None,
    };
    let path = device.display();
    // A daemon that was killed a moment ago may still lock it.
    let opened = while_held(
        || FileDevice::open(ring, device, options),
        |opened| matches!(opened, Err(OpenError::Held { .. })),
    );
    let flash = match opened {
        Ok(flash) => flash,
        Err(OpenError::Held { .. }) => {
            return Err(CheckOutcome::Refused(
                "in-use",
                format!(
                    "Cannot check {path}: a Forebay uses it now; stop that first (`fuser -v {path}` names it)"
                ),
            ));
        }
        Err(error) => return Err(CheckOutcome::Refused("unreadable", error.to_string())),
    };
    match cache::identify(&flash).await {
        Ok(Identified::Pool { id, .. }) => Ok((id.to_string(), flash)),
        Ok(other) => Err(no_pool(device, &other)),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

fn unreadable(path: &dyn fmt::Display, error: &dyn fmt::Display) -> CheckOutcome {
    CheckOutcome::Refused("unreadable", format!("Cannot read {path}: {error}; check the device"))
}

async fn check(pool: PoolDevices, remembered: Option<&RecordedState>) -> CheckOutcome {
    let PoolDevices { id, paths, devices } = pool;
    let here = remembered.filter(|remembered| {
        let pool = remembered.host.state.pool.as_ref();
        pool.is_some_and(|pool| pool.id == id && !pool.being_made)
    });
    let marks = here.map(RecordedState::marks);
    let expected = |disk, mark| here.map_or_else(unknown, |here| here.expect(disk, mark));
    let known = Knowledge { marks: marks.as_ref(), expected: &expected };
    let bar = progress(&paths[0]);
    let mut tell = |progress: Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    };
    let checked = cache::check(devices, &known, &mut tell).await;
    bar.finish_and_clear();
    let names = |here: &RecordedState| {
        here.host.state.disks.iter().map(|disk| (disk.id, disk.name.clone())).collect::<Names>()
    };
    match checked {
        Ok(pool) => CheckOutcome::Checked(pool, here.map(names).unwrap_or_default()),
        Err(error) => unreadable(&named(&paths), &error),
    }
}

impl RecordedState {
    /// Returns the recorded marks of the pool, which must be the recorded one.
    fn marks(&self) -> SessionIds {
        let pool = self.host.state.pool.as_ref().expect("it is the one that is remembered");
        let epoch = Some(self.host.least_epoch(&pool.id));
        SessionIds { new: 0, known: pool.marks_known(), epoch }
    }

    /// Returns how far a disk's content would be trusted.
    fn expect(&self, disk: DiskId, mark: u64) -> DiskExpectation {
        let Some(record) = self.host.state.disks.iter().find(|record| record.id == disk.0) else {
            let reason = "No disk of this number is known; a start frees what it holds";
            return DiskExpectation { belief: RecoveryTrust::Nothing(reason.to_owned()), touched: None };
        };
        self.expect_remembered(record, mark).unwrap_or_else(|problem| DiskExpectation {
            belief: RecoveryTrust::Nothing(problem.message),
            touched: None,
        })
    }

    fn expect_remembered(&self, record: &DiskRecord, mark: u64) -> Result<DiskExpectation> {
        let location = Location::parse(&record.backing)?;
        if record.is_beside_qemu() {
            let belief = backing_identity::beside_qemu(RecoveryTrust::ByRegion);
            return Ok(DiskExpectation { belief, touched: None });
        }
        Ok(backing_identity::foresee(
            &self.places,
            &self.host,
            record.id,
            location.unopened(),
            record.size_bytes,
            mark,
        ))
    }
}

/// Returns the trust if it is unknown how the last process ended: only regions without an open intent are
/// certain.
fn unknown() -> DiskExpectation {
    DiskExpectation { belief: RecoveryTrust::ByRegion, touched: None }
}

fn no_pool(device: &Path, found: &Identified) -> CheckOutcome {
    let path = device.display();
    let (word, what) = match found {
        Identified::Blank => ("blank", "it holds nothing".to_owned()),
        Identified::Foreign { offset, format, .. } => {
            let found = crate::pool::found_at(*offset, *format);
            ("foreign", format!("it holds data that is no pool. {found}"))
        }
        Identified::Damaged { what, .. } => ("damaged", format!("the pool on it is damaged. {what}")),
        Identified::Older { version, .. } => {
            ("older", format!("it is a pool of format {version}, which this version makes again at start"))
        }
        Identified::Newer { version, .. } => (
            "newer",
            format!("it is a pool of format {version}, which is newer; use that version of Forebay"),
        ),
        Identified::Pool { .. } => unreachable!("pools are checked"),
    };
    CheckOutcome::Refused(word, format!("Cannot check {path}: {what}"))
}

/// Returns a progress bar, which is drawn on standard error if that is a terminal.
fn progress(device: &Path) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let template = "  {prefix} {bar:20} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta} left";
    let style = ProgressStyle::with_template(template).expect("a constant that follows its rules");
    bar.with_style(style).with_prefix(device.display().to_string())
}

/// Returns an error for damage, and for a device that could not be verified, or was not named.
fn judge(verdicts: &[Verdict]) -> Result<()> {
    let problem = |Verdict { paths, outcome }: &Verdict| match outcome {
        CheckOutcome::Checked(pool, _) if pool.devices_missing > 0 => Some(format!(
            "Cannot check all of the pool on {}: {} of its {} devices were not named; name them too",
            named(paths),
            pool.devices_missing,
            pool.devices
        )),
        CheckOutcome::Checked(pool, _) if !pool.is_whole() => Some(format!(
            "Found damage in {}: guests get the damaged data from their backings; if it happens again, replace the device",
            named(paths)
        )),
        CheckOutcome::Checked(..) => None,
        CheckOutcome::Refused(_, reason) => Some(reason.clone()),
    };
    let problems: Vec<String> = verdicts.iter().filter_map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(Error::failed(problems.join("; "))) }
}

fn named(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(", ")
}
