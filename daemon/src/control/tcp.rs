//! HTTP over TCP: the listener, and the connections to it.
//!
//! Every host that reaches the port may connect, so no client may cost more than its own connection. The
//! number of connections is limited; a head that does not arrive ends its connection, and so does an answer
//! that the client does not read. Disks are served whether or not this works: its failures are log entries.

use std::io;
use std::net::{SocketAddr, TcpListener as Listener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Extension;
use base::error::{Error, Result};
use base::sockets;
use base::token::Token;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nix::sys::socket::{setsockopt, sockopt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::guard::{Guard, Peer};
use super::listen::{Http, HttpListen};
use crate::places::Places;

/// The most connections at once. One more waits until another one has ended.
const CONNECTIONS_MAX: u32 = 64;
/// Time that the head of a request may take, from the end of the previous one: a connection that is idle for
/// longer is closed.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// Bytes of the head of a request; a longer one is refused with status 431.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// Headers of a request.
const HEADERS_MAX: usize = 64;
/// Time that an answer may wait for a client that reads nothing; the kernel ends the connection then.
const ANSWER_STALLED_MAX: Duration = Duration::from_secs(30);
/// Time until the next attempt after the system could not accept a connection for lack of resources.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// A listener over TCP, with its guard.
pub(crate) struct WebDoor {
    listener: TcpListener,
    address: SocketAddr,
    pub(super) guard: Arc<Guard>,
}

impl WebDoor {
    /// Listens at the address of `http`, and writes that into a file in RUN; none if it is off, or failed,
    /// which is logged.
    pub(crate) fn open(http: &Http, places: &Places) -> Option<Self> {
        sockets::remove(&places.http());
        let HttpListen::At(wanted) = http.listen else { return None };
        match Self::try_open(wanted, http, places) {
            Ok(door) => Some(door),
            Err(problem) => {
                tracing::warn!("Disks are served without HTTP: {problem}");
                None
            }
        }
    }

    fn try_open(wanted: SocketAddr, http: &Http, places: &Places) -> Result<Self> {
        let token = Token::load_or_make(&places.dir)?;
        let failed = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => {
                    "another process has it; end that one, or give another address with --listen-http"
                }
                _ => "give another address with --listen-http",
            };
            Error::failed(format!("Cannot listen at {wanted}: {error}; {advice}"))
        };
        let listener = Listener::bind(wanted).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let listener = TcpListener::from_std(listener).map_err(failed)?;
        places.publish_http(address)?;
        tracing::info!(
            "HTTP is answered at http://{address}/; changes need the token in {}",
            token.path().display()
        );
        if !address.ip().is_loopback() {
            tracing::warn!(
                "HTTP is served to other hosts in clear text: anyone who can listen on the network sees the token. Put \
                 a proxy with TLS in front of it, or listen at 127.0.0.1 and connect through ssh -L"
            );
        }
        let guard = Arc::new(Guard { port: address.port(), names: http.names.clone(), token });
        Ok(Self { listener, address, guard })
    }

    /// Returns the address of the listener.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Answers requests until `stop` is set, then completes those that began.
pub(super) async fn serve(door: WebDoor, router: Router, stop: watch::Receiver<bool>) {
    answer(door.listener, router, stop).await;
}

async fn answer(listener: TcpListener, router: Router, mut stop: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX as usize));
    loop {
        // At the limit, clients wait in the system's queue.
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await.expect("nobody closes it");
            (listener.accept().await, place)
        };
        tokio::select! {
            (accepted, place) = next => match accepted {
                Ok((stream, peer)) => {
                    let router = router.clone().layer(Extension(Peer(peer.ip())));
                    let stop = stop.clone();
                    tokio::spawn(async move {
                        converse(stream, router, stop).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::debug!("Cannot take a connection over HTTP: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            () = super::stopped(&mut stop) => break,
        }
    }
    drop(listener);
    // All permits are free once every connection has ended.
    drop(room.acquire_many(CONNECTIONS_MAX).await);
}

/// Answers the requests of one connection, one after another.
async fn converse(stream: TcpStream, router: Router, mut stop: watch::Receiver<bool>) {
    let stalled_max = u32::try_from(ANSWER_STALLED_MAX.as_millis()).expect("it is half a minute");
    let prepared = setsockopt(&stream, sockopt::TcpUserTimeout, &stalled_max)
        .map_err(io::Error::from)
        .and_then(|()| stream.set_nodelay(true));
    if let Err(error) = prepared {
        // It has ended already.
        tracing::debug!("Cannot prepare a connection over HTTP: {error}");
        return;
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = super::stopped(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("A connection over HTTP broke off: {error}");
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use axum::middleware;
    use axum::routing::post;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::super::body;
    use super::*;

    /// Starts an echo server on a paused clock.
    async fn start() -> (SocketAddr, watch::Sender<bool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there are ports");
        let address = listener.local_addr().expect("it listens");
        let router = Router::new()
            .route("/", post(|body: Bytes| async move { body.len().to_string() }))
            .layer(middleware::from_fn(body::take_whole));
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(answer(listener, router, stopped));
        (address, stop)
    }

    async fn client(address: SocketAddr, sends: &str) -> TcpStream {
        let mut client = TcpStream::connect(address).await.expect("it listens");
        client.write_all(sends.as_bytes()).await.expect("somebody reads");
        client
    }

    /// Returns the status of the next answer.
    async fn status(client: &mut TcpStream) -> String {
        let mut line = [0; 12];
        client.read_exact(&mut line).await.expect("it is answered");
        String::from_utf8_lossy(&line[9..]).into_owned()
    }

    /// Returns everything until the connection ends.
    async fn rest(mut client: TcpStream) -> String {
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.expect("it is text");
        answer
    }

    const WHOLE: &str = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";

    #[tokio::test(start_paused = true)]
    async fn a_head_that_does_not_come_ends_its_connection() {
        let (address, _stop) = start().await;
        for (sends, answer) in [("", ""), ("POST / HT", ""), (WHOLE, "200 OK")] {
            let began = Instant::now();
            let answered = rest(client(address, sends).await).await;
            assert!(answered.contains(answer) && answered.is_empty() == answer.is_empty(), "{answered}");
            let took = began.elapsed();
            assert!(took >= HEAD_TIME_MAX && took < HEAD_TIME_MAX * 2, "{sends:?}: {took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_refused() {
        let (address, _stop) = start().await;
        let began = Instant::now();
        let mut client = client(address, WHOLE.trim_end_matches("bc")).await;
        assert_eq!(status(&mut client).await, "408");
        assert!(began.elapsed() >= Duration::from_secs(10), "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn one_connection_more_than_there_may_be_waits_until_another_has_ended() {
        let (address, _stop) = start().await;
        let mut others = Vec::new();
        for _ in 0..CONNECTIONS_MAX {
            let mut other = client(address, WHOLE).await;
            assert_eq!(status(&mut other).await, "200");
            others.push(other);
        }
        let began = Instant::now();
        assert_eq!(status(&mut client(address, WHOLE).await).await, "200");
        let waited = began.elapsed();
        assert!(
            waited >= HEAD_TIME_MAX / 2,
            "the others rested for so long before one was closed: {waited:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_is_too_long_is_refused() {
        let (address, _stop) = start().await;
        let headers = |lines: &str| format!("POST / HTTP/1.1\r\n{lines}\r\n");
        let long = headers(&format!("Host: {}\r\n", "a".repeat(HEAD_BYTES_MAX)));
        let many = headers(&"X: y\r\n".repeat(HEADERS_MAX + 1));
        for head in [long, many] {
            assert_eq!(status(&mut client(address, &head).await).await, "431");
        }
    }
}
