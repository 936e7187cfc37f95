//! Rejections of requests, with their status codes, error codes and messages.

use jiff::{SignedDuration, Timestamp};

use super::rule::Rule;
use crate::engine::access::{Quota, Scope};
use crate::engine::clock::http_date;
use crate::engine::dialect::{
    ContentRejection, DaysOutOfRange, Dialect, RateLimitRejection, RetryAfter, ScopeRejection,
    Values,
};
use crate::engine::reply::Reply;
use crate::engine::resources::Excess;

/// A problem with a request. The request is rejected unless the service tolerates the problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Rejection {
    #[error("no endpoint has the path {path}{}", path_hint(path))]
    UnknownPath { path: String },
    #[error("method {method} is not allowed; expected {}", allowed.join(", "))]
    MethodNotAllowed {
        method: String,
        allowed: Vec<&'static str>,
    },
    #[error("no API key; send the header `Authorization: Bearer <API_KEY>`")]
    KeyMissing,
    #[error("the Authorization header does not have the form `Bearer <API_KEY>`")]
    NotBearer,
    #[error("found more than one Authorization header; send only one")]
    SeveralKeys,
    #[error("unknown API key")]
    UnknownKey,
    #[error("the key lacks the scope {scope}")]
    ScopeMissing { scope: Scope },
    #[error(
        "the rate limit of {} requests per {} s is exceeded; retry after {} s",
        quota.limit.limit, quota.limit.window_seconds, quota.reset
    )]
    RateLimited { quota: Quota },
    #[error("the body has {length} bytes; at most {limit} are allowed")]
    BodyTooLarge { length: usize, limit: usize },
    /// Always tolerated.
    #[error("the request has a body of {length} bytes; expected no body")]
    UnexpectedBody { length: usize },
    /// Always tolerated.
    #[error("the request has the query parameter {name}; expected no parameters")]
    UnexpectedParameter { name: String },
    #[error("the content type is {found}; expected application/json")]
    WrongContentType { found: String },
    #[error("the body is not a JSON object: {reason}")]
    NotJsonObject { reason: String },
    #[error("duplicate field {field}; send it once")]
    RepeatedField { field: String },
    #[error("unknown field {field}; expected {}", one_of(known))]
    UnknownField {
        field: String,
        known: &'static [&'static str],
    },
    #[error("{field} is {found}; expected a string")]
    WrongType {
        field: &'static str,
        found: &'static str,
    },
    #[error("missing field {field}")]
    MissingField { field: &'static str },
    #[error("the body has no fields; send at least one of {}", known.join(", "))]
    EmptyEdit { known: &'static [&'static str] },
    #[error("{field} {excess}")]
    LimitExceeded { field: &'static str, excess: Excess },
    #[error("url is not an absolute URL: {reason}; expected a URL such as https://example.com")]
    NotAUrl { reason: url::ParseError },
    #[error("days is `{found}`; expected an integer")]
    DaysNotAnInteger { found: String },
    #[error("days is {found}; expected 1 to {limit} for this profile")]
    DaysOutOfRange { found: String, limit: u16 },
    #[error("found the parameter days {times} times; send it once")]
    DaysRepeated { times: usize },
    #[error("no profile has the handle {handle}")]
    UnknownHandle { handle: String },
    #[error("the key's owner has no link with the id {id}")]
    UnknownLink { id: String },
    #[error("the key's owner has no post with the id {id}")]
    UnknownPost { id: String },
}

fn is_in_api(path: &str) -> bool {
    let rest = path.strip_prefix("/api/v1");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn path_hint(path: &str) -> &'static str {
    match is_in_api(path) {
        true => "",
        false => "; every path starts with /api/v1",
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [name] => (*name).to_owned(),
        names => format!("one of {}", names.join(", ")),
    }
}

/// Everything about a rejection except its message.
struct Row<'a> {
    status: Status,
    /// The same under every dialect.
    code: &'static str,
    /// The violated rule of the specification; `None` where the specification is silent.
    rule: Option<Rule>,
    /// The invalid field or query parameter.
    field: Option<&'a str>,
}

/// The status code of a rejection, which may depend on the dialect.
#[derive(Clone, Copy)]
enum Status {
    Always(u16),
    /// The key lacks the scope.
    Scope,
    /// The body is a JSON object with invalid fields.
    Content,
    /// The query parameter `days` is invalid.
    Days,
    RateLimit,
}

impl Rejection {
    /// Returns the response in the form that the dialect prescribes.
    pub(crate) fn reply(&self, dialect: &Dialect, now: Timestamp) -> Reply {
        let Row {
            status,
            code,
            field,
            ..
        } = self.row();
        let observed = dialect.rejections.get(code).cloned().unwrap_or_default();
        let status = observed.status.unwrap_or_else(|| status.under(dialect));
        let values = Values {
            status,
            code: observed.code.as_deref().unwrap_or(code),
            message: &observed.message.unwrap_or_else(|| self.to_string()),
            field,
        };
        let reply = match &dialect.error_template {
            Some(template) => Reply::from_template(template, values),
            None => Reply::rejection(dialect.error_body, values),
        };
        if let Self::MethodNotAllowed { allowed, .. } = self
            && status == 405
        {
            reply.with_header("allow", allowed.join(", "))
        } else if let Self::RateLimited { quota } = self
            && dialect.sends_rate_limit_headers()
        {
            let end = now.saturating_add(SignedDuration::from_secs(quota.reset));
            let retry_after = match dialect.retry_after {
                RetryAfter::Seconds => quota.reset.to_string(),
                RetryAfter::Date => http_date(end.unwrap_or(Timestamp::MAX)),
            };
            reply.with_header("retry-after", retry_after)
        } else if status == 401 {
            reply.with_header("www-authenticate", "Bearer")
        } else {
            reply
        }
    }

