//! The ring in use: groups written at its head, room given back at its tail, and the directory that says which groups count.
//!
//! ```text
//! write_group:  content, tables ── flush, over the same connection ── directory ── flush ── directory, again ── flush ── it counts
//! release:      the tail moves in memory; settle, or the next group, makes that durable; then the room is free
//! void:         directory without groups, that promises nothing: before anything else changes the backing
//! ```
//! A ring of a consistency set takes groups in another way, which `set.rs` has.
//!
//! One call at a time changes a ring, others wait. A call that is dropped in the middle leaves requests in flight that may land later, so the
//! ring refuses everything afterwards until it is opened again.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use block::sealed::checksum_of;
use block::{BlockDevice, BlockError, Buffer, ErrorKind, Operation, PAGE};
use futures_util::future::{join, join_all};
use thiserror::Error;
use tokio::sync::{Mutex, MutexGuard};

use super::canary::{self, Bug};
use super::directory::{
    COPIES, CutSummary, DIRECTORY_BYTES, DIRECTORY_PAGES, Directory, DirectoryFault, GROUPS_MAX, GroupRecord,
    RingId, RingOwner, SET_GROUPS_MAX, SET_VERSION, SetId, SetRecord,
};
use super::table::{self, Change, Entry};

/// Pages of one request: the ring's storage takes them in one go.
pub(crate) const CHUNK_PAGES: usize = 256;
/// Requests with content that are on their way together. They follow each other on the ring: an array that others use as well has fewer
/// seeks by that, and one behind a network waits for fewer answers.
const CHUNKS_AT_ONCE: usize = 4;
/// The smallest area behind the directory that a ring may have, in pages.
const AREA_PAGES_MIN: u64 = 16;

/// Returns the size in bytes of the smallest ring.
pub fn smallest_bytes() -> u64 {
    (DIRECTORY_PAGES + AREA_PAGES_MIN) * PAGE
}

/// Returns the pages of content that one group of `bytes` has at most, its tables included.
pub fn content_pages_of(bytes: u64) -> u64 {
    table::content_pages_within(bytes / PAGE)
}

/// Reason why a ring could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RingError {
    /// The storage of the ring failed.
    #[error("The storage of the redo ring failed: {0}")]
    Storage(BlockError),
    /// Content of the group could not be had; the ring is as before.
    #[error("The group was abandoned: {0}")]
    Abandoned(BlockError),
    /// The group does not fit until earlier ones are released.
    #[error("The redo ring has no room for {needed_bytes} bytes now")]
    NoRoom {
        /// Bytes of the group.
        needed_bytes: u64,
    },
    /// The group would not fit into an empty ring either.
    #[error(
        "A group of {needed_bytes} bytes does not fit into a redo ring of {ring_bytes}: make the ring larger"
    )]
    TooLarge {
        /// Bytes of the group.
        needed_bytes: u64,
        /// Bytes of the ring.
        ring_bytes: u64,
    },
    /// The storage is too small for a ring.
    #[error(
        "A redo ring needs at least {needed_bytes} bytes, and its storage has {size_bytes}: make it larger"
    )]
    TooSmall {
        /// Bytes of the storage.
        size_bytes: u64,
        /// Bytes of the smallest ring.
        needed_bytes: u64,
    },
    /// There is no ring, but something else or nothing.
    #[error("This is no redo ring: {0}")]
    NotARing(String),
    /// Both copies of the directory are damaged.
    #[error("Both copies of the directory of the redo ring are damaged: what it holds cannot be told")]
    Damaged,
    /// Neither table of a group can be read.
    #[error("Both tables of group {number} of the redo ring are damaged: what it changed cannot be told")]
    GroupDamaged {
        /// Number of the group.
        number: u64,
    },
    /// The ring promises nothing: no group counted since it was made, or since its disk left consistent write-back.
    #[error("The redo ring holds no complete group: its disk was not in consistent write-back")]
    NotConsistent,
    /// A change lies behind the end of the backing.
    #[error(
        "The redo ring has changes up to byte {end}, and the backing ends at {size_bytes}: it is another one"
    )]
    BehindEnd {
        /// End of the change that lies furthest.
        end: u64,
        /// Size of the backing in bytes.
        size_bytes: u64,
    },
    /// The backing failed while groups were applied, which may be repeated; or a group that goes there without a ring.
    #[error("The backing failed: {0}")]
    Backing(BlockError),
    /// A call was dropped in the middle.
    #[error("A call to the redo ring was given up: open it again")]
    GivenUp,
    /// The last group of the ring counts only if the other rings of its set have it, which is not known yet.
    #[error(
        "Whether the last group of the redo ring counts is not known until all disks of its set are there"
    )]
    Unresolved,
    /// Another disk of the consistency set did not take its part of the cut, or is not ready for one.
    #[error("The group waits for disk {disk} of its consistency set")]
    WaitsForDisk {
        /// Number of that disk in the pool.
        disk: u64,
    },
    /// Disks of the consistency set are not attached.
    #[error("The group waits for {missing} disks of its consistency set that are not attached")]
    WaitsForMissing {
        /// Number of these disks.
        missing: u32,
    },
    /// A ring of a set cannot be recovered as one alone.
    #[error("The redo ring belongs to a consistency set: it is recovered with the other rings of the set")]
    OfSet,
    /// The rings are not of one set.
    #[error("The redo ring does not belong to the consistency set of the others")]
    OtherSet,
    /// The ring lacks the cut that the others have.
    #[error("The redo ring was not part of cut {number} of its consistency set, as the others were")]
    NotInCut {
        /// Number of the cut.
        number: u64,
    },
    /// Fewer rings than the set has members.
    #[error("The consistency set has {members} redo rings, and {given} are given")]
    MembersMissing {
        /// Members of the cut that the rings have.
        members: u32,
        /// Rings that are given.
        given: u32,
    },
    /// A recovery brought the backing to another cut than the other rings have.
    #[error("A recovery fixed cut {number} for this redo ring, and the others are of another one")]
    OtherTarget {
        /// Number of the cut.
        number: u64,
    },
}

