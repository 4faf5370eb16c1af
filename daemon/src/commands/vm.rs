//! `forebay vm`: moves a running guest's disk behind Forebay and back.
//!
//! This process connects to both: to QEMU by its monitor, to the daemon by the control socket.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use api::{AddDisk, Guest, document};
use base::error::{Error, ErrorKind, Result};
use base::units::Size;
use serde_json::{Value, json};

use vm::qmp::Monitor;
use vm::{AttachContext, DiskRequest, Forebay, MovedDisk};

use super::{client, destage};
use crate::cli::{Reading, VmAttach, VmCommand, VmDetach, VmMonitor};
use crate::client::Client;
use crate::output::{self, list, size, text};

/// Time to wait for a daemon that cannot be reached once a guest depends on it: it may be restarting.
const DAEMON_TIME_MAX: Duration = Duration::from_secs(20);
const DAEMON_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(command: &VmCommand) -> Result<()> {
    match command {
        VmCommand::Attach(options) => attach(options),
        VmCommand::Detach(options) => detach(options),
        VmCommand::List(options) => show_list(options),
    }
}

fn attach(options: &VmAttach) -> Result<()> {
    let daemon = DaemonClient(client(&options.reading.daemon)?);
    let monitor = named(&options.monitor)?
        .ok_or_else(|| Error::invalid("Cannot choose a guest: give --qmp SOCKET, or --libvirt DOMAIN"))?;
    let mut world = AttachContext::new(&monitor, &daemon)?;
    let device = match &options.device {
        Some(device) => device.clone(),
        None => world.only_device()?,
    };
    let disk = vm::attach(&mut world, &device, options.name.as_deref())?;
    if options.reading.json {
        return print_moved(&disk);
    }
    output::print(&format!(
        "Disk '{name}' ({size}) of the running guest is served by Forebay now, in mode write-through\n\
         This lasts until that QEMU ends: then everything is in the file, and Forebay releases it. The guest's\n\
         configuration (command line, libvirt, Proxmox) still names the file.\n  \
         to keep it:      forebay disk show {name} --connect      (change the configuration by these lines)\n  \
         to take it back: forebay vm detach {name}\n",
        name = disk.name,
        size = disk.size_bytes.map_or_else(String::new, |size| Size(size).to_string()),
    ))
}

fn detach(options: &VmDetach) -> Result<()> {
    let daemon = DaemonClient(client(&options.reading.daemon)?);
    let (monitor, device) = match (&options.name, named(&options.monitor)?) {
        (Some(name), _) => {
            let disk = daemon.taken(name)?;
            (Monitor::of_name(&disk.qmp), disk.device)
        }
        (None, Some(monitor)) => {
            let device = match &options.device {
                Some(device) => device.clone(),
                None => daemon.only_device_of(&monitor)?,
            };
            (monitor, device)
        }
        (None, None) => {
            return Err(Error::invalid(
                "Cannot choose a disk: name one that `forebay vm list` shows, or give --qmp or --libvirt",
            ));
        }
    };
    let mut world = AttachContext::new(&monitor, &daemon)?;
    let disk = vm::detach(&mut world, &device)?;
    if options.reading.json {
        return print_moved(&disk);
    }
    output::print(&format!(
        "The running guest has the disk '{}' back as it was; Forebay no longer serves it\n",
        disk.name
    ))
}

/// Prints the disk that was moved, as a document.
fn print_moved(disk: &MovedDisk) -> Result<()> {
    let moved = json!({ "name": disk.name, "monitor": disk.qmp, "device": disk.device, "size_bytes": disk.size_bytes });
    output::print(&format!("{}\n", document("vm", moved)))
}

/// Shows the disks that were taken from running guests.
fn show_list(options: &Reading) -> Result<()> {
    let daemon = DaemonClient(client(&options.daemon)?);
    let disks = daemon.taken_disks()?;
    if options.json {
        let entry = |disk: &Value| {
            let guest = &disk["guest"];
            let mut entry =
                json!({ "name": disk["name"], "monitor": guest["qmp"], "device": guest["device"] });
            for key in ["state", "mode", "size_bytes", "dirty_bytes", "backing"] {
                entry[key] = disk[key].clone();
            }
            entry
        };
        let entries: Vec<Value> = disks.iter().map(entry).collect();
        return output::print(&format!("{}\n", document("vms", entries)));
    }
    if disks.is_empty() {
        return output::print("No disk was taken from a running guest: `forebay vm attach` takes one\n");
    }
    let row = |disk: &Value| {
        let guest = &disk["guest"];
        let (qmp, device) = (text(&guest["qmp"]), text(&guest["device"]));
        let sizes = [size(&disk["size_bytes"]), size(&disk["dirty_bytes"])];
        let words = [text(&disk["name"]), text(&disk["state"]), text(&disk["mode"])];
        words.into_iter().chain(sizes).chain([device, qmp, text(&disk["backing"])]).collect()
    };
    let rows: Vec<Vec<String>> = disks.iter().map(row).collect();
    output::print(&output::table(
        &["NAME", "STATE", "MODE", "SIZE", "DIRTY", "DEVICE", "MONITOR", "BACKING"],
        &rows,
    ))
}

