//! RAM of all disks together: at most what the host and its memory cgroup have, and within the pool's budget if
//! there is one (`ram_budget.rs`).
//!
//! Requests for more are refused. At a start there may be less than before, and no disk waits for that: each
//! gets its share of the available RAM, until its key is changed.

use std::collections::BTreeMap;

use base::error::{Error, Result};
use base::memory::{Available, MemoryFolders};
use base::units::{RamBudget, Size};
use telemetry::events::{self, Kind};

use super::{ClaimGuard, Registry, lock, ram_budget};
use crate::backing::OwnUse;
use crate::keys::Values;
use crate::state::{DiskRecord, State};

impl Registry {
    /// Returns the RAM to claim for a disk that is to have `values`: none if it needs no more than before.
    pub(super) fn ram_to_claim(&self, values: &Values, before: Option<&Values>) -> Option<Size> {
        let budget = self.ram_budget();
        let needed = |values: &Values| needed(budget, values);
        Some(needed(values)).filter(|bytes| before.is_none_or(|before| *bytes > needed(before))).map(Size)
    }

    /// Refuses RAM that is claimed for a disk if it exceeds the available RAM or the pool's budget, with that of
    /// all other disks and of earlier changes under way. `id` is none for a new disk.
    ///
    /// # Errors
    /// A conflict with the numbers.
    pub(super) async fn check_ram(
        &self,
        name: &str,
        id: Option<u32>,
        claimed: &ClaimGuard<'_>,
    ) -> Result<()> {
        let Some(wanted) = claimed.claim().ram else { return Ok(()) };
        let reports = self.shards.disks_as_far_as_known().await;
        let used = reports.values().flatten().map(|report| report.statistics.ram_bytes).sum();
        let budget = self.ram_budget();
        let disks = self.state().disks.into_iter().filter(|disk| Some(disk.id) != id);
        let mut others: BTreeMap<String, u64> =
            disks.map(|disk| (disk.name.clone(), needed(budget, &disk.settings))).collect();
        for (user, claim) in self.claims.before(claimed) {
            let OwnUse::Disk(other) = user else { continue };
            let ram = others.entry(other).or_default();
            *ram = claim.ram.map_or(*ram, |claim| claim.0.max(*ram));
        }
        let others = others.values().sum();
        if let RamBudget::Bytes(budget) = budget {
            return check_budget(name, wanted, others, budget);
        }
        match MemoryFolders::default().available() {
            Some(available) => check(name, wanted, Ram { others, used }, &available),
            None => Ok(()),
        }
    }

    /// Returns values for a shard: with the disk's share of the pool's RAM, or without one with at most the RAM
    /// that the disk has since a start with too little.
    pub(super) fn in_memory(&self, id: u32, values: &Values) -> Values {
        if values.fixed_ram().is_none() && !self.ram_budget().is_off() {
            let share = lock(&self.ram_shares).bytes(id);
            return values.with_ram(share.unwrap_or_else(|| ram_budget::needed(values)));
        }
        match lock(&self.ram_limits).get(&id) {
            Some(limit) => values.with_ram_at_most(*limit),
            None => values.clone(),
        }
    }
}

/// RAM of disks in bytes.
#[derive(Clone, Copy, Debug)]
struct Ram {
    /// Bytes that the keys of all other disks give them.
    others: u64,
    /// Bytes in use by all disks, which are no longer available.
    used: u64,
}

fn check(name: &str, wanted: Size, Ram { others, used }: Ram, available: &Available) -> Result<()> {
    let total = others.saturating_add(wanted.0);
    let most = available.bytes.saturating_add(used);
    if total <= most {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "Cannot give disk '{name}' {wanted} of RAM: all disks together would have {}, of which they use {} now, and {available}; \
         choose at most {}, or lower ram= of other disks",
        Size(total),
        Size(used),
        Size(most.saturating_sub(others))
    )))
}

/// Returns the bytes that a disk has to have.
fn needed(budget: RamBudget, values: &Values) -> u64 {
    if budget.is_off() { values.ram().0 } else { ram_budget::needed(values) }
}

