//! Paths in fault rules and in patterns of the journal.
//!
//! A pattern is an exact path (`/me/profile`), a template (`/me/links/{id}`, where the braces match
//! one segment) or a prefix (`/me/*`). It is relative to `/api/v1` unless it starts with `/api/`.

use std::borrow::Cow;

use super::endpoints::{BASE_PATH, Endpoint};
use super::path_template::match_path;
use crate::input::InvalidInput;

/// Returns `true` if a percent-encoded path matches a pattern.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = full_path(pattern);
    match pattern.strip_suffix('*') {
        Some(beginning) => path.starts_with(beginning),
        None => match_path(&pattern, path).is_some(),
    }
}

/// Rejects a path that no endpoint has, unless it ends with `*`.
pub(crate) fn check(pattern: &str) -> Result<(), InvalidInput> {
    let full = full_path(pattern);
    let is_path_of = |endpoint: &Endpoint| {
        match_path(endpoint.path(), &full).is_some() || match_path(&full, endpoint.path()).is_some()
    };
    if pattern.ends_with('*') || Endpoint::ALL.iter().any(is_path_of) {
        return Ok(());
    }
    let message = format!(
        "no endpoint has the path `{pattern}`; expected one of {}, or a prefix that ends with *",
        known_paths()
    );
    Err(InvalidInput::new("unmatchable_pattern", message))
}

fn full_path(path: &str) -> Cow<'_, str> {
    if path.starts_with("/api/") {
        return Cow::Borrowed(path);
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Cow::Owned(format!("{BASE_PATH}{slash}{path}"))
}

/// Lists the paths of all endpoints, each once and without `/api/v1`.
fn known_paths() -> String {
    let mut known: Vec<_> = Endpoint::ALL
        .iter()
        .map(|endpoint| endpoint.path().trim_start_matches(BASE_PATH))
        .collect();
    known.dedup();
    known.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_exact_paths_templates_and_prefixes() {
        for (pattern, path) in [
            ("/me", "/api/v1/me"),
            ("me", "/api/v1/me"),
            ("/api/v1/me", "/api/v1/me"),
            ("/users/grace/stats", "/api/v1/users/%67race/stats"),
            ("/me/links/{id}", "/api/v1/me/links/link_1"),
            ("/me/links/*", "/api/v1/me/links/link_1"),
            ("/me*", "/api/v1/me"),
            ("/api/*", "/api/v2/me"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/me", "/me"),
            ("/me", "/api/v1/me/"),
            ("/me/links/{id}", "/api/v1/me/links/"),
            ("/me/links/{id}", "/api/v1/me/links/a/b"),
            ("/me/links/*", "/api/v1/me/links"),
            ("/users/a/b", "/api/v1/users/a%2Fb"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn rejects_a_path_that_no_endpoint_has() {
        for pattern in [
            "/me",
            "me",
            "/me/links/link_1",
            "/me/links/{id}",
            "/users/{handle}/stats",
            "/{any}",
            "/nothing/*",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
        for pattern in [
            "/me/link",
            "/me/",
            "/me/links/",
            "/api/v2/me",
            "/api/v1",
            "/me?a=b",
        ] {
            let error = check(pattern).unwrap_err().to_string();
            let expected = format!("no endpoint has the path `{pattern}`; expected one of /me, ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
