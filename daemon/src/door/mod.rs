//! The doors of a disk: one of each kind, each with its Unix socket. Through all of them clients reach this disk and no other.
//! Clients over TCP, where there is one address for all disks, are handed to the NBD door by `nbd_listener`.

mod kinds;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::rc::Rc;

use base::error::{Error, Result};
use base::rights::Rights;
use base::sockets::{self, SocketFile};
use block::executor::LocalHost;
use block::socket::Peer;
use block::{BlockDevice, Host, Ring};
use doors::nbd::Directory;
use doors::{Door, DoorCounters, DoorShard, Entrance, PausedDoor};
use futures_util::future::{Either, join_all, select};

pub(crate) use kinds::DoorKind;

/// Time that guests have to fetch the answers to their last requests, in nanoseconds.
const FETCH_TIME_MAX_NS: u64 = 2_000_000_000;

/// The open doors of a disk. If they are dropped without [`Doors::close`], guests stay connected.
pub(crate) struct Doors {
    shard: DoorShard,
    rights: Cell<Rights>,
    all: Vec<OpenDoor>,
}

/// A door with its listening socket.
struct OpenDoor {
    /// Replaced when it is created again.
    socket: RefCell<DoorSocket>,
    door: Rc<dyn Door>,
}

/// The socket of a door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DoorSocket {
    pub(crate) kind: DoorKind,
    pub(crate) path: PathBuf,
    /// The file, as it was made; none before.
    file: Option<SocketFile>,
}

/// The sockets of a disk that is to be served, with the rights of clients.
#[derive(Clone, Debug)]
pub(crate) struct Entrances {
    sockets: Vec<DoorSocket>,
    rights: Rights,
}

/// State of an open door for the control plane.
#[derive(Clone, Debug)]
pub(crate) struct DoorReport {
    pub(crate) socket: DoorSocket,
    /// The device node by which programs of this host use the disk, if there is one.
    pub(crate) device_node: Option<PathBuf>,
    pub(crate) counters: DoorCounters,
}

impl DoorReport {
    /// Returns the path by which clients reach the disk through this door; none if they cannot now.
    pub(crate) fn address(&self) -> Option<&Path> {
        self.device_node
            .as_deref()
            .or_else(|| self.socket.kind.is_for_clients().then_some(self.socket.path.as_path()))
    }
}

/// A guest that is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectedGuest {
    /// The protocol that it speaks.
    pub(crate) protocol: &'static str,
    /// The other end of its connection.
    pub(crate) peer: Peer,
}

/// The doors of a disk at rest, which can be resumed on any shard.
pub(crate) struct PausedDoors {
    rights: Rights,
    all: Vec<(DoorSocket, PausedDoor)>,
}

impl DoorSocket {
    /// Returns true if the file does not exist any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.file.is_some() && sockets::file_at(&self.path) != self.file
    }

    /// Listens, for the clients that `rights` permit.
    ///
    /// # Errors
    /// If the socket cannot be created. Nothing is left behind then.
    async fn listen(&mut self, rights: &Rights, door: &Rc<dyn Door>, shard: &DoorShard) -> Result<()> {
        let listener = sockets::listen(&self.path, rights)?;
        self.file = sockets::file_at(&self.path);
        Rc::clone(door).open(shard, Entrance::Socket(listener)).await.map_err(|error| {
            sockets::remove(&self.path);
            Error::failed(format!("Cannot listen on socket {}: {error}", self.path.display()))
        })
    }

    /// Removes the file if it is still the one that was created.
    fn remove(&self) {
        if self.file.is_some() && !self.is_lost() {
            sockets::remove(&self.path);
        }
    }
}

impl Entrances {
    /// Returns a socket for each kind of door, at the path that `path` gives it.
    pub(crate) fn new(path: impl Fn(DoorKind) -> PathBuf, rights: Rights) -> Self {
        let socket = |kind| DoorSocket { kind, path: path(kind), file: None };
        Self { sockets: DoorKind::ALL.map(socket).into(), rights }
    }

