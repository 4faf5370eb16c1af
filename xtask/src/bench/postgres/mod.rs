//! A real PostgreSQL in a guest whose disk is on a slow array, with Forebay in front of the array and without: decision support and an online
//! store, for the page of published documents.
//!
//! ```text
//!   guest: pgbench ──> PostgreSQL ──> ext4 ──> virtio ──NBD──> Forebay ──NBD──> array: nbdkit, five requests at once,
//!                      in a memory cgroup                                              each of them delayed
//! ```
//! The database is made on the host, and each run boots a guest with a copy of it. The guest is emulated, so its processor is slow: the array
//! has a delay that makes it the bottleneck all the same, and ratios count, not times. Forebay and the array are on the host, not emulated.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use guest::{Guest, Kit};
use serde_json::{Value, json};

use super::fio::{self, Access, Target};
use super::forebay::{Forebay, Reads, Tier};
use super::scratch::Scratch;
use super::server::Server;
use crate::run::{output, run};
use crate::{built, clients};

const SCRIPT: &str = include_str!("guest.sh");
const SETTINGS: &str = include_str!("postgresql.conf");
/// Script that shows that the server answers.
const READY: (&str, &str) = ("ready", "SELECT 1;\n");
/// Folder of Debian with a folder for each version of PostgreSQL.
const VERSIONS: &str = "/usr/lib/postgresql";
/// User of PostgreSQL on the host if this is root, as whom it refuses to run: Debian's `nobody`.
const NOBODY: &str = "65534";
/// MiB of a unit, and units of the database.
const UNIT_MIB: u64 = 32;
const DATABASE_UNITS: u64 = 15;
/// MiB of the disk beyond the database: indexes, catalogs, the log, the file system.
const REST_MIB: u64 = 128;
/// Requests that the array serves at once: its five spindles. A write takes four operations of RAID-5.
const SPINDLES: u32 = 5;
const READ_MS: u32 = 20;
const WRITE_OPERATIONS: u32 = 4;
/// Memory of the database in MiB, its page cache included.
const DATABASE_MEMORY_MIB: u64 = 64;
/// RAM of the cache.
const RAM_MIB: u64 = 8;
/// Passes over the disk before the load: pages enter flash that were read before.
const SWEEPS: u32 = 2;
/// Requests in flight of random reads that warm the cache.
const WARMING_DEPTH: u32 = 16;
/// Memory of the guest in MiB. Its archive counts twice while it boots.
const GUEST_MIB: u32 = 1024;
/// Name of the disk.
const DISK: &str = "database";
/// Time limit of a guest in seconds, far above the duration on a busy machine.
const SECONDS_MAX: u32 = 1800;

/// Load on the database.
struct DatabaseLoad {
    name: &'static str,
    /// Statements that make the database, one a line.
    tables: &'static str,
    /// Rows of its tables by name, in statements and scripts.
    rows: &'static [(&'static str, u64)],
    /// Scripts of pgbench by kind of transaction, all with the same weight.
    scripts: &'static [(&'static str, &'static str)],
    sessions: u32,
    /// Seconds of random reads over the whole disk, which warm the cache of a load whose accesses are random. They take no guest.
    random_seconds: u32,
    /// Runs, each with its name and the units of its cache.
    cases: &'static [(&'static str, u64)],
    /// Seconds of the load: with a cache and without delay, so that it gets warm; with delay, before it counts; and those that count.
    seconds: [u32; 3],
}

const LOADS: [DatabaseLoad; 2] = [
    DatabaseLoad {
        name: "decision",
        tables: include_str!("decision.sql"),
        // Eight rows a page.
        rows: &[("sales", UNIT_MIB * 10 * 128 * 8), ("items", UNIT_MIB * 5 * 128 * 8)],
        scripts: &[
            ("long scan", include_str!("long-scan.pgbench")),
            ("scan", include_str!("scan.pgbench")),
            ("join of scans", include_str!("join-of-scans.pgbench")),
            ("join by index", include_str!("join-by-index.pgbench")),
            ("lookups", include_str!("lookups.pgbench")),
        ],
        sessions: 8,
        random_seconds: 0,
        cases: &[("none", 0), ("cached", 8)],
        seconds: [60, 15, 60],
    },
    DatabaseLoad {
        name: "store",
        tables: include_str!("store.sql"),
        // Seven rows a page, for each of two tables.
        rows: &[("rows", UNIT_MIB * DATABASE_UNITS / 2 * 128 * 7)],
        scripts: &[("order", include_str!("order.pgbench"))],
        sessions: 16,
        random_seconds: 40,
        cases: &[("cache 0", 0), ("cache 10", 10), ("cache 15", 15)],
        seconds: [0, 15, 60],
    },
];

