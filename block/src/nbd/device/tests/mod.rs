//! Against a server that does what each test wants.

mod given_up;
mod ledger;
mod measure;
mod rest;
mod server;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use futures_util::future::{join_all, join3};

use super::super::option::ExportFacts;
use super::super::reply::{Payload, simple_reply};
use super::super::wire::{Command, ReplyError, Request, command_flags, export_flags};
use super::*;
use crate::executor::{Executor, LocalHost, Order};
use crate::patient::{HangPolicy, RetryDevice};
use crate::{Aligned, BlockDevice, Buffer, ByteRange, Extent, Unmap};
use server::{Act, CONTEXT, SIZE, Server, facts};

type Device = NbdDevice<LocalHost>;

/// Short, for requests that are to fail by it.
const RETRY_NS: u64 = 300_000_000;

fn run<T>(test: impl AsyncFnOnce(Ring, LocalHost) -> T) -> T {
    let ring = Ring::new(32).expect("io_uring works here");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    executor.run(test(ring, executor.host())).expect("a ring never stalls")
}

/// Runs a test with a device on one connection, which makes the order of things plain.
fn with_device<T>(
    server: &Server,
    retry_ns: Option<u64>,
    test: impl AsyncFnOnce(Rc<Device>, LocalHost) -> T,
) -> T {
    let options = NbdOptions { connections: 1, retry_ns, ..NbdOptions::default() };
    with_options(server, options, test)
}

fn with_options<T>(
    server: &Server,
    options: NbdOptions,
    test: impl AsyncFnOnce(Rc<Device>, LocalHost) -> T,
) -> T {
    run(async |ring, host| {
        let device = Device::open(&ring, &host, server.target(), options).await.expect("a server listens");
        test(Rc::new(device), host).await
    })
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> std::task::Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

async fn read(device: &Device, offset: u64, length: usize) -> Result<Vec<u8>, BlockError> {
    let (buffer, result) = device.read(offset, Buffer::zeroed(length)).await;
    assert_eq!(buffer.len(), length, "the buffer comes back");
    result.map(|()| buffer.to_vec())
}

async fn write(device: &Device, offset: u64, bytes: &[u8]) -> Result<(), BlockError> {
    let (buffer, result) = device.write(offset, Buffer::copy_of(bytes)).await;
    assert_eq!(&buffer[..], bytes, "the buffer comes back");
    result
}

/// Spawns a task that uses a device, and returns its result.
fn begin<T: 'static>(
    host: &LocalHost,
    device: &Rc<Device>,
    work: impl AsyncFnOnce(&Device) -> T + 'static,
) -> tokio::sync::oneshot::Receiver<T> {
    let (device, (answer, answered)) = (Rc::clone(device), tokio::sync::oneshot::channel());
    host.spawn(async move { drop(answer.send(work(&device).await)) });
    answered
}

fn commands(server: &Server) -> Vec<Command> {
    server.log().iter().map(|request| request.command).collect()
}

/// Returns a script that does `act` with the first request of a kind, and serves everything else.
fn first(
    command: Command,
    act: impl FnOnce(&Request) -> Act + Send + 'static,
) -> impl FnMut(&Request) -> Act + Send {
    let mut act = Some(act);
    move |request| match act.take_if(|_| request.command == command) {
        Some(act) => act(request),
        None => Act::Serve,
    }
}

