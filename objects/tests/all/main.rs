//! Tests of the stores: one contract for all, then each with its failures.

mod contract;
mod fake_s3;
mod folder;
mod s3;
