//! Any bytes as the rings, descriptors and requests of a guest.
#![no_main]

#[path = "../vhost_checks.rs"]
mod vhost_checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    vhost_checks::ring(data);
});
