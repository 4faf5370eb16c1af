//! Canaries: known bugs that can be planted, so that tests can prove that simulation finds bugs of that kind.
//!
//! A build with debug assertions, as tests are, lets a thread plant one for itself; other threads go on without. In a release build
//! none can be planted, and the compiler leaves all of them out.

/// A bug that can be planted. Each switches off one rule; the stories are in `sim/tests/holes`. docs/dev/durability.md has the rules and
/// the damage by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Fills enter although a write intervened (rule I3).
    StaleFill,
    /// A segment without indexed pages is reclaimed first, although older versions lie elsewhere (A1, rule I8).
    EmptyFirst,
    /// A region is closed although the log holds older versions of its pages (A18, rule I11).
    CloseWithoutForget,
    /// A region is closed although the backing may lose acknowledged writes (A19, rule I11).
    CloseWithoutFlush,
    /// Pages that a start does not trust leave only the index, and reappear when their region is closed (A20).
    DropInMemory,
    /// Writes that do not enter the cache open no intent (A21, rule I11).
    NoIntentPastCache,
    /// Pages are touched only when their intent is durable: a load brings them back meanwhile.
    LateTouch,
    /// A page is no longer touched as soon as its new content is on its way to the log.
    EarlyClear,
    /// A guest's first flush after a restart is answered without asking the backing, because nothing was written since (A26).
    FlushFromMemory,
    /// In write-back a write is acknowledged before the log has it.
    AckBeforeWrite,
    /// A segment goes before the replacements of its content are durable (A3, rule I8).
    ReuseBeforeDurable,
    /// A write goes to the backing although something older of its pages is dirty (rule I12).
    BypassOverDirty,
    /// A segment is reclaimed although it has zeroes that are dirty (A10).
    TombstoneDropped,
    /// The backing gets pages that the power may still take from the log, and leaves older ones there for clean.
    BackingBeforeLog,
    /// Pages count as destaged before the backing was flushed (A14, rule I9).
    HomeBeforeFlush,
    /// Pages count as destaged although a guest replaced them meanwhile (A13).
    HomeOfAnother,
    /// A segment is taken and written while a discard of it is in flight (rule I7).
    EarlyReuse,
    /// A device that returns is trusted, though DIR knows that the others went on without it (A32, rule I13).
    StaleBelieved,
    /// A write that needs two copies is acknowledged when it has one (rule I13).
    AckOneCopy,
    /// A write that only one device has is acknowledged before it is durable that the other one is out (A32, rule I13).
    OutUnrecorded,
    /// After a power cut, one of two copies stays shorter than the other (A34).
    EndsDiffer,
    /// A second copy that was made later counts before the table names it (B36).
    CopyCountsEarly,
    /// The table names a second copy before it is whole (B36).
    HalfCopyNamed,
    /// A cold page goes before older versions of it that the log still holds (rule I8).
    ShadowedDropped,
    /// A segment goes before older ones while the replacements of its content are not durable (rule I8).
    OutOfOrderBeforeDurable,
    /// A damaged page may go before older versions, though nothing records that it is void (rule I8).
    DamageOutOfOrder,
    /// Survivors of segments that go next are copied, though they may be overwritten before they are appended (rule I1).
    AheadNotHeld,
    /// The table names the new place of a segment before it is whole there.
    HalfMoveNamed,
    /// A copy is written over a segment that the table still names.
    CopyOverNamed,
    /// Of a segment with two copies, only one is given back in the table.
    OneCopyFreed,
    /// A disk grows, and the cached content of the page that its end cut keeps the zeroes that no guest wrote (rule I17).
    ZeroesBehindEnd,
    /// Batches that are written while a flush of the log runs count as durable once it has ended (rule I5).
    FlushCoversLater,
    /// Notes record that a disk is clean before its destaged entries are durable in the log (rule I9).
    CleanBeforeLog,
    /// Reclaim repeats only the first batch of the range tombstones of a segment (rule I8).
    RangesSaidOnce,
    /// Changes of the same pages do not wait for each other (rule I2, B24).
    OverlapsPass,
    /// Destage sends newer content while an older write of the same pages may still land.
    NewerBeforeLate,
    /// The backing answers a read of dirty pages, because it is faster than flash (rule I3).
    BalancedOverDirty,
    /// Destage brings data to the backing that no group of the redo ring has.
    AheadOfGroup,
    /// A group of the redo ring has the newest versions of its pages, also those that were overwritten since it began.
    GroupOfNewest,
    /// A group of the redo ring has what the power can still take from the log.
    GroupBeforeLog,
    /// Writes go past the log while the redo ring promises something.
    BypassOverRing,
    /// A group of the redo ring that takes long has newer versions in the place of those that are not kept any more.
    DroppedForNewest,
    /// A redo ring that hangs keeps overwritten versions on flash for as long as that.
    KeptForRing,
    /// A change that the log does not take waits for a void redo ring, and does not have everything destaged.
    GateWithoutHold,
    /// Content of earlier groups counts as journaled although making the redo ring void failed.
    JournaledInVoidRing,
    /// A group that the backing failed in part stays there, for the next flush.
    GroupNotAbandoned,
    /// Flushes of others make a part of a group durable that is on its way to the backing.
    FlushInGroup,
    /// Destage goes on while it is paused in consistent write-back.
    DestageInPause,
    /// A snapshot of the backing is made while a group is on its way there.
    SnapshotInGroup,
    /// A pause of destage brings nothing of the ring to the backing.
    PauseWithoutReplay,
    /// Writers do not wait for a redo ring that is slower than they are, although there is a limit.
    AgeNotLimited,
    /// A start takes what is dirty for journaled.
    DirtyTakenForJournaled,
    /// A group of a consistency set counts once its own redo ring has it.
    CountsAlone,
    /// Time passes between the beginnings of the groups of a cut of a consistency set.
    CutNotAtOnce,
    /// A start ignores the intents in a segment of notes that the end left incomplete (rule I11).
    UnfinishedNotesIgnored,
}

