//! One connection: the messages of a front end, one after the other, until it leaves or the door does.
//!
//! Everything that a front end has sent is [`FrontendState`]: descriptors, mappings and numbers, which outlive the thread that received it.
//! Messages are done in their order, and the next one is read when the last is answered; queues work beside that. One message waits:
//! `GET_VRING_BASE` is not answered before all requests that were taken from the queue are, because the front end moves the guest's memory
//! elsewhere afterwards.
//!
//! A message that cannot be done gets an error if the front end wants an answer, and otherwise ends the connection.

mod queues;

use std::io;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use block::socket::{Chunk, Stream, StreamHandle, close};
use block::{BlockDevice, Buffer, Host, Ring};
use vhost::vhost_user::message::{
    FrontendReq, VHOST_USER_CONFIG_OFFSET, VhostUserConfig, VhostUserLog, VhostUserMemory,
    VhostUserMemoryRegion, VhostUserProtocolFeatures, VhostUserSingleMemoryRegion,
};

use super::config::configuration;
use super::door::{Claim, VhostUserDoor};
use super::files::Kind;
use super::inflight::{Inflight, Shape};
use super::limits::{CONFIGURATION_BYTES, FILES_MAX, MESSAGE_BYTES_MAX, QUEUES_MAX, REGIONS_MAX};
use super::log::DirtyLog;
use super::memory::{Memory, Regions};
use super::message::{HEADER_BYTES, Header, Message, reply, shape_bytes};
use super::notices::Notices;
use super::offered::{features, features_accepted, features_offered, protocol_offered};
use super::setup::Setup;
use super::vring::Vring;
use crate::phase::Phase;

/// The bit of the status by which a device reports that it needs a reset to go on.
const NEEDS_RESET: u8 = 64;

/// State that a front end has sent so far. Fit for other threads.
#[derive(Default)]
pub(crate) struct FrontendState {
    features: u64,
    protocol: u64,
    regions: Regions,
    log: Arc<DirtyLog>,
    inflight: Option<Inflight>,
    queues: Vec<Setup>,
    /// By queue, whether it works, or did when the connection was paused.
    started: Vec<bool>,
    /// The size of the disk as the front end knows it, and its socket for notices of changes.
    known: Option<u64>,
    notices: Option<Arc<OwnedFd>>,
    /// Status set by the guest's driver (virtio 1.2, section 2.1, "Device Status Field").
    status: u8,
}

/// Consequence of a message.
enum Outcome {
    /// Nothing but the acknowledgement that the front end may have asked for.
    Done,
    Reply(Vec<u8>),
    ReplyWithFile(Vec<u8>, OwnedFd),
}

/// Reason why no more messages are read.
enum MessageEnd {
    Gone,
    /// The door does not want any now.
    Interrupted,
    Violation(String),
}

struct Connection<D, H> {
    door: Rc<VhostUserDoor<D>>,
    stream: Stream,
    ring: Ring,
    host: H,
    state: FrontendState,
    memory: Option<Rc<Memory>>,
    vrings: Vec<Option<Rc<Vring<D>>>>,
    /// Records of requests in flight that queues of this connection work on, or did.
    claims: Vec<Claim<D>>,
    notices: Option<Rc<Notices>>,
}

