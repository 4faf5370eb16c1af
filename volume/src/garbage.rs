//! Garbage: objects that nothing needs and that no table has, so that upkeep cannot delete them.
//!
//! ```text
//! groups that were abandoned, puts that landed late, checkpoints that failed, whatever earlier epochs left behind
//! ── named by lists ── unneeded by what the holder of the epoch knows ── a look at the epoch ── deleted
//! ```
//! A list only proposes names. What is deleted is unneeded for every host, from the newest checkpoint of the own epoch on, for good:
//!
//! - Content: of earlier epochs, or below what that checkpoint covers, and in no table. Nothing is added to a table later but what this epoch
//!   puts above that.
//! - Parts of checkpoints: of earlier epochs, or numbered up to that checkpoint and put before, if neither it nor the state names them. A root
//!   whose create gave no answer may land late: its own parts have a higher number, and the others that it names are in the state.
//! - Roots, records of starts and marks: of earlier epochs. Readers begin at the newest start. One that began before that was there, and found
//!   some of these missing, reads again (see [`load_newest`](super::load::load_newest), and `newest_table` for snapshots).
//!
//! **Snapshots** keep their bodies, and the parts and objects that these name. What they keep is asked right before each delete, under the lock
//! of upkeep: that is held by what takes a snapshot, from before its body is put until its pins are known, and by what deletes one. Nothing
//! is deleted while the body of a snapshot cannot be read. Tables of snapshots and flags of clones stay.
//!
//! **References** are made to objects of the present table only, and an object leaves that when it is dead and no group that may count on replay
//! refers to it. So what no table has is referred to by nothing that counts, or may.
//!
//! **Why a record of a start may go.** That of the epoch that deletes it is there before. A reader that missed the newest start which
//! there was, because it was deleted meanwhile, finds a later start among the epochs that it knew, or a later epoch (`is_newest`). So it takes
//! no older table of snapshots, and no absence of one, for the newest; whether a table is settled depends on epochs alone, which stay.
//!
//! Epochs stay, and roots and marks of the own epoch: they are counted. A host that takes the volume over between a look and a delete starts
//! from that checkpoint or a later one. It needs nothing of this either, and no name is used twice. The table of snapshots that it finds names
//! what this host pins: pins end with the look behind a later table.

use std::collections::BTreeSet;
use std::rc::Rc;

use block::Host;
use futures_util::future::join_all;

use super::canary::{self, Bug};
use super::error::VolumeError;
use super::load::read_root;
use super::names::{CheckpointKey, ObjectKey, PartKey, VolumeId};
use super::objects::Objects;
use super::pins::Pins;
use super::state::Shared;
use super::store::{LIST_NAMES_MAX, Listed, Store};
use super::volume::Volume;

/// Objects that are deleted after one look at the epoch.
const DELETES_AT_ONCE: usize = 8;
/// Folders of a volume that can have garbage.
const FOLDERS: [&str; 5] = ["data/", "copies/", "map/", "start/", "marks/"];

/// Garbage that was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectReport {
    /// Objects.
    pub objects: u64,
    /// Bytes of these, as the store listed them.
    pub bytes: u64,
}

/// Name of an object that can be garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredName {
    Content(ObjectKey),
    Root(CheckpointKey),
    Part(PartKey),
    Start(u64),
    Mark(u64),
}

impl StoredName {
    /// Reads the name of an object of a volume. None of any other name, and of one that this build would write otherwise.
    fn parse(volume: VolumeId, name: &str) -> Option<Self> {
        let (folder, rest) = name.strip_prefix(&volume.prefix())?.split_once('/')?;
        let mut numbers = [0; 3];
        let mut count = 0;
        for number in rest.split('.') {
            *numbers.get_mut(count)? = number.parse().ok()?;
            count += 1;
        }
        let [epoch, number, part] = numbers;
        let checkpoint = CheckpointKey { epoch, number };
        let (parsed, written) = match (folder, count) {
            ("data" | "copies", 2) => {
                let key = ObjectKey { is_copies: folder == "copies", epoch, sequence: number };
                (Self::Content(key), volume.object(key))
            }
            ("map", 2) => (Self::Root(checkpoint), volume.checkpoint(checkpoint)),
            ("map", 3) => {
                let key = PartKey { checkpoint, part: u32::try_from(part).ok()? };
                (Self::Part(key), volume.part(key))
            }
            ("start", 1) => (Self::Start(epoch), volume.start(epoch)),
            ("marks", 2) => (Self::Mark(epoch), volume.mark(epoch, number)),
            _ => return None,
        };
        (written == name).then_some(parsed)
    }
}