/// Content of some pages of a group, in the order in which they were asked for.
pub struct GroupContent {
    /// The pages, one behind the other; anything where the page is damaged.
    pub bytes: Buffer,
    /// Places among them whose content flash lost.
    pub damaged: Vec<usize>,
}

/// A group that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSummary {
    /// Number; rises from group to group, with gaps.
    pub number: u64,
    /// Time of the group, in nanoseconds since 1970.
    pub taken_at: u64,
    /// Bytes of the ring that it takes.
    pub bytes: u64,
}

/// A redo ring on a device that belongs to it alone, from the device's start to its end.
pub struct RedoRing<D> {
    device: D,
    pub(super) state: RefCell<RingState>,
    /// Held while a call changes the ring.
    turn: Mutex<()>,
    /// Set while a call changes the ring, and for good if it was dropped.
    is_changing: Cell<bool>,
}

pub(super) struct RingState {
    ring: RingId,
    owner: RingOwner,
    generation: u64,
    pub(super) epoch: u64,
    pub(super) last_number: u64,
    pub(super) last_taken_at: u64,
    pub(super) is_consistent: bool,
    area_pages: u64,
    /// Those that the directory names, and behind them one that it does not name yet.
    pub(super) groups: VecDeque<GroupRecord>,
    /// Groups from the front on that the next directory does not name.
    pub(super) released: usize,
    /// Groups from the back on that the next directory does not name: they never counted.
    pub(super) withdrawn: usize,
    /// Number of the last group that the caller knows to count; of a set, of the last cut that does.
    pub(super) reported: u64,
    /// Time of the last group that counts for certain, while the ring promises anything.
    pub(super) promised_at: Option<u64>,
    /// Members of the last cut that counts.
    pub(super) reported_members: u32,
    /// False if the directory on the device may differ from this, save in what is confirmed.
    pub(super) is_settled: bool,
    /// Number of the confirmed cut on the device.
    settled_reported: u64,
    /// True if the first copy of the directory alone has what the ring was opened with: the second one is written first then, or a power cut
    /// would take what others may rely on already.
    is_second_first: bool,
    pub(super) cuts: CutState,
}

