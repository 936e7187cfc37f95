//! The file with a dialect and its origin.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Dialect;
use crate::input::InvalidInput;
use crate::input::read_json;

/// A dialect with the samples from which it was learned, as `mock-server learn` writes it.
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
///             "evidence": {"ids": {"request": "GET /me", "status": 200, "found": 7}}
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
    #[serde(deserialize_with = "read_json::nested_object")]
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
    /// A sample of a response for each learned setting, by the name of the setting.
    pub evidence: BTreeMap<String, Value>,
}

impl DialectFile {
    /// Parses a file. An object without `settings` and `learned` contains the settings themselves.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `text` is not a JSON object or contains an unknown field, setting
    /// or value.
    pub fn from_json(text: &str) -> Result<Self, InvalidInput> {
        Self::from_value(read_json::value(text.as_bytes())?)
    }

    pub(crate) fn from_value(value: Value) -> Result<Self, InvalidInput> {
        if value.get("settings").is_some() || value.get("learned").is_some() {
            return read_json::object_in(value);
        }
        let settings = read_json::object_in(value)?;
        Ok(Self {
            settings,
            learned: None,
        })
    }
}