/// Returns the monitor that options name.
fn named(options: &VmMonitor) -> Result<Option<Monitor>> {
    match (&options.qmp, &options.libvirt) {
        (Some(socket), _) => Ok(Some(Monitor::Socket(real_path(socket)?))),
        (None, Some(domain)) => Ok(Some(Monitor::Libvirt(domain.clone()))),
        (None, None) => Ok(None),
    }
}

/// Resolves a socket to one path: a disk records where it was taken from.
fn real_path(socket: &PathBuf) -> Result<PathBuf> {
    fs::canonicalize(socket).map_err(|error| {
        Error::invalid(format!(
            "Cannot find QEMU's socket {}: {error}; name the QMP socket of a QEMU that runs",
            socket.display()
        ))
    })
}

/// The daemon, through its control socket.
struct DaemonClient(Client);

impl DaemonClient {
    /// Repeats a request while the daemon cannot be reached. For requests that may be sent twice.
    fn patiently<T>(&self, ask: impl Fn(&Client) -> Result<T>) -> Result<T> {
        let deadline = Instant::now() + DAEMON_TIME_MAX;
        loop {
            match ask(&self.0) {
                Err(problem) if problem.kind == ErrorKind::Unavailable && Instant::now() < deadline => {
                    thread::sleep(DAEMON_INTERVAL);
                }
                outcome => return outcome,
            }
        }
    }

    /// Returns the disk of this name, which was taken from a running guest.
    fn taken(&self, name: &str) -> Result<MovedDisk> {
        let document = self.0.get(&super::disk::path_of(name)?)?;
        MovedDisk::parse(&document["disk"])?.ok_or_else(|| {
            Error::conflict(format!(
                "Disk '{name}' was not taken from a running guest, so there is none to give it back to; `forebay disk remove \
                 {name}` ends its service"
            ))
        })
    }

    /// Returns the device of the one disk that was taken from the guest behind `monitor`.
    fn only_device_of(&self, monitor: &Monitor) -> Result<String> {
        let mut disks = self.moved()?;
        disks.retain(|disk| disk.qmp == monitor.name());
        match disks.as_slice() {
            [only] => Ok(only.device.clone()),
            [] => Err(Error::missing(format!(
                "No disk of the guest at {} is behind Forebay; `forebay vm list` shows those that are",
                monitor.name().display()
            ))),
            several => {
                let names: Vec<&str> = several.iter().map(|disk| disk.name.as_str()).collect();
                Err(Error::invalid(format!(
                    "Several disks of that guest are behind Forebay; name one: forebay vm detach {}",
                    names.join(" | ")
                )))
            }
        }
    }

    /// Returns the document of every disk that was taken from a running guest.
    fn taken_disks(&self) -> Result<Vec<Value>> {
        let all = self.0.get("/v1/disks")?;
        let mut taken = Vec::new();
        for disk in list(&all["disks"]) {
            match self.0.get(&format!("/v1/disks/{}", text(&disk["name"]))) {
                Ok(document) if document["disk"]["guest"].is_null() => {}
                Ok(mut document) => taken.push(document["disk"].take()),
                // Removed since it was listed.
                Err(problem) if problem.kind == ErrorKind::Missing => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(taken)
    }

    fn change(&self, name: &str, what: &str) -> Result<()> {
        self.patiently(|client| client.post(&format!("/v1/disks/{name}/{what}"), &())).map(drop)
    }
}

impl Forebay for DaemonClient {
    fn add(&self, wanted: &DiskRequest) -> Result<MovedDisk> {
        let DiskRequest { name, path, qmp, device, process, original, socket_group } = wanted;
        let original = serde_json::to_value(original).expect("plain data with text keys");
        let path = path.to_str().ok_or_else(|| {
            Error::invalid(format!("Cannot use backing {}: its path is no text; rename it", path.display()))
        })?;
        let request = AddDisk {
            name: name.clone(),
            backing: format!("file:{path}"),
            read_only: false,
            // QEMU serves it as raw, whatever the guest wrote to its start.
            force_raw: true,
            settings: socket_group.iter().map(|group| ("socket-group".to_owned(), group.clone())).collect(),
            guest: Some(Guest {
                qmp: qmp.clone(),
                device: device.clone(),
                process: process.clone(),
                original,
            }),
        };
        let document = self.0.post("/v1/disks", &request)?;
        let added = MovedDisk::parse(&document["disk"])?;
        added.ok_or_else(|| {
            Error::failed(
                "Cannot understand the daemon: it knows no running guests; use the command line and the daemon of one version",
            )
        })
    }

    fn moved(&self) -> Result<Vec<MovedDisk>> {
        let taken = self.taken_disks()?;
        taken.iter().filter_map(|disk| MovedDisk::parse(disk).transpose()).collect()
    }

    fn take_over(&self, name: &str) -> Result<()> {
        self.change(name, "take-over")
    }

    fn give_up(&self, name: &str) -> Result<()> {
        // With progress, and while the guest is still served by Forebay: the change itself then has nothing
        // left to destage.
        let quiesce = self.patiently(|client| destage::quiesce_for_change(client, name))?;
        let given_up = self.change(name, "give-up");
        if given_up.is_err() {
            destage::end_quiesce(&self.0, name, quiesce)?;
        }
        given_up
    }

    fn remove(&self, name: &str) -> Result<()> {
        match self.patiently(|client| client.delete(&format!("/v1/disks/{name}"))) {
            Err(problem) if problem.kind != ErrorKind::Missing => Err(problem),
            _ => Ok(()),
        }
    }
}
