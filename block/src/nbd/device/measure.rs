//! The size that an export has now, and using it further than before.
//!
//! A server reports a size on connecting only; and it may refuse requests behind the end that it reported. So a
//! device that is to become larger gets new connections:
//! ```text
//! 1. one more connection gets the size of the export; if it is not larger, that was all
//! 2. nothing is in flight any more; new requests wait
//! 3. flush: no acknowledged change can be lost with a connection
//! 4. the old connections disconnect, and each is followed by a new one; the one of 1 stays until then, because there are servers
//!    that end with their last client
//! ```
//! Only of a server that takes several connections (`CAN_MULTI_CONN`). Another one is not measured: its only connection would have to
//! end first, and it may not return. Its size is read at the next connection after a restart.

use std::sync::Arc;

use super::super::wire::export_flags::{CAN_MULTI_CONN, SEND_FLUSH};
use super::super::wire::{Command, Request};
use super::NbdDevice;
use super::connect::connect;
use super::connection::{Job, Permit};
use super::ledger::Ledger;
use super::perform::RequestFailure;
use crate::{BlockError, ErrorKind, Geometry, Host, Operation};

/// Longest time for which requests are held back while connections are replaced: well below the timeout of guests. Half of the retry time
/// if that is less, because it also runs for the waiting requests.
const RENEW_NS: u64 = 5_000_000_000;

impl<H: Host> NbdDevice<H> {
    /// Returns true if the server takes several connections, so that [`Self::measure`] can ask it over a new one.
    pub fn can_reconnect(&self) -> bool {
        self.shared.facts.flags & CAN_MULTI_CONN != 0
    }

    /// Returns the present size of the export in bytes, as far as its server reports it: one that takes a single connection reported it at
    /// the last connect. If it is larger than the used part, [`Self::set_size`] may follow; requests wait for some round trips.
    ///
    /// # Errors
    /// The obstacle: the server is away or has changed, requests do not end in time, or a flush fails. The device is used as before.
    pub async fn measure(&self) -> Result<u64, BlockError> {
        let before = self.current_size()?;
        let shared = &self.shared;
        if !self.can_reconnect() {
            return Ok(before);
        }
        let spare = connect(&shared.ring, &shared.host, &shared.target, shared.connect_ns).await;
        let spare = spare.map_err(|error| refused(ErrorKind::Io, error.to_string()))?;
        let size = spare.terms.facts.size;
        if size <= self.geometry.get().size {
            return Ok(size);
        }
        if let Some(difference) = shared.difference(&spare.terms.facts) {
            return Err(refused(
                ErrorKind::Gone,
                format!("{} is another export now: {difference}", shared.target),
            ));
        }
        let held_ns = self.retry_ns.get().map_or(RENEW_NS, |retry_ns| RENEW_NS.min(retry_ns / 2));
        let deadline = shared.deadlines.after(Some(held_ns));
        let renewed = shared.deadlines.within(deadline, self.renew(deadline)).await;
        drop(spare);
        renewed.unwrap_or_else(|| {
            let millis = held_ns / 1_000_000;
            Err(refused(
                ErrorKind::Io,
                format!("its requests, or its new connections, took longer than {millis} ms"),
            ))
        })?;
        self.current_size()
    }

    /// Uses `size` bytes of the export from now on, a multiple of its alignment. More than before if it grew, and every connection was made
    /// since; or less, if the rest is not to be used yet.
    pub fn set_size(&self, size: u64) {
        let geometry = self.geometry.get();
        assert!(size.is_multiple_of(geometry.alignment), "devices end on a whole unit");
        self.shared.used.set(size);
        self.geometry.set(Geometry { size, ..geometry });
    }

    async fn renew(&self, deadline: u64) -> Result<(), BlockError> {
        let turns = u32::try_from(self.turns).expect("turns are few");
        let all = Arc::clone(&self.requests).acquire_many_owned(turns).await;
        let mut all = all.expect("the semaphores are never closed");
        let one = all.split(1).expect("there are many");
        let no_bytes = Arc::clone(&self.bytes).acquire_many_owned(0).await;
        self.flush_alone(deadline, (one, no_bytes.expect("the semaphores are never closed"))).await?;
        // The turn of the flush is another's by now, who was woken and did not run yet: nothing may be awaited in between.
        let renewed = self.shared.renew().await;
        drop(all);
        renewed.map_err(|reason| refused(ErrorKind::Gone, reason))
    }

    /// Flushes while nothing else is in flight. If changes may be lost already, a flush of a guest has to report it.
    async fn flush_alone(&self, deadline: u64, permit: Permit) -> Result<(), BlockError> {
        let ledger = &self.shared.ledger;
        let Some(flushing) = ledger.begin_flush() else { return Ok(()) };
        if self.shared.facts.flags & SEND_FLUSH != 0 {
            let unheard = Unheard(ledger);
            let request = Request { flags: 0, command: Command::Flush, cookie: 0, offset: 0, length: 0 };
            let job = Job { request, buffer: None, at: 0, permit: Some(permit) };
            let (_, answered) = self.perform(job, deadline).await;
            // Without an answer it is the loss of a connection, if anything, that is counted.
            if !matches!(answered, Err(RequestFailure::Answered(..))) {
                std::mem::forget(unheard);
            }
            answered.map_err(|failure| self.error(failure, Operation::Flush, None))?;
        }
        if ledger.has_lost() || !ledger.end_flush(&flushing) {
            return Err(refused(
                ErrorKind::Io,
                "it lost a connection, and no flush has told that yet".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Guard of a flush that failed, or whose answer nothing waits for any more. A server may report a failure once, and answer the next flush
/// as if nothing had happened: so it counts as a lost connection, and the next flush of another caller fails.
struct Unheard<'a>(&'a Ledger);

impl Drop for Unheard<'_> {
    fn drop(&mut self) {
        // Stands for changes of other clients before us, which the first flush is for.
        self.0.acknowledge();
        self.0.connection_lost();
    }
}

fn refused(kind: ErrorKind, reason: String) -> BlockError {
    BlockError::anywhere(kind, Operation::Open).because(reason)
}
