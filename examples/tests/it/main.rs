//! Checks the documents against the code.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod completeness;
mod documents;
mod fuzz_manifest;
mod repository;
mod specification_coverage;
mod webhook_payloads;
