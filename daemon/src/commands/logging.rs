//! The log: entries for people or for programs, on standard error, in the journal, or in a file.
//!
//! Under systemd each entry begins with its priority, as in sd-daemon(3), so that `journalctl -p warning`
//! works; the journal adds time and colour. A thread of its own writes the log: threads that serve guests log
//! too, and must neither wait for a file system or a reader that hangs, nor end because one is full or gone.
//! A file is opened for appending, and never again: logrotate's `copytruncate` rotates it.

mod fields;
mod log_thread;

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::str::FromStr;

use base::error::{Error, Result, hint};
use base::moment::Moment;
use serde_json::json;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::time::SystemTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, format};
use tracing_subscriber::registry::LookupSpan;

use crate::output::{is_journal, priority};
use log_thread::LogThread;

const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];
const FORMATS: [&str; 2] = ["text", "json"];

/// Level, format and target of the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Log<'a> {
    pub(super) level: &'a str,
    pub(super) format: &'a str,
    /// None for standard error.
    pub(super) file: Option<&'a Path>,
}

impl Default for Log<'_> {
    fn default() -> Self {
        Self { level: "info", format: "text", file: None }
    }
}

/// Handle of the log. When it is dropped, earlier entries are written.
pub(super) struct Logging {
    _log_thread: LogThread,
}

/// Starts logging.
///
/// # Errors
/// If there is no such level or format, or the file cannot be opened.
pub(super) fn start(log: &Log<'_>) -> Result<Logging> {
    let filter = parse_choice("level", log.level, &LEVELS)?;
    let filter = LevelFilter::from_str(filter).expect("the table holds the names of levels");
    let is_json = parse_choice("format", log.format, &FORMATS)? == "json";
    let is_journal = log.file.is_none() && is_journal(&io::stderr());
    let lines = EntryFormatter {
        shape: match (is_json, is_journal) {
            (true, _) => EntryFormat::Json,
            (false, true) => EntryFormat::Untimed(format().with_target(false).without_time()),
            (false, false) => EntryFormat::Text(format().with_target(false)),
        },
        has_priority: is_journal,
    };
    let has_colour = log.file.is_none() && io::stderr().is_terminal() && !is_json;
    let notice = lines.shape.notice();
    let log_thread = match log.file {
        Some(path) => LogThread::start(open(path)?, notice)?,
        None => LogThread::start(io::stderr(), notice)?,
    };
    let subscriber = tracing_subscriber::fmt()
        // Such errors would go to standard error, and panic if that cannot be written.
        .log_internal_errors(false)
        .with_ansi(has_colour)
        .with_max_level(filter)
        .event_format(lines)
        .fmt_fields(fields::SafeFields)
        .with_writer(log_thread.lines())
        .finish();
    // Only a second call could fail, and there is none.
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|error| Error::failed(format!("Cannot start logging: {error}")))?;
    Ok(Logging { _log_thread: log_thread })
}

impl EntryFormat {
    /// Returns a function that formats the entry about dropped entries.
    fn notice(&self) -> fn(u64) -> String {
        fn message(missing: u64) -> String {
            format!("{missing} lines of the log are missing here")
        }
        match self {
            Self::Text(_) => |missing| format!("{}  WARN {}\n", Moment::now(), message(missing)),
            Self::Untimed(_) => |missing| format!("<4>{}\n", message(missing)),
            Self::Json => |missing| {
                let (time, message) = (Moment::now().to_string(), message(missing));
                format!("{}\n", json!({ "timestamp": time, "level": "WARN", "message": message }))
            },
        }
    }
}

fn parse_choice<'a>(what: &str, word: &'a str, words: &[&str]) -> Result<&'a str> {
    if words.contains(&word) {
        return Ok(word);
    }
    Err(Error::invalid(format!("Unknown log {what} '{word}': {}", hint(word, words))))
}

fn open(path: &Path) -> Result<File> {
    File::options().create(true).append(true).mode(0o640).open(path).map_err(|error| {
        Error::failed(format!(
            "Cannot open log file {}: {error}; name another with --log-file",
            path.display()
        ))
    })
}

/// Format of entries.
struct EntryFormatter {
    shape: EntryFormat,
    /// Set if each begins with its priority.
    has_priority: bool,
}

enum EntryFormat {
    Text(Format<Full, SystemTime>),
    Untimed(Format<Full, ()>),
    Json,
}

