//! The messages by which a device is handed to a door: one line of JSON each. Pure.

use std::io;

use block::ublk::{Attributes, DeviceInfo, DeviceState, Parameters};
use block::{BlockDevice, Geometry};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of these messages.
const PROTOCOL: u32 = 1;
/// The largest physical block that is reported. Larger ones mean nothing to users of a device here.
const PHYSICAL_BLOCK_BYTES_MAX: u64 = 4096;

/// The door's first message: the properties of the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own that a disk has or has not")]
pub struct Greeting {
    /// The version of the messages.
    pub protocol: u32,
    /// The number of the device that the door serves already.
    pub served_device: Option<u32>,
    /// The size of the disk, a multiple of the logical block.
    pub size_bytes: u64,
    /// The smallest unit of a request.
    pub logical_block_bytes: u32,
    /// The unit that the disk changes inside.
    pub physical_block_bytes: u32,
    /// True if writes are refused.
    pub read_only: bool,
    /// True if a flush makes writes durable.
    pub flushes: bool,
    /// True if discards and zeroes free storage.
    pub unmaps: bool,
}

/// The command's message, with the open `/dev/ublkcN` along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The version of the messages.
    pub protocol: u32,
    /// The number N.
    pub device: u32,
    /// Queues, and requests of each that may be in flight.
    pub queues: u16,
    /// As above.
    pub depth: u16,
    /// The most bytes of one request.
    pub request_bytes_max: u32,
}

/// The door's last message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Reason why the door does not serve the device; none if it does.
    pub error: Option<String>,
}

impl Greeting {
    pub(super) fn of<D: BlockDevice>(device: &D, served_device: Option<u32>) -> Self {
        let Geometry { size, alignment, physical_block, read_only, flushes, unmaps, sector, .. } =
            device.geometry();
        let logical = alignment.max(sector);
        Self {
            protocol: PROTOCOL,
            served_device,
            size_bytes: size - size % logical,
            logical_block_bytes: logical as u32,
            physical_block_bytes: physical_block.clamp(logical, PHYSICAL_BLOCK_BYTES_MAX) as u32,
            read_only,
            flushes,
            unmaps,
        }
    }

    /// Refuses sizes that no device has.
    ///
    /// # Errors
    /// `InvalidData`, with the reason.
    pub(super) fn check(self) -> io::Result<Self> {
        let is_block = |bytes: u32| bytes.is_power_of_two() && (512..=4096).contains(&bytes);
        if is_block(self.logical_block_bytes) && is_block(self.physical_block_bytes) {
            Ok(self)
        } else {
            Err(invalid("blocks of a size that no device has"))
        }
    }

    /// Returns the parameters of a device for this disk, with requests of at most `request_bytes_max`.
    pub fn parameters(&self, request_bytes_max: u32, read_only: bool) -> Parameters {
        Parameters {
            attributes: Attributes {
                read_only: read_only || self.read_only,
                volatile_cache: self.flushes,
                fua: self.flushes,
                discards: self.unmaps,
            },
            logical_block_bytes: self.logical_block_bytes,
            physical_block_bytes: self.physical_block_bytes,
            request_bytes_max,
            size_bytes: self.size_bytes,
        }
    }
}

impl Offer {
    /// Returns the offer of a device as the kernel describes it.
    pub fn of(info: &DeviceInfo) -> Self {
        Self {
            protocol: PROTOCOL,
            device: info.id,
            queues: info.queues,
            depth: info.depth,
            request_bytes_max: info.request_bytes_max,
        }
    }

    /// Returns the device, as far as its server needs it.
    pub(super) fn device(&self) -> DeviceInfo {
        DeviceInfo {
            queues: self.queues,
            depth: self.depth,
            state: DeviceState::Dead,
            request_bytes_max: self.request_bytes_max,
            id: self.device,
            server: 0,
            features: 0,
            mark: 0,
        }
    }
}

/// Encodes a message for sending, its line end included.
pub(super) fn to_line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("plain fields always have a form");
    line.push(b'\n');
    line
}

/// Decodes the message of a line, its end included or not.
///
/// # Errors
/// `InvalidData`, with the reason.
pub(super) fn from_line<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    serde_json::from_slice(line).map_err(invalid)
}

/// Decodes the message of a line, if it is of this version. A message of another one may have other fields.
///
/// # Errors
/// As [`from_line`]; `InvalidData` for another version.
pub(super) fn from_versioned_line<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    #[derive(Deserialize)]
    struct Version {
        protocol: u32,
    }
    check_protocol(from_line::<Version>(line)?.protocol)?;
    from_line(line)
}

fn check_protocol(protocol: u32) -> io::Result<()> {
    if protocol == PROTOCOL {
        return Ok(());
    }
    Err(invalid(format!(
        "version {protocol} of the messages, and this program speaks {PROTOCOL}: command and daemon are of different releases"
    )))
}

pub(super) fn invalid(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use block::Memory;

    use super::*;

    #[test]
    fn a_disk_is_told_in_whole_blocks_that_the_kernel_takes() {
        let greeting = Greeting::of(&Memory::new(1 << 20), None);
        let parameters = greeting.parameters(1 << 18, true);
        assert_eq!((greeting.size_bytes, parameters.size_bytes), (1 << 20, 1 << 20));
        assert!(parameters.attributes.read_only && parameters.attributes.volatile_cache);
        assert!(greeting.clone().check().is_ok());
        for (logical, physical) in [(0, 512), (512, 0), (513, 1024), (8192, 8192), (512, 1 << 20)] {
            let wrong =
                Greeting { logical_block_bytes: logical, physical_block_bytes: physical, ..greeting.clone() };
            assert_eq!(wrong.check().unwrap_err().kind(), io::ErrorKind::InvalidData, "{logical} {physical}");
        }
    }

    #[test]
    fn messages_come_back_from_their_lines_and_others_are_refused() {
        let offer = Offer { protocol: 1, device: 3, queues: 1, depth: 128, request_bytes_max: 1 << 18 };
        let line = to_line(&offer);
        assert_eq!(line.last(), Some(&b'\n'));
        assert_eq!(from_versioned_line::<Offer>(&line).unwrap(), offer);
        assert_eq!(offer.device().id, 3);
        let newer = from_versioned_line::<Offer>(b"{\"protocol\":2}\n").unwrap_err();
        assert!(newer.to_string().contains("different releases"), "{newer}");
        assert_eq!(from_line::<Offer>(b"{}\n").unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
