//! Names of disks: what can be a file name, an export name and a label everywhere without quoting.

use crate::problem::{Answer, Problem};

/// The most bytes of a name.
pub(crate) const NAME_MAX: usize = 63;

/// Checks a name against `[a-z0-9][a-z0-9._-]{0,62}`.
pub(crate) fn check(name: &str) -> Answer<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let fits = name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || b"._-".contains(&byte))
        && name.len() <= NAME_MAX;
    if fits {
        return Ok(());
    }
    Err(Problem::invalid(format!(
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
