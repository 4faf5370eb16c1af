//! Count of devices of this host's kernel that this process serves, over any door: the caller provides for what they need of the process as
//! a whole.

use std::sync::LazyLock;

use tokio::sync::watch;

static USES: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// A use of this process by the kernel, until it is dropped.
#[derive(Debug)]
pub(crate) struct KernelUse(());

impl KernelUse {
    pub(crate) fn begin() -> Self {
        USES.send_modify(|uses| *uses += 1);
        Self(())
    }
}

impl Drop for KernelUse {
    fn drop(&mut self) {
        USES.send_modify(|uses| *uses -= 1);
    }
}

/// Returns the number of such uses, and each change of it.
pub fn kernel_uses() -> watch::Receiver<usize> {
    USES.subscribe()
}
