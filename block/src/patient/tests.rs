//! A device that fails or hangs on purpose, and what is seen of that through one that gives it time.

use std::pin::pin;

use futures_util::future::join;

use super::*;
use crate::executor::{Executor, LocalHost, Order, VirtualTime};
use crate::faulty::{Faults, Faulty};
use crate::{Memory, PAGE};

const SECOND: u64 = 1_000_000_000;
const RETRY: u64 = 25 * SECOND;
const SIZE: u64 = 8 << 20;

type Device = RetryDevice<Faulty<LocalHost>, LocalHost>;

/// Runs a test with a retry device over one that follows `Faults`, with 25 s for each request.
fn run(test: impl AsyncFnOnce(&LocalHost, &Faults, Rc<Device>)) {
    run_over(Memory::new(SIZE), test);
}

fn run_over(memory: Memory, test: impl AsyncFnOnce(&LocalHost, &Faults, Rc<Device>)) {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let faults = Faults::new(memory, 1);
    let beneath = faults.reopen(host.clone());
    let device = RetryDevice::new(beneath, host.clone(), "b".to_owned(), HangPolicy::GivenUp, Some(RETRY));
    let told = executor.run(test(&host, &faults, Rc::new(device)));
    assert!(told.is_some(), "everything waits");
}

fn page(byte: u8) -> Buffer {
    Buffer::copy_of(&[byte; PAGE as usize])
}

async fn read(device: &Device, number: u64) -> Result<u8, BlockError> {
    let (buffer, result) = device.read(number * PAGE, page(0xaa)).await;
    assert_eq!(buffer.len(), PAGE as usize);
    result.map(|()| buffer[0])
}

/// Runs `act` after the time that the faults need.
async fn after(host: &LocalHost, seconds: u64, act: impl FnOnce()) {
    host.sleep(seconds * SECOND).await;
    act();
}

#[test]
fn a_device_that_fails_for_a_while_is_a_pause_and_not_an_error() {
    run(async |host, faults, device| {
        device.write(0, page(1)).await.1.unwrap();
        faults.fail_often(Operation::Read, 1000);
        let mends = after(host, 7, || faults.fail_no_more());
        let (seen, ()) = join(read(&device, 0), mends).await;
        assert_eq!(seen, Ok(1));
        assert!(host.now() >= 7 * SECOND && host.now() < 8 * SECOND);
        assert!(device.retries() >= 13 && device.trouble().is_none());
    });
}

#[test]
fn a_device_that_goes_on_failing_is_an_error_after_the_retry_time() {
    run(async |host, faults, device| {
        faults.fail_often(Operation::Read, 1000);
        let error = read(&device, 0).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Io);
        assert!(host.now() > RETRY - SECOND && host.now() <= RETRY + SECOND);
        let trouble = device.trouble().unwrap();
        assert!(trouble.for_ns > 20 * SECOND && trouble.reason.contains("injected"), "{trouble:?}");
        faults.fail_no_more();
        read(&device, 0).await.unwrap();
        assert_eq!(device.trouble(), None);
    });
}

#[test]
fn a_change_is_sent_again_only_if_the_device_said_that_the_first_one_ended() {
    run(async |_, faults, device| {
        faults.fail_often(Operation::Write, 1000);
        let before = faults.counts().writes;
        // This device sometimes reports an unknown outcome: that ends it.
        let mut unanswered = 0;
        for number in 0..8 {
            let (_, result) = device.write(number * PAGE, page(1)).await;
            unanswered += u32::from(result.unwrap_err().kind == ErrorKind::Unanswered);
        }
        assert_eq!(unanswered, 8, "sooner or later it says so each time");
        assert_eq!(faults.counts().writes - before, 8 + device.retries());
    });
}

#[test]
fn errors_that_time_does_not_cure_are_passed_on_at_once() {
    run(async |host, _, device| {
        let (_, result) = device.read(SIZE, page(0)).await;
        assert_eq!(result.unwrap_err().kind, ErrorKind::InvalidRequest);
        assert_eq!((host.now(), device.trouble()), (0, None));
    });
}

#[test]
fn a_device_that_hangs_is_an_error_after_the_retry_time_and_nothing_overtakes_what_it_still_has() {
    run(async |host, faults, device| {
        device.write(0, page(1)).await.1.unwrap();
        faults.hang();
        assert_eq!(device.write(0, page(2)).await.1.unwrap_err().kind, ErrorKind::Io);
        assert!(device.has_left_requests() && host.now() >= RETRY);
        assert_eq!(device.trouble().unwrap().reason, "it does not answer");
        // A newer version of the same page is not even sent.
        let writes = faults.counts().writes;
        assert_eq!(device.write(0, page(3)).await.1.unwrap_err().kind, ErrorKind::Untried);
        assert_eq!(faults.counts().writes, writes);
        // It is sent once the first one has ended.
        let release = after(host, 5, || faults.release());
        let ((_, result), ()) = join(device.write(0, page(4)), release).await;
        result.unwrap();
        assert_eq!(read(&device, 0).await, Ok(4));
        assert!(!device.has_left_requests() && device.trouble().is_none());
    });
}

