//! Storage in use is refused for a pool, under any name, and without advice how to erase it.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Command;

use crate::host::{Daemon, Host, Loop, content, forebay};

const MIB: u64 = 1 << 20;

/// Runs a tool of the host. Returns true if it exists and has succeeded.
fn run(tool: &str, arguments: &[&str]) -> bool {
    Command::new(tool).args(arguments).status().is_ok_and(|status| status.success())
}

/// Checks a refusal, which must not contain a command that erases.
fn refused(message: &str, reason: &str) {
    assert!(message.contains(reason), "{reason}: {message}");
    assert!(!message.contains("--erase"), "{message}");
}

/// Checks that `path` is refused in every way in which it could join a pool: that of `daemon`, of the pool
/// file `pool`, and of another daemon.
fn refused_everywhere(daemon: &Daemon, pool: &str, path: &str, reason: &str, reason_elsewhere: &str) {
    refused(&daemon.run(&["pool", "add", path]).failed(), reason);
    refused(&daemon.run(&["pool", "add", path, "--same-drive"]).failed(), reason);
    refused(&daemon.run(&["pool", "replace", pool, path]).failed(), reason);
    let other = Host::new();
    refused(&other.serve_fails(&["--pool", path]), reason_elsewhere);
    assert!(!other.path("d/pool.img").exists());
    let second = other.serve();
    refused(&second.run(&["pool", "add", path]).failed(), reason_elsewhere);
    refused(&second.run(&["pool", "replace", &other.text("pool.img"), path]).failed(), reason_elsewhere);
    assert!(second.stop().success());
}

#[test]
fn a_loop_device_over_a_pool_in_use_is_no_other_device_for_this_forebay_nor_for_another_one() {
    let host = Host::new();
    let pool = host.text("pool.img");
    let daemon = host.serve();
    let Some(over) = Loop::over(&pool) else { return };
    let image = host.image("a.img", 4 * MIB);
    let words = ["--mode", "write-back", "destage-rate-max=1KiB"];
    daemon.run(&[&["disk", "add", "a", "--backing", &image][..], &words].concat()).succeeded();
    let mut guest = daemon.guest("a");
    (0..256).for_each(|page| guest.write(page * 4096, &[7; 4096]).expect("the disk is served"));
    guest.flush().expect("the disk is served");
    drop(guest);

    let (here, elsewhere) = ("it is the pool already", "another process");
    refused_everywhere(&daemon, &pool, &over.0, here, elsewhere);
    let id = daemon.json(&["pool", "show"])["pool"]["id"].as_str().expect("it has one").to_owned();
    let erase = ["pool", "add", &over.0, "--erase", &id, "--same-drive"];
    assert!(daemon.run(&erase).failed().contains(here));
    let other = Host::new();
    assert!(other.serve_fails(&["--pool", &over.0, "--erase", &id]).contains(elsewhere));
    if let Some(part) = Loop::from_offset(&pool, MIB) {
        refused_everywhere(&daemon, &pool, &part.0, here, elsewhere);
    }
    if let Some(twice) = Loop::over(&over.0) {
        refused_everywhere(&daemon, &pool, &twice.0, here, elsewhere);
    }
    daemon.kill();
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
    let mut guest = daemon.guest("a");
    for page in 0..256 {
        assert!(guest.read(page * 4096, 4096).expect("it is served") == [7; 4096], "page {page}");
    }
}

#[test]
fn the_file_of_a_pool_in_use_through_a_loop_device_is_in_use() {
    let host = Host::new();
    let file = host.image("flash.img", 64 * MIB);
    let Some(device) = Loop::over(&file) else { return };
    let daemon = host.serve_with(&["--pool", &device.0]);
    refused_everywhere(&daemon, &device.0, &file, "it is the pool already", "another process");
    let add = daemon.run(&["disk", "add", "x", "--backing", &file, "--force-raw"]).failed();
    assert!(add.contains("the pool is on it already"), "{add}");
}

#[test]
fn a_disk_that_is_served_is_no_device_of_a_pool_through_a_loop_device() {
    for (name, first) in [("blank.img", 0), ("data.img", 7)] {
        let host = Host::new();
        let daemon = host.serve();
        let image = host.image(name, 64 * MIB);
        daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
        daemon.guest("a").write(0, &[first; 4096]).expect("the disk is served");
        let Some(device) = Loop::over(&image) else { return };
        let reason = "disk 'a' has its data there";
        refused_everywhere(&daemon, &host.text("pool.img"), &device.0, reason, "another process");
        refused_everywhere(&daemon, &host.text("pool.img"), &image, reason, "another process");
        let other = Host::new();
        let second = other.serve();
        let message = second.run(&["disk", "add", "x", "--backing", &device.0]).failed();
        assert!(message.contains("another process"), "a backing neither: {message}");
        // Nor at a start that makes another pool.
        assert!(daemon.stop().success());
        for path in [&device.0, &image] {
            refused(&host.serve_fails(&["--pool", path]), reason);
        }
        assert!(content(&image, 0, 4096) == [first; 4096], "nothing was changed");
    }
}

