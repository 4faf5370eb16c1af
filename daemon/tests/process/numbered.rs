//! A guest that writes numbers into the first pages of a disk, one after another. So the last number names each state of the disk: a page has
//! the last number up to that which was written to it.

use std::io;

use doors::nbd::Client;

use crate::host::Daemon;

pub(crate) const PAGE: u64 = 4096;
/// Pages of one read.
const READ_PAGES: u64 = 16;

/// The pages that have numbers, from the first one on.
#[derive(Clone, Copy)]
pub(crate) struct Numbered {
    pub(crate) pages: u64,
}

impl Numbered {
    /// Returns the page that number `k` is written to, in no order.
    pub(crate) fn page_of(self, k: u64) -> u64 {
        k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % self.pages
    }

    /// Returns the numbers of all pages after `last` writes.
    pub(crate) fn state_after(self, last: u64) -> Vec<u64> {
        let mut pages = vec![0; self.pages as usize];
        for k in 1..=last {
            pages[self.page_of(k) as usize] = k;
        }
        pages
    }

    /// Writes number `k`.
    ///
    /// # Errors
    /// If the disk is not served.
    pub(crate) fn write(self, guest: &mut Client, k: u64) -> io::Result<()> {
        guest.write(self.page_of(k) * PAGE, &k.to_le_bytes().repeat(PAGE as usize / 8))
    }

    /// Returns the numbers in a raw copy of a disk.
    pub(crate) fn in_copy(self, copy: &[u8]) -> Vec<u64> {
        let pages = copy.chunks(PAGE as usize).take(self.pages as usize);
        pages.map(|page| number_of(page).expect("a page has one number")).collect()
    }

    /// Returns the numbers of a disk that is served.
    pub(crate) fn of_disk(self, daemon: &Daemon, disk: &str) -> Vec<u64> {
        let mut guest = daemon.guest(disk);
        let starts = (0..self.pages).step_by(READ_PAGES as usize);
        let read = |at| {
            let pages = READ_PAGES.min(self.pages - at);
            guest.read(at * PAGE, (pages * PAGE) as u32).expect("the disk is served")
        };
        self.in_copy(&starts.flat_map(read).collect::<Vec<_>>())
    }
}

/// Returns the number that a page has; none if it has several.
pub(crate) fn number_of(page: &[u8]) -> Option<u64> {
    let mut words = page.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let first = words.next()?;
    words.all(|word| word == first).then_some(first)
}

/// Returns the last number of a state, all of whose pages must be as of that.
#[track_caller]
pub(crate) fn last_of(numbered: Numbered, found: &[u64]) -> u64 {
    let last = *found.iter().max().expect("there are pages");
    let expected = numbered.state_after(last);
    let mixed = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    if let Some(page) = mixed {
        panic!("a mix: page {page} has {} and not {}, of {last}", found[page], expected[page]);
    }
    last
}
