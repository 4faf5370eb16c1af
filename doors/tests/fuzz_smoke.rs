//! A little of the fuzzing in every build: the checks of the fuzz targets on seeded random input.

use doors::nbd::option::{
    ContextRequest, GO, Info, InfoRequest, OptionReply, SET_META_CONTEXT, STARTTLS, STRUCTURED_REPLY,
    encode_option, encode_option_reply, greeting,
};
use doors::nbd::reply::{Payload, simple_reply};
use doors::nbd::wire::{Command, ReplyError, Request};

#[path = "../../fuzz/checks.rs"]
mod checks;
mod random;

use random::Random;

const ROUNDS: u64 = 5000;

impl Random {
    /// Changes, cuts off or repeats a few bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(3) {
                0 => bytes[at] = self.next() as u8,
                1 => bytes.truncate(at),
                _ => bytes.extend_from_within(at..),
            }
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(200)).map(|_| self.next() as u8).collect()
    }
}

/// Returns a handshake that a client could mean, before it is damaged.
fn some_handshake(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, random.below(4) as u8];
    if random.below(3) == 0 {
        bytes.extend(encode_option(STARTTLS, &[]));
    }
    for _ in 0..random.below(6) {
        let name = ["", "disk", "full", "none"][random.below(4)];
        let payload = match random.below(4) {
            0 => InfoRequest { name, kinds: vec![0, 1, 2, 3] }.encode(),
            1 => ContextRequest { name, queries: vec!["base:allocation", "base:"] }.encode(),
            2 => Vec::new(),
            _ => random.bytes(),
        };
        bytes.extend(encode_option(random.below(12) as u32, &payload));
    }
    bytes
}

/// Returns a request, reply or payload that a peer could mean, before it is damaged.
fn some_message(random: &mut Random) -> Vec<u8> {
    let (cookie, offset, length) = (random.next(), random.next(), random.next() as u32);
    let data = random.bytes();
    match random.below(7) {
        0 => Request { flags: 0, command: Command::from_number(length as u16 % 9), cookie, offset, length }
            .encode()
            .to_vec(),
        1 => Payload::Data { offset, data: &data }.encode_last(cookie),
        2 => Payload::Status { context: 1, extents: vec![(length, 3), (512, 0)] }.encode_last(cookie)[6..]
            .to_vec(),
        3 => {
            Payload::Error { error: ReplyError::Io, message: "no", offset: Some(offset) }.encode_last(cookie)
        }
        4 => InfoRequest { name: "disk", kinds: vec![3] }.encode(),
        5 => ContextRequest { name: "disk", queries: vec!["base:allocation"] }.encode(),
        _ => data,
    }
}

/// Returns the bytes that a server could send to a client that reads, writes and asks for extents, before they are
/// damaged.
fn some_server(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    if random.below(2) == 0 {
        let mut reply = |option, kind, payload: &[u8]| encode_option_reply(&mut bytes, option, kind, payload);
        reply(STRUCTURED_REPLY, OptionReply::Ack, &[]);
        reply(SET_META_CONTEXT, OptionReply::MetaContext, b"\0\0\0\x01base:allocation");
        reply(SET_META_CONTEXT, OptionReply::Ack, &[]);
        reply(GO, OptionReply::Info, &Info::Export { size: 1 << 20, flags: 1 }.encode());
        reply(GO, OptionReply::Ack, &[]);
        bytes = [greeting().to_vec(), bytes].concat();
    }
    for _ in 0..random.below(6) {
        let cookie = random.below(4) as u64;
        let offset = [4096, 4608, 0][random.below(3)];
        bytes.extend(match random.below(6) {
            0 => simple_reply(None, cookie).to_vec(),
            1 => Payload::Data { offset, data: &[1; 512] }.encode_last(cookie),
            2 => Payload::Hole { offset, length: 512 }.encode_last(cookie),
            3 => Payload::Status { context: 1, extents: vec![(512, 0), (512, 3)] }.encode_last(cookie),
            4 => Payload::Error { error: ReplyError::Io, message: "no", offset: None }.encode_last(cookie),
            _ => Payload::None.encode_last(cookie),
        });
        if random.below(2) == 0
            && let Some(flags) = bytes.len().checked_sub(20 + 8 + 512)
        {
            // Perhaps not the last chunk of its reply.
            bytes[flags + 5] = 0;
        }
    }
    bytes
}

#[test]
fn no_server_breaks_the_client() {
    for seed in 1..=ROUNDS {
        let mut random = Random::of(seed);
        let mut bytes = some_server(&mut random);
        random.damage(&mut bytes);
        checks::client(&bytes);
    }
}

#[test]
fn no_handshake_breaks_the_server() {
    let mut ended = checks::Ended::default();
    for seed in 1..=ROUNDS {
        let mut random = Random::of(seed);
        let mut bytes = some_handshake(&mut random);
        random.damage(&mut bytes);
        let checks::Ended { served, encrypted, served_encrypted } = checks::handshake(&bytes);
        ended.served += served;
        ended.encrypted += encrypted;
        ended.served_encrypted += served_encrypted;
    }
    assert!(ended.served > 0 && ended.encrypted > 0 && ended.served_encrypted > 0, "{ended:?}");
}

#[test]
fn no_message_breaks_a_decoder() {
    for seed in 1..=ROUNDS {
        let mut random = Random::of(seed);
        let mut bytes = some_message(&mut random);
        random.damage(&mut bytes);
        checks::wire(&bytes);
    }
}
