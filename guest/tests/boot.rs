//! Real boots: guarantees for a script in a guest, and the results for its caller.

use std::fs;
use std::path::PathBuf;

use guest::{Bus, Cable, Guest, Kit};

fn guest() -> Guest {
    Guest::new(&Kit::ready().expect("`cargo xtask test` installs what a guest needs"))
}

/// Image of 16 MiB in a folder of its own, removed at the end.
struct Image {
    path: PathBuf,
}

impl Image {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("forebay-guest-{name}-{}", std::process::id()));
        fs::write(&path, vec![0; 16 << 20]).expect("temporary files can be made");
        Self { path }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        fs::remove_file(&self.path).expect("it is ours");
    }
}

#[test]
fn a_script_has_its_files_and_programs_and_its_exit_status_comes_out() {
    let guest = guest().program("find").file("/root/note", "kept");
    let ended = guest.run("find /root -name note\ncat note\necho; echo bad >&2; exit 7").expect("it boots");
    assert_eq!(ended.output, "/root/note\nkept\nbad\n");
    assert_eq!(ended.status, 7);
}

#[test]
fn writes_to_a_disk_behind_device_mapper_are_in_its_image_and_in_the_log() {
    let (image, log) = (Image::new("data"), Image::new("log"));
    let guest = guest().program("dmsetup").disk("data", &image.path).disk("log", &log.path);
    let script = "set -e
        modprobe dm_log_writes
        dmsetup create logged --table '0 32768 log-writes /dev/disk/data /dev/disk/log'
        printf forebay | dd of=/dev/mapper/logged bs=4096 seek=3 conv=sync,fsync
        dmsetup message logged 0 mark here
        dmsetup remove logged";
    let ended = guest.run(script).expect("it boots");
    assert_eq!(ended.status, 0, "{}", ended.output);
    let content = fs::read(&image.path).expect("it is there");
    assert!(content[3 * 4096..].starts_with(b"forebay"));
    let log = fs::read(&log.path).expect("it is there");
    assert!(log.windows(4).any(|bytes| bytes == b"here"));
}

#[test]
fn a_guest_whose_power_is_cut_is_gone_at_once() {
    let mut running = guest().start("echo one\necho ready\nsleep 1000").expect("it starts");
    assert_eq!(running.wait_for("ready"), Ok("ready".to_owned()));
    running.cut_power().expect("it runs");
}

#[test]
fn a_guest_that_never_ends_its_script_is_an_error_with_its_last_words() {
    let error = guest().run("echo here\necho c >/proc/sysrq-trigger").expect_err("the kernel is gone");
    assert!(error.contains("here") && error.contains("sysrq"), "{error}");
    let error = guest().start("true").expect("it starts").wait_for("never said").expect_err("it ended");
    assert!(error.contains("'never said'"), "{error}");
}

#[test]
fn two_guests_at_a_cable_reach_each_other_also_after_one_of_them_was_started_again() {
    let cable = Cable::new().expect("temporary files can be made");
    let [one, two] = cable.ends();
    let address = |number| {
        format!("modprobe virtio_net\nip addr add 10.0.0.{number}/24 dev eth0\nip link set eth0 up\n")
    };
    let answers = format!("{}echo ready\nsleep 1000", address(1));
    let mut first = guest().plugged(&one).start(&answers).expect("it starts");
    first.wait_for("ready").expect("it boots");
    let asks = format!(
        "{}ping -c 1 -W 60 10.0.0.1 && echo reached\nuntil ! ping -c 1 -W 1 10.0.0.1; do :; done\necho gone
        until ping -c 1 -W 1 10.0.0.1; do :; done\necho again",
        address(2)
    );
    let mut second = guest().plugged(&two).start(&asks).expect("it starts");
    second.wait_for("reached").expect("the first one answers");
    first.cut_power().expect("it runs");
    second.wait_for("gone").expect("nobody answers");
    let _first = guest().plugged(&one).start(&answers).expect("it starts");
    second.wait_for("again").expect("the first one answers again");
}

#[test]
fn disks_are_attached_by_the_bus_that_was_asked_for() {
    let (ssd, array) = (Image::new("ssd"), Image::new("array"));
    let guest = guest().disk_on(Bus::Nvme, "FIRST", &ssd.path).disk_on(Bus::Scsi, "ARRAY", &array.path);
    let script = "for module in nvme virtio_scsi sd_mod; do modprobe $module; done
        until [ -e /sys/block/sda/size ] && [ -e /sys/block/nvme0n1/size ]; do usleep 10000; done
        cat /sys/block/nvme0n1/size /sys/block/sda/size
        grep -c FIRST /sys/block/nvme0n1/device/serial";
    let ended = guest.run(script).expect("it boots");
    assert_eq!(ended.output, "32768\n32768\n1\n");
}
