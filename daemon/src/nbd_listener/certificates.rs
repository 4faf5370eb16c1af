//! Certificates for TLS, in files with the names that QEMU gives them.
//!
//! ```text
//!   DIR  server-cert.pem   the server's certificate, followed by the intermediate ones
//!        server-key.pem    its private key, not readable by others
//!        ca-cert.pem       if it exists at the start: clients must show a certificate of this authority
//! ```
//! The files are checked for each encrypted connection, which costs three calls of stat(2), and read again
//! after a change: a renewal needs no signal to the daemon. If they are unusable, the ones that were read
//! before stay in force, and that is logged once; if they could not be read, that is retried for the next
//! connection. A missing authority counts as unusable too: clients without certificates are not accepted
//! because a file is missing for a moment.

use std::cell::{Cell, RefCell};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use base::bounded;
use base::error::{Error, Result};
use doors::nbd::{Identities, Identity, Unfit};

/// The server's certificate.
const CERTIFICATE: &str = "server-cert.pem";
/// The server's key.
const KEY: &str = "server-key.pem";
/// The authority of clients.
const AUTHORITY: &str = "ca-cert.pem";
/// List of revoked certificates of QEMU. Not supported, so it is refused rather than ignored.
const REVOKED: &str = "ca-crl.pem";
/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Mode bits of a file that others may read or write.
const OTHERS: u32 = 0o006;

/// Usable content of the files, as it was read last.
pub(crate) struct Certificates {
    dir: PathBuf,
    clients: ClientCertificates,
    identity: RefCell<Identity>,
    /// Stamps of the files when they were read last, whatever the result, unless they could not be read.
    seen: Cell<FileStamps>,
    /// Stamps of the files when a failure to read them was logged last: it is logged once, though each
    /// connection retries.
    unread: Cell<Option<FileStamps>>,
}

/// Certificates of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientCertificates {
    /// Required, of the authority.
    ShowCertificates,
    /// Not required: encryption only.
    AreUnknown,
}

/// Reason for which files are not used.
enum CertificateFailure {
    /// They could not be read. That may pass without a change of the files: too many are open, a disk was
    /// busy.
    Unread(String),
    /// Their content is unusable.
    Useless(String),
}

/// Stamps by which a change of the files is detected.
type FileStamps = [Option<FileStamp>; 4];

#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Certificates {
    /// Reads the files in `dir`.
    ///
    /// # Errors
    /// If one is missing or cannot be used: its name, the reason, and a remedy.
    pub(crate) fn load(dir: &Path) -> Result<Self> {
        let seen = read_stamps(dir);
        let (identity, clients) = read(dir).map_err(|(CertificateFailure::Unread(why) | CertificateFailure::Useless(why))| {
            Error::invalid(format!(
                "Cannot use the certificates of nbd.tls-dir: {why}; docs/nbd-tcp.md has the commands that make them"
            ))
        })?;
        let (identity, seen) = (identity.into(), seen.into());
        Ok(Self { dir: dir.to_owned(), clients, identity, seen, unread: Cell::default() })
    }

    /// Reads them as [`Self::load`], for clients that must always show a certificate.
    ///
    /// # Errors
    /// As there, and if there is no authority.
    pub(crate) fn load_with_authority(dir: &Path) -> Result<Self> {
        let certificates = Self::load(dir)?;
        match certificates.clients {
            ClientCertificates::ShowCertificates => Ok(certificates),
            ClientCertificates::AreUnknown => Err(Error::invalid(format!(
                "Cannot demand certificates of clients, as nbd.tls = \"require-certificates\" (--nbd-tls) does: {} is not there; \
                 put the certificate of the clients' authority there (docs/nbd-tcp.md has the commands that make one), or set \
                 \"require\" to admit any client that encrypts",
                dir.join(AUTHORITY).display()
            ))),
        }
    }

    /// Returns whether clients must show a certificate, for as long as the daemon runs.
    pub(crate) fn clients(&self) -> ClientCertificates {
        self.clients
    }

    fn renew(&self) -> Result<Identity, CertificateFailure> {
        let (identity, clients) = read(&self.dir)?;
        match (self.clients, clients) {
            (ClientCertificates::ShowCertificates, ClientCertificates::AreUnknown) => {
                Err(CertificateFailure::Useless(format!(
                    "{} is gone, and clients had to show a certificate of it; restart the daemon if they no longer have to",
                    self.dir.join(AUTHORITY).display()
                )))
            }
            (ClientCertificates::AreUnknown, ClientCertificates::ShowCertificates) => {
                Err(CertificateFailure::Useless(format!(
                    "{} was not there at the start; restart the daemon if clients have to show a certificate of it from now on, with \
                 nbd.tls = \"require-certificates\" if they always have to; until then, or until it is away again, renewed \
                 certificates of the server are not taken up either",
                    self.dir.join(AUTHORITY).display()
                )))
            }
            _ => Ok(identity),
        }
    }

    /// Records the result of reading the files, which had the stamps `now` before.
    fn take(&self, now: FileStamps, renewed: Result<Identity, CertificateFailure>) {
        match renewed {
            Ok(identity) => {
                tracing::info!(
                    "The certificates for NBD in {} have changed; new connections get them",
                    self.dir.display()
                );
                self.identity.replace(identity);
                self.seen.set(now);
                self.unread.set(None);
            }
            Err(CertificateFailure::Useless(why)) => {
                tracing::warn!(
                    "Cannot use the changed certificates for NBD: {why}. New connections get those from before"
                );
                self.seen.set(now);
            }
            // Not recorded as seen: the files may be good, and their stamps need not change once they can be
            // read again.
            Err(CertificateFailure::Unread(why)) => {
                if self.unread.replace(Some(now)) != Some(now) {
                    tracing::warn!(
                        "Cannot use the changed certificates for NBD: {why}. New connections get those from before, until these \
                         can be read"
                    );
                }
            }
        }
    }
}

