//! The dialect: one setting for each choice that the specification leaves open.

mod observed;
mod settings;

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::settings::{Setting, SettingValue, settings};
use crate::engine::seeded_hash::SeededHash;
use crate::input::{self, InvalidInput, Result};
use crate::redaction::SafeUrl;

pub use observed::WebhookTimeout;
#[doc(hidden)]
pub use observed::{ErrorTemplate, ExtraFields, RateLimitHeaderNames, Rejections, WriteStatuses};
pub(super) use observed::{Place, Values};
pub use settings::*;

impl Dialect {
    /// Returns a dialect whose responses contain as little as possible.
    pub fn minimal() -> Self {
        named("minimal")
    }

    /// Returns a dialect with extra fields in responses and a key required by every endpoint.
    pub fn maximal() -> Self {
        named("maximal")
    }

    /// Returns a dialect with random settings, determined by the seed.
    pub fn random(seed: u64) -> Self {
        let mut dialect = Self::default();
        let hash = SeededHash::new(seed).mix_str("dialect");
        // The default is as likely as each alternative.
        for setting in settings() {
            let values = setting.alternatives;
            let drawn = hash.mix_str(setting.name).below(values.len() as u64 + 1);
            if let Some(value) = values.get(drawn as usize) {
                (value.apply)(&mut dialect);
            }
        }
        dialect
    }

    /// Returns the dialect with this name: `default`, `minimal`, `maximal`, or `random:` and a seed.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] for any other name.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "default" | "minimal" | "maximal" => Ok(named(name)),
            _ => {
                let seed = name.strip_prefix("random:");
                let seed = seed.and_then(|seed| seed.parse().ok());
                seed.map(Self::random).ok_or_else(|| {
                    let name = SafeUrl(name);
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
    pub fn from_json(text: &str) -> Result<Self> {
        DialectFile::from_json(text).map(|file| file.settings)
    }

    /// Returns every alternative of every setting: the name of the setting, the name of the
    /// alternative, and a dialect that differs from the default only in this setting.
    pub fn alternatives() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        Self::default().variations()
    }

    /// Returns every alternative of every setting as [`alternatives`](Self::alternatives) does, with
    /// dialects that differ from this one only in the setting.
    pub fn variations(&self) -> impl Iterator<Item = (&'static str, &'static str, Self)> + use<> {
        let base = self.clone();
        let values =
            |setting: &'static Setting| setting.alternatives.iter().map(|one| (setting.name, one));
        settings()
            .flat_map(values)
            .filter_map(move |(setting, value)| {
                let dialect = with(&base, value);
                (dialect != base).then_some((setting, value.name, dialect))
            })
    }

    /// Returns `true` if responses have headers about the rate limit.
    pub(super) fn sends_rate_limit_headers(&self) -> bool {
        self.rate_limit_rejection != RateLimitRejection::WithoutHeaders
    }
}

/// A dialect with the samples from which it was learned, as `mock-server-learn` writes it.
///
/// ```
/// use mock_server::dialect::{DialectFile, Ids};
///
/// let file = DialectFile::from_json(
///     r#"{
///         "settings": {"ids": "integer"},
///         "learned": {
///             "at": "2026-03-01T12:00:00Z",
///             "host": "api.example.com",
///             "evidence": {"ids": {
///                 "result": "learned",
///                 "sample": {"found": "integer", "request": "GET /me", "status": 200},
///                 "value": "integer"
///             }}
///         }
///     }"#,
/// )?;
/// assert_eq!(file.settings.ids, Ids::Integer);
/// assert_eq!(file.learned.unwrap().host, "api.example.com");
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DialectFile {
    /// The settings; missing ones have their defaults.
    #[serde(deserialize_with = "input::nested_object")]
    pub settings: Dialect,
    /// The origin of the settings, if they were learned from a running service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
}

/// The origin of learned settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// The instant as RFC 3339, such as `2026-03-01T12:00:00Z`.
    pub at: String,
    /// The host of the service.
    pub host: String,
    /// A sample of a response for each learned setting, and for what no dialect has, by the name of the row
    /// in the report.
    pub evidence: BTreeMap<String, Value>,
}

impl DialectFile {
    /// Parses a file. An object without `settings` and `learned` contains the settings themselves.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `text` is not a JSON object or contains an unknown field, setting
    /// or value.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_value(input::value(text.as_bytes())?)
    }