/// State of a ring in its consistency set.
pub(super) struct CutState {
    /// None for a ring alone.
    pub(super) set: Option<SetId>,
    /// Members of the last cut.
    pub(super) members: u32,
    /// True if the ring has the last cut, and it is not known to count.
    pub(super) is_pending: bool,
    /// True if that was so when the ring was opened.
    pub(super) is_unresolved: bool,
    /// True once a recovery chose the confirmed cut.
    pub(super) is_fixed: bool,
}

/// Marks the ring as given up unless the change ends.
pub(crate) struct Changing<'a> {
    is_changing: &'a Cell<bool>,
    _turn: MutexGuard<'a, ()>,
}

impl<D: BlockDevice> RedoRing<D> {
    /// Makes a ring: writes zeroes to all of the device, so that its storage is there, and a directory. Durable when it returns.
    /// Whatever the device held is lost.
    ///
    /// # Errors
    /// If the device is too small, or fails.
    pub async fn create(device: D, ring: RingId, owner: RingOwner) -> Result<Self, RingError> {
        let size_bytes = device.geometry().size;
        let pages = (size_bytes / PAGE).min(DIRECTORY_PAGES + u64::from(u32::MAX));
        if size_bytes < smallest_bytes() {
            return Err(RingError::TooSmall { size_bytes, needed_bytes: smallest_bytes() });
        }
        let mut at = 0;
        while at < pages {
            let count = (pages - at).min(CHUNK_PAGES as u64);
            let zeroes = Buffer::zeroed((count * PAGE) as usize);
            device.write(at * PAGE, zeroes).await.1.map_err(RingError::Storage)?;
            at += count;
        }
        let ring = Self {
            device,
            state: RefCell::new(RingState {
                ring,
                owner,
                generation: 0,
                epoch: 0,
                last_number: 0,
                last_taken_at: 0,
                is_consistent: false,
                area_pages: pages - DIRECTORY_PAGES,
                groups: VecDeque::new(),
                released: 0,
                withdrawn: 0,
                reported: 0,
                promised_at: None,
                reported_members: 1,
                is_settled: false,
                settled_reported: 0,
                is_second_first: false,
                cuts: CutState {
                    set: None,
                    members: 1,
                    is_pending: false,
                    is_unresolved: false,
                    is_fixed: false,
                },
            }),
            turn: Mutex::default(),
            is_changing: Cell::new(false),
        };
        ring.settle().await?;
        Ok(ring)
    }

    /// Opens a ring as its last user left it.
    ///
    /// # Errors
    /// If there is none, of a version that this build knows, with at least one directory that is whole; or the device fails.
    pub async fn open(device: D) -> Result<Self, RingError> {
        let size_bytes = device.geometry().size;
        if size_bytes < smallest_bytes() {
            return Err(RingError::NotARing("it is smaller than any".to_owned()));
        }
        let (mut copies, mut failure) = (Vec::new(), None);
        for at in COPIES {
            let (bytes, result) = device.read(at, Buffer::zeroed(DIRECTORY_BYTES)).await;
            match result {
                Ok(()) => copies.push(Directory::decode(&bytes)),
                // The other copy may be whole.
                Err(error) if is_damage(&error) => {
                    copies.push(Err(DirectoryFault::Damaged));
                    failure = Some(error);
                }
                Err(error) => return Err(RingError::Storage(error)),
            }
        }
        let is_settled = copies[0].is_ok() && copies[0] == copies[1];
        let newest = copies.iter().flatten().max_by_key(|copy| copy.generation);
        let Some(newest) = newest else {
            return Err(failure.map_or_else(|| fault_of(&copies), RingError::Storage));
        };
        if (DIRECTORY_PAGES + u64::from(newest.area_pages)) * PAGE > size_bytes {
            return Err(RingError::NotARing("its storage was made smaller".to_owned()));
        }
        let of_set = newest.set.as_ref();
        let is_pending = of_set.is_some_and(|set| set.is_pending);
        let (reported, promised_at) = match of_set {
            None => (newest.last_number, newest.is_consistent.then_some(newest.last_taken_at)),
            Some(set) => {
                let promises = newest.is_consistent && set.confirmed.number > 0;
                (set.confirmed.number, promises.then_some(set.confirmed.taken_at))
            }
        };
        let state = RingState {
            ring: newest.ring,
            owner: newest.owner,
            generation: newest.generation,
            epoch: newest.epoch,
            last_number: newest.last_number,
            last_taken_at: newest.last_taken_at,
            is_consistent: newest.is_consistent,
            area_pages: u64::from(newest.area_pages),
            groups: newest.groups.iter().copied().collect(),
            released: 0,
            withdrawn: 0,
            reported,
            promised_at,
            reported_members: of_set.map_or(1, |set| set.confirmed.members),
            is_settled,
            settled_reported: reported,
            is_second_first: !is_settled && copies[0].as_ref() == Ok(newest),
            cuts: CutState {
                set: of_set.map(|set| set.set),
                members: of_set.map_or(1, |set| set.members),
                is_pending,
                is_unresolved: is_pending,
                is_fixed: of_set.is_some_and(|set| set.is_fixed),
            },
        };
        Ok(Self { device, state: RefCell::new(state), turn: Mutex::default(), is_changing: Cell::new(false) })
    }

