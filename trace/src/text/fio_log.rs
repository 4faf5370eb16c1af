//! Logs of fio that have a line for each request: of latencies (`write_lat_log`), and of bandwidth or IOPS (`write_bw_log`,
//! `write_iops_log`), written with `log_offset=1`. They do not record the file of a request.
//!
//! ```text
//!   milliseconds, value, direction, bytes, offset in bytes, priority, issued     "411, 303866776, 0, 4096, 3371008, 0"
//!
//!   value        latency in ns; KiB/s; 1                  direction   0 read, 1 write, 2 trim; beyond, kinds of syncs
//!   priority     0, 1 or 0xHHHH; old fio has none          issued      ns since the start; with log_issue_time only
//! ```
//! Sources: fio's manual, "Log file formats"; and the observed output of fio 3.33: the time is that of completion, cut off to whole
//! milliseconds; without offsets the priority is in their place; averages (`log_avg_msec`) have a length of zero.

use super::{Fields, Line, commas, quoted, record};
use crate::request::{Kind, Request, SECTOR};
use crate::trace::Record;

/// Microseconds in a unit of time, and nanoseconds in a microsecond.
const TIME_US: u64 = 1000;
const MICROSECOND_NS: u64 = 1000;
/// Trims, kinds of syncs, and waits, by fio's numbers.
const OTHER_DIRECTIONS: std::ops::RangeInclusive<u64> = 2..=7;

/// Meaning of the second field of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Latency of the request.
    Latency,
    /// Another value.
    Other,
}

/// Reader of its lines.
pub(crate) struct FioLog {
    value: Value,
    /// True if the last of five fields is an offset, as in logs of fio before it had priorities.
    five_have_offset: bool,
    /// Number of fields in the lines so far.
    fields: Option<usize>,
}

impl FioLog {
    /// Creates a reader of a log with this front.
    pub(crate) fn new(value: Value, front: &[u8]) -> Self {
        Self { value, five_have_offset: five_have_offset(front), fields: None }
    }
}

/// Returns true if lines of five fields at the front of a log end in offsets: at least one of them is not a priority.
fn five_have_offset(front: &[u8]) -> bool {
    let lines = String::from_utf8_lossy(front);
    let mut fives = lines.lines().filter(|line| line.split(',').count() == 5);
    let last = |line: &str| line.rsplit(',').next().and_then(|last| last.trim_ascii().parse().ok());
    fives.any(|line| last(line).is_some_and(|last: u64| last >= SECTOR))
}

impl Line for FioLog {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let count = line.split(',').count();
        let expected = *self.fields.get_or_insert(count);
        if count != expected {
            return Err(format!("expected {expected} fields as before, found {count} in {}", quoted(line)));
        }
        let mut fields = commas(line);
        let ended_ms = fields.whole("the time in milliseconds")?;
        let value = fields.whole("the value")?;
        let direction = fields.whole("the direction")?;
        let bytes = fields.whole("the length in bytes")?;
        let kind = match direction {
            0 => Some(Kind::Read),
            1 => Some(Kind::Write),
            other if OTHER_DIRECTIONS.contains(&other) => None,
            other => return Err(fields.wrong("the direction", "0, 1 or 2", &other.to_string())),
        };
        if kind.is_some() && bytes == 0 {
            return Err("expected one request a line, found averages, as fio writes them with log_avg_msec; run it without that".to_owned());
        }
        if count == 4 || count == 5 && !self.five_have_offset {
            return Err(format!(
                "expected an offset in field 5, found none in {}; run fio with log_offset=1",
                quoted(line)
            ));
        }
        let offset = fields.whole("the offset in bytes")?;
        let issued_ns = if count > 5 { priority_and_issue(&mut fields, count)? } else { None };
        fields.end()?;
        let Some(kind) = kind else { return Ok(Some(Record::Other)) };
        let latency_us = (self.value == Value::Latency).then_some(value / MICROSECOND_NS);
        let at_us = match issued_ns {
            Some(issued_ns) => issued_ns / MICROSECOND_NS,
            None => ended_ms
                .checked_mul(TIME_US)
                .ok_or_else(|| format!("expected a time below 2^64 us, found {ended_ms} ms"))?
                .saturating_sub(latency_us.unwrap_or(0)),
        };
        record(Request { at_us: Some(at_us), latency_us, kind, offset, ..Request::default() }, bytes)
    }
}

