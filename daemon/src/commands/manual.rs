//! Manual pages: those of the command line's definition, with examples, files and exit status.
//!
//! The daemon's page is in section 8, as that of a program that administrators run; all others are in section 1.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

/// Commands in section 8.
const OF_ADMINISTRATORS: &[&str] = &["forebay-serve"];
/// Examples by page: a sentence, and a command that parses.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "forebay",
        &[
            ("See the effect of a cache in a minute:", "forebay demo"),
            ("Serve disks, with an SSD as the pool:", "forebay serve --pool /dev/nvme0n1p4"),
            ("Cache a disk:", "forebay disk add web1 --backing /srv/images/web1.raw"),
            ("See whether something needs attention:", "forebay status"),
        ],
    ),
    ("forebay-demo", &[("Run the demonstration for five minutes:", "forebay demo --seconds 300")]),
    (
        "forebay-serve",
        &[
            ("Serve as the configuration file says:", "forebay serve --config /etc/forebay/forebay.toml"),
            (
                "Make a pool of 200 GiB in a file:",
                "forebay serve --pool /srv/ssd/pool.img --pool-size 200GiB",
            ),
            ("Serve disks to other hosts too:", "forebay serve --listen-nbd 192.0.2.1"),
        ],
    ),
    (
        "forebay-disk-add",
        &[
            (
                "Cache an image, with writes that are on the array before they are acknowledged:",
                "forebay disk add web1 --backing /srv/images/web1.raw",
            ),
            (
                "Cache a volume with 20 GiB reserved for it, and acknowledge writes once they are on two SSDs:",
                "forebay disk add db1 --backing /dev/array/db1 --reserve 20GiB --mode write-back",
            ),
            ("Cache a disk of an NBD server:", "forebay disk add mail --backing nbd://storage.example/mail"),
        ],
    ),
    (
        "forebay-disk-list",
        &[("List all disks:", "forebay disk list"), ("The same for a script:", "forebay disk list --json")],
    ),
    ("forebay-disk-show", &[("Show all of one disk:", "forebay disk show web1")]),
    (
        "forebay-disk-set",
        &[
            (
                "Change mode and reservation under a running guest:",
                "forebay disk set web1 mode=write-back reserve=20GiB",
            ),
            ("Limit a noisy guest:", "forebay disk set web1 iops-max=2000 bandwidth-max=100MiB"),
            ("Map a disk at every start:", "forebay disk set vol1 map=on"),
        ],
    ),
    (
        "forebay-disk-resize",
        &[("Serve the size that a backing has since it was enlarged:", "forebay disk resize web1")],
    ),
    ("forebay-disk-evict", &[("Drop what is cached of a disk:", "forebay disk evict web1")]),
    (
        "forebay-disk-destage",
        &[("Write dirty data to the backing, and wait for it:", "forebay disk destage web1 --wait")],
    ),
    ("forebay-disk-quiesce", &[("Keep a backing complete for a snapshot:", "forebay disk quiesce web1")]),
    ("forebay-disk-resume", &[("End that:", "forebay disk resume web1")]),
    (
        "forebay-disk-accept",
        &[("Serve a disk that waits since its backing was restored:", "forebay disk accept web1")],
    ),
    (
        "forebay-disk-recover",
        &[
            (
                "Show what is left of a disk whose flash is lost:",
                "forebay disk recover --backing /srv/images/db.raw --dry-run",
            ),
            ("Bring its backing to that time:", "forebay disk recover --backing /srv/images/db.raw"),
            (
                "Bring both disks of a consistency set to one time:",
                "forebay disk recover --backing /srv/images/data.raw --backing /srv/images/log.raw",
            ),
        ],
    ),
    ("forebay-disk-remove", &[("Stop serving a disk:", "forebay disk remove web1")]),
    (
        "forebay-volume-create",
        &[(
            "Create a volume in the store [store.cold] of the configuration:",
            "forebay volume create cold/web1 100GiB",
        )],
    ),
    ("forebay-volume-list", &[("List volumes, and which host has each:", "forebay volume list cold")]),
    (
        "forebay-volume-snapshot",
        &[(
            "Keep a volume as it is now, while its guest goes on:",
            "forebay volume snapshot cold/web1 before-upgrade",
        )],
    ),
    (
        "forebay-volume-snapshots",
        &[("List the snapshots of a volume:", "forebay volume snapshots cold/web1")],
    ),
    (
        "forebay-volume-clone",
        &[(
            "Create a volume with the content of a snapshot:",
            "forebay volume clone cold/web1@before-upgrade cold/web2",
        )],
    ),
    (
        "forebay-volume-resize",
        &[("Make a volume larger, while its guest goes on:", "forebay volume resize cold/web1 200GiB")],
    ),
    ("forebay-volume-check", &[("Read and compare all of a volume:", "forebay volume check cold/web1")]),
    (
        "forebay-volume-scrub",
        &[
            ("Read and compare all of a volume while guests use it:", "forebay volume scrub cold/web1"),
            ("The same with more of the store's rate:", "forebay volume scrub cold/web1 --rate 200MiB"),
        ],
    ),
    (
        "forebay-volume-fence",
        &[("After the loss of the host that had it:", "forebay volume fence cold/web1")],
    ),
    (
        "forebay-volume-import",
        &[(
            "Create a volume with the content of an image:",
            "forebay volume import cold/web1 /srv/images/web1.raw",
        )],
    ),
    (
        "forebay-volume-export",
        &[("Copy a volume to a raw file:", "forebay volume export cold/web1 /srv/images/web1.raw")],
    ),
    (
        "forebay-volume-delete",
        &[
            ("Delete a volume:", "forebay volume delete cold/web1"),
            ("Delete a snapshot:", "forebay volume delete cold/web1@before-upgrade"),
        ],
    ),
    (
        "forebay-vm-attach",
        &[(
            "Put a disk of a running guest behind the cache:",
            "forebay vm attach --qmp /run/web1.qmp --device drive0",
        )],
    ),
    ("forebay-vm-detach", &[("Give it back:", "forebay vm detach web1")]),
    ("forebay-vm-list", &[("List the disks of running guests:", "forebay vm list")]),
    (
        "forebay-map",
        &[("Make a disk a block device:", "forebay map vol1"), ("List mapped disks:", "forebay map")],
    ),
    ("forebay-unmap", &[("Take the block device away:", "forebay unmap vol1")]),
    ("forebay-pool-show", &[("Show devices, wear and room:", "forebay pool show")]),
    ("forebay-pool-add", &[("Add a second SSD:", "forebay pool add /dev/nvme1n1")]),
    ("forebay-pool-remove", &[("Take one out:", "forebay pool remove /dev/nvme1n1")]),
    (
        "forebay-pool-replace",
        &[(
            "Replace one that failed, and wait for second copies:",
            "forebay pool replace /dev/nvme1n1 /dev/nvme2n1 --wait",
        )],
    ),
    (
        "forebay-pool-resize",
        &[("Use all of a volume that was enlarged:", "forebay pool resize /dev/group/pool max")],
    ),
    (
        "forebay-pool-set",
        &[(
            "Have the remaining life of drives computed:",
            "forebay pool set rated-tbw=600TB --device /dev/nvme0n1",
        )],
    ),
    (
        "forebay-stats",
        &[
            ("Show counters of all disks:", "forebay stats"),
            ("Of one disk, since it was added:", "forebay stats web1 --window total"),
        ],
    ),
    ("forebay-histogram", &[("Show requests in classes:", "forebay histogram web1")]),
    ("forebay-curve", &[("Show hit ratios at other sizes:", "forebay curve web1")]),
    (
        "forebay-advise",
        &[
            ("Get advice for all disks:", "forebay advise"),
            ("Follow it for one disk, after a question:", "forebay advise web1 --apply"),
            ("Get advice for a trace:", "forebay advise web1.trace"),
        ],
    ),
    ("forebay-history", &[("Show the last minutes:", "forebay history web1")]),
    ("forebay-events", &[("List events:", "forebay events")]),
    ("forebay-top", &[("Watch all disks:", "forebay top")]),
    ("forebay-report", &[("Show the gain of the cache:", "forebay report web1")]),
    ("forebay-simulate", &[("Compare policies on a trace:", "forebay simulate web1.trace")]),
    (
        "forebay-replay",
        &[("Play a trace on a disk, which it overwrites:", "forebay replay --disk test web1.trace")],
    ),
    ("forebay-status", &[("See whether something needs attention:", "forebay status")]),
    ("forebay-trace-info", &[("Describe a trace:", "forebay trace info web1.trace")]),
    ("forebay-trace-convert", &[("Convert a trace:", "forebay trace convert web1.csv web1.trace")]),
    (
        "forebay-trace-record",
        &[("Record the requests of a disk:", "forebay trace record --output web1.trace web1")],
    ),
    ("forebay-check", &[("Check a pool while no daemon uses it:", "forebay check /dev/nvme0n1p4")]),
];
/// Files of the daemon and of its commands, with their purpose.
const FILES: &[(&str, &str)] = &[
    ("/etc/forebay/forebay.toml", "Configuration of the daemon."),
    (
        "/var/lib/forebay",
        "DIR: list of disks, records of backings, token, and the pool that is made without a device.",
    ),
    ("/run/forebay", "RUN: control socket, and sockets of disks in nbd and vhost-user."),
    ("/dev/forebay", "Mapped disks by name."),
];
const STATUS: &[(&str, &str)] = &[
    ("0", "It is done."),
    ("1", "It is not done, or something needs attention; an error names the reason and what to do."),
    ("2", "The command line is wrong."),
];

