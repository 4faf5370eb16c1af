//! Names the commit that a release build is made from, for `forebay --version`.
//!
//! `FOREBAY_COMMIT` names it for sources without a repository. Debug builds name none: each commit would have them built again.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FOREBAY_COMMIT");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let build = match std::env::var("FOREBAY_COMMIT") {
        Ok(commit) => commit,
        Err(_) if is_release => commit().unwrap_or_else(|| "unknown commit".to_owned()),
        Err(_) => "debug build".to_owned(),
    };
    println!("cargo::rustc-env=FOREBAY_VERSION={} ({build})", env!("CARGO_PKG_VERSION"));
}

/// Returns the commit of the repository whose root is the workspace, and makes cargo rerun this after the next commit.
fn commit() -> Option<String> {
    // A source archive may be unpacked inside another repository.
    if git(&["rev-parse", "--show-prefix"])? != "daemon/" {
        return None;
    }
    // Cargo would run this at each build for a file that does not exist.
    for path in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", path])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