/// Objects that the volume needs, as its newest checkpoint has them. What it says of others stays true.
struct Needed {
    /// The checkpoint, of the own epoch.
    checkpoint: CheckpointKey,
    /// Sequences of data and copies of this epoch that it covers.
    covered: [u64; 2],
    /// Its table of objects.
    objects: Objects,
    /// Its parts and its body.
    parts: BTreeSet<PartKey>,
    /// Number of the last part that this epoch put before: later ones may come into use.
    last_part: u32,
}

impl Needed {
    /// Returns true if nothing needs an object, nor will. `table` is the present one, and `pins` are those of the snapshots that there are.
    fn is_garbage(&self, name: StoredName, table: &Objects, pins: &Pins) -> bool {
        let has_pins = !canary::has(Bug::CollectedPins);
        if pins.has_all() && has_pins {
            return false;
        }
        let own = self.checkpoint.epoch;
        match name {
            StoredName::Content(key) => {
                let is_named = self.objects.index_of(key).is_some();
                if canary::has(Bug::CollectedTail) {
                    return !is_named;
                }
                let is_over = key.epoch < own
                    || key.epoch == own && key.sequence < self.covered[usize::from(key.is_copies)];
                is_over && !is_named && table.index_of(key).is_none() && !(has_pins && pins.has_object(key))
            }
            StoredName::Part(key) => {
                let CheckpointKey { epoch, number } = key.checkpoint;
                let is_over = epoch < own
                    || epoch == own && number <= self.checkpoint.number && key.part <= self.last_part
                    || canary::has(Bug::CollectedAttempt);
                is_over && !self.parts.contains(&key) && !(has_pins && pins.has_part(key))
            }
            StoredName::Root(CheckpointKey { epoch, .. })
            | StoredName::Start(epoch)
            | StoredName::Mark(epoch) => epoch < own,
        }
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Deletes garbage. Returns how much.
    pub(crate) async fn collect(&self) -> Result<CollectReport, VolumeError> {
        let epoch = self.epoch.ok_or(VolumeError::ReadOnly)?;
        self.check_open()?;
        let has_own = self.state.borrow().checkpoint.is_some_and(|key| key.epoch == epoch);
        if !has_own {
            self.checkpoint().await?;
        }
        let needed = self.needed().await?;
        let mut report = CollectReport::default();
        for folder in FOLDERS {
            let prefix = format!("{}{folder}", self.volume.prefix());
            let mut after = None;
            loop {
                let listed = self.calls.list(&prefix, after.as_deref()).await?;
                self.delete_garbage(&needed, &listed, &mut report).await?;
                match listed.last() {
                    Some(last) if listed.len() >= LIST_NAMES_MAX => after = Some(last.name.clone()),
                    _ => break,
                }
            }
        }
        Ok(report)
    }

    /// Reads the newest checkpoint back, and returns what is needed.
    async fn needed(&self) -> Result<Needed, VolumeError> {
        // Its body is deleted once there is a newer one.
        let _upkeep = self.upkeep.lock().await;
        let checkpoint = self.state.borrow().checkpoint.ok_or(VolumeError::Closed)?;
        let (root, body) = read_root(&self.calls, self.volume, checkpoint).await?;
        let state = self.state.borrow();
        let regions = root.regions.values().chain(state.regions.values());
        let mut parts: BTreeSet<PartKey> = regions.map(|place| place.part).collect();
        parts.insert(body);
        parts.extend(state.body);
        let (covered, objects) = (root.covered, root.content.objects);
        Ok(Needed { checkpoint, covered, objects, parts, last_part: state.next_part })
    }

    async fn delete_garbage(
        &self,
        needed: &Needed,
        listed: &[Listed],
        report: &mut CollectReport,
    ) -> Result<(), VolumeError> {
        let is_garbage = |object: &&Listed| {
            let Some(name) = StoredName::parse(self.volume, &object.name) else { return false };
            let state = self.state.borrow();
            let is_referred_to =
                matches!(name, StoredName::Content(key) if state.deduplication.is_pinned(key));
            !is_referred_to && needed.is_garbage(name, &state.content.objects, &state.snapshots.pins)
        };
        let garbage: Vec<&Listed> = listed.iter().filter(is_garbage).collect();
        for some in garbage.chunks(DELETES_AT_ONCE) {
            // While a snapshot is taken, nobody knows yet what it keeps.
            let _upkeep = self.upkeep.lock().await;
            self.check_open()?;
            let some: Vec<&Listed> = some.iter().copied().filter(is_garbage).collect();
            self.look().await?;
            let deletes = some.iter().map(async |object| self.calls.delete(&object.name).await);
            for (object, deleted) in some.iter().zip(join_all(deletes).await) {
                deleted?;
                report.objects += 1;
                report.bytes += object.bytes;
            }
        }
        Ok(())
    }
}

impl<S: Store, H: Host> Volume<S, H> {
    /// Deletes objects that nothing needs and that no checkpoint will delete: of groups that were abandoned, of puts that landed late, of
    /// checkpoints that failed, and records of earlier openings. Guests go on meanwhile. Once begun it goes on to its end.
    ///
    /// # Errors
    /// If it is open for reading alone, was closed or overtaken, or the store fails. Some may be deleted then.
    pub async fn collect(&self) -> Result<CollectReport, VolumeError> {
        let shared = Rc::clone(&self.0);
        self.0.calls.host.to_its_end(async move { shared.collect().await }).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::pins::Pinned;
    use super::*;

    const VOLUME: VolumeId = VolumeId([7; 16]);

    fn data(epoch: u64, sequence: u64) -> ObjectKey {
        ObjectKey { is_copies: false, epoch, sequence }
    }

    fn part(epoch: u64, number: u64, part: u32) -> PartKey {
        PartKey { checkpoint: CheckpointKey { epoch, number }, part }
    }

    #[test]
    fn names_of_a_volume_read_back_and_no_others_do() {
        let key = data(3, 9);
        let copies = ObjectKey { is_copies: true, ..key };
        for (name, parsed) in [
            (VOLUME.object(key), StoredName::Content(key)),
            (VOLUME.object(copies), StoredName::Content(copies)),
            (VOLUME.checkpoint(part(3, 4, 0).checkpoint), StoredName::Root(part(3, 4, 0).checkpoint)),
            (VOLUME.part(part(3, 4, 5)), StoredName::Part(part(3, 4, 5))),
            (VOLUME.start(3), StoredName::Start(3)),
            (VOLUME.mark(3, 4), StoredName::Mark(3)),
        ] {
            assert_eq!(StoredName::parse(VOLUME, &name), Some(parsed), "{name}");
            assert_eq!(StoredName::parse(VolumeId([8; 16]), &name), None);
            for other in [format!("{name}.0.0"), format!("{name}x"), name.replace("0000", "000")] {
                assert_eq!(StoredName::parse(VOLUME, &other), None, "{other}");
            }
        }
        for name in
            [VOLUME.volume(), VOLUME.epoch(3), format!("{}snapshots/00000003.00000001", VOLUME.prefix())]
        {
            assert_eq!(StoredName::parse(VOLUME, &name), None, "{name}");
        }
    }

    #[test]
    fn what_the_checkpoint_or_the_table_names_or_what_may_still_count_is_no_garbage() {
        let mut objects = Objects::default();
        objects.add(data(2, 1), 10, 1);
        let mut table = Objects::default();
        table.add(data(2, 2), 10, 1);
        let needed = Needed {
            checkpoint: CheckpointKey { epoch: 5, number: 3 },
            covered: [10, 4],
            objects,
            parts: [part(4, 1, 1), part(5, 3, 2)].into(),
            last_part: 7,
        };
        let mut pins = Pins::default();
        let pinned = Pinned { objects: vec![data(1, 1)], parts: [part(3, 1, 1)].into() };
        pins.add(part(3, 2, 2), Some(pinned));
        let is_garbage = |name| needed.is_garbage(name, &table, &pins);
        let content = |key| is_garbage(StoredName::Content(key));
        assert!(!content(data(2, 1)) && !content(data(2, 2)), "they are named");
        assert!(content(data(2, 3)) && content(data(5, 9)));
        assert!(!content(data(1, 1)) && content(data(1, 2)), "a snapshot keeps the one");
        assert!(!content(data(5, 10)) && !content(data(6, 0)), "they may count");
        assert!(content(ObjectKey { is_copies: true, ..data(5, 3) }));
        assert!(!content(ObjectKey { is_copies: true, ..data(5, 4) }));
        let is_part = |key| is_garbage(StoredName::Part(key));
        assert!(!is_part(part(4, 1, 1)) && !is_part(part(5, 3, 2)), "they are named");
        assert!(!is_part(part(3, 1, 1)) && !is_part(part(3, 2, 2)), "a snapshot keeps them");
        assert!(is_part(part(4, 9, 9)) && is_part(part(5, 3, 1)));
        assert!(!is_part(part(5, 4, 3)), "a root that lands late may name it");
        assert!(is_part(part(5, 3, 7)) && !is_part(part(5, 3, 8)), "it is put meanwhile");
        for (epoch, expected) in [(4, true), (5, false), (6, false)] {
            let all = [
                StoredName::Root(CheckpointKey { epoch, number: 0 }),
                StoredName::Start(epoch),
                StoredName::Mark(epoch),
            ];
            assert!(all.into_iter().all(|name| is_garbage(name) == expected), "{epoch}");
        }
        let mut unknown = Pins::default();
        unknown.add(part(3, 2, 2), None);
        for name in [StoredName::Content(data(1, 2)), StoredName::Part(part(4, 9, 9)), StoredName::Start(4)] {
            assert!(is_garbage(name) && !needed.is_garbage(name, &table, &unknown), "{name:?}");
        }
    }
}
