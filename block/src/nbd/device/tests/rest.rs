//! Devices that go to rest, and go on here or on the ring of another thread.

use super::*;
use crate::nbd::NbdHandle;

/// Uses the device of a handle on a thread, ring and executor of their own, and returns it at rest again.
fn elsewhere<T: Send + 'static>(
    handle: NbdHandle,
    test: impl AsyncFnOnce(&Device, &LocalHost) -> T + Send + 'static,
) -> (NbdHandle, T) {
    let thread = std::thread::spawn(move || {
        run(async |ring, host| {
            let device = Device::from_handle(&ring, &host, handle);
            device.go_on();
            let done = test(&device, &host).await;
            device.rest().await.expect("nothing is in flight");
            (device.handle(), done)
        })
    });
    thread.join().expect("the test on it succeeds")
}

/// Waits until so many connections are open.
async fn until_open(device: &Device, host: &LocalHost, count: usize) {
    while device.shared.open_connections() < count {
        host.sleep(1_000_000).await;
    }
}

#[test]
fn a_device_goes_to_another_thread_and_back_over_the_same_connections() {
    for connections in [1, 4] {
        let server = Server::start();
        let options = NbdOptions { connections, retry_ns: Some(RETRY_NS), ..NbdOptions::default() };
        with_options(&server, options, async |device, host| {
            until_open(&device, &host, connections).await;
            write(&device, 0, &[1; 512]).await.expect("the server serves");
            let epoch = device.epoch();
            device.rest().await.expect("nothing is in flight");
            let (back, used) = elsewhere(device.handle(), async move |device, _| {
                let reads = (0..8).map(|_| read(device, 0, 512));
                assert!(join_all(reads).await.into_iter().all(|bytes| bytes == Ok(vec![1; 512])));
                write(device, 512, &[2; 512]).await.expect("the server serves");
                (device.epoch(), device.geometry(), device.current_size())
            });
            assert_eq!(used, (epoch, device.geometry(), Ok(SIZE)));
            let device = Device::from_handle(&device.shared.ring, &host, back);
            device.go_on();
            assert_eq!(read(&device, 512, 512).await, Ok(vec![2; 512]));
            device.flush().await.expect("no connection was lost");
            assert_eq!((device.epoch(), server.connections()), (epoch, connections));
            assert!(!commands(&server).contains(&Command::Disconnect), "nobody said goodbye");
        });
    }
}

#[test]
fn what_was_not_flushed_before_the_way_is_flushed_after_it_and_once() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, _| {
        device.flush().await.expect("the first one always goes");
        write(&device, 0, &[1; 512]).await.expect("the server serves");
        drop(server.log());
        device.rest().await.expect("nothing is in flight");
        elsewhere(device.handle(), async |device, _| {
            for _ in 0..2 {
                device.flush().await.expect("no connection was lost");
            }
        });
        assert_eq!(commands(&server), [Command::Flush]);
    });
}

#[test]
fn a_connection_that_is_lost_on_the_way_counts_where_the_device_goes_on() {
    let server = Server::start();
    with_device(&server, Some(10 * RETRY_NS), async |device, _| {
        write(&device, 0, &[1; 512]).await.expect("the server serves");
        let epoch = device.epoch();
        device.rest().await.expect("nothing is in flight");
        let handle = device.handle();
        server.cut();
        elsewhere(handle, async move |device, _| {
            assert_eq!(device.epoch(), epoch, "nobody looked");
            assert_eq!(read(device, 0, 512).await, Ok(vec![1; 512]), "over another connection");
            assert!(device.epoch() > epoch);
            let error = device.flush().await.expect_err("the server may have lost the write");
            assert!(error.to_string().contains("may be gone"), "{error}");
            device.flush().await.expect("it was told once");
        });
    });
}

