//! Directory of a shared address: clients find disks there by name, and are passed on to them.
//!
//! ```text
//!   Reception (a thread of its own) ── looks up ──> Directory <── lists ── Door (the thread of its shard)
//!         └────────── Newcomer: connection, what was agreed on, the answer to that ──────────^
//! ```
//! A door lists its disk for as long as it is open. The listing moves with the disk to another thread, as the listener
//! does: clients that arrive meanwhile wait in its queue. Clients get the facts of a disk that its door last published;
//! a newcomer with outdated facts is disconnected, and gets the present ones when it connects again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::handshake::{Catalog, Entry, Refusal};
use super::option::ExportFacts;
use super::pause::PausedConnection;

/// Newcomers that wait for the thread of a disk; further ones wait before that, within the time of their handshake.
const NEWCOMERS_MAX: usize = 16;

/// The disks of a shared address. Clones are the same one; any thread may use them.
#[derive(Clone, Default)]
pub struct Directory {
    listed: Arc<Mutex<BTreeMap<String, Listed>>>,
}

struct Listed {
    entry: Entry,
    door: mpsc::Sender<NegotiatedClient>,
}

/// The place of a disk in a directory, which ends with it, and the newcomers who found it there.
pub struct Listing {
    directory: Directory,
    name: String,
    clients: mpsc::Receiver<NegotiatedClient>,
    /// Identifies this listing, should another door have taken its place.
    own: mpsc::WeakSender<NegotiatedClient>,
}

/// A client on its way to the disk that it chose.
pub(crate) struct NegotiatedClient {
    pub(crate) connection: PausedConnection,
    /// Facts of the disk that it received.
    pub(crate) facts_sent: ExportFacts,
    /// The answer to its choice, not sent yet.
    pub(crate) answer: Vec<u8>,
}

impl Directory {
    /// Lists a disk, in the place of another one of this name.
    pub fn list(&self, entry: Entry) -> Listing {
        let (door, clients) = mpsc::channel(NEWCOMERS_MAX);
        let own = door.downgrade();
        let name = entry.name.clone();
        self.lock().insert(name.clone(), Listed { entry, door });
        Listing { directory: self.clone(), name, clients, own }
    }

    /// Returns the way to a disk.
    pub(crate) fn door(&self, name: &str) -> Option<mpsc::Sender<NegotiatedClient>> {
        self.lock().get(name).map(|listed| listed.door.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Listed>> {
        // Each change is one step, so the state that a panicking thread left is whole.
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Catalog for Directory {
    fn find(&self, name: &str) -> Result<Entry, Refusal> {
        self.lock().get(name).map(|listed| listed.entry.clone()).ok_or(Refusal::Unknown)
    }

    fn names(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }
}

impl Listing {
    /// Sets the facts that clients receive from now on.
    pub(crate) fn tell(&self, facts: ExportFacts) {
        if let Some(listed) = self.directory.lock().get_mut(&self.name)
            && self.is_own(listed)
        {
            listed.entry.facts = facts;
        }
    }

    /// Returns the next newcomer. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> NegotiatedClient {
        match self.clients.recv().await {
            Some(client) => client,
            // Another door has taken this place.
            None => std::future::pending().await,
        }
    }

    fn is_own(&self, listed: &Listed) -> bool {
        self.own.upgrade().is_some_and(|own| own.same_channel(&listed.door))
    }
}

impl Drop for Listing {
    fn drop(&mut self) {
        let mut listed = self.directory.lock();
        if listed.get(&self.name).is_some_and(|listed| self.is_own(listed)) {
            listed.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(size: u64) -> Entry {
        let facts =
            ExportFacts { size, flags: 1, block_min: 512, block_preferred: 4096, payload_max: 1 << 25 };
        Entry { name: "disk".to_owned(), description: String::new(), facts }
    }

    #[test]
    fn a_disk_is_found_as_long_as_it_is_listed() {
        let directory = Directory::default();
        assert_eq!(directory.find("disk"), Err(Refusal::Unknown));
        let listing = directory.list(entry(1));
        assert_eq!(directory.find("disk"), Ok(entry(1)));
        assert_eq!(directory.find(""), Err(Refusal::Unknown), "nobody gets a disk without naming it");
        listing.tell(entry(2).facts);
        assert_eq!((directory.find("disk"), directory.names()), (Ok(entry(2)), vec!["disk".to_owned()]));
        drop(listing);
        assert_eq!(directory.names(), Vec::<String>::new());
    }

    #[test]
    fn the_end_of_an_old_listing_does_not_end_the_new_one() {
        let directory = Directory::default();
        let old = directory.list(entry(1));
        let new = directory.list(entry(2));
        old.tell(entry(3).facts);
        drop(old);
        assert_eq!(directory.find("disk"), Ok(entry(2)));
        drop(new);
        assert_eq!(directory.find("disk"), Err(Refusal::Unknown));
    }
}
