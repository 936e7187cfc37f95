//! The headers of all requests.

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::text::quoted_start;
use crate::values::{ApiKey, InvalidValue};

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
pub(crate) fn custom_header(
    name: &str,
    value: &str,
) -> Result<(HeaderName, HeaderValue), InvalidValue> {
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

#[cfg(test)]
mod tests {
    use crate::request::headers::default_headers;
    use crate::values::ApiKey;

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
