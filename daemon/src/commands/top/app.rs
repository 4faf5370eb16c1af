//! State of the live screen between two drawings: the last poll, the order of lines, the selected disk.

use serde_json::Value;

use super::model::{DiskRow, HostSummary, RateHistory, Sample, SortColumn, host, rows, sort};
use crate::output::list;

/// View that the screen shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum View {
    #[default]
    List,
    /// One disk, by its name.
    Detail(String),
}

/// The newest event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LastEvent {
    pub(super) id: u64,
    pub(super) time: String,
    pub(super) level: String,
    pub(super) message: String,
}

impl LastEvent {
    /// Returns the last one of `/v1/events`.
    pub(super) fn from_document(document: &Value) -> Option<Self> {
        let event = list(&document["events"]).last()?;
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        Some(Self {
            id: event["id"].as_u64()?,
            time: text("time"),
            level: text("level"),
            message: text("message"),
        })
    }
}

/// The application.
#[derive(Default)]
pub(super) struct App {
    pub(super) view: View,
    pub(super) helps: bool,
    pub(super) rows: Vec<DiskRow>,
    pub(super) host: HostSummary,
    pub(super) past: RateHistory,
    pub(super) event: Option<LastEvent>,
    /// Reason for which the daemon does not answer.
    pub(super) away: Option<String>,
    pub(super) column: SortColumn,
    /// Histograms of the disk whose details are shown, if the daemon has any: `histograms` of its document.
    pub(super) histograms: Option<Value>,
    /// Page of histograms that is shown.
    pub(super) page: usize,
    is_reversed: bool,
    chosen: Option<String>,
    last: Option<Sample>,
}

impl App {
    /// Updates the state from an answer of the daemon.
    pub(super) fn take(&mut self, sample: Sample) {
        self.away = None;
        self.rows = rows(self.last.as_ref(), &sample);
        self.host = host(&sample, &self.rows);
        self.past.take(&self.rows);
        self.last = Some(sample);
        sort(&mut self.rows, self.column, self.is_reversed);
        if let View::Detail(name) = &self.view
            && self.rows.iter().all(|row| row.name != *name)
        {
            self.view = View::List;
        }
    }

    /// Records that the daemon does not answer. Its last answer stays, without rates over the gap.
    pub(super) fn lose(&mut self, reason: String) {
        self.away = Some(reason);
        self.last = None;
    }

    /// Returns the index of the selected line.
    pub(super) fn selected(&self) -> Option<usize> {
        let chosen = self.chosen.as_ref();
        let found = chosen.and_then(|name| self.rows.iter().position(|row| row.name == *name));
        found.or((!self.rows.is_empty()).then_some(0))
    }

    /// Returns the selected disk.
    pub(super) fn chosen(&self) -> Option<&DiskRow> {
        self.rows.get(self.selected()?)
    }

    /// Moves the selection this many lines down. Details follow.
    pub(super) fn choose(&mut self, lines: isize) {
        let Some(at) = self.selected() else { return };
        let at = at.saturating_add_signed(lines).min(self.rows.len() - 1);
        let name = self.rows[at].name.clone();
        if matches!(self.view, View::Detail(_)) {
            self.show(name.clone());
        }
        self.chosen = Some(name);
    }

    /// Shows the details of the selected disk.
    pub(super) fn open(&mut self) {
        if let Some(name) = self.chosen().map(|row| row.name.clone()) {
            self.chosen = Some(name.clone());
            self.show(name);
        }
    }

    fn show(&mut self, name: String) {
        self.histograms = None;
        self.view = View::Detail(name);
    }

    /// Shows the next histograms.
    pub(super) fn turn_page(&mut self) {
        self.page = self.page.wrapping_add(1);
    }

    pub(super) fn sort_by(&mut self, column: SortColumn) {
        // The selected disk stays selected, wherever its line goes.
        self.chosen = self.chosen().map(|row| row.name.clone());
        self.column = column;
        self.is_reversed = false;
        sort(&mut self.rows, self.column, self.is_reversed);
    }

    pub(super) fn reverse(&mut self) {
        self.chosen = self.chosen().map(|row| row.name.clone());
        self.is_reversed = !self.is_reversed;
        sort(&mut self.rows, self.column, self.is_reversed);
    }
}
