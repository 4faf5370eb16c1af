//! One connection: the messages of a front end, one after the other, until it leaves or the door does.
//!
//! All that a front end has said is [`State`]: descriptors, mappings and numbers, which outlive the thread that heard it. Messages are done in
//! their order, and the next one is read when the last is answered; queues work beside that. One message waits: to
//! `GET_VRING_BASE` there is no answer before all that was taken from the queue is answered, because the front end takes the
//! guest's memory elsewhere afterwards.
//!
//! A message that cannot be done is answered so if the front end wants to know, and is else the end of the connection.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use block::socket::{Chunk, Stream, StreamHandle, close};
use block::{BlockDevice, Buffer, Host, Ring};
use vhost::vhost_user::message::{
    FrontendReq, VHOST_USER_CONFIG_OFFSET, VhostUserConfig, VhostUserLog, VhostUserMemory,
    VhostUserMemoryRegion, VhostUserProtocolFeatures, VhostUserSingleMemoryRegion, VhostUserVringAddr,
    VhostUserVringState,
};

use super::config::configuration;
use super::door::{Claim, Door, Phase};
use super::files::Kind;
use super::inflight::{Inflight, Shape};
use super::limits::{
    CONFIGURATION_BYTES, FILES_MAX, MESSAGE_BYTES_MAX, QUEUE_SIZE_MAX, QUEUES_MAX, REGIONS_MAX,
};
use super::log::DirtyLog;
use super::memory::{Memory, Regions};
use super::message::{HEADER_BYTES, Header, Message, reply, shape_bytes};
use super::request::Terms;
use super::vring::{Addresses, Setup, Surroundings, Vring};

/// Features of virtio and its block device (virtio 1.2, sections 5.2.3 and 6), by their bits.
pub(crate) mod features {
    pub(crate) const SIZE_MAX: u64 = 1 << 1;
    pub(crate) const SEG_MAX: u64 = 1 << 2;
    pub(crate) const RO: u64 = 1 << 5;
    pub(crate) const BLK_SIZE: u64 = 1 << 6;
    pub(crate) const FLUSH: u64 = 1 << 9;
    pub(crate) const TOPOLOGY: u64 = 1 << 10;
    pub(crate) const MQ: u64 = 1 << 12;
    pub(crate) const DISCARD: u64 = 1 << 13;
    pub(crate) const WRITE_ZEROES: u64 = 1 << 14;
    /// Writes are noted in the log: of vhost.
    pub(crate) const LOG_ALL: u64 = 1 << 26;
    /// A legacy driver may divide a request among descriptors as it likes, as all may here.
    pub(crate) const ANY_LAYOUT: u64 = 1 << 27;
    pub(crate) const INDIRECT_DESC: u64 = 1 << 28;
    pub(crate) const EVENT_IDX: u64 = 1 << 29;
    /// There is more to agree on: of vhost-user.
    pub(crate) const PROTOCOL_FEATURES: u64 = 1 << 30;
    pub(crate) const VERSION_1: u64 = 1 << 32;
}

/// What a front end has said so far. Fit for other threads.
#[derive(Default)]
pub(crate) struct State {
    features: u64,
    protocol: u64,
    regions: Regions,
    log: Arc<DirtyLog>,
    inflight: Option<Inflight>,
    queues: Vec<Setup>,
    /// By queue, whether it works, or did when the connection came to rest.
    started: Vec<bool>,
}

/// What follows a message.
enum Outcome {
    /// Nothing but what the front end may have asked to be told.
    Done,
    Reply(Vec<u8>),
    ReplyWithFile(Vec<u8>, OwnedFd),
}

/// Why no more messages are read.
enum End {
    Gone,
    /// The door does not want any now.
    Told,
    Violation(String),
}

struct Connection<D, H> {
    door: Rc<Door<D>>,
    stream: Stream,
    ring: Ring,
    host: H,
    state: State,
    memory: Option<Rc<Memory>>,
    vrings: Vec<Option<Rc<Vring<D>>>>,
    /// Records of what is in flight that queues of this connection work on, or did.
    claims: Vec<Claim<D>>,
}

