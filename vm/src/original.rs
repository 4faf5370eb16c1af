//! Options with which a QEMU had a disk open, stored so that it can be opened in the same way again.
//!
//! They have two sources: the monitor reports a node with its cache and its handling of zeroes; `aio`, `discard` and `locking` are on the
//! command line only. QEMU's own defaults are taken where the command line has nothing, as for a disk that was plugged in later.
//!
//! A file below the raw format is opened again as the file alone, under the name of the format's node and with the options of both: a guest
//! sees no difference. A change-over *to* a node with another one below it can make QEMU abort: it resumes waiting requests before the
//! lower node may be written (seen in 7.2: `Assertion child->perm & BLK_PERM_WRITE failed`).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::command_line::{CommandLine, Options};
use super::graph::{Device, Graph};
use base::error::{Error, Result};

/// Drivers that open a file or a host's block device.
const STORAGE_DRIVERS: [&str; 2] = ["file", "host_device"];
/// Options of the storage that only the command line has.
const STORAGE_OPTIONS: [&str; 2] = ["aio", "locking"];

/// Options with which QEMU had a disk open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Original {
    /// Node that opens the file or block device again, without its name.
    node: Value,
    /// Names of the earlier nodes, from the top, without those that QEMU made up.
    pub(super) names: Vec<String>,
    /// Handling of discards, zeroes and flushes by the new node.
    pub(super) habits: Habits,
}

/// Handling of certain requests by a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Habits {
    pub(super) discard: String,
    pub(super) detect_zeroes: String,
    pub(super) no_flush: bool,
}

/// Disk that can be moved, with its place and its options.
#[derive(Debug)]
pub(super) struct MovableDisk {
    /// Node that is replaced.
    pub(super) top: String,
    /// Path of the file or block device, absolute.
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) original: Original,
}

impl MovableDisk {
    /// Judges the nodes below `device`. `folder` is the working folder of that QEMU, for relative names.
    ///
    /// # Errors
    /// If it is not a writable raw disk; the error has the finding and the next step.
    pub(super) fn below(device: &Device, graph: &Graph, line: &CommandLine, folder: &Path) -> Result<Self> {
        let top = graph.disk_below(&device.root).to_owned();
        let storage = match graph.driver_of(&top) {
            "raw" => graph.below(&top).unwrap_or(&top).to_owned(),
            _ => top.clone(),
        };
        let file = path_of(graph, &storage);
        let refuse = |what: String| Err(Error::invalid(format!("Cannot move this disk ({file}): {what}")));
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
        let known = OptionSources { line, drive: &device.drive };
        let habits = Habits {
            discard: known.discard(&top, &storage),
            detect_zeroes: text_or(&top_node["detect_zeroes"], "off"),
            no_flush: top_node["cache"]["no-flush"] == true || storage_node["cache"]["no-flush"] == true,
        };
        let node = known.storage(&storage, &storage_node, &path, &habits);
        let mut names = vec![top.clone(), storage];
        names.dedup();
        names.retain(|name| !name.starts_with('#'));
        Ok(Self { top, path, size, original: Original { node, names, habits } })
    }
}

impl Original {
    /// Returns the arguments of `blockdev-add` that open the file again. A node that QEMU had named itself gets a name that begins with
    /// `prefix`, because such names are reserved.
    pub(super) fn node(&self, prefix: &str) -> Value {
        let mut node = self.node.clone();
        node["node-name"] = self.node_name(prefix).into();
        node
    }

    /// Returns the name of that node.
    pub(super) fn node_name(&self, prefix: &str) -> String {
        self.names.first().cloned().unwrap_or_else(|| format!("{prefix}-file"))
    }
}

/// Sources of the options.
struct OptionSources<'a> {
    line: &'a CommandLine,
    drive: &'a str,
}

impl OptionSources<'_> {
    /// Returns the node that opens the storage of the present node `name`.
    fn storage(&self, name: &str, node: &Value, path: &Path, habits: &Habits) -> Value {
        let driver = text_or(&node["drv"], "file");
        let words = self.words(name).into_iter().find(|words| words["driver"] == driver);
        let mut storage = words.unwrap_or_else(|| {
            let mut made = json!({
                "driver": driver,
                "filename": path,
                "cache": { "direct": node["cache"]["direct"] == true, "no-flush": habits.no_flush },
            });
            for option in STORAGE_OPTIONS {
                if let Some(value) = self.option(name, option) {
                    made[option] = value.into();
                }
            }
            made
        });
        storage["discard"] = habits.discard.clone().into();
        storage["detect-zeroes"] = habits.detect_zeroes.clone().into();
        storage
    }

    /// Returns `unmap` if discards reach the storage: both nodes must pass them on.
    fn discard(&self, top: &str, storage: &str) -> String {
        let passes = |name: &str| {
            let words = self.words(name);
            if words.is_empty() {
                return self.option(name, "discard").map(|told| told == "unmap" || told == "on");
            }
            // Storage that is defined within its format inherits the option from the format.
            let mut told = "ignore";
            let mut all = true;
            for node in &words {
                told = node["discard"].as_str().unwrap_or(if node["node-name"].is_null() {
                    told
                } else {
                    "ignore"
                });
                all = all && told == "unmap";
            }
            Some(all)
        };
        let top = passes(top).unwrap_or(false);
        let below = passes(storage).unwrap_or(top && storage.starts_with('#'));
        if top && below { "unmap" } else { "ignore" }.to_owned()
    }

    /// Returns the JSON that made the node `name`, and that of the node below it. A file that was opened again under the name of its format
    /// is found by the options of that format.
    fn words(&self, name: &str) -> Vec<Value> {
        let Some(words) = self.line.blockdev_json(name) else { return Vec::new() };
        let below = match &words["file"] {
            Value::String(name) => self.line.blockdev_json(name),
            within @ Value::Object(_) => Some(within.clone()),
            _ => None,
        };
        [Some(words), below].into_iter().flatten().collect()
    }

    fn option(&self, node: &str, option: &str) -> Option<String> {
        let options = self.line.blockdev_options(node).or_else(|| self.line.drive_options(self.drive))?;
        let get = |options: &Options, key: &str| options.get(key).cloned();
        get(&options, option).or_else(|| get(&options, &format!("file.{option}")))
    }
}

