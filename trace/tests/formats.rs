//! Traces of users: of every format, compressed or not, by name or by content, and damaged in every way.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use trace::{Error, Format, Kind, Options, Request, Survey, Trace};

/// Returns a record of `vscsi1`: SCSI command, first sector, length in bytes, and arrival in microseconds.
fn record(command: u16, sector: u64, bytes: u32, at_us: u64) -> Vec<u8> {
    let mut record = vec![0; 4];
    record.extend(bytes.to_le_bytes());
    record.extend([0; 4]);
    record.extend(command.to_le_bytes());
    record.extend([0, 1]);
    record.extend(sector.to_le_bytes());
    record.extend(at_us.to_le_bytes());
    record
}

/// Returns an event of blktrace, in either byte order.
fn event(is_little: bool, action: u32, sector: u64, bytes: u32, pdu: &[u8]) -> Vec<u8> {
    let mut event = Vec::new();
    let mut put = |value: u64, size: usize| {
        let mut part = value.to_le_bytes()[..size].to_vec();
        if !is_little {
            part.reverse();
        }
        event.extend(part);
    };
    for (value, size) in
        [(0x6561_7407, 4), (1, 4), (5_000_999, 8), (sector, 8), (bytes.into(), 4), (action.into(), 4)]
    {
        put(value, size);
    }
    for (value, size) in [(697, 4), (8 << 20, 4), (3, 4), (0, 2), (pdu.len() as u64, 2)] {
        put(value, size);
    }
    event.extend(pdu);
    event
}

fn read(bytes: &[u8], options: &Options) -> Result<Vec<Request>, Error> {
    named("t", bytes, options)
}

fn named(name: &str, bytes: &[u8], options: &Options) -> Result<Vec<Request>, Error> {
    Trace::from_bytes(name, Cursor::new(bytes.to_vec()), options)?.collect()
}

fn format_of(bytes: &[u8]) -> Option<Format> {
    Trace::from_bytes("t", Cursor::new(bytes.to_vec()), &Options::default()).ok().map(|trace| trace.format())
}

fn message(bytes: &[u8]) -> String {
    read(bytes, &Options::default()).expect_err("it is damaged").to_string()
}

/// Returns a short trace of every format that is detected by its content, and the offset, length and direction of its last request.
fn samples() -> Vec<(Format, Vec<u8>, u64, u32, Kind)> {
    let blktrace =
        [event(true, (1 << 17) | 1, 7, 512, b"pdu"), event(true, (1 << 16) | 1, 8, 4096, b"")].concat();
    let vscsi = [record(0x2a, 1, 512, 9), record(0x1a, 0, 512, 9), record(0x28, 8, 4096, 5)].concat();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        (Format::Vscsi, vscsi, 4096, 4096, Kind::Read),
        (Format::Blktrace, blktrace, 4096, 4096, Kind::Read),
        (Format::Lis, text("1 8 0 0\n16 8 0 1\n"), 8192, 4096, Kind::Unknown),
        (Format::Ids, text("7\n*\n\n9\n"), 9 * 4096, 4096, Kind::Unknown),
        (Format::Tencent, text("0.000,104,1,4096,8192,0.097,4096\n"), 8192, 4096, Kind::Read),
        (Format::Heimdall, text("0.000 0 8192 4096 0\n"), 8192, 4096, Kind::Write),
        (Format::Fiu, text("89 4253 nfsd 16 8 W 6 0 88b93b628d\n"), 8192, 4096, Kind::Write),
        (Format::Ssdsim, text("0 0 303567 7 0\n26214000 0 16 8 1\n"), 8192, 4096, Kind::Read),
        (Format::Msr, text("128166372003061629,hm,1,Write,8192,4096,1331\r\n"), 8192, 4096, Kind::Write),
        (Format::Spc, text("0,20941264,8192,W,0.551706\n0,16,4096,r,1.5\n"), 8192, 4096, Kind::Read),
        (
            Format::Alibaba,
            text("419,R,0,16384,1577808144360767\n419,W,8192,4096,1577808144360768\n"),
            8192,
            4096,
            Kind::Write,
        ),
        (
            Format::TencentCbs,
            text("1538323200,12910952,128,0,1063\n1538323201,16,8,1,1063\n"),
            8192,
            4096,
            Kind::Write,
        ),
        (Format::Blkparse, text("  8,0 3 1 0.000000000 697 Q W 16 + 8 [k]\n"), 8192, 4096, Kind::Write),
        (
            Format::Fio,
            text("fio version 3 iolog\n0 /dev/a add\n1 /dev/a read 8192 4096"),
            8192,
            4096,
            Kind::Read,
        ),
    ]
}

