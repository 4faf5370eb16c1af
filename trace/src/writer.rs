//! Writer of traces: in Forebay's own format, or as CSV for other tools.
//!
//! A writer holds one frame at a time. It never renames or removes files: that is left to its caller.

use std::io::{self, Write};

use crate::binary::compact::{
    FRAME_HEAD_BYTES, PAYLOAD_BYTES_MAX, Previous, REQUEST_BYTES_MAX, Totals, frame, head,
};
use crate::{Format, Kind, Request};

/// Size at which a frame is ended, so that one more request always fits.
const PAYLOAD_BYTES_GOOD: usize = 32 << 10;
const _: () = assert!(PAYLOAD_BYTES_GOOD + REQUEST_BYTES_MAX <= PAYLOAD_BYTES_MAX);

/// Writer of requests as a trace.
pub struct Writer<W> {
    output: W,
    as_what: As,
    requests: u64,
    bytes: u64,
}

enum As {
    Compact { payload: Vec<u8>, in_frame: u32, frames: u32, previous: Previous },
    Msr,
}

impl<W: Write> Writer<W> {
    /// Begins a trace in one of the formats of [`Self::formats`].
    ///
    /// # Errors
    /// Of kind `Unsupported` if it is another one; otherwise those of the output.
    pub fn new(mut output: W, format: Format) -> io::Result<Self> {
        let as_what = match format {
            Format::Forebay => {
                output.write_all(&head())?;
                As::Compact { payload: Vec::new(), in_frame: 0, frames: 0, previous: Previous::default() }
            }
            Format::Msr => As::Msr,
            other => {
                let message = format!("traces are written as forebay or msr, not as {other}");
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
        };
        let bytes = if format == Format::Forebay { head().len() as u64 } else { 0 };
        Ok(Self { output, as_what, requests: 0, bytes })
    }

    /// Returns the formats that can be written.
    pub fn formats() -> [Format; 2] {
        [Format::Forebay, Format::Msr]
    }

    /// Adds a request.
    ///
    /// # Errors
    /// Of kind `InvalidInput` if the format cannot express it; otherwise those of the output. After an error the trace is incomplete and
    /// cannot be ended.
    pub fn add(&mut self, request: &Request) -> io::Result<()> {
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        request.check().map_err(invalid)?;
        self.requests += 1;
        match &mut self.as_what {
            As::Compact { payload, in_frame, previous, .. } => {
                previous.encode(request, payload);
                *in_frame += 1;
                if payload.len() >= PAYLOAD_BYTES_GOOD { self.end_frame() } else { Ok(()) }
            }
            As::Msr => {
                let line = msr_line(request).map_err(|reason| invalid(reason.to_owned()))?;
                self.bytes += line.len() as u64;
                self.output.write_all(line.as_bytes())
            }
        }
    }

    /// Writes the requests added so far, so that they can be read if no more follow.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.end_frame()?;
        self.output.flush()
    }

    /// Ends the trace. `dropped` requests are missing, because the recorder had no room for them.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(mut self, dropped: u64) -> io::Result<W> {
        self.end_frame()?;
        if let As::Compact { frames, .. } = self.as_what {
            let payload = Totals { requests: self.requests, dropped }.encode();
            self.output.write_all(&frame(frames, 0, &payload))?;
            self.output.write_all(&payload)?;
        }
        self.output.flush()?;
        Ok(self.output)
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Returns the bytes written so far, before compression. Requests that are in no frame yet are not included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn end_frame(&mut self) -> io::Result<()> {
        let As::Compact { payload, in_frame, frames, previous } = &mut self.as_what else { return Ok(()) };
        if *in_frame == 0 {
            return Ok(());
        }
        self.output.write_all(&frame(*frames, *in_frame, payload))?;
        self.output.write_all(payload)?;
        self.bytes += (FRAME_HEAD_BYTES + payload.len()) as u64;
        payload.clear();
        (*in_frame, *previous) = (0, Previous::default());
        *frames = frames.checked_add(1).ok_or_else(|| io::Error::other("a trace has 2^32 frames at most"))?;
        Ok(())
    }
}

