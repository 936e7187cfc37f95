//! A response of the service, without the key.

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::finding::{Finding, Sample};
use super::key::Key;

/// A response of the service. Wherever it contained the key, it contains `…`.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// The method and the path below `/api/v1`.
    request: String,
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) text: String,
    /// The body, if it is JSON.
    pub(super) json: Option<Value>,
}

impl Answer {
    pub(super) fn new(
        request: String,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        key: &Key,
    ) -> Self {
        let text = |bytes: &[u8]| key.redact(&String::from_utf8_lossy(bytes));
        let header = |(name, value): (&reqwest::header::HeaderName, &_)| {
            let value: &reqwest::header::HeaderValue = value;
            (name.as_str().to_owned(), text(value.as_bytes()))
        };
        let json = serde_json::from_slice(body).ok();
        Self {
            request: key.redact(&request),
            status: status.as_u16(),
            headers: headers.iter().map(header).collect(),
            text: text(body),
            // A JSON string may contain the key with escapes.
            json: json.map(|json| key.redact_json(json)),
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(super) fn is_rejection(&self) -> bool {
        (400..500).contains(&self.status)
    }

    /// Returns the first value of a header. The name is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn header_names(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the content type without its parameters.
    pub(super) fn content_type(&self) -> &str {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// Returns `data` of a successful response.
    pub(super) fn data(&self) -> Result<&Value, String> {
        if !self.is_success() {
            return Err(self.unexpected());
        }
        let data = self.json.as_ref().and_then(|body| body.get("data"));
        data.ok_or_else(|| format!("the response to {} has no data", self.request))
    }

    /// Describes a status that does not answer the question.
    pub(super) fn unexpected(&self) -> String {
        format!("{} returns {}", self.request, self.status)
    }

    /// Returns `data` if it is an object.
    pub(super) fn object(&self) -> Result<&Map<String, Value>, String> {
        let object = self.data()?.as_object();
        object.ok_or_else(|| format!("the data of {} is not an object", self.request))
    }

    /// Returns a sample that shows a part of the response.
    pub(super) fn sample(&self, found: impl Into<Value>) -> Sample {
        Sample::new(&self.request, self.status, found.into())
    }

    /// Returns a sample that shows the body.
    pub(super) fn body_sample(&self) -> Sample {
        let body = self.json.clone();
        self.sample(body.unwrap_or_else(|| self.text.as_str().into()))
    }

    /// Returns a learned value, or the sample as outside of the dialects if there is none.
    pub(super) fn learned<'a>(
        &self,
        value: impl Into<Option<&'a str>>,
        found: impl Into<Value>,
    ) -> Finding {
        Finding::learned(value.into(), self.sample(found))
    }
}
