//! Disks whose backing is another NBD server: QEMU's with a qcow2 image, and nbdkit, which fails, dies and
//! hangs on demand.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::fio::{Job, Target};
use crate::host::{Daemon, Host, content};
use crate::tools::{Background, assert_same_content, qemu_io, run, uri};

const MIB: u64 = 1 << 20;

/// A server that listens on `NAME.sock` in the folder of the host. Killed when dropped.
pub(crate) struct Server {
    process: Background,
    pid: Pid,
    pub(crate) uri: String,
}

impl Server {
    /// Starts a server with these names of its options for socket and pid file.
    fn start(
        host: &Host,
        name: &str,
        tool: &str,
        [socket_option, pid_option]: [&str; 2],
        words: &[&str],
    ) -> Self {
        let (socket, pid_file) = (host.text(&format!("{name}.sock")), host.text(&format!("{name}.pid")));
        for left_behind in [&socket, &pid_file] {
            // There is none at the first start.
            fs::remove_file(left_behind).unwrap_or(());
        }
        let options = [&[socket_option, &socket, pid_option, &pid_file], words].concat();
        let mut process = Background::start(tool, &options, &host.path(""));
        let pid = loop {
            // Written once the server listens.
            match fs::read_to_string(&pid_file).ok().and_then(|text| text.trim().parse().ok()) {
                Some(pid) => break Pid::from_raw(pid),
                None if process.is_running() => std::thread::yield_now(),
                None => panic!("{tool} {options:?} ended: {:?}", process.wait()),
            }
        };
        Self { process, pid, uri: format!("nbd+unix:///?socket={socket}") }
    }

    fn qemu_nbd(host: &Host, format: &str, image: &str) -> Self {
        let words = ["--persistent", "--shared=0", "--format", format, "--discard=unmap", image];
        Self::start(host, "qemu", "qemu-nbd", ["--socket", "--pid-file"], &words)
    }

    pub(crate) fn nbdkit(host: &Host, words: &[&str]) -> Self {
        let words = [&["--foreground"], words].concat();
        Self::start(host, "nbdkit", "nbdkit", ["--unix", "--pidfile"], &words)
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        assert!(self.process.is_running());
        kill(self.pid, signal).expect("it is a child of our child");
        // A running thread may answer one more request.
        while signal == Signal::SIGSTOP && !self.has_stopped() {
            std::thread::yield_now();
        }
    }

    fn has_stopped(&self) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid)).expect("it runs, or has stopped");
        let stats = tasks.map(|task| std::fs::read_to_string(task.expect("listed").path().join("stat")));
        // The state is after the name, which is in brackets.
        stats.into_iter().all(|stat| stat.is_ok_and(|stat| stat.contains(") T ")))
    }
}

/// Waits until this many connections got this size, as nbdkit's log filter reports it, and all four present
/// ones of a disk are among those. An accepted socket is not enough: the size is sent at the end of the
/// handshake.
fn until_told(log: &Path, size: u64, times: usize) {
    let told = format!(" size={size:#x} ");
    loop {
        // It exists from the first connection on.
        let text = fs::read_to_string(log).unwrap_or_default();
        let of = |line: &str| line.split(' ').find(|word| word.starts_with("connection=")).map(str::to_owned);
        let gone: Vec<_> = text.lines().filter(|line| line.contains(" Disconnect ")).map(of).collect();
        let all = text.lines().filter(|line| line.contains(" Connect ") && line.contains(&told)).map(of);
        let all: Vec<_> = all.collect();
        if all.len() >= times && all.iter().filter(|one| !gone.contains(one)).count() == 4 {
            return;
        }
        std::thread::yield_now();
    }
}

fn add(daemon: &Daemon, backing: &str) {
    daemon.run(&["disk", "add", "disk", "--backing", backing, "--limit", "12MiB"]).succeeded();
    daemon.run(&["disk", "set", "disk", "ram=1MiB"]).succeeded();
}

