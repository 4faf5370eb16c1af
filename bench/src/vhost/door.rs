//! Hits in RAM through the doors and a cache on devices in memory, to count the instructions and system calls of one.
//!
//! One process that does nothing else, so that callgrind counts the server and not its client, which is `bench vhost` in a process of its
//! own (valgrind 3.19 lets no other thread run while one waits in its ring). Times have no meaning here.

use std::path::PathBuf;
use std::rc::Rc;

use block::executor::{Executor, Order};
use block::socket::Listener;
use block::{Host, Memory, Ring};
use clap::Args;
use doors::nbd::Export;
use doors::vhost::VhostUserDoor;

use crate::rig::Rig;

const FLASH: u64 = 256 << 20;
const PAGE: usize = 4096;
/// Entries of the ring, as a shard of the daemon has it.
const RING: u32 = 512;
/// Interval of checks whether the front end has disconnected: long, so that the checks do not count.
const LOOK_NS: u64 = 100_000_000;

/// Serves hits in RAM to one front end or NBD client, and ends when that has disconnected.
#[derive(Args)]
pub(crate) struct DoorArguments {
    /// Path of the socket to create; removed afterwards.
    #[arg(long)]
    socket: PathBuf,
    /// Path of a socket of the NBD door to create beside it; removed afterwards.
    #[arg(long)]
    nbd: Option<PathBuf>,
    /// Size of the disk in MiB, all of which is in RAM: above the caches of the processor, for measurements of time.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1024))]
    mebibytes: u64,
}

/// Serves until the first client has disconnected.
///
/// # Errors
/// If the socket cannot be created.
pub(crate) fn door(arguments: &DoorArguments) -> Result<(), String> {
    let DoorArguments { socket, nbd, mebibytes } = arguments;
    let disk = mebibytes << 20;
    let ring = Ring::new(RING).map_err(|error| format!("Could not make a ring: {error}."))?;
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let front_ends = executor.run(async {
        let rig = Rig::new(host.clone(), Memory::new(FLASH), Memory::new(disk), PAGE as u32, 2 * disk).await;
        rig.warm_up(disk, PAGE).await;
        let warm = rig.disk.statistics().counts;
        let door = VhostUserDoor::new("bench", Rc::clone(&rig.disk));
        // Only now, so that a client that finds the socket finds a warm disk.
        let listener = Listener::bind_unix(&ring, socket)
            .map_err(|error| format!("Could not make the socket {}: {error}.", socket.display()))?;
        host.spawn(Rc::clone(&door).listen(listener, ring.clone(), host.clone()));
        let export = Export::new("bench", "", Rc::clone(&rig.disk));
        if let Some(socket) = nbd {
            let listener = Listener::bind_unix(&ring, socket)
                .map_err(|error| format!("Could not make the socket {}: {error}.", socket.display()))?;
            host.spawn(doors::nbd::NbdDoor::for_disk(Rc::clone(&export)).listen(listener, host.clone()));
        }
        let came = || door.counters().connections_total + export.counters().connections_total;
        let here = || door.counters().connections + export.counters().connections;
        while came() == 0 || here() > 0 {
            host.sleep(LOOK_NS).await;
        }
        let counts = rig.disk.statistics().counts;
        // Only the requests of the front end.
        let reads = counts.reads - warm.reads;
        let misses = reads - (counts.read_hits_ram - warm.read_hits_ram);
        for socket in [Some(socket), nbd.as_ref()].into_iter().flatten() {
            std::fs::remove_file(socket)
                .map_err(|error| format!("Could not remove {}: {error}.", socket.display()))?;
        }
        Ok::<_, String>((reads, misses))
    });
    let (reads, misses) = front_ends.ok_or("The server waits for nothing any more.")??;
    println!("{{\"measurement\":\"vhost-door\",\"reads\":{reads},\"not_from_ram\":{misses}}}");
    Ok(())
}
