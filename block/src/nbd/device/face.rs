//! The device's face: requests of any length in parts that the server takes.

use super::super::intake::Answer;
use super::super::reply::extent_flags::{HOLE, ZERO};
use super::super::wire::export_flags::{SEND_FLUSH, SEND_WRITE_ZEROES};
use super::super::wire::{Command, Request, command_flags};
use super::NbdDevice;
use super::connection::Job;
use super::perform::RequestFailure;
use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Host, Operation, Outcome, Unmap,
};

/// The most bytes that one read or write moves, whatever the server allows; longer ones go in parts.
pub(super) const PAYLOAD_MAX: u32 = 8 << 20;
/// The most bytes that one request makes zeroes.
const ZEROES_MAX: u64 = 64 << 20;
/// The most zeroes that one write moves, where the server cannot make them itself.
const ZERO_BYTES_MAX: u64 = 1 << 20;
/// The most bytes that one request asks extents of.
const EXTENTS_SPAN_MAX: u64 = 1 << 30;
/// The most extents that one call reports; the rest counts as allocated.
const EXTENTS_MAX: usize = 1024;

const _: () = assert!(PAYLOAD_MAX <= super::BYTES_IN_FLIGHT_MAX, "any single request must get its turn");

impl<H: Host> NbdDevice<H> {
    fn offers(&self, flag: u16) -> bool {
        self.shared.facts.flags & flag != 0
    }

    /// Checks a request, and that the device is unchanged since it was opened.
    fn admit(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        let range = self.geometry.get().check(operation, offset, length)?;
        match self.shared.refusal() {
            None => Ok(range),
            Some(reason) => Err(BlockError::new(ErrorKind::Gone, operation, range).because(reason)),
        }
    }

    fn deadline(&self) -> u64 {
        self.shared.deadlines.after(self.retry_ns.get())
    }

    /// Performs a request that moves no data.
    async fn ask(&self, command: Command, flags: u16, range: ByteRange) -> Result<Answer, RequestFailure> {
        self.ask_until(self.deadline(), command, flags, range).await
    }

    async fn ask_until(
        &self,
        deadline: u64,
        command: Command,
        flags: u16,
        range: ByteRange,
    ) -> Result<Answer, RequestFailure> {
        let length = u32::try_from(range.len()).expect("parts are shorter than 4 GiB");
        let request = Request { flags, command, cookie: 0, offset: range.start, length };
        let job = Job { request, buffer: None, at: 0, permit: None };
        self.perform(job, deadline).await.1
    }

    /// Waits until a server that failed answers a read again, or is refused for good.
    async fn wait_for_success(&self, deadline: u64) -> Result<(), BlockError> {
        if !self.watch.get().is_some_and(|watch| watch.is_failing()) {
            return Ok(());
        }
        let length = self.geometry.get().alignment as u32;
        let request = Request { flags: 0, command: Command::Read, cookie: 0, offset: 0, length };
        let buffer = Some(Buffer::zeroed(length as usize));
        let (_, probed) = self.perform(Job { request, buffer, at: 0, permit: None }, deadline).await;
        match probed {
            Err(failure) if failure.may_pass() => {
                let error = self.error(failure, Operation::Flush, None);
                Err(BlockError { kind: ErrorKind::Untried, ..error })
            }
            _ => Ok(()),
        }
    }

