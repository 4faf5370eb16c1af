//! Names of earlier builds, and the names that replaced them. On the command line an old name is an error
//! that has the new one; DIR is read under both.

/// Options of the command line: before, now.
const OPTIONS: [(&str, &str); 3] = [
    ("--unmarked", "--allow-unmarked"),
    ("--lose-dirty", "--discard-dirty"),
    ("--raw-anyway", "--force-raw"),
];
/// Keys of disks: before, now.
const KEYS: [(&str, &str); 1] = [("unmarked", "allow-unmarked")];

/// Returns the present name of an option that had this one.
pub(crate) fn option(before: &str) -> Option<&'static str> {
    of(&OPTIONS, before)
}

/// Returns the present name of a key that had this one.
pub(crate) fn key(before: &str) -> Option<&'static str> {
    of(&KEYS, before)
}

fn of(names: &[(&str, &'static str)], before: &str) -> Option<&'static str> {
    names.iter().find(|(old, _)| *old == before).map(|(_, now)| *now)
}
