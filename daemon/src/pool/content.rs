//! What a file or device holds that is to become one of the pool, in words for a refusal.

use base::units::Size;
use cache::{Identified, MemberNumber};

use crate::shard::Found;

/// Something that is not overwritten without its exact id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holds {
    /// What must be said to erase it.
    pub(crate) id: String,
    /// What it is.
    pub(crate) what: String,
    /// By what it was recognized, if that says more; a sentence.
    evidence: Option<String>,
}

impl Holds {
    /// Says that this is there and still is, for a refusal.
    pub(crate) fn unchanged(&self) -> String {
        let Self { what, evidence, .. } = self;
        let evidence = evidence.as_ref().map(|evidence| format!(" {evidence}.")).unwrap_or_default();
        format!("it holds {what}. Nothing was changed.{evidence}")
    }
}

/// What stands on a device; none if it is blank. `own` is the id of the pool that is remembered.
pub(crate) fn holds(content: &Identified, own: Option<&str>) -> Option<Holds> {
    let (id, what) = match content {
        Identified::Blank => return None,
        Identified::Pool { id, .. } if own == Some(id.to_string().as_str()) => {
            (id.to_string(), "a part of this very pool".to_owned())
        }
        Identified::Pool { id, size_bytes, .. } => {
            (id.to_string(), format!("a pool of {} that this Forebay did not make", Size(*size_bytes)))
        }
        Identified::Older { id, version } => {
            (id.clone(), format!("a pool of an older Forebay (format {version})"))
        }
        Identified::Foreign { id, .. } => (id.clone(), "data that is no pool".to_owned()),
        Identified::Damaged { id, what } => (id.clone(), format!("a damaged pool ({what})")),
        Identified::Newer { id, version } => {
            (id.clone(), format!("a pool of a newer Forebay (format {version})"))
        }
    };
    let evidence = match content {
        Identified::Foreign { offset, format, .. } => Some(found_at(*offset, *format)),
        _ => None,
    };
    Some(Holds { id, what, evidence })
}

/// Says where data was found that is no pool, and what it is if that is known.
pub(crate) fn found_at(offset: u64, format: Option<&str>) -> String {
    format!("Found {} at byte {offset}", format.unwrap_or("bytes that are not zero"))
}

impl Found {
    /// Its number in the pool that it holds.
    pub(super) fn number(&self) -> Option<MemberNumber> {
        match &self.content {
            Identified::Pool { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// Returns the size in bytes of the device, if it holds a part of a pool.
    pub(super) fn size_bytes(&self) -> Option<u64> {
        match &self.content {
            Identified::Pool { size_bytes, .. } => Some(*size_bytes),
            _ => None,
        }
    }

    /// The mark of the last start of the pool that it holds.
    pub(super) fn mark(&self) -> Option<u64> {
        match &self.content {
            Identified::Pool { mark, .. } => Some(*mark),
            _ => None,
        }
    }
}
