//! The redo ring of a disk in consistent write-back: its place, and its way from a file, device or image to the cache.
//!
//! ```text
//!   keys, backing ──> place ── missing, empty or of no use any more? ──> a new ring, of zeroes ──┐
//!                       `───── ours? ──────────────────────────────────> as it was left ─────────┴──> cache
//! ```
//! A ring belongs to one disk of one pool. One that still promises something to another disk, or that a recovery used while our flash has
//! newer data, is refused; so is a file that holds anything else. A ring that is gone or damaged beyond use is replaced: as long as the flash is
//! there, nothing needs it, and until the first group of the new one the backing alone is a mix, which an event says.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

use ::rbd::ImageName;
use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use base::units::Size;
use block::file::{Access, Lock};
use block::{BlockDevice, Buffer};
use cache::ConsistencyStatistics;
use redo::{RedoRing, RingError, RingId, RingOwner};
use telemetry::events::{self, Kind};

use super::Shard;
use super::consistency_sets::SetMembership;
use super::disk::{Cached, Disk};
use crate::backing::{Backing, Location, Opening};
use crate::keys::Values;

/// Bytes that are read at once of a place that may be empty.
const PIECE_BYTES: u64 = 1 << 20;
/// Bits of the mode of a ring that Forebay makes: it holds content of the disk.
const MODE: u32 = 0o600;

/// Advice for a backing that lacks data, and whose redo ring has a part of it.
pub(crate) const RECOVER_ADVICE: &str =
    "forebay disk recover brings it to the time of the last group in its redo ring";

/// Returns true if a disk with these values is to have a redo ring: a backing with atomic flushes gets the groups itself.
pub(crate) fn needs_ring(values: &Values, backing: &Location) -> bool {
    values.is_consistent() && !backing.has_atomic_flushes()
}

/// Redo ring of a disk.
pub(super) struct DiskRing {
    pub(super) ring: RedoRing<Backing>,
    pub(super) place: RingPlace,
    /// True if it was made just now.
    is_new: bool,
}

impl DiskRing {
    /// Returns its place if it was made just now: nothing needs it if what it was made for fails.
    pub(super) fn made_place(&self) -> Option<RingPlace> {
        self.is_new.then(|| self.place.clone())
    }
}

/// Place of the redo ring of a disk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RingPlace {
    pub(super) location: Location,
    /// True if Forebay chose it, and so removes the file again.
    pub(super) is_chosen: bool,
}

/// Disk for which a ring is opened.
pub(super) struct RingUser<'a> {
    pub(super) name: &'a str,
    pub(super) id: u32,
    pub(super) values: &'a Values,
    pub(super) location: &'a Location,
    pub(super) disk_bytes: u64,
    /// True if flash may have newer data than the backing.
    pub(super) may_be_dirty: bool,
}

/// End of the names of rings that Forebay chooses.
const ENDING: &str = ".forebay-ring";

/// Returns the place that Forebay chooses for the ring of a backing, which is no link; none if the backing is neither a file nor an image.
pub(crate) fn chosen_place(backing: &Location) -> Option<Location> {
    if let Location::Rbd(image) = backing {
        return Some(Location::Rbd(ImageName { image: format!("{}{ENDING}", image.image), ..image.clone() }));
    }
    let path = backing.path()?;
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(ENDING);
    Some(Location::File(path.with_file_name(name)))
}

impl RingPlace {
    /// Returns the location of a ring that was named: an image, or a path whatever it contains.
    pub(crate) fn at(named: &str) -> Location {
        let image = named.strip_prefix("rbd:").and_then(|rest| ImageName::parse(rest).ok());
        image.map_or_else(|| Location::File(named.into()), Location::Rbd)
    }

    /// Returns the place of the ring of a disk. May block on a file system.
    ///
    /// # Errors
    /// If none was named, and the backing is not a file beside which there is room for one.
    fn of(user: &RingUser<'_>) -> Result<Self> {
        if let Some(named) = user.values.ring() {
            let location = Self::at(named);
            if location.is_same_image(user.location) {
                return Err(refused(
                    user.name,
                    "its ring would be the image of the disk itself; name another one",
                ));
            }
            return Ok(Self { location, is_chosen: false });
        }
        if let image @ Location::Rbd(_) = user.location {
            let location = chosen_place(image).expect("an image has a name");
            return Ok(Self { location, is_chosen: false });
        }
        let file = backing_file(user.location);
        // By the name of the file itself, so that a link to it elsewhere leads to the same ring.
        let file = file.and_then(|path| path.canonicalize().ok());
        let location = file.and_then(|path| chosen_place(&Location::File(path)));
        let location = location.ok_or_else(|| {
            refused(user.name, "its backing is not a file, so name a place for the ring, on the storage of the backing: ring=PATH")
        })?;
        Ok(Self { location, is_chosen: true })
    }

