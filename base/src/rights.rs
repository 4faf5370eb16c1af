//! Rights to connect to the socket of a disk: the keys `socket-owner`, `socket-group` and `socket-mode`.
//!
//! Two forms. [`SocketRights`] is the form of the administrator and of the stored state: names, so that they keep their meaning after
//! accounts are renumbered. [`Rights`] is the form of the system: numbers, which are resolved again each time. A name that the host does
//! not know is an error before anything is changed.

use std::str::FromStr;

use nix::errno::Errno;
use nix::unistd::{Gid, Group, Uid, User, geteuid};

use crate::error::{Error, Result};

/// Value for the daemon's own user, and for the group `forebay` or, without one, the daemon's own.
const AUTO: &str = "auto";
/// Group whose members may connect by default, if the host has it.
const GROUP: &str = "forebay";
/// Maximum length of a user or group name that Linux tools accept.
const NAME_MAX: usize = 32;

/// Rights to connect, in the form of the administrator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketRights {
    /// Owner of the socket.
    pub owner: Account,
    /// Group of the socket.
    pub group: Account,
    /// Rights of owner, group and others.
    pub mode: SocketMode,
}

/// User or group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Account {
    /// The default.
    #[default]
    Auto,
    /// A name, or a number in digits.
    Named(String),
}

/// The nine permission bits of a socket. To connect takes the bit for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketMode(u32);

/// Rights to connect, in the form of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// None keeps the user that the daemon runs as.
    pub owner: Option<Uid>,
    /// Group of the socket.
    pub group: GroupChoice,
    /// The nine permission bits.
    pub mode: u32,
}

/// The group of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupChoice {
    /// The group of the daemon.
    Own,
    /// This group if the daemon may set it: it is a default.
    IfAllowed(Gid),
    /// This group, or an error.
    Demanded(Gid),
}

impl SocketRights {
    /// Resolves the names. Queries the host's directory of users, which may be a server and take time.
    ///
    /// # Errors
    /// If a name is not known.
    pub fn resolve(&self) -> Result<Rights> {
        let owner = match &self.owner {
            Account::Auto => None,
            Account::Named(name) => Some(find_user(name)?),
        };
        let group = match &self.group {
            Account::Auto => Rights::usual_group(),
            Account::Named(name) => GroupChoice::Demanded(find_group(name)?),
        };
        Ok(Rights { owner, group, mode: self.mode.0 })
    }
}

impl Rights {
    /// Returns the rights of the control socket, and the default of a disk: the daemon's user and the group `forebay`.
    pub fn usual() -> Self {
        Self { owner: None, group: Self::usual_group(), mode: SocketMode::default().0 }
    }

    fn usual_group() -> GroupChoice {
        forebay_group().map_or(GroupChoice::Own, GroupChoice::IfAllowed)
    }
}

impl Default for SocketMode {
    /// Owner and group may connect.
    fn default() -> Self {
        Self(0o660)
    }
}

impl FromStr for Account {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Self::Auto);
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+@$\\".contains(c);
        if text.is_empty() || text.len() > NAME_MAX || text.starts_with('-') || !text.chars().all(plain) {
            return Err(format!("'{text}' cannot be a name or a number of one; write a name, or {AUTO}"));
        }
        Ok(Self::Named(text.to_owned()))
    }
}

impl std::fmt::Display for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str(AUTO),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl FromStr for SocketMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_octal =
            (3..=4).contains(&text.len()) && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
        match u32::from_str_radix(text, 8) {
            Ok(mode) if is_octal && mode <= 0o777 => Ok(Self(mode)),
            _ => Err("write it as octal digits from 0000 to 0777, such as 0660".to_owned()),
        }
    }
}

impl std::fmt::Display for SocketMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

/// Returns the user that this process runs as, by name if it has one.
pub fn own_user() -> String {
    let me = geteuid();
    User::from_uid(me).ok().flatten().map_or_else(|| me.to_string(), |user| user.name)
}

/// Returns the group whose members may connect to any disk, if the host has it.
pub fn forebay_group() -> Option<Gid> {
    // A host whose group file cannot be read is treated as one without the group: only the owner may connect.
    Group::from_name(GROUP).ok().flatten().map(|group| group.gid)
}

/// Returns a group in the form of the key `socket-group`: by name if it has one.
pub fn group_text(group: Gid) -> String {
    Group::from_gid(group).ok().flatten().map_or_else(|| group.to_string(), |group| group.name)
}

fn find_user(name: &str) -> Result<Uid> {
    match User::from_name(name) {
        Ok(Some(user)) => Ok(user.uid),
        found => number(name).map(Uid::from_raw).ok_or_else(|| unknown("user", "passwd", name, found.err())),
    }
}

fn find_group(name: &str) -> Result<Gid> {
    match Group::from_name(name) {
        Ok(Some(group)) => Ok(group.gid),
        found => number(name).map(Gid::from_raw).ok_or_else(|| unknown("group", "group", name, found.err())),
    }
}

/// Parses the number of an account. The highest one is refused, because chown(2) takes it for "no change".
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number != u32::MAX)
}

fn unknown(what: &str, table: &str, name: &str, error: Option<Errno>) -> Error {
    let why = match error {
        None => format!("this host has no {what} '{name}'"),
        Some(error) => format!("looking up {what} '{name}' failed ({error})"),
    };
    Error::invalid(format!(
        "Cannot use socket-{key}={name}: {why}; `getent {table} {name}` must find it, or give its number",
        key = if what == "user" { "owner" } else { "group" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_octal_and_print_as_they_are_read() {
        for (text, printed) in [("0660", "0660"), ("600", "0600"), ("0777", "0777"), ("000", "0000")] {
            assert_eq!(text.parse::<SocketMode>().map(|mode| mode.to_string()), Ok(printed.to_owned()));
        }
        for text in ["", "6", "66", "0888", "1777", "07777", "+660", "rw-rw----", "0o660"] {
            assert!(text.parse::<SocketMode>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_and_numbers_are_looked_up_and_unknown_ones_are_named() {
        let rights = |owner: &str, group: &str| SocketRights {
            owner: owner.parse().expect("it is a name"),
            group: group.parse().expect("it is a name"),
            mode: SocketMode::default(),
        };
        let found = rights("root", "root").resolve().expect("every host has them");
        assert_eq!(found.owner, Some(Uid::from_raw(0)));
        assert_eq!(found.group, GroupChoice::Demanded(Gid::from_raw(0)));
        let found = rights("12345", "54321").resolve().expect("numbers need no entry");
        assert_eq!(
            (found.owner, found.group),
            (Some(Uid::from_raw(12345)), GroupChoice::Demanded(Gid::from_raw(54321)))
        );
        let problem = rights("nobody-of-this-name", "auto").resolve().unwrap_err();
        assert!(problem.message.contains("socket-owner=nobody-of-this-name"), "{problem}");
        let problem = rights("auto", "no-group-of-this-name").resolve().unwrap_err();
        assert!(problem.message.contains("getent group no-group-of-this-name"), "{problem}");
        assert!(rights("4294967295", "auto").resolve().is_err(), "it would change nothing");
    }

    #[test]
    fn what_cannot_be_a_name_is_refused_at_once() {
        for text in ["", "a b", "a:b", "-x", "a\n", &"x".repeat(33)] {
            assert!(text.parse::<Account>().is_err(), "{text}");
        }
        assert_eq!("auto".parse(), Ok(Account::Auto));
    }
}
