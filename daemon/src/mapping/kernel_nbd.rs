//! Block devices by the kernel's NBD client, where the kernel has no ublk: the kernel is a client of the disk's NBD socket.
//!
//! ```text
//!   add:      connect, negotiate here ── give the connection to the kernel, CONNECT ── io_timeout
//!   restore:  connect, negotiate here ── RECONFIGURE ── did the kernel keep the connection?
//! ```
//! Each device has one connection, although the door accepts several: with two, every kernel up to 7.3 takes
//! a request that lasts longer than `io_timeout` for a broken connection, whatever `TIMEOUT` is, and sends it
//! again over the next one. With one, a request may take as long as the storage does, and `io_timeout` can be
//! short, so that requests which an ended daemon had are sent again soon after it is back (`nbd_xmit_timeout`
//! of drivers/block/nbd.c).

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::error::{Error, Result};
use block::socket::KERNEL_PEER;
use doors::nbd::Client;
use doors::nbd::option::{ExportFacts, Replies};
use doors::nbd::wire::export_flags;
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, UnixAddr, bind, connect, getsockopt, socket, sockopt,
};

use super::nbd_control::{BrokenLinks, NbdControl, NbdTerms};
use super::{
    AddedDevice, DeviceClaim, DeviceMark, DeviceTerms, DiskPlace, DriverKind, MapDriver, MappedDevice,
    ServiceState, description, kernel_release, load_module, refuse_smaller, set_up_queue, unreachable_door,
};
use crate::door::DoorKind;

/// Time that requests wait without a connection: practically for ever, as with ublk. An error would cost a
/// file system its unwritten data; `forebay unmap --force` forces one.
const RECONNECT_TIME_MAX: Duration = Duration::from_hours(30 * 24);
/// Time that the door may take for a message of the handshake.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(10);
/// The largest block that the kernel's client takes: a page.
const BLOCK_BYTES_MAX: u32 = 4096;

/// The driver, opened when it is needed.
#[derive(Default)]
pub(super) struct KernelNbdDriver {
    control: Option<NbdControl>,
}

/// A negotiated connection to the door of a disk, ready for requests.
struct ReadyConnection {
    stream: UnixStream,
    facts: ExportFacts,
}

impl MapDriver for KernelNbdDriver {
    fn kind(&self) -> DriverKind {
        DriverKind::KernelNbd
    }

    fn load(&mut self) -> Result<()> {
        self.loaded().map(drop)
    }

    fn devices(&mut self, disk: &DiskPlace) -> Result<Vec<MappedDevice>> {
        let marked = marked_devices(Path::new("/sys/block"), disk.mark().place);
        let state = if disk.kernel_connections > 0 { ServiceState::Served } else { ServiceState::Waiting };
        let device = |(number, mark)| {
            let state = disk.state_of(mark, state);
            MappedDevice { driver: DriverKind::KernelNbd, number, state }
        };
        Ok(marked.into_iter().map(device).collect())
    }

    fn add(&mut self, disk: &DiskPlace, terms: &DeviceTerms) -> Result<AddedDevice> {
        let failed = |what: &str| Error::failed(format!("Cannot map disk '{}': {what}", disk.name));
        let connection = ReadyConnection::open(disk)?;
        let facts = connection.facts;
        if facts.block_min > BLOCK_BYTES_MAX {
            return Err(failed(&format!(
                "its sectors have {} bytes, and the kernel's NBD client takes up to {BLOCK_BYTES_MAX}",
                facts.block_min
            )));
        }
        let server = connection.server();
        let backend = backend(disk);
        terms
            .description
            .write(&backend)
            .map_err(|error| failed(&format!("udev cannot be notified of it: {error}")))?;
        let nbd_terms = NbdTerms {
            size: facts.size,
            block_bytes: u64::from(facts.block_min),
            export_flags: facts.flags | if terms.read_only { export_flags::READ_ONLY } else { 0 },
            reconnect_time_max: RECONNECT_TIME_MAX,
            backend: &backend,
        };
        let control = self.control().map_err(|error| explain(&error))?;
        let number = control
            .connect(&nbd_terms, connection.stream.as_fd())
            .inspect_err(|_| drop(description::take(&backend)))
            .map_err(|error| failed(&format!("the kernel makes no NBD device: {error}")))?;
        // At its first event the kernel did not have the identifier yet by which udev finds the description.
        description::announce(DriverKind::KernelNbd, number);
        set_up_queue(&DriverKind::KernelNbd.device(number));
        Ok(AddedDevice { number, server })
    }

