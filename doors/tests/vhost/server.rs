//! A vhost-user door on its own thread, in front of memory whose requests a test can let end in any order.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use block::executor::{Driver as _, Executor, LocalHost, Order};
use block::socket::Listener;
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Geometry, Host, Memory, Operation, Outcome, Ring,
    Unmap, WantedRange,
};
use doors::vhost::{PausedVhostUserDoor, VhostUserDoor};
use tokio::sync::{mpsc as commands, oneshot};
use vhost::vhost_user::VhostUserFrontend;

use crate::at_hand;
use crate::driver::Driver;
use crate::patience;
use block::turn;

pub(crate) const MIB: u64 = 1 << 20;

/// Memory that can hold requests back, and that remembers what was done to it.
pub(crate) struct Disk {
    memory: Memory,
    /// Its size, if that is another than it was.
    pub(crate) resized: Cell<Option<u64>>,
    pub(crate) failing: Cell<Option<ErrorKind>>,
    pub(crate) done: RefCell<Vec<Operation>>,
    /// Number of requests done when each request arrived, in order of arrival.
    pub(crate) came_after: RefCell<Vec<usize>>,
    /// Number of bytes that reads find without waiting, even while others are held.
    pub(crate) at_hand: Cell<u64>,
    /// Ranges of each read from RAM.
    pub(crate) wanted: RefCell<Vec<Vec<ByteRange>>>,
    holding: Cell<bool>,
    /// Waiting requests, in order of arrival: offset, and the sender that releases each.
    held: RefCell<Vec<(u64, oneshot::Sender<()>)>>,
}

impl Disk {
    /// From now on requests wait.
    pub(crate) fn hold(&self) {
        self.holding.set(true);
    }

    /// Returns the offsets of the waiting requests on the disk, in bytes, in order of arrival.
    pub(crate) fn held(&self) -> Vec<u64> {
        self.held.borrow().iter().map(|(offset, _)| *offset).collect()
    }

    /// Lets the request at `offset` go on.
    pub(crate) fn release(&self, offset: u64) {
        let mut held = self.held.borrow_mut();
        let found = held.iter().position(|(at, _)| *at == offset).expect("it waits");
        held.remove(found).1.send(()).unwrap_or(());
    }

    /// Releases all requests, future ones too.
    pub(crate) fn release_all(&self) {
        self.holding.set(false);
        for (_, sender) in self.held.take() {
            sender.send(()).unwrap_or(());
        }
    }

    async fn pass(&self, operation: Operation, offset: u64) -> Result<(), BlockError> {
        self.came_after.borrow_mut().push(self.done.borrow().len());
        if self.holding.get() {
            let (sender, released) = oneshot::channel();
            self.held.borrow_mut().push((offset, sender));
            released.await.expect("what waits is let go or dropped");
        }
        self.done.borrow_mut().push(operation);
        match self.failing.get() {
            Some(kind) => Err(BlockError::anywhere(kind, operation)),
            None => Ok(()),
        }
    }
}

impl BlockDevice for Disk {
    fn geometry(&self) -> Geometry {
        let geometry = self.memory.geometry();
        Geometry { size: self.resized.get().unwrap_or(geometry.size), ..geometry }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self.pass(Operation::Read, offset).await {
            Ok(()) => self.memory.read(offset, buffer).await,
            Err(error) => (buffer, Err(error)),
        }
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        self.wanted.borrow_mut().push(wanted.iter().map(|read| read.range).collect());
        at_hand::give(&self.memory, self.at_hand.get(), wanted, take);
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self.pass(Operation::Write, offset).await {
            Ok(()) => self.memory.write(offset, buffer).await,
            Err(error) => (buffer, Err(error)),
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.pass(Operation::Flush, u64::MAX).await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.pass(Operation::WriteZeroes, range.start).await?;
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.pass(Operation::Discard, range.start).await?;
        self.memory.discard(range).await
    }
}

/// State of the server's thread.
pub(crate) struct World {
    pub(crate) ring: Ring,
    pub(crate) host: LocalHost,
    pub(crate) door: Rc<VhostUserDoor<Rc<Disk>>>,
    pub(crate) disk: Rc<Disk>,
}

type Command = Box<dyn FnOnce(&World) + Send>;

/// A door for a disk called `disk`, on a thread of its own.
pub(crate) struct Server {
    folder: PathBuf,
    socket: PathBuf,
    commands: Option<commands::UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(Geometry::plain(64 * MIB))
    }

