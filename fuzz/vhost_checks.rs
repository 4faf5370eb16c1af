//! What must hold whatever a front end and its guest write: the door ends the connection in order, answers no more than there was,
//! and touches nothing outside of the memory that it was given. Shared by the fuzz targets and by a plain test in `doors`.
//!
//! A real door serves a real socket here, on a ring of its own for each input; only the front end is made of the input.

// Each target uses its own part of this.
#![allow(dead_code)]

use std::fs::File;
use std::io::{IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use block::executor::{Executor, Order};
use block::socket::Listener;
use block::{BlockDevice, Buffer, Host, Memory, Ring};
use doors::vhost::Door;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::eventfd::EventFd;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

/// The guest has this much memory, in the middle of a file of three times as much.
const MEMORY: usize = 0x1_0000;
/// Where the front end has it.
const USER: u64 = 0x7000_0000;
/// Entries of the queue, and where its parts are. What the input says begins at the descriptors.
const ENTRIES: u16 = 16;
const DESCRIPTORS: u64 = 0;
const AVAILABLE: u64 = 0x400;
const USED: u64 = 0x800;
/// What is around the memory, and must stay.
const CANARY: u8 = 0xa5;
const DISK: u64 = 1 << 20;

const SET_OWNER: u32 = 3;
const SET_MEM_TABLE: u32 = 5;
const SET_VRING_NUM: u32 = 8;
const SET_VRING_ADDR: u32 = 9;
const SET_VRING_BASE: u32 = 10;
const GET_VRING_BASE: u32 = 11;
const SET_VRING_KICK: u32 = 12;
const SET_VRING_CALL: u32 = 13;
const SET_FEATURES: u32 = 2;

/// What a front end shares.
struct Shared {
    memory: File,
    kick: File,
    call: File,
}

impl Shared {
    fn new() -> Self {
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let memory = File::from(memfd_create(c"guest", flags).expect("there is memory"));
        memory.write_all_at(&vec![CANARY; 3 * MEMORY], 0).expect("a memfd takes bytes");
        memory.write_all_at(&vec![0; MEMORY], MEMORY as u64).expect("a memfd takes bytes");
        fcntl(&memory, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK)).expect("it allows seals");
        let event = || File::from(std::os::fd::OwnedFd::from(EventFd::new().expect("there is an event")));
        Self { memory, kick: event(), call: event() }
    }

    fn check(&self) {
        for start in [0, 2 * MEMORY] {
            let mut bytes = vec![0; MEMORY];
            self.memory.read_exact_at(&mut bytes, start as u64).expect("the file has them");
            assert!(bytes.iter().all(|byte| *byte == CANARY), "something outside of the memory was written");
        }
    }
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn message(request: u32, body: &[u8]) -> Vec<u8> {
    let header = [request, 1, body.len() as u32];
    [header.into_iter().flat_map(u32::to_ne_bytes).collect(), body.to_vec()].concat()
}

/// Two numbers of 32 bits.
fn state(index: u32, value: u32) -> Vec<u8> {
    [index.to_ne_bytes(), value.to_ne_bytes()].concat()
}

/// Sends what fits. True if anything did.
fn send(socket: &UnixStream, bytes: &[u8], files: &[&File]) -> bool {
    let descriptors: Vec<_> = files.iter().map(|file| file.as_raw_fd()).collect();
    let rights = [ControlMessage::ScmRights(&descriptors)];
    let rights = if descriptors.is_empty() { &[][..] } else { &rights };
    let flags = MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT;
    // The buffer of the socket may be full; what does not get in is as if it had not been sent.
    let sent = sendmsg::<()>(socket.as_raw_fd(), &[IoSlice::new(bytes)], rights, flags, None);
    sent.is_ok()
}

/// Has a door serve what `front_end` sends, until both are through with it.
fn serve(front_end: impl FnOnce(&UnixStream)) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path: PathBuf = std::env::temp_dir().join(format!("forebay-fuzz-{}-{number}", std::process::id()));
    let ring = Ring::new(64).expect("there is a ring");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let disk = Rc::new(Memory::new(DISK));
    let door = Door::new("disk", Rc::clone(&disk));
    let listener = Listener::bind_unix(&ring, &path).expect("there is a socket");
    let host = executor.host();
    host.spawn(Rc::clone(&door).listen(listener, ring.clone(), host.clone()));
    let socket = UnixStream::connect(&path).expect("it listens");
    std::fs::remove_file(&path).expect("it was made just now");
    front_end(&socket);
    socket.shutdown(Shutdown::Write).expect("it is connected");
    let end = async {
        // Replies do not fill the socket: there are few messages.
        while door.counters().connections_total == 0 || door.counters().connections > 0 {
            host.sleep(10_000).await;
        }
        let counters = door.counters();
        assert_eq!(counters.data_bytes, 0, "all that requests held is given back");
        door.close().await;
        // The disk is as large as it was, and answers.
        assert!(disk.read(DISK - 512, Buffer::zeroed(512)).await.1.is_ok());
    };
    executor.run(end).expect("the door ends");
}

