//! Ledger and device together: which changes a flush is sent for, and which flush fails after the loss of a connection.

use super::super::connection::changes;
use super::*;

/// Every request that changes content, as its caller makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Write,
    Zeroes(Unmap),
    Discard,
}

/// A change, the abilities of the server that gets it, and the command that the server receives.
const CHANGES: [(Change, u16, Command); 6] = [
    (Change::Write, ALL, Command::Write),
    (Change::Zeroes(Unmap::Forbidden), ALL, Command::WriteZeroes),
    (Change::Zeroes(Unmap::Allowed), ALL, Command::WriteZeroes),
    (Change::Zeroes(Unmap::Forbidden), ALL & !export_flags::SEND_WRITE_ZEROES, Command::Write),
    (Change::Discard, ALL, Command::WriteZeroes),
    (Change::Discard, ALL & !export_flags::SEND_WRITE_ZEROES, Command::Trim),
];

const ALL: u16 = export_flags::HAS_FLAGS
    | export_flags::SEND_FLUSH
    | export_flags::SEND_TRIM
    | export_flags::SEND_WRITE_ZEROES
    | export_flags::CAN_MULTI_CONN;

impl Change {
    async fn make(self, device: &Device) -> Result<(), BlockError> {
        let range = ByteRange::at(4096, 4096);
        match self {
            Self::Write => write(device, range.start, &[7; 4096]).await,
            Self::Zeroes(unmap) => device.write_zeroes(range, unmap).await,
            Self::Discard => device.discard(range).await,
        }
    }
}

/// Runs a test for each kind of change, on a device over one connection that was flushed and has nothing to flush.
fn with_each_change(test: &impl AsyncFn(&Server, Rc<Device>, LocalHost, Change, Command)) {
    for (change, flags, command) in CHANGES {
        let server = Server::with(facts_with(flags), true);
        with_device(&server, None, async |device, host| {
            write(&device, 0, &[1; 512]).await.expect("the server serves");
            device.flush().await.expect("nothing is lost");
            device.flush().await.expect("there is nothing to do");
            assert_eq!(commands(&server), [Command::Write, Command::Flush], "{change:?}");
            test(&server, device, host, change, command).await;
        });
    }
}

/// A flush that has to fail because changes may be lost.
async fn assert_loss_is_reported(device: &Device, change: Change) {
    let error = device.flush().await.expect_err("the change may be gone");
    assert_eq!(error.kind, ErrorKind::Io, "{change:?}");
    assert!(error.reason.contains("may be gone"), "{change:?}: {error}");
}

/// Makes the change again and flushes it, over a connection that holds.
async fn assert_works_again(server: &Server, device: &Device, change: Change, command: Command) {
    drop(server.log());
    change.make(device).await.expect("the server serves");
    device.flush().await.expect("this change is not lost");
    assert_eq!(commands(server), [command, Command::Flush], "{change:?}");
}

#[test]
fn every_kind_of_change_is_one_that_a_flush_is_sent_for() {
    let tested = |wanted| CHANGES.iter().any(|(_, _, command)| *command == wanted);
    for command in [
        Command::Read,
        Command::Write,
        Command::Disconnect,
        Command::Flush,
        Command::Trim,
        Command::Cache,
        Command::BlockStatus,
        Command::WriteZeroes,
    ] {
        assert_eq!(
            changes(command),
            tested(command),
            "{command:?}: a further kind of change needs these tests"
        );
    }
}

#[test]
fn a_flush_after_a_change_of_any_kind_reaches_the_server_and_the_next_one_does_not() {
    with_each_change(&async |server, device, _, change, command| {
        for _ in 0..2 {
            change.make(&device).await.expect("the server serves");
            device.flush().await.expect("nothing is lost");
            device.flush().await.expect("there is nothing to do");
            assert_eq!(commands(server), [command, Command::Flush], "{change:?}");
        }
    });
}

#[test]
fn a_flush_after_a_change_that_the_server_refused_is_not_sent() {
    with_each_change(&async |server, device, _, change, command| {
        server.script(first(command, |_| Act::Fail(ReplyError::NoSpace)));
        change.make(&device).await.expect_err("there is no room");
        device.flush().await.expect("nobody was told of a change");
        assert_eq!(commands(server), [command], "{change:?}");
    });
}

#[test]
fn a_flush_that_failed_is_sent_again_after_a_change_of_any_kind() {
    with_each_change(&async |server, device, _, change, command| {
        change.make(&device).await.expect("the server serves");
        server.script(first(Command::Flush, |_| Act::Fail(ReplyError::Io)));
        device.flush().await.expect_err("the server says so");
        device.flush().await.expect("the server reports a failure once");
        assert_eq!(commands(server), [command, Command::Flush, Command::Flush], "{change:?}");
    });
}

