//! Completion of command lines in shells: a script asks this binary, which knows commands, disks, keys and values.
//!
//! ```text
//!   Tab ──> script of the shell ── _FOREBAY_COMPLETE=SHELL forebay -- WORDS ──> definition ──> candidates, a line each
//!                                                              daemon: disks, devices ──┘
//! ```
//! A daemon that is away, hangs or refuses is a shorter list and no error.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::ArgExt;
use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{
    self, ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter,
};
use clap_complete::env::{CompleteEnv, EnvCompleter, Fish, Shells};
use serde_json::Value;

use super::client_of;
use crate::cli::Cli;
use crate::keys::KEYS;
use crate::output::{list, text};

/// Variable by which a script asks; its value names the shell.
const VARIABLE: &str = "_FOREBAY_COMPLETE";
/// Time that the daemon has to answer while a user waits for the list.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(1);
/// Shells with a script, and the file name of each.
pub(super) const SHELLS: [(&dyn EnvCompleter, &str); 3] =
    [(&BASH, "forebay.bash"), (&ZSH, "_forebay"), (&Fish, "forebay.fish")];
/// Words that options take beside what is free, by the id of the option.
const WORDS: &[(&str, &[&str])] = &[
    ("level", &["info", "warning", "error"]),
    ("log", &["error", "warn", "info", "debug", "trace"]),
    ("log_format", &["text", "json"]),
    ("nbd_tls", &["off", "require", "require-certificates"]),
    ("listen_http", &["off"]),
    ("listen_nbd", &["off"]),
    ("smartctl", &["auto", "off"]),
];

/// Prints candidates, or a script, and ends the process, if the script of a shell started it. Otherwise returns at once.
pub(crate) fn complete_if_asked() {
    let shells = SHELLS.map(|(shell, _)| shell);
    CompleteEnv::with_factory(definition).var(VARIABLE).shells(Shells(&shells)).complete();
}

/// Returns the script by which a shell asks.
///
/// # Errors
/// None in memory.
pub(super) fn script(shell: &dyn EnvCompleter) -> io::Result<Vec<u8>> {
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "forebay", "forebay", "forebay", &mut script)?;
    Ok(script)
}

/// Returns the definition of the command line, with candidates for each value that has some.
fn definition() -> Command {
    completed(Cli::command(), "")
}

fn completed(command: Command, path: &str) -> Command {
    let command = command.mut_args(|argument| with_candidates(argument, path));
    command.mut_subcommands(|inner| {
        let inner_path = format!("{path} {}", inner.get_name());
        completed(inner, inner_path.trim_start())
    })
}

/// Adds the candidates of an argument of the command `path`, such as `disk set`.
fn with_candidates(argument: Arg, path: &str) -> Arg {
    let id = argument.get_id().as_str().to_owned();
    let option_key = KEYS.iter().find(|key| key.name == id.replace('_', "-") && !key.words.is_empty());
    match (path, id.as_str()) {
        ("disk add" | "vm attach", "name") => argument,
        ("disk add" | "disk set", "settings") => argument.add(completer(disk_settings)),
        ("disk add", "backing") => argument.add(ArgValueCompleter::new(PathCompleter::any())),
        ("disk add", _) if let Some(key) = option_key => argument.add(of_words(key.words)),
        ("pool set", "settings") => argument.add(completer(pool_settings)),
        ("pool set" | "pool remove" | "pool resize", "device") | ("pool replace", "old") => {
            argument.add(ArgValueCandidates::new(devices))
        }
        ("pool resize", "size") => argument.add(of_words(&["max"])),
        ("advise", "target") => argument.add(completer(disks_and_files)),
        ("replay", "disk") | (_, "name") => argument.add(ArgValueCandidates::new(disks)),
        (_, id) => match WORDS.iter().find(|(option, _)| *option == id) {
            Some((_, words)) => argument.add(of_words(words)),
            None => argument,
        },
    }
}

fn completer(candidates: fn(&OsStr) -> Vec<CompletionCandidate>) -> impl ArgExt {
    ArgValueCompleter::new(candidates)
}

fn of_words(words: &'static [&'static str]) -> impl ArgExt {
    ArgValueCandidates::new(move || words.iter().map(CompletionCandidate::new).collect::<Vec<_>>())
}

/// Returns keys of a disk that begin with `current`, or values of the key in it.
fn disk_settings(current: &OsStr) -> Vec<CompletionCandidate> {
    settings(current, KEYS.iter().map(|key| (key.name, key.words, key.about)))
}

/// Returns keys of the pool that begin with `current`, or values of the key in it.
fn pool_settings(current: &OsStr) -> Vec<CompletionCandidate> {
    settings(current, telemetry::wear::KEYS.iter().map(|(name, about)| (*name, &[][..], *about)))
}

