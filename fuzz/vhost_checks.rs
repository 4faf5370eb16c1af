//! Invariants for any behaviour of a front end and its guest: the door ends the connection in order, answers no more requests than there
//! were, reads and writes only memory that was shared with it, and marks its writes in the log. Shared by the fuzz targets and by a plain
//! test in `doors`.
//!
//! A real door serves a real socket here, on a ring of its own for each input; only the front end is derived from the input. The disk
//! behind it answers some of its pages at once, and suspends requests to others.

// Each target uses only a part of this.
#![allow(dead_code)]

#[path = "vhost_disk.rs"]
mod disk;
#[path = "vhost_guest.rs"]
mod guest;

use std::fs::File;
use std::io::{IoSlice, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use block::executor::{Executor, Order};
use block::socket::Listener;
use block::{BlockDevice, Buffer, Host, Ring};
use doors::vhost::VhostUserDoor;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::eventfd::EventFd;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

use disk::{Canary, DISK, Disk};
use guest::{AVAILABLE, DESCRIPTORS, PAGE, USED, word};
pub(crate) use guest::{ENTRIES, Guest, MEMORY, RECORD, RECORD_ENTRIES, Seen};

/// Address of the guest's memory in the front end.
const USER: u64 = 0x7000_0000;
/// Guard bytes around each shared part of a file.
const AROUND: usize = 4 * PAGE;
/// Size of the log in bytes: a bit for each page.
const LOG: usize = MEMORY.div_ceil(PAGE).div_ceil(8);

const SET_FEATURES: u32 = 2;
const SET_OWNER: u32 = 3;
const SET_MEM_TABLE: u32 = 5;
const SET_LOG_BASE: u32 = 6;
const SET_VRING_NUM: u32 = 8;
const SET_VRING_ADDR: u32 = 9;
const SET_VRING_BASE: u32 = 10;
const GET_VRING_BASE: u32 = 11;
const SET_VRING_KICK: u32 = 12;
const SET_VRING_CALL: u32 = 13;
const SET_VRING_ENABLE: u32 = 18;
const SET_INFLIGHT_FD: u32 = 32;

/// Features that are always negotiated: virtio 1, indirect tables and flushes.
const FEATURES: u64 = 1 << 32 | 1 << 28 | 1 << 9;
const LOG_ALL: u64 = 1 << 26;

/// Bits of the first byte of the input of [`ring`].
pub(crate) mod choice {
    pub(crate) const EVENT_INDEX: u8 = 1;
    /// There is an in-flight record; its content precedes that of the memory in the input.
    pub(crate) const RECORD: u8 = 1 << 1;
    /// The record is in the guest's memory instead, in the page that the second byte chooses: requests change it while it is used.
    pub(crate) const RECORD_IN_MEMORY: u8 = 1 << 2;
    pub(crate) const LOG: u8 = 1 << 3;
    /// The log is in the guest's memory.
    pub(crate) const LOG_IN_MEMORY: u8 = 1 << 4;
    /// Writes to the used ring are logged at an address where it is not.
    pub(crate) const LOG_ELSEWHERE: u8 = 1 << 5;
    /// The queue is started again, over the content of the record and the rings by then.
    pub(crate) const TWICE: u8 = 1 << 6;
    /// The head of the record is taken from the input; otherwise it is valid.
    pub(crate) const HEAD_OF_RECORD: u8 = 1 << 7;
}

/// File of which a part is shared. The bytes around it must not be read or written.
struct Framed {
    file: File,
    bytes: usize,
    canary: Canary,
}

impl Framed {
    /// Shares so many bytes, which begin with `content`; the rest is zeroes.
    fn new(canary: Canary, bytes: usize, content: &[u8]) -> Self {
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let file = File::from(memfd_create(c"guest", flags).expect("there is memory"));
        let mut shared = content[..content.len().min(bytes)].to_vec();
        shared.resize(bytes, 0);
        file.write_all_at(&canary.repeated(2 * AROUND + bytes), 0).expect("a memfd takes bytes");
        file.write_all_at(&shared, AROUND as u64).expect("a memfd takes bytes");
        fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK)).expect("it allows seals");
        Self { file, bytes, canary }
    }

    /// Returns the present content of the shared part.
    fn content(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes];
        self.file.read_exact_at(&mut bytes, AROUND as u64).expect("the file has them");
        bytes
    }

    fn check(&self) {
        let mut all = vec![0; 2 * AROUND + self.bytes];
        self.file.read_exact_at(&mut all, 0).expect("the file has them");
        let before = self.canary.repeated(all.len());
        let (start, end) = (AROUND, AROUND + self.bytes);
        let is_as_before = all[..start] == before[..start] && all[end..] == before[end..];
        assert!(is_as_before, "something outside of what is shared was written");
        assert!(!self.canary.is_in(&all[start..end]), "something outside of what is shared was read");
    }
}

