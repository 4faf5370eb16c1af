//! Invariants for any bytes from the network. Shared by the fuzz targets and by a plain test in `doors`, so that every build runs a little
//! of it.

// Each target uses only a part of this.
#![allow(dead_code)]

use block::nbd::intake::{Intake, IntakeStep, MESSAGE_MAX};
use block::nbd::negotiation::{Negotiation, NegotiationStep as ClientStep, REPLY_PAYLOAD_MAX};
use block::nbd::option::{
    ContextRequest, ExportFacts, Info, InfoRequest, OPTION_BYTES, OPTION_REPLY_BYTES, Replies, decode_option,
    decode_option_reply,
};
use block::nbd::reply::{CHUNK_BYTES, ChunkKind, Payload, ReplyHeader};
use block::nbd::wire::{Command, REQUEST_BYTES, Request};
use doors::nbd::handshake::{Catalog, Entry, Handshake, HandshakeStep, Refusal};

struct One;

impl Catalog for One {
    fn find(&self, name: &str) -> Result<Entry, Refusal> {
        match name {
            "" | "disk" => Ok(Entry {
                name: "disk".to_owned(),
                description: "a disk".to_owned(),
                facts: ExportFacts {
                    size: 1 << 30,
                    flags: 1,
                    block_min: 512,
                    block_preferred: 4096,
                    payload_max: 32 << 20,
                },
            }),
            "full" => Err(Refusal::Full),
            _ => Err(Refusal::Unknown),
        }
    }

    fn names(&self) -> Vec<String> {
        vec!["disk".to_owned()]
    }
}

/// Numbers of handshakes by outcome, so that a test can check that not all of them failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ended {
    /// Handshakes that reached an agreement without encryption.
    pub(crate) served: u64,
    /// Handshakes that began encryption where it is required.
    pub(crate) encrypted: u64,
    /// Encrypted handshakes that reached an agreement.
    pub(crate) served_encrypted: u64,
}

/// Feeds any bytes into the handshake as a client: it ends, answers one option with few bytes, and does not depend on how the bytes are
/// split. Where encryption is required, nothing precedes it.
pub(crate) fn handshake(data: &[u8]) -> Ended {
    let cut = usize::from(data.first().copied().unwrap_or(0)) + 1;
    let whole = run_handshake(Handshake::new(), data, data.len().max(1));
    assert_eq!(whole, run_handshake(Handshake::new(), data, cut));
    assert_eq!(whole.encrypted, None, "it has none");
    let bytewise = run_handshake(Handshake::demanding_encryption(), data, 1);
    for cut in [cut, data.len().max(1)] {
        demanding(&bytewise, &run_handshake(Handshake::demanding_encryption(), data, cut));
    }
    Ended {
        served: u64::from(whole.is_served()),
        encrypted: u64::from(bytewise.encrypted.is_some()),
        served_encrypted: u64::from(bytewise.is_served()),
    }
}

/// Result of a handshake.
#[derive(Debug, Default, PartialEq, Eq)]
struct Run {
    /// Bytes that the server sends in clear, and those that it sends encrypted, if it begins encryption.
    clear: Vec<u8>,
    encrypted: Option<Vec<u8>>,
    last: Option<HandshakeStep>,
}

impl Run {
    fn is_served(&self) -> bool {
        matches!(self.last, Some(HandshakeStep::Serve(_)))
    }

    fn sent(&mut self) -> &mut Vec<u8> {
        self.encrypted.as_mut().unwrap_or(&mut self.clear)
    }
}

/// Compares runs with all bytes at once and one by one, where encryption is required: bytes that arrive in pieces may have been encrypted,
/// and bytes that arrive at once cannot.
fn demanding(bytewise: &Run, run: &Run) {
    assert!(run.encrypted.is_some() || !run.is_served(), "an agreement in clear");
    let tells = run.clear.windows(4).any(|word| word == b"disk");
    assert!(!tells, "what there is was told in clear");
    if bytewise.encrypted.is_some() && run.encrypted.is_none() {
        assert!(
            matches!(run.last, Some(HandshakeStep::Violation(_))),
            "something stood behind the wish to encrypt"
        );
        assert!(
            bytewise.clear.len() == run.clear.len() + OPTION_REPLY_BYTES
                && bytewise.clear.starts_with(&run.clear)
        );
    } else {
        assert_eq!(bytewise, run);
    }
}

