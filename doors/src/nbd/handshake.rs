//! The server's side of the handshake: bytes in, bytes out, and in the end an agreement.
//!
//! A pure state machine. It does no I/O, so scripts and fuzzers drive it as the server does. It keeps at most one
//! option ([`OPTION_PAYLOAD_MAX`]) and answers one option per step, so that no client makes it pile up answers.
//!
//! ```text
//!  ClientFlags ──> Head ──> Payload ──┬─> Head      answered
//!                   │                 └─> done      GO, EXPORT_NAME: serve;  ABORT: close
//!                   └────> Skipping ────> Head      too long: refused, never stored
//! ```
//! Where encryption is required, every option before it gets the answer that it is, which the specification calls FORCEDTLS.
//! Bytes in clear behind a client's request to encrypt end the connection: an attacker in between may have injected them, to
//! have them taken for a part of the encrypted conversation.

use super::option::{
    ABORT, ALLOCATION_CONTEXT, CLIENT_FLAGS_BYTES, ContextRequest, EXPORT_NAME, EXPORT_PADDING_BYTES,
    ExportFacts, FLAG_FIXED_NEWSTYLE, FLAG_NO_ZEROES, GO, INFO, INFO_DESCRIPTION, INFO_NAME, Info,
    InfoRequest, LIST, LIST_META_CONTEXT, OPTION_BYTES, OptionReply, Replies, SET_META_CONTEXT, STARTTLS,
    STRUCTURED_REPLY, decode_option, encode_option_reply, string,
};

/// The longest option that is processed; longer ones are skipped and refused.
pub const OPTION_PAYLOAD_MAX: usize = 64 << 10;
/// The longest name of an export, as the specification has it.
pub const NAME_MAX: usize = 4096;
/// The number under which `base:allocation` is served.
pub const ALLOCATION_CONTEXT_ID: u32 = 1;

/// Source of exports by name for the handshake.
pub trait Catalog {
    /// Returns the export called `name`; the empty name is the default export, if there is one.
    ///
    /// # Errors
    /// Why a client cannot have it.
    fn find(&self, name: &str) -> Result<Entry, Refusal>;

    /// Returns the names of all exports.
    fn names(&self) -> Vec<String>;
}

/// An export that a client may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The proper name, also if the client asked for the default.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Its facts.
    pub facts: ExportFacts,
}

/// Reason why a client cannot have an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is none of this name.
    Unknown,
    /// It has as many connections as it may.
    Full,
    /// It is about to go.
    Draining,
}

