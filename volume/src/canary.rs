//! Known bugs that tests plant, to prove that walks find bugs of that kind. Absent from release builds.

/// A bug that can be planted. Each switches off one rule of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Copies of cleaning count wherever their pages are by now.
    UnconditionalCopies,
    /// Objects are deleted that the newest checkpoint still needs.
    DeletedBeforeCheckpoint,
    /// An epoch's end is not fixed when the next one begins: what lands later counts.
    OpenEnd,
    /// A group is confirmed without a look at the epoch.
    NoLook,
    /// A group counts though it has no end yet.
    GroupWithoutEnd,
    /// A group is confirmed before all objects before its end are there.
    GroupWithHole,
    /// A checkpoint lets objects be deleted that are dead at its end, and not at its beginning.
    DeadAtEnd,
    /// Parts of the checkpoint before are deleted before the root of the next one is there.
    PartsBeforeRoot,
    /// The look at the epoch comes before the objects of a group are there.
    LookBeforeObjects,
    /// Garbage is what the newest checkpoint does not name, though its tail does.
    CollectedTail,
    /// Garbage is what no checkpoint needs, though a snapshot does.
    CollectedPins,
    /// Parts of a checkpoint are garbage though its root may land late.
    CollectedAttempt,
    /// A reader does not look whether a host that opened the volume meanwhile deleted what it looked for.
    ReadOnce,
    /// A reader does not look whether the host that writes made a checkpoint meanwhile, and deleted what it looked for.
    RootOnce,
    /// An object that exists counts as created by each host that finds it.
    ExistsIsOurs,
    /// Objects that snapshots need are deleted and moved as if there were none.
    PinsIgnored,
    /// Parts of checkpoints that snapshots need are deleted as if there were none.
    PinnedPartsIgnored,
    /// A clone is created of a snapshot that a host may have confirmed too late.
    DoubtfulTable,
    /// A clone is created though the snapshot may be going.
    NoSecondLook,
    /// A snapshot is deleted without first recording that it is going.
    NotGoingFirst,
    /// A snapshot is taken without what no flush made durable yet.
    SnapshotWithoutCommit,
    /// A snapshot is confirmed without a look at the epoch.
    NoLookAfterTable,
    /// A table of snapshots that is in doubt is forgotten.
    DoubtForgotten,
    /// A clone is created without a flag in the folder of its parent.
    NoCloneFlag,
    /// Pages of a clone that were made zeroes show the snapshot below again.
    ZeroesLost,
    /// Pages refer to objects that are dead.
    DeadHint,
    /// Objects to which one on its way refers are not kept for it.
    NoPins,
    /// Pages that refer to an object do not make it live.
    UncountedReferences,
    /// A checkpoint does not say that a page refers to a chunk for another one.
    UnflaggedReferences,
    /// A replay does not know copies to which a group refers, because their turn comes later.
    UnknownCopies,
    /// Objects to which an abandoned group refers are not kept for it, though it may count after a crash.
    PinsEndWithGroup,
    /// A repair takes the place that a page has after its content was found.
    RepairOfNewer,
    /// A read takes content that was read ahead from where its pages were before.
    BufferOfAnyObject,
}

impl Bug {
    /// All that walks find soon. Stories find the others.
    pub const ALL: [Self; 23] = [
        Self::UnconditionalCopies,
        Self::DeletedBeforeCheckpoint,
        Self::OpenEnd,
        Self::NoLook,
        Self::GroupWithoutEnd,
        Self::GroupWithHole,
        Self::DeadAtEnd,
        Self::PartsBeforeRoot,
        Self::LookBeforeObjects,
        Self::PinsIgnored,
        Self::PinnedPartsIgnored,
        Self::NoSecondLook,
        Self::SnapshotWithoutCommit,
        Self::NoCloneFlag,
        Self::ZeroesLost,
        Self::DeadHint,
        Self::NoPins,
        Self::UncountedReferences,
        Self::UnflaggedReferences,
        Self::UnknownCopies,
        Self::CollectedTail,
        Self::CollectedPins,
        Self::BufferOfAnyObject,
    ];
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
