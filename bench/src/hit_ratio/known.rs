//! What is known of the traces: miss ratios in `baseline.csv`, which others' simulators gave.

use std::path::Path;

use hitsim::policies::{Aim, Reference};
use hitsim::{Policy, Row};

use super::BLOCK_BYTES;

/// A miss ratio that is known.
pub(super) struct Known {
    trace: String,
    blocks: u64,
    policy: String,
    miss_ratio: f64,
}

/// Half of the sixth digit.
const EXACT: f64 = 0.000_000_51;
/// What ARC is known to differ by.
const ARC_WITHIN: f64 = 0.000_6;

/// What was compared so far.
#[derive(Default)]
pub(super) struct Checked {
    exact: u32,
    arc: u32,
    arc_most: f64,
    /// Of policies of which several variants are published: name, points, sum and largest of differences.
    others: Vec<(Reference, u32, f64, f64)>,
}

/// Reads `baseline.csv`.
///
/// # Errors
/// If it is absent, or a line has another shape: a sentence.
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

/// What a policy is called there.
fn name(reference: Reference) -> &'static str {
    match reference {
        Reference::Fifo => "FIFO",
        Reference::Lru => "LRU",
        Reference::Clock => "CLOCK",
        Reference::Arc => "ARC",
        Reference::Lirs => "LIRS",
        Reference::TwoQ => "2Q",
        Reference::S3Fifo => "S3-FIFO",
        Reference::Sieve => "SIEVE",
        Reference::WTinyLfu(1) => "W-TinyLFU-1%",
        Reference::WTinyLfu(_) => "W-TinyLFU-20%",
        Reference::Learned(Aim::Balance) => "learned",
        Reference::Learned(Aim::Hits) => "learned:hits",
        Reference::Belady => "Belady",
    }
}

impl Checked {
    /// Compares rows of references with what is known.
    ///
    /// # Errors
    /// If one that is exact differs: a sentence.
    pub(super) fn compare(&mut self, trace: &str, known: &[Known], rows: &[Row]) -> Result<(), String> {
        for row in rows {
            let Policy::Reference(reference) = row.point.policy else { continue };
            let blocks = row.point.size_bytes / u64::from(BLOCK_BYTES);
            let same = |known: &&Known| {
                known.trace == trace && known.blocks == blocks && known.policy == name(reference)
            };
            let Some(known) = known.iter().find(same) else { continue };
            let differs = (row.miss_ratio() - known.miss_ratio).abs();
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
                let (found, known) = (row.miss_ratio(), known.miss_ratio);
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

    /// What came of it.
    pub(super) fn sentence(&self) -> String {
        let others = self.others.iter().map(|(reference, points, sum, most)| {
            format!("{reference} {:.4} (at most {most:.4})", sum / f64::from(*points))
        });
        format!(
            "FIFO, LRU and Belady meet all {} known miss ratios to six digits; ARC meets {} within {:.6}. Of the others several \
             variants are published; mean difference: {}.",
            self.exact,
            self.arc,
            self.arc_most,
            others.collect::<Vec<_>>().join(", ")
        )
    }
}
