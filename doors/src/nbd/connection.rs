//! One connection from greeting to goodbye.
//!
//! ```text
//!  Receiver ──> read_requests ──> running requests ──> Outbox ──> client
//!                   │ waits for a permit                  │ gives permits back
//!                   └────────────── Window <──────────────┘
//! ```
//! While the export is held the reader stops between two requests, and bytes that it has not taken yet move to the place where the
//! connection goes on: see `pause.rs`. All of it is one task: what arrives together is worked on together and answered together, and when
//! the task ends nothing of the connection is left. Requests run side by side and are answered in the order in which they end.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use block::socket::{Chunk, Stream};
use block::{BlockDevice, Buffer, Host, Ring};
use futures_util::FutureExt;
use futures_util::future::{Either, FusedFuture, join3, select};

use super::directory::NegotiatedClient;
use super::door::NbdDoor;
use super::export::{Attachment, ChangeOrder, Export};
use super::handshake::{Agreement, Catalog, Handshake, HandshakeStep};
use super::limits::{DRAIN_MAX, PREFETCH_BETWEEN, REQUEST_COST, TURN_BYTES};
use super::line::Line;
use super::option::greeting;
use super::outbox::Outbox;
use super::pause::PausedConnection;
use super::receiver::{ReceiveEnd, Receiver};
use super::request::{NbdTerms, changes, check, halves_of_short_read, perform, reply, try_reply_cached};
use super::window::{Permit, Window};
use super::wire::{Command, Request};
use crate::flights::Flights;
use block::turn;

/// Serves one client of `door` until it leaves, breaks the protocol, or is disconnected. Never fails: errors concern this client only, and
/// are counted.
pub async fn serve_connection<D: BlockDevice, H: Host>(stream: Stream, door: Rc<NbdDoor<D>>, host: H) {
    let line = Line::clear(stream);
    let mut receiver = Receiver::new(&line);
    let negotiated = {
        let handshake = choose(&line, &mut receiver, &door);
        let timeout = host.sleep(door.limits().handshake_ns);
        match select(pin!(handshake), pin!(timeout)).await {
            Either::Left((negotiated, _)) => negotiated,
            Either::Right(_) => Err(ReceiveEnd::Violation("The handshake took too long")),
        }
    };
    match negotiated {
        Ok((attachment, terms)) => serve_requests(line, receiver, attachment, terms, &door).await,
        Err(ReceiveEnd::Violation(reason)) => {
            tracing::debug!(reason, "an NBD client broke the protocol in its handshake");
            door.count_handshake_error();
            line.end();
        }
        Err(ReceiveEnd::Gone | ReceiveEnd::Held) => line.end(),
    }
}

/// Takes over a client that was at rest at another door, for `export`: it is registered from now on, so that ending the export's
/// connections ends this one too.
pub(crate) fn take_up<D: BlockDevice>(
    ring: &Ring,
    paused: PausedConnection,
    export: &Rc<Export<D>>,
    door: Rc<NbdDoor<D>>,
) -> impl Future<Output = ()> + use<D> {
    let PausedConnection { line, pending, terms } = paused;
    let line = Line::from_handle(ring, line);
    let receiver = Receiver::resume(&line, &pending);
    let attachment = export.attach(&line);
    async move { serve_requests(line, receiver, attachment, terms, &door).await }
}

/// Takes a client that has chosen `export` at a shared address: it is answered here, where its requests will be.
pub(crate) async fn take_in<D: BlockDevice>(
    ring: Ring,
    client: NegotiatedClient,
    export: Rc<Export<D>>,
    door: Rc<NbdDoor<D>>,
) {
    let NegotiatedClient { connection: PausedConnection { line, pending, terms }, facts_sent, answer } =
        client;
    let line = Line::from_handle(&ring, line);
    let entry = export.entry();
    if !entry.as_ref().is_ok_and(|entry| entry.facts == facts_sent) {
        // It is full, about to leave, or differs from the facts that the client has: it has to ask again.
        tracing::debug!(
            disk = export.name(),
            refusal = ?entry.err(),
            "closed an NBD client over TCP that had chosen this disk; without a refusal, the disk is not what it was told"
        );
        line.end();
        return;
    }
    let receiver = Receiver::resume(&line, &pending);
    let attachment = export.attach(&line);
    match send(&line, &answer).await {
        Ok(()) => serve_requests(line, receiver, attachment, terms, &door).await,
        Err(_) => line.stream().shutdown(),
    }
}