    /// Makes the file if it is missing, and gives it this size with zeroes alone. A device or image is left as it is. Blocks.
    ///
    /// Power that goes at any step leaves nothing, an empty file or zeroes, all of which a new ring replaces.
    fn prepare(&self, bytes: u64) -> io::Result<()> {
        let Some(path) = self.location.path() else { return Ok(()) };
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).mode(MODE).open(path)?;
        if file.metadata()?.file_type().is_block_device() {
            return Ok(());
        }
        // Nothing of an earlier ring is left, whose directory could be taken for one of a larger file.
        file.set_len(0)?;
        file.set_len(bytes)?;
        file.sync_all()?;
        File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
    }
}

impl Shard {
    /// Hands a disk its redo ring, after it joined its consistency set, and the clock by which its groups are named. Returns the place of the
    /// ring.
    ///
    /// # Errors
    /// If it cannot be a member of the set. Then it has no ring.
    pub(super) fn begin_groups(
        &self,
        (cached, name): (&Rc<Cached>, &str),
        ring: Option<DiskRing>,
        set: Option<&SetMembership>,
    ) -> Result<Option<RingPlace>> {
        let Some(DiskRing { ring, place, .. }) = ring else {
            if cached.backing().geometry().atomic_flushes {
                cached.set_wall_clock(Rc::new(nanos_since_1970));
            }
            return Ok(None);
        };
        // Nothing is awaited in between: the last group of the ring is judged by the whole set.
        set.map_or(Ok(()), |set| self.join_set(cached, name, set))?;
        cached.set_redo_ring(ring, Rc::new(nanos_since_1970));
        Ok(Some(place))
    }

    /// Opens the ring of a disk whose order of destage is consistent, or makes one.
    ///
    /// # Errors
    /// If its place holds something else, or a ring that must not be used; or its storage fails.
    pub(super) async fn open_ring(&self, user: &RingUser<'_>) -> Result<DiskRing> {
        let place = self.ring_place(user).await?;
        let owner = self.ring_owner(user.id);
        let wanted_bytes = user.values.ring_bytes(user.disk_bytes);
        let found = match place.location.path().map(Path::to_owned) {
            Some(path) => {
                // A file that is empty was about to be made when power went.
                let found = self.blocking.run(move || fs::metadata(path)).await?.ok();
                let found = found.filter(|found| !found.is_file() || found.len() > 0);
                found.map(|found| found.file_type().is_block_device())
            }
            None => Some(true),
        };
        if let Some(is_device) = found {
            let device = self.open_ring_device(user, &place).await?;
            let size_bytes = device.geometry().size;
            let replaced = match RedoRing::open(device).await {
                Ok(ring) if ring.owner() != owner && ring.taken_at().is_some() => {
                    let owner = ring.owner();
                    return Err(refused(
                        user.name,
                        &format!(
                            "{} holds changes of disk {} of pool {:032x}; apply them (forebay disk recover), or delete that file if they are not \
                             needed",
                            place.location.shown(),
                            owner.disk,
                            u128::from_be_bytes(owner.pool)
                        ),
                    ));
                }
                Ok(ring) if ring.epoch() > 0 && ring.taken_at().is_some() => {
                    return Err(Error::conflict(format!(
                        "Cannot serve disk '{}': a recovery of its backing from its redo ring was not completed; run it again: forebay disk \
                         recover --backing {} --ring {}",
                        user.name,
                        user.location,
                        place.location.shown()
                    )));
                }
                Ok(ring) if ring.epoch() > 0 && user.may_be_dirty => {
                    return Err(Error::conflict(format!(
                        "Cannot serve disk '{name}': its backing was recovered from its redo ring without this flash, so what flash has \
                         is another version of it. To go on with the backing as it is: forebay disk remove {name} --discard-dirty, then add \
                         the disk again",
                        name = user.name
                    )));
                }
                Ok(ring) if ring.owner() == owner && ring.epoch() == 0 => {
                    let is_fit = is_device || size_bytes == wanted_bytes;
                    if is_fit || ring.taken_at().is_some() {
                        return Ok(DiskRing { ring, place, is_new: false });
                    }
                    None
                }
                Ok(_) => None,
                Err(RingError::Damaged) => Some("both copies of its directory are damaged"),
                Err(error @ RingError::NotARing(_)) => {
                    // Zeroes: the making of a ring was interrupted, or the storage is new.
                    if !self.has_zeroes_alone(user, &place).await? {
                        return Err(refused(
                            user.name,
                            &format!(
                                "{} holds something else ({error}); name another place with ring=PATH",
                                place.location.shown()
                            ),
                        ));
                    }
                    None
                }
                Err(error) => return Err(unavailable(user.name, &place, &error)),
            };
            if let Some(reason) = replaced {
                report_lost(user.name, &place, reason);
            }
        } else if user.may_be_dirty {
            report_lost(user.name, &place, "it is not there");
        }
        self.make_ring(user, place, owner, wanted_bytes).await
    }