#[test]
fn a_qcow2_image_behind_qemu_nbd_is_a_disk_like_any_other() {
    let host = Host::new();
    let image = host.text("disk.qcow2");
    run("qemu-img", &["create", "-q", "-f", "qcow2", &image, "80M"]);
    let daemon = host.serve();
    let refusal = daemon.run(&["disk", "add", "disk", "--backing", &image]).failed();
    let server = Server::qemu_nbd(&host, "qcow2", &image);
    assert!(refusal.contains("qemu-nbd --persistent --shared=0 --format=qcow2"), "{refusal}");
    assert!(refusal.contains("--backing 'nbd+unix:///?socket="), "{refusal}");
    add(&daemon, &server.uri);
    let served = uri(&daemon, "disk");
    let jobs = [
        Job { seed: 1, depth: 1, offset_mib: 0, length_mib: 16 },
        Job { seed: 2, depth: 32, offset_mib: 16, length_mib: 48 },
    ];
    for job in jobs {
        job.write_and_verify(&served);
    }
    for job in jobs {
        job.verify(&Target::Served(&served));
    }
    qemu_io(&served, &["write -P 5 64M 1M", "write -zu 64M 64k", "flush", "read -P 0 64M 64k"]);
    let map = run("nbdinfo", &["--map", &served]);
    assert!(map.contains("hole,zero"), "the image is not full, and says so:\n{map}");
    let shown = daemon.run(&["disk", "show", "disk"]).succeeded();
    assert!(shown.contains("NBD does not prevent other clients from writing"), "{shown}");
    let disk = daemon.json(&["stats", "disk"])["disks"][0].clone();
    assert!(disk["promotions"].as_u64() > Some(0), "{disk}");
    assert_eq!(disk["backing_errors"], 0, "{disk}");
    assert_same_content(&served, &server.uri);
    assert!(daemon.stop().success());
    for job in jobs {
        job.verify(&Target::Served(&server.uri));
    }
    drop(server);
    run("qemu-img", &["check", "-q", &image]);
}

#[test]
fn one_export_is_served_once_and_never_a_disk_of_our_own_or_an_image_as_it_is() {
    let host = Host::new();
    let image = host.image("disk.img", 8 * MIB);
    let daemon = host.serve();
    let server = Server::nbdkit(&host, &["file", &image]);
    add(&daemon, &server.uri);
    let own = uri(&daemon, "disk");
    let fails = |backing: &str, reason: &str| {
        let message = daemon.run(&["disk", "add", "other", "--backing", backing]).failed();
        assert!(message.contains(reason), "{backing}: {message}");
    };
    fails(&server.uri, "disk 'disk' is on it already");
    fails(&server.uri.replace("/nbdkit.sock", "/./nbdkit.sock"), "disk 'disk' is on it already");
    fails(&own, "this daemon serves it");
    daemon.run(&["disk", "remove", "disk"]).succeeded();
    drop(server);
    let qcow2 = host.text("x.qcow2");
    run("qemu-img", &["create", "-q", "-f", "qcow2", &qcow2, "8M"]);
    run("truncate", &["--size=1M", &qcow2]);
    let server = Server::nbdkit(&host, &["file", &qcow2]);
    fails(&server.uri, "not the content of the disk");
}

#[test]
fn a_server_without_flush_is_served_as_one_and_never_in_write_back() {
    let host = Host::new();
    let image = host.image("disk.img", 8 * MIB);
    let daemon = host.serve();
    let read = format!("pread=dd if={image} skip=$4 count=$3 iflag=count_bytes,skip_bytes status=none");
    let write = format!("pwrite=dd of={image} seek=$4 oflag=seek_bytes conv=notrunc status=none");
    let size = format!("get_size=echo {}", 8 * MIB);
    let server = Server::nbdkit(&host, &["eval", &size, &read, &write, "can_write=exit 0"]);
    let words = ["disk", "add", "disk", "--backing", &server.uri, "--mode", "write-back", "--allow-unmarked"];
    let message = daemon.run(&words).failed();
    assert!(message.contains("offers no flush"), "{message}");
    let said = daemon.run(&["disk", "add", "disk", "--backing", &server.uri]).succeeded();
    assert!(said.contains("offers no flush"), "{said}");
    assert!(daemon.run(&["disk", "show", "disk"]).succeeded().contains("offers no flush"));
    assert!(daemon.json(&["events"]).to_string().contains("backing-limited"));
    let flags = daemon.guest("disk").facts().flags;
    let (send_flush, send_fua) = (1 << 2, 1 << 3);
    assert_eq!(flags & (send_flush | send_fua), 0, "guests are told what is true: {flags:#x}");
    let message = daemon.run(&["disk", "set", "disk", "mode=write-back", "allow-unmarked=yes"]).failed();
    assert!(message.contains("offers no flush"), "{message}");
    assert_eq!(daemon.disk("disk")["mode"], "write-through");
}

