//! Fake QEMU behind a real socket, and fake daemon: they follow the rules of the real ones, and fail on demand.
//!
//! The rules: a file that Forebay has locked is not opened by QEMU, and vice versa; a node in use is not deleted; a node that QEMU named
//! itself is removed with its last user. Files are really opened, in this process, so that open files of a process can be inspected as
//! usual.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use block::file::Identity;
use serde_json::{Value, json};

use super::super::forebay::{DiskRequest, Forebay, MovedDisk};
use base::error::{Error, Result};
use base::testing::TempDir;

/// Size of the guest's disk.
pub(super) const SIZE: u64 = 1 << 20;

/// Both sides, and the file that moves between them.
pub(super) struct Scene {
    pub(super) dir: TempDir,
    state: Arc<Mutex<State>>,
}

/// State of the scene.
#[derive(Default)]
pub(super) struct State {
    nodes: BTreeMap<String, Node>,
    pub(super) root: String,
    pub(super) job: Option<Job>,
    pub(super) disk: Option<Disk>,
    /// Number of commands to QEMU and calls of the daemon.
    pub(super) operations: usize,
    /// Operations that fail, without any effect.
    pub(super) failing: std::ops::Range<usize>,
    /// Command of QEMU at which the daemon is killed, and not started again.
    pub(super) daemon_dies_at: Option<&'static str>,
    daemon_is_gone: bool,
    /// Error with which the next job ends.
    pub(super) job_error: Option<&'static str>,
    /// Bus of the device; none for virtio-blk.
    pub(super) controller: Option<&'static str>,
    /// Thread of the device's controller, empty for none.
    pub(super) thread: &'static str,
    /// Additions to QEMU's description of its disk.
    pub(super) about_disk: Value,
}

pub(super) struct Node {
    driver: String,
    file: String,
    below: Option<String>,
    discard: Value,
    open: Option<File>,
}

pub(super) struct Job {
    name: String,
    from: String,
    to: String,
    status: &'static str,
    error: Option<&'static str>,
}

#[derive(Clone)]
pub(super) struct Disk {
    wanted: DiskRequest,
    pub(super) locked: bool,
    on_its_way: bool,
}

impl Scene {
    /// Returns a guest whose disk has a format node and a storage node of these names.
    pub(super) fn new(format: &str, storage: &str) -> Self {
        let dir = TempDir::new();
        let scene = Self { dir, state: Arc::default() };
        let path = scene.path();
        File::create(&path).and_then(|file| file.set_len(SIZE)).expect("the folder is ours");
        let file = path.to_str().expect("temporary folders have plain names").to_owned();
        {
            let mut state = scene.state();
            let open = File::open(&path).ok();
            let node = |driver: &str, below: Option<&str>, open| Node {
                driver: driver.to_owned(),
                file: file.clone(),
                below: below.map(str::to_owned),
                discard: Value::Null,
                open,
            };
            state.nodes.insert(storage.to_owned(), node("file", None, open));
            state.nodes.insert(format.to_owned(), node("raw", Some(storage), None));
            state.root = format.to_owned();
        }
        let listener = UnixListener::bind(scene.socket()).expect("the folder is ours");
        let state = Arc::clone(&scene.state);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                talk(&stream, &state);
            }
        });
        scene
    }

    /// Adds a throttle to the guest's disk.
    pub(super) fn throttle(&self) {
        let mut state = self.state();
        let (below, file) = (state.root.clone(), "json:{}".to_owned());
        let throttle = Node {
            driver: "throttle".to_owned(),
            file,
            below: Some(below),
            discard: Value::Null,
            open: None,
        };
        state.nodes.insert("top".to_owned(), throttle);
        state.root = "top".to_owned();
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("a.img")
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.dir.path().join("q.sock")
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    /// Checks that the guest uses its file itself and nothing else is left. Returns the names of the nodes.
    pub(super) fn assert_untouched(&self, what: &str) -> Vec<String> {
        let state = self.state();
        let root = &state.nodes[&state.root];
        // As at first, or as after the return: without a format.
        let nodes = if root.driver == "raw" { 2 } else { 1 };
        assert!(["raw", "file"].contains(&root.driver.as_str()), "{what}: the guest uses its file");
        assert!(state.job.is_none(), "{what}: no job is left");
        assert!(state.disk.is_none(), "{what}: Forebay has no disk left");
        assert_eq!(state.nodes.len(), nodes, "{what}: no node is left: {:?}", state.nodes.keys());
        assert!(state.has_open(), "{what}: QEMU has the file open");
        state.nodes.keys().cloned().collect()
    }

    /// Checks that the guest uses its file itself, whatever Forebay has.
    pub(super) fn assert_uses_its_file(&self, what: &str) {
        let state = self.state();
        assert!(["raw", "file"].contains(&state.nodes[&state.root].driver.as_str()), "{what}");
        assert!(state.has_open() && state.job.is_none(), "{what}");
    }

    /// Checks that the guest uses Forebay, which has the file to itself.
    pub(super) fn assert_attached(&self, what: &str) {
        let state = self.state();
        assert_eq!(state.nodes[&state.root].driver, "nbd", "{what}: the guest uses Forebay");
        assert!(state.job.is_none(), "{what}: no job is left");
        assert_eq!(state.nodes.len(), 1, "{what}: no node is left: {:?}", state.nodes.keys());
        assert!(!state.has_open(), "{what}: QEMU has closed the file");
        let disk = state.disk.as_ref().expect("Forebay has the disk");
        assert!(disk.locked && !disk.on_its_way, "{what}: Forebay has locked the file");
    }
}

