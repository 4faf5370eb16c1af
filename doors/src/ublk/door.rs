//! The door of a disk to the kernel: the listener where devices are handed over, and the task of each tag.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use block::socket::{Chunk, Listener, ListenerHandle, Peer, Stream};
use block::ublk::{IoOperation, IoRequest, Tag, open_queues};
use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Ring, Unmap};
use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, ready, select};
use nix::errno::Errno;

use super::MESSAGE_BYTES_MAX;
use super::handover::{Answer, Greeting, Offer, from_versioned_line, invalid, to_line};
use crate::door::{Door, DoorCounters, DoorShard, Entrance, PausedDoor, unsupported_entrance};
use crate::kernel_use::KernelUse;
use crate::phase::{DoorPhase, Phase};

/// Longest time of a handover, in nanoseconds.
const HANDOVER_TIME_MAX_NS: u64 = 10_000_000_000;
/// Commands that may be connected at once.
const COMMANDS_MAX: usize = 4;
/// Time without new connections after one failed for want of files or memory, in nanoseconds.
const ACCEPT_PAUSE_NS: u64 = 100_000_000;

/// The door of one disk by which it is a block device of this host: at most one.
pub struct UblkDoor<D> {
    name: String,
    device: D,
    /// Notified, too, when something ended.
    phase: DoorPhase,
    is_listening: Cell<bool>,
    /// Number of the newest listener. Older ones end.
    newest_listener: Cell<u64>,
    /// The listener at rest.
    resting: RefCell<Option<Listener>>,
    commands: Cell<usize>,
    served: Cell<Option<Served>>,
    /// As long as a device is served.
    kernel_use: Cell<Option<KernelUse>>,
    in_flight: Cell<usize>,
    counters: Cell<DoorCounters>,
}

/// The device that the door serves.
#[derive(Clone, Copy)]
struct Served {
    number: u32,
    /// Its tags that were not ended.
    tags: usize,
}

impl<D: BlockDevice> UblkDoor<D> {
    /// Makes a door to `device`, the disk `name`.
    pub fn new(name: &str, device: D) -> Rc<Self> {
        Rc::new(Self {
            name: name.to_owned(),
            device,
            phase: DoorPhase::open(),
            is_listening: Cell::new(false),
            newest_listener: Cell::new(0),
            resting: RefCell::default(),
            commands: Cell::new(0),
            served: Cell::new(None),
            kernel_use: Cell::default(),
            in_flight: Cell::new(0),
            counters: Cell::default(),
        })
    }

    fn serve(self: Rc<Self>, listener: Listener, shard: &DoorShard) {
        self.is_listening.set(true);
        let number = self.newest_listener.get() + 1;
        self.newest_listener.set(number);
        // An earlier listener sees that it is not the newest any more.
        self.phase.notify();
        shard.host.spawn(self.listen(listener, number, shard.clone()));
    }

