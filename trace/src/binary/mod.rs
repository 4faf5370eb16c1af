//! Binary formats: records with a fixed head, in some byte order.

pub(crate) mod blktrace;
pub(crate) mod compact;
pub(crate) mod varint;
pub(crate) mod vscsi;
