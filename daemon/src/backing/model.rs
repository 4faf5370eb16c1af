//! A file or device with the timing of a spinning array, for demonstrations and measurements.

use std::io;

use block::executor::LocalHost;
use block::file::FileDevice;
use block::model::Model;
use block::patient::Hang;
use block::{Aligned, BlockError};

use super::Identity;
use super::kinds::HandOff;
use super::storage::Storage;

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

    fn file(&self) -> Option<&FileDevice> {
        self.inner().file()
    }

    fn can_rest(&self) -> bool {
        self.inner().can_rest()
    }

    fn hand_off(&self) -> io::Result<HandOff> {
        self.inner().hand_off()
    }

    fn is_guarded(&self) -> bool {
        self.inner().is_guarded()
    }

    fn hang(&self) -> Hang {
        self.inner().hang()
    }
}
