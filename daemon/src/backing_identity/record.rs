//! Record of a disk in `DIR/state.json`: the appearance of its backing when this host had it last.

use base::error::Result;
use base::store::NotChanged;
use serde::{Deserialize, Serialize};

use super::Appearance;
use super::appearance::{Changes, FileIdentity, FileMetadata, is_numbered};
use super::device::{DeviceIdentity, SameDevice};
use crate::host_record::{HostFile, HostRecord};

const SCHEMA: u64 = 2;

/// Durable record of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    schema: u64,
    /// Rises whenever the disk is attached or detached; 0 if it never was.
    pub(super) epoch: u64,
    /// Session ids that the backing may bear: two while one replaces the other; none if it bears none.
    sessions: Vec<String>,
    /// Appearance of the backing; of its bytes those that were served.
    pub(super) bytes: Option<u64>,
    device: Option<DeviceIdentity>,
    file: Option<FileIdentity>,
    /// Missing in records of earlier versions, which served no images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    circumstances: Option<FileMetadata>,
    /// Its last change, if it was at rest then: after a clean stop, and while it is only read.
    changes: Changes,
    /// True if the content of flash is invalid: the flash failed, and the disk continued without it.
    pub(super) void: bool,
}

/// A record of earlier versions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierRecord {
    #[serde(rename = "schema")]
    _schema: u64,
    epoch: u64,
    /// True if the epoch was written to the backing as well.
    marked: bool,
    bytes: Option<u64>,
    device: Option<String>,
    inode: Option<u64>,
    modified_ns: Option<i64>,
    void: bool,
}

impl EarlierRecord {
    /// Returns the record in this version's form, for disk `id`. A crash between writing the epoch to the
    /// backing and recording it left the next one there. A device without a name is unknown.
    fn upgraded(self, id: u32) -> Record {
        let Self { epoch, marked, bytes, device, inode, modified_ns, void, .. } = self;
        let sessions = if marked { vec![numbered(id, epoch), numbered(id, epoch + 1)] } else { Vec::new() };
        Record {
            schema: SCHEMA,
            epoch,
            sessions,
            bytes,
            device: device.map(|name| DeviceIdentity::from_earlier(&name)),
            file: inode.map(|inode| FileIdentity { inode, born_ns: None }),
            image: None,
            circumstances: None,
            changes: Changes { modified_ns, ..Changes::default() },
            void,
        }
    }
}

fn numbered(id: u32, epoch: u64) -> String {
    format!("{id} {epoch}")
}

/// Reason for trusting no cached data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DistrustReason {
    /// The flash failed, and the disk continued without it.
    Invalidated,
    /// The backing is not the same, with the reason.
    Backing(String),
}

impl DistrustReason {
    /// Returns the reason in words.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Invalidated => "The flash failed, and the disk continued without it".to_owned(),
            Self::Backing(reason) => reason.clone(),
        }
    }
}

/// Modification of a backing that can be the one that was cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modification {
    /// None.
    Not,
    /// Something was changed, perhaps not its content: its name, its owner or its rights.
    PerhapsAround,
    /// Its time of change is the only sign: it was renamed and renamed back, or its content is another and
    /// its time of modification was set back.
    PerhapsSetBack,
    /// Unknown.
    Perhaps,
}

impl Modification {
    /// The doubt that remains if only the time of change differs.
    pub(super) const SET_BACK: &str = "Its backing was touched while Forebay did not serve it: its time of modification is unchanged, and \
                                       may have been set back";
}

impl Record {
    /// Returns the record of a disk. It is empty if there is none, or a damaged one: then no cached data is
    /// trusted.
    pub(super) fn load(host: &HostRecord, id: u32) -> Self {
        let Some(kept) = host.backing(id) else { return Self::default() };
        let earlier = || EarlierRecord::deserialize(kept).map(|record| record.upgraded(id));
        Self::deserialize(kept).or_else(|_| earlier()).unwrap_or_default()
    }

    /// Returns the record of a backing with this appearance, including the session id that it bears.
    pub(super) fn now(epoch: u64, backing: &Appearance, void: bool, at_rest: bool) -> Self {
        Self {
            schema: SCHEMA,
            epoch,
            sessions: backing.session.iter().cloned().collect(),
            bytes: backing.bytes,
            device: backing.device.clone(),
            file: backing.file.clone(),
            image: backing.image.clone(),
            circumstances: backing.circumstances.clone(),
            changes: if at_rest { backing.changes } else { Changes::default() },
            void,
        }
    }

