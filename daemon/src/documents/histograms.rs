//! Documents of request histograms.

use std::time::Duration;

use api::histograms::{Class, LatencyHistograms, ReadsAndWrites};
use api::{DiskHistograms, Listed, OfLatencies};
use base::moment::Moment;
use cache::{DirectionHistograms, Histogram, Latency};

use crate::shard::DiskReport;

/// Returns the document of all histograms of a disk.
pub(crate) fn disk_histograms(name: &str, report: &DiskReport) -> DiskHistograms {
    let cache::Histograms { reads, writes, latencies } = &*report.statistics.histograms;
    let pair = |of: fn(&DirectionHistograms) -> &Histogram| {
        let (read, write) = (of(reads), of(writes));
        ReadsAndWrites { unit: read.unit(), read: classes(read), write: classes(write) }
    };
    let named = Latency::ALL.iter().zip(latencies);
    let latency = named.map(|((_, name), measured)| (*name, classes(measured)));
    DiskHistograms {
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

/// Returns the start of something that has lasted for this long.
pub(super) fn began(ago: Duration) -> Moment {
    Moment(Moment::now().0.saturating_sub(ago.as_secs()))
}

fn classes(histogram: &Histogram) -> Vec<Class> {
    histogram.classes().map(|(upto, count)| Class { upto, count }).collect()
}