#[test]
fn what_is_written_is_read_over_both_forms_of_replies() {
    for structured in [false, true] {
        let server = Server::with(facts(), structured);
        with_device(&server, Some(RETRY_NS), async |device, _| {
            assert_eq!(device.geometry(), Geometry::plain(SIZE));
            let bytes: Vec<u8> = (0..100_352u32).map(|at| (at % 249) as u8).collect();
            write(&device, 1024, &bytes).await.expect("the server serves");
            assert!(read(&device, 1024, bytes.len()).await.expect("the server serves") == bytes);
            device.write_zeroes(ByteRange::at(2048, 512), Unmap::Forbidden).await.expect("it is offered");
            device.discard(ByteRange::at(4096, 512)).await.expect("it is offered");
            assert_eq!(read(&device, 2048, 512).await, Ok(vec![0; 512]));
            assert_eq!(read(&device, 4096, 512).await, Ok(vec![0; 512]));
            device.flush().await.expect("it is offered");
            let log = server.log();
            assert_eq!(log[2].flags, command_flags::NO_HOLE);
            assert_eq!((log[3].command, log[3].flags), (Command::WriteZeroes, 0));
            let extents = device.extents(ByteRange::at(0, 4096)).await.expect("any device has extents");
            let extent = |start, end, allocated| Extent { range: ByteRange::new(start, end), allocated };
            if structured {
                assert_eq!(extents, [extent(0, 2048, true), extent(2048, 4096, false)]);
            } else {
                assert_eq!(extents, [extent(0, 4096, true)]);
            }
        });
    }
}

#[test]
fn what_a_server_does_not_offer_is_done_in_another_way_or_not_at_all() {
    let server = Server::with(facts_with(export_flags::HAS_FLAGS), true);
    with_device(&server, Some(RETRY_NS), async |device, _| {
        assert!(!device.geometry().unmaps);
        device.write_zeroes(ByteRange::new(512, SIZE), Unmap::Allowed).await.expect("writes do it");
        device.discard(ByteRange::at(0, 512)).await.expect("it is ignored");
        device.flush().await.expect("there is nothing to do");
        assert!(server.content(512, SIZE as usize - 512).iter().all(|&byte| byte == 0));
        assert!(commands(&server).iter().all(|&command| command == Command::Write));
    });
}

#[test]
fn a_server_that_trims_and_makes_no_zeroes_is_sent_the_trim() {
    let server = Server::with(facts_with(export_flags::HAS_FLAGS | export_flags::SEND_TRIM), true);
    with_device(&server, Some(RETRY_NS), async |device, _| {
        assert!(device.geometry().discards && !device.geometry().unmaps);
        device.discard(ByteRange::at(4096, 4096)).await.expect("it is offered");
        let log = server.log();
        let asked = log.iter().map(|request| (request.command, request.offset, request.length));
        assert_eq!(asked.collect::<Vec<_>>(), [(Command::Trim, 4096, 4096)]);
    });
}

fn facts_with(flags: u16) -> ExportFacts {
    ExportFacts { flags, ..facts() }
}

#[test]
fn requests_go_in_parts_that_the_server_takes_and_units_that_it_wants() {
    let facts = ExportFacts { block_min: 4096, payload_max: 10_000, ..facts() };
    let server = Server::with(facts, true);
    with_device(&server, Some(RETRY_NS), async |device, _| {
        assert_eq!(device.geometry().alignment, 4096);
        let bytes: Vec<u8> = (0..65536u32).map(|at| (at % 247) as u8).collect();
        write(&device, 8192, &bytes).await.expect("the server serves");
        assert!(read(&device, 8192, 65536).await.expect("the server serves") == bytes);
        assert!(server.log().iter().all(|request| request.length == 8192));
        assert!(read(&device, 512, 512).await.is_err(), "not aligned");
        let aligned = Aligned::new(Rc::clone(&device));
        aligned.write(8704, Buffer::copy_of(&[7; 512])).await.1.expect("the unit is read first");
        assert_eq!(server.content(8192, 1536), [&bytes[..512], &[7; 512], &bytes[1024..1536]].concat());
        assert_eq!(aligned.epoch(), device.epoch());
    });
}

#[test]
fn answers_in_another_order_find_their_requests() {
    let server = Server::start();
    server.script(|_| Act::Gather(8));
    with_device(&server, Some(RETRY_NS), async |device, _| {
        let reads = (0..8).map(|block| read(&device, block * 4096, 4096));
        for (block, bytes) in join_all(reads).await.into_iter().enumerate() {
            assert_eq!(bytes, Ok(server.content(block * 4096, 4096)));
        }
    });
}

