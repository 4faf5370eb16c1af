//! `cargo xtask`: the one gate, the same for developers and in CI.
//!
//! Every check that a change must pass is a command here, so that there is nothing else to remember. The tool
//! calls cargo and a few well-known programs and reads the tree; it never changes a source file.

mod bench;
mod built;
mod clients;
mod deb;
mod dist;
mod gate;
mod machine;
mod page;
mod papers;
mod run;
mod tidy;
mod web;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench::{Effort, Scope};
use deb::datastores::Form;
use dist::Changes;
use machine::Machine;

const USAGE: &str = "\
Usage: cargo xtask <COMMAND>

  ci                 everything that a change must pass: fmt, clippy, tidy, deny, docs, then test
  test [--seeds N]   all tests; first installs the Debian packages that tests with real clients need
  seeds FROM..TO     the simulation with these seeds, millions if wanted; says how far it is, and which seeds failed
  tidy               structure checks: floors, walls between crates, sizes, leftovers
  web                the web page: built anew, its unit tests, and a real browser on a daemon under load
  bench [recovery | writes | vhost | scrape | record | idle | mapped | hit-ratio | latency-classes |
         neighbours | fleet] [--quick | --short]
                     how fast it is beside others, as ratios; writes nothing; with `recovery` only how fast it is there
                     again, with `writes` only write-back, with `vhost` only the vhost-user door; with `scrape` what it
                     costs guests that statistics are read; with `record` what it costs them that they are recorded;
                     with `idle` CPU and wake-ups of a daemon whose guests do nothing, with 1, 50 and 250 disks
                     (FOREBAY_BESIDE: the program of another version, measured beside it);
                     with `mapped` a mapped disk beside the kernel's block caches in one guest: hits, requests, bytes;
                     with `hit-ratio` hit ratios and flash writes on real traces (FOREBAY_TRACES or ../shared/traces),
                     with --short on one that it makes, against bounds, as `ci` does;
                     with `neighbours` how long a disk's requests take while another one of its shard has a deep queue;
                     with `fleet` volumes in a modelled object store: bytes, rates, latencies of flushes, opens, clones;
                     with `latency-classes` how many requests took how long: ten disks in write-back on a modelled array
  papers [--only NAME] [--quick] [--again]
                     the experiments of published documents, on modelled arrays and in guests, in an hour on two cores: writes
                     docs/papers.md and charts; with --quick shorter forms, to target/papers; with --only one of them, the
                     others kept; with --again a second run, whose figures stand beside those of the first.
                     `peers`: block caches of the kernel in one guest on four traces of FOREBAY_TRACES or ../shared/traces;
                     `postgres`: a real PostgreSQL (of the Debian packages postgresql and postgresql-client) on a disk;
                     `page` writes the page again from the lines that are there
  guest SCRIPT [--disk IMAGE]... [--file FILE]...
                     boots a Linux guest with forebay, fio and tools, and runs a shell script in it
  deb [--prove]      a Debian package in target/debian; with --prove its life in a guest under systemd instead
  dist [--allow-dirty | --prove]
                     all files of a release in target/dist: tarball, packages, debug information, sums; with --prove the
                     commands of docs/install.md in a guest under systemd instead
  datastores [--long]
                     follows docs/datastores.md and docs/nfs.md in guests under systemd; with --long the server of the
                     latter is also reset and loses power
  nightly            the tests with many more seeds, the fuzz targets if cargo-fuzz is there, and the files of
                     a release

  --seeds N          how many seeds each simulation runs. Default: 20000, for at most 3 minutes";

/// Simulation seeds of an ordinary run, for the time limit of CI on two cores.
const SEEDS_DEFAULT: u32 = 20_000;

