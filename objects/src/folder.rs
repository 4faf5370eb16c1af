//! A store in a folder of this host: one file for each object.
//!
//! `object_store` has a store of files too, which can fsync. This one lists by name instead of reading the whole tree, makes durable at its
//! start what a process left that was killed, and keeps the operating system's error, from which the advice in a message follows.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::durable::survive;
use base::rights::own_user;
use bytes::Bytes;
use nix::errno::Errno;
use nix::sys::statfs::{FsType, NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, statfs};
use tokio::time::timeout;
use volume::{LIST_NAMES_MAX, Listed, StoreError, StoreErrorKind};

use crate::budget::Permit;
use crate::client::{Reply, Request};
use crate::options::{OBJECT_BYTES_MAX, check_name};

/// Folder for files that are not complete yet. No object's name begins with a dot.
const NEW: &str = ".new";
/// File systems of servers: NFS, and the three of SMB (`linux/magic.h`).
const NETWORK_SYSTEMS: [FsType; 4] =
    [NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, FsType(0xff53_4d42), FsType(0xfe53_4d42)];
/// Tries to get a name for a new file.
const TRIES: usize = 8;

/// A folder with objects.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    /// The folder at its path when it was opened. Held open, so that its file system cannot be unmounted.
    opened: File,
    /// Folders whose entries in those above are on disk.
    durable: Mutex<HashSet<PathBuf>>,
    /// Time until a request has failed.
    timeout: Duration,
}

impl Folder {
    /// Opens a folder, which it makes if necessary. Removes new files of processes that ended, and makes durable what they completed.
    ///
    /// # Errors
    /// If the folder cannot be used, or is on a network file system.
    pub(crate) fn open(root: &Path, timeout: Duration) -> Result<Self, StoreError> {
        let failed = |error| store_error(root, &root.display().to_string(), root, &error);
        make_folders(root).map_err(failed)?;
        let opened = File::open(root).map_err(failed)?;
        let folder = Self { root: root.to_owned(), opened, durable: Mutex::default(), timeout };
        let system = statfs(root).map_err(|errno| failed(errno.into()))?.filesystem_type();
        if NETWORK_SYSTEMS.contains(&system) {
            let reason = "This folder is on a network file system, where two hosts could write one volume. \
                          Use a file system of this host, or a store by S3.";
            return Err(StoreError::new(StoreErrorKind::Denied, root.display().to_string(), reason));
        }
        make_folders(&root.join(NEW)).map_err(failed)?;
        folder.remove_leftovers().map_err(failed)?;
        sync_tree(root).map_err(failed)?;
        Ok(folder)
    }

    /// Does a request.
    pub(crate) async fn request(
        self: &Arc<Self>,
        request: Request,
        permit: &mut Permit<'_>,
    ) -> Result<Reply, StoreError> {
        match request {
            Request::Get { name, range } => {
                let is_whole = range.is_none();
                let opened = self.run(move |folder| folder.open_object(&name, range)).await?;
                // How large a whole object is was not known before.
                if is_whole {
                    permit.grow(opened.bytes).await;
                }
                self.run(move |folder| folder.read(&opened)).await.map(Reply::Bytes)
            }
            Request::Create { name, bytes } => self.run(move |folder| folder.create(&name, &bytes)).await,
            Request::Delete { name } => self.run(move |folder| folder.delete(&name)).await,
            Request::List { prefix, after } => {
                self.run(move |folder| folder.list(&prefix, after.as_deref())).await.map(Reply::Names)
            }
        }
    }

