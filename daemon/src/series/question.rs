//! Questions that time series answer: windows of time, and spans of history.

use base::problem::{Answer, Problem};
use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::counted::Counted;

/// What statistics can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Window {
    /// The last so much of time.
    Last(Recent),
    /// Since the disk was added, across restarts.
    Total,
    /// Since the disk was attached.
    #[default]
    Start,
}

/// The windows that go along with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recent {
    FiveMinutes,
    Hour,
    Day,
}

impl Recent {
    pub(super) const ALL: [Self; 3] = [Self::FiveMinutes, Self::Hour, Self::Day];
}

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

    /// As users write it.
    pub(crate) fn name(self) -> &'static str {
        self.named().1
    }

    /// The window of this name.
    ///
    /// # Errors
    /// If there is none; with those that there are.
    pub(crate) fn parse(name: &str) -> Answer<Self> {
        let found = NAMED.iter().find(|(_, known, _)| *known == name);
        found.map(|(window, ..)| *window).ok_or_else(|| {
            let known = NAMED.map(|(_, known, _)| known).join(", ");
            Problem::invalid(format!("Cannot show statistics of window '{name}': take one of {known}"))
        })
    }
}

impl ValueEnum for Window {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Window; NAMED.len()] = {
            let mut all = [Window::Start; NAMED.len()];
            let mut at = 0;
            while at < NAMED.len() {
                all[at] = NAMED[at].0;
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (_, name, help) = self.named();
        Some(PossibleValue::new(*name).help(*help))
    }
}

/// What was counted in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Windowed {
    pub(crate) window: Window,
    /// How far it reaches back.
    pub(crate) seconds: u64,
    pub(crate) counted: Counted,
}

/// How far back to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Span {
    /// Five minutes, in steps of 5 s; of this run of the daemon only
    #[value(name = "5m")]
    FiveMinutes,
    /// A day, in steps of 5 minutes
    #[default]
    #[value(name = "1d")]
    Day,
    /// A week, in steps of 5 minutes
    #[value(name = "7d")]
    Week,
}

impl Span {
    /// As users write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::FiveMinutes => "5m",
            Self::Day => "1d",
            Self::Week => "7d",
        }
    }

    /// The span of this name.
    ///
    /// # Errors
    /// If there is none; with those that there are.
    pub(crate) fn parse(name: &str) -> Answer<Self> {
        let all = Self::value_variants();
        all.iter().find(|span| span.name() == name).copied().ok_or_else(|| {
            let known = all.iter().map(|span| span.name()).collect::<Vec<_>>().join(", ");
            Problem::invalid(format!("Cannot show the history of '{name}': take one of {known}"))
        })
    }

    /// Length of a step.
    pub(crate) fn step_seconds(self) -> u64 {
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
        for window in Window::value_variants() {
            assert_eq!(Window::parse(window.name()), Ok(*window));
        }
        let problem = Window::parse("7d").expect_err("there is none");
        assert!(problem.message.contains("'7d'") && problem.message.contains("5m, 1h, 1d, total, start"));
    }

    #[test]
    fn spans_have_names_and_no_others() {
        for span in Span::value_variants() {
            assert_eq!(Span::parse(span.name()), Ok(*span));
            let value = span.to_possible_value().expect("all are shown");
            assert_eq!(value.get_name(), span.name());
        }
        let problem = Span::parse("1h").expect_err("there is none");
        assert!(problem.message.contains("'1h'") && problem.message.contains("5m, 1d, 7d"), "{problem}");
    }
}
