//! The catalog beside plain maps, and what its check finds.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::format::batch::EntryKind;
use crate::format::layout::Shape;
use crate::format::members::Members;
use crate::state::holders::Share;
use crate::state::segments::SegmentPurpose;

const DISK: DiskId = DiskId(1);
const DISK_PAGES: u64 = 64;

impl SegmentsHolder for Mutex<Segments> {
    fn lock_segments(&self) -> MutexGuard<'_, Segments> {
        self.lock().expect("no test panics while it holds it")
    }
}

/// A catalog and a log that appends to one segment after another.
struct Rig {
    catalog: Catalog<Mutex<Segments>>,
    lines: AppendRecord,
    layout: Layout,
    open: Option<SegmentNumber>,
    next: u32,
    /// Lines of each page in the log.
    appended: BTreeMap<u64, u8>,
}

impl Rig {
    fn new(block_pages: u32) -> Self {
        let device = 300 * (32 << 10);
        let shape = Shape { segment_bytes: 32 << 10, region_bytes: 1 << 20 };
        let layout = Layout::for_first(device, shape).unwrap();
        let members = Members::one(device, layout.segments_on(device));
        let mut segments = Segments::new(layout, &members, Sequence::first_of(1), &[]);
        segments.set_share(DISK, Share { reserve: 16, limit: 290 });
        segments.set_indexed(DISK, true);
        let segments = Arc::new(Mutex::new(segments));
        let catalog = Catalog::new(DISK, layout, 7, segments, block_pages, (DISK_PAGES, 1 << 20));
        let lines = catalog.append_record();
        Self { catalog, lines, layout, open: None, next: 0, appended: BTreeMap::new() }
    }

    /// Appends neighbours, as many of them as the open segment has room for. Returns where the first is.
    fn append(&mut self, kind: EntryKind, pages: &Range<u64>) -> (FlashPage, u64) {
        let room = |rig: &Self| rig.layout.batch_pages().saturating_sub(rig.next + 1);
        if self.open.is_none() || room(self) == 0 {
            let mut segments = self.catalog.segments.lock_segments();
            self.open.into_iter().for_each(|segment| segments.seal(segment));
            let (segment, generation) =
                segments.take(DISK, SegmentPurpose::Promotion).expect("there is room");
            drop(segments);
            self.open.into_iter().for_each(|segment| self.lines.close(segment));
            self.lines.open(segment, generation);
            (self.open, self.next) = (Some(segment), 0);
        }
        let segment = self.open.expect("opened just now");
        let count = u64::from(room(self)).min(pages.end - pages.start);
        let flash = self.layout.segment_start(segment).plus(self.next + 1);
        self.next += 1 + count as u32;
        let appended = pages.start..pages.start + count;
        self.lines.append(segment, appended.clone().map(|page| (kind, PageNumber(page))));
        appended.for_each(|page| *self.appended.entry(page).or_default() += 1);
        (flash, count)
    }

