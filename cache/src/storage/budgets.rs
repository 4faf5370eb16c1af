//! The write budgets of the devices of a pool, which all shards share: the readings of the meters are paid for here, and promotions ask
//! here how much may be written.
//!
//! The lock is held for moments, a few times a second; a hit needs none of it, and without a budget the lock is never taken. Nothing of it
//! is stored on flash: a start begins with buckets that are half full.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lock::lock;
use crate::format::members::Member;
use crate::state::budget::Budget;
use crate::types::settings::DriveWrites;
use crate::types::units::MemberNumber;

/// The budgets of a pool's devices, by number.
#[derive(Default)]
pub(super) struct Budgets {
    /// Looked at before the lock is taken.
    is_set: AtomicBool,
    set: Mutex<Set>,
}

#[derive(Default)]
struct Set {
    drive_writes: Option<DriveWrites>,
    /// Without a budget as they were when there was one: debts stay.
    devices: BTreeMap<MemberNumber, Budget>,
}

impl Budgets {
    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// Returns the budget of a device, which has `written` on its meter `now`; none if there is none.
    pub(super) fn see(&self, member: Member, now: u64, written: u64) -> Option<Budget> {
        if !self.is_set() {
            return None;
        }
        let mut set = lock(&self.set);
        let bytes_a_day = set.drive_writes?.bytes_a_day(member.device_bytes);
        let begun = || Budget::new(bytes_a_day, now, written);
        let budget = set.devices.entry(member.number).or_insert_with(begun);
        budget.see(now, written);
        Some(*budget)
    }

    /// Adjusts the budget of a device that has another size now.
    pub(super) fn see_size(&self, member: Member) {
        let mut set = lock(&self.set);
        let Set { drive_writes, devices } = &mut *set;
        if let (Some(drive_writes), Some(budget)) = (drive_writes, devices.get_mut(&member.number)) {
            budget.set_bytes_a_day(drive_writes.bytes_a_day(member.device_bytes));
        }
    }

    /// Changes the budget, for these devices with the readings of their meters.
    pub(super) fn set(&self, drive_writes: Option<DriveWrites>, metered: &[(Member, u64)], now: u64) {
        let mut set = lock(&self.set);
        let was_set = std::mem::replace(&mut set.drive_writes, drive_writes).is_some();
        let mut before = std::mem::take(&mut set.devices);
        for (member, written) in metered {
            let bytes_a_day = drive_writes.map(|budget| budget.bytes_a_day(member.device_bytes));
            let budget = match (before.remove(&member.number), bytes_a_day) {
                (Some(mut budget), _) => {
                    if was_set {
                        budget.see(now, *written);
                    } else {
                        budget.resume(now, *written);
                    }
                    if let Some(bytes_a_day) = bytes_a_day {
                        budget.set_bytes_a_day(bytes_a_day);
                    }
                    budget
                }
                (None, Some(bytes_a_day)) => Budget::new(bytes_a_day, now, *written),
                (None, None) => continue,
            };
            set.devices.insert(member.number, budget);
        }
        self.is_set.store(drive_writes.is_some(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::units::SegmentNumber;

    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn a_debt_is_not_forgotten_by_going_without_a_budget_for_a_moment() {
        let device_bytes = 24 << 30;
        let member = Member::new(MemberNumber(1), SegmentNumber(0), 1, device_bytes);
        let once_a_day = DriveWrites::from_thousandths(1000);
        let (budgets, an_hours_worth) = (Budgets::default(), 1 << 30);
        budgets.set(once_a_day, &[(member, 0)], 0);
        let spent = 3 * an_hours_worth;
        let pressure = |now, written| budgets.see(member, now, written).map(|budget| budget.pressure());
        assert_eq!(pressure(0, spent), Some(1.0));
        budgets.set(None, &[(member, spent)], 0);
        assert_eq!(pressure(0, spent), None);
        // Writes meanwhile are free, however often that is reported.
        budgets.set(None, &[(member, 10 * spent)], 0);
        budgets.set(once_a_day, &[(member, 20 * spent)], 0);
        assert_eq!(pressure(2 * HOUR, 20 * spent), Some(1.0), "half an hour of the debt is left");
        let paid = pressure(3 * HOUR, 20 * spent).expect("there is a budget");
        assert!((paid - 0.5).abs() < 0.01, "{paid}");
        // A device that is gone takes its debt along.
        budgets.set(once_a_day, &[], 3 * HOUR);
        let fresh = pressure(3 * HOUR, 20 * spent).expect("there is a budget");
        assert!((fresh - 0.5).abs() < 0.01, "{fresh}");
    }
}
