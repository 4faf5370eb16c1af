//! Boot of a guest, from its script to its exit status.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::archive::{Archive, Kind};
use crate::cable::CableEnd;
use crate::kit::Kit;
use crate::programs;

/// Interval of checks whether QEMU has ended, once its output has.
const POLL: Duration = Duration::from_millis(5);
/// Counter that distinguishes the guests of one process.
static BOOTED: AtomicU32 = AtomicU32::new(0);

/// Guest to be booted. See the crate.
#[derive(Debug)]
pub struct Guest {
    kit: Kit,
    programs: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
    disks: Vec<Disk>,
    arguments: Vec<String>,
    memory_mib: u32,
    seconds_max: u32,
}

/// Bus of a disk, which determines its name in the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// The disk is `/dev/vdX`.
    Virtio,
    /// The disk is `/dev/nvmeXn1`, an SSD. The guest has to load `nvme`.
    Nvme,
    /// The disk is `/dev/sdX`. The guest has to load `virtio_scsi` and `sd_mod`.
    Scsi,
}

impl Bus {
    /// Returns the device of QEMU.
    fn device(self) -> &'static str {
        match self {
            Self::Virtio => "virtio-blk-pci",
            Self::Nvme => "nvme",
            Self::Scsi => "scsi-hd",
        }
    }
}

/// Content of a guest's disk.
#[derive(Debug)]
struct Disk {
    bus: Bus,
    name: String,
    /// Path or URI, in the form of QEMU.
    file: String,
    /// QEMU's cache mode, which determines the handling of a flush.
    cache: &'static str,
}

/// Running guest. Its power is cut when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    switch: PowerSwitch,
    output: BufReader<ChildStdout>,
    seen: String,
    folder: Folder,
}

/// Switch that cuts the power of a guest, from any thread and at any time; harmless if the guest has ended.
#[derive(Clone, Debug)]
pub struct PowerSwitch {
    /// Process group of QEMU. `None` once it was waited for, since numbers are used again.
    group: Arc<Mutex<Option<u32>>>,
}

/// End of a guest's script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Exit status of the script.
    pub status: u8,
    /// Output of the script, on standard output and error.
    pub output: String,
}

impl Guest {
    /// Creates a guest with busybox, 1 GiB of memory, one processor and a time limit of five minutes.
    pub fn new(kit: &Kit) -> Self {
        Self {
            kit: kit.clone(),
            programs: Vec::new(),
            files: Vec::new(),
            disks: Vec::new(),
            arguments: Vec::new(),
            memory_mib: 1024,
            seconds_max: 300,
        }
    }

    /// Adds a program of the host and its libraries: a path, or a name that is searched in `PATH`. The guest finds it by its name.
    #[must_use]
    pub fn program(mut self, program: impl Into<String>) -> Self {
        self.programs.push(program.into());
        self
    }

