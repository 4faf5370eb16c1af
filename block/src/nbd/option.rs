//! The bytes of the handshake: greeting, options, and the replies to them.
//!
//! Pure functions in both directions; the effect of an option on a connection is decided elsewhere, on the side of the
//! server in the doors, on that of the client in the device.
//!
//! ```text
//! greeting  "NBDMAGIC" 8 | "IHAVEOPT" 8 | flags 2                 answered by client flags 4
//! option    "IHAVEOPT" 8 | option 4 | length 4 | payload
//! reply     magic 8 | option 4 | kind 4 | length 4 | payload
//! ```

use super::fields::Fields;
use super::wire::export_flags;

/// First field of the greeting.
pub const GREETING_MAGIC: u64 = 0x4e42_444d_4147_4943;
/// Second field of the greeting, and first of every option.
pub const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
/// First field of every reply to an option.
pub const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;

/// Bytes of the greeting.
pub const GREETING_BYTES: usize = 18;
/// Bytes of the client's flags.
pub const CLIENT_FLAGS_BYTES: usize = 4;
/// Bytes of an option without its payload.
pub const OPTION_BYTES: usize = 16;
/// Bytes of a reply to an option without its payload.
pub const OPTION_REPLY_BYTES: usize = 20;
/// Zeroes that end the answer to [`EXPORT_NAME`], unless the client does without.
pub const EXPORT_PADDING_BYTES: usize = 124;

/// Of server and client flags: replies to options, as spoken here.
pub const FLAG_FIXED_NEWSTYLE: u16 = 1;
/// Of server and client flags: no [`EXPORT_PADDING_BYTES`].
pub const FLAG_NO_ZEROES: u16 = 1 << 1;

/// Option: choose an export and start, without a reply that could refuse.
pub const EXPORT_NAME: u32 = 1;
/// Option: leave.
pub const ABORT: u32 = 2;
/// Option: the names of all exports.
pub const LIST: u32 = 3;
/// Option: encrypt.
pub const STARTTLS: u32 = 5;
/// Option: describe an export.
pub const INFO: u32 = 6;
/// Option: describe an export, and start.
pub const GO: u32 = 7;
/// Option: structured replies from now on.
pub const STRUCTURED_REPLY: u32 = 8;
/// Option: which kinds of block status there are.
pub const LIST_META_CONTEXT: u32 = 9;
/// Option: choose kinds of block status.
pub const SET_META_CONTEXT: u32 = 10;

/// Kind of information: size and flags.
pub const INFO_EXPORT: u16 = 0;
/// Kind of information: the name that the server prefers.
pub const INFO_NAME: u16 = 1;
/// Kind of information: a text for people.
pub const INFO_DESCRIPTION: u16 = 2;
/// Kind of information: least, preferred and largest request.
pub const INFO_BLOCK_SIZE: u16 = 3;

/// The most bytes that a client may move with one request if the server names no limit: 32 MiB.
pub const PAYLOAD_MAX_UNTOLD: u32 = 32 << 20;

/// The only kind of block status that is served: allocated, hole, zero.
pub const ALLOCATION_CONTEXT: &str = "base:allocation";

/// Kind of a reply to an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum OptionReply {
    /// Done.
    Ack = 1,
    /// The name of an export.
    Server = 2,
    /// A piece of information about an export.
    Info = 3,
    /// A kind of block status.
    MetaContext = 4,
    /// The option is unknown here.
    Unsupported = 0x8000_0001,
    /// The option is not allowed here.
    Policy = 0x8000_0002,
    /// The option makes no sense.
    Invalid = 0x8000_0003,
    /// Nothing without encryption.
    TlsRequired = 0x8000_0005,
    /// There is no such export.
    Unknown = 0x8000_0006,
    /// The server is about to stop.
    Shutdown = 0x8000_0007,
    /// The option is too long.
    TooBig = 0x8000_0009,
}

impl OptionReply {
    /// Returns the reply with this number; errors that are not used here are read as `Unsupported`.
    pub fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::Ack,
            2 => Self::Server,
            3 => Self::Info,
            4 => Self::MetaContext,
            0x8000_0002 => Self::Policy,
            0x8000_0003 => Self::Invalid,
            0x8000_0005 => Self::TlsRequired,
            0x8000_0006 => Self::Unknown,
            0x8000_0007 => Self::Shutdown,
            0x8000_0009 => Self::TooBig,
            0x8000_0000.. => Self::Unsupported,
            _ => return None,
        })
    }

    /// Returns true if the option failed.
    pub fn is_error(self) -> bool {
        self as u32 >= 0x8000_0000
    }
}

/// Form of the replies in the transmission phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replies {
    /// Error number and data.
    Simple,
    /// Chunks, with places and texts of errors.
    Structured,
}

