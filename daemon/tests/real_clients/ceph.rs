//! A Ceph cluster of one monitor, and of one storage server or more, on loopback and in RAM, for as long as a test takes. One of one
//! storage server trusts every client, one of several knows its users.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::host::Host;
use crate::tools::run;

/// Far longer than a start takes.
const START_TIME_MAX: Duration = Duration::from_mins(2);
/// Pool for images.
pub(crate) const POOL: &str = "vms";
/// Pool for the data of images, in an erasure code; of clusters that have one.
pub(crate) const DATA_POOL: &str = "vms-data";
/// Storage servers for an erasure code of three data chunks and a coding chunk.
const ERASURE_SERVERS: u32 = 4;

/// Returns a name that nothing else has.
fn unique_id() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/uuid").expect("the kernel makes names");
    id.trim().to_owned()
}

/// Clients that a cluster accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    /// Every one, as any user.
    Trusted,
    /// Those with the key of their user, with the rights of that (cephx).
    Known,
}

/// A running cluster. Its processes are killed when it is dropped.
pub(crate) struct Cluster {
    /// Path of its configuration.
    pub(crate) conf: String,
    users: Users,
    servers: Vec<Child>,
    /// The storage servers by their numbers.
    storage: Vec<Pid>,
}

impl Cluster {
    /// Starts a cluster of one storage server in the folder of `host`.
    pub(crate) fn start(host: &Host) -> Self {
        let mut cluster = Self::start_monitored(host, Users::Trusted);
        cluster.start_storage(1);
        cluster.make_pool();
        cluster
    }

    /// Starts one of four storage servers, with the pool [`DATA_POOL`], and a manager, which enforces quotas.
    pub(crate) fn start_erasure_coded(host: &Host) -> Self {
        let mut cluster = Self::start_monitored(host, Users::Known);
        cluster.make_key("mgr.one", &["mon", "allow profile mgr", "osd", "allow *"], "mgr");
        cluster.serve("ceph-mgr", "one");
        cluster.start_storage(ERASURE_SERVERS);
        cluster.make_pool();
        cluster.ceph(&["osd", "pool", "set", POOL, "size", "2"]);
        let profile = ["k=3", "m=1", "crush-failure-domain=osd"];
        cluster.ceph(&[&["osd", "erasure-code-profile", "set", "three-and-one"][..], &profile].concat());
        cluster.ceph(&["osd", "pool", "create", DATA_POOL, "8", "8", "erasure", "three-and-one"]);
        cluster.ceph(&["osd", "pool", "set", DATA_POOL, "allow_ec_overwrites", "true"]);
        cluster.ceph(&["osd", "pool", "application", "enable", DATA_POOL, "rbd"]);
        cluster
    }

    fn start_monitored(host: &Host, users: Users) -> Self {
        let folder = host.text("ceph");
        for part in ["", "mon", "mgr"] {
            fs::create_dir(Path::new(&folder).join(part)).expect("the folder is ours");
        }
        let conf = format!("{folder}/ceph.conf");
        let id = unique_id();
        let mut cluster = Self { conf, users, servers: Vec::new(), storage: Vec::new() };
        cluster.write_conf(&folder, &id);
        cluster.start_monitor(&folder, &id);
        cluster
    }

    fn make_pool(&self) {
        self.ceph(&["osd", "pool", "create", POOL, "8"]);
        self.ceph(&["osd", "pool", "application", "enable", POOL, "rbd"]);
    }