/// Programs of the host and of the guest.
struct DatabasePrograms {
    /// Folder with `initdb`, `postgres` and `pgbench`.
    postgres: PathBuf,
    /// Folder with the files that PostgreSQL reads.
    share: PathBuf,
    forebay: PathBuf,
}

/// Array on a socket, with its delay for a read.
struct SlowArray<'a> {
    scratch: &'a Scratch,
    image: PathBuf,
    socket: PathBuf,
    server: Option<Server>,
}

impl<'a> SlowArray<'a> {
    /// Starts an array with a copy of the database.
    fn start(scratch: &'a Scratch, database: &Path, read_ms: u32) -> Result<Self, String> {
        let (image, socket) = (scratch.path("array.img"), scratch.path("array.sock"));
        fs::copy(database, &image)
            .map_err(|error| format!("Could not copy {}: {error}.", database.display()))?;
        let mut array = Self { scratch, image, socket, server: None };
        array.serve(read_ms)?;
        Ok(array)
    }

    /// Serves it with this delay from now on. Its clients have to connect again.
    fn serve(&mut self, read_ms: u32) -> Result<(), String> {
        self.server = None;
        if self.socket.exists() {
            remove(&self.socket)?;
        }
        let mut command = Command::new("nbdkit");
        // The limit is that of a connection, so there must not be a second one.
        command.args(["--foreground", "--threads", &SPINDLES.to_string()]);
        command.args(["--filter=multi-conn", "--filter=delay", "--unix"]).arg(&self.socket);
        command.arg("file").arg(&self.image).arg("multi-conn-mode=disable");
        command.arg(format!("rdelay={read_ms}ms"));
        command.arg(format!("wdelay={}ms", read_ms * WRITE_OPERATIONS));
        self.server = Some(Server::start(self.scratch, "nbdkit", &mut command, &self.socket)?);
        Ok(())
    }

    fn uri(&self) -> String {
        format!("nbd+unix:///?socket={}", self.socket.display())
    }

    fn remove(mut self) -> Result<(), String> {
        self.server = None;
        remove(&self.socket)?;
        remove(&self.image)
    }
}

fn remove(file: &Path) -> Result<(), String> {
    fs::remove_file(file).map_err(|error| format!("Could not remove {}: {error}.", file.display()))
}

/// Measures, and returns the lines for the page.
///
/// # Errors
/// If PostgreSQL is missing, the database cannot be made, or a run does not reach its end.
pub(crate) fn measure(root: &Path, is_quick: bool) -> Result<Vec<Value>, String> {
    let began = Instant::now();
    clients::install_missing()?;
    clients::prepare_guests()?;
    // On disk, flushes of the guest would take what they take there.
    let scratch = Scratch::in_memory()?.map_or_else(Scratch::new, Ok)?;
    let forebay = built::for_use(root, &["daemon", "bench"])?.join("forebay");
    let (postgres, share) = installed()?;
    let programs = DatabasePrograms { postgres, share, forebay };
    let rounds = if is_quick { 1 } else { 2 };
    let mut lines = Vec::new();
    for load in &LOADS {
        let database = make_database(&scratch, &programs, load)?;
        for round in 1..=rounds {
            for case in load.cases {
                let seconds = load.seconds.map(|seconds| if is_quick { seconds / 6 } else { seconds });
                let found = run_case(&scratch, &programs, &database, load, case, seconds)?;
                lines.extend(found.into_iter().map(|mut line| {
                    if round > 1 {
                        line["again"] = true.into();
                    }
                    println!("{line}");
                    line
                }));
            }
        }
        remove(&database)?;
    }
    let version = output(Command::new(programs.postgres.join("postgres")).arg("--version"))?;
    lines.push(json!({
        "experiment": "postgres",
        "case": "run",
        "full": !is_quick,
        "seconds": began.elapsed().as_secs(),
        "date": output(Command::new("date").args(["-u", "+%F"]))?.trim(),
        "server": version.split_whitespace().nth(2),
        "unit_mib": UNIT_MIB,
        "memory_mib": DATABASE_MEMORY_MIB,
        "ram_mib": RAM_MIB,
        "spindles": SPINDLES,
        "read_ms": READ_MS,
        "write_ms": READ_MS * WRITE_OPERATIONS,
    }));
    Ok(lines)
}

