//! `forebay map` and `forebay unmap`: disks as block devices of this host.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use api::document;
use base::error::{Error, ErrorKind, Result};
use base::names;
use serde_json::{Value, json};

use super::{client, print_change};
use crate::cli::{MapDisk, UnmapDisk};
use crate::client::Client;
use crate::mapping::{ContentScan, DiskPlace, MapOptions, MappedDisk, Mapping, ServiceState};
use crate::output::{self, list, text};

/// Time that a mapped disk may take to be served after a start of the daemon.
const RESTORE_TIME_MAX: Duration = Duration::from_secs(20);
const RESTORE_INTERVAL: Duration = Duration::from_millis(100);
/// Time that users of a mapped disk have to end: a service has 90 s by default when the host shuts down.
const UNMOUNT_TIME_MAX: Duration = Duration::from_secs(90);
const UNMOUNT_INTERVAL: Duration = Duration::from_millis(250);
/// Time without a write after which write-back of the page cache counts as over, and the most that it may
/// take.
const WRITE_BACK_PAUSE_MAX: Duration = Duration::from_secs(30);
const WRITE_BACK_TIME_MAX: Duration = Duration::from_mins(30);
/// Time that the daemon has for an answer while the host starts or stops.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// Time between checks of a connection that broke, until it is replaced.
const WATCH_INTERVAL_BROKEN: Duration = Duration::from_secs(1);
/// Time between checks of connections without notifications.
const WATCH_INTERVAL: Duration = Duration::from_secs(30);

pub(super) fn map(options: &MapDisk) -> Result<()> {
    let mut client = client(&options.reading.daemon)?;
    if options.restore || options.watch {
        client.limit_answers(ANSWER_TIME_MAX);
    }
    match &options.name {
        Some(name) => map_one(&client, name, options),
        None if options.restore => restore(&client, options),
        None if options.watch => watch(&client),
        None => show_list(&client, options),
    }
}

pub(super) fn unmap(options: &UnmapDisk) -> Result<()> {
    let mut client = client(&options.reading.daemon)?;
    client.limit_answers(ANSWER_TIME_MAX);
    // A disk can be unmapped while no daemon runs.
    let run = run_of(&client)?;
    let Some(name) = &options.name else { return unmap_all(&client, &run, options) };
    names::check(name)?;
    let place = place(&client, name).unwrap_or_else(|_| DiskPlace::new(name, &run, None, 0));
    let disk = Mapping::default().unmap(&place, options.force)?;
    let text = format!("Disk '{}' is not mapped any more; {} is gone\n", disk.name, disk.device.display());
    print_change(&options.reading, &document("mapped", entry(&disk)), &text)
}

/// Unmaps every disk that is not in use, and names those that stay. With `--unmount` it first ends their uses
/// as far as possible, and waits for the rest, and for write-back of the page cache. If the host shuts down
/// meanwhile, the rest is removed by force: a daemon that ends first would leave it hanging.
fn unmap_all(client: &Client, run: &Path, options: &UnmapDisk) -> Result<()> {
    let mut mapping = Mapping::default();
    let mut pending = with_described(places(client).unwrap_or_default(), run);
    let begun = Instant::now();
    let (mut written, mut last_written) = (0, begun);
    let mut gone = Vec::new();
    let problems = loop {
        let mut problems = Vec::new();
        if options.unmount {
            let before = std::mem::replace(&mut written, mapping.end_uses(&pending));
            if written != before {
                last_written = Instant::now();
            }
        }
        pending.retain(|place| {
            match mapping.unmap(place, options.force) {
                Ok(disk) => gone.push(disk),
                Err(problem) if problem.kind == ErrorKind::Missing => {}
                Err(problem) => {
                    problems.push(problem);
                    return true;
                }
            }
            false
        });
        let is_over = begun.elapsed() >= UNMOUNT_TIME_MAX && last_written.elapsed() >= WRITE_BACK_PAUSE_MAX
            || begun.elapsed() >= WRITE_BACK_TIME_MAX;
        if pending.is_empty() || !options.unmount || is_over {
            break problems;
        }
        thread::sleep(UNMOUNT_INTERVAL);
    };
    let problems = if options.unmount && !pending.is_empty() && is_host_stopping() {
        for problem in &problems {
            tracing::warn!("By force: {problem}");
        }
        pending
            .iter()
            .filter_map(|place| mapping.unmap(place, true).map(|disk| gone.push(disk)).err())
            .collect()
    } else {
        problems
    };
    let entries: Vec<Value> = gone.iter().map(entry).collect();
    let line = |disk: &MappedDisk| format!("Disk '{}' is not mapped any more\n", disk.name);
    print_change(&options.reading, &document("mapped", entries), &lines(&gone, line))?;
    all_or(problems)
}

/// Returns true if systemd is shutting this host down.
fn is_host_stopping() -> bool {
    let state = Command::new("systemctl").arg("is-system-running").output();
    state.is_ok_and(|state| state.stdout.trim_ascii() == b"stopping")
}

