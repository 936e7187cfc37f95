//! Paths: the endpoint of a request, and the patterns of fault rules and the journal.
//!
//! A pattern is an exact path (`/me/profile`), a template (`/me/links/{id}`, where the braces match
//! one segment) or a prefix (`/me/*`). It is relative to `/api/v1` unless it starts with `/api/`.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::{BASE_PATH, Endpoint, Problem, Request};
use crate::input::{InvalidInput, Result};

/// Returns the endpoint of a request and its decoded path parameter. HEAD is routed like GET; the HTTP
/// layer omits the body.
pub(crate) fn route(request: &Request) -> Result<(Endpoint, Cow<'_, str>), Problem> {
    let mut allowed = Vec::new();
    let method = match request.method.as_str() {
        "HEAD" => "GET",
        other => other,
    };
    for &endpoint in Endpoint::ALL {
        let Some(parameter) = match_path(endpoint.path(), &request.path) else {
            continue;
        };
        if endpoint.method() == method {
            return Ok((endpoint, parameter));
        }
        allowed.push(endpoint.method());
    }
    if allowed.is_empty() {
        let path = request.path.clone();
        return Err(match is_in_api(&path) {
            true => Problem::UnknownPath { path },
            false => Problem::PathOutsideApi { path },
        });
    }
    let method = request.method.clone();
    Err(Problem::MethodNotAllowed { method, allowed })
}

fn is_in_api(path: &str) -> bool {
    let rest = path.strip_prefix(BASE_PATH);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns `true` if a percent-encoded path matches a pattern.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = full_path(pattern);
    match pattern.strip_suffix('*') {
        Some(beginning) => path.starts_with(beginning),
        None => match_path(&pattern, path).is_some(),
    }
}

/// Rejects a path that no endpoint has, unless it ends with `*`.
pub(crate) fn check(pattern: &str) -> Result<()> {
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
    let known = |endpoint: &Endpoint| endpoint.path().trim_start_matches(BASE_PATH);
    let mut known: Vec<_> = Endpoint::ALL.iter().map(known).collect();
    known.dedup();
    known.join(", ")
}

/// Matches a percent-encoded path against a template, in which a segment in braces matches any
/// segment that is not empty. Returns the decoded segment, or an empty string for a template without
/// braces.
fn match_path<'a>(template: &str, path: &'a str) -> Option<Cow<'a, str>> {
    let mut parameter = Cow::Borrowed("");
    // Faster in short texts than `split('/')`.
    let mut given = path.split(['/']);
    for expected in template.split(['/']) {
        let given = given.next()?;
        if expected.starts_with('{') && expected.ends_with('}') && !given.is_empty() {
            parameter = decode(given)?;
        } else if given != expected && decode(given)? != decode(expected)? {
            return None;
        }
    }
    given.next().is_none().then_some(parameter)
}

/// Decodes after the path was split: an encoded slash stays inside its segment.
fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_unknown_paths() {
        for path in [
            "",
            "/",
            "/api/v1",
            "/api/v2/me",
            "/me",
            "/api/v1/me/",
            "//api/v1/me",
            "/api/v1/ME",
            "/api/v1/users//stats",
            "/api/v1/users/a/b/stats",
            "/api/v1/users/%ff/stats",
        ] {
            assert!(route(&Request::new("GET", path)).is_err(), "{path}");
        }
    }

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
            ("/me", "/api/v1/m%65"),
            ("/m%65", "/api/v1/me"),
            ("/users/é", "/api/v1/users/%C3%A9"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/me", "/me"),
            ("/me", "/api/v1/me/"),
            ("/me", "/api/v1/me/links"),
            ("/me", "/api/v1/ME"),
            ("/me", "/api/v1//me"),
            ("/me/links", "/api/v1/me"),
            ("/me/links/{id}", "/api/v1/me/links/"),
            ("/me/links/{id}", "/api/v1/me/links/a/b"),
            ("/me/links/*", "/api/v1/me/links"),
            ("/users/a/b", "/api/v1/users/a%2Fb"),
            ("/users/{handle}/stats", "/api/v1/users/%ff/stats"),
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

    #[test]
    fn a_parameter_is_one_decoded_segment() {
        for (segment, expected) in [
            ("grace", "grace"),
            ("a%2Fb", "a/b"),
            ("%C3%A9", "é"),
            ("%2e%2e", ".."),
            ("100%", "100%"),
            ("a+b", "a+b"),
            ("{handle}", "{handle}"),
        ] {
            let path = format!("/users/{segment}/stats");
            let found = match_path("/users/{handle}/stats", &path);
            assert_eq!(found.as_deref(), Some(expected), "{segment}");
        }
    }
}
