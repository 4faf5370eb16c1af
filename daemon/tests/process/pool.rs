//! The pool at start: new pools, existing ones, and data that is never overwritten without its exact id.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, PermissionsExt};

use crate::host::{Daemon, Host, content, edited};

const MIB: u64 = 1 << 20;

fn file_of(host: &Host, name: &str, bytes: &[u8]) -> String {
    fs::write(host.path(name), bytes).expect("the folder is ours");
    host.text(name)
}

/// Returns the id in a refusal, taken from the command that it prints.
fn id_in(message: &str) -> String {
    let (_, id) = message.split_once(" --erase ").expect("the command is there");
    id.trim().to_owned()
}

#[test]
fn without_a_word_a_pool_is_made_in_the_folder_and_said() {
    let host = Host::new();
    let daemon = host.serve_with(&[]);
    let said = &daemon.announcement;
    assert!(
        said.contains("No pool is configured: making") && said.contains("10 % of the free space"),
        "{said}"
    );
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!(pool["path"], host.text("d/pool.img"));
    assert!(pool["size_bytes"].as_u64().is_some_and(|size| size <= 32 << 30));
    assert_eq!((&pool["state"], &pool["disks"]), (&"serving".into(), &0.into()));
    assert!(daemon.stop().success());
    let again = host.serve_with(&[]);
    assert!(!again.announcement.contains("No pool"), "it is found again");
    assert_eq!(again.json(&["pool", "show"])["pool"]["id"], pool["id"]);
}

#[test]
fn foreign_data_is_refused_with_its_id_and_erased_only_with_it() {
    let host = Host::new();
    let mut data = vec![0; 64 * MIB as usize];
    data[510..512].copy_from_slice(&[0x55, 0xaa]);
    let pool = file_of(&host, "pool.img", &data);
    let message = host.serve_fails(&["--pool", &pool]);
    assert!(message.contains("data that is no pool") && message.contains("Nothing was changed"), "{message}");
    let id = id_in(&message);
    for wrong in ["yes", "foreign-00000000", &id[..id.len() - 1]] {
        let message = host.serve_fails(&["--pool", &pool, "--erase", wrong]);
        assert!(message.contains(&format!("Cannot erase '{wrong}'")), "{message}");
    }
    assert!(fs::read(&pool).expect("it is there") == data, "nothing was changed");
    let daemon = host.serve_with(&["--pool", &pool, "--erase", &id]);
    assert!(daemon.stop().success());
    host.serve_with(&[]);
}

/// Serves with a pool that cannot be used: the disk is served, and the reason is shown.
fn served_without(host: &Host, how: &str) -> String {
    let daemon = host.serve_with(&[]);
    daemon.guest("web").write(0, &[7; 4096]).expect("a guest has its disk");
    let shown = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!(shown["state"], "missing", "{how}: {shown}");
    assert!(daemon.stop().success(), "{how}");
    shown["reason"].as_str().expect("it has one").to_owned()
}

