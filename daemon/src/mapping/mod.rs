//! Disks as block devices of this host: the part that needs privileges, done by a command and never by the daemon.
//!
//! ```text
//!   commands ──> Mapping ──> MapDriver ──> UblkDriver        ublk.rs         the daemon serves the device
//!                   │            └───────> KernelNbdDriver   kernel_nbd.rs   the kernel is a client of the daemon
//!                   ├──> links.rs: stable names                       └──> nbd_control.rs ──> netlink.rs
//!                   ├──> description.rs: descriptions of devices for udev, which makes names from them
//!                   ├──> holders.rs, claim.rs: users of a device, and protection against new ones
//!                   └──> lock.rs: one command at a time
//!   daemon ────> swap.rs: reports swap space on a mapped disk
//! ```
//! A device is recognised by an identifier that the kernel keeps with it: half of it is a hash of the path of
//! the disk's socket, half a hash of the disk for which the device was made. No other state is kept but links
//! and descriptions for udev. A map that is interrupted leaves at most a device that is not started, which
//! the next `map` or `unmap` deletes.

mod claim;
mod description;
mod holders;
mod kernel_nbd;
mod links;
mod lock;
mod nbd_control;
mod netlink;
mod swap;
mod ublk;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use base::error::{Error, ErrorKind, Result};
use clap::ValueEnum;

use self::claim::DeviceClaim;
pub(crate) use self::description::ContentScan;
use self::description::{DescribedDisk, DeviceDescription, TakenDescription};
use self::kernel_nbd::KernelNbdDriver;
use self::links::DiskLinks;
use self::lock::MappingLock;
use self::nbd_control::BrokenLinks;
pub(crate) use self::swap::watch_swap;
use self::ublk::UblkDriver;
use crate::door::DoorKind;
use crate::locked_memory;

/// The folder of records of the devices of disks while the host runs, and of locks.
const FOLDER: &str = "/run/forebay-map";

/// Interval in milliseconds in which the kernel checks whether the server of a request is alive. This detects
/// a server of ublk that ended with all request slots in use, on Linux before 7, and a connection of NBD that
/// was replaced. Requests may take longer.
const POLL_INTERVAL_MS: u32 = 2_000;

/// Remark if the threads of the daemon are no I/O flushers.
const NO_IO_FLUSHER: &str = "the daemon lacks the right to be an I/O flusher, so that host and daemon may wait for each other when memory \
                             is short: give it CAP_SYS_RESOURCE (the service of the package has it)";
/// Remark if the daemon has not locked its memory.
const NOT_LOCKED: &str = "the daemon has not locked its memory, so that host and daemon may wait for each other when memory is short: give \
                          it LimitMEMLOCK=infinity (the service of the package has it; by hand: ulimit -l unlimited)";
/// Remark on a device that a broken connection may stop.
const NEEDS_WATCH: &str = "a connection that breaks while the daemon runs is replaced by `forebay map --watch`, which must run: the \
                           package has the service forebay-map for that";

/// A driver of the kernel that makes block devices of disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverKind {
    /// ublk: the daemon serves the device (Linux 6.4 and later).
    Ublk,
    /// The kernel's NBD client, where there is no ublk.
    #[value(name = "nbd")]
    KernelNbd,
}

impl DriverKind {
    /// Returns the name in documents and options.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Ublk => "ublk",
            Self::KernelNbd => "nbd",
        }
    }

    /// Returns the beginning of the path of its devices.
    fn prefix(self) -> &'static str {
        match self {
            Self::Ublk => "/dev/ublkb",
            Self::KernelNbd => "/dev/nbd",
        }
    }

    /// Returns the path of a device.
    fn device(self, number: u32) -> PathBuf {
        PathBuf::from(format!("{}{number}", self.prefix()))
    }
}

/// A driver: makes, finds and removes the devices of disks.
trait MapDriver {
    fn kind(&self) -> DriverKind;

    /// Makes sure that the kernel has the driver, and loads its module if that is missing.
    ///
    /// # Errors
    /// `Unavailable` if this kernel has none; what else is missing, and what to do about it.
    fn load(&mut self) -> Result<()>;

    /// Returns the devices of a disk. Loads no module.
    ///
    /// # Errors
    /// If they cannot be read.
    fn devices(&mut self, disk: &DiskPlace) -> Result<Vec<MappedDevice>>;

