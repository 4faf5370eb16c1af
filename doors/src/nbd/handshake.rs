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

use super::option::{
    ABORT, ALLOCATION_CONTEXT, CLIENT_FLAGS_BYTES, ContextRequest, EXPORT_NAME, EXPORT_PADDING_BYTES,
    ExportFacts, FLAG_FIXED_NEWSTYLE, FLAG_NO_ZEROES, GO, INFO, INFO_DESCRIPTION, INFO_NAME, Info,
    InfoRequest, LIST, LIST_META_CONTEXT, OPTION_BYTES, OptionReply, Replies, SET_META_CONTEXT,
    STRUCTURED_REPLY, decode_option, encode_option_reply, string,
};

/// The longest option that is looked at; longer ones are skipped and refused.
pub const OPTION_PAYLOAD_MAX: usize = 64 << 10;
/// The longest name of an export, as the specification has it.
pub const NAME_MAX: usize = 4096;
/// The number under which `base:allocation` is served.
pub const ALLOCATION_CONTEXT_ID: u32 = 1;

/// Where the handshake looks names up.
pub trait Catalog {
    /// What the export called `name` is like; the empty name is the default export, if there is one.
    ///
    /// # Errors
    /// Why a client cannot have it.
    fn find(&self, name: &str) -> Result<Entry, Refusal>;

    /// The names of all exports.
    fn names(&self) -> Vec<String>;
}

/// An export that a client may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name proper, also if the client asked for the default.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// What it is like.
    pub facts: ExportFacts,
}

/// Why a client cannot have an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is none of this name.
    Unknown,
    /// It has as many connections as it may.
    Full,
    /// It is about to go.
    Draining,
}

/// What client and server agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Of the export, as the catalog has it.
    pub name: String,
    /// Form of the replies.
    pub replies: Replies,
    /// True if `base:allocation` was chosen for this export.
    pub block_status: bool,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// All input is used up; more is needed.
    NeedInput,
    /// An option was answered: send the output, then go on with what is left of the input.
    Answered,
    /// Send the output; what is left of the input belongs to the transmission phase.
    Serve(Agreement),
    /// Send the output, then close: the client said goodbye.
    Leave,
    /// Close: the client broke the protocol, for this reason.
    Violation(&'static str),
}

/// The state of one handshake, after [`super::option::greeting`] was sent.
#[derive(Debug)]
pub struct Handshake {
    state: State,
    /// Bytes of the current state that have come so far.
    gathered: Vec<u8>,
    padding: Padding,
    replies: Replies,
    /// The export for which the allocation context was chosen last.
    allocation_of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    ClientFlags,
    Head,
    Payload { option: u32, length: usize },
    Skipping { option: u32, left: u64 },
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
    /// A handshake whose greeting was just sent.
    pub fn new() -> Self {
        Self {
            state: State::ClientFlags,
            gathered: Vec::new(),
            padding: Padding::Zeroes,
            replies: Replies::Simple,
            allocation_of: None,
        }
    }

    /// Takes bytes off the front of `input` until an option is complete, and appends what is to be sent to `output`.
    ///
    /// Call again with what is left of the input until it says `NeedInput` or the handshake is over.
    pub fn step(&mut self, input: &mut &[u8], catalog: &impl Catalog, output: &mut Vec<u8>) -> Step {
        loop {
            let step = match self.state {
                State::ClientFlags => self.gather(input, CLIENT_FLAGS_BYTES).then(|| self.client_flags()),
                State::Head => self.gather(input, OPTION_BYTES).then(|| self.head()),
                State::Payload { option, length } => {
                    self.gather(input, length).then(|| Some(self.payload(option, catalog, output)))
                }
                State::Skipping { option, left } => {
                    self.skip(input, option, left, output).then_some(Some(Step::Answered))
                }
            };
            match step {
                None => return Step::NeedInput,
                // The state changed without an answer; go on with the rest of the input.
                Some(None) => {}
                Some(Some(step)) => return step,
            }
        }
    }

    /// True once `gathered` holds `count` bytes.
    fn gather(&mut self, input: &mut &[u8], count: usize) -> bool {
        let taken = (count - self.gathered.len()).min(input.len());
        let (now, rest) = input.split_at(taken);
        self.gathered.extend_from_slice(now);
        *input = rest;
        self.gathered.len() == count
    }

