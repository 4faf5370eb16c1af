//! Object stores of volumes, by the names that the configuration gives them.
//!
//! ```text
//!   [store.NAME] ──> a client, made when it is first used ── probed once, before a volume is written ──> volumes
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::error::{Error, Result, hint};
use objects::{Client, StoreOptions};
use volume::{StoreError, StoreErrorKind};

/// A store in the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreConfig {
    /// Its address.
    pub(crate) url: String,
    /// Servers, if they are not those of the address.
    pub(crate) endpoints: Vec<String>,
    /// Region.
    pub(crate) region: Option<String>,
    /// File of keys.
    pub(crate) credentials: Option<PathBuf>,
    /// File of certificates.
    pub(crate) ca: Option<PathBuf>,
}

/// The stores of this host. Clones share their clients.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stores(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    configured: BTreeMap<String, StoreConfig>,
    used: Mutex<BTreeMap<String, Used>>,
}

#[derive(Clone, Debug)]
struct Used {
    client: Client,
    is_probed: bool,
}

impl PartialEq for Stores {
    fn eq(&self, other: &Self) -> bool {
        self.0.configured == other.0.configured
    }
}

impl Eq for Stores {}

impl Stores {
    /// Creates the stores of a configuration.
    pub(crate) fn new(configured: BTreeMap<String, StoreConfig>) -> Self {
        Self(Arc::new(Inner { configured, used: Mutex::default() }))
    }

    /// Returns their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.configured.keys().map(String::as_str)
    }

    /// Returns the client of a store. May block.
    ///
    /// # Errors
    /// If there is none of this name, or its settings cannot be used.
    pub(crate) fn client(&self, name: &str) -> Result<Client> {
        let Some(config) = self.0.configured.get(name) else {
            return Err(self.unknown(name));
        };
        let used = || self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = used().get(name) {
            return Ok(used.client.clone());
        }
        let options = StoreOptions {
            endpoints: config.endpoints.clone(),
            region: config.region.clone(),
            credentials: config.credentials.clone(),
            ca: config.ca.clone(),
            ..StoreOptions::new(config.url.clone())
        };
        let client = Client::open(&options).map_err(|error| cannot_use(name, &error))?;
        // Another thread may have been faster.
        let mut used = used();
        let used = used.entry(name.to_owned()).or_insert(Used { client, is_probed: false });
        Ok(used.client.clone())
    }

    /// Probes a store, unless this process did so before: whether it keeps what volumes need of it.
    ///
    /// # Errors
    /// If it does not, or cannot be used.
    pub(crate) async fn probe(&self, name: &str, client: &Client) -> Result<()> {
        let used = || self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used().get(name).is_some_and(|used| used.is_probed) {
            return Ok(());
        }
        let report = objects::probe(client).await.map_err(|error| cannot_use(name, &error))?;
        for warning in report.warnings {
            tracing::warn!("Store '{name}': {warning}");
        }
        if let Some(used) = used().get_mut(name) {
            used.is_probed = true;
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Error {
        let known: Vec<&str> = self.names().collect();
        let advice = if known.is_empty() {
            format!(
                "the configuration has no store; add a table [store.{name}] with url = \"s3://BUCKET/PREFIX\" or \"file:///FOLDER\" to \
                 the file that `forebay serve --config FILE` reads"
            )
        } else {
            hint(name, &known)
        };
        Error::missing(format!("Cannot find store '{name}': {advice}"))
    }
}

/// Returns the error for a store that cannot be used.
pub(crate) fn cannot_use(name: &str, error: &StoreError) -> Error {
    let message = format!("Cannot use store '{name}': {error}");
    match error.kind {
        StoreErrorKind::Unreachable | StoreErrorKind::Full => Error::unavailable(message),
        StoreErrorKind::NotFound => Error::missing(message),
        _ => Error::invalid(message),
    }
}

/// Name of a volume: its store, and its name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VolumeName {
    /// Name of the store.
    pub(crate) store: String,
    /// Name in the store.
    pub(crate) name: String,
}

impl VolumeName {
    /// Parses STORE/NAME.
    ///
    /// # Errors
    /// If it is not that.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').filter(|(store, name)| !store.is_empty() && !name.is_empty());
        let Some((store, name)) = parts else {
            return Err(
                "write it as STORE/NAME: a table [store.STORE] of the configuration, and a name in it"
                    .to_owned(),
            );
        };
        if name.contains('/') {
            return Err("the name of a volume has no '/'".to_owned());
        }
        Ok(Self { store: store.to_owned(), name: name.to_owned() })
    }
}

impl std::fmt::Display for VolumeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.store, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_not_configured_is_refused_with_what_to_do() {
        let error = Stores::default().client("s3").expect_err("there is none");
        assert!(error.message.contains("[store.s3]"), "{error}");
        let stores = Stores::new([("cold".to_owned(), StoreConfig::default())].into());
        let error = stores.client("clod").expect_err("there is none");
        assert!(error.message.contains("cold"), "{error}");
    }

    #[test]
    fn a_volume_is_named_by_its_store_and_its_name_there() {
        let name = VolumeName::parse("cold/db-1").expect("a name");
        assert_eq!(
            (name.store.as_str(), name.name.as_str(), name.to_string().as_str()),
            ("cold", "db-1", "cold/db-1")
        );
        for text in ["", "cold", "cold/", "/db", "cold/a/b"] {
            assert!(VolumeName::parse(text).is_err(), "{text}");
        }
    }
}
