//! Messages of a front end, and replies to them: the bytes of the vhost-user protocol (QEMU, "Vhost-user Protocol").
//!
//! ```text
//!   header:  request 4 | flags 4 | size 4      then size bytes of body; files arrive with the first byte
//! ```
//! Numbers are in the order of the machine. Names and layouts of requests are those of the crate `vhost`; its own connection
//! reads with calls that block the thread until a message is complete, which a shard cannot have.

use std::os::fd::OwnedFd;

use vhost::vhost_user::message::{BackendReq, FrontendReq, VhostUserMsgValidator};

use super::files::Kind;
use super::inflight::Shape;
use super::limits::MESSAGE_BYTES_MAX;

/// Bytes in front of each body.
pub(crate) const HEADER_BYTES: usize = 12;

const VERSION: u32 = 1;
const VERSION_MASK: u32 = 3;
const REPLY: u32 = 4;
const NEEDS_REPLY: u32 = 8;

/// The head of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) request: FrontendReq,
    pub(crate) needs_reply: bool,
    pub(crate) body_bytes: usize,
}

/// A received message.
pub(crate) struct Message {
    pub(crate) request: FrontendReq,
    body: Vec<u8>,
    pub(crate) files: Vec<(Kind, OwnedFd)>,
}

impl Header {
    /// # Errors
    /// The fault of the header; nothing that follows has a meaning then.
    pub(crate) fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Self, String> {
        let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (request, flags, size) = (word(0), word(4), word(8));
        let known =
            FrontendReq::try_from(request).map_err(|()| format!("request {request}, which is not known"))?;
        if flags & VERSION_MASK != VERSION || flags & REPLY != 0 {
            return Err(format!("{known:?} with flags {flags:#x}"));
        }
        if size as usize > MESSAGE_BYTES_MAX {
            return Err(format!("{known:?} of {size} bytes; {MESSAGE_BYTES_MAX} are the most"));
        }
        Ok(Self { request: known, needs_reply: flags & NEEDS_REPLY != 0, body_bytes: size as usize })
    }
}

impl Message {
    pub(crate) fn new(header: &Header, body: Vec<u8>, files: Vec<(Kind, OwnedFd)>) -> Self {
        Self { request: header.request, body, files }
    }

    /// Returns the body, which is one of these and nothing else.
    pub(crate) fn body<T: VhostUserMsgValidator + Default>(&self) -> Result<T, String> {
        let (value, rest) = self.split()?;
        if rest.is_empty() { Ok(value) } else { Err(self.wrong()) }
    }

    /// Returns the body as one of these, and the rest.
    pub(crate) fn split<T: VhostUserMsgValidator + Default>(&self) -> Result<(T, &[u8]), String> {
        let (bytes, rest) = self.body.split_at_checked(size_of::<T>()).ok_or_else(|| self.wrong())?;
        let mut value = T::default();
        value.as_mut_slice().copy_from_slice(bytes);
        if value.is_valid() { Ok((value, rest)) } else { Err(self.wrong()) }
    }

    /// Returns the body as a number.
    pub(crate) fn number(&self) -> Result<u64, String> {
        let bytes = self.body.as_slice().try_into().map_err(|_| self.wrong())?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Returns the body as the shape of the region for requests in flight: 20 bytes, or 24 where a compiler has padded them.
    pub(crate) fn shape(&self) -> Result<Shape, String> {
        let body = &self.body;
        if body.len() != 20 && body.len() != 24 {
            return Err(self.wrong());
        }
        let long = |at: usize| u64::from_ne_bytes(std::array::from_fn(|index| body[at + index]));
        let short = |at: usize| u16::from_ne_bytes([body[at], body[at + 1]]);
        Ok(Shape { bytes: long(0), offset: long(8), queues: short(16), queue_size: short(18) })
    }

    /// Returns the one file of the message, which has to be of this kind.
    pub(crate) fn file(&mut self, kind: Kind) -> Result<OwnedFd, String> {
        let count = self.files.len();
        let file = self.files.pop().filter(|(found, _)| count == 1 && *found == kind);
        file.map(|(_, file)| file)
            .ok_or_else(|| format!("{:?} with {count} files, where one is to be: {kind:?}", self.request))
    }

    pub(crate) fn wrong(&self) -> String {
        format!("{:?} with a body of {} bytes that means nothing", self.request, self.body.len())
    }
}

/// Returns a reply to `request` with these bytes as its body.
pub(crate) fn reply(request: FrontendReq, body: &[u8]) -> Vec<u8> {
    let words = [u32::from(request), VERSION | REPLY, body.len() as u32];
    let header = words.into_iter().flat_map(u32::to_ne_bytes);
    header.chain(body.iter().copied()).collect()
}

/// Returns a message of ours without a body, to which no reply is wanted.
pub(crate) fn notice(request: BackendReq) -> Vec<u8> {
    [u32::from(request), VERSION, 0].into_iter().flat_map(u32::to_ne_bytes).collect()
}

/// Returns the bytes of a shape, as long as QEMU wants them.
pub(crate) fn shape_bytes(shape: Shape) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&shape.bytes.to_ne_bytes());
    bytes[8..16].copy_from_slice(&shape.offset.to_ne_bytes());
    bytes[16..18].copy_from_slice(&shape.queues.to_ne_bytes());
    bytes[18..20].copy_from_slice(&shape.queue_size.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use vhost::vhost_user::message::{VhostUserVringAddr, VhostUserVringState};

    use super::*;

    fn header(request: u32, flags: u32, size: u32) -> Result<Header, String> {
        let bytes: Vec<u8> = [request, flags, size].into_iter().flat_map(u32::to_ne_bytes).collect();
        Header::decode(bytes.as_slice().try_into().unwrap())
    }

    fn message(body: &[u8]) -> Message {
        Message { request: FrontendReq::SET_VRING_NUM, body: body.to_vec(), files: Vec::new() }
    }

    #[test]
    fn a_header_says_what_comes_and_nonsense_is_refused() {
        let good = header(8, 0x9, 8).unwrap();
        assert_eq!((good.request, good.needs_reply, good.body_bytes), (FrontendReq::SET_VRING_NUM, true, 8));
        assert!(!header(8, 0x1, 8).unwrap().needs_reply);
        assert!(header(0, 1, 0).is_err() && header(1000, 1, 0).is_err());
        assert!(header(8, 0, 8).is_err() && header(8, 2, 8).is_err() && header(8, 5, 8).is_err());
        assert!(header(8, 1, 4097).is_err());
    }

    #[test]
    fn bodies_are_taken_whole_or_not_at_all() {
        let state: VhostUserVringState = message(&[1, 0, 0, 0, 2, 0, 0, 0]).body().unwrap();
        assert_eq!(({ state.index }, { state.num }), (1, 2));
        assert!(message(&[0; 7]).body::<VhostUserVringState>().is_err());
        assert!(message(&[0; 9]).body::<VhostUserVringState>().is_err());
        let mut address = [0; 40];
        assert!(message(&address).body::<VhostUserVringAddr>().is_ok());
        address[8] = 1;
        assert!(message(&address).body::<VhostUserVringAddr>().is_err(), "not aligned");
        assert!(message(&[0; 4]).number().is_err());
        let shape = Shape { bytes: 1, offset: 2, queues: 3, queue_size: 4 };
        assert_eq!(message(&shape_bytes(shape)).shape().unwrap(), shape);
        assert_eq!(message(&shape_bytes(shape)[..20]).shape().unwrap(), shape);
        assert!(message(&[0; 16]).shape().is_err());
    }
}