#[test]
fn what_is_mounted_below_a_loop_device_or_in_use_as_swap_space_is_no_device_of_a_pool() {
    let host = Host::new();
    let daemon = host.serve();
    let pool = host.text("pool.img");
    let image = host.image("m.img", 64 * MIB);
    let Some(device) = Loop::over(&image) else { return };
    let loops = format!("losetup -d {}", device.0);
    refused_everywhere(&daemon, &pool, &image, &loops, &loops);
    let place = host.text("mnt");
    fs::create_dir(&place).expect("the folder is ours");
    if run("mkfs.ext4", &["-q", &device.0]) && run("mount", &[&device.0, &place]) {
        let mounted = format!("mounted at {place}");
        refused_everywhere(&daemon, &pool, &image, &mounted, &mounted);
        refused_everywhere(&daemon, &pool, &device.0, &mounted, &mounted);
        if let Some(twice) = Loop::over(&image) {
            refused_everywhere(&daemon, &pool, &twice.0, &mounted, &mounted);
        }
        assert!(run("umount", &[&place]));
    } else {
        println!("NOT TESTED: nothing can be mounted here");
    }
    let swap = host.text("swap.img");
    fs::write(&swap, vec![0; 64 * MIB as usize]).expect("the folder is ours");
    if run("chmod", &["0600", &swap]) && run("mkswap", &["-q", &swap]) && run("swapon", &[&swap]) {
        let message = daemon.run(&["pool", "add", &swap]).failed();
        let elsewhere = Host::new().serve_fails(&["--pool", &swap]);
        assert!(run("swapoff", &[&swap]));
        refused(&message, "swap");
        refused(&elsewhere, "swap");
    } else {
        println!("NOT TESTED: nothing can be swapped to here");
    }
}

/// Returns a table with two partitions of 32 MiB from the second MiB on.
fn partition_table() -> [u8; 512] {
    const SECTORS: u32 = 65_536;
    let mut table = [0; 512];
    for (at, start) in [(446, 2048), (462, 2048 + SECTORS)] {
        table[at + 4] = 0x83;
        table[at + 8..at + 12].copy_from_slice(&u32::to_le_bytes(start));
        table[at + 12..at + 16].copy_from_slice(&SECTORS.to_le_bytes());
    }
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    table
}

#[test]
fn a_device_of_which_a_partition_is_mounted_is_no_device_of_a_pool() {
    let host = Host::new();
    let daemon = host.serve();
    let image = host.image("p.img", 128 * MIB);
    fs::OpenOptions::new()
        .write(true)
        .open(&image)
        .and_then(|file| file.write_all_at(&partition_table(), 0))
        .expect("the folder is ours");
    let Some(device) = Loop::with_partitions(&image) else { return };
    let (first, second) = (format!("{}p1", device.0), format!("{}p2", device.0));
    let place = host.text("mnt");
    fs::create_dir(&place).expect("the folder is ours");
    if !run("mkfs.ext4", &["-q", &first]) || !run("mount", &[&first, &place]) {
        println!("NOT TESTED: no partitions of loop devices here");
        return;
    }
    let mounted = format!("mounted at {place}");
    let pool = host.text("pool.img");
    for path in [&image, &device.0, &first] {
        refused_everywhere(&daemon, &pool, path, &mounted, &mounted);
    }
    // The other one is free.
    let free = daemon.run(&["pool", "add", &second]);
    assert!(run("umount", &[&place]));
    free.succeeded();
}

#[test]
fn a_word_to_erase_where_nothing_is_ends_the_start_and_one_that_was_done_does_not() {
    let host = Host::new();
    let pool = host.text("pool.img");
    for options in [&["--erase", "zzz"][..], &["--pool", &pool, "--pool-size", "64MiB", "--erase", "zzz"]] {
        let message = host.serve_fails(options);
        assert!(message.contains("Cannot erase 'zzz'"), "{message}");
        assert!(!host.path("pool.img").exists() && !host.path("d/pool.img").exists());
    }
    fs::write(&pool, vec![7; 64 * MIB as usize]).expect("the folder is ours");
    let message = host.serve_fails(&["--pool", &pool]);
    let (_, id) = message.split_once(" --erase ").expect("the command is there");
    let options = ["--pool", &pool, "--erase", id.trim()];
    let daemon = host.serve_with(&options);
    let made = daemon.json(&["pool", "show"])["pool"]["id"].clone();
    assert!(daemon.stop().success());
    // As a service manager does whose command is unchanged.
    let daemon = host.serve_with(&options);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["id"], made);
    daemon.wait_for_log("changes nothing");
    assert!(daemon.stop().success());
    let message = host.serve_fails(&["--pool", &pool, "--erase", "zzz"]);
    assert!(message.contains("Cannot erase 'zzz'") && message.contains("this very pool"), "{message}");
    // A missing one is made again with its id, and with no other.
    fs::remove_file(&pool).expect("the folder is ours");
    let made = made.as_str().expect("it has one");
    let again = ["--pool", &pool, "--pool-size", "64MiB", "--erase", made];
    assert!(host.serve_with(&again).stop().success());
    assert!(host.serve_with(&again).stop().success());
}

#[test]
fn a_start_that_another_daemon_keeps_from_its_sockets_leaves_no_pool_file() {
    let host = Host::new();
    let daemon = host.serve();
    let (dir, run_dir) = (host.text("e"), host.text("d"));
    let start = ["serve", "--listen-http", "off", "--dir", &dir, "--run-dir", &run_dir];
    for (pool, options) in
        [("e/pool.img", &[][..]), ("other.img", &["--pool", &host.text("other.img"), "--pool-size", "64MiB"])]
    {
        let message = forebay(&[&start[..], options].concat()).failed();
        assert!(message.contains("another process does so already"), "{message}");
        assert!(!host.path(pool).exists(), "{pool} is left");
        assert!(!host.path("e/state.json").exists(), "a pool that never was is remembered");
    }
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
}
