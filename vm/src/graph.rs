//! Block nodes of a QEMU: devices and the nodes that they use.
//!
//! ```text
//!   device ── root ── filters (throttle) ── raw ── file or host_device          disk that can be moved
//!   device ── root ── filters (throttle) ── nbd                                 disk that was moved
//! ```
//! Reads only.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::qmp::Qmp;
use base::error::{Error, Result, hint};

/// Filters that may stay on a disk. Others belong to a running job, or change the data.
const FILTERS_THAT_STAY: [&str; 1] = ["throttle"];
/// Maximum number of filters that are followed; there are one or two.
const FILTERS_MAX: usize = 8;

/// All nodes and their edges.
pub(super) struct Graph {
    nodes: BTreeMap<String, Value>,
    /// Parent, name of the edge, child.
    edges: Vec<(String, String, String)>,
}

/// Device of a guest and the node below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Device {
    /// Id of its -drive, empty for a disk made with -blockdev.
    pub(super) drive: String,
    /// Node that the device uses.
    pub(super) root: String,
    /// Its path in QEMU's tree of objects, or the end of the path.
    place: String,
}

impl Graph {
    /// Reads all nodes of this QEMU.
    pub(super) fn from_qmp(qmp: &mut Qmp) -> Result<Self> {
        let named = qmp.execute("query-named-block-nodes", &json!({ "flat": true }))?;
        let graph = qmp.execute("x-debug-query-block-graph", &json!({}))?;
        let nodes = array(&named).map(|node| (text(&node["node-name"]), node.clone())).collect();
        let names: BTreeMap<u64, String> = array(&graph["nodes"])
            .filter_map(|node| Some((node["id"].as_u64()?, text(&node["name"]))))
            .collect();
        let name = |id: &Value| names.get(&id.as_u64()?).cloned();
        let edges = array(&graph["edges"])
            .filter_map(|edge| Some((name(&edge["parent"])?, text(&edge["name"]), name(&edge["child"])?)))
            .collect();
        Ok(Self { nodes, edges })
    }

    /// Returns QEMU's description of the node of this name, if there is one.
    pub(super) fn node(&self, name: &str) -> Option<&Value> {
        self.nodes.get(name)
    }

    /// Returns the node below `parent` that holds its data.
    pub(super) fn below(&self, parent: &str) -> Option<&str> {
        let edge = self.edges.iter().find(|(above, edge, _)| above == parent && edge == "file");
        edge.map(|(_, _, child)| child.as_str())
    }

    /// Returns the first node from `root` down that is not a filter that may stay.
    pub(super) fn disk_below<'a>(&'a self, root: &'a str) -> &'a str {
        let mut at = root;
        for _ in 0..FILTERS_MAX {
            let driver = self.node(at).map_or("", |node| node["drv"].as_str().unwrap_or(""));
            match self.below(at) {
                Some(below) if FILTERS_THAT_STAY.contains(&driver) => at = below,
                _ => break,
            }
        }
        at
    }

    /// Returns the driver of a node.
    pub(super) fn driver_of(&self, name: &str) -> &str {
        self.node(name).and_then(|node| node["drv"].as_str()).unwrap_or("no driver")
    }
}

/// Deletes a node, if it is there.
pub(super) fn delete_node(qmp: &mut Qmp, name: &str) -> Result<()> {
    if Graph::from_qmp(qmp)?.node(name).is_some() {
        qmp.execute("blockdev-del", &json!({ "node-name": name }))?;
    }
    Ok(())
}

/// Returns the node that `device` uses, below filters that may stay.
pub(super) fn node_used_by(qmp: &mut Qmp, device: &str) -> Result<String> {
    let root = Device::find(qmp, device)?.root;
    Ok(Graph::from_qmp(qmp)?.disk_below(&root).to_owned())
}

