//! Token that clients need for changes over TCP: `DIR/token`.
//!
//! It is created at the first start, from the system's random numbers, and kept; to replace it, delete the file and restart the daemon. The
//! file is readable by its owner only: one that others may read is refused, because others may know it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::bounded;
use crate::error::{Error, Result};
use subtle::ConstantTimeEq;

use crate::durable;

const FILE_NAME: &str = "token";
/// Number of random bytes of a token; in the file each is two digits.
const BYTES: usize = 32;
/// Minimum length of a token written by hand, in characters: it can be guessed over the network.
const LENGTH_MIN: usize = 32;
const LENGTH_MAX: usize = 256;
/// Maximum size of the file in bytes: a token with blanks around it.
const FILE_BYTES_MAX: u64 = 4096;

/// Token of the daemon. Never shown, not in a log either.
pub struct Token {
    text: String,
    path: PathBuf,
}

/// Returns the path of the token of the daemon with this folder.
pub fn path_in(dir: &Path) -> PathBuf {
    dir.join(FILE_NAME)
}

impl Token {
    /// Reads the token in `dir`, or creates one if there is none.
    ///
    /// # Errors
    /// If others may read the file, if it has no token, or if it can be neither read nor created. It is left as it is.
    pub fn load_or_make(dir: &Path) -> Result<Self> {
        let path = path_in(dir);
        let unusable = |what: String| {
            Error::failed(format!(
                "Cannot use {}: {what}. Delete it and restart Forebay, which then makes a new one",
                path.display()
            ))
        };
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::make(dir, path),
            Err(error) => return Err(unusable(error.to_string())),
        };
        if !found.is_file() {
            return Err(unusable("it is not a file".to_owned()));
        }
        if found.uid() != nix::unistd::geteuid().as_raw() {
            return Err(unusable("it belongs to another user than the one that Forebay runs as".to_owned()));
        }
        if found.mode() & 0o077 != 0 {
            let mode = found.mode() & 0o7777;
            return Err(unusable(format!("others than its owner may use it (mode {mode:04o})")));
        }
        let text = bounded::read_text(&path, FILE_BYTES_MAX).map_err(|error| unusable(error.to_string()))?;
        let text = text.trim();
        let is_token = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token || !(LENGTH_MIN..=LENGTH_MAX).contains(&text.len()) {
            return Err(unusable(format!("it holds no token of {LENGTH_MIN} to {LENGTH_MAX} characters")));
        }
        Ok(Self { text: text.to_owned(), path })
    }

    fn make(dir: &Path, path: PathBuf) -> Result<Self> {
        let failed =
            |what: String| Error::failed(format!("Cannot make {}: {what}; check its folder", path.display()));
        let mut random = [[0; BYTES / 2]; 2];
        getrandom::fill(random.as_flattened_mut()).map_err(|error| failed(error.to_string()))?;
        let [first, second] = random.map(u128::from_be_bytes);
        let text = format!("{first:032x}{second:032x}");
        durable::replace(dir, FILE_NAME, format!("{text}\n").as_bytes())
            .map_err(|not| failed(not.error.to_string()))?;
        Ok(Self { text, path })
    }

    /// Returns true if `given` is the token. The time does not depend on the number of matching characters.
    pub fn is(&self, given: &str) -> bool {
        self.text.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// Returns the path of the file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn a_token_is_made_once_for_its_owner_only_and_kept() {
        let dir = TempDir::new();
        let made = Token::load_or_make(dir.path()).expect("the folder is ours");
        assert_eq!(made.text.len(), 2 * BYTES);
        let mode = fs::metadata(made.path()).expect("it was made").permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        let again = Token::load_or_make(dir.path()).expect("it is there");
        assert!(again.is(&made.text));
        let other = TempDir::new();
        assert!(!Token::load_or_make(other.path()).expect("the folder is ours").is(&made.text));
    }

    #[test]
    fn only_the_whole_token_is_it() {
        let dir = TempDir::new();
        let token = Token::load_or_make(dir.path()).expect("the folder is ours");
        let text = token.text.clone();
        for wrong in ["", &text[1..], &format!("{text}0"), &text.to_uppercase().replace('0', "1"), "x"] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert!(token.is(&text));
    }

    #[test]
    fn a_file_that_others_may_read_or_that_holds_no_token_is_refused_and_left_alone() {
        let dir = TempDir::new();
        let path = dir.path().join(FILE_NAME);
        let long = "x".repeat(LENGTH_MAX + 1);
        let good = "0123456789abcdef0123456789abcdef";
        for (text, mode, reason) in [
            (good, 0o640, "mode 0640"),
            (good, 0o604, "mode 0604"),
            ("", 0o600, "no token"),
            ("short", 0o600, "no token"),
            (long.as_str(), 0o600, "no token"),
            ("0123456789abcdef 0123456789abcdef", 0o600, "no token"),
        ] {
            fs::write(&path, text).expect("the folder is ours");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
            let Err(problem) = Token::load_or_make(dir.path()) else { panic!("{text} {mode:o} was taken") };
            assert!(problem.message.contains(reason) && problem.message.contains("Delete it"), "{problem}");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
        fs::write(&path, format!("{good}\n")).expect("the folder is ours");
        assert!(Token::load_or_make(dir.path()).expect("it is good").is(good));
    }
}
