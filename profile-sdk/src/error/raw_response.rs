//! A response whose body has not been decoded.

#[cfg(feature = "testing")]
use reqwest::header::HeaderName;
use reqwest::header::{HeaderMap, HeaderValue};

use crate::json::Body;
use crate::values::ApiKey;

/// A response with its undecoded body.
#[derive(Clone, Default)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
    /// `true` if the body was truncated.
    pub(crate) is_truncated: bool,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn request_id(&self) -> Option<&str> {
        let names = ["x-request-id", "request-id"];
        names.into_iter().find_map(|name| self.header(name))
    }

    /// Creates a response without headers and body, for tests.
    #[cfg(feature = "testing")]
    pub(crate) fn with_status(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// Adds a header, for tests.
    ///
    /// # Panics
    ///
    /// Panics if the name or the value is not valid in HTTP.
    #[cfg(feature = "testing")]
    pub(crate) fn add_header(&mut self, name: &str, value: &str) {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a valid header name");
        let value = HeaderValue::from_str(value).expect("a valid header value");
        self.headers.append(name, value);
    }

    /// Redacts the key, which a service may echo in an error response.
    pub(crate) fn redacted(mut self, key: Option<&ApiKey>) -> Self {
        let Some(key) = key else { return self };
        let body = String::from_utf8_lossy(&self.body.bytes);
        if let Some(redacted) = key.redact(&body, self.is_truncated) {
            self.body = Body::new(redacted);
        }
        for value in self.headers.values_mut() {
            let text = String::from_utf8_lossy(value.as_bytes());
            if key.redact(&text, false).is_some() {
                *value = HeaderValue::from_static("[redacted]");
            }
        }
        self
    }
}
