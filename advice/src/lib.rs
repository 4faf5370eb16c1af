//! Advice on the configuration of a disk: size, RAM, blocks and mode, with reasons, from numbers alone.
//!
//! ```text
//!   curves ───────┐
//!   requests ─────┤    judge, plan: a size    (a trace is simulated at that size)    advise: all of it, in figures and sentences
//!   latencies ────┼──> ──────────────────> ─────────────────────────────────────> ─────────────────────────────────────────────
//!   disk, pool ───┘
//! ```
//! Pure: a served disk (`control/advice.rs`) and a trace (`commands/advise`) provide the same facts. An unknown fact is none and stays
//! none: every figure follows from an input, or is marked as assumed. The curves are those of an LRU cache; the served policy does a little
//! better or worse.
//!
//! It changes nothing. The changes that it advises are [`Advice::keys`], in the form of `disk set`: code that applies them by itself would
//! begin there.

mod answer;
mod blocks;
pub mod division;
mod expected;
mod mode;
mod sizes;
#[cfg(test)]
mod tests;
mod warnings;
mod words;

use cache::{Curves, Mode};

pub use answer::{Advice, Basis, Source};
use answer::{Seen, Sentence, Verdict};
use mode::CacheVerdict;
pub use sizes::Plan;
use words::{points, size, span};

use base::units::ratio;
use base::units::{float, percent, whole};

api::documents! {
    /// Advice for disks, or for the disk on which a trace was recorded.
    AdviceDocument { advice: Vec<Advice> }
}

/// Reads below which a curve is chance: with as many, a ratio is moved by a few hundredths (as `forebay curve` states too).
pub const READS_NEEDED: u64 = 10_000;

/// Subjects of sentences, in order.
const ORDER: [&str; 9] =
    ["verdict", "wanted", "size", "ram", "block-size", "mode", "write-back", "latency", "wear"];

/// Input of an advice. An unknown value is none.
#[derive(Clone, Copy, Debug)]
pub struct AdviceInput<'a> {
    /// Kind of the subject: a served disk or a trace.
    pub source: Source,
    /// Name of the disk, or of the file of a trace.
    pub name: &'a str,
    /// Miss-ratio curves of its reads and writes.
    pub curves: &'a Curves,
    /// Requests that the advice is based on.
    pub asked: RequestCounts,
    /// Mean latencies.
    pub latencies: Latencies,
    /// Present configuration of the disk; none of a trace.
    pub present: Option<CurrentSettings>,
    /// Flash of this host; none of a trace, or if it is missing.
    pub pool: Option<FlashPool>,
    /// Results of simulation at the planned size, for different blocks; none of a disk.
    pub simulated: &'a [SimulatedHits],
    /// Reason why a trace was not simulated, if so.
    pub unsimulated: Option<&'a str>,
    /// Size of the disk in bytes; of a trace, the end of its last request.
    pub disk_bytes: u64,
    /// Hit ratio that the user wants.
    pub wanted: Option<f64>,
}

/// Recent requests of guests, or all requests of a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestCounts {
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// True if it is known which of them write.
    pub has_directions: bool,
    /// Reads of long sequential runs: of a disk, those that bypassed the cache; of a trace, requests of either direction that begin where a
    /// recent one ended. Not known in pass-through.
    pub sequential: Option<u64>,
    /// Reads that were full hits.
    pub hits: Option<u64>,
    /// Reads of which a part was cached.
    pub partial_hits: u64,
    /// Time in which the requests were made.
    pub seconds: Option<u64>,
    /// Bytes written to flash in that time; none of a trace.
    pub flash_write_bytes: Option<u64>,
}

/// Mean latencies of requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latencies {
    /// Reads that RAM answers.
    pub ram: Option<LatencyEstimate>,
    /// Reads that flash answers.
    pub flash: Option<LatencyEstimate>,
    /// Reads that the backing answers.
    pub miss: Option<LatencyEstimate>,
    /// Writes.
    pub write: Option<LatencyEstimate>,
}

/// Mean latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyEstimate {
    /// Microseconds.
    pub us: f64,
    /// Origin of the number.
    pub basis: Basis,
    /// Number of requests in the mean; 0 if it is assumed.
    pub count: u64,
}

