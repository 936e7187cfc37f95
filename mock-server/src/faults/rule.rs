//! A fault rule as people write it: which requests, when, and what goes wrong with them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::condition::{Match, Phase, When};
use super::fault::Fault;
use crate::invalid_input::InvalidInput;
use crate::read_json;

/// A rule: which requests meet a fault, when, and which.
///
/// Every field but `fault` may be left out. Of the rules that strike one request the delays add up,
/// and of the other faults the first rule's is taken.
///
/// ```
/// use mock_server::{Fault, FaultRule};
///
/// // The second post is written, and its answer is lost.
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
    /// Which requests; every one unless given.
    #[serde(default, rename = "match")]
    pub matching: Match,
    /// Which of those; every one unless given.
    #[serde(default)]
    pub when: When,
    /// Before the write is committed, or after it; before unless given.
    #[serde(default)]
    pub phase: Phase,
    /// What goes wrong.
    pub fault: Fault,
}

impl FaultRule {
    /// A rule by which every request meets this fault, before anything is written.
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

    /// Only requests of this method.
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

    /// Only requests to this path: exact, with `{…}` for any one segment, or a beginning with `*`.
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

    /// Only requests with this key, or with the key of this name.
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

    /// Lets this many requests go by first.
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

    /// Strikes this many requests, and none after them.
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

    /// Strikes each request with this probability, 0 to 1.
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

    /// Strikes as long as the world's clock shows no later time than this, given as RFC 3339.
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

    /// Does the write first, so that only its answer is lost.
    ///
    /// ```
    /// use mock_server::{Fault, FaultRule, WireFault};
    /// let rule = FaultRule::new(Fault::Wire(WireFault::Reset)).after_write();
    /// ```
    #[must_use]
    pub fn after_write(mut self) -> Self {
        self.phase = Phase::After;
        self
    }

    /// Reads one rule, or an array of rules, from JSON.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`] for the first rule that cannot be read.
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
    fn a_rule_reads_back_what_it_wrote() {
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
    fn what_is_no_rule_is_told() {
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
