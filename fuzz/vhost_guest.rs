//! Memory of the guest of a fuzzed door: its layout, valid requests, and their outcomes.

/// Bytes of the guest; no whole number of pages, so that the bytes behind them are mapped with them.
pub(crate) const MEMORY: usize = 0xfe00;
pub(crate) const PAGE: usize = 4096;
/// Entries of the queue, and the offsets of its parts. The content from the input begins at the descriptors.
pub(crate) const ENTRIES: u16 = 16;
pub(crate) const DESCRIPTORS: usize = 0;
pub(crate) const AVAILABLE: usize = 0x400;
pub(crate) const USED: usize = 0x800;
/// Entries of the record, more than the queue has, and its size in bytes.
pub(crate) const RECORD_ENTRIES: usize = 24;
pub(crate) const RECORD: usize = (RECORD_HEAD + RECORD_ENTRIES * ENTRY).next_multiple_of(64);
const RECORD_HEAD: usize = 16;
const ENTRY: usize = 16;

const NEXT: u16 = 1;
const WRITE: u16 = 2;
const IN: u32 = 0;
const GET_ID: u32 = 8;
const DISCARD: u32 = 11;
const WRITE_ZEROES: u32 = 13;

/// Effects of one input, so that a test can check that there are some.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Requests that were answered.
    pub(crate) answered: u64,
    /// Requests of these whose status reports success.
    pub(crate) done: u64,
    /// Requests of these that were not offered: they were in flight by the record.
    pub(crate) again: u64,
    /// Reads that the disk answered at once.
    pub(crate) at_hand: u64,
    /// Pages that are marked in the log.
    pub(crate) marked: u64,
}

impl Seen {
    /// Derives the effects from the memory `before` and `after`, and from the record. Inexact if the guest has overwritten its own rings.
    pub(crate) fn of(before: &[u8], after: &[u8], record: &[u8]) -> Self {
        let from = word(before, USED + 2);
        let count = word(after, USED + 2).wrapping_sub(from).min(ENTRIES);
        let heads = (0..count).map(|answer| {
            let entry = usize::from(from.wrapping_add(answer) % ENTRIES);
            usize::from(word(after, USED + 4 + 8 * entry) % ENTRIES)
        });
        let heads: Vec<usize> = heads.collect();
        let offered: Vec<u16> =
            (0..usize::from(ENTRIES)).map(|entry| word(before, AVAILABLE + 4 + 2 * entry)).collect();
        let is_again = |head: &&usize| {
            record.get(RECORD_HEAD + **head * ENTRY) == Some(&1) && !offered.contains(&(**head as u16))
        };
        let is_done = |head: &&usize| {
            let status = status_of(before, **head);
            status.is_some_and(|at| before.get(at) != Some(&0) && after.get(at) == Some(&0))
        };
        Self {
            answered: u64::from(count),
            done: heads.iter().filter(is_done).count() as u64,
            again: heads.iter().filter(is_again).count() as u64,
            ..Self::default()
        }
    }

    /// Returns the sum of this and `other`.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            answered: self.answered + other.answered,
            done: self.done + other.done,
            again: self.again + other.again,
            at_hand: self.at_hand + other.at_hand,
            marked: self.marked + other.marked,
        }
    }
}

/// Returns the offset of the status of a request whose chain is not indirect.
fn status_of(memory: &[u8], mut head: usize) -> Option<usize> {
    for _ in 0..ENTRIES {
        let at = DESCRIPTORS + 16 * (head % usize::from(ENTRIES));
        let number = |at: usize| usize::from(word(memory, at)) | usize::from(word(memory, at + 2)) << 16;
        if word(memory, at + 12) & NEXT == 0 {
            return (number(at) + number(at + 8)).checked_sub(1);
        }
        head = word(memory, at + 14).into();
    }
    None
}

/// Returns the word of 16 bits at this offset.
pub(crate) fn word(memory: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([memory[at], memory[at + 1]])
}

/// Memory as a driver would fill it. A request is identified by the first of its three descriptors.
pub(crate) struct Guest {
    memory: Vec<u8>,
    record: Vec<u8>,
    /// Base of the queue, at the front of the input of [`ring`](super::ring).
    base: u16,
    offered: u16,
    in_flight: u16,
    /// Answers in the used ring that are missing in the record.
    unknown: u16,
}

