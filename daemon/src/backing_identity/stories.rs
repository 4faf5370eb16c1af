//! Random histories of two hosts, one image and its copies, by seeds: hosts attach and detach it in turn,
//! write, and crash before any durable step; the image at rest is replaced by copies of itself, restored and
//! changed by others. In every history, content that a host trusts is that of the image.
//!
//! A host's cache is a number here, that of the last version of the image which it saw, and is trusted or not
//! as a whole. Distrust of single pages, which were written in an attachment that crashed, is tested with
//! bits and regions, and in the simulation of the cache: here such a write leaves nothing cached.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use base::store::Store;
use base::testing::{TempDir, die_after};
use xattr::FileExt as _;

use super::*;
use crate::host_record;
use crate::state::DiskRecord;

#[path = "../../../doors/tests/random/mod.rs"]
mod random;
use random::Random;

const SEEDS: u64 = 100;
/// Attachments of one seed.
const ROUNDS: u32 = 12;
const SIZE: u64 = 1 << 20;
/// More durable steps than any change takes.
const STEPS_MAX: usize = 14;
const DISK: u32 = 1;
/// Mark of the pool: no other daemon opened it.
const MARK: u64 = 7;

struct StoryHost {
    places: Places,
    /// The version of the image that its flash holds.
    cached: Option<u64>,
    /// Its last attachment ended cleanly, or did not write.
    is_at_rest: bool,
}

struct StoryWorld {
    dir: TempDir,
    rng: Random,
    hosts: Vec<StoryHost>,
    /// The newest version of all writers.
    version: u64,
    /// Number of times that content was trusted, and of crashes.
    believed: u32,
    died: u32,
}

impl StoryWorld {
    fn new(seed: u64) -> Self {
        // Session ids are extended attributes, which some systems do not have in RAM.
        let in_ram = TempDir::in_ram();
        let takes_attributes = xattr::set(in_ram.path(), "user.forebay.test", b"1").is_ok();
        let dir = if takes_attributes { in_ram } else { TempDir::new() };
        let host = |name: &str| {
            let folder = dir.path().join(name);
            let places = Places {
                dir: folder.clone(),
                run: folder,
                nbd_uri: None,
                stores: crate::stores::Stores::default(),
            };
            places.make().expect("the folder is ours");
            StoryHost { places, cached: None, is_at_rest: true }
        };
        let hosts = ["a", "b"].map(host).into();
        let world = Self { dir, rng: Random::of(seed), hosts, version: 0, believed: 0, died: 0 };
        File::create(world.image()).and_then(|file| file.set_len(SIZE)).expect("the folder is ours");
        world
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.rng.below(many) == 0
    }

    fn image(&self) -> PathBuf {
        self.dir.path().join("image")
    }

    fn open_image(&self) -> File {
        File::options().read(true).write(true).open(self.image()).expect("it is there")
    }

    /// Returns the present version of the image.
    fn content(&self) -> u64 {
        let mut bytes = [0; 8];
        self.open_image().read_exact_at(&mut bytes, 0).expect("it is large enough");
        u64::from_le_bytes(bytes)
    }

    /// Writes the next version, as a guest or another program does.
    fn write(&mut self) {
        self.version += 1;
        self.open_image().write_all_at(&self.version.to_le_bytes(), 0).expect("it is ours");
    }

    /// Returns a host's records after a start. After a crash only files are left.
    async fn start(&self, host: usize) -> HostFile {
        let store = Store::start(&self.hosts[host].places.dir).expect("there are threads");
        let remembered = host_record::open(&store).await.expect("what was saved can be read");
        let adding = remembered.change(|host| {
            while !host.state.had_disk(DISK) {
                host.state.take_disk_number();
            }
            if host.state.disks.is_empty() {
                host.state.disks.push(disk(DISK));
            }
            Ok(())
        });
        adding.await.expect("the folder is ours");
        remembered
    }

