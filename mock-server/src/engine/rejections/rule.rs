//! The rules of the specification that a client can break.

use serde::Serialize;

use crate::engine::named_enum::named_enum;

named_enum! {
    /// A rule that the specification states about requests.
    ///
    /// The mock also rejects requests for reasons that the specification does not state. These are
    /// not reported as violations: missing or unknown fields of links and posts, invalid URLs, duplicate
    /// fields or parameters, bodies that are too large, and ids, handles and keys that do not exist.
    ///
    /// ```
    /// use mock_server::Rule;
    ///
    /// let rule = Rule::NotAColor;
    /// assert_eq!((rule.as_str(), rule.section()), ("not_a_color", "Limits"));
    /// assert_eq!(rule.requirement(), "Colors have the format #rrggbb.");
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[non_exhaustive]
    pub enum Rule {
        /// The path is outside `/api/v1`.
        PathOutsideApi = "path_outside_api",
        /// The path starts with `/api/v1`, but no endpoint has it.
        UnknownPath = "unknown_path",
        /// No endpoint with this path has the method.
        WrongMethod = "wrong_method",
        /// The endpoint requires a key, but the request has none.
        KeyMissing = "key_missing",
        /// The Authorization header is not `Bearer <API_KEY>`, or it is repeated.
        MalformedAuthorization = "malformed_authorization",
        /// The key lacks the scope.
        ScopeMissing = "scope_missing",
        /// `GET /me` has a body.
        UnexpectedBody = "unexpected_body",
        /// `GET /badges` or `GET /stats` has a query parameter.
        UnexpectedParameter = "unexpected_parameter",
        /// The content type of the body is not `application/json`.
        WrongContentType = "wrong_content_type",
        /// The body is not a JSON object.
        NotAJsonObject = "not_a_json_object",
        /// An edit of the profile has a field that is not editable.
        UnknownField = "unknown_field",
        /// A field is not a string; `null` is not a string either.
        WrongType = "wrong_type",
        /// A string has too many characters.
        TooManyCharacters = "too_many_characters",
        /// A string has too many lines.
        TooManyLines = "too_many_lines",
        /// A color does not have the form `#rrggbb`.
        NotAColor = "not_a_color",
        /// `days` is not an integer.
        DaysNotAnInteger = "days_not_an_integer",
        /// `days` is too small or too large.
        DaysOutOfRange = "days_out_of_range",
    }
}

impl Rule {
    /// Returns the section of the specification that states the rule.
    pub fn section(self) -> &'static str {
        self.definition().0
    }

    /// Returns the rule as a sentence.
    pub fn requirement(self) -> &'static str {
        self.definition().1
    }

    /// Returns the section and the sentence.
    #[rustfmt::skip]
    fn definition(self) -> (&'static str, &'static str) {
        match self {
            Self::PathOutsideApi => ("Versioning",
                "Every endpoint begins with /api/v1."),
            Self::UnknownPath => ("Endpoints",
                "A request is sent to an endpoint that the specification lists."),
            Self::WrongMethod => ("Endpoints",
                "An endpoint is called with the method that the specification lists for it."),
            Self::KeyMissing => ("Authentication",
                "The caller sends the header `Authorization: Bearer <API_KEY>`."),
            Self::MalformedAuthorization => ("Authentication",
                "The Authorization header has the form `Bearer <API_KEY>`."),
            Self::ScopeMissing => ("Authentication",
                "The key carries the scope that the operation requires."),
            Self::UnexpectedBody => ("Endpoints",
                "A request to GET /me has no body."),
            Self::UnexpectedParameter => ("Endpoints",
                "GET /badges and GET /stats have no parameters."),
            Self::WrongContentType => ("Introduction",
                "Requests and responses use JSON."),
            Self::NotAJsonObject => ("Endpoints",
                "The request body is a JSON object."),
            Self::UnknownField => ("Errors",
                "PATCH /me/profile with a field that is not in the list of editable fields is rejected as a whole (unknown fields are never ignored)."),
            Self::WrongType => ("Resources and their fields",
                "The editable fields of profiles, links and posts are strings."),
            Self::TooManyCharacters => ("Limits",
                "A text of a profile has at most the maximum number of characters of its field."),
            Self::TooManyLines => ("Limits",
                "A text of a profile has at most the maximum number of lines of its field."),
            Self::NotAColor => ("Limits",
                "Colors have the format #rrggbb."),
            Self::DaysNotAnInteger => ("Endpoints",
                "The query parameter days is an integer."),
            Self::DaysOutOfRange => ("Limits",
                "days is 1 to 365 for the caller's own profile and 1 to 30 for other profiles."),
        }
    }
}
