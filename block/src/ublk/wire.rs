//! The structures and numbers of ublk, to bytes and back. Pure.

/// Commands to `/dev/ublk-control`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlCommand {
    GetDeviceInfo = 0x02,
    AddDevice = 0x04,
    DeleteDevice = 0x05,
    StartDevice = 0x06,
    StopDevice = 0x07,
    SetParameters = 0x08,
    StartUserRecovery = 0x10,
    EndUserRecovery = 0x11,
    DeleteDeviceAsync = 0x14,
    UpdateSize = 0x15,
}

/// Commands to `/dev/ublkcN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IoCommand {
    Fetch = 0x20,
    CommitAndFetch = 0x21,
}

/// `_IOC_READ` and `_IOC_WRITE` of asm-generic/ioctl.h, in their place.
const IOC_READ: u32 = 2 << 30;
const IOC_WRITE: u32 = 1 << 30;
const IOC_SIZE_SHIFT: u32 = 16;
/// The type of ublk's ioctls.
const IOC_TYPE: u32 = (b'u' as u32) << 8;

/// Bytes of `struct ublksrv_ctrl_cmd`.
const CONTROL_BYTES: usize = 32;
/// Bytes of `struct ublksrv_io_cmd`.
pub(super) const IO_COMMAND_BYTES: usize = 16;
/// Bytes of `struct ublksrv_ctrl_dev_info`.
pub(super) const INFO_BYTES: usize = 64;
/// Bytes of `struct ublk_params` up to the parameters of discards, padded as the kernel of Linux 6.1 has it.
pub(super) const PARAMETERS_BYTES: usize = 64;
/// Bytes of `struct ublksrv_io_desc`.
pub(super) const DESCRIPTOR_BYTES: usize = 24;
/// Bytes of the room for control commands in an entry of 128 bytes.
const CONTROL_ENTRY_BYTES: usize = 80;

/// The unit of sizes and places in descriptors and parameters.
const SECTOR_SHIFT: u32 = 9;

/// Features of a device (`UBLK_F_*`).
pub mod features {
    /// The device stays when its server ends, and another one may take it over.
    pub const USER_RECOVERY: u64 = 1 << 3;
    /// Requests that the server that ended had not answered are given to the next one.
    pub const USER_RECOVERY_REISSUE: u64 = 1 << 4;
    /// The size may change while the device is there. Set by the kernel.
    pub const UPDATE_SIZE: u64 = 1 << 10;
}

impl ControlCommand {
    pub(super) fn number(self) -> u32 {
        let access = match self {
            Self::GetDeviceInfo | Self::DeleteDeviceAsync => IOC_READ,
            _ => IOC_READ | IOC_WRITE,
        };
        encode(self as u32, access, CONTROL_BYTES)
    }
}

impl IoCommand {
    pub(super) fn number(self) -> u32 {
        encode(self as u32, IOC_READ | IOC_WRITE, IO_COMMAND_BYTES)
    }
}

/// Returns a number as `_IOWR('u', number, struct)` and the like make it.
fn encode(number: u32, access: u32, bytes: usize) -> u32 {
    access | (bytes as u32) << IOC_SIZE_SHIFT | IOC_TYPE | number
}

/// Returns `struct ublksrv_ctrl_cmd` in the room of an entry: for the device `id`, with the buffer at `address` of `length` bytes.
pub(super) fn control_entry(id: u32, address: u64, length: usize, data: u64) -> [u8; CONTROL_ENTRY_BYTES] {
    let mut entry = [0; CONTROL_ENTRY_BYTES];
    put(&mut entry, 0, id.to_ne_bytes());
    // Of no queue.
    put(&mut entry, 4, u16::MAX.to_ne_bytes());
    put(&mut entry, 6, (length as u16).to_ne_bytes());
    put(&mut entry, 8, address.to_ne_bytes());
    put(&mut entry, 16, data.to_ne_bytes());
    entry
}

