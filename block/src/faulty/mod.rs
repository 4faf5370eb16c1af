//! The fault injector: a device in memory with a volatile cache, that is slow, fails, tears, loses and rots on demand.
//!
//! ```text
//!   write ──> in flight ──completes──> volatile (versions per sector) ──flush──> durable (Memory)
//!                │                         │
//!          kill: lands, tears,       power cut: each sector keeps its durable
//!          lands late or never       content or any later version
//! ```
//! [`Faulty`] is the device; [`Faults`] is the handle with which a test makes things happen. The content outlives both
//! the device and the executor: after a kill or a power cut, [`Faults::reopen`] gives the next process's device.
//! Everything random comes from one seed.

mod volatile;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tokio::sync::Notify;

use crate::memory::Memory;
use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Geometry, Host, Operation, Outcome, SECTOR, Unmap,
};
use volatile::Volatile;

/// Duration of a discard, in multiples of that of another request.
const DISCARD_TIMES: u64 = 16;
/// Operations at one moment from which on they are considered endless. Finite work takes some thousands.
const AT_ONCE_MAX: u32 = 1_000_000;

/// A device that follows its [`Faults`].
pub struct Faulty<H> {
    host: H,
    faults: Faults,
    /// Process that this device belongs to; devices of earlier processes are dead.
    life: u64,
}

/// The handle on a [`Faulty`] device and its content. Clones are the same.
#[derive(Clone)]
pub struct Faults {
    state: Rc<FaultyState>,
}

struct FaultyState {
    geometry: Geometry,
    content: RefCell<Content>,
    chance: Cell<u64>,
    life: Cell<u64>,
    delay: Cell<(u64, u64)>,
    rules: RefCell<Vec<Rule>>,
    unreadable: RefCell<Vec<ByteRange>>,
    /// Writes find no room.
    full: Cell<bool>,
    /// Refuses changes behind this offset at once, with this error number of the system.
    refusal: Cell<Option<(u64, i32)>>,
    /// Refuses zeroes at once, with this error number of the system.
    zeroes_refusal: Cell<Option<i32>>,
    hanging: Cell<bool>,
    discards_hang: Cell<bool>,
    released: Notify,
    /// The moment of the last operation, and how many there were at that moment.
    at_once: Cell<(u64, u32)>,
    counts: RefCell<Counts>,
    /// Times that acknowledged writes were lost while a process lived.
    epoch: Cell<u64>,
}

struct Content {
    durable: Memory,
    volatile: Volatile,
    in_flight: Vec<InFlight>,
    late: Vec<InFlight>,
    next: u64,
}

#[derive(Clone)]
struct InFlight {
    number: u64,
    change: PendingChange,
}

#[derive(Clone)]
enum PendingChange {
    Write(u64, Rc<[u8]>),
    Zero(ByteRange),
    /// Zeroes in some of the sectors, which these are.
    Discard(ByteRange, Rc<[bool]>),
}

/// A future fault.
#[derive(Clone, Copy, Debug)]
struct Rule {
    operation: Operation,
    /// Operations of this kind that still succeed; none for a rule of chance.
    after: Option<u64>,
    per_mille: u64,
}

/// Unflushed data that survives a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurvivingWrites {
    /// A random choice for each sector.
    ByChance,
    /// All of it, writes in flight included.
    Everything,
    /// Nothing.
    Nothing,
}

/// Counts of injected faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads started.
    pub reads: u64,
    /// Writes started.
    pub writes: u64,
    /// Flushes started.
    pub flushes: u64,
    /// Operations that were made to fail.
    pub failed: u64,
    /// Sectors that a power cut took back.
    pub sectors_lost: u64,
    /// Writes in flight that landed in part.
    pub torn: u64,
    /// Writes that landed after their process died or after they were reported as failed.
    pub landed_late: u64,
    /// Discards started.
    pub discards: u64,
    /// Discards that were in flight when their process died or the power went.
    pub discards_cut: u64,
    /// Reads and writes that were in flight together with a discard of the same place.
    pub discards_met: u64,
}

