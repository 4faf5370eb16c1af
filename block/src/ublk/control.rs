//! Adding, starting, stopping and deleting devices, for a process with `CAP_SYS_ADMIN`.
//!
//! Each call waits until the kernel has done it. Not for shards: starting a device waits until it is served.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use io_uring::{IoUring, cqueue, opcode, squeue, types};

use super::wire::{ControlCommand, DeviceInfo, INFO_BYTES, Parameters, control_entry, features};

/// The device that takes control commands.
const CONTROL: &str = "/dev/ublk-control";
/// Time that a command may take. Those that wait for a server or for requests in flight end sooner, or not at all.
const TIME_MAX: Duration = Duration::from_secs(30);

/// The control device of ublk.
pub struct Control {
    file: File,
    /// None after a command whose completion was not seen: commands that are queued or run there are not confused with a later one.
    uring: Option<ControlRing>,
}

type ControlRing = IoUring<squeue::Entry128, cqueue::Entry>;

impl Control {
    /// Opens the control device.
    ///
    /// # Errors
    /// `NotFound` if the kernel has no ublk, or its module is not loaded; `PermissionDenied` without privileges; those of a ring.
    pub fn open() -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(CONTROL)?;
        Ok(Self { file, uring: Some(ring()?) })
    }

    /// Adds a device like `wanted`, and returns it as the kernel made it: with its number and features.
    ///
    /// # Errors
    /// Those of the kernel: `EEXIST` for a number that is taken, `EACCES` and `EPERM` without privileges, `EINVAL` for unsupported
    /// features, as before Linux 6.4 for all.
    pub fn add(&mut self, wanted: DeviceInfo) -> io::Result<DeviceInfo> {
        let mut bytes = wanted.to_bytes();
        self.run_with(ControlCommand::AddDevice, wanted.id, &mut bytes)?;
        Ok(DeviceInfo::from_bytes(&bytes))
    }

    /// Returns the kernel's description of the device `id`.
    ///
    /// # Errors
    /// `ENODEV` if there is none; those of the kernel.
    pub fn info(&mut self, id: u32) -> io::Result<DeviceInfo> {
        let mut bytes = [0; INFO_BYTES];
        self.run_with(ControlCommand::GetDeviceInfo, id, &mut bytes)?;
        Ok(DeviceInfo::from_bytes(&bytes))
    }

    /// Sets the parameters of the device `id`, which is not started.
    ///
    /// # Errors
    /// Those of the kernel.
    pub fn set_parameters(&mut self, id: u32, parameters: Parameters) -> io::Result<()> {
        self.run_with(ControlCommand::SetParameters, id, &mut parameters.to_bytes())
    }

    /// Makes the block device appear, once all its tags were fetched. `opener` is the process that opened `/dev/ublkcN`.
    ///
    /// # Errors
    /// `TimedOut` if it is not served within 30 s; those of the kernel.
    pub fn start(&mut self, id: u32, opener: u32) -> io::Result<()> {
        self.run(ControlCommand::StartDevice, id, opener.into())
    }

    /// Removes the block device. Waits for requests in flight, and ends the server's commands.
    ///
    /// # Errors
    /// `TimedOut` if requests do not end in 30 s; those of the kernel.
    pub fn stop(&mut self, id: u32) -> io::Result<()> {
        self.run(ControlCommand::StopDevice, id, 0)
    }

    /// Deletes a device that is stopped. Waits until `/dev/ublkcN` is closed everywhere.
    ///
    /// # Errors
    /// `TimedOut` if it stays open for 30 s more; those of the kernel.
    pub fn delete(&mut self, id: u32) -> io::Result<()> {
        self.run(ControlCommand::DeleteDevice, id, 0)
    }

    /// Deletes a device that is stopped, without waiting for processes that have it open: it is out of the list at once.
    ///
    /// # Errors
    /// `Unsupported` before Linux 6.9; those of the kernel.
    pub fn delete_without_waiting(&mut self, id: u32) -> io::Result<()> {
        /// Error of the kernel for unknown commands, beside `EOPNOTSUPP` (`ENOTSUPP` of linux/errno.h).
        const KERNEL_UNSUPPORTED: i32 = 524;
        self.run(ControlCommand::DeleteDeviceAsync, id, 0).map_err(|error| match error.raw_os_error() {
            Some(libc::EOPNOTSUPP | KERNEL_UNSUPPORTED) => io::ErrorKind::Unsupported.into(),
            _ => error,
        })
    }

    /// Begins to take over a device whose server has ended.
    ///
    /// # Errors
    /// `EBUSY` while the kernel has not noticed that yet, or `/dev/ublkcN` is open; those of the kernel.
    pub fn start_recovery(&mut self, id: u32) -> io::Result<()> {
        self.run(ControlCommand::StartUserRecovery, id, 0)
    }

    /// Lets requests go on, once all tags were fetched again. As [`Self::start`].
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn end_recovery(&mut self, id: u32, opener: u32) -> io::Result<()> {
        self.run(ControlCommand::EndUserRecovery, id, opener.into())
    }

    /// Sets the size of the device, a multiple of 512 bytes, and informs its users.
    ///
    /// # Errors
    /// `Unsupported` before Linux 6.16; those of the kernel.
    pub fn update_size(&mut self, id: u32, size_bytes: u64) -> io::Result<()> {
        if self.info(id)?.features & features::UPDATE_SIZE == 0 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.run(ControlCommand::UpdateSize, id, size_bytes / crate::SECTOR)
    }

    fn run(&mut self, command: ControlCommand, id: u32, data: u64) -> io::Result<()> {
        self.submit(command, control_entry(id, 0, 0, data)).and_then(check)
    }

    /// Runs a command that reads or writes a buffer. The kernel gets one of its own: it may use that after the command was given up.
    fn run_with<const N: usize>(
        &mut self,
        command: ControlCommand,
        id: u32,
        buffer: &mut [u8; N],
    ) -> io::Result<()> {
        let lent = Box::into_raw(Box::new(*buffer));
        // Without a completion, `lent` is the kernel's for good.
        let result = self.submit(command, control_entry(id, lent.expose_provenance() as u64, N, 0))?;
        // SAFETY: `lent` is from a box, and the kernel is done with it: the command has completed.
        *buffer = *unsafe { Box::from_raw(lent) };
        check(result)
    }

    /// Returns the result of a command.
    ///
    /// # Errors
    /// If its completion was not seen. The kernel may have done it all the same, or still be at it: then this process ends only once
    /// the kernel has done it.
    fn submit(&mut self, command: ControlCommand, entry: [u8; 80]) -> io::Result<i32> {
        let mut uring = self.uring.take().map_or_else(ring, Ok)?;
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::UringCmd80::new(fd, command.number()).cmd(entry).build();
        let result = run_alone(&mut uring, &entry).map_err(|error| {
            if error.raw_os_error() != Some(libc::ETIME) {
                return error;
            }
            let reason = format!("the kernel has not done it in {} s", TIME_MAX.as_secs());
            io::Error::new(io::ErrorKind::TimedOut, reason)
        })?;
        self.uring = Some(uring);
        Ok(result)
    }
}

fn ring() -> io::Result<ControlRing> {
    ControlRing::builder().build(4)
}

/// Runs a command on a ring that has no other, and returns its result.
fn run_alone(uring: &mut ControlRing, entry: &squeue::Entry128) -> io::Result<i32> {
    // SAFETY: the buffer of `run_with` is freed once the completion of the command was seen, and never otherwise.
    unsafe { uring.submission().push(entry) }.map_err(io::Error::other)?;
    let deadline = Instant::now() + TIME_MAX;
    loop {
        let limit = types::Timespec::from(deadline.saturating_duration_since(Instant::now()));
        match uring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&limit)) {
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            submitted => drop(submitted?),
        }
        if let Some(completion) = uring.completion().next() {
            return Ok(completion.result());
        }
    }
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}
