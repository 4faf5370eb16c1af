//! Rot of flash at any time, only to the extent that a pool promises to detect.

use block::faulty::Faults;
use block::{PAGE, SECTOR};
use cache::format::batch::decode_header;
use cache::format::note::Note;
use cache::types::units::{SegmentOwner, Sequence};

use crate::world::{POOL, World};

/// Pages of a note: its own, and the two headers behind it that prove it.
const NOTE_PAGES: u64 = 3;

/// Makes drawn sectors of the segments of a flash device rot. Of the pages of each note one stays intact: without any, a start assumes that
/// the note was never written, and its content is nowhere else.
pub(crate) fn rot(world: &World, place: usize, sectors: u64) {
    let (flash, area) = (&world.flash[place], world.segments_area(place));
    flash.rot_unless(&area, sectors, |sector| is_last_of_note(flash, sector * SECTOR / PAGE));
}

/// Returns true if a page is the only intact one of its note.
fn is_last_of_note(flash: &Faults, page: u64) -> bool {
    let Some(note) = note_at(flash, page) else { return false };
    let pages = note.first..note.first + NOTE_PAGES;
    !pages.into_iter().any(|other| other != page && note_at(flash, other) == Some(note))
}

/// Place of a batch of notes, as each of its pages has it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct NotePlace {
    generation: Sequence,
    /// Its own page, in pages from the start of the device.
    first: u64,
}

/// Returns the note to which a page belongs. None for the first pages of a segment of notes: a start detects that they are missing.
fn note_at(flash: &Faults, page: u64) -> Option<NotePlace> {
    let mut bytes = [0; PAGE as usize];
    flash.peek(page * PAGE, &mut bytes);
    let (head, entries) = decode_header(&bytes, POOL).ok()?;
    let is_complete = entries.iter().any(|entry| Note::from_entry(entry) == Some(Note::Complete));
    if head.owner != SegmentOwner::Notes || head.durable == 0 || is_complete {
        return None;
    }
    // The proof of a note has the durable position.
    let behind = if entries.is_empty() { head.place + 1 - head.durable } else { 0 };
    Some(NotePlace { generation: head.generation, first: page - u64::from(behind) })
}

#[cfg(test)]
mod tests {
    use block::{ByteRange, Memory};
    use cache::format::batch::{Head, encode_header};
    use cache::format::note::Intent;
    use cache::types::units::{DiskId, SegmentNumber};

    use super::*;

    /// Writes a page of notes to a device, at its place in a segment that begins with the device.
    fn put(flash: &Faults, memory: &Memory, place: u32, durable: u32, notes: &[Note]) {
        let (segment, generation, sequence) = (SegmentNumber(0), Sequence(9), Sequence(10));
        let head = Head { owner: SegmentOwner::Notes, segment, generation, place, sequence, durable };
        let mut page = [0; PAGE as usize];
        let entries: Vec<_> = notes.iter().map(|note| note.to_entry(Sequence(11))).collect();
        encode_header(&mut page, POOL, &head, &entries);
        memory.poke(u64::from(place) * PAGE, &page);
        assert_eq!(note_at(flash, u64::from(place)).is_some(), place > 1);
    }

    const OPEN: Note = Note::Open(DiskId(1), Intent::Region(1));

    #[test]
    fn one_page_of_a_note_stays_whole_whatever_rots() {
        for seed in 0..20 {
            let memory = Memory::new(16 * PAGE);
            let flash = Faults::new(memory.clone(), seed);
            put(&flash, &memory, 0, 0, &[OPEN]);
            put(&flash, &memory, 1, 1, &[Note::Complete]);
            for first in [2, 5] {
                put(&flash, &memory, first, first, &[OPEN]);
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