    async fn listen(self: Rc<Self>, listener: Listener, number: u64, shard: DoorShard) {
        let is_newest = |door: &Self| door.newest_listener.get() == number;
        while self.phase.get() == Phase::Open && is_newest(&self) {
            let leaves = pin!(self.phase.until(|| self.phase.get() != Phase::Open || !is_newest(&self)));
            match listener.accept_unless(leaves).await {
                Ok(Some(stream)) if self.commands.get() < COMMANDS_MAX => {
                    self.commands.set(self.commands.get() + 1);
                    shard.host.spawn(Rc::clone(&self).welcome(stream, shard.clone()));
                }
                Ok(Some(_)) => self.count(|counters| counters.refused += 1),
                Ok(None) => {}
                // One command disconnected before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    tracing::warn!(%error, "Cannot accept a connection of `forebay map`; trying again in 100 ms");
                    shard.host.sleep(ACCEPT_PAUSE_NS).await;
                }
            }
        }
        if !is_newest(&self) {
            return;
        }
        if self.phase.get() == Phase::Held {
            self.resting.replace(Some(listener));
        }
        self.is_listening.set(false);
        self.phase.notify();
    }

    /// Talks to one command, until the device is served or not.
    async fn welcome(self: Rc<Self>, stream: Stream, shard: DoorShard) {
        let outcome = {
            let leaves = pin!(self.phase.until(|| self.phase.get() != Phase::Open));
            let too_late = pin!(shard.host.sleep(HANDOVER_TIME_MAX_NS));
            let taking = pin!(self.take_over(&stream, &shard));
            match select(taking, select(leaves, too_late)).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right((Either::Left(_), _)) => Err(invalid("the disk is being detached")),
                Either::Right((Either::Right(_), _)) => {
                    self.count(|counters| counters.protocol_errors += 1);
                    Err(invalid("the command took too long"))
                }
            }
        };
        if let Err(error) = &outcome {
            tracing::warn!("Disk '{}' was not mapped: {error}", self.name);
        }
        self.commands.set(self.commands.get() - 1);
        self.phase.notify();
    }

    async fn take_over(self: &Rc<Self>, stream: &Stream, shard: &DoorShard) -> io::Result<()> {
        let served = self.served.get().map(|served| served.number);
        send(stream, &to_line(&Greeting::of(&self.device, served))).await?;
        let received = receive(stream).await;
        let Some((offer, file)) =
            received.inspect_err(|_| self.count(|counters| counters.protocol_errors += 1))?
        else {
            // It only asked.
            return Ok(());
        };
        let taken = self.take(&offer, file, shard);
        let error = taken.as_ref().err().map(ToString::to_string);
        send(stream, &to_line(&Answer { error })).await?;
        taken
    }

    /// Serves the device behind `file` from now on.
    fn take(self: &Rc<Self>, offer: &Offer, file: OwnedFd, shard: &DoorShard) -> io::Result<()> {
        if let Some(Served { number, .. }) = self.served.get() {
            self.count(|counters| counters.refused += 1);
            return Err(invalid(format!("the disk is mapped already, as /dev/ublkb{number}")));
        }
        if self.phase.get() != Phase::Open {
            self.count(|counters| counters.refused += 1);
            return Err(invalid("the disk is being detached, or moves to another shard: try again"));
        }
        let info = offer.device();
        let tags = open_queues(&Arc::new(file), &info)
            .inspect_err(|_| self.count(|counters| counters.protocol_errors += 1))?;
        self.served.set(Some(Served { number: info.id, tags: tags.len() }));
        self.kernel_use.set(Some(KernelUse::begin()));
        self.count(|counters| counters.connections_total += 1);
        for tag in tags {
            // The kernel is asked with the first turn of the task, on this thread.
            shard.host.spawn(Rc::clone(self).serve_tag(tag, shard.ring.clone()));
        }
        tracing::info!("Disk '{}' is mapped as /dev/ublkb{}", self.name, info.id);
        Ok(())
    }

    /// Answers the requests of one tag, one after the other, until the device is stopped or the door is closed. Later ones are not
    /// answered: the kernel gives them to the next server.
    async fn serve_tag(self: Rc<Self>, tag: Tag, ring: Ring) {
        let mut fetched = tag.fetch(&ring).await;
        loop {
            match fetched {
                Ok((mut tag, request)) if self.phase.get() != Phase::Closed => {
                    self.in_flight.set(self.in_flight.get() + 1);
                    let result = perform(&self.device, &mut tag, request).await;
                    let answering = tag.answer(&ring, result);
                    self.in_flight.set(self.in_flight.get() - 1);
                    if self.phase.get() != Phase::Open {
                        self.phase.notify();
                    }
                    fetched = answering.await;
                }
                Ok(_) => return,
                Err(error) => return self.end_tag(&error),
            }
        }
    }

    fn end_tag(&self, error: &io::Error) {
        let Some(Served { number, tags }) = self.served.get() else { return };
        if error.raw_os_error() != Some(Errno::ENODEV as i32) {
            tracing::warn!(
                "A request place of /dev/ublkb{number}, disk '{}', is not served any more: {error}",
                self.name
            );
        }
        let left = (tags > 1).then_some(Served { number, tags: tags - 1 });
        self.served.set(left);
        if left.is_none() {
            self.kernel_use.take();
            tracing::info!("Disk '{}' is not mapped any more", self.name);
            self.phase.notify();
        }
    }

    fn count(&self, change: impl FnOnce(&mut DoorCounters)) {
        let mut counters = self.counters.get();
        change(&mut counters);
        self.counters.set(counters);
    }

    async fn until_idle(&self) {
        let _lifted = self.device.lift_limits();
        let is_idle = || !self.is_listening.get() && self.commands.get() == 0 && self.in_flight.get() == 0;
        self.phase.until(is_idle).await;
    }
}

/// Performs one request, and returns the result for the kernel: bytes moved, or a negative errno.
async fn perform<D: BlockDevice>(device: &D, tag: &mut Tag, request: IoRequest) -> i32 {
    let IoRequest { operation, offset, length, fua } = request;
    let moves = matches!(operation, IoOperation::Read | IoOperation::Write);
    let Some(range) = ByteRange::checked(offset, length) else { return -(Errno::EINVAL as i32) };
    if moves && length > tag.data().len() as u64 {
        return -(Errno::EINVAL as i32);
    }
    let bytes = length as usize;
    let done = match operation {
        IoOperation::Read => read(device, range, &mut tag.data()[..bytes]).await,
        IoOperation::Write => {
            let (_, written) = device.write(offset, Buffer::copy_of(&tag.data()[..bytes])).await;
            match written {
                Ok(()) if fua => device.flush().await,
                written => written,
            }
        }
        IoOperation::Flush => device.flush().await,
        IoOperation::Discard => device.discard(range).await,
        IoOperation::WriteZeroes { keeps_storage } => {
            let unmap = if keeps_storage { Unmap::Forbidden } else { Unmap::Allowed };
            match device.write_zeroes(range, unmap).await {
                Ok(()) if fua => device.flush().await,
                zeroed => zeroed,
            }
        }
        IoOperation::Unknown(number) => {
            tracing::debug!(number, "a request of a kind that is not known");
            return -(Errno::EOPNOTSUPP as i32);
        }
    };
    match done {
        // It has fewer bytes than fit into an i32, by the limit of a request.
        Ok(()) if moves => (length as u32).cast_signed(),
        Ok(()) => 0,
        Err(error) => -(errno_of(&error) as i32),
    }
}

