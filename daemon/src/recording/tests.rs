//! Recorders that are used, abandoned, full and locked.

use std::io::Cursor;

use trace::{Kind, Options, Trace};

use super::*;

/// Returns the requests of a trace, and the number of dropped ones.
fn read(bytes: Vec<u8>) -> (Vec<Request>, u64) {
    let mut trace = Trace::from_bytes("taken", Cursor::new(bytes), &Options::default()).expect("it is one");
    let requests = trace.by_ref().map(|request| request.expect("it is sound")).collect();
    (requests, trace.dropped())
}

fn request(offset: u64) -> Request {
    Request { kind: Kind::Write, offset, length: 512, ..Request::default() }
}

#[test]
fn a_recording_has_what_came_while_it_ran_in_the_order_in_which_it_came() {
    let recorder = Recorder::default();
    let early = Instant::now();
    recorder.record(early, [request(0)].into_iter());
    let number = recorder.start("a", 7).expect("nobody records it");
    let (first, second) = (Instant::now(), Instant::now() + std::time::Duration::from_millis(1));
    // The second one ends first. One arrived before the recording.
    for (came, offset) in [(second, 1024), (early, 512), (first, 2048)] {
        recorder.record(came, [request(offset)].into_iter());
    }
    assert_eq!(
        read(recorder.take("a", 7, number).expect("it is recorded")),
        (Vec::new(), 0),
        "others may still come in front"
    );
    let (requests, dropped) = read(recorder.end("a", 7, number).expect("it is recorded"));
    assert_eq!(requests.iter().map(|request| request.offset).collect::<Vec<_>>(), [2048, 1024]);
    assert!(requests[0].at_us < requests[1].at_us && dropped == 0);
    assert!(!recorder.is_on());
    recorder.record(Instant::now(), [request(0)].into_iter());
    assert!(recorder.end("a", 7, number).expect_err("it has ended").message.contains("'a'"));
}

#[test]
fn a_full_room_drops_and_counts_and_nobody_waits() {
    let recorder = Recorder::default();
    let number = recorder.start("a", 7).expect("nobody records it");
    let came = Instant::now();
    recorder.record(came, (0..NOTES_MAX as u64 + 5).map(|at| request(at * 512)));
    let [first, second] = &recorder.rooms;
    let disturbed = (lock(first), lock(second));
    recorder.record(came, [request(0), request(512)].into_iter());
    drop(disturbed);
    let (requests, dropped) = read(recorder.end("a", 7, number).expect("it is recorded"));
    assert_eq!((requests.len(), dropped), (NOTES_MAX, 7));
}

#[test]
fn what_comes_while_notes_are_taken_is_in_the_recording() {
    let recorder = Recorder::default();
    let number = recorder.start("a", 7).expect("nobody records it");
    for room in &recorder.rooms {
        let taken = lock(room);
        recorder.record(Instant::now(), [request(512)].into_iter());
        drop(taken);
    }
    drop(recorder.take("a", 7, number).expect("it is recorded"));
    let (requests, dropped) = read(recorder.end("a", 7, number).expect("it is recorded"));
    assert_eq!((requests.len(), dropped), (2, 0));
}

#[test]
fn a_recording_that_nobody_takes_is_ended_and_gives_back_its_room() {
    let recorder = Recorder::default();
    let number = recorder.start("a", 7).expect("nobody records it");
    recorder.end_if_silent();
    assert!(recorder.is_on(), "it may still be taken");
    lock(&recorder.session).as_mut().expect("it runs").fall_silent();
    recorder.end_if_silent();
    assert!(
        !recorder.is_on()
            && recorder.rooms.iter().all(|room| lock(room).is_none())
            && lock(&recorder.session).is_none()
    );
    assert!(recorder.take("a", 7, number).expect_err("it is over").message.contains("over"));
}

#[test]
fn a_disk_is_recorded_once_at_a_time_and_each_recording_is_its_own() {
    let recorder = Recorder::default();
    let first = recorder.start("a", 7).expect("nobody records it");
    assert!(recorder.start("a", 7).expect_err("somebody does").message.contains("already"));
    lock(&recorder.session).as_mut().expect("it runs").fall_silent();
    let second = recorder.start("a", 7).expect("who began it is gone");
    assert!(recorder.take("a", 7, first).is_err(), "the first one comes back");
    assert!(recorder.end("a", 7, first).is_err());
    assert!(recorder.take("a", 8, second).is_err(), "another disk of that name");
    recorder.take("a", 7, second).expect("it is recorded");
    recorder.end("a", 7, second).expect("it is recorded");
}

#[test]
fn recorders_are_found_by_name_and_forgotten_with_their_disks() {
    let held = recorder("recording-held");
    assert!(Arc::ptr_eq(&held, &recorder("recording-held")));
    let number = recorder("recording-on").start("recording-on", 7).expect("nobody records it");
    drop(recorder("recording-gone"));
    drop(recorder("recording-other"));
    let names: Vec<String> =
        lock(&RECORDERS).keys().filter(|name| name.starts_with("recording-")).cloned().collect();
    assert_eq!(names, ["recording-held", "recording-on", "recording-other"]);
    recorder("recording-on").end("recording-on", 7, number).expect("it is recorded");
}
