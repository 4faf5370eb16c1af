//! Answers of the control plane over HTTP.

use std::future::Future;

use api::ProblemDocument;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base::error::{Error, Result};
use serde::Serialize;

/// Return type of handlers.
pub(super) type Reply<T> = Result<Json<T>, ErrorResponse>;

/// Returns a large document as JSON. [`Json`] writes into a buffer that grows; this one is allocated large
/// enough.
pub(super) fn large<T: Serialize>(document: &T, bytes: usize) -> Response {
    let mut text = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut text, document).expect("plain data with text keys");
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// A problem to be sent to a client.
#[derive(Debug)]
pub(super) struct ErrorResponse {
    pub(super) status: StatusCode,
    /// Failed operation, and a remedy.
    pub(super) detail: String,
}

/// The name of a disk, from a path.
pub(super) struct Name(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(name)| Self(name)).map_err(|rejection| {
            let what = rejection.body_text();
            ErrorResponse::new(
                StatusCode::BAD_REQUEST,
                format!("Cannot read the name of a disk: {what}; check it"),
            )
        })
    }
}

impl ErrorResponse {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into() }
    }
}

impl From<Error> for ErrorResponse {
    fn from(problem: Error) -> Self {
        let status = StatusCode::from_u16(problem.kind.http_status());
        Self::new(status.expect("the table holds valid statuses"), problem.message)
    }
}

impl From<JsonRejection> for ErrorResponse {
    fn from(rejection: JsonRejection) -> Self {
        let status = match rejection {
            JsonRejection::MissingJsonContentType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            _ => StatusCode::BAD_REQUEST,
        };
        let what = rejection.body_text();
        Self::new(status, format!("Cannot read the request: {what}; send the documented JSON"))
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let Self { status, detail } = self;
        let document = ProblemDocument {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            detail,
        };
        let mut response = (status, Json(document)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"forebay\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// Runs a change to its end, also if the client disconnects meanwhile.
pub(super) async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T, ErrorResponse> {
    match tokio::spawn(change).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => Err(Error::failed(format!(
            "Cannot finish the change: {error}; see the log of the daemon, and report it"
        ))
        .into()),
    }
}
