//! Model of a disk, with the legal content of each sector: the oracle of a simulation.
//!
//! Every write has a unique value, so the bytes of a read identify the writes that it saw. For each sector the model has the values that
//! may be there now, and those that may be there after a power cut.
//!
//! - The value of a write may be there from its start. Once it completed, only its value and those of writes that overlapped it in time may
//!   be.
//! - The value of a failed write may be there, and may still appear whenever the device lets late writes land.
//! - A read may return any value that was legal at some moment while it ran. If nothing changed the sector meanwhile, the returned value is
//!   the content: later reads must agree, also after a restart (stability).
//! - After a power cut a sector has its content at the start of the last completed flush, or anything written since.

use std::collections::BTreeMap;

use block::{ByteRange, SECTOR};

/// Value of a sector; zero is a sector of zeroes.
pub type Value = u64;

/// Short list of distinct values. Mostly it has one, which is stored without an allocation: models copy many lists.
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

/// Change or read that has started; ends with one of the model's `end_` calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// Model of one disk.
pub struct Model {
    /// Values that may be there now.
    now: Vec<Values>,
    /// Values that may be there after a power cut.
    after_cut: Vec<Values>,
    /// Values of failed or killed writes that may still appear.
    late: BTreeMap<usize, Values>,
    changes: BTreeMap<Ticket, Change>,
    reads: BTreeMap<Ticket, Read>,
    flushes: BTreeMap<Ticket, Vec<Values>>,
    next: u64,
}

struct Change {
    sectors: std::ops::Range<usize>,
    value: Value,
    /// Values of other changes of the same disk that overlapped this one in time.
    concurrent: Values,
}

struct Read {
    first: usize,
    legal: Vec<Values>,
    /// Sectors that were changed while the read ran.
    disturbed: Vec<bool>,
}

impl Model {
    /// Creates the model of a disk of zeroes.
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

    /// Records content of the device from before the first request.
    pub fn hold(&mut self, range: &ByteRange, value: Value) {
        self.now[sectors(range)].fill(Values::One(value));
        self.after_cut[sectors(range)].fill(Values::One(value));
    }

    /// Records the start of a change of `range` to `value`.
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

    /// Records the completion of a change.
    pub fn end_change(&mut self, ticket: Ticket) {
        let Change { sectors, value, concurrent } = self.take_change(ticket);
        for sector in sectors {
            self.now[sector].retain(|other| other == value || concurrent.contains(other));
        }
    }

    /// Records the completion of a discard: each sector may have kept its value.
    pub fn end_discard(&mut self, ticket: Ticket) {
        self.take_change(ticket);
    }

    /// Records the failure of a change.
    pub fn fail_change(&mut self, ticket: Ticket) {
        let Change { sectors, value, .. } = self.take_change(ticket);
        for sector in sectors {
            self.late.entry(sector).or_insert(Values::NONE).add(value);
        }
    }

    /// Makes all late values appear; none are late afterwards.
    pub fn land_late(&mut self) {
        let late = std::mem::take(&mut self.late);
        for (sector, values) in late {
            for value in values.as_slice() {
                self.appear(sector..sector + 1, *value);
            }
        }
    }

    /// Records the start of a read of `range`.
    pub fn start_read(&mut self, range: &ByteRange) -> Ticket {
        let sectors = sectors(range);
        let legal = self.now[sectors.clone()].to_vec();
        let changing = |sector: usize| self.changes.values().any(|change| change.sectors.contains(&sector));
        let disturbed = sectors.clone().map(changing).collect();
        let ticket = self.ticket();
        self.reads.insert(ticket, Read { first: sectors.start, legal, disturbed });
        ticket
    }

    /// Checks the bytes that a read returned.
    ///
    /// # Errors
    /// The sector with an illegal value.
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

    /// Records that a read failed, or that its result is not awaited any more.
    pub fn drop_read(&mut self, ticket: Ticket) {
        self.reads.remove(&ticket);
    }

    /// Records the start of a flush.
    pub fn start_flush(&mut self) -> Ticket {
        let ticket = self.ticket();
        self.flushes.insert(ticket, self.now.clone());
        ticket
    }

    /// Records the completion of a flush: after a power cut, a sector has a value from its start or a later one.
    pub fn end_flush(&mut self, ticket: Ticket) {
        let covered = self.flushes.remove(&ticket).expect("a flush ends once");
        for (left, covered) in self.after_cut.iter_mut().zip(covered) {
            left.retain(|value| covered.contains(value));
        }
    }

    /// Records the failure of a flush.
    pub fn fail_flush(&mut self, ticket: Ticket) {
        self.flushes.remove(&ticket);
    }

    /// Records the death of the process: changes in flight may have happened, may appear late, or never.
    pub fn kill(&mut self) {
        let open: Vec<Ticket> = self.changes.keys().copied().collect();
        for ticket in open {
            self.fail_change(ticket);
        }
        self.reads.clear();
        self.flushes.clear();
    }

    /// Records a power cut: nothing appears late any more, and every sector has one of the values that may be there after a power cut.
    pub fn power_cut(&mut self) {
        self.kill();
        self.late.clear();
        self.now.clone_from(&self.after_cut);
    }

    /// Records that the device lost its unflushed data, or a part of it, while the process continues.
    pub fn lose_unflushed(&mut self) {
        for sector in 0..self.now.len() {
            for value in self.after_cut[sector].as_slice().to_vec() {
                self.appear(sector..sector + 1, value);
            }
        }
    }

    /// Adds a value that may be there from now on.
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

/// Fills bytes with a value, sector by sector; each sector also has its own place, so that a misplaced one is noticed.
pub fn fill(range: &ByteRange, value: Value, bytes: &mut [u8]) {
    for (at, sector) in bytes.chunks_exact_mut(SECTOR as usize).enumerate() {
        let place = range.start / SECTOR + at as u64;
        for (word, bytes) in sector.chunks_exact_mut(16).enumerate() {
            bytes[..8].copy_from_slice(&value.to_le_bytes());
            bytes[8..].copy_from_slice(&(place << 8 | word as u64).to_le_bytes());
        }
    }
}

/// Returns the value of a sector.
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
