//! The calling key, in the response of `GET /me`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decode::count;
use crate::resources::extra::Extra;
use crate::values::Scopes;

/// The calling key: its scopes and its rate limit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct KeyInfo {
    /// The scopes of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// The rate limit of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// All other fields, as the service sent them.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The rate limit of a key. The specification does not define its shape or unit.
///
/// ```
/// use profile_sdk::RateLimit;
///
/// let limit: RateLimit = serde_json::from_str(r#"{"limit": 100, "window_seconds": 60}"#)?;
/// assert_eq!((limit.limit(), limit.window_seconds()), (Some(100), Some(60)));
/// let bare: RateLimit = serde_json::from_str("100")?;
/// assert_eq!((bare.limit(), bare.window_seconds()), (Some(100), None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RateLimit(Value);

impl RateLimit {
    /// Returns the number of requests per window, if it is known: a number, a string that starts
    /// with a number, or the field `limit`, `requests` or `max` of an object.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.field(&["limit", "requests", "max"])
            .or_else(|| leading_number(&self.0))
    }

    /// Returns the length of the window in seconds, if it is known: the field `window_seconds`,
    /// `window`, `period` or `per_seconds` of an object.
    #[must_use]
    pub fn window_seconds(&self) -> Option<u64> {
        self.field(&["window_seconds", "window", "period", "per_seconds"])
    }

    /// Returns the JSON value that the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }

    fn field(&self, names: &[&str]) -> Option<u64> {
        names
            .iter()
            .find_map(|name| leading_number(self.0.get(name)?))
    }
}

fn leading_number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => count::leading_number(text),
        _ => count::of_value(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RateLimit;

    #[test]
    fn reads_rate_limits() {
        for (raw, limit, window) in [
            (json!(60), Some(60), None),
            (json!("60/minute"), Some(60), None),
            (json!({"limit": 60, "window": "60s"}), Some(60), Some(60)),
            (json!({"requests": 60}), Some(60), None),
            (json!({"limit": null, "max": 60.0}), Some(60), None),
            (json!("plenty"), None, None),
            (json!([1, 2]), None, None),
            (json!(null), None, None),
        ] {
            let read = RateLimit(raw.clone());
            assert_eq!(
                (read.limit(), read.window_seconds()),
                (limit, window),
                "{raw}"
            );
        }
    }
}
