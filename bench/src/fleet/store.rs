//! A modelled object store: each request takes a time, and all bytes go over one link, or to the hosts that have the objects. It keeps objects
//! in memory; with [`Kept::Headers`] it keeps of large ones only what an open of a volume reads.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use block::Host;
use block::executor::LocalHost;
use bytes::Bytes;
use volume::{LIST_NAMES_MAX, Listed, Store, StoreError, StoreErrorKind};

use super::hosts::{HostTimes, Hosts, Placement};
use crate::modelled::SECOND;

/// Bytes of an object of content that are kept with [`Kept::Headers`].
const HEADER_BYTES: usize = 192 << 10;

/// Times of a store.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    /// Time of a request without its bytes, in nanoseconds.
    pub(crate) request_ns: u64,
    /// Bytes a second of all requests together; none: they take no time.
    pub(crate) bytes_per_second: Option<u64>,
}

/// Content that a store keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    All,
    /// The beginning, where the header is. Content cannot be read.
    Headers,
}

struct Objects {
    by_name: RefCell<BTreeMap<String, (Bytes, u64)>>,
    link: Cell<Link>,
    /// Hosts that have the objects, in place of the link.
    hosts: RefCell<Option<Rc<Hosts>>>,
    kept: Kept,
    /// Time at which the link is free.
    free_at: Cell<u64>,
    requests: Cell<u64>,
    /// Bytes of all requests.
    transferred: Cell<u64>,
    put_bytes: Cell<u64>,
}

/// A modelled store. Clones are the same one.
#[derive(Clone)]
pub(crate) struct ModelledStore {
    objects: Rc<Objects>,
    host: LocalHost,
}

impl ModelledStore {
    pub(crate) fn new(host: &LocalHost, link: Link, kept: Kept) -> Self {
        let objects = Objects {
            by_name: RefCell::default(),
            link: Cell::new(link),
            hosts: RefCell::default(),
            kept,
            free_at: Cell::new(0),
            requests: Cell::new(0),
            transferred: Cell::new(0),
            put_bytes: Cell::new(0),
        };
        Self { objects: Rc::new(objects), host: host.clone() }
    }

    /// Changes its times.
    pub(crate) fn set_link(&self, link: Link) {
        self.objects.link.set(link);
    }

    /// Has objects lie on hosts from now on, in place of the link.
    pub(crate) fn set_hosts(&self, placement: Placement, times: HostTimes) {
        *self.objects.hosts.borrow_mut() = Some(Rc::new(Hosts::new(placement, times)));
    }

    /// Returns the bytes that were put so far, copies and parity of hosts included.
    pub(crate) fn put_bytes(&self) -> u64 {
        self.objects.put_bytes.get()
    }

    /// Returns the bytes that all objects take, copies and parity of hosts included.
    pub(crate) fn taken_bytes(&self) -> u64 {
        let objects = self.objects.by_name.borrow();
        objects.iter().map(|(name, (_, bytes))| self.taken_by(name, *bytes)).sum()
    }

    fn taken_by(&self, name: &str, bytes: u64) -> u64 {
        self.objects.hosts.borrow().as_ref().map_or(bytes, |hosts| hosts.bytes_of(name, bytes))
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.objects.requests.get()
    }

    /// Returns the bytes of all requests so far.
    pub(super) fn transferred(&self) -> u64 {
        self.objects.transferred.get()
    }

    /// Returns the bytes of all objects whose names have this part.
    pub(crate) fn stored_bytes(&self, part: &str) -> u64 {
        let objects = self.objects.by_name.borrow();
        objects.iter().filter(|(name, _)| name.contains(part)).map(|(_, (_, bytes))| *bytes).sum()
    }

    /// Waits as long as a put of an object takes.
    async fn put(&self, name: &str, bytes: u64) {
        let taken = self.taken_by(name, bytes);
        self.objects.put_bytes.set(self.objects.put_bytes.get() + taken);
        match self.request(bytes) {
            Some(hosts) => hosts.put(&self.host, name, bytes).await,
            None => self.travel(bytes).await,
        }
    }

    /// Waits as long as a request for a part of an object takes.
    async fn take(&self, name: &str, range: Range<u64>) {
        match self.request(range.end - range.start) {
            Some(hosts) => hosts.get(&self.host, name, &range).await,
            None => self.travel(range.end - range.start).await,
        }
    }

    /// Counts a request with so many bytes. Returns the hosts, if the objects have some.
    fn request(&self, bytes: u64) -> Option<Rc<Hosts>> {
        let Objects { requests, transferred, hosts, .. } = &*self.objects;
        requests.set(requests.get() + 1);
        transferred.set(transferred.get() + bytes);
        hosts.borrow().clone()
    }

    /// Waits as long as the link takes for a request with so many bytes.
    async fn travel(&self, bytes: u64) {
        let Objects { link, free_at, .. } = &*self.objects;
        let Link { request_ns, bytes_per_second } = link.get();
        let now = self.host.now();
        let takes = bytes_per_second.map_or(0, |rate| bytes * SECOND / rate);
        let end = free_at.get().max(now) + takes;
        free_at.set(end);
        self.host.sleep_until(end + request_ns).await;
    }
}

impl Store for ModelledStore {
    async fn get(&self, name: &str, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        let found = self.objects.by_name.borrow().get(name).map(|(bytes, _)| bytes.clone());
        let Some(bytes) = found else {
            self.take(name, 0..0).await;
            return Err(StoreError::new(StoreErrorKind::NotFound, name, "there is none"));
        };
        let len = bytes.len() as u64;
        let range = range.unwrap_or(0..len);
        let range = range.start.min(len)..range.end.min(len);
        self.take(name, range.clone()).await;
        Ok(bytes.slice(range.start as usize..range.end as usize))
    }

    async fn create(&self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.put(name, bytes.len() as u64).await;
        let mut objects = self.objects.by_name.borrow_mut();
        if objects.contains_key(name) {
            return Err(StoreError::new(StoreErrorKind::Exists, name, "it exists"));
        }
        let (len, is_content) = (bytes.len() as u64, name.contains("/data/"));
        let kept = if is_content && self.objects.kept == Kept::Headers && bytes.len() > HEADER_BYTES {
            // Not a slice, which would keep all of it in memory.
            Bytes::copy_from_slice(&bytes[..HEADER_BYTES])
        } else {
            bytes
        };
        objects.insert(name.to_owned(), (kept, len));
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.take(name, 0..0).await;
        self.objects.by_name.borrow_mut().remove(name);
        Ok(())
    }

    async fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        self.take(prefix, 0..0).await;
        let objects = self.objects.by_name.borrow();
        let from = after.map_or_else(|| prefix.to_owned(), |after| format!("{after}\0"));
        let some = objects.range(from..).take_while(|(name, _)| name.starts_with(prefix));
        let listed = some.map(|(name, (_, bytes))| Listed { name: name.clone(), bytes: *bytes });
        Ok(listed.take(LIST_NAMES_MAX).collect())
    }
}
