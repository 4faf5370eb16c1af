//! A simulated host: a folder with images, and the daemons and commands that run in it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use doors::nbd::Client;
use doors::nbd::option::Replies;
use nix::sys::signal::{Signal, kill};
use nix::sys::statvfs::statvfs;
use nix::unistd::{Pid, geteuid};
use serde_json::Value;

use crate::patience::until;

/// Far longer than anything here takes; reached only by a failure.
const DEADLINE: Duration = Duration::from_mins(1);

/// Least free space of a folder in RAM.
const IN_RAM_MIN: u64 = 1 << 30;

/// A user without account and group, for tests of operations that root may do.
const ORDINARY: u32 = 64_999;

static MADE: AtomicU32 = AtomicU32::new(0);

/// A folder of one test, removed at its end.
pub(crate) struct Host {
    folder: PathBuf,
}

/// A daemon that is ready. Killed when dropped.
pub(crate) struct Daemon {
    child: Child,
    socket: PathBuf,
    run_dir: PathBuf,
    /// Its standard output until it was ready.
    pub(crate) announcement: String,
    log: Receiver<String>,
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Host {
    pub(crate) fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// Returns a folder in RAM, if this system has one: for tests with a time limit that write and flush all
    /// the time. A disk that writes back gigabytes from a build may not answer for longer than a daemon waits
    /// for it.
    pub(crate) fn in_ram() -> Self {
        let shared_memory = Path::new("/dev/shm");
        let free = statvfs(shared_memory).map(|room| room.blocks_available() * room.fragment_size());
        if free.is_ok_and(|bytes| bytes >= IN_RAM_MIN) { Self::within(shared_memory) } else { Self::new() }
    }

    fn within(parent: &Path) -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("forebay-process-{}-{number}", std::process::id()));
        fs::create_dir(&folder).expect("temporary folders can be made");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the path for a command line.
    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("temporary folders have plain names").to_owned()
    }

    /// Makes an empty image of `bytes` and returns its path.
    pub(crate) fn image(&self, name: &str, bytes: u64) -> String {
        File::create(self.path(name)).and_then(|file| file.set_len(bytes)).expect("the folder is ours");
        self.text(name)
    }

    /// Starts a daemon with a small pool and waits until it is ready.
    pub(crate) fn serve(&self) -> Daemon {
        self.serve_with(&["--pool", &self.text("pool.img"), "--pool-size", "64MiB"])
    }

    /// Starts a daemon in the folder `d` with more options.
    pub(crate) fn serve_with(&self, options: &[&str]) -> Daemon {
        Daemon::start(&self.path("d"), options)
    }

    /// Starts a daemon with a small pool by another program, such as one that sets a limit.
    pub(crate) fn serve_by(&self, program: &str, words: &[&str]) -> Daemon {
        let mut command = Command::new(program);
        command.args(words).arg(env!("CARGO_BIN_EXE_forebay"));
        let pool = self.text("pool.img");
        Daemon::start_as(bare(command), &self.path("d"), &["--pool", &pool, "--pool-size", "64MiB"])
    }

    /// Starts a daemon as a service manager would that listens at `notify`.
    pub(crate) fn serve_for_manager(&self, notify: &Path) -> Daemon {
        let mut command = command();
        command.env("NOTIFY_SOCKET", notify);
        let pool = self.text("pool.img");
        Daemon::start_as(command, &self.path("d"), &["--pool", &pool, "--pool-size", "64MiB"])
    }

    /// Starts a daemon as a user who is not root, also where the test runs as root.
    pub(crate) fn serve_as_ordinary_user(&self) -> Daemon {
        self.serve_as_ordinary_user_with(&[])
    }

    /// Starts it with more options.
    pub(crate) fn serve_as_ordinary_user_with(&self, more: &[&str]) -> Daemon {
        let mut command = command();
        if geteuid().is_root() {
            // The folder of the binary may be closed to others.
            let binary = self.path("forebay");
            // Not by this process: a child of another test would inherit it open for writing, and it could
            // not be run.
            let copied = Command::new("cp").arg(command.get_program()).arg(&binary).status();
            assert!(copied.expect("cp is there").success());
            command = Command::new(binary);
        }
        self.as_ordinary_user(&mut command);
        let pool = self.text("pool.img");
        let options = [&["--pool", &pool, "--pool-size", "64MiB"], more].concat();
        Daemon::start_as(command, &self.path("d"), &options)
    }

    /// Makes `command` run as a user who is not root, also where the test runs as root; then the folder
    /// belongs to that user.
    pub(crate) fn as_ordinary_user(&self, command: &mut Command) {
        if geteuid().is_root() {
            chown(&self.folder, Some(ORDINARY), Some(ORDINARY)).expect("root may");
            command.uid(ORDINARY).gid(ORDINARY);
        }
    }

    /// Runs `serve` in the folder `d` where it is expected to end by itself.
    pub(crate) fn serve_fails(&self, options: &[&str]) -> String {
        let dir = self.text("d");
        let mut words = vec!["serve", "--dir", &dir];
        words.extend(without_http(options));
        words.extend(options);
        forebay(&words).failed()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).expect("the folder is ours");
    }
}

