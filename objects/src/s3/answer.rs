//! Answers of S3 in our words, with what to do.

use std::fmt::Display;
use std::time::Duration;

use base::plain::line;
use hyper::{HeaderMap, StatusCode};
use volume::StoreErrorKind;

use super::http::chain;

/// Longest text of a store that a message repeats, in characters.
const TEXT_MAX: usize = 300;

/// Outcome of a request on its way.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// It was not sent.
    Unsent,
    /// No connection was made, for this reason.
    NoConnection(String),
    /// The connection ended before the answer, for this reason.
    Broken(String),
    /// There was no answer in this time.
    Late(Duration),
    /// The store did it, by its status.
    Success,
    /// A page for people came instead, with the status of success.
    Page,
    /// The store did not.
    Error {
        status: StatusCode,
        /// Code of S3, like `AccessDenied`; or empty.
        code: String,
        message: String,
        /// Region of the bucket, if the answer has it.
        region: Option<String>,
    },
}

impl Answer {
    pub(super) fn error(status: StatusCode, headers: &HeaderMap, text: &str) -> Self {
        let region = headers.get("x-amz-bucket-region").and_then(|value| value.to_str().ok());
        let region = region.map(plain).or_else(|| element(text, "Region"));
        let code = element(text, "Code").unwrap_or_default();
        Self::Error { status, code, message: element(text, "Message").unwrap_or_default(), region }
    }

    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Error { status, .. } => Some(status.as_u16()),
            _ => None,
        }
    }
}

/// Why a request failed, before store and object are named.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) kind: StoreErrorKind,
    pub(super) words: String,
    pub(super) advice: String,
    /// True if the store cannot have got the request.
    pub(super) unsent: bool,
}

impl Failure {
    fn new(kind: StoreErrorKind, words: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, words: words.into(), advice: advice.into(), unsent: false }
    }

    pub(super) fn invalid(words: String) -> Self {
        Self::new(StoreErrorKind::Invalid, words, "")
    }

    fn not_of_s3(reason: &str) -> Self {
        let words = format!("the answer is not of S3: {reason}");
        Self::new(StoreErrorKind::Invalid, words, "Look whether a proxy answers in the store's place.")
    }

    pub(super) fn late(time: Duration) -> Self {
        let words = format!("no answer within {} s", time.as_secs_f32());
        Self::new(StoreErrorKind::Unreachable, words, "Look at the load of the store and of the network.")
    }

    pub(super) fn broken(words: &impl Display) -> Self {
        Self::new(StoreErrorKind::Unreachable, format!("the answer was cut off: {words}"), "")
    }

    /// Converts the failure of a create: what says that the object is there.
    pub(super) fn of_create(failed: (Answer, Option<object_store::Error>)) -> Self {
        match &failed.0 {
            Answer::Error { status, code, .. } if is_exists(*status, code) => {
                Self::new(StoreErrorKind::Exists, "there is an object of this name", "")
            }
            // Not 404 of an object: there is none yet.
            Answer::Error { status, code, .. } if status.as_u16() == 404 && code != "NoSuchBucket" => {
                Self::invalid(format!("the store answers a create with 404 {code}"))
            }
            _ => failed.into(),
        }
    }
}

fn is_exists(status: StatusCode, code: &str) -> bool {
    match status.as_u16() {
        304 | 412 => true,
        // Another create or delete of the name is under way: S3's code for that is to be tried again.
        409 => matches!(code, "PreconditionFailed" | "ObjectAlreadyExists" | "KeyAlreadyExists"),
        _ => false,
    }
}

impl From<(Answer, Option<object_store::Error>)> for Failure {
    fn from((answer, error): (Answer, Option<object_store::Error>)) -> Self {
        match answer {
            Answer::Late(time) => Self::late(time),
            Answer::NoConnection(words) => {
                let advice = if words.contains("certificate") {
                    "Give the certificate of the store's authority as `ca`."
                } else {
                    "Look whether the server runs, and at the name, port and firewall."
                };
                Self {
                    unsent: true,
                    ..Self::new(StoreErrorKind::Unreachable, format!("no connection: {words}"), advice)
                }
            }
            Answer::Broken(words) => Self::broken(&words),
            Answer::Error { status, code, message, region } => of_status(status, &code, &message, region),
            Answer::Unsent => {
                let words =
                    error.map_or_else(|| "the request was not sent".to_owned(), |error| chain(&error));
                Self { unsent: true, ..Self::invalid(words) }
            }
            Answer::Page => Self::not_of_s3("it is a web page"),
            Answer::Success => match error {
                Some(error) if is_cut(&error) => Self::broken(&plain(&chain(&error))),
                Some(error) => Self::not_of_s3(&plain(&chain(&error))),
                None => Self::invalid("the answer is not of S3".to_owned()),
            },
        }
    }
}

