//! Requests of a guest, drawn from the properties of its workload.

use crate::{EXTENT, Ranks, Request, Workload};

/// Nanoseconds of a second, times 1000: rates are in thousandths.
const THOUSAND_SECONDS_NS: f64 = 1e12;

/// Requests of one guest, without an end.
#[derive(Clone, Debug)]
pub struct Requests {
    workload: Workload,
    data_bytes: u64,
    /// Ranks of the extents; none without skew.
    ranks: Option<Ranks>,
    /// Extent of each rank: hot extents are scattered.
    extents: Vec<u32>,
    state: u64,
    now_ns: u64,
    /// End of the present time of activity.
    active_until_ns: u64,
    /// Next request of a run, and the number of those that are left of it.
    run_at: u64,
    run_left: u64,
    is_write: bool,
}

impl Requests {
    pub(crate) fn new(workload: Workload, data_bytes: u64, seed: u64) -> Self {
        let all = (data_bytes / EXTENT) as u32;
        assert!(all > 0, "data has at least one extent");
        // Neighbouring seeds differ in few bits: the first numbers are passed over.
        let mut state = seed;
        for _ in 0..8 {
            next(&mut state);
        }
        let mut extents: Vec<u32> = (0..all).collect();
        for last in (1..extents.len()).rev() {
            extents.swap(last, (next(&mut state) % (last as u64 + 1)) as usize);
        }
        let used = u64::from(all) * u64::from(workload.working_set_percent) / 100;
        extents.truncate(used.max(1) as usize);
        let ranks = (workload.skew > 0.0).then(|| Ranks::new(extents.len(), workload.skew));
        Self {
            workload,
            data_bytes,
            ranks,
            extents,
            state,
            now_ns: 0,
            active_until_ns: 0,
            run_at: 0,
            run_left: 0,
            is_write: false,
        }
    }

    /// Returns the next request; its arrival is no earlier than that of the one before.
    pub fn draw(&mut self) -> Request {
        let at_ns = self.draw_arrival();
        let length = self.draw_length();
        if self.run_left == 0 || self.run_at + u64::from(length) > self.data_bytes {
            self.begin_run(length);
        }
        let offset = self.run_at;
        self.run_at += u64::from(length);
        self.run_left -= 1;
        Request { at_ns, offset, length, is_write: self.is_write }
    }

    #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "rates and times far below 2^52")]
    fn draw_arrival(&mut self) -> u64 {
        let active = f64::from(self.workload.active_percent) / 100.0;
        let pause = active * THOUSAND_SECONDS_NS / self.workload.per_second_thousandths as f64;
        self.now_ns += self.exponential(pause) as u64;
        while active < 1.0 && self.now_ns >= self.active_until_ns {
            // The part of the pause beyond the end of activity goes on after the next idle time.
            let burst = self.workload.burst_ms as f64 * 1e6;
            let idle = self.exponential(burst * (1.0 - active) / active) as u64;
            let burst = self.exponential(burst) as u64;
            self.now_ns += idle;
            self.active_until_ns = self.active_until_ns + idle + burst;
        }
        self.now_ns
    }

    fn draw_length(&mut self) -> u32 {
        let weights: u32 = self.workload.lengths.iter().map(|(_, weight)| weight).sum();
        let mut at = (next(&mut self.state) % u64::from(weights)) as u32;
        for (length, weight) in self.workload.lengths {
            if at < *weight {
                return *length;
            }
            at -= weight;
        }
        unreachable!("a number below the sum of all weights")
    }

    fn begin_run(&mut self, length: u32) {
        let rank = match &self.ranks {
            None => (next(&mut self.state) % self.extents.len() as u64) as usize,
            Some(ranks) => ranks.draw(unit(&mut self.state)),
        };
        let places = EXTENT / u64::from(length);
        let within = next(&mut self.state) % places * u64::from(length);
        self.run_at = u64::from(self.extents[rank]) * EXTENT + within;
        // Even from 1 on, so that the mean is that of the workload.
        self.run_left = 1 + next(&mut self.state) % (2 * u64::from(self.workload.run) - 1);
        self.is_write = next(&mut self.state) % 100 >= u64::from(self.workload.read_percent);
    }

    /// Returns a random number of exponential distribution with this mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - unit(&mut self.state)).ln()
    }
}

impl Iterator for Requests {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        Some(self.draw())
    }
}

/// Returns a number of at least 0 and below 1.
#[expect(clippy::cast_precision_loss, reason = "31 bits")]
fn unit(state: &mut u64) -> f64 {
    next(state) as f64 / (1u64 << 31) as f64
}

