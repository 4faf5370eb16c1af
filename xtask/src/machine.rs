//! `cargo xtask guest`: a Linux guest for people, with this tree's `forebay` in it.
//!
//! The script runs with busybox's shell as root. Disks are `/dev/disk/NAME` by the name of their image without its extension, and images
//! change; files are in `/root`.

use std::fs;
use std::path::Path;

use guest::{Guest, Kit};

use crate::clients;
use crate::run::{cargo, run as run_program};

/// Programs in the guest besides `forebay` and busybox.
const PROGRAMS: &[&str] = &["fio", "dmsetup", "mke2fs", "e2fsck", "nbdinfo", "nbdcopy", "qemu-io", "jq"];
/// Memory of the guest in MiB, with room for the libraries of all these programs.
const MEMORY_MIB: u32 = 1536;

/// Arguments of the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    script: String,
    disks: Vec<String>,
    files: Vec<String>,
}

/// Reads the options after the script.
pub(crate) fn parse(script: &str, options: &[&str]) -> Result<Machine, String> {
    let mut machine = Machine { script: script.to_owned(), disks: Vec::new(), files: Vec::new() };
    for pair in options.chunks(2) {
        match pair {
            ["--disk", image] => machine.disks.push((*image).to_owned()),
            ["--file", file] => machine.files.push((*file).to_owned()),
            _ => {
                let text = pair.join(" ");
                return Err(format!("`{text}` is no option of `guest`. Use --disk IMAGE or --file FILE."));
            }
        }
    }
    Ok(machine)
}

/// Boots, prints the output of the script, and succeeds if the script did.
pub(crate) fn run(root: &Path, machine: &Machine) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    run_program(cargo(root).args(["build", "--quiet", "--package", "daemon", "--bin", "forebay"]))?;
    let read = |path: &str| fs::read(path).map_err(|error| format!("Could not read {path}: {error}."));
    let script = String::from_utf8(read(&machine.script)?)
        .map_err(|_| format!("{} is no text. Name a shell script.", machine.script))?;
    let forebay = root.join("target/debug/forebay");
    let mut guest = Guest::new(&Kit::ready()?).memory_mib(MEMORY_MIB).program(forebay.to_string_lossy());
    for program in PROGRAMS {
        guest = guest.program(*program);
    }
    for image in &machine.disks {
        guest = guest.disk(stem(image), image);
    }
    for file in &machine.files {
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        guest = guest.file(format!("/root/{name}"), read(file)?);
    }
    let ended = guest.run(&script)?;
    print!("{}", ended.output);
    match ended.status {
        0 => Ok(()),
        status => Err(format!("{} ended with status {status}. Its output is above.", machine.script)),
    }
}

fn stem(image: &str) -> String {
    Path::new(image).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_guest_are_read() {
        let machine = parse("a.sh", &["--disk", "x/data.img", "--file", "note"]).expect("both are options");
        assert_eq!(machine.disks, ["x/data.img"]);
        assert_eq!(machine.files, ["note"]);
        assert_eq!(stem("x/data.img"), "data");
        assert!(parse("a.sh", &["--disc", "x"]).is_err());
        assert!(parse("a.sh", &["--disk"]).is_err());
    }
}
