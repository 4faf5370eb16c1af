//! The operator's word that a backing is what was cached, where nothing else says so and its disk waits with dirty data.
//!
//! ```text
//!   open, lock ── compare clean pages ── (the word is given, and they agree, or that is accepted too) ── attach
//! ```
//! What was compared is what is served: the backing stays open and locked in between. Nothing clean is trusted even then; what is dirty
//! is, for it is all that the word is about.

use base::problem::{Answer, Problem};
use block::{BlockDevice, Host};
use cache::{Belief, Comparison, DiskId};
use std::rc::Rc;

use super::disk::{Attaching, Trust};
use super::{Shard, ShardHandle};

/// Pages that are compared at most.
const PAGES_MAX: usize = 4096;
/// How long they are compared, in nanoseconds: a change keeps all others waiting.
const TIME_MAX_NS: u64 = 10_000_000_000;

/// How much an operator says about a backing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Nothing yet: what a comparison finds is to be known first.
    None,
    /// It is what was cached, if the comparison does not find the contrary.
    Accepted,
    /// It is to be served whatever the comparison finds.
    AcceptedDespiteDifferences,
}

/// What is known of a backing whose disk waits for a word.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// Why its disk waits; none if nothing keeps it from being served.
    pub(crate) doubt: Option<String>,
    pub(crate) comparison: Comparison,
    /// True if the disk is served now.
    pub(crate) is_accepted: bool,
}

impl ShardHandle {
    /// Compares the backing of a disk that waits with what is cached of it, and serves it if that is the operator's word.
    ///
    /// # Errors
    /// Whatever stands in the way; a conflict if pages differ and that was not accepted. Then nothing has changed.
    pub(super) async fn accept(&self, disk: Attaching, word: Word) -> Answer<Evidence> {
        self.call(move |shard| async move { shard.accept(disk, word).await }).await?
    }
}

impl Shard {
    async fn accept(self: Rc<Self>, disk: Attaching, word: Word) -> Answer<Evidence> {
        let opened = self.open_backing(&disk).await?;
        let doubt = match opened.past().await.belief {
            Belief::Nothing(reason) => Some(reason),
            _ => None,
        };
        let until = self.host.now() + TIME_MAX_NS;
        let expected = opened.history.expected();
        let cache = self.cache();
        let compared = cache.compare(DiskId(disk.id), expected, &opened.backing, PAGES_MAX, until).await;
        let comparison = compared.map_err(|reason| {
            Problem::failed(format!(
                "Cannot compare the backing of disk '{}' with what is cached of it: {reason}; `forebay pool show` says how the flash stands",
                disk.name
            ))
        })?;
        if word == Word::Accepted && comparison.pages_different > 0 {
            return Err(differs(&disk.name, &comparison, opened.backing.geometry().size));
        }
        let is_accepted = word != Word::None;
        if is_accepted {
            self.attach_opened(disk, opened, Trust::Accepted).await?;
        }
        Ok(Evidence { doubt, comparison, is_accepted })
    }
}

fn differs(name: &str, comparison: &Comparison, size: u64) -> Problem {
    let Comparison { pages_compared, pages_different, .. } = comparison;
    Problem::conflict(format!(
        "Cannot accept the backing of disk '{name}': {pages_different} of {pages_compared} cached pages that were compared are not what it \
         has (of {size} bytes), so it is another one or of another time. What is dirty would be written over it. Give the disk its own \
         backing back, or serve it all the same: forebay disk accept {name} --despite-differences"
    ))
}
