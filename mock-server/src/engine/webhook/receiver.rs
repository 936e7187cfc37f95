//! The receivers of deliveries: a URL, and the built-in receiver with its script, which needs no
//! socket.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use http::Uri;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Position, Url};

use super::delivery::DeliveryOutcome;
use crate::input::{self, BAD_BODY, InvalidInput, Result};
use crate::redaction::SafeUrl;

/// The absolute `http://` URL of a receiver.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ReceiverUrl(Url);

impl fmt::Debug for ReceiverUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SafeUrl(self.0.as_str()).fmt(f)
    }
}

impl ReceiverUrl {
    /// Returns host and port for name resolution.
    pub(crate) fn host_and_port(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        format!("{host}:{}", self.0.port().unwrap_or(80))
    }

    /// Returns the value of the `Host` header.
    pub(crate) fn authority(&self) -> &str {
        self.0.authority()
    }

    /// Returns path and query for the request line.
    pub(crate) fn target(&self) -> Uri {
        target(&self.0).expect("the target was validated when the URL was parsed")
    }
}

fn target(url: &Url) -> Result<Uri, http::uri::InvalidUri> {
    url[Position::BeforePath..Position::AfterQuery].parse()
}

impl TryFrom<String> for ReceiverUrl {
    type Error = InvalidInput;

    fn try_from(text: String) -> Result<Self> {
        let shown = SafeUrl(&text);
        let not_absolute = |reason: &dyn fmt::Display| {
            invalid_url(format!(
                "the webhook URL `{shown}` is not valid ({reason}); expected an absolute URL such \
                 as http://127.0.0.1:8080/"
            ))
        };
        let url = Url::parse(&text).map_err(|reason| not_absolute(&reason))?;
        if url.scheme() != "http" {
            return Err(invalid_url(format!(
                "the webhook URL `{shown}` has the scheme {}, which the mock server does not support; \
                 expected an http:// URL",
                url.scheme()
            )));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid_url(
                "the webhook URL contains a user name or password; remove it",
            ));
        }
        match target(&url) {
            Ok(_) => Ok(Self(url)),
            Err(reason) => Err(not_absolute(&reason)),
        }
    }
}

impl From<ReceiverUrl> for String {
    fn from(url: ReceiverUrl) -> Self {
        url.0.into()
    }
}

fn invalid_url(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_url", message)
}

/// The built-in receiver of a webhook.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// server.webhook().use_built_in_receiver("500 x9, 200", "whsec_test")?;
/// let receiver = server.webhook().status()?.built_in.unwrap();
/// assert_eq!((receiver.script.to_string().as_str(), receiver.received), ("500 x9, 200", 0));
/// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BuiltInReceiver {
    /// The script of its responses.
    pub script: ReceiverScript,
    /// Number of deliveries received, which is the position in the script.
    pub received: u64,
}

impl BuiltInReceiver {
    /// Receives one delivery. A timeout takes effect immediately.
    pub(super) fn take(&mut self, timeout: Duration) -> DeliveryOutcome {
        let status = self.script.status_after(self.received);
        self.received += 1;
        match status {
            Some(status) => DeliveryOutcome::Responded { status },
            None => DeliveryOutcome::timed_out(timeout),
        }
    }
}

/// The responses of the built-in receiver to successive deliveries.
///
/// Steps are separated by commas. A step is a status from 200 to 599 or `timeout`, optionally followed
/// by a count such as ` x3`. The last step repeats forever.
///
/// | Text | Meaning |
/// |---|---|
/// | `204` | always 204 |
/// | `500 x9, 200` | nine times 500, then always 200 |
/// | `timeout x2, 503, 200` | two timeouts, one 503, then always 200 |
///
/// The JSON form is an array such as `[{"status": 500, "times": 9}, {"status": 200}]`; a status may be
/// `"timeout"`. A delivery that times out does so immediately.
///
/// ```
/// use mock_server::webhook::ReceiverScript;
///
/// let script: ReceiverScript = "500 x9, 200".parse()?;
/// let json = r#"[{"status": 500, "times": 9}, {"status": 200}]"#;
/// assert_eq!(script, serde_json::from_str(json)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "String")]
pub struct ReceiverScript(Vec<Step>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    /// The status of the response, 200 to 599; `None` lets the delivery time out.
    status: Option<u16>,
    times: u32,
}

impl ReceiverScript {
    /// Returns the status for the delivery after `before` others.
    fn status_after(&self, before: u64) -> Option<u16> {
        let mut end = 0;
        let current = self.0.iter().find(|step| {
            end += u64::from(step.times);
            before < end
        });
        let step = current.or(self.0.last());
        step.expect("a script has at least one step").status
    }

    /// Creates a script from parsed steps and their source text.
    fn new(steps: impl Iterator<Item = (Option<Step>, String)>) -> Result<Self> {
        let steps = (1..).zip(steps).map(|(number, (step, found))| {
            step.ok_or_else(|| {
                invalid(format!(
                    "step {number} of the script is `{found}`; expected a status from 200 to 599 \
                     or `timeout`, and optionally a count such as ` x3`"
                ))
            })
        });
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        if steps.is_empty() {
            return Err(invalid(
                "the script is empty; expected steps such as `500 x9, 200`",
            ));
        }
        Ok(Self(steps))
    }
}

impl FromStr for ReceiverScript {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text.split(',').map(|step| {
            let step = step.trim();
            (Step::from_text(step), step.to_owned())
        }))
    }
}

impl TryFrom<Value> for ReceiverScript {
    type Error = InvalidInput;

