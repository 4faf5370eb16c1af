//! Queues that stop and go on: with requests in flight, after a kill, and on another door.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::task::Poll;

use block::Host;
use tokio::sync::oneshot;
use vhost::VhostBackend;
use vhost::vhost_user::VhostUserFrontend;

use crate::driver::{Data, Driver, FLUSH, IN, OUT, Options};
use crate::patience;
use crate::server::{MIB, Server};

/// Returns a server whose disk holds so many writes of a sector of sevens each, the first of them in the first slot.
fn with_writes_held(count: u16) -> (Server, Driver) {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    server.run(|world| world.disk.hold());
    for slot in 0..count {
        driver.submit(0, slot, OUT, u64::from(slot), &Data::Out(vec![7; 512]));
    }
    driver.kick(0);
    server.until(move |world| world.disk.held().len() == usize::from(count));
    (server, driver)
}

#[test]
fn a_queue_is_stopped_only_when_all_that_was_taken_from_it_is_answered() {
    // Answered in one part, and in several.
    for count in [3, 20] {
        is_stopped_when_all_is_answered(count);
    }
}

fn is_stopped_when_all_is_answered(count: u16) {
    let (server, mut driver) = with_writes_held(count);
    let (stopped, is_stopped) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    std::thread::scope(|scope| {
        let stopping = Arc::clone(&stopped);
        let driver = &mut driver;
        let thread = scope.spawn(move || {
            let base = driver.frontend.get_vring_base(0).unwrap();
            stopping.store(true, Ordering::SeqCst);
            (base, driver.used_index(0))
        });
        for _ in 0..200 {
            server.run(|_| ());
        }
        is_stopped.store(stopped.load(Ordering::SeqCst), Ordering::SeqCst);
        server.run(|world| world.disk.release_all());
        assert_eq!(
            thread.join().unwrap(),
            (count.into(), count),
            "what is taken next, and what was answered"
        );
    });
    assert!(!is_stopped.load(Ordering::SeqCst), "it waited");
    // It goes on where it was, also with requests that arrived meanwhile.
    driver.submit(0, 25, IN, 2, &Data::In(512));
    driver.start_ring(0, count);
    driver.kick(0);
    assert_eq!(driver.answers(0, usize::from(count) + 1).len(), usize::from(count) + 1);
    assert_eq!(driver.data(0, 25, 512), [7; 512]);
}

#[test]
fn after_a_kill_all_requests_that_were_open_are_answered() {
    // What was answered before the kill, by its place among 64 requests.
    for answered in [&[][..], &[0], &[63], &[63, 0, 30, 31, 5]] {
        let mut server = Server::start();
        let mut driver = Driver::start(&server);
        for _ in 0..40 {
            assert_eq!(driver.request(0, FLUSH, 0, &Data::None), 0);
        }
        server.run(|world| world.disk.hold());
        for slot in 0..64u16 {
            let bytes = vec![slot as u8 + 1; 512];
            driver.submit(0, slot, OUT, u64::from(slot), &Data::Out(bytes));
        }
        driver.kick(0);
        server.until(|world| world.disk.held().len() == 64);
        let mut seen = Vec::new();
        for slot in answered {
            let offset = u64::from(*slot) * 512;
            server.run(move |world| world.disk.release(offset));
            seen.push(driver.answer(0).0);
        }
        assert_eq!(seen, *answered);
        server.replace();
        server.run(|world| world.disk.hold());
        driver.reconnect(&server);
        let open: Vec<u64> =
            (0..64).filter(|slot| !answered.contains(slot)).map(|slot| u64::from(slot) * 512).collect();
        let expected = open.len();
        server.until(move |world| world.disk.held().len() == expected);
        assert_eq!(server.run(|world| world.disk.held()), open, "in the order in which they were taken");
        server.run(|world| world.disk.release_all());
        let statuses = driver.answers(0, expected);
        assert!(statuses.len() == expected && statuses.values().all(|&status| status == 0));
        for slot in (0..64u64).filter(|slot| open.contains(&(slot * 512))) {
            assert_eq!(driver.read(0, slot, 512), [slot as u8 + 1; 512]);
        }
    }
}

