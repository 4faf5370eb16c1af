//! Check of dependencies between crates, and that nothing in `cache` does I/O.
//!
//! Based on the output of `cargo metadata`, so that every way of writing a dependency counts, for tests and builds too.

use serde_json::Value;

use super::Finding;

/// Crates of the workspace, each with those of the others on which it may depend. `doors` and `cache` never see each other: that is why a
/// door can serve any device, and simulation can run the cache without a protocol.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    // Pure: curves and counters of a disk to a document of advice, and of all disks to a division of RAM and flash.
    ("advice", &["api", "base", "block", "cache"]),
    // Plain documents: their readers and senders link no engine.
    ("api", &["base"]),
    // `block` for a test: the executor of a shard, which starts blocking work.
    ("base", &["block"]),
    ("block", &[]),
    ("cache", &["block", "redo"]),
    ("doors", &["block"]),
    // Object stores behind the interface of `volume`: files and HTTP, and nothing of a disk.
    ("objects", &["base", "volume"]),
    // A disk on Ceph as a device behind a door, in a process of its own; `base` for tests. The daemon knows its messages only.
    ("rbd", &["base", "block", "doors"]),
    // Groups of changes beside a backing: a device and bytes, and no cache.
    ("redo", &["block"]),
    // A disk as a log of objects: bytes and an interface of stores, and no cache.
    ("volume", &["block"]),
    // Counters over time, wear and events: it gets the counts, and knows no shard.
    ("telemetry", &["base", "block", "cache"]),
    // `trace` for its tests: predictions on real traces are compared with exact results.
    ("sim", &["block", "cache", "redo", "trace"]),
    // `guest` for tests only: machines whose power can be cut.
    (
        "daemon",
        &[
            "advice",
            "api",
            "base",
            "block",
            "cache",
            "doors",
            "guest",
            "hitsim",
            "objects",
            "rbd",
            "redo",
            "telemetry",
            "trace",
            "vm",
            "volume",
            "workload",
        ],
    ),
    // Measures the cache without a door in front of it. Of `doors` the client, which connects to a started daemon like a guest, and the
    // vhost-user door, whose instructions are counted.
    // `advice` for the division among disks, which is measured on traces.
    ("bench", &["advice", "block", "cache", "doors", "hitsim", "redo", "trace", "volume", "workload"]),
    ("guest", &[]),
    // Converts files of traces to requests and back. Their use, simulation or replay, is outside of it.
    ("trace", &[]),
    // Hit ratios of traces: the code of the cache itself, and no door, daemon or disk.
    ("hitsim", &["block", "cache", "trace"]),
    // Generators of requests: pure numbers.
    ("workload", &[]),
    // Running guests: QEMU by its monitor, the daemon by a trait. `block` for the identity of a file.
    ("vm", &["base", "block"]),
    ("xtask", &["guest"]),
];

/// External crates that `cache` may use, with the only features it may enable. None makes a system call.
const CACHE_MAY_USE: &[(&str, &[&str])] = &[
    ("crc32c", &[]),
    ("futures-util", &["alloc"]),
    ("hashbrown", &["inline-more"]),
    // Lists that mostly have one entry, without an allocation for each request.
    ("smallvec", &[]),
    ("thiserror", &[]),
    // Its locks and channels only: no runtime, timer or I/O.
    ("tokio", &["sync"]),
    ("tracing", &["std"]),
];

/// Returns findings for the whole workspace, from the JSON of `cargo metadata --no-deps`.
///
/// # Errors
/// If the text is not that JSON.
pub(super) fn check(metadata: &str) -> Result<Vec<Finding>, String> {
    let root: Value = serde_json::from_str(metadata)
        .map_err(|error| format!("Could not read what `cargo metadata` printed: {error}."))?;
    let packages = root["packages"].as_array().ok_or("`cargo metadata` named no packages.")?;
    let members: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().ok_or("`cargo metadata` named a package without a name.")?;
        let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(member, _)| *member == name) else {
            findings.push(finding(format!(
                "The crate `{name}` is new. Give it a place in MAY_DEPEND_ON of xtask/src/tidy/crates.rs, with the reason."
            )));
            continue;
        };
        for dependency in dependencies {
            let other = dependency["name"].as_str().unwrap_or_default();
            if members.contains(&other) {
                findings.extend(check_wall(name, other, allowed));
            } else if name == "cache" && dependency["kind"] != "dev" {
                findings.extend(check_outside(other, dependency));
            }
        }
    }
    Ok(findings)
}