/// Returns true if the body of an answer did not come whole.
fn is_cut(error: &object_store::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<object_store::client::HttpError>() || error.is::<hyper::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn of_status(status: StatusCode, code: &str, message: &str, region: Option<String>) -> Failure {
    let number = status.as_u16();
    let words = match (code, message) {
        ("", "") => format!("the store answers {number}"),
        ("", message) => format!("the store answers {number}: {message}"),
        (code, "") => format!("the store answers {number} {code}"),
        (code, message) => format!("the store answers {number} {code}: {message}"),
    };
    let (kind, advice) = match code {
        "SignatureDoesNotMatch" => {
            (StoreErrorKind::Denied, "The secret key is wrong; or a proxy changes requests.")
        }
        "InvalidAccessKeyId" => {
            (StoreErrorKind::Denied, "The store does not know the access key. Look at the credentials.")
        }
        "RequestTimeTooSkewed" => {
            (StoreErrorKind::Denied, "The clock of this host or of the store is wrong. Set it, by NTP.")
        }
        "ExpiredToken" | "InvalidToken" | "TokenRefreshRequired" => {
            (StoreErrorKind::Denied, "The session token is used up. Write a new one into the credentials.")
        }
        "ObjectLocked" | "InvalidRetentionPeriod" | "ObjectLockConfigurationNotAllowed" => {
            (StoreErrorKind::Denied, LOCKED)
        }
        "AccessDenied"
            if message.to_ascii_lowercase().contains("lock")
                || message.to_ascii_lowercase().contains("retention") =>
        {
            (StoreErrorKind::Denied, LOCKED)
        }
        "AccessDenied" | "AllAccessDisabled" | "AccountProblem" => (
            StoreErrorKind::Denied,
            "This user needs the rights to get, put, delete and list objects of the bucket.",
        ),
        "NoSuchBucket" => (
            StoreErrorKind::Invalid,
            "There is no such bucket. Make it, or correct the address and the endpoint.",
        ),
        "NoSuchKey" => (StoreErrorKind::NotFound, ""),
        "QuotaExceeded" | "StorageFull" | "XMinioStorageFull" | "InsufficientCapacity" => {
            (StoreErrorKind::Full, FULL)
        }
        "AuthorizationHeaderMalformed"
        | "PermanentRedirect"
        | "TemporaryRedirect"
        | "IllegalLocationConstraintException" => {
            return of_region(words, region);
        }
        "OperationAborted" | "ConditionalRequestConflict" => {
            (StoreErrorKind::Unreachable, "Another request for this name is under way.")
        }
        "SlowDown" | "ServiceUnavailable" | "InternalError" | "RequestTimeout" => {
            (StoreErrorKind::Unreachable, "")
        }
        _ => match number {
            301 | 302 | 307 | 308 => return of_region(words, region),
            401 | 403 => {
                (StoreErrorKind::Denied, "Look at the credentials, and at the user's rights for the bucket.")
            }
            404 => (StoreErrorKind::NotFound, ""),
            408 | 409 | 429 => (StoreErrorKind::Unreachable, ""),
            501 => (StoreErrorKind::Invalid, "The store lacks this operation."),
            507 => (StoreErrorKind::Full, FULL),
            500..=599 => (StoreErrorKind::Unreachable, "Look at the load and the log of the store."),
            _ => (StoreErrorKind::Invalid, ""),
        },
    };
    Failure::new(kind, words, advice)
}

const LOCKED: &str = "Object lock keeps the object. Use a bucket without object lock and retention.";
const FULL: &str = "Quota or space of the store is used up. Raise the quota, or add space.";

fn of_region(words: String, region: Option<String>) -> Failure {
    let advice = match region {
        Some(region) => format!("The bucket is in the region {region}. Set `region` and the endpoint."),
        None => "The bucket is elsewhere. Correct `region` and the endpoint.".to_owned(),
    };
    Failure::new(StoreErrorKind::Invalid, words, advice)
}

/// Returns the content of the first element of this name, without entities and control characters.
pub(super) fn element(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (content, _) = rest.split_once(&format!("</{name}>"))?;
    Some(plain(content))
}

fn plain(text: &str) -> String {
    let text = text.replace("&quot;", "\"").replace("&apos;", "'").replace("&#39;", "'");
    line(&text).chars().take(TEXT_MAX).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, code: &str, message: &str) -> Failure {
        let text =
            format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>");
        let status = StatusCode::from_u16(status).expect("a status");
        Failure::from((Answer::error(status, &HeaderMap::new(), &text), None))
    }

    #[test]
    fn answers_have_their_kind_and_advice() {
        use StoreErrorKind::{Denied, Full, Invalid, NotFound, Unreachable};
        let expected = [
            (403, "SignatureDoesNotMatch", "no", Denied, "secret key"),
            (403, "InvalidAccessKeyId", "no", Denied, "access key"),
            (403, "RequestTimeTooSkewed", "no", Denied, "clock"),
            (403, "AccessDenied", "no", Denied, "rights to get, put"),
            (403, "AccessDenied", "Object is WORM protected by Object Lock", Denied, "without object lock"),
            (403, "", "", Denied, "credentials"),
            (404, "NoSuchBucket", "no", Invalid, "Make it"),
            (404, "NoSuchKey", "no", NotFound, ""),
            (403, "QuotaExceeded", "no", Full, "quota"),
            (507, "", "", Full, "quota"),
            (503, "SlowDown", "no", Unreachable, ""),
            (500, "", "", Unreachable, "log"),
            (409, "ConditionalRequestConflict", "no", Unreachable, "under way"),
            (400, "AuthorizationHeaderMalformed", "no", Invalid, "region"),
            (301, "PermanentRedirect", "no", Invalid, "region"),
            (501, "NotImplemented", "no", Invalid, "lacks"),
        ];
        for (status, code, message, kind, advice) in expected {
            let failure = failure(status, code, message);
            assert_eq!(failure.kind, kind, "{status} {code}");
            assert!(failure.advice.contains(advice), "{failure:?}");
            assert!(
                failure.words.contains(&status.to_string()) && failure.words.contains(code),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn a_region_of_the_answer_is_named() {
        let mut headers = HeaderMap::new();
        headers.insert("x-amz-bucket-region", "eu-north-1".parse().expect("a value"));
        let answer = Answer::error(StatusCode::MOVED_PERMANENTLY, &headers, "");
        assert!(Failure::from((answer, None)).advice.contains("eu-north-1"));
        let text = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>us-west-2</Region></Error>";
        let answer = Answer::error(StatusCode::BAD_REQUEST, &HeaderMap::new(), text);
        assert!(Failure::from((answer, None)).advice.contains("us-west-2"));
    }

    #[test]
    fn only_a_failed_condition_says_that_an_object_exists() {
        let of_create = |status: u16, code: &str| {
            let text = format!("<Code>{code}</Code>");
            let status = StatusCode::from_u16(status).expect("a status");
            Failure::of_create((Answer::error(status, &HeaderMap::new(), &text), None)).kind
        };
        assert_eq!(of_create(412, "PreconditionFailed"), StoreErrorKind::Exists);
        assert_eq!(of_create(409, "ConditionalRequestConflict"), StoreErrorKind::Unreachable);
        assert_eq!(of_create(409, ""), StoreErrorKind::Unreachable);
        assert_eq!(of_create(404, ""), StoreErrorKind::Invalid);
    }

    #[test]
    fn long_and_odd_texts_are_cut() {
        let message = format!("a\u{1b}[2J\n{}", "b".repeat(1000));
        let failure = failure(403, "AccessDenied", &message);
        assert!(failure.words.len() < 400 && !failure.words.contains('\u{1b}'), "{failure:?}");
    }
}