    /// Returns the error code, which is the same under every dialect.
    pub(crate) fn code(&self) -> &'static str {
        self.row().code
    }

    /// Returns the violated rule of the specification, or `None` where the specification is silent.
    pub(crate) fn rule(&self) -> Option<Rule> {
        self.row().rule
    }

    /// Returns the invalid field or query parameter.
    pub(crate) fn field(&self) -> Option<&str> {
        self.row().field
    }

    #[rustfmt::skip]
    fn row(&self) -> Row<'_> {
        use Status::{Always, Content, Days, RateLimit, Scope};
        let row = |status, code, rule, field| Row { status, code, rule, field };
        match self {
            Self::UnknownPath { path } if is_in_api(path) =>
                row(Always(404), "unknown_path", Some(Rule::UnknownPath), None),
            Self::UnknownPath { .. } =>
                row(Always(404), "unknown_path", Some(Rule::PathOutsideApi), None),
            Self::MethodNotAllowed { .. } =>
                row(Always(405), "method_not_allowed", Some(Rule::WrongMethod), None),
            Self::KeyMissing => row(Always(401), "key_missing", Some(Rule::KeyMissing), None),
            Self::NotBearer | Self::SeveralKeys =>
                row(Always(401), "key_invalid", Some(Rule::MalformedAuthorization), None),
            Self::UnknownKey => row(Always(401), "key_invalid", None, None),
            Self::ScopeMissing { .. } => row(Scope, "scope_missing", Some(Rule::ScopeMissing), None),
            Self::RateLimited { .. } => row(RateLimit, "rate_limited", None, None),
            Self::BodyTooLarge { .. } => row(Always(413), "body_too_large", None, None),
            Self::UnexpectedBody { .. } =>
                row(Always(400), "unexpected_body", Some(Rule::UnexpectedBody), None),
            Self::UnexpectedParameter { name } =>
                row(Always(400), "unexpected_parameter", Some(Rule::UnexpectedParameter), Some(name)),
            Self::WrongContentType { .. } =>
                row(Always(415), "wrong_content_type", Some(Rule::WrongContentType), None),
            Self::NotJsonObject { .. } =>
                row(Always(400), "not_a_json_object", Some(Rule::NotAJsonObject), None),
            Self::RepeatedField { field } => row(Always(400), "repeated_field", None, Some(field)),
            Self::UnknownField { field, .. } =>
                row(Content, "unknown_field", Some(Rule::UnknownField), Some(field)),
            Self::WrongType { field, .. } =>
                row(Content, "wrong_type", Some(Rule::WrongType), Some(field)),
            Self::MissingField { field } => row(Content, "missing_field", None, Some(field)),
            Self::EmptyEdit { .. } => row(Content, "empty_edit", None, None),
            Self::LimitExceeded { field, excess: Excess::TooManyCharacters { .. } } =>
                row(Content, "too_many_characters", Some(Rule::TooManyCharacters), Some(field)),
            Self::LimitExceeded { field, excess: Excess::TooManyLines { .. } } =>
                row(Content, "too_many_lines", Some(Rule::TooManyLines), Some(field)),
            Self::LimitExceeded { field, excess: Excess::NotAColor } =>
                row(Content, "not_a_color", Some(Rule::NotAColor), Some(field)),
            Self::NotAUrl { .. } => row(Content, "not_a_url", None, Some("url")),
            Self::DaysNotAnInteger { .. } =>
                row(Days, "not_an_integer", Some(Rule::DaysNotAnInteger), Some("days")),
            Self::DaysOutOfRange { .. } =>
                row(Days, "out_of_range", Some(Rule::DaysOutOfRange), Some("days")),
            Self::DaysRepeated { .. } => row(Days, "repeated_parameter", None, Some("days")),
            Self::UnknownHandle { .. } => row(Always(404), "unknown_handle", None, None),
            Self::UnknownLink { .. } => row(Always(404), "unknown_link", None, None),
            Self::UnknownPost { .. } => row(Always(404), "unknown_post", None, None),
        }
    }
}

impl Status {
    fn under(self, dialect: &Dialect) -> u16 {
        let content = match dialect.content_rejection {
            ContentRejection::BadRequest => 400,
            ContentRejection::Unprocessable => 422,
        };
        match self {
            Self::Always(status) => status,
            Self::Scope if dialect.scope_rejection == ScopeRejection::Unauthorized => 401,
            Self::Scope => 403,
            Self::Days if dialect.days_out_of_range == DaysOutOfRange::BadRequest => 400,
            Self::Content | Self::Days => content,
            Self::RateLimit
                if dialect.rate_limit_rejection == RateLimitRejection::ServiceUnavailable =>
            {
                503
            }
            Self::RateLimit => 429,
        }
    }
}