    /// Adds a file with this content at an absolute path of the guest.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), content.into()));
        self
    }

    /// Adds a raw image as a disk, which the guest finds as `/dev/disk/NAME`; `name` has at most 20 characters. Its writes are in the file
    /// once QEMU has ended, not before, and need not survive a crash of the host. Of a script that failed, only synced data is there.
    #[must_use]
    pub fn disk(self, name: impl Into<String>, image: impl Into<PathBuf>) -> Self {
        self.disk_on(Bus::Virtio, name, image)
    }

    /// Adds a raw image as a disk with `name` as its serial number. Only [`Bus::Virtio`] has links in `/dev/disk`.
    #[must_use]
    pub fn disk_on(mut self, bus: Bus, name: impl Into<String>, image: impl Into<PathBuf>) -> Self {
        let file = escaped(&image.into());
        self.disks.push(Disk { bus, name: name.into(), file, cache: "unsafe" });
        self
    }

    /// Adds a disk that an NBD server at `uri` serves. Every write and flush of the guest reaches the server, and a write is complete when
    /// the server reports it.
    #[must_use]
    pub fn served_disk(mut self, name: impl Into<String>, uri: impl Into<String>) -> Self {
        self.disks.push(Disk { bus: Bus::Virtio, name: name.into(), file: uri.into(), cache: "none" });
        self
    }

    /// Adds a network card at this end of a cable. The guest has to load `virtio_net`, and finds no address on it.
    #[must_use]
    pub fn plugged(self, end: &CableEnd) -> Self {
        end.arguments().into_iter().fold(self, Self::argument)
    }

    /// Adds an argument of QEMU.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets the memory of the guest, in MiB. Default: 1024. The content of its archive counts twice while it boots.
    #[must_use]
    pub fn memory_mib(mut self, memory_mib: u32) -> Self {
        self.memory_mib = memory_mib;
        self
    }

    /// Sets the time limit in seconds, after which it is killed. Default: 300.
    #[must_use]
    pub fn seconds_max(mut self, seconds_max: u32) -> Self {
        self.seconds_max = seconds_max;
        self
    }

    /// Boots, runs `script` as root with busybox's shell, and waits for its end.
    ///
    /// # Errors
    /// If the guest cannot be started, or does not reach the end of the script: then with the last messages of the kernel.
    pub fn run(self, script: &str) -> Result<Ended, String> {
        self.start(script)?.wait()
    }

    /// Boots and returns at once.
    ///
    /// # Errors
    /// If QEMU or a program is missing, or a file cannot be read or written.
    pub fn start(self, script: &str) -> Result<Running, String> {
        let folder = Folder::new()?;
        self.write_archive(&folder.path("initrd"), script)?;
        let mut command = self.command(&folder)?;
        let errors = File::create(folder.path("qemu")).map_err(|error| folder.problem(&error))?;
        // A group of its own, so that `timeout` and QEMU end together.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors).process_group(0);
        let mut child = command.spawn().map_err(|error| format!("Could not start QEMU: {error}."))?;
        let output = BufReader::new(child.stdout.take().expect("it was piped"));
        let switch = PowerSwitch { group: Arc::new(Mutex::new(Some(child.id()))) };
        Ok(Running { child, switch, output, seen: String::new(), folder })
    }

    fn write_archive(&self, path: &Path, script: &str) -> Result<(), String> {
        let problem = |error: io::Error| format!("Could not write {}: {error}.", path.display());
        let mut output = BufWriter::new(File::create(path).map_err(problem)?);
        let mut base = File::open(self.kit.base()).map_err(problem)?;
        io::copy(&mut base, &mut output).map_err(problem)?;
        let mut archive = Archive::new(output);
        for program in &self.programs {
            programs::add(&mut archive, &programs::find(program)?)?;
        }
        for (path, content) in &self.files {
            archive.file(path, Kind::Data, content).map_err(problem)?;
        }
        archive.file("/script", Kind::Data, script.as_bytes()).map_err(problem)?;
        archive.finish().map_err(problem)
    }

    fn command(&self, folder: &Folder) -> Result<Command, String> {
        // Without cmpxchg16b: under emulation, newer kernels fall over it.
        let fixed = "-accel tcg -cpu qemu64,-cx16 -smp 1 -M q35 -nodefaults -display none -no-reboot \
                     -chardev stdio,id=output,signal=off";
        let mut command = Command::new("timeout");
        command.arg("--kill-after=5").arg(self.seconds_max.to_string());
        command.arg(programs::find("qemu-system-x86_64")?).args(fixed.split_whitespace());
        command.args(["-m", &self.memory_mib.to_string()]);
        command.arg("-serial").arg(format!("file:{}", folder.text("console")));
        command.args(["-serial", "chardev:output"]);
        command.arg("-serial").arg(format!("file:{}", folder.text("status")));
        command.arg("-kernel").arg(self.kit.kernel()).arg("-initrd").arg(folder.path("initrd"));
        // On a busy host, an emulated timer ticks too late for the kernel's check of it, which panics.
        let kernel =
            "console=ttyS0 quiet panic=-1 nokaslr mitigations=off random.trust_cpu=on no_timer_check";
        command.args(["-append", kernel]);
        if self.disks.iter().any(|disk| disk.bus == Bus::Scsi) {
            command.args(["-device", "virtio-scsi-pci"]);
        }
        for (number, Disk { bus, name, file, cache }) in self.disks.iter().enumerate() {
            command.args([
                "-drive",
                &format!("if=none,id=disk{number},format=raw,cache={cache},discard=unmap,file={file}"),
            ]);
            command.args(["-device", &format!("{},drive=disk{number},serial={name}", bus.device())]);
        }
        command.args(&self.arguments);
        Ok(command)
    }
}

