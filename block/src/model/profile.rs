//! Profile of an array: `hdd-7k2`, `hdd-10k`, `hdd-15k`, alone or with `-raid0xN`, `-raid5xN`, `-raid10xN`.

use std::fmt;
use std::str::FromStr;

/// An array to model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    pub(super) drive: Drive,
    /// Layout of the data on the spindles.
    pub layout: Layout,
    /// Number of spindles.
    pub spindles: u32,
}

/// Layout of data on spindles, in chunks of 64 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One spindle.
    Single,
    /// Striped.
    Raid0,
    /// Striped, with parity that rotates.
    Raid5,
    /// Striped over pairs.
    Raid10,
}

/// One spindle's figures; times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drive {
    pub(super) name: &'static str,
    pub(super) revolution: u64,
    /// Seek to the next track.
    pub(super) seek_least: u64,
    /// Mean seek between two random places.
    pub(super) seek_mean: u64,
    /// Sustained, in the middle of the platter.
    pub(super) bytes_per_second: u64,
}

/// The drives; sources in `docs/dev/model.md`.
const DRIVES: [Drive; 3] = [
    Drive {
        name: "hdd-7k2",
        revolution: 8_333_333,
        seek_least: 230_000,
        seek_mean: 8_200_000,
        bytes_per_second: 150_000_000,
    },
    Drive {
        name: "hdd-10k",
        revolution: 6_000_000,
        seek_least: 230_000,
        seek_mean: 3_700_000,
        bytes_per_second: 150_000_000,
    },
    Drive {
        name: "hdd-15k",
        revolution: 4_000_000,
        seek_least: 230_000,
        seek_mean: 2_560_000,
        bytes_per_second: 180_000_000,
    },
];

/// Most spindles of an array.
const SPINDLES_MAX: u32 = 64;

/// A profile that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Profile {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let unknown = || {
            let drives = DRIVES.map(|drive| drive.name).join(", ");
            ParseError(format!(
                "Unknown model '{text}': one of {drives}, alone or with -raid0xN, -raid5xN or -raid10xN"
            ))
        };
        let drive = DRIVES.into_iter().find(|drive| text.starts_with(drive.name)).ok_or_else(unknown)?;
        let suffix = &text[drive.name.len()..];
        if suffix.is_empty() {
            return Ok(Self { drive, layout: Layout::Single, spindles: 1 });
        }
        let (name, spindles) = suffix.rsplit_once('x').ok_or_else(unknown)?;
        let (layout, least, step) = match name {
            "-raid0" => (Layout::Raid0, 1, 1),
            "-raid5" => (Layout::Raid5, 3, 1),
            "-raid10" => (Layout::Raid10, 2, 2),
            _ => return Err(unknown()),
        };
        let spindles: u32 = spindles.parse().map_err(|_| unknown())?;
        if spindles < least || spindles > SPINDLES_MAX || !spindles.is_multiple_of(step) {
            let pairs = if step == 2 { ", an even number" } else { "" };
            let message = format!("'{text}' cannot be: {least} to {SPINDLES_MAX} spindles{pairs}");
            return Err(ParseError(message));
        }
        Ok(Self { drive, layout, spindles })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.drive.name;
        match self.layout {
            Layout::Single => write!(f, "{name}"),
            Layout::Raid0 => write!(f, "{name}-raid0x{}", self.spindles),
            Layout::Raid5 => write!(f, "{name}-raid5x{}", self.spindles),
            Layout::Raid10 => write!(f, "{name}-raid10x{}", self.spindles),
        }
    }
}
