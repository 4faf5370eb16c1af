//! Witness: `DIR/witness.json` remembers how old a pool's list of devices may be.
//!
//! When a device of the pool fails, the others list it no more, and then this file is told, before anything is acknowledged
//! that only they have. Should the device come back alone, its own list is older than what stands here, and it is not believed.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::durable;
use crate::problem::{Answer, Problem};

const FILE_NAME: &str = "witness.json";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    /// Identity of the pool, 32 hexadecimal digits.
    pool: String,
    /// No list of a lower epoch is believed.
    epoch: u32,
}

/// The least epoch that is believed of a pool; 0 if nothing was ever remembered of it.
///
/// # Errors
/// If what was remembered cannot be read.
pub(crate) fn least_epoch(dir: &Path, pool: &str) -> Answer<u32> {
    let path = dir.join(FILE_NAME);
    let unreadable = |reason: String| {
        Problem::failed(format!(
            "Cannot read {}: {reason}. It says which devices of the pool are not to be believed; bring it back, or remove it \
             if no device of the pool ever failed",
            path.display()
        ))
    };
    match bounded::read(&path, bounded::DIR_FILE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(unreadable(error.to_string())),
        Ok(text) => {
            let seen: Seen = serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
            Ok(if seen.pool == pool { seen.epoch } else { 0 })
        }
    }
}

/// Remembers durably that lists of a pool below this epoch are not believed. Waits for the file system.
///
/// # Errors
/// Why it could not be remembered; then it may be, or not.
pub(crate) fn remember(dir: &Path, pool: &str, epoch: u32) -> Result<(), String> {
    // Shards come independently of each other, and the least epoch never falls.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = least_epoch(dir, pool).map_err(|problem| problem.message)?;
    let seen = Seen { pool: pool.to_owned(), epoch: before.max(epoch) };
    let text = serde_json::to_vec(&seen).expect("two plain fields");
    durable::replace(dir, FILE_NAME, &text)
        .map_err(|failed| format!("cannot write {}: {}", dir.join(FILE_NAME).display(), failed.error))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn what_is_remembered_of_a_pool_never_falls_and_says_nothing_of_another() {
        let dir = TempDir::new();
        assert_eq!(least_epoch(dir.path(), "a"), Ok(0));
        remember(dir.path(), "a", 7).unwrap();
        remember(dir.path(), "a", 5).unwrap();
        assert_eq!(least_epoch(dir.path(), "a"), Ok(7));
        assert_eq!(least_epoch(dir.path(), "b"), Ok(0));
        fs::write(dir.path().join(FILE_NAME), "{").unwrap();
        assert!(least_epoch(dir.path(), "a").unwrap_err().message.contains("witness.json"));
        assert!(remember(dir.path(), "a", 9).is_err());
    }
}