    /// Returns the identity of the ring.
    pub fn id(&self) -> RingId {
        self.state.borrow().ring
    }

    /// Returns the flash that it belongs to.
    pub fn owner(&self) -> RingOwner {
        self.state.borrow().owner
    }

    /// Returns the number of recoveries so far.
    pub fn epoch(&self) -> u64 {
        self.state.borrow().epoch
    }

    /// Returns the time as of which backing and groups together are the disk, durably: that of the last group that counts, in nanoseconds
    /// since 1970. None while the ring promises nothing. Of a ring of a set that was opened, and has nothing but a group of which it is not
    /// known yet whether it counts, the time of that.
    pub fn taken_at(&self) -> Option<u64> {
        let state = self.state.borrow();
        state.promised_at.or((state.is_consistent && state.cuts.is_unresolved).then_some(state.last_taken_at))
    }

    /// Returns the time of the last group that counts for certain, in nanoseconds since 1970; none while there is none.
    pub fn confirmed_at(&self) -> Option<u64> {
        self.state.borrow().promised_at
    }

    /// Returns the groups that are needed, in order.
    pub fn groups(&self) -> Vec<GroupSummary> {
        let state = self.state.borrow();
        let summary = |group: &GroupRecord| GroupSummary {
            number: group.number,
            taken_at: group.taken_at,
            bytes: group.pages() * PAGE,
        };
        state.named().map(summary).collect()
    }

    /// Returns the bytes that groups can take in an empty ring.
    pub fn room_bytes(&self) -> u64 {
        self.state.borrow().area_pages * PAGE
    }

    /// Returns true if a group with so many entries and pages of content fits into an empty ring.
    pub fn fits_when_empty(&self, entries: usize, content_pages: u64) -> bool {
        table::group_pages(entries, content_pages) <= self.state.borrow().area_pages
    }

    /// Returns the bytes that groups take, those included whose room is not free again yet.
    pub fn used_bytes(&self) -> u64 {
        self.state.borrow().groups.iter().map(|group| group.pages() * PAGE).sum()
    }

    /// Writes a group: what changed up to `taken_at` (nanoseconds since 1970) and since the group before. `content` gives the bytes of
    /// pages, in the order of `changes`, [`CHUNK_PAGES`] at a time at most, as they were at that time; they were durable on flash then.
    /// Returns the number of the group, which counts from now on.
    ///
    /// # Errors
    /// `NoRoom` if earlier groups have to be released first, `Abandoned` if content cannot be had: then the ring is as before. `Storage` if
    /// the ring failed or its connection was lost: the group does not count, unless the error came with the directory; then it may.
    pub async fn write_group(
        &self,
        taken_at: u64,
        changes: &[Change],
        content: impl AsyncFnMut(&[u64]) -> Result<GroupContent, BlockError>,
    ) -> Result<u64, RingError> {
        let changing = self.begin().await?;
        self.state.borrow_mut().leave_set();
        let number = self.state.borrow().last_number + 1;
        let written = async {
            self.write_directory_unless_settled().await?;
            let record = self.write_content(number, taken_at, changes, content).await?;
            {
                let mut state = self.state.borrow_mut();
                state.groups.push_back(record);
                state.last_number = number;
                state.last_taken_at = taken_at;
                state.is_consistent = true;
                state.is_settled = false;
            }
            self.write_directory_unless_settled().await?;
            let mut state = self.state.borrow_mut();
            state.reported = number;
            state.promised_at = Some(taken_at);
            state.reported_members = 1;
            Ok(number)
        };
        let result = written.await;
        changing.end();
        result
    }

