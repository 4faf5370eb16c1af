//! Reading a trace: opening it, detecting its format, and iterating over its requests.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::{self, Records};
use crate::input::Input;
use crate::unpack::unpack;
use crate::{Error, Format, Request};

/// Options of reading a trace. By default everything follows from the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format. Default: by the file's name, else by its content.
    pub format: Option<Format>,
    /// Bytes of one unit of address, for `lis` and `ids`, whose files do not define it: a multiple of 512. Default: 512 for `lis`, 4096 for
    /// `ids`. Refused for a trace of another format, which defines it.
    pub unit_bytes: Option<u32>,
    /// Device to select, of a trace of several; if no request is of it, that is an error at the end of the trace. Default: all, as if they
    /// were one.
    pub device: Option<u32>,
}

/// Content of one record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// A read, a write, or an access of unknown direction. Not checked yet.
    Request(Request),
    /// Another command, or a request without bytes.
    Other,
}

/// Maximum number of other devices in a message.
const DEVICES_NAMED: usize = 8;

/// Reader that counts the bytes taken from a file.
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

/// Trace that is being read. Iterates over its requests; after an error it ends.
pub struct Trace {
    file: String,
    format: Format,
    input: Input,
    /// Bytes taken from the file, before decompression.
    taken: Arc<AtomicU64>,
    records: Box<dyn Records>,
    device: Option<u32>,
    unit_bytes: Option<u32>,
    requests: u64,
    left_out: u64,
    on_other_devices: u64,
    /// Some of the other devices.
    others: Vec<u32>,
    /// True at its end, or after an error.
    is_over: bool,
}

impl Trace {
    /// Opens a trace, compressed (`gzip`, `xz`, `zstd`, detected by content) or not.
    ///
    /// # Errors
    /// If the file cannot be read, or its format follows neither from its name nor from its content.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        let file = path.display().to_string();
        match File::open(path) {
            Ok(opened) => Self::from_bytes(&file, opened, options),
            Err(source) => Err(Error::Open { file, source }),
        }
    }

    /// Opens a trace that is in memory or comes from elsewhere, compressed or not; `name` replaces the name of a file.
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

    /// Returns the format of the trace.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the bytes of one unit of address, if the format does not define it: the given value or the default.
    pub fn unit_bytes(&self) -> Option<u32> {
        self.unit_bytes
    }

    /// Returns the number of records so far that were not requests: other commands, and those without bytes.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the number of requests so far that were of other devices than the selected one.
    pub fn on_other_devices(&self) -> u64 {
        self.on_other_devices
    }

    /// Returns the number of requests that are missing because the recorder had no room for them; known at its end.
    pub fn dropped(&self) -> u64 {
        self.records.dropped()
    }

    /// Returns the number of unpacked bytes so far.
    pub fn bytes_read(&self) -> u64 {
        self.input.read()
    }

    /// Returns the bytes of the file so far, in compressed form: divided by its length, this is the progress.
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
