//! Repairs: content that the store lost is written again, from where the host has it as well.
//!
//! ```text
//! a damaged page: its place, nothing newer on its way ── content from the host ── the same still ── a copy whose source is that place
//! ```
//! A repair is a copy as those of cleaning: it counts where the map still points to its source, live as in a replay, and never ends a group. The
//! place of a page is looked up before its content is asked for, and content of one place never changes. So a repair loses against whatever
//! a guest writes meanwhile, whichever of them gets to the store first.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::rc::Rc;

use block::{Buffer, Host, Operation, PAGE};
use futures_util::future::{Either, LocalBoxFuture, select};

use super::canary::{self, Bug};
use super::copies::{Copies, LivePage};
use super::error::VolumeError;
use super::group::Extent;
use super::map::Location;
use super::scrub::Findings;
use super::state::{Shared, State};
use super::store::Store;

/// Longest wait for groups on their way, in nanoseconds.
const SETTLE_NS: u64 = 30_000_000_000;

/// Content that a host has elsewhere than in the store.
pub enum Rescued {
    /// All of a page, as the volume had it durably when this was returned.
    Content(Buffer),
    /// Newer content of the page that the volume does not have yet, and gets.
    Replaced,
}

/// Access to content of a volume's disk that a host has elsewhere, such as in a cache. It never reads the volume.
pub trait Rescue {
    /// Returns what there is of a page; none if it is not known to be what the volume had.
    fn page(&self, page: u64) -> LocalBoxFuture<'_, Option<Rescued>>;
}

/// Result of a repair.
#[derive(Default)]
pub(crate) struct Repaired {
    /// Pages that were written again.
    pub(crate) pages: u64,
    /// Lost pages of which the volume gets newer content, as of the last repair.
    pub(crate) replaced: BTreeSet<u64>,
    /// The same of repairs before.
    pub(crate) ever_replaced: BTreeSet<u64>,
}

/// Damage that is to be repaired.
struct Lost<'a> {
    findings: &'a Findings,
    /// False if objects on their way may refer to what is damaged.
    is_settled: bool,
}

/// Pages that lie in one chunk.
type ChunkPages = Vec<(u64, Location)>;

impl<S: Store, H: Host> Shared<S, H> {
    /// Writes lost pages again of which `rescue` has the content. Then makes a checkpoint, so that no open needs what is damaged.
    ///
    /// # Errors
    /// If the store fails, or it was closed or overtaken. Some are repaired then.
    pub(crate) async fn repair(
        shared: &Rc<Self>,
        findings: &Findings,
        rescue: Option<&dyn Rescue>,
        repaired: &mut Repaired,
    ) -> Result<(), VolumeError> {
        repaired.ever_replaced.append(&mut repaired.replaced);
        let is_settled = shared.settle_references().await;
        if let Some(rescue) = rescue {
            let lost = Lost { findings, is_settled };
            Self::rescue_all(shared, &lost, rescue, repaired).await?;
        }
        // A scrub may be dropped, and a checkpoint must not end in the middle.
        let ours = Rc::clone(shared);
        shared.calls.host.to_its_end(async move { ours.checkpoint_if_behind().await }).await
    }

    /// Waits until objects that were encoded before count, or never will: their pages may refer to what is damaged. What takes too long is left
    /// to the next scrub. Returns false for that.
    async fn settle_references(&self) -> bool {
        let (end, abandoned) = {
            let state = self.state.borrow();
            (state.next_sequence, state.abandoned)
        };
        if !self.state.borrow().deduplication.is_on() {
            return true;
        }
        let is_settled = |state: &mut State| {
            // Objects of groups that were abandoned never count.
            let has_none = state.closing.is_none() && state.open.sealed.is_empty();
            let is_over = has_none || state.counted >= end || state.abandoned != abandoned;
            (is_over || state.obstacle(Operation::Flush).is_some()).then_some(is_over)
        };
        let limit = pin!(self.calls.host.sleep(SETTLE_NS));
        match select(pin!(self.until(is_settled)), limit).await {
            Either::Left((is_over, _)) => is_over,
            Either::Right(_) => false,
        }
    }