#[test]
fn a_device_does_not_rest_while_something_is_in_flight_and_giving_that_up_harms_nobody() {
    let server = Server::start();
    with_device(&server, None, async |device, host| {
        let (release, released) = std::sync::mpsc::channel();
        server.script(first(Command::Write, move |_| Act::Hang(released)));
        let writing = begin(&host, &device, async |device| write(device, 0, &[1; 512]).await);
        while commands(&server).is_empty() {
            host.sleep(1_000_000).await;
        }
        {
            let mut rest = Box::pin(device.rest());
            assert!(poll_once(rest.as_mut()).is_pending());
            host.sleep(5_000_000).await;
            assert!(poll_once(rest.as_mut()).is_pending());
        }
        let reading = begin(&host, &device, async |device| read(device, 512, 512).await.map(drop));
        release.send(()).expect("the server waits");
        writing.await.expect("it runs").expect("the server did it");
        reading.await.expect("it runs").expect("it had its turn");
        assert_eq!(server.connections(), 1);
    });
}

#[test]
fn requests_wait_for_a_device_at_rest_and_it_goes_on_where_it_is() {
    let server = Server::start();
    let options = NbdOptions { retry_ns: None, ..NbdOptions::default() };
    with_options(&server, options, async |device, host| {
        until_open(&device, &host, 4).await;
        // Given up in the middle, and to its end.
        for polls in [1, 2, 100] {
            let rested = {
                let mut rest = Box::pin(device.rest());
                let mut rested = false;
                for _ in 0..polls {
                    rested = rested || poll_once(rest.as_mut()).is_ready();
                    if rested {
                        break;
                    }
                    host.sleep(100_000).await;
                }
                rested
            };
            assert!(rested || polls < 100);
            drop(server.log());
            let reading = begin(&host, &device, async |device| read(device, 0, 512).await.map(drop));
            if rested {
                host.sleep(1_000_000).await;
                assert!(commands(&server).is_empty(), "it waits");
                drop(device.handle());
            }
            device.go_on();
            reading.await.expect("it runs").expect("the server serves");
            until_open(&device, &host, 4).await;
            assert_eq!((server.connections(), device.epoch()), (4, 0), "after {polls} polls");
        }
    });
}

#[test]
fn a_device_that_may_have_lost_changes_or_has_no_connection_does_not_rest() {
    let server = Server::start();
    with_device(&server, None, async |device, host| {
        write(&device, 0, &[1; 512]).await.expect("the server serves");
        server.cut();
        read(&device, 0, 512).await.expect("over another connection");
        let error = device.rest().await.expect_err("a flush is to fail here");
        assert!(error.to_string().contains("not flushed"), "{error}");
        device.flush().await.expect_err("the write may be gone");
        device.rest().await.expect("it is told");
        device.go_on();
        read(&device, 0, 512).await.expect("it goes on");
        server.stop();
        while device.can_rest() {
            host.sleep(1_000_000).await;
        }
        device.rest().await.expect_err("there is no server");
        server.start_again();
        read(&device, 0, 512).await.expect("it connected again by itself");
        device.rest().await.expect("nothing was lost");
    });
}

#[test]
fn a_change_that_was_given_up_keeps_its_device_where_that_is_known() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, _| {
        server.script(first(Command::Write, |_| Act::Ignore));
        assert_eq!(write(&device, 0, &[1; 512]).await.expect_err("no answer").kind, ErrorKind::Unanswered);
        read(&device, 0, 512).await.expect("over another connection");
        assert!(device.has_unanswered());
        device.rest().await.expect_err("the server may do it yet");
        read(&device, 0, 512).await.expect("it goes on");
    });
}

#[test]
fn a_device_that_is_dropped_at_rest_leaves_its_connections_to_the_other_one() {
    let server = Server::start();
    run(async |ring, host| {
        let options = NbdOptions { connections: 1, ..NbdOptions::default() };
        let device = Device::open(&ring, &host, server.target(), options).await.expect("a server listens");
        until_open(&device, &host, 1).await;
        device.rest().await.expect("nothing is in flight");
        let handle = device.handle();
        drop(device);
        drop(Device::from_handle(&ring, &host, handle.clone()));
        host.sleep(2_000_000).await;
        let device = Device::from_handle(&ring, &host, handle);
        device.go_on();
        read(&device, 0, 512).await.expect("its connection is open");
        drop(device);
        while !commands(&server).contains(&Command::Disconnect) {
            host.sleep(1_000_000).await;
        }
        assert_eq!(server.connections(), 1);
    });
}

