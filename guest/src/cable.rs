//! Network of two guests: each receives the frames of the other.
//!
//! Frames are datagrams of Unix sockets, so that either guest may end and start again while the other one runs, as with a cable that stays
//! plugged in. The network cannot be reached from outside.

use std::sync::Arc;

use crate::boot::Folder;

/// Cable between two guests. See the module.
#[derive(Debug)]
pub struct Cable {
    folder: Arc<Folder>,
}

/// End of a [`Cable`]. A guest that is started again gets the same end as before.
#[derive(Debug)]
pub struct CableEnd {
    folder: Arc<Folder>,
    here: &'static str,
    there: &'static str,
    /// Address of the card, which must differ from that at the other end.
    mac: &'static str,
}

impl Cable {
    /// Creates a cable.
    ///
    /// # Errors
    /// If its folder cannot be created.
    pub fn new() -> Result<Self, String> {
        Ok(Self { folder: Arc::new(Folder::new()?) })
    }

    /// Returns its two ends.
    pub fn ends(&self) -> [CableEnd; 2] {
        let end = |here, there, mac| CableEnd { folder: Arc::clone(&self.folder), here, there, mac };
        [end("a", "b", "52:54:00:00:00:01"), end("b", "a", "52:54:00:00:00:02")]
    }
}

impl CableEnd {
    /// Returns QEMU's arguments for a card at this end.
    pub(crate) fn arguments(&self) -> [String; 4] {
        let (here, there) = (self.folder.text(self.here), self.folder.text(self.there));
        let cable =
            format!("dgram,id=cable,local.type=unix,local.path={here},remote.type=unix,remote.path={there}");
        let card = format!("virtio-net-pci,netdev=cable,mac={}", self.mac);
        ["-netdev".to_owned(), cable, "-device".to_owned(), card]
    }
}
