//! The demonstration: one disk on a modelled array, the same workload without and with the cache, in about a minute.
//!
//! It runs the same service as `serve` and reaches the disk over NBD like a guest; only the array is a model.
//!
//! ```text
//!   a quarter of the time   without: mode pass-through
//!   half                    with: mode write-through, the cache fills
//!   a quarter               with: measured
//! ```

mod report;
mod workload;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base::error::{Error, Result};
use base::units::Size;
use doors::nbd::Client;
use doors::nbd::option::Replies;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use telemetry::wear::Smartctl;
use tokio::sync::mpsc;

use crate::cli::Demo;
use crate::door::DoorKind;
use crate::output;
use crate::places::{Environment, Places};
use crate::pool::PoolChoice;
use crate::registry::{CachePolicy, NewDisk, Registry};
use crate::service::{NetworkServices, Service, Threads};
use report::{CachedCounters, ReadResults};
use workload::{Observed, Workload};

const DISK: &str = "demo";
const DISK_BYTES: u64 = 128 << 20;
const POOL_BYTES: u64 = 112 << 20;
const RAM: &str = "16MiB";
const ARRAY: &str = "hdd-15k-raid5x5";
/// Seed of the workload: every demonstration uses the same blocks.
const SEED: u64 = 0x00F0_4EBA;

/// Runs the demonstration.
///
/// # Errors
/// Any failure of its setup or of the service. Its temporary folder is removed either way.
pub(crate) fn run(options: &Demo) -> Result<()> {
    let folder = DemoDir::make(options)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Error::failed(format!("Cannot start the demonstration: {error}")))?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = show(options, &folder.path) => outcome,
            interrupted = tokio::signal::ctrl_c() => match interrupted {
                Ok(()) => Err(Error::failed("Interrupted; what the demonstration made is removed".to_owned())),
                Err(error) => Err(Error::failed(format!("Cannot listen for signals: {error}"))),
            },
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    outcome
}

async fn show(options: &Demo, folder: &Path) -> Result<()> {
    let backing = folder.join("array.img");
    print_unless_json(options, &introduction(options, folder));
    make_backing(&backing)?;
    let places = Places::resolve(Some(folder.to_owned()), None, &Environment::of_process())?;
    places.make()?;
    let _claim = places.claim()?;
    let pool = PoolChoice { size: Some(Size(POOL_BYTES)), ..PoolChoice::default() };
    let service =
        Service::start(places, &pool, Threads::default(), &NetworkServices::off(), Smartctl::Off).await?;
    let measured = measure(options, &service.registry, &backing).await;
    let (without, with) = match measured {
        Ok(sides) => sides,
        Err(problem) => {
            service.stop().await?;
            return Err(problem);
        }
    };
    if options.json {
        output::print(&format!("{}\n", report::json(&without, &with)))?;
    } else {
        output::print(&format!("\n{}\n{}", report::table(&without, &with), further(options, folder)))?;
    }
    if options.keep {
        wait_for_interrupt().await?;
    }
    service.stop().await
}

/// Adds the disk and runs the workload on it, without and with the cache.
async fn measure(
    options: &Demo,
    registry: &Arc<Registry>,
    backing: &Path,
) -> Result<(ReadResults, ReadResults)> {
    let texts = [("mode", "pass-through"), ("block-size", "8KiB"), ("ram", RAM), ("limit", "100%")];
    let settings = texts.map(|(key, text)| (key.to_owned(), text.to_owned()));
    let disk = NewDisk {
        name: DISK.to_owned(),
        backing: format!("model:{ARRAY}:{}", backing.display()),
        read_only: false,
        force_raw: false,
        settings: BTreeMap::from(settings),
        guest: None,
    };
    registry.add(disk).await?;
    let socket = registry.places().socket(DoorKind::Nbd, DISK);
    let quarter = Duration::from_secs(options.seconds) / 4;
    let mut run =
        DemoRun { registry, socket, workload: Some(Workload::new(DISK_BYTES, SEED)), quiet: options.json };
    let (observed, counted) = run.phase("without cache", quarter).await?;
    let without = ReadResults::new(&observed, counted, false);
    let mode = ("mode".to_owned(), "write-through".to_owned());
    registry.set(DISK, &BTreeMap::from([mode]), CachePolicy::Keep).await?;
    run.phase("with cache, filling", quarter * 2).await?;
    let (observed, counted) = run.phase("with cache, measured", quarter).await?;
    Ok((without, ReadResults::new(&observed, counted, true)))
}