fn check_wall(name: &str, other: &str, allowed: &[&str]) -> Option<Finding> {
    if allowed.contains(&other) {
        return None;
    }
    Some(finding(format!(
        "`{name}` depends on `{other}`. It may depend on {} only. Put what both need into `block`, or let `daemon` \
         bring them together.",
        if allowed.is_empty() { "no crate of the workspace".to_owned() } else { allowed.join(", ") }
    )))
}

fn check_outside(other: &str, dependency: &Value) -> Vec<Finding> {
    let Some((_, features)) = CACHE_MAY_USE.iter().find(|(known, _)| *known == other) else {
        return vec![finding(format!(
            "`cache` depends on `{other}`. It makes no system call: if the crate makes none either, add it to \
             CACHE_MAY_USE of xtask/src/tidy/crates.rs, with the reason; else come in through the traits of `block`."
        ))];
    };
    let asked = dependency["features"].as_array().map_or(&[][..], Vec::as_slice);
    let foreign = asked.iter().filter_map(Value::as_str).filter(|feature| !features.contains(feature));
    let message = |feature: &str| {
        format!(
            "`cache` asks for the feature `{feature}` of `{other}`. If it brings in no system call, add it to \
             CACHE_MAY_USE of xtask/src/tidy/crates.rs."
        )
    };
    foreign.map(|feature| finding(message(feature))).collect()
}

fn finding(message: String) -> Finding {
    Finding::new(1, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages for a workspace of `cache`, `doors` and `block` in which `cache` has these dependencies.
    fn messages(dependencies: &str) -> Vec<String> {
        let text = format!(
            r#"{{"packages": [{{"name": "cache", "dependencies": [{dependencies}]}},
                {{"name": "doors", "dependencies": []}}, {{"name": "block", "dependencies": []}}]}}"#
        );
        check(&text).expect("the test writes JSON").into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn what_the_tables_allow_is_no_finding() {
        assert!(messages(r#"{"name": "block", "kind": null}"#).is_empty());
        assert!(messages(r#"{"name": "tokio", "kind": null, "features": ["sync"]}"#).is_empty());
        assert!(messages(r#"{"name": "proptest", "kind": "dev", "features": ["std"]}"#).is_empty());
    }

    #[test]
    fn doors_and_cache_never_see_each_other_not_even_in_tests() {
        for kind in ["null", "\"dev\"", "\"build\""] {
            let found = messages(&format!(r#"{{"name": "doors", "kind": {kind}}}"#));
            assert_eq!(found.len(), 1, "{kind}");
            assert!(found[0].starts_with("`cache` depends on `doors`."), "{}", found[0]);
        }
    }

    #[test]
    fn cache_takes_no_unknown_crate_and_no_runtime() {
        assert_eq!(messages(r#"{"name": "libc", "kind": null, "features": []}"#).len(), 1);
        assert_eq!(messages(r#"{"name": "tokio", "kind": null, "features": ["sync", "rt"]}"#).len(), 1);
        assert_eq!(messages(r#"{"name": "cc", "kind": "build", "features": []}"#).len(), 1);
    }

    #[test]
    fn a_new_crate_needs_its_place() {
        let found = check(r#"{"packages": [{"name": "attic", "dependencies": []}]}"#).expect("JSON");
        assert!(found[0].message.starts_with("The crate `attic` is new."), "{}", found[0].message);
    }

    #[test]
    fn what_is_not_metadata_is_an_error() {
        assert!(check("no JSON").is_err());
        assert!(check("{}").is_err());
    }
}
