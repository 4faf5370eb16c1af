//! Changes of the keys of a disk.
//!
//! ```text
//!   keys ── possible? ── RAM and devices claimed ── served: its shard changes it, and its record ── not served: its record alone
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use base::error::{Error, Result};
use base::units::Size;

use super::claims::Claim;
use super::{
    DiskView, Registry, being_removed, consistency_sets, guest, known, lock, log_if_failed, resolve_rights,
    volumes,
};
use crate::backing::Location;
use crate::keys::Values;
use crate::pool::check_mirror;
use crate::shard::{ReconfigureRequest, needs_ring};
use crate::state::DiskRecord;

/// Treatment of cached data in a change that would drop it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CachePolicy {
    /// The change is refused.
    Keep,
    /// It may be dropped.
    Drop,
}

impl Registry {
    /// Changes how a disk is cached, and records it.
    ///
    /// # Errors
    /// If it cannot be changed; then everything is as before.
    pub(crate) async fn set(
        self: &Arc<Self>,
        name: &str,
        changes: &BTreeMap<String, String>,
        cached: CachePolicy,
    ) -> Result<DiskView> {
        let changing = self.locks.lock(name).await;
        let before = known(&self.state(), name)?.clone();
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        guest::check_settled(&self.state(), name)?;
        let values = before.settings.with(changes.iter().map(|(key, text)| (key.as_str(), text.as_str())))?;
        let location = Location::parse(&before.backing)?;
        if !before.read_only {
            volumes::check(name, &values, &location)?;
            consistency_sets::check_same_set(name, &before.settings, &values)?;
        }
        let ram = self.ram_to_claim(&values, Some(&before.settings));
        let claim = Claim { ram, is_mirrored: values.is_mirrored(), storage: None };
        let claimed = self.claims.claim_for_disk(name, claim);
        if values.is_mirrored() && !before.settings.is_mirrored() {
            check_mirror(&lock(&self.pool), name)?;
        }
        self.check_ram(name, Some(before.id), &claimed).await?;
        if changes.contains_key("ram") {
            // The user's new value replaces the limit of the start.
            lock(&self.ram_limits).remove(&before.id);
        }
        let ram_keys = ["ram", "ram-min", "ram-max"];
        let ram_in_change = if ram_keys.iter().any(|key| changes.contains_key(*key)) {
            Some(self.make_ram_room(before.id, name, &values).await)
        } else {
            None
        };
        let report = self.shards.disk_report(name.to_owned()).await?;
        let served = report.is_some();
        if cached == CachePolicy::Keep && values.block_bytes() != before.settings.block_bytes() {
            check_nothing_cached(name, report.map_or(0, |report| report.statistics.cached_bytes))?;
        }
        if served {
            if values.writes_back() {
                self.note_unsaved(name).await?;
            }
            let becomes_consistent =
                needs_ring(&values, &location) && !needs_ring(&before.settings, &location);
            if becomes_consistent {
                self.check_ring_drive(name, &values, &location).await?;
                self.gather(&DiskRecord { settings: values.clone(), ..before.clone() }).await?;
                // Before its ring promises anything: a start in address order would break that.
                let noted = values.clone();
                self.change_record(name, |record| record.settings = noted).await?;
            }
            if let Err(problem) = self.reconfigure(name, &values).await {
                if becomes_consistent {
                    let settings = before.settings.clone();
                    log_if_failed(&self.change_record(name, |record| record.settings = settings).await);
                    self.settle_sets(&DiskRecord { settings: values, ..before }).await;
                }
                return Err(problem);
            }
        } else {
            check_same_ring(name, &before.settings, &values)?;
            // The values cannot be applied now, but impossible ones are refused at once.
            resolve_rights(&values).await?;
            self.keep_share(&DiskRecord { settings: values.clone(), ..before.clone() }).await?;
        }
        let remembering = self.change_record(name, |record| {
            record.sector_bytes = values.sector_bytes().or(record.sector_bytes);
            record.settings = values;
        });
        if let Err(problem) = remembering.await {
            let undone = if served {
                self.reconfigure(name, &before.settings).await
            } else {
                self.keep_share(&before).await
            };
            log_if_failed(&undone);
            return Err(problem);
        }
        self.settle_sets(&before).await;
        drop(ram_in_change);
        drop(claimed);
        drop(changing);
        self.disk(name).await
    }

    pub(super) async fn reconfigure(&self, name: &str, values: &Values) -> Result<()> {
        let rights = Some(resolve_rights(values).await?);
        let values = self.in_memory(self.disk_number(name)?, values);
        let set = self.membership(name, &values);
        self.shards.reconfigure(ReconfigureRequest { name: name.to_owned(), values, rights, set }).await
    }
}

/// Refuses another block size for a disk with cached data.
fn check_nothing_cached(name: &str, cached_bytes: u64) -> Result<()> {
    if cached_bytes == 0 {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "Cannot give disk '{name}' another block size unasked: the {} that are cached of it on flash would be dropped, and \
         read from the backing again; --yes on the command line, or \"drop_cached\": true over HTTP, does it",
        Size(cached_bytes)
    )))
}

/// Refuses another order of destage, or another redo ring, for a disk that is not served: what its ring promises ends only when everything is
/// destaged.
fn check_same_ring(name: &str, before: &Values, now: &Values) -> Result<()> {
    let is_same = before.is_consistent() == now.is_consistent() && before.ring() == now.ring();
    if is_same || !(before.is_consistent() || now.is_consistent()) {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "Cannot change 'destage-order' or 'ring' of disk '{name}' while it is not served: see `forebay disk show {name}` for the reason"
    )))
}