    /// Makes a device of a disk, which is described before it starts. The driver must be loaded.
    ///
    /// # Errors
    /// The reason for which it cannot. Nothing is left then.
    fn add(&mut self, disk: &DiskPlace, terms: &DeviceTerms) -> Result<AddedDevice>;

    /// Makes the daemon serve a device whose server or connection has ended. Returns false if it is served
    /// already.
    ///
    /// # Errors
    /// The reason for which it cannot; `Unavailable` if it may soon. Requests continue to wait.
    fn restore(&mut self, disk: &DiskPlace, number: u32) -> Result<bool>;

    /// Notifies the users of a device of its new size in bytes.
    ///
    /// # Errors
    /// `Unsupported` if this kernel cannot; others of the kernel.
    fn resize(&mut self, disk: &DiskPlace, number: u32, size_bytes: u64) -> io::Result<()>;

    /// Removes a device. Requests in flight fail. Its claim is held until the device takes no more requests.
    ///
    /// # Errors
    /// Errors of the kernel.
    fn remove(&mut self, number: u32, claim: Option<DeviceClaim>) -> io::Result<()>;
}

/// A disk with the properties that drivers need.
#[derive(Clone, Debug)]
pub(crate) struct DiskPlace {
    name: String,
    /// The folder of the daemon's sockets.
    run: PathBuf,
    /// Hash of the disk among all that had or will have its name; none if it is unknown, as while no daemon
    /// runs.
    identity: Option<u64>,
    /// Connections of the kernel's NBD client that the daemon has; 0 while no daemon runs.
    kernel_connections: u64,
}

/// The identifier by which the device of a disk is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DeviceMark {
    /// Hash of the path of the disk's socket.
    place: u32,
    /// Hash of the disk.
    identity: u32,
}

impl DeviceMark {
    /// Returns the mark as the kernel keeps it with devices of ublk.
    fn word(self) -> u64 {
        u64::from(self.place) << 32 | u64::from(self.identity)
    }

    fn of_word(word: u64) -> Self {
        Self { place: (word >> 32) as u32, identity: word as u32 }
    }
}

impl DiskPlace {
    /// Returns the place of a disk of the daemon whose sockets are in `run`, with the number of its
    /// connections of the kernel's NBD client.
    pub(crate) fn new(name: &str, run: &Path, identity: Option<u64>, kernel_connections: u64) -> Self {
        Self { name: name.to_owned(), run: run.to_owned(), identity, kernel_connections }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the identity of a disk. Numbers are used once in each folder of a daemon, and no two disks share a backing.
    pub(crate) fn identity_of(number: u64, backing: &str) -> u64 {
        digest(format!("{number} {backing}").as_bytes())
    }

    fn socket(&self, kind: DoorKind) -> PathBuf {
        self.run.join(kind.folder()).join(format!("{}.sock", self.name))
    }

    fn links(&self) -> DiskLinks {
        DiskLinks::new(self)
    }

    /// Returns the name of the disk's record. Several daemons may have disks of one name.
    fn record_name(&self) -> String {
        format!("{}@{:08x}", self.name, self.mark().place)
    }

    /// Returns the mark of a device that is made for the disk.
    fn mark(&self) -> DeviceMark {
        let path = self.socket(DoorKind::BlockDevice);
        let place = folded(digest(path.as_os_str().as_encoded_bytes()));
        DeviceMark { place, identity: folded(self.identity.unwrap_or_default()) }
    }

    /// Returns the state of a device whose mark has this disk's place: `state`, unless it was made for
    /// another disk.
    fn state_of(&self, mark: DeviceMark, state: ServiceState) -> ServiceState {
        let is_of_another = self.identity.is_some_and(|identity| folded(identity) != mark.identity);
        if is_of_another && state != ServiceState::Unstarted { ServiceState::Foreign } else { state }
    }
}

/// Returns FNV-1a of 64 bits.
fn digest(bytes: &[u8]) -> u64 {
    const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01B3;
    bytes.iter().fold(BASIS, |digest, byte| (digest ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// Returns a digest folded to 32 bits.
fn folded(digest: u64) -> u32 {
    (digest >> 32) as u32 ^ digest as u32
}

/// A block device of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MappedDevice {
    driver: DriverKind,
    number: u32,
    state: ServiceState,
}

impl MappedDevice {
    fn path(self) -> PathBuf {
        self.driver.device(self.number)
    }
}

/// The state of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServiceState {
    /// Left by a command that was interrupted.
    Unstarted,
    Served,
    /// Its requests wait for a daemon.
    Waiting,
    /// It was made for an earlier disk of this name: its requests are not for this one.
    Foreign,
}

/// Terms of a device that is to be made.
struct DeviceTerms {
    /// Writes are refused.
    read_only: bool,
    /// Its description for udev.
    description: DeviceDescription,
}

/// A device that was made.
struct AddedDevice {
    number: u32,
    /// The process that serves it, if it is known.
    server: Option<u32>,
}

/// A disk that is mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedDisk {
    pub(crate) name: String,
    /// The kernel's name of the device.
    pub(crate) device: PathBuf,
    pub(crate) driver: DriverKind,
    /// The stable link; none if it does not exist.
    pub(crate) link: Option<PathBuf>,
    pub(crate) state: ServiceState,
    /// A user of it, in words that follow the device; none if there is none.
    pub(crate) user: Option<String>,
    /// Remarks on the device and the daemon that serves it.
    pub(crate) remarks: Vec<String>,
}

/// Options for mapping a disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapOptions {
    /// Path of its link. Default: /dev/forebay/NAME.
    pub(crate) link: Option<PathBuf>,
    /// Writes are refused.
    pub(crate) read_only: bool,
    /// Default: ublk, and kernel NBD where there is none.
    pub(crate) driver: Option<DriverKind>,
    /// Scan of its content by udev and LVM.
    pub(crate) scan: ContentScan,
}

