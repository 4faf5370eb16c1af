//! Checks of the backings of all served disks from outside of their shards: one pass over all of them, on one thread that may wait.
//!
//! ```text
//!   every 5 s:  size, write protection, path of each backing ── all sound? ──> nothing to do
//!                                                                `── no, or unknown ──> its shard checks the disk
//! ```
//! A healthy backing costs its shard nothing. A pass only selects disks: the shard checks them, decides and
//! reports. A backing that hangs holds up its own check only. The pass continues behind it on further
//! threads, and the next passes skip that backing until it answers. A pass has a limited number of threads:
//! if backings hang on all of them it ends, and the next pass begins with the backings that it did not reach.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use base::patience::within;
use tokio::task::JoinSet;

use crate::backing_identity::{Attributes, BackingState};

/// Time after which an unfinished pass doubles its threads.
const STEP: Duration = Duration::from_millis(250);
/// Steps for which a pass waits while no backing answers. An answer that takes longer is lost.
const ANSWER_STEPS_MAX: u32 = 8;
/// The most threads of one pass.
const PASS_THREADS_MAX: usize = 64;
/// The most threads of all passes, including those that wait for a backing which hangs. The blocking pool
/// must have as many besides the threads that the control plane needs.
pub(crate) const MONITOR_THREADS_MAX: usize = 1024;

/// The backings of all served disks of this host. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct BackingMonitor {
    /// In the order in which the next pass checks them.
    backings: Arc<Mutex<Vec<Weak<MonitoredBacking>>>>,
    /// Threads of all passes.
    threads: Arc<AtomicUsize>,
}

/// A backing that a [`BackingMonitor`] checks, for as long as the disk has its attributes open.
pub(crate) struct MonitoredBacking {
    disk: String,
    attributes: Weak<dyn Attributes>,
    is_written: bool,
    /// Bytes that it must have.
    needed_bytes: AtomicU64,
    /// Set while the disk has a failure of its backing on record: each pass then reports it.
    in_doubt: AtomicBool,
    /// Set while a check has not been answered.
    pending: AtomicBool,
}

/// One pass over all backings.
pub(crate) struct BackingPass {
    monitor: BackingMonitor,
    work: Arc<Mutex<PassWork>>,
    threads: JoinSet<()>,
    threads_max: usize,
    /// Threads that are yet to be started.
    threads_more: usize,
    /// Steps in which an answer may still arrive.
    steps_left: u32,
}

/// A thread of a pass, counted until it ends.
struct CountedThread(Arc<AtomicUsize>);

/// The work that the threads of a pass share.
struct PassWork {
    queue: VecDeque<Arc<MonitoredBacking>>,
    /// Disks that their shards must check.
    suspects: Vec<String>,
}

impl BackingMonitor {
    /// Registers the backing of `disk`, which must have `needed_bytes`, and be writable if `is_written`.
    pub(crate) fn register(
        &self,
        disk: &str,
        attributes: Weak<dyn Attributes>,
        needed_bytes: u64,
        is_written: bool,
    ) -> Arc<MonitoredBacking> {
        let backing = Arc::new(MonitoredBacking {
            disk: disk.to_owned(),
            attributes,
            is_written,
            needed_bytes: AtomicU64::new(needed_bytes),
            in_doubt: AtomicBool::default(),
            pending: AtomicBool::default(),
        });
        lock(&self.backings).push(Arc::downgrade(&backing));
        backing
    }

    /// Begins to check every backing once.
    pub(crate) fn begin_pass(&self) -> BackingPass {
        let work = PassWork { queue: self.due(), suspects: Vec::new() };
        BackingPass {
            monitor: self.clone(),
            work: Arc::new(Mutex::new(work)),
            threads: JoinSet::new(),
            threads_max: PASS_THREADS_MAX,
            threads_more: 1,
            steps_left: ANSWER_STEPS_MAX,
        }
    }

    /// Returns the backings that a pass checks now, and removes those that are closed.
    fn due(&self) -> VecDeque<Arc<MonitoredBacking>> {
        let mut due = VecDeque::new();
        lock(&self.backings).retain(|backing| {
            let Some(backing) = backing.upgrade() else { return false };
            if !backing.pending.load(Ordering::Relaxed) {
                due.push_back(backing);
            }
            true
        });
        due
    }