/// Parses the fields after the offset: the priority, which is left out, and the time of issue, if there is one.
fn priority_and_issue<'a>(
    fields: &mut Fields<'a, impl Iterator<Item = &'a str>>,
    count: usize,
) -> Result<Option<u64>, String> {
    let priority = fields.word("the priority")?;
    let digits = priority.strip_prefix("0x");
    let number = digits.map_or_else(|| priority.parse().ok(), |digits| u16::from_str_radix(digits, 16).ok());
    if number.is_none() {
        return Err(fields.wrong("the priority", "0, 1 or 0xHHHH", priority));
    }
    if count == 6 {
        return Ok(None);
    }
    let issued_ns = fields.whole("when it was issued, in nanoseconds")?;
    Ok((issued_ns > 0).then_some(issued_ns))
}

/// Returns true if lines at the front of a trace have the form of fio: a blank behind each comma, and at least four numbers.
pub(crate) fn tells(lines: &[u8]) -> bool {
    let text = String::from_utf8_lossy(lines);
    let mut lines = text.lines().filter(|line| !line.trim_ascii().is_empty()).peekable();
    let is_number = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let is_like = |line: &str| {
        let line = line.trim_ascii_end();
        line.split(", ").count() >= 4
            && line.split(", ").take(4).all(is_number)
            && line.split(", ").all(|field| !field.contains(','))
    };
    lines.peek().is_some() && lines.all(is_like)
}

/// Returns the reason why a log of fio with these first lines cannot be read, if it is such a log.
pub(crate) fn why_not(lines: &[u8]) -> Option<String> {
    if !tells(lines) {
        return None;
    }
    let mut log = FioLog::new(Value::Other, lines);
    let text = String::from_utf8_lossy(lines);
    let reason = text.lines().find_map(|line| log.parse(line).err())?;
    Some(format!("it is like a log of fio, but {reason}"))
}