impl Daemon {
    /// Starts a daemon in a folder of its own choice.
    pub(crate) fn start(dir: &Path, options: &[&str]) -> Self {
        Self::start_as(command(), dir, options)
    }

    fn start_as(mut command: Command, dir: &Path, options: &[&str]) -> Self {
        let mut child = command
            .arg("serve")
            .arg("--dir")
            .arg(dir)
            .args(without_http(options))
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built for this test");
        let stderr = child.stderr.take().expect("it was piped");
        let (lines, log) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                // A test that has ended no longer listens; the rest is read all the same, so that the daemon
                // never blocks.
                drop(lines.send(line));
            }
        });
        let mut announcement = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        while !announcement.contains("Forebay is ready") {
            if stdout.read_line(&mut announcement).expect("output is text") == 0 {
                child.wait().expect("it is our child");
                panic!("it never became ready: {announcement}{}", log.iter().collect::<String>());
            }
        }
        let run_dir = options.iter().skip_while(|option| **option != "--run-dir").nth(1);
        let run_dir = run_dir.map_or_else(|| dir.to_owned(), PathBuf::from);
        Self { child, socket: run_dir.join("control.sock"), run_dir, announcement, log }
    }

    /// Runs a command against this daemon.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        let output = command().args(words).env("FOREBAY_SOCKET", &self.socket).output();
        Ran::from(output.expect("the binary was built for this test"))
    }

    /// Runs a command in another folder.
    pub(crate) fn run_in(&self, folder: &Path, words: &[&str]) -> Ran {
        let output = command().args(words).current_dir(folder).env("FOREBAY_SOCKET", &self.socket).output();
        Ran::from(output.expect("the binary was built for this test"))
    }

    /// Starts a command that does not end by itself, with its output and errors piped.
    pub(crate) fn spawn(&self, words: &[&str]) -> Child {
        let mut command = command();
        command.args(words).env("FOREBAY_SOCKET", &self.socket).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary was built for this test")
    }

    /// Runs a command that must succeed and prints JSON.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let mut words = words.to_vec();
        words.push("--json");
        let text = self.run(&words).succeeded();
        assert_eq!(text.lines().count(), 1, "one document a line: {text}");
        let document: Value = serde_json::from_str(&text).expect("--json prints JSON");
        assert_eq!(document["schema"], 1);
        document
    }

    /// Returns a disk as `disk list` shows it.
    pub(crate) fn disk(&self, name: &str) -> Value {
        let document = self.json(&["disk", "list"]);
        let disks = document["disks"].as_array().expect("a list");
        disks.iter().find(|disk| disk["name"] == name).cloned().unwrap_or(Value::Null)
    }

    pub(crate) fn nbd_socket(&self, disk: &str) -> PathBuf {
        self.run_dir.join("nbd").join(format!("{disk}.sock"))
    }

    pub(crate) fn vhost_socket(&self, disk: &str) -> PathBuf {
        self.run_dir.join("vhost").join(format!("{disk}.sock"))
    }

    /// Returns the user that it runs as.
    pub(crate) fn owner(&self) -> u32 {
        fs::metadata(&self.run_dir).expect("it made the folder").uid()
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn control_socket(&self) -> &Path {
        &self.socket
    }

    /// Returns the address at which it serves HTTP over TCP.
    pub(crate) fn http(&self) -> SocketAddr {
        let text = fs::read_to_string(self.run_dir.join("http")).expect("it answers HTTP");
        text.trim().parse().expect("the file holds an address")
    }

    /// Connects as a guest.
    pub(crate) fn guest(&self, disk: &str) -> Client {
        Client::connect(&self.nbd_socket(disk), disk, Replies::Simple).expect("the disk is served")
    }

    /// Makes a guest of disk `a` do `step` round by round, from `first` on, while `change` runs. Returns the
    /// last round.
    pub(crate) fn under_load(
        &self,
        first: u8,
        step: impl Fn(&mut Client, u8) + Send,
        change: impl FnOnce(),
    ) -> u8 {
        let is_over = AtomicBool::new(false);
        let mut guest = self.guest("a");
        std::thread::scope(|scope| {
            let is_over = &is_over;
            let load = scope.spawn(move || {
                for round in first..=u8::MAX {
                    step(&mut guest, round);
                    if is_over.load(Ordering::Relaxed) {
                        return round;
                    }
                }
                panic!("the change takes for ever");
            });
            change();
            is_over.store(true, Ordering::Relaxed);
            load.join().expect("no guest sees an error")
        })
    }

    /// Waits for a line of the log that contains `text`.
    pub(crate) fn wait_for_log(&self, text: &str) -> String {
        let mut seen = String::new();
        loop {
            let line =
                self.log.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("no '{text}' after:\n{seen}"));
            if line.contains(text) {
                return line;
            }
            seen.push_str(&line);
            seen.push('\n');
        }
    }

    /// Stops the daemon and waits until it has ended.
    pub(crate) fn stop(mut self) -> ExitStatus {
        self.signal(Signal::SIGTERM);
        let status = self.child.wait().expect("it is our child");
        if !status.success() {
            let line = || self.log.recv_timeout(Duration::from_secs(1)).ok();
            let said: Vec<String> = std::iter::from_fn(line).collect();
            println!("The daemon ended with {status}, and said:\n{}", said.join("\n"));
        }
        status
    }

    /// Waits until the daemon has ended by itself.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().expect("it is our child")
    }

    /// Kills the daemon.
    pub(crate) fn kill(mut self) {
        self.signal(Signal::SIGKILL);
        let status = self.child.wait().expect("it is our child");
        assert_eq!(status.signal(), Some(Signal::SIGKILL as i32));
    }

    /// Stops all of its threads, until it gets SIGCONT.
    pub(crate) fn pause(&self) {
        self.signal(Signal::SIGSTOP);
        until(|| has_stopped(self.id()));
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(self.child.id().cast_signed());
        kill(id, signal).expect("it is our child and was not waited for");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Fails only if it has ended, which is intended.
        self.child.kill().unwrap_or(());
        self.child.wait().expect("it is our child");
    }
}

