//! RPM packages, of the daemon and of the helper for Ceph RBD: the trees of the packages, with `packaging/rpm/forebay.spec` around them.
//!
//! rpmbuild finds the libraries that the binaries need. Their lists of files are made from the trees, and the script before a removal is that of
//! the Debian package, so that both refuse for the same reasons.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{commit, pack};
use crate::deb::Package;
use crate::deb::tree::{self, entries, read, write};
use crate::run::run;

const SPEC: &str = "packaging/rpm/forebay.spec";
const LINT: &str = "packaging/rpm/rpmlint.toml";
/// Script that Debian runs before a removal.
const PRERM: &str = "packaging/debian/prerm";
/// Paths of shells' files on these systems that differ from Debian's.
const MOVED: &[(&str, &str)] = &[("usr/share/zsh/vendor-completions", "usr/share/zsh/site-functions")];
/// Folder of licences on these systems, with a folder for each package.
const LICENSES: &str = "usr/share/licenses";
/// Number that distinguishes packages of the same version.
const RELEASE: &str = "1";

/// Makes the packages in `folder` and returns their paths: that of the daemon, and that of the helper for Ceph RBD.
///
/// # Errors
/// If rpmbuild fails.
pub(crate) fn rpm(package: &Package<'_>, folder: &Path) -> Result<[PathBuf; 2], String> {
    let work = folder.join("rpm");
    let names = ["forebay", tree::RBD_HELPER];
    let [stage, rbd_stage] = names.map(|name| work.join("trees").join(name));
    let problem = |error: std::io::Error| format!("Could not make a package in {}: {error}.", work.display());
    if work.exists() {
        fs::remove_dir_all(&work).map_err(problem)?;
    }
    tree::fill(&stage, package.root, &package.binary)?;
    tree::fill_rbd(&rbd_stage, package.root, &package.rbd_helper())?;
    for (from, to) in MOVED {
        fs::rename(stage.join(from), stage.join(to)).map_err(problem)?;
    }
    for (name, stage) in names.into_iter().zip([&stage, &rbd_stage]) {
        let license = stage.join(LICENSES).join(name).join("LICENSE");
        tree::install(&package.root.join("LICENSE"), &license, 0o644)?;
        let mut files = Vec::new();
        list(stage, stage, &mut files)?;
        write(&work.join(format!("{name}.files")), &files.join("\n"), 0o644)?;
    }
    write(&work.join("preun"), &preun(&read(&package.root.join(PRERM))?), 0o644)?;
    let architecture = std::env::consts::ARCH;
    let mut rpmbuild = Command::new("rpmbuild");
    rpmbuild.args(["-bb", "--quiet", "--target", architecture]);
    for (name, value) in [
        ("_topdir", work.to_string_lossy().as_ref()),
        ("forebay_version", package.version),
        ("forebay_release", RELEASE),
        ("forebay_commit", &commit(package.root).unwrap_or_else(|| "unknown".to_owned())),
        ("forebay_work", work.to_string_lossy().as_ref()),
    ] {
        rpmbuild.arg("--define").arg(format!("{name} {value}"));
    }
    pack(package.root, rpmbuild.arg(package.root.join(SPEC)))?;
    let files = names.map(|name| format!("{name}-{}-{RELEASE}.{architecture}.rpm", package.version));
    for file in &files {
        fs::rename(work.join("RPMS").join(architecture).join(file), folder.join(file)).map_err(problem)?;
    }
    fs::remove_dir_all(&work).map_err(problem)?;
    Ok(files.map(|file| folder.join(file)))
}

/// Checks a package with rpmlint.
///
/// # Errors
/// If it has a finding that `packaging/rpm/rpmlint.toml` does not answer.
pub(crate) fn lint(root: &Path, package: &Path) -> Result<(), String> {
    run(Command::new("rpmlint").arg("--strict").arg("--config").arg(root.join(LINT)).arg(package))
}

/// Returns Debian's script before a removal in the form of rpm: with the number of versions that stay, and without Debian's helpers.
fn preun(prerm: &str) -> String {
    let body = prerm.replace("deb-systemd-invoke", "systemctl");
    let head = "# The script of the Debian package, with rpm's number of versions that stay as its word.\n";
    let tail = "if [ \"$1\" = remove ]; then systemctl --no-reload disable forebay.service || :; fi\n";
    format!("{head}if [ \"$1\" = 0 ]; then set -- remove; else set -- upgrade; fi\n{body}{tail}")
}

/// Adds to `lines` the entries of rpm for each file below `folder`, and for the folders that no other package has.
fn list(stage: &Path, folder: &Path, lines: &mut Vec<String>) -> Result<(), String> {
    for path in entries(folder)? {
        let name = path.strip_prefix(stage).expect("it was found there").to_string_lossy();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name == "forebay" || name == tree::RBD_HELPER) {
                lines.push(format!("%dir /{name}"));
            }
            list(stage, &path, lines)?;
            continue;
        }
        let attribute = match name.as_ref() {
            name if name.starts_with(LICENSES) => "%license ",
            name if name.starts_with("etc/") => "%config(noreplace) ",
            _ => "",
        };
        lines.push(format!("{attribute}/{name}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removal_by_rpm_is_refused_by_the_script_of_the_debian_package() {
        let prerm = read(&crate::root().join(PRERM)).expect("the package has it");
        let script = preun(&prerm);
        assert!(script.contains("set -- remove") && script.contains("exit 1"), "{script}");
        assert!(!script.contains("deb-systemd"), "{script}");
    }
}
