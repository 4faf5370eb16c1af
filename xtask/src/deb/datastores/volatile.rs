//! Disks of a guest whose write cache forgets what was not flushed when the power goes.
//!
//! nbdkit's filter `cache` keeps writes apart until a flush, so that its end by force is what a power cut is to such a disk.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time that a server may take until it listens, on a busy machine.
const READY_MAX: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// A disk that is served with such a cache.
pub(super) struct Volatile {
    server: Child,
    socket: PathBuf,
    /// The file that nbdkit makes once it listens.
    pid: PathBuf,
}

impl Volatile {
    /// Serves `image`.
    ///
    /// # Errors
    /// If nbdkit cannot be started, or does not listen in time.
    pub(super) fn serve(image: &Path) -> Result<Self, String> {
        let (socket, pid) = (image.with_extension("sock"), image.with_extension("pid"));
        let problem = |error: std::io::Error| format!("Could not serve {}: {error}.", image.display());
        let mut nbdkit = Command::new("nbdkit");
        nbdkit.args(["--foreground", "--exit-with-parent", "--filter=cache", "--unix"]).arg(&socket);
        nbdkit.arg("--pidfile").arg(&pid).arg("file").arg(image).arg("cache=writeback").stdin(Stdio::null());
        let server = nbdkit.spawn().map_err(problem)?;
        let mut volatile = Self { server, socket, pid };
        let begun = Instant::now();
        while !volatile.pid.exists() {
            if begun.elapsed() > READY_MAX || volatile.server.try_wait().map_err(problem)?.is_some() {
                return Err(format!("nbdkit does not serve {}.", image.display()));
            }
            std::thread::sleep(POLL);
        }
        Ok(volatile)
    }

    /// Returns where QEMU finds it.
    pub(super) fn uri(&self) -> String {
        format!("nbd+unix:///?socket={}", self.socket.display())
    }
}

impl Drop for Volatile {
    /// Cuts its power.
    fn drop(&mut self) {
        if let Err(error) = self.server.kill().and_then(|()| self.server.wait()) {
            eprintln!("Could not end nbdkit at {}: {error}. Look for nbdkit.", self.socket.display());
        }
        for file in [&self.socket, &self.pid] {
            // One that did not come to listen made none.
            if let Err(error) = fs::remove_file(file)
                && error.kind() != ErrorKind::NotFound
            {
                eprintln!("Could not remove {}: {error}. Remove it by hand.", file.display());
            }
        }
    }
}