/// Serves a client's requests until it is gone, or at rest because the export is held.
async fn serve_requests<D: BlockDevice>(
    line: Line,
    mut receiver: Receiver,
    attachment: Attachment<D>,
    terms: NbdTerms,
    door: &NbdDoor<D>,
) {
    let export = Rc::clone(&attachment.export);
    loop {
        match transmit(&line, &mut receiver, &attachment, terms).await {
            // Called off by the time that the last request had ended.
            ReceiveEnd::Held if !export.gate.is_held() => {}
            ReceiveEnd::Held => {
                let pending = receiver.pending().to_vec();
                drop(attachment);
                drop(receiver);
                door.rest(PausedConnection { line: line.into_handle(), pending, terms });
                return;
            }
            ReceiveEnd::Violation(reason) => {
                tracing::debug!(reason, disk = export.name(), "an NBD client broke the protocol");
                export.count_protocol_error();
                break;
            }
            ReceiveEnd::Gone => break,
        }
    }
    line.end();
}

/// Runs the handshake until the client has chosen an export of `door`.
async fn choose<D: BlockDevice>(
    line: &Line,
    receiver: &mut Receiver,
    door: &NbdDoor<D>,
) -> Result<(Attachment<D>, NbdTerms), ReceiveEnd> {
    greet(line).await?;
    match negotiate(line, receiver, &mut Handshake::new(), door).await? {
        Negotiated::Agreed(Agreement { name, facts, replies, block_status }, answer) => {
            // Attached before anything else can happen: the handshake has just checked.
            let export = door.export(&name).expect("the handshake agrees only on what the door serves");
            let attachment = export.attach(line);
            send(line, &answer).await?;
            Ok((attachment, NbdTerms { replies, block_status, block_min: facts.block_min }))
        }
        Negotiated::Encrypt => unreachable!("this handshake knows no encryption"),
    }
}

/// Result of option negotiation.
pub(crate) enum Negotiated {
    /// The client has chosen; the answer to that is not sent yet.
    Agreed(Agreement, Vec<u8>),
    /// Encryption is to begin; the client has been informed.
    Encrypt,
}

pub(crate) async fn greet(line: &Line) -> Result<(), ReceiveEnd> {
    send(line, &greeting()).await
}

/// Answers options until the client has chosen one of `catalog`, or wants to encrypt.
pub(crate) async fn negotiate(
    line: &Line,
    receiver: &mut Receiver,
    handshake: &mut Handshake,
    catalog: &impl Catalog,
) -> Result<Negotiated, ReceiveEnd> {
    loop {
        let mut output = Vec::new();
        let mut input = receiver.pending();
        let step = handshake.step(&mut input, catalog, &mut output);
        let consumed = receiver.pending().len() - input.len();
        receiver.consume(consumed);
        match step {
            HandshakeStep::NeedInput => receiver.fill().await?,
            HandshakeStep::Answered => send(line, &output).await?,
            HandshakeStep::Encrypt => {
                send(line, &output).await?;
                return Ok(Negotiated::Encrypt);
            }
            HandshakeStep::Leave => {
                send(line, &output).await?;
                return Err(ReceiveEnd::Gone);
            }
            HandshakeStep::Violation(reason) => return Err(ReceiveEnd::Violation(reason)),
            HandshakeStep::Serve(agreement) => return Ok(Negotiated::Agreed(agreement, output)),
        }
    }
}

