//! Guests that are connected to a disk: their names, and protection against removing the disk by mistake.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base::bounded;
use base::error::{Error, Result};
use block::socket::Peer;
use tokio::time::{Instant, sleep};

use super::Registry;
use crate::door::ConnectedGuest;
use crate::state::DiskRecord;

/// Time that a guest which has just left may still be counted, and between polls of it.
const LEAVING_MAX: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(20);
/// The most guests that a message names.
const NAMED_MAX: usize = 4;

/// Treatment of guests that use a disk which is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfInUse {
    /// They keep it: the request is refused.
    Refuse,
    /// They are disconnected.
    CutOff,
}

impl Registry {
    /// Refuses to remove a disk that guests use.
    ///
    /// # Errors
    /// A conflict that names them, and possible remedies.
    pub(super) async fn check_unused(&self, record: &DiskRecord) -> Result<()> {
        let deadline = Instant::now() + LEAVING_MAX;
        let guests = loop {
            let guests = self.shards.guests(record.name.clone()).await?;
            if guests.is_empty() {
                return Ok(());
            }
            if Instant::now() >= deadline {
                break guests;
            }
            sleep(INTERVAL).await;
        };
        let name = &record.name;
        let return_it = if record.guest.is_some() {
            format!("give the disk back to its running guest with `forebay vm detach {name}`")
        } else {
            "shut them down, or take the disk out of them".to_owned()
        };
        Err(Error::conflict(format!(
            "Cannot remove disk '{name}': it is used by {}, and they would lose it at once. First {return_it}; --force takes \
             it from them all the same",
            names_of(&guests)
        )))
    }

    /// Refuses to remove a disk that is mapped: its requests would wait for as long as this process lives.
    ///
    /// # Errors
    /// A conflict, with the command that must come first.
    pub(super) async fn check_unmapped(&self, name: &str) -> Result<()> {
        let guests = self.shards.guests(name.to_owned()).await?;
        if guests.iter().all(|guest| guest.peer != Peer::Kernel) {
            return Ok(());
        }
        Err(Error::conflict(format!(
            "Cannot remove disk '{name}': it is mapped as a block device of this host, and its users would wait for ever. First \
             run `forebay unmap {name}`"
        )))
    }

    /// Returns the users of a disk, in words; none if there are none.
    pub(super) async fn users_of(&self, name: &str) -> Option<String> {
        let guests = self.shards.guests(name.to_owned()).await.ok()?;
        (!guests.is_empty()).then(|| names_of(&guests))
    }
}

/// Returns the names of guests, each once, in words.
fn names_of(guests: &[ConnectedGuest]) -> String {
    let mut names: Vec<String> = guests
        .iter()
        .map(|ConnectedGuest { protocol, peer }| {
            let who = match peer {
                Peer::Process(id) => {
                    command_of(*id).map_or_else(|| peer.to_string(), |name| format!("{name} ({peer})"))
                }
                Peer::Kernel | Peer::Address(_) | Peer::Unknown => peer.to_string(),
            };
            format!("{who} over {protocol}")
        })
        .collect();
    names.sort();
    names.dedup();
    let more = names.len().saturating_sub(NAMED_MAX);
    names.truncate(NAMED_MAX);
    let named = names.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// Returns the name of a process in the system, and of the guest that a QEMU was started with; none if this
/// user may not see it.
fn command_of(id: u32) -> Option<String> {
    let plain = |text: &str| text.chars().filter(|letter| !letter.is_control()).collect::<String>();
    let command = fs::read_to_string(format!("/proc/{id}/comm")).ok().map(|name| plain(&name))?;
    let line = Path::new("/proc").join(id.to_string()).join("cmdline");
    let line = bounded::read(&line, bounded::PRINTED_BYTES_MAX).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).into_owned();
    let guest = guest_in(&mut line.split('\0')).map(plain);
    Some(guest.map_or(command.clone(), |guest| format!("{command} of guest '{guest}'")))
}

/// Returns the name that a QEMU's command line gives its guest.
fn guest_in<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words.find(|word| *word == "-name")?;
    let value = words.next()?.split(',').next()?;
    let name = value.strip_prefix("guest=").unwrap_or(value);
    (!name.is_empty() && !name.contains('=')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_are_named_once_with_command_and_process() {
        let id = std::process::id();
        let of = |protocol, peer| ConnectedGuest { protocol, peer };
        let address = Peer::Address("10.0.0.5:4711".parse().expect("an address"));
        let guests = [of("NBD", Peer::Process(id)), of("NBD", address), of("NBD", Peer::Process(id))];
        let named = names_of(&guests);
        assert!(named.starts_with("10.0.0.5:4711 over NBD, "), "{named}");
        assert!(named.ends_with(&format!("(process {id}) over NBD")), "{named}");
        let many: Vec<_> = (0..7).map(|id| of("vhost-user", Peer::Process(u32::MAX - id))).collect();
        assert!(names_of(&many).ends_with(" and 3 more"), "{}", names_of(&many));
    }

    #[test]
    fn a_qemu_says_which_guest_it_runs() {
        let of = |line: &str| guest_in(&mut line.split(' ')).map(str::to_owned);
        assert_eq!(of("qemu -name guest=web10,debug-threads=on -S").as_deref(), Some("web10"));
        assert_eq!(of("qemu -name web10").as_deref(), Some("web10"));
        assert_eq!((of("qemu -name debug-threads=on"), of("qemu -name"), of("qemu")), (None, None, None));
    }
}
