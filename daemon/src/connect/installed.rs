//! Versions of the clients that are installed on this host: some lines depend on them.

use std::process::Command;

use base::bounded;

/// Names of QEMU's binary, by distribution and architecture.
const PROGRAMS: [&str; 5] =
    ["qemu-system-x86_64", "qemu-system-aarch64", "kvm", "qemu-kvm", "/usr/libexec/qemu-kvm"];

/// A version of QEMU: major and minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QemuVersion(pub(crate) u32, pub(crate) u32);

impl QemuVersion {
    /// Returns the version in the output of `--version`: `QEMU emulator version 7.2.22 (Debian ...)`.
    fn from_output(output: &str) -> Option<Self> {
        let (_, version) = output.lines().next()?.split_once("version ")?;
        let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
        Some(Self(numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}

/// Returns the version of the QEMU of this host; none if there is none. Runs a program.
pub(crate) fn qemu() -> Option<QemuVersion> {
    PROGRAMS.iter().find_map(|program| {
        let ran = bounded::run(Command::new(program).arg("--version"));
        QemuVersion::from_output(&String::from_utf8_lossy(&ran.ok()?.stdout))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_distributions_print() {
        for (output, version) in [
            ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\nCopyright", QemuVersion(7, 2)),
            ("QEMU emulator version 9.2.0 (pve-qemu-kvm_9.2.0-7)", QemuVersion(9, 2)),
            ("QEMU emulator version 10.0.13", QemuVersion(10, 0)),
            ("QEMU emulator version 11.0.50 (v11.0.0-1)", QemuVersion(11, 0)),
        ] {
            assert_eq!(QemuVersion::from_output(output), Some(version));
        }
        assert_eq!(QemuVersion::from_output("no such thing"), None);
        assert!(QemuVersion(8, 2) < QemuVersion(9, 2) && QemuVersion(9, 2) < QemuVersion(10, 0));
    }
}
