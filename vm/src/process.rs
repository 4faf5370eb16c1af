//! Process of a QEMU: its open files, its working folder, and its command line.
//!
//! The only proof that a name means the same file to Forebay and to QEMU. Reads `/proc`, changes nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use block::file::Identity;
use nix::unistd::Gid;

use super::command_line::CommandLine;
use crate::qmp::Qmp;
use base::bounded;
use base::error::{Error, Result};
use base::qemu_process::QemuProcess;

/// Process of this host.
pub(super) struct Process {
    id: u32,
}

impl Process {
    /// Finds the process at the other end of `qmp`: the one that listens on the socket now. Libvirt makes the sockets of its guests itself
    /// and passes them on, so the process that made the socket is used only if no listener is found.
    ///
    /// # Errors
    /// If processes cannot be inspected.
    pub(super) fn behind(qmp: &mut Qmp) -> Result<Self> {
        let Some(peer) = qmp.peer() else { return Self::with_uuid(qmp) };
        let table = fs::read_to_string("/proc/net/unix").map_err(|error| unreadable(peer, &error))?;
        let sockets = listening_sockets(&table, qmp.name());
        let made_by = Self { id: peer };
        if sockets.is_empty() || made_by.holds(&sockets)? {
            return Ok(made_by);
        }
        let folders = fs::read_dir("/proc").map_err(|error| unreadable(peer, &error))?;
        let ids = folders.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        // A process that ends meanwhile, or that may not be inspected, is not the one.
        let holder = ids.map(|id| Self { id }).find(|process| process.holds(&sockets).unwrap_or(false));
        Ok(holder.unwrap_or(made_by))
    }

    /// Finds the process of a guest that libvirt started, by the guest's UUID on its command line.
    fn with_uuid(qmp: &mut Qmp) -> Result<Self> {
        let answer = qmp.execute("query-uuid", &serde_json::json!({}))?;
        let uuid = answer["UUID"].as_str().unwrap_or_default().to_owned();
        let folders = fs::read_dir("/proc").into_iter().flatten();
        let ids = folders.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let mut processes = ids.map(|id| Self { id });
        let found = processes.find(|process| {
            let bytes =
                bounded::read(&process.path("cmdline"), bounded::PRINTED_BYTES_MAX).unwrap_or_default();
            let words: Vec<_> = bytes.split(|byte| *byte == 0).collect();
            words.windows(2).any(|pair| pair[0] == b"-uuid" && pair[1] == uuid.as_bytes())
        });
        found.ok_or_else(|| {
            Error::invalid(format!(
                "Cannot find the process of the guest {uuid} at {}: libvirt runs it on another host, or this user may not see \
                 it; run as root on the host of the guest",
                qmp.name().display()
            ))
        })
    }

    /// Returns the identity by which the process is recognised later; none if it has ended.
    pub(super) fn identity(&self) -> Option<QemuProcess> {
        QemuProcess::of(self.id)
    }

    /// Returns true if the process has this storage open.
    ///
    /// # Errors
    /// If the process cannot be inspected.
    pub(super) fn has_open(&self, storage: Identity) -> Result<bool> {
        let open = self.open_files()?;
        Ok(open.iter().any(|file| Identity::of(file).is_ok_and(|found| found.same_storage(&storage))))
    }

    /// Returns its command line.
    pub(super) fn command_line(&self) -> Result<CommandLine> {
        let bytes = bounded::read(&self.path("cmdline"), bounded::PRINTED_BYTES_MAX)
            .map_err(|error| unreadable(self.id, &error))?;
        let words = bytes.split(|byte| *byte == 0);
        Ok(CommandLine::new(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()))
    }

    /// Returns its working folder.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        fs::read_link(self.path("cwd")).map_err(|error| unreadable(self.id, &error))
    }

    /// Returns the group for which a socket must be open so that this process can connect; none if it is root, or in the group `usual` that
    /// may connect anyway. A running process cannot get other groups, so adding its user to one is no help.
    ///
    /// # Errors
    /// If the process cannot be inspected.
    pub(super) fn group_to_let_in(&self, usual: Option<Gid>) -> Result<Option<Gid>> {
        let status = fs::read_to_string(self.path("status")).map_err(|error| unreadable(self.id, &error))?;
        Ok(group_to_let_in(&status, usual))
    }

    fn holds(&self, sockets: &[String]) -> Result<bool> {
        let links = self.open_files()?.into_iter().filter_map(|file| fs::read_link(file).ok());
        let names: Vec<String> = links.map(|link| link.to_string_lossy().into_owned()).collect();
        Ok(sockets.iter().any(|socket| names.contains(socket)))
    }

    fn open_files(&self) -> Result<Vec<PathBuf>> {
        let list = fs::read_dir(self.path("fd")).map_err(|error| unreadable(self.id, &error))?;
        Ok(list.filter_map(|entry| Some(entry.ok()?.path())).collect())
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new("/proc").join(self.id.to_string()).join(name)
    }
}