/// Runs the server's side of it, with the client's bytes in pieces of so many.
fn run_handshake(mut handshake: Handshake, data: &[u8], cut: usize) -> Run {
    let mut run = Run::default();
    for mut piece in data.chunks(cut) {
        loop {
            let mut output = Vec::new();
            let step = handshake.step(&mut piece, &One, &mut output);
            assert!(output.len() <= 1024, "one option has a short answer");
            run.sent().extend(output);
            match step {
                HandshakeStep::NeedInput => {
                    assert!(piece.is_empty(), "all input is taken before more is asked for");
                    break;
                }
                HandshakeStep::Answered => {}
                HandshakeStep::Encrypt => {
                    assert!(piece.is_empty(), "nothing stands behind the wish to encrypt");
                    assert_eq!(run.encrypted, None, "it begins once");
                    run.encrypted = Some(Vec::new());
                    break;
                }
                last => {
                    run.last = Some(last);
                    return run;
                }
            }
        }
    }
    run
}

/// Feeds any bytes into a client as those of a server: the handshake ends or needs more bytes, and after any agreement, data goes only to
/// the requested places.
pub(crate) fn client(data: &[u8]) {
    let (mut negotiation, mut input, mut output) = (Negotiation::new("disk"), data, Vec::new());
    let step = negotiation.step(&mut input, &mut output);
    assert!(output.len() <= 1024, "a handshake asks for little");
    match step {
        Ok(ClientStep::Agreed(terms)) => replies(input, terms.replies, terms.allocation),
        Ok(ClientStep::NeedInput) => {
            assert!(input.len() < REPLY_PAYLOAD_MAX + OPTION_REPLY_BYTES, "there is room for any reply");
        }
        Err(_) => {}
    }
    // Most inputs are no handshake.
    replies(data, Replies::Structured, Some(1));
    replies(data, Replies::Simple, None);
}

/// Feeds any bytes into a client as replies to a read, a write and a query for extents.
fn replies(mut input: &[u8], replies: Replies, allocation: Option<u32>) {
    let mut intake = Intake::new(replies, allocation);
    let (offset, length) = (4096, 1024);
    for (cookie, command) in [(0, Command::Read), (1, Command::Write), (2, Command::BlockStatus)] {
        intake.expect(Request { flags: 0, command, cookie, offset, length });
    }
    let (mut moved, mut answered) = (0, Vec::new());
    while let Ok(step) = intake.step(&mut input) {
        match step {
            IntakeStep::NeedInput => {
                assert!(input.len() < MESSAGE_MAX, "there is room for any message");
                break;
            }
            IntakeStep::Data(0, place) => {
                assert!(place.end <= length as usize);
                moved += place.len();
                if place.len() > input.len() {
                    break;
                }
                input = &input[place.len()..];
            }
            IntakeStep::Zeroes(0, place) => {
                assert!(place.end <= length as usize);
                moved += place.len();
            }
            IntakeStep::Data(..) | IntakeStep::Zeroes(..) => panic!("only reads bring data"),
            IntakeStep::Answered(cookie, answer) => {
                assert!(cookie != 0 || answer.error.is_some() || moved == length as usize, "a read is whole");
                assert!(!answered.contains(&cookie), "an answer comes once");
                answered.push(cookie);
            }
        }
    }
    assert!(moved <= length as usize, "no byte comes twice");
}

/// Feeds any bytes into every decoder: a decoded value is encoded to the same bytes.
pub(crate) fn wire(data: &[u8]) {
    if let Some(request) = data.first_chunk::<REQUEST_BYTES>().and_then(Request::decode) {
        assert_eq!(request.encode(), data[..REQUEST_BYTES]);
        assert!(request.payload_bytes() == 0 || request.payload_bytes() == request.length);
    }
    if let Some(ReplyHeader::Chunk(header)) = ReplyHeader::decode(data) {
        assert_eq!(header.encode(), data[..CHUNK_BYTES]);
    }
    if let Some((kind, payload)) = data.split_first_chunk::<2>() {
        chunk(ChunkKind::from_number(u16::from_be_bytes(*kind)), payload);
    }
    if let Some(info) = InfoRequest::decode(data) {
        assert_eq!(info.encode(), data);
    }
    if let Some(contexts) = ContextRequest::decode(data) {
        assert_eq!(contexts.encode(), data);
    }
    if let Some(info) = Info::decode(data) {
        assert_eq!(info.encode(), data);
    }
    // Must not panic; there is nothing to compare, as unknown errors are decoded as known ones.
    data.first_chunk::<OPTION_REPLY_BYTES>().map(decode_option_reply);
    data.first_chunk::<OPTION_BYTES>().map(decode_option);
}

fn chunk(kind: ChunkKind, payload: &[u8]) {
    let Some(decoded) = Payload::decode(kind, payload) else { return };
    let encoded = decoded.encode_last(7);
    let Some(ReplyHeader::Chunk(header)) = ReplyHeader::decode(&encoded) else {
        panic!("a chunk encodes to a chunk")
    };
    let again = Payload::decode(header.kind, &encoded[CHUNK_BYTES..]);
    let cut = matches!(decoded, Payload::Error { message, .. } if message.len() > 1024);
    assert!(cut || again == Some(decoded));
}
