//! A load that stamps every sector with its write, and the possible content of a disk after a crash.
//!
//! One seed is one sequence of writes, so that a disk can be checked from the seed and the number of promised
//! writes: each sector has its content from before the load, or the whole content of one write to it that is
//! no older than the newest promised one.

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) const SECTOR: u64 = 512;
const SECTORS_PER_PAGE: u64 = 8;
/// The longest write, in sectors.
const SECTORS_MAX: u64 = 64;
/// Start of a stamped sector.
const MAGIC: u64 = 0x5ec7_0125_7a3b_ed01;
/// Eight-byte words of a sector.
const WORDS: usize = SECTOR as usize / 8;

/// Pseudo-random numbers of a seed: each call returns the next number of a fixed sequence.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    state: u64,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // The constants are those of SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state) % end
    }

    /// Returns a number of `range`.
    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.below(range.end - range.start)
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The parts of a disk that a load works in: windows of one size, far apart. Sectors are counted through the
/// windows as if they were adjacent.
///
/// Possible changes at a power failure are recorded for regions of a disk, much larger than a test can fill.
/// With a window in each of several regions, one can be written and the others not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) count: u64,
    /// A multiple of a page.
    pub(crate) bytes: u64,
    /// From the start of one to the start of the next.
    pub(crate) stride: u64,
}

impl Windows {
    /// Returns the size that a disk must have.
    pub(crate) fn disk_bytes(&self) -> u64 {
        (self.count - 1) * self.stride + self.bytes
    }

    /// Returns the offset of a sector on the disk, in bytes.
    pub(crate) fn offset(&self, sector: u64) -> u64 {
        let byte = sector * SECTOR;
        byte / self.bytes * self.stride + byte % self.bytes
    }

    /// Returns the ranges of all windows on the disk, in bytes.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let Self { count, bytes, stride } = *self;
        (0..count).map(move |window| window * stride..window * stride + bytes)
    }

    fn sectors_each(&self) -> u64 {
        self.bytes / SECTOR
    }
}

/// A sequence of writes to a disk, the same for the same seed.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    seed: u64,
    pub(crate) windows: Windows,
    /// The windows that are written.
    written: Range<u64>,
}

impl Load {
    /// Returns a load that reads in all windows and writes in those of `written`. Loads on one disk need
    /// different seeds.
    pub(crate) fn new(seed: u64, windows: Windows, written: Range<u64>) -> Self {
        assert!(written.start < written.end && written.end <= windows.count, "it writes somewhere");
        Self { seed, windows, written }
    }

    /// Returns its seed.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the windows that are written.
    pub(crate) fn written(&self) -> Range<u64> {
        self.written.clone()
    }

    /// Returns the sectors of write `number`: half of all writes are in an eighth of a window, most are whole
    /// pages.
    pub(crate) fn place(&self, number: u64) -> Range<u64> {
        let mut chance = Chance::new(mix(self.seed).wrapping_add(mix(number)));
        self.draw_in(self.written.clone(), &mut chance)
    }

    /// Returns a place in any window, chosen as writes are.
    pub(crate) fn draw(&self, chance: &mut Chance) -> Range<u64> {
        self.draw_in(0..self.windows.count, chance)
    }

    fn draw_in(&self, windows: Range<u64>, chance: &mut Chance) -> Range<u64> {
        let length = match chance.below(10) {
            0..5 => SECTORS_PER_PAGE * (1 + chance.below(4)),
            5..8 => 1 + chance.below(20),
            _ => 1 + chance.below(SECTORS_MAX),
        };
        let window = chance.within(windows) * self.windows.sectors_each();
        let share = if chance.below(2) == 0 { 8 } else { 1 };
        let start = chance.below(self.windows.sectors_each() / share - SECTORS_MAX);
        let start = if length % SECTORS_PER_PAGE == 0 { start & !(SECTORS_PER_PAGE - 1) } else { start };
        window + start..window + start + length
    }

    /// Returns the content that write `number` gives the sectors of `place`.
    pub(crate) fn content(&self, number: u64, place: &Range<u64>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity((place.end - place.start) as usize * SECTOR as usize);
        for sector in place.clone() {
            let head = [MAGIC, self.seed, number, sector];
            let noise = mix(self.seed ^ mix(number) ^ mix(sector));
            let rest = (head.len()..WORDS).map(|word| noise.wrapping_mul(2 * word as u64 + 1));
            bytes.extend(head.into_iter().chain(rest).flat_map(u64::to_le_bytes));
        }
        bytes
    }

    /// Returns the writes whose content sectors have, from the first one on.
    pub(crate) fn makers(&self, bytes: &[u8]) -> impl Iterator<Item = u64> {
        let sectors = (0..).zip(bytes.chunks_exact(SECTOR as usize));
        sectors.filter_map(|(sector, bytes)| self.maker(sector, bytes))
    }

    /// Returns the write with the content of a sector, if it is one of this load and whole.
    fn maker(&self, sector: u64, bytes: &[u8]) -> Option<u64> {
        let number = u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"));
        let is_ours = bytes == self.content(number, &(sector..sector + 1));
        (is_ours && self.place(number).contains(&sector)).then_some(number)
    }
}

