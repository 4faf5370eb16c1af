//! Comparison of a served backing's path with the file that was opened there: after a check by the monitor
//! finds it elsewhere, and before commands whose success means that the file is complete.
//!
//! ```text
//!   in place ──> replaced, or missing ──> in place      each change is an event
//! ```
//! Guests continue in either case: their file is open. Data is written to that file and to no other, whatever
//! is at the path. A command whose success would be understood as a statement on the path is refused.

use std::path::Path;
use std::pin::pin;

use base::error::{Error, Result};
use block::Host;
use block::executor::LocalHost;
use block::file::{PathStatus, Reachable};
use futures_util::future::{Either, select};
use telemetry::events::{self, Kind};

use super::disk::Disk;
use crate::backing_identity::PathCheck;

/// Time that the file system of a path may take to answer, in nanoseconds. A later answer is ignored.
const PATH_TIME_MAX_NS: u64 = 2_000_000_000;

/// A backing that is not the file at its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DisplacedBacking {
    /// True if another file or device is at the path, false if nothing is.
    pub(crate) is_replaced: bool,
    /// True if its content is gone once it is closed.
    pub(crate) is_unreachable: bool,
    /// Explanation with a remedy.
    pub(crate) reason: String,
}

impl DisplacedBacking {
    /// Returns the result of `check` for the backing of disk `name`, whose guests connect at `socket`; none
    /// if it is at its path, or if that is unknown.
    fn from_check(name: &str, socket: &Path, check: &PathCheck) -> Option<Self> {
        let (is_replaced, reachable) = match check.standing {
            PathStatus::Replaced(reachable) => (true, reachable),
            PathStatus::Missing(reachable) => (false, reachable),
            PathStatus::Named | PathStatus::Unknown(_) => return None,
        };
        let is_unreachable = reachable == Reachable::ByNobody;
        let (path, socket) = (check.path.display(), socket.display());
        let reason = match (is_replaced, is_unreachable) {
            (true, true) => {
                format!("another file is at {path}, and the one that is served has no name any more")
            }
            (false, true) => format!("{path} was deleted: the file that is served has no name any more"),
            (true, false) => format!("another file or device is at {path}, and not the one that is served"),
            (false, false) => {
                format!("nothing is at {path}: the file that is served, or a folder above it, was moved")
            }
        };
        let advice = if is_unreachable {
            format!(
                "What guests write goes into a file without a name ({}), which is gone once Forebay stops or the disk is removed. Copy \
                 the disk while it is served, which has all of it: qemu-img convert -O raw 'nbd+unix:///{name}?socket={socket}' NEW. \
                 Then discard the rest (forebay disk remove {name} --discard-dirty) and add NEW",
                check.open_at.display()
            )
        } else {
            format!(
                "What guests write goes to the file that is served ({}). Put it back in its place",
                check.open_as.display()
            )
        };
        Some(Self { is_replaced, is_unreachable, reason: format!("{reason}. {advice}") })
    }
}

impl Disk {
    /// Compares the backing with the file at its path, reports a change, and returns the fault. Without a
    /// result in time the earlier one stays.
    pub(super) async fn observe_path(&self, name: &str, host: &LocalHost) -> Option<DisplacedBacking> {
        let checked = pin!(self.history.check_path());
        if let Either::Left((Some(check), _)) = select(checked, pin!(host.sleep(PATH_TIME_MAX_NS))).await
            && !matches!(check.standing, PathStatus::Unknown(_))
        {
            let socket = self.doors.main_socket();
            self.note_displaced(name, DisplacedBacking::from_check(name, &socket, &check));
        }
        self.displaced.borrow().clone()
    }

    fn note_displaced(&self, name: &str, now: Option<DisplacedBacking>) {
        let before = self.displaced.replace(now.clone());
        self.update_doubt();
        match (before, now) {
            (before, Some(now)) if before.as_ref() != Some(&now) => {
                let kind = if now.is_replaced { Kind::BackingReplaced } else { Kind::BackingMissing };
                events::of_disk(
                    kind,
                    name,
                    format!("The backing of disk '{name}' is not in its place: {}", now.reason),
                );
            }
            (Some(_), None) => {
                let back = format!("The backing of disk '{name}' is in its place again");
                events::of_disk(Kind::BackingInPlace, name, back);
            }
            _ => {}
        }
    }

    /// Refuses to `act` while the backing is not the file at its path.
    ///
    /// # Errors
    /// A conflict, with explanation and remedy.
    pub(super) async fn check_in_place(&self, name: &str, act: &str, host: &LocalHost) -> Result<()> {
        match self.observe_path(name, host).await {
            Some(displaced) => {
                Err(Error::conflict(format!("Cannot {act} disk '{name}': {}", displaced.reason)))
            }
            None => Ok(()),
        }
    }

    /// Refuses to remove the disk if that would lose the only access to its content, or would claim that a
    /// file is complete which is not at its path.
    pub(super) async fn check_removable(
        &self,
        name: &str,
        writes_back: bool,
        host: &LocalHost,
    ) -> Result<()> {
        let displaced = self.observe_path(name, host).await;
        let is_written = !self.cached.settings().read_only;
        match displaced.filter(|displaced| is_written && (writes_back || displaced.is_unreachable)) {
            Some(displaced) => Err(Error::conflict(format!(
                "Cannot remove disk '{name}': {}. `forebay disk remove {name} --discard-dirty` removes it as it is",
                displaced.reason
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(standing: PathStatus) -> Option<DisplacedBacking> {
        let check = PathCheck {
            path: "/disks/web.raw".into(),
            standing,
            open_as: "/disks/old.raw".into(),
            open_at: "/proc/7/fd/9".into(),
        };
        DisplacedBacking::from_check("web", Path::new("/run/web.sock"), &check)
    }

    #[test]
    fn each_way_in_which_a_file_leaves_its_place_is_told_with_what_to_do() {
        for (standing, unreachable, reason, advice) in [
            (
                PathStatus::Missing(Reachable::ByNobody),
                true,
                "was deleted",
                "nbd+unix:///web?socket=/run/web.sock",
            ),
            (
                PathStatus::Replaced(Reachable::ByNobody),
                true,
                "another file is at /disks/web.raw",
                "/proc/7/fd/9",
            ),
            (PathStatus::Replaced(Reachable::Elsewhere), false, "another file or device", "/disks/old.raw"),
            (PathStatus::Missing(Reachable::Elsewhere), false, "was moved", "Put it back"),
        ] {
            let displaced = found(standing).expect("it is not in its place");
            assert_eq!(displaced.is_unreachable, unreachable);
            assert!(displaced.reason.contains(reason) && displaced.reason.contains(advice), "{displaced:?}");
        }
        assert_eq!(found(PathStatus::Named), None);
        assert_eq!(found(PathStatus::Unknown("Permission denied".to_owned())), None);
    }
}