/// Returns the value for the name of a log, without the extension of a compressed file: `JOB_lat.1.log` for the first of several jobs,
/// `JOB_lat.log` for all.
pub(crate) fn of_name(name: &str) -> Option<Value> {
    let stem = name.strip_suffix(".log")?;
    let stem = match stem.rsplit_once('.') {
        Some((stem, job)) if job.bytes().all(|digit| digit.is_ascii_digit()) => stem,
        _ => stem,
    };
    match stem.rsplit_once('_')?.1 {
        "lat" | "clat" => Some(Value::Latency),
        // Latency of the submission only.
        "slat" | "bw" | "iops" => Some(Value::Other),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(value: Value, log: &str) -> Result<Vec<Request>, String> {
        let (mut lines, mut requests) = (FioLog::new(value, log.as_bytes()), Vec::new());
        for line in log.lines() {
            match lines.parse(line)? {
                Some(Record::Request(request)) => requests.push(request),
                Some(Record::Other) | None => {}
            }
        }
        Ok(requests)
    }

    /// Returns a value of each request of a valid log.
    fn each<T>(log: &str, get: impl Fn(&Request) -> T) -> Vec<T> {
        requests(Value::Latency, log).expect("sound").iter().map(get).collect()
    }

    #[test]
    fn a_line_is_a_request_that_came_its_latency_before_its_time() {
        let log = "107, 107762807, 1, 4096, 3940352, 0\n411, 303866776, 0, 8192, 3371008, 0x2004\n";
        let write = Request {
            at_us: Some(0),
            latency_us: Some(107_762),
            kind: Kind::Write,
            device: 0,
            offset: 3_940_352,
            length: 4096,
        };
        let read = Request {
            at_us: Some(411_000 - 303_866),
            latency_us: Some(303_866),
            kind: Kind::Read,
            offset: 3_371_008,
            length: 8192,
            ..write
        };
        assert_eq!(requests(Value::Latency, log), Ok(vec![write, read]));
        let ended = |request, at_us| Request { at_us: Some(at_us), latency_us: None, ..request };
        assert_eq!(
            requests(Value::Other, log),
            Ok(vec![ended(write, 107_000), ended(read, 411_000)]),
            "a bandwidth is no latency"
        );
    }

    #[test]
    fn when_a_request_was_issued_goes_before_what_is_concluded() {
        let log = "107, 900000, 1, 4096, 0, 0, 105123456\n108, 900000, 1, 4096, 0, 0, 0\n";
        assert_eq!(each(log, |one| one.at_us), [Some(105_123), Some(107_100)]);
    }

    #[test]
    fn times_since_1970_and_times_that_run_backwards_are_taken_as_they_are() {
        let log = "1795396297618, 27437, 0, 4096, 0, 0x0000\n1795396297617, 1000, 0, 4096, 0, 0x0000\n";
        assert_eq!(each(log, |one| one.at_us), [Some(1_795_396_297_617_973), Some(1_795_396_297_616_999)]);
    }

    #[test]
    fn trims_and_syncs_are_left_out_and_other_directions_refused() {
        for direction in 2..=7 {
            let log = format!("0, 5, {direction}, 4096, 0, 0\n1, 5, {direction}, 0, 0, 0\n");
            assert_eq!(requests(Value::Latency, &log), Ok(Vec::new()), "{direction}");
        }
        assert!(requests(Value::Latency, "0, 5, 8, 4096, 0, 0").expect_err("none").contains("found '8'"));
    }

    #[test]
    fn a_log_without_offsets_says_how_to_have_them() {
        for log in [
            "0, 28357, 0, 4096\n",
            "0, 28357, 0, 4096, 0\n0, 3088, 1, 4096, 1\n",
            "0, 28357, 0, 4096, 0x0000\n",
            // Trims have none either.
            "0, 28357, 2, 4096, 0\n",
        ] {
            let message = requests(Value::Latency, log).expect_err("it has none");
            assert!(message.contains("log_offset=1"), "{message}");
            assert!(why_not(log.as_bytes()).expect("it is one").contains("log_offset=1"), "{log}");
        }
    }

    #[test]
    fn a_log_of_old_fio_has_offsets_and_no_priorities() {
        let log = "0, 28357, 0, 4096, 0\n5, 3088, 1, 512, 8192\n";
        assert_eq!(each(log, |one| one.offset), [0, 8192]);
        assert_eq!(why_not(log.as_bytes()), None, "nothing is wrong with it");
    }

    #[test]
    fn averages_are_told_by_their_length() {
        let log = "500, 3594, 1, 0, 0, 0\n1000, 17455, 0, 0, 0, 0\n";
        let message = requests(Value::Latency, log).expect_err("averages");
        assert!(message.contains("log_avg_msec"), "{message}");
        assert!(why_not(log.as_bytes()).expect("it is one").contains("log_avg_msec"));
    }

    #[test]
    fn what_is_cut_off_mixed_or_too_large_is_told() {
        let good = "0, 5, 0, 4096, 0, 0\n";
        for (bad, reason) in [
            ("0, 5, 0, 4096, 0", "6 fields as before, found 5"),
            ("0, 5, 0, 4096, 0, 0, 7", "found 7"),
            ("0, 5, 0, 4096, 8 0, 0", "field 5"),
            ("0, 5, 0, 4096, 0, ", "the priority"),
            ("0, 5, 0, 4096, 0, 0x10000", "'0x10000'"),
            ("0, 5, 0, 99999999999, 0, 0", "32 MiB"),
            ("0, 5, 0, 4096, 99999999999999999999, 0", "field 5"),
            ("18446744073709551615, 5, 0, 4096, 0, 0", "2^64 us"),
            ("-1, 5, 0, 4096, 0, 0", "'-1'"),
            ("0 5 0 4096 0 0", "found 1"),
        ] {
            let message = requests(Value::Latency, &format!("{good}{bad}\n")).expect_err(bad);
            assert!(message.contains(reason), "{bad}: {message}");
        }
        let largest = "0, 18446744073709551615, 0, 4096, 0, 0";
        let latency_us = requests(Value::Latency, largest).expect("it fits")[0].latency_us;
        assert_eq!(latency_us, Some(u64::MAX / 1000));
    }

    #[test]
    fn names_say_what_a_log_holds() {
        for name in ["web_lat.1.log", "/a.b/web_lat.log", "web_clat.12.log", "a_b_lat.1.log"] {
            assert_eq!(of_name(name), Some(Value::Latency), "{name}");
        }
        for name in ["web_bw.1.log", "web_iops.log", "web_slat.1.log"] {
            assert_eq!(of_name(name), Some(Value::Other), "{name}");
        }
        for name in ["web_clat_hist.1.log", "lat.log", "web_lat.1", "flat.log", "web_lat.x.log", ".log"] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }

    #[test]
    fn only_what_fio_writes_looks_like_it() {
        for lines in ["0, 1, 0, 512, 0, 0\n", "0, 1, 0, 512\n\n1, 1, 0, 512\r\n"] {
            assert!(tells(lines.as_bytes()), "{lines}");
        }
        for lines in [
            "",
            "\n",
            "0,1,0,512,0,0\n",
            "0, 1, 0\n",
            "0, 1, 0, 512, 0,0\n",
            "0, 1, 0, 512\nx\n",
            "a, b, c, d\n",
        ] {
            assert!(!tells(lines.as_bytes()), "{lines}");
            assert_eq!(why_not(lines.as_bytes()), None, "{lines}");
        }
    }
}
