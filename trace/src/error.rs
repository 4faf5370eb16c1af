//! Errors in traces, in words for users.

use std::io;

/// Reason why a trace, or the rest of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such file, or it is not readable.
    #[error("Cannot open trace {file}: {source}; check path and permissions")]
    Open {
        /// Its path.
        file: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Its front cannot be read or unpacked.
    #[error(
        "Cannot read trace {file}: {source}, after {bytes} bytes of it; look whether it is whole, or get it again"
    )]
    Read {
        /// Its path.
        file: String,
        /// Bytes of the unpacked trace that were read.
        bytes: u64,
        /// The error of the system or the decompressor.
        source: io::Error,
    },
    /// The format follows neither from its name nor from its content.
    #[error("Cannot tell the format of trace {file}: {reason}; name it with --format, one of {known}")]
    Format {
        /// Its path.
        file: String,
        /// Reason for that.
        reason: String,
        /// All formats, by name.
        known: String,
    },
    /// A unit of address was given for a format that has its own.
    #[error(
        "Cannot read trace {file} in units of {unit_bytes} bytes: its format, {format}, says itself what a unit is; leave out \
         --unit"
    )]
    Unit {
        /// Its path.
        file: String,
        /// The unit that was given.
        unit_bytes: u32,
        /// Its format.
        format: &'static str,
    },
    /// No request is of the selected device.
    #[error(
        "Cannot find device {device} in trace {file}: its {requests} requests are of others, such as {others}; name one of them \
         with --device, or leave that out"
    )]
    Device {
        /// Its path.
        file: String,
        /// The selected device.
        device: u32,
        /// Requests of other devices.
        requests: u64,
        /// Some of these devices, separated by commas.
        others: String,
    },
    /// A record is damaged, or the file is.
    #[error(
        "Cannot read {place} of trace {file} as {format}: {reason}; {requests} requests in {bytes} bytes were read before; \
         get the trace again, or name its format with --format"
    )]
    Record {
        /// Its path.
        file: String,
        /// The format that it was read as.
        format: &'static str,
        /// The record: `line 7`, `record 3`.
        place: String,
        /// Expected and found values.
        reason: String,
        /// Valid requests that were read.
        requests: u64,
        /// Bytes of the unpacked trace that were read, this record included.
        bytes: u64,
    },
}