async fn send(line: &Line, bytes: &[u8]) -> Result<(), ReceiveEnd> {
    let buffer = Buffer::copy_of(bytes);
    let chunk = Chunk::Buffer { buffer, range: 0..bytes.len() };
    line.send(vec![chunk]).await.1?;
    Ok(())
}

/// State that the requests of a connection share.
struct ConnectionState<D> {
    export: Rc<Export<D>>,
    order: Rc<ChangeOrder>,
    terms: NbdTerms,
    window: Rc<Window>,
    outbox: Outbox,
    line: Line,
}

impl<D: BlockDevice> ConnectionState<D> {
    /// Ends a pause, with a long piece of work ahead: what others have queued on the ring goes to the kernel first, and not only when this
    /// thread polls for the second time.
    fn end_pause(&self) {
        self.outbox.end_pause();
        self.line.stream().submit_queued();
    }

    /// Waits until a request with `bytes` of payload may be in flight, and the client is there: one that is gone may have gone on elsewhere
    /// while its request waited, and its newer writes there must not be overwritten by its older ones here.
    async fn admit(&self, bytes: u32) -> Result<Permit, ReceiveEnd> {
        let mut admitted = pin!(self.window.admit(bytes));
        let permit = if let Some(permit) = admitted.as_mut().now_or_never() {
            permit
        } else {
            let permit = admitted.await;
            // Nothing may have been on its way to it that could have failed.
            if self.line.is_cut() {
                return Err(ReceiveEnd::Gone);
            }
            permit
        };
        if self.outbox.is_broken() { Err(ReceiveEnd::Gone) } else { Ok(permit) }
    }
}

