//! Guest whose every request the model checks: for scenarios with several legal answers, of which a crash at an arbitrary moment selects
//! one.

use std::cell::{Cell, RefCell};

use block::{BlockDevice, BlockError, Buffer, ByteRange, PAGE, SECTOR, Unmap};
use sim::Model;
use sim::model::{Ticket, Value, fill};

use crate::rig::{Disk, End, Life, Rig};

/// Number of pages that the guest uses: the first of the disk, all in one region. Reads of others make the log advance.
pub(crate) const USED_PAGES: u64 = 32;

/// Initial content of a backing, which the guest did not write.
const FOUND: Value = 1 << 40;

/// The guest's own knowledge of its disk. It outlives processes.
pub(crate) struct Guest {
    model: RefCell<Model>,
    last_value: Cell<u64>,
}

/// Returns the range of these sectors of the disk.
pub(crate) fn sectors(sectors: std::ops::Range<u64>) -> ByteRange {
    ByteRange::new(sectors.start * SECTOR, sectors.end * SECTOR)
}

impl Guest {
    pub(crate) fn new() -> Self {
        Self { model: RefCell::new(Model::new(USED_PAGES * PAGE)), last_value: Cell::new(0) }
    }

    /// Writes something new. Returns true if that succeeded.
    pub(crate) async fn write(&self, disk: &Disk, range: ByteRange) -> bool {
        self.last_value.set(self.last_value.get() + 1);
        let value = self.last_value.get();
        let mut buffer = Buffer::zeroed(range.len() as usize);
        fill(&range, value, &mut buffer);
        let write = async { disk.write(range.start, buffer).await.1 };
        self.change(range, value, write, Model::end_change).await
    }

    /// Zeroes a range. Returns true if that succeeded.
    pub(crate) async fn zero(&self, disk: &Disk, range: ByteRange) -> bool {
        self.change(range, 0, disk.write_zeroes(range, Unmap::Allowed), Model::end_change).await
    }

    /// Discards a range. Returns true if that succeeded.
    pub(crate) async fn discard(&self, disk: &Disk, range: ByteRange) -> bool {
        self.change(range, 0, disk.discard(range), Model::end_discard).await
    }

    async fn change(
        &self,
        range: ByteRange,
        value: Value,
        request: impl Future<Output = Result<(), BlockError>>,
        succeed: impl FnOnce(&mut Model, Ticket),
    ) -> bool {
        let ticket = self.model.borrow_mut().start_change(&range, value);
        let result = request.await;
        let mut model = self.model.borrow_mut();
        if result.is_ok() {
            succeed(&mut model, ticket);
        } else {
            model.fail_change(ticket);
        }
        result.is_ok()
    }

    /// Flushes; data that the last completed flush covers survives a power cut.
    pub(crate) async fn flush(&self, disk: &Disk) {
        let ticket = self.model.borrow_mut().start_flush();
        let result = disk.flush().await;
        let mut model = self.model.borrow_mut();
        if result.is_ok() {
            model.end_flush(ticket);
        } else {
            model.fail_flush(ticket);
        }
    }

    /// Puts initial content into a range of the backing.
    pub(crate) fn find(&self, rig: &Rig, range: ByteRange) {
        let mut bytes = vec![0; range.len() as usize];
        fill(&range, FOUND, &mut bytes);
        self.model.borrow_mut().hold(&range, FOUND);
        rig.between(async |host| {
            let backing = rig.backing.reopen(host);
            backing.write(range.start, Buffer::copy_of(&bytes)).await.1.unwrap();
            backing.flush().await.unwrap();
        });
    }

    /// Reads everything that the guest uses, up to the end of the disk.
    ///
    /// # Errors
    /// The first sector with illegal content, or the failure of the read.
    pub(crate) async fn read(&self, disk: &Disk) -> Result<Vec<u8>, String> {
        let range = ByteRange::new(0, (USED_PAGES * PAGE).min(disk.geometry().size));
        let ticket = self.model.borrow_mut().start_read(&range);
        let (bytes, result) = disk.read(range.start, Buffer::zeroed(range.len() as usize)).await;
        result.map_err(|error| error.to_string())?;
        self.model.borrow_mut().end_read(ticket, &bytes)?;
        Ok(bytes.to_vec())
    }

    /// Records the end of the process.
    pub(crate) fn end(&self, end: End) {
        let mut model = self.model.borrow_mut();
        match end {
            End::Stop => {}
            End::Kill => model.kill(),
            End::PowerCut => model.power_cut(),
        }
        model.land_late();
    }
}

/// Reads everything after an end: legal and twice the same, from the cache and, once all is destaged, from the backing alone; in this
/// process and, after one more kill, in the next.
pub(crate) fn judge(rig: &Rig, guest: &Guest, context: &str) {
    rig.live(End::Kill, async |life| drop(read_in_full(life, guest, context).await));
    guest.end(End::Kill);
    rig.live(End::Stop, async |life| {
        let before = read_in_full(life, guest, context).await;
        life.disk.evict().await.unwrap_or_else(|error| panic!("{context}: does not come home: {error}"));
        let after = read_in_full(life, guest, context).await;
        let mut home = vec![0; after.len()];
        rig.backing.peek(0, &mut home);
        assert!(home == after && after == before, "{context}: the backing holds something else");
    });
}

async fn read_in_full(life: &Life<'_>, guest: &Guest, context: &str) -> Vec<u8> {
    life.loaded().await;
    let [first, second] = [guest.read(&life.disk).await, guest.read(&life.disk).await];
    let first = first.unwrap_or_else(|what| panic!("{context}, seed {}: {what}", life.rig.seed));
    assert_eq!(Ok(&first), second.as_ref(), "{context}");
    first
}
