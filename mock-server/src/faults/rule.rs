//! A fault rule as people write it: which requests, when, and what goes wrong with them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::condition::{Match, Phase, When};
use super::fault::Fault;
use super::invalid::InvalidFault;
use crate::misfit::{self, Misfit};

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

    /// Only requests to this path, exact or with `{…}` for any one segment.
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
    /// [`InvalidFault`] when it is neither; the first mistake is told.
    ///
    /// ```
    /// use mock_server::FaultRule;
    ///
    /// let rules = FaultRule::from_json(r#"[{"fault": "empty_body"}]"#)?;
    /// assert_eq!(rules.len(), 1);
    /// let error = FaultRule::from_json(r#"{"fault": "empty"}"#).unwrap_err();
    /// assert!(error.to_string().contains("fault: `empty` is unknown; known: `delay`"));
    /// # Ok::<(), mock_server::InvalidFault>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Vec<Self>, InvalidFault> {
        Self::from_slice(text.as_bytes())
    }

    pub(crate) fn from_slice(text: &[u8]) -> Result<Vec<Self>, InvalidFault> {
        match misfit::value(text).map_err(not_a_rule)? {
            Value::Array(rules) => (1..).zip(rules).map(read_in_list).collect(),
            rule => Ok(vec![read(rule)?]),
        }
    }
}

fn read_in_list((number, rule): (usize, Value)) -> Result<FaultRule, InvalidFault> {
    read(rule).map_err(|reason| InvalidFault::in_list(number, reason))
}

/// Going through [`Value`] costs the line of a mistake, and lets one rule stand without brackets.
fn read(rule: Value) -> Result<FaultRule, InvalidFault> {
    misfit::object_in(rule).map_err(not_a_rule)
}

fn not_a_rule(error: Misfit) -> InvalidFault {
    let reason = error.to_string();
    InvalidFault::NotARule { reason }
}

impl InvalidFault {
    /// Whether the text is no rule at all, whatever it would ask for.
    pub(crate) fn is_unread(&self) -> bool {
        match self {
            Self::NotARule { .. } => true,
            Self::InList { reason, .. } => reason.is_unread(),
            _ => false,
        }
    }

    pub(super) fn in_list(number: usize, reason: Self) -> Self {
        let reason = Box::new(reason);
        Self::InList { number, reason }
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
                "it is no JSON: EOF while parsing an object at line 1 column 1",
            ),
            ("{}", "the field `fault` is missing"),
            (
                r#"{"fault": "reset", "wen": {}}"#,
                "fault: `reset` is unknown; known: `delay`, `status`, `rate_limited`, \
                 `malformed_json`, `wrong_content_type`, `empty_body`, `huge_body`, `gzip_bomb`, \
                 `redirect`, `wire`",
            ),
            (
                r#"{"fault": "empty_body", "wen": {}}"#,
                "wen is unknown; known: `match`, `when`, `phase`, `fault`",
            ),
            (
                r#"{"fault": {"delay": {"fixed": [250]}}}"#,
                "fault.delay.fixed: found an array; an object with its settings is expected",
            ),
            (
                r#"{"fault": {"status": {"status": 503, "code": 1}}}"#,
                "fault.status.code is unknown; known: `status`, `body`, `headers`",
            ),
        ] {
            let error = FaultRule::from_json(text).unwrap_err();
            assert_eq!(error.to_string(), format!("it is no fault rule: {message}"));
        }
        let error = FaultRule::from_json(r#"[{"fault": "empty_body"}, 7]"#).unwrap_err();
        assert!(
            error.to_string().starts_with("rule 2: it is no fault rule"),
            "{error}"
        );
    }

    #[test]
    fn debug_does_not_show_the_key() {
        let rule = FaultRule::new(Fault::EmptyBody).key("canary");
        assert!(!format!("{rule:?}").contains("canary"));
    }
}
