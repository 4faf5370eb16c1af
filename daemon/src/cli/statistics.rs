//! Options of the commands that show counters of disks.

use base::error::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use telemetry::series::Span;
use telemetry::series::Window;

use super::Reading;

#[derive(Debug, Args)]
pub(crate) struct StatsOptions {
    /// Only this disk, with every counter.
    pub(crate) name: Option<String>,
    /// Window of the counters. Default: 5m; with --json start, since the disk was attached.
    #[arg(long, value_name = "WINDOW", value_parser = named(Window::names(), Window::parse))]
    pub(crate) window: Option<Window>,
    /// Counters of each second, until stopped; with --json one document a line.
    #[arg(long)]
    pub(crate) watch: bool,
    /// Every column, and with a name the internal counters too.
    #[arg(long, conflicts_with = "watch")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct HistogramOptions {
    /// Name of the disk.
    pub(crate) name: String,
    /// Only this one.
    #[arg(long, value_enum)]
    pub(crate) what: Option<HistogramProperty>,
    /// Only of reads.
    #[arg(long, conflicts_with = "write")]
    pub(crate) read: bool,
    /// Only of writes.
    #[arg(long)]
    pub(crate) write: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct CurveOptions {
    /// Name of the disk.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryOptions {
    /// Name of the disk.
    pub(crate) name: String,
    /// Span of the history, ending now. Default: 1d.
    #[arg(long, value_name = "SPAN", value_parser = named(Span::names(), Span::parse))]
    pub(crate) span: Option<Span>,
    /// Every step with all recorded values, for a spreadsheet: comma-separated values, times in UTC.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Property of requests that a histogram counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HistogramProperty {
    /// Bytes of a request.
    Size,
    /// Microseconds that a request took.
    Latency,
    /// Sectors from the end of a request to the start of the next one; 1 if that follows on.
    Seek,
    /// Requests in flight when one arrives, itself included.
    Outstanding,
    /// Microseconds from one request to the next.
    Interarrival,
}

impl HistogramProperty {
    /// All properties, in the order in which they are shown.
    pub(crate) const ALL: [Self; 5] =
        [Self::Size, Self::Latency, Self::Seek, Self::Outstanding, Self::Interarrival];

    /// Returns the name in documents.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Latency => "latency",
            Self::Seek => "seek",
            Self::Outstanding => "outstanding",
            Self::Interarrival => "interarrival",
        }
    }

    /// Returns the title for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Size => "Size of requests",
            Self::Latency => "Latency",
            Self::Seek => "Distance from the request before",
            Self::Outstanding => "Requests at once",
            Self::Interarrival => "Time since the request before",
        }
    }
}

/// Returns a parser of the values that have these names, each with a sentence for the help.
fn named<T: Clone + Send + Sync + 'static>(
    names: impl Iterator<Item = (&'static str, &'static str)>,
    parse: fn(&str) -> Result<T>,
) -> impl TypedValueParser<Value = T> {
    let values = names.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(move |name| parse(&name))
}
