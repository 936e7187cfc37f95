//! A processed request: its reply, and its violations of the specification.

use std::fmt;

use serde::Serialize;

use super::endpoints::Endpoint;
use super::problems::{Problem, ProblemKind, Problems};
use super::reply::Reply;
use super::request::Request;
use super::world::World;
use crate::redaction::Secrets;

/// A request that the engine has processed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Processed {
    /// The response.
    pub(crate) reply: Reply,
    /// `true` if the world has to be stored: a write succeeded, or the request counts against a rate
    /// limit that was set with [`World::set_rate_limit`](crate::World::set_rate_limit). Counts
    /// against the default limit are not stored.
    pub(crate) changed: bool,
    /// The endpoint, if one has this path and method.
    pub(crate) endpoint: Option<Endpoint>,
    /// The problem for which the request was rejected.
    pub(crate) rejection: Option<ProblemKind>,
    /// At most [`Violation::MAX_PER_REQUEST`]. Under a lenient dialect, a successful request can
    /// have violations.
    pub(crate) violations: Vec<Violation>,
}

/// A violation of the specification by a request.
///
/// Violations depend only on the request: they are the same under every dialect.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// // … the client under test runs …
/// for violation in server.report().violations() {
///     println!("{} {}: {}", violation.method, violation.path, violation.found);
/// }
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The rule; in JSON its name.
    pub rule: ProblemKind,
    /// The section of the specification that states the rule.
    pub section: &'static str,
    /// The rule as a sentence.
    pub requirement: &'static str,
    /// The problem, such as "bio has 12 lines; at most 10 are allowed". Never contains a key.
    pub found: String,
    /// The invalid field or query parameter, if any.
    pub field: Option<String>,
    /// The method of the request.
    pub method: String,
    /// The path of the endpoint, such as `/api/v1/me/links/{id}`, or the path of the request if no
    /// endpoint has it.
    pub path: String,
}

impl Violation {
    /// The maximum number of violations that are recorded for one request.
    pub const MAX_PER_REQUEST: usize = 32;

    /// The maximum length of a string in a violation, in characters; longer strings end in `…`.
    pub const MAX_TEXT_LENGTH: usize = 300;
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            section,
            found,
            method,
            path,
            ..
        } = self;
        write!(f, "{method} {path}: {found} (section {section})")
    }
}

/// Returns the problems of a request that are violations of the specification.
pub(crate) fn violations(
    problems: &Problems,
    endpoint: Option<Endpoint>,
    request: &Request,
    world: &World,
) -> Vec<Violation> {
    let violated = problems.iter().filter_map(|problem| {
        let kind = problem.kind();
        let is_automatic = (kind == ProblemKind::MethodNotAllowed && is_automatic(request))
            || (kind == ProblemKind::PathOutsideApi && is_of_browser(request));
        let rule = kind.rule()?;
        (!is_automatic && is_stated(kind, endpoint)).then_some((problem, rule))
    });
    let mut violated = violated.take(Violation::MAX_PER_REQUEST).peekable();
    if violated.peek().is_none() {
        return Vec::new();
    }
    let other_keys = world.other_keys();
    let secrets = Secrets::new(&request.headers, &other_keys);
    let shorten = |text: &str| shorten(&secrets.redact(text));
    let violation = |(problem, (section, requirement)): (&Problem, _)| Violation {
        rule: problem.kind(),
        section,
        requirement,
        found: shorten(&problem.to_string()),
        field: problem.field().map(shorten),
        method: shorten(&request.method),
        path: endpoint.map_or_else(|| shorten(&request.path), |one| one.path().to_owned()),
    };
    violated.map(violation).collect()
}

/// Returns `true` for methods that browsers and monitors send by themselves: HEAD, and OPTIONS as a
/// CORS preflight.
fn is_automatic(request: &Request) -> bool {
    let mut preflight = request.header_values("access-control-request-method");
    match request.method.as_str() {
        "HEAD" => true,
        "OPTIONS" => preflight.next().is_some(),
        _ => false,
    }
}

/// Returns `true` for the files that browsers and crawlers look for by themselves.
fn is_of_browser(request: &Request) -> bool {
    let path = &*request.path;
    let is_icon = path.starts_with("/apple-touch-icon") && path.ends_with(".png");
    let is_known =
        matches!(path, "/favicon.ico" | "/robots.txt") || path.starts_with("/.well-known/");
    matches!(&*request.method, "GET" | "HEAD") && (is_icon || is_known)
}

/// Returns `true` if the specification states the rule for this endpoint.
fn is_stated(kind: ProblemKind, endpoint: Option<Endpoint>) -> bool {
    let is_of_profile = endpoint == Some(Endpoint::EditProfile);
    let requires_key = endpoint.is_some_and(Endpoint::requires_key);
    (kind != ProblemKind::UnknownField || is_of_profile)
        && (kind != ProblemKind::KeyMissing || requires_key)
}

/// Limits the length, since a client may send strings of any length.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(Violation::MAX_TEXT_LENGTH) {
        Some(_) => text
            .chars()
            .take(Violation::MAX_TEXT_LENGTH - 1)
            .chain(['…'])
            .collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_long_strings_between_characters() {
        let longest = "é".repeat(Violation::MAX_TEXT_LENGTH);
        assert_eq!(shorten(&longest), longest);
        let cut = shorten(&(longest + "é"));
        assert_eq!(cut.chars().count(), Violation::MAX_TEXT_LENGTH);
        assert!(cut.ends_with("é…"));
    }
}
