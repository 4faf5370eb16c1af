//! Pace: when destage works, how much at once, and how long it rests.
//!
//! While little is dirty, nothing waits for destage: then it lets writes to the same places accumulate, and the longer it waits the more
//! neighbours it can join. It works at full speed when a task waits for it, when no guest waits for the backing, and from half of the limit
//! on, where writers begin to be slowed down (`throttle.rs`): before any of them waits, the backing is to do what it can. In between it rests
//! in proportion to the time that its requests took, so that a backing that is slow because guests use it gets more rest; and it keeps as many
//! concurrent requests there as hardly wait for each other (`state/width.rs`). Near the limit only the amount counts.
//!
//! A backing that fails is probed: one request, a second after the last one failed, each time at another place. Once one succeeds,
//! destage goes on behind it.

use block::{BlockError, ErrorKind, Host, Operation};

use super::ctx::Ctx;
use super::destage::{Size, round};
use super::disk_cache::DiskCache;
use super::throttle::SLOWED_FROM_PART;
use crate::state::catalog::ALL_PAGES;
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;

/// Time for which dirty data stays dirty if it is little: nanoseconds.
const REST_NS: u64 = 10 * SECOND;
/// Rest of destage after a failure.
const RETRY_NS: u64 = SECOND;
/// No guest has waited for the backing for so long: it is idle.
const IDLE_NS: u64 = 200_000_000;
/// Shares of the limit, in sixteenths: below the first destage rests, from the second on it rests less and less, from the third on it works
/// at full speed, and from the last on with as many requests as an array of many spindles can use.
const LITTLE_SIXTEENTHS: u64 = 1;
const SOME_SIXTEENTHS: u64 = 6;
const MUCH_SIXTEENTHS: u64 = 8;
const FULL_SIXTEENTHS: u64 = 14;
/// At full speed.
const FULL: Size = Size { pages: 512, width: 6 };
/// Near the limit.
const WIDE: Size = Size { width: 16, ..FULL };
/// Beside guests, for each request at once and one more.
const SHARED_PAGES: u64 = 64;
/// Everything in one round, for when a partial result would not help.
const ALL: Size = Size { pages: u64::MAX, width: 8 };
/// The longest rest after one round.
const PAUSE_MAX_NS: u64 = SECOND;
const SECOND: u64 = 1_000_000_000;

/// Time of the next destage step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// On the next wake-up.
    Wanted,
    /// After this many nanoseconds, or when destage is woken.
    Within(u64),
    /// After this many nanoseconds, or when the settings change.
    After(u64),
}

/// Urgency of destage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Urgency {
    /// A task waits for it.
    Waited,
    /// Near the limit: writers wait for it.
    Full,
    /// No task waits for it, and no guest needs the backing.
    Idle,
    /// Guests need the backing; this many sixteenths of the limit are dirty.
    Shared(u64),
}

/// Destages some, if it is time to. `from` is where the last round ended.
pub(crate) async fn step<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>, from: &mut u64) -> Next {
    let nothing = !cache.catalog.can_destage(ALL_PAGES);
    if nothing || cache.is_loading() || cache.back.stop.is_set() || cache.leaving.get() {
        cache.back.destage.record_idle();
        return Next::Wanted;
    }
    if cache.stays_paused() {
        return Next::Wanted;
    }
    let now = cache.pool.host.now();
    let urgency = urgency(cache, now);
    if let Some(rest) = rest(cache, urgency, now) {
        return Next::Within(rest);
    }
    let counted = cache.consistent.counted.get();
    if let Some((at, since)) = cache.consistent.nothing_journaled.get()
        && at == counted
        && now < since + RETRY_NS
        && cache.consistent.promises()
    {
        // Each write wakes destage, and to look through all that is dirty takes longer than a write.
        return wait_for_group(cache, urgency);
    }
    let size = if cache.pool.lacks_room() { ALL } else { size(cache, urgency) };
    // One after another while it fails, so that the one that fails is the last one.
    let size = if cache.back.destage.is_failing() { Size { width: 1, ..size } } else { size };
    let before = amounts(cache);
    let achieved = round(ctx, *from, size).await;
    *from = achieved.next;
    let took = cache.pool.host.now() - now;
    // A round that changed nothing would change nothing again: without a rest it would keep the thread for ever.
    let is_in_vain = achieved.is_nothing() && (cache.back.destage.is_stuck() || amounts(cache) == before);
    if is_in_vain && cache.consistent.promises() && !cache.back.destage.is_stuck() {
        if achieved.chose_nothing {
            cache.consistent.nothing_journaled.set(Some((counted, cache.pool.host.now())));
        }
        return wait_for_group(cache, urgency);
    }
    if achieved.failed || is_in_vain {
        if cache.back.destage.is_stuck() && !cache.back.destage.is_failing() {
            cache.back.destage.record_failure(cache.pool.host.now(), &unanswered());
        }
        cache.back.destage.wake_waiters();
        return Next::After(RETRY_NS);
    }
    // A round with an unanswered request keeps the failure recorded.
    if !achieved.is_nothing() && !cache.back.destage.is_stuck() {
        cache.back.destage.record_success();
    }
    cache.back.destage.record_rate(achieved.bytes, took);
    if let (Urgency::Shared(_), Some(nanos)) = (urgency, achieved.request_nanos) {
        cache.back.destage.record_width(size.width, nanos);
    }
    Next::After(pause(cache, urgency, achieved.bytes, took))
}

