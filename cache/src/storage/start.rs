//! Starting a pool: recovering its content, and the order in which this start becomes durable.
//!
//! ```text
//!   superblocks, tables, notes are read             (of all devices; the list of the highest epoch counts)
//!   if another opener used the pool since, a device is missing, or notes cannot be read:
//!                                                   table records that nothing is owned ── flush
//!   term and mark rise ── flush                     (rule I1: before anything is appended)
//!   notes are taken over into a new segment         (table, notes, flush)
//! ```
//! Power may go at each step: the next start finds the same or finds that nothing is owned. The content of a disk is
//! loaded when the disk is attached.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use block::{BlockDevice, BlockError, Buffer};

use super::flash::Flash;
use super::membership;
use super::metered::Meters;
use super::note_state::OpenIntents;
use super::notes;
use super::opening::{FIRST_TURNS, read_superblock};
use super::pool::Pool;
use super::reading::{Reader, Unreadable};
use super::shared::{PoolState, RecoveredPool, SharedPool};
use crate::format::batch;
use crate::format::members::{Member, Members};
use crate::format::note::Intent;
use crate::format::superblock::Superblock;
use crate::format::table::{self, TableEntry};
use crate::state::segments::Segments;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{DiskId, MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// Session ids by which an opener of a pool knows whether it was the last to use it.
#[derive(Clone, Debug, Default)]
pub struct SessionIds {
    /// The id of this start: a unique number, recorded durably before the pool is opened.
    pub new: u64,
    /// Ids of earlier starts of this opener. If the pool has another one, another opener used it since, or the record was lost, and none
    /// of its content is trusted.
    pub known: Vec<u64>,
    /// The highest epoch of a list of devices that the witness has recorded. None without a witness: then a pool of which a device is
    /// missing is not trusted at all, because it may have gone on elsewhere without the devices that are given now.
    pub epoch: Option<u32>,
}

/// Outcome for the content of a pool when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolContent {
    /// It is there, to be loaded when disks are attached.
    Kept {
        /// The mark of the start before this one.
        last_mark: u64,
    },
    /// Nothing is trusted, and the reason.
    Dropped(&'static str),
}

/// A pool that was opened.
pub(crate) struct StartedPool<E: Env> {
    pub(crate) pool: Rc<Pool<E>>,
    pub(crate) content: PoolContent,
    pub(crate) ignored: Vec<IgnoredDevice>,
}

/// A device that was named, and is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredDevice {
    /// Its place among the devices that were named.
    pub place: usize,
    /// The reason.
    pub reason: String,
}

/// Opens a pool.
///
/// # Errors
/// `NotAPool` or `HoldsDirty`, without having changed anything, or `Flash`.
pub(crate) async fn start<E: Env>(
    devices: Vec<E::Flash>,
    host: E::Host,
    marks: &SessionIds,
) -> Result<StartedPool<E>, CacheError> {
    let PoolExamination {
        mut superblock,
        turns,
        flash,
        tables,
        newest_term,
        content: found,
        ignored,
        missing,
    } = examine(devices, Some(marks)).await?;
    if let (Err(reason), true) = (&found, superblock.may_be_dirty) {
        return Err(CacheError::HoldsDirty(format!(
            "{reason}. Nothing was changed: name all devices of the pool, or erase it if that data is not wanted"
        )));
    }
    let found_superblock = superblock;
    let last_mark = superblock.mark;
    superblock.turn += 1;
    superblock.term = superblock.term.max(newest_term) + 1;
    superblock.mark = marks.new;
    if !missing.is_empty() {
        // Should it return, it no longer belongs to the pool: its content is outdated.
        superblock.epoch += 1;
        superblock.members = without(&superblock.members, &missing);
    }
    let start = Sequence::first_of(superblock.term);
    let (lives, open_intents, content) = match found {
        Ok((lives, regions)) => (lives, regions, PoolContent::Kept { last_mark }),
        Err(reason) => (Vec::new(), OpenIntents::default(), PoolContent::Dropped(reason)),
    };
    let mut segments = Segments::new(superblock.layout, &superblock.members, start, &lives);
    let dirty: Vec<DiskId> = open_intents.dirty_disks().collect();
    for disk in &dirty {
        segments.set_dirty(*disk, true);
    }
    superblock.may_be_dirty = !dirty.is_empty();
    let table_turn = tables.iter().flatten().flatten().map(|(turn, _)| *turn).max().unwrap_or(0);
    let to_witness = (!missing.is_empty()).then_some(superblock.epoch);
    let meters = flash.meters().clone();
    let shared =
        PoolState::new(RecoveredPool { superblock, table_turn, segments, open_intents, to_witness, meters });
    let pool = Rc::new(Pool::new(flash, host, Arc::new(shared)));
    if let PoolContent::Dropped(_) = content {
        // Before the mark: a crash in between must not make the content look like this one's.
        pool.persist_table().await?;
    } else {
        catch_up(&pool, &found_superblock, &turns, &tables).await;
    }
    pool.write_superblock(&superblock).await?;
    pool.take_over_notes().await?;
    pool.shared.space.begin_to_wait();
    Ok(StartedPool { pool, content, ignored })
}

