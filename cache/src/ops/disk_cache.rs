//! The cached data of one disk, without its backing: RAM tier, index, log and policies.
//!
//! Nothing here awaits. So callers can check and act in one step: a condition that held at the check holds at the action.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use block::{ByteRange, Host, PAGE, Unmap};
use tokio::sync::{Mutex, Notify, OnceCell};

use super::consistent_state::ConsistentState;
use super::write_back_state::WriteBack;
use crate::format::checksum::page_checksum;
use crate::state::catalog::Catalog;
use crate::state::coherence::Coherence;
use crate::state::curve::Curve;
use crate::state::index::FlashLocation;
use crate::state::learned::{AccessDetails, ArrivalClass, By, Dice, History, Overwritten};
use crate::state::policy::{FlashSpace, Policy};
use crate::state::ram::{EvictedPage, PromotionState, Ram};
use crate::state::read_balance::ReadBalance;
use crate::state::sequential::Sequential;
use crate::state::write_intent_bitmap::SharedBits;
use crate::state::zero_pages::is_zero;
use crate::storage::log::Log;
use crate::storage::pool::{FlashLost, Pool};
use crate::storage::shared::PoolState;
use crate::types::env::Env;
use crate::types::histograms::Requests;
use crate::types::latency::Latencies;
use crate::types::limits::{BATCH_PAGES_MAX, BLOCK_BYTES_MAX, PAGE_BYTES, RAM_BYTES_MIN, REQUEST_BYTES_MAX};
use crate::types::settings::{self, DestageOrder, DiskSettings, Redundancy};
use crate::types::stats::{DiskCounters, LoadProgress, LoadStatistics, count};
use crate::types::units::{DiskId, FlashPage, PageNumber, Sequence, pages_touched};

pub(crate) struct DiskCache<E: Env> {
    pub(crate) id: DiskId,
    pub(crate) pool: Rc<Pool<E>>,
    pub(crate) log: Log<E>,
    pub(crate) settings: RefCell<DiskSettings>,
    /// The content on flash, and the part of it that the backing lacks.
    pub(crate) catalog: Catalog<PoolState>,
    /// Bytes of the disk: where it ends, however far its backing goes. Changes between two steps of any operation, and only
    /// upwards, see `grow.rs`.
    pub(super) size: Cell<u64>,
    pub(crate) ram: RefCell<Ram>,
    /// Records that keep cached content and the backing coherent.
    pub(crate) coherence: Coherence,
    /// Writes on their way to the log, and from there to the backing.
    pub(crate) back: WriteBack,
    /// Groups of the redo ring, in consistent write-back.
    pub(crate) consistent: ConsistentState<E>,
    /// Progress of loading previously cached content.
    pub(crate) load: RefCell<LoadStatistics>,
    /// Changes when the present load is no longer wanted.
    pub(crate) load_ticket: Cell<u64>,
    /// Held while it is loaded.
    pub(crate) loading: Mutex<()>,
    /// Held while one of its segments is reclaimed, and while the disk is released: the victim must not be taken for empty because the disk
    /// forgets its index.
    pub(crate) reclaiming: Mutex<()>,
    /// Headers that reclaim wrote, counted.
    pub(crate) headers_again: Cell<u64>,
    /// Notified when loading has ended.
    pub(crate) loaded: Notify,
    pub(crate) flash_lost: FlashLost,
    /// Set once it is recorded elsewhere that the disk's content on flash is void.
    pub(crate) flash_void: OnceCell<()>,
    pub(crate) policy: RefCell<Policy>,
    pub(crate) missed_reads: RefCell<Sequential>,
    pub(crate) missed_writes: RefCell<Sequential>,
    /// Division of clean hits on flash between flash and the backing.
    pub(crate) read_balance: RefCell<ReadBalance>,
    pub(crate) counters: Rc<DiskCounters>,
    pub(crate) latencies: Latencies,
    pub(crate) requests: Requests,
    /// Predictions for caches of other sizes; updated in every mode.
    pub(crate) curve: RefCell<Box<Curve>>,
    /// Wakes the promoter when RAM fills up, or when the disk leaves.
    pub(crate) promotion_wanted: Notify,
    /// Wakes the task that makes second copies when some are missing, or when the disk leaves.
    pub(crate) second_wanted: Notify,
    pub(crate) leaving: Cell<bool>,
}

/// Pages of RAM for considered pages, at most: four batches.
const CONSIDER_DEPTH_MAX: usize = 4 * BATCH_PAGES_MAX;