    async fn make_ring(
        &self,
        user: &RingUser<'_>,
        place: RingPlace,
        owner: RingOwner,
        bytes: u64,
    ) -> Result<DiskRing> {
        let preparing = place.clone();
        let prepared = self.blocking.run(move || preparing.prepare(bytes)).await?;
        prepared.map_err(|error| unavailable(user.name, &place, &error))?;
        let device = self.open_ring_device(user, &place).await?;
        let id = new_id().map_err(|error| unavailable(user.name, &place, &error))?;
        match RedoRing::create(device, id, owner).await {
            Ok(ring) => {
                tracing::info!(
                    "Disk '{}' has a new redo ring of {} at {}",
                    user.name,
                    Size(bytes),
                    place.location.shown()
                );
                Ok(DiskRing { ring, place, is_new: true })
            }
            Err(error) => {
                // What was made in part takes room where the backing may need it.
                self.remove_ring(user.name, &place).await;
                Err(unavailable(user.name, &place, &error))
            }
        }
    }

    /// Makes the ring of a disk void, if it has one: the disk is about to be served in a way that does not keep the ring's promise, and has
    /// nothing dirty.
    ///
    /// # Errors
    /// If its storage fails.
    pub(super) async fn void_ring_before(&self, user: &RingUser<'_>) -> Result<()> {
        let Ok(place) = self.ring_place(user).await else { return Ok(()) };
        if let Some(path) = place.location.path().map(Path::to_owned)
            && !self.blocking.run(move || path.exists()).await?
        {
            return Ok(());
        }
        let device = self.open_ring_device(user, &place).await?;
        match RedoRing::open(device).await {
            Ok(ring) if ring.owner().disk == u64::from(user.id) && ring.taken_at().is_some() => {
                ring.void().await.map_err(|error| unavailable(user.name, &place, &error))
            }
            Err(error @ RingError::Storage(_)) => Err(unavailable(user.name, &place, &error)),
            _ => Ok(()),
        }
    }

