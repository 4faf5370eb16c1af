//! Requests for advice: collects the statistics of disks for [`advice`], which computes the rest.

use advice::AdviceDocument;
use advice::{
    self, Advice, AdviceInput, Basis, CurrentSettings, FlashPool, Latencies, LatencyEstimate, RequestCounts,
    Source,
};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use base::error::Error;
use cache::{Curves, Latency, Mode};
use serde::Deserialize;
use telemetry::counted::Counted;
use telemetry::series::{Recent, Window, WindowCounters};
use utoipa::IntoParams;

use super::SharedRegistry;
use super::answer::{ErrorResponse, Name, Reply};
use crate::registry::{DiskView, Registry};
use crate::shard::DiskReport;

/// Requests of the last day below which latencies are those since the disk was attached.
const MEASURED_FROM: u64 = 100;

/// Parameters of advice.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AdviceParameters {
    /// Wanted share of hits in reads: the advice then has the size that reaches it.
    #[param(minimum = 0.01, maximum = 1.0, example = 0.9)]
    hit_ratio: Option<f64>,
}

type AdviceQuery = Result<Query<AdviceParameters>, QueryRejection>;

/// Recommended settings of every disk.
#[utoipa::path(
    get,
    path = "/v1/advice",
    tag = "statistics",
    params(AdviceParameters),
    responses((status = OK, description = "Advice for all disks", body = AdviceDocument))
)]
pub(super) async fn all(State(registry): SharedRegistry, asked: AdviceQuery) -> Reply<AdviceDocument> {
    let wanted = wanted(asked)?;
    let pool = pool(&registry).await;
    let mut all = Vec::new();
    for view in registry.disks().await {
        let name = view.record.name.clone();
        all.push(match (&view.report, registry.curves(&name).await) {
            (Ok(report), Ok((curves, _))) => of_disk(&registry, &view, report, &curves, pool, wanted),
            (Err(reason), _) => advice::of_unserved(&name, reason),
            (_, Err(problem)) => advice::of_unserved(&name, &problem.message),
        });
    }
    Ok(Json(AdviceDocument::of(all)))
}

/// Recommended size, blocks, mode and RAM of one disk, with the expected result and reasons.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}/advice",
    tag = "statistics",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"), AdviceParameters),
    responses((status = OK, description = "Advice for the disk", body = AdviceDocument))
)]
pub(super) async fn one(
    State(registry): SharedRegistry,
    Name(name): Name,
    asked: AdviceQuery,
) -> Reply<AdviceDocument> {
    let wanted = wanted(asked)?;
    let view = registry.disk(&name).await?;
    let report = view.report.as_ref().map_err(|reason| {
        Error::unavailable(format!(
            "Cannot advise on disk '{name}', of which nothing is known until it is attached: {reason}; see `forebay disk list`"
        ))
    })?;
    let (curves, _) = registry.curves(&name).await?;
    let pool = pool(&registry).await;
    Ok(Json(AdviceDocument::of(vec![of_disk(&registry, &view, report, &curves, pool, wanted)])))
}

fn wanted(asked: AdviceQuery) -> Result<Option<f64>, ErrorResponse> {
    let Query(AdviceParameters { hit_ratio }) = asked.map_err(|rejection| {
        let what = rejection.body_text();
        Error::invalid(format!("Cannot read the request: {what}; `hit_ratio` is all that it may ask for"))
    })?;
    match hit_ratio {
        Some(ratio) if !(0.01..=1.0).contains(&ratio) => Err(Error::invalid(format!(
            "Cannot advise on a hit ratio of {ratio}: it is a share of reads, from 0.01 to 1"
        ))
        .into()),
        ratio => Ok(ratio),
    }
}

/// Returns the flash of the host; none if it is missing or its shards do not answer.
async fn pool(registry: &Registry) -> Option<FlashPool> {
    let view = registry.pool().await.ok()?;
    if view.in_use.missing.is_some() || view.report.statistics.failed {
        return None;
    }
    let statistics = &view.report.statistics;
    Some(FlashPool {
        size_bytes: statistics.size_bytes,
        usable_bytes: statistics.usable_bytes,
        least_bytes: view.report.reserve_bytes_min,
        can_mirror: statistics.can_mirror,
    })
}

fn of_disk(
    registry: &Registry,
    view: &DiskView,
    report: &DiskReport,
    curves: &Curves,
    pool: Option<FlashPool>,
    wanted: Option<f64>,
) -> Advice {
    let lately = registry.windowed(view, Window::Last(Recent::Day)).or_else(|| view.since_attached());
    let present = present(view, report, registry.divides_ram());
    advice::advise(&AdviceInput {
        source: Source::Disk,
        name: &view.record.name,
        curves,
        asked: asked(lately.as_ref(), present.mode),
        latencies: latencies(lately.as_ref(), &Counted::of(&report.statistics)),
        present: Some(present),
        pool,
        simulated: &[],
        unsimulated: None,
        disk_bytes: report.size_bytes,
        wanted,
    })
}

