//! The door of a disk: its two sockets, NBD for everybody and vhost-user for guests on this host. On both, guests reach this
//! disk and no other. Clients over TCP, where there is one address for all disks, are handed to it by `reception`.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::rc::Rc;

use block::executor::LocalHost;
use block::socket::{Listener, Peer};
use block::{BlockDevice, Host, Ring};
use doors::nbd::{self, Directory, Export};
use doors::vhost;
use futures_util::future::{Either, join, select};

use crate::problem::{Answer, Problem};
use crate::rights::Rights;
use crate::sockets::{self, SocketFile};

/// How long guests may take to fetch the answers to their last requests, in nanoseconds.
const FETCH_TIME_MAX_NS: u64 = 2_000_000_000;

/// What clients are told of every disk.
const DESCRIPTION: &str = "Forebay disk";

/// An open door. Dropping it without [`Door::close`] leaves guests connected.
pub(crate) struct Door<D> {
    sockets: Sockets,
    files: Cell<SocketFiles>,
    rights: Cell<Rights>,
    ring: Ring,
    host: LocalHost,
    nbd: Rc<nbd::Door<Rc<D>>>,
    export: Rc<Export<Rc<D>>>,
    vhost: Rc<vhost::Door<Rc<D>>>,
}

/// Where a door is.
#[derive(Clone, Debug)]
pub(crate) struct Sockets {
    /// Path of the NBD socket.
    pub(crate) nbd: PathBuf,
    /// Path of the vhost-user socket.
    pub(crate) vhost: PathBuf,
}

/// The files of a door's sockets; none for a socket that could not be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SocketFiles {
    nbd: Option<SocketFile>,
    vhost: Option<SocketFile>,
}

/// Where a door is, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    /// Its sockets.
    pub(crate) sockets: Sockets,
    /// Who may connect to either.
    pub(crate) rights: Rights,
}

/// A guest that is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectedGuest {
    /// The protocol that it speaks.
    pub(crate) protocol: &'static str,
    /// Who it is.
    pub(crate) peer: Peer,
}

/// Listeners and guests that are at rest, to go on with.
pub(crate) struct Guests {
    nbd: nbd::Paused,
    vhost: vhost::Paused,
    files: SocketFiles,
}

impl Sockets {
    /// Refuses paths that the system cannot bind.
    pub(crate) fn check_length(&self) -> Answer<()> {
        sockets::check_length(&self.nbd)?;
        sockets::check_length(&self.vhost)
    }

    /// Returns the paths at which `files` are not there any more.
    pub(crate) fn lost(&self, files: SocketFiles) -> Vec<&Path> {
        let pairs = [(&self.nbd, files.nbd), (&self.vhost, files.vhost)];
        let lost = pairs.into_iter().filter(|(path, file)| file.is_some() && sockets::file_at(path) != *file);
        lost.map(|(path, _)| path.as_path()).collect()
    }

    /// Removes the files of sockets that are no longer listened on.
    pub(crate) fn remove(&self) {
        sockets::remove(&self.nbd);
        sockets::remove(&self.vhost);
    }

    /// Removes those of `files`, which are no longer listened on, that are still there.
    fn remove_own(&self, files: SocketFiles) {
        for (path, file) in [(&self.nbd, files.nbd), (&self.vhost, files.vhost)] {
            if file.is_some() && sockets::file_at(path) == file {
                sockets::remove(path);
            }
        }
    }
}

impl<D: BlockDevice> Door<D> {
    /// Listens at `entrance` for guests of `device`, the disk `name`, and lists it in `directory` for those who come over TCP.
    ///
    /// # Errors
    /// If a socket cannot be had; then nothing is left behind.
    pub(crate) fn open(
        ring: &Ring,
        host: &LocalHost,
        directory: &Directory,
        entrance: Entrance,
        name: &str,
        device: D,
    ) -> Answer<Self> {
        let for_nbd = listen(ring, &entrance.sockets.nbd, &entrance.rights)?;
        // Too long a path is no reason to take a disk from its NBD clients that they had before there was this socket.
        let for_vhost = match sockets::check_length(&entrance.sockets.vhost) {
            Ok(()) => listen(ring, &entrance.sockets.vhost, &entrance.rights)
                .map(Some)
                .inspect_err(|_| sockets::remove(&entrance.sockets.nbd))?,
            Err(problem) => {
                tracing::warn!("Disk '{name}' is served over NBD only: {problem}");
                None
            }
        };
        let door = Self::with(ring, host, entrance, name, device);
        door.files.set(SocketFiles {
            nbd: sockets::file_at(&door.sockets.nbd),
            vhost: for_vhost.as_ref().and_then(|_| sockets::file_at(&door.sockets.vhost)),
        });
        host.spawn(Rc::clone(&door.nbd).listen(for_nbd, host.clone()));
        door.nbd.list(directory, ring, host);
        if let Some(listener) = for_vhost {
            host.spawn(Rc::clone(&door.vhost).listen(listener, ring.clone(), host.clone()));
        }
        Ok(door)
    }

    /// Goes on at `entrance` with the listeners and the guests that another door of the disk `name` had at rest.
    pub(crate) fn resume(
        ring: &Ring,
        host: &LocalHost,
        entrance: Entrance,
        name: &str,
        device: D,
        guests: Guests,
    ) -> Self {
        let door = Self::with(ring, host, entrance, name, device);
        door.go_on(guests);
        door
    }

