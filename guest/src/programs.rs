//! Program of the host with its libraries, to be run in a guest.
//!
//! The libraries are those that the host's loader lists; libraries that a program opens later, by name, are not found.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::{Archive, Kind};

/// Folders of administrators' programs, which are not in every `PATH`.
const MORE_FOLDERS: &[&str] = &["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Returns the file of a program: `name` itself if it is a path, otherwise the one in `PATH`.
///
/// # Errors
/// If there is none.
pub(crate) fn find(name: &str) -> Result<PathBuf, String> {
    if name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(MORE_FOLDERS.iter().map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file()).ok_or_else(|| {
        format!("There is no program `{name}` on this machine. `cargo xtask test` installs it.")
    })
}

/// Adds the program as `/usr/bin/NAME`, and its libraries at the paths where it expects them.
///
/// # Errors
/// If one of the files cannot be read or the archive cannot be written.
pub(crate) fn add<W: Write>(archive: &mut Archive<W>, program: &Path) -> Result<(), String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let target = format!("/usr/bin/{name}");
    copy(archive, program, &target)?;
    for library in libraries(program)? {
        copy(archive, &library, &library.to_string_lossy())?;
    }
    Ok(())
}

fn copy<W: Write>(archive: &mut Archive<W>, source: &Path, target: &str) -> Result<(), String> {
    let problem = |error: io::Error| format!("Could not take {} into a guest: {error}.", source.display());
    let content = fs::read(source).map_err(problem)?;
    archive.file(target, Kind::Program, &content).map_err(problem)
}

/// Returns the shared libraries of a program and the loader, none for a static one.
fn libraries(program: &Path) -> Result<Vec<PathBuf>, String> {
    let output = Command::new("ldd").arg(program).output();
    let output = output.map_err(|error| format!("Could not start `ldd {}`: {error}.", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && !errors.contains("not a dynamic executable") {
        return Err(format!("Could not see what {} loads: {}", program.display(), errors.trim()));
    }
    parse(&text).map_err(|library| format!("{} needs {library}, which is not here.", program.display()))
}

/// Returns the paths in the output of `ldd`, or the name of a library that it did not find.
fn parse(text: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for line in text.lines() {
        if let Some((name, _)) = line.split_once(" => not found") {
            return Err(name.trim().to_owned());
        }
        paths.extend(line.split_whitespace().find(|word| word.starts_with('/')).map(PathBuf::from));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_the_loader_are_found_in_what_ldd_prints() {
        let text = "\tlinux-vdso.so.1 (0x1)\n\tlibc.so.6 => /lib/libc.so.6 (0x2)\n\t/lib64/ld.so.2 (0x3)\n";
        assert_eq!(parse(text), Ok(vec![PathBuf::from("/lib/libc.so.6"), PathBuf::from("/lib64/ld.so.2")]));
        assert_eq!(parse("\tstatically linked\n"), Ok(Vec::new()));
        assert_eq!(parse("\tlibx.so => not found\n"), Err("libx.so".to_owned()));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = find("no-such-program-here").expect_err("there is none");
        assert!(error.contains("`no-such-program-here`"), "{error}");
        assert!(libraries(Path::new("/no/such/program")).is_err());
        let shell = find("sh").expect("there is always one");
        assert!(!libraries(&shell).expect("it is a program").is_empty());
    }
}
