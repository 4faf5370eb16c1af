//! Compressed files, detected by their first bytes and unpacked as they are read.
//!
//! The window of a compressor takes memory here, so it is bounded: the library refuses files that need more than 64 MiB of it, with an
//! error that has the limit.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

/// Number of bytes that are read from the file at once.
const BUFFER_BYTES: usize = 128 << 10;
/// Exponent of a power of two: `zstd --long=26` and everything below.
const ZSTD_WINDOW_LOG_MAX: u32 = 26;
/// `xz -9` has a window of 64 MiB and needs 65 MiB.
const XZ_MEMORY_MAX: u64 = 80 << 20;

/// Returns the plain bytes of a file that may be compressed.
///
/// # Errors
/// If the file cannot be read, or its head is damaged.
pub(crate) fn unpack(file: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    let head = file.fill_buf()?;
    if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut decoder = zstd::Decoder::with_buffer(file)?;
        decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
        return Ok(Box::new(decoder));
    }
    if head.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(MultiGzDecoder::new(file)));
    }
    if head.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        let stream = Stream::new_stream_decoder(XZ_MEMORY_MAX, CONCATENATED)?;
        return Ok(Box::new(XzDecoder::new_stream(file, stream)));
    }
    Ok(Box::new(file))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_file_that_claims_a_window_of_gigabytes_is_refused_before_there_is_one() {
        // A frame of zstd without a size, with a window of 2^log bytes, and one block of 128 KiB of the letter `a`.
        let frame = |log: u8| {
            let block = (128 << 10 << 3 | 0b011_u32).to_le_bytes();
            let bytes = [&[0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3], &block[..3], b"a"].concat();
            let mut plain = Vec::new();
            unpack(Cursor::new(bytes))
                .and_then(|mut bytes| bytes.read_to_end(&mut plain))
                .map(|_| plain.len())
        };
        assert_eq!(frame(26).expect("64 MiB are allowed"), 128 << 10);
        for log in [27, 31, 41] {
            let error = frame(log).expect_err("it is too much").to_string();
            assert!(error.contains("memory") || error.contains("window"), "{log}: {error}");
        }
    }
}
