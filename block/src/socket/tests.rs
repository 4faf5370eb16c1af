//! Sockets of the system, with a plain thread or this one on the other side.

use std::future::Future;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;

use super::*;
use crate::Host;
use crate::executor::{Driver, Executor, Order};

fn run<F: Future>(test: impl FnOnce(Ring) -> F) -> F::Output {
    let ring = Ring::new(8).expect("io_uring works here");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    executor.run(test(ring)).expect("a ring never stalls")
}

fn pair(ring: &Ring) -> (Stream, UnixStream) {
    let (ours, theirs) = UnixStream::pair().expect("sockets are to be had");
    (Stream::from_std(ring, ours).expect("a fresh socket can be taken over"), theirs)
}

fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn bytes_arrive_where_they_are_wanted_in_the_buffer() {
    run(|ring| async move {
        let (stream, mut client) = pair(&ring);
        client.write_all(b"hello").expect("the socket takes five bytes");
        let (buffer, received) = stream.receive(Buffer::zeroed(10), 3..10).await;
        assert_eq!(received.expect("bytes are there"), 5);
        assert_eq!(&buffer[..], b"\0\0\0hello\0\0");
        drop(client);
        let (_, received) = stream.receive(buffer, 0..10).await;
        assert_eq!(received.expect("the other side has finished"), 0);
    });
}

#[test]
fn a_long_send_of_many_chunks_arrives_whole_and_in_order() {
    run(|ring| async move {
        let (stream, mut client) = pair(&ring);
        // More chunks than one call takes and more bytes than the socket holds.
        let mut chunks: Vec<_> = (0..3000u32).map(|number| Chunk::inline(&number.to_le_bytes())).collect();
        let mut big = Buffer::zeroed(4 << 20);
        big.iter_mut().zip(0u32..).for_each(|(byte, number)| *byte = (number % 251) as u8);
        chunks.insert(1500, Chunk::Buffer { buffer: big, range: 7..(4 << 20) - 9 });
        chunks.push(Chunk::inline(b""));
        let expected: Vec<u8> = chunks.iter().flat_map(Chunk::bytes).copied().collect();
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            client.read_to_end(&mut all).expect("the sender finishes");
            all
        });
        let (chunks, sent) = stream.send(chunks).await;
        sent.expect("the reader takes everything");
        assert_eq!(chunks.len(), 3002);
        stream.shutdown();
        assert!(reader.join().expect("the reader does not fail") == expected);
    });
}

#[test]
fn what_the_socket_takes_is_sent_without_the_ring() {
    run(|ring| async move {
        let (stream, mut client) = pair(&ring);
        let (_, sent) = stream.send(vec![Chunk::inline(b"a"), Chunk::inline(b"reply")]).await;
        sent.expect("the socket has room");
        assert_eq!(ring.in_flight(), 0);
        let mut reply = [0; 6];
        client.set_nonblocking(true).expect("it is a socket");
        client.read_exact(&mut reply).expect("nothing is to be waited for");
        assert_eq!(&reply, b"areply");
    });
}

