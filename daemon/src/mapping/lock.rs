//! One command at a time for the device of a disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use base::problem::{Answer, Problem};

use super::{DiskPlace, FOLDER};

/// The right to make, restore and remove the device of a disk, until it is dropped.
pub(super) struct DiskLock(#[allow(dead_code, reason = "it is held by being open")] File);

impl DiskLock {
    /// Waits until no other command has it.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn take(disk: &DiskPlace) -> Answer<Self> {
        Self::take_in(Path::new(FOLDER), disk).map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::PermissionDenied => "run this as root",
                _ => "the folder must be writable",
            };
            Problem::failed(format!("Cannot lock disk '{}' in {FOLDER}: {error}; {advice}", disk.name))
        })
    }

    fn take_in(folder: &Path, disk: &DiskPlace) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}.lock", disk.record_name()));
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        Ok(Self(file))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_second_command_for_a_disk_waits_for_the_first_and_one_for_another_disk_does_not() {
        let folder = TempDir::new();
        let place = |name: &str| DiskPlace::new(name, Path::new("/run/forebay"), None, 0);
        let first = DiskLock::take_in(folder.path(), &place("web")).expect("it is free");
        drop(DiskLock::take_in(folder.path(), &place("other")).expect("it is free"));
        let (said, events) = mpsc::channel();
        thread::scope(|scope| {
            let second = said.clone();
            let path = folder.path().to_owned();
            scope.spawn(move || {
                let lock = DiskLock::take_in(&path, &place("web"));
                second.send(lock.map(|_| "second").expect("it is free now")).expect("it is received");
            });
            said.send("first").expect("it is received");
            drop(first);
        });
        assert_eq!(events.iter().take(2).collect::<Vec<_>>(), ["first", "second"]);
    }
}
