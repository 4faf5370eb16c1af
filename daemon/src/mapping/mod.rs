//! Disks as block devices of this host: the part that needs privileges, done by a command and never by the daemon.
//!
//! ```text
//!   map:      find the driver ── greet the disk's door ── add ── open, hand over ── start ── link
//!   restore:  find what a daemon that ended left ── start recovery ── open, hand over ── end recovery
//!   unmap:    who uses it? ── stop ── delete ── link
//! ```
//! A device is recognised by a word that the kernel keeps with it, made of the path of the disk's socket: nothing is remembered
//! elsewhere but links. A map that is interrupted leaves a device that is not started, which the next `map` or `unmap` deletes.

mod holders;
mod links;

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use base::problem::{Answer, Problem};
use block::ublk::{Control, DeviceInfo, DeviceState, features};
use doors::ublk::{Greeting, HandoverClient, Offer};
use nix::errno::Errno;

use crate::door::DoorKind;
use links::DiskLinks;

/// Queues of a device. The disk's shard serves all of them.
const QUEUES: u16 = 1;
/// Requests that may be in flight.
const DEPTH: u16 = 128;
/// The most bytes of one request; memory is taken for as many as ever were in flight.
const REQUEST_BYTES_MAX: u32 = 256 << 10;

/// How long the kernel may take to notice that a server has ended: 6.12 finds out after 30 s at worst, where
/// [`LOOK_INTERVAL_MS`] could not be set.
const RECOVERY_TIME_MAX: Duration = Duration::from_mins(1);
const RECOVERY_INTERVAL: Duration = Duration::from_millis(50);
/// How often the kernel looks whether the server of a request still lives, in milliseconds. That finds a server that ended with all
/// places for requests in use, on Linux before 7. Requests may take longer.
const LOOK_INTERVAL_MS: u32 = 2_000;
/// How long the node of a new device may take to appear.
const NODE_TIME_MAX: Duration = Duration::from_secs(5);

/// The folder where the kernel lists all devices of ublk, by the names of their `/dev/ublkcN`: those nodes may be removed by hand.
const DEVICES: &str = "/sys/class/ublk-char";

/// What is said where the threads of the daemon are no I/O flushers.
const NO_IO_FLUSHER: &str = "the daemon lacks the right to be an I/O flusher, so that host and daemon may wait for each other when memory \
                             is short: give it CAP_SYS_RESOURCE (the service of the package has it)";

/// What is said where the kernel refuses.
const NEEDS_ROOT: &str = "run this as root; in a container, outside of it; with kernel.io_uring_disabled=0";

/// Kernels in which adding a device stops all of ublk until the host restarts (a backport without the commit that it needs; mended in
/// 6.18.6).
const BROKEN_KERNELS: [&str; 2] = ["6.18.4", "6.18.5"];

/// The block devices of one daemon's disks.
pub(crate) struct Mapping {
    control: Control,
    run: PathBuf,
}

/// A disk that is mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedDisk {
    pub(crate) name: String,
    /// The kernel's name of the device.
    pub(crate) device: PathBuf,
    /// The link that stays the same; none if it is gone.
    pub(crate) link: Option<PathBuf>,
    /// True if requests are served, and do not wait for a daemon.
    pub(crate) is_served: bool,
    /// What the host should know of the daemon that serves it.
    pub(crate) remarks: Vec<&'static str>,
}

/// How a disk is to be mapped.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapOptions {
    /// Where its link is to be. Default: /dev/forebay/NAME.
    pub(crate) link: Option<PathBuf>,
    /// Writes are refused.
    pub(crate) read_only: bool,
}