impl Device {
    /// Finds the device that a user means: by its qdev id, or by the id of its -drive.
    ///
    /// # Errors
    /// If there is none; the error lists those that there are. Or if it has no medium.
    pub(super) fn find(qmp: &mut Qmp, wanted: &str) -> Result<Self> {
        let all = qmp.execute("query-block", &json!({}))?;
        let found = array(&all).find(|entry| qdev_id(entry) == Some(wanted) || entry["device"] == wanted);
        let Some(entry) = found else {
            let ids: Vec<&str> = array(&all)
                .filter_map(|entry| qdev_id(entry).or_else(|| entry["device"].as_str()))
                .filter(|id| !id.is_empty())
                .collect();
            let found = if ids.is_empty() {
                "it has no disk with an id; give its -device an id=".to_owned()
            } else {
                hint(wanted, &ids)
            };
            return Err(Error::missing(format!(
                "There is no disk '{wanted}' in the QEMU at {}: {found}",
                qmp.name().display()
            )));
        };
        let root = entry["inserted"]["node-name"].as_str().ok_or_else(|| {
            Error::invalid(format!("Device '{wanted}' has no medium, so there is nothing to move"))
        })?;
        Ok(Self { drive: text(&entry["device"]), root: root.to_owned(), place: text(&entry["qdev"]) })
    }

    /// Returns the id of the only disk with a medium that is not removable.
    ///
    /// # Errors
    /// If there are more, which are listed, or there is none.
    pub(super) fn only(qmp: &mut Qmp) -> Result<String> {
        let all = qmp.execute("query-block", &json!({}))?;
        let disks: Vec<String> = array(&all)
            .filter(|entry| entry["removable"] != true && entry["inserted"].is_object())
            .filter_map(|entry| qdev_id(entry).or_else(|| entry["device"].as_str()))
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect();
        let at = qmp.name().display();
        match disks.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(Error::missing(format!(
                "The QEMU at {at} has no disk with an id; give its -device an id="
            ))),
            several => Err(Error::invalid(format!(
                "The QEMU at {at} has several disks; choose one with --device: {}",
                several.join(", ")
            ))),
        }
    }

    /// Refuses a disk with a filter whose requests a separate thread handles: QEMU 7.2 locked up each time when it changed such a disk
    /// over.
    ///
    /// # Errors
    /// If it is such a disk.
    pub(super) fn check_threads(&self, qmp: &mut Qmp, wanted: &str) -> Result<()> {
        let has_filter = Graph::from_qmp(qmp)?.disk_below(&self.root) != self.root;
        let Some(controller) = self.controller(qmp)?.filter(|_| has_filter) else { return Ok(()) };
        let thread = qmp.execute("qom-get", &json!({ "path": controller, "property": "iothread" }))?;
        if text(&thread).is_empty() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "Cannot move disk '{wanted}' while the guest runs: it has a throttle and a thread of its own (iothread), and with \
             both QEMU can lock up while it changes over; shut the guest down and start it with the lines of `forebay disk \
             show NAME --connect`"
        )))
    }

    /// Returns the virtio controller of the disk; none if it is on another one.
    fn controller(&self, qmp: &mut Qmp) -> Result<Option<String>> {
        const VIRTIO: &str = "/virtio-backend";
        if let Some((controller, _)) = self.place.split_once(VIRTIO) {
            return Ok(Some(controller.to_owned()));
        }
        let bus = qmp.execute("qom-get", &json!({ "path": self.place, "property": "parent_bus" }))?;
        Ok(text(&bus).split_once(VIRTIO).map(|(controller, _)| controller.to_owned()))
    }

    /// Refuses devices that go on sending requests while QEMU changes the nodes below them. Virtio devices do not; requests of others wait,
    /// and QEMU may abort when it resumes them (see [`super::original`]).
    ///
    /// # Errors
    /// If it is not virtio-blk, nor on a virtio-scsi controller.
    pub(super) fn check_holds_requests_back(&self, qmp: &mut Qmp, wanted: &str) -> Result<()> {
        if self.controller(qmp)?.is_some() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "Cannot move disk '{wanted}' while the guest runs: it is neither virtio-blk nor virtio-scsi, and with other \
             controllers QEMU can abort while it changes over; shut the guest down and start it with the lines of `forebay \
             disk show NAME --connect`"
        )))
    }
}

/// Returns the id of the device that uses a disk. QEMU names some devices by their path in the tree, which ends in a part of the device.
fn qdev_id(entry: &Value) -> Option<&str> {
    let qdev = entry["qdev"].as_str()?;
    let place = qdev.strip_prefix("/machine/peripheral/");
    Some(place.map_or(qdev, |rest| rest.split('/').next().unwrap_or(rest)))
}

/// Returns the elements of an array, none for anything else.
pub(super) fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map_or(&[][..], Vec::as_slice).iter()
}

/// Returns a text, empty for anything else.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
