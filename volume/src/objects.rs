//! The table of objects with content, and how much of each is live. Pure.

use std::collections::{BTreeMap, HashMap};

use super::names::ObjectKey;

/// An object with content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectInfo {
    pub(crate) key: ObjectKey,
    /// Its size in bytes.
    pub(crate) stored: u64,
    /// Pages that its chunks have.
    pub(crate) pages: u32,
    /// Pages of these to which the map points.
    pub(crate) live: u32,
}

/// The table of objects. Locations name them by index.
#[derive(Default)]
pub(crate) struct Objects {
    by_index: BTreeMap<u32, ObjectInfo>,
    index_of: HashMap<ObjectKey, u32>,
    next: u32,
    stored: u64,
}

impl Objects {
    /// Adds an object of which nothing is live yet. Returns its index; that of before if it is known.
    pub(crate) fn add(&mut self, key: ObjectKey, stored: u64, pages: u32) -> u32 {
        if let Some(index) = self.index_of.get(&key) {
            return *index;
        }
        let index = self.next;
        self.add_at(index, ObjectInfo { key, stored, pages, live: 0 });
        index
    }

    /// Adds an object at its index.
    pub(crate) fn add_at(&mut self, index: u32, info: ObjectInfo) {
        self.next = self.next.max(index + 1);
        self.stored += info.stored;
        self.index_of.insert(info.key, index);
        self.by_index.insert(index, info);
    }

    pub(crate) fn get(&self, index: u32) -> Option<&ObjectInfo> {
        self.by_index.get(&index)
    }

    pub(crate) fn index_of(&self, key: ObjectKey) -> Option<u32> {
        self.index_of.get(&key).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &ObjectInfo)> {
        self.by_index.iter().map(|(index, info)| (*index, info))
    }

    /// Records that the map points to one more page of an object.
    pub(crate) fn gain(&mut self, index: u32) {
        self.by_index.get_mut(&index).expect("the map names objects that are there").live += 1;
    }

    /// Records that the map points to one page less of an object.
    pub(crate) fn lose(&mut self, index: u32) {
        self.by_index.get_mut(&index).expect("the map names objects that are there").live -= 1;
    }

    /// Forgets an object of which nothing is live.
    pub(crate) fn remove(&mut self, index: u32) {
        let Some(info) = self.by_index.remove(&index) else { return };
        debug_assert_eq!(info.live, 0);
        self.index_of.remove(&info.key);
        self.stored -= info.stored;
    }

    /// Returns the bytes of all.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    pub(crate) fn len(&self) -> usize {
        self.by_index.len()
    }
}
