//! Limits of what a front end can make this door hold, and the effect of reaching each.

/// Queues of one connection: one for each processor of a large guest. A front end that wants more is refused.
pub const QUEUES_MAX: usize = 128;
/// The most entries of one queue, as QEMU has it. More are refused.
pub const QUEUE_SIZE_MAX: u16 = 1024;
/// The most descriptors of one request, those of an indirect table included. A longer chain breaks its queue.
pub const DESCRIPTORS_MAX: usize = 1026;
/// The most bytes that one read or write moves. Longer ones fail.
pub const DATA_BYTES_MAX: u64 = 32 << 20;
/// The most bytes that the requests of all connections of a disk hold here, in flight: 64 MiB of data, and a little for
/// themselves. When reached, nothing more is taken from the queues, save the few short reads of each that were taken together with one
/// that waits.
pub const BUDGET_BYTES: u64 = 65 << 20;
/// Cost of a request beside its data, in bytes, with 16 more for each descriptor that is kept.
pub const REQUEST_BYTES: u64 = 512;
/// Cost of a discard or a writing of zeroes, in bytes, because it may be much work without having data.
pub const CHANGE_BYTES: u64 = 1 << 20;
/// Bytes of work before other tasks have a turn: of reads answered from RAM, and [`REQUEST_WORK`] for each request.
pub const TURN_BYTES: u64 = 1 << 20;
/// Cost of taking a request, in bytes.
pub const REQUEST_WORK: u64 = 16 << 10;
/// The longest request that is answered without waiting for the budget, in bytes that it would hold; longer ones wait as all others do.
pub const AT_HAND_BYTES_MAX: u64 = 256 << 10;
/// The longest read that is taken together with others, before the first of them is done, in bytes that it would hold: longer ones gain
/// little compared to their copy, and the first answers would wait for it.
pub const TOGETHER_BYTES_MAX: u64 = 32 << 10;
/// Number of answers after which the guest is notified, if it waits, while more are taken or answered: it works on the first ones
/// meanwhile.
pub const TOLD_EVERY: usize = 8;
/// Number of requests behind the first of a burst from which on the guest is notified of the first one alone. With fewer, the notification
/// would take longer than they do. Queued entries are also handed to the kernel before as many ended requests are answered.
pub const MANY: u16 = 4;
/// The most files with one message, however it is cut into pieces. A front end that sends more is closed.
pub const FILES_MAX: usize = 64;
/// The most bytes of one segment that guests may send: with all segments a request is within the limits.
pub const SEGMENT_BYTES_TOLD: u32 = 256 << 10;
/// The most segments of data that guests may send: two descriptors of the usual 128 are header and status.
pub const SEGMENTS_TOLD: u32 = 126;
/// The most ranges of one discard or one writing of zeroes. More make it fail.
pub const RANGES_MAX: u32 = 32;
/// The most sectors of 512 bytes that one range of a discard covers: 1 GiB. A longer one fails.
pub const DISCARD_SECTORS_MAX: u32 = 2 << 20;
/// The same for writing zeroes, which may be real writes where the backing cannot make holes: 128 MiB.
pub const ZEROES_SECTORS_MAX: u32 = 256 << 10;
/// The most regions of guest memory; enough for any number of memory modules that QEMU can plug.
pub const REGIONS_MAX: usize = 256;
/// The most regions that all connections of a disk have mapped, so that no disk takes from the others too much of the number that Linux
/// lets one process map (`vm.max_map_count`). More are refused. Two connections may exchange all that they have.
pub const REGIONS_OF_DISK_MAX: usize = 4 * REGIONS_MAX;
/// The most bytes of guest memory of one connection: 4 TiB, of the 128 that a process can address. More are refused.
pub const MEMORY_BYTES_MAX: u64 = 4 << 40;
/// The most bytes of a message. A front end that announces more is closed.
pub const MESSAGE_BYTES_MAX: usize = 4096;
/// The configuration space, as far as front ends may read it. They fail if they ask beyond it.
pub const CONFIGURATION_BYTES: usize = 256;
/// The most connections to one disk: the QEMU that serves, one that is about to take over, and room. More are closed at once.
pub const CONNECTIONS_MAX: usize = 16;
/// The pause after the system refused to accept a connection for want of files or memory, in nanoseconds.
pub const ACCEPT_PAUSE_NS: u64 = 100_000_000;

const _: () = assert!(BUDGET_BYTES >= DATA_BYTES_MAX + (1 << 20), "the budget must hold any request");
const _: () = assert!(
    SEGMENTS_TOLD as u64 * SEGMENT_BYTES_TOLD as u64 <= DATA_BYTES_MAX,
    "what guests are told they may send is done"
);
