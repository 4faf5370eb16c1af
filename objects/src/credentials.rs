//! Keys of S3, from a file or the environment.

use base::bounded::read_all;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use object_store::CredentialProvider;
use object_store::aws::AwsCredential;

/// Largest file of keys, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// Shortest key that is removed from messages, in bytes: shorter ones are words of tests.
const KEY_BYTES_MIN: usize = 6;

/// Version of a file: its number, time of change and size.
type Version = (u64, Option<SystemTime>, u64);

/// The keys, and where they are from.
#[derive(Debug)]
pub(crate) struct Credentials {
    path: Option<PathBuf>,
    current: Mutex<(Option<Version>, Arc<AwsCredential>)>,
}

impl Credentials {
    /// Reads keys from the file, or from the environment if there is none.
    ///
    /// # Errors
    /// A sentence with the reason, which has no key in it.
    pub(crate) fn open(
        path: Option<&Path>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let current = match path {
            Some(path) => read(path).map(|(version, keys)| (Some(version), keys))?,
            None => (None, from_environment(variable)?),
        };
        Ok(Self { path: path.map(Path::to_owned), current: Mutex::new((current.0, Arc::new(current.1))) })
    }

    /// Returns the keys. A replaced file is read; while that fails the keys stay as they were.
    pub(crate) fn current(&self) -> Arc<AwsCredential> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &self.path {
            let now = std::fs::metadata(path).ok().map(|metadata| version(&metadata));
            if now.is_some()
                && now != current.0
                && let Ok((version, keys)) = read(path)
            {
                *current = (Some(version), Arc::new(keys));
            }
        }
        Arc::clone(&current.1)
    }

    /// Returns the text without keys, should the store have put one into it.
    pub(crate) fn redact(&self, text: &str) -> String {
        let keys = self.current();
        let parts = [Some(&keys.secret_key), Some(&keys.key_id), keys.token.as_ref()];
        let filled = parts.into_iter().flatten().filter(|part| part.len() >= KEY_BYTES_MIN);
        filled.fold(text.to_owned(), |text, part| text.replace(part.as_str(), "(key)"))
    }
}

#[async_trait]
impl CredentialProvider for Credentials {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        Ok(self.current())
    }
}

fn version(metadata: &std::fs::Metadata) -> Version {
    (metadata.ino(), metadata.modified().ok(), metadata.len())
}

fn read(path: &Path) -> Result<(Version, AwsCredential), String> {
    let place = path.display();
    let unreadable = |error| format!("Cannot read the credentials file {place}: {error}.");
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(format!("The credentials file {place} is not a small file."));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(format!(
            "Others may read the credentials file {place}. Take that right away: `chmod 600 {place}`."
        ));
    }
    let text = read_all(&file, FILE_BYTES_MAX).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&text);
    let keys = parse(&text).map_err(|missing| {
        format!("The credentials file {place} has no {missing}. It has one line `NAME = VALUE` for each key.")
    })?;
    Ok((version(&metadata), keys))
}

fn parse(text: &str) -> Result<AwsCredential, &'static str> {
    let pairs = || text.lines().filter_map(|line| line.split_once('='));
    let value = |names: [&str; 2]| {
        let found =
            pairs().find(|(name, _)| names.iter().any(|known| name.trim().eq_ignore_ascii_case(known)));
        let value = found.map(|(_, value)| value.trim().trim_matches('"').to_owned());
        value.filter(|value| !value.is_empty())
    };
    Ok(AwsCredential {
        key_id: value(["aws_access_key_id", "access-key-id"]).ok_or("aws_access_key_id")?,
        secret_key: value(["aws_secret_access_key", "secret-access-key"]).ok_or("aws_secret_access_key")?,
        token: value(["aws_session_token", "session-token"]),
    })
}

fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<AwsCredential, String> {
    let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
    let needed = |name: &str| {
        filled(name).ok_or_else(|| {
            format!("There are no credentials: name a file with them, or set {name} in the environment.")
        })
    };
    Ok(AwsCredential {
        key_id: needed("AWS_ACCESS_KEY_ID")?,
        secret_key: needed("AWS_SECRET_ACCESS_KEY")?,
        token: filled("AWS_SESSION_TOKEN"),
    })
}
