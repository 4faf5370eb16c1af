//! Common parts of all guests: a kernel of Debian, and an archive with busybox, modules and the first process.
//!
//! A kit is made from packages alone, kept in a folder of the build, and made again when the recipe below changes.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::{Archive, Kind};
use crate::programs;

const INIT: &str = include_str!("init.sh");
/// Modules that a guest can load with `modprobe`; their dependencies are included. `ext4` is part of the kernel.
const MODULES: &[&str] = &[
    // Those of every guest, and of disks and ports that a caller may add.
    "virtio_pci",
    "virtio_blk",
    "virtio_scsi",
    "sd_mod",
    "nvme",
    "virtio_console",
    "virtio_net",
    // Those that keep, drop, delay and copy the writes of a disk.
    "dm_mod",
    "dm_log_writes",
    "dm_flakey",
    "dm_delay",
    "dm_snapshot",
    // Other disks and file systems.
    "nbd",
    "loop",
    "brd",
    "xfs",
];

/// Kernel of Debian: the small one for virtual machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The kernel of the release that the host runs: 6.1 on Debian 12, which has NBD and no ublk.
    Release,
    /// A kernel with ublk: 6.12, which Debian 12 has among its security updates and Debian 13 as its own.
    WithUblk,
}

impl Kernel {
    /// Returns Debian's packages whose only dependency is the newest such kernel. The first one that apt knows is taken.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Release => &["linux-image-cloud-amd64"],
            Self::WithUblk => &["linux-image-6.12-cloud-amd64", "linux-image-cloud-amd64"],
        }
    }

    /// Returns the modules that only guests with this kernel have.
    fn own_modules(self) -> &'static [&'static str] {
        match self {
            Self::Release => &[],
            Self::WithUblk => &[
                "ublk_drv",
                "mq_deadline",
                // Servers of mapped disks for others, and their dependencies.
                "nfsd",
                "nfsv3",
                "nfsv4",
                "iscsi_target_mod",
                "target_core_iblock",
                "iscsi_tcp",
                "dm_thin_pool",
                "fuse",
                // Block caches with which mapped disks are compared.
                "bcache",
                "dm_cache",
                "dm_cache_smq",
                "dm_writecache",
            ],
        }
    }

    /// Returns the folder of its kits in the build folder. A kit removes all others in its folder, so each kernel has its own.
    fn folder(self) -> &'static str {
        match self {
            Self::Release => "guest",
            Self::WithUblk => "guest-ublk",
        }
    }
}

/// Kernel and base archive. See the module.
#[derive(Clone, Debug)]
pub struct Kit {
    folder: PathBuf,
}

impl Kit {
    /// Returns the kit of this workspace with the kernel of the host's release. See [`Kit::with_kernel`].
    ///
    /// # Errors
    /// As there.
    pub fn ready() -> Result<Self, String> {
        Self::with_kernel(Kernel::Release)
    }

    /// Returns the kit of this workspace with this kernel. Makes it first if it is missing or is of another recipe, which takes seconds and
    /// downloads one package. Processes that need it at the same time wait for each other.
    ///
    /// # Errors
    /// If a program of [`crate::PACKAGES`] is missing, the package cannot be fetched or the folder cannot be written.
    pub fn with_kernel(kernel: Kernel) -> Result<Self, String> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
        Self::ready_in(&target.join(kernel.folder()), kernel)
    }

    fn ready_in(folder: &Path, kernel: Kernel) -> Result<Self, String> {
        let problem = |error: io::Error| format!("Could not make a guest in {}: {error}.", folder.display());
        fs::create_dir_all(folder).map_err(problem)?;
        let lock = File::create(folder.join("lock")).map_err(problem)?;
        lock.lock().map_err(problem)?;
        let kit = Self { folder: folder.join(format!("kit-{:016x}", recipe(kernel))) };
        if kit.folder.is_dir() {
            return Ok(kit);
        }
        // Remains of other recipes, and of an interrupted run.
        for entry in fs::read_dir(folder).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            if path.is_dir() {
                fs::remove_dir_all(path).map_err(problem)?;
            }
        }
        let making = folder.join("making");
        fs::create_dir(&making).map_err(problem)?;
        make(&making, kernel)?;
        fs::rename(&making, &kit.folder).map_err(problem)?;
        Ok(kit)
    }

    /// Returns the kernel, for QEMU's `-kernel`.
    pub fn kernel(&self) -> PathBuf {
        self.folder.join("kernel")
    }

    /// Returns the archive that boots, to be followed by one with `/script`.
    pub(crate) fn base(&self) -> PathBuf {
        self.folder.join("base.cpio")
    }
}