    /// Makes the next pass begin with this backing.
    fn continue_with(&self, first: &Arc<MonitoredBacking>) {
        let mut backings = lock(&self.backings);
        if let Some(place) = backings.iter().position(|backing| backing.as_ptr() == Arc::as_ptr(first)) {
            backings.rotate_left(place);
        }
    }

    /// Counts one more thread; none if there are too many already.
    fn count_thread(&self) -> Option<CountedThread> {
        let is_free = |threads| (threads < MONITOR_THREADS_MAX).then_some(threads + 1);
        self.threads.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_free).ok()?;
        Some(CountedThread(Arc::clone(&self.threads)))
    }
}

impl Drop for CountedThread {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl BackingPass {
    /// Waits until further disks are found that their shards must check, and returns their names. Returns
    /// none once all backings have answered, or none has answered for too long.
    pub(crate) async fn next(&mut self) -> Option<Vec<String>> {
        while self.steps_left > 0 {
            let queued_before = lock(&self.work).queue.len();
            self.start_threads();
            let threads = &mut self.threads;
            let ended = within(STEP, async { while threads.join_next().await.is_some() {} }).await;
            let (suspects, queued) = {
                let mut work = lock(&self.work);
                (std::mem::take(&mut work.suspects), work.queue.len())
            };
            self.threads_more = match queued {
                0 => 0,
                _ => self.threads.len().min(self.threads_max - self.threads.len()),
            };
            self.steps_left = match ended {
                Ok(()) => 0,
                Err(_) if self.threads_more > 0 || queued < queued_before => ANSWER_STEPS_MAX,
                Err(_) => self.steps_left - 1,
            };
            if !suspects.is_empty() {
                return Some(suspects);
            }
        }
        self.end();
        None
    }

    fn start_threads(&mut self) {
        for _ in 0..self.threads_more {
            let Some(thread) = self.monitor.count_thread() else { return };
            let work = Arc::clone(&self.work);
            self.threads.spawn_blocking(move || {
                let _thread = thread;
                PassWork::run(&work);
            });
        }
    }

    /// Detaches the threads that wait for a backing which hangs, and leaves the queued backings to the next
    /// pass.
    fn end(&mut self) {
        let left = std::mem::take(&mut lock(&self.work).queue);
        if let Some(first) = left.front() {
            self.monitor.continue_with(first);
        }
        // With nothing queued, each ends with the answer that it waits for.
        self.threads.detach_all();
    }
}

impl PassWork {
    /// Checks backings until none is left. Blocks on their file systems.
    fn run(work: &Mutex<Self>) {
        loop {
            let Some(backing) = lock(work).queue.pop_front() else { return };
            if backing.is_suspect() {
                lock(work).suspects.push(backing.disk.clone());
            }
        }
    }
}

impl MonitoredBacking {
    /// Sets the bytes that the backing must have from now on.
    pub(crate) fn set_needed_bytes(&self, bytes: u64) {
        self.needed_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Sets whether the disk has a failure of its backing on record. While it has, each pass reports it, so
    /// that the end of the failure is noticed as well.
    pub(crate) fn set_in_doubt(&self, in_doubt: bool) {
        self.in_doubt.store(in_doubt, Ordering::Relaxed);
    }

    /// Returns true if the shard of the disk must check it.
    fn is_suspect(&self) -> bool {
        // Upgraded only here and dropped soon: it holds the locks of the backing.
        let Some(attributes) = self.attributes.upgrade() else { return false };
        self.pending.store(true, Ordering::Relaxed);
        // After a panic the state is unknown: the shard must check.
        let state = catch_unwind(AssertUnwindSafe(|| attributes.state())).unwrap_or(None);
        self.pending.store(false, Ordering::Relaxed);
        self.in_doubt.load(Ordering::Relaxed) || state.is_none_or(|state| !self.is_sound(&state))
    }

    fn is_sound(&self, state: &BackingState) -> bool {
        let has_all = matches!(state.size, Ok(size) if size >= self.needed_bytes.load(Ordering::Relaxed));
        has_all && !(self.is_written && state.is_write_protected) && !state.standing.is_elsewhere()
    }
}

/// Locks a mutex, also after a panic: its content is always consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::backing_identity::{FileAttributes, NoAttributes};
    use base::testing::TempDir;

