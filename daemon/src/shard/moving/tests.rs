//! Moves of a disk between two shards of this process, step by step, with real guests.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use base::rights::Rights;
use base::store::Store;
use base::testing::TempDir;
use base::units::PollMax;
use block::file::{Access, Lock};
use block::nbd::{Address, Target};
use block::socket::KERNEL_PEER;
use cache::{DirtyData, SessionIds};
use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, Request};
use doors::nbd::{Client, Directory};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, bind, connect, socket};

use super::super::{
    AttachRequest, DetachPolicy, DiskReport, Owners, ReconfigureRequest, Relocation, Shards, UnsavedPools,
};
use super::*;
use crate::backing::BackingMonitor;
use crate::door::{DoorKind, Entrances};
use crate::host_record::{HostFile, HostRecord};
use crate::keys::Values;
use crate::places::{Environment, Places};

const MIB: u64 = 1 << 20;
const DISK: u64 = 8 * MIB;
const REQUEST: u64 = 64 << 10;

/// Storage of the disk that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MovingStorage {
    File,
    /// Another disk, `base` on the second shard, over NBD.
    Server,
}

/// Two shards with a pool between them, and the disk `d` on the first.
struct TwoShardHost {
    storage: MovingStorage,
    folder: TempDir,
    places: Places,
    shards: [ShardHandle; 2],
    runtime: tokio::runtime::Runtime,
}

impl TwoShardHost {
    fn new() -> Self {
        Self::on(MovingStorage::File)
    }

    fn on(storage: MovingStorage) -> Self {
        let folder = TempDir::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime for one thread");
        let dir = Some(folder.path().join("dir"));
        let places = Places::resolve(dir, None, &Environment::of_process()).expect("the folder is ours");
        places.make().expect("the folder is ours");
        let (directory, monitor) = (Directory::default(), BackingMonitor::default());
        let remembered =
            HostFile::new(&Store::start(&places.dir).expect("there are threads"), HostRecord::default());
        let start = async {
            let shards = [0, 1]
                .map(|number| {
                    ShardHandle::start(&places, &remembered, &directory, &monitor, PollMax::default(), number)
                })
                .map(futures_util::FutureExt::boxed_local);
            let [first, second] = shards;
            let shards = [first.await?, second.await?];
            let pool = folder.path().join("pool.img");
            shards[0].probe_device(pool.clone(), Some(64 * MIB)).await?;
            let owners = Owners { disks: vec![1, 2], given_up: Vec::new() };
            shards[0].format_pool(pool.clone(), cache::PoolId([7; 16])).await?;
            shards[0]
                .open_pool(vec![pool], SessionIds { new: 3, known: vec![0], epoch: None }, owners)
                .await?;
            shards[1].join_pool(shards[0].share_pool().await?).await?;
            Ok::<_, Error>(shards)
        };
        let shards = runtime.block_on(start).expect("a pool in a file can be made");
        let host = Self { storage, folder, places, shards, runtime };
        let image = host.folder.path().join("d.img");
        File::create(&image).and_then(|file| file.set_len(DISK)).expect("the folder is ours");
        if storage == MovingStorage::Server {
            host.attach_base();
        }
        host.attach(0);
        host
    }

    fn image(&self) -> Location {
        Location::File(self.folder.path().join("d.img"))
    }

    fn attach(&self, shard: usize) {
        let location = match self.storage {
            MovingStorage::File => self.image(),
            MovingStorage::Server => {
                let address = Address::Unix(self.places.socket(DoorKind::Nbd, "base"));
                Location::Nbd(Target { address, export: "base".to_owned() })
            }
        };
        self.attach_as("d", 1, shard, location);
    }

    /// Serves the storage of the disk, if that is a server.
    fn attach_base(&self) {
        self.attach_as("base", 2, 1, self.image());
    }

    /// Returns the number of clients of the server below the disk.
    fn connections_of_base(&self) -> u64 {
        let report = self.run(self.shards[1].disk_report("base".to_owned())).expect("the shard is there");
        report.expect("it is served").connections()
    }

