//! Programs that tests with real clients need, installed from Debian if they are missing.
//!
//! Tests never skip a missing program: a check that was left out would look like one that passed. So the packages are named, then
//! installed. Nothing is changed if all programs are there already.

use std::path::Path;
use std::process::Command;

use crate::run::{is_in_path, run, works};

/// Debian packages with the programs that tests use, besides those that guests need.
const PACKAGES: &[(&str, &[&str])] = &[
    ("qemu-utils", &["qemu-img", "qemu-io", "qemu-nbd"]),
    ("qemu-system-x86", &["qemu-system-x86_64"]),
    ("nbdkit", &["nbdkit"]),
    ("libnbd-bin", &["nbdinfo", "nbdcopy"]),
    ("openssl", &["openssl"]),
    ("libvirt-clients", &["virt-xml-validate"]),
    ("libxml2-utils", &["xmllint"]),
    ("fio", &["fio"]),
    ("jq", &["jq"]),
    ("dmsetup", &["dmsetup"]),
    ("e2fsprogs", &["mke2fs", "resize2fs", "e2fsck"]),
    ("sqlite3", &["sqlite3"]),
    ("xfsprogs", &["mkfs.xfs", "xfs_repair"]),
    ("lvm2", &["lvm"]),
    ("dpkg-dev", &["dpkg-shlibdeps"]),
    ("binutils", &["strip", "objcopy", "objdump", "readelf"]),
    ("rpm", &["rpmbuild"]),
    ("rpmlint", &["rpmlint"]),
    ("mmdebstrap", &["mmdebstrap"]),
    ("genext2fs", &["genext2fs"]),
    // A cluster of its own for disks on Ceph RBD.
    ("ceph-mon", &["ceph-mon"]),
    ("ceph-osd", &["ceph-osd"]),
    ("ceph-mgr", &["ceph-mgr"]),
    ("ceph-common", &["ceph", "rbd"]),
    ("ceph-base", &["monmaptool"]),
    // Its gateways for stores by S3.
    ("radosgw", &["radosgw"]),
    ("curl", &["curl"]),
    ("prometheus", &["promtool"]),
    ("nodejs", &["node"]),
    ("npm", &["npm"]),
    ("chromium", &["chromium"]),
];
/// Kernels of the tests' guests.
const KERNELS: [guest::Kernel; 2] = [guest::Kernel::Release, guest::Kernel::WithUblk];
/// Requirements of a Python program that fuzzes the HTTP interface from its description, with the versions of all dependencies.
const SCHEMATHESIS: &str = "daemon/tests/real_clients/schemathesis.txt";
/// Folders of administrators' programs, which are not in every `PATH`.
const MORE_FOLDERS: &[&str] = &["/usr/sbin", "/sbin"];

/// Installs the programs that are missing.
///
/// # Errors
/// If some are missing and cannot be installed; the error lists the packages to install by hand.
pub(crate) fn install_missing() -> Result<(), String> {
    let packages = missing(is_there);
    if packages.is_empty() {
        return Ok(());
    }
    println!(
        "Tests with real clients need these Debian packages, which are not here yet: {}",
        packages.join(" ")
    );
    install(&packages)?;
    match missing(is_there).as_slice() {
        [] => Ok(()),
        still => {
            Err(format!("Programs of {} are still not in PATH after their installation.", still.join(" ")))
        }
    }
}

fn install(packages: &[&str]) -> Result<(), String> {
    let list = packages.join(" ");
    let by_hand = |why: &str| format!("Could not install {list}: {why}. Install them by hand and try again.");
    if !is_in_path("apt-get") {
        return Err(by_hand("there is no apt-get on this machine"));
    }
    let prefix = root_prefix().ok_or_else(|| by_hand("this needs root, and there is no sudo"))?;
    run(&mut apt_get(prefix, &["update"])).map_err(|error| by_hand(&error))?;
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    run(&mut apt_get(prefix, &install)).map_err(|error| by_hand(&error))
}

/// Makes all kits of guests: the packages that are only downloaded may need newer lists of packages.
///
/// # Errors
/// If a kernel of the guests is not available, with the message of apt.
pub(crate) fn prepare_guests() -> Result<(), String> {
    let ready = || KERNELS.iter().try_for_each(|kernel| guest::Kit::with_kernel(*kernel).map(drop));
    if ready().is_ok() {
        return Ok(());
    }
    if let Some(prefix) = root_prefix() {
        run(&mut apt_get(prefix, &["update"]))?;
    }
    ready()
}

/// Creates `target/schemathesis` with Schemathesis in an environment of its own, if necessary; no other Python is changed.
///
/// # Errors
/// If there is no Python with its `venv`, or the package index cannot be reached.
pub(crate) fn prepare_schemathesis(root: &Path) -> Result<(), String> {
    let (folder, list) = (root.join("target/schemathesis"), root.join(SCHEMATHESIS));
    let done = folder.join("installed.txt");
    let wanted = std::fs::read(&list).map_err(|error| format!("Could not read {SCHEMATHESIS}: {error}."))?;
    // It contains the paths of its Python and folder, which may have changed.
    let is_whole = || works(Command::new(folder.join("bin/schemathesis")).arg("--version"));
    if std::fs::read(&done).is_ok_and(|installed| installed == wanted) && is_whole() {
        return Ok(());
    }
    println!(
        "Fuzzing the HTTP interface needs Schemathesis, which is not here yet: it goes into target/schemathesis."
    );
    // Debian has this part of Python in a separate package.
    if !works(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
        install(&["python3-venv"])?;
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/pip"));
    run(pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(&list))?;
    std::fs::copy(&list, &done).map_err(|error| format!("Could not write {}: {error}.", done.display()))?;
    Ok(())
}

fn is_there(program: &str) -> bool {
    is_in_path(program) || MORE_FOLDERS.iter().any(|folder| Path::new(folder).join(program).is_file())
}

/// Returns the packages of which a program is missing.
fn missing(is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let all = PACKAGES.iter().chain(guest::PACKAGES);
    let incomplete = all.filter(|(_, programs)| !programs.iter().all(|name| is_there(name)));
    incomplete.map(|(package, _)| *package).collect()
}

/// Returns the prefix of a command that needs root: nothing for root itself, sudo for others, `None` without sudo.
fn root_prefix() -> Option<&'static [&'static str]> {
    let is_root = works(Command::new("sh").args(["-c", "test \"$(id -u)\" = 0"]));
    match (is_root, is_in_path("sudo")) {
        (true, _) => Some(&[]),
        (false, true) => Some(&["sudo"]),
        (false, false) => None,
    }
}

/// Returns `apt-get` without prompts. The variable is set through `env`, since sudo would drop it.
fn apt_get(prefix: &[&str], arguments: &[&str]) -> Command {
    let words = [prefix, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], arguments].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_missing_where_all_programs_are() {
        assert!(missing(|_| true).is_empty());
    }

    #[test]
    fn a_package_is_missing_if_one_of_its_programs_is() {
        assert_eq!(missing(|program| program != "nbdcopy"), ["libnbd-bin"]);
        assert_eq!(missing(|_| false).len(), PACKAGES.len() + guest::PACKAGES.len());
    }

    #[test]
    fn apt_get_asks_nothing_also_through_sudo() {
        let command = apt_get(&["sudo"], &["update"]);
        assert_eq!(command.get_program(), "sudo");
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "update"]);
    }
}
