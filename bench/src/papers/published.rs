//! Published figures of the five documents, each with ours from the lines of an experiment, and the bound that decides.

use serde_json::Value;

/// Lines of all experiments.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a>(pub(super) &'a [Value]);

impl<'a> Lines<'a> {
    /// Returns the lines of an experiment with this case.
    pub(super) fn of(self, experiment: &'a str, case: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |line| line["experiment"] == experiment && line["case"] == case)
    }

    /// Returns a figure of the last of these lines.
    fn figure(self, experiment: &'a str, case: &'a str, key: &'a str) -> Option<f64> {
        self.of(experiment, case).last().and_then(|line| line[key].as_f64())
    }

    /// Returns a figure of the last line that also has this text.
    fn figure_with(self, experiment: &'a str, case: &'a str, with: &(&str, Value), key: &str) -> Option<f64> {
        self.of(experiment, case)
            .filter(|line| line[with.0] == with.1)
            .last()
            .and_then(|line| line[key].as_f64())
    }

    /// Returns the most tiles that an array held with all limits kept.
    fn tiles_held(self, case: &'a str) -> Option<f64> {
        let mut lines = self.of("tiles", case).peekable();
        lines.peek()?;
        let held = lines.filter(|line| line["quality"] == true).filter_map(|line| line["tiles"].as_f64());
        Some(held.fold(0.0, f64::max))
    }

    /// Returns how busy the spindles of an array are, in hundredths, when its guests reach their limits: in the middle between the most tiles
    /// that it holds alone and one more.
    fn busy_limit(self, case: &'a str) -> Option<f64> {
        let held = self.tiles_held(case)?;
        let busy = |tiles: f64| {
            let mut lines = self.of("tiles", case);
            lines.find(|line| line["tiles"].as_f64() == Some(tiles))?["busy_percent"].as_f64()
        };
        Some(f64::midpoint(busy(held)?, busy(held + 1.0)?))
    }

    /// Returns the tiles at which the prediction for an array with a cache reaches the limit of the array alone.
    fn tiles_predicted(self, case: &'a str) -> Option<f64> {
        let limit = self.busy_limit(case.split_once(", ")?.0)?;
        let line = self.of("knee", case).last()?;
        let mut before = 0.0;
        for (at, busy) in list(line, "predicted_busy_percent").into_iter().enumerate() {
            if busy >= limit {
                return Some(at as f64 + (limit - before) / (busy - before));
            }
            before = busy;
        }
        None
    }
}

/// Figures that make a verdict good.
#[derive(Clone, Copy)]
pub(super) enum FigureBound {
    AtLeast(f64),
    AtMost(f64),
    Between(f64, f64),
}

/// Our side of a row.
pub(super) enum Ours {
    /// Figure, its unit and decimals, and the bound.
    Measured { figure: fn(Lines<'_>) -> Option<f64>, unit: &'static str, decimals: usize, bound: FigureBound },
    /// Not had: one word for the column of the verdict.
    Absent(&'static str),
}

/// Row of the page.
pub(super) struct PublishedRow {
    /// Experiment; the heading of the row's table.
    pub(super) experiment: &'static str,
    pub(super) published: &'static str,
    pub(super) ours: Ours,
    /// Reason of the figure, or of its absence.
    pub(super) why: &'static str,
}

impl FigureBound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(least) => figure >= least,
            Self::AtMost(most) => figure <= most,
            Self::Between(least, most) => (least..=most).contains(&figure),
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtLeast(least) => format!("at least {least}"),
            Self::AtMost(most) => format!("at most {most}"),
            Self::Between(least, most) => format!("{least} to {most}"),
        }
    }
}

impl PublishedRow {
    /// Returns our figure; none if it was not measured.
    pub(super) fn figure(&self, lines: Lines<'_>) -> Option<f64> {
        match &self.ours {
            Ours::Absent(_) => None,
            Ours::Measured { figure, .. } => figure(lines),
        }
    }

    /// Returns our figure as text, and the verdict.
    pub(super) fn judged(&self, lines: Lines<'_>) -> [String; 2] {
        match &self.ours {
            Ours::Absent(verdict) => ["-".to_owned(), (*verdict).to_owned()],
            Ours::Measured { figure, unit, decimals, bound } => match figure(lines) {
                None => ["-".to_owned(), "not run".to_owned()],
                Some(figure) => {
                    let verdict = if bound.holds(figure) { "met" } else { "short" };
                    [format!("{figure:.decimals$}{unit}"), format!("{verdict} ({})", bound.text())]
                }
            },
        }
    }
}