    /// Returns the record for a backing that bears `before`, if anything, and is about to bear `next`
    /// instead.
    pub(super) fn about_to_bear(&self, before: Option<&String>, next: &str) -> Self {
        let sessions = before.into_iter().cloned().chain([next.to_owned()]).collect();
        Self { schema: SCHEMA, sessions, ..self.clone() }
    }

    /// Returns the record with the content of flash invalidated.
    pub(super) fn invalidated(&self) -> Self {
        Self { void: true, ..self.clone() }
    }

    /// Saves this as the record of a disk, durably. Blocks this thread.
    ///
    /// # Errors
    /// If it cannot be saved; then the earlier record stays.
    pub(super) fn save(&self, host: &HostFile, id: u32) -> Result<()> {
        let record = serde_json::to_value(self).expect("plain data");
        let saved = host.change_here(move |host| {
            host.set_backing(id, record);
            Ok(())
        });
        saved.map_err(NotChanged::into_problem)
    }

    /// Returns whether a backing of disk `id` with this appearance, which can be the one that was cached, was
    /// modified.
    ///
    /// # Errors
    /// The reason for which it cannot be the one that was cached.
    pub(super) fn judge(&self, id: u32, backing: &Appearance) -> Result<Modification, DistrustReason> {
        if self.void {
            return Err(DistrustReason::Invalidated);
        }
        self.compare(id, backing).map_err(DistrustReason::Backing)
    }

    fn compare(&self, id: u32, backing: &Appearance) -> Result<Modification, String> {
        if self.epoch == 0 {
            return Err("It is attached for the first time".to_owned());
        }
        let resized = self.resized(backing);
        if let Some((before, now)) = resized
            && now < before
        {
            return Err(format!("Its backing had {before} bytes and now has {now}"));
        }
        self.compare_identity(backing)?;
        let session = self.compare_session(backing)?;
        let modified = self.compare_changes(backing).map_err(|reason| match resized {
            // That alone would have modified it.
            Some((before, now)) => {
                format!("Its backing had {before} bytes and now has {now}: it was modified while Forebay did not serve it")
            }
            None => reason,
        })?;
        // A number of an earlier version may be that of another host as well. An unmodified backing is
        // trusted anyway, and one with our own dirty mark was not served by others.
        let is_ours = backing.dirty.as_ref().is_some_and(|mark| mark.disk == id);
        if modified == Modification::Perhaps && session.is_some_and(is_numbered) && !is_ours {
            return Err("An earlier version of Forebay served it last and was not stopped: its writes to the backing do not show \
                        whether another host used it since"
                .to_owned());
        }
        Ok(modified)
    }

    /// Refuses another file, device or image.
    fn compare_identity(&self, backing: &Appearance) -> Result<(), String> {
        if self.image != backing.image {
            return Err("Its backing is another image than before".to_owned());
        }
        match (&self.file, &backing.file) {
            (None, None) => {}
            (Some(before), Some(now)) if before.inode == now.inode => {
                if before.born_ns.zip(now.born_ns).is_some_and(|(before, now)| before != now) {
                    return Err("Its backing is another file than before, made later under the same number"
                        .to_owned());
                }
            }
            _ => return Err("Its backing is another file than before".to_owned()),
        }
        match (&self.device, &backing.device) {
            (None, None) => Ok(()),
            (Some(before), Some(now)) => match before.compare(now) {
                SameDevice::Yes => Ok(()),
                SameDevice::No(reason) => Err(match before.find() {
                    Some(node) => format!("{reason} (the device that it was is {} now)", node.display()),
                    None => reason,
                }),
                SameDevice::Unknown => Err(UNKNOWN_DEVICE.to_owned()),
            },
            // Earlier versions recorded nothing of a device without a name.
            (None, Some(_)) if self.file.is_none() => Err(UNKNOWN_DEVICE.to_owned()),
            _ => Err("Its backing is a file and was a device, or the other way round".to_owned()),
        }
    }

