//! Known results of the traces: miss ratios in `baseline.csv`, from simulators of others.

use std::path::Path;

use hitsim::policies::Reference;
use hitsim::{Policy, Row};

use super::BLOCK_BYTES;

/// Known miss ratio.
pub(super) struct Known {
    trace: String,
    blocks: u64,
    policy: String,
    miss_ratio: f64,
}

/// Half of the sixth digit.
const EXACT: f64 = 0.000_000_51;
/// Known difference of ARC.
const ARC_WITHIN: f64 = 0.000_6;

/// Tolerance of the others' average: today's difference, and a margin. A wrong list or constant differs by more.
const MEAN_WITHIN: [(Reference, f64); 7] = [
    (Reference::Clock, 0.000_1),
    (Reference::TwoQ, 0.000_1),
    (Reference::Sieve, 0.000_1),
    (Reference::Lirs, 0.001),
    (Reference::S3Fifo, 0.001),
    (Reference::WTinyLfu(1), 0.01),
    (Reference::WTinyLfu(20), 0.008),
];

/// Results of the comparisons so far.
#[derive(Default)]
pub(super) struct Checked {
    exact: u32,
    arc: u32,
    arc_most: f64,
    /// Policies with several published variants: name, points, sum and largest of differences.
    others: Vec<(Reference, u32, f64, f64)>,
}

/// Reads `baseline.csv`.
///
/// # Errors
/// If it is absent, or a line has another form: a sentence.
pub(super) fn read(folder: &Path) -> Result<Vec<Known>, String> {
    let file = folder.join("baseline.csv");
    let text = std::fs::read_to_string(&file).map_err(|error| {
        format!("Cannot read {}: {error}; name the folder of the traces and of baseline.csv", file.display())
    })?;
    let lines = text.lines().enumerate().skip(1).filter(|(_, line)| !line.contains('"'));
    lines
        .map(|(at, line)| {
            let fields: Vec<&str> = line.split(',').collect();
            let known = match fields[..] {
                [trace, _, blocks, policy, miss_ratio, ..] => {
                    blocks.parse().ok().zip(miss_ratio.parse().ok()).map(|(blocks, miss_ratio)| Known {
                        trace: trace.to_owned(),
                        blocks,
                        policy: policy.to_owned(),
                        miss_ratio,
                    })
                }
                _ => None,
            };
            known.ok_or_else(|| format!("Cannot read line {} of {}: {line}", at + 1, file.display()))
        })
        .collect()
}

/// Returns the name of a policy there.
fn name(reference: Reference) -> &'static str {
    match reference {
        Reference::Fifo => "FIFO",
        Reference::Lru => "LRU",
        Reference::Clock => "CLOCK",
        Reference::Arc => "ARC",
        Reference::Lirs => "LIRS",
        Reference::TwoQ => "2Q",
        Reference::S3Fifo => "S3-FIFO",
        Reference::ClockTwoQPlus => "Clock2Q+",
        Reference::Sieve => "SIEVE",
        Reference::WTinyLfu(1) => "W-TinyLFU-1%",
        Reference::WTinyLfu(_) => "W-TinyLFU-20%",
        Reference::GlCache => "GL-Cache",
        Reference::Belady => "Belady",
    }
}

impl Checked {
    /// Compares rows of references with all known results of a trace.
    ///
    /// # Errors
    /// If an exact one differs, or if there is no row for a known result: a sentence.
    pub(super) fn compare(&mut self, trace: &str, known: &[Known], rows: &[Row]) -> Result<(), String> {
        let mut known = known.iter().filter(|known| known.trace == trace).peekable();
        if known.peek().is_none() {
            return Err(format!("baseline.csv knows nothing of {trace}: nothing was checked"));
        }
        for Known { blocks, policy, miss_ratio: known, .. } in known {
            let is_same = |row: &&Row| {
                row.point.size_bytes / u64::from(BLOCK_BYTES) == *blocks
                    && matches!(row.point.policy, Policy::Reference(reference) if name(reference) == policy)
            };
            let row = rows.iter().find(is_same).ok_or_else(|| {
                format!("baseline.csv knows {policy} of {blocks} blocks on {trace}, and that was not simulated: see SIZES and name()")
            })?;
            let Policy::Reference(reference) = row.point.policy else { continue };
            let differs = (row.miss_ratio() - known).abs();
            let within = match reference {
                Reference::Fifo | Reference::Lru | Reference::Belady => {
                    self.exact += 1;
                    EXACT
                }
                Reference::Arc => {
                    self.arc += 1;
                    self.arc_most = self.arc_most.max(differs);
                    ARC_WITHIN
                }
                _ => {
                    self.note(reference, differs);
                    continue;
                }
            };
            if differs > within {
                let found = row.miss_ratio();
                return Err(format!(
                    "{reference} of {blocks} blocks on {trace} misses {found:.6}, and {known:.6} is known: the simulator is wrong"
                ));
            }
        }
        Ok(())
    }

