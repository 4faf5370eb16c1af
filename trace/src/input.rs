//! Unpacked bytes of a trace: the front is sampled, then all is read by records or by lines.
//!
//! Memory is bounded for any input: the length of a line is limited.

use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};

/// Bytes at the front of a trace from which its format is detected.
const SAMPLE_BYTES: u64 = 64 << 10;
/// Maximum length of a line in bytes.
pub(crate) const LINE_BYTES_MAX: usize = 4096;

type Bytes = Box<dyn Read + Send>;

/// The bytes of a trace.
pub(crate) struct Input {
    bytes: BufReader<Chain<Cursor<Vec<u8>>, Bytes>>,
    line: Vec<u8>,
    read: u64,
}

impl Input {
    /// Samples the front of a trace; `front` is all of it if it is short.
    ///
    /// # Errors
    /// If it cannot be read or unpacked: the error, and the bytes before it.
    pub(crate) fn new(mut bytes: Bytes) -> Result<Self, (u64, io::Error)> {
        let mut front = Vec::new();
        let filled = bytes.by_ref().take(SAMPLE_BYTES).read_to_end(&mut front);
        filled.map_err(|error| (front.len() as u64, error))?;
        let bytes = BufReader::with_capacity(SAMPLE_BYTES as usize, Cursor::new(front).chain(bytes));
        Ok(Self { bytes, line: Vec::new(), read: 0 })
    }

    /// Returns the front of the trace, independent of reads since.
    pub(crate) fn front(&self) -> &[u8] {
        self.bytes.get_ref().get_ref().0.get_ref()
    }

    /// Returns the number of bytes read since the front was sampled.
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    /// Fills `record`; returns false if the trace ended before its first byte.
    ///
    /// # Errors
    /// If it ends in the middle or cannot be read.
    pub(crate) fn fill(&mut self, record: &mut [u8]) -> Result<bool, String> {
        let mut filled = 0;
        while filled < record.len() {
            match self.bytes.read(&mut record[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => {
                    let expected = record.len();
                    return Err(format!(
                        "expected {expected} bytes, but the file ends after {filled} of them"
                    ));
                }
                Ok(count) => {
                    filled += count;
                    self.read += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&error)),
            }
        }
        Ok(true)
    }

    /// Skips so many bytes.
    ///
    /// # Errors
    /// If the trace ends before, or cannot be read.
    pub(crate) fn skip(&mut self, count: u16) -> Result<(), String> {
        let mut limited = self.bytes.by_ref().take(u64::from(count));
        let skipped = io::copy(&mut limited, &mut io::sink()).map_err(|error| unreadable(&error))?;
        self.read += skipped;
        if skipped == u64::from(count) {
            Ok(())
        } else {
            Err(format!("expected {count} bytes more, but the file ends after {skipped} of them"))
        }
    }

    /// Returns the next line without its end; `None` at the end of the trace.
    ///
    /// # Errors
    /// If it is not text, is longer than [`LINE_BYTES_MAX`], or cannot be read.
    pub(crate) fn line(&mut self) -> Result<Option<&str>, String> {
        self.line.clear();
        let mut limited = self.bytes.by_ref().take(LINE_BYTES_MAX as u64 + 1);
        let count = limited.read_until(b'\n', &mut self.line).map_err(|error| unreadable(&error))?;
        self.read += count as u64;
        if count == 0 {
            return Ok(None);
        }
        if count > LINE_BYTES_MAX && self.line.last() != Some(&b'\n') {
            return Err(format!(
                "expected a line of text, found more than {LINE_BYTES_MAX} bytes without an end"
            ));
        }
        let text = std::str::from_utf8(&self.line).map_err(|error| {
            format!("expected a line of text, found a byte that is none at {}", error.valid_up_to())
        })?;
        if let Some(at) =
            text.trim_ascii_end().find(|letter: char| letter.is_ascii_control() && letter != '\t')
        {
            return Err(format!("expected a line of text, found a byte that is none at {at}"));
        }
        Ok(Some(text.trim_end_matches(['\n', '\r'])))
    }
}

/// Returns the reason why a file cannot be read further. Truncated compressed files are reported here.
fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => format!("the packed file ends too early ({error})"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8]) -> Input {
        Input::new(Box::new(Cursor::new(bytes.to_vec()))).expect("memory can be read")
    }

    #[test]
    fn lines_come_without_their_ends() {
        let mut input = input(b"a\r\n\nb 1\tc");
        assert_eq!(input.front(), b"a\r\n\nb 1\tc");
        for line in [Some("a"), Some(""), Some("b 1\tc"), None, None] {
            assert_eq!(input.line(), Ok(line));
        }
        assert_eq!(input.read(), 9);
    }

    #[test]
    fn what_is_no_text_is_an_error_and_takes_no_memory() {
        for bytes in [&vec![b'7'; 1 << 20][..], b"\xff\xfe\n", b"12\x0034\n", b"\x1b[2J\n"] {
            let message = input(bytes).line().expect_err("no text").clone();
            assert!(message.contains("line of text"), "{message}");
        }
        assert!(input(&[b'7'; LINE_BYTES_MAX]).line().is_ok());
    }

    #[test]
    fn a_record_is_whole_or_an_error() {
        let mut input = input(&[1, 2, 3, 4, 5]);
        let mut record = [0; 4];
        assert_eq!(input.fill(&mut record), Ok(true));
        assert_eq!(record, [1, 2, 3, 4]);
        assert!(input.fill(&mut record).expect_err("one is left").contains("after 1 of them"));
        assert_eq!(input.fill(&mut record), Ok(false));
    }
}
