//! How clients reach a disk, as a document.

use serde::Serialize;
use utoipa::ToSchema;

use crate::connect::{self, Doors, Form};

/// What clients type to reach a disk.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Connect {
    /// Name of the disk.
    name: String,
    /// Serial number that guests see.
    serial: String,
    /// One for each client and door.
    forms: Vec<Form>,
}

impl Connect {
    /// Returns what the clients that `is_asked` accepts type to reach a disk at these doors.
    pub(crate) fn at_doors(doors: &Doors<'_>, is_asked: impl Fn(&Form) -> bool) -> Self {
        let mut forms = connect::forms(doors);
        forms.retain(is_asked);
        Self { name: doors.name.to_owned(), serial: doors::serial_number(doors.name), forms }
    }
}