fn event() -> File {
    File::from(std::os::fd::OwnedFd::from(EventFd::new().expect("there is an event")))
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn message(request: u32, body: &[u8]) -> Vec<u8> {
    let header = [request, 1, body.len() as u32];
    [header.into_iter().flat_map(u32::to_ne_bytes).collect(), body.to_vec()].concat()
}

/// Returns two numbers of 32 bits.
fn state(index: u32, value: u32) -> Vec<u8> {
    [index.to_ne_bytes(), value.to_ne_bytes()].concat()
}

/// Returns a table of one region: all of the guest's memory.
fn table() -> Vec<u8> {
    message(SET_MEM_TABLE, &words(&[1, 0, MEMORY as u64, USER, AROUND as u64]))
}

/// Returns the addresses of the first queue, and the log address of its used ring.
fn addresses(log: Option<u64>) -> Vec<u8> {
    let at = [DESCRIPTORS, USED, AVAILABLE].map(|at| USER + at as u64);
    let flags = state(0, u32::from(log.is_some()));
    message(SET_VRING_ADDR, &[flags, words(&at), words(&[log.unwrap_or(0)])].concat())
}

/// Returns the shape of a record of one queue at this place of its file.
fn shape(at: usize) -> Vec<u8> {
    let queues = [1, RECORD_ENTRIES as u16].into_iter().flat_map(u16::to_ne_bytes);
    message(
        SET_INFLIGHT_FD,
        &words(&[RECORD as u64, at as u64]).into_iter().chain(queues).collect::<Vec<_>>(),
    )
}

/// Sends as much as fits. Returns true if anything was sent.
fn send(socket: &UnixStream, bytes: &[u8], files: &[&File]) -> bool {
    let descriptors: Vec<_> = files.iter().map(|file| file.as_raw_fd()).collect();
    let rights = [ControlMessage::ScmRights(&descriptors)];
    let rights = if descriptors.is_empty() { &[][..] } else { &rights };
    let flags = MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT;
    // The buffer of the socket may be full; the rest counts as not sent.
    let sent = sendmsg::<()>(socket.as_raw_fd(), &[IoSlice::new(bytes)], rights, flags, None);
    sent.is_ok()
}

/// Serves the messages of `front_end` with a door, until both have ended.
fn serve(disk: &Rc<Disk>, front_end: impl FnOnce(&UnixStream)) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path: PathBuf = std::env::temp_dir().join(format!("forebay-fuzz-{}-{number}", std::process::id()));
    let ring = Ring::new(64).expect("there is a ring");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let door = VhostUserDoor::new("disk", Rc::clone(disk));
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
        // The disk has its size, and answers.
        assert!(disk.read(DISK - 512, Buffer::zeroed(512)).await.1.is_ok());
    };
    executor.run(end).expect("the door ends");
}

/// Memory that a front end shares for one queue.
struct Queue {
    memory: Framed,
    record: Framed,
    log: Framed,
    kick: File,
    call: File,
    choices: u8,
    /// Pages of record and log if they are in the guest's memory.
    places: u8,
    base: u16,
}

