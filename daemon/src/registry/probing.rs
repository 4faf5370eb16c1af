//! Probes of backings before they are used, on threads that may block: a file system that hangs blocks its
//! caller, so no thread that others need probes. The caller judges the result.

use std::time::Duration;

use base::error::{Error, Result};
use base::patience::within;
use block::file::Access;
use tokio::task::JoinHandle;

use super::{Registry, access};
use crate::backing::{Identity, Images, Location};
use crate::state::DiskRecord;

/// Time that a backing may take to answer a first probe.
pub(super) const PROBE_TIME_MAX: Duration = Duration::from_secs(20);

impl Registry {
    /// Probes the backing of a recorded disk for as long as that takes. Each probe holds a thread until it is
    /// answered, so a hanging one is waited for, and no second one is started.
    pub(super) async fn probe_until_answered(
        &self,
        record: &DiskRecord,
        location: &Location,
    ) -> Result<Identity> {
        let probing = self.start_probe(location, access(record.read_only), Images::ServedAsRaw);
        let complain = || self.set_waiting(&record.name, &silent(location).message);
        answer_of(probing, PROBE_TIME_MAX, complain).await
    }

    /// Probes a backing that is to be added; it has to answer in time.
    pub(super) async fn probe_backing(
        &self,
        location: &Location,
        access: Access,
        images: Images,
    ) -> Result<Identity> {
        match within(PROBE_TIME_MAX, self.start_probe(location, access, images)).await {
            Ok(outcome) => outcome.expect("looking at a backing does not panic"),
            Err(_) => Err(silent(location)),
        }
    }

    /// Probes a backing where blocking is permitted: a file on a thread of its own, a server from the shard.
    fn start_probe(
        &self,
        location: &Location,
        access: Access,
        images: Images,
    ) -> JoinHandle<Result<Identity>> {
        let (shards, location) = (self.shards.clone(), location.clone());
        tokio::spawn(async move {
            let wanted = location.clone();
            let probing = tokio::task::spawn_blocking(move || wanted.probe(images));
            match probing.await.expect("looking at a file does not panic") {
                Some(answer) => answer,
                None => shards.probe_backing(location, access, images).await,
            }
        })
    }
}

/// Returns the result of a probe, however long it takes; calls `complain` after each `patience` without one.
async fn answer_of<T>(mut probing: JoinHandle<T>, patience: Duration, complain: impl Fn()) -> T {
    loop {
        match within(patience, &mut probing).await {
            Ok(outcome) => return outcome.expect("looking at a file does not panic"),
            Err(_) => complain(),
        }
    }
}

fn silent(location: &Location) -> Error {
    Error::unavailable(format!(
        "Cannot use backing {location}: it did not answer within {} s; check the server or device that it is on",
        PROBE_TIME_MAX.as_secs()
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_look_that_hangs_is_waited_for_and_complained_of_and_its_answer_counts() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let (release, hanging) = channel();
        let answer = runtime.expect("a runtime for one thread").block_on(async {
            let probing = tokio::task::spawn_blocking(move || hanging.recv());
            // The backing answers after the first complaint.
            answer_of(probing, Duration::from_millis(1), || {
                release.send(7).unwrap_or(());
            })
            .await
        });
        assert_eq!(answer, Ok(7));
    }
}
