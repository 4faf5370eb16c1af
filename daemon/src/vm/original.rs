//! How a QEMU had a disk open, written down so that it can be opened the same way again.
//!
//! From two sources: the monitor says what a node is, with its cache and its handling of zeroes; `aio`, `discard` and
//! `locking` stand on the command line only. A node that was made with `-blockdev` in JSON is made again by the same words.
//! Where the command line is silent (a disk that was plugged in later), QEMU's own defaults are taken.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::command_line::{CommandLine, Options};
use super::graph::{Device, Graph};
use crate::problem::{Answer, Problem};

/// What opens a file or a host's block device.
const STORAGE_DRIVERS: [&str; 2] = ["file", "host_device"];
/// Options of the storage that only the command line tells, with what QEMU does without them.
const STORAGE_OPTIONS: [&str; 2] = ["aio", "locking"];

/// How QEMU had a disk open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Original {
    /// The node of the file or block device, unless the format's node makes it.
    storage: Option<Value>,
    /// The raw format on top, where there is one.
    format: Option<Value>,
    /// What the new node is to do with discards and zeroes, and with flushes.
    pub(super) habits: Habits,
}

/// What a node does with certain requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Habits {
    pub(super) discard: String,
    pub(super) detect_zeroes: String,
    pub(super) no_flush: bool,
}

/// A disk that can be moved: where it is, and how it is open.
#[derive(Debug)]
pub(super) struct Found {
    /// The node that is replaced.
    pub(super) top: String,
    /// The file or block device, absolute.
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) original: Original,
}

impl Found {
    /// Judges the nodes below `device`. `folder` is where that QEMU works, for relative names.
    ///
    /// # Errors
    /// If it is not a raw disk that can be written, with what was found and what to do.
    pub(super) fn below(device: &Device, graph: &Graph, line: &CommandLine, folder: &Path) -> Answer<Self> {
        let top = graph.disk_below(&device.root).to_owned();
        let storage = match graph.driver_of(&top) {
            "raw" => graph.below(&top).unwrap_or(&top).to_owned(),
            _ => top.clone(),
        };
        let file = path_of(graph, &storage);
        let refuse = |what: String| Err(Problem::invalid(format!("Cannot move this disk ({file}): {what}")));
        if !STORAGE_DRIVERS.contains(&graph.driver_of(&storage)) {
            return refuse(what_instead(graph.driver_of(&top), &file));
        }
        let node = |name: &str| graph.node(name).cloned().unwrap_or_default();
        let (top_node, storage_node) = (node(&top), node(&storage));
        if top_node["ro"] == true {
            return refuse(
                "it is read-only, and QEMU moves only what it writes; leave it where it is".to_owned(),
            );
        }
        let size = top_node["image"]["virtual-size"].as_u64();
        let Some(size) = size.filter(|size| Some(*size) == storage_node["image"]["virtual-size"].as_u64())
        else {
            return refuse(
                "it is a part of its file (options offset and size), and Forebay serves whole files"
                    .to_owned(),
            );
        };
        if file.starts_with("/dev/fdset/") || file.starts_with("json:") {
            return refuse(
                "its QEMU was given a file descriptor or options that have no path, and Forebay needs a path; start the \
                 guest with Forebay's socket instead (`forebay disk show NAME --connect`)"
                    .to_owned(),
            );
        }
        let path = folder.join(&file);
        let options = Known { line, drive: &device.drive };
        let (storage, format) = if top == storage {
            (Some(options.storage(&storage, &storage_node, &path)), None)
        } else {
            options.pair(&top, &top_node, &storage, &storage_node, &path)
        };
        let habits = Habits {
            discard: options.discard(&top, format.as_ref().or(storage.as_ref())),
            detect_zeroes: text_or(&top_node["detect_zeroes"], "off"),
            no_flush: storage_node["cache"]["no-flush"] == true,
        };
        Ok(Self { top, path, size, original: Original { storage, format, habits } })
    }
}

