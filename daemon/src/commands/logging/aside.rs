//! A log that nobody waits for: lines go through a channel with a limit to a thread that writes them.
//!
//! Lines that find no room are dropped and counted, and the log says how many are missing as soon as it can be written
//! again.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use crate::problem::{Answer, Problem};

/// Lines that wait to be written.
const LINES_MAX: usize = 4_096;
/// How long the end waits for what is not written yet.
const END_TIME_MAX: Duration = Duration::from_secs(1);

enum Message {
    Line(Vec<u8>),
    /// Answered when everything before it is written.
    End(SyncSender<()>),
}

/// The thread's other end.
pub(super) struct Aside {
    lines: Arc<Lines>,
}

/// Takes lines, from any thread. Never waits, never fails.
pub(super) struct Lines {
    messages: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

impl Aside {
    /// Writes to `output` from now on.
    ///
    /// # Errors
    /// If there is no thread to be had.
    pub(super) fn start(output: impl Write + Send + 'static) -> Answer<Self> {
        let (messages, receiver) = sync_channel(LINES_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let write = move || write(output, &receiver, &counted);
        std::thread::Builder::new().name("log".to_owned()).spawn(write).map_err(|error| {
            Problem::failed(format!("Cannot start the thread that writes the log: {error}; free some memory"))
        })?;
        Ok(Self { lines: Arc::new(Lines { messages, dropped }) })
    }

    pub(super) fn lines(&self) -> Arc<Lines> {
        Arc::clone(&self.lines)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let (done, ended) = sync_channel(1);
        if self.lines.messages.try_send(Message::End(done)).is_ok() {
            // A file system that hangs must not keep the process from ending.
            ended.recv_timeout(END_TIME_MAX).unwrap_or(());
        }
    }
}

/// Whole lines: that is how they are formatted.
impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.messages.try_send(Message::Line(line.to_vec())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The thread. What cannot be written counts as dropped.
fn write(mut file: impl Write, messages: &Receiver<Message>, dropped: &AtomicU64) {
    for message in messages {
        let line = match message {
            Message::Line(line) => line,
            Message::End(done) => {
                // Whoever asked may have lost patience.
                done.send(()).unwrap_or(());
                continue;
            }
        };
        let missing = dropped.swap(0, Ordering::Relaxed);
        let said =
            if missing == 0 { Ok(()) } else { writeln!(file, "{missing} lines of the log are missing here") };
        if said.and_then(|()| file.write_all(&line)).is_err() {
            dropped.fetch_add(missing + 1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn lines_are_in_the_file_when_it_is_dropped() {
        let dir = TempDir::new();
        let path = dir.path().join("x.log");
        let file = File::options().create(true).append(true).open(&path).expect("the folder is ours");
        let aside = Aside::start(file).expect("there are threads");
        for number in 0..100 {
            writeln!(&*aside.lines(), "{number}").expect("it never fails");
        }
        drop(aside);
        assert_eq!(fs::read_to_string(&path).expect("it was written").lines().count(), 100);
    }

    #[test]
    fn lines_that_were_dropped_are_counted_where_they_are_missing() {
        let (messages, receiver) = sync_channel(1);
        let dropped = Arc::new(AtomicU64::new(0));
        let lines = Lines { messages, dropped: Arc::clone(&dropped) };
        for _ in 0..3 {
            (&lines).write_all(b"line\n").expect("it never fails");
        }
        drop(lines);
        let mut file = Vec::new();
        write(&mut file, &receiver, &dropped);
        assert_eq!(file, b"2 lines of the log are missing here\nline\n");
    }

    #[test]
    fn what_cannot_be_written_counts_as_dropped() {
        let (messages, receiver) = sync_channel(2);
        let lines = Lines { messages, dropped: Arc::new(AtomicU64::new(0)) };
        (&lines).write_all(b"line\n").expect("it never fails");
        let dropped = Arc::clone(&lines.dropped);
        drop(lines);
        let mut full: &mut [u8] = &mut [0; 2];
        write(&mut full, &receiver, &dropped);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }
}
