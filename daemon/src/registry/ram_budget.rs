//! The pool's key `ram`: one budget for the RAM of all disks, divided among them while guests go on.
//!
//! ```text
//!   every round: memory of the host ──> budget ── RAM of disks with ram=SIZE ──┐
//!                use of the disks ──> demands ─────────────────────────────────┴─ advice/src/division.rs ──> shares
//!   shares: disks that get less first, then those that get more, from what is free by then
//! ```
//! A disk keeps its share until its shard has answered that it has another one, so the sum exceeds the budget
//! neither in between nor if a shard does not answer; that is tried again in the next round. Rounds wait for no
//! disk that is being changed. A disk that comes gets an equal part, for which the others make room at once.

use std::collections::BTreeMap;
use std::sync::MutexGuard;

use advice::division::{Demand, DiskShare, ShareReason, divide, equal_parts, parts_like, rounded_up};
use base::error::{Error, Result};
use base::memory::{Available, MemoryFolders};
use base::units::{RamBudget, Size};
use futures_util::future::join_all;

use super::dividing::{DiskUse, HostUse, Savings};
use super::saved_shares::SavedShares;
use super::{Registry, lock};
use crate::keys::{RAM_BYTES_DEFAULT, Values};
use crate::state::{DiskRecord, State};

/// Part of the available memory that `auto` takes: one of so many.
const AUTO_PARTS: u64 = 4;
/// Part of that by which the available memory may change before `auto` follows.
const AUTO_SLACK_PARTS: u64 = 8;

/// RAM of disks with a budget.
#[derive(Debug, Default)]
pub(super) struct RamShares {
    /// Budget of all disks at present, in bytes; none before the first division.
    budget_bytes: Option<u64>,
    /// Disks that take part, by number.
    disks: BTreeMap<u32, DiskShare>,
    /// Disks that are being added, or get other values, by number.
    changing: BTreeMap<u32, Member>,
}

/// A disk among those that have RAM.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    values: Values,
    /// Its size when it was served last; none if that is not known.
    size_bytes: Option<u64>,
}

impl Member {
    /// Returns the least and the most RAM in bytes that a disk of this size gets: no more than its keys say, and no more than holds all
    /// of it.
    fn bounds(&self, size_bytes: Option<u64>) -> (u64, u64) {
        let (bytes_min, bytes_max) = self.values.ram_bounds();
        (bytes_min, size_bytes.map_or(bytes_max, |size| rounded_up(size).min(bytes_max)))
    }

    /// Returns the reason of a share: where the size of the disk is its maximum, that is not its key.
    fn reason(&self, share: DiskShare) -> ShareReason {
        let is_below_key = share.bytes < self.values.ram_bounds().1;
        if share.reason == ShareReason::AtMax && is_below_key { ShareReason::AtSize } else { share.reason }
    }
}

/// RAM of all disks, for people.
#[derive(Clone, Debug)]
pub(crate) struct RamView {
    /// The key.
    pub(crate) setting: RamBudget,
    /// Its bytes at present.
    pub(crate) budget_bytes: u64,
    /// The disks, in the order in which they were added.
    pub(crate) disks: Vec<DiskRamView>,
}

/// RAM of a disk, for people.
#[derive(Clone, Debug)]
pub(crate) struct DiskRamView {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) bytes_min: u64,
    /// None: no limit.
    pub(crate) bytes_max: Option<u64>,
    pub(crate) reason: ShareReason,
}

/// Has a disk counted with values that are not recorded yet, until it is dropped.
#[must_use]
pub(super) struct RamInChange<'a> {
    registry: &'a Registry,
    id: u32,
}

impl Drop for RamInChange<'_> {
    fn drop(&mut self) {
        lock(&self.registry.ram_shares).changing.remove(&self.id);
    }
}

/// Returns the bytes that a disk has to have where the pool divides RAM.
pub(super) fn needed(values: &Values) -> u64 {
    values.fixed_ram().map_or_else(|| rounded_up(values.ram_bounds().0), |ram| ram.0)
}

/// Returns the budget at present: of `host_bytes`, what disks have and may have of the host's memory; none if
/// that is not known.
fn effective(
    setting: RamBudget,
    host_bytes: Option<u64>,
    before: Option<u64>,
    needed_bytes: u64,
) -> Option<u64> {
    match (setting, host_bytes) {
        (RamBudget::Off, _) => None,
        (RamBudget::Bytes(bytes), host_bytes) => Some(host_bytes.map_or(bytes, |host| host.min(bytes))),
        (RamBudget::Auto, Some(host_bytes)) => {
            let part = host_bytes / AUTO_PARTS;
            let is_near = |bytes: &u64| bytes.abs_diff(part) <= part / AUTO_SLACK_PARTS;
            Some(before.filter(is_near).unwrap_or(part >> 20 << 20))
        }
        (RamBudget::Auto, None) => Some(before.unwrap_or(needed_bytes.max(RAM_BYTES_DEFAULT))),
    }
}

