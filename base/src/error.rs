//! Errors in words for an administrator.
//!
//! One type for the whole daemon: the control plane turns it into a problem document, the command line into the line after `error: `. A
//! message starts with a capital, and has the failed attempt with its values, and the next thing to do.

use std::fmt;

use crate::plain;

/// Failure of an action. Nothing was changed, or the message has the changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Party that can resolve it.
    pub kind: ErrorKind,
    /// One line, in the form described at [`Error`].
    pub message: String,
}

/// Party that can resolve an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is invalid: change it.
    Invalid,
    /// The subject of the request does not exist.
    Missing,
    /// Another object is in conflict: change that first.
    Conflict,
    /// Not possible now; perhaps later.
    Unavailable,
    /// The host failed: its logs have details.
    Failed,
}

/// Result of most functions of the daemon. Functions with errors of their own name these.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates an error of `kind`. The message may include text from outside: it is made safe to show.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message: plain::line(message.trim_end()).into_owned() }
    }

    /// Creates an error of an invalid request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Creates an error of a missing subject.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Missing, message)
    }

    /// Creates an error of a conflict.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Creates an error of something that is not possible now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Creates an error of a failure of the host.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }
}

impl ErrorKind {
    /// Returns the status of HTTP for it.
    pub fn http_status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Missing => 404,
            Self::Conflict => 409,
            Self::Unavailable => 503,
            Self::Failed => 500,
        }
    }

    /// Returns the kind for a status of HTTP.
    pub fn of_http_status(status: u16) -> Self {
        let all = [Self::Invalid, Self::Missing, Self::Conflict, Self::Unavailable];
        all.into_iter().find(|kind| kind.http_status() == status).unwrap_or(Self::Failed)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Returns the candidate that `word` was most likely meant to be, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|candidate| (strsim::jaro_winkler(word, candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.75).then_some(best.1)
}

/// Returns `; did you mean 'WORD'?`, or the list of all candidates if none is near.
pub fn hint(word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("use one of {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_word_that_was_meant() {
        assert_eq!(nearest("blok-size", ["mode", "block-size", "reserve"]), Some("block-size"));
        assert_eq!(nearest("blocksize", ["mode", "block-size", "reserve"]), Some("block-size"));
        assert_eq!(nearest("xyz", ["mode", "block-size", "reserve"]), None);
        assert!(hint("xyz", &["mode", "ram"]).contains("mode, ram"));
    }
}
