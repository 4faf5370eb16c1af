//! What each sector of a disk may hold: the judge of a simulation.
//!
//! Every write carries a value that no other write has, so what a read returns names the write that it saw. Of each
//! sector the model knows the values that may be there now, and those that a power cut may leave.
//!
//! - A write that started may be there from then on. Once it completed, only it and writes that overlapped it in time
//!   may be.
//! - A failed write may be there, and may still land whenever the device lets late writes land.
//! - A read may return anything that may have been there at any moment while it ran. If nothing changed the sector
//!   meanwhile, what it returned is what is there: later reads must agree, also after a restart (stability).
//! - After a power cut a sector holds what was there when the last completed flush started, or anything written since.

use std::collections::BTreeMap;

use block::{ByteRange, SECTOR};

/// A value that a sector can hold; zero is a sector of zeroes.
pub type Value = u64;

/// A short list of distinct values. Mostly it is one, which is kept without memory of its own: models copy many lists.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    One(Value),
    Several(Vec<Value>),
}

impl Values {
    const NONE: Self = Self::Several(Vec::new());

    fn as_slice(&self) -> &[Value] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Several(values) => values,
        }
    }

    fn contains(&self, value: Value) -> bool {
        self.as_slice().contains(&value)
    }

    fn add(&mut self, value: Value) {
        if self.contains(value) {
            return;
        }
        match self {
            Self::One(other) => *self = Self::Several(vec![*other, value]),
            Self::Several(values) if values.is_empty() => *self = Self::One(value),
            Self::Several(values) => values.push(value),
        }
    }

    fn retain(&mut self, keeps: impl Fn(Value) -> bool) {
        match self {
            Self::One(value) if keeps(*value) => {}
            Self::One(_) => *self = Self::NONE,
            Self::Several(values) => {
                values.retain(|value| keeps(*value));
                if let [value] = values[..] {
                    *self = Self::One(value);
                }
            }
        }
    }
}

/// A change or a read that has started; ends with one of the model's `end_` calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// The model of one disk.
pub struct Model {
    /// Values that may be there now.
    now: Vec<Values>,
    /// Values that a power cut may leave.
    after_cut: Vec<Values>,
    /// Values of failed or killed writes that may land later.
    late: BTreeMap<usize, Values>,
    changes: BTreeMap<Ticket, Change>,
    reads: BTreeMap<Ticket, Read>,
    flushes: BTreeMap<Ticket, Vec<Values>>,
    next: u64,
}

struct Change {
    sectors: std::ops::Range<usize>,
    value: Value,
    /// Values of other changes of the same disk that ran at some moment while this one did.
    concurrent: Values,
}

struct Read {
    first: usize,
    legal: Vec<Values>,
    /// Sectors that something changed while the read ran.
    disturbed: Vec<bool>,
}

impl Model {
    /// A disk of zeroes.
    pub fn new(size: u64) -> Self {
        let sectors = (size / SECTOR) as usize;
        let zero = vec![Values::One(0); sectors];
        Self {
            now: zero.clone(),
            after_cut: zero,
            late: BTreeMap::new(),
            changes: BTreeMap::new(),
            reads: BTreeMap::new(),
            flushes: BTreeMap::new(),
            next: 0,
        }
    }

    /// The device has held this since before anybody asked for anything.
    pub fn hold(&mut self, range: &ByteRange, value: Value) {
        self.now[sectors(range)].fill(Values::One(value));
        self.after_cut[sectors(range)].fill(Values::One(value));
    }

    /// A change of `range` to `value` is about to be asked for.
    pub fn start_change(&mut self, range: &ByteRange, value: Value) -> Ticket {
        let sectors = sectors(range);
        let mut concurrent = Values::NONE;
        for other in self.changes.values_mut().filter(|other| overlap(&other.sectors, &sectors)) {
            other.concurrent.add(value);
            concurrent.add(other.value);
        }
        self.appear(sectors.clone(), value);
        let ticket = self.ticket();
        self.changes.insert(ticket, Change { sectors, value, concurrent });
        ticket
    }

    /// The change was reported as done.
    pub fn end_change(&mut self, ticket: Ticket) {
        let Change { sectors, value, concurrent } = self.take_change(ticket);
        for sector in sectors {
            self.now[sector].retain(|other| other == value || concurrent.contains(other));
        }
    }

