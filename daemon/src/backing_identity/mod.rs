//! Recovery trust: this host's records of a disk besides the flash, which decide how far its cached content
//! is trusted when it is attached.
//!
//! ```text
//!   DIR/state.json        appearance of the backing when this host had it last                    survives the host
//!   the backing           random session id of its last attachment, in an extended attribute      goes with the data
//!                         and, while flash may have newer data, the dirty mark
//!   RUN/touched/ID        one bit for each page that is not in the log as the backing holds it    survives the process
//! ```
//! A cache that is warm after a restart may have old data if the backing was changed in between: a snapshot
//! was restored, the file system repaired, another file put under the same name, or the disk served on
//! another host. So content is trusted only if the backing can be the same: not smaller, same file or device,
//! same attachment; after a clean stop also not modified since. If that is unknown (a raw device, a crash),
//! samples of the cached pages are compared with the backing first. If only the time of change shows that a
//! file may be another version, every cached page is compared. If no property shows whether it is the same
//! device, nothing is trusted.
//!
//! ```text
//!   attach, detach:  record {old, new id} ── durable ── new id to the backing ── durable ── record {new id} ── durable
//! ```
//! A crash at any step leaves a session id on the backing that is in the record. All attributes are those of
//! the open file: its path may refer to another one by then.
//!
//! The shard asks for it when a disk is attached or detached. File systems may block, so it runs on threads
//! for that, one step after another: a change holds the record until it is durable.

mod appearance;
mod attributes;
mod device;
mod record;
#[cfg(test)]
mod stories;
mod write_intents;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use block::file::Access;
use cache::{DiskExpectation, RecoveryContext, RecoveryTrust, SharedBits};
use tokio::sync::{Mutex, OwnedMutexGuard};

use appearance::new_session;
pub(crate) use appearance::{Appearance, DirtyMark};
pub(crate) use attributes::{Attributes, BackingState, CannotMark, FileAttributes, NoAttributes, PathCheck};
use record::{DistrustReason, Modification, Record};
pub(crate) use write_intents::WriteIntentBitmap;

use crate::host_record::{HostFile, HostRecord};
use crate::places::Places;

/// Cached pages that are compared with the backing if its state is unknown.
const SAMPLES: usize = 128;
/// The same if a file was changed, but perhaps not its content.
const SAMPLES_IF_TOUCHED: usize = 1024;
/// Reason for trusting nothing where samples do not help: they may find changes by other clients, but not
/// writes that a server lost when it restarted while no connection to it was open.
const UNGUARDED: &str = "Nobody kept its NBD server from changing it meanwhile";

/// Returns how far a disk's content would be trusted if it were attached now, after a start whose predecessor
/// left `mark` on the pool. Changes nothing. If the backing is missing, the disk waits, and its cache is
/// kept.
pub(crate) fn foresee(
    places: &Places,
    host: &HostRecord,
    id: u32,
    backing: UnopenedBacking,
    disk_bytes: Option<u64>,
    mark: u64,
) -> DiskExpectation {
    let without_bits = |belief| DiskExpectation { belief, touched: None };
    let UnopenedBacking { appearance, may_exist, is_guarded } = backing;
    // If the backing cannot be examined, the disk waits as well.
    let may_exist = may_exist && appearance.is_some();
    let found = appearance.unwrap_or_default();
    let record = Record::load(host, id);
    // The size of a device is assumed to be unchanged: only a start examines it, because that may block.
    let bytes = found.bytes.or(disk_bytes);
    let verdict = record.judge(id, &Appearance { bytes, ..found });
    let disk_bytes = disk_bytes.max(record.bytes).or(bytes);
    match verdict {
        Err(doubt) if !is_guarded => return without_bits(unguarded(doubted(&doubt))),
        Ok(_) if !is_guarded => return without_bits(unguarded(RecoveryTrust::ByRegion)),
        Err(doubt) if doubt == DistrustReason::Invalidated || may_exist => {
            return without_bits(doubted(&doubt));
        }
        _ => {}
    }
    let bits =
        disk_bytes.and_then(|disk_bytes| WriteIntentBitmap::peek(&places.touched(), id, disk_bytes, mark));
    let touched = bits.map(|bits| Rc::new(bits) as Rc<dyn SharedBits>);
    let belief = if touched.is_some() { RecoveryTrust::ByPage } else { RecoveryTrust::ByRegion };
    DiskExpectation { belief, touched }
}