/// Facts about an export that a client needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportFacts {
    /// Bytes.
    pub size: u64,
    /// See [`export_flags`]; `SEND_DF` is set or cleared by the handshake.
    pub flags: u16,
    /// Offsets and lengths must be multiples of this.
    pub block_min: u32,
    /// Requests aligned to this are served best.
    pub block_preferred: u32,
    /// The most bytes that one read or write may move.
    pub payload_max: u32,
}

impl ExportFacts {
    /// Values that the specification lets a client assume where the server reports nothing.
    pub const UNTOLD: Self =
        Self { size: 0, flags: 0, block_min: 1, block_preferred: 4096, payload_max: PAYLOAD_MAX_UNTOLD };

    /// Returns the flags for a client that negotiated structured replies or did not.
    pub fn flags_for(&self, replies: Replies) -> u16 {
        match replies {
            Replies::Simple => self.flags & !export_flags::SEND_DF,
            Replies::Structured => self.flags | export_flags::SEND_DF,
        }
    }
}

/// Returns the greeting of a server.
pub fn greeting() -> [u8; GREETING_BYTES] {
    let mut bytes = [0; GREETING_BYTES];
    bytes[0..8].copy_from_slice(&GREETING_MAGIC.to_be_bytes());
    bytes[8..16].copy_from_slice(&OPTION_MAGIC.to_be_bytes());
    bytes[16..18].copy_from_slice(&(FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES).to_be_bytes());
    bytes
}

/// Returns the flags in a greeting, or `None` if it is not the one of a newstyle server.
pub fn decode_greeting(bytes: &[u8; GREETING_BYTES]) -> Option<u16> {
    let mut fields = Fields::new(bytes);
    (fields.u64()? == GREETING_MAGIC && fields.u64()? == OPTION_MAGIC).then(|| fields.u16())?
}

/// Encodes an option.
pub fn encode_option(option: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OPTION_BYTES + payload.len());
    bytes.extend(OPTION_MAGIC.to_be_bytes());
    bytes.extend(option.to_be_bytes());
    bytes.extend(length_of(payload));
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns the number and length of the option that starts with `bytes`, or `None` if none does.
pub fn decode_option(bytes: &[u8; OPTION_BYTES]) -> Option<(u32, u32)> {
    let mut fields = Fields::new(bytes);
    if fields.u64()? != OPTION_MAGIC {
        return None;
    }
    Some((fields.u32()?, fields.u32()?))
}

/// Appends a reply to `option`.
pub fn encode_option_reply(output: &mut Vec<u8>, option: u32, kind: OptionReply, payload: &[u8]) {
    output.extend(OPTION_REPLY_MAGIC.to_be_bytes());
    output.extend(option.to_be_bytes());
    output.extend((kind as u32).to_be_bytes());
    output.extend(length_of(payload));
    output.extend_from_slice(payload);
}

/// Decodes option, kind and length of the reply that starts with `bytes`, or `None` if its kind is unknown.
pub fn decode_option_reply(bytes: &[u8; OPTION_REPLY_BYTES]) -> Option<(u32, OptionReply, u32)> {
    let mut fields = Fields::new(bytes);
    if fields.u64()? != OPTION_REPLY_MAGIC {
        return None;
    }
    Some((fields.u32()?, OptionReply::from_number(fields.u32()?)?, fields.u32()?))
}

/// The payload of [`INFO`] and [`GO`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfoRequest<'a> {
    /// Of the export.
    pub name: &'a str,
    /// Requested kinds of information.
    pub kinds: Vec<u16>,
}

impl<'a> InfoRequest<'a> {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = string(self.name);
        bytes.extend((self.kinds.len() as u16).to_be_bytes());
        bytes.extend(self.kinds.iter().flat_map(|kind| kind.to_be_bytes()));
        bytes
    }

    /// Decodes the payload in `bytes`, or `None` if they are not exactly one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let name = fields.string()?;
        let kinds = (0..fields.u16()?).map(|_| fields.u16()).collect::<Option<_>>()?;
        (fields.left() == 0).then_some(Self { name, kinds })
    }
}

/// The payload of [`LIST_META_CONTEXT`] and [`SET_META_CONTEXT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRequest<'a> {
    /// Of the export.
    pub name: &'a str,
    /// Requested contexts, namespace first: `base:allocation`.
    pub queries: Vec<&'a str>,
}

impl<'a> ContextRequest<'a> {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = string(self.name);
        bytes.extend((self.queries.len() as u32).to_be_bytes());
        bytes.extend(self.queries.iter().flat_map(|query| string(query)));
        bytes
    }

    /// Decodes the payload in `bytes`, or `None` if they are not exactly one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let name = fields.string()?;
        // Collecting stops at the first query that is not there, so a claimed count costs nothing.
        let queries = (0..fields.u32()?).map(|_| fields.string()).collect::<Option<_>>()?;
        (fields.left() == 0).then_some(Self { name, queries })
    }
}

