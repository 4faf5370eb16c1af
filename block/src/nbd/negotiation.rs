//! The client's side of the handshake: bytes in, bytes out, and in the end the terms of the connection.
//!
//! A pure state machine, as the server's side is: it does no I/O, so scripts and fuzzers drive it as the device does.
//! It trusts no server: replies that are too long, too many or out of place end it.
//!
//! ```text
//!  Greeting ──> StructuredReplies ──yes──> Contexts ──> Go ──> agreed
//!                      └────────────no──────────────────^
//! ```

use std::borrow::Cow;

use super::option::{
    ALLOCATION_CONTEXT, ContextRequest, ExportFacts, FLAG_FIXED_NEWSTYLE, FLAG_NO_ZEROES, GO, GREETING_BYTES,
    INFO_BLOCK_SIZE, Info, InfoRequest, OPTION_REPLY_BYTES, OptionReply, Replies, SET_META_CONTEXT,
    STRUCTURED_REPLY, decode_context, decode_greeting, decode_option_reply, encode_option,
};

/// The longest payload of a reply to an option that is decoded. Names have at most 4096 bytes.
pub const REPLY_PAYLOAD_MAX: usize = 16 << 10;
/// The most replies to one option.
const REPLIES_MAX: u32 = 64;

/// Terms that client and server agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Facts that the server reported about the export.
    pub facts: ExportFacts,
    /// Form of the replies.
    pub replies: Replies,
    /// The number under which the server reports `base:allocation`, if it does.
    pub allocation: Option<u32>,
}

/// Result of a step that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegotiationStep {
    /// Send the output if there is some, then wait for more input.
    NeedInput,
    /// The export is chosen; the rest of the input belongs to the transmission phase.
    Agreed(Terms),
}

/// Reason why there will be no agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NegotiationFailure {
    /// The server does not speak the protocol.
    Violation(Cow<'static, str>),
    /// The server refuses, with this kind of reply and message.
    Refused(OptionReply, String),
}

/// The state of one handshake of a client.
#[derive(Debug)]
pub struct Negotiation {
    export: String,
    state: NegotiationState,
    replies_seen: u32,
    terms: Terms,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NegotiationState {
    Greeting,
    /// Waiting for the replies to this option.
    Asked(u32),
    Over,
}

fn violation(what: impl Into<Cow<'static, str>>) -> NegotiationFailure {
    NegotiationFailure::Violation(what.into())
}

impl Negotiation {
    /// Creates a handshake that will ask for `export`.
    pub fn new(export: &str) -> Self {
        let terms = Terms { facts: ExportFacts::UNTOLD, replies: Replies::Simple, allocation: None };
        Self { export: export.to_owned(), state: NegotiationState::Greeting, replies_seen: 0, terms }
    }

