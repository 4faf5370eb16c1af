//! Snapshots and clones in walks: what is known of each, and what hosts do with them.
//!
//! Promise: a snapshot that was confirmed is listed and reads the same until deleting it begins; one that was deleted is not listed. A clone that
//! was created begins with the content of its snapshot, whatever becomes of that. A snapshot with a clone is not deleted.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::Host;
use block::executor::LocalHost;
use volume::{StoreErrorKind, Volume, VolumeError, VolumeOptions};

use crate::store::{Health, HostStore, MILLISECOND, Objects};
use crate::{Content, Disk, History, Writer, deduplicates, read_all, settings, wake};

/// Names of snapshots, which are used again once a snapshot is gone.
const NAMES: u64 = 4;
/// Snapshots and clones that are not gone, of one walk.
const MOST: usize = 6;

/// Knowledge of a snapshot or clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its creator got no answer.
    Perhaps,
    There,
    /// Deleting it began.
    Going,
    Gone,
}

pub(crate) struct Taken {
    pub(crate) volume: String,
    name: String,
    content: Content,
    pub(crate) stage: Cell<Stage>,
}

pub(crate) struct CloneOf {
    pub(crate) name: String,
    of: Rc<Taken>,
    pub(crate) history: Rc<History>,
    pub(crate) stage: Cell<Stage>,
}

/// All volumes, snapshots and clones of a walk.
pub(crate) struct Family {
    objects: Rc<Objects>,
    pub(crate) host: LocalHost,
    pub(crate) seed: u64,
    pub(crate) is_active: bool,
    snapshots: RefCell<Vec<Rc<Taken>>>,
    pub(crate) clones: RefCell<Vec<Rc<CloneOf>>>,
    next_clone: Cell<u64>,
    pub(crate) violation: RefCell<Option<String>>,
    /// Snapshots confirmed, deleted, refused to be for their clones, and read; clones created.
    pub(crate) counts: [Cell<u64>; 5],
}

fn is_store_error(error: &VolumeError) -> bool {
    matches!(error, VolumeError::Store(error) if error.kind != StoreErrorKind::NotFound)
}

impl Family {
    pub(crate) fn new(objects: &Rc<Objects>, host: &LocalHost, seed: u64, is_active: bool) -> Rc<Self> {
        Rc::new(Self {
            objects: Rc::clone(objects),
            host: host.clone(),
            seed,
            is_active,
            snapshots: RefCell::default(),
            clones: RefCell::default(),
            next_clone: Cell::new(0),
            violation: RefCell::new(None),
            counts: Default::default(),
        })
    }

    fn violate(&self, what: impl Into<String>) {
        self.violation.borrow_mut().get_or_insert(what.into());
    }

    fn count(&self, at: usize) {
        self.counts[at].set(self.counts[at].get() + 1);
    }

    fn below(&self, end: u64) -> u64 {
        self.host.random() % end
    }

    /// Returns what is not gone of a volume, or of all.
    fn left(&self, volume: Option<&str>) -> Vec<Rc<Taken>> {
        let is_left = |taken: &&Rc<Taken>| {
            taken.stage.get() != Stage::Gone && volume.is_none_or(|volume| volume == taken.volume)
        };
        self.snapshots.borrow().iter().filter(is_left).cloned().collect()
    }

    fn clones_of(&self, taken: &Rc<Taken>, stages: &[Stage]) -> Vec<String> {
        let clones = self.clones.borrow();
        let of = clones.iter().filter(|clone| Rc::ptr_eq(&clone.of, taken));
        of.filter(|clone| stages.contains(&clone.stage.get())).map(|clone| clone.name.clone()).collect()
    }

