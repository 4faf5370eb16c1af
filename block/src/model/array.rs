//! Work of the spindles of an array, and the times at which it is done.

use std::cell::Cell;

use super::profile::{Drive, Layout, Profile};
use crate::ByteRange;
use crate::executor::next_random;

/// Bytes that stay together on one spindle.
const CHUNK: u64 = 64 << 10;

/// Work done by the spindles of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Requests that spindles served.
    pub operations: u64,
    /// Nanoseconds spent seeking, all spindles together.
    pub seek_nanos: u64,
    /// Nanoseconds spent on requests, all spindles together.
    pub busy_nanos: u64,
}

pub(super) struct Array {
    profile: Profile,
    /// Bytes of one spindle that are used: its whole stroke.
    stroke: u64,
    spindles: Vec<Spindle>,
    work: Work,
    chance: Cell<u64>,
}

#[derive(Clone, Copy, Default)]
struct Spindle {
    busy_until: u64,
    /// End of the last request.
    head: u64,
}

/// A stretch on one spindle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    spindle: usize,
    start: u64,
    len: u64,
}

impl Array {
    pub(super) fn new(profile: Profile, size: u64, seed: u64) -> Self {
        let spindles = vec![Spindle::default(); profile.spindles as usize];
        let mut array = Self { profile, stroke: 0, spindles, work: Work::default(), chance: Cell::new(seed) };
        array.set_size(size);
        array
    }

    /// Sets the size of the array in bytes.
    pub(super) fn set_size(&mut self, size: u64) {
        self.stroke = size.div_ceil(self.data_chunks()).next_multiple_of(CHUNK);
    }

    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// Returns the time at which all requests so far are done.
    pub(super) fn busy_until(&self) -> u64 {
        self.spindles.iter().map(|spindle| spindle.busy_until).max().unwrap_or(0)
    }

    /// Returns the time at which a read that arrives now is done.
    pub(super) fn read(&mut self, now: u64, range: ByteRange) -> u64 {
        let pieces: Vec<Piece> =
            self.data_pieces(range).into_iter().map(|piece| self.nearer_copy(piece)).collect();
        self.serve_all(now, &pieces)
    }

    /// Returns the time at which a write that arrives now is done.
    pub(super) fn write(&mut self, now: u64, range: ByteRange) -> u64 {
        match self.profile.layout {
            Layout::Single | Layout::Raid0 => {
                let pieces = self.data_pieces(range);
                self.serve_all(now, &pieces)
            }
            Layout::Raid10 => {
                let both = |piece: Piece| [piece, Piece { spindle: piece.spindle + 1, ..piece }];
                let pieces: Vec<Piece> = self.data_pieces(range).into_iter().flat_map(both).collect();
                self.serve_all(now, &pieces)
            }
            Layout::Raid5 => self.write_with_parity(now, range),
        }
    }

    /// Returns the time at which recording `range` as zero is done: one small write per stripe row.
    pub(super) fn note_zeroes(&mut self, now: u64, range: ByteRange) -> u64 {
        let row = CHUNK * self.data_chunks();
        let rows = range.start / row..range.end.div_ceil(row);
        rows.map(|number| self.write(now, ByteRange::at(number * row, 4096))).max().unwrap_or(now)
    }

    /// Writes to RAID-5: whole rows are written with their parity; a part of a row reads old data and old parity first.
    fn write_with_parity(&mut self, now: u64, range: ByteRange) -> u64 {
        let row_bytes = CHUNK * self.data_chunks();
        let mut done = now;
        for row in range.start / row_bytes..range.end.div_ceil(row_bytes) {
            let whole = ByteRange::at(row * row_bytes, row_bytes);
            let part = whole.intersection(&range);
            let mut pieces = self.data_pieces(part);
            pieces.push(self.parity_piece(row, &pieces));
            let ready = if part == whole { now } else { self.serve_all(now, &pieces) };
            done = done.max(self.serve_all(ready, &pieces));
        }
        done
    }

