//! Webhook deliveries and their outcomes.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::EventKind;
use crate::input::bytes_in_json;

/// A signed delivery, with the exact body and headers to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignedDelivery {
    /// The id of the delivery in the mock, such as `delivery_7`; it is not sent.
    pub id: String,
    /// The creation time by the world's clock: RFC 3339 in UTC, in whole seconds.
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
    /// The exact body. In JSON, a string, or `{"base64": "…"}` if it is not UTF-8.
    #[serde(with = "bytes_in_json")]
    pub body: Vec<u8>,
}

/// A delivery that was attempted, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Delivery {
    /// The delivery. In JSON, its fields are on the same level as `outcome`.
    #[serde(flatten)]
    pub sent: SignedDelivery,
    /// The outcome.
    pub outcome: DeliveryOutcome,
}

impl Delivery {
    /// Returns `true` if the delivery succeeded; see [`DeliveryOutcome::is_success`].
    pub fn is_success(&self) -> bool {
        self.outcome.is_success()
    }
}

/// The outcome of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeliveryOutcome {
    /// The receiver responded in time.
    Responded {
        /// The status code.
        status: u16,
    },
    /// The response was not complete in time.
    TimedOut {
        /// The timeout in milliseconds.
        milliseconds: u64,
    },
    /// The connection could not be established, or it failed before the response was complete.
    ConnectionFailed {
        /// The error message of the system or the HTTP library.
        reason: String,
    },
}

impl DeliveryOutcome {
    /// Returns `true` if the receiver responded with 2xx in time. Every other outcome is a failure.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Responded { status: 200..=299 })
    }

    pub(crate) fn timed_out(limit: Duration) -> Self {
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Self::TimedOut { milliseconds }
    }
}

impl fmt::Display for DeliveryOutcome {
    /// Such as `responded with 500`, `no response within 10000 ms`, `connection failed: connection refused`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Responded { status } => write!(f, "responded with {status}"),
            Self::TimedOut { milliseconds } => {
                write!(f, "no response within {milliseconds} ms")
            }
            Self::ConnectionFailed { reason } => write!(f, "connection failed: {reason}"),
        }
    }
}
