//! Balance of load between shards: decides from figures which disk to move, if any. Has no side effects.
//!
//! ```text
//!   poll ── poll ── poll ...   each compares the busy time of shards, and the work of disks, since the last one
//!   uneven in two polls in a row ──> the disk whose move makes the two shards most even, if that pays
//! ```
//! A move costs a disk the content of its RAM tier, and some time until its index is known again. It is made
//! seldom: never for a peak, never back and forth, never for a disk alone on its shard.

use std::collections::BTreeMap;

/// Busy time above which a shard is too busy, in thousandths.
const BUSY_MIN: u64 = 600;
/// Least difference to the least busy shard at which a disk is moved, in thousandths.
const GAP_MIN: u64 = 300;
/// Least relief of the busier of the two shards for which a move is worth it, in thousandths.
const GAIN_MIN: u64 = 50;
/// Polls during which a disk stays where it was moved to: ten minutes at the usual interval.
const REST_ROUNDS: u64 = 20;
/// Bytes whose transfer is as much work as one more request.
const BYTES_AS_REQUEST: u64 = 64 << 10;

/// The load of shards and disks at one moment. All figures only rise, unless a disk was attached again.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadSnapshot {
    /// Nanoseconds.
    pub(crate) now_ns: u64,
    /// Nanoseconds that each shard worked.
    pub(crate) busy_ns: Vec<u64>,
    /// The disks, by name.
    pub(crate) disks: BTreeMap<String, DiskLoad>,
}

/// Load of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskLoad {
    /// The shard that it is on.
    pub(crate) shard: usize,
    /// Requests so far.
    pub(crate) requests: u64,
    /// Bytes that they moved.
    pub(crate) bytes: u64,
    /// True if it can be moved.
    pub(crate) fit_to_move: bool,
}

/// A move that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// The disk.
    pub(crate) disk: String,
    /// The shard that it is on.
    pub(crate) from: usize,
    /// The shard that it is to be on.
    pub(crate) to: usize,
}

/// Decides on moves, poll by poll.
#[derive(Debug, Default)]
pub(crate) struct Balancer {
    before: Option<LoadSnapshot>,
    /// The shard that was too busy at the last poll.
    too_busy: Option<usize>,
    rounds: u64,
    /// Number of the poll at which each disk was moved last.
    moved: BTreeMap<String, u64>,
}

impl Balancer {
    /// Polls once. A move that is returned counts as tried: the disk stays where it is for a while, whether
    /// it succeeds or not.
    pub(crate) fn observe(&mut self, now: LoadSnapshot) -> Option<Move> {
        self.rounds += 1;
        self.moved.retain(|name, _| now.disks.contains_key(name));
        let chosen = self.before.as_ref().and_then(|before| {
            let load = Load::between(before, &now);
            let (from, to) = load.lopsided()?;
            let again = self.too_busy == Some(from);
            let chosen = if again { load.best_move(from, to, |name| self.rests(name)) } else { None };
            Some((from, chosen))
        });
        self.before = Some(now);
        self.too_busy = chosen.as_ref().map(|(from, _)| *from);
        let chosen = chosen?.1?;
        self.moved.insert(chosen.disk.clone(), self.rounds);
        // From here on the load is another one, which must show in two polls as well.
        self.too_busy = None;
        Some(chosen)
    }

    fn rests(&self, name: &str) -> bool {
        self.moved.get(name).is_some_and(|moved| self.rounds < moved + REST_ROUNDS)
    }
}

/// Load between two polls.
struct Load<'a> {
    /// Busy time of each shard, in thousandths.
    shards: Vec<u64>,
    /// Work of each present disk on its shard.
    disks: BTreeMap<&'a str, (DiskLoad, u64)>,
}

impl<'a> Load<'a> {
    fn between(before: &LoadSnapshot, now: &'a LoadSnapshot) -> Self {
        let time = now.now_ns.saturating_sub(before.now_ns).max(1);
        let busy = |(now, before): (&u64, &u64)| (now.saturating_sub(*before) * 1000 / time).min(1000);
        let shards = now.busy_ns.iter().zip(&before.busy_ns).map(busy).collect();
        let work = |(name, now): (&'a String, &DiskLoad)| {
            let before = before.disks.get(name).filter(|before| before.shard == now.shard);
            let before = before.copied().unwrap_or(*now);
            let requests = now.requests.saturating_sub(before.requests);
            let bytes = now.bytes.saturating_sub(before.bytes);
            (name.as_str(), (*now, requests + bytes / BYTES_AS_REQUEST))
        };
        Self { shards, disks: now.disks.iter().map(work).collect() }
    }