#[test]
fn columns_that_the_user_names_are_read_packed_or_not_and_errors_say_the_line() {
    let format = Some("csv:time_s,offset512,length512,op".parse::<Format>().expect("columns"));
    let options = Options { format, ..Options::default() };
    let requests = read(b"time,start,count,op\n0.5,16,8,R\n1.25,24,8,W\n", &options).expect("sound");
    let of = |at_us, kind, offset| Request {
        at_us: Some(at_us),
        kind,
        offset,
        length: 4096,
        ..Request::default()
    };
    assert_eq!(requests, [of(500_000, Kind::Read, 8192), of(1_250_000, Kind::Write, 12288)]);
    let message = read(b"0.5,16,8,R\n0.6,16,8,X\n", &options).expect_err("no direction").to_string();
    assert!(message.contains("csv") && message.contains("line 2") && message.contains("'X'"), "{message}");
    for text in ["csv", "csv:", "csv:time_s,op"] {
        assert!(text.parse::<Format>().is_err(), "{text}");
    }
    assert!(Format::names().contains("csv:time_s,offset512,length512,op"));
}

#[test]
fn every_format_is_told_by_its_content_packed_or_not() {
    for (format, bytes, offset, length, kind) in samples() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(&bytes).expect("memory takes it");
        let gz = gz.finish().expect("memory takes it");
        let xz = liblzma::encode_all(&bytes[..], 1).expect("memory takes it");
        let zst = zstd::encode_all(&bytes[..], 3).expect("memory takes it");
        for packed in [&bytes, &gz, &xz, &zst] {
            assert_eq!(format_of(packed), Some(format), "{format}");
            let last = *read(packed, &Options::default()).expect("it is sound").last().expect("it has some");
            assert_eq!((last.offset, last.length, last.kind), (offset, length, kind), "{format}");
        }
        for cut in [&gz[..gz.len() - 5], &xz[..xz.len() - 5], &zst[..zst.len() - 2]] {
            assert!(read(cut, &Options::default()).is_err(), "{format}: it was cut off");
        }
    }
}

#[test]
fn several_packed_pieces_are_one_trace() {
    let piece = |text: &str| zstd::encode_all(text.as_bytes(), 3).expect("memory takes it");
    let joined = [piece("1 8 0 0\n"), piece("2 8 0 1\n")].concat();
    assert_eq!(read(&joined, &Options::default()).expect("sound").len(), 2);
}

#[test]
fn a_trace_of_the_other_order_of_bytes_reads_the_same() {
    let both = [true, false].map(|is_little| {
        let events = [
            event(is_little, (1 << 16) | 7, 1, 512, b""),
            event(is_little, (1 << 17) | 1, 1 << 40, 4096, b"abc"),
            event(is_little, (1 << 29) | (1 << 17) | 1, 5, 4096, b""),
        ];
        read(&events.concat(), &Options::default()).expect("it is sound")
    });
    let (offset, device) = (512 << 40, 8 << 20);
    let write =
        Request { at_us: Some(5000), kind: Kind::Write, offset, length: 4096, device, latency_us: None };
    assert_eq!(both, [vec![write], vec![write]], "queued before issued, and no discards");
}

#[test]
fn units_devices_and_format_are_chosen() {
    let pages = Options { unit_bytes: Some(4096), ..Options::default() };
    assert_eq!(read(b"3 2 0 0\n", &pages).expect("sound")[0].offset, 12288);
    let second = Options { device: Some(2), ..Options::default() };
    let lines = b"1.5 1 0 512 1\n1.5 2 512 512 1\n";
    let mut trace = Trace::from_bytes("t", Cursor::new(lines.to_vec()), &second).expect("known");
    assert_eq!(trace.by_ref().map(|request| request.expect("sound").offset).collect::<Vec<_>>(), [512]);
    assert_eq!((trace.left_out(), trace.on_other_devices()), (0, 1));
    // Lines of either, if the numbers can be both; then the user must name the format.
    let either = b"1 0 8192 4096 1\n";
    let unclear = message(either);
    assert!(unclear.contains("of heimdall and of ssdsim") && unclear.contains("--format"), "{unclear}");
    let format = |name: &str| Options { format: name.parse().ok(), ..Options::default() };
    assert_eq!(read(either, &format("heimdall")).expect("sound")[0].offset, 8192);
    assert_eq!(read(either, &format("ssdsim")).expect("sound")[0].offset, 8192 * 512);
    assert!("hm".parse::<Format>().expect_err("no such").contains("tencent-replay"));
}

#[test]
fn a_unit_is_refused_where_the_format_has_its_own() {
    let pages = Options { unit_bytes: Some(4096), ..Options::default() };
    let message = read(b"0.000,104,1,4096,8192,0.097,4096\n", &pages).expect_err("it has bytes").to_string();
    assert!(
        message.contains("4096") && message.contains("tencent-replay") && message.contains("--unit"),
        "{message}"
    );
}