/// Returns the sockets bound to `path`, in the notation of links to them, from the system's table.
fn listening_sockets(table: &str, path: &Path) -> Vec<String> {
    let bound = |line: &&str| {
        let name = line.split_whitespace().nth(7);
        // A socket may have been bound by a relative name.
        name.is_some_and(|name| Path::new(name) == path || path.ends_with(name.trim_start_matches("./")))
    };
    let inode = |line: &str| line.split_whitespace().nth(6).map(|inode| format!("socket:[{inode}]"));
    table.lines().filter(bound).filter_map(inode).collect()
}

/// Returns [`Process::group_to_let_in`] for the status of a process.
fn group_to_let_in(status: &str, usual: Option<Gid>) -> Option<Gid> {
    // Real, effective, saved, and the one for opening files and sockets.
    const FOR_FILES: usize = 3;
    let numbers = |key: &str| -> Vec<u32> {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let group = *numbers("Gid:").get(FOR_FILES)?;
    let is_root = numbers("Uid:").get(FOR_FILES) == Some(&0);
    let is_usual =
        usual.is_some_and(|usual| group == usual.as_raw() || numbers("Groups:").contains(&usual.as_raw()));
    (!is_root && !is_usual).then(|| Gid::from_raw(group))
}

fn unreadable(id: u32, error: &io::Error) -> Error {
    Error::invalid(format!(
        "Cannot see what QEMU (process {id}) has open: {error}; run as root, or as the user of that QEMU"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::testing::TempDir;

    #[test]
    fn what_a_process_has_open_is_seen_whatever_its_name_is_by_now() {
        let dir = TempDir::new();
        let (path, moved) = (dir.path().join("a"), dir.path().join("b"));
        let file = fs::File::create(&path).expect("the folder is ours");
        let storage = Identity::of(&path).expect("it is there");
        fs::rename(&path, moved).expect("the folder is ours");
        fs::write(&path, "another file").expect("the folder is ours");
        let us = Process { id: std::process::id() };
        assert_eq!(us.has_open(storage), Ok(true));
        let other = Identity::of(&path).expect("it is there");
        assert_eq!(us.has_open(other), Ok(false));
        drop(file);
        assert_eq!(us.has_open(storage), Ok(false));
    }

    #[test]
    fn a_process_that_is_not_there_is_an_error() {
        let nobody = Process { id: u32::MAX };
        let storage = Identity { device: 0, inode: 0, rdev: 0 };
        assert!(nobody.has_open(storage).unwrap_err().message.contains("run as root"));
        assert!(nobody.group_to_let_in(None).unwrap_err().message.contains("run as root"));
    }

    #[test]
    fn the_group_of_a_qemu_is_let_in_unless_it_gets_in_anyway() {
        let status = |user: u32| {
            format!(
                "Name:\tqemu\nUid:\t1\t1\t1\t{user}\nGid:\t2\t2\t2\t994\nGroups:\t994 7 \nVmPeak:\t1 kB\n"
            )
        };
        let gid = Gid::from_raw;
        assert_eq!(group_to_let_in(&status(64055), None), Some(gid(994)));
        assert_eq!(group_to_let_in(&status(64055), Some(gid(8))), Some(gid(994)));
        for usual in [7, 994] {
            assert_eq!(group_to_let_in(&status(64055), Some(gid(usual))), None);
        }
        assert_eq!(group_to_let_in(&status(0), None), None);
        let us = Process { id: std::process::id() };
        assert_eq!(us.group_to_let_in(Some(nix::unistd::getegid())), Ok(None));
    }

    #[test]
    fn sockets_are_found_by_their_path() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                     0000000000000000: 00000002 00000000 00010000 0001 01 4711 /run/q.sock\n\
                     0000000000000000: 00000002 00000000 00010000 0001 01 4712 q.sock\n\
                     0000000000000000: 00000003 00000000 00000000 0001 03 4713\n\
                     0000000000000000: 00000002 00000000 00010000 0001 01 4714 /run/other.sock\n";
        let found = listening_sockets(table, Path::new("/run/q.sock"));
        assert_eq!(found, ["socket:[4711]", "socket:[4712]"]);
    }
}