#[test]
fn errors_of_the_server_keep_their_meaning_and_are_not_tried_again_when_time_is_over() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, _| {
        for (error, kind) in [
            (ReplyError::Io, ErrorKind::Io),
            (ReplyError::NoSpace, ErrorKind::NoSpace),
            (ReplyError::Permission, ErrorKind::ReadOnly),
            (ReplyError::Unsupported, ErrorKind::Unsupported),
            (ReplyError::Invalid, ErrorKind::InvalidRequest),
        ] {
            server.script(move |_| Act::Fail(error));
            let failed = [
                read(&device, 0, 512).await.map(drop),
                write(&device, 0, &[0; 512]).await,
                device.flush().await,
                device.write_zeroes(ByteRange::at(0, 512), Unmap::Allowed).await,
            ];
            for result in failed {
                assert_eq!(result.expect_err("the server says so").kind, kind);
            }
            assert_eq!(server.log().len(), 4);
        }
    });
    assert_eq!(server.connections(), 1);
}

#[test]
fn what_the_server_fails_is_sent_again_and_a_flush_is_not_before_a_read_is_answered() {
    let server = Server::start();
    run(async |ring, host| {
        let retry_ns = NbdOptions::default().retry_ns;
        let device = Device::open(&ring, &host, server.target(), NbdOptions::default()).await;
        let device = device.expect("a server listens");
        let patient = RetryDevice::new(device, host, "b".to_owned(), HangPolicy::EndedByDevice, retry_ns);
        patient.inner().report_to(patient.watch());
        let write = async || patient.write(0, Buffer::zeroed(512)).await.1;
        let mut failures = 2;
        server.script(move |_| {
            failures -= 1;
            if failures >= 0 { Act::Fail(ReplyError::Io) } else { Act::Serve }
        });
        write().await.expect("the third time");
        assert_eq!((patient.retries(), server.log().len(), patient.trouble()), (2, 3, None));
        patient.flush().await.expect("it works again");
        write().await.expect("it works");
        // What fails now is not sent again in time.
        patient.inner().set_retry_ns(Some(RETRY_NS));
        server.script(|_| Act::Fail(ReplyError::Io));
        drop(server.log());
        read(patient.inner(), 0, 512).await.expect_err("the server says so");
        write().await.expect_err("the server says so");
        assert!(patient.trouble().is_some_and(|trouble| trouble.reason.contains("Io")));
        assert_eq!(patient.flush().await.expect_err("it fails still").kind, ErrorKind::Untried);
        assert_eq!(
            commands(&server),
            [Command::Read, Command::Write, Command::Read],
            "the flush was never sent"
        );
        server.script(|_| Act::Serve);
        patient.flush().await.expect("nothing is gone");
    });
}

#[test]
fn many_connections_are_made_only_if_the_server_keeps_them_coherent() {
    let many = NbdOptions::default();
    let server = Server::start();
    with_options(&server, many, async |device, host| {
        while server.connections() < 4 {
            host.sleep(1_000_000).await;
        }
        read(&device, 0, 512).await.expect("the server serves");
    });
    let server = Server::with(facts_with(facts().flags & !export_flags::CAN_MULTI_CONN), true);
    with_options(&server, many, async |device, _| {
        for _ in 0..16 {
            read(&device, 0, 512).await.expect("the server serves");
        }
        assert_eq!(server.connections(), 1);
    });
}

