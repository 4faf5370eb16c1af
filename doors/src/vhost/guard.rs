//! Shared memory that its owner makes shorter, and a daemon that goes on nevertheless.
//!
//! A front end keeps the file of its guest's memory open and can truncate it, by mistake or on purpose. An access behind the new end raises
//! the signal SIGBUS, which ends a process, and with it the disks of all other guests. Seals of the file would forbid it, but hugetlbfs and
//! files on disk have none, and not every front end seals its memfd. So the signal is handled here: a mapping that is [guarded](Guard) is
//! replaced, as a whole, by zeroes of our own, and counts as [torn](Guard::is_whole) from then on. The interrupted access goes on with
//! zeroes; its code has to check, before it trusts what it read, whether all was whole. A compositor of Wayland guards itself against its
//! clients in the same way (libwayland, `wl_shm_buffer_begin_access`).
//!
//! SIGBUS anywhere else, or sent by a process, has its earlier effect. Nothing here allocates, locks or logs within the signal. A system
//! call on such memory fails with EFAULT instead: there is no signal then, and nothing is torn.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
use vm_memory::MmapRegion;

/// As many as Linux lets one process map by default (`vm.max_map_count`).
const SLOTS: usize = 1 << 16;

static TABLE: [Slot; SLOTS] = [const { Slot::unused() }; SLOTS];
/// Start of the search for an unused slot.
static NEXT: AtomicUsize = AtomicUsize::new(0);
/// Number of times that a mapping was torn.
static TORN: AtomicU64 = AtomicU64::new(0);
/// Earlier action of SIGBUS, once the signal is handled here; or why it could not be.
static BEFORE: OnceLock<Result<SigAction, nix::Error>> = OnceLock::new();

/// A mapping that is guarded, as the signal sees it.
struct Slot {
    used: AtomicBool,
    torn: AtomicBool,
    /// Start of the mapping; zero as long as the slot has none.
    start: AtomicUsize,
    bytes: AtomicUsize,
}

/// Keeps the loss of a mapping from ending the process, until it is dropped. That has to be before the mapping is: a later mapping at the
/// same place is not guarded by this.
#[derive(Debug)]
pub(crate) struct Guard {
    slot: usize,
}

