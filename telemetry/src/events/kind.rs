//! Kinds of events: name, severity, and advice.
//!
//! The log, the list, the command line and `docs/events.md` take them from one table. A name never changes its meaning, because users write
//! rules for it. The name of a removed kind is not used again.

use std::fmt;

use base::wrap::hanging;
use serde::{Deserialize, Serialize};

/// Severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For information; there is nothing to do.
    Info,
    /// Something is wrong, and does harm if it stays so.
    Warning,
    /// Guests are affected, or data is at risk: act now.
    Error,
}

impl Level {
    /// All levels, the least severe first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// Returns the name as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Returns the level of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

macro_rules! kinds {
    ($($kind:ident, $name:literal, $level:ident, $about:literal, $advice:literal;)*) => {
        /// Kinds of events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = $about] #[serde(rename = $name)] $kind,)*
        }

        impl Kind {
            /// All of them, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            fn row(self) -> Row {
                match self {
                    $(Self::$kind => Row { name: $name, level: Level::$level, about: $about, advice: $advice },)*
                }
            }
        }
    };
}

/// Row of a kind in the table. In advice, `NAME` is the name of the disk.
struct Row {
    name: &'static str,
    level: Level,
    about: &'static str,
    advice: &'static str,
}

kinds! {
    DaemonStarted, "daemon-started", Info,
        "The daemon was started.",
        "";
    DaemonStartFailed, "daemon-start-failed", Error,
        "The daemon could not be started. A service manager tries again; a reason that stays is listed once.",
        "The message has the reason: correct it, or wait for what is missing.";
    StateRestored, "state-restored", Warning,
        "A start could not read state.json and used its second copy, state.copy.json: nothing is lost.",
        "Check the drive and the file system of the daemon's folder. Delete what was set aside.";
    DaemonStopping, "daemon-stopping", Info,
        "The daemon was asked to stop.",
        "";
    DaemonStopped, "daemon-stopped", Info,
        "The daemon has stopped.",
        "";
    DaemonStopFailed, "daemon-stop-failed", Error,
        "The daemon has stopped, and a backing failed its last flush or something could not be saved.",
        "The message names it. Check that backing (dmesg, its server): the last writes of guests may be missing there if they were not flushed.";
    ImageIncomplete, "image-incomplete", Warning,
        "The daemon has stopped while the flash has data that the image of a disk does not have.",
        "Do not use, copy or restore the image by itself. Start the daemon and destage everything: forebay disk destage NAME --wait.";
    DaemonStopOverdue, "daemon-stop-overdue", Error,
        "The daemon stopped without waiting for requests that a backing did not answer.",
        "Acknowledged writes are on backings, or on flash, where the next start finds them. Check the backing that hangs.";
    DaemonDied, "daemon-died", Warning,
        "There is no record of a stop of the daemon before this start: it was killed, it crashed, the host lost its power, or DIR took no writes when it stopped.",
        "If this was not intended, check the log of the daemon and of the kernel (journalctl -b -1, dmesg).";
    MemoryNotLocked, "memory-not-locked", Warning,
        "A disk is mapped, and the daemon may not lock its memory. When the host is short of memory, it may wait for the daemon while the daemon waits for it.",
        "Give the daemon LimitMEMLOCK=infinity (the service of the package has it; by hand: ulimit -l unlimited), restart it, and run forebay map --restore.";
    SwapOnMappedDisk, "swap-on-mapped-disk", Warning,
        "Swap space of this host is on a mapped disk. When memory is short, the host may hang: the daemon may need pages that only it can read.",
        "Turn it off (swapoff), and put swap on a partition of the SSD: forebay map shows where it is.";
    SocketRenewed, "socket-renewed", Warning,
        "The file of a socket was deleted under the daemon and was made again, with the same rights.",
        "Find out who deletes files there. A container that has the socket itself bound keeps the old one: bind its folder.";
    SocketLost, "socket-lost", Error,
        "The file of a socket was deleted under the daemon and cannot be made again. Connected guests continue; new ones cannot connect.",
        "Remove what is in its place, or restore the folder: Forebay tries again every 3 s.";
    EventsSetAside, "events-set-aside", Warning,
        "A part of the kept events could not be read.",
        "The readable part is listed. Keep the file that was set aside if you need the rest, or delete it.";
    EventsUnsaved, "events-unsaved", Warning,
        "Events cannot be saved; new ones are lost at a restart.",
        "Make room in the daemon's folder, or repair its file system.";
    EventsDropped, "events-dropped", Warning,
        "More events occurred than could be kept. They are in the log.",
        "Check the log for that time.";
    PoolOpened, "pool-opened", Info,
        "The pool is in use.",
        "";
    DirUnwritable, "dir-unwritable", Error,
        "DIR takes no writes: it is full or read-only. Disks are served without flash, and those that may have dirty data wait.",
        "Make room in DIR, or repair its file system, and restart the daemon.";
    PoolMissing, "pool-missing", Error,
        "The pool cannot be used. Disks are served without a cache; those with data that only the pool has wait.",
        "forebay pool show reports the reason. Attach the pool again and restart the daemon.";
    PoolCold, "pool-cold", Warning,
        "The cached data in the pool is not trusted, and was dropped.",
        "";
    PoolFailed, "pool-failed", Error,
        "All of the flash failed. Disks continue without it.",
        "forebay pool show has details. Replace the flash and restart the daemon.";
    PoolNoSpace, "pool-no-space", Error,
        "The storage of the pool has no room for a write: a full file system, thin volume or quota. Writes to flash wait; guests that wait for longer than 20 s get an error, or continue without flash.",
        "Make room where the pool's file or device has its storage; nothing else is needed.";
    PoolHasSpace, "pool-has-space", Info,
        "The storage of the pool has room again, and waiting writes continue.",
        "";
    PoolDisplaced, "pool-displaced", Error,
        "A file or device of the pool is not at its path any more: deleted, moved or replaced. Guests continue with the open one; dirty data is destaged at once.",
        "If it was moved, move it back. Otherwise wait until nothing is dirty (forebay disk list), then name another pool and restart the daemon.";
    PoolInPlace, "pool-in-place", Info,
        "A file or device of the pool is at its path again.",
        "";
    PoolOrphanData, "pool-orphan-data", Error,
        "The pool holds data that no backing has, of a disk that state.json does not list.",
        "Restore the state.json that lists the disk. The data stays in the pool until then.";
    DeviceAdded, "device-added", Info,
        "A device belongs to the pool.",
        "";
    DeviceReplaced, "device-replaced", Info,
        "A device was added in the place of one that was lost.",
        "";
    DeviceResized, "device-resized", Info,
        "The pool uses more or less of a device than before.",
        "";
    DeviceKeepsSize, "device-keeps-size", Warning,
        "A device of the pool was to become smaller and kept its size. Nothing is lost.",
        "The message has the reason. Do not cut the device: the pool uses all of it. Try again with forebay pool resize.";
    DeviceFailed, "device-failed", Error,
        "A device of the pool failed and leaves it. Guests continue.",
        "Replace it: forebay pool replace OLD NEW.";
    DeviceMissing, "device-missing", Error,
        "The daemon started without a device of the pool.",
        "If it is broken: forebay pool replace OLD NEW. If it returns, forebay pool add adds it again.";
    DeviceMoved, "device-moved", Info,
        "A device of the pool has another name than at the start before, and was found by what it holds.",
        "";
    DeviceIgnored, "device-ignored", Error,
        "A device was not used though it was named as one of the pool.",
        "forebay pool show lists those that are. forebay pool add adds it again.";
    DeviceStays, "device-stays", Error,
        "A device cannot leave the pool, or its record cannot be deleted.",
        "forebay pool show reports its state; remove it again once the reason is gone.";
    DeviceRemoved, "device-removed", Info,
        "A device does not belong to the pool any more.",
        "";
    FlashWearing, "flash-wearing", Warning,
        "A device of the pool wears out: few days are left at the present rate, most of its life is used, or its drive warns.",
        "forebay pool show reports its wear. Replace it in time: forebay pool replace OLD NEW.";
    WearReset, "wear-reset", Warning,
        "The counts of bytes written to the flash could not be read.",
        "Counting starts again from zero. Keep the file that was set aside if you need its content, or delete it.";
    WearUnsaved, "wear-unsaved", Warning,
        "The counts of bytes written to the flash cannot be saved.",
        "Make room in the daemon's folder, or a restart loses them.";
    MirrorOnOneDrive, "mirror-on-one-drive", Warning,
        "Devices of the pool are on one drive, and a disk is to have its dirty data on two devices: both copies are lost with that drive.",
        "Replace one with a device on another drive: forebay pool replace OLD NEW. To accept it: forebay pool add DEVICE --same-drive, with a device of the pool.";
    OneCopyOnly, "one-copy-only", Warning,
        "The last writes to a mirrored disk are on one device only: they do not survive the loss of that device.",
        "forebay pool show names the missing device; replace it: forebay pool replace OLD NEW.";
    SecondCopiesComplete, "second-copies-complete", Info,
        "Everything of a mirrored disk has its second copy again.",
        "";
    DirtyAtRisk, "dirty-data-at-risk", Error,
        "The flash failed while it had data that the backing does not have.",
        "Do not erase or remove the pool. forebay disk show NAME reports how much it is; docs/what-happens-when.md lists what can be done.";
    DirtyDataLeftBehind, "dirty-data-left-behind", Error,
        "The daemon ended with dirty data in a pool that the next start will not find.",
        "If the pool was moved, move it back before the next start. If it was deleted, the last writes of guests to these disks are lost: check them.";
    RamReduced, "ram-reduced", Warning,
        "At a start the host had less memory than the disks' ram= in all: each disk got a share of it.",
        "Give the host, or the memory cgroup of the service, more memory, or lower ram= of disks: forebay disk set NAME ram=SIZE.";
    DiskAdded, "disk-added", Info,
        "A disk was added.",
        "";
    DiskRemoved, "disk-removed", Info,
        "A disk was removed.",
        "";
    DiskAttached, "disk-attached", Info,
        "A disk is served.",
        "";
    DiskWaiting, "disk-waiting", Error,
        "A disk is not served. Forebay tries again every 5 s.",
        "Make its backing available again; forebay disk show NAME reports the reason.";
    DiskStopped, "disk-stopped", Error,
        "A disk answers nothing but errors, because data that its backing does not have cannot be read.",
        "forebay disk show NAME reports the reason. Attach the flash again and restart the daemon.";
    DiskFenced, "disk-fenced", Error,
        "The backing of a disk is lost to this host: another host took it over, or something else has its name. The disk answers nothing but errors here.",
        "End the guest here. If another host keeps the disk, discard its dirty data here: forebay disk remove NAME --discard-dirty. Otherwise the message has the next step.";
    DiskFailed, "disk-failed", Error,
        "The backing of a disk shrank, is write-protected, or its size cannot be read.",
        "forebay disk show NAME reports the reason.";
    DiskRecovered, "disk-recovered", Info,
        "The backing of a disk that failed answers again, and is large enough.",
        "";
    DiskResized, "disk-resized", Info,
        "A disk was resized to the new size of its backing.",
        "";
    DiskNotResized, "disk-not-resized", Warning,
        "A start could not resize a disk to the new size of its backing; it is served with its old size.",
        "Once the reason is gone: forebay disk resize NAME.";
    DiskMoved, "disk-moved", Info,
        "A disk moved to another thread, because its own was overloaded.",
        "";
    DiskNotMoved, "disk-not-moved", Warning,
        "A disk could not be moved to another thread.",
        "";
    DiskTakenOver, "disk-taken-over", Info,
        "Forebay now serves and caches a disk of a running guest.",
        "";
    DiskReleased, "disk-released", Info,
        "A disk that was taken from a running guest is released, because its QEMU has ended: the file has everything and is free.",
        "";
    DiskNotReleased, "disk-not-released", Warning,
        "A disk that was taken from a running guest cannot be released though its QEMU has ended: a new one is refused the file.",
        "Forebay tries again every 5 s. forebay disk show NAME reports how much is not destaged yet; check its backing.";
    CacheRecovered, "cache-recovered", Info,
        "The cached data of a disk was recovered after a restart.",
        "";
    CacheCold, "cache-cold", Info,
        "A disk starts with an empty cache; the message has the reason.",
        "";
    CacheEvicted, "cache-evicted", Info,
        "The cached data of a disk was dropped on request.",
        "";
    BackingFailing, "backing-failing", Error,
        "A backing fails or does not answer. Cached data is served; other requests wait for the retry time.",
        "Check the device, its path and its server; forebay disk show NAME reports its error.";
    BackingBack, "backing-back", Info,
        "A backing works again.",
        "";
    BackingLimited, "backing-limited", Warning,
        "A disk is served from a backing that is not durable: it is in memory, or cannot be flushed.",
        "forebay disk show NAME reports the reason. Move the data to other storage if it must not be lost.";
    BackingReplaced, "backing-replaced", Error,
        "Another file or device is at the path of a backing. Guests continue with the one that was opened.",
        "forebay disk show NAME reports where that one is, and how to save it. Put it back in its place before Forebay is restarted.";
    BackingMissing, "backing-missing", Error,
        "Nothing is at the path of a backing any more: it was deleted or moved. Guests continue with the one that was opened.",
        "forebay disk show NAME reports where that one is, and how to save it. A deleted one is gone once Forebay stops.";
    BackingInPlace, "backing-in-place", Info,
        "The file or device that was opened as a backing is at its path again.",
        "";
    BackingAccepted, "backing-accepted", Warning,
        "An administrator accepted a backing for the cached data of its disk; the message has the result of the comparison.",
        "If it was the wrong one, dirty data is written over it: restore it from a backup.";
    BackingFull, "backing-full", Error,
        "A backing has no room for writes: its file system, its thin pool or a quota is full.",
        "Make room below it. In write-back destage then continues by itself; in other modes guests got the error at once.";
    BackingHasRoom, "backing-has-room", Info,
        "A backing accepts writes again.",
        "";
    BackingSlow, "backing-slow", Warning,
        "For three minutes requests to a backing took four times as long as usual and more than 50 ms, or more than a second.",
        "Check other users of the storage, its health (SMART, a rebuild of its array) and the connection to it: iostat -x, its server.";
    BackingAsUsual, "backing-as-usual", Info,
        "A backing that was slow is not any more.",
        "";
    BackingWarning, "backing-warning", Warning,
        "A backing needs attention though guests do not notice it yet: its store refuses objects or deletes, or breaks a promise.",
        "The message has the next step. forebay disk show NAME has the present state.";
    BackingWarningOver, "backing-warning-over", Info,
        "What needed attention at a backing is over.",
        "";
    BackingDamaged, "backing-damaged", Error,
        "A scrub found parts of a backing, or of its snapshots, that are missing or damaged. Reads of them fail, unless flash has them.",
        "forebay volume scrub STORE/NAME lists the ranges. Restore them from a backup; a range that is written again is good. If only snapshots lack them, reads of the disk are whole: delete these snapshots, or restore them.";
    BackingRepaired, "backing-repaired", Warning,
        "A scrub found parts of a backing that are missing or damaged, and the host had them, in the cache of the disk or as the map in RAM: they were written again, or are to be destaged.",
        "Find out why the storage loses data, or what else deletes there, before the cache does not have it.";
    BackingErrors, "backing-errors", Warning,
        "A backing failed requests, at most one such event an hour for each disk.",
        "Check the backing: the kernel's log (dmesg), its server, its SMART figures.";
    FlashErrors, "flash-errors", Warning,
        "Flash failed reads or writes, at most one such event an hour for each disk.",
        "Check the device: dmesg, smartctl -a. Replace it before it fails: forebay pool replace OLD NEW.";
    ChecksumErrors, "checksum-errors", Warning,
        "Flash returned other data than was written, at most one such event an hour for each disk. Guests got the data from the backing.",
        "Check the device and the host's memory: dmesg, smartctl -a. Replace the device if it continues.";
    DataLost, "data-lost", Error,
        "Data that guests wrote was damaged on flash before the backing had it. Reads of it fail.",
        "forebay disk show NAME --lost lists the ranges. Restore them from a backup; a range that is written again is good.";
    DestageBehind, "destage-behind", Warning,
        "Writers have been held back for more than 30 s, because dirty data is at its limit.",
        "The backing takes less than guests write. Give the disk more room (forebay disk set NAME dirty-limit=SIZE), or a faster backing.";
    DestageCaughtUp, "destage-caught-up", Info,
        "Writers are not held back any more.",
        "";
    QueueBroken, "queue-broken", Error,
        "A queue of a guest over vhost-user is not served any more: its entries are invalid, or its memory is gone. At most one such event an hour for each disk.",
        "Restart the guest, which waits for its disk. The daemon's log has the reason: a driver of the guest, or the program that runs it.";
    RingLost, "ring-lost", Warning,
        "The redo ring of a disk was gone or damaged at a start, and a new one is made. Nothing is lost while the flash works.",
        "Find out what removed it. Once forebay disk show NAME has a time for `consistent`, losing the flash leaves an older disk again.";
    ConsistentStuck, "consistent-stuck", Warning,
        "No group of a disk reaches its redo ring, so the time as of which losing the flash would leave the disk gets older.",
        "The message has the reason: repair that storage or make room there. Otherwise give consistency up: forebay disk set NAME destage-order=address.";
    ConsistentAgain, "consistent-again", Info,
        "Groups of a disk reach its redo ring again.",
        "";
    QuiesceFailed, "quiesce-failed", Warning,
        "A disk could not be quiesced; its mode is unchanged.",
        "Check its backing, then try again: forebay disk quiesce NAME.";
    QuiesceGoesOn, "quiesce-goes-on", Info,
        "A disk stays quiesced after a restart.",
        "";
    HoldsUnread, "holds-unread", Warning,
        "The list of quiesced disks could not be read: they write back again.",
        "A snapshot or backup in progress is not of one moment. Quiesce again: forebay disk quiesce NAME --seconds N.";
    QuiesceOver, "quiesce-over", Warning,
        "A disk is no longer quiesced: its time is over, or in consistent order something needed destage.",
        "A snapshot or backup that was not finished by then is not of one moment. Ask for more time: forebay disk quiesce NAME --seconds N; or raise dirty-limit.";
    TotalsUnsaved, "totals-unsaved", Warning,
        "The counters of disks cannot be saved.",
        "Make room in the daemon's folder, or a restart loses them.";
    TotalsReset, "totals-reset", Warning,
        "The saved counters of disks could not be read.",
        "Counting starts again from zero. Keep the file that was set aside if you need its content, or delete it.";
    HistoryUnread, "history-unread", Warning,
        "A part of a disk's history of the last week could not be read, or is dated later than now.",
        "The readable part is shown. Keep a file that was set aside if you need the rest, or delete it.";
    HistoryUnsaved, "history-unsaved", Warning,
        "The steps of the disks' history cannot be saved.",
        "Make room in the daemon's folder, or a restart loses them.";
    ShardUnresponsive, "shard-unresponsive", Error,
        "A thread that serves disks does not answer.",
        "A device or file system that it waits for hangs: check dmesg.";
    ShardAnswers, "shard-answers", Info,
        "A thread that serves disks answers again.",
        "";
}

