//! Requests of a virtio block device, valid and invalid.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use block::{Geometry, Memory as Disk};
use proptest::prelude::*;

use super::*;
use crate::vhost::limits::BUDGET_BYTES;
use crate::vhost::memory::tests::memory_of;

const TERMS: ExecutionTerms =
    ExecutionTerms { write_through: false, identity: *b"disk\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" };
const HEADER: u64 = 0x100;
const DATA: u64 = 0x1000;
const STATUS: u64 = 0x80;

fn segment(at: u64, length: u32) -> Segment {
    Segment { at: GuestAddress(at), length }
}

fn chain(readable: &[Segment], writable: &[Segment]) -> Chain {
    Chain { segments: [readable, writable].concat().into(), readable: readable.len() }
}

fn header(kind: u32, sector: u64) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &[0; 4], &sector.to_le_bytes()].concat()
}

fn range(sector: u64, sectors: u32, flags: u32) -> Vec<u8> {
    [&sector.to_le_bytes()[..], &sectors.to_le_bytes(), &flags.to_le_bytes()].concat()
}

/// Returns the request with this header; status behind what is written.
fn parse(memory: &Memory, kind: u32, sector: u64, data: &[Segment], answer: &[Segment]) -> Request {
    memory.write(GuestAddress(HEADER), &header(kind, sector)).unwrap();
    let readable = [&[segment(HEADER, 16)], data].concat();
    let writable = [answer, &[segment(STATUS, 1)]].concat();
    Request::parse(memory, chain(&readable, &writable)).unwrap()
}

fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("memory completes at once"),
    }
}

/// Performs it, and returns the status and the count of bytes written.
fn perform_on(disk: &Disk, memory: &Memory, request: Request) -> (u8, u32) {
    let written = now(perform(disk, memory, request, TERMS));
    let mut status = [0xff];
    memory.read(GuestAddress(STATUS), &mut status).unwrap();
    (status[0], written)
}

#[test]
fn what_is_written_is_read_however_the_bytes_are_divided() {
    let (disk, memory) = (Disk::new(1 << 20), memory_of(1 << 20));
    let bytes: Vec<u8> = (0..4096u32).map(|at| (at % 251) as u8).collect();
    memory.write(GuestAddress(DATA), &bytes).unwrap();
    let data = [segment(DATA, 100), segment(DATA + 100, 0), segment(DATA + 100, 3996)];
    let written = parse(&memory, kind::OUT, 8, &data, &[]);
    assert_eq!(perform_on(&disk, &memory, written), (0, 1));
    let mut found = vec![0; 4096];
    disk.peek(4096, &mut found);
    assert!(found == bytes);

    // Header in three parts, and the status in one with data.
    memory.write(GuestAddress(HEADER), &header(kind::IN, 8)).unwrap();
    let readable = [segment(HEADER, 1), segment(HEADER + 1, 8), segment(HEADER + 9, 7)];
    let writable = [segment(0x8000, 4000), segment(0xa000, 97)];
    let read = Request::parse(&memory, chain(&readable, &writable)).unwrap();
    assert_eq!(now(perform(&disk, &memory, read, TERMS)), 4097);
    let mut back = vec![0xff; 97];
    memory.read(GuestAddress(0xa000), &mut back).unwrap();
    assert!(back[..96] == bytes[4000..] && back[96] == 0);
}

#[test]
fn data_that_begins_in_the_segment_of_the_header_is_written_too() {
    let (disk, memory) = (Disk::new(1 << 20), memory_of(1 << 20));
    let bytes: Vec<u8> = (0..1024u32).map(|at| (at % 251) as u8).collect();
    // In few segments, and in so many that they are kept elsewhere.
    for (sector, rest) in [(0, vec![924]), (2, vec![100; 9])] {
        memory
            .write(GuestAddress(HEADER), &[header(kind::OUT, sector), bytes[..100].to_vec()].concat())
            .unwrap();
        memory.write(GuestAddress(DATA), &bytes[100..]).unwrap();
        let mut at = DATA;
        let mut readable = vec![segment(HEADER, 116)];
        for length in rest {
            readable.push(segment(at, length));
            at += u64::from(length);
        }
        readable.push(segment(at, (DATA + 924 - at) as u32));
        let request = Request::parse(&memory, chain(&readable, &[segment(STATUS, 1)])).unwrap();
        assert_eq!(length_of(request.data()), 1024);
        assert_eq!(perform_on(&disk, &memory, request), (0, 1));
        let mut found = vec![0; 1024];
        disk.peek(sector * 512, &mut found);
        assert!(found == bytes, "at sector {sector}");
    }
}