#[test]
fn a_server_that_fails_is_an_error_for_what_is_not_cached_until_it_recovers() {
    let host = Host::new();
    let image = host.image("disk.img", 64 * MIB);
    let failing = host.path("failing");
    let error_file = format!("error-file={}", failing.display());
    let daemon = host.serve();
    let server = Server::nbdkit(
        &host,
        &["--filter=error", "file", &image, "error=EIO", "error-rate=100%", &error_file],
    );
    add(&daemon, &server.uri);
    let mut guest = daemon.guest("disk");
    guest.write(0, &[7; 4096]).expect("the server serves");
    guest.flush().expect("the server flushes");
    fs::write(&failing, "").expect("the folder is ours");
    assert_eq!(guest.read(0, 4096).expect("it is cached"), [7; 4096]);
    let error = guest.read(32 * MIB, 4096).expect_err("it is not");
    assert!(error.to_string().contains("Io"), "{error}");
    assert!(guest.write(MIB, &[8; 4096]).is_err());
    fs::remove_file(&failing).expect("it is there");
    guest.read(32 * MIB, 4096).expect("the server serves again");
    guest.write(MIB, &[9; 4096]).expect("the server serves again");
    guest.flush().expect("no connection was lost");
    assert_eq!(content(&image, MIB, 4096), [9; 4096]);
}

/// Ends a parallel thread of a test, also if the test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn an_export_that_grew_is_taken_without_a_pause_that_a_guest_would_notice() {
    let host = Host::new();
    let image = host.image("disk.img", 16 * MIB);
    let daemon = host.serve();
    let log = host.path("nbdkit.log");
    let server =
        Server::nbdkit(&host, &["--filter=log", "file", &image, &format!("logfile={}", log.display())]);
    add(&daemon, &server.uri);
    let mut guest = daemon.guest("disk");
    guest.write(0, &[1; 4096]).expect("the server serves");
    until_told(&log, 16 * MIB, 4);
    let mut writer = daemon.guest("disk");
    let (ends, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let is_written = |more: u64| {
        let before = written.load(Ordering::Relaxed);
        while written.load(Ordering::Relaxed) < before + more {
            std::thread::yield_now();
        }
    };
    let writing = || {
        // To its end also after a failure, because others wait for its writes.
        let mut failed = Vec::new();
        while !ends.load(Ordering::Relaxed) {
            let at = 2 * MIB + written.fetch_add(1, Ordering::Relaxed) % 1024 * 4096;
            let result = writer.write(at, &[3; 4096]).and_then(|()| writer.flush());
            failed.extend(result.err().map(|error| error.to_string()));
        }
        failed
    };
    std::thread::scope(|threads| {
        let writing = threads.spawn(writing);
        let end = Ends(&ends);
        is_written(10);
        for size in [20, 24, 28, 32] {
            run("truncate", &[&format!("--size={size}M"), &image]);
            let said = daemon.run(&["disk", "resize", "disk"]).succeeded();
            let had = format!("Disk 'disk' has {size}MiB now and had {}MiB\n", size - 4);
            assert!(said.starts_with(&had), "{said}");
            is_written(10);
            // One measured it, four followed.
            until_told(&log, size * MIB, 5);
        }
        drop(end);
        assert_eq!(writing.join().expect("it says what failed"), Vec::<String>::new());
    });
    guest.flush().expect("what was acknowledged was flushed before connections were replaced");
    let mut late = daemon.guest("disk");
    late.write(32 * MIB - 4096, &[2; 4096]).expect("the server serves what it grew by");
    late.flush().expect("the server flushes");
    assert_eq!(content(&image, 32 * MIB - 4096, 4096), [2; 4096]);
    assert_eq!(daemon.json(&["stats", "disk"])["disks"][0]["backing_errors"], 0);

    // All of its connections exist: a later one would find a changed export.
    run("truncate", &["--size=8M", &image]);
    let smaller = daemon.run(&["disk", "resize", "disk"]).failed();
    assert!(smaller.contains("has 8388608 bytes and it has 33554432"), "{smaller}");
    run("truncate", &["--size=32M", &image]);
    assert_eq!(late.read(MIB, 4096).expect("its connections went on"), [0; 4096]);
    daemon.kill();
    run("truncate", &["--size=48M", &image]);
    let daemon = host.serve();
    assert_eq!(daemon.disk("disk")["size_bytes"], 48 * MIB, "a start takes it by itself");
}