/// Returns the file name of the page of a command.
pub(super) fn page_name(command: &str) -> String {
    format!("{command}.{}", section(command))
}

/// Writes the page of a command, and those of its subcommands.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn write(command: &Command, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write(inner, folder)?;
    }
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let page = Man::new(command.clone())
        .source(format!("forebay {}", env!("CARGO_PKG_VERSION")))
        .manual("Forebay")
        .section(section(&name));
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    if let Some(more) = command.get_after_long_help().or(command.get_after_help()) {
        text.extend(as_it_stands(&more.to_string()).bytes());
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    for other in OF_ADMINISTRATORS {
        let escaped = other.replace('-', "\\-");
        text = text.replace(&format!("{escaped}(1)"), &format!("{escaped}(8)"));
    }
    text.push_str(&examples(&name));
    text.push_str(&listed("FILES", FILES));
    text.push_str(&listed("EXIT STATUS", STATUS));
    text.push_str(&see_also(&name));
    fs::write(folder.join(page_name(&name)), text)
}

fn section(command: &str) -> &'static str {
    if OF_ADMINISTRATORS.contains(&command) { "8" } else { "1" }
}

fn examples(name: &str) -> String {
    let Some((_, examples)) = EXAMPLES.iter().find(|(of, _)| *of == name) else { return String::new() };
    let example = |(text, command): &(&str, &str)| {
        format!(".PP\n{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", escaped(text), escaped(command))
    };
    format!(".SH EXAMPLES\n{}", examples.iter().map(example).collect::<String>())
}