    /// Writes content and tables of a group, durably, where the directory names nothing. For a change that has begun.
    pub(super) async fn write_content(
        &self,
        number: u64,
        taken_at: u64,
        changes: &[Change],
        mut content: impl AsyncFnMut(&[u64]) -> Result<GroupContent, BlockError>,
    ) -> Result<GroupRecord, RingError> {
        if self.device.has_unanswered() {
            // It might land on what is written now.
            return Err(RingError::Storage(lost_connection()));
        }
        let (mut entries, pages) = entries_of(changes);
        let planned = self.place((number, taken_at), entries.len(), pages.len())?;
        let connection = self.device.epoch();
        let mut slots = entries.iter_mut().filter(|entry| matches!(entry, Entry::Content { .. }));
        let mut at = planned.content_start();
        let mut chunks = pages.chunks(CHUNK_PAGES);
        let mut on_their_way = Vec::new();
        loop {
            // The next pages are read from flash while these are on their way.
            let next = async {
                let mut next = Vec::new();
                for chunk in chunks.by_ref().take(CHUNKS_AT_ONCE) {
                    next.push((chunk, content(chunk).await?));
                }
                Ok(next)
            };
            let (written, next) = join(all_ended(on_their_way), next).await;
            written?;
            let next = next.map_err(RingError::Abandoned)?;
            if next.is_empty() {
                break;
            }
            on_their_way = Vec::new();
            for (chunk, GroupContent { bytes, damaged }) in next {
                assert_eq!(
                    bytes.len() as u64,
                    chunk.len() as u64 * PAGE,
                    "content of all pages of the chunk"
                );
                record_checksums(&bytes, &damaged, slots.by_ref());
                on_their_way.push(self.write(at, bytes));
                at += chunk.len() as u64;
            }
        }
        let ring = self.state.borrow().ring;
        let table = table::encode(ring, planned.number, &entries);
        let record = GroupRecord { table_checksum: checksum_of(&table), ..planned };
        for start in [record.second_table(), u64::from(record.start)] {
            self.write_all(start, &table).await?;
        }
        if !canary::has(Bug::NamedBeforeFlush) {
            self.device.flush().await.map_err(RingError::Storage)?;
        }
        if (self.device.epoch() != connection || self.device.has_unanswered())
            && !canary::has(Bug::OtherConnection)
        {
            return Err(RingError::Storage(lost_connection()));
        }
        Ok(record)
    }

    /// The groups before this number are not needed any more: each of their pages is on the backing, flushed, or in a group from
    /// this number on that counts. Their room is free once [`Self::settle`] or the next group has made that durable. Leaves out a group
    /// whose number was not returned yet.
    pub fn release_before(&self, number: u64) {
        let mut state = self.state.borrow_mut();
        let end = number.min(state.reported + 1);
        let released = state.groups.iter().take_while(|group| group.number < end).count();
        if released > state.released {
            state.released = released;
            state.is_settled = false;
        }
    }

    /// Makes the state of the ring durable, if it is not.
    ///
    /// # Errors
    /// If the ring fails. Then the call may be repeated.
    pub async fn settle(&self) -> Result<(), RingError> {
        let changing = self.begin().await?;
        let result = self.write_directory_unless_settled().await;
        changing.end();
        result
    }

    /// Durably promises nothing from now on, and holds no group: what changes the backing in another way may begin. All groups have to be
    /// on the backing, flushed.
    ///
    /// # Errors
    /// If the ring fails. Then it may promise nothing already.
    pub async fn void(&self) -> Result<(), RingError> {
        self.change_directory(|state| {
            state.void();
            state.cuts.set = None;
            state.cuts.is_fixed = false;
        })
        .await
    }

