//! A server of S3 on loopback with the operations that a store uses, and failures on request.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

/// Content of a bucket, which several servers may share.
pub(crate) type Objects = Arc<Mutex<BTreeMap<String, Bytes>>>;
type Body = BoxBody<Bytes, std::io::Error>;

/// Failures of a server: in place of its work, or in it.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Answers with this status and XML.
    Status(u16, String),
    /// Answers this one header more.
    Redirect(u16, &'static str, &'static str),
    /// Does the work, then answers this.
    AfterWork(u16),
    /// Sends half of a body, then closes the connection.
    Cut,
    /// Never answers.
    Hang,
    /// Replaces objects.
    IgnoreCondition,
    /// Answers the whole object where a part was asked for.
    IgnoreRange,
}

type Rule = Box<dyn Fn(&Method, &str) -> Option<Fault> + Send + Sync>;

/// A running server. It ends when it is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) objects: Objects,
    /// Method, path and query of all requests.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    objects: Objects,
    requests: Arc<Mutex<Vec<String>>>,
    fault: Rule,
}

impl Server {
    pub(crate) fn start(fault: impl Fn(&Method, &str) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self::with_objects(Objects::default(), fault)
    }

    pub(crate) fn with_objects(
        objects: Objects,
        fault: impl Fn(&Method, &str) -> Option<Fault> + Send + Sync + 'static,
    ) -> Self {
        Self::serve(objects, Box::new(fault), None)
    }

    /// Starts a server that speaks TLS, and returns it with its certificate in PEM.
    pub(crate) fn with_tls() -> (Self, String) {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("the name is valid");
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("the provider has it")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key.into())
            .expect("they belong together");
        let server = Self::serve(Objects::default(), Box::new(|_, _| None), Some(Arc::new(config).into()));
        (server, made.cert.pem())
    }

    fn serve(objects: Objects, fault: Rule, tls: Option<TlsAcceptor>) -> Self {
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let state = Arc::new(State { objects: Arc::clone(&objects), requests: Arc::clone(&requests), fault });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        listener.set_nonblocking(true).expect("it is a socket");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().expect("it is bound"));
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let serve = async {
                let listener = TcpListener::from_std(listener).expect("it is a socket");
                loop {
                    let (stream, _) = listener.accept().await.expect("it listens");
                    let (state, tls) = (Arc::clone(&state), tls.clone());
                    tokio::spawn(async move {
                        match tls {
                            None => connection(state, stream).await,
                            Some(tls) => {
                                // A client may refuse the certificate.
                                let Ok(stream) = tls.accept(stream).await else { return };
                                connection(state, stream).await;
                            }
                        }
                    });
                }
            };
            runtime.block_on(async {
                tokio::select! {
                    () = serve => {}
                    _ = stopped => {}
                }
            });
        };
        let thread = Some(thread::spawn(run));
        Self { url, objects, requests, stop: Some(stop), thread }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it does not panic");
        }
    }
}

async fn connection(state: Arc<State>, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let answer = service_fn(move |request| answer(Arc::clone(&state), request));
    // A client may close its connection at any time.
    http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await.unwrap_or_default();
}

fn full(status: u16, body: impl Into<Bytes>) -> Response<Body> {
    let body = Full::new(body.into()).map_err(|never| match never {}).boxed();
    Response::builder().status(status).header("etag", "\"e\"").body(body).expect("it is valid")
}

