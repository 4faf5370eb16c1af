//! Life cycle of the package in a Debian guest under systemd: installed, started, killed, upgraded, shut down, removed, purged.
//!
//! ```text
//!   mmdebstrap ──> root file system with systemd (kept in target/systemd) ──┐
//!   two packages of different versions, prove.sh ────────────────────────────┼─> guest, shut down ──> exit status
//!   the same root file system, restarted.sh ─────────────────────────────────┴─> guest ──> exit status
//! ```
//! The guest's own archive only mounts the root file system and copies the packages into it; then systemd is the first process and runs the
//! script as a service. The image itself is never changed: each run has a copy. The kernel is one with ublk, and udev, LVM and systemd are
//! those of a host: they detect mapped disks, mount them at boot and unmount them at shutdown.

use std::fs;
use std::path::Path;

use guest::{Ended, Guest, Kernel, Kit};

use super::image::{Image, Recipe};
use super::{Package, make as make_package};
use crate::built;
use crate::clients;

/// Root file system, with room for packages, disks and a pool.
pub(crate) const RECIPE: Recipe<'_> = Recipe {
    name: "systemd",
    packages: "systemd,systemd-sysv,udev,kmod,lvm2,init-system-helpers,libnbd-bin,rpm",
    size: "1G",
};
/// Size of a disk that the guest's Forebay serves.
const DATA_BYTES: u64 = 32 << 20;
/// Time limit of a guest in seconds. Its processor is emulated: it takes a minute on an idle machine, several on a busy one.
pub(crate) const SECONDS_MAX: u32 = 1500;
/// Last line of a script that ran to its end: a guest that never ran it has status 0 too.
const PROVEN: &str = "PROVEN";
/// Scripts, one for each boot.
const SCRIPTS: [&str; 2] = [include_str!("prove.sh"), include_str!("restarted.sh")];
/// Runs the script and ends the guest with its exit status, by the convention of the guest's archive. An orderly shutdown.
pub(crate) const UNIT: &str = "\
[Unit]
Description=Proof of a package
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sh /proof/prove.sh >/dev/ttyS1 2>&1; echo $? >/dev/ttyS2; journalctl -u forebay --no-pager >/dev/ttyS0'
ExecStopPost=/bin/systemctl --no-block poweroff
";
/// Script of the guest before systemd.
pub(crate) const PREPARE: &str = "\
set -e
mkdir -p /next
mount -t ext4 /dev/disk/root /next
mkdir -p /next/proof /next/var/log/journal
cp /root/* /next/proof/
cp -r /lib/modules /next/lib/
cp /root/proof.service /next/etc/systemd/system/
mkdir -p /next/etc/systemd/system/multi-user.target.wants
ln -sf ../proof.service /next/etc/systemd/system/multi-user.target.wants/proof.service
";

/// Checks that the script of a guest ran to its last line.
///
/// # Errors
/// If it did not, with all of its output.
pub(crate) fn proven(ended: &Ended) -> Result<(), String> {
    if ended.status == 0 && ended.output.lines().last() == Some(PROVEN) {
        return Ok(());
    }
    Err(format!(
        "{}\nThe proof did not come to its end (status {}); its output is above.",
        ended.output, ended.status
    ))
}

/// Makes two packages and proves them in a guest.
///
/// # Errors
/// If the package is not as expected, with all output of the script.
pub(crate) fn prove(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    let image = Image::fresh(root, &RECIPE)?;
    let data = Image::blank(root, "data", DATA_BYTES)?;
    // Not the release build: it takes minutes, and behaves the same.
    let binary = built::for_tests(root)?.join("forebay");
    let kit = Kit::with_kernel(Kernel::WithUblk)?;
    let mut packages = Vec::new();
    for (number, version) in [(1, "0.0.1"), (2, "0.0.2")] {
        let file =
            make_package(&Package { root, binary: binary.clone(), version }, &root.join("target/debian"))?;
        let content =
            fs::read(&file).map_err(|error| format!("Could not read {}: {error}.", file.display()))?;
        packages.push((format!("/root/forebay_{number}.deb"), content));
        fs::remove_file(&file).map_err(|error| format!("Could not remove {}: {error}.", file.display()))?;
    }
    println!("==> a guest under systemd installs, upgrades, restarts with, removes and purges the package");
    let log = root.join("target/systemd/proof.log");
    let mut output = String::new();
    for script in SCRIPTS {
        let guest = Guest::new(&kit)
            .memory_mib(1536)
            .seconds_max(SECONDS_MAX)
            .disk("root", &image.path)
            .disk("data", &data.path)
            .file("/root/prove.sh", script)
            .file("/root/proof.service", UNIT);
        // The first boot leaves them in the root file system.
        let guest = std::mem::take(&mut packages)
            .into_iter()
            .fold(guest, |guest, (path, content)| guest.file(path, content));
        let ended = guest.run(PREPARE).map_err(|why| format!("{output}{why}"))?;
        fs::write(&log, format!("{output}{}", ended.output))
            .map_err(|error| format!("Could not write {}: {error}.", log.display()))?;
        proven(&ended).map_err(|why| format!("{output}{why}"))?;
        output += &ended.output;
    }
    println!("The package is proven; what was done is in {}.", log.display());
    Ok(())
}
