//! A file or device with the timing of a spinning array, for demonstrations and measurements.

use std::sync::Arc;

use base::error::Result;
use block::executor::LocalHost;
use block::file::{FileDevice, Lock};
use block::model::Model;
use block::patient::HangPolicy;
use block::{Aligned, BlockError};

use super::{HandOff, Location};
use crate::backing::storage::Storage;
use crate::backing::{Capabilities, Identity};
use crate::backing_identity::Attributes;

impl Storage for Model<Aligned<FileDevice>, LocalHost> {
    fn identity(&self) -> Identity {
        self.inner().identity()
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        self.inner().current_size().await
    }

    fn set_size(&self, bytes: u64) {
        Storage::set_size(self.inner(), bytes);
        self.fit();
    }

    fn unit(&self) -> u64 {
        Storage::unit(self.inner())
    }

    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    fn attributes(&self, location: &Location) -> Arc<dyn Attributes> {
        self.inner().attributes(location)
    }

    fn is_write_protected(&self) -> bool {
        self.inner().is_write_protected()
    }

    fn lock(&self) -> Lock {
        self.inner().lock()
    }

    fn take_image_lock(&self, location: &Location) -> Result<()> {
        self.inner().take_image_lock(location)
    }

    fn give_up_image_lock(&self, location: &Location) -> Result<()> {
        self.inner().give_up_image_lock(location)
    }

    fn hand_off(&self) -> HandOff {
        self.inner().hand_off()
    }

    fn hang(&self) -> HangPolicy {
        self.inner().hang()
    }
}
