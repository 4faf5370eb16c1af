//! Running other programs, each printed before it runs.
//!
//! Standard output and error are those of the caller, so that the last output of a program is the last on the screen.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Returns the cargo that runs this tool, so that its version is the pinned one.
pub(crate) fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

/// Time of the first program.
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Seconds after that at which the last program began.
static LAST_BEGAN: AtomicU64 = AtomicU64::new(0);

/// Prints and runs `command`, with the time since the first one and the duration of the previous one.
///
/// # Errors
/// If it cannot be started or does not exit with 0.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let line = shown(command);
    let now = BEGUN.elapsed().as_secs();
    let took = now - LAST_BEGAN.swap(now, Ordering::Relaxed);
    println!("==> {now} s, {took} s after the line before: {line}");
    let status = command.status().map_err(|error| format!("Could not start `{line}`: {error}."))?;
    outcome(&line, status)
}

/// Time beyond its work after which a program is ended, in seconds.
const GRACE_SECONDS: u32 = 30;

/// Returns a command for a program that works for so many seconds and is ended if it hangs.
pub(crate) fn bounded(program: &Path, seconds: u32) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--foreground", "--kill-after=5", &(seconds + GRACE_SECONDS).to_string()]).arg(program);
    command
}

/// Returns the standard output of `command`.
///
/// # Errors
/// If it cannot be started, does not exit with 0 or its output is not UTF-8.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let line = shown(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("Could not start `{line}`: {error}."))?;
    outcome(&line, output.status)?;
    String::from_utf8(output.stdout).map_err(|error| format!("`{line}` printed no UTF-8: {error}."))
}

/// Returns true if `command` starts and exits with 0. Prints nothing.
pub(crate) fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Returns true if a file of this name is in a folder of `PATH`.
pub(crate) fn is_in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn outcome(line: &str, status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status}). Its output is above.")) }
}

/// Returns the command as a person would type it: variables first, the program without its folder.
fn shown(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        value.map(|value| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
    });
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    let words = variables.chain([program.to_string_lossy().into_owned()]).chain(arguments);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/usr/bin/cargo");
        command.env("FOREBAY_SEEDS", "3").args(["test", "--workspace"]);
        assert_eq!(shown(&command), "FOREBAY_SEEDS=3 cargo test --workspace");
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let error = run(&mut Command::new("false")).expect_err("`false` fails");
        assert!(error.starts_with("`false` failed"), "{error}");
        assert!(!works(&mut Command::new("false")));
        assert!(works(&mut Command::new("true")));
    }

    #[test]
    fn a_missing_program_is_an_error_that_names_it() {
        let error = run(&mut Command::new("no-such-program-here")).expect_err("there is none");
        assert!(error.starts_with("Could not start `no-such-program-here`"), "{error}");
        assert!(!is_in_path("no-such-program-here"));
        assert!(is_in_path("true"));
    }

    #[test]
    fn output_is_what_the_program_prints() {
        assert_eq!(output(Command::new("echo").arg("one")), Ok("one\n".to_owned()));
    }
}
