//! Details of an open backing that only its kind has: properties, and what needs attention though guests do not notice it yet. Reports, documents
//! and events show them without knowing the kind.

/// Details of an open backing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Details {
    /// Properties, in the order in which they are shown.
    pub(crate) properties: Vec<Property>,
    /// Conditions that an administrator has to mend.
    pub(crate) warnings: Vec<BackingWarning>,
}

/// Property of a backing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Property {
    /// Name in documents.
    pub(crate) name: &'static str,
    /// Name for people.
    pub(crate) title: &'static str,
    pub(crate) value: PropertyValue,
}

/// Value of a property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PropertyValue {
    Bytes(u64),
    Count(u64),
    Ratio(f64),
    Text(String),
}

/// Condition of a backing that an administrator has to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackingWarning {
    /// Name of the condition, the same for as long as it lasts.
    pub(crate) name: &'static str,
    /// One or more sentences, with what to do.
    pub(crate) text: String,
    /// True if the health of the host depends on it; otherwise it is advice.
    pub(crate) is_fault: bool,
}

impl Property {
    pub(crate) fn new(name: &'static str, title: &'static str, value: PropertyValue) -> Self {
        Self { name, title, value }
    }
}
