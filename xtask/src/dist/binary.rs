//! The release binary: built so that it contains no paths of the build machine, with separate debug information.
//!
//! It is linked with the C library of the machine, and refused if it needs one that is newer than [`GLIBC_MAX`]: docs/install.md lists the
//! systems with that one, docs/dev/libraries.md has the reasons against static linking.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::COMMIT_VARIABLE;
use crate::built;
use crate::deb::tree::make_folder_of;
use crate::run::{cargo, output, run};

/// Newest version of glibc that a distributed binary may need, as docs/install.md promises.
const GLIBC_MAX: (u32, u32) = (2, 34);
/// Maximum size of the binary without debug information, in bytes.
const BYTES_MAX: u64 = 25_000_000;
/// Separates flags in `CARGO_ENCODED_RUSTFLAGS`.
const FLAG_END: &str = "\x1f";

/// Returns cargo's name of this machine.
pub(crate) fn target(root: &Path) -> Result<String, String> {
    let text = output(Command::new("rustc").arg("-vV").current_dir(root))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("`rustc -vV` named no host: {text}"))
}

/// Builds the binary of `commit`, and the helper for Ceph RBD beside it. Returns the path of the former; both still have debug information.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn build(root: &Path, commit: &str) -> Result<PathBuf, String> {
    let target = target(root)?;
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"));
    let home = home.map_err(|_| "Neither CARGO_HOME nor HOME is set.".to_owned())?;
    let folder = built::target_folder(root)?;
    // The last match is taken, so the inner of two nested folders follows the outer one.
    let places = [
        (home.as_str(), "/cargo"),
        (&root.to_string_lossy(), "/forebay"),
        (&folder.to_string_lossy(), "/forebay/target"),
    ];
    let mut flags = vec!["-Clink-arg=-Wl,--build-id=sha1".to_owned()];
    flags.extend(places.map(|(from, to)| format!("--remap-path-prefix={from}={to}")));
    let c_flags = places.map(|(from, to)| format!("-ffile-prefix-map={from}={to}"));
    let mut build = cargo(root);
    // With a target named, the flags do not apply to programs that run during the build.
    build.args([
        "build",
        "--release",
        "--locked",
        "--package",
        "daemon",
        "--bin",
        "forebay",
        "--package",
        "rbd",
        "--bin",
        "forebay-rbd",
        "--target",
        &target,
    ]);
    build.env("CARGO_ENCODED_RUSTFLAGS", flags.join(FLAG_END)).env("CFLAGS", c_flags.join(" "));
    run(build.env(COMMIT_VARIABLE, commit))?;
    Ok(folder.join(target).join("release/forebay"))
}

/// Checks the promises of docs/install.md for a stripped `binary`, the daemon or its helper: its size, and the C library that it needs.
///
/// # Errors
/// If one does not hold.
pub(crate) fn check(binary: &Path) -> Result<(), String> {
    let bytes =
        fs::metadata(binary).map_err(|error| format!("Could not read {}: {error}.", binary.display()))?;
    let name = binary.file_name().unwrap_or_default().display();
    if bytes.len() > BYTES_MAX {
        return Err(format!("{name} has {} bytes and may have {BYTES_MAX}.", bytes.len()));
    }
    let symbols = output(Command::new("objdump").arg("-T").arg(binary))?;
    let needed = newest_glibc(&symbols)
        .ok_or_else(|| format!("{name} asks for no version of glibc: how was it linked?"))?;
    println!("{name} has {} bytes and needs glibc {}.{}.", bytes.len(), needed.0, needed.1);
    if needed > GLIBC_MAX {
        return Err(format!(
            "{name} needs glibc {}.{}, and {}.{} is promised. Build it on an older system: Debian 12.",
            needed.0, needed.1, GLIBC_MAX.0, GLIBC_MAX.1
        ));
    }
    Ok(())
}

/// Writes the debug information of `binary` below `folder`, where debuggers find it by the id of the build.
///
/// # Errors
/// If the binary has no id, or a tool fails.
pub(crate) fn write_debug(binary: &Path, folder: &Path) -> Result<(), String> {
    let notes = output(Command::new("readelf").arg("--notes").arg(binary))?;
    let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "));
    let (folder_name, file) = id
        .and_then(|id| id.split_at_checked(2))
        .ok_or_else(|| format!("{} has no id of its build.", binary.display()))?;
    let path = folder.join("usr/lib/debug/.build-id").join(folder_name).join(format!("{file}.debug"));
    make_folder_of(&path)?;
    run(Command::new("objcopy")
        .args(["--only-keep-debug", "--compress-debug-sections"])
        .arg(binary)
        .arg(&path))?;
    run(Command::new("chmod").arg("644").arg(&path))
}

/// Returns the newest version of glibc among the versions of symbols in the output of `objdump -T`.
fn newest_glibc(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| letter != '.' && !letter.is_ascii_digit()).unwrap_or(rest.len());
        let mut numbers = rest[..end].split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_glibc_counts_by_number() {
        let symbols =
            "DF *UND* (GLIBC_2.2.5) read\nDF *UND* (GLIBC_2.34) dlsym\nDF *UND* (GLIBC_2.9) a\n (GCC_3.0) b";
        assert_eq!(newest_glibc(symbols), Some((2, 34)));
        assert_eq!(newest_glibc("no dynamic symbols"), None);
    }
}
