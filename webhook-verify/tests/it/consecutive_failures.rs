//! The counter of consecutive failures.

use std::sync::Arc;
use std::thread;

use webhook_verify::{ConsecutiveFailures, FailureCounter, VerifyError};

const REJECTED: Result<(), VerifyError> = Err(VerifyError::SignatureMissing);
const VERIFIED: Result<(), VerifyError> = Ok(());

#[track_caller]
fn check(consecutive: ConsecutiveFailures, count: u32, ever_verified: bool, text: &str) {
    assert_eq!(consecutive.count(), count);
    assert_eq!(consecutive.ever_verified(), ever_verified);
    assert_eq!(consecutive.to_string(), text);
}

#[test]
fn a_new_counter_is_at_0() {
    let consecutive = FailureCounter::new().consecutive();
    check(consecutive, 0, false, "no deliveries yet");
}

#[test]
fn suggests_a_wrong_secret_if_nothing_ever_verified() {
    let counter = FailureCounter::new();
    counter.count(&REJECTED);
    let text = "2 rejected in a row, none ever verified; check the secret";
    check(counter.count(&REJECTED), 2, false, text);
}

#[test]
fn suggests_forgeries_after_a_success() {
    let counter = FailureCounter::new();
    counter.count(&REJECTED);
    let text = "the last delivery verified";
    check(counter.count(&VERIFIED), 0, true, text);
    let text = "1 rejected in a row after others verified; the requests may be forged, \
                or the service uses a new secret";
    check(counter.count(&REJECTED), 1, true, text);
    assert_eq!(counter.consecutive().count(), 1);
    assert_eq!(counter.count(&VERIFIED).count(), 0);
}

#[test]
fn counts_across_threads() {
    let counter = Arc::new(FailureCounter::new());
    let count = |counter: Arc<FailureCounter>| {
        move || {
            (0..1000).for_each(|_| {
                counter.count(&REJECTED);
            })
        }
    };
    let threads: Vec<_> = (0..4)
        .map(|_| thread::spawn(count(counter.clone())))
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(counter.consecutive().count(), 4000);
}
