//! Keeps the memory of this process in RAM while this host's kernel uses one of its disks.
//!
//! ```text
//!   host short of memory ──writes back──> mapped disk ──> a thread here, which touches a page that was swapped out
//!            ^                                                        │ or dropped (the program itself, libraries)
//!            └─────────── waits for memory, and for a disk ───────────┘
//! ```
//! Only pages that are touched stay: memory that is reserved and unused takes no RAM (`MCL_ONFAULT`). The
//! program and its libraries are read as a whole, since a page of them may be needed for the first time just
//! then. Memory of guests is theirs: the host may swap it.
//!
//! With a limit of locked memory nothing is locked: allocations beyond it would be refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use doors::kernel_uses;
use nix::sys::mman::{MlockAllFlags, mlock, mlockall, munlock, munlockall};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use telemetry::events::{self, Kind};
use tokio::sync::watch;

/// Time that a process may take to lock its memory.
const LOCK_TIME_MAX: Duration = Duration::from_secs(5);
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// Time after the last use in which the memory stays locked: a disk that moves between shards, or whose
/// connection is replaced, is soon used again.
const UNLOCK_DELAY: Duration = Duration::from_secs(10);

/// Locks the memory of this process whenever the kernel begins to use one of its disks, and unlocks it when
/// the last use ends. Shared mappings of files belong to guests, except for files below the folder `own`.
pub(crate) async fn follow_kernel_uses(own: PathBuf) {
    let mut uses = kernel_uses();
    let mut is_locked = false;
    loop {
        let is_used = *uses.borrow_and_update() > 0;
        if is_locked && !is_used && is_used_within(&mut uses, UNLOCK_DELAY).await {
            continue;
        }
        if is_used != is_locked {
            is_locked = is_used;
            let own = own.clone();
            let change = move || if is_used { lock_and_report(&own) } else { unlock_and_report() };
            // This takes the kernel a moment for each GiB in use. A panic there is logged.
            drop(tokio::task::spawn_blocking(change).await);
        }
        if uses.changed().await.is_err() {
            return;
        }
    }
}

/// Waits for a use for at most `time`. Returns true if there is one.
async fn is_used_within(uses: &mut watch::Receiver<usize>, time: Duration) -> bool {
    matches!(tokio::time::timeout(time, uses.wait_for(|uses| *uses > 0)).await, Ok(Ok(_)))
}

fn lock_and_report(own: &Path) {
    match lock_all(own) {
        Ok(()) => tracing::info!("The memory of this process is locked while a disk is mapped"),
        Err(error) => {
            events::of_host(
                Kind::MemoryNotLocked,
                format!(
                    "The memory of this process cannot be locked: {error}. Host and daemon may wait for each other when memory is short"
                ),
            );
        }
    }
}

fn unlock_and_report() {
    match munlockall() {
        Ok(()) => tracing::info!("The memory of this process is not locked any more: no disk is mapped"),
        Err(error) => tracing::warn!("Cannot unlock the memory of this process: {error}"),
    }
}

fn lock_all(own: &Path) -> io::Result<()> {
    if !may_lock_all() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is limited"));
    }
    let when_touched = MlockAllFlags::from_bits_retain(nix::libc::MCL_ONFAULT);
    mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE | when_touched)?;
    for Mapped { start, bytes, kind } in all_mapped(&fs::read_to_string("/proc/self/maps")?, own) {
        let Some(start) = NonNull::new(ptr::with_exposed_provenance_mut(start)) else { continue };
        let done = match kind {
            // SAFETY: it changes no content of memory, and ranges that are no longer mapped are refused.
            MappedKind::Program => unsafe { mlock(start, bytes) },
            // SAFETY: as above.
            MappedKind::OfOthers => unsafe { munlock(start, bytes) },
        };
        if let Err(error) = done {
            tracing::debug!(%error, bytes, ?kind, "a part of memory stays as it is");
        }
    }
    Ok(())
}