impl RamShares {
    /// Returns the shares at a start, before any disk is served: as they were before, or else equal parts.
    pub(super) fn at_start(state: &State, available: Option<&Available>, saved: &SavedShares) -> Self {
        let mut shares = Self::default();
        let members = shares.members(state);
        let needed_bytes = members.values().map(|member| needed(&member.values)).sum();
        let host_bytes = available.map(|available| available.bytes);
        let Some(budget) = effective(state.ram_budget(), host_bytes, saved.ram_budget_bytes, needed_bytes)
        else {
            return shares;
        };
        let bounds: Vec<(u64, u64)> =
            taking_part(&members).map(|(_, member)| member.bounds(member.size_bytes)).collect();
        let before: Vec<Option<u64>> =
            taking_part(&members).map(|(id, _)| saved.ram.get(id).copied()).collect();
        let budget_of_parts = budget.saturating_sub(fixed(&members));
        let is_restored = before.iter().any(Option::is_some);
        let parts = if is_restored {
            parts_like(budget_of_parts, &before, &bounds)
        } else {
            equal_parts(budget_of_parts, &bounds)
        };
        let reason = if is_restored { ShareReason::Restored } else { ShareReason::Initial };
        let share = |bytes| DiskShare { bytes, reason };
        shares.disks = taking_part(&members).map(|(id, _)| *id).zip(parts.into_iter().map(share)).collect();
        shares.budget_bytes = Some(budget);
        shares
    }

    /// Returns the share of a disk in bytes; none if it has none yet.
    pub(super) fn bytes(&self, id: u32) -> Option<u64> {
        self.disks.get(&id).map(|share| share.bytes)
    }

    /// Adds the shares to those that are saved.
    pub(super) fn save_into(&self, saved: &mut SavedShares) {
        saved.ram_budget_bytes = self.budget_bytes;
        saved.ram = self.disks.iter().map(|(id, share)| (*id, share.bytes)).collect();
    }

    /// Returns the disks of this host, with the values that they are to have.
    fn members(&self, state: &State) -> BTreeMap<u32, Member> {
        let member = |disk: &DiskRecord| {
            let (name, values, size_bytes) = (disk.name.clone(), disk.settings_now(), disk.size_bytes);
            (disk.id, Member { name, values, size_bytes })
        };
        let mut members: BTreeMap<u32, Member> = state.disks.iter().map(member).collect();
        members.extend(self.changing.iter().map(|(id, member)| (*id, member.clone())));
        members
    }
}

/// Returns the disks that take part in the division.
fn taking_part(members: &BTreeMap<u32, Member>) -> impl Iterator<Item = (&u32, &Member)> {
    members.iter().filter(|(_, member)| member.values.fixed_ram().is_none())
}

/// Returns the bytes of the disks that do not.
fn fixed(members: &BTreeMap<u32, Member>) -> u64 {
    members.values().filter_map(|member| Some(member.values.fixed_ram()?.0)).sum()
}

/// Figures that a division is made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The present shares: they are only made to fit.
    Shares,
    /// Also what RAM saves.
    Savings,
}

/// A disk with another share.
struct NewShare {
    id: u32,
    name: String,
    /// Bytes that it has.
    before: u64,
    /// Bytes that it has to have.
    least: u64,
    share: DiskShare,
}

