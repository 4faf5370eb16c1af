//! Starting a pool: what it held when it was last used, and the order in which this start becomes durable.
//!
//! ```text
//!   superblock, table, notes are read
//!   if somebody else used the pool since, or notes cannot be read: table says that nothing is owned ── flush
//!   term and mark rise ── flush                     (rule I1: before anything is appended)
//!   notes are taken over into a new segment         (table, notes, flush)
//! ```
//! Power may go at each step: the next start finds the same or finds that nothing is owned. The content of a disk is
//! loaded when the disk is attached.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use block::{BlockDevice, BlockError, Buffer, Host};

use super::notes::{self, Region};
use super::opening::newest_superblock;
use super::pool::Pool;
use super::reading::{Reader, Unreadable};
use super::shared::{Shared, SharedPool};
use crate::bytes::batch;
use crate::bytes::superblock::Superblock;
use crate::bytes::table::{self, TableEntry};
use crate::knowledge::segments::Segments;
use crate::words::error::CacheError;
use crate::words::limits::PAGE_BYTES;
use crate::words::units::{SegmentNumber, Sequence};

/// By what whoever opens a pool knows whether it was the last to use it.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The mark of this start: a number that nobody else draws, remembered durably before the pool is opened.
    pub new: u64,
    /// Marks of earlier starts of whoever opens the pool. If the pool bears another one, somebody else used it since,
    /// or memory of it was lost, and nothing on it is believed.
    pub known: Vec<u64>,
}

/// What became of the content of a pool when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolContent {
    /// It is there, to be loaded when disks are attached.
    Kept {
        /// The mark of the start before this one.
        last_mark: u64,
    },
    /// Nothing is believed, and the reason.
    Dropped(&'static str),
}

/// What a pool holds.
pub(crate) struct Found {
    pub(crate) superblock: Superblock,
    pub(crate) table_turn: u64,
    pub(crate) segments: Segments,
    pub(crate) open_regions: BTreeSet<Region>,
}

/// Opens a pool.
///
/// # Errors
/// `NotAPool`, without having changed anything, or `Flash`.
pub(crate) async fn start<F: BlockDevice, H: Host>(
    flash: F,
    host: H,
    marks: &Marks,
) -> Result<(Rc<Pool<F, H>>, PoolContent), CacheError> {
    let Examined { mut superblock, tables, newest_term, content: found } =
        examine(&flash, Some(&marks.known)).await?;
    let last_mark = superblock.mark;
    superblock.turn += 1;
    superblock.term = superblock.term.max(newest_term) + 1;
    superblock.mark = marks.new;
    let start = Sequence::first_of(superblock.term);
    let (lives, open_regions, content) = match found {
        Ok((lives, regions)) => (lives, regions, PoolContent::Kept { last_mark }),
        Err(reason) => {
            let nothing = vec![None; superblock.layout.segments() as usize];
            (nothing, BTreeSet::new(), PoolContent::Dropped(reason))
        }
    };
    let segments = Segments::new(superblock.layout, start, &lives);
    let table_turn = tables.iter().flatten().map(|(turn, _)| *turn).max().unwrap_or(0);
    let shared = Shared::new(Found { superblock, table_turn, segments, open_regions });
    let pool = Rc::new(Pool::new(flash, host, Arc::new(shared)));
    if let PoolContent::Dropped(_) = content {
        // Before the mark: a crash in between must not make the content look like this one's.
        pool.persist_table().await?;
    }
    pool.write_superblock().await?;
    pool.shared.notes.take_over(&pool).await?;
    Ok((pool, content))
}

/// Takes a place at a pool that another shard opened.
///
/// # Errors
/// `NotAPool` if `flash` is not a handle of the device of that pool, or `Flash`.
pub(crate) async fn join<F: BlockDevice, H: Host>(
    shared: &SharedPool,
    flash: F,
    host: H,
) -> Result<Rc<Pool<F, H>>, CacheError> {
    if read_superblock(&flash).await? != shared.0.superblock {
        return Err(CacheError::NotAPool(
            "the device holds another pool than the one that was opened".to_owned(),
        ));
    }
    Ok(Rc::new(Pool::new(flash, host, Arc::clone(&shared.0))))
}

/// Why a pool is not believed that bears an unknown mark.
pub(crate) const USED_SINCE: &str =
    "Another Forebay used the pool since, or what this one remembers of it is older than the pool";

