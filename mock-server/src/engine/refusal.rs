//! Everything that the service refuses: with which status and code, and in which words.

use super::dialect::{ContentRefusal, DaysOutOfRange, Dialect, RateLimitRefusal, ScopeRefusal};
use super::rate_limit::Quota;
use super::reply::Reply;
use super::scope::Scope;

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("there is nothing at {path}; {}", why_nothing(path))]
    UnknownPath { path: String },
    #[error("{method} is not allowed here; allowed: {}", allowed.join(", "))]
    MethodNotAllowed {
        method: String,
        allowed: Vec<&'static str>,
    },
    #[error("the key is missing; send the header `Authorization: Bearer <API_KEY>`")]
    KeyMissing,
    #[error("the Authorization header is not of the form `Bearer <API_KEY>`")]
    NotBearer,
    #[error("there is more than one Authorization header; send one")]
    SeveralKeys,
    #[error("the key is not known here")]
    UnknownKey,
    #[error("the key lacks the scope {scope}")]
    ScopeMissing { scope: Scope },
    #[error(
        "the key has used up its {} requests in {} s; wait {} s",
        quota.limit.limit, quota.limit.window_seconds, quota.reset
    )]
    RateLimited { quota: Quota },
    #[error("the body has {length} bytes; at most {limit} are allowed")]
    BodyTooLarge { length: usize, limit: usize },
    /// Told as a violation alone: the service answers such a request all the same.
    #[error("the request has a body of {length} bytes; none is expected")]
    UnexpectedBody { length: usize },
    #[error("the content type is {found}; application/json is expected")]
    WrongContentType { found: String },
    #[error("the body is no JSON object: {reason}")]
    NotJsonObject { reason: String },
    #[error("the field {field} is there more than once; send it once")]
    RepeatedField { field: String },
    #[error("the field {field} is unknown; known: {}", known.join(", "))]
    UnknownField {
        field: String,
        known: &'static [&'static str],
    },
    #[error("{field} is {found}; a string is expected")]
    WrongType { field: String, found: &'static str },
    #[error("the field {field} is missing")]
    MissingField { field: &'static str },
    #[error("no field is given; give at least one of {}", known.join(", "))]
    EmptyEdit { known: &'static [&'static str] },
    #[error("{field} has {found} characters; at most {limit} are allowed")]
    TooManyCharacters {
        field: &'static str,
        found: usize,
        limit: usize,
    },
    #[error("{field} has {found} lines; at most {limit} are allowed")]
    TooManyLines {
        field: &'static str,
        found: usize,
        limit: usize,
    },
    #[error("{field} is not a colour of the form #rrggbb, such as #ff8800")]
    NotAColor { field: &'static str },
    #[error("url is not an absolute URL ({reason}); https://example.com is one")]
    NotAUrl { reason: url::ParseError },
    #[error("days is `{found}`; a whole number is expected")]
    DaysNotAnInteger { found: String },
    #[error("days is {found}; 1 to {limit} is allowed for this profile")]
    DaysOutOfRange { found: String, limit: u16 },
    #[error("days is given {times} times; give it once")]
    DaysRepeated { times: usize },
    #[error("there is no profile with the handle {handle}")]
    UnknownHandle { handle: String },
    #[error("the key's owner has no link with the id {id}")]
    UnknownLink { id: String },
    #[error("the key's owner has no post with the id {id}")]
    UnknownPost { id: String },
}

fn why_nothing(path: &str) -> &'static str {
    match path == "/api/v1" || path.starts_with("/api/v1/") {
        true => "no endpoint has this path",
        false => "every path begins with /api/v1, as /api/v1/me does",
    }
}

/// The first refusal, where there is one.
pub(super) fn first(refusals: Vec<Refusal>) -> Result<(), Refusal> {
    refusals.into_iter().next().map_or(Ok(()), Err)
}

