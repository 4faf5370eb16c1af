//! The commands of a page for users, taken from the page itself, so that what is shown and what is tested cannot differ.

/// Returns the fenced blocks of shell below the heading with this text, up to the next heading of its rank or above.
///
/// # Errors
/// If there is no such heading or nothing to run below it.
pub(super) fn commands(page: &str, heading: &str) -> Result<String, String> {
    let mut rank_wanted = None;
    let mut block = None;
    let mut commands = String::new();
    for line in page.lines() {
        match block {
            Some(is_shell) if line != "```" => {
                if is_shell && rank_wanted.is_some() {
                    commands.push_str(line);
                    commands.push('\n');
                }
            }
            Some(_) => block = None,
            None if line.starts_with("```") => block = Some(line == "```sh"),
            None => {
                if let Some((rank, text)) = heading_of(line) {
                    if rank_wanted.is_some_and(|wanted| rank <= wanted) {
                        break;
                    }
                    if text == heading {
                        rank_wanted = Some(rank);
                    }
                }
            }
        }
    }
    if commands.is_empty() {
        return Err(format!("The page has no commands below a heading '{heading}'."));
    }
    Ok(commands)
}

/// Returns rank and text of a heading.
fn heading_of(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let rank = line.len() - text.len();
    (rank > 0 && text.starts_with(' ')).then(|| (rank, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n```sh\nnot\n```\n## One\n```sh\n# no heading\na\n```\ntext\n```text\nno\n```\n### More\n```sh\nb\n```\n## Two\n```sh\nc\n```\n";

    #[test]
    fn blocks_of_shell_below_a_heading_are_taken_with_those_of_its_parts() {
        assert_eq!(commands(PAGE, "One").as_deref(), Ok("# no heading\na\nb\n"));
        assert_eq!(commands(PAGE, "More").as_deref(), Ok("b\n"));
        assert_eq!(commands(PAGE, "Two").as_deref(), Ok("c\n"));
    }

    #[test]
    fn a_heading_without_commands_is_an_error() {
        assert!(commands(PAGE, "Three").is_err());
        assert!(commands("## One\n```text\na\n```\n", "One").is_err());
    }
}