/// Returns the next pseudo-random number of 31 bits. The constants are Knuth's for a linear congruential generator of 64 bits (MMIX).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;
    use crate::{ALL, DECISION_SUPPORT, MONITORING, ONLINE_STORE, SCAN, TILE, UNIFORM};

    const DATA: u64 = 256 << 20;
    const COUNT: usize = 200_000;

    fn take(workload: &Workload) -> Vec<Request> {
        workload.requests(DATA, 7).take(COUNT).collect()
    }

    /// Returns the share of requests to the most accessed hundredths of the data.
    fn share_of_hottest(workload: &Workload, percent: usize) -> f64 {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for request in take(workload) {
            *counts.entry(request.offset / EXTENT).or_default() += 1;
        }
        let mut counts: Vec<u64> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts.iter().take((DATA / EXTENT) as usize * percent / 100).sum::<u64>() as f64 / COUNT as f64
    }

    #[test]
    fn names_are_unique_and_found() {
        let names: BTreeSet<&str> = ALL.iter().map(|workload| workload.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert_eq!(Workload::named("proxy"), Some(&crate::PROXY));
        assert_eq!(Workload::named("no-such-name"), None);
    }

    #[test]
    fn one_seed_gives_one_stream_and_another_seed_another() {
        for workload in ALL {
            let stream = |seed| workload.requests(DATA, seed).take(1000).collect::<Vec<_>>();
            assert_eq!(stream(1), stream(1), "{}", workload.name);
            assert_ne!(stream(1), stream(2), "{}", workload.name);
        }
    }

    #[test]
    fn reads_lengths_and_working_set_are_those_of_the_table() {
        for workload in ALL {
            let requests = take(workload);
            let runs_are_long = workload.run > 100;
            let reads = requests.iter().filter(|request| !request.is_write).count() as f64 / COUNT as f64;
            let wanted = f64::from(workload.read_percent) / 100.0;
            assert!((reads - wanted).abs() < 0.02, "{}: {reads}", workload.name);
            let weights: u32 = workload.lengths.iter().map(|(_, weight)| weight).sum();
            for (length, weight) in workload.lengths {
                let count = requests.iter().filter(|request| request.length == *length).count();
                let (share, wanted) = (count as f64 / COUNT as f64, f64::from(*weight) / f64::from(weights));
                assert!((share - wanted).abs() < 0.01, "{}: {share} of {length}", workload.name);
            }
            assert!(
                requests.iter().all(|request| {
                    request.offset.is_multiple_of(4096) && request.offset + u64::from(request.length) <= DATA
                }),
                "{}",
                workload.name
            );
            let touched: BTreeSet<u64> = requests.iter().map(|request| request.offset / EXTENT).collect();
            let set = touched.len() as f64 / (DATA / EXTENT) as f64 * 100.0;
            // Runs go on into the extents beside.
            let beside = f64::from(workload.run.min(4));
            assert!(
                runs_are_long || set <= f64::from(workload.working_set_percent) * beside + 1.0,
                "{}: {set}",
                workload.name
            );
        }
    }

    #[test]
    fn skew_gathers_requests_on_few_extents() {
        // A tenth of all, and more by chance alone.
        assert!(share_of_hottest(&ONLINE_STORE, 10) < 0.15, "all alike");
        assert!(share_of_hottest(&MONITORING, 10) > 0.7);
        let rate = |guest: &Workload| guest.per_second_thousandths as f64;
        let hottest: f64 = TILE.iter().map(|guest| rate(guest) * share_of_hottest(guest, 8)).sum();
        let share = hottest / TILE.iter().map(rate).sum::<f64>();
        assert!(share > 0.92, "the published hit ratio has to be possible: {share}");
    }

    #[test]
    fn runs_go_on_where_the_last_request_ended() {
        for (workload, wanted) in [(&UNIFORM, 0.0), (&DECISION_SUPPORT, 63.0 / 64.0), (&SCAN, 0.99)] {
            let requests = take(workload);
            let follows = |pair: &[Request]| pair[0].offset + u64::from(pair[0].length) == pair[1].offset;
            let share = requests.windows(2).filter(|pair| follows(pair)).count() as f64 / COUNT as f64;
            assert!((share - wanted).abs() < 0.011, "{}: {share}", workload.name);
        }
    }

    #[test]
    fn rates_and_bursts_are_those_of_the_table() {
        for workload in ALL {
            let requests = take(workload);
            let seconds = requests.last().expect("there are many").at_ns as f64 / 1e9;
            let rate = COUNT as f64 / seconds * 1000.0 / workload.per_second_thousandths as f64;
            assert!((rate - 1.0).abs() < 0.2, "{}: {rate} of the rate", workload.name);
            assert!(requests.is_sorted_by_key(|request| request.at_ns), "{}", workload.name);
            // Seconds with requests among all.
            let bins: BTreeSet<u64> = requests.iter().map(|request| request.at_ns / 100_000_000).collect();
            let active = bins.len() as f64 / (seconds * 10.0);
            if workload.per_second_thousandths >= 100_000 {
                let wanted = f64::from(workload.active_percent) / 100.0;
                assert!((active - wanted).abs() < 0.12, "{}: active {active}", workload.name);
            }
        }
    }

    #[test]
    fn five_guests_of_a_tile_have_24_percent_reads_together() {
        let rate = |guest: &Workload| guest.per_second_thousandths;
        let reads: u64 = TILE.iter().map(|guest| rate(guest) * u64::from(guest.read_percent)).sum();
        let all: u64 = TILE.iter().map(rate).sum();
        let percent = reads as f64 / all as f64;
        assert!((percent - 24.0).abs() < 0.5, "{percent}");
    }
}
