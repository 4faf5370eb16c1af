//! Disks that wait for the operator's confirmation: their pool has data for a backing, and it is unknown
//! whether this is the one.

use std::sync::Arc;

use base::error::{Error, Result};
use telemetry::events::{self, Kind};

use super::{Claim, Registry, access, being_removed, guest, known, lock};
use crate::backing::{Images, Location};
use crate::shard::{Confirmation, Evidence};

impl Registry {
    /// Compares the backing of a disk that waits with the cache, and serves the disk if the operator confirms
    /// it.
    ///
    /// # Errors
    /// If there is none of this name, it is served already, or on any failure; a conflict if pages differ and
    /// that was not accepted. Then nothing has changed.
    pub(crate) async fn accept(self: &Arc<Self>, name: &str, word: Confirmation) -> Result<Evidence> {
        let record = known(&self.state(), name)?.clone();
        guest::check_settled(&self.state(), name)?;
        let location = Location::parse(&record.backing)?;
        let access = access(record.read_only);
        let identity = self.probe_backing(&location, access, Images::ServedAsRaw).await?;
        let _changing = self.locks.lock(name).await;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        if self.shards.is_attached(name) {
            return Err(Error::conflict(format!(
                "Cannot accept the backing of disk '{name}': the disk is served, so there is no doubt to decide"
            )));
        }
        let claim = Claim { storage: Some(identity.clone()), ..Claim::default() };
        let claimed = self.claims.claim_for_disk(name, claim);
        let Some(attaching) = self.ready_to_attach(&record, location, &identity, &claimed).await? else {
            return Err(Error::missing(format!("There is no disk '{name}' any more")));
        };
        if word != Confirmation::None && attaching.values.writes_back() {
            self.note_unsaved(name).await?;
        }
        let evidence = self.shards.accept(attaching, word).await;
        self.settle_sets(&record).await;
        let evidence = evidence?;
        if evidence.is_accepted {
            lock(&self.waiting).remove(name);
            self.remember_geometry(name).await;
            let accepted = format!(
                "The backing of disk '{name}' was accepted as it is: {} of {} pages that were compared differ",
                evidence.comparison.pages_different, evidence.comparison.pages_compared
            );
            events::of_disk(Kind::BackingAccepted, name, accepted);
        }
        Ok(evidence)
    }
}
