//! The webhook of a world: a state machine that prepares, signs and counts deliveries.

mod delivery;
mod event;
mod receiver_url;
mod refusal;
mod script;
mod secret;
mod signature;
mod sink;
mod state;
mod status;

pub use delivery::{Delivery, DeliveryOutcome, SignedDelivery};
pub use event::EventData;
pub(crate) use receiver_url::ReceiverUrl;
pub use refusal::Refusal;
pub use script::SinkScript;
pub(crate) use secret::WebhookSecret;
pub use sink::SinkStatus;
pub use state::MAX_CONSECUTIVE_FAILURES;
pub(crate) use state::{PendingDelivery, Prepared, Receiver, Webhook};
pub use status::WebhookStatus;