/// Returns `struct ublksrv_io_cmd`.
pub(super) fn io_command(queue: u16, tag: u16, result: i32, address: u64) -> [u8; IO_COMMAND_BYTES] {
    let mut command = [0; IO_COMMAND_BYTES];
    put(&mut command, 0, queue.to_ne_bytes());
    put(&mut command, 2, tag.to_ne_bytes());
    put(&mut command, 4, result.to_ne_bytes());
    put(&mut command, 8, address.to_ne_bytes());
    command
}

/// A device as the kernel describes it (`struct ublksrv_ctrl_dev_info`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Queues.
    pub queues: u16,
    /// Requests of each queue that may be in flight.
    pub depth: u16,
    /// The state of the device.
    pub state: DeviceState,
    /// The most bytes of one request.
    pub request_bytes_max: u32,
    /// The number N of `/dev/ublkbN` and `/dev/ublkcN`; [`DeviceInfo::ANY`] to have the kernel choose.
    pub id: u32,
    /// The process that serves it, in its own words when it was started.
    pub server: i32,
    /// The [`features`]. The kernel leaves out unknown ones.
    pub features: u64,
    /// A value set by the program that added the device; the kernel keeps it with the device (`ublksrv_flags`).
    pub mark: u64,
}

/// The state of a device (`UBLK_S_DEV_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// Not started, or stopped.
    Dead,
    /// Served.
    Live,
    /// Its server has ended, and requests wait for the next one.
    Quiesced,
    /// A state unknown to this program.
    Other(u16),
}

impl DeviceInfo {
    /// Lets the kernel choose a number.
    pub const ANY: u32 = u32::MAX;

    pub(super) fn to_bytes(self) -> [u8; INFO_BYTES] {
        let mut bytes = [0; INFO_BYTES];
        put(&mut bytes, 0, self.queues.to_ne_bytes());
        put(&mut bytes, 2, self.depth.to_ne_bytes());
        put(&mut bytes, 8, self.request_bytes_max.to_ne_bytes());
        put(&mut bytes, 12, self.id.to_ne_bytes());
        put(&mut bytes, 16, self.server.to_ne_bytes());
        put(&mut bytes, 24, self.features.to_ne_bytes());
        put(&mut bytes, 32, self.mark.to_ne_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; INFO_BYTES]) -> Self {
        Self {
            queues: u16::from_ne_bytes(take(bytes, 0)),
            depth: u16::from_ne_bytes(take(bytes, 2)),
            state: match u16::from_ne_bytes(take(bytes, 4)) {
                0 => DeviceState::Dead,
                1 => DeviceState::Live,
                2 => DeviceState::Quiesced,
                other => DeviceState::Other(other),
            },
            request_bytes_max: u32::from_ne_bytes(take(bytes, 8)),
            id: u32::from_ne_bytes(take(bytes, 12)),
            server: i32::from_ne_bytes(take(bytes, 16)),
            features: u64::from_ne_bytes(take(bytes, 24)),
            mark: u64::from_ne_bytes(take(bytes, 32)),
        }
    }
}

/// Parameters of a device that its users see (`struct ublk_params`, basic and discard). Sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Properties that a device has or has not.
    pub attributes: Attributes,
    /// The smallest unit of a request, a power of two from 512 to 4096.
    pub logical_block_bytes: u32,
    /// The unit that the device changes inside, a power of two, at least the logical block.
    pub physical_block_bytes: u32,
    /// The most bytes of one request with data.
    pub request_bytes_max: u32,
    /// The size, a multiple of the logical block.
    pub size_bytes: u64,
}

/// Properties that a device has or has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own that a device has or has not"
)]
pub struct Attributes {
    /// Writes are refused.
    pub read_only: bool,
    /// Completed writes are durable after a flush only.
    pub volatile_cache: bool,
    /// Single writes can be made durable.
    pub fua: bool,
    /// Discards and zeroes are taken.
    pub discards: bool,
}

/// The most bytes of one discard, or of zeroes: 1 GiB, which is far below the 2 TiB that fit.
const DISCARD_BYTES_MAX: u64 = 1 << 30;

