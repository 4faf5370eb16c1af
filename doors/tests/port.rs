//! A disk of one thread as a device on another: what is asked there is done here, or fails, and never hangs.

#![allow(clippy::unwrap_used)]

mod patience;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;

use block::executor::{Executor, Order};
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Memory, Operation, Outcome,
    Ring, Unmap,
};
use doors::nbd::option::Replies;
use doors::nbd::{Client, Export, NbdDoor};
use doors::port::{DiskPort, PortDoor, PortLimits};
use doors::{Door, DoorShard, Entrance, PausedDoor};
use futures_util::FutureExt;
use futures_util::future::{join, select};
use proptest::prelude::*;
use tokio::sync::{Notify, mpsc as commands};

const MIB: u64 = 1 << 20;
const PAGE: usize = 4096;

/// A device whose requests wait while it holds them, and that keeps a log of those that ended.
struct Disk {
    memory: Memory,
    size: Cell<u64>,
    is_holding: Cell<bool>,
    begun: Cell<usize>,
    released: Notify,
    log: RefCell<Vec<Operation>>,
    epoch: Cell<u64>,
}

impl Disk {
    async fn wait(&self, operation: Operation) {
        self.begun.set(self.begun.get() + 1);
        while self.is_holding.get() {
            self.released.notified().await;
        }
        self.log.borrow_mut().push(operation);
    }

    fn release(&self) {
        self.is_holding.set(false);
        self.released.notify_waiters();
    }
}

impl BlockDevice for Disk {
    fn geometry(&self) -> Geometry {
        Geometry::plain(self.size.get())
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.wait(Operation::Read).await;
        self.memory.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.wait(Operation::Write).await;
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.wait(Operation::Flush).await;
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.wait(Operation::WriteZeroes).await;
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.wait(Operation::Discard).await;
        self.memory.discard(range).await
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        let middle = range.start + range.len() / 2;
        let halves = [ByteRange { end: middle, ..range }, ByteRange { start: middle, ..range }];
        Ok(halves.map(|range| Extent { range, allocated: range.start < middle }).into())
    }

    fn epoch(&self) -> u64 {
        self.epoch.get()
    }
}

struct World {
    shard: DoorShard,
    disk: Rc<Disk>,
    door: Rc<PortDoor<Rc<Disk>>>,
}

type Command = Box<dyn FnOnce(&World) + Send>;

/// A thread with a disk and its port door.
struct Shard {
    commands: Option<commands::UnboundedSender<Command>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Shard {
    /// Starts one whose door is open.
    fn open(limits: PortLimits) -> (Self, DiskPort) {
        let shard = Self::start(limits);
        let port = shard.run(|world| {
            let opened = Rc::clone(&world.door).open(&world.shard, Entrance::Own);
            opened.now_or_never().expect("it is ready at once").unwrap();
            world.door.port()
        });
        (shard, port)
    }

    fn start(limits: PortLimits) -> Self {
        let (sender, mut receiver) = commands::unbounded_channel::<Command>();
        let thread = thread::spawn(move || {
            let ring = Ring::new(64).unwrap();
            let executor = Executor::new(ring.clone(), Order::Fifo);
            let disk = Rc::new(Disk {
                memory: Memory::new(4 * MIB),
                size: Cell::new(MIB),
                is_holding: Cell::new(false),
                begun: Cell::new(0),
                released: Notify::new(),
                log: RefCell::default(),
                epoch: Cell::new(0),
            });
            let door = PortDoor::new(Rc::clone(&disk), limits);
            let world = World { shard: DoorShard { ring, host: executor.host() }, disk, door };
            executor.run(async {
                while let Some(command) = receiver.recv().await {
                    command(&world);
                }
            });
        });
        Self { commands: Some(sender), thread: Some(thread) }
    }

    fn run<T: Send + 'static>(&self, task: impl FnOnce(&World) -> T + Send + 'static) -> T {
        let (answer, answered) = mpsc::channel();
        let command: Command = Box::new(move |world| answer.send(task(world)).unwrap());
        assert!(self.commands.as_ref().unwrap().send(command).is_ok(), "the shard runs");
        patience::hear(&answered)
    }

    fn until(&self, condition: impl Fn(&World) -> bool + Copy + Send + 'static) {
        patience::until(|| self.run(condition));
    }

    fn hold(&self) {
        self.run(|world| world.disk.is_holding.set(true));
    }

    fn release(&self) {
        self.run(|world| world.disk.release());
    }

