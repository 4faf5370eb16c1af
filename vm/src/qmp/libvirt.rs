//! The monitor of a libvirt domain, through `virsh qemu-monitor-command`: libvirt has the only connection to it.
//!
//! Each command is a process of its own, which `LIBVIRT_DEFAULT_URI` reaches as it does any virsh. Libvirt does not pass events on, so
//! waiting is polling.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Monitor, Patience, QmpError};
use base::bounded::{hear, heard};
use base::signals;

/// Interval at which a process is checked for its end.
const INTERVAL: Duration = Duration::from_millis(5);

/// Domain whose QEMU accepts commands.
pub(super) struct LibvirtLink {
    domain: String,
    patience: Patience,
}

impl LibvirtLink {
    pub(super) fn new(domain: &str, patience: Patience) -> Self {
        Self { domain: domain.to_owned(), patience }
    }

    /// Executes `command` in QEMU and returns the answer.
    ///
    /// # Errors
    /// `Refused` with QEMU's message; every other error leaves the outcome unknown.
    pub(super) fn execute(&self, command: &str, arguments: &Value) -> Result<Value, QmpError> {
        let request = json!({ "execute": command, "arguments": arguments }).to_string();
        let said = self.run(command, &request)?;
        let mut said: Value = serde_json::from_str(said.trim())
            .map_err(|_| QmpError::Garbled { socket: self.name(), what: said.chars().take(80).collect() })?;
        match said.get("error") {
            Some(error) => Err(QmpError::refused(command, error)),
            None => Ok(said["return"].take()),
        }
    }

    fn run(&self, command: &str, request: &str) -> Result<String, QmpError> {
        let broken = |error| QmpError::unreachable(&self.name(), error);
        let unusable =
            |error| broken(io::Error::other(format!("the output of virsh cannot be used: {error}")));
        let mut virsh = Command::new("virsh");
        // Behind `--` nothing is an option, whatever the name of the domain is.
        virsh.args(["--quiet", "qemu-monitor-command", "--", &self.domain, request]);
        virsh.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env("LC_ALL", "C");
        signals::release_in(&mut virsh);
        let mut child = virsh.spawn().map_err(broken)?;
        let (output, errors) = (hear(child.stdout.take()), hear(child.stderr.take()));
        let Some(succeeded) = wait(&mut child, self.patience.command).map_err(broken)? else {
            return Err(QmpError::TimedOut {
                socket: self.name(),
                command: command.to_owned(),
                seconds: self.patience.command.as_secs(),
            });
        };
        let text = |hearing| {
            heard(hearing).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(unusable)
        };
        // First, because a virsh whose output is no longer read fails for that alone.
        let said = text(output)?;
        if succeeded {
            return Ok(said);
        }
        let said = text(errors)?;
        let said = said.trim().trim_start_matches("error: ").replace('\n', " ");
        Err(broken(io::Error::other(format!("virsh printed '{}'", said.escape_debug()))))
    }

    fn name(&self) -> PathBuf {
        Monitor::Libvirt(self.domain.clone()).name()
    }
}

/// Waits for the end of a process; returns none and kills it if that takes longer.
fn wait(child: &mut Child, time: Duration) -> io::Result<Option<bool>> {
    let deadline = Instant::now() + time;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(INTERVAL);
    }
}
