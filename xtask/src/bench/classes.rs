//! Latency classes of ten disks in write-back on one pool of two SSDs, beside their modelled array alone: the shape of
//! `docs/nfs.md`, in virtual time.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::alone::{number, parse};
use super::{Effort, report};
use crate::built;
use crate::run::output;

const PROFILES: [&str; 2] = ["hdd-15k-raid5x5", "hdd-10k-raid0x11"];
/// Measured requests, and requests before them that warm the cache.
const FULL: [&str; 2] = ["100000", "400000"];
const QUICK: [&str; 2] = ["20000", "40000"];

/// Builds, measures and prints.
///
/// # Errors
/// If the program cannot be built, or fails.
pub(super) fn measure(root: &Path, effort: Effort) -> Result<(), String> {
    // Virtual time is the same in the build for tests, but that one has assertions everywhere.
    let program = built::for_use(root, &["bench"])?.join("bench");
    let [requests, warming] = if effort == Effort::QUICK { QUICK } else { FULL };
    for profile in PROFILES {
        let mut bench = Command::new(&program);
        bench.args(["classes", "--profile", profile, "--requests", requests, "--warming", warming]);
        let answers = output(&mut bench)?.lines().map(parse).collect::<Result<Vec<_>, _>>()?;
        let first = answers.first().ok_or("`bench classes` printed nothing.")?;
        let heading = format!(
            "Ten guests on {profile}, together {:.0} requests of 4 KiB a second, 30 % writes: requests within",
            number(first, "per_second")?
        );
        let columns = columns(first)?;
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let rows = answers.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        report::print(&heading, &columns, &rows);
    }
    Ok(())
}

fn columns(answer: &Value) -> Result<Vec<String>, String> {
    let bounds = numbers(answer, "bounds_ns")?;
    let named = bounds.iter().map(|bound| format!("{} ms", bound / 1e6));
    let ends = ["who", "what"].map(str::to_owned).into_iter();
    Ok(ends.chain(named).chain(["more".to_owned()]).collect())
}

/// Returns the guests, their requests, and the share of requests in each class.
fn row(answer: &Value) -> Result<Vec<String>, String> {
    let text = |key: &str| {
        answer[key].as_str().map(str::to_owned).ok_or_else(|| format!("There is no `{key}` in {answer}."))
    };
    let counts = numbers(answer, "counts")?;
    let all: f64 = counts.iter().sum();
    let shares = counts.iter().map(|count| format!("{:.2} %", count / all * 100.0));
    Ok([text("who")?, text("what")?].into_iter().chain(shares).collect())
}

fn numbers(answer: &Value, key: &str) -> Result<Vec<f64>, String> {
    let all = answer[key].as_array().and_then(|all| all.iter().map(Value::as_f64).collect());
    all.ok_or_else(|| format!("There are no numbers `{key}` in {answer}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_a_row_of_shares_below_named_bounds() {
        let answer = serde_json::json!({
            "who": "array", "what": "reads", "bounds_ns": [250_000, 20_000_000], "counts": [1, 2, 1]
        });
        let expected = ["who", "what", "0.25 ms", "20 ms", "more"].map(str::to_owned).to_vec();
        assert_eq!(columns(&answer), Ok(expected));
        let expected = ["array", "reads", "25.00 %", "50.00 %", "25.00 %"].map(str::to_owned).to_vec();
        assert_eq!(row(&answer), Ok(expected));
        assert!(row(&serde_json::json!({})).is_err());
    }
}