    fn restore(&mut self, disk: &DiskPlace, number: u32) -> Result<bool> {
        if disk.kernel_connections > 0 {
            return Ok(false);
        }
        let device = DriverKind::KernelNbd.device(number);
        let connection = ReadyConnection::open(disk)?;
        refuse_smaller(disk, &device, connection.facts.size)?;
        let control = self.control().map_err(|error| explain(&error))?;
        control.reconnect(number, &backend(disk), connection.stream.as_fd()).map_err(|error| {
            let advice = if error.raw_os_error() == Some(Errno::EINVAL as i32) {
                "it was unmapped while in use; it is gone once nothing uses it"
            } else {
                "its requests wait. `forebay map --restore` tries again"
            };
            Error::failed(format!(
                "Cannot serve {} of disk '{}' again: {error}; {advice}",
                device.display(),
                disk.name
            ))
        })?;
        if connection.release() {
            return Ok(true);
        }
        Err(Error::unavailable(format!(
            "Cannot serve {} of disk '{}' again: the kernel still has its last connection; `forebay map --restore` tries again",
            device.display(),
            disk.name
        )))
    }

    fn resize(&mut self, disk: &DiskPlace, number: u32, size_bytes: u64) -> io::Result<()> {
        self.control()?.resize(number, &backend(disk), size_bytes)
    }

    fn remove(&mut self, number: u32, claim: Option<DeviceClaim>) -> io::Result<()> {
        self.control()?.disconnect(number)?;
        // It is removed once no process has it open.
        drop(claim);
        Ok(())
    }
}

impl KernelNbdDriver {
    /// Subscribes to connections that break.
    ///
    /// # Errors
    /// A missing prerequisite of this host.
    pub(super) fn listen(&mut self) -> Result<BrokenLinks> {
        self.loaded()?.listen().map_err(|error| explain(&error))
    }

    /// Returns the kernel's client, and loads its module if that is missing.
    fn loaded(&mut self) -> Result<&mut NbdControl> {
        if self.control().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            load_module("nbd");
        }
        self.control().map_err(|error| explain(&error))
    }

    fn control(&mut self) -> io::Result<&mut NbdControl> {
        let control = match self.control.take() {
            Some(control) => control,
            None => NbdControl::open()?,
        };
        Ok(self.control.insert(control))
    }
}

impl ReadyConnection {
    /// Connects to the NBD socket of a disk and negotiates, with simple replies, the only ones that the kernel knows.
    fn open(disk: &DiskPlace) -> Result<Self> {
        let socket = disk.socket(DoorKind::Nbd);
        let opened = (|| {
            let stream = connect_named(&socket, disk.mark().word())?;
            stream.set_read_timeout(Some(HANDSHAKE_TIME_MAX))?;
            stream.set_write_timeout(Some(HANDSHAKE_TIME_MAX))?;
            let client = Client::over(stream, &disk.name, Replies::Simple)?;
            let facts = client.facts();
            let stream = client.into_stream()?;
            // These apply to the kernel too.
            stream.set_read_timeout(None)?;
            stream.set_write_timeout(None)?;
            Ok(Self { stream, facts })
        })();
        opened.map_err(|error| unreachable_door(&disk.name, &socket, &error))
    }

    /// Returns the process that serves the disk, if it is known.
    fn server(&self) -> Option<u32> {
        let credentials = getsockopt(&self.stream, sockopt::PeerCredentials).ok()?;
        u32::try_from(credentials.pid()).ok().filter(|id| *id > 0)
    }

    /// Closes our descriptor, and returns true if the kernel has the connection now: the socket is in the
    /// system's list for as long as it is open anywhere. True if the list cannot be read.
    fn release(self) -> bool {
        let Ok(socket) = fs::metadata(format!("/proc/self/fd/{}", self.stream.as_raw_fd())) else {
            return true;
        };
        drop(self);
        fs::read_to_string("/proc/net/unix").map_or(true, |list| is_listed(&list, socket.ino()))
    }
}

/// Connects under a name by which the daemon recognises the kernel's connections: this process ends, and the
/// connection stays.
fn connect_named(path: &Path, mark: u64) -> io::Result<UnixStream> {
    const TRIES_MAX: u32 = 1000;
    let stream = socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    for number in 0..TRIES_MAX {
        let name = format!("{KERNEL_PEER}{mark:016x}/{}-{number}", std::process::id());
        match bind(stream.as_raw_fd(), &UnixAddr::new_abstract(name.as_bytes())?) {
            // The name of an earlier process with the same number.
            Err(Errno::EADDRINUSE) => {}
            bound => {
                bound?;
                connect(stream.as_raw_fd(), &UnixAddr::new(path)?)?;
                return Ok(stream.into());
            }
        }
    }
    Err(Errno::EADDRINUSE.into())
}

/// Prefix of the identifiers of our devices.
const BACKEND_PREFIX: &str = "forebay-";

/// Returns the identifier that the kernel keeps with the device of a disk.
fn backend(disk: &DiskPlace) -> String {
    let mark = disk.mark();
    format!("{BACKEND_PREFIX}{:08x}-{:08x}", mark.place, mark.identity)
}

/// Returns the mark in an identifier of the kernel, if it is one of ours.
fn mark_of(backend: &str) -> Option<DeviceMark> {
    let (place, identity) = backend.strip_prefix(BACKEND_PREFIX)?.split_once('-')?;
    let half = |text| u32::from_str_radix(text, 16).ok();
    Some(DeviceMark { place: half(place)?, identity: half(identity)? })
}

