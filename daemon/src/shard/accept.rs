//! The operator's confirmation of a backing, where no record confirms it and its disk waits with dirty data.
//!
//! ```text
//!   open, lock ── compare clean pages ── (confirmed, and they are equal, or differences are accepted too) ── attach
//! ```
//! The compared backing is the one that is served: it stays open and locked in between. Clean pages are not
//! trusted even then; dirty pages are, since the confirmation is about them.

use base::error::{Error, Result};
use block::{BlockDevice, Host};
use cache::{Comparison, DiskId, RecoveryTrust};
use std::rc::Rc;

use super::disk::{AttachRequest, Trust};
use super::{Shard, ShardHandle};

/// The most pages that are compared.
const PAGES_MAX: usize = 4096;
/// Time for the comparison, in nanoseconds: a change delays all others.
const TIME_MAX_NS: u64 = 10_000_000_000;

/// Confirmation of a backing by the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// None yet: the comparison is to be reported first.
    None,
    /// It is the one that was cached, unless the comparison shows otherwise.
    Accepted,
    /// It is to be served whatever the comparison shows.
    AcceptedDespiteDifferences,
}

/// Findings on a backing whose disk waits for confirmation.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// Reason for which its disk waits; none if it may be served.
    pub(crate) doubt: Option<String>,
    pub(crate) comparison: Comparison,
    /// True if the disk is served now.
    pub(crate) is_accepted: bool,
}

impl ShardHandle {
    /// Compares the backing of a disk that waits with the cache, and serves it if the operator confirms it.
    ///
    /// # Errors
    /// Any failure; a conflict if pages differ and that was not accepted. Then nothing has changed.
    pub(super) async fn accept(&self, disk: AttachRequest, word: Confirmation) -> Result<Evidence> {
        self.call(move |shard| async move { shard.accept(disk, word).await }).await?
    }
}

impl Shard {
    async fn accept(self: Rc<Self>, disk: AttachRequest, word: Confirmation) -> Result<Evidence> {
        let opened = self.open_backing(&disk).await?;
        let doubt = match opened.recovery_context().await.belief {
            RecoveryTrust::Nothing(reason) => Some(reason),
            _ => None,
        };
        let until = self.host.now() + TIME_MAX_NS;
        let expected = opened.history.expected();
        let cache = self.cache();
        let compared = cache.compare(DiskId(disk.id), expected, &opened.backing, PAGES_MAX, until).await;
        let comparison = compared.map_err(|reason| {
            Error::failed(format!(
                "Cannot compare the backing of disk '{}' with what is cached of it: {reason}; `forebay pool show` reports the state of the flash",
                disk.name
            ))
        })?;
        if word == Confirmation::Accepted && comparison.pages_different > 0 {
            return Err(differs(&disk.name, &comparison, opened.backing.geometry().size));
        }
        let is_accepted = word != Confirmation::None;
        if is_accepted {
            self.attach_opened(disk, opened, Trust::Accepted).await?;
        }
        Ok(Evidence { doubt, comparison, is_accepted })
    }
}

fn differs(name: &str, comparison: &Comparison, size: u64) -> Error {
    let Comparison { pages_compared, pages_different, .. } = comparison;
    Error::conflict(format!(
        "Cannot accept the backing of disk '{name}': {pages_different} of {pages_compared} cached pages that were compared differ from it \
         (of {size} bytes), so it is another one or of another time. Dirty data would be written over it. Restore the disk's own backing, or serve this one all the same: forebay disk accept {name} --despite-differences"
    ))
}
