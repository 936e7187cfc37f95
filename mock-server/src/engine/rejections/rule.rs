//! The rules of the specification that a client can break.

use std::fmt;

use serde::{Serialize, Serializer};

/// A rule that the specification states about requests.
///
/// What the service decides where the specification is silent is no rule of this kind: which fields
/// of a link or post are required, unknown fields in their bodies, what a URL is, a field or
/// parameter that comes twice, the size of a body, and ids, handles and keys that do not exist. A
/// client that runs into one of these meets a refusal, not a violation.
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
    /// The path is inside `/api/v1` and no endpoint's.
    UnknownPath,
    /// The path is an endpoint's and the method is not.
    WrongMethod,
    /// There is no key where one is needed.
    KeyMissing,
    /// The Authorization header is not `Bearer <API_KEY>`, or there are several.
    MalformedAuthorization,
    /// The key lacks the scope.
    ScopeMissing,
    /// `GET /me` has a body.
    UnexpectedBody,
    /// A body is there whose content type is not JSON.
    WrongContentType,
    /// The body is no JSON object.
    NotAJsonObject,
    /// An edit of the profile has a field that is not one of the six.
    UnknownField,
    /// A field is no string; `null` is none either.
    WrongType,
    /// A text has too many characters.
    TooManyCharacters,
    /// A text has too many lines.
    TooManyLines,
    /// A colour is not of the form `#rrggbb`.
    NotAColor,
    /// `days` is no integer.
    DaysNotAnInteger,
    /// `days` is too small or too large.
    DaysOutOfRange,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 16] = [
        Self::PathOutsideApi,
        Self::UnknownPath,
        Self::WrongMethod,
        Self::KeyMissing,
        Self::MalformedAuthorization,
        Self::ScopeMissing,
        Self::UnexpectedBody,
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

    /// The rule's name, which never changes.
    ///
    /// ```
    /// assert_eq!(mock_server::Rule::NotAColor.as_str(), "not_a_color");
    /// ```
    pub fn as_str(self) -> &'static str {
        self.definition().0
    }

    /// The section of the specification that states the rule.
    ///
    /// ```
    /// assert_eq!(mock_server::Rule::TooManyLines.section(), "Limits");
    /// ```
    pub fn section(self) -> &'static str {
        self.definition().1
    }

    /// What the rule asks for.
    ///
    /// ```
    /// use mock_server::Rule;
    /// assert_eq!(Rule::NotAColor.requirement(), "Colours have the format #rrggbb.");
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
                "There are no endpoints but those of the specification."),
            Self::WrongMethod => ("wrong_method", "Endpoints",
                "Each endpoint is called with its own method."),
            Self::KeyMissing => ("key_missing", "Authentication",
                "The caller sends the header `Authorization: Bearer <API_KEY>`."),
            Self::MalformedAuthorization => ("malformed_authorization", "Authentication",
                "The Authorization header has the form `Bearer <API_KEY>`."),
            Self::ScopeMissing => ("scope_missing", "Authentication",
                "An operation that requires a scope is called with a key that carries it."),
            Self::UnexpectedBody => ("unexpected_body", "Endpoints",
                "GET /me is called without a body."),
            Self::WrongContentType => ("wrong_content_type", "Introduction",
                "Requests use JSON."),
            Self::NotAJsonObject => ("not_a_json_object", "Endpoints",
                "The body of a request is a JSON object."),
            Self::UnknownField => ("unknown_field", "Errors",
                "An edit of the profile with a field that cannot be edited is rejected as a whole."),
            Self::WrongType => ("wrong_type", "Resources and their fields",
                "Every field of a profile, a link and a post that can be written is a string."),
            Self::TooManyCharacters => ("too_many_characters", "Limits",
                "display_name has up to 32 characters, bio up to 300, location up to 40."),
            Self::TooManyLines => ("too_many_lines", "Limits",
                "bio has up to 10 lines."),
            Self::NotAColor => ("not_a_color", "Limits",
                "Colours have the format #rrggbb."),
            Self::DaysNotAnInteger => ("days_not_an_integer", "Endpoints",
                "The query parameter days is an integer."),
            Self::DaysOutOfRange => ("days_out_of_range", "Limits",
                "days is 1 to 365 for the caller's own profile and 1 to 30 for others."),
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
