//! Stops and moves of disks with the registry of this process, step by step.

use std::fs;
use std::io;
use std::path::PathBuf;

use base::testing::{TempDir, die_after};
use base::units::PollMax;
use doors::nbd::option::Replies;
use doors::nbd::{Client, Directory};
use tokio::runtime::Runtime;

use super::sockets::{ControlFiles, ReportedFailures};
use super::*;
use crate::balance::Move;
use crate::door::DoorKind;
use crate::host_record::{self, HostRecord};
use crate::places::Environment;
use crate::pool::{self, PoolChoice};
use crate::shard::{Destage, Relocation};

const MIB: u64 = 1 << 20;
const DISK: u64 = 4 * MIB;
const WRITTEN: usize = 64 << 10;
/// More durable steps than any stop here takes.
const STEPS_MAX: u32 = 200;

/// Returns a folder with images, a pool and DIR, where dirty marks can be written to images.
fn folder() -> TempDir {
    let in_ram = TempDir::in_ram();
    let takes_attributes = xattr::set(in_ram.path(), "user.forebay.test", b"1").is_ok();
    if takes_attributes { in_ram } else { TempDir::new() }
}

/// A process that serves the disks of a folder.
struct Process<'a> {
    folder: &'a TempDir,
    // Dropped before the runtime, as the tasks that use it are.
    registry: Arc<Registry>,
    runtime: Runtime,
}

impl<'a> Process<'a> {
    fn start(folder: &'a TempDir) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime for one thread");
        let registry = runtime.block_on(async {
            let dir = Some(folder.path().join("d"));
            let places = Places::resolve(dir, None, &Environment::of_process())?;
            places.make()?;
            let store = Store::start(&places.dir)?;
            let host = host_record::open(&store).await?;
            let mut state = host.read(|host| host.state.clone());
            let directory = Directory::default();
            let shards = Shards::start(&places, &host, &directory, Some(2), PollMax::Off).await?;
            let choice = PoolChoice {
                file: state.pool.is_none().then(|| folder.path().join("pool.img")),
                size: Some(Size(32 * MIB)),
                ..PoolChoice::default()
            };
            let pool = pool::open(&places, &host, &shards, &mut state, &choice).await?;
            Ok::<_, Error>(Registry::new(places, host, shards, pool, state))
        });
        Self { folder, registry: registry.expect("the folder is ours"), runtime }
    }

    fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn image(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.img"))
    }

    /// Adds disks in write-back, writes to them, and destages the first ones completely.
    fn add(&self, destaged: &[&str], dirty: &[&str]) {
        for name in destaged {
            self.add_one(name, "0");
            self.destage(name);
        }
        for name in dirty {
            self.add_one(name, "1KiB");
        }
    }

    fn add_one(&self, name: &str, destage_rate_max: &str) {
        fs::File::create(self.image(name)).and_then(|file| file.set_len(DISK)).expect("the folder is ours");
        let settings = [
            ("mode", "write-back"),
            ("reserve", "4MiB"),
            ("dirty-limit", "1MiB"),
            ("ram", "1MiB"),
            ("destage-rate-max", destage_rate_max),
        ];
        let wanted = NewDisk {
            name: name.to_owned(),
            backing: self.image(name).display().to_string(),
            read_only: false,
            force_raw: false,
            settings: settings.map(|(key, text)| (key.to_owned(), text.to_owned())).into(),
            guest: None,
        };
        self.run(self.registry.add(wanted)).expect("nothing stands in the way");
        self.write(name, content(name));
    }