    /// Takes a snapshot of what a writer changed. Returns true if it is confirmed.
    pub(crate) async fn take(&self, writer: &Writer, content: Content) -> bool {
        let name = format!("s{}", self.below(NAMES));
        // One that creates a clone may find the later one of a name.
        let is_awaited = |clone: &Rc<CloneOf>| {
            clone.stage.get() == Stage::Perhaps && clone.of.volume == writer.name && clone.of.name == name
        };
        if self.left(None).len() >= MOST
            || self.left(Some(&writer.name)).iter().any(|taken| taken.name == name)
            || self.clones.borrow().iter().any(is_awaited)
        {
            return false;
        }
        let volume = writer.name.clone();
        let taken = Rc::new(Taken { volume, name, content, stage: Cell::new(Stage::Perhaps) });
        self.snapshots.borrow_mut().push(Rc::clone(&taken));
        match writer.disk.snapshot(&taken.name).await {
            Ok(summary) => {
                if taken.stage.get() == Stage::Perhaps {
                    taken.stage.set(Stage::There);
                }
                if summary.bytes != *content.last().unwrap() {
                    self.violate(format!("a snapshot has another size: {summary:?}"));
                }
                self.count(0);
                true
            }
            Err(VolumeError::SnapshotExists { .. }) => {
                self.violate(format!("{}@{} exists, and was deleted", taken.volume, taken.name));
                false
            }
            Err(_) => false,
        }
    }

    /// Deletes a snapshot of a writer's volume.
    pub(crate) async fn drop_one(&self, writer: &Writer) {
        let left = self.left(Some(&writer.name));
        if !left.is_empty() {
            let taken = &left[self.below(left.len() as u64) as usize];
            drop(self.drop_this(&writer.disk, taken).await);
        }
    }

    async fn drop_this(&self, disk: &Disk, taken: &Rc<Taken>) -> Result<(), VolumeError> {
        let before = taken.stage.replace(Stage::Going);
        let clones = self.clones_of(taken, &[Stage::There]);
        let whole = format!("{}@{}", taken.volume, taken.name);
        let dropped = disk.delete_snapshot(&taken.name).await;
        match &dropped {
            Ok(()) => {
                taken.stage.set(Stage::Gone);
                self.count(1);
                if !clones.is_empty() {
                    self.violate(format!("{whole} was deleted under {clones:?}"));
                }
            }
            Err(VolumeError::HasClones { clones, .. }) => {
                taken.stage.set(Stage::There);
                self.count(2);
                let known = self.clones_of(taken, &[Stage::Perhaps, Stage::There, Stage::Going]);
                if !clones.iter().all(|name| known.contains(name)) {
                    self.violate(format!("{whole} is said to have clones {clones:?}, and has {known:?}"));
                }
            }
            Err(VolumeError::SnapshotNotFound { .. }) => {
                if before == Stage::There {
                    self.violate(format!("{whole} was confirmed, and is not found to be deleted"));
                }
                taken.stage.set(Stage::Gone);
            }
            Err(_) => {}
        }
        dropped
    }

    /// Lists and reads the snapshots of all volumes.
    pub(crate) async fn read_snapshots(&self, store: &HostStore) {
        for taken in self.left(None) {
            if taken.stage.get() != Stage::Going {
                self.read_snapshot(store, &taken).await;
            }
        }
        let known = self.snapshots.borrow().clone();
        let mut volumes: Vec<String> = known.iter().map(|taken| taken.volume.clone()).collect();
        volumes.sort();
        volumes.dedup();
        for volume in volumes {
            let ours: Vec<_> = known.iter().filter(|taken| taken.volume == volume).cloned().collect();
            let before: Vec<Stage> = ours.iter().map(|taken| taken.stage.get()).collect();
            let Ok(listed) = volume::snapshots(store, &self.host, &volume).await else { continue };
            for (taken, before) in ours.iter().zip(before) {
                let found = listed.iter().find(|listed| listed.name == taken.name);
                let is_unchanged = taken.stage.get() == before;
                if is_unchanged && before == Stage::There && found.is_none_or(|found| found.is_going) {
                    self.violate(format!("{volume}@{} is not listed: {listed:?}", taken.name));
                }
                // Of this name there may be a later one, or may have been one meanwhile.
                let all = self.snapshots.borrow();
                let mut named = all.iter().filter(|other| other.volume == volume && other.name == taken.name);
                let is_last = named.next_back().is_some_and(|last| Rc::ptr_eq(last, taken));
                if is_unchanged && before == Stage::Gone && is_last && found.is_some() {
                    self.violate(format!("{volume}@{} was deleted, and is listed", taken.name));
                }
            }
        }
    }