/// The block devices of disks.
#[derive(Default)]
pub(crate) struct Mapping {
    ublk: UblkDriver,
    kernel_nbd: KernelNbdDriver,
}

impl Mapping {
    /// Maps a disk.
    ///
    /// # Errors
    /// The reason for which it cannot be mapped. Nothing is left then.
    pub(crate) fn map(&mut self, disk: &DiskPlace, options: &MapOptions) -> Result<MappedDisk> {
        let _lock = MappingLock::take(disk)?;
        self.map_locked(disk, options)
    }

    fn map_locked(&mut self, disk: &DiskPlace, options: &MapOptions) -> Result<MappedDisk> {
        let name = &disk.name;
        for device in self.devices(disk)? {
            let path = device.path();
            refuse_foreign(disk, device)?;
            if device.state != ServiceState::Unstarted {
                return Err(Error::conflict(format!(
                    "Cannot map disk '{name}': it is mapped already, as {}; `forebay unmap {name}` takes that away, and `forebay map \
                     --restore` has it served again after the daemon ended",
                    path.display()
                )));
            }
            self.take_away(device, None).map_err(|error| {
                Error::failed(format!("Cannot map disk '{name}': an earlier try is still there: {error}"))
            })?;
        }
        let links = disk.links();
        let link = options.link.clone().unwrap_or_else(|| links.default_path());
        links.check(&link)?;
        description::remove_left_over();
        let terms = DeviceTerms {
            read_only: options.read_only,
            description: DeviceDescription::new(disk, &link, options.scan),
        };
        let driver = self.loaded(options.driver)?;
        let kind = driver.kind();
        let added = driver.add(disk, &terms)?;
        let device = MappedDevice { driver: kind, number: added.number, state: ServiceState::Served };
        if let Err(error) = links.set(&link, &device.path()) {
            let undone = self.take_away(device, None);
            let rest = undone.err().map(|error| format!("; {} is left: {error}", device.path().display()));
            links.forget();
            return Err(Error::failed(format!(
                "Cannot map disk '{name}': its link {} cannot be made: {error}{}",
                link.display(),
                rest.unwrap_or_default()
            )));
        }
        let remarks = [
            added.server.is_some_and(|server| !is_io_flusher(server)).then_some(NO_IO_FLUSHER),
            added.server.is_some_and(|server| !locked_memory::is_locked(server)).then_some(NOT_LOCKED),
            (kind == DriverKind::KernelNbd).then_some(NEEDS_WATCH),
        ];
        let remarks = remarks.into_iter().flatten().map(str::to_owned).collect();
        Ok(MappedDisk { remarks, ..mapped(disk, device) })
    }

