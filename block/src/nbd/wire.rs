//! The bytes of a request, and the flags and errors of the transmission phase.
//!
//! Pure functions in both directions, because server, client, tests and fuzzers share them. Nothing here does I/O,
//! allocates for what a peer claims, or knows the meaning of a request for a disk. All numbers are big-endian.
//!
//! ```text
//! request   magic 4 | flags 2 | command 2 | cookie 8 | offset 8 | length 4 | payload of a write
//! ```

use super::fields::Fields;

/// First field of every request.
pub const REQUEST_MAGIC: u32 = 0x2560_9513;
/// Bytes of a request without its payload.
pub const REQUEST_BYTES: usize = 28;

/// Flags of an export, as sent in the handshake.
pub mod export_flags {
    /// Always set: the field means something.
    pub const HAS_FLAGS: u16 = 1;
    /// Writes are refused.
    pub const READ_ONLY: u16 = 1 << 1;
    /// `Flush` is served.
    pub const SEND_FLUSH: u16 = 1 << 2;
    /// [`super::command_flags::FUA`] is honoured.
    pub const SEND_FUA: u16 = 1 << 3;
    /// `Trim` is served.
    pub const SEND_TRIM: u16 = 1 << 5;
    /// `WriteZeroes` is served.
    pub const SEND_WRITE_ZEROES: u16 = 1 << 6;
    /// [`super::command_flags::DF`] is honoured; only with structured replies.
    pub const SEND_DF: u16 = 1 << 7;
    /// A flush on one connection covers writes that completed on any other.
    pub const CAN_MULTI_CONN: u16 = 1 << 8;
}

/// Flags of one request.
pub mod command_flags {
    /// The data is durable before the reply is sent.
    pub const FUA: u16 = 1;
    /// Zeroes must not be made by giving up storage.
    pub const NO_HOLE: u16 = 1 << 1;
    /// The data of a read has to be in one chunk.
    pub const DF: u16 = 1 << 2;
    /// `BlockStatus` describes one extent only.
    pub const REQ_ONE: u16 = 1 << 3;
    /// Zeroes only if that is faster than writing them. Not offered here.
    pub const FAST_ZERO: u16 = 1 << 4;
}

/// Command of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Bytes of the disk.
    Read,
    /// Bytes to the disk; they follow the request.
    Write,
    /// The client leaves. Never answered.
    Disconnect,
    /// Everything completed becomes durable.
    Flush,
    /// The content is not needed any more.
    Trim,
    /// The content is wanted soon. Not offered here.
    Cache,
    /// The content becomes zeroes.
    WriteZeroes,
    /// Report of the parts that hold data.
    BlockStatus,
    /// Any other number. It must not have a payload.
    Unknown(u16),
}

impl Command {
    /// Returns the command with this number.
    pub fn from_number(number: u16) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            2 => Self::Disconnect,
            3 => Self::Flush,
            4 => Self::Trim,
            5 => Self::Cache,
            6 => Self::WriteZeroes,
            7 => Self::BlockStatus,
            other => Self::Unknown(other),
        }
    }

    /// Returns the number of this command.
    pub fn number(self) -> u16 {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Disconnect => 2,
            Self::Flush => 3,
            Self::Trim => 4,
            Self::Cache => 5,
            Self::WriteZeroes => 6,
            Self::BlockStatus => 7,
            Self::Unknown(number) => number,
        }
    }
}

/// A request without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// See [`command_flags`].
    pub flags: u16,
    /// The command.
    pub command: Command,
    /// Chosen by the client, returned in the reply.
    pub cookie: u64,
    /// First byte on the disk.
    pub offset: u64,
    /// Bytes concerned.
    pub length: u32,
}

impl Request {
    /// Encodes the request.
    pub fn encode(&self) -> [u8; REQUEST_BYTES] {
        let mut bytes = [0; REQUEST_BYTES];
        bytes[0..4].copy_from_slice(&REQUEST_MAGIC.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.command.number().to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_be_bytes());
        bytes[24..28].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// Decodes the request in `bytes`, or `None` if they do not start with the magic: then nothing that follows on this
    /// connection can be understood.
    pub fn decode(bytes: &[u8; REQUEST_BYTES]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        if fields.u32()? != REQUEST_MAGIC {
            return None;
        }
        Some(Self {
            flags: fields.u16()?,
            command: Command::from_number(fields.u16()?),
            cookie: fields.u64()?,
            offset: fields.u64()?,
            length: fields.u32()?,
        })
    }

    /// Returns the bytes that follow this request on the wire.
    pub fn payload_bytes(&self) -> u32 {
        if self.command == Command::Write { self.length } else { 0 }
    }
}

/// Error of a request: the only errors of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ReplyError {
    /// Not allowed; here: the disk is read-only.
    Permission = 1,
    /// The device failed.
    Io = 5,
    /// The server is out of memory.
    Memory = 12,
    /// The request makes no sense.
    Invalid = 22,
    /// Past the end of the disk, or no room behind it.
    NoSpace = 28,
    /// More than the server sends in one chunk.
    Overflow = 75,
    /// The device cannot do that.
    Unsupported = 95,
    /// The server is about to stop.
    Shutdown = 108,
}

impl ReplyError {
    /// Returns the number on the wire.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Returns the error with this number; unknown numbers are to be read as `Invalid`, as the specification requires.
    pub fn from_number(number: u32) -> Self {
        match number {
            1 => Self::Permission,
            5 => Self::Io,
            12 => Self::Memory,
            28 => Self::NoSpace,
            75 => Self::Overflow,
            95 => Self::Unsupported,
            108 => Self::Shutdown,
            _ => Self::Invalid,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_request_survives_the_wire(
            flags: u16, command: u16, cookie: u64, offset: u64, length: u32
        ) {
            let command = Command::from_number(command);
            let request = Request { flags, command, cookie, offset, length };
            prop_assert_eq!(Request::decode(&request.encode()), Some(request));
        }

        #[test]
        fn any_bytes_with_the_magic_are_the_request_they_decode_to(bytes: [u8; REQUEST_BYTES - 4]) {
            let mut all = [0; REQUEST_BYTES];
            all[..4].copy_from_slice(&REQUEST_MAGIC.to_be_bytes());
            all[4..].copy_from_slice(&bytes);
            prop_assert_eq!(Request::decode(&all).map(|request| request.encode()), Some(all));
        }
    }

    #[test]
    fn a_wrong_magic_is_no_request() {
        assert_eq!(Request::decode(&[0; REQUEST_BYTES]), None);
    }

    #[test]
    fn error_numbers_are_those_of_the_specification_and_others_mean_invalid() {
        for number in [1, 5, 12, 22, 28, 75, 95, 108] {
            assert_eq!(ReplyError::from_number(number).number(), number);
        }
        assert_eq!(ReplyError::from_number(4711), ReplyError::Invalid);
    }
}