impl Parameters {
    pub(super) fn to_bytes(self) -> [u8; PARAMETERS_BYTES] {
        const TYPE_BASIC: u32 = 1;
        const TYPE_DISCARD: u32 = 2;
        const READ_ONLY: u32 = 1;
        const VOLATILE_CACHE: u32 = 1 << 2;
        const FUA: u32 = 1 << 3;
        let Attributes { read_only, volatile_cache, fua, discards } = self.attributes;
        let attributes = [(read_only, READ_ONLY), (volatile_cache, VOLATILE_CACHE), (fua, FUA)];
        let attributes: u32 = attributes.iter().filter(|(is_so, _)| *is_so).map(|(_, bit)| bit).sum();
        let shift = |bytes: u32| {
            assert!(bytes.is_power_of_two(), "blocks of {bytes} bytes");
            [bytes.trailing_zeros() as u8]
        };
        let mut bytes = [0; PARAMETERS_BYTES];
        put(&mut bytes, 0, (PARAMETERS_BYTES as u32).to_ne_bytes());
        let types = if discards { TYPE_BASIC | TYPE_DISCARD } else { TYPE_BASIC };
        put(&mut bytes, 4, types.to_ne_bytes());
        put(&mut bytes, 8, attributes.to_ne_bytes());
        put(&mut bytes, 12, shift(self.logical_block_bytes));
        put(&mut bytes, 13, shift(self.physical_block_bytes));
        // The best and the least size of a request.
        put(&mut bytes, 14, shift(self.physical_block_bytes));
        put(&mut bytes, 15, shift(self.physical_block_bytes));
        put(&mut bytes, 16, (self.request_bytes_max >> SECTOR_SHIFT).to_ne_bytes());
        put(&mut bytes, 24, (self.size_bytes >> SECTOR_SHIFT).to_ne_bytes());
        if discards {
            put(&mut bytes, 44, self.logical_block_bytes.to_ne_bytes());
            let most = ((DISCARD_BYTES_MAX >> SECTOR_SHIFT) as u32).to_ne_bytes();
            put(&mut bytes, 48, most);
            put(&mut bytes, 52, most);
            // Segments of a discard.
            put(&mut bytes, 56, 1u16.to_ne_bytes());
        }
        bytes
    }
}

/// A request of a user of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoRequest {
    /// The operation.
    pub operation: IoOperation,
    /// The first byte. 0 for a flush.
    pub offset: u64,
    /// The number of bytes. 0 for a flush.
    pub length: u64,
    /// True if the bytes of a write are to be durable before it is answered.
    pub fua: bool,
}

/// Operation of a request (`UBLK_IO_OP_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoOperation {
    /// Bytes.
    Read,
    /// Writes bytes.
    Write,
    /// Makes completed writes durable.
    Flush,
    /// Discards content.
    Discard,
    /// Makes zeroes.
    WriteZeroes {
        /// The storage beneath stays reserved.
        keeps_storage: bool,
    },
    /// An operation unknown to this program.
    Unknown(u8),
}

impl IoRequest {
    /// Returns the request of `struct ublksrv_io_desc`.
    pub(super) fn from_bytes(bytes: &[u8; DESCRIPTOR_BYTES]) -> Self {
        const FUA: u32 = 1 << 13;
        const NO_UNMAP: u32 = 1 << 15;
        let word = u32::from_ne_bytes(take(bytes, 0));
        let sectors = u32::from_ne_bytes(take(bytes, 4));
        let first = u64::from_ne_bytes(take(bytes, 8));
        let operation = match word as u8 {
            0 => IoOperation::Read,
            1 => IoOperation::Write,
            2 => IoOperation::Flush,
            3 => IoOperation::Discard,
            5 => IoOperation::WriteZeroes { keeps_storage: word & NO_UNMAP != 0 },
            other => IoOperation::Unknown(other),
        };
        let (offset, length) = match operation {
            // Its place means nothing.
            IoOperation::Flush => (0, 0),
            _ => (first << SECTOR_SHIFT, u64::from(sectors) << SECTOR_SHIFT),
        };
        Self { operation, offset, length, fua: word & FUA != 0 }
    }
}

