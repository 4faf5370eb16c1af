//! Files that are compressed while they are written.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

/// Compression level of xz: higher ones take several times as long for some hundredths.
const XZ_LEVEL: u32 = 3;

/// Compression of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// None.
    #[default]
    Plain,
    /// Format of gzip.
    Gzip,
    /// Format of xz.
    Xz,
    /// Format of zstd.
    Zstd,
}

/// Extensions of names, with the dot, and their meaning.
const ENDINGS: [(&str, Packing); 3] = [(".gz", Packing::Gzip), (".xz", Packing::Xz), (".zst", Packing::Zstd)];

impl Packing {
    /// Returns the compression for a file's name, and the name without its extension.
    pub fn of_name(name: &str) -> (Self, &str) {
        let packed =
            ENDINGS.iter().find_map(|(ending, packing)| Some((*packing, name.strip_suffix(ending)?)));
        packed.unwrap_or((Self::Plain, name))
    }
}

/// Compressing writer. The output is complete once [`Self::finish`] has returned.
pub enum Packer<W: Write> {
    /// None.
    Plain(W),
    /// Format of gzip.
    Gzip(GzEncoder<W>),
    /// Format of xz.
    Xz(XzEncoder<W>),
    /// Format of zstd.
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Packer<W> {
    /// Creates a writer that compresses into `output`.
    ///
    /// # Errors
    /// If the compressor cannot be created.
    pub fn new(output: W, packing: Packing) -> io::Result<Self> {
        Ok(match packing {
            Packing::Plain => Self::Plain(output),
            Packing::Gzip => Self::Gzip(GzEncoder::new(output, Compression::default())),
            Packing::Xz => Self::Xz(XzEncoder::new(output, XZ_LEVEL)),
            Packing::Zstd => Self::Zstd(zstd::Encoder::new(output, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        })
    }

    /// Writes the end of the compressed file.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(output) => Ok(output),
            Self::Gzip(packer) => packer.finish(),
            Self::Xz(packer) => packer.finish(),
            Self::Zstd(packer) => packer.finish(),
        }
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(output) => output.write(bytes),
            Self::Gzip(packer) => packer.write(bytes),
            Self::Xz(packer) => packer.write(bytes),
            Self::Zstd(packer) => packer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(output) => output.flush(),
            Self::Gzip(packer) => packer.flush(),
            Self::Xz(packer) => packer.flush(),
            Self::Zstd(packer) => packer.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;
    use crate::unpack::unpack;

    #[test]
    fn what_is_packed_by_its_name_is_unpacked_by_its_content() {
        let content = b"7 8 0 0\n".repeat(5000);
        for (name, plain) in [("a.lis", "a.lis"), ("a.gz", "a"), ("a.b.xz", "a.b"), ("a.zst", "a")] {
            let (packing, rest) = Packing::of_name(name);
            assert_eq!(rest, plain);
            let mut packer = Packer::new(Vec::new(), packing).expect("memory takes it");
            packer.write_all(&content).expect("memory takes it");
            let packed = packer.finish().expect("memory takes it");
            assert_eq!(packed.len() < content.len() / 10, packing != Packing::Plain, "{name}");
            let mut found = Vec::new();
            unpack(Cursor::new(packed)).and_then(|mut bytes| bytes.read_to_end(&mut found)).expect("sound");
            assert!(found == content, "{name}");
        }
    }
}
