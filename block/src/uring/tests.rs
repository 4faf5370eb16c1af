//! The ring against the real kernel.

use std::fs::File;
use std::future::{Future, poll_fn};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;

use io_uring::{opcode, types};

use super::*;
use crate::executor::{Executor, Order};
use crate::{Arena, Buffer, Host};

/// An operation that points to nothing.
struct Nothing;

impl Keep for Nothing {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

/// A read of a pipe, which may never be written. Reports its end.
struct PipeRead {
    _pipe: Rc<File>,
    buffer: Buffer,
    freed: Rc<Cell<bool>>,
}

impl Keep for PipeRead {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

impl Drop for PipeRead {
    fn drop(&mut self) {
        self.freed.set(true);
    }
}

fn nop(ring: &Ring) -> operation::Running<Nothing> {
    // SAFETY: the entry points to nothing.
    unsafe { ring.run(opcode::Nop::new().build(), Nothing) }
}

fn pipe_read(ring: &Ring, pipe: &Rc<File>, freed: &Rc<Cell<bool>>) -> operation::Running<PipeRead> {
    let mut keep = PipeRead { _pipe: Rc::clone(pipe), buffer: Buffer::zeroed(64), freed: Rc::clone(freed) };
    let entry = opcode::Read::new(types::Fd(pipe.as_raw_fd()), keep.buffer.as_mut_ptr(), 64).build();
    // SAFETY: `keep` owns the buffer of 64 bytes and the pipe.
    unsafe { ring.run(entry, keep) }
}

fn pipe() -> (Rc<File>, File) {
    let (reader, writer) = nix::unistd::pipe().expect("pipes are to be had");
    (Rc::new(reader.into()), writer.into())
}

fn ring_and_executor(depth: u32) -> (Ring, Executor) {
    let ring = Ring::new(depth).expect("io_uring works here");
    (ring.clone(), Executor::new(ring, Order::Fifo))
}

#[test]
fn more_operations_than_the_queues_hold_all_complete() {
    // 2 entries, 16 completions, 1000 operations: the backlog and the kernel's list of surplus completions are used.
    let (ring, executor) = ring_and_executor(2);
    let operations: Vec<_> = (0..1000).map(|_| nop(&ring)).collect();
    assert_eq!(ring.in_flight(), 1000);
    let done = executor.run(async move {
        let mut done = 0;
        for operation in operations {
            assert_eq!(operation.await.1, 0);
            done += 1;
        }
        done
    });
    assert_eq!(done, Some(1000));
    assert_eq!(ring.in_flight(), 0);
}

#[test]
fn timers_end_a_wait_without_any_io() {
    let (ring, executor) = ring_and_executor(4);
    let before = ring.now();
    executor.run(executor.host().sleep(2_000_000)).expect("a ring never stalls");
    assert!(ring.now() >= before + 2_000_000);
}

#[test]
fn the_alarm_stays_set_and_an_earlier_deadline_moves_it() {
    let ring = Ring::new(4).expect("io_uring works here");
    let set_for = || ring.shared.alarm.set_for.get();
    let (second, hour) = (1_000_000_000, 3_600_000_000_000);
    let far = ring.now() + hour;
    // Each wait ends because something completed.
    for deadline in [far, far + second, far] {
        let _operation = nop(&ring);
        assert!(ring.wait(Some(deadline)));
        assert_eq!(set_for(), Some(far));
    }
    let near = ring.now() + 2_000_000;
    while ring.now() < near {
        ring.wait(Some(near));
        assert_ne!(set_for(), Some(far), "it would have been an hour");
    }
    while set_for().is_some() {
        ring.wait(None);
    }
}

#[test]
fn an_alarm_that_is_past_due_and_completions_that_nobody_took_end_a_wait() {
    let ring = Ring::new(4).expect("io_uring works here");
    let set_for = || ring.shared.alarm.set_for.get();
    let due = ring.now() + 1_000_000;
    let _operation = nop(&ring);
    assert!(ring.wait(Some(due)));
    while ring.now() < due + 2_000_000 {
        std::hint::spin_loop();
    }
    while set_for().is_some() {
        ring.wait(Some(due));
    }
    let _operation = nop(&ring);
    ring.submit();
    assert!(ring.wait(None), "it would wait for ever");
}

#[test]
fn an_alarm_that_the_kernel_may_not_have_taken_is_not_relied_on() {
    let ring = Ring::new(4).expect("io_uring works here");
    let hour = 3_600_000_000_000;
    let far = ring.now() + hour;
    let ends_by = |moment| ring.shared.alarm.ends_by(moment);
    ring.shared.set_alarm(far, ring.now());
    assert!(!ends_by(far), "it is queued");
    let _operation = nop(&ring);
    assert!(ring.wait(Some(far)));
    assert!(ends_by(far) && !ends_by(far - 1));
}

#[test]
fn an_alarm_that_cannot_be_set_earlier_is_followed_by_another() {
    let ring = Ring::new(4).expect("io_uring works here");
    let (now, hour) = (ring.now(), 3_600_000_000_000);
    let _operation = nop(&ring);
    assert!(ring.wait(Some(now + hour)));
    // It is done, or the alarm is just going off: all is well.
    for result in [0, -libc::ENOENT, -libc::EALREADY] {
        ring.shared.note_alarm_set_earlier(result);
        assert_eq!(ring.shared.alarm.set_for.get(), Some(now + hour));
    }
    // As a kernel without support would answer: the next wait does not rely on the present alarm, and sets one beside it.
    ring.shared.note_alarm_set_earlier(-libc::EINVAL);
    assert_eq!(ring.shared.alarm.set_for.get(), None);
    let near = ring.now() + 2_000_000;
    while ring.now() < near {
        ring.wait(Some(near));
    }
}

#[test]
fn an_alarm_for_what_is_none_any_more_goes_off_once() {
    let (ring, executor) = ring_and_executor(4);
    let host = executor.host();
    let mut early = Box::pin(host.sleep(1_000_000));
    let test = async {
        let first = poll_fn(|context| Poll::Ready(early.as_mut().poll(context))).await;
        assert!(first.is_pending());
        let _in_a_wait = nop(&ring).await;
        let set_for = ring.shared.alarm.set_for.get().expect("the first deadline");
        drop(early);
        host.sleep(5_000_000).await;
        assert!(ring.now() > set_for + 3_000_000, "it ended a wait, and not the sleep");
    };
    executor.run(test).expect("a ring never stalls");
}

/// Waits for something to read, again and again.
fn watch(ring: &Ring, file: &Rc<File>, freed: &Rc<Cell<bool>>) -> operation::Repeating<PipeRead> {
    let keep = PipeRead { _pipe: Rc::clone(file), buffer: Buffer::zeroed(0), freed: Rc::clone(freed) };
    let entry = opcode::PollAdd::new(types::Fd(file.as_raw_fd()), libc::POLLIN as u32).multi(true).build();
    // SAFETY: the entry points to nothing, and `keep` holds the file.
    unsafe { ring.repeat(entry, keep) }
}

#[test]
fn what_repeats_comes_until_it_is_dropped_and_its_file_stays_open_so_long() {
    let (ring, executor) = ring_and_executor(4);
    let (reader, mut writer) = pipe();
    let freed = Rc::new(Cell::new(false));
    let mut watch = watch(&ring, &reader, &freed);
    executor
        .run(async {
            for _ in 0..3 {
                writer.write_all(b"!").expect("the pipe has room");
                let came = poll_fn(|context| watch.poll_came(context)).await;
                assert!(matches!(came, RepeatOutcome::More(events) if events & i32::from(libc::POLLIN) != 0));
            }
            drop(watch);
            assert!(!freed.get());
            while !freed.get() {
                nop(&ring).await;
            }
        })
        .expect("a ring never stalls");
    assert_eq!((ring.in_flight(), Rc::strong_count(&reader)), (0, 1));
}

#[test]
fn what_repeats_and_is_over_says_so_and_its_place_is_free_again() {
    let ring = Ring::new(4).expect("io_uring works here");
    let freed = Rc::new(Cell::new(false));
    let file = Rc::new(File::open("/dev/null").expect("it is always there"));
    let mut watch = watch(&ring, &file, &freed);
    let mut context = Context::from_waker(Waker::noop());
    ring.drain();
    assert!(matches!(watch.poll_came(&mut context), Poll::Ready(RepeatOutcome::Last(_))));
    drop(watch);
    assert!(freed.get() && ring.shared.slots.borrow().is_empty());
}

#[test]
fn a_quiet_operation_is_done_by_the_next_system_call_and_ends_no_wait() {
    let ring = Ring::new(4).expect("io_uring works here");
    let (reader, writer) = nix::unistd::pipe().expect("pipes are to be had");
    let writer = Arc::new(writer);
    let cqe_skip = ring.cqe_skip(Arc::clone(&writer));
    let entry = || opcode::Write::new(types::Fd(writer.as_raw_fd()), c"bytes".as_ptr().cast(), 5).build();
    for _ in 0..3 {
        // SAFETY: the entry reads five bytes of a constant.
        unsafe { cqe_skip.start(entry()) };
    }
    assert_eq!(Arc::strong_count(&writer), 5, "nobody may close it before the kernel has it");
    ring.submit();
    assert_eq!((ring.shared.reap(), Arc::strong_count(&writer)), (0, 2));
    drop((cqe_skip, writer));
    ring.submit();
    let mut all = String::new();
    std::io::Read::read_to_string(&mut File::from(reader), &mut all).expect("what was written is text");
    assert_eq!(all, "bytesbytesbytes");
}

#[test]
fn a_quiet_operation_that_waits_can_be_cancelled() {
    let ring = Ring::new(4).expect("io_uring works here");
    let (reader, _writer) = nix::unistd::pipe().expect("pipes are to be had");
    let reader = Arc::new(reader);
    let cqe_skip = ring.cqe_skip(Arc::clone(&reader));
    for _ in 0..2 {
        let entry = opcode::PollAdd::new(types::Fd(reader.as_raw_fd()), libc::POLLIN as u32).build();
        // SAFETY: the entry points to nothing.
        unsafe { cqe_skip.start(entry) };
    }
    ring.submit();
    assert_eq!(ring.shared.reap(), 0);
    drop(cqe_skip);
    // Both, and what cancelled them.
    let mut ended = 0;
    while ended < 3 {
        ring.shared.enter(Wait::Yes);
        ended += ring.shared.reap();
    }
    assert_eq!((ended, Arc::strong_count(&reader)), (3, 1));
}

#[test]
fn another_thread_wakes_a_sleeping_shard_each_time() {
    let (_ring, executor) = ring_and_executor(4);
    let (request, mut requests) = tokio::sync::mpsc::unbounded_channel::<u32>();
    let (reply, replies) = std::sync::mpsc::channel::<u32>();
    let other = thread::spawn(move || {
        for number in 0..2000 {
            request.send(number).expect("the shard listens");
            assert_eq!(replies.recv().expect("the shard answers"), number);
        }
    });
    executor
        .run(async move {
            while let Some(number) = requests.recv().await {
                reply.send(number).expect("the other thread listens");
            }
        })
        .expect("a ring never stalls");
    other.join().expect("every request was answered");
}

#[test]
fn an_unpark_before_the_wait_is_not_lost() {
    let ring = Ring::new(4).expect("io_uring works here");
    let unparker = ring.unparker();
    ring.poll();
    thread::spawn(move || unparker.unpark()).join().expect("unpark does not fail");
    assert!(ring.wait(None), "returns, though nothing is in flight");
}

#[test]
fn a_poll_with_nothing_to_do_makes_no_entry_for_the_kernel() {
    let ring = Ring::new(4).expect("io_uring works here");
    for _ in 0..3 {
        ring.poll();
    }
    assert_eq!(ring.shared.pressure(), (false, false));
    assert!(!ring.shared.held_back.get());
}

#[test]
fn a_busy_shard_submits_at_the_second_poll() {
    let ring = Ring::new(4).expect("io_uring works here");
    let _operation = nop(&ring);
    ring.poll();
    assert_eq!(ring.in_flight(), 1);
    ring.poll();
    assert_eq!(ring.in_flight(), 0);
}

#[test]
fn memory_of_a_dropped_operation_is_kept_until_the_kernel_is_done() {
    let (ring, executor) = ring_and_executor(4);
    let (reader, _writer) = pipe();
    let freed = Rc::new(Cell::new(false));
    let operation = pipe_read(&ring, &reader, &freed);
    // The kernel has the read now.
    executor.run(nop(&ring)).expect("a ring never stalls");
    drop(operation);
    assert!(!freed.get());
    let waited = Rc::clone(&freed);
    let watcher = ring.clone();
    executor
        .run(async move {
            while !waited.get() {
                nop(&watcher).await;
            }
        })
        .expect("a ring never stalls");
    assert_eq!(ring.in_flight(), 0);
    assert_eq!(Rc::strong_count(&reader), 1, "the file is closed with the operation");
}

/// A read that stays in the kernel when its future is dropped.
struct LeftRead {
    _read: PipeRead,
}

impl Keep for LeftRead {
    const IF_DROPPED: IfDropped = IfDropped::Leave;
}

#[test]
fn dropping_the_ring_does_not_wait_for_what_another_party_ends_and_keeps_its_memory() {
    let (reader, _writer) = pipe();
    let freed = Rc::new(Cell::new(false));
    let ring = Ring::new(4).expect("io_uring works here");
    let mut read =
        PipeRead { _pipe: Rc::clone(&reader), buffer: Buffer::zeroed(64), freed: Rc::clone(&freed) };
    let entry = opcode::Read::new(types::Fd(reader.as_raw_fd()), read.buffer.as_mut_ptr(), 64).build();
    // SAFETY: `read` owns the buffer of 64 bytes and the pipe.
    let operation = unsafe { ring.run(entry, LeftRead { _read: read }) };
    ring.wait(Some(0));
    assert_eq!(ring.in_flight(), 1);
    drop(operation);
    assert_eq!(ring.in_flight(), 1);
    drop(ring);
    assert!(!freed.get(), "the kernel may use it still");
}

#[test]
fn dropping_the_ring_ends_everything_in_flight_first() {
    let (reader, _writer) = pipe();
    let freed: Vec<_> = (0..100).map(|_| Rc::new(Cell::new(false))).collect();
    let ring = Ring::new(4).expect("io_uring works here");
    let operations: Vec<_> = freed.iter().map(|freed| pipe_read(&ring, &reader, freed)).collect();
    ring.wait(Some(0));
    drop(operations);
    assert!(freed.iter().all(|freed| !freed.get()));
    drop(ring);
    assert!(freed.iter().all(|freed| freed.get()));
    assert_eq!(Rc::strong_count(&reader), 1);
}

#[test]
fn an_operation_that_completed_before_it_was_dropped_leaves_nothing() {
    let ring = Ring::new(4).expect("io_uring works here");
    let mut operation = pin!(nop(&ring));
    ring.wait(None);
    operation.set(nop(&ring));
    ring.wait(None);
    assert_eq!(ring.in_flight(), 0);
    assert_eq!(ring.shared.slots.borrow().len(), 1, "only the one that can still be asked");
}

#[test]
fn a_refusal_says_what_an_administrator_can_do() {
    let text = |errno| explain(&io::Error::from_raw_os_error(errno)).to_string();
    assert!(text(libc::EPERM).contains("kernel.io_uring_disabled"));
    assert!(text(libc::ENOSYS).contains("5.19") && text(libc::ENOSYS).contains("seccomp"));
    assert!(text(libc::ENOMEM).contains("locked memory"));
    assert!(text(libc::EMFILE).contains("open files"));
}

/// Returns how many mappings of this process have any of these addresses. Those of other arenas beside it may be one with it.
fn mappings_at(addresses: &std::ops::Range<usize>) -> usize {
    let address = |text: &str| usize::from_str_radix(text, 16).ok();
    let overlaps = |line: &&str| {
        let bounds = line.split_once(' ').and_then(|(bounds, _)| bounds.split_once('-'));
        let bounds = bounds.and_then(|(start, end)| Some((address(start)?, address(end)?)));
        bounds.is_some_and(|(start, end)| start < addresses.end && end > addresses.start)
    };
    std::fs::read_to_string("/proc/self/maps").expect("there is one").lines().filter(overlaps).count()
}

/// Returns how many pages of 4 KiB are in memory.
fn pages_in_memory(arena: &Arena) -> usize {
    let mut pages = vec![0; arena.len() / 4096];
    let start = arena.as_ptr().cast_mut().cast();
    // SAFETY: all of the arena is mapped, and there is a byte for each of its pages.
    let answer = unsafe { libc::mincore(start, arena.len(), pages.as_mut_ptr()) };
    assert_eq!(answer, 0);
    pages.iter().filter(|&&page| page & 1 == 1).count()
}

#[test]
fn an_arena_comes_into_memory_part_by_part_and_stays_one_mapping() {
    let (ring, executor) = ring_and_executor(8);
    if !ring.is_recent() {
        eprintln!("not tested: this kernel is asked for no memory ahead");
        return;
    }
    let (host, part) = (executor.host(), Arena::PART_BYTES);
    let mut arena = Arena::new(8 * part);
    let addresses = arena.as_ptr_range();
    let addresses = addresses.start as usize..addresses.end as usize;
    assert_eq!((mappings_at(&addresses), pages_in_memory(&arena)), (1, 0));
    arena[0] = 1;
    arena[3 * part] = 2;
    assert_eq!(pages_in_memory(&arena), 2, "nothing becomes a large page by a touch");
    executor.run(async {
        drop(host.populate(arena.part(7)));
        // One that is in use already, and one whose future is dropped before its end.
        for number in [1, 2, 3] {
            host.populate(arena.part(number)).await;
        }
        let mut not_awaited = host.populate(arena.part(5));
        poll_fn(|context| {
            assert!(pin!(&mut not_awaited).poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
    });
    ring.drain();
    assert_eq!(pages_in_memory(&arena), 3 * 512 + 1);
    executor.run(host.populate(arena.part(5)));
    assert_eq!(pages_in_memory(&arena), 4 * 512 + 1);
    assert_eq!(mappings_at(&addresses), 1, "a process may have few");
    assert_eq!((arena[0], arena[3 * part]), (1, 2));
    arena[3 * part] = 0;
    assert!(arena[1..].iter().all(|&byte| byte == 0));
}

#[test]
fn an_arena_stays_mapped_until_the_kernel_is_done_with_a_part() {
    let (ring, executor) = ring_and_executor(8);
    if !ring.is_recent() {
        eprintln!("not tested: this kernel is asked for no memory ahead");
        return;
    }
    let arena = Arena::new(Arena::PART_BYTES);
    let kept = arena.kept();
    let mut populated = executor.host().populate(arena.part(0));
    executor.run(poll_fn(|context| {
        assert!(pin!(&mut populated).poll(context).is_pending());
        Poll::Ready(())
    }));
    drop((populated, arena));
    assert_eq!((ring.in_flight(), kept()), (1, true));
    ring.drain();
    assert!(!kept());
}
