//! Files whose time of change alone shows that they may be another version than the cached one.
//!
//! ```text
//!   renamed and renamed back, a link made and removed, rights given and taken     same content
//!   an older copy written over it, its time of modification set back              other content
//! ```
//! Both look alike, so samples are not enough: every cached page is compared with the backing before the disk
//! is attached. An equal page may be served in either case. Nothing of this is recorded: a crash in between
//! leaves the file as it was found.

use block::Host;
use cache::DiskId;

use super::Shard;
use super::disk::{AttachRequest, OpenedBacking, Trust};

/// The most cached pages that are compared: 16 GiB.
const PAGES_MAX: usize = 4 << 20;
/// Time for the comparison, in nanoseconds: guests wait for it, and so do all other changes.
const TIME_MAX_NS: u64 = 5_000_000_000;

impl Shard {
    /// Returns the trust in the cached data of a disk that is to be attached. Compares pages with its backing
    /// if nothing else decides.
    ///
    /// Dirty pages cannot be compared, so with any of them nothing is trusted: the disk waits for the
    /// operator's confirmation.
    pub(super) async fn compare_if_touched(&self, disk: &AttachRequest, opened: &OpenedBacking) -> Trust {
        if !opened.history.may_be_set_back(&opened.found).await {
            return Trust::AsJudged;
        }
        let (cache, until) = (self.cache(), self.host.now() + TIME_MAX_NS);
        let expected = opened.history.expected();
        let compared = cache.compare(DiskId(disk.id), expected, &opened.backing, PAGES_MAX, until).await;
        match compared {
            Ok(compared) if compared.proves_equality() => Trust::Compared,
            Ok(compared) => {
                tracing::warn!(
                    "The backing of disk '{}' was touched while Forebay did not serve it: of {} cached pages, {} could be compared with it in \
                     time, and {} of these differ; {} pages are dirty",
                    disk.name,
                    compared.pages_cached,
                    compared.pages_compared,
                    compared.pages_different,
                    compared.pages_dirty
                );
                Trust::AsJudged
            }
            Err(reason) => {
                tracing::warn!(
                    "Cannot compare the backing of disk '{}' with what is cached of it: {reason}",
                    disk.name
                );
                Trust::AsJudged
            }
        }
    }
}
