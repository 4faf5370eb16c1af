//! What can be wrong with a trace, in words for whoever has it.

use std::io;

/// Why a trace, or the rest of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such file, or it may not be read.
    #[error("Cannot open trace {file}: {source}; check path and permissions")]
    Open {
        /// Its path.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Its beginning cannot be read or unpacked.
    #[error(
        "Cannot read trace {file}: {source}, after {bytes} bytes of it; look whether it is whole, or get it again"
    )]
    Read {
        /// Its path.
        file: String,
        /// Bytes of the unpacked trace that were read.
        bytes: u64,
        /// What the system or the packer said.
        source: io::Error,
    },
    /// Neither its name nor its content says what format it has.
    #[error("Cannot tell the format of trace {file}: {reason}; name it with --format, one of {known}")]
    Format {
        /// Its path.
        file: String,
        /// Why not.
        reason: String,
        /// All formats, by name.
        known: String,
    },
    /// A unit of address was chosen for a format that has its own.
    #[error(
        "Cannot read trace {file} in units of {unit_bytes} bytes: its format, {format}, says itself what a unit is; leave out \
         --unit"
    )]
    Unit {
        /// Its path.
        file: String,
        /// The unit that was chosen.
        unit_bytes: u32,
        /// Its format.
        format: &'static str,
    },
    /// No request is of the device that was asked for.
    #[error(
        "Cannot find device {device} in trace {file}: its {requests} requests are of others, such as {others}; name one of them \
         with --device, or leave that out"
    )]
    Device {
        /// Its path.
        file: String,
        /// The device that was asked for.
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
        /// Which record: `line 7`, `record 3`.
        place: String,
        /// What was expected and what was found.
        reason: String,
        /// Requests that were read and sound.
        requests: u64,
        /// Bytes of the unpacked trace that were read, this record included.
        bytes: u64,
    },
}