impl Faults {
    /// Creates a device over `durable`, whose chance is decided by `seed`.
    pub fn new(durable: Memory, seed: u64) -> Self {
        let geometry = durable.geometry();
        let content = Content {
            durable,
            volatile: Volatile::default(),
            in_flight: Vec::new(),
            late: Vec::new(),
            next: 0,
        };
        let state = FaultyState {
            geometry,
            content: RefCell::new(content),
            chance: Cell::new(seed),
            epoch: Cell::new(0),
            life: Cell::new(0),
            delay: Cell::new((0, 0)),
            rules: RefCell::default(),
            unreadable: RefCell::default(),
            full: Cell::new(false),
            refusal: Cell::new(None),
            zeroes_refusal: Cell::new(None),
            hanging: Cell::new(false),
            discards_hang: Cell::new(false),
            released: Notify::new(),
            at_once: Cell::new((0, 0)),
            counts: RefCell::default(),
        };
        Self { state: Rc::new(state) }
    }

    /// Returns the device as a new process finds it. Devices given out earlier are dead from now on, and their operations in flight are
    /// over.
    pub fn reopen<H: Host>(&self, host: H) -> Faulty<H> {
        let left = std::mem::take(&mut self.state.content.borrow_mut().in_flight);
        if !left.is_empty() {
            for change in left {
                self.settle_unknown(change);
            }
            self.land_late();
        }
        self.state.life.set(self.state.life.get() + 1);
        self.state.hanging.set(false);
        self.state.discards_hang.set(false);
        Faulty { host, faults: self.clone(), life: self.state.life.get() }
    }

    /// Returns one more handle for the process that has opened the device; its others stay alive.
    pub fn handle<H: Host>(&self, host: H) -> Faulty<H> {
        Faulty { host, faults: self.clone(), life: self.state.life.get() }
    }

    /// Makes every operation take between `least` and `most` nanoseconds, drawn evenly; so they complete out of order.
    pub fn delay(&self, least: u64, most: u64) {
        self.state.delay.set((least, most));
    }

    /// Lets `after` operations of a kind succeed, then one fail.
    pub fn fail_after(&self, operation: Operation, after: u64) {
        self.state.rules.borrow_mut().push(Rule { operation, after: Some(after), per_mille: 0 });
    }

    /// Lets operations of a kind fail now and then.
    pub fn fail_often(&self, operation: Operation, per_mille: u64) {
        self.state.rules.borrow_mut().push(Rule { operation, after: None, per_mille });
    }

    /// Refuses at once all changes behind `offset`, with an error number of the system, until [`Self::fail_no_more`].
    pub fn refuse_behind(&self, offset: u64, errno: i32) {
        self.state.refusal.set(Some((offset, errno)));
    }

    /// Refuses at once to write zeroes, with an error number of the system, until [`Self::fail_no_more`].
    pub fn refuse_zeroes(&self, errno: i32) {
        self.state.zeroes_refusal.set(Some(errno));
    }

    /// Takes all rules for failures back, and has everything be readable again.
    pub fn fail_no_more(&self) {
        self.state.rules.borrow_mut().clear();
        self.state.refusal.set(None);
        self.state.zeroes_refusal.set(None);
        self.state.unreadable.borrow_mut().clear();
    }

    /// Writes find no room from now on, in later processes too, and leave some of their sectors; until [`Faults::make_room`].
    pub fn fill_up(&self) {
        self.state.full.set(true);
    }

    /// Writes find room again.
    pub fn make_room(&self) {
        self.state.full.set(false);
    }

    /// Lets no operation complete until [`Faults::release`].
    pub fn hang(&self) {
        self.state.hanging.set(true);
    }

    /// Lets no discard complete until [`Faults::release`]; everything else does.
    pub fn hang_discards(&self) {
        self.state.discards_hang.set(true);
    }

    /// Lets hanging operations go on.
    pub fn release(&self) {
        self.state.hanging.set(false);
        self.state.discards_hang.set(false);
        self.state.released.notify_waiters();
    }

    /// Cuts the power: every sector keeps its durable content or any version that was written after, in flight included; sector by sector,
    /// so that writes tear.
    pub fn power_cut(&self) {
        self.power_cut_keeping(SurvivingWrites::ByChance);
    }

    /// As [`Faults::power_cut`], where nothing or everything is kept that was not durable.
    pub fn power_cut_keeping(&self, kept: SurvivingWrites) {
        let mut content = self.state.content.borrow_mut();
        let in_flight = std::mem::take(&mut content.in_flight);
        self.count_cut(&in_flight);
        for write in in_flight {
            content.apply(&write.change);
        }
        content.late.clear();
        let Content { durable, volatile, .. } = &mut *content;
        let lost = volatile.collapse(durable, |versions| match kept {
            SurvivingWrites::ByChance => self.draw() % (versions + 1),
            SurvivingWrites::Everything => versions,
            SurvivingWrites::Nothing => 0,
        });
        self.state.counts.borrow_mut().sectors_lost += lost;
        self.end_life();
    }