impl Registry {
    fn shares(&self) -> MutexGuard<'_, RamShares> {
        lock(&self.ram_shares)
    }

    /// Counts a disk with new values, and has the other disks make room for its share. Without a budget nothing
    /// happens. The caller must hold the lock of the disk.
    pub(super) async fn make_ram_room(&self, id: u32, name: &str, values: &Values) -> RamInChange<'_> {
        let size_of = |state: &State| state.disks.iter().find(|disk| disk.id == id)?.size_bytes;
        let size_bytes = self.remembered.read(size_of);
        let member = Member { name: name.to_owned(), values: values.clone(), size_bytes };
        self.shares().changing.insert(id, member);
        let changing = RamInChange { registry: self, id };
        if self.divides_ram() {
            self.make_shares_fit(Some(id)).await;
        }
        changing
    }

    pub(super) fn ram_budget(&self) -> RamBudget {
        self.remembered.read(State::ram_budget)
    }

    /// Returns true if the pool divides RAM among disks.
    pub(crate) fn divides_ram(&self) -> bool {
        !self.ram_budget().is_off()
    }

    /// Refuses a budget that disks cannot have together.
    pub(super) async fn check_ram_budget(&self, wanted: RamBudget) -> Result<()> {
        let refuse = |reason: String| Err(Error::conflict(format!("Cannot set ram={wanted}: {reason}")));
        let members = self.shares().members(&self.state());
        let needed_bytes: u64 = members.values().map(|member| needed(&member.values)).sum();
        let bytes = match wanted {
            RamBudget::Auto => return Ok(()),
            RamBudget::Off if self.ram_budget().is_off() => return Ok(()),
            RamBudget::Off => members.values().map(|member| member.values.ram().0).sum(),
            RamBudget::Bytes(bytes) => bytes,
        };
        if wanted != RamBudget::Off && bytes < needed_bytes {
            return refuse(format!(
                "disks have to have {} together, of which {} are fixed by their keys ram and {} are the least by ram-min; choose \
                 at least {}, or lower those: forebay disk set NAME ram=auto",
                Size(needed_bytes),
                Size(fixed(&members)),
                Size(needed_bytes - fixed(&members)),
                Size(needed_bytes)
            ));
        }
        let reports = self.shards.disks_as_far_as_known().await;
        let used: u64 = reports.values().flatten().map(|report| report.statistics.ram_bytes).sum();
        match MemoryFolders::default().available() {
            Some(available) if bytes > available.bytes.saturating_add(used) => refuse(format!(
                "disks would have {} of RAM together, of which they use {} now, and {available}; choose at most {}",
                Size(bytes),
                Size(used),
                Size(available.bytes.saturating_add(used))
            )),
            _ => Ok(()),
        }
    }

    /// Gives disks their RAM by a budget that was just recorded.
    pub(super) async fn begin_ram_budget(&self) {
        self.make_shares_fit(None).await;
    }

    async fn make_shares_fit(&self, except: Option<u32>) {
        let _dividing = self.dividing.lock().await;
        self.divide_ram(Basis::Shares, &self.host_use().await, except).await;
    }

    /// Returns the RAM of all disks; none if it is not divided.
    pub(super) fn ram_view(&self) -> Option<RamView> {
        let state = self.state();
        let setting = state.ram_budget();
        if setting.is_off() {
            return None;
        }
        let shares = self.shares();
        let view = |disk: &DiskRecord| {
            let (bytes_min, bytes_max) = disk.settings.ram_bounds();
            let share = shares.disks.get(&disk.id).copied();
            let (bytes, reason) = match (disk.settings.fixed_ram(), share) {
                (Some(fixed), _) => (fixed.0, ShareReason::Fixed),
                (None, Some(share)) => (share.bytes, share.reason),
                (None, None) => (needed(&disk.settings), ShareReason::Initial),
            };
            let bytes_max = Some(bytes_max).filter(|max| *max < u64::MAX);
            DiskRamView { name: disk.name.clone(), bytes, bytes_min, bytes_max, reason }
        };
        let disks = state.disks.iter().map(view).collect();
        Some(RamView { setting, budget_bytes: shares.budget_bytes.unwrap_or(0), disks })
    }

    /// Divides the RAM of all disks and applies that. The disk `except` is being changed by the caller, who
    /// gives it its share. The caller must have held [`Registry::dividing`] since before `host` was reported.
    pub(super) async fn divide_ram(&self, basis: Basis, host: &HostUse, except: Option<u32>) {
        let state = self.state();
        if state.ram_budget().is_off() {
            return self.end_ram_budget(&state).await;
        }
        let members = self.shares().members(&state);
        let used: u64 = host.disks.values().map(|disk| disk.report.statistics.ram_bytes).sum();
        let available = MemoryFolders::default().available();
        let host_bytes = available.map(|available| available.bytes.saturating_add(used));
        let needed_bytes = members.values().map(|member| needed(&member.values)).sum();
        let before = self.shares().budget_bytes;
        let Some(total) = effective(state.ram_budget(), host_bytes, before, needed_bytes) else { return };
        let budget = total.saturating_sub(fixed(&members));
        self.shares().budget_bytes = Some(total);

        let ids: Vec<u32> = taking_part(&members).map(|(id, _)| *id).collect();
        let demands = self.demands(budget, &members, host);
        let shares = divide(budget, &demands);
        self.shares().disks.retain(|id, _| ids.contains(id));
        let new = ids.iter().zip(&demands).zip(shares).map(|((id, demand), share)| {
            let member = &members[id];
            let share = DiskShare { reason: member.reason(share), ..share };
            NewShare {
                id: *id,
                name: member.name.clone(),
                before: host.ram_bytes(*id).unwrap_or(demand.now_bytes),
                least: rounded_up(demand.bytes_min),
                share: self.with_earlier_reason(*id, basis, share),
            }
        });
        self.apply_shares(budget, new.collect(), except, host).await;
    }

    /// Keeps the reason of a share where nothing was compared.
    fn with_earlier_reason(&self, id: u32, basis: Basis, share: DiskShare) -> DiskShare {
        let earlier = self.shares().disks.get(&id).map_or(ShareReason::Initial, |share| share.reason);
        let reason = if basis == Basis::Shares { earlier } else { share.reason };
        DiskShare { reason, ..share }
    }

    /// Returns the demands of the disks that take part, in the order of their numbers.
    fn demands<'a>(
        &self,
        budget: u64,
        members: &BTreeMap<u32, Member>,
        host: &'a HostUse,
    ) -> Vec<Demand<Savings<'a>>> {
        let count = taking_part(members).count().max(1) as u64;
        let shares = self.shares();
        let demand = |(id, member): (&u32, &Member)| {
            let (known, used) = (shares.disks.get(id), host.disks.get(id));
            let size_bytes = used.map(|disk| disk.report.size_bytes).or(member.size_bytes);
            let (bytes_min, bytes_max) = member.bounds(size_bytes);
            // A disk that comes weighs as much as the others on average.
            let now_bytes = known.map_or(budget / count, |share| host.ram_bytes(*id).unwrap_or(share.bytes));
            let reads = used.filter(|_| known.is_some()).map_or(0.0, |disk| disk.reads);
            Demand { now_bytes, bytes_min, bytes_max, reads, saved_ns: used.and_then(savings) }
        };
        taking_part(members).map(demand).collect()
    }

    /// Gives disks their new shares: first less to those that get less, then more to the others, as far as the
    /// budget has it by then.
    async fn apply_shares(&self, budget: u64, new: Vec<NewShare>, except: Option<u32>, host: &HostUse) {
        // Until a shard has answered, a disk has what it had. The one of the caller takes what is free by then.
        let is_of_caller = |new: &NewShare| Some(new.id) == except;
        let has_now = |new: &NewShare| (new.id, if is_of_caller(new) { 0 } else { new.before });
        let mut has: BTreeMap<u32, u64> = new.iter().map(has_now).collect();
        let is_meant = |new: &&NewShare| Some(new.id) != except;
        let shrinking: Vec<&NewShare> =
            new.iter().filter(is_meant).filter(|new| new.share.bytes < new.before).collect();
        let shrunk = shrinking.iter().map(|new| self.set_share(new, new.share.bytes, Some(host)));
        for (new, shrunk) in shrinking.iter().zip(join_all(shrunk).await) {
            if shrunk {
                has.insert(new.id, new.share.bytes);
            }
        }
        let mut free = budget.saturating_sub(has.values().sum());
        if let Some(own) = new.iter().find(|new| Some(new.id) == except) {
            // Others may get more once the caller has changed it.
            has.insert(own.id, own.share.bytes.min(free).max(own.least));
            free = 0;
        }
        let mut growing = Vec::new();
        for wanted in new.iter().filter(is_meant) {
            let more = wanted.share.bytes.saturating_sub(has[&wanted.id]).min(free);
            if more > 0 {
                free -= more;
                growing.push((wanted, has[&wanted.id]));
                *has.entry(wanted.id).or_default() += more;
            }
        }
        let grown = growing.iter().map(|(new, _)| self.set_share(new, has[&new.id], Some(host)));
        let grown = join_all(grown).await;
        for ((new, before), grown) in growing.iter().zip(grown) {
            if !grown {
                has.insert(new.id, *before);
            }
        }
        let mut shares = self.shares();
        for NewShare { id, share, .. } in &new {
            shares.disks.insert(*id, DiskShare { bytes: has[id], ..*share });
        }
    }

    /// Has a disk use so much RAM. Returns false if it does not, or is being changed. One that is not served
    /// will use it.
    async fn set_share(&self, new: &NewShare, bytes: u64, host: Option<&HostUse>) -> bool {
        let Some(_changing) = self.locks.try_lock(&new.name) else { return false };
        if !self.shards.is_attached(&new.name) {
            return true;
        }
        if host.and_then(|host| host.ram_bytes(new.id)) == Some(bytes) {
            return true;
        }
        match self.shards.set_ram(new.name.clone(), bytes).await {
            Ok(()) => true,
            Err(problem) => {
                tracing::warn!("Disk '{}' keeps its RAM for now: {problem}", new.name);
                false
            }
        }
    }

    /// Returns disks to their own RAM, after the budget was ended. Those that cannot now do so later.
    async fn end_ram_budget(&self, state: &State) {
        let with_shares: Vec<u32> = self.shares().disks.keys().copied().collect();
        self.shares().budget_bytes = None;
        for id in with_shares {
            let record = state.disks.iter().find(|disk| disk.id == id);
            let record = record.filter(|record| record.settings.fixed_ram().is_none());
            if let Some(record) = record {
                let bytes = self.in_memory(id, &record.settings).ram().0;
                let share = DiskShare { bytes, reason: ShareReason::Fixed };
                let new = NewShare { id, name: record.name.clone(), before: 0, least: 0, share };
                if !self.set_share(&new, bytes, None).await {
                    continue;
                }
            }
            self.shares().disks.remove(&id);
        }
    }
}