/// Returns XML of an error.
pub(crate) fn xml(code: &str, message: &str) -> String {
    format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>")
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    state.requests.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{} {path}", parts.method));
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Ok(full(400, ""));
    };
    assert!(parts.headers.contains_key("authorization"), "requests are signed");
    let fault = (state.fault)(&parts.method, &path);
    match &fault {
        Some(Fault::Status(status, text)) => {
            let mut response = full(*status, text.clone());
            if text.starts_with("<html>") {
                let kind = "text/html; charset=utf-8".parse().expect("it is valid");
                response.headers_mut().insert("content-type", kind);
            }
            return Ok(response);
        }
        Some(Fault::Redirect(status, name, value)) => {
            let mut response = full(*status, "");
            response.headers_mut().insert(*name, value.parse().expect("it is valid"));
            return Ok(response);
        }
        Some(Fault::Hang) => std::future::pending().await,
        _ => {}
    }
    let response = work(&state, &parts, &path, body, fault.as_ref());
    Ok(match fault {
        Some(Fault::AfterWork(status)) => full(status, ""),
        Some(Fault::Cut) => cut(response).await,
        _ => response,
    })
}

fn work(state: &State, parts: &Parts, path: &str, body: Bytes, fault: Option<&Fault>) -> Response<Body> {
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let (key, query) = path.split_once('?').unwrap_or((path, ""));
    let key = key.strip_prefix("/disks").unwrap_or_default().trim_start_matches('/').to_owned();
    let mut objects = state.objects.lock().unwrap_or_else(PoisonError::into_inner);
    match parts.method {
        Method::GET if key.is_empty() => list(&objects, query),
        Method::GET => match objects.get(&key) {
            None => full(404, xml("NoSuchKey", "no")),
            Some(content) => match header("range").filter(|_| !matches!(fault, Some(Fault::IgnoreRange))) {
                None => full(200, content.clone()),
                Some(range) => part(content, range),
            },
        },
        Method::PUT => {
            let is_exclusive =
                header("if-none-match") == Some("*") && !matches!(fault, Some(Fault::IgnoreCondition));
            if is_exclusive && objects.contains_key(&key) {
                full(412, xml("PreconditionFailed", "no"))
            } else {
                objects.insert(key, body);
                full(200, "")
            }
        }
        Method::DELETE => {
            objects.remove(&key);
            full(204, "")
        }
        _ => full(405, xml("MethodNotAllowed", "no")),
    }
}

async fn cut(response: Response<Body>) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("it is in memory").to_bytes();
    let half = Ok(Frame::data(bytes.slice(..bytes.len() / 2)));
    let frames = [half, Err(std::io::Error::other("cut"))];
    let mut response =
        Response::from_parts(parts, StreamBody::new(futures_util::stream::iter(frames)).boxed());
    response.headers_mut().insert("content-length", bytes.len().into());
    response
}

fn part(content: &Bytes, range: &str) -> Response<Body> {
    let (start, end) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')).expect("a range");
    let (start, end): (usize, u64) = (start.parse().expect("a number"), end.parse().expect("a number"));
    if start >= content.len() {
        return full(416, xml("InvalidRange", "no"));
    }
    let end = end.min(content.len() as u64 - 1) as usize;
    let mut response = full(206, content.slice(start..=end));
    let value = format!("bytes {start}-{end}/{}", content.len());
    response.headers_mut().insert("content-range", value.parse().expect("it is valid"));
    response
}

fn list(objects: &BTreeMap<String, Bytes>, query: &str) -> Response<Body> {
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value.replace("%2F", "/").replace("%40", "@"))
    };
    if value("list-type").is_none() {
        return full(404, xml("NoSuchConfiguration", "no"));
    }
    let (prefix, after) = (value("prefix").unwrap_or_default(), value("start-after").unwrap_or_default());
    let limit: usize = value("max-keys").map_or(1000, |keys| keys.parse().expect("a number"));
    let behind = objects.range((Bound::Excluded(after), Bound::Unbounded));
    let mut fit = behind.filter(|(key, _)| key.starts_with(&prefix));
    let mut text = "<ListBucketResult>".to_owned();
    for (key, content) in fit.by_ref().take(limit) {
        let size = content.len();
        write!(
            text,
            "<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
        )
        .expect("a string takes all");
    }
    if fit.next().is_some() {
        text += "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
    }
    full(200, text + "</ListBucketResult>")
}
