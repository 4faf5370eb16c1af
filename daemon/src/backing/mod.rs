//! Backings: where the data of a disk finally lives, from the words of a user to an open device.
//!
//! ```text
//!   "file:web.img" ──Location──> is it raw? (probe) ──> Backing::open; off the shard what may wait
//! ```
//! Opening and attaching change nothing in a backing. A file or device is locked as QEMU locks images, so that neither
//! QEMU nor a second Forebay opens it beside us; an NBD server knows no locks.

mod device;
mod file;
mod identity;
mod model;
mod nbd;
mod probe;
mod stack;
mod storage;
mod uri;

use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use device::{Backing, BackingHandle, Opening};
pub(crate) use identity::Identity;
pub(crate) use nbd::look_at_export;
pub(crate) use probe::{Images, probe, volatility};
pub(crate) use stack::KernelFolders;

use block::model::Profile;
use block::nbd::Target;

use crate::places;
use crate::problem::{Answer, Problem};
use crate::rights::own_user;

/// Where a backing is. Prints as what reads back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Location {
    /// A raw file or a block device.
    File(PathBuf),
    /// One with the timing of a spinning array, for demonstrations and measurements.
    Model(Profile, PathBuf),
    /// An export of an NBD server.
    Nbd(Target),
}

impl Location {
    /// Reads what a user wrote; a relative path counts from the working directory of *this* process.
    ///
    /// # Errors
    /// For kinds of backings that this version does not have, and for words that are none.
    pub(crate) fn parse(text: &str) -> Answer<Self> {
        let refuse = |what: String| Problem::invalid(format!("Cannot use backing '{text}': {what}"));
        let not_yet = |kind: &str| {
            Err(refuse(format!("{kind} is not available yet; use a file, a block device or an NBD server")))
        };
        let (profile, path) = match text.split_once(':') {
            Some(("file", path)) => (None, path),
            Some(("model", rest)) => {
                let (profile, path) = parse_model(text, rest)?;
                (Some(profile), path)
            }
            Some(("nbd", rest)) => return uri::parse_tcp(rest).map(Self::Nbd).map_err(refuse),
            Some(("nbd+unix", rest)) => return uri::parse_unix(rest).map(Self::Nbd).map_err(refuse),
            Some(("nbds" | "nbds+unix", _)) => return not_yet("encryption"),
            Some(("rbd", _)) => return not_yet("a backing on Ceph RBD"),
            Some((scheme, rest)) if rest.starts_with("//") => {
                return Err(refuse(format!(
                    "'{scheme}' is not known; use a path, file:PATH or nbd://HOST/EXPORT"
                )));
            }
            _ => (None, text),
        };
        if path.is_empty() {
            return Err(refuse("it names no file; give the path of a file or block device".to_owned()));
        }
        let path = places::absolute(Path::new(path))?;
        Ok(match profile {
            Some(profile) => Self::Model(profile, path),
            None => Self::File(path),
        })
    }

    /// The file that holds the data, if this host has it.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Model(_, path) => Some(path),
            Self::Nbd(_) => None,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With the scheme, because a path may itself look like one.
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Model(profile, path) => write!(f, "model:{profile}:{}", path.display()),
            Self::Nbd(target) => write!(f, "{target}"),
        }
    }
}

/// What to do about a backing that the daemon may not open. "Permission denied" alone reads as if the user who typed
/// the command were meant.
fn let_in(path: &Path) -> String {
    let (user, path) = (own_user(), path.display());
    format!(
        "the daemon runs as user '{user}'; `setfacl -m u:{user}:rw {path}` lets it at this file, and the folders above \
         must let it through"
    )
}

fn parse_model<'a>(text: &str, rest: &'a str) -> Answer<(Profile, &'a str)> {
    let refuse = |what: String| Problem::invalid(format!("Cannot use backing '{text}': {what}"));
    let (profile, path) = rest.split_once(':').ok_or_else(|| {
        refuse("write it as model:PROFILE:PATH, for example model:hdd-15k:/disks/a.img".to_owned())
    })?;
    let profile = profile.parse::<Profile>().map_err(|error| refuse(error.to_string()))?;
    Ok((profile, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_file_locations_are_read_and_print_what_reads_back() {
        for (text, path) in [
            ("/a/b.img", "/a/b.img"),
            ("file:/a:b", "/a:b"),
            ("/x:y.img", "/x:y.img"),
            ("model:hdd-15k-raid5x5:/m:n", "/m:n"),
        ] {
            let location = Location::parse(text).expect(text);
            assert_eq!(location.path(), Some(Path::new(path)));
            assert_eq!(Location::parse(&location.to_string()), Ok(location));
        }
        let here = Location::parse("web.img").expect("a relative path");
        assert!(here.path().expect("a file").is_absolute());
    }

    #[test]
    fn kinds_that_come_later_are_named_as_such() {
        for text in ["nbds://host/x", "nbds+unix:///x?socket=/s", "rbd:pool/image"] {
            let problem = Location::parse(text).expect_err(text);
            assert!(problem.message.contains("not available yet"), "{problem}");
        }
    }

    #[test]
    fn what_names_no_backing_is_refused() {
        for text in [
            "",
            "file:",
            "https://host/disk.img",
            "model:",
            "model:hdd-15k",
            "model:floppy:/a",
            "model:hdd-15k:",
            "nbd:store",
            "nbd+unix:///x",
        ] {
            assert!(Location::parse(text).expect_err(text).message.starts_with("Cannot use backing"));
        }
    }
}
