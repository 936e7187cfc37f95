//! Where the service is.

use url::{Host, Url};

use crate::Request;
use crate::values::invalid_value::{InvalidValue, quoted};

/// What the path of every endpoint begins with.
const API_ROOT: &str = "/api/v1";

/// A base URL that requests can be joined to and that a key may be sent to.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl {
    url: Url,
    prefix: String,
}

impl BaseUrl {
    /// Reads `http://host`, `https://host:port/prefix/` and the like.
    pub(crate) fn parse(text: &str, plain_http_allowed: bool) -> Result<Self, InvalidValue> {
        let refuse = |reason: String| Err(InvalidValue::new("base URL", reason));
        // What is no URL may be a key, where the two were mistaken for one another.
        if !text.contains("://") {
            let length = text.chars().count();
            return refuse(format!(
                "is a text of {length} characters without ://; expected one such as https://host"
            ));
        }
        // Nothing of a URL with userinfo may be shown, since it may hold a password.
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(_) if text.contains('@') => {
                return refuse("is not a URL; expected one such as https://host".to_owned());
            }
            Err(error) => {
                let found = quoted(text);
                return refuse(format!(
                    "{found} is not a URL ({error}); expected one such as https://host"
                ));
            }
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("holds a user name or password; remove them".to_owned());
        }
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme();
            return refuse(format!(
                "has the scheme {scheme}; expected https or http, as in https://host"
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("has a query or fragment; remove everything from ? or # on".to_owned());
        }
        if url.scheme() == "http" && !plain_http_allowed && !is_loopback(&url) {
            return refuse(format!(
                "{url} is neither HTTPS nor on this machine, so what is sent could be read on the \
                 way; use https, or allow plain HTTP"
            ));
        }
        let prefix = url.path().trim_end_matches('/').to_owned();
        if prefix.ends_with(API_ROOT) {
            return refuse(format!(
                "ends with {API_ROOT}, which every call adds; remove it"
            ));
        }
        Ok(Self { url, prefix })
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The full URL of a request.
    ///
    /// The path is encoded already and has no dot segment, so setting it changes nothing in it.
    pub(crate) fn join(&self, request: &Request) -> Url {
        let mut url = self.url.clone();
        if self.prefix.is_empty() {
            url.set_path(request.path());
        } else {
            url.set_path(&format!("{}{}", self.prefix, request.path()));
        }
        url.set_query(request.query());
        url
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))
    }
}

/// Whether it is this machine for certain. Other names are asked of DNS, also those that end in
/// `.localhost`.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::BaseUrl;
    use crate::{Operation, Request};

    #[test]
    fn a_prefix_and_trailing_slashes_are_kept_in_order() {
        for (base, expected) in [
            ("https://host", "https://host/api/v1/me/links/a%2Fb"),
            ("https://host/", "https://host/api/v1/me/links/a%2Fb"),
            (
                "http://localhost:8080/x/y/",
                "http://localhost:8080/x/y/api/v1/me/links/a%2Fb",
            ),
            ("http://[::1]:1/x", "http://[::1]:1/x/api/v1/me/links/a%2Fb"),
        ] {
            let request = Request::with_parameter(Operation::DELETE_LINK, "id", "a/b");
            let url = BaseUrl::parse(base, false).unwrap().join(&request);
            assert_eq!(url.as_str(), expected);
        }
    }

    #[test]
    fn encoded_dots_stay_encoded() {
        for (id, path) in [
            ("%2e%2e", "%252e%252e"),
            ("..%2f", "..%252f"),
            ("...", "..."),
        ] {
            let request = Request::with_parameter(Operation::DELETE_LINK, "id", id);
            let url = BaseUrl::parse("https://host/p", false)
                .unwrap()
                .join(&request);
            assert_eq!(url.path(), format!("/p/api/v1/me/links/{path}"));
        }
    }

    #[test]
    fn each_refusal_says_why() {
        for (text, message) in [
            (
                "host",
                "base URL is a text of 4 characters without ://; expected one such as https://host",
            ),
            (
                "ftp://host",
                "base URL has the scheme ftp; expected https or http, as in https://host",
            ),
            (
                "localhost:8080",
                "base URL is a text of 14 characters without ://; expected one such as https://host",
            ),
            (
                "https://ho st",
                "base URL \"https://ho st\" is not a URL (invalid international domain name); \
                 expected one such as https://host",
            ),
            (
                "https://ada:hush@host",
                "base URL holds a user name or password; remove them",
            ),
            (
                "https://host/?x=1",
                "base URL has a query or fragment; remove everything from ? or # on",
            ),
            (
                "http://host",
                "base URL http://host/ is neither HTTPS nor on this machine, \
                 so what is sent could be read on the way; \
                 use https, or allow plain HTTP",
            ),
            (
                "https://host/x/api/v1/",
                "base URL ends with /api/v1, which every call adds; remove it",
            ),
            (
                "https://ada:hush@host:port",
                "base URL is not a URL; expected one such as https://host",
            ),
        ] {
            assert_eq!(
                BaseUrl::parse(text, false).unwrap_err().to_string(),
                message
            );
        }
        assert!(BaseUrl::parse("http://host", true).is_ok());
    }
}
