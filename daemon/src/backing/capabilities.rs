//! Capabilities of backings: operations that only some kinds of storage support. Shards decide by them,
//! errors cite them, and documents list them.

use std::borrow::Cow;

use block::Geometry;

/// Support of a backing for one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ability {
    Able,
    /// Not supported: the reason and its consequence, as a clause without a capital letter and a full stop.
    Unable(Cow<'static, str>),
}

/// Every capability of a backing, as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Keeps other hosts and programs from changing it, also while no disk is served from it.
    pub(crate) fence: Ability,
    /// Can bear a dirty mark while flash may have newer data.
    pub(crate) dirty_marker: Ability,
    /// Makes acknowledged writes durable on a flush.
    pub(crate) flush: Ability,
    /// Keeps its content when the host is off.
    pub(crate) persistence: Ability,
    /// Bypasses the page cache of the host.
    pub(crate) direct_io: Ability,
    /// Can be taken over from the QEMU of a running guest, and given back.
    pub(crate) guest_move: Ability,
    /// Can move to another shard while guests of its disk stay connected.
    pub(crate) shard_move: Ability,
    /// Reports a changed size while it is served.
    pub(crate) resize: Ability,
    /// Frees the storage of discarded ranges.
    pub(crate) discard: Ability,
    /// Frees the storage of zeroes instead of writing them.
    pub(crate) unmap: Ability,
}

/// One capability with its names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedAbility<'a> {
    /// Name in documents.
    pub(crate) name: &'static str,
    /// Name for people.
    pub(crate) title: &'static str,
    pub(crate) ability: &'a Ability,
}

impl Ability {
    /// Returns an inability.
    pub(crate) const fn unable(reason: &'static str) -> Self {
        Self::Unable(Cow::Borrowed(reason))
    }

    /// Returns an inability if there is a reason for one, else the ability.
    pub(crate) fn unless(reason: Option<impl Into<Cow<'static, str>>>) -> Self {
        reason.map_or(Self::Able, |reason| Self::Unable(reason.into()))
    }

    /// Returns true if the operation is supported.
    pub(crate) fn is_able(&self) -> bool {
        *self == Self::Able
    }

    /// Returns the reason of an inability.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Able => None,
            Self::Unable(reason) => Some(reason),
        }
    }

    /// Returns the first inability of the two, if there is one.
    pub(crate) fn and(self, other: Self) -> Self {
        if self.is_able() { other } else { self }
    }
}

impl Capabilities {
    /// Returns the capabilities of storage that supports everything which its geometry does not rule out.
    pub(crate) fn from_geometry(geometry: &Geometry) -> Self {
        Self {
            fence: Ability::Able,
            dirty_marker: Ability::Able,
            flush: Ability::unless((!geometry.flushes).then_some(
                "its server offers no flush, so it is unknown when its writes are durable; guests are offered no flush either",
            )),
            persistence: Ability::Able,
            direct_io: Ability::Able,
            guest_move: Ability::Able,
            shard_move: Ability::Able,
            resize: Ability::Able,
            discard: Ability::unless((!geometry.discards).then_some("it supports none, so a range that guests discard keeps its storage")),
            unmap: Ability::unless((!geometry.unmaps).then_some("they are written as data and take storage")),
        }
    }

    /// Returns all capabilities with their names.
    pub(crate) fn named(&self) -> [NamedAbility<'_>; 10] {
        [
            ("fence", "fencing", &self.fence),
            ("dirty-marker", "mark of dirty data", &self.dirty_marker),
            ("flush", "flush", &self.flush),
            ("persistence", "persistence", &self.persistence),
            ("direct-io", "direct I/O", &self.direct_io),
            ("guest-move", "move of a running guest", &self.guest_move),
            ("shard-move", "move between threads", &self.shard_move),
            ("resize", "growth under guests", &self.resize),
            ("discard", "discards", &self.discard),
            ("unmap", "holes for zeroes", &self.unmap),
        ]
        .map(|(name, title, ability)| NamedAbility { name, title, ability })
    }

    /// Returns each reason for which data that the backing acknowledged may be lost.
    pub(crate) fn limitations(&self) -> Vec<String> {
        let promises = [&self.flush, &self.persistence];
        promises.into_iter().filter_map(Ability::reason).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_geometry_denies_is_an_inability_with_a_reason_and_the_rest_is_none() {
        let plain = Capabilities::from_geometry(&Geometry::plain(1 << 20));
        assert!(plain.named().iter().all(|named| named.ability.is_able()) && plain.limitations().is_empty());
        let poor = Geometry { flushes: false, discards: false, unmaps: false, ..Geometry::plain(1 << 20) };
        let poor = Capabilities::from_geometry(&poor);
        let unable = poor.named().into_iter().filter(|named| named.ability.reason().is_some());
        assert_eq!(unable.map(|named| named.name).collect::<Vec<_>>(), ["flush", "discard", "unmap"]);
        assert_eq!(poor.limitations().len(), 1, "a discard loses nothing");
    }

    #[test]
    fn of_two_inabilities_the_first_one_is_told() {
        let (one, two) = (Ability::unable("one"), Ability::unable("two"));
        assert_eq!(Ability::Able.and(two.clone()), two);
        assert_eq!(one.clone().and(Ability::Able), one);
        assert_eq!(one.clone().and(two), one);
        assert_eq!(Ability::Able.and(Ability::Able).reason(), None);
    }
}