    /// Attaches the image to a host, lets guests use it, and detaches it, unless the host crashes before one
    /// of its durable steps.
    async fn attach(&mut self, host: usize) {
        let access = if self.one_in(6) { Access::ReadOnly } else { Access::ReadWrite };
        let file = Arc::new(FileAttributes { file: Arc::new(self.open_image()), path: self.image() });
        let sizes = Sizes { remembered: Some(SIZE), backing: SIZE };
        let blocking = BlockingPool::here();
        let remembered = self.start(host).await;
        let places = (&self.hosts[host].places, &remembered);
        let opened = BackingHistory::open(&blocking, places, DISK, sizes, MARK, file);
        let (history, found) = opened.await.expect("the folder is ours");
        let history = Rc::new(history);
        let belief = history.recovery_context(&found).await.belief;
        let is_believed = matches!(belief, RecoveryTrust::ByPage | RecoveryTrust::ByRegion);
        let cached = self.hosts[host].cached.take().filter(|_| is_believed);
        if let Some(version) = cached {
            assert_eq!(version, self.content(), "host {host} believes what it has cached: {belief:?}");
            self.believed += 1;
        }
        self.hosts[host].cached = cached;
        let has_begun = self.with_a_death(history.begin(SIZE, access, false)).await;
        let mut has_written = false;
        if has_begun {
            for _ in 0..self.rng.below(3) {
                if access == Access::ReadWrite {
                    self.write();
                    has_written = true;
                }
            }
            // Guests read it.
            self.hosts[host].cached = Some(self.content());
        }
        let has_ended = has_begun && !self.one_in(3) && self.with_a_death(history.end(SIZE, access)).await;
        history.close();
        self.hosts[host].is_at_rest = has_ended;
        self.hosts[host].cached.take_if(|_| has_written && !has_ended);
    }

    /// Runs a change that may crash before each durable step. Returns true if it ran to its end.
    async fn with_a_death(&mut self, change: impl Future<Output = Result<()>>) -> bool {
        let dies = self.one_in(2).then(|| self.rng.below(STEPS_MAX) as u32);
        die_after(self.dir.path(), dies);
        let outcome = change.await;
        let has_died = die_after(self.dir.path(), None) && outcome.is_err();
        self.died += u32::from(has_died);
        assert!(has_died || outcome.is_ok(), "{outcome:?}");
        !has_died
    }

    /// Does something else to the image while it is not served.
    fn disturb(&mut self) {
        let (image, copy) = (self.image(), self.dir.path().join("copy"));
        match self.rng.below(5) {
            0 => copy_with_attributes(&image, &copy),
            // A snapshot replaces the image, or they are swapped.
            1 if copy.exists() => {
                let away = self.dir.path().join("away");
                fs::rename(&image, &away).expect("the folder is ours");
                fs::rename(&copy, &image).expect("the folder is ours");
                if self.one_in(2) {
                    fs::rename(&away, &copy).expect("the folder is ours");
                }
            }
            // The content of a snapshot is written over the image.
            2 if copy.exists() => {
                self.modify(|world| {
                    fs::read(&copy)
                        .and_then(|content| world.open_image().write_all_at(&content, 0))
                        .expect("it is ours");
                });
            }
            3 => self.modify(Self::write),
            // A reboot loses the bits of touched pages.
            4 => {
                let host = self.rng.below(2);
                WriteIntentBitmap::forget(&self.hosts[host].places.touched(), DISK);
            }
            _ => {}
        }
    }

    /// Changes the image in place, until the change is visible: the clock of a file system has coarse steps,
    /// which no operator notices. A host whose last attachment crashed can only compare samples, which tests
    /// of the cache do.
    fn modify(&mut self, change: impl Fn(&mut Self)) {
        let time = |world: &Self| {
            let about = world.open_image().metadata().expect("it is there");
            (about.mtime(), about.mtime_nsec())
        };
        let before = time(self);
        while time(self) == before {
            change(self);
        }
        self.hosts.iter_mut().filter(|host| !host.is_at_rest).for_each(|host| host.cached = None);
    }
}

fn disk(id: u32) -> DiskRecord {
    let document = serde_json::json!({ "id": id, "name": "web", "backing": "/image", "read_only": false, "force_raw": false,
        "settings": {}, "size_bytes": SIZE });
    serde_json::from_value(document).expect("it is a disk")
}

fn copy_with_attributes(from: &Path, to: &Path) {
    fs::copy(from, to).expect("the folder is ours");
    let (from, to) = (File::open(from).expect("it is there"), File::open(to).expect("it is there"));
    for name in from.list_xattr().into_iter().flatten() {
        let value = from.get_xattr(&name).ok().flatten().expect("it is listed");
        to.set_xattr(&name, &value).expect("as the other holds it");
    }
}

#[test]
fn whatever_two_hosts_and_others_do_with_an_image_nothing_old_is_believed() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime for one thread");
    let (mut believed, mut died) = (0, 0);
    for seed in 1..=SEEDS {
        let mut world = StoryWorld::new(seed);
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(async {
                for _ in 0..ROUNDS {
                    let host = world.rng.below(2);
                    world.attach(host).await;
                    world.disturb();
                }
            });
        }));
        assert!(played.is_ok(), "seed {seed}");
        believed += world.believed;
        died += world.died;
    }
    println!("{SEEDS} seeds: content was believed {believed} times, and hosts died {died} times");
    assert!(u64::from(believed) > SEEDS && u64::from(died) > SEEDS, "{believed} and {died}: too rarely");
}