impl<S, N> FormatEvent<S, N> for EntryFormatter
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut to: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if self.has_priority {
            to.write_str(priority(*event.metadata().level()))?;
        }
        match &self.shape {
            EntryFormat::Text(format) => format.format_event(context, to, event),
            EntryFormat::Untimed(format) => format.format_event(context, to, event),
            EntryFormat::Json => writeln!(to, "{}", fields::object(event)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::Value;

    use super::*;

    #[derive(Default)]
    struct CapturedLog(Mutex<Vec<u8>>);

    impl io::Write for &CapturedLog {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("nobody panics").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(lines: EntryFormatter) -> String {
        logged_of(lines, || tracing::warn!(kind = "disk-waiting", disk = "a", "It waits"))
    }

    fn logged_of(lines: EntryFormatter, log: impl FnOnce()) -> String {
        let written = Arc::new(CapturedLog::default());
        let builder = tracing_subscriber::fmt().with_ansi(false).event_format(lines);
        let builder = builder.fmt_fields(fields::SafeFields);
        let subscriber = builder.with_writer(Arc::clone(&written)).finish();
        tracing::subscriber::with_default(subscriber, log);
        String::from_utf8(written.0.lock().expect("nobody panics").clone()).expect("it is text")
    }

    #[test]
    fn what_is_missing_is_said_in_the_format_of_the_log() {
        let json = EntryFormat::Json.notice()(3);
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(
            (&json["level"], &json["message"]),
            (&"WARN".into(), &"3 lines of the log are missing here".into())
        );
        assert!(json["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{json}");
        assert!(
            EntryFormat::Text(format()).notice()(3)
                .ends_with("Z  WARN 3 lines of the log are missing here\n")
        );
        assert!(EntryFormat::Untimed(format().without_time()).notice()(3).starts_with("<4>3 lines"));
    }

    #[test]
    fn the_journal_gets_priorities_and_no_time() {
        let shape = EntryFormat::Untimed(format().with_target(false).without_time());
        let line = logged(EntryFormatter { shape, has_priority: true });
        assert!(line.starts_with("<4>") && line.contains("WARN It waits"), "{line}");
        assert!(line.contains("disk=\"a\"") && !line.contains('\u{1b}'), "{line}");
    }

    #[test]
    fn json_has_one_object_a_line_with_every_field() {
        let line = logged(EntryFormatter { shape: EntryFormat::Json, has_priority: false });
        let line: Value = serde_json::from_str(&line).expect("one object");
        assert_eq!((&line["level"], &line["message"]), (&"WARN".into(), &"It waits".into()));
        assert_eq!((&line["kind"], &line["disk"]), (&"disk-waiting".into(), &"a".into()));
        assert!(line["timestamp"].is_string());
    }

    #[test]
    fn words_of_others_forge_no_line_of_the_log() {
        let words = "no\n2026-01-01T00:00:00Z ERROR Disk web1 lost its data\u{1b}[2J\u{202e}";
        let log = || tracing::warn!(path = %words, words, "It says {words}");
        for shape in
            [EntryFormat::Text(format().with_target(false)), EntryFormat::Untimed(format().without_time())]
        {
            let line = logged_of(EntryFormatter { shape, has_priority: false }, log);
            assert_eq!(line.lines().count(), 1, "{line}");
            assert!(!line.trim_end().contains(|character: char| character.is_control()), "{line}");
            assert!(!line.contains('\u{202e}') && line.contains("path=no\\n2026"), "{line}");
        }
        let line = logged_of(EntryFormatter { shape: EntryFormat::Json, has_priority: false }, log);
        let document: Value = serde_json::from_str(&line).expect("one object");
        assert_eq!((&document["path"], &document["words"]), (&words.into(), &words.into()), "data is data");
        assert!(!line.contains('\u{202e}'), "{line}");
    }

    #[test]
    fn a_disk_of_which_only_the_number_is_known_is_logged_by_its_name() {
        base::names::remember(4_000_001, "web1");
        let log = || tracing::warn!(disk = %4_000_001, "It stops");
        let line = logged_of(EntryFormatter { shape: EntryFormat::Text(format()), has_priority: false }, log);
        assert!(line.contains("disk=\"web1\""), "{line}");
        let line = logged_of(EntryFormatter { shape: EntryFormat::Json, has_priority: false }, log);
        let document: Value = serde_json::from_str(&line).expect("one object");
        assert_eq!(document["disk"], "web1");
    }

    #[test]
    fn what_is_unknown_is_refused_with_what_there_is() {
        for (log, words) in [
            (Log { level: "warning", ..Log::default() }, "did you mean 'warn'?"),
            (Log { format: "xml", ..Log::default() }, "text, json"),
            (Log { file: Some(Path::new("/nowhere/x.log")), ..Log::default() }, "/nowhere/x.log"),
        ] {
            let problem = start(&log).err().expect("it cannot be");
            assert!(problem.message.contains(words), "{problem}");
        }
    }
}
