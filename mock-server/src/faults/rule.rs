//! Fault rules.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use super::phase::Phase;
use crate::input::InvalidInput;
use crate::input::read_json;
use crate::journal::RequestPattern;

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
#[serde(from = "RuleJson")]
#[non_exhaustive]
pub struct FaultRule {
    /// The requests that the rule applies to; all by default. `status` and `fault` are not allowed,
    /// since the response does not exist yet.
    #[serde(rename = "match")]
    pub matching: RequestPattern,
    /// Number of matching requests to skip first.
    pub skip: u64,
    /// Maximum number of requests that the fault is applied to, at least 1; unlimited if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// The phase in which the fault occurs. By default, [`Phase::After`] for a fault that shows a part
    /// of the service's own response, and [`Phase::Before`] for any other.
    pub phase: Phase,
    /// The fault.
    pub fault: Fault,
}

/// The JSON form of a rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleJson {
    #[serde(
        default,
        rename = "match",
        deserialize_with = "read_json::nested_object"
    )]
    matching: RequestPattern,
    #[serde(default)]
    skip: u64,
    times: Option<u64>,
    phase: Option<Phase>,
    fault: Fault,
}

impl From<RuleJson> for FaultRule {
    fn from(written: RuleJson) -> Self {
        Self {
            matching: written.matching,
            skip: written.skip,
            times: written.times,
            phase: written.phase.unwrap_or(written.fault.default_phase()),
            fault: written.fault,
        }
    }
}

impl FaultRule {
    /// Creates a rule that applies the fault to all requests.
    pub fn new(fault: Fault) -> Self {
        Self {
            matching: RequestPattern::any(),
            skip: 0,
            times: None,
            phase: fault.default_phase(),
            fault,
        }
    }

    /// Applies the fault only to requests that match.
    #[must_use]
    pub fn matching(mut self, pattern: RequestPattern) -> Self {
        self.matching = pattern;
        self
    }

    /// Skips this number of matching requests.
    #[must_use]
    pub fn skip(mut self, skip: u64) -> Self {
        self.skip = skip;
        self
    }

    /// Limits the number of requests that the fault is applied to.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Applies the fault instead of carrying out the request; nothing is written.
    #[must_use]
    pub fn before_write(mut self) -> Self {
        self.phase = Phase::Before;
        self
    }

    /// Applies the fault after the request has been carried out; only the response is affected.
    #[must_use]
    pub fn after_write(mut self) -> Self {
        self.phase = Phase::After;
        self
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
        match read_json::value(text)? {
            Value::Array(rules) => (1..)
                .zip(rules)
                .map(|(number, rule)| {
                    read_json::object_in(rule).map_err(|error| error.in_rule(number))
                })
                .collect(),
            rule => Ok(vec![read_json::object_in(rule)?]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_survives_serialization() {
        let rule = FaultRule::new(Fault::rate_limited("-1"))
            .matching(RequestPattern::new("GET", "/api/v1/me/links/{id}").key("links"))
            .skip(2)
            .times(3)
            .after_write();
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(FaultRule::from_json(&text), Ok(vec![rule]));
    }

    #[test]
    fn rejects_invalid_rules() {
        for (text, message) in [
            (
                "{",
                "not valid JSON: EOF while parsing an object at line 1 column 1",
            ),
            ("{}", "missing field `fault`"),
            (
                r#"{"fault": "empty_body", "tims": 1}"#,
                "tims: unknown field `tims`, expected one of `match`, `skip`, `times`, \
                 `phase`, `fault`",
            ),
            (
                r#"{"fault": {"status": {"status": 503, "code": 1}}}"#,
                "fault.status.code: unknown field `code`, expected one of `status`, `body`, \
                 `headers`",
            ),
            (
                r#"[{"fault": "empty_body"}, 7]"#,
                "rule 2: expected a JSON object",
            ),
        ] {
            let error = FaultRule::from_json(text).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
