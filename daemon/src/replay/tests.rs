//! Plans that do not fit, and replays against disks that are right, wrong and failing.

use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc;

use base::testing::TempDir;
use block::executor::{Executor, Order};
use block::memory::Memory;
use block::socket::Listener;
use block::{
    BlockDevice, BlockError, Buffer, ErrorKind, Geometry, Host, Operation, Outcome as Done, Ring, Unmap,
};
use doors::nbd::{Export, NbdDoor};
use tokio::sync::Notify;

use super::testing::record;
use super::*;

fn plan(disk_bytes: u64, beyond: BeyondEnd, survey: Survey) -> Plan {
    Plan {
        trace: PathBuf::from("a.vscsi"),
        disk: "disk".to_owned(),
        options: Options::default(),
        socket: PathBuf::new(),
        disk_bytes,
        pace: Pace::AsFastAsPossible,
        beyond,
        survey,
    }
}

fn survey(end: u64) -> Survey {
    Survey { requests: 1, reads: 1, end, length_max: 4096, ..Survey::default() }
}

#[test]
fn a_trace_that_does_not_fit_is_refused_before_anything_is_sent() {
    assert!(plan(8192, BeyondEnd::Refuse, survey(8192)).check().is_ok());
    assert!(plan(8192, BeyondEnd::Wrap, survey(8193)).check().is_ok());
    let message = |plan: Plan| plan.check().expect_err("it does not fit").message;
    let too_far = message(plan(8192, BeyondEnd::Refuse, survey(8704)));
    assert!(too_far.contains("--wrap") && too_far.contains("8704"), "{too_far}");
    assert!(message(plan(2048, BeyondEnd::Wrap, survey(8192))).contains("4096 bytes"));
    assert!(message(plan(8192, BeyondEnd::Wrap, Survey::default())).contains("no reads or writes"));
}

#[test]
fn times_that_cannot_be_kept_are_refused_before_anything_is_sent() {
    let recorded = |latest_us, speed| Plan {
        pace: Pace::Recorded { speed },
        ..plan(8192, BeyondEnd::Refuse, Survey { first_us: Some(7), latest_us, ..survey(8192) })
    };
    assert!(recorded(Some(3_600_000_007), 1.0).check().is_ok());
    let message = |plan: Plan| plan.check().expect_err("it cannot be").message;
    assert!(message(recorded(None, 1.0)).contains("--as-fast-as-possible"));
    assert!(message(recorded(Some(u64::MAX), 1.0)).contains("213503982 days"));
    assert!(message(recorded(Some(3_600_000_000 * 24), 0.001)).contains("--speed"));
    assert_eq!(due(u64::MAX, 0.001), SPAN_MAX);
    assert_eq!(due(1_500_000, 10.0), Duration::from_millis(150));
}

#[test]
fn requests_beyond_the_disk_are_mapped_into_it_with_their_length() {
    let plan = plan(10_240, BeyondEnd::Wrap, survey(1 << 40));
    let place = |offset| {
        let place = plan.place(&Request { offset, length: 4096, ..Request::default() });
        assert_eq!(place.len(), 4096);
        place.start
    };
    assert_eq!(place(6144), 6144);
    assert_eq!(place(6656), 6144, "it would stick out");
    assert_eq!(place(10_240 + 512), 512);
    assert_eq!(place((1 << 40) * 10_240), 0);
}

/// Memory with a page that reads return damaged, and one whose writes fail.
struct Bad {
    memory: Memory,
}

const DISK_BYTES: u64 = 1 << 20;
const DAMAGED: u64 = 64 << 10;
const FORBIDDEN: u64 = 128 << 10;