/// Any bytes as what a guest has in its memory when its queue starts: descriptors and rings first, then everything else. The input
/// begins with the index of the used ring and the features.
pub(crate) fn ring(data: &[u8]) {
    let Some((head, content)) = data.split_first_chunk::<4>() else { return };
    let shared = Shared::new();
    let content = &content[..content.len().min(MEMORY)];
    shared.memory.write_all_at(content, MEMORY as u64).expect("a memfd takes bytes");
    let event_index = u64::from(head[0] & 1) << 29;
    let base = u16::from_le_bytes([head[2], head[3]]);
    serve(|socket| {
        let region = words(&[1, 0, MEMORY as u64, USER, MEMORY as u64]);
        let at = [USER + DESCRIPTORS, USER + USED, USER + AVAILABLE];
        let addresses = [state(0, 0), words(&at), words(&[0])].concat();
        send(socket, &message(SET_OWNER, &[]), &[]);
        send(socket, &message(SET_FEATURES, &words(&[1 << 32 | 1 << 28 | 1 << 9 | event_index])), &[]);
        send(socket, &message(SET_MEM_TABLE, &region), &[&shared.memory]);
        send(socket, &message(SET_VRING_NUM, &state(0, ENTRIES.into())), &[]);
        send(socket, &message(SET_VRING_BASE, &state(0, base.into())), &[]);
        send(socket, &message(SET_VRING_ADDR, &addresses), &[]);
        send(socket, &message(SET_VRING_CALL, &words(&[0])), &[&shared.call]);
        send(socket, &message(SET_VRING_KICK, &words(&[0])), &[&shared.kick]);
        (&shared.kick).write_all(&1u64.to_ne_bytes()).expect("an event takes a signal");
        send(socket, &message(GET_VRING_BASE, &state(0, 0)), &[]);
    });
    shared.check();
    // What was answered was offered: each head once at most.
    let mut used = [0; 2];
    shared.memory.read_exact_at(&mut used, MEMORY as u64 + USED + 2).expect("the file has them");
    let mut before = [0; 2];
    if let Some(bytes) = content.get(USED as usize + 2..USED as usize + 4) {
        before.copy_from_slice(bytes);
    }
    let answered = u16::from_le_bytes(used).wrapping_sub(u16::from_le_bytes(before));
    let room = u16::from_le_bytes(
        content.get(AVAILABLE as usize + 2..AVAILABLE as usize + 4).map_or([0; 2], |b| [b[0], b[1]]),
    );
    assert!(answered == 0 || answered <= room.wrapping_sub(base), "{answered} answers");
}

/// Any bytes as messages: for each, a byte that says which, one for the files that come along, and one for the length of its body;
/// some are made so that they mean something.
pub(crate) fn messages(mut data: &[u8]) {
    let shared = Shared::new();
    serve(|socket| {
        for _ in 0..64 {
            let Some((&[kind, files, length], rest)) = data.split_first_chunk::<3>() else { break };
            let (body, rest) = rest.split_at(rest.len().min(usize::from(length)));
            data = rest;
            let all = [&shared.memory, &shared.kick, &shared.call];
            let files: Vec<&File> =
                (0..files >> 4).map(|file| all[(usize::from(files) + usize::from(file)) % 3]).collect();
            let region = [&words(&[1, 0, MEMORY as u64, USER, MEMORY as u64])[..], body].concat();
            let bytes = match kind {
                // The table of memory, with the file that belongs to it.
                200.. => message(SET_MEM_TABLE, &region[..40]),
                // A queue from beginning to end.
                190..200 => {
                    let at = [USER, USER + USED, USER + AVAILABLE];
                    let addresses = [state(0, 0), words(&at), words(&[0])].concat();
                    send(socket, &message(SET_VRING_NUM, &state(0, ENTRIES.into())), &[]);
                    send(socket, &message(SET_VRING_ADDR, &addresses), &[]);
                    send(socket, &message(SET_VRING_KICK, &words(&[0])), &[&shared.kick]);
                    continue;
                }
                // Bytes that are no message.
                180..190 => body.to_vec(),
                _ => message(u32::from(kind % 48), body),
            };
            if !bytes.is_empty() {
                send(socket, &bytes, if kind >= 200 { &all[..1] } else { &files });
            }
        }
        let mut replies = [0; 4096];
        socket.set_nonblocking(true).expect("it is a socket");
        while (&*socket).read(&mut replies).is_ok_and(|count| count > 0) {}
    });
    shared.check();
}
