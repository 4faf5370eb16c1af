//! Features that the door offers to a front end: of virtio and its block device, and of the protocol.

use block::Geometry;
use vhost::vhost_user::message::VhostUserProtocolFeatures;

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

/// Features for a device of this kind.
pub(crate) fn features_offered(geometry: &Geometry) -> u64 {
    use features::{
        ANY_LAYOUT, BLK_SIZE, DISCARD, EVENT_IDX, FLUSH, INDIRECT_DESC, LOG_ALL, MQ, PROTOCOL_FEATURES, RO,
        SEG_MAX, SIZE_MAX, TOPOLOGY, VERSION_1, WRITE_ZEROES,
    };
    let always = SIZE_MAX | SEG_MAX | BLK_SIZE | TOPOLOGY | MQ | LOG_ALL | ANY_LAYOUT;
    // Without it a guest knows that no flush makes its writes more durable than they are.
    let flush = if geometry.flushes { FLUSH } else { 0 };
    let rings = INDIRECT_DESC | EVENT_IDX;
    let changes = if geometry.read_only { RO } else { DISCARD | WRITE_ZEROES };
    always | flush | rings | changes | PROTOCOL_FEATURES | VERSION_1
}

/// Features that a front end may ask for: also one that it agreed on with an earlier version, whose guest goes on.
pub(crate) fn features_accepted(geometry: &Geometry) -> u64 {
    features_offered(geometry) | features::FLUSH
}

/// Features of the protocol. `STATUS` lets QEMU see that a broken queue needs a reset; there is nothing to suspend by, because
/// `GET_VRING_BASE` of the last queue does (QEMU, "Vhost-user Protocol", section "Suspended device state"), and no state of the device
/// beside the rings that `DEVICE_STATE` could carry.
pub(crate) fn protocol_offered() -> u64 {
    let offered = VhostUserProtocolFeatures::MQ
        | VhostUserProtocolFeatures::LOG_SHMFD
        | VhostUserProtocolFeatures::REPLY_ACK
        | VhostUserProtocolFeatures::BACKEND_REQ
        | VhostUserProtocolFeatures::CONFIG
        | VhostUserProtocolFeatures::INFLIGHT_SHMFD
        | VhostUserProtocolFeatures::CONFIGURE_MEM_SLOTS
        | VhostUserProtocolFeatures::STATUS;
    offered.bits()
}
