//! Numbered places that grow chunk by chunk: no doubling, so memory never exceeds what is used by more than a chunk.

use super::learned::Dice;

const CHUNK: usize = 1024;

/// Values in numbered slots. A slot keeps its number until it is freed.
pub(crate) struct Slab<T> {
    chunks: Vec<Box<[T]>>,
    free: Vec<u32>,
    used: usize,
}

impl<T: Default + Clone> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), used: 0 }
    }

    pub(crate) fn insert(&mut self, value: T) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            let next = self.used + self.free.len();
            if next == self.chunks.len() * CHUNK {
                self.chunks.push(vec![T::default(); CHUNK].into_boxed_slice());
            }
            next as u32
        });
        self.used += 1;
        *self.get_mut(slot) = value;
        slot
    }

    pub(crate) fn remove(&mut self, slot: u32) -> T {
        self.used -= 1;
        self.free.push(slot);
        std::mem::take(self.get_mut(slot))
    }

    pub(crate) fn get(&self, slot: u32) -> &T {
        &self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut T {
        &mut self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// Some slot, used or free, by chance; none if there is none.
    pub(crate) fn draw(&self, dice: &mut Dice) -> Option<u32> {
        let ever_used = self.used + self.free.len();
        (ever_used > 0).then(|| dice.below(ever_used) as u32)
    }

    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Bytes of RAM taken, free slots included.
    pub(crate) fn bytes(&self) -> u64 {
        let slots = self.chunks.len() * CHUNK * size_of::<T>();
        (slots + self.free.capacity() * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again_and_keep_their_values() {
        let mut slab = Slab::new();
        let slots: Vec<_> = (0..3000u64).map(|value| slab.insert(value)).collect();
        for (value, slot) in slots.iter().enumerate().filter(|(value, _)| value % 3 == 0) {
            assert_eq!(slab.remove(*slot), value as u64);
        }
        assert_eq!(slab.len(), 2000);
        let bytes = slab.bytes();
        for value in 0..1000 {
            slab.insert(value);
        }
        assert_eq!(slab.bytes(), bytes);
        assert_eq!(*slab.get(slots[1]), 1);
    }
}
