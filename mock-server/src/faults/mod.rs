//! Fault injection: rules select requests, and faults damage their responses. This module only plans
//! faults; the transports apply them.

mod fault;
mod plan;

use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::fault::{check_form, invalid};
use crate::engine::Request;
use crate::input::{self, InvalidInput};
use crate::journal::RequestPattern;
use crate::tasks::lock;

pub use fault::{Fault, Phase, WireFault};
pub(crate) use plan::{FaultPlan, PlannedReply, ReplyBody, large_gzip, large_json};

/// A fault and the requests that it is applied to.
///
/// In JSON, every field except `fault` is optional. If several rules apply to a request, their delays
/// add up; of all other faults, the one added first is applied.
///
/// ```
/// use mock_server::journal::RequestPattern;
/// use mock_server::{Fault, FaultRule};
///
/// // The second post is written, but its response is replaced.
/// let rule = FaultRule::new(Fault::status(502))
///     .matching(RequestPattern::new("POST", "/me/posts"))
///     .skip(1)
///     .times(1)
///     .after_write();
/// let text = r#"{
///     "match": {"method": "POST", "path": "/me/posts"},
///     "skip": 1,
///     "times": 1,
///     "phase": "after",
///     "fault": {"status": {"status": 502}}
/// }"#;
/// assert_eq!(FaultRule::from_json(text)?, [rule]);
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
#[non_exhaustive]
pub struct FaultRule {
    /// The requests that the rule applies to; all by default. `status` and `fault` are not allowed,
    /// since the response does not exist yet.
    #[serde(rename = "match", default, deserialize_with = "input::nested_object")]
    pub matching: RequestPattern,
    /// Number of matching requests to skip first.
    #[serde(default)]
    pub skip: u64,
    /// Maximum number of requests that the fault is applied to, at least 1; unlimited if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// Time on the world's clock, from the addition of the rule, during which the fault is applied;
    /// unlimited if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    for_milliseconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    /// The fault.
    pub fault: Fault,
}

impl FaultRule {
    /// Creates a rule that applies the fault to all requests.
    pub fn new(fault: Fault) -> Self {
        Self {
            matching: RequestPattern::any(),
            skip: 0,
            times: None,
            for_milliseconds: None,
            phase: None,
            fault,
        }
    }

    /// Applies the fault only to requests that match.
    pub fn matching(mut self, pattern: RequestPattern) -> Self {
        self.matching = pattern;
        self
    }

    /// Skips this number of matching requests.
    pub fn skip(mut self, skip: u64) -> Self {
        self.skip = skip;
        self
    }

    /// Limits the number of requests that the fault is applied to.
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Ends the fault this time after the rule was added, by the world's clock, in whole milliseconds, or
    /// if the clock is set back to an earlier time.
    pub fn lasting(mut self, time: Duration) -> Self {
        self.for_milliseconds = Some(time.as_millis().try_into().unwrap_or(u64::MAX));
        self
    }

    /// Applies the fault instead of carrying out the request; nothing is written.
    pub fn before_write(mut self) -> Self {
        self.phase = Some(Phase::Before);
        self
    }

    /// Applies the fault after the request has been carried out; only the response is affected.
    pub fn after_write(mut self) -> Self {
        self.phase = Some(Phase::After);
        self
    }

    /// Applies the fault at once, and carries out the request after this time, in real time and whole milliseconds: a
    /// write that arrives late. The key, its scope and its rate limit are checked before. The fault must be a
    /// [`Reset`](crate::WireFault::Reset) without a part of the response, a [`Close`](crate::WireFault::Close), or a
    /// status of 500 to 599. A reset or deletion of the world and the end of the server cancel the request.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mock_server::{Fault, FaultRule};
    ///
    /// let late = FaultRule::new(Fault::status(504)).late_write(Duration::from_millis(500));
    /// let text = r#"{"phase": {"late": {"milliseconds": 500}}, "fault": {"status": {"status": 504}}}"#;
    /// assert_eq!(FaultRule::from_json(text)?, [late]);
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn late_write(mut self, time: Duration) -> Self {
        self.phase = Some(Phase::Late { time });
        self
    }

