//! Servers of others: how to start them, and their exports.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::scratch::Scratch;
use super::server::Server;
use crate::run::{bounded, is_in_path, output};

/// Time limit of filling a disk of some MiB in memory, in seconds.
const FILL_SECONDS_MAX: u32 = 30;

/// Server that serves over NBD on a socket of its own.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// Target of Forebay's speed divided by that of this one; none if it is for comparison only.
    pub(super) goal: Option<f64>,
    pub(super) uri: String,
    pub(super) socket: PathBuf,
    /// Name of the export over NBD.
    pub(super) export: &'static str,
    program: &'static str,
    /// Debian package of the server.
    package: &'static str,
    command: Command,
    /// Content that is written to it before it counts.
    content: Option<PathBuf>,
}

impl Peer {
    /// Returns nbdkit's disk in memory, with the bytes of `content`: an empty one would have no memory to fetch.
    pub(super) fn nbdkit_memory(scratch: &Scratch, content: &Path, bytes: u64) -> Self {
        let peer = Self::nbdkit(scratch, "nbdkit memory", &["memory", &bytes.to_string()]);
        Self { content: Some(content.to_owned()), ..peer }
    }

    /// Returns nbdkit with one of its plugins.
    pub(super) fn nbdkit(scratch: &Scratch, name: &'static str, plugin: &[&str]) -> Self {
        let mut peer = Self::new(scratch, name, "nbdkit", "nbdkit", "");
        peer.command.args(["--foreground", "--unix"]).arg(&peer.socket).args(plugin);
        peer
    }

    /// Returns nbdkit's cache in front of a file; it acknowledges a write when its own file has it.
    pub(super) fn nbdkit_cache(scratch: &Scratch, name: &'static str, file: &Path) -> Self {
        let mut peer = Self::new(scratch, name, "nbdkit", "nbdkit", "");
        peer.command.args(["--foreground", "--filter=cache", "--unix"]).arg(&peer.socket);
        peer.command.arg("file").arg(file).arg("cache=writeback");
        // The filter creates its file there.
        peer.command.env("TMPDIR", scratch.path(""));
        peer
    }

    /// Returns qemu-nbd on a raw file, through the page cache.
    pub(super) fn qemu_nbd_writeback(scratch: &Scratch, name: &'static str, file: &Path) -> Self {
        let mut peer = Self::new(scratch, name, "qemu-nbd", "qemu-utils", "raw");
        peer.command.args(["--format=raw", "--cache=writeback", "--persistent", "--shared=8"]);
        peer.command.args(["--export-name=raw", "--socket"]).arg(&peer.socket).arg(file);
        peer
    }

    /// Returns qemu-nbd on a raw file, bypassing the page cache: the file itself, with a door in front.
    pub(super) fn qemu_nbd_direct(scratch: &Scratch, name: &'static str, file: &Path) -> Self {
        let mut peer = Self::new(scratch, name, "qemu-nbd", "qemu-utils", "raw");
        peer.command.args(["--format=raw", "--cache=none", "--aio=io_uring", "--persistent", "--shared=8"]);
        peer.command.args(["--export-name=raw", "--socket"]).arg(&peer.socket).arg(file);
        peer
    }

    /// Returns QEMU's device without data: reads return zeroes, and writes are dropped.
    pub(super) fn null(scratch: &Scratch, name: &'static str, bytes: u64) -> Self {
        let mut peer = Self::new(scratch, name, "qemu-storage-daemon", "qemu-system-common", "null");
        let device = format!("null-co,node-name=null,size={bytes},read-zeroes=on");
        let address = format!("addr.type=unix,addr.path={}", peer.socket.display());
        peer.command.args(["--blockdev", &device, "--nbd-server", &address]);
        peer.command.args(["--export", "nbd,id=null,node-name=null,name=null,writable=on"]);
        peer
    }

    /// Returns the same device, with qemu-nbd.
    pub(super) fn qemu_nbd_null(scratch: &Scratch, name: &'static str, bytes: u64) -> Self {
        let mut peer = Self::new(scratch, name, "qemu-nbd", "qemu-utils", "raw");
        peer.command.args(["--persistent", "--shared=8", "--export-name=raw", "--socket"]).arg(&peer.socket);
        peer.command.args(["--image-opts", &format!("driver=null-co,size={bytes},read-zeroes=on")]);
        peer
    }