fn settings<'a>(
    current: &OsStr,
    keys: impl Iterator<Item = (&'a str, &'a [&'a str], &'a str)>,
) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let with_values = keys.flat_map(|(name, words, about)| match current.strip_prefix(name) {
        Some(rest) if rest.starts_with('=') => {
            words.iter().map(|word| CompletionCandidate::new(format!("{name}={word}"))).collect()
        }
        _ => vec![CompletionCandidate::new(format!("{name}=")).help(Some(about.to_owned().into()))],
    });
    with_values.filter(|candidate| value(candidate).starts_with(current)).collect()
}

/// Returns the names of the daemon's disks, each with its backing.
fn disks() -> Vec<CompletionCandidate> {
    let document = ask("/v1/disks");
    let of_disk = |disk: &Value| {
        CompletionCandidate::new(text(&disk["name"])).help(Some(text(&disk["backing"]).into()))
    };
    list(&document["disks"]).iter().map(of_disk).collect()
}

fn disks_and_files(current: &OsStr) -> Vec<CompletionCandidate> {
    let begun = current.to_string_lossy();
    let mut candidates = disks();
    candidates.retain(|disk| value(disk).starts_with(&*begun));
    candidates.extend(ArgValueCompleter::new(PathCompleter::any()).complete(current));
    candidates
}

/// Returns the paths of the pool's devices.
fn devices() -> Vec<CompletionCandidate> {
    let document = ask("/v1/pool");
    let of_device = |device: &Value| CompletionCandidate::new(text(&device["path"]));
    list(&document["pool"]["devices"]).iter().map(of_device).collect()
}

/// Returns the daemon's document at `path`; null if it does not answer in time.
fn ask(path: &str) -> Value {
    let Ok(mut client) = client_of(socket_of(std::env::args_os(), std::env::var_os("FOREBAY_SOCKET"))) else {
        return Value::Null;
    };
    client.limit_answers(ANSWER_TIME_MAX);
    client.get(path).unwrap_or_default()
}

/// Returns the socket that the words of the command line name, else that of the environment.
fn socket_of(words: impl Iterator<Item = OsString>, environment: Option<OsString>) -> Option<PathBuf> {
    let mut words = words.skip_while(|word| word != "--").skip(1);
    let mut socket = environment.filter(|path| !path.is_empty());
    while let Some(word) = words.next() {
        if word == "--socket" {
            socket = words.next().or(socket);
        } else if let Some(path) = word.to_str().and_then(|word| word.strip_prefix("--socket=")) {
            socket = Some(path.into());
        }
    }
    socket.map(PathBuf::from)
}

/// A shell with a script of our own.
struct Scripted {
    name: &'static str,
    /// The script, with `VARIABLE` for the name of the variable.
    script: &'static str,
    /// Returns the line of a candidate.
    line: fn(&CompletionCandidate) -> String,
}

/// Bash, which splits words at `=` and `:` that belong to values: the script joins them again and completes the rest.
const BASH: Scripted = Scripted { name: "bash", script: BASH_SCRIPT, line: value };
/// Zsh, in the form of a function that it loads from its path, and of a file that is sourced.
const ZSH: Scripted = Scripted { name: "zsh", script: ZSH_SCRIPT, line: value_and_help };

