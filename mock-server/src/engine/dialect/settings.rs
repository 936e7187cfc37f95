//! The settings of a dialect. The first variant of each is the default.

use serde::{Deserialize, Serialize};

/// The type of `api_visible`, which the specification calls "boolean-style".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApiVisible {
    /// `true` or `false`.
    #[default]
    Boolean,
    /// `1` or `0`.
    Integer,
    /// `"true"` or `"false"`.
    String,
}

/// The fields of `key` besides the scopes and the rate limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyObject {
    /// No other fields.
    #[default]
    Plain,
    /// `name` (a string) and `owner` (an object with the handle).
    ExtraFields,
}

/// The shape of `key.scopes`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyScopes {
    /// `["links:write", "social:write"]`.
    #[default]
    Array,
    /// `"links:write social:write"`.
    SpaceSeparated,
    /// `"links:write,social:write"`.
    CommaSeparated,
}

/// The shape of `key.rate_limit`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyRateLimit {
    /// `{"limit": 1000000, "window_seconds": 60}`.
    #[default]
    Object,
    /// `1000000`.
    Number,
}

/// The fields of the public profile in the responses to `GET /me` and to edits of the profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeFields {
    /// The six editable fields, `handle`, `links`, `posts` and `badges`.
    #[default]
    Full,
    /// Only the six editable fields.
    Minimal,
}

/// The type of the ids of links and posts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ids {
    /// `"link_6"`; `link_6` in paths.
    #[default]
    String,
    /// `6`; `6` in paths. An id that does not end in a number stays a string; only a hand-written
    /// state has such ids.
    Integer,
    /// A UUID in lower case, derived from the id of the default, in responses and in paths.
    Uuid,
}

/// The fields of links and posts that the specification does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResourceFields {
    /// `created_at`.
    #[default]
    CreatedAt,
    /// No other fields.
    Bare,
    /// `created_at` and `metadata`, an object that contains an array and an object.
    Nested,
}

/// The response to a successful write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteResponses {
    /// 201 with the created resource, 200 with the edited one, 204 without a body for a deletion.
    #[default]
    Resource,
    /// 200 with `{"data": {}}` for every write.
    EmptyData,
    /// 200 with `{"data": null}` for every write.
    NullData,
    /// 204 without a body for every write.
    NoContent,
}

/// The treatment of unknown fields in the bodies of links and posts. In edits of the profile they
/// are always rejected, as the specification requires.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownFields {
    /// The request is rejected.
    #[default]
    Rejected,
    /// Unknown fields are ignored.
    Ignored,
}

/// The shape of `GET /me/analytics`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnalyticsShape {
    /// `{"views": n, "likes": n, "social": {"followers": n, "following": n, "comments": n}}`.
    #[default]
    Social,
    /// `{"views": n, "likes": n, "followers": n, "following": n, "comments": n}`.
    Flat,
    /// The same as `Social`, with `{"total": n}` instead of each number.
    Totals,
}

/// The kinds of badges that `GET /badges` lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BadgeKinds {
    /// `auto`, the only kind in the specification.
    #[default]
    Auto,
    /// `auto`, and one badge of the kind `manual`.
    Extra,
}

/// The form of `devices` and `countries` in the statistics of another profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OtherStatistics {
    /// The fields are omitted.
    #[default]
    Omitted,
    /// `{}` and `[]`.
    Empty,
    /// `null` and `null`.
    Null,
}

/// The access to `GET /badges` and `GET /stats`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReferenceData {
    /// A key is optional.
    #[default]
    Open,
    /// Any valid key is accepted; a request without a key is rejected with 401.
    KeyRequired,
}

/// The response to a value of `days` that is out of range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DaysOutOfRange {
    /// The status code of [`ContentRejection`].
    #[default]
    Unprocessable,
    /// 400, also for a value that is not an integer or is repeated.
    BadRequest,
    /// The nearest allowed value is used. A value that is not an integer is still rejected.
    Clamped,
}

/// The status code for a JSON object with invalid content, such as an unknown field or an exceeded
/// limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentRejection {
    /// 422.
    #[default]
    Unprocessable,
    /// 400.
    BadRequest,
}

/// The status code for a key without the required scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScopeRejection {
    /// 403.
    #[default]
    Forbidden,
    /// 401.
    Unauthorized,
}

/// The compression of responses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Compression {
    /// Responses are not compressed.
    #[default]
    None,
    /// Responses with a body are compressed with gzip if the request accepts it in
    /// `Accept-Encoding`. The journal keeps the body as it was before, and
    /// [`handle`](crate::handle) does not compress.
    Gzip,
}

/// The shape of the body of a rejection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorBody {
    /// `{"error": {"code": "unknown_field", "message": "…", "field": "nickname"}}`.
    #[default]
    Nested,
    /// `{"code": "unknown_field", "message": "…", "field": "nickname"}`.
    Flat,
    /// RFC 9457 (`application/problem+json`): `type`, `title`, `status`, `detail`, and the extensions
    /// `code` and `field`.
    ProblemDetails,
    /// `{"detail": "…"}` with the message.
    Detail,
    /// Only the message, as `text/plain`.
    PlainText,
    /// An HTML page with the status code and the message.
    Html,
    /// No body and no content type.
    Empty,
}

/// The response to a request that exceeds the rate limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitRejection {
    /// 429 with `Retry-After`. Every response to a known key has the [`RateLimitHeaders`].
    #[default]
    TooManyRequests,
    /// 429. Responses have no headers about the rate limit.
    WithoutHeaders,
    /// 503 with `Retry-After`. Every response to a known key has the [`RateLimitHeaders`].
    ServiceUnavailable,
}

/// The names of the headers with the limit, the remaining requests and the end of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitHeaders {
    /// `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, as in the IETF draft up to
    /// version 07.
    #[default]
    RateLimit,
    /// `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.
    XRateLimit,
}

/// The end of a window of the rate limit in the [`RateLimitHeaders`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitReset {
    /// The number of seconds until the end.
    #[default]
    Seconds,
    /// The end as Unix time, in seconds.
    UnixTime,
}

/// The form of `Retry-After` (RFC 9110, section 10.2.3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RetryAfter {
    /// A number of seconds.
    #[default]
    Seconds,
    /// A date such as `Sun, 01 Mar 2026 12:01:00 GMT`, by the clock of the world, as in `Date`.
    Date,
}
