//! The problems that a request can have, in one table, and those of one request.

use serde::Serialize;

use super::{Quota, Scope};

/// The problems of one request, in the order in which they were found. The first one that rejects
/// the request determines the response; all of them can be reported as violations.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(super) all: Vec<Problem>,
    /// The index of the first one that rejects the request.
    decisive: Option<usize>,
}

/// Proof that the request was rejected. Only [`Problems`] can create it.
#[derive(Debug)]
pub(crate) struct Rejected(());

impl Problems {
    /// Adds a problem for which the request is rejected.
    pub(crate) fn reject(&mut self, problem: Problem) -> Rejected {
        self.decisive.get_or_insert(self.all.len());
        self.all.push(problem);
        Rejected(())
    }

    /// Records the problem of a result, if it has one, as a rejection.
    pub(crate) fn accept<T>(&mut self, result: Result<T, Problem>) -> Result<T, Rejected> {
        result.map_err(|problem| self.reject(problem))
    }

    /// Adds a problem that the service tolerates.
    pub(crate) fn tolerate(&mut self, problem: Problem) {
        self.all.push(problem);
    }

    /// Returns an error if the request was rejected.
    pub(crate) fn check(&self) -> Result<(), Rejected> {
        match self.decisive {
            Some(_) => Err(Rejected(())),
            None => Ok(()),
        }
    }

    /// Returns the problem that determines the response.
    pub(crate) fn decisive(&self) -> Option<&Problem> {
        self.decisive.map(|index| &self.all[index])
    }
}

/// The status code of a rejection, which may depend on the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Always(u16),
    /// The key lacks the scope.
    Scope,
    /// The body is a JSON object with invalid fields.
    Content,
    /// The query parameter `days` is invalid.
    Days,
    RateLimit,
    /// No request is rejected for the problem.
    Tolerated,
}

