//! The bytes of replies: simple ones, and the chunks of structured ones.
//!
//! Pure functions in both directions. Nothing here does I/O or allocates for what a peer only claims to send.
//!
//! ```text
//! simple    magic 4 | error 4 | cookie 8 | data of a successful read
//! chunk     magic 4 | flags 2 | kind 2 | cookie 8 | length 4 | payload
//! ```

use super::fields::Fields;
use super::wire::ReplyError;

/// First field of a simple reply.
pub const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;
/// First field of a chunk of a structured reply.
pub const CHUNK_MAGIC: u32 = 0x668e_33ef;

/// Bytes of a simple reply without its data.
pub const SIMPLE_REPLY_BYTES: usize = 16;
/// Bytes of a chunk's header.
pub const CHUNK_BYTES: usize = 20;
/// Bytes of a chunk of data before the data: header and offset.
pub const DATA_HEAD_BYTES: usize = CHUNK_BYTES + 8;
/// Bytes of one extent in a chunk of block status.
pub const EXTENT_BYTES: usize = 8;
/// The longest message that an error carries; longer ones are cut.
pub const MESSAGE_MAX: usize = 1024;

/// Set in the last chunk of a reply.
pub const CHUNK_DONE: u16 = 1;

/// Flags of a `base:allocation` descriptor.
pub mod extent_flags {
    /// No storage is allocated.
    pub const HOLE: u32 = 1;
    /// Reads as zeroes.
    pub const ZERO: u32 = 1 << 1;
}

/// The header of a reply, of either form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyHeader {
    /// A simple reply; the data of a successful read follows.
    Simple {
        /// None if the request succeeded.
        error: Option<ReplyError>,
        /// Of the request.
        cookie: u64,
    },
    /// A chunk of a structured reply; `length` bytes follow.
    Chunk(ChunkHeader),
}

/// The header of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// [`CHUNK_DONE`] or zero.
    pub flags: u16,
    /// Kind of the payload.
    pub kind: ChunkKind,
    /// Of the request.
    pub cookie: u64,
    /// Bytes of payload.
    pub length: u32,
}

/// Kind of the payload of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkKind {
    /// Nothing: the request succeeded.
    None,
    /// Offset, then data.
    OffsetData,
    /// Offset and length of a hole.
    OffsetHole,
    /// Context, then pairs of length and flags.
    BlockStatus,
    /// Error, then a message.
    Error,
    /// The same, then the offset where it happened.
    ErrorOffset,
    /// Any other number; an error if the top bit is set.
    Unknown(u16),
}

impl ChunkKind {
    /// Returns the kind with this number.
    pub fn from_number(number: u16) -> Self {
        match number {
            0 => Self::None,
            1 => Self::OffsetData,
            2 => Self::OffsetHole,
            5 => Self::BlockStatus,
            0x8001 => Self::Error,
            0x8002 => Self::ErrorOffset,
            other => Self::Unknown(other),
        }
    }

    /// Returns the number of this kind.
    pub fn number(self) -> u16 {
        match self {
            Self::None => 0,
            Self::OffsetData => 1,
            Self::OffsetHole => 2,
            Self::BlockStatus => 5,
            Self::Error => 0x8001,
            Self::ErrorOffset => 0x8002,
            Self::Unknown(number) => number,
        }
    }
}

/// The payload of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// The request succeeded.
    None,
    /// Bytes of the disk.
    Data {
        /// Offset on the disk.
        offset: u64,
        /// The bytes.
        data: &'a [u8],
    },
    /// Zeroes.
    Hole {
        /// Offset on the disk.
        offset: u64,
        /// Number of bytes.
        length: u32,
    },
    /// Consecutive extents from the offset of the request.
    Status {
        /// Number of the context, as negotiated.
        context: u32,
        /// Length and [`extent_flags`] of each.
        extents: Vec<(u32, u32)>,
    },
    /// The request failed.
    Error {
        /// Kind of the error.
        error: ReplyError,
        /// Message for people.
        message: &'a str,
        /// Offset on the disk, if that is known.
        offset: Option<u64>,
    },
}

impl<'a> Payload<'a> {
    /// Encodes the chunk that carries this payload as the last of the reply to `cookie`, header included.
    pub fn encode_last(&self, cookie: u64) -> Vec<u8> {
        let mut bytes = vec![0; CHUNK_BYTES];
        let kind = self.encode_body(&mut bytes);
        let length = u32::try_from(bytes.len() - CHUNK_BYTES).expect("replies are bounded far below 4 GiB");
        let header = ChunkHeader { flags: CHUNK_DONE, kind, cookie, length };
        bytes[..CHUNK_BYTES].copy_from_slice(&header.encode());
        bytes
    }

