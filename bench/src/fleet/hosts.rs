//! Hosts below a modelled store: where the bytes of an object lie, and how long they take there.
//!
//! ```text
//!   client ── its link: all bytes, copies and parity included ──> each host: its link ── its disk ── time of a request, drawn
//!   an object: units of 64 KiB in turn over the hosts, from one that its name decides. RAID-5: three units and the parity of them
//! ```
//! The host of the disk computes parity itself. Objects never change, so no write reads old parity. A put ends with the slowest of its hosts, a
//! read with the slowest of those that have its units. Requests of a host share its link and its disk, and wait for nothing else there.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use block::Host;
use block::executor::LocalHost;

use crate::modelled::SECOND;

/// Hosts that have the objects.
const HOSTS: usize = 4;
/// Bytes that lie together on a host.
const UNIT: u64 = 64 << 10;

/// Placement of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// One copy, over all four hosts. The loss of a host loses objects.
    Striped,
    /// Two copies, each on two of the hosts.
    Mirrored,
    /// Three parts and the parity of them: any host may be lost.
    Raid5,
}

/// Times of hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostTimes {
    /// Bytes a second of each link, that of the client included.
    pub(crate) link_bytes_per_second: u64,
    /// Bytes a second of the disk of a host.
    pub(crate) disk_bytes_per_second: u64,
    /// Time that a request takes at least, beside its bytes, in nanoseconds.
    pub(crate) request_ns: u64,
    /// Mean of what is added to it, which is distributed exponentially.
    pub(crate) drawn_ns: u64,
    /// The first host takes so many times as long as the others, for requests and for bytes of its disk.
    pub(crate) first_takes_times: u64,
}

/// Four hosts.
pub(super) struct Hosts {
    placement: Placement,
    times: HostTimes,
    /// Time at which the client's link is free.
    client_free_at: Cell<u64>,
    /// Times at which the link and the disk of each host are free.
    free_at: RefCell<[[u64; 2]; HOSTS]>,
}

impl Hosts {
    pub(super) fn new(placement: Placement, times: HostTimes) -> Self {
        Self { placement, times, client_free_at: Cell::new(0), free_at: RefCell::default() }
    }

    /// Returns the bytes that each host gets of an object of so many bytes.
    fn put_bytes(placement: Placement, name: &str, len: u64) -> [u64; HOSTS] {
        let (first, mut bytes) = (first_host(name), [0; HOSTS]);
        for unit in units(&(0..len)) {
            let len = unit.end - unit.start;
            let place = host_of(placement, first, unit.start);
            bytes[place] += len;
            match placement {
                Placement::Mirrored => bytes[(place + HOSTS / 2) % HOSTS] += len,
                // The first unit of a row is the longest.
                Placement::Raid5 if (unit.start / UNIT).is_multiple_of(3) => {
                    bytes[(first + HOSTS - 1) % HOSTS] += len;
                }
                Placement::Striped | Placement::Raid5 => {}
            }
        }
        bytes
    }

    /// Returns the bytes that hosts get of an object, copies and parity included.
    pub(super) fn bytes_of(&self, name: &str, len: u64) -> u64 {
        Self::put_bytes(self.placement, name, len).iter().sum()
    }

    /// Returns the bytes that each host reads for a part of an object.
    fn get_bytes(&self, name: &str, range: &Range<u64>) -> [u64; HOSTS] {
        let (first, mut bytes) = (first_host(name), [0; HOSTS]);
        for unit in units(range) {
            bytes[host_of(self.placement, first, unit.start)] += unit.end - unit.start;
        }
        bytes
    }

    /// Waits as long as a put takes.
    pub(super) async fn put(&self, host: &LocalHost, name: &str, len: u64) {
        self.travel(host, name, Self::put_bytes(self.placement, name, len)).await;
    }

    /// Waits as long as a get takes. Without bytes, it takes the time of one host.
    pub(super) async fn get(&self, host: &LocalHost, name: &str, range: &Range<u64>) {
        self.travel(host, name, self.get_bytes(name, range)).await;
    }

    async fn travel(&self, host: &LocalHost, name: &str, bytes: [u64; HOSTS]) {
        let HostTimes { link_bytes_per_second, disk_bytes_per_second, first_takes_times, .. } = self.times;
        let after =
            |free_at: u64, from: u64, bytes: u64, rate: u64| free_at.max(from) + bytes * SECOND / rate;
        let now = host.now();
        let sent = after(self.client_free_at.get(), now, bytes.iter().sum(), link_bytes_per_second);
        self.client_free_at.set(sent);
        let mut end = now;
        for (place, bytes) in bytes.into_iter().enumerate() {
            // An object without bytes has its place as well.
            if bytes == 0 && place != first_host(name) {
                continue;
            }
            let times = if place == 0 { first_takes_times } else { 1 };
            let mut free_at = self.free_at.borrow_mut();
            let [link, disk] = &mut free_at[place];
            *link = after(*link, sent, bytes, link_bytes_per_second);
            *disk = after(*disk, *link, bytes, disk_bytes_per_second / times);
            end = end.max(*disk + self.request_ns(host.random()) * times);
        }
        host.sleep_until(end).await;
    }