    /// Returns a block device of QEMU over vhost-user, with one queue on a thread of its own that sleeps when idle.
    pub(super) fn vhost(scratch: &Scratch, name: &'static str, device: &str) -> Self {
        Self::vhost_polling(scratch, name, device, 0)
    }

    /// Returns the same, but it polls for so many nanoseconds before it sleeps.
    pub(super) fn vhost_polling(
        scratch: &Scratch,
        name: &'static str,
        device: &str,
        poll_max_ns: u32,
    ) -> Self {
        let mut peer = Self::new(scratch, name, "qemu-storage-daemon", "qemu-system-common", "");
        let writable = if device.contains("read-only=on") { "off" } else { "on" };
        peer.command.arg("--object").arg(format!("iothread,id=own,poll-max-ns={poll_max_ns}"));
        peer.command.args(["--blockdev", &format!("{device},node-name=disk")]).arg("--export").arg(format!(
            "vhost-user-blk,id=export,node-name=disk,iothread=own,writable={writable},addr.type=unix,addr.path={}",
            peer.socket.display()
        ));
        peer
    }

    /// Returns qemu-nbd on a raw file, bypassing the page cache.
    pub(super) fn qemu_nbd(scratch: &Scratch, name: &'static str, file: &Path, aio: &str) -> Self {
        let mut peer = Self::new(scratch, name, "qemu-nbd", "qemu-utils", "raw");
        peer.command.args(["--format=raw", "--cache=none", "--read-only", "--persistent", "--shared=8"]);
        peer.command.args([&format!("--aio={aio}"), "--export-name=raw", "--socket"]);
        peer.command.arg(&peer.socket).arg(file);
        peer
    }

    /// Returns the content that is written to it first.
    pub(super) fn content(&self) -> Option<&Path> {
        self.content.as_deref()
    }

    /// Sets the target of Forebay's speed divided by that of this one.
    pub(super) fn goal(self, goal: f64) -> Self {
        Self { goal: Some(goal), ..self }
    }

    fn new(
        scratch: &Scratch,
        name: &'static str,
        program: &'static str,
        package: &'static str,
        export: &'static str,
    ) -> Self {
        let socket = scratch.path(&format!("{}.sock", name.replace([' ', '='], "-")));
        let uri = format!("nbd+unix:///{export}?socket={}", socket.display());
        Self {
            name,
            goal: None,
            uri,
            socket,
            export,
            program,
            package,
            command: Command::new(program),
            content: None,
        }
    }

    /// Starts it; one that is not installed is named and left out.
    ///
    /// # Errors
    /// If it is installed and does not start.
    pub(super) fn start(&mut self, scratch: &Scratch) -> Result<Option<Server>, String> {
        let filler = self.content.as_ref().map(|_| ("nbdcopy", "libnbd-bin"));
        for (program, package) in [(self.program, self.package)].into_iter().chain(filler) {
            if !is_in_path(program) {
                println!("Left out: {}, for {program} is not here (Debian package {package}).", self.name);
                return Ok(None);
            }
        }
        let server = Server::start(scratch, self.name, &mut self.command, &self.socket)?;
        if let Some(content) = &self.content {
            output(bounded(Path::new("nbdcopy"), FILL_SECONDS_MAX).arg(content).arg(&self.uri))?;
        }
        Ok(Some(server))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_is_not_here_is_left_out() {
        let scratch = Scratch::new().expect("there is a folder for temporary files");
        let mut peer = Peer::new(&scratch, "nobody", "no-such-program-here", "none", "");
        assert!(peer.start(&scratch).is_ok_and(|server| server.is_none()));
    }

    #[test]
    fn goals_and_addresses_are_kept() {
        let scratch = Scratch::new().expect("there is a folder for temporary files");
        let peer = Peer::null(&scratch, "qemu null", 4096).goal(0.5);
        assert_eq!(peer.goal, Some(0.5));
        assert!(peer.uri.starts_with("nbd+unix:///null?socket=") && peer.uri.ends_with("qemu-null.sock"));
    }
}
