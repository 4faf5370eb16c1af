//! Disks whose backing is an image of Ceph RBD, on a cluster of each test's own.

use std::fs;
use std::ops::Range;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::thread;

use base::moment::Moment;
use doors::nbd::Client;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::ceph::{Cluster, DATA_POOL, POOL};
use crate::host::{Daemon, Host, forebay, has_stopped};
use crate::numbered::{Numbered, last_of};
use crate::patience::until;
use crate::tools::{assert_same_content, qemu_io, uri};

const PAGE: u64 = 4096;
const NUMBERED: Numbered = Numbered { pages: 1000 };

/// Builds the helper beside the daemon: of another package only its library is built for tests.
pub(crate) fn build_helper() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--locked", "--package", "rbd"]);
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let built = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(built.expect("cargo runs this test").success());
    });
}

/// Returns the helpers of a daemon.
pub(crate) fn helpers(daemon: u32) -> Vec<Pid> {
    let parent = format!("PPid:\t{daemon}\n");
    let is_helper = |pid: &i32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.starts_with("Name:\tforebay-rbd\n") && status.contains(&parent)
    };
    let processes = fs::read_dir("/proc")
        .expect("it is mounted")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(is_helper).map(Pid::from_raw).collect()
}

pub(crate) fn bytes_of(round: u64) -> Vec<u8> {
    (round + 1).to_le_bytes().repeat(PAGE as usize / 8)
}

fn add(daemon: &Daemon, location: &str) {
    daemon.run(&["disk", "add", "disk", "--backing", location, "--limit", "12MiB"]).succeeded();
}

/// Compares a disk with its image, as the cluster's own tool reads it.
fn assert_exported(host: &Host, cluster: &Cluster, daemon: &Daemon, image: &str) {
    let exported = host.text("exported");
    // There is none at the first time.
    fs::remove_file(&exported).unwrap_or(());
    cluster.rbd(&["export", "--no-progress", &format!("{POOL}/{image}"), &exported]);
    assert_same_content(&uri(daemon, "disk"), &exported);
}

#[test]
fn an_image_is_a_disk_that_outlives_its_helper_and_grows() {
    build_helper();
    let host = Host::new();
    let cluster = Cluster::start(&host);
    let image = format!("{POOL}/web");
    cluster.rbd(&["create", &image, "--size", "48M"]);
    let daemon = host.serve();
    add(&daemon, &cluster.location("web"));
    let served = uri(&daemon, "disk");
    qemu_io(
        &served,
        &["write -P 7 1M 9M", "write -P 8 4M 512", "write -z 5M 1M", "flush", "read -P 7 1M 3M"],
    );
    qemu_io(&served, &["discard 2M 1M", "flush", "read -P 0 2M 1M", "read -P 8 4M 512"]);
    assert_exported(&host, &cluster, &daemon, "web");

    let mut guest = daemon.guest("disk");
    let mut killed = Vec::new();
    for round in 0..64 {
        if round % 16 == 8 {
            let [helper] = helpers(daemon.id())[..] else { panic!("there is one helper for one disk") };
            kill(helper, Signal::SIGKILL).expect("it runs");
            killed.push(helper);
        }
        let at = 20 * (1 << 20) + round % 32 * PAGE;
        guest.write(at, &bytes_of(round)).expect("another helper continues");
        assert_eq!(guest.read(at, PAGE as u32).expect("it is served"), bytes_of(round));
    }
    assert_eq!(killed.len(), 4);
    // What was acknowledged and not flushed counts as lost with the helper, which fails a flush once.
    if guest.flush().is_err() {
        guest.flush().expect("nothing was lost since");
    }
    assert_exported(&host, &cluster, &daemon, "web");
    let kept_out = cluster.ceph(&["osd", "blocklist", "ls"]);
    assert_eq!(kept_out.lines().filter(|line| line.starts_with("127.0.0.1:")).count(), 4, "{kept_out}");

    cluster.rbd(&["resize", "--no-progress", &image, "--size", "64M"]);
    daemon.run(&["disk", "resize", "disk"]).succeeded();
    assert_eq!(daemon.disk("disk")["size_bytes"], 64 << 20);
    guest.disconnect().expect("it is served");
    qemu_io(&uri(&daemon, "disk"), &["write -P 9 60M 1M", "flush", "read -P 9 60M 1M"]);
    cluster.rbd(&["rename", &image, &format!("{POOL}/mail")]);
    assert_exported(&host, &cluster, &daemon, "mail");
    cluster.rbd(&["rename", &format!("{POOL}/mail"), &image]);

    let pid = daemon.id();
    assert!(daemon.stop().success());
    until(|| cluster.rbd(&["lock", "ls", &image]).trim().is_empty());
    assert_eq!(helpers(pid), []);
}