    const BYTES: u64 = 1 << 20;

    /// A file of [`BYTES`] that is served as `disk`.
    struct ServedFile {
        attributes: Arc<dyn Attributes>,
        monitored: Arc<MonitoredBacking>,
        path: std::path::PathBuf,
    }

    impl ServedFile {
        fn new(monitor: &BackingMonitor, folder: &TempDir, disk: &str) -> Self {
            let path = folder.path().join(disk);
            let file = File::create(&path).expect("the folder is ours");
            file.set_len(BYTES).expect("there is room");
            let attributes: Arc<dyn Attributes> =
                Arc::new(FileAttributes { file: Arc::new(file), path: path.clone() });
            let monitored = monitor.register(disk, Arc::downgrade(&attributes), BYTES, true);
            Self { attributes, monitored, path }
        }

        fn cut(&self, bytes: u64) {
            let file = File::options().write(true).open(&self.path).expect("it is there");
            file.set_len(bytes).expect("it becomes smaller");
        }
    }

    /// A backing that answers only once it is released.
    struct Hanging {
        asked: Sender<()>,
        release: Mutex<Receiver<()>>,
    }

    impl Attributes for Hanging {
        fn state(&self) -> Option<BackingState> {
            self.asked.send(()).expect("the test waits for it");
            lock(&self.release).recv().unwrap_or(());
            None
        }
    }

    fn suspects(monitor: &BackingMonitor) -> Vec<String> {
        suspects_of_pass(monitor.begin_pass(), 512)
    }

    fn suspects_of_pass(mut pass: BackingPass, pool_threads: usize) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .max_blocking_threads(pool_threads)
            .build();
        let mut all = Vec::new();
        let runtime = runtime.expect("a runtime for one thread");
        runtime.block_on(async {
            while let Some(suspects) = pass.next().await {
                all.extend(suspects);
            }
        });
        // The hanging threads end when the test releases them.
        runtime.shutdown_background();
        all.sort();
        all
    }

    type HangingDisk = (Arc<dyn Attributes>, Arc<MonitoredBacking>, Sender<()>);

    /// Registers disks whose backings hang, each with its release.
    fn hanging(monitor: &BackingMonitor, count: usize, asked: &Sender<()>) -> Vec<HangingDisk> {
        let register = |number| {
            let (let_go, release) = channel();
            let attributes: Arc<dyn Attributes> =
                Arc::new(Hanging { asked: asked.clone(), release: Mutex::new(release) });
            let disk = format!("hangs{number}");
            let monitored = monitor.register(&disk, Arc::downgrade(&attributes), BYTES, true);
            (attributes, monitored, let_go)
        };
        (0..count).map(register).collect()
    }

    /// A backing whose check panics.
    struct Panicking;

    impl Attributes for Panicking {
        fn state(&self) -> Option<BackingState> {
            panic!("a fault, for the test")
        }
    }