    /// Waits until the device has begun so many requests.
    fn until_begun(&self, requests: usize) {
        patience::until(|| self.run(move |world| world.disk.begun.get()) >= requests);
    }

    fn pause(&self) -> mpsc::Receiver<PausedDoor> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let door = Rc::clone(&world.door);
            block::Host::spawn(&world.shard.host, async move {
                Door::pause(&*door).await;
                done.send(door.take_paused()).unwrap();
            });
        });
        is_done
    }

    fn resume(&self, paused: PausedDoor) {
        self.run(|world| Rc::clone(&world.door).resume(&world.shard, paused));
    }

    fn close(&self) -> mpsc::Receiver<()> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let door = Rc::clone(&world.door);
            block::Host::spawn(&world.shard.host, async move {
                Door::close(&*door).await;
                done.send(()).unwrap_or(());
            });
        });
        is_done
    }

    /// Ends the thread, with whatever is in flight there.
    fn end(&mut self) {
        self.commands.take();
        self.thread.take().map(thread::JoinHandle::join).transpose().unwrap();
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.end();
    }
}

/// Runs `future` on this thread, which is another one than that of the disk.
fn ask<T>(future: impl Future<Output = T>) -> T {
    Executor::new(Ring::new(8).unwrap(), Order::Fifo).run(future).unwrap()
}

/// Starts a task on a thread of its own.
fn spawn<T: Send + 'static, F: Future<Output = T>>(
    task: impl FnOnce() -> F + Send + 'static,
) -> mpsc::Receiver<T> {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || done.send(ask(task())).unwrap_or(()));
    is_done
}

fn write_page(port: &DiskPort, page: u64, byte: u8) -> mpsc::Receiver<Outcome> {
    let port = port.clone();
    spawn(move || async move { port.write(page * PAGE as u64, Buffer::copy_of(&[byte; PAGE])).await })
}

fn page_of(port: &DiskPort, page: u64) -> u8 {
    let (buffer, outcome) = ask(port.read(page * PAGE as u64, Buffer::zeroed(PAGE)));
    outcome.unwrap();
    assert!(buffer.iter().all(|byte| *byte == buffer[0]), "a page is whole");
    buffer[0]
}

fn kind_of(outcome: Outcome) -> ErrorKind {
    assert_eq!(outcome.0.len(), PAGE, "the buffer comes back");
    outcome.1.unwrap_err().kind
}

#[test]
fn every_request_is_done_by_the_device_of_the_other_thread() {
    use Operation::{Discard, Flush, Read, Write, WriteZeroes};
    let (shard, port) = Shard::open(PortLimits::default());
    assert_eq!(port.geometry(), Geometry::plain(MIB));
    ask(async {
        port.write(0, Buffer::copy_of(&[7; 2 * PAGE])).await.1.unwrap();
        port.write_zeroes(ByteRange { start: 0, end: 512 }, Unmap::Allowed).await.unwrap();
        port.discard(ByteRange { start: 512, end: 1024 }).await.unwrap();
        port.flush().await.unwrap();
        let (buffer, outcome) = port.read(0, Buffer::zeroed(2048)).await;
        outcome.unwrap();
        assert_eq!((&buffer[..1024], &buffer[1024..]), (&[0; 1024][..], &[7; 1024][..]));
        let extents = port.extents(ByteRange { start: 0, end: 4096 }).await.unwrap();
        assert_eq!(extents.iter().map(|extent| extent.allocated).collect::<Vec<_>>(), [true, false]);
        let refused = port.read(8 * MIB, Buffer::zeroed(512)).await.1.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::InvalidRequest, "the error of the device comes back");
        assert!(!port.try_read_cached_range(ByteRange { start: 0, end: 512 }, &mut |_| ()));
    });
    let log = shard.run(|world| world.disk.log.take());
    assert_eq!(log, [Write, WriteZeroes, Discard, Flush, Read, Read]);
}

#[test]
fn a_flush_reaches_the_device_after_every_write_that_completed_before() {
    let (shard, port) = Shard::open(PortLimits::default());
    let other = port.clone();
    shard.hold();
    let early = write_page(&other, 1, 1);
    shard.until_begun(1);
    shard.release();
    patience::hear(&early).1.unwrap();
    shard.hold();
    let late = write_page(&port, 2, 2);
    shard.until_begun(2);
    let flushing = { spawn(move || async move { port.flush().await }) };
    shard.until_begun(3);
    shard.release();
    patience::hear(&flushing).unwrap();
    patience::hear(&late).1.unwrap();
    let log = shard.run(|world| world.disk.log.take());
    assert_eq!(log[0], Operation::Write, "the write that had completed is there before the flush");
    assert_eq!(log.iter().filter(|operation| **operation == Operation::Flush).count(), 1);
}