#[test]
fn a_daemon_that_is_killed_again_and_again_loses_no_request() {
    let mut server = Server::start();
    let mut driver = Driver::with(&server, Options { queues: 2, ..Options::default() });
    let mut seed = 7u64;
    let mut draw = |most: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % most
    };
    for _ in 0..20 {
        server.run(|world| world.disk.hold());
        for index in 0..2 {
            for slot in 0..32 {
                driver.submit(index, slot, IN, u64::from(slot) + 64 * index as u64, &Data::In(512));
            }
            driver.kick(index);
        }
        server.until(|world| world.disk.held().len() == 64);
        let count = draw(64);
        for _ in 0..count {
            let which = draw(1 << 20);
            server.run(move |world| {
                let held = world.disk.held();
                world.disk.release(held[which as usize % held.len()]);
            });
        }
        server.replace();
        driver.reconnect(&server);
        for index in 0..2 {
            assert_eq!(driver.answers(index, 32).len(), 32, "each once");
        }
    }
    drop(driver);
    server.until_nothing_is_left();
}

/// Regression: the firmware of a guest of QEMU 10 makes queues of 256 entries after QEMU has requested a record for 128, and was
/// disconnected.
#[test]
fn queues_may_be_longer_than_those_that_the_record_was_asked_for() {
    let mut server = Server::start();
    let mut driver = Driver::with(&server, Options { size_for_record: Some(128), ..Options::default() });
    server.run(|world| world.disk.hold());
    for slot in 0..64 {
        driver.submit(0, slot, IN, slot.into(), &Data::In(512));
    }
    driver.kick(0);
    server.until(|world| world.disk.held().len() == 64);
    server.run(|world| world.disk.release(world.disk.held()[63]));
    server.replace();
    driver.reconnect(&server);
    assert_eq!(driver.answers(0, 64).len(), 64, "each once, those of the second half too");
}

/// Regression: requests that were offered while there was no server were skipped if the front end passed the end of the available ring, as
/// Cloud Hypervisor does, and nothing was in flight.
#[test]
fn what_was_offered_while_nobody_served_is_found_wherever_the_front_end_says_that_the_queue_begins() {
    let mut server = Server::start();
    let mut driver = Driver::start(&server);
    for in_flight in [0, 3] {
        assert_eq!(driver.request(0, OUT, 0, &Data::Out(vec![3; 512])), 0);
        server.run(|world| world.disk.hold());
        for slot in 10..10 + in_flight {
            driver.submit(0, slot, IN, 0, &Data::In(512));
        }
        driver.kick(0);
        server.until(move |world| world.disk.held().len() == usize::from(in_flight));
        server.replace();
        for slot in 0..5 {
            driver.submit(0, slot, IN, 0, &Data::In(512));
        }
        driver.reconnect_at_the_end(&server);
        assert_eq!(driver.answers(0, 5 + usize::from(in_flight)).len(), 5 + usize::from(in_flight));
    }
}

#[test]
fn what_is_in_flight_is_done_again_only_when_the_queue_is_enabled() {
    let (mut server, mut driver) = with_writes_held(3);
    server.replace();
    driver.connect_again(&server);
    driver.kick_ring(0, 0);
    driver.kick(0);
    for _ in 0..50 {
        server.run(|_| ());
    }
    assert_eq!(server.run(|world| world.disk.done.borrow().len()), 0);
    // Stopped before that, it is still in flight.
    assert_eq!(driver.frontend.get_vring_base(0).unwrap(), 3);
    driver.start_ring(0, 3);
    assert_eq!(driver.answers(0, 3).len(), 3);
    assert_eq!(driver.used_index(0), 3);
}

/// Regression: a front end that pauses its guest only disables the queue, and copies memory then.
#[test]
fn a_queue_is_disabled_only_when_all_that_was_taken_from_it_is_answered() {
    let (server, mut driver) = with_writes_held(1);
    assert_eq!(server.disable_while_held(&mut driver), 1);
    driver.submit(0, 1, OUT, 0, &Data::Out(vec![8; 512]));
    driver.kick(0);
    for _ in 0..50 {
        server.run(|_| ());
    }
    assert_eq!((driver.answer(0).0, driver.used_index(0)), (0, 1), "nothing is taken meanwhile");
    driver.frontend.set_vring_enable(0, true).unwrap();
    assert_eq!(driver.answer(0).0, 1);
}

