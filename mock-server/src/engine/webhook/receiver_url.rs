//! The URL of a webhook receiver.

use std::fmt;

use http::Uri;
use serde::{Deserialize, Serialize};
use url::{Position, Url};

use crate::input::InvalidInput;

/// The absolute `http://` URL of a receiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ReceiverUrl(Url);

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

impl std::str::FromStr for ReceiverUrl {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<Self, InvalidInput> {
        let not_absolute = |reason: &dyn fmt::Display| {
            invalid(format!(
                "the webhook URL `{text}` is not valid ({reason}); expected an absolute URL such \
                 as http://127.0.0.1:8080/"
            ))
        };
        let url = Url::parse(text).map_err(|reason| not_absolute(&reason))?;
        if url.scheme() != "http" {
            return Err(invalid(format!(
                "the webhook URL `{text}` has the scheme {}, which the mock server does not support; \
                 expected an http:// URL",
                url.scheme()
            )));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid(
                "the webhook URL contains a user name or password; remove it",
            ));
        }
        match target(&url) {
            Ok(_) => Ok(Self(url)),
            Err(reason) => Err(not_absolute(&reason)),
        }
    }
}

impl fmt::Display for ReceiverUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl TryFrom<String> for ReceiverUrl {
    type Error = InvalidInput;

    fn try_from(text: String) -> Result<Self, InvalidInput> {
        text.parse()
    }
}

impl From<ReceiverUrl> for String {
    fn from(url: ReceiverUrl) -> Self {
        url.0.into()
    }
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_url", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn rejects(text: &str, message: &str) {
        let error = text.parse::<ReceiverUrl>().unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn rejects_other_urls_with_the_reason() {
        rejects(
            "https://example.com/hooks",
            "the webhook URL `https://example.com/hooks` has the scheme https, which the mock server \
             does not support; expected an http:// URL",
        );
        rejects(
            "/hooks",
            "the webhook URL `/hooks` is not valid (relative URL without a base); expected an \
             absolute URL such as http://127.0.0.1:8080/",
        );
        rejects(
            "ftp://example.com/",
            "the webhook URL `ftp://example.com/` has the scheme ftp, which the mock server does not \
             support; expected an http:// URL",
        );
        rejects(
            "http://ada:pass@example.com/",
            "the webhook URL contains a user name or password; remove it",
        );
    }

    #[test]
    fn returns_the_parts_of_a_request() {
        let url: ReceiverUrl = "http://[::1]:81/a b?c=|#d".parse().unwrap();
        assert_eq!(url.host_and_port(), "[::1]:81");
        assert_eq!(url.authority(), "[::1]:81");
        assert_eq!(url.target(), "/a%20b?c=|");
        let url: ReceiverUrl = "http://localhost".parse().unwrap();
        assert_eq!(url.host_and_port(), "localhost:80");
        assert_eq!(url.target(), "/");
    }
}
