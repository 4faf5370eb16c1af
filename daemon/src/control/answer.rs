//! Answers of the control plane as HTTP has them.

use std::future::Future;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::api::{self, ProblemDocument};
use crate::problem::{Answer, Problem};

/// What handlers return.
pub(super) type Reply = Result<Json<Value>, Failure>;

/// A problem on its way to a client.
pub(super) struct Failure(pub(super) Problem);

/// A document with one key.
pub(super) fn document(key: &str, content: impl Into<Value>) -> Json<Value> {
    Json(api::document(key, content))
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<JsonRejection> for Failure {
    fn from(rejection: JsonRejection) -> Self {
        let what = rejection.body_text();
        Self(Problem::invalid(format!("Cannot read the request: {what}; send the documented JSON")))
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.kind.http_status()).expect("the table holds valid statuses");
        let document = ProblemDocument {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            detail: self.0.message,
        };
        let mut response = (status, Json(document)).into_response();
        let kind = header::HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }
}

/// Runs a change to its end, also if the client goes away in the middle.
pub(super) async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Answer<T>> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::spawn(change).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => Err(Failure(Problem::failed(format!(
            "Cannot finish the change: {error}; see the log of the daemon, and report it"
        )))),
    }
}
