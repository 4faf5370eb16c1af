//! Limits in virtual time: what passes when, and in what order.

use std::cell::RefCell;
use std::future::pending;

use futures_util::FutureExt;
use futures_util::future::{join, join_all, join4};
use proptest::prelude::*;

use super::*;
use crate::executor::{Executor, LocalHost, Order, VirtualTime};
use crate::{Memory, PAGE};

const SECOND: u64 = 1_000_000_000;
const MIB: u64 = 1 << 20;
const SIZE: u64 = 64 * MIB;

/// A request as it reached the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Passed {
    at: u64,
    offset: u64,
    bytes: u64,
}

/// Memory that records the requests that reach it, and answers every read at once.
struct Noting {
    memory: Memory,
    host: LocalHost,
    passed: RefCell<Vec<Passed>>,
    flushes: Cell<u64>,
}

impl Noting {
    fn note(&self, offset: u64, bytes: u64) {
        self.passed.borrow_mut().push(Passed { at: self.host.now(), offset, bytes });
    }
}

impl BlockDevice for Noting {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.note(offset, buffer.len() as u64);
        self.memory.read(offset, buffer).await
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        for (place, read) in wanted.iter_mut().enumerate() {
            // What lies in the upper half is not in memory.
            if read.range.end <= SIZE / 2 {
                self.note(read.range.start, read.range.len());
                take(place, &vec![0; read.range.len() as usize]);
                read.given = true;
            }
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.note(offset, buffer.len() as u64);
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.flushes.set(self.flushes.get() + 1);
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, _: Unmap) -> Result<(), BlockError> {
        self.note(range.start, 0);
        Ok(())
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.note(range.start, 0);
        Ok(())
    }
}

/// A limit, the units of it that a request takes, and the most that one request of the test takes.
type Counted = (Option<u64>, fn(&Passed) -> u64, u64);

/// A limited device, and what is beneath.
struct Rig {
    host: LocalHost,
    noting: Rc<Noting>,
    limiter: Rc<RateLimiter<LocalHost>>,
    device: RateLimited<Rc<Noting>, LocalHost>,
}

impl Rig {
    fn new(host: &LocalHost, limits: RateLimits) -> Self {
        let noting = Rc::new(Noting {
            memory: Memory::new(SIZE),
            host: host.clone(),
            passed: RefCell::default(),
            flushes: Cell::default(),
        });
        let limiter = Rc::new(RateLimiter::new(host.clone(), limits));
        let device = RateLimited::new(Rc::clone(&noting), Rc::clone(&limiter));
        Self { host: host.clone(), noting, limiter, device }
    }

    /// Writes so many bytes at a place that names the request.
    async fn write(&self, number: u64, bytes: u64) {
        let (_, written) = self.device.write(number * PAGE, Buffer::zeroed(bytes as usize)).await;
        assert_eq!(written, Ok(()));
    }

    fn passed(&self) -> Vec<Passed> {
        self.noting.passed.borrow().clone()
    }

    /// Returns the numbers of the requests that passed, in order, and when.
    fn numbers(&self) -> Vec<(u64, u64)> {
        self.passed().iter().map(|passed| (passed.offset / PAGE, passed.at)).collect()
    }
}

fn limits(requests: u64, bytes: u64, burst_ns: u64) -> RateLimits {
    RateLimits { requests: NonZeroU64::new(requests), bytes: NonZeroU64::new(bytes), burst_ns }
}

fn run(limits: RateLimits, test: impl AsyncFnOnce(&Rig)) {
    run_in(Order::Fifo, limits, test);
}

fn run_in(order: Order, limits: RateLimits, test: impl AsyncFnOnce(&Rig)) {
    let executor = Executor::new(VirtualTime::new(), order);
    let rig = Rig::new(&executor.host(), limits);
    assert!(executor.run(test(&rig)).is_some(), "everything waits");
    assert_eq!(rig.limiter.waiting.get(), 0);
}