/// Returns the folders of the programs and of the files of the newest installed PostgreSQL.
fn installed() -> Result<(PathBuf, PathBuf), String> {
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let version = |name: std::ffi::OsString| name.into_string().ok()?.parse::<u32>().ok();
    let has_programs = |version: &u32| {
        let folder = Path::new(VERSIONS).join(version.to_string()).join("bin");
        ["initdb", "postgres", "pgbench"].iter().all(|program| folder.join(program).is_file())
    };
    let newest = versions.filter_map(version).filter(has_programs).max().ok_or(
        "There is no PostgreSQL on this machine. Install the Debian packages postgresql and postgresql-client.",
    )?;
    let folder = Path::new(VERSIONS).join(newest.to_string()).join("bin");
    Ok((folder, Path::new("/usr/share/postgresql").join(newest.to_string())))
}

/// Makes the database of a load, and returns the image of its file system.
fn make_database(
    scratch: &Scratch,
    programs: &DatabasePrograms,
    load: &DatabaseLoad,
) -> Result<PathBuf, String> {
    let tree = scratch.folder(load.name)?;
    let data = tree.join("data");
    let problem =
        |error: std::io::Error| format!("Could not make a database in {}: {error}.", data.display());
    fs::create_dir(&data).map_err(problem)?;
    let is_root = fs::metadata(&data).map_err(problem)?.uid() == 0;
    if is_root {
        run(Command::new("chown").arg(format!("{NOBODY}:{NOBODY}")).arg(&data))?;
    }
    let command = |program: &str| {
        let program = programs.postgres.join(program);
        if !is_root {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(program);
        command
    };
    let mut initdb = command("initdb");
    initdb.args("-U postgres -A trust --locale=C --encoding=UTF8 --wal-segsize=1 --no-sync".split(' '));
    run(initdb.arg("--no-instructions").arg("-D").arg(&data))?;
    // The last of several settings counts.
    let file = data.join("postgresql.conf");
    let settings = fs::read_to_string(&file).map_err(problem)? + SETTINGS;
    fs::write(&file, settings).map_err(problem)?;
    let mut server = command("postgres");
    server.args("--single -F -c shared_buffers=256MB postgres -D".split(' ')).arg(&data);
    server.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = server.spawn().map_err(problem)?;
    let mut input = server.stdin.take().expect("it is piped");
    input.write_all(statements(load).as_bytes()).map_err(problem)?;
    drop(input);
    let ended = server.wait_with_output().map_err(problem)?;
    let said = String::from_utf8_lossy(&ended.stderr);
    // It goes on after a statement that failed.
    if !ended.status.success() || said.contains("ERROR") {
        return Err(format!("PostgreSQL could not make a database ({}): {said}", ended.status));
    }
    let image = scratch.path(&format!("{}.img", load.name));
    let mib = UNIT_MIB * DATABASE_UNITS + REST_MIB;
    let mut mke2fs = Command::new("mke2fs");
    // No more than the files: tables of inodes that are still to be written would be work in the guest.
    mke2fs.args("-q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 -N 4096 -J size=8 -d".split(' '));
    run(mke2fs.arg(&tree).arg(&image).arg(format!("{mib}M")))?;
    scratch.remove_folder(&tree)?;
    Ok(image)
}

/// Returns the statements of a load, each on one line, with the rows of its tables.
fn statements(load: &DatabaseLoad) -> String {
    let lines = load.tables.lines().filter(|line| !line.starts_with("--"));
    let text = lines.fold(String::new(), |text, line| text + line + "\n");
    load.rows.iter().fold(text, |text, (table, rows)| text.replace(&format!(":{table}"), &rows.to_string()))
}

/// Boots a guest on a copy of the database, and returns the lines of its load.
fn run_case(
    scratch: &Scratch,
    programs: &DatabasePrograms,
    database: &Path,
    load: &DatabaseLoad,
    (case, units): &(&'static str, u64),
    seconds: [u32; 3],
) -> Result<Vec<Value>, String> {
    // Without a cache nothing has to get warm.
    let mut array = SlowArray::start(scratch, database, if *units == 0 { READ_MS } else { 0 })?;
    let forebay = (*units > 0).then(|| start_warm(scratch, programs, &array, load, *units)).transpose()?;
    // What the guest wrote to another process that serves the array would have to be flushed before.
    if seconds[0] == 0 && forebay.is_some() {
        array.serve(READ_MS)?;
    }
    let uri = forebay.as_ref().map_or_else(|| array.uri(), |forebay| forebay.uri(DISK));
    let zones = programs.share.join("timezonesets/Default");
    let zone = fs::read(&zones).map_err(|error| format!("Could not read {}: {error}.", zones.display()))?;
    let mut guest = Guest::new(&Kit::ready()?)
        .memory_mib(GUEST_MIB)
        .seconds_max(SECONDS_MAX)
        .served_disk(DISK, uri)
        .file(zones.to_string_lossy(), zone);
    for program in ["postgres", "pgbench"] {
        guest = guest.program(programs.postgres.join(program).to_string_lossy());
    }
    guest = load
        .scripts
        .iter()
        .chain([&READY])
        .fold(guest, |guest, (kind, script)| guest.file(path_of(kind), *script));
    let reads = || forebay.as_ref().map(|forebay| forebay.reads(DISK)).transpose();
    let mut phases = Vec::new();
    let mut running = guest.start(&script(load, *units > 0, seconds))?;
    println!("{} with {case}:", load.name);
    while let Some(line) = running.line()? {
        println!("  {line}");
        match line.as_str() {
            "phase|slow" => array.serve(READ_MS)?,
            "phase|count" | "phase|end" => phases.push(reads()?),
            _ => {}
        }
    }
    let ended = running.wait()?;
    drop(forebay);
    array.remove()?;
    if ended.status != 0 {
        return Err(format!("{}\nThe guest ended with status {}.", ended.output, ended.status));
    }
    let mut lines = parse(&ended.output, load, case)?;
    if let [Some(before), Some(after)] = phases[..] {
        lines[0]["hit_percent"] = hit_percent(after.since(before)).into();
    }
    Ok(lines)
}

/// Starts Forebay with a cache of so many units in front of an array, and reads the disk until it is warm.
fn start_warm(
    scratch: &Scratch,
    programs: &DatabasePrograms,
    array: &SlowArray<'_>,
    load: &DatabaseLoad,
    units: u64,
) -> Result<Forebay, String> {
    // A cache as large as the database holds it with its indexes, and with what the log of the cache needs.
    let mib = if units == DATABASE_UNITS { units * UNIT_MIB * 5 / 4 } else { units * UNIT_MIB };
    let folder = "forebay";
    if scratch.path(folder).exists() {
        scratch.remove_folder(&scratch.path(folder))?;
    }
    let forebay = Forebay::start_sized(scratch, &programs.forebay, folder, &format!("{mib}MiB"))?;
    forebay.add_disk(DISK, Path::new(&array.uri()))?;
    // The unit of the cache is a block of the database.
    forebay.set(DISK, &[&format!("ram={RAM_MIB}MiB"), "block-size=8KiB", "--yes"])?;
    let uri = forebay.uri(DISK);
    for _ in 0..SWEEPS {
        fio::read_all(scratch, Target::Nbd { uri: &uri })?;
    }
    if load.random_seconds > 0 {
        fio::random(scratch, Target::Nbd { uri: &uri }, Access::Read, WARMING_DEPTH, load.random_seconds)?;
    }
    Ok(forebay)
}

/// Returns the path of a script of pgbench in the guest.
fn path_of(kind: &str) -> String {
    format!("/root/{}.pgbench", kind.replace(' ', "-"))
}

fn script(load: &DatabaseLoad, is_cached: bool, [warm, settle, seconds]: [u32; 3]) -> String {
    let rows =
        load.rows.iter().map(|(table, rows)| format!(" -D {table}={rows}")).collect::<Vec<_>>().concat();
    let files =
        load.scripts.iter().map(|(kind, _)| format!(" -f {}", path_of(kind))).collect::<Vec<_>>().concat();
    let warm = if is_cached { warm } else { 0 };
    format!(
        "MEMORY_MIB={DATABASE_MEMORY_MIB} WARM={warm} SETTLE={settle} SECONDS={seconds}\n\
         LOAD='-c {}{rows}{files}'\n{SCRIPT}",
        load.sessions
    )
}

/// Reads what pgbench and the script printed: a line for all transactions, and one for each kind if there are several.
fn parse(output: &str, load: &DatabaseLoad, case: &str) -> Result<Vec<Value>, String> {
    let wrong = |what: &str| format!("{output}\nThe guest printed no {what}.");
    let requests = output.lines().find_map(|line| line.strip_prefix("disk|")?.split_once('|'));
    let (reads, writes) = requests.ok_or_else(|| wrong("requests of its disk"))?;
    let count = |word: &str| word.parse::<u64>().map_err(|_| wrong("number of requests"));
    // The totals come first, then the kinds in the order of their scripts.
    let kinds = ["all"].into_iter().chain(load.scripts.iter().map(|(kind, _)| *kind));
    let rates = output.lines().filter_map(|line| line.split_once("tps = ").map(|(_, rate)| rate));
    let latencies =
        output.lines().filter_map(|line| line.split_once("latency average = ").map(|(_, mean)| mean));
    let number = |text: &str| {
        let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
        text[..end].parse::<f64>().ok()
    };
    let figures = rates.zip(latencies).filter_map(|(rate, mean)| Some((number(rate)?, number(mean)?)));
    let case = format!("{} {case}", load.name);
    let mut lines: Vec<Value> = kinds
        .zip(figures)
        .map(|(kind, (rate, mean_ms))| {
            let per_minute = (6000.0 * rate).round() / 100.0;
            json!({ "experiment": "postgres", "case": case, "kind": kind, "per_minute": per_minute, "mean_ms": mean_ms })
        })
        .collect();
    // Of a single kind, pgbench prints the totals alone.
    let expected = if load.scripts.len() == 1 { 1 } else { load.scripts.len() + 1 };
    if lines.len() != expected {
        return Err(wrong("figure of each kind"));
    }
    lines[0]["disk_reads"] = count(reads)?.into();
    lines[0]["disk_writes"] = count(writes)?.into();
    Ok(lines)
}

fn hit_percent(reads: Reads) -> f64 {
    let share = reads.share(Tier::Ram) + reads.share(Tier::Flash);
    (1000.0 * share).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_a_line_each_and_the_rows_of_their_tables() {
        for load in &LOADS {
            let text = statements(load);
            assert!(text.lines().all(|line| line.ends_with(';')), "{text}");
            // Colons are left of casts alone.
            assert!(!text.replace("::", "").contains(':'), "{text}");
        }
        let pages: u64 = LOADS[0].rows.iter().map(|(_, rows)| rows / 8).sum();
        assert_eq!(pages * 8, (UNIT_MIB * DATABASE_UNITS) << 10, "pages of 8 KiB fill the units");
    }

    #[test]
    fn the_guest_runs_every_script_with_the_rows_of_the_tables() {
        let text = script(&LOADS[0], true, [1, 2, 3]);
        assert!(text.contains(" -f /root/join-of-scans.pgbench"), "{text}");
        assert!(text.contains(" -D items=163840 -f"), "{text}");
        assert!(text.starts_with("MEMORY_MIB=64 WARM=1 SETTLE=2 SECONDS=3\n"), "{text}");
        assert!(script(&LOADS[1], false, [1, 2, 3]).contains("WARM=0"));
    }

    #[test]
    fn figures_of_all_and_of_each_kind_become_lines() {
        let totals = "latency average = 20.5 ms\ntps = 2.5 (without initial connection time)\n";
        let kind = " - 5 transactions (20.0% of total, tps = 0.5)\n - latency average = 30.25 ms\n";
        let output = format!("{totals}{}disk|70|8\n", kind.repeat(5));
        let lines = parse(&output, &LOADS[0], "none").expect("it is complete");
        assert_eq!(lines.len(), 6);
        assert_eq!((&lines[0]["per_minute"], &lines[0]["disk_reads"]), (&json!(150.0), &json!(70)));
        assert_eq!((&lines[5]["kind"], &lines[5]["mean_ms"]), (&json!("lookups"), &json!(30.25)));
        assert!(parse(&output, &LOADS[1], "cache 0").is_err(), "figures of kinds that it does not have");
        assert!(parse(totals, &LOADS[1], "cache 0").is_err(), "no requests");
        let store = parse(&format!("{totals}disk|70|8\n"), &LOADS[1], "cache 0").expect("it is complete");
        assert_eq!((store.len(), &store[0]["case"]), (1, &json!("store cache 0")));
    }
}
