//! The counter of consecutive failures.

use std::sync::Arc;
use std::thread;

use webhook_verify::{FailureCounter, VerifyError};

const REJECTED: Result<(), VerifyError> = Err(VerifyError::SignatureMissing);

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
