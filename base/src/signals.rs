//! Signals of the daemon: an orderly stop, a line in the log, or nothing. Only KILL ends it without an orderly stop.
//!
//! ```text
//!   TERM, INT, QUIT    an orderly stop: requests end, backings are flushed
//!   HUP                a line in the log: certificates are read again whenever they change, the configuration at a start
//!   SEGV, BUS          left to faults of the process, which dump core
//!   all others         held: never delivered. A write behind a limit of file sizes (XFSZ) fails with EFBIG and nothing else
//! ```
//! Held signals are blocked in the first thread, before there is another one, and every later thread inherits that. A child process would
//! inherit it too, and is started with an [empty mask](release_in). The kernel delivers a blocked signal all the same if a fault of the
//! process itself raises it. Signals 32 and 33 belong to the C library.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Error, Result};

/// Signals whose default would end the daemon or dump core, except those that request a stop.
const HELD: [libc::c_int; 17] = [
    libc::SIGHUP,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGFPE,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGSTKFLT,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSYS,
];

/// Real-time signals, except those of the C library.
const HELD_REAL_TIME: std::ops::RangeInclusive<libc::c_int> = 34..=64;

/// Request of a signal to the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Orderly stop.
    Stop,
    /// Read again the files that may have changed.
    Reload,
}

/// Receiver of the signals to the daemon.
pub struct Requests {
    stops: [Signal; 3],
    reload: Signal,
}

impl Requests {
    /// Registers the handlers; needs a runtime. Signals that arrive before [`Self::next`] is called are kept for it.
    ///
    /// # Errors
    /// If the system refuses a handler.
    pub fn listen() -> Result<Self> {
        let listen =
            |kind| signal(kind).map_err(|error| Error::failed(format!("Cannot listen for signals: {error}")));
        let requests = Self {
            stops: [
                listen(SignalKind::terminate())?,
                listen(SignalKind::interrupt())?,
                listen(SignalKind::quit())?,
            ],
            reload: listen(SignalKind::hangup())?,
        };
        // It was blocked until there was a handler.
        change_mask(libc::SIG_UNBLOCK, &[libc::SIGHUP]);
        Ok(requests)
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Request {
        let [terminate, interrupt, quit] = &mut self.stops;
        tokio::select! {
            _ = terminate.recv() => Request::Stop,
            _ = interrupt.recv() => Request::Stop,
            _ = quit.recv() => Request::Stop,
            _ = self.reload.recv() => Request::Reload,
        }
    }
}

/// Blocks every signal that is not a request to the daemon. To be called before there is a second thread.
pub fn hold_all() {
    let numbers: Vec<_> = HELD.into_iter().chain(HELD_REAL_TIME).collect();
    change_mask(libc::SIG_BLOCK, &numbers);
}

/// Makes a write beyond a limit of file sizes fail with EFBIG, like any other error of a write, instead of ending the process.
pub fn hold_file_size_limit() {
    change_mask(libc::SIG_BLOCK, &[libc::SIGXFSZ]);
}

/// Makes `command` run with no signal blocked, like any other program.
pub fn release_in(command: &mut Command) {
    let release = || {
        change_mask(libc::SIG_SETMASK, &[]);
        Ok(())
    };
    // SAFETY: between fork and exec it makes one system call, with memory of its own stack.
    unsafe { command.pre_exec(release) };
}

/// Changes the mask of this thread.
fn change_mask(how: libc::c_int, numbers: &[libc::c_int]) {
    let mask = numbers.iter().fold(0_u64, |mask, number| mask | 1 << (number - 1));
    // SAFETY: the kernel reads eight bytes, which `mask` has, and nothing is asked to be written.
    let outcome = unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const mask, ptr::null::<u64>(), size_of::<u64>())
    };
    assert_eq!(outcome, 0, "the arguments are right: {}", io::Error::last_os_error());
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the mask in a status of the process file system.
    fn mask_in(status: &str) -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).expect("there is one");
        u64::from_str_radix(line.trim(), 16).expect("it is a number")
    }

    #[test]
    fn what_is_held_in_a_thread_is_held_in_the_next_and_in_no_child_process() {
        let [here, next, child] = std::thread::spawn(|| {
            hold_all();
            let here = fs::read_to_string("/proc/thread-self/status").expect("Linux has it");
            let next = std::thread::spawn(|| fs::read_to_string("/proc/thread-self/status"));
            let next = next.join().expect("it does not panic").expect("Linux has it");
            let mut cat = Command::new("cat");
            release_in(cat.arg("/proc/self/status"));
            let child = cat.output().expect("there is cat");
            [here, next, String::from_utf8(child.stdout).expect("it is text")].map(|text| mask_in(&text))
        })
        .join()
        .expect("it does not panic");
        for number in HELD.into_iter().chain(HELD_REAL_TIME) {
            assert_ne!(here & 1 << (number - 1), 0, "{number}");
        }
        for number in [libc::SIGTERM, libc::SIGINT, libc::SIGQUIT, libc::SIGSEGV, libc::SIGBUS, libc::SIGCHLD]
        {
            assert_eq!(here & 1 << (number - 1), 0, "{number}");
        }
        assert_eq!((next, child), (here, 0));
    }
}
