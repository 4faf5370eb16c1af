//! `forebay vm`: a running guest's disk, behind Forebay and back.
//!
//! This process talks to both: to QEMU by its monitor, to the daemon by the control socket.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::{client, home};
use crate::api::{AddDisk, Guest};
use crate::cli::{Vm, VmAttach, VmDetach};
use crate::client::Client;
use crate::output::{self, list, text};
use crate::problem::{Answer, Problem, ProblemKind};
use crate::units::Size;
use crate::vm::{self, Forebay, MovedDisk, Wanted, World};

/// How long a daemon that cannot be reached is waited for once a guest depends on it: it may be being restarted.
const DAEMON_TIME_MAX: Duration = Duration::from_secs(20);
const DAEMON_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(command: &Vm) -> Answer<()> {
    match command {
        Vm::Attach(options) => attach(options),
        Vm::Detach(options) => detach(options),
    }
}

fn attach(options: &VmAttach) -> Answer<()> {
    let socket = real_path(&options.device.qmp)?;
    let device = &options.device.device;
    let daemon = Daemon(client(&options.daemon)?);
    let mut world = World::new(&socket, &daemon)?;
    let disk = vm::attach(&mut world, device, options.name.as_deref())?;
    let (name, socket) = (&disk.name, socket.display());
    output::print(&format!(
        "Disk '{name}' ({size}) of the running guest is behind Forebay now, in mode write-through\n\
         This lasts until that QEMU ends: its command line, or libvirt's or Proxmox's configuration, still names the file,\n\
         and while Forebay serves the disk, QEMU is refused that file.\n  \
         to keep it:      forebay disk show {name} --connect      (change the guest's configuration by these lines)\n  \
         to take it back: forebay vm detach --qmp {socket} --device {device}\n  \
         when the guest has ended without either: forebay disk remove {name}\n",
        size = disk.size_bytes.map_or_else(String::new, |size| Size(size).to_string()),
    ))
}

fn detach(options: &VmDetach) -> Answer<()> {
    let socket = real_path(&options.device.qmp)?;
    let daemon = Daemon(client(&options.daemon)?);
    let mut world = World::new(&socket, &daemon)?;
    let disk = vm::detach(&mut world, &options.device.device)?;
    output::print(&format!(
        "The running guest has the disk '{}' back as it was; Forebay no longer serves it\n",
        disk.name
    ))
}

/// One name for one socket: a disk remembers where it was taken from.
fn real_path(socket: &PathBuf) -> Answer<PathBuf> {
    fs::canonicalize(socket).map_err(|error| {
        Problem::invalid(format!(
            "Cannot find QEMU's socket {}: {error}; name the QMP socket of a QEMU that runs",
            socket.display()
        ))
    })
}

/// The daemon behind its control socket.
struct Daemon(Client);

impl Daemon {
    /// Asks again while the daemon cannot be reached. For what can be asked for twice.
    fn patiently<T>(&self, ask: impl Fn(&Client) -> Answer<T>) -> Answer<T> {
        let deadline = Instant::now() + DAEMON_TIME_MAX;
        loop {
            match ask(&self.0) {
                Err(problem) if problem.kind == ProblemKind::Unavailable && Instant::now() < deadline => {
                    thread::sleep(DAEMON_INTERVAL);
                }
                outcome => return outcome,
            }
        }
    }

    fn change(&self, name: &str, what: &str) -> Answer<()> {
        self.patiently(|client| client.post(&format!("/v1/disks/{name}/{what}"), &())).map(drop)
    }
}

impl Forebay for Daemon {
    fn add(&self, wanted: &Wanted) -> Answer<MovedDisk> {
        let Wanted { name, path, qmp, device, original, socket_group } = wanted;
        let original = serde_json::to_value(original).expect("plain data with text keys");
        let path = path.to_str().ok_or_else(|| {
            Problem::invalid(format!("Cannot use backing {}: its path is no text; rename it", path.display()))
        })?;
        let request = AddDisk {
            name: name.clone(),
            backing: format!("file:{path}"),
            read_only: false,
            // To QEMU it is raw, whatever the guest wrote to its beginning.
            raw_anyway: true,
            settings: socket_group.iter().map(|group| ("socket-group".to_owned(), group.clone())).collect(),
            guest: Some(Guest { qmp: qmp.clone(), device: device.clone(), original }),
        };
        let document = self.0.post("/v1/disks", &request)?;
        let added = MovedDisk::parse(&document["disk"])?;
        added.ok_or_else(|| {
            Problem::failed(
                "Cannot understand the daemon: it knows no running guests; use the command line and the daemon of one version",
            )
        })
    }

    fn moved(&self) -> Answer<Vec<MovedDisk>> {
        let all = self.0.get("/v1/disks")?;
        let mut moved = Vec::new();
        for disk in list(&all["disks"]) {
            match self.0.get(&format!("/v1/disks/{}", text(&disk["name"]))) {
                Ok(document) => moved.extend(MovedDisk::parse(&document["disk"])?),
                // Removed since it was listed.
                Err(problem) if problem.kind == ProblemKind::Missing => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(moved)
    }

    fn take_over(&self, name: &str) -> Answer<()> {
        self.change(name, "take-over")
    }

    fn give_up(&self, name: &str) -> Answer<()> {
        // With progress, and while the guest is where it was: the change itself then finds nothing left to do.
        let quiet = self.patiently(|client| home::bring_home(client, name))?;
        let given_up = self.change(name, "give-up");
        if given_up.is_err() {
            home::let_go(&self.0, name, quiet)?;
        }
        given_up
    }

    fn remove(&self, name: &str) -> Answer<()> {
        match self.patiently(|client| client.delete(&format!("/v1/disks/{name}"))) {
            Err(problem) if problem.kind != ProblemKind::Missing => Err(problem),
            _ => Ok(()),
        }
    }
}
