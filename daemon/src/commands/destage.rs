//! Destage of a disk from the command line, and waiting for it: `disk destage`, `disk quiesce`, and
//! preparation of other commands.
//!
//! The daemon starts destage and answers at once; the progress is in the description of the disk, which is
//! polled. So waiting can stop at any time (Ctrl-C), and the disk is as it was before.

use std::time::{Duration, Instant};

use api::{QuiesceDisk, ResumeDisk};
use base::error::{Error, Result};
use base::units::Size;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use super::disk::path_of;
use super::{client, print_change};
use crate::cli::{DiskDestage, DiskName, DiskQuiesce};
use crate::client::{Client, Pause};
use crate::output::{self, text};

/// Time between polls of the progress.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// Time without progress, while requests fail, after which waiting ends.
const STUCK_TIME_MAX: Duration = Duration::from_secs(30);
/// The same while destage reports why it fails.
const FAILING_TIME_MAX: Duration = Duration::from_secs(5);
/// Seconds for which a disk stays quiesced for a change.
const CHANGE_SECONDS: u64 = 60;

pub(super) fn destage(options: &DiskDestage) -> Result<()> {
    let name = &options.name;
    let path = format!("{}/destage", path_of(name)?);
    let client = client(&options.reading.daemon)?;
    if options.stop {
        let document = client.delete(&path)?;
        let said = format!("Disk '{name}' is destaged as it suits guests\n");
        return print_change(&options.reading, &document, &said);
    }
    let document = client.post(&path, &())?;
    if options.wait {
        wait_until_destaged(&client, name)?;
        if options.reading.json {
            return print_change(&options.reading, &client.get(&path_of(name)?)?, "");
        }
        return print_destaged(name);
    }
    let disk = &document["disk"];
    let said = if is_destaged(disk) {
        format!("The backing of disk '{name}' has everything\n")
    } else {
        format!("{} of disk '{name}' are being destaged; --wait waits for them\n", Size(left(disk)))
    };
    print_change(&options.reading, &document, &said)
}

pub(super) fn quiesce(options: &DiskQuiesce) -> Result<()> {
    let DiskQuiesce { name, seconds, write_through, reading } = options;
    let client = client(&reading.daemon)?;
    let request = QuiesceDisk { seconds: *seconds, write_through: *write_through };
    let quiesce = start_quiesce(&client, name, &request)?;
    wait_until_quiesced(&client, name, quiesce)?;
    let document = client.get(&path_of(name)?)?;
    let now = &document["disk"]["quiesce"];
    if now["state"] != "quiesced" {
        return Err(Error::conflict(format!(
            "Disk '{name}' is no longer quiesced: {}",
            text(&now["reason"])
        )));
    }
    let said = match now["backing_as_of"].as_str() {
        None => format!(
            "The backing of disk '{name}' has everything. The disk stays quiesced for {seconds} s; `forebay disk resume \
             {name}` ends that\n"
        ),
        Some(time) => format!(
            "The backing of disk '{name}' is the disk as of {time}, for {seconds} s at most. Guests go on writing back; if they write \
             as much as may be dirty, it ends early. `forebay disk resume {name}` ends it, and fails if it had ended before\n"
        ),
    };
    print_change(reading, &document, &said)
}

pub(super) fn resume(options: &DiskName) -> Result<()> {
    let path = format!("{}/resume", path_of(&options.name)?);
    let document = client(&options.reading.daemon)?.post(&path, &())?;
    print_change(&options.reading, &document, &format!("Disk '{}' is resumed\n", options.name))
}

/// Prints how much is left to destage after write-back was ended, and waits for it if asked to, or if there
/// is a terminal.
pub(super) fn after_write_back(client: &Client, name: &str, disk: &Value, wait: bool) -> Result<()> {
    if is_destaged(disk) {
        // Also if it was destaged before the wait could begin.
        return if wait { print_destaged(name) } else { Ok(()) };
    }
    output::print(&format!(
        "New writes go to the backing first. {} of dirty data are being destaged, while guests continue\n",
        Size(left(disk))
    ))?;
    let is_watched = std::io::IsTerminal::is_terminal(&std::io::stderr());
    if wait || is_watched { wait_for_destage(client, name) } else { Ok(()) }
}

