//! Why a call to the webhook did nothing.

use super::delivery::NotSent;
use super::receiver_url::InvalidReceiverUrl;
use super::script::InvalidScript;
use super::secret::EmptySecret;
use crate::engine::InvalidEventKind;
use crate::state_error::StateError;

/// Why a call to the webhook did nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookError {
    /// The text names no receiver.
    #[error(transparent)]
    Url(#[from] InvalidReceiverUrl),
    /// The secret is empty.
    #[error(transparent)]
    Secret(#[from] EmptySecret),
    /// The sink's script cannot be read.
    #[error(transparent)]
    Script(#[from] InvalidScript),
    /// No header can carry the event's name.
    #[error(transparent)]
    Kind(#[from] InvalidEventKind),
    /// The webhook sends nothing as it is.
    #[error(transparent)]
    NotSent(#[from] NotSent),
    /// The state file failed.
    #[error(transparent)]
    State(#[from] StateError),
}

impl WebhookError {
    /// A name for programs: `invalid_url`, `empty_secret`, `invalid_script`, `invalid_kind`,
    /// `state_file`, or that of [`NotSent::code`].
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// let error = server.webhook().use_sink("200", "").unwrap_err();
    /// assert_eq!(error.code(), "empty_secret");
    /// # });
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Self::Url(_) => "invalid_url",
            Self::Secret(_) => "empty_secret",
            Self::Script(_) => "invalid_script",
            Self::Kind(_) => "invalid_kind",
            Self::NotSent(reason) => reason.code(),
            Self::State(_) => "state_file",
        }
    }
}
