//! The dialect: one setting for each choice that the specification leaves open.

mod alternatives;
mod error_template;
mod extra_fields;
mod file;
mod observed;
mod settings;
mod timeout;
mod webhook;

use serde::{Deserialize, Serialize};

use crate::input::InvalidInput;

pub(crate) use alternatives::settings_with_alternatives;
pub use error_template::ErrorTemplate;
pub(super) use error_template::Values;
pub use extra_fields::ExtraFields;
pub(super) use extra_fields::Place;
pub use file::{DialectFile, Learned};
pub use observed::{RateLimitHeaderNames, Rejections, WriteStatuses};
pub use settings::{
    AnalyticsShape, ApiVisible, BadgeKinds, Compression, ContentRejection, DaysOutOfRange,
    ErrorBody, Ids, KeyObject, KeyRateLimit, KeyScopes, MeFields, OtherStatistics,
    RateLimitHeaders, RateLimitRejection, RateLimitReset, ReferenceData, ResourceFields,
    RetryAfter, ScopeRejection, UnknownFields, WriteResponses,
};
pub use timeout::WebhookTimeout;
pub use webhook::{SignatureEncoding, WebhookPayload};

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
/// assert_eq!(dialect, serde_json::from_str(r#"{"ids": "integer"}"#)?);
///
/// let mut world = World::new(0);
/// world.set_dialect(dialect);
/// let request = Request::new("DELETE", "/api/v1/me/links/1")
///     .header("Authorization", format!("Bearer {}", world.keys().all));
/// assert_eq!(handle(&mut world, &request).status, 204);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Dialect {
    /// The type of `api_visible` in `GET /me`.
    pub api_visible: ApiVisible,
    /// The fields of `key` in `GET /me`.
    pub key_object: KeyObject,
    /// The shape of `key.scopes`.
    pub key_scopes: KeyScopes,
    /// The shape of `key.rate_limit`.
    pub key_rate_limit: KeyRateLimit,
    /// The fields of `GET /me`.
    pub me_fields: MeFields,
    /// The type of the ids of links and posts.
    pub ids: Ids,
    /// The fields of links and posts that the specification does not list.
    pub resource_fields: ResourceFields,
    /// The response to a successful write.
    pub write_responses: WriteResponses,
    /// The treatment of unknown fields in the bodies of links and posts.
    pub unknown_fields: UnknownFields,
    /// The shape of `GET /me/analytics`.
    pub analytics: AnalyticsShape,
    /// The kinds of badges that `GET /badges` lists.
    pub badge_kinds: BadgeKinds,
    /// The form of `devices` and `countries` in the statistics of another profile.
    pub other_statistics: OtherStatistics,
    /// The access to `GET /badges` and `GET /stats`.
    pub reference_data: ReferenceData,
    /// The response to a value of `days` that is out of range.
    pub days_out_of_range: DaysOutOfRange,
    /// The status code for unknown fields and exceeded limits.
    pub content_rejection: ContentRejection,
    /// The status code for a missing scope.
    pub scope_rejection: ScopeRejection,
    /// The shape of the body of a rejection.
    pub error_body: ErrorBody,
    /// The response to a request that exceeds the rate limit.
    pub rate_limit_rejection: RateLimitRejection,
    /// The compression of responses.
    pub compression: Compression,
    /// The names of the headers about the rate limit.
    pub rate_limit_headers: RateLimitHeaders,
    /// The form of the end of a window in these headers.
    pub rate_limit_reset: RateLimitReset,
    /// The form of `Retry-After`.
    pub retry_after: RetryAfter,
    /// The encoding of the digest in `X-Service-Signature`.
    pub webhook_signature_encoding: SignatureEncoding,
    /// The shape of the body of an event.
    pub webhook_payload: WebhookPayload,
    /// The timeout of a webhook delivery.
    pub webhook_timeout: WebhookTimeout,
    /// The status codes, codes and messages of rejections, in place of those of the mock.
    #[serde(skip_serializing_if = "is_default")]
    pub rejections: Rejections,
    /// The bodies of rejections, in place of [`error_body`](Self::error_body).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_template: Option<ErrorTemplate>,
    /// The names of the headers about the rate limit, in place of
    /// [`rate_limit_headers`](Self::rate_limit_headers).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit_header_names: Option<RateLimitHeaderNames>,
    /// The status codes of successful writes, in place of those of
    /// [`write_responses`](Self::write_responses).
    #[serde(skip_serializing_if = "is_default")]
    pub write_statuses: WriteStatuses,
    /// Fields of responses that the specification does not list.
    #[serde(skip_serializing_if = "is_default")]
    pub extra_fields: ExtraFields,
}