    fn client_flags(&mut self) -> Option<Step> {
        let flags = self.gathered.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
        self.enter(State::Head);
        if flags & !u32::from(FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES) != 0 {
            return Some(Step::Violation("Client sent handshake flags that were not offered"));
        }
        if flags & u32::from(FLAG_NO_ZEROES) != 0 {
            self.padding = Padding::Nothing;
        }
        None
    }

    fn head(&mut self) -> Option<Step> {
        let Some((option, length)) = self.gathered.first_chunk().and_then(decode_option) else {
            return Some(Step::Violation("Client sent an option without its magic"));
        };
        let length_usize = length as usize;
        if option == EXPORT_NAME && length_usize > NAME_MAX {
            return Some(Step::Violation("Client sent an export name of more than 4096 bytes"));
        }
        if length_usize > OPTION_PAYLOAD_MAX {
            self.enter(State::Skipping { option, left: length.into() });
        } else {
            self.enter(State::Payload { option, length: length_usize });
        }
        None
    }

    /// True once the payload has gone by; then the option is refused.
    fn skip(&mut self, input: &mut &[u8], option: u32, left: u64, output: &mut Vec<u8>) -> bool {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
        *input = &input[taken..];
        let left = left - taken as u64;
        if left > 0 {
            self.enter(State::Skipping { option, left });
            return false;
        }
        self.enter(State::Head);
        refuse(output, option, OptionReply::TooBig, "Options have at most 65536 bytes");
        true
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.gathered.clear();
    }

    fn payload(&mut self, option: u32, catalog: &impl Catalog, output: &mut Vec<u8>) -> Step {
        let payload = std::mem::take(&mut self.gathered);
        self.enter(State::Head);
        match option {
            EXPORT_NAME => return self.export_name(&payload, catalog, output),
            ABORT => {
                encode_option_reply(output, option, OptionReply::Ack, &[]);
                return Step::Leave;
            }
            LIST => list(&payload, catalog, output),
            INFO | GO => {
                if let Some(agreement) = self.info(option, &payload, catalog, output)
                    && option == GO
                {
                    return Step::Serve(agreement);
                }
            }
            STRUCTURED_REPLY if payload.is_empty() => {
                self.replies = Replies::Structured;
                encode_option_reply(output, option, OptionReply::Ack, &[]);
            }
            STRUCTURED_REPLY => refuse(output, option, OptionReply::Invalid, "This option has no payload"),
            LIST_META_CONTEXT | SET_META_CONTEXT => self.contexts(option, &payload, catalog, output),
            // STARTTLS is among them: there is no encryption.
            _ => refuse(output, option, OptionReply::Unsupported, "This option is not supported"),
        }
        Step::Answered
    }