impl Original {
    /// What makes the nodes again, each with its name, the last of them the one that the device uses. Nodes that QEMU had
    /// named itself, which nobody else may, get names that begin with `prefix`.
    pub(super) fn nodes(&self, prefix: &str) -> Vec<Value> {
        let mut storage = self.storage.clone();
        let mut format = self.format.clone();
        if let Some(node) = &mut storage {
            name(node, format!("{prefix}-file"));
        }
        if let Some(node) = &mut format {
            name(node, format!("{prefix}-raw"));
            if let Some(storage) = &storage {
                node["file"] = storage["node-name"].clone();
            }
        }
        storage.into_iter().chain(format).collect()
    }
}

fn name(node: &mut Value, name: String) {
    if node["node-name"].is_null() {
        node["node-name"] = name.into();
    }
}

/// What the command line knows.
struct Known<'a> {
    line: &'a CommandLine,
    drive: &'a str,
}

impl Known<'_> {
    /// Storage and format of a raw disk. A format whose words hold its storage has no separate one.
    fn pair(
        &self,
        top: &str,
        top_node: &Value,
        storage: &str,
        storage_node: &Value,
        path: &Path,
    ) -> (Option<Value>, Option<Value>) {
        match self.line.blockdev_json(top) {
            Some(format) if format["file"].is_object() => (None, Some(format)),
            Some(format) => (Some(self.storage(storage, storage_node, path)), Some(format)),
            None => {
                let mut format = common("raw", top, top_node);
                format["discard"] = self.discard(top, None).into();
                (Some(self.storage(storage, storage_node, path)), Some(format))
            }
        }
    }

    fn storage(&self, name: &str, node: &Value, path: &Path) -> Value {
        if let Some(words) = self.line.blockdev_json(name) {
            return words;
        }
        let mut storage = common(&text_or(&node["drv"], "file"), name, node);
        storage["filename"] = path.to_string_lossy().into();
        storage["discard"] = self.discard(name, None).into();
        for option in STORAGE_OPTIONS {
            if let Some(value) = self.option(name, option) {
                storage[option] = value.into();
            }
        }
        storage
    }

    /// Whether discards are passed on. `words` are those of a node that was made in JSON.
    fn discard(&self, name: &str, words: Option<&Value>) -> String {
        let told = words.and_then(|words| words["discard"].as_str()).map(str::to_owned);
        match told.or_else(|| self.option(name, "discard")).as_deref() {
            Some("unmap" | "on") => "unmap".to_owned(),
            _ => "ignore".to_owned(),
        }
    }

    fn option(&self, node: &str, option: &str) -> Option<String> {
        let options = self.line.blockdev_options(node).or_else(|| self.line.drive_options(self.drive))?;
        let get = |options: &Options, key: &str| options.get(key).cloned();
        get(&options, option).or_else(|| get(&options, &format!("file.{option}")))
    }
}

/// What the monitor knows about any node.
fn common(driver: &str, name: &str, node: &Value) -> Value {
    let mut made = json!({
        "driver": driver,
        "read-only": false,
        "cache": { "direct": node["cache"]["direct"] == true, "no-flush": node["cache"]["no-flush"] == true },
        "detect-zeroes": text_or(&node["detect_zeroes"], "off"),
    });
    if !name.starts_with('#') {
        made["node-name"] = name.into();
    }
    made
}

fn path_of(graph: &Graph, storage: &str) -> String {
    let node = graph.node(storage);
    node.and_then(|node| node["file"].as_str()).unwrap_or("no file").to_owned()
}

fn text_or(value: &Value, otherwise: &str) -> String {
    value.as_str().unwrap_or(otherwise).to_owned()
}