/// A backing that is not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnopenedBacking {
    /// None if it cannot be examined, as at a start.
    pub(crate) appearance: Option<Appearance>,
    /// False if its place is empty.
    pub(crate) may_exist: bool,
    /// True if others are kept from changing it while it is not served.
    pub(crate) is_guarded: bool,
}

/// Returns the trust that is left in spite of a doubt.
fn doubted(doubt: &DistrustReason) -> RecoveryTrust {
    match doubt {
        DistrustReason::Invalidated => RecoveryTrust::Invalidated(doubt.reason()),
        DistrustReason::Backing(reason) => RecoveryTrust::Nothing(reason.clone()),
    }
}

/// Returns the trust in a disk on a server that was open to other clients, where `belief` is the trust
/// otherwise. The server may have lost acknowledged writes, which are clean here. Dirty data never reached
/// it, and stays valid.
pub(crate) fn unguarded(belief: RecoveryTrust) -> RecoveryTrust {
    match belief {
        RecoveryTrust::ByPage | RecoveryTrust::ByRegion => RecoveryTrust::DirtyOnly(UNGUARDED.to_owned()),
        doubted => doubted,
    }
}

/// Returns the trust in a disk that a QEMU has open as well, where `belief` is the trust otherwise.
pub(crate) fn beside_qemu(belief: RecoveryTrust) -> RecoveryTrust {
    match belief {
        RecoveryTrust::Invalidated(reason) => RecoveryTrust::Invalidated(reason),
        _ => RecoveryTrust::Nothing("A QEMU has its backing open too".to_owned()),
    }
}

/// Gives a backing that is about to be changed by a recovery a new session id, durably: what flash has of it is not trusted any more.
///
/// # Errors
/// If it can bear one, and that cannot be written.
pub(crate) fn renew_session(backing: &dyn Attributes) -> Result<()> {
    if backing.check_marks().is_err() {
        return Ok(());
    }
    let renewed =
        new_session().and_then(|session| backing.set_session(&session).map_err(|CannotMark(reason)| reason));
    renewed.map_err(|reason| {
        Error::failed(format!("Cannot write to the attributes of the backing: {reason}; make room there"))
    })
}

/// The history of a disk that moves to another shard, while its backing stays open.
#[derive(Clone)]
pub(crate) struct HistoryHandle {
    backing: Arc<dyn Attributes>,
    marked: Option<DirtyMark>,
    cannot_mark: Option<CannotMark>,
}

/// Sizes of a disk when it is attached, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The size that guests saw last, if it is recorded.
    pub(crate) remembered: Option<u64>,
    /// The size of the backing.
    pub(crate) backing: u64,
}

/// The history of one disk, owned by its shard.
pub(crate) struct BackingHistory {
    places: Places,
    /// File of its record.
    host: HostFile,
    id: u32,
    blocking: BlockingPool,
    /// The durable record. A change owns it, so that it stays in step with the file even if the caller does
    /// not wait for the end.
    record: Arc<Mutex<Record>>,
    touched: RefCell<Rc<WriteIntentBitmap>>,
    kept: bool,
    /// Bytes of the disk when it was attached.
    disk_bytes: u64,
    /// The backing, until the disk is detached.
    backing: RefCell<Arc<dyn Attributes>>,
    /// Set while a comparison of the backing with its path has not been answered.
    checking_path: Arc<AtomicBool>,
    /// The dirty mark on the backing.
    marked: RefCell<Option<DirtyMark>>,
    /// Reason for which it cannot bear one.
    cannot_mark: Option<CannotMark>,
}

impl BackingHistory {
    /// Reads the record of a disk, and the appearance of its open backing. `mark` is that of this start of
    /// the pool.
    ///
    /// # Errors
    /// If either cannot be read.
    pub(crate) async fn open(
        blocking: &BlockingPool,
        (places, host): (&Places, &HostFile),
        id: u32,
        sizes: Sizes,
        mark: u64,
        backing: Arc<dyn Attributes>,
    ) -> Result<(Self, Appearance)> {
        let record = host.read(|host| Record::load(host, id));
        // The larger of the two was recorded last: disks never shrink.
        let disk_bytes = sizes.remembered.max(record.bytes).unwrap_or(sizes.backing);
        // A disk that does not fit its backing is not served; its bits stay as they are.
        let disk_bytes = disk_bytes.min(sizes.backing);
        let looking = move || {
            let (found, cannot_mark) = (appearance_of(&*backing)?, backing.check_marks().err());
            Ok::<_, Error>((HistoryHandle { backing, marked: found.dirty.clone(), cannot_mark }, found))
        };
        let (handle, found) = blocking.run(looking).await??;
        let history = Self::from_handle(blocking, (places, host), id, disk_bytes, mark, handle).await?;
        Ok((history, found))
    }

