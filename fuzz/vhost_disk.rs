//! Disk behind a fuzzed door, and canary bytes that the door must never see.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

use block::{
    BlockDevice, BlockError, Buffer, ByteRange, Geometry, Memory, Operation, Outcome, Unmap, WantedRange,
};

/// Size of the disk in bytes.
pub(crate) const DISK: u64 = 1 << 20;
/// Number of bytes that are not zero at first.
const FULL: usize = 64 << 10;
const CONTENT: u8 = 0x5a;
/// Unit of immediate answers.
const PAGE: u64 = 4096;
/// Bytes that are returned at a time, as a cache returns them in pieces; no divisor of anything.
const PIECE: usize = 1536;

/// Content of everything that a door must neither read nor write: one word, repeated, that is derived from the whole input. So an input can
/// neither contain it, nor compose it of pieces.
#[derive(Clone, Copy)]
pub(crate) struct Canary(u64);

impl Canary {
    pub(crate) fn of(input: &[u8]) -> Self {
        // FNV-1a, and then the end of splitmix64: one byte of the input changes all of the word.
        let hash = input.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mixed = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(mixed ^ mixed >> 31)
    }

    pub(crate) fn repeated(self, bytes: usize) -> Vec<u8> {
        self.0.to_ne_bytes().into_iter().cycle().take(bytes).collect()
    }

    /// Returns true if a whole word of it is among these bytes, beginning anywhere in the word.
    pub(crate) fn is_in(self, bytes: &[u8]) -> bool {
        let words: [u64; 8] = std::array::from_fn(|byte| self.0.rotate_left(8 * byte as u32));
        let windows = bytes.windows(size_of::<u64>());
        windows
            .filter_map(|window| window.first_chunk())
            .any(|word| words.contains(&u64::from_ne_bytes(*word)))
    }
}

/// Disk in memory that answers every other page at once, while requests to every fourth one are suspended once.
pub(crate) struct Disk {
    memory: Memory,
    canary: Canary,
    /// Number of reads that were answered at once.
    at_hand: Cell<u64>,
}

impl Disk {
    pub(crate) fn new(canary: Canary) -> Self {
        let memory = Memory::new(DISK);
        memory.poke(0, &vec![CONTENT; FULL]);
        Self { memory, canary, at_hand: Cell::new(0) }
    }

    pub(crate) fn at_hand(&self) -> u64 {
        self.at_hand.get()
    }

    fn gives(&self, range: ByteRange) -> bool {
        let is_at_hand = (range.start / PAGE).is_multiple_of(2);
        let is_read = || self.geometry().check(Operation::Read, range.start, range.len()).is_ok();
        !range.is_empty() && is_at_hand && is_read()
    }
}

/// Suspends requests to some pages once.
async fn turn(offset: u64) {
    let mut waits = offset / PAGE % 4 == 1;
    poll_fn(|context| {
        if std::mem::take(&mut waits) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
}

impl BlockDevice for Disk {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        turn(offset).await;
        self.memory.read(offset, buffer).await
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        for (place, WantedRange { range, given }) in wanted.iter_mut().enumerate() {
            *given = self.gives(*range);
            if *given {
                let mut bytes = vec![0; range.len() as usize];
                self.memory.peek(range.start, &mut bytes);
                bytes.chunks(PIECE).for_each(|piece| take(place, piece));
                self.at_hand.set(self.at_hand.get() + 1);
            }
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        assert!(!self.canary.is_in(&buffer), "something outside of what is shared reached the disk");
        turn(offset).await;
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.memory.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        turn(range.start).await;
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        turn(range.start).await;
        self.memory.discard(range).await
    }
}