/// The workload, phase by phase.
struct DemoRun<'a> {
    registry: &'a Arc<Registry>,
    socket: PathBuf,
    /// None while the thread of a phase has it.
    workload: Option<Workload>,
    quiet: bool,
}

impl DemoRun<'_> {
    /// Runs the workload for a while and shows its progress.
    async fn phase(&mut self, name: &'static str, duration: Duration) -> Result<(Observed, CachedCounters)> {
        let before = count(self.registry).await?;
        let mut workload = self.workload.take().expect("each phase gives it back");
        let (ticks, mut ticked) = mpsc::unbounded_channel();
        let socket = self.socket.clone();
        let running = tokio::task::spawn_blocking(move || {
            let observed = Client::connect(&socket, DISK, Replies::Structured).and_then(|mut client| {
                // The receiver is gone once the demonstration is interrupted.
                workload.run(&mut client, duration, |observed| {
                    ticks.send((observed.iops(), observed.reads.mean())).ok();
                })
            });
            (workload, observed)
        });
        let progress = PhaseProgress::new(name, duration, self.quiet);
        let mut last = before;
        while let Some((iops, mean_nanos)) = ticked.recv().await {
            let now = count(self.registry).await?;
            progress.show(iops, mean_nanos, now.since(&last));
            last = now;
        }
        progress.end();
        let (workload, observed) = running.await.expect("the workload does not panic");
        self.workload = Some(workload);
        let observed = observed.map_err(|error| Error::failed(format!("The workload broke off: {error}")))?;
        Ok((observed, count(self.registry).await?.since(&before)))
    }
}

impl CachedCounters {
    fn since(&self, before: &Self) -> Self {
        Self {
            reads: self.reads - before.reads,
            hits_ram: self.hits_ram - before.hits_ram,
            hits_flash: self.hits_flash - before.hits_flash,
            backing_reads: self.backing_reads - before.backing_reads,
        }
    }
}

async fn count(registry: &Registry) -> Result<CachedCounters> {
    let view = registry.disk(DISK).await?;
    let report = view.report.map_err(Error::unavailable)?;
    let counts = report.statistics.counts;
    Ok(CachedCounters {
        reads: counts.reads,
        hits_ram: counts.read_hits_ram,
        hits_flash: counts.read_hits_flash,
        backing_reads: counts.backing_reads,
    })
}

/// A line with the progress of a phase; hidden without a terminal.
struct PhaseProgress {
    bar: ProgressBar,
}

impl PhaseProgress {
    fn new(name: &'static str, duration: Duration, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(duration.as_secs().max(1)), target);
        let style = ProgressStyle::with_template("  {prefix:<22} {bar:20} {elapsed:>4} {msg}");
        bar.set_style(style.expect("the template is a constant that the tests render"));
        bar.set_prefix(name);
        Self { bar }
    }

    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    fn show(&self, iops: f64, mean_nanos: f64, counted: CachedCounters) {
        let part = |count: u64| report::percent(count as f64 / counted.reads.max(1) as f64);
        self.bar.set_position(self.bar.elapsed().as_secs());
        self.bar.set_message(format!(
            "{iops:>7.0} IOPS  mean read {:>8}  hits {:>7} (RAM {}, flash {})",
            report::time(mean_nanos / 1_000.0),
            part(counted.hits_ram + counted.hits_flash),
            part(counted.hits_ram),
            part(counted.hits_flash),
        ));
    }

