//! A log without waiting: entries go through a bounded channel to a thread that writes them.
//!
//! Entries that do not fit are dropped and counted, and the log reports their number as soon as it can be
//! written again.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use base::error::{Error, Result};

/// The most entries that wait to be written.
const LINES_MAX: usize = 4_096;
/// Time that the end waits for entries that are not written yet.
const END_TIME_MAX: Duration = Duration::from_secs(1);

enum LogMessage {
    Line(Vec<u8>),
    /// Answered once everything before it is written.
    End(SyncSender<()>),
}

/// Handle of the thread.
pub(super) struct LogThread {
    lines: Arc<LogSender>,
}

/// Sender of entries, for any thread. Never waits, never fails.
pub(super) struct LogSender {
    messages: SyncSender<LogMessage>,
    dropped: Arc<AtomicU64>,
}

impl LogThread {
    /// Starts a thread that writes to `file`; `notice` formats the entry about dropped entries.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn start(file: impl Write + Send + 'static, notice: fn(u64) -> String) -> Result<Self> {
        let (messages, receiver) = sync_channel(LINES_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let output = EntryWriter { file, is_torn: false, notice };
        let write = move || output.run(&receiver, &counted);
        std::thread::Builder::new().name("log".to_owned()).spawn(write).map_err(|error| {
            Error::failed(format!("Cannot start the thread that writes the log: {error}; free some memory"))
        })?;
        Ok(Self { lines: Arc::new(LogSender { messages, dropped }) })
    }

    pub(super) fn lines(&self) -> Arc<LogSender> {
        Arc::clone(&self.lines)
    }
}

impl Drop for LogThread {
    fn drop(&mut self) {
        let (done, ended) = sync_channel(1);
        if self.lines.messages.try_send(LogMessage::End(done)).is_ok() {
            // A file system that hangs must not keep the process from ending.
            ended.recv_timeout(END_TIME_MAX).unwrap_or(());
        }
    }
}

/// Receives whole entries, as they are formatted.
impl Write for &LogSender {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.messages.try_send(LogMessage::Line(line.to_vec())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The writer, on its thread. Entries that cannot be written count as dropped.
struct EntryWriter<W> {
    file: W,
    /// Set after a partial write, for example to a full disk.
    is_torn: bool,
    /// Formats the entry about so many dropped entries.
    notice: fn(u64) -> String,
}

impl<W: Write> EntryWriter<W> {
    fn run(mut self, messages: &Receiver<LogMessage>, dropped: &AtomicU64) {
        for message in messages {
            let line = match message {
                LogMessage::Line(line) => line,
                LogMessage::End(done) => {
                    // The caller may have stopped waiting.
                    done.send(()).unwrap_or(());
                    continue;
                }
            };
            let missing = dropped.swap(0, Ordering::Relaxed);
            let said = if missing == 0 { Ok(()) } else { self.put((self.notice)(missing).as_bytes()) };
            if said.is_err() {
                dropped.fetch_add(missing + 1, Ordering::Relaxed);
            } else if self.put(&line).is_err() {
                dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Writes an entry, on a line of its own even after a partial one.
    fn put(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.file.write_all(b"\n")?;
            self.is_torn = false;
        }
        let mut rest = line;
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            self.is_torn = !rest.is_empty();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use base::testing::TempDir;

    use super::*;

    #[test]
    fn lines_are_in_the_file_when_it_is_dropped() {
        let dir = TempDir::new();
        let path = dir.path().join("x.log");
        let file = File::options().create(true).append(true).open(&path).expect("the folder is ours");
        let log_thread = LogThread::start(file, notice).expect("there are threads");
        for number in 0..100 {
            writeln!(&*log_thread.lines(), "{number}").expect("it never fails");
        }
        drop(log_thread);
        assert_eq!(fs::read_to_string(&path).expect("it was written").lines().count(), 100);
    }

    #[test]
    fn lines_that_were_dropped_are_counted_where_they_are_missing() {
        let (messages, receiver) = sync_channel(1);
        let dropped = Arc::new(AtomicU64::new(0));
        let lines = LogSender { messages, dropped: Arc::clone(&dropped) };
        for _ in 0..3 {
            (&lines).write_all(b"line\n").expect("it never fails");
        }
        drop(lines);
        let mut file = Vec::new();
        EntryWriter { file: &mut file, is_torn: false, notice }.run(&receiver, &dropped);
        assert_eq!(file, b"2 missing\nline\n");
    }

    /// A file on a disk with so many bytes left, and more later.
    struct FullDisk {
        written: Vec<u8>,
        left: usize,
        later: usize,
    }

    impl Write for &mut FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let length = bytes.len().min(self.left);
            if length == 0 {
                self.left = std::mem::take(&mut self.later);
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.left -= length;
            self.written.extend(&bytes[..length]);
            Ok(length)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the output of three entries, and the number of dropped entries that are not reported yet.
    fn written(left: usize, later: usize) -> (String, u64) {
        let (messages, receiver) = sync_channel(3);
        let lines = LogSender { messages, dropped: Arc::new(AtomicU64::new(0)) };
        for line in ["first\n", "second\n", "third\n"] {
            (&lines).write_all(line.as_bytes()).expect("it never fails");
        }
        let dropped = Arc::clone(&lines.dropped);
        drop(lines);
        let mut disk = FullDisk { written: Vec::new(), left, later };
        EntryWriter { file: &mut disk, is_torn: false, notice }.run(&receiver, &dropped);
        (String::from_utf8(disk.written).expect("it is text"), dropped.load(Ordering::Relaxed))
    }

    fn notice(missing: u64) -> String {
        format!("{missing} missing\n")
    }

    #[test]
    fn lines_stay_lines_when_a_full_disk_has_room_again() {
        assert_eq!(written(100, 0), ("first\nsecond\nthird\n".to_owned(), 0));
        assert_eq!(written(8, 100), ("first\nse\n1 missing\nthird\n".to_owned(), 0));
        assert_eq!(written(6, 100), ("first\n1 missing\nthird\n".to_owned(), 0), "nothing of it was written");
        assert_eq!(written(8, 3), ("first\nse\n1 ".to_owned(), 2), "not even the notice");
        assert_eq!(written(2, 0), ("fi".to_owned(), 3));
    }
}
