//! Block devices by ublk: the daemon serves them itself, on the disk's own thread.
//!
//! ```text
//!   add:      greet the disk's door ── add ── open ── greet again, hand over ── start
//!   restore:  greet ── start recovery ── open ── greet again, hand over ── end recovery
//! ```
//! The door waits for a few seconds only, and the kernel may take longer: hence the second greeting.

use std::fs::{self, File};
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use base::error::{Error, Result};
use block::ublk::{Control, DeviceInfo, DeviceState, features};
use doors::ublk::{Greeting, HandoverClient, Offer};
use nix::errno::Errno;

use super::{
    AddedDevice, DeviceClaim, DeviceMark, DeviceTerms, DiskPlace, DriverKind, MapDriver, MappedDevice,
    ServiceState, description, kernel_release, load_module, refuse_smaller, set_up_queue, unreachable_door,
};
use crate::door::DoorKind;

/// Queues of a device. The disk's shard serves all of them.
const QUEUES: u16 = 1;
/// Requests that may be in flight.
const DEPTH: u16 = 128;
/// The most bytes of one request; memory is allocated for the most that were ever in flight.
const REQUEST_BYTES_MAX: u32 = 256 << 10;

/// Time that the kernel may take to notice that a server has ended: 6.12 finds out after 30 s at worst, if
/// [`super::POLL_INTERVAL_MS`] could not be set.
const RECOVERY_TIME_MAX: Duration = Duration::from_mins(1);
const RECOVERY_INTERVAL: Duration = Duration::from_millis(50);
/// Time that the node of a new device may take to appear.
const NODE_TIME_MAX: Duration = Duration::from_secs(5);

/// The kernel's folder of all devices of ublk, by the names of their `/dev/ublkcN`: those nodes may be
/// removed by hand.
const DEVICES: &str = "/sys/class/ublk-char";

/// Advice if the kernel refuses.
const NEEDS_ROOT: &str = "run this as root, outside of containers and of services whose cgroup denies devices (DeviceAllow=), and with \
                          kernel.io_uring_disabled=0";
/// Advice if the kernel does not know a command.
const TOO_OLD: &str = "its ublk is too old: Linux 6.4 or later is needed; --driver nbd maps without it";

/// Kernels in which adding a device stops all of ublk until the host restarts (a backport without the commit
/// that it needs; fixed in 6.18.6).
const BROKEN_KERNELS: [&str; 2] = ["6.18.4", "6.18.5"];

/// The driver, opened when it is needed.
#[derive(Default)]
pub(super) struct UblkDriver {
    control: Option<Control>,
}

impl MapDriver for UblkDriver {
    fn kind(&self) -> DriverKind {
        DriverKind::Ublk
    }