/// The payload of an [`OptionReply::Info`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Info<'a> {
    /// [`INFO_EXPORT`].
    Export {
        /// Bytes of the disk.
        size: u64,
        /// See [`export_flags`].
        flags: u16,
    },
    /// [`INFO_NAME`].
    Name(&'a str),
    /// [`INFO_DESCRIPTION`].
    Description(&'a str),
    /// [`INFO_BLOCK_SIZE`].
    BlockSize {
        /// Offsets and lengths must be multiples of this.
        min: u32,
        /// Requests aligned to this are served best.
        preferred: u32,
        /// The most bytes that one read or write may move.
        max: u32,
    },
}

impl<'a> Info<'a> {
    /// Encodes the payload.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Export { size, flags } => {
                bytes.extend(INFO_EXPORT.to_be_bytes());
                bytes.extend(size.to_be_bytes());
                bytes.extend(flags.to_be_bytes());
            }
            Self::Name(text) => {
                bytes.extend(INFO_NAME.to_be_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
            Self::Description(text) => {
                bytes.extend(INFO_DESCRIPTION.to_be_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
            Self::BlockSize { min, preferred, max } => {
                bytes.extend(INFO_BLOCK_SIZE.to_be_bytes());
                bytes.extend([min, preferred, max].into_iter().flat_map(|size| size.to_be_bytes()));
            }
        }
        bytes
    }

    /// Returns the information in `bytes`, or `None` if it is not understood; clients skip that.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let info = match fields.u16()? {
            INFO_EXPORT => Self::Export { size: fields.u64()?, flags: fields.u16()? },
            INFO_NAME => Self::Name(std::str::from_utf8(fields.rest()).ok()?),
            INFO_DESCRIPTION => Self::Description(std::str::from_utf8(fields.rest()).ok()?),
            INFO_BLOCK_SIZE => {
                Self::BlockSize { min: fields.u32()?, preferred: fields.u32()?, max: fields.u32()? }
            }
            _ => return None,
        };
        (fields.left() == 0).then_some(info)
    }
}

/// Returns the number and name of a context in the payload of an [`OptionReply::MetaContext`], or `None` if it is none.
pub fn decode_context(payload: &[u8]) -> Option<(u32, &str)> {
    let mut fields = Fields::new(payload);
    Some((fields.u32()?, std::str::from_utf8(fields.rest()).ok()?))
}

/// Encodes a name: a length of four bytes, then the text.
pub fn string(text: &str) -> Vec<u8> {
    let mut bytes = length_of(text.as_bytes()).to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn length_of(payload: &[u8]) -> [u8; 4] {
    u32::try_from(payload.len()).expect("what we send is bounded far below 4 GiB").to_be_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn requests_for_information_survive_the_wire(
            name in ".{0,50}", kinds in prop::collection::vec(any::<u16>(), 0..20),
            queries in prop::collection::vec(".{0,20}", 0..10),
        ) {
            let info = InfoRequest { name: &name, kinds };
            let bytes = info.encode();
            prop_assert_eq!(InfoRequest::decode(&bytes), Some(info));
            let queries = queries.iter().map(String::as_str).collect();
            let contexts = ContextRequest { name: &name, queries };
            let bytes = contexts.encode();
            prop_assert_eq!(ContextRequest::decode(&bytes), Some(contexts));
        }

        #[test]
        fn information_survives_the_wire(size: u64, flags: u16, text in ".{0,50}", sizes: [u32; 3]) {
            let [min, preferred, max] = sizes;
            for info in [
                Info::Export { size, flags },
                Info::Name(&text),
                Info::Description(&text),
                Info::BlockSize { min, preferred, max },
            ] {
                let bytes = info.encode();
                prop_assert_eq!(Info::decode(&bytes), Some(info));
            }
        }

        #[test]
        fn options_and_replies_survive_the_wire(option: u32, payload: Vec<u8>) {
            let bytes = encode_option(option, &payload);
            let head = bytes[..OPTION_BYTES].try_into()?;
            prop_assert_eq!(decode_option(head), Some((option, payload.len() as u32)));
            let mut bytes = Vec::new();
            encode_option_reply(&mut bytes, option, OptionReply::TooBig, &payload);
            let head = bytes[..OPTION_REPLY_BYTES].try_into()?;
            let expected = (option, OptionReply::TooBig, payload.len() as u32);
            prop_assert_eq!(decode_option_reply(head), Some(expected));
        }

        #[test]
        fn no_bytes_make_the_decoders_panic(bytes: Vec<u8>) {
            prop_assert!(InfoRequest::decode(&bytes).is_none_or(|info| info.encode() == bytes));
            prop_assert!(ContextRequest::decode(&bytes).is_none_or(|contexts| contexts.encode() == bytes));
            prop_assert!(Info::decode(&bytes).is_none_or(|info| info.encode() == bytes));
        }
    }

    #[test]
    fn the_greeting_offers_fixed_newstyle_without_zeroes() {
        assert_eq!(&greeting()[..16], b"NBDMAGICIHAVEOPT");
        assert_eq!(decode_greeting(&greeting()), Some(FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES));
        assert_eq!(decode_greeting(&[0; GREETING_BYTES]), None);
    }
}
