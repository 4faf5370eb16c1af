//! Lines between the daemon and a helper: one JSON document a line, requests on the helper's standard input, messages on its
//! standard output.
//!
//! ```text
//!   helper:  opened | refused         first, once; after `refused` it ends
//!   daemon:  {"id": 1, "request": …}  any time later
//!   helper:  answer | fenced          answers in the order of their requests
//! ```
//! The end of the helper's input is a `release` without an answer.

use serde::{Deserialize, Serialize};

/// The key of an image's metadata with the session id of the attachment that it is in, or was in last. Once the daemon sets it, it has
/// judged what it had cached of the image.
pub const SESSION_KEY: &str = "forebay.session";

/// Exit codes of a helper.
pub mod exit {
    /// It released the image.
    pub const RELEASED: i32 = 0;
    /// It was called with arguments that mean nothing.
    pub const USAGE: i32 = 2;
    /// It refused the image, for the reason in its first line.
    pub const REFUSED: i32 = 3;
    /// Another client has fenced it off: the cluster accepts nothing from it any more.
    pub const FENCED: i32 = 4;
    /// The socket cannot be served.
    pub const FAILED: i32 = 5;
}

/// A line of a helper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// The image is open, and locked unless it is only examined.
    Opened(Opened),
    /// The image is not served.
    Refused(Refusal),
    /// The outcome of the request with this number.
    Answer {
        /// Number of the request.
        id: u64,
        /// Its outcome.
        outcome: Outcome,
    },
    /// The cluster accepts nothing from this helper any more; it ends.
    Fenced {
        /// The reason, as a clause.
        reason: String,
    },
}

/// An image that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Its size in bytes, a multiple of 512.
    pub bytes: u64,
    /// Id of the image, which stays if it is renamed.
    pub image: String,
    /// Id of its pool.
    pub pool: i64,
    /// Id of the cluster.
    pub fsid: String,
    /// Address of this client as the owner of the lock; none if it was not locked.
    pub owner: Option<String>,
    /// True if no other client can have changed it since the last session of this host; none if that is unknown.
    pub unchanged: Option<bool>,
    /// First and last sector in hexadecimal digits, if it is only examined.
    pub ends: Option<Ends>,
}

/// First and last sector of an image in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// The first 512 bytes.
    pub first: String,
    /// The last 512 bytes.
    pub last: String,
}

impl Ends {
    /// Returns these sectors as they are sent.
    pub fn new(first: &[u8], last: &[u8]) -> Self {
        use std::fmt::Write;
        let digits = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut digits, byte| {
                write!(digits, "{byte:02x}").expect("a text has room");
                digits
            })
        };
        Self { first: digits(first), last: digits(last) }
    }

    /// Returns the two sectors; none if these are no digits.
    pub fn sectors(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let bytes = |digits: &str| {
            let pairs = digits.as_bytes().chunks(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            pairs.map(byte).collect::<Option<Vec<_>>>()
        };
        Some((bytes(&self.first)?, bytes(&self.last)?))
    }
}

/// The reason for which an image is not served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Resolution of it.
    pub kind: RefusalKind,
    /// The reason and the next thing to do, as a clause that follows "Cannot use backing ...: ".
    pub reason: String,
}

/// Resolution of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// A change of the image, of rights, or of the location.
    Unusable,
    /// The end of another client's use.
    InUse,
    /// Time: a cluster that cannot be reached now.
    Unreachable,
    /// Nothing: another client had the lock since this disk lost it.
    Fenced,
}

/// A request of the daemon, with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Number for the answer.
    pub id: u64,
    /// The request.
    pub request: Request,
}

/// A request of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Returns the value of a key of the image's metadata.
    MetadataGet {
        /// The key.
        key: String,
    },
    /// Sets it, durably.
    MetadataSet {
        /// The key.
        key: String,
        /// Its value.
        value: String,
    },
    /// Removes it, durably. Succeeds if there is none.
    MetadataRemove {
        /// The key.
        key: String,
    },
    /// Ends the helper: requests in flight end, the lock is released.
    Release,
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is done.
    Done,
    /// The value of a key, if it has one.
    Value(Option<String>),
    /// It failed with this error of the system.
    Failed {
        /// The number of the error.
        errno: i32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<T: Serialize>(document: &T) -> String {
        serde_json::to_string(document).expect("plain data")
    }

    #[test]
    fn requests_and_messages_are_lines_that_parse_back() {
        let call = Call { id: 7, request: Request::MetadataGet { key: "a\nb".to_owned() } };
        assert_eq!(line(&call), r#"{"id":7,"request":{"metadata-get":{"key":"a\nb"}}}"#);
        assert_eq!(serde_json::from_str::<Call>(&line(&call)).expect("our own"), call);
        let release = Call { id: 8, request: Request::Release };
        assert_eq!(line(&release), r#"{"id":8,"request":"release"}"#);
        for message in [
            Message::Answer { id: 7, outcome: Outcome::Value(Some("x".to_owned())) },
            Message::Answer { id: 8, outcome: Outcome::Failed { errno: 30 } },
            Message::Fenced { reason: "because".to_owned() },
            Message::Refused(Refusal { kind: RefusalKind::InUse, reason: "it is open".to_owned() }),
        ] {
            let line = line(&message);
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Message>(&line).expect("our own"), message);
        }
    }

    #[test]
    fn sectors_pass_as_digits() {
        let (first, last) = ((0..=255).collect::<Vec<u8>>(), vec![0xff; 3]);
        let ends = Ends::new(&first, &last);
        assert_eq!(ends.sectors(), Some((first, last)));
        let damaged = Ends { first: "0g".to_owned(), last: String::new() };
        assert_eq!(damaged.sectors(), None);
    }
}