impl Mapping {
    /// Finds ublk, for the daemon whose sockets are in `run`. Loads its module if that is missing.
    ///
    /// # Errors
    /// What this host lacks, and what to do about it.
    pub(crate) fn open(run: PathBuf) -> Answer<Self> {
        let release = nix::sys::utsname::uname().map_err(io::Error::from);
        let release = release.map(|names| names.release().to_string_lossy().into_owned()).unwrap_or_default();
        check_kernel(&release)?;
        let control = match Control::open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Whether it did shows below.
                drop(Command::new("modprobe").arg("ublk_drv").output());
                Control::open()
            }
            opened => opened,
        };
        let control = control.map_err(|error| explain(&error, &release))?;
        Ok(Self { control, run })
    }

    /// Maps a disk.
    ///
    /// # Errors
    /// Why it cannot be. Nothing is left then.
    pub(crate) fn map(&mut self, name: &str, options: &MapOptions) -> Answer<MappedDisk> {
        let failed = |what: &str, error: &io::Error| {
            Problem::failed(format!("Cannot map disk '{name}': {what}: {error}"))
        };
        for info in self.devices_of(name) {
            if info.state != DeviceState::Dead {
                return Err(Problem::conflict(format!(
                    "Cannot map disk '{name}': it is mapped already, as /dev/ublkb{}; `forebay unmap {name}` takes that away, and \
                     `forebay map --restore` has it served again after the daemon ended",
                    info.id
                )));
            }
            // Left by a command that was interrupted.
            self.control.delete(info.id).map_err(|error| failed("an earlier try is still there", &error))?;
        }
        let links = self.links(name);
        let link = options.link.clone().unwrap_or_else(|| links.default_path());
        links.check(&link)?;
        let (door, greeting) = self.greet(name)?;
        let server = door.server();
        let wanted = DeviceInfo {
            queues: QUEUES,
            depth: DEPTH,
            state: DeviceState::Dead,
            request_bytes_max: REQUEST_BYTES_MAX,
            id: DeviceInfo::ANY,
            server: 0,
            features: features::USER_RECOVERY | features::USER_RECOVERY_REISSUE,
            mark: self.mark(name),
        };
        let info =
            self.control.add(wanted).map_err(|error| match error.raw_os_error().map(Errno::from_raw) {
                Some(Errno::EACCES | Errno::EPERM) => Problem::failed(format!(
                    "Cannot map disk '{name}': the kernel adds no device: {error}; {NEEDS_ROOT}"
                )),
                _ => failed("the kernel adds no device", &error),
            })?;
        self.begin(&info, door, &greeting, options).map_err(|error| {
            for undone in [self.control.stop(info.id), self.control.delete(info.id)] {
                if let Err(error) = undone {
                    tracing::debug!(%error, "while taking back a device");
                }
            }
            failed("the device does not start", &error)
        })?;
        links.set(&link, info.id).map_err(|error| {
            failed(
                &format!("it is /dev/ublkb{} now, but its link {} cannot be made", info.id, link.display()),
                &error,
            )
        })?;
        let remarks =
            server.filter(|server| !is_io_flusher(*server)).map(|_| NO_IO_FLUSHER).into_iter().collect();
        Ok(MappedDisk { remarks, ..self.mapped(name, &info, true) })
    }

    /// Has the daemon serve a disk that was mapped when the one before ended. One that is not there is mapped if it `is_to_be_mapped`.
    /// Returns none if there is nothing to do.
    ///
    /// # Errors
    /// Why it cannot; requests wait on.
    pub(crate) fn restore(&mut self, name: &str, is_to_be_mapped: bool) -> Answer<Option<MappedDisk>> {
        let Some(info) = self.devices_of(name).into_iter().find(|info| info.state != DeviceState::Dead)
        else {
            let options = MapOptions { link: self.links(name).elsewhere(), ..MapOptions::default() };
            return if is_to_be_mapped { self.map(name, &options).map(Some) } else { Ok(None) };
        };
        let failed = |error: &io::Error| {
            Problem::failed(format!(
                "Cannot serve /dev/ublkb{} of disk '{name}' again: {error}; its requests wait. `forebay map --restore` tries again",
                info.id
            ))
        };
        let (door, greeting) = self.greet(name)?;
        if greeting.served_device == Some(info.id) {
            return Ok(None);
        }
        self.recover(&info, door).map_err(|error| failed(&error))?;
        let links = self.links(name);
        let link = links.path();
        links.set(&link, info.id).map_err(|error| failed(&error))?;
        Ok(Some(self.mapped(name, &info, true)))
    }

    /// Tells the users of a disk's device its new size. Returns false before Linux 6.16, where the device keeps its size until it is
    /// made anew.
    ///
    /// # Errors
    /// Those of the kernel.
    pub(crate) fn resize(&mut self, name: &str, size_bytes: u64) -> Answer<bool> {
        // One that is stopped does not survive it before Linux 6.18.20.
        let live = self.devices_of(name).into_iter().filter(|info| info.state == DeviceState::Live);
        for info in live {
            match self.control.update_size(info.id, size_bytes) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(false),
                updated => updated.map_err(|error| {
                    Problem::failed(format!(
                        "Cannot tell /dev/ublkb{} that disk '{name}' grew: {error}",
                        info.id
                    ))
                })?,
            }
        }
        Ok(true)
    }

    /// Takes the block device of a disk away. `forced` does so though it is used, which fails what its users do.
    ///
    /// # Errors
    /// Who uses it; why it cannot be.
    pub(crate) fn unmap(&mut self, name: &str, forced: bool) -> Answer<MappedDisk> {
        let infos = self.devices_of(name);
        let Some(info) = infos.first() else {
            return Err(Problem::new(
                base::problem::ProblemKind::Missing,
                format!("Cannot unmap disk '{name}': it is not mapped; `forebay map` lists those that are"),
            ));
        };
        let disk = self.mapped(name, info, info.state == DeviceState::Live);
        if !forced && let Some(user) = holders::user_of(&disk.device) {
            return Err(Problem::conflict(format!(
                "Cannot unmap disk '{name}': {} {user}. First end that; --force takes it away all the same, and what was written \
                 there and not yet flushed is lost",
                disk.device.display()
            )));
        }
        for info in &infos {
            let stopped = self.control.stop(info.id).and_then(|()| self.control.delete(info.id));
            stopped.map_err(|error| {
                Problem::failed(format!("Cannot take /dev/ublkb{} of disk '{name}' away: {error}", info.id))
            })?;
            self.links(name).remove(info.id);
        }
        Ok(disk)
    }

    /// Returns which of these disks are mapped.
    pub(crate) fn list(&mut self, names: &[String]) -> Vec<MappedDisk> {
        let of = |name: &String| {
            let info = self.devices_of(name).into_iter().find(|info| info.state != DeviceState::Dead)?;
            Some(self.mapped(name, &info, info.state == DeviceState::Live))
        };
        names.iter().filter_map(of).collect()
    }

    /// Returns the devices that carry the mark of a disk.
    fn devices_of(&mut self, name: &str) -> Vec<DeviceInfo> {
        let mark = self.mark(name);
        let numbers = fs::read_dir(DEVICES).into_iter().flatten().flatten();
        let numbers =
            numbers.filter_map(|entry| entry.file_name().to_str()?.strip_prefix("ublkc")?.parse().ok());
        let numbers: Vec<u32> = numbers.collect();
        let infos = numbers.into_iter().filter_map(|number| self.control.info(number).ok());
        infos.filter(|info| info.mark == mark).collect()
    }

    fn greet(&self, name: &str) -> Answer<(HandoverClient, Greeting)> {
        let socket = self.socket(name);
        HandoverClient::connect(&socket).map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                    "is the disk served? `forebay disk show` says so"
                }
                io::ErrorKind::PermissionDenied => "run this as root",
                _ => "the log of the daemon may say more",
            };
            Problem::unavailable(format!(
                "Cannot map disk '{name}': the daemon does not answer at {}: {error}; {advice}",
                socket.display()
            ))
        })
    }

    fn begin(
        &mut self,
        info: &DeviceInfo,
        door: HandoverClient,
        greeting: &Greeting,
        options: &MapOptions,
    ) -> io::Result<()> {
        self.control
            .set_parameters(info.id, greeting.parameters(info.request_bytes_max, options.read_only))?;
        door.hand_over(&Offer::of(info), &open_node(info.id)?)?;
        self.control.start(info.id, std::process::id())?;
        let interval = format!("/sys/block/ublkb{}/queue/io_timeout", info.id);
        if let Err(error) = fs::write(&interval, LOOK_INTERVAL_MS.to_string()) {
            tracing::debug!(%error, "{interval} stays as it is");
        }
        Ok(())
    }

    fn recover(&mut self, info: &DeviceInfo, door: HandoverClient) -> io::Result<()> {
        let deadline = Instant::now() + RECOVERY_TIME_MAX;
        loop {
            match self.control.start_recovery(info.id) {
                Err(error) if is_busy(&error) && Instant::now() < deadline => {
                    thread::sleep(RECOVERY_INTERVAL);
                }
                begun => break begun?,
            }
        }
        door.hand_over(&Offer::of(info), &open_node(info.id)?)?;
        self.control.end_recovery(info.id, std::process::id())
    }

    fn socket(&self, name: &str) -> PathBuf {
        self.run.join(DoorKind::BlockDevice.folder()).join(format!("{name}.sock"))
    }

    /// Returns the links of a disk.
    fn links(&self, name: &str) -> DiskLinks {
        DiskLinks::new(name, self.mark(name))
    }

    fn mapped(&self, name: &str, info: &DeviceInfo, is_served: bool) -> MappedDisk {
        let device = PathBuf::from(format!("/dev/ublkb{}", info.id));
        let link = self.links(name).path();
        let link = (fs::read_link(&link).ok().as_ref() == Some(&device)).then_some(link);
        MappedDisk { name: name.to_owned(), device, link, is_served, remarks: Vec::new() }
    }

    /// Returns the word by which the device of a disk is recognised: FNV-1a of 64 bits over the path of its socket.
    fn mark(&self, name: &str) -> u64 {
        const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
        const PRIME: u64 = 0x0100_0000_01B3;
        let path = self.socket(name);
        let bytes = path.as_os_str().as_encoded_bytes();
        bytes.iter().fold(BASIS, |mark, byte| (mark ^ u64::from(*byte)).wrapping_mul(PRIME))
    }
}

