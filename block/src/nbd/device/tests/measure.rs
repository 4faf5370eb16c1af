//! Exports that grew: what is in flight and who waits while connections are replaced.

use super::*;

#[test]
fn an_export_that_grew_is_used_further_once_that_is_asked_for_and_loses_nothing() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        write(&device, 0, &[1; 512]).await.expect("the server serves");
        assert_eq!(device.measure().await, Ok(SIZE));
        let epoch = device.epoch();
        server.grow(2 * SIZE);
        assert_eq!(device.measure().await, Ok(2 * SIZE));
        assert_eq!(device.epoch(), epoch, "what was acknowledged is flushed: nothing can be lost");
        assert!(commands(&server).ends_with(&[Command::Flush, Command::Disconnect]), "in this order");
        let error = write(&device, SIZE, &[2; 512]).await.expect_err("nobody said that it may");
        assert_eq!(error.kind, ErrorKind::InvalidRequest);
        device.set_size(2 * SIZE);
        write(&device, SIZE, &[2; 512]).await.expect("the server serves it to its new connections");
        assert_eq!(server.content(SIZE as usize, 512), [2; 512]);
        device.flush().await.expect("nothing is lost");
        assert_eq!(device.current_size(), Ok(2 * SIZE));
    });
}

#[test]
fn requests_that_come_while_connections_are_replaced_go_over_the_new_ones() {
    // With a flush of its own, and without: the turn that it releases is another's at once.
    for is_flushed in [false, true] {
        let server = Server::start();
        with_device(&server, None, async |device, host| {
            if is_flushed {
                device.flush().await.expect("the server serves");
            }
            let (release, released) = std::sync::mpsc::channel();
            server.script(first(Command::Read, move |_| {
                released.recv().expect("the test goes on");
                Act::Serve
            }));
            let held_back = begin(&host, &device, async |device| read(device, 0, 512).await.map(drop));
            while !commands(&server).contains(&Command::Read) {
                host.sleep(1_000_000).await;
            }
            let old = server.connections();
            server.grow(2 * SIZE);
            let epoch = device.epoch();
            let measured = begin(&host, &device, async |device| device.measure().await);
            while device.requests.available_permits() > 0 {
                host.sleep(1_000_000).await;
            }
            // Each is a task of its own, woken when it has its turn, and all of them before the connections are.
            let writes = [1, 2, 3].map(|block| {
                begin(&host, &device, async move |device| {
                    write(device, u64::from(block) * 512, &[block; 512]).await
                })
            });
            let flush = begin(&host, &device, async |device| device.flush().await);
            host.sleep(1_000_000).await;
            assert!(commands(&server).is_empty(), "they wait");
            release.send(()).expect("the server waits");
            assert_eq!(held_back.await.expect("it ends"), Ok(()));
            assert_eq!(measured.await.expect("it ends"), Ok(2 * SIZE));
            for write in writes {
                assert_eq!(write.await.expect("it ends"), Ok(()), "over a connection that stays");
            }
            assert_eq!(flush.await.expect("it ends"), Ok(()));
            for block in [1, 2, 3] {
                assert_eq!(server.content(usize::from(block) * 512, 512), [block; 512]);
            }
            assert_eq!(device.epoch(), epoch, "nothing can be lost");
            // Each connection has a thread at the server, so one may be noted before what was sent earlier on another one.
            let mut after = server.log_by_connection();
            let goodbyes = |after: &[(usize, Request)]| {
                after
                    .iter()
                    .filter(|(number, request)| *number < old && request.command == Command::Disconnect)
                    .count()
            };
            while goodbyes(&after) < old {
                host.sleep(1_000_000).await;
                after.extend(server.log_by_connection());
            }
            let writes = after.iter().filter(|(_, request)| request.command == Command::Write);
            let over: Vec<usize> = writes.map(|(number, _)| *number).collect();
            assert!(
                over.len() == 3 && over.iter().all(|number| *number >= old),
                "{over:?}, and {old} were replaced"
            );
        });
    }
}

#[test]
fn a_flush_that_fails_before_an_export_is_used_further_fails_the_next_one_of_somebody_else() {
    for (writes, dropped) in [(true, false), (false, false), (true, true)] {
        let server = Server::start();
        with_device(&server, None, async |device, host| {
            if writes {
                write(&device, 0, &[1; 512]).await.expect("the server serves");
            }
            server.grow(2 * SIZE);
            let epoch = device.epoch();
            server.script(first(Command::Flush, move |_| {
                if dropped { Act::Ignore } else { Act::Fail(ReplyError::Io) }
            }));
            let mut measuring = Box::pin(device.measure());
            if dropped {
                while !commands(&server).contains(&Command::Flush) {
                    assert!(poll_once(measuring.as_mut()).is_pending());
                    host.sleep(1_000_000).await;
                }
                drop(measuring);
            } else {
                measuring.await.expect_err("the server says that it did not flush");
            }
            assert_ne!(device.epoch(), epoch, "as if a connection had been lost");
            let error = device.flush().await.expect_err("the server told its failure once");
            assert!(error.reason.contains("may be gone"), "{error}");
            device.flush().await.expect("later flushes are not to blame");
            if dropped {
                // The one that is never answered has its turn until then.
                server.cut();
            }
            assert_eq!(device.measure().await, Ok(2 * SIZE));
        });
    }
}

#[test]
fn a_device_gives_up_in_time_for_those_who_wait_meanwhile() {
    let server = Server::start();
    with_device(&server, None, async |device, host| {
        server.grow(2 * SIZE);
        server.script(first(Command::Read, |_| Act::Ignore));
        let hung = begin(&host, &device, async |device| read(device, 0, 512).await.map(drop));
        while !commands(&server).contains(&Command::Read) {
            host.sleep(1_000_000).await;
        }
        device.set_retry_ns(Some(2_000_000_000));
        let measured = begin(&host, &device, async |device| device.measure().await);
        while device.requests.available_permits() > 0 {
            host.sleep(1_000_000).await;
        }
        write(&device, 0, &[1; 512]).await.expect("there is time left for it");
        let error = measured.await.expect("it ends").expect_err("a request never ends");
        assert!(error.reason.contains("longer than 1000 ms"), "{error}");
        server.cut();
        assert_eq!(hung.await.expect("it ends"), Ok(()), "sent again");
    });
}

#[test]
fn an_export_that_is_larger_or_smaller_changes_nothing_by_itself() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        server.grow(2 * SIZE);
        server.cut();
        read(&device, 0, 512).await.expect("the same server, and more of it");
        assert_eq!((device.geometry().size, device.current_size()), (SIZE, Ok(2 * SIZE)));
        server.change(|facts| facts.size = SIZE / 2);
        assert_eq!(device.measure().await, Ok(SIZE / 2));
        read(&device, 0, 512).await.expect("connections that it has go on");
    });
}

#[test]
fn a_server_of_one_connection_is_not_left_to_learn_its_size() {
    let server = Server::with(facts_with(facts().flags & !export_flags::CAN_MULTI_CONN), true);
    with_device(&server, None, async |device, _| {
        read(&device, 0, 512).await.expect("the server serves");
        server.grow(2 * SIZE);
        assert_eq!(device.measure().await, Ok(SIZE), "as it said when it was met");
        server.cut();
        read(&device, 0, 512).await.expect("it is back");
        assert_eq!(device.measure().await, Ok(2 * SIZE));
    });
}
