//! Disks over TCP with TLS: certificates made as in the documentation, the usual tools, and refused clients.

use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;

use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, socket};

use crate::host::{Daemon, Host};
use crate::tools::{Background, assert_same_content, run, run_fails};

const MIB: u64 = 1 << 20;
const PAGE: &str = include_str!("../../../docs/nbd-tcp.md");

/// Makes an authority, and certificates of it for a server and a client, with the commands of the
/// documentation. The folder `name` then has `server`, `client`, and `stranger`, with the authority and no
/// certificate.
fn certificates(host: &Host, name: &str) {
    fs::create_dir(host.path(name)).expect("the folder is ours");
    let blocks = PAGE.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<&str> = blocks.filter(|block| block.contains("openssl req")).collect();
    assert_eq!(commands.len(), 3, "an authority, a server, a client");
    let commands = commands.join("\n").replace("IP:10.0.0.5", "IP:127.0.0.1");
    let sort = "mkdir server client stranger\n\
                for dir in server client stranger; do cp ca-cert.pem $dir; done\n\
                mv server-*.pem server\nmv client-*.pem client\n";
    let script = format!("set -e\n{commands}\n{sort}");
    let (succeeded, text) = Background::start("sh", &["-c", &script], &host.path(name)).wait();
    assert!(succeeded, "{text}");
}

/// Starts a daemon that requires TLS, with the disk `web1` of 64 MiB.
fn serve(host: &Host, more: &[&str]) -> (Daemon, Address) {
    let (pool, dir) = (host.text("pool.img"), host.text("tls"));
    let mut options = vec!["--pool", &pool, "--pool-size", "64MiB", "--listen-nbd", "127.0.0.1:0"];
    options.extend(["--nbd-tls", "require", "--nbd-tls-dir", &dir]);
    options.extend(more);
    let daemon = host.serve_with(&options);
    let image = host.image("a.img", 64 * MIB);
    daemon.run(&["disk", "add", "web1", "--backing", &image]).succeeded();
    let address = Address::of(&daemon);
    (daemon, address)
}

/// Address at which a daemon serves NBD over TCP.
struct Address {
    scheme: String,
    port: u16,
}

impl Address {
    fn of(daemon: &Daemon) -> Self {
        let uri = daemon.announcement.split([' ', ',', '\n']).find(|word| word.starts_with("nbd"));
        let (scheme, rest) = uri.and_then(|uri| uri.split_once("://127.0.0.1:")).expect("it says where");
        let port = rest.trim_end_matches('/').parse().expect("a port");
        Self { scheme: scheme.to_owned(), port }
    }

    fn uri(&self, folder: &str) -> String {
        let Self { scheme, port } = self;
        assert_eq!(scheme, "nbds");
        format!("nbds://127.0.0.1:{port}/web1?tls-certificates={folder}")
    }

    fn plain(&self) -> String {
        format!("nbd://127.0.0.1:{}/web1", self.port)
    }

    fn options(&self, credentials: &str) -> String {
        format!("driver=nbd,host=127.0.0.1,port={},export=web1{credentials}", self.port)
    }
}

fn credentials(folder: &str) -> String {
    format!("tls-creds-x509,id=tls0,dir={folder},endpoint=client")
}