/// Returns a hash of everything that determines a kit; a newer kernel of Debian alone is no reason for a new one.
fn recipe(kernel: Kernel) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kernel.packages(), INIT, MODULES, kernel.own_modules()).hash(&mut hasher);
    hasher.finish()
}

fn make(folder: &Path, kernel: Kernel) -> Result<(), String> {
    let package = kernel_package(kernel)?;
    run(Command::new("apt-get").args(["download", &package]).current_dir(folder))?;
    let file = only_entry(folder)?;
    let unpacked = folder.join("unpacked");
    run(Command::new("dpkg-deb").arg("--extract").arg(&file).arg(&unpacked))?;
    let release = package.trim_start_matches("linux-image-");
    let image = unpacked.join("boot").join(format!("vmlinuz-{release}"));
    let problem = |error: io::Error| format!("Could not make a guest of {package}: {error}.");
    fs::rename(image, folder.join("kernel")).map_err(problem)?;
    let modules = folder.join("modules");
    choose_modules(&unpacked, &modules, release, &[MODULES, kernel.own_modules()].concat())?;
    write_base(&folder.join("base.cpio"), &modules).map_err(problem)?;
    for folder in [unpacked, modules] {
        fs::remove_dir_all(folder).map_err(problem)?;
    }
    fs::remove_file(file).map_err(problem)
}

/// Returns the package of the newest kernel, which a package without a version depends on.
fn kernel_package(kernel: Kernel) -> Result<String, String> {
    let newest = |package: &&str| {
        // It fails for a package that apt does not know.
        let text = run(Command::new("apt-cache").args(["depends", package])).ok()?;
        text.lines().find_map(|line| line.trim().strip_prefix("Depends: ")).map(str::to_owned)
    };
    kernel.packages().iter().find_map(newest).ok_or_else(|| {
        let packages = kernel.packages().join(" nor ");
        format!(
            "apt knows no package {packages}. Run `apt-get update` and try again; on Debian 12, kernels with ublk are among \
             the security updates."
        )
    })
}

fn only_entry(folder: &Path) -> Result<PathBuf, String> {
    let entry = fs::read_dir(folder).ok().and_then(|mut entries| entries.next()?.ok());
    entry.map(|entry| entry.path()).ok_or_else(|| format!("apt-get left nothing in {}.", folder.display()))
}

/// Copies the wanted modules and their dependencies from `unpacked` into `chosen`, with the tables of `modprobe`.
fn choose_modules(unpacked: &Path, chosen: &Path, release: &str, wanted: &[&str]) -> Result<(), String> {
    let problem = |error: io::Error| format!("Could not take modules of {release}: {error}.");
    let depmod = |tree: &Path| run(Command::new(programs::find("depmod")?).arg("-b").arg(tree).arg(release));
    let folder_in = |tree: &Path| tree.join("lib/modules").join(release);
    depmod(unpacked)?;
    let (source, target) = (folder_in(unpacked), folder_in(chosen));
    let read = |table| fs::read_to_string(source.join(table)).map_err(problem);
    let (needs, builtin) = (read("modules.dep")?, read("modules.builtin")?);
    let missing = |module: String| format!("The kernel {release} has no module {module}.");
    let mut files = closure(&needs, &builtin, wanted).map_err(missing)?;
    files.extend(["modules.order", "modules.builtin", "modules.builtin.modinfo"]);
    for file in files {
        let copy = target.join(file);
        fs::create_dir_all(copy.parent().expect("it was joined to a folder")).map_err(problem)?;
        fs::copy(source.join(file), copy).map_err(problem)?;
    }
    depmod(chosen).map(drop)
}

