//! Identifying the content of a device, making a pool of it, and opening one.
//!
//! Nothing here overwrites a device by itself: [`identify`] only reads, [`format()`] is called on explicit word, and
//! [`start`](super::start::start) changes nothing on a device that does not hold a whole pool of this version.

use block::{BlockDevice, BlockError, Buffer};

use super::blank::{DataFound, find_data};
use crate::format::codec::FrameError;
use crate::format::layout::{Layout, Shape};
use crate::format::members::Members;
use crate::format::superblock::{MAGIC, SLOTS, Superblock};
use crate::format::{FORMAT_VERSION, PoolId, table};
use crate::types::error::CacheError;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::MemberNumber;

/// Content of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identified {
    /// Nothing at all, as far as was searched.
    Blank,
    /// Something that is no pool. `id` names just this content.
    Foreign {
        /// Identity to give in order to erase it.
        id: String,
        /// Offset at which data was found, in bytes.
        offset: u64,
        /// The format of that data, if it is a known one.
        format: Option<&'static str>,
    },
    /// A pool that cannot be used as it is.
    Damaged {
        /// Identity to give in order to erase it.
        id: String,
        /// Description of the damage.
        what: String,
    },
    /// A pool of an older format, whose content this version does not read.
    Older {
        /// Identity to give in order to erase it.
        id: String,
        /// Version of its format.
        version: u32,
    },
    /// A pool of a newer format: upgrade Forebay to use it.
    Newer {
        /// Identity to give in order to erase it.
        id: String,
        /// Version of its format.
        version: u32,
    },
    /// A pool that this version can open.
    Pool {
        /// Its identity.
        id: PoolId,
        /// Bytes of the device that it uses.
        size_bytes: u64,
        /// Bytes of its segments.
        segment_bytes: u64,
        /// Devices that it has, this one included.
        devices: usize,
        /// The number of this one among them.
        number: MemberNumber,
        /// The mark of the last start.
        mark: u64,
    },
}

/// Bytes of a device's start that are read at once, and go into the identity of content that is no pool.
const PROBE_BYTES: u64 = 1 << 20;

/// Identifies the content of a device. One without a superblock is searched for other data, see `blank.rs`. Changes
/// nothing.
///
/// # Errors
/// If the device cannot be read.
pub async fn identify(flash: &impl BlockDevice) -> Result<Identified, BlockError> {
    let size = flash.geometry().size;
    let probe = size.min(PROBE_BYTES) / PAGE_BYTES as u64 * PAGE_BYTES as u64;
    let start = read(flash, 0, probe as usize).await?;
    if start.len() < 2 * PAGE_BYTES {
        return blank_or_foreign(flash, &start).await;
    }
    Ok(match newest_superblock(&start) {
        Ok(superblock) if superblock.own_device().device_bytes > size => Identified::Damaged {
            id: superblock.pool.to_string(),
            what: format!(
                "It uses {} bytes, and the device has only {size}",
                superblock.own_device().device_bytes
            ),
        },
        Ok(superblock) => Identified::Pool {
            id: superblock.pool,
            size_bytes: superblock.own_device().device_bytes,
            segment_bytes: superblock.layout.segment_bytes(),
            devices: superblock.members.iter().count(),
            number: superblock.own,
            mark: superblock.mark,
        },
        Err(FrameError::Version(version)) if version < FORMAT_VERSION => {
            Identified::Older { id: claimed_id(&start), version }
        }
        Err(FrameError::Version(version)) => Identified::Newer { id: claimed_id(&start), version },
        Err(FrameError::Magic) => blank_or_foreign(flash, &start).await?,
        Err(FrameError::Field(field)) => Identified::Damaged {
            id: claimed_id(&start),
            what: format!("Its superblock's {field} cannot be"),
        },
        Err(FrameError::Checksum | FrameError::Pool) => Identified::Damaged {
            id: claimed_id(&start),
            what: "Neither copy of its superblock passes its checksum".to_owned(),
        },
    })
}

/// A claim of a device's first bytes that it is a part of a pool. Whether all of the pool is there is a separate
/// question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The identity of the pool, as users see it.
    pub id: String,
    /// The number of the device in it. None if its superblock is damaged or of another version.
    pub number: Option<MemberNumber>,
}

impl Claim {
    /// Bytes at the start of a device that are needed.
    pub const BYTES: usize = 2 * PAGE_BYTES;

    /// Returns the claim that the first [`Self::BYTES`] of a device make; none if they are not of a pool.
    pub fn read(start: &[u8]) -> Option<Self> {
        match newest_superblock(start) {
            Ok(superblock) => Some(Self { id: superblock.pool.to_string(), number: Some(superblock.own) }),
            Err(FrameError::Magic) => None,
            Err(_) => Some(Self { id: claimed_id(start), number: None }),
        }
    }
}

/// Checks that a device of this size can be the first one of a pool.
///
/// # Errors
/// `TooSmall` or `TooLarge`.
pub fn check_size(size_bytes: u64) -> Result<(), CacheError> {
    Layout::for_first(size_bytes, Shape::for_device(size_bytes)).map(drop)
}

