//! Files of the package, with their paths and rights.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist;
use crate::run::output;

/// The binary in the package.
pub(crate) const BINARY: &str = "usr/bin/forebay";
/// Name of the helper for disks on Ceph RBD, and of its package.
pub(crate) const RBD_HELPER: &str = "forebay-rbd";
/// File that administrators change, and that an upgrade does not overwrite.
pub(crate) const CONFIGURATION: &str = "etc/forebay/forebay.toml";
/// Configuration of needrestart with the services that it must not restart; administrators may change it too.
pub(crate) const NEEDRESTART: &str = "etc/needrestart/conf.d/forebay.conf";

/// Maintainer of the package.
pub(crate) const MAINTAINER: &str = "The Forebay authors <forebay@localhost>";

const DOCUMENTS: &str = "usr/share/doc/forebay";
/// File with the licences of the libraries in the binary.
const NOTICES: &str = "usr/share/doc/forebay/THIRD-PARTY-LICENSES.txt";
/// Folder of manual pages, with a folder for each section.
const MANUAL: &str = "usr/share/man";
/// Files that are packaged as they are.
const PLAIN: &[(&str, &str)] = &[
    ("packaging/forebay.service", "usr/lib/systemd/system/forebay.service"),
    ("packaging/forebay-map.service", "usr/lib/systemd/system/forebay-map.service"),
    ("packaging/forebay-restore.service", "usr/lib/systemd/system/forebay-restore.service"),
    ("packaging/forebay-mapped.service", "usr/lib/systemd/system/forebay-mapped.service"),
    ("packaging/60-forebay.rules", "usr/lib/udev/rules.d/60-forebay.rules"),
    ("packaging/98-forebay.rules", "usr/lib/udev/rules.d/98-forebay.rules"),
    ("packaging/needrestart.conf", NEEDRESTART),
    ("packaging/sysusers.conf", "usr/lib/sysusers.d/forebay.conf"),
    ("packaging/debian/copyright", "usr/share/doc/forebay/copyright"),
];
/// Paths of completions for shells, and their names for `forebay generate`.
const COMPLETIONS: &[(&str, &str)] = &[
    ("forebay.bash", "usr/share/bash-completion/completions/forebay"),
    ("_forebay", "usr/share/zsh/vendor-completions/_forebay"),
    ("forebay.fish", "usr/share/fish/vendor_completions.d/forebay.fish"),
];

/// Adds every file of the package to `stage`.
pub(crate) fn fill(stage: &Path, root: &Path, binary: &Path) -> Result<(), String> {
    install(binary, &stage.join(BINARY), 0o755)?;
    // Its symbols are in the debug information of a release.
    output(Command::new("strip").arg("--strip-all").arg(stage.join(BINARY)))?;
    for (source, target) in PLAIN {
        install(&root.join(source), &stage.join(target), 0o644)?;
    }
    let sample = read(&root.join("docs/forebay.toml"))?;
    write(&stage.join(CONFIGURATION), &commented(&sample), 0o644)?;
    add_documents(stage, root)?;
    add_generated(stage, binary)
}

/// Adds the helper for Ceph RBD to `stage`, without its symbols.
pub(crate) fn add_rbd_helper(stage: &Path, helper: &Path) -> Result<(), String> {
    let target = stage.join("usr/bin").join(RBD_HELPER);
    install(helper, &target, 0o755)?;
    output(Command::new("strip").arg("--strip-all").arg(&target)).map(drop)
}

/// Adds every file of the package of the helper for Ceph RBD to `stage`.
pub(crate) fn fill_rbd(stage: &Path, root: &Path, helper: &Path) -> Result<(), String> {
    add_rbd_helper(stage, helper)?;
    let documents = stage.join("usr/share/doc").join(RBD_HELPER);
    install(&root.join("packaging/debian/copyright"), &documents.join("copyright"), 0o644)?;
    // Its libraries are among those of the daemon.
    let notices = documents.join("THIRD-PARTY-LICENSES.txt");
    write(&notices, &dist::notices(root, &dist::target(root)?)?, 0o644)?;
    compress(&[notices])
}

/// Adds the pages for users, and the licences.
fn add_documents(stage: &Path, root: &Path) -> Result<(), String> {
    install(&root.join("CHANGELOG.md"), &stage.join(DOCUMENTS).join("CHANGELOG.md"), 0o644)?;
    for page in entries(&root.join("docs"))? {
        if page.extension().is_some_and(|ending| ending == "md") {
            install(&page, &stage.join(DOCUMENTS).join(name_of(&page)), 0o644)?;
        }
    }
    let path = stage.join(NOTICES);
    write(&path, &dist::notices(root, &dist::target(root)?)?, 0o644)?;
    compress(&[path])
}