    fn attach_as(&self, name: &str, id: u32, shard: usize, location: Location) {
        let wanted = [("admission", "always"), ("sequential-cutoff", "0"), ("ram", "1MiB")];
        let disk = AttachRequest {
            name: name.to_owned(),
            id,
            location,
            access: Access::ReadWrite,
            lock: Lock::Image,
            values: Values::default().with(wanted).expect("keys that there are"),
            hold: None,
            size_bytes_before: Some(DISK),
            sector_bytes_before: Some(512),
            unsaved: UnsavedPools::default(),
            set: None,
            entrances: Entrances::new(|door| self.places.socket(door, name), Rights::usual()),
        };
        self.run(self.shards[shard].attach(disk)).expect("nothing stands in the way");
    }

    fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn guest(&self) -> Client {
        Client::connect(&self.places.socket(DoorKind::Nbd, "d"), "d", Replies::Simple)
            .expect("the disk is served")
    }

    /// Connects as `forebay map` does for the kernel; this counts as the kernel if this process is root's.
    fn kernel(&self) -> Client {
        let stream = socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
        let stream = stream.expect("there are descriptors");
        let name = format!("{KERNEL_PEER}test/{}", std::process::id());
        let own = UnixAddr::new_abstract(name.as_bytes()).expect("a short name");
        bind(stream.as_raw_fd(), &own).expect("no other process has it");
        let door = UnixAddr::new(&self.places.socket(DoorKind::Nbd, "d")).expect("a path");
        connect(stream.as_raw_fd(), &door).expect("the disk is served");
        Client::over(stream.into(), "d", Replies::Simple).expect("the disk is served")
    }

    fn freeze(&self, from: usize) -> Result<Box<FrozenDisk>> {
        self.run(self.shards[from].freeze("d".to_owned()))
    }

    fn thaw(&self, to: usize, moving: Box<FrozenDisk>) -> Result<(), ThawFailure> {
        self.run(self.shards[to].thaw(moving)).expect("the shard is there")
    }

    fn relocate(&self, from: usize, to: usize) {
        let moving = self.freeze(from).expect("nothing stands in the way");
        assert!(self.thaw(to, moving).is_ok());
        self.run(self.shards[from].release("d".to_owned())).expect("the shard is there");
    }

    fn report(&self, shard: usize) -> Option<DiskReport> {
        self.run(self.shards[shard].disk_report("d".to_owned())).expect("the shard is there")
    }

    /// Lets a guest read all of the disk until most of it is on flash. On a busy machine RAM evicts pages
    /// before they are promoted.
    fn warm(&self, guest: &mut Client, round: u8) {
        for _ in 0..100 {
            read_all(guest, round);
            let statistics = self.report(0).expect("it is there").statistics;
            if statistics.cached_bytes > DISK * 5 / 8 {
                return;
            }
        }
        panic!(
            "nothing of what is read comes to flash: {:?}",
            self.report(0).map(|report| report.statistics)
        );
    }

    /// Returns the report of a disk once its cache is loaded.
    fn loaded(&self, shard: usize) -> DiskReport {
        loop {
            let report = self.report(shard).expect("it is there");
            if report.statistics.load.state != cache::LoadProgress::Running {
                return report;
            }
        }
    }

    fn detach(&self, shard: usize) {
        self.run(self.shards[shard].detach("d".to_owned(), DetachPolicy::Kept))
            .expect("nothing stands in the way");
        assert!(self.report(shard).is_none());
    }
}

fn bytes(at: u64, round: u8) -> Vec<u8> {
    vec![((at / REQUEST) as u8).wrapping_mul(3).wrapping_add(round); REQUEST as usize]
}

fn write_all(guest: &mut Client, round: u8) {
    for at in (0..DISK).step_by(REQUEST as usize) {
        guest.write(at, &bytes(at, round)).expect("the disk is served");
    }
}

fn read_all(guest: &mut Client, round: u8) {
    for at in (0..DISK).step_by(REQUEST as usize) {
        assert_eq!(guest.read(at, REQUEST as u32).expect("the disk is served"), bytes(at, round), "at {at}");
    }
}

