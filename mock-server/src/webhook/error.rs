//! Why a call to the webhook did nothing.

use crate::invalid_input::InvalidInput;
use crate::state_file::StateError;

/// The reason why a call to the webhook did nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL, the secret, the script or the event's name cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The webhook points nowhere yet.
    #[error("the webhook has no receiver; point it at a URL or at the sink")]
    NoReceiver,
    /// The webhook was turned off by failed deliveries.
    #[error(
        "the webhook is off after {consecutive_failures} consecutive failed deliveries; turn it \
         on again"
    )]
    Off {
        /// How many have failed in a row.
        consecutive_failures: u32,
    },
    /// The log holds no delivery of this id, or none any more.
    #[error("unknown delivery {id:?}; the log does not contain it")]
    UnknownDelivery {
        /// The id.
        id: String,
    },
    /// The state file failed.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Error {
    /// A name for programs: `no_receiver`, `webhook_off`, `unknown_delivery`, `state_file`, or
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
            Self::NoReceiver => "no_receiver",
            Self::Off { .. } => "webhook_off",
            Self::UnknownDelivery { .. } => "unknown_delivery",
            Self::State(_) => "state_file",
        }
    }
}