/// Returns the problems as one, if there are any.
fn all_or(mut problems: Vec<Error>) -> Result<()> {
    match problems.len() {
        0 => Ok(()),
        1 => Err(problems.remove(0)),
        _ => {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Err(Error::failed(all.join("; ")))
        }
    }
}

/// Sets the new size of a mapped disk for its users, and returns a line about it, or the reason for which it
/// failed; an empty text for a disk that is not mapped.
///
/// # Errors
/// If the daemon does not answer.
pub(super) fn resized(client: &Client, name: &str, size_bytes: &Value) -> Result<String> {
    let document = client.get(&format!("/v1/disks/{name}"))?;
    let is_mapped = list(&document["disk"]["doors"])
        .iter()
        .any(|door| door["kind"] == "block-device" || door["kernel_connections"].as_u64() > Some(0));
    let Some(size_bytes) = size_bytes.as_u64().filter(|_| is_mapped) else { return Ok(String::new()) };
    let told = run_of(client)
        .and_then(|run| Mapping::default().resize(&place_of(&document["disk"], &run)?, size_bytes));
    let reason = match told {
        Ok(true) => return Ok("Its block device has the new size\n".to_owned()),
        Ok(false) => "Linux before 6.16 cannot change it".to_owned(),
        Err(problem) => problem.to_string(),
    };
    Ok(format!(
        "Its block device keeps its size until `forebay unmap {name}` and `forebay map {name}`: {reason}\n"
    ))
}

fn map_one(client: &Client, name: &str, options: &MapDisk) -> Result<()> {
    let scan = if options.scan { ContentScan::On } else { ContentScan::Off };
    let wanted =
        MapOptions { link: options.link.clone(), read_only: options.read_only, driver: options.driver, scan };
    // So that an unknown name gives the usual error.
    let disk = Mapping::default().map(&place(client, name)?, &wanted)?;
    let link = disk.link.as_deref().unwrap_or(&disk.device);
    let remarks = lines(&disk.remarks, |remark| format!("Note: {remark}\n"));
    let text = format!(
        "Disk '{name}' is {} now, a link to {}\n{remarks}  to take it away: forebay unmap {name}\n",
        link.display(),
        disk.device.display()
    );
    print_change(&options.reading, &document("mapped", entry(&disk)), &text)
}

/// Makes the daemon serve disks that were mapped when the last one ended, and maps disks that are to be
/// mapped at each start. None waits for another: those that may soon be served are tried again until the time
/// is over.
fn restore(client: &Client, options: &MapDisk) -> Result<()> {
    let mut mapping = Mapping::default();
    let deadline = Instant::now() + RESTORE_TIME_MAX;
    let run = run_of(client)?;
    let mut restored = Vec::new();
    let mut pending = names(client)?;
    let mut problems = Vec::new();
    loop {
        let mut waiting = Vec::new();
        pending.retain(|name| match restore_one(client, &run, &mut mapping, name) {
            Ok(disk) => {
                restored.extend(disk);
                false
            }
            // It was removed meanwhile.
            Err(problem) if problem.kind == ErrorKind::Missing => false,
            Err(problem) => {
                // Its backing may become available.
                let may_soon = problem.kind == ErrorKind::Unavailable;
                (if may_soon { &mut waiting } else { &mut problems }).push(problem);
                may_soon
            }
        });
        if pending.is_empty() || Instant::now() >= deadline {
            problems.append(&mut waiting);
            break;
        }
        thread::sleep(RESTORE_INTERVAL);
    }
    let entries: Vec<Value> = restored.iter().map(entry).collect();
    print_change(&options.reading, &document("mapped", entries), &lines(&restored, served_as))?;
    all_or(problems)
}

fn restore_one(client: &Client, run: &Path, mapping: &mut Mapping, name: &str) -> Result<Option<MappedDisk>> {
    let document = client.get(&format!("/v1/disks/{name}"))?;
    let disk = &document["disk"];
    let wanted = match disk["settings"]["map"].as_str() {
        Some("on") => Some(ContentScan::Off),
        Some("scan") => Some(ContentScan::On),
        _ => None,
    };
    mapping.restore(&place_of(disk, run)?, wanted)
}

/// Replaces connections of kernel NBD that break, until the process is ended: the kernel notifies of each.
/// Failures are retried, and written to standard error once.
fn watch(client: &Client) -> Result<()> {
    // Its memory allocations must not wait for the disks that it serves.
    if let Err(error) = rustix::process::configure_io_flusher_behavior(true) {
        tracing::warn!("Cannot be an I/O flusher: {error}; give this process CAP_SYS_RESOURCE");
    }
    let mut mapping = Mapping::default();
    let broken = mapping.listen()?;
    let mut last_problem = None;
    let mut is_settled = false;
    loop {
        let outcome = reconnect_all(client, &mut mapping);
        let problem = outcome.err().map(|problem| problem.to_string());
        if problem != last_problem
            && let Some(problem) = &problem
        {
            tracing::warn!("{problem}");
        }
        let time = if is_settled && problem.is_none() { WATCH_INTERVAL } else { WATCH_INTERVAL_BROKEN };
        last_problem = problem;
        // Right after a notification, kernel or daemon may not have noticed yet: check twice.
        is_settled = !broken.wait(time)?;
    }
}

