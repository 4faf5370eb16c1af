//! A volume: a disk as a log of objects in an object store. Opening it for writing ends the right of every other host to change it.

mod parent;

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use block::executor::LocalHost;
use block::file::Access;
use block::patient::HangPolicy;
use block::{Aligned, BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Host, Outcome, Unmap};
use futures_util::future::{Either, select};
use objects::Client;
use volume::{
    Base, Compression, DamagedObject, Mark, Marks, Owner, ScrubReport, SnapshotSummary, StoreError,
    StoreErrorKind, Volume, VolumeError, VolumeSettings, VolumeStatistics,
};

use super::HandOff;
use crate::backing::device::Opening;
use crate::backing::probe::{Images, image_in_export};
use crate::backing::storage::Storage;
use crate::backing::{
    Ability, BackingWarning, Capabilities, DamagedPart, Details, Identity, Property, PropertyValue, Rescue,
    ScrubResult, StorageSnapshot,
};
use crate::backing_identity::{Appearance, Attributes, CannotMark, DirtyMark};
use crate::places::host_name;
use crate::stores::{Stores, VolumeName, VolumeSource, cannot_use};
use parent::{ParentSnapshot, content_id, served_id};

/// Beginning of the owner of a volume that a command has open by itself; behind it is the number of the process.
const COMMAND_OWNER: &str = "command ";
const SECOND_NS: u64 = 1_000_000_000;
/// Longest time for the checkpoint of a volume that is closed, in nanoseconds: without it, the next open takes longer.
const CLOSE_NS: u64 = 3_000_000_000;
/// Longest time for the note that nobody has it open, in nanoseconds. A stop of the daemon has 8 s for all.
const RELEASE_NS: u64 = 3_000_000_000;
/// Tries of that note.
const RELEASE_TRIES: u32 = 3;
/// Longest time for another change of its mark.
const CHANGE_TIME: Duration = Duration::from_secs(20);

/// The disk that opens a volume.
#[derive(Clone, Debug)]
pub(crate) struct VolumeUser {
    /// Identity of its pool.
    pub(crate) pool: String,
    /// Its number.
    pub(crate) disk: u32,
    /// True if flash may have newer data of it.
    pub(crate) may_be_dirty: bool,
}

impl VolumeUser {
    /// Returns the words by which a volume knows it again. A host without its pool has no identity but its name.
    fn id(&self) -> String {
        let Self { pool, disk, .. } = self;
        if pool.bytes().all(|digit| digit == b'0') {
            format!("{pool} {disk} {}", host_name())
        } else {
            format!("{pool} {disk}")
        }
    }
}

/// A volume that a disk has open.
type DiskVolume = Volume<Client, LocalHost>;

/// An open volume.
pub(in crate::backing) struct OpenVolume {
    name: VolumeName,
    device: Aligned<DiskVolume>,
    attributes: Arc<VolumeAttributes>,
    host: LocalHost,
    /// The snapshot of which it is a clone.
    parent: Option<Rc<ParentSnapshot>>,
    stores: Stores,
}

impl Drop for OpenVolume {
    /// A disk that could not be attached leaves the volume to others.
    fn drop(&mut self) {
        if self.lost().is_none() {
            let attributes = Arc::clone(&self.attributes);
            self.host.spawn(async move { attributes.release().await });
        }
    }
}

impl OpenVolume {
    fn opened(&self) -> &DiskVolume {
        self.device.inner()
    }
}

impl Storage for OpenVolume {
    fn identity(&self) -> Identity {
        Identity::Remote(self.attributes.id.clone())
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        // Not one that is on its way, and may fail.
        Ok(self.opened().durable_bytes())
    }

    fn set_size(&self, _bytes: u64) {}

