//! The workload of the demonstration: skewed 8 KiB requests, a fixed number in flight over one NBD connection.
//!
//! Every block of the disk holds its own number, which each read checks: the demonstration verifies data as
//! well as speed.

use std::io;
use std::time::{Duration, Instant};

use doors::nbd::Client;
use doors::nbd::wire::Command;
use hdrhistogram::Histogram;
use workload::Ranks;

/// Bytes of a request.
pub(crate) const REQUEST_BYTES: u32 = 8 << 10;
/// Requests in flight.
pub(crate) const DEPTH: usize = 16;
/// Writes among a thousand requests.
const WRITES_PER_MILLE: u64 = 10;
/// Skew: the probability of the block of rank r falls with r to this power.
const SKEW: f64 = 1.2;
/// Time between reports of progress.
const TICK: Duration = Duration::from_millis(250);

/// Distribution of requests over blocks.
pub(crate) struct Workload {
    ranks: Ranks,
    /// The block of each rank, so that hot blocks are scattered.
    blocks: Vec<u64>,
    chance: u64,
}

/// Measurements of the client for a while.
pub(crate) struct Observed {
    pub(crate) reads: Histogram<u64>,
    pub(crate) requests: u64,
    pub(crate) elapsed: Duration,
}

impl Observed {
    fn new() -> Self {
        // A microsecond to a minute, in nanoseconds.
        let reads = Histogram::new_with_bounds(1_000, 60_000_000_000, 3);
        Self {
            reads: reads.expect("the bounds are constants that satisfy the histogram's own limits"),
            requests: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// Returns requests a second.
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    pub(crate) fn iops(&self) -> f64 {
        self.requests as f64 / self.elapsed.as_secs_f64().max(0.001)
    }
}

impl Workload {
    /// Returns the workload on a disk of `bytes` bytes; equal seeds give equal blocks.
    pub(crate) fn new(bytes: u64, seed: u64) -> Self {
        let count = bytes / u64::from(REQUEST_BYTES);
        let ranks = Ranks::new(count as usize, SKEW);
        let mut workload = Self { ranks, blocks: (0..count).collect(), chance: seed };
        for last in (1..count as usize).rev() {
            let other = workload.draw() as usize % (last + 1);
            workload.blocks.swap(last, other);
        }
        workload
    }

    /// Runs for `duration` and calls `tick` with the measurements since the last call, a few times a second.
    ///
    /// # Errors
    /// If the server fails a request, or a block does not hold its number.
    pub(crate) fn run(
        &mut self,
        client: &mut Client,
        duration: Duration,
        mut tick: impl FnMut(&Observed),
    ) -> io::Result<Observed> {
        let started = Instant::now();
        let (mut all, mut since_tick) = (Observed::new(), Observed::new());
        let mut in_flight: Vec<(u64, u64, Command, Instant)> = Vec::with_capacity(DEPTH);
        let (mut ticked, mut sending) = (started, true);
        loop {
            while sending && in_flight.len() < DEPTH {
                in_flight.push(self.send(client)?);
            }
            if in_flight.is_empty() {
                break;
            }
            let answer = client.receive()?;
            let position = in_flight.iter().position(|(cookie, ..)| *cookie == answer.cookie);
            let position =
                position.ok_or_else(|| io::Error::other("The server answered what was not asked"))?;
            let (_, block, command, sent) = in_flight.swap_remove(position);
            if let Some(error) = answer.error {
                return Err(io::Error::other(format!("The server failed a request: {error:?}")));
            }
            if command == Command::Read {
                check(block, &answer.data)?;
                let nanos = sent.elapsed().as_nanos() as u64;
                all.reads.saturating_record(nanos);
                since_tick.reads.saturating_record(nanos);
            }
            all.requests += 1;
            since_tick.requests += 1;
            let now = Instant::now();
            sending = now - started < duration;
            if now - ticked >= TICK {
                since_tick.elapsed = now - ticked;
                tick(&since_tick);
                (since_tick, ticked) = (Observed::new(), now);
            }
        }
        all.elapsed = started.elapsed();
        Ok(all)
    }

    fn send(&mut self, client: &mut Client) -> io::Result<(u64, u64, Command, Instant)> {
        let block = self.draw_block();
        let offset = block * u64::from(REQUEST_BYTES);
        let writes = self.draw() % 1000 < WRITES_PER_MILLE;
        let sent = Instant::now();
        let (command, cookie) = if writes {
            let cookie = client.send(Command::Write, 0, offset, REQUEST_BYTES, &content(block))?;
            (Command::Write, cookie)
        } else {
            (Command::Read, client.send(Command::Read, 0, offset, REQUEST_BYTES, &[])?)
        };
        Ok((cookie, block, command, sent))
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits of chance are plenty")]
    fn draw_block(&mut self) -> u64 {
        let chance = (self.draw() >> 11) as f64 / (1u64 << 53) as f64;
        self.blocks[self.ranks.draw(chance)]
    }

    /// Returns the next number of a xorshift generator (Marsaglia, "Xorshift RNGs", 2003).
    fn draw(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance
    }
}

/// Returns the content of a block: its number, repeated.
pub(crate) fn content(block: u64) -> Vec<u8> {
    block.to_le_bytes().repeat(REQUEST_BYTES as usize / 8)
}

fn check(block: u64, data: &[u8]) -> io::Result<()> {
    let number = block.to_le_bytes();
    if data.len() == REQUEST_BYTES as usize && data.chunks_exact(8).all(|word| word == number) {
        return Ok(());
    }
    Err(io::Error::other(format!("Block {block} does not hold what was written to it; please report this")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_blocks_get_most_requests_and_equal_seeds_the_same_ones() {
        let (mut one, mut other) = (Workload::new(16 << 20, 7), Workload::new(16 << 20, 7));
        let mut counts = vec![0u32; 2048];
        for _ in 0..100_000 {
            let block = one.draw_block();
            assert_eq!(block, other.draw_block());
            counts[block as usize] += 1;
        }
        counts.sort_unstable_by(|a, b| b.cmp(a));
        assert!(
            counts[..204].iter().sum::<u32>() > 60_000,
            "a tenth of the blocks gets most of the requests"
        );
    }

    #[test]
    fn wrong_content_is_noticed() {
        assert!(check(5, &content(5)).is_ok());
        assert!(check(5, &content(6)).is_err());
        assert!(check(5, &content(5)[..100]).is_err());
    }
}
