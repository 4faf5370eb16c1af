//! `docs/nfs.md` in two guests that a cable connects: a server with an array and SSDs, and a client.
//!
//! The client mounts, writes and reads all the time, while an SSD of the server is pulled and replaced and the server restarts. Both ends
//! wait for each other by files in the first volume. In the long form the server also ends without notice: by resets, which its disks
//! survive, and by power cuts, after which its disks have what was flushed.

use std::path::Path;
use std::thread;

use guest::{Bus, Cable, CableEnd, Guest, Kit};

use super::volatile::Volatile;
use super::{File, Form, host, prepare, scripts};
use crate::deb::image::{Image, Recipe};
use crate::deb::proof::proven;

const PAGE: &str = "docs/nfs.md";
/// Packages of both guests; those that the page installs are there already.
pub(super) const RECIPE: Recipe<'_> = Recipe {
    name: "nfs",
    packages: "systemd,systemd-sysv,init-system-helpers,udev,kmod,iproute2,acl,e2fsprogs,nfs-kernel-server,nfs-common,fio",
    size: "2G",
};
const SERVER: (&str, &str) = ("10.0.0.1", include_str!("server.sh"));
const SERVER_AGAIN: &str = include_str!("server-again.sh");
const SERVER_CUT: &str = include_str!("server-cut.sh");
/// Line with which the server announces that it may be ended.
const CUT: &str = "CUT";
/// Ends without notice in the long form, each second one a power cut.
const CUTS: usize = 4;
const CLIENT: (&str, &str) = ("10.0.0.2", include_str!("client.sh"));
/// Size of the array: room for the reservation of the page. It is a sparse file.
const ARRAY_BYTES: u64 = 240 << 30;
const SSD_BYTES: u64 = 256 << 20;
/// The server's SSDs, by serial number.
const SSDS: [&str; 3] = ["FIRST", "SECOND", "THIRD"];

/// A disk of the server.
struct Disk {
    bus: Bus,
    serial: &'static str,
    image: Image,
    /// Its server, if its write cache loses unflushed data when the power goes.
    volatile: Option<Volatile>,
}

impl Disk {
    fn new(root: &Path, bus: Bus, serial: &'static str, bytes: u64, form: Form) -> Result<Self, String> {
        let mut disk = Self { bus, serial, image: Image::blank(root, serial, bytes)?, volatile: None };
        if form == Form::Long {
            disk.cut()?;
        }
        Ok(disk)
    }

    /// Cuts its power and switches it on again.
    fn cut(&mut self) -> Result<(), String> {
        // The one before first: it has the image locked and the socket.
        self.volatile = None;
        self.volatile = Some(Volatile::serve(&self.image.path)?);
        Ok(())
    }

    fn plug(&self, guest: Guest) -> Guest {
        match &self.volatile {
            None => guest.disk_on(self.bus, self.serial, &self.image.path),
            Some(volatile) if self.bus == Bus::Nvme => {
                let drive = format!(
                    "if=none,id={0},format=raw,cache=none,discard=unmap,file={1}",
                    self.serial,
                    volatile.uri()
                );
                let device = format!("nvme,drive={0},serial={0}", self.serial);
                ["-drive", &drive, "-device", &device].into_iter().fold(guest, Guest::argument)
            }
            Some(volatile) => guest.served_disk(self.serial, volatile.uri()),
        }
    }
}

/// Server with its disks, which stay as they are from one boot to the next.
struct NfsServer<'a> {
    kit: &'a Kit,
    end: CableEnd,
    system: Image,
    disks: Vec<Disk>,
}

impl<'a> NfsServer<'a> {
    fn new(root: &Path, kit: &'a Kit, end: CableEnd, form: Form) -> Result<Self, String> {
        let mut disks = vec![Disk::new(root, Bus::Scsi, "ARRAY", ARRAY_BYTES, form)?];
        for serial in SSDS {
            disks.push(Disk::new(root, Bus::Nvme, serial, SSD_BYTES, form)?);
        }
        Ok(Self { kit, end, system: Image::fresh(root, &RECIPE)?, disks })
    }

    /// Returns a guest with all of its disks, to run `script`.
    fn guest(&self, script: &str, files: impl IntoIterator<Item = File>) -> Guest {
        let guest = host(self.kit, &self.system, &self.end, script, files);
        self.disks.iter().fold(guest, |guest, disk| disk.plug(guest))
    }

    /// Boots, follows the page and shuts down; ends without notice in the long form; then boots for the last time.
    fn run(&mut self, form: Form, files: impl IntoIterator<Item = File>) -> Result<(), String> {
        let prepare = prepare(SERVER.0);
        proven(&self.guest(SERVER.1, files).run(&prepare)?)?;
        let cuts = if form == Form::Long { CUTS } else { 0 };
        for cut in 0..cuts {
            let mut running = self.guest(SERVER_CUT, []).start(&prepare)?;
            running.wait_for(CUT)?;
            running.cut_power()?;
            let is_reset = cut % 2 == 0;
            println!("==> the server {}", if is_reset { "was reset" } else { "and its disks lost power" });
            if !is_reset {
                self.disks.iter_mut().try_for_each(Disk::cut)?;
            }
        }
        proven(&self.guest(SERVER_AGAIN, []).run(&prepare)?)
    }
}

/// Follows the page, with this package.
///
/// # Errors
/// If a command of it fails, or the result differs from the page, with all output of the scripts.
pub(super) fn prove(root: &Path, kit: &Kit, package: File, form: Form) -> Result<(), String> {
    let [end, client_end] = Cable::new()?.ends();
    let (mut server, system) = (NfsServer::new(root, kit, end, form)?, Image::fresh(root, &RECIPE)?);
    let scripts = scripts(root, PAGE)?;
    let client = host(kit, &system, &client_end, CLIENT.1, scripts.clone());
    println!("==> a server and a client under systemd follow {PAGE}");
    let client = client.seconds_max(form.client_seconds_max()).start(&prepare(CLIENT.0))?;
    let switch = client.power_switch();
    // Awaited at once, so that its output does not fill the pipe.
    let client = thread::spawn(move || client.wait());
    let served = server.run(form, scripts.into_iter().chain([package]));
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
