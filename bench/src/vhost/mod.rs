//! Front end without a guest, to measure any vhost-user block server: ours, and those of others beside it.
//!
//! It is a process of its own, so that the CPU time of a server is separate from that of its client. It behaves as Linux guests do:
//! indirect descriptors, event indices, one kick for all requests that are put in after answers were taken, and no kick or interrupt that
//! the other side did not ask for; and like QEMU it lets the server keep an in-flight record. It is no general driver: it trusts the
//! server, and ends with an error at the first answer that is not a success.

mod door;
mod frontend;
mod load;
mod queue;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
pub(crate) use door::{DoorArguments, door};

use self::frontend::{Frontend, Wishes};
use self::load::{LoadEnd, PAGE, Sleeper, VhostLoad, Waiting};
use self::queue::Request;

/// Bytes of a request while the content is compared, and number of them in flight.
const CHECKED_BYTES: u32 = 64 << 10;
const CHECKED_DEPTH: u16 = 32;
/// Content of memory before an answer, so that a server that writes nothing is detected.
const UNANSWERED: u8 = 0xa5;

/// Random requests of 4 KiB, `depth` in flight, for a while.
#[derive(Args)]
pub(crate) struct LoadArguments {
    /// Socket of the server; several disks share a load.
    #[arg(long, required = true)]
    socket: Vec<PathBuf>,
    /// Requests in flight for each disk.
    #[arg(long, default_value_t = 32)]
    depth: u16,
    /// Queues for each disk, among which these requests are spread.
    #[arg(long, default_value_t = 1)]
    queues: u16,
    /// Seconds to measure.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Number of requests, instead of a time.
    #[arg(long)]
    requests: Option<u64>,
    /// Begin of the sequence of random places. Default: a new one each time, so that no server has seen it before.
    #[arg(long)]
    seed: Option<u64>,
    /// Write instead of read.
    #[arg(long)]
    write: bool,
    /// Number of writes between flushes.
    #[arg(long, default_value_t = 32, requires = "write")]
    flush_every: u64,
    /// Poll the queues all the time instead of sleeping until the server interrupts.
    #[arg(long)]
    poll: bool,
    /// Do not let the server keep an in-flight record.
    #[arg(long)]
    without_inflight: bool,
}

/// Reads a whole disk and compares it with a file.
#[derive(Args)]
pub(crate) struct CheckArguments {
    /// Socket of the server.
    #[arg(long)]
    socket: PathBuf,
    /// Expected content of the disk: a file, or `/dev/zero`.
    #[arg(long)]
    expect: PathBuf,
}