/// Present configuration of a disk. Sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct CurrentSettings {
    /// Its cache mode.
    pub mode: Mode,
    /// True if guests can only read.
    pub is_read_only: bool,
    /// Maximum that it may have, flash and RAM.
    pub cache_bytes: u64,
    /// Content that it has.
    pub held_bytes: u64,
    /// Part of the maximum that is RAM.
    pub ram_bytes: u64,
    /// True if the pool divides RAM among its disks, and this one takes part.
    pub has_divided_ram: bool,
    /// True if the user set a limit, false if it may take the whole pool.
    pub has_limit: bool,
    /// Flash that other disks cannot take.
    pub reserve_bytes: u64,
    /// The unit of its index.
    pub block_bytes: u64,
    /// Dirty limit.
    pub dirty_limit_bytes: u64,
    /// Content on flash.
    pub flash_content_bytes: u64,
    /// RAM of the index.
    pub index_bytes: u64,
}

/// Flash of a host. Sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct FlashPool {
    /// All devices together.
    pub size_bytes: u64,
    /// Flash that disks can use together.
    pub usable_bytes: u64,
    /// Minimum for a disk.
    pub least_bytes: u64,
    /// True if two devices can hold two copies.
    pub can_mirror: bool,
}

/// Results of the served policy on a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedHits {
    /// Block size of the simulation.
    pub block_bytes: u64,
    /// Read requests.
    pub reads: u64,
    /// Full hits that RAM alone answered.
    pub ram_hits: u64,
    /// Full hits that needed flash.
    pub flash_hits: u64,
    /// Reads with a cached part: they count as misses.
    pub partial_hits: u64,
    /// Reads of long sequential runs, which bypassed the cache.
    pub bypassed: u64,
    /// Bytes written to flash.
    pub flash_write_bytes: u64,
    /// RAM of the index.
    pub index_bytes: u64,
}

impl AdviceInput<'_> {
    /// Returns the results of the blocks with the most hits.
    fn best_simulated(&self) -> Option<&SimulatedHits> {
        self.simulated.iter().max_by(|one, other| one.hit_ratio().total_cmp(&other.hit_ratio()))
    }
}

impl SimulatedHits {
    fn hit_ratio(&self) -> f64 {
        ratio(self.ram_hits + self.flash_hits, self.reads).unwrap_or(0.0)
    }
}

impl LatencyEstimate {
    /// A copy of 4 KiB and the cache's own work. This and the next two are usual values where nothing was measured.
    pub const RAM: Self = Self::assumed(5.0);
    /// A read of 4 KiB that an `NVMe` drive answers.
    pub const FLASH: Self = Self::assumed(120.0);
    /// A random read of 4 KiB that a 7,200 rpm drive answers (`hdd-7k2` of docs/dev/model.md).
    pub const MISS: Self = Self::assumed(12_400.0);

    const fn assumed(us: f64) -> Self {
        Self { us, basis: Basis::Assumed, count: 0 }
    }

    /// Creates a latency that the user gives.
    pub fn given(us: f64) -> Self {
        Self { us, basis: Basis::Said, count: 0 }
    }
}

impl RequestCounts {
    fn all(&self) -> u64 {
        self.reads + self.writes
    }

    /// Returns the number of requests that the sequential ones are a part of.
    fn of_sequential(&self, source: Source) -> u64 {
        if source == Source::Disk { self.reads } else { self.all() }
    }
}

/// Returns the advice for a disk that is not served, and of which nothing is known.
pub fn of_unserved(name: &str, reason: &str) -> Advice {
    let text = format!("It is not served, so nothing is known of it: {reason}");
    Advice::nothing(Source::Disk, name, Verdict::NotServed, text)
}

/// Conclusions from the curve alone, computed once: whether a cache can help, and its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    judged: CacheVerdict,
    plan: Plan,
}

impl Outline {
    /// Judges the curve, and plans a size.
    pub fn from_input(known: &AdviceInput<'_>) -> Self {
        let plan = Plan::from_input(known);
        Self { judged: mode::judge(known, &plan), plan }
    }

    /// Returns the plan with which to simulate a trace; none if no sizes will be advised.
    pub fn simulated_at(&self) -> Option<&Plan> {
        (self.judged == CacheVerdict::CanHelp).then_some(&self.plan)
    }
}

/// Returns the advice.
pub fn advise(known: &AdviceInput<'_>) -> Advice {
    advise_on(known, &Outline::from_input(known))
}