impl BlockDevice for Bad {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Done {
        let (mut buffer, result) = self.memory.read(offset, buffer).await;
        if offset == DAMAGED {
            buffer[700] ^= 1;
        }
        (buffer, result)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Done {
        if offset == FORBIDDEN {
            return (buffer, Err(BlockError::anywhere(ErrorKind::Io, Operation::Write)));
        }
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.memory.discard(range).await
    }
}

/// Replays `records` on a bad disk as fast as possible.
fn replay(records: &[Vec<u8>]) -> ReplayResult {
    replay_changed(records, records).expect("the server stays")
}

/// Surveys `records`, and then replays a changed file.
fn replay_changed(records: &[Vec<u8>], changed: &[Vec<u8>]) -> Result<ReplayResult> {
    let folder = TempDir::new();
    let trace = folder.path().join("a.vscsi");
    std::fs::write(&trace, records.concat()).expect("the folder is ours");
    let socket = folder.path().join("disk.sock");
    let (ready, is_ready) = mpsc::channel();
    let over = Arc::new(Notify::new());
    let server = {
        let (socket, over) = (socket.clone(), Arc::clone(&over));
        thread::spawn(move || serve(&socket, &ready, &over))
    };
    is_ready.recv().expect("the server starts");
    let survey = Trace::survey(&trace, &Options::default(), |_| {}).expect("it is sound");
    std::fs::write(&trace, changed.concat()).expect("the folder is ours");
    let plan = Plan { trace, socket, ..plan(DISK_BYTES, BeyondEnd::Wrap, survey) };
    plan.check().expect("it fits");
    let outcome = plan.run(&AtomicBool::new(false), |_| {});
    over.notify_one();
    server.join().expect("the server does not panic");
    outcome
}

fn serve(socket: &Path, ready: &mpsc::Sender<()>, over: &Notify) {
    let ring = Ring::new(64).expect("the kernel has io_uring");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let listener = Listener::bind_unix(&ring, socket).expect("the folder is ours");
    let door = NbdDoor::for_disk(Export::new("disk", "a bad disk", Bad { memory: Memory::new(DISK_BYTES) }));
    host.spawn(Rc::clone(&door).listen(listener, host.clone()));
    ready.send(()).expect("the test waits");
    executor.run(over.notified());
}

fn write(offset: u64) -> Vec<u8> {
    record(0x2a, offset / 512, 4096, 0)
}

fn read(offset: u64) -> Vec<u8> {
    record(0x28, offset / 512, 4096, 0)
}

#[test]
fn what_was_written_is_found_again_however_much_is_in_flight() {
    let write_all = (0..64).map(|page| write(page % 16 * 4096));
    let read_all = (0..64).map(|page| read(page % 8 * 4096 + 512));
    let outcome = replay(&write_all.chain(read_all).chain([read(512 << 10)]).collect::<Vec<_>>());
    assert_eq!((outcome.writes.requests, outcome.reads.requests), (64, 65));
    assert_eq!((outcome.checked, outcome.mismatches, outcome.errors), (64, 0, 0));
    assert_eq!(outcome.reads.bytes, 65 * 4096);
    assert_eq!(outcome.writes.latency.count(), 64);
}

#[test]
fn content_that_was_not_written_is_found() {
    let outcome = replay(&[read(DAMAGED), write(DAMAGED), read(DAMAGED), read(DAMAGED)]);
    assert_eq!((outcome.checked, outcome.mismatches, outcome.errors), (2, 2, 0), "the first is not known");
    let first = outcome.first_mismatch.expect("there is one");
    assert!(first.contains(&(DAMAGED + 512).to_string()), "{first}");
}

#[test]
fn a_trace_that_changes_after_it_was_looked_through_is_not_replayed_further() {
    let before = [read(0), write(4096), read(8192)];
    for changed in [
        &[read(0), write(4096)][..],
        &[],
        &[read(0), write(4096), read(8192), read(0)],
        &[read(0), write(4096), read(DISK_BYTES)],
        &[read(0), write(4096), write(8192)],
        &[read(0), write(4096), record(0x28, 16, 2 << 20, 0)],
        &[read(0), write(4096), record(0x28, 16, 4096, 1)],
    ] {
        let message = replay_changed(&before, changed).err().expect("it changed").message;
        assert!(message.contains("changed since its 3 requests"), "{message}");
    }
    assert!(
        replay_changed(&before, &[write(0), read(8192), read(4096)]).is_ok(),
        "the same in another order fits"
    );
}

#[test]
fn a_failed_write_is_counted_and_nothing_is_expected_of_its_place() {
    let outcome = replay(&[write(FORBIDDEN), read(FORBIDDEN), write(0), read(0)]);
    assert_eq!((outcome.checked, outcome.mismatches, outcome.errors), (1, 0, 1));
    assert!(outcome.first_error.expect("there is one").contains(&FORBIDDEN.to_string()));
}

#[test]
fn a_disk_that_cannot_be_reached_is_an_error() {
    let message = plan(8192, BeyondEnd::Wrap, survey(8192))
        .run(&AtomicBool::new(false), |_| {})
        .err()
        .expect("there is none")
        .message;
    assert!(message.contains("'disk'"), "{message}");
}
