//! Input as JSON, and the error for invalid input.

pub(crate) mod bytes_in_json;
pub(crate) mod read_json;

pub(crate) use bytes_in_json::BytesInJson;
pub(crate) use read_json::BAD_BODY;

/// A result whose error is [`InvalidInput`], unless another type is named.
pub(crate) type Result<T, E = InvalidInput> = std::result::Result<T, E>;

/// An error for invalid input, such as a fault rule, an expectation or a script. The message states
/// what was found and what was expected.
///
/// ```
/// let error = mock_server::FaultRule::from_json(r#"{"fault": "empty"}"#).unwrap_err();
/// assert_eq!(error.code(), "bad_body");
/// assert!(error.to_string().starts_with("fault: unknown variant `empty`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidInput {
    code: &'static str,
    message: String,
}

impl InvalidInput {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }

    /// Adds the number of the invalid rule to the message; the first rule is 1.
    pub(crate) fn in_rule(self, number: usize) -> Self {
        Self::new(self.code, format!("rule {number}: {}", self.message))
    }

    /// Returns the error code that the control API also uses: `bad_body` for JSON with an unexpected
    /// structure, otherwise a code such as `invalid_fault`.
    pub fn code(&self) -> &'static str {
        self.code
    }
}