impl Identities for Certificates {
    fn current(&self) -> Identity {
        // Stamps are taken before reading: a change in between leads to another read the next time.
        let now = read_stamps(&self.dir);
        if self.seen.get() != now {
            self.take(now, self.renew());
        }
        self.identity.borrow().clone()
    }
}

/// Returns the stamps of the files. That of a dangling link changes once its target exists, so that it is then read.
fn read_stamps(dir: &Path) -> FileStamps {
    [CERTIFICATE, KEY, AUTHORITY, REVOKED].map(|name| {
        let path = dir.join(name);
        fs::metadata(&path)
            .or_else(|_| fs::symlink_metadata(&path))
            .ok()
            .as_ref()
            .map(FileStamp::from_metadata)
    })
}

impl FileStamp {
    fn from_metadata(found: &Metadata) -> Self {
        Self {
            inode: found.ino(),
            bytes: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

fn read(dir: &Path) -> Result<(Identity, ClientCertificates), CertificateFailure> {
    let [certificate, key, authority, revoked] =
        [CERTIFICATE, KEY, AUTHORITY, REVOKED].map(|name| dir.join(name));
    // Also for a dangling link: a list of revoked certificates is intended.
    if fs::symlink_metadata(&revoked).is_ok() {
        return Err(CertificateFailure::Useless(format!(
            "{} is there, and lists of revoked certificates are not supported; take it away, and have clients that are to stay out \
             lose their certificates by a new authority",
            revoked.display()
        )));
    }
    let chain = content(&certificate)?.ok_or_else(|| missing(&certificate))?;
    let own_key = content(&key)?.ok_or_else(|| missing(&key))?;
    let mode = fs::metadata(&key).map_err(|error| unreadable(&key, &error))?.mode();
    if mode & OTHERS != 0 {
        return Err(CertificateFailure::Useless(format!(
            "the key {} has mode {:04o}, so every user of this host can have it; do `chmod o= {0}`, and consider making a new one",
            key.display(),
            mode & 0o7777
        )));
    }
    let root = content(&authority)?;
    let clients =
        if root.is_some() { ClientCertificates::ShowCertificates } else { ClientCertificates::AreUnknown };
    let identity = Identity::from_pem(&chain, &own_key, root.as_deref()).map_err(|unfit| {
        let path = match unfit {
            Unfit::Certificate(_) => &certificate,
            Unfit::Key(_) => &key,
            Unfit::Authority(_) => &authority,
        };
        CertificateFailure::Useless(format!("{} is unfit: {unfit}", path.display()))
    })?;
    Ok((identity, clients))
}

/// Returns the content of a file; none if it does not exist.
fn content(path: &Path) -> Result<Option<Vec<u8>>, CertificateFailure> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() <= FILE_BYTES_MAX => {}
        Ok(_) => {
            return Err(CertificateFailure::Useless(format!(
                "{} is no file of at most 1 MiB",
                path.display()
            )));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return absent(path),
        Err(error) => return Err(unreadable(path, &error)),
    }
    bounded::read(path, FILE_BYTES_MAX).map(Some).map_err(|error| unreadable(path, &error))
}

/// Returns none if nothing is at `path`. A dangling link is an error: if an authority's were ignored, every
/// client would be accepted.
fn absent(path: &Path) -> Result<Option<Vec<u8>>, CertificateFailure> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
        Ok(_) => Err(CertificateFailure::Useless(format!(
            "{} leads nowhere: it is a link to a file that is not there; mend it, or take it away",
            path.display()
        ))),
    }
}