/// Serves a front end that has said `state` before, until it leaves, breaks the protocol, or the door closes. If the door is held
/// instead, returns what can go on elsewhere. Either way nothing is in flight any more.
pub(crate) async fn serve<D: BlockDevice, H: Host>(
    door: Rc<Door<D>>,
    stream: Stream,
    mut state: State,
    ring: Ring,
    host: H,
) -> Option<(StreamHandle, State)> {
    state.queues.resize_with(QUEUES_MAX, Setup::default);
    state.started.resize(QUEUES_MAX, false);
    let vrings = (0..QUEUES_MAX).map(|_| None).collect();
    let mut connection =
        Connection { door, stream, ring, host, state, memory: None, vrings, claims: Vec::new() };
    loop {
        let end = match connection.resume().await {
            Ok(()) => connection.serve_messages().await,
            Err(reason) => End::Violation(reason),
        };
        connection.halt().await;
        match (end, connection.door.phase()) {
            (End::Told, Phase::Held) => return Some((connection.stream.into_handle(), connection.state)),
            // Called off by the time that the last request had ended.
            (End::Told, Phase::Open) => {}
            (End::Violation(reason), _) => {
                connection.door.count_protocol_error();
                tracing::warn!(
                    "The front end of a guest of disk '{}' was sent away: {reason}",
                    connection.door.name()
                );
                break;
            }
            (End::Gone | End::Told, _) => break,
        }
    }
    connection.stream.shutdown();
    None
}

impl<D: BlockDevice, H: Host> Connection<D, H> {
    /// Begins, or goes on, with the queues that should be at work.
    async fn resume(&mut self) -> Result<(), String> {
        self.memory = self.state.regions.memory(&self.state.log)?.map(Rc::new);
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
        self.memory = None;
    }

