//! State of the host: the pool and the disks, as they are in `DIR/state.json` (`host_record.rs`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::names;
use base::qemu_process::QemuProcess;
use base::units::RamBudget;
use serde::{Deserialize, Serialize};
use telemetry::wear::WriteBudget;

use crate::keys::Values;
use crate::places::EMBEDDED_POOL;

/// The most recorded starts, besides those whose marks the pool bears.
const MARKS_MAX: usize = 16;
/// The most recorded paths of a pool, and former pools.
const NAMES_MAX: usize = 64;

/// The durable state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// The number of the next disk. Only rises, so that no number is ever used for two disks.
    next_disk: u32,
    /// The pool, once there is one.
    pub(crate) pool: Option<PoolRecord>,
    /// The previous pool, as long as the present one is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) replaced: Option<PoolRecord>,
    /// Pools that were used before, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former: Vec<FormerPool>,
    /// The disks in the order in which they were added.
    pub(crate) disks: Vec<DiskRecord>,
    /// Identities of consistency sets, 32 hexadecimal digits, by name: as long as a disk is in the set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) consistency_sets: BTreeMap<String, String>,
    /// Numbers of disks that were removed with their dirty data since the pool was opened. Data of them that
    /// it may still hold is dropped when it is opened next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) given_up: Vec<u32>,
}

/// Record of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PoolRecord {
    /// Absolute path of the file or device by which the user names it: the one that it was made on. That one
    /// may have left.
    pub(crate) path: PathBuf,
    /// Identity, 32 hexadecimal digits.
    pub(crate) id: String,
    /// True from before the daemon makes a file until that file is a whole pool. A file that is found like
    /// this was left by a crash, holds nothing yet, and is made again.
    pub(crate) being_made: bool,
    /// True until it was opened for the first time. Until then it holds nothing, and a start that finds it so
    /// returns to the pool that it was to replace.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_new: bool,
    /// Other known paths: those from the user, and those where its devices were. None of them permits a new
    /// pool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) names: Vec<PathBuf>,
    /// Marks of the last starts, the newest last: they prove that no other daemon used the pool.
    #[serde(default)]
    pub(crate) marks: Vec<u64>,
    /// Every device that may belong to it, at least one. Others are removed at the next start.
    #[serde(default)]
    pub(crate) devices: Vec<DeviceRecord>,
    /// Devices that left it without a request, and were not replaced yet; the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lost: Vec<LostDevice>,
    /// The id of the content that the user had erased when it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) erased: Option<String>,
    /// Write budget of its devices, if it is limited.
    #[serde(default, skip_serializing_if = "WriteBudget::is_none")]
    pub(crate) write_budget: WriteBudget,
    /// RAM of all disks together, if it is divided among them.
    #[serde(default, skip_serializing_if = "RamBudget::is_off")]
    pub(crate) ram: RamBudget,
}

/// A file or device that may belong to the pool: recorded before it is added, and until it has left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeviceRecord {
    /// Absolute path.
    pub(crate) path: PathBuf,
    /// True for a file that the daemon made, and removes with the device.
    pub(crate) made_by_us: bool,
    /// True if its removal was requested, and it has not left yet.
    pub(crate) leaving: bool,
    /// Rated endurance of its drive, in bytes written, if it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rated_bytes: Option<u64>,
    /// Its number in the pool when it was opened last; none if it never was, or an earlier version opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u32>,
    /// True if the user accepted that it is on the drive of another device.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) same_drive: bool,
    /// Bytes that the pool uses of it since a command set them: an older size in an option does not count any
    /// more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resized_to_bytes: Option<u64>,
}

/// A pool that was used before another one replaced it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormerPool {
    /// Identity, 32 hexadecimal digits.
    pub(crate) id: String,
    /// Its path.
    pub(crate) path: PathBuf,
}

/// A device that left the pool without a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LostDevice {
    /// Absolute path.
    pub(crate) path: PathBuf,
    /// The kind of loss.
    pub(crate) how: Loss,
    /// Time at which it was noticed, in the format of the log.
    pub(crate) at: String,
    /// Reason for which it could not be used, if it is known: a sentence without a full stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// Kind of a device's loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Loss {
    /// It failed while it was used.
    Failed,
    /// At a start it was missing, or did not belong to the pool any more.
    Missing,
}