fn listed(title: &str, entries: &[(&str, &str)]) -> String {
    let entry = |(name, text): &(&str, &str)| format!(".TP\n{}\n{}\n", escaped(name), escaped(text));
    format!(".SH \"{title}\"\n{}", entries.iter().map(entry).collect::<String>())
}

fn see_also(name: &str) -> String {
    let others = ["forebay", "forebay-serve", "forebay-status"].into_iter().filter(|other| *other != name);
    let others: Vec<String> =
        others.map(|other| format!("\\fB{}\\fR({})", escaped(other), section(other))).collect();
    format!(".SH \"SEE ALSO\"\n{}\n.PP\nPages of documentation: /usr/share/doc/forebay\n", others.join(", "))
}

/// Returns a section whose lines are kept as they are: tables and files.
fn as_it_stands(text: &str) -> String {
    let lines: String = text.lines().map(|line| escaped(line) + "\n").collect();
    format!(".SH DETAILS\n.nf\n{lines}.fi\n")
}

/// Returns a line of text as roff prints it.
fn escaped(line: &str) -> String {
    // A line that begins with one of these two would be a request of roff.
    let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{guard}{}", line.replace('\\', "\\e").replace('-', "\\-"))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn each_command_has_examples_and_each_example_is_a_command() {
        let mut definition = Cli::command();
        definition.build();
        let mut wanted = Vec::new();
        leaves(&definition, &mut wanted);
        for name in wanted {
            assert!(EXAMPLES.iter().any(|(of, _)| *of == name), "{name} has no example");
        }
        for (name, examples) in EXAMPLES {
            for (text, command) in *examples {
                let parsed = Cli::try_parse_from(command.split_whitespace());
                assert!(parsed.is_ok(), "{name}: {command}: {}", parsed.unwrap_err());
                let words = name.replace('-', " ");
                assert!(*name == "forebay" || command.starts_with(&words), "{name}: {command}");
                assert!(text.ends_with(':'), "{text}");
            }
        }
    }

    /// Collects the names of commands that can be given.
    fn leaves(command: &Command, names: &mut Vec<String>) {
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            if inner.has_subcommands() {
                leaves(inner, names);
            } else {
                names.push(inner.get_display_name().unwrap_or_default().to_owned());
            }
        }
    }

    #[test]
    fn lines_that_look_like_requests_are_text() {
        assert!(as_it_stands(".x\n'y\na\\b").contains("\\&.x\n\\&'y\na\\eb\n"));
    }
}