/// Defines [`Problem`] and [`ProblemKind`]. A row has the name, the status of the rejection, the invalid
/// field or query parameter, the section and the sentence of the specification unless it is silent,
/// and the message.
macro_rules! problems {
    ($(
        $(#[$doc:meta])*
        $variant:ident $({ $($data:ident: $type:ty),* })? = $name:literal, $status:expr, $field:expr,
            $($section:literal: $requirement:literal,)?
            ($($message:tt)+);
    )*) => {
        named_enum! {
            /// A kind of problem with a request: a violation of the specification, or a reason of
            /// the mock alone to reject the request.
            ///
            /// A kind without a [`section`](Self::section) is not reported as a violation: missing or
            /// unknown fields of links and posts, invalid URLs, duplicate fields or parameters, bodies
            /// that are too large or compressed, and IDs, handles and keys that do not exist.
            ///
            /// ```
            /// use mock_server::ProblemKind;
            ///
            /// let kind = ProblemKind::NotAColor;
            /// assert_eq!((kind.as_str(), kind.section()), ("not_a_color", Some("Resources")));
            /// assert_eq!(kind.requirement(), Some("Colors have the format `#rrggbb`."));
            /// assert_eq!(ProblemKind::UnknownKey.section(), None);
            /// ```
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
            #[non_exhaustive]
            pub enum ProblemKind {
                $($(#[$doc])* $variant = $name,)*
            }
        }

        impl ProblemKind {
            /// Returns the section of the specification that states the violated rule, or `None`
            /// where the specification is silent.
            pub fn section(self) -> Option<&'static str> {
                self.rule().map(|(section, _)| section)
            }

            /// Returns the violated rule as a sentence, or `None` where the specification is silent.
            pub fn requirement(self) -> Option<&'static str> {
                self.rule().map(|(_, requirement)| requirement)
            }

            /// Returns the section and the sentence of the violated rule.
            pub(super) fn rule(self) -> Option<(&'static str, &'static str)> {
                let stated: &[_] = match self {
                    $(Self::$variant => &[$(($section, $requirement))?],)*
                };
                stated.first().copied()
            }

            pub(super) fn status(self) -> Status {
                use Status::{Always, Content, Days, RateLimit, Scope, Tolerated};
                match self {
                    $(Self::$variant => $status,)*
                }
            }
        }

        /// A problem with a request. The request is rejected unless the service tolerates the problem.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        pub(crate) enum Problem {
            $(#[error($($message)+)] $variant $({ $($data: $type),* })?,)*
        }

        impl Problem {
            pub(crate) fn kind(&self) -> ProblemKind {
                match self {
                    $(Self::$variant { .. } => ProblemKind::$variant,)*
                }
            }

            /// Returns the invalid field or query parameter.
            pub(crate) fn field(&self) -> Option<&str> {
                match self {
                    $(Self::$variant $({ $($data),* })? => {
                        $($(let _ = $data;)*)?
                        $field
                    })*
                }
            }
        }
    };
}

problems! {
    /// The path is outside `/api/v1`.
    PathOutsideApi { path: String } = "path_outside_api", Always(404), None,
        "Versioning": "Every path begins with /api/v1.",
        ("no endpoint has the path {path}; every path starts with /api/v1");
    /// The path starts with `/api/v1`, but no endpoint has it.
    UnknownPath { path: String } = "unknown_path", Always(404), None,
        "Endpoints": "A request has the method and the path of one of these endpoints.",
        ("no endpoint has the path {path}");
    /// No endpoint with this path has the method.
    MethodNotAllowed { method: String, allowed: Vec<&'static str> } =
        "method_not_allowed", Always(405), None,
        "Endpoints": "A request has the method and the path of one of these endpoints.",
        ("method {method} is not allowed; expected {}", allowed.join(", "));
    /// The endpoint requires a key, but the request has none.
    KeyMissing = "key_missing", Always(401), None,
        "Authentication": "The caller sends the header `Authorization: Bearer <API_KEY>`.",
        ("no API key; send the header `Authorization: Bearer <API_KEY>`");
    /// The Authorization header is not `Bearer <API_KEY>`, or it is repeated.
    MalformedAuthorization { found: &'static str } = "malformed_authorization", Always(401), None,
        "Authentication": "The caller sends the header `Authorization: Bearer <API_KEY>`.",
        ("{found}");
    /// The service does not have the key.
    UnknownKey = "unknown_key", Always(401), None,
        ("unknown API key");
    /// The key lacks the scope.
    ScopeMissing { scope: self::Scope } = "scope_missing", Scope, None,
        "Authentication": "A call whose scope the key lacks is rejected.",
        ("the key lacks the scope {scope}");
    /// The rate limit of the key is exceeded.
    RateLimited { quota: Quota } = "rate_limited", RateLimit, None,
        ("the rate limit of {} requests per {} s is exceeded; retry after {} s",
            quota.limit.limit, quota.limit.window_seconds, quota.reset);
    /// The body is too large.
    BodyTooLarge { length: usize, limit: usize } = "body_too_large", Always(413), None,
        ("the body has {length} bytes; at most {limit} are allowed");
    /// `GET /me` has a body.
    UnexpectedBody { length: usize } = "unexpected_body", Tolerated, None,
        "GET /me": "The request has no body.",
        ("the request has a body of {length} bytes; expected no body");
    /// `GET /badges` or `GET /stats` has a query parameter.
    UnexpectedParameter { name: String } = "unexpected_parameter", Tolerated, Some(name),
        "Endpoints": "It has no parameters.",
        ("the request has the query parameter {name}; expected no parameters");
    /// The content type of the body is not `application/json`.
    WrongContentType { found: String } = "wrong_content_type", Always(415), None,
        "General": "Requests and responses are JSON.",
        ("the content type is {found}; expected application/json");
    /// The body is compressed or not in UTF-8.
    UnsupportedEncoding { found: String } = "unsupported_encoding", Always(415), None,
        ("the encoding of the body is {found}; send plain UTF-8");
    /// The body is not a JSON object.
    NotAJsonObject { reason: String } = "not_a_json_object", Always(400), None,
        "General": "The body of a request is an object, and its fields are strings.",
        ("the body is not a JSON object: {reason}");
    /// A field occurs more than once.
    RepeatedField { field: String } = "repeated_field", Always(400), Some(field),
        ("duplicate field {field}; send it once");
    /// A field is unknown. Reported as a violation only for an edit of the profile.
    UnknownField { field: String, known: &'static [&'static str] } =
        "unknown_field", Content, Some(field),
        "PATCH /me/profile": "A body with any other field is rejected as a whole.",
        ("unknown field {field}; expected {}", one_of(known));
    /// A field is not a string; `null` is not a string either.
    WrongType { field: &'static str, found: &'static str } = "wrong_type", Content, Some(field),
        "General": "The body of a request is an object, and its fields are strings.",
        ("{field} is {found}; expected a string");
    /// A required field is missing.
    MissingField { field: &'static str } = "missing_field", Content, Some(field),
        ("missing field {field}");
    /// An edit of a link has no fields.
    EmptyEdit { known: &'static [&'static str] } = "empty_edit", Content, None,
        ("the body has no fields; send at least one of {}", known.join(", "));
    /// A string has too many characters.
    TooManyCharacters { field: &'static str, found: usize, limit: usize } =
        "too_many_characters", Content, Some(field),
        "Limits": "The texts of a profile have a maximum number of characters, and `bio` of lines.",
        ("{field} has {found} characters; at most {limit} are allowed");
    /// A string has too many lines.
    TooManyLines { field: &'static str, found: usize, limit: usize } =
        "too_many_lines", Content, Some(field),
        "Limits": "The texts of a profile have a maximum number of characters, and `bio` of lines.",
        ("{field} has {found} lines; at most {limit} are allowed");
    /// A color does not have the form `#rrggbb`.
    NotAColor { field: &'static str } = "not_a_color", Content, Some(field),
        "Resources": "Colors have the format `#rrggbb`.",
        ("{field} is not a color of the form #rrggbb, such as #ff8800");
    /// The URL of a link is not an absolute URL.
    NotAUrl { reason: url::ParseError } = "not_a_url", Content, Some("url"),
        ("url is not an absolute URL: {reason}; expected a URL such as https://example.com");
    /// `days` is not an integer.
    NotAnInteger { found: String } = "not_an_integer", Days, Some("days"),
        "GET /users/{handle}/stats": "The query parameter `days` sets the number of days: an integer.",
        ("days is `{found}`; expected an integer");
    /// `days` is too small or too large.
    OutOfRange { found: String, limit: u16 } = "out_of_range", Days, Some("days"),
        "GET /users/{handle}/stats": "1 to 365 for the caller's own profile, and 1 to 30 for any other one.",
        ("days is {found}; expected 1 to {limit} for this profile");
    /// `days` occurs more than once.
    RepeatedParameter { times: usize } = "repeated_parameter", Days, Some("days"),
        ("found the parameter days {times} times; send it once");
    /// No profile has the handle.
    UnknownHandle { handle: String } = "unknown_handle", Always(404), None,
        ("no profile has the handle {handle}");
    /// The key's owner has no link with the ID.
    UnknownLink { id: String } = "unknown_link", Always(404), None,
        ("the key's owner has no link with the id {id}");
    /// The key's owner has no post with the ID.
    UnknownPost { id: String } = "unknown_post", Always(404), None,
        ("the key's owner has no post with the id {id}");
}

impl ProblemKind {
    /// Returns the names of the problems for which a request can be rejected.
    pub(super) fn rejections() -> impl Iterator<Item = &'static str> {
        let kinds = Self::ALL.iter().copied();
        let rejecting = kinds.filter(|kind| kind.status() != Status::Tolerated);
        rejecting.map(Self::as_str)
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [name] => (*name).to_owned(),
        names => format!("one of {}", names.join(", ")),
    }
}
