//! Any bytes as the payload of a frame of Forebay's own trace format.
#![no_main]

#[path = "../trace_checks.rs"]
mod trace_checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| trace_checks::frame(data));
