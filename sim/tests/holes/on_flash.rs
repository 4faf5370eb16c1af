//! Raw content of flash, with which a scenario can check the state before the end, and damage exactly that.

use std::collections::BTreeSet;

use block::PAGE;
use cache::format::batch::{Entry, EntryKind, Head, decode_header};
use cache::format::checksum::page_checksum;
use cache::format::layout::Layout;
use cache::format::note::{Intent, Note};
use cache::format::summary::Content;
use cache::format::table::{self, TableEntry};
use cache::types::units::{DiskId, FlashPage, SegmentNumber, SegmentOwner, Sequence};

use crate::rig::{FLASH_BYTES, POOL, Rig, SHAPE};

/// Version of a page in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) segment: SegmentNumber,
    pub(crate) generation: Sequence,
    /// Offset of the header on the device, in bytes.
    pub(crate) header_at: u64,
    pub(crate) data_at: u64,
    pub(crate) kind: EntryKind,
    /// The first byte of the data.
    pub(crate) byte: u8,
}

pub(crate) fn layout() -> Layout {
    Layout::for_first(FLASH_BYTES, SHAPE).unwrap()
}

/// Returns the offset of a page on the device, in bytes.
pub(crate) fn at(page: FlashPage) -> u64 {
    let place = layout().segment_of(page).0;
    layout().device_offset(place, page)
}

impl Rig {
    fn peek(&self, offset: u64) -> [u8; PAGE as usize] {
        let mut page = [0; PAGE as usize];
        self.flash.peek(offset, &mut page);
        page
    }

    /// Returns the current segment table.
    pub(crate) fn table(&self) -> Vec<TableEntry> {
        let slots = (0..2u64).filter_map(|slot| {
            let mut bytes = vec![0; layout().table_bytes()];
            self.flash.peek(layout().table_slot(slot), &mut bytes);
            let length = table::length(&bytes[..PAGE as usize], layout().segments_max())?;
            table::decode(&bytes[..length], POOL).ok()
        });
        slots.max_by_key(|(turn, _)| *turn).unwrap().1
    }

    /// Returns the segments of an owner, oldest first.
    pub(crate) fn segments_of(&self, owner: impl Into<SegmentOwner>) -> Vec<(SegmentNumber, Sequence)> {
        let owner = owner.into();
        let lives = (0u32..).map(SegmentNumber).zip(self.table());
        let mut owned: Vec<_> = lives
            .filter_map(|(segment, life)| Some((segment, life.filter(|life| life.0 == owner)?.1)))
            .collect();
        owned.sort_by_key(|(_, generation)| *generation);
        owned
    }

    /// Returns the headers of a segment's present generation from the front, with their offsets on the device, in bytes.
    pub(crate) fn batches(&self, life: (SegmentNumber, Sequence)) -> Vec<(u64, Head, Vec<Entry>)> {
        let start = layout().segment_start(life.0);
        let mut found = Vec::new();
        let mut place = 0;
        while place < layout().batch_pages() {
            let at = at(start.plus(place));
            let Ok((head, entries)) = decode_header(&self.peek(at), POOL) else { break };
            if head.generation != life.1 || head.place != place {
                break;
            }
            place += 1 + entries.iter().filter(|entry| entry.kind.has_data()).count() as u32;
            found.push((at, head, entries));
        }
        found
    }

    /// Returns every version of a page in the log of the disk, oldest first, including range tombstones.
    pub(crate) fn versions(&self, page: u64) -> Vec<Version> {
        let mut versions = Vec::new();
        for life in self.segments_of(DiskId(1)) {
            for (header_at, _, entries) in self.batches(life) {
                for entry in entries {
                    let data_at = at(layout().segment_start(life.0).plus(entry.place));
                    let data = self.peek(data_at);
                    let is_about = match entry.kind {
                        EntryKind::Forget => page
                            .checked_sub(entry.page.0)
                            .filter(|at| *at < u64::from(layout().region_pages()))
                            .is_some_and(|at| data[(at / 8) as usize] >> (at % 8) & 1 == 1),
                        // The number of pages, in place of data.
                        kind if kind.is_range() => {
                            (entry.page.0..entry.page.0 + u64::from(entry.seeded_checksum)).contains(&page)
                        }
                        _ => entry.page.0 == page,
                    };
                    if is_about {
                        let (segment, generation) = life;
                        versions.push(Version {
                            segment,
                            generation,
                            header_at,
                            data_at,
                            kind: entry.kind,
                            byte: data[0],
                        });
                    }
                }
            }
        }
        versions
    }

    /// Returns the newest version of a page in the log; none if the log has `forget` or nothing.
    pub(crate) fn newest(&self, page: u64) -> Option<Version> {
        self.versions(page).pop().filter(|version| version.kind == EntryKind::Fill)
    }

    /// Returns the open intents of disk 1, from the newest segment of notes.
    pub(crate) fn open_intents(&self) -> BTreeSet<Intent> {
        let mut open = BTreeSet::new();
        let Some(life) = self.segments_of(SegmentOwner::Notes).pop() else { return open };
        for (_, _, entries) in self.batches(life) {
            for note in entries.iter().filter_map(Note::from_entry) {
                match note {
                    Note::Open(DiskId(1), intent) => drop(open.insert(intent)),
                    Note::Close(DiskId(1), intent) => drop(open.remove(&intent)),
                    _ => {}
                }
            }
        }
        open
    }

    /// Returns the summary of a segment's present generation, if it is valid.
    pub(crate) fn summary(&self, life: (SegmentNumber, Sequence)) -> Option<Content> {
        let mut content = Content::default();
        let page = self.peek(at(layout().summary_start(life.0)));
        let (head, pages) = content.decode_page(&page, POOL).ok()?;
        assert_eq!(pages, 1, "segments of stories are small");
        (head.generation == life.1).then_some(content)
    }

    /// Returns segments whose summary lists a page that is not there.
    pub(crate) fn lying_summaries(&self) -> Vec<SegmentNumber> {
        let lies = |life: &(SegmentNumber, Sequence)| {
            let Some(content) = self.summary(*life) else { return false };
            content.lines().any(|line| {
                let data = self.peek(at(layout().segment_start(life.0).plus(line.place)));
                page_checksum(&data) != line.checksum
            })
        };
        let lives = self.segments_of(DiskId(1));
        lives.into_iter().filter(lies).map(|(segment, _)| segment).collect()
    }
}