/// Opens `/dev/ublkcN`, which may take a moment to appear.
fn open_node(id: u32) -> io::Result<File> {
    let deadline = Instant::now() + NODE_TIME_MAX;
    loop {
        match File::options().read(true).write(true).open(format!("/dev/ublkc{id}")) {
            Err(error)
                if (error.kind() == io::ErrorKind::NotFound || is_busy(&error))
                    && Instant::now() < deadline =>
            {
                thread::sleep(RECOVERY_INTERVAL);
            }
            opened => return opened,
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::EBUSY as i32)
}

/// Returns true if a thread of a process is an I/O flusher, by the flags of the kernel (`PF_MEMALLOC_NOIO` of linux/sched.h, in
/// proc(5), stat). True where that cannot be read.
fn is_io_flusher(process: u32) -> bool {
    const MEMALLOC_NOIO: u64 = 0x0008_0000;
    // Behind the command in brackets, which may hold anything: state, parent, group, session, terminal, its group, flags.
    const FLAGS_AT: usize = 6;
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return true };
    let flags = threads.flatten().filter_map(|thread| {
        let line = fs::read_to_string(thread.path().join("stat")).ok()?;
        line.rsplit_once(')')?.1.split_whitespace().nth(FLAGS_AT)?.parse::<u64>().ok()
    });
    let mut flags = flags.peekable();
    flags.peek().is_none() || flags.any(|flags| flags & MEMALLOC_NOIO != 0)
}

