//! `docs/nfs.md` in two guests that a cable connects: a server with an array and SSDs, and a client.
//!
//! The client mounts, writes and reads all the time, while an SSD of the server is removed and replaced and the server restarts. Both ends
//! wait for each other by files in the first volume.

use std::path::Path;
use std::thread;

use guest::{Bus, Cable, CableEnd, Guest, Kit};

use super::{File, SECONDS_MAX, host, prepare, scripts};
use crate::deb::image::{Image, Recipe};
use crate::deb::proof::proven;

const PAGE: &str = "docs/nfs.md";
/// Packages of both guests; those that the page installs are there already.
const RECIPE: Recipe<'_> = Recipe {
    name: "nfs",
    packages: "systemd,systemd-sysv,init-system-helpers,udev,kmod,iproute2,acl,e2fsprogs,nfs-kernel-server,nfs-common,fio",
    size: "2G",
};
const SERVER: (&str, &str) = ("10.0.0.1", include_str!("server.sh"));
const SERVER_AGAIN: &str = include_str!("server-again.sh");
const CLIENT: (&str, &str) = ("10.0.0.2", include_str!("client.sh"));
/// Size of the array: room for the reservation of the page. It is a sparse file.
const ARRAY_BYTES: u64 = 240 << 30;
const SSD_BYTES: u64 = 256 << 20;
/// The server's SSDs, by serial number.
const SSDS: [&str; 3] = ["FIRST", "SECOND", "THIRD"];

/// Server with its disks, which stay as they are from one boot to the next.
struct Server<'a> {
    kit: &'a Kit,
    end: CableEnd,
    system: Image,
    array: Image,
    ssds: Vec<(&'static str, Image)>,
}

impl<'a> Server<'a> {
    fn new(root: &Path, kit: &'a Kit, end: CableEnd) -> Result<Self, String> {
        let ssd = |serial| Ok((serial, Image::blank(root, serial, SSD_BYTES)?));
        Ok(Self {
            kit,
            end,
            system: Image::fresh(root, &RECIPE)?,
            array: Image::blank(root, "array", ARRAY_BYTES)?,
            ssds: SSDS.into_iter().map(ssd).collect::<Result<_, String>>()?,
        })
    }

    /// Returns a guest with all of its disks, to run `script`.
    fn guest(&self, script: &str, files: impl IntoIterator<Item = File>) -> Guest {
        let guest = host(self.kit, &self.system, &self.end, script, files);
        let guest = guest.disk_on(Bus::Scsi, "ARRAY", &self.array.path);
        self.ssds.iter().fold(guest, |guest, (serial, image)| guest.disk_on(Bus::Nvme, *serial, &image.path))
    }

    /// Boots, follows the page and shuts down, then boots once more.
    fn run(&self, files: impl IntoIterator<Item = File>) -> Result<(), String> {
        let prepare = prepare(SERVER.0);
        proven(&self.guest(SERVER.1, files).run(&prepare)?)?;
        proven(&self.guest(SERVER_AGAIN, []).run(&prepare)?)
    }
}

/// Follows the page, with this package.
///
/// # Errors
/// If a command of it fails, or the result differs from the page, with all output of the scripts.
pub(super) fn prove(root: &Path, kit: &Kit, package: File) -> Result<(), String> {
    let [end, client_end] = Cable::new()?.ends();
    let (server, system) = (Server::new(root, kit, end)?, Image::fresh(root, &RECIPE)?);
    let scripts = scripts(root, PAGE)?;
    let client = host(kit, &system, &client_end, CLIENT.1, scripts.clone());
    println!("==> a server and a client under systemd follow {PAGE}");
    let client = client.seconds_max(2 * SECONDS_MAX).start(&prepare(CLIENT.0))?;
    let switch = client.power_switch();
    // Awaited at once, so that its output does not fill the pipe.
    let client = thread::spawn(move || client.wait());
    let served = server.run(scripts.into_iter().chain([package]));
    if served.is_err() {
        switch.cut().map_err(|error| format!("Could not end the client: {error}."))?;
    }
    let client = client.join().expect("the thread only waits");
    let outputs = |why: String| {
        let said = match &client {
            Ok(ended) => &ended.output,
            Err(said) => said,
        };
        format!("{said}\n--- the client's output is above, the server's below\n{why}")
    };
    served.map_err(outputs)?;
    proven(&client?)?;
    println!("The commands of {PAGE} are proven.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_all_run_once;
    use super::*;

    #[test]
    fn the_proof_runs_each_command_of_the_page_once() {
        check_all_run_once(PAGE, &[SERVER.1, SERVER_AGAIN, CLIENT.1]);
    }
}
