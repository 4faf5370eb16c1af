//! A real QEMU without a guest system: its monitor reads and writes the disk as a guest would.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::host::Host;
use crate::tools::run;

const PROGRAM: &str = "qemu-system-x86_64";

/// Returns the version of the installed QEMU: `QEMU emulator version 7.2.22 (Debian ...)`.
pub(crate) fn version() -> (u32, u32) {
    let said = run(PROGRAM, &["--version"]);
    let numbers = said.split_whitespace().nth(3).expect("it says its version").split('.');
    let mut numbers = numbers.map(|number| number.parse().expect("it is a number"));
    (numbers.next().expect("the major one"), numbers.next().expect("the minor one"))
}

/// A running QEMU. Killed when dropped.
pub(crate) struct Qemu {
    child: Child,
    monitor: Monitor,
    /// The monitor for other programs.
    pub(crate) socket: PathBuf,
}

/// A connection to a monitor.
pub(crate) struct Monitor {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

/// Form in which a disk is configured in QEMU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// One `-drive`, whose nodes QEMU names itself.
    Drive,
    /// A `-blockdev` for the file and one for the format, as libvirt has them, in a thread of their own.
    Blockdev,
    /// A `-blockdev` for the file, one for the format and a throttle on top, as Proxmox has them.
    Throttled,
}

impl Qemu {
    /// Starts a QEMU whose disk `vd0` is `image`.
    pub(crate) fn start(host: &Host, image: &str, shape: Shape) -> Self {
        Self::start_by(Command::new(PROGRAM), host, image, shape)
    }

    /// Starts one as a user who is not root. The image must be open to that user.
    pub(crate) fn start_as_ordinary_user(host: &Host, image: &str, shape: Shape) -> Self {
        let mut command = Command::new(PROGRAM);
        host.as_ordinary_user(&mut command);
        Self::start_by(command, host, image, shape)
    }

    fn start_by(mut command: Command, host: &Host, image: &str, shape: Shape) -> Self {
        let (own, others) = (host.path("own.sock"), host.path("qmp.sock"));
        let listen = |path: &Path| format!("unix:{},server=on,wait=off", path.display());
        command.args(["-nodefaults", "-machine", "q35,accel=tcg", "-display", "none", "-S", "-name", "web"]);
        command.args(["-qmp", &listen(&own), "-qmp", &listen(&others)]).args(disk(image, shape));
        // Its monitor prints its reads and writes to standard output.
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let mut child = child.expect("`cargo xtask test` installs qemu-system-x86");
        let monitor = Monitor::wait_for(&mut child, &own);
        Self { child, monitor, socket: others }
    }

    /// Runs a command of `qemu-io` on the disk, as a guest's request.
    pub(crate) fn io(&mut self, command: &str) {
        let line = format!("qemu-io -d /machine/peripheral/vd0/virtio-backend \"{command}\"");
        let said = self.monitor.execute("human-monitor-command", &json!({ "command-line": line }));
        assert_eq!(said, "", "{command}");
    }

    /// Returns the driver and the name of each block node.
    pub(crate) fn nodes(&mut self) -> Vec<(String, String)> {
        self.monitor.nodes()
    }

    /// Ends it, as a guest's last shutdown does.
    pub(crate) fn quit(mut self) {
        self.monitor.execute("quit", &json!({}));
        self.child.wait().expect("it is our child");
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // Fails only if it has ended, which is intended.
        self.child.kill().unwrap_or(());
        self.child.wait().expect("it is our child");
    }
}

impl Monitor {
    /// Connects as soon as the monitor exists. QEMU creates its sockets in the order of its options.
    fn wait_for(child: &mut Child, socket: &Path) -> Self {
        loop {
            match UnixStream::connect(socket) {
                Ok(stream) => return Self::new(stream),
                Err(_) => assert_eq!(child.try_wait().expect("it is our child"), None, "QEMU runs"),
            }
            thread::yield_now();
        }
    }

    /// Reads the greeting, so that commands can follow.
    pub(crate) fn new(writer: UnixStream) -> Self {
        let mut reader = BufReader::new(writer.try_clone().expect("sockets can be shared"));
        let mut greeting = String::new();
        reader.read_line(&mut greeting).expect("it greets");
        let mut monitor = Self { reader, writer };
        monitor.execute("qmp_capabilities", &json!({}));
        monitor
    }

