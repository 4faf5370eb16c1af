//! Identities of the storage of backings, so that none is served twice.

use block::file;

/// Identity of storage, the same by whatever name it is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// A file or a block device of this host.
    Local(file::Identity),
    /// Remote storage, by a normalised name. Storage that its servers export under several names has several
    /// identities.
    Remote(String),
}

impl From<file::Identity> for Identity {
    fn from(identity: file::Identity) -> Self {
        Self::Local(identity)
    }
}

impl Identity {
    /// Returns its identity on this host, if it is local.
    pub(crate) fn local(&self) -> Option<file::Identity> {
        match self {
            Self::Local(identity) => Some(*identity),
            Self::Remote(_) => None,
        }
    }

    /// Returns true if both are the same storage.
    pub(crate) fn same_storage(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local(one), Self::Local(two)) => one.same_storage(two),
            (Self::Remote(one), Self::Remote(two)) => one == two,
            (Self::Local(_), Self::Remote(_)) | (Self::Remote(_), Self::Local(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;
    use crate::backing::Location;
    use crate::backing::kinds::identity_of;

    #[test]
    fn one_export_is_known_by_all_the_ways_to_its_socket() {
        let dir = TempDir::new();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).expect("the folder is ours");
        let identity = |uri: &str| match Location::parse(uri).expect("it is one") {
            Location::Nbd(target) => identity_of(&target),
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
