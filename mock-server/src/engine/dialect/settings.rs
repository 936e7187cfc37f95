//! The table of the settings of a dialect.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::observed::{
    ErrorTemplate, ExtraFields, RateLimitHeaderNames, Rejections, WebhookTimeout, WriteStatuses,
};
use crate::input;

/// A setting.
pub(super) struct Setting {
    pub(super) name: &'static str,
    /// For the table in `docs/dialects.md`, which a test compares.
    #[cfg(test)]
    pub(super) documentation: &'static str,
    pub(super) default: SettingValue,
    pub(super) alternatives: &'static [SettingValue],
}

/// A value of a setting.
pub(super) struct SettingValue {
    /// The JSON form, without quotation marks.
    pub(super) name: &'static str,
    #[cfg(test)]
    pub(super) documentation: &'static str,
    /// The named dialects that have this value.
    pub(super) dialects: &'static [&'static str],
    pub(super) apply: fn(&mut Dialect),
}

/// Returns all settings.
pub(super) fn settings() -> impl Iterator<Item = &'static Setting> {
    ENUMERATED.iter().chain([&WEBHOOK_TIMEOUT])
}

/// Defines [`Dialect`] and the types of its settings. A row has the documentation, the name and the type
/// of a setting, and its values, the default first. `in DIALECT` gives a value to that named dialect.
macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ident {
            $(#[doc = $default_doc:literal])*
            $default:ident = $default_name:literal,
            $($(#[doc = $value_doc:literal])* $value:ident = $name:literal $(in $dialect:ident)?,)*
        }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
            #[non_exhaustive]
            pub enum $type {
                $(#[doc = $default_doc])*
                #[default]
                #[serde(rename = $default_name)]
                $default,
                $($(#[doc = $value_doc])* #[serde(rename = $name)] $value,)*
            }
        )*

        static ENUMERATED: &[Setting] = &[$(
            Setting {
                name: stringify!($setting),
                #[cfg(test)]
                documentation: concat!($($doc),*),
                default: SettingValue {
                    name: $default_name,
                    #[cfg(test)]
                    documentation: concat!($($default_doc),*),
                    dialects: &[],
                    apply: |dialect| dialect.$setting = $type::$default,
                },
                alternatives: &[$(
                    SettingValue {
                        name: $name,
                        #[cfg(test)]
                        documentation: concat!($($value_doc),*),
                        dialects: &[$(stringify!($dialect))?],
                        apply: |dialect| dialect.$setting = $type::$value,
                    },
                )*],
            },
        )*];

        /// The set of choices that the mock makes where the specification is silent.
        ///
        /// A correct client works under every dialect, so a test suite can run once under each of
        /// [`Dialect::alternatives`]. As JSON a dialect is an object with a field for each setting, in snake
        /// case; missing fields have their defaults, and unknown fields are rejected.
        ///
        /// ```
        /// use mock_server::dialect::Ids;
        /// use mock_server::{Dialect, Request, World, handle};
        ///
        /// let mut dialect = Dialect::default();
        /// dialect.ids = Ids::Integer;
        /// assert_eq!(dialect, Dialect::from_json(r#"{"ids": "integer"}"#)?);
        /// assert_ne!(Dialect::named("random:7")?, Dialect::random(8));
        /// for (setting, alternative, other) in dialect.variations() {
        ///     assert_ne!(other, dialect, "{setting}: {alternative}");
        /// }
        ///
        /// let mut world = World::new(0);
        /// world.set_dialect(dialect);
        /// let request = Request::new("DELETE", "/api/v1/me/links/1")
        ///     .header("Authorization", format!("Bearer {}", world.keys().all));
        /// assert_eq!(handle(&mut world, &request).status, 204);
        /// # Ok::<(), mock_server::InvalidInput>(())
        /// ```
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        #[non_exhaustive]
        pub struct Dialect {
            $($(#[doc = $doc])* pub $setting: $type,)*
            /// The timeout of a webhook delivery.
            pub webhook_timeout: WebhookTimeout,
            /// The status codes, codes and messages of rejections, in place of those of the mock.
            #[serde(skip_serializing_if = "is_default")]
            #[doc(hidden)]
            pub rejections: Rejections,
            /// The bodies of rejections, in place of [`error_body`](Self::error_body).
            #[serde(skip_serializing_if = "Option::is_none")]
            #[doc(hidden)]
            pub error_template: Option<ErrorTemplate>,
            /// The names of the headers about the rate limit, in place of
            /// [`rate_limit_headers`](Self::rate_limit_headers).
            #[serde(skip_serializing_if = "Option::is_none")]
            #[doc(hidden)]
            pub rate_limit_header_names: Option<RateLimitHeaderNames>,
            /// The status codes of successful writes, in place of those of
            /// [`write_responses`](Self::write_responses).
            #[serde(skip_serializing_if = "is_default", deserialize_with = "input::nested_object")]
            #[doc(hidden)]
            pub write_statuses: WriteStatuses,
            /// Fields of responses that the specification does not list.
            #[serde(skip_serializing_if = "is_default")]
            #[doc(hidden)]
            pub extra_fields: ExtraFields,
        }
    };
}

settings! {
    /// The type of `api_visible`, which the specification calls "boolean-style".
    api_visible: ApiVisible {
        /// `true` or `false`.
        Boolean = "boolean",
        /// `1` or `0`.
        Integer = "integer",
        /// `"true"` or `"false"`.
        String = "string",
    }

    /// The fields of `key` besides the scopes and the rate limit.
    key_object: KeyObject {
        /// No other fields.
        Plain = "plain",
        /// `name` (a string) and `owner` (an object with the handle).
        ExtraFields = "extra_fields" in maximal,
    }

    /// The shape of `key.scopes`.
    key_scopes: KeyScopes {
        /// `["links:write", "social:write"]`.
        Array = "array",
        /// `"links:write social:write"`.
        SpaceSeparated = "space_separated" in minimal,
        /// `"links:write,social:write"`.
        CommaSeparated = "comma_separated",
    }

    /// The shape of `key.rate_limit`.
    key_rate_limit: KeyRateLimit {
        /// `{"limit": 1000000, "window_seconds": 60}`.
        Object = "object",
        /// `1000000`.
        Number = "number" in minimal,
    }

    /// The fields of the public profile in the responses to `GET /me` and to edits of the profile.
    me_fields: MeFields {
        /// The editable fields, `handle`, `links`, `posts` and `badges`.
        Full = "full",
        /// Only the editable fields.
        Minimal = "minimal" in minimal,
    }

    /// The type of the IDs of links and posts.
    ids: Ids {
        /// `"link_6"`; `link_6` in paths.
        String = "string",
        /// `6`; `6` in paths. An ID that does not end in a number stays a string; only a hand-written
        /// state has such IDs.
        Integer = "integer",
        /// A UUID in lower case, derived from the ID of the default, in responses and in paths.
        Uuid = "uuid",
    }

    /// The fields of links and posts that the specification does not list.
    resource_fields: ResourceFields {
        /// `created_at`.
        CreatedAt = "created_at",
        /// No other fields.
        Bare = "bare" in minimal,
        /// `created_at` and `metadata`, an object that contains an array and an object.
        Nested = "nested" in maximal,
    }

    /// The response to a successful write.
    write_responses: WriteResponses {
        /// 201 with the created resource, 200 with the edited one or the public profile, 204 without a
        /// body for a deletion.
        Resource = "resource",
        /// 200 with `{"data": {}}` for every write.
        EmptyData = "empty_data",
        /// 200 with `{"data": null}` for every write.
        NullData = "null_data",
        /// 204 without a body for every write.
        NoContent = "no_content" in minimal,
    }

    /// The treatment of unknown fields in the bodies of links and posts. In edits of the profile they
    /// are always rejected, as the specification requires.
    unknown_fields: UnknownFields {
        /// The request is rejected.
        Rejected = "rejected",
        /// Unknown fields are ignored.
        Ignored = "ignored",
    }

    /// The form in which the URL of a link is stored.
    link_urls: LinkUrls {
        /// Exactly as it was sent.
        AsSent = "as_sent",
        /// As the `url` crate writes it after parsing: `https://example.com/` for `HTTPS://Example.com`.
        Parsed = "parsed",
    }

    /// The shape of `GET /me/analytics`.
    analytics: AnalyticsShape {
        /// `{"views": n, "likes": n, "social": {"followers": n, "following": n, "comments": n}}`.
        Social = "social",
        /// `{"views": n, "likes": n, "followers": n, "following": n, "comments": n}`.
        Flat = "flat" in minimal,
        /// The same as `social`, with `{"total": n}` instead of each number.
        Totals = "totals" in maximal,
    }

    /// The kinds of badges that `GET /badges` lists.
    badge_kinds: BadgeKinds {
        /// `auto`, the only kind in the specification.
        Auto = "auto",
        /// `auto`, and one badge of the kind `manual`.
        Extra = "extra" in maximal,
    }

    /// The form of `devices` and `countries` in the statistics of another profile.
    other_statistics: OtherStatistics {
        /// The fields are omitted.
        Omitted = "omitted",
        /// `{}` and `[]`.
        Empty = "empty" in maximal,
        /// `null` and `null`.
        Null = "null",
    }

    /// The access to `GET /badges` and `GET /stats`.
    reference_data: ReferenceData {
        /// A key is optional, but an invalid key is rejected.
        Open = "open",
        /// Any valid key is accepted; a request without a key is rejected with 401.
        KeyRequired = "key_required" in maximal,
    }

    /// The response to a value of `days` that is out of range.
    days_out_of_range: DaysOutOfRange {
        /// The status code of `content_rejection`.
        Unprocessable = "unprocessable",
        /// 400, also for a value that is not an integer or is repeated.
        BadRequest = "bad_request",
        /// The nearest allowed number is used. A value that is not an integer is still rejected.
        Clamped = "clamped",
    }

    /// The status code for a JSON object with invalid content, such as an unknown field or an exceeded
    /// limit.
    content_rejection: ContentRejection {
        /// 422.
        Unprocessable = "unprocessable",
        /// 400.
        BadRequest = "bad_request",
    }

    /// The status code for a key without the required scope.
    scope_rejection: ScopeRejection {
        /// 403.
        Forbidden = "forbidden",
        /// 401.
        Unauthorized = "unauthorized",
    }

    /// The shape of the body of a rejection.
    error_body: ErrorBody {
        /// `{"error": {"code": "unknown_field", "field": "nickname", "message": "…"}}`.
        Nested = "nested",
        /// `{"code": "unknown_field", "field": "nickname", "message": "…"}`.
        Flat = "flat",
        /// RFC 9457 (`application/problem+json`): `type`, `title`, `status`, `detail`, and the extensions
        /// `code` and `field`.
        ProblemDetails = "problem_details" in maximal,
        /// `{"detail": "…"}` with the message.
        Detail = "detail",
        /// Only the message, as `text/plain`.
        PlainText = "plain_text",
        /// An HTML page with the status code and the message.
        Html = "html",
        /// No body and no content type.
        Empty = "empty" in minimal,
    }

    /// The response to a request that exceeds the rate limit.
    rate_limit_rejection: RateLimitRejection {
        /// 429 with `Retry-After`. With a known key, all responses of endpoints but 413 have rate-limit headers.
        TooManyRequests = "too_many_requests",
        /// 429. Responses have no headers about the rate limit.
        WithoutHeaders = "without_headers" in minimal,
        /// 503 with `Retry-After`. With a known key, all responses of endpoints but 413 have rate-limit headers.
        ServiceUnavailable = "service_unavailable",
    }

    /// The compression of responses.
    compression: Compression {
        /// Responses are not compressed.
        None = "none",
        /// Responses with a body are compressed with gzip if the request accepts it in
        /// `Accept-Encoding`. The journal keeps the uncompressed body;
        /// `mock_server::handle` never compresses.
        Gzip = "gzip",
    }

    /// The names of the headers with the limit, the remaining requests and the end of the window.
    rate_limit_headers: RateLimitHeaders {
        /// `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, as in the IETF draft up to
        /// version 07.
        RateLimit = "rate_limit",
        /// `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.
        XRateLimit = "x_rate_limit",
    }

    /// The end of a window in the headers about the rate limit.
    rate_limit_reset: RateLimitReset {
        /// The number of seconds until the end.
        Seconds = "seconds",
        /// The end as Unix time, in seconds.
        UnixTime = "unix_time",
    }

    /// The form of `Retry-After` (RFC 9110, section 10.2.3).
    retry_after: RetryAfter {
        /// A number of seconds.
        Seconds = "seconds",
        /// A date such as `Sun, 01 Mar 2026 12:01:00 GMT`, by the clock of the world, as in `Date`.
        Date = "date",
    }

    /// The encoding of the digest in `X-Service-Signature`.
    webhook_signature_encoding: SignatureEncoding {
        /// Hexadecimal digits in lower case.
        Hex = "hex",
        /// Base64 with `+`, `/` and padding (RFC 4648, section 4).
        Base64 = "base64",
    }

    /// The shape of the body of an event.
    webhook_payload: WebhookPayload {
        /// `{"type": "follow.created", "created_at": "2026-03-01T12:00:00Z", "data": {…}}`.
        Envelope = "envelope",
        /// Only the value of `data`, as JSON.
        Bare = "bare" in minimal,
        /// Plain text instead of JSON: the string itself if `data` is a string, otherwise the line
        /// `kind at instant: data`.
        NotJson = "not_json",
    }
}

static WEBHOOK_TIMEOUT: Setting = Setting {
    name: "webhook_timeout",
    #[cfg(test)]
    documentation: " The timeout of a webhook delivery, a number of seconds above 0.",
    default: SettingValue {
        name: "10",
        #[cfg(test)]
        documentation: " 10 seconds.",
        dialects: &[],
        apply: |dialect| dialect.webhook_timeout = WebhookTimeout::default(),
    },
    alternatives: &[SettingValue {
        name: "1",
        #[cfg(test)]
        documentation: " 1 second. Any other positive number is valid, too.",
        dialects: &[],
        apply: |dialect| dialect.webhook_timeout = WebhookTimeout(Duration::from_secs(1)),
    }],
};

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