#[test]
fn requests_without_an_answer_are_sent_again_when_the_server_closes() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        server.script(first(Command::Flush, |_| Act::ServeAndClose));
        device.flush().await.expect("a flush with nothing to lose");
        for act in [|_: &Request| Act::Close, |_: &Request| Act::ServeAndClose] {
            server.script(first(Command::Read, act));
            assert_eq!(read(&device, 4096, 4096).await, Ok(server.content(4096, 4096)));
            server.script(first(Command::Write, act));
            write(&device, 0, &[9; 4096]).await.expect("the second time it is answered");
            assert_eq!(server.content(0, 4096), [9; 4096]);
            device.flush().await.expect("it was acknowledged by a connection that lives");
            server.script(first(Command::WriteZeroes, act));
            device.write_zeroes(ByteRange::at(0, 512), Unmap::Allowed).await.expect("likewise");
            device.flush().await.expect("likewise");
        }
        assert_eq!(device.epoch(), 7);
    });
}

#[test]
fn a_server_that_is_killed_and_started_again_is_waited_for() {
    let server = Server::start();
    with_options(&server, NbdOptions { retry_ns: None, ..NbdOptions::default() }, async |device, host| {
        read(&device, 0, 512).await.expect("the server serves");
        server.stop();
        let waiting = Rc::clone(&device);
        let (answer, answered) = tokio::sync::oneshot::channel();
        host.spawn(async move {
            drop(answer.send((read(&waiting, 512, 512).await, write(&waiting, 0, &[3; 512]).await)));
        });
        host.sleep(50_000_000).await;
        server.start_again();
        let (bytes, written) = answered.await.expect("the request ends");
        assert_eq!(bytes, Ok(vec![1; 512]));
        written.expect("the server serves again");
        assert_eq!(server.content(0, 512), [3; 512]);
    });
}

#[test]
fn a_server_that_stays_away_makes_requests_fail_when_the_retry_time_is_over() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, _| {
        server.stop();
        let error = read(&device, 0, 512).await.expect_err("there is no server");
        assert_eq!(error.kind, ErrorKind::Io);
        assert!(error.reason.contains("cannot be reached"), "{error}");
        assert_eq!(write(&device, 0, &[1; 512]).await.expect_err("no server").kind, ErrorKind::Io);
        server.start_again();
        device.set_retry_ns(None);
        read(&device, 0, 512).await.expect("it is back");
    });
}

#[test]
fn a_hung_server_makes_requests_fail_and_their_connection_end() {
    let server = Server::start();
    server.script(|_| Act::Ignore);
    with_device(&server, Some(RETRY_NS), async |device, _| {
        // More than a socket holds, so that the kernel has a part of the buffer until the connection ends.
        let big = vec![1; SIZE as usize];
        let requests = (read(&device, 0, 4096), write(&device, 0, &big), device.flush());
        let (read_result, written, flushed) = join3(requests.0, requests.1, requests.2).await;
        assert_eq!(read_result.expect_err("nobody answers").kind, ErrorKind::Io);
        assert_eq!(written.expect_err("it may still be done").kind, ErrorKind::Unanswered);
        assert_eq!(flushed.expect_err("nobody answers").kind, ErrorKind::Io);
        server.script(|_| Act::Serve);
        device.set_retry_ns(None);
        read(&device, 0, 512).await.expect("a new connection is made");
    });
}

#[test]
fn a_change_on_a_connection_that_we_give_up_is_not_sent_again() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, _| {
        server.script(|request| {
            if request.command == Command::Read && request.offset == 512 { Act::Serve } else { Act::Ignore }
        });
        let hung = read(&device, 0, 512);
        let mut hung = std::pin::pin!(hung);
        assert!(poll_once(hung.as_mut()).is_pending());
        device.set_retry_ns(None);
        let (hung, late, written) = join3(hung, read(&device, 512, 512), write(&device, 0, &[1; 512])).await;
        assert_eq!(hung.expect_err("never answered").kind, ErrorKind::Io);
        late.expect("answered");
        let error = written.expect_err("its fate is unknown");
        assert_eq!(error.kind, ErrorKind::Unanswered);
        assert!(error.reason.contains("may still be done"), "{error}");
        let writes = server.log().iter().filter(|request| request.command == Command::Write).count();
        assert_eq!(writes, 1, "never a second time");
    });
}