    /// Makes the daemon serve a disk that was mapped when the last one ended, or whose connection broke. A
    /// missing device is made if that is `wanted`. Returns none if there is nothing to do.
    ///
    /// # Errors
    /// The reason for which it cannot; requests continue to wait. `Unavailable` if it may soon.
    pub(crate) fn restore(
        &mut self,
        disk: &DiskPlace,
        wanted: Option<ContentScan>,
    ) -> Result<Option<MappedDisk>> {
        if wanted.is_none() && self.devices(disk)?.is_empty() {
            return Ok(None);
        }
        let _lock = MappingLock::take_now(disk)?;
        let devices = self.devices(disk)?;
        let is_mapped = devices.iter().any(|device| device.state != ServiceState::Unstarted);
        if let Some(scan) = wanted.filter(|_| !is_mapped) {
            let options = MapOptions { link: disk.links().elsewhere(), scan, ..MapOptions::default() };
            return self.map_locked(disk, &options).map(Some);
        }
        self.restore_first(disk, &devices)
    }

    /// Does the same for a device of the kernel's NBD client only.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn reconnect(&mut self, disk: &DiskPlace) -> Result<Option<MappedDisk>> {
        if self.kernel_nbd.devices(disk)?.is_empty() {
            return Ok(None);
        }
        let _lock = MappingLock::take_now(disk)?;
        let devices = self.kernel_nbd.devices(disk)?;
        self.restore_first(disk, &devices)
    }

    /// Subscribes to connections of the kernel's NBD client that break.
    ///
    /// # Errors
    /// A missing prerequisite of this host.
    pub(crate) fn listen(&mut self) -> Result<BrokenConnections> {
        self.kernel_nbd.listen().map(BrokenConnections)
    }

    /// Notifies the users of a disk's device of its new size. Returns false with ublk before Linux 6.16,
    /// where the device keeps its size until it is made again.
    ///
    /// # Errors
    /// Errors of the kernel.
    pub(crate) fn resize(&mut self, disk: &DiskPlace, size_bytes: u64) -> Result<bool> {
        let _lock = MappingLock::take(disk)?;
        // A device whose requests wait would block this too, and a stopped one of ublk does not survive it
        // before 6.18.20.
        let mut devices = self.devices(disk)?;
        devices.retain(|device| device.state == ServiceState::Served);
        if devices.is_empty() {
            let reason = format!(
                "Cannot report the size of disk '{}' to its users: no device of it is served",
                disk.name
            );
            return Err(Error::unavailable(reason));
        }
        for device in devices {
            match self.driver(device.driver).resize(disk, device.number, size_bytes) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(false),
                updated => updated.map_err(|error| {
                    Error::failed(format!(
                        "Cannot report to {} that disk '{}' grew: {error}",
                        device.path().display(),
                        disk.name
                    ))
                })?,
            }
        }
        Ok(true)
    }

    /// Removes the block device of a disk. With `forced` also while it is in use, which fails the requests of
    /// its users.
    ///
    /// # Errors
    /// Its user; the reason for which it cannot be removed.
    pub(crate) fn unmap(&mut self, disk: &DiskPlace, forced: bool) -> Result<MappedDisk> {
        let name = &disk.name;
        let _lock = MappingLock::take(disk)?;
        description::remove_left_over();
        let devices = self.devices(disk)?;
        let Some(first) = devices.first() else {
            return Err(Error::new(
                ErrorKind::Missing,
                format!("Cannot unmap disk '{name}': it is not mapped; `forebay map` lists those that are"),
            ));
        };
        let gone = mapped(disk, *first);
        // Claim all of them before the first one is removed.
        let mut claims = Vec::new();
        for device in &devices {
            claims.push(if forced { None } else { claim_unused(disk, *device)? });
        }
        for (device, claim) in devices.into_iter().zip(claims) {
            let path = device.path();
            // A dangling link would obstruct others; a device without one can still be found.
            disk.links().remove(&path);
            self.take_away(device, claim).map_err(|error| {
                if let Err(problem) = disk.links().set_again(&path) {
                    tracing::warn!("{problem}");
                }
                Error::failed(format!("Cannot take {} of disk '{name}' away: {error}", path.display()))
            })?;
            disk.links().wait_until_removed(&path);
        }
        disk.links().forget();
        Ok(gone)
    }

    /// Unmounts file systems of devices of these disks, and takes volumes on them apart, of all at once: each
    /// may take minutes. The remaining uses are in [`Self::unmap`]. Returns the sectors written to all of
    /// them so far, which increase as long as the page cache is written back.
    pub(crate) fn end_uses(&mut self, disks: &[DiskPlace]) -> u64 {
        let all = disks.iter().filter_map(|disk| self.devices(disk).ok()).flatten();
        // A device that waits for its daemon would block this too.
        let served = all.filter(|device| device.state == ServiceState::Served);
        let paths: Vec<PathBuf> = served.map(MappedDevice::path).collect();
        thread::scope(|scope| {
            for path in &paths {
                scope.spawn(|| holders::end_uses(path));
            }
        });
        paths.iter().map(|path| holders::sectors_written(path)).sum()
    }

    /// Returns the mapped disks of the daemon whose sockets are in `run`, also while it does not run, or
    /// after it has removed them.
    pub(crate) fn described(run: &Path) -> Vec<DiskPlace> {
        description::remove_left_over();
        let disks = description::described().into_iter();
        let place = |disk: DescribedDisk| (DiskPlace::new(&disk.name, run, None, 0), disk.place);
        disks.map(place).filter(|(disk, place)| disk.mark().place == *place).map(|(disk, _)| disk).collect()
    }

    /// Returns the mapped disks of these, with a remark on those that have swap space.
    ///
    /// # Errors
    /// If the devices cannot be read.
    pub(crate) fn list(&mut self, disks: &[DiskPlace]) -> Result<Vec<MappedDisk>> {
        let mut all = Vec::new();
        for disk in disks {
            let devices = self.devices(disk)?;
            let device = devices.into_iter().find(|device| device.state != ServiceState::Unstarted);
            all.extend(device.map(|device| {
                let swap = holders::swap_on(&device.path());
                let remarks = swap.map(|path| {
                    format!(
                        "swap space is on it ({}): the host may hang when memory is short; swapoff it, and put swap on a partition of the SSD",
                        path.display()
                    )
                });
                MappedDisk {
                    user: holders::user_of(&device.path()),
                    remarks: remarks.into_iter().collect(),
                    ..mapped(disk, device)
                }
            }));
        }
        Ok(all)
    }

    fn restore_first(&mut self, disk: &DiskPlace, devices: &[MappedDevice]) -> Result<Option<MappedDisk>> {
        let Some(device) = devices.iter().find(|device| device.state != ServiceState::Unstarted) else {
            return Ok(None);
        };
        refuse_foreign(disk, *device)?;
        if !self.driver(device.driver).restore(disk, device.number)? {
            return Ok(None);
        }
        disk.links().set_again(&device.path())?;
        Ok(Some(mapped(disk, MappedDevice { state: ServiceState::Served, ..*device })))
    }

    /// Removes the description of a device, then the device. If it is killed between the two, the mark of the
    /// device still identifies it.
    fn take_away(&mut self, device: MappedDevice, claim: Option<DeviceClaim>) -> io::Result<()> {
        let MappedDevice { driver, number, .. } = device;
        // The description first: the number may be given to another program's device, which would get these
        // names.
        let taken = description::key_of(driver, number).and_then(|key| description::take(&key));
        self.driver(driver)
            .remove(number, claim)
            .inspect_err(|_| taken.iter().for_each(TakenDescription::put_back))?;
        if driver == DriverKind::KernelNbd {
            description::announce(driver, number);
        }
        Ok(())
    }

    /// Returns the devices of a disk, of every driver.
    fn devices(&mut self, disk: &DiskPlace) -> Result<Vec<MappedDevice>> {
        let of_nbd = self.kernel_nbd.devices(disk)?;
        let mut all = self.ublk.devices(disk)?;
        all.extend(of_nbd);
        Ok(all)
    }

    fn driver(&mut self, kind: DriverKind) -> &mut dyn MapDriver {
        match kind {
            DriverKind::Ublk => &mut self.ublk,
            DriverKind::KernelNbd => &mut self.kernel_nbd,
        }
    }

    /// Returns the wanted driver, or the best that this kernel has.
    fn loaded(&mut self, wanted: Option<DriverKind>) -> Result<&mut dyn MapDriver> {
        let kind = match wanted {
            Some(kind) => {
                self.driver(kind).load()?;
                kind
            }
            None => match self.ublk.load() {
                Ok(()) => DriverKind::Ublk,
                Err(lacks_ublk) if lacks_ublk.kind == ErrorKind::Unavailable => {
                    let loaded = self.kernel_nbd.load();
                    loaded.map_err(|problem| {
                        Error::new(problem.kind, format!("{}. {}", lacks_ublk.message, problem.message))
                    })?;
                    DriverKind::KernelNbd
                }
                Err(problem) => return Err(problem),
            },
        };
        Ok(self.driver(kind))
    }
}