/// Writes the newest superblock and the newest table to each device that lacks them because the previous process ended too early. Otherwise
/// the next turns would overwrite the newest ones that this device has: should they be torn, and the others be lost, it would have no
/// record of its content. The device's own versions stay beside them.
async fn catch_up<E: Env>(
    pool: &Pool<E>,
    newest: &Superblock,
    turns: &[u64],
    tables: &[[Option<TableSlot>; 2]],
) {
    let Some((table_turn, lives)) = tables.iter().flatten().flatten().max_by_key(|(turn, _)| *turn) else {
        return;
    };
    let flash = pool.flash.borrow().clone();
    for (((member, device), turn), tables) in flash.devices().zip(turns).zip(tables) {
        let mut caught_up = Ok(());
        if tables.iter().flatten().all(|(turn, _)| turn < table_turn) {
            let bytes = table::encode(newest.pool, *table_turn, lives);
            let slot = newest.layout.table_slot(*table_turn);
            caught_up = device.write(slot, Buffer::copy_of(&bytes)).await.1;
        }
        if *turn < newest.turn && caught_up.is_ok() {
            let page = Superblock { own: member.number, ..*newest }.encode();
            caught_up = device.write(newest.slot(), Buffer::copy_of(&page)).await.1;
        }
        if caught_up.is_ok() {
            caught_up = device.flush().await;
        }
        // One that fails at it leaves the pool, as one that fails later.
        drop(pool.judge(member.number, caught_up));
    }
}

/// Takes a place at a pool that another shard opened.
///
/// # Errors
/// `NotAPool` if the devices are not those of that pool, or `Flash`.
pub(crate) async fn join<E: Env>(
    shared: &SharedPool,
    devices: Vec<E::Flash>,
    host: E::Host,
) -> Result<Rc<Pool<E>>, CacheError> {
    let flash = membership::handles(&shared.0.superblock(), devices, shared.0.meters.clone()).await?;
    Ok(Rc::new(Pool::new(flash, host, Arc::clone(&shared.0))))
}

/// Reason why a pool with an unknown mark is not trusted.
pub(crate) const USED_SINCE: &str =
    "Another Forebay used the pool since, or what this one remembers of it is older than the pool";
/// Reason why a pool with a missing device is not trusted.
pub(crate) const INCOMPLETE: &str = "A device of the pool is missing";

/// Content of the devices of a pool, before anything is changed.
pub(crate) struct PoolExamination<F> {
    /// Of the highest epoch, turn and term.
    pub(crate) superblock: Superblock,
    /// The turn of the superblock of each device.
    turns: Vec<u64>,
    /// The devices that belong to the pool and are there.
    pub(crate) flash: Flash<F>,
    /// Both slots of the segment table of each; none for one that is not whole.
    pub(crate) tables: Vec<[Option<TableSlot>; 2]>,
    /// The newest term in the tables.
    newest_term: u32,
    /// Owners, generations and open intents, or the reason why nothing is trusted.
    pub(crate) content: Result<(Vec<TableEntry>, OpenIntents), &'static str>,
    /// Devices that do not belong to it.
    pub(crate) ignored: Vec<IgnoredDevice>,
    /// Devices that belong to it and are not there.
    pub(crate) missing: Vec<MemberNumber>,
}

/// Reason why a pool is not trusted that is older than the record of the witness.
pub(crate) const STALE: &str =
    "The pool continued without the devices that are here, because they had failed or were missing";

