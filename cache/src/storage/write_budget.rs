//! The write budget of each device of a pool: set for all shards, and asked before a batch is promoted.

use block::Host;

use super::pool::Pool;
use crate::format::members::Member;
use crate::state::budget::Budget;
use crate::types::env::Env;
use crate::types::settings::DriveWrites;
use crate::types::stats::BudgetStatistics;
use crate::types::units::SegmentNumber;

impl<E: Env> Pool<E> {
    /// Sets the budget of each device, for all shards; none for no budget.
    pub(crate) fn set_write_budget(&self, drive_writes: Option<DriveWrites>) {
        let metered: Vec<(Member, u64)> =
            self.members().into_iter().map(|member| (member, self.written_to(member))).collect();
        self.shared.budgets.set(drive_writes, &metered, self.host.now());
    }

    /// Updates the sizes of devices, for budgets that depend on them.
    pub(super) fn see_sizes(&self) {
        for member in self.members() {
            self.shared.budgets.see_size(member);
        }
    }

    /// Returns how far spending is ahead of the budget, on the device where it is highest: from 0 to 1, and 0 without a budget.
    pub(crate) fn write_pressure(&self) -> f32 {
        if !self.shared.budgets.is_set() {
            return 0.0;
        }
        let pressures = self.members().into_iter().filter_map(|member| self.budget(member));
        pressures.map(|budget| budget.pressure).fold(0.0, f32::max)
    }

    /// Returns the state of the budget of a device, if there is one.
    pub(crate) fn budget(&self, member: Member) -> Option<BudgetStatistics> {
        let budget = self.see_budget(member)?;
        Some(BudgetStatistics {
            bytes_a_day: budget.bytes_a_day(),
            pressure: budget.pressure(),
            share: budget.share(),
        })
    }

    /// Returns true if a batch may be promoted to a segment now. Random, with the probability that the budget allows.
    pub(super) fn affords_batch(&self, segment: SegmentNumber) -> bool {
        if !self.shared.budgets.is_set() {
            return true;
        }
        // Of two copies the first has the content; the second copy of a clean page is a header.
        let member = self.members().into_iter().find(|member| member.has(segment));
        let budget = member.and_then(|member| self.see_budget(member));
        budget.is_none_or(|budget| budget.lets_in(self.host.random()))
    }

    fn see_budget(&self, member: Member) -> Option<Budget> {
        self.shared.budgets.see(member, self.host.now(), self.written_to(member))
    }

    fn members(&self) -> Vec<Member> {
        self.shared.superblock().members.iter().collect()
    }

    fn written_to(&self, member: Member) -> u64 {
        self.shared.meters.of(member.number).bytes()
    }
}