const _: () =
    assert!(BLOCK_BYTES_MAX as u64 / PAGE <= 256, "the index counts pages of a block in eight bits");

impl<E: Env> DiskCache<E> {
    pub(crate) fn new(
        pool: Rc<Pool<E>>,
        settings: DiskSettings,
        disk_bytes: u64,
        touched: Rc<dyn SharedBits>,
        flash_lost: FlashLost,
    ) -> Self {
        let policy = new_policy(&pool, &settings);
        let coherence = Coherence::new(touched, pool.layout().region_pages(), disk_bytes);
        let end = coherence.log_end_record();
        let counters = Rc::new(DiskCounters::default());
        let pages = (disk_bytes.div_ceil(PAGE), flash_pages(&pool, &settings));
        let (shared, salt) = (Arc::clone(&pool.shared), pool.id().salt());
        let catalog = Catalog::new(settings.id, *pool.layout(), salt, shared, block_pages(&settings), pages);
        catalog.keep_journal(settings.destage_order == DestageOrder::Consistent);
        let lines = catalog.append_record();
        Self {
            id: settings.id,
            log: Log::new(Rc::clone(&pool), settings.id, end, Rc::clone(&counters), lines),
            catalog,
            size: Cell::new(disk_bytes),
            ram: RefCell::new(Ram::new(ram_pages(&settings))),
            coherence,
            back: WriteBack::default(),
            consistent: ConsistentState::new(settings.destage_order),
            load: RefCell::default(),
            load_ticket: Cell::new(0),
            loading: Mutex::new(()),
            reclaiming: Mutex::new(()),
            headers_again: Cell::new(0),
            loaded: Notify::new(),
            flash_lost,
            flash_void: OnceCell::new(),
            policy: RefCell::new(policy),
            missed_reads: RefCell::default(),
            missed_writes: RefCell::default(),
            read_balance: RefCell::default(),
            counters,
            latencies: Latencies::default(),
            requests: Requests::default(),
            curve: RefCell::new(Box::new(Curve::new())),
            promotion_wanted: Notify::new(),
            second_wanted: Notify::new(),
            leaving: Cell::new(false),
            settings: RefCell::new(settings),
            pool,
        }
    }

    /// Returns the bytes of the disk.
    pub(crate) fn size(&self) -> u64 {
        self.size.get()
    }

    /// Returns true until previously cached content is loaded or invalidated.
    pub(crate) fn is_loading(&self) -> bool {
        self.load.borrow().state == LoadProgress::Running
    }

    /// Starts to use flash: from now on the index describes the content of flash.
    pub(crate) fn start_using_flash(&self) {
        self.loaded.notify_waiters();
        self.pool.segments().set_indexed(self.id, true);
        self.pool.slot.wake();
        self.promotion_wanted.notify_one();
    }

    /// Takes over changed settings. Content that they make unfit is dropped.
    pub(crate) fn reconfigure(&self, settings: &DiskSettings) {
        let before = self.settings.replace(*settings);
        if before.block_bytes != settings.block_bytes {
            self.forget_everything();
            self.catalog.change_block(block_pages(settings));
        }
        if before.mode != settings.mode {
            self.pool.segments().set_writes_back(self.id, settings.mode.row().writes_back);
            self.back.destage.wake_all();
        }
        self.pool.segments().set_mirrored(self.id, settings.redundancy == Redundancy::Mirror);
        if before.block_bytes != settings.block_bytes {
            self.policy.replace(new_policy(&self.pool, settings));
        } else if before.limit_bytes != settings.limit_bytes {
            self.policy.borrow_mut().resize(cache_blocks(&self.pool, settings));
        }
        if settings.limit_bytes / 2 > before.limit_bytes {
            self.catalog.stop_counting();
        }
        if before.ram_bytes != settings.ram_bytes {
            let evicted = self.ram.borrow_mut().resize(ram_pages(settings));
            for evicted in &evicted {
                self.note_evicted(evicted);
            }
        }
        self.policy.borrow_mut().set_admission(settings.admission);
        self.back.destage.change_pace();
        self.consistent.wake();
        // More may be dirty now, or be waited for.
        self.back.destage.wake_waiters();
    }

    /// Returns true if all pages that share a byte with `range` are cached.
    pub(crate) fn has_all(&self, range: &ByteRange) -> bool {
        let cached = |page: PageNumber| {
            self.ram.borrow().contains(page)
                || self.on_flash(page).is_some()
                || self.catalog.is_dirty_zeroes(page)
                || self.catalog.is_remembered_zeroes(page)
        };
        range.len() <= REQUEST_BYTES_MAX && pages_touched(range).all(cached)
    }