    /// The old way to choose an export: no reply can say no, so a refusal is a closed connection.
    fn export_name(&self, payload: &[u8], catalog: &impl Catalog, output: &mut Vec<u8>) -> Step {
        let entry = std::str::from_utf8(payload).ok().and_then(|name| catalog.find(name).ok());
        let Some(entry) = entry else {
            return Step::Violation("Client chose an export that it cannot have by EXPORT_NAME");
        };
        output.extend(entry.facts.size.to_be_bytes());
        output.extend(entry.facts.flags_for(self.replies).to_be_bytes());
        if self.padding == Padding::Zeroes {
            output.extend([0; EXPORT_PADDING_BYTES]);
        }
        Step::Serve(self.agreement(entry.name))
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
        // Told also to clients that did not ask: the limits hold for them as well.
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
        Some(self.agreement(entry.name))
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

    fn agreement(&self, name: String) -> Agreement {
        let block_status = self.allocation_of.as_ref() == Some(&name);
        Agreement { name, replies: self.replies, block_status }
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

fn refuse(output: &mut Vec<u8>, option: u32, kind: OptionReply, message: &str) {
    encode_option_reply(output, option, kind, message.as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::option::{OPTION_REPLY_BYTES, STARTTLS, decode_option_reply, encode_option};
    use super::super::wire::export_flags;
    use super::*;

    struct Two;

    impl Catalog for Two {
        fn find(&self, name: &str) -> Result<Entry, Refusal> {
            let name = match name {
                "" | "one" => "one",
                "full" => return Err(Refusal::Full),
                "leaving" => return Err(Refusal::Draining),
                _ => return Err(Refusal::Unknown),
            };
            let facts = ExportFacts {
                size: 1 << 30,
                flags: export_flags::HAS_FLAGS,
                block_min: 512,
                block_preferred: 4096,
                payload_max: 32 << 20,
            };
            Ok(Entry { name: name.to_owned(), description: "a disk".to_owned(), facts })
        }

        fn names(&self) -> Vec<String> {
            vec!["one".to_owned(), "two".to_owned()]
        }
    }

    const MODERN: [u8; 4] = [0, 0, 0, 3];

    /// Runs a whole script; returns all steps but `NeedInput`, all output, and the input that is left.
    fn run(script: &[u8]) -> (Vec<Step>, Vec<u8>, usize) {
        let (mut handshake, mut input) = (Handshake::new(), script);
        let (mut steps, mut output) = (Vec::new(), Vec::new());
        loop {
            match handshake.step(&mut input, &Two, &mut output) {
                Step::NeedInput => return (steps, output, input.len()),
                Step::Answered => steps.push(Step::Answered),
                last => {
                    steps.push(last);
                    return (steps, output, input.len());
                }
            }
        }
    }

    fn script(options: &[(u32, Vec<u8>)]) -> Vec<u8> {
        let options = options.iter().flat_map(|(option, payload)| encode_option(*option, payload));
        MODERN.into_iter().chain(options).collect()
    }

    /// Option, kind and payload of all replies in `output`.
    fn replies(mut output: &[u8]) -> Vec<(u32, OptionReply, Vec<u8>)> {
        let mut all = Vec::new();
        while let Some((head, rest)) = output.split_first_chunk::<OPTION_REPLY_BYTES>() {
            let (option, kind, length) = decode_option_reply(head).expect("the server sends replies");
            let (payload, rest) = rest.split_at(length as usize);
            all.push((option, kind, payload.to_vec()));
            output = rest;
        }
        assert!(output.is_empty());
        all
    }

    fn kinds(output: &[u8]) -> Vec<(u32, OptionReply)> {
        replies(output).into_iter().map(|(option, kind, _)| (option, kind)).collect()
    }

    fn info(name: &str) -> Vec<u8> {
        InfoRequest { name, kinds: vec![INFO_NAME, INFO_DESCRIPTION, 99] }.encode()
    }

    fn contexts(name: &str, queries: &[&str]) -> Vec<u8> {
        ContextRequest { name, queries: queries.to_vec() }.encode()
    }

    #[test]
    fn a_modern_client_gets_structured_replies_block_status_and_all_information() {
        let (steps, output, left) = run(&script(&[
            (STRUCTURED_REPLY, vec![]),
            (SET_META_CONTEXT, contexts("", &["base:allocation", "qemu:dirty"])),
            (GO, info("one")),
            (LIST, vec![]),
        ]));
        let agreement =
            Agreement { name: "one".to_owned(), replies: Replies::Structured, block_status: true };
        assert_eq!(steps, [Step::Answered, Step::Answered, Step::Serve(agreement)]);
        assert_eq!(left, OPTION_BYTES, "what follows GO is not for the handshake");
        let replies = replies(&output);
        let information: Vec<_> =
            replies.iter().filter(|reply| reply.1 == OptionReply::Info).map(|reply| &reply.2).collect();
        assert_eq!(
            information.into_iter().map(|bytes| Info::decode(bytes)).collect::<Vec<_>>(),
            [
                Some(Info::Export { size: 1 << 30, flags: export_flags::HAS_FLAGS | export_flags::SEND_DF }),
                Some(Info::BlockSize { min: 512, preferred: 4096, max: 32 << 20 }),
                Some(Info::Name("one")),
                Some(Info::Description("a disk")),
            ]
        );
    }

    #[test]
    fn an_old_client_gets_size_flags_and_padding_unless_it_waives_it() {
        let (steps, output, _) = run(&script(&[(EXPORT_NAME, b"one".to_vec())]));
        assert!(matches!(&steps[..], [Step::Serve(agreement)] if agreement.replies == Replies::Simple));
        assert_eq!(output.len(), 10);
        let old = [vec![0; 4], encode_option(EXPORT_NAME, b"one")].concat();
        assert_eq!(run(&old).1.len(), 10 + EXPORT_PADDING_BYTES);
        let (steps, output, _) = run(&script(&[(EXPORT_NAME, b"three".to_vec())]));
        assert!(matches!(steps[..], [Step::Violation(_)]) && output.is_empty());
    }

    #[test]
    fn refusals_name_their_reason_and_the_client_may_try_again() {
        let (_, output, _) = run(&script(&[
            (GO, info("three")),
            (GO, info("full")),
            (INFO, info("leaving")),
            (GO, vec![0; 5]),
            (STARTTLS, vec![]),
            (4711, vec![1; 100]),
            (LIST, vec![1]),
            (STRUCTURED_REPLY, vec![1]),
            (LIST_META_CONTEXT, contexts("one", &[])),
            (ABORT, vec![]),
        ]));
        assert_eq!(
            kinds(&output),
            [
                (GO, OptionReply::Unknown),
                (GO, OptionReply::Policy),
                (INFO, OptionReply::Shutdown),
                (GO, OptionReply::Invalid),
                (STARTTLS, OptionReply::Unsupported),
                (4711, OptionReply::Unsupported),
                (LIST, OptionReply::Invalid),
                (STRUCTURED_REPLY, OptionReply::Invalid),
                (LIST_META_CONTEXT, OptionReply::Invalid),
                (ABORT, OptionReply::Ack),
            ]
        );
    }

    #[test]
    fn names_are_listed() {
        let (_, output, _) = run(&script(&[(LIST, vec![])]));
        let names: Vec<_> = replies(&output).into_iter().map(|reply| reply.2).collect();
        assert_eq!(names, [string("one"), string("two"), vec![]]);
    }

    #[test]
    fn contexts_are_listed_and_chosen_by_the_rules_of_their_namespace() {
        let structured = (STRUCTURED_REPLY, vec![]);
        for (option, queries, found) in [
            (LIST_META_CONTEXT, &[][..], true),
            (LIST_META_CONTEXT, &["base:"], true),
            (LIST_META_CONTEXT, &["x:y"], false),
            (SET_META_CONTEXT, &[], false),
            (SET_META_CONTEXT, &["base:"], false),
            (SET_META_CONTEXT, &["x:y", "base:allocation"], true),
        ] {
            let (_, output, _) = run(&script(&[structured.clone(), (option, contexts("one", queries))]));
            let told = kinds(&output).contains(&(option, OptionReply::MetaContext));
            assert_eq!(told, found, "option {option} with {queries:?}");
        }
    }

    #[test]
    fn a_later_choice_of_contexts_replaces_the_earlier_one_even_if_it_fails() {
        for second in [contexts("three", &["base:allocation"]), contexts("one", &[]), vec![9]] {
            let (steps, _, _) = run(&script(&[
                (STRUCTURED_REPLY, vec![]),
                (SET_META_CONTEXT, contexts("one", &["base:allocation"])),
                (SET_META_CONTEXT, second),
                (GO, info("one")),
            ]));
            let Some(Step::Serve(agreement)) = steps.last() else { panic!("GO succeeds: {steps:?}") };
            assert!(!agreement.block_status);
        }
    }

    #[test]
    fn options_that_are_too_long_are_skipped_without_being_kept() {
        let long = vec![7; OPTION_PAYLOAD_MAX + 1];
        let mut handshake = Handshake::new();
        let mut output = Vec::new();
        let all = script(&[(GO, long), (LIST, vec![])]);
        for piece in all.chunks(1000) {
            let mut input = piece;
            while handshake.step(&mut input, &Two, &mut output) != Step::NeedInput {}
            assert!(handshake.gathered.capacity() <= OPTION_BYTES);
        }
        assert_eq!(kinds(&output)[0], (GO, OptionReply::TooBig));
        assert_eq!(kinds(&output)[3], (LIST, OptionReply::Ack));
        let (steps, ..) = run(&script(&[(EXPORT_NAME, vec![b'x'; NAME_MAX + 1])]));
        assert!(matches!(steps[..], [Step::Violation(_)]));
    }

    #[test]
    fn garbage_is_a_violation() {
        for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0, 0, 0, 4], &[[0; 4], [1; 4]].concat().repeat(9)] {
            assert!(matches!(run(garbage).0[..], [Step::Violation(_)]), "{garbage:?}");
        }
    }

    proptest! {
        #[test]
        fn how_the_bytes_are_cut_makes_no_difference(
            options in prop::collection::vec((0u32..12, prop::collection::vec(any::<u8>(), 0..40)), 0..6),
            cut in 1usize..50,
        ) {
            let all = script(&options);
            let (steps, whole, left) = run(&all);
            let (mut handshake, mut output, mut pieces) = (Handshake::new(), Vec::new(), Vec::new());
            let used = &all[..all.len() - left];
            for mut piece in used.chunks(cut) {
                loop {
                    match handshake.step(&mut piece, &Two, &mut output) {
                        Step::NeedInput => break,
                        step => pieces.push(step),
                    }
                    if !matches!(pieces.last(), Some(Step::Answered)) {
                        break;
                    }
                }
            }
            prop_assert_eq!(steps, pieces);
            prop_assert_eq!(whole, output);
        }
    }
}
