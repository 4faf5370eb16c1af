//! Errors of a device: one error type, whose kind decides how the caller reacts.

use std::fmt;

use crate::ByteRange;

/// Reaction of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The device could not do it (EIO and the like). The content of a failed write's range is unknown.
    Io,
    /// The request lies outside the device or is not aligned: fix the request.
    InvalidRequest,
    /// The device may not be written: do not try again.
    ReadOnly,
    /// No room where the device stores its data (ENOSPC, EDQUOT, EFBIG): free some, then try again.
    NoSpace,
    /// The device is gone or has changed (removed, shrunk, closed): take it out.
    Gone,
    /// The content fails its checksum, or the device reports that it cannot be read any more: use another copy.
    Corrupt,
    /// There was no answer: the request may still be done, at any time, while the device has unanswered requests and until it is reopened.
    Unanswered,
    /// The device was not asked, because it has not answered for too long: nothing happened. Try again later.
    Untried,
    /// The device cannot do this at all (no hole punching, no discard): do it another way.
    Unsupported,
}

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reading bytes.
    Read,
    /// Writing bytes.
    Write,
    /// Making completed writes durable.
    Flush,
    /// Making bytes read as zero.
    WriteZeroes,
    /// Telling the device that content is not needed.
    Discard,
    /// Opening, locking or measuring the device.
    Open,
}

/// A failed operation on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockError {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Operation that failed.
    pub operation: Operation,
    /// Range of the operation, if it has one.
    pub range: Option<ByteRange>,
    /// Reason, from the operating system or the device; empty if the kind explains it all.
    pub reason: String,
}

impl BlockError {
    /// Creates an error of `kind` while doing `operation` at `range`.
    pub fn new(kind: ErrorKind, operation: Operation, range: ByteRange) -> Self {
        Self { kind, operation, range: Some(range), reason: String::new() }
    }

    /// Returns an error that has no place on the device.
    pub fn anywhere(kind: ErrorKind, operation: Operation) -> Self {
        Self { kind, operation, range: None, reason: String::new() }
    }

    /// Returns the same error with the reason that the system gave.
    #[must_use]
    pub fn because(mut self, reason: impl fmt::Display) -> Self {
        self.reason = reason.to_string();
        self
    }

    /// Creates the error that the operating system reported as `errno`.
    pub fn from_errno(errno: i32, operation: Operation, range: Option<ByteRange>) -> Self {
        let kind = match errno {
            // The last one is a limit of the file system, or of the process.
            libc::ENOSPC | libc::EDQUOT | libc::EFBIG => ErrorKind::NoSpace,
            libc::EROFS | libc::EPERM | libc::EACCES | libc::EBADF => ErrorKind::ReadOnly,
            libc::EINVAL => ErrorKind::InvalidRequest,
            libc::EOPNOTSUPP | libc::ENOSYS | libc::ENOTTY => ErrorKind::Unsupported,
            libc::ENODEV | libc::ENXIO | libc::ENOENT | libc::ESTALE => ErrorKind::Gone,
            // Linux reports a medium error and a failed check of its integrity so.
            libc::ENODATA | libc::EILSEQ if operation == Operation::Read => ErrorKind::Corrupt,
            _ => ErrorKind::Io,
        };
        let reason = std::io::Error::from_raw_os_error(errno).to_string();
        Self { kind, operation, range, reason }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
            Self::WriteZeroes => "write zeroes",
            Self::Discard => "discard",
            Self::Open => "open",
        })
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Io => "input/output error",
            Self::InvalidRequest => "request not valid for this device",
            Self::ReadOnly => "device may not be written",
            Self::NoSpace => "no space left",
            Self::Gone => "device gone or changed",
            Self::Corrupt => "content is damaged",
            Self::Unanswered => "no answer",
            Self::Untried => "not tried",
            Self::Unsupported => "not supported by the device",
        })
    }
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cannot {}", self.operation)?;
        if let Some(range) = self.range {
            write!(f, " {} bytes at {}", range.len(), range.start)?;
        }
        write!(f, ": {}", self.kind)?;
        if !self.reason.is_empty() {
            write!(f, " ({})", self.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for BlockError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_system_a_quota_and_a_limit_of_files_are_no_room() {
        for errno in [libc::ENOSPC, libc::EDQUOT, libc::EFBIG] {
            let error = BlockError::from_errno(errno, Operation::Write, None);
            assert_eq!(error.kind, ErrorKind::NoSpace, "{error}");
        }
        let quota = BlockError::from_errno(libc::EDQUOT, Operation::Write, None).to_string();
        assert!(quota.contains("quota"), "{quota}: which of them it is stays known");
    }

    #[test]
    fn what_a_device_cannot_read_any_more_is_told_from_what_it_failed_to_read() {
        let kind = |errno, operation| BlockError::from_errno(errno, operation, None).kind;
        assert_eq!(kind(libc::ENODATA, Operation::Read), ErrorKind::Corrupt);
        assert_eq!(kind(libc::EILSEQ, Operation::Read), ErrorKind::Corrupt);
        assert_eq!(kind(libc::EIO, Operation::Read), ErrorKind::Io);
        assert_eq!(kind(libc::ENODATA, Operation::Write), ErrorKind::Io);
    }
}