/// Runs a load and prints its figures.
///
/// # Errors
/// If a server cannot be reached, refuses a feature that guests use, fails a request, or does not answer for ten seconds.
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
    let load = VhostLoad {
        depth: arguments.depth,
        end: arguments
            .requests
            .map_or(LoadEnd::After(Duration::from_secs(arguments.seconds)), LoadEnd::Requests),
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

/// Connects to the disk at `socket` as a guest does, and reads its first page. The connection lasts until it is dropped.
///
/// # Errors
/// As [`load()`].
pub(crate) fn read_page(socket: &Path) -> Result<Frontend, String> {
    let mut disk = Frontend::connect(socket, Wishes { queues: 1, keeps_inflight: true })?;
    let sleeper = Sleeper::new(disk.queues().iter())?;
    let queue = &mut disk.queues_mut()[0];
    queue.put(0, &Request::Read { offset: 0, length: PAGE as u32 });
    queue.publish()?;
    while queue.take()?.is_none() {
        if queue.arm() {
            sleeper.sleep()?;
        }
    }
    Ok(disk)
}

/// Compares a disk with a file.
///
/// # Errors
/// As [`load()`], and if they differ; the error has the place.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), String> {
    let CheckArguments { socket, expect } = arguments;
    let expected = File::open(expect).map_err(|error| {
        format!("Could not open {}: {error}. Name a file to compare with.", expect.display())
    })?;
    let mut disk = Frontend::connect(socket, Wishes { queues: 1, keeps_inflight: true })?;
    let (bytes, sleeper) = (disk.bytes(), Sleeper::new(disk.queues().iter())?);
    let queue = &mut disk.queues_mut()[0];
    queue.make_long();
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::rc::Rc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc::channel;

    use block::executor::{Executor, Order};
    use block::socket::Listener;
    use block::{BlockDevice, Buffer, Memory, Ring};
    use doors::vhost::VhostUserDoor;

    use super::*;

    /// The last request of a comparison is a short one.
    const BYTES: usize = 196 << 10;

    /// Serves memory with these bytes on a thread that ends with the tests, and returns the socket.
    fn serve(content: Vec<u8>) -> PathBuf {
        static DOORS: AtomicU64 = AtomicU64::new(0);
        let number = DOORS.fetch_add(1, Ordering::Relaxed);
        let socket =
            std::env::temp_dir().join(format!("forebay-front-end-{}-{number}.sock", std::process::id()));
        let (ready, is_ready) = channel();
        let path = socket.clone();
        std::thread::spawn(move || {
            let ring = Ring::new(64).expect("io_uring is available");
            let executor = Executor::new(ring.clone(), Order::Fifo);
            executor.run(async {
                let memory = Memory::new(content.len() as u64);
                memory.write(0, Buffer::copy_of(&content)).await.1.expect("memory takes it");
                let listener = Listener::bind_unix(&ring, &path).expect("the socket can be made");
                ready.send(()).expect("the test waits");
                VhostUserDoor::new("test", Rc::new(memory))
                    .listen(listener, ring.clone(), executor.host())
                    .await;
            });
        });
        is_ready.recv().expect("the door opens");
        socket
    }

    fn arguments(sockets: Vec<PathBuf>) -> LoadArguments {
        LoadArguments {
            socket: sockets,
            depth: 40,
            queues: 1,
            seconds: 0,
            requests: Some(5000),
            seed: Some(7),
            write: false,
            flush_every: 32,
            poll: false,
            without_inflight: false,
        }
    }

    #[test]
    fn loads_of_every_kind_end_with_all_requests_answered() {
        let sockets = vec![serve(vec![1; BYTES]), serve(vec![2; BYTES])];
        let plain = || arguments(sockets.clone());
        assert_eq!(load(&plain()), Ok(()));
        assert_eq!(load(&LoadArguments { write: true, queues: 3, ..plain() }), Ok(()));
        assert_eq!(load(&LoadArguments { poll: true, without_inflight: true, ..plain() }), Ok(()));
        assert_eq!(load(&LoadArguments { requests: None, ..plain() }), Ok(()), "the time is over at once");
        for socket in sockets {
            std::fs::remove_file(socket).expect("it was made above");
        }
    }

    #[test]
    fn the_content_of_a_disk_is_compared_and_the_first_difference_named() {
        let content: Vec<u8> = (0..BYTES).map(|at| (at / 512 % 251) as u8).collect();
        let expect = std::env::temp_dir().join(format!("forebay-front-end-{}.expect", std::process::id()));
        let socket = serve(content.clone());
        let compared = |content: &[u8]| {
            File::create(&expect).and_then(|mut file| file.write_all(content)).expect("a file can be made");
            check(&CheckArguments { socket: socket.clone(), expect: expect.clone() })
        };
        assert_eq!(compared(&content), Ok(()));
        let mut other = content.clone();
        other[150_000] ^= 1;
        assert!(compared(&other).is_err_and(|error| error.contains("Byte 150000 of the disk")));
        assert!(compared(&content[..70_000]).is_err_and(|error| error.contains("at 65536")));
        for path in [&expect, &socket] {
            std::fs::remove_file(path).expect("it was made above");
        }
    }

    #[test]
    fn a_load_that_makes_no_sense_or_meets_nobody_is_an_error() {
        let nobody = PathBuf::from("/nonexistent/forebay.sock");
        let plain = || arguments(vec![nobody.clone()]);
        assert!(load(&plain()).is_err_and(|error| error.contains("/nonexistent/forebay.sock")));
        assert!(
            load(&LoadArguments { depth: 2, queues: 3, ..plain() })
                .is_err_and(|error| error.contains("--depth"))
        );
        let socket = serve(vec![1; BYTES]);
        let deep = LoadArguments { depth: 257, ..arguments(vec![socket.clone()]) };
        assert!(load(&deep).is_err_and(|error| error.contains("--queues")));
        std::fs::remove_file(socket).expect("it was made above");
    }
}