    /// Moves all of `buffer`, one part after the other.
    async fn transfer(
        &self,
        operation: Operation,
        command: Command,
        offset: u64,
        mut buffer: Buffer,
    ) -> Outcome {
        let range = match self.admit(operation, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let deadline = self.deadline();
        let part_max = self.shared.facts.payload_max.min(PAYLOAD_MAX);
        let part_max = part_max / self.geometry.get().alignment as u32 * self.geometry.get().alignment as u32;
        let mut at = 0;
        while at < buffer.len() {
            let length = (buffer.len() - at).min(part_max as usize);
            let request =
                Request { flags: 0, command, cookie: 0, offset: offset + at as u64, length: length as u32 };
            let job = Job { request, buffer: Some(buffer), at, permit: None };
            let (back, result) = self.perform(job, deadline).await;
            buffer = back.expect("the buffer of a job comes back with it");
            if let Err(failure) = result {
                return (buffer, Err(self.error(failure, operation, Some(range))));
            }
            at += length;
        }
        (buffer, Ok(()))
    }

    async fn write_zero_bytes(&self, range: ByteRange) -> Result<(), BlockError> {
        let mut zeroes = Buffer::zeroed(0);
        for part in parts(range, ZERO_BYTES_MAX) {
            if zeroes.len() as u64 != part.len() {
                zeroes = Buffer::zeroed(part.len() as usize);
            }
            let result;
            (zeroes, result) =
                self.transfer(Operation::WriteZeroes, Command::Write, part.start, zeroes).await;
            result?;
        }
        Ok(())
    }

    /// Returns the extents of `span`, as far as the server reports them; at least one, none empty, all inside and of
    /// whole units.
    async fn extents_of(&self, span: ByteRange) -> Result<Vec<Extent>, BlockError> {
        let answer = self.ask(Command::BlockStatus, 0, span).await;
        let answer = answer.map_err(|failure| self.error(failure, Operation::Read, Some(span)))?;
        let (mut extents, mut at) = (Vec::new(), span.start);
        for (length, flags) in answer.extents {
            let end = (at + u64::from(length)).min(span.end);
            if end == at || !end.is_multiple_of(self.geometry.get().alignment) {
                break;
            }
            extents.push(Extent {
                range: ByteRange::new(at, end),
                allocated: flags & (HOLE | ZERO) != HOLE | ZERO,
            });
            at = end;
        }
        if extents.is_empty() {
            extents.push(Extent { range: span, allocated: true });
        }
        Ok(extents)
    }
}

impl<H: Host> BlockDevice for NbdDevice<H> {
    fn geometry(&self) -> Geometry {
        self.geometry.get()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.transfer(Operation::Read, Command::Read, offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.transfer(Operation::Write, Command::Write, offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.admit(Operation::Flush, 0, 0)?;
        if self.shared.ledger.begin_flush().is_none() {
            return Ok(());
        }
        let deadline = self.deadline();
        self.wait_for_success(deadline).await?;
        let Some(flushing) = self.shared.ledger.begin_flush() else { return Ok(()) };
        if self.offers(SEND_FLUSH) {
            let answer = self.ask_until(deadline, Command::Flush, 0, ByteRange::new(0, 0)).await;
            answer.map_err(|failure| self.error(failure, Operation::Flush, None))?;
        }
        if self.shared.ledger.end_flush(&flushing) {
            return Ok(());
        }
        Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush).because(format!(
            "a connection to {} was lost after it acknowledged changes that were not flushed; they may be gone",
            self.shared.target
        )))
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.admit(Operation::WriteZeroes, range.start, range.len())?;
        if !self.offers(SEND_WRITE_ZEROES) {
            return self.write_zero_bytes(range).await;
        }
        let flags = if unmap == Unmap::Allowed { 0 } else { command_flags::NO_HOLE };
        for part in parts(range, ZEROES_MAX) {
            let answer = self.ask(Command::WriteZeroes, flags, part).await;
            answer.map_err(|failure| self.error(failure, Operation::WriteZeroes, Some(range)))?;
        }
        Ok(())
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.admit(Operation::Discard, range.start, range.len())?;
        let Geometry { unmaps, discards, .. } = self.geometry.get();
        if unmaps {
            let zeroed = self.write_zeroes(range, Unmap::Allowed).await;
            return zeroed.map_err(|error| BlockError { operation: Operation::Discard, ..error });
        }
        if discards {
            for part in parts(range, ZEROES_MAX) {
                let answer = self.ask(Command::Trim, 0, part).await;
                answer.map_err(|failure| self.error(failure, Operation::Discard, Some(range)))?;
            }
        }
        Ok(())
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.admit(Operation::Read, range.start, range.len())?;
        let (mut extents, mut at) = (Vec::new(), range.start);
        while at < range.end {
            if extents.len() >= EXTENTS_MAX {
                extents.push(Extent { range: ByteRange::new(at, range.end), allocated: true });
                break;
            }
            let span = ByteRange::at(at, (range.end - at).min(EXTENTS_SPAN_MAX));
            extents.extend(self.extents_of(span).await?);
            at = extents.last().map_or(range.end, |extent| extent.range.end);
        }
        Ok(extents)
    }

    fn epoch(&self) -> u64 {
        self.shared.ledger.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.shared.has_unanswered()
    }
}

/// Returns `range` in pieces of at most `most` bytes.
fn parts(range: ByteRange, most: u64) -> impl Iterator<Item = ByteRange> {
    let starts = (range.start..range.end).step_by(most as usize);
    starts.map(move |start| ByteRange::new(start, (start + most).min(range.end)))
}
