//! Types for requests that enforce the limits of the specification.

mod api_key;
mod macros;
mod profile_values;
mod scope;
pub(crate) mod url_parameters;

pub use api_key::ApiKey;
pub(crate) use macros::{Field, Json, as_json, display_text, from_text, open_enum, text_value};
pub use profile_values::{Bio, Color, DisplayName, FieldKind, LinkUrl, Location};
pub use scope::{Scope, Scopes};
pub use url_parameters::{Days, Handle, LinkId, OptionalDays, PostId};

/// An error for an invalid value, such as a text longer than the specification allows. Nothing was
/// sent.
///
/// `Display` prints what was found and what was expected:
///
/// ```
/// use profile_sdk::DisplayName;
///
/// let (max, found) = (DisplayName::MAX_CHARACTERS, DisplayName::MAX_CHARACTERS + 1);
/// let error = DisplayName::new("x".repeat(found)).unwrap_err();
/// assert_eq!(error.field(), "display_name");
/// let expected = format!("has {found} characters; at most {max} are allowed");
/// assert_eq!(error.reason(), expected);
/// assert_eq!(error.to_string(), format!("display_name {expected}"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {reason}")]
pub struct InvalidValue {
    field: &'static str,
    reason: String,
}

impl InvalidValue {
    pub(crate) fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Self {
            field,
            reason: reason.into(),
        }
    }

    /// Returns the same error for a value of another field.
    pub(crate) fn of_field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }

    /// Returns the name of the field in the specification, for example `bio`.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.field
    }

    /// Returns the message without the name of the field, for example `is missing`.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}
