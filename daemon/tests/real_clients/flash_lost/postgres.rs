//! PostgreSQL among the writers, in long forms: its database is made on the host, as a guest would take minutes for that.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use guest::Guest;
use nix::unistd::geteuid;

use crate::host::Host;

/// Folder of Debian with a folder for each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// User of PostgreSQL if this is root, as whom it refuses to run: Debian's `nobody`.
const NOBODY: &str = "65534";
const PROGRAMS: [&str; 3] = ["postgres", "psql", "pg_checksums"];
/// Library of the checks of tables and indexes.
const AMCHECK: &str = "amcheck.so";
/// Folder of libraries if `postgres` is in /usr/bin.
const LIBRARIES_IN_GUEST: &str = "/usr/lib";
/// Everything that protects data has its default: full pages in the log, and commits that wait for it.
const SETTINGS: &str = "
shared_buffers = 8MB
min_wal_size = 2MB
max_wal_size = 16MB
jit = off
huge_pages = off
dynamic_shared_memory_type = mmap
listen_addresses = ''
unix_socket_directories = '/tmp'
timezone = 'GMT'
log_timezone = 'GMT'
";
const TABLE: &str = "create extension amcheck;
create table rows(number bigint primary key, key text, content text);
create index by_key on rows(key);
";

/// An installed PostgreSQL.
pub(super) struct Postgres {
    folder: PathBuf,
    share: PathBuf,
}

impl Postgres {
    /// Returns the newest one of this machine; if it has none, prints that.
    pub(super) fn installed() -> Option<Self> {
        let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let newest = versions.filter_map(|name| name.into_string().ok()?.parse::<u32>().ok()).max();
        let Some(newest) = newest else {
            println!("NOT TESTED: PostgreSQL, whose Debian packages are postgresql and postgresql-client");
            return None;
        };
        let share = Path::new("/usr/share/postgresql").join(newest.to_string());
        Some(Self { folder: Path::new(VERSIONS).join(newest.to_string()), share })
    }

    /// Makes the folder `tree/pg` with a database and its empty table, and returns `tree`.
    pub(super) fn make_database(&self, host: &Host) -> String {
        let data = host.path("tree/pg");
        fs::create_dir_all(&data).expect("the folder is ours");
        if geteuid().is_root() {
            let id = Some(NOBODY.parse().expect("it is a number"));
            std::os::unix::fs::chown(&data, id, id).expect("root may");
        }
        let mut initdb = self.command("initdb");
        initdb.args(
            "-U postgres -A trust --locale=C --encoding=UTF8 --wal-segsize=1 --data-checksums".split(' '),
        );
        let made = initdb.args(["--no-sync", "-D"]).arg(&data).output().expect("it is installed");
        assert!(made.status.success(), "{made:?}");
        // The last of several settings counts.
        let file = data.join("postgresql.conf");
        let settings = fs::read_to_string(&file).expect("initdb made it") + SETTINGS;
        fs::write(&file, settings).expect("the folder is ours");
        let mut server = self.command("postgres");
        server.args(["--single", "-j", "-D"]).arg(&data).arg("postgres");
        server.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut server = server.spawn().expect("it is installed");
        // It takes everything up to an empty line as one command.
        let statements = TABLE.replace(";\n", ";\n\n");
        server.stdin.take().expect("it is piped").write_all(statements.as_bytes()).expect("it reads all");
        let ended = server.wait_with_output().expect("it is our child");
        let said = String::from_utf8_lossy(&ended.stderr);
        // It goes on after a statement that failed.
        assert!(ended.status.success() && !said.contains("ERROR"), "{said}");
        host.text("tree")
    }

    fn command(&self, program: &str) -> Command {
        let program = self.folder.join("bin").join(program);
        if !geteuid().is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(program);
        command
    }

    /// Gives a guest the programs and files of a server.
    pub(super) fn add_to(&self, guest: Guest) -> Guest {
        let zones = self.share.join("timezonesets/Default");
        let read = |path: &Path| fs::read(path).expect("it is part of PostgreSQL");
        let guest = guest.file(zones.to_string_lossy(), read(&zones));
        let library = read(&self.folder.join("lib").join(AMCHECK));
        let guest = guest.file(format!("{LIBRARIES_IN_GUEST}/{AMCHECK}"), library);
        let program = |program: &str| self.folder.join("bin").join(program).to_string_lossy().into_owned();
        PROGRAMS.into_iter().fold(guest, |guest, name| guest.program(program(name)))
    }
}
