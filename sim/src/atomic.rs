//! A device with atomic flushes, and its faults: what completed between two flushes becomes durable with the second one as a whole, or not
//! at all. A device that is as of a flush after each end of a process.
//!
//! ```text
//! write ──completes──> current ──flush: a copy, as of its beginning──> durable
//!                         └──abandoned, or the process ends──> as durable
//! ```

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::LocalHost;
use block::faulty::{Faults, Faulty};
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Geometry, Host, Operation, Outcome, SECTOR, Unmap,
};

use crate::rng::Rng;

/// Something that goes wrong once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicFault {
    /// A change fails, and some of it is there.
    Change,
    /// A change is not answered, and lands at any time within a second.
    ChangeUnanswered,
    /// A flush fails, and makes nothing durable.
    FlushBefore,
    /// A flush fails, and all is durable.
    FlushAfter,
    /// A change takes so many nanoseconds longer.
    Hang(u64),
}

/// The device of one process.
pub struct AtomicDevice {
    host: LocalHost,
    faults: AtomicFaults,
    life: u64,
}

/// The handle on an [`AtomicDevice`] and its content. Clones are the same.
#[derive(Clone)]
pub struct AtomicFaults(Rc<AtomicState>);

struct AtomicState {
    geometry: Geometry,
    durable: RefCell<Vec<u8>>,
    current: RefCell<Vec<u8>>,
    rng: RefCell<Rng>,
    delay: Cell<(u64, u64)>,
    fault: Cell<Option<AtomicFault>>,
    life: Cell<u64>,
    /// Changes that may still land.
    late: Cell<u64>,
    /// Flushes that began, and the last one that made something durable.
    flushes: Cell<[u64; 2]>,
    abandoned: Cell<u64>,
}

impl AtomicFaults {
    /// Creates a device of zeroes.
    pub fn new(geometry: Geometry, seed: u64) -> Self {
        let content = || RefCell::new(vec![0; geometry.size as usize]);
        Self(Rc::new(AtomicState {
            geometry: Geometry { atomic_flushes: true, ..geometry },
            durable: content(),
            current: content(),
            rng: RefCell::new(Rng::new(seed)),
            delay: Cell::default(),
            fault: Cell::default(),
            life: Cell::default(),
            late: Cell::default(),
            flushes: Cell::default(),
            abandoned: Cell::default(),
        }))
    }

    /// Returns the device for the next process.
    pub fn reopen(&self, host: LocalHost) -> AtomicDevice {
        AtomicDevice { host, faults: self.clone(), life: self.0.life.get() }
    }

    /// Sets the shortest and the longest duration of requests, in nanoseconds.
    pub fn delay(&self, least: u64, most: u64) {
        self.0.delay.set((least, most));
    }

    /// Has the next request to which it applies meet a fault.
    pub fn inject(&self, fault: AtomicFault) {
        self.0.fault.set(Some(fault));
    }

    /// Withdraws a fault that nothing met yet.
    pub fn heal(&self) {
        self.0.fault.set(None);
    }

    /// Ends the process: what no flush made durable is gone.
    pub fn kill(&self) {
        self.0.life.set(self.0.life.get() + 1);
        self.0.late.set(0);
        self.heal();
        self.drop_current();
    }

    /// Copies durable content.
    pub fn peek(&self, offset: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.durable.borrow()[offset as usize..offset as usize + bytes.len()]);
    }

    /// Returns the number of groups that were abandoned.
    pub fn abandoned(&self) -> u64 {
        self.0.abandoned.get()
    }

    fn drop_current(&self) {
        self.0.current.borrow_mut().copy_from_slice(&self.0.durable.borrow());
    }

    fn below(&self, end: u64) -> u64 {
        self.0.rng.borrow_mut().below(end.max(1))
    }

    fn take(&self, is_meant: impl Fn(AtomicFault) -> bool) -> Option<AtomicFault> {
        let fault = self.0.fault.get().filter(|fault| is_meant(*fault))?;
        self.heal();
        Some(fault)
    }

    fn put(&self, offset: u64, bytes: &[u8]) {
        self.0.current.borrow_mut()[offset as usize..offset as usize + bytes.len()].copy_from_slice(bytes);
    }
}

impl AtomicDevice {
    async fn wait(&self) {
        let (least, most) = self.faults.0.delay.get();
        self.host.sleep(least + self.faults.below(most.saturating_sub(least))).await;
    }

    async fn change(&self, operation: Operation, offset: u64, bytes: &[u8]) -> Result<(), BlockError> {
        let range = self.geometry().check(operation, offset, bytes.len() as u64)?;
        self.wait().await;
        let is_meant = |fault| {
            matches!(fault, AtomicFault::Change | AtomicFault::ChangeUnanswered | AtomicFault::Hang(_))
        };
        match self.faults.take(is_meant) {
            Some(AtomicFault::Change) => {
                let some = self.faults.below(bytes.len() as u64 / SECTOR + 1) * SECTOR;
                self.faults.put(offset, &bytes[..some as usize]);
                return Err(BlockError::new(ErrorKind::Io, operation, range));
            }
            Some(AtomicFault::ChangeUnanswered) => {
                let (faults, host, life) = (self.faults.clone(), self.host.clone(), self.life);
                let (bytes, after) = (bytes.to_vec(), faults.below(1_000_000_000));
                faults.0.late.set(faults.0.late.get() + 1);
                self.host.spawn(async move {
                    host.sleep(after).await;
                    if faults.0.life.get() == life {
                        faults.put(offset, &bytes);
                        faults.0.late.set(faults.0.late.get() - 1);
                    }
                });
                return Err(BlockError::new(ErrorKind::Unanswered, operation, range));
            }
            Some(AtomicFault::Hang(nanos)) => self.host.sleep(nanos).await,
            _ => {}
        }
        self.faults.put(offset, bytes);
        Ok(())
    }
}