    /// Lets a guest connect to a disk and do something that blocks, while tasks of the process continue.
    fn with_guest<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&mut Client) -> io::Result<T> + Send + 'static,
    ) -> T {
        let (socket, name) = (self.registry.places.socket(DoorKind::Nbd, name), name.to_owned());
        let waiting = async {
            tokio::task::spawn_blocking(move || work(&mut Client::connect(&socket, &name, Replies::Simple)?))
                .await
        };
        self.run(waiting).expect("it does not panic").expect("the disk is served")
    }

    fn read(&self, name: &str) -> Vec<u8> {
        self.with_guest(name, |guest| guest.read(0, WRITTEN as u32))
    }

    fn write(&self, name: &str, content: Vec<u8>) {
        self.with_guest(name, move |guest| guest.write(0, &content));
    }

    /// Destages everything of a disk.
    fn destage(&self, name: &str) {
        self.run(async {
            self.registry.destage(name, Destage::Start).await.expect("the disk is served");
            let statistics = async || self.registry.disk(name).await.expect("it is there").report;
            while statistics().await.expect("the disk is served").statistics.dirty_bytes > 0 {}
        });
        assert!(self.is_at_home(name));
    }

    fn is_at_home(&self, name: &str) -> bool {
        let image = fs::read(self.image(name)).expect("the test made it");
        image[..WRITTEN] == content(name)
    }

    fn is_unsaved(&self, name: &str) -> bool {
        is_unsaved(&self.remembered(), name)
    }

    /// Returns the state in DIR that the next start reads.
    fn remembered(&self) -> State {
        let loaded = HostRecord::load(&self.registry.places.dir).expect("it was saved");
        loaded.record.state
    }
}

fn is_unsaved(state: &State, name: &str) -> bool {
    state.disk(name).expect("it was added").unsaved_in.is_some()
}

fn content(name: &str) -> Vec<u8> {
    name.bytes().cycle().take(WRITTEN).collect()
}

#[test]
fn a_disk_that_has_ended_is_noted_while_another_one_holds_the_stop_up_and_is_served_without_the_pool() {
    let folder = folder();
    let process = Process::start(&folder);
    process.add(&["a", "b"], &["c"]);
    assert!(["a", "b", "c"].iter().all(|name| process.is_unsaved(name)), "they write back");
    process.run(async {
        let _changing = process.registry.locks.lock("b").await;
        let stopping = tokio::spawn({
            let registry = Arc::clone(&process.registry);
            async move { registry.stop().await }
        });
        while process.is_unsaved("a") || process.registry.shards.is_attached("c") {
            assert!(!stopping.is_finished(), "the stop waits for the lock of one disk");
            tokio::task::yield_now().await;
        }
        assert!(process.is_unsaved("b") && process.is_unsaved("c"), "one has not ended, and one is dirty");
        // The process crashes here.
        stopping.abort();
    });
    drop(process);
    fs::rename(folder.path().join("pool.img"), folder.path().join("away.img")).expect("the folder is ours");
    let process = Process::start(&folder);
    let serve = |name: &str| process.run(while_in_conflict(|| process.registry.serve_remembered(name)));
    serve("a").expect("its backing has everything");
    assert_eq!(process.read("a"), content("a"));
    process.write("a", content("x"));
    for name in ["b", "c"] {
        let problem = serve(name).expect_err("its pool is away");
        assert!(problem.message.contains("may hold data that its backing does not have"), "{problem}");
    }
    drop(process);
    // The pool returns with its data of `a`, which is older than the backing by now.
    fs::rename(folder.path().join("away.img"), folder.path().join("pool.img")).expect("the folder is ours");
    let process = Process::start(&folder);
    for (name, held) in [("a", "x"), ("b", "b"), ("c", "c")] {
        process
            .run(while_in_conflict(|| process.registry.serve_remembered(name)))
            .expect("nothing stands in the way");
        let found = process.read(name);
        assert_eq!(found, content(held), "{name}");
    }
    process.run(process.registry.stop()).expect("nothing stands in the way");
    assert!(!process.is_unsaved("a") && !process.is_unsaved("b") && process.is_unsaved("c"));
}

#[test]
fn a_stop_that_dies_before_any_step_notes_no_disk_whose_backing_lacks_something() {
    let mut noted = [0; 3];
    let mut steps = 0;
    loop {
        let folder = folder();
        let process = Process::start(&folder);
        process.add(&["a", "b"], &["c"]);
        die_after(folder.path(), Some(steps));
        let stopped = process.run(process.registry.stop());
        let has_died = die_after(folder.path(), None);
        let remembered = HostRecord::load(&process.registry.places.dir).expect("it was saved").record;
        let saved: Vec<_> =
            ["a", "b", "c"].into_iter().filter(|name| !is_unsaved(&remembered.state, name)).collect();
        for name in &saved {
            assert!(process.is_at_home(name), "{name} after {steps} steps");
            let mark = xattr::get(process.image(name), "user.forebay.dirty").expect("it holds attributes");
            assert_eq!(mark, None, "{name} after {steps} steps");
            let id = remembered.state.disk(name).expect("it was added").id;
            let backing = remembered.backing(id).expect("it was attached");
            assert!(backing["changes"]["modified_ns"].is_number(), "{name} after {steps} steps: {backing}");
        }
        assert!(!saved.contains(&"c"), "flash alone has what was written after {steps} steps");
        noted[saved.len()] += 1;
        if !has_died {
            stopped.expect("nothing stands in the way");
            assert_eq!(saved, ["a", "b"]);
            break;
        }
        steps += 1;
        assert!(steps < STEPS_MAX, "a stop takes fewer steps");
    }
    println!(
        "a stop takes {steps} durable steps; after a death before one of them so many disks were noted: {noted:?}"
    );
    assert!(noted[0] > 0 && noted[2] > 1, "{noted:?}");
}