    /// A discard was reported as done: each sector may have kept its value.
    pub fn end_discard(&mut self, ticket: Ticket) {
        self.take_change(ticket);
    }

    /// The change was reported as failed.
    pub fn fail_change(&mut self, ticket: Ticket) {
        let Change { sectors, value, .. } = self.take_change(ticket);
        for sector in sectors {
            self.late.entry(sector).or_insert(Values::NONE).add(value);
        }
    }

    /// Everything that was late lands now; nothing is late afterwards.
    pub fn land_late(&mut self) {
        let late = std::mem::take(&mut self.late);
        for (sector, values) in late {
            for value in values.as_slice() {
                self.appear(sector..sector + 1, *value);
            }
        }
    }

    /// A read of `range` is about to be asked for.
    pub fn start_read(&mut self, range: &ByteRange) -> Ticket {
        let sectors = sectors(range);
        let legal = self.now[sectors.clone()].to_vec();
        let changing = |sector: usize| self.changes.values().any(|change| change.sectors.contains(&sector));
        let disturbed = sectors.clone().map(changing).collect();
        let ticket = self.ticket();
        self.reads.insert(ticket, Read { first: sectors.start, legal, disturbed });
        ticket
    }

    /// The read returned these bytes.
    ///
    /// # Errors
    /// Which sector holds what it must not.
    pub fn end_read(&mut self, ticket: Ticket, bytes: &[u8]) -> Result<(), String> {
        let read = self.reads.remove(&ticket).expect("a read ends once");
        for (at, content) in bytes.chunks_exact(SECTOR as usize).enumerate() {
            let sector = read.first + at;
            let value = value_of(content).map_err(|what| format!("sector {sector}: {what}"))?;
            if !read.legal[at].contains(value) {
                return Err(format!(
                    "sector {sector} holds {value:#x}, legal are {:x?}",
                    read.legal[at].as_slice()
                ));
            }
            if !read.disturbed[at] {
                self.now[sector] = Values::One(value);
            }
        }
        Ok(())
    }

    /// The read failed, or nobody waits for it any more.
    pub fn drop_read(&mut self, ticket: Ticket) {
        self.reads.remove(&ticket);
    }

    /// A flush is about to be asked for.
    pub fn start_flush(&mut self) -> Ticket {
        let ticket = self.ticket();
        self.flushes.insert(ticket, self.now.clone());
        ticket
    }

    /// The flush was reported as done: whatever was there when it started, or came since, is what a cut may leave.
    pub fn end_flush(&mut self, ticket: Ticket) {
        let covered = self.flushes.remove(&ticket).expect("a flush ends once");
        for (left, covered) in self.after_cut.iter_mut().zip(covered) {
            left.retain(|value| covered.contains(value));
        }
    }

    /// The flush failed.
    pub fn fail_flush(&mut self, ticket: Ticket) {
        self.flushes.remove(&ticket);
    }

    /// The process died: changes under way may have happened, may come late, or never.
    pub fn kill(&mut self) {
        let open: Vec<Ticket> = self.changes.keys().copied().collect();
        for ticket in open {
            self.fail_change(ticket);
        }
        self.reads.clear();
        self.flushes.clear();
    }

    /// The power went: nothing comes late any more, and every sector went back to what a cut may leave.
    pub fn power_cut(&mut self) {
        self.kill();
        self.late.clear();
        self.now.clone_from(&self.after_cut);
    }

    /// The device lost what no flush had covered, or a part of it, while everybody lives on.
    pub fn lose_unflushed(&mut self) {
        for sector in 0..self.now.len() {
            for value in self.after_cut[sector].as_slice().to_vec() {
                self.appear(sector..sector + 1, value);
            }
        }
    }

    /// A value may be there from now on.
    fn appear(&mut self, sectors: std::ops::Range<usize>, value: Value) {
        for sector in sectors {
            self.now[sector].add(value);
            self.after_cut[sector].add(value);
            for snapshot in self.flushes.values_mut() {
                snapshot[sector].add(value);
            }
            for read in self.reads.values_mut() {
                if let Some(at) = sector.checked_sub(read.first).filter(|at| *at < read.legal.len()) {
                    read.legal[at].add(value);
                    read.disturbed[at] = true;
                }
            }
        }
    }

