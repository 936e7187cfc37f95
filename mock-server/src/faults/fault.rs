//! The faults that can be injected into a response or its connection.

use std::collections::BTreeMap;
use std::time::Duration;

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderName, HeaderValue};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::input::{BAD_BODY, InvalidInput, Result};

/// A fault that replaces, delays or damages a response.
///
/// In JSON, a fault without settings is its name; any other fault is an object with its name and
/// settings.
///
/// ```
/// use mock_server::Fault;
///
/// let fault: Fault = serde_json::from_str(r#""malformed_json""#)?;
/// assert_eq!(fault, Fault::MalformedJson);
/// let fault: Fault = serde_json::from_str(r#"{"status": {"status": 503}}"#)?;
/// assert_eq!(fault, Fault::status(503));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[must_use]
#[non_exhaustive]
pub enum Fault {
    /// Delays the response: `{"delay": {"milliseconds": 250}}`.
    Delay {
        /// The time of the delay; in JSON whole milliseconds, as `milliseconds`.
        #[serde(rename = "milliseconds", with = "milliseconds")]
        time: Duration,
    },
    /// Replaces the response: `{"status": {"status": 503, "body": "…", "headers": {"name": "value"}}}`.
    Status {
        /// The status code, 200 to 999.
        status: u16,
        /// The body; an error body of the service if not set. A response with status 204, 205 or 304
        /// has no body.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<String>,
        /// The headers, except `Content-Length` and `Transfer-Encoding`, which are derived from the
        /// body. The content type is `application/json` if not set.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
    /// Responds with 429: `{"rate_limited": {"retry_after": "120"}}`.
    RateLimited {
        /// The value of `Retry-After`, which is not validated; no such header if not set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
    },
    /// Removes the last byte of the body, so that its JSON is invalid: `"malformed_json"`.
    MalformedJson,
    /// Replaces the content type: `{"wrong_content_type": {"content_type": "text/html"}}`.
    WrongContentType {
        /// The value of `Content-Type`.
        content_type: String,
    },
    /// Removes the body: `"empty_body"`. A response without a body, such as a 204, does not change.
    EmptyBody,
    /// Responds with 200 and a JSON body of this length: `{"huge_body": {"bytes": 67108864}}`.
    HugeBody {
        /// Length of the body in bytes: at least 11, the length of `{"data":""}`, and at most 1 GiB.
        bytes: usize,
    },
    /// Responds with 200 and a gzip body that decompresses to about a thousand times its size,
    /// regardless of `Accept-Encoding`: `{"gzip_bomb": {"bytes": 1073741824}}`.
    GzipBomb {
        /// Length of the decompressed body in bytes: at least 11 and at most 1 GiB.
        bytes: usize,
    },
    /// Redirects the client: `{"redirect": {"status": 302, "location": "http://…"}}`.
    Redirect {
        /// The status code, 300 to 399.
        status: u16,
        /// The value of `Location`, which is not validated.
        location: String,
    },
    /// Breaks the connection: `{"wire": "reset"}`.
    Wire(WireFault),
}

impl Fault {
    /// Returns the name that the fault has in JSON (for a wire fault, the name of that) and the phase of a
    /// rule that does not set one. A fault that shows a part of the service's own response occurs after the
    /// request was carried out, since the response reports what was written.
    pub(super) fn row(&self) -> (&'static str, Phase) {
        match self {
            Self::Delay { .. } => ("delay", Phase::Before),
            Self::Status { .. } => ("status", Phase::Before),
            Self::RateLimited { .. } => ("rate_limited", Phase::Before),
            Self::MalformedJson => ("malformed_json", Phase::After),
            Self::WrongContentType { .. } => ("wrong_content_type", Phase::After),
            Self::EmptyBody => ("empty_body", Phase::After),
            Self::HugeBody { .. } => ("huge_body", Phase::Before),
            Self::GzipBomb { .. } => ("gzip_bomb", Phase::Before),
            Self::Redirect { .. } => ("redirect", Phase::Before),
            Self::Wire(wire) if wire.sends_head() => (wire.name(), Phase::After),
            Self::Wire(wire) => (wire.name(), Phase::Before),
        }
    }

