//! `forebay status`: the daemon, the pool, disks that need attention, and events of the last day, on one
//! screen.

use base::error::{Error, Result};
use base::moment::Moment;
use base::units;
use serde_json::{Value, json};

use super::client;
use super::disk::state;
use crate::cli::Reading;
use crate::output::{self, list, number, size, text};

/// Events older than this are not shown, in seconds.
const EVENTS_SECONDS: u64 = 86_400;
/// Events that fit on a screen, the last ones of the day.
const EVENTS_MAX: usize = 10;

pub(super) fn run(reading: &Reading) -> Result<()> {
    let client = client(&reading.daemon)?;
    let (pool, disks, events) =
        (client.get("/v1/pool")?, client.get("/v1/disks")?, client.get("/v1/events")?);
    let status = status(&pool["pool"], list(&disks["disks"]), list(&events["events"]), &yesterday());
    let shown =
        if reading.json { format!("{}\n", api::document("status", status.clone())) } else { show(&status) };
    output::print(&shown)?;
    if status["well"] == true {
        return Ok(());
    }
    let count = number(&json!(list(&status["unwell"]).len()));
    Err(Error::failed(format!("Not all is well: {count} of pool and disks need attention, see above")))
}

/// Returns the time from which on events are shown, in the format of events.
fn yesterday() -> String {
    Moment(Moment::now().0.saturating_sub(EVENTS_SECONDS)).to_string()
}

/// Returns the status document. Times of events are in UTC and of one format, so that their texts are in
/// order.
fn status(pool: &Value, disks: &[Value], events: &[Value], since: &str) -> Value {
    let mut unwell = Vec::new();
    if pool["state"] == "serving" {
        let faults = list(&pool["faults"]).iter();
        unwell.extend(faults.map(|fault| json!({ "what": "pool", "state": "degraded", "reason": fault })));
    } else {
        unwell.push(json!({ "what": "pool", "state": pool["state"], "reason": pool["reason"] }));
    }
    for disk in disks {
        if disk["fault"].is_string() {
            let what = format!("disk {}", text(&disk["name"]));
            unwell.push(json!({ "what": what, "state": state(disk), "reason": disk["fault"] }));
        }
    }
    let lately: Vec<&Value> = events
        .iter()
        .filter(|event| event["level"] != "info" && event["time"].as_str().is_some_and(|time| time >= since))
        .collect();
    let dirty: u64 = disks.iter().filter_map(|disk| disk["dirty_bytes"].as_u64()).sum();
    json!({
        "well": unwell.is_empty(),
        "version": env!("CARGO_PKG_VERSION"),
        "pool": { "path": pool["path"], "state": pool["state"], "size_bytes": pool["size_bytes"],
            "devices": list(&pool["devices"]).len(), "can_mirror": pool["can_mirror"],
            "segments": pool["segments"], "segments_free": pool["segments_free"], "warnings": pool["warnings"] },
        "disks": disks.len(),
        "serving": disks.iter().filter(|disk| state(disk) == "serving").count(),
        "guests": disks.iter().filter_map(|disk| disk["connections"].as_u64()).sum::<u64>(),
        "dirty_bytes": dirty,
        "unwell": unwell,
        "events": lately,
    })
}

fn show(status: &Value) -> String {
    let pool = &status["pool"];
    let used = pool["segments"].as_f64().zip(pool["segments_free"].as_f64()).filter(|(all, _)| *all > 0.0);
    let used =
        used.map_or_else(String::new, |(all, free)| format!(", {} in use", units::percent(1.0 - free / all)));
    let devices = match pool["devices"].as_u64() {
        // A pool that is missing: its content is unknown.
        Some(0) => String::new(),
        Some(1) => "1 device, ".to_owned(),
        _ => format!("{} devices, ", number(&pool["devices"])),
    };
    let mut shown = vec![
        (
            "forebay",
            format!(
                "{}, {}",
                text(&status["version"]),
                if status["well"] == true { "all is well" } else { "NOT all is well" }
            ),
        ),
        (
            "pool",
            format!(
                "{}: {}, {devices}{}{used}",
                text(&pool["path"]),
                text(&pool["state"]),
                size(&pool["size_bytes"])
            ),
        ),
        (
            "disks",
            format!(
                "{}, {} serving; guests: {}; dirty: {}",
                number(&status["disks"]),
                number(&status["serving"]),
                number(&status["guests"]),
                size(&status["dirty_bytes"])
            ),
        ),
    ];
    shown.extend(list(&pool["warnings"]).iter().map(|warning| ("warning", text(warning))));
    for unwell in list(&status["unwell"]) {
        let why = unwell["reason"].as_str().unwrap_or("see the events");
        shown.push(("look at", format!("{} is {}: {why}", text(&unwell["what"]), text(&unwell["state"]))));
    }
    let mut screen = output::pairs(&shown);
    let events = list(&status["events"]);
    match events.len() {
        0 => screen.push_str("No warnings or errors in the last day\n"),
        count => {
            screen.extend([format!("Warnings and errors of the last day: {count}\n")]);
            for event in &events[count.saturating_sub(EVENTS_MAX)..] {
                let (time, level) = (text(&event["time"]), text(&event["level"]));
                screen.extend([format!("  {time}  {level:<7}  {}\n", text(&event["message"]))]);
            }
        }
    }
    screen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(state: &str) -> Value {
        json!({ "path": "/p", "state": state, "size_bytes": 1 << 30, "devices": [{}], "segments": 4, "segments_free": 1,
            "warnings": [], "reason": null })
    }

    #[test]
    fn disks_that_need_attention_are_named_with_the_reason_and_events_are_those_of_a_day() {
        let failing = json!({ "name": "web1", "state": "serving", "dirty_bytes": 5, "connections": 1,
            "backing_state": { "state": "failing" }, "fault": "its backing has failed for 7 s: no space" });
        let fine = json!({ "name": "web2", "state": "serving", "dirty_bytes": 6, "connections": 2 });
        let event = |time: &str, level: &str| json!({ "time": time, "level": level, "message": format!("at {time}") });
        let events = [
            event("2026-01-01T00:00:00Z", "error"),
            event("2026-01-03T00:00:00Z", "error"),
            event("2026-01-03T00:00:01Z", "info"),
        ];
        let status = status(&pool("serving"), &[failing, fine], &events, "2026-01-02T00:00:00Z");
        assert_eq!(
            (&status["well"], &status["dirty_bytes"], &status["guests"]),
            (&false.into(), &11.into(), &3.into())
        );
        assert_eq!(list(&status["events"]).len(), 1, "{status}");
        let screen = show(&status);
        assert!(
            screen.contains("disk web1 is failing: its backing has failed for 7 s: no space"),
            "{screen}"
        );
        assert!(screen.contains("75.0% in use") && !screen.contains("web2"), "{screen}");
    }

    #[test]
    fn where_all_is_well_the_screen_says_so() {
        let status = status(&pool("serving"), &[], &[], "2026");
        assert_eq!(status["well"], true);
        assert!(show(&status).contains("all is well"));
        assert_eq!(super::status(&pool("failed"), &[], &[], "2026")["well"], false);
    }

    #[test]
    fn a_pool_that_serves_less_than_it_promises_is_not_well() {
        let mut pool = pool("serving");
        pool["faults"] = json!(["the pool lost /dev/b"]);
        let status = status(&pool, &[], &[], "2026");
        assert_eq!(status["well"], false);
        assert!(show(&status).contains("pool is degraded: the pool lost /dev/b"), "{}", show(&status));
    }
}
