//! Questions that time series answer: windows of time, and spans of history.

use base::problem::{Answer, Problem};

use crate::counted::Counted;

/// Period that statistics can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// The last so much of time.
    Last(Recent),
    /// All time since the disk was added, across restarts.
    Total,
    /// Time since the disk was attached.
    #[default]
    Start,
}

/// The windows that go along with time.
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

/// Every window with its name and a sentence about it.
const NAMED: [(Window, &str, &str); 5] = [
    (Window::Last(Recent::FiveMinutes), "5m", "The last five minutes"),
    (Window::Last(Recent::Hour), "1h", "The last hour"),
    (Window::Last(Recent::Day), "1d", "The last day"),
    (Window::Total, "total", "Since the disk was added, across restarts"),
    (Window::Start, "start", "Since the disk was attached, which every start of the daemon does"),
];

impl Window {
    fn named(self) -> &'static (Window, &'static str, &'static str) {
        NAMED.iter().find(|(window, ..)| *window == self).expect("the table has every window")
    }

    /// Returns every name with a sentence about the window.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        NAMED.iter().map(|(_, name, about)| (*name, *about))
    }

    /// Returns the name as users write it.
    pub fn name(self) -> &'static str {
        self.named().1
    }

    /// Returns the window of this name.
    ///
    /// # Errors
    /// If there is none; with those that there are.
    pub fn parse(name: &str) -> Answer<Self> {
        let found = NAMED.iter().find(|(_, known, _)| *known == name);
        found.map(|(window, ..)| *window).ok_or_else(|| {
            let known = NAMED.map(|(_, known, _)| known).join(", ");
            Problem::invalid(format!("Cannot show statistics of window '{name}': take one of {known}"))
        })
    }
}

/// Counters and latencies of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windowed {
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

/// Every span with its name and a sentence about it.
const SPANS: [(Span, &str, &str); 3] = [
    (Span::FiveMinutes, "5m", "Five minutes, in steps of 5 s; of this run of the daemon only"),
    (Span::Day, "1d", "A day, in steps of 5 minutes"),
    (Span::Week, "7d", "A week, in steps of 5 minutes"),
];

impl Span {
    /// Returns every name with a sentence about the span.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        SPANS.iter().map(|(_, name, about)| (*name, *about))
    }

    /// Returns the name as users write it.
    pub fn name(self) -> &'static str {
        SPANS.iter().find(|(span, ..)| *span == self).expect("the table has every span").1
    }

    /// Returns the span of this name.
    ///
    /// # Errors
    /// If there is none; with those that there are.
    pub fn parse(name: &str) -> Answer<Self> {
        let found = SPANS.iter().find(|(_, known, _)| *known == name);
        found.map(|(span, ..)| *span).ok_or_else(|| {
            let known = SPANS.map(|(_, known, _)| known).join(", ");
            Problem::invalid(format!("Cannot show the history of '{name}': take one of {known}"))
        })
    }

    /// Length of a step.
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
        for (name, _) in Window::names() {
            assert_eq!(Window::parse(name).map(Window::name), Ok(name));
        }
        let problem = Window::parse("7d").expect_err("there is none");
        assert!(problem.message.contains("'7d'") && problem.message.contains("5m, 1h, 1d, total, start"));
    }

    #[test]
    fn spans_have_names_and_no_others() {
        for (name, _) in Span::names() {
            assert_eq!(Span::parse(name).map(Span::name), Ok(name));
        }
        let problem = Span::parse("1h").expect_err("there is none");
        assert!(problem.message.contains("'1h'") && problem.message.contains("5m, 1d, 7d"), "{problem}");
    }
}