/// Serves a front end with the given `state`, until it leaves, breaks the protocol, or the door closes. If the door is held instead,
/// returns the state to go on with elsewhere. Either way nothing is in flight any more.
pub(crate) async fn serve<D: BlockDevice, H: Host>(
    door: Rc<VhostUserDoor<D>>,
    stream: Stream,
    mut state: FrontendState,
    ring: Ring,
    host: H,
) -> Option<(StreamHandle, FrontendState)> {
    state.queues.resize_with(QUEUES_MAX, Setup::default);
    state.started.resize(QUEUES_MAX, false);
    let vrings = (0..QUEUES_MAX).map(|_| None).collect();
    let mut connection = Connection {
        door,
        stream,
        ring,
        host,
        state,
        memory: None,
        vrings,
        claims: Vec::new(),
        notices: None,
    };
    loop {
        let end = match connection.resume().await {
            Ok(()) => connection.serve_messages().await,
            Err(reason) => MessageEnd::Violation(reason),
        };
        connection.halt().await;
        match (end, connection.door.phase()) {
            (MessageEnd::Interrupted, Phase::Held) => {
                return Some((connection.stream.into_handle(), connection.state));
            }
            // Called off by the time that the last request had ended.
            (MessageEnd::Interrupted, Phase::Open) => {}
            (MessageEnd::Violation(reason), _) => {
                connection.door.count_protocol_error();
                connection.door.say_sent_away(&reason, connection.host.now());
                break;
            }
            (MessageEnd::Gone | MessageEnd::Interrupted, _) => break,
        }
    }
    connection.stream.shutdown();
    None
}

impl<D: BlockDevice, H: Host> Connection<D, H> {
    /// Begins, or goes on, with the queues that should be at work.
    async fn resume(&mut self) -> Result<(), String> {
        self.memory = self.state.regions.memory(&self.state.log)?.map(Rc::new);
        self.tell_changes();
        for index in 0..QUEUES_MAX {
            if self.state.started[index] {
                self.start(index).await?;
            }
        }
        Ok(())
    }

    /// Stops all queues, and remembers where they were.
    async fn halt(&mut self) {
        // All at once, so that none takes more while another one ends.
        let stopping =
            self.vrings.iter().enumerate().filter_map(|(index, vring)| Some((index, vring.as_ref()?)));
        let bases =
            futures_util::future::join_all(stopping.map(async |(index, vring)| (index, vring.stop().await)))
                .await;
        for (index, base) in bases {
            self.state.queues[index].base = base;
            self.state.queues[index].broken =
                self.vrings[index].take().is_some_and(|vring| vring.is_broken());
        }
        self.claims.clear();
        self.tell_no_changes();
        self.memory = None;
    }

    async fn serve_messages(&mut self) -> MessageEnd {
        loop {
            let (header, mut message) = match self.receive().await {
                Ok(received) => received,
                Err(end) => return end,
            };
            let wants_to_know = header.needs_reply
                && self.agreed(VhostUserProtocolFeatures::REPLY_ACK)
                && !has_reply(header.request);
            let outcome = self.perform(&mut message).await;
            let sent = match outcome {
                Ok(Outcome::Reply(bytes)) => self.send(&bytes).await,
                Ok(Outcome::ReplyWithFile(bytes, file)) => {
                    self.stream.send_with_file(&bytes, Arc::new(file)).await.is_ok()
                }
                Ok(Outcome::Done) if !wants_to_know => true,
                Ok(Outcome::Done) => self.send(&reply(header.request, &0u64.to_ne_bytes())).await,
                Err(reason) if wants_to_know => {
                    tracing::warn!("A front end of disk '{}' was refused {reason}", self.door.name());
                    self.send(&reply(header.request, &1u64.to_ne_bytes())).await
                }
                Err(reason) => return MessageEnd::Violation(format!("it sent {reason}")),
            };
            if !sent {
                return MessageEnd::Gone;
            }
        }
    }

    async fn receive(&self) -> Result<(Header, Message), MessageEnd> {
        let mut files = Vec::new();
        let bytes = self.receive_bytes(HEADER_BYTES, &mut files, self.door.leaves(Phase::Open)).await?;
        let bytes = bytes.first_chunk().expect("so many were received");
        let header =
            Header::decode(bytes).map_err(|reason| MessageEnd::Violation(format!("it sent {reason}")))?;
        let body = self.receive_bytes(header.body_bytes, &mut files, self.door.closes()).await?;
        Ok((header, Message::new(&header, body, files)))
    }