/// Returns the files of the wanted modules and of their dependencies, from the lines `FILE: FILE...` of `modules.dep`. A module that is
/// part of the kernel, by a line of `modules.builtin`, has no file. Fails with the name of a missing one.
fn closure<'a>(needs: &'a str, builtin: &str, wanted: &[&str]) -> Result<Vec<&'a str>, String> {
    let mut files = Vec::new();
    for module in wanted.iter().filter(|module| !builtin.lines().any(|file| name(file) == **module)) {
        let line =
            needs.lines().find(|line| line.split(':').next().is_some_and(|file| name(file) == *module));
        let line = line.ok_or_else(|| (*module).to_owned())?;
        files.extend(line.split([':', ' ']).filter(|file| !file.is_empty()));
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// Returns the name of the module in `file`, as `modprobe` uses it.
fn name(file: &str) -> String {
    let file = file.rsplit('/').next().unwrap_or(file);
    file.split(".ko").next().unwrap_or(file).replace('-', "_")
}

fn write_base(file: &Path, modules: &Path) -> io::Result<()> {
    let mut archive = Archive::new(BufWriter::new(File::create(file)?));
    for folder in ["/proc", "/sys", "/dev", "/tmp", "/run", "/root", "/etc", "/mnt", "/var/lib"] {
        archive.folder(folder)?;
    }
    let busybox = programs::find("busybox").map_err(io::Error::other)?;
    archive.file("/bin/busybox", Kind::Program, &fs::read(busybox)?)?;
    archive.file("/init", Kind::Program, INIT.as_bytes())?;
    add_tree(&mut archive, modules, "")?;
    archive.finish()
}

fn add_tree<W: io::Write>(archive: &mut Archive<W>, folder: &Path, target: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let target = format!("{target}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            add_tree(archive, &entry.path(), &target)?;
        } else {
            archive.file(&target, Kind::Data, &fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// Runs a program to its end and returns its output; its errors are shown only if it fails.
fn run(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("Could not start {shown}: {error}."))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{shown} failed ({}): {}", output.status, errors.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_with_what_they_need() {
        let needs = "a/dm-mod.ko:\na/dm-log-writes.ko: a/dm-mod.ko\nb/x.ko.xz: b/y.ko.xz\nb/y.ko.xz:\n";
        assert_eq!(closure(needs, "", &["dm_log_writes"]), Ok(vec!["a/dm-log-writes.ko", "a/dm-mod.ko"]));
        assert_eq!(closure(needs, "", &["x", "y"]), Ok(vec!["b/x.ko.xz", "b/y.ko.xz"]));
        assert_eq!(closure(needs, "", &["x", "z"]), Err("z".to_owned()));
    }

    #[test]
    fn modules_that_are_part_of_the_kernel_have_no_file() {
        let builtin = "kernel/drivers/virtio/virtio_pci.ko\nkernel/fs/ext4/ext4.ko\n";
        assert_eq!(closure("b/x.ko.xz:\n", builtin, &["virtio_pci", "x"]), Ok(vec!["b/x.ko.xz"]));
    }

    #[test]
    fn each_kernel_has_a_folder_and_a_recipe_of_its_own() {
        let (release, with_ublk) = (Kernel::Release, Kernel::WithUblk);
        assert_ne!(release.folder(), with_ublk.folder());
        assert_ne!(recipe(release), recipe(with_ublk));
    }
}