    async fn serve_messages(&mut self) -> End {
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
                Err(reason) => return End::Violation(format!("it sent {reason}")),
            };
            if !sent {
                return End::Gone;
            }
        }
    }

    async fn receive(&self) -> Result<(Header, Message), End> {
        let mut files = Vec::new();
        let bytes = self.receive_bytes(HEADER_BYTES, &mut files, self.door.leaves(Phase::Open)).await?;
        let bytes = bytes.first_chunk().expect("so many were received");
        let header = Header::decode(bytes).map_err(|reason| End::Violation(format!("it sent {reason}")))?;
        let body = self.receive_bytes(header.body_bytes, &mut files, self.door.closes()).await?;
        Ok((header, Message::new(&header, body, files)))
    }

    /// Receives exactly so many bytes. Before the first, `stop` ends it; later only the end of the door, so that no message is torn.
    async fn receive_bytes(
        &self,
        count: usize,
        files: &mut Vec<(Kind, OwnedFd)>,
        stop: impl Future<Output = ()>,
    ) -> Result<Vec<u8>, End> {
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
                Ok(received) => received.ok_or(End::Told)?,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    let reason =
                        "it sent more files with a message than can be taken, or we may open no more";
                    return Err(End::Violation(reason.to_owned()));
                }
                Err(_) => return Err(End::Gone),
            };
            self.look_at(received.files, files)?;
            if received.count == 0 {
                let torn = End::Violation("it sent half a message".to_owned());
                return Err(if have == 0 { End::Gone } else { torn });
            }
            have += received.count;
        }
        Ok(buffer.to_vec())
    }

    /// Sees what kinds of files came. Those that may make somebody wait are closed where nobody does.
    fn look_at(&self, came: Vec<OwnedFd>, files: &mut Vec<(Kind, OwnedFd)>) -> Result<(), End> {
        let mut outcome = Ok(());
        for file in came {
            match Kind::of(&file) {
                Some(kind) if files.len() < FILES_MAX => files.push((kind, file)),
                Some(_) => {
                    outcome = Err(End::Violation(format!("it sent more than {FILES_MAX} files at once")));
                }
                None => {
                    let (ring, reason) = (
                        self.ring.clone(),
                        "it sent a file that is neither memory (memfd, tmpfs, hugetlbfs) nor an event nor a Unix socket",
                    );
                    self.host.spawn(async move { close(&ring, file).await });
                    outcome = Err(End::Violation(reason.to_owned()));
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

    /// Does what a message asks for.
    async fn perform(&mut self, message: &mut Message) -> Result<Outcome, String> {
        let number = |value: u64| Ok(Outcome::Reply(reply(message.request, &value.to_ne_bytes())));
        match message.request {
            FrontendReq::GET_FEATURES => return number(self.features_offered()),
            FrontendReq::GET_PROTOCOL_FEATURES => return number(protocol_offered()),
            FrontendReq::GET_QUEUE_NUM => return number(QUEUES_MAX as u64),
            FrontendReq::GET_MAX_MEM_SLOTS => return number(REGIONS_MAX as u64),
            FrontendReq::GET_CONFIG => return self.get_configuration(message),
            FrontendReq::GET_INFLIGHT_FD => return get_inflight(message),
            FrontendReq::GET_VRING_BASE => return self.get_base(message).await,
            FrontendReq::SET_LOG_BASE => return self.set_log(message),
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

    fn features_offered(&self) -> u64 {
        use features::{
            ANY_LAYOUT, BLK_SIZE, DISCARD, EVENT_IDX, FLUSH, INDIRECT_DESC, LOG_ALL, MQ, PROTOCOL_FEATURES,
            RO, SEG_MAX, SIZE_MAX, TOPOLOGY, VERSION_1, WRITE_ZEROES,
        };
        let always = SIZE_MAX | SEG_MAX | BLK_SIZE | FLUSH | TOPOLOGY | MQ | LOG_ALL | ANY_LAYOUT;
        let rings = INDIRECT_DESC | EVENT_IDX;
        let changes = if self.door.device().geometry().read_only { RO } else { DISCARD | WRITE_ZEROES };
        always | rings | changes | PROTOCOL_FEATURES | VERSION_1
    }

    fn set_features(&mut self, features: u64) -> Result<(), String> {
        let unknown = features & !self.features_offered();
        if unknown != 0 {
            return Err(format!("features {unknown:#x}, which are not offered"));
        }
        self.state.features = features;
        self.state.log.turn(features & features::LOG_ALL != 0);
        if features & features::PROTOCOL_FEATURES == 0 {
            // Nobody will say so: SET_VRING_ENABLE is one of the things to agree on.
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

    fn get_configuration(&self, message: &Message) -> Result<Outcome, String> {
        let (asked, _) = message.split::<VhostUserConfig>()?;
        let size = asked.size as usize;
        // Cloud Hypervisor before 51.0 names the beginning of the space by its place in that of the virtio device.
        let offset = if asked.offset == VHOST_USER_CONFIG_OFFSET { 0 } else { asked.offset as usize };
        let space = configuration(&self.door.device().geometry());
        let mut body = Vec::new();
        // An answer without a body says that it cannot be had.
        if offset + size <= CONFIGURATION_BYTES {
            for word in [asked.offset, asked.size, asked.flags] {
                body.extend(word.to_ne_bytes());
            }
            body.extend(&space[offset..offset + size]);
        }
        Ok(Outcome::Reply(reply(message.request, &body)))
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

    /// Goes on with these regions, if they can be.
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

    async fn set_of_queue(&mut self, message: &Message) -> Result<(), String> {
        let said = message.body::<VhostUserVringState>()?;
        let (index, value) = (known(said.index.into())?, said.num);
        let works = self.vrings[index].as_ref();
        let queue = &mut self.state.queues[index];
        match message.request {
            FrontendReq::SET_VRING_ENABLE => {
                queue.enabled = value != 0;
                match works {
                    Some(vring) if queue.enabled => vring.enable(),
                    // A front end that pauses a guest for a copy of its memory may say no more than this.
                    Some(vring) => vring.disable().await,
                    None => {}
                }
            }
            _ if works.is_some() => {
                return Err(format!("{:?} of queue {index}, which is at work", message.request));
            }
            FrontendReq::SET_VRING_NUM => {
                let size = u16::try_from(value)
                    .ok()
                    .filter(|size| size.is_power_of_two() && *size <= QUEUE_SIZE_MAX);
                queue.size = size.ok_or_else(|| format!("queue {index} of {value} entries"))?;
            }
            _ => queue.base = value as u16,
        }
        Ok(())
    }

    fn set_addresses(&mut self, message: &Message) -> Result<(), String> {
        let said = message.body::<VhostUserVringAddr>()?;
        let index = known(said.index.into())?;
        let addresses = Addresses {
            descriptors: said.descriptor,
            available: said.available,
            used: said.used,
            log: (said.flags & 1 != 0).then_some(said.log),
        };
        self.state.queues[index].addresses = Some(addresses);
        match &self.vrings[index] {
            // A migration begins or ends: only the log is another.
            Some(vring) => vring.set_log(addresses),
            None => Ok(()),
        }
    }

    /// Takes over the event by which the guest kicks, which begins the queue.
    async fn set_kick(&mut self, message: &mut Message) -> Result<(), String> {
        let (index, file) = event_of(message)?;
        let file = file.ok_or_else(|| format!("queue {index} without an event that starts it"))?;
        self.stop(index).await;
        self.state.queues[index].kick = Some(file);
        self.start(index).await
    }

    fn set_event(&mut self, message: &mut Message) -> Result<(), String> {
        let (index, file) = event_of(message)?;
        let (queue, vring) = (&mut self.state.queues[index], &self.vrings[index]);
        if message.request == FrontendReq::SET_VRING_CALL {
            if let Some(vring) = vring {
                vring.signals().set_call(file.as_ref());
            }
            queue.call = file;
        } else {
            if let Some(vring) = vring {
                vring.signals().set_error(file.as_ref());
            }
            queue.error = file;
        }
        Ok(())
    }

    /// Stops a queue, and says where it was.
    async fn get_base(&mut self, message: &Message) -> Result<Outcome, String> {
        let said = message.body::<VhostUserVringState>()?;
        let index = known(said.index.into())?;
        self.stop(index).await;
        let base = u32::from(self.state.queues[index].base);
        let body = [said.index.to_ne_bytes(), base.to_ne_bytes()].concat();
        Ok(Outcome::Reply(reply(message.request, &body)))
    }

    async fn start(&mut self, index: usize) -> Result<(), String> {
        if let Some(inflight) = &self.state.inflight
            && !self.claims.iter().any(|claim| claim.record == inflight.id())
        {
            // An earlier connection of the same front end may not have heard of its end yet.
            let claim = self.door.claim(inflight.id()).await;
            let Some(claim) = claim else {
                // The door is to stand still or to close. If it goes on, so does this.
                self.state.started[index] = true;
                return Ok(());
            };
            self.claims.push(claim);
        }
        let memory =
            self.memory.clone().ok_or_else(|| format!("the start of queue {index} without memory"))?;
        let record = self.state.inflight.as_ref().map(|inflight| {
            inflight
                .record(index)
                .ok_or_else(|| format!("queue {index} and a record of what is in flight without it"))
        });
        let features = self.state.features;
        let surroundings = Surroundings {
            door: Rc::clone(&self.door),
            ring: self.ring.clone(),
            memory,
            record: record.transpose()?,
            terms: Terms { write_through: features & features::FLUSH == 0, identity: self.door.identity() },
            event_index: features & features::EVENT_IDX != 0,
            number: index,
        };
        let vring = Vring::start(&self.state.queues[index], surroundings, &self.host)?;
        self.vrings[index] = Some(vring);
        self.state.started[index] = true;
        Ok(())
    }

    async fn stop(&mut self, index: usize) {
        if let Some(vring) = self.vrings[index].take() {
            self.state.queues[index].base = vring.stop().await;
        }
        self.state.queues[index].broken = false;
        self.state.started[index] = false;
    }
}

/// A new region for what is in flight; one of no bytes, and no file, if there can be none.
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

/// True for requests whose answer is more than done or not done.
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
    )
}

fn protocol_offered() -> u64 {
    let offered = VhostUserProtocolFeatures::MQ
        | VhostUserProtocolFeatures::LOG_SHMFD
        | VhostUserProtocolFeatures::REPLY_ACK
        | VhostUserProtocolFeatures::CONFIG
        | VhostUserProtocolFeatures::INFLIGHT_SHMFD
        | VhostUserProtocolFeatures::CONFIGURE_MEM_SLOTS;
    offered.bits()
}

/// The queue of this number, if there is one.
fn known(index: u64) -> Result<usize, String> {
    let found = usize::try_from(index).ok().filter(|index| *index < QUEUES_MAX);
    found.ok_or_else(|| format!("queue {index}; {QUEUES_MAX} are the most"))
}

/// The queue that an event is for, and the event, or none if there shall be none.
fn event_of(message: &mut Message) -> Result<(usize, Option<Arc<OwnedFd>>), String> {
    const NO_FILE: u64 = 1 << 8;
    let said = message.number()?;
    let index = known(said & 0xff)?;
    let file = if said & NO_FILE == 0 { Some(Arc::new(message.file(Kind::Event)?)) } else { None };
    Ok((index, file))
}