#[test]
fn requests_wait_while_their_disk_moves_and_are_done_where_it_goes_on() {
    let (first, port) = Shard::open(PortLimits::default());
    let second = Shard::start(PortLimits::default());
    second.run(|world| world.disk.size.set(2 * MIB));
    first.hold();
    let in_flight = write_page(&port, 0, 1);
    first.until_begun(1);
    let pausing = first.pause();
    // It is queued, not begun: the door is held.
    let waiting = write_page(&port, 1, 2);
    assert!(pausing.try_recv().is_err(), "a request is in flight");
    first.release();
    patience::hear(&in_flight).1.unwrap();
    let paused = patience::hear(&pausing);
    first.until(|world| world.door.counters().data_bytes == PAGE as u64);
    assert_eq!(first.run(|world| world.disk.begun.get()), 1);
    assert!(waiting.try_recv().is_err());
    second.resume(paused);
    patience::hear(&waiting).1.unwrap();
    assert_eq!((page_of(&port, 0), page_of(&port, 1)), (0, 2), "from now on it is the other device");
    assert_eq!(port.geometry().size, 2 * MIB);
    assert_eq!(second.run(|world| world.door.counters().connections), 1);
    // The first one may close, and end: the disk is elsewhere.
    patience::hear(&first.close());
    drop(first);
    assert_eq!(page_of(&port, 1), 2);
}

#[test]
fn a_pause_that_is_called_off_loses_no_request() {
    let (shard, port) = Shard::open(PortLimits::default());
    shard.hold();
    let writing = write_page(&port, 0, 1);
    shard.until_begun(1);
    shard.run(|world| {
        assert!(Door::pause(&*world.door).now_or_never().is_none());
        let paused = world.door.take_paused();
        Rc::clone(&world.door).resume(&world.shard, paused);
    });
    shard.release();
    patience::hear(&writing).1.unwrap();
    assert_eq!(page_of(&port, 0), 1);
    // Once more, with the queue at rest.
    let paused = patience::hear(&shard.pause());
    let waiting = write_page(&port, 0, 2);
    shard.resume(paused);
    patience::hear(&waiting).1.unwrap();
    assert_eq!(page_of(&port, 0), 2);
}

#[test]
fn a_disk_that_is_removed_ends_what_it_began_and_refuses_the_rest() {
    let (shard, port) = Shard::open(PortLimits { requests_max: 1, ..PortLimits::default() });
    shard.hold();
    let begun = write_page(&port, 0, 1);
    shard.until_begun(1);
    // These wait for room.
    let (queued, again) = (write_page(&port, 1, 2), write_page(&port, 2, 3));
    let closing = shard.close();
    assert_eq!(kind_of(patience::hear(&queued)), ErrorKind::Gone);
    assert_eq!(kind_of(patience::hear(&again)), ErrorKind::Gone);
    assert!(closing.try_recv().is_err(), "a request is in flight");
    shard.release();
    patience::hear(&begun).1.unwrap();
    patience::hear(&closing);
    assert_eq!(ask(port.flush()).unwrap_err().kind, ErrorKind::Gone);
    assert_eq!(ask(port.extents(ByteRange { start: 0, end: 512 })).unwrap_err().kind, ErrorKind::Gone);
    assert!(!port.has_unanswered(), "nothing that failed may still be done");
    assert_eq!(shard.run(|world| world.disk.begun.get()), 1);
}

#[test]
fn what_waits_in_the_queue_of_a_paused_door_fails_if_the_door_is_dropped() {
    let (shard, port) = Shard::open(PortLimits::default());
    let paused = patience::hear(&shard.pause());
    let waiting = write_page(&port, 0, 1);
    shard.until(|world| world.door.counters().data_bytes > 0);
    drop(paused);
    assert_eq!(kind_of(patience::hear(&waiting)), ErrorKind::Gone);
    assert_eq!(kind_of(ask(port.read(0, Buffer::zeroed(PAGE)))), ErrorKind::Gone);
}

