//! A front end that needs no guest, for measuring any vhost-user block server: ours, and those of others beside it.
//!
//! It is a process of its own, so that the CPU time of a server is told from that of its client. It behaves as Linux guests do:
//! indirect descriptors, event indices, one kick for all that is put in after answers were taken, and no kick or interrupt that
//! the other side does not ask for; and as QEMU does in letting the server note what is in flight. It is no driver for anything
//! else: it trusts the server, and ends with an error at the first answer that is not a success.

mod door;
mod frontend;
mod load;
mod queue;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
pub(crate) use door::{DoorArguments, door};

use self::frontend::{Frontend, Wishes};
use self::load::{End, Load, Sleeper, Waiting};
use self::queue::Request;

/// Bytes of a request while the content is compared, and how many of them are in flight.
const CHECKED_BYTES: u32 = 64 << 10;
const CHECKED_DEPTH: u16 = 32;
/// What lies in memory before an answer, so that a server that writes nothing is found out.
const UNANSWERED: u8 = 0xa5;

/// Random requests of 4 KiB, so many in flight, for a while.
#[derive(Args)]
pub(crate) struct LoadArguments {
    /// The server's socket; several disks have a load together.
    #[arg(long, required = true)]
    socket: Vec<PathBuf>,
    /// Requests in flight for each disk.
    #[arg(long, default_value_t = 32)]
    depth: u16,
    /// Queues for each disk, among which these requests are spread.
    #[arg(long, default_value_t = 1)]
    queues: u16,
    /// How long to measure.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// How many requests there are, instead of a time.
    #[arg(long)]
    requests: Option<u64>,
    /// Where in the row of random places to begin. Default: somewhere else each time, so that no server has seen it before.
    #[arg(long)]
    seed: Option<u64>,
    /// Write instead of read.
    #[arg(long)]
    write: bool,
    /// So many writes are followed by a flush.
    #[arg(long, default_value_t = 32, requires = "write")]
    flush_every: u64,
    /// Look at the queues all the time instead of sleeping until the server interrupts.
    #[arg(long)]
    poll: bool,
    /// Do not let the server note what is in flight.
    #[arg(long)]
    without_inflight: bool,
}

/// Reads a whole disk and compares it with a file.
#[derive(Args)]
pub(crate) struct CheckArguments {
    /// The server's socket.
    #[arg(long)]
    socket: PathBuf,
    /// What the disk has to hold: a file, or `/dev/zero`.
    #[arg(long)]
    expect: PathBuf,
}

/// Runs a load and prints its figures.
///
/// # Errors
/// If a server cannot be reached, refuses what guests ask for, fails a request, or does not answer for ten seconds.
pub(crate) fn load(arguments: &LoadArguments) -> Result<(), String> {
    let wishes = Wishes { queues: arguments.queues, keeps_inflight: !arguments.without_inflight };
    if arguments.queues == 0 || arguments.depth < arguments.queues {
        return Err(
            "Each queue needs a request: give --depth at least as many as --queues, and one.".to_owned()
        );
    }
    let disks = arguments.socket.iter().map(|socket| Frontend::connect(socket, wishes));
    let disks = disks.collect::<Result<Vec<_>, _>>()?;
    let keeps_inflight = disks.iter().all(Frontend::keeps_inflight);
    let load = Load {
        depth: arguments.depth,
        end: arguments.requests.map_or(End::After(Duration::from_secs(arguments.seconds)), End::Requests),
        seed: arguments.seed.unwrap_or_else(crate::client::seed),
        flush_every: arguments.write.then_some(arguments.flush_every),
        waiting: if arguments.poll { Waiting::Poll } else { Waiting::Sleep },
    };
    let done = load.run(disks)?;
    println!(
        "{{\"measurement\":\"vhost\",\"depth\":{},\"queues\":{},\"disks\":{},\"inflight\":{keeps_inflight},{}}}",
        arguments.depth,
        arguments.queues,
        arguments.socket.len(),
        done.json()
    );
    Ok(())
}

/// Compares a disk with a file.
///
/// # Errors
/// As [`load`], and if they differ: where they do.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), String> {
    let CheckArguments { socket, expect } = arguments;
    let expected = File::open(expect).map_err(|error| {
        format!("Could not open {}: {error}. Name a file to compare with.", expect.display())
    })?;
    let mut disk = Frontend::connect(socket, Wishes { queues: 1, keeps_inflight: true })?;
    let (bytes, sleeper) = (disk.bytes(), Sleeper::new(disk.queues().iter())?);
    let queue = &mut disk.queues_mut()[0];
    let (mut next, mut places, mut compared) = (0, [(0, 0); CHECKED_DEPTH as usize], 0);
    let mut free: Vec<u16> = (0..CHECKED_DEPTH).collect();
    while compared < bytes {
        while next < bytes
            && let Some(slot) = free.pop()
        {
            let length = (bytes - next).min(CHECKED_BYTES.into()) as u32;
            places[usize::from(slot)] = (next, length);
            queue.fill(slot, &vec![UNANSWERED; length as usize]);
            queue.put(slot, &Request::Read { offset: next, length });
            next += u64::from(length);
        }
        queue.publish()?;
        if !queue.has_answers() && queue.arm() {
            sleeper.sleep()?;
        }
        while let Some(slot) = queue.take()? {
            let (offset, length) = places[usize::from(slot)];
            compare(&expected, offset, &queue.data(slot, length as usize))?;
            compared += u64::from(length);
            free.push(slot);
        }
    }
    println!("{{\"measurement\":\"vhost-check\",\"bytes\":{compared}}}");
    Ok(())
}

fn compare(expected: &File, offset: u64, found: &[u8]) -> Result<(), String> {
    let mut wanted = vec![0; found.len()];
    expected.read_exact_at(&mut wanted, offset).map_err(|error| {
        format!("Could not read {} bytes to compare with at {offset}: {error}.", found.len())
    })?;
    let differs = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
    differs.map_or(Ok(()), |at| {
        let (is, wants) = (found[at], wanted[at]);
        Err(format!(
            "Byte {} of the disk is {is:#04x} and not {wants:#04x}: the server answers wrongly.",
            offset + at as u64
        ))
    })
}