/// Command of the command line.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Ci,
    Test { seeds: u32 },
    Seeds(Range<u64>),
    Tidy,
    Web,
    Bench { scope: Scope, effort: Effort },
    HitRatioShort,
    Papers(papers::Choice),
    Guest(Machine),
    Deb,
    ProveDeb,
    Dist(Changes),
    ProveDist,
    Datastores(Form),
    Nightly,
    Help,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = match parse(&arguments) {
        Ok(command) => command,
        Err(problem) => {
            eprintln!("error: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match execute(&command, &root()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: &Command, root: &Path) -> Result<(), String> {
    match command {
        Command::Ci => gate::ci(root, SEEDS_DEFAULT),
        Command::Test { seeds } => gate::test(root, *seeds),
        Command::Seeds(seeds) => gate::seeds(root, seeds),
        Command::Tidy => tidy::tidy(root),
        Command::Web => gate::web(root),
        Command::HitRatioShort => bench::hit_ratio_short(root),
        Command::Bench { scope, effort } => bench::bench(root, *scope, *effort),
        Command::Papers(choice) => papers::run_experiments(root, choice),
        Command::Guest(machine) => machine::run(root, machine),
        Command::Deb => deb::deb(root),
        Command::ProveDeb => deb::prove(root),
        Command::Dist(changes) => dist::dist(root, *changes),
        Command::ProveDist => dist::prove(root),
        Command::Datastores(form) => {
            deb::datastores::prove(root).and_then(|()| deb::datastores::prove_nfs(root, *form))
        }
        Command::Nightly => gate::nightly(root),
        Command::Help => {
            println!("{USAGE}");
            Ok(())
        }
    }
}

fn parse(arguments: &[String]) -> Result<Command, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => Ok(Command::Ci),
        ["test"] => Ok(Command::Test { seeds: SEEDS_DEFAULT }),
        ["test", "--seeds", number] => parse_seeds(number).map(|seeds| Command::Test { seeds }),
        ["seeds", range] => parse_range(range).map(Command::Seeds),
        ["tidy"] => Ok(Command::Tidy),
        ["web"] => Ok(Command::Web),
        ["bench", options @ ..] => parse_bench(options),
        ["papers", options @ ..] => papers::parse(options).map(Command::Papers),
        ["guest", script, options @ ..] => machine::parse(script, options).map(Command::Guest),
        ["deb"] => Ok(Command::Deb),
        ["deb", "--prove"] => Ok(Command::ProveDeb),
        ["dist"] => Ok(Command::Dist(Changes::Refused)),
        ["dist", "--prove"] => Ok(Command::ProveDist),
        ["dist", "--allow-dirty"] => Ok(Command::Dist(Changes::Allowed)),
        ["datastores"] => Ok(Command::Datastores(Form::Short)),
        ["datastores", "--long"] => Ok(Command::Datastores(Form::Long)),
        ["nightly"] => Ok(Command::Nightly),
        ["help" | "--help" | "-h"] => Ok(Command::Help),
        [] => Err("No command was given.".to_owned()),
        other => Err(format!("`{}` is not a command.", other.join(" "))),
    }
}

fn parse_bench(options: &[&str]) -> Result<Command, String> {
    let (scope, options) = match options {
        ["recovery", rest @ ..] => (Scope::Recovery, rest),
        ["writes", rest @ ..] => (Scope::Writes, rest),
        ["vhost", rest @ ..] => (Scope::Vhost, rest),
        ["scrape", rest @ ..] => (Scope::Scrape, rest),
        ["record", rest @ ..] => (Scope::Record, rest),
        ["idle", rest @ ..] => (Scope::Idle, rest),
        ["mapped", rest @ ..] => (Scope::Mapped, rest),
        ["hit-ratio", rest @ ..] => (Scope::HitRatio, rest),
        ["latency-classes", rest @ ..] => (Scope::LatencyClasses, rest),
        ["neighbours", rest @ ..] => (Scope::Neighbours, rest),
        ["fleet", rest @ ..] => (Scope::Fleet, rest),
        all => (Scope::Everything, all),
    };
    match options {
        ["--short"] if scope == Scope::HitRatio => Ok(Command::HitRatioShort),
        [] => Ok(Command::Bench { scope, effort: Effort::FULL }),
        // One trace and one guest: nothing can be left out.
        ["--quick"] if scope == Scope::Mapped => Err("`bench mapped` has no `--quick`.".to_owned()),
        ["--quick"] => Ok(Command::Bench { scope, effort: Effort::QUICK }),
        other => Err(format!("`bench` does not know `{}`.", other.join(" "))),
    }
}

