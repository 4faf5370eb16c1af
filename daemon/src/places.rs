//! Folders of the daemon: DIR for durable state, RUN for sockets.
//!
//! ```text
//!   DIR  state.json  state.copy.json  holds.json  shares.json  lock  token  pool.img  learned/ID.bin  image-locks/  /var/lib/forebay, or $XDG_STATE_HOME/forebay
//!   RUN  control.sock  http  nbd/NAME.sock  vhost/NAME.sock  touched/ID  helpers/ /run/forebay, or $XDG_RUNTIME_DIR/forebay, or DIR if that was given
//! ```
//! A service manager that made folders for the daemon names them in `STATE_DIRECTORY` and
//! `RUNTIME_DIRECTORY`; they take precedence over those of the user.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use base::error::{Error, ErrorKind, Result};
use base::patience::while_held;

use crate::door::DoorKind;
use crate::stores::Stores;

/// Folder of sockets of the daemon that serves the host.
const RUN_OF_HOST: &str = "/run/forebay";

/// Name of the pool that the daemon makes by default, in DIR.
pub(crate) const EMBEDDED_POOL: &str = "pool.img";

/// The two folders, absolute, the address for all disks, and object stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// DIR, for durable state.
    pub(crate) dir: PathBuf,
    /// RUN, for sockets.
    pub(crate) run: PathBuf,
    /// URI of NBD over TCP, to which a disk's name is appended; none if it is off.
    pub(crate) nbd_uri: Option<String>,
    /// Object stores of volumes.
    pub(crate) stores: Stores,
}

/// Returns the name of this host, or `localhost` if it is unknown.
pub(crate) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}

/// Environment that the defaults depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// True if it runs as the administrator of the host.
    pub(crate) is_root: bool,
    /// `$STATE_DIRECTORY`, from a service manager.
    pub(crate) service_state: Option<PathBuf>,
    /// `$RUNTIME_DIRECTORY`, from a service manager.
    pub(crate) service_runtime: Option<PathBuf>,
    /// `$XDG_STATE_HOME`.
    pub(crate) state_home: Option<PathBuf>,
    /// `$XDG_RUNTIME_DIR`.
    pub(crate) runtime_dir: Option<PathBuf>,
    /// `$HOME`.
    pub(crate) home: Option<PathBuf>,
}

impl Environment {
    /// Returns the environment of this process. Empty and relative paths count as not set, as the XDG rules
    /// require.
    pub(crate) fn of_process() -> Self {
        let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        // Several folders of a service are separated by colons; ours has one.
        let of_service = |name| {
            env::var(name)
                .ok()
                .and_then(|text| text.split(':').next().map(PathBuf::from))
                .filter(|path| path.is_absolute())
        };
        Self {
            is_root: nix::unistd::geteuid().is_root(),
            service_state: of_service("STATE_DIRECTORY"),
            service_runtime: of_service("RUNTIME_DIRECTORY"),
            state_home: folder("XDG_STATE_HOME"),
            runtime_dir: folder("XDG_RUNTIME_DIR"),
            home: folder("HOME"),
        }
    }

    fn default_dir(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.service_state {
            return Ok(dir.clone());
        }
        if self.is_root {
            return Ok("/var/lib/forebay".into());
        }
        let state_home =
            self.state_home.clone().or_else(|| self.home.as_ref().map(|home| home.join(".local/state")));
        state_home.map(|home| home.join("forebay")).ok_or_else(|| {
            Error::invalid(
                "Cannot choose a folder for the state: neither XDG_STATE_HOME nor HOME is set; give --dir",
            )
        })
    }

    /// Returns the default folder of sockets.
    fn default_run(&self) -> Result<PathBuf> {
        if let Some(run) = &self.service_runtime {
            return Ok(run.clone());
        }
        if self.is_root {
            return Ok(RUN_OF_HOST.into());
        }
        self.runtime_dir.as_ref().map(|dir| dir.join("forebay")).ok_or_else(|| {
            Error::invalid(
                "Cannot find the folder of the sockets: XDG_RUNTIME_DIR is not set; give --socket (for serve: --run-dir)",
            )
        })
    }

    /// Returns the control socket for a command without one: that of this user's daemon if it exists, else
    /// that of the host. `exists` returns true if something is at a path.
    pub(crate) fn control_socket(&self, exists: impl Fn(&Path) -> bool) -> PathBuf {
        let of_host = control_socket_in(Path::new(RUN_OF_HOST));
        match self.default_run().map(|run| control_socket_in(&run)) {
            Ok(own) if exists(&own) || !exists(&of_host) => own,
            _ => of_host,
        }
    }
}

/// Folders of helper processes, which are made once they are needed.
#[derive(Clone, Debug)]
pub(crate) struct HelperFolders {
    /// For their sockets.
    pub(crate) sockets: PathBuf,
    /// For what they must know after a restart of the host.
    pub(crate) locks: PathBuf,
}

