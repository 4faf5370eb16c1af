//! The live screen on a terminal of its own, and the table without one.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::Pid;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
/// Far longer than anything here takes.
const DEADLINE: Duration = Duration::from_mins(1);
/// Sequence by which a terminal returns from its alternate screen.
const LEAVE_SCREEN: &str = "\u{1b}[?1049l";

/// `forebay top` on a terminal of 80 columns and 24 lines. Killed when dropped.
struct Screen {
    child: Child,
    keyboard: File,
    terminal: OwnedFd,
    before: Termios,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Screen {
    fn of(daemon: &Daemon) -> Self {
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let OpenptyResult { master, slave } = openpty(&size, None).expect("there are terminals");
        let before = tcgetattr(&slave).expect("it is a terminal");
        let end = || slave.try_clone().expect("there are descriptors");
        let child = Command::new(env!("CARGO_BIN_EXE_forebay"))
            .arg("top")
            .env("FOREBAY_SOCKET", daemon.control_socket())
            .env("TERM", "xterm-256color")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the binary was built for this test");
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().expect("there are descriptors");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                // A test that has ended no longer listens.
                drop(sender.send(bytes[..length].to_vec()));
            }
        });
        Self { child, keyboard, terminal: slave, before, output, seen: String::new() }
    }

    /// Waits until the screen shows `text`: a word in a place that was empty before, for only changed cells
    /// are sent.
    fn wait_for(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let bytes =
                self.output.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("no '{text}' in {}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("it is a terminal");
    }

    /// Waits for its end, and checks that the terminal is restored.
    fn ends(mut self) -> ExitStatus {
        let status = self.child.wait().expect("it is our child");
        self.wait_for(LEAVE_SCREEN);
        assert_eq!(tcgetattr(&self.terminal).expect("it is a terminal"), self.before);
        status
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Fails only if it has ended, which is intended.
        self.child.kill().unwrap_or(());
        self.child.wait().expect("it is our child");
    }
}

fn serve_with_a_disk(host: &Host) -> Daemon {
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "vm-disk", "--backing", &image]).succeeded();
    daemon
}

#[test]
fn the_screen_shows_disks_and_leaves_the_terminal_as_it_was() {
    let host = Host::new();
    let daemon = serve_with_a_disk(&host);
    let mut screen = Screen::of(&daemon);
    screen.wait_for("vm-disk");
    screen.press("\r");
    screen.wait_for("ratio,");
    screen.press("?");
    screen.wait_for("closes");
    screen.press(" q");
    assert!(screen.ends().success());
}

#[test]
fn a_signal_and_control_c_leave_the_terminal_as_it_was_too() {
    let host = Host::new();
    let daemon = serve_with_a_disk(&host);
    let mut screen = Screen::of(&daemon);
    screen.wait_for("vm-disk");
    kill(Pid::from_raw(screen.child.id().cast_signed()), Signal::SIGTERM).expect("it is our child");
    assert!(screen.ends().success());
    let mut screen = Screen::of(&daemon);
    screen.wait_for("vm-disk");
    screen.press("\u{3}");
    assert!(screen.ends().success());
}

#[test]
fn the_screen_says_that_the_daemon_is_away_and_finds_the_next_one() {
    let host = Host::new();
    let daemon = serve_with_a_disk(&host);
    let mut screen = Screen::of(&daemon);
    screen.wait_for("vm-disk");
    assert!(daemon.stop().success());
    screen.wait_for("Cannot");
    let daemon = host.serve_with(&[]);
    daemon.run(&["disk", "add", "another", "--backing", &host.image("b.img", MIB)]).succeeded();
    screen.wait_for("another");
    screen.press("q");
    assert!(screen.ends().success());
}

#[test]
fn without_a_terminal_there_is_a_table() {
    let host = Host::new();
    let daemon = serve_with_a_disk(&host);
    for words in [&["top"][..], &["top", "--once"]] {
        let text = daemon.run(words).succeeded();
        assert!(text.starts_with("NAME ") && text.contains("\nvm-disk  serving  write-through"), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
    let text = daemon.run(&["top", "--count", "2"]).succeeded();
    assert_eq!(text.lines().filter(|line| line.starts_with("vm-disk")).count(), 2, "{text}");
    assert_eq!(daemon.run(&["top", "--count", "0"]).status, 2);
}