/// Waits for a group of the redo ring, without which nothing may be destaged. It wakes destage.
fn wait_for_group<E: Env>(cache: &DiskCache<E>, urgency: Urgency) -> Next {
    // Nothing is left of an earlier failure but that of a replay.
    if !cache.consistent.has_backing_failed() {
        cache.back.destage.record_success();
    }
    if !matches!(urgency, Urgency::Shared(_) | Urgency::Idle) {
        cache.consistent.want_group();
    }
    Next::Within(RETRY_NS)
}

/// Returns how many pages are dirty with data, and how many as zeroes.
fn amounts<E: Env>(cache: &DiskCache<E>) -> (u64, u64) {
    cache.catalog.with_dirty(|dirty| (dirty.pages(), dirty.zeroes().pages()))
}

fn unanswered() -> BlockError {
    BlockError::anywhere(ErrorKind::Unanswered, Operation::Write)
        .because("the backing did not answer an earlier write, which may still be done; dirty data there waits for that")
}

fn urgency<E: Env>(cache: &DiskCache<E>, now: u64) -> Urgency {
    let destage = &cache.back.destage;
    let leaving_mode = !cache.settings.borrow().mode.row().writes_back;
    let sixteenths = cache.catalog.dirty_pages() * 16 / cache.dirty_limit().max(1);
    if sixteenths >= FULL_SIXTEENTHS {
        return Urgency::Full;
    }
    if destage.is_waited_for() || leaving_mode || sixteenths >= MUCH_SIXTEENTHS {
        return Urgency::Waited;
    }
    if destage.no_guest_for(now) >= IDLE_NS && sixteenths >= LITTLE_SIXTEENTHS {
        return Urgency::Idle;
    }
    Urgency::Shared(sixteenths)
}

/// Returns the time for which destage should not begin, in nanoseconds, if any.
fn rest<E: Env>(cache: &DiskCache<E>, urgency: Urgency, now: u64) -> Option<u64> {
    let Urgency::Shared(sixteenths) = urgency else { return None };
    let due = cache.back.destage.dirty_since().unwrap_or(now) + REST_NS;
    let many_zeroes = cache.catalog.dirty_zero_ranges() * 4 > cache.zero_ranges_max();
    (sixteenths < LITTLE_SIXTEENTHS && now < due && !many_zeroes).then(|| (due - now).min(SECOND))
}

fn size<E: Env>(cache: &DiskCache<E>, urgency: Urgency) -> Size {
    let Size { pages, width } = match urgency {
        Urgency::Full => WIDE,
        Urgency::Waited | Urgency::Idle => FULL,
        Urgency::Shared(_) => {
            let width = cache.back.destage.next_width();
            Size { pages: SHARED_PAGES * (1 + width as u64), width }
        }
    };
    let most = match rate_max(cache) {
        0 => pages,
        // The work of a second, so that the rest behind it is no longer; one page is the least that there is.
        rate => (rate / PAGE_BYTES as u64).max(1),
    };
    Size { pages: pages.min(most), width }
}

/// Returns how many bytes a second destage may write at most; 0 is no limit.
fn rate_max<E: Env>(cache: &DiskCache<E>) -> u64 {
    if cache.back.destage.hurries() { 0 } else { cache.settings.borrow().destage_rate_max }
}

/// Returns the rest of destage after a round of `bytes` that took `took` nanoseconds.
fn pause<E: Env>(cache: &DiskCache<E>, urgency: Urgency, bytes: u64, took: u64) -> u64 {
    let settings = cache.settings.borrow();
    let for_rate = |rate: u64| {
        let takes = u128::from(bytes) * u128::from(SECOND) / u128::from(rate.max(1));
        (takes.min(u128::from(u64::MAX)) as u64).saturating_sub(took)
    };
    let wanted = match urgency {
        Urgency::Full | Urgency::Waited | Urgency::Idle => 0,
        // About the duration of the round, and less the more the backing can do at once; near half of the limit less and less.
        Urgency::Shared(sixteenths) => {
            let most = 16 - cache.back.destage.kept_width() as u64;
            let left = MUCH_SIXTEENTHS - sixteenths.clamp(SOME_SIXTEENTHS, MUCH_SIXTEENTHS);
            (took * most * left / (16 * (MUCH_SIXTEENTHS - SOME_SIXTEENTHS))).min(PAUSE_MAX_NS)
        }
    };
    let wanted =
        if settings.destage_rate_min > 0 { wanted.min(for_rate(settings.destage_rate_min)) } else { wanted };
    match rate_max(cache) {
        0 => wanted,
        rate => wanted.max(for_rate(rate)),
    }
}

const _: () = assert!(
    MUCH_SIXTEENTHS * SLOWED_FROM_PART <= 16,
    "destage is at full speed before a writer waits for it"
);
const _: () =
    assert!(PAGE_BYTES as u64 * FULL.pages <= 4 << 20, "a round is short enough to be stopped soon");
