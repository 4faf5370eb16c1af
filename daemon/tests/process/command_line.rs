//! Exit statuses, documents, and output that is printed for copying.

use std::os::unix::net::UnixDatagram;
use std::process::Command;

use crate::host::{Host, forebay};

const MIB: u64 = 1 << 20;

#[test]
fn wrong_usage_is_status_2_and_help_is_status_0() {
    for words in [
        &["frobnicate"][..],
        &["disk"],
        &["disk", "add", "a"],
        &["disk", "set", "a"],
        &["disk", "set", "a", "mode"],
        &["disk", "show", "a", "--connect", "--lost"],
        &["serve", "--pool-size", "many"],
        &["serve", "--listen-http", "here"],
        &["serve", "--listen-nbd", "here"],
        &["serve", "--nbd-tls", "on"],
        &["serve", "--nbd-allow", "10.0.0.1/8"],
    ] {
        let ran = forebay(words);
        assert_eq!(ran.status, 2, "{words:?}: {ran:?}");
        assert!(ran.stderr.starts_with("error: ") || ran.stderr.contains("Usage:"), "{ran:?}");
    }
    for words in [&["--help"][..], &["disk", "set", "--help"], &["serve", "--help"]] {
        forebay(words).succeeded();
    }
    assert!(forebay(&["serve", "--help"]).succeeded().contains("run-dir = \"/run/forebay\""));
}

#[test]
fn the_version_is_followed_by_the_commit_or_says_that_it_is_a_debug_build() {
    let version = forebay(&["--version"]).succeeded();
    let build = version.trim_end().strip_prefix(concat!("forebay ", env!("CARGO_PKG_VERSION"), " ("));
    let build = build.and_then(|rest| rest.strip_suffix(')')).expect("a build in brackets");
    // Packagers name the commit in their own way.
    let is_told = if cfg!(debug_assertions) { build == "debug build" } else { !build.is_empty() };
    assert!(is_told, "{version}");
}

#[test]
fn without_a_daemon_commands_say_how_to_start_one() {
    let host = Host::new();
    let socket = host.text("control.sock");
    for words in [&["disk", "list"][..], &["pool", "show"], &["stats"], &["disk", "remove", "a"]] {
        let mut words = words.to_vec();
        words.extend(["--socket", &socket]);
        let message = forebay(&words).failed();
        assert!(message.contains(&socket) && message.contains("forebay serve"), "{message}");
    }
}

#[test]
fn statistics_have_every_documented_key() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let document = daemon.json(&["stats"]);
    let disk = &document["disks"][0];
    let keys = "name mode state size_bytes block_bytes reserve_bytes limit_bytes \
        reads writes flushes discards read_bytes write_bytes \
        read_hits_ram read_hits_flash read_partial_hits read_misses reads_bypassed reads_balanced \
        write_hits write_misses writes_bypassed hit_ratio \
        cached_bytes dirty_bytes ram_bytes blocks_max blocks_cached evictions evict_blocks_per_op promotions \
        flash_read_bytes flash_write_bytes flash_write_amplification flash_write_bytes_per_hit promotions_held_back \
        backing_reads backing_writes backing_read_bytes backing_write_bytes \
        destage_bytes destage_bytes_per_second dirty_for_seconds checksum_errors flash_errors backing_errors";
    for key in keys.split_whitespace() {
        assert!(disk.get(key).is_some(), "{key} is missing: {disk}");
    }
    for class in ["read_hit_ram", "read_hit_flash", "read_miss", "write", "flush", "destage"] {
        for key in ["count", "mean", "p50", "p95", "p99", "p999", "max"] {
            assert!(disk["latency_us"][class].get(key).is_some(), "{class} {key} is missing: {disk}");
        }
    }
    assert_eq!(disk["hit_ratio"], serde_json::Value::Null, "no reads, no ratio");
    assert!(daemon.run(&["stats", "--all"]).succeeded().contains("BACKING READS"));
    let table = daemon.run(&["stats"]).succeeded();
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(daemon.run(&["pool", "show"]).succeeded().contains("64MiB"));
}

#[test]
fn the_lines_to_connect_name_this_disk_and_its_socket() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "web", "--backing", &image]).succeeded();
    let sockets = [daemon.nbd_socket("web"), daemon.vhost_socket("web")];
    let [nbd, vhost_user] = sockets.each_ref().map(|path| path.to_str().expect("a plain name"));
    let connect = |more: &[&str]| {
        let words = [&["disk", "show", "web", "--connect"], more].concat();
        daemon.run(&words).succeeded()
    };
    for (client, parts) in [
        (&["qemu"][..], &["-chardev socket,id=web,path=", vhost_user, "reconnect"][..]),
        (&["qemu", "--door", "nbd"], &["reconnect-delay\":60", nbd, "serial=web"]),
        (&["libvirt"], &["<source type='unix' path='", vhost_user]),
        (&["proxmox"], &["qm set 100 --args"]),
        (&["cloud-hypervisor"], &["vhost_user=true"]),
        (&["fio"], &["nbd+unix:///web?socket="]),
        (&["libnbd"], &["nbdcopy"]),
        (&[], &["nbd-client", "cloud-hypervisor", "serial=web"]),
    ] {
        let lines = connect(client);
        assert!(
            parts.iter().all(|part| lines.contains(part)),
            "{client:?}: {parts:?} are missing in:\n{lines}"
        );
    }
    let unknown = daemon.run(&["disk", "show", "web", "--connect", "vmware"]);
    assert!(unknown.status == 2 && unknown.stderr.contains("libvirt"), "{unknown:?}");
    let document = daemon.json(&["disk", "show", "web", "--connect"]);
    let forms = document["connect"]["forms"].as_array().expect("a list");
    for form in forms {
        let (copied, door) =
            (form["lines"].as_str().expect("it is text"), form["door"].as_str().expect("a door"));
        let lines = connect(&[form["name"].as_str().expect("a client"), "--door", door]);
        assert!(!copied.is_empty() && lines.contains(copied), "{form} is not among:\n{lines}");
    }
    let one = daemon.json(&["disk", "show", "web", "--connect", "fio"]);
    assert_eq!(one["connect"]["forms"].as_array().map(Vec::len), Some(1), "{one}");
    let doors: Vec<_> = forms.iter().map(|form| (&form["client"], &form["door"])).collect();
    for door in ["vhost-user", "nbd"] {
        assert!(doors.contains(&(&"Cloud Hypervisor".into(), &door.into())), "{doors:?}");
    }
    let missing = daemon.run(&["disk", "show", "nowhere", "--connect"]).failed();
    assert!(missing.contains("nowhere"), "{missing}");
}