    /// Takes whole messages off the front of `input`, and appends the answer to `output`. Never leaves more than
    /// [`REPLY_PAYLOAD_MAX`] bytes and a header in the input.
    ///
    /// # Errors
    /// [`NegotiationFailure`]; then the handshake is over.
    pub fn step(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Result<NegotiationStep, NegotiationFailure> {
        loop {
            let taken = match self.state {
                NegotiationState::Greeting => self.greeting(input, output)?,
                NegotiationState::Asked(option) => self.reply(option, input, output)?,
                NegotiationState::Over => return Ok(NegotiationStep::Agreed(self.terms)),
            };
            let Some(taken) = taken else { return Ok(NegotiationStep::NeedInput) };
            *input = &input[taken..];
        }
    }

    fn greeting(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<Option<usize>, NegotiationFailure> {
        let Some(bytes) = input.first_chunk::<GREETING_BYTES>() else { return Ok(None) };
        let flags = decode_greeting(bytes).filter(|flags| flags & FLAG_FIXED_NEWSTYLE != 0);
        let flags = flags.ok_or(violation("it does not greet as a fixed newstyle NBD server"))?;
        // Without FLAG_NO_ZEROES nothing changes: only the old way to choose an export pads.
        let ours = FLAG_FIXED_NEWSTYLE | (flags & FLAG_NO_ZEROES);
        output.extend(u32::from(ours).to_be_bytes());
        self.ask(STRUCTURED_REPLY, &[], output);
        Ok(Some(GREETING_BYTES))
    }

    fn ask(&mut self, option: u32, payload: &[u8], output: &mut Vec<u8>) {
        output.extend(encode_option(option, payload));
        self.state = NegotiationState::Asked(option);
        self.replies_seen = 0;
    }

    fn ask_for_contexts(&mut self, output: &mut Vec<u8>) {
        let export = self.export.clone();
        let request = ContextRequest { name: &export, queries: vec![ALLOCATION_CONTEXT] };
        self.ask(SET_META_CONTEXT, &request.encode(), output);
    }

    fn ask_for_export(&mut self, output: &mut Vec<u8>) {
        let export = self.export.clone();
        let request = InfoRequest { name: &export, kinds: vec![INFO_BLOCK_SIZE] };
        self.ask(GO, &request.encode(), output);
    }

    /// Handles one reply to `option`. Returns none if it is not complete yet.
    fn reply(
        &mut self,
        option: u32,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Option<usize>, NegotiationFailure> {
        let Some((head, rest)) = input.split_first_chunk::<OPTION_REPLY_BYTES>() else { return Ok(None) };
        let Some((_, kind, length)) = decode_option_reply(head).filter(|reply| reply.0 == option) else {
            return Err(violation("it sent something else than a reply to an option"));
        };
        let length = length as usize;
        if length > REPLY_PAYLOAD_MAX {
            return Err(violation(format!(
                "it sent a reply of {length} bytes to an option, which has at most {REPLY_PAYLOAD_MAX}"
            )));
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        self.replies_seen += 1;
        if self.replies_seen > REPLIES_MAX {
            return Err(violation(format!("it sent more than {REPLIES_MAX} replies to an option")));
        }
        match option {
            STRUCTURED_REPLY => self.structured_reply(kind, output),
            SET_META_CONTEXT => self.context_reply(kind, payload, output)?,
            _ => self.export_reply(kind, payload)?,
        }
        Ok(Some(OPTION_REPLY_BYTES + length))
    }

    fn structured_reply(&mut self, kind: OptionReply, output: &mut Vec<u8>) {
        if kind == OptionReply::Ack {
            self.terms.replies = Replies::Structured;
            self.ask_for_contexts(output);
        } else {
            self.ask_for_export(output);
        }
    }

    fn context_reply(
        &mut self,
        kind: OptionReply,
        payload: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), NegotiationFailure> {
        match kind {
            OptionReply::MetaContext => {
                let context = decode_context(payload).filter(|context| context.1 == ALLOCATION_CONTEXT);
                let (number, _) = context.ok_or(violation("it chose a context that was not requested"))?;
                self.terms.allocation = Some(number);
            }
            OptionReply::Ack => self.ask_for_export(output),
            kind if kind.is_error() => {
                self.terms.allocation = None;
                self.ask_for_export(output);
            }
            _ => return Err(violation("it answered a question for contexts with something else")),
        }
        Ok(())
    }

    fn export_reply(&mut self, kind: OptionReply, payload: &[u8]) -> Result<(), NegotiationFailure> {
        let facts = &mut self.terms.facts;
        match kind {
            OptionReply::Info => match Info::decode(payload) {
                Some(Info::Export { size, flags }) => (facts.size, facts.flags) = (size, flags),
                Some(Info::BlockSize { min, preferred, max }) => {
                    (facts.block_min, facts.block_preferred, facts.payload_max) = (min, preferred, max);
                }
                // Others are for people, or from the future.
                _ => {}
            },
            OptionReply::Ack if facts.flags == 0 => {
                return Err(violation("it did not report the size of the export"));
            }
            OptionReply::Ack => self.state = NegotiationState::Over,
            kind if kind.is_error() => {
                let text = String::from_utf8_lossy(payload).trim().to_owned();
                return Err(NegotiationFailure::Refused(kind, text));
            }
            _ => return Err(violation("it answered the choice of an export with something else")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::option::{encode_option_reply, greeting};
    use super::super::wire::export_flags::{HAS_FLAGS, SEND_FLUSH};
    use super::*;

    const FACTS: ExportFacts = ExportFacts {
        size: 1 << 30,
        flags: HAS_FLAGS | SEND_FLUSH,
        block_min: 4096,
        block_preferred: 65536,
        payload_max: 1 << 20,
    };

    fn reply(option: u32, kind: OptionReply, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode_option_reply(&mut bytes, option, kind, payload);
        bytes
    }

    fn context(number: u32, name: &str) -> Vec<u8> {
        let payload = [&number.to_be_bytes(), name.as_bytes()].concat();
        reply(SET_META_CONTEXT, OptionReply::MetaContext, &payload)
    }

    fn go() -> Vec<u8> {
        let ExportFacts { size, flags, block_min: min, block_preferred: preferred, payload_max: max } = FACTS;
        [
            reply(GO, OptionReply::Info, &Info::Export { size, flags }.encode()),
            reply(GO, OptionReply::Info, &Info::BlockSize { min, preferred, max }.encode()),
            reply(GO, OptionReply::Info, &Info::Description("from the future").encode()),
            reply(GO, OptionReply::Ack, &[]),
        ]
        .concat()
    }

    /// Returns the outcome for a server's bytes, however they are cut, and how many of them are left.
    fn outcome(server: &[u8]) -> (Result<NegotiationStep, NegotiationFailure>, usize) {
        let whole = outcome_in_pieces(server, server.len());
        assert_eq!(whole, outcome_in_pieces(server, 1));
        whole
    }

    fn outcome_in_pieces(server: &[u8], cut: usize) -> (Result<NegotiationStep, NegotiationFailure>, usize) {
        let (mut negotiation, mut output) = (Negotiation::new("disk"), Vec::new());
        let (mut consumed, mut known) = (0, cut);
        loop {
            let mut input = &server[consumed..known];
            let step = negotiation.step(&mut input, &mut output);
            consumed = known - input.len();
            if step != Ok(NegotiationStep::NeedInput) || known == server.len() {
                return (step, server.len() - consumed);
            }
            known += cut;
        }
    }

    #[test]
    fn a_modern_server_tells_everything() {
        let server = [
            greeting().to_vec(),
            reply(STRUCTURED_REPLY, OptionReply::Ack, &[]),
            context(77, ALLOCATION_CONTEXT),
            reply(SET_META_CONTEXT, OptionReply::Ack, &[]),
            go(),
        ]
        .concat();
        let terms = Terms { facts: FACTS, replies: Replies::Structured, allocation: Some(77) };
        assert_eq!(outcome(&server), (Ok(NegotiationStep::Agreed(terms)), 0));
        let more = [server, vec![1, 2, 3]].concat();
        assert_eq!(outcome_in_pieces(&more, more.len()), (Ok(NegotiationStep::Agreed(terms)), 3));
    }

    #[test]
    fn a_plain_server_is_enough() {
        let server = [
            greeting().to_vec(),
            reply(STRUCTURED_REPLY, OptionReply::Unsupported, b"no"),
            reply(GO, OptionReply::Info, &Info::Export { size: 512, flags: 1 }.encode()),
            reply(GO, OptionReply::Ack, &[]),
        ]
        .concat();
        let facts = ExportFacts { size: 512, flags: 1, ..ExportFacts::UNTOLD };
        let terms = Terms { facts, replies: Replies::Simple, allocation: None };
        assert_eq!(outcome(&server), (Ok(NegotiationStep::Agreed(terms)), 0));
    }

    #[test]
    fn a_refusal_comes_with_its_words() {
        let start = [greeting().to_vec(), reply(STRUCTURED_REPLY, OptionReply::Unsupported, &[])].concat();
        for kind in [OptionReply::Unknown, OptionReply::TlsRequired] {
            let server = [start.clone(), reply(GO, kind, b"Not this one\n")].concat();
            assert_eq!(outcome(&server).0, Err(NegotiationFailure::Refused(kind, "Not this one".to_owned())));
        }
    }

    #[test]
    fn a_reply_that_claims_gigabytes_is_refused_by_its_head_with_limit_and_value() {
        let mut claims = reply(STRUCTURED_REPLY, OptionReply::Ack, &[]);
        claims[16..].copy_from_slice(&u32::MAX.to_be_bytes());
        let (outcome, _) = outcome(&[greeting().to_vec(), claims].concat());
        let Err(NegotiationFailure::Violation(what)) = outcome else { panic!("{outcome:?}") };
        assert!(what.contains("4294967295 bytes") && what.contains("at most 16384"), "{what}");
    }

    #[test]
    fn a_server_that_makes_no_sense_is_left() {
        let start = greeting().to_vec();
        let structured = [start.clone(), reply(STRUCTURED_REPLY, OptionReply::Ack, &[])].concat();
        let long = reply(STRUCTURED_REPLY, OptionReply::Ack, &vec![0; REPLY_PAYLOAD_MAX + 1]);
        for server in [
            b"SSH-2.0-OpenSSH_9.2p1 Debian".to_vec(),
            [&start[..16], &[0, 0]].concat(),
            [start.clone(), vec![0; 20]].concat(),
            [start.clone(), go()].concat(),
            [start.clone(), long].concat(),
            [structured.clone(), context(1, "x:y")].concat(),
            [structured.clone(), reply(SET_META_CONTEXT, OptionReply::Server, &[])].concat(),
            [structured.clone(), context(1, ALLOCATION_CONTEXT).repeat(65)].concat(),
            [start, reply(STRUCTURED_REPLY, OptionReply::Unsupported, &[]), reply(GO, OptionReply::Ack, &[])]
                .concat(),
        ] {
            assert!(matches!(outcome(&server).0, Err(NegotiationFailure::Violation(_))), "{server:?}");
        }
    }
}