/// Notifications of broken connections of the kernel's NBD client.
pub(crate) struct BrokenConnections(BrokenLinks);

impl BrokenConnections {
    /// Waits until a connection breaks, for at most `time`.
    ///
    /// # Errors
    /// Errors of netlink.
    pub(crate) fn wait(&self, time: Duration) -> Result<bool> {
        self.0.wait(time).map_err(|error| {
            Error::failed(format!("Cannot listen for connections of kernel NBD that break: {error}"))
        })
    }
}

/// Refuses a device of an earlier disk: requests that wait there would reach the content of another one.
fn refuse_foreign(disk: &DiskPlace, device: MappedDevice) -> Result<()> {
    if device.state != ServiceState::Foreign {
        return Ok(());
    }
    let name = &disk.name;
    Err(Error::conflict(format!(
        "Cannot map disk '{name}': {} belongs to an earlier disk of this name; `forebay unmap {name} --force` takes it away",
        device.path().display()
    )))
}

/// Refuses to serve a device with a disk that became smaller than it: writes of its users would not fit.
fn refuse_smaller(disk: &DiskPlace, device: &Path, size_bytes: u64) -> Result<()> {
    refuse_smaller_in(Path::new("/sys/block"), disk, device, size_bytes)
}

fn refuse_smaller_in(devices: &Path, disk: &DiskPlace, device: &Path, size_bytes: u64) -> Result<()> {
    let size = devices.join(device.file_name().unwrap_or_default()).join("size");
    let sectors = fs::read_to_string(size).ok().and_then(|text| text.trim().parse().ok());
    let device_bytes = sectors.map_or(0, |sectors: u64| sectors.saturating_mul(block::SECTOR));
    if device_bytes <= size_bytes {
        return Ok(());
    }
    let name = &disk.name;
    Err(Error::conflict(format!(
        "Cannot serve {} of disk '{name}' again: it has {device_bytes} bytes, and the disk has {size_bytes} now; give its backing that \
         size again, or `forebay unmap {name} --force` takes the device away",
        device.display()
    )))
}

