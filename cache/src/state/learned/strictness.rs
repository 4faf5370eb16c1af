//! Strictness: the thresholds to enter flash and to stay there, high where writing brings few hits.
//!
//! Every now and then the hits of the serving cache on sampled accesses are compared with those of model caches on the same ones: the same
//! accesses make the comparison usable though the samples are few. If the cache falls behind its target, admission is relaxed, without
//! waiting for the next comparison if that is plain; if it writes much, admission becomes stricter. Beyond a strictness of one only new
//! blocks need more, and it goes there only while the cache has most of the advantage of density over LRU: where all blocks are as likely
//! to return, the value of new blocks predicts little, and nothing is lost if hardly any enters.

use super::sample::ModelHits;
use crate::format::fields::{FieldReader, FieldWriter, Malformed};

/// Thresholds of the worth of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thresholds {
    /// To enter.
    pub(super) admit: f32,
    /// To stay when room is needed.
    pub(super) keep: f32,
    /// The share of flash that is to be worth less than that: rent is adjusted until it is.
    pub(super) to_give_up: f32,
}

/// Goal of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The most hits, at any amount of writes.
    Hits,
    /// Most of these hits for few writes.
    Balance,
}

/// As many hits as writes can buy. A worthless block costs room as well: if it may enter all the same, fewer are hit, and half as much
/// again is written (docs/dev/notes/hit-ratio.md).
const HITS: Thresholds = Thresholds { admit: 0.02, keep: 0.01, to_give_up: 0.2 };
/// The share of flash that is to be given up where hits are weighed against writes, of a disk that is not strict at all, and of one whose
/// strictness is one or more. Where everything enters, more has to go: the newest blocks are worth more than many of the cached ones.
const TO_GIVE_UP: [f32; 2] = [0.26, 0.235];
/// Strictness of a new disk. A cache that is large for what its disk reads learns slowly.
const DEGREE_FIRST: f32 = 0.25;

/// As strict as a disk becomes.
const DEGREE_MAX: f32 = 4.0;

/// Wanted share of the additional hits of the cache by density, compared to the one by LRU.
const GAIN_WANTED: f32 = 0.3;
/// The same of a disk whose strictness is one or more.
const GAIN_WANTED_BEYOND: f32 = 0.8;
/// Hits of all accesses that may be missing.
const TOLERANCE: f32 = 0.0015;
/// Blocks written for each miss that LRU would have.
const WRITES_MAX: f32 = 0.22;
/// Shortfall of sampled hits against LRU since the last comparison that is reason for the next one.
const BEHIND: f32 = 50.0;
/// Share of all accesses that has to be missing as well. A disk that is ahead of LRU except for its present workload is to stay as strict
/// as it is: the workload that made it so returns (docs/dev/notes/hit-ratio.md).
const MISSING_PLAINLY: f32 = 0.01;
/// Weight of earlier counts at the next comparison.
const FADE: f32 = 0.85;

/// Shortfall of hits against LRU, of all sampled accesses, above which the learned ranking is trusted less.
const DISTRUST: f32 = 0.01;
/// Factors of trust then, and where it has more hits; never below the least.
const LESS_TRUST: f32 = 0.5;
const MORE_TRUST: f32 = 1.25;
const TRUST_MIN: f32 = 0.02;
/// Of fewer accesses nothing is concluded for trust.
const TRUST_SAMPLED_MIN: f32 = 200.0;

/// Adapts strictness, from 0 to [`DEGREE_MAX`], and trust.
pub(super) struct Strictness {
    aim: Aim,
    /// Trust in what was learned of single classes of blocks, from [`TRUST_MIN`] to 1.
    trust: f32,
    degree: f32,
    by_lru: f32,
    by_density: f32,
    served: f32,
    sampled: f32,
    written: f32,
    /// Requested blocks of sampled accesses that LRU did not have: of each the requested share.
    missed_by_lru: f32,
    /// Hits less than LRU since the last comparison.
    behind: f32,
}

