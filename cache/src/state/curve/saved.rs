//! Curves as bytes: for the time in which nobody serves the disk.

use super::{Count, Curve};
use crate::format::fields::{FieldReader, FieldWriter, Malformed};

impl Curve {
    /// Appends all that was counted, the samples, and how much of an hour has passed at `now`, in nanoseconds.
    pub(crate) fn encode(&self, now: u64, to: &mut FieldWriter) {
        to.u64(self.turn_began.map_or(0, |began| now.saturating_sub(began)));
        self.stacks.iter().for_each(|stack| stack.encode(to));
        let distances = self.reads.iter().chain([&self.accesses, &self.writes]);
        distances.for_each(|distances| distances.encode(to));
        to.f64(self.reads_of_written);
        let counted = &self.counted;
        for count in [counted.reads, counted.accesses, counted.writes] {
            to.f64(count.all());
        }
    }

    /// Takes what [`Self::encode`] appended, and goes on with the hour at `now`.
    pub(crate) fn decode(now: u64, from: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let mut curve = Self::new();
        curve.turn_began = Some(now.saturating_sub(from.u64()?));
        for (stack, bound) in curve.stacks.iter_mut().zip(&mut curve.bounds) {
            stack.decode(from)?;
            *bound = stack.bound();
        }
        for distances in curve.reads.iter_mut().chain([&mut curve.accesses, &mut curve.writes]) {
            *distances = super::Distances::decode(from)?;
        }
        curve.reads_of_written = from.f64()?;
        let counted = &mut curve.counted;
        for count in [&mut counted.reads, &mut counted.accesses, &mut counted.writes] {
            *count = Count { new: 0, faded: from.f64()? };
        }
        Ok(curve)
    }
}

#[cfg(test)]
mod tests {
    use block::{ByteRange, PAGE};

    use super::*;
    use crate::state::curve::Use;
    use crate::state::hash::hash;

    /// Uses of some pages more often than of others, some of them writes, from a step on.
    fn observe(curve: &mut Curve, steps: std::ops::Range<u64>) {
        for step in steps {
            let page = hash(step) % (1 + step % 40_000);
            let usage = if step.is_multiple_of(3) { Use::Write } else { Use::Read };
            // So that hours pass.
            curve.observe(&ByteRange::at(page * PAGE, 3 * PAGE), usage, step * 1_000_000_000);
        }
    }

    /// The time at which curves are saved and go on.
    const NOW: u64 = 100_000_000_000_000;

    fn encoded(curve: &Curve) -> Vec<u8> {
        let mut to = FieldWriter::default();
        curve.encode(NOW, &mut to);
        to.into_bytes()
    }

    #[test]
    fn a_curve_goes_on_as_if_it_had_never_been_saved() {
        let mut curve = Curve::new();
        observe(&mut curve, 0..100_000);
        let bytes = encoded(&curve);
        let mut from = FieldReader::new(&bytes);
        let mut restored = Curve::decode(NOW, &mut from).expect("it was saved just now");
        assert!(from.rest().is_empty());
        assert_eq!(restored.curves(), curve.curves());
        assert_eq!(encoded(&restored), bytes);
        observe(&mut restored, 100_000..103_000);
        observe(&mut curve, 100_000..103_000);
        assert_eq!(restored.curves(), curve.curves());
    }

    #[test]
    fn a_new_curve_can_be_saved_and_bytes_that_are_no_curve_are_refused() {
        let bytes = encoded(&Curve::new());
        assert!(Curve::decode(NOW, &mut FieldReader::new(&bytes)).is_ok());
        let mut curve = Curve::new();
        observe(&mut curve, 0..40);
        let bytes = encoded(&curve);
        for len in 0..bytes.len() {
            assert!(Curve::decode(NOW, &mut FieldReader::new(&bytes[..len])).is_err(), "{len}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            // Whatever is accepted can be used.
            if let Ok(mut curve) = Curve::decode(NOW, &mut FieldReader::new(&damaged)) {
                observe(&mut curve, 40..44);
            }
        }
    }
}