    /// Returns the name for the journal.
    pub(crate) fn name(&self) -> &'static str {
        self.row().0
    }

    /// Returns a fault that responds with this status and an error body of the service.
    pub fn status(status: u16) -> Self {
        Self::Status {
            status,
            body: None,
            headers: BTreeMap::new(),
        }
    }

    /// Sets the body of a [`Status`](Self::Status) fault, and has no effect on any other.
    pub fn with_body(mut self, text: impl Into<String>) -> Self {
        if let Self::Status { body, .. } = &mut self {
            *body = Some(text.into());
        }
        self
    }

    /// Adds a header to a [`Status`](Self::Status) fault, and has no effect on any other.
    ///
    /// ```
    /// use mock_server::Fault;
    ///
    /// let fault = Fault::status(503).with_body("{}").with_header("Retry-After", "2");
    /// let json = r#"{"status": {"status": 503, "body": "{}", "headers": {"Retry-After": "2"}}}"#;
    /// assert_eq!(fault, serde_json::from_str(json)?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Self::Status { headers, .. } = &mut self {
            headers.insert(name.into(), value.into());
        }
        self
    }

    /// Returns a fault that responds with 429 and this `Retry-After`.
    pub fn rate_limited(retry_after: impl Into<String>) -> Self {
        let retry_after = Some(retry_after.into());
        Self::RateLimited { retry_after }
    }

    /// Returns a constant delay.
    pub fn delay(time: Duration) -> Self {
        Self::Delay { time }
    }

    /// Returns a redirect with status 302.
    pub fn redirect(location: impl Into<String>) -> Self {
        Self::Redirect {
            status: 302,
            location: location.into(),
        }
    }

    /// Returns `true` if the client cannot know whether the request is carried out, and the fault shows nothing of the
    /// service's own response.
    pub(super) fn hides_outcome(&self) -> bool {
        match self {
            Self::Status { status, .. } => (500..600).contains(status),
            Self::Wire(wire) => !wire.sends_head(),
            _ => false,
        }
    }

    /// Rejects a fault with invalid settings.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Status {
                status,
                headers,
                body,
            } => {
                check_status(*status, 200, 999)?;
                let has_body = body.as_ref().is_some_and(|body| !body.is_empty());
                if has_body && is_bodiless(*status) {
                    return Err(invalid(format!(
                        "a response with status {status} cannot have a body; remove the body or \
                         use another status"
                    )));
                }
                let mut headers = headers.iter();
                headers.try_for_each(|(name, value)| check_header(name, value))
            }
            Self::RateLimited { retry_after } => {
                let mut values = retry_after.iter();
                values.try_for_each(|text| check_header("retry-after", text))
            }
            Self::WrongContentType { content_type } => check_header("content-type", content_type),
            Self::Redirect { status, location } => {
                check_status(*status, 300, 399)?;
                check_header("location", location)
            }
            Self::HugeBody { bytes } | Self::GzipBomb { bytes } => {
                match (MIN_BODY_BYTES..=MAX_BODY_BYTES).contains(bytes) {
                    true => Ok(()),
                    false => Err(invalid(format!(
                        "the body has {bytes} bytes; expected {MIN_BODY_BYTES} to {MAX_BODY_BYTES}"
                    ))),
                }
            }
            Self::Wire(WireFault::Dribble { bytes: 0, .. }) => Err(invalid(
                "the pieces of a dribble have 0 bytes; expected at least 1",
            )),
            Self::Delay { .. } | Self::MalformedJson | Self::EmptyBody | Self::Wire(_) => Ok(()),
        }
    }
}

/// Minimum and maximum size of a large body in bytes: that of `{"data":""}`, and one gibibyte.
pub(super) const MIN_BODY_BYTES: usize = r#"{"data":""}"#.len();
pub(super) const MAX_BODY_BYTES: usize = 1 << 30;

/// Returns `true` if a response with this status has no body.
pub(super) fn is_bodiless(status: u16) -> bool {
    matches!(status, 204 | 205 | 304)
}

fn check_status(found: u16, min: u16, max: u16) -> Result<()> {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    Err(invalid(format!(
        "the status is {found}; expected {min} to {max} for this fault"
    )))
}