const BASH_SCRIPT: &str = r#"_forebay() {
    local line=${COMP_LINE:0:COMP_POINT}
    local -a words
    read -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    local last=${words[${#words[@]} - 1]}
    mapfile -t COMPREPLY < <(VARIABLE=bash "$1" -- "${words[@]}" 2>/dev/null)
    # Bash replaces only what follows = or :, its second argument.
    COMPREPLY=("${COMPREPLY[@]#"${last%"$2"}"}")
    [[ ${COMPREPLY-} == *[=/:] ]] && compopt -o nospace
}
complete -F _forebay forebay
"#;
const ZSH_SCRIPT: &str = r#"#compdef forebay
_forebay() {
    local line
    local -a begun whole
    for line in "${(@f)$(VARIABLE=zsh "${words[1]}" -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            '') ;;
            *[=/] | *[=/]:*) begun+=("$line") ;;
            *) whole+=("$line") ;;
        esac
    done
    (( $#begun )) && _describe -V 'keys and folders' begun -S ''
    (( $#whole )) && _describe -V 'values' whole
}
if [[ $funcstack[1] == _forebay ]]; then _forebay "$@"; else compdef _forebay forebay; fi
"#;

impl EnvCompleter for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is(&self, name: &str) -> bool {
        name == self.name
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        _bin: &str,
        _completer: &str,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        to.write_all(self.script.replace("VARIABLE", variable).as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        at_end(command, words, folder)?
            .iter()
            .try_for_each(|candidate| writeln!(to, "{}", (self.line)(candidate)))
    }
}

fn value(candidate: &CompletionCandidate) -> String {
    candidate.get_value().to_string_lossy().into_owned()
}

/// Returns a value with the first line of its description, in the form of zsh: a colon stands between them.
fn value_and_help(candidate: &CompletionCandidate) -> String {
    let value = value(candidate).replace(':', "\\:");
    let help = candidate.get_help().map(ToString::to_string);
    match help.as_deref().and_then(|help| help.lines().next()) {
        Some(help) => format!("{value}:{help}"),
        None => value,
    }
}

/// Returns the candidates for the last of `words`, in whose place they are. Options are among them once their hyphen is there, or if there is
/// nothing else.
fn at_end(
    command: &mut Command,
    words: Vec<OsString>,
    folder: Option<&Path>,
) -> io::Result<Vec<CompletionCandidate>> {
    let last = words.len().saturating_sub(1);
    let begins = words.last().is_none_or(|word| word.is_empty());
    let mut candidates = engine::complete(command, words, last, folder)?;
    let is_option = |candidate: &CompletionCandidate| value(candidate).starts_with('-');
    if begins && !candidates.iter().all(is_option) {
        candidates.retain(|candidate| !is_option(candidate));
    }
    Ok(candidates)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the candidates for the last word of a command line.
    fn candidates(line: &str) -> Vec<String> {
        let words = line.split(' ').map(OsString::from).collect();
        let found = at_end(&mut definition(), words, None).expect("it has candidates");
        found.iter().map(value).collect()
    }

    /// Calls `check` with each visible command, and its words after `forebay`.
    fn each_command(command: &Command, path: &str, check: &mut impl FnMut(&Command, &str)) {
        check(command, path);
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            each_command(inner, format!("{path} {}", inner.get_name()).trim_start(), check);
        }
    }

    #[test]
    fn every_command_and_every_option_is_completed() {
        each_command(&definition(), "", &mut |command, path| {
            let line = format!("forebay {path}");
            let begun = candidates(&format!("{} ", line.trim_end()));
            for inner in command.get_subcommands() {
                assert_eq!(begun.iter().any(|word| word == inner.get_name()), !inner.is_hide_set(), "{line}");
            }
            let options = candidates(&format!("{} --", line.trim_end()));
            for long in command.get_arguments().filter_map(Arg::get_long) {
                assert!(options.contains(&format!("--{long}")), "{line}: no --{long} in {options:?}");
            }
        });
    }

    #[test]
    fn keys_of_a_disk_are_completed_and_then_their_values() {
        let keys = candidates("forebay disk set web1 d");
        assert_eq!(keys, ["dirty-limit=", "destage-rate-min=", "destage-rate-max=", "destage-order="]);
        let modes = candidates("forebay disk set web1 ram=1GiB mode=write-");
        assert_eq!(modes, ["mode=write-through", "mode=write-back", "mode=write-around"]);
        assert_eq!(candidates("forebay disk add web1 map=s"), ["map=scan"]);
        assert_eq!(candidates("forebay disk add web1 --redundancy m"), ["mirror"]);
        assert!(candidates("forebay pool set ").contains(&"rated-tbw=".to_owned()));
        assert_eq!(candidates("forebay events --level w"), ["warning"]);
        assert_eq!(candidates("forebay stats web1 --window to"), ["total"]);
    }

    #[test]
    fn zsh_gets_a_value_and_its_description_apart() {
        let candidate = CompletionCandidate::new("nbd://a").help(Some("An export.\nMore".into()));
        assert_eq!((ZSH.line)(&candidate), "nbd\\://a:An export.");
        assert_eq!((ZSH.line)(&CompletionCandidate::new("a")), "a");
        assert_eq!((BASH.line)(&candidate), "nbd://a");
    }

    #[test]
    fn words_of_options_are_accepted_by_them() {
        for (id, words) in WORDS {
            let mut found = 0;
            each_command(&Cli::command(), "", &mut |command, path| {
                for argument in command.get_arguments().filter(|argument| argument.get_id() == *id) {
                    let long = argument.get_long().expect("each is an option");
                    for word in *words {
                        let line = format!("forebay {path} --{long} {word}");
                        let parsed = Cli::command().try_get_matches_from(line.split(' '));
                        assert!(parsed.is_ok(), "{line}: {parsed:?}");
                        found += 1;
                    }
                }
            });
            assert!(found > 0, "no option {id}");
        }
    }

    #[test]
    fn the_socket_is_that_of_the_words_before_that_of_the_environment() {
        let socket = |line: &str, environment: Option<&str>| {
            let words = line.split(' ').map(OsString::from).collect::<Vec<_>>();
            let path = socket_of(words.into_iter(), environment.map(OsString::from));
            path.map(|path| path.display().to_string())
        };
        assert_eq!(socket("forebay -- forebay disk show ", None), None);
        assert_eq!(socket("forebay -- forebay disk show ", Some("/e")).as_deref(), Some("/e"));
        assert_eq!(socket("forebay -- forebay --socket /a disk show ", Some("/e")).as_deref(), Some("/a"));
        assert_eq!(socket("forebay -- forebay disk show --socket=/b ", Some("")).as_deref(), Some("/b"));
        assert_eq!(socket("forebay -- forebay disk show --socket", None), None);
    }
}
