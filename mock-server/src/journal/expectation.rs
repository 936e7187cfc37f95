//! The expected number of matching requests.

use std::fmt;

use serde::Deserialize;

use super::request_pattern::RequestPattern;
use crate::input::InvalidInput;
use crate::input::read_json;

/// A pattern and the expected number of requests that match it.
///
/// In JSON: `{"request": pattern, "times": 2}`. `"at_least"`, `"at_most"` or both can replace
/// `"times"`. Without any of them, at least one request is expected.
///
/// ```
/// use mock_server::journal::{Expectation, RequestPattern};
/// use serde_json::json;
///
/// let expectation = Expectation::times(RequestPattern::new("GET", "/me"), 2);
/// assert_eq!(expectation.to_string(), "GET /me exactly 2 times");
/// let read = json!({"request": {"method": "GET", "path": "/me"}, "times": 2});
/// assert_eq!(serde_json::from_value::<Expectation>(read)?, expectation);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "ExpectationJson")]
pub struct Expectation {
    pub(crate) request: RequestPattern,
    pub(super) at_least: u64,
    pub(super) at_most: Option<u64>,
}

impl Expectation {
    /// Expects exactly this number of requests.
    pub fn times(request: RequestPattern, times: u64) -> Self {
        Self {
            request,
            at_least: times,
            at_most: Some(times),
        }
    }

    /// Expects at least this number of requests.
    pub fn at_least(request: RequestPattern, times: u64) -> Self {
        Self {
            request,
            at_least: times,
            at_most: None,
        }
    }

    /// Expects at most this number of requests.
    pub fn at_most(request: RequestPattern, times: u64) -> Self {
        Self {
            request,
            at_least: 0,
            at_most: Some(times),
        }
    }

    pub(super) fn allows(&self, found: u64) -> bool {
        found >= self.at_least && self.at_most.is_none_or(|limit| found <= limit)
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.request)?;
        match (self.at_least, self.at_most) {
            (_, Some(0)) => f.write_str("never"),
            (min, Some(max)) if min == max => write!(f, "exactly {}", times(max)),
            (0, Some(max)) => write!(f, "at most {}", times(max)),
            (min, Some(max)) => write!(f, "{min} to {max} times"),
            (min, None) => write!(f, "at least {}", times(min)),
        }
    }
}

/// `once`, `2 times`.
fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}

/// The JSON form of an expectation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectationJson {
    #[serde(deserialize_with = "read_json::nested_object")]
    request: RequestPattern,
    times: Option<u64>,
    at_least: Option<u64>,
    at_most: Option<u64>,
}

impl TryFrom<ExpectationJson> for Expectation {
    type Error = InvalidInput;

    fn try_from(written: ExpectationJson) -> Result<Self, InvalidInput> {
        let request = written.request;
        match (written.times, written.at_least, written.at_most) {
            (Some(times), None, None) => Ok(Self::times(request, times)),
            (Some(_), ..) => Err(invalid(
                "`times` cannot be combined with `at_least` or `at_most`; remove one of them",
            )),
            (None, None, None) => Ok(Self::at_least(request, 1)),
            (None, Some(at_least), Some(at_most)) if at_least > at_most => Err(invalid(format!(
                "at_least is {at_least} and at_most is {at_most}; expected at_least to be at most \
                 at_most"
            ))),
            (None, at_least, at_most) => Ok(Self {
                request,
                at_least: at_least.unwrap_or(0),
                at_most,
            }),
        }
    }
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_expectation", message)
}
