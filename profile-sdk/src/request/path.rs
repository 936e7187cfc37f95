//! Paths and queries of raw calls.

use crate::values::InvalidValue;
use crate::values::invalid_value::quoted;

/// Rejects a path that a URL parser would change. Dot segments are rejected even if they are
/// encoded, because URLs resolve them. The message quotes `redacted`.
pub(crate) fn check_path(path: &str, redacted: &str) -> Result<(), InvalidValue> {
    let reject = |reason: &str| {
        let found = quoted(redacted);
        Err(InvalidValue::new("path", format!("{found} {reason}")))
    };
    if !path.starts_with('/') {
        return reject("does not start with a slash; expected a path such as /api/v1/me");
    }
    if path.starts_with("//") {
        return reject("starts with two slashes; expected one");
    }
    if let Some(invalid) = path.chars().find(|c| !is_path_character(*c)) {
        return reject(&format!(
            "contains {invalid:?}, which is not allowed in a path; percent-encode it, and pass a query separately"
        ));
    }
    if path.split('%').skip(1).any(|after| !begins_with_hex(after)) {
        return reject("contains a % that is not followed by two hexadecimal digits; write %25");
    }
    let dots = |segment: &str| {
        matches!(
            &*segment.replace("%2e", ".").replace("%2E", "."),
            "." | ".."
        )
    };
    if path.split('/').any(dots) {
        return reject("contains the segment . or ..; remove it");
    }
    Ok(())
}

/// Rejects a query that a URL parser would change. The message quotes `redacted`.
pub(crate) fn check_query(query: &str, redacted: &str) -> Result<(), InvalidValue> {
    let is_kept = |c: char| c.is_ascii_graphic() && !"\"#<>'".contains(c);
    match query.chars().find(|c| !is_kept(*c)) {
        None => Ok(()),
        Some(invalid) => {
            let found = quoted(redacted);
            let reason = format!(
                "{found} contains {invalid:?}, which is not allowed in a query; percent-encode it"
            );
            Err(InvalidValue::new("query", reason))
        }
    }
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
    use super::{check_path, check_query};

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
            (
                "",
                "does not start with a slash; expected a path such as /api/v1/me",
            ),
            (
                "api/v1/me",
                "does not start with a slash; expected a path such as /api/v1/me",
            ),
            (
                "https://evil",
                "does not start with a slash; expected a path such as /api/v1/me",
            ),
            ("//evil/x", "starts with two slashes; expected one"),
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
        for text in ["/a b", "/a\nb", "/a\tb", "/a#b", "/a\0"] {
            assert!(check_path(text, text).is_err(), "{text:?}");
        }
    }
}
