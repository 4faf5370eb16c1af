//! Mounts, as `/proc/self/mountinfo` lists them (manual page `proc_pid_mountinfo`, section 5).

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Number of the device on which its files are; none for some file systems.
    pub device: Option<u64>,
    /// Mount point.
    pub place: PathBuf,
    /// Type of the file system.
    pub kind: String,
    /// Device, server or other name that was mounted.
    pub source: PathBuf,
    /// Options of the file system, separated by commas.
    pub options: String,
}

impl Mount {
    /// Parses one line: fields, then after a dash the type, the source and the options of the file system.
    pub fn parse(line: &str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(2);
        let (device, _root, place) = (mount.next()?, mount.next()?, mount.next()?);
        let mut file_system = file_system.split(' ');
        let (kind, source, options) = (file_system.next()?, file_system.next()?, file_system.next()?);
        Some(Self {
            device: parse_rdev(device),
            place: unescaped(place),
            kind: kind.to_owned(),
            source: unescaped(source),
            options: options.to_owned(),
        })
    }

    /// Returns true if this is one of its options.
    pub fn has_option(&self, wanted: &str) -> bool {
        self.options.split(',').any(|option| option == wanted)
    }
}

/// Parses the number of a device in the form `MAJOR:MINOR`.
pub fn parse_rdev(text: &str) -> Option<u64> {
    let (major, minor) = text.split_once(':')?;
    Some(libc::makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// Returns a path in which the kernel escaped blanks and the like as `\040`.
pub fn unescaped(text: &str) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let digits =
            after.get(..3).filter(|_| byte == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(escaped) = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(escaped);
            rest = &after[3..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}