#[test]
fn a_server_of_one_client_that_came_back_larger_is_taken_when_that_is_asked_for() {
    let host = Host::new();
    let image = host.text("disk.qcow2");
    run("qemu-img", &["create", "-q", "-f", "qcow2", &image, "16M"]);
    let daemon = host.serve();
    let start = || {
        let words = ["--persistent", "--shared=1", "--format", "qcow2", &image];
        Server::start(&host, "qemu", "qemu-nbd", ["--socket", "--pid-file"], &words)
    };
    let server = start();
    add(&daemon, &server.uri);
    let mut guest = daemon.guest("disk");
    guest.write(0, &[1; 4096]).expect("the server serves");
    guest.flush().expect("the server flushes");
    let said = daemon.run(&["disk", "resize", "disk"]).succeeded();
    assert!(said.contains("nothing to do"), "{said}");
    drop(server);
    run("qemu-img", &["resize", "-q", &image, "32M"]);
    let _server = start();
    assert_eq!(guest.read(8 * MIB, 4096).expect("it waited for the server"), [0; 4096]);
    assert_eq!(daemon.disk("disk")["size_bytes"], 16 * MIB);
    let said = daemon.run(&["disk", "resize", "disk"]).succeeded();
    assert!(said.starts_with("Disk 'disk' has 32MiB now and had 16MiB\n"), "{said}");
    daemon.guest("disk").write(32 * MIB - 4096, &[2; 4096]).expect("the server serves it");
}

#[test]
fn reads_wait_for_a_server_that_is_killed_and_started_again() {
    let host = Host::new();
    let image = host.image("disk.img", 64 * MIB);
    let daemon = host.serve();
    let start = || Server::nbdkit(&host, &["file", &image]);
    let mut server = start();
    add(&daemon, &server.uri);
    let served = uri(&daemon, "disk");
    let job = Job { seed: 3, depth: 16, offset_mib: 0, length_mib: 64 };
    job.write_and_verify(&served);
    let mut guest = daemon.guest("disk");
    guest.flush().expect("nothing was lost yet");
    daemon.run(&["disk", "set", "disk", "mode=pass-through"]).succeeded();
    let mut killed = 0;
    while killed < 5 {
        let mut fio = job.start_verify(&served, &host.path(""));
        while fio.is_running() {
            drop(server);
            server = start();
            killed += 1;
            // The server has started to answer.
            guest.read(0, 4096).expect("whoever waits for the server gets an answer");
        }
        let (succeeded, text) = fio.wait();
        assert!(succeeded && text.contains("err= 0"), "{text}");
    }
    guest.flush().expect("nothing was written since the last flush");
    guest.write(0, &[1; 4096]).expect("the server serves");
    drop(server);
    let _server = start();
    assert!(guest.flush().is_err(), "the server went away with a write that was not flushed");
}