/// Agreement of client and server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Of the export, as the catalog has it.
    pub name: String,
    /// The facts that the client received.
    pub facts: ExportFacts,
    /// Form of the replies.
    pub replies: Replies,
    /// True if `base:allocation` was chosen for this export.
    pub block_status: bool,
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandshakeStep {
    /// All input is used up; more is needed.
    NeedInput,
    /// An option was answered: send the output, then go on with the rest of the input.
    Answered,
    /// Send the output; the rest of the input belongs to the transmission phase.
    Serve(Agreement),
    /// Send the output, then encrypt; there is no input left. The handshake goes on inside of the encryption, from the start
    /// but for the client's flags.
    Encrypt,
    /// Send the output, then close: the client disconnected in order.
    Leave,
    /// Close: the client broke the protocol, for this reason.
    Violation(&'static str),
}

/// The state of one handshake, after [`super::option::greeting`] was sent.
#[derive(Debug)]
pub struct Handshake {
    state: HandshakeState,
    /// Bytes of the current state that have arrived so far.
    gathered: Vec<u8>,
    padding: Padding,
    encryption: Encryption,
    replies: Replies,
    /// The export for which the allocation context was chosen last.
    allocation_of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandshakeState {
    ClientFlags,
    Head,
    Payload { option: u32, length: usize },
    Skipping { option: u32, length: u32, left: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encryption {
    /// There is none.
    None,
    /// Nothing is to be had without.
    Demanded,
    /// All later bytes pass through it.
    Begun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Padding {
    Zeroes,
    Nothing,
}

impl Default for Handshake {
    fn default() -> Self {
        Self::new()
    }
}

impl Handshake {
    /// Creates a handshake whose greeting was just sent.
    pub fn new() -> Self {
        Self::with(Encryption::None)
    }

    /// As [`Self::new`], for clients that get nothing before they encrypt.
    pub fn demanding_encryption() -> Self {
        Self::with(Encryption::Demanded)
    }

    fn with(encryption: Encryption) -> Self {
        Self {
            state: HandshakeState::ClientFlags,
            gathered: Vec::new(),
            padding: Padding::Zeroes,
            encryption,
            replies: Replies::Simple,
            allocation_of: None,
        }
    }

    /// Takes bytes off the front of `input` until an option is complete, and appends the answer to `output`.
    ///
    /// Processes input. Call again with the rest of the input until it returns `NeedInput` or the handshake is over.
    pub fn step(&mut self, input: &mut &[u8], catalog: &impl Catalog, output: &mut Vec<u8>) -> HandshakeStep {
        loop {
            let step = match self.state {
                HandshakeState::ClientFlags => {
                    self.gather(input, CLIENT_FLAGS_BYTES).then(|| self.client_flags())
                }
                HandshakeState::Head => self.gather(input, OPTION_BYTES).then(|| self.head()),
                HandshakeState::Payload { option, length } => {
                    self.gather(input, length).then(|| Some(self.payload(option, input, catalog, output)))
                }
                HandshakeState::Skipping { option, length, left } => {
                    self.skip(input, option, length, left, output).then_some(Some(HandshakeStep::Answered))
                }
            };
            match step {
                None => return HandshakeStep::NeedInput,
                // The state changed without an answer; go on with the rest of the input.
                Some(None) => {}
                Some(Some(step)) => return step,
            }
        }
    }

    /// Returns true once `gathered` holds `count` bytes.
    fn gather(&mut self, input: &mut &[u8], count: usize) -> bool {
        let taken = (count - self.gathered.len()).min(input.len());
        let (now, rest) = input.split_at(taken);
        self.gathered.extend_from_slice(now);
        *input = rest;
        self.gathered.len() == count
    }

    fn client_flags(&mut self) -> Option<HandshakeStep> {
        let flags = self.gathered.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
        self.enter(HandshakeState::Head);
        if flags & !u32::from(FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES) != 0 {
            return Some(HandshakeStep::Violation("Client sent handshake flags that were not offered"));
        }
        if flags & u32::from(FLAG_NO_ZEROES) != 0 {
            self.padding = Padding::Nothing;
        }
        None
    }

    fn head(&mut self) -> Option<HandshakeStep> {
        let Some((option, length)) = self.gathered.first_chunk().and_then(decode_option) else {
            return Some(HandshakeStep::Violation("Client sent an option without its magic"));
        };
        let length_usize = length as usize;
        if option == EXPORT_NAME && length_usize > NAME_MAX {
            return Some(HandshakeStep::Violation("Client sent an export name of more than 4096 bytes"));
        }
        if length_usize > OPTION_PAYLOAD_MAX {
            self.enter(HandshakeState::Skipping { option, length, left: length });
        } else {
            self.enter(HandshakeState::Payload { option, length: length_usize });
        }
        None
    }

    /// Returns true once the payload has gone by; then the option is refused.
    fn skip(&mut self, input: &mut &[u8], option: u32, length: u32, left: u32, output: &mut Vec<u8>) -> bool {
        let taken = (left as usize).min(input.len());
        *input = &input[taken..];
        let left = left - taken as u32;
        if left > 0 {
            self.enter(HandshakeState::Skipping { option, length, left });
            return false;
        }
        self.enter(HandshakeState::Head);
        // These two get their own answers, before encryption as well: here, that they are too long.
        if self.encryption == Encryption::Demanded && !matches!(option, STARTTLS | ABORT) {
            refuse_in_clear(output, option);
        } else {
            let message =
                format!("The option has {length} bytes, and options have at most {OPTION_PAYLOAD_MAX}");
            refuse(output, option, OptionReply::TooBig, &message);
        }
        true
    }

    fn enter(&mut self, state: HandshakeState) {
        self.state = state;
        self.gathered.clear();
    }

    /// Answers an option that has arrived as a whole; `behind` are the bytes that follow it.
    fn payload(
        &mut self,
        option: u32,
        behind: &[u8],
        catalog: &impl Catalog,
        output: &mut Vec<u8>,
    ) -> HandshakeStep {
        let payload = std::mem::take(&mut self.gathered);
        self.enter(HandshakeState::Head);
        match option {
            STARTTLS if self.encryption == Encryption::Demanded && payload.is_empty() => {
                return self.encrypt(behind, output);
            }
            STARTTLS if self.encryption != Encryption::None => {
                refuse(
                    output,
                    option,
                    OptionReply::Invalid,
                    "Encryption has begun, or the option has a payload",
                );
            }
            EXPORT_NAME if self.encryption == Encryption::Demanded => {
                return HandshakeStep::Violation("Client chose an export by EXPORT_NAME without encryption");
            }
            _ if self.encryption == Encryption::Demanded && option != ABORT => {
                refuse_in_clear(output, option);
            }
            EXPORT_NAME => return self.export_name(&payload, catalog, output),
            ABORT => {
                encode_option_reply(output, option, OptionReply::Ack, &[]);
                return HandshakeStep::Leave;
            }
            LIST => list(&payload, catalog, output),
            INFO | GO => {
                if let Some(agreement) = self.info(option, &payload, catalog, output)
                    && option == GO
                {
                    return HandshakeStep::Serve(agreement);
                }
            }
            STRUCTURED_REPLY if payload.is_empty() => {
                self.replies = Replies::Structured;
                encode_option_reply(output, option, OptionReply::Ack, &[]);
            }
            STRUCTURED_REPLY => refuse(output, option, OptionReply::Invalid, "This option has no payload"),
            LIST_META_CONTEXT | SET_META_CONTEXT => self.contexts(option, &payload, catalog, output),
            // STARTTLS is among them where there is no encryption.
            _ => refuse(output, option, OptionReply::Unsupported, "This option is not supported"),
        }
        HandshakeStep::Answered
    }

    fn encrypt(&mut self, behind: &[u8], output: &mut Vec<u8>) -> HandshakeStep {
        if !behind.is_empty() {
            return HandshakeStep::Violation("Client sent something behind STARTTLS before it was answered");
        }
        // Nothing was agreed on that could be kept: before encryption no option is granted.
        self.encryption = Encryption::Begun;
        encode_option_reply(output, STARTTLS, OptionReply::Ack, &[]);
        HandshakeStep::Encrypt
    }

    /// Handles the old way to choose an export: no reply can refuse, so a refusal is a closed connection.
    fn export_name(&self, payload: &[u8], catalog: &impl Catalog, output: &mut Vec<u8>) -> HandshakeStep {
        let entry = std::str::from_utf8(payload).ok().and_then(|name| catalog.find(name).ok());
        let Some(entry) = entry else {
            return HandshakeStep::Violation("Client chose an export that it cannot have by EXPORT_NAME");
        };
        output.extend(entry.facts.size.to_be_bytes());
        output.extend(entry.facts.flags_for(self.replies).to_be_bytes());
        if self.padding == Padding::Zeroes {
            output.extend([0; EXPORT_PADDING_BYTES]);
        }
        HandshakeStep::Serve(self.agreement(entry))
    }

    /// Answers `INFO` and `GO`. Some if the answer is yes.
    fn info(
        &mut self,
        option: u32,
        payload: &[u8],
        catalog: &impl Catalog,
        output: &mut Vec<u8>,
    ) -> Option<Agreement> {
        let Some(request) = InfoRequest::decode(payload).filter(|request| request.name.len() <= NAME_MAX)
        else {
            refuse(output, option, OptionReply::Invalid, "The request for information is malformed");
            return None;
        };
        let entry = match catalog.find(request.name) {
            Ok(entry) => entry,
            Err(refusal) => {
                refuse_export(output, option, refusal);
                return None;
            }
        };
        let facts = entry.facts;
        let mut tell =
            |info: Info<'_>| encode_option_reply(output, option, OptionReply::Info, &info.encode());
        tell(Info::Export { size: facts.size, flags: facts.flags_for(self.replies) });
        // Sent also to clients that did not ask: the limits hold for them as well.
        tell(Info::BlockSize {
            min: facts.block_min,
            preferred: facts.block_preferred,
            max: facts.payload_max,
        });
        if request.kinds.contains(&INFO_NAME) {
            tell(Info::Name(&entry.name));
        }
        if request.kinds.contains(&INFO_DESCRIPTION) {
            tell(Info::Description(&entry.description));
        }
        encode_option_reply(output, option, OptionReply::Ack, &[]);
        Some(self.agreement(entry))
    }

    fn contexts(&mut self, option: u32, payload: &[u8], catalog: &impl Catalog, output: &mut Vec<u8>) {
        if option == SET_META_CONTEXT {
            // A choice that fails undoes the one before it, too.
            self.allocation_of = None;
        }
        if self.replies == Replies::Simple {
            refuse(output, option, OptionReply::Invalid, "Block status needs structured replies first");
            return;
        }
        let Some(request) = ContextRequest::decode(payload).filter(|request| request.name.len() <= NAME_MAX)
        else {
            refuse(output, option, OptionReply::Invalid, "The request for contexts is malformed");
            return;
        };
        let entry = match catalog.find(request.name) {
            Ok(entry) => entry,
            Err(refusal) => return refuse_export(output, option, refusal),
        };
        let asked = |query: &str| request.queries.contains(&query);
        let (chosen, id) = if option == SET_META_CONTEXT {
            (asked(ALLOCATION_CONTEXT), ALLOCATION_CONTEXT_ID)
        } else {
            (asked(ALLOCATION_CONTEXT) || asked("base:") || request.queries.is_empty(), 0)
        };
        if chosen {
            let mut context = id.to_be_bytes().to_vec();
            context.extend_from_slice(ALLOCATION_CONTEXT.as_bytes());
            encode_option_reply(output, option, OptionReply::MetaContext, &context);
        }
        if chosen && option == SET_META_CONTEXT {
            self.allocation_of = Some(entry.name);
        }
        encode_option_reply(output, option, OptionReply::Ack, &[]);
    }

    fn agreement(&self, entry: Entry) -> Agreement {
        let Entry { name, facts, .. } = entry;
        let block_status = self.allocation_of.as_ref() == Some(&name);
        Agreement { name, facts, replies: self.replies, block_status }
    }
}

fn list(payload: &[u8], catalog: &impl Catalog, output: &mut Vec<u8>) {
    if !payload.is_empty() {
        refuse(output, LIST, OptionReply::Invalid, "This option has no payload");
        return;
    }
    for name in catalog.names() {
        encode_option_reply(output, LIST, OptionReply::Server, &string(&name));
    }
    encode_option_reply(output, LIST, OptionReply::Ack, &[]);
}

fn refuse_export(output: &mut Vec<u8>, option: u32, refusal: Refusal) {
    let (kind, message) = match refusal {
        Refusal::Unknown => (OptionReply::Unknown, "No disk of this name is served here"),
        Refusal::Full => (OptionReply::Policy, "This disk has as many connections as it may"),
        Refusal::Draining => (OptionReply::Shutdown, "This disk is about to stop; connect again later"),
    };
    refuse(output, option, kind, message);
}

fn refuse_in_clear(output: &mut Vec<u8>, option: u32) {
    refuse(output, option, OptionReply::TlsRequired, "Nothing is to be had here without TLS");
}

fn refuse(output: &mut Vec<u8>, option: u32, kind: OptionReply, message: &str) {
    encode_option_reply(output, option, kind, message.as_bytes());
}

#[cfg(test)]
mod tests;