    /// Returns the time of a request for a random number.
    #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "times far below 2^52")]
    fn request_ns(&self, random: u64) -> u64 {
        // Above zero, at most one.
        let uniform = ((random >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        self.times.request_ns + (-uniform.ln() * self.times.drawn_ns as f64) as u64
    }
}

/// Returns the parts of a range, cut at units.
fn units(range: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let Range { start, end } = *range;
    let units = start / UNIT..end.div_ceil(UNIT);
    units.map(move |unit| start.max(unit * UNIT)..end.min((unit + 1) * UNIT)).filter(|unit| !unit.is_empty())
}

/// Returns the host of the first unit: FNV-1a of the name.
fn first_host(name: &str) -> usize {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, step);
    (hash ^ hash >> 16) as usize % HOSTS
}

/// Returns the host that has a byte of an object, or the first copy of it.
fn host_of(placement: Placement, first: usize, at: u64) -> usize {
    let unit = (at / UNIT) as usize;
    let turn = match placement {
        Placement::Striped => unit % HOSTS,
        Placement::Mirrored => unit % (HOSTS / 2),
        Placement::Raid5 => unit % (HOSTS - 1),
    };
    (first + turn) % HOSTS
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "times far below 2^52")]
mod tests {
    use super::*;
    use crate::modelled::in_virtual_time;

    const MIB: u64 = 1 << 20;
    const TIMES: HostTimes = HostTimes {
        link_bytes_per_second: 1 << 30,
        disk_bytes_per_second: 1 << 20,
        request_ns: 5_000_000,
        drawn_ns: 0,
        first_takes_times: 1,
    };

    #[test]
    fn a_placement_has_the_bytes_that_it_costs() {
        for (placement, expected) in
            [(Placement::Striped, 12 * MIB), (Placement::Mirrored, 24 * MIB), (Placement::Raid5, 16 * MIB)]
        {
            let bytes = Hosts::put_bytes(placement, "a", 12 * MIB);
            assert_eq!(bytes, [expected / 4; HOSTS], "{placement:?}");
        }
        // A small object has a parity as long as itself.
        assert_eq!(Hosts::put_bytes(Placement::Raid5, "a", 100).iter().sum::<u64>(), 200);
        assert_eq!(Hosts::put_bytes(Placement::Raid5, "a", UNIT + 100).iter().sum::<u64>(), 2 * UNIT + 100);
    }

    #[test]
    fn a_part_of_an_object_is_read_where_the_put_left_it() {
        for placement in [Placement::Striped, Placement::Mirrored, Placement::Raid5] {
            let hosts = Hosts::new(placement, TIMES);
            assert_eq!(hosts.get_bytes("b", &(0..9 * UNIT)).iter().sum::<u64>(), 9 * UNIT);
            let one = hosts.get_bytes("b", &(2 * UNIT + 5..2 * UNIT + 9));
            assert_eq!(one[host_of(placement, first_host("b"), 2 * UNIT)], 4);
            let put = Hosts::put_bytes(placement, "b", 3 * UNIT);
            assert!(one.iter().zip(put).all(|(read, put)| *read <= put), "{placement:?}");
        }
    }

    #[test]
    fn a_put_takes_the_time_of_its_slowest_host() {
        let takes = |placement, times: HostTimes| {
            in_virtual_time(async |host: LocalHost| {
                let started = host.now();
                Hosts::new(placement, times).put(&host, "a", 12 * MIB).await;
                (host.now() - started) as f64 / SECOND as f64
            })
        };
        // 3 MiB at each disk; 12 MiB at the client's link and 3 at each host's are 15 ms.
        assert!((takes(Placement::Striped, TIMES) - 3.02).abs() < 0.01);
        assert!((takes(Placement::Raid5, TIMES) - 4.025).abs() < 0.01);
        assert!((takes(Placement::Mirrored, TIMES) - 6.035).abs() < 0.01);
        let slow = HostTimes { first_takes_times: 4, ..TIMES };
        assert!(takes(Placement::Raid5, slow) > 16.0);
    }

    #[test]
    fn times_of_requests_have_their_mean() {
        let hosts = Hosts::new(Placement::Striped, HostTimes { drawn_ns: 5_000_000, ..TIMES });
        let step = u64::MAX / 1000;
        let sum: u64 = (0..1000).map(|at| hosts.request_ns(at * step + step / 2)).sum();
        assert!((9_900_000..10_100_000).contains(&(sum / 1000)), "{sum}");
    }
}
