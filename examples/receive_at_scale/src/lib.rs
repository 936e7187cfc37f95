#![doc = include_str!("../README.md")]

mod event_key;
mod handed_on;
mod queue;
mod receiver;
mod trial_broker;
mod worker;

pub use event_key::{EventKey, by_digest, by_json_field, none};
pub use queue::{
    ANSWER_WITHIN, DUPLICATE_WINDOW, IN_FLIGHT, KEPT_FOR, NotStored, Queue, QueueError, Stored,
};
pub use receiver::routes;
pub use trial_broker::TrialBroker;
pub use worker::{ACK_WAIT, AT_ONCE, Event, HandlingError, MAX_DELIVERIES, work};