    fn encode_body(&self, bytes: &mut Vec<u8>) -> ChunkKind {
        match self {
            Self::None => ChunkKind::None,
            Self::Data { offset, data } => {
                bytes.extend(offset.to_be_bytes());
                bytes.extend_from_slice(data);
                ChunkKind::OffsetData
            }
            Self::Hole { offset, length } => {
                bytes.extend(offset.to_be_bytes());
                bytes.extend(length.to_be_bytes());
                ChunkKind::OffsetHole
            }
            Self::Status { context, extents } => {
                bytes.extend(context.to_be_bytes());
                for (length, flags) in extents {
                    bytes.extend(length.to_be_bytes());
                    bytes.extend(flags.to_be_bytes());
                }
                ChunkKind::BlockStatus
            }
            Self::Error { error, message, offset } => {
                let message = &message[..message.floor_char_boundary(MESSAGE_MAX)];
                bytes.extend(error.number().to_be_bytes());
                bytes.extend((message.len() as u16).to_be_bytes());
                bytes.extend_from_slice(message.as_bytes());
                match offset {
                    Some(offset) => {
                        bytes.extend(offset.to_be_bytes());
                        ChunkKind::ErrorOffset
                    }
                    None => ChunkKind::Error,
                }
            }
        }
    }

    /// Decodes the payload of a chunk of `kind`, or returns `None` if the bytes are not one. Unknown kinds of error are
    /// errors without a place, as the specification requires.
    pub fn decode(kind: ChunkKind, bytes: &'a [u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let payload = match kind {
            ChunkKind::None => Self::None,
            ChunkKind::OffsetData => Self::Data { offset: fields.u64()?, data: fields.rest() },
            ChunkKind::OffsetHole => Self::Hole { offset: fields.u64()?, length: fields.u32()? },
            ChunkKind::BlockStatus => {
                let context = fields.u32()?;
                let mut extents = Vec::with_capacity(fields.left() / 8);
                while fields.left() > 0 {
                    extents.push(decode_extent(fields.array()?));
                }
                Self::Status { context, extents }
            }
            ChunkKind::Error | ChunkKind::ErrorOffset | ChunkKind::Unknown(0x8000..) => {
                let error = ReplyError::from_number(fields.u32()?);
                let message_bytes = usize::from(fields.u16()?);
                let message = std::str::from_utf8(fields.take(message_bytes)?).ok()?;
                let offset = if kind == ChunkKind::ErrorOffset { Some(fields.u64()?) } else { None };
                if matches!(kind, ChunkKind::Unknown(_)) {
                    fields.rest();
                }
                Self::Error { error, message, offset }
            }
            ChunkKind::Unknown(_) => return None,
        };
        (fields.left() == 0).then_some(payload)
    }
}

/// Decodes length and [`extent_flags`] of one extent of a [`ChunkKind::BlockStatus`].
pub fn decode_extent(bytes: [u8; EXTENT_BYTES]) -> (u32, u32) {
    let both = u64::from_be_bytes(bytes);
    ((both >> 32) as u32, both as u32)
}

/// Encodes a simple reply, without the data of a read.
pub fn simple_reply(error: Option<ReplyError>, cookie: u64) -> [u8; SIMPLE_REPLY_BYTES] {
    let mut bytes = [0; SIMPLE_REPLY_BYTES];
    bytes[0..4].copy_from_slice(&SIMPLE_REPLY_MAGIC.to_be_bytes());
    bytes[4..8].copy_from_slice(&error.map_or(0, ReplyError::number).to_be_bytes());
    bytes[8..16].copy_from_slice(&cookie.to_be_bytes());
    bytes
}

/// Encodes the header for `length` bytes of data in the only chunk of a reply.
pub fn data_head(cookie: u64, offset: u64, length: u32) -> [u8; DATA_HEAD_BYTES] {
    let header = ChunkHeader { flags: CHUNK_DONE, kind: ChunkKind::OffsetData, cookie, length: length + 8 };
    let mut bytes = [0; DATA_HEAD_BYTES];
    bytes[..CHUNK_BYTES].copy_from_slice(&header.encode());
    bytes[CHUNK_BYTES..].copy_from_slice(&offset.to_be_bytes());
    bytes
}

