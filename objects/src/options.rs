//! Address and options of a store, and which names its objects may have.

use std::path::{Path, PathBuf};
use std::time::Duration;

use volume::{StoreError, StoreErrorKind};

/// Largest object that a client creates or returns as a whole, in bytes.
pub const OBJECT_BYTES_MAX: u64 = 64 << 20;

/// Longest name of an object with the prefix of its address, in bytes: the limit of S3.
const NAME_BYTES_MAX: usize = 1024;
/// Longest part of a name, in bytes: file systems allow 255.
const PART_BYTES_MAX: usize = 200;

/// Place of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A folder of this host.
    Folder(PathBuf),
    /// A bucket, and a prefix of names in it without `/` at its ends, which may be empty.
    S3 {
        /// Name of the bucket.
        bucket: String,
        /// Prefix of all names.
        prefix: String,
    },
}

impl Address {
    /// Reads `file:///FOLDER` or `s3://BUCKET/PREFIX`.
    ///
    /// # Errors
    /// If the text is neither, with the reason.
    pub fn parse(url: &str) -> Result<Self, StoreError> {
        let invalid = |reason: &str| Err(StoreError::new(StoreErrorKind::Invalid, url, reason));
        if let Some(path) = url.strip_prefix("file://") {
            let path = Path::new(path);
            if !path.is_absolute() || path.components().any(|part| part.as_os_str() == "..") {
                return invalid("A folder is written as file:///FOLDER, an absolute path without `..`.");
            }
            return Ok(Self::Folder(path.components().collect()));
        }
        let Some(rest) = url.strip_prefix("s3://") else {
            return invalid("The address of a store begins with file:/// or s3://.");
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_fit =
            |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || b".-_".contains(&letter);
        if !(3..=63).contains(&bucket.len()) || !bucket.bytes().all(is_fit) || bucket.contains("..") {
            return invalid("The name of a bucket has 3 to 63 small letters, digits, dots and hyphens.");
        }
        let prefix = prefix.trim_end_matches('/');
        if !prefix.is_empty() {
            check_name(prefix)?;
        }
        Ok(Self::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

/// Options of a store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Address, see [`Address::parse`].
    pub url: String,
    /// Servers of S3 as `https://HOST[:PORT]`, or `http://` where plain text is meant; requests go round. None: Amazon's server of the region.
    pub endpoints: Vec<String>,
    /// Region; else from `AWS_REGION` or `AWS_DEFAULT_REGION`, else `us-east-1`.
    pub region: Option<String>,
    /// File with the lines `aws_access_key_id = ...` and `aws_secret_access_key = ...`, which only its owner may read; it is read again
    /// after it was replaced. None: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` of the environment.
    pub credentials: Option<PathBuf>,
    /// File with certificates of authorities in PEM, in place of those that the system trusts.
    pub ca: Option<PathBuf>,
    /// True if the bucket is in the path of a request, false if it is in the name of the host. None: in the path if endpoints are given.
    pub path_style: Option<bool>,
    /// Time until a request to one server, or to the folder, has failed; of S3 beside a second for each MiB that it transfers.
    pub timeout: Duration,
}

impl StoreOptions {
    /// Returns the defaults for an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            endpoints: Vec::new(),
            region: None,
            credentials: None,
            ca: None,
            path_style: None,
            timeout: Duration::from_secs(30),
        }
    }

    pub(crate) fn region(&self, variable: impl Fn(&str) -> Option<String>) -> String {
        let given = self.region.clone().or_else(|| variable("AWS_REGION"));
        given.or_else(|| variable("AWS_DEFAULT_REGION")).unwrap_or_else(|| "us-east-1".to_owned())
    }
}

/// Checks the name of an object: it becomes a part of a path and of a URL, and must come back in a list as it was.
pub(crate) fn check_name(name: &str) -> Result<(), StoreError> {
    let is_part = |part: &str| !part.is_empty() && part.len() <= PART_BYTES_MAX && !part.starts_with('.');
    if name.len() <= NAME_BYTES_MAX && is_plain(name) && name.split('/').all(is_part) {
        return Ok(());
    }
    let reason = "An object's name has parts of letters, digits and `._-=+@`, with `/` between them; none begins with a dot.";
    Err(StoreError::new(StoreErrorKind::Invalid, name, reason))
}

/// Checks the prefix of a list, which may end within a part, and may be empty.
pub(crate) fn check_prefix(prefix: &str) -> Result<(), StoreError> {
    let whole = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
    if prefix.len() <= NAME_BYTES_MAX && is_plain(prefix) && (whole.is_empty() || check_name(whole).is_ok()) {
        return Ok(());
    }
    Err(StoreError::new(StoreErrorKind::Invalid, prefix, "This is not the begin of an object's name."))
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"._-=+@/".contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folders_or_buckets() {
        assert_eq!(Address::parse("file:///srv/store/"), Ok(Address::Folder("/srv/store".into())));
        let s3 =
            |bucket: &str, prefix: &str| Ok(Address::S3 { bucket: bucket.into(), prefix: prefix.into() });
        assert_eq!(Address::parse("s3://disks"), s3("disks", ""));
        assert_eq!(Address::parse("s3://disks/a/b/"), s3("disks", "a/b"));
        for wrong in [
            "file://srv",
            "file:///srv/../etc",
            "s3://",
            "s3://No",
            "s3://disks//a",
            "s3://disks/.a",
            "/srv",
            "http://a",
        ] {
            let error = Address::parse(wrong).expect_err(wrong);
            assert_eq!(error.kind, StoreErrorKind::Invalid, "{wrong}");
        }
    }

    #[test]
    fn names_have_plain_parts() {
        for fit in ["a", "a/b", "ID/data/0000.0001", "a=b@c+d_e-f"] {
            assert_eq!(check_name(fit), Ok(()));
        }
        let long = "a".repeat(201);
        for unfit in ["", "/a", "a/", "a//b", ".a", "a/..", "a b", "ä", "a%2f", long.as_str()] {
            assert!(check_name(unfit).is_err(), "{unfit}");
        }
    }

    #[test]
    fn prefixes_may_end_anywhere() {
        for fit in ["", "a", "a/", "a/b."] {
            assert_eq!(check_prefix(fit), Ok(()));
        }
        for unfit in ["a//", "../", "a b"] {
            assert!(check_prefix(unfit).is_err(), "{unfit}");
        }
    }

    #[test]
    fn a_region_is_given_or_of_the_environment() {
        let mut options = StoreOptions::new("s3://disks");
        assert_eq!(options.region(|_| None), "us-east-1");
        assert_eq!(options.region(|name| (name == "AWS_DEFAULT_REGION").then(|| "there".into())), "there");
        options.region = Some("here".into());
        assert_eq!(options.region(|_| Some("there".into())), "here");
    }
}
