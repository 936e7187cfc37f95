//! Input that cannot be used.

/// Input that cannot be used, such as a fault rule, an expectation or a script. The message states
/// what was found and what is expected.
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

    /// Names the fault rule of a list that cannot be used; the first is 1.
    pub(crate) fn in_rule(self, number: usize) -> Self {
        Self::new(self.code, format!("rule {number}: {}", self.message))
    }

    /// A name for programs: `bad_body` for JSON that does not have the expected form, and otherwise
    /// a name such as `invalid_fault`, which the control API answers as well.
    ///
    /// ```
    /// use mock_server::{FaultRule, Fault, MockServer};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = MockServer::start().await;
    /// let error = server.add_fault(FaultRule::new(Fault::status(42))).unwrap_err();
    /// assert_eq!(error.code(), "invalid_fault");
    /// # });
    /// ```
    pub fn code(&self) -> &'static str {
        self.code
    }
}