impl Kind {
    /// Returns the name as users write it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the severity.
    pub fn level(self) -> Level {
        self.row().level
    }

    /// Returns the next thing to do, if there is one. `disk` replaces the placeholder of its name.
    pub fn advice(self, disk: Option<&str>) -> Option<String> {
        let advice = self.row().advice;
        (!advice.is_empty()).then(|| match disk {
            Some(name) => advice.replace("NAME", name),
            None => advice.to_owned(),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns every kind with its level and meaning, for the help and the manual page.
pub fn list() -> String {
    let width = Kind::ALL.iter().map(|kind| kind.name().len()).max().unwrap_or(0);
    let row = |kind: &Kind| {
        let Row { name, level, about, .. } = kind.row();
        let start = format!("  {name:width$}  {:<7}  ", level.name());
        hanging(&start, about, start.len())
    };
    Kind::ALL.iter().map(row).collect()
}

/// Returns the table as the documentation has it.
#[cfg(test)]
pub(super) fn table() -> String {
    let row = |kind: &Kind| {
        let Row { name, level, about, advice } = kind.row();
        let advice = if advice.is_empty() { "-" } else { advice };
        format!("| `{name}` | {} | {about} | {advice} |\n", level.name())
    };
    let rows: String = Kind::ALL.iter().map(row).collect();
    format!("| kind | level | what it says | what to do |\n|---|---|---|---|\n{rows}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own_and_bad_ones_have_advice() {
        for (at, kind) in Kind::ALL.iter().enumerate() {
            let Row { name, about, advice, .. } = kind.row();
            assert!(Kind::ALL[..at].iter().all(|other| other.name() != name), "{name} is there twice");
            assert!(name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{name}");
            assert!(about.ends_with('.') && (advice.is_empty() || advice.ends_with('.')), "{name}");
            assert!(kind.level() < Level::Error || !advice.is_empty(), "{name}: what is to be done?");
        }
    }

    #[test]
    fn advice_names_the_disk() {
        let advice = Kind::DataLost.advice(Some("vm-1")).expect("there is some");
        assert!(advice.starts_with("forebay disk show vm-1 --lost"), "{advice}");
        assert_eq!(Kind::DiskAdded.advice(Some("vm-1")), None);
    }

    #[test]
    fn levels_go_by_their_names() {
        for level in Level::ALL {
            assert_eq!(Level::of_name(level.name()), Some(level));
        }
        assert_eq!(Level::of_name("loud"), None);
        assert!(Level::Info < Level::Warning && Level::Warning < Level::Error);
    }

    #[test]
    fn the_documented_table_is_the_one_of_the_code() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/events.md");
        let page = std::fs::read_to_string(page).unwrap_or_default();
        assert!(page.contains(&table()), "docs/events.md must hold exactly this table:\n{}", table());
    }
}