    fn unit(&self) -> u64 {
        self.device.geometry().alignment
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fence: Ability::unless(self.lost()),
            guest_move: Ability::unable(
                "its format is Forebay's own, so QEMU cannot have it open; a running guest can only be moved with a file or device",
            ),
            shard_move: Ability::unable("its map stays with the thread that opened it"),
            resize: Ability::unless(
                self.opened().marks().is_none().then_some("it is open for reading alone"),
            ),
            ..Capabilities::from_geometry(&self.device.geometry())
        }
    }

    fn details(&self) -> Details {
        let statistics = self.opened().statistics();
        let findings = self.stores.findings(&self.name.store);
        let warnings = [
            statistics.failure.as_ref().map(refusal_warning),
            statistics.upkeep_failure.as_ref().map(upkeep_warning),
            findings.failure.as_ref().map(|error| promise_warning(&self.name.store, error)),
            settings_warning(&self.name.store, &findings.warnings),
        ];
        let parent = self.parent.as_ref().map(|parent| parent.name());
        Details {
            properties: properties(&statistics, parent.as_deref()),
            warnings: warnings.into_iter().flatten().collect(),
        }
    }

    fn scrub_ability(&self) -> Ability {
        let is_read_only = self.device.geometry().read_only;
        Ability::unless(is_read_only.then_some(
            "it is open for reading alone here: the host that writes it scrubs it, and `forebay volume check` reads it",
        ))
    }

    fn scrub_interval(&self) -> Option<Duration> {
        self.stores.scrub_interval(&self.name.store)
    }

    async fn scrub(
        &self,
        host: &LocalHost,
        rate: u64,
        progress: &dyn Fn(u64, u64),
        rescue: &dyn Rescue,
    ) -> Result<ScrubResult> {
        let scrubbed = scrub_volume(self.opened(), host, rate, progress, Some(rescue)).await;
        scrubbed.map_err(|error| Error::failed(error.to_string()))
    }

    fn attributes(&self, _location: &super::Location) -> Arc<dyn Attributes> {
        Arc::<VolumeAttributes>::clone(&self.attributes)
    }

    fn snapshot_id(&self) -> Option<String> {
        let id = self.opened().snapshot_id()?;
        let content = content_id(&id, self.opened().statistics().taken_at);
        Some(served_id(&self.name.store, &content))
    }

    fn lost(&self) -> Option<String> {
        let epoch = self.opened().fenced()?;
        Some(format!(
            "this host is fenced, for another host opened the volume (epoch {epoch}). What the flash here has and the volume lacks is \
             out of date: `forebay disk remove NAME --discard-dirty` discards it"
        ))
    }

    fn check_snapshot(&self, name: &str) -> Result<()> {
        let (volume, snapshot) = (self.name.name.clone(), name.to_owned());
        if self.opened().marks().is_none() {
            return Err(Error::conflict(format!(
                "Cannot make a snapshot of volume {}: it is open for reading alone",
                self.name
            )));
        }
        if self.opened().snapshots().iter().any(|other| other.name == name) {
            return Err(refused(&self.name, &VolumeError::SnapshotExists { volume, snapshot }));
        }
        Ok(())
    }

    async fn prepare_snapshot(&self) {
        if let Err(problem) = self.opened().prepare_snapshot().await {
            tracing::debug!("A snapshot of volume {} takes longer: {problem}", self.name);
        }
    }

    async fn take_snapshot(&self, name: &str) -> Result<StorageSnapshot> {
        let refused = |error| refused(&self.name, &error);
        let volume = self.opened();
        let SnapshotSummary { name, taken_at, bytes, .. } = volume.snapshot(name).await.map_err(refused)?;
        Ok(StorageSnapshot { of: self.name.to_string(), name, as_of: taken_at, bytes })
    }

    async fn delete_snapshot(&self, name: &str) -> Result<()> {
        self.opened().delete_snapshot(name).await.map_err(|error| refused(&self.name, &error))
    }

    fn check_growth(&self, bytes: u64) -> Result<()> {
        let refuse = |reason: &str| format!("Cannot resize volume {}: {reason}", self.name);
        if self.opened().marks().is_none() {
            return Err(Error::conflict(refuse("it is open for reading alone")));
        }
        if bytes < self.device.geometry().size {
            return Err(Error::conflict(refuse(
                "it cannot become smaller; create a smaller one, and copy what is needed",
            )));
        }
        if !bytes.is_multiple_of(1 << 20) {
            return Err(Error::invalid(refuse("its size is in whole MiB")));
        }
        Ok(())
    }

    async fn grow(&self, bytes: u64) -> Result<()> {
        let resized = self.opened().resize(bytes).await;
        resized.map_err(|error| Error::failed(format!("Cannot resize volume {}: {error}", self.name)))
    }

    async fn rest(&self) -> Result<(), BlockError> {
        let error = BlockError::anywhere(block::ErrorKind::Unsupported, block::Operation::Open);
        Err(error.because("a volume stays with the thread that opened it"))
    }

    fn hand_off(&self) -> HandOff {
        unreachable!("it never comes to rest")
    }

    fn hang(&self) -> HangPolicy {
        HangPolicy::GivenUp
    }

    async fn close(&self, host: &LocalHost) {
        let close = std::pin::pin!(self.opened().close());
        match select(close, std::pin::pin!(host.sleep(CLOSE_NS))).await {
            Either::Left((Ok(()), _)) => {}
            Either::Left((Err(problem), _)) => {
                tracing::debug!("The next open of a volume takes longer: {problem}");
            }
            Either::Right(_) => tracing::debug!("The next open of a volume takes longer"),
        }
        // Nothing of it goes on, also if that took too long.
        self.opened().end();
        if self.lost().is_some() {
            return;
        }
        let release = std::pin::pin!(self.attributes.release());
        if let Either::Right(_) = select(release, std::pin::pin!(host.sleep(RELEASE_NS))).await {
            tracing::warn!(
                "The store did not take the note that a volume is closed: another host will find it open"
            );
        }
    }
}

