//! The commands of docs/install.md in a Debian guest under systemd: each kind of file installed, upgraded and removed.
//!
//! The guest is that of `deb::proof`, which proves the Debian package in depth. RPM packages are installed by Debian's rpm: no system with
//! RPM as its own format is available from package registries.

use std::fs;
use std::path::Path;

use guest::{Guest, Kernel, Kit};

use super::page;
use super::rpm::rpm;
use super::tarball::tarball;
use crate::built;
use crate::clients;
use crate::deb::image::Image;
use crate::deb::proof::{PREPARE, RECIPE, SECONDS_MAX, UNIT, proven};
use crate::deb::{self, Package};

/// Version to install, and version of the upgrade.
const VERSIONS: [&str; 2] = ["0.0.3", "0.0.4"];
const SCRIPT: &str = include_str!("prove.sh");

/// Makes the packages and the tarball twice, which must give the same bytes, and runs the page's commands in the guest on them and on those
/// of a second version.
///
/// # Errors
/// If a file is not the same twice, or a result differs from the page, with all output of the script.
pub(crate) fn prove(root: &Path) -> Result<(), String> {
    clients::install_missing()?;
    clients::prepare_guests()?;
    let image = Image::fresh(root, &RECIPE)?;
    let binary = built::for_tests(root)?.join("forebay");
    let [installed, upgraded] = VERSIONS;
    let package = Package { root, binary: binary.clone(), version: installed };
    let folder = root.join("target/dist-proof");
    let first = make(&package, &folder)?;
    let again = make(&package, &folder)?;
    if let Some((name, _)) = first.iter().zip(&again).find_map(|(one, other)| (one != other).then_some(one)) {
        return Err(format!("{name} was made twice from the same binary, and the bytes differ."));
    }
    let later = make(&Package { root, binary, version: upgraded }, &folder)?;
    fs::remove_dir_all(&folder)
        .map_err(|error| format!("Could not remove {}: {error}.", folder.display()))?;
    let mut guest = Guest::new(&Kit::with_kernel(Kernel::WithUblk)?)
        .memory_mib(1536)
        .seconds_max(SECONDS_MAX)
        .disk("root", &image.path)
        .file("/root/prove.sh", SCRIPT)
        .file("/root/proof.service", UNIT)
        .file("/root/versions", format!("installed={installed}\nupgraded={upgraded}\n"));
    for (name, script) in page::scripts(installed, upgraded) {
        guest = guest.file(format!("/root/{name}"), script);
    }
    for (name, content) in again.into_iter().chain(later) {
        guest = guest.file(format!("/root/{name}"), content);
    }
    println!("==> a guest under systemd runs the commands of docs/install.md");
    proven(&guest.run(PREPARE)?)?;
    println!("The commands of docs/install.md are proven.");
    Ok(())
}

/// Makes the packages in a new `folder` and returns them by name.
fn make(package: &Package<'_>, folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let problem = |error: std::io::Error| format!("Could not make {}: {error}.", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(problem)?;
    }
    fs::create_dir_all(folder).map_err(problem)?;
    let mut files = vec![deb::make(package, folder)?, tarball(package, folder, |_| Ok(()))?];
    files.extend(rpm(package, folder)?);
    files.iter().map(|file| Ok((name_of(file), read(file)?))).collect()
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("Could not read {}: {error}.", file.display()))
}
