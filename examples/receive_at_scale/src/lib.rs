#![doc = include_str!("../README.md")]

mod event_key;
mod local_broker;
mod queue;
mod receiver;
mod recent_events;
mod worker;

pub use event_key::{EventKey, by_digest, by_json_field, none};
pub use local_broker::LocalBroker;
pub use queue::{
    DUPLICATE_WINDOW, MAX_AGE, MAX_PENDING, Queue, QueueError, STORE_TIMEOUT, StoreError, Stored,
};
pub use receiver::routes;
pub use worker::{ACK_WAIT, Event, HandlerError, MAX_CONCURRENT, MAX_DELIVERIES, work};