impl BlockDevice for OpenVolume {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.device.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.device.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.device.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.device.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.device.discard(range).await
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        let is_served = self.parent.as_ref().is_some_and(|parent| parent.is_served());
        is_served && self.opened().is_inherited(range)
    }

    fn abandon_group(&self) {
        self.device.abandon_group();
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.device.extents(range).await
    }
}

/// Marks of an open volume, for any thread.
struct VolumeAttributes {
    /// Identity among all stores.
    id: String,
    bytes: u64,
    /// True if this disk opened it before, and nobody else since.
    is_unchanged: bool,
    state: Mutex<MarkState>,
}

struct MarkState {
    mark: Mark,
    /// None if it is open for reading alone, or was released.
    marks: Option<Marks<Client>>,
}

impl VolumeAttributes {
    fn state(&self) -> MutexGuard<'_, MarkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the mark, durably. Blocks.
    fn change(&self, change: impl FnOnce(&mut Mark)) -> Result<(), String> {
        let mut state = self.state();
        let MarkState { mark, marks } = &mut *state;
        let Some(marks) = marks else { return Err("the volume is not open for writing".to_owned()) };
        let mut changed = mark.clone();
        change(&mut changed);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let change = async {
            let mut tries = 0;
            loop {
                match marks.replace(&changed).await {
                    Ok(()) => return Ok(()),
                    Err(VolumeError::Store(error)) if error.kind.is_transient() && tries < 5 => {
                        tokio::time::sleep(Duration::from_millis(100 << tries)).await;
                        tries += 1;
                    }
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        let limited = runtime.block_on(async { tokio::time::timeout(CHANGE_TIME, change).await });
        limited.unwrap_or_else(|_| Err("the store gave no answer".to_owned()))?;
        *mark = changed;
        Ok(())
    }

    /// Says that no host has it open, unless that was done before. Afterwards its marks cannot be changed.
    async fn release(&self) {
        // What changes them now is the end of an attachment that failed: nobody waits for a store on this thread.
        let taken = self.state.try_lock().ok().and_then(|mut state| {
            let marks = state.marks.take()?;
            Some((marks, Mark { host: None, ..state.mark.clone() }))
        });
        let Some((marks, mark)) = taken else { return };
        for _ in 1..RELEASE_TRIES {
            if marks.replace(&mark).await.is_ok() {
                return;
            }
        }
        if let Err(problem) = marks.replace(&mark).await {
            tracing::warn!("A volume stays marked as open: {problem}");
        }
    }
}

impl Attributes for VolumeAttributes {
    fn appearance(&self) -> io::Result<Appearance> {
        let mark = self.state().mark.clone();
        Ok(Appearance {
            bytes: Some(self.bytes),
            image: Some(self.id.clone()),
            unchanged: Some(self.is_unchanged),
            session: mark.session,
            dirty: mark.dirty.map(|text| DirtyMark::parse(&text)),
            ..Appearance::default()
        })
    }

    fn check_marks(&self) -> Result<(), CannotMark> {
        Ok(())
    }

    fn set_session(&self, session: &str) -> Result<(), CannotMark> {
        self.change(|mark| mark.session = Some(session.to_owned())).map_err(CannotMark)
    }

    fn set_dirty_mark(&self, dirty: &DirtyMark) -> Result<(), CannotMark> {
        self.change(|mark| mark.dirty = Some(dirty.to_string())).map_err(CannotMark)
    }

    fn remove_dirty_mark(&self, dirty: &DirtyMark) -> io::Result<()> {
        if self.state().mark.dirty.as_ref() != Some(&dirty.to_string()) {
            return Ok(());
        }
        self.change(|mark| mark.dirty = None).map_err(io::Error::other)
    }
}

/// Scrubs a volume, at most so many bytes a second, and repairs what it lost and `rescue` has.
pub(crate) async fn scrub_volume(
    volume: &Volume<Client, LocalHost>,
    host: &LocalHost,
    rate: u64,
    progress: &dyn Fn(u64, u64),
    rescue: Option<&dyn Rescue>,
) -> Result<ScrubResult, VolumeError> {
    let due = Cell::new(host.now());
    let pause = async |bytes: u64| {
        let time = u128::from(bytes) * u128::from(SECOND_NS) / u128::from(rate.max(1));
        // Time that was not used is not made up for.
        let next = due.get().saturating_add(u64::try_from(time).unwrap_or(u64::MAX)).max(host.now());
        due.set(next);
        host.sleep_until(next).await;
    };
    let ScrubReport { found, collected, repaired_bytes, replaced_bytes, repair_failure } =
        volume.scrub(&mut |done, all| progress(done, all), pause, rescue).await?;
    let part = |object: DamagedObject| DamagedPart {
        object: object.name,
        reason: object.reason,
        ranges: object.ranges,
        is_of_snapshot: object.is_of_snapshot,
    };
    Ok(ScrubResult {
        bytes: found.bytes,
        taken_at: found.taken_at,
        objects: found.objects,
        stored_bytes: found.stored_bytes,
        mapped_bytes: found.mapped_bytes,
        whole_bytes: found.whole_bytes,
        repaired_bytes,
        replaced_bytes,
        repair_error: repair_failure.map(|error| error.to_string()),
        damaged: found.damaged.into_iter().map(part).collect(),
        deleted: collected
            .map(|collected| (collected.objects, collected.bytes))
            .map_err(|error| error.to_string()),
    })
}

/// Returns the properties of a volume that users see. `parent` is the snapshot of which it is a clone.
fn properties(statistics: &VolumeStatistics, parent: Option<&str>) -> Vec<Property> {
    let VolumeStatistics { epoch, packed_bytes: [plain, packed], snapshots, deduplicates, .. } = *statistics;
    let bytes = |name, title, bytes| Property::new(name, title, PropertyValue::Bytes(bytes));
    let mut properties = vec![
        Property::new("services", "services", PropertyValue::Text(services(statistics, parent))),
        bytes("mapped_bytes", "content", statistics.mapped_bytes),
        bytes("stored_bytes", "stored", statistics.stored_bytes),
    ];
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    if packed > 0 && statistics.compression != Compression::None {
        let ratio = PropertyValue::Ratio(plain as f64 / packed as f64);
        properties.extend([
            Property::new("compression_ratio", "compression", ratio),
            bytes("plain_bytes", "before compression", plain),
            bytes("packed_bytes", "after compression", packed),
        ]);
    }
    if deduplicates || statistics.referring_bytes > 0 {
        properties.extend([
            bytes("referring_bytes", "deduplicated", statistics.referring_bytes),
            bytes("deduplicated_bytes", "deduplicated since start", statistics.deduplicated_bytes),
        ]);
    }
    if epoch.is_some() {
        properties.push(bytes("zero_bytes", "zeroes since start", statistics.zero_bytes));
    }
    if snapshots > 0 {
        properties.push(bytes("snapshot_bytes", "only in snapshots", statistics.snapshot_bytes));
    }
    if parent.is_some() {
        properties.push(bytes("inherited_bytes", "shown of the parent", statistics.inherited_bytes));
    }
    properties.push(bytes("map_bytes", "RAM of the map", statistics.map_bytes));
    properties.extend(epoch.map(|epoch| Property::new("epoch", "epoch", PropertyValue::Count(epoch))));
    properties
}

/// Returns the names of the services of a volume.
fn services(statistics: &VolumeStatistics, parent: Option<&str>) -> String {
    let mut services = vec!["checksums".to_owned()];
    if statistics.compression != Compression::None {
        services.push(format!("compression ({})", statistics.compression.name()));
    }
    if statistics.deduplicates {
        services.push("deduplication".to_owned());
    }
    match statistics.snapshots {
        0 => {}
        1 => services.push("1 snapshot".to_owned()),
        many => services.push(format!("{many} snapshots")),
    }
    services.extend(parent.map(|parent| format!("clone of {parent}")));
    services.join(", ")
}

/// Returns the next step after an error of a store.
fn advice(kind: StoreErrorKind) -> &'static str {
    match kind {
        StoreErrorKind::Full => "Make room in the store, or raise its quota",
        StoreErrorKind::Denied => {
            "Give the user of the store the rights to get, put, delete and list objects, without object lock, and compare the clock of \
             this host"
        }
        StoreErrorKind::Unreachable => "Check the store and the network to it",
        StoreErrorKind::NotFound | StoreErrorKind::Exists | StoreErrorKind::Invalid => {
            "Find out what else writes or deletes there, a lifecycle rule for example, then run `forebay volume check`"
        }
    }
}

fn refusal_warning(error: &StoreError) -> BackingWarning {
    let text = format!(
        "The store refuses what guests wrote, which stays on flash meanwhile: {error}. {}. Forebay tries again",
        advice(error.kind)
    );
    BackingWarning { name: "store-refuses", text, is_fault: true }
}

fn promise_warning(store: &str, error: &StoreError) -> BackingWarning {
    let advice = match error.kind {
        StoreErrorKind::Full | StoreErrorKind::Denied => advice(error.kind),
        _ => {
            "Until that is mended, two hosts could write one volume: add and fence no volume of it. Undo what changed there, for example turn \
             versioning off, or copy its volumes to another store with `forebay volume export` and `import`"
        }
    };
    let text = format!(
        "Store '{store}' kept its promises when it was first used, and its last probe failed: {error}. {advice}. It is probed each hour"
    );
    BackingWarning { name: "store-promise", text, is_fault: true }
}

fn settings_warning(store: &str, warnings: &[String]) -> Option<BackingWarning> {
    let text = format!("Store '{store}': {}", warnings.join(" "));
    (!warnings.is_empty()).then_some(BackingWarning { name: "store-settings", text, is_fault: false })
}

fn upkeep_warning(error: &VolumeError) -> BackingWarning {
    let advice = match error {
        VolumeError::Store(error) => advice(error.kind),
        _ => advice(StoreErrorKind::Invalid),
    };
    let text = format!(
        "Checkpoints, cleaning or deletes of the volume fail: {error}. Guests lose nothing by that. The store keeps what nothing needs, and \
         the next start takes longer. {advice}. Forebay tries again"
    );
    BackingWarning { name: "upkeep-fails", text, is_fault: true }
}

/// Returns the error for a volume that cannot be used.
pub(crate) fn refused(name: &VolumeName, error: &VolumeError) -> Error {
    let message = format!("Cannot use volume {name}: {error}");
    match error {
        VolumeError::Store(error) => {
            let of_store = cannot_use(&name.store, error);
            Error { message, ..of_store }
        }
        VolumeError::NotFound { .. } | VolumeError::SnapshotNotFound { .. } => Error::missing(message),
        VolumeError::Exists { .. }
        | VolumeError::Fenced { .. }
        | VolumeError::ReadOnly
        | VolumeError::SnapshotExists { .. }
        | VolumeError::SnapshotIsGoing { .. }
        | VolumeError::Undecided { .. }
        | VolumeError::HasSnapshots { .. }
        | VolumeError::HasClones { .. } => Error::conflict(message),
        VolumeError::Damaged { .. }
        | VolumeError::Closed
        | VolumeError::NotDurable(_)
        | VolumeError::NotRead(_) => Error::failed(message),
        VolumeError::BadName { .. }
        | VolumeError::BadSize { .. }
        | VolumeError::NewerFormat { .. }
        | VolumeError::TooManyParents { .. } => Error::invalid(message),
    }
}

/// Returns the owner of a volume that a command has open by itself, for as long as it runs.
pub(crate) fn command_owner() -> String {
    format!("{COMMAND_OWNER}{}", std::process::id())
}

/// Returns true if a command of this host has the volume open, and was ended in the middle. What it left is whole.
pub(crate) fn is_left_behind(mark: &Mark) -> bool {
    let number =
        mark.owner.as_deref().and_then(|owner| owner.strip_prefix(COMMAND_OWNER)?.parse::<u32>().ok());
    let is_over = |number: u32| !std::path::Path::new(&format!("/proc/{number}")).exists();
    mark.host.as_deref().is_some_and(|host| host == host_name()) && number.is_some_and(is_over)
}

/// Refuses a volume that another host has open, or of which another one has newer data.
///
/// # Errors
/// A conflict, with what to do.
pub(crate) fn check_free(name: &VolumeName, mark: &Mark, owner: Option<&str>) -> Result<()> {
    if owner.is_some() && mark.owner.as_deref() == owner || mark.dirty.is_none() && is_left_behind(mark) {
        return Ok(());
    }
    let is_here = mark.host.as_deref().is_some_and(|host| host == host_name());
    let advice = format!(
        "{}: `forebay volume fence {name}` ends its right to the volume, which is then as of its last group",
        if is_here {
            "That is this host: start its daemon if it is stopped, and remove the disk first. Only if its flash is lost"
        } else {
            "Remove the disk there first. If that host is dead, or its flash lost"
        }
    );
    let dirty = mark.dirty.as_ref().map(|dirty| DirtyMark::parse(dirty));
    let reason = match (&mark.host, &dirty) {
        (Some(host), None) => format!("host '{host}' has it open"),
        (Some(host), Some(dirty)) => {
            format!(
                "host '{host}' has it open, as disk '{}', and may have newer data of it on its flash",
                dirty.name
            )
        }
        (None, Some(dirty)) => {
            format!(
                "newer data of it is on the flash of pool {}, as disk '{}' of another Forebay",
                dirty.pool, dirty.name
            )
        }
        (None, None) => return Ok(()),
    };
    Err(Error::conflict(format!("Cannot use volume {name}: {reason}. {advice}")))
}

/// Returns the client of a store, whose first use may block.
async fn client_of(stores: &Stores, blocking: &BlockingPool, name: &VolumeName) -> Result<Client> {
    let (stores, store) = (stores.clone(), name.store.clone());
    blocking.run(move || stores.client(&store)).await?
}

/// Refuses a snapshot that is to be written.
fn check_access(source: &VolumeSource, access: Access) -> Result<()> {
    let VolumeSource { volume, snapshot: Some(_) } = source else { return Ok(()) };
    if access == Access::ReadOnly {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "Cannot write snapshot {source}: it never changes. Serve it with --read-only, or a clone of it: `forebay volume clone {source} {}/NAME`",
        volume.store
    )))
}