// Messages of vhost-user; the front end of the tests waits for the answer to each before it sends anything else.
const GET_VRING_BASE: u32 = 11;
const SET_VRING_ENABLE: u32 = 18;

/// Makes the server find two things at once: requests, and a message to take no more. Returns its answer to the latter.
fn kick_and_wish(server: &Server, driver: &mut Driver, wish: u32) -> [u8; 20] {
    const VERSION_AND_NEED_REPLY: u32 = 1 | 1 << 3;
    let (entered, is_entered) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            server.run(move |_| {
                entered.send(()).unwrap();
                patience::hear(&goes_on);
            });
        });
        patience::hear(&is_entered);
        driver.kick(0);
        let words = [wish, VERSION_AND_NEED_REPLY, 8, 0, 0];
        driver.stream.write_all(&words.map(u32::to_ne_bytes).concat()).unwrap();
        go_on.send(()).unwrap();
    });
    let mut answer = [0; 20];
    driver.stream.read_exact(&mut answer).unwrap();
    answer
}

/// Reads from RAM are answered without waiting, except for turns of others: none of these may lie between taking a request and counting it.
/// Whether one that does shows here depends on when the answer to the front end goes out: so there are many rounds.
#[test]
fn a_queue_full_of_what_is_at_hand_is_disabled_or_stopped_between_two_requests() {
    const SLOTS: u16 = 64;
    let server = Server::start();
    let mut driver = Driver::start(&server);
    // So many other tasks want their turns that an answer to the front end is out before the queue has its next.
    server.run(|world| {
        world.disk.at_hand.set(64 * MIB);
        for _ in 0..2000 {
            let disk = Rc::downgrade(&world.disk);
            world.host.spawn(poll_fn(move |context| {
                if disk.upgrade().is_none_or(|disk| disk.at_hand.get() == 0) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            }));
        }
    });
    let mut between = 0;
    for round in 0..200 {
        // Where the ring ends then: read before anything is offered, since the queue may be awake still and take it at once.
        let all = driver.used_index(0).wrapping_add(SLOTS);
        for slot in 0..SLOTS {
            driver.submit(0, slot, IN, 128 * u64::from(slot), &Data::In(64 << 10));
        }
        let wish = if round % 2 == 0 { SET_VRING_ENABLE } else { GET_VRING_BASE };
        let answer = kick_and_wish(&server, &mut driver, wish);
        let stands = driver.used_index(0);
        for _ in 0..4 {
            server.run(|_| ());
        }
        assert_eq!(driver.used_index(0), stands, "in round {round} something was answered later");
        between += u32::from(stands != all);
        if wish == GET_VRING_BASE {
            assert_eq!(answer[16..], u32::from(stands).to_ne_bytes(), "what is taken next");
            driver.start_ring(0, stands);
        } else {
            assert_eq!(answer[12..], [0; 8], "it was done");
            // Revoked while the queue rests: the index that was read before must not be used.
            driver.claim(0, stands.wrapping_sub(all));
            driver.frontend.set_vring_enable(0, true).unwrap();
            for _ in 0..4 {
                server.run(|_| ());
            }
            assert_eq!(
                driver.used_index(0),
                stands,
                "in round {round} something was taken that is not offered"
            );
            driver.claim(0, all.wrapping_sub(stands));
        }
        driver.kick(0);
        assert_eq!(driver.answers(0, usize::from(SLOTS)).len(), usize::from(SLOTS));
    }
    server.run(|world| world.disk.at_hand.set(0));
    assert!(between > 0, "it was never stopped with more to do");
}

/// Regression: a front end that closed its connection and made another one had everything in flight done twice.
#[test]
fn what_is_in_flight_on_a_connection_that_ends_is_not_done_by_the_next_one_too() {
    let (server, mut driver) = with_writes_held(3);
    std::thread::scope(|scope| {
        let (driver, server_of_driver) = (&mut driver, &server);
        let thread = scope.spawn(move || {
            driver.reconnect(server_of_driver);
            driver.answers(0, 3).len()
        });
        server.until(|world| world.door.counters().connections_total == 2);
        for _ in 0..200 {
            server.run(|_| ());
        }
        assert_eq!(server.run(|world| world.disk.held()), [0, 512, 1024], "only once");
        server.run(|world| world.disk.release_all());
        assert_eq!(thread.join().unwrap(), 3);
    });
    assert_eq!((server.run(|world| world.disk.done.borrow().len()), driver.used_index(0)), (3, 3));
}

