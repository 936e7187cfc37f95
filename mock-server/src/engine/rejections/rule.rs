//! The rules of the specification that a client can break.

use std::fmt;

use serde::{Serialize, Serializer};

/// A rule that the specification states about requests.
///
/// The mock also rejects requests for reasons that the specification does not state. These are
/// not reported as violations: missing or unknown fields of links and posts, invalid URLs, duplicate
/// fields or parameters, bodies that are too large, and ids, handles and keys that do not exist.
///
/// ```
/// use mock_server::Rule;
///
/// assert_eq!(Rule::UnknownField.as_str(), "unknown_field");
/// assert_eq!(Rule::UnknownField.section(), "Errors");
/// assert!(Rule::UnknownField.requirement().contains("rejected as a whole"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The path is outside `/api/v1`.
    PathOutsideApi,
    /// The path starts with `/api/v1`, but no endpoint has it.
    UnknownPath,
    /// No endpoint with this path has the method.
    WrongMethod,
    /// The endpoint requires a key, but the request has none.
    KeyMissing,
    /// The Authorization header is not `Bearer <API_KEY>`, or it is repeated.
    MalformedAuthorization,
    /// The key lacks the scope.
    ScopeMissing,
    /// `GET /me` has a body.
    UnexpectedBody,
    /// `GET /badges` or `GET /stats` has a query parameter.
    UnexpectedParameter,
    /// The content type of the body is not `application/json`.
    WrongContentType,
    /// The body is not a JSON object.
    NotAJsonObject,
    /// An edit of the profile has a field that is not one of the six editable fields.
    UnknownField,
    /// A field is not a string; `null` is not a string either.
    WrongType,
    /// A string has too many characters.
    TooManyCharacters,
    /// A string has too many lines.
    TooManyLines,
    /// A color does not have the form `#rrggbb`.
    NotAColor,
    /// `days` is not an integer.
    DaysNotAnInteger,
    /// `days` is too small or too large.
    DaysOutOfRange,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 17] = [
        Self::PathOutsideApi,
        Self::UnknownPath,
        Self::WrongMethod,
        Self::KeyMissing,
        Self::MalformedAuthorization,
        Self::ScopeMissing,
        Self::UnexpectedBody,
        Self::UnexpectedParameter,
        Self::WrongContentType,
        Self::NotAJsonObject,
        Self::UnknownField,
        Self::WrongType,
        Self::TooManyCharacters,
        Self::TooManyLines,
        Self::NotAColor,
        Self::DaysNotAnInteger,
        Self::DaysOutOfRange,
    ];

    /// Returns the name of the rule.
    ///
    /// ```
    /// assert_eq!(mock_server::Rule::NotAColor.as_str(), "not_a_color");
    /// ```
    pub fn as_str(self) -> &'static str {
        self.definition().0
    }

    /// Returns the section of the specification that states the rule.
    ///
    /// ```
    /// assert_eq!(mock_server::Rule::TooManyLines.section(), "Limits");
    /// ```
    pub fn section(self) -> &'static str {
        self.definition().1
    }

    /// Returns the rule as a sentence.
    ///
    /// ```
    /// use mock_server::Rule;
    /// assert_eq!(Rule::NotAColor.requirement(), "Colors have the format #rrggbb.");
    /// ```
    pub fn requirement(self) -> &'static str {
        self.definition().2
    }

    #[rustfmt::skip]
    fn definition(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::PathOutsideApi => ("path_outside_api", "Versioning",
                "Every endpoint begins with /api/v1."),
            Self::UnknownPath => ("unknown_path", "Endpoints",
                "A request is sent to an endpoint that the specification lists."),
            Self::WrongMethod => ("wrong_method", "Endpoints",
                "An endpoint is called with the method that the specification lists for it."),
            Self::KeyMissing => ("key_missing", "Authentication",
                "The caller sends the header `Authorization: Bearer <API_KEY>`."),
            Self::MalformedAuthorization => ("malformed_authorization", "Authentication",
                "The Authorization header has the form `Bearer <API_KEY>`."),
            Self::ScopeMissing => ("scope_missing", "Authentication",
                "The key carries the scope that the operation requires."),
            Self::UnexpectedBody => ("unexpected_body", "Endpoints",
                "A request to GET /me has no body."),
            Self::UnexpectedParameter => ("unexpected_parameter", "Endpoints",
                "GET /badges and GET /stats have no parameters."),
            Self::WrongContentType => ("wrong_content_type", "Introduction",
                "Requests and responses use JSON."),
            Self::NotAJsonObject => ("not_a_json_object", "Endpoints",
                "The request body is a JSON object."),
            Self::UnknownField => ("unknown_field", "Errors",
                "PATCH /me/profile with a field that is not in the list of editable fields is rejected as a whole (unknown fields are never ignored)."),
            Self::WrongType => ("wrong_type", "Resources and their fields",
                "The editable fields of profiles, links and posts are strings."),
            Self::TooManyCharacters => ("too_many_characters", "Limits",
                "display_name has up to 32 characters, bio up to 300 and location up to 40."),
            Self::TooManyLines => ("too_many_lines", "Limits",
                "bio has up to 10 lines."),
            Self::NotAColor => ("not_a_color", "Limits",
                "Colors have the format #rrggbb."),
            Self::DaysNotAnInteger => ("days_not_an_integer", "Endpoints",
                "The query parameter days is an integer."),
            Self::DaysOutOfRange => ("days_out_of_range", "Limits",
                "days is 1 to 365 for the caller's own profile and 1 to 30 for other profiles."),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
