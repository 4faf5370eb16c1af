//! A shard: one thread with its ring, its executor, the cache and its disks.
//!
//! ```text
//!   control plane (tokio) ──job──> shard thread: Executor over Ring ──> cache, doors
//!                         <─answer─
//! ```
//! A job is a function that runs on the shard with access to all of it, and whose result is sent back. Jobs
//! run concurrently with each other and with the requests of guests; none of them waits for another. The
//! shard decides nothing: the registry decides which disks are served, and records them; `all.rs` decides
//! which shard a disk is on.
//!
//! Changes have no time limit. Queries have one: a shard whose thread hangs in the kernel is named in the
//! error, and the caller continues without it.

mod accept;
mod all;
mod comparison;
mod consistency_sets;
mod curve;
mod destage;
mod devices;
mod dirty_marker;
mod disk;
mod disk_report;
mod flash;
mod learned;
mod moving;
mod owners;
mod pool;
mod reconfigure;
mod redo_ring;
mod resizing;
mod scrub;
mod scrub_timer;
mod served;
mod sizes;
mod snapshots;
mod standing;
mod watching;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use base::patience::within;
use base::units::PollMax;
use block::executor::{BusyTime, Executor, LocalHost, Order};
use block::{Host, Ring};
use cache::{Cache, ConsistencySet};
use doors::nbd::Directory;
use tokio::sync::{mpsc, oneshot};

pub(crate) use accept::{Confirmation, Evidence};
pub(crate) use all::{HostReport, Relocation, ReportMoment, SHARDS_MAX, ShardReport, Shards};
pub(crate) use consistency_sets::{SetMembership, failure_of, waiting};
pub(crate) use destage::{Destage, QuiesceStatus, QuiescedWrites};
pub(crate) use devices::{DeviceStorage, FileChange};
pub(crate) use dirty_marker::UnsavedPools;
pub(crate) use disk::{AbsentDisk, AttachRequest, DetachPolicy, DetachReport};
pub(crate) use disk_report::DiskReport;
pub(crate) use flash::Openness;
pub(crate) use pool::{DeviceProbe, OpenedPool, Owners, PoolReport};
pub(crate) use reconfigure::ReconfigureRequest;
pub(crate) use redo_ring::{RECOVER_ADVICE, RingPlace, chosen_place, needs_ring};
pub(crate) use resizing::{NotRecorded, ResizeRequest, ResizeResult};
pub(crate) use scrub::{ScrubStatus, ScrubTimes};
use scrub_timer::ScrubTurn;

use crate::backing::BackingMonitor;
use crate::host_record::HostFile;
use crate::places::Places;
use disk::{Disk, Env};
use flash::OpenDevice;

/// Entries of the ring's submission queue: enough for 64 disks at a moderate depth.
const RING_DEPTH: u32 = 512;
/// Jobs that wait to be started; the control plane waits if there are more.
const JOBS_MAX: usize = 64;

type Job = Box<dyn FnOnce(Rc<Shard>) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// State on the thread of a shard.
pub(crate) struct Shard {
    /// Counted from 0.
    number: u32,
    ring: Ring,
    host: LocalHost,
    /// Directory of its disks for clients over TCP.
    directory: Directory,
    /// Devices that were opened and are not in use yet, on the shard that opened them; then handles for the
    /// others.
    looked_at: RefCell<BTreeMap<PathBuf, OpenDevice>>,
    cache: OnceCell<Rc<Cache<Env>>>,
    /// Set if the pool is missing, and nothing is cached on flash.
    goes_without: Cell<bool>,
    /// Set if DIR cannot be written: nothing about disks is recorded, and none of their data is on flash.
    unrecorded: Cell<bool>,
    /// The mark of this start of the pool.
    mark: Cell<u64>,
    places: Places,
    /// Durable records of its disks.
    remembered: HostFile,
    /// Its own jobs.
    jobs: mpsc::WeakSender<Job>,
    /// Threads for operations that may block on a file system.
    blocking: BlockingPool,
    /// Checks the backings of its disks.
    monitor: BackingMonitor,
    busy: BusyTime,
    disks: RefCell<BTreeMap<String, Rc<Disk>>>,
    /// Consistency sets of its disks, by name.
    sets: RefCell<BTreeMap<String, Rc<ConsistencySet<Env>>>>,
    /// The disk that the timer scrubbed last.
    timed_scrub: ScrubTurn,
}

/// Time that a query to a shard may take; its thread starts a job within milliseconds unless it hangs.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// Handle of a shard, for any thread. The shard ends when the last handle is dropped.
#[derive(Clone)]
struct ShardHandle {
    /// Counted from 0.
    number: u32,
    jobs: mpsc::Sender<Job>,
    busy: BusyTime,
    started: Instant,
}