impl ChunkHeader {
    /// Encodes the header.
    pub fn encode(&self) -> [u8; CHUNK_BYTES] {
        let mut bytes = [0; CHUNK_BYTES];
        bytes[0..4].copy_from_slice(&CHUNK_MAGIC.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.kind.number().to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..20].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }
}

impl ReplyHeader {
    /// Returns the number of bytes of a header that follow `magic`, or `None` if no reply starts with it.
    pub fn bytes_after(magic: [u8; 4]) -> Option<usize> {
        match u32::from_be_bytes(magic) {
            SIMPLE_REPLY_MAGIC => Some(SIMPLE_REPLY_BYTES),
            CHUNK_MAGIC => Some(CHUNK_BYTES),
            _ => None,
        }
    }

    /// Decodes the header that `bytes` start with, or `None` if they are too few or no reply.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        match fields.u32()? {
            SIMPLE_REPLY_MAGIC => {
                let error = Some(fields.u32()?).filter(|&number| number != 0).map(ReplyError::from_number);
                Some(Self::Simple { error, cookie: fields.u64()? })
            }
            CHUNK_MAGIC => Some(Self::Chunk(ChunkHeader {
                flags: fields.u16()?,
                kind: ChunkKind::from_number(fields.u16()?),
                cookie: fields.u64()?,
                length: fields.u32()?,
            })),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Decodes a whole chunk, header included.
    fn decode_whole(bytes: &[u8]) -> (ChunkHeader, Payload<'_>) {
        let Some(ReplyHeader::Chunk(header)) = ReplyHeader::decode(bytes) else { panic!("a chunk was sent") };
        assert_eq!(header.length as usize, bytes.len() - CHUNK_BYTES);
        (header, Payload::decode(header.kind, &bytes[CHUNK_BYTES..]).expect("we encoded it"))
    }

    proptest! {
        #[test]
        fn every_simple_reply_survives_the_wire(number in 0u32..200, cookie: u64) {
            let error = (number != 0).then(|| ReplyError::from_number(number));
            let bytes = simple_reply(error, cookie);
            prop_assert_eq!(ReplyHeader::bytes_after(bytes[..4].try_into()?), Some(bytes.len()));
            prop_assert_eq!(ReplyHeader::decode(&bytes), Some(ReplyHeader::Simple { error, cookie }));
        }

        #[test]
        fn every_payload_survives_the_wire(
            cookie: u64, offset: u64, length: u32, context: u32, place: Option<u64>,
            data: Vec<u8>, extents: Vec<(u32, u32)>, message in ".{0,100}",
        ) {
            for payload in [
                Payload::None,
                Payload::Data { offset, data: &data },
                Payload::Hole { offset, length },
                Payload::Status { context, extents },
                Payload::Error { error: ReplyError::Io, message: &message, offset: place },
            ] {
                let bytes = payload.encode_last(cookie);
                let (header, decoded) = decode_whole(&bytes);
                prop_assert_eq!((header.cookie, header.flags), (cookie, CHUNK_DONE));
                prop_assert_eq!(decoded, payload);
            }
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(kind: u16, bytes: Vec<u8>) {
            let kind = ChunkKind::from_number(kind);
            prop_assert_eq!(ChunkKind::from_number(kind.number()), kind);
            let decoded = Payload::decode(kind, &bytes);
            prop_assert!(kind != ChunkKind::None || decoded.is_some() == bytes.is_empty());
            prop_assert!(ReplyHeader::decode(&bytes).is_none() || bytes.len() >= SIMPLE_REPLY_BYTES);
        }
    }

    #[test]
    fn the_head_of_data_is_the_start_of_the_whole_chunk() {
        let whole = Payload::Data { offset: 77, data: b"hello" }.encode_last(9);
        assert_eq!(data_head(9, 77, 5), whole[..DATA_HEAD_BYTES]);
    }

    #[test]
    fn a_message_is_cut_between_characters() {
        let message = "\u{fc}".repeat(MESSAGE_MAX);
        let bytes = Payload::Error { error: ReplyError::Io, message: &message, offset: None }.encode_last(1);
        let (_, Payload::Error { message, .. }) = decode_whole(&bytes) else { panic!("an error was sent") };
        assert_eq!(message.len(), MESSAGE_MAX);
    }
}