#[test]
fn disks_are_served_without_a_pool_that_was_overwritten_damaged_or_cut_and_it_is_left_as_it_is() {
    let (host, other) = (Host::new(), Host::new());
    let image = host.image("web.img", 4 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "web", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    assert!(other.serve().stop().success());
    let (pool, good) = (host.path("pool.img"), host.path("good.img"));
    fs::copy(&pool, &good).expect("the folder is ours");
    let write = |at: u64, bytes: &[u8]| {
        let file = OpenOptions::new().write(true).open(&pool).expect("the folder is ours");
        file.write_all_at(bytes, at).expect("the folder is ours");
    };
    let cut = |bytes: u64| {
        let file = OpenOptions::new().write(true).open(&pool).expect("the folder is ours");
        file.set_len(bytes).expect("the folder is ours");
    };
    let kinds: [(&str, &str, &dyn Fn()); 7] = [
        ("its first MiB is zero", "it holds nothing any more", &|| write(0, &vec![0; MIB as usize])),
        ("its superblocks are noise", "data that is no pool", &|| write(0, &[0xa5; 8192])),
        ("its superblocks fail their checksums", "a damaged pool", &|| {
            for at in [64, 4160] {
                write(at, &[0xff; 16]);
            }
        }),
        ("it was cut by 1 MiB", "a damaged pool", &|| cut(63 * MIB)),
        ("it was cut to nothing", "0 bytes", &|| cut(0)),
        ("another Forebay's is there", "that this Forebay did not make", &|| {
            fs::copy(other.path("pool.img"), &pool).map(drop).expect("the folder is ours");
        }),
        ("a folder is there", "not a regular file", &|| {
            fs::remove_file(&pool).and_then(|()| fs::create_dir(&pool)).expect("the folder is ours");
        }),
    ];
    for (how, reason, damage) in kinds {
        damage();
        let before = pool.is_file().then(|| fs::read(&pool).expect("it is there"));
        let said = served_without(&host, how);
        assert!(said.contains(reason), "{how}: {said}");
        let after = pool.is_file().then(|| fs::read(&pool).expect("it is there"));
        assert!(before == after, "{how}: nothing of it was changed");
        if before.is_none() {
            fs::remove_dir(&pool).expect("it is empty");
        }
        fs::copy(&good, &pool).expect("the folder is ours");
    }
    // A device that became larger is the same.
    cut(65 * MIB);
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
    assert!(daemon.stop().success());
    write(0, &[0xa5; 8192]);
    let id = id_in(&served_without(&host, "noise"));
    host.serve_with(&["--erase", &id]);
}

#[test]
fn disks_are_served_without_a_pool_that_this_user_may_not_open() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let host = Host::new();
    let daemon = host.serve_as_ordinary_user();
    let image = host.image("web.img", 4 * MIB);
    std::os::unix::fs::chown(&image, Some(64_999), Some(64_999)).expect("root may");
    daemon.run(&["disk", "add", "web", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    std::os::unix::fs::chown(host.path("pool.img"), Some(0), Some(0)).expect("root may");
    let daemon = host.serve_as_ordinary_user();
    let shown = daemon.json(&["pool", "show"])["pool"].clone();
    assert!(shown["reason"].as_str().is_some_and(|reason| reason.contains("ermission")), "{shown}");
    daemon.guest("web").write(0, &[7; 4096]).expect("a guest has its disk");
}

/// As a file system that is full or read-only: nothing can be saved in DIR.
#[test]
fn disks_are_served_from_a_folder_that_takes_nothing_and_what_was_cached_is_not_believed_later() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let host = Host::new();
    let run_dir = host.text("run");
    let serve = || host.serve_as_ordinary_user_with(&["--run-dir", &run_dir]);
    let daemon = serve();
    for name in ["web", "wb"] {
        let image = host.image(name, 4 * MIB);
        std::os::unix::fs::chown(&image, Some(64_999), Some(64_999)).expect("root may");
        daemon.run(&["disk", "add", name, "--backing", &image]).succeeded();
    }
    let mut guest = daemon.guest("web");
    (0..768).for_each(|page| guest.write(page * 4096, &[1; 4096]).expect("the disk is served"));
    drop(guest);
    fill_flash(&daemon, "web", MIB);
    daemon.run(&["disk", "set", "wb", "mode=write-back"]).succeeded();
    daemon.guest("wb").write(0, &[5; 4096]).expect("the disk is served");
    daemon.kill();
    let close = |mode| {
        fs::set_permissions(host.path("d"), fs::Permissions::from_mode(mode)).expect("root may");
    };
    close(0o555);
    let daemon = serve();
    let mut guest = daemon.guest("web");
    assert_eq!(guest.read(4096, 4096).expect("the disk is served"), [1; 4096]);
    guest.write(0, &[2; 4096]).expect("the disk is served");
    drop(guest);
    let waiting = daemon.disk("wb");
    assert_eq!(waiting["state"], "waiting", "what it has is in the pool: {waiting}");
    let shown = daemon.json(&["pool", "show"])["pool"].clone();
    assert!(shown["reason"].as_str().is_some_and(|reason| reason.contains("state.json")), "{shown}");
    assert!(daemon.stop().success());
    close(0o755);
    let daemon = serve();
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
    let mut guest = daemon.guest("web");
    for page in 0..768 {
        let expected = if page == 0 { 2 } else { 1 };
        assert_eq!(guest.read(page * 4096, 4096).expect("it is served"), [expected; 4096], "page {page}");
    }
    assert_eq!(daemon.guest("wb").read(0, 4096).expect("it is served"), [5; 4096]);
}

#[test]
fn a_dirty_disk_that_waits_because_of_a_folder_that_takes_nothing_is_never_offered_to_be_given_up() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let host = Host::new();
    let run_dir = host.text("run");
    let daemon = host.serve_as_ordinary_user_with(&["--run-dir", &run_dir]);
    let image = host.image("wb", 4 * MIB);
    std::os::unix::fs::chown(&image, Some(64_999), Some(64_999)).expect("root may");
    daemon.run(&["disk", "add", "wb", "--backing", &image, "--mode", "write-back"]).succeeded();
    // Destage does not reach it before the stop.
    daemon.run(&["disk", "set", "wb", "destage-rate-max=4KiB"]).succeeded();
    let mut guest = daemon.guest("wb");
    (0..64).for_each(|page| guest.write(page * 4096, &[5; 4096]).expect("the disk is served"));
    drop(guest);
    let known = daemon.json(&["pool", "show"])["pool"].clone();
    assert!(daemon.stop().success());
    let close = |mode| {
        fs::set_permissions(host.path("d"), fs::Permissions::from_mode(mode)).expect("root may");
    };
    close(0o555);
    let daemon = host.serve_as_ordinary_user_with(&["--run-dir", &run_dir]);
    let waiting = daemon.disk("wb");
    let reason = waiting["reason"].as_str().expect("it waits").to_owned();
    assert!(reason.contains(&host.text("d")) && reason.contains("still takes none"), "{reason}");
    assert!(reason.contains("restart the daemon") && !reason.contains("--discard-dirty"), "{reason}");
    let refused = daemon.run(&["disk", "remove", "wb"]).failed();
    assert!(refused.contains(&host.text("d")) && refused.contains("Nothing of it is lost"), "{refused}");
    assert!(!refused.contains("--discard-dirty"), "{refused}");
    let shown = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!((&shown["id"], &shown["size_bytes"]), (&known["id"], &known["size_bytes"]));
    close(0o755);
    daemon.wait_for_log("and takes them now. Nothing of it is lost: restart the daemon");
    let events = daemon.run(&["events"]).succeeded();
    assert!(!events.contains("The flash failed"), "{events}");
    assert!(daemon.stop().success());
    let daemon = host.serve_as_ordinary_user_with(&["--run-dir", &run_dir]);
    assert_eq!(daemon.guest("wb").read(0, 4096).expect("it is served"), [5; 4096]);
}

