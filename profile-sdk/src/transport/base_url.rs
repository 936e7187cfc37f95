//! The base URL of the service and the URL of its proxy.

use std::fmt;

use url::{Host, Position, Url};

use crate::request::Request;
use crate::request::operation::API_ROOT;
use crate::text::quoted_start;
use crate::values::InvalidValue;

/// A checked base URL. `Display` and `Debug` hide the path before an `@`, which may be a password after a
/// user name that was taken for the host.
#[derive(Clone)]
pub(crate) struct BaseUrl {
    url: Url,
    prefix: String,
}

impl BaseUrl {
    /// Parses a URL such as `http://host` or `https://host:port/prefix/`.
    pub(crate) fn parse(text: &str, plain_http_allowed: bool) -> Result<Self, InvalidValue> {
        let reject = |reason: String| Err(InvalidValue::new("base URL", reason));
        // Do not show the text: it may be the key, passed as the base URL by mistake.
        if !text.contains("://") {
            return reject("does not contain ://; expected a URL such as https://host".to_owned());
        }
        // Do not show a URL that may contain a password.
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(_) if text.contains('@') || text.contains("%40") => {
                return reject("is not a valid URL; expected one such as https://host".to_owned());
            }
            Err(error) => {
                let found = quoted_start(text);
                return reject(format!(
                    "{found} is not a valid URL ({error}); expected one such as https://host"
                ));
            }
        };
        if !url.username().is_empty() || url.password().is_some() {
            return reject("contains a user name or password; remove them".to_owned());
        }
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme();
            return reject(format!(
                "has the scheme {scheme}; expected https or http, as in https://host"
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return reject("has a query or fragment; remove everything from ? or # on".to_owned());
        }
        let prefix = url.path().trim_end_matches('/').to_owned();
        let base_url = Self { url, prefix };
        if !base_url.is_https() && !plain_http_allowed && !is_loopback(&base_url.url) {
            return reject(format!(
                "{base_url} would send requests unencrypted to another machine; use https, or call \
                 ClientBuilder::allow_plain_http"
            ));
        }
        if base_url.prefix.ends_with(API_ROOT) {
            return reject(format!(
                "ends with {API_ROOT}, which the client adds; remove it"
            ));
        }
        Ok(base_url)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns the host, without the brackets of an IPv6 address, and the port.
    #[cfg(feature = "tracing")]
    pub(crate) fn server(&self) -> (Option<&str>, Option<u16>) {
        let host = self.url.host_str();
        let address = host.map(|host| host.trim_matches(['[', ']']));
        (address, self.url.port_or_known_default())
    }

    /// Returns the full URL of a request.
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

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix.rsplit_once('@') {
            Some((_, rest)) => write!(f, "{}/***@{rest}", &self.url[..Position::BeforePath]),
            None => f.write_str(self.url.as_str()),
        }
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// Returns `true` if the host is certain to be this machine. Names that end in `.localhost` are
/// not: DNS may resolve them to another machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Parses the URL of an HTTP or HTTPS proxy, such as `http://host:port` or
/// `https://user:password@host:port`. It may contain a password, so errors do not show it.
pub(crate) fn parse_proxy(text: &str) -> Result<Url, InvalidValue> {
    let expected = "expected one such as http://host:3128";
    let reject = |reason: String| Err(InvalidValue::new("proxy", reason));
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) if text.contains("://") => {
            reject(format!("has the scheme {}; {expected}", url.scheme()))
        }
        _ => reject(format!("is not a valid URL; {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{BaseUrl, parse_proxy};
    use crate::request::{Operation, Request};

    #[test]
    fn joins_prefixes_and_trailing_slashes() {
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
    fn keeps_encoded_dots() {
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
    fn reports_why_a_url_is_rejected() {
        for (text, message) in [
            (
                "host",
                "base URL does not contain ://; expected a URL such as https://host",
            ),
            (
                "ftp://host",
                "base URL has the scheme ftp; expected https or http, as in https://host",
            ),
            (
                "localhost:8080",
                "base URL does not contain ://; expected a URL such as https://host",
            ),
            (
                "https://ho st",
                "base URL \"https://ho st\" is not a valid URL (invalid international domain name); \
                 expected one such as https://host",
            ),
            (
                "https://ada:hush@host",
                "base URL contains a user name or password; remove them",
            ),
            (
                "https://host/?x=1",
                "base URL has a query or fragment; remove everything from ? or # on",
            ),
            (
                "http://host",
                "base URL http://host/ would send requests unencrypted to another machine; \
                 use https, or call ClientBuilder::allow_plain_http",
            ),
            (
                "http://foo.localhost",
                "base URL http://foo.localhost/ would send requests unencrypted to another \
                 machine; use https, or call ClientBuilder::allow_plain_http",
            ),
            (
                "http://ada:80/hush@host",
                "base URL http://ada/***@host would send requests unencrypted to another machine; \
                 use https, or call ClientBuilder::allow_plain_http",
            ),
            (
                "https://ada:hush%40host",
                "base URL is not a valid URL; expected one such as https://host",
            ),
            (
                "https://host/x/api/v1/",
                "base URL ends with /api/v1, which the client adds; remove it",
            ),
            (
                "https://ada:hush@host:port",
                "base URL is not a valid URL; expected one such as https://host",
            ),
        ] {
            let invalid = BaseUrl::parse(text, false).unwrap_err();
            assert_eq!(invalid.to_string(), message);
        }
        assert!(BaseUrl::parse("http://host", true).is_ok());
        let url = BaseUrl::parse("https://ada:80/hush@host", false).unwrap();
        assert_eq!(format!("{url:?}"), r#""https://ada:80/***@host""#);
    }

    #[test]
    fn errors_do_not_show_the_password() {
        for (text, reason) in [
            ("host:3128", "is not a valid URL"),
            ("ada:hush@host:3128", "is not a valid URL"),
            ("http://ada:hush@host:port", "is not a valid URL"),
            ("socks5://ada:hush@host", "has the scheme socks5"),
        ] {
            let message = parse_proxy(text).err().unwrap().to_string();
            let expected = format!("proxy {reason}; expected one such as http://host:3128");
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn accepts_http_and_https_proxies() {
        for url in [
            "http://host",
            "https://host:1/x?y",
            "http://ada:hu%2Fsh@[::1]:3128",
        ] {
            assert!(reqwest::Proxy::all(parse_proxy(url).unwrap()).is_ok());
        }
    }
}