    /// Records durably that a recovery begins, which keeps the promise: the flash that wrote the ring is out of date from now on, also if
    /// the recovery ends halfway.
    pub(crate) async fn begin_recovery(&self) -> Result<(), RingError> {
        self.change_directory(|state| state.epoch += 1).await
    }

    pub(super) async fn change_directory(
        &self,
        change: impl FnOnce(&mut RingState),
    ) -> Result<(), RingError> {
        let changing = self.begin().await?;
        {
            let mut state = self.state.borrow_mut();
            change(&mut state);
            state.is_settled = false;
        }
        let result = self.write_directory_unless_settled().await;
        changing.end();
        result
    }

    /// Returns the groups that are needed, for a recovery.
    pub(crate) fn records(&self) -> Vec<GroupRecord> {
        let state = self.state.borrow();
        state.named().copied().collect()
    }

    /// Returns the table of a group: of the two the one that is whole.
    pub(crate) async fn table(&self, group: &GroupRecord) -> Result<Vec<Entry>, RingError> {
        let ring = self.state.borrow().ring;
        for start in [u64::from(group.start), group.second_table()] {
            let bytes = Buffer::zeroed((group.table_pages() * PAGE) as usize);
            let (bytes, result) = self.device.read(offset(start), bytes).await;
            let is_read = match result {
                Ok(()) => true,
                Err(error) if is_damage(&error) => false,
                Err(error) => return Err(RingError::Storage(error)),
            };
            if let Some(entries) = table::decode(&bytes, ring, group).filter(|_| is_read) {
                return Ok(entries);
            }
        }
        Err(RingError::GroupDamaged { number: group.number })
    }

    /// Reads content of a group from a slot on.
    pub(crate) async fn content(&self, group: &GroupRecord, slot: u32, pages: u64) -> block::Outcome {
        let start = group.content_start() + u64::from(slot);
        self.device.read(offset(start), Buffer::zeroed((pages * PAGE) as usize)).await
    }