/// Returns the devices at the place of a disk, whichever disk they were made of.
pub(super) fn devices_at(disk: &DiskPlace) -> Vec<PathBuf> {
    let marked = marked_devices(Path::new("/sys/block"), disk.mark().place);
    marked.into_iter().map(|(number, _)| DriverKind::KernelNbd.device(number)).collect()
}

/// Returns the devices that carry the mark of a place, by their numbers, from the folder of block devices.
fn marked_devices(folder: &Path, place: u32) -> Vec<(u32, DeviceMark)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let devices = entries.filter_map(|entry| {
        let number = entry.file_name().to_str()?.strip_prefix("nbd")?.parse().ok()?;
        let word = fs::read_to_string(entry.path().join("backend")).ok()?;
        let mark = mark_of(word.trim_end()).filter(|mark| mark.place == place)?;
        // The file exists while a device is in use.
        entry.path().join("pid").exists().then_some((number, mark))
    });
    let mut devices: Vec<(u32, DeviceMark)> = devices.collect();
    devices.sort_unstable_by_key(|(number, _)| *number);
    devices
}

/// Returns true if the system's list of Unix sockets has a socket with this inode: the seventh word of a line.
fn is_listed(list: &str, inode: u64) -> bool {
    const INODE_AT: usize = 6;
    let mut inodes = list.lines().skip(1).filter_map(|line| line.split_whitespace().nth(INODE_AT));
    inodes.any(|word| word.parse() == Ok(inode))
}

fn explain(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::unavailable(format!(
            "Cannot map disks by kernel NBD: Linux {} here has no NBD client: run `modprobe nbd`, which reports the reason",
            kernel_release()
        ));
    }
    let advice = match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EACCES | Errno::EPERM) => "run this as root; in a container, outside of it",
        _ => "check that this host allows generic netlink",
    };
    Error::failed(format!("Cannot map disks by kernel NBD: {error}; {advice}"))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_device_is_known_by_its_word_while_it_is_in_use() {
        let folder = TempDir::new();
        let add = |name: &str, word: &str, in_use: bool| {
            let path = folder.path().join(name);
            fs::create_dir(&path).expect("the folder is ours");
            fs::write(path.join("backend"), word).expect("the folder is ours");
            if in_use {
                fs::write(path.join("pid"), "1\n").expect("the folder is ours");
            }
        };
        add("nbd12", "forebay-000000ff-00000001\n", true);
        add("nbd3", "forebay-000000ff-00000002\n", true);
        add("nbd4", "forebay-000000fe-00000001\n", true);
        add("nbd5", "forebay-000000ff-00000001\n", false);
        add("nbd7", "forebay-odd\n", true);
        add("sda", "forebay-000000ff-00000001\n", true);
        fs::create_dir(folder.path().join("nbd6")).expect("the folder is ours");
        let mark = |identity| DeviceMark { place: 0xFF, identity };
        assert_eq!(marked_devices(folder.path(), 0xFF), [(3, mark(2)), (12, mark(1))]);
        assert!(marked_devices(&folder.path().join("missing"), 0xFF).is_empty());
        let disk = DiskPlace::new("web", Path::new("/run/forebay"), Some(7), 0);
        assert_eq!(mark_of(&backend(&disk)), Some(disk.mark()));
    }

    #[test]
    fn a_socket_is_found_by_its_inode_and_by_nothing_else() {
        let list = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    0000000000000000: 00000003 00000000 00000000 0001 03 20113 @forebay-map/1/7-0\n\
                    0000000000000000: 00000002 00000000 00010000 0001 01 20114 /run/forebay/nbd/web.sock\n";
        assert!(is_listed(list, 20113) && is_listed(list, 20114));
        assert!(!is_listed(list, 3) && !is_listed(list, 2011) && !is_listed("", 20113));
    }

    #[test]
    fn a_connection_that_nobody_else_holds_is_not_kept() {
        let (stream, other) = UnixStream::pair().expect("sockets");
        let held = stream.try_clone().expect("a second descriptor");
        let ready = |stream| ReadyConnection { stream, facts: ExportFacts::UNTOLD };
        assert!(ready(stream).release());
        assert!(!ready(held).release());
        drop(other);
    }

    #[test]
    fn a_connection_for_the_kernel_has_a_name_of_its_own_each_time() {
        let folder = TempDir::new();
        let path = folder.path().join("s");
        let listener = std::os::unix::net::UnixListener::bind(&path).expect("the folder is ours");
        let connections =
            [connect_named(&path, 7), connect_named(&path, 7)].map(|one| one.expect("connected"));
        let names = [(); 2].map(|()| {
            use std::os::linux::net::SocketAddrExt;
            let (_, address) = listener.accept().expect("connected");
            address.as_abstract_name().expect("an abstract name").to_vec()
        });
        assert!(names.iter().all(|name| name.starts_with(KERNEL_PEER.as_bytes())), "{names:?}");
        assert_ne!(names[0], names[1]);
        drop(connections);
    }
}
