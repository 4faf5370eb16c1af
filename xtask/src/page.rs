//! Commands of a page for users, taken from the page itself, so that the shown and the tested commands cannot differ.

/// Begin and end of commands, and of other blocks of a page.
const FENCE: &str = "```";
/// Begin of the commands of a page.
const FENCE_SHELL: &str = "```sh";

/// Fenced block of shell commands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Nearest heading above it in small letters, with `-` between words.
    pub(crate) heading: String,
    /// Number of the block below that heading, from 1.
    pub(crate) number: usize,
    /// Lines of the block.
    pub(crate) commands: String,
}

impl Block {
    /// Returns the name of a script of these commands, unique in the page if no two headings have the same text.
    pub(crate) fn script(&self) -> String {
        format!("{}-{}.sh", self.heading, self.number)
    }

    /// Returns the number of lines of `proof` that run the script of this block: it is the last word of such a line.
    #[cfg(test)]
    pub(crate) fn runs_in(&self, proof: &str) -> usize {
        let script = self.script();
        proof.lines().filter(|line| line.rsplit([' ', '/']).next() == Some(&script)).count()
    }
}

/// Returns the fenced blocks of shell of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut heading, mut number) = (String::new(), 0);
    // Set if a block is open; true for one of shell.
    let mut open = None;
    for line in page.lines() {
        match open {
            Some(_) if line == FENCE => open = None,
            Some(is_shell) => {
                if let Some(block) = blocks.last_mut().filter(|_| is_shell) {
                    block.commands.push_str(line);
                    block.commands.push('\n');
                }
            }
            None if line == FENCE_SHELL => {
                open = Some(true);
                number += 1;
                blocks.push(Block { heading: heading.clone(), number, commands: String::new() });
            }
            None if line.starts_with(FENCE) => open = Some(false),
            None => {
                if let Some(text) = heading_text(line) {
                    (heading, number) = (text.to_lowercase().replace(' ', "-"), 0);
                }
            }
        }
    }
    blocks
}

/// Returns the text of a heading of any rank.
fn heading_text(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_the_name_of_its_heading_and_its_number_there() {
        let page = "# Page\n## One thing\n```sh\n# no heading\nb\n```\n```ini\nc\n```\n```sh\nd\n```\n### Two\n#3\n```sh\ne\n```\n";
        let found: Vec<_> = blocks(page).into_iter().map(|block| (block.script(), block.commands)).collect();
        let expected =
            [("one-thing-1.sh", "# no heading\nb\n"), ("one-thing-2.sh", "d\n"), ("two-1.sh", "e\n")];
        assert_eq!(found, expected.map(|(name, commands)| (name.to_owned(), commands.to_owned())));
    }

    #[test]
    fn shell_inside_another_block_is_text() {
        assert_eq!(blocks("````text\n```sh\na\n```\n"), []);
    }

    #[test]
    fn lines_that_run_a_block_are_counted() {
        let block = Block { heading: "one".to_owned(), number: 1, commands: String::new() };
        let proof = ". /proof/one-1.sh\nbash -eux one-1.sh\n. /proof/one-1.sh.old\n. /proof/some-one-1.sh\n";
        assert_eq!(block.runs_in(proof), 2);
    }
}
