//! One delivery: what is sent, and what came of it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bytes_in_json;
use crate::engine::EventKind;

/// A delivery that is pending to be sent: all bytes and headers are fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignedDelivery {
    /// What the mock calls it, such as `delivery_7`; it is not sent.
    pub id: String,
    /// When it was made: RFC 3339, in UTC and whole seconds of the world's clock.
    pub created_at: String,
    /// The receiver's URL, or `sink`.
    pub receiver: String,
    /// The id of the delivery that this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redelivery_of: Option<String>,
    /// The header `X-Service-Event`.
    pub kind: EventKind,
    /// The header `X-Service-Signature`.
    pub signature: String,
    /// The header `Content-Type`.
    pub content_type: String,
    /// The body, byte for byte. JSON has it as a string, or as `{"base64": "…"}` when it is not
    /// UTF-8.
    #[serde(with = "bytes_in_json")]
    pub body: Vec<u8>,
}

/// A delivery that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Delivery {
    /// What was sent. In JSON its fields stand beside `outcome`.
    #[serde(flatten)]
    pub sent: SignedDelivery,
    /// What came of it.
    pub outcome: DeliveryOutcome,
}

impl Delivery {
    /// Whether it succeeded, as [`DeliveryOutcome::is_success`] says.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use mock_server::webhook::EventKind;
    ///
    /// let server = mock_server::MockServer::start().await;
    /// server.webhook().use_sink("500", "whsec_test")?;
    /// let delivery = server.webhook().emit(EventKind::POST_LIKED, serde_json::json!({})).await?;
    /// assert!(!delivery.is_success());
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn is_success(&self) -> bool {
        self.outcome.is_success()
    }
}

/// What came of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeliveryOutcome {
    /// The receiver answered in time.
    Answered {
        /// Its status code.
        status: u16,
    },
    /// No whole response came in time.
    TimedOut {
        /// How long the delivery was given, in milliseconds.
        milliseconds: u64,
    },
    /// There was no connection, or it ended before the response did.
    ConnectionFailed {
        /// What the system or the HTTP library says.
        reason: String,
    },
}

impl DeliveryOutcome {
    /// Whether a 2xx response came in time; everything else is a failed delivery.
    ///
    /// ```
    /// use mock_server::webhook::DeliveryOutcome;
    ///
    /// assert!(DeliveryOutcome::Answered { status: 204 }.is_success());
    /// assert!(!DeliveryOutcome::Answered { status: 302 }.is_success());
    /// assert!(!DeliveryOutcome::TimedOut { milliseconds: 10_000 }.is_success());
    /// ```
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Answered { status: 200..=299 })
    }

    pub(super) fn timed_out(limit: Duration) -> Self {
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Self::TimedOut { milliseconds }
    }
}

impl fmt::Display for DeliveryOutcome {
    /// Such as `answered with 500`, `no response within 10000 ms`, `connection failed: connection refused`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { status } => write!(f, "answered with {status}"),
            Self::TimedOut { milliseconds } => {
                write!(f, "no response within {milliseconds} ms")
            }
            Self::ConnectionFailed { reason } => write!(f, "connection failed: {reason}"),
        }
    }
}