impl HostUse {
    /// Returns the RAM that a disk has; none if its shard did not say.
    fn ram_bytes(&self, id: u32) -> Option<u64> {
        self.disks.get(&id).map(|disk| disk.report.settings.ram_bytes)
    }
}

/// Returns the time that RAM of a disk saves.
fn savings(disk: &DiskUse) -> Option<Savings<'_>> {
    let curves = disk.curves.as_ref()?;
    Some(Box::new(disk.answer_times().saved_by_ram(curves, disk.report.statistics.cached_bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_budget_is_never_more_than_the_host_has() {
        let bytes = |host| effective(RamBudget::Bytes(16 * MIB), host, None, 0);
        assert_eq!(bytes(Some(64 * MIB)), Some(16 * MIB));
        assert_eq!(bytes(Some(12 * MIB)), Some(12 * MIB));
        assert_eq!(bytes(None), Some(16 * MIB));
        assert_eq!(effective(RamBudget::Off, Some(64 * MIB), None, 0), None);
    }

    fn member(texts: &[(&str, &str)], size_mib: Option<u64>) -> Member {
        let values = Values::default().with(texts.iter().copied()).expect("all are good");
        Member { name: "web".to_owned(), values, size_bytes: size_mib.map(|mib| mib * MIB) }
    }

    #[test]
    fn a_disk_gets_no_more_ram_than_holds_all_of_it_and_that_is_its_reason() {
        let bounds = |texts: &[(&str, &str)], size| {
            let member = member(texts, size);
            member.bounds(member.size_bytes)
        };
        assert_eq!(bounds(&[], None), (MIB, u64::MAX));
        assert_eq!(bounds(&[], Some(6)), (MIB, 6 * MIB));
        assert_eq!(bounds(&[("ram-max", "4MiB")], Some(6)), (MIB, 4 * MIB));
        assert_eq!(bounds(&[("ram-min", "8MiB")], Some(6)), (8 * MIB, 6 * MIB), "the minimum goes first");
        assert_eq!(member(&[], None).bounds(Some(5 * MIB + 1)), (MIB, rounded_up(5 * MIB + 1)));
        let share = DiskShare { bytes: 4 * MIB, reason: ShareReason::AtMax };
        assert_eq!(member(&[("ram-max", "4MiB")], Some(6)).reason(share), ShareReason::AtMax);
        assert_eq!(member(&[("ram-max", "6MiB")], Some(4)).reason(share), ShareReason::AtSize);
        let grows = DiskShare { reason: ShareReason::Grows, ..share };
        assert_eq!(member(&[], Some(4)).reason(grows), ShareReason::Grows);
    }

    #[test]
    fn auto_is_a_quarter_and_follows_the_host_only_beyond_an_eighth_of_it() {
        let auto = |host: u64, before: Option<u64>| {
            effective(RamBudget::Auto, Some(host * MIB), before.map(|mib| mib * MIB), 0)
                .map(|bytes| bytes / MIB)
        };
        assert_eq!(auto(4000, None), Some(1000));
        assert_eq!([auto(3600, Some(1000)), auto(4400, Some(1000))], [Some(1000); 2]);
        assert_eq!((auto(3500, Some(1000)), auto(4600, Some(1000))), (Some(875), Some(1150)));
        assert_eq!(auto(3, None), Some(0), "the least shares remain");
        assert_eq!(effective(RamBudget::Auto, None, None, 40 * MIB), Some(40 * MIB));
    }
}
