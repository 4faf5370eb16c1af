//! The past of a disk: what this host remembers of it besides the flash, and what of its cached content is therefore
//! believed when it is attached.
//!
//! ```text
//!   DIR/past/ID.json      what the backing looked like when it was last in our hands            survives the host
//!   the backing           an epoch in an extended attribute, where its file system holds one    goes with the data
//!   RUN/touched/ID        one bit for each page that is not in the log as the backing holds it  survives the process
//! ```
//! A cache that is warm after a restart may show old data if somebody changed the backing in between: restored a snapshot,
//! repaired the file system, put another file under the same name. So content is believed only if the backing can be
//! what it was: same size, same file, same epoch; after a clean stop also not modified since. Where that cannot be known
//! (a raw device, a crash), samples of the cached pages are compared with the backing first.
//!
//! All of it runs on the shard when a disk comes or goes, and blocks it for a few small writes.

mod appearance;
mod record;
mod touched;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use block::file::Access;
use cache::{Belief, Expected, Past, SharedBits};

pub(crate) use appearance::Appearance;
use record::{Modified, Record};
pub(crate) use touched::Touched;

use crate::places::Places;
use crate::problem::Answer;

/// Cached pages that are compared with the backing where nobody can vouch for it.
const SAMPLES: usize = 128;
/// Why nothing is believed where samples do not help: they would find what somebody else changed, perhaps; not what a
/// server lost that was restarted while nobody watched its connections.
pub(crate) const UNGUARDED: &str = "Nobody kept its NBD server from changing it meanwhile";

/// What of a disk's content would be believed if it were attached now, after a start whose predecessor left `mark` on the
/// pool. Changes nothing. A backing that is not there keeps its disk waiting, and what is cached of it. One without a path
/// is on an NBD server.
///
/// # Errors
/// If what is remembered cannot be read.
pub(crate) fn foresee(
    places: &Places,
    id: u32,
    backing: Option<&Path>,
    disk_bytes: Option<u64>,
    mark: u64,
) -> Answer<Expected> {
    let nothing = |reason| Ok(Expected { belief: Belief::Nothing(reason), touched: None });
    let Some(backing) = backing else { return nothing(UNGUARDED.to_owned()) };
    let found = Appearance::of(backing);
    // The size of a device is taken to be what it was: looking is for starts, which may wait for it.
    let disk_bytes = found.bytes.or(disk_bytes);
    let verdict = Record::load(&places.past(), id)?.judge(&Appearance { bytes: disk_bytes, ..found });
    if backing.exists()
        && let Err(reason) = verdict
    {
        return nothing(reason);
    }
    let bits = disk_bytes.and_then(|disk_bytes| Touched::peek(&places.touched(), id, disk_bytes, mark));
    let touched = bits.map(|bits| Rc::new(bits) as Rc<dyn SharedBits>);
    let belief = if touched.is_some() { Belief::ByPage } else { Belief::ByRegion };
    Ok(Expected { belief, touched })
}

/// The past of one disk, in the hands of its shard.
pub(crate) struct History {
    places: Places,
    id: u32,
    record: RefCell<Record>,
    touched: Rc<Touched>,
    kept: bool,
}

impl History {
    /// Reads what is remembered of a disk. `mark` is that of this start of the pool.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn open(places: &Places, id: u32, disk_bytes: u64, mark: u64) -> Answer<Self> {
        let record = Record::load(&places.past(), id)?;
        let (touched, kept) = Touched::open(&places.touched(), id, disk_bytes, mark);
        Ok(Self { places: places.clone(), id, record: RefCell::new(record), touched: Rc::new(touched), kept })
    }

    /// What of the cached content is believed, if the backing looks like this now.
    pub(crate) fn past(self: &Rc<Self>, backing: &Appearance) -> Past {
        let verdict = self.record.borrow().judge(backing);
        match verdict {
            Err(reason) => self.past_by(Belief::Nothing(reason), 0),
            Ok(Modified::Not) => self.past_by(self.belief(), 0),
            Ok(Modified::Perhaps) => self.past_by(self.belief(), SAMPLES),
        }
    }

    /// The past of a disk whose backing stayed in the hands of this process, locked, and was changed through us only.
    pub(crate) fn unbroken_past(self: &Rc<Self>) -> Past {
        self.past_by(self.belief(), 0)
    }

    fn belief(&self) -> Belief {
        if self.kept { Belief::ByPage } else { Belief::ByRegion }
    }

    fn past_by(self: &Rc<Self>, belief: Belief, samples: usize) -> Past {
        let history = Rc::clone(self);
        Past {
            belief,
            touched: Rc::<Touched>::clone(&self.touched),
            samples,
            flash_lost: Rc::new(move || {
                let remembered = history.remember_flash_lost();
                Box::pin(std::future::ready(remembered))
            }),
        }
    }

    /// The disk is attached, to the file at `path` if this host has it: from now on the backing changes only through us, and
    /// whoever finds the epoch that this leaves knows that it was. Nothing of the backing may be changed before.
    ///
    /// # Errors
    /// If it cannot be remembered; then the disk must not be served.
    pub(crate) fn begin(
        &self,
        path: Option<&Path>,
        bytes: u64,
        access: Access,
        flash_failed: bool,
    ) -> Answer<()> {
        // Content that was to be void is, durably, unless flash failed: then it may come back with it.
        let void = flash_failed && self.record.borrow().void;
        self.turn(path, bytes, access, void, access == Access::ReadOnly)?;
        self.touched.validate();
        Ok(())
    }

    /// The disk is attached again without having been detached in between: what [`Self::begin`] left still holds.
    pub(crate) fn go_on(&self) {
        self.touched.validate();
    }

    /// The disk is detached, all that guests wrote is in its backing, and what is cached of it is complete.
    ///
    /// # Errors
    /// If it cannot be remembered; then less is believed at the next start.
    pub(crate) fn end(&self, path: Option<&Path>, bytes: u64, access: Access) -> Answer<()> {
        let void = self.record.borrow().void;
        self.turn(path, bytes, access, void, true)
    }

    /// The disk is gone for good.
    pub(crate) fn forget(places: &Places, id: u32) {
        Record::forget(&places.past(), id);
        Touched::forget(&places.touched(), id);
    }

    /// Moves on to the next epoch, in the backing and here.
    fn turn(&self, path: Option<&Path>, bytes: u64, access: Access, void: bool, at_rest: bool) -> Answer<()> {
        let epoch = self.record.borrow().epoch + 1;
        let writable = path.filter(|_| access == Access::ReadWrite);
        let marked = writable.is_some_and(|path| appearance::write_epoch(path, self.id, epoch));
        let found = path.map(Appearance::of).unwrap_or_default();
        let now = Appearance { bytes: Some(bytes), ..found };
        let record = Record::now(epoch, marked, &now, void, at_rest);
        record.save(&self.places.past(), self.id)?;
        self.record.replace(record);
        Ok(())
    }

    fn remember_flash_lost(&self) -> Result<(), String> {
        let mut record = self.record.borrow().clone();
        record.void = true;
        record.save(&self.places.past(), self.id).map_err(|problem| problem.message)?;
        self.record.replace(record);
        Ok(())
    }
}