#[test]
fn dirty_data_of_an_image_survives_a_killed_daemon_and_its_mark_is_on_the_image() {
    build_helper();
    let host = Host::new();
    let cluster = Cluster::start(&host);
    let image = format!("{POOL}/web");
    cluster.rbd(&["create", &image, "--size", "32M"]);
    let daemon = host.serve();
    add(&daemon, &cluster.location("web"));
    daemon.run(&["disk", "set", "disk", "mode=write-back"]).succeeded();
    let shown = daemon.run(&["disk", "show", "disk"]).succeeded();
    assert!(!shown.contains("prevent other clients"), "{shown}");
    let mut guest = daemon.guest("disk");
    guest.write(0, &bytes_of(0)).expect("it is served");
    guest.flush().expect("it is served");
    let marks = cluster.rbd(&["image-meta", "ls", &image]);
    assert!(marks.contains("forebay.dirty") && marks.contains("forebay.session"), "{marks}");
    let elsewhere = Host::new();
    let other = elsewhere.serve();
    let refusal = other.run(&["disk", "add", "disk", "--backing", &cluster.location("web")]).failed();
    assert!(refusal.contains("elsewhere, by the client at 127.0.0.1:"), "{refusal}");

    // Nothing is destaged without it.
    let [helper] = helpers(daemon.id())[..] else { panic!("there is one helper for one disk") };
    kill(helper, Signal::SIGSTOP).expect("it runs");
    for round in 1..256 {
        guest.write(round * PAGE, &bytes_of(round)).expect("flash takes it");
    }
    daemon.kill();
    kill(helper, Signal::SIGKILL).expect("it is stopped");
    let daemon = host.serve();
    until(|| daemon.disk("disk")["state"] == "serving");
    let mut guest = daemon.guest("disk");
    for round in 0..256 {
        let found = guest.read(round * PAGE, PAGE as u32).expect("it is served");
        assert_eq!(found, bytes_of(round), "page {round}");
    }
    let disk = daemon.json(&["stats", "disk"])["disks"][0].clone();
    assert_eq!(disk["read_misses"], 0, "{disk}");
    let kept_out = cluster.ceph(&["osd", "blocklist", "ls"]);
    assert_eq!(kept_out.lines().filter(|line| line.starts_with("127.0.0.1:")).count(), 1, "{kept_out}");
    daemon.run(&["disk", "destage", "disk", "--wait"]).succeeded();
    assert_exported(&host, &cluster, &daemon, "web");
    drop(guest);

    // What is cached stays while nobody else uses the image, which its header shows.
    assert!(daemon.stop().success());
    let daemon = host.serve();
    until(|| daemon.disk("disk")["state"] == "serving");
    let mut guest = daemon.guest("disk");
    guest.read(0, PAGE as u32 * 256).expect("it is served");
    assert_eq!(daemon.json(&["stats", "disk"])["disks"][0]["read_misses"], 0);
    drop(guest);
    assert!(daemon.stop().success());
    until(|| cluster.rbd(&["lock", "ls", &image]).trim().is_empty());
    cluster.rbd(&["bench", "--io-type", "write", "--io-size", "4K", "--io-total", "4K", &image]);
    let daemon = host.serve();
    daemon.wait_for_log("was modified while Forebay did not serve it");
    until(|| daemon.disk("disk")["state"] == "serving");
    assert_exported(&host, &cluster, &daemon, "web");
    let daemon = assert_foreign_writer_is_noticed(&host, &cluster, daemon, &image);
    daemon.run(&["disk", "remove", "disk"]).succeeded();
    let marks = cluster.rbd(&["image-meta", "ls", &image]);
    assert!(!marks.contains("forebay.dirty") && marks.contains("forebay.session"), "{marks}");
    // The image is free once its helper has ended.
    until(|| other.run(&["disk", "add", "disk", "--backing", &cluster.location("web")]).status == 0);
    assert_exported(&elsewhere, &cluster, &other, "web");
}

