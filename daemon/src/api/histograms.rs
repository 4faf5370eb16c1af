//! Requests of a disk in classes, as a document.

use std::time::Duration;

use base::moment::Moment;
use cache::{DirectionHistograms, Histogram, Latency};
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::listed::{Listed, schema_of};
use crate::shard::DiskReport;

/// The histograms of a disk since it was attached.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Histograms)]
pub(crate) struct DiskHistograms {
    name: String,
    /// When counting began, in UTC.
    since: String,
    size: ReadsAndWrites,
    latency: LatencyHistograms,
    seek: ReadsAndWrites,
    outstanding: ReadsAndWrites,
    interarrival: ReadsAndWrites,
}

/// Reads and writes apart.
#[derive(Debug, Serialize, ToSchema)]
struct ReadsAndWrites {
    unit: &'static str,
    read: Vec<Class>,
    write: Vec<Class>,
}

/// Each way in which a request can end apart.
#[derive(Debug, Serialize, ToSchema)]
struct LatencyHistograms {
    unit: &'static str,
    #[serde(flatten)]
    classes: OfLatencies,
}

/// Each class of latencies by its name.
#[derive(Debug, Serialize)]
struct OfLatencies(Listed<Vec<Class>>);

/// A class of a histogram.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistogramClass)]
pub(super) struct Class {
    /// Its largest value; the last class has none.
    pub(super) upto: Option<i64>,
    pub(super) count: u64,
}

impl DiskHistograms {
    pub(crate) fn of(name: &str, report: &DiskReport) -> Self {
        let cache::Histograms { reads, writes, latencies } = &*report.statistics.histograms;
        let pair = |of: fn(&DirectionHistograms) -> &Histogram| {
            let (read, write) = (of(reads), of(writes));
            ReadsAndWrites { unit: read.unit(), read: classes(read), write: classes(write) }
        };
        let named = Latency::ALL.iter().zip(latencies);
        let latency = named.map(|((_, name), measured)| (*name, classes(measured)));
        Self {
            name: name.to_owned(),
            since: began(report.attached_for).to_string(),
            size: pair(|direction| &direction.size),
            latency: LatencyHistograms {
                unit: latencies[0].unit(),
                classes: OfLatencies(Listed(latency.collect())),
            },
            seek: pair(|direction| &direction.seek),
            outstanding: pair(|direction| &direction.outstanding),
            interarrival: pair(|direction| &direction.interarrival),
        }
    }
}

pub(super) fn began(ago: Duration) -> Moment {
    Moment(Moment::now().0.saturating_sub(ago.as_secs()))
}

fn classes(histogram: &Histogram) -> Vec<Class> {
    histogram.classes().map(|(upto, count)| Class { upto, count }).collect()
}

impl PartialSchema for OfLatencies {
    fn schema() -> RefOr<Schema> {
        schema_of::<Vec<Class>>(Latency::ALL.iter().map(|(_, name)| *name))
    }
}

impl ToSchema for OfLatencies {}