impl Disk {
    /// Stores another socket than that of its QEMU.
    pub(super) fn came_from(&mut self, qmp: &Path) {
        self.wanted.qmp = qmp.to_owned();
    }
}

impl State {
    fn has_open(&self) -> bool {
        self.nodes.values().any(|node| node.open.is_some())
    }

    /// Counts an operation. Returns true if it is to fail.
    fn fails(&mut self) -> bool {
        self.operations += 1;
        self.failing.contains(&(self.operations - 1))
    }

    fn is_used(&self, name: &str) -> bool {
        let by_job = self
            .job
            .as_ref()
            .is_some_and(|job| job.status != "concluded" && (job.from == name || job.to == name));
        by_job || self.root == name || self.nodes.values().any(|node| node.below.as_deref() == Some(name))
    }

    /// Removes nodes that QEMU named itself and that have no user.
    fn forget_unused(&mut self) {
        while let Some(name) = self.nodes.keys().find(|name| name.starts_with('#') && !self.is_used(name)) {
            let name = name.clone();
            self.nodes.remove(&name);
        }
    }

    fn execute(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        if self.fails() {
            return Err("it was to fail".to_owned());
        }
        self.daemon_is_gone |= self.daemon_dies_at == Some(command);
        let name = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
        match command {
            "qmp_capabilities" => {}
            "query-name" => return Ok(json!({ "name": "Web 1" })),
            "qom-get" if name("property") == "iothread" => return Ok(json!(self.thread)),
            "qom-get" => return Ok(json!(self.controller)),
            "query-block" => return Ok(self.devices()),
            "query-named-block-nodes" => {
                return Ok(self.nodes.iter().map(|(name, node)| self.about(name, node)).collect());
            }
            "x-debug-query-block-graph" => return Ok(self.graph()),
            "query-jobs" => return Ok(self.job.iter().map(Job::about).collect()),
            "blockdev-add" => self.add_node(arguments)?,
            "blockdev-del" => self.delete_node(&name("node-name"))?,
            "blockdev-mirror" => self.start_job(arguments)?,
            "job-complete" => self.complete_job()?,
            "block-job-cancel" | "job-cancel" => self.job_of(&name("device"))?.status = "concluded",
            "job-dismiss" => {
                if self.job_of(&name("id"))?.status != "concluded" {
                    return Err("the job is not concluded".to_owned());
                }
                self.job = None;
            }
            _ => return Err(format!("there is no command {command}")),
        }
        Ok(json!({}))
    }