#[test]
fn a_shard_that_ends_fails_every_request_and_says_which_may_still_be_done() {
    let (mut shard, port) = Shard::open(PortLimits { requests_max: 3, ..PortLimits::default() });
    shard.hold();
    let writing = write_page(&port, 0, 1);
    let other = port.clone();
    let reading = spawn(move || async move { other.read(0, Buffer::zeroed(PAGE)).await });
    let other = port.clone();
    let flushing = spawn(move || async move { other.flush().await });
    shard.until_begun(3);
    let waiting = write_page(&port, 1, 1);
    shard.end();
    assert_eq!(kind_of(patience::hear(&writing)), ErrorKind::Unanswered);
    assert!(port.has_unanswered());
    assert_eq!(kind_of(patience::hear(&reading)), ErrorKind::Gone);
    assert_eq!(patience::hear(&flushing).unwrap_err().kind, ErrorKind::Gone);
    assert_eq!(kind_of(patience::hear(&waiting)), ErrorKind::Gone, "it was not begun");
    assert_eq!(ask(port.flush()).unwrap_err().kind, ErrorKind::Gone);
    assert!(port.has_unanswered());
}

#[test]
fn a_request_whose_future_is_dropped_is_done_if_it_was_sent_and_not_if_it_waited_for_room() {
    let (shard, port) = Shard::open(PortLimits { requests_max: 1, ..PortLimits::default() });
    shard.hold();
    ask(async {
        let sent = pin!(port.write(0, Buffer::copy_of(&[1; PAGE])));
        // Woken only by the answer, so one poll is all it gets here.
        drop(select(sent, pin!(async {})).await);
        assert!(port.write(PAGE as u64, Buffer::copy_of(&[2; PAGE])).now_or_never().is_none());
    });
    shard.until_begun(1);
    shard.release();
    shard.until(|world| world.door.counters().data_bytes == 0);
    assert_eq!((page_of(&port, 0), page_of(&port, 1)), (1, 0));
    // Queued at a door that is held: it was sent, and nothing waits for it.
    let paused = patience::hear(&shard.pause());
    assert!(port.write(0, Buffer::copy_of(&[3; PAGE])).now_or_never().is_none());
    shard.resume(paused);
    assert_eq!(page_of(&port, 0), 3);
}

#[test]
fn no_more_requests_and_bytes_are_in_flight_than_the_limits_say() {
    let limits = PortLimits { requests_max: 3, bytes_max: 2 * PAGE as u32 };
    let (shard, port) = Shard::open(limits);
    shard.hold();
    let writes: Vec<_> = (0..6).map(|page| write_page(&port, page, 1)).collect();
    shard.until_begun(2);
    shard.until(|world| world.door.counters().data_bytes == 2 * PAGE as u64);
    assert_eq!(shard.run(|world| world.disk.begun.get()), 2, "bytes are the limit");
    shard.release();
    for writing in &writes {
        patience::hear(writing).1.unwrap();
    }
    shard.hold();
    let flushes: Vec<_> = (0..5)
        .map(|_| {
            let port = port.clone();
            spawn(move || async move { port.flush().await })
        })
        .collect();
    shard.until_begun(6 + 3);
    assert_eq!(shard.run(|world| world.disk.begun.get()), 9, "requests are the limit");
    shard.release();
    for flushing in &flushes {
        patience::hear(flushing).unwrap();
    }
    // One that is longer than all the room is done alone.
    let (_, outcome) = ask(port.write(0, Buffer::zeroed(8 * PAGE)));
    outcome.unwrap();
}

#[test]
fn ports_learn_of_a_new_size_and_of_lost_writes() {
    let (shard, port) = Shard::open(PortLimits::default());
    shard.run(|world| {
        world.disk.size.set(2 * MIB);
        Door::resized(&*world.door);
    });
    assert_eq!(port.geometry().size, 2 * MIB);
    let before = port.epoch();
    assert_eq!(page_of(&port, 0), 0);
    assert_eq!(port.epoch(), before);
    shard.run(|world| world.disk.epoch.set(1));
    assert_eq!(page_of(&port, 0), 0);
    assert_ne!(port.epoch(), before, "whoever gets the answer knows");
}