/// Owner of the quiesce that keeps a disk from becoming dirty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuiesceOwner {
    /// This command, by the request of this number; it ends it.
    Ours(u64),
    /// None, or another client, for example a backup, which is not to be disturbed.
    NotOurs,
}

/// Destages everything of a disk, and keeps it clean for the change that follows. Does nothing if nothing is
/// dirty, or if destage is impossible: the change then reports the obstacle.
pub(super) fn quiesce_for_change(client: &Client, name: &str) -> Result<QuiesceOwner> {
    let document = client.get(&path_of(name)?)?;
    let disk = &document["disk"];
    if is_destaged(disk) || disk["load"].is_null() {
        return Ok(QuiesceOwner::NotOurs);
    }
    if let Some(time) = disk["quiesce"]["backing_as_of"].as_str() {
        return Err(Error::conflict(format!(
            "Disk '{name}' is quiesced, for a snapshot or a backup as of {time}, which destage would end; when that is \
             done: forebay disk resume {name}"
        )));
    }
    let is_destaging = disk["quiesce"]["state"] == "destaging";
    // The change would have to destage what became dirty meanwhile.
    let request = QuiesceDisk { seconds: CHANGE_SECONDS, write_through: true };
    let quiesce = if is_destaging { QuiesceOwner::NotOurs } else { start_quiesce(client, name, &request)? };
    wait_until_quiesced(client, name, quiesce)?;
    Ok(quiesce)
}

/// Ends the quiesce of [`quiesce_for_change`], if there is one, and no other client requested the same since.
pub(super) fn end_quiesce(client: &Client, name: &str, quiesce: QuiesceOwner) -> Result<()> {
    let QuiesceOwner::Ours(number) = quiesce else { return Ok(()) };
    let document = client.get(&path_of(name)?)?;
    let state = &document["disk"]["quiesce"]["state"];
    if state != "destaging" && state != "quiesced" {
        return Ok(());
    }
    client.post(&format!("{}/resume", path_of(name)?), &ResumeDisk { number: Some(number) }).map(drop)
}

fn start_quiesce(client: &Client, name: &str, request: &QuiesceDisk) -> Result<QuiesceOwner> {
    let document = client.post(&format!("{}/quiesce", path_of(name)?), request)?;
    // A daemon that reports none has none.
    Ok(document["disk"]["quiesce"]["number"].as_u64().map_or(QuiesceOwner::NotOurs, QuiesceOwner::Ours))
}

fn wait_until_quiesced(client: &Client, name: &str, quiesce: QuiesceOwner) -> Result<()> {
    let came = wait(client, name, |disk| match disk["quiesce"]["state"].as_str() {
        Some("quiesced") => Some(Ok(())),
        Some("destaging") => None,
        // The reason of a disk that failed has its own advice, which is not to discard data.
        Some("failed") if disk["state"] == "failed" => Some(Err(Error::conflict(format!(
            "Cannot destage the dirty data of disk '{name}': {}",
            text(&disk["reason"])
        )))),
        Some("failed" | "ended") => Some(Err(not_destaged(name, &text(&disk["quiesce"]["reason"])))),
        _ => Some(Err(not_destaged(name, "it was resumed, or its time ended"))),
    });
    if came.is_err() {
        end_quiesce(client, name, quiesce)?;
    }
    came
}

fn wait_for_destage(client: &Client, name: &str) -> Result<()> {
    wait_until_destaged(client, name)?;
    print_destaged(name)
}

/// Waits until the backing of a disk is complete, and shows the progress.
///
/// # Errors
/// If data is lost, or destage makes no progress.
pub(super) fn wait_until_destaged(client: &Client, name: &str) -> Result<()> {
    wait(client, name, |disk| match disk["lost_bytes"].as_u64() {
        _ if is_destaged(disk) => Some(Ok(())),
        Some(lost @ 1..) if left(disk) == 0 => Some(Err(is_lost(name, lost))),
        _ => None,
    })?;
    // The daemon checks once more that the complete file is the one at its path.
    client.post(&format!("{}/destage", path_of(name)?), &()).map(drop)
}

