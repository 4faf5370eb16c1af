//! Programs built by cargo, and their paths.
//!
//! The features of a library depend on the packages that are built with it, so that each smaller set of packages has libraries of its own.
//! Therefore everything that checks need is built together, as the tests need it: building the daemon alone as well took as long again.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{cargo, output, run};

/// Builds everything as tests need it, if necessary, and returns the folder of the programs.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn for_tests(root: &Path) -> Result<PathBuf, String> {
    run(cargo(root).args(["build", "--workspace", "--all-targets", "--locked"]))?;
    folder(root, "debug")
}

/// Builds these packages with all optimisations, and returns the folder of their programs.
///
/// # Errors
/// If they cannot be built.
pub(crate) fn for_use(root: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    run(cargo(root).args(["build", "--release", "--locked"]).args(packages))?;
    folder(root, "release")
}

fn folder(root: &Path, profile: &str) -> Result<PathBuf, String> {
    target_folder(root).map(|folder| folder.join(profile))
}

/// Returns the folder that cargo builds into.
///
/// # Errors
/// If cargo does not report it.
pub(crate) fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let metadata = output(cargo(root).args(["metadata", "--no-deps", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| format!("Could not read what `cargo metadata` printed: {error}."))?;
    let target =
        metadata["target_directory"].as_str().ok_or("`cargo metadata` named no target directory.")?;
    Ok(PathBuf::from(target))
}