    /// Returns the parts with which another shard can use it: see [`Self::from_handle`].
    pub(crate) fn handle(&self) -> HistoryHandle {
        let (marked, cannot_mark) = (self.marked.borrow().clone(), self.cannot_mark.clone());
        HistoryHandle { backing: self.backing(), marked, cannot_mark }
    }

    /// Returns the history of a disk of `disk_bytes` whose backing is open. Does not access the backing.
    /// `mark` is that of this start of the pool.
    ///
    /// # Errors
    /// If there is no memory for the bits of touched pages.
    pub(crate) async fn from_handle(
        blocking: &BlockingPool,
        (places, host): (&Places, &HostFile),
        id: u32,
        disk_bytes: u64,
        mark: u64,
        handle: HistoryHandle,
    ) -> Result<Self> {
        let folder = places.touched();
        let opening = move || {
            WriteIntentBitmap::check_memory(&folder, id, disk_bytes)?;
            WriteIntentBitmap::open(&folder, id, disk_bytes, mark)
        };
        let (touched, kept) = blocking.run(opening).await??;
        let HistoryHandle { backing, marked, cannot_mark } = handle;
        Ok(Self {
            places: places.clone(),
            host: host.clone(),
            id,
            blocking: blocking.clone(),
            record: Arc::new(Mutex::new(host.read(|host| Record::load(host, id)))),
            touched: RefCell::new(Rc::new(touched)),
            kept,
            disk_bytes,
            backing: RefCell::new(backing),
            checking_path: Arc::default(),
            marked: RefCell::new(marked),
            cannot_mark,
        })
    }

    /// Returns the reason for which the backing cannot be marked, as it was found at opening.
    pub(crate) fn cannot_mark(&self) -> Option<&CannotMark> {
        self.cannot_mark.as_ref()
    }

