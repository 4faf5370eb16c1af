//! Formats of bytes: records of a fixed head, in some order of bytes.

pub(crate) mod blktrace;
pub(crate) mod compact;
pub(crate) mod varint;
pub(crate) mod vscsi;
