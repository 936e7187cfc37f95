//! The counter of consecutive rejections.

use std::sync::Arc;
use std::thread;

use webhook_verify::{FailureCounter, FailureRun, VerifyError};

const REJECTED: Result<(), VerifyError> = Err(VerifyError::SignatureMissing);
const VERIFIED: Result<(), VerifyError> = Ok(());

#[track_caller]
fn check(run: FailureRun, consecutive: u32, ever_verified: bool, text: &str) {
    assert_eq!(
        (run.consecutive(), run.ever_verified()),
        (consecutive, ever_verified)
    );
    assert_eq!(run.to_string(), text);
}

#[test]
fn a_new_counter_is_at_0() {
    check(FailureCounter::new().run(), 0, false, "no deliveries yet");
}

#[test]
fn suggests_a_wrong_secret_if_nothing_ever_verified() {
    let failures = FailureCounter::new();
    failures.count(&REJECTED);
    check(
        failures.count(&REJECTED),
        2,
        false,
        "2 rejected in a row, none ever verified; check the secret",
    );
}

#[test]
fn suggests_forgeries_after_a_success() {
    let failures = FailureCounter::new();
    failures.count(&REJECTED);
    check(
        failures.count(&VERIFIED),
        0,
        true,
        "the last delivery verified",
    );
    check(
        failures.count(&REJECTED),
        1,
        true,
        "1 rejected in a row after others verified; the requests may be forged, \
         or the service uses a new secret",
    );
    assert_eq!(failures.run().consecutive(), 1);
    assert_eq!(failures.count(&VERIFIED).consecutive(), 0);
}

#[test]
fn counts_across_threads() {
    let failures = Arc::new(FailureCounter::new());
    let count = |failures: Arc<FailureCounter>| {
        move || {
            (0..1000).for_each(|_| {
                failures.count(&REJECTED);
            })
        }
    };
    let threads: Vec<_> = (0..4)
        .map(|_| thread::spawn(count(failures.clone())))
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(failures.run().consecutive(), 4000);
}
