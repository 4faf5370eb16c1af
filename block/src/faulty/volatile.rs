//! Writes that a device has received and may still lose: versions of sectors, newest last.

use std::collections::BTreeMap;

use crate::SECTOR;
use crate::memory::Memory;

/// Versions that are not durable, per sector.
#[derive(Default)]
pub(super) struct Volatile {
    sectors: BTreeMap<u64, Vec<Version>>,
    written: u64,
}

struct Version {
    /// Number of the write, in order.
    number: u64,
    bytes: Box<[u8]>,
    /// A flush that should have covered it failed: no later one will.
    doomed: bool,
}

impl Volatile {
    /// Adds a sector's newest content.
    pub(super) fn put(&mut self, sector: u64, bytes: &[u8]) {
        self.written += 1;
        let version = Version { number: self.written, bytes: bytes.into(), doomed: false };
        self.sectors.entry(sector).or_default().push(version);
    }

    /// Forgets all versions of a sector.
    pub(super) fn forget(&mut self, sector: u64) {
        self.sectors.remove(&sector);
    }

    /// Lays the newest versions over the durable content.
    pub(super) fn overlay(&self, offset: u64, bytes: &mut [u8]) {
        let first = offset / SECTOR;
        let end = first + bytes.len() as u64 / SECTOR;
        for (sector, versions) in self.sectors.range(first..end) {
            let at = ((sector - first) * SECTOR) as usize;
            if let Some(newest) = versions.last() {
                bytes[at..at + SECTOR as usize].copy_from_slice(&newest.bytes);
            }
        }
    }

    /// Returns a mark of everything written so far, for [`Volatile::commit`] later: a flush that starts now will cover it.
    pub(super) fn mark(&self) -> u64 {
        self.written
    }

    /// Makes everything durable that was written up to `mark`.
    pub(super) fn commit(&mut self, mark: u64, durable: &Memory) {
        self.sectors.retain(|sector, versions| {
            let covered = versions.iter().rposition(|version| version.number <= mark && !version.doomed);
            if let Some(covered) = covered {
                durable.poke(sector * SECTOR, &versions[covered].bytes);
                versions.drain(..=covered);
            }
            !versions.is_empty()
        });
    }

    /// Records that a flush up to `mark` failed.
    pub(super) fn doom(&mut self, mark: u64) {
        for version in self.sectors.values_mut().flatten() {
            version.doomed |= version.number <= mark;
        }
    }

    /// Reduces each sector to its durable content or one of its versions: `keep` selects which, from how many there are. Returns how many
    /// lost their newest.
    pub(super) fn collapse(&mut self, durable: &Memory, mut keep: impl FnMut(u64) -> u64) -> u64 {
        let mut lost = 0;
        for (sector, versions) in std::mem::take(&mut self.sectors) {
            let kept = keep(versions.len() as u64) as usize;
            lost += u64::from(kept < versions.len());
            if let Some(version) = kept.checked_sub(1).map(|kept| &versions[kept]) {
                durable.poke(sector * SECTOR, &version.bytes);
            }
        }
        lost
    }
}