pub(super) const fn row(
    experiment: &'static str,
    published: &'static str,
    figure: fn(Lines<'_>) -> Option<f64>,
    (unit, decimals): (&'static str, usize),
    bound: FigureBound,
    why: &'static str,
) -> PublishedRow {
    PublishedRow { experiment, published, ours: Ours::Measured { figure, unit, decimals, bound }, why }
}

const fn absent(
    experiment: &'static str,
    published: &'static str,
    verdict: &'static str,
    why: &'static str,
) -> PublishedRow {
    PublishedRow { experiment, published, ours: Ours::Absent(verdict), why }
}

pub(super) const TIMES: (&str, usize) = ("x", 2);
const PERCENT: (&str, usize) = (" %", 1);
const NOT_YET: &str = "not had here yet";

/// Returns ours divided by that of another case.
fn ratio(
    lines: Lines<'_>,
    experiment: &'static str,
    [ours, theirs]: [&'static str; 2],
    key: &'static str,
) -> Option<f64> {
    Some(lines.figure(experiment, ours, key)? / lines.figure(experiment, theirs, key)?)
}

/// Returns ours divided by that without a cache, for one kind of transaction.
fn of_kind(lines: Lines<'_>, kind: &str, key: &str) -> Option<f64> {
    let figure = |case| lines.figure_with("decision", case, &("kind", kind.into()), key);
    Some(figure("cached")? / figure("none")?)
}

/// Returns the gains of all kinds of transactions, in hundredths.
fn gains_of_kinds(lines: Lines<'_>) -> Vec<f64> {
    let kinds = lines.of("decision", "cached").filter_map(|line| line["kind"].as_str());
    kinds
        .filter(|kind| *kind != "all")
        .filter_map(|kind| Some(100.0 * (of_kind(lines, kind, "per_minute")? - 1.0)))
        .collect()
}

/// Returns the mean latency without a cache, divided by that with blocks of so many KiB.
fn replay_gain(lines: Lines<'_>, server: &'static str, block_kib: u64) -> Option<f64> {
    let mean = |block: u64| lines.figure_with("replay", server, &("block_kib", block.into()), "mean_ms");
    Some(mean(0)? / mean(block_kib)?)
}

/// Returns the least or largest of some figures; none for none.
pub(super) fn least(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    figures.into_iter().reduce(f64::min)
}

pub(super) fn largest(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    figures.into_iter().reduce(f64::max)
}

/// Returns an entry of a list in the last line of a case.
fn entry(lines: Lines<'_>, case: &'static str, key: &str, at: usize) -> Option<f64> {
    lines.of("nfs", case).last()?[key][at].as_f64()
}

fn list(line: &Value, key: &str) -> Vec<f64> {
    line[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// Returns the ratios of a figure in all loads of the matrix, of two sets of services; none if one is missing.
pub(super) fn matrix_ratios(lines: Lines<'_>, [ours, theirs]: [&str; 2], key: &str) -> Option<Vec<f64>> {
    let cases = ["random read", "random write", "70/30"]
        .into_iter()
        .flat_map(|load| ["small", "large"].map(|set| format!("{load}, {set}")));
    cases
        .map(|case| {
            let figure = |services: &str| {
                let case = format!("{case}, {services}");
                let is_case = |line: &&Value| line["experiment"] == "matrix" && line["case"] == case.as_str();
                lines.0.iter().find(is_case).and_then(|line| line[key].as_f64())
            };
            Some(figure(ours)? / figure(theirs)?)
        })
        .collect()
}

/// Returns all rows, in the order of the page.
pub(super) fn rows() -> impl Iterator<Item = &'static PublishedRow> {
    ROWS.iter().chain(super::volumes::ROWS)
}

const ROWS: &[PublishedRow] = &[
    row(
        "calibration",
        "baseline without a cache: 576 to 608 IOPS",
        |lines| lines.figure("calibration", "baseline", "iops"),
        (" IOPS", 0),
        FigureBound::Between(576.0, 608.0),
        "four spindles of the model at depth 32, the layout whose rate is nearest; not tuned further. Nothing of a cache: a profile with a seek shorter by 3 % would mend it",
    ),
    row(
        "calibration",
        "first pass with a cold cache: 268 IOPS, less than half of the baseline; goal: at least 0.95 of it",
        |lines| ratio(lines, "calibration", ["cold", "baseline"], "iops"),
        TIMES,
        FigureBound::AtLeast(0.95),
        "misses are answered from the array before flash is written, so filling takes nothing from them",
    ),
    row(
        "calibration",
        "29 % hits in the first pass",
        |lines| lines.figure("calibration", "cold", "hit_percent"),
        PERCENT,
        FigureBound::AtLeast(27.0),
        "the length of the pass was chosen so that 29 % of the accesses are repetitions; none of them may be lost",
    ),
    row(
        "calibration",
        "a gain in the second pass",
        |lines| ratio(lines, "calibration", ["second", "baseline"], "iops"),
        TIMES,
        FigureBound::AtLeast(1.2),
        "hits cost the array nothing",
    ),
    row(
        "calibration",
        "a gain in the third pass",
        |lines| ratio(lines, "calibration", ["third", "baseline"], "iops"),
        TIMES,
        FigureBound::AtLeast(1.2),
        "random accesses to more than the cache holds: the share that it holds is the limit",
    ),
    row(
        "decision",
        "twice the throughput",
        |lines| of_kind(lines, "all", "per_minute"),
        TIMES,
        FigureBound::AtLeast(2.0),
        "hits among the blocks of a scan leave the spindles to the others",
    ),
    row(
        "decision",
        "half the response time",
        |lines| of_kind(lines, "all", "mean_ms"),
        TIMES,
        FigureBound::AtMost(0.5),
        "as before",
    ),
    row(
        "decision",
        "89 % hits",
        |lines| lines.figure_with("decision", "cached", &("kind", "all".into()), "hit_percent"),
        PERCENT,
        FigureBound::AtLeast(89.0),
        "the skew of the data decides; it is not published, and 1.0 is a choice. Mended by a steeper skew or a larger cache, not by code: all of the cache is full",
    ),
    row(
        "decision",
        "transactions of each kind +47 % or more",
        |lines| least(gains_of_kinds(lines)),
        PERCENT,
        FigureBound::AtLeast(47.0),
        "the least gain among six kinds, from long scans to single lookups",
    ),
    row(
        "decision",
        "transactions of one kind up to +145 %",
        |lines| largest(gains_of_kinds(lines)),
        PERCENT,
        FigureBound::AtLeast(145.0),
        "the largest gain among six kinds",
    ),
    row(
        "store",
        "hardly any gain with a cache of 10 of 15 units",
        |lines| ratio(lines, "store", ["cache 10", "cache 0"], "orders_per_minute"),
        TIMES,
        FigureBound::AtLeast(1.0),
        "random over all data: the share of it that is cached saves reads, and writes take most of the array",
    ),
    row(
        "store",
        "+39 % orders a minute with a cache of 15 units",
        |lines| ratio(lines, "store", ["cache 15", "cache 0"], "orders_per_minute"),
        TIMES,
        FigureBound::AtLeast(1.39),
        "all reads are hits; in write-through four operations of RAID-5 remain for each write. The bound of the model is 1.375 (2.2 operations a request to 1.6), mended by write-back, which goes beyond",
    ),
    row(
        "replay",
        "mean latency of the monitoring server 2 to 3 times better",
        |lines| replay_gain(lines, "monitoring", 4),
        TIMES,
        FigureBound::AtLeast(2.0),
        "95 % reads of skewed data; the rate, a choice, is one that the array alone keeps up with",
    ),
    row(
        "replay",
        "mean latency of the proxy server 2 to 3 times better",
        |lines| replay_gain(lines, "proxy", 4),
        TIMES,
        FigureBound::AtLeast(2.0),
        "a third are writes, which write-through makes no faster. Mended by write-back",
    ),
    row(
        "replay",
        "latency by block size, 4 KiB the best: ours at 1 MiB beside 4 KiB",
        |lines| {
            let gain = |server| Some(replay_gain(lines, server, 4)? / replay_gain(lines, server, 1024)?);
            largest([gain("monitoring")?, gain("proxy")?])
        },
        TIMES,
        FigureBound::AtMost(1.1),
        "the published cache fills whole blocks; ours keeps single pages within a block, so that the cost of large ones is eviction alone",
    ),
    row(
        "replay",
        "RAM by block size: ours at 1 MiB beside 4 KiB",
        |lines| {
            let bytes = |block: u64| {
                lines.figure_with("replay", "monitoring", &("block_kib", block.into()), "index_bytes")
            };
            Some(bytes(1024)? / bytes(4)?)
        },
        TIMES,
        FigureBound::AtMost(1.0),
        "bytes of the index by its own count",
    ),
    absent(
        "replay",
        "replay of the published traces",
        NOT_YET,
        "the traces are not part of this repository; `forebay trace replay` takes them",
    ),
    row(
        "neighbour",
        "a disk that reads gains hits",
        |lines| ratio(lines, "neighbour", ["none, reader", "cached, reader"], "mean_ms"),
        TIMES,
        FigureBound::AtLeast(1.2),
        "mean latency at a steady rate of reads",
    ),
    row(
        "neighbour",
        "the other gains because the array is relieved",
        |lines| ratio(lines, "neighbour", ["cached, writer", "none, writer"], "iops"),
        TIMES,
        FigureBound::AtLeast(1.2),
        "requests a second of the guest that mostly writes: the spindles do not see the other one's hits",
    ),
    absent(
        "nfs",
        "before: 27 % of requests below 0.25 ms",
        NOT_YET,
        "the array had a cache of its own; the model has none, so that no request of it is that fast",
    ),
    row(
        "nfs",
        "after: 99.89 % of requests below 0.25 ms",
        |lines| entry(lines, "cached", "within_percent", 0),
        (" %", 2),
        FigureBound::AtLeast(99.89),
        "writes in the log of two SSDs, each with its flush, and read misses; the door alone takes 0.063 ms. For writes, mended by SSDs whose flush costs nothing (power-loss protection) and several writes a flush; read misses need more flash",
    ),
    row(
        "nfs",
        "before: a tail of seconds",
        |lines| lines.figure("nfs", "alone", "max_ms"),
        (" ms", 0),
        FigureBound::AtLeast(1000.0),
        "bursts beyond the rate of the array",
    ),
    row(
        "nfs",
        "after: the tail below 100 ms",
        |lines| entry(lines, "cached", "within_percent", 4),
        (" % within", 3),
        FigureBound::AtLeast(100.0),
        "read misses wait behind destage and backups on the spindles",
    ),
    row(
        "nfs",
        "hit ratio of each disk over days: the worst on the last day",
        |lines| least(list(lines.of("nfs", "cached").last()?, "hit_percent_of_disks")),
        PERCENT,
        FigureBound::AtLeast(80.0),
        "reads of backups count as misses here, as they should be kept out of the cache. Mended by hits counted without the backups; a cache of more than 1/5 of the data",
    ),
    row(
        "nfs",
        "dirty data of each disk: the most on any evening",
        |lines| largest(lines.of("nfs", "cached").flat_map(|line| list(line, "dirty_mib_of_disks"))),
        (" MiB", 1),
        FigureBound::AtMost(32.0),
        "bounded by an eighth of the flash reserved for a disk, as dirty data has two copies",
    ),
    row(
        "nfs",
        "8.4 TB written to flash a day, reckoned",
        |lines| lines.figure("nfs", "cached", "flash_tb_a_day"),
        (" TB", 2),
        FigureBound::AtMost(8.4),
        "both SSDs together, second copies included, at the published rate of requests",
    ),
    row(
        "nfs",
        "life of the drives: days of 8.4 TB for ours of one day",
        |lines| Some(8.4 / lines.figure("nfs", "cached", "flash_tb_a_day")?),
        TIMES,
        FigureBound::AtLeast(1.0),
        "as before",
    ),
    row(
        "nfs",
        "fewer writes to the array: ours for each of a guest",
        |lines| ratio_of_keys(lines.of("nfs", "cached").last()?, "backing_writes", "guest_writes"),
        TIMES,
        FigureBound::AtMost(0.9),
        "overwrites are destaged once, neighbours together",
    ),
    row(
        "nfs",
        "writes in order: mean seek beside that of the array alone",
        |lines| ratio(lines, "nfs", ["cached", "alone"], "seek_ms"),
        TIMES,
        FigureBound::AtMost(0.9),
        "destage goes in the order of addresses; read misses between them do not. Mended by longer stretches of destage, which need a higher dirty limit",
    ),
    row(
        "tiles",
        "2 tiles on 20 disks without a cache",
        |lines| lines.tiles_held("20 disks"),
        (" tiles", 0),
        FigureBound::Between(2.0, 2.0),
        "the rate of a tile is a choice, made so that this holds",
    ),
    row(
        "tiles",
        "4 tiles on 20 disks with a cache of 8 %",
        |lines| lines.tiles_held("20 disks, 8 %"),
        (" tiles", 0),
        FigureBound::AtLeast(4.0),
        "destage of skewed writes merges most of them",
    ),
    row(
        "tiles",
        "4 tiles on 20 disks with a cache of 33 %",
        |lines| lines.tiles_held("20 disks, 33 %"),
        (" tiles", 0),
        FigureBound::AtLeast(4.0),
        "as before",
    ),
    row(
        "tiles",
        "11 disks with a cache hold more than 20 without",
        |lines| Some(lines.tiles_held("11 disks, 33 %")? - lines.tiles_held("20 disks")?),
        (" tiles more", 0),
        FigureBound::AtLeast(1.0),
        "9 spindles saved",
    ),
    row(
        "tiles",
        "11 disks with a cache hold as much as 20 with it",
        |lines| Some(lines.tiles_held("11 disks, 33 %")? / lines.tiles_held("20 disks, 33 %")?),
        TIMES,
        FigureBound::AtLeast(1.0),
        "fewer spindles have less room for misses and destage: at the knee both are busy with bursts (35 % and 27 % on average). Mended by a dirty limit that takes a whole burst; a quarter of the reservation is the most today",
    ),
    row(
        "tiles",
        "at least 92 % hits with a cache of 8 %: reads and writes at three tiles",
        |lines| lines.figure_with("tiles", "20 disks, 8 %", &("tiles", 3.into()), "all_hit_percent"),
        PERCENT,
        FigureBound::AtLeast(92.0),
        "hot blocks of five guests in each tile; a new write of a page that was evicted is a miss here",
    ),
    row(
        "tiles",
        "hits of flash apart: RAM and flash among reads at three tiles",
        |lines| {
            let percent = |key| lines.figure_with("tiles", "20 disks, 8 %", &("tiles", 3.into()), key);
            Some(percent("ram_hit_percent")? + percent("flash_hit_percent")?)
        },
        PERCENT,
        FigureBound::AtLeast(92.0),
        "the chart has them apart. Mended by flash: with 33 % of the data it is 97 %",
    ),
    row(
        "tiles",
        "the knee at three tiles: tiles on 11 disks with 8 %",
        |lines| lines.tiles_held("11 disks, 8 %"),
        (" tiles", 0),
        FigureBound::AtLeast(3.0),
        "the smallest configuration with a cache",
    ),
    row(
        "knee",
        "the knee predicted from the curve before it is run, within 10 %: the furthest from what was run, of four",
        |lines| {
            let cases = ["20 disks, 8 %", "20 disks, 33 %", "11 disks, 8 %", "11 disks, 33 %"];
            let off =
                |case| Some(100.0 * (lines.tiles_predicted(case)? / lines.tiles_held(case)? - 1.0).abs());
            largest(cases.into_iter().map(off).collect::<Option<Vec<f64>>>()?)
        },
        PERCENT,
        FigureBound::AtMost(10.0),
        "two tiles are run, and their curve is scaled: each of n tiles has an nth of cache and dirty limit. The limit is how busy the array alone is, halfway from its last good load to one more tile. Bursts are not in the model. Mended by a limit from the bursts of the load",
    ),
    row(
        "knee",
        "the same at the published configuration: 11 disks with 8 %",
        |lines| {
            let case = "11 disks, 8 %";
            Some(100.0 * (lines.tiles_predicted(case)? / lines.tiles_held(case)? - 1.0).abs())
        },
        PERCENT,
        FigureBound::AtMost(10.0),
        "as before",
    ),
    row(
        "matrix",
        "services cost little: mirrored beside not mirrored, goal at least 0.9 of the IOPS",
        |lines| least(matrix_ratios(lines, ["checksum, mirrored", "checksum"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "the worst of six loads; two copies are written at once, and halve what may be dirty. Mended by a pool twice as large: a copy takes its room wherever it is",
    ),
    row(
        "matrix",
        "deviation of latency -80 %: random writes to a small set, beside the array alone",
        |lines| {
            ratio(
                lines,
                "matrix",
                ["random write, small, checksum, mirrored", "random write, small, none"],
                "deviation_ms",
            )
        },
        TIMES,
        FigureBound::AtMost(0.2),
        "the dirty limit holds writers at the steady rate of destage",
    ),
    row(
        "matrix",
        "the same, the worst of six loads",
        |lines| largest(matrix_ratios(lines, ["checksum, mirrored", "none"], "deviation_ms")?),
        TIMES,
        FigureBound::AtMost(0.2),
        "hits take a fraction of a millisecond and misses wait for spindles: where many reads miss, the mean falls and the deviation stays. Mended by a cache that holds the working set alone",
    ),
    absent(
        "matrix",
        "checksum switched off",
        "never",
        "checksums on flash cannot be switched off; the column `none` is the array alone",
    ),
    row(
        "host",
        "CPU saved on the host: requests that wait at any moment, with a cache beside without, two tiles on 20 disks",
        |lines| Some(requests_in_flight(lines, "20 disks, 8 %")? / requests_in_flight(lines, "20 disks")?),
        TIMES,
        FigureBound::AtMost(0.5),
        "reckoned, as virtual time has no processor: rate times mean latency (Little). Who waits costs polls, timers and memory; how much CPU that is depends on the guests",
    ),
    row(
        "host",
        "the same: CPU that the cache itself takes for these guests, of one core",
        |lines| {
            let rate = lines.figure_with("tiles", "20 disks, 8 %", &("tiles", 2.into()), "iops")?;
            Some(100.0 * rate * CPU_US_OF_HIT / 1e6)
        },
        (" %", 2),
        FigureBound::AtMost(1.0),
        "reckoned: 4.0 us for each request, as measured for hits in RAM at depth 1 (some 8,000 instructions without the kernel); misses and writes take several times that. Whether less is saved or spent is not measured: a request to the array costs its driver some us as well",
    ),
    row(
        "host",
        "spindles saved: operations of the array with a cache, beside those without, for the same guests",
        |lines| {
            let operations =
                |case| lines.figure_with("tiles", case, &("tiles", 2.into()), "array_operations");
            Some(operations("20 disks, 8 %")? / operations("20 disks")?)
        },
        TIMES,
        FigureBound::AtMost(0.5),
        "two tiles on 20 disks; an array that is hardly busy gets dirty data early, before it is overwritten. Mended by destage that waits longer, or by a cache of 33 %: 0.47",
    ),
    row(
        "host",
        "spindles saved: disks for a tile on 11 disks with a cache of 8 %, beside 20 disks without",
        |lines| {
            let of_tile =
                |case, disks: f64| Some(disks / lines.tiles_held(case).filter(|tiles| *tiles > 0.0)?);
            Some(of_tile("11 disks, 8 %", 11.0)? / of_tile("20 disks", 20.0)?)
        },
        TIMES,
        FigureBound::AtMost(0.55),
        "published: 11 disks do the work of 20",
    ),
    row(
        "peers",
        "read hits in write-through beside the better of bcache and dm-cache: the worst of four traces",
        |lines| {
            let beside = |trace: &Value| {
                let hits = |contender| peer(lines, trace, contender, "hit_percent");
                Some(
                    hits(FOREBAY_THROUGH)? / hits("bcache writethrough")?.max(hits("dm-cache writethrough")?),
                )
            };
            least(of_peers(lines, beside)?)
        },
        TIMES,
        FigureBound::AtLeast(1.0),
        "msr_cut_1006 reads nothing twice: the hits of dm-cache there are neighbours that came with blocks of 32 KiB, and ours and bcache have none. Mended by read-ahead into the cache, which is not in this version",
    ),
    row(
        "peers",
        "bytes written to SSD in write-through beside bcache: the worst of four traces",
        |lines| {
            let beside = |trace: &Value| {
                let bytes = |contender| peer(lines, trace, contender, "ssd_kib");
                Some(bytes(FOREBAY_THROUGH)? / bytes("bcache writethrough")?)
            };
            largest(of_peers(lines, beside)?)
        },
        TIMES,
        FigureBound::AtMost(1.0),
        "adaptive admission: pages that are read once do not reach flash",
    ),
    row(
        "peers",
        "the same in write-back",
        |lines| {
            let beside = |trace: &Value| {
                let bytes = |contender| peer(lines, trace, contender, "ssd_kib");
                Some(bytes(FOREBAY_BACK)? / bytes("bcache writeback")?)
            };
            largest(of_peers(lines, beside)?)
        },
        TIMES,
        FigureBound::AtMost(1.0),
        "all writes go to flash, and pages move when their segment is reclaimed, of which so small a pool has 36. Not profiled; most likely mended by a larger pool",
    ),
    row(
        "peers",
        "requests to the array in write-back beside bcache: the worst of four traces",
        |lines| {
            let beside = |trace: &Value| {
                let requests = |contender| {
                    let of = |key| peer(lines, trace, contender, key);
                    Some(of("backing_reads")? + of("backing_writes")?)
                };
                Some(requests(FOREBAY_BACK)? / requests("bcache writeback")?)
            };
            largest(of_peers(lines, beside)?)
        },
        TIMES,
        FigureBound::AtMost(1.0),
        "the write-heavy hplajw_root: pages that are overwritten are destaged several times. Not profiled; most likely the dirty limit, a share of a pool of 9 MiB. Mended by a larger pool or dirty limit",
    ),
    row(
        "peers",
        "warm after a reset: hits of the last quarter of a trace, read again, in write-through: the worst of four traces beside bcache",
        |lines| {
            let beside = |trace: &Value| {
                let hits = |contender| peer(lines, trace, contender, "after_reset_hit_percent");
                Some(hits(FOREBAY_THROUGH)? / hits("bcache writethrough")?)
            };
            least(of_peers(lines, beside)?)
        },
        TIMES,
        FigureBound::AtLeast(1.0),
        "RAM is lost: pages reach flash when RAM gives them up, so the most recently used quarter of the cache is not there. Mended by a smaller share of RAM, or by promotion of hot pages before they leave RAM",
    ),
    row(
        "peers",
        "data after a reset: traces, of four in two modes, after which all flushed writes were there",
        |lines| {
            let all = of_peers(lines, |trace| {
                let intact = |contender| {
                    let line = peer_line(lines, trace, contender)?;
                    Some(if line["is_intact"] == true { 1.0 } else { 0.0 })
                };
                Some(intact(FOREBAY_THROUGH)? + intact(FOREBAY_BACK)?)
            });
            Some(all?.into_iter().sum())
        },
        (" of 8", 0),
        FigureBound::AtLeast(8.0),
        "content of the whole disk, from copies of SSD and backing taken at one moment after the last flush",
    ),
    row(
        "postgres",
        "decision support: twice the throughput",
        |lines| of_database(lines, ["decision cached", "decision none"], "all", "per_minute"),
        TIMES,
        FigureBound::AtLeast(2.0),
        "one scan or join waits for the spindles, and the next one finds its pages on flash. The skew is a choice: nine of ten transactions in six of fifteen units",
    ),
    row(
        "postgres",
        "decision support: half the response time",
        |lines| of_database(lines, ["decision cached", "decision none"], "all", "mean_ms"),
        TIMES,
        FigureBound::AtMost(0.5),
        "as before",
    ),
    row(
        "postgres",
        "decision support: 89 % hits",
        |lines| lines.figure_with("postgres", "decision cached", &("kind", "all".into()), "hit_percent"),
        PERCENT,
        FigureBound::AtLeast(89.0),
        "the cache of eight units holds the six that nine of ten transactions ask for, and a part of the others",
    ),
    row(
        "postgres",
        "decision support: transactions of each kind +47 % or more",
        |lines| least(database_gains(lines)?),
        PERCENT,
        FigureBound::AtLeast(47.0),
        "by time, as all kinds have the same share: joins of scans gain the least; not profiled",
    ),
    row(
        "postgres",
        "decision support: transactions of one kind up to +145 %",
        |lines| largest(database_gains(lines)?),
        PERCENT,
        FigureBound::AtLeast(145.0),
        "lookups gain the most, then joins by index: each of their pages is a request of its own",
    ),
    row(
        "postgres",
        "online store: hardly any gain with a cache of 10 of 15 units",
        |lines| of_database(lines, ["store cache 10", "store cache 0"], "all", "per_minute"),
        TIMES,
        FigureBound::AtLeast(1.0),
        "half of the reads hit, and writes take most of the array: the pages that a cache of two thirds holds are random ones",
    ),
    row(
        "postgres",
        "online store: +39 % orders a minute with a cache of 15 units",
        |lines| of_database(lines, ["store cache 15", "store cache 0"], "all", "per_minute"),
        TIMES,
        FigureBound::AtLeast(1.39),
        "all reads hit, and in write-through each write still takes four operations of RAID-5. That bounds the gain at 1.35 to 1.49, reckoned from the requests of the two runs. Mended by write-back, which goes beyond the bound",
    ),
    row(
        "postgres",
        "online store: response time with a cache of 15 units",
        |lines| of_database(lines, ["store cache 15", "store cache 0"], "all", "mean_ms"),
        TIMES,
        FigureBound::AtMost(0.72),
        "as before: 1 to 1.39",
    ),
];

/// Returns ours divided by that of another case, for one kind of transaction of the real database.
fn of_database(lines: Lines<'_>, cases: [&'static str; 2], kind: &str, key: &str) -> Option<f64> {
    let [ours, theirs] = cases.map(|case| lines.figure_with("postgres", case, &("kind", kind.into()), key));
    Some(ours? / theirs?)
}

/// Returns by how much less time transactions of each kind of decision support take, as a gain of their rate in hundredths: all kinds have
/// the same share, so that their rates are alike.
fn database_gains(lines: Lines<'_>) -> Option<Vec<f64>> {
    let kinds = lines.of("postgres", "decision cached").filter_map(|line| line["kind"].as_str());
    kinds
        .filter(|kind| *kind != "all")
        .map(|kind| {
            let time = of_database(lines, ["decision cached", "decision none"], kind, "mean_ms")?;
            Some(100.0 * (1.0 / time - 1.0))
        })
        .collect()
}

/// CPU of a hit in RAM over NBD at depth 1 in microseconds: `docs/dev/notes/performance.md`.
const CPU_US_OF_HIT: f64 = 4.0;

/// Returns the requests of two tiles that wait for an answer, on average.
fn requests_in_flight<'a>(lines: Lines<'a>, case: &'a str) -> Option<f64> {
    let figure = |key| lines.figure_with("tiles", case, &("tiles", 2.into()), key);
    Some(figure("iops")? * figure("mean_ms")? / 1000.0)
}

const FOREBAY_THROUGH: &str = "Forebay write-through";
const FOREBAY_BACK: &str = "Forebay write-back";

/// Returns the line of a contender on a trace.
fn peer_line<'a>(lines: Lines<'a>, trace: &Value, contender: &str) -> Option<&'a Value> {
    let is_its = |line: &&Value| {
        line["experiment"] == "peers" && line["case"] == *trace && line["contender"] == contender
    };
    lines.0.iter().find(is_its)
}

fn peer(lines: Lines<'_>, trace: &Value, contender: &str, key: &str) -> Option<f64> {
    peer_line(lines, trace, contender)?[key].as_f64()
}

/// Returns a figure of each trace of the peers; none if one is missing, or there are no traces.
fn of_peers(lines: Lines<'_>, figure: impl Fn(&Value) -> Option<f64>) -> Option<Vec<f64>> {
    let ours =
        lines.0.iter().filter(|line| line["experiment"] == "peers" && line["contender"] == FOREBAY_THROUGH);
    let figures: Option<Vec<f64>> = ours.map(|line| figure(&line["case"])).collect();
    // A trace that repeats nothing has no hits with any cache: nothing divided by nothing.
    let figures: Vec<f64> = figures?.into_iter().filter(|figure| figure.is_finite()).collect();
    (!figures.is_empty()).then_some(figures)
}

fn ratio_of_keys(line: &Value, part: &str, whole: &str) -> Option<f64> {
    Some(line[part].as_f64()? / line[whole].as_f64()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_without_hits_is_left_out_of_the_comparison_of_hits() {
        let line = |trace: &str, contender: &str, hits: f64| serde_json::json!({"experiment": "peers", "case": trace, "contender": contender, "hit_percent": hits});
        let of_trace = |trace: &str, ours: f64, theirs: f64| {
            [line(trace, FOREBAY_THROUGH, ours), line(trace, "bcache writethrough", theirs)]
        };
        let lines = [of_trace("scan", 0.0, 0.0), of_trace("hot", 60.0, 80.0)].concat();
        let beside = |trace: &Value| {
            let hits = |contender| peer(Lines(&lines), trace, contender, "hit_percent");
            Some(hits(FOREBAY_THROUGH)? / hits("bcache writethrough")?)
        };
        assert_eq!(of_peers(Lines(&lines), beside), Some(vec![0.75]));
        assert_eq!(of_peers(Lines(&[]), beside), None);
    }

    #[test]
    fn the_prediction_reaches_the_limit_of_the_array_alone() {
        let tiles = |case: &str, tiles: u64, quality: bool, busy: f64| serde_json::json!({"experiment": "tiles", "case": case, "tiles": tiles, "quality": quality, "busy_percent": busy});
        let knee = serde_json::json!({"experiment": "knee", "case": "11 disks, 8 %", "predicted_busy_percent": [5.0, 15.0, 25.0]});
        let lines = [tiles("11 disks", 1, true, 14.0), tiles("11 disks", 2, false, 26.0), knee];
        assert_eq!(Lines(&lines).busy_limit("11 disks"), Some(20.0));
        assert_eq!(Lines(&lines).tiles_predicted("11 disks, 8 %"), Some(2.5));
        assert_eq!(Lines(&lines[..2]).tiles_predicted("11 disks, 8 %"), None);
    }

    #[test]
    fn a_verdict_follows_from_figure_and_bound() {
        let lines = [
            serde_json::json!({"experiment": "calibration", "case": "baseline", "iops": 600.0}),
            serde_json::json!({"experiment": "calibration", "case": "cold", "iops": 300.0}),
        ];
        let judged = |row: &PublishedRow| row.judged(Lines(&lines));
        assert_eq!(judged(&ROWS[0]), ["600 IOPS", "met (576 to 608)"].map(str::to_owned));
        assert_eq!(judged(&ROWS[1]), ["0.50x", "short (at least 0.95)"].map(str::to_owned));
        assert_eq!(judged(&ROWS[2]), ["-", "not run"].map(str::to_owned), "the figure is not in the line");
        let never = ROWS.iter().find(|row| matches!(row.ours, Ours::Absent("never"))).expect("there is one");
        assert_eq!(judged(never), ["-", "never"].map(str::to_owned));
    }

    #[test]
    fn tiles_are_held_up_to_the_last_good_one() {
        let line = |tiles: u64, quality: bool| serde_json::json!({"experiment": "tiles", "case": "a", "tiles": tiles, "quality": quality});
        let lines = [line(1, true), line(2, true), line(3, false)];
        assert_eq!(Lines(&lines).tiles_held("a"), Some(2.0));
        assert_eq!(Lines(&lines).tiles_held("b"), None);
    }
}
