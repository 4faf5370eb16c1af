//! A store in memory, with the faults that stores have: requests that take long, are done though their answer is lost, are done late, are
//! repeated, or are refused; lists that lag; and hosts that sleep or die with requests on their way.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use block::Host;
use block::executor::LocalHost;
use bytes::Bytes;
use volume::{LIST_NAMES_MAX, Listed, Store, StoreError, StoreErrorKind};

pub(crate) const MILLISECOND: u64 = 1_000_000;
/// Longest time that a list lags behind.
const LAG_NS: u64 = 3_000 * MILLISECOND;

/// Returns true for some names.
type NameTest = fn(&str) -> bool;

/// The objects, which outlive hosts.
#[derive(Default)]
pub(crate) struct Objects {
    /// Content, and the time of its creation.
    by_name: RefCell<BTreeMap<String, (Bytes, u64)>>,
    /// Of a thousand requests, so many meet a fault.
    pub(crate) faults: Cell<u64>,
    /// The store refuses what creates objects.
    pub(crate) is_full: Cell<bool>,
    /// The store refuses to create objects whose names have this part, with this reason.
    pub(crate) refuses: RefCell<Option<(&'static str, StoreErrorKind)>>,
    /// The store gives no answer to creates of names for which this is true, and does them when they [land](Self::land).
    pub(crate) is_late: Cell<Option<NameTest>>,
    late: RefCell<Vec<(String, Bytes)>>,
    /// The store creates objects whose names have this part, and none of its answers arrives.
    pub(crate) unheard: RefCell<Option<&'static str>>,
    /// The store gives no answer to reads of names that have this part.
    pub(crate) silent: RefCell<Option<&'static str>>,
    /// The store refuses deletes.
    pub(crate) keeps: Cell<bool>,
    /// Reads that were asked for.
    pub(crate) gets: Cell<u64>,
    /// Bytes that they were given.
    pub(crate) got_bytes: Cell<u64>,
}

/// State of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Awake,
    Asleep,
    Dead,
}

/// The store as one host sees it.
#[derive(Clone)]
pub(crate) struct HostStore {
    pub(crate) objects: Rc<Objects>,
    pub(crate) host: LocalHost,
    pub(crate) health: Rc<Cell<Health>>,
    /// The host falls asleep with its next request for a name that has this part.
    pub(crate) sleeps_at: Rc<RefCell<Option<String>>>,
    /// Requests after which the host falls asleep, with the next one.
    pub(crate) sleeps_after: Rc<Cell<Option<u64>>>,
}

enum Fate {
    Done,
    /// Refused before it was done.
    Lost,
    /// Done, and the answer is lost.
    Unheard,
    /// The answer is lost, and it is done later.
    Late,
    /// Done, then repeated by a client that got no answer.
    Repeated,
}

fn unreachable(name: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unreachable, name, "no answer")
}

impl Objects {
    fn create(&self, name: &str, bytes: &Bytes, now: u64) -> Result<(), StoreError> {
        let mut objects = self.by_name.borrow_mut();
        if objects.contains_key(name) {
            return Err(StoreError::new(StoreErrorKind::Exists, name, "it exists"));
        }
        if self.is_full.get() {
            return Err(StoreError::new(StoreErrorKind::Full, name, "the quota is used up"));
        }
        if let Some((part, kind)) = *self.refuses.borrow()
            && name.contains(part)
        {
            return Err(StoreError::new(kind, name, "it is refused"));
        }
        objects.insert(name.to_owned(), (bytes.clone(), now));
        Ok(())
    }

    /// Does the creates that are late. Returns how many succeeded.
    pub(crate) fn land(&self) -> usize {
        let landed = self.late.take().into_iter().map(|(name, bytes)| self.create(&name, &bytes, 0));
        landed.flatten().count()
    }

    /// Replaces an object, or adds one.
    pub(crate) fn put(&self, name: &str, bytes: impl Into<Bytes>) {
        self.by_name.borrow_mut().insert(name.to_owned(), (bytes.into(), 0));
    }

    /// Returns the names that have this part.
    pub(crate) fn named(&self, part: &str) -> Vec<String> {
        self.names().into_iter().filter(|name| name.contains(part)).collect()
    }

    /// Returns the bytes of all objects whose names have this part.
    pub(crate) fn stored(&self, part: &str) -> u64 {
        let objects = self.by_name.borrow();
        objects.iter().filter(|(name, _)| name.contains(part)).map(|(_, (bytes, _))| bytes.len() as u64).sum()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.by_name.borrow().keys().cloned().collect()
    }

    /// Changes a byte of an object.
    pub(crate) fn damage(&self, name: &str, at: usize) {
        let mut objects = self.by_name.borrow_mut();
        let (bytes, _) = objects.get_mut(name).expect("it is there");
        let mut changed = bytes.to_vec();
        changed[at] ^= 0x40;
        *bytes = Bytes::from(changed);
    }

    pub(crate) fn remove(&self, name: &str) {
        self.by_name.borrow_mut().remove(name);
    }

    pub(crate) fn bytes_of(&self, name: &str) -> Bytes {
        self.by_name.borrow()[name].0.clone()
    }
}

