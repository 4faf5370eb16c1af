//! A door on its own thread, in front of a device that tests can hold up and make fail.

// Each test binary uses its own part of this.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

#[path = "../at_hand/mod.rs"]
mod at_hand;

use std::cell::{Cell, RefCell};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use block::executor::{Executor, LocalHost, Order};
use block::memory::Memory;
use block::socket::Listener;
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Host, Operation, Outcome, Ring,
    Unmap, WantedRange,
};
use doors::nbd::option::Replies;
use doors::nbd::{Client, Directory, Export, Limits, NbdDoor, PausedNbdDoor};
use tokio::sync::{Notify, mpsc as commands};

use crate::patience;

/// Memory that can be held up and made to fail, and that remembers what was done to it.
pub struct TestDevice {
    pub memory: Memory,
    pub failing: Cell<Option<ErrorKind>>,
    /// Its size, if that is another than it was.
    pub resized: Cell<Option<u64>>,
    /// Requests waiting in `pass`.
    pub held: Cell<u64>,
    pub log: RefCell<Vec<Operation>>,
    /// Number of bytes from the start that reads find without waiting, also while others are held.
    pub at_hand: Cell<u64>,
    /// Ranges that were announced for prefetching.
    pub prefetched: RefCell<Vec<ByteRange>>,
    /// The operation that waits while requests are held, if not all do.
    held_only: Cell<Option<Operation>>,
    holding: Cell<bool>,
    released: Notify,
}

impl TestDevice {
    pub fn new(geometry: Geometry) -> Self {
        Self {
            memory: Memory::with_geometry(geometry),
            failing: Cell::new(None),
            resized: Cell::new(None),
            held: Cell::new(0),
            log: RefCell::default(),
            at_hand: Cell::new(0),
            prefetched: RefCell::default(),
            held_only: Cell::new(None),
            holding: Cell::new(false),
            released: Notify::new(),
        }
    }

    /// From now on requests wait.
    pub fn hold(&self) {
        self.holding.set(true);
    }

    /// Requests go on.
    pub fn release(&self) {
        self.holding.set(false);
        self.released.notify_waiters();
    }

    /// Requests go on, but for those of one kind.
    pub fn release_but(&self, operation: Operation) {
        self.held_only.set(Some(operation));
        self.released.notify_waiters();
    }

    async fn pass(&self, operation: Operation) -> Result<(), BlockError> {
        while self.holding.get() && self.held_only.get().is_none_or(|only| only == operation) {
            self.held.set(self.held.get() + 1);
            self.released.notified().await;
            self.held.set(self.held.get() - 1);
        }
        self.log.borrow_mut().push(operation);
        match self.failing.get() {
            Some(kind) => Err(BlockError::anywhere(kind, operation)),
            None => Ok(()),
        }
    }
}

impl BlockDevice for TestDevice {
    fn geometry(&self) -> Geometry {
        let geometry = self.memory.geometry();
        Geometry { size: self.resized.get().unwrap_or(geometry.size), ..geometry }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self.pass(Operation::Read).await {
            Ok(()) => self.memory.read(offset, buffer).await,
            Err(error) => (buffer, Err(error)),
        }
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        at_hand::give(&self.memory, self.at_hand.get(), wanted, take);
    }

    fn prefetch(&self, range: ByteRange) {
        self.prefetched.borrow_mut().push(range);
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self.pass(Operation::Write).await {
            Ok(()) => self.memory.write(offset, buffer).await,
            Err(error) => (buffer, Err(error)),
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.pass(Operation::Flush).await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.pass(Operation::WriteZeroes).await?;
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.pass(Operation::Discard).await?;
        self.memory.discard(range).await
    }

    /// Reports the second half of the disk as a hole.
    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        let middle = self.geometry().size / 2;
        let parts =
            [(ByteRange::new(0, middle), true), (ByteRange::new(middle, self.geometry().size), false)];
        let parts = parts.map(|(part, allocated)| Extent { range: range.intersection(&part), allocated });
        Ok(parts.into_iter().filter(|extent| !extent.range.is_empty()).collect())
    }
}

/// State of the server's thread.
pub struct World {
    pub ring: Ring,
    pub host: LocalHost,
    pub door: Rc<NbdDoor<TestDevice>>,
    pub export: Rc<Export<TestDevice>>,
}

