//! The webhook: a state machine without sockets that decides what is sent, signed and counted, and
//! one file, `send`, that carries a delivery over the network.

mod delivery;
mod dispatch;
mod error;
mod event;
mod handle;
mod of_world;
mod receiver_url;
mod script;
mod secret;
mod send;
mod signature;
mod sink;
mod state;

pub use delivery::{Delivery, DeliveryOutcome, NotSent, SignedDelivery};
pub(crate) use dispatch::Begun;
pub use error::WebhookError;
pub use event::EventData;
pub use handle::WebhookHandle;
pub use receiver_url::{InvalidReceiverUrl, ReceiverUrl};
pub use script::{InvalidScript, SinkAnswer, SinkScript};
pub use secret::{EmptySecret, WebhookSecret};
pub(crate) use state::Webhook;
pub use state::{FAILURES_UNTIL_OFF, SinkStatus, WebhookStatus};
