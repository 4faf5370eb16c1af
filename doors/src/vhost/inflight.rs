//! Record of requests in flight, in memory that outlives this process: the front end keeps it and passes it to the next one.
//!
//! ```text
//!   one queue:  features 8 | version 2 | entries 2 | last batch 2 | used index 2 | entry, entry, ...
//!   entry:      in flight 1 | 5 unused | next 2 | counter 8                       one for each descriptor
//! ```
//! (QEMU, "Vhost-user Protocol", section "Inflight I/O tracking", split virtqueues.) The next process does again what was in flight, in
//! the order of the counters. It cannot go by the used index alone: requests end in another order than they began in.
//!
//! ```text
//!   taken:     counter, then in flight = 1
//!   answered:  1. next, last batch   2. the used ring of the guest   3. in flight = 0   4. used index
//! ```
//! A process that is killed between 2 and 4 leaves a used index that is behind that of the ring: the last batch was answered (here each
//! answer is a batch of its own) and must not be done again. Stores are seen in their order because a dead process makes no more of them.
//! The front end can write anything here, so everything is checked as untrusted input.
//!
//! A region that is made here has entries for the longest possible queue, however long the queues are for which the front end requests it:
//! firmware of a guest may make them longer afterwards, as that of QEMU 10 does with 256 where QEMU had requested 128. The number of
//! entries follows from the number of bytes, which the front end keeps and passes to the next process.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::stat::fstat;
use vm_memory::{AtomicAccess, Bytes, VolatileMemory};

use super::limits::{QUEUE_SIZE_MAX, QUEUES_MAX};
use super::memory::{Mapping, map_file};
use super::stores::may_store;

/// Bytes of the description of a queue, in front of its entries.
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 16;
/// Queues begin at multiples of this, a cache line of the processor.
const QUEUE_ALIGNMENT: usize = 64;
/// Version of the layout above.
const VERSION: u16 = 1;

const VERSION_AT: usize = 8;
const ENTRIES_AT: usize = 10;
const LAST_BATCH_AT: usize = 12;
const USED_INDEX_AT: usize = 14;
const NEXT_IN_ENTRY: usize = 6;
const COUNTER_IN_ENTRY: usize = 8;

/// Device and number of a file: the same in all processes that have it open.
pub(crate) type FileId = (u64, u64);

/// Shape of the region, as the front end sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) bytes: u64,
    pub(crate) offset: u64,
    pub(crate) queues: u16,
    pub(crate) queue_size: u16,
}

/// The region of a connection, all queues. Fit for other threads.
#[derive(Clone)]
pub(crate) struct Inflight {
    mapping: Arc<Mapping>,
    id: FileId,
    queues: u16,
    /// Entries of each queue.
    entries: u16,
}

/// The part of one queue.
#[derive(Clone)]
pub(crate) struct Record {
    inflight: Inflight,
    /// Its start.
    start: usize,
}