    /// Returns the places of the data of a range, one piece per chunk, neighbours on one spindle joined.
    fn data_pieces(&self, range: ByteRange) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (chunk, within) = (at / CHUNK, at % CHUNK);
            let len = (CHUNK - within).min(range.end - at);
            let (row, column) = (chunk / self.data_chunks(), chunk % self.data_chunks());
            let spindle = match self.profile.layout {
                Layout::Single => 0,
                Layout::Raid0 => column,
                // Left-symmetric: data begins on the spindle after the parity.
                Layout::Raid5 => (self.parity_spindle(row) + 1 + column) % u64::from(self.profile.spindles),
                Layout::Raid10 => column * 2,
            };
            let piece = Piece { spindle: spindle as usize, start: row * CHUNK + within, len };
            match pieces.last_mut() {
                Some(last) if last.spindle == piece.spindle && last.start + last.len == piece.start => {
                    last.len += len;
                }
                _ => pieces.push(piece),
            }
            at += len;
        }
        pieces
    }

    /// Returns the parity that belongs to pieces of one row.
    fn parity_piece(&self, row: u64, pieces: &[Piece]) -> Piece {
        let start = pieces.iter().map(|piece| piece.start).min().unwrap_or(row * CHUNK);
        let end = pieces.iter().map(|piece| piece.start + piece.len).max().unwrap_or(start);
        Piece { spindle: self.parity_spindle(row) as usize, start, len: end - start }
    }

    fn parity_spindle(&self, row: u64) -> u64 {
        let spindles = u64::from(self.profile.spindles);
        spindles - 1 - row % spindles
    }

    fn data_chunks(&self) -> u64 {
        let spindles = u64::from(self.profile.spindles);
        match self.profile.layout {
            Layout::Single | Layout::Raid0 => spindles,
            Layout::Raid5 => spindles - 1,
            Layout::Raid10 => spindles / 2,
        }
    }

    /// Returns the piece on the spindle of a mirrored pair that is free first.
    fn nearer_copy(&self, piece: Piece) -> Piece {
        if self.profile.layout != Layout::Raid10 {
            return piece;
        }
        let other = piece.spindle + 1;
        let sooner = self.spindles[other].busy_until < self.spindles[piece.spindle].busy_until;
        Piece { spindle: if sooner { other } else { piece.spindle }, ..piece }
    }

    /// Returns the time at which all pieces are done, if none starts before `ready`.
    fn serve_all(&mut self, ready: u64, pieces: &[Piece]) -> u64 {
        pieces.iter().map(|piece| self.serve(ready, piece)).max().unwrap_or(ready)
    }

    fn serve(&mut self, ready: u64, piece: &Piece) -> u64 {
        let drive = self.profile.drive;
        let spindle = &mut self.spindles[piece.spindle];
        // A request that begins where the last one ended streams past the head.
        let streams = piece.start == spindle.head;
        let seek =
            if streams { 0 } else { seek_nanos(&drive, spindle.head.abs_diff(piece.start), self.stroke) };
        let rotation = if streams { 0 } else { next_random(&self.chance) % drive.revolution };
        let transfer = piece.len * 1_000_000_000 / drive.bytes_per_second;
        let service = seek + rotation + transfer;
        let done = spindle.busy_until.max(ready) + service;
        *spindle = Spindle { busy_until: done, head: piece.start + piece.len };
        self.work.operations += 1;
        self.work.seek_nanos += seek;
        self.work.busy_nanos += service;
        done
    }
}

/// Seek time by distance: the least plus a part that grows with the square root of the distance, so that the mean over
/// two random places is the drive's mean. (The mean of the root of the distance of two random points of a line of
/// length one is 8/15.)
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "nanoseconds of a seek, far below 2^52"
)]
fn seek_nanos(drive: &Drive, distance: u64, stroke: u64) -> u64 {
    let growth = (drive.seek_mean - drive.seek_least) as f64 * 15.0 / 8.0;
    drive.seek_least + (growth * (distance as f64 / stroke as f64).sqrt()) as u64
}