    /// Takes over that pages are zeroes, and that the backing does not have that.
    pub(crate) fn enter_zeroes(&self, pages: &Range<u64>, unmap: Unmap) {
        self.keep_versions(pages);
        self.ram.borrow_mut().remove(pages.clone());
        self.catalog.insert_zeroes(pages, unmap);
        self.note_fresh();
    }

    /// Takes over that the content of pages was damaged, and that the backing does not have it.
    pub(crate) fn enter_lost(&self, pages: &Range<u64>) {
        tracing::error!(
            disk = %self.id,
            first_byte = pages.start * PAGE,
            bytes = (pages.end - pages.start) * PAGE,
            "Flash lost data that the backing does not have yet: these bytes fail until they are written again"
        );
        self.ram.borrow_mut().remove(pages.clone());
        self.catalog.mark_lost(pages);
        // Tasks that wait for these pages to be destaged would wait for ever otherwise.
        self.observe_dirty();
        self.back.destage.wake_all();
    }

    /// Runs `f` on the content of a page in RAM that flash has too, if it is the content that belongs to this place.
    pub(crate) fn with_ram<T>(
        &self,
        page: PageNumber,
        located: FlashLocation,
        act: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let ram = self.ram.borrow();
        ram.peek(page).filter(|bytes| page_checksum(bytes) == located.checksum).map(act)
    }

    /// Returns true if RAM has the content that belongs to this place on flash.
    pub(crate) fn has_in_ram(&self, page: PageNumber, located: FlashLocation) -> bool {
        self.with_ram(page, located, |_| ()).is_some()
    }

    /// Returns the place of a page on flash, if the flash is trusted.
    pub(crate) fn on_flash(&self, page: PageNumber) -> Option<FlashLocation> {
        if self.pool.is_failed() { None } else { self.catalog.locate(page) }
    }

    /// Returns the generation of the segment of a place on flash, if the segment has an owner.
    pub(crate) fn generation_at(&self, flash: FlashPage) -> Option<Sequence> {
        let segment = self.pool.layout().segment_of(flash);
        self.pool.segments().life(segment).map(|(_, generation)| generation)
    }

    /// Puts a page's current content into RAM, with its history of use. The caller guarantees that it *is* current, with nothing awaited
    /// since.
    pub(crate) fn enter(
        &self,
        page: PageNumber,
        bytes: &[u8],
        sequence: Sequence,
        standing: PromotionState,
        history: History,
    ) {
        self.catalog.forget_zeroes(&(page.0..page.0 + 1));
        let mut ram = self.ram.borrow_mut();
        let evicted = ram.insert(page, bytes, sequence, standing, history);
        if let Some(part) = ram.wants_in_memory() {
            self.pool.host.spawn(self.pool.host.populate(part));
        }
        drop(ram);
        if let Some(evicted) = evicted {
            self.note_evicted(&evicted);
        }
        if self.consider() {
            self.promotion_wanted.notify_one();
        }
    }

    /// Records that the backing has whole pages of zeroes, of which nothing else is cached. The caller guarantees that, with nothing
    /// awaited since. Returns false if such pages are cached as any others.
    pub(crate) fn remember_zeroes(&self, pages: Range<u64>) -> bool {
        let remembers = self.settings.borrow().zero_pages == settings::ZeroPages::Remembered;
        if remembers {
            self.catalog.remember_zeroes(pages);
        }
        remembers
    }

    /// Returns the same of one page, if its content is zeroes. False if it is to be cached.
    pub(crate) fn is_remembered_as_zeroes(&self, page: PageNumber, content: &[u8]) -> bool {
        is_zero(content) && self.remember_zeroes(page.0..page.0 + 1)
    }

    /// Queues pages near the LRU tail for promotion if admission accepts them. Returns true if that completed a batch.
    pub(crate) fn consider(&self) -> bool {
        if !self.may_promote() {
            return false;
        }
        let mut ram = self.ram.borrow_mut();
        let room = self.room();
        // While every page is accepted, waiting gains nothing: a burst then has half of RAM to wait in.
        let takes_all = self.policy.borrow().takes_all(room);
        let depth = if takes_all { ram.capacity() / 2 } else { 0 }.max(consider_depth(&ram));
        let before = ram.waiting();
        let admits = |_, history| self.policy.borrow_mut().admits(history, room);
        let refused = ram.consider(depth, depth / 4 * 3, admits);
        let is_more = ram.waiting() > before || refused > 0;
        drop(ram);
        count(&self.counters.rejections, refused);
        is_more && self.promotion_is_due()
    }

