//! Patience with the locks of a daemon that was killed: the kernel ends its last requests, and with them its locks
//! (rule I15), a moment after the process is gone. A supervisor starts the next one at once.
//!
//! Whoever really holds a lock keeps it for longer than this, and is then named in the error as ever.

use std::thread;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::problem::{Answer, ProblemKind};

/// Guests give up after 30 s; the kernel cancels what waits and finishes what is on its way to a device, in
/// milliseconds unless that device hangs.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(20);

/// Does `attempt`, and again while something stands in its way that may be a dead process.
pub(crate) async fn while_in_conflict<T, F>(mut attempt: impl FnMut() -> F) -> Answer<T>
where
    F: Future<Output = Answer<T>>,
{
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt().await {
            Err(problem) if problem.kind == ProblemKind::Conflict && Instant::now() < deadline => {
                sleep(INTERVAL).await;
            }
            outcome => return outcome,
        }
    }
}

/// Does `attempt` on a thread that may sleep, and again while `is_held` says of its outcome that a dead process may be the reason.
pub(crate) fn while_held<T>(mut attempt: impl FnMut() -> T, is_held: impl Fn(&T) -> bool) -> T {
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
    use crate::problem::Problem;

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime for one thread").block_on(future)
    }

    #[test]
    fn a_conflict_that_ends_is_waited_for() {
        let mut locks = 3;
        let outcome = run(while_in_conflict(|| {
            locks -= 1;
            ready(if locks > 0 { Err(Problem::conflict("Locked")) } else { Ok(()) })
        }));
        assert_eq!(outcome, Ok(()));
    }

    #[test]
    fn what_is_no_conflict_is_told_at_once() {
        let mut attempts = 0;
        let outcome = run(while_in_conflict(|| {
            attempts += 1;
            ready(Answer::<()>::Err(Problem::invalid("Not a disk")))
        }));
        assert_eq!((outcome, attempts), (Err(Problem::invalid("Not a disk")), 1));
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
