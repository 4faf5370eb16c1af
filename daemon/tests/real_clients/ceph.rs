//! A Ceph cluster of one monitor and one storage server, on loopback and in RAM, for as long as a test takes. It trusts every client.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::host::Host;
use crate::tools::run;

/// Far longer than a start takes.
const START_TIME_MAX: Duration = Duration::from_mins(2);
/// Pool for images.
pub(crate) const POOL: &str = "vms";

/// Returns a name that nothing else has.
fn unique_id() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/uuid").expect("the kernel makes names");
    id.trim().to_owned()
}

/// A running cluster. Its processes are killed when it is dropped.
pub(crate) struct Cluster {
    /// Path of its configuration.
    pub(crate) conf: String,
    servers: Vec<Child>,
}

impl Cluster {
    /// Starts a cluster in the folder of `host`.
    pub(crate) fn start(host: &Host) -> Self {
        let folder = host.text("ceph");
        for part in ["", "mon", "osd"] {
            fs::create_dir(Path::new(&folder).join(part)).expect("the folder is ours");
        }
        let conf = format!("{folder}/ceph.conf");
        let id = unique_id();
        let mut cluster = Self { conf, servers: Vec::new() };
        cluster.write_conf(&folder, &id);
        cluster.start_monitor(&folder, &id);
        cluster.start_storage(&folder);
        cluster.ceph(&["osd", "pool", "create", POOL, "8"]);
        cluster.ceph(&["osd", "pool", "application", "enable", POOL, "rbd"]);
        cluster
    }

    fn write_conf(&self, folder: &str, id: &str) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let options = [
            ("fsid", id.to_owned()),
            ("mon host", format!("v2:127.0.0.1:{port}")),
            ("mon initial members", "one".to_owned()),
            ("mon data", format!("{folder}/mon")),
            ("osd data", format!("{folder}/osd")),
            ("run dir", folder.to_owned()),
            ("admin socket", format!("{folder}/$name.$pid.asok")),
            ("log file", format!("{folder}/$name.log")),
            ("mon cluster log file", format!("{folder}/cluster.log")),
            ("keyring", "/dev/null".to_owned()),
            ("public addr", "127.0.0.1".to_owned()),
            ("cluster addr", "127.0.0.1".to_owned()),
        ];
        let plain = "auth cluster required = none\nauth service required = none\nauth client required = none\n\
                     ms bind msgr1 = false\nosd objectstore = memstore\nmemstore device bytes = 1073741824\n\
                     osd pool default size = 1\nosd pool default min size = 1\nosd pool default pg autoscale mode = off\n\
                     mon data avail crit = 0\nmon data avail warn = 0\nmon allow pool delete = true\n\
                     paxos propose interval = 0.1\nosd crush chooseleaf type = 0\n";
        let options = options.map(|(name, value)| format!("{name} = {value}\n")).concat();
        fs::write(&self.conf, format!("[global]\n{options}{plain}")).expect("the folder is ours");
    }

    fn start_monitor(&mut self, folder: &str, id: &str) {
        let (map, conf) = (format!("{folder}/map"), self.conf.clone());
        let text = fs::read_to_string(&conf).expect("it was written");
        let address = text.lines().find_map(|line| line.strip_prefix("mon host = ")).expect("it was written");
        run("monmaptool", &["--create", "--fsid", id, "--addv", "one", &format!("[{address}]"), &map]);
        run("ceph-mon", &["-c", &conf, "-i", "one", "--mkfs", "--monmap", &map]);
        self.serve("ceph-mon", "one");
        self.wait_until("a quorum", |cluster| cluster.asks(&["mon", "stat"]).is_some());
    }

    fn start_storage(&mut self, folder: &str) {
        let conf = self.conf.clone();
        let id = unique_id();
        self.ceph(&["osd", "new", &id]);
        run("ceph-osd", &["-c", &conf, "-i", "0", "--mkfs", "--osd-uuid", &id]);
        assert!(Path::new(folder).join("osd/whoami").exists(), "it made its store");
        self.serve("ceph-osd", "0");
        self.wait_until("a storage server", |cluster| {
            cluster.asks(&["osd", "stat"]).is_some_and(|text| text.contains("1 up"))
        });
    }

    fn serve(&mut self, program: &str, id: &str) {
        let mut command = Command::new(program);
        command.args(["-c", &self.conf, "-i", id, "-f"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.servers.push(command.spawn().unwrap_or_else(|error| panic!("Cannot run {program}: {error}")));
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