    /// Refuses a backing that was in another attachment since. Returns the session id that it bears.
    fn compare_session<'a>(&self, backing: &'a Appearance) -> Result<Option<&'a str>, String> {
        match &backing.session {
            Some(session) if self.sessions.contains(session) => Ok(Some(session)),
            Some(session) => Err(format!(
                "Its backing is of another time: it bears {session} instead of {} (was a snapshot restored, or did another host use \
                 it?)",
                self.sessions.last().map_or("nothing", String::as_str)
            )),
            None if self.sessions.is_empty() => Ok(None),
            None => Err("Its backing does not bear the mark that it was given".to_owned()),
        }
    }

    /// Refuses a backing that was certainly modified since.
    fn compare_changes(&self, backing: &Appearance) -> Result<Modification, String> {
        let (before, now) = (&self.changes, &backing.changes);
        let modified = || "Its backing was modified while Forebay did not serve it".to_owned();
        match backing.unchanged {
            Some(true) => return Ok(Modification::Not),
            Some(false) => return Err(modified()),
            // Samples would miss what another client wrote elsewhere.
            None if backing.image.is_some() => return Err(UNKNOWN_IMAGE.to_owned()),
            None => {}
        }
        if let Some((before, now)) = before.sectors_written.zip(now.sectors_written) {
            let same = self.device.as_ref().zip(backing.device.as_ref());
            let is_same = same.is_some_and(|(before, now)| before.is_same_instance(now));
            return if is_same && before != now { Err(modified()) } else { Ok(Modification::Perhaps) };
        }
        match (before.modified_ns, now.modified_ns) {
            (Some(before), Some(now)) if before == now => {}
            (Some(_), Some(_)) => return Err(modified()),
            _ => return Ok(Modification::Perhaps),
        }
        match before.changed_ns.zip(now.changed_ns) {
            Some((before, now)) if before != now => {}
            _ => return Ok(Modification::Not),
        }
        if self.circumstances != backing.circumstances {
            return Ok(Modification::PerhapsAround);
        }
        Ok(Modification::PerhapsSetBack)
    }

    /// Returns the size that was served and the present size, if they differ. A size that grew while it was
    /// served counts as the same.
    fn resized(&self, backing: &Appearance) -> Option<(u64, u64)> {
        self.bytes.zip(backing.bytes).filter(|(before, now)| before != now)
    }
}

/// Reason for distrust of a device without any known property.
const UNKNOWN_DEVICE: &str = "It is unknown whether its backing is the same device: the system has no serial number or other name of \
                              it, and the host, or the device, was started since";

/// Reason for distrust of an image of which this host has no note.
const UNKNOWN_IMAGE: &str = "It is unknown whether its backing was modified while Forebay did not serve it: this host has no note of who had \
                             the lock of the image";

#[cfg(test)]
mod tests {
    use base::store::Store;
    use base::testing::TempDir;

    use super::*;
    use crate::backing_identity::DirtyMark;

    const ID: u32 = 3;

    fn backing() -> Appearance {
        let changes = Changes { modified_ns: Some(1_000), changed_ns: Some(2_000), sectors_written: None };
        Appearance {
            bytes: Some(1 << 20),
            file: Some(FileIdentity { inode: 7, born_ns: Some(5) }),
            changes,
            circumstances: Some(FileMetadata {
                links: 1,
                mode: 0o600,
                owner: (0, 0),
                path: Some("/a".into()),
            }),
            session: Some("aa".to_owned()),
            ..Appearance::default()
        }
    }

    fn changed(modified_ns: i64, changed_ns: i64) -> Changes {
        Changes { modified_ns: Some(modified_ns), changed_ns: Some(changed_ns), sectors_written: None }
    }

    fn at_rest() -> Record {
        Record::now(5, &backing(), false, true)
    }

    fn in_use() -> Record {
        Record::now(5, &backing(), false, false)
    }

    fn doubt(record: &Record, backing: &Appearance) -> String {
        record.judge(ID, backing).expect_err("there is a doubt").reason()
    }

    #[test]
    fn a_backing_that_is_as_it_was_is_believed() {
        assert_eq!(at_rest().judge(ID, &backing()), Ok(Modification::Not));
    }