impl BlockDevice for AtomicDevice {
    fn geometry(&self) -> Geometry {
        self.faults.0.geometry
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        if let Err(error) = self.geometry().check(Operation::Read, offset, buffer.len() as u64) {
            return (buffer, Err(error));
        }
        self.wait().await;
        let length = buffer.len();
        buffer.copy_from_slice(&self.faults.0.current.borrow()[offset as usize..offset as usize + length]);
        (buffer, Ok(()))
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let result = self.change(Operation::Write, offset, &buffer).await;
        (buffer, result)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        let state = &self.faults.0;
        let [began, _] = state.flushes.get();
        let number = began + 1;
        state.flushes.set([number, state.flushes.get()[1]]);
        let covered = state.current.borrow().clone();
        self.wait().await;
        let error = || Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush));
        if self.faults.take(|fault| fault == AtomicFault::FlushBefore).is_some() {
            return error();
        }
        let [began, last] = state.flushes.get();
        if last < number {
            state.durable.replace(covered);
            state.flushes.set([began, number]);
        }
        // A process may end here: all is durable, and nobody knows.
        self.wait().await;
        if self.faults.take(|fault| fault == AtomicFault::FlushAfter).is_some() { error() } else { Ok(()) }
    }

    async fn write_zeroes(&self, range: ByteRange, _: Unmap) -> Result<(), BlockError> {
        self.change(Operation::WriteZeroes, range.start, &vec![0; range.len() as usize]).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.change(Operation::Discard, range.start, &vec![0; range.len() as usize]).await
    }

    fn has_unanswered(&self) -> bool {
        self.faults.0.late.get() > 0
    }

    fn abandon_group(&self) {
        self.faults.0.abandoned.set(self.faults.0.abandoned.get() + 1);
        self.faults.drop_current();
    }
}

/// A backing of a walk: with a redo ring beside it, or with atomic flushes.
pub enum WalkBacking {
    /// Any part of what no flush covers may be lost.
    Plain(Faulty<LocalHost>),
    /// Its flushes are atomic.
    Atomic(AtomicDevice),
}

/// The handle on a [`WalkBacking`].
pub enum WalkBackingFaults {
    /// That of a plain one.
    Plain(Faults),
    /// That of an atomic one.
    Atomic(AtomicFaults),
}

impl WalkBackingFaults {
    /// Returns the device for the next process.
    pub fn reopen(&self, host: LocalHost) -> WalkBacking {
        match self {
            Self::Plain(faults) => WalkBacking::Plain(faults.reopen(host)),
            Self::Atomic(faults) => WalkBacking::Atomic(faults.reopen(host)),
        }
    }

    /// Sets the shortest and the longest duration of requests, in nanoseconds.
    pub fn delay(&self, least: u64, most: u64) {
        match self {
            Self::Plain(faults) => faults.delay(least, most),
            Self::Atomic(faults) => faults.delay(least, most),
        }
    }

    /// Copies durable content.
    pub fn peek(&self, offset: u64, bytes: &mut [u8]) {
        match self {
            Self::Plain(faults) => faults.peek(offset, bytes),
            Self::Atomic(faults) => faults.peek(offset, bytes),
        }
    }

    /// Loses what no flush covers, while the process goes on: the server of a plain one restarts.
    pub fn lose_volatile(&self) {
        if let Self::Plain(faults) = self {
            faults.lose_volatile();
        }
    }

    /// Ends the process, by a power cut or a kill.
    pub fn end(&self, is_power_cut: bool) {
        match self {
            Self::Plain(faults) if is_power_cut => faults.power_cut(),
            Self::Plain(faults) => faults.kill(),
            Self::Atomic(faults) => faults.kill(),
        }
        if let Self::Plain(faults) = self {
            faults.land_late();
        }
    }

    /// Returns the handle on an atomic one.
    pub fn atomic(&self) -> Option<&AtomicFaults> {
        match self {
            Self::Plain(_) => None,
            Self::Atomic(faults) => Some(faults),
        }
    }
}

impl BlockDevice for WalkBacking {
    fn geometry(&self) -> Geometry {
        match self {
            Self::Plain(device) => device.geometry(),
            Self::Atomic(device) => device.geometry(),
        }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::Plain(device) => device.read(offset, buffer).await,
            Self::Atomic(device) => device.read(offset, buffer).await,
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::Plain(device) => device.write(offset, buffer).await,
            Self::Atomic(device) => device.write(offset, buffer).await,
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        match self {
            Self::Plain(device) => device.flush().await,
            Self::Atomic(device) => device.flush().await,
        }
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        match self {
            Self::Plain(device) => device.write_zeroes(range, unmap).await,
            Self::Atomic(device) => device.write_zeroes(range, unmap).await,
        }
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        match self {
            Self::Plain(device) => device.discard(range).await,
            Self::Atomic(device) => device.discard(range).await,
        }
    }

    fn epoch(&self) -> u64 {
        match self {
            Self::Plain(device) => device.epoch(),
            Self::Atomic(device) => device.epoch(),
        }
    }

    fn has_unanswered(&self) -> bool {
        match self {
            Self::Plain(device) => device.has_unanswered(),
            Self::Atomic(device) => device.has_unanswered(),
        }
    }

    fn abandon_group(&self) {
        match self {
            Self::Plain(device) => device.abandon_group(),
            Self::Atomic(device) => device.abandon_group(),
        }
    }
}
