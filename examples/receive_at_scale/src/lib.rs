#![doc = include_str!("../README.md")]

mod event_key;
mod metrics;
mod queue;
mod receiver;
mod recent_events;
mod retry_policy;
mod server;
mod worker;

pub use event_key::EventKey;
pub use metrics::metrics_routes;
pub use queue::{
    Backlog, DUPLICATE_WINDOW, DeadLetter, MAX_HEADER_BYTES, MAX_PENDING_BYTES, Queue, QueueError,
    QueueSettings, STORE_TIMEOUT, StoreError, is_set, parse, shown,
};
pub use receiver::{BODY_TIMEOUT, routes};
pub use retry_policy::RetryPolicy;
pub use server::{
    HEADER_TIMEOUT, HEALTH_CONNECTIONS, IDLE_TIMEOUT, MAX_CONNECTIONS, SHUTDOWN_TIMEOUT, serve,
};
pub use worker::{ACK_WAIT, Event, HandlerError, MAX_CONCURRENT, STOP_TIMEOUT, work};