    fn take_change(&mut self, ticket: Ticket) -> Change {
        self.changes.remove(&ticket).expect("a change ends once")
    }

    fn ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next)
    }
}

/// Fills bytes with a value, sector by sector; each sector also names its place, so that a misplaced one is noticed.
pub fn fill(range: &ByteRange, value: Value, bytes: &mut [u8]) {
    for (at, sector) in bytes.chunks_exact_mut(SECTOR as usize).enumerate() {
        let place = range.start / SECTOR + at as u64;
        for (word, bytes) in sector.chunks_exact_mut(16).enumerate() {
            bytes[..8].copy_from_slice(&value.to_le_bytes());
            bytes[8..].copy_from_slice(&(place << 8 | word as u64).to_le_bytes());
        }
    }
}

/// The value that a sector holds.
fn value_of(sector: &[u8]) -> Result<Value, String> {
    if sector.iter().all(|byte| *byte == 0) {
        return Ok(0);
    }
    let word = |at: usize| u64::from_le_bytes(sector[at..at + 8].try_into().expect("eight bytes"));
    let (value, place) = (word(0), word(8) >> 8);
    let mut expected = [0; SECTOR as usize];
    fill(&ByteRange::at(place * SECTOR, SECTOR), value, &mut expected);
    if sector == expected {
        Ok(value)
    } else {
        Err(format!("torn or damaged inside, begins with {value:#x}"))
    }
}

fn sectors(range: &ByteRange) -> std::ops::Range<usize> {
    (range.start / SECTOR) as usize..(range.end / SECTOR) as usize
}

fn overlap(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: ByteRange = ByteRange { start: 0, end: 512 };

    fn read(model: &mut Model, value: Value) -> Result<(), String> {
        let ticket = model.start_read(&RANGE);
        end_read(model, ticket, value)
    }

    fn end_read(model: &mut Model, ticket: Ticket, value: Value) -> Result<(), String> {
        let mut bytes = [0; 512];
        if value != 0 {
            fill(&RANGE, value, &mut bytes);
        }
        model.end_read(ticket, &bytes)
    }

    #[test]
    fn a_completed_write_is_all_that_may_be_read() {
        let mut model = Model::new(4096);
        let write = model.start_change(&RANGE, 7);
        let early = model.start_read(&RANGE);
        model.end_change(write);
        assert!(end_read(&mut model, early, 0).is_ok(), "ran while the write ran");
        assert!(read(&mut model, 0).is_err());
        assert!(read(&mut model, 7).is_ok());
    }

    #[test]
    fn concurrent_writes_may_end_either_way_but_reads_must_agree() {
        let mut model = Model::new(4096);
        let (a, b) = (model.start_change(&RANGE, 1), model.start_change(&RANGE, 2));
        model.end_change(a);
        model.end_change(b);
        assert!(read(&mut model, 1).is_ok());
        assert!(read(&mut model, 2).is_err(), "the first read showed the other one");
    }

    #[test]
    fn a_power_cut_goes_back_to_the_last_flush_at_most() {
        let mut model = Model::new(4096);
        let flushed = model.start_change(&RANGE, 1);
        model.end_change(flushed);
        let flush = model.start_flush();
        model.end_flush(flush);
        let later = model.start_change(&RANGE, 2);
        model.end_change(later);
        model.power_cut();
        assert!(read(&mut model, 0).is_err());
        assert!(read(&mut model, 1).is_ok());
        assert!(read(&mut model, 2).is_err(), "collapsed by the read before");
    }

    #[test]
    fn a_device_that_restarts_may_go_back_to_the_last_flush() {
        let mut model = Model::new(4096);
        let write = model.start_change(&RANGE, 1);
        model.end_change(write);
        assert!(read(&mut model, 0).is_err());
        model.lose_unflushed();
        assert!(read(&mut model, 0).is_ok());
        assert!(read(&mut model, 1).is_err(), "the read before has shown what is there");
    }

    #[test]
    fn a_failed_write_may_land_late_once() {
        let mut model = Model::new(4096);
        let failed = model.start_change(&RANGE, 1);
        model.fail_change(failed);
        assert!(read(&mut model, 0).is_ok());
        assert!(read(&mut model, 1).is_err());
        model.land_late();
        assert!(read(&mut model, 1).is_ok());
    }
}