/// Lets another client write to the image after daemon and helper were killed with dirty data.
fn assert_foreign_writer_is_noticed(host: &Host, cluster: &Cluster, daemon: Daemon, image: &str) -> Daemon {
    let [helper] = helpers(daemon.id())[..] else { panic!("there is one helper for one disk") };
    let mut guest = daemon.guest("disk");
    guest.write(0, &bytes_of(0)).expect("it is served");
    kill(helper, Signal::SIGSTOP).expect("it runs");
    guest.write(PAGE, &bytes_of(9)).expect("flash takes it");
    daemon.kill();
    kill(helper, Signal::SIGKILL).expect("it is stopped");
    drop(guest);
    let locks = cluster.rbd(&["lock", "ls", image]);
    let words: Vec<_> = locks.lines().last().expect("it is locked").split_whitespace().collect();
    let [locker, first, second, _] = words[..] else { panic!("{locks}") };
    cluster.rbd(&["lock", "rm", image, &format!("{first} {second}"), locker]);
    cluster.rbd(&["bench", "--io-type", "write", "--io-size", "4K", "--io-total", "4K", image]);
    // A start that ends without a decision changes nothing about it.
    for _ in 0..2 {
        let daemon = host.serve();
        daemon.wait_for_log("was modified while Forebay did not serve it");
        assert_ne!(daemon.disk("disk")["state"], "serving");
        assert!(daemon.stop().success());
    }
    let daemon = host.serve();
    daemon.wait_for_log("was modified while Forebay did not serve it");
    daemon.run(&["disk", "accept", "disk", "--yes", "--despite-differences"]).succeeded();
    until(|| daemon.disk("disk")["state"] == "serving");
    daemon.run(&["disk", "destage", "disk", "--wait"]).succeeded();
    assert_exported(host, cluster, &daemon, "web");
    daemon
}

#[test]
fn images_that_cannot_be_served_are_refused_with_the_reason_and_a_fenced_one_fails() {
    build_helper();
    let host = Host::new();
    let cluster = Cluster::start(&host);
    for name in ["web", "cached"] {
        cluster.rbd(&["create", &format!("{POOL}/{name}"), "--size", "16M"]);
    }
    let shared = format!("{POOL}/shared");
    cluster.rbd(&["create", &shared, "--size", "16M", "--image-feature", "layering"]);
    cluster.rbd(&["config", "image", "set", &format!("{POOL}/cached"), "rbd_cache", "true"]);
    let conf = fs::read_to_string(&cluster.conf).expect("it was written");
    let variant = |name: &str, changes: &[(&str, &str)]| {
        let changed = changes.iter().fold(conf.clone(), |conf, (from, to)| {
            assert!(conf.contains(from), "{from}");
            conf.replace(from, to)
        });
        fs::write(host.path(name), changed).expect("the folder is ours");
        format!("rbd:{POOL}/web?conf={}", host.text(name))
    };
    let with_key = ("auth client required = none", "auth client required = cephx");
    let keyless = variant("keyless.conf", &[with_key]);
    let missing = variant("missing.conf", &[with_key, ("keyring = /dev/null", "keyring = /none")]);
    let silent = variant("silent.conf", &[("mon host = v2:127.0.0.1:", "mon host = v2:127.0.0.2:")]);
    let daemon = host.serve();
    for (location, reason) in [
        (cluster.location("shared"), "run `rbd feature enable vms/shared exclusive-lock`"),
        (cluster.location("cached"), "sets rbd_cache to true"),
        (cluster.location("none"), "there is no image 'none'"),
        (format!("rbd:none/web?conf={}", cluster.conf), "there is no pool 'none'"),
        (format!("rbd:{POOL}/web?conf={}", host.text("none.conf")), "none.conf cannot be read"),
        (keyless, "the cluster refuses client.admin (Permission denied; its key is searched in /dev/null)"),
        (missing, "there is no key of client.admin that the daemon may read"),
        (silent, "no monitor of the cluster answered within 10 s"),
        (format!("rbd:{POOL}/web@snapshot?conf={}", cluster.conf), "snapshots are not served"),
    ] {
        let refusal = daemon.run(&["disk", "add", "disk", "--backing", &location]).failed();
        assert!(refusal.contains(reason), "{location}: {refusal}");
    }

    add(&daemon, &cluster.location("web"));
    let again = daemon.run(&["disk", "add", "again", "--backing", &cluster.location("web")]).failed();
    assert!(again.contains("'disk'"), "{again}");
    daemon.run(&["disk", "set", "disk", "mode=write-back"]).succeeded();
    let mut guest = daemon.guest("disk");
    guest.write(0, &bytes_of(1)).expect("it is served");
    let locks = cluster.rbd(&["lock", "ls", &format!("{POOL}/web")]);
    let owner = locks.split_whitespace().find(|word| word.starts_with("127.0.0.1:0/"));
    cluster.ceph(&["osd", "blocklist", "add", owner.expect("the helper has the lock")]);
    // Its helper notices that without a request, and what flash could answer is an error as well.
    daemon.wait_for_log("is lost to this host");
    daemon.wait_for_log("The disk stops");
    guest.read(0, PAGE as u32).expect_err("it may be old");
    guest.write(0, &bytes_of(2)).expect_err("no flash takes it");
    guest.write(8 * PAGE, &bytes_of(3)).expect_err("no helper comes back by itself");
    assert_eq!(helpers(daemon.id()), []);
}