/// Refuses RAM that a disk has to have beyond a budget, of which others have to have a part.
fn check_budget(name: &str, wanted: Size, others: u64, budget: u64) -> Result<()> {
    if others.saturating_add(wanted.0) <= budget {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "Cannot give disk '{name}' {wanted} of RAM: all disks together have {} (key ram of the pool), and the others have to have \
         {} of that; choose at most {}, lower ram= or ram-min= of other disks, or raise it: forebay pool set ram=SIZE",
        Size(budget),
        Size(others),
        Size(budget.saturating_sub(others))
    )))
}

/// Returns the RAM of disks at a start with too little for all, and logs it. Where the pool divides RAM, only
/// disks whose own was set are among them.
pub(super) fn limits_at_start(state: &State) -> BTreeMap<u32, u64> {
    let is_divided = !state.ram_budget().is_off();
    let own = |disk: &&DiskRecord| !is_divided || disk.settings.fixed_ram().is_some();
    let wanted: Vec<(u32, u64)> =
        state.disks.iter().filter(own).map(|disk| (disk.id, disk.settings.ram().0)).collect();
    let Some(available) = MemoryFolders::default().available() else { return BTreeMap::new() };
    let limits = parts(&wanted, available.bytes);
    if !limits.is_empty() {
        let (given, total) = (limits.values().sum(), wanted.iter().map(|(_, ram)| ram).sum());
        events::of_host(
            Kind::RamReduced,
            format!(
                "Disks have {} of RAM together, and not the {} of their keys: {available}",
                Size(given),
                Size(total)
            ),
        );
    }
    limits
}

/// Divides `available` bytes among disks in proportion to their keys; none if there is enough for all.
fn parts(wanted: &[(u32, u64)], available: u64) -> BTreeMap<u32, u64> {
    let total: u128 = wanted.iter().map(|(_, ram)| u128::from(*ram)).sum();
    if total <= u128::from(available) {
        return BTreeMap::new();
    }
    // Rounded down to whole MiB, so that the sum never exceeds the available RAM.
    let part = |ram: u64| (u128::from(ram) * u128::from(available) / total) as u64 >> 20 << 20;
    wanted.iter().map(|(id, ram)| (*id, part(*ram))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn available(bytes: u64) -> Available {
        Available { bytes, limited_by: "this host".to_owned() }
    }

    #[test]
    fn ram_beyond_what_is_left_for_all_disks_is_refused_with_the_numbers() {
        let ram = Ram { others: 3 * GIB, used: 2 * GIB };
        let ask = |wanted: u64, left: u64| check("web", Size(wanted), ram, &available(left));
        assert_eq!(ask(GIB, 2 * GIB), Ok(()), "what is in use is theirs");
        let problem = ask(2 * GIB, 2 * GIB).expect_err("it is more than there is");
        for number in
            ["2GiB of RAM", "would have 5GiB", "use 2GiB now", "2GiB are left in this host", "at most 1GiB"]
        {
            assert!(problem.message.contains(number), "{number}: {problem}");
        }
        assert!(ask(u64::MAX, u64::MAX / 2).is_err());
    }

    #[test]
    fn ram_beyond_the_budget_of_the_pool_is_refused_with_the_numbers() {
        assert_eq!(check_budget("web", Size(GIB), 3 * GIB, 4 * GIB), Ok(()));
        let problem = check_budget("web", Size(2 * GIB), 3 * GIB, 4 * GIB).expect_err("it is too much");
        for number in ["2GiB of RAM", "together have 4GiB", "have to have 3GiB", "at most 1GiB"] {
            assert!(problem.message.contains(number), "{number}: {problem}");
        }
    }

    #[test]
    fn a_start_with_too_little_memory_gives_each_disk_its_part_and_one_with_enough_all() {
        assert_eq!(parts(&[(1, GIB), (2, GIB)], 2 * GIB), BTreeMap::new());
        assert_eq!(
            parts(&[(1, 3 * GIB), (2, GIB)], 2 * GIB),
            BTreeMap::from([(1, 3 * GIB / 2), (2, GIB / 2)])
        );
        assert_eq!(parts(&[(1, u64::MAX), (2, u64::MAX)], 2 * GIB)[&1], GIB);
        assert_eq!(parts(&[(1, GIB)], 0), BTreeMap::from([(1, 0)]));
    }
}
