//! Documents of disks, pool and host: types of the engine become plain data of the crate `api`.

mod curve;
mod disk;
mod histograms;
mod history;
mod pool;
mod report;
mod statistics;
mod wear;

use std::path::Path;

pub(crate) use curve::disk_curve;
pub(crate) use disk::{disk, disk_in_list, fault_of_disk, lost, scrub_report};
pub(crate) use histograms::disk_histograms;
pub(crate) use history::disk_history;
pub(crate) use pool::{faults_of_pool, pool};
pub(crate) use report::disk_gain;
pub(crate) use statistics::statistics;

use api::{Acceptance, Event, Host, Snapshot};
use base::moment::Moment;
use telemetry::events;

use crate::backing::StorageSnapshot;
use crate::places::host_name;
use crate::shard::Evidence;

const SECOND_NS: u64 = 1_000_000_000;

/// Returns the document of a snapshot that was just made.
pub(crate) fn snapshot(taken: StorageSnapshot) -> Snapshot {
    let StorageSnapshot { of, name, as_of, bytes } = taken;
    Snapshot { volume: of, name, as_of: moment(as_of), size_bytes: bytes }
}

/// Returns a time in nanoseconds since 1970 as text; none for 0.
pub(crate) fn moment(nanos: u64) -> Option<String> {
    (nanos > 0).then(|| Moment(nanos / SECOND_NS).to_string())
}

/// Returns the document of a backing that was compared with the clean pages on flash.
pub(crate) fn acceptance(name: String, evidence: Evidence) -> Acceptance {
    let Evidence { doubt, comparison, is_accepted } = evidence;
    Acceptance {
        name,
        accepted: is_accepted,
        doubt,
        pages_cached: comparison.pages_cached,
        pages_compared: comparison.pages_compared,
        pages_different: comparison.pages_different,
        dirty_bytes: comparison.pages_dirty * block::PAGE,
    }
}

/// Returns the document of an event.
pub(crate) fn event(event: &events::Event) -> Event {
    Event {
        id: event.id,
        time: event.at.to_string(),
        level: event.kind.level().name(),
        kind: event.kind.name(),
        disk: event.disk.clone(),
        message: event.message.clone(),
        advice: event.kind.advice(event.disk.as_deref()),
    }
}

/// Returns the document of this host; `may_change` is true if the request may make changes.
pub(crate) fn host(dir: &Path, token_path: &Path, may_change: bool) -> Host {
    Host {
        name: host_name(),
        version: env!("CARGO_PKG_VERSION"),
        dir: dir.display().to_string(),
        token_path: token_path.display().to_string(),
        may_change,
    }
}

#[cfg(test)]
mod tests {
    use base::moment::Moment;
    use serde_json::{Value, json};
    use telemetry::events::Kind;

    use super::*;

    #[test]
    fn the_document_of_an_event_has_level_and_advice_of_the_kind() {
        let disk = Some("a".to_owned());
        let happened = telemetry::events::Event {
            id: 7,
            at: Moment(0),
            kind: Kind::DataLost,
            disk,
            message: "Lost".to_owned(),
        };
        let document = json!(event(&happened));
        assert_eq!(document["time"], "1970-01-01T00:00:00Z");
        assert_eq!((&document["level"], &document["kind"]), (&"error".into(), &"data-lost".into()));
        assert!(document["advice"].as_str().is_some_and(|advice| advice.contains("disk show a --lost")));
        let happened = telemetry::events::Event { kind: Kind::DiskAdded, disk: None, ..happened };
        let document = json!(event(&happened));
        assert_eq!((&document["disk"], &document["advice"]), (&Value::Null, &Value::Null));
    }
}
