//! Tests of the program `mock-server-learn`, as a child process.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod dialects;
mod faults;
mod foreign;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/request.rs"]
mod request;
mod round_trip;
mod tls;