    fn note(&mut self, reference: Reference, differs: f64) {
        match self.others.iter_mut().find(|other| other.0 == reference) {
            Some((_, points, sum, most)) => {
                *points += 1;
                *sum += differs;
                *most = most.max(differs);
            }
            None => self.others.push((reference, 1, differs, differs)),
        }
    }

    /// Returns a summary.
    ///
    /// # Errors
    /// If a policy was compared nowhere, or differs by more than its bound on average: a sentence.
    pub(super) fn sentence(&self) -> Result<String, String> {
        if self.exact == 0 || self.arc == 0 {
            return Err(
                "baseline.csv knows no FIFO, LRU and Belady, or no ARC: nothing was checked".to_owned()
            );
        }
        let mut others = Vec::new();
        for (reference, within) in MEAN_WITHIN {
            let found = self.others.iter().find(|other| other.0 == reference);
            let (_, points, sum, most) =
                found.ok_or_else(|| format!("baseline.csv knows no {reference}: it was not checked"))?;
            let mean = sum / f64::from(*points);
            if mean > within {
                return Err(format!(
                    "{reference} differs by {mean:.6} on average from what is known, and {within} is the bound: the simulator is wrong"
                ));
            }
            others.push(format!("{reference} {mean:.4} (at most {most:.4})"));
        }
        Ok(format!(
            "FIFO, LRU and Belady meet all {} known miss ratios to six digits; ARC meets {} within {:.6}. Of the others several \
             variants are published; mean difference: {}.",
            self.exact,
            self.arc,
            self.arc_most,
            others.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use hitsim::{Point, Tally};

    use super::*;

    /// Returns known results of ten blocks of trace `t`: half of all accesses miss.
    fn known(policies: &[&str]) -> Vec<Known> {
        let known = |policy: &&str| Known {
            trace: "t".to_owned(),
            blocks: 10,
            policy: (*policy).to_owned(),
            miss_ratio: 0.5,
        };
        policies.iter().map(known).collect()
    }

    /// Returns a row of every reference with so many misses of ten thousand.
    fn rows(misses: impl Fn(Reference) -> u64) -> Vec<Row> {
        let row = |reference| Row {
            point: Point {
                policy: Policy::Reference(reference),
                size_bytes: 40960,
                block_bytes: BLOCK_BYTES,
            },
            tally: Tally { accesses: 10_000, misses: misses(reference), ..Tally::default() },
            turnovers: None,
            again: None,
            flash_data_bytes: 0,
            served: None,
        };
        Reference::ALL.into_iter().map(row).collect()
    }

    const ALL: [&str; 11] = [
        "FIFO",
        "LRU",
        "Belady",
        "ARC",
        "CLOCK",
        "2Q",
        "SIEVE",
        "LIRS",
        "S3-FIFO",
        "W-TinyLFU-1%",
        "W-TinyLFU-20%",
    ];

    #[test]
    fn what_is_known_and_not_compared_is_an_error() {
        let rows = rows(|_| 5000);
        let mut checked = Checked::default();
        checked.compare("t", &known(&ALL), &rows).unwrap();
        assert!(checked.sentence().unwrap().contains("meet all 3 known"));
        let absent = checked.compare("u", &known(&ALL), &rows).unwrap_err();
        assert!(absent.contains("nothing of u"), "{absent}");
        let unknown = checked.compare("t", &known(&["LRU", "MQ"]), &rows).unwrap_err();
        assert!(unknown.contains("knows MQ of 10 blocks"), "{unknown}");
        let mut other_size = known(&["LRU"]);
        other_size[0].blocks = 11;
        assert!(checked.compare("t", &other_size, &rows).unwrap_err().contains("LRU of 11 blocks"));
        assert!(Checked::default().sentence().is_err(), "nothing was compared");
        let mut without_lirs = Checked::default();
        let fewer: Vec<&str> = ALL.into_iter().filter(|policy| *policy != "LIRS").collect();
        without_lirs.compare("t", &known(&fewer), &rows).unwrap();
        assert!(without_lirs.sentence().unwrap_err().contains("no lirs"));
    }

    #[test]
    fn exact_policies_must_meet_and_others_stay_within_their_mean() {
        for (wrong, misses) in [(Reference::Lru, 5001), (Reference::Arc, 5007)] {
            let rows = rows(|reference| if reference == wrong { misses } else { 5000 });
            let error = Checked::default().compare("t", &known(&ALL), &rows).unwrap_err();
            assert!(error.contains("the simulator is wrong"), "{error}");
        }
        for (wrong, within) in MEAN_WITHIN {
            let rows = rows(|reference| if reference == wrong { 4890 } else { 5000 });
            let mut checked = Checked::default();
            checked.compare("t", &known(&ALL), &rows).unwrap();
            let error = checked.sentence().unwrap_err();
            assert!(error.contains(&format!("{wrong} differs by 0.011")), "{within}: {error}");
        }
    }
}