fn put<const N: usize>(bytes: &mut [u8], at: usize, field: [u8; N]) {
    bytes[at..at + N].copy_from_slice(&field);
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the range has so many bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_the_numbers_of_the_kernels_header() {
        // _IOWR('u', 0x04, struct ublksrv_ctrl_cmd), _IOR('u', 0x02, ...), _IOWR('u', 0x21, struct ublksrv_io_cmd).
        assert_eq!(ControlCommand::AddDevice.number(), 0xC020_7504);
        assert_eq!(ControlCommand::GetDeviceInfo.number(), 0x8020_7502);
        assert_eq!(IoCommand::CommitAndFetch.number(), 0xC010_7521);
        assert_eq!(ControlCommand::EndUserRecovery.number(), 0xC020_7511);
        assert_eq!(ControlCommand::DeleteDeviceAsync.number(), 0x8020_7514);
    }

    #[test]
    fn an_info_comes_back_from_its_bytes() {
        let info = DeviceInfo {
            queues: 2,
            depth: 128,
            state: DeviceState::Dead,
            request_bytes_max: 1 << 18,
            id: 7,
            server: 4711,
            features: features::USER_RECOVERY | features::USER_RECOVERY_REISSUE,
            mark: 0x0123_4567_89AB_CDEF,
        };
        let mut bytes = info.to_bytes();
        assert_eq!(DeviceInfo::from_bytes(&bytes), info);
        for (number, state) in
            [DeviceState::Live, DeviceState::Quiesced, DeviceState::Other(3)].into_iter().enumerate()
        {
            bytes[4] = number as u8 + 1;
            assert_eq!(DeviceInfo::from_bytes(&bytes).state, state);
        }
    }

    #[test]
    fn parameters_stand_where_the_kernel_reads_them() {
        let parameters = Parameters {
            attributes: Attributes { read_only: true, volatile_cache: true, fua: true, discards: true },
            logical_block_bytes: 512,
            physical_block_bytes: 4096,
            request_bytes_max: 256 << 10,
            size_bytes: 3 << 30,
        };
        let bytes = parameters.to_bytes();
        let word = |at| u32::from_ne_bytes(take(&bytes, at));
        assert_eq!((word(0), word(4), word(8)), (64, 3, 0b1101));
        assert_eq!(bytes[12..16], [9, 12, 12, 12]);
        assert_eq!((word(16), word(24), word(28)), (512, 6 << 20, 0));
        assert_eq!((word(44), word(48), word(52)), (512, 2 << 20, 2 << 20));
        let without = Parameters { attributes: Attributes::default(), ..parameters }.to_bytes();
        assert_eq!((without[4], &without[40..]), (1, &[0; 24][..]));
    }

    #[test]
    fn descriptors_are_understood() {
        let descriptor = |word: u32, sectors: u32, first: u64| {
            let mut bytes = [0; DESCRIPTOR_BYTES];
            put(&mut bytes, 0, word.to_ne_bytes());
            put(&mut bytes, 4, sectors.to_ne_bytes());
            put(&mut bytes, 8, first.to_ne_bytes());
            IoRequest::from_bytes(&bytes)
        };
        let request = |operation, offset, length, fua| IoRequest { operation, offset, length, fua };
        assert_eq!(descriptor(0, 8, 16), request(IoOperation::Read, 8192, 4096, false));
        assert_eq!(descriptor(1 | 1 << 13, 1, 1 << 33), request(IoOperation::Write, 1 << 42, 512, true));
        assert_eq!(descriptor(2, 9, 9), request(IoOperation::Flush, 0, 0, false));
        assert_eq!(
            descriptor(3, u32::MAX, 0),
            request(IoOperation::Discard, 0, u64::from(u32::MAX) << 9, false)
        );
        for (bits, keeps_storage) in [(5, false), (5 | 1 << 15, true)] {
            assert_eq!(
                descriptor(bits, 8, 0),
                request(IoOperation::WriteZeroes { keeps_storage }, 0, 4096, false)
            );
        }
        assert_eq!(descriptor(4, 8, 0).operation, IoOperation::Unknown(4));
    }
}
