//! Object stores of volumes, by the names that the configuration gives them.
//!
//! ```text
//!   [store.NAME] ──> a client, made when it is first used ── probed before a volume is written, then each hour ──> volumes
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::error::{Error, Result, hint};
use base::units::ScrubInterval;
use objects::{Client, StoreOptions};
use volume::{StoreError, StoreErrorKind};

use crate::served_snapshots::ServedSnapshots;

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
    /// Interval of the scrubs of each volume.
    pub(crate) scrub_interval: ScrubInterval,
}

/// The stores of this host. Clones share their clients.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stores(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    configured: BTreeMap<String, StoreConfig>,
    used: Mutex<BTreeMap<String, Used>>,
    served: ServedSnapshots,
}

#[derive(Clone, Debug)]
struct Used {
    client: Client,
    /// Findings of the last probe; none before the first one.
    findings: Option<StoreFindings>,
}

/// Findings of a probe that a store goes on being used in spite of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreFindings {
    /// Promise that it breaks, or request that it refuses.
    pub(crate) failure: Option<StoreError>,
    /// Settings that do not go with volumes, each a sentence with what to do.
    pub(crate) warnings: Vec<String>,
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
        Self(Arc::new(Inner { configured, ..Inner::default() }))
    }

    /// Returns the snapshots in them that disks of this host serve.
    pub(crate) fn served_snapshots(&self) -> &ServedSnapshots {
        &self.0.served
    }

    /// Returns their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.configured.keys().map(String::as_str)
    }

    /// Returns the time from one scrub of a volume of a store to the next, if there are any.
    pub(crate) fn scrub_interval(&self, name: &str) -> Option<Duration> {
        self.0.configured.get(name)?.scrub_interval.duration()
    }

    /// Returns the client of a store. May block.
    ///
    /// # Errors
    /// If there is none of this name, or its settings cannot be used.
    pub(crate) fn client(&self, name: &str) -> Result<Client> {
        let Some(config) = self.0.configured.get(name) else {
            return Err(self.unknown(name));
        };
        if let Some(used) = self.used().get(name) {
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
        let mut used = self.used();
        let used = used.entry(name.to_owned()).or_insert(Used { client, findings: None });
        Ok(used.client.clone())
    }

    fn used(&self) -> MutexGuard<'_, BTreeMap<String, Used>> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Probes a store, unless the last probe of this process passed: whether it keeps what volumes need of it.
    ///
    /// # Errors
    /// If it does not, or cannot be used.
    pub(crate) async fn probe(&self, name: &str, client: &Client) -> Result<()> {
        let keeps = |used: &Used| used.findings.as_ref().is_some_and(|found| found.failure.is_none());
        if self.used().get(name).is_some_and(keeps) {
            return Ok(());
        }
        let report = objects::probe(client).await.map_err(|error| cannot_use(name, &error))?;
        for warning in &report.warnings {
            tracing::warn!("Store '{name}': {warning}");
        }
        self.note(name, StoreFindings { failure: None, warnings: report.warnings });
        Ok(())
    }

    /// Probes every store again that was probed before: its settings may have changed since. Volumes stay open, whatever is found.
    pub(crate) async fn probe_again(&self) {
        for (name, client) in self.probed() {
            match objects::probe(&client).await {
                Ok(report) => {
                    self.note(&name, StoreFindings { failure: None, warnings: report.warnings });
                }
                // Nothing is known by that. A disk reports it once its guests need the store.
                Err(error) if error.kind.is_transient() => {
                    tracing::debug!("Cannot probe store '{name}': {error}");
                }
                Err(error) => {
                    self.note(&name, StoreFindings { failure: Some(error), ..self.findings(&name) });
                }
            }
        }
    }

    /// Returns the stores that were probed, with their clients.
    fn probed(&self) -> Vec<(String, Client)> {
        let used = self.used();
        let probed = used.iter().filter(|(_, used)| used.findings.is_some());
        probed.map(|(name, used)| (name.clone(), used.client.clone())).collect()
    }

    fn note(&self, name: &str, findings: StoreFindings) {
        if let Some(used) = self.used().get_mut(name) {
            used.findings = Some(findings);
        }
    }

    /// Returns the findings of the last probe of a store.
    pub(crate) fn findings(&self, name: &str) -> StoreFindings {
        self.used().get(name).and_then(|used| used.findings.clone()).unwrap_or_default()
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
        if name.contains('@') {
            return Err("name a volume here, and not one of its snapshots".to_owned());
        }
        Ok(Self { store: store.to_owned(), name: name.to_owned() })
    }
}