    /// Takes the right to change the ring. The change has to end with [`Changing::end`].
    pub(crate) async fn begin(&self) -> Result<Changing<'_>, RingError> {
        let turn = self.turn.lock().await;
        if self.is_changing.replace(true) {
            return Err(RingError::GivenUp);
        }
        Ok(Changing { is_changing: &self.is_changing, _turn: turn })
    }

    /// Returns a group with room in the ring, without checksum.
    fn place(
        &self,
        (number, taken_at): (u64, u64),
        entries: usize,
        content_pages: usize,
    ) -> Result<GroupRecord, RingError> {
        let state = self.state.borrow();
        let needed = table::group_pages(entries, content_pages as u64);
        if needed > state.area_pages {
            let ring_bytes = state.area_pages * PAGE;
            return Err(RingError::TooLarge { needed_bytes: needed * PAGE, ring_bytes });
        }
        // One that goes on alone may join a set.
        let groups_max = if state.cuts.set.is_some() { SET_GROUPS_MAX } else { GROUPS_MAX };
        let start = state.free_start(needed).filter(|_| state.groups.len() < groups_max);
        let Some(start) = start else { return Err(RingError::NoRoom { needed_bytes: needed * PAGE }) };
        Ok(GroupRecord {
            number,
            taken_at,
            start: start as u32,
            content_pages: content_pages as u32,
            entries: entries as u32,
            table_checksum: 0,
        })
    }

    /// Makes the directory durable, before a replay: a ring alone has all groups count then, also one whose directory failed before. For a
    /// change that has begun.
    pub(crate) async fn settle_groups(&self) -> Result<(), RingError> {
        self.write_directory_unless_settled().await?;
        let mut state = self.state.borrow_mut();
        if state.cuts.set.is_none() {
            state.count_all();
        }
        Ok(())
    }

    /// Releases all groups that count, durably: the backing has them, flushed. For a change that has begun.
    pub(crate) async fn release_all(&self) -> Result<(), RingError> {
        {
            let mut state = self.state.borrow_mut();
            let reported = state.reported;
            state.released = state.groups.iter().take_while(|group| group.number <= reported).count();
            state.is_settled &= state.released == 0;
        }
        self.write_directory_unless_settled().await
    }

    pub(super) async fn write_directory_unless_settled(&self) -> Result<(), RingError> {
        if self.state.borrow().is_settled {
            return Ok(());
        }
        if self.device.has_unanswered() {
            // It might land on what is written next.
            return Err(RingError::Storage(lost_connection()));
        }
        let (bytes, released, withdrawn, reported, is_second_first) = {
            let mut state = self.state.borrow_mut();
            // An attempt that fails may be on the device all the same: no other directory has its generation.
            state.generation += 1;
            let bytes = state.directory().encode();
            (bytes, state.released, state.withdrawn, state.reported, state.is_second_first)
        };
        let connection = self.device.epoch();
        let mut places = COPIES;
        if is_second_first {
            places.reverse();
        }
        for (copy, at) in places.into_iter().enumerate() {
            let (_, written) = self.device.write(at, Buffer::copy_of(&bytes)).await;
            written.map_err(RingError::Storage)?;
            if copy == 1 || !canary::has(Bug::CopiesTogether) {
                self.device.flush().await.map_err(RingError::Storage)?;
            }
            if self.device.epoch() != connection || self.device.has_unanswered() {
                return Err(RingError::Storage(lost_connection()));
            }
        }
        let mut state = self.state.borrow_mut();
        state.groups.drain(..released);
        let left = state.groups.len() - withdrawn;
        state.groups.truncate(left);
        // More may have been released or withdrawn meanwhile.
        state.released -= released;
        state.withdrawn -= withdrawn;
        state.is_settled = state.released == 0 && state.withdrawn == 0;
        state.settled_reported = reported;
        state.is_second_first = false;
        Ok(())
    }

    /// Writes whole pages in large requests.
    async fn write_all(&self, start: u64, bytes: &[u8]) -> Result<(), RingError> {
        let mut at = start;
        for chunk in bytes.chunks(CHUNK_PAGES * PAGE as usize) {
            self.write(at, Buffer::copy_of(chunk)).await?;
            at += chunk.len() as u64 / PAGE;
        }
        Ok(())
    }

    async fn write(&self, page: u64, bytes: Buffer) -> Result<(), RingError> {
        self.device.write(offset(page), bytes).await.1.map_err(RingError::Storage)
    }
}

/// Waits until all have ended, and returns the first error.
async fn all_ended<T: Future<Output = Result<(), RingError>>>(writes: Vec<T>) -> Result<(), RingError> {
    join_all(writes).await.into_iter().collect()
}

/// Records the checksums of pages in their entries, which begin with that of the first page. One that is damaged, by its place, becomes
/// lost.
fn record_checksums<'a>(bytes: &[u8], damaged: &[usize], slots: impl Iterator<Item = &'a mut Entry>) {
    // Pages first: asked first, the entries would lose one behind the last page of each chunk.
    for (place, (bytes, entry)) in bytes.chunks_exact(PAGE as usize).zip(slots).enumerate() {
        if let Entry::Content { page, checksum, .. } = entry {
            if damaged.contains(&place) {
                *entry = Entry::Lost(*page..*page + 1);
            } else {
                *checksum = crc32c::crc32c(bytes);
            }
        }
    }
}

impl RingState {
    /// Returns what the directory is to say.
    fn directory(&self) -> Directory {
        let groups: Vec<GroupRecord> = self.named().copied().collect();
        let set = self.cuts.set.map(|set| SetRecord {
            set,
            members: self.cuts.members,
            confirmed: self.confirmed().unwrap_or(CutSummary { number: 0, taken_at: 0, members: 0 }),
            is_pending: self.cuts.is_pending,
            is_fixed: self.cuts.is_fixed,
        });
        let last_number = match (set, groups.last()) {
            // A cut that was withdrawn, or of which this ring had nothing, is none of its groups.
            (None, Some(last)) => last.number,
            _ => self.last_number,
        };
        Directory {
            ring: self.ring,
            owner: self.owner,
            generation: self.generation,
            epoch: self.epoch,
            last_number,
            last_taken_at: self.last_taken_at,
            is_consistent: self.is_consistent,
            area_pages: self.area_pages as u32,
            set,
            groups,
        }
    }

