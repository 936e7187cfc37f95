//! Checks the documents against the code.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

#[allow(dead_code, reason = "other packages use more of it")]
#[cfg(unix)]
#[path = "../../../mock-server/tests/shared/child.rs"]
mod child;
mod completeness;
mod documents;
mod fuzz_manifest;
mod repository;
#[cfg(unix)]
mod specification_coverage;
mod webhook_payloads;
