//! The location of an image: `rbd:POOL/[NAMESPACE/]IMAGE[?id=USER&conf=FILE]`.

use std::fmt;
use std::path::PathBuf;

/// An image of a cluster, and how to reach it. Prints as the location that names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageName {
    /// Its pool.
    pub pool: String,
    /// Its namespace in the pool; empty for the default one.
    pub namespace: String,
    /// Its name.
    pub image: String,
    /// The Ceph user without `client.`; none for that of the configuration, `admin`.
    pub user: Option<String>,
    /// The configuration file; none for the standard one.
    pub conf: Option<PathBuf>,
}

impl ImageName {
    /// Parses the part after `rbd:`.
    ///
    /// # Errors
    /// In words that follow "Cannot use backing ...: ".
    pub fn parse(rest: &str) -> Result<Self, String> {
        let usage =
            "write it as rbd:POOL/IMAGE, or rbd:POOL/NAMESPACE/IMAGE, with ?id=USER and &conf=FILE if needed";
        let (place, query) = match rest.split_once('?') {
            Some((place, query)) => (place, Some(query)),
            None => (rest, None),
        };
        let parts = place.split('/').map(decoded).collect::<Result<Vec<_>, _>>()?;
        let (pool, namespace, image) = match parts.as_slice() {
            [pool, image] => (pool, "", image),
            [pool, namespace, image] if !namespace.is_empty() => (pool, namespace.as_str(), image),
            _ => return Err(format!("'{place}' names no image; {usage}")),
        };
        if pool.is_empty() || image.is_empty() {
            return Err(format!("'{place}' names no image; {usage}"));
        }
        if image.contains('@') {
            return Err("snapshots are not served; name an image, or clone the snapshot".to_owned());
        }
        let mut name = Self {
            pool: pool.clone(),
            namespace: namespace.to_owned(),
            image: image.clone(),
            user: None,
            conf: None,
        };
        for option in query.into_iter().flat_map(|query| query.split('&')) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let value = decoded(value)?;
            let is_new = match key {
                _ if value.is_empty() => return Err(format!("'{option}' means nothing here; {usage}")),
                "id" if value.starts_with("client.") => {
                    return Err(format!("write the user '{value}' without 'client.'"));
                }
                "id" => name.user.replace(value).is_none(),
                "conf" => name.conf.replace(PathBuf::from(value)).is_none(),
                _ => return Err(format!("'{option}' means nothing here; {usage}")),
            };
            if !is_new {
                return Err(format!("it has '{key}=' twice"));
            }
        }
        Ok(name)
    }

    /// Returns `POOL/[NAMESPACE/]IMAGE`, as the command `rbd` names it.
    pub fn plain(&self) -> String {
        let Self { pool, namespace, image, .. } = self;
        if namespace.is_empty() { format!("{pool}/{image}") } else { format!("{pool}/{namespace}/{image}") }
    }

    /// Returns the user as Ceph prints it.
    pub fn entity(&self) -> String {
        format!("client.{}", self.user.as_deref().unwrap_or("admin"))
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rbd:{}/", Escaped(&self.pool))?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", Escaped(&self.namespace))?;
        }
        write!(f, "{}", Escaped(&self.image))?;
        let mut separator = '?';
        if let Some(user) = &self.user {
            write!(f, "{separator}id={}", Escaped(user))?;
            separator = '&';
        }
        if let Some(conf) = &self.conf {
            // A path that came from a text is one.
            let conf = conf.to_string_lossy();
            let parts = conf.split('/').map(|part| Escaped(part).to_string()).collect::<Vec<_>>();
            write!(f, "{separator}conf={}", parts.join("/"))?;
        }
        Ok(())
    }
}

/// Text in which every byte that separates parts is written as `%XX`.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| {
            if letter.is_ascii_control() || "%?&/# ".contains(letter) {
                write!(f, "%{:02X}", u32::from(letter))
            } else {
                write!(f, "{letter}")
            }
        })
    }
}

fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next()), digit(rest.next()));
        let value = high.zip(low).map(|(high, low)| (high * 16 + low) as u8);
        bytes.push(
            value.ok_or_else(|| format!("a '%' in '{text}' is not followed by two hexadecimal digits"))?,
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(format!("'{text}' is no text in UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_parsed_and_print_what_parses_back() {
        for (rest, pool, namespace, image, user, conf) in [
            ("rbd/web", "rbd", "", "web", None, None),
            ("p/n/i", "p", "n", "i", None, None),
            ("p/i?id=vm", "p", "", "i", Some("vm"), None),
            ("p/i?conf=/etc/a%26b.conf&id=vm", "p", "", "i", Some("vm"), Some("/etc/a&b.conf")),
            ("p/a%3Fb%25", "p", "", "a?b%", None, None),
        ] {
            let name = ImageName::parse(rest).expect(rest);
            let expected = ImageName {
                pool: pool.to_owned(),
                namespace: namespace.to_owned(),
                image: image.to_owned(),
                user: user.map(str::to_owned),
                conf: conf.map(PathBuf::from),
            };
            assert_eq!(name, expected);
            let printed = name.to_string();
            let again = printed.strip_prefix("rbd:").expect("it prints its scheme");
            assert_eq!(ImageName::parse(again), Ok(name), "{printed}");
        }
    }

    #[test]
    fn malformed_locations_are_refused_with_the_form() {
        for rest in [
            "",
            "p",
            "p/",
            "/i",
            "p//i",
            "a/b/c/d",
            "p/i?x=1",
            "p/i?id=",
            "p/i?id=a&id=b",
            "p/i@s",
            "p/%4",
            "p/i?id=client.a",
        ] {
            ImageName::parse(rest).expect_err(rest);
        }
        assert!(ImageName::parse("p/i@s").expect_err("a snapshot").contains("snapshots"));
    }

    #[test]
    fn names_for_people_are_those_of_the_tools() {
        let name = ImageName::parse("p/n/i?id=vm").expect("a name");
        assert_eq!((name.plain().as_str(), name.entity().as_str()), ("p/n/i", "client.vm"));
        assert_eq!(ImageName::parse("p/i").expect("a name").entity(), "client.admin");
    }
}