impl Refusal {
    pub(super) fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let field = field.to_owned();
        Self::UnknownField { field, known }
    }

    /// The answer to the caller, as the dialect words it.
    pub(super) fn into_reply(self, dialect: &Dialect) -> Reply {
        let (_, code) = self.status_and_code();
        let status = self.status(dialect);
        let message = self.to_string();
        let reply = Reply::refusal(dialect.error_body, status, code, &message, self.field());
        match self {
            Self::MethodNotAllowed { allowed, .. } => {
                reply.with_header("allow", allowed.join(", "))
            }
            Self::RateLimited { quota } if dialect.tells_rate_limit() => {
                reply.with_header("retry-after", quota.reset.to_string())
            }
            _ if status == 401 => reply.with_header("www-authenticate", "Bearer"),
            _ => reply,
        }
    }

    /// The name of the refusal, the same under every dialect.
    pub(super) fn code(&self) -> &'static str {
        self.status_and_code().1
    }

    fn status(&self, dialect: &Dialect) -> u16 {
        match self.status_and_code().0 {
            403 if dialect.scope_refusal == ScopeRefusal::Unauthorized => 401,
            422 if dialect.content_refusal == ContentRefusal::BadRequest => 400,
            422 if self.is_about_days()
                && dialect.days_out_of_range == DaysOutOfRange::BadRequest =>
            {
                400
            }
            429 if dialect.rate_limit_refusal == RateLimitRefusal::ServiceUnavailable => 503,
            status => status,
        }
    }

    /// A body may have a field called `days` as well, which is not what this is about.
    fn is_about_days(&self) -> bool {
        matches!(
            self,
            Self::DaysNotAnInteger { .. } | Self::DaysOutOfRange { .. } | Self::DaysRepeated { .. }
        )
    }

    fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::UnexpectedBody { .. } => (400, "unexpected_body"),
            Self::NotJsonObject { .. } => (400, "not_a_json_object"),
            Self::RepeatedField { .. } => (400, "repeated_field"),
            Self::KeyMissing => (401, "key_missing"),
            Self::NotBearer | Self::SeveralKeys | Self::UnknownKey => (401, "key_invalid"),
            Self::ScopeMissing { .. } => (403, "scope_missing"),
            Self::UnknownPath { .. } => (404, "unknown_path"),
            Self::UnknownHandle { .. } => (404, "unknown_handle"),
            Self::UnknownLink { .. } => (404, "unknown_link"),
            Self::UnknownPost { .. } => (404, "unknown_post"),
            Self::MethodNotAllowed { .. } => (405, "method_not_allowed"),
            Self::BodyTooLarge { .. } => (413, "body_too_large"),
            Self::WrongContentType { .. } => (415, "wrong_content_type"),
            Self::RateLimited { .. } => (429, "rate_limited"),
            Self::UnknownField { .. } => (422, "unknown_field"),
            Self::WrongType { .. } => (422, "wrong_type"),
            Self::MissingField { .. } => (422, "missing_field"),
            Self::EmptyEdit { .. } => (422, "empty_edit"),
            Self::TooManyCharacters { .. } => (422, "too_many_characters"),
            Self::TooManyLines { .. } => (422, "too_many_lines"),
            Self::NotAColor { .. } => (422, "not_a_color"),
            Self::NotAUrl { .. } => (422, "not_a_url"),
            Self::DaysNotAnInteger { .. } => (422, "not_an_integer"),
            Self::DaysOutOfRange { .. } => (422, "out_of_range"),
            Self::DaysRepeated { .. } => (422, "repeated_parameter"),
        }
    }

    /// The field or query parameter that is to blame.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            Self::RepeatedField { field }
            | Self::UnknownField { field, .. }
            | Self::WrongType { field, .. } => Some(field),
            Self::MissingField { field }
            | Self::TooManyCharacters { field, .. }
            | Self::TooManyLines { field, .. }
            | Self::NotAColor { field } => Some(field),
            Self::NotAUrl { .. } => Some("url"),
            Self::DaysNotAnInteger { .. }
            | Self::DaysOutOfRange { .. }
            | Self::DaysRepeated { .. } => Some("days"),
            _ => None,
        }
    }
}
