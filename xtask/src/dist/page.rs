//! Commands of docs/install.md, as the proof runs them.

use crate::dist::VERSION;
use crate::page::{Block, blocks};

const PAGE: &str = include_str!("../../../docs/install.md");
/// Replacements for tools of other systems, which find a package's dependencies in repositories that the guest does not have.
const STAND_INS: &[(&str, &str)] = &[
    ("dnf install ", "rpm --force-debian --nodeps --install "),
    ("dnf upgrade ", "rpm --force-debian --nodeps --upgrade "),
    ("dnf remove ", "rpm --force-debian --erase "),
];

/// Returns a shell script for each block of the page, with its name. The first block of a section installs files of the version
/// `installed`, those after it upgrade to files of `upgraded` and remove them.
pub(super) fn scripts(installed: &str, upgraded: &str) -> Vec<(String, String)> {
    let with_version = |block: Block| {
        let version = if block.number == 1 { installed } else { upgraded };
        let mut commands = block.commands.replace(VERSION, version);
        for (tool, stand_in) in STAND_INS {
            commands = commands.replace(tool, stand_in);
        }
        (block.script(), commands)
    };
    blocks(PAGE).into_iter().map(with_version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deb::tree;

    const PROOF: &str = include_str!("prove.sh");
    /// Blocks that the guest does not run: it has neither a container tool nor the source, and its binary no debug information.
    const LEFT_OUT: &[&str] = &["container", "from-source", "debug-information"];

    #[test]
    fn every_command_of_the_page_is_run_by_the_proof() {
        let blocks = blocks(PAGE);
        assert!(blocks.len() > 10, "{} blocks", blocks.len());
        for block in blocks {
            let is_run = block.runs_in(PROOF) > 0;
            assert!(is_run != LEFT_OUT.contains(&block.heading.as_str()), "{block:?}");
        }
    }

    #[test]
    fn the_tarball_installs_upgrades_and_removes_every_file_of_the_tree() {
        let blocks: Vec<_> = blocks(PAGE).into_iter().filter(|block| block.heading == "tarball").collect();
        let [install, upgrade, remove] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
        let found =
            remove.commands.lines().find_map(|line| line.strip_prefix("find ")).expect("it finds files");
        let (folders, _) = found.split_once(" -type f ").expect("it finds files only");
        for file in tree::targets() {
            let (folder, _) = file.split_once('/').expect("a file of the tree lies in a folder");
            assert!(folders.split(' ').any(|removed| removed == folder), "{file} stays");
            for block in [install, upgrade] {
                assert!(block.commands.contains(&format!(" {folder} ")), "{file} is not installed");
            }
        }
    }

    #[test]
    fn an_upgrade_in_the_proof_is_one_to_another_version() {
        let scripts = scripts("7.0.1", "7.0.2");
        for (name, version) in
            [("debian-package-1.sh", "7.0.1"), ("debian-package-2.sh", "7.0.2"), ("tarball-3.sh", "7.0.2")]
        {
            let script = scripts.iter().find(|script| script.0 == name);
            assert!(script.is_some_and(|script| script.1.contains(version)), "{name}");
        }
    }

    #[test]
    fn the_page_names_the_files_of_this_version() {
        for name in [
            format!("forebay_{VERSION}_amd64.deb"),
            format!("forebay-rbd_{VERSION}_amd64.deb"),
            format!("forebay-{VERSION}-1.x86_64.rpm"),
            format!("forebay-rbd-{VERSION}-1.x86_64.rpm"),
            format!("forebay-{VERSION}-x86_64.tar.gz"),
            format!("forebay-{VERSION}-x86_64-debug.tar.gz"),
        ] {
            assert!(PAGE.contains(&name), "{name} is missing");
        }
    }
}