/// Returns the most units that passed within any span beyond what the limit allows for that span.
fn most_beyond(passed: &[Passed], units: impl Fn(&Passed) -> u64, rate: u64) -> u64 {
    // Each span begins with a request and ends with one: the excess is a running maximum.
    // In billionths of a unit, so that nothing is rounded.
    let (mut most, mut lead, mut before) = (0_u128, 0_u128, 0);
    for one in passed {
        let allowed = u128::from(one.at - before) * u128::from(rate);
        lead = lead.saturating_sub(allowed) + u128::from(units(one)) * u128::from(SECOND);
        (most, before) = (most.max(lead), one.at);
    }
    u64::try_from(most / u128::from(SECOND)).expect("it is small")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For any requests at any time: never more than limit and burst, and all of the limit while a request waits.
    #[test]
    fn no_span_of_time_gets_more_than_its_limit_and_a_burst_and_who_waits_gets_all_of_it(
        seed: u64,
        rate in prop_oneof![Just(None), (20_u64..5_000).prop_map(Some)],
        bandwidth in prop_oneof![Just(None), (1_u64..400).prop_map(|mib| Some(mib * MIB))],
        burst_ms in prop_oneof![Just(10_u64), 10..3_000_u64],
        clients in 1_u64..40,
        lateness in prop_oneof![Just(0_u64), 1..8_000_000_u64],
    ) {
        let burst_ns = burst_ms * 1_000_000;
        let set = limits(rate.unwrap_or(0), bandwidth.unwrap_or(0), burst_ns);
        let time = VirtualTime::new();
        let executor = Executor::new(time.clone(), Order::Seeded(seed));
        let rig = Rc::new(Rig::new(&executor.host(), set));
        // The first half of the time in bursts, then all the time.
        let end = 20 * SECOND;
        let busy_from = 10 * SECOND;
        let largest = 16 * PAGE;
        // Time that the timer is late is made up for as far as a burst holds what is saved up by then: the request that waits, and as much
        // as the limit allows in that time.
        let fits = bandwidth
            .is_none_or(|rate| u128::from(rate) * u128::from(burst_ns / 2) >= u128::from(largest * SECOND));
        let late_max = if fits { burst_ns / 2 } else { burst_ns / 50 };
        let client = async |number: u64| {
            let mut chance = seed.wrapping_add(number);
            while rig.host.now() < end {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let pages = 1 + (chance >> 40) % 16;
                rig.write(number, pages * PAGE).await;
                if rig.host.now() < busy_from {
                    rig.host.sleep((chance >> 33) % (SECOND / 2)).await;
                } else if rate.is_none() && bandwidth.is_none() {
                    rig.host.sleep(SECOND / 20).await;
                }
                // The timer is late now and then.
                if lateness > 0 && chance % 3 == 0 {
                    time.stop_next_wait_for(lateness.min(late_max));
                }
            }
        };
        executor.run(join_all((0..clients).map(client))).expect("nothing waits for ever");
        let passed = rig.passed();
        let counted: [Counted; 2] =
            [(rate, |_| 1, 1), (bandwidth, |passed| passed.bytes, largest)];
        for (rate, units, largest) in counted {
            let Some(rate) = rate else { continue };
            let burst = (u128::from(rate) * u128::from(burst_ns) / u128::from(SECOND)) as u64;
            let most = most_beyond(&passed, units, rate);
            prop_assert!(most <= burst.max(largest) + 1, "{most} beyond {rate}/s, and the burst is {burst}");
        }
        // A limit that is the only one is used in full while clients always ask for more.
        if rate.is_some() == bandwidth.is_some() {
            return Ok(());
        }
        let span = (busy_from + SECOND, end);
        let used = |rate: Option<u64>, units: fn(&Passed) -> u64| {
            let all: u64 = passed.iter().filter(|one| (span.0..span.1).contains(&one.at)).map(units).sum();
            rate.map(|rate| all * 100 / (rate * ((span.1 - span.0) / SECOND)))
        };
        let best = used(rate, |_| 1).max(used(bandwidth, |one| one.bytes));
        prop_assert!(best.is_none_or(|best| best >= 95), "{best:?} % of the limit");
    }
}

