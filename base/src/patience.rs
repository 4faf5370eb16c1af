//! Time limits of the control plane, and waiting for the locks of a daemon that was killed.
//!
//! A limit counts the time in which this process runs ([`within`]): a process that is stopped, or whose host is paused, does not use it up.
//! Shards have the same by the clock of their executor.
//!
//! Locks of a daemon that was killed: the kernel ends its last requests, and with them its locks (rule I15), shortly after the process is
//! gone. A supervisor starts the next one at once.
//!
//! A real holder of a lock keeps it for longer than this, and is then named in the error as usual.

use std::pin::pin;
use std::thread;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::error::{ErrorKind, Result};

/// Guests time out after 30 s; the kernel cancels waiting requests and finishes those in flight to a device, in milliseconds unless that
/// device hangs.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(20);

/// Interval at which running time is counted.
const SLICE: Duration = Duration::from_millis(250);
/// Excess over that interval from which on this process must have been stopped.
const ABSENCE_MIN: Duration = Duration::from_millis(500);

/// Error: no answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late;

/// Returns the output of `future` within `limit` of the time in which this process runs.
///
/// # Errors
/// [`Late`] if that takes longer.
pub async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Result<T, Late> {
    let mut future = pin!(future);
    let mut left = limit;
    loop {
        let (slice, began) = (left.min(SLICE), Instant::now());
        if let Ok(outcome) = timeout(slice, &mut future).await {
            return Ok(outcome);
        }
        if began.elapsed() < slice + ABSENCE_MIN {
            left -= slice;
        }
        if left.is_zero() {
            return Err(Late);
        }
    }
}

/// Calls `attempt`, and repeats it while the locks of a dead process may be in the way.
///
/// # Errors
/// The last outcome, if none succeeds within two seconds, or an error other than a conflict.
pub async fn while_in_conflict<T, F>(mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt().await {
            Err(problem) if problem.kind == ErrorKind::Conflict && Instant::now() < deadline => {
                sleep(INTERVAL).await;
            }
            outcome => return outcome,
        }
    }
}

/// Calls `attempt` on a thread that may sleep, and repeats it while `is_held` is true for the outcome, so that a dead process may be the
/// reason.
pub fn while_held<T>(mut attempt: impl FnMut() -> T, is_held: impl Fn(&T) -> bool) -> T {
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let outcome = attempt();
        if !is_held(&outcome) || std::time::Instant::now() >= deadline {
            return outcome;
        }
        thread::sleep(INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;
    use crate::error::Error;

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime for one thread").block_on(future)
    }

    #[test]
    fn a_limit_does_not_count_the_time_in_which_the_process_is_stopped() {
        let limit = Duration::from_secs(2);
        run(async {
            tokio::time::pause();
            let stopped = async {
                sleep(Duration::from_millis(100)).await;
                // The process does not run meanwhile, as after SIGSTOP.
                tokio::time::advance(Duration::from_secs(3)).await;
                sleep(Duration::from_millis(500)).await;
                7
            };
            assert_eq!(within(limit, stopped).await, Ok(7));
            let began = Instant::now();
            assert_eq!(within(limit, std::future::pending::<()>()).await, Err(Late));
            assert!(began.elapsed() >= limit, "{:?}", began.elapsed());
        });
    }

    #[test]
    fn a_conflict_that_ends_is_waited_for() {
        let mut locks = 3;
        let outcome = run(while_in_conflict(|| {
            locks -= 1;
            ready(if locks > 0 { Err(Error::conflict("Locked")) } else { Ok(()) })
        }));
        assert_eq!(outcome, Ok(()));
    }

    #[test]
    fn what_is_no_conflict_is_told_at_once() {
        let mut attempts = 0;
        let outcome = run(while_in_conflict(|| {
            attempts += 1;
            ready(Result::<()>::Err(Error::invalid("Not a disk")))
        }));
        assert_eq!((outcome, attempts), (Err(Error::invalid("Not a disk")), 1));
    }

    #[test]
    fn what_is_held_for_a_moment_is_had() {
        let mut attempts = 0;
        let outcome = while_held(
            || {
                attempts += 1;
                attempts
            },
            |attempts| *attempts < 3,
        );
        assert_eq!(outcome, 3);
    }
}