    /// Returns the phase in which the fault occurs. By default, [`Phase::After`] for a fault that shows
    /// a part of the service's own response, and [`Phase::Before`] for any other.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase.unwrap_or(self.fault.row().1)
    }

    /// Parses one rule or an array of rules.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the text is not JSON or does not have the structure of a rule.
    pub fn from_json(text: &str) -> Result<Vec<Self>, InvalidInput> {
        Self::from_slice(text.as_bytes())
    }

    pub(crate) fn from_slice(text: &[u8]) -> Result<Vec<Self>, InvalidInput> {
        match input::value(text)? {
            Value::Array(rules) => (1..)
                .zip(rules)
                .map(|(number, rule)| Self::from_value(rule).map_err(|error| error.in_rule(number)))
                .collect(),
            rule => Ok(vec![Self::from_value(rule)?]),
        }
    }

    fn from_value(rule: Value) -> Result<Self, InvalidInput> {
        check_form(&rule)?;
        input::object_in(rule)
    }
}

/// The active fault rules of a service, with their counters, in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct FaultRules(Mutex<ActiveRules>);

#[derive(Debug, Default)]
struct ActiveRules {
    rules: Vec<ActiveRule>,
    /// Number of rules that were ever added.
    added: u64,
}

/// A validated rule and its counters.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ActiveRule {
    id: u64,
    rule: FaultRule,
    /// The time of a rule that lasts for some time; empty once it is over.
    #[serde(skip)]
    lasts: Option<Range<Timestamp>>,
    /// Number of requests that matched the pattern.
    matched: u64,
    /// Number of requests that the fault was applied to.
    applied: u64,
}

impl FaultRules {
    /// Adds all rules, or none if one is invalid, and returns them. `now` returns the time of the world's clock.
    pub(crate) fn add(
        &self,
        rules: Vec<FaultRule>,
        now: impl FnOnce() -> Timestamp,
    ) -> Result<Vec<ActiveRule>, InvalidInput> {
        let is_single = rules.len() == 1;
        for (number, rule) in (1..).zip(&rules) {
            check(rule).map_err(|error| match is_single {
                true => error,
                false => error.in_rule(number),
            })?;
        }
        let is_timed = rules.iter().any(|rule| rule.for_milliseconds.is_some());
        let now = is_timed.then(now);
        let mut active = lock(&self.0);
        let before = active.rules.len();
        for rule in rules {
            let time = rule.for_milliseconds.map(Duration::from_millis);
            let range = |now: Timestamp| Some(now..now.saturating_add(time?).ok()?);
            active.added += 1;
            let id = active.added;
            active.rules.push(ActiveRule {
                id,
                lasts: now.and_then(range),
                rule,
                matched: 0,
                applied: 0,
            });
        }
        Ok(active.rules[before..].to_vec())
    }

    /// Removes all rules. IDs are not reused.
    pub(crate) fn clear(&self) {
        lock(&self.0).rules.clear();
    }

    /// Removes a rule and returns `true` if it existed.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut active = lock(&self.0);
        let removed = active.rules.extract_if(.., |rule| rule.id == id);
        removed.count() > 0
    }

    /// Returns the rules with their counters.
    pub(crate) fn counted(&self) -> Vec<ActiveRule> {
        lock(&self.0).rules.clone()
    }

    /// Determines the faults of a request, and counts it. `now` returns the time of the world's clock.
    pub(crate) fn plan(&self, request: &Request, now: impl FnOnce() -> Timestamp) -> FaultPlan {
        let mut plan = FaultPlan::default();
        let is_timed = lock(&self.0).rules.iter().any(|rule| rule.lasts.is_some());
        // The rules are not locked while the clock is read.
        let now = is_timed.then(now);
        for rule in &mut lock(&self.0).rules {
            // A rule after the first fault is not counted.
            let is_delay = matches!(rule.rule.fault, Fault::Delay { .. });
            if (is_delay || plan.fault.is_none()) && rule.applies(request, now) {
                match (rule.rule.phase(), &rule.rule.fault) {
                    (Phase::Before, Fault::Delay { time }) => {
                        plan.delay_before = plan.delay_before.saturating_add(*time);
                    }
                    (Phase::After, Fault::Delay { time }) => {
                        plan.delay_after = plan.delay_after.saturating_add(*time);
                    }
                    (phase, fault) => plan.fault = Some((phase, fault.clone())),
                }
            }
        }
        plan
    }
}

