//! What is said of an event.

use serde::Serialize;
use utoipa::ToSchema;

use crate::events;

/// Something that happened and that an operator must know.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Event {
    /// Rises for ever, also across restarts.
    id: u64,
    /// In UTC.
    time: String,
    /// `info`, `warning` or `error`.
    level: &'static str,
    /// What kind of thing happened, in one word.
    kind: &'static str,
    /// The disk that it is about, if it is about one.
    disk: Option<String>,
    message: String,
    /// What to do about it, if there is something.
    advice: Option<String>,
}

impl Event {
    pub(crate) fn of(event: &events::Event) -> Self {
        Self {
            id: event.id,
            time: event.at.to_string(),
            level: event.kind.level().name(),
            kind: event.kind.name(),
            disk: event.disk.clone(),
            message: event.message.clone(),
            advice: event.kind.advice(event.disk.as_deref()),
        }
    }
}