    fn devices(&self) -> Value {
        let root = self.about(&self.root, &self.nodes[&self.root]);
        let qdev = if self.controller.is_some() { "vd0" } else { "/machine/peripheral/vd0/virtio-backend" };
        json!([
            { "device": "cd0", "qdev": "cd0-device" },
            { "device": "drive0", "qdev": qdev, "inserted": root },
        ])
    }

    fn about(&self, name: &str, node: &Node) -> Value {
        let mut about = json!({
            "node-name": name, "drv": node.driver, "file": node.file, "ro": false, "detect_zeroes": "off",
            "cache": { "direct": true, "no-flush": false }, "image": { "virtual-size": SIZE },
        });
        if name == self.root
            && let Value::Object(more) = &self.about_disk
        {
            about.as_object_mut().expect("it is one").extend(more.clone());
        }
        about
    }

    fn graph(&self) -> Value {
        let id = |wanted: &String| self.nodes.keys().position(|name| name == wanted);
        let nodes: Vec<Value> =
            self.nodes.keys().map(|name| json!({ "id": id(name), "name": name })).collect();
        let edges: Vec<Value> = self
            .nodes
            .iter()
            .filter_map(|(name, node)| {
                let below = node.below.as_ref()?;
                Some(json!({ "parent": id(name), "name": "file", "child": id(below) }))
            })
            .collect();
        json!({ "nodes": nodes, "edges": edges })
    }

    fn add_node(&mut self, wanted: &Value) -> Result<(), String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let name = text(&wanted["node-name"]).ok_or("a node needs a name")?;
        if name.starts_with('#') || self.nodes.contains_key(&name) {
            return Err(format!("node {name} cannot be"));
        }
        let driver = text(&wanted["driver"]).ok_or("a node needs a driver")?;
        let below = if driver == "raw" { text(&wanted["file"]) } else { None };
        let mut file = text(&wanted["filename"]).unwrap_or_default();
        let mut open = None;
        match driver.as_str() {
            "file" => {
                if self.disk.as_ref().is_some_and(|disk| disk.locked) {
                    return Err("Failed to get \"write\" lock".to_owned());
                }
                open = Some(File::open(&file).map_err(|error| error.to_string())?);
            }
            "raw" => file = self.nodes[below.as_ref().ok_or("raw needs a file")?].file.clone(),
            _ => file = format!("nbd+unix:///x?socket={}", wanted["server"]["path"].as_str().unwrap_or("")),
        }
        self.nodes.insert(name, Node { driver, file, below, discard: wanted["discard"].clone(), open });
        Ok(())
    }

    fn delete_node(&mut self, name: &str) -> Result<(), String> {
        if self.is_used(name) || name.starts_with('#') {
            return Err(format!("node {name} is in use"));
        }
        self.nodes.remove(name).map(drop).ok_or_else(|| format!("there is no node {name}"))
    }

    fn start_job(&mut self, wanted: &Value) -> Result<(), String> {
        let text = |key: &str| wanted[key].as_str().unwrap_or_default().to_owned();
        let (from, to) = (text("device"), text("target"));
        for (key, value) in [("sync", "none"), ("copy-mode", "write-blocking")] {
            assert_eq!(wanted[key], value, "anything else would copy, or let the two ends differ");
        }
        assert_eq!(from, self.root, "the guest's writes come in at its root");
        assert!(
            self.nodes[&to].below.is_none(),
            "QEMU can abort when it changes over to a node with another one below"
        );
        assert_eq!(self.nodes[&from].discard.as_str().unwrap_or("ignore"), "ignore");
        let disk = self.disk.as_ref().ok_or("there is nobody to talk to")?;
        assert!(!disk.locked && disk.on_its_way, "Forebay caches nothing while both have the file");
        let job = Job { name: text("job-id"), from, to, status: "ready", error: self.job_error.take() };
        if job.error.is_some() {
            self.job = Some(Job { status: "concluded", ..job });
        } else {
            self.job = Some(job);
        }
        Ok(())
    }

    fn job_of(&mut self, name: &str) -> Result<&mut Job, String> {
        self.job.as_mut().filter(|job| job.name == name).ok_or_else(|| format!("there is no job {name}"))
    }

    fn complete_job(&mut self) -> Result<(), String> {
        let job = self.job.as_mut().ok_or("there is no job")?;
        job.status = "concluded";
        self.root = job.to.clone();
        self.forget_unused();
        Ok(())
    }
}

