//! docs/fleet-on-ceph.md: each of its commands on two hosts and a cluster, and what it promises after the loss of a host.

use std::fs;
use std::path::PathBuf;

use base::moment::Moment;
use doors::nbd::Client;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::ceph::Cluster;
use crate::host::{Daemon, Host};
use crate::patience::until;
use crate::rbd::{build_helper, bytes_of, helpers};
use crate::walkthrough::Page;

const PAGE: &str = include_str!("../../../docs/fleet-on-ceph.md");
/// Sources of the messages in the page.
const SOURCES: [&str; 6] = [
    include_str!("../../../rbd/src/opening.rs"),
    include_str!("../../../rbd/src/ceph.rs"),
    include_str!("../../src/backing/kinds/rbd/helper.rs"),
    include_str!("../../src/shard/dirty_marker.rs"),
    include_str!("../../../block/src/patient/trouble.rs"),
    include_str!("../../../block/src/error.rs"),
];
const BLOCK: u64 = 4096;

/// Returns the page for a cluster.
fn page(cluster: &Cluster, folder: PathBuf) -> Page {
    let keys = format!("{}/", folder.join("ceph").display());
    let mut page = Page::new(PAGE, folder);
    // The group exists where the package is installed.
    page.prelude = format!("export CEPH_CONF={}\nchgrp() {{ test \"$1\" = forebay; }}", cluster.conf);
    page.replaced = vec![
        ("/etc/ceph/", keys),
        ("--size 20G", "--size 48M".to_owned()),
        ("--size 1G", "--size 64M".to_owned()),
    ];
    page
}

/// Starts a host, whose helpers find the configuration of the cluster.
fn serve(host: &Host, cluster: &Cluster) -> Daemon {
    host.serve_by("env", &[&format!("CEPH_CONF={}", cluster.conf)])
}

/// Ends a host with its helpers, as the loss of its power does. The daemon is stopped first: it would start a helper again. It ends
/// last: a helper whose daemon is gone releases its lock.
fn lose(host: Daemon) {
    let helpers = helpers(host.id());
    host.pause();
    for helper in helpers {
        kill(helper, Signal::SIGKILL).expect("it was ours");
    }
    host.kill();
}

fn write(guest: &mut Client, round: u64) {
    for at in 0..256 {
        guest.write(at * BLOCK, &bytes_of(round + at)).expect("it is served");
    }
}

fn assert_has(host: &Daemon, round: u64) {
    let mut guest = host.guest("web1");
    for at in 0..256 {
        let found = guest.read(at * BLOCK, BLOCK as u32).expect("it is served");
        assert!(found == bytes_of(round + at), "page {at} of round {round}");
    }
}

#[test]
fn a_fleet_is_built_and_loses_hosts_as_the_page_says() {
    build_helper();
    let (host1, host2) = (Host::new(), Host::new());
    let cluster = Cluster::start_erasure_coded(&host1);
    let (one, two) = (serve(&host1, &cluster), serve(&host2, &cluster));
    let mut page = page(&cluster, host1.path(""));
    page.run("Users", 0, &one);
    assert!(page.run("Images", 0, &one).contains("data_pool: vms-data"));
    page.run("Hosts", 0, &one);
    page.run("Hosts", 1, &one);
    page.run("Disks", 0, &one);
    let lines = page.run("Guests", 0, &one);
    assert!(lines.contains("vhost-user-blk") && lines.contains("<disk type='network'"), "{lines}");

    let mut guest = one.guest("web1");
    write(&mut guest, 1000);
    page.run("Snapshots", 0, &one);
    write(&mut guest, 2000);
    assert_has(&one, 2000);
    drop(guest);
    page.run("Rollback", 0, &one);
    assert_has(&one, 1000);

    // Write-through: what was acknowledged is there.
    write(&mut one.guest("web1"), 3000);
    lose(one);
    let (added, refusal) = page.try_run("A host dies", 1, &two);
    assert!(!added && refusal.contains("elsewhere, by the client at"), "{refusal}");
    page.run("A host dies", 0, &two);
    page.run("A host dies", 1, &two);
    assert_has(&two, 3000);
    let one = serve(&host1, &cluster);
    assert_ne!(one.disk("web1")["state"], "serving");
    page.run("The host is back", 0, &one);

    // Consistent write-back: the disk of an instant, which has all that is in a group of the ring.
    page.run("Write-back", 0, &two);
    write(&mut two.guest("web1"), 3500);
    // The host is back at once, with its flash: nothing is lost, and the ring is the same.
    lose(two);
    let two = serve(&host2, &cluster);
    until(|| two.disk("web1")["state"] == "serving");
    assert_has(&two, 3500);
    assert_eq!(two.disk("web1")["ring_path"], "rbd:vms/web1.forebay-ring?id=forebay");
    // A try to attach it while the killed host's helper still held its lock is one as well, and no loss.
    let events = two.run(&["events"]).succeeded();
    assert!(!events.contains("The redo ring of disk 'web1'"), "it was not lost: {events}");
    let mut guest = two.guest("web1");
    // The image bears the mark from its first write on. Then nothing is destaged without the helper.
    guest.write(0, &bytes_of(3000)).expect("it is served");
    let of_image = |helper: &Pid| {
        let words = fs::read_to_string(format!("/proc/{helper}/cmdline")).unwrap_or_default();
        words.split('\0').any(|word| word == "rbd:vms/web1?id=forebay")
    };
    let helpers = helpers(two.id());
    assert_eq!(helpers.len(), 2, "one for the image, one for its ring");
    let helper = helpers.into_iter().find(of_image).expect("it has the image as an argument");
    kill(helper, Signal::SIGSTOP).expect("it runs");
    write(&mut guest, 4000);
    let written = Moment::now().to_string();
    until(|| two.disk("web1")["consistent_as_of"].as_str().is_some_and(|as_of| *as_of > *written));
    lose(two);
    page.run("A host dies", 0, &one);
    let (added, refusal) = page.try_run("Disks", 0, &one);
    assert!(!added && refusal.contains("its backing lacks data that pool"), "{refusal}");
    page.run("Recovery", 0, &one);
    let recovered = page.run("Recovery", 1, &one);
    assert!(recovered.contains("lost     nothing"), "{recovered}");
    assert_has(&one, 4000);

    page.assert_all_were_run();
}

#[test]
fn the_messages_of_the_page_are_those_of_the_programs() {
    let (_, table) = PAGE.split_once("## Troubleshooting").expect("it has the section");
    let cells = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let messages: Vec<&str> = cells.flat_map(|cell| cell.split('`')).filter(|text| text.len() > 2).collect();
    assert!(messages.len() > 10, "{messages:?}");
    for message in messages {
        assert!(SOURCES.iter().any(|source| source.contains(message)), "{message}");
    }
}