    fn write_conf(&self, folder: &str, id: &str) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let options = [
            ("fsid", id.to_owned()),
            ("mon host", format!("v2:127.0.0.1:{port}")),
            ("mon initial members", "one".to_owned()),
            ("mon data", format!("{folder}/mon")),
            ("mgr data", format!("{folder}/mgr")),
            ("osd data", format!("{folder}/osd-$id")),
            ("run dir", folder.to_owned()),
            ("admin socket", format!("{folder}/$name.$pid.asok")),
            ("log file", format!("{folder}/$name.log")),
            ("mon cluster log file", format!("{folder}/cluster.log")),
            ("keyring", self.keyring(folder, "$name")),
            ("public addr", "127.0.0.1".to_owned()),
            ("cluster addr", "127.0.0.1".to_owned()),
        ];
        let method = if self.users == Users::Known { "cephx" } else { "none" };
        let methods = ["cluster", "service", "client"].map(|of| format!("auth {of} required = {method}\n"));
        let plain = "ms bind msgr1 = false\nosd objectstore = memstore\nmemstore device bytes = 1073741824\n\
                     osd pool default size = 1\nosd pool default min size = 1\nosd pool default pg autoscale mode = off\n\
                     mon data avail crit = 0\nmon data avail warn = 0\nmon allow pool delete = true\n\
                     paxos propose interval = 0.1\nosd crush chooseleaf type = 0\nmon tick interval = 1\nmgr tick period = 1\n\
                     mgr stats period = 1\nmgr initial modules =\nmon debug no require bluestore for ec overwrites = true\n";
        let options = options.map(|(name, value)| format!("{name} = {value}\n")).concat();
        let keyrings = match self.users {
            Users::Trusted => String::new(),
            Users::Known => {
                format!("[mgr]\nkeyring = {folder}/mgr/keyring\n[osd]\nkeyring = {folder}/osd-$id/keyring\n")
            }
        };
        let text = format!("[global]\n{options}{}{plain}{keyrings}", methods.concat());
        fs::write(&self.conf, text).expect("the folder is ours");
    }

    /// Returns the file with the key of a client.
    fn keyring(&self, folder: &str, client: &str) -> String {
        match self.users {
            Users::Trusted => "/dev/null".to_owned(),
            Users::Known => format!("{folder}/ceph.{client}.keyring"),
        }
    }

    /// Makes the keys of the monitor and of the administrator.
    fn make_first_keys(&self, folder: &str) -> String {
        let (keyring, all) = (self.keyring(folder, "client.admin"), "allow *");
        let admin = ["-n", "client.admin", "--cap", "mon", all, "--cap", "osd", all, "--cap", "mgr", all];
        run("ceph-authtool", &[&["--create-keyring", &keyring, "--gen-key"][..], &admin].concat());
        run("ceph-authtool", &[&keyring, "--gen-key", "-n", "mon.", "--cap", "mon", all]);
        keyring
    }

    /// Makes the key of a server, if it needs one, in the folder `place`.
    fn make_key(&self, server: &str, rights: &[&str], place: &str) {
        if self.users == Users::Known {
            let file = Path::new(&self.conf).with_file_name(place).join("keyring");
            let file = file.to_str().expect("temporary folders have plain names");
            self.ceph(&[&["auth", "get-or-create", server][..], rights, &["-o", file]].concat());
        }
    }

    fn start_monitor(&mut self, folder: &str, id: &str) {
        let (map, conf) = (format!("{folder}/map"), self.conf.clone());
        let text = fs::read_to_string(&conf).expect("it was written");
        let address = text.lines().find_map(|line| line.strip_prefix("mon host = ")).expect("it was written");
        run("monmaptool", &["--create", "--fsid", id, "--addv", "one", &format!("[{address}]"), &map]);
        let mut words = vec!["-c", &conf, "-i", "one", "--mkfs", "--monmap", &map];
        let keyring = (self.users == Users::Known).then(|| self.make_first_keys(folder));
        if let Some(keyring) = &keyring {
            words.extend(["--keyring", keyring]);
        }
        run("ceph-mon", &words);
        self.serve("ceph-mon", "one");
        self.wait_until("a quorum", |cluster| cluster.asks(&["mon", "stat"]).is_some());
    }

    fn start_storage(&mut self, servers: u32) {
        let conf = self.conf.clone();
        for number in 0..servers {
            let (id, number) = (unique_id(), number.to_string());
            let folder = Path::new(&conf).with_file_name(format!("osd-{number}"));
            fs::create_dir(&folder).expect("the folder is ours");
            self.ceph(&["osd", "new", &id]);
            let rights = ["mon", "allow profile osd", "mgr", "allow profile osd", "osd", "allow *"];
            self.make_key(&format!("osd.{number}"), &rights, &format!("osd-{number}"));
            run("ceph-osd", &["-c", &conf, "-i", &number, "--mkfs", "--osd-uuid", &id]);
            assert!(folder.join("whoami").exists(), "it made its store");
            let server = self.serve("ceph-osd", &number);
            self.storage.push(server);
        }
        let all_up = format!("{servers} up");
        self.wait_until("its storage servers", |cluster| {
            cluster.asks(&["osd", "stat"]).is_some_and(|text| text.contains(&all_up))
        });
    }

    fn serve(&mut self, program: &str, id: &str) -> Pid {
        let mut command = Command::new(program);
        command.args(["-c", &self.conf, "-i", id, "-f"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| panic!("Cannot run {program}: {error}"));
        let pid = Pid::from_raw(child.id().cast_signed());
        self.servers.push(child);
        pid
    }

    /// Sends a signal to a storage server.
    pub(crate) fn signal_storage(&self, number: usize, signal: Signal) {
        kill(self.storage[number], signal).expect("it is our child and was not waited for");
    }

    fn wait_until(&mut self, what: &str, is_there: impl Fn(&Self) -> bool) {
        let until = Instant::now() + START_TIME_MAX;
        while !is_there(self) {
            let ended =
                self.servers.iter_mut().find_map(|server| server.try_wait().expect("it is our child"));
            assert!(ended.is_none(), "a server of the cluster ended: {ended:?}");
            assert!(Instant::now() < until, "the cluster has not got {what}");
        }
    }

    fn asks(&self, words: &[&str]) -> Option<String> {
        let mut command = Command::new("ceph");
        command.args(["-c", &self.conf, "--connect-timeout", "5"]).args(words);
        let output = command.output().expect("ceph is installed");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs `ceph`.
    pub(crate) fn ceph(&self, words: &[&str]) -> String {
        run("ceph", &[&["-c", &self.conf], words].concat())
    }

    /// Runs `rbd`.
    pub(crate) fn rbd(&self, words: &[&str]) -> String {
        run("rbd", &[&["-c", &self.conf], words].concat())
    }

    /// Returns the location of an image.
    pub(crate) fn location(&self, image: &str) -> String {
        format!("rbd:{POOL}/{image}?conf={}", self.conf)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for server in &mut self.servers {
            // Fails only if it has ended.
            server.kill().unwrap_or(());
            server.wait().expect("it is our child");
        }
    }
}