fn missing(path: &Path) -> CertificateFailure {
    CertificateFailure::Useless(format!("{} is not there", path.display()))
}

fn unreadable(path: &Path, error: &io::Error) -> CertificateFailure {
    CertificateFailure::Unread(format!(
        "{} cannot be read: {error}; the user that the daemon runs as must be able to",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use base::testing::TempDir;

    use super::*;

    struct CertificateDir(TempDir);

    impl CertificateDir {
        /// Returns a folder with a certificate and its key.
        fn new() -> Self {
            let folder = Self(TempDir::new());
            folder.renew();
            folder
        }

        fn renew(&self) {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key is made");
            self.put(CERTIFICATE, &made.cert.pem());
            self.put(KEY, &made.signing_key.serialize_pem());
        }

        fn dir(&self) -> &Path {
            self.0.path()
        }

        /// Replaces a file atomically, as a renewal does.
        fn put(&self, name: &str, text: &str) {
            let (path, new) = (self.dir().join(name), self.dir().join("new"));
            fs::write(&new, text).expect("the folder is ours");
            fs::set_permissions(&new, fs::Permissions::from_mode(0o600)).expect("the file is ours");
            fs::rename(new, path).expect("the folder is ours");
        }

        fn take(&self, name: &str) {
            fs::remove_file(self.dir().join(name)).expect("it is there");
        }

        fn refused(&self) -> String {
            let problem = Certificates::load(self.dir()).err().expect("something is wrong");
            assert!(problem.message.contains("docs/nbd-tcp.md"), "{problem}");
            problem.message
        }
    }

    #[test]
    fn what_is_missing_broken_or_open_to_others_is_refused_by_name() {
        let folder = CertificateDir::new();
        assert_eq!(
            Certificates::load(folder.dir()).expect("all is there").clients(),
            ClientCertificates::AreUnknown
        );
        for name in [CERTIFICATE, KEY, AUTHORITY] {
            folder.renew();
            folder.put(name, "no PEM");
            assert!(folder.refused().contains(name));
            folder.put(name, "");
            assert!(folder.refused().contains(name));
            folder.put(name, &"x".repeat(2 << 20));
            assert!(folder.refused().contains("1 MiB"));
            folder.take(name);
            if name != AUTHORITY {
                assert!(folder.refused().contains(&format!("{name} is not there")));
            }
        }
        folder.renew();
        let key = folder.dir().join(KEY);
        for mode in [0o644, 0o604, 0o602] {
            fs::set_permissions(&key, fs::Permissions::from_mode(mode)).expect("the file is ours");
            let message = folder.refused();
            assert!(message.contains("chmod o=") && message.contains(&format!("{mode:04o}")), "{message}");
        }
        fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).expect("the file is ours");
        Certificates::load(folder.dir()).expect("a group may read it");
        let other = rcgen::KeyPair::generate().expect("a key is made");
        folder.put(KEY, &other.serialize_pem());
        assert!(folder.refused().contains("not the key of the certificate"));
        folder.renew();
        folder.put(REVOKED, "");
        assert!(folder.refused().contains(REVOKED));
    }

    #[test]
    fn a_link_that_leads_nowhere_is_not_taken_for_nothing() {
        for name in [CERTIFICATE, KEY, AUTHORITY] {
            let folder = CertificateDir::new();
            fs::remove_file(folder.dir().join(name)).unwrap_or(());
            symlink("nowhere", folder.dir().join(name)).expect("the folder is ours");
            assert!(folder.refused().contains(&format!("{name} leads nowhere")));
        }
        let folder = CertificateDir::new();
        symlink("nowhere", folder.dir().join(REVOKED)).expect("the folder is ours");
        assert!(folder.refused().contains(REVOKED));
    }

    #[test]
    fn a_link_that_leads_nowhere_is_seen_when_it_comes() {
        for name in [AUTHORITY, REVOKED] {
            let folder = CertificateDir::new();
            let certificates = Certificates::load(folder.dir()).expect("all is there");
            let (first, seen) = (certificates.current(), certificates.seen.get());
            symlink("nowhere", folder.dir().join(name)).expect("the folder is ours");
            assert!(certificates.current().is(&first), "those from before stay in force");
            assert!(
                certificates.seen.get() != seen,
                "{name} was looked into, and the log says why it is not used"
            );
        }
    }

    #[test]
    fn clients_that_have_to_show_certificates_need_an_authority_from_the_start() {
        let folder = CertificateDir::new();
        let refused =
            Certificates::load_with_authority(folder.dir()).err().expect("there is no authority").message;
        let path = folder.dir().join(AUTHORITY).display().to_string();
        for words in ["require-certificates", path.as_str(), "is not there", "docs/nbd-tcp.md", "\"require\""]
        {
            assert!(refused.contains(words), "{words}: {refused}");
        }
        let made = rcgen::generate_simple_self_signed(["ca".to_owned()]).expect("a key is made");
        folder.put(AUTHORITY, &made.cert.pem());
        let certificates = Certificates::load_with_authority(folder.dir()).expect("now there is one");
        assert_eq!(certificates.clients(), ClientCertificates::ShowCertificates);
    }

    #[test]
    fn files_that_could_not_be_read_are_read_again_though_they_are_the_same_and_useless_ones_are_not() {
        let folder = CertificateDir::new();
        let certificates = Certificates::load(folder.dir()).expect("all is there");
        let first = certificates.current();
        folder.renew();
        let now = read_stamps(folder.dir());
        certificates.take(now, Err(CertificateFailure::Unread("too many open files".to_owned())));
        assert!(certificates.unread.get() == Some(now), "it is said once");
        let second = certificates.current();
        assert!(!second.is(&first) && certificates.unread.get().is_none());
        folder.renew();
        certificates
            .take(read_stamps(folder.dir()), Err(CertificateFailure::Useless("half of it".to_owned())));
        assert!(certificates.current().is(&second));
    }

    #[test]
    fn renewed_files_are_taken_up_and_broken_ones_are_not() {
        let folder = CertificateDir::new();
        let made = rcgen::generate_simple_self_signed(["ca".to_owned()]).expect("a key is made");
        folder.put(AUTHORITY, &made.cert.pem());
        let certificates = Certificates::load(folder.dir()).expect("all is there");
        assert_eq!(certificates.clients(), ClientCertificates::ShowCertificates);
        let first = certificates.current();
        assert!(certificates.current().is(&first), "nothing has changed");
        folder.renew();
        let second = certificates.current();
        assert!(!second.is(&first), "it was renewed");
        // A partial renewal, and other faults of files.
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key is made");
        folder.put(CERTIFICATE, &made.cert.pem());
        assert!(certificates.current().is(&second), "the key is still the old one");
        folder.put(KEY, &made.signing_key.serialize_pem());
        let third = certificates.current();
        assert!(!third.is(&second), "now they belong together");
        folder.take(AUTHORITY);
        assert!(certificates.current().is(&third), "nobody gets in because a file is away");
        folder.take(KEY);
        assert!(certificates.current().is(&third));
    }
}
