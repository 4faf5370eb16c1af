//! Objects whose keys are in a table (settings, counters, classes of latency), and the names that a state can have.

use serde::{Serialize, Serializer};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, Components, ObjectBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::histograms::Class;
use crate::statistics::Latency;

/// Keys with their values, in the order of their table.
#[derive(Debug)]
pub struct Listed<T>(pub Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Listed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Objects whose keys are in a table of the engine. Their schema has the type of a value; [`name_keys`] adds the table's names to the
/// OpenAPI document.
macro_rules! listed {
    ($($(#[doc = $about:literal])* $name:ident($value:ty))*) => {
        $(
            $(#[doc = $about])*
            #[derive(Debug, Serialize)]
            pub struct $name(pub Listed<$value>);

            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    ObjectBuilder::new().additional_properties(Some(<$value>::schema())).into()
                }
            }

            impl ToSchema for $name {}
        )*
    };
}

listed! {
    /// The keys of a disk, with their values.
    Settings(String)
    /// Each counter by its name.
    Counts(u64)
    /// Each class of latencies by its name, in microseconds.
    Latencies(Latency)
    /// Each class of latencies by its name.
    OfLatencies(Vec<Class>)
}

/// Adds keys to the object `T` of an OpenAPI document; all have values of one type.
pub fn name_keys<T: ToSchema>(components: &mut Components, keys: impl Iterator<Item = &'static str>) {
    let Some(RefOr::T(Schema::Object(object))) = components.schemas.get_mut(&*T::name()) else { return };
    let Some(value) = object.additional_properties.take() else { return };
    if let AdditionalProperties::RefOr(value) = *value {
        object.properties.extend(keys.map(|key| (key.to_owned(), value.clone())));
    }
}

/// Returns the names that a `T` has in documents, if it has only names, in the order of their declaration.
pub fn names_of<T: PartialSchema>() -> Vec<String> {
    let RefOr::T(Schema::Object(object)) = T::schema() else { return Vec::new() };
    let values = object.enum_values.unwrap_or_default();
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceState, DiskState, PoolState};

    #[test]
    fn states_have_the_names_that_documents_have() {
        let names = names_of::<DiskState>();
        assert_eq!(names, ["serving", "waiting", "failed", "stopped", "removing", "attaching", "detaching"]);
        assert_eq!(names_of::<PoolState>(), ["serving", "failed", "missing"]);
        assert_eq!(names_of::<DeviceState>(), ["used", "failed", "leaving"]);
        assert_eq!(names_of::<String>(), [""; 0]);
    }
}