    pub(crate) fn with(geometry: Geometry) -> Self {
        static SERVERS: AtomicU64 = AtomicU64::new(0);
        let number = SERVERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("forebay-vhost-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("disk.sock");
        let mut server = Self { folder, socket, commands: None, thread: None };
        server.run_anew(geometry);
        server
    }

    fn run_anew(&mut self, geometry: Geometry) {
        let path = self.path();
        let (sender, receiver) = commands::unbounded_channel();
        let (ready, is_ready) = mpsc::channel();
        self.thread = Some(std::thread::spawn(move || serve(&path, geometry, receiver, &ready)));
        self.commands = Some(sender);
        patience::hear(&is_ready);
    }

    /// Ends the server as a kill does, with whatever is in flight, and starts another one, which has the disk empty again.
    pub(crate) fn replace(&mut self) {
        let geometry = self.run(|world| world.disk.geometry());
        self.end();
        self.run_anew(geometry);
    }

    fn end(&mut self) {
        self.commands.take();
        let ended = self.thread.take().map(JoinHandle::join);
        std::fs::remove_file(self.path()).unwrap();
        assert!(ended.is_some_and(|ended| ended.is_ok()) || std::thread::panicking(), "the server panicked");
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.socket.clone()
    }

    /// Runs `task` on the server's thread.
    pub(crate) fn run<T: Send + 'static>(&self, task: impl FnOnce(&World) -> T + Send + 'static) -> T {
        let (answer, answered) = mpsc::channel();
        let command: Command = Box::new(move |world| answer.send(task(world)).unwrap());
        assert!(self.commands.as_ref().unwrap().send(command).is_ok(), "the server runs");
        patience::hear(&answered)
    }

    /// Checks repeatedly until `condition` holds.
    pub(crate) fn until(&self, condition: impl Fn(&World) -> bool + Copy + Send + 'static) {
        patience::until(|| self.run(condition));
    }

    /// Returns a receiver that gets whether a queue is polled while it is empty: polling happens whenever it is its task's turn. Seen from
    /// another thread, both ends of a turn can lie between two of them, as long as that thread always comes first on its processor.
    pub(crate) fn looks(&self) -> mpsc::Receiver<bool> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let ring = world.ring.clone();
            world.host.spawn(async move {
                let before = ring.looks();
                turn().await;
                done.send(ring.looks() > before).unwrap_or(());
            });
        });
        is_done
    }

    /// Disables the first queue of a driver, and lets go what the disk holds only once that was seen to wait. Returns how much was answered
    /// by the time that the queue was disabled.
    pub(crate) fn disable_while_held(&self, driver: &mut Driver) -> u16 {
        std::thread::scope(|scope| {
            let (disabled, is_disabled) = mpsc::channel();
            scope.spawn(move || {
                driver.frontend.set_vring_enable(0, false).unwrap();
                disabled.send(driver.used_index(0)).unwrap();
            });
            for _ in 0..200 {
                self.run(|_| ());
            }
            assert!(is_disabled.try_recv().is_err(), "it waits");
            self.run(|world| world.disk.release_all());
            patience::hear(&is_disabled)
        })
    }

    /// Waits until nothing of any front end is left.
    pub(crate) fn until_nothing_is_left(&self) {
        self.until(|world| {
            let counters = world.door.counters();
            counters.connections == 0 && counters.data_bytes == 0
        });
    }

    /// Starts to pause the door; the receiver gets what stands still.
    pub(crate) fn pause(&self) -> mpsc::Receiver<PausedVhostUserDoor> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let door = Rc::clone(&world.door);
            world.host.spawn(async move {
                door.pause().await;
                done.send(door.take_paused()).unwrap_or(());
            });
        });
        is_done
    }

    /// Starts to pause the door, and cancels that on demand, or when it stands still; connections that are at rest by then go on.
    pub(crate) fn pause_and_call_off(&self, called_off: oneshot::Receiver<()>) -> mpsc::Receiver<()> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let (door, ring, host) = (Rc::clone(&world.door), world.ring.clone(), world.host.clone());
            world.host.spawn(async move {
                let pause = Box::pin(door.pause());
                drop(futures_util::future::select(pause, called_off).await);
                door.go_on(&ring, &host, door.take_paused());
                done.send(()).unwrap_or(());
            });
        });
        is_done
    }

    /// Starts to close the door; the receiver hears when that is done.
    pub(crate) fn close(&self) -> mpsc::Receiver<()> {
        let (done, is_done) = mpsc::channel();
        self.run(move |world| {
            let door = Rc::clone(&world.door);
            world.host.spawn(async move {
                door.close().await;
                done.send(()).unwrap_or(());
            });
        });
        is_done
    }
}

impl AsRef<Path> for Server {
    fn as_ref(&self) -> &Path {
        &self.socket
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

fn serve(
    path: &Path,
    geometry: Geometry,
    mut commands: commands::UnboundedReceiver<Command>,
    ready: &mpsc::Sender<()>,
) {
    let ring = Ring::new(64).unwrap();
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let disk = Rc::new(Disk {
        memory: Memory::with_geometry(geometry),
        resized: Cell::new(None),
        failing: Cell::new(None),
        done: RefCell::default(),
        came_after: RefCell::default(),
        at_hand: Cell::new(0),
        wanted: RefCell::default(),
        holding: Cell::new(false),
        held: RefCell::default(),
    });
    let door = VhostUserDoor::new("disk", Rc::clone(&disk));
    let listener = Listener::bind_unix(&ring, path).unwrap();
    host.spawn(Rc::clone(&door).listen(listener, ring.clone(), host.clone()));
    let world = World { ring, host, door, disk };
    ready.send(()).unwrap();
    executor.run(async {
        while let Some(command) = commands.recv().await {
            command(&world);
        }
    });
}