/// Rejects headers that determine the length of the body, since hyper does not send a wrong length.
fn check_header(name: &str, value: &str) -> Result<()> {
    let message = match HeaderName::from_bytes(name.as_bytes()) {
        Ok(header) if [CONTENT_LENGTH, TRANSFER_ENCODING].contains(&header) => {
            format!("the header `{name}` cannot be set; it is derived from the body")
        }
        Ok(_) if HeaderValue::from_str(value).is_ok() => return Ok(()),
        Ok(_) => format!("the value of the header `{name}` contains invalid characters"),
        Err(_) => format!("`{name}` is not a valid header name"),
    };
    Err(invalid(message))
}

/// A fault of the connection, which is closed afterwards.
///
/// A fault that truncates the body turns the status 204, which has no body, into 200.
///
/// ```
/// use mock_server::WireFault;
///
/// let cut: WireFault = serde_json::from_str(r#"{"cut": {"after": 10}}"#)?;
/// assert_eq!(cut, WireFault::Cut { after: 10 });
/// let reset: WireFault = serde_json::from_str(r#""reset""#)?;
/// assert_eq!(reset, WireFault::Reset { after: None });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireFault {
    /// Resets the connection (RST): `"reset"` without sending a byte, or `{"reset": {"after": 10}}` in
    /// the middle of the body.
    Reset {
        /// Number of bytes of the body to send after the head.
        after: Option<u64>,
    },
    /// Closes the connection (FIN) without sending a byte: `"close"`.
    Close,
    /// Closes the connection in the middle of the body: `{"cut": {"after": 10}}`. `Content-Length` is
    /// always larger than the number of bytes sent.
    Cut {
        /// Number of bytes of the body to send.
        after: u64,
    },
    /// Stops sending in the middle of the body and keeps the connection open:
    /// `{"stall": {"after": 0}}`. `Content-Length` is always larger than the number of bytes sent.
    Stall {
        /// Number of bytes of the body to send; 0 sends only the head.
        after: u64,
    },
    /// Sends the body slowly, in small pieces: `{"dribble": {"bytes": 1, "milliseconds": 100}}`. The
    /// response is complete in the end.
    Dribble {
        /// Size of a piece in bytes; at least 1.
        bytes: u64,
        /// Pause before each piece; in JSON whole milliseconds, as `milliseconds`.
        pause: Duration,
    },
    /// Sends a chunked body whose second chunk has an invalid size: `"bad_chunk"`.
    BadChunk,
}

impl WireFault {
    /// Returns `true` if the head of the response is sent.
    pub(crate) fn sends_head(self) -> bool {
        !matches!(self, Self::Reset { after: None } | Self::Close)
    }

    /// Returns `true` if the body is incomplete.
    pub(crate) fn breaks_body(self) -> bool {
        match self {
            Self::Cut { .. } | Self::Stall { .. } | Self::BadChunk => true,
            Self::Reset { after } => after.is_some(),
            Self::Close | Self::Dribble { .. } => false,
        }
    }

    /// Returns `true` if the client does not receive the whole response.
    pub(crate) fn loses_response(self) -> bool {
        !self.sends_head() || self.breaks_body()
    }

    /// Returns the name that the fault has in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reset { .. } => "reset",
            Self::Close => "close",
            Self::Cut { .. } => "cut",
            Self::Stall { .. } => "stall",
            Self::Dribble { .. } => "dribble",
            Self::BadChunk => "bad_chunk",
        }
    }
}

/// The form in JSON, but for `"reset"`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "WireFault", rename_all = "snake_case", deny_unknown_fields)]
enum Json {
    Reset {
        after: Option<u64>,
    },
    Close,
    Cut {
        after: u64,
    },
    Stall {
        after: u64,
    },
    Dribble {
        bytes: u64,
        #[serde(rename = "milliseconds", with = "milliseconds")]
        pause: Duration,
    },
    BadChunk,
}

impl Serialize for WireFault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reset { after: None } => serializer.serialize_str("reset"),
            other => Json::serialize(other, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WireFault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fault = Value::deserialize(deserializer)?;
        if fault == "reset" {
            fault = json!({"reset": {}});
        }
        Json::deserialize(fault).map_err(D::Error::custom)
    }
}