/// Returns a request as the CSV of Microsoft Research Cambridge. Zero ticks are an unknown latency, so that one below a microsecond is
/// written as one tick: the reader converts both back.
fn msr_line(request: &Request) -> Result<String, &'static str> {
    let kind = match request.kind {
        Kind::Read => "Read",
        Kind::Write => "Write",
        Kind::Unknown => return Err("msr has a direction for each request, and the trace has none"),
    };
    let at_us = request.at_us.ok_or("msr has a time for each request, and the trace has none")?;
    let ticks = at_us.checked_mul(10).ok_or("msr has no time so far away")?;
    let latency = request.latency_us.map_or(0, |latency_us| latency_us.saturating_mul(10).max(1));
    let Request { device, offset, length, .. } = request;
    Ok(format!("{ticks},forebay,{device},{kind},{offset},{length},{latency}\n"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::{Error, LENGTH_MAX, Options, Trace};

    fn written(requests: &[Request], format: Format) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), format).expect("it is written");
        for request in requests {
            writer.add(request).expect("memory takes it");
        }
        writer.finish(7).expect("memory takes it")
    }

    fn read(bytes: Vec<u8>) -> Result<Vec<Request>, Error> {
        Trace::from_bytes("t", Cursor::new(bytes), &Options::default())?.collect()
    }

    fn request(at: u64) -> Request {
        let kind = [Kind::Read, Kind::Write][at as usize % 2];
        Request {
            at_us: Some(at * 100),
            latency_us: None,
            kind,
            device: 0,
            offset: at % 977 * 4096,
            length: 4096,
        }
    }

    fn any_request() -> impl Strategy<Value = Request> {
        let kind = prop_oneof![Just(Kind::Read), Just(Kind::Write), Just(Kind::Unknown)];
        let place = (0..=(u64::MAX - u64::from(LENGTH_MAX)) / 512, 1..=LENGTH_MAX / 512);
        let device = prop_oneof![Just(0_u32), any::<u32>()];
        (any::<Option<u64>>(), any::<Option<u64>>(), kind, device, place).prop_map(
            |(at_us, latency_us, kind, device, (sector, sectors))| Request {
                at_us,
                latency_us,
                kind,
                device,
                offset: sector * 512,
                length: sectors * 512,
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(requests in prop::collection::vec(any_request(), 0..300)) {
            prop_assert_eq!(read(written(&requests, Format::Forebay)).expect("sound"), requests);
        }
    }

    #[test]
    fn many_frames_are_read_again_and_take_few_bytes() {
        let requests: Vec<Request> = (0..50_000).map(request).collect();
        let bytes = written(&requests, Format::Forebay);
        assert!(bytes.len() < requests.len() * 6, "{} bytes", bytes.len());
        let mut trace = Trace::from_bytes("t", Cursor::new(bytes), &Options::default()).expect("known");
        assert_eq!(trace.format(), Format::Forebay);
        assert!(trace.by_ref().map(|request| request.expect("sound")).eq(requests));
        assert_eq!(trace.dropped(), 7);
    }

    #[test]
    fn a_trace_that_is_cut_off_anywhere_is_told() {
        let requests: Vec<Request> = (0..40).map(request).collect();
        let bytes = written(&requests, Format::Forebay);
        for length in 0..bytes.len() {
            assert!(read(bytes[..length].to_vec()).is_err(), "{length} of {}", bytes.len());
        }
        assert!(read([&bytes[..], &[0]].concat()).is_err(), "one byte more");
    }

    #[test]
    fn a_trace_that_is_damaged_anywhere_is_told() {
        let requests: Vec<Request> = (0..40).map(request).collect();
        let bytes = written(&requests, Format::Forebay);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(read(damaged).is_err(), "byte {at} of {}", bytes.len());
        }
    }

    #[test]
    fn frames_that_are_missing_are_told_with_their_place() {
        let requests: Vec<Request> = (0..50_000).map(request).collect();
        let bytes = written(&requests, Format::Forebay);
        let first = 16 + 16 + u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")) as usize;
        let message =
            read([&bytes[..16], &bytes[first..]].concat()).expect_err("it is not whole").to_string();
        assert!(message.contains("frame 0") && message.contains("found 1"), "{message}");
        let mut damaged = bytes.clone();
        damaged[first + 100] ^= 1;
        let message = read(damaged).expect_err("it is damaged").to_string();
        assert!(message.contains("frame 1") && message.contains("checksum"), "{message}");
        let mut newer = bytes;
        newer[8] = 2;
        assert!(read(newer).expect_err("it is newer").to_string().contains("version 2"));
    }

    #[test]
    fn csv_is_read_again_and_refuses_what_it_cannot_hold() {
        let requests: Vec<Request> = (0..100_u64)
            .map(|at| Request { latency_us: at.checked_sub(1), device: 3, ..request(at) })
            .collect();
        assert_eq!([requests[0].latency_us, requests[1].latency_us], [None, Some(0)]);
        assert_eq!(read(written(&requests, Format::Msr)).expect("sound"), requests);
        let mut writer = Writer::new(Vec::new(), Format::Msr).expect("it is written");
        for bad in [
            Request { kind: Kind::Unknown, ..request(1) },
            Request { at_us: None, ..request(1) },
            Request { at_us: Some(u64::MAX), ..request(1) },
            Request { length: 5, ..request(1) },
        ] {
            assert_eq!(writer.add(&bad).map_err(|error| error.kind()), Err(io::ErrorKind::InvalidInput));
        }
        let other = Writer::new(Vec::new(), Format::Lis).err().expect("it is only read");
        assert_eq!(other.kind(), io::ErrorKind::Unsupported);
    }
}