impl Strictness {
    pub(super) fn new(aim: Aim) -> Self {
        Self {
            aim,
            trust: 1.0,
            degree: DEGREE_FIRST,
            by_lru: 0.0,
            by_density: 0.0,
            served: 0.0,
            sampled: 0.0,
            written: 0.0,
            missed_by_lru: 0.0,
            behind: 0.0,
        }
    }

    /// Appends all but the aim, which is a setting.
    pub(super) fn encode(&self, to: &mut FieldWriter) {
        let Self {
            aim: _,
            trust,
            degree,
            by_lru,
            by_density,
            served,
            sampled,
            written,
            missed_by_lru,
            behind: _,
        } = self;
        for field in [trust, degree, by_lru, by_density, served, sampled, written, missed_by_lru] {
            to.f32(*field);
        }
    }

    /// Takes what [`Self::encode`] appended.
    pub(super) fn decode(from: &mut FieldReader<'_>, aim: Aim) -> Result<Self, Malformed> {
        Ok(Self {
            aim,
            trust: from.f32()?.clamp(TRUST_MIN, 1.0),
            degree: from.f32()?.min(DEGREE_MAX),
            by_lru: from.f32()?,
            by_density: from.f32()?,
            served: from.f32()?,
            sampled: from.f32()?,
            written: from.f32()?,
            missed_by_lru: from.f32()?,
            behind: 0.0,
        })
    }

    pub(super) fn aim(&self) -> Aim {
        self.aim
    }

    pub(super) fn set_aim(&mut self, aim: Aim) {
        self.aim = aim;
    }

    /// Returns the trust in what was learned of single classes of blocks: above 0, and at most 1. Where hits are weighed against writes it
    /// is 1, because there a cache that is behind admits everything.
    pub(super) fn trust(&self) -> f32 {
        if self.aim == Aim::Hits { self.trust } else { 1.0 }
    }

    pub(super) fn thresholds(&self) -> Thresholds {
        let s = self.degree;
        match self.aim {
            Aim::Hits => HITS,
            Aim::Balance => {
                let (strict, [loosely, strictly]) = (s.min(1.0), TO_GIVE_UP);
                Thresholds {
                    admit: -0.05 + 0.3 * s,
                    keep: 0.03 * strict,
                    to_give_up: loosely + (strictly - loosely) * strict,
                }
            }
        }
    }

    /// Takes a sampled access to such a share of a block.
    pub(super) fn sampled(&mut self, had: ModelHits, served: bool, share: f32) {
        let one = |yes: bool| f32::from(u8::from(yes));
        self.sampled += 1.0;
        self.by_lru += one(had.by_lru);
        self.by_density += one(had.by_density);
        self.served += one(served);
        self.missed_by_lru += share * one(!had.by_lru);
        self.behind += one(had.by_lru) - one(served);
    }

    /// Returns true if so many hits are missing that the next comparison should be now. With a cache that is large for what its disk reads,
    /// comparisons are far apart, and the content of LRU can change at once.
    pub(super) fn is_left_behind(&self) -> bool {
        self.degree > 0.0 && self.behind >= BEHIND && self.missing() > MISSING_PLAINLY
    }

    /// Forgets all counts: nothing had to earn its place yet.
    pub(super) fn forget(&mut self) {
        self.fade(0.0);
    }

    /// Compares the hits of the caches, and adapts. `written` blocks were written since the last comparison, and one of `one_of` accesses
    /// is sampled.
    pub(super) fn compare(&mut self, written: f32, one_of: f32) {
        self.written += written;
        self.adapt_trust();
        let missing = self.missing();
        let writes = self.written / (self.missed_by_lru * one_of).max(1.0);
        let step = if missing > TOLERANCE {
            -0.15
        } else if writes > WRITES_MAX {
            0.10
        } else if writes < 0.8 * WRITES_MAX {
            -0.05
        } else {
            0.0
        };
        self.degree = (self.degree + step).clamp(0.0, DEGREE_MAX);
        self.fade(FADE);
    }

