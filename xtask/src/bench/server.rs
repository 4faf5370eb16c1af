//! Process that serves a disk over NBD on a Unix socket, and its CPU time.
//!
//! It is ended by its own process id when it is dropped, also after failures.

use std::fs::{self, File};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::scratch::Scratch;

/// Time limit until a server accepts clients.
const START_TIME_MAX: Duration = Duration::from_secs(20);
/// Interval of checks whether it does.
const START_LOOK: Duration = Duration::from_millis(10);
/// Unit of CPU time in `/proc/PID/stat`: the value that Linux shows to programs, on every relevant architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// Running server.
pub(super) struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts a server and waits until `socket` accepts clients.
    ///
    /// # Errors
    /// If it does not start; with its output.
    pub(super) fn start(
        scratch: &Scratch,
        name: &str,
        command: &mut Command,
        socket: &PathBuf,
    ) -> Result<Self, String> {
        let log = scratch.path(&format!("{}.log", name.replace(' ', "-")));
        let problem = |error: std::io::Error| format!("Could not start {name}: {error}.");
        let output = File::create(&log).map_err(problem)?;
        let errors = output.try_clone().map_err(problem)?;
        let child = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn().map_err(problem)?;
        let mut server = Self { child, log };
        let started = Instant::now();
        while UnixStream::connect(socket).is_err() {
            let ended = server.child.try_wait().map_err(problem)?;
            if ended.is_some() || started.elapsed() > START_TIME_MAX {
                let how =
                    ended.map_or_else(|| "does not accept clients".to_owned(), |status| status.to_string());
                return Err(format!("Could not start {name} ({how}). It said: {}", server.log_text()));
            }
            sleep(START_LOOK);
        }
        Ok(server)
    }

    /// Returns the CPU time so far, in microseconds, of all its threads and on its behalf in the kernel.
    pub(super) fn cpu_us(&self) -> Result<f64, String> {
        cpu_us_of(self.child.id()).map_err(|error| format!("{error} The server said: {}", self.log_text()))
    }

    /// Returns the number of its process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    fn log_text(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default().trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails only if the process has ended already, which is the aim.
        self.child.kill().unwrap_or(());
        if let Err(error) = self.child.wait() {
            eprintln!("Could not wait for the end of process {}: {error}. Look after it.", self.child.id());
        }
    }
}

/// Returns the CPU time so far, in microseconds, of all threads of a running process.
pub(super) fn cpu_us_of(process: u32) -> Result<f64, String> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path)
        .map_err(|error| format!("Could not read {path}: {error}. Has the process ended?"))?;
    let ticks = ticks(&stat).ok_or_else(|| format!("Could not find the CPU time in {path}: {stat}"))?;
    Ok(ticks * 1e6 / TICKS_PER_SECOND)
}

/// Returns user and system time from a line of `/proc/PID/stat`. The name of the program, in parentheses, may contain anything.
fn ticks(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_found_behind_any_name() {
        let stat = "42 (a) b) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 100 1000 10";
        assert_eq!(ticks(stat), Some(12.0));
        assert_eq!(ticks("no such line"), None);
        assert_eq!(ticks("42 (a) S 1"), None);
    }

    #[test]
    fn a_server_that_ends_at_once_is_an_error_with_what_it_said() {
        let scratch = Scratch::new().expect("there is a folder for temporary files");
        let mut command = Command::new("sh");
        command.args(["-c", "echo no disk here; exit 3"]);
        let failed = Server::start(&scratch, "quitter", &mut command, &scratch.path("none.sock"));
        let error = failed.err().expect("it ended");
        assert!(error.contains("exit status: 3") && error.contains("no disk here"), "{error}");
    }
}
