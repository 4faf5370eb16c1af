//! Objects whose keys stand in a table elsewhere: settings, counters, classes of latency.

use serde::{Serialize, Serializer};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};

/// Keys with their values, in the order of their table.
#[derive(Debug)]
pub(super) struct Listed<T>(pub(super) Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Listed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The schema of an object that has these keys, each with a `T`.
pub(super) fn schema_of<T: PartialSchema>(keys: impl Iterator<Item = &'static str>) -> RefOr<Schema> {
    let object = keys.fold(ObjectBuilder::new(), |object, key| object.property(key, T::schema()));
    object.into()
}