    pub(crate) fn from_value(value: Value) -> Result<Self> {
        if value.get("settings").is_some() || value.get("learned").is_some() {
            return input::object_in(value);
        }
        Ok(Self {
            settings: input::object_in(value)?,
            learned: None,
        })
    }
}

/// A setting with its default and its alternatives in JSON.
#[derive(Serialize)]
pub(crate) struct SettingJson {
    setting: &'static str,
    default: Value,
    alternatives: Vec<Value>,
}

/// Returns every setting.
pub(crate) fn settings_with_alternatives() -> Vec<SettingJson> {
    let settings = settings().map(|setting| {
        let json = |value: &SettingValue| json(setting, &with(&Dialect::default(), value));
        SettingJson {
            setting: setting.name,
            default: json(&setting.default),
            alternatives: setting.alternatives.iter().map(json).collect(),
        }
    });
    settings.collect()
}

/// Returns the dialect with the values that belong to a named dialect.
fn named(name: &str) -> Dialect {
    let mut dialect = Dialect::default();
    let values = settings().flat_map(|setting| setting.alternatives);
    for value in values.filter(|value| value.dialects.contains(&name)) {
        (value.apply)(&mut dialect);
    }
    dialect
}

/// Returns the dialect with another value of a setting.
fn with(dialect: &Dialect, value: &SettingValue) -> Dialect {
    let mut dialect = dialect.clone();
    (value.apply)(&mut dialect);
    dialect
}

/// Returns the value of a setting in JSON.
fn json(setting: &Setting, dialect: &Dialect) -> Value {
    let mut settings = serde_json::to_value(dialect).expect("a dialect has a JSON form");
    settings[setting.name].take()
}

impl SignatureEncoding {
    /// Encodes a digest, without the prefix `sha256=`.
    ///
    /// ```
    /// use mock_server::dialect::SignatureEncoding;
    ///
    /// assert_eq!(SignatureEncoding::Hex.encode(&[0xfb, 0xff]), "fbff");
    /// assert_eq!(SignatureEncoding::Base64.encode(&[0xfb, 0xff]), "+/8=");
    /// ```
    pub fn encode(self, digest: &[u8]) -> String {
        match self {
            Self::Hex => hex::encode(digest),
            Self::Base64 => STANDARD.encode(digest),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_has_its_name_in_json() {
        for setting in settings() {
            for value in [&setting.default].into_iter().chain(setting.alternatives) {
                let number = value.name.parse::<u64>().map(Value::from);
                let expected = number.unwrap_or_else(|_| value.name.into());
                let dialect = with(&Dialect::default(), value);
                assert_eq!(json(setting, &dialect), expected);
                let read = serde_json::from_value(json!({ setting.name: expected }));
                assert_eq!(read.ok(), Some(dialect));
            }
        }
    }

    #[test]
    fn random_dialects_include_every_value() {
        let drawn: Vec<_> = (0..100).map(Dialect::random).collect();
        for setting in settings() {
            for value in [&setting.default].into_iter().chain(setting.alternatives) {
                let is_drawn = |dialect: &Dialect| with(dialect, value) == *dialect;
                assert!(
                    drawn.iter().any(is_drawn),
                    "{} {}",
                    setting.name,
                    value.name
                );
            }
        }
    }

    /// Returns the rows of the documentation.
    fn table() -> String {
        let row = |setting: &Setting| {
            let values = [&setting.default].into_iter().chain(setting.alternatives);
            let values = values.map(|value| format!("`{}`:{}", value.name, value.documentation));
            let values: Vec<_> = values.collect();
            let documentation = setting.documentation.trim();
            format!(
                "| `{}` | {documentation} | {} |\n",
                setting.name,
                values.join("<br>")
            )
        };
        settings().map(row).collect()
    }

    #[test]
    fn the_page_about_dialects_has_the_table() {
        // Read when the test runs, since another test writes a list in it.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md");
        let page = std::fs::read_to_string(path).unwrap();
        let head = "| Setting | Meaning | Values, the default first |\n|---|---|---|\n";
        let (before, after) = page.split_once(head).expect("the head of the table");
        let (_, after) = after.split_once("\n\n").expect("the end of the table");
        let expected = format!("{before}{head}{}\n{after}", table());
        expect_file!["../../../docs/dialects.md"].assert_eq(&expected);
    }
}
