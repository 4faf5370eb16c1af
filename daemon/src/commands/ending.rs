//! Ends of commands that run until they are stopped: by a signal, or because the reader of their output is
//! gone.

use std::io;
use std::os::fd::AsFd;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use base::error::{Error, Result};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use tokio::signal::unix::{SignalKind, signal};

/// Sets `ended` at the first signal that requests an end.
///
/// # Errors
/// If the system refuses a handler.
pub(super) fn set_on_signal(ended: Arc<AtomicBool>) -> Result<()> {
    let failed = |error: io::Error| Error::failed(format!("Cannot listen for signals: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let listening = {
        let _entered = runtime.enter();
        [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal)
    };
    let [mut terminate, mut interrupt, mut hangup] = match listening {
        [Ok(terminate), Ok(interrupt), Ok(hangup)] => [terminate, interrupt, hangup],
        [Err(error), ..] | [_, Err(error), _] | [.., Err(error)] => return Err(failed(error)),
    };
    thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
        });
        ended.store(true, Ordering::Relaxed);
    });
    Ok(())
}

/// Sets `ended` once standard output has no reader any more.
pub(super) fn set_without_reader(ended: Arc<AtomicBool>) {
    without_reader(move || ended.store(true, Ordering::Relaxed));
}

/// Ends the process with status 0 once standard output has no reader any more, also while there is nothing to
/// print: a pipe whose reader is gone, or a terminal that was closed. For commands with nothing to finish.
pub(super) fn exit_without_reader() {
    without_reader(|| process::exit(0));
}

fn without_reader(act: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        wait_for_hangup(&io::stdout());
        act();
    });
}

/// Waits until the other end of `output` is gone; for ever if it has none, as a file.
fn wait_for_hangup(output: &impl AsFd) {
    let polled = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).and_then(|epoll| {
        // Errors and hang-ups are always reported.
        epoll.add(output, EpollEvent::new(EpollFlags::empty(), 0))?;
        Ok(epoll)
    });
    let mut events = [EpollEvent::empty()];
    while let Ok(epoll) = &polled {
        match epoll.wait(&mut events, EpollTimeout::NONE) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return,
            Err(_) => break,
        }
    }
    loop {
        // It cannot be polled: assume that there is a reader.
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_hangs_up_when_its_reader_goes() {
        let (reader, writer) = io::pipe().expect("there are pipes");
        let waiting = thread::spawn(move || wait_for_hangup(&writer));
        drop(reader);
        waiting.join().expect("it ends");
    }
}