fn present(view: &DiskView, report: &DiskReport, divides_ram: bool) -> CurrentSettings {
    let (settings, statistics) = (&report.settings, &report.statistics);
    CurrentSettings {
        mode: settings.mode,
        is_read_only: view.record.read_only,
        cache_bytes: statistics.cache_bytes_max,
        held_bytes: statistics.cached_bytes + statistics.ram_bytes,
        ram_bytes: settings.ram_bytes,
        has_divided_ram: divides_ram && view.record.settings.fixed_ram().is_none(),
        has_limit: view.record.settings.has_limit(),
        reserve_bytes: settings.reserve_bytes,
        block_bytes: settings.block_bytes.into(),
        dirty_limit_bytes: statistics.dirty_limit_bytes,
        flash_content_bytes: statistics.cached_bytes,
        index_bytes: statistics.index_bytes,
    }
}

fn asked(lately: Option<&WindowCounters>, mode: Mode) -> RequestCounts {
    let Some(WindowCounters { seconds, counted, .. }) = lately else { return RequestCounts::default() };
    let counts = &counted.counts;
    RequestCounts {
        reads: counts.reads,
        writes: counts.writes,
        has_directions: true,
        sequential: (mode != Mode::PassThrough).then_some(counts.reads_bypassed),
        hits: Some(counts.read_hits_ram + counts.read_hits_flash),
        partial_hits: counts.read_partial_hits,
        seconds: Some(*seconds),
        flash_write_bytes: Some(counts.flash_write_bytes),
    }
}

fn latencies(lately: Option<&WindowCounters>, since_attached: &Counted) -> Latencies {
    let of = |what: Latency| {
        let lately = lately.map(|lately| &lately.counted.latencies[what as usize]);
        let enough = lately.filter(|measured| measured.count() >= MEASURED_FROM);
        let summary = enough.unwrap_or(&since_attached.latencies[what as usize]).summary();
        (summary.count > 0).then_some(LatencyEstimate {
            us: summary.mean,
            basis: Basis::Measured,
            count: summary.count,
        })
    };
    // A disk in pass-through had no hits yet. The time of a miss is not assumed: everything depends on it.
    Latencies {
        ram: of(Latency::ReadHitRam).or(Some(LatencyEstimate::RAM)),
        flash: of(Latency::ReadHitFlash).or(Some(LatencyEstimate::FLASH)),
        miss: of(Latency::ReadMiss),
        write: of(Latency::Write),
    }
}

#[cfg(test)]
mod tests {
    use block::ByteRange;
    use cache::{Curve, Use};

    use super::*;
    use crate::keys::Values;

    #[test]
    fn every_advised_key_is_one_that_a_disk_takes() {
        let mut curve = Curve::new();
        let loops = (0..4).flat_map(|_| (0..2_u64 << 30).step_by(256 << 10));
        for (at, offset) in loops.enumerate() {
            curve.observe(&ByteRange::at(offset, 256 << 10), Use::Read, at as u64 * 10_000_000);
        }
        let curves = curve.curves();
        let present = CurrentSettings {
            mode: Mode::WriteThrough,
            is_read_only: false,
            cache_bytes: 100 << 30,
            held_bytes: 100 << 30,
            ram_bytes: 1 << 20,
            has_divided_ram: false,
            has_limit: true,
            reserve_bytes: 0,
            block_bytes: 64 << 10,
            dirty_limit_bytes: 16 << 20,
            flash_content_bytes: 100 << 30,
            index_bytes: 200 << 20,
        };
        let pool =
            FlashPool { size_bytes: 2 << 40, usable_bytes: 2 << 40, least_bytes: 1 << 20, can_mirror: false };
        let known = AdviceInput {
            source: Source::Disk,
            name: "web1",
            curves: &curves,
            asked: RequestCounts {
                reads: 32_768,
                has_directions: true,
                hits: Some(0),
                ..RequestCounts::default()
            },
            latencies: Latencies::default(),
            present: Some(present),
            pool: Some(pool),
            simulated: &[],
            unsimulated: None,
            disk_bytes: 4 << 40,
            wanted: None,
        };
        let trace = AdviceInput { source: Source::Trace, present: None, pool: None, ..known };
        for known in [known, trace] {
            let advice = serde_json::to_value(advice::advise(&known)).expect("it is a document");
            let keys = advice["keys"].as_object().expect("they are named");
            assert!(!keys.is_empty(), "{advice}");
            let pairs = keys.iter().map(|(key, value)| (key.as_str(), value.as_str().expect("it is text")));
            Values::default().with(pairs.collect::<Vec<_>>()).expect("a disk takes them");
        }
    }
}