    /// Kills the process while the host lives: completed writes stay; each write in flight lands, tears, lands late (see
    /// [`Faults::land_late`]), or never lands.
    pub fn kill(&self) {
        let in_flight = std::mem::take(&mut self.state.content.borrow_mut().in_flight);
        self.count_cut(&in_flight);
        for write in in_flight {
            self.settle_unknown(write);
        }
        self.end_life();
    }

    /// Ends the process by a power cut, or by a kill after which everything late lands.
    pub fn end_process(&self, is_power_cut: bool) {
        if is_power_cut {
            self.power_cut();
        } else {
            self.kill();
        }
        self.land_late();
    }

    fn count_cut(&self, in_flight: &[InFlight]) {
        let discards = in_flight.iter().filter(|one| one.change.is_discard());
        self.state.counts.borrow_mut().discards_cut += discards.count() as u64;
    }

    /// Records that a request is in flight together with others of the same place, which `meets` selects.
    fn meet(&self, range: &ByteRange, meets: fn(&PendingChange) -> bool) {
        let content = self.state.content.borrow();
        let met = |one: &&InFlight| meets(&one.change) && one.change.range().overlaps(range);
        self.state.counts.borrow_mut().discards_met += content.in_flight.iter().filter(met).count() as u64;
    }

    /// Writes that were still in the kernel land now.
    pub fn land_late(&self) {
        let late = std::mem::take(&mut self.state.content.borrow_mut().late);
        for write in late {
            self.state.content.borrow_mut().apply(&write.change);
            self.state.counts.borrow_mut().landed_late += 1;
        }
    }

    /// Restarts the far end, which loses its volatile data, while this process lives on: the epoch changes.
    pub fn lose_volatile(&self) {
        self.state.epoch.set(self.state.epoch.get() + 1);
        let mut content = self.state.content.borrow_mut();
        let Content { durable, volatile, .. } = &mut *content;
        let lost = volatile.collapse(durable, |versions| self.draw() % (versions + 1));
        self.state.counts.borrow_mut().sectors_lost += lost;
    }

    /// Flips a bit in each of `sectors` sectors drawn from `range`, in the content that reads will find.
    pub fn rot(&self, range: &ByteRange, sectors: u64) {
        self.rot_unless(range, sectors, |_| false);
    }

