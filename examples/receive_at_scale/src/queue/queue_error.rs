//! Errors of the connection to the broker.

use std::fmt;

/// An error of the connection to the broker.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The broker refused a request or did not respond.
    #[error("could not {action}: {cause}; expected a NATS server with JetStream")]
    Broker {
        /// The request.
        action: &'static str,
        /// The error of the client.
        cause: String,
    },
    /// The settings of the connection are invalid.
    #[error("could not {action}: {cause}; check the settings")]
    Settings {
        /// The step that failed.
        action: &'static str,
        /// The error of the client.
        cause: String,
    },
    /// The stream exists with other settings.
    #[error(
        "the stream {name} has other settings: {differences}; change the settings, or edit the stream"
    )]
    OtherStream {
        /// The name of the stream.
        name: String,
        /// The settings that differ.
        differences: String,
    },
}

impl QueueError {
    pub(crate) fn new(action: &'static str, cause: impl fmt::Display) -> Self {
        let cause = cause.to_string();
        Self::Broker { action, cause }
    }

    pub(super) fn settings(action: &'static str, cause: impl fmt::Display) -> Self {
        let cause = cause.to_string();
        Self::Settings { action, cause }
    }
}