impl Inflight {
    /// Creates a region for `queues` queues of any length, with nothing in flight, and its file, which cannot be made shorter. The shape
    /// has queues of `queue_size`, as the front end does.
    pub(crate) fn create(queues: u16, queue_size: u16) -> Result<(Self, Shape, OwnedFd), String> {
        check(queues, queue_size)?;
        let bytes = region_bytes(queues, QUEUE_SIZE_MAX);
        let failed = |error: nix::Error| format!("no memory for what is in flight: {error}");
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let file = memfd_create(c"forebay-inflight", flags).map_err(failed)?;
        nix::unistd::ftruncate(&file, bytes.cast_signed()).map_err(failed)?;
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).map_err(failed)?;
        let ours = file.try_clone().map_err(|error| format!("no file for what is in flight: {error}"))?;
        let shape = Shape { bytes, offset: 0, queues, queue_size };
        Ok((Self::open(ours, shape)?, shape, file))
    }

    /// Returns the region that `file` holds, from this or an earlier process.
    pub(crate) fn open(file: OwnedFd, shape: Shape) -> Result<Self, String> {
        let Shape { bytes, offset, queues, queue_size } = shape;
        check(queues, queue_size)?;
        let needed = region_bytes(queues, queue_size);
        if bytes < needed {
            return Err(format!(
                "{bytes} bytes for what is in flight on {queues} queues, which takes {needed}"
            ));
        }
        // A file that gets shorter would lose the requests in flight, and with them the answers that the guest waits for.
        let seals = fcntl(&file, FcntlArg::F_GET_SEALS).map(SealFlag::from_bits_truncate);
        if !seals.is_ok_and(|seals| seals.contains(SealFlag::F_SEAL_SHRINK)) {
            return Err("a file for what is in flight that is not sealed against shrinking".to_owned());
        }
        let found = fstat(&file)
            .map_err(|error| format!("a file for what is in flight without a number: {error}"))?;
        let id = (found.st_dev, found.st_ino);
        let most = region_bytes(queues, QUEUE_SIZE_MAX);
        let is_of_any_length = bytes >= most;
        // Never as much as the front end claims, which may be without end.
        let mapping = Arc::new(map_file(file, offset, if is_of_any_length { most } else { needed })?);
        let mut inflight = Self { mapping, id, queues, entries: QUEUE_SIZE_MAX };
        // An earlier version made it as long as the front end requested, and others may do so too: there may be room behind it.
        if !is_of_any_length || inflight.has_record_for(queue_size) {
            inflight.entries = queue_size;
        }
        for queue in 0..queues {
            inflight.record(queue.into()).expect("it has so many queues").begin()?;
        }
        Ok(inflight)
    }

    /// Returns the identity of its file.
    pub(crate) fn id(&self) -> FileId {
        self.id
    }

    /// Returns the part of queue `index`. None if it has none.
    pub(crate) fn record(&self, index: usize) -> Option<Record> {
        let start = index * queue_bytes(self.entries);
        (index < self.queues.into()).then(|| Record { inflight: self.clone(), start })
    }

    /// Returns true if the first queue, which begins at the same place whatever its length, has a record of `entries` entries.
    fn has_record_for(&self, entries: u16) -> bool {
        let first = Record { inflight: self.clone(), start: 0 };
        (first.load::<u16>(VERSION_AT), first.load::<u16>(ENTRIES_AT)) == (VERSION, entries)
    }
}

fn check(queues: u16, queue_size: u16) -> Result<(), String> {
    let possible = (1..=QUEUES_MAX).contains(&queues.into()) && (1..=QUEUE_SIZE_MAX).contains(&queue_size);
    if possible {
        Ok(())
    } else {
        Err(format!("{queues} queues of {queue_size} entries to keep what is in flight for"))
    }
}

fn region_bytes(queues: u16, entries: u16) -> u64 {
    u64::from(queues) * queue_bytes(entries) as u64
}

fn queue_bytes(entries: u16) -> usize {
    (HEADER_BYTES + usize::from(entries) * ENTRY_BYTES).next_multiple_of(QUEUE_ALIGNMENT)
}

impl Record {
    /// Returns the number of entries that it has.
    pub(crate) fn entries(&self) -> u16 {
        self.inflight.entries
    }

    /// Makes an empty record of a region that is all zeroes; anything else has to be a record.
    fn begin(&self) -> Result<(), String> {
        let (version, entries): (u16, u16) = (self.load(VERSION_AT), self.load(ENTRIES_AT));
        match version {
            0 => {
                self.store(ENTRIES_AT, self.entries());
                self.store(VERSION_AT, VERSION);
                Ok(())
            }
            VERSION if entries == self.entries() => Ok(()),
            _ => Err(format!("a record of what is in flight in version {version} with {entries} entries")),
        }
    }

