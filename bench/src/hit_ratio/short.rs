//! Short form, for every change: a generated trace, a few sizes, and bounds for the served policy.
//!
//! Bounds are today's results and a margin, so that they show a deterioration, not the quality: the report on real traces shows that. When
//! the policy improves permanently, they are tightened.

use std::time::Instant;

use hitsim::Policy;
use hitsim::policies::Reference;

use super::{Depth, collect, judge, large_blocks, made_up, served, simulate, tables};

/// Bound of a figure.
struct Bound {
    what: &'static str,
    /// Returns its value of [`Figures`].
    found: fn(&Figures) -> f64,
    limit: f64,
    direction: Direction,
}

#[derive(Clone, Copy)]
enum Direction {
    AtLeast,
    AtMost,
}

/// Figures with bounds.
pub(super) struct Figures {
    pub(super) gap_mean: f64,
    pub(super) gap_worst: f64,
    /// Flash writes relative to an LRU that admits everything, mean at 10 and 20 %.
    pub(super) flash_writes: f64,
    /// Pages written per missed page, with the default block size of a disk, mean of the same sizes.
    pub(super) written_of_large_blocks: f64,
    /// Pages written per access of a disk with random reads of a page, with the same blocks.
    pub(super) written_at_random: f64,
    /// Points of hit ratio.
    pub(super) overwritten_worst: f64,
    pub(super) scanned_worst: f64,
}

const BOUNDS: [Bound; 7] = [
    Bound::at_least("gap closed, mean", |figures| figures.gap_mean, 0.12),
    Bound::at_least("gap closed, worst", |figures| figures.gap_worst, -0.05),
    Bound::at_most("flash writes x LRU at 10 and 20 %", |figures| figures.flash_writes, 0.35),
    Bound::at_most(
        "pages written for each page missed, blocks of 64 KiB",
        |figures| figures.written_of_large_blocks,
        1.0,
    ),
    Bound::at_most(
        "pages written an access, single pages at random, blocks of 64 KiB",
        |figures| figures.written_at_random,
        0.6,
    ),
    Bound::at_most("points lost by guests' overwrites, worst", |figures| figures.overwritten_worst, 0.3),
    Bound::at_most("points lost by a scan, worst", |figures| figures.scanned_worst, 2.0),
];

impl Bound {
    const fn at_least(what: &'static str, found: fn(&Figures) -> f64, limit: f64) -> Self {
        Self { what, found, limit, direction: Direction::AtLeast }
    }

    const fn at_most(what: &'static str, found: fn(&Figures) -> f64, limit: f64) -> Self {
        Self { what, found, limit, direction: Direction::AtMost }
    }

    fn is_kept(&self, figures: &Figures) -> bool {
        let found = (self.found)(figures);
        // A value that is not a number violates the bound.
        match self.direction {
            Direction::AtLeast => found >= self.limit,
            Direction::AtMost => found <= self.limit,
        }
    }

    fn wanted(&self) -> String {
        let direction = match self.direction {
            Direction::AtLeast => "at least",
            Direction::AtMost => "at most",
        };
        format!("{direction} {}", self.limit)
    }
}

/// Simulates, prints, and compares.
///
/// # Errors
/// If the served policy violates bounds: a sentence that names each.
pub(crate) fn report() -> Result<(), String> {
    let started = Instant::now();
    let requests = made_up::requests();
    let workload = collect(&requests)?;
    let references = [Reference::Lru, Reference::Belady].map(Policy::Reference);
    let policies: Vec<Policy> = served().chain(references).collect();
    let plain = simulate(&workload, &policies, &super::as_reads());
    let judged = [judge("made up", &requests, &workload, plain, Depth::Judged)?];
    tables::print(&judged);
    let at_random = large_blocks::at_random()?;
    large_blocks::print_at_random(&at_random);
    let [_, at_random] = &at_random;
    let figures = tables::figures(&judged, at_random);
    println!("\n### Bounds\n\n| what | is | wanted |\n|---|---|---|");
    for bound in &BOUNDS {
        println!("| {} | {:.3} | {} |", bound.what, (bound.found)(&figures), bound.wanted());
    }
    println!("\nAll of it took {} s.", started.elapsed().as_secs());
    let missed: Vec<String> = BOUNDS
        .iter()
        .filter(|bound| !bound.is_kept(&figures))
        .map(|bound| {
            format!("{} is {:.3}, {} is wanted", bound.what, (bound.found)(&figures), bound.wanted())
        })
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("The served policy is worse than it was: {}", missed.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Figures = Figures {
        gap_mean: 0.13,
        gap_worst: -0.04,
        flash_writes: 0.3,
        written_of_large_blocks: 0.5,
        written_at_random: 0.2,
        overwritten_worst: 0.3,
        scanned_worst: 1.3,
    };

    fn missed(figures: &Figures) -> Vec<&'static str> {
        BOUNDS.iter().filter(|bound| !bound.is_kept(figures)).map(|bound| bound.what).collect()
    }

    #[test]
    fn what_is_worse_than_a_bound_or_no_number_is_named() {
        assert!(missed(&GOOD).is_empty());
        assert_eq!(
            missed(&Figures { gap_mean: -0.06, ..GOOD }),
            ["gap closed, mean"],
            "what admits everything has"
        );
        assert_eq!(missed(&Figures { scanned_worst: 2.01, ..GOOD }), ["points lost by a scan, worst"]);
        assert_eq!(missed(&Figures { flash_writes: f64::NAN, gap_worst: f64::NAN, ..GOOD }).len(), 2);
    }
}
