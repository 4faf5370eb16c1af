//! Form of a stored file: a JSON document with its schema, and at its end a checksum of everything before it.
//!
//! ```text
//!   {
//!     "schema": 8,
//!     ...
//!     "checksum": "0a1b2c3d"          CRC-32C of all bytes before the comma in front of this line
//!   }
//! ```
//! A person who edits a file writes `"checksum": "edited"`. Files of schemas from before there were checksums have none.

use std::io;
use std::path::Path;

use crate::bounded;
use crate::moment::Moment;
use serde::Serialize;
use serde_json::Value;

use crate::durable;

/// Name and versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileFormat {
    /// Name of the file in DIR.
    pub name: &'static str,
    /// Newest schema that this build reads, and the one that it writes.
    pub schema: u64,
    /// First schema with a checksum.
    pub checked_since: u64,
}

/// Reason why a file cannot be used.
#[derive(Debug)]
pub enum Unreadable {
    /// The file system failed.
    Io(io::Error),
    /// The content is not as it was written.
    Damaged(String),
    /// A newer version wrote it, in this schema.
    Newer(u64),
}

/// Text between the content and the eight digits of its checksum.
const BEFORE_CHECKSUM: &str = ",\n  \"checksum\": \"";
const AFTER_CHECKSUM: &str = "\"\n}";
const CHECKSUM_DIGITS: usize = 8;
/// Replaces the checksum in a file that a person edited.
const EDITED: &str = "edited";

/// Returns the content of the file for a document, which is an object with its schema.
pub fn text(document: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("plain data with text keys");
    text.truncate(text.strip_suffix(b"\n}").expect("an object that is not empty").len());
    let checksum = crc32c::crc32c(&text);
    text.extend(format!("{BEFORE_CHECKSUM}{checksum:08x}{AFTER_CHECKSUM}").as_bytes());
    text
}

impl FileFormat {
    /// Reads the file in `dir`; returns none if there is none. The document comes with its schema, and without its checksum.
    ///
    /// # Errors
    /// Reason why it cannot be used.
    pub fn read(&self, dir: &Path) -> Result<Option<(u64, Value)>, Unreadable> {
        match bounded::read(&dir.join(self.name), bounded::DIR_FILE_BYTES_MAX) {
            Ok(text) => self.parse(&text).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(Unreadable::Damaged(error.to_string()))
            }
            Err(error) => Err(Unreadable::Io(error)),
        }
    }

    /// Reads the file in `dir` with `of`, which gets the schema and the document. A file that cannot be read is set aside; the second value
    /// then describes that, as a sentence without its end.
    pub fn load_or_set_aside<T: Default>(
        &self,
        dir: &Path,
        of: impl FnOnce(u64, Value) -> Result<T, String>,
    ) -> (T, Option<String>) {
        let read = self.read(dir).map_err(|unreadable| self.reason(&unreadable));
        let read =
            read.and_then(|found| found.map_or_else(|| Ok(T::default()), |(schema, json)| of(schema, json)));
        match read {
            Ok(value) => (value, None),
            Err(reason) => {
                let path = dir.join(self.name);
                let kept = durable::set_aside(&path, Moment::now());
                (T::default(), Some(format!("Cannot read {}: {reason}. {kept}", path.display())))
            }
        }
    }

    /// Checks the content of a file and returns its schema and its document.
    ///
    /// # Errors
    /// Reason why it cannot be used.
    pub fn parse(&self, text: &[u8]) -> Result<(u64, Value), Unreadable> {
        let damaged = |reason: &str| Unreadable::Damaged(reason.to_owned());
        let mut json: Value =
            serde_json::from_slice(text).map_err(|error| Unreadable::Damaged(error.to_string()))?;
        let schema = json["schema"].as_u64().ok_or_else(|| damaged("it has no schema"))?;
        if schema > self.schema {
            return Err(Unreadable::Newer(schema));
        }
        if schema < self.checked_since && json.get("checksum").is_none() {
            return Ok((schema, json));
        }
        let claimed = json.as_object_mut().and_then(|fields| fields.remove("checksum"));
        match claimed.as_ref().and_then(Value::as_str) {
            Some(EDITED) => {}
            Some(claimed) if checksum_of(text).is_some_and(|checksum| checksum == claimed) => {}
            _ => {
                return Err(damaged(
                    "its checksum does not fit its content (if a person changed it, \"checksum\": \"edited\" has it taken)",
                ));
            }
        }
        Ok((schema, json))
    }

    /// Returns the reason in words.
    pub fn reason(&self, unreadable: &Unreadable) -> String {
        match unreadable {
            Unreadable::Io(error) => error.to_string(),
            Unreadable::Damaged(reason) => reason.clone(),
            Unreadable::Newer(schema) => {
                format!("it has schema {schema}, and this Forebay knows {}", self.schema)
            }
        }
    }
}

/// Returns the checksum that the content of a file should have; none if it does not end like one with a checksum.
fn checksum_of(text: &[u8]) -> Option<String> {
    let content = text.trim_ascii_end().strip_suffix(AFTER_CHECKSUM.as_bytes())?;
    let content = &content[..content.len().checked_sub(CHECKSUM_DIGITS)?];
    let content = content.strip_suffix(BEFORE_CHECKSUM.as_bytes())?;
    Some(format!("{:08x}", crc32c::crc32c(content)))
}
