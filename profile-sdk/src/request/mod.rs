//! A request as a plain value, and the headers of all requests.

pub(crate) mod operation;

pub use operation::{Method, Operation};

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;

use crate::text::quoted_start;
use crate::values::url_parameters::segment;
use crate::values::{ApiKey, InvalidValue};

/// A request that has not been sent.
///
/// Returned by [`Call::request`](crate::Call::request). It does not contain the key, unless the
/// caller passed it to a [raw call](crate::Client::raw_call) in the path, the query or the body.
///
/// ```
/// use profile_sdk::{Client, Days, Handle};
///
/// let client = Client::builder().base_url("https://profiles.example").build()?;
/// let call = client.user_stats(&Handle::new("a/b")?, Days::new(7)?);
/// let request = call.request().expect("a valid call");
/// assert_eq!(request.method().as_str(), "GET");
/// assert_eq!(request.path(), "/api/v1/users/a%2Fb/stats");
/// assert_eq!(request.query(), Some("days=7"));
/// assert_eq!(request.body(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    operation: Operation,
    path: String,
    query: Option<String>,
    /// The headers of this request only, marked as sensitive.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Option<Bytes>,
}

impl Request {
    /// Creates a request to a path without parameters.
    pub(crate) fn new(operation: Operation) -> Self {
        let path = operation.path_template().to_owned();
        Self::with_path(operation, path)
    }

    /// Creates a request with another path than that of the operation.
    pub(crate) fn with_path(operation: Operation, path: String) -> Self {
        Self {
            path,
            operation,
            query: None,
            headers: Vec::new(),
            body: None,
        }
    }

    /// Creates a request with a parameter in its path, which is percent-encoded.
    pub(crate) fn with_parameter(operation: Operation, name: &str, value: &str) -> Self {
        let parameter = format!("{{{name}}}");
        let path = operation
            .path_template()
            .replace(&parameter, &segment(value).to_string());
        Self::with_path(operation, path)
    }

    /// Adds to the query what is already encoded.
    pub(crate) fn encoded_query(mut self, added: &str) -> Self {
        let query = self.query.get_or_insert_default();
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(added);
        self
    }

    /// Marks the request as idempotent.
    pub(crate) fn idempotent(mut self) -> Self {
        self.operation.idempotent = true;
        self
    }

    /// Sets a header of the caller, replacing one with the same name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Result<Self, InvalidValue> {
        let (name, value) = custom_header(name, value)?;
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value));
        Ok(self)
    }

    /// Sets the body, which is already JSON.
    pub(crate) fn json_text(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Adds a parameter to the query.
    pub(crate) fn query_parameter(self, name: &str, value: &str) -> Self {
        self.encoded_query(&format!("{}={}", segment(name), segment(value)))
    }

    /// Sets the body to a serialized value.
    pub(crate) fn json(self, body: &impl Serialize) -> Self {
        self.json_text(serde_json::to_vec(body).expect("structs of strings are valid JSON"))
    }

    /// Returns the endpoint.
    #[must_use]
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.operation.method()
    }

    /// Returns the percent-encoded path, starting with `/api/v1`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the percent-encoded query, without its question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Returns the body, which is JSON.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// Returns the handle or ID in the path, if the endpoint has one.
    pub(crate) fn resource(&self) -> Option<String> {
        let (before, parameter) = self.operation.path_template().split_once('{')?;
        let (_, after) = parameter.split_once('}')?;
        let encoded = self.path.strip_prefix(before)?.strip_suffix(after)?;
        Some(percent_decode_str(encoded).decode_utf8_lossy().into_owned())
    }
}

/// Headers that only the client sets, and those about the connection or the encoding of the body.
const RESERVED: &str = "accept accept-encoding authorization connection content-encoding content-length \
                        content-type expect host http2-settings keep-alive proxy-authorization \
                        proxy-connection te trailer transfer-encoding upgrade user-agent";

/// Combines the headers of the caller with those of the client.
pub(crate) fn default_headers(
    custom: &[(String, String)],
    user_agent: &str,
    api_key: Option<&ApiKey>,
) -> Result<HeaderMap, InvalidValue> {
    let mut headers = HeaderMap::new();
    for (name, value) in custom {
        let (name, value) = custom_header(name, value)?;
        headers.insert(name, value);
    }
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    let user_agent = HeaderValue::from_str(user_agent)
        .map_err(|_| InvalidValue::new("user agent", "contains a control character"))?;
    headers.insert(header::USER_AGENT, user_agent);
    if let Some(key) = api_key {
        set_key(&mut headers, key);
    }
    Ok(headers)
}