    /// Returns the requests in flight, in the order in which they were taken, given the used index of the guest's ring and its entries, of
    /// which the record may have more. From then on the record agrees with the ring.
    ///
    /// # Errors
    /// If the two cannot belong together.
    pub(crate) fn recover(&self, ring_used: u16, ring_entries: u16) -> Result<Vec<u16>, &'static str> {
        let batch = ring_used.wrapping_sub(self.load(USED_INDEX_AT));
        if batch > 0 && (0..ring_entries).any(|head| self.is_in_flight(head)) {
            if batch > ring_entries {
                return Err("a record of what is in flight that is not of this ring; reset the guest");
            }
            let mut head = self.load::<u16>(LAST_BATCH_AT);
            for _ in 0..batch {
                if head >= ring_entries {
                    return Err("a record of what is in flight with an entry that there is not");
                }
                self.store_in(head, 0, 0u8);
                head = self.load_in(head, NEXT_IN_ENTRY);
            }
        }
        self.store(USED_INDEX_AT, ring_used);
        // Each counter is read once: the front end may change it while we sort.
        let in_flight = (0..ring_entries).filter(|head| self.is_in_flight(*head));
        let mut heads: Vec<(u64, u16)> = in_flight.map(|head| (self.counter(head), head)).collect();
        heads.sort_unstable();
        Ok(heads.into_iter().map(|(_, head)| head).collect())
    }

    /// Returns the counter for the request that is taken next: above all that are in flight.
    pub(crate) fn next_counter(&self) -> u64 {
        let in_flight = (0..self.entries()).filter(|head| self.is_in_flight(*head));
        in_flight.map(|head| self.counter(head)).max().map_or(0, |counter| counter.wrapping_add(1))
    }

    /// Records that a request was taken from the ring. Again, if it was recorded before.
    pub(crate) fn take(&self, head: u16, counter: u64) {
        self.store_in(head, COUNTER_IN_ENTRY, counter);
        self.store_in(head, 0, 1u8);
    }

    /// Records that a request is about to go to the used ring.
    pub(crate) fn answer(&self, head: u16) {
        self.store_in(head, NEXT_IN_ENTRY, self.load::<u16>(LAST_BATCH_AT));
        self.store(LAST_BATCH_AT, head);
    }

    /// Records that it is there, and that the ring's used index is `ring_used` now.
    pub(crate) fn answered(&self, head: u16, ring_used: u16) {
        self.store_in(head, 0, 0u8);
        self.store(USED_INDEX_AT, ring_used);
    }

    fn is_in_flight(&self, head: u16) -> bool {
        self.load_in::<u8>(head, 0) == 1
    }

    fn counter(&self, head: u16) -> u64 {
        self.load_in(head, COUNTER_IN_ENTRY)
    }

    fn load_in<T: AtomicAccess>(&self, head: u16, field: usize) -> T {
        self.load(HEADER_BYTES + usize::from(head) * ENTRY_BYTES + field)
    }

    fn store_in<T: AtomicAccess>(&self, head: u16, field: usize, value: T) {
        self.store(HEADER_BYTES + usize::from(head) * ENTRY_BYTES + field, value);
    }

    fn load<T: AtomicAccess>(&self, at: usize) -> T {
        let memory = self.inflight.mapping.as_volatile_slice();
        memory.load(self.start + at, Ordering::Acquire).expect("the mapping has all entries of all queues")
    }

    fn store<T: AtomicAccess>(&self, at: usize, value: T) {
        if !may_store() {
            return;
        }
        let memory = self.inflight.mapping.as_volatile_slice();
        memory
            .store(value, self.start + at, Ordering::Release)
            .expect("the mapping has all entries of all queues");
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use proptest::prelude::*;

    use super::*;
    use crate::vhost::memory::tests::file_of;
    use crate::vhost::stores::tests::{begin_process, end_process, is_killed};

    /// Step of a process when it was killed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Step {
        Noted,
        InTheRing,
        NotInFlight,
        Done,
    }

    /// Answers `head` as far as the step, and moves the ring's index as the ring would.
    fn answer(record: &Record, head: u16, ring_used: &mut u16, until: Step) {
        record.answer(head);
        if until >= Step::InTheRing {
            *ring_used = ring_used.wrapping_add(1);
        }
        if until >= Step::NotInFlight {
            record.store_in(head, 0, 0u8);
        }
        if until == Step::Done {
            record.answered(head, *ring_used);
        }
    }

    #[test]
    fn the_layout_is_the_one_that_is_written_down() {
        let (region, shape, _file) = Inflight::create(2, 128).unwrap();
        assert_eq!(shape, Shape { bytes: 2 * 16_448, offset: 0, queues: 2, queue_size: 128 });
        let record = region.record(1).unwrap();
        record.take(3, 0x0102_0304_0506_0708);
        record.answer(3);
        record.take(4, 9);
        let mut bytes = vec![0; 2 * 16_448];
        region.mapping.as_volatile_slice().read_slice(&mut bytes, 0).unwrap();
        assert_eq!(bytes[16_448 + 8..16_448 + 16], [1, 0, 0, 4, 3, 0, 0, 0]);
        let entry = 16_448 + 16 + 3 * 16;
        assert_eq!(bytes[entry..entry + 16], [1, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert!(region.record(2).is_none());
    }

    #[test]
    fn regions_that_cannot_be_are_refused() {
        let shape = |bytes, queues, queue_size| Shape { bytes, offset: 0, queues, queue_size };
        assert!(Inflight::create(0, 128).is_err() && Inflight::create(1, 0).is_err());
        assert!(Inflight::create(129, 128).is_err() && Inflight::create(1, 1025).is_err());
        let (_, good, file) = Inflight::create(1, 128).unwrap();
        let open = |shape| Inflight::open(file.try_clone().unwrap(), shape);
        assert!(open(good).is_ok());
        assert!(open(shape(good.bytes - 1, 1, 128)).is_err(), "too short");
        assert!(open(shape(good.bytes, 2, 128)).is_err(), "made for other queues");
        assert!(open(Shape { offset: 64, ..good }).is_err(), "past the end of the file");
        assert!(Inflight::open(file_of(4096), shape(4096, 1, 128)).is_err(), "not sealed");
    }

    /// Returns a region with room for queues of 128 entries and `more` bytes more, all zeroes.
    fn of_128(queues: u16, more: u64) -> (OwnedFd, Shape) {
        let file = memfd_create(c"another", MFdFlags::MFD_ALLOW_SEALING).unwrap();
        let bytes = region_bytes(queues, 128) + more;
        nix::unistd::ftruncate(&file, bytes.cast_signed()).unwrap();
        fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK)).unwrap();
        (file, Shape { bytes, offset: 0, queues, queue_size: 128 })
    }

    #[test]
    fn a_region_made_here_is_for_queues_of_any_length_and_one_of_another_maker_for_those_that_it_was_made_for()
     {
        let (region, shape, file) = Inflight::create(3, 128).unwrap();
        region.record(2).unwrap().take(1023, 7);
        let next = Inflight::open(file, shape).unwrap();
        assert_eq!(next.record(2).unwrap().recover(0, 1024).unwrap(), [1023]);
        assert!(next.record(2).unwrap().recover(0, 128).unwrap().is_empty(), "no entry of so short a ring");

        let (file, shape) = of_128(3, 0);
        let ours = Inflight::open(file.try_clone().unwrap(), shape).unwrap();
        assert_eq!(ours.record(2).unwrap().entries(), 128);
        ours.record(2).unwrap().take(127, 7);
        let next = Inflight::open(file, shape).unwrap();
        assert_eq!(next.record(2).unwrap().recover(0, 128).unwrap(), [127], "as of an earlier version");

        // The process that made this one claims room without end behind it.
        let (file, shape) = of_128(1, 1 << 60);
        let header = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 128, 0, 0, 0, 0, 0];
        std::os::unix::fs::FileExt::write_all_at(&std::fs::File::from(file.try_clone().unwrap()), &header, 0)
            .unwrap();
        let theirs = Inflight::open(file, shape).unwrap();
        assert_eq!(theirs.record(0).unwrap().entries(), 128);
        assert_eq!(
            theirs.mapping.as_volatile_slice().len(),
            16_448,
            "and no more of it is mapped than can be used"
        );
    }

    #[test]
    fn a_record_that_makes_no_sense_is_not_believed() {
        let (region, ..) = Inflight::create(1, 4).unwrap();
        let record = region.record(0).unwrap();
        record.take(1, 0);
        assert!(record.recover(5, 4).is_err(), "more answered than there are entries");
        record.store(LAST_BATCH_AT, 4u16);
        assert!(record.recover(1, 4).is_err(), "an entry beyond the last");
        // With nothing in flight the record does not matter: a guest has set its ring up again.
        record.answered(1, 1000);
        assert_eq!(record.recover(0, 4).unwrap(), Vec::<u16>::new());
        assert_eq!(record.recover(0, 4).unwrap(), Vec::<u16>::new());
    }

    #[test]
    fn requests_are_recovered_in_the_order_in_which_they_were_taken_wherever_that_was_cut() {
        for stores in 0.. {
            let (region, shape, file) = Inflight::create(1, 16).unwrap();
            let record = region.record(0).unwrap();
            // Each entry has a counter from before, of another order.
            let heads = [5, 1, 9, 3];
            for (counter, head) in (0..).zip([3, 9, 1, 5]) {
                record.take(head, counter);
                record.answer(head);
                record.answered(head, counter as u16 + 1);
            }
            begin_process(Some(stores), Rc::new(|| {}));
            for (counter, head) in (4..).zip(heads) {
                record.take(head, counter);
            }
            let is_cut = is_killed();
            end_process();
            let next = Inflight::open(file, shape).unwrap().record(0).unwrap();
            let taken = next.recover(4, 16).unwrap();
            assert_eq!(taken, heads[..taken.len()], "after {stores} stores");
            assert_eq!(taken.len() as u64, stores / 2, "counter and mark of each request");
            if !is_cut {
                break;
            }
        }
    }

    #[test]
    fn answers_that_another_maker_gave_together_are_not_done_again_wherever_that_was_cut() {
        // A batch goes to the used ring as a whole, and recovery may be cut as well.
        for (batch, cleared, stores) in (1..=4).flat_map(|batch| {
            (0..=batch).flat_map(move |cleared| (0..6).map(move |stores| (batch, cleared, stores)))
        }) {
            let (region, shape, file) = Inflight::create(1, 16).unwrap();
            let record = region.record(0).unwrap();
            let heads = [7_u16, 2, 11, 4];
            for (counter, head) in (0..).zip(heads.into_iter().chain([0])) {
                record.take(head, counter);
            }
            heads[..batch].iter().for_each(|&head| record.answer(head));
            heads[..cleared].iter().for_each(|&head| record.store_in(head, 0, 0_u8));
            let ring_used = batch as u16;
            let recover = || {
                let next = Inflight::open(file.try_clone().unwrap(), shape).unwrap().record(0).unwrap();
                next.recover(ring_used, 16).unwrap()
            };
            begin_process(Some(stores), Rc::new(|| {}));
            recover();
            end_process();
            let left: Vec<u16> = heads[batch..].iter().copied().chain([0]).collect();
            assert_eq!(recover(), left, "{batch} in a batch, {cleared} cleared, cut after {stores}");
        }
    }

    proptest! {
        #[test]
        fn wherever_a_process_is_killed_the_next_one_does_again_what_was_not_answered(
            start in any::<u16>(),
            steps in proptest::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..200),
            last in prop_oneof![
                Just(None), Just(Some(Step::Noted)), Just(Some(Step::InTheRing)), Just(Some(Step::NotInFlight))
            ],
        ) {
            let (region, shape, file) = Inflight::create(1, 16).unwrap();
            let record = region.record(0).unwrap();
            record.store(USED_INDEX_AT, start);
            let (mut ring_used, mut counter, mut open) = (start, record.next_counter(), Vec::new());
            for (take, which) in steps {
                let free: Vec<u16> = (0..16).filter(|head| !open.contains(head)).collect();
                if open.is_empty() || take && !free.is_empty() {
                    let head = free[which.index(free.len())];
                    record.take(head, counter);
                    counter += 1;
                    open.push(head);
                } else {
                    let head = open.remove(which.index(open.len()));
                    answer(&record, head, &mut ring_used, Step::Done);
                }
            }
            if let (Some(step), false) = (last, open.is_empty()) {
                let head = open[0];
                answer(&record, head, &mut ring_used, step);
                if step >= Step::InTheRing {
                    open.remove(0);
                }
            }
            let next = Inflight::open(file, shape).unwrap().record(0).unwrap();
            prop_assert_eq!(next.recover(ring_used, 16).unwrap(), open.clone());
            prop_assert!(next.next_counter() <= counter);
            // And once more, if that one is killed too.
            prop_assert_eq!(next.recover(ring_used, 16).unwrap(), open);
        }
    }
}