impl Places {
    /// Returns the folders for these options.
    ///
    /// # Errors
    /// If there is neither an option nor a default.
    pub(crate) fn resolve(
        dir: Option<PathBuf>,
        run: Option<PathBuf>,
        surroundings: &Environment,
    ) -> Result<Self> {
        let run = match (run, &dir) {
            (Some(run), _) => run,
            (None, Some(dir)) => dir.clone(),
            (None, None) => surroundings.default_run()?,
        };
        let dir = match dir {
            Some(dir) => dir,
            None => surroundings.default_dir()?,
        };
        Ok(Self { dir: absolute(&dir)?, run: absolute(&run)?, nbd_uri: None, stores: Stores::default() })
    }

    /// Makes missing folders: DIR for its owner only, RUN readable by all (sockets have rights of their own).
    pub(crate) fn make(&self) -> Result<()> {
        make_folder(&self.dir, 0o700)?;
        self.make_run()
    }

    /// Makes RUN and its folders, if they are missing.
    pub(crate) fn make_run(&self) -> Result<()> {
        make_folder(&self.run, 0o755)?;
        DoorKind::ALL.iter().try_for_each(|kind| make_folder(&self.run.join(kind.folder()), 0o755))?;
        make_folder(&self.touched(), 0o700)
    }

    /// Returns the file for what was learned of the disk with this number.
    pub(crate) fn learned(&self, id: u32) -> PathBuf {
        self.dir.join("learned").join(format!("{id}.bin"))
    }

    /// Returns the file for the last scrub of the disk with this number.
    pub(crate) fn scrubbed(&self, id: u32) -> PathBuf {
        self.dir.join("learned").join(format!("{id}-scrub.json"))
    }

    /// Returns the folder of bits of touched pages, which outlive the process.
    pub(crate) fn touched(&self) -> PathBuf {
        self.run.join("touched")
    }

    /// Returns the folders of helper processes.
    pub(crate) fn helpers(&self) -> HelperFolders {
        HelperFolders { sockets: self.run.join("helpers"), locks: self.dir.join("image-locks") }
    }

    /// Returns the path of the control socket.
    pub(crate) fn control_socket(&self) -> PathBuf {
        control_socket_in(&self.run)
    }

    /// Returns the path of the file with the address of HTTP over TCP, which exists as long as it is served.
    pub(crate) fn http(&self) -> PathBuf {
        self.run.join("http")
    }

    /// Writes the address of HTTP over TCP into RUN, for scripts and for a port that the system chose.
    ///
    /// # Errors
    /// If RUN cannot be written.
    pub(crate) fn publish_http(&self, address: SocketAddr) -> Result<()> {
        let (path, new) = (self.http(), self.http().with_extension("new"));
        fs::write(&new, format!("{address}\n"))
            .and_then(|()| fs::set_permissions(&new, fs::Permissions::from_mode(0o644)))
            .and_then(|()| fs::rename(&new, &path))
            .map_err(|error| {
                Error::failed(format!("Cannot write {}: {error}; check its folder", path.display()))
            })
    }

    /// Returns the path of the socket of a disk's door.
    pub(crate) fn socket(&self, door: DoorKind, disk: &str) -> PathBuf {
        self.run.join(door.folder()).join(format!("{disk}.sock"))
    }

    /// Returns the address of a disk over TCP, if NBD is served there.
    pub(crate) fn uri_of(&self, disk: &str) -> Option<String> {
        self.nbd_uri.as_ref().map(|uri| format!("{uri}{disk}"))
    }

    /// Returns the path of the pool that the daemon makes by default.
    pub(crate) fn embedded_pool(&self) -> PathBuf {
        self.dir.join(EMBEDDED_POOL)
    }

    /// Claims DIR as [`Self::claim`] does, and waits for the previous process, which may have been killed a
    /// moment ago.
    ///
    /// # Errors
    /// If another daemon has it.
    pub(crate) fn claim_patiently(&self) -> Result<File> {
        let is_held =
            |claim: &Result<File>| claim.as_ref().is_err_and(|problem| problem.kind == ErrorKind::Conflict);
        while_held(|| self.claim(), is_held)
    }

    /// Claims DIR for this process until the file is dropped. The file itself stays: removing it would let two
    /// processes hold the lock of different files.
    ///
    /// # Errors
    /// If another daemon has it.
    pub(crate) fn claim(&self) -> Result<File> {
        let path = self.dir.join("lock");
        let failed = |error: io::Error| Error::failed(format!("Cannot lock {}: {error}", path.display()));
        let opened = File::options().write(true).create(true).truncate(false).open(&path);
        let file = match opened {
            // An existing file can still be locked.
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => File::open(&path),
            opened => opened,
        };
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(Error::conflict(format!(
                "Cannot serve from {}: another Forebay does so already; stop that one first, or give --dir another folder",
                self.dir.display()
            ))),
            Err(fs::TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

/// Returns the control socket in a folder for sockets.
pub(crate) fn control_socket_in(run: &Path) -> PathBuf {
    run.join("control.sock")
}

/// Returns `path` from the root, without access to the file system.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| {
        Error::invalid(format!("Cannot use path '{}': {error}; give another", path.display()))
    })
}

