//! Doors of a device in memory, on a shard of their own.

use std::os::unix::net::UnixStream;

use base::rights::GroupChoice;
use base::testing::TempDir;
use block::Memory;
use block::executor::{Executor, Order};

use futures_util::FutureExt;

use super::*;

const RIGHTS: Rights = Rights { owner: None, group: GroupChoice::Own, mode: 0o600 };

/// Runs `test` with the doors of a disk at the paths that `path` gives, in a folder.
fn with_doors(
    path: impl Fn(&TempDir, DoorKind) -> PathBuf,
    test: impl AsyncFnOnce(Result<Doors>, &dyn Fn(DoorKind) -> PathBuf),
) {
    let folder = TempDir::new();
    let path = |kind: DoorKind| path(&folder, kind);
    let ring = Ring::new(16).expect("io_uring works here");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let entrances = Entrances::new(path, RIGHTS);
    let run = async {
        let (host, directory, disk) = (executor.host(), Directory::default(), Memory::new(1 << 20));
        test(Doors::open(&ring, &host, &directory, entrances, "disk", disk).await, &path).await;
    };
    executor.run(run).expect("a ring always waits");
}

fn in_folder(folder: &TempDir, kind: DoorKind) -> PathBuf {
    folder.path().join(format!("{}.sock", kind.folder()))
}

fn kinds(doors: &Doors) -> Vec<DoorKind> {
    doors.reports().into_iter().map(|door| door.socket.kind).collect()
}

#[test]
fn a_door_whose_path_is_too_long_is_left_out_and_the_others_are_open() {
    let path = |folder: &TempDir, kind: DoorKind| {
        let name = if kind.is_required() { "a".to_owned() } else { "a".repeat(108) };
        folder.path().join(name)
    };
    with_doors(path, async |doors, path| {
        let doors = doors.expect("the required door can be had");
        assert_eq!(kinds(&doors), [DoorKind::Nbd]);
        assert_eq!(doors.main_socket(), path(DoorKind::Nbd));
        doors.set_rights(Rights { mode: 0o666, ..RIGHTS }).await.expect("it is ours");
        doors.close().await;
        assert!(!path(DoorKind::Nbd).exists());
    });
}

#[test]
fn if_one_socket_cannot_be_had_none_is_left_behind() {
    let folder = TempDir::new();
    let taken = folder.path().join("precious");
    std::fs::write(&taken, "precious").expect("the folder is ours");
    let path = |inner: &TempDir, kind: DoorKind| {
        if kind.is_required() { in_folder(inner, kind) } else { taken.clone() }
    };
    with_doors(path, async |doors, path| {
        let problem = doors.err().expect("something is in the way");
        assert!(problem.message.contains("no socket"), "{problem}");
        assert!(!path(DoorKind::Nbd).exists(), "the first door is closed again");
    });
    assert_eq!(std::fs::read(&taken).expect("it is left"), b"precious");
}

#[test]
fn lost_sockets_of_every_door_are_made_again_and_rights_change_on_all_or_none() {
    with_doors(in_folder, async |doors, path| {
        let doors = doors.expect("nothing stands in the way");
        for kind in DoorKind::ALL {
            std::fs::remove_file(path(kind)).expect("it is ours");
        }
        assert!(doors.reports().iter().all(|door| door.socket.is_lost()));
        doors.renew_sockets().await.expect("the folder is ours");
        assert!(!doors.reports().iter().any(|door| door.socket.is_lost()));
        for kind in DoorKind::ALL {
            UnixStream::connect(path(kind)).expect("it is listened on");
        }
        // A regular file is at the path of the second socket: none can be created there.
        std::fs::remove_file(path(DoorKind::VhostUser)).expect("it is ours");
        std::fs::write(path(DoorKind::VhostUser), "").expect("the folder is ours");
        let after = Rights { mode: 0o606, ..RIGHTS };
        assert!(doors.set_rights(after).await.is_err());
        assert_eq!(doors.rights(), RIGHTS);
        doors.close().await;
        assert!(path(DoorKind::VhostUser).exists(), "it is none of ours");
    });
}

#[test]
fn paused_doors_go_on_with_another_device_and_a_cancelled_pause_changes_nothing() {
    with_doors(in_folder, async |doors, path| {
        let doors = doors.expect("nothing stands in the way");
        assert!(doors.pause().now_or_never().is_none(), "listeners come to rest in a turn of their own");
        doors.cancel_pause();
        UnixStream::connect(path(DoorKind::Nbd)).expect("it is listened on as before");
        doors.pause().await;
        let (shard, before) = (doors.shard.clone(), kinds(&doors));
        let paused = doors.take_paused();
        assert_eq!(paused.sockets().len(), DoorKind::ALL.len());
        let device = Memory::new(2 << 20);
        let resumed = Doors::resume(&shard.ring, &shard.host, "disk", device, paused);
        assert_eq!((kinds(&resumed), resumed.rights()), (before, RIGHTS));
        for kind in DoorKind::ALL {
            UnixStream::connect(path(kind)).expect("it is listened on");
        }
        resumed.close().await;
        assert!(!path(DoorKind::Nbd).exists() && !path(DoorKind::VhostUser).exists());
    });
}
