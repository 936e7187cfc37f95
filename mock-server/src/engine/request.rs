//! The HTTP request to the engine.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use http::Version;
use http::uri::Authority;

use super::{Problem, bearer_token};
use crate::input::{InvalidInput, Result};
use crate::redaction::{SafeUrl, Secrets};

/// An HTTP request as plain values.
///
/// ```
/// use mock_server::Request;
///
/// let request = Request::new("GET", "/api/v1/users/grace/stats?days=7")
///     .header("Authorization", "Bearer some-key");
/// assert_eq!(request.path, "/api/v1/users/grace/stats");
/// assert_eq!(request.query.as_deref(), Some("days=7"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Request {
    /// The method, such as `PATCH`; methods are case-sensitive.
    pub method: String,
    /// The percent-encoded path without the query.
    pub path: String,
    /// The percent-encoded query without the `?`.
    pub query: Option<String>,
    /// The names and values of the headers in their order. Names are case-insensitive.
    pub headers: Vec<(String, String)>,
    /// The body; empty if the request has no body.
    pub body: Vec<u8>,
    /// The length of a body that a transport discarded because it exceeds the limit.
    discarded: Option<usize>,
    /// The target as it was sent, without user and password, unless it is the path and the query.
    pub(crate) sent: Option<Box<str>>,
    pub(crate) version: Version,
    /// `true` if it has the key of a world that was deleted. Then its violations do not count.
    pub(crate) is_lost: bool,
}

impl Request {
    /// Creates a request without headers and body. `target` is a path, optionally with a query.
    pub fn new(method: impl Into<String>, target: &str) -> Self {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (target, None),
        };
        Self {
            method: method.into(),
            path: path.to_owned(),
            query,
            headers: Vec::new(),
            body: Vec::new(),
            discarded: None,
            sent: None,
            version: Version::HTTP_11,
            is_lost: false,
        }
    }

    /// Adds a header. Existing headers with the same name are kept.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body, but not the header `Content-Type`.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the length of a body that was discarded.
    pub(crate) fn discarded_body(mut self, length: usize) -> Self {
        self.discarded = Some(length);
        self
    }

    /// Discards the rest of the body after this number of bytes.
    pub(crate) fn discard_body_after(&mut self, length: usize) {
        self.discarded = Some(self.body_length());
        self.body.truncate(length);
        self.body.shrink_to_fit();
    }

    /// Returns the length of the body in bytes, even if the body was discarded.
    pub(crate) fn body_length(&self) -> usize {
        self.discarded.unwrap_or(self.body.len())
    }

    /// Rejects the given content types unless there is only `application/json`.
    pub(crate) fn check_content_type(&self) -> Result<(), Problem> {
        let given: Vec<_> = self.header_values("content-type").collect();
        let is_json = |content_type: &str| {
            let essence = content_type.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case("application/json")
        };
        let found = match given[..] {
            [content_type] if is_json(content_type) => return Ok(()),
            [] => "missing".to_owned(),
            _ => given.join(" and "),
        };
        Err(Problem::WrongContentType { found })
    }

    /// Rejects the content encodings or the character set unless the body is plain UTF-8.
    pub(crate) fn check_encoding(&self) -> Result<(), Problem> {
        let is_identity =
            |coding: &&str| coding.is_empty() || coding.eq_ignore_ascii_case("identity");
        let codings = self.header_values("content-encoding");
        let codings = codings.flat_map(|value| value.split(',')).map(str::trim);
        let mut found: Vec<_> = codings.filter(|coding| !is_identity(coding)).collect();
        let content_type = self.header_values("content-type").next();
        let mut parameters = content_type.unwrap_or_default().split(';').skip(1);
        let charset = parameters.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then_some(value.trim().trim_matches('"'))
        });
        let is_utf8 = |charset: &&str| {
            let mut names = ["utf-8", "utf8", "us-ascii"].iter();
            names.any(|name| charset.eq_ignore_ascii_case(name))
        };
        found.extend(charset.filter(|charset| !is_utf8(charset)));
        if found.is_empty() {
            return Ok(());
        }
        let found = found.join(", ");
        Err(Problem::UnsupportedEncoding { found })
    }

    /// Returns the origin of the page that sent the request, if it is not this server.
    pub(crate) fn foreign_origin(&self) -> Option<&str> {
        let host = self.header_values("host").next();
        let host = host.and_then(|host| host.parse::<Authority>().ok());
        let is_own = |origin| host.as_ref().is_some_and(|host| is_own(origin, host));
        self.header_values("origin").find(|origin| !is_own(origin))
    }

    /// Returns `true` if a web page of another origin sent the request, or one of this origin under a name of
    /// another server that resolves to this machine.
    pub(crate) fn is_cross_origin(&self, own: &OwnHosts) -> bool {
        let mut sites = self.header_values("sec-fetch-site").peekable();
        let is_of_page = sites.peek().is_some() || self.header_values("origin").next().is_some();
        let is_rebound = || self.header_values("host").any(|host| !own.contains(host));
        let is_same_site = |site: &str| site.eq_ignore_ascii_case("same-site");
        is_of_page
            && (sites.any(is_same_site)
                || self.is_cross_site()
                || self.foreign_origin().is_some()
                || is_rebound())
    }

    /// Returns `true` if a browser reports that a page of another site sent the request.
    pub(crate) fn is_cross_site(&self) -> bool {
        let mut sites = self.header_values("sec-fetch-site");
        sites.any(|site| site.eq_ignore_ascii_case("cross-site"))
    }

    /// Returns `true` for the request with which a browser asks for permission to send another one.
    pub(crate) fn is_preflight(&self) -> bool {
        let mut asked = self.header_values("access-control-request-method");
        self.method == "OPTIONS" && asked.next().is_some()
    }

    /// Returns the value of the first `Authorization` header.
    pub(crate) fn authorization(&self) -> Option<&str> {
        self.header_values("authorization").next()
    }

    /// Returns the key in the first `Authorization` header.
    pub(crate) fn key(&self) -> Option<&str> {
        self.authorization().and_then(bearer_token)
    }

    /// Returns the target as it was sent, without user and password.
    pub(crate) fn target(&self) -> Cow<'_, str> {
        match (&self.sent, &self.query) {
            (Some(sent), _) => Cow::Borrowed(sent),
            (None, Some(query)) => format!("{}?{query}", self.path).into(),
            (None, None) => Cow::Borrowed(&self.path),
        }
    }

    /// Returns the secrets that texts about the request may contain.
    pub(crate) fn secrets(&self, other_keys: &[String]) -> Secrets {
        Secrets::new(&self.headers, &[&self.path, &self.target()], other_keys)
    }

    pub(crate) fn header_values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// The names of this server: IP addresses, `localhost`, and those that were added. A web page cannot have one of
