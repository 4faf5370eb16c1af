//! Moving a running guest's disk behind Forebay. The steps are described in [`super`].

use serde_json::{Value, json};

use super::AttachContext;
use super::detach::{Unreachable, clean_up, close_original, return_guest};
use super::forebay::{DiskRequest, MovedDisk};
use super::graph::{Device, Graph, node_used_by};
use super::mirror::ChangeOver;
use super::original::MovableDisk;
use base::error::{Error, Result};
use base::names;
use base::rights::{forebay_group, group_text};
use base::units::Size;

/// Time that a guest's requests wait for Forebay while it is restarted, in seconds; the same as in `disk show --connect`.
const RECONNECT_DELAY_S: u64 = 60;

/// Moves the disk of `device` behind Forebay, as the disk `name`, or with a name made of guest and device.
///
/// # Errors
/// The first failure. The guest has its disk as before, or the message has what is left to do.
pub fn attach(world: &mut AttachContext, device: &str, name: Option<&str>) -> Result<MovedDisk> {
    let found = find(world, device)?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => default_name(world, device)?,
    };
    names::check(&name)?;
    let socket_group = world.process.group_to_let_in(forebay_group())?.map(group_text);
    let disk = world.forebay.add(&DiskRequest {
        name,
        path: found.path.clone(),
        qmp: world.qmp.name().to_owned(),
        device: device.to_owned(),
        process: world.process.identity(),
        original: found.original.clone(),
        socket_group,
    })?;
    match move_behind(world, device, &found, &disk) {
        Ok(()) => Ok(disk),
        Err(problem) => Err(undo(world, device, &disk, &problem)),
    }
}

fn find(world: &mut AttachContext, device: &str) -> Result<MovableDisk> {
    let found = Device::find(&mut world.qmp, device)?;
    found.check_holds_requests_back(&mut world.qmp, device)?;
    found.check_threads(&mut world.qmp, device)?;
    refuse_second_attempt(world, device)?;
    let graph = Graph::from_qmp(&mut world.qmp)?;
    MovableDisk::below(&found, &graph, &world.process.command_line()?, &world.process.folder()?)
}

/// Fails if an earlier attempt left a disk that must be removed first.
fn refuse_second_attempt(world: &AttachContext, device: &str) -> Result<()> {
    let same = |disk: &MovedDisk| disk.on_its_way && disk.device == device && disk.qmp == world.qmp.name();
    match world.forebay.moved()?.into_iter().find(same) {
        None => Ok(()),
        Some(disk) => Err(Error::conflict(format!(
            "Disk '{}' is being moved from that device already, or an attempt was interrupted; `forebay vm detach {0}` \
             takes it back, then try again",
            disk.name
        ))),
    }
}

/// Does steps 2 to 5, each of which [`undo`] can revert.
fn move_behind(world: &mut AttachContext, device: &str, found: &MovableDisk, disk: &MovedDisk) -> Result<()> {
    check_same_storage(world, found, disk)?;
    world.qmp.execute("blockdev-add", &nbd_node(disk))?;
    let root = Device::find(&mut world.qmp, device)?.root;
    let change = ChangeOver { job: &disk.node, root: &root, from: &found.top, to: &disk.node };
    change.run(&mut world.qmp)?;
    if node_used_by(&mut world.qmp, device)? != disk.node {
        return Err(Error::failed(
            "QEMU's job ended without changing the guest over; check whether it was cancelled",
        ));
    }
    close_original(world, disk)?;
    world.forebay.take_over(&disk.name)
}

/// Checks that the path means the same file to both: everything else here relies on that.
fn check_same_storage(world: &AttachContext, found: &MovableDisk, disk: &MovedDisk) -> Result<()> {
    let path = found.path.display();
    if disk.size_bytes != Some(found.size) {
        return Err(Error::conflict(format!(
            "Cannot move this disk: {path} has {} for Forebay and {} for its QEMU; see whether the file was replaced",
            disk.size_bytes.map_or_else(|| "no size".to_owned(), |size| Size(size).to_string()),
            Size(found.size)
        )));
    }
    let same = match disk.storage {
        Some(storage) => world.process.has_open(storage)?,
        None => false,
    };
    if same {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "Cannot move this disk: the file that Forebay finds at {path} is not one that this QEMU has open; it was replaced \
         or lies elsewhere for QEMU (in a container?). Give both the same path"
    )))
}

/// Returns the node that makes QEMU a client of the disk.
fn nbd_node(disk: &MovedDisk) -> Value {
    let habits = &disk.original.habits;
    json!({
        "driver": "nbd",
        "node-name": disk.node,
        "server": { "type": "unix", "path": disk.nbd_socket },
        "export": disk.name,
        "reconnect-delay": RECONNECT_DELAY_S,
        "discard": habits.discard,
        "detect-zeroes": habits.detect_zeroes,
        "cache": { "direct": false, "no-flush": habits.no_flush },
    })
}

/// Reverts everything, and returns the failure with the state.
fn undo(world: &mut AttachContext, device: &str, disk: &MovedDisk, problem: &Error) -> Error {
    if let Err(left) = return_guest(world, device, disk, Unreachable::IsPassedOver) {
        return Error::failed(format!(
            "{problem}. That could not be undone: {left}. While that QEMU runs, `forebay vm detach {}` takes the disk \
             back; when it has ended, the disk is released",
            disk.name
        ));
    }
    match clean_up(world, disk) {
        Ok(()) => {
            let message = format!("{problem}. The guest's disk is unchanged");
            Error { kind: problem.kind, message }
        }
        Err(left) => Error::failed(format!(
            "{problem}. The guest's disk is unchanged, but something is left: {left}; `forebay disk remove {}` ends the \
             service of the disk",
            disk.name
        )),
    }
}

/// Returns a name made of guest and device, without characters that are invalid in a name.
fn default_name(world: &mut AttachContext, device: &str) -> Result<String> {
    let guest = world.qmp.execute("query-name", &json!({}))?;
    let words = [guest["name"].as_str().unwrap_or_default(), device];
    let joined: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let fits = |letter: char| {
        let letter = letter.to_ascii_lowercase();
        if letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-".contains(letter) {
            letter
        } else {
            '-'
        }
    };
    let name: String = joined.join("-").chars().map(fits).collect();
    Ok(name.trim_start_matches(['.', '_', '-']).chars().take(names::NAME_MAX).collect())
}