    /// As [`Faults::rot`], except for drawn sectors that are to be spared, by their numbers.
    pub fn rot_unless(&self, range: &ByteRange, sectors: u64, is_spared: impl Fn(u64) -> bool) {
        for _ in 0..sectors {
            let sector = range.start / SECTOR + self.draw() % (range.len() / SECTOR);
            let bit = self.draw() as usize % (SECTOR as usize * 8);
            if is_spared(sector) {
                continue;
            }
            let mut bytes = [0; SECTOR as usize];
            self.peek(sector * SECTOR, &mut bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
            let mut content = self.state.content.borrow_mut();
            content.volatile.forget(sector);
            content.durable.poke(sector * SECTOR, &bytes);
        }
    }

    /// Reads that touch `range` fail, until something is written there.
    pub fn make_unreadable(&self, range: ByteRange) {
        self.state.unreadable.borrow_mut().push(range);
    }

    fn is_unreadable(&self, range: &ByteRange) -> bool {
        self.state.unreadable.borrow().iter().any(|unreadable| unreadable.overlaps(range))
    }

    /// Reads the present content.
    pub fn peek(&self, offset: u64, bytes: &mut [u8]) {
        let content = self.state.content.borrow();
        content.durable.peek(offset, bytes);
        content.volatile.overlay(offset, bytes);
    }

    /// Returns counts of injected faults.
    pub fn counts(&self) -> Counts {
        *self.state.counts.borrow()
    }

    fn draw(&self) -> u64 {
        crate::executor::next_random(&self.state.chance)
    }

    fn end_life(&self) {
        self.state.life.set(self.state.life.get() + 1);
        self.state.rules.borrow_mut().clear();
    }

    /// Decides about a write whose outcome is unknown. Returns true if it may still land.
    fn settle_unknown(&self, write: InFlight) -> bool {
        let mut content = self.state.content.borrow_mut();
        match self.draw() % 4 {
            0 => content.apply(&write.change),
            1 => {
                content.apply_in_part(&write.change, || self.draw() & 1 == 0);
                self.state.counts.borrow_mut().torn += 1;
            }
            2 => {
                content.late.push(write);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Returns true if the next operation of this kind fails.
    fn fails(&self, operation: Operation) -> bool {
        let mut fails = false;
        self.state.rules.borrow_mut().retain_mut(|rule| {
            if rule.operation != operation {
                return true;
            }
            match &mut rule.after {
                None => fails |= self.draw() % 1000 < rule.per_mille,
                Some(0) => {
                    fails = true;
                    return false;
                }
                Some(left) => *left -= 1,
            }
            true
        });
        self.state.counts.borrow_mut().failed += u64::from(fails);
        fails
    }
}

impl PendingChange {
    fn range(&self) -> ByteRange {
        match self {
            Self::Write(offset, bytes) => ByteRange::at(*offset, bytes.len() as u64),
            Self::Zero(range) | Self::Discard(range, _) => *range,
        }
    }

    fn is_discard(&self) -> bool {
        matches!(self, Self::Discard(..))
    }
}

impl Content {
    fn apply(&mut self, change: &PendingChange) {
        self.apply_in_part(change, || true);
    }

    fn apply_in_part(&mut self, change: &PendingChange, mut lands: impl FnMut() -> bool) {
        let range = change.range();
        let zeroes = [0; SECTOR as usize];
        for (at, sector) in (range.start / SECTOR..range.end / SECTOR).enumerate() {
            let from = at * SECTOR as usize;
            let content = match change {
                PendingChange::Write(_, bytes) => &bytes[from..from + SECTOR as usize],
                PendingChange::Discard(_, zeroed) if !zeroed[at] => continue,
                PendingChange::Zero(_) | PendingChange::Discard(..) => &zeroes,
            };
            if lands() {
                self.volatile.put(sector, content);
            }
        }
    }

    fn start(&mut self, change: PendingChange) -> u64 {
        self.next += 1;
        self.in_flight.push(InFlight { number: self.next, change });
        self.next
    }

    fn take(&mut self, number: u64) -> Option<InFlight> {
        let position = self.in_flight.iter().position(|write| write.number == number)?;
        Some(self.in_flight.swap_remove(position))
    }
}

impl<H: Host> Faulty<H> {
    /// Returns the handle on this device's faults.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Takes the time that the operation takes; fails if the process or the power is gone.
    ///
    /// # Panics
    /// If there is no end of operations at one moment: those that take no time may all be of one task, which nothing else would detect.
    async fn take_time(&self, operation: Operation) -> Result<(), BlockError> {
        let state = &self.faults.state;
        let (moment, now) = (state.at_once.get(), self.host.now());
        let at_once = if moment.0 == now { moment.1 + 1 } else { 0 };
        state.at_once.set((now, at_once));
        assert!(at_once < AT_ONCE_MAX, "without end: operations of a device, all at {now} ns");
        let (least, most) = state.delay.get();
        if most > 0 {
            let once = least + self.faults.draw() % (most - least + 1);
            // Devices take long for operations that nothing waits for.
            let times = if operation == Operation::Discard { DISCARD_TIMES } else { 1 };
            self.host.sleep(once * times).await;
        }
        while state.hanging.get() || operation == Operation::Discard && state.discards_hang.get() {
            let released = state.released.notified();
            released.await;
        }
        self.ensure_alive(operation)
    }

    fn ensure_alive(&self, operation: Operation) -> Result<(), BlockError> {
        if self.faults.state.life.get() == self.life {
            return Ok(());
        }
        Err(BlockError::anywhere(ErrorKind::Gone, operation).because("the power or the process is gone"))
    }

    async fn change(
        &self,
        operation: Operation,
        range: ByteRange,
        change: PendingChange,
    ) -> Result<(), BlockError> {
        self.ensure_alive(operation)?;
        let state = &self.faults.state;
        if change.is_discard() {
            state.counts.borrow_mut().discards += 1;
            self.faults.meet(&range, |_| true);
        } else {
            state.counts.borrow_mut().writes += 1;
            self.faults.meet(&range, PendingChange::is_discard);
        }
        let refusal = state.refusal.get().filter(|(offset, _)| range.end > *offset).map(|(_, errno)| errno);
        let zeroes_refusal = state.zeroes_refusal.get().filter(|_| operation == Operation::WriteZeroes);
        if let Some(errno) = refusal.or(zeroes_refusal) {
            return Err(BlockError::from_errno(errno, operation, Some(range)));
        }
        let fails = self.faults.fails(operation);
        let epoch = state.epoch.get();
        let number = state.content.borrow_mut().start(change);
        self.take_time(operation).await?;
        let Some(write) = state.content.borrow_mut().take(number) else {
            return Err(BlockError::new(ErrorKind::Gone, operation, range));
        };
        if state.full.get() && matches!(operation, Operation::Write | Operation::WriteZeroes) {
            state.content.borrow_mut().apply_in_part(&write.change, || self.faults.draw() & 1 == 0);
            return Err(BlockError::new(ErrorKind::NoSpace, operation, range).because("injected"));
        }
        if fails {
            // A device that answers has finished a request; one that does not may go on with it.
            let answers = if operation == Operation::Discard || state.epoch.get() != epoch {
                // The kernel answers for a discard once the device has; and a connection takes its requests along.
                state.content.borrow_mut().apply_in_part(&write.change, || self.faults.draw() & 1 == 0);
                true
            } else {
                !self.faults.settle_unknown(write)
            };
            let kind = if answers { ErrorKind::Io } else { ErrorKind::Unanswered };
            return Err(BlockError::new(kind, operation, range).because("injected"));
        }
        state.content.borrow_mut().apply(&write.change);
        // Devices put another sector in the place of one that they cannot read.
        state.unreadable.borrow_mut().retain(|unreadable| !unreadable.overlaps(&range));
        Ok(())
    }
}

impl<H: Host> BlockDevice for Faulty<H> {
    fn geometry(&self) -> Geometry {
        self.faults.state.geometry
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let range = match self.geometry().check(Operation::Read, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        self.faults.state.counts.borrow_mut().reads += 1;
        let fails = self.faults.fails(Operation::Read) | self.faults.is_unreadable(&range);
        // The content is taken at one end of the time that the read takes: either is legal, and both happen.
        let early = self.faults.draw() & 1 == 0;
        if early {
            self.faults.peek(range.start, &mut buffer);
        }
        self.faults.meet(&range, PendingChange::is_discard);
        if let Err(error) = self.take_time(Operation::Read).await {
            return (buffer, Err(error));
        }
        if fails {
            buffer.fill(0xee);
            let error = BlockError::new(ErrorKind::Io, Operation::Read, range).because("injected");
            return (buffer, Err(error));
        }
        self.faults.meet(&range, PendingChange::is_discard);
        if !early {
            self.faults.peek(range.start, &mut buffer);
        }
        (buffer, Ok(()))
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.geometry().check(Operation::Write, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let result =
            self.change(Operation::Write, range, PendingChange::Write(offset, Rc::from(&*buffer))).await;
        (buffer, result)
    }

    /// Flushes. After a failed flush, the data that it should have made durable stays readable and volatile for ever: a later flush that
    /// succeeds does not cover it.
    async fn flush(&self) -> Result<(), BlockError> {
        self.ensure_alive(Operation::Flush)?;
        let state = &self.faults.state;
        state.counts.borrow_mut().flushes += 1;
        let fails = self.faults.fails(Operation::Flush);
        let mark = state.content.borrow_mut().volatile.mark();
        self.take_time(Operation::Flush).await?;
        let mut content = state.content.borrow_mut();
        if fails {
            content.volatile.doom(mark);
            return Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush).because("injected"));
        }
        let Content { durable, volatile, .. } = &mut *content;
        volatile.commit(mark, durable);
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, _unmap: Unmap) -> Result<(), BlockError> {
        let range = self.geometry().check(Operation::WriteZeroes, range.start, range.len())?;
        self.change(Operation::WriteZeroes, range, PendingChange::Zero(range)).await
    }

    /// Becomes zero or stays as it was, in units that are drawn for each discard: sectors, pages, or more.
    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.geometry().check(Operation::Discard, range.start, range.len())?;
        let unit = 1 << (self.faults.draw() % 10);
        let mut zeroes = false;
        let is_zeroed = |sector: u64| {
            if sector.is_multiple_of(unit) || sector == range.start / SECTOR {
                zeroes = self.faults.draw() & 1 == 0;
            }
            zeroes
        };
        let zeroed = (range.start / SECTOR..range.end / SECTOR).map(is_zeroed).collect();
        self.change(Operation::Discard, range, PendingChange::Discard(range, zeroed)).await
    }

    fn wants_discards(&self) -> bool {
        true
    }

    fn epoch(&self) -> u64 {
        self.faults.state.epoch.get()
    }

    fn has_unanswered(&self) -> bool {
        !self.faults.state.content.borrow().late.is_empty()
    }
}

#[cfg(test)]
mod tests;
