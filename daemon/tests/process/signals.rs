//! Signals and limits: nothing but KILL ends the daemon without an orderly stop.

use std::process::Command;

use nix::sys::signal::Signal;

use crate::host::{Host, forebay_with};

const MIB: u64 = 1 << 20;

#[test]
fn a_signal_that_asks_for_no_stop_does_not_end_the_daemon() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    // All but those that request a stop, stop the process for a while, or report a fault of the process
    // itself.
    let others = [
        Signal::SIGKILL,
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGSTOP,
        Signal::SIGTSTP,
        Signal::SIGTTIN,
        Signal::SIGTTOU,
        Signal::SIGSEGV,
        Signal::SIGBUS,
    ];
    for signal in Signal::iterator().filter(|signal| !others.contains(signal)) {
        daemon.signal(signal);
        guest.write(0, &[signal as u8; 512]).unwrap_or_else(|error| panic!("after {signal}: {error}"));
    }
    let id = daemon.id().to_string();
    for number in (34..=64).map(|number: u32| number.to_string()) {
        let sent = Command::new("sh").args(["-c", "kill -$0 $1", &number, &id]).status();
        assert!(sent.expect("there is a shell").success(), "signal {number}");
        guest.write(0, &[1; 512]).unwrap_or_else(|error| panic!("after signal {number}: {error}"));
    }
    daemon.wait_for_log("Signal HUP changes nothing");
    assert!(daemon.stop().success());
}

#[test]
fn each_signal_that_asks_for_a_stop_gets_an_orderly_one() {
    let host = Host::new();
    let mut daemon = host.serve();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT] {
        daemon.signal(signal);
        daemon.wait_for_log("Forebay has stopped");
        assert_eq!(daemon.wait().code(), Some(0), "{signal}");
        daemon = host.serve_with(&[]);
    }
}

#[test]
fn a_write_behind_a_limit_of_file_sizes_is_an_error_of_that_write_alone() {
    let host = Host::new();
    let (small, large) = (host.image("a.img", MIB), host.image("b.img", 300 * MIB));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &small]).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &large]).succeeded();
    daemon.run(&["disk", "set", "b", "retry-time=1s"]).succeeded();
    let limit = format!("--fsize={}", 100 * MIB);
    let limited = Command::new("prlimit").args(["--pid", &daemon.id().to_string(), &limit]).status();
    assert!(limited.expect("util-linux is there").success());
    let (mut one, mut other) = (daemon.guest("a"), daemon.guest("b"));
    assert!(other.write(200 * MIB, &[7; 4096]).is_err(), "the file may not grow there");
    other.write(0, &[8; 4096]).expect("the file may have this");
    one.write(0, &[9; 4096]).expect("another disk has nothing to do with it");
    assert!(daemon.stop().success());
}

#[test]
fn a_pool_that_a_limit_of_file_sizes_forbids_is_an_error_and_no_death() {
    let host = Host::new();
    let (dir, pool) = (host.text("d"), host.text("pool.img"));
    let serve = ["serve", "--listen-http", "off", "--dir", &dir, "--pool", &pool, "--pool-size", "64MiB"];
    let message = forebay_with("prlimit", &["--fsize=1048576"], &serve).failed();
    assert!(message.contains("pool.img"), "{message}");
}
