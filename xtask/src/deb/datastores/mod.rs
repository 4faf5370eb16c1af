//! The page about datastores, followed by a machine: every command of it runs in a guest, and what they set up is put to the test.
//!
//! ```text
//!   docs/datastores.md ── commands ──┐
//!   single.sh, the package ──────────┴──> a guest of Debian under systemd: target and initiator, thin pool, file
//! ```

mod page;

use std::fs;
use std::path::Path;

use guest::{Cable, Guest, Kernel, Kit};

use super::image::{Image, Recipe};
use super::proof::PROVEN;
use super::{Package, make};
use crate::{built, clients};

const PAGE: &str = "docs/datastores.md";
const SCRIPT: &str = include_str!("single.sh");
/// Files with the commands of the page's parts, each with its heading.
const PARTS: &[(&str, &str)] = &[
    ("file-page.sh", "Make the file"),
    ("file-end-page.sh", "End it"),
    ("containers-page.sh", "Containers"),
    ("target-page.sh", "The target"),
    ("initiator-page.sh", "An initiator"),
];
/// What the page has people install, and what they have already.
const RECIPE: Recipe<'_> = Recipe {
    name: "datastores",
    packages: "systemd,systemd-sysv,init-system-helpers,udev,kmod,iproute2,acl,lvm2,\
               targetcli-fb,open-iscsi,thin-provisioning-tools,libnbd-bin,fuse3,dbus",
    size: "2G",
};
const MEMORY_MIB: u32 = 1536;
const SECONDS_MAX: u32 = 1200;
/// Runs the script and ends the guest with its exit status, by the convention of the guest's archive.
const UNIT: &str = "\
[Unit]
Description=Proof of a page
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'bash /proof/script >/dev/ttyS1 2>&1; echo $? >/dev/ttyS2; journalctl --no-pager >/dev/ttyS0; systemctl --no-block poweroff --force'
";
/// What the guest does before systemd.
const PREPARE: &str = include_str!("prepare.sh");

/// Follows the page in a guest.
///
/// # Errors
/// If a command of it fails, or what it sets up is not as the page says, with all that the script printed.
pub(crate) fn prove(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    let page = fs::read_to_string(root.join(PAGE));
    let page = page.map_err(|error| format!("Could not read {PAGE}: {error}."))?;
    let kit = Kit::with_kernel(Kernel::WithUblk)?;
    let (name, package) = package(root)?;
    let system = Image::fresh(root, &RECIPE)?;
    // Nobody is at its other end: the guest is its own client.
    let [end, _] = Cable::new()?.ends();
    let mut guest = Guest::new(&kit).memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX).plugged(&end);
    guest = guest.disk("root", &system.path).file("/root/proof.service", UNIT);
    guest = guest.file(format!("/root/{name}"), package).file("/root/script", SCRIPT);
    for (file, heading) in PARTS {
        guest = guest.file(format!("/root/{file}"), page::commands(&page, heading)?);
    }
    println!("==> a guest under systemd follows {PAGE}");
    let ended = guest.run(PREPARE)?;
    if ended.status == 0 && ended.output.lines().last() == Some(PROVEN) {
        println!("The commands of {PAGE} are proven.");
        return Ok(());
    }
    Err(format!(
        "{}\nThe proof did not come to its end (status {}); its output is above.",
        ended.output, ended.status
    ))
}

/// Returns name and content of the package that the page has people install.
fn package(root: &Path) -> Result<(String, Vec<u8>), String> {
    // Not the build for use: it takes minutes, and behaves the same.
    let binary = built::for_tests(root)?.join("forebay");
    let package = Package { root, binary, version: env!("CARGO_PKG_VERSION") };
    let file = make(&package, &root.join("target/datastores"))?;
    let content = fs::read(&file).map_err(|error| format!("Could not read {}: {error}.", file.display()))?;
    fs::remove_file(&file).map_err(|error| format!("Could not remove {}: {error}.", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, content))
}