#[test]
fn a_device_that_no_request_is_of_is_told_with_those_that_there_are() {
    let lines: Vec<String> = (0..10).map(|device| format!("1.5 {device} 0 512 1")).collect();
    let lines = lines.join("\n");
    let missing = Options { device: Some(99), ..Options::default() };
    let message = read(lines.as_bytes(), &missing).expect_err("there is none").to_string();
    for part in ["device 99", "10 requests", "such as 0, 1, 2, 3, 4, 5, 6, 7;", "--device"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let path = file("devices.trace", lines.as_bytes());
    let survey = |options: Options| Trace::survey(&path, &options, |_| {});
    let one = survey(Options { device: Some(3), ..Options::default() }).expect("there is one");
    let none = survey(missing);
    std::fs::remove_file(&path).expect("it is ours");
    assert_eq!((one.requests, one.left_out, one.on_other_devices), (1, 0, 9));
    assert!(none.is_err());
    assert_eq!(
        read(b"1.5 0 0 0 1\n", &Options { format: Some(Format::Heimdall), ..missing })
            .expect("no request")
            .len(),
        0
    );
}

#[test]
fn text_with_a_number_in_it_is_no_trace_of_numbers() {
    let cut = "4096\n0.000,104,1,4096,8192,0.097,4096\n0.5,104,0,4096,8192,0.097,4096\n";
    for text in ["Dear all,\n\n42\n\nYours\n", "hello\n7\n", cut, "7\n1.5\n8\n9\n"] {
        let message = message(text.as_bytes());
        assert!(message.contains("Cannot tell the format"), "{message}");
    }
    let long = "4096\n".to_owned() + &"0.5,104,0,4096,8192,0.097,4096\n".repeat(100);
    let named = named("a.ids", long.as_bytes(), &Options::default()).expect_err("it is another").to_string();
    assert!(
        named.contains("line 66") && named.contains("as ids") && named.contains("in most lines"),
        "{named}"
    );
}

#[test]
fn a_name_does_not_make_zeroes_or_any_bytes_a_trace_of_records() {
    let other = [record(0x28, 8, 4096, 5), vec![0x5a; 32]].concat();
    for (bytes, place) in [(vec![0; 4096], "record 1"), (vec![0x5a; 4096], "record 1"), (other, "record 2")] {
        let message = named("a.vscsi", &bytes, &Options::default()).expect_err("no version").to_string();
        assert!(message.contains(place) && message.contains("version 1"), "{message}");
    }
}

#[test]
fn a_name_goes_before_content() {
    let lines = b"7 8 0 0\n";
    for name in ["a.lis", "a.b.lis.gz"] {
        assert_eq!(named(name, lines, &Options::default()).expect("sound")[0].offset, 3584, "{name}");
    }
    let wrong = named("a.vscsi.zst", lines, &Options::default()).expect_err("it is text").to_string();
    assert!(wrong.contains("as vscsi1") && wrong.contains("record 1"), "{wrong}");
}

#[test]
fn logs_of_fio_are_told_by_their_names_since_their_lines_do_not_say_what_the_value_is() {
    let log = b"107, 100000000, 1, 4096, 8192, 0\n411, 5, 0, 4096, 0, 0\n";
    for (name, latency_us, at_us) in [
        ("web_clat.1.log", Some(100_000), 7000),
        ("a/web_lat.log.gz", Some(100_000), 7000),
        ("web_bw.1.log", None, 107_000),
    ] {
        let first = named(name, log, &Options::default()).expect("sound")[0];
        assert_eq!((first.latency_us, first.at_us), (latency_us, Some(at_us)), "{name}");
    }
    let unclear = message(log);
    assert!(unclear.contains("of fio-lat and of fio-log") && unclear.contains("--format"), "{unclear}");
    for (bytes, advice) in
        [(&b"0, 28357, 0, 4096, 0\n"[..], "log_offset=1"), (b"500, 7, 0, 0, 0, 0\n", "log_avg_msec")]
    {
        let unnamed = message(bytes);
        assert!(unnamed.contains("Cannot tell the format") && unnamed.contains(advice), "{unnamed}");
        let named = named("web_lat.1.log", bytes, &Options::default()).expect_err("useless").to_string();
        assert!(named.contains("line 1") && named.contains(advice), "{named}");
    }
}

#[test]
fn traces_that_could_be_told_before_there_were_logs_of_fio_still_are() {
    assert_eq!(format_of(b"1,104,1,4096,8192,0,4096\n"), Some(Format::Tencent));
    // A line that fits both is of neither: 1 is read in one of them, and write in the other.
    let unclear = message(b"1, 104, 1, 4096, 8192, 0, 4096\n");
    assert!(unclear.contains("of tencent-replay and of fio-lat and of fio-log"), "{unclear}");
}

#[test]
fn an_unknown_format_is_shown_with_those_that_are_known() {
    for (bytes, shown) in [
        (&b"hello world\n"[..], "'hello world'"),
        (b"\x7fELF\x02\x01\x01\x00more", "7f 45 4c 46"),
        (b"", "it is empty"),
        (b"\n\n\n", "''"),
        (b"{\"a\": 1}", "'{\"a\": 1}'"),
    ] {
        let message = message(bytes);
        let known = Format::all().all(|format| message.contains(format.name()));
        assert!(known && message.contains(shown) && message.contains("--format"), "{message}");
    }
    assert!(read(&[0; 4096], &Options::default()).is_err());
    let missing =
        Trace::open(Path::new("/no/such.vscsi"), &Options::default()).err().expect("it is not there");
    assert!(missing.to_string().contains("/no/such.vscsi"), "{missing}");
    let folder = Trace::open(Path::new("/"), &Options::default()).err().expect("no file");
    assert!(folder.to_string().contains("trace /:"), "{folder}");
}

#[test]
fn a_damaged_line_is_named_with_what_was_read_before_it() {
    let good = "0.000,104,1,4096,8192,0.097,4096\n";
    for (bad, reason) in [
        ("0.000,104,1,4096,81", "field 6"),
        ("7 8 0 0\n", "field 1"),
        ("0.1,1,1,100,0,0.1,100\n", "found 100"),
        ("0.1,1,1,1099511627776,0,0.1,0\n", "found 1099511627776"),
        ("0.1,1,1,512,18446744073709551104,0.1,0\n", "2^64"),
        ("0.1,1,1,512,36893488147419103232,0.1,0\n", "field 5"),
        ("0.1,1,1,-512,0,0.1,0\n", "'-512'"),
        ("\u{7f}\u{0}\u{1}\n", "byte that is none"),
    ] {
        // More good lines than are checked to detect the format, one of them empty.
        let text = format!("{}\n{bad}", good.repeat(100));
        let message = message(text.as_bytes());
        let is_named = message.contains("line 102") && message.contains("100 requests");
        assert!(is_named && message.contains(reason), "{message}");
    }
    let garbage = [good.repeat(100).into_bytes(), vec![b'x'; 1 << 20]].concat();
    assert!(message(&garbage).contains("more than 4096 bytes"));
}

#[test]
fn a_damaged_record_is_named_with_what_was_read_before_it() {
    let good = record(0x28, 8, 4096, 5);
    let vscsi = Options { format: Some(Format::Vscsi), ..Options::default() };
    for (bad, reason) in [
        (record(0x28, 8, 100, 5), "found 100"),
        (record(0x28, 8, u32::MAX - 511, 5), "32 MiB"),
        (record(0x28, u64::MAX, 512, 5), "sector"),
        (record(0x28, u64::MAX / 512, 1 << 20, 5), "offset"),
        (good[..31].to_vec(), "ends after 31"),
    ] {
        let message = read(&[&good[..], &bad].concat(), &vscsi).expect_err("damaged").to_string();
        let is_named = message.contains("record 2") && message.contains("1 requests");
        assert!(is_named && message.contains(reason), "{message}");
    }
    let event = event(true, (1 << 17) | 1, 7, 512, b"pdu");
    let message = read(
        &[&event[..], b"no event of forty-eight bytes, as there is to be here"].concat(),
        &Options::default(),
    );
    assert!(message.expect_err("damaged").to_string().contains("event 2"));
    assert!(read(&event[..event.len() - 1], &Options::default()).is_err());
}

#[test]
fn a_trace_ends_after_an_error() {
    let vscsi = Options { format: Some(Format::Vscsi), ..Options::default() };
    let bytes = [record(0x28, 8, 100, 5), record(0x28, 8, 512, 5)].concat();
    assert_eq!(Trace::from_bytes("t", Cursor::new(bytes), &vscsi).expect("known").count(), 1);
}

#[test]
fn a_survey_says_what_a_file_asks_for() {
    let lines = "5.000 0 4096 4096 1\n3.000 0 0 1024 0\n9.000 0 0 0 0\n";
    let path = file("survey.trace", lines.as_bytes());
    let survey = Trace::survey(&path, &Options::default(), |_| {}).expect("it is sound");
    std::fs::remove_file(&path).expect("it is ours");
    let expected = Survey {
        requests: 2,
        reads: 1,
        writes: 1,
        left_out: 1,
        on_other_devices: 0,
        end: 8192,
        length_max: 4096,
        without_time: 0,
        backwards: 1,
        first_us: Some(5000),
        latest_us: Some(5000),
        has_several_devices: false,
    };
    assert_eq!(survey, expected);
}

/// Writes a file for this test alone, and returns its path.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("forebay-trace-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("temporary files can be written");
    path
}
