//! Generated traces, always the same, for use without real ones. One has a part for each property that distinguishes policies:
//!
//! ```text
//!   18 of 24 requests    a page by rank, a few often and many seldom; the ranks shift slowly
//!    4                   a recently used page, once more
//!    1                   eight pages of a loop that is larger than a tenth of all
//!    1                   a page that is used once
//! ```
//! It stands for no disk: the results of a policy show changes of the policy, not its quality elsewhere. The other one reads single pages
//! at random: no policy that does not know the future hits more than another, and every write after flash is full is wasted.

use trace::{Kind, Request};

const PAGE: u64 = 4096;
/// Pages of each part; they follow each other.
const RANKED: u64 = 8_000;
const LOOPED: u64 = 3_000;
/// Number of requests.
const REQUESTS: u64 = 60_000;
/// Pages of a run of the loop.
const RUN: u64 = 8;
/// Number of requests after which the ranked pages shift by one.
const SHIFT: u64 = 12;
/// Maximum distance of a recent request, in requests.
const MOMENT: u64 = 200;

/// Number of pages that are read at random, and number of these reads.
pub(super) const PAGES_AT_RANDOM: u64 = 16_384;
const READS_AT_RANDOM: u64 = 150_000;

/// Generator of pseudo-random numbers, always the same (a linear congruential generator; its constants are Knuth's MMIX).
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Returns all of its requests, a seventh of them writes.
pub(super) fn requests() -> Vec<Request> {
    let mut chance = Lcg(1);
    let mut requests: Vec<Request> = Vec::new();
    let (mut looped, mut once) = (0, RANKED + LOOPED);
    for at in 0..REQUESTS {
        let (page, pages) = match chance.below(24) {
            // A run counts for as many accesses.
            0 => {
                looped = (looped + RUN) % LOOPED;
                (RANKED + looped, RUN)
            }
            1..5 if at > MOMENT => {
                let before = requests[(at - 1 - chance.below(MOMENT)) as usize];
                (before.offset / PAGE, u64::from(before.length) / PAGE)
            }
            5 => {
                once += 1;
                (once, 1)
            }
            _ => (ranked(&mut chance, at), 1),
        };
        let kind = if chance.below(7) == 0 { Kind::Write } else { Kind::Read };
        requests.push(Request {
            kind,
            offset: page * PAGE,
            length: (pages * PAGE) as u32,
            ..Request::default()
        });
    }
    requests
}

/// Returns reads of single pages with equal probability.
pub(super) fn at_random() -> Vec<Request> {
    let mut chance = Lcg(1);
    let mut read = || Request {
        kind: Kind::Read,
        offset: chance.below(PAGES_AT_RANDOM) * PAGE,
        length: PAGE as u32,
        ..Request::default()
    };
    (0..READS_AT_RANDOM).map(|_| read()).collect()
}

/// Returns a page by the cube of a uniform number; neighbours in rank are not neighbours on the disk.
fn ranked(chance: &mut Lcg, at: u64) -> u64 {
    let even = chance.below(1 << 20);
    let rank = ((even.pow(3) >> 20) * RANKED) >> 40;
    (rank + at / SHIFT) * 7_919 % RANKED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_always_the_same_and_has_all_its_parts() {
        let (one, other) = (requests(), requests());
        assert!(one == other && one.len() as u64 == REQUESTS);
        let pages = |range: std::ops::Range<u64>| {
            one.iter().filter(|request| range.contains(&(request.offset / PAGE))).count()
        };
        assert!(pages(0..RANKED) > 40_000 && pages(RANKED..RANKED + LOOPED) > 2_000);
        assert!(pages(RANKED + LOOPED..u64::MAX) > 2_000);
        let writes = one.iter().filter(|request| request.kind == Kind::Write).count();
        assert!((8_000..9_200).contains(&writes), "{writes}");
    }

    #[test]
    fn single_pages_are_read_at_random_from_all_of_them() {
        let mut read = vec![0_u32; PAGES_AT_RANDOM as usize];
        for request in at_random() {
            assert_eq!((request.kind, u64::from(request.length)), (Kind::Read, PAGE));
            read[(request.offset / PAGE) as usize] += 1;
        }
        // Nine times each on average.
        let halves = read.split_at(read.len() / 2);
        let [first, second] = [halves.0, halves.1].map(|half| half.iter().sum::<u32>());
        assert!(first.abs_diff(second) < 2_000, "{first} and {second}");
        let never = read.iter().filter(|times| **times == 0).count();
        assert!(never < 20 && read.iter().all(|times| *times < 40), "{never} never");
    }
}