    /// Returns the busiest and the least busy shard, if their difference is too large.
    fn lopsided(&self) -> Option<(usize, usize)> {
        let numbers = 0..self.shards.len();
        let from = numbers.clone().max_by_key(|shard| (self.shards[*shard], std::cmp::Reverse(*shard)))?;
        let to = numbers.min_by_key(|shard| (self.shards[*shard], *shard))?;
        let apart = self.shards[from] > BUSY_MIN && self.shards[from] >= self.shards[to] + GAP_MIN;
        apart.then_some((from, to))
    }

    /// Returns the disk whose move makes the busier of the two shards least busy.
    fn best_move(&self, from: usize, to: usize, rests: impl Fn(&str) -> bool) -> Option<Move> {
        let here = || self.disks.iter().filter(|(_, (disk, _))| disk.shard == from);
        let all_work: u64 = here().map(|(_, (_, work))| work).sum();
        if here().count() < 2 || all_work == 0 {
            return None;
        }
        let (busy_from, busy_to) = (self.shards[from], self.shards[to]);
        let busier_after = |work: u64| {
            let share = busy_from * work / all_work;
            (busy_from - share).max(busy_to + share)
        };
        let fit = here().filter(|(name, (disk, _))| disk.fit_to_move && !rests(name));
        let (busier, disk) = fit.map(|(name, (_, work))| (busier_after(*work), *name)).min()?;
        let pays = busier + GAIN_MIN <= busy_from;
        pays.then(|| Move { disk: disk.to_owned(), from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Shards and disks that work at a constant pace.
    struct SimulatedLoad {
        standing: LoadSnapshot,
        busy: Vec<u64>,
        pace: BTreeMap<&'static str, u64>,
        balancer: Balancer,
    }

    impl SimulatedLoad {
        /// Returns a world with `busy` in thousandths, and disks with their shard and their requests between
        /// two polls.
        fn new(busy: &[u64], disks: &[(&'static str, usize, u64)]) -> Self {
            let at = |shard| DiskLoad { shard, fit_to_move: true, ..DiskLoad::default() };
            let standing = LoadSnapshot {
                busy_ns: vec![0; busy.len()],
                disks: disks.iter().map(|(name, shard, _)| ((*name).to_owned(), at(*shard))).collect(),
                ..LoadSnapshot::default()
            };
            let pace = disks.iter().map(|(name, _, requests)| (*name, *requests)).collect();
            Self { standing, busy: busy.to_vec(), pace, balancer: Balancer::default() }
        }

        fn observe(&mut self) -> Option<&'static str> {
            self.standing.now_ns += 30 * SECOND;
            for (busy_ns, busy) in self.standing.busy_ns.iter_mut().zip(&self.busy) {
                *busy_ns += busy * 30 * SECOND / 1000;
            }
            for (name, disk) in &mut self.standing.disks {
                disk.requests += self.pace[name.as_str()];
            }
            let chosen = self.balancer.observe(self.standing.clone())?;
            let disk = self.standing.disks.get_mut(&chosen.disk).expect("it is one of them");
            assert_eq!(disk.shard, chosen.from);
            disk.shard = chosen.to;
            self.pace.keys().copied().find(|name| *name == chosen.disk)
        }

        fn observe_many(&mut self, count: usize) -> Vec<Option<&'static str>> {
            (0..count).map(|_| self.observe()).collect()
        }

        fn disk(&mut self, name: &str) -> &mut DiskLoad {
            self.standing.disks.get_mut(name).expect("it is one of them")
        }
    }

    #[test]
    fn a_shard_that_stays_too_busy_loses_the_disk_that_makes_both_most_even() {
        let disks = [("huge", 0, 700), ("large", 0, 400), ("small", 0, 100), ("other", 1, 50)];
        let mut world = SimulatedLoad::new(&[900, 100], &disks);
        // 900 : 100 is made 600 : 400 by the one, 375 : 625 by the other.
        assert_eq!(world.observe_many(3), [None, None, Some("large")]);
    }

    #[test]
    fn a_peak_is_no_reason() {
        let mut world = SimulatedLoad::new(&[900, 100], &[("a", 0, 500), ("b", 0, 500)]);
        assert_eq!(world.observe(), None);
        for _ in 0..4 {
            assert_eq!(world.observe(), None);
            world.busy = vec![100, 900];
            assert_eq!(world.observe(), None);
            world.busy = vec![900, 100];
        }
        assert_eq!(world.observe_many(2)[1], Some("a"), "twice in a row");
    }

    #[test]
    fn shards_with_time_left_and_shards_that_are_alike_are_left_alone() {
        for busy in [[600, 0], [590, 10], [1000, 701], [900, 900]] {
            let mut world = SimulatedLoad::new(&busy, &[("a", 0, 500), ("b", 0, 500), ("c", 1, 100)]);
            assert_eq!(world.observe_many(6), vec![None; 6], "{busy:?}");
        }
        let mut world = SimulatedLoad::new(&[601, 301], &[("a", 0, 100), ("b", 0, 500)]);
        assert_eq!(world.observe_many(3)[2], Some("a"));
    }

    #[test]
    fn a_move_that_would_only_swap_the_roles_is_not_made() {
        let mut world = SimulatedLoad::new(&[1000, 0], &[("all", 0, 990), ("nothing", 0, 10)]);
        assert_eq!(world.observe_many(6), vec![None; 6]);
    }

    #[test]
    fn a_disk_alone_on_its_shard_stays() {
        let mut world = SimulatedLoad::new(&[1000, 0], &[("a", 0, 990), ("b", 1, 0)]);
        assert_eq!(world.observe_many(6), vec![None; 6]);
    }

    #[test]
    fn of_disks_alike_one_goes_and_no_disk_goes_twice_within_twenty_looks() {
        let mut world = SimulatedLoad::new(&[1000, 0], &[("a", 0, 500), ("b", 0, 500)]);
        assert_eq!(world.observe_many(3), [None, None, Some("a")]);
        // The load follows the other disk, and grows: only the resting disk could move.
        world.busy = vec![0, 1000];
        world.disk("b").shard = 1;
        world.disk("b").fit_to_move = false;
        let later = world.observe_many(21);
        assert_eq!(later.iter().position(Option::is_some), Some(19), "{later:?}");
        assert_eq!(later[19], Some("a"));
    }

    #[test]
    fn at_most_one_disk_goes_at_a_time_and_the_new_load_is_looked_at_anew() {
        let disks = [("a", 0, 100), ("b", 0, 100), ("c", 0, 100), ("d", 0, 100)];
        let mut world = SimulatedLoad::new(&[1000, 0], &disks);
        assert_eq!(world.observe_many(6), [None, None, Some("a"), None, Some("b"), None]);
    }

    #[test]
    fn a_disk_that_cannot_be_moved_is_passed_over_though_its_work_counts() {
        let mut world = SimulatedLoad::new(&[900, 0], &[("a", 0, 500), ("b", 0, 300)]);
        world.disk("a").fit_to_move = false;
        assert_eq!(world.observe_many(3)[2], Some("b"));
    }

    #[test]
    fn bytes_are_work_too_and_the_least_busy_of_many_shards_is_the_target() {
        let mut world =
            SimulatedLoad::new(&[300, 900, 500, 100], &[("a", 1, 100), ("b", 1, 100), ("c", 1, 100)]);
        for round in 1..4 {
            world.disk("b").bytes = round * 200 * BYTES_AS_REQUEST;
            let chosen = world.observe();
            // b does three fifths: 900 : 100 becomes 360 : 640, and 720 : 280 by one of the others.
            assert_eq!(chosen, if round == 3 { Some("b") } else { None });
        }
        assert_eq!(world.disk("b").shard, 3);
    }

    #[test]
    fn figures_that_fall_because_a_disk_came_anew_are_no_work() {
        let mut world = SimulatedLoad::new(&[900, 0], &[("a", 0, 500), ("b", 0, 400)]);
        world.observe_many(2);
        *world.disk("a") = DiskLoad { shard: 0, fit_to_move: true, ..DiskLoad::default() };
        // Only the work of b is known, and its move would swap the roles of the shards.
        assert_eq!(world.observe(), None);
        assert_eq!(world.observe(), Some("a"));
    }
}
