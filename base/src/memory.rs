//! Memory that is available on this host and in the memory cgroup of this process.
//!
//! Memory of the key `ram=` is mapped at once and filled over time, and other sizes from outside may need memory too. The kernel kills a
//! process that uses more than there is, and with it the disks of all guests. So a requested size is compared with the available memory. A
//! number that cannot be read sets no limit.

use std::fs;
use std::path::{Path, PathBuf};

use crate::units::Size;

/// Reserve for everything else on the host.
const KEPT_BYTES: u64 = 64 << 20;

/// Folders in which the kernel reports memory.
#[derive(Clone, Debug)]
pub struct MemoryFolders {
    proc: PathBuf,
    cgroup: PathBuf,
}

impl Default for MemoryFolders {
    fn default() -> Self {
        Self { proc: "/proc".into(), cgroup: "/sys/fs/cgroup".into() }
    }
}

/// Available memory, and the source of the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Available {
    /// Memory in bytes.
    pub bytes: u64,
    /// The host, or the path of a memory cgroup.
    pub limited_by: String,
}

impl std::fmt::Display for Available {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} are left in {}", Size(self.bytes), self.limited_by)
    }
}

impl MemoryFolders {
    /// Returns the memory that is available on the host or in the tightest cgroup above this process, minus the reserve.
    pub fn available(&self) -> Option<Available> {
        let host = self.host().map(|bytes| Available { bytes, limited_by: "this host".to_owned() });
        let tightest = host.into_iter().chain(self.groups()).min_by_key(|available| available.bytes)?;
        Some(Available { bytes: tightest.bytes.saturating_sub(KEPT_BYTES), ..tightest })
    }

    fn host(&self) -> Option<u64> {
        let text = fs::read_to_string(self.proc.join("meminfo")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    }

    /// Returns the cgroups of this process that limit memory, and those above them, in versions 1 and 2.
    fn groups(&self) -> Vec<Available> {
        let text = fs::read_to_string(self.proc.join("self/cgroup")).unwrap_or_default();
        let mut all = Vec::new();
        for line in text.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
            let files = if controllers.is_empty() {
                &VERSION_2
            } else if controllers.split(',').any(|controller| controller == "memory") {
                &VERSION_1
            } else {
                continue;
            };
            let root = self.cgroup.join(files.folder);
            for group in Path::new(path.trim_start_matches('/')).ancestors() {
                all.extend(files.available(&root.join(group)).map(|bytes| Available {
                    bytes,
                    limited_by: format!("the memory cgroup /{}", group.display()),
                }));
            }
        }
        all
    }
}

/// Names of the files in a version of cgroups.
struct GroupFiles {
    folder: &'static str,
    limits: &'static [&'static str],
    used: &'static str,
    /// Part of the usage that is reclaimed on demand.
    reclaimable: &'static str,
}

const VERSION_2: GroupFiles = GroupFiles {
    folder: "",
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    reclaimable: "inactive_file",
};
const VERSION_1: GroupFiles = GroupFiles {
    folder: "memory",
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};

impl GroupFiles {
    fn available(&self, group: &Path) -> Option<u64> {
        let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
        let limit = self.limits.iter().filter_map(|name| number(name)).min()?;
        let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let reclaimable = stat.lines().find_map(|line| {
            line.strip_prefix(self.reclaimable)?.strip_prefix(' ')?.trim().parse::<u64>().ok()
        });
        let used = number(self.used)?.saturating_sub(reclaimable.unwrap_or(0));
        Some(limit.saturating_sub(used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    const MIB: u64 = 1 << 20;

    struct PretendedHost(TempDir);

    impl PretendedHost {
        fn new(free_mib: u64, groups: &str) -> Self {
            let host = Self(TempDir::new());
            host.write("proc/meminfo", &format!("MemTotal: 9 kB\nMemAvailable:   {} kB\n", free_mib << 10));
            host.write("proc/self/cgroup", groups);
            host
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the folder is ours");
            fs::write(path, text).expect("the folder is ours");
        }

        fn available(&self) -> Option<(u64, String)> {
            let (proc, cgroup) = (self.0.path().join("proc"), self.0.path().join("cgroup"));
            let available = MemoryFolders { proc, cgroup }.available()?;
            Some(((available.bytes + KEPT_BYTES) / MIB, available.limited_by))
        }
    }

    #[test]
    fn the_host_limits_where_no_cgroup_does() {
        let host = PretendedHost::new(1000, "0::/system.slice/forebay.service\n");
        host.write("cgroup/system.slice/memory.max", "max\n");
        host.write("cgroup/system.slice/memory.current", "5\n");
        assert_eq!(host.available(), Some((1000, "this host".to_owned())));
        host.write("proc/meminfo", "garbage");
        assert_eq!(host.available(), None);
    }

    #[test]
    fn the_tightest_cgroup_above_the_process_limits_and_its_file_cache_does_not_count() {
        let host = PretendedHost::new(1000, "0::/system.slice/forebay.service\n");
        let group = |name: &str, limit: u64, used: u64| {
            host.write(&format!("cgroup/{name}/memory.max"), &(limit * MIB).to_string());
            host.write(&format!("cgroup/{name}/memory.current"), &(used * MIB).to_string());
        };
        group("system.slice/forebay.service", 800, 100);
        assert_eq!(host.available().expect("it is known").0, 700);
        group("system.slice", 900, 500);
        let (left, by) = host.available().expect("it is known");
        assert_eq!((left, by.as_str()), (400, "the memory cgroup /system.slice"));
        host.write("cgroup/system.slice/memory.stat", &format!("anon 5\ninactive_file {}\n", 200 * MIB));
        assert_eq!(host.available().expect("it is known").0, 600);
        host.write("cgroup/system.slice/memory.high", &(600 * MIB).to_string());
        assert_eq!(host.available().expect("it is known").0, 300, "above it the kernel holds everything up");
    }

    #[test]
    fn cgroups_of_version_1_limit_too() {
        let host = PretendedHost::new(1000, "7:cpu:/x\n4:memory:/docker/abc\n");
        host.write("cgroup/memory/docker/abc/memory.limit_in_bytes", &(300 * MIB).to_string());
        host.write("cgroup/memory/docker/abc/memory.usage_in_bytes", &(200 * MIB).to_string());
        host.write("cgroup/memory/docker/abc/memory.stat", &format!("total_inactive_file {}\n", 50 * MIB));
        assert_eq!(host.available(), Some((150, "the memory cgroup /docker/abc".to_owned())));
    }
}
