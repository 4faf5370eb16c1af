//! The door with the device that is a client of NBD servers: both ends are ours, and a disk goes through unchanged.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order};
use block::file::Access;
use block::nbd::{Address, NbdDevice, NbdOptions, Target};
use block::{BlockDevice, Buffer, ByteRange, ErrorKind, Geometry, Host, Ring, Unmap};
use doors::nbd::Limits;
use support::{MIB, Server};

type Device = NbdDevice<LocalHost>;

/// Runs a test with a device that waits for its server for ever.
fn with_device<T>(server: &Server, test: impl AsyncFnOnce(Rc<Device>, LocalHost) -> T) -> T {
    with_patience(server, None, test)
}

fn with_patience<T>(
    server: &Server,
    retry_ns: Option<u64>,
    test: impl AsyncFnOnce(Rc<Device>, LocalHost) -> T,
) -> T {
    let target = Target { address: Address::Unix(server.path()), export: "disk".to_owned() };
    let ring = Ring::new(64).unwrap();
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let run = async {
        let options = NbdOptions { retry_ns, ..NbdOptions::default() };
        let device = Device::open(&ring, &host, target, options).await.unwrap();
        test(Rc::new(device), host.clone()).await
    };
    executor.run(run).unwrap()
}

/// Changes its own part of the disk, then reads it back, again and again; returns how many flushes failed.
async fn churn(device: &Device, part: ByteRange, seed: u64, rounds: u64) -> usize {
    let mut model = vec![0u8; part.len() as usize];
    let mut flushes_failed = 0;
    for round in 0..rounds {
        let mut state = (seed * rounds + round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 29;
        let sectors = part.len() / 512;
        let first = state % sectors;
        let count = (state >> 20) % (sectors - first).min(300) + 1;
        let range = (first * 512) as usize..((first + count).min(sectors) * 512) as usize;
        let at = part.start + range.start as u64;
        if state >> 60 == 0 {
            let zeroed = ByteRange::at(at, range.len() as u64);
            device.write_zeroes(zeroed, Unmap::Allowed).await.unwrap();
            model[range.clone()].fill(0);
        } else {
            let byte = (state >> 40) as u8;
            device.write(at, Buffer::copy_of(&vec![byte; range.len()])).await.1.unwrap();
            model[range.clone()].fill(byte);
        }
        if round % 8 == 7 {
            flushes_failed += usize::from(device.flush().await.is_err());
        }
        let (bytes, result) = device.read(part.start, Buffer::zeroed(model.len())).await;
        result.unwrap();
        assert!(bytes[..] == model[..], "round {round} of {seed}");
    }
    flushes_failed
}

/// Runs [`churn`] on eight parts side by side; returns how many flushes failed.
async fn churn_everywhere(device: &Rc<Device>) -> usize {
    let parts = (0..8).map(|part| {
        let range = ByteRange::at(part * MIB, MIB);
        let device = Rc::clone(device);
        async move { churn(&device, range, part, 40).await }
    });
    futures_util::future::join_all(parts).await.into_iter().sum()
}

#[test]
fn what_is_done_to_the_device_is_done_to_the_disk_behind_the_door() {
    let server = Server::start();
    with_device(&server, async |device, _| {
        assert_eq!(device.geometry(), Geometry::plain(64 * MIB));
        assert_eq!(churn_everywhere(&device).await, 0);
        // Longer than one request may be.
        let long: Vec<u8> = (0..20 * MIB).map(|at| (at / 512 % 253) as u8).collect();
        device.write(MIB, Buffer::copy_of(&long)).await.1.unwrap();
        let (bytes, result) = device.read(MIB, Buffer::zeroed(long.len())).await;
        result.unwrap();
        assert!(bytes[..] == long[..]);
        device.discard(ByteRange::at(MIB, 10 * MIB)).await.unwrap();
        let (bytes, result) = device.read(MIB, Buffer::zeroed(MIB as usize)).await;
        result.unwrap();
        assert!(bytes.iter().all(|&byte| byte == 0));
        let extents = device.extents(ByteRange::at(31 * MIB, 2 * MIB)).await.unwrap();
        let told: Vec<_> = extents.iter().map(|extent| (extent.range.len(), extent.allocated)).collect();
        assert_eq!(told, [(MIB, true), (MIB, false)]);
    });
    server.until_nothing_is_left();
}

#[test]
fn connections_that_are_cut_all_the_time_cost_flushes_and_nothing_else() {
    let server = Server::start();
    with_device(&server, async |device, host| {
        let (done, mut is_done) = tokio::sync::oneshot::channel();
        let churning = Rc::clone(&device);
        host.spawn(async move {
            let failed = churn_everywhere(&churning).await;
            done.send(failed).unwrap();
        });
        let mut cuts = 0;
        let mut failed = is_done.try_recv();
        while failed.is_err() {
            host.sleep(5_000_000).await;
            server.run(|world| world.export.sever());
            cuts += 1;
            failed = is_done.try_recv();
        }
        assert!(cuts == 0 || device.epoch() > 0, "{cuts} cuts, {failed:?} flushes failed");
    });
}

#[test]
fn errors_of_the_device_behind_the_door_arrive() {
    let server = Server::start();
    // An I/O error may pass: it arrives once that time is over, and the others at once.
    with_patience(&server, Some(3_000_000_000), async |device, _| {
        for kind in [ErrorKind::Io, ErrorKind::NoSpace, ErrorKind::ReadOnly] {
            server.run(move |world| world.export.device().failing.set(Some(kind)));
            let (_, result) = device.write(0, Buffer::zeroed(512)).await;
            assert_eq!(result.unwrap_err().kind, kind);
        }
    });
}

#[test]
fn a_read_only_disk_is_had_by_readers_only() {
    let geometry = Geometry { read_only: true, ..Geometry::plain(MIB) };
    let server = Server::with(geometry, Limits::default());
    let ring = Ring::new(64).unwrap();
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let run = async |access| {
        let target = Target { address: Address::Unix(server.path()), export: String::new() };
        let options = NbdOptions { access, ..NbdOptions::default() };
        Device::open(&ring, &host, target, options).await.map(|device| device.geometry())
    };
    let refused = executor.run(run(Access::ReadWrite)).unwrap().unwrap_err();
    assert!(refused.to_string().contains("--read-only"), "{refused}");
    let taken = executor.run(run(Access::ReadOnly)).unwrap().unwrap();
    assert_eq!(taken, Geometry { unmaps: false, discards: false, ..geometry });
}