    async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        call: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let folder = Arc::clone(self);
        let called = tokio::task::spawn_blocking(move || {
            folder.check_root()?;
            call(&folder)
        });
        if let Ok(called) = timeout(self.timeout, called).await {
            return called.expect("a call of the folder does not panic");
        }
        let reason = format!(
            "no answer within {} s. Look into the kernel's log for errors of the device.",
            self.timeout.as_secs()
        );
        Err(StoreError::new(StoreErrorKind::Unreachable, self.root.display().to_string(), reason))
    }

    /// Fails if another folder is at the path by now: what it lacks, the store may have.
    fn check_root(&self) -> Result<(), StoreError> {
        let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let now = fs::metadata(&self.root).map(id).ok();
        if now.is_some() && now == self.opened.metadata().map(id).ok() {
            return Ok(());
        }
        let place = self.root.display().to_string();
        let reason = "Another folder is at this path than when it was opened. Mount what was there, and restart Forebay.";
        Err(StoreError::new(StoreErrorKind::Unreachable, place, reason))
    }

    fn open_object(&self, name: &str, range: Option<Range<u64>>) -> Result<OpenObject, StoreError> {
        let path = self.root.join(name);
        let failed = |error| self.error(name, &path, &error);
        let file = File::open(&path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(failed(io::ErrorKind::NotFound.into()));
        }
        let range = range.unwrap_or(0..u64::MAX);
        let start = range.start.min(metadata.len());
        let bytes = range.end.min(metadata.len()).saturating_sub(start);
        if bytes > OBJECT_BYTES_MAX {
            let reason = format!("{bytes} bytes are too many for one read: {OBJECT_BYTES_MAX} are allowed.");
            return Err(StoreError::new(StoreErrorKind::Invalid, name, reason));
        }
        Ok(OpenObject { name: name.to_owned(), path, file, start, bytes })
    }

    fn read(&self, object: &OpenObject) -> Result<Bytes, StoreError> {
        let mut content = vec![0; object.bytes as usize];
        let read = object.file.read_exact_at(&mut content, object.start);
        read.map_err(|error| self.error(&object.name, &object.path, &error))?;
        Ok(content.into())
    }

    fn create(&self, name: &str, bytes: &[u8]) -> Result<Reply, StoreError> {
        let path = self.root.join(name);
        let parent = path.parent().expect("it is below the root");
        let failed = |error| self.error(name, &path, &error);
        let exists = || {
            // A repeated create counts for one that succeeded. Its folder may not have been written when that was tried.
            sync(parent).map_err(failed)?;
            Err(failed(io::ErrorKind::AlreadyExists.into()))
        };
        if fs::symlink_metadata(&path).is_ok() {
            return exists();
        }
        let new = self.new_file().map_err(failed)?;
        let written = (&new.file).write_all(bytes).and_then(|()| new.file.sync_all());
        let linked =
            written.and_then(|()| self.make_durable(parent)).and_then(|()| fs::hard_link(&new.path, &path));
        match linked {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return exists(),
            linked => linked.map_err(failed)?,
        }
        drop(new);
        // The object is there, so a failure says that it may not stay.
        sync(parent).map_err(|error| {
            let reason = format!("{}: its folder was not written to disk: {error}.", path.display());
            StoreError::new(StoreErrorKind::Unreachable, name, reason)
        })?;
        Ok(Reply::Done)
    }

    fn make_durable(&self, folder: &Path) -> io::Result<()> {
        if self.durable.lock().unwrap_or_else(PoisonError::into_inner).contains(folder) {
            return Ok(());
        }
        make_folders_below(&self.root, folder)?;
        self.durable.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned());
        Ok(())
    }

    fn new_file(&self) -> io::Result<NewFile> {
        for _ in 0..TRIES {
            let nonce = getrandom::u64().map_err(io::Error::from)?;
            let path = self.root.join(NEW).join(format!("{nonce:016x}"));
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            // The lock says that its process lives. Another's start may remove the file before it is locked.
            if file.try_lock().is_ok() && path.exists() {
                return Ok(NewFile { path, file });
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    fn remove_leftovers(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.root.join(NEW))? {
            let path = entry?.path();
            match File::open(&path) {
                Ok(file) if file.try_lock().is_ok() => ignore_missing(fs::remove_file(&path))?,
                // Its process lives, or has just removed it.
                Ok(_) => {}
                Err(error) => ignore_missing(Err(error))?,
            }
        }
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<Reply, StoreError> {
        let path = self.root.join(name);
        let result = match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            // One that is missing may be so because of a delete that failed after that.
            Ok(()) | Err(_) => ignore_missing(sync(path.parent().expect("it is below the root"))),
        };
        result.map_err(|error| self.error(name, &path, &error))?;
        Ok(Reply::Done)
    }

    fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        let mut page = Page { prefix, after: after.unwrap_or_default(), names: BTreeSet::new() };
        let start = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.visit(start, &mut page).map_err(|error| self.error(prefix, &self.root.join(start), &error))?;
        let mut listed = Vec::with_capacity(page.names.len());
        for name in page.names {
            let path = self.root.join(&name);
            match fs::metadata(&path) {
                Ok(metadata) => listed.push(Listed { name, bytes: metadata.len() }),
                Err(error) => {
                    ignore_missing(Err(error)).map_err(|error| self.error(prefix, &path, &error))?;
                }
            }
        }
        Ok(listed)
    }

    /// Adds what is in a folder and below it to a page of a list.
    fn visit(&self, folder: &str, page: &mut Page) -> io::Result<()> {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(());
            }
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let Ok(part) = entry.file_name().into_string() else { continue };
            let name = if folder.is_empty() { part } else { format!("{folder}/{part}") };
            if check_name(&name).is_err() {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() && page.may_have(&format!("{name}/")) {
                self.visit(&name, page)?;
            } else if kind.is_file() {
                page.add(name);
            }
        }
        Ok(())
    }

    fn error(&self, name: &str, path: &Path, error: &io::Error) -> StoreError {
        store_error(&self.root, name, path, error)
    }
}

