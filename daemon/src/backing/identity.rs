//! Which storage a backing is on, so that nothing is served twice.

use block::file;
use block::nbd::Target;

use super::uri;

/// What tells one backing from another, however they were named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// A file or a block device of this host.
    Local(file::Identity),
    /// An export of an NBD server: where the server listens, and the name. A server that listens in several places, or
    /// serves one image under several names, is not seen through.
    Export(Target),
}

impl Identity {
    /// That of an export.
    pub(super) fn of_export(target: &Target) -> Self {
        Self::Export(uri::plain(target))
    }

    /// What it is on this host, if it is there.
    pub(crate) fn local(&self) -> Option<file::Identity> {
        match self {
            Self::Local(identity) => Some(*identity),
            Self::Export(_) => None,
        }
    }

    /// True if both are one storage.
    pub(crate) fn same_storage(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local(one), Self::Local(two)) => one.same_storage(two),
            (Self::Export(one), Self::Export(two)) => one == two,
            (Self::Local(_), Self::Export(_)) | (Self::Export(_), Self::Local(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backing::Location;
    use crate::testing::TempDir;

    #[test]
    fn one_export_is_known_by_all_the_ways_to_its_socket() {
        let dir = TempDir::new();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).expect("the folder is ours");
        let identity = |uri: &str| match Location::parse(uri).expect("it is one") {
            Location::Nbd(target) => Identity::of_export(&target),
            other => panic!("{other} is no export"),
        };
        let (plain, linked) = (dir.path().display(), link.display());
        let one = identity(&format!("nbd+unix:///vm?socket={plain}/a.sock"));
        let same = identity(&format!("nbd+unix:///vm?socket={linked}/a.sock"));
        assert!(one.same_storage(&same));
        assert!(!one.same_storage(&identity(&format!("nbd+unix:///vm2?socket={plain}/a.sock"))));
        assert!(!one.same_storage(&identity(&format!("nbd+unix:///vm?socket={plain}/b.sock"))));
        assert!(identity("nbd://Store/vm").same_storage(&identity("nbd://store:10809/vm")));
        assert!(!one.same_storage(&Identity::Local(file::Identity::of(dir.path()).expect("it is there"))));
    }
}
