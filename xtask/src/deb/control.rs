//! Control files of the package for dpkg: name, version, dependencies, scripts, and the files that administrators change.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Package;
use super::tree::{CONFIGURATION, MAINTAINER, NEEDRESTART, entries, read, write};
use crate::run::output;

/// Scripts that dpkg runs, in `packaging/debian`.
pub(super) const SCRIPTS: &[&str] = &["postinst", "prerm", "postrm"];
/// Dependencies that create the user of the service, and respect the decisions of administrators about services.
const DEPENDS: &str = "systemd | systemd-standalone-sysusers, init-system-helpers (>= 1.54~)";

/// Returns the packages with the libraries of `binary`, in the form of dpkg's dependencies.
///
/// # Errors
/// If dpkg-shlibdeps does not find one.
pub(super) fn depends(folder: &Path, binary: &Path) -> Result<String, String> {
    // The tool requires a source package around it.
    let work = folder.join("libraries");
    write(&work.join("debian/control"), "Source: forebay\n\nPackage: forebay\nArchitecture: any\n", 0o644)?;
    let text = output(Command::new("dpkg-shlibdeps").args(["-O", "-e"]).arg(binary).current_dir(&work))?;
    fs::remove_dir_all(&work).map_err(|error| format!("Could not remove {}: {error}.", work.display()))?;
    let libraries = text.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let libraries = libraries.ok_or_else(|| format!("dpkg-shlibdeps named no libraries: {text}"))?;
    Ok(format!("{}, {DEPENDS}", libraries.trim()))
}

/// Writes the folder DEBIAN of the package in `stage`, whose files are complete.
pub(super) fn write_all(
    stage: &Path,
    package: &Package<'_>,
    architecture: &str,
    depends: &str,
) -> Result<(), String> {
    let mut files = Vec::new();
    collect(stage, stage, &mut files)?;
    let bytes: u64 = files.iter().map(|(_, bytes)| *bytes).sum();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let sums = output(Command::new("md5sum").args(&names).current_dir(stage))?;
    let text = control(package.version, architecture, depends, bytes.div_ceil(1024));
    let folder = stage.join("DEBIAN");
    write(&folder.join("control"), &text, 0o644)?;
    write(&folder.join("md5sums"), &sums, 0o644)?;
    write(&folder.join("conffiles"), &format!("/{CONFIGURATION}\n/{NEEDRESTART}\n"), 0o644)?;
    for script in SCRIPTS {
        let text = read(&package.root.join("packaging/debian").join(script))?;
        write(&folder.join(script), &text, 0o755)?;
    }
    Ok(())
}

/// Collects every file below `folder` with its size, named relative to `stage`.
fn collect(stage: &Path, folder: &Path, files: &mut Vec<(String, u64)>) -> Result<(), String> {
    for path in entries(folder)? {
        if path.is_dir() {
            collect(stage, &path, files)?;
            continue;
        }
        let found =
            fs::metadata(&path).map_err(|error| format!("Could not read {}: {error}.", path.display()))?;
        let name = path.strip_prefix(stage).expect("it was found there").to_string_lossy().into_owned();
        files.push((name, found.len()));
    }
    Ok(())
}

fn control(version: &str, architecture: &str, depends: &str, kibibytes: u64) -> String {
    format!(
        "\
Package: forebay
Version: {version}
Architecture: {architecture}
Maintainer: {MAINTAINER}
Installed-Size: {kibibytes}
Depends: {depends}
Suggests: libnbd-bin, nbd-client, qemu-utils, smartmontools
Section: admin
Priority: optional
Description: flash cache for the disks of virtual machines
 RAM and local flash in front of slow or remote storage, in user space and
 without a kernel module. Guests reach their disks over NBD on Unix sockets.
 .
 In the modes that there are, the backing is always complete: attaching a disk
 changes nothing in its content, and removing Forebay leaves it as it is.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_file_has_what_dpkg_asks_for_and_ends_with_a_line() {
        let text = control("1.2.3", "amd64", "libc6", 7);
        for line in ["Package: forebay\n", "Version: 1.2.3\n", "Architecture: amd64\n", "Depends: libc6\n"] {
            assert!(text.contains(line), "{line} is missing");
        }
        assert!(text.ends_with(".\n") && !text.contains("\n\n"));
    }
}
