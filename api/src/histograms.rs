//! Requests of a disk in classes.

use serde::Serialize;
use utoipa::ToSchema;

use crate::listed::OfLatencies;

/// The histograms of a disk since it was attached.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Histograms)]
pub struct DiskHistograms {
    pub name: String,
    /// When counting began, in UTC.
    pub since: String,
    pub size: ReadsAndWrites,
    pub latency: LatencyHistograms,
    pub seek: ReadsAndWrites,
    pub outstanding: ReadsAndWrites,
    pub interarrival: ReadsAndWrites,
}

/// Reads and writes apart.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReadsAndWrites {
    pub unit: &'static str,
    pub read: Vec<Class>,
    pub write: Vec<Class>,
}

/// Each way in which a request can end apart.
#[derive(Debug, Serialize, ToSchema)]
pub struct LatencyHistograms {
    pub unit: &'static str,
    #[serde(flatten)]
    pub classes: OfLatencies,
}

/// A class of a histogram.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistogramClass)]
pub struct Class {
    /// Its largest value; the last class has none.
    pub upto: Option<i64>,
    pub count: u64,
}
