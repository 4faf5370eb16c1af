//! Scrubs of backings.

use base::error::{Error, Result};

use super::{DiskView, Registry, known};
use crate::backing::SCRUB_RATE;

impl Registry {
    /// Starts a scrub of a disk's backing, unless one runs. Its report has the progress.
    ///
    /// # Errors
    /// If there is none of this name, it is not served, or its backing cannot be scrubbed.
    pub(crate) async fn start_scrub(&self, name: &str, rate: Option<u64>) -> Result<DiskView> {
        known(&self.state(), name)?;
        if rate == Some(0) {
            return Err(Error::invalid(format!(
                "Cannot scrub disk '{name}' with 0 bytes a second: give 1 or more"
            )));
        }
        self.shards.start_scrub(name.to_owned(), rate.unwrap_or(SCRUB_RATE)).await?;
        self.disk(name).await
    }

    /// Ends a scrub, if one runs.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn stop_scrub(&self, name: &str) -> Result<DiskView> {
        known(&self.state(), name)?;
        self.shards.stop_scrub(name.to_owned()).await?;
        self.disk(name).await
    }
}