#[test]
fn a_disk_moves_with_its_guests_and_is_warm_where_it_goes_on() {
    let host = TwoShardHost::new();
    let mut guest = host.guest();
    write_all(&mut guest, 1);
    host.warm(&mut guest, 1);
    let before = host.loaded(0).statistics;
    let curves = |shard: usize| host.run(host.shards[shard].curves("d".to_owned())).expect("it is there").0;
    let known = curves(0);
    assert!(known.reads.uses() > 0.0);
    host.relocate(0, 1);
    assert!(host.report(0).is_none());
    assert_eq!(curves(1), known);
    let after = host.loaded(1);
    assert_eq!((after.shard, after.connections()), (1, 1));
    assert_eq!(after.statistics.counts.writes, before.counts.writes, "what was counted goes along");
    assert_eq!(after.statistics.latencies[3], before.latencies[3]);
    assert_eq!(after.statistics.histograms, before.histograms);
    assert!(after.statistics.load.pages_kept > DISK / block::PAGE / 2, "{:?}", after.statistics.load);
    assert_eq!(after.statistics.load.pages_compared, 0, "nobody else can have changed it");
    assert_eq!(after.statistics.ram_bytes, 0, "what RAM held is the price");
    read_all(&mut guest, 1);
    let hits = host.report(1).expect("it is there").statistics.counts.read_hits_flash;
    assert!(hits > before.counts.read_hits_flash + DISK / REQUEST / 2, "{hits}");
    // Later guests find it too, and it can be detached as usual.
    host.guest().flush().expect("the disk is served");
    host.detach(1);
    assert!(UnixStream::connect(host.places.socket(DoorKind::Nbd, "d")).is_err());
}

#[test]
fn what_was_counted_in_pass_through_goes_along_and_ends_where_the_mode_changes() {
    let host = TwoShardHost::new();
    let set_mode = |shard: usize, mode: &str| {
        let values = Values::default().with([("mode", mode)]).expect("a key that there is");
        let change = ReconfigureRequest { name: "d".to_owned(), values, rights: None, set: None };
        host.run(host.shards[shard].reconfigure(change)).expect("nothing stands in the way");
    };
    let counted = |shard: usize| {
        let DiskReport { passed, statistics, attached_for, .. } = host.report(shard).expect("it is there");
        assert!(passed.time <= attached_for);
        (passed.counted.counts.writes, statistics.counts.writes)
    };
    let all = DISK / REQUEST;
    let mut guest = host.guest();
    write_all(&mut guest, 1);
    assert_eq!(counted(0), (0, all));
    set_mode(0, "pass-through");
    write_all(&mut guest, 2);
    assert_eq!(counted(0), (all, 2 * all));
    host.loaded(0);
    host.relocate(0, 1);
    write_all(&mut guest, 3);
    assert_eq!(counted(1), (2 * all, 3 * all));
    set_mode(1, "write-through");
    write_all(&mut guest, 4);
    assert_eq!(counted(1), (2 * all, 4 * all));
    let passed = host.report(1).expect("it is there").passed;
    assert_eq!(host.report(1).expect("it is there").passed, passed, "time stands still with the cache");
    assert_eq!(passed.counted.latencies[cache::Latency::Write as usize].count(), 2 * all);
}

#[test]
fn a_disk_moves_with_requests_that_wait_for_a_limit_and_owes_them_where_it_goes_on() {
    const MANY: u64 = 100;
    let host = TwoShardHost::new();
    host.loaded(0);
    let values = Values::default().with([("iops-max", "1")]).expect("a key that there is");
    let change = ReconfigureRequest { name: "d".to_owned(), values, rights: None, set: None };
    host.run(host.shards[0].reconfigure(change)).expect("nothing stands in the way");
    let mut stream = UnixStream::connect(host.places.socket(DoorKind::Nbd, "d")).expect("the disk is served");
    let ours = stream.try_clone().expect("there are files left");
    let _client = Client::over(ours, "d", Replies::Simple).expect("the disk is served");
    let request =
        |cookie| Request { flags: 0, command: Command::Read, cookie, offset: 0, length: 512 }.encode();
    let all: Vec<u8> = (0..MANY).flat_map(request).collect();
    stream.write_all(&all).expect("the disk is served");
    let mut receive = |cookie: u64| {
        let mut reply = [0; 16 + 512];
        stream.read_exact(&mut reply).expect("it is answered");
        assert_eq!((&reply[4..8], &reply[8..16]), (&[0; 4][..], &cookie.to_be_bytes()[..]));
    };
    receive(0);
    let began = std::time::Instant::now();
    host.relocate(0, 1);
    let passed = host.report(1).expect("it is there").delays.requests;
    assert!(passed > 0, "those that had begun pass, and are counted");
    // Requests that had not begun wait for those that did.
    (1..=passed).for_each(&mut receive);
    assert!(began.elapsed().as_secs() < MANY / 2, "{:?}", began.elapsed());
    assert_eq!(host.report(1).expect("it is there").delays.requests, passed, "they are owed here");
    host.detach(1);
}

