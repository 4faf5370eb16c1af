//! Known bugs that tests plant, to prove that walks find bugs of that kind. Absent from release builds.

/// A bug that can be planted. Each switches off one rule of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The directory names a group before the pages of the group are durable.
    NamedBeforeFlush,
    /// A group counts although the connection that wrote it was lost.
    OtherConnection,
    /// Both copies of the directory are on their way at once.
    CopiesTogether,
    /// The room of a group is used again before the directory stopped naming it.
    ReusedBeforeSaid,
    /// Recovery applies the last group only.
    LastGroupOnly,
    /// A replay brings all versions of a page to the backing, one after another, not only the newest.
    ReplayOlder,
    /// A replay releases groups before the backing was flushed.
    ReplayNotFlushed,
    /// A replay brings groups to the backing of which it is not known whether they count in the other rings of the set.
    ReplayAboveConfirmed,
    /// The room of a group that was withdrawn is used again before the directory stopped naming it.
    WithdrawnRoomReused,
    /// A recovery of a set applies what a ring has behind the cut that all rings have.
    AboveTarget,
    /// A recovery of a set finishes one ring after another, and a ring that is finished is as if it had never been of the set.
    TargetsOneByOne,
}

impl Bug {
    /// Bugs of a ring alone.
    pub const ALL: [Self; 7] = [
        Self::NamedBeforeFlush,
        Self::OtherConnection,
        Self::CopiesTogether,
        Self::ReusedBeforeSaid,
        Self::LastGroupOnly,
        Self::ReplayOlder,
        Self::ReplayNotFlushed,
    ];

    /// Bugs of consistency sets.
    pub const OF_SETS: [Self; 4] =
        [Self::ReplayAboveConfirmed, Self::WithdrawnRoomReused, Self::AboveTarget, Self::TargetsOneByOne];
}

#[cfg(debug_assertions)]
std::thread_local! {
    static PLANTED: std::cell::Cell<Option<Bug>> = const { std::cell::Cell::new(None) };
}

/// Plants a bug for everything that this thread runs from now on, instead of the one before.
#[cfg(debug_assertions)]
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

/// Returns true if this bug is planted in this thread.
#[cfg(debug_assertions)]
pub(crate) fn has(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}

/// Returns false: no bug can be planted.
#[cfg(not(debug_assertions))]
pub(crate) const fn has(_: Bug) -> bool {
    false
}
