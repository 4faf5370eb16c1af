//! Rules for disks in volumes of object stores.

use base::error::{Error, Result};
use cache::Mode;

use super::NewDisk;
use crate::backing::Location;
use crate::keys::Values;

/// Adds the settings that go with a volume, where a new disk has none.
pub(super) fn add_defaults(wanted: &mut NewDisk, location: &Location) {
    if location.has_atomic_flushes() && !wanted.read_only {
        for (key, value) in [("mode", "write-back"), ("destage-order", "consistent")] {
            wanted.settings.entry(key.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
}

/// Refuses what does not go with a volume. In other modes than these, each flush of a guest would wait for several answers of its store; and it
/// gets groups in any order of destage.
pub(super) fn check(name: &str, values: &Values, location: &Location) -> Result<()> {
    if !location.has_atomic_flushes() {
        return Ok(());
    }
    let refuse =
        |what: &str| Err(Error::invalid(format!("Cannot serve disk '{name}' from a volume: {what}")));
    if !values.writes_back() && values.mode() != Mode::PassThrough {
        return refuse(&format!(
            "with mode={} each flush of a guest would wait for several answers of the object store. Use mode=write-back: if the flash is \
             lost, the volume is the disk as it was seconds before",
            values.mode()
        ));
    }
    if !values.is_consistent() {
        return refuse("it is always destaged in consistent order; leave destage-order out");
    }
    Ok(())
}
