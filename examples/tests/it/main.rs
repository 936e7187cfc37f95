//! What the documents say of the code is true of it.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod documents;
mod fuzz_manifest;
mod public_api;
mod repository;
mod specification_coverage;
