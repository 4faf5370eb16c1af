//! URIs of NBD exports, as the NBD project specifies them. They are parsed strictly: a typing error that is
//! accepted would name another disk.
//!
//! ```text
//!   nbd://HOST[:PORT]/EXPORT          nbd+unix:///EXPORT?socket=/PATH
//! ```

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use block::nbd::{Address, PORT, Target};

use crate::places;

/// The longest name of an export in bytes, by the specification.
const NAME_MAX: usize = 4096;
/// The longest path of a Unix socket in bytes, by the system's address format.
const SOCKET_PATH_MAX: usize = 107;

/// Parses the part after `nbd:`. An error is in words that follow "Cannot use backing ...: ".
pub(super) fn parse_tcp(rest: &str) -> Result<Target, String> {
    let (authority, path, query) = split(rest)?;
    if let Some(query) = query {
        return Err(format!("'?{query}' means nothing here; write it as nbd://HOST[:PORT]/EXPORT"));
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or("its '[' has no ']'")?;
            host.parse::<std::net::Ipv6Addr>().map_err(|_| format!("'{host}' is no IPv6 address"))?;
            (
                host,
                if port.is_empty() {
                    None
                } else {
                    Some(port.strip_prefix(':').ok_or("its port has no ':'")?)
                },
            )
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let host_is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte));
    if host.is_empty() || !host_is_plain {
        return Err(format!(
            "'{host}' is no name or address of a host; write it as nbd://HOST[:PORT]/EXPORT"
        ));
    }
    let port = match port {
        None => PORT,
        Some(port) => match port.parse() {
            Ok(port) if port > 0 => port,
            _ => return Err(format!("'{port}' is no port; write a number from 1 to 65535")),
        },
    };
    Ok(Target { address: Address::Tcp { host: host.to_ascii_lowercase(), port }, export: export(path)? })
}

/// Parses the part after `nbd+unix:`, with the same errors. A relative path counts from the working directory
/// of this process.
pub(super) fn parse_unix(rest: &str) -> Result<Target, String> {
    let (authority, path, query) = split(rest)?;
    if !authority.is_empty() {
        return Err(format!(
            "'{authority}' stands where nothing belongs; write three slashes: nbd+unix:///EXPORT"
        ));
    }
    let missing = "it names no socket; write it as nbd+unix:///EXPORT?socket=/PATH";
    let socket = query.ok_or(missing)?;
    let socket = socket.strip_prefix("socket=").ok_or(missing)?;
    if socket.contains('&') {
        return Err("it has more than 'socket='; write an '&' in a path as %26".to_owned());
    }
    let socket = decoded(socket)?;
    if socket.is_empty() || socket.contains(&0) {
        return Err(missing.to_owned());
    }
    let path_of_socket =
        places::absolute(Path::new(&OsString::from_vec(socket))).map_err(|problem| problem.message)?;
    if path_of_socket.as_os_str().as_bytes().len() > SOCKET_PATH_MAX {
        return Err(format!(
            "the path of its socket has more than {SOCKET_PATH_MAX} bytes, which the system does not allow; choose a shorter folder"
        ));
    }
    Ok(Target { address: Address::Unix(path_of_socket), export: export(path)? })
}

/// Splits `//AUTHORITY[/PATH][?QUERY]` into its parts.
fn split(rest: &str) -> Result<(&str, &str, Option<&str>), String> {
    let rest = rest.strip_prefix("//").ok_or("'//' is missing after its scheme")?;
    if rest.contains('#') {
        return Err("it has a '#'; write that as %23".to_owned());
    }
    let (before, query) = match rest.split_once('?') {
        Some((before, query)) => (before, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = before.split_once('/').unwrap_or((before, ""));
    Ok((authority, path, query))
}

fn export(path: &str) -> Result<String, String> {
    let name = String::from_utf8(decoded(path)?).map_err(|_| format!("'{path}' is no text in UTF-8"))?;
    if name.len() > NAME_MAX {
        return Err(format!(
            "the name of its export has {} bytes; at most {NAME_MAX} are allowed",
            name.len()
        ));
    }
    Ok(name)
}

/// Decodes a percent-encoded text.
fn decoded(text: &str) -> Result<Vec<u8>, String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.split_at_checked(2).and_then(|(digits, after)| {
            rest = after;
            let digit = |byte: u8| char::from(byte).to_digit(16);
            Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
        });
        bytes.push(
            digits.ok_or_else(|| format!("a '%' in '{text}' is not followed by two hexadecimal digits"))?,
        );
    }
    Ok(bytes)
}

