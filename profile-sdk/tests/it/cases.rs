//! Random cases that are the same in every run.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Runs a check on so many random values; a value that fails is made as small as it can be.
#[track_caller]
pub(crate) fn for_all<S: Strategy>(count: u32, values: &S, check: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config {
        cases: count,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0),
        ..Config::default()
    });
    let run = runner.run(values, |value| {
        check(value);
        Ok(())
    });
    run.unwrap();
}