impl Queue {
    fn new(canary: Canary, [choices, places, base @ ..]: [u8; 4], mut content: &[u8]) -> Self {
        let has_own_record = choices & (choice::RECORD | choice::RECORD_IN_MEMORY) == choice::RECORD;
        let mut record = Vec::new();
        if has_own_record {
            (record, content) =
                (content[..content.len().min(RECORD)].to_vec(), content.get(RECORD..).unwrap_or(&[]));
        }
        record.resize(RECORD, 0);
        let mut memory = content[..content.len().min(MEMORY)].to_vec();
        memory.resize(MEMORY, 0);
        if choices & choice::HEAD_OF_RECORD == 0 {
            let record = if has_own_record { &mut record[..] } else { &mut memory[page(places & 15)..] };
            if choices & choice::RECORD != 0 {
                record[8..12].copy_from_slice(&[1, 0, RECORD_ENTRIES as u8, 0]);
            }
        }
        Self {
            memory: Framed::new(canary, MEMORY, &memory),
            record: Framed::new(canary, RECORD, &record),
            log: Framed::new(canary, LOG, &[]),
            kick: event(),
            call: event(),
            choices,
            places,
            base: u16::from_le_bytes(base),
        }
    }

    fn chose(&self, choice: u8) -> bool {
        self.choices & choice != 0
    }

    /// Returns the file and offset of the record, and of the log.
    fn record(&self) -> (&File, usize) {
        let in_memory = AROUND + page(self.places & 15);
        if self.chose(choice::RECORD_IN_MEMORY) {
            (&self.memory.file, in_memory)
        } else {
            (&self.record.file, AROUND)
        }
    }

    fn log(&self) -> (&File, usize) {
        let in_memory = AROUND + page(self.places >> 4);
        if self.chose(choice::LOG_IN_MEMORY) {
            (&self.memory.file, in_memory)
        } else {
            (&self.log.file, AROUND)
        }
    }

    fn send_all(&self, socket: &UnixStream) {
        let mut features = FEATURES | u64::from(self.chose(choice::EVENT_INDEX)) << 29;
        let mut noted_at = None;
        send(socket, &message(SET_OWNER, &[]), &[]);
        if self.chose(choice::LOG) {
            let (file, at) = self.log();
            send(socket, &message(SET_LOG_BASE, &words(&[LOG as u64, at as u64])), &[file]);
            features |= LOG_ALL;
            let elsewhere = u64::from(self.places) * 0x0101_0101_0101_0101;
            noted_at = Some(if self.chose(choice::LOG_ELSEWHERE) { elsewhere } else { USED as u64 });
        }
        send(socket, &message(SET_FEATURES, &words(&[features])), &[]);
        send(socket, &table(), &[&self.memory.file]);
        if self.chose(choice::RECORD) {
            let (file, at) = self.record();
            send(socket, &shape(at), &[file]);
        }
        send(socket, &message(SET_VRING_NUM, &state(0, ENTRIES.into())), &[]);
        send(socket, &message(SET_VRING_BASE, &state(0, self.base.into())), &[]);
        send(socket, &addresses(noted_at), &[]);
        send(socket, &message(SET_VRING_CALL, &words(&[0])), &[&self.call]);
        for _ in 0..self.starts() {
            send(socket, &message(SET_VRING_KICK, &words(&[0])), &[&self.kick]);
            (&self.kick).write_all(&1u64.to_ne_bytes()).expect("an event takes a signal");
            send(socket, &message(GET_VRING_BASE, &state(0, 0)), &[]);
        }
    }

    fn starts(&self) -> u16 {
        1 + u16::from(self.chose(choice::TWICE))
    }

    /// Checks that every answered request was offered, or in flight by the record.
    fn check_count(&self, before: &[u8], after: &[u8]) {
        let answered = word(after, USED + 2).wrapping_sub(word(before, USED + 2));
        let available = word(before, AVAILABLE + 2);
        if available != word(after, AVAILABLE + 2) {
            // The guest had the disk's data written over its rings.
            return;
        }
        let offered = available.wrapping_sub(self.base);
        let room = match self.chose(choice::RECORD) {
            // The base then follows from the record. Each head is in flight at most once, in each start.
            true => 2 * ENTRIES * self.starts(),
            false if offered > ENTRIES => 0,
            false => offered,
        };
        assert!(answered <= room, "{answered} answers, where {room} could be");
    }