/// the former, but can make any other name resolve to this machine (DNS rebinding).
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnHosts(Vec<String>);

impl OwnHosts {
    pub(crate) fn add(&mut self, name: &str) -> Result<()> {
        let host = name.strip_suffix('.').unwrap_or(name);
        let authority: Option<Authority> = host.parse().ok();
        if authority.is_none_or(|authority| authority.host() != host || host.contains('@')) {
            let name = SafeUrl(name);
            let message =
                format!("`{name}` is not a host name; expected one without a port, such as mock");
            return Err(InvalidInput::new("invalid_host", message));
        }
        self.0.push(host.to_owned());
        Ok(())
    }

    /// Returns `true` if a `Host` header names this server.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let host: Option<Authority> = text.parse().ok();
        host.is_some_and(|host| is_host(text, &host) && self.is_allowed(host.host()))
    }

    fn is_allowed(&self, host: &str) -> bool {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let mut allowed = self.0.iter();
        address.parse::<IpAddr>().is_ok()
            || name == "localhost"
            || name.ends_with(".localhost")
            || allowed.any(|allowed| allowed.eq_ignore_ascii_case(&name))
    }
}

/// Returns `true` if the text is the host of an authority, with or without a port. The parser also
/// accepts a user name, and text after the bracket of an IPv6 address.
fn is_host(text: &str, authority: &Authority) -> bool {
    let rest = text.strip_prefix(authority.host());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Returns an authority without user and password.
pub(crate) fn host(authority: &str) -> &str {
    authority.rsplit('@').next().unwrap_or_default()
}

/// Returns `true` if the origin has the scheme, host and port of this server.
fn is_own(origin: &str, host: &Authority) -> bool {
    let port = |authority: &Authority| authority.port_u16().unwrap_or(80);
    let authority = origin.strip_prefix("http://").map(str::parse::<Authority>);
    let Some(Ok(authority)) = authority else {
        return false;
    };
    authority.host().eq_ignore_ascii_case(host.host()) && port(&authority) == port(host)
}

impl fmt::Debug for Request {
    /// Omits the values of the headers, since they contain the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("headers", &names)
            .field("body", &String::from_utf8_lossy(&self.body))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_the_key() {
        let request = Request::new("GET", "/api/v1/me").header("Authorization", "Bearer canary");
        assert!(!format!("{request:?}").contains("canary"));
    }
}