    #[test]
    fn a_crash_while_an_attachment_begins_leaves_the_one_before_or_the_new_one_and_no_third() {
        let turning = at_rest().about_to_bear(Some(&"aa".to_owned()), "bb");
        for session in ["aa", "bb"] {
            let found = Appearance { session: Some(session.to_owned()), ..backing() };
            assert_eq!(turning.judge(ID, &found), Ok(Modification::Not), "{session}");
        }
        // Session ids of another host, or of the owner of a copy.
        for session in [Some("cc"), Some("3 6"), None] {
            let found = Appearance { session: session.map(str::to_owned), ..backing() };
            assert!(turning.judge(ID, &found).is_err(), "{session:?}");
        }
        let first = Record::default().about_to_bear(None, "bb");
        assert!(
            doubt(&first, &Appearance { session: Some("bb".to_owned()), ..backing() }).contains("first time")
        );
    }

    #[test]
    fn after_a_crash_nobody_can_tell_by_the_time_of_modification() {
        let modified = Appearance { changes: changed(9_999, 9_999), ..backing() };
        assert_eq!(in_use().judge(ID, &modified), Ok(Modification::Perhaps));
    }

    #[test]
    fn a_time_of_change_that_nothing_explains_may_hide_a_time_of_modification_that_was_set_back() {
        let set_back = Appearance { changes: changed(1_000, 9_999), ..backing() };
        assert_eq!(at_rest().judge(ID, &set_back), Ok(Modification::PerhapsSetBack), "nothing explains it");
        let circumstances = backing().circumstances.expect("it is a file");
        for around in [
            FileMetadata { links: 2, ..circumstances.clone() },
            FileMetadata { mode: 0o640, ..circumstances.clone() },
            FileMetadata { owner: (1, 1), ..circumstances.clone() },
            FileMetadata { path: Some("/b".into()), ..circumstances.clone() },
        ] {
            let around = Appearance { circumstances: Some(around), ..set_back.clone() };
            assert_eq!(at_rest().judge(ID, &around), Ok(Modification::PerhapsAround), "that explains it");
        }
    }

    #[test]
    fn whatever_differs_is_named() {
        assert!(doubt(&Record::default(), &backing()).contains("first time"));
        let void = Record { void: true, ..at_rest() };
        assert_eq!(void.judge(ID, &backing()), Err(DistrustReason::Invalidated));
        let file = |inode, born_ns| Some(FileIdentity { inode, born_ns: Some(born_ns) });
        for (now, reason) in [
            (Appearance { bytes: Some(1 << 19), ..backing() }, "524288"),
            (Appearance { bytes: Some(2 << 20), changes: changed(2_000, 3_000), ..backing() }, "2097152"),
            (Appearance { file: file(8, 5), ..backing() }, "another file"),
            (Appearance { file: file(7, 6), ..backing() }, "made later"),
            (Appearance { device: Some(DeviceIdentity::default()), ..backing() }, "was a device"),
            (Appearance { image: Some("rbd:f/1/2".to_owned()), ..backing() }, "another image"),
            (Appearance { session: Some("ab".to_owned()), ..backing() }, "another time"),
            (Appearance { session: None, ..backing() }, "mark"),
            (Appearance { changes: changed(2_000, 3_000), ..backing() }, "modified"),
        ] {
            let reasoned = doubt(&at_rest(), &now);
            assert!(reasoned.contains(reason), "{reasoned}");
        }
    }

    #[test]
    fn storage_that_knows_whether_it_was_changed_is_asked_and_not_guessed_about() {
        let image = |unchanged| Appearance {
            image: Some("rbd:f/1/2".to_owned()),
            session: Some("aa".to_owned()),
            unchanged,
            ..Appearance::default()
        };
        for at_rest in [true, false] {
            let record = Record::now(5, &image(None), false, at_rest);
            assert_eq!(record.judge(ID, &image(Some(true))), Ok(Modification::Not));
            assert!(doubt(&record, &image(None)).contains("unknown whether"));
            assert!(doubt(&record, &image(Some(false))).contains("modified"));
        }
    }

    #[test]
    fn a_backing_that_bore_no_attachment_and_bears_one_was_in_use_elsewhere() {
        let unmarked = Record::now(5, &Appearance { session: None, ..backing() }, false, true);
        assert!(doubt(&unmarked, &backing()).contains("another time"));
    }

