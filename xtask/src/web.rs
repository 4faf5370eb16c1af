//! Checks of the web page: `web/dist` as committed is the build of its source, unit tests, and a real browser.
//!
//! The product needs none of this: cargo embeds `web/dist` as it is. Packages are from the npm registry, with the hashes of
//! `web/package-lock.json`, and nothing of them runs during their installation.

use std::path::Path;
use std::process::Command;

use crate::built;
use crate::run::run;

/// Builds the page again and runs all tests of it.
///
/// # Errors
/// If the packages are not available, types do not fit, `web/dist` is not the build of its source, or a test fails.
pub(crate) fn prove(root: &Path) -> Result<(), String> {
    run(npm(root).args(["ci"]))?;
    run(npm(root).args(["run", "--silent", "check"]))?;
    run(node(root).args(["build.mjs", "--check"]))?;
    run(npm(root).args(["run", "--silent", "test"]))?;
    browse(root)
}

/// Runs a browser on a daemon under load. Screenshots of every view are left in `target/screenshots`.
fn browse(root: &Path) -> Result<(), String> {
    let (forebay, screenshots) = (built::for_tests(root)?.join("forebay"), root.join("target/screenshots"));
    run(node(root).arg("test/browser/run.mjs").arg(forebay).arg(screenshots))
}

fn npm(root: &Path) -> Command {
    program("npm", root)
}

fn node(root: &Path) -> Command {
    program("node", root)
}

fn program(name: &str, root: &Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root.join("web"));
    command
}