/// Parses the number of seeds. Zero is refused, because a simulation of none proves nothing and passes.
fn parse_seeds(number: &str) -> Result<u32, String> {
    match number.parse() {
        Ok(seeds) if seeds > 0 => Ok(seeds),
        _ => Err(format!("`--seeds {number}` is not a whole number of at least 1.")),
    }
}

fn parse_range(range: &str) -> Result<Range<u64>, String> {
    let ends = range.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match ends {
        Some((from, to)) if from < to => Ok(from..to),
        _ => Err(format!("`seeds {range}` is not a range of seeds such as 0..1000000.")),
    }
}

/// Returns the folder of the workspace: the parent of this crate's.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the crate lies in a folder of the workspace").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Command, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(parse_line("ci"), Ok(Command::Ci));
        assert_eq!(parse_line("test"), Ok(Command::Test { seeds: SEEDS_DEFAULT }));
        assert_eq!(parse_line("test --seeds 7"), Ok(Command::Test { seeds: 7 }));
        assert_eq!(parse_line("seeds 5..900"), Ok(Command::Seeds(5..900)));
        let bench = |scope, effort| Ok(Command::Bench { scope, effort });
        assert_eq!(parse_line("bench --quick"), bench(Scope::Everything, Effort::QUICK));
        assert_eq!(parse_line("bench recovery"), bench(Scope::Recovery, Effort::FULL));
        assert_eq!(parse_line("bench writes --quick"), bench(Scope::Writes, Effort::QUICK));
        assert_eq!(parse_line("bench recovery --quick"), bench(Scope::Recovery, Effort::QUICK));
        assert_eq!(parse_line("bench vhost --quick"), bench(Scope::Vhost, Effort::QUICK));
        assert_eq!(parse_line("bench scrape"), bench(Scope::Scrape, Effort::FULL));
        assert_eq!(parse_line("bench record"), bench(Scope::Record, Effort::FULL));
        assert_eq!(parse_line("bench idle --quick"), bench(Scope::Idle, Effort::QUICK));
        assert_eq!(parse_line("bench mapped"), bench(Scope::Mapped, Effort::FULL));
        assert_eq!(parse_line("bench hit-ratio --quick"), bench(Scope::HitRatio, Effort::QUICK));
        assert_eq!(parse_line("bench latency-classes"), bench(Scope::LatencyClasses, Effort::FULL));
        assert_eq!(parse_line("bench neighbours --quick"), bench(Scope::Neighbours, Effort::QUICK));
        assert_eq!(parse_line("bench hit-ratio --short"), Ok(Command::HitRatioShort));
        assert!(matches!(parse_line("papers --only tiles --quick"), Ok(Command::Papers(_))));
        assert!(parse_line("papers tiles").is_err());
        assert!(parse_line("bench --short").is_err());
        assert!(parse_line("bench mapped --quick").is_err());
        assert!(parse_line("bench recovery --fast").is_err());
        assert_eq!(parse_line("deb --prove"), Ok(Command::ProveDeb));
        assert_eq!(parse_line("dist"), Ok(Command::Dist(Changes::Refused)));
        assert_eq!(parse_line("dist --allow-dirty"), Ok(Command::Dist(Changes::Allowed)));
        assert_eq!(parse_line("datastores"), Ok(Command::Datastores(Form::Short)));
        assert_eq!(parse_line("datastores --long"), Ok(Command::Datastores(Form::Long)));
        assert_eq!(parse_line("--help"), Ok(Command::Help));
        assert!(matches!(parse_line("guest a.sh --disk b.img --file c"), Ok(Command::Guest(_))));
    }

    #[test]
    fn a_wrong_command_line_is_named_in_the_error() {
        assert_eq!(parse_line("tset"), Err("`tset` is not a command.".to_owned()));
        assert_eq!(parse_line(""), Err("No command was given.".to_owned()));
        assert!(parse_line("test --seeds").is_err());
        assert!(parse_line("seeds 9").is_err());
        assert!(parse_line("seeds 9..9").is_err());
        assert!(parse_line("guest").is_err());
        assert!(parse_line("guest a.sh --disk").is_err());
        assert!(parse_line("ci --seeds 3").is_err());
    }

    #[test]
    fn a_run_without_seeds_is_refused() {
        for number in ["0", "-1", "many", ""] {
            assert!(parse_seeds(number).is_err(), "{number}");
        }
    }
}