fn check(rule: &FaultRule) -> Result<(), InvalidInput> {
    rule.fault.check()?;
    rule.matching.check_request()?;
    if let (Phase::Late { .. }, false) = (rule.phase(), rule.fault.hides_outcome()) {
        let message = "the phase `late` needs a fault that loses the whole response: {\"wire\": \"reset\"}, \
                       {\"wire\": \"close\"} or a status of 500 to 599";
        return Err(invalid(message));
    }
    let limits = [
        ("times", rule.times),
        ("for_milliseconds", rule.for_milliseconds),
    ];
    match limits.iter().find(|(_, limit)| *limit == Some(0)) {
        Some((name, _)) => Err(invalid(format!("{name} is 0; expected at least 1"))),
        None => Ok(()),
    }
}

impl ActiveRule {
    /// Counts a request and returns `true` if the fault applies to it.
    fn applies(&mut self, request: &Request, now: Option<Timestamp>) -> bool {
        if let (Some(lasts), Some(now)) = (&mut self.lasts, now)
            && !lasts.contains(&now)
        {
            // Also if the clock was set back, as for a rate limit.
            *lasts = now..now;
            return false;
        }
        if !self.rule.matching.matches(request) {
            return false;
        }
        self.matched += 1;
        let is_left = self.rule.times.is_none_or(|times| self.applied < times);
        let applies = self.matched > self.rule.skip && is_left;
        self.applied += u64::from(applies);
        applies
    }
}

#[cfg(test)]
mod tests {
    use super::fault::FORMS;
    use super::*;

    #[test]
    fn a_rule_survives_serialization() {
        let rule = FaultRule::new(Fault::rate_limited("-1"))
            .matching(RequestPattern::new("GET", "/api/v1/me/links/{id}").key("links"))
            .skip(2)
            .times(3)
            .lasting(Duration::from_secs(20))
            .after_write();
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(FaultRule::from_json(&text), Ok(vec![rule]));
    }