/// The point at which a fault occurs: before or after the request is carried out, or long before.
///
/// ```
/// use mock_server::faults::Phase;
/// use mock_server::{Fault, FaultRule};
///
/// assert_eq!(FaultRule::new(Fault::status(503)).phase(), Phase::Before);
/// assert_eq!(FaultRule::new(Fault::EmptyBody).phase(), Phase::After);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Phase {
    /// The request is not carried out; nothing is written.
    Before,
    /// The request is carried out; only its response is affected.
    After,
    /// The response is lost at once, and the request is carried out later: `{"late": {"milliseconds": 500}}`.
    Late {
        /// The time between the two, in real time; in JSON whole milliseconds, as `milliseconds`.
        #[serde(rename = "milliseconds", with = "milliseconds")]
        time: Duration,
    },
}

/// Durations that are whole milliseconds in JSON.
mod milliseconds {
    use super::{Deserialize, Deserializer, Duration, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, json: S) -> Result<S::Ok, S::Error> {
        json.serialize_u64(time.as_millis().try_into().unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Duration, D::Error> {
        u64::deserialize(json).map(Duration::from_millis)
    }
}

/// An example of each fault. Names of connection faults are within `wire`.
pub(super) const FORMS: [&str; 16] = [
    r#"{"delay": {"milliseconds": 250}}"#,
    r#"{"status": {"status": 503}}"#,
    r#"{"rate_limited": {"retry_after": "120"}}"#,
    r#""malformed_json""#,
    r#"{"wrong_content_type": {"content_type": "text/html"}}"#,
    r#""empty_body""#,
    r#"{"huge_body": {"bytes": 67108864}}"#,
    r#"{"gzip_bomb": {"bytes": 1073741824}}"#,
    r#"{"redirect": {"status": 302, "location": "/x"}}"#,
    r#"{"wire": "reset"}"#,
    r#"{"wire": {"reset": {"after": 10}}}"#,
    r#"{"wire": "close"}"#,
    r#"{"wire": {"cut": {"after": 10}}}"#,
    r#"{"wire": {"stall": {"after": 10}}}"#,
    r#"{"wire": {"dribble": {"bytes": 1, "milliseconds": 100}}}"#,
    r#"{"wire": "bad_chunk"}"#,
];

/// Rejects a fault that is known but has another form, such as `{"status": 503}`, or is not in the field `fault` of
/// its rule, with the right form.
pub(super) fn check_form(rule: &Value) -> Result<()> {
    let fault = rule.get("fault");
    let Some(found) = form(fault.unwrap_or(rule)) else {
        return Ok(());
    };
    let parse = |text| form(&serde_json::from_str(text).expect("an example is valid JSON"));
    let forms = FORMS.iter().filter_map(|text| Some((text, parse(text)?)));
    let mut forms = forms.filter(|(_, form)| form.1 == found.1).peekable();
    let Some((example, _)) = forms.peek().cloned() else {
        return Ok(());
    };
    if fault.is_some() && forms.any(|(_, form)| form == found) {
        return Ok(());
    }
    let (_, name, _) = found;
    let message = match fault {
        Some(_) => format!("fault: `{name}` has the form {example}"),
        None => format!("`{name}` has the form {{\"fault\": {example}}}"),
    };
    Err(InvalidInput::new(BAD_BODY, message))
}

/// Returns `true` if the fault is within `wire`, its name, and `true` if it has an object of settings. Returns
/// `None` if it has no known name.
fn form(fault: &Value) -> Option<(bool, String, Option<bool>)> {
    if let Value::String(name) = fault {
        return Some((false, name.clone(), None));
    }
    let is_known = |name: &str| FORMS.concat().contains(&format!("\"{name}\""));
    let fields = fault.as_object()?;
    let (name, settings) = fields.iter().find(|(name, _)| is_known(name))?;
    if name == "wire" {
        return form(settings).map(|(_, name, settings)| (true, name, settings));
    }
    let is_object = settings.is_object() && fields.len() == 1;
    Some((false, name.clone(), Some(is_object)))
}

pub(super) fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_fault", message)
}
