//! Invariants for any bytes in a trace file. Shared by the fuzz targets and by a plain test in `trace`, so that every build runs a little
//! of it.

// Each target uses only a part of this.
#![allow(dead_code)]

use std::io::Cursor;

use trace::{Error, Format, Gauge, LENGTH_MAX, Options, Request, Trace, Writer};

/// Maximum number of requests of one input: compressed bytes may stand for very many.
const REQUESTS_MAX: usize = 20_000;

/// Reads any bytes as a trace of the format that the first byte chooses, or of the detected one: every request is valid, an error ends it,
/// and our own format reproduces the requests.
pub(crate) fn readers(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    let formats: Vec<Format> = Format::all().collect();
    let format = formats.get(usize::from(*choice) % (formats.len() + 1)).copied();
    let has_units = matches!(format, None | Some(Format::Lis | Format::Ids));
    let unit_bytes = (has_units && choice & 0x80 != 0).then_some(LENGTH_MAX);
    let options = Options { format, unit_bytes, ..Options::default() };
    let mut trace = match Trace::from_bytes("fuzzed", Cursor::new(bytes.to_vec()), &options) {
        Ok(trace) => trace,
        Err(error) => return check_error(&error),
    };
    let (mut gauge, mut requests) = (Gauge::new(), Vec::new());
    for request in trace.by_ref().take(REQUESTS_MAX) {
        match request {
            Ok(request) => {
                check(&request);
                gauge.add(&request);
                requests.push(request);
            }
            Err(error) => check_error(&error),
        }
    }
    assert!(requests.len() == REQUESTS_MAX || trace.next().is_none(), "it has ended");
    let info = gauge.finish(&trace);
    assert_eq!(info.survey.requests, requests.len() as u64);
    assert_eq!(info.windows.iter().map(|window| window.requests).sum::<u64>(), requests.len() as u64);
    // An estimate may exceed the whole.
    assert!(
        info.windows.len() <= 32 && (!info.touched.is_exact || info.touched.blocks <= info.touched.accesses)
    );
    written_again(&requests);
}

/// Reads any bytes as the payload of a frame with a valid head: requests, or an error.
pub(crate) fn frame(data: &[u8]) {
    let Some((count, payload)) = data.split_first() else { return };
    let empty = Writer::new(Vec::new(), Format::Forebay).and_then(|writer| writer.finish(0)).expect("memory");
    // Head of a file without requests, before its one frame.
    let mut file = empty[..16].to_vec();
    let mut head = Vec::new();
    for word in [payload.len() as u32, u32::from(*count), 0] {
        head.extend(word.to_le_bytes());
    }
    let crc = crc32c::crc32c_append(crc32c::crc32c(&head), payload);
    file.extend(head);
    file.extend(crc.to_le_bytes());
    file.extend(payload);
    let requests: Vec<_> =
        Trace::from_bytes("fuzzed", Cursor::new(file), &Options::default()).expect("known").collect();
    assert!(requests.len() <= usize::from(*count) + 1);
    for request in requests {
        match request {
            Ok(request) => check(&request),
            Err(error) => check_error(&error),
        }
    }
}

fn check(request: &Request) {
    let Request { offset, length, .. } = *request;
    assert!(length > 0 && length <= LENGTH_MAX && length % 512 == 0 && offset % 512 == 0);
    assert!(offset.checked_add(u64::from(length)).is_some());
}

/// Checks that the error is one line that names the file, without control characters.
fn check_error(error: &Error) {
    let message = error.to_string();
    assert!(message.starts_with("Cannot ") && message.contains("fuzzed"), "{message}");
    assert!(!message.chars().any(char::is_control) && message.len() < 1000, "{message}");
}

fn written_again(requests: &[Request]) {
    let mut writer = Writer::new(Vec::new(), Format::Forebay).expect("memory takes it");
    for request in requests {
        writer.add(request).expect("it is sound");
    }
    let bytes = writer.finish(0).expect("memory takes it");
    let again = Trace::from_bytes("again", Cursor::new(bytes), &Options::default()).expect("known");
    assert!(again.map(|request| request.expect("sound")).eq(requests.iter().copied()));
}
