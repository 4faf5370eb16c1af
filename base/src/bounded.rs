//! Reads with a limit: no file, pipe or program makes a process use more memory than its reader allows.
//!
//! Larger input is an error with the limit and the size.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};

use crate::units::Size;

/// Maximum size in bytes of a file of DIR: state and counters of tens of thousands of disks.
pub const DIR_FILE_BYTES_MAX: u64 = 256 << 20;
/// Maximum of a program's output in bytes: far above a version, an error or a document.
pub const PRINTED_BYTES_MAX: u64 = 16 << 20;

/// Returns the content of a file of at most `bytes_max` bytes.
///
/// # Errors
/// `FileTooLarge`, with the limit and the size, before a larger file is read; otherwise the error of the system.
pub fn read(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    // A pipe or a device has no size, and is read up to the limit.
    let bytes = file.metadata()?.len();
    if bytes > bytes_max {
        return Err(too_large(&format!("{} ({bytes} bytes)", Size(bytes)), bytes_max));
    }
    read_all(file, bytes_max)
}

/// Returns the content of a text file of at most `bytes_max` bytes.
///
/// # Errors
/// As [`read`]; `InvalidData` if it is not text.
pub fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    String::from_utf8(read(path, bytes_max)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(ErrorKind::InvalidData, format!("it is no UTF-8 text: byte {at} begins no letter"))
    })
}

/// Returns all bytes of `source`, at most `bytes_max`.
///
/// # Errors
/// `FileTooLarge`, with the limit, once there are more; otherwise the error of the system.
pub fn read_all(source: impl Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    check_length(&bytes, bytes_max)?;
    Ok(bytes)
}

/// Checks the bytes of a reader that reads one more than this limit.
///
/// # Errors
/// `FileTooLarge`, with the limit.
pub fn check_length(bytes: &[u8], bytes_max: u64) -> io::Result<()> {
    if bytes.len() as u64 > bytes_max { Err(too_large("more", bytes_max)) } else { Ok(()) }
}

fn too_large(found: &str, bytes_max: u64) -> io::Error {
    let limit = Size(bytes_max);
    io::Error::new(
        ErrorKind::FileTooLarge,
        format!("it has {found}, and at most {limit} ({bytes_max} bytes) are read"),
    )
}

/// Runs a program without input, and returns its output: at most [`PRINTED_BYTES_MAX`] of each stream.
///
/// # Errors
/// `FileTooLarge` if it prints more; its output is then closed. Otherwise the error of the system.
pub fn run(command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (hear(child.stdout.take()), hear(child.stderr.take()));
    let status = child.wait()?;
    Ok(Output { status, stdout: heard(stdout)?, stderr: heard(stderr)? })
}

/// Thread that reads a pipe of a program.
pub type Hearing = JoinHandle<io::Result<Vec<u8>>>;

/// Reads a pipe to its end on a thread of its own, so that a program never waits for space in it.
pub fn hear(pipe: Option<impl Read + Send + 'static>) -> Hearing {
    thread::spawn(move || pipe.map_or_else(|| Ok(Vec::new()), |pipe| read_all(pipe, PRINTED_BYTES_MAX)))
}

/// Returns the bytes of a pipe, once it is closed.
///
/// # Errors
/// As [`read_all`].
pub fn heard(hearing: Hearing) -> io::Result<Vec<u8>> {
    hearing.join().unwrap_or_else(|_| Err(io::Error::other("its reader panicked")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn a_file_of_ten_gigabytes_is_an_error_with_limit_and_size() {
        let dir = TempDir::new();
        let path = dir.path().join("large");
        File::create(&path).and_then(|file| file.set_len(10 << 30)).expect("it is sparse");
        let error = read(&path, 1 << 20).expect_err("it is too large");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        let text = error.to_string();
        assert!(text.contains("10GiB (10737418240 bytes)") && text.contains("(1048576 bytes)"), "{text}");
        assert_eq!(read_text(&path, 1 << 20).expect_err("it is too large").to_string(), text);
    }

    #[test]
    fn a_file_of_just_the_limit_is_read_and_one_without_end_is_not() {
        let dir = TempDir::new();
        let path = dir.path().join("full");
        std::fs::write(&path, [b'a'; 100]).expect("the folder is ours");
        assert_eq!(read(&path, 100).expect("it fits").len(), 100);
        assert!(read(&path, 99).is_err());
        let error = read(Path::new("/dev/zero"), 1 << 20).expect_err("it has no end");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        std::fs::write(&path, b"ab\xff").expect("the folder is ours");
        let error = read_text(&path, 100).expect_err("it is no text");
        assert!(error.to_string().contains("byte 2"), "{error}");
    }

    #[test]
    fn a_program_that_prints_without_end_is_an_error_and_ends() {
        for output in ["yes", "yes >&2"] {
            let error = run(Command::new("sh").args(["-c", output])).expect_err(output);
            assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{error}");
        }
        let said = run(Command::new("sh").args(["-c", "echo a; echo b >&2; exit 3"])).expect("it runs");
        assert_eq!((said.stdout, said.stderr, said.status.code()), (b"a\n".into(), b"b\n".into(), Some(3)));
    }
}