/// Converts an error of the operating system for a store in the folder `root`, with advice.
fn store_error(root: &Path, name: &str, path: &Path, error: &io::Error) -> StoreError {
    let (place, root, user) = (path.display(), root.display(), own_user());
    let errno = error.raw_os_error().map(Errno::from_raw);
    let (kind, reason) = match (error.kind(), errno) {
        (io::ErrorKind::NotFound, _) => (StoreErrorKind::NotFound, format!("There is no {place}.")),
        (io::ErrorKind::AlreadyExists, _) => (StoreErrorKind::Exists, format!("{place} is there already.")),
        (_, Some(Errno::ENOTDIR | Errno::EISDIR | Errno::ENAMETOOLONG)) => {
            let reason =
                format!("{place}: {error}. A name cannot be an object and a folder at once in {root}.");
            (StoreErrorKind::Invalid, reason)
        }
        (_, Some(Errno::ENOSPC)) => (
            StoreErrorKind::Full,
            format!("The file system of {root} is full. Free space on it, or make it larger."),
        ),
        (_, Some(Errno::EDQUOT)) => (
            StoreErrorKind::Full,
            format!("The user {user} has used up the quota in {root}. Delete files, or raise the quota."),
        ),
        (_, Some(Errno::EFBIG)) => {
            let reason = format!(
                "{place} would be larger than a file may be. Raise the limit of file sizes (`ulimit -f`)."
            );
            (StoreErrorKind::Full, reason)
        }
        (_, Some(Errno::EROFS)) => {
            let reason = format!(
                "The file system of {root} is read-only. Mount it writable; look into the kernel's log for errors."
            );
            (StoreErrorKind::Denied, reason)
        }
        (_, Some(Errno::EACCES | Errno::EPERM)) => {
            let reason =
                format!("The user {user} may not use {place}: {error}. Give this user the folder {root}.");
            (StoreErrorKind::Denied, reason)
        }
        (_, Some(Errno::EIO)) => (
            StoreErrorKind::Unreachable,
            format!("{place}: {error}. Look into the kernel's log for errors of the device."),
        ),
        (_, Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOMEM | Errno::EINTR | Errno::EAGAIN))
        | (io::ErrorKind::ResourceBusy, _) => (StoreErrorKind::Unreachable, format!("{place}: {error}.")),
        _ => (StoreErrorKind::Invalid, format!("{place}: {error}.")),
    };
    StoreError::new(kind, name, reason)
}

/// A file that is being read.
#[derive(Debug)]
struct OpenObject {
    name: String,
    path: PathBuf,
    file: File,
    start: u64,
    bytes: u64,
}

/// A locked file in the folder of new ones. Its drop removes that name.
#[derive(Debug)]
struct NewFile {
    path: PathBuf,
    file: File,
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Else the next start removes it.
        fs::remove_file(&self.path).unwrap_or_default();
    }
}

/// The first names in order that a list asks for.
struct Page<'a> {
    prefix: &'a str,
    after: &'a str,
    names: BTreeSet<String>,
}