#[test]
fn a_disk_that_no_shard_can_take_up_waits_and_is_served_again() {
    let folder = folder();
    let process = Process::start(&folder);
    process.add(&[], &["a"]);
    let registry = &process.registry;
    process.run(async {
        // As a move ends that both shards refuse: see the test of that at `Shards::set_down`.
        registry.shards.detach("a".to_owned(), DetachPolicy::Kept).await.expect("nothing stands in the way");
        let wanted = Move { disk: "a".to_owned(), from: 0, to: 1 };
        let lost = Relocation::Lost(Error::unavailable("There is no room for it"));
        registry.finish_relocation(&wanted, lost, Duration::ZERO);
        let reason = registry.disk("a").await.expect("it is remembered").report.expect_err("it is nowhere");
        assert_eq!(reason, "There is no room for it");
        while !lock(&registry.waiting).is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert_eq!(process.read("a"), content("a"));
    process.run(process.registry.stop()).expect("nothing stands in the way");
}

#[test]
fn a_disk_that_is_being_changed_holds_up_no_move_of_another_one() {
    let folder = folder();
    let process = Process::start(&folder);
    process.add(&[], &["a", "b", "c"]);
    process.run(async {
        let shard = async |name: &str| {
            let view = process.registry.disk(name).await.expect("it is there");
            view.report.expect("it is served").shard
        };
        assert_eq!((shard("a").await, shard("c").await), (0, 0));
        let move_away = |name: &str| Move { disk: name.to_owned(), from: 0, to: 1 };
        let changing = process.registry.locks.lock("a").await;
        process.registry.relocate(&move_away("a")).await;
        assert_eq!(shard("a").await, 0, "it may be moved when the change has ended");
        drop(changing);
        process.registry.relocate(&move_away("c")).await;
        assert_eq!(shard("c").await, 1);
    });
    for name in ["a", "c"] {
        assert_eq!(process.read(name), content(name));
    }
    process.run(process.registry.stop()).expect("nothing stands in the way");
}

#[test]
fn a_disk_whose_change_hangs_keeps_no_other_socket_lost() {
    let folder = folder();
    let process = Process::start(&folder);
    process.add(&[], &["a", "b"]);
    let registry = &process.registry;
    let socket = |name| registry.places.socket(DoorKind::Nbd, name);
    process.run(async {
        let mut reported = Vec::new();
        for name in ["a", "b"] {
            let report = registry.shards.disk_report(name.to_owned()).await.expect("the shard is there");
            let doors = report.expect("it is served").doors;
            reported.push((name.to_owned(), doors.into_iter().map(|door| door.socket).collect()));
            fs::remove_file(socket(name)).expect("it is there");
        }
        *lock(&registry.sockets) = Arc::new(reported);
        let (listeners, _taken) = tokio::sync::mpsc::channel(1);
        let (_stopper, stop) = tokio::sync::watch::channel(false);
        let mut control = ControlFiles { socket: None, listeners, http: None, stop };
        let mut losses = ReportedFailures::default();
        let changing = registry.locks.lock("a").await;
        let renewing = registry.renew_lost_sockets(&mut control, &mut losses);
        base::patience::within(Duration::from_secs(30), renewing).await.expect("it waits for no change");
        assert!(!socket("a").exists() && socket("b").exists());
        drop(changing);
        registry.renew_lost_sockets(&mut control, &mut losses).await;
        assert!(socket("a").exists(), "the next turn makes it");
    });
    process.run(process.registry.stop()).expect("nothing stands in the way");
}