#[test]
fn a_device_that_hangs_for_less_than_the_retry_time_is_a_pause() {
    run(async |host, faults, device| {
        faults.hang();
        let other = async {
            host.sleep(6 * SECOND).await;
            assert_eq!(device.trouble().unwrap().reason, "it does not answer");
            faults.release();
        };
        let ((_, written), ()) = join(device.write(0, page(1)), other).await;
        written.unwrap();
        assert!(!device.has_left_requests());
    });
}

#[test]
fn hanging_reads_are_given_up_and_no_more_are_sent_than_there_may_be() {
    run(async |host, faults, device| {
        device.set_retry_ns(Some(SECOND));
        faults.hang();
        let reads = (0..LEFT_MAX + 9).map(|_| read(&device, 0));
        let failed = futures_util::future::join_all(reads).await;
        assert!(failed.iter().all(Result::is_err));
        let sent = faults.counts().reads;
        assert_eq!(read(&device, 0).await.unwrap_err().kind, ErrorKind::Untried);
        assert_eq!(faults.counts().reads, sent);
        faults.release();
        host.sleep(SECOND).await;
        assert_eq!(read(&device, 0).await, Ok(0));
    });
}

#[test]
fn requests_that_are_given_up_hold_so_much_memory_and_no_more() {
    run(async |host, faults, device| {
        device.set_retry_ns(Some(SECOND));
        faults.hang();
        for _ in 0..LEFT_BYTES_MAX / SIZE {
            device.read(0, Buffer::zeroed(SIZE as usize)).await.1.unwrap_err();
        }
        assert_eq!(read(&device, 0).await.unwrap_err().kind, ErrorKind::Untried);
        faults.release();
        host.sleep(SECOND).await;
        assert_eq!(read(&device, 0).await, Ok(0));
    });
}

#[test]
fn a_flush_waits_for_a_failing_device_and_is_sent_once() {
    run(async |host, faults, device| {
        faults.fail_often(Operation::Read, 1000);
        read(&device, 0).await.unwrap_err();
        let mends = after(host, 7, || faults.fail_no_more());
        let (flushed, ()) = join(device.flush(), mends).await;
        flushed.unwrap();
        assert_eq!(faults.counts().flushes, 1);
        faults.fail_after(Operation::Flush, 0);
        assert_eq!(device.flush().await.unwrap_err().kind, ErrorKind::Io);
        assert_eq!(faults.counts().flushes, 2, "never a second time");
    });
}

#[test]
fn a_flush_of_a_device_that_is_gone_is_told_so_at_once() {
    run(async |host, faults, device| {
        faults.kill();
        assert_eq!(read(&device, 0).await.unwrap_err().kind, ErrorKind::Gone);
        assert!(device.trouble().is_some());
        assert_eq!(device.flush().await.unwrap_err().kind, ErrorKind::Gone);
        assert_eq!(host.now(), 0);
    });
}

#[test]
fn a_flush_that_was_never_sent_says_so() {
    run(async |_, faults, device| {
        faults.fail_often(Operation::Read, 1000);
        read(&device, 0).await.unwrap_err();
        assert_eq!(device.flush().await.unwrap_err().kind, ErrorKind::Untried);
        assert_eq!(faults.counts().flushes, 0);
    });
}

#[test]
fn without_a_retry_time_requests_wait_for_ever() {
    run(async |host, faults, device| {
        device.set_retry_ns(None);
        faults.fail_often(Operation::Read, 1000);
        let mends = after(host, 1000, || faults.fail_no_more());
        let (seen, ()) = pin!(join(read(&device, 0), mends)).await;
        assert_eq!(seen, Ok(0));
    });
}

#[test]
fn a_change_waits_for_one_that_hangs_in_the_same_physical_block() {
    let geometry = Geometry { physical_block: 4 * PAGE, ..Geometry::plain(SIZE) };
    run_over(Memory::with_geometry(geometry), async |_, faults, device| {
        faults.hang();
        device.write(PAGE, page(1)).await.1.unwrap_err();
        let writes = faults.counts().writes;
        let neighbour = device.write(3 * PAGE, page(2)).await.1.unwrap_err();
        assert_eq!(
            (neighbour.kind, neighbour.range),
            (ErrorKind::Untried, Some(ByteRange::at(3 * PAGE, PAGE)))
        );
        assert_eq!(
            faults.counts().writes,
            writes,
            "the device would write the older neighbour along with it, or after it"
        );
        assert_eq!(
            device.write(4 * PAGE, page(2)).await.1.unwrap_err().kind,
            ErrorKind::Io,
            "this one was sent"
        );
        assert_eq!(faults.counts().writes, writes + 1);
    });
}

