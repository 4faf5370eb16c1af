//! The files of the package: which there are, where they go, and their rights.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist;
use crate::run::output;

/// The binary in the package.
pub(crate) const BINARY: &str = "usr/bin/forebay";
/// The file that administrators change, which an upgrade leaves as they left it.
pub(crate) const CONFIGURATION: &str = "etc/forebay/forebay.toml";
/// Which services needrestart leaves alone; administrators may change that too.
pub(crate) const NEEDRESTART: &str = "etc/needrestart/conf.d/forebay.conf";

/// Who answers for the package.
pub(crate) const MAINTAINER: &str = "The Forebay authors <forebay@localhost>";

const DOCUMENTS: &str = "usr/share/doc/forebay";
/// Licences of the libraries in the binary.
const NOTICES: &str = "usr/share/doc/forebay/THIRD-PARTY-LICENSES.txt";
const MANUAL: &str = "usr/share/man/man1";
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
/// What shells look for, and what `forebay generate` calls it.
const COMPLETIONS: &[(&str, &str)] = &[
    ("forebay.bash", "usr/share/bash-completion/completions/forebay"),
    ("_forebay", "usr/share/zsh/vendor-completions/_forebay"),
    ("forebay.fish", "usr/share/fish/vendor_completions.d/forebay.fish"),
];

/// Puts every file of the package into `stage`.
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

/// The pages for users, and the licences.
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

/// Debian's own changelog: one entry, which points to what people write. `date` as RFC 5322 has it.
pub(crate) fn add_changelog(stage: &Path, version: &str, date: &str) -> Result<(), String> {
    let path = stage.join(DOCUMENTS).join("changelog");
    let text = format!(
        "forebay ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {MAINTAINER}  {date}\n"
    );
    write(&path, &text, 0o644)?;
    compress(&[path])
}

/// Manual pages and completions, written by the binary that is packaged.
fn add_generated(stage: &Path, binary: &Path) -> Result<(), String> {
    let folder = stage.with_file_name("generated");
    output(Command::new(binary).arg("generate").arg(&folder))?;
    let mut pages = Vec::new();
    for page in entries(&folder.join("man"))? {
        let target = stage.join(MANUAL).join(name_of(&page));
        install(&page, &target, 0o644)?;
        pages.push(target);
    }
    compress(&pages)?;
    for (source, target) in COMPLETIONS {
        install(&folder.join("completions").join(source), &stage.join(target), 0o644)?;
    }
    fs::remove_dir_all(&folder).map_err(|error| problem("remove", &folder, &error))
}

/// The sample with every setting commented out: an installed file must change nothing by itself.
fn commented(sample: &str) -> String {
    let line = |line: &str| match line.chars().next() {
        None | Some('#' | '[') => format!("{line}\n"),
        Some(_) => format!("#{line}\n"),
    };
    sample.lines().map(line).collect()
}

/// Without name and time of the file, so that the same content gives the same bytes.
fn compress(files: &[PathBuf]) -> Result<(), String> {
    output(Command::new("gzip").arg("-9n").args(files)).map(drop)
}

/// Copies a file, with its rights, and makes the folders above it.
pub(crate) fn install(source: &Path, target: &Path, mode: u32) -> Result<(), String> {
    make_folder_of(target)?;
    fs::copy(source, target).map_err(|error| problem("copy", source, &error))?;
    set_mode(target, mode)
}

/// Writes a file with its rights, and the folders above it.
pub(crate) fn write(target: &Path, content: &str, mode: u32) -> Result<(), String> {
    make_folder_of(target)?;
    fs::write(target, content).map_err(|error| problem("write", target, &error))?;
    set_mode(target, mode)
}

/// Makes the folders above `target`, with their rights: who builds may have another umask.
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

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| problem("read", path, &error))
}

/// What is in a folder, in an order that is always the same.
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

/// Returns the files of the tree that have names of their own, of which some change or come with each version.
#[cfg(test)]
pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
    let plain = PLAIN.iter().chain(COMPLETIONS).map(|(_, target)| *target);
    [BINARY, CONFIGURATION, DOCUMENTS, MANUAL].into_iter().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What makes packages and is in none.
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