fn not_destaged(name: &str, reason: &str) -> Error {
    Error::conflict(format!(
        "Cannot destage the dirty data of disk '{name}': {reason}. The disk is unchanged; repair the \
         backing, or make room for it, and try again, or discard that data: forebay disk remove {name} --discard-dirty"
    ))
}

/// Polls a disk until `judge` returns a result, and shows the progress.
fn wait(client: &Client, name: &str, judge: impl Fn(&Value) -> Option<Result<()>>) -> Result<()> {
    let path = path_of(name)?;
    let bar = progress(name);
    let mut moved = DestageProgress { least: u64::MAX, most: 0, at: Instant::now(), errors: 0 };
    loop {
        let document = client.get(&path)?;
        let disk = &document["disk"];
        if let Some(outcome) = judge(disk) {
            bar.finish_and_clear();
            return outcome;
        }
        if disk["state"] == "waiting" {
            // The reason includes a remedy.
            return Err(Error::unavailable(format!(
                "Cannot destage the dirty data of disk '{name}', as the disk is not served. {}",
                text(&disk["reason"])
            )));
        }
        if disk["state"] == "stopped" {
            return Err(not_destaged(name, &text(&disk["reason"])));
        }
        moved.observe(disk, name)?;
        bar.set_length(moved.most);
        bar.set_position(moved.most - left(disk).min(moved.most));
        if client.pause(LOOK_INTERVAL) == Pause::Interrupted {
            return Err(Error::failed(format!("Stopped waiting; disk '{name}' is served as before")));
        }
    }
}

/// Progress of destage.
struct DestageProgress {
    least: u64,
    most: u64,
    at: Instant,
    /// Number of failed requests at the last progress.
    errors: u64,
}

impl DestageProgress {
    fn observe(&mut self, disk: &Value, name: &str) -> Result<()> {
        let kinds = ["backing_errors", "flash_errors", "checksum_errors"];
        let errors = kinds.iter().filter_map(|kind| disk["statistics"][kind].as_u64()).sum();
        let left = left(disk);
        self.most = self.most.max(left);
        if left < self.least {
            *self = Self { least: left, at: Instant::now(), errors, ..*self };
        }
        let failing = disk["destage_error"].as_str();
        if failing.is_some() && self.at.elapsed() >= FAILING_TIME_MAX {
            return Err(not_destaged(name, &text(&disk["destage_error"])));
        }
        if errors > self.errors && self.at.elapsed() >= STUCK_TIME_MAX {
            let reason =
                format!("requests fail, and nothing was destaged for {} s", STUCK_TIME_MAX.as_secs());
            return Err(not_destaged(name, &reason));
        }
        Ok(())
    }
}

fn is_lost(name: &str, bytes: u64) -> Error {
    Error::conflict(format!(
        "The backing of disk '{name}' has everything but {} that flash lost: `forebay disk show {name} --lost` lists them. Have the \
         guest write them again, from a backup",
        Size(bytes)
    ))
}

fn print_destaged(name: &str) -> Result<()> {
    output::print(&format!("The backing of disk '{name}' has everything\n"))
}

/// Returns true if the backing of a disk is known to be complete.
fn is_destaged(disk: &Value) -> bool {
    left(disk) == 0 && disk["lost_bytes"] == 0 && disk["load"]["state"] != "loading"
}

/// Returns the dirty bytes of a disk.
fn left(disk: &Value) -> u64 {
    let bytes = |key: &str| disk[key].as_u64().unwrap_or(0);
    bytes("dirty_bytes") + bytes("dirty_zeroes_bytes")
}

/// Returns a progress bar, which is drawn on standard error if that is a terminal.
fn progress(name: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let template = "  {prefix} {bar:20} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta} left";
    let style = ProgressStyle::with_template(template).expect("a constant that follows its rules");
    bar.with_style(style).with_prefix(name.to_owned())
}
