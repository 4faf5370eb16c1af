//! The bytes of generic netlink: requests, answers and attributes.
//!
//! Pure functions; [`super::nbd_control`] moves the bytes. Layouts are those of `include/uapi/linux/netlink.h` and `genetlink.h`:
//! ```text
//! message    length 4 | family 2 | flags 2 | sequence 4 | port 4 | command 1 | version 1 | 0 2 | attributes
//! attribute  length 2 | kind 2 | payload, padded to 4 bytes; the length does not count the padding
//! ```
//! Numbers are in the byte order of the host.

/// Bytes of a message before its command.
const HEADER_BYTES: usize = 16;
/// Bytes of command, version and padding.
const COMMAND_BYTES: usize = 4;
/// Bytes of an attribute before its payload.
const ATTRIBUTE_BYTES: usize = 4;
/// Messages and attributes begin at multiples of this.
const ALIGNMENT: usize = 4;
/// Flags of a request that is to be acknowledged (`NLM_F_REQUEST | NLM_F_ACK`).
const REQUEST_FLAGS: u16 = 1 | 4;
/// An acknowledgement or an error (`NLMSG_ERROR`).
const ERROR: u16 = 2;
/// Flags in the kind of an attribute (`NLA_F_NESTED`, `NLA_F_NET_BYTEORDER`).
const KIND_FLAGS: u16 = 0xC000;

/// Attributes of a message that is built, in order.
#[derive(Debug, Default)]
pub(super) struct AttributeList(Vec<u8>);

impl AttributeList {
    /// Appends a number of 32 bits.
    pub(super) fn u32(self, kind: u16, value: u32) -> Self {
        self.bytes(kind, &value.to_ne_bytes())
    }

    /// Appends a number of 64 bits.
    pub(super) fn u64(self, kind: u16, value: u64) -> Self {
        self.bytes(kind, &value.to_ne_bytes())
    }

    /// Appends a text, which ends with a NUL on the wire.
    pub(super) fn text(self, kind: u16, value: &str) -> Self {
        self.bytes(kind, &[value.as_bytes(), &[0]].concat())
    }

    /// Appends attributes within an attribute.
    pub(super) fn nested(self, kind: u16, value: &Self) -> Self {
        self.bytes(kind, &value.0)
    }

    fn bytes(mut self, kind: u16, payload: &[u8]) -> Self {
        let length = u16::try_from(ATTRIBUTE_BYTES + payload.len()).expect("attributes here are short");
        self.0.extend(length.to_ne_bytes());
        self.0.extend(kind.to_ne_bytes());
        self.0.extend(payload);
        self.0.resize(self.0.len().next_multiple_of(ALIGNMENT), 0);
        self
    }
}

/// Returns a request to a family, which the kernel acknowledges under its sequence number.
pub(super) fn request(family: u16, command: u8, sequence: u32, attributes: &AttributeList) -> Vec<u8> {
    const VERSION: u8 = 1;
    let length = HEADER_BYTES + COMMAND_BYTES + attributes.0.len();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(u32::try_from(length).expect("requests here are short").to_ne_bytes());
    bytes.extend(family.to_ne_bytes());
    bytes.extend(REQUEST_FLAGS.to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    // The port: the kernel fills ours in.
    bytes.extend(0_u32.to_ne_bytes());
    bytes.extend([command, VERSION, 0, 0]);
    bytes.extend(&attributes.0);
    bytes
}

/// A message of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelMessage<'a> {
    /// The end of the request with this sequence number: 0, or an error number of the system.
    End {
        /// That of the request.
        sequence: u32,
        /// 0 or a positive errno.
        error: i32,
    },
    /// An answer, or a message to a multicast group.
    Content {
        /// The family.
        family: u16,
        /// The command of that family.
        command: u8,
        /// For [`attribute`].
        attributes: &'a [u8],
    },
}

/// Returns the messages of a datagram, up to the first incomplete one.
pub(super) fn messages(mut bytes: &[u8]) -> impl Iterator<Item = KernelMessage<'_>> {
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
        let message = bytes.get(..length)?;
        bytes = bytes.get(length.next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        let family = u16::from_ne_bytes(*message.get(4..)?.first_chunk()?);
        let sequence = u32::from_ne_bytes(*message.get(8..)?.first_chunk()?);
        let body = message.get(HEADER_BYTES..)?;
        if family == ERROR {
            let error = i32::from_ne_bytes(*body.first_chunk()?);
            return Some(KernelMessage::End { sequence, error: error.saturating_neg() });
        }
        Some(KernelMessage::Content {
            family,
            command: *body.first()?,
            attributes: body.get(COMMAND_BYTES..)?,
        })
    })
}

