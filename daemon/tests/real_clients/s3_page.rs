//! docs/disks-in-s3.md: each of its commands on two hosts and a bucket of Ceph, and what it promises after the loss of a host.

use std::fs;

use base::moment::Moment;

use crate::ceph::Cluster;
use crate::host::{Daemon, Host};
use crate::numbered::{Numbered, last_of};
use crate::patience::until;
use crate::s3_store::Gateways;
use crate::walkthrough::Page;

const PAGE: &str = include_str!("../../../docs/disks-in-s3.md");
const CONFIG: &str = "etc/forebay.toml";
const NUMBERED: Numbered = Numbered { pages: 100 };

/// The page for two hosts, each with a configuration of its own.
struct Reader<'a> {
    page: Page,
    cluster: &'a Cluster,
    gateways: &'a Gateways,
}

impl Reader<'_> {
    /// Runs a block on a host.
    fn run(&mut self, heading: &str, number: usize, (host, daemon): (&Host, &Daemon)) -> String {
        self.at(host);
        self.page.run(heading, number, daemon)
    }

    /// Sets what is different on each host.
    fn at(&mut self, host: &Host) {
        let add = format!("forebay pool add {} --size 64MiB --same-drive", host.text("second.img"));
        // The user exists where the package is installed.
        self.page.prelude = format!(
            "export CEPH_CONF={} FOREBAY_CONFIG={}\n\
             install() {{ test \"$1 $2 $3 $4 $5\" = '-o forebay -g forebay -m'; command install \"$5\" \"$6\" \"$7\" \"$8\"; }}",
            self.cluster.conf,
            host.text(CONFIG)
        );
        self.page.replaced = vec![
            ("https://rgw1.example.com", self.gateways.urls[0].clone()),
            ("https://rgw2.example.com", self.gateways.urls[1].clone()),
            (
                "file = \"/dev/disk/by-id/nvme-FIRST\"",
                format!("file = \"{}\"\nsize = \"64MiB\"", host.text("pool.img")),
            ),
            ("forebay pool add /dev/disk/by-id/nvme-SECOND", add),
            ("/etc/forebay/", host.text("etc/")),
            ("20GiB", "64MiB".to_owned()),
        ];
    }

    /// Starts a host with the configuration of the page.
    fn serve(&mut self, host: &Host) -> Daemon {
        self.at(host);
        fs::create_dir(host.path("etc")).expect("the folder is ours");
        let config = host.text(CONFIG);
        fs::write(&config, self.page.configuration("Hosts")).expect("the folder is ours");
        host.serve_with(&["--config", &config])
    }
}

fn write(daemon: &Daemon, numbers: std::ops::RangeInclusive<u64>) {
    let mut guest = daemon.guest("web1");
    numbers.for_each(|k| NUMBERED.write(&mut guest, k).expect("it is served"));
}

fn last(daemon: &Daemon) -> u64 {
    last_of(NUMBERED, &NUMBERED.of_disk(daemon, "web1"))
}

#[test]
fn disks_in_a_bucket_are_built_and_lose_a_host_as_the_page_says() {
    let (one, two) = (Host::new(), Host::new());
    let cluster = Cluster::start(&one);
    let gateways = Gateways::start(&cluster);
    let page = Page::new(PAGE, one.path(""));
    let mut page = Reader { page, cluster: &cluster, gateways: &gateways };
    let (host1, host2) = (page.serve(&one), page.serve(&two));
    page.run("Keys", 0, (&one, &host1));
    page.run("Bucket", 0, (&one, &host1));
    for (host, daemon) in [(&one, &host1), (&two, &host2)] {
        page.run("Hosts", 0, (host, daemon));
        page.run("Hosts", 1, (host, daemon));
    }
    let shown = page.run("Disk", 0, (&one, &host1));
    assert!(shown.contains("write-back"), "{shown}");
    let lines = page.run("Guest", 0, (&one, &host1));
    assert!(lines.contains("vhost-user-blk") && lines.contains("<disk type='network'"), "{lines}");
    write(&host1, 1..=300);
    assert_eq!(host1.disk("web1")["mirrored"], true);
    page.run("Move", 0, (&one, &host1));
    page.run("Move", 1, (&two, &host2));
    assert_eq!(last(&host2), 300);

    write(&host2, 301..=600);
    let written = Moment::now().to_string();
    until(|| host2.disk("web1")["consistent_as_of"].as_str().is_some_and(|as_of| *as_of > *written));
    // Some of these are in a group, and some are not.
    write(&host2, 601..=640);
    host2.kill();
    let listed = page.run("A host dies", 0, (&one, &host1));
    assert!(listed.contains("open on"), "{listed}");
    let refused = host1.run(&["disk", "add", "web1", "--backing", "volume:cold/web1"]).failed();
    assert!(refused.contains("has it open") && refused.contains("forebay volume fence"), "{refused}");
    page.run("A host dies", 1, (&one, &host1));
    let found = last(&host1);
    assert!((600..=640).contains(&found), "{found}: nothing that was reported is lost");
    write(&host1, found + 1..=found + 50);

    let host2 = two.serve_with(&["--config", &two.text(CONFIG)]);
    let shown = page.run("The host is back", 0, (&two, &host2));
    assert!(shown.contains("has it open"), "{shown}");
    let checked = page.run("Check", 0, (&two, &host2));
    assert!(checked.contains("nothing"), "{checked}");
    assert_eq!(last(&host1), found + 50);
    page.page.assert_all_were_run();
}