    /// Refuses paths that the system cannot bind.
    ///
    /// # Errors
    /// The first path that is too long, with its length.
    pub(crate) fn check_length(&self) -> Result<()> {
        self.sockets.iter().try_for_each(|socket| sockets::check_length(&socket.path))
    }
}

impl PausedDoors {
    /// Returns the sockets, so that they can be removed if the doors are lost.
    pub(crate) fn sockets(&self) -> Vec<DoorSocket> {
        self.all.iter().map(|(socket, _)| socket.clone()).collect()
    }
}

/// Removes the files of sockets without listeners.
pub(crate) fn remove_sockets(sockets: &[DoorSocket]) {
    sockets.iter().for_each(DoorSocket::remove);
}

impl Doors {
    /// Opens the doors of `device`, the disk `name`, at `entrances`, and lists it in `directory` for clients
    /// over TCP.
    ///
    /// # Errors
    /// If a socket cannot be created. Nothing is left behind then.
    pub(crate) async fn open<D: BlockDevice>(
        ring: &Ring,
        host: &LocalHost,
        directory: &Directory,
        entrances: Entrances,
        name: &str,
        device: D,
    ) -> Result<Self> {
        let Entrances { sockets, rights } = entrances;
        let shard = DoorShard { ring: ring.clone(), host: host.clone() };
        let device = Rc::new(device);
        let mut doors = Self { shard, rights: Cell::new(rights), all: Vec::new() };
        for mut socket in sockets {
            let kind = socket.kind;
            if !kind.is_required()
                && let Err(problem) = sockets::check_length(&socket.path)
            {
                // Clients that used the disk without this socket keep it.
                tracing::warn!("Disk '{name}' is not served over {}: {problem}", kind.title());
                continue;
            }
            let door = kind.make(name, &device);
            let listening = socket.listen(&rights, &door, &doors.shard).await;
            doors.all.push(OpenDoor { socket: RefCell::new(socket), door: Rc::clone(&door) });
            let opened = match listening {
                Ok(()) if kind.over_network().is_some() => doors.list(&door, directory).await,
                opened => opened,
            };
            if let Err(problem) = opened {
                doors.close().await;
                return Err(problem);
            }
        }
        Ok(doors)
    }

    async fn list(&self, door: &Rc<dyn Door>, directory: &Directory) -> Result<()> {
        let listed = Rc::clone(door).open(&self.shard, Entrance::Directory(directory.clone())).await;
        listed.map_err(|error| Error::failed(format!("Cannot list a disk for clients over TCP: {error}")))
    }

    /// Resumes the paused doors of the disk `name`, here with `device`.
    pub(crate) fn resume<D: BlockDevice>(
        ring: &Ring,
        host: &LocalHost,
        name: &str,
        device: D,
        paused: PausedDoors,
    ) -> Self {
        let shard = DoorShard { ring: ring.clone(), host: host.clone() };
        let device = Rc::new(device);
        let resumed = paused.all.into_iter().map(|(socket, paused)| {
            let door = socket.kind.make(name, &device);
            Rc::clone(&door).resume(&shard, paused);
            OpenDoor { socket: RefCell::new(socket), door }
        });
        let all = resumed.collect();
        Self { shard, rights: Cell::new(paused.rights), all }
    }

    /// Holds guests' requests back; ready when requests in flight have ended. If that takes too long, drop
    /// the future and call [`Self::cancel_pause`].
    pub(crate) async fn pause(&self) {
        join_all(self.all.iter().map(|open| open.door.pause())).await;
    }

    /// Resumes all doors that are paused by now.
    pub(crate) fn cancel_pause(&self) {
        for OpenDoor { door, .. } in &self.all {
            Rc::clone(door).resume(&self.shard, door.take_paused());
        }
    }

    /// Takes doors that are [paused](Self::pause), to be resumed.
    pub(crate) fn take_paused(&self) -> PausedDoors {
        let take = |open: &OpenDoor| (open.socket.borrow().clone(), open.door.take_paused());
        PausedDoors { rights: self.rights.get(), all: self.all.iter().map(take).collect() }
    }