impl Job {
    fn about(&self) -> Value {
        let mut about = json!({ "id": self.name, "status": self.status, "type": "mirror" });
        if let Some(error) = self.error {
            about["error"] = error.into();
        }
        about
    }
}

/// Serves one client until it disconnects.
fn talk(stream: &UnixStream, state: &Mutex<State>) {
    let mut writer = stream;
    // A client that is gone may have stopped reading.
    let mut say = |value: &Value| writer.write_all(format!("{value}\n").as_bytes()).is_ok();
    say(&json!({ "QMP": { "version": {}, "capabilities": [] } }));
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).expect("requests are JSON");
        let command = request["execute"].as_str().expect("a request has a command");
        say(&json!({ "event": "SOMETHING", "data": {} }));
        let outcome = state.lock().expect("nobody panics with it").execute(command, &request["arguments"]);
        let answer = match outcome {
            Ok(value) => json!({ "return": value, "id": request["id"] }),
            Err(text) => json!({ "error": { "class": "GenericError", "desc": text }, "id": request["id"] }),
        };
        say(&answer);
    }
}

impl Scene {
    fn call<T>(&self, act: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        if state.fails() || state.daemon_is_gone {
            return Err(Error::unavailable("The daemon was to fail"));
        }
        act(&mut state)
    }

    fn moved_disk(&self, disk: &Disk) -> MovedDisk {
        MovedDisk {
            name: disk.wanted.name.clone(),
            nbd_socket: "/run/forebay/nbd/x.sock".to_owned(),
            size_bytes: Some(SIZE),
            node: "forebay-7".to_owned(),
            on_its_way: disk.on_its_way,
            qmp: disk.wanted.qmp.clone(),
            device: disk.wanted.device.clone(),
            storage: Identity::of(&self.path()).ok(),
            original: disk.wanted.original.clone(),
        }
    }
}

impl Forebay for Scene {
    fn add(&self, wanted: &DiskRequest) -> Result<MovedDisk> {
        assert_eq!(wanted.path, self.path());
        let disk = Disk { wanted: wanted.clone(), locked: false, on_its_way: true };
        self.call(|state| {
            state.disk = Some(disk.clone());
            Ok(())
        })?;
        Ok(self.moved_disk(&disk))
    }

    fn moved(&self) -> Result<Vec<MovedDisk>> {
        let disk = self.call(|state| Ok(state.disk.clone()))?;
        Ok(disk.iter().map(|disk| self.moved_disk(disk)).collect())
    }

    fn take_over(&self, _: &str) -> Result<()> {
        self.call(|state| {
            if state.has_open() {
                return Err(Error::conflict("QEMU has it open"));
            }
            let disk = state.disk.as_mut().ok_or_else(|| Error::missing("No disk"))?;
            (disk.locked, disk.on_its_way) = (true, false);
            Ok(())
        })
    }

    fn give_up(&self, _: &str) -> Result<()> {
        self.call(|state| {
            let disk = state.disk.as_mut().ok_or_else(|| Error::missing("No disk"))?;
            (disk.locked, disk.on_its_way) = (false, true);
            Ok(())
        })
    }

    fn remove(&self, _: &str) -> Result<()> {
        self.call(|state| {
            let used = state.nodes[&state.root].driver == "nbd";
            assert!(!used, "a disk that a guest uses is never removed");
            state.disk = None;
            Ok(())
        })
    }
}