    /// Reduces trust where the model cache that ranks by density has fewer hits than the one by LRU, on the same accesses.
    fn adapt_trust(&mut self) {
        if self.sampled <= TRUST_SAMPLED_MIN {
            return;
        }
        let ahead = (self.by_density - self.by_lru) / self.sampled;
        if ahead < -DISTRUST {
            self.trust = (self.trust * LESS_TRUST).max(TRUST_MIN);
        } else if ahead > 0.0 {
            self.trust = (self.trust * MORE_TRUST).min(1.0);
        }
    }

    /// Returns the number of hits that the cache should have had and had not, of all accesses: below zero if it had more.
    fn missing(&self) -> f32 {
        let gain_wanted = if self.degree < 1.0 { GAIN_WANTED } else { GAIN_WANTED_BEYOND };
        let wanted = self.by_lru + gain_wanted * (self.by_density - self.by_lru).max(0.0);
        (wanted - self.served) / self.sampled.max(1.0)
    }

    /// Multiplies earlier counts by `factor`, and starts the count of `behind` again.
    fn fade(&mut self, factor: f32) {
        self.behind = 0.0;
        for count in [
            &mut self.by_lru,
            &mut self.by_density,
            &mut self.served,
            &mut self.sampled,
            &mut self.written,
            &mut self.missed_by_lru,
        ] {
            *count *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(had: ModelHits, served: bool, written: f32) -> f32 {
        let mut strictness = Strictness::new(Aim::Balance);
        (0..1_000).for_each(|_| strictness.sampled(had, served, 1.0));
        strictness.compare(written, 1.0);
        strictness.degree
    }

    fn had(by_lru: bool, by_density: bool) -> ModelHits {
        ModelHits { by_lru, by_density, came_back: false }
    }

    #[test]
    fn it_is_less_strict_where_hits_are_missing_and_stricter_where_much_is_written() {
        let [both, none] = [true, false].map(|yes| had(yes, yes));
        assert!(after(both, false, 0.0) < DEGREE_FIRST, "all hits are missing");
        assert!(after(none, false, 900.0) > DEGREE_FIRST, "nobody has hits, and much is written");
        assert!(after(none, false, 10.0) < DEGREE_FIRST, "little is written");
        assert!((after(none, false, 200.0) - DEGREE_FIRST).abs() < 1e-6, "as much as may be");
        let mut sparse = Strictness::new(Aim::Balance);
        (0..1_000).for_each(|_| sparse.sampled(none, false, 1.0 / 16.0));
        sparse.compare(200.0, 1.0);
        assert!(sparse.degree > DEGREE_FIRST, "much, where a sixteenth of each block was asked for");
        let dense = had(false, true);
        assert!(after(dense, false, 900.0) < DEGREE_FIRST, "what density has is wanted too");
    }

    #[test]
    fn beyond_one_it_asks_more_of_newcomers_alone_and_only_where_most_of_the_gain_is_had() {
        let [lru, dense] = [false, true].map(|by_density| had(!by_density, by_density));
        // Of accesses that density has and LRU has not, some are served.
        let after = |served: usize, comparisons: usize| {
            let mut strictness = Strictness::new(Aim::Balance);
            for _ in 0..comparisons {
                (0..1_000).for_each(|at| strictness.sampled(dense, at < served, 1.0));
                strictness.compare(900.0, 1.0);
            }
            strictness
        };
        let [some, most] = [500, 900].map(|served| after(served, 100));
        assert!((0.8..1.2).contains(&some.degree), "half of the gain is enough up to one: {}", some.degree);
        assert!((most.degree - DEGREE_MAX).abs() < 1e-6, "{}", most.degree);
        let [at_one, beyond] = [some, most].map(|strictness| strictness.thresholds());
        assert!(beyond.admit > 3.0 * at_one.admit, "{beyond:?} {at_one:?}");
        assert!((beyond.keep - 0.03).abs() < 1e-6, "what stays is not judged harder");
        let mut strict = after(900, 100);
        (0..10_000).for_each(|_| strict.sampled(lru, false, 1.0));
        strict.compare(0.0, 1.0);
        assert!(strict.degree < DEGREE_MAX, "hits are missing");
    }

    #[test]
    fn it_does_not_wait_where_lru_has_plainly_more() {
        let [lru, none] = [true, false].map(|yes| had(yes, false));
        let of = |missing: usize, met: usize| {
            let mut strictness = Strictness::new(Aim::Balance);
            (0..met).for_each(|_| strictness.sampled(lru, true, 1.0));
            (0..missing).for_each(|_| strictness.sampled(lru, false, 1.0));
            strictness
        };
        assert!(!of(49, 0).is_left_behind(), "few");
        assert!(!of(60, 6_000).is_left_behind(), "few of all");
        assert!(of(60, 5_000).is_left_behind());
        let mut plain = of(60, 0);
        plain.degree = 2.0;
        plain.compare(900.0, 1.0);
        assert!((plain.degree - 1.85).abs() < 1e-6, "by a step, like any other: {}", plain.degree);
        assert!(!plain.is_left_behind(), "what was is said");
        let mut filling = of(60, 0);
        filling.forget();
        assert!(!filling.is_left_behind());
        let mut loose = of(60, 0);
        loose.degree = 0.0;
        assert!(!loose.is_left_behind(), "it can do no more");
        let mut ahead = Strictness::new(Aim::Balance);
        (0..400).for_each(|_| ahead.sampled(none, true, 1.0));
        ahead.compare(900.0, 1.0);
        (0..300).for_each(|_| ahead.sampled(lru, false, 1.0));
        assert!(!ahead.is_left_behind(), "it has more than LRU but for what comes now");
    }

    #[test]
    fn more_is_given_up_where_everything_enters() {
        let to_give_up =
            |degree| Strictness { degree, ..Strictness::new(Aim::Balance) }.thresholds().to_give_up;
        let shares = [0.0, 0.5, 1.0, 4.0].map(to_give_up);
        assert!(
            shares.is_sorted_by(|looser, stricter| looser >= stricter) && shares[0] > shares[1],
            "{shares:?}"
        );
        assert_eq!(shares[2].to_bits(), shares[3].to_bits());
    }

    #[test]
    fn with_hits_first_what_was_learned_is_trusted_as_far_as_it_has_what_lru_has() {
        let [lru, dense] = [true, false].map(|by_lru| had(by_lru, !by_lru));
        let mut strictness = Strictness::new(Aim::Hits);
        let mut after = |had: ModelHits, comparisons: usize| {
            for _ in 0..comparisons {
                (0..1_000).for_each(|_| strictness.sampled(had, true, 1.0));
                strictness.compare(0.0, 1.0);
                strictness.forget();
            }
            strictness.trust()
        };
        let [first, least, again] = [after(lru, 1), after(lru, 20), after(dense, 30)];
        assert!((first - 0.5).abs() < 1e-6 && (least - TRUST_MIN).abs() < 1e-6, "{first} and {least}");
        assert!((again - 1.0).abs() < 1e-6, "{again}");
        let mut few = Strictness::new(Aim::Hits);
        (0..100).for_each(|_| few.sampled(lru, true, 1.0));
        few.compare(0.0, 1.0);
        assert!((few.trust() - 1.0).abs() < 1e-6, "few accesses say nothing");
        let mut balanced = Strictness::new(Aim::Balance);
        (0..1_000).for_each(|_| balanced.sampled(lru, true, 1.0));
        balanced.compare(0.0, 1.0);
        assert!((balanced.trust() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn hits_first_knows_no_strictness() {
        let mut strictness = Strictness::new(Aim::Hits);
        strictness.compare(1e6, 1.0);
        assert_eq!(strictness.thresholds(), HITS);
    }
}