impl HostStore {
    /// Creates the store as a host that is awake sees it.
    pub(crate) fn new(objects: &Rc<Objects>, host: &LocalHost) -> Self {
        let (objects, host) = (Rc::clone(objects), host.clone());
        Self {
            objects,
            host,
            health: Rc::new(Cell::new(Health::Awake)),
            sleeps_at: Rc::default(),
            sleeps_after: Rc::default(),
        }
    }

    /// Begins a request.
    async fn ask(&self, name: &str) {
        if self.sleeps_at.borrow().as_ref().is_some_and(|part| name.contains(part.as_str())) {
            self.sleeps_at.take();
            self.health.set(Health::Asleep);
        }
        match self.sleeps_after.get() {
            Some(0) => {
                self.sleeps_after.set(None);
                self.health.set(Health::Asleep);
            }
            left => self.sleeps_after.set(left.map(|left| left - 1)),
        }
        self.travel().await;
    }

    fn below(&self, end: u64) -> u64 {
        self.host.random() % end
    }

    /// Waits as long as a request is on its way, and while the host sleeps. One of a host that dies never ends.
    async fn travel(&self) {
        let long = if self.below(40) == 0 { 4_000 } else { 60 };
        self.host.sleep(self.below(long * MILLISECOND)).await;
        loop {
            match self.health.get() {
                Health::Awake => return,
                Health::Asleep => self.host.sleep(20 * MILLISECOND).await,
                Health::Dead => std::future::pending().await,
            }
        }
    }

    fn fate(&self) -> Fate {
        if self.below(1000) >= self.objects.faults.get() {
            return Fate::Done;
        }
        match self.below(5) {
            0 => Fate::Lost,
            1 => Fate::Unheard,
            2 => Fate::Repeated,
            _ => Fate::Late,
        }
    }

    /// Does what changes the store, as its fate has it. It is on its way once it was asked for, whatever becomes of the host.
    async fn change(
        &self,
        name: &str,
        change: impl Fn(&Objects, u64) -> Result<(), StoreError> + 'static,
    ) -> Result<(), StoreError> {
        let (objects, host) = (Rc::clone(&self.objects), self.host.clone());
        let result = match self.fate() {
            Fate::Done => {
                // It lands though the host dies or sleeps meanwhile.
                let delay = self.below(50 * MILLISECOND);
                self.host
                    .to_its_end(async move {
                        host.sleep(delay).await;
                        change(&objects, host.now())
                    })
                    .await
            }
            Fate::Lost => Err(unreachable(name)),
            Fate::Unheard => change(&objects, host.now()).and(Err(unreachable(name))),
            Fate::Repeated => {
                let first = change(&objects, host.now());
                if first.is_ok() { change(&objects, host.now()) } else { first }
            }
            Fate::Late => {
                let delay = self.below(30_000 * MILLISECOND);
                self.host.spawn(async move {
                    host.sleep(delay).await;
                    drop(change(&objects, host.now()));
                });
                Err(unreachable(name))
            }
        };
        self.travel().await;
        result
    }
}

impl Store for HostStore {
    async fn get(&self, name: &str, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        self.objects.gets.set(self.objects.gets.get() + 1);
        self.ask(name).await;
        let is_silent = self.objects.silent.borrow().is_some_and(|part| name.contains(part));
        if is_silent || matches!(self.fate(), Fate::Lost | Fate::Late) {
            return Err(unreachable(name));
        }
        let found = self.objects.by_name.borrow().get(name).map(|(bytes, _)| bytes.clone());
        self.travel().await;
        let bytes = found.ok_or_else(|| StoreError::new(StoreErrorKind::NotFound, name, "there is none"))?;
        let len = bytes.len() as u64;
        let range = range.unwrap_or(0..len);
        let bytes = bytes.slice(range.start.min(len) as usize..range.end.min(len) as usize);
        self.objects.got_bytes.set(self.objects.got_bytes.get() + bytes.len() as u64);
        Ok(bytes)
    }

    async fn create(&self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.ask(name).await;
        if self.objects.is_late.get().is_some_and(|is_late| is_late(name)) {
            self.objects.late.borrow_mut().push((name.to_owned(), bytes));
            return Err(unreachable(name));
        }
        let object = name.to_owned();
        let done = self.change(name, move |objects, now| objects.create(&object, &bytes, now)).await;
        match *self.objects.unheard.borrow() {
            Some(part) if name.contains(part) => Err(unreachable(name)),
            _ => done,
        }
    }

    async fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.ask(name).await;
        let object = name.to_owned();
        self.change(name, move |objects, _| {
            if objects.keeps.get() {
                return Err(StoreError::new(StoreErrorKind::Denied, &*object, "deletes are not allowed"));
            }
            objects.remove(&object);
            Ok(())
        })
        .await
    }

    async fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        self.ask(prefix).await;
        let known = self.host.now().saturating_sub(self.below(LAG_NS));
        let objects = self.objects.by_name.borrow();
        let listed = objects.range(prefix.to_owned()..).take_while(|(name, _)| name.starts_with(prefix));
        let listed = listed.filter(|(name, (_, since))| {
            after.is_none_or(|after| name.as_str() > after)
                && (*since <= known || self.objects.faults.get() == 0)
        });
        let listed = listed.take(LIST_NAMES_MAX);
        Ok(listed
            .map(|(name, (bytes, _))| Listed { name: name.clone(), bytes: bytes.len() as u64 })
            .collect())
    }
}
