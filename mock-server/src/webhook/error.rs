//! Errors of the webhook.

use crate::engine::webhook::Refusal;
use crate::input::InvalidInput;
use crate::service::StateError;

/// An error of a call to the webhook; the call had no effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL, the secret, the script or the name of the event is invalid.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The webhook is off or has no receiver, or the log does not contain the delivery.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The state file could not be read or written.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Error {
    /// Returns a machine-readable code: `no_receiver`, `webhook_off`, `unknown_delivery`, `state_file`, or
    /// `invalid_url`, `empty_secret`, `invalid_script` or `invalid_kind`.
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
            Self::Invalid(error) => error.code(),
            Self::Refused(Refusal::NoReceiver) => "no_receiver",
            Self::Refused(Refusal::Off { .. }) => "webhook_off",
            Self::Refused(Refusal::UnknownDelivery { .. }) => "unknown_delivery",
            Self::State(_) => "state_file",
        }
    }
}
