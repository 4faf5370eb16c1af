//! Packed counters and latencies of a step.

use cache::{DiskCounts, LatencyCounts};

use crate::counted::Counted;

use super::ring::Content;
use super::summary::Summary;

/// All counters and latencies of a step, in few bytes.
#[derive(Debug)]
pub(super) struct Packed(pub(super) Box<[u8]>);

impl Packed {
    pub(super) fn counted(&self) -> Counted {
        unpack(&self.0)
    }
}

impl Content for Packed {
    fn of(counted: &Counted) -> Self {
        Self(pack(counted))
    }

    fn summary(&self) -> Summary {
        Summary::of(&self.counted())
    }
}

/// Returns them packed: most counters of a step are zero, and latencies lie close together.
pub(super) fn pack(counted: &Counted) -> Box<[u8]> {
    let mut bytes = Vec::new();
    counted.counts.named().for_each(|(_, count)| push(&mut bytes, count));
    for latency in &counted.latencies {
        push(&mut bytes, latency.sum_ns());
        push(&mut bytes, latency.classes().count() as u64);
        let mut before = 0;
        for (class, count) in latency.classes() {
            push(&mut bytes, u64::from(class - before));
            push(&mut bytes, count);
            before = class;
        }
    }
    bytes.into()
}

/// Returns the unpacked counts. The maxima of latencies are not kept: the bounds of their classes replace them.
fn unpack(bytes: &[u8]) -> Counted {
    let (counts, latencies) = (DiskCounts::default(), cache::Latency::ALL.map(|(_, name)| name));
    let counts: Vec<&str> = counts.named().map(|(name, _)| name).collect();
    unpack_named(bytes, &counts, &latencies).expect("we packed it")
}

/// Unpacks bytes in which counters and latencies follow in the order of these names; returns none if they are not packed so. Those without
/// a name are zero.
pub(super) fn unpack_named(mut bytes: &[u8], counts: &[&str], latencies: &[&str]) -> Option<Counted> {
    let numbers: Option<Vec<u64>> = counts.iter().map(|_| pull(&mut bytes)).collect();
    let numbers = numbers?;
    let measured: Option<Vec<LatencyCounts>> = latencies.iter().map(|_| pull_latency(&mut bytes)).collect();
    let measured = measured?;
    let number_of = |wanted: &str| Some(numbers[counts.iter().position(|name| *name == wanted)?]);
    let measured_of =
        |wanted: &str| Some(measured[latencies.iter().position(|name| *name == wanted)?].clone());
    bytes.is_empty().then(|| Counted {
        counts: DiskCounts::from_names(|name| number_of(name).unwrap_or(0)),
        latencies: cache::Latency::ALL.map(|(_, name)| measured_of(name).unwrap_or_default()),
    })
}

fn pull_latency(bytes: &mut &[u8]) -> Option<LatencyCounts> {
    let (sum_ns, length) = (pull(bytes)?, pull(bytes)?);
    let (mut class, mut classes) = (0_u64, Vec::new());
    for _ in 0..length {
        class = class.checked_add(pull(bytes)?)?;
        classes.push((u16::try_from(class).ok()?, pull(bytes)?));
    }
    // Bounds the maximum by its class.
    Some(LatencyCounts::from_parts(sum_ns, u64::MAX, classes).since(&LatencyCounts::default()))
}

/// Appends a number: seven bits a byte, the lowest first; the highest bit means that more follow.
pub(super) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes the next number; none if the bytes end before it does, or it is too large.
pub(super) fn pull(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use cache::Latency;

    use super::*;

    #[test]
    fn what_is_packed_is_the_same_again() {
        let latencies = cache::Latencies::default();
        (1..=300).for_each(|micros| latencies.record(Latency::ReadHitRam, micros * 1_000));
        let mut counted = Counted { latencies: latencies.snapshot(), ..Counted::default() };
        counted.counts.reads = 300;
        let again = unpack(&pack(&counted));
        assert_eq!(again.counts, counted.counts);
        let largest = again.latencies[Latency::ReadHitRam as usize].max_ns();
        assert!((300_000..310_000).contains(&largest), "that of its class: {largest}");
        let mut sum = Counted::default();
        sum.add(&again);
        assert_eq!(counted.since(&sum), Counted::default());
        for number in [0, 1, 127, 128, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            assert_eq!(pull(&mut bytes.as_slice()), Some(number));
            assert_eq!(pull(&mut &bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn names_say_what_counts_are_of() {
        let mut total = Counted::default();
        total.counts.reads = 9;
        let latencies = cache::Latencies::default();
        (0..9).for_each(|_| latencies.record(Latency::ReadMiss, 1_000));
        total.latencies = latencies.snapshot();
        let packed = pack(&total);
        let counts: Vec<&str> = DiskCounts::default().named().map(|(name, _)| name).collect();
        let latencies = Latency::ALL.map(|(_, name)| name);
        let renamed: Vec<&str> =
            counts.iter().map(|name| if *name == "reads" { "gone" } else { name }).collect();
        let again = unpack_named(&packed, &renamed, &latencies).expect("it was packed");
        assert_eq!((again.counts.reads, again.latencies[Latency::ReadMiss as usize].count()), (0, 9));
        assert!(unpack_named(&packed, &counts[1..], &latencies).is_none(), "one more than there are names");
    }
}
