//! Attributes and marks of an image: keys of its metadata, which the cluster keeps durably.

use std::io;
use std::sync::Arc;

use ::rbd::{Outcome, Request, SESSION_KEY};

use super::helper::Helper;
use super::image_id;
use crate::backing_identity::{Appearance, Attributes, CannotMark, DirtyMark};

/// The key of the dirty mark: `POOL DISK NAME`.
const DIRTY: &str = "forebay.dirty";

/// Attributes of an image.
pub(super) struct ImageAttributes(Arc<Helper>);

impl ImageAttributes {
    pub(super) fn new(helper: &Arc<Helper>) -> Self {
        Self(Arc::clone(helper))
    }

    fn get(&self, key: &str) -> io::Result<Option<String>> {
        match self.0.call(Request::MetadataGet { key: key.to_owned() })? {
            Outcome::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    fn change(&self, request: Request) -> io::Result<()> {
        match self.0.call(request)? {
            Outcome::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    fn set(&self, key: &str, value: String) -> Result<(), CannotMark> {
        let setting = self.change(Request::MetadataSet { key: key.to_owned(), value });
        setting.map_err(|error| CannotMark(format!("the metadata of the image cannot be written ({error})")))
    }
}

fn unexpected(outcome: &Outcome) -> io::Error {
    match outcome {
        Outcome::Failed { errno } => io::Error::from_raw_os_error(*errno),
        _ => io::Error::new(io::ErrorKind::InvalidData, "its helper answered something else"),
    }
}

impl Attributes for ImageAttributes {
    fn appearance(&self) -> io::Result<Appearance> {
        let opened = self.0.opened();
        Ok(Appearance {
            image: Some(image_id(&opened)),
            unchanged: opened.unchanged,
            session: self.get(SESSION_KEY)?,
            dirty: self.get(DIRTY)?.map(|text| DirtyMark::parse(&text)),
            ..Appearance::default()
        })
    }

    fn check_marks(&self) -> Result<(), CannotMark> {
        Ok(())
    }

    fn set_session(&self, session: &str) -> Result<(), CannotMark> {
        self.set(SESSION_KEY, session.to_owned())
    }

    fn set_dirty_mark(&self, mark: &DirtyMark) -> Result<(), CannotMark> {
        self.set(DIRTY, mark.to_string())
    }

    fn remove_dirty_mark(&self, mark: &DirtyMark) -> io::Result<()> {
        let found = self.get(DIRTY)?.map(|text| DirtyMark::parse(&text));
        if found.as_ref() != Some(mark) {
            return Ok(());
        }
        self.change(Request::MetadataRemove { key: DIRTY.to_owned() })
    }
}
