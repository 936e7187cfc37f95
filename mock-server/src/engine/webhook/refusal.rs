//! The reasons why a webhook does not send a delivery.

/// The reason why a webhook does not send a delivery.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The webhook has no receiver.
    #[error("the webhook has no receiver; set a URL or the sink")]
    NoReceiver,
    /// The webhook was turned off by failed deliveries.
    #[error(
        "the webhook is off after {consecutive_failures} consecutive failed deliveries; turn it \
         on again"
    )]
    Off {
        /// Number of consecutive failures.
        consecutive_failures: u32,
    },
    /// The log does not contain a delivery with this id.
    #[error("unknown delivery {id:?}; the log does not contain it")]
    UnknownDelivery {
        /// The id.
        id: String,
    },
}
