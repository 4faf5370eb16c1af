//! Target: the export and server that a user names, and that messages repeat.

use std::fmt;
use std::path::PathBuf;

/// The port of NBD, as registered.
pub const PORT: u16 = 10809;

/// An export. Prints as the URI or name that users know it by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Address of the server.
    pub address: Address,
    /// The name of the export; empty for the server's default.
    pub export: String,
}

/// Address of a server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// On a Unix socket.
    Unix(PathBuf),
    /// On a Unix socket of a helper, whose export has a name that users know.
    Helper {
        /// Path of the socket.
        socket: PathBuf,
        /// The name that messages repeat.
        name: String,
    },
    /// On a port of TCP.
    Tcp {
        /// Name, IPv4 address, or IPv6 address without brackets.
        host: String,
        /// Its port.
        port: u16,
    },
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let export = Escaped(self.export.as_bytes(), b"/");
        match &self.address {
            Address::Unix(path) => {
                use std::os::unix::ffi::OsStrExt;
                write!(f, "nbd+unix:///{export}?socket={}", Escaped(path.as_os_str().as_bytes(), b"/"))
            }
            Address::Helper { name, .. } => f.write_str(name),
            Address::Tcp { host, port } => {
                if host.contains(':') {
                    write!(f, "nbd://[{host}]")?;
                } else {
                    write!(f, "nbd://{host}")?;
                }
                if *port != PORT {
                    write!(f, ":{port}")?;
                }
                write!(f, "/{export}")
            }
        }
    }
}

/// Bytes as they stand in a URI: letters, digits, `-._~` and those that are named stay, the rest becomes `%XX`.
struct Escaped<'a>(&'a [u8], &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes, kept) = self;
        bytes.iter().try_for_each(|&byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte) {
                write!(f, "{}", char::from(byte))
            } else {
                write!(f, "%{byte:02X}")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_print_as_uris() {
        let unix = |path: &str, export: &str| Target {
            address: Address::Unix(path.into()),
            export: export.to_owned(),
        };
        let tcp = |host: &str, port, export: &str| Target {
            address: Address::Tcp { host: host.to_owned(), port },
            export: export.to_owned(),
        };
        for (target, uri) in [
            (unix("/run/a.sock", ""), "nbd+unix:///?socket=/run/a.sock"),
            (unix("/a b&c", "d/\u{fc} e"), "nbd+unix:///d/%C3%BC%20e?socket=/a%20b%26c"),
            (tcp("store", PORT, "vm"), "nbd://store/vm"),
            (tcp("10.0.0.1", 7, ""), "nbd://10.0.0.1:7/"),
            (tcp("fe80::1", 7, "vm"), "nbd://[fe80::1]:7/vm"),
        ] {
            assert_eq!(target.to_string(), uri);
        }
    }
}
