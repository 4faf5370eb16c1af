//! Runs foreign programs with a deadline, so that a lost reply fails a test instead of blocking it.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::host::Daemon;

/// Far longer than any tool takes here; `timeout` ends it then.
const DEADLINE_SECONDS: &str = "300";
/// Exit statuses of `timeout` after the deadline, and without such a program.
const TIMED_OUT: i32 = 124;
const NOT_FOUND: i32 = 127;

/// A tool that runs in parallel to the test. Ended when dropped.
pub(crate) struct Background {
    child: Option<Child>,
    words: String,
}

/// Returns the URI of a disk for clients.
pub(crate) fn uri(daemon: &Daemon, disk: &str) -> String {
    let socket = daemon.nbd_socket(disk);
    format!("nbd+unix:///{disk}?socket={}", socket.to_str().expect("temporary folders have plain names"))
}

/// Returns the SHA-256 of a file.
pub(crate) fn checksum(path: &str) -> String {
    let text = run("sha256sum", &[path]);
    text.split_whitespace().next().expect("a checksum and a name").to_owned()
}

/// Runs a tool that must succeed and returns its output.
pub(crate) fn run(tool: &str, arguments: &[&str]) -> String {
    let (succeeded, text) = try_run(tool, arguments);
    assert!(succeeded, "{tool} {} failed:\n{text}", arguments.join(" "));
    text
}

/// Runs a tool that must fail and returns its output.
pub(crate) fn run_fails(tool: &str, arguments: &[&str]) -> String {
    let (succeeded, text) = try_run(tool, arguments);
    assert!(!succeeded, "{tool} {} succeeded:\n{text}", arguments.join(" "));
    text
}

fn try_run(tool: &str, arguments: &[&str]) -> (bool, String) {
    let words = words(tool, arguments);
    judge(&words, command(tool, arguments).output())
}

/// Runs `qemu-io` commands one after another on a raw image or URI; every pattern must be found as it was
/// written.
pub(crate) fn qemu_io(target: &str, commands: &[&str]) {
    let mut arguments = vec!["-f", "raw", "-t", "none"];
    for command in commands {
        arguments.extend(["-c", command]);
    }
    arguments.push(target);
    let text = run("qemu-io", &arguments);
    assert!(!text.contains("Pattern verification failed"), "{commands:?}:\n{text}");
}

/// Fails unless both have the same bytes. Neither is locked, so that one may be in use.
pub(crate) fn assert_same_content(left: &str, right: &str) {
    let text = run("qemu-img", &["compare", "-U", "-f", "raw", "-F", "raw", left, right]);
    assert!(text.contains("Images are identical"), "{text}");
}

impl Background {
    /// Starts a tool, in `folder`.
    pub(crate) fn start(tool: &str, arguments: &[&str], folder: &Path) -> Self {
        let mut command = command(tool, arguments);
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("`timeout` is part of every Debian");
        Self { child: Some(child), words: words(tool, arguments) }
    }

    pub(crate) fn is_running(&mut self) -> bool {
        let child = self.child.as_mut().expect("it was not waited for");
        child.try_wait().expect("it is our child").is_none()
    }

    /// Waits for its end. Returns whether it succeeded, and its output.
    pub(crate) fn wait(mut self) -> (bool, String) {
        let child = self.child.take().expect("it was not waited for");
        judge(&self.words, child.wait_with_output())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // `timeout` leads a process group of its own with the tool in it. Fails only if all have ended,
            // which is intended.
            let group = Pid::from_raw(child.id().cast_signed());
            killpg(group, Signal::SIGKILL).unwrap_or(());
            child.wait().expect("it is our child");
        }
    }
}

fn command(tool: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", DEADLINE_SECONDS, tool]).args(arguments).stdin(Stdio::null());
    command
}

fn words(tool: &str, arguments: &[&str]) -> String {
    format!("{tool} {}", arguments.join(" "))
}

fn judge(words: &str, output: std::io::Result<Output>) -> (bool, String) {
    let output = output.expect("`timeout` is part of every Debian");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    match output.status.code() {
        Some(NOT_FOUND) => {
            panic!("Cannot run {words}: it is missing; `cargo xtask test` installs what tests need")
        }
        Some(TIMED_OUT) => panic!("Not done within {DEADLINE_SECONDS} s: {words}\n{text}"),
        _ => (output.status.success(), text),
    }
}