/// Refuses kernels that do not survive a new device.
fn check_kernel(release: &str) -> Answer<()> {
    let version = release.split('-').next().unwrap_or_default();
    if !BROKEN_KERNELS.contains(&version) {
        return Ok(());
    }
    Err(Problem::unavailable(format!(
        "Cannot map disks on Linux {release}: adding a ublk device stops ublk there until the host restarts; run 6.18.6 or later, or \
         6.12"
    )))
}

fn explain(error: &io::Error, release: &str) -> Problem {
    let advice = match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT | Errno::ENODEV | Errno::ENXIO) => {
            return Problem::unavailable(format!(
                "Cannot map disks: Linux {release} here has no ublk (/dev/ublk-control is not there): run `modprobe ublk_drv`; if there \
                 is no such module, install a kernel with CONFIG_BLK_DEV_UBLK (Debian: 6.12 and later), or connect programs over NBD"
            ));
        }
        Some(Errno::EACCES | Errno::EPERM) => NEEDS_ROOT,
        _ => "check that io_uring works on this host",
    };
    Problem::failed(format!("Cannot map disks: {error}; {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_do_not_survive_a_new_device_are_refused_by_name() {
        for release in ["6.18.4", "6.18.5-amd64"] {
            let problem = check_kernel(release).expect_err("it is broken");
            assert!(problem.message.contains("6.18.6"), "{problem}");
        }
        for release in ["6.18.44-cloud-amd64", "6.12.117+deb12-amd64", "6.18.50", ""] {
            check_kernel(release).expect("it works");
        }
    }
}
