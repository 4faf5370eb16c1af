//! Returning a running guest's disk, and cleaning up after a failed attempt. The steps are described in [`super`].
//!
//! Every function checks the state and does only what is left, so that each can be repeated.

use super::AttachContext;
use super::forebay::MovedDisk;
use super::graph::{Device, Graph, delete_node, node_used_by, text};
use super::mirror::{ChangeOver, end};
use base::error::{Error, ErrorKind, Result};

/// Returns the disk of `device` to the guest, and a description of the disk as it was served.
///
/// # Errors
/// The first failure; the disk is served as before, or the message has what is left to do.
pub fn detach(world: &mut AttachContext, device: &str) -> Result<MovedDisk> {
    let disk = find(world, device)?;
    if let Err(problem) = return_guest(world, device, &disk, Unreachable::Stops) {
        match settle(world, device, &disk) {
            Ok(true) => {}
            Ok(false) => {
                let message = format!("{problem}. Forebay still serves the disk");
                return Err(Error { kind: problem.kind, message });
            }
            Err(left) => {
                return Err(Error::failed(format!(
                    "{problem}. That could not be undone: {left}. The guest's disk works, and nothing of it is cached; \
                     try again, or see `forebay disk show {}`",
                    disk.name
                )));
            }
        }
    }
    clean_up(world, &disk).map_err(|problem| {
        Error::failed(format!(
            "The guest has its disk back, but something is left: {problem}; `forebay disk remove {}` ends the service of \
             the disk",
            disk.name
        ))
    })?;
    Ok(disk)
}

/// Returns the disk that `device` uses; or, if an attempt was interrupted, the one that is being moved to it.
fn find(world: &mut AttachContext, device: &str) -> Result<MovedDisk> {
    let root = Device::find(&mut world.qmp, device)?.root;
    let graph = Graph::from_qmp(&mut world.qmp)?;
    let at = graph.disk_below(&root);
    let file = graph.node(at).map_or_else(String::new, |node| text(&node["file"]));
    let moved = world.forebay.moved()?;
    let used = |disk: &&MovedDisk| disk.node == at && file.contains(&disk.nbd_socket);
    let of_device = |disk: &&MovedDisk| disk.device == device && disk.qmp == world.qmp.name();
    if let Some(disk) = moved.iter().find(used) {
        return Ok(disk.clone());
    }
    match moved.iter().find(of_device) {
        Some(disk) if disk.on_its_way => Ok(disk.clone()),
        Some(disk) => Err(Error::conflict(format!(
            "Device '{device}' uses {file} and not disk '{name}', which was taken from it: its QEMU was restarted; \
             `forebay disk remove {name}` ends the service of that disk",
            name = disk.name
        ))),
        None => Err(Error::conflict(format!(
            "Device '{device}' is not behind this Forebay: it uses node {at} ({}, {file}); `forebay disk list` shows \
             which disks there are",
            graph.driver_of(at)
        ))),
    }
}

/// Handling of a daemon that cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreachable {
    /// Fail before anything is changed.
    Stops,
    /// Continue without it, which is better for the guest. If it runs all the same, its lock keeps QEMU off the file.
    IsPassedOver,
}

/// Makes the guest use its file itself.
pub(super) fn return_guest(
    world: &mut AttachContext,
    device: &str,
    disk: &MovedDisk,
    unreachable: Unreachable,
) -> Result<()> {
    end(&mut world.qmp, &disk.node)?;
    if node_used_by(&mut world.qmp, device)? != disk.node {
        return Ok(());
    }
    // From here on nothing is cached, and QEMU may have the lock.
    match world.forebay.give_up(&disk.name) {
        Err(problem)
            if problem.kind == ErrorKind::Unavailable && unreachable == Unreachable::IsPassedOver => {}
        outcome => outcome?,
    }
    let top = open_original(world, disk)?;
    let root = Device::find(&mut world.qmp, device)?.root;
    ChangeOver { job: &disk.node, root: &root, from: &disk.node, to: &top }.run(&mut world.qmp)?;
    if node_used_by(&mut world.qmp, device)? == disk.node {
        return Err(Error::failed(
            "QEMU's job ended without changing the guest over; check whether it was cancelled",
        ));
    }
    Ok(())
}

/// Opens the file in QEMU as before. Returns the node that the device is to use.
fn open_original(world: &mut AttachContext, disk: &MovedDisk) -> Result<String> {
    // Remains of an interrupted attempt.
    close_original(world, disk)?;
    delete_node(&mut world.qmp, &disk.original.node_name(&disk.node))?;
    world.qmp.execute("blockdev-add", &disk.original.node(&disk.node))?;
    let same = match disk.storage {
        Some(storage) => world.process.has_open(storage)?,
        None => false,
    };
    if same {
        return Ok(disk.original.node_name(&disk.node));
    }
    Err(Error::conflict(format!(
        "Cannot give disk '{}' back: the file that QEMU finds under its name is not the one that Forebay serves; put the \
         right one in its place, then try again",
        disk.name
    )))
}

/// Closes the file in QEMU, from the top. Nodes that it made by itself are gone with their last user.
pub(super) fn close_original(world: &mut AttachContext, disk: &MovedDisk) -> Result<()> {
    for name in &disk.original.names {
        delete_node(&mut world.qmp, name)?;
    }
    Ok(())
}

/// Removes what the guest no longer uses: the node, then the disk.
pub(super) fn clean_up(world: &mut AttachContext, disk: &MovedDisk) -> Result<()> {
    delete_node(&mut world.qmp, &disk.node)?;
    world.forebay.remove(&disk.name)
}

/// Makes the disk served as before, after a failed attempt. Returns true if the guest uses its file all the same.
fn settle(world: &mut AttachContext, device: &str, disk: &MovedDisk) -> Result<bool> {
    end(&mut world.qmp, &disk.node)?;
    if node_used_by(&mut world.qmp, device)? != disk.node {
        return Ok(true);
    }
    delete_node(&mut world.qmp, &disk.original.node_name(&disk.node))?;
    world.forebay.take_over(&disk.name)?;
    Ok(false)
}