    async fn read_snapshot(&self, store: &HostStore, taken: &Rc<Taken>) {
        let before = taken.stage.get();
        let (volume, name) = (&taken.volume, &taken.name);
        let opened =
            Volume::open_snapshot(store.clone(), self.host.clone(), volume, name, settings(self.seed)).await;
        let is_there = || before == Stage::There && taken.stage.get() == Stage::There;
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                if is_there() && !is_store_error(&error) {
                    self.violate(format!("{volume}@{name} cannot be opened: {error}"));
                }
                return;
            }
        };
        match read_all(&opened).await {
            Some(content) if content == taken.content => self.count(3),
            // Of a name whose snapshot is gone there may be a later one.
            Some(content) if taken.stage.get() != Stage::Gone => {
                self.violate(format!("{volume}@{name} reads {content:?} instead of {:?}", taken.content));
            }
            None if is_there() => self.violate(format!("{volume}@{name} cannot be read")),
            _ => {}
        }
    }

    /// Creates a clone by a host that may sleep or die meanwhile.
    pub(crate) async fn create_clone(self: &Rc<Self>) {
        let left = self.left(None);
        let is_left = |clone: &&Rc<CloneOf>| clone.stage.get() != Stage::Gone;
        let clones = self.clones.borrow().iter().filter(is_left).count();
        if left.is_empty() || clones >= MOST {
            return;
        }
        let of = Rc::clone(&left[self.below(left.len() as u64) as usize]);
        let name = format!("c{}", self.next_clone.replace(self.next_clone.get() + 1));
        let history = History::new(of.content, deduplicates(self.seed));
        let clone = Rc::new(CloneOf { name, of, history, stage: Cell::new(Stage::Perhaps) });
        self.clones.borrow_mut().push(Rc::clone(&clone));
        let store = HostStore::new(&self.objects, &self.host);
        let sleeps = self.below(3) == 0;
        if sleeps {
            let parts = ["/clones/", "/released/", "/snapshots/", "/epoch/", "/volume", "names/"];
            *store.sleeps_at.borrow_mut() = Some(parts[self.below(6) as usize].to_owned());
            if self.below(3) != 0 {
                wake(&store.health, &self.host);
            }
        }
        let family = Rc::clone(self);
        let create = async move {
            let before = clone.of.stage.get();
            let deduplicate = deduplicates(family.seed);
            let options = VolumeOptions { deduplicate, ..VolumeOptions::default() };
            let (parent, snapshot) = (&clone.of.volume, &clone.of.name);
            let created =
                volume::create_clone(&store, &family.host, parent, snapshot, &clone.name, options).await;
            match created {
                Ok(_) => {
                    if clone.stage.get() == Stage::Perhaps {
                        clone.stage.set(Stage::There);
                    }
                    family.count(4);
                }
                Err(error) => {
                    let is_there = before == Stage::There && clone.of.stage.get() == Stage::There;
                    let is_refused = matches!(error, VolumeError::SnapshotNotFound { .. });
                    // While a snapshot is going, it may go on to be there once a clone was found.
                    if is_there && is_refused {
                        family
                            .violate(format!("{parent}@{snapshot} is there, and cannot be cloned: {error}"));
                    }
                }
            }
            store.health.get()
        };
        if sleeps || self.below(2) == 0 {
            self.host.spawn(async move {
                create.await;
            });
        } else {
            create.await;
        }
    }

    /// Returns a clone that may be there.
    pub(crate) fn any_clone(&self) -> Option<Rc<CloneOf>> {
        let clones = self.clones.borrow();
        let usable: Vec<_> = clones
            .iter()
            .filter(|clone| matches!(clone.stage.get(), Stage::There | Stage::Perhaps))
            .collect();
        (!usable.is_empty()).then(|| Rc::clone(usable[self.below(usable.len() as u64) as usize]))
    }

    /// Deletes a clone.
    pub(crate) async fn delete_clone(&self, clone: &Rc<CloneOf>) {
        let before = clone.stage.replace(Stage::Going);
        let store = HostStore::new(&self.objects, &self.host);
        let snapshots: Vec<_> = self.left(Some(&clone.name));
        match volume::delete(&store, &self.host, &clone.name, &mut |_| {}).await {
            Ok(()) => {
                clone.stage.set(Stage::Gone);
                if snapshots.iter().any(|taken| taken.stage.get() == Stage::There) {
                    self.violate(format!("{} was deleted, and has snapshots", clone.name));
                }
                for taken in &snapshots {
                    taken.stage.set(Stage::Gone);
                }
            }
            Err(VolumeError::HasSnapshots { .. }) => {
                clone.stage.set(before);
                if snapshots.is_empty() {
                    self.violate(format!("{} is said to have snapshots", clone.name));
                }
            }
            Err(VolumeError::NotFound { .. }) if before == Stage::There => {
                self.violate(format!("{} was created, and is not found to be deleted", clone.name));
            }
            // Its creator may still be at it.
            Err(VolumeError::NotFound { .. }) => clone.stage.set(before),
            Err(_) => {}
        }
    }

    /// Reads all that is there, and deletes all clones and snapshots, without faults.
    pub(crate) async fn finish(
        self: &Rc<Self>,
        main: &Disk,
        open: impl AsyncFn(&str) -> Result<Writer, String>,
    ) -> Result<(), String> {
        let store = HostStore::new(&self.objects, &self.host);
        self.read_snapshots(&store).await;
        let clones = self.clones.borrow().clone();
        for clone in clones.iter().filter(|clone| clone.stage.get() == Stage::There) {
            let reader =
                Volume::open_read_only(store.clone(), self.host.clone(), &clone.name, settings(self.seed));
            let reader = reader.await.map_err(|error| format!("{} at the end: {error}", clone.name))?;
            let content = read_all(&reader).await.ok_or(format!("{} cannot be read", clone.name))?;
            clone.history.found(content);
            let report = volume::check(&store, &self.host, &clone.name, &mut |_, _| {}).await;
            let report = report.map_err(|error| format!("{} at the end: {error}", clone.name))?;
            if !report.damaged.is_empty() {
                return Err(format!("{} is damaged: {:?}", clone.name, report.damaged));
            }
        }
        for _ in 0..MOST + 2 {
            for clone in clones.iter().rev().filter(|clone| clone.stage.get() != Stage::Gone) {
                let snapshots = self.left(Some(&clone.name));
                if !snapshots.is_empty()
                    && let Ok(writer) = open(&clone.name).await
                {
                    for taken in snapshots {
                        drop(self.drop_this(&writer.disk, &taken).await);
                    }
                    drop(writer.disk.close().await);
                }
                self.delete_clone(clone).await;
                if clone.stage.get() == Stage::Perhaps {
                    // There is no such name, and nobody makes it any more.
                    clone.stage.set(Stage::Gone);
                }
            }
            for taken in self.left(Some("disk")) {
                drop(self.drop_this(main, &taken).await);
            }
        }
        let left: Vec<_> =
            self.left(None).iter().map(|taken| (taken.volume.clone(), taken.name.clone())).collect();
        let clones: Vec<_> = clones.iter().filter(|clone| clone.stage.get() != Stage::Gone).collect();
        let names: Vec<_> = clones.iter().map(|clone| (&clone.name, clone.stage.get())).collect();
        if !left.is_empty() || !names.is_empty() {
            return Err(format!("not everything can be deleted: {left:?}, {names:?}"));
        }
        let listed =
            volume::snapshots(&store, &self.host, "disk").await.map_err(|error| error.to_string())?;
        if !listed.is_empty() {
            return Err("snapshots are listed though all were deleted".to_owned());
        }
        self.violation.take().map_or(Ok(()), Err)
    }
}

/// Reads snapshots while others write.
pub(crate) fn read_beside(family: &Rc<Family>, store: &HostStore) {
    let (family, store) = (Rc::clone(family), store.clone());
    family.host.clone().spawn(async move {
        family.host.sleep(family.below(20_000 * MILLISECOND)).await;
        if store.health.get() == Health::Awake {
            family.read_snapshots(&store).await;
        }
    });
}
