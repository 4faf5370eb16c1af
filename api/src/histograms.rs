//! Histograms of a disk's requests.

use serde::Serialize;
use utoipa::ToSchema;

use crate::listed::OfLatencies;

/// Histograms of a disk since it was attached.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Histograms)]
pub struct DiskHistograms {
    pub name: String,
    /// Time at which counting began, in UTC.
    pub since: String,
    pub size: ReadsAndWrites,
    pub latency: LatencyHistograms,
    pub seek: ReadsAndWrites,
    pub outstanding: ReadsAndWrites,
    pub interarrival: ReadsAndWrites,
}

/// Histograms of reads and of writes.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReadsAndWrites {
    pub unit: &'static str,
    pub read: Vec<Class>,
    pub write: Vec<Class>,
}

/// Histograms of latencies, one for each outcome of a request.
#[derive(Debug, Serialize, ToSchema)]
pub struct LatencyHistograms {
    pub unit: &'static str,
    #[serde(flatten)]
    pub classes: OfLatencies,
}

/// Class of a histogram.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistogramClass)]
pub struct Class {
    /// Its largest value; none for the last class.
    pub upto: Option<i64>,
    pub count: u64,
}