/// Makes an empty pool of a device, whatever its content. `shape` is chosen by the device's size if not given. Its mark
/// is 0.
///
/// Power may go at each step: until the last one the device holds no pool, afterwards it holds an empty one.
///
/// # Errors
/// `TooSmall`, `TooLarge`, `Settings` for the shape, or the device's error.
pub async fn format(flash: &impl BlockDevice, pool: PoolId, shape: Option<Shape>) -> Result<(), CacheError> {
    let size = flash.geometry().size;
    let layout = Layout::for_first(size, shape.unwrap_or_else(|| Shape::for_device(size)))?;
    let members = Members::one(size, layout.segments_on(size));
    // 1. A pool that was here is none any more.
    wipe(flash).await?;
    // 2. Both tables record that no segment is owned.
    write_empty_tables(flash, pool, &layout).await?;
    // 3. The superblock makes it a pool.
    for turn in [0, 1] {
        let own = MemberNumber(0);
        let superblock = Superblock {
            pool,
            turn,
            term: 0,
            layout,
            own,
            next: 1,
            epoch: 0,
            members,
            may_be_dirty: false,
            mark: 0,
        };
        write(flash, superblock.slot(), Buffer::copy_of(&superblock.encode())).await?;
    }
    flash.flush().await?;
    Ok(())
}

/// The turns of the tables that a device has before the pool writes one to it.
pub(super) const FIRST_TURNS: [u64; 2] = [0, 1];

/// Writes the first tables of a device, durably: no segment is owned, and any other table is newer.
pub(super) async fn write_empty_tables(
    device: &impl BlockDevice,
    pool: PoolId,
    layout: &Layout,
) -> Result<(), BlockError> {
    for turn in FIRST_TURNS {
        let bytes = table::encode(pool, turn, &[]);
        write(device, layout.table_slot(turn), Buffer::copy_of(&bytes)).await?;
    }
    device.flush().await
}

/// Makes a device hold no pool.
pub(super) async fn wipe<F: BlockDevice>(device: &F) -> Result<(), BlockError> {
    for slot in SLOTS {
        device.write(slot, Buffer::zeroed(PAGE_BYTES)).await.1?;
    }
    device.flush().await
}

/// Reads the superblock of a device that holds a whole part of a pool of this version.
pub(crate) async fn read_superblock<F: BlockDevice>(device: &F) -> Result<Superblock, CacheError> {
    let (start, result) = device.read(0, Buffer::zeroed(2 * PAGE_BYTES)).await;
    result?;
    let superblock = newest_superblock(&start).map_err(|error| CacheError::NotAPool(format!("{error:?}")))?;
    if superblock.own_device().device_bytes > device.geometry().size {
        return Err(CacheError::NotAPool("the device is smaller than the pool on it".to_owned()));
    }
    Ok(superblock)
}

/// Returns the current superblock of the two slots at the start of a device. Without a valid one, the most specific
/// failure: a newer version before damage before no pool at all.
pub(super) fn newest_superblock(start: &[u8]) -> Result<Superblock, FrameError> {
    let [a, b] = SLOTS.map(|slot| Superblock::decode(&start[slot as usize..slot as usize + PAGE_BYTES]));
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(if a.turn > b.turn { a } else { b }),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(one),
        (Err(a), Err(b)) => Err(if weight(a) >= weight(b) { a } else { b }),
    }
}

fn weight(error: FrameError) -> u8 {
    match error {
        FrameError::Magic => 0,
        FrameError::Checksum | FrameError::Pool => 1,
        FrameError::Field(_) => 2,
        FrameError::Version(_) => 3,
    }
}

/// Returns the identity that the bytes of an invalid superblock claim; enough to name the content to be erased.
fn claimed_id(start: &[u8]) -> String {
    let slot =
        SLOTS.into_iter().find(|&slot| start[slot as usize..].starts_with(&MAGIC)).unwrap_or(0) as usize;
    let id: [u8; 16] = start[slot + 16..slot + 32].try_into().expect("the slice has sixteen bytes");
    PoolId(id).to_string()
}

/// Identifies the content of a device without a superblock. The identity is computed from its start, and from what was
/// found behind that.
async fn blank_or_foreign(flash: &impl BlockDevice, start: &[u8]) -> Result<Identified, BlockError> {
    let Some(DataFound { offset, format, checksum }) = find_data(flash).await? else {
        return Ok(Identified::Blank);
    };
    let place = [offset.to_le_bytes(), u64::from(checksum).to_le_bytes()].concat();
    let id = crc32c::crc32c_append(crc32c::crc32c(start), &place);
    Ok(Identified::Foreign { id: format!("foreign-{id:08x}"), offset, format })
}

async fn read(flash: &impl BlockDevice, offset: u64, len: usize) -> Result<Buffer, BlockError> {
    let (buffer, result) = flash.read(offset, Buffer::zeroed(len)).await;
    result.map(|()| buffer)
}

async fn write(flash: &impl BlockDevice, offset: u64, buffer: Buffer) -> Result<(), BlockError> {
    flash.write(offset, buffer).await.1
}