    #[test]
    fn a_device_of_which_nothing_is_known_is_not_believed() {
        let device = |written| Appearance {
            device: Some(DeviceIdentity::default()),
            changes: Changes { sectors_written: written, ..Changes::default() },
            ..Appearance::default()
        };
        let record = Record::now(5, &device(Some(8)), false, true);
        assert!(doubt(&record, &device(Some(8))).contains("unknown whether"));
        let named =
            |written| Appearance { device: Some(DeviceIdentity::from_earlier("naa.5")), ..device(written) };
        let record = Record::now(5, &named(Some(8)), false, true);
        assert_eq!(record.judge(ID, &named(Some(9))), Ok(Modification::Perhaps), "it was counted anew");
    }

    #[test]
    fn a_backing_that_grew_while_it_was_served_is_believed() {
        let grown = Appearance { bytes: Some(2 << 20), ..backing() };
        assert_eq!(at_rest().judge(ID, &grown), Ok(Modification::Not), "it grew before the stop");
        let grown = Appearance { changes: changed(9_999, 9_999), ..grown };
        assert_eq!(in_use().judge(ID, &grown), Ok(Modification::Perhaps), "nobody can tell when");
    }

    #[test]
    fn what_an_earlier_version_remembered_is_believed_only_where_no_other_host_can_have_come_between() {
        let load = |text: &str| {
            let mut host = HostRecord::default();
            host.set_backing(ID, serde_json::from_str(text).expect("it is JSON"));
            Record::load(&host, ID)
        };
        let earlier = |modified: &str| {
            load(&format!(
                r#"{{"schema":1,"epoch":5,"marked":true,"bytes":1048576,"device":null,"inode":7,"modified_ns":{modified},"void":false}}"#
            ))
        };
        let of = |session: &str| Appearance { session: Some(session.to_owned()), ..backing() };
        let stopped = earlier("1000");
        for session in ["3 5", "3 6"] {
            assert_eq!(stopped.judge(ID, &of(session)), Ok(Modification::Not), "{session}");
        }
        for session in ["3 4", "3 7", "1 5", "aa"] {
            assert!(doubt(&stopped, &of(session)).contains("another time"), "{session}");
        }
        // It was killed: the number proves nothing, and a dirty mark of our own does.
        let killed = earlier("null");
        assert!(doubt(&killed, &of("3 5")).contains("earlier version"));
        let mark = DirtyMark { pool: "00ff".to_owned(), disk: ID, name: "web".to_owned() };
        assert_eq!(
            killed.judge(ID, &Appearance { dirty: Some(mark), ..of("3 5") }),
            Ok(Modification::Perhaps)
        );
        // The same if this version is killed while it replaces the number.
        let turning = killed.about_to_bear(Some(&"3 5".to_owned()), "bb");
        assert!(turning.judge(ID, &of("3 5")).is_err());
        assert_eq!(turning.judge(ID, &of("bb")), Ok(Modification::Perhaps));
        let device = load(
            r#"{"schema":1,"epoch":5,"marked":false,"bytes":1048576,"device":null,"inode":null,"modified_ns":null,"void":false}"#,
        );
        let nameless = Appearance { device: Some(DeviceIdentity::default()), ..Appearance::default() };
        assert!(doubt(&device, &nameless).contains("unknown whether"));
        assert_eq!(
            device.judge(ID, &Appearance::default()),
            Ok(Modification::Perhaps),
            "an export of a server"
        );
    }

    #[test]
    fn a_record_reads_back_as_it_was_and_a_damaged_one_is_believed_nothing() {
        let dir = TempDir::new();
        let host =
            HostFile::new(&Store::start(dir.path()).expect("there are threads"), HostRecord::default());
        at_rest().save(&host, 3).expect("the folder is ours");
        assert_eq!(host.read(|host| Record::load(host, 3)), at_rest());
        assert_eq!(host.read(|host| Record::load(host, 4)), Record::default());
        let mut damaged = host.read(HostRecord::clone);
        damaged.set_backing(3, serde_json::json!({ "schema": 2, "epoch": -1 }));
        assert_eq!(Record::load(&damaged, 3), Record::default());
        damaged.forget_backing(3);
        assert_eq!(Record::load(&damaged, 3), Record::default());
    }
}
