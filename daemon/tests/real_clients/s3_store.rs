//! Stores of volumes by S3, on a Ceph cluster with two gateways.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use objects::{Client, StoreOptions, probe};
use volume::{Store, StoreErrorKind};

use crate::ceph::Cluster;
use crate::contract::{self, wait};
use crate::host::{Daemon, Host};
use crate::patience;
use crate::stopped_host::{Activity, Scene};
use crate::tools::run;

const KEY: &str = "testkey";
const SECRET: &str = "testsecret";
/// Far longer than a gateway takes to start.
const START_TIME_MAX: Duration = Duration::from_mins(2);
/// Time between two looks of a host that is at rest for another one, and more.
const LOOK_TIME: Duration = Duration::from_secs(6);
/// Pools of a gateway, which would make them itself with more parts than one storage server takes.
const POOLS: &[&str] = &[
    ".rgw.root",
    "default.rgw.log",
    "default.rgw.control",
    "default.rgw.meta",
    "default.rgw.buckets.index",
    "default.rgw.buckets.non-ec",
    "default.rgw.buckets.data",
];

/// Two gateways of a cluster, with a user. They are killed when it is dropped.
pub(crate) struct Gateways {
    pub(crate) urls: Vec<String>,
    servers: Vec<Child>,
}

impl Gateways {
    pub(crate) fn start(cluster: &Cluster) -> Self {
        for pool in POOLS {
            cluster.ceph(&["osd", "pool", "create", pool, "8"]);
            cluster.ceph(&["osd", "pool", "application", "enable", pool, "rgw"]);
        }
        let keys = [format!("--access-key={KEY}"), format!("--secret-key={SECRET}")];
        let user =
            ["-c", &cluster.conf, "user", "create", "--uid=test", "--display-name=test", &keys[0], &keys[1]];
        run("radosgw-admin", &user);
        let mut gateways = Self { urls: Vec::new(), servers: Vec::new() };
        for number in 0..2 {
            let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
            let address = listener.local_addr().expect("it is bound");
            drop(listener);
            let mut command = Command::new("radosgw");
            command.args(["-c", &cluster.conf, "-n", &format!("client.rgw.{number}"), "-f"]);
            // Its own default needs a cluster that does not trust every client.
            command.arg("--ms-mon-client-mode=crc");
            command.arg(format!("--rgw-frontends=beast endpoint={address}"));
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            gateways.servers.push(command.spawn().expect("radosgw is installed"));
            gateways.urls.push(format!("http://{address}"));
        }
        let until = Instant::now() + START_TIME_MAX;
        for (url, server) in gateways.urls.iter().zip(&mut gateways.servers) {
            while !curl_succeeds(&["--max-time", "5", url]) {
                let ended = server.try_wait().expect("it is our child");
                assert!(ended.is_none(), "a gateway ended: {ended:?}");
                assert!(Instant::now() < until, "the gateway at {url} does not answer");
            }
        }
        gateways
    }

    /// Changes the bucket or a setting of it.
    fn put(&self, path: &str, body: &str) {
        let user = format!("{KEY}:{SECRET}");
        let signed = [
            "--aws-sigv4",
            "aws:amz:default:s3",
            "--user",
            &user,
            "-H",
            "x-amz-content-sha256: UNSIGNED-PAYLOAD",
        ];
        let url = format!("{}/{path}", self.urls[0]);
        run(
            "curl",
            &[&["--silent", "--fail", "--request", "PUT", "--data-binary", body, &url][..], &signed].concat(),
        );
    }