/// Sets the key, replacing another one.
pub(crate) fn set_key(headers: &mut HeaderMap, key: &ApiKey) {
    let bearer = sensitive(&format!("Bearer {}", key.expose()));
    let bearer = bearer.expect("a key consists of visible ASCII");
    headers.insert(header::AUTHORIZATION, bearer);
}

/// Parses a header of the caller. Errors show neither its value, which may be secret, nor an invalid
/// name.
fn custom_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), InvalidValue> {
    let found = quoted_start(name);
    let reject = |reason: &str| InvalidValue::new("header", format!("{found} {reason}"));
    // Not shown, because it may be a key in the wrong place.
    let invalid = |_| InvalidValue::new("header", "has a name that is not valid in HTTP");
    match HeaderName::from_bytes(name.as_bytes()).map_err(invalid)? {
        header::AUTHORIZATION => Err(reject(
            "is reserved for the key; use ClientBuilder::api_key",
        )),
        header::PROXY_AUTHORIZATION => Err(reject(
            "is reserved; put the user name and password into the URL of ClientBuilder::proxy",
        )),
        header::USER_AGENT => Err(reject("is reserved; use ClientBuilder::user_agent")),
        name if RESERVED.split(' ').any(|reserved| name == reserved) => {
            Err(reject("is reserved for the client; remove it"))
        }
        name => match sensitive(value) {
            Some(value) => Ok((name, value)),
            None => Err(reject("has a value that contains a control character")),
        },
    }
}

/// Creates a header value that is marked as sensitive, to keep it out of logs and out of the
/// compression table of HTTP/2.
fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Rejects a path that a URL parser would change. Dot segments are rejected even if they are
/// encoded, because URLs resolve them. The message quotes `redacted`.
pub(crate) fn check_path(path: &str, redacted: &str) -> Result<(), InvalidValue> {
    let reject = |reason: &str| {
        let found = quoted_start(redacted);
        Err(InvalidValue::new("path", format!("{found} {reason}")))
    };
    if !path.starts_with('/') || path.starts_with("//") {
        // Without the text, which may be a URL with a password.
        let example = Operation::ME.path_template();
        let reason =
            format!("does not start with exactly one slash; expected a path such as {example}");
        return Err(InvalidValue::new("path", reason));
    }
    if let Some(invalid) = path.chars().find(|c| !is_path_character(*c)) {
        return reject(&format!(
            "contains {invalid:?}, which is not allowed in a path; percent-encode it, and pass a query separately"
        ));
    }
    if path.split('%').skip(1).any(|after| !begins_with_hex(after)) {
        return reject("contains a % that is not followed by two hexadecimal digits; write %25");
    }
    let decoded = path.replace("%2e", ".").replace("%2E", ".");
    if decoded
        .split('/')
        .any(|segment| matches!(segment, "." | ".."))
    {
        return reject("contains the segment . or ..; remove it");
    }
    Ok(())
}

/// Rejects a query that a URL parser would change. The message quotes `redacted`.
pub(crate) fn check_query(query: &str, redacted: &str) -> Result<(), InvalidValue> {
    let is_kept = |c: char| c.is_ascii_graphic() && !"\"#<>'".contains(c);
    let Some(invalid) = query.chars().find(|c| !is_kept(*c)) else {
        return Ok(());
    };
    let found = quoted_start(redacted);
    let problem = "which is not allowed in a query; percent-encode it";
    let reason = format!("{found} contains {invalid:?}, {problem}");
    Err(InvalidValue::new("query", reason))
}

/// Returns `true` for the characters that RFC 3986 allows in a path, including `/` and `%`.
fn is_path_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/%".contains(character)
}

fn begins_with_hex(text: &str) -> bool {
    let digits = text.bytes().take(2).filter(u8::is_ascii_hexdigit);
    digits.count() == 2
}

#[cfg(test)]
mod tests {
    use super::{check_path, check_query, default_headers};
    use crate::values::ApiKey;

