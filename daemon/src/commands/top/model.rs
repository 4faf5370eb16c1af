//! Model of the live screen, computed from two polls of the daemon's documents. Pure.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use base::units::float;
use serde_json::Value;

use crate::output::list;

/// Points of the past that are kept: five minutes of seconds.
const POINTS_MAX: usize = 300;

/// Answers of the daemon at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// Time since any moment, the same for all polls.
    pub(super) at: Duration,
    /// `/v1/disks`.
    pub(super) disks: Value,
    /// `/v1/stats`: counters since disks were attached.
    pub(super) counters: Value,
    /// `/v1/stats` of the last five minutes, for figures that two counters do not give.
    pub(super) recent: Value,
    /// `/v1/pool`.
    pub(super) pool: Value,
}

/// A disk, as a line of the screen. Unknown values are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DiskRow {
    pub(super) name: String,
    pub(super) state: String,
    pub(super) mode: String,
    /// Full hits of the reads of the last interval.
    pub(super) hit_ratio: Option<f64>,
    /// Reads a second in the last interval, like the following.
    pub(super) reads: Option<f64>,
    pub(super) writes: Option<f64>,
    pub(super) read_bytes: Option<f64>,
    pub(super) write_bytes: Option<f64>,
    pub(super) backing_reads: Option<f64>,
    pub(super) backing_writes: Option<f64>,
    pub(super) destage_bytes: Option<f64>,
    /// Latency of reads that the backing answered, in microseconds.
    pub(super) miss_p99_us: Option<f64>,
    pub(super) write_p99_us: Option<f64>,
    pub(super) dirty_bytes: Option<u64>,
    /// Share of the dirty limit.
    pub(super) dirty_share: Option<f64>,
    pub(super) cached_bytes: Option<u64>,
    pub(super) ram_bytes: Option<u64>,
    /// Reason for which it is not served, or fault of its backing.
    pub(super) reason: Option<String>,
}

/// The host, for the head of the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct HostSummary {
    pub(super) pool_state: String,
    pub(super) pool_used_bytes: u64,
    pub(super) pool_bytes: u64,
    pub(super) devices: usize,
    /// RAM of content and index of all disks.
    pub(super) ram_bytes: u64,
    pub(super) disks: usize,
    /// Disks that are not served normally.
    pub(super) unwell: usize,
}

/// Column by which lines are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SortColumn {
    #[default]
    Name,
    State,
    Hit,
    Reads,
    Writes,
    ReadBytes,
    WriteBytes,
    MissLatency,
    WriteLatency,
    Dirty,
}

impl SortColumn {
    /// All columns in the order of the screen, with the key that chooses each and its heading.
    pub(super) const ALL: [(Self, char, &'static str); 10] = [
        (Self::Name, 'n', "NAME"),
        (Self::State, 's', "STATE"),
        (Self::Hit, 'h', "HIT"),
        (Self::Reads, 'r', "R/S"),
        (Self::Writes, 'w', "W/S"),
        (Self::ReadBytes, 'b', "RMB/S"),
        (Self::WriteBytes, 'v', "WMB/S"),
        (Self::MissLatency, 'm', "MISS99"),
        (Self::WriteLatency, 'l', "WRIT99"),
        (Self::Dirty, 'd', "DIRTY"),
    ];

    /// Returns the column this many places further, wrapping around.
    pub(super) fn neighbour(self, places: isize) -> Self {
        let at = Self::ALL.iter().position(|(column, ..)| *column == self).unwrap_or(0);
        let at = at.cast_signed() + places;
        Self::ALL[at.rem_euclid(Self::ALL.len().cast_signed()).cast_unsigned()].0
    }

    /// Returns the column that a key chooses.
    pub(super) fn of_key(key: char) -> Option<Self> {
        Self::ALL.iter().find(|(_, letter, _)| *letter == key).map(|(column, ..)| *column)
    }

    fn compare(self, one: &DiskRow, other: &DiskRow) -> Ordering {
        // Largest first, unknown last.
        let most =
            |one: Option<f64>, other: Option<f64>| other.unwrap_or(-1.0).total_cmp(&one.unwrap_or(-1.0));
        match self {
            Self::Name => Ordering::Equal,
            // Served disks last: sorting by state is a search for the others.
            Self::State => {
                (one.state == "serving", &one.state).cmp(&(other.state == "serving", &other.state))
            }
            Self::Hit => most(one.hit_ratio, other.hit_ratio),
            Self::Reads => most(one.reads, other.reads),
            Self::Writes => most(one.writes, other.writes),
            Self::ReadBytes => most(one.read_bytes, other.read_bytes),
            Self::WriteBytes => most(one.write_bytes, other.write_bytes),
            Self::MissLatency => most(one.miss_p99_us, other.miss_p99_us),
            Self::WriteLatency => most(one.write_p99_us, other.write_p99_us),
            Self::Dirty => {
                most(one.dirty_share, other.dirty_share).then(other.dirty_bytes.cmp(&one.dirty_bytes))
            }
        }
    }
}

/// Sorts lines; equal ones by their names.
pub(super) fn sort(rows: &mut [DiskRow], column: SortColumn, is_reversed: bool) {
    rows.sort_by(|one, other| {
        let order = column.compare(one, other).then_with(|| one.name.cmp(&other.name));
        if is_reversed { order.reverse() } else { order }
    });
}

/// Returns every disk, with its rates since the last poll.
pub(super) fn rows(before: Option<&Sample>, now: &Sample) -> Vec<DiskRow> {
    let row = |disk: &Value| {
        let name = disk["name"].as_str().unwrap_or_default();
        let counters = named(&now.counters["disks"], name);
        let earlier = before.map_or(&Value::Null, |before| named(&before.counters["disks"], name));
        let seconds = before.map_or(0.0, |before| now.at.saturating_sub(before.at).as_secs_f64());
        let change = CounterDelta { earlier, now: counters, seconds };
        let recent = &named(&now.recent["disks"], name)["latency_us"];
        let backing = &disk["backing_state"];
        let (dirty, limit) = (disk["dirty_bytes"].as_u64(), disk["dirty_limit_bytes"].as_f64());
        DiskRow {
            name: name.to_owned(),
            state: state(disk).to_owned(),
            mode: disk["mode"].as_str().unwrap_or("-").to_owned(),
            hit_ratio: change.hit_ratio(),
            reads: change.rate("reads"),
            writes: change.rate("writes"),
            read_bytes: change.rate("read_bytes"),
            write_bytes: change.rate("write_bytes"),
            backing_reads: change.rate("backing_reads"),
            backing_writes: change.rate("backing_writes"),
            destage_bytes: change.rate("destage_bytes"),
            miss_p99_us: p99(&recent["read_miss"]),
            write_p99_us: p99(&recent["write"]),
            // Zeroes must be destaged too; the limit is on content.
            dirty_bytes: dirty.map(|dirty| dirty + disk["dirty_zeroes_bytes"].as_u64().unwrap_or(0)),
            dirty_share: dirty
                .zip(limit.filter(|limit| *limit > 0.0))
                .map(|(dirty, limit)| float(dirty) / limit),
            cached_bytes: counters["cached_bytes"].as_u64(),
            ram_bytes: counters["ram_bytes"].as_u64(),
            reason: [&disk["reason"], &backing["reason"]]
                .iter()
                .find_map(|it| it.as_str())
                .map(str::to_owned),
        }
    };
    list(&now.disks["disks"]).iter().map(row).collect()
}

/// Returns the state of a disk: a fault of its backing takes precedence over "serving".
fn state(disk: &Value) -> &str {
    match (disk["state"].as_str(), disk["backing_state"]["state"].as_str()) {
        (Some("serving"), Some("failing")) => "failing",
        (state, _) => state.unwrap_or("-"),
    }
}

fn named<'a>(disks: &'a Value, name: &str) -> &'a Value {
    list(disks).iter().find(|disk| disk["name"] == name).unwrap_or(&Value::Null)
}

