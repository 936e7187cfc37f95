//! A rule that one request broke.

use serde::Serialize;

use super::rule::Rule;

/// A rule of the specification that a client broke, and with what.
///
/// Violations are about what was sent: the same request gives the same ones under every dialect.
///
/// ```
/// use mock_server::{Request, Rule, World};
///
/// let mut world = World::new(0);
/// let request = Request::new("PATCH", "/api/v1/me/profile")
///     .header("Authorization", format!("Bearer {}", world.keys().all))
///     .header("Content-Type", "application/json")
///     .body(r#"{"nickname": "Ada"}"#);
/// let violation = &world.handle(&request).violations[0];
/// assert_eq!(violation.rule, Rule::UnknownField);
/// assert_eq!(violation.field.as_deref(), Some("nickname"));
/// assert!(violation.found.starts_with("the field nickname is unknown"));
/// assert_eq!((&*violation.method, &*violation.path), ("PATCH", "/api/v1/me/profile"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The rule; JSON has its name.
    pub rule: Rule,
    /// The section of the specification that states it.
    pub section: &'static str,
    /// What it asks for.
    pub sentence: &'static str,
    /// What was found, such as "bio has 12 lines; at most 10 are allowed". Never a key.
    pub found: String,
    /// The field or query parameter that is to blame, where one is.
    pub field: Option<String>,
    /// The method that was sent.
    pub method: String,
    /// The path of the endpoint, such as `/api/v1/me/links/{id}`, or the path that was sent when it
    /// is no endpoint's.
    pub path: String,
}

impl Violation {
    /// No request is told more violations than this.
    pub const MOST_IN_ONE_REQUEST: usize = 32;

    /// No text of a violation has more characters than this; what is longer ends in `…`.
    pub const LONGEST_TEXT: usize = 300;
}
