//! The door at which block devices of this host are handed over, with everything but the driver: what has no device behind it is
//! let go, and the door takes the next one. With the driver: the guest tests of `daemon`.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with tests that use more of it")]
mod patience;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use block::executor::{Executor, Order};
use block::ublk::{DeviceInfo, DeviceState};
use block::{Host, Memory, Ring};
use doors::ublk::{HandoverClient, Offer, UblkDoor};
use doors::{Door, DoorShard, Entrance};
use tokio::sync::oneshot;

const MIB: u64 = 1 << 20;

/// Runs `test` with an open door of a disk of 1 MiB and the path of its socket.
fn with_door(test: impl AsyncFnOnce(Rc<UblkDoor<Memory>>, &Path, &DoorShard)) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("forebay-door-{}-{number}.sock", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let ring = Ring::new(64).unwrap();
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let shard = DoorShard { ring, host: executor.host() };
    let run = async {
        let door = UblkDoor::new("disk", Memory::new(MIB));
        Rc::clone(&door).open(&shard, Entrance::Socket(listener)).await.unwrap();
        test(Rc::clone(&door), &path, &shard).await;
        door.close().await;
    };
    executor.run(run).unwrap();
    fs::remove_file(&path).unwrap();
}

/// Runs blocking work on a thread of its own.
async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || drop(sender.send(work())));
    receiver.await.unwrap()
}

/// Checks repeatedly until it is so, and not for ever.
async fn until(shard: &DoorShard, it_is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !it_is_so() {
        assert!(start.elapsed() < patience::PATIENCE, "waited in vain");
        shard.host.sleep(1_000).await;
    }
}

fn offer() -> Offer {
    Offer::of(&DeviceInfo {
        queues: 1,
        depth: 4,
        state: DeviceState::Dead,
        request_bytes_max: 64 << 10,
        id: 77,
        server: 0,
        features: 0,
        mark: 0,
    })
}

/// Hands over `file` as the device, and returns what the door answers.
async fn hand_over(socket: &Path, file: &'static str, offer: Offer) -> io::Result<()> {
    let socket: PathBuf = socket.to_owned();
    elsewhere(move || {
        let (client, greeting) = HandoverClient::connect(&socket)?;
        assert_eq!((greeting.size_bytes, greeting.served_device), (MIB, None));
        client.hand_over(&offer, &File::open(file)?)
    })
    .await
}

#[test]
fn who_only_asks_learns_what_the_disk_is_like_and_leaves_nothing() {
    with_door(async |door, socket, _| {
        let socket = socket.to_owned();
        let (_, greeting) = elsewhere(move || HandoverClient::connect(&socket)).await.unwrap();
        assert_eq!(
            (greeting.size_bytes, greeting.logical_block_bytes, greeting.read_only),
            (MIB, 512, false)
        );
        assert!(greeting.flushes && greeting.unmaps);
        assert_eq!((door.counters().connections, door.device_node()), (0, None));
        assert!(door.peers().is_empty() && !door.is_bound_to_thread());
    });
}

#[test]
fn a_file_that_is_no_device_is_let_go_and_the_door_takes_the_next() {
    with_door(async |door, socket, shard| {
        for round in 0..2 {
            // It can be mapped, and refuses every command.
            hand_over(socket, "/dev/zero", offer()).await.unwrap();
            until(shard, || door.device_node().is_none()).await;
            assert_eq!(door.counters().connections_total, round + 1);
        }
        // It cannot be mapped.
        assert!(hand_over(socket, "/dev/null", offer()).await.is_err());
        for wrong in [
            Offer { queues: 0, ..offer() },
            Offer { depth: 0, ..offer() },
            Offer { depth: u16::MAX, ..offer() },
            Offer { request_bytes_max: 512, ..offer() },
            Offer { request_bytes_max: u32::MAX, ..offer() },
            Offer { protocol: 9, ..offer() },
        ] {
            assert!(hand_over(socket, "/dev/zero", wrong.clone()).await.is_err(), "{wrong:?}");
        }
        assert_eq!(door.counters().connections, 0);
    });
}

#[test]
fn messages_that_are_none_are_refused_and_the_next_one_is_heard() {
    with_door(async |door, socket, shard| {
        let long = vec![b'x'; 5000];
        let wrong: [(&[u8], &str); 4] =
            [(b"{}\n", "nonsense"), (b"\n", "empty"), (b"half", "half"), (&long, "too long")];
        for (number, (message, case)) in wrong.into_iter().enumerate() {
            let (socket, message) = (socket.to_owned(), message.to_vec());
            elsewhere(move || {
                let mut stream = UnixStream::connect(socket).unwrap();
                // Refused before all of it is sent, perhaps.
                stream.write_all(&message).unwrap_or(());
                stream.shutdown(std::net::Shutdown::Write).unwrap_or(());
                // The greeting, and the end.
                stream.read_to_end(&mut Vec::new()).unwrap_or(0);
            })
            .await;
            until(shard, || door.counters().protocol_errors == number as u64 + 1).await;
            assert_eq!(door.counters().connections, 0, "{case}");
        }
        // Without a file.
        let (socket, line) = (socket.to_owned(), serde_json::to_string(&offer()).unwrap());
        elsewhere(move || {
            let mut stream = UnixStream::connect(socket).unwrap();
            writeln!(stream, "{line}").unwrap();
            stream.read_to_end(&mut Vec::new()).unwrap_or(0);
        })
        .await;
        until(shard, || door.counters().protocol_errors == 5).await;
    });
}

#[test]
fn a_door_without_a_device_stands_still_and_goes_on_behind_another() {
    with_door(async |door, socket, shard| {
        door.pause().await;
        let paused = door.take_paused();
        let other = UblkDoor::new("disk", Memory::new(MIB));
        Rc::clone(&other).resume(shard, paused);
        hand_over(socket, "/dev/zero", offer()).await.unwrap();
        assert_eq!((door.counters().connections_total, other.counters().connections_total), (0, 1));
        until(shard, || other.device_node().is_none()).await;
        other.close().await;
    });
}
