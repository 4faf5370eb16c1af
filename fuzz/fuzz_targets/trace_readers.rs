//! Any bytes as a trace of any format.
#![no_main]

#[path = "../trace_checks.rs"]
mod trace_checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| trace_checks::readers(data));