/// What stands on a device, before anything is changed.
pub(crate) struct Examined {
    pub(crate) superblock: Superblock,
    /// Both slots of the segment table; none for one that is not whole.
    pub(crate) tables: [Option<Table>; 2],
    /// The newest term that the tables know.
    newest_term: u32,
    /// Owners, generations and open regions, or why nothing is believed.
    pub(crate) content: Result<(Vec<TableEntry>, BTreeSet<Region>), &'static str>,
}

/// Reads what a start goes by, and decides whether the content is believed. Without `known` marks, whoever asks counts as
/// the last one to have used the pool. Changes nothing.
///
/// # Errors
/// `NotAPool`, or `Flash`.
pub(crate) async fn examine<F: BlockDevice>(
    flash: &F,
    known: Option<&[u64]>,
) -> Result<Examined, CacheError> {
    let superblock = read_superblock(flash).await?;
    let tables = read_tables(flash, &superblock).await?;
    let mut content = found(flash, superblock, &tables).await;
    if known.is_some_and(|known| !known.contains(&superblock.mark)) {
        content = Err(USED_SINCE);
    }
    let lives = tables.iter().flatten().flat_map(|(_, lives)| lives).flatten();
    let newest_term = lives.map(|life| life.1.term()).max().unwrap_or(0);
    if newest_term > superblock.term {
        // The table is never ahead of the term: there was a newer superblock, with a mark that nobody knows now.
        content = Err("The current copy of the superblock is damaged");
    }
    Ok(Examined { superblock, tables, newest_term, content })
}

/// The superblock of a device that holds a whole pool of this version.
pub(crate) async fn read_superblock<F: BlockDevice>(flash: &F) -> Result<Superblock, CacheError> {
    let (start, result) = flash.read(0, Buffer::zeroed(2 * PAGE_BYTES)).await;
    result?;
    let superblock = newest_superblock(&start).map_err(|error| CacheError::NotAPool(format!("{error:?}")))?;
    if superblock.layout.device_bytes() > flash.geometry().size {
        return Err(CacheError::NotAPool("the device is smaller than the pool on it".to_owned()));
    }
    Ok(superblock)
}

/// A slot of the segment table: its turn and its lines.
pub(crate) type Table = (u64, Vec<TableEntry>);

/// Both slots of the segment table; none for one that is not whole.
async fn read_tables<F: BlockDevice>(
    flash: &F,
    superblock: &Superblock,
) -> Result<[Option<Table>; 2], BlockError> {
    let layout = superblock.layout;
    let mut tables = [None, None];
    for (slot, table) in (0u64..).zip(&mut tables) {
        let (bytes, result) = flash.read(layout.table_slot(slot), Buffer::zeroed(layout.table_bytes())).await;
        result?;
        *table = table::decode(&bytes, superblock.pool, layout.segments()).ok();
    }
    Ok(tables)
}

/// Owners, generations and open regions, or why they cannot be known.
async fn found<F: BlockDevice>(
    flash: &F,
    superblock: Superblock,
    tables: &[Option<Table>; 2],
) -> Result<(Vec<TableEntry>, BTreeSet<Region>), &'static str> {
    let layout = superblock.layout;
    let reader = Reader { flash, layout, pool: superblock.pool };
    let Some((_, lives)) = tables.iter().flatten().max_by_key(|(turn, _)| *turn) else {
        return Err("Neither copy of the segment table is whole");
    };
    if tables.iter().any(Option::is_none) && !is_current(&reader, lives).await {
        return Err("The current copy of the segment table is damaged");
    }
    let mut segments = Segments::new(layout, Sequence::first_of(superblock.term), lives);
    match notes::read_all(&reader, &mut segments).await {
        Ok(open_regions) => Ok((segments.lives().collect(), open_regions)),
        Err(Unreadable::Device) => Err("Notes about what was being written cannot be read"),
        Err(Unreadable::Damaged { .. } | Unreadable::NoSummary) => {
            Err("Notes about what was being written are damaged")
        }
    }
}

/// One copy of the table is not whole. Either power went while it was written, and then nothing relies on it; or it was
/// the current one and is damaged, and then there are batches that the other one does not know.
async fn is_current<F: BlockDevice>(reader: &Reader<'_, F>, lives: &[TableEntry]) -> bool {
    let newest = lives.iter().flatten().map(|(_, generation)| *generation).max();
    for segment in (0..reader.layout.segments()).map(SegmentNumber) {
        let Ok(page) = reader.read(reader.layout.segment_start(segment), 1).await else { return false };
        if batch::decode_header(&page, reader.pool).is_ok_and(|(head, _)| Some(head.generation) > newest) {
            return false;
        }
    }
    true
}