    #[test]
    fn a_valid_query_is_sent_unchanged() {
        let mut url = url::Url::parse("https://host/").unwrap();
        let kept: String = (' '..='~')
            .filter(|c| check_query(&c.to_string(), "").is_ok())
            .collect();
        url.set_query(Some(&kept));
        assert_eq!(url.query(), Some(kept.as_str()));
        for text in ["a b", "a#b", "a'b", "é", "a\nb"] {
            assert!(check_query(text, text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_valid_path_is_sent_unchanged() {
        let base = url::Url::parse("https://host/").unwrap();
        for path in [
            "/api/v1/me",
            "/",
            "/a//b/",
            "/a%2Fb/%252e%252e/...",
            "/-._~!$&'()*+,;=:@/%41",
            "/api/v1/users/a..b/stats",
        ] {
            check_path(path, path).unwrap();
            let mut url = base.clone();
            url.set_path(path);
            assert_eq!(url.path(), path);
            assert_eq!(url.host_str(), Some("host"));
        }
    }

    #[test]
    fn rejects_invalid_paths() {
        for (path, reason) in [
            ("/a/../b", "contains the segment . or ..; remove it"),
            ("/.", "contains the segment . or ..; remove it"),
            ("/a/%2e%2E/b", "contains the segment . or ..; remove it"),
            ("/a/.%2e", "contains the segment . or ..; remove it"),
            (
                "/a%2",
                "contains a % that is not followed by two hexadecimal digits; write %25",
            ),
            (
                "/a%zz",
                "contains a % that is not followed by two hexadecimal digits; write %25",
            ),
            (
                "/a?b=c",
                "contains '?', which is not allowed in a path; percent-encode it, and pass a query separately",
            ),
            (
                "/\\\\evil",
                "contains '\\\\', which is not allowed in a path; percent-encode it, and pass a query separately",
            ),
            (
                "/é",
                "contains 'é', which is not allowed in a path; percent-encode it, and pass a query separately",
            ),
        ] {
            let error = check_path(path, path).unwrap_err().to_string();
            assert_eq!(error, format!("path {path:?} {reason}"));
        }
        for path in [
            "",
            "api/v1/me",
            "https://ada:hush@evil",
            "//ada:hush@evil/x",
        ] {
            assert_eq!(
                check_path(path, path).unwrap_err().to_string(),
                "path does not start with exactly one slash; expected a path such as /api/v1/me"
            );
        }
        for text in ["/a b", "/a\nb", "/a\tb", "/a#b", "/a\0"] {
            assert!(check_path(text, text).is_err(), "{text:?}");
        }
    }

    fn error(name: &str, value: &str) -> String {
        let custom = [(name.to_owned(), value.to_owned())];
        let error = default_headers(&custom, "agent", None).unwrap_err();
        error.to_string()
    }

    #[test]
    fn rejects_reserved_headers() {
        for name in ["authorization", "Authorization", "AUTHORIZATION"] {
            assert_eq!(
                error(name, "Bearer x"),
                format!("header {name:?} is reserved for the key; use ClientBuilder::api_key")
            );
        }
        assert_eq!(
            error("User-Agent", "x"),
            "header \"User-Agent\" is reserved; use ClientBuilder::user_agent"
        );
        for name in ["Host", "TE", "Transfer-Encoding", "Keep-Alive", "Expect"] {
            assert_eq!(
                error(name, "evil"),
                format!("header {name:?} is reserved for the client; remove it")
            );
        }
    }

    #[test]
    fn rejects_invalid_headers_without_showing_what_may_be_secret() {
        assert_eq!(
            error("canary/42", "x"),
            "header has a name that is not valid in HTTP"
        );
        assert_eq!(
            error("x-secret", "hush\r\nx: y"),
            "header \"x-secret\" has a value that contains a control character"
        );
    }

    #[test]
    fn marks_secrets_as_sensitive() {
        let custom = [("x-gateway".to_owned(), "hush".to_owned())];
        let key = ApiKey::new("hush").unwrap();
        let headers = default_headers(&custom, "agent", Some(&key)).unwrap();
        assert!(headers["x-gateway"].is_sensitive() && headers["authorization"].is_sensitive());
        assert!(!format!("{headers:?}").contains("hush"));
        assert_eq!(headers["user-agent"], "agent");
    }
}
