//! Options in a QEMU's command line with which its disks are opened: the monitor does not report all of them.
//!
//! Reads `-blockdev` (JSON, or keys and values) and `-drive`. Options that are not understood are ignored.

use std::collections::BTreeMap;

use serde_json::Value;

/// The words of a command line.
pub(super) struct CommandLine(Vec<String>);

/// Options of one -drive or -blockdev, by their full names (`cache.direct`).
pub(super) type Options = BTreeMap<String, String>;

impl CommandLine {
    pub(super) fn new(words: Vec<String>) -> Self {
        Self(words)
    }

    /// Returns the -blockdev in JSON that made the node `name`, as it was given.
    pub(super) fn blockdev_json(&self, name: &str) -> Option<Value> {
        self.values("blockdev")
            .filter_map(|value| serde_json::from_str::<Value>(value).ok())
            .find(|node| node["node-name"] == name)
    }

    /// Returns the options of the -blockdev, in keys and values, that made the node `name`.
    pub(super) fn blockdev_options(&self, name: &str) -> Option<Options> {
        let all = self.values("blockdev").filter(|value| !value.starts_with('{')).map(parse);
        all.into_iter().find(|options| options.get("node-name").is_some_and(|found| found == name))
    }

    /// Returns the options of the -drive with this id.
    pub(super) fn drive_options(&self, id: &str) -> Option<Options> {
        let mut all = self.values("drive").map(parse);
        all.find(|options| options.get("id").is_some_and(|found| found == id))
    }

    /// Returns the value of each `-option` or `--option`.
    fn values(&self, option: &str) -> impl Iterator<Item = &str> {
        let is_option = move |word: &str| {
            word.strip_prefix("--").or_else(|| word.strip_prefix('-')).is_some_and(|word| word == option)
        };
        self.0.windows(2).filter(move |pair| is_option(&pair[0])).map(|pair| pair[1].as_str())
    }
}

/// Parses `key=value,key=value`, where two commas stand for one in a value.
fn parse(text: &str) -> Options {
    let mut pairs = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = pairs.last_mut().expect("there is one at least");
        if letter != ',' {
            last.push(letter);
        } else if letters.next_if_eq(&',').is_some() {
            last.push(',');
        } else {
            pairs.push(String::new());
        }
    }
    let split = pairs.iter().filter_map(|pair| pair.split_once('='));
    split.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> CommandLine {
        CommandLine::new(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn a_blockdev_is_found_by_its_node_in_either_form() {
        let line = line(&[
            "qemu-system-x86_64",
            "-blockdev",
            r#"{"driver":"file","filename":"/a","node-name":"a","aio":"native"}"#,
            "--blockdev",
            "driver=file,filename=/b,,c,node-name=b,cache.direct=on,discard=unmap",
            "-S",
        ]);
        assert_eq!(line.blockdev_json("a").expect("it is there")["aio"], "native");
        assert!(line.blockdev_json("b").is_none() && line.blockdev_options("a").is_none());
        let options = line.blockdev_options("b").expect("it is there");
        assert_eq!(options["filename"], "/b,c");
        assert_eq!(options["cache.direct"], "on");
    }

    #[test]
    fn a_drive_is_found_by_its_id() {
        let line =
            line(&["-drive", "file=/a,if=none,id=d1", "-drive", "file=/b,id=d2,aio=io_uring", "-drive"]);
        assert_eq!(line.drive_options("d2").expect("it is there")["aio"], "io_uring");
        assert!(line.drive_options("d3").is_none());
    }

    #[test]
    fn what_is_no_list_of_options_is_no_obstacle() {
        let line = line(&["-blockdev", "{broken", "-blockdev", ",,,=", "-drive", "", "-blockdev"]);
        assert!(line.blockdev_json("x").is_none() && line.blockdev_options("x").is_none());
        assert!(line.drive_options("x").is_none());
    }
}