    fn with(ring: &Ring, host: &LocalHost, entrance: Entrance, name: &str, device: D) -> Self {
        let Entrance { sockets, rights } = entrance;
        let device = Rc::new(device);
        let export = Export::new(name, DESCRIPTION, Rc::clone(&device));
        Self {
            sockets,
            files: Cell::default(),
            rights: Cell::new(rights),
            ring: ring.clone(),
            host: host.clone(),
            nbd: nbd::Door::for_disk(Rc::clone(&export)),
            export,
            vhost: vhost::Door::new(name, device),
        }
    }

    /// Holds guests where they are; ready when what they sent before has ended. If that takes too long, the future is dropped,
    /// and what is at rest by then has to go on.
    pub(crate) async fn pause(&self) {
        join(self.nbd.pause(), self.vhost.pause()).await;
    }

    /// Listeners and guests, to go on with.
    pub(crate) fn take_paused(&self) -> Guests {
        Guests { nbd: self.nbd.take_paused(), vhost: self.vhost.take_paused(), files: self.files.get() }
    }

    /// Goes on with listeners and guests that were at rest.
    pub(crate) fn go_on(&self, guests: Guests) {
        self.files.set(guests.files);
        self.nbd.go_on(&self.ring, &self.host, guests.nbd);
        self.vhost.go_on(&self.ring, &self.host, guests.vhost);
    }

    /// Where it is, and for whom.
    pub(crate) fn entrance(&self) -> Entrance {
        Entrance { sockets: self.sockets.clone(), rights: self.rights.get() }
    }

    /// Who may connect from now on. Guests that are connected stay.
    ///
    /// # Errors
    /// If the daemon may not give such rights. Then they are as before.
    pub(crate) fn set_rights(&self, rights: Rights) -> Answer<()> {
        let before = self.rights.get();
        if rights == before {
            return Ok(());
        }
        self.renew_sockets()?;
        sockets::change_rights(&self.sockets.nbd, &before, &rights)?;
        if self.files.get().vhost.is_some()
            && let Err(problem) = sockets::change_rights(&self.sockets.vhost, &before, &rights)
        {
            if let Err(problem) = sockets::change_rights(&self.sockets.nbd, &rights, &before) {
                tracing::error!("While taking back a change of rights: {problem}");
            }
            return Err(problem);
        }
        self.rights.set(rights);
        Ok(())
    }

    /// The files of its sockets, as they were made.
    pub(crate) fn files(&self) -> SocketFiles {
        self.files.get()
    }

    /// Makes every socket again whose file is not there any more, for the same clients. Guests that are connected stay.
    ///
    /// # Errors
    /// If one cannot be had.
    pub(crate) fn renew_sockets(&self) -> Answer<()> {
        let files = self.files.get();
        let lost = self.sockets.lost(files);
        if lost.contains(&self.sockets.nbd.as_path()) {
            let listener = listen(&self.ring, &self.sockets.nbd, &self.rights.get())?;
            self.files.set(SocketFiles { nbd: sockets::file_at(&self.sockets.nbd), ..self.files.get() });
            self.host.spawn(Rc::clone(&self.nbd).listen(listener, self.host.clone()));
        }
        if lost.contains(&self.sockets.vhost.as_path()) {
            let listener = listen(&self.ring, &self.sockets.vhost, &self.rights.get())?;
            self.files.set(SocketFiles { vhost: sockets::file_at(&self.sockets.vhost), ..self.files.get() });
            self.host.spawn(Rc::clone(&self.vhost).listen(listener, self.ring.clone(), self.host.clone()));
        }
        Ok(())
    }

    /// Who may connect.
    pub(crate) fn rights(&self) -> Rights {
        self.rights.get()
    }

    /// The disk has another size. Guests of the vhost-user socket are told; NBD has no way to tell those of the other one, who
    /// learn it when they connect anew.
    pub(crate) fn resized(&self) {
        self.nbd.resized();
        self.vhost.resized();
    }

    /// Lets nobody in any more, answers what is in flight, ends the connections. A guest that does not fetch its
    /// answers is cut off after two seconds; what the device works on is always waited for.
    pub(crate) async fn close(&self) {
        self.nbd.close();
        self.sockets.remove_own(self.files.get());
        let closed = pin!(join(self.export.drain(), self.vhost.close()));
        if let Either::Right(((), closed)) = select(closed, pin!(self.host.sleep(FETCH_TIME_MAX_NS))).await {
            self.export.sever();
            self.vhost.sever();
            closed.await;
        }
    }

    /// Every guest that is connected.
    pub(crate) fn guests(&self) -> Vec<ConnectedGuest> {
        let over = |protocol| move |peer| ConnectedGuest { protocol, peer };
        let nbd = self.export.peers().into_iter().map(over("NBD"));
        nbd.chain(self.vhost.peers().into_iter().map(over("vhost-user"))).collect()
    }

    /// Guests that are connected, by either socket.
    pub(crate) fn connections(&self) -> u64 {
        self.export.counters().connections + self.vhost.counters().connections
    }

    /// Queues of guests over vhost-user that are not served any more. Counted anew after a move to another shard.
    pub(crate) fn broken_queues(&self) -> u64 {
        self.vhost.counters().broken_queues
    }
}

/// Listens at `path`.
///
/// # Errors
/// If the socket cannot be had; then nothing is left behind.
fn listen(ring: &Ring, path: &Path, rights: &Rights) -> Answer<Listener> {
    let listener = sockets::listen(path, rights)?;
    Listener::from_unix(ring, listener).map_err(|error| {
        sockets::remove(path);
        Problem::failed(format!("Cannot listen on socket {}: {error}", path.display()))
    })
}
