//! The conditions of a rule that depend on counters, chance and time.

use jiff::Timestamp;

use super::condition::When;
use super::invalid::invalid;
use crate::engine::{Clock, SeededHash};
use crate::input::InvalidInput;

/// A parsed [`When`] with its counters.
#[derive(Debug)]
pub(super) struct Schedule {
    skip: u64,
    times: Option<u64>,
    probability: Option<f64>,
    until: Option<Timestamp>,
    /// Number of requests that matched the rule.
    pub(super) matched: u64,
    /// Number of requests that the fault was applied to.
    pub(super) applied: u64,
}

impl Schedule {
    pub(super) fn read(when: &When) -> Result<Self, InvalidInput> {
        if when.times == Some(0) {
            return Err(invalid("times is 0; expected at least 1"));
        }
        let until = when.until.as_deref().map(Clock::fixed).transpose();
        Ok(Self {
            skip: when.skip,
            times: when.times,
            probability: when.probability.map(probability).transpose()?,
            until: until
                .map_err(|error| invalid(format!("until: {error}")))?
                .map(|clock| clock.timestamp()),
            matched: 0,
            applied: 0,
        })
    }

    pub(super) fn reads_clock(&self) -> bool {
        self.until.is_some()
    }

    /// Counts a request and returns `true` if the fault applies to it. `point` is the start of the
    /// rule's random sequence.
    pub(super) fn applies(&mut self, now: Option<Timestamp>, point: SeededHash) -> bool {
        self.matched += 1;
        let applies = self.matched > self.skip
            && self.times.is_none_or(|times| self.applied < times)
            && self
                .until
                .is_none_or(|until| now.is_some_and(|now| now <= until))
            && self
                .probability
                .is_none_or(|probability| point.mix(self.matched).fraction() < probability);
        self.applied += u64::from(applies);
        applies
    }
}

fn probability(found: f64) -> Result<f64, InvalidInput> {
    if found > 0.0 && found <= 1.0 {
        return Ok(found);
    }
    Err(invalid(format!(
        "the probability is {found}; expected a number greater than 0 and at most 1"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applies(when: &When, requests: usize) -> Vec<bool> {
        let mut schedule = Schedule::read(when).unwrap();
        let applies = || schedule.applies(None, SeededHash::new(7));
        std::iter::repeat_with(applies).take(requests).collect()
    }

    #[test]
    fn honors_skip_and_times() {
        let when = When {
            skip: 2,
            times: Some(1),
            ..When::default()
        };
        assert_eq!(applies(&when, 5), [false, false, true, false, false]);
        assert_eq!(applies(&When::default(), 2), [true, true]);
    }

    #[test]
    fn a_probability_is_honored_and_reproducible() {
        let when = When {
            probability: Some(0.25),
            ..When::default()
        };
        let applied = applies(&when, 1000);
        let count = applied.iter().filter(|applied| **applied).count();
        assert!((200..300).contains(&count), "{count}");
        assert_eq!(applies(&when, 1000), applied);
        let always = When {
            probability: Some(1.0),
            ..When::default()
        };
        assert!(!applies(&always, 100).contains(&false));
    }

    #[test]
    fn rejects_a_rule_that_could_never_apply() {
        let probability = |found| When {
            probability: Some(found),
            ..When::default()
        };
        for found in [0.0, -0.0, -0.5, 1.5, f64::NAN] {
            let error = Schedule::read(&probability(found)).unwrap_err().to_string();
            assert!(
                error.ends_with("expected a number greater than 0 and at most 1"),
                "{error}"
            );
        }
        let never = When {
            times: Some(0),
            ..When::default()
        };
        let error = Schedule::read(&never).unwrap_err().to_string();
        assert!(error.starts_with("times is 0"), "{error}");
    }

    #[test]
    fn a_rule_ends_after_until() {
        let instant = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        let until = Some("2026-03-01T12:00:00Z".to_owned());
        let mut schedule = Schedule::read(&When {
            until,
            ..When::default()
        })
        .unwrap();
        let point = SeededHash::new(7);
        assert!(schedule.applies(instant("2026-03-01T11:59:59Z"), point));
        assert!(schedule.applies(instant("2026-03-01T12:00:00Z"), point));
        assert!(!schedule.applies(instant("2026-03-01T12:00:01Z"), point));
    }
}
