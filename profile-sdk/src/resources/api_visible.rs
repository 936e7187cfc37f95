//! The visibility setting of a profile.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The visibility setting for the API. The specification calls it "boolean-style" and does not
/// define its type.
///
/// ```
/// use profile_sdk::ApiVisible;
///
/// let visible: ApiVisible = serde_json::from_str("1")?;
/// assert_eq!(visible.as_bool(), Some(true));
/// let unknown: ApiVisible = serde_json::from_str(r#""friends""#)?;
/// assert_eq!(unknown.as_bool(), None);
/// assert_eq!(unknown.raw(), "friends");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApiVisible(Value);

impl ApiVisible {
    /// Returns the setting for `true`, `1`, `"true"`, `"1"` and their opposites, and `None` for any
    /// other value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match &self.0 {
            Value::Bool(visible) => Some(*visible),
            Value::Number(number) if number.as_u64() == Some(1) => Some(true),
            Value::Number(number) if number.as_u64() == Some(0) => Some(false),
            Value::String(text) if matches!(text.as_str(), "true" | "1") => Some(true),
            Value::String(text) if matches!(text.as_str(), "false" | "0") => Some(false),
            _ => None,
        }
    }

    /// Returns the JSON value that the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ApiVisible;

    #[test]
    fn decodes_every_boolean_style() {
        for (raw, visible) in [
            (json!(true), Some(true)),
            (json!(false), Some(false)),
            (json!(1), Some(true)),
            (json!(0), Some(false)),
            (json!("true"), Some(true)),
            (json!("false"), Some(false)),
            (json!("1"), Some(true)),
            (json!("0"), Some(false)),
            (json!(2), None),
            (json!("yes"), None),
            (json!([]), None),
        ] {
            assert_eq!(ApiVisible(raw.clone()).as_bool(), visible, "{raw}");
        }
    }
}
