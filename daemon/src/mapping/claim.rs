//! Exclusive claims of devices that are to be removed.
//!
//! The kernel grants one claim of a block device at a time, also to mounts in any namespace, volumes, targets
//! and swap space. A claim keeps those from beginning to use the device.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Time that opening or flushing a device may take. A device whose daemon just ended takes until there is
/// another one.
const TIME_MAX: Duration = Duration::from_secs(10);

/// The claim of a device, until it is dropped.
pub(super) struct DeviceClaim(Arc<File>);

impl DeviceClaim {
    /// Claims a device. Returns none if its node is missing.
    ///
    /// # Errors
    /// `ResourceBusy` if another process has claimed it, `TimedOut` if it does not answer, and others of the
    /// system.
    pub(super) fn take(device: &Path) -> io::Result<Option<Self>> {
        let device = device.to_owned();
        let opened =
            within(TIME_MAX, move || File::options().read(true).custom_flags(libc::O_EXCL).open(device));
        match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => Ok(Some(Self(Arc::new(opened?)))),
        }
    }

    /// Flushes the writes to the device.
    ///
    /// # Errors
    /// `TimedOut` if it does not answer, and others of the system.
    pub(super) fn sync(&self) -> io::Result<()> {
        let file = Arc::clone(&self.0);
        within(TIME_MAX, move || file.sync_all())
    }
}

/// Runs a task that may hang, in a thread that is then detached.
pub(super) fn within<T: Send + 'static>(
    time: Duration,
    task: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, outcome) = mpsc::channel();
    thread::Builder::new().spawn(move || drop(sender.send(task())))?;
    let reason = || format!("it has not answered in {} s", time.as_secs());
    outcome.recv_timeout(time).unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, reason())))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_node_that_is_missing_is_no_error_and_a_task_that_hangs_is_left() {
        let folder = TempDir::new();
        assert!(DeviceClaim::take(&folder.path().join("missing")).expect("nothing is there").is_none());
        let (end, wait) = mpsc::channel::<()>();
        let hanging = within(Duration::from_millis(10), move || wait.recv().map_err(io::Error::other));
        assert_eq!(hanging.expect_err("it hangs").kind(), io::ErrorKind::TimedOut);
        drop(end);
    }
}
