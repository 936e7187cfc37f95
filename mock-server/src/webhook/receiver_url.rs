//! Where deliveries go.

use std::fmt;

use hyper::Uri;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The absolute `http://` URL of a receiver.
///
/// ```
/// use mock_server::ReceiverUrl;
///
/// let url: ReceiverUrl = "http://127.0.0.1:8080/hooks?team=1".parse()?;
/// assert_eq!(url.to_string(), "http://127.0.0.1:8080/hooks?team=1");
/// assert!("https://example.com/".parse::<ReceiverUrl>().is_err());
/// # Ok::<(), mock_server::InvalidReceiverUrl>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReceiverUrl(Url);

impl ReceiverUrl {
    /// Host and port as a resolver takes them: an IPv6 address without its brackets.
    pub(super) fn host_and_port(&self) -> (String, u16) {
        let host = match self.0.host() {
            Some(Host::Ipv6(address)) => address.to_string(),
            Some(host) => host.to_string(),
            None => String::new(),
        };
        (host, self.0.port().unwrap_or(80))
    }

    /// The value of the `Host` header.
    pub(super) fn authority(&self) -> &str {
        self.0.authority()
    }

    /// Path and query, as the request line has them.
    pub(super) fn target(&self) -> Uri {
        target(&self.0).expect("the target was read when the URL was made")
    }
}

fn target(url: &Url) -> Result<Uri, hyper::http::uri::InvalidUri> {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()).parse(),
        None => url.path().parse(),
    }
}

impl std::str::FromStr for ReceiverUrl {
    type Err = InvalidReceiverUrl;

    fn from_str(text: &str) -> Result<Self, InvalidReceiverUrl> {
        let text = || text.to_owned();
        let url = Url::parse(&text()).map_err(|reason| InvalidReceiverUrl::NotAUrl {
            found: text(),
            reason: reason.to_string(),
        })?;
        match url.scheme() {
            "http" => {}
            "https" => return Err(InvalidReceiverUrl::Https { found: text() }),
            _ => return Err(InvalidReceiverUrl::OtherScheme { found: text() }),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidReceiverUrl::Credentials);
        }
        match target(&url) {
            Ok(_) => Ok(Self(url)),
            Err(reason) => Err(InvalidReceiverUrl::NotAUrl {
                found: text(),
                reason: reason.to_string(),
            }),
        }
    }
}

impl fmt::Display for ReceiverUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.as_str())
    }
}

impl TryFrom<String> for ReceiverUrl {
    type Error = InvalidReceiverUrl;

    fn try_from(text: String) -> Result<Self, InvalidReceiverUrl> {
        text.parse()
    }
}

impl From<ReceiverUrl> for String {
    fn from(url: ReceiverUrl) -> Self {
        url.0.into()
    }
}

/// Why a text names no receiver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidReceiverUrl {
    /// It is no absolute URL.
    #[error("the webhook URL `{found}` is not absolute ({reason}); http://127.0.0.1:8080/ is one")]
    NotAUrl {
        /// The text.
        found: String,
        /// Why not.
        reason: String,
    },
    /// It asks for TLS.
    #[error(
        "the webhook URL `{found}` is https, and the mock server delivers over plain http alone; \
         give the receiver an http:// port on this machine"
    )]
    Https {
        /// The text.
        found: String,
    },
    /// It has another scheme than `http`.
    #[error(
        "the webhook URL `{found}` has another scheme than http; http://127.0.0.1:8080/ is one"
    )]
    OtherScheme {
        /// The text.
        found: String,
    },
    /// It has a user name or a password, which are not repeated here.
    #[error("the webhook URL has a user name or password; deliveries are signed, so leave it out")]
    Credentials,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuse(text: &str, message: &str) {
        let error = text.parse::<ReceiverUrl>().unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn other_urls_are_refused_with_the_reason() {
        refuse(
            "https://example.com/hooks",
            "the webhook URL `https://example.com/hooks` is https, and the mock server delivers \
             over plain http alone; give the receiver an http:// port on this machine",
        );
        refuse(
            "/hooks",
            "the webhook URL `/hooks` is not absolute (relative URL without a base); \
             http://127.0.0.1:8080/ is one",
        );
        refuse(
            "ftp://example.com/",
            "the webhook URL `ftp://example.com/` has another scheme than http; \
             http://127.0.0.1:8080/ is one",
        );
        refuse(
            "http://ada:pass@example.com/",
            "the webhook URL has a user name or password; deliveries are signed, so leave it out",
        );
    }

    #[test]
    fn the_parts_are_what_a_request_needs() {
        let url: ReceiverUrl = "http://[::1]:81/a b?c=|#d".parse().unwrap();
        assert_eq!(url.host_and_port(), ("::1".to_owned(), 81));
        assert_eq!(url.authority(), "[::1]:81");
        assert_eq!(url.target(), "/a%20b?c=|");
        let url: ReceiverUrl = "http://localhost".parse().unwrap();
        assert_eq!(url.host_and_port(), ("localhost".to_owned(), 80));
        assert_eq!(url.target(), "/");
    }
}