#[test]
fn a_flush_fails_once_if_a_connection_took_unflushed_writes_along() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        write(&device, 0, &[1; 512]).await.expect("the server serves");
        device.flush().await.expect("nothing was lost");
        write(&device, 0, &[2; 512]).await.expect("the server serves");
        let epoch = device.epoch();
        server.script(first(Command::Flush, |_| Act::Close));
        let error = device.flush().await.expect_err("the write may be gone");
        assert!(error.reason.contains("may be gone"), "{error}");
        assert_eq!(error.kind, ErrorKind::Io);
        assert_ne!(device.epoch(), epoch);
        device.flush().await.expect("later flushes are not to blame");
    });
}

#[test]
fn a_server_that_comes_back_different_is_refused_for_good() {
    for change in [
        (|facts| facts.size /= 2) as fn(&mut ExportFacts),
        |facts| facts.flags |= export_flags::READ_ONLY,
        |facts| facts.flags &= !export_flags::SEND_FLUSH,
        |facts| facts.block_min = 4096,
    ] {
        let server = Server::start();
        with_device(&server, None, async |device, _| {
            server.change(change);
            server.script(first(Command::Read, |_| Act::Close));
            let error = read(&device, 0, 512).await.expect_err("it is another one");
            assert_eq!(error.kind, ErrorKind::Gone, "{error}");
            server.change(|now| *now = facts());
            for result in
                [device.flush().await, write(&device, 0, &[1; 512]).await, device.current_size().map(drop)]
            {
                let error = result.expect_err("it stays so");
                assert!(error.reason.contains("not the export that it was"), "{error}");
            }
        });
    }
}

#[test]
fn a_server_that_breaks_the_protocol_is_left_and_reads_go_on() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        for answer in [
            |_: &Request| vec![7; 64],
            |request: &Request| simple_reply(None, request.cookie + 1).to_vec(),
            |request: &Request| {
                Payload::Data { offset: request.offset + 512, data: &[1; 512] }.encode_last(request.cookie)
            },
            |request: &Request| Payload::None.encode_last(request.cookie),
            |request: &Request| {
                Payload::Status { context: CONTEXT, extents: vec![(512, 0)] }.encode_last(request.cookie)
            },
        ] {
            server.script(first(Command::Read, move |request| Act::Say(answer(request))));
            assert_eq!(read(&device, 1024, 512).await, Ok(vec![2; 512]));
            server.script(first(Command::Write, |_| Act::Say(vec![7; 64])));
            assert!(write(&device, 0, &[1; 512]).await.is_err(), "its fate is unknown");
        }
        for extents in [vec![(0, 0)], vec![(100, 3)], vec![(u32::MAX, 3)]] {
            server.script(first(Command::BlockStatus, move |request| {
                Act::Say(Payload::Status { context: CONTEXT, extents }.encode_last(request.cookie))
            }));
            let found = device.extents(ByteRange::at(0, 8192)).await.expect("something is always told");
            assert_eq!(found.last().map(|extent| extent.range.end), Some(8192));
        }
    });
}

#[test]
fn a_server_that_is_about_to_stop_is_left_and_the_next_one_asked() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        server.script(first(Command::Write, |_| Act::Fail(ReplyError::Shutdown)));
        write(&device, 0, &[4; 512]).await.expect("the next one does it");
        assert_eq!(server.content(0, 512), [4; 512]);
    });
}

#[test]
fn requests_wait_their_turn_when_too_many_are_in_flight() {
    let server = Server::start();
    server.script(|_| Act::Ignore);
    with_device(&server, None, async |device, host| {
        let (answer, answered) = tokio::sync::oneshot::channel();
        let reading = Rc::clone(&device);
        host.spawn(async move {
            drop(answer.send(join_all((0..80).map(|block| read(&reading, block * 512, 512))).await));
        });
        let mut reached = 0;
        while reached < REQUESTS_PER_CONNECTION {
            host.sleep(1_000_000).await;
            reached += server.log().len();
        }
        assert_eq!((reached, device.requests.available_permits()), (REQUESTS_PER_CONNECTION, 0));
        server.script(|_| Act::Serve);
        server.cut();
        let results = answered.await.expect("all are answered");
        assert!(results.len() == 80 && results.iter().all(Result::is_ok));
        assert_eq!(device.bytes.available_permits(), BYTES_IN_FLIGHT_MAX as usize);
    });
}