#[test]
fn requests_of_all_kinds_count_as_one_and_flushes_pass_by() {
    run(limits(10, 0, SECOND / 10), async |rig| {
        let range = ByteRange::at(2 * PAGE, 1 << 20);
        let requests = async {
            let read = rig.device.read(PAGE, Buffer::zeroed(512));
            let (_, zeroed, discarded, ()) = join4(
                read,
                rig.device.write_zeroes(range, Unmap::Allowed),
                rig.device.discard(ByteRange::at(3 * PAGE, 8 << 20)),
                rig.write(4, MIB),
            )
            .await;
            assert_eq!((zeroed, discarded), (Ok(()), Ok(())));
        };
        let flushes = async {
            rig.device.flush().await.expect("it has nothing to do");
            assert!(rig.device.extents(range).await.is_ok());
            assert_eq!((rig.host.now(), rig.noting.flushes.get()), (0, 1), "before those that came earlier");
        };
        join(requests, flushes).await;
        let tenth = SECOND / 10;
        assert_eq!(rig.numbers(), [(1, 0), (2, tenth), (3, 2 * tenth), (4, 3 * tenth)]);
        assert_eq!(rig.limiter.delays(), Delays { requests: 3, nanos: 6 * tenth });
    });
}

#[test]
fn bytes_count_for_reads_and_writes_and_zeroes_move_none() {
    run(limits(0, MIB, SECOND), async |rig| {
        rig.write(0, MIB).await;
        let range = ByteRange::at(0, 32 << 20);
        rig.device.write_zeroes(range, Unmap::Forbidden).await.expect("it is done");
        rig.device.discard(range).await.expect("it is done");
        assert_eq!((rig.host.now(), rig.limiter.delays()), (0, Delays::default()));
        // More than a burst: when the bucket is full, and the next one pays.
        rig.write(1, 8 * MIB).await;
        assert_eq!(rig.host.now(), SECOND);
        rig.device.read(2 * PAGE, Buffer::zeroed(512)).await.1.expect("it is read");
        assert_eq!(rig.host.now(), 8 * SECOND + 512 * SECOND / MIB);
    });
}

#[test]
fn without_limits_nothing_waits_and_nothing_is_counted() {
    run(RateLimits::default(), async |rig| {
        join_all((0..1_000).map(|number| rig.write(number, PAGE))).await;
        assert_eq!((rig.host.now(), rig.limiter.delays()), (0, Delays::default()));
    });
}

#[test]
fn what_is_at_hand_passes_as_far_as_there_is_room_and_never_ahead_of_those_who_wait() {
    run(limits(4, 0, SECOND), async |rig| {
        let read = |number: u64| WantedRange::new(ByteRange::at(number * PAGE, PAGE));
        let far = || WantedRange::new(ByteRange::at(SIZE - PAGE, PAGE));
        let given = |wanted: &mut [WantedRange]| {
            rig.device.try_read_cached(wanted, &mut |_, _| {});
            wanted.iter().map(|read| read.given).collect::<Vec<_>>()
        };
        // What is not given costs nothing.
        assert_eq!(given(&mut [read(0), far(), far(), read(1), read(2)]), [true, false, false, true, false]);
        assert_eq!(given(&mut [read(3), read(4), read(5)]), [true, true, false]);
        let waits = rig.write(6, PAGE);
        let later = async {
            rig.host.sleep(SECOND / 4).await;
            // It is its turn, and it has not been polled since.
            assert_eq!(given(&mut [read(7)]), [false]);
        };
        join(waits, later).await;
        assert_eq!(rig.numbers(), [(0, 0), (1, 0), (3, 0), (4, 0), (6, SECOND / 4)]);
    });
}

#[test]
fn one_that_is_dropped_costs_nothing_and_keeps_nobody_waiting() {
    run(limits(1, 0, SECOND), async |rig| {
        rig.write(0, PAGE).await;
        let mut first = Box::pin(rig.write(1, PAGE));
        let mut second = Box::pin(rig.write(2, PAGE));
        let third = rig.write(3, PAGE);
        assert_eq!((first.as_mut().now_or_never(), second.as_mut().now_or_never()), (None, None));
        assert_eq!(rig.limiter.waiting.get(), 2);
        let drops = async {
            rig.host.sleep(SECOND / 2).await;
            drop(second);
            drop(first);
        };
        join(third, drops).await;
        assert_eq!(rig.numbers(), [(0, 0), (3, SECOND)]);
        assert_eq!(rig.limiter.delays(), Delays { requests: 1, nanos: SECOND });
    });
}

