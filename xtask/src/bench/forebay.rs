//! The daemon as a server: started, with disks added, and warmed up until every read is a hit.

use std::iter::Sum;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::fio::{self, Target};
use super::scratch::Scratch;
use super::server::Server;
use crate::run::output;

/// Number of passes over a disk until all of it must be cached. RAM evicts pages that flash does not accept in time, so some of them need
/// another pass; a disk that is not cached after so many never will be.
const PASSES_MAX: u32 = 50;
const POOL_SIZE: &str = "1GiB";

/// Running daemon with a pool and a folder of its own.
pub(super) struct Forebay {
    pub(super) server: Server,
    program: PathBuf,
    folder: PathBuf,
}

/// Tier of the cache that should answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    Ram,
    Flash,
}

/// Reads of a disk by the tier that answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reads {
    all: u64,
    hits_ram: u64,
    hits_flash: u64,
}

impl Reads {
    /// Returns the reads since `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            all: self.all - before.all,
            hits_ram: self.hits_ram - before.hits_ram,
            hits_flash: self.hits_flash - before.hits_flash,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            hits_ram: self.hits_ram + other.hits_ram,
            hits_flash: self.hits_flash + other.hits_flash,
        }
    }

    /// Returns the share of hits in this tier.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub(super) fn share(self, tier: Tier) -> f64 {
        let hits = match tier {
            Tier::Ram => self.hits_ram,
            Tier::Flash => self.hits_flash,
        };
        hits as f64 / self.all.max(1) as f64
    }

    /// Returns true if the backing answered no reads, and flash none if RAM is meant.
    fn are_warm(self, tier: Tier) -> bool {
        match tier {
            Tier::Ram => self.hits_ram == self.all,
            Tier::Flash => self.hits_ram + self.hits_flash == self.all,
        }
    }
}

impl Sum for Reads {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self { all: 0, hits_ram: 0, hits_flash: 0 }, Self::and)
    }
}

impl Forebay {
    /// Starts a daemon that polls an empty queue of a guest for so many microseconds before it sleeps; the others sleep at once, like the
    /// servers with which they are compared.
    pub(super) fn start_polling(scratch: &Scratch, program: &Path, micros: u32) -> Result<Self, String> {
        Self::start_with(scratch, program, "looking", &format!("{micros}us"), &["--pool-size", POOL_SIZE])
    }

    /// Starts a daemon with a new pool.
    pub(super) fn start(scratch: &Scratch, program: &Path) -> Result<Self, String> {
        Self::start_sized(scratch, program, "forebay", POOL_SIZE)
    }

    /// Starts one with a pool of another size, in a folder of this name.
    pub(super) fn start_sized(
        scratch: &Scratch,
        program: &Path,
        name: &str,
        pool_size: &str,
    ) -> Result<Self, String> {
        Self::start_with(scratch, program, name, "off", &["--pool-size", pool_size])
    }

    /// Starts one whose disks are all on the same shard, in a folder of this name.
    pub(super) fn start_on_one_shard(scratch: &Scratch, program: &Path, name: &str) -> Result<Self, String> {
        Self::start_with(scratch, program, name, "off", &["--pool-size", POOL_SIZE, "--shards", "1"])
    }

    /// Starts one with a file of zeroes as its pool, in a folder of this name.
    pub(super) fn start_on(
        scratch: &Scratch,
        program: &Path,
        name: &str,
        pool: &Path,
    ) -> Result<Self, String> {
        Self::start_with(scratch, program, name, "off", &["--pool", &pool.to_string_lossy()])
    }

    fn start_with(
        scratch: &Scratch,
        program: &Path,
        name: &str,
        poll_max: &str,
        pool: &[&str],
    ) -> Result<Self, String> {
        let config = scratch.path(&format!("{name}.toml"));
        std::fs::write(&config, format!("[vhost]\npoll-max = \"{poll_max}\"\n"))
            .map_err(|error| format!("Could not write {}: {error}.", config.display()))?;
        let folder = scratch.path(name);
        let socket = folder.join("control.sock");
        let mut command = Command::new(program);
        command.arg("serve").arg("--config").arg(&config).arg("--dir").arg(&folder);
        command.args(pool).args(["--log", "warn"]);
        let server = Server::start(scratch, name, &mut command, &socket)?;
        let forebay = Self { server, program: program.to_owned(), folder };
        let pool = forebay.ask(&["pool", "show", "--json"])?;
        if let Some(reason) = pool["pool"]["page_cache_reason"].as_str() {
            println!(
                "Beware: flash is the page cache of this host here ({reason}). Set TMPDIR to a folder on a disk."
            );
        }
        Ok(forebay)
    }

    /// Adds a file of zeroes to the pool, also on the drive of the first one.
    pub(super) fn add_device(&self, file: &Path) -> Result<(), String> {
        self.run_command(&["pool", "add", &file.to_string_lossy(), "--same-drive"]).map(drop)
    }

    /// Adds a file to a pool without mirrored disks. Earlier versions support it, too.
    pub(super) fn add_flash(&self, file: &Path) -> Result<(), String> {
        self.run_command(&["pool", "add", &file.to_string_lossy()]).map(drop)
    }