/// Returns the same export under its normalised name: symbolic links on the path of its socket are resolved,
/// as far as they exist.
pub(super) fn plain(target: &Target) -> Target {
    let address = match &target.address {
        Address::Unix(path) => Address::Unix(plain_path(path)),
        other @ (Address::Helper { .. } | Address::Tcp { .. }) => other.clone(),
    };
    Target { address, ..target.clone() }
}

/// Resolves the folder only: the socket may not exist yet.
fn plain_path(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    path.canonicalize()
        .ok()
        .or_else(|| Some(folder?.join(path.file_name()?)))
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(host: &str, port: u16, export: &str) -> Target {
        Target { address: Address::Tcp { host: host.to_owned(), port }, export: export.to_owned() }
    }

    fn unix(path: &str, export: &str) -> Target {
        Target { address: Address::Unix(path.into()), export: export.to_owned() }
    }

    #[test]
    fn uris_are_read_and_print_what_reads_back() {
        for (rest, target) in [
            ("//store/vm", tcp("store", PORT, "vm")),
            ("//Store.Example:99/a/b", tcp("store.example", 99, "a/b")),
            ("//10.0.0.1", tcp("10.0.0.1", PORT, "")),
            ("//[fe80::1]:7/%C3%BC%2f%20", tcp("fe80::1", 7, "\u{fc}/ ")),
            ("//[::1]/", tcp("::1", PORT, "")),
        ] {
            assert_eq!(parse_tcp(rest), Ok(target.clone()), "{rest}");
            let again = target.to_string();
            assert_eq!(parse_tcp(again.strip_prefix("nbd:").expect("a URI")), Ok(target));
        }
        for (rest, target) in [
            ("///vm?socket=/run/a.sock", unix("/run/a.sock", "vm")),
            ("//?socket=/run/a.sock", unix("/run/a.sock", "")),
            ("///a%3Fb?socket=/a%20b%26c?d", unix("/a b&c?d", "a?b")),
        ] {
            assert_eq!(parse_unix(rest), Ok(target.clone()), "{rest}");
            let again = target.to_string();
            assert_eq!(parse_unix(again.strip_prefix("nbd+unix:").expect("a URI")), Ok(target));
        }
        let relative = parse_unix("///?socket=a.sock").expect("it counts from here");
        assert!(matches!(relative.address, Address::Unix(path) if path.is_absolute()));
    }

    #[test]
    fn what_is_not_quite_a_uri_is_refused() {
        for (rest, reason) in [
            ("store/vm", "'//' is missing"),
            ("///vm", "no name or address"),
            ("//user@store/vm", "no name or address"),
            ("//store:/vm", "no port"),
            ("//store:0/vm", "no port"),
            ("//store:70000/vm", "no port"),
            ("//[::1/vm", "no ']'"),
            ("//[::1]7/vm", "no ':'"),
            ("//[store]/vm", "no IPv6"),
            ("//::1/vm", "no name or address"),
            ("//store/vm?tls=1", "means nothing"),
            ("//store/vm#1", "%23"),
            ("//store/%zz", "hexadecimal"),
            ("//store/%e", "hexadecimal"),
            ("//store/%FF", "UTF-8"),
        ] {
            let message = parse_tcp(rest).expect_err(rest);
            assert!(message.contains(reason), "{rest}: {message}");
        }
        let long = format!("///vm?socket=/{}", "x".repeat(107));
        for (rest, reason) in [
            ("///vm", "names no socket"),
            ("///vm?socket=", "names no socket"),
            ("///vm?path=/a", "names no socket"),
            ("///vm?socket=/a%00", "names no socket"),
            ("///vm?socket=/a&tls=1", "%26"),
            ("//vm?socket=/a", "three slashes"),
            (&long, "107"),
        ] {
            let message = parse_unix(rest).expect_err(rest);
            assert!(message.contains(reason), "{rest}: {message}");
        }
    }
}
