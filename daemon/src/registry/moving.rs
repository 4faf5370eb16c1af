//! Moves of disks between shards when their load is uneven: `balance.rs` decides, the shards move.
//!
//! A move is a change like any other: a disk that is being changed, removed or taken from a running guest is
//! not moved. A disk that is served nowhere after a failed move waits like one whose backing is missing, and
//! is tried again.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use base::error::Error;
use telemetry::events::{self, Kind};

use super::Registry;
use crate::balance::{Balancer, DiskLoad, LoadSnapshot, Move};
use crate::shard::Relocation;

impl Registry {
    /// Polls the load of the shards at intervals and moves disks, as long as the registry is in use. A move
    /// that has begun is always finished.
    pub(crate) async fn keep_balanced(registry: Weak<Self>, interval: Duration) {
        let started = Instant::now();
        let mut balancer = Balancer::default();
        loop {
            tokio::time::sleep(interval).await;
            let Some(registry) = registry.upgrade() else { return };
            // Without an answer of every shard nothing is moved.
            let Some(standing) = registry.standing(started).await else { continue };
            if let Some(wanted) = balancer.observe(standing) {
                registry.relocate(&wanted).await;
            }
        }
    }

    async fn standing(&self, started: Instant) -> Option<LoadSnapshot> {
        let disks = self.shards.disks().await.ok()?;
        let disks = disks.into_iter().map(|(name, report)| {
            let counts = &report.statistics.counts;
            let standing = DiskLoad {
                shard: report.shard as usize,
                requests: counts.reads + counts.writes + counts.flushes + counts.discards,
                bytes: counts.read_bytes + counts.write_bytes,
                fit_to_move: report.fit_to_move,
            };
            (name, standing)
        });
        Some(LoadSnapshot {
            // Five centuries of nanoseconds fit.
            now_ns: started.elapsed().as_nanos() as u64,
            busy_ns: self.shards.reports().iter().map(|shard| shard.busy_ns).collect(),
            disks: disks.collect(),
        })
    }

    /// Moves a disk, if it may still be moved. A disk that is being changed is not waited for: its backing
    /// may not answer, and other disks are to be moved meanwhile.
    pub(super) async fn relocate(self: &Arc<Self>, wanted: &Move) {
        let Move { disk: name, from, to } = wanted;
        let Some(_changing) = self.locks.try_lock(name) else { return };
        let settled = self.state().disk(name).is_some_and(|record| !record.is_beside_qemu());
        if !settled || self.is_being_removed(name) {
            return;
        }
        tracing::info!("Moving disk '{name}' from shard {from}, which has too much to do, to shard {to}");
        let started = Instant::now();
        let relocation = self.shards.relocate(name, *to).await;
        self.finish_relocation(wanted, relocation, started.elapsed());
    }

    /// Reports the result of a disk's move. A disk that is served nowhere then waits to be served again.
    pub(super) fn finish_relocation(
        self: &Arc<Self>,
        wanted: &Move,
        relocation: Relocation,
        elapsed: Duration,
    ) {
        let Move { disk: name, to, .. } = wanted;
        match relocation {
            Relocation::Moved => {
                let moved = format!(
                    "Disk '{name}' is on shard {to} after {} ms; its data in RAM is read again",
                    elapsed.as_millis()
                );
                events::of_disk(Kind::DiskMoved, name, moved);
            }
            Relocation::Stayed(problem) => events::of_disk(Kind::DiskNotMoved, name, problem.message),
            Relocation::Lost(problem) => self.serve_again(name, &problem),
        }
    }

    /// Serves a disk again that is served nowhere, as soon as that works.
    pub(super) fn serve_again(self: &Arc<Self>, name: &str, problem: &Error) {
        self.set_waiting(name, &problem.message);
        tokio::spawn(Arc::clone(self).keep_trying(name.to_owned()));
    }
}