/// Adds Debian's own changelog of package `name`: one entry, which refers to the real one. `date` is in the form of RFC 5322.
pub(crate) fn add_changelog(stage: &Path, name: &str, version: &str, date: &str) -> Result<(), String> {
    let path = stage.join("usr/share/doc").join(name).join("changelog");
    let text = format!(
        "{name} ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {MAINTAINER}  {date}\n"
    );
    write(&path, &text, 0o644)?;
    compress(&[path])
}

/// Adds manual pages and completions, written by the packaged binary.
fn add_generated(stage: &Path, binary: &Path) -> Result<(), String> {
    let folder = stage.with_file_name("generated");
    output(Command::new(binary).arg("generate").arg(&folder))?;
    let mut pages = Vec::new();
    for page in entries(&folder.join("man"))? {
        let section = page.extension().unwrap_or_default().to_string_lossy();
        let target = stage.join(MANUAL).join(format!("man{section}")).join(name_of(&page));
        install(&page, &target, 0o644)?;
        pages.push(target);
    }
    compress(&pages)?;
    for (source, target) in COMPLETIONS {
        install(&folder.join("completions").join(source), &stage.join(target), 0o644)?;
    }
    fs::remove_dir_all(&folder).map_err(|error| problem("remove", &folder, &error))
}

/// Returns the sample with every setting commented out: an installed file must change nothing by itself. A table whose name is an example is
/// one as well.
fn commented(sample: &str) -> String {
    let line = |line: &str| match line.chars().next() {
        Some('[') if line.contains("NAME") => format!("#{line}\n"),
        None | Some('#' | '[') => format!("{line}\n"),
        Some(_) => format!("#{line}\n"),
    };
    sample.lines().map(line).collect()
}

/// Compresses files without their names and times, so that the same content gives the same bytes.
fn compress(files: &[PathBuf]) -> Result<(), String> {
    output(Command::new("gzip").arg("-9n").args(files)).map(drop)
}

/// Copies a file, with its rights, and creates its parent folders.
pub(crate) fn install(source: &Path, target: &Path, mode: u32) -> Result<(), String> {
    make_folder_of(target)?;
    fs::copy(source, target).map_err(|error| problem("copy", source, &error))?;
    set_mode(target, mode)
}

/// Writes a file with its rights, and creates its parent folders.
pub(crate) fn write(target: &Path, content: &str, mode: u32) -> Result<(), String> {
    make_folder_of(target)?;
    fs::write(target, content).map_err(|error| problem("write", target, &error))?;
    set_mode(target, mode)
}

/// Creates the parent folders of `target`, with their rights, independent of the umask.
pub(crate) fn make_folder_of(target: &Path) -> Result<(), String> {
    let folder = target.parent().expect("a file of a package lies in a folder");
    if folder.is_dir() {
        return Ok(());
    }
    make_folder_of(folder)?;
    fs::create_dir(folder).map_err(|error| problem("make", folder, &error))?;
    set_mode(folder, 0o755)
}

fn set_mode(path: &Path, mode: u32) -> Result<(), String> {
    let mode = fs::Permissions::from_mode(mode);
    fs::set_permissions(path, mode).map_err(|error| problem("set the rights of", path, &error))
}

/// Returns the text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| problem("read", path, &error))
}

/// Returns the paths in a folder, in an order that is always the same.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    let mut paths = listed.map_err(|error| problem("list", folder, &error))?;
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> &std::ffi::OsStr {
    path.file_name().expect("entries of a folder have names")
}

fn problem(action: &str, path: &Path, error: &std::io::Error) -> String {
    format!("Could not {action} {}: {error}.", path.display())
}

/// Returns the files of the tree with fixed names, of which some change with each version.
#[cfg(test)]
pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
    let plain = PLAIN.iter().chain(COMPLETIONS).map(|(_, target)| *target);
    [BINARY, CONFIGURATION, DOCUMENTS, MANUAL].into_iter().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders with recipes of packages, which are in none.
    const RECIPES: &[&str] = &["packaging/rpm/", "packaging/container/"];

    #[test]
    fn every_file_of_packaging_is_in_a_package_or_makes_one() {
        let root = crate::root();
        let mut folders = vec![root.join("packaging")];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in entries(&folder).expect("it is a folder") {
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        for path in files {
            let name = path.strip_prefix(&root).expect("it was found there").to_string_lossy().into_owned();
            let is_script = super::super::control::SCRIPTS
                .iter()
                .any(|script| name == format!("packaging/debian/{script}"));
            let is_recipe = RECIPES.iter().any(|folder| name.starts_with(folder));
            assert!(
                is_script || is_recipe || PLAIN.iter().any(|(source, _)| *source == name),
                "{name} goes nowhere"
            );
        }
    }

    #[test]
    fn an_installed_configuration_sets_nothing() {
        let sample = "# About.\ndir = \"/x\"\n\n[pool]\nsize = \"1GiB\"\n";
        assert_eq!(commented(sample), "# About.\n#dir = \"/x\"\n\n[pool]\n#size = \"1GiB\"\n");
    }
}