#[test]
fn pieces_of_any_length_fill_segments_of_any_length() {
    let memory = memory_of(1 << 20);
    let bytes: Vec<u8> = (0..5000u32).map(|at| (at % 251) as u8).collect();
    let segments = [segment(0x1000, 1), segment(0x1001, 0), segment(0x2000, 2000), segment(0x3000, 2000)];
    for piece in [1, 999, 2000, 5000] {
        memory.write(GuestAddress(0x1000), &[0; 0x3000]).unwrap();
        let mut answer = Scatter::new(&memory, &segments);
        bytes.chunks(piece).for_each(|piece| answer.put(piece));
        assert_eq!(answer.finish(), Ok(4001), "no more than there is room for");
        let mut back = vec![0; 4001];
        let (first, rest) = back.split_at_mut(1);
        let (second, third) = rest.split_at_mut(2000);
        for (at, part) in [(0x1000, first), (0x2000, second), (0x3000, third)] {
            memory.read(GuestAddress(at), part).unwrap();
        }
        assert!(back == bytes[..4001]);
    }
    let end = [segment((1 << 20) - 10, 20)];
    let mut outside = Scatter::new(&memory, &end);
    outside.put(&[1; 20]);
    assert_eq!(outside.finish(), Err(Status::Failed));
}

#[test]
fn ranges_are_discarded_and_zeroed() {
    let (disk, memory) = (Disk::new(1 << 20), memory_of(1 << 20));
    disk.poke(0, &[7; 8192]);
    memory.write(GuestAddress(DATA), &[range(1, 2, 0), range(8, 1, 0)].concat()).unwrap();
    let discard = parse(&memory, kind::DISCARD, 0, &[segment(DATA, 5), segment(DATA + 5, 27)], &[]);
    assert_eq!(perform_on(&disk, &memory, discard), (0, 1));
    memory.write(GuestAddress(DATA), &range(4, 1, UNMAP)).unwrap();
    let zeroes = parse(&memory, kind::WRITE_ZEROES, 0, &[segment(DATA, 16)], &[]);
    assert_eq!(zeroes.asked, RequestOperation::WriteZeroes(vec![(ByteRange::at(2048, 512), Unmap::Allowed)]));
    assert_eq!(perform_on(&disk, &memory, zeroes), (0, 1));
    let mut found = vec![0; 8192];
    disk.peek(0, &mut found);
    for (sector, bytes) in found.chunks(512).enumerate() {
        let zero = [1, 2, 4, 8].contains(&sector);
        assert!(bytes.iter().all(|&byte| byte == if zero { 0 } else { 7 }), "sector {sector}");
    }
}

#[test]
fn a_disk_says_its_name_and_no_more_than_there_is_room_for() {
    let (disk, memory) = (Disk::new(1 << 20), memory_of(1 << 20));
    let asked = parse(&memory, kind::GET_ID, 0, &[], &[segment(DATA, 20)]);
    assert_eq!(perform_on(&disk, &memory, asked), (0, 21));
    let mut name = [0xff; 20];
    memory.read(GuestAddress(DATA), &mut name).unwrap();
    assert_eq!(name, TERMS.identity);
    let short = parse(&memory, kind::GET_ID, 0, &[], &[segment(DATA, 3)]);
    assert_eq!(perform_on(&disk, &memory, short), (0, 4));
}

