//! The command's side of a handover, which waits.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IoSlice, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use nix::sys::socket::sockopt::PeerCredentials;
use nix::sys::socket::{ControlMessage, MsgFlags, getsockopt, sendmsg};

use super::MESSAGE_BYTES_MAX;
use super::handover::{Answer, Greeting, Offer, from_line, from_versioned_line, invalid, to_line};

/// Longest time in which the door sends a message.
const TIME_MAX: Duration = Duration::from_secs(10);

/// A connection to the door of a disk.
pub struct HandoverClient {
    stream: BufReader<UnixStream>,
}

impl HandoverClient {
    /// Connects to the socket of a disk, and returns its properties.
    ///
    /// # Errors
    /// Those of connect(2); `InvalidData` if something else listens there; `WouldBlock` if it is silent for 10 s.
    pub fn connect(socket: &Path) -> io::Result<(Self, Greeting)> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(TIME_MAX))?;
        let mut client = Self { stream: BufReader::new(stream) };
        let greeting: Greeting = from_versioned_line(&client.receive_line()?)?;
        Ok((client, greeting.check()?))
    }

    /// Hands over the open `/dev/ublkcN`. When this returns, all its tags were fetched or are about to be.
    ///
    /// # Errors
    /// Why the door does not serve it, in its words; those of the connection.
    pub fn hand_over(mut self, offer: &Offer, device: &File) -> io::Result<()> {
        let line = to_line(offer);
        let files: [RawFd; 1] = [device.as_raw_fd()];
        let sent = sendmsg::<()>(
            self.stream.get_ref().as_raw_fd(),
            &[IoSlice::new(&line)],
            &[ControlMessage::ScmRights(&files)],
            MsgFlags::MSG_NOSIGNAL,
            None,
        )?;
        if sent != line.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let answer: Answer = from_line(&self.receive_line()?)?;
        answer.error.map_or(Ok(()), |reason| Err(io::Error::other(reason)))
    }

    /// Returns the process that serves the disk, if the system reports it.
    pub fn server(&self) -> Option<u32> {
        let credentials = getsockopt(self.stream.get_ref(), PeerCredentials).ok()?;
        u32::try_from(credentials.pid()).ok().filter(|id| *id > 0)
    }

    fn receive_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.stream.by_ref().take(MESSAGE_BYTES_MAX as u64).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            Ok(line)
        } else {
            Err(invalid("it ended in the middle of a message"))
        }
    }
}
