//! Steps of `ci`, `test` and `nightly`, in the order in which they fail fastest.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::deb::datastores::Form;
use crate::run::{cargo, output, run, works};
use crate::{bench, clients, deb, dist, tidy, web};

/// Version for which `deny.toml` is written. It is built with the pinned toolchain on its first use.
const CARGO_DENY: &str = "0.20.2";
/// Simulation seeds of a nightly run.
const SEEDS_NIGHTLY: u32 = 100_000;
/// Seconds after which an ordinary run begins no other seed, so that the gate ends in time on a slow machine too.
const SEEDS_SECONDS_MAX: u32 = 180;
/// Seeds of a long run in one process, which prints its coverage at the end.
const SEEDS_AT_ONCE: u64 = 10_000;
/// Kills and power cuts of a nightly run. An ordinary run has fewer, as the tests themselves define.
const KILLS_NIGHTLY: u32 = 200;
const POWER_CUTS_NIGHTLY: u32 = 100;
/// Time for each fuzz target in a nightly run, in seconds.
const FUZZ_SECONDS: u32 = 600;

/// Runs everything that a change must pass.
pub(crate) fn ci(root: &Path, seeds: u32) -> Result<(), String> {
    run(cargo(root).args(["fmt", "--all", "--check"]))?;
    run(cargo(root).args(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    tidy::tidy(root)?;
    deny(root)?;
    let documents = ["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"];
    // These pages are for developers, who see private items too: links to them are allowed.
    let flags = "-D warnings -A rustdoc::private-intra-doc-links";
    run(cargo(root).args(documents).env("RUSTDOCFLAGS", flags))?;
    bench::hit_ratio_short(root)?;
    prove_in_guests(root)?;
    test(root, seeds)
}

/// Proves the package, and the pages about datastores, in guests. Each has one emulated processor, so two series run side by side.
fn prove_in_guests(root: &Path) -> Result<(), String> {
    // Their parts are made first, one after another.
    clients::install_missing()?;
    clients::prepare_guests()?;
    let package_and_single = || deb::prove(root).and_then(|()| deb::datastores::prove(root));
    let (one, other) = thread::scope(|scope| {
        let nfs = scope.spawn(|| deb::datastores::prove_nfs(root, Form::Short));
        (package_and_single(), nfs.join())
    });
    let other = other.map_err(|_| "The proof of docs/nfs.md broke off; its message is above.".to_owned())?;
    one.and(other)
}

/// Runs all tests, simulations with `seeds` seeds each. The last output is that of `cargo test`.
pub(crate) fn test(root: &Path, seeds: u32) -> Result<(), String> {
    test_with(root, seeds, &[("FOREBAY_SEEDS_SECONDS", SEEDS_SECONDS_MAX)])
}

/// Does the same with more variables for the tests.
fn test_with(root: &Path, seeds: u32, variables: &[(&str, u32)]) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    clients::prepare_schemathesis(root)?;
    web::prove(root)?;
    let variables = variables.iter().map(|(name, value)| (name, value.to_string()));
    let mut tests = cargo(root);
    tests.envs(real_traces(root));
    tests.args(["test", "--workspace", "--locked"]).env("FOREBAY_SEEDS", seeds.to_string()).envs(variables);
    run(&mut tests)
}

/// Checks the web page alone.
pub(crate) fn web(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    web::prove(root)
}

/// Returns the folder of traces of real machines, which are not part of this repository: `FOREBAY_TRACES`, otherwise `shared/traces` beside
/// it. If there are none, prints that, and the tests use only their own traces.
fn real_traces(root: &Path) -> Option<(&'static str, PathBuf)> {
    const VARIABLE: &str = "FOREBAY_TRACES";
    let beside = || root.join("../shared/traces");
    let folder = std::env::var_os(VARIABLE).map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some((VARIABLE, folder));
    }
    println!("Real traces left out: there is no folder {}. {VARIABLE} names another one.", folder.display());
    None
}

