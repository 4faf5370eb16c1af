//! Automated proof of the pages about datastores: all of their commands run in guests, and the result is tested.
//!
//! ```text
//!   docs/datastores.md ── commands ──┐
//!   single.sh, the package ──────────┴──> a guest of Debian under systemd: target and initiator, thin pool, file
//!
//!   docs/nfs.md ── commands ─────────┐
//!   server.sh, the package ──────────┼──> a guest with an array and SSDs: the server, which restarts ──┐
//!   client.sh ───────────────────────┴──> a guest that stays: its client ─────────── cable ────────────┘
//! ```

mod nfs;
mod volatile;

use std::fs;
use std::path::Path;

use guest::{Cable, CableEnd, Guest, Kernel, Kit};

use super::image::{Image, Recipe};
use super::proof::proven;
use super::{Package, make};
use crate::{built, clients, page};

const PAGE: &str = "docs/datastores.md";
const SCRIPT: &str = include_str!("single.sh");
/// Packages that the page installs, and those that are there already.
const RECIPE: Recipe<'_> = Recipe {
    name: "datastores",
    packages: "systemd,systemd-sysv,init-system-helpers,udev,kmod,iproute2,acl,lvm2,\
               targetcli-fb,open-iscsi,thin-provisioning-tools,libnbd-bin,fuse3,dbus",
    size: "2G",
};
const MEMORY_MIB: u32 = 1536;
const SECONDS_MAX: u32 = 1800;
/// Runs the script and ends the guest with its exit status, by the convention of the guest's archive; in order if the script made the file
/// `orderly`.
const UNIT: &str = "\
[Unit]
Description=Proof of a page
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'bash /proof/script >/dev/ttyS1 2>&1; echo $? >/dev/ttyS2; journalctl -b --no-pager >/dev/ttyS0; systemctl --no-block poweroff $([ -e /proof/orderly ] || echo --force)'
";
/// Script of the guest before systemd. The variable `address` is that of its card.
const PREPARE: &str = include_str!("prepare.sh");

/// Extent of the proof of `docs/nfs.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Each command of the page, and one restart in order.
    Short,
    /// The server is reset and loses power as well.
    Long,
}

impl Form {
    /// Returns how long the client may take, which lives through all boots of its server.
    fn client_seconds_max(self) -> u32 {
        match self {
            Self::Short => 2 * SECONDS_MAX,
            Self::Long => 6 * SECONDS_MAX,
        }
    }
}

/// Follows [`PAGE`] in one guest.
///
/// # Errors
/// If a command of it fails, or the result differs from the page, with all output of the script.
pub(crate) fn prove(root: &Path) -> Result<(), String> {
    let (kit, package) = ready(root, RECIPE.name)?;
    let system = Image::fresh(root, &RECIPE)?;
    // The other end is not connected: the guest is its own client.
    let [end, _] = Cable::new()?.ends();
    let files = scripts(root, PAGE)?.into_iter().chain([package]);
    let guest = host(&kit, &system, &end, SCRIPT, files);
    println!("==> a guest under systemd follows {PAGE}");
    proven(&guest.run(&prepare("10.0.0.1"))?)?;
    println!("The commands of {PAGE} are proven.");
    Ok(())
}

/// Follows `docs/nfs.md` in a server and a client.
///
/// # Errors
/// If a command of it fails, or the result differs from the page, with all output of the scripts.
pub(crate) fn prove_nfs(root: &Path, form: Form) -> Result<(), String> {
    let (kit, package) = ready(root, nfs::RECIPE.name)?;
    nfs::prove(root, &kit, package, form)
}

/// Returns the common parts of all guests. The package is made in this folder below `target`.
fn ready(root: &Path, folder: &str) -> Result<(Kit, File), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    Ok((Kit::with_kernel(Kernel::WithUblk)?, package(root, folder)?))
}

/// Name and content of a file in `/proof`.
type File = (String, Vec<u8>);

/// Returns the commands of a page, a script for each block.
fn scripts(root: &Path, path: &str) -> Result<Vec<File>, String> {
    let text =
        fs::read_to_string(root.join(path)).map_err(|error| format!("Could not read {path}: {error}."))?;
    Ok(page::blocks(&text).into_iter().map(|block| (block.script(), block.commands.into_bytes())).collect())
}

/// Returns a guest with this system at an end of a cable, in which `script` runs beside `files`.
fn host(
    kit: &Kit,
    system: &Image,
    end: &CableEnd,
    script: &str,
    files: impl IntoIterator<Item = File>,
) -> Guest {
    let guest = Guest::new(kit).memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX).plugged(end);
    let guest = guest.disk("root", &system.path).file("/root/proof.service", UNIT);
    let guest = guest.file("/root/script", script);
    files.into_iter().fold(guest, |guest, (name, content)| guest.file(format!("/root/{name}"), content))
}

/// Returns the script of a guest with this address before systemd.
fn prepare(address: &str) -> String {
    format!("address={address}\n{PREPARE}")
}

/// Returns the package that the pages install.
fn package(root: &Path, folder: &str) -> Result<File, String> {
    // Not the release build: it takes minutes, and behaves the same.
    let binary = built::for_tests(root)?.join("forebay");
    let package = Package { root, binary, version: env!("CARGO_PKG_VERSION") };
    let file = make(&package, &root.join("target").join(folder))?;
    let content = fs::read(&file).map_err(|error| format!("Could not read {}: {error}.", file.display()))?;
    fs::remove_file(&file).map_err(|error| format!("Could not remove {}: {error}.", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that these scripts together run each block of a page once.
    pub(super) fn check_all_run_once(path: &str, scripts: &[&str]) {
        let text = fs::read_to_string(crate::root().join(path)).expect("it is a page of this repository");
        let blocks = page::blocks(&text);
        assert!(blocks.len() > 4, "{} blocks", blocks.len());
        for block in blocks {
            let runs: usize = scripts.iter().map(|script| block.runs_in(script)).sum();
            assert_eq!(runs, 1, "{}:\n{}", block.script(), block.commands);
        }
    }

    #[test]
    fn the_proof_runs_each_command_of_the_page_once() {
        check_all_run_once(PAGE, &[SCRIPT]);
    }
}
