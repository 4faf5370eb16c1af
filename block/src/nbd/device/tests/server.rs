//! A server of one export in memory that handles each request as the test decides.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use super::super::super::option::{
    ExportFacts, GO, Info, OPTION_BYTES, OptionReply, SET_META_CONTEXT, STRUCTURED_REPLY, decode_option,
    encode_option_reply, greeting,
};
use super::super::super::reply::{Payload, simple_reply};
use super::super::super::wire::{Command, REQUEST_BYTES, ReplyError, Request, export_flags as flags};
use super::super::{Address, Target};

pub(super) const SIZE: u64 = 1 << 20;
/// The number under which the server reports `base:allocation`.
pub(super) const CONTEXT: u32 = 5;

/// Handling of a request.
pub(super) enum Act {
    /// It is done and answered.
    Serve,
    /// It is done, and its answer is kept back until there are so many; then they go out, the last one first.
    Gather(usize),
    /// It is never answered.
    Ignore,
    /// Nothing more is read before the test says so; then it is done and answered.
    Hang(Receiver<()>),
    /// It is done, and the connection closed instead of an answer.
    ServeAndClose,
    /// The connection is closed.
    Close,
    /// It fails.
    Fail(ReplyError),
    /// These bytes are the answer.
    Say(Vec<u8>),
}

type Script = Box<dyn FnMut(&Request) -> Act + Send>;

struct ServerState {
    facts: Mutex<ExportFacts>,
    structured: bool,
    content: Mutex<Vec<u8>>,
    script: Mutex<Script>,
    connections: Mutex<Vec<UnixStream>>,
    /// Each with the number of its connection.
    log: Mutex<Vec<(usize, Request)>>,
    stopping: AtomicBool,
}

/// A server that runs until it is stopped; it can be started again with its content.
pub(super) struct Server {
    folder: PathBuf,
    state: Arc<ServerState>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

pub(super) fn facts() -> ExportFacts {
    let flags = flags::HAS_FLAGS
        | flags::SEND_FLUSH
        | flags::SEND_TRIM
        | flags::SEND_WRITE_ZEROES
        | flags::CAN_MULTI_CONN;
    ExportFacts { size: SIZE, flags, ..ExportFacts::UNTOLD }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics with it")
}

impl Server {
    pub(super) fn start() -> Self {
        Self::with(facts(), true)
    }

    pub(super) fn with(facts: ExportFacts, structured: bool) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("forebay-nbd-device-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder is ours");
        let state = ServerState {
            facts: Mutex::new(facts),
            structured,
            content: Mutex::new((0..SIZE).map(|at| (at / 512 % 251) as u8).collect()),
            script: Mutex::new(Box::new(|_| Act::Serve)),
            connections: Mutex::default(),
            log: Mutex::default(),
            stopping: AtomicBool::new(false),
        };
        let server = Self { folder, state: Arc::new(state), listening: Mutex::default() };
        server.start_again();
        server
    }

    pub(super) fn target(&self) -> Target {
        Target { address: Address::Unix(self.folder.join("nbd.sock")), export: "disk".to_owned() }
    }

    pub(super) fn start_again(&self) {
        let listener = UnixListener::bind(self.folder.join("nbd.sock")).expect("the path is free");
        let state = Arc::clone(&self.state);
        state.stopping.store(false, Ordering::SeqCst);
        let before = lock(&self.listening).replace(std::thread::spawn(move || listen(&listener, &state)));
        assert!(before.is_none(), "it was stopped");
    }

    /// As a killed process: nothing listens any more, and every connection is closed.
    pub(super) fn stop(&self) {
        self.state.stopping.store(true, Ordering::SeqCst);
        // The one that ends the listening.
        drop(UnixStream::connect(self.folder.join("nbd.sock")));
        std::fs::remove_file(self.folder.join("nbd.sock")).expect("it listens there");
        lock(&self.listening).take().expect("it runs").join().expect("it only listens");
        self.cut();
    }

    /// Grows the export for connections from now on; bytes behind the old end are zeroes.
    pub(super) fn grow(&self, size: u64) {
        lock(&self.state.content).resize(size as usize, 0);
        lock(&self.state.facts).size = size;
    }

    /// Closes every connection.
    pub(super) fn cut(&self) {
        for connection in lock(&self.state.connections).drain(..) {
            // It may be closed already.
            connection.shutdown(std::net::Shutdown::Both).unwrap_or(());
        }
    }

    pub(super) fn script(&self, script: impl FnMut(&Request) -> Act + Send + 'static) {
        *lock(&self.state.script) = Box::new(script);
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut ExportFacts)) {
        change(&mut lock(&self.state.facts));
    }

    pub(super) fn content(&self, at: usize, length: usize) -> Vec<u8> {
        lock(&self.state.content)[at..at + length].to_vec()
    }

    /// Returns the requests so far, and forgets them.
    pub(super) fn log(&self) -> Vec<Request> {
        self.log_by_connection().into_iter().map(|(_, request)| request).collect()
    }

    /// Returns the same, each with the number of its connection, in order of arrival: from 0 until the server is cut.
    pub(super) fn log_by_connection(&self) -> Vec<(usize, Request)> {
        std::mem::take(&mut lock(&self.state.log))
    }

    pub(super) fn connections(&self) -> usize {
        lock(&self.state.connections).len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if lock(&self.listening).is_some() {
            self.stop();
        }
        std::fs::remove_dir_all(&self.folder).expect("the temporary folder is ours");
    }
}