    /// Returns the size of the disk in bytes: the one that guests saw last, however large its backing has
    /// become since.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.disk_bytes
    }

    /// Prepares bits for a disk that is about to have `disk_bytes`.
    ///
    /// # Errors
    /// If there is no memory for them; then everything is as before.
    pub(crate) fn larger_bits(&self, disk_bytes: u64) -> Result<WriteIntentBitmap> {
        WriteIntentBitmap::check_memory(&self.places.touched(), self.id, disk_bytes)?;
        // Mapping waits for memory only: the bits in use belong to this thread.
        let before = Rc::clone(&self.touched.borrow());
        WriteIntentBitmap::larger(&before, disk_bytes).map_err(|error| {
            Error::failed(format!(
                "Cannot note which pages of {disk_bytes} bytes change, in {}: {error}; make room there",
                self.places.touched().display()
            ))
        })
    }

    /// Uses such bits from now on. Must be in one step with their users.
    pub(crate) fn go_on_with_bits(&self, larger: WriteIntentBitmap) -> Rc<WriteIntentBitmap> {
        let larger = Rc::new(larger);
        larger.follow(&self.touched.borrow());
        self.touched.replace(Rc::clone(&larger));
        larger
    }

    /// Returns how far the cached content is trusted, if this is the present appearance of the backing.
    pub(crate) async fn recovery_context(self: &Rc<Self>, backing: &Appearance) -> RecoveryContext {
        let (verdict, epoch) = {
            let record = self.record.lock().await;
            (record.judge(self.id, backing), record.epoch)
        };
        let past = match verdict {
            Err(doubt) => self.context_by(doubted(&doubt), 0),
            Ok(Modification::Not) => self.context_by(self.belief(), 0),
            Ok(Modification::PerhapsSetBack) => {
                self.context_by(RecoveryTrust::Nothing(Modification::SET_BACK.to_owned()), 0)
            }
            Ok(Modification::PerhapsAround) => self.context_by(self.belief(), SAMPLES_IF_TOUCHED),
            Ok(Modification::Perhaps) => self.context_by(self.belief(), SAMPLES),
        };
        // A disk that was attached before keeps its reservation.
        RecoveryContext { granted: epoch > 0, ..past }
    }

    /// Returns true if this appearance differs in the time of change only: a comparison of every cached page
    /// with the backing can decide.
    pub(crate) async fn may_be_set_back(&self, backing: &Appearance) -> bool {
        self.record.lock().await.judge(self.id, backing) == Ok(Modification::PerhapsSetBack)
    }

    /// Returns true if nothing on flash is valid: the flash failed, and the disk continued without it. All
    /// dirty data had been destaged before.
    pub(crate) async fn is_invalidated(&self) -> bool {
        self.record.lock().await.void
    }

    /// Returns how far cached content would be trusted, if the backing were known to be unchanged.
    pub(crate) fn expected(&self) -> DiskExpectation {
        let bits = || Rc::<WriteIntentBitmap>::clone(&self.touched.borrow()) as Rc<dyn SharedBits>;
        DiskExpectation { belief: self.belief(), touched: self.kept.then(bits) }
    }

    /// Returns the trust in a disk whose backing stayed open and locked by this process, and was changed by
    /// it only.
    pub(crate) fn unbroken_context(self: &Rc<Self>) -> RecoveryContext {
        self.context_by(self.belief(), 0)
    }

    fn belief(&self) -> RecoveryTrust {
        if self.kept { RecoveryTrust::ByPage } else { RecoveryTrust::ByRegion }
    }

    fn context_by(self: &Rc<Self>, belief: RecoveryTrust, samples: usize) -> RecoveryContext {
        let history = Rc::clone(self);
        RecoveryContext {
            belief,
            disk_bytes: Some(self.disk_bytes),
            touched: Rc::<WriteIntentBitmap>::clone(&self.touched.borrow()),
            samples,
            granted: true,
            flash_lost: Rc::new(move || {
                let history = Rc::clone(&history);
                Box::pin(async move { history.remember_flash_lost().await })
            }),
        }
    }

    /// Records that the disk is attached: from now on the backing changes only through this daemon, and the
    /// session id on it shows that it was attached. Nothing of the backing may be changed before.
    ///
    /// # Errors
    /// If it cannot be recorded; then the disk must not be served.
    pub(crate) async fn begin(&self, bytes: u64, access: Access, flash_failed: bool) -> Result<()> {
        // Content that was to be invalidated is, durably, unless flash failed: then it may return with the
        // flash.
        let void = if flash_failed { Invalidation::AsBefore } else { Invalidation::No };
        let at_rest = access == Access::ReadOnly;
        self.turn(EpochChange { bytes, access, void, at_rest }).await?;
        self.touched.borrow().validate();
        Ok(())
    }

    /// Continues after an attachment without a detachment in between: the record of [`Self::begin`] still
    /// holds.
    pub(crate) fn go_on(&self) {
        self.touched.borrow().validate();
    }

    /// Records that the disk is detached: its backing has every write of guests, and its cache is complete.
    /// Nothing of the backing may be changed after that.
    ///
    /// # Errors
    /// If it cannot be recorded; then less is trusted at the next start.
    pub(crate) async fn end(&self, bytes: u64, access: Access) -> Result<()> {
        self.turn(EpochChange { bytes, access, void: Invalidation::AsBefore, at_rest: true }).await
    }

    /// Closes the backing, and so releases its locks.
    pub(crate) fn close(&self) {
        self.backing.replace(Arc::new(NoAttributes));
    }

    /// Writes a dirty mark to the backing, or returns the reason for which it cannot bear one. A backing that
    /// bears the mark is not accessed: it may be unreachable.
    ///
    /// # Errors
    /// If the backing could not be accessed.
    pub(crate) async fn mark(&self, mark: DirtyMark) -> Result<Result<(), CannotMark>> {
        if self.marked.borrow().as_ref() == Some(&mark) {
            return Ok(Ok(()));
        }
        let backing = self.backing();
        // If the caller does not wait for the end, the mark on the backing is unknown.
        self.marked.take();
        let written = mark.clone();
        let marking = self.blocking.run(move || backing.set_dirty_mark(&written)).await?;
        if marking.is_ok() {
            self.marked.replace(Some(mark));
        }
        Ok(marking)
    }

    /// Removes the mark, if the backing bears it: the backing is complete. A mark that stays keeps other
    /// hosts away, and does no other harm.
    pub(crate) async fn unmark(&self, mark: DirtyMark) {
        let backing = self.backing();
        self.marked.take();
        let name = mark.name.clone();
        let removing = move || backing.remove_dirty_mark(&mark).map_err(|error| error.to_string());
        let removed = self.blocking.run(removing).await;
        if let Err(reason) = removed.map_err(|problem| problem.message).flatten() {
            tracing::warn!(
                "The backing of disk '{name}' still has the dirty mark, although flash has no newer data: {reason}"
            );
        }
    }

    /// Compares the open backing with the file at its path; none if it has no path, or the result is unknown.
    /// A file system that has not answered an earlier comparison is not asked again before it has.
    pub(crate) async fn check_path(&self) -> Option<PathCheck> {
        let (backing, pending) = (self.backing(), Arc::clone(&self.checking_path));
        if !backing.has_path() || pending.swap(true, Ordering::Relaxed) {
            return None;
        }
        let checking = move || {
            let check = backing.check_path();
            pending.store(false, Ordering::Relaxed);
            check
        };
        self.blocking.run(checking).await.ok().flatten()
    }

    /// Returns the attributes of the open backing, until [`Self::close`].
    pub(crate) fn attributes(&self) -> Weak<dyn Attributes> {
        Arc::downgrade(&self.backing.borrow())
    }

    fn backing(&self) -> Arc<dyn Attributes> {
        Arc::clone(&self.backing.borrow())
    }

    /// Removes the records of a disk that was removed.
    ///
    /// # Errors
    /// If that cannot be saved. Its number is never used again, so remaining records are not trusted.
    pub(crate) async fn forget(
        blocking: &BlockingPool,
        places: &Places,
        host: &HostFile,
        id: u32,
    ) -> Result<()> {
        let folder = places.touched();
        blocking.run(move || WriteIntentBitmap::forget(&folder, id)).await?;
        let forgetting = host.change(move |host| {
            host.forget_backing(id);
            Ok(())
        });
        forgetting.await
    }

    /// Gives the backing the session id of a new attachment, and records it, each step durably.
    async fn turn(&self, turn: EpochChange) -> Result<()> {
        let backing = self.backing();
        self.change(move |records| {
            let EpochChange { bytes, access, void, at_rest } = turn;
            let found = appearance_of(&*backing)?;
            if access == Access::ReadWrite && found.bears_sessions() {
                let next = new_session().map_err(|reason| {
                    Error::failed(format!(
                        "Cannot name an attachment: {reason}; the system has no random numbers"
                    ))
                })?;
                records.save(records.last().about_to_bear(found.session.as_ref(), &next))?;
                // A session id that it cannot bear is not recorded either: the one that it bears now counts.
                drop(backing.set_session(&next));
            }
            let now = Appearance { bytes: Some(bytes), ..appearance_of(&*backing)? };
            let before = records.last();
            let void = void == Invalidation::AsBefore && before.void;
            records.save(Record::now(before.epoch + 1, &now, void, at_rest))
        })
        .await
    }

    async fn remember_flash_lost(&self) -> Result<(), String> {
        let invalidated = self.change(|records| records.save(records.last().invalidated()));
        invalidated.await.map_err(|problem| problem.message)
    }

    /// Changes the record durably, after all changes that were requested before.
    async fn change(
        &self,
        steps: impl FnOnce(&mut RecordGuard) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let last = Arc::clone(&self.record).lock_owned().await;
        let mut records = RecordGuard { last, host: self.host.clone(), id: self.id };
        self.blocking.run(move || steps(&mut records)).await?
    }
}