    fn insert(&mut self, kind: EntryKind, first: u64, flash: FlashPage, count: u64) {
        let checksums: Vec<u32> = (first..first + count).map(|page| page as u32).collect();
        let extent = FlashExtent { first: PageNumber(first), flash, checksums: &checksums };
        if kind == EntryKind::Write {
            self.catalog.insert_dirty(extent);
        } else {
            self.catalog.insert_clean(extent);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelPage {
    Nothing,
    RememberedZeroes,
    Clean(FlashPage),
    Dirty(FlashPage),
    Zeroes(Unmap),
    Lost,
}

impl ModelPage {
    fn flash(self) -> Option<FlashPage> {
        match self {
            Self::Clean(flash) | Self::Dirty(flash) => Some(flash),
            _ => None,
        }
    }

    fn is_dirty(self) -> bool {
        matches!(self, Self::Dirty(_) | Self::Zeroes(_) | Self::Lost)
    }
}

fn ops() -> impl Strategy<Value = Vec<(u8, Range<u64>)>> {
    let op = (0..10u8, 0..DISK_PAGES - 12, 1..12u64);
    prop::collection::vec(op.prop_map(|(verb, start, length)| (verb, start..start + length)), 1..120)
}

/// A catalog beside a plain map.
struct Pair {
    rig: Rig,
    model: [ModelPage; DISK_PAGES as usize],
}

impl Pair {
    /// Applies the same to both.
    fn apply(&mut self, (verb, pages): (u8, Range<u64>)) {
        let Self { rig, model } = self;
        let start = pages.start;
        let held = &mut model[start as usize..pages.end as usize];
        match verb {
            0 | 1 if held.iter().all(|holds| !holds.is_dirty()) => {
                rig.catalog.forget_zeroes(&pages);
                let zeroes = held.iter_mut().filter(|it| **it == ModelPage::RememberedZeroes);
                zeroes.for_each(|it| *it = ModelPage::Nothing);
                let (flash, count) = rig.append(EntryKind::Fill, &pages);
                rig.insert(EntryKind::Fill, start, flash, count);
                (0..count as u32).for_each(|at| held[at as usize] = ModelPage::Clean(flash.plus(at)));
            }
            2 | 3 => {
                let (flash, count) = rig.append(EntryKind::Write, &pages);
                rig.insert(EntryKind::Write, start, flash, count);
                (0..count as u32).for_each(|at| held[at as usize] = ModelPage::Dirty(flash.plus(at)));
            }
            4 => {
                let unmap = if start.is_multiple_of(2) { Unmap::Allowed } else { Unmap::Forbidden };
                rig.catalog.insert_zeroes(&pages, unmap);
                held.fill(ModelPage::Zeroes(unmap));
            }
            5 => {
                rig.catalog.mark_destaged(&pages);
                for it in held.iter_mut().filter(|it| it.is_dirty()) {
                    *it = it.flash().map_or(ModelPage::Nothing, ModelPage::Clean);
                }
            }
            6 => {
                rig.catalog.mark_lost(&pages);
                held.fill(ModelPage::Lost);
            }
            7 => {
                rig.catalog.invalidate(pages);
                held.iter_mut().filter(|it| !it.is_dirty()).for_each(|it| *it = ModelPage::Nothing);
            }
            8 => pages.zip(held).for_each(|(page, it)| Self::relocate(rig, page, it)),
            _ => pages.zip(held).for_each(|(page, it)| Self::invalidate_one(rig, page, it)),
        }
    }

    fn relocate(rig: &mut Rig, page: u64, it: &mut ModelPage) {
        if it.flash().is_some() {
            let kind = if it.is_dirty() { EntryKind::Write } else { EntryKind::Fill };
            let (flash, _) = rig.append(kind, &(page..page + 1));
            let checksums = &[page as u32];
            rig.catalog.relocate(FlashExtent { first: PageNumber(page), flash, checksums });
            *it = if it.is_dirty() { ModelPage::Dirty(flash) } else { ModelPage::Clean(flash) };
        }
    }

    fn invalidate_one(rig: &Rig, page: u64, it: &mut ModelPage) {
        if *it == ModelPage::Nothing {
            rig.catalog.remember_zeroes(page..page + 1);
            *it = ModelPage::RememberedZeroes;
        } else if let Some(flash) = it.flash() {
            assert!(!rig.catalog.invalidate_at(PageNumber(page), flash.plus(1)), "it is not there");
            let is_clean = !it.is_dirty();
            assert_eq!(rig.catalog.invalidate_damaged(PageNumber(page), flash), is_clean);
            *it = if is_clean { ModelPage::Nothing } else { *it };
        }
    }
}

proptest! {
    #[test]
    fn after_every_verb_the_parts_agree_with_each_other_and_with_a_plain_map(
        ops in ops(),
        block_pages in prop::sample::select(vec![1, 4, 16]),
    ) {
        let mut pair = Pair { rig: Rig::new(block_pages), model: [ModelPage::Nothing; DISK_PAGES as usize] };
        for op in ops {
            pair.apply(op);
            pair.rig.catalog.check();
        }
        let Pair { rig, model } = pair;
        let catalog = &rig.catalog;
        for (page, holds) in (0..).map(PageNumber).zip(model) {
            let one = page.0..page.0 + 1;
            prop_assert_eq!(catalog.locate(page).map(|located| located.flash), holds.flash());
            prop_assert_eq!(catalog.is_dirty(page), matches!(holds, ModelPage::Dirty(_)));
            prop_assert_eq!(catalog.is_dirty_zeroes(page), matches!(holds, ModelPage::Zeroes(_)));
            prop_assert_eq!(catalog.is_dirty_or_lost(page), matches!(holds, ModelPage::Dirty(_) | ModelPage::Lost));
            prop_assert_eq!(catalog.is_lost_within(&one), holds == ModelPage::Lost);
            prop_assert_eq!(catalog.is_dirty_within(&one), holds.is_dirty());
            prop_assert_eq!(catalog.can_destage(one), holds.is_dirty() && holds != ModelPage::Lost);
            prop_assert_eq!(catalog.is_remembered_zeroes(page), holds == ModelPage::RememberedZeroes);
            let stale = rig.appended.get(&page.0).copied().unwrap_or(0) - u8::from(holds.flash().is_some());
            prop_assert_eq!(catalog.stale_versions(page), stale, "page {} which holds {:?}", page.0, holds);
        }
        let count = |is: fn(ModelPage) -> bool| model.iter().filter(|holds| is(**holds)).count() as u64;
        let counts = catalog.counts();
        prop_assert_eq!(counts.pages, count(|holds| holds.flash().is_some()));
        prop_assert_eq!(counts.dirty_pages, count(|holds| matches!(holds, ModelPage::Dirty(_))));
        prop_assert_eq!(counts.is_clean, count(ModelPage::is_dirty) == 0);
    }
}

/// Returns a catalog of two clean pages in one segment, and one dirty page in another.
fn filled() -> Rig {
    let mut rig = Rig::new(1);
    for (kind, pages) in [(EntryKind::Fill, 3..5), (EntryKind::Write, 9..10)] {
        let (flash, count) = rig.append(kind, &pages);
        rig.insert(kind, pages.start, flash, count);
        // The rest of the segment.
        rig.next = rig.layout.batch_pages();
    }
    rig
}

#[test]
fn a_block_of_another_size_keeps_what_is_dirty() {
    let rig = filled();
    rig.catalog.require_age_order();
    rig.catalog.invalidate(ALL_PAGES);
    rig.catalog.change_block(16);
    rig.catalog.check();
    assert_eq!(rig.catalog.counts().pages, 1);
    assert!(rig.catalog.locate(PageNumber(9)).is_some());
}

#[test]
fn all_that_is_clean_goes_at_once_and_nothing_that_is_dirty() {
    let rig = filled();
    rig.catalog.invalidate_flash();
    assert_eq!((rig.catalog.counts().pages, rig.catalog.dirty_pages()), (1, 1));
    rig.catalog.mark_destaged(&(9..10));
    rig.catalog.invalidate_flash();
    assert_eq!(rig.catalog.counts().pages, 0);
}

#[test]
fn dirty_pages_go_to_the_second_copy_of_their_segment_and_clean_ones_leave() {
    let mut rig = filled();
    let (flash, _) = rig.append(EntryKind::Fill, &(20..21));
    rig.insert(EntryKind::Fill, 20, flash, 1);
    let place = |page| rig.catalog.locate(PageNumber(page)).expect("it is there").flash;
    let at = |flash: FlashPage| rig.layout.segment_of(flash);
    let (clean, dirty) = (at(place(3)), at(place(9)));
    let copies: BTreeMap<_, _> =
        [(clean, SegmentNumber(200)), (dirty, SegmentNumber(201))].into_iter().collect();
    {
        // As a device that fails leaves it: the counts of live pages are removed with the owners.
        let mut segments = rig.catalog.segments.lock_segments();
        let live = |first: FlashPage, pages: u32| (0..pages).map(move |page| first.plus(page));
        segments.pages_forgotten(live(place(3), 2).chain(live(place(9), 1)));
        segments.pages_known(rig.layout.segment_start(SegmentNumber(200)), 2);
        segments.pages_known(rig.layout.segment_start(SegmentNumber(201)), 1);
    }
    let within = place(9).0 - rig.layout.segment_start(dirty).0;
    rig.catalog.relocate_to_copies(&copies);
    assert_eq!(place(9), rig.layout.segment_start(SegmentNumber(201)).plus(within));
    assert_eq!(place(20), flash, "its segment has no copy that took its place");
    assert_eq!(rig.catalog.counts().pages, 2);
    assert_eq!(rig.catalog.stale_versions(PageNumber(3)), 1, "it stays named, as the newest");
}

#[test]
fn what_cannot_be_read_leaves_with_its_segment() {
    let rig = filled();
    let segment = rig.layout.segment_of(rig.catalog.locate(PageNumber(4)).expect("it is there").flash);
    assert_eq!(rig.catalog.dirty_in_segment(segment).len(), 0);
    assert_eq!(rig.catalog.invalidate_segment(segment), 2);
    rig.catalog.check();
    assert_eq!(rig.catalog.invalidate_segment(segment), 0);
}

#[test]
fn a_load_is_taken_over_without_what_changed_meanwhile_and_without_segments_that_left() {
    let mut rig = Rig::new(1);
    let mut index = Index::new(1, 7);
    let mut loaded = Vec::new();
    for pages in [0..3, 10..13, 20..23] {
        let (flash, _) = rig.append(EntryKind::Fill, &pages);
        index.insert_run(PageNumber(pages.start), flash, &[1, 2, 3]);
        let segment = rig.layout.segment_of(flash);
        let mut segments = rig.catalog.segments.lock_segments();
        let generation = segments.life(segment).expect("it is taken").1;
        loaded.push(LoadedSegment { segment, generation, entered: 3 });
        segments.seal(segment);
        drop(segments);
        rig.open = None;
    }
    // The oldest goes while the index is built.
    let victim = rig.catalog.segments.lock_segments().choose_victim(DISK).expect("all are closed");
    assert_eq!(victim, loaded[0].segment);
    let mut dirty = Dirty::default();
    dirty.add_page(21);
    rig.catalog.remember_zeroes(30..31);
    let dropped = rig.catalog.take_over(index, dirty, &loaded, vec![11..12, 21..23]);
    assert_eq!(dropped, 2, "pages 11 and 22: what is dirty stays, whatever changed");
    assert_eq!(rig.catalog.counts().pages, 4);
    assert!(rig.catalog.locate(PageNumber(0)).is_none() && rig.catalog.locate(PageNumber(21)).is_some());
    assert!(!rig.catalog.is_remembered_zeroes(PageNumber(30)));
}

#[test]
fn self_checks_of_a_large_disk_visit_no_more_pages_than_its_calls_allow() {
    let visited = |pages: u64, calls: u64| {
        let credit = CheckCredit::default();
        (0..calls).filter(|_| credit.take(pages)).count() as u64 * pages
    };
    for pages in [0, 1, CHECKED_PAGES] {
        assert_eq!(visited(pages, 1000), 1000 * pages, "a small disk is checked at each call");
    }
    for pages in [CHECKED_PAGES + 1, 270_000, 1 << 30] {
        assert!(visited(pages, 10_000) <= 10_000 * CHECKED_PAGES, "{pages}");
    }
    assert!(visited(270_000, 10_000) >= 9_000 * CHECKED_PAGES, "and not much less often");
}

#[test]
#[should_panic(expected = "live pages of segments")]
fn the_check_finds_a_segment_whose_live_pages_are_not_those_of_the_index() {
    let rig = filled();
    let flash = rig.catalog.locate(PageNumber(3)).expect("it is there").flash;
    rig.catalog.segments.lock_segments().pages_known(flash, 1);
    rig.catalog.check();
}

#[test]
#[should_panic(expected = "dirty page 40 is nowhere")]
fn the_check_finds_a_dirty_page_that_nothing_has() {
    let rig = filled();
    rig.catalog.entries.borrow_mut().dirty.add_page(40);
    rig.catalog.check();
}

#[test]
#[should_panic(expected = "page 3 is on flash, and remembered as zeroes")]
fn the_check_finds_a_page_on_flash_that_is_remembered_as_zeroes() {
    let rig = filled();
    rig.catalog.remember_zeroes(3..4);
    rig.catalog.check();
}

#[test]
#[should_panic(expected = "page 4 is on flash, and dirty without content")]
fn the_check_finds_zeroes_that_are_on_flash_too() {
    let rig = filled();
    rig.catalog.entries.borrow_mut().dirty.add_zeroes(4..5, Unmap::Allowed);
    rig.catalog.check();
}
