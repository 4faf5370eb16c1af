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
    /// An object that exists counts as created by each host that finds it.
    ExistsIsOurs,
}

impl Bug {
    /// All that walks find soon. A story finds the other one.
    pub const ALL: [Self; 9] = [
        Self::UnconditionalCopies,
        Self::DeletedBeforeCheckpoint,
        Self::OpenEnd,
        Self::NoLook,
        Self::GroupWithoutEnd,
        Self::GroupWithHole,
        Self::DeadAtEnd,
        Self::PartsBeforeRoot,
        Self::LookBeforeObjects,
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