    /// Makes the ring of a disk void that was detached from the cache and has nothing dirty: its backing may be used by others. Returns false
    /// if the ring may still promise something.
    pub(super) async fn void_ring(&self, disk: &Disk, name: &str) -> bool {
        let Some(ring) = disk.cached.redo_ring() else { return true };
        match ring.void().await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(
                    "The redo ring of disk '{name}' is not void, though its backing is complete: {error}"
                );
                false
            }
        }
    }

    /// Ends the use of the ring of a disk whose order of destage is another one now, takes it out of its consistency set, and removes the
    /// ring's file.
    ///
    /// # Errors
    /// If the ring cannot be made void: then it is still that of the disk.
    pub(super) async fn leave_ring(&self, disk: &Disk, name: &str) -> Result<()> {
        disk.cached.leave_redo_ring().await.map_err(|error| {
            Error::unavailable(format!(
                "Cannot change the order of destage of disk '{name}': {error}. Nothing was changed; repair the storage of the ring and try again"
            ))
        })?;
        // Without a ring, nothing of that can fail.
        if let Err(error) = disk.cached.leave_set().await {
            tracing::warn!("Disk '{name}' is still in its consistency set: {error}");
        }
        if let Some(place) = disk.ring.take() {
            self.remove_ring(name, &place).await;
        }
        Ok(())
    }

    /// Checks that the keys of a disk still lead to the ring that it has.
    ///
    /// # Errors
    /// A conflict if they lead to another one.
    pub(super) async fn check_same_ring(&self, user: &RingUser<'_>, before: &RingPlace) -> Result<()> {
        if self.ring_place(user).await? == *before {
            return Ok(());
        }
        Err(Error::conflict(format!(
            "Cannot move the redo ring of disk '{name}' while it is in use: first forebay disk set {name} destage-order=address, then \
             destage-order=consistent with the new place",
            name = user.name
        )))
    }

    /// Removes the file of a ring that Forebay placed and nothing needs any more.
    pub(super) async fn remove_ring(&self, name: &str, place: &RingPlace) {
        let Some(path) = place.location.path().filter(|_| place.is_chosen).map(Path::to_owned) else {
            return;
        };
        let removed = self.blocking.run(move || fs::remove_file(path)).await;
        if let Err(reason) = removed
            .map_err(|problem| problem.message)
            .and_then(|removed| removed.map_err(|error| error.to_string()))
        {
            tracing::warn!(
                "The redo ring of disk '{name}', {}, is not needed any more and stays: {reason}",
                place.location.shown()
            );
        }
    }

    async fn ring_place(&self, user: &RingUser<'_>) -> Result<RingPlace> {
        let (name, values, location) = (user.name.to_owned(), user.values.clone(), user.location.clone());
        let (id, disk_bytes, may_be_dirty) = (user.id, user.disk_bytes, user.may_be_dirty);
        let placing = move || {
            let user =
                RingUser { name: &name, id, values: &values, location: &location, disk_bytes, may_be_dirty };
            RingPlace::of(&user)
        };
        self.blocking.run(placing).await?
    }

    async fn open_ring_device(&self, user: &RingUser<'_>, place: &RingPlace) -> Result<Backing> {
        let opening = Opening {
            location: place.location.clone(),
            access: Access::ReadWrite,
            lock: Lock::Image,
            retry_ns: user.values.retry_ns(),
            helpers: self.places.helpers(),
            stores: self.places.stores.clone(),
            user: None,
        };
        let opened = Backing::open(&self.ring, &self.host, &self.blocking, &opening).await;
        opened.map_err(|problem| {
            let advice = match &place.location {
                Location::Rbd(image) => {
                    let size = Size(user.values.ring_bytes(user.disk_bytes));
                    format!(
                        ". If there is no such image, make it: rbd create {} --size {}B",
                        image.plain(),
                        size.0
                    )
                }
                _ => String::new(),
            };
            let message = format!("Cannot open the redo ring of disk '{}': {problem}{advice}", user.name);
            Error { message, ..problem }
        })
    }

    /// Returns true if all of a place is zeroes. File systems may leave the start of a device empty, so that alone says nothing.
    async fn has_zeroes_alone(&self, user: &RingUser<'_>, place: &RingPlace) -> Result<bool> {
        let device = self.open_ring_device(user, place).await?;
        let size = device.geometry().size;
        let mut buffer = Buffer::zeroed(PIECE_BYTES as usize);
        for start in (0..size).step_by(PIECE_BYTES as usize) {
            if size - start < PIECE_BYTES {
                buffer = Buffer::zeroed((size - start) as usize);
            }
            let (read, result) = device.read(start, buffer).await;
            result.map_err(|error| unavailable(user.name, place, &error))?;
            if read.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
            buffer = read;
        }
        Ok(true)
    }

    fn ring_owner(&self, id: u32) -> RingOwner {
        let pool = u128::from_str_radix(&self.cache().id(), 16).expect("an id has 32 hexadecimal digits");
        RingOwner { pool: pool.to_be_bytes(), disk: id.into() }
    }
}

impl Disk {
    /// Returns the state of consistent write-back, and the place of the ring.
    pub(super) fn consistency(&self) -> Option<(ConsistencyStatistics, Option<String>)> {
        let place = || self.ring.borrow().as_ref().map(|place| place.location.shown());
        self.cached.consistency().map(|state| (state, place()))
    }
}