/// Claims a device without users, after a flush. Returns none if its node was removed by hand.
///
/// # Errors
/// Its user; the reason for which that is unknown.
fn claim_unused(disk: &DiskPlace, device: MappedDevice) -> Result<Option<DeviceClaim>> {
    let name = &disk.name;
    let path = device.path();
    let used = |user: &str| {
        Error::conflict(format!(
            "Cannot unmap disk '{name}': {} {user}. End that first; --force unmaps it all the same, and writes that were not flushed \
             are lost",
            path.display()
        ))
    };
    let failed = |error: &io::Error| {
        let advice = match error.kind() {
            io::ErrorKind::TimedOut => {
                "; `forebay map --restore` has it served if its daemon ended, and --force takes it away with errors for its users"
            }
            _ => "",
        };
        Error::failed(format!("Cannot take {} of disk '{name}' away: {error}{advice}", path.display()))
    };
    let check = || holders::user_of(&path).map_or(Ok(()), |user| Err(used(&user)));
    // Opening a device that waits for a daemon would block. The disk has had the writes of its last user
    // since that closed it.
    if device.state != ServiceState::Served {
        return check().map(|()| None);
    }
    let claim = match DeviceClaim::take(&path) {
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
            check()?;
            return Err(used("is in use by another program or the kernel"));
        }
        claim => claim.map_err(|error| failed(&error))?,
    };
    check()?;
    if let Some(claim) = &claim {
        claim.sync().map_err(|error| failed(&error))?;
    }
    Ok(claim)
}

fn mapped(disk: &DiskPlace, device: MappedDevice) -> MappedDisk {
    let path = device.path();
    let link = Some(disk.links().path()).filter(|link| links::target_of(link).as_ref() == Some(&path));
    MappedDisk {
        name: disk.name.clone(),
        device: path,
        driver: device.driver,
        link,
        state: device.state,
        user: None,
        remarks: Vec::new(),
    }
}

/// Returns the release of this kernel, or an empty text if it is unknown.
fn kernel_release() -> String {
    let names = nix::sys::utsname::uname();
    names.map(|names| names.release().to_string_lossy().into_owned()).unwrap_or_default()
}