    #[test]
    fn the_form_of_each_fault_is_an_example() {
        let names = FORMS.map(|form| {
            let rules = FaultRule::from_json(&format!(r#"{{"fault": {form}}}"#)).unwrap();
            check(&rules[0]).unwrap();
            rules[0].fault.name()
        });
        // A table of names without its first word.
        for unknown in [
            r#"{"fault": "unknown"}"#,
            r#"{"fault": {"wire": "unknown"}}"#,
        ] {
            let error = FaultRule::from_json(unknown).unwrap_err().to_string();
            let listed = error.split('`').skip(3).step_by(2);
            for name in listed.filter(|name| *name != "wire") {
                assert!(names.contains(&name), "{name}");
            }
        }
    }

    /// Invalid rules, and the errors.
    const INVALID: &str = r#"
{ => not valid JSON: EOF while parsing an object at line 1 column 1
{} => missing field `fault`
{"fault": "empty_body", "tims": 1} => tims: unknown field `tims`, expected one of `match`, `skip`, `times`, `for_milliseconds`, `phase`, `fault`
{"fault": {"status": {"status": 503, "code": 1}}} => fault.status.code: unknown field `code`, expected one of `status`, `body`, `headers`
[{"fault": "empty_body"}, 7] => rule 2: expected a JSON object
{"fault": {"status": 503}} => fault: `status` has the form {"status": {"status": 503}}
{"fault": {"status": 503, "body": "x"}} => fault: `status` has the form {"status": {"status": 503}}
[{"fault": {"delay": 250}}] => rule 1: fault: `delay` has the form {"delay": {"milliseconds": 250}}
{"fault": {"wire": "cut"}} => fault: `cut` has the form {"wire": {"cut": {"after": 10}}}
{"fault": {"wire": {"stall": 10}}} => fault: `stall` has the form {"wire": {"stall": {"after": 10}}}
{"fault": "reset"} => fault: `reset` has the form {"wire": "reset"}
{"fault": {"close": {}}} => fault: `close` has the form {"wire": "close"}
{"fault": {"redirect": "/x"}} => fault: `redirect` has the form {"redirect": {"status": 302, "location": "/x"}}
{"delay": 250} => `delay` has the form {"fault": {"delay": {"milliseconds": 250}}}
{"times": 1, "wire": "cut"} => `cut` has the form {"fault": {"wire": {"cut": {"after": 10}}}}
{"redirect": "/x"} => `redirect` has the form {"fault": {"redirect": {"status": 302, "location": "/x"}}}
{"wire": "reset"} => `reset` has the form {"fault": {"wire": "reset"}}
{"fault": {"malformed_json": true}} => fault: `malformed_json` has the form "malformed_json"
"#;

    #[test]
    fn rejects_invalid_rules() {
        for line in INVALID.trim().lines() {
            let (text, message) = line.split_once(" => ").unwrap();
            let error = FaultRule::from_json(text).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn only_a_fault_that_hides_the_outcome_can_be_late() {
        let after = |after| Fault::Wire(WireFault::Reset { after });
        for (fault, is_valid) in [
            (Fault::status(500), true),
            (Fault::status(599), true),
            (after(None), true),
            (Fault::Wire(WireFault::Close), true),
            (Fault::status(499), false),
            (Fault::status(600), false),
            (after(Some(0)), false),
            (Fault::Wire(WireFault::Stall { after: 0 }), false),
            (Fault::delay(Duration::ZERO), false),
            (Fault::EmptyBody, false),
        ] {
            let late = FaultRule::new(fault).late_write(Duration::ZERO);
            assert_eq!(check(&late).is_ok(), is_valid, "{late:?}");
        }
    }

    fn plan(rules: &FaultRules) -> FaultPlan {
        rules.plan(&Request::new("GET", "/"), Timestamp::now)
    }

    #[test]
    fn delays_add_up_and_the_first_other_fault_is_taken() {
        let rules = FaultRules::default();
        rules
            .add(
                vec![
                    FaultRule::new(Fault::delay(Duration::from_millis(10))),
                    FaultRule::new(Fault::EmptyBody).times(1),
                    FaultRule::new(Fault::MalformedJson).times(1),
                    FaultRule::new(Fault::delay(Duration::from_millis(5))),
                    FaultRule::new(Fault::delay(Duration::from_millis(1))).after_write(),
                ],
                Timestamp::now,
            )
            .unwrap();
        for expected in [Some(Fault::EmptyBody), Some(Fault::MalformedJson), None] {
            let plan = plan(&rules);
            assert_eq!(plan.fault.map(|(_, fault)| fault), expected);
            assert_eq!(plan.delay_before, Duration::from_millis(15));
            assert_eq!(plan.delay_after, Duration::from_millis(1));
        }
    }

    #[test]
    fn of_several_rules_all_are_added_or_none() {
        let rules = FaultRules::default();
        let wrong = FaultRule::new(Fault::status(150));
        let both = vec![FaultRule::new(Fault::EmptyBody), wrong.clone()];
        for (added, rule) in [(both, "rule 2: "), (vec![wrong], "")] {
            let error = rules.add(added, Timestamp::now).unwrap_err().to_string();
            let expected = "the status is 150; expected 200 to 999 for this fault";
            assert_eq!(error, format!("{rule}{expected}"));
        }
        assert!(plan(&rules).fault.is_none());
    }
}
