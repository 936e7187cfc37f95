//! Fault rules.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::condition::{Match, Phase, When};
use super::fault::Fault;
use crate::input::InvalidInput;
use crate::input::read_json;

/// A fault and the requests that it is applied to.
///
/// In JSON, every field except `fault` is optional. If several rules apply to a request, their delays
/// add up; of all other faults, the one added first is applied.
///
/// ```
/// use mock_server::{Fault, FaultRule};
///
/// // The second post is written, but its response is replaced.
/// let rule = FaultRule::new(Fault::status(502))
///     .method("POST")
///     .path("/api/v1/me/posts")
///     .skip(1)
///     .times(1)
///     .after_write();
/// let text = r#"{
///     "match": {"method": "POST", "path": "/api/v1/me/posts"},
///     "when": {"skip": 1, "times": 1},
///     "phase": "after",
///     "fault": {"status": {"status": 502}}
/// }"#;
/// assert_eq!(serde_json::from_str::<FaultRule>(text)?, rule);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FaultRule {
    /// The requests that the rule applies to; all by default.
    #[serde(
        default,
        rename = "match",
        deserialize_with = "read_json::nested_object"
    )]
    pub matching: Match,
    /// Limits the rule to some of these requests.
    #[serde(default, deserialize_with = "read_json::nested_object")]
    pub when: When,
    /// Before or after the request is carried out; before by default.
    #[serde(default)]
    pub phase: Phase,
    /// The fault.
    pub fault: Fault,
}

impl FaultRule {
    /// Creates a rule that applies the fault to every request, before anything is written.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody);
    /// ```
    pub fn new(fault: Fault) -> Self {
        Self {
            matching: Match::default(),
            when: When::default(),
            phase: Phase::default(),
            fault,
        }
    }

    /// Limits the rule to this method.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).method("DELETE");
    /// ```
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.matching.method = Some(method.into());
        self
    }

    /// Limits the rule to this path: an exact path, a template with `{…}` for one segment, or a prefix
    /// that ends with `*`.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).path("/api/v1/users/{handle}/stats");
    /// ```
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.matching.path = Some(path.into());
        self
    }

    /// Limits the rule to this key or the key with this name.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).key("links");
    /// ```
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.matching.key = Some(key.into());
        self
    }

    /// Skips this number of matching requests first.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).skip(2);
    /// ```
    #[must_use]
    pub fn skip(mut self, skip: u64) -> Self {
        self.when.skip = skip;
        self
    }

    /// Applies the fault to at most this number of requests.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).times(1);
    /// ```
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.when.times = Some(times);
        self
    }

    /// Applies the fault with this probability, greater than 0 and at most 1.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).probability(0.1);
    /// ```
    #[must_use]
    pub fn probability(mut self, probability: f64) -> Self {
        self.when.probability = Some(probability);
        self
    }

    /// Applies the fault up to this time of the world's clock, as RFC 3339.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule};
    /// let rule = FaultRule::new(Fault::EmptyBody).until("2026-03-01T12:00:00Z");
    /// ```
    #[must_use]
    pub fn until(mut self, instant: impl Into<String>) -> Self {
        self.when.until = Some(instant.into());
        self
    }

    /// Carries the request out first, so that only its response is affected.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule, WireFault};
    /// let rule = FaultRule::new(Fault::Wire(WireFault::Reset { after: None })).after_write();
    /// ```
    #[must_use]
    pub fn after_write(mut self) -> Self {
        self.phase = Phase::After;
        self
    }

    /// Parses one rule or an array of rules from JSON.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] for the first rule that is not valid JSON for a rule.
    ///
    /// ```
    /// use mock_server::FaultRule;
    ///
    /// let rules = FaultRule::from_json(r#"[{"fault": "empty_body"}]"#)?;
    /// assert_eq!(rules.len(), 1);
    /// let error = FaultRule::from_json(r#"{"fault": "empty"}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("fault: unknown variant `empty`"));
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
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
            .method("GET")
            .path("/api/v1/me/links/{id}")
            .key("links")
            .skip(2)
            .times(3)
            .probability(0.25)
            .until("2026-03-01T12:00:00Z")
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
                r#"{"fault": "empty_body", "wen": {}}"#,
                "wen: unknown field `wen`, expected one of `match`, `when`, `phase`, `fault`",
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

    #[test]
    fn debug_does_not_show_the_key() {
        let rule = FaultRule::new(Fault::EmptyBody).key("canary");
        assert!(!format!("{rule:?}").contains("canary"));
    }
}