    fn options(&self, host: &Host, bucket: &str, secret: &str) -> StoreOptions {
        let path = host.text(&format!("keys-{secret}"));
        fs::write(&path, format!("aws_access_key_id = {KEY}\naws_secret_access_key = {secret}\n"))
            .expect("the folder is ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
        let mut options = StoreOptions::new(format!("s3://{bucket}/some/prefix"));
        options.endpoints.clone_from(&self.urls);
        options.region = Some("default".to_owned());
        options.credentials = Some(path.into());
        options
    }
}

impl Drop for Gateways {
    fn drop(&mut self) {
        for server in &mut self.servers {
            // Fails only if it has ended.
            server.kill().unwrap_or(());
            server.wait().expect("it is our child");
        }
    }
}

fn curl_succeeds(words: &[&str]) -> bool {
    let mut command = Command::new("curl");
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("curl is installed").success()
}

#[test]
fn ceph_keeps_the_contract_of_a_store_also_with_one_gateway_killed() {
    let host = Host::new();
    let cluster = Cluster::start(&host);
    let mut gateways = Gateways::start(&cluster);
    gateways.put("disks", "");
    gateways.put("volumes", "");
    let client = Client::open(&gateways.options(&host, "disks", SECRET)).expect("the options are right");
    assert_eq!(wait(probe(&client)).expect("it keeps its promises").warnings, Vec::<String>::new());
    contract::test(&client);

    let enabled = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Status>Enabled</Status>\
                   </VersioningConfiguration>";
    gateways.put("disks?versioning=", enabled);
    let error = wait(probe(&client)).expect_err("with versioning, its creates are not exclusive");
    assert!(error.reason.contains("lets 32 of 32") && error.reason.contains("old versions"), "{error}");

    let stranger =
        Client::open(&gateways.options(&host, "disks", "anothersecret")).expect("the options are right");
    let error = wait(stranger.get("a", None)).expect_err("the key is wrong");
    assert!(
        error.kind == StoreErrorKind::Denied && error.reason.contains("The secret key is wrong"),
        "{error}"
    );
    let nowhere = Client::open(&gateways.options(&host, "nowhere", SECRET)).expect("the options are right");
    let error = wait(nowhere.create("a", Bytes::new())).expect_err("there is no such bucket");
    assert!(error.kind == StoreErrorKind::Invalid && error.reason.contains("no such bucket"), "{error}");

    gateways.servers[0].kill().expect("it runs");
    gateways.servers[0].wait().expect("it is our child");
    for number in 0..20 {
        let create = || wait(client.create(&format!("after/{number}"), Bytes::from_static(b"x")));
        match create() {
            // It went to a connection that the killed gateway had: whether that did it is not known.
            Err(error) if error.kind == StoreErrorKind::Unreachable => {
                let again = create();
                assert!(
                    again.as_ref().map_or_else(|error| error.kind == StoreErrorKind::Exists, |()| true),
                    "{again:?}"
                );
            }
            result => assert_eq!(result, Ok(())),
        }
    }
    assert_eq!(wait(client.list("after/", None)).map(|names| names.len()), Ok(20));

    serve_disk(&host, &gateways);
}

#[test]
fn hosts_that_stop_change_nothing_of_volumes_in_a_bucket_that_they_lost() {
    let host = Host::new();
    let cluster = Cluster::start(&host);
    let gateways = Gateways::start(&cluster);
    gateways.put("stopped", "");
    let options = gateways.options(&host, "stopped", SECRET);
    std::thread::scope(|scope| {
        for activity in [Activity::Idle, Activity::Dirty, Activity::InGroup] {
            let (host, options) = (&host, options.clone());
            scope.spawn(move || {
                let name = format!("{activity:?}");
                let options = StoreOptions { url: format!("s3://stopped/{name}"), ..options };
                let config = host.text(&format!("{name}.toml"));
                fs::write(&config, configuration(&options)).expect("the folder is ours");
                let client = Client::open(&options).expect("the options are right");
                let stop_time = LOOK_TIME;
                Scene { config: &config, client: &client, activity, stop_time, is_putting: &|| true }.play();
            });
        }
    });
}

/// Returns the configuration of a host with the store `cold`.
fn configuration(options: &StoreOptions) -> String {
    let StoreOptions { url, endpoints, credentials, .. } = options;
    let credentials = credentials.as_ref().expect("there is a file");
    format!(
        "[store.cold]\nurl = \"{url}\"\nendpoints = {endpoints:?}\nregion = \"default\"\ncredentials = \"{}\"\n",
        credentials.display()
    )
}

/// Serves a disk from a volume in a bucket, of whose two gateways one is gone, on two hosts, of which the first one dies.
fn serve_disk(host: &Host, gateways: &Gateways) {
    let other = Host::new();
    let config = host.text("forebay.toml");
    let options = gateways.options(host, "volumes", SECRET);
    fs::write(&config, configuration(&options)).expect("the folder is ours");
    let serve = |host: &Host| host.serve_with(&["--config", &config]);
    let (one, two) = (serve(host), serve(&other));
    let on_volume = |command: &str, more: &[&str], daemon: &Daemon| {
        let words = [&["volume", command, "cold/a"], more, &["--config", &config]].concat();
        daemon.run(&words).succeeded()
    };
    on_volume("create", &["64MiB"], &one);
    let add = ["disk", "add", "a", "--backing", "volume:cold/a"];
    one.run(&add).succeeded();
    let page = |at: u64| vec![1 + (at % 250) as u8; 4096];
    let mut guest = one.guest("a");
    for at in 0..3000 {
        guest.write(at * 4096, &page(at)).expect("it is served");
    }
    patience::until(|| one.disk("a")["dirty_bytes"] == 0);
    one.kill();
    assert!(two.run(&add).failed().contains("forebay volume fence"), "the first host has it");
    on_volume("fence", &[], &two);
    two.run(&add).succeeded();
    let mut guest = two.guest("a");
    for at in (0..3000).step_by(60) {
        let found = guest.read(at * 4096, 60 * 4096).expect("it is served");
        let expected: Vec<u8> = (at..at + 60).flat_map(page).collect();
        assert!(found == expected, "pages from {at} on");
    }
    drop(guest);
    two.run(&["disk", "remove", "a"]).succeeded();
    let checked = on_volume("check", &[], &two);
    assert!(checked.contains("11.7MiB") && checked.contains("nothing"), "{checked}");
    on_volume("delete", &[], &two);
}
