//! A trace that is read: opened, its format told, request by request.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// `lis`, 4096 for `ids`. A trace of another format, which says itself, is refused.
    pub unit_bytes: Option<u32>,
    /// Of a trace of several devices, this one only; if no request is of it, that is an error at the end of the trace.
    /// Default: all, as if they were one.
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

/// How many other devices a message names.
const DEVICES_NAMED: usize = 8;

/// Counts what is taken from a file.
struct Counted<R> {
    bytes: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A trace that is read. Iterates over its requests; after an error it ends.
pub struct Trace {
    file: String,
    format: Format,
    input: Input,
    /// Bytes taken from the file, before they are unpacked.
    taken: Arc<AtomicU64>,
    records: Box<dyn Records>,
    device: Option<u32>,
    unit_bytes: Option<u32>,
    requests: u64,
    left_out: u64,
    on_other_devices: u64,
    /// Some of those other devices.
    others: Vec<u32>,
    /// At its end, or behind an error.
    is_over: bool,
}

impl Trace {
    /// Opens a trace, packed (`gzip`, `xz`, `zstd`, told by content) or not.
    ///
    /// # Errors
    /// If the file cannot be read, or neither its name nor its content says what format it has.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        let file = path.display().to_string();
        match File::open(path) {
            Ok(opened) => Self::from_bytes(&file, opened, options),
            Err(source) => Err(Error::Open { file, source }),
        }
    }

    /// A trace that is in memory or comes from elsewhere, packed or not; `name` stands for its file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(
        name: &str,
        bytes: impl Read + Send + 'static,
        options: &Options,
    ) -> Result<Self, Error> {
        let file = name.to_owned();
        let taken = Arc::new(AtomicU64::new(0));
        let bytes = Counted { bytes, taken: Arc::clone(&taken) };
        match unpack(bytes).map_err(|error| (0, error)).and_then(Input::new) {
            Ok(input) => Self::new(file, input, taken, options),
            Err((bytes, source)) => Err(Error::Read { file, bytes, source }),
        }
    }

    fn new(file: String, input: Input, taken: Arc<AtomicU64>, options: &Options) -> Result<Self, Error> {
        let told = match options.format {
            Some(format) => Ok(format),
            None => format::tell(&file, input.front()),
        };
        let format = match told {
            Ok(format) => format,
            Err(reason) => return Err(Error::Format { file, reason, known: Format::names() }),
        };
        let unit_bytes = match (format.unit_bytes_default(), options.unit_bytes) {
            (None, Some(unit_bytes)) => return Err(Error::Unit { file, unit_bytes, format: format.name() }),
            (default, chosen) => chosen.or(default),
        };
        let records = format.records(input.front(), unit_bytes);
        let device = options.device;
        Ok(Self {
            file,
            format,
            input,
            taken,
            records,
            device,
            unit_bytes,
            requests: 0,
            left_out: 0,
            on_other_devices: 0,
            others: Vec::new(),
            is_over: false,
        })
    }

    /// The format that it is read as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Bytes of one unit of address, if the format does not say and it was chosen or taken for granted.
    pub fn unit_bytes(&self) -> Option<u32> {
        self.unit_bytes
    }

    /// Records so far that were no request: other commands, and those of no bytes.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Requests so far that were of other devices than the one that was asked for.
    pub fn on_other_devices(&self) -> u64 {
        self.on_other_devices
    }

    /// Requests that whoever recorded the trace had no room for, so that they are missing; known at its end.
    pub fn dropped(&self) -> u64 {
        self.records.dropped()
    }

    /// Bytes of the unpacked trace so far.
    pub fn bytes_read(&self) -> u64 {
        self.input.read()
    }

    /// Bytes of the file so far, packed as it may be: of its length, how far this is.
    pub fn progress(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
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
                    self.on_other_devices += 1;
                    if self.others.len() < DEVICES_NAMED && !self.others.contains(&request.device) {
                        self.others.push(request.device);
                    }
                }
                Record::Other => self.left_out += 1,
            }
        }
        Ok(None)
    }
}

impl Trace {
    fn no_device(&self, device: u32) -> Error {
        let others: Vec<String> = self.others.iter().map(u32::to_string).collect();
        Error::Device {
            file: self.file.clone(),
            device,
            requests: self.on_other_devices,
            others: others.join(", "),
        }
    }
}

impl Iterator for Trace {
    type Item = Result<Request, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let request = self.next_request().map_err(|reason| Error::Record {
            file: self.file.clone(),
            format: self.format.name(),
            place: self.records.place(),
            reason,
            requests: self.requests,
            bytes: self.input.read(),
        });
        self.is_over = !matches!(request, Ok(Some(_)));
        match (&request, self.device) {
            (Ok(None), Some(device)) if self.requests == 0 && self.on_other_devices > 0 => {
                Some(Err(self.no_device(device)))
            }
            _ => request.transpose(),
        }
    }
}