impl Guest {
    /// Creates a queue that begins at this index.
    pub(crate) fn new(base: u16) -> Self {
        let mut memory = vec![0x11; MEMORY];
        memory[..PAGE].fill(0);
        Self { memory, record: vec![0; RECORD], base, offered: 0, in_flight: 0, unknown: 0 }
    }

    /// Creates one with a read, a query of the name, a write, and another read of the same data, whose answers are awaited.
    pub(crate) fn ready() -> Self {
        let mut guest = Self::new(0);
        for (head, kind, sector) in [(0, IN, 0), (3, GET_ID, 0), (6, 1, 9), (9, IN, 9)] {
            guest.put(head, kind, sector, 512);
            guest.offer(head);
        }
        guest
    }

    /// Writes a request, with its header, its status, and so many bytes of data.
    pub(crate) fn put(&mut self, head: u16, kind: u32, sector: u64, length: u32) {
        let (header, data) = (0x1000 + 0x40 * usize::from(head), 0x2000 + 0x800 * usize::from(head));
        self.set(header, &kind.to_le_bytes());
        self.set(header + 4, &[0; 4]);
        self.set(header + 8, &sector.to_le_bytes());
        self.set(header + 16, &[0xff]);
        let (length, flags) = match kind {
            IN | GET_ID => (length, NEXT | WRITE),
            DISCARD | WRITE_ZEROES => {
                self.set(data, &sector.to_le_bytes());
                self.set(data + 8, &[1, 0, 0, 0, 0, 0, 0, 0]);
                (16, NEXT)
            }
            _ => (length, NEXT),
        };
        self.describe(head, header, 16, NEXT);
        self.describe(head + 1, data, length, flags);
        self.describe(head + 2, header + 16, 1, WRITE);
    }

    /// Moves the data of a request to another offset.
    pub(crate) fn put_data_at(&mut self, head: u16, at: u64) {
        self.set(DESCRIPTORS + 16 * usize::from(head + 1), &at.to_le_bytes());
    }

    fn describe(&mut self, entry: u16, at: usize, length: u32, flags: u16) {
        let place = DESCRIPTORS + 16 * usize::from(entry);
        self.set(place, &(at as u64).to_le_bytes());
        self.set(place + 8, &length.to_le_bytes());
        self.set(place + 12, &flags.to_le_bytes());
        self.set(place + 14, &(entry + 1).to_le_bytes());
    }

    /// Offers a request in the available ring.
    pub(crate) fn offer(&mut self, head: u16) {
        let index = self.base.wrapping_add(self.offered);
        self.set(AVAILABLE + 4 + 2 * usize::from(index % ENTRIES), &head.to_le_bytes());
        self.offered += 1;
        self.set(AVAILABLE + 2, &index.wrapping_add(1).to_le_bytes());
    }

    /// Marks a request as taken by an earlier process, and not answered.
    pub(crate) fn leave_in_flight(&mut self, head: u16) {
        let entry = RECORD_HEAD + ENTRY * usize::from(head);
        self.record[entry] = 1;
        self.record[entry + 8..entry + 10].copy_from_slice(&self.in_flight.to_le_bytes());
        self.in_flight += 1;
    }

    /// Removes so many answers from the record, the last of them to the request `head`.
    pub(crate) fn claim_answered(&mut self, count: u16, head: u16) {
        self.unknown = count;
        self.record[12..14].copy_from_slice(&head.to_le_bytes());
    }

    /// Returns everything as an input of [`ring`](super::ring).
    pub(crate) fn into_input(mut self, choices: u8, places: u8) -> Vec<u8> {
        // Requests that an earlier process took are in front of the base, and not answered.
        let used = self.base.wrapping_sub(self.in_flight);
        self.set(USED + 2, &used.to_le_bytes());
        let known = used.wrapping_sub(self.unknown);
        self.record[14..16].copy_from_slice(&known.to_le_bytes());
        if self.offered == 0 {
            self.set(AVAILABLE + 2, &self.base.to_le_bytes());
        }
        let mut input = vec![choices, places];
        input.extend(self.base.to_le_bytes());
        let has_own_record =
            choices & (super::choice::RECORD | super::choice::RECORD_IN_MEMORY) == super::choice::RECORD;
        if has_own_record {
            input.extend(self.record);
        }
        input.extend(self.memory);
        input
    }

    /// Returns the memory alone, with rings that begin at zero.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        self.memory
    }

    fn set(&mut self, at: usize, bytes: &[u8]) {
        self.memory[at..at + bytes.len()].copy_from_slice(bytes);
    }
}
