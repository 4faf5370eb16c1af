//! The store by S3, against servers on loopback.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use base::testing::TempDir;
use bytes::Bytes;
use hyper::Method;
use objects::{Client, StoreOptions, probe};
use volume::{Store, StoreError, StoreErrorKind};

use crate::contract::{self, wait};
use crate::fake_s3::{Fault, Objects, Server, xml};

/// Keys as no other text has them.
const KEYS: &str = "[default]\naws_access_key_id = KEYIDKEYID\naws_secret_access_key = SECRETSECRET\n";

struct Keys {
    _dir: TempDir,
    path: PathBuf,
}

fn keys(mode: u32) -> Keys {
    let dir = TempDir::new();
    let path = dir.path().join("keys");
    fs::write(&path, KEYS).expect("the folder is ours");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
    Keys { _dir: dir, path }
}

fn options(keys: &Keys, urls: &[&str]) -> StoreOptions {
    let mut options = StoreOptions::new("s3://disks/some/prefix");
    options.endpoints = urls.iter().map(|&url| url.to_owned()).collect();
    options.credentials = Some(keys.path.clone());
    options
}

fn open(urls: &[&str]) -> Client {
    Client::open(&options(&keys(0o600), urls)).expect("the options are right")
}

/// Returns the error of a create by a server that answers so.
fn create_error(fault: Fault) -> StoreError {
    let server = Server::start(move |_, _| Some(fault.clone()));
    let error =
        wait(open(&[&server.url]).create("a/b", Bytes::from_static(b"x"))).expect_err("it is refused");
    assert!(
        error.to_string().contains("a/b") && error.to_string().contains("s3://disks/some/prefix"),
        "{error}"
    );
    assert!(!error.to_string().contains("SECRET") && !error.to_string().contains("KEYID"), "{error}");
    error
}

#[test]
fn it_keeps_the_contract() {
    let server = Server::start(|_, _| None);
    contract::test(&open(&[&server.url]));
    let objects = server.objects.lock().expect("no panic");
    assert!(objects.keys().all(|key| key.starts_with("some/prefix/")));
}

#[test]
fn it_keeps_the_contract_with_several_endpoints_of_which_one_is_dead() {
    let first = Server::start(|_, _| None);
    let second = Server::with_objects(Objects::clone(&first.objects), |_, _| None);
    contract::test(&open(&[&first.url, "http://127.0.0.1:1", &second.url]));
    assert!(!first.requests().is_empty() && !second.requests().is_empty(), "requests go round");
}

#[test]
fn it_speaks_tls_to_servers_of_a_trusted_authority_only() {
    let (server, certificate) = Server::with_tls();
    let keys = keys(0o600);
    let ca = keys.path.with_file_name("ca.pem");
    fs::write(&ca, certificate).expect("the folder is ours");
    let mut options = options(&keys, &[&server.url]);
    options.ca = Some(ca.clone());
    let client = Client::open(&options).expect("the options are right");
    assert_eq!(wait(client.create("a", vec![7; 300_000].into())), Ok(()));
    assert_eq!(wait(client.get("a", None)), Ok(vec![7; 300_000].into()));

    let (_, other) = Server::with_tls();
    fs::write(&ca, other).expect("the folder is ours");
    let stranger = Client::open(&options).expect("the options are right");
    let error = wait(stranger.get("a", None)).expect_err("the authority is another");
    assert!(error.kind == StoreErrorKind::Unreachable && error.reason.contains("as `ca`"), "{error}");
}

#[test]
fn a_probe_passes_over_a_server_that_is_down_and_says_so() {
    let server = Server::start(|_, _| None);
    // No server has the lowest port.
    let url = "http://127.0.0.1:1".to_owned();
    let report = wait(probe(&open(&[&url, &server.url]))).expect("the other one keeps its promises");
    let [warning] = &report.warnings[..] else { panic!("{report:?}") };
    assert!(warning.starts_with("Endpoint 1 was not tested"), "{warning}");
    assert_eq!(wait(probe(&open(&[&url]))).expect_err("there is no other").kind, StoreErrorKind::Unreachable);
}

#[test]
fn the_probe_passes_and_leaves_nothing() {
    let first = Server::start(|_, _| None);
    let second = Server::with_objects(Objects::clone(&first.objects), |_, _| None);
    let report = wait(probe(&open(&[&first.url, &second.url]))).expect("it keeps its promises");
    assert!(report.warnings.is_empty());
    assert!(first.objects.lock().expect("no panic").is_empty());
    for server in [first, second] {
        let creates = server.requests().iter().filter(|request| request.starts_with("PUT")).count();
        assert!(creates >= 16, "racers use all endpoints: {creates}");
    }
}

