//! Flash that rots at any time, no further than a pool promises to notice.

use block::faulty::Faults;
use block::{PAGE, SECTOR};
use cache::bytes::batch::decode_header;
use cache::bytes::table::NOTES;
use cache::words::units::Sequence;

use crate::world::{POOL, World};

/// Pages of a note: its own, and two headers behind it that prove it.
const NOTE_PAGES: u64 = 3;

/// Rots drawn sectors of the segments of a flash device. Of the pages of each note one stays whole: without any, a start takes the
/// note for one that never was, and what it says is nowhere else.
pub(crate) fn rot(world: &World, place: usize, sectors: u64) {
    let (flash, area) = (&world.flash[place], world.segments_area(place));
    flash.rot_unless(&area, sectors, |sector| is_last_of_note(flash, sector * SECTOR / PAGE));
}

/// Returns true if a page is the only one of its note that is whole.
fn is_last_of_note(flash: &Faults, page: u64) -> bool {
    let Some(note) = note_at(flash, page) else { return false };
    let pages = note.first..note.first + NOTE_PAGES;
    !pages.into_iter().any(|other| other != page && note_at(flash, other) == Some(note))
}

/// A note about regions, as each of its pages says.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Note {
    generation: Sequence,
    /// Its own page, in pages from the start of the device.
    first: u64,
}

/// Returns the note to which a page belongs. None for the pages with which a segment of notes begins: a start misses those.
fn note_at(flash: &Faults, page: u64) -> Option<Note> {
    let mut bytes = [0; PAGE as usize];
    flash.peek(page * PAGE, &mut bytes);
    let (head, entries) = decode_header(&bytes, POOL).ok()?;
    let is_complete = entries.iter().any(|entry| entry.seeded_checksum == NOTES.0);
    if head.disk != NOTES || head.durable == 0 || is_complete {
        return None;
    }
    // What proves a note says how far it was flushed.
    let behind = if entries.is_empty() { head.place + 1 - head.durable } else { 0 };
    Some(Note { generation: head.generation, first: page - u64::from(behind) })
}

#[cfg(test)]
mod tests {
    use block::{ByteRange, Memory};
    use cache::bytes::batch::{Entry, Head, Kind, encode_header};
    use cache::words::units::{PageNumber, SegmentNumber};

    use super::*;

    /// Puts a page of notes on a device, at its place in a segment that begins with the device.
    fn put(flash: &Faults, memory: &Memory, place: u32, durable: u32, entries: &[Entry]) {
        let (segment, generation, sequence) = (SegmentNumber(0), Sequence(9), Sequence(10));
        let head = Head { disk: NOTES, segment, generation, place, sequence, durable };
        let mut page = [0; PAGE as usize];
        encode_header(&mut page, POOL, &head, entries);
        memory.poke(u64::from(place) * PAGE, &page);
        assert_eq!(note_at(flash, u64::from(place)).is_some(), place > 1);
    }

    fn entry(kind: Kind, disk: u32) -> Entry {
        Entry { page: PageNumber(1), kind, sequence: Sequence(11), seeded_checksum: disk, place: 0 }
    }

    #[test]
    fn one_page_of_a_note_stays_whole_whatever_rots() {
        for seed in 0..20 {
            let memory = Memory::new(16 * PAGE);
            let flash = Faults::new(memory.clone(), seed);
            put(&flash, &memory, 0, 0, &[entry(Kind::Intent, 1)]);
            put(&flash, &memory, 1, 1, &[entry(Kind::Quiet, NOTES.0)]);
            for first in [2, 5] {
                put(&flash, &memory, first, first, &[entry(Kind::Intent, 1)]);
                put(&flash, &memory, first + 1, first + 1, &[]);
                put(&flash, &memory, first + 2, first + 1, &[]);
            }
            let area = ByteRange::new(0, 16 * PAGE);
            flash.rot_unless(&area, 2000, |sector| is_last_of_note(&flash, sector * SECTOR / PAGE));
            let whole: Vec<u64> = (0..16).filter(|page| note_at(&flash, *page).is_some()).collect();
            assert!(matches!(whole[..], [2..=4, 5..=7]), "seed {seed}: {whole:?}");
        }
    }
}
