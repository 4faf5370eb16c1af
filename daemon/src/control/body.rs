//! Bodies of requests: read as a whole before anything is done, up to a size and within a time.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::patience::within;
use http_body_util::LengthLimitError;

use super::answer::ErrorResponse;

/// The largest body in bytes: far more than any change needs.
const BODY_BYTES_MAX: usize = 64 << 10;
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// Passes a request on once its whole body has arrived.
pub(super) async fn take_whole(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let found = body.size_hint().exact().map_or_else(|| "more".to_owned(), |bytes| format!("{bytes} bytes"));
    let failure = match within(BODY_TIME_MAX, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => return next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(Err(error)) if is_too_long(&error) => ErrorResponse::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "Cannot read the request: its body has {found}, and at most {BODY_BYTES_MAX} bytes are taken; send what the \
                 documentation names"
            ),
        ),
        Ok(Err(error)) => ErrorResponse::new(
            StatusCode::BAD_REQUEST,
            format!("Cannot read the body of the request: {error}; send all of it"),
        ),
        Err(_) => ErrorResponse::new(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "Cannot wait for the body of the request any longer than {} s; send it again",
                BODY_TIME_MAX.as_secs()
            ),
        ),
    };
    failure.into_response()
}

fn is_too_long(error: &axum::Error) -> bool {
    error.source().is_some_and(<dyn Error>::is::<LengthLimitError>)
}
