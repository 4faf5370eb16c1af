//! A log that nobody waits for: lines go through a channel with a limit to a thread that writes them.
//!
//! Lines that find no room are dropped and counted, and the log says how many are missing as soon as it can be written
//! again.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use base::problem::{Answer, Problem};

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
    /// Writes to `file` from now on; `notice` is the line that says how many are missing.
    ///
    /// # Errors
    /// If there is no thread to be had.
    pub(super) fn start(file: impl Write + Send + 'static, notice: fn(u64) -> String) -> Answer<Self> {
        let (messages, receiver) = sync_channel(LINES_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let output = Output { file, is_torn: false, notice };
        let write = move || output.run(&receiver, &counted);
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

/// What writes, on its thread. What cannot be written counts as dropped.
struct Output<W> {
    file: W,
    /// A line ends where something, a full disk for one, kept the rest of it from being written.
    is_torn: bool,
    /// How the log says that so many lines are missing.
    notice: fn(u64) -> String,
}

impl<W: Write> Output<W> {
    fn run(mut self, messages: &Receiver<Message>, dropped: &AtomicU64) {
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
            let said = if missing == 0 { Ok(()) } else { self.put((self.notice)(missing).as_bytes()) };
            if said.is_err() {
                dropped.fetch_add(missing + 1, Ordering::Relaxed);
            } else if self.put(&line).is_err() {
                dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Writes a line, on one of its own even after one that was torn.
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
        let aside = Aside::start(file, notice).expect("there are threads");
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
        Output { file: &mut file, is_torn: false, notice }.run(&receiver, &dropped);
        assert_eq!(file, b"2 missing\nline\n");
    }

    /// A file on a disk that has so many bytes left, and then some more.
    struct Disk {
        written: Vec<u8>,
        left: usize,
        later: usize,
    }

    impl Write for &mut Disk {
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

    /// What is written of three lines, and how many are still to be said to be missing.
    fn written(left: usize, later: usize) -> (String, u64) {
        let (messages, receiver) = sync_channel(3);
        let lines = Lines { messages, dropped: Arc::new(AtomicU64::new(0)) };
        for line in ["first\n", "second\n", "third\n"] {
            (&lines).write_all(line.as_bytes()).expect("it never fails");
        }
        let dropped = Arc::clone(&lines.dropped);
        drop(lines);
        let mut disk = Disk { written: Vec::new(), left, later };
        Output { file: &mut disk, is_torn: false, notice }.run(&receiver, &dropped);
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