#[test]
fn sending_to_a_client_that_is_gone_is_an_error_and_no_signal() {
    run(|ring| async move {
        let (stream, client) = pair(&ring);
        drop(client);
        let (chunks, sent) = stream.send(vec![Chunk::inline(b"reply")]).await;
        assert_eq!(sent.expect_err("nobody reads").kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(chunks[0].bytes(), b"reply");
        stream.shutdown();
    });
}

#[test]
fn shutdown_ends_a_pending_receive() {
    let ring = Ring::new(8).expect("io_uring works here");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let (stream, _client) = pair(&ring);
    let other = stream.clone();
    executor.host().spawn(async move { other.shutdown() });
    let (_, received) = executor.run(stream.receive(Buffer::zeroed(8), 0..8)).expect("a ring never stalls");
    assert_eq!(received.expect("an end, not an error"), 0);
}

#[test]
fn a_dropped_receive_is_cancelled_and_the_socket_closes() {
    run(|ring| async move {
        let (stream, mut client) = pair(&ring);
        {
            let mut receive = pin!(stream.receive(Buffer::zeroed(8), 0..8));
            assert!(poll_once(receive.as_mut()).is_pending());
            ring.wait(Some(0));
        }
        drop(stream);
        // Ends only once the socket is closed, thus once the kernel gave the operation up.
        let reader = thread::spawn(move || client.read(&mut [0; 8]).expect("an end, not an error"));
        ring.drain();
        assert_eq!(reader.join().expect("the reader does not fail"), 0);
    });
}

#[test]
fn connections_are_accepted_on_a_path() {
    let folder = std::env::temp_dir().join(format!("forebay-socket-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is ours");
    let path = folder.join("door.sock");
    run(|ring| {
        let path = path.clone();
        async move {
            let listener = Listener::bind_unix(&ring, &path).expect("the path is free");
            let mut client = UnixStream::connect(&path).expect("somebody listens");
            let stream = listener.accept().await.expect("a client has connected");
            let (_, sent) = stream.send(vec![Chunk::inline(b"welcome")]).await;
            sent.expect("the client is there");
            drop(stream);
            let mut text = String::new();
            client.read_to_string(&mut text).expect("the server is there");
            assert_eq!(text, "welcome");
            let taken = Listener::bind_unix(&ring, &path).err().expect("the path is taken");
            assert!(taken.to_string().contains("door.sock"));
            let long = path.with_file_name("x".repeat(108));
            let refused = Listener::bind_unix(&ring, &long).err().expect("the path is too long");
            assert!(refused.to_string().contains("the system allows 107"));
        }
    });
    std::fs::remove_dir_all(&folder).expect("the temporary folder is ours");
}

#[test]
fn a_dropped_accept_leaves_the_next_client_to_the_next_accept() {
    run(|ring| async move {
        let tcp = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = tcp.local_addr().expect("it is bound");
        let listener = Listener::from_tcp(&ring, tcp).expect("a fresh socket can be taken over");
        {
            let mut accept = pin!(listener.accept());
            assert!(poll_once(accept.as_mut()).is_pending());
            ring.wait(Some(0));
        }
        ring.drain();
        let mut client = std::net::TcpStream::connect(address).expect("somebody listens");
        let stream = listener.accept().await.expect("a client has connected");
        client.write_all(b"x").expect("the server is there");
        let (buffer, received) = stream.receive(Buffer::zeroed(4), 0..4).await;
        assert_eq!((received.expect("a byte is there"), buffer[0]), (1, b'x'));
    });
}

#[test]
fn a_client_connects_over_unix_and_tcp_and_is_told_if_nobody_listens() {
    let folder = std::env::temp_dir().join(format!("forebay-connect-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is ours");
    let path = folder.join("server.sock");
    run(|ring| {
        let path = path.clone();
        async move {
            let none = Stream::connect_unix(&ring, &path).err().expect("nobody listens");
            assert_eq!(none.kind(), io::ErrorKind::NotFound);
            let unix = Listener::bind_unix(&ring, &path).expect("the path is free");
            let tcp = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
            let address = tcp.local_addr().expect("it is bound");
            let tcp = Listener::from_tcp(&ring, tcp).expect("a fresh socket can be taken over");
            let clients = [
                (Stream::connect_unix(&ring, &path), unix.accept().await),
                (Stream::connect_tcp(&ring, address).await, tcp.accept().await),
            ];
            for (client, server) in clients {
                let (client, server) = (client.expect("a server listens"), server.expect("a client came"));
                client.send(vec![Chunk::inline(b"hello, server")]).await.1.expect("the server is there");
                let mut incoming = Incoming::new(server, 64);
                incoming.fill().await.expect("the client sent something");
                incoming.consume(7);
                let (buffer, taken) = incoming.take_into(Buffer::zeroed(8), 1..7).await;
                taken.expect("six bytes are left");
                assert_eq!(&buffer[..], b"\0server\0");
                drop(client);
                let end = incoming.fill().await.expect_err("the client has left");
                assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
            }
            drop(tcp);
            let refused = Stream::connect_tcp(&ring, address).await.err().expect("nobody listens any more");
            assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        }
    });
    std::fs::remove_dir_all(&folder).expect("the temporary folder is ours");
}

#[test]
fn a_server_that_takes_no_connections_makes_nobody_wait() {
    let folder = std::env::temp_dir().join(format!("forebay-backlog-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is ours");
    let path = folder.join("full.sock");
    run(|ring| {
        let path = path.clone();
        async move {
            let socket = nix::sys::socket::socket(
                nix::sys::socket::AddressFamily::Unix,
                nix::sys::socket::SockType::Stream,
                nix::sys::socket::SockFlag::empty(),
                None,
            )
            .expect("sockets are to be had");
            let address = nix::sys::socket::UnixAddr::new(&path).expect("the path is short");
            nix::sys::socket::bind(std::os::fd::AsRawFd::as_raw_fd(&socket), &address).expect("it is free");
            let queue = nix::sys::socket::Backlog::new(0).expect("a queue of none");
            nix::sys::socket::listen(&socket, queue).expect("it is bound");
            let _first = Stream::connect_unix(&ring, &path).expect("the queue takes one");
            let second = Stream::connect_unix(&ring, &path).err().expect("the queue is full");
            assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        }
    });
    std::fs::remove_dir_all(&folder).expect("the temporary folder is ours");
}

#[test]
fn a_receive_that_is_stopped_loses_nothing_and_the_stream_goes_on() {
    run(|ring| async move {
        let (stream, mut client) = pair(&ring);
        for round in 0..100u8 {
            let (buffer, received) =
                stream.receive_unless(Buffer::zeroed(4), 0..4, std::future::ready(())).await;
            assert_eq!(received.expect("the connection is there"), None, "nothing was sent in round {round}");
            client.write_all(&[round; 4]).expect("the socket takes four bytes");
            let (buffer, received) = stream.receive(buffer, 0..4).await;
            assert_eq!((received.expect("bytes are there"), buffer[3]), (4, round));
        }
    });
}

#[test]
fn what_arrives_while_a_receive_is_stopped_is_received_by_it_or_by_the_next() {
    run(|ring| async move {
        let (stream, mut client) = pair(&ring);
        let rounds = 2_000u32;
        let writer = thread::spawn(move || {
            for number in 0..rounds {
                client.write_all(&number.to_be_bytes()).expect("the socket takes four bytes");
            }
        });
        let mut incoming = Incoming::new(stream, 64);
        let mut expected = 0;
        while expected < rounds {
            incoming.fill_unless(Turns(expected % 3)).await.expect("the writer is there, or all of it came");
            while let Some(number) = incoming.pending().first_chunk::<4>() {
                assert_eq!(u32::from_be_bytes(*number), expected);
                incoming.consume(4);
                expected += 1;
            }
        }
        writer.join().expect("it only writes");
    });
}

/// Ready after this many polls, each of which asks for another at once.
struct Turns(u32);

impl Future for Turns {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[test]
fn a_client_that_came_before_the_listener_was_stopped_is_accepted_next() {
    let path = std::env::temp_dir().join(format!("forebay-stopped-{}", std::process::id()));
    run(|ring| {
        let path = path.clone();
        async move {
            let listener = Listener::bind_unix(&ring, &path).expect("nobody listens there");
            for round in 0..100u8 {
                let mut client = UnixStream::connect(&path).expect("it is listened on");
                client.write_all(&[round]).expect("the socket takes a byte");
                // A future that panics if it is polled once more after it was ready.
                let stopped = listener.accept_unless(async {}).await.expect("accepting works");
                assert!(stopped.is_none(), "nobody was taken in round {round}");
                let stream = listener.accept().await.expect("the client waits");
                let (buffer, received) = stream.receive(Buffer::zeroed(1), 0..1).await;
                assert_eq!((received.expect("a byte is there"), buffer[0]), (1, round));
            }
        }
    });
    std::fs::remove_file(&path).expect("it was made here");
}

#[test]
fn listener_and_stream_go_on_with_another_ring_on_another_thread() {
    let path = std::env::temp_dir().join(format!("forebay-handles-{}", std::process::id()));
    let (listener, stream, first, second) = run(|ring| {
        let path = path.clone();
        async move {
            let listener = Listener::bind_unix(&ring, &path).expect("nobody listens there");
            let none = listener.accept_unless(std::future::ready(())).await;
            assert!(none.expect("accepting works").is_none());
            let mut first = UnixStream::connect(&path).expect("it is listened on");
            let stream = listener.accept().await.expect("somebody connected");
            first.write_all(b"early").expect("the socket takes five bytes");
            // Waits in the system's queue.
            let second = UnixStream::connect(&path).expect("it is listened on");
            (listener.into_handle(), stream.into_handle(), first, second)
        }
    });
    let elsewhere = thread::spawn(move || {
        run(|ring| async move {
            let listener = Listener::from_handle(&ring, listener);
            let stream = Stream::from_handle(&ring, stream);
            let mut incoming = Incoming::resume(stream.clone(), 16, b"known ");
            incoming.fill().await.expect("bytes are there");
            assert_eq!(incoming.pending(), b"known early");
            let accepted = listener.accept().await.expect("somebody waits");
            for stream in [stream, accepted] {
                let hello = vec![Chunk::inline(b"hello")];
                stream.send(hello).await.1.expect("the client is there");
            }
        });
    });
    elsewhere.join().expect("it serves both");
    for mut client in [first, second] {
        let mut hello = [0; 5];
        client.read_exact(&mut hello).expect("it was served");
        assert_eq!(&hello, b"hello");
    }
    std::fs::remove_file(path).expect("it is ours");
}

#[test]
fn the_other_end_of_a_connection_is_a_process_or_an_address() {
    run(|ring| async move {
        let (stream, _client) = pair(&ring);
        assert_eq!(stream.peer(), Peer::Process(std::process::id()));
        let listener = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("there is a loopback device");
        let client = std::net::TcpStream::connect(listener.local_addr().expect("it is bound"));
        let client = client.expect("it listens");
        let (accepted, _) = listener.accept().expect("somebody connected");
        let stream = Stream::from_handle(&ring, StreamHandle::from(Arc::new(OwnedFd::from(accepted))));
        assert_eq!(stream.peer(), Peer::Address(client.local_addr().expect("it is connected")));
    });
}
