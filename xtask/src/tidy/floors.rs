//! Check that imports inside `cache` only go down the floors.
//!
//! Rust allows circles between the modules of a crate, and large crates become one tangle in that way. Floors keep `cache` readable from
//! the bottom up. A floor is a folder of `cache/src`; within one folder imports are free.

use super::Finding;
use super::source::{Head, Token, heads, lines_of};

/// Floors from the bottom. A new folder of `cache/src` needs its place here.
const FLOORS: &[&str] = &["types", "format", "state", "storage", "ops", "api"];

/// Names that `cache` may use of `block`: the interfaces that a simulator can implement, and plain values. Real files, rings and sockets
/// are missing on purpose.
const TAKEN_FROM_BLOCK: &[&str] = &[
    "ALIGNMENT",
    // Memory, which is allocated from the system as an allocator does. Allocation ahead of use goes through `Host`.
    "Arena",
    "BlockDevice",
    "BlockError",
    "Buffer",
    "ByteRange",
    "ErrorKind",
    "Extent",
    "Filling",
    "Geometry",
    "Host",
    "Memory",
    "Operation",
    "Outcome",
    "PAGE",
    "Part",
    "RangeGuard",
    "RangeLock",
    "SECTOR",
    "Unmap",
    "WantedRange",
    "buffer",
    "device",
    "error",
    // Virtual time and devices in memory, for tests beside the code.
    "executor",
    "host",
    "memory",
    // A hint to the processor.
    "prefetch",
    "range",
    "range_lock",
];

/// Returns findings for one file; nothing if it is not of `cache`.
pub(super) fn check(path: &str, tokens: &[Token]) -> Vec<Finding> {
    let Some(inside) = path.strip_prefix("cache/src/") else {
        return Vec::new();
    };
    let mut findings = check_block(tokens);
    // The root file has the docs, the modules and the exports of the crate; it is above all floors.
    if inside == "lib.rs" {
        return findings;
    }
    let own = inside.split('/').next().unwrap_or(inside);
    let Some(own_floor) = floor_of(own) else {
        let hint =
            "Move the file into a floor, or give its folder a place in FLOORS of xtask/src/tidy/floors.rs";
        findings.push(Finding::new(1, format!("`{own}` is no floor of `cache`. {hint}.")));
        return findings;
    };
    findings.extend(heads(tokens, "crate").iter().filter_map(|head| check_import(own, own_floor, head)));
    let upwards = heads(tokens, "super").into_iter().filter(|head| floor_of(&head.name).is_some());
    findings.extend(upwards.filter_map(|head| check_import(own, own_floor, &head)));
    for line in lines_of(tokens, "super : : super") {
        findings
            .push(Finding::new(line, "`super::super` hides which floor is meant. Write `crate::<floor>::`."));
    }
    findings
}

fn floor_of(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| *floor == name)
}

fn check_import(own: &str, own_floor: usize, head: &Head) -> Option<Finding> {
    let name = &head.name;
    let message = match floor_of(name) {
        Some(floor) if floor <= own_floor => return None,
        Some(_) => format!(
            "`{own}` imports from `{name}`, which is a floor above it. Move what both need down, or hand it in \
             from above as an argument."
        ),
        // Exports of the root are from any floor, so only the topmost may import them from there.
        None if own_floor + 1 == FLOORS.len() => return None,
        None => format!(
            "`crate::{name}` does not say which floor it is of. Write `crate::<floor>::...`; a new floor gets its \
             place in FLOORS of xtask/src/tidy/floors.rs."
        ),
    };
    Some(Finding::new(head.line, message))
}

fn check_block(tokens: &[Token]) -> Vec<Finding> {
    let foreign =
        heads(tokens, "block").into_iter().filter(|head| !TAKEN_FROM_BLOCK.contains(&head.name.as_str()));
    let finding = |head: Head| {
        let name = head.name;
        let message = format!(
            "`cache` takes `block::{name}`. If it makes no system call, add it to TAKEN_FROM_BLOCK of \
             xtask/src/tidy/floors.rs; else let the daemon hand it in as a `BlockDevice`."
        );
        Finding::new(head.line, message)
    };
    foreign.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    fn found(path: &str, content: &str) -> Vec<Finding> {
        check(path, &source::tokens(content).expect("the test writes Rust"))
    }

    #[test]
    fn imports_go_down_and_sideways() {
        assert!(found("cache/src/ops/read.rs", "use crate::types::units::DiskId;").is_empty());
        assert!(found("cache/src/ops/read.rs", "use crate::ops::promote;").is_empty());
        assert!(found("cache/src/api/disk.rs", "use crate::{ops::read, storage::log};").is_empty());
    }

    #[test]
    fn an_import_upwards_is_found_with_its_line() {
        let findings =
            found("cache/src/format/table.rs", "use crate::{\n    types::A,\n    storage::log,\n};");
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 3);
        assert!(
            findings[0].message.starts_with("`format` imports from `storage`"),
            "{}",
            findings[0].message
        );
    }

    #[test]
    fn super_is_no_way_around_the_floors() {
        assert_eq!(found("cache/src/types/mod.rs", "use super::api::Cache;").len(), 1);
        assert_eq!(found("cache/src/types/units.rs", "use super::super::api::Cache;").len(), 1);
        assert!(found("cache/src/api/cache.rs", "mod tests { use super::*; }").is_empty());
    }

    #[test]
    fn a_file_outside_the_floors_is_an_error() {
        let findings = found("cache/src/helpers.rs", "fn f() {}");
        assert!(findings[0].message.contains("is no floor of `cache`"), "{}", findings[0].message);
        assert_eq!(found("cache/src/attic/mod.rs", "fn f() {}").len(), 1);
    }

    #[test]
    fn only_the_topmost_floor_takes_what_the_root_shows() {
        assert!(found("cache/src/api/cache.rs", "fn f(id: crate::DiskId) {}").is_empty());
        assert_eq!(found("cache/src/ops/read.rs", "fn f(id: crate::DiskId) {}").len(), 1);
        assert_eq!(found("cache/src/ops/read.rs", "use crate::*;").len(), 1);
    }

    #[test]
    fn cache_takes_no_real_device_from_block() {
        assert!(found("cache/src/storage/log.rs", "use block::{BlockDevice, Host};").is_empty());
        assert_eq!(found("cache/src/storage/log.rs", "use block::{BlockDevice, FileDevice};").len(), 1);
        assert_eq!(found("cache/src/lib.rs", "pub use block::Ring;").len(), 1);
    }

    #[test]
    fn other_crates_have_no_floors() {
        assert!(found("doors/src/nbd.rs", "use crate::anything; use block::Ring;").is_empty());
    }
}
