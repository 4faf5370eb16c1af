//! What the control plane says and is asked with: the JSON documents that `--json` prints, and requests for changes.
//!
//! Every document has `"schema": 1` and one fixed key beside it. Keys are those of the documentation; none is ever
//! missing, what is not known is `null`. All of it has a schema in the OpenAPI document, made from these very types.

mod acceptance;
mod connect;
mod curve;
mod disk;
mod event;
mod histograms;
mod history;
mod host;
mod listed;
mod pool;
mod problem;
mod recording;
mod report;
mod requests;
mod resized;
mod statistics;
mod wear;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub(crate) use acceptance::Acceptance;
use advice::Advice;
pub(crate) use connect::Connect;
pub(crate) use curve::DiskCurve;
pub(crate) use disk::{Disk, DiskInList, DiskState, Lost, standing_of_disk};
pub(crate) use event::Event;
pub(crate) use histograms::DiskHistograms;
pub(crate) use history::DiskHistory;
pub(crate) use host::Host;
pub(crate) use listed::names_of;
pub(crate) use pool::{DeviceState, Pool, PoolState, standing_of_pool};
pub(crate) use problem::ProblemDocument;
pub(crate) use recording::Recording;
pub(crate) use report::DiskGain;
pub(crate) use requests::{
    AcceptDisk, AddDevice, AddDisk, AttachVm, Guest, NUMBER_MAX, QuiesceDisk, RemoveDisk, ResumeDisk,
    SetDisk, SetPool,
};
pub(crate) use resized::Resized;
pub(crate) use statistics::Statistics;

/// Version of all documents.
const SCHEMA: u64 = 1;

/// `{"schema":1,"<key>":<content>}`, for what commands print that comes from no daemon.
pub(crate) fn document(key: &str, content: impl Into<Value>) -> Value {
    let mut document = Map::new();
    document.insert("schema".to_owned(), SCHEMA.into());
    document.insert(key.to_owned(), content.into());
    Value::Object(document)
}

/// Documents with one key.
macro_rules! documents {
    ($($(#[doc = $about:literal])* $name:ident { $key:ident: $content:ty })*) => {
        $(
            $(#[doc = $about])*
            #[derive(Debug, Serialize, ToSchema)]
            pub(crate) struct $name {
                /// Version of all documents: 1.
                schema: u64,
                $key: $content,
            }

            impl $name {
                pub(crate) fn of($key: $content) -> Self {
                    Self { schema: SCHEMA, $key }
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
    /// The name of a disk that is not served any more.
    RemovedDocument { removed: String }
    /// What a comparison of a backing with what is cached found, and whether it was accepted.
    AcceptanceDocument { acceptance: Acceptance }
    /// A disk that was to take the size of its backing.
    ResizedDocument { resized: Resized }
    /// A disk that is recorded.
    RecordingDocument { recording: Recording }
    /// What clients type to reach a disk.
    ConnectDocument { connect: Connect }
    /// What flash lost of a disk.
    LostDocument { lost: Lost }
    /// Counters, ratios and latencies of disks.
    StatisticsDocument { disks: Vec<Statistics> }
    /// The histograms of a disk.
    HistogramsDocument { histograms: DiskHistograms }
    /// What caches of other sizes would do for a disk.
    CurveDocument { curve: DiskCurve }
    /// What would serve disks best, or what a trace was recorded of.
    AdviceDocument { advice: Vec<Advice> }
    /// What the cache does for a disk.
    ReportDocument { report: DiskGain }
    /// What a disk did lately, step by step.
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