/// Possible content of a disk.
pub(crate) struct Model {
    load: Load,
    /// All windows before the load.
    before: Vec<u8>,
    /// The newest promised write of each sector that has one.
    promised: BTreeMap<u64, u64>,
}

impl Model {
    /// Returns a disk whose windows have the content `before`, one after another, on which `load` starts.
    pub(crate) fn new(load: Load, before: Vec<u8>) -> Self {
        Self { load, before, promised: BTreeMap::new() }
    }

    /// Records that write `number`, or a later one, must be there from now on.
    pub(crate) fn promise(&mut self, number: u64) {
        for sector in self.load.place(number) {
            let newest = self.promised.entry(sector).or_default();
            *newest = number.max(*newest);
        }
    }

    /// Checks content from sector `first` on.
    ///
    /// # Errors
    /// Names the first sector with wrong content.
    pub(crate) fn check(&self, first: u64, bytes: &[u8]) -> Result<(), String> {
        for (sector, bytes) in (first..).zip(bytes.chunks_exact(SECTOR as usize)) {
            self.check_sector(sector, bytes)?;
        }
        Ok(())
    }

    fn check_sector(&self, sector: u64, bytes: &[u8]) -> Result<(), String> {
        let found = self.load.maker(sector, bytes);
        let at = (sector * SECTOR) as usize;
        let before = &self.before[at..at + SECTOR as usize];
        let as_before = bytes == before;
        let wrong = |what: String| Err(format!("Sector {sector} {what}"));
        match (self.promised.get(&sector), found) {
            (Some(promised), Some(found)) if found >= *promised => Ok(()),
            (None, Some(_)) => Ok(()),
            (None, None) if as_before => Ok(()),
            (Some(promised), Some(found)) => {
                wrong(format!("holds write {found}, but write {promised} was promised"))
            }
            (Some(promised), None) if as_before => {
                wrong(format!("is as before the load, but write {promised} was promised"))
            }
            (promised, None) => {
                let head = &bytes[..32];
                wrong(format!("holds what nobody wrote to it: {head:02x?}; promised was {promised:?}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: u64 = 8 << 20;
    const WHOLE: Windows = Windows { count: 1, bytes: DISK, stride: DISK };

    /// Returns a model in which write 7 is promised, the place of that write, and its content.
    fn promised() -> (Model, Load, Range<u64>, Vec<u8>) {
        let load = Load::new(1, WHOLE, 0..1);
        let mut model = Model::new(load.clone(), vec![0; DISK as usize]);
        model.promise(7);
        let place = load.place(7);
        let content = load.content(7, &place);
        (model, load, place, content)
    }

    #[test]
    fn requests_stay_in_their_windows() {
        let windows = Windows { count: 3, bytes: 1 << 20, stride: 64 << 20 };
        let load = Load::new(1, windows, 1..2);
        let in_window = |place: &Range<u64>, window: u64| {
            let range = windows.ranges().nth(usize::try_from(window).unwrap()).unwrap();
            range.contains(&windows.offset(place.start)) && range.contains(&windows.offset(place.end - 1))
        };
        assert!((0..1000).all(|number| in_window(&load.place(number), 1)));
        let mut chance = Chance::new(2);
        let read = (0..1000).map(|_| load.draw(&mut chance));
        assert!(read.into_iter().all(|place| (0..3).any(|window| in_window(&place, window))));
        assert_eq!(windows.disk_bytes(), (128 << 20) + (1 << 20));
    }

    #[test]
    fn a_model_accepts_what_was_promised_and_what_was_there_before() {
        let (model, _, place, content) = promised();
        assert_eq!(model.check(place.start, &content), Ok(()));
        assert_eq!(model.check(place.end, &[0; SECTOR as usize]), Ok(()));
    }

    #[test]
    fn a_model_finds_lost_torn_and_misplaced_writes() {
        let (model, load, place, content) = promised();
        assert!(model.check(place.start, &vec![0; content.len()]).is_err(), "lost");
        let mut torn = content.clone();
        torn[300] ^= 1;
        assert!(model.check(place.start, &torn).is_err(), "torn inside a sector");
        assert!(model.check(place.end, &content[..SECTOR as usize]).is_err(), "misplaced");
        let elsewhere = load.content(7, &(place.end..place.end + 1));
        assert!(model.check(place.end, &elsewhere).is_err(), "longer than it was");
    }

    #[test]
    fn an_older_write_than_the_promised_one_is_found() {
        let load = Load::new(1, WHOLE, 0..1);
        let mut model = Model::new(load.clone(), vec![0; DISK as usize]);
        let meets = |left: &Range<u64>, right: &Range<u64>| left.start < right.end && right.start < left.end;
        let pairs = (0..500).flat_map(|old| (old + 1..500).map(move |new| (old, new)));
        let (old, new) = pairs
            .into_iter()
            .find(|(old, new)| meets(&load.place(*old), &load.place(*new)))
            .expect("places are met again");
        model.promise(new);
        let common = load.place(old).start.max(load.place(new).start);
        let error = model.check(common, &load.content(old, &(common..common + 1))).expect_err("it is older");
        assert!(error.contains("was promised"), "{error}");
        assert_eq!(model.check(common, &load.content(new, &(common..common + 1))), Ok(()));
    }
}
