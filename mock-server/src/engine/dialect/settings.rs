//! The silences of the specification, each as an enum. The first value of each is the default.

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

/// What `key` holds beside the scopes and the rate limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyObject {
    /// Nothing.
    #[default]
    Plain,
    /// Also `name` (a string) and `owner` (an object with the handle).
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

/// Which fields of the public profile `GET /me` and the answer to an edit show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeFields {
    /// The six that are edited, `handle`, `links`, `posts` and `badges`.
    #[default]
    Full,
    /// The six that are edited, alone.
    Minimal,
}

/// The type of the ids of links and posts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ids {
    /// `"link_6"`, in paths `link_6`.
    #[default]
    String,
    /// `6`, in paths `6`. An id without a number at its end, which only a state written by hand can
    /// have, stays a string.
    Integer,
}

/// The fields of links and posts beyond those that the specification shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResourceFields {
    /// `created_at`.
    #[default]
    CreatedAt,
    /// None.
    Bare,
    /// `created_at`, and `metadata`, an object with a list and an object inside.
    Nested,
}

/// What a successful write is answered with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteResponses {
    /// 201 with the new resource, 200 with the edited one, 204 without a body for a deletion.
    #[default]
    Resource,
    /// 200 with `{"data": {}}` for every write.
    EmptyData,
    /// 204 without a body for every write.
    NoContent,
}

/// What becomes of unknown fields in the bodies of links and posts. The profile is not concerned:
/// there the specification has them rejected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownFields {
    /// The request is refused.
    #[default]
    Rejected,
    /// They are left unread.
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
    /// As `Social`, with `{"total": n}` in place of each number.
    Totals,
}

/// Which kinds of badges `GET /badges` lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BadgeKinds {
    /// `auto`, the one that the specification names.
    #[default]
    Auto,
    /// Also a badge of the kind `manual`.
    Extra,
}

/// What stands for `devices` and `countries` in the statistics of another profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OtherStatistics {
    /// Nothing: the fields are not there.
    #[default]
    Omitted,
    /// `{}` and `[]`.
    Empty,
    /// `null` and `null`.
    Null,
}

/// Whether `GET /badges` and `GET /stats` need a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReferenceData {
    /// No key is needed.
    #[default]
    Open,
    /// Any key will do; without one there is a 401.
    KeyRequired,
}

/// What becomes of `days` out of range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DaysOutOfRange {
    /// Refused with the status of [`ContentRejection`].
    #[default]
    Unprocessable,
    /// Refused with 400, as is a value that is no integer or comes twice.
    BadRequest,
    /// The nearest number that is allowed is taken. What is no integer is still refused.
    Clamped,
}

/// The status for a body that is an object and breaks a rule: an unknown field, a broken limit.
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

/// The status when the key lacks the scope.
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

/// The shape of the body of a refusal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorBody {
    /// `{"error": {"code": "unknown_field", "message": "…", "field": "nickname"}}`.
    #[default]
    Nested,
    /// `{"code": "unknown_field", "message": "…", "field": "nickname"}`.
    Flat,
    /// RFC 9457, as `application/problem+json`: `type`, `title`, `status`, `detail`, and `code` and
    /// `field` as extensions.
    ProblemDetails,
    /// The message alone, as `text/plain`.
    PlainText,
    /// No body and no content type.
    Empty,
}

/// What a request beyond the rate limit gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitRejection {
    /// 429 with `Retry-After`; and `RateLimit-*` on every answer to a known key.
    #[default]
    TooManyRequests,
    /// 429, and no answer has a header about the limit.
    WithoutHeaders,
    /// 503 with `Retry-After`; and `RateLimit-*` on every answer to a known key.
    ServiceUnavailable,
}
