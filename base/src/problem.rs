//! What could not be done, in words for an administrator.
//!
//! One type for the whole daemon: the control plane turns it into a problem document, the command line into the line
//! after `error: `. A message starts with a capital, says what was tried with values, and what to do next.

use std::fmt;

use crate::plain;

/// Why something was not done. Nothing was changed, or the message says what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Who can do something about it.
    pub kind: ProblemKind,
    /// One line, as [`Problem`] asks for.
    pub message: String,
}

/// Who can do something about a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The request cannot be: change it.
    Invalid,
    /// What it names is not here.
    Missing,
    /// Something else stands in the way: change that first.
    Conflict,
    /// It is not possible now; it may be later.
    Unavailable,
    /// The host failed: its logs say more.
    Failed,
}

/// What most functions of the daemon return.
pub type Answer<T> = Result<T, Problem>;

impl Problem {
    /// A problem of `kind`, in words that may hold those of others: they are made safe to show.
    pub fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message: plain::line(message.trim_end()).into_owned() }
    }

    /// The request cannot be.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Invalid, message)
    }

    /// What the request names is not here.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Missing, message)
    }

    /// Something else stands in the way.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Conflict, message)
    }

    /// Not possible now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Unavailable, message)
    }

    /// The host failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Failed, message)
    }
}

impl ProblemKind {
    /// The status that HTTP has for it.
    pub fn http_status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Missing => 404,
            Self::Conflict => 409,
            Self::Unavailable => 503,
            Self::Failed => 500,
        }
    }

    /// What it was before HTTP had it.
    pub fn of_http_status(status: u16) -> Self {
        let all = [Self::Invalid, Self::Missing, Self::Conflict, Self::Unavailable];
        all.into_iter().find(|kind| kind.http_status() == status).unwrap_or(Self::Failed)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// The candidate that `word` was most likely meant to be, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|candidate| (strsim::jaro_winkler(word, candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.75).then_some(best.1)
}

/// `; did you mean 'WORD'?`, or the list of all candidates if none is near.
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