    /// Returns the groups that the next directory names.
    fn named(&self) -> impl Iterator<Item = &GroupRecord> {
        let count = self.groups.len() - self.released - self.withdrawn;
        self.groups.iter().skip(self.released).take(count)
    }

    /// Returns true if the device may not have what is confirmed.
    pub(super) fn is_unconfirmed_on_device(&self) -> bool {
        self.settled_reported != self.reported
    }

    /// Records that all groups count.
    pub(super) fn count_all(&mut self) {
        self.reported = self.last_number;
        self.promised_at = self.is_consistent.then_some(self.last_taken_at);
    }

    /// Drops all groups and the promise.
    pub(super) fn void(&mut self) {
        self.released = self.groups.len() - self.withdrawn;
        self.is_consistent = false;
        self.promised_at = None;
        self.cuts.is_pending = false;
        self.cuts.is_unresolved = false;
    }

    /// Returns the first of so many free pages in a row, behind the last group or at the start.
    fn free_start(&self, pages: u64) -> Option<u64> {
        let skipped = if canary::has(Bug::ReusedBeforeSaid) { self.released } else { 0 };
        let mut groups = self.groups.iter().skip(skipped);
        let Some(first) = groups.next() else { return Some(0).filter(|_| pages <= self.area_pages) };
        let last = groups.next_back().unwrap_or(first);
        let (tail, end) = (u64::from(first.start), last.end());
        if first.start > last.start {
            return Some(end).filter(|end| end + pages <= tail);
        }
        let behind = Some(end).filter(|end| end + pages <= self.area_pages);
        behind.or(Some(0).filter(|_| pages <= tail))
    }
}

impl Changing<'_> {
    pub(crate) fn end(self) {
        self.is_changing.set(false);
    }
}

/// Returns the entries of changes, and the pages with content in their order.
fn entries_of(changes: &[Change]) -> (Vec<Entry>, Vec<u64>) {
    let (mut entries, mut pages) = (Vec::with_capacity(changes.len()), Vec::new());
    // An entry counts its pages in 32 bits.
    let parts = |range: &std::ops::Range<u64>| {
        let (start, end) = (range.start, range.end);
        (start..end).step_by(u32::MAX as usize).map(move |at| at..end.min(at + u64::from(u32::MAX)))
    };
    for change in changes {
        match change {
            Change::Content(page) => {
                entries.push(Entry::Content { page: *page, slot: pages.len() as u32, checksum: 0 });
                pages.push(*page);
            }
            Change::Zeroes(range, unmap) => {
                entries.extend(parts(range).map(|part| Entry::Zeroes(part, *unmap)));
            }
            Change::Lost(range) => entries.extend(parts(range).map(Entry::Lost)),
        }
    }
    (entries, pages)
}

/// Returns the offset in the device of a page behind the directory.
fn offset(page: u64) -> u64 {
    (DIRECTORY_PAGES + page) * PAGE
}

fn fault_of(copies: &[Result<Directory, DirectoryFault>]) -> RingError {
    let faults: Vec<_> = copies.iter().filter_map(|copy| copy.as_ref().err()).collect();
    for fault in &faults {
        if let DirectoryFault::Version(version) = fault {
            let reason = format!("it has version {version}, and this build of Forebay knows {SET_VERSION}");
            return RingError::NotARing(reason);
        }
    }
    if faults.iter().all(|fault| **fault == DirectoryFault::Foreign) {
        return RingError::NotARing("it holds something else".to_owned());
    }
    RingError::Damaged
}

/// Returns true for the error of a read that other places of the device need not have.
pub(crate) fn is_damage(error: &BlockError) -> bool {
    matches!(error.kind, ErrorKind::Corrupt | ErrorKind::Io)
}

fn lost_connection() -> BlockError {
    BlockError::anywhere(ErrorKind::Io, Operation::Flush).because("the redo ring lost its connection")
}
