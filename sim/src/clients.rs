//! Clients of a world. The model learns of each request before and after it.

use block::executor::LocalHost;
use block::{BlockDevice, Buffer, ByteRange, Host, PAGE, SECTOR, Unmap, WantedRange};

use crate::model;
use crate::rng::Rng;
use crate::world::{Disk, World};

/// Distance of a range from the one that is requested together with it, in bytes.
const BESIDE: u64 = 64 << 10;

pub(crate) async fn run_client(world: &World, host: &LocalHost, disk: &Disk, number: usize, mut rng: Rng) {
    while world.left.get() > 0 && world.failure.borrow().is_none() {
        world.left.set(world.left.get() - 1);
        host.sleep(rng.below(200_000)).await;
        let size = disk.geometry().size;
        let range = draw_range(&mut rng, size, world.growth.is_on());
        let what = rng.below(100);
        match what {
            0..=54 => read(world, disk, number, range).await,
            55..=86 => write(world, disk, number, range).await,
            87..=90 => change(world, disk, number, range, RangeOperation::Zeroes).await,
            91..=94 => change(world, disk, number, range, RangeOperation::Discard).await,
            _ => flush(world, disk, number).await,
        }
        world.coverage.borrow_mut().operations += 1;
        world.note(host.now());
    }
}

/// Draws a request of 512 bytes to 64 KiB; half of them in a small hot part, so that they overlap. Some are at the end of a disk that
/// grows.
fn draw_range(rng: &mut Rng, size: u64, grows: bool) -> ByteRange {
    if grows && rng.chance(150) {
        let end = size / SECTOR - rng.below(8);
        return ByteRange::new((end - 1 - rng.below(16)) * SECTOR, end * SECTOR);
    }
    let longest = if rng.chance(300) { 128 } else { 16 };
    let sectors = 1 + rng.below(longest);
    let area = if rng.chance(500) { (256 << 10) / SECTOR } else { size / SECTOR };
    let mut first = rng.below(area);
    if rng.chance(500) {
        first = first / 8 * 8;
    }
    let end = (first + sectors).min(size / SECTOR);
    ByteRange::new(first * SECTOR, end * SECTOR)
}

pub(crate) async fn read(world: &World, disk: &Disk, number: usize, range: ByteRange) {
    // Half of the places are first requested from RAM alone, as doors do, half of these with another one. This depends on the place, not on
    // a draw.
    let place = range.start / PAGE;
    let mut wanted = vec![WantedRange::new(range)];
    let other = ByteRange::at(range.start ^ BESIDE, range.len());
    if place.is_multiple_of(4) && other.end <= disk.geometry().size {
        wanted.push(WantedRange::new(other));
    }
    if place.is_multiple_of(2) && try_read_cached(world, disk, number, &mut wanted) {
        return;
    }
    let model = &world.models[number];
    let ticket = model.borrow_mut().start_read(&range);
    let mut buffer = Buffer::zeroed(range.len() as usize);
    // Parts that nobody writes must not look like zeroes, which are valid in many places.
    buffer.fill(0xee);
    let (buffer, result) = disk.read(range.start, buffer).await;
    if let Err(error) = result {
        world.note_error(number, &error);
        world.coverage.borrow_mut().faults_during_fill += u64::from(disk.settings().mode.row().reads_fill);
        if world.is_calm.get() && !world.rotten.get() {
            world.fail(format!("disk {number} fails although nothing else does: {error}"));
        }
        return model.borrow_mut().drop_read(ticket);
    }
    world.judge(number, ticket, &buffer);
}

/// Reads the cached part of these from RAM, and passes each result to the model. Returns true if RAM had the first one.
fn try_read_cached(world: &World, disk: &Disk, number: usize, wanted: &mut [WantedRange]) -> bool {
    let tickets = wanted.iter().map(|read| world.models[number].borrow_mut().start_read(&read.range));
    let tickets: Vec<_> = tickets.collect();
    let mut given = vec![Vec::new(); wanted.len()];
    disk.try_read_cached(wanted, &mut |place, bytes| given[place].extend_from_slice(bytes));
    for ((read, ticket), bytes) in wanted.iter().zip(tickets).zip(given) {
        if read.given {
            world.coverage.borrow_mut().reads_at_hand += 1;
            world.judge(number, ticket, &bytes);
        } else {
            assert!(bytes.is_empty(), "something was given of what is not at hand");
            world.models[number].borrow_mut().drop_read(ticket);
        }
    }
    world.coverage.borrow_mut().reads_at_hand_together +=
        u64::from(wanted.iter().filter(|read| read.given).count() > 1);
    wanted[0].given
}

pub(crate) async fn write(world: &World, disk: &Disk, number: usize, range: ByteRange) {
    let value = world.draw_value();
    let mut buffer = Buffer::zeroed(range.len() as usize);
    model::fill(&range, value, &mut buffer);
    let ticket = world.models[number].borrow_mut().start_change(&range, value);
    let (_, result) = disk.write(range.start, buffer).await;
    let mut model = world.models[number].borrow_mut();
    match result {
        Ok(()) => model.end_change(ticket),
        Err(error) => {
            world.note_error(number, &error);
            world.coverage.borrow_mut().writes_failed += 1;
            model.fail_change(ticket);
        }
    }
}

#[derive(Clone, Copy)]
enum RangeOperation {
    Zeroes,
    Discard,
}

/// Writes zeroes to a range.
pub(crate) async fn trim(world: &World, disk: &Disk, number: usize, range: ByteRange) {
    change(world, disk, number, range, RangeOperation::Zeroes).await;
}

async fn change(world: &World, disk: &Disk, number: usize, range: ByteRange, change: RangeOperation) {
    let ticket = world.models[number].borrow_mut().start_change(&range, 0);
    let result = match change {
        RangeOperation::Zeroes => disk.write_zeroes(range, Unmap::Allowed).await,
        RangeOperation::Discard => disk.discard(range).await,
    };
    let mut model = world.models[number].borrow_mut();
    match (result, change) {
        (Ok(()), RangeOperation::Zeroes) => model.end_change(ticket),
        (Ok(()), RangeOperation::Discard) => model.end_discard(ticket),
        (Err(error), _) => {
            world.note_error(number, &error);
            model.fail_change(ticket);
        }
    }
}

pub(crate) async fn flush(world: &World, disk: &Disk, number: usize) {
    let ticket = world.models[number].borrow_mut().start_flush();
    let result = disk.flush().await;
    let mut model = world.models[number].borrow_mut();
    match result {
        Ok(()) => model.end_flush(ticket),
        Err(error) => {
            world.note_error(number, &error);
            model.fail_flush(ticket);
        }
    }
}

/// Reads the whole disk and compares it with the model.
pub(crate) async fn verify(world: &World, disk: &Disk, number: usize) {
    let size = disk.geometry().size;
    let mut offset = 0;
    while offset < size {
        let range = ByteRange::new(offset, (offset + (100 << 10)).min(size));
        read(world, disk, number, range).await;
        offset = range.end;
    }
}