/// Returns true if this process may lock without limit. Raises the limit as far as the system allows.
fn may_lock_all() -> bool {
    let Ok((_, hard)) = getrlimit(Resource::RLIMIT_MEMLOCK) else { return false };
    if hard == RLIM_INFINITY {
        return setrlimit(Resource::RLIMIT_MEMLOCK, hard, hard).is_ok();
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    has_lock_right(&status)
}

/// Returns true for the status of a process (proc(5)) that has `CAP_IPC_LOCK`.
fn has_lock_right(status: &str) -> bool {
    const IPC_LOCK: u32 = 14;
    let effective = field(status, "CapEff:").and_then(|word| u64::from_str_radix(word, 16).ok());
    effective.is_some_and(|word| word & (1 << IPC_LOCK) != 0)
}

/// Returns true once a process has locked memory, or if that cannot be read; false if it has not after a few
/// seconds.
pub(crate) fn is_locked(process: u32) -> bool {
    let deadline = Instant::now() + LOCK_TIME_MAX;
    loop {
        let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { return true };
        if locked_kib(&status).is_none_or(|kib| kib > 0) {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

fn locked_kib(status: &str) -> Option<u64> {
    field(status, "VmLck:")?.parse().ok()
}

/// Returns the first word of a field.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()
}

/// A part of memory with a treatment of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapped {
    start: usize,
    bytes: usize,
    kind: MappedKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MappedKind {
    /// The program or a library.
    Program,
    /// Shared with another process.
    OfOthers,
}

/// Returns such parts of the memory map of a process (proc(5)), whose lines have addresses, rights, offset,
/// device, inode, path. Files below the folder `own` belong to this process.
fn all_mapped(maps: &str, own: &Path) -> Vec<Mapped> {
    let mapped = |line: &str| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        let rights = words.next()?;
        let path = words.nth(3)?;
        let kind = if rights.starts_with('r') && rights.ends_with('p') && path.starts_with('/') {
            MappedKind::Program
        } else if rights.ends_with('s') && path.starts_with('/') && !Path::new(path).starts_with(own) {
            MappedKind::OfOthers
        } else {
            return None;
        };
        Some(Mapped { start, bytes: end.checked_sub(start)?, kind })
    };
    maps.lines().filter_map(mapped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_and_libraries_are_read_as_a_whole_and_memory_of_guests_is_left_to_them() {
        let maps = "\
55d0c0000000-55d0c0010000 r--p 00000000 fd:00 1311 /usr/bin/forebay
55d0c0010000-55d0c0030000 r-xp 00010000 fd:00 1311 /usr/bin/forebay
55d0c0030000-55d0c0031000 ---p 00010000 fd:00 1311 /usr/bin/forebay
55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f4000000000 rw-p 00000000 00:00 0
7f5000000000-7f5040000000 rw-s 00000000 00:01 2057 /memfd:guest (deleted)
7f5800000000-7f5840000000 rw-s 00000000 fd:00 99 /var/lib/libvirt/qemu/ram/1-web
7f6000000000-7f6000001000 rw-s 00000000 fd:00 77 /var/lib/forebay/touched
7f7000000000-7f7000001000 rw-s 00000000 00:0e 5 anon_inode:[io_uring]
bad line
";
        let kind = |start, bytes, kind| Mapped { start, bytes, kind };
        let expected = [
            kind(0x55d0_c000_0000, 0x1_0000, MappedKind::Program),
            kind(0x55d0_c001_0000, 0x2_0000, MappedKind::Program),
            kind(0x7f50_0000_0000, 0x4000_0000, MappedKind::OfOthers),
            kind(0x7f58_0000_0000, 0x4000_0000, MappedKind::OfOthers),
        ];
        assert_eq!(all_mapped(maps, Path::new("/var/lib/forebay")), expected);
    }

    #[test]
    fn the_right_to_lock_and_what_is_locked_are_in_the_status_of_a_process() {
        let status = "Name:\tforebay\nVmLck:\t    1024 kB\nCapEff:\t0000000000004000\n";
        assert!(has_lock_right(status));
        assert_eq!(locked_kib(status), Some(1024));
        assert!(!has_lock_right("CapEff:\t00000000ffffbfff\n") && !has_lock_right(""));
        assert_eq!(locked_kib(""), None);
        assert!(is_locked(0), "of a process that is not there nobody knows");
    }
}
