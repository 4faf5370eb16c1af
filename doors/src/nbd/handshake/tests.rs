//! Scripts of clients, and what the handshake makes of them.

use proptest::prelude::*;

use super::super::option::{OPTION_REPLY_BYTES, decode_option_reply, encode_option};
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
fn run(script: &[u8]) -> (Vec<HandshakeStep>, Vec<u8>, usize) {
    run_with(&mut Handshake::new(), script)
}

fn run_with(handshake: &mut Handshake, script: &[u8]) -> (Vec<HandshakeStep>, Vec<u8>, usize) {
    let mut input = script;
    let (mut steps, mut output) = (Vec::new(), Vec::new());
    loop {
        match handshake.step(&mut input, &Two, &mut output) {
            HandshakeStep::NeedInput => return (steps, output, input.len()),
            HandshakeStep::Answered => steps.push(HandshakeStep::Answered),
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
    let Entry { name, facts, .. } = Two.find("one").expect("it is there");
    let agreement = Agreement { name, facts, replies: Replies::Structured, block_status: true };
    assert_eq!(steps, [HandshakeStep::Answered, HandshakeStep::Answered, HandshakeStep::Serve(agreement)]);
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
    assert!(matches!(&steps[..], [HandshakeStep::Serve(agreement)] if agreement.replies == Replies::Simple));
    assert_eq!(output.len(), 10);
    let old = [vec![0; 4], encode_option(EXPORT_NAME, b"one")].concat();
    assert_eq!(run(&old).1.len(), 10 + EXPORT_PADDING_BYTES);
    let (steps, output, _) = run(&script(&[(EXPORT_NAME, b"three".to_vec())]));
    assert!(matches!(steps[..], [HandshakeStep::Violation(_)]) && output.is_empty());
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
        let Some(HandshakeStep::Serve(agreement)) = steps.last() else { panic!("GO succeeds: {steps:?}") };
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
        while handshake.step(&mut input, &Two, &mut output) != HandshakeStep::NeedInput {}
        assert!(handshake.gathered.capacity() <= OPTION_BYTES);
    }
    assert_eq!(kinds(&output)[0], (GO, OptionReply::TooBig));
    let words = String::from_utf8_lossy(&output);
    assert!(words.contains("and options have at most 65536"), "{words}");
    assert_eq!(kinds(&output)[3], (LIST, OptionReply::Ack));
    let (steps, ..) = run(&script(&[(EXPORT_NAME, vec![b'x'; NAME_MAX + 1])]));
    assert!(matches!(steps[..], [HandshakeStep::Violation(_)]));
}

#[test]
fn garbage_is_a_violation() {
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0, 0, 0, 4], &[[0; 4], [1; 4]].concat().repeat(9)] {
        assert!(matches!(run(garbage).0[..], [HandshakeStep::Violation(_)]), "{garbage:?}");
    }
}

#[test]
fn nothing_is_to_be_had_before_the_encryption_that_is_demanded() {
    let all = script(&[
        (LIST, vec![]),
        (INFO, info("one")),
        (GO, info("one")),
        (STRUCTURED_REPLY, vec![]),
        (SET_META_CONTEXT, contexts("one", &["base:allocation"])),
        (4711, vec![1; 9]),
        (GO, vec![7; OPTION_PAYLOAD_MAX + 1]),
        (STARTTLS, vec![7; OPTION_PAYLOAD_MAX + 1]),
        (STARTTLS, vec![1]),
        (ABORT, vec![]),
    ]);
    let (steps, output, _) = run_with(&mut Handshake::demanding_encryption(), &all);
    let mut expected = [LIST, INFO, GO, STRUCTURED_REPLY, SET_META_CONTEXT, 4711, GO]
        .map(|option| (option, OptionReply::TlsRequired))
        .to_vec();
    expected.extend([
        (STARTTLS, OptionReply::TooBig),
        (STARTTLS, OptionReply::Invalid),
        (ABORT, OptionReply::Ack),
    ]);
    assert_eq!(kinds(&output), expected);
    assert_eq!(steps.last(), Some(&HandshakeStep::Leave));
    let old = script(&[(EXPORT_NAME, b"one".to_vec())]);
    let (steps, output, _) = run_with(&mut Handshake::demanding_encryption(), &old);
    assert!(matches!(steps[..], [HandshakeStep::Violation(_)]) && output.is_empty());
}

#[test]
fn after_encryption_has_begun_the_client_gets_everything_and_cannot_begin_again() {
    let mut handshake = Handshake::demanding_encryption();
    let (steps, output, _) = run_with(&mut handshake, &script(&[(STARTTLS, vec![])]));
    assert_eq!((steps, kinds(&output)), (vec![HandshakeStep::Encrypt], vec![(STARTTLS, OptionReply::Ack)]));
    // Flags were sent before, and are not sent again.
    let inside = script(&[(STARTTLS, vec![]), (STRUCTURED_REPLY, vec![]), (GO, info("one"))]);
    let (steps, output, _) = run_with(&mut handshake, &inside[MODERN.len()..]);
    assert_eq!(kinds(&output)[0], (STARTTLS, OptionReply::Invalid));
    assert!(
        matches!(steps.last(), Some(HandshakeStep::Serve(agreement)) if agreement.replies == Replies::Structured),
        "{steps:?}"
    );
}

#[test]
fn what_is_put_behind_the_wish_to_encrypt_is_never_taken_for_what_comes_through_it() {
    let injected = script(&[(STARTTLS, vec![]), (STRUCTURED_REPLY, vec![])]);
    for more in 1..=OPTION_BYTES {
        let sent = &injected[..MODERN.len() + OPTION_BYTES + more];
        let (steps, output, _) = run_with(&mut Handshake::demanding_encryption(), sent);
        assert!(
            matches!(steps[..], [HandshakeStep::Violation(_)]) && output.is_empty(),
            "{more} bytes: {steps:?}"
        );
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
                    HandshakeStep::NeedInput => break,
                    step => pieces.push(step),
                }
                if !matches!(pieces.last(), Some(HandshakeStep::Answered)) {
                    break;
                }
            }
        }
        prop_assert_eq!(steps, pieces);
        prop_assert_eq!(whole, output);
    }
}