impl Bug {
    /// Those that random walks find.
    pub const IN_WALKS: [Self; 18] = [
        Self::StaleFill,
        Self::EmptyFirst,
        Self::CloseWithoutForget,
        Self::DropInMemory,
        Self::NoIntentPastCache,
        Self::LateTouch,
        Self::FlushFromMemory,
        Self::AckBeforeWrite,
        Self::BypassOverDirty,
        Self::BalancedOverDirty,
        Self::TombstoneDropped,
        Self::HomeBeforeFlush,
        Self::HomeOfAnother,
        Self::EarlyReuse,
        Self::ZeroesBehindEnd,
        Self::OverlapsPass,
        Self::RangesSaidOnce,
        Self::CleanBeforeLog,
    ];

    /// Bugs that stories find. Random walks hardly ever reach the state in which most of them do harm.
    pub const IN_STORIES: [Self; 23] = [
        Self::CloseWithoutFlush,
        Self::EarlyClear,
        Self::ReuseBeforeDurable,
        Self::BackingBeforeLog,
        Self::StaleBelieved,
        Self::AckOneCopy,
        Self::OutUnrecorded,
        Self::EndsDiffer,
        Self::CopyCountsEarly,
        Self::HalfCopyNamed,
        Self::HalfMoveNamed,
        Self::CopyOverNamed,
        Self::OneCopyFreed,
        Self::ShadowedDropped,
        Self::OutOfOrderBeforeDurable,
        Self::DamageOutOfOrder,
        Self::AheadNotHeld,
        Self::FlushCoversLater,
        Self::CleanBeforeLog,
        Self::RangesSaidOnce,
        Self::OverlapsPass,
        Self::NewerBeforeLate,
        Self::UnfinishedNotesIgnored,
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