    fn load(&mut self) -> Result<()> {
        let release = kernel_release();
        check_kernel(&release)?;
        if let Err(error) = self.control() {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(explain(&error, &release));
            }
            load_module("ublk_drv");
            self.control().map_err(|error| explain(&error, &release))?;
        }
        Ok(())
    }

    fn devices(&mut self, disk: &DiskPlace) -> Result<Vec<MappedDevice>> {
        let infos = match self.infos(disk) {
            Ok(infos) => infos,
            // Without the driver no device is mapped by it.
            Err(error) if is_missing(&error) => Vec::new(),
            Err(error) => return Err(explain(&error, &kernel_release())),
        };
        let device = |info: &DeviceInfo| MappedDevice {
            driver: DriverKind::Ublk,
            number: info.id,
            state: {
                let state = match info.state {
                    DeviceState::Dead => ServiceState::Unstarted,
                    DeviceState::Live => ServiceState::Served,
                    DeviceState::Quiesced | DeviceState::Other(_) => ServiceState::Waiting,
                };
                disk.state_of(DeviceMark::of_word(info.mark), state)
            },
        };
        Ok(infos.iter().map(device).collect())
    }

    fn add(&mut self, disk: &DiskPlace, terms: &DeviceTerms) -> Result<AddedDevice> {
        let failed = |what: &str, error: &io::Error| {
            Error::failed(format!("Cannot map disk '{}': {what}: {error}{}", disk.name, advice_on(error)))
        };
        let (door, greeting) = greet(disk)?;
        let server = door.server();
        drop(door);
        let wanted = DeviceInfo {
            queues: QUEUES,
            depth: DEPTH,
            state: DeviceState::Dead,
            request_bytes_max: REQUEST_BYTES_MAX,
            id: DeviceInfo::ANY,
            server: 0,
            features: features::USER_RECOVERY | features::USER_RECOVERY_REISSUE,
            mark: disk.mark().word(),
        };
        let adds_none = |error: io::Error| match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::EINVAL | Errno::EOPNOTSUPP) => Error::failed(format!(
                "Cannot map disk '{}': the kernel adds no device: {error}; {TOO_OLD}",
                disk.name
            )),
            _ => failed("the kernel adds no device", &error),
        };
        let control = self.control().map_err(adds_none)?;
        let info = control.add(wanted).map_err(adds_none)?;
        begin(control, &info, disk, &greeting, terms).map_err(|error| {
            if let Err(error) = remove(control, info.id, None) {
                tracing::debug!(%error, "while taking back a device");
            }
            description::remove_left_over();
            failed("the device does not start", &error)
        })?;
        Ok(AddedDevice { number: info.id, server })
    }

    fn restore(&mut self, disk: &DiskPlace, number: u32) -> Result<bool> {
        let (door, greeting) = greet(disk)?;
        if greeting.served_device == Some(number) {
            return Ok(false);
        }
        drop(door);
        let device = DriverKind::Ublk.device(number);
        refuse_smaller(disk, &device, greeting.size_bytes)?;
        let recovered =
            self.control().and_then(|control| recover(control, number, disk, greeting.size_bytes));
        recovered.map(|()| true).map_err(|error| {
            let reason = format!(
                "Cannot serve {} of disk '{}' again: {error}{}; its requests wait. `forebay map --restore` tries again",
                device.display(),
                disk.name,
                advice_on(&error)
            );
            if is_refusal(&error) { Error::failed(reason) } else { Error::unavailable(reason) }
        })
    }

    fn resize(&mut self, _: &DiskPlace, number: u32, size_bytes: u64) -> io::Result<()> {
        self.control()?.update_size(number, size_bytes)
    }

    fn remove(&mut self, number: u32, claim: Option<DeviceClaim>) -> io::Result<()> {
        remove(self.control()?, number, claim)
    }
}

impl UblkDriver {
    fn control(&mut self) -> io::Result<&mut Control> {
        let control = match self.control.take() {
            Some(control) => control,
            None => Control::open()?,
        };
        Ok(self.control.insert(control))
    }

    /// Returns the devices that carry the mark of a disk.
    fn infos(&mut self, disk: &DiskPlace) -> io::Result<Vec<DeviceInfo>> {
        let place = disk.mark().place;
        let control = self.control()?;
        let numbers = fs::read_dir(DEVICES).into_iter().flatten().flatten();
        let numbers =
            numbers.filter_map(|entry| entry.file_name().to_str()?.strip_prefix("ublkc")?.parse().ok());
        let numbers: Vec<u32> = numbers.collect();
        let infos = numbers.into_iter().filter_map(|number| control.info(number).ok());
        Ok(infos.filter(|info| DeviceMark::of_word(info.mark).place == place).collect())
    }
}

fn greet(disk: &DiskPlace) -> Result<(HandoverClient, Greeting)> {
    let socket = disk.socket(DoorKind::BlockDevice);
    HandoverClient::connect(&socket).map_err(|error| unreachable_door(&disk.name, &socket, &error))
}

