//! The message and the fields of a log entry: safe to show, and with names of disks.
//!
//! The cache knows disks by number only.

use std::fmt;

use base::{names, plain};
use serde_json::{Map, Value};
use tracing::Event;
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};

/// Writes the message, then fields as `name=value`, without control characters.
pub(super) struct SafeFields;

impl<'writer> FormatFields<'writer> for SafeFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut text = Text::default();
        fields.record(&mut text);
        writer.write_str(&text.message)?;
        writer.write_str(&text.fields)
    }
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let shown = format!("{value:?}");
        if field.name() == "message" {
            self.message.push_str(&plain::line(&shown));
            return;
        }
        let shown = name_of(field, &shown).map_or(shown, |name| format!("\"{name}\""));
        let shown = plain::line(&shown);
        self.fields.push(' ');
        self.fields.push_str(field.name());
        self.fields.push('=');
        self.fields.push_str(&shown);
    }
}

/// Returns an event as a JSON object, with typed values.
pub(super) fn object(event: &Event<'_>) -> String {
    let mut time = String::new();
    // A String accepts every write.
    _ = SystemTime.format_time(&mut Writer::new(&mut time));
    let mut object = Object(Map::new());
    object.0.insert("timestamp".to_owned(), time.into());
    object.0.insert("level".to_owned(), event.metadata().level().to_string().into());
    event.record(&mut object);
    plain::line(&Value::Object(object.0).to_string()).into_owned()
}

struct Object(Map<String, Value>);

impl Object {
    fn insert(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Object {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.insert(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let shown = format!("{value:?}");
        self.insert(field, name_of(field, &shown).unwrap_or(shown).into());
    }
}

/// Returns the name of the disk that a field gives by its number.
fn name_of(field: &Field, shown: &str) -> Option<String> {
    if field.name() != "disk" {
        return None;
    }
    names::of(shown.parse().ok()?)
}
