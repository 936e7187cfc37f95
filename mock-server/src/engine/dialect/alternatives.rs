//! The table of all settings of a dialect with their alternatives to the default.

use serde_json::Value;

use super::Dialect;
use crate::engine::seeded_hash::SeededHash;

/// The name of a setting and its alternatives, as in JSON.
type Setting = (&'static str, &'static [&'static str]);

#[rustfmt::skip]
const SETTINGS: [Setting; 25] = [
    ("api_visible", &["integer", "string"]),
    ("key_object", &["extra_fields"]),
    ("key_scopes", &["space_separated", "comma_separated"]),
    ("key_rate_limit", &["number"]),
    ("me_fields", &["minimal"]),
    ("ids", &["integer", "uuid"]),
    ("resource_fields", &["bare", "nested"]),
    ("write_responses", &["empty_data", "null_data", "no_content"]),
    ("unknown_fields", &["ignored"]),
    ("analytics", &["flat", "totals"]),
    ("badge_kinds", &["extra"]),
    ("other_statistics", &["empty", "null"]),
    ("reference_data", &["key_required"]),
    ("days_out_of_range", &["bad_request", "clamped"]),
    ("content_rejection", &["bad_request"]),
    ("scope_rejection", &["unauthorized"]),
    ("error_body", &["flat", "problem_details", "detail", "plain_text", "html", "empty"]),
    ("rate_limit_rejection", &["without_headers", "service_unavailable"]),
    ("compression", &["gzip"]),
    ("rate_limit_headers", &["x_rate_limit"]),
    ("rate_limit_reset", &["unix_time"]),
    ("retry_after", &["date"]),
    ("webhook_signature_encoding", &["base64"]),
    ("webhook_payload", &["bare", "not_json"]),
    ("webhook_timeout", &["1"]),
];

/// Returns every setting with its alternatives in JSON.
pub(crate) fn settings_with_alternatives() -> impl Iterator<Item = (&'static str, Vec<Value>)> {
    let all = SETTINGS.iter();
    all.map(|(setting, all)| (*setting, all.iter().map(|one| value(one)).collect()))
}

/// Returns the alternatives to the settings of a dialect.
pub(super) fn of(base: Dialect) -> impl Iterator<Item = (&'static str, &'static str, Dialect)> {
    let all = SETTINGS
        .iter()
        .flat_map(|(setting, all)| all.iter().map(|alternative| (*setting, *alternative)));
    all.filter_map(move |(setting, alternative)| {
        let dialect = with(&base, setting, alternative);
        (dialect != base).then_some((setting, alternative, dialect))
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
        if let Some(alternative) = chosen {
            dialect = with(&dialect, setting, alternative);
        }
    }
    dialect
}

/// Returns the dialect with another value of a setting.
fn with(dialect: &Dialect, setting: &str, alternative: &str) -> Dialect {
    let mut settings = serde_json::to_value(dialect).expect("a dialect has a JSON form");
    settings[setting] = value(alternative);
    serde_json::from_value(settings).expect("the table lists valid values")
}

/// Returns the JSON form: a number for the timeout, and a string for every other setting.
fn value(alternative: &str) -> Value {
    let number = alternative.parse::<u64>().map(Value::from);
    number.unwrap_or_else(|_| Value::from(alternative))
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
                .chain(alternatives.iter().copied());
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