#[test]
fn what_was_written_last_is_read_after_each_of_many_moves_under_load() {
    for storage in [MovingStorage::File, MovingStorage::Server] {
        many_moves_under_load(&TwoShardHost::on(storage));
    }
}

fn many_moves_under_load(host: &TwoShardHost) {
    let done = AtomicBool::new(false);
    let mut guests: Vec<Client> = (0..3).map(|_| host.guest()).collect();
    std::thread::scope(|scope| {
        for (number, guest) in guests.iter_mut().enumerate() {
            let (number, done) = (number as u64, &done);
            scope.spawn(move || {
                let mut round = 0u8;
                while !done.load(Ordering::Relaxed) || round == 0 {
                    round = round.wrapping_add(1);
                    // Each has every third chunk of the disk for itself.
                    let places = (0..DISK).step_by(REQUEST as usize).skip(number as usize).step_by(3);
                    for at in places.clone() {
                        guest.write(at, &bytes(at, round)).expect("the disk is served");
                    }
                    guest.flush().expect("the disk is served");
                    for at in places {
                        let read = guest.read(at, REQUEST as u32).expect("the disk is served");
                        assert_eq!(read, bytes(at, round), "guest {number} in round {round} at {at}");
                    }
                }
            });
        }
        for round in 0..40 {
            let (from, to) = (round % 2, (round + 1) % 2);
            host.loaded(from);
            host.relocate(from, to);
        }
        done.store(true, Ordering::Relaxed);
    });
    let statistics = host.loaded(0).statistics;
    assert_eq!(statistics.counts.checksum_errors, 0);
    assert_eq!(statistics.counts.backing_errors, 0);
}

#[test]
fn a_guest_that_is_slow_to_send_calls_the_move_off_and_nobody_loses_anything() {
    let host = TwoShardHost::new();
    let mut socket = UnixStream::connect(host.places.socket(DoorKind::Nbd, "d")).expect("the disk is served");
    let ours = socket.try_clone().expect("there are files left");
    let mut slow = Client::over(ours, "d", Replies::Simple).expect("the disk is served");
    let mut other = host.guest();
    let request = Request { flags: 0, command: Command::Write, cookie: 5, offset: 0, length: 8 };
    let request = Request { length: 512, ..request };
    socket.write_all(&request.encode()).expect("the daemon reads");
    socket.write_all(&[9; 100]).expect("the daemon reads");
    // Started by now: it is after the other on the same thread.
    other.flush().expect("the disk is served");
    let Err(problem) = host.freeze(0) else { panic!("a request is on its way") };
    assert!(problem.message.contains("did not end within 500 ms"), "{problem}");
    socket.write_all(&[9; 412]).expect("the daemon reads");
    let mut reply = [0; 16];
    socket.read_exact(&mut reply).expect("the write is answered");
    assert_eq!(reply[4..8], [0; 4], "it succeeded");
    assert_eq!(other.read(0, 512).expect("the disk is served"), [9; 512]);
    host.relocate(0, 1);
    assert_eq!(slow.read(0, 512).expect("the disk is served"), [9; 512]);
}

#[test]
fn a_disk_that_the_new_shard_cannot_take_up_goes_back_and_its_guests_notice_nothing() {
    for storage in [MovingStorage::File, MovingStorage::Server] {
        refused_by_the_new_shard(&TwoShardHost::on(storage));
    }
}

