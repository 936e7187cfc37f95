//! Property tests with a fixed seed.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Creates a runner for a number of random values.
pub(crate) fn runner(count: u32) -> TestRunner {
    TestRunner::new(Config {
        cases: count,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0),
        ..Config::default()
    })
}

/// Runs a check on a number of random values, and shrinks a value that fails.
#[track_caller]
pub(crate) fn for_all<S: Strategy>(count: u32, values: &S, check: impl Fn(S::Value)) {
    let run = runner(count).run(values, |value| {
        check(value);
        Ok(())
    });
    run.unwrap();
}
