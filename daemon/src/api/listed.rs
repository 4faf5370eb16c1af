//! What is listed elsewhere: objects whose keys stand in a table (settings, counters, classes of latency), and the names that
//! a state can have.

use serde::{Serialize, Serializer};
use serde_json::Value;
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

/// The names that a `T` has in documents, if all it has is names: in the order in which they are declared.
pub(crate) fn names_of<T: PartialSchema>() -> Vec<String> {
    let RefOr::T(Schema::Object(object)) = T::schema() else { return Vec::new() };
    let values = object.enum_values.unwrap_or_default();
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{DeviceState, DiskState, PoolState};

    #[test]
    fn states_have_the_names_that_documents_have() {
        let names = names_of::<DiskState>();
        assert_eq!(names, ["serving", "waiting", "failed", "stopped", "removing", "attaching", "detaching"]);
        assert_eq!(names_of::<PoolState>(), ["serving", "failed", "missing"]);
        assert_eq!(names_of::<DeviceState>(), ["used", "failed", "leaving"]);
        assert_eq!(names_of::<String>(), [""; 0]);
    }
}