/// The record of a disk, owned by a change.
struct RecordGuard {
    last: OwnedMutexGuard<Record>,
    host: HostFile,
    id: u32,
}

impl RecordGuard {
    /// Returns the durable record.
    fn last(&self) -> &Record {
        &self.last
    }

    /// Saves another record, durably.
    ///
    /// # Errors
    /// If it cannot be saved; then the earlier one stays.
    fn save(&mut self, next: Record) -> Result<()> {
        next.save(&self.host, self.id)?;
        *self.last = next;
        Ok(())
    }
}

fn appearance_of(backing: &dyn Attributes) -> Result<Appearance> {
    backing.appearance().map_err(|error| {
        Error::failed(format!("Cannot examine the open backing: {error}; check its file system"))
    })
}

/// The step from one epoch to the next.
struct EpochChange {
    bytes: u64,
    access: Access,
    void: Invalidation,
    at_rest: bool,
}

/// Invalidation of the content of flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Invalidation {
    No,
    /// As it was before the turn.
    AsBefore,
}

#[cfg(test)]
mod tests {
    use base::store::Store;
    use base::testing::{TempDir, run};
    use futures_util::FutureExt;

    use super::*;

    const SIZE: u64 = 1 << 20;
    const NEW: Sizes = Sizes { remembered: None, backing: SIZE };