    fn end(&self) {
        self.bar.set_position(self.bar.length().unwrap_or(0));
        self.bar.abandon();
    }
}

/// Folder of the demonstration.
struct DemoDir {
    path: PathBuf,
    /// Set if it is removed at the end.
    temporary: bool,
}

impl DemoDir {
    fn make(options: &Demo) -> Result<Self> {
        let (path, temporary) = match &options.dir {
            Some(dir) => (dir.clone(), false),
            None => (std::env::temp_dir().join(format!("forebay-demo-{}", std::process::id())), true),
        };
        let failed = |error: io::Error| {
            Error::failed(format!(
                "Cannot use the folder {}: {error}; name another with --dir",
                path.display()
            ))
        };
        if temporary {
            std::fs::create_dir(&path).map_err(failed)?;
        } else {
            std::fs::create_dir_all(&path).map_err(failed)?;
            if std::fs::read_dir(&path).map_err(failed)?.next().is_some() {
                let message =
                    format!("The folder {} is not empty; name an empty or a new one", path.display());
                return Err(Error::conflict(message));
            }
        }
        Ok(Self { path, temporary })
    }
}

impl Drop for DemoDir {
    fn drop(&mut self) {
        if self.temporary
            && let Err(error) = std::fs::remove_dir_all(&self.path)
        {
            eprintln!("error: Cannot remove {}: {error}; remove it by hand", self.path.display());
        }
    }
}

/// Makes the file of the array. Every block holds its number.
fn make_backing(path: &Path) -> Result<()> {
    let blocks = DISK_BYTES / u64::from(workload::REQUEST_BYTES);
    let write = || -> io::Result<()> {
        let mut file = io::BufWriter::with_capacity(1 << 20, File::create_new(path)?);
        for block in 0..blocks {
            file.write_all(&workload::content(block))?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    };
    write().map_err(|error| {
        Error::failed(format!(
            "Cannot make {} of {}: {error}; name a folder with more room with --dir",
            path.display(),
            Size(DISK_BYTES)
        ))
    })
}

fn introduction(options: &Demo, folder: &Path) -> String {
    format!(
        "A disk of {} on five 15,000 rpm spindles in RAID-5 (a model: {ARRAY}), a cache of {RAM} RAM and {} flash,\n\
         and a skewed workload of 8 KiB requests, 99 % reads, {} in flight over NBD. {} seconds, in {}\n",
        Size(DISK_BYTES),
        Size(POOL_BYTES),
        workload::DEPTH,
        options.seconds,
        folder.display()
    )
}

/// Returns next steps, to copy.
fn further(options: &Demo, folder: &Path) -> String {
    let socket = folder.join("control.sock");
    let nbd = folder.join("nbd").join(format!("{DISK}.sock"));
    if options.keep {
        return format!(
            "  It is still served. In another terminal:\n\n\
             \x20   forebay stats {DISK} --socket {0}\n\
             \x20   forebay disk show {DISK} --connect --socket {0}\n\
             \x20   nbdinfo 'nbd+unix:///{DISK}?socket={1}'\n\n\
             \x20 Ctrl-C ends it.\n",
            socket.display(),
            nbd.display()
        );
    }
    "  To go on by hand: `forebay demo --keep` leaves it running, and with your own disk:\n\n\
     \x20   forebay serve &\n\
     \x20   forebay disk add NAME --backing /path/to/disk.img\n\
     \x20   forebay disk show NAME --connect\n\
     \x20   forebay stats NAME\n"
        .to_owned()
}

/// Prints progress for people; scripts, which take the document, get nothing else.
fn print_unless_json(options: &Demo, text: &str) {
    if !options.json && io::stderr().is_terminal() {
        eprintln!("{text}");
    }
}

async fn wait_for_interrupt() -> Result<()> {
    tokio::signal::ctrl_c()
        .await
        .map_err(|error| Error::failed(format!("Cannot listen for signals: {error}")))
}