#[test]
fn a_change_holds_at_once_for_those_who_wait_and_keeps_their_order() {
    run(limits(1, 0, SECOND), async |rig| {
        let all = join_all((0..30).map(|number| rig.write(number, PAGE)));
        let changes = async {
            rig.host.sleep(3 * SECOND / 2).await;
            rig.limiter.set_limits(limits(10, 0, SECOND));
            rig.limiter.set_limits(limits(10, 0, SECOND));
            rig.host.sleep(SECOND).await;
            rig.limiter.set_limits(RateLimits::default());
            // Not ahead of those who wait still.
            rig.write(30, PAGE).await;
        };
        join(all, changes).await;
        let numbers = rig.numbers();
        assert!(numbers.iter().map(|(number, _)| *number).eq(0..31), "{numbers:?}");
        let passed_by = |at: u64| numbers.iter().filter(|(_, passed)| *passed <= at).count();
        // Two at one a second, ten with the new burst, ten in the second after it, and the rest without limits.
        assert_eq!([SECOND, 3 * SECOND / 2, 5 * SECOND / 2 - 1].map(passed_by), [2, 12, 21]);
        assert_eq!(rig.host.now(), 5 * SECOND / 2);
        assert!(!rig.limiter.is_on.get());
    });
}

#[test]
fn lifted_limits_let_those_who_wait_pass_in_order_and_later_ones_pay() {
    run(limits(1, 0, SECOND), async |rig| {
        let waits = join_all((0..10).map(|number| rig.write(number, PAGE)));
        let lifts = async {
            rig.host.sleep(SECOND / 2).await;
            let lifted = rig.device.lift_limits().expect("it has limits");
            let other = rig.device.lift_limits();
            drop(other);
            // One that arrives meanwhile does not overtake them.
            rig.write(10, PAGE).await;
            drop(lifted);
        };
        join(waits, lifts).await;
        assert_eq!(rig.host.now(), SECOND / 2);
        assert!(rig.numbers().iter().map(|(number, _)| *number).eq(0..11));
        rig.write(11, PAGE).await;
        assert_eq!(rig.host.now(), 11 * SECOND, "eleven passed, and the first had been saved up");
    });
}

#[test]
fn limits_that_go_on_elsewhere_know_what_was_saved_up_owed_and_counted() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let state = executor.run(async {
        let rig = Rig::new(&executor.host(), limits(1, 0, 4 * SECOND));
        rig.host.sleep(100 * SECOND).await;
        join_all((0..6).map(|number| rig.write(number, PAGE))).await;
        rig.host.sleep(SECOND).await;
        rig.limiter.state()
    });
    // By a clock that differs.
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        host.sleep(7 * SECOND).await;
        let limiter = RateLimiter::resume(host.clone(), state.expect("it ends"));
        assert_eq!(limiter.delays(), Delays { requests: 2, nanos: 3 * SECOND });
        limiter.admit(1).await;
        assert_eq!(host.now(), 7 * SECOND, "one was saved up in the second");
        limiter.admit(1).await;
        assert_eq!(host.now(), 8 * SECOND);
    });
}

#[test]
fn in_any_order_of_tasks_the_line_stays_a_line_and_nobody_is_forgotten() {
    for seed in 0..200 {
        run_in(Order::Seeded(seed), limits(50, 0, SECOND / 10), async |rig| {
            let (dropped, came) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
            let one = async |number: u64| {
                rig.host.sleep(rig.host.random() % (SECOND / 4)).await;
                came.borrow_mut().push(number);
                let write = pin!(rig.write(number, PAGE));
                let patience: std::pin::Pin<Box<dyn Future<Output = ()>>> = match number % 3 {
                    0 => Box::pin(rig.host.sleep(rig.host.random() % SECOND)),
                    _ => Box::pin(pending()),
                };
                if let futures_util::future::Either::Right(_) = select(write, patience).await {
                    dropped.borrow_mut().push(number);
                }
            };
            let disturbs = async {
                for _ in 0..6 {
                    rig.host.sleep(rig.host.random() % (SECOND / 8)).await;
                    let lifted = rig.limiter.lift();
                    rig.host.sleep(rig.host.random() % 1_000).await;
                    drop(lifted);
                    rig.limiter.set_limits(limits(20 + rig.host.random() % 50, 0, SECOND / 10));
                }
            };
            join(join_all((0..60).map(one)), disturbs).await;
            let dropped = dropped.into_inner();
            let expected: Vec<u64> =
                came.into_inner().into_iter().filter(|number| !dropped.contains(number)).collect();
            let passed: Vec<u64> = rig.numbers().into_iter().map(|(number, _)| number).collect();
            assert_eq!(passed, expected, "seed {seed}");
        });
    }
}