#[test]
fn a_server_of_a_single_client_sees_no_second_one() {
    let server = Server::with(facts_with(facts().flags & !export_flags::CAN_MULTI_CONN), true);
    with_options(&server, NbdOptions::default(), async |device, _| {
        write(&device, 0, &[99; 512]).await.expect("the server serves");
        device.rest().await.expect("nothing is in flight");
        let mut handle = device.handle();
        for round in 0..10u8 {
            (handle, ()) = elsewhere(handle, async move |device, _| {
                write(device, 0, &[round; 512]).await.expect("the server serves");
            });
        }
    });
    assert_eq!(server.connections(), 1);
    assert_eq!(server.content(0, 512), [9; 512]);
    assert_eq!(commands(&server), [Command::Write; 11]);
}

#[test]
fn bytes_that_were_received_before_and_cookies_go_along() {
    let server = Server::start();
    // The beginning of the answer to the next request arrives behind the one to this one.
    let next = simple_reply(None, 1);
    server
        .script(first(Command::Write, move |_| Act::Say([&simple_reply(None, 0)[..], &next[..6]].concat())));
    with_device(&server, None, async |device, host| {
        write(&device, 0, &[7; 512]).await.expect("the server serves");
        host.sleep(20_000_000).await;
        server.script(first(Command::WriteZeroes, move |_| Act::Say(next[6..].to_vec())));
        device.rest().await.expect("nothing is in flight");
        elsewhere(device.handle(), async |device, _| {
            let zeroed = device.write_zeroes(ByteRange::at(0, 512), Unmap::Allowed).await;
            zeroed.expect("the answer is whole");
        });
        assert_eq!((device.epoch(), server.connections()), (0, 1));
    });
}

#[test]
fn an_answer_that_comes_twice_is_none_to_a_request_of_the_next_device() {
    let server = Server::start();
    server.script(first(Command::Write, |_| Act::Say(simple_reply(None, 0).repeat(2))));
    with_device(&server, None, async |device, _| {
        write(&device, 0, &[7; 512]).await.expect("the server serves");
        // It may have seen the second one, or the next one does.
        if device.rest().await.is_err() {
            device.flush().await.expect_err("a connection was lost");
            device.rest().await.expect("that was told");
        }
        elsewhere(device.handle(), async |device, _| {
            // On the first connection, it would be answered before it is sent.
            assert_eq!(read(device, 512, 512).await, Ok(vec![1; 512]));
            assert_eq!(device.epoch(), 1);
        });
    });
}

#[test]
fn a_connection_that_is_lost_while_the_device_comes_to_rest_fails_one_flush_wherever_it_is() {
    for restarts in [false, true] {
        let server = Server::start();
        with_device(&server, None, async |device, _| {
            write(&device, 0, &[7; 512]).await.expect("the server serves");
            // Nothing is awaited behind it: the device has not noticed.
            if restarts {
                server.stop();
                server.start_again();
            } else {
                server.cut();
            }
            let flushes = async |device: &Device| {
                let error = device.flush().await.expect_err("the write may be gone");
                assert!(error.reason.contains("may be gone"), "{error}");
                assert_ne!(device.epoch(), 0, "the cache is to notice as well");
                device.flush().await.expect("later flushes are not to blame");
                read(device, 0, 512).await.expect("it is connected again");
            };
            match device.rest().await {
                Ok(()) => drop(elsewhere(device.handle(), async move |device, _| flushes(device).await)),
                Err(_) => flushes(&device).await,
            }
        });
    }
}