impl DeviceRecord {
    /// Returns the record of a device that stays.
    pub(crate) fn new(path: PathBuf, made_by_us: bool) -> Self {
        Self {
            path,
            made_by_us,
            leaving: false,
            rated_bytes: None,
            number: None,
            same_drive: false,
            resized_to_bytes: None,
        }
    }
}

impl PoolRecord {
    /// Returns the record of a pool on one device that was not opened yet.
    pub(crate) fn new(path: PathBuf, id: String, made_by_us: bool) -> Self {
        let devices = vec![DeviceRecord::new(path.clone(), made_by_us)];
        Self {
            path,
            id,
            being_made: false,
            is_new: true,
            names: Vec::new(),
            marks: Vec::new(),
            devices,
            lost: Vec::new(),
            erased: None,
            write_budget: WriteBudget::None,
            ram: RamBudget::Off,
        }
    }

    /// Returns the marks which prove that no other daemon used the pool. 0 is that of a pool that was never
    /// opened.
    pub(crate) fn marks_known(&self) -> Vec<u64> {
        self.marks.iter().copied().chain([0]).collect()
    }

    /// Records the mark of a start, before it is written to the pool. However many starts were interrupted
    /// before that, the marks that the pool bears now stay recorded.
    pub(crate) fn remember_mark(&mut self, mark: u64, borne: &[u64]) {
        let mut surplus = (self.marks.len() + 1).saturating_sub(MARKS_MAX);
        self.marks.retain(|known| {
            let is_surplus = surplus > 0 && !borne.contains(known);
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
        self.marks.push(mark);
    }

    /// Returns the path of the device that it was made on, if that belongs to it; else of another one.
    pub(crate) fn first_path(&self) -> &Path {
        if self.has_device(&self.path) {
            return &self.path;
        }
        self.devices.first().map_or(&self.path, |device| &device.path)
    }

    /// Returns true if a path is a known one of the pool.
    pub(crate) fn knows(&self, path: &Path) -> bool {
        self.path == path || self.has_device(path) || self.names.iter().any(|name| name == path)
    }

    /// Records a known path of the pool.
    pub(crate) fn add_name(&mut self, path: &Path) {
        if !self.names.iter().any(|name| name == path) {
            self.names.push(path.to_owned());
            let surplus = self.names.len().saturating_sub(NAMES_MAX);
            self.names.drain(..surplus);
        }
    }

    /// Returns true if a path may belong to it.
    pub(crate) fn has_device(&self, path: &Path) -> bool {
        self.devices.iter().any(|device| device.path == path)
    }
}

/// Record of a disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiskRecord {
    /// Its number.
    pub(crate) id: u32,
    /// Its name.
    pub(crate) name: String,
    /// Location of its data, as the user wrote it, but absolute.
    pub(crate) backing: String,
    /// True if writes are refused.
    pub(crate) read_only: bool,
    /// True if the content may look like an image format and is served as raw bytes.
    #[serde(alias = "raw_anyway")]
    pub(crate) force_raw: bool,
    /// Values of its keys.
    pub(crate) settings: Values,
    /// Its size when it was served last; none if an earlier version added it.
    #[serde(default)]
    pub(crate) size_bytes: Option<u64>,
    /// The sector size for guests in bytes, as they saw it last; none if it was not served yet, or by an
    /// earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sector_bytes: Option<u64>,
    /// The identity of the pool that may hold dirty data for the backing. Recorded before the disk begins to
    /// write back, until it is detached clean. It is not served without that pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unsaved_in: Option<String>,
    /// The running guest that it was taken from, until that has it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) guest: Option<GuestRecord>,
}

/// The running guest that a disk was taken from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuestRecord {
    /// Stage of the move.
    pub(crate) stage: Stage,
    /// Its QEMU's QMP socket.
    pub(crate) qmp: PathBuf,
    /// The device as the user named it.
    pub(crate) device: String,
    /// Process of its QEMU; none if `vm attach` of an earlier version took the disk, or the daemon cannot see
    /// that process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<QemuProcess>,
    /// Original configuration of the disk in its QEMU: written by `vm attach`, read by `vm detach` only.
    pub(crate) original: serde_json::Value,
}

impl GuestRecord {
    /// Returns true if its QEMU has certainly ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.process.as_ref().is_some_and(QemuProcess::has_ended)
    }
}

/// Stage of a disk's move between a running QEMU and Forebay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stage {
    /// Open in both; nothing is cached.
    Attaching,
    /// Open in Forebay only.
    Attached,
    /// To be given back: open in Forebay and soon in QEMU; nothing is cached.
    Detaching,
}

