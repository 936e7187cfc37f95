//! The HTTP response of the engine.

use std::borrow::Cow;

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::dialect::{
    ContentRejection, DaysOutOfRange, ErrorBody, ErrorTemplate, RateLimitRejection, RetryAfter,
    ScopeRejection, Values, WriteResponses,
};
use super::{Dialect, Object, Problem, Status, http_date, to_json};

/// The names, in lower case, and values of headers.
pub(crate) type HeaderLines = Vec<(Cow<'static, str>, Cow<'static, str>)>;

/// An HTTP response as plain values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The status code, 100 to 599.
    pub status: u16,
    /// The names, in lower case, and values of the headers.
    pub headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    /// The body: JSON, empty, or plain text if the dialect has plain-text rejections.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns a response with the body `{"data": resource}`.
    pub(super) fn data(status: u16, resource: &impl Serialize) -> Self {
        Self::fields(status, |object| object.value("data", resource))
    }

    /// Does the same for a resource that is an object.
    pub(super) fn object(status: u16, resource: impl FnOnce(&mut Object<'_>)) -> Self {
        Self::fields(status, |object| object.object("data", resource))
    }

    pub(super) fn created(dialect: &Dialect, resource: impl FnOnce(&mut Object<'_>)) -> Self {
        let observed = dialect.write_statuses.created;
        Self::written(dialect, observed, || Self::object(201, resource))
    }

    pub(super) fn edited(dialect: &Dialect, resource: impl FnOnce(&mut Object<'_>)) -> Self {
        let observed = dialect.write_statuses.edited;
        Self::written(dialect, observed, || Self::object(200, resource))
    }

    pub(super) fn deleted(dialect: &Dialect) -> Self {
        let observed = dialect.write_statuses.deleted;
        Self::written(dialect, observed, || Self::empty(204))
    }

    fn written(dialect: &Dialect, observed: Option<u16>, resource: impl FnOnce() -> Self) -> Self {
        let reply = match dialect.write_responses {
            WriteResponses::Resource => resource(),
            WriteResponses::EmptyData => Self::object(200, |_| {}),
            WriteResponses::NullData => Self::data(200, &()),
            WriteResponses::NoContent => Self::empty(204),
        };
        match observed {
            None => reply,
            Some(status @ (204 | 205)) => Self::empty(status),
            Some(status) => Self { status, ..reply },
        }
    }

    /// Returns the response to a problem in the form that the dialect prescribes.
    pub(super) fn to_problem(problem: &Problem, dialect: &Dialect, now: Timestamp) -> Self {
        let kind = problem.kind();
        let code = kind.as_str();
        let observed = dialect.rejections.0.get(code).cloned().unwrap_or_default();
        let status = observed.status;
        let status = status.unwrap_or_else(|| status_code(kind.status(), dialect));
        let values = Values {
            status,
            code: observed.code.as_deref().unwrap_or(code),
            message: &observed.message.unwrap_or_else(|| problem.to_string()),
            field: problem.field(),
        };
        let reply = match &dialect.error_template {
            Some(template) => template.reply(values),
            None => Self::rejection(dialect.error_body, values),
        };
        if let Problem::MethodNotAllowed { allowed, .. } = problem
            && status == 405
        {
            reply.with_header("allow", allowed.join(", "))
        } else if let Problem::RateLimited { quota } = problem
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

    /// Returns a rejection in the default shape, `{"error": {"code", "message"}}`.
    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        let values = Values {
            status,
            code,
            message,
            field: None,
        };
        Self::rejection(ErrorBody::Nested, values)
    }

    fn rejection(shape: ErrorBody, values: Values<'_>) -> Self {
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let message = match shape {
            ErrorBody::Html => &escape(values.message).replace('>', "&gt;"),
            _ => values.message,
        };
        ErrorTemplate::from(shape).reply(Values { message, ..values })
    }

    pub(crate) fn with_header(
        mut self,
        name: &'static str,
        value: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns a response without a body.
    pub(crate) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Returns a response with a JSON body.
    pub(crate) fn json(status: u16, body: &impl Serialize) -> Self {
        // Structs keep the order of their fields; that of `serde_json::Value` depends on a feature.
        let body = serde_json::to_vec(body).expect("the bodies contain only JSON values");
        Self::with_body("application/json", status, body)
    }

    /// Returns a response with a JSON object.
    pub(crate) fn fields(status: u16, fields: impl FnOnce(&mut Object<'_>)) -> Self {
        Self::with_body("application/json", status, to_json(fields))
    }

    pub(crate) fn with_body(
        content_type: impl Into<Cow<'static, str>>,
        status: u16,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), content_type.into())],
            body: body.into(),
        }
    }
}

fn status_code(status: Status, dialect: &Dialect) -> u16 {
    let content = match dialect.content_rejection {
        ContentRejection::BadRequest => 400,
        ContentRejection::Unprocessable => 422,
    };
    match status {
        Status::Always(status) => status,
        Status::Scope => match dialect.scope_rejection {
            ScopeRejection::Unauthorized => 401,
            ScopeRejection::Forbidden => 403,
        },
        Status::Days if dialect.days_out_of_range == DaysOutOfRange::BadRequest => 400,
        Status::Content | Status::Days => content,
        Status::RateLimit => match dialect.rate_limit_rejection {
            RateLimitRejection::ServiceUnavailable => 503,
            RateLimitRejection::TooManyRequests | RateLimitRejection::WithoutHeaders => 429,
        },
        Status::Tolerated => 400,
    }
}

/// Returns the reason phrase of a status code.
pub(super) fn title(status: u16) -> &'static str {
    let known = StatusCode::from_u16(status).ok();
    known
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Rejected")
}