/// Runs simulation alone, with these seeds, built for speed, so many in a process. Continues after a seed that failed.
pub(crate) fn seeds(root: &Path, seeds: &Range<u64>) -> Result<(), String> {
    let mut failed = Vec::new();
    for from in seeds.clone().step_by(SEEDS_AT_ONCE as usize) {
        let part = format!("{from}..{}", seeds.end.min(from + SEEDS_AT_ONCE));
        let mut tests = cargo(root);
        tests.args(["test", "--release", "--package", "sim", "--test", "seeds", "--locked"]);
        tests.args(["no_seed", "--", "--nocapture"]).env("FOREBAY_SEED_RANGE", &part);
        if run(&mut tests).is_err() {
            failed.push(part);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("Seeds failed, and are named above, in {}.", failed.join(", ")))
}

/// Checks known vulnerabilities, and runs the tests with the seeds of a nightly run, every fuzz target for a while, the commands of pages
/// in guests, then makes the files of a release.
pub(crate) fn nightly(root: &Path) -> Result<(), String> {
    advisories(root)?;
    let variables = [("FOREBAY_KILLS", KILLS_NIGHTLY), ("FOREBAY_POWER_CUTS", POWER_CUTS_NIGHTLY)];
    test_with(root, SEEDS_NIGHTLY, &variables)?;
    fuzz(root)?;
    dist::prove(root)?;
    deb::datastores::prove_nfs(root, Form::Long)?;
    dist::dist(root, dist::Changes::Allowed)
}

/// Checks licences, bans and sources of all dependencies, from package registries alone.
fn deny(root: &Path) -> Result<(), String> {
    install_cargo_deny(root)?;
    println!(
        "Known vulnerabilities are not checked here: their list lies outside the package registries. \
         With network: `cargo deny check advisories`."
    );
    run(cargo(root).args(["deny", "--workspace", "--locked", "check", "bans", "licenses", "sources"]))
}

/// Checks known vulnerabilities of all dependencies. If their list cannot be fetched, prints that and continues.
fn advisories(root: &Path) -> Result<(), String> {
    install_cargo_deny(root)?;
    if !works(cargo(root).args(["deny", "fetch", "db"])) {
        println!("Known vulnerabilities left out: `cargo deny fetch db` could not fetch their list.");
        return Ok(());
    }
    run(cargo(root).args(["deny", "--workspace", "--locked", "check", "--disable-fetch", "advisories"]))
}

fn install_cargo_deny(root: &Path) -> Result<(), String> {
    let version = || {
        let mut command = cargo(root);
        command.args(["deny", "--version"]);
        command
    };
    let wanted = format!("cargo-deny {CARGO_DENY}");
    // The first try has no output: if it is not installed, cargo would print an error that is none here.
    if works(&mut version()) && output(&mut version())?.trim() == wanted {
        return Ok(());
    }
    println!("{wanted} is not here yet: building it takes a few minutes, once.");
    run(cargo(root).args(["install", "--locked", "cargo-deny", "--version", CARGO_DENY])).map_err(|error| {
        format!("{error} Install {wanted} by hand, or see that the package registry can be reached.")
    })
}

/// Runs the fuzz targets, with a nightly toolchain and cargo-fuzz. If these are missing, prints that and continues.
fn fuzz(root: &Path) -> Result<(), String> {
    let folder = root.join("fuzz");
    if !folder.is_dir() {
        println!("No fuzz targets: there is no folder `fuzz`.");
        return Ok(());
    }
    if !works(nightly_cargo(&folder).args(["fuzz", "--version"])) {
        println!(
            "Fuzz targets left out. To run them: `rustup toolchain install nightly` and `cargo install cargo-fuzz`."
        );
        return Ok(());
    }
    let targets = output(nightly_cargo(&folder).args(["fuzz", "list"]))?;
    for target in targets.lines() {
        let limit = format!("-max_total_time={FUZZ_SECONDS}");
        run(nightly_cargo(&folder).args(["fuzz", "run", target, "--", &limit]))?;
    }
    Ok(())
}

/// Returns rustup's cargo: the one that runs this tool is pinned to a stable toolchain and does not support `+nightly`.
fn nightly_cargo(folder: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.arg("+nightly").current_dir(folder);
    for variable in ["CARGO", "RUSTUP_TOOLCHAIN"].map(OsStr::new) {
        command.env_remove(variable);
    }
    command
}
