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

/// Returns the dependencies of the daemon's package, whose binary is `binary`.
///
/// # Errors
/// As those of [`libraries`].
pub(super) fn depends(folder: &Path, binary: &Path) -> Result<String, String> {
    Ok(format!("{}, {DEPENDS}", libraries(folder, binary)?))
}

/// Returns the packages with the libraries of `binary`, in the form of dpkg's dependencies.
///
/// # Errors
/// If dpkg-shlibdeps does not find one.
pub(super) fn libraries(folder: &Path, binary: &Path) -> Result<String, String> {
    // The tool requires a source package around it.
    let work = folder.join("libraries");
    write(&work.join("debian/control"), "Source: forebay\n\nPackage: forebay\nArchitecture: any\n", 0o644)?;
    let text = output(Command::new("dpkg-shlibdeps").args(["-O", "-e"]).arg(binary).current_dir(&work))?;
    fs::remove_dir_all(&work).map_err(|error| format!("Could not remove {}: {error}.", work.display()))?;
    let libraries = text.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let libraries = libraries.ok_or_else(|| format!("dpkg-shlibdeps named no libraries: {text}"))?;
    Ok(libraries.trim().to_owned())
}

/// Writes the folder DEBIAN of the package in `stage`, whose files are complete.
pub(super) fn write_all(
    stage: &Path,
    package: &Package<'_>,
    architecture: &str,
    depends: &str,
) -> Result<(), String> {
    write_control(stage, |kibibytes| control(package.version, architecture, depends, kibibytes))?;
    let folder = stage.join("DEBIAN");
    write(&folder.join("conffiles"), &format!("/{CONFIGURATION}\n/{NEEDRESTART}\n"), 0o644)?;
    for script in SCRIPTS {
        let text = read(&package.root.join("packaging/debian").join(script))?;
        write(&folder.join(script), &text, 0o755)?;
    }
    Ok(())
}

/// Writes the folder DEBIAN of the package of the helper for Ceph RBD, which loads librbd when it starts.
pub(super) fn write_rbd(
    stage: &Path,
    version: &str,
    architecture: &str,
    libraries: &str,
) -> Result<(), String> {
    write_control(stage, |kibibytes| rbd_control(version, architecture, libraries, kibibytes))
}

/// Writes the control file, whose text gets the size of all files in KiB, and their checksums.
fn write_control(stage: &Path, text: impl FnOnce(u64) -> String) -> Result<(), String> {
    let mut files = Vec::new();
    collect(stage, stage, &mut files)?;
    let bytes: u64 = files.iter().map(|(_, bytes)| *bytes).sum();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let sums = output(Command::new("md5sum").args(&names).current_dir(stage))?;
    let folder = stage.join("DEBIAN");
    write(&folder.join("control"), &text(bytes.div_ceil(1024)), 0o644)?;
    write(&folder.join("md5sums"), &sums, 0o644)
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

fn rbd_control(version: &str, architecture: &str, libraries: &str, kibibytes: u64) -> String {
    format!(
        "\
Package: forebay-rbd
Version: {version}
Architecture: {architecture}
Maintainer: {MAINTAINER}
Installed-Size: {kibibytes}
Depends: forebay (= {version}), {libraries}, librbd1 (>= 16.2), librados2 (>= 16.2)
Section: admin
Priority: optional
Description: disks on Ceph RBD for the flash cache Forebay
 The process that Forebay starts for each disk whose backing is an image of
 Ceph RBD. It keeps the image locked, and serves it to Forebay alone.
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
        let text = rbd_control("1.2.3", "amd64", "libc6", 7);
        let depends = "Depends: forebay (= 1.2.3), libc6, librbd1 (>= 16.2), librados2 (>= 16.2)\n";
        assert!(text.starts_with("Package: forebay-rbd\n") && text.contains(depends), "{text}");
        assert!(text.ends_with(".\n") && !text.contains("\n\n"));
    }
}