/// Reads what a start depends on, and decides whether the content is trusted. Without `marks`, the caller counts as the last one to have
/// used the pool. Changes nothing.
///
/// # Errors
/// `NotAPool`, or `Flash`.
pub(crate) async fn examine<F: BlockDevice>(
    devices: Vec<F>,
    marks: Option<&SessionIds>,
) -> Result<PoolExamination<F>, CacheError> {
    let PoolDevices { superblocks, turns, tables, devices, ignored, missing } = assemble(devices).await?;
    let newest = |superblock: &&Superblock| (superblock.epoch, superblock.turn);
    let superblock = *superblocks.iter().max_by_key(newest).expect("there is one at least");
    let flash = Flash::new(superblock.layout, devices, Meters::default());
    let mut content = found(&flash, &superblock, &missing, &tables).await;
    if marks.is_some_and(|marks| superblocks.iter().any(|one| !marks.known.contains(&one.mark))) {
        content = Err(USED_SINCE);
    }
    let lives = tables.iter().flatten().flatten().flat_map(|(_, lives)| lives).flatten();
    let newest_term = lives.map(|(_, generation, _)| generation.term()).max().unwrap_or(0);
    if superblocks.iter().any(|one| newest_term > one.term) {
        // The table is never ahead of the term: there was a newer superblock, with a mark that is lost.
        content =
            Err("The current copy of the superblock is damaged, or a device is a copy of an earlier time");
    }
    if superblocks.iter().any(|one| one.term == superblock.term && one.mark != superblock.mark) {
        content = Err("The devices of the pool are not of the same time");
    }
    match marks.and_then(|marks| marks.epoch) {
        Some(epoch) if superblock.epoch < epoch && !canary::has(Bug::StaleBelieved) => content = Err(STALE),
        None if !missing.is_empty() => content = Err(INCOMPLETE),
        _ => {}
    }
    let term = superblocks.iter().map(|one| one.term).max().unwrap_or(0);
    let turn = superblocks.iter().map(|one| one.turn).max().unwrap_or(0);
    let may_be_dirty = superblocks.iter().any(|one| one.may_be_dirty);
    let superblock = Superblock { turn, term, may_be_dirty, ..superblock };
    Ok(PoolExamination { superblock, turns, flash, tables, newest_term, content, ignored, missing })
}

/// The devices of one pool.
struct PoolDevices<F> {
    /// Of all devices that the list has, also of those that cannot be used.
    superblocks: Vec<Superblock>,
    /// The turn of the superblock of each device that can be used, and its tables.
    turns: Vec<u64>,
    tables: Vec<[Option<TableSlot>; 2]>,
    devices: Vec<(Member, F)>,
    ignored: Vec<IgnoredDevice>,
    missing: Vec<MemberNumber>,
}

/// Finds out which devices make a pool together: the list with the highest epoch decides.
async fn assemble<F: BlockDevice>(devices: Vec<F>) -> Result<PoolDevices<F>, CacheError> {
    let mut read = Vec::new();
    let mut ignored = Vec::new();
    let mut first_error = None;
    for (place, device) in devices.into_iter().enumerate() {
        match read_superblock(&device).await {
            Ok(superblock) => read.push((place, superblock, device)),
            Err(error) => {
                ignored.push(IgnoredDevice { place, reason: error.to_string() });
                first_error.get_or_insert(error);
            }
        }
    }
    let Some(newest) = read.iter().map(|(_, one, _)| *one).max_by_key(|one| (one.epoch, one.turn)) else {
        let nothing = || CacheError::NotAPool("no device was named".to_owned());
        return Err(first_error.unwrap_or_else(nothing));
    };
    let (mut superblocks, mut devices) = (Vec::new(), Vec::<(Member, F)>::new());
    let (mut turns, mut all_tables) = (Vec::new(), Vec::new());
    for (place, superblock, device) in read {
        let listed = newest.members.get(superblock.own).filter(|_| superblock.pool == newest.pool);
        let twice = |member: &Member| devices.iter().any(|(other, _)| other.number == member.number);
        let reason = match listed {
            Some(member) if !twice(&member) => {
                superblocks.push(superblock);
                match read_tables(&device, &superblock).await {
                    Ok(tables) => {
                        turns.push(superblock.turn);
                        all_tables.push(tables);
                        devices.push((member, device));
                        continue;
                    }
                    Err(error) => {
                        let reason = format!("Its segment table cannot be read: {error}");
                        first_error.get_or_insert(error.into());
                        reason
                    }
                }
            }
            Some(_) => "It is a copy of another device of the pool".to_owned(),
            None if superblock.pool == newest.pool => "It left the pool".to_owned(),
            None => "It belongs to another pool".to_owned(),
        };
        ignored.push(IgnoredDevice { place, reason });
    }
    if devices.is_empty() {
        return Err(first_error.expect("the device with the newest list could not be read"));
    }
    let is_there = |member: &Member| devices.iter().any(|(other, _)| other.number == member.number);
    let missing = newest.members.iter().filter(|member| !is_there(member)).map(|member| member.number);
    let missing = missing.collect();
    Ok(PoolDevices { superblocks, turns, tables: all_tables, devices, ignored, missing })
}

/// A slot of the segment table: its turn and its entries.
pub(crate) type TableSlot = (u64, Vec<TableEntry>);

