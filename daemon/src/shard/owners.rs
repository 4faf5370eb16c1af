//! Owner shard of each disk, and the shard where a disk is to go.
//!
//! The disks of a consistency set are on one shard: their groups begin in one step of its thread.

use std::collections::BTreeMap;

/// Owner shards of disks, by name, from before a disk is attached until it is detached.
#[derive(Debug, Default)]
pub(super) struct OwnerShards {
    disks: BTreeMap<String, Owned>,
}

#[derive(Debug)]
struct Owned {
    shard: usize,
    /// Consistency set that the disk is in, if it is.
    set: Option<String>,
}

impl OwnerShards {
    /// Gives a disk a shard of so many: that of its set, if that has one, else the one with the fewest disks, of several the first. A disk
    /// that has a shard keeps it.
    pub(super) fn place(&mut self, name: &str, set: Option<&str>, shards: usize) -> usize {
        let of_set = || set.and_then(|set| self.shard_of_set(set, Some(name)));
        let shard = self.get(name).or_else(of_set).unwrap_or_else(|| self.fewest(shards));
        self.disks.insert(name.to_owned(), Owned { shard, set: set.map(str::to_owned) });
        shard
    }

    /// Records the set that a disk is in. Returns the shard that it has to be on, with the other disks of the set; none if it is there, or
    /// nowhere.
    pub(super) fn join(&mut self, name: &str, set: Option<&str>) -> Option<usize> {
        let of_set = set.and_then(|set| self.shard_of_set(set, Some(name)));
        let owned = self.disks.get_mut(name)?;
        owned.set = set.map(str::to_owned);
        of_set.filter(|shard| *shard != owned.shard)
    }

    /// Records that a disk is on another shard now.
    pub(super) fn relocate(&mut self, name: &str, shard: usize) {
        if let Some(owned) = self.disks.get_mut(name) {
            owned.shard = shard;
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.disks.remove(name);
    }

    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.disks.get(name).map(|owned| owned.shard)
    }

    /// Returns the disks with their shards.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, usize)> {
        self.disks.iter().map(|(name, owned)| (name, owned.shard))
    }

    /// Returns the number of disks of a shard.
    pub(super) fn count_on(&self, shard: usize) -> usize {
        self.iter().filter(|(_, owner)| *owner == shard).count()
    }

    /// Returns the shard of a consistency set, as far as other disks than `except` are in it.
    pub(super) fn shard_of_set(&self, set: &str, except: Option<&str>) -> Option<usize> {
        let mut others = self.disks.iter().filter(|(other, _)| Some(other.as_str()) != except);
        others.find(|(_, owned)| owned.set.as_deref() == Some(set)).map(|(_, owned)| owned.shard)
    }

    fn fewest(&self, shards: usize) -> usize {
        (0..shards).min_by_key(|shard| self.count_on(*shard)).expect("there is a shard")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_go_where_the_fewest_are() {
        let mut owners = OwnerShards::default();
        assert_eq!(["a", "b", "c", "d"].map(|name| owners.place(name, None, 3)), [0, 1, 2, 0]);
        owners.remove("b");
        assert_eq!(["e", "f", "g"].map(|name| owners.place(name, None, 3)), [1, 1, 2]);
        assert_eq!(owners.place("d", None, 3), 0, "it has one");
    }

    #[test]
    fn disks_of_a_set_go_to_one_shard() {
        let mut owners = OwnerShards::default();
        assert_eq!(
            [("a", Some("db")), ("b", None), ("c", Some("db"))].map(|(name, set)| owners.place(name, set, 2)),
            [0, 1, 0]
        );
        assert_eq!(owners.join("b", Some("db")), Some(0));
        owners.relocate("b", 0);
        assert_eq!(owners.join("b", Some("db")), None);
        assert_eq!(owners.join("b", None), None);
        for name in ["a", "c"] {
            owners.remove(name);
        }
        assert_eq!(owners.place("d", Some("db"), 2), 1, "nothing is left of it");
    }
}