#[test]
fn a_configuration_file_sets_what_options_do_and_options_go_before_it() {
    let host = Host::new();
    let text = format!(
        "dir = \"{}\"\nlog = \"warn\"\n[pool]\nfile = \"{}\"\nsize = \"64MiB\"\n",
        host.text("elsewhere"),
        host.text("pool.img")
    );
    std::fs::write(host.path("f.toml"), text).expect("the folder is ours");
    let daemon = host.serve_with(&["--config", &host.text("f.toml")]);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["path"], host.text("pool.img"));
    assert!(!host.path("elsewhere").exists(), "--dir goes before the file");
}

#[test]
fn a_service_manager_is_told_when_disks_are_served_and_when_they_end() {
    let host = Host::new();
    let path = host.path("notify");
    let manager = UnixDatagram::bind(&path).expect("the folder is ours");
    let daemon = host.serve_for_manager(&path);
    let told = || {
        let mut bytes = [0; 512];
        let length = manager.recv(&mut bytes).expect("it is our socket");
        String::from_utf8(bytes[..length].to_vec()).expect("it is text")
    };
    assert_eq!(told(), "READY=1\nSTATUS=0 disks served, 0 waiting");
    let image = host.image("a.img", MIB);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert_eq!(told(), "STATUS=1 disks served, 0 waiting");
    assert!(daemon.stop().success());
    assert!(told().starts_with("STOPPING=1\n"));
}

#[test]
fn a_report_compares_what_hits_took_with_what_the_backing_took() {
    let host = Host::new();
    host.image("a.img", MIB);
    let daemon = host.serve();
    let backing = format!("model:hdd-15k:{}", host.text("a.img"));
    daemon.run(&["disk", "add", "a", "--backing", &backing]).succeeded();
    assert!(daemon.run(&["report", "a"]).succeeded().contains("was not read since"));
    let mut guest = daemon.guest("a");
    for _ in 0..20 {
        guest.read(64 << 10, 4096).expect("the disk is served");
    }
    let report = &daemon.json(&["report", "a"])["report"];
    assert_eq!((&report["reads"], &report["measured_backing_reads"]), (&20.into(), &1.into()));
    assert_eq!(report["hit_ratio"], 0.95);
    assert!(report["times_faster"].is_f64(), "both sides were measured: {report}");
    assert!(daemon.run(&["report", "a"]).succeeded().contains("95.0 %"));
    assert!(daemon.run(&["report", "b"]).failed().contains("There is no disk 'b'"));
}

/// Script that has bash complete a line, as if Tab was pressed at its end. Bash splits words at = and : in it.
const COMPLETE: &str = r#"
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_forebay "$3" "${COMP_LINE##*[ =:]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

#[test]
fn bash_completes_disks_keys_values_and_devices() {
    let host = Host::new();
    let (image, daemon) = (host.image("a.img", MIB), host.serve());
    daemon.run(&["disk", "add", "web1", "--backing", &image]).succeeded();
    daemon.run(&["disk", "add", "web2", "--backing", &host.image("b.img", MIB)]).succeeded();
    let folder = host.text("generated");
    forebay(&["generate", &folder]).succeeded();
    let complete = |socket: &str, line: &str| {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", COMPLETE, "bash", &format!("{folder}/completions/forebay.bash"), line]);
        bash.arg(env!("CARGO_BIN_EXE_forebay")).env("FOREBAY_SOCKET", socket);
        let ran = bash.output().expect("bash is there");
        let text = String::from_utf8(ran.stdout).expect("names are text");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let socket = daemon.control_socket().display().to_string();
    let at = |line: &str| complete(&socket, line);
    assert_eq!(at("forebay disk show "), ["web1", "web2"]);
    assert_eq!(at("forebay disk set web2 mod"), ["mode="]);
    assert_eq!(at("forebay disk set web2 ram=1GiB mode=write-b"), ["write-back"]);
    assert_eq!(at("forebay pool remove "), [host.text("pool.img")]);
    assert_eq!(at("forebay disk destage web1 --st"), ["--stop"]);
    // The folder of this line has what a path is completed to.
    assert_eq!(
        at(&format!("forebay disk add c --backing {}", image.trim_end_matches("img"))),
        [image.as_str()]
    );
    // Without a daemon the list is shorter, and nothing is printed between it.
    assert_eq!(complete("/nowhere.sock", "forebay disk show w"), [""]);
}
