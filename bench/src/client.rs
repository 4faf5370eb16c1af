//! Measurements of a client of any door: requests, latencies, and its own CPU time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hdrhistogram::Histogram;
use nix::sys::resource::{UsageWho, getrusage};

/// Longest distinguishable time in nanoseconds: a minute.
const NANOS_MAX: u64 = 60_000_000_000;

/// Latencies of requests, to three digits.
pub(crate) struct Latencies(Histogram<u64>);

impl Latencies {
    pub(crate) fn new() -> Self {
        Self(Histogram::new_with_bounds(1, NANOS_MAX, 3).expect("these bounds are in order"))
    }

    pub(crate) fn record(&mut self, took: Duration) {
        self.0.saturating_record(took.as_nanos() as u64);
    }

    fn micros(&self, quantile: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a minute has fewer nanoseconds than 2^52")]
        let nanos = self.0.value_at_quantile(quantile) as f64;
        nanos / 1000.0
    }
}

/// Results of a load.
pub(crate) struct LoadResults {
    /// Latencies of all requests except flushes.
    pub(crate) latencies: Latencies,
    pub(crate) flushes: u64,
    /// Number of kicks of the server, if the client decides on them.
    pub(crate) kicks: u64,
    /// Number of times that the client slept.
    pub(crate) sleeps: u64,
    pub(crate) took: Duration,
}

impl LoadResults {
    /// Returns those of a load that begins.
    pub(crate) fn new() -> Self {
        Self { latencies: Latencies::new(), flushes: 0, kicks: 0, sleeps: 0, took: Duration::ZERO }
    }

    /// Returns the members of a JSON object.
    pub(crate) fn json(&self) -> String {
        let requests = self.latencies.0.len();
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
        let iops = requests as f64 / self.took.as_secs_f64().max(1e-9);
        format!(
            "\"requests\":{requests},\"iops\":{iops:.1},\"p50_us\":{:.3},\"p99_us\":{:.3},\"flushes\":{},\"kicks\":{},\
             \"sleeps\":{},\"client_cpu_us\":{}",
            self.latencies.micros(0.5),
            self.latencies.micros(0.99),
            self.flushes,
            self.kicks,
            self.sleeps,
            cpu_us()
        )
    }
}

/// Returns another number for each run: repeated places would be hits.
pub(crate) fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64 ^ u64::from(std::process::id()) << 32
}

/// Returns the CPU time of this process so far, in microseconds.
fn cpu_us() -> i64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask about itself");
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    micros(usage.user_time()) + micros(usage.system_time())
}