/// Replaces connections that are broken now.
fn reconnect_all(client: &Client, mapping: &mut Mapping) -> Result<()> {
    let mut last = Ok(());
    for place in places(client)? {
        match mapping.reconnect(&place) {
            Ok(Some(disk)) => output::print(&served_as(&disk))?,
            Ok(None) => {}
            Err(problem) => last = Err(problem),
        }
    }
    last
}

fn served_as(disk: &MappedDisk) -> String {
    format!("Disk '{}' is served as {}\n", disk.name, disk.device.display())
}

fn show_list(client: &Client, options: &MapDisk) -> Result<()> {
    let disks = Mapping::default().list(&with_described(places(client)?, &run_of(client)?))?;
    if options.reading.json {
        let entries: Vec<Value> = disks.iter().map(entry).collect();
        return output::print(&format!("{}\n", document("mapped", entries)));
    }
    if disks.is_empty() {
        return output::print(
            "No disk is mapped: `forebay map NAME` makes one a block device of this host\n",
        );
    }
    let row = |disk: &MappedDisk| {
        let link = disk
            .link
            .as_deref()
            .map_or_else(|| output::NOTHING.to_owned(), |link| link.display().to_string());
        let state = match disk.state {
            ServiceState::Unstarted => "not started",
            ServiceState::Served => "served",
            ServiceState::Waiting => "waits for the daemon",
            ServiceState::Foreign => "of an earlier disk of this name",
        };
        let driver = disk.driver.key().to_owned();
        let user = disk.user.clone().unwrap_or_else(|| output::NOTHING.to_owned());
        vec![disk.name.clone(), disk.device.display().to_string(), driver, link, state.to_owned(), user]
    };
    let rows: Vec<Vec<String>> = disks.iter().map(row).collect();
    let remarks = lines(&disks, |disk| {
        let note = |remark: &String| format!("Note: disk '{}': {remark}\n", disk.name);
        lines(&disk.remarks, note)
    });
    output::print(&format!(
        "{}{remarks}",
        output::table(&["NAME", "DEVICE", "DRIVER", "LINK", "STATE", "USE"], &rows)
    ))
}

fn lines<T>(all: &[T], line: impl FnMut(&T) -> String) -> String {
    all.iter().map(line).collect()
}

fn entry(disk: &MappedDisk) -> Value {
    json!({
        "name": disk.name,
        "device": disk.device,
        "driver": disk.driver.key(),
        "link": disk.link,
        "served": disk.state == ServiceState::Served,
        "use": disk.user,
        "remarks": disk.remarks,
    })
}

fn names(client: &Client) -> Result<Vec<String>> {
    let document = client.get("/v1/disks")?;
    Ok(list(&document["disks"]).iter().map(|disk| text(&disk["name"])).collect())
}

/// Returns the place of each disk of the daemon.
fn places(client: &Client) -> Result<Vec<DiskPlace>> {
    let document = client.get("/v1/disks")?;
    let run = run_of(client)?;
    list(&document["disks"]).iter().map(|disk| place_of(disk, &run)).collect()
}

/// Returns these disks of the daemon, and those that are mapped but unknown to it: it does not run, or they
/// were removed while their devices waited.
fn with_described(mut disks: Vec<DiskPlace>, run: &Path) -> Vec<DiskPlace> {
    for described in Mapping::described(run) {
        if disks.iter().all(|known| known.name() != described.name()) {
            disks.push(described);
        }
    }
    disks
}

/// Returns the place of one disk.
///
/// # Errors
/// Missing if the daemon does not have it.
fn place(client: &Client, name: &str) -> Result<DiskPlace> {
    let document = client.get(&format!("/v1/disks/{name}"))?;
    place_of(&document["disk"], &run_of(client)?)
}

/// Returns the place of a disk as the daemon describes it. Its name becomes a part of files that root and
/// udev read: it is checked, because the daemon has no privileges and could send anything.
fn place_of(disk: &Value, run: &Path) -> Result<DiskPlace> {
    let name = text(&disk["name"]);
    names::check(&name)?;
    let doors = list(&disk["doors"]).iter();
    let kernel_connections = doors.filter_map(|door| door["kernel_connections"].as_u64()).sum();
    let number = disk["number"].as_u64();
    let identity = number.map(|number| DiskPlace::identity_of(number, &text(&disk["backing"])));
    Ok(DiskPlace::new(&name, run, identity, kernel_connections))
}

/// Returns the folder of the daemon's sockets.
fn run_of(client: &Client) -> Result<PathBuf> {
    let socket = client.socket();
    let folder = socket.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().map_err(|error| {
        Error::unavailable(format!("Cannot find the daemon's sockets at {}: {error}", folder.display()))
    })
}
