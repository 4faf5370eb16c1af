//! `forebay pool resize`: more or less of a device for the pool.

use std::fmt::Write as _;
use std::time::Duration;

use api::ResizeDevice;
use base::error::{Error, Result};
use indicatif::ProgressBar;
use serde_json::Value;

use super::{is_at, none_of};
use crate::cli::{PoolResize, SizeOrMax};
use crate::client::{Client, Pause};
use crate::commands::{client, print_change};
use crate::output::{list, number, size, text};
use crate::places::absolute;

/// Time between polls of a device that becomes smaller.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn resize(options: &PoolResize) -> Result<()> {
    let path = absolute(&options.device)?;
    let client = client(&options.reading.daemon)?;
    let before = client.get("/v1/pool")?;
    let devices = list(&before["pool"]["devices"]);
    let device = devices.iter().find(|device| is_at(device, &path)).ok_or_else(|| {
        let reason = none_of(&before);
        Error::missing(format!("Cannot change the size of {} in the pool: {reason}", path.display()))
    })?;
    let address = format!("/v1/pool/devices/{}/size", device["number"]);
    let Some(wanted) = options.size else {
        let document = client.delete(&address)?;
        let said = format!(
            "{} keeps its size in the pool, {}\n",
            text(&device["path"]),
            size(&device["size_bytes"])
        );
        return print_change(&options.reading, &document, &said);
    };
    let size_bytes = match wanted {
        SizeOrMax::Size(size) => Some(size.0),
        SizeOrMax::Max => None,
    };
    let answer = client.put(&address, &ResizeDevice { size_bytes })?;
    let document = wait(&client, answer, device)?;
    let said = what_changed(device, of(&document, device), &document);
    print_change(&options.reading, &document, &said)
}

/// Returns the same device in a later document.
fn of<'a>(document: &'a Value, device: &Value) -> &'a Value {
    let devices = list(&document["pool"]["devices"]);
    devices.iter().find(|other| other["number"] == device["number"]).unwrap_or(&Value::Null)
}

/// Waits until a device has its smaller size.
fn wait(client: &Client, answer: Value, device: &Value) -> Result<Value> {
    let mut document = answer;
    let path = text(&device["path"]);
    let bar = ProgressBar::new(0).with_message("segments moved");
    let mut most = 0;
    loop {
        let now = of(&document, device);
        if let Some(reason) = now["kept_size_reason"].as_str() {
            return Err(Error::failed(format!("{path} keeps its size in the pool: {reason}")));
        }
        let Some(left) = now["shrinking"]["segments_left"].as_u64() else {
            bar.finish_and_clear();
            if now.is_null() {
                return Err(Error::failed(format!("{path} has left the pool meanwhile")));
            }
            return Ok(document);
        };
        most = most.max(left);
        bar.set_length(most);
        bar.set_position(most - left);
        if client.pause(LOOK_INTERVAL) == Pause::Interrupted {
            return Err(Error::failed(format!(
                "Stopped waiting; {path} becomes smaller all the same. Do not cut it before `forebay pool show` lists its new size. To \
                 have it keep the old one: forebay pool resize {path} --cancel"
            )));
        }
        document = client.get("/v1/pool")?;
    }
}

fn what_changed(before: &Value, after: &Value, document: &Value) -> String {
    let path = text(&after["path"]);
    let (old, new) = (before["size_bytes"].as_u64(), after["size_bytes"].as_u64());
    let has = size(&document["pool"]["size_bytes"]);
    if old == new {
        return format!(
            "{path} has {} in the pool already; nothing was changed\n",
            size(&after["size_bytes"])
        );
    }
    let mut said = format!("The pool uses {} of {path}, and has {has} now\n", size(&after["size_bytes"]));
    if new < old {
        let end = new.unwrap_or(0);
        writeln!(
            said,
            "Nothing of it is behind {end} bytes any more: a device may be cut there, and a file was"
        )
        .expect("a string takes everything");
    }
    said
}

/// Returns text on devices that are being made smaller, or could not be.
pub(super) fn show(devices: &[Value]) -> String {
    let mut shown = String::new();
    for device in devices {
        let path = text(&device["path"]);
        let shrinking = &device["shrinking"];
        if !shrinking.is_null() {
            let (to, left) = (size(&shrinking["size_bytes"]), number(&shrinking["segments_left"]));
            writeln!(
                shown,
                "{path} is being made smaller, to {to}: {left} segments behind its new end are in use"
            )
            .expect("a string takes everything");
        }
        if let Some(reason) = device["kept_size_reason"].as_str() {
            writeln!(shown, "{path} was to become smaller and kept its size: {reason}")
                .expect("a string takes everything");
        }
    }
    shown
}