/// Returns the file of a backing, if it is one. May block on a file system.
fn backing_file(location: &Location) -> Option<&Path> {
    location.path().filter(|path| fs::metadata(path).is_ok_and(|about| about.is_file()))
}

fn new_id() -> Result<RingId, String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| error.to_string())?;
    Ok(RingId(random))
}

fn report_lost(name: &str, place: &RingPlace, reason: &str) {
    let lost = format!(
        "The redo ring of disk '{name}', {}, is lost ({reason}), and a new one is made: until its first group is complete, the backing \
         without the flash is a mix of old and new",
        place.location.shown()
    );
    events::of_disk(Kind::RingLost, name, lost);
}

fn refused(name: &str, why: &str) -> Error {
    Error::invalid(format!("Cannot use destage-order=consistent on disk '{name}': {why}"))
}

fn unavailable(name: &str, place: &RingPlace, error: &dyn std::fmt::Display) -> Error {
    Error::unavailable(format!(
        "Cannot use the redo ring of disk '{name}', {}: {error}; make room there, or repair that storage",
        place.location.shown()
    ))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_ring_is_made_beside_its_backing_for_its_owner_alone_and_of_zeroes() {
        use std::os::unix::fs::PermissionsExt;

        let dir = TempDir::new();
        let location = chosen_place(&Location::File(dir.path().join("web.img"))).expect("it has a name");
        let path = dir.path().join(".web.img.forebay-ring");
        assert_eq!(location, Location::File(path.clone()));
        let place = RingPlace { location, is_chosen: true };
        place.prepare(1 << 20).expect("the folder is ours");
        let about = fs::metadata(&path).expect("it was made");
        assert_eq!((about.len(), about.permissions().mode() & 0o777), (1 << 20, MODE));
        fs::write(&path, b"content").expect("it is ours");
        place.prepare(2 << 20).expect("it is ours");
        assert!(
            fs::read(&path).expect("it is there") == vec![0; 2 << 20],
            "nothing is left of what was there"
        );
        let folder = RingPlace { location: Location::File(dir.path().into()), is_chosen: false };
        assert!(folder.prepare(1 << 20).is_err(), "a folder is no ring");
    }

    #[test]
    fn a_place_is_chosen_for_files_alone_and_through_links_to_them() {
        let dir = TempDir::new();
        let image = dir.path().join("web.img");
        fs::write(&image, [0; 512]).expect("the folder is ours");
        let link = dir.path().join("link.img");
        std::os::unix::fs::symlink(&image, &link).expect("the folder is ours");
        let place = |location: &Location, keys: &[(&str, &str)]| {
            let values = Values::default().with(keys.iter().copied()).expect("they are good");
            let user = RingUser {
                name: "web",
                id: 1,
                values: &values,
                location,
                disk_bytes: 512,
                may_be_dirty: false,
            };
            RingPlace::of(&user)
        };
        let beside = dir.path().canonicalize().expect("it is there").join(".web.img.forebay-ring");
        for path in [image, link] {
            let chosen = place(&Location::File(path), &[]).expect("it is a file");
            assert_eq!(chosen, RingPlace { location: Location::File(beside.clone()), is_chosen: true });
        }
        let elsewhere = Location::parse("nbd://localhost/web").expect("it is a location");
        let problem = place(&elsewhere, &[]).expect_err("there is no folder");
        assert!(problem.message.contains("ring=PATH"), "{problem}");
        let named = place(&elsewhere, &[("ring", "/srv/a.ring")]).expect("it is named");
        assert_eq!(named, RingPlace { location: Location::File("/srv/a.ring".into()), is_chosen: false });
        let image = Location::parse("rbd:vms/web?id=forebay").expect("it is a location");
        let chosen = place(&image, &[]).expect("an image has a name");
        let location = Location::parse("rbd:vms/web.forebay-ring?id=forebay").expect("it is a location");
        assert_eq!(chosen, RingPlace { location, is_chosen: false });
        let named = place(&image, &[("ring", "rbd:vms/rings/a")]).expect("it is named");
        assert_eq!(named.location, Location::parse("rbd:vms/rings/a").expect("it is a location"));
        let problem = place(&image, &[("ring", "rbd:vms/web")]).expect_err("it is the disk");
        assert!(problem.message.contains("the image of the disk itself"), "{problem}");
    }
}
