//! Bounds of bytes and requests in flight for a store.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::options::OBJECT_BYTES_MAX;

/// Bytes of large requests in flight. The largest object passes.
const LARGE_BYTES: u64 = OBJECT_BYTES_MAX;
/// Unit of permits, in bytes.
const UNIT: u64 = 1024;
/// Largest request that does not count as large, in bytes.
const SMALL_BYTES_MAX: u64 = 64 << 10;
/// Small requests in flight.
const SMALL_REQUESTS: usize = 64;

/// Two queues, each in order of arrival: a look at an epoch does not wait behind data. A request waits in one queue with nothing of the
/// other, so that requests cannot block each other.
#[derive(Debug)]
pub(crate) struct Budget {
    small: Semaphore,
    large: Semaphore,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { small: Semaphore::new(SMALL_REQUESTS), large: Semaphore::new((LARGE_BYTES / UNIT) as usize) }
    }

    /// Waits until a request for this many bytes may start.
    pub(crate) async fn start(&self, bytes: u64) -> Permit<'_> {
        let held = match self.large(bytes).await {
            Some(held) => held,
            None => self.small.acquire().await.expect("it is never closed"),
        };
        Permit { budget: self, held: Some(held) }
    }

    async fn large(&self, bytes: u64) -> Option<SemaphorePermit<'_>> {
        if bytes <= SMALL_BYTES_MAX {
            return None;
        }
        let units = u32::try_from(bytes.min(LARGE_BYTES).div_ceil(UNIT)).expect("the budget is below 4 TiB");
        Some(self.large.acquire_many(units).await.expect("it is never closed"))
    }
}

/// The part of a request in flight.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    budget: &'a Budget,
    held: Option<SemaphorePermit<'a>>,
}

impl Permit<'_> {
    /// Waits until a request that started as small may hold this many bytes. Others have its place meanwhile.
    pub(crate) async fn grow(&mut self, bytes: u64) {
        if bytes > SMALL_BYTES_MAX {
            self.held = None;
            self.held = self.budget.large(bytes).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn large_requests_wait_for_each_other_and_small_ones_do_not() {
        let budget = Budget::new();
        let first = budget.start(LARGE_BYTES).now_or_never().expect("nothing is in flight");
        let mut second = Box::pin(budget.start(SMALL_BYTES_MAX + 1));
        assert!((&mut second).now_or_never().is_none());
        assert!(budget.start(SMALL_BYTES_MAX).now_or_never().is_some());
        drop(first);
        assert!(second.now_or_never().is_some());
    }

    #[test]
    fn large_requests_start_in_order_of_arrival() {
        let budget = Budget::new();
        let held = budget.start(LARGE_BYTES / 2).now_or_never().expect("nothing is in flight");
        let mut whole = Box::pin(budget.start(LARGE_BYTES));
        assert!((&mut whole).now_or_never().is_none());
        let mut behind = Box::pin(budget.start(SMALL_BYTES_MAX + 1));
        assert!((&mut behind).now_or_never().is_none(), "there is room, but it is not its turn");
        drop(held);
        assert!((&mut behind).now_or_never().is_none());
        let permit = whole.now_or_never().expect("its bytes are free");
        drop(permit);
        assert!(behind.now_or_never().is_some());
    }

    #[test]
    fn small_requests_that_wait_to_be_large_leave_their_place_to_others() {
        let budget = Budget::new();
        let large = budget.start(LARGE_BYTES).now_or_never().expect("nothing is in flight");
        let start = || budget.start(0).now_or_never().expect("there is a place");
        let mut waiting: Vec<_> = (0..SMALL_REQUESTS).map(|_| start()).collect();
        let mut waiting: Vec<_> =
            waiting.iter_mut().map(|permit| Box::pin(permit.grow(LARGE_BYTES))).collect();
        assert!(waiting.iter_mut().all(|grow| grow.now_or_never().is_none()));
        start();
        drop(large);
        assert!(waiting.remove(0).now_or_never().is_some());
    }

    #[test]
    fn small_requests_are_bounded_by_their_number() {
        let budget = Budget::new();
        let all: Vec<_> =
            (0..SMALL_REQUESTS).map(|_| budget.start(0).now_or_never().expect("below the limit")).collect();
        assert!(budget.start(0).now_or_never().is_none());
        drop(all);
        assert!(budget.start(0).now_or_never().is_some());
    }
}