fn refused_by_the_new_shard(host: &TwoShardHost) {
    let mut guest = host.guest();
    write_all(&mut guest, 4);
    read_all(&mut guest, 4);
    let mut moving = host.freeze(0).expect("nothing stands in the way");
    let reserved = std::mem::replace(&mut moving.settings.reserve_bytes, 1 << 50);
    let late = std::thread::spawn(move || {
        read_all(&mut guest, 4);
        guest
    });
    let Err((problem, mut moving)) = host.thaw(1, moving) else { panic!("there is not so much flash") };
    assert!(problem.message.contains("reservation"), "{problem}");
    moving.settings.reserve_bytes = reserved;
    assert!(host.thaw(0, moving).is_ok());
    let mut guest = late.join().expect("its reads were only late");
    assert!(host.report(1).is_none());
    assert!(host.loaded(0).statistics.load.pages_kept > 0);
    read_all(&mut guest, 4);
    host.relocate(0, 1);
    read_all(&mut guest, 4);
}

#[test]
fn a_disk_that_neither_shard_can_take_up_is_served_by_none_and_leaves_nothing_open() {
    for storage in [MovingStorage::File, MovingStorage::Server] {
        let host = TwoShardHost::on(storage);
        let mut guest = host.guest();
        write_all(&mut guest, 5);
        host.loaded(0);
        let shards = Shards::from_handles(host.shards.to_vec(), BackingMonitor::default());
        let mut moving = host.freeze(0).expect("nothing stands in the way");
        // More than available, as if others had reserved the flash meanwhile.
        moving.settings.reserve_bytes = 1 << 50;
        let Relocation::Lost(problem) = host.run(shards.thaw("d", (0, 1), moving)) else {
            panic!("there is not so much flash")
        };
        assert!(problem.message.contains("reservation"), "{problem}");
        guest.flush().expect_err("its connection ended");
        assert!(host.report(0).is_none() && host.report(1).is_none());
        assert!(!host.places.socket(DoorKind::Nbd, "d").exists());
        assert!(!shards.is_attached("d"));
        // A later attachment works, on either of them.
        host.attach(1);
        read_all(&mut host.guest(), 5);
    }
}

#[test]
fn a_disk_on_a_server_moves_with_its_connections_and_what_they_have_not_flushed() {
    let host = TwoShardHost::on(MovingStorage::Server);
    let mut guest = host.guest();
    write_all(&mut guest, 1);
    while host.connections_of_base() < 4 {}
    let received = |name| {
        let report = host.run(host.shards[1].disk_report(name)).expect("the shard is there");
        report.expect("it is served").statistics.counts.flushes
    };
    host.warm(&mut guest, 1);
    host.loaded(0);
    write_all(&mut guest, 2);
    let before = received("base".to_owned());
    host.relocate(0, 1);
    assert_eq!(host.connections_of_base(), 4, "the server noticed nothing");
    guest.flush().expect("no connection was lost");
    assert!(received("base".to_owned()) > before, "what was written before the move is flushed after it");
    let after = host.loaded(1).statistics;
    assert!(after.load.pages_kept > 0, "{:?}", after.load);
    assert_eq!(after.load.pages_compared, 0, "nobody else can have changed it");
    read_all(&mut guest, 2);
    // A server that ends is noticed on the present shard of the disk.
    guest.write(0, &bytes(0, 3)).expect("the server serves");
    host.run(host.shards[1].detach("base".to_owned(), DetachPolicy::Kept))
        .expect("nothing stands in the way");
    host.attach_base();
    guest.flush().expect_err("the server may have lost the write");
    assert_eq!(guest.read(0, REQUEST as u32).expect("the server serves"), bytes(0, 3));
}

#[test]
fn a_disk_whose_server_may_have_lost_changes_stays_where_that_is_known() {
    let host = TwoShardHost::on(MovingStorage::Server);
    let mut guest = host.guest();
    write_all(&mut guest, 1);
    host.loaded(0);
    host.run(host.shards[1].detach("base".to_owned(), DetachPolicy::Kept))
        .expect("nothing stands in the way");
    let refused = |why: &str| {
        let Err(problem) = host.freeze(0) else { panic!("it is known on shard 0 only: {why}") };
        assert!(problem.message.contains("stays where it is"), "{problem}");
    };
    refused("its server is away");
    host.attach_base();
    read_all(&mut guest, 1);
    refused("changes may be lost");
    guest.flush().expect_err("the server may have lost the writes");
    refused("a flush failed");
    read_all(&mut guest, 1);
}