impl Slot {
    const fn unused() -> Self {
        Self {
            used: AtomicBool::new(false),
            torn: AtomicBool::new(false),
            start: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Returns start and length of the mapping if `address` is in it. Another thread may reuse the slot during the check.
    fn around(&self, address: usize) -> Option<(usize, usize)> {
        let start = self.start.load(Ordering::Acquire);
        let bytes = self.bytes.load(Ordering::Acquire);
        let stays = start == self.start.load(Ordering::Relaxed);
        (stays && start != 0 && address >= start && address - start < bytes).then_some((start, bytes))
    }
}

impl Guard {
    /// Guards a mapping.
    ///
    /// # Errors
    /// Why it cannot: the system does not give us the signal, or too many are guarded.
    pub(crate) fn new(mapping: &MmapRegion) -> Result<Self, String> {
        if let Err(error) = BEFORE.get_or_init(take_signal) {
            return Err(format!("memory that cannot be guarded against its owner: {error}"));
        }
        let from = NEXT.load(Ordering::Relaxed);
        let unused = |slot: &usize| !TABLE[*slot].used.swap(true, Ordering::AcqRel);
        let slot = (from..from + SLOTS).map(|slot| slot % SLOTS).find(unused);
        let slot = slot.ok_or_else(|| format!("more than {SLOTS} pieces of memory in all"))?;
        NEXT.store(slot + 1, Ordering::Relaxed);
        let entry = &TABLE[slot];
        entry.torn.store(false, Ordering::Relaxed);
        entry.bytes.store(mapping.size(), Ordering::Release);
        entry.start.store(mapping.as_ptr().addr(), Ordering::Release);
        Ok(Self { slot })
    }

    /// Returns false if the memory was taken away, and zeroes are in its place.
    pub(crate) fn is_whole(&self) -> bool {
        !TABLE[self.slot].torn.load(Ordering::Relaxed)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let entry = &TABLE[self.slot];
        entry.start.store(0, Ordering::Release);
        entry.used.store(false, Ordering::Release);
    }
}

/// Returns how often any guarded mapping was torn so far: as long as it stays the same, no guard has to be checked. Includes the effects of
/// earlier accesses of this thread.
pub(crate) fn times_torn() -> u64 {
    // The signal interrupted that access, on this thread; only the compiler could read too early.
    compiler_fence(Ordering::SeqCst);
    TORN.load(Ordering::Relaxed)
}

/// Installs the handler of SIGBUS for the process. Returns the earlier action.
fn take_signal() -> Result<SigAction, nix::Error> {
    // On a thread's own stack for signals, if it has one, as the standard library's handler wants it, which ours stands before.
    let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
    let ours = SigAction::new(SigHandler::SigAction(on_bus_error), flags, SigSet::empty());
    // SAFETY: the handler keeps to what signal(7) allows within one: atomics, mmap, sigaction, raise.
    unsafe { sigaction(Signal::SIGBUS, &ours) }
}

/// Handles SIGBUS.
extern "C" fn on_bus_error(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let errno = nix::Error::last_raw();
    // SAFETY: the kernel hands over a valid `info`, and for this signal it has an address.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    // A signal that a process sends has a code of zero or less, and an address without meaning.
    let is_fault = code > 0;
    if !(is_fault && replace(address)) {
        give_back(is_fault);
    }
    nix::Error::set_raw(errno);
}

/// Puts zeroes in the place of the guarded mapping that `address` is in. False if there is none, or it cannot be done.
fn replace(address: usize) -> bool {
    let mut all = TABLE.iter();
    let found = all.find_map(|slot| slot.around(address).map(|place| (slot, place)));
    let Some((slot, (start, bytes))) = found else { return false };
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // All of it, because a part of a mapping of huge pages cannot be replaced.
    // SAFETY: `Guard` guarantees that the mapping exists, and a mapping that other processes change is only ever accessed as memory that
    // changes at any moment. So zeroes in its place are nothing new to code that accesses it.
    let mapped = unsafe {
        let place = ptr::with_exposed_provenance_mut(start);
        libc::mmap(place, bytes, protection, flags, -1, 0)
    };
    if mapped == libc::MAP_FAILED {
        return false;
    }
    slot.torn.store(true, Ordering::Relaxed);
    TORN.fetch_add(1, Ordering::Relaxed);
    true
}

/// Restores the earlier action of the signal, now and from now on.
fn give_back(is_fault: bool) {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    let before = BEFORE.get().and_then(|before| before.as_ref().ok()).unwrap_or(&default);
    // SAFETY: the earlier handler was installed before, and is fit for this signal.
    let given = unsafe { sigaction(Signal::SIGBUS, before) }.is_ok();
    // A fault is raised again as soon as this returns. A sent signal is not.
    if !(given && (is_fault || raise(Signal::SIGBUS).is_ok())) {
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use vm_memory::{Bytes, VolatileMemory};

    use super::super::memory::map_file;
    use super::super::memory::tests::file_of;
    use super::*;

    #[test]
    fn what_is_gone_reads_as_zeroes_and_counts_as_torn_and_its_neighbours_do_not() {
        let files = [(); 2].map(|()| File::from(file_of(1 << 16)));
        let map = |file: &File| map_file(file.try_clone().unwrap().into(), 0, 1 << 16).unwrap();
        let [mapping, neighbour] = [map(&files[0]), map(&files[1])];
        let byte = |mapping: &MmapRegion| mapping.as_volatile_slice().read_obj::<u8>(0x5000).unwrap();
        for mapping in [&mapping, &neighbour] {
            mapping.as_volatile_slice().write_obj(7u8, 0x5000).unwrap();
        }
        let before = times_torn();
        files[0].set_len(0x5000).unwrap();
        assert_eq!((byte(&mapping), byte(&neighbour)), (0, 7));
        assert!(!mapping.guard.is_whole() && neighbour.guard.is_whole());
        assert!(times_torn() > before);
        // It belongs to this test alone now.
        mapping.as_volatile_slice().write_obj(9u8, 0x5000).unwrap();
        files[0].set_len(1 << 16).unwrap();
        assert_eq!(byte(&mapping), 9);
        drop(mapping);
        assert!(map(&files[0]).guard.is_whole(), "another mapping is another matter");
    }

    /// The test runs itself, as a process that gets the signal for another reason.
    #[test]
    fn any_other_bus_error_ends_the_process_as_before() {
        const CHILD: &str = "FOREBAY_TEST_BUS_ERROR";
        if std::env::var_os(CHILD).is_some() {
            let guarded = map_file(file_of(4096), 0, 4096).unwrap();
            // The standard library's handler, to which it goes back, only makes way for the next one.
            raise(Signal::SIGBUS).unwrap();
            raise(Signal::SIGBUS).unwrap();
            drop(guarded);
            return;
        }
        let name = "vhost::guard::tests::any_other_bus_error_ends_the_process_as_before";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let ended = child.args(["--exact", name]).env(CHILD, "1").output().unwrap();
        assert_eq!(ended.status.signal(), Some(Signal::SIGBUS as i32), "{ended:?}");
    }
}