impl DiskRecord {
    /// Returns true while a QEMU may write to the backing beside Forebay: then nothing may be cached, and the
    /// image cannot be locked.
    pub(crate) fn is_beside_qemu(&self) -> bool {
        self.guest.as_ref().is_some_and(|guest| guest.stage != Stage::Attached)
    }

    /// Returns the present values of its keys.
    pub(crate) fn settings_now(&self) -> Values {
        if self.is_beside_qemu() { self.settings.passing_through() } else { self.settings.clone() }
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            next_disk: 1,
            pool: None,
            replaced: None,
            former: Vec::new(),
            disks: Vec::new(),
            consistency_sets: BTreeMap::new(),
            given_up: Vec::new(),
        }
    }
}

impl State {
    /// Returns the RAM of all disks together, if it is divided among them.
    pub(crate) fn ram_budget(&self) -> RamBudget {
        self.pool.as_ref().map(|pool| pool.ram).unwrap_or_default()
    }

    /// Parses a state from a document of any version, of the folder `dir`.
    ///
    /// # Errors
    /// The reason for which it is not one.
    pub(crate) fn parse(dir: &Path, mut document: serde_json::Value) -> Result<Self, String> {
        document.as_object_mut().map(|fields| fields.remove("schema"));
        let mut state: Self =
            serde_json::from_value(document).map_err(|error| format!("it is damaged ({error})"))?;
        state.raise(dir);
        state.check()?;
        Ok(state)
    }

    /// Migrates the record of an earlier version, in which a pool had one device.
    fn raise(&mut self, dir: &Path) {
        if let Some(pool) = self.pool.as_mut().filter(|pool| pool.devices.is_empty()) {
            let made_by_us = pool.path == dir.join(EMBEDDED_POOL);
            pool.devices = vec![DeviceRecord::new(pool.path.clone(), made_by_us)];
        }
    }

    /// Checks invariants that this version relies on, beyond the form.
    ///
    /// # Errors
    /// The invariant that is violated.
    pub(crate) fn check(&self) -> Result<(), String> {
        let devices = self.pool.as_ref().map_or(&[][..], |pool| &pool.devices);
        for (index, device) in devices.iter().enumerate() {
            if devices[..index].iter().any(|other| other.path == device.path) {
                return Err(format!("{} is a device of the pool twice", device.path.display()));
            }
        }
        for (index, disk) in self.disks.iter().enumerate() {
            names::check(&disk.name).map_err(|problem| problem.message)?;
            if disk.id >= self.next_disk {
                return Err(format!(
                    "disk '{}' has number {}, which was never given out",
                    disk.name, disk.id
                ));
            }
            if self.disks[..index].iter().any(|other| other.name == disk.name || other.id == disk.id) {
                return Err(format!("disk '{}' or its number {} is there twice", disk.name, disk.id));
            }
        }
        Ok(())
    }

    /// Records that the pool was opened, which makes it the present one.
    pub(crate) fn settle_pool(&mut self) {
        let Some(pool) = self.pool.as_mut() else { return };
        (pool.is_new, pool.being_made) = (false, false);
        if let Some(before) = self.replaced.take() {
            self.former.push(FormerPool { id: before.id, path: before.path });
        }
        self.former.retain(|former| former.id != pool.id);
        let surplus = self.former.len().saturating_sub(NAMES_MAX);
        self.former.drain(..surplus);
    }

    /// Returns from a pool that was not finished to the one that was to be replaced. Returns the record of
    /// the new one.
    pub(crate) fn drop_new_pool(&mut self) -> Option<PoolRecord> {
        let new = self.pool.take_if(|pool| pool.is_new || pool.being_made)?;
        self.pool = self.replaced.take();
        Some(new)
    }

    /// Returns true if a pool was used before the present one.
    pub(crate) fn had_pool(&self, id: &str) -> bool {
        self.former.iter().any(|former| former.id == id)
    }

    /// Returns the record of a disk.
    pub(crate) fn disk(&self, name: &str) -> Option<&DiskRecord> {
        self.disks.iter().find(|disk| disk.name == name)
    }

    /// Returns the names of disks for whose backings some pool may hold dirty data.
    pub(crate) fn unsaved(&self) -> Vec<&str> {
        let unsaved = self.disks.iter().filter(|disk| disk.unsaved_in.is_some());
        unsaved.map(|disk| disk.name.as_str()).collect()
    }

