//! The counter of refusals in a row: what it counts, and what it says.

use std::sync::Arc;
use std::thread;

use webhook_verify::{FailureCounter, FailureRun, VerifyError};

const REFUSED: Result<(), VerifyError> = Err(VerifyError::SignatureMissing);
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
fn a_new_one_has_seen_nothing() {
    check(FailureCounter::new().run(), 0, false, "no delivery yet");
}

#[test]
fn never_verified_suggests_the_secret() {
    let failures = FailureCounter::new();
    failures.count(&REFUSED);
    check(
        failures.count(&REFUSED),
        2,
        false,
        "2 refused in a row and none ever verified: check that the secret is the service's",
    );
}

#[test]
fn some_fail_suggests_forgeries() {
    let failures = FailureCounter::new();
    failures.count(&REFUSED);
    check(
        failures.count(&VERIFIED),
        0,
        true,
        "the last delivery verified",
    );
    check(
        failures.count(&REFUSED),
        1,
        true,
        "1 refused in a row after others verified: forgeries, \
         or the service signs with another secret now",
    );
    assert_eq!(failures.run().consecutive(), 1);
    assert_eq!(failures.count(&VERIFIED).consecutive(), 0);
}

#[test]
fn threads_lose_no_count() {
    let failures = Arc::new(FailureCounter::new());
    let count = |failures: Arc<FailureCounter>| {
        move || {
            (0..1000).for_each(|_| {
                failures.count(&REFUSED);
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
