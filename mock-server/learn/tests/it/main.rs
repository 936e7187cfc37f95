//! Tests of the program `mock-server-learn`, as a child process.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

#[allow(dead_code, reason = "other packages use more of it")]
#[macro_use]
#[path = "../../../tests/shared/child.rs"]
mod child;
mod dialects;
mod faults;
mod foreign;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/request.rs"]
mod request;
mod round_trip;
#[cfg(unix)]
mod signals;
#[path = "../../../tests/shared/texts.rs"]
mod texts;
mod tls;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Checks several cases at a time, because the program waits for the service most of the time.
fn for_each<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let check_next = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(case);
        }
    };
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(check_next);
        }
    });
}