/// Returns the advice for a subject with a known outline: a trace that was simulated meanwhile.
pub fn advise_on(known: &AdviceInput<'_>, outline: &Outline) -> Advice {
    let plan = &outline.plan;
    let judged = mode::judge_as_served(known, plan, outline.judged);
    let nothing = |verdict, text| Advice::nothing(known.source, known.name, verdict, text);
    let mut advice = match judged {
        CacheVerdict::TooLittleSeen => nothing(Verdict::TooLittleSeen, too_little(known)),
        CacheVerdict::CannotHelp(reason) => nothing(Verdict::CannotHelp, cannot_help(known, plan, reason)),
        CacheVerdict::CanHelp => can_help(known, plan),
    };
    advice.seen = Some(seen(known));
    if judged != CacheVerdict::TooLittleSeen {
        if let Some(text) = sizes::sentence_of_wanted(known, plan, simulated(known, &advice)) {
            advice.add_sentence("wanted", text);
        }
        mode::add(known, judged, plan, &mut advice);
        expected::add(known, judged, &mut advice);
        expected::add_wear(known, judged, &mut advice);
    }
    warnings::add(known, judged, plan, &mut advice);
    advice.put_together(known);
    advice
}

fn seen(known: &AdviceInput<'_>) -> Seen {
    let RequestCounts { reads, writes, has_directions, sequential, seconds, .. } = known.asked;
    Seen {
        reads: whole(known.curves.reads.uses()),
        reads_needed: READS_NEEDED,
        written_pages: whole(known.curves.writes.uses()),
        working_set_bytes: known.curves.working_set_bytes,
        read_share: ratio(reads, reads + writes).filter(|_| has_directions),
        sequential_share: ratio(sequential.unwrap_or(0), known.asked.of_sequential(known.source))
            .filter(|_| sequential.is_some()),
        reads_of_written: known.curves.reads_of_written.filter(|_| has_directions && !goes_around(known)),
        seconds,
    }
}

/// Writes that bypass the cache are not counted as used.
fn goes_around(known: &AdviceInput<'_>) -> bool {
    known.present.is_some_and(|present| present.mode == Mode::WriteAround)
}

fn too_little(known: &AdviceInput<'_>) -> String {
    let reads = whole(known.curves.reads.uses());
    let missing = READS_NEEDED.saturating_sub(reads);
    let mut text = format!(
        "Too little was observed to give advice: {reads} reads, and {READS_NEEDED} are needed, {missing} more."
    );
    if known.source == Source::Trace {
        text.push_str(" Take a longer trace.");
        return text;
    }
    let rate = known.asked.seconds.filter(|_| reads > 0).map(|seconds| float(seconds) / float(reads));
    match rate {
        Some(rate) if known.asked.seconds.is_some_and(|seconds| seconds >= 60) => {
            text.extend([format!(" At the present rate that takes {}.", span(whole(rate * float(missing))))]);
        }
        _ => text.push_str(" Let its guest work for some hours, in any mode, and ask again."),
    }
    text
}

fn cannot_help(known: &AdviceInput<'_>, plan: &Plan, reason: mode::Reason) -> String {
    let all = known.asked.all();
    let mut text = match reason {
        mode::Reason::HardlyRead => {
            let lately = known.asked.seconds.filter(|_| known.source == Source::Disk);
            let lately = lately.map_or_else(String::new, |seconds| format!(" of the last {}", span(seconds)));
            format!(
                "A cache cannot help its reads: {} of its {all} requests{lately} are reads.",
                percent(ratio(known.asked.reads, all).unwrap_or(0.0))
            )
        }
        mode::Reason::ReadOnce => format!(
            "A cache cannot help: at any size at most {} of reads would be hits, as what is read is hardly ever read again.",
            percent(known.curves.reads.hit_ratio_max().unwrap_or(0.0))
        ),
        mode::Reason::SpreadThin => format!(
            "A cache can hardly help: with all {} in use cached, {} of reads would be hits, spread so thinly that {}.",
            size(known.curves.working_set_bytes),
            percent(known.curves.reads.hit_ratio_max().unwrap_or(0.0)),
            thinly(known, plan)
        ),
        mode::Reason::NotAsServed => not_as_served(known, plan),
        mode::Reason::NoFaster => expected::sentence_of_no_faster(known, plan),
        mode::Reason::WearsFlash => expected::sentence_of_wear_without_gain(known, plan),
    };
    if let Some(sequential) = warnings::mostly_sequential(known) {
        text.push(' ');
        text.push_str(&sequential);
    }
    text
}

