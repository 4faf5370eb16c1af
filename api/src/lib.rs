//! Documents of the control plane: the JSON that `--json` prints and HTTP answers with, and requests for changes.
//!
//! Plain data. Nothing here knows a served disk, a socket or the command line: the engine's side makes these documents, and their readers
//! and senders need this crate alone.
//!
//! Every document has `"schema": 1` and one fixed key beside it. Keys are those of the documentation; none is ever missing, an unknown
//! value is `null`. The OpenAPI document has a schema of each, made from these very types: the doc line of a field is its description
//! there, and a self-explanatory key has none.

#![allow(missing_docs, reason = "what a key means is described once, where its name does not say it")]

pub mod curve;
pub mod disk;
pub mod histograms;
mod history;
mod host;
mod listed;
pub mod pool;
pub mod report;
mod requests;
pub mod statistics;
pub mod wear;

use serde_json::{Map, Value};

pub use curve::DiskCurve;
pub use disk::{Acceptance, Disk, DiskInList, DiskState, Lost, Recording, Remark, Resized, Snapshot};
pub use histograms::DiskHistograms;
pub use history::DiskHistory;
pub use host::{Event, Host, ProblemDocument};
pub use listed::{Counts, Latencies, Listed, OfLatencies, Settings, name_keys, names_of};
pub use pool::{DeviceState, Pool, PoolState};
pub use report::DiskGain;
pub use requests::{
    AcceptDisk, AddDevice, AddDisk, AttachVm, Guest, NUMBER_MAX, QuiesceDisk, RemoveDisk, ResizeDevice,
    ResizeDisk, ResumeDisk, ScrubDisk, SetDisk, SetPool, TakeSnapshot,
};
pub use statistics::Statistics;

/// Version of all documents.
pub const SCHEMA: u64 = 1;

/// Returns `{"schema":1,"<key>":<content>}`, for output of commands that does not come from a daemon.
pub fn document(key: &str, content: impl Into<Value>) -> Value {
    let mut document = Map::new();
    document.insert("schema".to_owned(), SCHEMA.into());
    document.insert(key.to_owned(), content.into());
    Value::Object(document)
}

/// Defines documents with one key, here and in crates that make documents of their own.
#[macro_export]
macro_rules! documents {
    ($($(#[doc = $about:literal])* $name:ident { $key:ident: $content:ty })*) => {
        $(
            $(#[doc = $about])*
            #[derive(Debug, serde::Serialize, utoipa::ToSchema)]
            pub struct $name {
                /// Version of all documents: 1.
                schema: u64,
                $key: $content,
            }

            impl $name {
                /// Returns the document of this content.
                pub fn of($key: $content) -> Self {
                    Self { schema: $crate::SCHEMA, $key }
                }
            }
        )*
    };
}

documents! {
    /// All disks, in the order in which they were added.
    DisksDocument { disks: Vec<DiskInList> }
    /// One disk.
    DiskDocument { disk: Disk }
    /// The name of a disk that is no longer served.
    RemovedDocument { removed: String }
    /// The result of a comparison of a backing with what is cached, and whether it was accepted.
    AcceptanceDocument { acceptance: Acceptance }
    /// Result of adopting the new size of a disk's backing.
    ResizedDocument { resized: Resized }
    /// A snapshot of a volume.
    SnapshotDocument { snapshot: Snapshot }
    /// The name of a snapshot that was deleted.
    DeletedSnapshotDocument { deleted: String }
    /// A disk that is recorded.
    RecordingDocument { recording: Recording }
    /// Data of a disk that flash lost.
    LostDocument { lost: Lost }
    /// Counters, ratios and latencies of disks.
    StatisticsDocument { disks: Vec<Statistics> }
    /// The histograms of a disk.
    HistogramsDocument { histograms: DiskHistograms }
    /// Predictions for a disk of caches of other sizes.
    CurveDocument { curve: DiskCurve }
    /// Effect of the cache on a disk.
    ReportDocument { report: DiskGain }
    /// Recent history of a disk, step by step.
    HistoryDocument { history: DiskHistory }
    /// Events, the oldest first.
    EventsDocument { events: Vec<Event> }
    /// The name of a disk that was moved between a running guest and Forebay.
    MovedDocument { moved: String }
    /// The host that answers.
    HostDocument { host: Host }
    /// The pool.
    PoolDocument { pool: Pool }
}