impl Running {
    /// Waits for a line of the script's output that holds `text`, and returns it.
    ///
    /// # Errors
    /// If the guest ends without such a line: then with its whole output.
    pub fn wait_for(&mut self, text: &str) -> Result<String, String> {
        loop {
            match self.line()? {
                Some(line) if line.contains(text) => return Ok(line),
                Some(_) => {}
                None => {
                    return Err(format!(
                        "The guest ended and never said '{text}':\n{}{}",
                        self.seen,
                        self.last_words()
                    ));
                }
            }
        }
    }

    /// Waits for the end of the script.
    ///
    /// # Errors
    /// If the guest does not reach it: then with its output and the last messages of the kernel.
    pub fn wait(mut self) -> Result<Ended, String> {
        while self.line()?.is_some() {}
        let status =
            self.switch.wait_for_end(&mut self.child).map_err(|error| self.folder.problem(&error))?;
        let told = fs::read_to_string(self.folder.path("status")).unwrap_or_default();
        match told.trim().parse() {
            Ok(status) => Ok(Ended { status, output: std::mem::take(&mut self.seen) }),
            Err(_) => Err(format!(
                "The guest did not come to the end of its script (QEMU: {status}):\n{}{}",
                self.seen,
                self.last_words()
            )),
        }
    }

    /// Cuts the power: data that the guest had not sent to a disk of the host is lost.
    ///
    /// # Errors
    /// If QEMU cannot be ended.
    pub fn cut_power(mut self) -> Result<(), String> {
        self.end().map_err(|error| self.folder.problem(&error))
    }

    /// Returns the switch with which another thread can cut the power while this one waits for the guest.
    pub fn power_switch(&self) -> PowerSwitch {
        self.switch.clone()
    }

    /// Returns the next line of the script's output; `None` when the guest has ended.
    ///
    /// # Errors
    /// If the output cannot be read.
    pub fn line(&mut self) -> Result<Option<String>, String> {
        let mut bytes = Vec::new();
        let read = self.output.read_until(b'\n', &mut bytes).map_err(|error| self.folder.problem(&error))?;
        let line = String::from_utf8_lossy(&bytes).into_owned();
        self.seen.push_str(&line);
        Ok((read > 0).then(|| line.trim_end().to_owned()))
    }

    /// Returns the last messages of the kernel and of QEMU.
    fn last_words(&self) -> String {
        let read = |name| fs::read(self.folder.path(name)).unwrap_or_default();
        let (console, errors) = (read("console"), read("qemu"));
        let console = String::from_utf8_lossy(&console);
        let lines: Vec<&str> = console.lines().collect();
        let last = lines[lines.len().saturating_sub(60)..].join("\n");
        format!("--- console\n{last}\n--- QEMU\n{}", String::from_utf8_lossy(&errors))
    }

    fn end(&mut self) -> io::Result<()> {
        self.switch.cut()?;
        self.switch.wait_for_end(&mut self.child).map(drop)
    }
}

impl PowerSwitch {
    /// Kills QEMU: data that it had not sent to a disk is lost.
    ///
    /// # Errors
    /// If it cannot be killed.
    pub fn cut(&self) -> io::Result<()> {
        let group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = *group {
            match killpg(Pid::from_raw(group.cast_signed()), Signal::SIGKILL) {
                // All of the group have ended, which is the aim.
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn wait_for_end(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let status = loop {
            // The lock is not held while it runs: it must be possible to kill it meanwhile.
            let mut group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(status) = child.try_wait()? {
                *group = None;
                break status;
            }
            drop(group);
            std::thread::sleep(POLL);
        };
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            eprintln!("Could not end a guest: {error}. Look for qemu-system-x86_64.");
        }
    }
}

/// Returns a path in the form of QEMU's options: a comma separates options, and two stand for one.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

/// Folder of one boot or cable, removed at its end.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Result<Self, String> {
        let number = BOOTED.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("forebay-guest-{}-{number}", std::process::id()));
        fs::create_dir(&path)
            .map_err(|error| format!("Could not make the folder {}: {error}.", path.display()))?;
        Ok(Self { path })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the path of a file in it, in the form of QEMU's options.
    pub(crate) fn text(&self, name: &str) -> String {
        escaped(&self.path(name))
    }

    fn problem(&self, error: &io::Error) -> String {
        format!("Could not run a guest in {}: {error}.", self.path.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("Could not remove the folder {}: {error}. Remove it by hand.", self.path.display());
        }
    }
}