    /// Records that RAM evicted a page: one that was used again in RAM is worth keeping on flash. A page that flash does not have is gone:
    /// admission refused it, or RAM filled faster than flash takes it.
    fn note_evicted(&self, evicted: &EvictedPage) {
        let EvictedPage { page, standing, history } = *evicted;
        if standing == PromotionState::New && self.may_promote() {
            count(&self.counters.fills_dropped, 1);
        }
        if standing != PromotionState::OnFlash {
            return self.policy.borrow_mut().left(self.block_of(page), history);
        }
        let warmer = |known: History| {
            if history.is_later_than(known) { history.with_heat(known.heat()).warmer() } else { known }
        };
        self.catalog.update_history(page, warmer);
    }

    /// Returns the history of a page that enters the cache.
    pub(crate) fn newcomer(&self, page: PageNumber, arrival: ArrivalClass) -> History {
        self.policy.borrow().newcomer(self.block_of(page), arrival)
    }

    /// Trains the policy with a request, before it is answered; `in_long_run` if it would continue a long run of misses. Not in
    /// pass-through, which does not use the cache. Returns the class of the request.
    pub(crate) fn note_access(&self, range: &ByteRange, by: By, in_long_run: bool) -> ArrivalClass {
        let (settings, mut policy) = (self.settings.borrow(), self.policy.borrow_mut());
        let arrival = ArrivalClass::with(by, range);
        let asks = settings.mode.row().reads_hit && !range.is_empty() && range.len() <= REQUEST_BYTES_MAX;
        if !asks || !policy.learns() {
            return arrival;
        }
        let block_bytes = u64::from(settings.block_bytes);
        let blocks = range.start / block_bytes..range.end.div_ceil(block_bytes);
        let arrival = policy.request(arrival, in_long_run, blocks.end - blocks.start);
        for block in blocks {
            let start = block * block_bytes;
            let own = ByteRange::at(start, block_bytes).intersection(range);
            let details = || AccessDetails::of(&own, start, block_bytes, self.has_all(&own));
            let draw = |dice: &mut Dice| self.catalog.draw(dice);
            policy.access(block, arrival, details, draw, || self.catalog.live_share());
        }
        arrival
    }

    /// Records that pages were written to flash that no guest wrote.
    #[expect(clippy::cast_precision_loss, reason = "one part of a ratio")]
    pub(crate) fn note_written_pages(&self, pages: usize) {
        self.policy.borrow_mut().note_written(pages as f32 / self.block_pages() as f32);
    }

    /// Enters every page of `bytes` that is not cached already; `bytes` begin at `start`, the start of a page. `arrival` is the class of the
    /// request.
    pub(crate) fn enter_absent(&self, start: u64, bytes: &[u8], sequence: Sequence, arrival: ArrivalClass) {
        for (at, content) in bytes.chunks(PAGE as usize).enumerate() {
            let page = PageNumber(start / PAGE + at as u64);
            let cached = self.ram.borrow().contains(page) || self.on_flash(page).is_some();
            if !cached && !self.is_remembered_as_zeroes(page, content) {
                self.enter(page, content, sequence, PromotionState::New, self.newcomer(page, arrival));
            }
        }
    }

    /// Drops every cached page that shares a byte with `range`, save dirty ones. Returns the history of the dropped pages.
    pub(crate) fn drop_pages(&self, range: &ByteRange) -> Overwritten {
        let pages = range.start / PAGE..range.end.div_ceil(PAGE);
        let overwritten = self.histories(&pages);
        self.ram.borrow_mut().remove(pages.clone());
        self.catalog.invalidate(pages);
        overwritten
    }

    /// Drops one clean page from the index if it is still at `flash`, because it has to go. A copy in RAM is offered again only once it was
    /// used: otherwise the content of RAM would circulate through a small flash, and cause writes all the time.
    pub(crate) fn drop_copy(&self, page: PageNumber, flash: FlashPage) {
        if self.catalog.invalidate_at(page, flash) {
            self.ram.borrow_mut().lost_on_flash(page, PromotionState::Rejected);
        }
    }

    /// Drops one clean page whose copy at `flash` turned out damaged, if it is still there.
    pub(crate) fn drop_damaged(&self, page: PageNumber, flash: FlashPage) {
        if self.catalog.invalidate_damaged(page, flash) {
            self.ram.borrow_mut().lost_on_flash(page, PromotionState::New);
        }
    }

