//! Wear of the pool's flash: read and written every minute, and at the end; drives are asked when they are
//! first seen and every hour, on other threads, so that a drive that hangs delays nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use base::error::{Error, Result};
use base::moment::Moment;
use base::patience::within;
use cache::{MemberNumber, PoolStatistics};
use telemetry::events::{self, Kind};
use telemetry::wear::{
    AllWorn, Asked, Asker, Below, Book, Change, Drive, OpenQuery, SingleFlight, Worn, below, beside, doubt,
    or_before,
};
use tokio::time::{Instant, sleep};

use super::probing::PROBE_TIME_MAX;
use super::{PoolView, Registry, lock};
use crate::places::Places;
use crate::pool::DeviceInUse;

/// Time between reads and writes of wear, which a kill loses at most.
const POLL_INTERVAL: Duration = Duration::from_mins(1);
/// Time between requests to drives.
const ASK_INTERVAL: Duration = Duration::from_hours(1);

/// Data on the wear of the pool's flash.
#[derive(Debug, Default)]
pub(super) struct Wear {
    book: Book,
    /// Drives below each device, as found last.
    drives: BTreeMap<u32, Below>,
    /// Time of the last request to each.
    asked: BTreeMap<u32, Instant>,
    /// Devices whose file systems have not answered yet.
    looking: SingleFlight<u32>,
    /// Text that is being written, or was written last.
    saved: Vec<u8>,
}

impl Wear {
    /// Reads the wear of a pool. A file that cannot be read is logged, and counting starts from zero.
    pub(super) fn load(places: &Places, pool: Option<&str>) -> Self {
        let (book, unread) = pool.map_or_else(Default::default, |pool| Book::load(&places.dir, pool));
        if let Some(reason) = unread {
            let message = format!("{reason}. The count of bytes written to the flash restarts from zero");
            events::of_host(Kind::WearReset, message);
        }
        Self { book, ..Self::default() }
    }

    /// Returns those of these devices that are due for a request, and records it. Devices whose file system
    /// has not answered yet are left out, or each request would hold one more thread.
    fn due(&mut self, present: BTreeMap<u32, PathBuf>, now: Instant) -> Vec<DueDevice> {
        self.asked.retain(|number, _| present.contains_key(number));
        self.drives.retain(|number, _| present.contains_key(number));
        let is_due = |number: &u32| self.asked.get(number).is_none_or(|last| now >= *last + ASK_INTERVAL);
        let due = present.into_iter().filter(|(number, _)| is_due(number));
        let due = due.filter_map(|(number, path)| {
            Some(DueDevice { number, path, looking: self.looking.begin(number)? })
        });
        let due: Vec<DueDevice> = due.collect();
        self.asked.extend(due.iter().map(|due| (due.number, now)));
        due
    }

    /// Returns the bytes written by now to these drives, through a device and others that are on them.
    fn counted_on(&self, number: u32, drives: &[Drive]) -> u64 {
        let names = drives.iter().map(|drive| drive.name.as_str()).collect();
        let others = beside(&self.drives, number, &names).into_iter();
        let written = others.chain([number]).filter_map(|number| self.book.written(number));
        written.fold(0, |sum, (bytes, _)| sum.saturating_add(bytes))
    }
}

/// A device that is due for a request.
struct DueDevice {
    number: u32,
    path: PathBuf,
    looking: OpenQuery<u32>,
}

