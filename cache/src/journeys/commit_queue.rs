//! Writes that wait to be committed to the log.

use std::ops::Range;

use block::{BlockError, Buffer, Unmap};
use tokio::sync::oneshot;

use crate::words::units::Sequence;

/// Content for the log.
pub(super) enum Change {
    /// Content of whole pages.
    Content(Buffer),
    /// Zeroes, and whether their storage may be given back.
    Zeroes(Unmap),
}

/// A write on its way to the log.
pub(crate) struct Pending {
    pub(super) pages: Range<u64>,
    pub(super) change: Change,
    /// Drawn on acceptance (rule I1).
    pub(super) sequence: Sequence,
    /// Pages that are in the log.
    pub(super) done: usize,
    pub(super) acknowledge: oneshot::Sender<(Change, Result<(), BlockError>)>,
    /// Kept until the write is in the log or failed, whoever waits for it.
    pub(super) _kept: Box<dyn std::any::Any>,
}

impl Pending {
    pub(super) fn end(self, result: Result<(), BlockError>) {
        let Self { change, acknowledge, _kept: kept, .. } = self;
        // Whoever waited may have given up.
        drop(acknowledge.send((change, result)));
        drop(kept);
    }
}
