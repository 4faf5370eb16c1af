//! Tarball: the tree of the packages for every other system, and debug information in one of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{binary, commit_time};
use crate::deb::Package;
use crate::deb::tree;
use crate::run::run;

/// Files beside the tree, and their sources.
const BESIDE: &[(&str, &str)] = &[("LICENSE", "LICENSE"), ("docs/install.md", "INSTALL.md")];

/// Makes the tarball in `folder` and returns its path. `check` gets each binary as it is packed: that of the daemon, and the helper for Ceph
/// RBD, which needs librbd only when it is started.
///
/// # Errors
/// If a tool fails, or `check`.
pub(crate) fn tarball(
    package: &Package<'_>,
    folder: &Path,
    check: impl Fn(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let name = package.name();
    let stage = folder.join(&name);
    tree::fill(&stage, package.root, &package.binary)?;
    tree::add_rbd_helper(&stage, &package.rbd_helper())?;
    check(&stage.join(tree::BINARY))?;
    check(&stage.join("usr/bin").join(tree::RBD_HELPER))?;
    for (source, target) in BESIDE {
        tree::install(&package.root.join(source), &stage.join(target), 0o644)?;
    }
    pack(package, folder, &name)
}

/// Makes the tarball with debug information in `folder` and returns its path.
///
/// # Errors
/// If a tool fails.
pub(super) fn debug(package: &Package<'_>, folder: &Path) -> Result<PathBuf, String> {
    let name = format!("{}-debug", package.name());
    for binary in [&package.binary, &package.rbd_helper()] {
        binary::write_debug(binary, &folder.join(&name))?;
    }
    pack(package, folder, &name)
}

/// Packs the folder `name` of `folder` and removes it. The same content gives the same bytes.
fn pack(package: &Package<'_>, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let file = folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--mode=u+rwX,go+rX,go-w", "--use-compress-program=gzip -9n"]);
    tar.arg(format!("--mtime=@{}", commit_time(package.root)?)).arg("--file").arg(&file);
    run(tar.arg("--directory").arg(folder).arg(name))?;
    let stage = folder.join(name);
    fs::remove_dir_all(&stage).map_err(|error| format!("Could not remove {}: {error}.", stage.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::output;

    #[test]
    fn everyone_may_read_what_was_packed_whatever_the_umask_of_who_packs() {
        let folder = std::env::temp_dir().join(format!("xtask-pack-{}", std::process::id()));
        let private = folder.join("content/private");
        fs::create_dir_all(&private).expect("a new folder");
        fs::write(private.join("file"), "text").expect("a new file");
        run(Command::new("chmod").args(["--recursive", "go-rwx"]).arg(&folder)).expect("it is ours");
        let package = Package { root: &crate::root(), binary: PathBuf::new(), version: "1.2.3" };
        let file = pack(&package, &folder, "content").expect("tar packs it");
        let listed = output(Command::new("tar").args(["--list", "--verbose", "--file"]).arg(&file));
        fs::remove_dir_all(&folder).expect("it is ours");
        let rights: Vec<_> = listed
            .expect("tar lists it")
            .lines()
            .filter_map(|line| line.get(..10).map(str::to_owned))
            .collect();
        assert_eq!(rights, ["drwxr-xr-x", "drwxr-xr-x", "-rw-r--r--"]);
    }

    #[test]
    fn the_container_is_made_from_the_tarball() {
        let recipe = tree::read(&crate::root().join(super::super::CONTAINERFILE)).expect("it is there");
        let package = Package { root: Path::new("/"), binary: PathBuf::new(), version: "1.2.3" };
        let add = recipe.lines().find_map(|line| line.strip_prefix("ADD ")).expect("it adds the tarball");
        let name = add.replace("${VERSION}", package.version).replace("${ARCH}", std::env::consts::ARCH);
        assert_eq!(name, format!("{}.tar.gz /tmp/", package.name()));
        for folder in ["/var/lib/forebay", "/run/forebay"] {
            assert!(recipe.contains(&format!(
                "--mode 07{} {folder}",
                if folder.starts_with("/run") { "55" } else { "00" }
            )));
            assert!(
                recipe.lines().any(|line| line.starts_with("VOLUME ") && line.contains(folder)),
                "{folder}"
            );
        }
        assert!(recipe.contains("\nUSER forebay\n"), "the daemon does not run as root");
    }
}