/// Makes a folder with exactly this mode, whatever the umask. An existing one stays as it is.
fn make_folder(path: &Path, mode: u32) -> Result<()> {
    let made = if path.is_dir() {
        Ok(())
    } else {
        DirBuilder::new()
            .recursive(true)
            .mode(mode)
            .create(path)
            .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(mode)))
    };
    made.map_err(|error| {
        Error::failed(format!(
            "Cannot make folder {}: {error}; make it for this user, or give another one (--dir, --run-dir)",
            path.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn places(
        dir: Option<&str>,
        run: Option<&str>,
        surroundings: &Environment,
    ) -> Result<(PathBuf, PathBuf)> {
        let places = Places::resolve(dir.map(Into::into), run.map(Into::into), surroundings)?;
        Ok((places.dir, places.run))
    }

    #[test]
    fn defaults_follow_the_user_and_the_folder_that_was_given() {
        let root = Environment { is_root: true, ..Environment::default() };
        let user = Environment {
            home: Some("/home/u".into()),
            runtime_dir: Some("/run/user/7".into()),
            ..Environment::default()
        };
        let pair = |dir: &str, run: &str| Ok((dir.into(), run.into()));
        assert_eq!(places(None, None, &root), pair("/var/lib/forebay", "/run/forebay"));
        assert_eq!(places(None, None, &user), pair("/home/u/.local/state/forebay", "/run/user/7/forebay"));
        assert_eq!(places(Some("/d"), None, &root), pair("/d", "/d"));
        assert_eq!(places(Some("/d"), Some("/r"), &user), pair("/d", "/r"));
        assert_eq!(places(None, Some("/r"), &root), pair("/var/lib/forebay", "/r"));
    }

    #[test]
    fn the_folders_of_a_service_go_before_those_of_its_user() {
        let service = Environment {
            service_state: Some("/var/lib/forebay".into()),
            service_runtime: Some("/run/forebay".into()),
            home: Some("/nonexistent".into()),
            ..Environment::default()
        };
        let pair = |dir: &str, run: &str| Ok((dir.into(), run.into()));
        assert_eq!(places(None, None, &service), pair("/var/lib/forebay", "/run/forebay"));
        assert_eq!(places(Some("/d"), None, &service), pair("/d", "/d"));
    }

    #[test]
    fn a_command_finds_the_daemon_of_its_user_else_that_of_the_host() {
        let user = Environment { runtime_dir: Some("/run/user/7".into()), ..Environment::default() };
        let (own, host) = ("/run/user/7/forebay/control.sock", "/run/forebay/control.sock");
        let found = |user: &Environment, there: &[&str]| {
            let exists = |path: &Path| there.iter().any(|socket| path == Path::new(socket));
            user.control_socket(exists).display().to_string()
        };
        assert_eq!(found(&user, &[own, host]), own);
        assert_eq!(found(&user, &[host]), host);
        assert_eq!(found(&user, &[]), own);
        assert_eq!(found(&Environment::default(), &[]), host);
    }

    #[test]
    fn folders_are_as_open_as_they_should_be() {
        let temp = TempDir::new();
        let places = Places {
            dir: temp.path().join("d"),
            run: temp.path().join("r"),
            nbd_uri: None,
            stores: Stores::default(),
        };
        places.make().expect("the folder is ours");
        let mode = |path: PathBuf| fs::metadata(path).expect("it was made").permissions().mode() & 0o777;
        assert_eq!(
            [mode(places.dir.clone()), mode(places.run.clone()), mode(places.run.join("nbd"))],
            [0o700, 0o755, 0o755]
        );
    }

    #[test]
    fn without_any_default_the_option_to_give_is_named() {
        let problem = places(None, None, &Environment::default()).unwrap_err();
        assert!(problem.message.contains("--run-dir"), "{problem}");
        let problem = places(None, Some("/r"), &Environment::default()).unwrap_err();
        assert!(problem.message.contains("--dir"), "{problem}");
    }

    #[test]
    fn a_folder_is_claimed_by_one_at_a_time() {
        let temp = TempDir::new();
        let places = Places {
            dir: temp.path().into(),
            run: temp.path().into(),
            nbd_uri: None,
            stores: Stores::default(),
        };
        let held = places.claim().expect("nobody has it");
        assert!(places.claim().unwrap_err().message.contains("another Forebay"));
        drop(held);
        places.claim().expect("it was given back");
    }

    #[test]
    fn a_folder_whose_last_daemon_is_still_being_taken_apart_is_waited_for() {
        let temp = TempDir::new();
        let places = Places {
            dir: temp.path().into(),
            run: temp.path().into(),
            nbd_uri: None,
            stores: Stores::default(),
        };
        let held = places.claim().expect("nobody has it");
        let (begun, beginning) = std::sync::mpsc::channel();
        let dying = std::thread::spawn(move || {
            beginning.recv().expect("somebody claims it");
            drop(held);
        });
        assert!(places.claim().is_err(), "it is held");
        begun.send(()).expect("it waits for that");
        places.claim_patiently().expect("it is free soon");
        dying.join().expect("it does not panic");
    }
}
