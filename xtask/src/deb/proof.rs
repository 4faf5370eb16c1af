//! The life of the package in a Debian guest under systemd: installed, started, killed, upgraded, shut down, removed, purged.
//!
//! ```text
//!   mmdebstrap ──> root file system with systemd (kept in target/systemd) ──┐
//!   two packages of different versions, prove.sh ────────────────────────────┼─> guest, shut down ──> exit status
//!   the same root file system, restarted.sh ─────────────────────────────────┴─> guest ──> exit status
//! ```
//! The guest's own archive only mounts the root file system and puts the packages into it; then systemd goes on as its
//! first process and runs the script as a service. The image itself is never changed: each run has a copy. The kernel is one with ublk,
//! and udev, LVM and systemd are those of a host: they find mapped disks, mount them at boot and unmount them at shutdown.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use guest::{Guest, Kernel, Kit};

use super::tree::entries;
use super::{Package, make as make_package};
use crate::built;
use crate::clients;
use crate::run::{output, run};

/// What is in the root file system besides Debian's essential packages.
const PACKAGES: &str = "systemd,systemd-sysv,udev,kmod,lvm2,init-system-helpers,libnbd-bin,rpm";
/// Where a machine with Debian says where its packages come from, newer form first.
const SOURCES: &[&str] = &["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
/// Size of the root file system: room for packages, disks and a pool.
const IMAGE_SIZE: &str = "1G";
/// Size of a disk that the guest's Forebay serves.
const DATA_BYTES: u64 = 32 << 20;
/// A guest's processor is emulated: a minute where the machine has nothing else to do, several where it has.
pub(crate) const SECONDS_MAX: u32 = 900;
/// The last line of a script that came to its end: a guest that never ran it has status 0 too.
pub(crate) const PROVEN: &str = "PROVEN";
/// The scripts, one for each boot.
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
/// What the guest does before systemd.
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

/// Makes two packages and proves them in a guest.
///
/// # Errors
/// If the package is not what it should be, with all that the script printed.
pub(crate) fn prove(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    let image = Image::fresh(root)?;
    let data = Image::blank(root)?;
    // Not the build for use: it takes minutes, and behaves the same.
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
        output += &ended.output;
        fs::write(&log, &output).map_err(|error| format!("Could not write {}: {error}.", log.display()))?;
        if ended.output.lines().last() != Some(PROVEN) || ended.status != 0 {
            return Err(format!(
                "{output}\nThe proof did not come to its end (status {}); its output is above.",
                ended.status
            ));
        }
    }
    println!("The package is proven; what was done is in {}.", log.display());
    Ok(())
}

/// A disk of one run, removed at its end.
pub(crate) struct Image {
    pub(crate) path: PathBuf,
}

impl Image {
    /// A copy of the image that is kept, which is made first if it is not there.
    pub(crate) fn fresh(root: &Path) -> Result<Self, String> {
        let folder = root.join("target/systemd");
        let problem =
            |error: std::io::Error| format!("Could not make an image in {}: {error}.", folder.display());
        fs::create_dir_all(&folder).map_err(problem)?;
        let suite = suite()?;
        let mut hasher = DefaultHasher::new();
        (PACKAGES, SOURCES, IMAGE_SIZE, &suite).hash(&mut hasher);
        let kept = folder.join(format!("root-{:016x}.ext2", hasher.finish()));
        if !kept.exists() {
            // What is left of other recipes and of a making that was cut short.
            for old in entries(&folder)?.iter().filter(|path| path.extension() == Some("ext2".as_ref())) {
                fs::remove_file(old).map_err(problem)?;
            }
            make(&folder.join("making.ext2"), &suite)?;
            fs::rename(folder.join("making.ext2"), &kept).map_err(problem)?;
        }
        let path = folder.join(format!("run-{}.ext2", std::process::id()));
        // Keeps the holes, of which most of it consists.
        run(Command::new("cp").arg("--sparse=always").arg(&kept).arg(&path))?;
        Ok(Self { path })
    }

    /// A disk for the guest's Forebay to serve.
    fn blank(root: &Path) -> Result<Self, String> {
        let path = root.join(format!("target/systemd/data-{}.img", std::process::id()));
        let made = fs::File::create(&path).and_then(|file| file.set_len(DATA_BYTES));
        made.map_err(|error| format!("Could not make {}: {error}.", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            eprintln!("Could not remove {}: {error}. Remove it by hand.", self.path.display());
        }
    }
}

fn make(path: &Path, suite: &str) -> Result<(), String> {
    let mut mmdebstrap = Command::new("mmdebstrap");
    mmdebstrap.args(["--quiet", "--variant=minbase", "--format=ext2"]);
    mmdebstrap
        .args(["--dpkgopt=path-exclude=/usr/share/locale/*", "--dpkgopt=path-exclude=/usr/share/doc/*"]);
    mmdebstrap.arg("--dpkgopt=path-include=/usr/share/doc/forebay/*");
    mmdebstrap.arg(format!("--include={PACKAGES}")).arg(suite).arg(path);
    // From where this machine gets its packages: another mirror may be out of its reach.
    mmdebstrap.args(SOURCES.iter().find(|file| Path::new(file).exists()));
    run(&mut mmdebstrap)?;
    run(Command::new("truncate").args(["--size", IMAGE_SIZE]).arg(path))?;
    run(Command::new("/usr/sbin/resize2fs").arg(path))
}

/// The release of Debian that this machine runs: a package fits the libraries that it was built with.
fn suite() -> Result<String, String> {
    let text = output(Command::new("sh").args(["-c", ". /etc/os-release && echo \"$VERSION_CODENAME\""]))?;
    match text.trim() {
        "" => Err("This machine does not say in /etc/os-release which release of Debian it is.".to_owned()),
        suite => Ok(suite.to_owned()),
    }
}
