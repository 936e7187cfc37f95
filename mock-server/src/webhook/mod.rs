//! The webhook of a [`MockServer`](crate::MockServer): its receiver, events and deliveries.
//!
//! A state machine without I/O prepares and counts deliveries; only `send` uses the network.

mod delivery;
mod error;
mod event;
mod handle;
mod prepare;
mod receiver_url;
mod script;
mod secret;
mod send;
mod signature;
mod sink;
mod state;
mod status;

pub use delivery::{Delivery, DeliveryOutcome, SignedDelivery};
pub use error::Error;
pub use event::EventData;
pub use handle::WebhookHandle;
pub(crate) use prepare::keep_webhook;
pub(crate) use receiver_url::ReceiverUrl;
pub use script::SinkScript;
pub(crate) use secret::WebhookSecret;
pub use state::MAX_CONSECUTIVE_FAILURES;
pub(crate) use state::{Prepared, Webhook};
pub use status::{SinkStatus, WebhookStatus};

pub use crate::engine::EventKind;