/// Reads both slots of the segment table of a device; none for one that is not whole.
async fn read_tables<F: BlockDevice>(
    device: &F,
    superblock: &Superblock,
) -> Result<[Option<TableSlot>; 2], BlockError> {
    let layout = superblock.layout;
    let mut tables = [None, None];
    for (slot, table) in (0u64..).zip(&mut tables) {
        let start = layout.table_slot(slot);
        let (first, result) = device.read(start, Buffer::zeroed(PAGE_BYTES)).await;
        result?;
        let Some(length) = table::length(&first, layout.segments_max()) else { continue };
        let (bytes, result) = device.read(start, Buffer::zeroed(length)).await;
        result?;
        *table = table::decode(&bytes, superblock.pool).ok();
    }
    Ok(tables)
}

/// Returns owners, generations and open intents, or the reason why they cannot be determined.
async fn found<F: BlockDevice>(
    flash: &Flash<F>,
    superblock: &Superblock,
    missing: &[MemberNumber],
    tables: &[[Option<TableSlot>; 2]],
) -> Result<(Vec<TableEntry>, OpenIntents), &'static str> {
    let present = without(&superblock.members, missing);
    let layout = superblock.layout;
    let reader = Reader { flash: flash.clone(), layout, pool: superblock.pool };
    let Some((turn, lives)) = tables.iter().flatten().flatten().max_by_key(|(turn, _)| *turn) else {
        return Err("No copy of the segment table is whole");
    };
    if FIRST_TURNS.contains(turn) && !missing.is_empty() {
        // It was added just before the end, and all owned segments are on the others.
        return Err(INCOMPLETE);
    }
    if tables.iter().flatten().any(Option::is_none) && !is_current(&reader, &present, lives).await {
        return Err("The current copy of the segment table is damaged");
    }
    let lost = lost_lives(lives, &present);
    let lost_notes = lost
        .iter()
        .filter(|(owner, _)| *owner == SegmentOwner::Notes)
        .map(|(_, generation)| *generation)
        .max();
    let start = Sequence::first_of(superblock.term);
    let mut segments = Segments::new(layout, &present, start, lives);
    let open_intents = match notes::read_all(&reader, &mut segments).await {
        Ok(open_intents) => open_intents,
        Err(_) if lost_notes.is_some() => return Err(INCOMPLETE),
        Err(Unreadable::Device) => return Err("Notes about what was being written cannot be read"),
        Err(Unreadable::Damaged { .. } | Unreadable::NoSummary) => {
            return Err("Notes about what was being written are damaged");
        }
    };
    // Notes that stand here are complete, and for all that are older.
    let notes = segments.owned_by(SegmentOwner::Notes).first().map(|(_, generation)| *generation);
    let disks: BTreeSet<DiskId> = lost.iter().filter_map(|(owner, _)| owner.disk()).collect();
    if lost_notes > notes || disks.iter().any(|disk| open_intents.has(*disk, Intent::DirtyData)) {
        return Err(INCOMPLETE);
    }
    // A newer version, or a `forget`, may have been in the unreadable part.
    for disk in disks {
        segments.disown(disk);
    }
    Ok((segments.lives().collect(), open_intents))
}

/// Returns owners and generations of segments of which none of the devices has a copy.
fn lost_lives(lives: &[TableEntry], present: &Members) -> BTreeSet<(SegmentOwner, Sequence)> {
    let is_here = |number: SegmentNumber| present.iter().any(|member| member.has(number));
    let owned =
        || (0u32..).map(SegmentNumber).zip(lives).filter_map(|(number, life)| Some((number, (*life)?)));
    let here: BTreeSet<_> = owned()
        .filter(|(number, _)| is_here(*number))
        .map(|(_, (owner, generation, _))| (owner, generation))
        .collect();
    let lives = owned().map(|(_, (owner, generation, _))| (owner, generation));
    lives.filter(|life| life.0 != SegmentOwner::Invalid && !here.contains(life)).collect()
}

fn without(members: &Members, missing: &[MemberNumber]) -> Members {
    missing.iter().fold(*members, |members, missing| members.without(*missing))
}

/// Returns true if the valid copy of the table is the current one, where the other is damaged. Either power went while the other was
/// written, and then nothing relies on it; or it was the current one, and then there are batches that the valid one does not know.
async fn is_current<F: BlockDevice>(reader: &Reader<F>, members: &Members, lives: &[TableEntry]) -> bool {
    let newest = lives.iter().flatten().map(|(_, generation, _)| *generation).max();
    let segments = members.iter().flat_map(|member| member.numbers());
    for segment in segments {
        let Ok(page) = reader.read(reader.layout.segment_start(segment), 1).await else { return false };
        if batch::decode_header(&page, reader.pool).is_ok_and(|(head, _)| Some(head.generation) > newest) {
            return false;
        }
    }
    true
}
