//! Disks as block devices of a host: guests with the real process, the real kernel's ublk or NBD client, and
//! programs that open devices.
//!
//! ```text
//!   guest: ext4, xfs, LVM, fio ──> /dev/forebay/NAME ──> ublk ──> forebay ──> /dev/disk/NAME, /dev/disk/pool
//!                                      forebay map ────────┘         └─ killed and started again under load
//! ```
//! The guests are emulated: they show correctness, and no times.

use guest::{Ended, Guest, Kernel, Kit};

use crate::fio::Job;
use crate::host::Host;

const MIB: u64 = 1 << 20;
const DISK_BYTES: u64 = 64 * MIB;
const POOL_BYTES: u64 = 128 * MIB;
/// Enough for the libraries of all these programs, which count twice while the guest boots.
const MEMORY_MIB: u32 = 1024;
/// Kills of an ordinary run: as many as CI has time for. A nightly run has more, as in all tests that kill.
const KILLS_DEFAULT: u32 = 20;
/// Kills where disks are mapped by the kernel's NBD client: after each, requests wait for two seconds by its timer.
const NBD_KILLS: u32 = 4;
/// Far longer than a busy machine takes for a boot, and for each kill.
const SECONDS_MAX: u32 = 900;
const SECONDS_MAX_OF_KILL: u32 = 30;
const COMMON: &str = include_str!("common.sh");
/// LVM scans mapped disks only: the devices below them have the same content.
const LVM_SETTINGS: &str = r#"
devices {
    filter = [ "a|^/dev/ublkb|", "r|.*|" ]
    use_devicesfile = 0
    obtain_device_list_from_udev = 0
    external_device_info_source = "none"
}
activation {
    udev_sync = 0
    udev_rules = 0
    monitoring = 0
}
global {
    locking_dir = "/run"
    use_lvmpolld = 0
}
backup {
    backup = 0
    archive = 0
}
"#;

/// Returns a guest with `forebay` and an empty disk of each name, next to the one for the pool.
fn guest(host: &Host, kernel: Kernel, disks: &[&str]) -> Guest {
    let kit = Kit::with_kernel(kernel).expect("`cargo xtask test` installs what a guest needs");
    let guest = Guest::new(&kit).memory_mib(MEMORY_MIB).seconds_max(SECONDS_MAX);
    let guest = guest.program(env!("CARGO_BIN_EXE_forebay"));
    let guest = guest.disk("pool", host.image("pool.img", POOL_BYTES));
    disks.iter().fold(guest, |guest, disk| guest.disk(*disk, host.image(disk, DISK_BYTES)))
}

/// Runs a script after the functions that all share. It has to succeed.
fn run(guest: Guest, script: &str) -> Ended {
    let ended = guest.run(&format!("{COMMON}{script}")).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(ended.status, 0, "{}", ended.output);
    ended
}

#[test]
fn a_mapped_disk_is_a_block_device_like_any_other_and_is_not_taken_from_its_users() {
    let host = Host::new();
    let guest = guest(&host, Kernel::WithUblk, &["web", "fio", "large"]);
    let programs = ["fio", "mkfs.ext4", "e2fsck", "blkdiscard", "lvm", "setpriv"];
    let guest = programs.into_iter().fold(guest, Guest::program).file("/etc/lvm/lvm.conf", LVM_SETTINGS);
    let job = Job { seed: 0, depth: 32, offset_mib: 4, length_mib: 12 };
    // Of two seeds the last one counts.
    let functions = format!(
        "fio_writes() {{ {} --randseed=$1; }}\nfio_verifies() {{ {} --randseed=$1; }}\n",
        job.write_line("/dev/forebay/fio"),
        job.verify_line("/dev/forebay/fio"),
    );
    run(guest, &format!("{functions}{}", include_str!("device.sh")));
}

#[test]
fn file_systems_on_mapped_disks_lose_nothing_and_see_no_error_however_often_the_daemon_is_killed() {
    let host = Host::new();
    let disks = ["ext4-write-through", "ext4-write-back", "xfs-write-through", "xfs-write-back"];
    let kills = std::env::var("FOREBAY_KILLS").ok().and_then(|kills| kills.parse().ok());
    let kills = kills.unwrap_or(KILLS_DEFAULT);
    let guest = guest(&host, Kernel::WithUblk, &disks).seconds_max(SECONDS_MAX + kills * SECONDS_MAX_OF_KILL);
    let programs = ["mkfs.ext4", "e2fsck", "mkfs.xfs", "xfs_repair"];
    let guest = programs.into_iter().fold(guest, Guest::program);
    let ended = run(guest, &format!("KILLS={kills}\n{}", include_str!("kills.sh")));
    // Otherwise the test would prove only half.
    let line = ended.output.lines().last().expect("it printed something");
    assert!(!line.starts_with("0 of"), "no kill had requests in flight: {}", ended.output);
}

#[test]
fn a_kernel_without_ublk_maps_by_its_nbd_client_and_loses_nothing_when_the_daemon_is_killed() {
    let host = Host::new();
    let guest = guest(&host, Kernel::Release, &["web"]);
    let guest = ["mkfs.ext4", "e2fsck"].into_iter().fold(guest, Guest::program);
    run(guest, &format!("KILLS={NBD_KILLS}\n{}", include_str!("nbd.sh")));
}