/// Opens a volume or a snapshot for reading alone.
///
/// # Errors
/// If there is none, the store fails, or it is damaged.
pub(crate) async fn open_read_only(
    client: Client,
    host: &LocalHost,
    source: &VolumeSource,
) -> Result<Volume<Client, LocalHost>> {
    let VolumeSource { volume, snapshot } = source;
    let (host, settings) = (host.clone(), VolumeSettings::default());
    let opened = match snapshot {
        None => Volume::open_read_only(client, host, &volume.name, settings).await,
        Some(snapshot) => Volume::open_snapshot(client, host, &volume.name, snapshot, settings).await,
    };
    opened.map_err(|error| refused(volume, &error))
}

/// Probes a volume or a snapshot: that it exists, and holds a raw disk.
pub(super) async fn probe_volume(
    stores: &Stores,
    blocking: &BlockingPool,
    host: &LocalHost,
    source: &VolumeSource,
    access: Access,
    images: Images,
) -> Result<Identity> {
    check_access(source, access)?;
    let VolumeSource { volume: name, snapshot } = source;
    let client = client_of(stores, blocking, name).await?;
    if snapshot.is_none() && images == Images::ServedAsRaw {
        let summary = volume::peek(&client, host, &name.name).await.map_err(|error| refused(name, &error))?;
        return Ok(Identity::Remote(id_of(&summary.id)));
    }
    let opened = Aligned::new(open_read_only(client, host, source).await?);
    if images == Images::Refused {
        let read = async |at: u64| {
            let (bytes, read) = opened.read(at, Buffer::zeroed(512)).await;
            read.map(|()| bytes)
                .map_err(|error| Error::failed(format!("Cannot use volume {source}: {error}")))
        };
        let (first, last) = (read(0).await?, read(opened.geometry().size - 512).await?);
        let sector = |bytes: &Buffer| <[u8; 512]>::try_from(&bytes[..]).expect("a sector");
        if let Some(reason) = image_in_export(&sector(&first), &sector(&last)) {
            return Err(Error::invalid(format!("Cannot use volume {source}: {reason}")));
        }
    }
    Ok(Identity::Remote(id_of_opened(opened.inner())))
}