async fn read<D: BlockDevice>(device: &D, range: ByteRange, to: &mut [u8]) -> Result<(), BlockError> {
    let mut filled = 0;
    let is_given = device.try_read_cached_range(range, &mut |bytes| {
        to[filled..filled + bytes.len()].copy_from_slice(bytes);
        filled += bytes.len();
    });
    if is_given {
        return Ok(());
    }
    let (buffer, outcome) = device.read(range.start, Buffer::zeroed(to.len())).await;
    if outcome.is_ok() {
        to.copy_from_slice(&buffer);
    }
    outcome
}

fn errno_of(error: &BlockError) -> Errno {
    tracing::debug!(%error, "a request of the kernel failed");
    match error.kind {
        ErrorKind::InvalidRequest => Errno::EINVAL,
        ErrorKind::ReadOnly => Errno::EROFS,
        ErrorKind::NoSpace => Errno::ENOSPC,
        ErrorKind::Unsupported => Errno::EOPNOTSUPP,
        ErrorKind::Io | ErrorKind::Gone | ErrorKind::Corrupt | ErrorKind::Unanswered | ErrorKind::Untried => {
            Errno::EIO
        }
    }
}

async fn send(stream: &Stream, line: &[u8]) -> io::Result<()> {
    stream.send(vec![Chunk::Bytes(line.to_vec())]).await.1
}

/// Returns the offer that arrives, with its file; none if the command disconnects without one.
async fn receive(stream: &Stream) -> io::Result<Option<(Offer, OwnedFd)>> {
    let mut buffer = Buffer::zeroed(MESSAGE_BYTES_MAX);
    let (mut filled, mut files) = (0, Vec::new());
    while !buffer[..filled].ends_with(b"\n") {
        if filled == buffer.len() {
            return Err(invalid("a message that is too long"));
        }
        let received;
        let room = filled..buffer.len();
        (buffer, received) = stream.receive_with_files(buffer, room, std::future::pending()).await;
        let Some(part) = received? else { continue };
        if part.count == 0 {
            return if filled == 0 { Ok(None) } else { Err(invalid("it ended in the middle of a message")) };
        }
        filled += part.count;
        files.extend(part.files);
    }
    let offer = from_versioned_line(&buffer[..filled])?;
    let file =
        files.pop().filter(|_| files.is_empty()).ok_or_else(|| invalid("a message without one open file"))?;
    Ok(Some((offer, file)))
}

impl<D: BlockDevice> Door for UblkDoor<D> {
    fn open(
        self: Rc<Self>,
        shard: &DoorShard,
        entrance: Entrance,
    ) -> LocalBoxFuture<'static, io::Result<()>> {
        let opened = match entrance {
            Entrance::Socket(listener) => {
                Listener::from_unix(&shard.ring, listener).map(|listener| self.serve(listener, shard))
            }
            Entrance::Directory(_) | Entrance::Own => Err(unsupported_entrance("block devices")),
        };
        ready(opened).boxed_local()
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        self.phase.set(Phase::Held);
        self.until_idle().boxed_local()
    }

    fn take_paused(&self) -> PausedDoor {
        self.phase.set(Phase::Open);
        PausedDoor::new(self.resting.take().map(Listener::into_handle))
    }

    fn resume(self: Rc<Self>, shard: &DoorShard, paused: PausedDoor) {
        let Some(listener) = paused.into_state::<Option<ListenerHandle>>() else { return };
        self.serve(Listener::from_handle(&shard.ring, listener), shard);
    }

    fn close(&self) -> LocalBoxFuture<'_, ()> {
        self.phase.set(Phase::Closed);
        self.until_idle().boxed_local()
    }

    /// Does nothing: a command that does not fetch its answer ends with the door, and the kernel fetches at once.
    fn sever(&self) {}

    /// Does nothing: a change of size needs a command with privileges.
    fn resized(&self) {}

    fn counters(&self) -> DoorCounters {
        DoorCounters { connections: u64::from(self.served.get().is_some()), ..self.counters.get() }
    }

    fn peers(&self) -> Vec<Peer> {
        self.served.get().map(|_| Peer::Kernel).into_iter().collect()
    }

    fn is_bound_to_thread(&self) -> bool {
        self.served.get().is_some()
    }

    fn device_node(&self) -> Option<PathBuf> {
        self.served.get().map(|served| PathBuf::from(format!("/dev/ublkb{}", served.number)))
    }
}
