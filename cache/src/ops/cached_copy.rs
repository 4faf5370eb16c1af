//! Cached copy: what RAM or flash has of a page, for a backing that lost it. Never reads the backing.
//!
//! ```text
//! nothing of it is dirty, changed or distrusted ── RAM, or flash and its checksum ── still so, and at the same place? ── the backing had this
//! ```
//! A clean page of the cache is what the backing had last. What is dirty is newer, and destage brings it there.

use block::{Buffer, Operation, PAGE};

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::flash_run::FlashRun;
use super::reconnect::is_same;
use crate::state::ram_hit::RamHit;
use crate::types::env::Env;
use crate::types::units::PageNumber;

/// Content of a page in the cache.
#[derive(Debug)]
pub enum CachedCopy {
    /// All of it, as the backing had it last.
    Clean(Buffer),
    /// Something newer, which is to be destaged or on its way to the backing.
    Newer,
    /// Nothing that is known to be what the backing had.
    Nothing,
}

/// Returns what the cache has of a page. Counts as no use of it.
pub(crate) async fn cached_copy<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>, page: PageNumber) -> CachedCopy {
    let epoch = cache.coherence.epoch();
    if !is_same(ctx, epoch) {
        return CachedCopy::Nothing;
    }
    if let Some(other) = obstacle(cache, page) {
        return other;
    }
    let in_ram = {
        let ram = cache.ram.borrow();
        RamHit::find(&ram, &page.range(), page).map(|hit| Buffer::copy_of(hit.peek(&ram)))
    };
    if let Some(content) = in_ram {
        return CachedCopy::Clean(content);
    }
    let Some(located) = cache.on_flash(page) else { return CachedCopy::Nothing };
    // It pins the place: no other content is written there before this returns.
    let checked = FlashRun::of(cache, page, located).read(cache, Buffer::zeroed(PAGE as usize)).await;
    if !is_same(ctx, epoch) {
        return CachedCopy::Nothing;
    }
    if let Some(other) = obstacle(cache, page) {
        return other;
    }
    let is_whole = checked.pages().all(|read| read.content.is_ok());
    let is_there = cache.on_flash(page).is_some_and(|now| now.flash == located.flash);
    if is_whole && is_there { CachedCopy::Clean(checked.into_bytes()) } else { CachedCopy::Nothing }
}

/// Returns the answer for a page of which what is cached is not what the backing had, or is not known to be.
fn obstacle<E: Env>(cache: &DiskCache<E>, page: PageNumber) -> Option<CachedCopy> {
    let pages = page.0..page.0 + 1;
    let is_unknown = cache.is_loading()
        || cache.check_alive(Operation::Read).is_err()
        || !cache.settings.borrow().mode.row().reads_hit
        || cache.coherence.distrusts(&page.range())
        || cache.catalog.is_lost_within(&pages);
    if is_unknown {
        return Some(CachedCopy::Nothing);
    }
    let is_newer = cache.catalog.is_dirty_within(&pages) || cache.coherence.is_mutating(&page.range());
    is_newer.then_some(CachedCopy::Newer)
}
