//! A machine with a guest system of its own, which writes to two disks and verifies them all the time.
//!
//! ```text
//!   test ── word ──> ttyS3 ┐
//!                          ├ machine.sh: rounds of fio on a virtio-blk and a virtio-scsi disk
//!   test <── line ── ttyS1 ┘
//! ```
//! It is emulated: it shows correctness, and no times.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use guest::{Guest, Kit, Running};
use serde_json::json;

use crate::fio::Job;
use crate::host::Host;
use crate::qemu::Monitor;

const MIB: u64 = 1 << 20;
/// The size of a disk: the part that fio writes, and a part that stays empty.
pub(crate) const DISK_BYTES: u64 = 24 * MIB;
/// The job of fio in each round, with another seed in each.
const JOB: Job = Job { seed: 0, depth: 16, offset_mib: 4, length_mib: 12 };
/// Enough for fio's libraries, which count twice while the guest boots.
const MEMORY_MIB: u32 = 768;
/// Far longer than a busy machine takes; QEMU is ended then.
const SECONDS_MAX: u32 = 600;
const SCRIPT: &str = include_str!("machine.sh");
/// Names of the disks in the guest and in QEMU.
pub(crate) const DEVICES: [&str; 2] = ["blk", "scsi"];

/// A running machine. Switched off when dropped.
pub(crate) struct Machine {
    running: Running,
    words: UnixStream,
    /// The monitor of the test.
    pub(crate) own_socket: PathBuf,
    /// The monitor for other programs.
    pub(crate) socket: PathBuf,
    said: u32,
}

impl Machine {
    /// Boots it. `images` are its disks, in the order of [`DEVICES`].
    pub(crate) fn boot(host: &Host, images: &[String; 2]) -> Self {
        let (own, others, words) = (host.path("own.sock"), host.path("qmp.sock"), host.path("words.sock"));
        let kit = Kit::ready().expect("`cargo xtask test` installs what a guest needs");
        let mut guest = Guest::new(&kit).program("fio").memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
        let listen = |path: &PathBuf| format!("unix:{},server=on,wait=off", path.display());
        let monitors = [&own, &others].map(|path| ["-qmp".to_owned(), listen(path)]).concat();
        let serial = ["-serial".to_owned(), listen(&words)];
        for argument in monitors.into_iter().chain(serial).chain(disks(images)) {
            guest = guest.argument(argument);
        }
        // Of two seeds the last one counts.
        let functions = format!(
            "write_and_verify() {{ {} --randseed=$2; }}\nverify() {{ {} --randseed=$2; }}\n",
            JOB.write_line("/dev/disk/$1"),
            JOB.verify_line("/dev/disk/$1"),
        );
        let mut running = guest.start(&format!("{functions}{SCRIPT}")).expect("QEMU is installed");
        wait_for(&mut running, "booted");
        let words = UnixStream::connect(words).expect("a QEMU whose guest runs listens");
        Self { running, words, own_socket: own, socket: others, said: 0 }
    }

    /// Waits until the guest has written to both disks and verified them once, all of it after this call.
    pub(crate) fn write_and_verify(&mut self) {
        let word = self.say("round");
        wait_for(&mut self.running, &format!("ended {word}."));
    }

    /// Returns the checksums of both disks as the guest reads them. It writes nothing until the next word.
    pub(crate) fn sums(&mut self) -> [String; 2] {
        self.say("sums");
        DEVICES.map(|device| sum_of(&wait_for(&mut self.running, &format!("{device} holds"))))
    }

    /// Makes the guest verify both disks for the last time and shut down, which it must do without an error.
    /// Returns the checksums of both disks, as it read them.
    pub(crate) fn shut_down(mut self) -> [String; 2] {
        writeln!(self.words, "end").expect("QEMU listens");
        let ended = self.running.wait().expect("it comes to its end");
        assert_eq!(ended.status, 0, "{}", ended.output);
        DEVICES.map(|device| {
            let marker = format!("{device} holds");
            let line = ended.output.lines().rfind(|line| line.contains(&marker));
            sum_of(line.expect("the script says it"))
        })
    }

    /// Returns the driver and the name of each block node.
    pub(crate) fn nodes(&self) -> Vec<(String, String)> {
        connect(&self.own_socket).nodes()
    }

    fn say(&mut self, what: &str) -> String {
        self.said += 1;
        let word = format!("{what}-{}", self.said);
        writeln!(self.words, "{word}").expect("QEMU listens");
        word
    }
}

/// Cancels all jobs of the QEMU behind `socket`.
pub(crate) fn cancel_jobs(socket: &Path) {
    let mut monitor = connect(socket);
    let jobs = monitor.execute("query-jobs", &json!({}));
    for job in jobs.as_array().expect("it is a list") {
        monitor.execute("job-cancel", &json!({ "id": job["id"] }));
    }
}

fn connect(socket: &Path) -> Monitor {
    Monitor::new(UnixStream::connect(socket).expect("a QEMU whose guest runs listens"))
}

fn wait_for(running: &mut Running, text: &str) -> String {
    running.wait_for(text).unwrap_or_else(|why| panic!("{why}"))
}

/// Returns the checksum in a line `DISK holds SUM  -`.
fn sum_of(line: &str) -> String {
    line.split_whitespace().nth(2).expect("the script says it").to_owned()
}

/// Returns one disk in the form for people, and one in that of libvirt and Proxmox.
fn disks([blk, scsi]: &[String; 2]) -> Vec<String> {
    let cache = json!({ "direct": true });
    let file = json!({ "driver": "file", "node-name": "store", "filename": scsi, "aio": "io_uring", "cache": cache });
    let raw = json!({ "driver": "raw", "node-name": "format", "file": "store", "cache": cache });
    let words = [
        "-drive",
        &format!("file={blk},if=none,id=drive0,format=raw,cache=none"),
        "-device",
        "virtio-blk-pci,drive=drive0,id=blk,serial=blk",
        "-object",
        "iothread,id=io0",
        "-blockdev",
        &file.to_string(),
        "-blockdev",
        &raw.to_string(),
        "-device",
        "virtio-scsi-pci,id=controller,iothread=io0",
        "-device",
        "scsi-hd,bus=controller.0,drive=format,id=scsi",
    ];
    words.map(str::to_owned).into()
}
