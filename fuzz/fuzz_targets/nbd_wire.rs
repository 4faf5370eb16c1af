//! Any bytes as requests, replies, and payloads of options.
#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::wire(data));