#[test]
fn a_server_that_hangs_is_an_error_when_the_retry_time_is_over() {
    let host = Host::new();
    let (hanging, other) = (host.image("disk.img", 64 * MIB), host.image("other.img", 8 * MIB));
    let daemon = host.serve();
    let mut server = Server::nbdkit(&host, &["file", &hanging]);
    add(&daemon, &server.uri);
    daemon.run(&["disk", "set", "disk", "retry-time=1s"]).succeeded();
    daemon.run(&["disk", "add", "other", "--backing", &other]).succeeded();
    server.signal(Signal::SIGSTOP);
    let mut guest = daemon.guest("disk");
    let read = std::thread::spawn(move || guest.read(32 * MIB, 4096).map(drop));
    qemu_io(&uri(&daemon, "other"), &["write -P 7 0 4k", "read -P 7 0 4k"]);
    assert!(read.join().expect("it only reads").is_err());
    server.signal(Signal::SIGCONT);
    daemon.guest("disk").read(32 * MIB, 4096).expect("it goes on");
}

#[test]
fn a_disk_whose_server_is_away_waits_and_is_served_when_it_comes() {
    let host = Host::new();
    let image = host.image("disk.img", 8 * MIB);
    let daemon = host.serve();
    let server = Server::nbdkit(&host, &["file", &image]);
    add(&daemon, &server.uri);
    daemon.guest("disk").write(0, &[3; 512]).expect("the server serves");
    assert!(daemon.stop().success());
    drop(server);
    let daemon = host.serve();
    let disk = daemon.disk("disk");
    assert_eq!(disk["state"], "waiting", "{disk}");
    let reason = disk["reason"].as_str().expect("waiting has a reason");
    assert!(reason.contains("start the server"), "{reason}");
    let _server = Server::nbdkit(&host, &["file", &image]);
    daemon.wait_for_log("Serving disk 'disk'");
    assert_eq!(daemon.guest("disk").read(0, 512).expect("it is served"), [3; 512]);
}

#[test]
fn a_backing_that_answers_with_errors_is_a_pause_then_an_error_and_nothing_dirty_is_lost() {
    let host = Host::new();
    let (image, broken) = (host.image("disk.img", 64 * MIB), host.text("broken"));
    let daemon = host.serve();
    let (file, rate) = (format!("error-file={broken}"), "error-rate=100%");
    let server = Server::nbdkit(&host, &["--filter=error", "file", &image, rate, &file]);
    let add = ["disk", "add", "disk", "--backing", &server.uri, "--mode", "write-back", "--allow-unmarked"];
    daemon.run(&[&add[..], &["--reserve", "32MiB", "--dirty-limit", "7MiB"]].concat()).succeeded();
    let mut guest = daemon.guest("disk");
    guest.write(0, &[1; 4096]).expect("the disk is served");
    fs::write(&broken, "").expect("a file in the folder of the test");
    let mut other = daemon.guest("disk");
    let missing = std::thread::spawn(move || other.read(32 * MIB, 4096).map(|bytes| bytes[0]));
    daemon.wait_for_log("fails:");
    let shown = daemon.disk("disk");
    assert_eq!(shown["backing_state"]["state"], "failing", "{shown}");
    assert!(daemon.run(&["disk", "show", "disk"]).succeeded().contains("failing since"));
    // Hits are answered, and writes to flash succeed.
    assert_eq!(guest.read(0, 4096).expect("a hit")[0], 1);
    guest.write(4096, &[2; 4096]).expect("flash takes it");
    guest.flush().expect("flash makes it durable");
    fs::remove_file(&broken).expect("it was made above");
    assert_eq!(missing.join().expect("it only reads").expect("a pause"), 0);
    daemon.wait_for_log("works again");

    daemon.run(&["disk", "set", "disk", "retry-time=1s"]).succeeded();
    fs::write(&broken, "").expect("a file in the folder of the test");
    guest.write(8192, &[3; 4096]).expect("flash takes it");
    guest.read(40 * MIB, 4096).expect_err("a miss, after the retry time");
    assert!(daemon.disk("disk")["dirty_bytes"].as_u64() > Some(0));
    fs::remove_file(&broken).expect("it was made above");
    daemon.run(&["disk", "destage", "disk", "--wait"]).succeeded();
    let home = fs::read(&image).expect("the image");
    assert_eq!([0, 4096, 8192].map(|at| home[at]), [1, 2, 3]);
}