fn path_of(graph: &Graph, storage: &str) -> String {
    let node = graph.node(storage);
    node.and_then(|node| node["file"].as_str()).unwrap_or("no file").to_owned()
}

fn text_or(value: &Value, otherwise: &str) -> String {
    value.as_str().unwrap_or(otherwise).to_owned()
}

/// Returns advice for a disk that is not raw.
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

    fn line_of(words: &[&str]) -> CommandLine {
        CommandLine::new(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn qmp_node(driver: &str) -> Value {
        json!({ "drv": driver, "detect_zeroes": "off", "cache": { "direct": true, "no-flush": false } })
    }

    fn habits(discard: &str) -> Habits {
        Habits { discard: discard.to_owned(), detect_zeroes: "unmap".to_owned(), no_flush: false }
    }

    #[test]
    fn a_drive_is_opened_again_by_what_monitor_and_command_line_say() {
        let line =
            line_of(&["-drive", "file=a.img,id=d0,aio=io_uring,discard=on,file.locking=on,format=raw"]);
        let known = OptionSources { line: &line, drive: "d0" };
        assert_eq!(known.discard("#block1", "#block2"), "unmap");
        let node = known.storage("#block2", &qmp_node("file"), Path::new("/x/a.img"), &habits("unmap"));
        let original = Original { node, names: Vec::new(), habits: habits("unmap") };
        assert_eq!(
            original.node("forebay-7"),
            json!({
                "driver": "file", "filename": "/x/a.img", "cache": { "direct": true, "no-flush": false },
                "aio": "io_uring", "locking": "on", "discard": "unmap", "detect-zeroes": "unmap",
                "node-name": "forebay-7-file",
            })
        );
    }

    #[test]
    fn a_file_that_was_named_in_json_is_opened_again_by_the_same_words_under_the_name_of_its_format() {
        let file = r#"{"driver":"file","filename":"b.img","node-name":"store","aio":"native","auto-read-only":true,
            "discard":"unmap"}"#;
        let raw = r#"{"driver":"raw","file":"store","node-name":"format","discard":"unmap"}"#;
        let line = line_of(&["-blockdev", file, "-blockdev", raw]);
        let known = OptionSources { line: &line, drive: "" };
        assert_eq!(known.discard("format", "store"), "unmap");
        let node = known.storage("store", &qmp_node("file"), Path::new("/x/b.img"), &habits("unmap"));
        let again = known.storage("format", &qmp_node("file"), Path::new("/x/b.img"), &habits("unmap"));
        assert_eq!(again, node, "also when it has come back once, under the name of its format");
        let names = vec!["format".to_owned(), "store".to_owned()];
        let node = Original { node, names, habits: habits("unmap") }.node("forebay-7");
        assert_eq!((&node["node-name"], &node["aio"]), (&"format".into(), &"native".into()));
        assert_eq!((&node["filename"], &node["detect-zeroes"]), (&"b.img".into(), &"unmap".into()));
    }

    #[test]
    fn discards_reach_the_file_only_if_every_node_passed_them_on() {
        let node = |name: &str, discard: &str| {
            format!(r#"{{"driver":"file","node-name":"{name}","discard":"{discard}"}}"#)
        };
        for (top, storage, both) in
            [("unmap", "unmap", "unmap"), ("unmap", "ignore", "ignore"), ("ignore", "unmap", "ignore")]
        {
            let line = line_of(&["-blockdev", &node("t", top), "-blockdev", &node("s", storage)]);
            assert_eq!(OptionSources { line: &line, drive: "" }.discard("t", "s"), both);
            // State after the disk was returned once.
            let raw = format!(r#"{{"driver":"raw","node-name":"t","file":"s","discard":"{top}"}}"#);
            let line = line_of(&["-blockdev", &raw, "-blockdev", &node("s", storage)]);
            assert_eq!(OptionSources { line: &line, drive: "" }.discard("t", "t"), both);
        }
        let within =
            r#"{"driver":"raw","node-name":"t","file":{"driver":"file","filename":"/a"},"discard":"unmap"}"#;
        let within = line_of(&["-blockdev", within]);
        assert_eq!(OptionSources { line: &within, drive: "" }.discard("t", "#block1"), "unmap");
    }

    #[test]
    fn a_disk_that_was_plugged_in_later_gets_the_defaults_of_qemu() {
        let known = OptionSources { line: &line_of(&[]), drive: "" };
        assert_eq!(known.discard("plugged", "plugged"), "ignore");
        let node =
            known.storage("plugged", &qmp_node("host_device"), Path::new("/dev/sdx"), &habits("ignore"));
        assert_eq!(node["driver"], "host_device");
        assert!(node["aio"].is_null());
    }
}