impl Page<'_> {
    fn add(&mut self, name: String) {
        if name.starts_with(self.prefix) && name.as_str() > self.after && !self.is_full_before(&name) {
            self.names.insert(name);
            if self.names.len() > LIST_NAMES_MAX {
                self.names.pop_last();
            }
        }
    }

    /// Returns true if names that begin with `folder`, which ends with `/`, may belong to the page.
    fn may_have(&self, folder: &str) -> bool {
        let may_match = folder.starts_with(self.prefix) || self.prefix.starts_with(folder);
        let may_follow = folder > self.after || self.after.starts_with(folder);
        may_match && may_follow && !self.is_full_before(folder)
    }

    fn is_full_before(&self, name: &str) -> bool {
        self.names.len() >= LIST_NAMES_MAX && self.names.last().is_some_and(|last| last.as_str() < name)
    }
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn sync(folder: &Path) -> io::Result<()> {
    survive(folder)?;
    File::open(folder)?.sync_all()
}

/// Makes a folder and those above it; each that it makes is durable.
fn make_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let Some(parent) = folder.parent() else { return Ok(()) };
    make_folders(parent)?;
    make_folder(folder, parent)
}

/// Makes folders between `root` and `folder`, and makes all of them durable: another process may have made one just now.
fn make_folders_below(root: &Path, folder: &Path) -> io::Result<()> {
    if folder == root {
        return Ok(());
    }
    let parent = folder.parent().expect("it is below the root");
    make_folders_below(root, parent)?;
    make_folder(folder, parent)
}

fn make_folder(folder: &Path, parent: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(Errno::ENOTDIR.into()),
        result => result?,
    }
    sync(parent)
}

/// Makes the entries of all folders durable. A process that was killed between a link and this left an object that a loss of power removes.
fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name() != NEW {
            sync_tree(&entry.path())?;
        }
    }
    sync(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page<'a>(prefix: &'a str, after: &'a str) -> Page<'a> {
        Page { prefix, after, names: BTreeSet::new() }
    }

    #[test]
    fn a_list_reads_folders_that_may_have_names_of_it() {
        assert!(page("", "").may_have("a/"));
        assert!(page("a/b", "").may_have("a/"));
        assert!(page("a", "").may_have("ab/"));
        assert!(!page("a/b", "").may_have("b/"));
        assert!(page("", "a/b").may_have("a/"));
        assert!(!page("", "a/b").may_have("A/"));
        // `-` sorts before `/`, so this folder is behind it.
        assert!(page("", "a-b").may_have("a/"));
    }

    #[test]
    fn a_full_page_keeps_the_first_names() {
        let mut page = page("", "0001");
        for number in (0..=LIST_NAMES_MAX + 10).rev() {
            page.add(format!("{number:04}"));
        }
        assert_eq!(page.names.len(), LIST_NAMES_MAX);
        assert_eq!(page.names.first().map(String::as_str), Some("0002"));
        assert!(!page.may_have("zz/"));
        assert!(page.may_have("0500/"));
    }

    #[test]
    fn errors_have_their_kind_and_advice() {
        let (root, path) = (Path::new("/srv/store"), Path::new("/srv/store/a"));
        let convert = |errno: Errno| store_error(root, "a", path, &errno.into());
        let expected = [
            (Errno::ENOSPC, StoreErrorKind::Full, "Free space"),
            (Errno::EDQUOT, StoreErrorKind::Full, "raise the quota"),
            (Errno::EROFS, StoreErrorKind::Denied, "Mount it writable"),
            (Errno::EACCES, StoreErrorKind::Denied, "Give this user the folder /srv/store"),
            (Errno::EIO, StoreErrorKind::Unreachable, "kernel's log"),
            (Errno::ENOENT, StoreErrorKind::NotFound, "/srv/store/a"),
            (Errno::EEXIST, StoreErrorKind::Exists, "/srv/store/a"),
            (Errno::ENOTDIR, StoreErrorKind::Invalid, "at once"),
            (Errno::EMFILE, StoreErrorKind::Unreachable, "/srv/store/a"),
        ];
        for (errno, kind, words) in expected {
            let error = convert(errno);
            assert_eq!(error.kind, kind, "{error}");
            assert!(error.reason.contains(words), "{error}");
        }
        assert!(convert(Errno::EACCES).reason.contains("The user "));
    }
}
