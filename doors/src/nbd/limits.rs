//! Limits of what clients can make a door hold, and the effect of reaching each.

/// The most bytes that one read or write may move. Longer ones are answered with `Invalid`.
pub const PAYLOAD_MAX: u32 = super::option::PAYLOAD_MAX_UNTOLD;
/// The longest payload of a refused write that is read and thrown away; a client that announces more is closed.
pub const DRAIN_MAX: u32 = 64 << 20;
/// Room for received bytes, per connection: several small requests arrive with one system call. The rest of a write's payload is received
/// straight into its own buffer.
pub const RECEIVE_BYTES: usize = 64 << 10;
/// Bytes that a connection with nothing in flight may always take beyond the budget of its export, so that clients that never take their
/// replies cannot stop the others: larger than any request that a guest's kernel makes.
pub const OVERDRAFT_BYTES: u32 = 2 << 20;
/// The pause after the system refused to accept a connection for want of files or memory, in nanoseconds.
pub const ACCEPT_PAUSE_NS: u64 = 100_000_000;
/// The most extents that the answer to `BlockStatus` describes; the client asks again for the rest.
pub const EXTENTS_MAX: usize = 4096;
/// Bytes of either kind of replies that are sent although more follow at once, approximately: other tasks have a turn after that, and memory
/// that a slow client has taken is soon free again. A reply that is longer goes alone.
pub const SEND_BYTES: usize = 128 << 10;
/// Bytes of replies that are put together while earlier ones are being sent, approximately; further requests are not answered at hand then.
pub const GATHERED_BYTES_MAX: usize = 1 << 20;
/// Bytes of requests that a connection takes in, or answers, before other tasks of its thread have their turn; each counts as
/// [`REQUEST_COST`] at least. Eight hits of 4 KiB take about as long as a round trip of a neighbour at depth 1 (`cargo xtask bench
/// neighbours`).
pub const TURN_BYTES: usize = 32 << 10;
/// The least that a request counts in a turn.
pub const REQUEST_COST: usize = 4 << 10;
/// The longest read whose reply is put together with others, in bytes.
pub const AT_HAND_BYTES_MAX: u32 = 256 << 10;
/// The longest read whose memory is prefetched before its turn, in bytes: longer ones are fetched soon enough while they are copied.
pub const PREFETCH_BYTES_MAX: u32 = 32 << 10;
/// Requests between one that is taken and the one whose memory is prefetched then: time enough for it, and little enough that the
/// prefetched data still is in the caches.
pub const PREFETCH_BETWEEN: usize = 3;
/// The most memory that a connection keeps for future replies, twice: for those that are assembled and for those that are sent, also while
/// there are none.
pub const GATHERED_BYTES_KEPT: usize = 256 << 10;

/// Plain bytes that are sealed at a time on a connection with TLS, approximately; it then waits until they are sent. Bounds the memory that
/// a long reply takes twice, and the time for which one connection keeps its thread.
pub const SEAL_BYTES: usize = 256 << 10;
/// The most clients of a shared address that have not chosen a disk yet; further ones are closed at once.
pub const RECEPTION_MAX: u64 = 128;

/// The limits that a test may want smaller. Memory for payload of one export never exceeds `budget_bytes + connections_max *
/// OVERDRAFT_BYTES`, half a gibibyte, and the memory of gathered replies beyond their bytes: at most 2.5 MiB a connection. Such a piece
/// grows to [`GATHERED_BYTES_MAX`] and one more reply, in memory that doubles and may thus be as much again; there are two, of which one is
/// being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most requests of one connection in flight, thus not answered, or answered but not taken by the client.
    /// When reached, nothing more is read from the connection. Default: 128, more than any client keeps.
    pub requests_max: usize,
    /// The most payload of one connection in flight, as above. Default: 32 MiB; at least [`PAYLOAD_MAX`].
    pub window_bytes: u64,
    /// The most payload of all connections of one export in flight, as above. Default: 256 MiB, thus eight
    /// connections at full window; at least [`PAYLOAD_MAX`].
    pub budget_bytes: u32,
    /// The most connections of one export, and of a door for each export that it serves; more are closed at once.
    /// Default: 128.
    pub connections_max: usize,
    /// Longest handshake of a client, in nanoseconds; then it is closed. Default: 10 s.
    pub handshake_ns: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_max: 128,
            window_bytes: 32 << 20,
            budget_bytes: 256 << 20,
            connections_max: 128,
            handshake_ns: 10_000_000_000,
        }
    }
}

const _: () =
    assert!(DRAIN_MAX >= PAYLOAD_MAX, "a refused write of legal length must not close the connection");
