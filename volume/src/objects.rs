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
    /// Pages of the disk for which the map points to these. References make it more than there are.
    pub(crate) live: u32,
}

/// Objects of which something is live, as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alive {
    pub(crate) objects: u64,
    /// Pages that their chunks have.
    pub(crate) pages: u64,
    /// Pages to which the map points, of each object as many as it has at most.
    pub(crate) live: u64,
    /// Their size in bytes.
    pub(crate) stored: u64,
}

/// The table of objects. Locations name them by index.
#[derive(Default)]
pub(crate) struct Objects {
    by_index: BTreeMap<u32, ObjectInfo>,
    index_of: HashMap<ObjectKey, u32>,
    next: u32,
    stored: u64,
    alive: Alive,
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
        let info = self.by_index.get_mut(&index).expect("the map names objects that are there");
        info.live += 1;
        self.alive.live += u64::from(info.live <= info.pages);
        if info.live == 1 {
            self.alive.objects += 1;
            self.alive.pages += u64::from(info.pages);
            self.alive.stored += info.stored;
        }
    }

    /// Records that the map points to one page less of an object.
    pub(crate) fn lose(&mut self, index: u32) {
        let info = self.by_index.get_mut(&index).expect("the map names objects that are there");
        self.alive.live -= u64::from(info.live <= info.pages);
        info.live -= 1;
        if info.live == 0 {
            self.alive.objects -= 1;
            self.alive.pages -= u64::from(info.pages);
            self.alive.stored -= info.stored;
        }
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

    /// Returns those of which something is live, as a whole.
    pub(crate) fn alive(&self) -> Alive {
        self.alive
    }

    pub(crate) fn len(&self) -> usize {
        self.by_index.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alive_is_the_sum_of_objects_with_a_live_page() {
        let mut objects = Objects::default();
        let key = |sequence| ObjectKey { is_copies: false, epoch: 1, sequence };
        let indexes =
            [(8, 100), (3, 50)].map(|(pages, stored)| objects.add(key(pages), stored, pages as u32));
        assert_eq!(objects.alive(), Alive::default());
        for index in indexes {
            objects.gain(index);
        }
        objects.gain(indexes[0]);
        assert_eq!(objects.alive(), Alive { objects: 2, pages: 11, live: 3, stored: 150 });
        objects.lose(indexes[0]);
        objects.lose(indexes[1]);
        assert_eq!(objects.alive(), Alive { objects: 1, pages: 8, live: 1, stored: 100 });
        // References to pages that are live already.
        (0..10).for_each(|_| objects.gain(indexes[0]));
        assert_eq!(objects.alive().live, 8);
        (0..10).for_each(|_| objects.lose(indexes[0]));
        assert_eq!(objects.alive().live, 1);
        objects.lose(indexes[0]);
        objects.remove(indexes[0]);
        assert_eq!((objects.alive(), objects.stored()), (Alive::default(), 50));
    }
}