impl Registry {
    /// Updates the wear of the pool's flash, as long as the registry is in use.
    pub(crate) async fn keep_wear(registry: Weak<Self>, asker: Asker) {
        loop {
            {
                let Some(registry) = registry.upgrade() else { return };
                registry.see_wear().await;
                registry.save_wear().await;
                for due in registry.to_ask(Instant::now()) {
                    tokio::spawn(Self::ask_below(Arc::downgrade(&registry), asker.clone(), due));
                }
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Adds the present counters, and warns of devices that wear out.
    async fn see_wear(&self) {
        let Ok(view) = self.pool().await else { return };
        for device in &view.report.statistics.devices {
            let Some(worn) = view.worn.get(&device.number) else { continue };
            let is_open = |worry: &str| worn.leaves_open(worry);
            let is_new = {
                let book = &mut lock(&self.wear).book;
                if worn.all_answered() {
                    book.note_answer(device.number);
                }
                book.tell(device.number, &worn.estimate.worries, is_open)
            };
            let path =
                view.in_use.device(MemberNumber(device.number)).map(|known| known.path.display().to_string());
            let warning = worn.warning(path.as_deref().unwrap_or("A device of the pool"));
            if let (true, Some(warning)) = (is_new, warning) {
                events::of_host(Kind::FlashWearing, warning);
            }
        }
    }

    /// Returns the present wear of the devices; empty for a missing pool.
    pub(super) fn worn(&self, statistics: &PoolStatistics) -> AllWorn {
        let (paths, is_missing) = {
            let pool = lock(&self.pool);
            let paths =
                pool.devices.iter().filter_map(|device| Some((device.number?.0, device.path.clone())));
            (paths.collect::<BTreeMap<u32, PathBuf>>(), pool.missing.is_some())
        };
        if is_missing {
            return AllWorn::new();
        }
        let rated: BTreeMap<PathBuf, u64> = {
            let state = self.state();
            let devices = state.pool.iter().flat_map(|pool| &pool.devices);
            devices.filter_map(|device| Some((device.path.clone(), device.rated_bytes?))).collect()
        };
        let rated = |number: &u32| rated.get(paths.get(number)?).copied();
        let now = Moment::now();
        let mut wear = lock(&self.wear);
        let written = statistics.devices.iter().map(|device| (device.number, device.written_bytes)).collect();
        wear.book.see(&written, now);
        let worn = statistics.devices.iter().filter_map(|device| {
            let (number, rated) = (device.number, rated(&device.number));
            Some((number, Worn::of(&wear.book, number, now, device.size_bytes, rated, &wear.drives)?))
        });
        worn.collect()
    }

    /// Returns the devices whose drives are due for a request.
    fn to_ask(&self, now: Instant) -> Vec<DueDevice> {
        let devices = lock(&self.pool).devices.clone();
        let present = devices.into_iter().filter_map(|device| Some((device.number?.0, device.path)));
        lock(&self.wear).due(present.collect(), now)
    }

    /// Finds the drives below a device, and asks them.
    async fn ask_below(registry: Weak<Self>, asker: Asker, due: DueDevice) {
        let DueDevice { number, path, looking } = due;
        let look = tokio::task::spawn_blocking(move || {
            let found = below(&path);
            drop(looking);
            found
        });
        let found = match within(PROBE_TIME_MAX, look).await {
            Ok(found) => found.expect("looking at a file does not panic"),
            Err(_) => Err(format!("its file system did not answer within {} s", PROBE_TIME_MAX.as_secs())),
        };
        let found = match found {
            Ok(drives) => {
                // Read before the drive is asked: an honest drive reports at least as much.
                let Some(registry) = registry.upgrade() else { return };
                let counted = lock(&registry.wear).counted_on(number, &drives);
                drop(registry);
                let mut asked = Vec::new();
                for drive in drives {
                    let figures = asker.ask(&drive.name).await;
                    asked.push(Asked { drive, figures, old: None });
                }
                doubt(&mut asked, counted);
                Ok(asked)
            }
            Err(reason) => Err(reason),
        };
        let Some(registry) = registry.upgrade() else { return };
        {
            let mut wear = lock(&registry.wear);
            let found = or_before(found, wear.drives.get(&number), Moment::now());
            wear.drives.insert(number, found);
        }
        registry.see_wear().await;
        registry.save_wear().await;
    }

    /// Writes the counters, if they have changed. If that fails, a restart loses the changes since; it is
    /// logged once.
    pub(super) async fn save_wear(&self) {
        // Locked first, so that an older text is never written after a newer one.
        let mut said = self.saving_wear.lock().await;
        let text = {
            let mut wear = lock(&self.wear);
            let text = wear.book.text();
            if wear.book == Book::default() || text == wear.saved {
                return;
            }
            wear.saved.clone_from(&text);
            text
        };
        let problem = Book::save(self.store(), text).await.err();
        if let Some(problem) = problem.as_ref().filter(|problem| said.as_ref() != Some(*problem)) {
            events::of_host(Kind::WearUnsaved, problem.message.clone());
        }
        if problem.is_some() {
            // Retried, also if nothing changes meanwhile.
            lock(&self.wear).saved.clear();
        }
        *said = problem;
    }

    /// Changes settings of the pool: the rated endurance of drives below one device or all, and the budgets of
    /// writes and RAM, which apply to the pool as a whole.
    ///
    /// # Errors
    /// If there is no such device, the shards refuse it, or it cannot be recorded; then everything is as
    /// before.
    pub(crate) async fn change_pool(&self, number: Option<u32>, change: Change) -> Result<PoolView> {
        let settling = self.settling_pool.lock().await;
        // Recorded only after the shards have accepted it: else a failed change would take effect after a
        // restart.
        let before = self.state().pool.map(|pool| pool.write_budget).unwrap_or_default();
        self.check_change(number, change)?;
        if let Some(budget) = change.ram {
            self.check_ram_budget(budget).await?;
        }
        if let Some(budget) = change.write_budget {
            self.shards.set_write_budget(budget.drive_writes()).await?;
        }
        let rated = self.rated(number);
        let remembering = self.remembered.change(move |state| {
            let Some(pool) = &mut state.pool else { return Ok(()) };
            if let Some(rating) = change.rating {
                let records = pool.devices.iter_mut().filter(|record| rated.contains(&record.path));
                records.for_each(|record| record.rated_bytes = rating.bytes());
            }
            pool.write_budget = change.write_budget.unwrap_or(pool.write_budget);
            pool.ram = change.ram.unwrap_or(pool.ram);
            Ok(())
        });
        if let Err(problem) = remembering.await {
            if change.write_budget.is_some() {
                self.shards.set_write_budget(before.drive_writes()).await?;
            }
            return Err(problem);
        }
        drop(settling);
        if change.ram.is_some() {
            self.begin_ram_budget().await;
        }
        self.pool().await
    }

    /// Refuses a change of a missing device or pool.
    fn check_change(&self, number: Option<u32>, change: Change) -> Result<()> {
        let state = self.state();
        let records = state.pool.iter().flat_map(|pool| &pool.devices);
        let rated = self.rated(number);
        if change.rating.is_some() && records.filter(|record| rated.contains(&record.path)).count() == 0 {
            let which = number.map_or("it has no devices".to_owned(), |number| {
                format!("it has no device {number}; `forebay pool show` lists them")
            });
            return Err(Error::missing(format!(
                "Cannot set the rated endurance of the pool's drives: {which}"
            )));
        }
        let limits = change
            .write_budget
            .map(|budget| ("write-budget", budget.to_string(), "of each device of the pool, by its size"));
        let ram = change.ram.map(|budget| ("ram", budget.to_string(), "of all disks together"));
        for (key, value, scope) in limits.into_iter().chain(ram) {
            if let Some(number) = number {
                return Err(Error::invalid(format!(
                    "Cannot set {key}={value} for device {number} alone: it is {scope}; leave the device out"
                )));
            }
            if state.pool.is_none() {
                return Err(Error::missing(format!(
                    "Cannot set {key}={value}: no pool is remembered; restart the daemon to have one made"
                )));
            }
        }
        Ok(())
    }

    /// Returns the paths of the device of this number, or of all without one.
    fn rated(&self, number: Option<u32>) -> BTreeSet<PathBuf> {
        let pool = lock(&self.pool);
        let is_meant = |device: &&DeviceInUse| {
            device.number.is_some_and(|known| number.is_none_or(|number| known.0 == number))
                && !device.has_left
        };
        pool.devices.iter().filter(is_meant).map(|device| device.path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(wear: &mut Wear, numbers: &[u32], now: Instant) -> Vec<DueDevice> {
        let path = |number: &u32| (*number, PathBuf::from(format!("/dev/{number}")));
        wear.due(numbers.iter().map(path).collect(), now)
    }

    fn numbers(due: &[DueDevice]) -> Vec<u32> {
        due.iter().map(|due| due.number).collect()
    }

    #[test]
    fn a_device_is_looked_at_every_hour_and_not_while_an_earlier_look_hangs() {
        let (mut wear, start) = (Wear::default(), Instant::now());
        let mut due_devices = due(&mut wear, &[1, 2], start);
        assert_eq!(numbers(&due_devices), [1, 2]);
        let hanging = due_devices.remove(0);
        drop(due_devices);
        assert_eq!(numbers(&due(&mut wear, &[1, 2, 3], start + POLL_INTERVAL)), [3]);
        assert_eq!(numbers(&due(&mut wear, &[1, 2], start + ASK_INTERVAL)), [2]);
        drop(hanging);
        let after = start + ASK_INTERVAL + POLL_INTERVAL;
        assert_eq!(numbers(&due(&mut wear, &[1, 2], after)), [1], "as soon as it has answered");
    }
}