    /// Checks that each changed page of the memory is marked in the log. Returns their number.
    fn check_log(&self, before: &[u8], after: &[u8]) -> u64 {
        let bits = self.log.content();
        let is_marked = |page: usize| bits[page / 8] & 1 << (page % 8) != 0;
        let marked = (0..8 * LOG).filter(|page| is_marked(*page)).count() as u64;
        let in_memory = choice::LOG_IN_MEMORY | choice::RECORD_IN_MEMORY;
        if !self.chose(choice::LOG) || self.chose(in_memory) {
            // Record and log are not logged, since a guest has neither in its memory.
            return marked;
        }
        for (page, (before, after)) in before.chunks(PAGE).zip(after.chunks(PAGE)).enumerate() {
            let is_noted_elsewhere = page == USED / PAGE && self.chose(choice::LOG_ELSEWHERE);
            let is_same = before == after || is_noted_elsewhere;
            assert!(is_same || is_marked(page), "page {page} has changed and is not marked");
        }
        marked
    }
}

/// Returns the offset of a page of the guest's memory.
fn page(number: u8) -> usize {
    usize::from(number) * PAGE
}

/// Uses any bytes as the memory of a guest when its queue starts: descriptors and rings first, then everything else. The input begins with
/// the [choices](choice), the pages of record and log, and the index of the available ring.
pub(crate) fn ring(data: &[u8]) -> Seen {
    let Some((head, content)) = data.split_first_chunk::<4>() else { return Seen::default() };
    let canary = Canary::of(data);
    let queue = Queue::new(canary, *head, content);
    let (before, record) = (queue.memory.content(), queue.record.content());
    let disk = Rc::new(Disk::new(canary));
    serve(&disk, |socket| queue.send_all(socket));
    for shared in [&queue.memory, &queue.record, &queue.log] {
        shared.check();
    }
    let after = queue.memory.content();
    queue.check_count(&before, &after);
    let marked = queue.check_log(&before, &after);
    Seen { at_hand: disk.at_hand(), marked, ..Seen::of(&before, &after, &record) }
}

/// Uses any bytes as messages: for each, a byte for its type, one for the files with it, and one for the length of its body; some are
/// completed to valid ones. The guest has a few requests in its memory for inputs that start its queue.
pub(crate) fn messages(mut data: &[u8]) -> Seen {
    let canary = Canary::of(data);
    let before = Guest::ready().into_memory();
    let [memory, record, log] = [(MEMORY, &before[..]), (RECORD, &[]), (LOG, &[])]
        .map(|(bytes, content)| Framed::new(canary, bytes, content));
    // Files that a message of the input may describe freely, so that it cannot share the surroundings of the others.
    let (other, kick, call) = (Framed::new(canary, MEMORY, &[]), event(), event());
    other.file.write_all_at(&vec![0; 2 * AROUND + MEMORY], 0).expect("a memfd takes bytes");
    let disk = Rc::new(Disk::new(canary));
    serve(&disk, |socket| {
        for _ in 0..64 {
            let Some((&[kind, files, length], rest)) = data.split_first_chunk::<3>() else { break };
            let (body, rest) = rest.split_at(rest.len().min(usize::from(length)));
            data = rest;
            let all = [&other.file, &kick, &call];
            let files: Vec<&File> =
                (0..files >> 4).map(|file| all[(usize::from(files) + usize::from(file)) % 3]).collect();
            let (bytes, files) = match kind {
                // The table of memory, with its file.
                200.. => (table(), vec![&memory.file]),
                190..200 => {
                    start_queue(socket, &kick);
                    continue;
                }
                // Bytes that are not a message.
                180..190 => (body.to_vec(), files),
                175..180 => (shape(AROUND), vec![&record.file]),
                170..175 => (message(SET_LOG_BASE, &words(&[LOG as u64, AROUND as u64])), vec![&log.file]),
                _ => (message(u32::from(kind % 48), body), files),
            };
            if !bytes.is_empty() {
                send(socket, &bytes, &files);
            }
        }
    });
    for shared in [&memory, &record, &log] {
        shared.check();
    }
    Seen { at_hand: disk.at_hand(), ..Seen::of(&before, &memory.content(), &[]) }
}

/// Sends all messages that start a queue.
fn start_queue(socket: &UnixStream, kick: &File) {
    send(socket, &message(SET_VRING_NUM, &state(0, ENTRIES.into())), &[]);
    send(socket, &addresses(Some(USED as u64)), &[]);
    send(socket, &message(SET_VRING_KICK, &words(&[0])), &[kick]);
    send(socket, &message(SET_VRING_ENABLE, &state(0, 1)), &[]);
}