    /// Receives exactly the given number of bytes. Before the first, `stop` ends it; later only the end of the door, so that no message is
    /// torn.
    async fn receive_bytes(
        &self,
        count: usize,
        files: &mut Vec<(Kind, OwnedFd)>,
        stop: impl Future<Output = ()>,
    ) -> Result<Vec<u8>, MessageEnd> {
        assert!(count <= MESSAGE_BYTES_MAX, "looked at in the header");
        let mut stop = pin!(stop);
        let (mut buffer, mut have) = (Buffer::zeroed(count), 0);
        while have < count {
            let received;
            (buffer, received) = if have == 0 {
                self.stream.receive_with_files(buffer, 0..count, stop.as_mut()).await
            } else {
                self.stream.receive_with_files(buffer, have..count, self.door.closes()).await
            };
            let received = match received {
                Ok(received) => received.ok_or(MessageEnd::Interrupted)?,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    let reason =
                        "it sent more files with a message than can be taken, or we may open no more";
                    return Err(MessageEnd::Violation(reason.to_owned()));
                }
                Err(_) => return Err(MessageEnd::Gone),
            };
            self.look_at(received.files, files)?;
            if received.count == 0 {
                let torn = MessageEnd::Violation("it sent half a message".to_owned());
                return Err(if have == 0 { MessageEnd::Gone } else { torn });
            }
            have += received.count;
        }
        Ok(buffer.to_vec())
    }

    /// Determines the kinds of received files. Those that may block are closed where that does no harm.
    fn look_at(&self, came: Vec<OwnedFd>, files: &mut Vec<(Kind, OwnedFd)>) -> Result<(), MessageEnd> {
        let mut outcome = Ok(());
        for file in came {
            match Kind::of(&file) {
                Some(kind) if files.len() < FILES_MAX => files.push((kind, file)),
                Some(_) => {
                    outcome =
                        Err(MessageEnd::Violation(format!("it sent more than {FILES_MAX} files at once")));
                }
                None => {
                    let (ring, reason) = (
                        self.ring.clone(),
                        "it sent a file that is neither memory (memfd, tmpfs, hugetlbfs) nor an event nor a Unix socket",
                    );
                    self.host.spawn(async move { close(&ring, file).await });
                    outcome = Err(MessageEnd::Violation(reason.to_owned()));
                }
            }
        }
        outcome
    }

    async fn send(&self, bytes: &[u8]) -> bool {
        let chunk = Chunk::Buffer { buffer: Buffer::copy_of(bytes), range: 0..bytes.len() };
        self.stream.send(vec![chunk]).await.1.is_ok()
    }

    fn agreed(&self, feature: VhostUserProtocolFeatures) -> bool {
        self.state.protocol & feature.bits() != 0
    }

    /// Performs a message.
    async fn perform(&mut self, message: &mut Message) -> Result<Outcome, String> {
        let number = |value: u64| Ok(Outcome::Reply(reply(message.request, &value.to_ne_bytes())));
        match message.request {
            FrontendReq::GET_FEATURES => return number(features_offered(&self.door.device().geometry())),
            FrontendReq::GET_PROTOCOL_FEATURES => return number(protocol_offered()),
            FrontendReq::GET_QUEUE_NUM => return number(QUEUES_MAX as u64),
            FrontendReq::GET_MAX_MEM_SLOTS => return number(REGIONS_MAX as u64),
            FrontendReq::GET_CONFIG => return self.get_configuration(message),
            FrontendReq::GET_INFLIGHT_FD => return get_inflight(message),
            FrontendReq::GET_VRING_BASE => return self.get_base(message).await,
            FrontendReq::SET_LOG_BASE => return self.set_log(message),
            FrontendReq::GET_STATUS => return number(self.status().into()),
            FrontendReq::SET_STATUS => self.set_status(message.number()?).await,
            FrontendReq::SET_BACKEND_REQ_FD => {
                self.state.notices = Some(Arc::new(message.file(Kind::Socket)?));
                self.tell_no_changes();
                self.tell_changes();
            }
            FrontendReq::SET_OWNER | FrontendReq::RESET_OWNER => {}
            FrontendReq::SET_FEATURES => self.set_features(message.number()?)?,
            FrontendReq::SET_PROTOCOL_FEATURES => self.set_protocol(message.number()?)?,
            FrontendReq::SET_MEM_TABLE => self.set_memory(message)?,
            FrontendReq::ADD_MEM_REG | FrontendReq::REM_MEM_REG => self.change_memory(message)?,
            FrontendReq::SET_INFLIGHT_FD => self.set_inflight(message)?,
            FrontendReq::SET_VRING_NUM | FrontendReq::SET_VRING_BASE | FrontendReq::SET_VRING_ENABLE => {
                self.set_of_queue(message).await?;
            }
            FrontendReq::SET_VRING_ADDR => self.set_addresses(message)?,
            FrontendReq::SET_VRING_KICK => self.set_kick(message).await?,
            FrontendReq::SET_VRING_CALL | FrontendReq::SET_VRING_ERR => self.set_event(message)?,
            other => return Err(format!("{other:?}, which is not offered")),
        }
        Ok(Outcome::Done)
    }

    fn set_features(&mut self, features: u64) -> Result<(), String> {
        let unknown = features & !features_accepted(&self.door.device().geometry());
        if unknown != 0 {
            return Err(format!("features {unknown:#x}, which are not offered"));
        }
        self.state.features = features;
        self.state.log.turn(features & features::LOG_ALL != 0);
        if features & features::PROTOCOL_FEATURES == 0 {
            // No message enables them: SET_VRING_ENABLE has to be negotiated.
            self.state.queues.iter_mut().for_each(|queue| queue.enabled = true);
        }
        Ok(())
    }

    fn set_protocol(&mut self, features: u64) -> Result<(), String> {
        let unknown = features & !protocol_offered();
        if unknown != 0 {
            return Err(format!("protocol features {unknown:#x}, which are not offered"));
        }
        self.state.protocol = features;
        Ok(())
    }

    fn get_configuration(&mut self, message: &Message) -> Result<Outcome, String> {
        let (asked, _) = message.split::<VhostUserConfig>()?;
        let size = asked.size as usize;
        // Cloud Hypervisor before 51.0 names the beginning of the space by its place in that of the virtio device.
        let offset = if asked.offset == VHOST_USER_CONFIG_OFFSET { 0 } else { asked.offset as usize };
        let geometry = self.door.device().geometry();
        let space = configuration(&geometry);
        let mut body = Vec::new();
        // A reply without a body means that it is not available.
        if offset + size <= CONFIGURATION_BYTES {
            for word in [asked.offset, asked.size, asked.flags] {
                body.extend(word.to_ne_bytes());
            }
            body.extend(&space[offset..offset + size]);
        }
        self.state.known = Some(geometry.size);
        if let Some(notices) = &self.notices {
            notices.set_known(geometry.size);
        }
        Ok(Outcome::Reply(reply(message.request, &body)))
    }

    /// Starts notices of changes to the front end, if it wants them.
    fn tell_changes(&mut self) {
        if let Some(socket) = &self.state.notices {
            let notices = Notices::new(Arc::clone(socket), self.state.known);
            notices.set_queues(self.queues_at_work(), &self.door);
            self.host.spawn(Rc::clone(&notices).run(Rc::clone(&self.door), self.ring.clone()));
            self.notices = Some(notices);
        }
    }

    fn tell_no_changes(&mut self) {
        if let Some(notices) = self.notices.take() {
            self.state.known = notices.known();
            notices.end(&self.door);
        }
    }

    fn queues_at_work(&self) -> usize {
        self.vrings.iter().flatten().count()
    }

    fn count_queues(&self) {
        if let Some(notices) = &self.notices {
            notices.set_queues(self.queues_at_work(), &self.door);
        }
    }

    fn status(&self) -> u8 {
        let broken = self.vrings.iter().flatten().any(|vring| vring.is_broken());
        self.state.status | if broken { NEEDS_RESET } else { 0 }
    }

    /// Sets the status of the driver. Zero is a reset: all queues stop.
    async fn set_status(&mut self, status: u64) {
        // Only the device sets that.
        self.state.status = status as u8 & !NEEDS_RESET;
        if status == 0 {
            for index in 0..QUEUES_MAX {
                self.stop(index).await;
            }
        }
    }

    fn set_memory(&mut self, message: &mut Message) -> Result<(), String> {
        let (table, mut rest) = message.split::<VhostUserMemory>()?;
        let count = table.num_regions as usize;
        if message.files.len() != count || rest.len() != count * size_of::<VhostUserMemoryRegion>() {
            return Err(format!(
                "{count} regions of memory with {} files and {} bytes",
                message.files.len(),
                rest.len()
            ));
        }
        let mut described = Vec::with_capacity(count);
        while let Some((bytes, behind)) = rest.split_at_checked(size_of::<VhostUserMemoryRegion>()) {
            let mut region = VhostUserMemoryRegion::default();
            vm_memory::ByteValued::as_mut_slice(&mut region).copy_from_slice(bytes);
            described.push(region);
            rest = behind;
        }
        let mut regions = Regions::default();
        for (region, (kind, file)) in described.iter().zip(message.files.drain(..)) {
            if kind != Kind::Memory {
                return Err(format!("a file that is no memory: {kind:?}"));
            }
            regions.add(region, file, self.door.regions())?;
        }
        self.use_memory(regions)
    }

    fn change_memory(&mut self, message: &mut Message) -> Result<(), String> {
        let region = message.body::<VhostUserSingleMemoryRegion>()?;
        let mut regions = self.state.regions.clone();
        if message.request == FrontendReq::ADD_MEM_REG {
            regions.add(&region, message.file(Kind::Memory)?, self.door.regions())?;
        } else {
            regions.remove(&region)?;
        }
        self.use_memory(regions)
    }

    /// Continues with these regions, if they are possible.
    fn use_memory(&mut self, regions: Regions) -> Result<(), String> {
        self.memory = regions.memory(&self.state.log)?.map(Rc::new);
        self.state.regions = regions;
        for vring in self.vrings.iter().flatten() {
            vring.set_memory(self.memory.as_ref());
        }
        Ok(())
    }

    fn set_log(&mut self, message: &mut Message) -> Result<Outcome, String> {
        let file = message.file(Kind::Memory)?;
        let log = message.body::<VhostUserLog>()?;
        self.state.log.set(file, log.mmap_offset, log.mmap_size)?;
        let body = [log.mmap_size.to_ne_bytes(), log.mmap_offset.to_ne_bytes()].concat();
        Ok(Outcome::Reply(reply(message.request, &body)))
    }

    fn set_inflight(&mut self, message: &mut Message) -> Result<(), String> {
        let file = message.file(Kind::Memory)?;
        self.state.inflight = Some(Inflight::open(file, message.shape()?)?);
        Ok(())
    }
}

/// Creates a new region for requests in flight; one of no bytes, and no file, if there can be none.
fn get_inflight(message: &Message) -> Result<Outcome, String> {
    let asked = message.shape()?;
    match Inflight::create(asked.queues, asked.queue_size) {
        Ok((_, shape, file)) => Ok(Outcome::ReplyWithFile(reply(message.request, &shape_bytes(shape)), file)),
        Err(reason) => {
            tracing::warn!("A front end goes on without a record of what is in flight: it wanted {reason}");
            let none = Shape { bytes: 0, ..asked };
            Ok(Outcome::Reply(reply(message.request, &shape_bytes(none))))
        }
    }
}

/// Returns true for requests whose answer is more than done or not done.
fn has_reply(request: FrontendReq) -> bool {
    matches!(
        request,
        FrontendReq::GET_FEATURES
            | FrontendReq::GET_PROTOCOL_FEATURES
            | FrontendReq::GET_QUEUE_NUM
            | FrontendReq::GET_MAX_MEM_SLOTS
            | FrontendReq::GET_CONFIG
            | FrontendReq::GET_INFLIGHT_FD
            | FrontendReq::GET_VRING_BASE
            | FrontendReq::SET_LOG_BASE
            | FrontendReq::GET_STATUS
    )
}