    /// Runs a test with the history of a disk whose backing is on another host, in the folder `DIR` of that.
    fn with_history(tell: impl AsyncFnOnce(Rc<BackingHistory>, &HostFile)) {
        let dir = TempDir::new();
        let places = Places {
            dir: dir.path().join("d"),
            run: dir.path().into(),
            nbd_uri: None,
            stores: crate::stores::Stores::default(),
        };
        places.make().expect("the folder is ours");
        let host =
            HostFile::new(&Store::start(&places.dir).expect("there are threads"), HostRecord::default());
        run(async {
            let backing = Arc::new(NoAttributes);
            let opened =
                BackingHistory::open(&BlockingPool::here(), (&places, &host), 1, NEW, 7, backing).await;
            tell(Rc::new(opened.expect("the folder is ours").0), &host).await;
        });
    }

    fn remembered(host: &HostFile) -> Record {
        host.read(|host| Record::load(host, 1))
    }

    #[test]
    fn flash_that_fails_while_a_disk_is_being_attached_is_remembered_as_void() {
        with_history(async |history, host| {
            let past = history.recovery_context(&Appearance::default()).await;
            let attached = history.begin(SIZE, Access::ReadWrite, false);
            let (begun, lost) = tokio::join!(attached, (past.flash_lost)());
            assert_eq!((begun, lost), (Ok(()), Ok(())));
            assert!(remembered(host).void);
            history.end(SIZE, Access::ReadWrite).await.expect("the folder is ours");
            assert!(remembered(host).void, "a clean stop does not make it believed");
            // With flash that works, the cache was dropped durably before.
            history.begin(SIZE, Access::ReadWrite, false).await.expect("the folder is ours");
            assert!(!remembered(host).void);
        });
    }

    #[test]
    fn a_backing_that_cannot_be_examined_keeps_its_disk_waiting_with_what_is_cached_as_a_start_does() {
        let dir = TempDir::new();
        let places = Places {
            dir: dir.path().join("d"),
            run: dir.path().into(),
            nbd_uri: None,
            stores: crate::stores::Stores::default(),
        };
        let host = HostRecord::default();
        let foreseen = |appearance, may_exist| {
            let backing = UnopenedBacking { appearance, may_exist, is_guarded: true };
            foresee(&places, &host, 1, backing, Some(SIZE), 7).belief
        };
        let another = Some(Appearance { bytes: Some(2 * SIZE), ..Appearance::default() });
        assert!(matches!(foreseen(another, true), RecoveryTrust::Nothing(_)));
        assert_eq!(foreseen(None, true), foreseen(Some(Appearance::default()), false));
        assert_eq!(foreseen(None, true), RecoveryTrust::ByRegion);
    }

    #[test]
    fn a_server_that_nobody_guarded_is_believed_only_not_to_have_what_it_never_had() {
        for by in [RecoveryTrust::ByPage, RecoveryTrust::ByRegion] {
            assert!(matches!(unguarded(by), RecoveryTrust::DirtyOnly(_)));
        }
        let other = RecoveryTrust::Nothing("another size".to_owned());
        assert_eq!(unguarded(other.clone()), other, "another backing gets nothing of what is dirty");
        let void = doubted(&DistrustReason::Invalidated);
        assert!(matches!(unguarded(void.clone()), RecoveryTrust::Invalidated(_)));
        assert_eq!(beside_qemu(void.clone()), void);
        assert!(matches!(beside_qemu(RecoveryTrust::ByPage), RecoveryTrust::Nothing(_)));
    }

    #[test]
    fn a_change_that_nobody_waits_for_is_finished_before_the_next_one() {
        with_history(async |history, host| {
            let began = history.begin(SIZE, Access::ReadWrite, false).now_or_never();
            assert_eq!(began, None, "it was given up");
            history.end(SIZE, Access::ReadWrite).await.expect("the folder is ours");
            assert_eq!(remembered(host).epoch, 2);
        });
    }

    #[test]
    fn what_cannot_be_remembered_is_an_error_and_the_record_stays() {
        with_history(async |history, host| {
            let past = history.recovery_context(&Appearance::default()).await;
            let (dir, away) = (host.store().dir(), host.store().dir().with_extension("away"));
            std::fs::rename(dir, &away).expect("the folder is ours");
            let reason = (past.flash_lost)().await.expect_err("there is no folder");
            assert!(reason.contains("state.json"), "{reason}");
            std::fs::rename(&away, dir).expect("the folder is ours");
            history.begin(SIZE, Access::ReadWrite, true).await.expect("the folder is ours");
            assert!(!remembered(host).void, "it never was");
        });
    }
}