#[test]
fn the_probe_warns_of_settings_of_the_bucket() {
    let server = Server::start(|_, path| {
        let text = match path.split_once('?')?.1 {
            "versioning" => "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
            "lifecycle" => {
                "<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>some/</Prefix></Filter><Status>Enabled</Status>\
                 <Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>"
            }
            "object-lock" => return Some(Fault::Status(403, xml("AccessDenied", "no"))),
            _ => return None,
        };
        Some(Fault::Status(200, text.to_owned()))
    });
    let warnings = wait(probe(&open(&[&server.url]))).expect("it keeps its promises").warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("old versions") && warnings[1].contains("lifecycle rule old"),
        "{warnings:?}"
    );
}

#[test]
fn the_probe_fails_at_a_store_that_replaces_objects() {
    let server = Server::start(|_, _| Some(Fault::IgnoreCondition));
    let error = wait(probe(&open(&[&server.url]))).expect_err("it keeps no promise");
    assert_eq!(error.kind, StoreErrorKind::Invalid);
    assert!(error.reason.contains("lets 32 of 32 exclusive creates of one object succeed"), "{error}");
    assert!(server.objects.lock().expect("no panic").is_empty(), "it cleans up");
}

#[test]
fn the_probe_fails_at_endpoints_that_are_not_one_store() {
    let (first, second) = (Server::start(|_, _| None), Server::start(|_, _| None));
    let error = wait(probe(&open(&[&first.url, &second.url]))).expect_err("two hosts would have two stores");
    assert!(error.reason.contains("lets 2 of 32"), "{error}");
}

#[test]
fn the_probe_fails_at_an_endpoint_that_lags() {
    let first = Server::start(|_, _| None);
    let second = Server::with_objects(Objects::clone(&first.objects), |method, _| {
        (method == Method::GET).then(|| Fault::Status(404, xml("NoSuchKey", "no")))
    });
    let error = wait(probe(&open(&[&first.url, &second.url]))).expect_err("it lags");
    assert!(error.reason.contains("does not show an object that was just created"), "{error}");
}

#[test]
fn the_probe_bears_lost_answers_of_creates() {
    let done = std::sync::atomic::AtomicBool::new(false);
    let server = Server::start(move |method, path| {
        let is_race = method == Method::PUT && path.contains("/race");
        (is_race && !done.swap(true, std::sync::atomic::Ordering::Relaxed)).then_some(Fault::AfterWork(500))
    });
    wait(probe(&open(&[&server.url]))).expect("the racer whose answer was lost has won");
}

#[test]
fn ranges_that_a_store_ignores_are_an_error() {
    let server = Server::start(|_, _| Some(Fault::IgnoreRange));
    let client = open(&[&server.url]);
    assert_eq!(wait(client.create("a", Bytes::from_static(b"12345"))), Ok(()));
    assert_eq!(wait(client.get("a", Some(1..3))).expect_err("it answers all").kind, StoreErrorKind::Invalid);
}

#[test]
fn a_create_is_sent_once_if_the_store_may_have_got_it() {
    for fault in [Fault::Status(503, xml("SlowDown", "no")), Fault::AfterWork(500)] {
        let servers = [0, 1].map(|_| {
            let fault = fault.clone();
            Server::start(move |_, _| Some(fault.clone()))
        });
        let client = open(&[&servers[0].url, &servers[1].url]);
        let error = wait(client.create("a", Bytes::from_static(b"x"))).expect_err("no success was answered");
        assert_eq!(error.kind, StoreErrorKind::Unreachable);
        assert_eq!(servers.iter().map(|server| server.requests().len()).sum::<usize>(), 1);
    }
}

#[test]
fn reads_go_on_at_another_endpoint() {
    let good = Server::start(|_, _| None);
    let bad = Server::start(|_, _| Some(Fault::Status(503, xml("ServiceUnavailable", "no"))));
    let client = open(&[&good.url, &bad.url]);
    assert_eq!(
        wait(client.create("a", Bytes::from_static(b"x"))),
        Ok(()),
        "the first endpoint has the first turn"
    );
    for _ in 0..4 {
        assert_eq!(wait(client.get("a", None)), Ok(Bytes::from_static(b"x")));
        assert_eq!(wait(client.list("", None)).map(|names| names.len()), Ok(1));
    }
    assert_eq!(bad.requests().len(), 1, "it is left alone after it failed");
}