#[test]
fn what_cannot_be_done_says_so() {
    let memory = memory_of(1 << 20);
    let disk = Disk::with_geometry(Geometry { read_only: true, ..Geometry::plain(1 << 20) });
    let status = |kind, sector, data: &[Segment], answer: &[Segment]| {
        perform_on(&disk, &memory, parse(&memory, kind, sector, data, answer)).0
    };
    let (sector, outside) = ([segment(DATA, 512)], [segment((1 << 20) - 511, 512)]);
    assert_eq!(status(kind::IN, 2047, &[], &sector), 0);
    assert_eq!(status(kind::IN, 2048, &[], &sector), 1, "past the end");
    assert_eq!(status(kind::IN, u64::MAX / 2, &[], &sector), 1, "past the largest address");
    assert_eq!(status(kind::IN, 0, &[], &[segment(DATA, 511)]), 1, "no whole sector");
    assert_eq!(status(kind::IN, 0, &[], &outside), 1, "outside of memory");
    assert_eq!(status(kind::OUT, 0, &sector, &[]), 1, "read-only");
    assert_eq!(status(kind::OUT, 0, &outside, &[]), 1, "outside of memory");
    let huge = [segment(0, 1 << 20); 33];
    assert_eq!(status(kind::OUT, 0, &huge, &[]), 1, "longer than a request may be");
    assert_eq!(status(kind::FLUSH, 0, &[], &[]), 0);
    for kind in [2, 3, 5, 14, u32::MAX] {
        assert_eq!(status(kind, 0, &[], &[]), 2);
    }
    let ranged = |kind, bytes: &[u8]| {
        memory.write(GuestAddress(DATA), bytes).unwrap();
        status(kind, 0, &[segment(DATA, bytes.len() as u32)], &[])
    };
    assert_eq!(ranged(kind::DISCARD, &range(0, 1, UNMAP)), 2, "a discard has no flags");
    assert_eq!(ranged(kind::WRITE_ZEROES, &range(0, 1, 2)), 2);
    assert_eq!(ranged(kind::WRITE_ZEROES, &range(0, ZEROES_SECTORS_MAX + 1, 0)), 1);
    assert_eq!(ranged(kind::DISCARD, &range(u64::MAX, 1, 0)), 1);
    assert_eq!(ranged(kind::DISCARD, &[0; 15]), 1);
    assert_eq!(ranged(kind::DISCARD, &[]), 1);
    assert_eq!(ranged(kind::DISCARD, &range(0, 1, 0).repeat(33)), 1, "too many");
}

#[test]
fn without_a_place_for_the_status_nothing_can_be_said() {
    let memory = memory_of(1 << 20);
    let parse = |writable: &[Segment]| Request::parse(&memory, chain(&[segment(HEADER, 16)], writable));
    assert!(parse(&[]).is_err());
    assert!(parse(&[segment(0, 0)]).is_err());
    assert!(parse(&[segment(1 << 20, 1)]).is_err());
    assert!(parse(&[segment(u64::MAX, 5)]).is_err());
    // A header that is too short is answered.
    let chain = chain(&[segment(HEADER, 15)], &[segment(STATUS, 1)]);
    assert_eq!(Request::parse(&memory, chain).unwrap().asked, RequestOperation::Nothing(Status::Failed));
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let at = prop_oneof![0..0x12000u64, any::<u64>()];
    let length = prop_oneof![Just(0), Just(1), Just(16), Just(512), 0..0x3000u32, any::<u32>()];
    (at, length).prop_map(|(at, length)| segment(at, length))
}

#[test]
fn what_is_kept_of_a_request_counts() {
    let memory = memory_of(0x10000);
    let many: Vec<Segment> = (0..1000).map(|_| segment(DATA, 1)).collect();
    let held = |kind: u32, answer: &[Segment]| parse(&memory, kind, 0, &[], answer).held_bytes();
    // A flush writes nothing, so that nothing is kept of where it could.
    assert_eq!(held(kind::FLUSH, &many), REQUEST_BYTES);
    assert_eq!(held(kind::GET_ID, &many), REQUEST_BYTES + 16_000);
    assert_eq!(held(kind::IN, &[segment(DATA, 512)]), REQUEST_BYTES + 16 + 512);
}

proptest! {
    #[test]
    fn whatever_is_asked_there_is_an_answer_and_nothing_outside_is_touched(
        kind in prop_oneof![0..16u32, any::<u32>()],
        sector in prop_oneof![0..300u64, any::<u64>()],
        content in proptest::collection::vec(any::<u8>(), 64),
        data in proptest::collection::vec(any_segment(), 0..6),
        answer in proptest::collection::vec(any_segment(), 0..6),
    ) {
        let (disk, memory) = (Disk::new(128 << 10), memory_of(0x10000));
        memory.write(GuestAddress(DATA), &content).unwrap();
        let request = parse(&memory, kind, sector, &data, &answer);
        let held = request.held_bytes();
        prop_assert!((REQUEST_BYTES..=BUDGET_BYTES).contains(&held));
        let room: u64 = length_of(&answer) + 1;
        prop_assert!(u64::from(now(perform(&disk, &memory, request, TERMS))) <= room);
    }
}
