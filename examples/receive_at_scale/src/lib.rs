#![doc = include_str!("../README.md")]

mod metrics;
mod queue;
mod receiver;
mod server;
mod worker;

pub use metrics::metrics_routes;
pub use queue::{
    Backlog, DUPLICATE_WINDOW, DeadLetter, MAX_HEADER_BYTES, MAX_PENDING_BYTES, Queue, QueueError,
    QueueSettings, STORE_TIMEOUT, StoreError, is_set, parse, shown,
};
pub use receiver::{BODY_TIMEOUT, EventKey, routes};
pub use server::{
    HEADER_TIMEOUT, HEALTH_CONNECTIONS, IDLE_TIMEOUT, MAX_CONNECTIONS, SHUTDOWN_TIMEOUT, serve,
};
pub use worker::{ACK_WAIT, Event, HandlerError, MAX_CONCURRENT, RetryPolicy, STOP_TIMEOUT, work};