#[test]
fn nothing_is_made_up_of_a_pool_that_is_away() {
    let host = Host::new();
    let daemon = host.serve();
    let image = host.image("web.img", 4 * MIB);
    daemon.run(&["disk", "add", "web", "--backing", &image]).succeeded();
    let id = daemon.json(&["pool", "show"])["pool"]["id"].clone();
    assert!(daemon.stop().success());
    fs::rename(host.path("pool.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!((&pool["state"], &pool["id"]), (&"missing".into(), &id));
    for key in
        ["size_bytes", "usable_bytes", "reserved_bytes", "segments", "segments_free", "reserve_bytes_min"]
    {
        assert!(pool[key].is_null(), "{key} of {pool}");
    }
    let disk = daemon.disk("web");
    assert_eq!(disk["state"], "serving");
    assert!(disk["reserve_bytes"].is_null() && disk["limit_bytes"].is_null(), "{disk}");
    assert_eq!(disk["dirty_limit_bytes"], 0);
    let status = daemon.run(&["status"]).stdout;
    for shown in
        [status, daemon.run(&["pool", "show"]).succeeded(), daemon.run(&["disk", "list"]).succeeded()]
    {
        assert!(!shown.contains("TiB") && !shown.contains("GiB"), "{shown}");
        assert!(!shown.contains("00000000000000000000000000000000"), "{shown}");
    }
}

#[test]
fn a_pool_that_another_forebay_made_is_refused() {
    let host = Host::new();
    assert!(host.serve().stop().success());
    for name in ["d/state.json", "d/state.copy.json"] {
        fs::remove_file(host.path(name)).expect("the folder is ours");
    }
    let message = host.serve_fails(&["--pool", &host.text("pool.img")]);
    assert!(message.contains("that this Forebay did not make"), "{message}");
}

#[test]
fn disks_are_served_without_a_pool_that_is_missing_or_blank_and_it_is_not_silently_replaced() {
    let host = Host::new();
    assert!(host.serve().stop().success());
    let pool = host.text("pool.img");
    fs::rename(&pool, host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let shown = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!(shown["state"], "missing");
    assert!(
        shown["reason"].as_str().is_some_and(|reason| reason.contains("Cannot find the pool")),
        "{shown}"
    );
    assert!(daemon.stop().success());
    assert!(!host.path("pool.img").exists());
    File::create(&pool).and_then(|file| file.set_len(64 * MIB)).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let reason = daemon.json(&["pool", "show"])["pool"]["reason"].clone();
    assert!(reason.as_str().is_some_and(|reason| reason.contains("it holds nothing any more")), "{reason}");
    assert!(daemon.stop().success());
    // It is used again as soon as it returns.
    fs::rename(host.path("away.img"), &pool).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
    assert!(daemon.stop().success());
    // A known name may refer to another device now: only its id permits a new one in its place.
    let id = shown["id"].as_str().map(str::to_owned);
    File::create(&pool).and_then(|file| file.set_len(64 * MIB)).expect("the folder is ours");
    let daemon = host.serve_with(&["--pool", &pool]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "missing");
    assert!(daemon.stop().success());
    let id = id_of_pool(&host).or(id).expect("it is remembered");
    let daemon = host.serve_with(&["--pool", &pool, "--erase", &id]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
}

/// Returns the id of the pool that is recorded in DIR.
fn id_of_pool(host: &Host) -> Option<String> {
    let text = fs::read_to_string(host.path("d/state.json")).expect("it is there");
    let state: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    state["pool"]["id"].as_str().map(str::to_owned)
}

fn state_of_pool(daemon: &Daemon) -> serde_json::Value {
    daemon.json(&["pool", "show"])["pool"]["state"].clone()
}

#[test]
fn a_known_pool_is_found_where_it_was_moved_to_and_by_its_old_name_again() {
    let host = Host::new();
    let daemon = host.serve();
    let id = daemon.json(&["pool", "show"])["pool"]["id"].clone();
    assert!(daemon.stop().success());
    for (from, to) in [("pool.img", "moved.img"), ("moved.img", "pool.img"), ("pool.img", "last.img")] {
        fs::rename(host.path(from), host.path(to)).expect("the folder is ours");
        let daemon = host.serve_with(&["--pool", &host.text(to)]);
        let pool = daemon.json(&["pool", "show"])["pool"].clone();
        assert_eq!((&pool["id"], &pool["path"]), (&id, &host.text(to).into()));
        assert!(daemon.stop().success());
    }
    // Without an option it is the last one, and an old name in the configuration does not hide it.
    for options in [&[][..], &["--pool", &host.text("pool.img"), "--pool-size", "64MiB"]] {
        let daemon = host.serve_with(options);
        assert_eq!(daemon.json(&["pool", "show"])["pool"]["id"], id);
        assert!(daemon.stop().success());
    }
    assert!(!host.path("pool.img").exists(), "nothing is made in its place");
}

#[test]
fn what_took_the_place_of_the_pool_is_left_alone_and_disks_are_served_without_it() {
    let host = Host::new();
    assert!(host.serve().stop().success());
    let pool = host.text("pool.img");
    fs::rename(&pool, host.path("away.img")).expect("the folder is ours");
    let mut data = vec![0; 64 * MIB as usize];
    data[40 << 20] = 1;
    fs::write(&pool, &data).expect("the folder is ours");
    for options in [&[][..], &["--pool", &pool], &["--pool", &pool, "--pool-size", "64MiB"]] {
        let daemon = host.serve_with(options);
        let reason = daemon.json(&["pool", "show"])["pool"]["reason"].to_string();
        assert!(reason.contains("data that is no pool") && reason.contains("41943040"), "{reason}");
        assert!(daemon.stop().success());
        assert!(fs::read(&pool).expect("it is there") == data, "nothing was changed");
    }
    fs::rename(host.path("away.img"), &pool).expect("the folder is ours");
    assert_eq!(state_of_pool(&host.serve_with(&[])), "serving");
}

#[test]
fn a_start_that_fails_forgets_no_pool_and_leaves_no_file() {
    let host = Host::new();
    let daemon = host.serve();
    let id = daemon.json(&["pool", "show"])["pool"]["id"].clone();
    assert!(daemon.stop().success());
    let (other, nowhere) = (host.text("other.img"), host.text("no/other.img"));
    let before = fs::read(host.path("d/state.json")).expect("it is there");
    for (options, reason) in [
        (&["--pool", &other][..], "give --pool-size"),
        (&["--pool", &other, "--pool-size", "2"], "--pool-size 10GiB"),
        (&["--pool", &other, "--pool-size", "1MiB"], "needs at least"),
        (&["--pool", &other, "--pool-size", "900TiB"], ""),
        (&["--pool", &nowhere, "--pool-size", "64MiB"], "No such file"),
        (&["--pool", "/dev/forebay-no-such-device", "--pool-size", "64MiB"], "no such device"),
        (&["--pool-size", "32MiB"], "64MiB"),
        (&["--pool", &host.text("pool.img"), "--pool-size", "1GiB"], "forebay pool resize"),
    ] {
        let message = host.serve_fails(options);
        assert!(message.contains(reason), "{options:?}: {message}");
        assert!(!host.path("other.img").exists(), "{options:?} left a file");
        assert!(fs::read(host.path("d/state.json")).expect("it is there") == before, "{options:?}");
    }
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["id"], id);
}

#[test]
fn a_pool_that_another_one_replaced_is_known_when_it_is_named_again() {
    let host = Host::new();
    let daemon = host.serve();
    let id = daemon.json(&["pool", "show"])["pool"]["id"].clone();
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&["--pool", &host.text("other.img"), "--pool-size", "64MiB"]);
    assert_ne!(daemon.json(&["pool", "show"])["pool"]["id"], id);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&["--pool", &host.text("pool.img")]);
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!((&pool["id"], &pool["state"]), (&id, &"serving".into()));
}

/// Flash is missing for a while, the disk continues, and the flash returns (rule I14).
#[test]
fn what_was_written_while_the_pool_was_away_is_not_hidden_when_it_is_back() {
    const MARK: usize = 4096;
    let host = Host::new();
    let image = host.image("web.img", 4 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "web", "--backing", &image]).succeeded();
    daemon.run(&["disk", "set", "web", "ram=1MiB", "admission=always", "sequential-cutoff=0"]).succeeded();
    let mut guest = daemon.guest("web");
    for page in 0..768 {
        guest.write(page * 4096, &[1; MARK]).expect("the disk is served");
    }
    drop(guest);
    let on_flash = || daemon.json(&["stats"])["disks"][0]["cached_bytes"].as_u64().expect("a number");
    assert!((0..1000).any(|_| on_flash() > 0), "nothing came to flash");
    assert!(daemon.stop().success());
    fs::rename(host.path("pool.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.guest("web").write(0, &[2; MARK]).expect("disks are served without a pool");
    assert!(daemon.stop().success());
    fs::rename(host.path("away.img"), host.path("pool.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let mut guest = daemon.guest("web");
    for page in 0..768 {
        let expected = if page == 0 { 2 } else { 1 };
        assert_eq!(
            guest.read(page * 4096, 4096).expect("the disk is served"),
            [expected; MARK],
            "page {page}"
        );
    }
}

#[test]
fn a_pool_that_a_crash_left_half_made_is_made_again() {
    let host = Host::new();
    let daemon = host.serve();
    let before = daemon.json(&["pool", "show"])["pool"]["id"].clone();
    daemon.kill();
    let state = host.path("d/state.json");
    let text = fs::read_to_string(&state).expect("it is there");
    fs::write(&state, edited(&text.replace("\"being_made\": false", "\"being_made\": true")))
        .expect("the folder is ours");
    let file = OpenOptions::new().write(true).open(host.path("pool.img")).expect("the folder is ours");
    file.write_all_at(&[1; 8192], 0).expect("the folder is ours");
    let daemon = host.serve();
    assert_ne!(daemon.json(&["pool", "show"])["pool"]["id"], before);
}

#[test]
fn pools_that_cannot_be_are_refused_with_what_they_need() {
    let host = Host::new();
    let pool = host.text("pool.img");
    let message = host.serve_fails(&["--pool", &pool]);
    assert!(message.contains("give --pool-size"), "{message}");
    let message = host.serve_fails(&["--pool", &pool, "--pool-size", "1MiB"]);
    assert!(message.contains("needs at least"), "{message}");
    let message = host.serve_fails(&["--pool", &host.text("")]);
    assert!(message.contains("not a regular file or block device"), "{message}");
    host.serve();
}

#[test]
fn a_pool_that_another_daemon_uses_is_refused() {
    let host = Host::new();
    let daemon = host.serve();
    let other = host.text("other");
    let message = crate::host::forebay(&[
        "serve",
        "--listen-http",
        "off",
        "--dir",
        &other,
        "--pool",
        &host.text("pool.img"),
    ])
    .failed();
    assert!(message.contains("another process"), "{message}");
    assert!(daemon.stop().success());
}

#[test]
fn a_blank_disk_that_somebody_serves_never_becomes_a_pool() {
    let (host, other) = (Host::new(), Host::new());
    let image = host.image("a.img", 64 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let message = other.serve_fails(&["--pool", &image]);
    assert!(message.contains("another process (QEMU or Forebay)"), "{message}");
    assert!(daemon.stop().success());
    let message = host.serve_fails(&["--pool", &image]);
    assert!(message.contains("disk 'a' has its data there"), "{message}");
    assert!(content(&image, 0, 64 * MIB as usize).iter().all(|&byte| byte == 0), "nothing was changed");
    assert!(host.serve_with(&[]).announcement.contains("1 disks served"));
}

/// Returns the bytes of a disk that are cached on flash.
fn cached(daemon: &Daemon, name: &str) -> u64 {
    daemon.json(&["stats", name])["disks"][0]["cached_bytes"].as_u64().expect("a number")
}

/// Reads a disk from end to end until this many bytes of it are on flash.
fn fill_flash(daemon: &Daemon, name: &str, bytes: u64) {
    daemon.run(&["disk", "set", name, "ram=1MiB", "admission=always", "sequential-cutoff=0"]).succeeded();
    let size = daemon.disk(name)["size_bytes"].as_u64().expect("it is served");
    let mut guest = daemon.guest(name);
    // Zeroes are recorded and not cached.
    let content = vec![1; MIB as usize];
    for at in 0..size / MIB {
        guest.write(at * MIB, &content).expect("the disk is served");
    }
    for _ in 0..100 {
        for at in 0..size / MIB {
            guest.read(at * MIB, MIB as u32).expect("the disk is served");
        }
        if cached(daemon, name) >= bytes {
            return;
        }
    }
    panic!("{} of {bytes} bytes are on flash", cached(daemon, name));
}

#[test]
fn what_a_disk_reserved_is_kept_for_it_while_its_backing_is_away() {
    let host = Host::new();
    let (image, other) = (host.image("a.img", 16 * MIB), host.image("b.img", 96 * MIB));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--reserve", "24MiB"]).succeeded();
    fill_flash(&daemon, "a", 15 * MIB);
    assert!(daemon.stop().success());
    fs::rename(&image, host.path("away.img")).expect("the folder is ours");

    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["state"], "waiting");
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    let number = |key: &str| pool[key].as_u64().expect("a number");
    let (reserved, rest) = (number("reserved_bytes"), number("usable_bytes") - number("reserved_bytes"));
    assert!(reserved >= 24 * MIB, "{pool}");
    // No other disk can reserve it, and a disk that is refused leaves nothing behind.
    let add = |reserve: u64| {
        daemon.run(&["disk", "add", "b", "--backing", &other, "--reserve", &reserve.to_string()])
    };
    let message = add(rest + number("segment_bytes")).failed();
    assert!(message.contains("does not fit"), "{message}");
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["reserved_bytes"], reserved);
    add(rest).succeeded();
    // Nor can it reserve more while it waits.
    let more = format!("reserve={}", reserved + number("segment_bytes"));
    let message = daemon.run(&["disk", "set", "a", &more]).failed();
    assert!(message.contains("does not fit"), "{message}");
    // No other disk evicts its cached data.
    fill_flash(&daemon, "b", rest * 3 / 4);
    fs::rename(host.path("away.img"), &image).expect("the folder is ours");
    daemon.wait_for_log("Disk 'a' has ");
    assert!(cached(&daemon, "a") >= 15 * MIB, "{} bytes are back", cached(&daemon, "a"));
}

#[test]
fn what_a_disk_reserved_is_free_once_it_is_removed_and_not_when_it_is_evicted() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--reserve", "24MiB"]).succeeded();
    fill_flash(&daemon, "a", MIB);
    let reserved = |daemon: &Daemon| daemon.json(&["pool", "show"])["pool"]["reserved_bytes"].clone();
    let before = reserved(&daemon);
    assert!(daemon.stop().success());
    fs::remove_file(&image).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.run(&["disk", "evict", "a"]).succeeded();
    assert_eq!(reserved(&daemon), before);
    daemon.run(&["disk", "set", "a", "reserve=20MiB"]).succeeded();
    assert!(reserved(&daemon).as_u64() < before.as_u64());
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(reserved(&daemon), 0);
}

#[test]
fn a_pool_that_is_full_of_reservations_says_how_further_disks_fit() {
    let host = Host::new();
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "32MiB"]);
    let add = |number: usize| {
        let image = host.image(&format!("{number}.img"), MIB);
        daemon.run(&["disk", "add", &format!("d{number}"), "--backing", &image])
    };
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    let number = |key: &str| pool[key].as_u64().expect("a number");
    let fitting = (number("usable_bytes") / (16 * number("segment_bytes"))) as usize;
    (0..fitting).for_each(|number| drop(add(number).succeeded()));
    let message = add(fitting).failed();
    assert!(
        message.contains("No disk of this pool reserves less than 4MiB; lower the reservation of another disk; or add flash")
            && message.contains("one more disk in every 4MiB: forebay pool add FILE --size SIZE"),
        "{message}"
    );
    let image = host.text(&format!("{fitting}.img"));
    let large = daemon.run(&["disk", "add", "large", "--backing", &image, "--reserve", "1GiB"]).failed();
    assert!(large.contains("Reserve less (4MiB is the least); lower"), "{large}");
    daemon.run(&["pool", "add", &host.text("more.img"), "--size", "16MiB"]).succeeded();
    daemon.run(&["disk", "add", "one-more", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
}