#[test]
fn a_connection_lost_after_a_change_of_any_kind_fails_one_flush_whenever_the_loss_is_noticed() {
    for noticed_before in [false, true] {
        with_each_change(&async |server, device, _, change, command| {
            change.make(&device).await.expect("the server serves");
            let epoch = device.epoch();
            server.cut();
            if noticed_before {
                read(&device, 0, 512).await.expect("a new connection is made");
                assert_ne!(device.epoch(), epoch, "{change:?}");
            }
            assert_loss_is_reported(&device, change).await;
            assert_ne!(device.epoch(), epoch, "{change:?}");
            device.flush().await.expect("later flushes are not to blame");
            assert_works_again(server, &device, change, command).await;
        });
    }
}

#[test]
fn a_connection_lost_while_a_flush_is_in_flight_fails_that_flush_for_a_change_of_any_kind() {
    for act in [|_: &Request| Act::Close, |_: &Request| Act::ServeAndClose] {
        with_each_change(&async |server, device, _, change, command| {
            change.make(&device).await.expect("the server serves");
            server.script(first(Command::Flush, act));
            assert_loss_is_reported(&device, change).await;
            device.flush().await.expect("later flushes are not to blame");
            assert_works_again(server, &device, change, command).await;
        });
    }
}

#[test]
fn a_restarted_server_that_lost_a_change_of_any_kind_fails_one_flush() {
    with_each_change(&async |server, device, _, change, command| {
        change.make(&device).await.expect("the server serves");
        server.stop();
        server.start_again();
        assert_loss_is_reported(&device, change).await;
        device.flush().await.expect("later flushes are not to blame");
        assert_works_again(server, &device, change, command).await;
    });
}

#[test]
fn a_connection_lost_with_every_change_flushed_fails_no_flush() {
    with_each_change(&async |server, device, _, change, command| {
        change.make(&device).await.expect("the server serves");
        device.flush().await.expect("nothing is lost");
        server.cut();
        read(&device, 0, 512).await.expect("a new connection is made");
        drop(server.log());
        device.flush().await.expect("everything was durable");
        assert!(commands(server).is_empty(), "{change:?}: there is nothing to do");
        assert_works_again(server, &device, change, command).await;
    });
}

/// Keeps a flush in flight while the change is acknowledged: the server answers the change first.
async fn flush_around(server: &Server, device: &Rc<Device>, host: &LocalHost, change: Change) {
    write(device, 0, &[2; 512]).await.expect("the server serves");
    drop(server.log());
    server.script(|_| Act::Gather(2));
    let mut flush = begin(host, device, async |device| device.flush().await);
    while !commands(server).contains(&Command::Flush) {
        assert!(flush.try_recv().is_err(), "it goes to the server");
        host.sleep(1_000_000).await;
    }
    change.make(device).await.expect("the server serves");
    flush.await.expect("it ends").expect("nothing is lost");
    server.script(|_| Act::Serve);
    drop(server.log());
}

#[test]
fn a_change_of_any_kind_that_is_acknowledged_while_a_flush_is_in_flight_is_for_the_next_flush() {
    with_each_change(&async |server, device, host, change, _| {
        flush_around(server, &device, &host, change).await;
        device.flush().await.expect("nothing is lost");
        assert_eq!(commands(server), [Command::Flush], "{change:?}");
    });
    with_each_change(&async |server, device, host, change, command| {
        flush_around(server, &device, &host, change).await;
        server.cut();
        assert_loss_is_reported(&device, change).await;
        device.flush().await.expect("later flushes are not to blame");
        assert_works_again(server, &device, change, command).await;
    });
}

#[test]
fn the_loss_of_any_connection_fails_a_flush_of_a_change_that_another_one_acknowledged() {
    for (change, flags, _) in CHANGES {
        let server = Server::with(facts_with(flags), true);
        let options = NbdOptions { connections: 2, retry_ns: None, ..NbdOptions::default() };
        with_options(&server, options, async |device, host| {
            device.flush().await.expect("nothing is lost");
            while server.connections() < 2 {
                host.sleep(1_000_000).await;
            }
            change.make(&device).await.expect("the server serves");
            let epoch = device.epoch();
            // A read that is never answered keeps one connection busy, so that the next read goes over the other one.
            server.script(|request| match (request.command, request.offset) {
                (Command::Read, 0) => Act::Ignore,
                (Command::Read, 512) => Act::Close,
                _ => Act::Serve,
            });
            let hung = begin(&host, &device, async |device| read(device, 0, 512).await.map(drop));
            let mut seen = Vec::new();
            while !seen.contains(&Command::Read) {
                host.sleep(1_000_000).await;
                seen.extend(commands(&server));
            }
            let lost = begin(&host, &device, async |device| read(device, 512, 512).await.map(drop));
            while device.epoch() == epoch {
                host.sleep(1_000_000).await;
            }
            server.script(|request| {
                if (request.command, request.offset) == (Command::Read, 0) { Act::Ignore } else { Act::Serve }
            });
            assert_loss_is_reported(&device, change).await;
            device.flush().await.expect("later flushes are not to blame");
            server.script(|_| Act::Serve);
            server.cut();
            for read in [hung, lost] {
                assert_eq!(read.await.expect("it ends"), Ok(()), "sent again");
            }
        });
    }
}