impl ShardHandle {
    /// Starts a shard on a thread of its own.
    ///
    /// # Errors
    /// If the thread or its ring cannot be created.
    async fn start(
        places: &Places,
        remembered: &HostFile,
        directory: &Directory,
        monitor: &BackingMonitor,
        poll_max: PollMax,
        number: u32,
    ) -> Result<Self> {
        let (jobs, receiver) = mpsc::channel(JOBS_MAX);
        let surroundings = ShardContext {
            places: places.clone(),
            remembered: remembered.clone(),
            directory: directory.clone(),
            monitor: monitor.clone(),
            poll_max,
            blocking: BlockingPool::here(),
            jobs: jobs.downgrade(),
        };
        let (started, outcome) = oneshot::channel();
        thread::Builder::new()
            .name(format!("shard-{number}"))
            .spawn(move || run(number, receiver, started, surroundings))
            .map_err(|error| {
                Error::failed(format!("Cannot start the thread of a shard: {error}; free some memory"))
            })?;
        match outcome.await {
            Ok(Ok(busy)) => Ok(Self { number, jobs, busy, started: Instant::now() }),
            Ok(Err(error)) => Err(Error::failed(error.to_string())),
            Err(_) => Err(lost()),
        }
    }

    /// Runs `job` on the shard and returns its result.
    ///
    /// # Errors
    /// If the shard is gone; then the process is about to end.
    async fn call<T, F, W>(&self, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(Rc<Shard>) -> W + Send + 'static,
        W: Future<Output = T> + 'static,
    {
        let (answer, outcome) = oneshot::channel();
        let job: Job = Box::new(move |shard| {
            Box::pin(async move {
                // The caller may have stopped waiting; the effects stay.
                drop(answer.send(job(shard).await));
            })
        });
        self.jobs.send(job).await.map_err(|_| lost())?;
        outcome.await.map_err(|_| lost())
    }

    /// Runs a query as [`Self::call`] does, within a time: it has no effects.
    ///
    /// # Errors
    /// If there is no answer in time, or the shard is gone; with its number.
    async fn ask<T, F>(&self, question: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Shard) -> T + Send + 'static,
    {
        let asked = self.call(move |shard| async move { question(&shard) });
        within(ANSWER_TIME_MAX, asked).await.unwrap_or_else(|_| Err(self.silent()))
    }

    fn silent(&self) -> Error {
        Error::unavailable(format!(
            "Cannot ask shard {}: its thread has not answered for {} s; a device or file system that it waits for hangs, \
             see the log of the kernel (dmesg). Disks on other shards are served",
            self.number,
            ANSWER_TIME_MAX.as_secs()
        ))
    }
}

fn lost() -> Error {
    Error::failed("Cannot reach the shard: its thread ended; restart the daemon, and report its log")
}

/// Shared environment of a shard.
struct ShardContext {
    places: Places,
    remembered: HostFile,
    directory: Directory,
    monitor: BackingMonitor,
    poll_max: PollMax,
    blocking: BlockingPool,
    jobs: mpsc::WeakSender<Job>,
}

/// Runs a shard's thread.
fn run(
    number: u32,
    mut jobs: mpsc::Receiver<Job>,
    started: oneshot::Sender<io::Result<BusyTime>>,
    surroundings: ShardContext,
) {
    // The host may write back through a mapped disk to free memory, and this thread must not wait for that.
    // Set before the ring is created, whose threads inherit it. Without the right, `forebay map` reports it.
    if let Err(error) = rustix::process::configure_io_flusher_behavior(true) {
        tracing::debug!(%error, "not an I/O flusher");
    }
    let ring = match Ring::new(RING_DEPTH) {
        Ok(ring) => ring,
        Err(error) => {
            // The starter waits for this; if it is gone, the process ends.
            drop(started.send(Err(error)));
            return;
        }
    };
    ring.set_poll_max(surroundings.poll_max.nanos());
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let shard = Rc::new(Shard {
        number,
        ring,
        host: host.clone(),
        directory: surroundings.directory,
        looked_at: RefCell::default(),
        cache: OnceCell::new(),
        goes_without: Cell::new(false),
        unrecorded: Cell::new(false),
        mark: Cell::new(0),
        places: surroundings.places,
        remembered: surroundings.remembered,
        jobs: surroundings.jobs,
        blocking: surroundings.blocking,
        monitor: surroundings.monitor,
        busy: executor.busy_time(),
        disks: RefCell::default(),
        sets: RefCell::default(),
        timed_scrub: ScrubTurn::default(),
    });
    drop(started.send(Ok(executor.busy_time())));
    let serve = async {
        while let Some(job) = jobs.recv().await {
            host.spawn(job(Rc::clone(&shard)));
        }
    };
    executor.run(serve).expect("a ring always waits, so a shard cannot run out of things that may happen");
}

impl Shard {
    fn cache(&self) -> &Rc<Cache<Env>> {
        self.cache.get().expect("the pool is opened before any disk is attached")
    }

    fn disk(&self, name: &str) -> Option<Rc<Disk>> {
        self.disks.borrow().get(name).cloned()
    }
}