#[test]
fn what_was_offered_while_nobody_served_is_found_on_the_next_connection() {
    let mut server = Server::start();
    let mut driver = Driver::start(&server);
    assert_eq!(driver.request(0, OUT, 0, &Data::Out(vec![3; 512])), 0);
    server.replace();
    for slot in 0..5 {
        driver.submit(0, slot, IN, 0, &Data::In(512));
    }
    driver.reconnect(&server);
    assert_eq!(driver.answers(0, 5).len(), 5);
}

#[test]
fn a_door_that_closes_answers_what_it_took_and_leaves_the_rest() {
    let (server, driver) = with_writes_held(1);
    let closed = server.close();
    assert!(closed.try_recv().is_err());
    server.run(|world| world.disk.release_all());
    patience::hear(&closed);
    assert_eq!((driver.used_index(0), driver.status(0, 0)), (1, 0));
    assert!(driver.frontend.get_features().is_err(), "the connection is over");
    assert!(std::os::unix::net::UnixStream::connect(server.path()).is_err(), "and nobody is let in");
}

#[test]
fn a_front_end_that_dies_with_requests_in_flight_leaves_nothing_behind() {
    let (server, driver) = with_writes_held(9);
    drop(driver);
    server.run(|world| world.disk.release_all());
    server.until_nothing_is_left();
    // The next one finds a disk that works, also several side by side.
    let (mut one, mut other) = (Driver::start(&server), Driver::start(&server));
    assert_eq!(one.read(0, 8, 512), [7; 512]);
    assert_eq!(other.read(0, 8, 512), [7; 512]);
}

#[test]
fn a_guest_goes_on_at_another_door_and_notices_nothing() {
    let (server, other) = (Server::start(), Server::start());
    let mut driver = Driver::with(&server, Options { queues: 2, ..Options::default() });
    server.run(|world| world.disk.hold());
    driver.submit(0, 0, OUT, 0, &Data::Out(vec![1; 512]));
    driver.kick(0);
    server.until(|world| world.disk.held().len() == 1);
    let paused = server.pause();
    assert!(paused.try_recv().is_err(), "one is in flight");
    server.run(|world| world.disk.release_all());
    let paused = patience::hear(&paused);
    // Later requests are for the next.
    driver.submit(0, 1, OUT, 1, &Data::Out(vec![2; 512]));
    driver.kick(0);
    for _ in 0..20 {
        server.run(|_| ());
    }
    assert_eq!(driver.used_index(0), 1);
    other.run(move |world| world.door.go_on(&world.ring, &world.host, paused));
    assert_eq!(driver.answers(0, 2).len(), 2);
    assert_eq!(driver.read(1, 1, 512), [2; 512]);
    assert_eq!(driver.read(1, 0, 512), [0; 512], "the other door has another disk");
    // Its messages are heard there, and new guests let in.
    driver.frontend.get_features().unwrap();
    let mut next = Driver::start(&server);
    assert_eq!(next.read(0, 1, 512), [2; 512]);
    drop((driver, next));
    other.until_nothing_is_left();
}

#[test]
fn a_pause_that_is_called_off_has_changed_nothing() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    for round in 0..20u64 {
        server.run(|world| world.disk.hold());
        driver.submit(0, 0, OUT, round, &Data::Out(vec![round as u8; 512]));
        driver.kick(0);
        server.until(|world| world.disk.held().len() == 1);
        let (call_off, called_off) = oneshot::channel();
        let done = server.pause_and_call_off(called_off);
        if round % 2 == 0 {
            // Sooner or later than what is in flight ends.
            server.run(|world| world.disk.release_all());
        }
        call_off.send(()).unwrap_or(());
        patience::hear(&done);
        server.run(|world| world.disk.release_all());
        assert_eq!(driver.answer(0).0, 0);
        assert_eq!(driver.read(0, round, 512), vec![round as u8; 512]);
    }
    assert!(Driver::start(&server).read(0, 0, 512) == vec![0; 512], "others are let in");
}