#[test]
fn refusals_name_their_reason_and_what_to_do() {
    let expected = [
        ("SignatureDoesNotMatch", "The secret key is wrong"),
        ("InvalidAccessKeyId", "does not know the access key"),
        ("RequestTimeTooSkewed", "clock"),
        ("AccessDenied", "needs the rights"),
    ];
    for (code, advice) in expected {
        let error = create_error(Fault::Status(403, xml(code, "the key KEYIDKEYID is not SECRETSECRET")));
        assert_eq!(error.kind, StoreErrorKind::Denied);
        assert!(error.reason.contains(code) && error.reason.contains(advice), "{error}");
    }
    let error = create_error(Fault::Status(404, xml("NoSuchBucket", "no")));
    assert!(error.kind == StoreErrorKind::Invalid && error.reason.contains("no such bucket"), "{error}");
    assert_eq!(create_error(Fault::Status(507, String::new())).kind, StoreErrorKind::Full);
    assert_eq!(create_error(Fault::Status(403, xml("QuotaExceeded", "no"))).kind, StoreErrorKind::Full);
    assert_eq!(
        create_error(Fault::Status(500, "<html>no</html>".to_owned())).kind,
        StoreErrorKind::Unreachable
    );
}

#[test]
fn an_object_under_lock_is_not_deleted() {
    let server = Server::start(|_, _| {
        Some(Fault::Status(403, xml("AccessDenied", "Object is protected by Object Lock")))
    });
    let error = wait(open(&[&server.url]).delete("a")).expect_err("it is locked");
    assert!(error.kind == StoreErrorKind::Denied && error.reason.contains("without object lock"), "{error}");
}

#[test]
fn a_redirect_names_the_region() {
    let error = create_error(Fault::Redirect(301, "x-amz-bucket-region", "eu-north-1"));
    assert!(error.kind == StoreErrorKind::Invalid && error.reason.contains("region eu-north-1"), "{error}");
    let error = create_error(Fault::Redirect(307, "location", "http://127.0.0.1:1/other"));
    assert!(error.kind == StoreErrorKind::Invalid && error.reason.contains("elsewhere"), "{error}");
}

#[test]
fn a_list_that_is_no_list_is_invalid() {
    let server = Server::start(|_, _| Some(Fault::Status(200, "<html>Welcome</html>".to_owned())));
    let client = open(&[&server.url]);
    let error = wait(client.list("", None)).expect_err("a proxy answers");
    assert!(error.kind == StoreErrorKind::Invalid && error.reason.contains("web page"), "{error}");
    let server = Server::start(|_, _| Some(Fault::Status(200, "Welcome".to_owned())));
    assert_eq!(wait(open(&[&server.url]).list("", None)).expect_err("no XML").kind, StoreErrorKind::Invalid);
}

#[test]
fn a_body_that_is_cut_off_is_an_error_to_try_again() {
    let server = Server::start(|method, _| (method == Method::GET).then_some(Fault::Cut));
    let client = open(&[&server.url]);
    assert_eq!(wait(client.create("a", vec![7; 300_000].into())), Ok(()));
    for range in [None, Some(0..200_000)] {
        let error = wait(client.get("a", range)).expect_err("half of it came");
        assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
    }
    assert_eq!(wait(client.list("", None)).expect_err("half of it came").kind, StoreErrorKind::Unreachable);
}

#[test]
fn a_server_that_does_not_answer_is_unreachable() {
    let server = Server::start(|_, _| Some(Fault::Hang));
    let keys = keys(0o600);
    let mut options = options(&keys, &[&server.url]);
    options.timeout = Duration::from_millis(100);
    let client = Client::open(&options).expect("the options are right");
    let error = wait(client.get("a", None)).expect_err("nothing comes");
    assert!(
        error.kind == StoreErrorKind::Unreachable && error.reason.contains("no answer within 0.1 s"),
        "{error}"
    );
    let error = wait(open(&["http://127.0.0.1:1"]).get("a", None)).expect_err("nobody listens there");
    assert!(error.kind == StoreErrorKind::Unreachable && error.reason.contains("refused"), "{error}");
}

#[test]
fn keys_that_others_may_read_are_refused() {
    let keys = keys(0o640);
    let error = Client::open(&options(&keys, &["http://127.0.0.1:1"])).expect_err("the group may read it");
    assert!(error.kind == StoreErrorKind::Denied && error.reason.contains("chmod 600"), "{error}");
    fs::set_permissions(&keys.path, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(&keys.path, "aws_access_key_id = a\n").expect("it is ours");
    let error = Client::open(&options(&keys, &["http://127.0.0.1:1"])).expect_err("there is one key only");
    assert!(error.reason.contains("aws_secret_access_key"), "{error}");
}

#[test]
fn wrong_options_are_refused() {
    let keys = keys(0o600);
    for endpoint in ["ftp://host", "http://user@host", "http://host/path"] {
        let error = Client::open(&options(&keys, &[endpoint])).expect_err(endpoint);
        assert_eq!(error.kind, StoreErrorKind::Invalid);
    }
    let mut options = options(&keys, &["https://host"]);
    options.ca = Some(keys.path.clone());
    let error = Client::open(&options).expect_err("there is no certificate in it");
    assert!(error.reason.contains("no certificates"), "{error}");
}