/// Counters of a disk at two moments.
struct CounterDelta<'a> {
    earlier: &'a Value,
    now: &'a Value,
    seconds: f64,
}

impl CounterDelta<'_> {
    /// Returns the difference of a counter; none if it was reset meanwhile.
    fn counter(&self, key: &str) -> Option<u64> {
        self.now[key].as_u64()?.checked_sub(self.earlier[key].as_u64()?)
    }

    fn rate(&self, key: &str) -> Option<f64> {
        let change = self.counter(key).filter(|_| self.seconds > 0.0)?;
        Some(float(change) / self.seconds)
    }

    fn hit_ratio(&self) -> Option<f64> {
        let reads = self.counter("reads").filter(|reads| *reads > 0)?;
        let hits = self.counter("read_hits_ram")? + self.counter("read_hits_flash")?;
        Some(float(hits) / float(reads))
    }
}

fn p99(latency: &Value) -> Option<f64> {
    latency["p99"].as_f64().filter(|_| latency["count"].as_u64() > Some(0))
}

/// Returns the figures of the host.
pub(super) fn host(now: &Sample, rows: &[DiskRow]) -> HostSummary {
    let pool = &now.pool["pool"];
    let number = |key: &str| pool[key].as_u64().unwrap_or(0);
    let used = number("segments").saturating_sub(number("segments_free")) * number("segment_bytes");
    let ram =
        |disk: &Value| disk["ram_bytes"].as_u64().unwrap_or(0) + disk["index_bytes"].as_u64().unwrap_or(0);
    HostSummary {
        pool_state: pool["state"].as_str().unwrap_or("-").to_owned(),
        pool_used_bytes: used,
        pool_bytes: number("segments") * number("segment_bytes"),
        devices: list(&pool["devices"]).len(),
        ram_bytes: list(&now.counters["disks"]).iter().map(ram).sum(),
        disks: rows.len(),
        unwell: rows.iter().filter(|row| row.state != "serving").count(),
    }
}

/// A second of a disk's history.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) hit_percent: Option<u64>,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) dirty_bytes: u64,
}

/// The last minutes of every disk.
#[derive(Clone, Debug, Default)]
pub(super) struct RateHistory(BTreeMap<String, VecDeque<Point>>);

impl RateHistory {
    /// Appends the present figures. Removes disks that no longer exist.
    #[expect(clippy::cast_sign_loss, reason = "rates and ratios are not negative")]
    pub(super) fn take(&mut self, rows: &[DiskRow]) {
        for row in rows {
            let points = self.0.entry(row.name.clone()).or_default();
            points.push_back(Point {
                hit_percent: row.hit_ratio.map(|ratio| (ratio * 100.0).round() as u64),
                reads: row.reads.unwrap_or(0.0) as u64,
                writes: row.writes.unwrap_or(0.0) as u64,
                dirty_bytes: row.dirty_bytes.unwrap_or(0),
            });
            let surplus = points.len().saturating_sub(POINTS_MAX);
            points.drain(..surplus);
        }
        self.0.retain(|name, _| rows.iter().any(|row| row.name == *name));
    }

    /// Returns the last `count` points of a disk, oldest first.
    pub(super) fn last(&self, name: &str, count: usize) -> Vec<Point> {
        let Some(points) = self.0.get(name) else { return Vec::new() };
        points.iter().skip(points.len().saturating_sub(count)).copied().collect()
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