#[test]
fn tls_certificates_made_as_the_page_says_serve_the_tools_of_libnbd_and_qemu() {
    let host = Host::new();
    certificates(&host, "ours");
    fs::rename(host.path("ours/server"), host.path("tls")).expect("the folder is ours");
    let (daemon, address) = serve(&host, &["--nbd-allow", "127.0.0.1/32"]);
    let folder = host.text("ours/client");
    let uri = address.uri(&folder);
    let told = run("nbdinfo", &[&uri]);
    assert!(told.contains("with TLS") && told.contains("export-size: 67108864"), "{told}");

    // Data in, through TLS; back through TLS, and without it from the image.
    let source = host.text("source.img");
    run("dd", &["if=/dev/urandom", &format!("of={source}"), "bs=1M", "count=64", "status=none"]);
    run("nbdcopy", &[&source, &uri]);
    let copy = host.text("copy.img");
    run("nbdcopy", &[&uri, &copy]);
    assert_same_content(&source, &copy);
    assert_same_content(&source, &crate::tools::uri(&daemon, "web1"));

    let (object, options) = (credentials(&folder), address.options(",tls-creds=tls0"));
    let told = run("qemu-img", &["info", "--object", &object, "--image-opts", &options]);
    assert!(told.contains("67108864 bytes"), "{told}");
    let mut words = vec!["--object", &object, "--image-opts", &options];
    for command in ["write -P 7 12345 3M", "flush", "read -P 7 12345 3M", "write -z 0 1M", "read -P 0 0 1M"] {
        words.extend(["-c", command]);
    }
    let told = run("qemu-io", &words);
    assert!(!told.contains("Pattern verification failed"), "{told}");

    // The lines to copy have this address; only the folder of the certificates is another one here.
    let shown = ["qemu-img", "libnbd"].map(|client| {
        let words = ["disk", "show", "web1", "--connect", client, "--door", "nbd-tcp"];
        daemon.run(&words).succeeded()
    });
    let shown = shown.concat();
    let line = |start: &str| {
        let line = shown.lines().find(|line| line.starts_with(start) && line.contains("127.0.0.1"));
        let line = line.unwrap_or_else(|| panic!("no line of {start}:\n{shown}"));
        line.replace("/etc/pki/qemu", &folder).replace("/etc/pki/libnbd", &folder)
    };
    for start in ["qemu-img info", "nbdinfo"] {
        let told = run("sh", &["-c", &line(start)]);
        assert!(told.contains("67108864"), "{told}");
    }
    assert_eq!(daemon.disk("web1")["nbd_uri"], address.uri("").split('?').next().expect("a part"));
}

#[test]
fn tls_clients_that_lack_what_is_demanded_get_nothing() {
    let host = Host::new();
    certificates(&host, "ours");
    certificates(&host, "others");
    fs::rename(host.path("ours/server"), host.path("tls")).expect("the folder is ours");
    let (daemon, address) = serve(&host, &["--nbd-allow", "127.0.0.1/32"]);

    // In clear text.
    let told = run_fails("nbdinfo", &[&address.plain()]);
    assert!(told.contains("server replied with error"), "{told}");
    let told = run_fails("qemu-img", &["info", "--image-opts", &address.options("")]);
    assert!(told.contains("TLS negotiation required"), "{told}");
    // With no certificate, with one of another authority, and with an authority that is not the server's.
    fs::create_dir(host.path("mixed")).expect("the folder is ours");
    fs::copy(host.path("ours/client/ca-cert.pem"), host.path("mixed/ca-cert.pem")).expect("it was made");
    for name in ["client-cert.pem", "client-key.pem"] {
        fs::copy(host.path("others/client").join(name), host.path("mixed").join(name)).expect("it was made");
    }
    for folder in ["ours/stranger", "mixed", "others/client"] {
        let folder = host.text(folder);
        run_fails("nbdinfo", &[&address.uri(&folder)]);
        let (object, options) = (credentials(&folder), address.options(",tls-creds=tls0"));
        run_fails("qemu-img", &["info", "--object", &object, "--image-opts", &options]);
    }
    daemon.wait_for_log("sent away in its handshake (It shows no certificate");

    // From an address that is not on the list: closed before a greeting.
    let from = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).expect("a socket");
    let [source, target] = [([127, 0, 0, 2], 0), ([127, 0, 0, 1], address.port)]
        .map(|(ip, port)| SockaddrIn::from(SocketAddrV4::new(Ipv4Addr::from(ip), port)));
    bind(from.as_raw_fd(), &source).expect("all of 127.0.0.0/8 is this host");
    connect(from.as_raw_fd(), &target).expect("it is listened on");
    let mut all = Vec::new();
    // A reset is an end as well.
    TcpStream::from(from).read_to_end(&mut all).unwrap_or(0);
    assert!(all.is_empty(), "not even a greeting");
    daemon.wait_for_log("Refused an NBD connection from 127.0.0.2");
    run("nbdinfo", &[&address.uri(&host.text("ours/client"))]);
    assert_eq!(daemon.disk("web1")["state"], "serving");
}