/// Writes numbers into a disk until that fails. Returns the last one that was acknowledged.
fn write_until_failure(mut guest: Client, acknowledged: &AtomicU64) {
    for k in 1.. {
        if NUMBERED.write(&mut guest, k).is_err() {
            return;
        }
        acknowledged.store(k, Ordering::SeqCst);
    }
}

#[test]
fn a_host_that_stops_with_its_helpers_changes_nothing_of_an_image_that_it_lost() {
    build_helper();
    let (one, two) = (Host::new(), Host::new());
    let cluster = Cluster::start(&one);
    for (image, size) in [("web", "32M"), ("mail", "32M"), ("mail.forebay-ring", "64M")] {
        cluster.rbd(&["create", &format!("{POOL}/{image}"), "--size", size]);
    }
    let (host1, host2) = (one.serve(), two.serve());
    let add = |host: &Daemon, image: &str| {
        let location = cluster.location(image);
        host.run(&["disk", "add", image, "--backing", &location, "--limit", "12MiB"])
    };
    // One in write-through, one in consistent write-back.
    for image in ["web", "mail"] {
        add(&host1, image).succeeded();
    }
    host1.run(&["disk", "set", "mail", "mode=write-back", "destage-order=consistent"]).succeeded();

    let acknowledged: Arc<[AtomicU64; 2]> = Arc::default();
    let writers = [0, 1].map(|disk| {
        let (guest, acknowledged) = (host1.guest(["web", "mail"][disk]), Arc::clone(&acknowledged));
        thread::spawn(move || write_until_failure(guest, &acknowledged[disk]))
    });
    let last = |disk: usize| acknowledged[disk].load(Ordering::SeqCst);
    until(|| last(0) > 200 && last(1) > 200);
    let (reached, now) = (last(1), Moment::now().to_string());
    until(|| host1.disk("mail")["consistent_as_of"].as_str().is_some_and(|as_of| *as_of > *now));
    host1.pause();
    let helpers = helpers(host1.id());
    assert_eq!(helpers.len(), 3, "one for each image, and one for the ring");
    for helper in &helpers {
        kill(*helper, Signal::SIGSTOP).expect("it runs");
        until(|| has_stopped(helper.as_raw().cast_unsigned()));
    }

    // What the page of fleets says, for the image and the ring in write-back.
    for image in ["mail", "mail.forebay-ring"] {
        fence(&cluster, image);
    }
    let location = cluster.location("mail");
    assert!(add(&host2, "mail").failed().contains("its backing lacks data that pool"));
    forebay(&["disk", "recover", "--backing", &location]).succeeded();
    add(&host2, "mail").succeeded();
    // The other one is taken over once the cluster takes its client for dead.
    assert!(add(&host2, "web").failed().contains("elsewhere, by the client at"));
    until(|| add(&host2, "web").status == 0);
    let found = ["web", "mail"].map(|disk| last_of(NUMBERED, &NUMBERED.of_disk(&host2, disk)));
    println!("as of {found:?}, acknowledged were {acknowledged:?}, and {reached} in a group");
    // One more may have been on its way.
    assert!((last(0)..=last(0) + 1).contains(&found[0]), "write-through loses nothing: {found:?}");
    assert!((reached..=last(1) + 1).contains(&found[1]), "{found:?}");
    let written = found.map(|found| found + 200);
    for (disk, (found, written)) in ["web", "mail"].into_iter().zip(found.into_iter().zip(written)) {
        let mut guest = host2.guest(disk);
        (found + 1..=written).for_each(|k| NUMBERED.write(&mut guest, k).expect("it is served"));
    }

    for helper in &helpers {
        kill(*helper, Signal::SIGCONT).expect("it is stopped");
    }
    host1.signal(Signal::SIGCONT);
    for disk in ["web", "mail"] {
        until(|| host1.disk(disk)["state"] == "failed");
        let shown = host1.run(&["disk", "show", disk]).succeeded();
        assert!(shown.contains("another client took the lock of the image"), "{shown}");
    }
    until(|| host1.run(&["events"]).succeeded().matches("The backing is lost to this host: ").count() == 2);
    assert!(host1.disk("mail")["dirty_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    until(|| self::helpers(host1.id()).is_empty());
    for (disk, written) in ["web", "mail"].into_iter().zip(written) {
        assert_eq!(last_of(NUMBERED, &NUMBERED.of_disk(&host2, disk)), written, "{disk}");
    }
    for writer in writers {
        writer.join().expect("it ends with an error of its disk");
    }
    // Nor does it after a restart.
    host1.kill();
    let host1 = one.serve();
    for disk in ["web", "mail"] {
        assert_ne!(host1.disk(disk)["state"], "serving");
        host1.run(&["disk", "remove", disk, "--discard-dirty"]).succeeded();
        host2.run(&["disk", "destage", disk, "--wait"]).succeeded();
        let copy = two.text(&format!("copy-{disk}"));
        cluster.rbd(&["export", "--no-progress", &format!("{POOL}/{disk}"), &copy]);
        assert_same_content(&uri(&host2, disk), &copy);
    }
}

/// Shuts out the client that has the lock of an image, as docs/fleet-on-ceph.md does.
fn fence(cluster: &Cluster, image: &str) {
    let locks = cluster.rbd(&["lock", "ls", &format!("{POOL}/{image}"), "--format", "json"]);
    let locks: Value = serde_json::from_str(&locks).expect("it is JSON");
    let address = locks[0]["address"].as_str().expect("a client has it");
    cluster.ceph(&["osd", "blocklist", "add", address, "315360000"]);
}

/// Makes a user with these rights towards monitors and those of an image in both pools. Returns the location of the image `web` as that user.
fn as_user(cluster: &Cluster, host: &Host, user: &str, monitors: &str) -> String {
    let keyring = host.text(&format!("ceph/ceph.client.{user}.keyring"));
    let pools = format!("profile rbd pool={POOL}, profile rbd pool={DATA_POOL}");
    let rights = ["mon", monitors, "osd", &pools, "-o", &keyring];
    cluster.ceph(&[&["auth", "get-or-create", &format!("client.{user}")][..], &rights].concat());
    format!("{}&id={user}", cluster.location("web"))
}

/// Writes these pages by way of a guest, and reads each of them.
fn fill(guest: &mut Client, pages: Range<u64>) {
    for page in pages {
        guest.write(page * PAGE, &bytes_of(page)).expect("flash takes it");
        assert_eq!(guest.read(page * PAGE, PAGE as u32).expect("it is cached"), bytes_of(page));
    }
}

fn backing_state(daemon: &Daemon) -> Value {
    daemon.disk("disk")["backing_state"].clone()
}

/// Begins to destage, and waits until the disk reports that the cluster does not answer.
fn destage_in_vain(daemon: &Daemon) {
    daemon.run(&["disk", "destage", "disk"]).succeeded();
    until(|| backing_state(daemon)["state"] == "failing");
    assert_eq!(backing_state(daemon)["reason"], "it does not answer");
}

fn destage_all(daemon: &Daemon) {
    daemon.run(&["disk", "destage", "disk", "--wait"]).succeeded();
    assert_eq!(daemon.disk("disk")["dirty_bytes"], 0);
}

#[test]
fn a_disk_on_an_erasure_coded_pool_goes_on_while_servers_a_helper_and_room_are_missing() {
    build_helper();
    let host = Host::new();
    let cluster = Cluster::start_erasure_coded(&host);
    cluster.rbd(&["create", &format!("{POOL}/web"), "--size", "48M", "--data-pool", DATA_POOL]);
    let daemon = host.serve();
    let weak = as_user(&cluster, &host, "weak", "allow r");
    let refusal = daemon.run(&["disk", "add", "disk", "--backing", &weak]).failed();
    assert!(refusal.contains("client.weak has no right to keep a dead client out"), "{refusal}");
    let rights = format!("osd 'profile rbd pool={POOL}, profile rbd pool={DATA_POOL}'");
    assert!(refusal.contains(&rights), "{refusal}");
    add(&daemon, &as_user(&cluster, &host, "forebay", "profile rbd"));
    daemon.run(&["disk", "set", "disk", "mode=write-back", "retry-time=1s"]).succeeded();
    let mut guest = daemon.guest("disk");
    fill(&mut guest, 0..256);
    destage_all(&daemon);

    // A server that is silent: the cluster takes it for dead only 20 s later.
    cluster.signal_storage(1, Signal::SIGSTOP);
    fill(&mut guest, 128..512);
    destage_in_vain(&daemon);
    fill(&mut guest, 512..576);
    cluster.signal_storage(1, Signal::SIGCONT);
    until(|| backing_state(&daemon)["state"] == "good");
    destage_all(&daemon);
    assert_exported(&host, &cluster, &daemon, "web");

    // A server that is dead, and whose chunks the others reconstruct.
    cluster.signal_storage(2, Signal::SIGKILL);
    fill(&mut guest, 448..832);
    destage_all(&daemon);
    guest.flush().expect("nothing was lost");
    assert_exported(&host, &cluster, &daemon, "web");

    let [helper] = helpers(daemon.id())[..] else { panic!("there is one helper for one disk") };
    kill(helper, Signal::SIGSTOP).expect("it runs");
    fill(&mut guest, 704..1024);
    destage_in_vain(&daemon);
    fill(&mut guest, 1024..1088);
    kill(helper, Signal::SIGCONT).expect("it is stopped");
    until(|| backing_state(&daemon)["state"] == "good");
    destage_all(&daemon);
    assert_eq!(helpers(daemon.id()), [helper]);
    assert_exported(&host, &cluster, &daemon, "web");
    assert_full_pool_is_reported(&host, &cluster, &daemon, &mut guest);
}

/// Uses up the quota of the pool, and raises it.
fn assert_full_pool_is_reported(host: &Host, cluster: &Cluster, daemon: &Daemon, guest: &mut Client) {
    let set_quota = |bytes: &str| cluster.ceph(&["osd", "pool", "set-quota", DATA_POOL, "max_bytes", bytes]);
    set_quota("1M");
    until(|| cluster.ceph(&["osd", "pool", "ls", "detail"]).contains("full_quota"));
    // Nothing was ever written there.
    fill(guest, 8192..8448);
    let failed = daemon.run(&["disk", "destage", "disk", "--wait"]).failed();
    assert!(failed.contains("no space left (the server of rbd:vms/web"), "{failed}");
    let state = backing_state(daemon);
    assert!(state["reason"].as_str().is_some_and(|reason| reason.contains("no space left")), "{state}");
    until(|| daemon.run(&["events"]).succeeded().contains("The backing of disk 'disk' has no room"));
    fill(guest, 8320..8512);
    assert_eq!(daemon.disk("disk")["dirty_bytes"], 320 * PAGE);
    set_quota("0");
    until(|| {
        daemon.disk("disk")["dirty_bytes"] == 0 || {
            daemon.run(&["disk", "destage", "disk"]).succeeded();
            false
        }
    });
    until(|| backing_state(daemon)["state"] == "good");
    assert_exported(host, cluster, daemon, "web");
}