#[test]
fn what_works_meanwhile_does_not_say_that_what_fails_or_hangs_works_again() {
    run(async |host, faults, device| {
        faults.hang_discards();
        device.discard(ByteRange::at(0, PAGE)).await.unwrap_err();
        for number in 0..4 {
            read(&device, number).await.unwrap();
            assert_eq!(device.trouble().unwrap().reason, "it does not answer", "one request has not ended");
        }
        faults.release();
        host.sleep(SECOND).await;
        read(&device, 0).await.unwrap();
        assert_eq!(device.trouble(), None);
        // One is sent again and again.
        faults.fail_often(Operation::Read, 1000);
        let others = async {
            for number in 8..48 {
                host.sleep(SECOND / 10).await;
                device.write(number * PAGE, page(1)).await.1.unwrap();
                assert!(device.trouble().unwrap().reason.contains("injected"));
            }
            faults.fail_no_more();
        };
        let (seen, ()) = join(read(&device, 0), others).await;
        seen.unwrap();
        assert_eq!(device.trouble(), None);
    });
}

#[test]
fn a_change_that_nobody_knows_the_outcome_of_is_trouble() {
    run(async |_, faults, device| {
        faults.fail_often(Operation::Write, 1000);
        while device.write(0, page(1)).await.1.unwrap_err().kind != ErrorKind::Unanswered {}
        faults.fail_no_more();
        assert!(device.trouble().is_some());
        read(&device, 0).await.unwrap();
        assert_eq!(device.trouble(), None);
    });
}

#[test]
fn what_was_sent_and_failed_is_never_said_not_to_have_been_tried() {
    run(async |host, faults, device| {
        // Draws once: with the next draws, what fails has ended.
        read(&device, 9).await.unwrap();
        faults.hang_discards();
        let hung = async { device.discard(ByteRange::at(0, PAGE)).await.unwrap_err() };
        let failing = async {
            host.sleep(RETRY - SECOND / 4).await;
            faults.fail_after(Operation::Write, 0);
            // It is to be sent again when the other one has been given up, and may still land.
            device.write(0, page(1)).await.1.unwrap_err()
        };
        let (_, error) = join(hung, failing).await;
        assert_eq!(error.kind, ErrorKind::Io);
        assert!(host.now() > RETRY + SECOND && error.reason.contains("injected"), "{error}");
    });
}

#[test]
fn a_device_that_refuses_changes_for_want_of_room_says_so_until_one_works_a_while_after_the_last_refusal() {
    run(async |host, faults, device| {
        faults.refuse_behind(0, libc::ENOSPC);
        let before = host.now();
        assert_eq!(device.write(0, page(1)).await.1.unwrap_err().kind, ErrorKind::NoSpace);
        assert_eq!(host.now(), before, "waiting cures nothing");
        read(&device, 0).await.unwrap();
        faults.refuse_behind(PAGE, libc::ENOSPC);
        device.write(0, page(1)).await.1.unwrap();
        let trouble = device.trouble().expect("what needs no room works beside it");
        assert_eq!(trouble.cause, Cause::NoSpace);
        assert!(trouble.reason.contains("No space left"), "{trouble:?}");
        faults.fail_no_more();
        host.sleep(SECOND).await;
        assert!(device.trouble().is_some(), "nobody has tried");
        device.write(PAGE, page(1)).await.1.unwrap();
        assert_eq!(device.trouble(), None);
    });
}

#[test]
fn an_idle_device_that_failed_is_asked_by_itself_until_it_works_again() {
    run(async |host, faults, device| {
        faults.fail_often(Operation::Read, 1000);
        read(&device, 0).await.unwrap_err();
        host.sleep(60 * SECOND).await;
        assert!(device.trouble().is_some(), "it fails still");
        faults.fail_no_more();
        host.sleep(2 * PROBE_NS).await;
        assert_eq!(device.trouble(), None);
        let before = faults.counts().reads;
        host.sleep(60 * SECOND).await;
        assert_eq!(faults.counts().reads, before, "what works is not asked for nothing");
    });
}

#[test]
fn an_idle_device_that_hangs_is_asked_no_more_than_once_at_a_time() {
    run(async |host, faults, device| {
        faults.hang();
        device.write(0, page(2)).await.1.unwrap_err();
        host.sleep(10 * RETRY).await;
        assert_eq!(faults.counts().reads, 0, "the system has a request already");
        faults.release();
        host.sleep(SECOND).await;
        assert_eq!(device.trouble(), None);
    });
}

#[test]
fn a_probe_that_hangs_keeps_no_device_open_that_nobody_has_any_more() {
    run(async |host, faults, device| {
        device.set_retry_ns(Some(RETRY));
        faults.fail_often(Operation::Read, 1000);
        read(&device, 0).await.unwrap_err();
        faults.hang();
        host.sleep(2 * PROBE_NS).await;
        let shared = Rc::downgrade(&device.shared);
        drop(device);
        host.sleep(SECOND).await;
        assert_eq!(shared.strong_count(), 0);
    });
}
