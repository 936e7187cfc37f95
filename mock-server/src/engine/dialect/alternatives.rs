//! The table of all settings of a dialect with their alternatives to the default.

use std::time::Duration;

use super::{
    AnalyticsShape, ApiVisible, BadgeKinds, Compression, ContentRejection, DaysOutOfRange, Dialect,
    ErrorBody, Ids, KeyObject, KeyRateLimit, KeyScopes, MeFields, OtherStatistics,
    RateLimitHeaders, RateLimitRejection, RateLimitReset, ReferenceData, ResourceFields,
    RetryAfter, ScopeRejection, SignatureEncoding, UnknownFields, WebhookPayload, WebhookTimeout,
    WriteResponses,
};
use crate::engine::seeded_hash::SeededHash;

/// The name of a setting and its alternatives, each with its name and a function that sets it.
type Setting = (&'static str, &'static [Alternative]);
type Alternative = (&'static str, fn(&mut Dialect));

#[rustfmt::skip]
const SETTINGS: [Setting; 25] = [
    ("api_visible", &[
        ("integer", |dialect| dialect.api_visible = ApiVisible::Integer),
        ("string", |dialect| dialect.api_visible = ApiVisible::String),
    ]),
    ("key_object", &[
        ("extra_fields", |dialect| dialect.key_object = KeyObject::ExtraFields),
    ]),
    ("key_scopes", &[
        ("space_separated", |dialect| dialect.key_scopes = KeyScopes::SpaceSeparated),
        ("comma_separated", |dialect| dialect.key_scopes = KeyScopes::CommaSeparated),
    ]),
    ("key_rate_limit", &[
        ("number", |dialect| dialect.key_rate_limit = KeyRateLimit::Number),
    ]),
    ("me_fields", &[
        ("minimal", |dialect| dialect.me_fields = MeFields::Minimal),
    ]),
    ("ids", &[
        ("integer", |dialect| dialect.ids = Ids::Integer),
        ("uuid", |dialect| dialect.ids = Ids::Uuid),
    ]),
    ("resource_fields", &[
        ("bare", |dialect| dialect.resource_fields = ResourceFields::Bare),
        ("nested", |dialect| dialect.resource_fields = ResourceFields::Nested),
    ]),
    ("write_responses", &[
        ("empty_data", |dialect| dialect.write_responses = WriteResponses::EmptyData),
        ("null_data", |dialect| dialect.write_responses = WriteResponses::NullData),
        ("no_content", |dialect| dialect.write_responses = WriteResponses::NoContent),
    ]),
    ("unknown_fields", &[
        ("ignored", |dialect| dialect.unknown_fields = UnknownFields::Ignored),
    ]),
    ("analytics", &[
        ("flat", |dialect| dialect.analytics = AnalyticsShape::Flat),
        ("totals", |dialect| dialect.analytics = AnalyticsShape::Totals),
    ]),
    ("badge_kinds", &[
        ("extra", |dialect| dialect.badge_kinds = BadgeKinds::Extra),
    ]),
    ("other_statistics", &[
        ("empty", |dialect| dialect.other_statistics = OtherStatistics::Empty),
        ("null", |dialect| dialect.other_statistics = OtherStatistics::Null),
    ]),
    ("reference_data", &[
        ("key_required", |dialect| dialect.reference_data = ReferenceData::KeyRequired),
    ]),
    ("days_out_of_range", &[
        ("bad_request", |dialect| dialect.days_out_of_range = DaysOutOfRange::BadRequest),
        ("clamped", |dialect| dialect.days_out_of_range = DaysOutOfRange::Clamped),
    ]),
    ("content_rejection", &[
        ("bad_request", |dialect| dialect.content_rejection = ContentRejection::BadRequest),
    ]),
    ("scope_rejection", &[
        ("unauthorized", |dialect| dialect.scope_rejection = ScopeRejection::Unauthorized),
    ]),
    ("error_body", &[
        ("flat", |dialect| dialect.error_body = ErrorBody::Flat),
        ("problem_details", |dialect| dialect.error_body = ErrorBody::ProblemDetails),
        ("detail", |dialect| dialect.error_body = ErrorBody::Detail),
        ("plain_text", |dialect| dialect.error_body = ErrorBody::PlainText),
        ("html", |dialect| dialect.error_body = ErrorBody::Html),
        ("empty", |dialect| dialect.error_body = ErrorBody::Empty),
    ]),
    ("rate_limit_rejection", &[
        ("without_headers", |dialect| {
            dialect.rate_limit_rejection = RateLimitRejection::WithoutHeaders;
        }),
        ("service_unavailable", |dialect| {
            dialect.rate_limit_rejection = RateLimitRejection::ServiceUnavailable;
        }),
    ]),
    ("compression", &[
        ("gzip", |dialect| dialect.compression = Compression::Gzip),
    ]),
    ("rate_limit_headers", &[
        ("x_rate_limit", |dialect| dialect.rate_limit_headers = RateLimitHeaders::XRateLimit),
    ]),
    ("rate_limit_reset", &[
        ("unix_time", |dialect| dialect.rate_limit_reset = RateLimitReset::UnixTime),
    ]),
    ("retry_after", &[
        ("date", |dialect| dialect.retry_after = RetryAfter::Date),
    ]),
    ("webhook_signature_encoding", &[
        ("base64", |dialect| dialect.webhook_signature_encoding = SignatureEncoding::Base64),
    ]),
    ("webhook_payload", &[
        ("bare", |dialect| dialect.webhook_payload = WebhookPayload::Bare),
        ("not_json", |dialect| dialect.webhook_payload = WebhookPayload::NotJson),
    ]),
    ("webhook_timeout", &[
        ("1", |dialect| dialect.webhook_timeout = WebhookTimeout(Duration::from_secs(1))),
    ]),
];

/// Returns the alternatives to the settings of a dialect.
pub(super) fn of(base: Dialect) -> impl Iterator<Item = (&'static str, &'static str, Dialect)> {
    let all = SETTINGS
        .iter()
        .flat_map(|(setting, all)| all.iter().map(|(name, set)| (*setting, *name, set)));
    all.filter_map(move |(setting, name, set)| {
        let mut dialect = base.clone();
        set(&mut dialect);
        (dialect != base).then_some((setting, name, dialect))
    })
}

/// Draws each setting; the default is as likely as each alternative.
pub(super) fn random(seed: u64) -> Dialect {
    let mut dialect = Dialect::default();
    for (setting, alternatives) in SETTINGS {
        let drawn = SeededHash::new(seed).mix_str("dialect").mix_str(setting);
        let index = drawn.below(alternatives.len() as u64 + 1);
        let chosen = usize::try_from(index)
            .ok()
            .and_then(|index| alternatives.get(index));
        if let Some((_, set)) = chosen {
            set(&mut dialect);
        }
    }
    dialect
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fields(dialect: &Dialect) -> serde_json::Map<String, Value> {
        serde_json::to_value(dialect)
            .unwrap()
            .as_object()
            .unwrap()
            .clone()
    }

    #[test]
    fn an_alternative_changes_only_its_setting_to_the_named_value() {
        for (setting, alternative, dialect) in of(Dialect::default()) {
            let mut expected = fields(&Dialect::default());
            let value = match alternative.parse::<u64>() {
                Ok(number) => json!(number),
                Err(_) => json!(alternative),
            };
            assert_ne!(
                expected.insert(setting.to_owned(), value.clone()),
                Some(value)
            );
            assert_eq!(fields(&dialect), expected);
        }
    }

    #[test]
    fn the_table_lists_every_setting_and_every_value() {
        let defaults = fields(&Dialect::default());
        assert_eq!(defaults.len(), SETTINGS.len());
        for (setting, alternatives) in SETTINGS {
            let Value::String(default) = &defaults[setting] else {
                assert_eq!(setting, "webhook_timeout");
                continue;
            };
            let known = [default.as_str()]
                .into_iter()
                .chain(alternatives.iter().map(|one| one.0));
            let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
            let error = serde_json::from_value::<Dialect>(json!({ setting: "?" })).unwrap_err();
            let expected = match known.as_slice() {
                [one, other] => format!("expected {one} or {other}"),
                several => format!("expected one of {}", several.join(", ")),
            };
            assert_eq!(
                error.to_string(),
                format!("unknown variant `?`, {expected}")
            );
        }
    }

    #[test]
    fn random_dialects_include_every_alternative() {
        let drawn: Vec<_> = (0..100).map(|seed| fields(&random(seed))).collect();
        for (setting, _, dialect) in of(Dialect::default()) {
            let (default, alternative) = (
                &fields(&Dialect::default())[setting],
                &fields(&dialect)[setting],
            );
            assert!(
                drawn.iter().any(|one| &one[setting] == alternative),
                "{setting}"
            );
            assert!(
                drawn.iter().any(|one| &one[setting] == default),
                "{setting}"
            );
        }
    }
}
