//! A modelled object store: each request takes a time, and all bytes go over one link. It keeps objects in memory; with [`Kept::Headers`] it
//! keeps of large ones only what an open of a volume reads.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use block::Host;
use block::executor::LocalHost;
use bytes::Bytes;
use volume::{LIST_NAMES_MAX, Listed, Store, StoreError, StoreErrorKind};

use crate::modelled::SECOND;

/// Bytes of an object of content that are kept with [`Kept::Headers`].
const HEADER_BYTES: usize = 192 << 10;

/// Times of a store.
#[derive(Clone, Copy)]
pub(super) struct Link {
    /// Time of a request without its bytes, in nanoseconds.
    pub(super) request_ns: u64,
    /// Bytes a second of all requests together; none: they take no time.
    pub(super) bytes_per_second: Option<u64>,
}

/// Content that a store keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    All,
    /// The beginning, where the header is. Content cannot be read.
    Headers,
}

struct Objects {
    by_name: RefCell<BTreeMap<String, (Bytes, u64)>>,
    link: Cell<Link>,
    kept: Kept,
    /// Time at which the link is free.
    free_at: Cell<u64>,
    requests: Cell<u64>,
    /// Bytes of all requests.
    transferred: Cell<u64>,
}

/// A modelled store. Clones are the same one.
#[derive(Clone)]
pub(super) struct ModelledStore {
    objects: Rc<Objects>,
    host: LocalHost,
}

impl ModelledStore {
    pub(super) fn new(host: &LocalHost, link: Link, kept: Kept) -> Self {
        let objects = Objects {
            by_name: RefCell::default(),
            link: Cell::new(link),
            kept,
            free_at: Cell::new(0),
            requests: Cell::new(0),
            transferred: Cell::new(0),
        };
        Self { objects: Rc::new(objects), host: host.clone() }
    }

    /// Changes its times.
    pub(super) fn set_link(&self, link: Link) {
        self.objects.link.set(link);
    }

    /// Returns the number of requests so far.
    pub(super) fn requests(&self) -> u64 {
        self.objects.requests.get()
    }

    /// Returns the bytes of all requests so far.
    pub(super) fn transferred(&self) -> u64 {
        self.objects.transferred.get()
    }

    /// Returns the bytes of all objects whose names have this part.
    pub(super) fn stored_bytes(&self, part: &str) -> u64 {
        let objects = self.objects.by_name.borrow();
        objects.iter().filter(|(name, _)| name.contains(part)).map(|(_, (_, bytes))| *bytes).sum()
    }

    /// Waits as long as a request with so many bytes takes.
    async fn travel(&self, bytes: usize) {
        let Objects { link, free_at, requests, transferred, .. } = &*self.objects;
        requests.set(requests.get() + 1);
        transferred.set(transferred.get() + bytes as u64);
        let Link { request_ns, bytes_per_second } = link.get();
        let now = self.host.now();
        let takes = bytes_per_second.map_or(0, |rate| bytes as u64 * SECOND / rate);
        let end = free_at.get().max(now) + takes;
        free_at.set(end);
        self.host.sleep_until(end + request_ns).await;
    }
}

impl Store for ModelledStore {
    async fn get(&self, name: &str, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        let found = self.objects.by_name.borrow().get(name).map(|(bytes, _)| bytes.clone());
        let Some(bytes) = found else {
            self.travel(0).await;
            return Err(StoreError::new(StoreErrorKind::NotFound, name, "there is none"));
        };
        let len = bytes.len() as u64;
        let range = range.unwrap_or(0..len);
        let bytes = bytes.slice(range.start.min(len) as usize..range.end.min(len) as usize);
        self.travel(bytes.len()).await;
        Ok(bytes)
    }

    async fn create(&self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.travel(bytes.len()).await;
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
        self.travel(0).await;
        self.objects.by_name.borrow_mut().remove(name);
        Ok(())
    }

    async fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        self.travel(0).await;
        let objects = self.objects.by_name.borrow();
        let from = after.map_or_else(|| prefix.to_owned(), |after| format!("{after}\0"));
        let some = objects.range(from..).take_while(|(name, _)| name.starts_with(prefix));
        let listed = some.map(|(name, (_, bytes))| Listed { name: name.clone(), bytes: *bytes });
        Ok(listed.take(LIST_NAMES_MAX).collect())
    }
}