/// Returns the sentence for a cache that helps by the curve and not in simulation.
fn not_as_served(known: &AdviceInput<'_>, plan: &Plan) -> String {
    let (hits, more) = known.best_simulated().map_or((0.0, String::new()), |best| {
        (best.hit_ratio(), sizes::NoFullHits::from_simulation(best).to_string())
    });
    format!(
        "A cache cannot help as disks are served: one of {} that takes in everything would have {} of reads, what it has in part counted \
         in part, and what serves disks, simulated with that, has {} full hits{more}.",
        size(plan.cache_bytes()),
        percent(known.curves.reads.hit_ratio(plan.cache_bytes()).unwrap_or(0.0)),
        percent(hits)
    )
}

fn thinly(known: &AdviceInput<'_>, plan: &Plan) -> String {
    let reads = &known.curves.reads;
    let Some((knee, hits)) = plan.knee.and_then(|knee| Some((knee, reads.hit_ratio(knee)?))) else {
        return format!("no tenth of it brings {}", points(sizes::WORTH));
    };
    let (knee, hits) = (size(knee), percent(hits));
    format!("beyond {knee}, which has {hits}, no tenth of it brings {}", points(sizes::WORTH))
}

fn can_help(known: &AdviceInput<'_>, plan: &Plan) -> Advice {
    let mut advice = Advice::nothing(known.source, known.name, Verdict::CanHelp, String::new());
    advice.size = Some(plan.document(known));
    blocks::add(known, plan, &mut advice);
    let simulated = simulated(known, &advice);
    let predicted = known.curves.reads.hit_ratio(plan.cache_bytes());
    let hits = simulated.map(SimulatedHits::hit_ratio).or(predicted).unwrap_or(0.0);
    advice.sentences[0].text = format!(
        "A cache helps: with {}, {} of reads would be hits.",
        size(plan.cache_bytes()),
        percent(hits)
    );
    advice.add_sentence("size", sizes::sentence(known, plan, simulated));
    advice.add_sentence("ram", sizes::sentence_of_ram(known, plan));
    for (key, value) in plan.keys(known) {
        advice.set(key, value);
    }
    advice
}

/// Returns the simulation of the advised blocks.
fn simulated<'a>(known: &'a AdviceInput<'_>, advice: &Advice) -> Option<&'a SimulatedHits> {
    let advised = advice.blocks.as_ref().map(|blocks| blocks.advised_bytes);
    known.simulated.iter().find(|simulated| Some(simulated.block_bytes) == advised)
}

impl Advice {
    /// Returns an advice with a verdict and a sentence only.
    fn nothing(source: Source, name: &str, verdict: Verdict, text: String) -> Self {
        Self {
            source,
            name: name.to_owned(),
            verdict,
            seen: None,
            size: None,
            blocks: None,
            mode: None,
            latency: None,
            wear: None,
            warnings: Vec::new(),
            sentences: vec![Sentence { about: "verdict", text }],
            keys: std::collections::BTreeMap::new(),
            command: None,
        }
    }

    fn add_sentence(&mut self, about: &'static str, text: String) {
        self.sentences.push(Sentence { about, text });
    }

    fn set(&mut self, key: &'static str, value: String) {
        self.keys.insert(key, value);
    }

    /// Sorts the sentences into reading order, and writes the command that sets the keys.
    fn put_together(&mut self, known: &AdviceInput<'_>) {
        self.sentences.sort_by_key(|sentence| ORDER.iter().position(|about| *about == sentence.about));
        // The refusal of a request is read first.
        let is_refused =
            known.wanted.is_some() && self.size.as_ref().is_none_or(|size| size.wanted_bytes.is_none());
        let wanted = self.sentences.iter().position(|sentence| sentence.about == "wanted");
        if let Some(at) = wanted.filter(|_| is_refused) {
            self.sentences[..=at].rotate_right(1);
        }
        if self.keys.is_empty() {
            return;
        }
        // A trace does not have the name of the disk.
        let name = if known.source == Source::Disk { known.name } else { "NAME" };
        let keys: Vec<String> = self.keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
        self.command = Some(format!("forebay disk set {name} {}", keys.join(" ")));
    }
}