/// What to do with a disk that is not raw.
fn what_instead(driver: &str, file: &str) -> String {
    match driver {
        "nbd" => "it is on an NBD server already".to_owned(),
        "qcow2" | "qcow" | "vmdk" | "vdi" | "vhdx" | "vpc" | "qed" => format!(
            "it is an image in the format {driver}, not raw; shut the guest down, serve the image with `qemu-nbd \
             --persistent --format={driver} --socket={file}.sock {file}` and add that to Forebay as a backing"
        ),
        "mirror_top" | "backup-top" | "copy-before-write" | "commit_top" | "cor_host_device"
        | "copy-on-read" => {
            format!("a job or filter of QEMU ('{driver}') is at work on it; wait until that has ended")
        }
        _ => format!(
            "its driver is '{driver}', and only raw files and block devices of this host can be moved"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> CommandLine {
        CommandLine::new(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn qmp_node(driver: &str) -> Value {
        json!({ "drv": driver, "detect_zeroes": "unmap", "cache": { "direct": true, "no-flush": false } })
    }

    #[test]
    fn a_drive_is_opened_again_by_what_monitor_and_command_line_say() {
        let line = line(&["-drive", "file=a.img,id=d0,aio=io_uring,discard=on,file.locking=on,format=raw"]);
        let known = Known { line: &line, drive: "d0" };
        let (storage, format) =
            known.pair("#block1", &qmp_node("raw"), "#block2", &qmp_node("file"), Path::new("/x/a.img"));
        let original = Original {
            storage,
            format,
            habits: Habits { discard: String::new(), detect_zeroes: String::new(), no_flush: false },
        };
        let common = json!({ "direct": true, "no-flush": false });
        assert_eq!(
            original.nodes("forebay-7"),
            [
                json!({ "driver": "file", "read-only": false, "cache": common, "detect-zeroes": "unmap",
                    "filename": "/x/a.img", "discard": "unmap", "aio": "io_uring", "locking": "on",
                    "node-name": "forebay-7-file" }),
                json!({ "driver": "raw", "read-only": false, "cache": common, "detect-zeroes": "unmap",
                    "discard": "unmap", "node-name": "forebay-7-raw", "file": "forebay-7-file" }),
            ]
        );
    }

    #[test]
    fn nodes_made_in_json_are_made_again_by_the_same_words() {
        let (file, raw) = (
            r#"{"driver":"file","filename":"b.img","node-name":"store","aio":"native","auto-read-only":true}"#,
            r#"{"driver":"raw","file":"store","node-name":"format","discard":"unmap"}"#,
        );
        let line = line(&["-blockdev", file, "-blockdev", raw]);
        let known = Known { line: &line, drive: "" };
        let (storage, format) =
            known.pair("format", &qmp_node("raw"), "store", &qmp_node("file"), Path::new("/x/b.img"));
        assert_eq!(known.discard("format", format.as_ref()), "unmap");
        let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
        assert_eq!((storage, format), (Some(parsed(file)), Some(parsed(raw))));
    }

    #[test]
    fn a_format_that_holds_its_storage_is_made_in_one() {
        let raw = r#"{"driver":"raw","node-name":"f","file":{"driver":"file","filename":"b.img"}}"#;
        let line = line(&["-blockdev", raw]);
        let known = Known { line: &line, drive: "" };
        let (storage, format) =
            known.pair("f", &qmp_node("raw"), "#block9", &qmp_node("file"), Path::new("/x/b.img"));
        assert!(storage.is_none());
        assert_eq!(format, serde_json::from_str(raw).ok());
    }

    #[test]
    fn a_disk_that_was_plugged_in_later_gets_the_defaults_of_qemu() {
        let known = Known { line: &line(&[]), drive: "" };
        let storage = known.storage("plugged", &qmp_node("host_device"), Path::new("/dev/sdx"));
        assert_eq!(storage["driver"], "host_device");
        assert_eq!(storage["node-name"], "plugged");
        assert_eq!(storage["discard"], "ignore");
        assert!(storage["aio"].is_null());
    }
}