    async fn rescue_all(
        shared: &Rc<Self>,
        lost: &Lost<'_>,
        rescue: &dyn Rescue,
        repaired: &mut Repaired,
    ) -> Result<(), VolumeError> {
        let mut chunks: BTreeMap<(u32, u32), ChunkPages> = BTreeMap::new();
        for (_, run) in lost.findings.lost_runs(&shared.state.borrow().content) {
            let pages = run.pages.clone().zip(0..).map(|(page, at)| (page, run.location.further(at)));
            chunks.entry((run.location.object, run.location.offset)).or_default().extend(pages);
        }
        let mut chunks = chunks.into_values();
        let mut is_over = chunks.len() == 0;
        while !is_over {
            shared.check_open()?;
            let mut copies = Copies::new(shared.compression, shared.state.borrow().deduplication.is_on());
            let mut count = 0;
            while copies.bytes() < shared.settings.object_bytes {
                let Some(pages) = chunks.next() else {
                    is_over = true;
                    break;
                };
                count += shared.rescue_chunk(pages, (lost, rescue), &mut copies, repaired).await;
            }
            if !copies.is_empty() {
                let ours = Rc::clone(shared);
                let put = async move {
                    // A snapshot is taken before or after: it knows what its content is.
                    let _upkeep = ours.upkeep.lock().await;
                    ours.put_copies(copies).await
                };
                shared.calls.host.to_its_end(put).await?;
                repaired.pages += count;
            }
        }
        let mut state = shared.state.borrow_mut();
        let state = &mut *state;
        // Cleaning need not leave those alone of which nothing is needed any more.
        let objects = &state.content.objects;
        state.damaged.retain(|index| objects.get(*index).is_some_and(|info| info.live > 0));
        Ok(())
    }

    /// Returns true if newer content of a page is on its way to the store.
    fn has_newer(&self, page: u64) -> bool {
        let state = self.state.borrow();
        let pages = page..page + 1;
        state.closing.iter().chain([&state.open]).any(|group| {
            group.open.extents.touching(&pages).next().is_some()
                || group.sealed.iter().any(|layer| layer.borrow().extents.touching(&pages).next().is_some())
        })
    }

    /// Returns true if newer content of a page is on its way to the store that does not lie in what is damaged.
    fn is_replaced(&self, page: u64, lost: &Lost<'_>) -> bool {
        let state = self.state.borrow();
        let pages = page..page + 1;
        for group in [&state.open].into_iter().chain(&state.closing) {
            if group.open.extents.touching(&pages).next().is_some() {
                return true;
            }
            for layer in group.sealed.iter().rev() {
                let layer = layer.borrow();
                let Some((_, extent)) = layer.extents.touching(&pages).next() else { continue };
                return match extent {
                    Extent::Stored(location, _) => {
                        let info = state.content.objects.get(location.object);
                        info.is_some_and(|info| !lost.findings.has(info.key))
                    }
                    // It may become a reference.
                    Extent::Memory(..) => lost.is_settled,
                    Extent::Zeroes | Extent::Inherited => true,
                };
            }
        }
        false
    }

    /// Returns true if a page lies at a place, and nothing newer of it is on its way.
    fn is_at(&self, page: u64, location: Location) -> bool {
        self.state.borrow().content.map.get(page) == Some(location) && !self.has_newer(page)
    }

    /// Appends the pages of a lost chunk of which the content is found. Returns how many these are.
    async fn rescue_chunk(
        &self,
        pages: ChunkPages,
        (lost, rescue): (&Lost<'_>, &dyn Rescue),
        copies: &mut Copies,
        repaired: &mut Repaired,
    ) -> u64 {
        let Some(&(_, first)) = pages.first() else { return 0 };
        let mut plain = vec![0; (first.chunk_pages() * PAGE) as usize];
        // Places of the chunk whose content was found; pages that refer to the same place have the same.
        let mut found: BTreeSet<u8> = BTreeSet::new();
        let (mut own, mut referring) = (Vec::new(), Vec::new());
        for (page, location) in pages {
            if !self.is_at(page, location) {
                if self.is_replaced(page, lost) {
                    repaired.replaced.insert(page);
                }
                continue;
            }
            match rescue.page(page).await {
                Some(Rescued::Content(content)) if content.len() as u64 == PAGE => {
                    if !self.is_at(page, location) && !canary::has(Bug::RepairOfNewer) {
                        continue;
                    }
                    let at = usize::from(location.index) * PAGE as usize;
                    plain[at..at + PAGE as usize].copy_from_slice(&content);
                    found.insert(location.index);
                }
                Some(Rescued::Replaced) => _ = repaired.replaced.insert(page),
                _ => {}
            }
            let live = LivePage { page, index: u64::from(location.index) };
            if location.is_reference() { referring.push(live) } else { own.push(live) }
        }
        let mut live = [own, referring].concat();
        live.retain(|live| found.contains(&(live.index as u8)));
        let Some(page) = live.first().map(|live| live.page) else { return 0 };
        let source = {
            let content = &self.state.borrow().content;
            let now = content.map.get(page).filter(|_| canary::has(Bug::RepairOfNewer));
            let Location { object, offset, .. } = now.unwrap_or(first);
            content.objects.get(object).map(|info| (info.key, offset))
        };
        // It is gone if nothing points there any more.
        let Some(source) = source else { return 0 };
        for live in &live {
            repaired.replaced.remove(&live.page);
            repaired.ever_replaced.remove(&live.page);
        }
        copies.append_chunk(source, &live, &plain);
        live.len() as u64
    }
}