    /// Changes the rights of new clients. Connected guests stay.
    ///
    /// # Errors
    /// If the daemon may not set such rights. Then they are as before.
    pub(crate) async fn set_rights(&self, rights: Rights) -> Result<()> {
        let before = self.rights.get();
        if rights == before {
            return Ok(());
        }
        self.renew_sockets().await?;
        let paths: Vec<PathBuf> = self.all.iter().map(|open| open.socket.borrow().path.clone()).collect();
        for (at, path) in paths.iter().enumerate() {
            let Err(problem) = sockets::change_rights(path, &before, &rights) else { continue };
            for path in &paths[..at] {
                if let Err(problem) = sockets::change_rights(path, &rights, &before) {
                    tracing::error!("While taking back a change of rights: {problem}");
                }
            }
            return Err(problem);
        }
        self.rights.set(rights);
        Ok(())
    }

    /// Creates every socket again whose file does not exist any more, with the same rights. Connected guests
    /// stay.
    ///
    /// # Errors
    /// If one cannot be created.
    pub(crate) async fn renew_sockets(&self) -> Result<()> {
        for OpenDoor { socket, door } in &self.all {
            let mut renewed = socket.borrow().clone();
            if renewed.is_lost() {
                renewed.listen(&self.rights.get(), door, &self.shard).await?;
                socket.replace(renewed);
            }
        }
        Ok(())
    }

    /// Returns the rights of clients.
    pub(crate) fn rights(&self) -> Rights {
        self.rights.get()
    }

    /// Notifies guests of another size of the disk, over protocols that can. Others read it when they connect
    /// the next time.
    pub(crate) fn resized(&self) {
        self.all.iter().for_each(|open| open.door.resized());
    }

    /// Stops accepting clients, answers what is in flight, ends the connections. A guest that does not fetch
    /// its answers is disconnected after two seconds; the device is always waited for.
    pub(crate) async fn close(&self) {
        // New clients are refused from the call on.
        let closing: Vec<_> = self.all.iter().map(|open| open.door.close()).collect();
        self.all.iter().for_each(|open| open.socket.borrow().remove());
        let closed = pin!(join_all(closing));
        if let Either::Right(((), closed)) =
            select(closed, pin!(self.shard.host.sleep(FETCH_TIME_MAX_NS))).await
        {
            self.all.iter().for_each(|open| open.door.sever());
            closed.await;
        }
    }

    /// Returns every guest that is connected.
    pub(crate) fn guests(&self) -> Vec<ConnectedGuest> {
        let of = |open: &OpenDoor| {
            let protocol = open.socket.borrow().kind.title();
            open.door.peers().into_iter().map(move |peer| ConnectedGuest { protocol, peer })
        };
        self.all.iter().flat_map(of).collect()
    }

    /// Returns the open doors with their counters. Counters start at zero after a move to another shard.
    pub(crate) fn reports(&self) -> Vec<DoorReport> {
        let report = |OpenDoor { socket, door }: &OpenDoor| DoorReport {
            socket: socket.borrow().clone(),
            device_node: door.device_node(),
            counters: door.counters(),
        };
        self.all.iter().map(report).collect()
    }

    /// Returns true if guests of a door cannot follow the disk to another shard at present.
    pub(crate) fn are_bound_to_shard(&self) -> bool {
        self.all.iter().any(|open| open.door.is_bound_to_thread())
    }

    /// Returns true while the disk is a block device of this host.
    pub(crate) fn are_used_by_kernel(&self) -> bool {
        self.all.iter().any(|open| open.door.peers().contains(&Peer::Kernel))
    }

    /// Returns the path of the socket that every disk has.
    pub(crate) fn main_socket(&self) -> PathBuf {
        let mut sockets = self.all.iter().map(|open| open.socket.borrow());
        let main = sockets.find(|socket| socket.kind.is_required());
        main.map(|socket| socket.path.clone()).expect("a disk is not served without its required door")
    }
}
