//! The webhook of a [`MockServer`](crate::MockServer): its receiver, events and deliveries.

mod error;
mod handle;
mod send;

pub use error::Error;
pub use handle::WebhookHandle;
pub(crate) use send::send;

pub use crate::engine::EventKind;
pub use crate::engine::webhook::{
    Delivery, DeliveryOutcome, EventData, MAX_CONSECUTIVE_FAILURES, Refusal, SignedDelivery,
    SinkScript, SinkStatus, WebhookStatus,
};
