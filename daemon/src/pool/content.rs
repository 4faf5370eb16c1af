//! Content of a file or device that is to become part of the pool, in words for a refusal.

use base::units::Size;
use cache::{Identified, MemberNumber};

use crate::shard::DeviceProbe;

/// Content that is not overwritten without its exact id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtectedContent {
    /// The id with which it may be erased.
    pub(crate) id: String,
    /// Its description.
    pub(crate) what: String,
    /// The sign by which it was recognised, if that explains more; a sentence.
    evidence: Option<String>,
}

impl ProtectedContent {
    /// Returns a sentence that this content exists and is unchanged, for a refusal.
    pub(crate) fn unchanged(&self) -> String {
        let Self { what, evidence, .. } = self;
        let evidence = evidence.as_ref().map(|evidence| format!(" {evidence}.")).unwrap_or_default();
        format!("it holds {what}. Nothing was changed.{evidence}")
    }
}

/// Returns the content of a device; none if it is blank. `own` is the id of the recorded pool.
pub(crate) fn holds(content: &Identified, own: Option<&str>) -> Option<ProtectedContent> {
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
    Some(ProtectedContent { id, what, evidence })
}

/// Returns a sentence on data that belongs to no pool, with its place, and its format if that is known.
pub(crate) fn found_at(offset: u64, format: Option<&str>) -> String {
    format!("Found {} at byte {offset}", format.unwrap_or("bytes that are not zero"))
}

impl DeviceProbe {
    /// Returns its number in the pool that it holds.
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

    /// Returns the mark of the last start of the pool that it holds.
    pub(super) fn mark(&self) -> Option<u64> {
        match &self.content {
            Identified::Pool { mark, .. } => Some(*mark),
            _ => None,
        }
    }
}