#[test]
fn a_disk_with_a_failed_write_stays_where_that_is_known() {
    let host = TwoShardHost::new();
    let mut guest = host.guest();
    let image = File::options().write(true).open(host.folder.path().join("d.img"));
    image.and_then(|image| image.set_len(MIB)).expect("the folder is ours");
    // A truncated file fails every request beyond its end.
    guest.read(4 * MIB, 4096).expect_err("there is nothing");
    guest.write(4 * MIB, &[1; 4096]).expect_err("it would grow the file again");
    let Err(problem) = host.freeze(0) else { panic!("the failure is known on shard 0 only") };
    assert!(problem.message.contains("had a failure"), "{problem}");
    assert!(host.report(0).is_some_and(|report| report.connections() == 1));
}

#[test]
fn a_disk_that_is_lost_between_shards_leaves_nothing_open() {
    let host = TwoShardHost::new();
    let mut guest = host.guest();
    drop(host.freeze(0).expect("nothing stands in the way"));
    host.run(host.shards[0].release("d".to_owned())).expect("the shard is there");
    guest.flush().expect_err("its connection ended");
    // The lock of the image is free, and the name of the disk as well.
    host.attach(1);
    host.guest().flush().expect("the disk is served");
}

#[test]
fn a_disk_that_leaves_while_it_is_loaded_leaves_nothing_open() {
    let host = TwoShardHost::new();
    let mut guest = host.guest();
    write_all(&mut guest, 2);
    read_all(&mut guest, 2);
    for _ in 0..20 {
        host.loaded(0);
        host.relocate(0, 1);
        // Mostly before it was loaded.
        host.detach(1);
        host.attach(0);
    }
    host.loaded(0);
    read_all(&mut host.guest(), 2);
}

#[test]
fn a_disk_that_is_mapped_while_its_removal_destages_is_served_as_before() {
    let host = TwoShardHost::on(MovingStorage::Server);
    let write_back = [
        ("mode", "write-back"),
        ("allow-unmarked", "yes"),
        ("reserve", "4MiB"),
        ("dirty-limit", "1MiB"),
        ("ram", "1MiB"),
    ];
    let values = Values::default().with(write_back).expect("keys that there are");
    let change = ReconfigureRequest { name: "d".to_owned(), values, rights: None, set: None };
    host.run(host.shards[0].reconfigure(change)).expect("nothing stands in the way");
    let (hangs, hung) = std::sync::mpsc::channel();
    let (release, held) = std::sync::mpsc::channel();
    let remove = |content| host.shards[0].detach("d".to_owned(), content);
    let is_refused = nix::unistd::geteuid().is_root();
    host.run(async {
        let hanging = host.shards[1].call(move |_| async move {
            hangs.send(()).expect("the test waits for it");
            held.recv().unwrap_or(());
        });
        let mapping = async {
            // Answered after the earlier removal has begun.
            host.shards[0].disk_report("d".to_owned()).await.expect("the shard is there");
            let kernel = host.kernel();
            release.send(()).expect("the server hangs");
            kernel
        };
        let removing = async {
            hung.recv().expect("the server hangs");
            host.guest().write(0, &bytes(0, 6)).expect("it goes to flash");
            remove(DetachPolicy::Dropped(DirtyData::Refuse)).await
        };
        let (server, removed, mut kernel) = tokio::join!(hanging, removing, mapping);
        server.expect("the shard is there");
        let Err(problem) = removed else {
            assert!(!is_refused, "it was mapped meanwhile");
            return;
        };
        assert!(is_refused && problem.message.contains("forebay unmap d"), "{problem}");
        let problem =
            host.shards[0].resume("d".to_owned(), None).await.expect_err("nothing of the removal is left");
        assert!(problem.message.contains("is not quiesced"), "{problem}");
        kernel.write(0, &bytes(0, 7)).expect("it is served");
        remove(DetachPolicy::Dropped(DirtyData::Discard)).await.expect_err("it is mapped");
        assert_eq!(kernel.read(0, REQUEST as u32).expect("it is served"), bytes(0, 7));
        remove(DetachPolicy::Undone).await.expect("an addition can always be undone");
    });
}