    /// Forgets all stale versions, before they are counted again.
    pub(crate) fn restart_counting(&self) {
        let flash_pages = flash_pages(&self.pool, &self.settings.borrow());
        self.catalog.restart_counting(self.size.get().div_ceil(PAGE), flash_pages);
    }

    /// Returns true if flash has dirty data, or may have some.
    pub(crate) fn may_hold_dirty(&self) -> bool {
        let unknown = self.back.is_marked_dirty() && self.is_loading();
        unknown || !self.catalog.is_clean() || self.back.stop.is_set()
    }

    /// Records that pages are in the log, in this batch: their content on the backing is readable after a kill, once a later write proves
    /// that the batch was written.
    pub(crate) fn note_written(&self, batch: u64, pages: impl Iterator<Item = (PageNumber, FlashPage)>) {
        self.coherence.record_appended(batch, pages);
        self.clear_proven();
    }

    /// Clears the bits of pages that are proven to be in the log, and current there.
    pub(crate) fn clear_proven(&self) {
        self.coherence.commit_up_to(self.log.proven(), |page, flash| self.catalog.is_at(page, flash));
    }

    /// Returns true if the pages that wait in RAM make a batch. Data that the backing may still lose with the power is not put where it
    /// would outlive that.
    pub(crate) fn promotion_is_due(&self) -> bool {
        self.may_promote() && self.ram.borrow().waiting() >= self.batch_wanted()
    }

    /// Returns the number of pages that make a batch: the room left in the open segment, or a whole batch, if RAM can spare that. Each
    /// batch has a header, so smaller ones would take room from cached data.
    fn batch_wanted(&self) -> usize {
        let spare = consider_depth(&self.ram.borrow()) / 2;
        self.log.room_left().min(BATCH_PAGES_MAX).min(spare).max(1)
    }

    /// Returns true if pages of RAM may go to flash at all.
    pub(crate) fn may_promote(&self) -> bool {
        self.coherence.is_backing_settled() && !self.is_loading() && !self.pool.is_failed()
    }

    /// Returns whether the disk can take more flash before anything has to be reclaimed.
    pub(crate) fn room(&self) -> FlashSpace {
        if self.pool.segments().has_much_room(self.id) { FlashSpace::Free } else { FlashSpace::Full }
    }

    /// Returns the block that a page is in.
    pub(crate) fn block_of(&self, page: PageNumber) -> u64 {
        page.0 / u64::from(block_pages(&self.settings.borrow()))
    }

    /// Returns the number of pages of a block.
    pub(crate) fn block_pages(&self) -> u32 {
        block_pages(&self.settings.borrow())
    }
}

/// Returns the number of pages at the tail of RAM that were considered for promotion: they are evicted, or wait for flash.
fn consider_depth(ram: &Ram) -> usize {
    let least = (ram.capacity() / 2).min(2 * BATCH_PAGES_MAX);
    (ram.capacity() / 16).max(least).clamp(RAM_BYTES_MIN as usize / PAGE_BYTES / 2, CONSIDER_DEPTH_MAX)
}

/// Returns the pages of a block.
pub(super) fn block_pages(settings: &DiskSettings) -> u32 {
    settings.block_bytes / PAGE as u32
}

fn ram_pages(settings: &DiskSettings) -> usize {
    (settings.ram_bytes / PAGE) as usize
}

/// Returns a policy that has learned nothing.
pub(super) fn new_policy<E: Env>(pool: &Pool<E>, settings: &DiskSettings) -> Policy {
    Policy::new(settings.admission, cache_blocks(pool, settings))
}

/// Returns the number of blocks that the disk's cache can hold, without headers and summaries: a limit may be far above what the pool has.
pub(super) fn cache_blocks<E: Env>(pool: &Pool<E>, settings: &DiskSettings) -> u64 {
    let layout = pool.layout();
    let data_pages = layout.batch_pages() - layout.batch_pages().div_ceil(BATCH_PAGES_MAX as u32 + 1);
    let segments = flash_pages(pool, settings) * PAGE / layout.segment_bytes();
    let bytes = (segments * u64::from(data_pages) * PAGE).saturating_add(settings.ram_bytes);
    bytes / u64::from(settings.block_bytes)
}

/// Returns the number of pages that a disk can hold on flash at most.
pub(super) fn flash_pages<E: Env>(pool: &Pool<E>, settings: &DiskSettings) -> u64 {
    let usable = u64::from(pool.segments().usable()) * pool.layout().segment_bytes();
    settings.limit_bytes.min(usable) / PAGE
}
