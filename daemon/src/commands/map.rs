//! `forebay map` and `forebay unmap`: disks as block devices of this host.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use api::document;
use base::problem::{Answer, Problem, ProblemKind};
use serde_json::{Value, json};

use super::{client, print_change};
use crate::cli::{MapDisk, UnmapDisk};
use crate::client::Client;
use crate::mapping::{MapOptions, MappedDisk, Mapping};
use crate::output::{self, list, text};

/// How long a disk that was mapped may take to be served after a start of the daemon.
const RESTORE_TIME_MAX: Duration = Duration::from_secs(20);
const RESTORE_INTERVAL: Duration = Duration::from_millis(100);

pub(super) fn map(options: &MapDisk) -> Answer<()> {
    let client = client(&options.reading.daemon)?;
    match &options.name {
        Some(name) => map_one(&client, name, options),
        None if options.restore => restore(&client, options),
        None => show_list(&client, options),
    }
}

pub(super) fn unmap(options: &UnmapDisk) -> Answer<()> {
    let client = client(&options.reading.daemon)?;
    let disk = Mapping::open(run_of(&client)?)?.unmap(&options.name, options.force)?;
    let text = format!("Disk '{}' is not mapped any more; {} is gone\n", disk.name, disk.device.display());
    print_change(&options.reading, &document("mapped", entry(&disk)), &text)
}

/// Tells the users of a mapped disk its new size, and returns a line that says so, or why they do not know it; nothing of a disk that is
/// not mapped.
///
/// # Errors
/// If the daemon does not answer.
pub(super) fn resized(client: &Client, name: &str, size_bytes: &Value) -> Answer<String> {
    let document = client.get(&format!("/v1/disks/{name}"))?;
    let is_mapped = list(&document["disk"]["doors"]).iter().any(|door| door["kind"] == "block-device");
    let Some(size_bytes) = size_bytes.as_u64().filter(|_| is_mapped) else { return Ok(String::new()) };
    let told =
        run_of(client).and_then(Mapping::open).and_then(|mut mapping| mapping.resize(name, size_bytes));
    let reason = match told {
        Ok(true) => return Ok("Its block device has the new size\n".to_owned()),
        Ok(false) => "Linux before 6.16 cannot change it".to_owned(),
        Err(problem) => problem.to_string(),
    };
    Ok(format!(
        "Its block device keeps its size until `forebay unmap {name}` and `forebay map {name}`: {reason}\n"
    ))
}

fn map_one(client: &Client, name: &str, options: &MapDisk) -> Answer<()> {
    // So that a name that is not there is said as everywhere.
    client.get(&format!("/v1/disks/{name}"))?;
    let wanted = MapOptions { link: options.link.clone(), read_only: options.read_only };
    let disk = Mapping::open(run_of(client)?)?.map(name, &wanted)?;
    let link = disk.link.as_deref().unwrap_or(&disk.device);
    let remarks = lines(&disk.remarks, |remark| format!("Note: {remark}\n"));
    let text = format!(
        "Disk '{name}' is {} now, a link to {}\n{remarks}  to take it away: forebay unmap {name}\n",
        link.display(),
        disk.device.display()
    );
    print_change(&options.reading, &document("mapped", entry(&disk)), &text)
}

/// Has the daemon serve what was mapped when the one before ended, and maps disks that are to be mapped at each start.
fn restore(client: &Client, options: &MapDisk) -> Answer<()> {
    let names = names(client)?;
    let mut mapping = match Mapping::open(run_of(client)?) {
        Ok(mapping) => mapping,
        // Without the driver nothing can be mapped.
        Err(problem) if problem.kind == ProblemKind::Unavailable => return output::print(""),
        Err(problem) => return Err(problem),
    };
    let deadline = Instant::now() + RESTORE_TIME_MAX;
    let (mut restored, mut problems) = (Vec::new(), Vec::new());
    for name in &names {
        let is_to_be_mapped = client.get(&format!("/v1/disks/{name}"))?["disk"]["settings"]["map"] == "on";
        loop {
            match mapping.restore(name, is_to_be_mapped) {
                Ok(disk) => restored.extend(disk),
                // Its backing may be on its way.
                Err(problem) if problem.kind == ProblemKind::Unavailable && Instant::now() < deadline => {
                    thread::sleep(RESTORE_INTERVAL);
                    continue;
                }
                Err(problem) => problems.push(problem),
            }
            break;
        }
    }
    let text =
        lines(&restored, |disk| format!("Disk '{}' is served as {}\n", disk.name, disk.device.display()));
    let entries: Vec<Value> = restored.iter().map(entry).collect();
    print_change(&options.reading, &document("mapped", entries), &text)?;
    match problems.as_slice() {
        [] => Ok(()),
        [problem] => Err(problem.clone()),
        several => {
            let all: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(Problem::failed(all.join("; ")))
        }
    }
}

fn show_list(client: &Client, options: &MapDisk) -> Answer<()> {
    let disks = Mapping::open(run_of(client)?)?.list(&names(client)?);
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
        let state = if disk.is_served { "served" } else { "waits for the daemon" };
        vec![disk.name.clone(), disk.device.display().to_string(), link, state.to_owned()]
    };
    let rows: Vec<Vec<String>> = disks.iter().map(row).collect();
    output::print(&output::table(&["NAME", "DEVICE", "LINK", "STATE"], &rows))
}

fn lines<T>(all: &[T], line: impl FnMut(&T) -> String) -> String {
    all.iter().map(line).collect()
}

fn entry(disk: &MappedDisk) -> Value {
    json!({
        "name": disk.name,
        "device": disk.device,
        "link": disk.link,
        "served": disk.is_served,
        "remarks": disk.remarks,
    })
}

fn names(client: &Client) -> Answer<Vec<String>> {
    let document = client.get("/v1/disks")?;
    Ok(list(&document["disks"]).iter().map(|disk| text(&disk["name"])).collect())
}

/// Returns the folder of the daemon's sockets.
fn run_of(client: &Client) -> Answer<PathBuf> {
    let socket = client.socket();
    let folder = socket.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().map_err(|error| {
        Problem::unavailable(format!("Cannot find the daemon's sockets at {}: {error}", folder.display()))
    })
}