    /// Records that the pool may get data that the backing of a disk does not have. Returns true if
    /// that was not recorded yet: then it has to be saved before the disk writes back.
    pub(crate) fn note_unsaved(&mut self, name: &str) -> bool {
        let pool = self.pool.as_ref().map(|pool| pool.id.clone());
        match self.disks.iter_mut().find(|disk| disk.name == name && disk.unsaved_in.is_none()) {
            Some(disk) => {
                disk.unsaved_in = pool;
                true
            }
            None => false,
        }
    }

    /// Records that the backing of a disk is complete, and stays so.
    pub(crate) fn note_saved(&mut self, name: &str) {
        self.disks.iter_mut().filter(|disk| disk.name == name).for_each(|disk| disk.unsaved_in = None);
    }

    /// Returns a number that no disk ever had.
    pub(crate) fn take_disk_number(&mut self) -> u32 {
        let number = self.next_disk;
        self.next_disk = number.checked_add(1).expect("four thousand million disks are never added");
        number
    }

    /// Returns true if a disk had this number once, or was to have it.
    pub(crate) fn had_disk(&self, number: u32) -> bool {
        number < self.next_disk
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> State {
        let mut state = State::default();
        let id = state.take_disk_number();
        let mut pool = PoolRecord::new("/pool.img".into(), "00ff".into(), true);
        (pool.is_new, pool.marks) = (false, vec![7]);
        pool.devices.push(DeviceRecord { leaving: true, ..DeviceRecord::new("/dev/flash".into(), false) });
        pool.lost = vec![LostDevice {
            path: "/dev/old".into(),
            how: Loss::Missing,
            at: "2026-11-22".into(),
            reason: None,
        }];
        state.pool = Some(pool);
        state.disks.push(DiskRecord {
            id,
            name: "web".into(),
            backing: "/disks/web.img".into(),
            read_only: false,
            force_raw: false,
            settings: Values::default(),
            size_bytes: Some(1 << 30),
            sector_bytes: Some(512),
            unsaved_in: None,
            guest: None,
        });
        state
    }

    const DIR: &str = "/dir";

    fn document(state: &State) -> serde_json::Value {
        serde_json::to_value(state).expect("plain data")
    }

    /// Returns the state that a start reads after a save.
    fn reloaded(state: &State) -> State {
        State::parse(Path::new(DIR), document(state)).expect("it was saved just now")
    }

    #[test]
    fn the_mark_that_the_pool_bears_is_never_forgotten_for_starts_that_were_cut_short() {
        let mut pool = sample().pool.expect("it has one");
        for mark in 100..200 {
            pool.remember_mark(mark, &[7, 103]);
        }
        assert_eq!(pool.marks.len(), MARKS_MAX);
        assert_eq!((&pool.marks[..3], pool.marks.last()), (&[7, 103, 186][..], Some(&199)));
    }

    #[test]
    fn a_new_pool_replaces_the_one_before_only_once_it_was_opened() {
        let mut state = sample();
        let before = state.pool.clone().expect("it has one");
        state.replaced = state.pool.replace(PoolRecord::new("/new.img".into(), "11".into(), true));
        let mut opened = state.clone();
        assert_eq!(state.drop_new_pool().expect("it is new").id, "11");
        assert_eq!((state.pool.as_ref(), state.replaced.as_ref()), (Some(&before), None));
        assert_eq!(state.drop_new_pool(), None);
        opened.settle_pool();
        assert_eq!(opened.pool.as_ref().map(|pool| (pool.id.as_str(), pool.is_new)), Some(("11", false)));
        assert_eq!(opened.former, [FormerPool { id: before.id, path: before.path }]);
    }

    #[test]
    fn the_pool_of_an_earlier_version_has_one_device() {
        for (name, made_by_us) in [("pool.img", true), ("other.img", false)] {
            let path = Path::new(DIR).join(name);
            let pool = serde_json::json!({ "path": path, "id": "00ff", "being_made": false, "marks": [7] });
            let earlier = serde_json::json!({ "schema": 2, "next_disk": 1, "pool": pool, "disks": [] });
            let state = State::parse(Path::new(DIR), earlier).expect("an earlier version wrote it");
            let pool = state.pool.as_ref().expect("there was one");
            assert_eq!(pool.devices, [DeviceRecord::new(path, made_by_us)]);
            assert_eq!(reloaded(&state), state);
        }
    }

    #[test]
    fn the_devices_of_a_version_that_knew_no_ratings_have_none() {
        let mut state = sample();
        let mut earlier = document(&state);
        earlier["schema"] = 4.into();
        assert_eq!(State::parse(Path::new(DIR), earlier), Ok(state.clone()));
        state.pool.as_mut().expect("it has one").devices[0].rated_bytes = Some(600);
        assert_eq!(reloaded(&state), state);
        assert_eq!(document(&state)["pool"]["devices"][0]["rated_bytes"], 600);
    }

    #[test]
    fn the_pool_of_a_version_that_knew_no_write_budget_has_none() {
        let mut state = sample();
        let mut earlier = document(&state);
        earlier["schema"] = 5.into();
        assert_eq!(earlier["pool"].get("write_budget"), None);
        assert_eq!(State::parse(Path::new(DIR), earlier), Ok(state.clone()));
        state.pool.as_mut().expect("it has one").write_budget = "0.5".parse().expect("it can be");
        assert_eq!(reloaded(&state), state);
        let mut odd = document(&state);
        assert_eq!(odd["pool"]["write_budget"], "0.5");
        odd["pool"]["write_budget"] = "many".into();
        let reason = State::parse(Path::new(DIR), odd).expect_err("it cannot be many");
        assert!(reason.contains("damaged") && reason.contains("many"), "{reason}");
    }

    #[test]
    fn the_pool_of_a_version_that_divided_no_ram_has_no_budget_for_it() {
        let mut state = sample();
        let earlier = document(&state);
        assert_eq!(earlier["pool"].get("ram"), None);
        assert_eq!(State::parse(Path::new(DIR), earlier), Ok(state.clone()));
        for text in ["auto", "16MiB"] {
            state.pool.as_mut().expect("it has one").ram = text.parse().expect("it can be");
            assert_eq!(document(&state)["pool"]["ram"], text);
            assert_eq!(reloaded(&state), state);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut twice = sample();
        twice.disks.push(twice.disks[0].clone());
        let mut device_twice = document(&sample());
        device_twice["pool"]["devices"][1]["path"] = "/pool.img".into();
        let mut more = document(&sample());
        more["more"] = 1.into();
        for (odd, reason) in [
            (document(&twice), "twice"),
            (device_twice, "twice"),
            (more, "damaged"),
            (serde_json::json!({}), "damaged"),
        ] {
            let refused = State::parse(Path::new(DIR), odd).expect_err(reason);
            assert!(refused.contains(reason), "{refused}");
        }
    }

    #[test]
    fn a_disk_on_its_way_from_a_running_guest_is_remembered_and_nothing_is_cached_of_it() {
        let mut state = sample();
        let original = serde_json::json!({ "nodes": [] });
        let guest = |stage| GuestRecord {
            stage,
            qmp: "/q.sock".into(),
            device: "vd0".into(),
            process: None,
            original: original.clone(),
        };
        for (stage, mode) in [
            (Stage::Attaching, "pass-through"),
            (Stage::Attached, "write-through"),
            (Stage::Detaching, "pass-through"),
        ] {
            state.disks[0].guest = Some(guest(stage));
            let loaded = reloaded(&state);
            assert_eq!(loaded, state);
            let [(_, now), ..] = loaded.disks[0].settings_now().named();
            assert_eq!(now, mode);
            assert_eq!(loaded.disks[0].settings, Values::default(), "what is wanted stays as it is");
        }
    }

    #[test]
    fn where_unsaved_data_is_stays_known_until_it_is_saved() {
        let mut state = sample();
        assert!(state.note_unsaved("web"));
        state.pool.as_mut().expect("it has one").id = "another".to_owned();
        assert!(!state.note_unsaved("web"), "it is the first pool that may hold it");
        let mut loaded = reloaded(&state);
        assert_eq!(loaded.disks[0].unsaved_in.as_deref(), Some("00ff"));
        assert_eq!(loaded.unsaved(), ["web"]);
        loaded.note_saved("web");
        assert!(loaded.unsaved().is_empty());
    }

    #[test]
    fn numbers_of_disks_are_never_used_again() {
        let mut state = sample();
        state.disks.clear();
        let mut loaded = reloaded(&state);
        assert!(loaded.had_disk(1) && !loaded.had_disk(2));
        assert_eq!(loaded.take_disk_number(), 2);
    }
}
