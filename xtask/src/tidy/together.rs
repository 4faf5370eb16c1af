//! Check of test files that are modules of one program, so that the compiler does the work once: one that is left out would never run.

use super::Finding;

/// Program whose modules such files are.
pub(super) const PROGRAM: &str = "tests/together.rs";

/// Returns findings for the files beside that program, from its text and the manifest of its crate.
pub(super) fn check<'a>(
    program: &str,
    manifest: &str,
    beside: impl Iterator<Item = &'a str>,
) -> Vec<Finding> {
    let is_left_out = |name: &&str| {
        let is_module = program.lines().any(|line| line.trim() == format!("mod {name};"));
        !is_module && !manifest.contains(&format!("\"tests/{name}.rs\""))
    };
    let message = |name| format!("The tests of tests/{name}.rs never run. Name it here: mod {name};");
    beside.filter(is_left_out).map(|name| Finding::new(1, message(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_module_or_a_program_of_its_own_or_it_is_found() {
        let found = |beside: &[&str]| {
            let manifest = "[[test]]\npath = \"tests/together.rs\"\n[[test]]\npath = \"tests/two.rs\"\n";
            check("//! All.\nmod one;\n", manifest, beside.iter().copied())
        };
        assert_eq!(found(&["one", "two", "together"]), []);
        let findings = found(&["one", "three"]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("mod three;"), "{}", findings[0].message);
    }
}