impl Ran {
    /// Returns its standard output; it must have succeeded.
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        self.stdout
    }

    /// Returns the message of a command that failed: one line after `error: `.
    pub(crate) fn failed(self) -> String {
        assert_eq!(self.status, 1, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let errors: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        let [line] = errors[..] else { panic!("not one line of error: {self:?}") };
        line.trim_start_matches("error: ").to_owned()
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        Self {
            status: output.status.code().expect("it was not killed"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Returns true if no thread of a process runs.
pub(crate) fn has_stopped(process: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("it is our child");
    threads.flatten().all(|thread| {
        // A thread that ended meanwhile does not run either.
        let state = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        state.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with('T'))
    })
}

/// Daemons run in parallel here: none uses the default port, and only those with an explicit option use any.
fn without_http(options: &[&str]) -> &'static [&'static str] {
    if options.contains(&"--listen-http") { &[] } else { &["--listen-http", "off"] }
}

/// Returns the text of a stored file as a person leaves it after an edit: without its checksum.
pub(crate) fn edited(text: &str) -> String {
    let (content, checksum) = text.rsplit_once("\"checksum\": \"").expect("it has a checksum");
    let (_, end) = checksum.split_once('"').expect("it is a text");
    format!("{content}\"checksum\": \"edited\"{end}")
}

/// Runs a command that needs no daemon, or must find none.
pub(crate) fn forebay(words: &[&str]) -> Ran {
    Ran::from(command().args(words).output().expect("the binary was built for this test"))
}

/// Runs `forebay` by another program, such as one that sets a limit.
pub(crate) fn forebay_with(program: &str, options: &[&str], words: &[&str]) -> Ran {
    let mut command = Command::new(program);
    command.args(options).arg(env!("CARGO_BIN_EXE_forebay")).args(words).stdin(Stdio::null());
    Ran::from(command.output().expect("util-linux is there"))
}

/// Returns `length` bytes of a file at `offset`, read without the daemon.
pub(crate) fn content(path: &str, offset: u64, length: usize) -> Vec<u8> {
    use std::io::{Seek, SeekFrom};

    let mut file = File::open(path).expect("the test made it");
    file.seek(SeekFrom::Start(offset)).expect("files seek");
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes).expect("the range lies inside");
    bytes
}

fn command() -> Command {
    bare(Command::new(env!("CARGO_BIN_EXE_forebay")))
}

/// Removes variables from a command's environment that would change its behaviour.
fn bare(mut command: Command) -> Command {
    command
        .env_remove("FOREBAY_SOCKET")
        .env_remove("FOREBAY_LOG")
        .env_remove("NOTIFY_SOCKET")
        .stdin(Stdio::null());
    command
}

/// A loop device of one test, removed at its end.
pub(crate) struct Loop(pub(crate) String);

impl Loop {
    /// Returns none if this user may not have one, or this host has none left.
    pub(crate) fn over(path: &str) -> Option<Self> {
        Self::with_sectors(path, 512)
    }

    /// Attaches one as [`Self::over`] does, with sectors of this many bytes.
    pub(crate) fn with_sectors(path: &str, bytes: u32) -> Option<Self> {
        Self::with(&["--sector-size", &bytes.to_string(), path])
    }

    /// Attaches one as [`Self::over`] does, without this many bytes at the beginning.
    pub(crate) fn from_offset(path: &str, bytes: u64) -> Option<Self> {
        Self::with(&["--offset", &bytes.to_string(), path])
    }

    /// Attaches one as [`Self::over`] does, with devices for its partitions.
    pub(crate) fn with_partitions(path: &str) -> Option<Self> {
        Self::with(&["--partscan", path])
    }

    fn with(words: &[&str]) -> Option<Self> {
        let words = [&["--find", "--show"], words].concat();
        let output = Command::new("losetup").args(words).output().ok()?;
        let name = String::from_utf8(output.stdout).expect("names are text");
        let made = output.status.success().then(|| Self(name.trim().to_owned()));
        if made.is_none() {
            println!("NOT TESTED: no loop devices here");
        }
        made
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let status = Command::new("losetup").args(["--detach", &self.0]).status().expect("it was there");
        assert!(status.success());
    }
}