type Command = Box<dyn FnOnce(&World) + Send>;

/// A door for one disk called `disk`, on a thread of its own. Dropping it ends the thread.
pub struct Server {
    folder: PathBuf,
    commands: Option<commands::UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

pub const MIB: u64 = 1 << 20;

impl Server {
    pub fn start() -> Self {
        Self::with(Geometry::plain(64 * MIB), Limits::default())
    }

    pub fn with(geometry: Geometry, limits: Limits) -> Self {
        static SERVERS: AtomicU64 = AtomicU64::new(0);
        let number = SERVERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("forebay-nbd-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("disk.sock");
        let (sender, receiver) = commands::unbounded_channel();
        let (ready, is_ready) = mpsc::channel();
        let thread = std::thread::spawn(move || serve(&path, geometry, limits, receiver, &ready));
        patience::hear(&is_ready);
        Self { folder, commands: Some(sender), thread: Some(thread) }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join("disk.sock")
    }

    /// Returns a place for files of the test.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn uri(&self) -> String {
        format!("nbd+unix:///disk?socket={}", self.path().display())
    }

    pub fn client(&self, replies: Replies) -> Client {
        Client::connect(&self.path(), "disk", replies).unwrap()
    }

    pub fn socket(&self) -> UnixStream {
        UnixStream::connect(self.path()).unwrap()
    }

    /// Runs `task` on the server's thread.
    pub fn run<T: Send + 'static>(&self, task: impl FnOnce(&World) -> T + Send + 'static) -> T {
        let (answer, answered) = mpsc::channel();
        let command: Command = Box::new(move |world| answer.send(task(world)).unwrap());
        assert!(self.commands.as_ref().unwrap().send(command).is_ok(), "the server runs");
        patience::hear(&answered)
    }

    /// Checks repeatedly until `condition` holds.
    pub fn until(&self, condition: impl Fn(&World) -> bool + Copy + Send + 'static) {
        patience::until(|| self.run(condition));
    }

    /// Waits until nothing of any client is left.
    pub fn until_nothing_is_left(&self) {
        self.until(|world| {
            let counters = world.export.counters();
            let connections = counters.connections + world.door.admissions().connections;
            connections == 0 && counters.payload_bytes == 0
        });
    }

    /// Lists the disk for clients of a reception.
    pub fn list(&self, directory: &Directory) {
        let directory = directory.clone();
        self.run(move |world| world.door.list(&directory, &world.ring, &world.host));
    }

    /// Starts to pause the door; the receiver gets what stands still, to go on with elsewhere.
    pub fn pause(&self) -> mpsc::Receiver<PausedNbdDoor> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let door = Rc::clone(&world.door);
            world.host.spawn(async move {
                door.pause().await;
                // A test that called it off takes what rests by itself.
                done.send(door.take_paused()).unwrap_or(());
            });
        });
        is_done
    }

    /// Starts to drain the export; the receiver hears when that is done.
    pub fn drain(&self) -> mpsc::Receiver<()> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let export = Rc::clone(&world.export);
            world.host.spawn(async move {
                export.drain().await;
                done.send(()).unwrap();
            });
        });
        is_done
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.commands.take();
        let ended = self.thread.take().unwrap().join();
        std::fs::remove_dir_all(&self.folder).unwrap();
        assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
    }
}

/// Continues the paused state of a door with another door of the same disk.
pub fn go_on(world: &World, paused: PausedNbdDoor) {
    world.door.go_on(&world.ring, &world.host, paused);
}

fn serve(
    path: &Path,
    geometry: Geometry,
    limits: Limits,
    mut commands: commands::UnboundedReceiver<Command>,
    ready: &mpsc::Sender<()>,
) {
    let ring = Ring::new(64).unwrap();
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let export = Export::with_limits("disk", "a disk for tests", TestDevice::new(geometry), limits);
    let door = NbdDoor::for_disk(Rc::clone(&export));
    let listener = Listener::bind_unix(&ring, path).unwrap();
    host.spawn(Rc::clone(&door).listen(listener, host.clone()));
    let world = World { ring, host, door, export };
    ready.send(()).unwrap();
    executor.run(async {
        while let Some(command) = commands.recv().await {
            command(&world);
        }
    });
}