    /// Serves a file in write-back, with a dirty limit of so many MiB. Returns the address for clients.
    pub(super) fn add_write_back_disk(
        &self,
        name: &str,
        backing: &Path,
        dirty_mib: u64,
    ) -> Result<String, String> {
        let backing = backing.to_string_lossy();
        self.run_command(&["disk", "add", name, "--backing", &backing])?;
        let (reserve, limit) =
            (format!("reserve={}MiB", dirty_mib * 4 + 64), format!("dirty-limit={dirty_mib}MiB"));
        self.run_command(&["disk", "set", name, &reserve, "sequential-cutoff=0"])?;
        self.run_command(&["disk", "set", name, &limit, "destage-rate-max=1MiB", "mode=write-back"])?;
        Ok(self.uri(name))
    }

    /// Serves a file through the cache with default settings.
    pub(super) fn add_disk(&self, name: &str, backing: &Path) -> Result<(), String> {
        self.run_command(&["disk", "add", name, "--backing", &backing.to_string_lossy()]).map(drop)
    }

    /// Changes settings of a disk.
    pub(super) fn set(&self, name: &str, settings: &[&str]) -> Result<(), String> {
        self.run_command(&[&["disk", "set", name], settings].concat()).map(drop)
    }

    /// Returns the socket of a disk for guests.
    pub(super) fn vhost_socket(&self, name: &str) -> PathBuf {
        self.folder.join(format!("vhost/{name}.sock"))
    }

    /// Returns the socket of a disk for clients of NBD.
    pub(super) fn nbd_socket(&self, name: &str) -> PathBuf {
        self.folder.join(format!("nbd/{name}.sock"))
    }

    pub(super) fn control_socket(&self) -> PathBuf {
        self.folder.join("control.sock")
    }

    /// Returns the address of a disk for clients of NBD.
    pub(super) fn uri(&self, name: &str) -> String {
        format!("nbd+unix:///{name}?socket={}", self.nbd_socket(name).display())
    }

    /// Serves a file and reads it until all of it is in `tier`. Returns the address for clients.
    pub(super) fn add_warm_disk(
        &self,
        scratch: &Scratch,
        name: &str,
        backing: &Path,
        tier: Tier,
    ) -> Result<String, String> {
        let size = backing
            .metadata()
            .map_err(|error| format!("Could not look at {}: {error}.", backing.display()))?;
        let ram = match tier {
            Tier::Ram => format!("ram={}MiB", (size.len() >> 20) + 32),
            // The minimum: flash should answer reads.
            Tier::Flash => "ram=1MiB".to_owned(),
        };
        let backing = backing.to_string_lossy();
        self.run_command(&["disk", "add", name, "--backing", &backing])?;
        self.run_command(&["disk", "set", name, &ram, "sequential-cutoff=0"])?;
        let uri = self.uri(name);
        for _ in 0..PASSES_MAX {
            let before = self.reads(name)?;
            fio::read_all(scratch, Target::Nbd { uri: &uri })?;
            if self.reads(name)?.since(before).are_warm(tier) {
                return Ok(uri);
            }
        }
        Err(format!("Disk '{name}' is not warm after {PASSES_MAX} passes: {:?}.", self.reads(name)?))
    }

    /// Returns the reads of a disk so far.
    pub(super) fn reads(&self, name: &str) -> Result<Reads, String> {
        let answer = self.ask(&["stats", name, "--json"])?;
        let statistics = &answer["disks"][0];
        let number = |key: &str| {
            statistics[key].as_u64().ok_or_else(|| format!("`forebay stats` has no `{key}`: {answer}."))
        };
        Ok(Reads {
            all: number("reads")?,
            hits_ram: number("read_hits_ram")?,
            hits_flash: number("read_hits_flash")?,
        })
    }

    /// Returns the bytes that a disk's guests wrote so far, and the bytes written to flash.
    pub(super) fn written(&self, name: &str) -> Result<(f64, f64), String> {
        let answer = self.ask(&["stats", name, "--json"])?;
        let number = |key: &str| {
            answer["disks"][0][key]
                .as_f64()
                .ok_or_else(|| format!("`forebay stats` has no `{key}`: {answer}."))
        };
        Ok((number("write_bytes")?, number("flash_write_bytes")?))
    }

    fn ask(&self, arguments: &[&str]) -> Result<Value, String> {
        let text = self.run_command(arguments)?;
        serde_json::from_str(&text).map_err(|error| {
            format!("Could not read what `forebay {}` printed: {error}.", arguments.join(" "))
        })
    }

    fn run_command(&self, arguments: &[&str]) -> Result<String, String> {
        output(&mut self.command(arguments))
    }

    /// Returns a command to this daemon.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("FOREBAY_SOCKET", self.control_socket());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_warm_if_the_tier_or_a_faster_one_answered_all() {
        let before = Reads { all: 10, hits_ram: 1, hits_flash: 2 };
        let after = Reads { all: 14, hits_ram: 2, hits_flash: 5 };
        let reads = after.since(before);
        assert!(reads.are_warm(Tier::Flash) && !reads.are_warm(Tier::Ram));
        assert!((reads.share(Tier::Flash) - 0.75).abs() < 1e-9);
        assert!(!Reads { all: 15, ..after }.since(before).are_warm(Tier::Flash));
        assert!(Reads { all: 4, hits_ram: 4, hits_flash: 0 }.are_warm(Tier::Ram));
    }
}