/// Returns the identity of an open volume or snapshot among all stores.
fn id_of_opened(opened: &DiskVolume) -> String {
    match opened.snapshot_id() {
        Some(snapshot) => id_of(&content_id(&snapshot, opened.statistics().taken_at)),
        None => id_of(&opened.id()),
    }
}

fn id_of(id: &dyn std::fmt::Display) -> String {
    format!("volume:{id}")
}

/// Opens a volume or a snapshot for a disk.
pub(super) async fn open_volume(
    host: &LocalHost,
    blocking: &BlockingPool,
    source: &VolumeSource,
    opening: &Opening,
) -> Result<OpenVolume> {
    check_access(source, opening.access)?;
    let name = &source.volume;
    let client = client_of(&opening.stores, blocking, name).await?;
    if opening.access == Access::ReadWrite {
        // Before the volume is looked at: what is found there is to hold when it is opened.
        opening.stores.probe(&name.store, &client).await?;
    }
    let summary = volume::peek(&client, host, &name.name).await.map_err(|error| refused(name, &error))?;
    let is_writable = opening.access == Access::ReadWrite;
    let settings = VolumeSettings { wall_time: nanos_since_1970, ..VolumeSettings::default() };
    // A snapshot of a clone reads what is below it from the store.
    let parent = summary.parent.clone().filter(|_| source.snapshot.is_none()).map(|parent| {
        let served = opening.stores.served_snapshots();
        Rc::new(ParentSnapshot::new((name, parent), served, (&client, host), settings))
    });
    let below = parent.clone().map(|parent| -> Rc<dyn Base> { parent });
    let opened = match &opening.user {
        Some(user) if is_writable => {
            let id = user.id();
            check_free(name, &summary.mark, Some(&id))?;
            if user.may_be_dirty && summary.mark.owner.as_ref() != Some(&id) {
                return Err(Error::conflict(format!(
                    "Cannot use volume {name}: another host opened it since this one did, so the dirty data on this one's flash is out of \
                     date. `forebay disk remove NAME --discard-dirty` discards it"
                )));
            }
            let owner = Owner { id, host: host_name(), after: Some(summary.epochs) };
            let opened = Volume::open_on(client, host.clone(), &name.name, &owner, settings, below).await;
            opened.map_err(|error| refused(name, &error))?
        }
        _ if source.snapshot.is_some() => open_read_only(client, host, source).await?,
        _ => {
            let opened = Volume::open_read_only_on(client, host.clone(), &name.name, settings, below).await;
            opened.map_err(|error| refused(name, &error))?
        }
    };
    let mark = opened.mark().clone();
    let attributes = VolumeAttributes {
        id: id_of_opened(&opened),
        bytes: opened.geometry().size,
        is_unchanged: match opened.snapshot_id() {
            // It never changes.
            Some(_) => true,
            // The session goes when another owner opens it. A host that reads alone knows of no change while it has no owner.
            None if is_writable => mark.session.is_some() && summary.mark.owner == mark.owner,
            None => mark.session.is_some() && mark.host.is_none(),
        },
        state: Mutex::new(MarkState { mark, marks: opened.marks() }),
    };
    Ok(OpenVolume {
        name: name.clone(),
        device: Aligned::new(opened),
        attributes: Arc::new(attributes),
        host: host.clone(),
        parent,
        stores: opening.stores.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_shows_its_services_and_what_each_saves() {
        let plain = VolumeStatistics { compression: Compression::None, ..VolumeStatistics::default() };
        assert_eq!(services(&plain, None), "checksums");
        let all = VolumeStatistics {
            epoch: Some(3),
            packed_bytes: [300, 100],
            referring_bytes: 8192,
            deduplicates: true,
            snapshots: 2,
            snapshot_bytes: 77,
            ..VolumeStatistics::default()
        };
        let shown = "checksums, compression (lz4), deduplication, 2 snapshots, clone of a@b";
        assert_eq!(services(&all, Some("a@b")), shown);
        let of = |statistics| {
            let properties: Vec<_> = properties(statistics, None).into_iter().collect();
            move |name: &str| {
                properties.iter().find(|property| property.name == name).map(|found| found.value.clone())
            }
        };
        let (few, many) = (of(&plain), of(&all));
        assert_eq!(many("snapshot_bytes"), Some(PropertyValue::Bytes(77)));
        assert_eq!(many("referring_bytes"), Some(PropertyValue::Bytes(8192)));
        assert_eq!(many("compression_ratio"), Some(PropertyValue::Ratio(3.0)));
        for absent in ["compression_ratio", "deduplicated_bytes", "snapshot_bytes", "zero_bytes", "epoch"] {
            assert_eq!(few(absent), None, "{absent}");
        }
    }

    #[test]
    fn what_a_command_left_that_was_killed_is_free_on_its_host_and_nothing_else_that_is_open() {
        let name = VolumeName { store: "cold".to_owned(), name: "a".to_owned() };
        let mark = |owner: &str, host: &str, dirty: Option<&str>| Mark {
            owner: Some(owner.to_owned()),
            host: Some(host.to_owned()),
            session: None,
            dirty: dirty.map(str::to_owned),
        };
        let here = host_name();
        // No process has this number.
        let gone = format!("{COMMAND_OWNER}{}", u32::MAX);
        assert_eq!(check_free(&name, &mark(&gone, &here, None), None), Ok(()));
        for (owner, host, dirty) in [
            (gone.as_str(), "elsewhere", None),
            (gone.as_str(), here.as_str(), Some("pool disk name")),
            (command_owner().as_str(), here.as_str(), None),
            ("0123 4", here.as_str(), None),
        ] {
            assert!(check_free(&name, &mark(owner, host, dirty), None).is_err(), "{owner} {host}");
        }
    }
}