/// Loads a module of the kernel. A failure shows in the next step.
fn load_module(name: &str) {
    drop(Command::new("modprobe").arg(name).output());
}

/// Configures the queue of a new device: the kernel checks requests every [`POLL_INTERVAL_MS`], and does not
/// sort them, since the daemon takes as many as there are, and sorts those for the backing. Sorting is a
/// tenth of a request's cost in the kernel.
fn set_up_queue(device: &Path) {
    let Some(name) = device.file_name() else { return };
    let queue = Path::new("/sys/block").join(name).join("queue");
    for (file, value) in [("io_timeout", POLL_INTERVAL_MS.to_string()), ("scheduler", "none".to_owned())] {
        if let Err(error) = fs::write(queue.join(file), value) {
            tracing::debug!(%error, "{} stays as it is", queue.join(file).display());
        }
    }
}

/// Returns a problem for a door of a disk that cannot be used.
fn unreachable_door(name: &str, socket: &Path, error: &io::Error) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
            "is the disk served? `forebay disk show` reports it"
        }
        io::ErrorKind::PermissionDenied => "run this as root",
        _ => "the log of the daemon may say more",
    };
    Error::unavailable(format!(
        "Cannot map disk '{name}': the daemon does not answer at {}: {error}; {advice}",
        socket.display()
    ))
}

/// Returns true if a thread of a process is an I/O flusher, by the flags of the kernel (`PF_MEMALLOC_NOIO` of linux/sched.h, in
/// proc(5), stat). True where that cannot be read.
fn is_io_flusher(process: u32) -> bool {
    const MEMALLOC_NOIO: u64 = 0x0008_0000;
    // After the command in brackets, which may hold anything: state, parent, group, session, terminal, its
    // group, flags.
    const FLAGS_AT: usize = 6;
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return true };
    let flags = threads.flatten().filter_map(|thread| {
        let line = fs::read_to_string(thread.path().join("stat")).ok()?;
        line.rsplit_once(')')?.1.split_whitespace().nth(FLAGS_AT)?.parse::<u64>().ok()
    });
    let mut flags = flags.peekable();
    flags.peek().is_none() || flags.any(|flags| flags & MEMALLOC_NOIO != 0)
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_device_is_not_served_with_a_disk_that_is_smaller() {
        let folder = TempDir::new();
        fs::create_dir(folder.path().join("ublkb3")).expect("the folder is ours");
        fs::write(folder.path().join("ublkb3/size"), "2048\n").expect("the folder is ours");
        let disk = DiskPlace::new("web", Path::new("/run/forebay"), None, 0);
        let check = |bytes| refuse_smaller_in(folder.path(), &disk, Path::new("/dev/ublkb3"), bytes);
        for served in [1 << 20, 1 << 21] {
            check(served).expect("everything of the device has its place");
        }
        let problem = check((1 << 20) - 512).expect_err("the last sector has no place");
        assert_eq!(problem.kind, ErrorKind::Conflict);
        assert!(problem.message.contains("1048576 bytes"), "{problem}");
    }

    #[test]
    fn a_device_that_waits_is_found_by_its_place_and_is_of_one_disk_only() {
        let disk = |number, backing| {
            let identity = Some(DiskPlace::identity_of(number, backing));
            DiskPlace::new("web", Path::new("/run/forebay"), identity, 0)
        };
        let first = disk(1, "/srv/a");
        let mark = DeviceMark::of_word(first.mark().word());
        assert_eq!(mark, first.mark());
        assert_eq!(first.state_of(mark, ServiceState::Waiting), ServiceState::Waiting);
        // The name was given to another disk, of this folder of a daemon or of another one.
        for other in [disk(2, "/srv/a"), disk(1, "/srv/b")] {
            assert_eq!(other.mark().place, mark.place);
            assert_eq!(other.state_of(mark, ServiceState::Waiting), ServiceState::Foreign);
            assert_eq!(other.state_of(mark, ServiceState::Unstarted), ServiceState::Unstarted);
        }
        // Without a daemon the identity is unknown.
        let unknown = DiskPlace::new("web", Path::new("/run/forebay"), None, 0);
        assert_eq!(unknown.state_of(mark, ServiceState::Waiting), ServiceState::Waiting);
        let elsewhere = DiskPlace::new("web", Path::new("/run/other"), None, 0);
        assert_ne!(elsewhere.mark().place, mark.place);
    }
}
