//! Names of disks: valid as file name, export name and label everywhere without quoting.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result};

/// Names by number, for the log. A number is never used for another disk.
static BY_NUMBER: RwLock<BTreeMap<u32, String>> = RwLock::new(BTreeMap::new());

/// Stores the name of a number.
pub fn remember(number: u32, name: &str) {
    let mut names = BY_NUMBER.write().unwrap_or_else(PoisonError::into_inner);
    names.insert(number, name.to_owned());
}

/// Returns the name of the disk with this number.
pub fn of(number: u32) -> Option<String> {
    BY_NUMBER.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
}

/// Maximum length of a name in bytes.
pub const NAME_MAX: usize = 63;

/// Checks a name against `[a-z0-9][a-z0-9._-]{0,62}`.
///
/// # Errors
/// If the name is invalid.
pub fn check(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let fits = name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || b"._-".contains(&byte))
        && name.len() <= NAME_MAX;
    if fits {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "Cannot use '{}' as the name of a disk: names have 1 to {NAME_MAX} of the characters a-z 0-9 . _ - and start \
         with a letter or digit; choose such a name",
        name.escape_debug()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_the_rule_says() {
        for good in ["a", "0", "vm-7.root_disk", &"x".repeat(63)] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", ".", "..", "A", "a/b", "a b", "ä", "a\n", &"x".repeat(64)] {
            let problem = check(bad).expect_err(bad);
            assert!(!problem.message.contains('\n'), "{problem}");
        }
    }
}