fn listen(listener: &UnixListener, state: &Arc<ServerState>) {
    for connection in listener.incoming() {
        if state.stopping.load(Ordering::SeqCst) {
            return;
        }
        let (connection, state) = (connection.expect("a client came"), Arc::clone(state));
        let number = {
            let mut connections = lock(&state.connections);
            connections.push(connection.try_clone().expect("descriptors are to be had"));
            connections.len() - 1
        };
        // Ends with its connection: what fails is that the client has gone.
        std::thread::spawn(move || {
            let ended = serve(number, connection.try_clone().expect("descriptors are to be had"), &state);
            connection.shutdown(std::net::Shutdown::Both).unwrap_or(());
            ended
        });
    }
}

fn serve(number: usize, mut connection: UnixStream, state: &ServerState) -> std::io::Result<()> {
    let mut bytes = greeting().to_vec();
    connection.write_all(&bytes)?;
    connection.read_exact(&mut [0; 4])?;
    loop {
        let mut head = [0; OPTION_BYTES];
        connection.read_exact(&mut head)?;
        let (option, length) = decode_option(&head).expect("the device sends options");
        connection.read_exact(&mut vec![0; length as usize])?;
        bytes.clear();
        let ended = answer_option(&mut bytes, option, state);
        connection.write_all(&bytes)?;
        if ended {
            break;
        }
    }
    let mut gathered = Vec::new();
    loop {
        let mut head = [0; REQUEST_BYTES];
        connection.read_exact(&mut head)?;
        let request = Request::decode(&head).expect("the device sends requests");
        let mut payload = vec![0; request.payload_bytes() as usize];
        connection.read_exact(&mut payload)?;
        lock(&state.log).push((number, request));
        let act = lock(&state.script)(&request);
        match act {
            Act::Serve => connection.write_all(&perform(&request, &payload, state))?,
            Act::Gather(count) => {
                gathered.push(perform(&request, &payload, state));
                if gathered.len() == count {
                    gathered.reverse();
                    connection.write_all(&gathered.concat())?;
                    gathered.clear();
                }
            }
            Act::Ignore => {}
            Act::Hang(until) => {
                // A dropped sender ends it, too.
                until.recv().unwrap_or(());
                connection.write_all(&perform(&request, &payload, state))?;
            }
            Act::ServeAndClose => {
                perform(&request, &payload, state);
                return Ok(());
            }
            Act::Close => return Ok(()),
            Act::Fail(error) => connection.write_all(&simple_reply(Some(error), request.cookie))?,
            Act::Say(bytes) => connection.write_all(&bytes)?,
        }
    }
}

/// Returns true if that was the last option.
fn answer_option(bytes: &mut Vec<u8>, option: u32, state: &ServerState) -> bool {
    let facts = *lock(&state.facts);
    match option {
        STRUCTURED_REPLY if state.structured => {
            encode_option_reply(bytes, option, OptionReply::Ack, &[]);
        }
        SET_META_CONTEXT => {
            let context = [&CONTEXT.to_be_bytes()[..], b"base:allocation"].concat();
            encode_option_reply(bytes, option, OptionReply::MetaContext, &context);
            encode_option_reply(bytes, option, OptionReply::Ack, &[]);
        }
        GO => {
            let export = Info::Export { size: facts.size, flags: facts.flags };
            let blocks = Info::BlockSize {
                min: facts.block_min,
                preferred: facts.block_preferred,
                max: facts.payload_max,
            };
            encode_option_reply(bytes, option, OptionReply::Info, &export.encode());
            encode_option_reply(bytes, option, OptionReply::Info, &blocks.encode());
            encode_option_reply(bytes, option, OptionReply::Ack, &[]);
        }
        _ => encode_option_reply(bytes, option, OptionReply::Unsupported, b"not here"),
    }
    option == GO
}

/// Performs a request and returns its answer.
fn perform(request: &Request, payload: &[u8], state: &ServerState) -> Vec<u8> {
    let mut content = lock(&state.content);
    let (start, length) = (request.offset as usize, request.length as usize);
    let done = simple_reply(None, request.cookie).to_vec();
    match request.command {
        Command::Read if state.structured => {
            // In two chunks, the second one first.
            let middle = length / 2;
            let (first, second) = content[start..start + length].split_at(middle);
            let mut early = Payload::Data { offset: request.offset + middle as u64, data: second }
                .encode_last(request.cookie);
            early[5] = 0;
            [early, Payload::Data { offset: request.offset, data: first }.encode_last(request.cookie)]
                .concat()
        }
        Command::Read => [done, content[start..start + length].to_vec()].concat(),
        Command::Write => {
            content[start..start + length].copy_from_slice(payload);
            done
        }
        Command::WriteZeroes => {
            content[start..start + length].fill(0);
            done
        }
        Command::BlockStatus => {
            let half = request.length / 2;
            let extents = vec![(half, 0), (request.length - half, 3)];
            Payload::Status { context: CONTEXT, extents }.encode_last(request.cookie)
        }
        _ => done,
    }
}
