//! Small files that are replaced as a whole: a crash at any step leaves the old content or the new one, never a part.
//!
//! ```text
//!   write NAME.new ── fsync ── rename over NAME ── fsync of the folder
//! ```

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Why a file was not replaced.
#[derive(Debug)]
pub(crate) struct NotReplaced {
    pub(crate) error: io::Error,
    /// The new content is in place and may be gone after a power cut; else the old one is what there is.
    pub(crate) in_place: bool,
}

/// Replaces the file `name` in `dir` by one that holds `text` and that only its owner may read.
///
/// # Errors
/// What the system said, and which content is in place.
pub(crate) fn replace(dir: &Path, name: &str, text: &[u8]) -> Result<(), NotReplaced> {
    let (new, path) = (dir.join(format!("{name}.new")), dir.join(name));
    let write = || {
        let mut options = File::options();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(text)?;
        file.sync_all()?;
        fs::rename(&new, &path)
    };
    write().map_err(|error| NotReplaced { error, in_place: false })?;
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.map_err(|error| NotReplaced { error, in_place: true })
}