/// Returns kind and payload of attributes, up to the first incomplete one.
pub(super) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*bytes.first_chunk()?));
        let kind = u16::from_ne_bytes(*bytes.get(2..)?.first_chunk()?) & !KIND_FLAGS;
        let payload = bytes.get(ATTRIBUTE_BYTES..length)?;
        bytes = bytes.get(length.next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        Some((kind, payload))
    })
}

/// Returns the payload of the first attribute of a kind.
pub(super) fn attribute(bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    attributes(bytes).find_map(|(kind, payload)| (kind == wanted).then_some(payload))
}

/// Returns a number of 32 bits.
pub(super) fn u32_of(payload: &[u8]) -> Option<u32> {
    payload.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

/// Returns a number of 16 bits.
pub(super) fn u16_of(payload: &[u8]) -> Option<u16> {
    payload.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_endian = "little")]
    #[test]
    fn a_request_has_the_bytes_that_the_kernel_reads() {
        let socket = AttributeList::default().u32(1, 9);
        let list = AttributeList::default()
            .u32(1, 3)
            .u64(2, 1 << 32)
            .text(10, "ab")
            .nested(7, &AttributeList::default().nested(1, &socket));
        let bytes = request(0x1C, 3, 77, &list);
        let expected: &[&[u8]] = &[
            &[68, 0, 0, 0, 0x1C, 0, 5, 0, 77, 0, 0, 0, 0, 0, 0, 0],
            &[3, 1, 0, 0],
            &[8, 0, 1, 0, 3, 0, 0, 0],
            &[12, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            &[7, 0, 10, 0, b'a', b'b', 0, 0],
            &[16, 0, 7, 0, 12, 0, 1, 0, 8, 0, 1, 0, 9, 0, 0, 0],
            &[],
        ];
        let expected = expected.concat();
        assert_eq!(bytes.len(), expected.len());
        assert_eq!(bytes[4..], expected[4..]);
        assert_eq!(u32_of(&bytes), Some(bytes.len() as u32));
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn an_answer_and_its_end_are_read_from_one_datagram() {
        let answer = [28, 0, 0, 0, 0x1C, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 8, 0, 1, 0, 6, 0, 0, 0];
        let end = [20, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0xEA, 0xFF, 0xFF, 0xFF];
        let datagram = [&answer[..], &end[..]].concat();
        let read: Vec<KernelMessage> = messages(&datagram).collect();
        let content = KernelMessage::Content { family: 0x1C, command: 1, attributes: &answer[20..] };
        assert_eq!(read, [content, KernelMessage::End { sequence: 5, error: 22 }]);
        assert_eq!(attribute(&answer[20..], 1).and_then(u32_of), Some(6));
        assert_eq!(attribute(&answer[20..], 2), None);
    }

    #[test]
    fn attributes_are_read_as_they_were_written() {
        let list = AttributeList::default().text(2, "nbd").u32(0x8001, 4);
        assert_eq!(attribute(&list.0, 2), Some(&b"nbd\0"[..]));
        assert_eq!(attribute(&list.0, 1).and_then(u32_of), Some(4));
        assert_eq!(u16_of(&[1]), None);
    }

    #[test]
    fn bytes_that_are_cut_or_lie_about_their_length_end_the_reading() {
        let list = AttributeList::default().u32(1, 6).text(2, "nbd");
        let whole = request(2, 1, 5, &list);
        for cut in 0..whole.len() {
            assert_eq!(messages(&whole[..cut]).count(), 0, "cut at {cut}");
        }
        for cut in 0..list.0.len() {
            assert!(attributes(&list.0[..cut]).count() <= 1, "cut at {cut}");
        }
        for lie in [0_u16, 1, 3, u16::MAX] {
            let mut bytes = list.0.clone();
            bytes[..2].copy_from_slice(&lie.to_ne_bytes());
            assert_eq!(attributes(&bytes).count(), 0, "a length of {lie}");
            let mut bytes = whole.clone();
            bytes[..4].copy_from_slice(&u32::from(lie).to_ne_bytes());
            assert_eq!(messages(&bytes).count(), 0, "a length of {lie}");
        }
    }
}
