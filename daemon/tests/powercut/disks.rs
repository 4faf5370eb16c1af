//! The disks of a guest, outside of it: volatile write caches that are lost when the power fails.
//!
//! All disks of one machine are on one thread behind NBD. So there is one order of all their events, and a
//! cut is one moment for all. After it each sector has its durable content, or that of any later write.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use block::executor::{Executor, LocalHost, Order};
use block::faulty::{Faults, Faulty};
use block::memory::Memory;
use block::socket::Listener;
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Outcome, Ring, Unmap};
use doors::nbd::{Export, NbdDoor};
use guest::PowerSwitch;
use tokio::sync::mpsc as commands;

/// Range of a request's latency in nanoseconds: enough for several to be in flight when the power fails.
const LATENCY_NS: (u64, u64) = (20_000, 600_000);

/// Parameters of a disk.
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
}

/// Disks on a thread of their own. They keep their content across boots.
pub(crate) struct Disks {
    folder: PathBuf,
    commands: Option<commands::UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

type Command = Box<dyn FnOnce(&World) + Send>;

/// State on the thread.
struct World {
    ring: Ring,
    host: LocalHost,
    disks: Vec<Disk>,
    fuse: Rc<Fuse>,
}

struct Disk {
    name: &'static str,
    durable: Memory,
    faults: Faults,
    lies: Rc<Cell<bool>>,
}

/// Cuts the power once a number of writes and flushes have begun.
struct Fuse {
    left: Cell<Option<u64>>,
    disks: Vec<Faults>,
    /// The switch of the machine with the disks.
    switch: RefCell<Option<PowerSwitch>>,
}

impl Disks {
    /// Returns empty disks. Random choices depend on `seed`; sockets are in `folder`.
    pub(crate) fn new(plans: Vec<Plan>, seed: u64, folder: &Path) -> Self {
        let (sender, mut receiver) = commands::unbounded_channel::<Command>();
        let thread = std::thread::spawn(move || {
            let ring = Ring::new(256).expect("the kernel has io_uring");
            let executor = Executor::new(ring.clone(), Order::Fifo);
            let disk = |(number, plan): (usize, Plan)| {
                let durable = Memory::new(plan.bytes);
                let faults = Faults::new(durable.clone(), seed.wrapping_add(number as u64));
                faults.delay(LATENCY_NS.0, LATENCY_NS.1);
                Disk { name: plan.name, durable, faults, lies: Rc::default() }
            };
            let disks: Vec<_> = plans.into_iter().enumerate().map(disk).collect();
            let faults = disks.iter().map(|disk| disk.faults.clone()).collect();
            let fuse = Rc::new(Fuse { left: Cell::new(None), disks: faults, switch: RefCell::default() });
            let world = World { ring, host: executor.host(), disks, fuse };
            executor.run(async {
                while let Some(command) = receiver.recv().await {
                    command(&world);
                }
            });
        });
        Self { folder: folder.to_owned(), commands: Some(sender), thread: Some(thread) }
    }

    /// Serves all disks to boot number `boot`. Returns their names with their addresses.
    pub(crate) fn power_on(&self, boot: u32) -> Vec<(&'static str, String)> {
        let folder = self.folder.clone();
        self.run(move |world| {
            world.fuse.left.set(None);
            world.disks.iter().map(|disk| (disk.name, world.serve(disk, &folder, boot))).collect()
        })
    }

    /// Cuts the power of the disks and of the machine of `switch` when `operations` more writes and flushes
    /// have begun.
    pub(crate) fn cut_after(&self, operations: u64, switch: PowerSwitch) {
        self.run(move |world| {
            world.fuse.switch.replace(Some(switch));
            world.fuse.left.set(Some(operations));
        });
    }

    /// Returns true if the power was cut since it was switched on.
    pub(crate) fn were_cut(&self) -> bool {
        self.run(|world| world.fuse.left.get() == Some(0))
    }

    /// Returns the content of disk `name` in `ranges` of bytes, one after another.
    pub(crate) fn content(&self, name: &'static str, ranges: Vec<Range<u64>>) -> Vec<u8> {
        self.run(move |world| {
            let read = |range: Range<u64>| {
                let mut bytes = vec![0; (range.end - range.start) as usize];
                world.disk(name).faults.peek(range.start, &mut bytes);
                bytes
            };
            ranges.into_iter().flat_map(read).collect()
        })
    }

    /// Writes the first content of a disk.
    pub(crate) fn fill(&self, name: &'static str, bytes: Vec<u8>) {
        self.run(move |world| world.disk(name).durable.poke(0, &bytes));
    }

    /// Makes a flush of disk `name` succeed without effect, from the next boot on.
    pub(crate) fn lie_about_flushes(&self, name: &'static str) {
        self.run(move |world| world.disk(name).lies.set(true));
    }

    /// Returns the number of discards that reached disk `name`.
    pub(crate) fn discards(&self, name: &'static str) -> u64 {
        self.run(move |world| world.disk(name).faults.counts().discards)
    }

    fn run<T: Send + 'static>(&self, task: impl FnOnce(&World) -> T + Send + 'static) -> T {
        let (answer, answered) = mpsc::channel();
        let command: Command =
            Box::new(move |world| answer.send(task(world)).expect("somebody waits for the answer"));
        let commands = self.commands.as_ref().expect("it is taken only at the end");
        assert!(commands.send(command).is_ok(), "the thread of the disks runs");
        answered.recv().expect("the thread of the disks runs")
    }
}

impl Drop for Disks {
    fn drop(&mut self) {
        self.commands.take();
        let ended = self.thread.take().expect("it is taken only here").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the thread of the disks panicked");
    }
}

impl World {
    fn disk(&self, name: &str) -> &Disk {
        let disk = self.disks.iter().find(|disk| disk.name == name);
        disk.expect("tests ask for disks that they planned")
    }

    fn serve(&self, Disk { name, faults, lies, .. }: &Disk, folder: &Path, boot: u32) -> String {
        let (fuse, lies) = (Rc::clone(&self.fuse), Rc::clone(lies));
        let device = Fused { device: faults.reopen(self.host.clone()), fuse, lies };
        let socket = folder.join(format!("{name}-{boot}.sock"));
        let listener = Listener::bind_unix(&self.ring, &socket).expect("the folder is ours");
        let door = NbdDoor::for_disk(Export::new(name, "a disk that forgets", device));
        self.host.spawn(door.listen(listener, self.host.clone()));
        format!("nbd+unix:///{name}?socket={}", socket.display())
    }
}

impl Fuse {
    fn burn(&self) {
        let Some(left @ 1..) = self.left.get() else { return };
        self.left.set(Some(left - 1));
        if left > 1 {
            return;
        }
        for disk in &self.disks {
            disk.power_cut();
        }
        if let Some(switch) = self.switch.take() {
            switch.cut().expect("QEMU is our child");
        }
    }
}

/// A disk whose requests count towards the cut.
struct Fused {
    device: Faulty<LocalHost>,
    fuse: Rc<Fuse>,
    lies: Rc<Cell<bool>>,
}

impl BlockDevice for Fused {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.device.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.fuse.burn();
        self.device.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.fuse.burn();
        if self.lies.get() {
            return Ok(());
        }
        self.device.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.fuse.burn();
        self.device.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.fuse.burn();
        self.device.discard(range).await
    }
}