fn begin(
    control: &mut Control,
    info: &DeviceInfo,
    disk: &DiskPlace,
    greeting: &Greeting,
    terms: &DeviceTerms,
) -> io::Result<()> {
    control.set_parameters(info.id, greeting.parameters(info.request_bytes_max, terms.read_only))?;
    if let Some(key) = description::key_of(DriverKind::Ublk, info.id) {
        terms.description.write(&key)?;
    }
    let device = open_node(info.id)?;
    let (door, again) = greet(disk).map_err(|problem| io::Error::other(problem.message))?;
    if again != *greeting {
        return Err(io::Error::other("the disk has just changed; map it again"));
    }
    door.hand_over(&Offer::of(info), &device)?;
    control.start(info.id, std::process::id())?;
    set_up_queue(&DriverKind::Ublk.device(info.id));
    Ok(())
}

/// Makes the door serve a device whose server has ended. `size_bytes` was the size of the disk a moment ago.
fn recover(control: &mut Control, number: u32, disk: &DiskPlace, size_bytes: u64) -> io::Result<()> {
    let info = control.info(number)?;
    let deadline = Instant::now() + RECOVERY_TIME_MAX;
    loop {
        match control.start_recovery(number) {
            Err(error) if is_busy(&error) && Instant::now() < deadline => thread::sleep(RECOVERY_INTERVAL),
            begun => break begun?,
        }
    }
    let device = open_node(number)?;
    let (door, greeting) = greet(disk).map_err(|problem| io::Error::other(problem.message))?;
    if greeting.size_bytes != size_bytes {
        return Err(io::Error::other("the size of the disk has just changed"));
    }
    door.hand_over(&Offer::of(&info), &device)?;
    control.end_recovery(number, std::process::id())
}

/// Removes a device. Its claim is held for as long as possible.
fn remove(control: &mut Control, number: u32, claim: Option<DeviceClaim>) -> io::Result<()> {
    control.stop(number)?;
    match control.delete_without_waiting(number) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            // This command waits for every process that has the device open.
            drop(claim);
            control.delete(number)
        }
        deleted => deleted,
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

/// Returns true if an error of opening means that the kernel has no ublk.
fn is_missing(error: &io::Error) -> bool {
    let number = error.raw_os_error().map(Errno::from_raw);
    matches!(number, Some(Errno::ENOENT | Errno::ENODEV | Errno::ENXIO))
}

/// Refuses kernels that a new device would break.
fn check_kernel(release: &str) -> Result<()> {
    let version = release.split('-').next().unwrap_or_default();
    if !BROKEN_KERNELS.contains(&version) {
        return Ok(());
    }
    Err(Error::unavailable(format!(
        "Cannot map disks by ublk on Linux {release}: adding a ublk device stops ublk there until the host restarts; run 6.18.6 or \
         later, or 6.12"
    )))
}

fn explain(error: &io::Error, release: &str) -> Error {
    if is_missing(error) {
        return Error::unavailable(format!(
            "Cannot map disks by ublk: Linux {release} here has no ublk (/dev/ublk-control is not there): run `modprobe ublk_drv`; if \
             there is no such module, install a kernel with CONFIG_BLK_DEV_UBLK (Debian: 6.12 and later)"
        ));
    }
    let advice = if is_refusal(error) { NEEDS_ROOT } else { "check that io_uring works on this host" };
    Error::failed(format!("Cannot map disks by ublk: {error}; {advice}"))
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error().map(Errno::from_raw), Some(Errno::EACCES | Errno::EPERM))
}

/// Returns advice on an error of the kernel, to be appended to it.
fn advice_on(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EACCES | Errno::EPERM) => format!("; {NEEDS_ROOT}"),
        Some(Errno::EBUSY) => {
            "; another process has it open, or the last daemon has not ended yet".to_owned()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_refuses_comes_with_what_to_do() {
        let advice = |number: Errno| advice_on(&number.into());
        for (number, words) in
            [(Errno::EPERM, "as root"), (Errno::EACCES, "cgroup"), (Errno::EBUSY, "has it open")]
        {
            assert!(advice(number).contains(words), "{number}: {}", advice(number));
        }
        assert_eq!(advice(Errno::EIO), "");
    }

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