    /// Returns the driver and the name of each block node.
    pub(crate) fn nodes(&mut self) -> Vec<(String, String)> {
        let nodes = self.execute("query-named-block-nodes", &json!({ "flat": true }));
        let text = |value: &Value| value.as_str().expect("it is text").to_owned();
        let all = nodes.as_array().expect("it is a list").iter();
        let mut all: Vec<_> = all.map(|node| (text(&node["drv"]), text(&node["node-name"]))).collect();
        all.sort();
        all
    }

    /// Runs `command` in QEMU, which must succeed, and returns its answer.
    pub(crate) fn execute(&mut self, command: &str, arguments: &Value) -> Value {
        self.try_execute(command, arguments).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Runs a command as [`Self::execute`] does, which QEMU may refuse: then returns its error.
    pub(crate) fn try_execute(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        let request = json!({ "execute": command, "arguments": arguments });
        self.writer.write_all(format!("{request}\n").as_bytes()).expect("it listens");
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).expect("it answers");
            let mut said: Value = serde_json::from_str(&line).expect("it speaks JSON");
            if said["event"].is_null() {
                return if said["error"].is_null() {
                    Ok(said["return"].take())
                } else {
                    Err(said.to_string())
                };
            }
        }
    }
}

fn disk(image: &str, shape: Shape) -> Vec<String> {
    let file = json!({ "driver": "file", "node-name": "store", "filename": image, "discard": "unmap" });
    let raw = json!({ "driver": "raw", "node-name": "format", "file": "store", "discard": "unmap" });
    let throttle = json!({ "driver": "throttle", "node-name": "top", "file": "format", "throttle-group": "limits", "discard": "unmap" });
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let blockdevs = |nodes: &[&Value]| {
        nodes.iter().flat_map(|node| ["-blockdev".to_owned(), node.to_string()]).collect::<Vec<_>>()
    };
    match shape {
        Shape::Drive => words(&[
            "-drive",
            &format!("file={image},if=none,id=drive0,format=raw,discard=unmap,detect-zeroes=unmap"),
            "-device",
            "virtio-blk-pci,drive=drive0,id=vd0",
        ]),
        Shape::Blockdev => [
            words(&["-object", "iothread,id=io0"]),
            blockdevs(&[&file, &raw]),
            words(&["-device", "virtio-blk-pci,drive=format,id=vd0,iothread=io0"]),
        ]
        .concat(),
        Shape::Throttled => [
            words(&["-object", "throttle-group,id=limits,x-iops-total=100000"]),
            blockdevs(&[&file, &raw, &throttle]),
            words(&["-device", "virtio-blk-pci,drive=top,id=vd0"]),
        ]
        .concat(),
    }
}

/// Starts a proxy between a command and a monitor. Before it passes `command` on for the first time, it calls
/// `act`.
pub(crate) fn stand_between(
    host: &Host,
    monitor: &Path,
    command: &str,
    act: impl FnOnce() + Send + 'static,
) -> PathBuf {
    let socket = host.path("between.sock");
    let listener = UnixListener::bind(&socket).expect("the folder is ours");
    let monitor = UnixStream::connect(monitor).expect("QEMU listens");
    let marker = format!("\"execute\":\"{command}\"");
    thread::spawn(move || {
        let (client, _) = listener.accept().expect("the command connects");
        let (mut to_client, mut to_monitor) =
            (client.try_clone().expect("it can be shared"), monitor.try_clone().expect("it can be shared"));
        // Each ends with its side; then there is no receiver.
        thread::spawn(move || drop(std::io::copy(&mut &monitor, &mut to_client)));
        let mut act = Some(act);
        for line in BufReader::new(client).lines().map_while(Result::ok) {
            if line.contains(&marker)
                && let Some(act) = act.take()
            {
                act();
            }
            if to_monitor.write_all(format!("{line}\n").as_bytes()).is_err() {
                break;
            }
        }
        // A monitor has one client at a time. Fails only if QEMU has ended.
        to_monitor.shutdown(Shutdown::Both).unwrap_or(());
    });
    socket
}