    /// Reads a string as the text form and an array as the JSON form.
    fn try_from(script: Value) -> Result<Self> {
        match script {
            Value::String(text) => text.parse(),
            Value::Array(steps) => Self::new(steps.into_iter().map(|step| {
                let found = step.to_string();
                (Step::from_json(step), found)
            })),
            other => {
                let message = format!(
                    "the script is `{other}`; expected a string such as `500 x9, 200` or an array of \
                     steps"
                );
                Err(InvalidInput::new(BAD_BODY, message))
            }
        }
    }
}

impl From<ReceiverScript> for String {
    fn from(script: ReceiverScript) -> Self {
        script.to_string()
    }
}

impl fmt::Display for ReceiverScript {
    /// Writes the text form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match step.status {
                Some(status) => write!(f, "{comma}{status}")?,
                None => write!(f, "{comma}timeout")?,
            }
            if step.times != 1 {
                write!(f, " x{}", step.times)?;
            }
        }
        Ok(())
    }
}

impl Step {
    fn from_text(text: &str) -> Option<Self> {
        let (status, times) = match text.split_once(" x") {
            Some((status, times)) => (status.trim_end(), times.parse().ok()?),
            None => (text, 1),
        };
        let is_valid = |status: &u16| (200..=599).contains(status);
        let status = match status {
            "timeout" => None,
            number => Some(number.parse().ok().filter(is_valid)?),
        };
        (times > 0).then_some(Self { status, times })
    }

    fn from_json(step: Value) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            status: Value,
            #[serde(default = "once")]
            times: u32,
        }
        let Written { status, times } = input::object_in(step).ok()?;
        match status {
            Value::String(name) if name != "timeout" => None,
            Value::String(_) => Self::from_text(&format!("timeout x{times}")),
            number => Self::from_text(&format!("{number} x{times}")),
        }
    }
}

fn once() -> u32 {
    1
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_script", message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn url(text: &str) -> Result<ReceiverUrl> {
        text.to_owned().try_into()
    }

    #[test]
    fn rejects_other_urls_with_the_reason() {
        let scheme = "which the mock server does not support; expected an http:// URL";
        for (text, reason) in [
            (
                "https://example.com/hooks",
                format!(" `https://example.com/hooks` has the scheme https, {scheme}"),
            ),
            (
                "ftp://example.com/",
                format!(" `ftp://example.com/` has the scheme ftp, {scheme}"),
            ),
            (
                "/hooks",
                " `/hooks` is not valid (relative URL without a base); expected an absolute URL such as \
                 http://127.0.0.1:8080/"
                    .to_owned(),
            ),
            (
                "http://ada:pass@example.com/",
                " contains a user name or password; remove it".to_owned(),
            ),
        ] {
            let error = url(text).unwrap_err().to_string();
            assert_eq!(error, format!("the webhook URL{reason}"));
        }
    }

    #[test]
    fn returns_the_parts_of_a_request() {
        for (text, authority, host_and_port, target) in [
            (
                "http://[::1]:81/a b?c=|#d",
                "[::1]:81",
                "[::1]:81",
                "/a%20b?c=|",
            ),
            ("http://localhost", "localhost", "localhost:80", "/"),
        ] {
            let url = url(text).unwrap();
            assert_eq!(url.authority(), authority);
            assert_eq!(url.host_and_port(), host_and_port);
            assert_eq!(url.target(), target);
        }
    }

    #[test]
    fn parses_all_forms_of_a_script() {
        for (written, meant) in [
            (json!("200"), "200"),
            (json!(" 500  x9 ,200 "), "500 x9, 200"),
            (json!("timeout x2, 503"), "timeout x2, 503"),
            (
                json!("timeout x2, 503 x4294967295"),
                "timeout x2, 503 x4294967295",
            ),
            (
                json!([{"status": "timeout"}, {"status": 599, "times": 2}]),
                "timeout, 599 x2",
            ),
        ] {
            let script = ReceiverScript::try_from(written).unwrap();
            assert_eq!(script.to_string(), meant);
            assert_eq!(meant.parse(), Ok(script));
        }
    }

    #[test]
    fn repeats_the_last_step() {
        let script: ReceiverScript = "500 x9, 200".parse().unwrap();
        assert_eq!(script.status_after(8), Some(500));
        assert_eq!(script.status_after(9), Some(200));
        assert_eq!(script.status_after(1_000), Some(200));
    }

    #[test]
    fn reports_an_invalid_step() {
        for (script, number, found) in [
            (json!("50O"), 1, "50O"),
            (json!(""), 1, ""),
            (json!("500 x9, "), 2, ""),
            (json!("500, 199"), 2, "199"),
            (json!("600"), 1, "600"),
            (json!("500 x0"), 1, "500 x0"),
            (json!("500 x-1"), 1, "500 x-1"),
            (json!("500 x99999999999"), 1, "500 x99999999999"),
            (json!("nine 500s"), 1, "nine 500s"),
            (
                json!([{"status": 200}, {"status": "500"}]),
                2,
                r#"{"status":"500"}"#,
            ),
            (json!([{"code": 200}]), 1, r#"{"code":200}"#),
        ] {
            let error = ReceiverScript::try_from(script).unwrap_err().to_string();
            let expected = format!(
                "step {number} of the script is `{found}`; expected a status from 200 to 599 or \
                 `timeout`, and optionally a count such as ` x3`"
            );
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn rejects_other_values() {
        let error = ReceiverScript::try_from(json!([])).unwrap_err().to_string();
        assert_eq!(
            error,
            "the script is empty; expected steps such as `500 x9, 200`"
        );
        let error = serde_json::from_str::<ReceiverScript>("200").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the script is `200`; expected a string such as `500 x9, 200` or an array of steps"
        );
    }
}
