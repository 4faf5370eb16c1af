//! A trace that is read: opened, its format told, request by request.

use std::fs::File;
use std::path::Path;

use crate::format::{self, Records};
use crate::input::Input;
use crate::unpack::unpack;
use crate::{Error, Format, Request};

/// How a trace is read. The default leaves everything to the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format. Default: by the file's name, else by its content.
    pub format: Option<Format>,
    /// Bytes of one unit of address, for `lis` and `ids`, whose files do not say: a multiple of 512. Default: 512 for
    /// `lis`, 4096 for `ids`.
    pub unit_bytes: Option<u32>,
    /// Of a trace of several devices, this one only. Default: all, as if they were one.
    pub device: Option<u32>,
}

/// What one record says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// A read, a write, or an access of which the format says no more. Not checked yet.
    Request(Request),
    /// Another command, or no bytes.
    Other,
}

/// A trace that is read. Iterates over its requests; after an error it ends.
pub struct Trace {
    file: String,
    format: Format,
    input: Input,
    records: Box<dyn Records>,
    device: Option<u32>,
    requests: u64,
    left_out: u64,
    failed: bool,
}

impl Trace {
    /// Opens a trace, packed (`gzip`, `xz`, `zstd`, told by content) or not.
    ///
    /// # Errors
    /// If the file cannot be read, or neither its name nor its content says what format it has.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        let file = path.display().to_string();
        let opened = File::open(path).and_then(unpack).and_then(Input::new);
        match opened {
            Ok(input) => Self::new(file, input, options),
            Err(source) => Err(Error::Open { file, source }),
        }
    }

    /// A trace that is in memory or comes from elsewhere, packed or not; `name` stands for its file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(
        name: &str,
        bytes: impl std::io::Read + Send + 'static,
        options: &Options,
    ) -> Result<Self, Error> {
        let file = name.to_owned();
        match unpack(bytes).and_then(Input::new) {
            Ok(input) => Self::new(file, input, options),
            Err(source) => Err(Error::Open { file, source }),
        }
    }

    fn new(file: String, input: Input, options: &Options) -> Result<Self, Error> {
        let told = match options.format {
            Some(format) => Ok(format),
            None => format::tell(&file, input.front()),
        };
        let format = match told {
            Ok(format) => format,
            Err(reason) => return Err(Error::Format { file, reason, known: Format::names() }),
        };
        let records = format.records(input.front(), options.unit_bytes);
        let device = options.device;
        Ok(Self { file, format, input, records, device, requests: 0, left_out: 0, failed: false })
    }

    /// The format that it is read as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Records so far that were no request: other commands, those of no bytes, those of other devices.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Bytes of the unpacked trace so far.
    pub fn bytes_read(&self) -> u64 {
        self.input.read()
    }

    fn next_request(&mut self) -> Result<Option<Request>, String> {
        while let Some(record) = self.records.next(&mut self.input)? {
            match record {
                Record::Request(request) => {
                    request.check()?;
                    if self.device.is_none_or(|device| device == request.device) {
                        self.requests += 1;
                        return Ok(Some(request));
                    }
                    self.left_out += 1;
                }
                Record::Other => self.left_out += 1,
            }
        }
        Ok(None)
    }
}

impl Iterator for Trace {
    type Item = Result<Request, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let request = self.next_request().map_err(|reason| {
            self.failed = true;
            Error::Record {
                file: self.file.clone(),
                format: self.format.name(),
                place: self.records.place(),
                reason,
                requests: self.requests,
                bytes: self.input.read(),
            }
        });
        request.transpose()
    }
}
