//! Initial RAM file system, which the kernel unpacks into its root before anything runs.
//!
//! The format is cpio's `newc`: a header of hexadecimal numbers, a name, content, both padded to four bytes. The kernel unpacks several
//! consecutive archives, so that a common one is written once and each boot adds its own.

use std::collections::BTreeSet;
use std::io::{self, Write};

const MAGIC: &str = "070701";
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const TRAILER: &str = "TRAILER!!!";

/// Kind of a file: a program, or data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Program,
    Data,
}

/// Archive that is being written. [`Archive::finish`] completes it.
pub(crate) struct Archive<W> {
    output: W,
    entries: u32,
    folders: BTreeSet<String>,
}

impl<W: Write> Archive<W> {
    pub(crate) fn new(output: W) -> Self {
        Self { output, entries: 0, folders: BTreeSet::new() }
    }

    /// Adds a folder and its parents. `path` is absolute, as the guest sees it.
    pub(crate) fn folder(&mut self, path: &str) -> io::Result<()> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        for end in 1..=names.len() {
            let folder = names[..end].join("/");
            if self.folders.insert(folder.clone()) {
                self.entry(&folder, DIRECTORY | 0o755, &[])?;
            }
        }
        Ok(())
    }

    /// Adds a file and its parent folders. `path` is absolute, as the guest sees it.
    pub(crate) fn file(&mut self, path: &str, kind: Kind, content: &[u8]) -> io::Result<()> {
        let (folder, _) = path.rsplit_once('/').unwrap_or_default();
        self.folder(folder)?;
        let mode = match kind {
            Kind::Program => 0o755,
            Kind::Data => 0o644,
        };
        self.entry(path.trim_start_matches('/'), REGULAR | mode, content)
    }

    /// Ends the archive. Another one may follow in the same file.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.entry(TRAILER, 0, &[])?;
        self.output.flush()
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        self.entries += 1;
        let length = u32::try_from(content.len()).map_err(|_| io::Error::other("files end at 4 GiB here"))?;
        let name_length = u32::try_from(name.len() + 1).map_err(|_| io::Error::other("a name too long"))?;
        // Number, mode, owner, group, links, time, length, four device numbers, length of the name, no checksum.
        let fields = [self.entries, mode, 0, 0, 1, 0, length, 0, 0, 0, 0, name_length, 0];
        let numbers: Vec<String> = fields.iter().map(|field| format!("{field:08x}")).collect();
        self.padded(format!("{MAGIC}{}{name}\0", numbers.concat()).as_bytes())?;
        self.padded(content)
    }

    fn padded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        let padding = bytes.len().next_multiple_of(4) - bytes.len();
        self.output.write_all(&[0; 3][..padding])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_once_and_before_what_is_in_them() {
        let mut bytes = Vec::new();
        let mut archive = Archive::new(&mut bytes);
        archive.file("/a/b/one", Kind::Program, b"12345").expect("memory takes it");
        archive.file("/a/b/two", Kind::Data, b"").expect("memory takes it");
        archive.finish().expect("memory takes it");
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8(bytes).expect("all of it is text");
        let entries: Vec<&str> = text.split(MAGIC).skip(1).collect();
        let names: Vec<&str> = entries.iter().map(|entry| entry[104..].split('\0').next().unwrap()).collect();
        assert_eq!(names, ["a", "a/b", "a/b/one", "a/b/two", TRAILER]);
        assert_eq!(&entries[2][8..16], "000081ed", "a regular file that may be executed");
        assert_eq!(&entries[2][48..56], "00000005");
        assert!(entries[2].contains("12345\0\0\0"));
    }
}
