//! Addresses that may connect, as users write them: `10.0.0.0/8,fd00::/8,192.168.7.20`.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Bits of an IPv6 address before an embedded IPv4 address (`::ffff:0:0/96`, RFC 4291, section 2.5.5.2).
const MAPPED_BITS: u32 = 96;

/// Networks that may connect. At least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowedNetworks(Vec<Subnet>);

/// All addresses with the same leading bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Subnet {
    address: IpAddr,
    bits: u32,
}

impl AllowedNetworks {
    /// Returns true if a connection from `peer` is permitted.
    pub(crate) fn holds(&self, peer: IpAddr) -> bool {
        self.0.iter().any(|network| network.holds(peer.to_canonical()))
    }

    /// Parses several texts, each with one or more networks.
    pub(crate) fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let all: Result<Vec<Subnet>, String> =
            texts.into_iter().flat_map(|text| text.split(',')).map(|text| text.trim().parse()).collect();
        match all? {
            all if all.is_empty() => Err("No address may connect with an empty list: leave it out to admit \
                 every address, or do not listen"
                .to_owned()),
            all => Ok(Self(all)),
        }
    }
}

impl FromStr for AllowedNetworks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_texts([text])
    }
}

impl Subnet {
    fn holds(self, peer: IpAddr) -> bool {
        // Rust has no shift by all bits: a network of no bits holds every address of its kind.
        match (self.address, peer) {
            (IpAddr::V4(own), IpAddr::V4(peer)) => {
                (own.to_bits() ^ peer.to_bits()).checked_shr(u32::BITS - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(peer)) => {
                (own.to_bits() ^ peer.to_bits()).checked_shr(u128::BITS - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }

    /// Returns an IPv4 network that is written as an IPv6 one as IPv4: peers are compared in that form.
    fn canonical(self) -> Self {
        match self.address {
            IpAddr::V6(address) if self.bits >= MAPPED_BITS => match address.to_ipv4_mapped() {
                Some(address) => Self { address: address.into(), bits: self.bits - MAPPED_BITS },
                None => self,
            },
            _ => self,
        }
    }

    /// Returns the first address.
    fn first(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let host = u32::MAX.checked_shr(self.bits).unwrap_or(0);
                IpAddr::V4((address.to_bits() & !host).into())
            }
            IpAddr::V6(address) => {
                let host = u128::MAX.checked_shr(self.bits).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !host))
            }
        }
    }
}

impl FromStr for Subnet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unreadable = || {
            format!(
                "Cannot read '{text}' as a network: write an address, or its first bits and how many count, such as \
                 10.0.0.0/8, fd00::/8 or 192.168.7.20"
            )
        };
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| unreadable())?;
        let most = if address.is_ipv4() { u32::BITS } else { u128::BITS };
        let bits = match bits {
            None => most,
            // Without signs and spaces, which `parse` might accept.
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => {
                bits.parse().ok().filter(|bits| *bits <= most).ok_or_else(unreadable)?
            }
            Some(_) => return Err(unreadable()),
        };
        let network = Self { address, bits };
        if network.first() != address {
            // Which of the two was meant is unknown.
            return Err(format!(
                "Cannot take '{text}' as a network: bits behind the first {bits} are set; write {}/{bits}, or {address} for \
                 this one address",
                network.first()
            ));
        }
        Ok(network.canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(list: &str, peer: &str) -> bool {
        let allow: AllowedNetworks = list.parse().unwrap_or_else(|error| panic!("{list}: {error}"));
        allow.holds(peer.parse().expect("an address"))
    }

    #[test]
    fn networks_hold_their_addresses_and_no_others() {
        for (list, inside, outside) in [
            ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
            ("10.0.0.0/8", "10.0.0.0", "9.255.255.255"),
            ("192.168.7.20", "192.168.7.20", "192.168.7.21"),
            ("192.168.7.20/31", "192.168.7.21", "192.168.7.22"),
            ("127.0.0.1/32", "127.0.0.1", "127.0.0.2"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            ("::/0", "fe80::1", "10.0.0.1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("::1", "::1", "::2"),
            ("10.1.0.0/16, fd00::/8", "fd00::1", "10.2.0.1"),
            ("10.1.0.0/16,fd00::/8", "10.1.2.3", "fc00::1"),
        ] {
            assert!(holds(list, inside), "{inside} is in {list}");
            assert!(!holds(list, outside), "{outside} is not in {list}");
        }
    }

    #[test]
    fn an_ipv4_address_is_the_same_however_it_comes_and_however_it_is_written() {
        for list in ["10.0.0.0/8", "::ffff:10.0.0.0/104"] {
            for peer in ["10.1.2.3", "::ffff:10.1.2.3"] {
                assert!(holds(list, peer), "{peer} is in {list}");
            }
            assert!(!holds(list, "::ffff:11.0.0.1"));
            // Another address, though it ends in the same bits.
            assert!(!holds(list, "::10.1.2.3"));
        }
        assert!(!holds("::/0", "::ffff:10.1.2.3"), "it is no IPv6 address");
    }

    #[test]
    fn what_is_no_network_is_named() {
        for wrong in [
            "",
            ",",
            "10.0.0.0/8,",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "10.0.0.0/8/8",
            "10.0.0/8",
            "010.0.0.0/8",
            "localhost",
            "10.0.0.0-10.0.0.9",
            "fe80::1%eth0",
            "10.0.0.0/ 8",
            "[::1]",
            "1.2.3.4:80",
        ] {
            let message = wrong.parse::<AllowedNetworks>().expect_err(wrong);
            assert!(message.contains("10.0.0.0/8"), "{wrong}: {message}");
        }
        let message = "10.0.0.7/8".parse::<AllowedNetworks>().expect_err("bits behind");
        assert!(
            message.contains("10.0.0.7/8") && message.contains("write 10.0.0.0/8, or 10.0.0.7"),
            "{message}"
        );
        assert!("fd00::1/8".parse::<AllowedNetworks>().expect_err("bits behind").contains("fd00::/8"));
        assert!(AllowedNetworks::from_texts([]).is_err());
    }
}