impl Dialect {
    /// Returns a dialect whose responses contain as little as possible.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// use mock_server::dialect::ErrorBody;
    /// assert_eq!(Dialect::minimal().error_body, ErrorBody::Empty);
    /// ```
    pub fn minimal() -> Self {
        Self {
            key_scopes: KeyScopes::SpaceSeparated,
            key_rate_limit: KeyRateLimit::Number,
            me_fields: MeFields::Minimal,
            resource_fields: ResourceFields::Bare,
            write_responses: WriteResponses::NoContent,
            analytics: AnalyticsShape::Flat,
            error_body: ErrorBody::Empty,
            rate_limit_rejection: RateLimitRejection::WithoutHeaders,
            webhook_payload: WebhookPayload::Bare,
            ..Self::default()
        }
    }

    /// Returns a dialect with extra fields in responses and a key required by every endpoint.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// use mock_server::dialect::KeyObject;
    /// assert_eq!(Dialect::maximal().key_object, KeyObject::ExtraFields);
    /// ```
    pub fn maximal() -> Self {
        Self {
            key_object: KeyObject::ExtraFields,
            resource_fields: ResourceFields::Nested,
            analytics: AnalyticsShape::Totals,
            badge_kinds: BadgeKinds::Extra,
            other_statistics: OtherStatistics::Empty,
            reference_data: ReferenceData::KeyRequired,
            error_body: ErrorBody::ProblemDetails,
            ..Self::default()
        }
    }

    /// Returns a dialect with random settings, determined by the seed.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// assert_eq!(Dialect::random(7), Dialect::random(7));
    /// assert_ne!(Dialect::random(7), Dialect::random(8));
    /// ```
    pub fn random(seed: u64) -> Self {
        alternatives::random(seed)
    }

    /// Returns the dialect with this name: `default`, `minimal`, `maximal`, or `random:` and a seed.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] for any other name.
    ///
    /// ```
    /// use mock_server::Dialect;
    ///
    /// assert_eq!(Dialect::named("random:7")?, Dialect::random(7));
    /// assert_eq!(
    ///     Dialect::named("tiny").unwrap_err().to_string(),
    ///     "unknown dialect `tiny`; expected default, minimal, maximal, or random: and a seed, \
    ///      such as random:7",
    /// );
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, InvalidInput> {
        match name {
            "default" => Ok(Self::default()),
            "minimal" => Ok(Self::minimal()),
            "maximal" => Ok(Self::maximal()),
            _ => {
                let seed = name.strip_prefix("random:");
                let seed = seed.and_then(|seed| seed.parse().ok());
                seed.map(Self::random).ok_or_else(|| {
                    let message = format!(
                        "unknown dialect `{name}`; expected default, minimal, maximal, or random: \
                         and a seed, such as random:7"
                    );
                    InvalidInput::new("invalid_dialect", message)
                })
            }
        }
    }

    /// Parses a dialect from a JSON object with the settings that differ from the default, or from a
    /// [`DialectFile`].
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `text` is not a JSON object or contains an unknown setting or
    /// value.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// use mock_server::dialect::Ids;
    ///
    /// assert_eq!(Dialect::from_json(r#"{"ids": "integer"}"#)?.ids, Ids::Integer);
    /// assert_eq!(
    ///     Dialect::from_json(r#""minimal""#).unwrap_err().to_string(),
    ///     "expected a JSON object",
    /// );
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, InvalidInput> {
        DialectFile::from_json(text).map(|file| file.settings)
    }

    /// Returns every alternative of every setting: the name of the setting, the name of the
    /// alternative, and a dialect that differs from the default only in this setting.
    ///
    /// ```
    /// use mock_server::Dialect;
    ///
    /// for (setting, alternative, dialect) in Dialect::alternatives() {
    ///     assert_ne!(dialect, Dialect::default(), "{setting}: {alternative}");
    /// }
    /// ```
    pub fn alternatives() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        Self::default().variations()
    }

    /// Returns every alternative of every setting as [`alternatives`](Self::alternatives) does, with
    /// dialects that differ from this one only in the setting.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// use mock_server::dialect::Ids;
    ///
    /// let dialect = Dialect::from_json(r#"{"ids": "uuid"}"#)?;
    /// for (setting, alternative, other) in dialect.variations() {
    ///     assert_ne!(other, dialect, "{setting}: {alternative}");
    ///     assert!(other.ids == Ids::Uuid || setting == "ids");
    /// }
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn variations(&self) -> impl Iterator<Item = (&'static str, &'static str, Self)> + use<> {
        alternatives::of(self.clone())
    }

    /// Returns `true` if responses have headers about the rate limit.
    pub(super) fn sends_rate_limit_headers(&self) -> bool {
        self.rate_limit_rejection != RateLimitRejection::WithoutHeaders
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
