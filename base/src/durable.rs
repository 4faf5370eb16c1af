//! Small files that are replaced as a whole: a crash at any step leaves the old content or the new one, never a mixture.
//!
//! ```text
//!   write NAME.new ── fsync ── rename over NAME ── fsync of the folder
//! ```
//! A file that cannot be read is not replaced: it is set aside first, for a person, or for the later version that wrote it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::moment::Moment;

#[cfg(any(test, feature = "testing"))]
pub use crate::testing::survive;

/// Marks a durable step, at which tests can kill the process.
#[cfg(not(any(test, feature = "testing")))]
#[expect(clippy::unnecessary_wraps, reason = "that of tests fails")]
pub fn survive(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Suffix of a file that is set aside, before the time.
pub const ASIDE: &str = ".aside-";

/// Reason why a file was not replaced.
#[derive(Debug)]
pub struct NotReplaced {
    /// The error of the system.
    pub error: io::Error,
    /// True if the new content is in place and may be lost in a power cut; false if the old content is in place.
    pub in_place: bool,
}

/// Replaces the file `name` in `dir` with one that has the content `text` and that only its owner may read.
///
/// # Errors
/// The error of the system, and which content is in place.
pub fn replace(dir: &Path, name: &str, text: &[u8]) -> Result<(), NotReplaced> {
    replace_groups(dir, &[&[(name, text)]]).pop().expect("there is one group")
}

/// Name and new content of a file.
pub type NewFile<'a> = (&'a str, &'a [u8]);

/// Replaces groups of files in `dir`, each as [`replace`] does, with one sync of the folder for all. Replaces the files of a group in their
/// order, after all of them are durable under other names. Returns the outcome of each group: a failure does not stop the other groups.
pub fn replace_groups(dir: &Path, groups: &[&[NewFile<'_>]]) -> Vec<Result<(), NotReplaced>> {
    let not_in_place = |error| NotReplaced { error, in_place: false };
    let in_place = |error| NotReplaced { error, in_place: true };
    let prepared: Vec<_> = groups
        .iter()
        .map(|files| {
            files.iter().try_for_each(|(name, text)| write_new(dir, name, text)).map_err(not_in_place)
        })
        .collect();
    let mut replaced: Vec<_> = prepared
        .into_iter()
        .zip(groups)
        .map(|(prepared, files)| {
            prepared?;
            files.iter().enumerate().try_for_each(|(at, (name, _))| {
                let renamed =
                    survive(&dir.join(name)).and_then(|()| fs::rename(new_path(dir, name), dir.join(name)));
                renamed.map_err(if at == 0 { not_in_place } else { in_place })
            })
        })
        .collect();
    if let Some(error) = sync_once(dir, &replaced).err() {
        for group in replaced.iter_mut().filter(|group| group.is_ok()) {
            *group = Err(in_place(io::Error::new(error.kind(), error.to_string())));
        }
    }
    replaced
}

/// Makes the names of replaced files durable, if there are any.
fn sync_once(dir: &Path, replaced: &[Result<(), NotReplaced>]) -> io::Result<()> {
    if !replaced.iter().any(Result::is_ok) {
        return Ok(());
    }
    survive(dir)?;
    File::open(dir)?.sync_all()
}

fn new_path(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.new"))
}

fn write_new(dir: &Path, name: &str, text: &[u8]) -> io::Result<()> {
    survive(&dir.join(name))?;
    let mut options = File::options();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(new_path(dir, name))?;
    file.write_all(text)?;
    file.sync_all()
}

/// Bytes that [`check_takes_writes`] writes: more than a file system stores inside an inode.
const PROBE_BYTES: usize = 16 << 10;

/// Checks that `dir` accepts writes, with a file that is removed again.
///
/// # Errors
/// The error of the system, such as "no space left" or "read-only file system".
pub fn check_takes_writes(dir: &Path) -> io::Result<()> {
    let path = dir.join("writable.new");
    let write = || {
        let mut options = File::options();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(&[0x5a; PROBE_BYTES])?;
        file.sync_all()
    };
    let written = write();
    let removed = fs::remove_file(&path);
    written.and(removed)
}

/// Renames a file that cannot be read, so that it is no longer found, and returns a sentence with the new name, without its end. Works for
/// a folder as well.
pub fn set_aside(path: &Path, now: Moment) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = |number: u32| {
        let turn = if number == 0 { String::new() } else { format!("-{number}") };
        path.with_file_name(format!("{name}{ASIDE}{}{turn}", now.0))
    };
    let free = (0..u32::MAX).map(numbered).find(|aside| fs::symlink_metadata(aside).is_err());
    let aside = free.unwrap_or_else(|| numbered(0));
    match fs::rename(path, &aside) {
        Ok(()) => format!("It is kept as {}", aside.display()),
        Err(error) => format!("Nor can it be set aside: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn what_is_set_aside_replaces_nothing_that_was_set_aside_before() {
        let dir = TempDir::new();
        let path = dir.path().join("a.json");
        for (content, name) in
            [("one", "a.json.aside-7"), ("two", "a.json.aside-7-1"), ("three", "a.json.aside-7-2")]
        {
            fs::write(&path, content).expect("the folder is ours");
            let said = set_aside(&path, Moment(7));
            assert_eq!(said, format!("It is kept as {}", dir.path().join(name).display()));
            assert_eq!(fs::read_to_string(dir.path().join(name)).expect("it was renamed"), content);
        }
        assert!(set_aside(&path, Moment(7)).starts_with("Nor can it be set aside: "), "there is none");
    }
}