    #[test]
    fn a_pass_reports_what_was_cut_moved_or_failed_before_and_leaves_alone_what_is_as_it_should_be() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let [sound, cut, moved, failed] =
            ["sound", "cut", "moved", "failed"].map(|disk| ServedFile::new(&monitor, &folder, disk));
        assert_eq!(suspects(&monitor), [""; 0]);
        cut.cut(BYTES - 1);
        std::fs::rename(&moved.path, folder.path().join("elsewhere")).expect("the folder is ours");
        failed.monitored.set_in_doubt(true);
        assert_eq!(suspects(&monitor), ["cut", "failed", "moved"]);
        failed.monitored.set_in_doubt(false);
        std::fs::rename(folder.path().join("elsewhere"), &moved.path).expect("the folder is ours");
        assert_eq!(suspects(&monitor), ["cut"]);
        drop((cut.attributes, sound));
        assert_eq!(suspects(&monitor), [""; 0], "what is detached is not checked any more");
    }

    #[test]
    fn a_disk_that_grew_needs_the_larger_backing() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let served = ServedFile::new(&monitor, &folder, "a");
        served.cut(2 * BYTES);
        served.monitored.set_needed_bytes(2 * BYTES);
        assert_eq!(suspects(&monitor), [""; 0]);
        served.cut(BYTES);
        assert_eq!(suspects(&monitor), ["a"]);
    }

    #[test]
    fn a_backing_that_nobody_on_this_host_can_tell_about_is_checked_by_its_shard() {
        let monitor = BackingMonitor::default();
        let attributes: Arc<dyn Attributes> = Arc::new(NoAttributes);
        let _monitored = monitor.register("nbd", Arc::downgrade(&attributes), BYTES, true);
        assert_eq!(suspects(&monitor), ["nbd"]);
    }

    #[test]
    fn backings_that_hang_hold_up_no_other_and_are_asked_again_once_they_have_answered() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let (asked, times) = channel();
        let hanging = hanging(&monitor, 5, &asked);
        let cut = ServedFile::new(&monitor, &folder, "cut");
        cut.cut(0);
        assert_eq!(suspects(&monitor), ["cut"]);
        assert_eq!(times.try_iter().count(), 5);
        assert_eq!(suspects(&monitor), ["cut"]);
        assert_eq!(times.try_iter().count(), 0, "they have not answered yet");
        for (_, _, let_go) in &hanging {
            // Twice: each is asked again.
            let_go.send(()).and_then(|()| let_go.send(())).expect("it waits for this");
        }
        while hanging.iter().any(|(_, monitored, _)| monitored.pending.load(Ordering::Relaxed)) {
            std::thread::yield_now();
        }
        assert_eq!(suspects(&monitor), ["cut", "hangs0", "hangs1", "hangs2", "hangs3", "hangs4"]);
    }

    #[test]
    fn a_pass_ends_with_backings_hanging_on_all_its_threads_and_the_next_one_begins_with_those_left() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let (asked, times) = channel();
        let hanging = hanging(&monitor, 6, &asked);
        let cut = ServedFile::new(&monitor, &folder, "cut");
        cut.cut(0);
        let small = || BackingPass { threads_max: 4, ..monitor.begin_pass() };
        assert_eq!(
            suspects_of_pass(small(), 512),
            [""; 0],
            "it is behind more than the pass has threads for"
        );
        assert_eq!(times.try_iter().count(), 4);
        assert_eq!(suspects_of_pass(small(), 512), ["cut"]);
        assert_eq!(times.try_iter().count(), 2);
        assert_eq!(monitor.threads.load(Ordering::Relaxed), 6, "each waits for one backing");
        drop(hanging.into_iter().map(|(attributes, ..)| attributes).collect::<Vec<_>>());
        while monitor.threads.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_pass_ends_on_a_runtime_whose_only_thread_hangs_and_leaves_nothing_unchecked_for_good() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let (asked, times) = channel();
        let _hanging = hanging(&monitor, 1, &asked);
        let cut = ServedFile::new(&monitor, &folder, "cut");
        cut.cut(0);
        assert_eq!(suspects_of_pass(monitor.begin_pass(), 1), [""; 0]);
        assert_eq!(times.try_iter().count(), 1);
        assert_eq!(suspects_of_pass(monitor.begin_pass(), 1), ["cut"]);
    }

    #[test]
    fn passes_have_a_limited_number_of_threads_in_all() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let cut = ServedFile::new(&monitor, &folder, "cut");
        cut.cut(0);
        let taken: Vec<_> = std::iter::from_fn(|| monitor.count_thread()).collect();
        assert_eq!(taken.len(), MONITOR_THREADS_MAX);
        assert_eq!(suspects(&monitor), [""; 0], "the pass ends all the same");
        drop(taken);
        assert_eq!(suspects(&monitor), ["cut"]);
    }

    #[test]
    fn a_backing_whose_examination_panics_is_checked_by_its_shard_each_time() {
        let (monitor, folder) = (BackingMonitor::default(), TempDir::new());
        let attributes: Arc<dyn Attributes> = Arc::new(Panicking);
        let _monitored = monitor.register("a", Arc::downgrade(&attributes), BYTES, true);
        let cut = ServedFile::new(&monitor, &folder, "cut");
        cut.cut(0);
        for _ in 0..2 {
            assert_eq!(suspects(&monitor), ["a", "cut"]);
        }
    }
}