#[test]
fn a_port_door_has_no_use_for_a_socket_and_counts_its_ports() {
    let (shard, port) = Shard::open(PortLimits::default());
    shard.run(|world| {
        let (one, _) = UnixStream::pair().unwrap();
        let entrance = Entrance::Socket(std::os::fd::OwnedFd::from(one).into());
        let refused = Rc::clone(&world.door).open(&world.shard, entrance).now_or_never().unwrap();
        assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::Unsupported);
    });
    let more = [port.clone(), port.clone()];
    assert_eq!(shard.run(|world| world.door.counters().connections), 3);
    drop((port, more));
    let counters = shard.run(|world| (world.door.counters(), world.door.peers().len()));
    assert_eq!((counters.0.connections, counters.0.connections_total, counters.1), (0, 3, 0));
}

#[test]
fn a_door_of_one_thread_serves_a_disk_of_another_through_a_port() {
    let (shard, port) = Shard::open(PortLimits::default());
    let folder = std::env::temp_dir().join(format!("forebay-port-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("nbd.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = spawn(move || async move {
        let ring = Ring::new(64).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let at = DoorShard { ring, host: executor.host() };
        let door: Rc<dyn Door> = NbdDoor::for_disk(Export::new("disk", "", port));
        executor.run(async {
            Rc::clone(&door).open(&at, Entrance::Socket(listener)).await.unwrap();
            drop(stopped.await);
            door.close().await;
        });
    });
    let mut client = Client::connect(&path, "disk", Replies::Structured).unwrap();
    client.write(0, &[5; 3 * PAGE]).unwrap();
    client.flush().unwrap();
    assert_eq!(client.read(PAGE as u64, 512).unwrap(), [5; 512]);
    let log = shard.run(|world| world.disk.log.take());
    assert_eq!(log, [Operation::Write, Operation::Flush, Operation::Read]);
    drop((client, stop));
    patience::hear(&serving);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A request of the test below, by pages.
#[derive(Clone, Debug)]
enum Asked {
    Write(u64, u8),
    Zeroes(u64, u64),
    Discard(u64, u64),
    Flush,
    Read(u64),
    /// The disk moves to the other shard.
    Move,
}

fn asked() -> impl Strategy<Value = Asked> {
    let (page, count) = (0..16_u64, 1..4_u64);
    prop_oneof![
        4 => (page.clone(), any::<u8>()).prop_map(|(page, byte)| Asked::Write(page, byte)),
        1 => (page.clone(), count.clone()).prop_map(|(page, count)| Asked::Zeroes(page, count)),
        1 => (page.clone(), count).prop_map(|(page, count)| Asked::Discard(page, count)),
        1 => Just(Asked::Flush),
        4 => page.prop_map(Asked::Read),
        1 => Just(Asked::Move),
    ]
}

/// Performs one request on any device.
async fn perform(device: &impl BlockDevice, asked: &Asked) -> Vec<u8> {
    let range = |page: u64, count: u64| {
        let start = page * PAGE as u64;
        ByteRange { start, end: start + count * PAGE as u64 }
    };
    match asked {
        Asked::Write(page, byte) => {
            device.write(range(*page, 1).start, Buffer::copy_of(&[*byte; PAGE])).await.1.unwrap();
        }
        Asked::Zeroes(page, count) => {
            device.write_zeroes(range(*page, *count), Unmap::Allowed).await.unwrap();
        }
        Asked::Discard(page, count) => device.discard(range(*page, *count)).await.unwrap(),
        Asked::Flush => device.flush().await.unwrap(),
        Asked::Read(page) => {
            let (buffer, outcome) = device.read(range(*page, 1).start, Buffer::zeroed(PAGE)).await;
            outcome.unwrap();
            return buffer.to_vec();
        }
        Asked::Move => {}
    }
    Vec::new()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_port_answers_as_the_device_itself_would(all in prop::collection::vec(asked(), 1..60)) {
        let plain = Memory::new(MIB);
        let (first, port) = Shard::open(PortLimits { requests_max: 2, bytes_max: PAGE as u32 });
        let second = Shard::start(PortLimits::default());
        let shards = [&first, &second];
        let mut at = 0;
        for asked in &all {
            if matches!(asked, Asked::Move) {
                let paused = patience::hear(&shards[at].pause());
                // The devices of the shards are separate: the content is copied, as if they shared a backing.
                let content = shards[at].run(|world| {
                    let mut content = vec![0; 20 * PAGE];
                    world.disk.memory.peek(0, &mut content);
                    content
                });
                at = 1 - at;
                shards[at].run(move |world| world.disk.memory.poke(0, &content));
                shards[at].resume(paused);
            }
            let (expected, got) = ask(join(perform(&plain, asked), perform(&port, asked)));
            prop_assert_eq!(expected, got, "{:?}", asked);
        }
    }
}
