//! HTTP for `object_store`, by hyper and rustls.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full, Limited};
use hyper::header::CONTENT_TYPE;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

use super::answer::Answer;

/// Time until a connection has failed.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Time for which an unused connection stays open: below that of usual servers, which close it else under a request.
const IDLE_TIME: Duration = Duration::from_secs(20);
/// Largest text of an error that is read, in bytes.
const ERROR_BYTES_MAX: usize = 64 << 10;

tokio::task_local! {
    /// The answer to the request of this task.
    static ANSWER: Arc<Mutex<Answer>>;
}

/// Runs a request and returns its result, with the answer that it got if it failed.
pub(super) async fn record_answer<T>(
    time: Duration,
    request: impl Future<Output = object_store::Result<T>>,
) -> Result<T, (Answer, Option<object_store::Error>)> {
    let answer = Arc::new(Mutex::new(Answer::Unsent));
    let result = timeout(time, ANSWER.scope(Arc::clone(&answer), request)).await;
    let answer = || answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err((answer(), Some(error))),
        Err(_) => Err((Answer::Late(time), None)),
    }
}

fn record(answer: Answer) {
    // A request of no task has nobody who reads it.
    ANSWER
        .try_with(|place| *place.lock().unwrap_or_else(PoisonError::into_inner) = answer)
        .unwrap_or_default();
}

/// Hands out the client that all endpoints share.
#[derive(Debug)]
pub(super) struct Connector(pub(super) HttpClient);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(self.0.clone())
    }
}

/// Returns a client that trusts these authorities.
pub(super) fn client(roots: RootCertStore) -> HttpClient {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the provider has ciphers of TLS 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tcp = TcpConnector::new();
    tcp.set_connect_timeout(Some(CONNECT_TIME));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIME)
        .build(connector);
    HttpClient::new(Service(client))
}

struct Service(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Service")
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.0.request(request).await.map_err(|error| {
            let words = chain(&error);
            record(if error.is_connect() { Answer::NoConnection(words) } else { Answer::Broken(words) });
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted };
            HttpError::new(kind, error)
        })?;
        let (parts, body) = response.into_parts();
        if parts.status.is_success() {
            let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            // Without this, the list of a proxy that asks for a password is an empty one.
            let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
            record(if is_page { Answer::Page } else { Answer::Success });
            if is_page {
                return Err(HttpError::new(HttpErrorKind::Decode, io::Error::other("it is a web page")));
            }
            let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
            return Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)));
        }
        let text =
            Limited::new(body, ERROR_BYTES_MAX).collect().await.map(Collected::to_bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        record(Answer::error(parts.status, &parts.headers, &text));
        let body = Full::new(Bytes::from(text)).map_err(|never| match never {});
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}

/// Returns the words of an error and its causes, each once.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}