impl std::fmt::Display for VolumeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.store, self.name)
    }
}

/// A volume, or one of its snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VolumeSource {
    /// Name of the volume.
    pub(crate) volume: VolumeName,
    /// Name of the snapshot; none for the volume itself.
    pub(crate) snapshot: Option<String>,
}

impl VolumeSource {
    /// Parses STORE/NAME or STORE/NAME@SNAPSHOT.
    ///
    /// # Errors
    /// If it is neither.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (volume, snapshot) = match text.split_once('@') {
            Some((volume, snapshot)) => (volume, Some(parse_snapshot(snapshot)?)),
            None => (text, None),
        };
        Ok(Self { volume: VolumeName::parse(volume)?, snapshot })
    }
}

impl std::fmt::Display for VolumeSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.volume)?;
        self.snapshot.as_ref().map_or(Ok(()), |snapshot| write!(f, "@{snapshot}"))
    }
}

/// Parses the name of a snapshot.
///
/// # Errors
/// If a snapshot cannot have it.
pub(crate) fn parse_snapshot(text: &str) -> Result<String, String> {
    volume::check_name(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
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

    fn missing_is_fine(error: std::io::Error) -> std::io::Result<()> {
        if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
    }

    #[test]
    fn a_store_that_stops_keeping_its_promises_is_known_from_the_next_probe_on_until_it_keeps_them_again() {
        let folder = base::testing::TempDir::new();
        let path = folder.path().join("store");
        let config = StoreConfig { url: format!("file://{}", path.display()), ..StoreConfig::default() };
        let stores = Stores::new([("cold".to_owned(), config)].into());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime for one thread").block_on(async {
            stores.probe_again().await;
            let client = stores.client("cold").expect("the folder is ours");
            assert_eq!(stores.findings("cold"), StoreFindings::default());
            stores.probe("cold", &client).await.expect("it is a good store");
            stores.probe_again().await;
            assert_eq!(stores.findings("cold").failure, None);
            // Where the objects of probes would be is a file.
            let place = path.join("probe");
            std::fs::remove_dir_all(&place).or_else(missing_is_fine).expect("the folder is ours");
            std::fs::write(&place, "in the way").expect("the folder is ours");
            stores.probe_again().await;
            assert!(stores.findings("cold").failure.is_some());
            std::fs::remove_file(&place).expect("the folder is ours");
            stores.probe_again().await;
            assert_eq!(stores.findings("cold").failure, None);
        });
    }

    #[test]
    fn a_volume_is_named_by_its_store_and_its_name_there() {
        let name = VolumeName::parse("cold/db-1").expect("a name");
        assert_eq!(
            (name.store.as_str(), name.name.as_str(), name.to_string().as_str()),
            ("cold", "db-1", "cold/db-1")
        );
        for text in ["", "cold", "cold/", "/db", "cold/a/b", "cold/db@s"] {
            assert!(VolumeName::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_snapshot_is_named_behind_its_volume() {
        for text in ["cold/db-1", "cold/db-1@before-upgrade"] {
            assert_eq!(VolumeSource::parse(text).expect(text).to_string(), text);
        }
        for text in ["cold/db@", "cold/db@a/b", "cold/db@a@b", "cold@s", "@"] {
            assert!(VolumeSource::parse(text).is_err(), "{text}");
        }
    }
}
