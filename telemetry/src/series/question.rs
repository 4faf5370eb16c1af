//! Queries on time series: windows of time, and spans of history.

use base::error::{Error, Result};

use crate::counted::Counted;

/// Period of statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// Up to now, of fixed length.
    Last(Recent),
    /// All time since the disk was added, across restarts.
    Total,
    /// Time since the disk was attached.
    #[default]
    Start,
}

/// Windows that end now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// The last five minutes.
    FiveMinutes,
    /// The last hour.
    Hour,
    /// The last day.
    Day,
}

impl Recent {
    pub(super) const ALL: [Self; 3] = [Self::FiveMinutes, Self::Hour, Self::Day];
}

/// Values with their names for users, and a sentence about each.
struct NameTable<T: 'static>(&'static [(T, &'static str, &'static str)]);

impl<T: Copy + PartialEq> NameTable<T> {
    fn names(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<T> {
        self.0.iter().map(|(_, name, about)| (*name, *about))
    }

    fn name(&self, value: T) -> &'static str {
        self.0.iter().find(|(known, ..)| *known == value).expect("the table has every value").1
    }

    /// Returns the value of a name. `tried` names the failed action in the error.
    fn parse(&self, name: &str, tried: &str) -> Result<T> {
        let found = self.0.iter().find(|(_, known, _)| *known == name);
        found.map(|(value, ..)| *value).ok_or_else(|| {
            let known = self.names().map(|(known, _)| known).collect::<Vec<_>>().join(", ");
            Error::invalid(format!("Cannot show {tried} '{name}': take one of {known}"))
        })
    }
}

const WINDOWS: NameTable<Window> = NameTable(&[
    (Window::Last(Recent::FiveMinutes), "5m", "The last five minutes"),
    (Window::Last(Recent::Hour), "1h", "The last hour"),
    (Window::Last(Recent::Day), "1d", "The last day"),
    (Window::Total, "total", "Since the disk was added, across restarts"),
    (Window::Start, "start", "Since the disk was attached, which every start of the daemon does"),
]);

impl Window {
    /// Returns every name with a sentence about the window.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        WINDOWS.names()
    }

    /// Returns the name as users write it.
    pub fn name(self) -> &'static str {
        WINDOWS.name(self)
    }

    /// Returns the window of this name.
    ///
    /// # Errors
    /// If there is no such name; the error lists the names.
    pub fn parse(name: &str) -> Result<Self> {
        WINDOWS.parse(name, "statistics of window")
    }
}

/// Counters and latencies of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowCounters {
    /// The window.
    pub window: Window,
    /// Seconds that it reaches back.
    pub seconds: u64,
    /// Counters and latencies in it.
    pub counted: Counted,
}

/// Time that a history reaches back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Five minutes, in steps of 5 s; of this run of the daemon only.
    FiveMinutes,
    /// A day, in steps of 5 minutes.
    #[default]
    Day,
    /// A week, in steps of 5 minutes.
    Week,
}

const SPANS: NameTable<Span> = NameTable(&[
    (Span::FiveMinutes, "5m", "Five minutes, in steps of 5 s; of this run of the daemon only"),
    (Span::Day, "1d", "A day, in steps of 5 minutes"),
    (Span::Week, "7d", "A week, in steps of 5 minutes"),
]);

impl Span {
    /// Returns every name with a sentence about the span.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        SPANS.names()
    }

    /// Returns the name as users write it.
    pub fn name(self) -> &'static str {
        SPANS.name(self)
    }

    /// Returns the span of this name.
    ///
    /// # Errors
    /// If there is no such name; the error lists the names.
    pub fn parse(name: &str) -> Result<Self> {
        SPANS.parse(name, "the history of")
    }

    /// Returns the length of a step.
    pub fn step_seconds(self) -> u64 {
        match self {
            Self::FiveMinutes => 5,
            Self::Day | Self::Week => 5 * 60,
        }
    }

    /// Returns the number of its steps, the present one included.
    pub(super) fn steps(self) -> u64 {
        let seconds = match self {
            Self::FiveMinutes => 5 * 60,
            Self::Day => 24 * 60 * 60,
            Self::Week => 7 * 24 * 60 * 60,
        };
        seconds / self.step_seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_names_and_no_others() {
        for window in Recent::ALL.map(Window::Last).into_iter().chain([Window::Total, Window::Start]) {
            assert_eq!(Window::parse(window.name()), Ok(window));
        }
        let problem = Window::parse("7d").expect_err("there is none");
        assert!(problem.message.contains("'7d'") && problem.message.contains("5m, 1h, 1d, total, start"));
    }

    #[test]
    fn spans_have_names_and_no_others() {
        for span in [Span::FiveMinutes, Span::Day, Span::Week] {
            assert_eq!(Span::parse(span.name()), Ok(span));
        }
        let problem = Span::parse("1h").expect_err("there is none");
        assert!(problem.message.contains("'1h'") && problem.message.contains("5m, 1d, 7d"), "{problem}");
    }
}