#[test]
fn tls_that_is_off_is_refused_and_clear_text_serves() {
    let host = Host::new();
    certificates(&host, "ours");
    let pool = host.text("pool.img");
    let daemon = host.serve_with(&["--pool", &pool, "--pool-size", "64MiB", "--listen-nbd", "127.0.0.1:0"]);
    let image = host.image("a.img", 64 * MIB);
    daemon.run(&["disk", "add", "web1", "--backing", &image]).succeeded();
    let address = Address::of(&daemon);
    assert_eq!(address.scheme, "nbd");
    let told = run("nbdinfo", &[&address.plain()]);
    assert!(told.contains("without TLS"), "{told}");
    let told = run("nbdinfo", &["--list", &format!("nbd://127.0.0.1:{}/", address.port)]);
    assert!(told.contains("export=\"web1\""), "{told}");
    let (object, options) = (credentials(&host.text("ours/client")), address.options(",tls-creds=tls0"));
    let told = run_fails("qemu-img", &["info", "--object", &object, "--image-opts", &options]);
    assert!(told.contains("STARTTLS") || told.contains("starttls") || told.contains("TLS"), "{told}");
    // No disk without its name.
    run_fails("nbdinfo", &[&format!("nbd://127.0.0.1:{}/", address.port)]);
}

#[test]
fn tls_certificates_that_are_renewed_are_taken_up_without_a_word_and_broken_ones_are_not() {
    let host = Host::new();
    certificates(&host, "old");
    certificates(&host, "new");
    fs::create_dir(host.path("tls")).expect("the folder is ours");
    let put = |from: &str| {
        for name in ["ca-cert.pem", "server-cert.pem", "server-key.pem"] {
            fs::copy(host.path(from).join("server").join(name), host.path("tls/next")).expect("it was made");
            fs::rename(host.path("tls/next"), host.path("tls").join(name)).expect("the folder is ours");
        }
    };
    put("old");
    let (daemon, address) = serve(&host, &[]);
    let [old, new] = ["old/client", "new/client"].map(|folder| address.uri(&host.text(folder)));
    run("nbdinfo", &[&old]);
    run_fails("nbdinfo", &[&new]);
    put("new");
    run("nbdinfo", &[&new]);
    run_fails("nbdinfo", &[&old]);
    daemon.wait_for_log("have changed; new connections get them");
    fs::write(host.path("tls/server-cert.pem"), "no certificate").expect("the folder is ours");
    run("nbdinfo", &[&new]);
    let line = daemon.wait_for_log("Cannot use the changed certificates");
    assert!(line.contains("server-cert.pem is unfit"), "{line}");
}

#[test]
fn tls_that_cannot_be_as_it_is_asked_for_keeps_the_daemon_from_starting() {
    let host = Host::new();
    certificates(&host, "ours");
    let dir = host.text("ours/server");
    let tls = ["--listen-nbd", "127.0.0.1:0", "--nbd-tls", "require", "--nbd-tls-dir"];
    let refused = |dir: &str| host.serve_fails(&[&tls[..], &[dir]].concat());
    assert!(refused(&host.text("nowhere")).contains("server-cert.pem is not there"));
    let key = host.path("ours/server/server-key.pem");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("the file is ours");
    let message = refused(&dir);
    assert!(message.contains("mode 0644") && message.contains("chmod o= "), "{message}");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("the file is ours");
    fs::write(host.path("ours/server/ca-cert.pem"), "").expect("the file is ours");
    assert!(refused(&dir).contains("ca-cert.pem is unfit"));
    fs::remove_file(host.path("ours/server/ca-cert.pem")).expect("the file is ours");
    let demanding = ["--listen-nbd", "127.0.0.1:0", "--nbd-tls", "require-certificates", "--nbd-tls-dir"];
    let message = host.serve_fails(&[&demanding[..], &[&dir]].concat());
    assert!(
        message.contains("ca-cert.pem is not there") && message.contains("require-certificates"),
        "{message}"
    );
    assert!(host.serve_fails(&["--nbd-tls", "require"]).contains("--listen-nbd"));
    assert!(!host.path("d/pool.img").exists(), "nothing was made before that was known");
}
