//! Any bytes as the messages of a front end.
#![no_main]

#[path = "../vhost_checks.rs"]
mod vhost_checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    vhost_checks::messages(data);
});