#[test]
fn a_dropped_request_leaves_its_buffer_to_the_kernel_and_the_device_in_order() {
    let server = Server::start();
    with_device(&server, None, async |device, _| {
        let bytes = vec![1; 65536];
        for _ in 0..20 {
            let mut dropped = Box::pin(read(&device, 0, 65536));
            assert!(poll_once(dropped.as_mut()).is_pending());
            drop(dropped);
            let mut dropped = Box::pin(write(&device, 65536, &bytes));
            assert!(poll_once(dropped.as_mut()).is_pending());
        }
        assert_eq!(read(&device, 0, 512).await, Ok(vec![0; 512]));
    });
}

#[test]
fn exports_that_cannot_be_served_are_refused_with_the_reason() {
    let refusal = |facts, access| {
        let server = Server::with(facts, true);
        run(async |ring, host| {
            let options = NbdOptions { access, ..NbdOptions::default() };
            Device::open(&ring, &host, server.target(), options)
                .await
                .err()
                .expect("it is no disk")
                .to_string()
        })
    };
    let size = |size| ExportFacts { size, ..facts() };
    for (facts, reason) in [
        (size(0), "not a multiple of 512"),
        (size(1000), "not a multiple of 512"),
        (size(u64::MAX - 511), "makes no sense"),
        (facts_with(export_flags::HAS_FLAGS | export_flags::READ_ONLY), "--read-only"),
        (ExportFacts { block_min: 1000, ..facts() }, "makes no sense"),
        (ExportFacts { block_min: 65536, size: SIZE + 512, ..facts() }, "65536"),
    ] {
        let text = refusal(facts, Access::ReadWrite);
        assert!(text.starts_with("Cannot use nbd+unix:///disk?socket=") && text.contains(reason), "{text}");
    }
    let read_only = Server::with(facts_with(export_flags::HAS_FLAGS | export_flags::READ_ONLY), true);
    let options = NbdOptions { access: Access::ReadOnly, ..NbdOptions::default() };
    with_options(&read_only, options, async |device, _| {
        read(&device, 0, 512).await.expect("reading is allowed");
        assert_eq!(write(&device, 0, &[1; 512]).await.expect_err("not this").kind, ErrorKind::ReadOnly);
    });
}

#[test]
fn a_missing_or_silent_server_is_named_and_not_waited_for() {
    let folder = std::env::temp_dir().join(format!("forebay-nbd-none-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is ours");
    let path = folder.join("nbd.sock");
    let target = Target { address: Address::Unix(path.clone()), export: String::new() };
    run(async |ring, host| {
        let options = NbdOptions { connect_ns: 50_000_000, ..NbdOptions::default() };
        let error = Device::open(&ring, &host, target.clone(), options).await.err().expect("no server");
        assert!(error.may_pass && error.reason.contains("start the server"), "{error}");
        let _listens = std::os::unix::net::UnixListener::bind(&path).expect("the path is free");
        let error = Device::open(&ring, &host, target, options).await.err().expect("a silent server");
        assert!(error.may_pass && error.reason.contains("did not answer"), "{error}");
        let nowhere = Address::Tcp { host: "no.such.host.invalid".to_owned(), port: PORT };
        let target = Target { address: nowhere, export: String::new() };
        let options = NbdOptions::default();
        let error = Device::open(&ring, &host, target, options).await.err().expect("no host");
        assert!(error.may_pass, "{error}");
    });
    std::fs::remove_dir_all(&folder).expect("the temporary folder is ours");
}
