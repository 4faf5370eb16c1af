//! Addresses and host names of HTTP over TCP, as users write them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// Settings of HTTP over TCP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Http {
    /// Address.
    pub(crate) listen: HttpListen,
    /// Names of this host that browsers use for it.
    pub(crate) names: Vec<HostName>,
}

impl Http {
    /// Returns settings without HTTP over TCP.
    pub(crate) fn off() -> Self {
        Self { listen: HttpListen::Off, names: Vec::new() }
    }
}

/// Address of HTTP over TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HttpListen {
    /// None.
    Off,
    /// An address. With port 0 the system chooses the port.
    At(SocketAddr),
}

impl Default for HttpListen {
    /// Returns an address for this host only.
    fn default() -> Self {
        Self::At(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7070))
    }
}

impl FromStr for HttpListen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" || text == "none" {
            return Ok(Self::Off);
        }
        text.parse().map(Self::At).map_err(|_| {
            format!(
                "Cannot read '{text}' as an address: write an IP address and a port, such as 127.0.0.1:7070 or \
                 [::1]:7070, or off"
            )
        })
    }
}

/// A name of this host, in lower case, with a port if it is for one only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostName(String);

impl HostName {
    /// Returns it as a browser sends it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, port) = text.split_once(':').unwrap_or((text, "1"));
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
        match port.parse::<u16>() {
            Ok(1..) if is_name => Ok(Self(text.to_ascii_lowercase())),
            _ => Err(format!(
                "Cannot read '{text}' as the name of a host: write it as storage1.example.com, or with a port as \
                 storage1.example.com:8080"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_the_words_for_none_are_read() {
        for (text, listen) in [
            ("off", HttpListen::Off),
            ("none", HttpListen::Off),
            ("127.0.0.1:7070", HttpListen::default()),
            ("[::1]:80", HttpListen::At("[::1]:80".parse().expect("an address"))),
            ("0.0.0.0:0", HttpListen::At("0.0.0.0:0".parse().expect("an address"))),
        ] {
            assert_eq!(text.parse(), Ok(listen), "{text}");
        }
        for wrong in ["", "on", "7070", ":7070", "localhost:7070", "127.0.0.1", "127.0.0.1:70700", "::1:80"] {
            let message = wrong.parse::<HttpListen>().unwrap_err();
            assert!(message.contains("127.0.0.1:7070") && message.contains("off"), "{message}");
        }
    }

    #[test]
    fn names_of_hosts_are_read_without_what_belongs_to_an_address() {
        for good in ["storage1", "Storage1.Example.com", "a-b_c.d:8443"] {
            let name: HostName = good.parse().expect(good);
            assert_eq!(name.as_str(), good.to_ascii_lowercase());
        }
        for wrong in ["", ":80", "a b", "http://a", "a/", "a:", "a:0", "a:b", "a:1:2", "user@a", "*.example"]
        {
            assert!(wrong.parse::<HostName>().unwrap_err().contains("storage1.example.com"), "{wrong}");
        }
    }
}