/// Runs the transmission phase. Ends when the client has, or when the export is held, and all requests in flight are over.
async fn transmit<D: BlockDevice>(
    line: &Line,
    receiver: &mut Receiver,
    attachment: &Attachment<D>,
    terms: NbdTerms,
) -> ReceiveEnd {
    // It may have rested for long, with requests that were read before.
    if line.is_cut() {
        return ReceiveEnd::Gone;
    }
    let (export, order) = (Rc::clone(&attachment.export), Rc::clone(&attachment.order));
    let window = Window::new(export.limits(), export.budget());
    let line = line.clone();
    let session = Rc::new(ConnectionState { export, order, terms, window, outbox: Outbox::default(), line });
    let flights = RefCell::new(Flights::new());
    let finished = Cell::new(false);

    let read = async {
        let start = |request, payload, permit| {
            flights.borrow_mut().begin(execute(Rc::clone(&session), request, payload, permit));
        };
        let end = read_requests(receiver, &session, start).await;
        let _lifted = session.export.device().lift_limits();
        session.window.idle().await;
        session.outbox.close();
        finished.set(true);
        end
    };
    let pauses = Cell::new(false);
    let run = poll_fn(|context| {
        if pauses.replace(false) {
            session.end_pause();
        }
        let (mut flights, mut cost) = (flights.borrow_mut(), 0);
        while let Poll::Ready(more) = flights.poll_next(context) {
            cost += more;
            if cost >= TURN_BYTES && flights.woken() > 0 {
                // Devices complete requests in bursts: others have a turn before all of one are answered.
                pauses.set(true);
                session.outbox.begin_pause();
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        if finished.get() { Poll::Ready(()) } else { Poll::Pending }
    });
    // The order matters: requests that the first starts are awaited by the second, and the answers of these are sent by the third, all in
    // one go; nothing else would wake it.
    join3(read, run, session.outbox.send_all(&session.line)).await.0
}

/// Reads requests and starts them until the client leaves, or the export drains or is held.
async fn read_requests<D: BlockDevice>(
    receiver: &mut Receiver,
    session: &ConnectionState<D>,
    start: impl Fn(Request, Option<Buffer>, Permit),
) -> ReceiveEnd {
    let gate = &session.export.gate;
    let mut held = pin!(gate.closes().fuse());
    let mut cost = 0;
    loop {
        if cost >= TURN_BYTES && receiver.glimpse(0).is_some() {
            // All of them have arrived: what is queued goes with the replies of the next ones.
            session.outbox.begin_pause();
            turn().await;
            session.end_pause();
            cost = 0;
        }
        // Before it can rest: requests at rest are begun later.
        if session.outbox.is_broken() {
            return ReceiveEnd::Gone;
        }
        // Only between two requests: one whose payload is on its way is taken in as a whole.
        if gate.is_held() {
            return ReceiveEnd::Held;
        }
        if held.is_terminated() {
            // It was held, and the hold was cancelled before this ran.
            held.set(gate.closes().fuse());
        }
        let ended = match receiver.next_request() {
            Ok(Some(request)) if request.command == Command::Disconnect => Err(ReceiveEnd::Gone),
            Ok(Some(request)) => {
                cost += cost_of(&request);
                accept_request(receiver, session, request, &start).await
            }
            Ok(None) => receiver.fill_unless(held.as_mut()).await,
            Err(end) => Err(end),
        };
        if let Err(end) = ended {
            return end;
        }
        if session.export.is_draining() {
            return ReceiveEnd::Gone;
        }
    }
}

/// Takes one request in, with its payload, and starts it or refuses it.
async fn accept_request<D: BlockDevice>(
    receiver: &mut Receiver,
    session: &ConnectionState<D>,
    request: Request,
    start: &impl Fn(Request, Option<Buffer>, Permit),
) -> Result<(), ReceiveEnd> {
    session.export.count_request();
    let payload_bytes = request.payload_bytes();
    if let Err(failure) = check(&request, &session.export.device().geometry(), session.terms) {
        if payload_bytes > DRAIN_MAX {
            return Err(ReceiveEnd::Violation("Request with a payload of more than 64 MiB"));
        }
        let permit = session.admit(0).await?;
        receiver.skip(payload_bytes).await?;
        session.outbox.push(reply(&request, session.terms, Err(failure)), permit);
        return Ok(());
    }
    let device = session.export.device();
    let later = receiver.glimpse(PREFETCH_BETWEEN).and_then(|later| halves_of_short_read(&later));
    if let Some([first, _]) = later {
        device.prefetch(first);
    }
    let moved = if request.command == Command::Read { request.length } else { payload_bytes };
    let permit = session.admit(moved).await?;
    let from_cache = |out: &mut Vec<u8>| try_reply_cached(device, &request, session.terms, out);
    let left = session.outbox.gather(permit, from_cache);
    if let Some([_, second]) = later {
        device.prefetch(second);
    }
    let Some(permit) = left else { return Ok(()) };
    let payload =
        if payload_bytes > 0 { Some(receiver.payload(payload_bytes as usize).await?) } else { None };
    if session.outbox.is_broken() {
        return Err(ReceiveEnd::Gone);
    }
    // Its client may have gone on elsewhere while it waited in the socket: after a pause of this process, for example.
    if changes(request.command) && !session.export.may_begin_change(&session.order, &session.line, receiver) {
        tracing::debug!(
            disk = session.export.name(),
            "an NBD client was gone before its change began, and another one changed the disk since: it is left out"
        );
        return Err(ReceiveEnd::Gone);
    }
    start(request, payload, permit);
    Ok(())
}

/// Returns what a request counts in a turn.
fn cost_of(request: &Request) -> usize {
    (request.length as usize).max(REQUEST_COST)
}

/// Performs one request and queues its reply. Returns what it counts in a turn.
async fn execute<D: BlockDevice>(
    session: Rc<ConnectionState<D>>,
    request: Request,
    payload: Option<Buffer>,
    permit: Permit,
) -> usize {
    let outcome = perform(session.export.device(), &request, payload).await;
    session.outbox.push(reply(&request, session.terms, outcome), permit);
    cost_of(&request)
}
